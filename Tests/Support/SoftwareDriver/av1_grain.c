/// film_grain_params() of the frame header (5.9.30).

#include "av1.h"

static void put_points(struct writer *writer, int count, const uint8_t *values, const uint8_t *scalings) {
    put(writer, 4, (uint32_t)count);
    for (int index = 0; index < count; index++) {
        put(writer, 8, values[index]);
        put(writer, 8, scalings[index]);
    }
}

static void put_coefficients(struct writer *writer, int count, const int8_t *coefficients) {
    for (int index = 0; index < count; index++)
        put(writer, 8, (uint32_t)(coefficients[index] + 128));
}

static void put_scaling_points(struct writer *writer, const VAFilmGrainStructAV1 *grain) {
    put_points(writer, grain->num_y_points, grain->point_y_value, grain->point_y_scaling);
    put(writer, 1, grain->film_grain_info_fields.bits.chroma_scaling_from_luma);
    if (grain->film_grain_info_fields.bits.chroma_scaling_from_luma || grain->num_y_points == 0)
        return;
    put_points(writer, grain->num_cb_points, grain->point_cb_value, grain->point_cb_scaling);
    put_points(writer, grain->num_cr_points, grain->point_cr_value, grain->point_cr_scaling);
}

static void put_autoregression(struct writer *writer, const VAFilmGrainStructAV1 *grain) {
    int lag = (int)grain->film_grain_info_fields.bits.ar_coeff_lag, luma = 2 * lag * (lag + 1);
    int chroma = luma + (grain->num_y_points > 0);
    bool from_luma = grain->film_grain_info_fields.bits.chroma_scaling_from_luma;
    put(writer, 2, (uint32_t)lag);
    if (grain->num_y_points)
        put_coefficients(writer, luma, grain->ar_coeffs_y);
    if (from_luma || grain->num_cb_points)
        put_coefficients(writer, chroma, grain->ar_coeffs_cb);
    if (from_luma || grain->num_cr_points)
        put_coefficients(writer, chroma, grain->ar_coeffs_cr);
    put(writer, 2, grain->film_grain_info_fields.bits.ar_coeff_shift_minus_6);
}

static void put_chroma(struct writer *writer, int points, unsigned factor, unsigned luma_factor, unsigned offset) {
    if (points == 0)
        return;
    put(writer, 8, factor);
    put(writer, 8, luma_factor);
    put(writer, 9, offset);
}

void av1_put_film_grain(struct writer *writer, const struct av1_frame *frame) {
    const VAFilmGrainStructAV1 *grain = &frame->picture->film_grain_info;
    put(writer, 1, frame->applies_grain);
    if (!frame->applies_grain)
        return;
    put(writer, 16, grain->grain_seed);
    if (frame->type == AV1_INTER_FRAME)
        put(writer, 1, 1);  // update_grain
    put_scaling_points(writer, grain);
    put(writer, 2, grain->film_grain_info_fields.bits.grain_scaling_minus_8);
    put_autoregression(writer, grain);
    put(writer, 2, grain->film_grain_info_fields.bits.grain_scale_shift);
    put_chroma(writer, grain->num_cb_points, grain->cb_mult, grain->cb_luma_mult, grain->cb_offset);
    put_chroma(writer, grain->num_cr_points, grain->cr_mult, grain->cr_luma_mult, grain->cr_offset);
    put(writer, 1, grain->film_grain_info_fields.bits.overlap_flag);
    put(writer, 1, grain->film_grain_info_fields.bits.clip_to_restricted_range);
}
