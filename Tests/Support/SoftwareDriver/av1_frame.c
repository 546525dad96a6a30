/// Frame OBUs: uncompressed_header() (5.9.2) and the tiles. Every frame is shown, so that the decoder outputs it at
/// once, and has its size in its header.

#include <stdlib.h>

#include "av1.h"

static int order_hint_bits(const VADecPictureParameterBufferAV1 *picture) {
    return picture->seq_info_fields.fields.enable_order_hint ? picture->order_hint_bits_minus_1 + 1 : 0;
}

bool av1_is_intra(int frame_type) {
    return frame_type == AV1_KEY_FRAME || frame_type == AV1_INTRA_ONLY_FRAME;
}

bool av1_replaces_all(const VADecPictureParameterBufferAV1 *picture) {
    int type = (int)picture->pic_info_fields.bits.frame_type;
    return type == AV1_SWITCH_FRAME || (type == AV1_KEY_FRAME && picture->pic_info_fields.bits.show_frame);
}

int av1_coded_width(const VADecPictureParameterBufferAV1 *picture) {
    int width = picture->frame_width_minus1 + 1, denominator = picture->superres_scale_denominator;
    return picture->pic_info_fields.bits.use_superres ? (width * 8 + denominator / 2) / denominator : width;
}

void av1_put_ns(struct writer *writer, uint32_t count, uint32_t value) {
    int bits = 0;
    while (count >> bits)
        bits++;
    uint32_t most = (1u << bits) - count;
    if (value < most) {
        put(writer, bits - 1, value);
        return;
    }
    put(writer, bits - 1, (value + most) >> 1);
    put(writer, 1, (value + most) & 1);
}

static void put_su(struct writer *writer, int bits, int value) {
    put(writer, bits, (uint32_t)value & ((1u << bits) - 1));
}

static void put_start(struct writer *writer, const struct av1_frame *frame) {
    const VADecPictureParameterBufferAV1 *picture = frame->picture;
    put(writer, 1, 0);  // show_existing_frame
    put(writer, 2, (uint32_t)frame->type);
    put(writer, 1, 1);  // show_frame
    if (!av1_replaces_all(picture))
        put(writer, 1, picture->pic_info_fields.bits.error_resilient_mode);
    put(writer, 1, picture->pic_info_fields.bits.disable_cdf_update);
    put(writer, 1, picture->pic_info_fields.bits.allow_screen_content_tools);
    if (picture->pic_info_fields.bits.allow_screen_content_tools)
        put(writer, 1, picture->pic_info_fields.bits.force_integer_mv);
    if (frame->type != AV1_SWITCH_FRAME)
        put(writer, 1, 1);  // frame_size_override_flag
    put(writer, order_hint_bits(picture), picture->order_hint);
    if (!av1_is_intra(frame->type) && !picture->pic_info_fields.bits.error_resilient_mode)
        put(writer, 3, picture->primary_ref_frame);
}

static void put_ref_order_hints(struct writer *writer, const struct av1_frame *frame) {
    const VADecPictureParameterBufferAV1 *picture = frame->picture;
    bool is_coded = picture->pic_info_fields.bits.error_resilient_mode && frame->type != AV1_KEY_FRAME;
    for (int slot = 0; slot < AV1_SLOT_COUNT && is_coded; slot++)
        put(writer, order_hint_bits(picture), (uint32_t)frame->slots[slot].order_hint);
}

static void put_size(struct writer *writer, const VADecPictureParameterBufferAV1 *picture) {
    put(writer, 16, picture->frame_width_minus1);
    put(writer, 16, picture->frame_height_minus1);
    put(writer, 1, picture->pic_info_fields.bits.use_superres);
    if (picture->pic_info_fields.bits.use_superres)
        put(writer, 3, picture->superres_scale_denominator - 9u);
    put(writer, 1, 0);  // render_and_frame_size_different
}

static void put_references(struct writer *writer, const struct av1_frame *frame) {
    const VADecPictureParameterBufferAV1 *picture = frame->picture;
    if (picture->seq_info_fields.fields.enable_order_hint)
        put(writer, 1, 0);  // frame_refs_short_signaling
    for (int index = 0; index < AV1_REFERENCE_COUNT; index++)
        put(writer, 3, (uint32_t)frame->reference_slots[index]);
    if (!picture->pic_info_fields.bits.error_resilient_mode)
        put(writer, AV1_REFERENCE_COUNT, 0);  // found_ref
}

