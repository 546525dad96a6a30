/// global_motion_params() of the frame header (5.9.24). VA-API has the parameters; the bitstream has their differences
/// from those of the primary reference frame.

#include <string.h>

#include "av1.h"

enum { MODEL_BITS = 16, ALPHA_BITS = 15, TRANSLATION_BITS = 6, TRANSLATION_ONLY_BITS = 3 };
enum { ABS_BITS = 12, ABS_TRANSLATION_ONLY_BITS = 9 };

static const int32_t identity[6] = {0, 0, 1 << MODEL_BITS, 0, 0, 1 << MODEL_BITS};

void av1_copy_motion(const VADecPictureParameterBufferAV1 *picture, int32_t motion[AV1_REFERENCE_COUNT][6]) {
    bool is_intra = av1_is_intra((int)picture->pic_info_fields.bits.frame_type);
    for (int reference = 0; reference < AV1_REFERENCE_COUNT; reference++) {
        const VAWarpedMotionParamsAV1 *warp = &picture->wm[reference];
        bool is_identity = is_intra || warp->wmtype == VAAV1TransformationIdentity;
        memcpy(motion[reference], is_identity ? identity : warp->wmmat, sizeof identity);
    }
}

/// subexp_unsigned of a value below `count` (5.9.27).
static void put_subexp(struct writer *writer, uint32_t count, uint32_t value) {
    uint32_t low = 0;
    for (int step = 0;; step++) {
        int bits = step ? 2 + step : 3;
        if (count <= low + 3u * (1u << bits)) {
            av1_put_ns(writer, count - low, value - low);
            return;
        }
        bool more = value >= low + (1u << bits);
        put(writer, 1, more);
        if (!more) {
            put(writer, bits, value - low);
            return;
        }
        low += 1u << bits;
    }
}

/// The inverse of inverse_recenter (5.9.29): values near `center` become small.
static uint32_t recenter(uint32_t center, uint32_t value) {
    if (value > 2 * center)
        return value;
    return value >= center ? 2 * (value - center) : 2 * (center - value) - 1;
}

/// The inverse of decode_signed_subexp_with_ref, for values from `-most` to `most`.
static void put_near(struct writer *writer, int most, int near, int value) {
    uint32_t count = 2 * (uint32_t)most + 1, center = (uint32_t)(near + most), wanted = (uint32_t)(value + most);
    bool is_low = center * 2 <= count;
    put_subexp(writer, count,
               is_low ? recenter(center, wanted) : recenter(count - 1 - center, count - 1 - wanted));
}

static void put_parameter(struct writer *writer, const VADecPictureParameterBufferAV1 *picture, int reference,
                          int index, const int32_t *previous) {
    const VAWarpedMotionParamsAV1 *warp = &picture->wm[reference];
    int bits = index < 2 ? TRANSLATION_BITS : ALPHA_BITS, absolute = ABS_BITS;
    if (index < 2 && warp->wmtype == VAAV1TransformationTranslation) {
        int coarse = !picture->pic_info_fields.bits.allow_high_precision_mv;
        bits = TRANSLATION_ONLY_BITS - coarse;
        absolute = ABS_TRANSLATION_ONLY_BITS - coarse;
    }
    int shift = MODEL_BITS - bits;
    put_near(writer, 1 << absolute, (previous[index] - identity[index]) >> shift,
             (warp->wmmat[index] - identity[index]) >> shift);
}

static void put_type(struct writer *writer, VAAV1TransformationType type) {
    put(writer, 1, type != VAAV1TransformationIdentity);
    if (type == VAAV1TransformationIdentity)
        return;
    put(writer, 1, type == VAAV1TransformationRotzoom);
    if (type != VAAV1TransformationRotzoom)
        put(writer, 1, type == VAAV1TransformationTranslation);
}

void av1_put_global_motion(struct writer *writer, const struct av1_frame *frame) {
    const VADecPictureParameterBufferAV1 *picture = frame->picture;
    bool has_primary = picture->primary_ref_frame < AV1_REFERENCE_COUNT
                       && !picture->pic_info_fields.bits.error_resilient_mode;
    const struct av1_reference *primary =
        has_primary ? &frame->slots[frame->reference_slots[picture->primary_ref_frame]] : NULL;
    for (int reference = 0; reference < AV1_REFERENCE_COUNT; reference++) {
        static const int order[] = {2, 3, 4, 5, 0, 1};
        VAAV1TransformationType type = picture->wm[reference].wmtype;
        put_type(writer, type);
        for (int place = 0; place < 6; place++) {
            int index = order[place];
            bool is_coded = index < 2   ? type != VAAV1TransformationIdentity
                            : index < 4 ? type >= VAAV1TransformationRotzoom
                                        : type == VAAV1TransformationAffine;
            if (is_coded)
                put_parameter(writer, picture, reference, index, primary ? primary->motion[reference] : identity);
        }
    }
}
