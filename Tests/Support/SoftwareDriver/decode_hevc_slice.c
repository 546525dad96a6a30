/// Slice segment headers, rewritten from VA-API's slice parameters.

#include "decode_hevc.h"

static void put_references(struct writer *writer, const struct hevc_references *references, int poc) {
    put(writer, LOG2_MAX_POC_LSB, (uint32_t)poc & ((1 << LOG2_MAX_POC_LSB) - 1));
    put(writer, 1, 0);
    hevc_put_rps(writer, &references->rps);
    put_ue(writer, (uint32_t)references->long_count);
    for (int index = 0; index < references->long_count; index++) {
        put(writer, LOG2_MAX_POC_LSB, (uint32_t)references->long_lsb[index]);
        put(writer, 1, references->long_used[index]);
        put(writer, 1, 0);
    }
}

static int bits_for(int count) {
    int bits = 0;
    while (1 << bits < count)
        bits++;
    return bits;
}

/// ref_pic_lists_modification(): names every entry. False if a list names a picture that this one may not use.
static bool put_lists(struct writer *writer, const VASliceParameterBufferHEVC *slice, const int *num_ref_idx,
                      bool bidirectional, const struct hevc_references *references) {
    for (int list = 0; list <= bidirectional; list++) {
        bool several = references->used_count > 1;
        if (several)
            put(writer, 1, 1);
        for (int index = 0; index < num_ref_idx[list]; index++) {
            int entry = slice->RefPicList[list][index];
            int place = entry < 15 ? references->place[list][entry] : -1;
            if (place < 0)
                return false;
            if (several)
                put(writer, bits_for(references->used_count), (uint32_t)place);
        }
    }
    return true;
}

struct weights {
    const int8_t *luma, *luma_offset, (*chroma)[2], (*chroma_offset)[2];
};

static void put_list_weights(struct writer *writer, const struct weights *weights, int count, int chroma_denom) {
    for (int index = 0; index < count; index++)
        put(writer, 1, 1);
    for (int index = 0; index < count; index++)
        put(writer, 1, 1);
    for (int index = 0; index < count; index++) {
        put_se(writer, weights->luma[index]);
        put_se(writer, weights->luma_offset[index]);
        for (int plane = 0; plane < 2; plane++) {
            // The inverse of 7-56: VA has the offset, the stream its prediction residual.
            int weight = (1 << chroma_denom) + weights->chroma[index][plane];
            int predicted = 128 - ((128 * weight) >> chroma_denom);
            put_se(writer, weights->chroma[index][plane]);
            put_se(writer, weights->chroma_offset[index][plane] - predicted);
        }
    }
}

static void put_weights(struct writer *writer, const VASliceParameterBufferHEVC *slice, const int *num_ref_idx,
                        bool bidirectional) {
    struct weights weights[2] = {
        {slice->delta_luma_weight_l0, slice->luma_offset_l0, slice->delta_chroma_weight_l0, slice->ChromaOffsetL0},
        {slice->delta_luma_weight_l1, slice->luma_offset_l1, slice->delta_chroma_weight_l1, slice->ChromaOffsetL1}};
    put_ue(writer, slice->luma_log2_weight_denom);
    put_se(writer, slice->delta_chroma_log2_weight_denom);
    int chroma_denom = slice->luma_log2_weight_denom + slice->delta_chroma_log2_weight_denom;
    for (int list = 0; list <= bidirectional; list++)
        put_list_weights(writer, &weights[list], num_ref_idx[list], chroma_denom);
}

