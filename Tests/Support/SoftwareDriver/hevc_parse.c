#include <string.h>

#include "hevc.h"

static void skip_profile_tier_level(struct reader *reader, int sub_layers) {
    bool has_profile[8] = {false}, has_level[8] = {false};
    reader->position += 88 + 8;
    for (int layer = 0; layer < sub_layers - 1; layer++) {
        has_profile[layer] = get(reader, 1);
        has_level[layer] = get(reader, 1);
    }
    if (sub_layers > 1)
        reader->position += 2 * (size_t)(8 - (sub_layers - 1));
    for (int layer = 0; layer < sub_layers - 1; layer++)
        reader->position += (has_profile[layer] ? 88 : 0) + (has_level[layer] ? 8 : 0);
}

/// 7.4.8, (7-61) and (7-62): a set predicted from another one.
static bool predict_rps(struct reader *reader, const struct hevc_rps *sets, int index, bool in_slice,
                        struct hevc_rps *rps) {
    int back = in_slice ? (int)get_ue(reader) + 1 : 1;
    if (back > index)
        return false;
    const struct hevc_rps *source = &sets[index - back];
    int sign = get(reader, 1) ? -1 : 1, delta = sign * ((int)get_ue(reader) + 1);
    for (int entry = 0; entry <= source->count && rps->count < 16; entry++) {
        bool used = get(reader, 1), kept = used || get(reader, 1);
        int poc = (entry < source->count ? source->delta_poc[entry] : 0) + delta;
        if (kept && poc != 0) {
            rps->delta_poc[rps->count] = poc;
            rps->used[rps->count++] = used;
        }
    }
    hevc_sort_rps(rps);
    return !reader->failed;
}

/// st_ref_pic_set(index), 7.3.7.
static bool parse_rps(struct reader *reader, const struct hevc_rps *sets, int index, bool in_slice,
                      struct hevc_rps *rps) {
    memset(rps, 0, sizeof *rps);
    if (index > 0 && get(reader, 1))
        return predict_rps(reader, sets, index, in_slice, rps);
    int negative = (int)get_ue(reader), positive = (int)get_ue(reader);
    if (negative < 0 || positive < 0 || negative + positive > 16)
        return false;
    for (int sign = -1; sign <= 1; sign += 2)
        for (int entry = 0, poc = 0; entry < (sign < 0 ? negative : positive); entry++) {
            poc += sign * ((int)get_ue(reader) + 1);
            rps->delta_poc[rps->count] = poc;
            rps->used[rps->count++] = get(reader, 1);
        }
    return !reader->failed;
}

static bool parse_reference_sets(struct reader *reader, struct hevc_sps *sps) {
    sps->num_short_term_ref_pic_sets = (int)get_ue(reader);
    if (sps->num_short_term_ref_pic_sets > 64)
        return false;
    for (int index = 0; index < sps->num_short_term_ref_pic_sets; index++)
        if (!parse_rps(reader, sps->sets, index, false, &sps->sets[index]))
            return false;
    sps->long_term_ref_pics_present_flag = get(reader, 1);
    if (!sps->long_term_ref_pics_present_flag)
        return true;
    sps->num_long_term_ref_pics_sps = (int)get_ue(reader);
    for (int index = 0; index < sps->num_long_term_ref_pics_sps && !reader->failed; index++)
        get(reader, sps->log2_max_poc_lsb + 1);
    return true;
}

static void parse_sizes(struct reader *reader, struct hevc_sps *sps) {
    sps->log2_min_cb = (int)get_ue(reader) + 3;
    sps->log2_diff_max_min_cb = (int)get_ue(reader);
    sps->log2_min_tb = (int)get_ue(reader) + 2;
    sps->log2_diff_max_min_tb = (int)get_ue(reader);
    sps->max_transform_hierarchy_depth_inter = (int)get_ue(reader);
    sps->max_transform_hierarchy_depth_intra = (int)get_ue(reader);
}