/// The fields of inter frames only.
static void put_prediction(struct writer *writer, const VADecPictureParameterBufferAV1 *picture) {
    enum { SWITCHABLE = 4 };
    if (!picture->pic_info_fields.bits.force_integer_mv)
        put(writer, 1, picture->pic_info_fields.bits.allow_high_precision_mv);
    put(writer, 1, picture->interp_filter == SWITCHABLE);
    if (picture->interp_filter != SWITCHABLE)
        put(writer, 2, picture->interp_filter);
    put(writer, 1, picture->pic_info_fields.bits.is_motion_mode_switchable);
    if (!picture->pic_info_fields.bits.error_resilient_mode && picture->seq_info_fields.fields.enable_order_hint)
        put(writer, 1, picture->pic_info_fields.bits.use_ref_frame_mvs);
}

static void put_frame_setup(struct writer *writer, const struct av1_frame *frame) {
    const VADecPictureParameterBufferAV1 *picture = frame->picture;
    if (!av1_is_intra(frame->type)) {
        put_references(writer, frame);
        put_size(writer, picture);
        put_prediction(writer, picture);
    } else {
        put_size(writer, picture);
        if (picture->pic_info_fields.bits.allow_screen_content_tools
            && av1_coded_width(picture) == picture->frame_width_minus1 + 1)
            put(writer, 1, picture->pic_info_fields.bits.allow_intrabc);
    }
    if (!picture->pic_info_fields.bits.disable_cdf_update)
        put(writer, 1, picture->pic_info_fields.bits.disable_frame_end_update_cdf);
}

static void put_delta_q(struct writer *writer, int delta) {
    put(writer, 1, delta != 0);
    if (delta)
        put_su(writer, 7, delta);
}

/// 5.9.12.
static void put_quantization(struct writer *writer, const VADecPictureParameterBufferAV1 *picture) {
    bool differs = picture->u_dc_delta_q != picture->v_dc_delta_q || picture->u_ac_delta_q != picture->v_ac_delta_q;
    put(writer, 8, picture->base_qindex);
    put_delta_q(writer, picture->y_dc_delta_q);
    put(writer, 1, differs);
    put_delta_q(writer, picture->u_dc_delta_q);
    put_delta_q(writer, picture->u_ac_delta_q);
    if (differs) {
        put_delta_q(writer, picture->v_dc_delta_q);
        put_delta_q(writer, picture->v_ac_delta_q);
    }
    put(writer, 1, picture->qmatrix_fields.bits.using_qmatrix);
    if (picture->qmatrix_fields.bits.using_qmatrix) {
        put(writer, 4, picture->qmatrix_fields.bits.qm_y);
        put(writer, 4, picture->qmatrix_fields.bits.qm_u);
        put(writer, 4, picture->qmatrix_fields.bits.qm_v);
    }
}

static void put_segment_features(struct writer *writer, const VASegmentationStructAV1 *segments) {
    static const struct {
        int bits;
        bool is_signed;
    } features[8] = {{8, true}, {6, true}, {6, true}, {6, true}, {6, true}, {3, false}, {0, false}, {0, false}};
    for (int segment = 0; segment < 8; segment++)
        for (int feature = 0; feature < 8; feature++) {
            bool is_enabled = segments->feature_mask[segment] >> feature & 1;
            put(writer, 1, is_enabled);
            if (is_enabled)
                put_su(writer, features[feature].bits + features[feature].is_signed,
                       segments->feature_data[segment][feature]);
        }
}

/// 5.9.14.
static void put_segmentation(struct writer *writer, const struct av1_frame *frame) {
    const VASegmentationStructAV1 *segments = &frame->picture->seg_info;
    bool has_primary = !av1_is_intra(frame->type) && !frame->picture->pic_info_fields.bits.error_resilient_mode
                       && frame->picture->primary_ref_frame != AV1_PRIMARY_REF_NONE;
    put(writer, 1, segments->segment_info_fields.bits.enabled);
    if (!segments->segment_info_fields.bits.enabled)
        return;
    if (has_primary) {
        put(writer, 1, segments->segment_info_fields.bits.update_map);
        if (segments->segment_info_fields.bits.update_map)
            put(writer, 1, segments->segment_info_fields.bits.temporal_update);
        put(writer, 1, segments->segment_info_fields.bits.update_data);
    }
    if (!has_primary || segments->segment_info_fields.bits.update_data)
        put_segment_features(writer, segments);
}

