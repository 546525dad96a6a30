#include <string.h>

#include "h264.h"

static bool has_chroma_format(int profile_idc) {
    return profile_idc == 100 || profile_idc == 110 || profile_idc == 122 || profile_idc == 244;
}

bool h264_parse_sps(const struct bytes *rbsp, struct h264_sps *sps) {
    struct reader reader = {.data = rbsp->data, .size = rbsp->size};
    memset(sps, 0, sizeof *sps);
    get(&reader, 8);
    sps->profile_idc = (int)get(&reader, 8);
    sps->constraint_flags = (int)get(&reader, 8);
    sps->level_idc = (int)get(&reader, 8);
    sps->id = (int)get_ue(&reader);
    if (has_chroma_format(sps->profile_idc)) {
        bool is_420 = get_ue(&reader) == 1, is_8_bit = (get_ue(&reader) | get_ue(&reader)) == 0;
        bool is_lossless = get(&reader, 1);
        sps->has_scaling_matrix = get(&reader, 1);
        // The encoders use no scaling lists, so a parser for them would be untested.
        if (!is_420 || !is_8_bit || is_lossless || sps->has_scaling_matrix)
            return false;
    }
    sps->log2_max_frame_num = (int)get_ue(&reader) + 4;
    sps->pic_order_cnt_type = (int)get_ue(&reader);
    if (sps->pic_order_cnt_type == 0)
        sps->log2_max_pic_order_cnt_lsb = (int)get_ue(&reader) + 4;
    else if (sps->pic_order_cnt_type == 1)
        return false;
    sps->max_num_ref_frames = (int)get_ue(&reader);
    sps->gaps_in_frame_num_allowed_flag = get(&reader, 1);
    sps->width_in_mbs = (int)get_ue(&reader) + 1;
    sps->height_in_map_units = (int)get_ue(&reader) + 1;
    sps->frame_mbs_only_flag = get(&reader, 1);
    if (!sps->frame_mbs_only_flag)
        sps->mb_adaptive_frame_field_flag = get(&reader, 1);
    sps->direct_8x8_inference_flag = get(&reader, 1);
    return !reader.failed;
}

bool h264_parse_pps(const struct bytes *rbsp, struct h264_pps *pps) {
    struct reader reader = {.data = rbsp->data, .size = rbsp->size};
    memset(pps, 0, sizeof *pps);
    get(&reader, 8);
    pps->id = (int)get_ue(&reader);
    pps->sps_id = (int)get_ue(&reader);
    pps->entropy_coding_mode_flag = get(&reader, 1);
    pps->pic_order_present_flag = get(&reader, 1);
    if (get_ue(&reader) != 0)  // slice groups
        return false;
    pps->num_ref_idx_default[0] = (int)get_ue(&reader) + 1;
    pps->num_ref_idx_default[1] = (int)get_ue(&reader) + 1;
    pps->weighted_pred_flag = get(&reader, 1);
    pps->weighted_bipred_idc = (int)get(&reader, 2);
    pps->pic_init_qp = get_se(&reader) + 26;
    pps->pic_init_qs = get_se(&reader) + 26;
    pps->chroma_qp_index_offset = pps->second_chroma_qp_index_offset = get_se(&reader);
    pps->deblocking_filter_control_present_flag = get(&reader, 1);
    pps->constrained_intra_pred_flag = get(&reader, 1);
    pps->redundant_pic_cnt_present_flag = get(&reader, 1);
    if (more_rbsp_data(&reader)) {
        pps->transform_8x8_mode_flag = get(&reader, 1);
        pps->has_scaling_matrix = get(&reader, 1);
        if (pps->has_scaling_matrix)
            return false;
        pps->second_chroma_qp_index_offset = get_se(&reader);
    }
    return !reader.failed;
}

static void parse_order_count(struct reader *reader, const struct h264_sps *sps, const struct h264_pps *pps,
                              struct h264_slice *slice) {
    bool has_bottom = pps->pic_order_present_flag && !slice->field_pic_flag;
    if (sps->pic_order_cnt_type == 0) {
        slice->pic_order_cnt_lsb = (int)get(reader, sps->log2_max_pic_order_cnt_lsb);
        if (has_bottom)
            get_se(reader);
    }
    if (sps->pic_order_cnt_type == 1 && !sps->delta_pic_order_always_zero_flag) {
        get_se(reader);
        if (has_bottom)
            get_se(reader);
    }
}

