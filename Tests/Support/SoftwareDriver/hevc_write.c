#include <stdlib.h>

#include "hevc.h"

bool hevc_is_irap(int nal_unit_type) {
    return nal_unit_type >= HEVC_BLA_W_LP && nal_unit_type <= HEVC_LAST_IRAP;
}

bool hevc_is_idr(int nal_unit_type) {
    return nal_unit_type == HEVC_IDR_W_RADL || nal_unit_type == HEVC_IDR_N_LP;
}

static void finish_nal(struct bytes *stream, struct writer *writer) {
    put_trailing(writer);
    append_nal(stream, writer->bytes.data, writer->bytes.size);
    free(writer->bytes.data);
}

static void put_header(struct writer *writer, int nal_unit_type) {
    put(writer, 16, (uint32_t)nal_unit_type << 9 | 1);
}

/// 7.3.3: Main or Main 10, main tier.
static void put_profile_tier_level(struct writer *writer, const struct hevc_sps *sps) {
    int profile = sps->bit_depth > 8 ? 2 : 1;
    put(writer, 8, (uint32_t)profile);
    put(writer, 32, profile == 1 ? 0x60000000 : 0x20000000);
    put(writer, 4, 0x9);  // progressive, frames only
    put(writer, 32, 0);
    put(writer, 12, 0);
    put(writer, 8, (uint32_t)sps->level_idc);
}

static void put_buffering(struct writer *writer, const struct hevc_sps *sps) {
    put(writer, 1, 1);
    put_ue(writer, (uint32_t)sps->max_dec_pic_buffering - 1);
    put_ue(writer, (uint32_t)sps->max_num_reorder);
    put_ue(writer, 0);
}

void hevc_write_vps(struct bytes *stream, const struct hevc_sps *sps) {
    struct writer writer = {0};
    put_header(&writer, 32);
    put(&writer, 16, 0x0c01);  // id 0, base layer, one sub-layer, nesting
    put(&writer, 16, 0xffff);
    put_profile_tier_level(&writer, sps);
    put_buffering(&writer, sps);
    put(&writer, 6, 0);
    put_ue(&writer, 0);
    put(&writer, 2, 0);  // no timing, no extension
    finish_nal(stream, &writer);
}

static void put_block_sizes(struct writer *writer, const struct hevc_sps *sps) {
    put_ue(writer, (uint32_t)sps->log2_min_cb - 3);
    put_ue(writer, (uint32_t)sps->log2_diff_max_min_cb);
    put_ue(writer, (uint32_t)sps->log2_min_tb - 2);
    put_ue(writer, (uint32_t)sps->log2_diff_max_min_tb);
    put_ue(writer, (uint32_t)sps->max_transform_hierarchy_depth_inter);
    put_ue(writer, (uint32_t)sps->max_transform_hierarchy_depth_intra);
}

static void put_pcm(struct writer *writer, const struct hevc_sps *sps) {
    put(writer, 1, sps->pcm_enabled_flag);
    if (!sps->pcm_enabled_flag)
        return;
    put(writer, 4, (uint32_t)sps->pcm_bit_depth_luma - 1);
    put(writer, 4, (uint32_t)sps->pcm_bit_depth_chroma - 1);
    put_ue(writer, (uint32_t)sps->log2_min_pcm_cb - 3);
    put_ue(writer, (uint32_t)sps->log2_diff_max_min_pcm_cb);
    put(writer, 1, sps->pcm_loop_filter_disabled_flag);
}

void hevc_write_sps(struct bytes *stream, const struct hevc_sps *sps) {
    struct writer writer = {0};
    put_header(&writer, 33);
    put(&writer, 8, 0x01);  // VPS 0, one sub-layer, nesting
    put_profile_tier_level(&writer, sps);
    put_ue(&writer, 0);
    put_ue(&writer, 1);
    put_ue(&writer, (uint32_t)sps->width);
    put_ue(&writer, (uint32_t)sps->height);
    put(&writer, 1, 0);  // conformance window
    put_ue(&writer, (uint32_t)sps->bit_depth - 8);
    put_ue(&writer, (uint32_t)sps->bit_depth - 8);
    put_ue(&writer, (uint32_t)sps->log2_max_poc_lsb - 4);
    put_buffering(&writer, sps);
    put_block_sizes(&writer, sps);
    put(&writer, 1, sps->scaling_list_enabled_flag);
    if (sps->scaling_list_enabled_flag)
        put(&writer, 1, 0);  // the lists are in the PPS
    put(&writer, 1, sps->amp_enabled_flag);
    put(&writer, 1, sps->sao_enabled_flag);
    put_pcm(&writer, sps);
    put_ue(&writer, 0);  // reference picture sets are in the slice headers
    put(&writer, 1, sps->long_term_ref_pics_present_flag);
    if (sps->long_term_ref_pics_present_flag)
        put_ue(&writer, 0);
    put(&writer, 1, sps->temporal_mvp_enabled_flag);
    put(&writer, 1, sps->strong_intra_smoothing_enabled_flag);
    put(&writer, 2, 0);  // no VUI, no extension
    finish_nal(stream, &writer);
}