/// 5.9.17 and 5.9.18.
static void put_deltas(struct writer *writer, const VADecPictureParameterBufferAV1 *picture) {
    if (picture->base_qindex)
        put(writer, 1, picture->mode_control_fields.bits.delta_q_present_flag);
    if (!picture->base_qindex || !picture->mode_control_fields.bits.delta_q_present_flag)
        return;
    put(writer, 2, picture->mode_control_fields.bits.log2_delta_q_res);
    if (picture->pic_info_fields.bits.allow_intrabc)
        return;
    put(writer, 1, picture->mode_control_fields.bits.delta_lf_present_flag);
    if (picture->mode_control_fields.bits.delta_lf_present_flag) {
        put(writer, 2, picture->mode_control_fields.bits.log2_delta_lf_res);
        put(writer, 1, picture->mode_control_fields.bits.delta_lf_multi);
    }
}

/// CodedLossless of 5.9.2.
static bool is_lossless(const VADecPictureParameterBufferAV1 *picture) {
    const VASegmentationStructAV1 *segments = &picture->seg_info;
    if (picture->y_dc_delta_q || picture->u_dc_delta_q || picture->u_ac_delta_q || picture->v_dc_delta_q
        || picture->v_ac_delta_q)
        return false;
    for (int segment = 0; segment < 8; segment++) {
        bool is_changed = segments->segment_info_fields.bits.enabled && segments->feature_mask[segment] & 1;
        if (picture->base_qindex + (is_changed ? segments->feature_data[segment][0] : 0) > 0)
            return false;
    }
    return true;
}

/// 5.9.11. The deltas are VA's if the frame changes them, else those of the primary reference frame.
static void put_loop_filter(struct writer *writer, const VADecPictureParameterBufferAV1 *picture) {
    put(writer, 6, picture->filter_level[0]);
    put(writer, 6, picture->filter_level[1]);
    if (picture->filter_level[0] || picture->filter_level[1]) {
        put(writer, 6, picture->filter_level_u);
        put(writer, 6, picture->filter_level_v);
    }
    put(writer, 3, picture->loop_filter_info_fields.bits.sharpness_level);
    put(writer, 1, picture->loop_filter_info_fields.bits.mode_ref_delta_enabled);
    if (!picture->loop_filter_info_fields.bits.mode_ref_delta_enabled)
        return;
    put(writer, 1, picture->loop_filter_info_fields.bits.mode_ref_delta_update);
    if (!picture->loop_filter_info_fields.bits.mode_ref_delta_update)
        return;
    for (int index = 0; index < 10; index++) {
        put(writer, 1, 1);
        put_su(writer, 7, index < 8 ? picture->ref_deltas[index] : picture->mode_deltas[index - 8]);
    }
}

/// 5.9.19.
static void put_cdef(struct writer *writer, const VADecPictureParameterBufferAV1 *picture) {
    if (!picture->seq_info_fields.fields.enable_cdef)
        return;
    put(writer, 2, picture->cdef_damping_minus_3);
    put(writer, 2, picture->cdef_bits);
    for (int index = 0; index < 1 << picture->cdef_bits; index++) {
        put(writer, 6, picture->cdef_y_strengths[index]);
        put(writer, 6, picture->cdef_uv_strengths[index]);
    }
}

/// 5.9.20. VA-API has FrameRestorationType, the bitstream lr_type.
static void put_restoration(struct writer *writer, const VADecPictureParameterBufferAV1 *picture) {
    static const uint8_t lr_types[] = {0, 2, 3, 1};
    unsigned y = picture->loop_restoration_fields.bits.yframe_restoration_type;
    unsigned cb = picture->loop_restoration_fields.bits.cbframe_restoration_type;
    unsigned cr = picture->loop_restoration_fields.bits.crframe_restoration_type;
    unsigned shift = picture->loop_restoration_fields.bits.lr_unit_shift;
    put(writer, 2, lr_types[y]);
    put(writer, 2, lr_types[cb]);
    put(writer, 2, lr_types[cr]);
    if (!y && !cb && !cr)
        return;
    if (picture->seq_info_fields.fields.use_128x128_superblock) {
        put(writer, 1, shift - 1);
    } else {
        put(writer, 1, shift > 0);
        if (shift)
            put(writer, 1, shift - 1);
    }
    if (cb || cr)
        put(writer, 1, picture->loop_restoration_fields.bits.lr_uv_shift);
}