bool hevc_parse_sps(const struct bytes *rbsp, struct hevc_sps *sps) {
    struct reader reader = {.data = rbsp->data, .size = rbsp->size, .position = 20};
    memset(sps, 0, sizeof *sps);
    int sub_layers = (int)get(&reader, 3) + 1;
    get(&reader, 1);
    skip_profile_tier_level(&reader, sub_layers);
    get_ue(&reader);
    if (get_ue(&reader) != 1)  // 4:2:0
        return false;
    sps->width = (int)get_ue(&reader);
    sps->height = (int)get_ue(&reader);
    if (get(&reader, 1))
        for (int side = 0; side < 4; side++)
            get_ue(&reader);
    sps->bit_depth = (int)get_ue(&reader) + 8;
    if ((int)get_ue(&reader) + 8 != sps->bit_depth)
        return false;
    sps->log2_max_poc_lsb = (int)get_ue(&reader) + 4;
    for (int layer = get(&reader, 1) ? 0 : sub_layers - 1; layer < sub_layers; layer++) {
        get_ue(&reader);
        get_ue(&reader);
        get_ue(&reader);
    }
    parse_sizes(&reader, sps);
    sps->scaling_list_enabled_flag = get(&reader, 1);
    sps->amp_enabled_flag = get(&reader, 1);
    sps->sao_enabled_flag = get(&reader, 1);
    sps->pcm_enabled_flag = get(&reader, 1);
    // x265 writes neither here.
    if (sps->scaling_list_enabled_flag || sps->pcm_enabled_flag || !parse_reference_sets(&reader, sps))
        return false;
    sps->temporal_mvp_enabled_flag = get(&reader, 1);
    sps->strong_intra_smoothing_enabled_flag = get(&reader, 1);
    return !reader.failed;
}

static void parse_deblocking(struct reader *reader, struct hevc_pps *pps) {
    pps->deblocking_filter_control_present_flag = get(reader, 1);
    if (!pps->deblocking_filter_control_present_flag)
        return;
    pps->deblocking_filter_override_enabled_flag = get(reader, 1);
    pps->deblocking_filter_disabled_flag = get(reader, 1);
    if (!pps->deblocking_filter_disabled_flag) {
        pps->beta_offset_div2 = get_se(reader);
        pps->tc_offset_div2 = get_se(reader);
    }
}

bool hevc_parse_pps(const struct bytes *rbsp, struct hevc_pps *pps) {
    struct reader reader = {.data = rbsp->data, .size = rbsp->size, .position = 16};
    memset(pps, 0, sizeof *pps);
    get_ue(&reader);
    get_ue(&reader);
    pps->dependent_slice_segments_enabled_flag = get(&reader, 1);
    pps->output_flag_present_flag = get(&reader, 1);
    pps->num_extra_slice_header_bits = (int)get(&reader, 3);
    pps->sign_data_hiding_enabled_flag = get(&reader, 1);
    pps->cabac_init_present_flag = get(&reader, 1);
    pps->num_ref_idx_default[0] = (int)get_ue(&reader) + 1;
    pps->num_ref_idx_default[1] = (int)get_ue(&reader) + 1;
    pps->init_qp = get_se(&reader) + 26;
    pps->constrained_intra_pred_flag = get(&reader, 1);
    pps->transform_skip_enabled_flag = get(&reader, 1);
    pps->cu_qp_delta_enabled_flag = get(&reader, 1);
    if (pps->cu_qp_delta_enabled_flag)
        pps->diff_cu_qp_delta_depth = (int)get_ue(&reader);
    pps->cb_qp_offset = get_se(&reader);
    pps->cr_qp_offset = get_se(&reader);
    pps->slice_chroma_qp_offsets_present_flag = get(&reader, 1);
    pps->weighted_pred_flag = get(&reader, 1);
    pps->weighted_bipred_flag = get(&reader, 1);
    pps->transquant_bypass_enabled_flag = get(&reader, 1);
    pps->tiles_enabled_flag = get(&reader, 1);
    pps->entropy_coding_sync_enabled_flag = get(&reader, 1);
    if (pps->tiles_enabled_flag)
        return false;
    pps->loop_filter_across_slices_enabled_flag = get(&reader, 1);
    parse_deblocking(&reader, pps);
    if (get(&reader, 1))  // scaling lists
        return false;
    pps->lists_modification_present_flag = get(&reader, 1);
    pps->log2_parallel_merge_level = (int)get_ue(&reader) + 2;
    pps->slice_segment_header_extension_present_flag = get(&reader, 1);
    return !reader.failed;
}

/// Picture order count and reference picture set.
static bool parse_references(struct reader *reader, struct hevc_sps *sps, struct hevc_slice *slice) {
    slice->poc_lsb = (int)get(reader, sps->log2_max_poc_lsb);
    int count = sps->num_short_term_ref_pic_sets, bits = 0;
    if (!get(reader, 1)) {
        if (!parse_rps(reader, sps->sets, count, true, &slice->rps))
            return false;
    } else {
        while (1 << bits < count)
            bits++;
        slice->rps = sps->sets[get(reader, bits)];
    }
    if (sps->long_term_ref_pics_present_flag) {
        if (sps->num_long_term_ref_pics_sps)
            slice->long_term = get_ue(reader) > 0;
        slice->long_term |= get_ue(reader) > 0;
    }
    return !slice->long_term;
}