static bool put_inter(struct writer *writer, const struct hevc_pps *pps, const VASliceParameterBufferHEVC *slice,
                      const struct hevc_references *references) {
    bool bidirectional = slice->LongSliceFlags.fields.slice_type == HEVC_B;
    int num_ref_idx[2] = {slice->num_ref_idx_l0_active_minus1 + 1, slice->num_ref_idx_l1_active_minus1 + 1};
    put(writer, 1, 1);
    for (int list = 0; list <= bidirectional; list++)
        put_ue(writer, (uint32_t)num_ref_idx[list] - 1);
    if (num_ref_idx[0] > 15 || num_ref_idx[1] > 15
        || !put_lists(writer, slice, num_ref_idx, bidirectional, references))
        return false;
    if (bidirectional)
        put(writer, 1, slice->LongSliceFlags.fields.mvd_l1_zero_flag);
    if (pps->cabac_init_present_flag)
        put(writer, 1, slice->LongSliceFlags.fields.cabac_init_flag);
    if (slice->LongSliceFlags.fields.slice_temporal_mvp_enabled_flag) {
        bool from_list_0 = !bidirectional || slice->LongSliceFlags.fields.collocated_from_l0_flag;
        if (bidirectional)
            put(writer, 1, from_list_0);
        if (num_ref_idx[from_list_0 ? 0 : 1] > 1)
            put_ue(writer, slice->collocated_ref_idx);
    }
    if (bidirectional ? pps->weighted_bipred_flag : pps->weighted_pred_flag)
        put_weights(writer, slice, num_ref_idx, bidirectional);
    put_ue(writer, slice->five_minus_max_num_merge_cand);
    return true;
}

static void put_slice_filters(struct writer *writer, const struct hevc_pps *pps,
                              const VASliceParameterBufferHEVC *slice) {
    bool disabled = slice->LongSliceFlags.fields.slice_deblocking_filter_disabled_flag;
    put(writer, 1, 1);  // deblocking_filter_override_flag
    put(writer, 1, disabled);
    if (!disabled) {
        put_se(writer, slice->slice_beta_offset_div2);
        put_se(writer, slice->slice_tc_offset_div2);
    }
    bool filtered = slice->LongSliceFlags.fields.slice_sao_luma_flag
                    || slice->LongSliceFlags.fields.slice_sao_chroma_flag || !disabled;
    if (pps->loop_filter_across_slices_enabled_flag && filtered)
        put(writer, 1, slice->LongSliceFlags.fields.slice_loop_filter_across_slices_enabled_flag);
}

static int bits_of_address(const struct hevc_sps *sps) {
    int size = 1 << (sps->log2_min_cb + sps->log2_diff_max_min_cb);
    return bits_for(((sps->width + size - 1) / size) * ((sps->height + size - 1) / size));
}

/// An independent slice's part of the header.
static bool put_independent(struct writer *writer, const struct hevc_picture *picture,
                            const VASliceParameterBufferHEVC *slice) {
    put_ue(writer, slice->LongSliceFlags.fields.slice_type);
    put_references(writer, &picture->references, picture->parameters->CurrPic.pic_order_cnt);
    if (picture->sps.temporal_mvp_enabled_flag)
        put(writer, 1, slice->LongSliceFlags.fields.slice_temporal_mvp_enabled_flag);
    if (picture->sps.sao_enabled_flag) {
        put(writer, 1, slice->LongSliceFlags.fields.slice_sao_luma_flag);
        put(writer, 1, slice->LongSliceFlags.fields.slice_sao_chroma_flag);
    }
    if (slice->LongSliceFlags.fields.slice_type != HEVC_I
        && !put_inter(writer, &picture->pps, slice, &picture->references))
        return false;
    put_se(writer, slice->slice_qp_delta);
    if (picture->pps.slice_chroma_qp_offsets_present_flag) {
        put_se(writer, slice->slice_cb_qp_offset);
        put_se(writer, slice->slice_cr_qp_offset);
    }
    put_slice_filters(writer, &picture->pps, slice);
    return true;
}

bool hevc_put_header(struct writer *writer, const struct hevc_picture *picture,
                       const VASliceParameterBufferHEVC *slice) {
    bool dependent = slice->LongSliceFlags.fields.dependent_slice_segment_flag;
    put(writer, 16, (uint32_t)picture->nal_unit_type << 9 | 1);
    put(writer, 1, slice->slice_segment_address == 0);
    if (hevc_is_irap(picture->nal_unit_type))
        put(writer, 1, 0);
    put_ue(writer, 0);
    if (slice->slice_segment_address != 0) {
        if (picture->pps.dependent_slice_segments_enabled_flag)
            put(writer, 1, dependent);
        put(writer, bits_of_address(&picture->sps), slice->slice_segment_address);
    }
    if (!dependent && !put_independent(writer, picture, slice))
        return false;
    // One thread decodes tiles and rows in order, and needs no entry points.
    if (picture->pps.tiles_enabled_flag || picture->pps.entropy_coding_sync_enabled_flag)
        put_ue(writer, 0);
    put_trailing(writer);
    return true;
}