static void put_filters(struct writer *writer, const VADecPictureParameterBufferAV1 *picture) {
    bool lossless = is_lossless(picture), has_intrabc = picture->pic_info_fields.bits.allow_intrabc;
    if (!lossless && !has_intrabc) {
        put_loop_filter(writer, picture);
        put_cdef(writer, picture);
    }
    bool all_lossless = lossless && !picture->pic_info_fields.bits.use_superres;
    if (!all_lossless && !has_intrabc)
        put_restoration(writer, picture);
    enum { TX_MODE_SELECT = 2 };
    if (!lossless)
        put(writer, 1, picture->mode_control_fields.bits.tx_mode == TX_MODE_SELECT);
}

/// get_relative_dist() of 7.9.3: order hints wrap around.
static int distance(const VADecPictureParameterBufferAV1 *picture, int one, int other) {
    int half = 1 << picture->order_hint_bits_minus_1, difference = one - other;
    return (difference & (half - 1)) - (difference & half);
}

/// skipModeAllowed of 5.9.22: there is one reference frame before this one and one after it, or two before it.
static bool may_skip(const struct av1_frame *frame) {
    const VADecPictureParameterBufferAV1 *picture = frame->picture;
    if (!picture->mode_control_fields.bits.reference_select || !picture->seq_info_fields.fields.enable_order_hint)
        return false;
    int nearest = 0, hints[AV1_REFERENCE_COUNT];
    bool has_before = false, has_after = false, has_second = false;
    for (int index = 0; index < AV1_REFERENCE_COUNT; index++) {
        hints[index] = frame->slots[frame->reference_slots[index]].order_hint;
        int away = distance(picture, hints[index], picture->order_hint);
        has_after |= away > 0;
        if (away < 0 && (!has_before || distance(picture, hints[index], nearest) > 0))
            nearest = hints[index];
        has_before |= away < 0;
    }
    for (int index = 0; index < AV1_REFERENCE_COUNT; index++)
        has_second |= distance(picture, hints[index], nearest) < 0;
    return has_before && (has_after || has_second);
}

static void put_end(struct writer *writer, const struct av1_frame *frame) {
    const VADecPictureParameterBufferAV1 *picture = frame->picture;
    bool is_intra = av1_is_intra(frame->type);
    if (!is_intra)
        put(writer, 1, picture->mode_control_fields.bits.reference_select);
    if (!is_intra && may_skip(frame))
        put(writer, 1, picture->mode_control_fields.bits.skip_mode_present);
    if (!is_intra && !picture->pic_info_fields.bits.error_resilient_mode)
        put(writer, 1, picture->pic_info_fields.bits.allow_warped_motion);
    put(writer, 1, picture->mode_control_fields.bits.reduced_tx_set_used);
    if (!is_intra)
        av1_put_global_motion(writer, frame);
    av1_put_film_grain(writer, frame);
}

/// 5.11.1, all tiles in one group.
static void put_tiles(struct writer *writer, const struct av1_frame *frame) {
    int count = frame->picture->tile_cols * frame->picture->tile_rows;
    if (count > 1)
        put(writer, 1, 0);  // tile_start_and_end_present_flag
    put_alignment(writer, 0);
    for (int index = 0; index < count; index++) {
        uint32_t size = (uint32_t)frame->tiles[index].size - 1;
        const uint8_t bytes[] = {size & 255, size >> 8 & 255, size >> 16 & 255, size >> 24};
        if (index + 1 < count)
            append(&writer->bytes, bytes, sizeof bytes);
        append(&writer->bytes, frame->tiles[index].data, frame->tiles[index].size);
    }
}

size_t av1_write_frame(struct bytes *stream, const struct av1_frame *frame) {
    struct writer writer = {0};
    put_start(&writer, frame);
    size_t refresh = writer.bytes.size * 8 - (size_t)writer.free_bits;
    if (!av1_replaces_all(frame->picture))
        put(&writer, AV1_SLOT_COUNT, frame->refresh);
    put_ref_order_hints(&writer, frame);
    put_frame_setup(&writer, frame);
    av1_put_tile_info(&writer, frame->picture);
    put_quantization(&writer, frame->picture);
    put_segmentation(&writer, frame);
    put_deltas(&writer, frame->picture);
    put_filters(&writer, frame->picture);
    put_end(&writer, frame);
    put_alignment(&writer, 0);
    put_tiles(&writer, frame);
    av1_append_frame_obu(stream, writer.bytes.size);
    refresh += stream->size * 8;
    append(stream, writer.bytes.data, writer.bytes.size);
    free(writer.bytes.data);
    return refresh;
}
