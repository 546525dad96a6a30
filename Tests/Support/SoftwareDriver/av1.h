/// AV1's sequence and frame headers (5.5, 5.9), written from VA's parameters for profile 0.

#ifndef SOFT_AV1_H
#define SOFT_AV1_H

#include <va/va.h>

#include "bits.h"

enum { AV1_KEY_FRAME, AV1_INTER_FRAME, AV1_INTRA_ONLY_FRAME, AV1_SWITCH_FRAME };
enum { AV1_SLOT_COUNT = 8, AV1_REFERENCE_COUNT = 7, AV1_PRIMARY_REF_NONE = 7 };

/// The parameters of a reference frame that the headers of later frames need.
struct av1_reference {
    VASurfaceID surface;  // VA_INVALID_SURFACE in a free slot
    int order_hint;
    int32_t motion[AV1_REFERENCE_COUNT][6];  // its gm_params
};

struct av1_tile {
    const uint8_t *data;
    size_t size;
};

struct av1_frame {
    const VADecPictureParameterBufferAV1 *picture;
    const struct av1_tile *tiles;       // row by row
    const struct av1_reference *slots;  // of the decoder, before this frame
    int reference_slots[AV1_REFERENCE_COUNT];
    int type;           // of the written frame
    unsigned refresh;   // bit n: slot n gets the frame. A frame that replaces all slots has no such field
    bool applies_grain;
};

bool av1_is_intra(int frame_type);
bool av1_replaces_all(const VADecPictureParameterBufferAV1 *picture);

/// The frame's gm_params: VA's, or the defaults of frames without any.
void av1_copy_motion(const VADecPictureParameterBufferAV1 *picture, int32_t motion[AV1_REFERENCE_COUNT][6]);

/// Append whole OBUs.
void av1_write_sequence(struct bytes *stream, const VADecPictureParameterBufferAV1 *picture);
/// Returns the position of refresh_frame_flags in bits.
size_t av1_write_frame(struct bytes *stream, const struct av1_frame *frame);

/// Appends the header of a frame OBU of this size.
void av1_append_frame_obu(struct bytes *stream, size_t size);

/// Parts of the frame header.
void av1_put_global_motion(struct writer *writer, const struct av1_frame *frame);
void av1_put_tile_info(struct writer *writer, const VADecPictureParameterBufferAV1 *picture);
void av1_put_film_grain(struct writer *writer, const struct av1_frame *frame);

/// ns(n), 4.10.7.
void av1_put_ns(struct writer *writer, uint32_t count, uint32_t value);

/// The width before upscaling (5.9.8).
int av1_coded_width(const VADecPictureParameterBufferAV1 *picture);

#endif