static int used_references(const struct hevc_slice *slice) {
    int used = 0;
    for (int index = 0; index < slice->rps.count; index++)
        used += slice->rps.used[index];
    return used;
}

/// False if a list has more than one reference.
static bool parse_inter(struct reader *reader, const struct hevc_pps *pps, struct hevc_slice *slice) {
    memcpy(slice->num_ref_idx, pps->num_ref_idx_default, sizeof slice->num_ref_idx);
    if (get(reader, 1)) {
        slice->num_ref_idx[0] = (int)get_ue(reader) + 1;
        if (slice->type == HEVC_B)
            slice->num_ref_idx[1] = (int)get_ue(reader) + 1;
    }
    if (slice->num_ref_idx[0] > 1 || (slice->type == HEVC_B && slice->num_ref_idx[1] > 1))
        return false;
    for (int list = 0; pps->lists_modification_present_flag && used_references(slice) > 1
                       && list <= (slice->type == HEVC_B); list++) {
        int bits = 0;
        while (1 << bits < used_references(slice))
            bits++;
        if (get(reader, 1))
            get(reader, bits);
    }
    if (slice->type == HEVC_B)
        slice->mvd_l1_zero_flag = get(reader, 1);
    if (pps->cabac_init_present_flag)
        slice->cabac_init_flag = get(reader, 1);
    if (slice->temporal_mvp_enabled_flag && slice->type == HEVC_B)
        get(reader, 1);
    if (slice->type == HEVC_B ? pps->weighted_bipred_flag : pps->weighted_pred_flag)
        return false;
    slice->max_num_merge_cand = 5 - (int)get_ue(reader);
    return true;
}

static void parse_filters(struct reader *reader, const struct hevc_pps *pps, struct hevc_slice *slice) {
    slice->deblocking_filter_disabled_flag = pps->deblocking_filter_disabled_flag;
    slice->beta_offset_div2 = pps->beta_offset_div2;
    slice->tc_offset_div2 = pps->tc_offset_div2;
    if (pps->deblocking_filter_override_enabled_flag && get(reader, 1)) {
        slice->deblocking_filter_disabled_flag = get(reader, 1);
        if (!slice->deblocking_filter_disabled_flag) {
            slice->beta_offset_div2 = get_se(reader);
            slice->tc_offset_div2 = get_se(reader);
        }
    }
    bool filtered = slice->sao_luma_flag || slice->sao_chroma_flag || !slice->deblocking_filter_disabled_flag;
    if (pps->loop_filter_across_slices_enabled_flag && filtered)
        slice->loop_filter_across_slices_enabled_flag = get(reader, 1);
}

bool hevc_parse_slice(const struct bytes *rbsp, struct hevc_sps *sps, const struct hevc_pps *pps,
                      struct hevc_slice *slice) {
    struct reader reader = {.data = rbsp->data, .size = rbsp->size};
    memset(slice, 0, sizeof *slice);
    get(&reader, 1);
    slice->nal_unit_type = (int)get(&reader, 6);
    get(&reader, 6);
    slice->temporal_id = (int)get(&reader, 3) - 1;
    if (!get(&reader, 1))  // only the first slice segment, and there is only one
        return false;
    if (hevc_is_irap(slice->nal_unit_type))
        get(&reader, 1);
    get_ue(&reader);
    get(&reader, pps->num_extra_slice_header_bits);
    slice->type = (int)get_ue(&reader);
    if (pps->output_flag_present_flag)
        get(&reader, 1);
    bool is_idr = hevc_is_idr(slice->nal_unit_type);
    if (slice->type > HEVC_I || (!is_idr && !parse_references(&reader, sps, slice)))
        return false;
    slice->rps_end = reader.position;
    if (!is_idr && sps->temporal_mvp_enabled_flag)
        slice->temporal_mvp_enabled_flag = get(&reader, 1);
    if (sps->sao_enabled_flag) {
        slice->sao_luma_flag = get(&reader, 1);
        slice->sao_chroma_flag = get(&reader, 1);
    }
    if (slice->type != HEVC_I && !parse_inter(&reader, pps, slice))
        return false;
    slice->qp_delta = get_se(&reader);
    if (pps->slice_chroma_qp_offsets_present_flag) {
        slice->cb_qp_offset = get_se(&reader);
        slice->cr_qp_offset = get_se(&reader);
    }
    parse_filters(&reader, pps, slice);
    if (pps->entropy_coding_sync_enabled_flag && get_ue(&reader) > 0)
        return false;
    if (pps->slice_segment_header_extension_present_flag)
        for (int bytes = (int)get_ue(&reader); bytes > 0 && !reader.failed; bytes--)
            get(&reader, 8);
    slice->end = reader.position;
    return !reader.failed;
}