/// 6.5.3: up-right diagonals.
static void make_scan(int side, int scan[64]) {
    for (int diagonal = 0, count = 0; diagonal < 2 * side - 1; diagonal++)
        for (int y = diagonal; y >= 0; y--)
            if (y < side && diagonal - y < side)
                scan[count++] = y * side + diagonal - y;
}

/// 7.3.4, each list explicit.
static void put_scaling_lists(struct writer *writer, const struct hevc_scaling *scaling) {
    for (int size = 0, scan[64]; size < 4; size++) {
        make_scan(size == 0 ? 4 : 8, scan);
        for (int matrix = 0; matrix < (size == 3 ? 2 : 6); matrix++) {
            const uint8_t *list = scaling->lists[size][matrix];
            int last = 8;
            put(writer, 1, 1);
            if (size > 1) {
                last = scaling->dc[size - 2][matrix];
                put_se(writer, last - 8);
            }
            for (int index = 0; index < (size == 0 ? 16 : 64); index++) {
                put_se(writer, (int8_t)(list[scan[index]] - last));
                last = list[scan[index]];
            }
        }
    }
}

static void put_tiles(struct writer *writer, const struct hevc_pps *pps) {
    if (!pps->tiles_enabled_flag)
        return;
    put_ue(writer, (uint32_t)pps->tile_columns - 1);
    put_ue(writer, (uint32_t)pps->tile_rows - 1);
    put(writer, 1, 0);  // not uniform: VA-API gives each width
    for (int column = 0; column < pps->tile_columns - 1; column++)
        put_ue(writer, (uint32_t)pps->column_widths[column] - 1);
    for (int row = 0; row < pps->tile_rows - 1; row++)
        put_ue(writer, (uint32_t)pps->row_heights[row] - 1);
    put(writer, 1, pps->loop_filter_across_tiles_enabled_flag);
}

static void put_deblocking(struct writer *writer, const struct hevc_pps *pps) {
    put(writer, 1, pps->deblocking_filter_control_present_flag);
    if (!pps->deblocking_filter_control_present_flag)
        return;
    put(writer, 1, pps->deblocking_filter_override_enabled_flag);
    put(writer, 1, pps->deblocking_filter_disabled_flag);
    if (!pps->deblocking_filter_disabled_flag) {
        put_se(writer, pps->beta_offset_div2);
        put_se(writer, pps->tc_offset_div2);
    }
}

void hevc_write_pps(struct bytes *stream, const struct hevc_sps *sps, const struct hevc_pps *pps) {
    struct writer writer = {0};
    put_header(&writer, 34);
    put_ue(&writer, 0);
    put_ue(&writer, 0);
    put(&writer, 1, pps->dependent_slice_segments_enabled_flag);
    put(&writer, 1, pps->output_flag_present_flag);
    put(&writer, 3, (uint32_t)pps->num_extra_slice_header_bits);
    put(&writer, 1, pps->sign_data_hiding_enabled_flag);
    put(&writer, 1, pps->cabac_init_present_flag);
    put_ue(&writer, (uint32_t)pps->num_ref_idx_default[0] - 1);
    put_ue(&writer, (uint32_t)pps->num_ref_idx_default[1] - 1);
    put_se(&writer, pps->init_qp - 26);
    put(&writer, 1, pps->constrained_intra_pred_flag);
    put(&writer, 1, pps->transform_skip_enabled_flag);
    put(&writer, 1, pps->cu_qp_delta_enabled_flag);
    if (pps->cu_qp_delta_enabled_flag)
        put_ue(&writer, (uint32_t)pps->diff_cu_qp_delta_depth);
    put_se(&writer, pps->cb_qp_offset);
    put_se(&writer, pps->cr_qp_offset);
    put(&writer, 1, pps->slice_chroma_qp_offsets_present_flag);
    put(&writer, 1, pps->weighted_pred_flag);
    put(&writer, 1, pps->weighted_bipred_flag);
    put(&writer, 1, pps->transquant_bypass_enabled_flag);
    put(&writer, 1, pps->tiles_enabled_flag);
    put(&writer, 1, pps->entropy_coding_sync_enabled_flag);
    put_tiles(&writer, pps);
    put(&writer, 1, pps->loop_filter_across_slices_enabled_flag);
    put_deblocking(&writer, pps);
    put(&writer, 1, pps->scaling != NULL && sps->scaling_list_enabled_flag);
    if (pps->scaling && sps->scaling_list_enabled_flag)
        put_scaling_lists(&writer, pps->scaling);
    put(&writer, 1, pps->lists_modification_present_flag);
    put_ue(&writer, (uint32_t)pps->log2_parallel_merge_level - 2);
    put(&writer, 1, pps->slice_segment_header_extension_present_flag);
    put(&writer, 1, 0);
    finish_nal(stream, &writer);
}

/// Whether a picture of the set precedes another one: nearest first, past before future.
static bool comes_before(int delta, int other) {
    if ((delta < 0) != (other < 0))
        return delta < 0;
    return abs(delta) < abs(other);
}