static void parse_reference_counts(struct reader *reader, const struct h264_pps *pps, struct h264_slice *slice) {
    memcpy(slice->num_ref_idx, pps->num_ref_idx_default, sizeof slice->num_ref_idx);
    slice->num_ref_idx_override_flag = get(reader, 1);
    if (!slice->num_ref_idx_override_flag)
        return;
    slice->num_ref_idx[0] = (int)get_ue(reader) + 1;
    if (slice->type == H264_B)
        slice->num_ref_idx[1] = (int)get_ue(reader) + 1;
}

static void parse_list_modification(struct reader *reader) {
    if (!get(reader, 1))
        return;
    while (!reader->failed && get_ue(reader) != 3)
        get_ue(reader);
}

static void parse_weights(struct reader *reader, struct h264_slice *slice) {
    slice->luma_log2_weight_denom = (int)get_ue(reader);
    slice->chroma_log2_weight_denom = (int)get_ue(reader);
    for (int list = 0; list <= (slice->type == H264_B); list++)
        for (int index = 0; index < slice->num_ref_idx[list] && !reader->failed; index++) {
            for (int values = get(reader, 1) ? 2 : 0; values > 0; values--)
                get_se(reader);
            for (int values = get(reader, 1) ? 4 : 0; values > 0; values--)
                get_se(reader);
        }
}

static void parse_marking(struct reader *reader, const struct h264_slice *slice) {
    if (slice->nal_unit_type == 5) {
        get(reader, 2);
        return;
    }
    if (!get(reader, 1))
        return;
    for (uint32_t operation; !reader->failed && (operation = get_ue(reader)) != 0;) {
        if (operation != 5)
            get_ue(reader);
        if (operation == 3)
            get_ue(reader);
    }
}

static void parse_deblocking(struct reader *reader, struct h264_slice *slice) {
    slice->disable_deblocking_filter_idc = (int)get_ue(reader);
    if (slice->disable_deblocking_filter_idc != 1) {
        slice->alpha_c0_offset_div2 = get_se(reader);
        slice->beta_offset_div2 = get_se(reader);
    }
}

bool h264_parse_slice(const struct bytes *rbsp, const struct h264_sps *sps, const struct h264_pps *pps,
                      struct h264_slice *slice) {
    struct reader reader = {.data = rbsp->data, .size = rbsp->size};
    memset(slice, 0, sizeof *slice);
    get(&reader, 1);
    slice->nal_ref_idc = (int)get(&reader, 2);
    slice->nal_unit_type = (int)get(&reader, 5);
    slice->first_mb = (int)get_ue(&reader);
    slice->type = (int)get_ue(&reader) % 5;
    slice->pps_id = (int)get_ue(&reader);
    if (slice->type > H264_I || (slice->nal_unit_type != 1 && slice->nal_unit_type != 5))
        return false;
    slice->frame_num = (int)get(&reader, sps->log2_max_frame_num);
    if (!sps->frame_mbs_only_flag && (slice->field_pic_flag = get(&reader, 1)))
        slice->bottom_field_flag = get(&reader, 1);
    if (slice->nal_unit_type == 5)
        slice->idr_pic_id = (int)get_ue(&reader);
    parse_order_count(&reader, sps, pps, slice);
    if (pps->redundant_pic_cnt_present_flag)
        get_ue(&reader);
    if (slice->type == H264_B)
        slice->direct_spatial_mv_pred_flag = get(&reader, 1);
    if (slice->type != H264_I) {
        parse_reference_counts(&reader, pps, slice);
        for (int list = 0; list <= (slice->type == H264_B); list++)
            parse_list_modification(&reader);
    }
    if ((slice->type == H264_P && pps->weighted_pred_flag) || (slice->type == H264_B && pps->weighted_bipred_idc == 1))
        parse_weights(&reader, slice);
    if (slice->nal_ref_idc)
        parse_marking(&reader, slice);
    if (pps->entropy_coding_mode_flag && slice->type != H264_I)
        slice->cabac_init_idc = (int)get_ue(&reader);
    slice->qp_delta_start = reader.position;
    slice->qp_delta = get_se(&reader);
    slice->qp_delta_end = reader.position;
    if (pps->deblocking_filter_control_present_flag)
        parse_deblocking(&reader, slice);
    slice->end = reader.position;
    return !reader.failed;
}