void hevc_sort_rps(struct hevc_rps *rps) {
    for (int end = 1; end < rps->count; end++)
        for (int index = end; index > 0 && comes_before(rps->delta_poc[index], rps->delta_poc[index - 1]); index--) {
            int delta = rps->delta_poc[index];
            bool used = rps->used[index];
            rps->delta_poc[index] = rps->delta_poc[index - 1];
            rps->used[index] = rps->used[index - 1];
            rps->delta_poc[index - 1] = delta;
            rps->used[index - 1] = used;
        }
}

void hevc_put_rps(struct writer *writer, const struct hevc_rps *unsorted) {
    struct hevc_rps rps = *unsorted;
    hevc_sort_rps(&rps);
    int negative = 0;
    while (negative < rps.count && rps.delta_poc[negative] < 0)
        negative++;
    put_ue(writer, (uint32_t)negative);
    put_ue(writer, (uint32_t)(rps.count - negative));
    for (int index = 0, last = 0; index < rps.count; index++) {
        if (index == negative)
            last = 0;
        put_ue(writer, (uint32_t)(abs(rps.delta_poc[index] - last) - 1));
        put(writer, 1, rps.used[index]);
        last = rps.delta_poc[index];
    }
}

void hevc_write_slice_start(struct writer *writer, const struct hevc_sps *sps, const struct hevc_pps *pps,
                            const struct hevc_slice *slice) {
    put_header(writer, slice->nal_unit_type);
    put(writer, 1, 1);  // first_slice_segment_in_pic_flag
    if (hevc_is_irap(slice->nal_unit_type))
        put(writer, 1, 0);
    put_ue(writer, 0);
    put(writer, pps->num_extra_slice_header_bits, 0);
    put_ue(writer, (uint32_t)slice->type);
    if (pps->output_flag_present_flag)
        put(writer, 1, 1);
    if (hevc_is_idr(slice->nal_unit_type))
        return;
    put(writer, sps->log2_max_poc_lsb, (uint32_t)slice->poc_lsb);
    put(writer, 1, 0);
    hevc_put_rps(writer, &slice->rps);
}

static void put_inter(struct writer *writer, const struct hevc_pps *pps, const struct hevc_slice *slice) {
    put(writer, 1, 1);  // num_ref_idx_active_override_flag
    put_ue(writer, (uint32_t)slice->num_ref_idx[0] - 1);
    if (slice->type == HEVC_B) {
        put_ue(writer, (uint32_t)slice->num_ref_idx[1] - 1);
        put(writer, 1, slice->mvd_l1_zero_flag);
    }
    if (pps->cabac_init_present_flag)
        put(writer, 1, slice->cabac_init_flag);
    // With temporal motion vectors: from list 0; the only reference needs no index.
    if (slice->temporal_mvp_enabled_flag && slice->type == HEVC_B)
        put(writer, 1, 1);
    put_ue(writer, (uint32_t)(5 - slice->max_num_merge_cand));
}

static void put_slice_deblocking(struct writer *writer, const struct hevc_pps *pps, const struct hevc_slice *slice) {
    if (!pps->deblocking_filter_override_enabled_flag)
        return;
    bool differs = slice->deblocking_filter_disabled_flag != pps->deblocking_filter_disabled_flag
                   || slice->beta_offset_div2 != pps->beta_offset_div2
                   || slice->tc_offset_div2 != pps->tc_offset_div2;
    put(writer, 1, differs);
    if (!differs)
        return;
    put(writer, 1, slice->deblocking_filter_disabled_flag);
    if (!slice->deblocking_filter_disabled_flag) {
        put_se(writer, slice->beta_offset_div2);
        put_se(writer, slice->tc_offset_div2);
    }
}

void hevc_write_slice_rest(struct writer *writer, const struct hevc_sps *sps, const struct hevc_pps *pps,
                           const struct hevc_slice *slice) {
    if (!hevc_is_idr(slice->nal_unit_type) && sps->temporal_mvp_enabled_flag)
        put(writer, 1, slice->temporal_mvp_enabled_flag);
    if (sps->sao_enabled_flag) {
        put(writer, 1, slice->sao_luma_flag);
        put(writer, 1, slice->sao_chroma_flag);
    }
    if (slice->type != HEVC_I)
        put_inter(writer, pps, slice);
    put_se(writer, slice->qp_delta);
    if (pps->slice_chroma_qp_offsets_present_flag) {
        put_se(writer, slice->cb_qp_offset);
        put_se(writer, slice->cr_qp_offset);
    }
    put_slice_deblocking(writer, pps, slice);
    bool filtered = slice->sao_luma_flag || slice->sao_chroma_flag || !slice->deblocking_filter_disabled_flag;
    if (pps->loop_filter_across_slices_enabled_flag && filtered)
        put(writer, 1, slice->loop_filter_across_slices_enabled_flag);
    if (pps->slice_segment_header_extension_present_flag)
        put_ue(writer, 0);
    put_trailing(writer);
}
