/// Parameter sets from VA-API's parameters; the slice headers have the rest.

#include <string.h>

#include "decode_hevc.h"

struct hevc_sps hevc_decoder_sps(const VAPictureParameterBufferHEVC *picture) {
    return (struct hevc_sps){
        .level_idc = 186,
        .max_dec_pic_buffering = 16,
        .width = picture->pic_width_in_luma_samples,
        .height = picture->pic_height_in_luma_samples,
        .bit_depth = picture->bit_depth_luma_minus8 + 8,
        .log2_max_poc_lsb = LOG2_MAX_POC_LSB,
        .log2_min_cb = picture->log2_min_luma_coding_block_size_minus3 + 3,
        .log2_diff_max_min_cb = picture->log2_diff_max_min_luma_coding_block_size,
        .log2_min_tb = picture->log2_min_transform_block_size_minus2 + 2,
        .log2_diff_max_min_tb = picture->log2_diff_max_min_transform_block_size,
        .max_transform_hierarchy_depth_inter = picture->max_transform_hierarchy_depth_inter,
        .max_transform_hierarchy_depth_intra = picture->max_transform_hierarchy_depth_intra,
        .scaling_list_enabled_flag = picture->pic_fields.bits.scaling_list_enabled_flag,
        .amp_enabled_flag = picture->pic_fields.bits.amp_enabled_flag,
        .sao_enabled_flag = picture->slice_parsing_fields.bits.sample_adaptive_offset_enabled_flag,
        .pcm_enabled_flag = picture->pic_fields.bits.pcm_enabled_flag,
        .pcm_bit_depth_luma = picture->pcm_sample_bit_depth_luma_minus1 + 1,
        .pcm_bit_depth_chroma = picture->pcm_sample_bit_depth_chroma_minus1 + 1,
        .log2_min_pcm_cb = picture->log2_min_pcm_luma_coding_block_size_minus3 + 3,
        .log2_diff_max_min_pcm_cb = picture->log2_diff_max_min_pcm_luma_coding_block_size,
        .pcm_loop_filter_disabled_flag = picture->pic_fields.bits.pcm_loop_filter_disabled_flag,
        .long_term_ref_pics_present_flag = true,
        .temporal_mvp_enabled_flag = picture->slice_parsing_fields.bits.sps_temporal_mvp_enabled_flag,
        .strong_intra_smoothing_enabled_flag = picture->pic_fields.bits.strong_intra_smoothing_enabled_flag,
    };
}

struct hevc_pps hevc_decoder_pps(const VAPictureParameterBufferHEVC *picture, const struct hevc_scaling *scaling) {
    struct hevc_pps pps = {
        .dependent_slice_segments_enabled_flag =
            picture->slice_parsing_fields.bits.dependent_slice_segments_enabled_flag,
        .sign_data_hiding_enabled_flag = picture->pic_fields.bits.sign_data_hiding_enabled_flag,
        .cabac_init_present_flag = picture->slice_parsing_fields.bits.cabac_init_present_flag,
        .num_ref_idx_default = {1, 1},
        .init_qp = picture->init_qp_minus26 + 26,
        .constrained_intra_pred_flag = picture->pic_fields.bits.constrained_intra_pred_flag,
        .transform_skip_enabled_flag = picture->pic_fields.bits.transform_skip_enabled_flag,
        .cu_qp_delta_enabled_flag = picture->pic_fields.bits.cu_qp_delta_enabled_flag,
        .diff_cu_qp_delta_depth = picture->diff_cu_qp_delta_depth,
        .cb_qp_offset = picture->pps_cb_qp_offset,
        .cr_qp_offset = picture->pps_cr_qp_offset,
        .slice_chroma_qp_offsets_present_flag =
            picture->slice_parsing_fields.bits.pps_slice_chroma_qp_offsets_present_flag,
        .weighted_pred_flag = picture->pic_fields.bits.weighted_pred_flag,
        .weighted_bipred_flag = picture->pic_fields.bits.weighted_bipred_flag,
        .transquant_bypass_enabled_flag = picture->pic_fields.bits.transquant_bypass_enabled_flag,
        .tiles_enabled_flag = picture->pic_fields.bits.tiles_enabled_flag,
        .entropy_coding_sync_enabled_flag = picture->pic_fields.bits.entropy_coding_sync_enabled_flag,
        .tile_columns = picture->num_tile_columns_minus1 + 1,
        .tile_rows = picture->num_tile_rows_minus1 + 1,
        .loop_filter_across_tiles_enabled_flag = picture->pic_fields.bits.loop_filter_across_tiles_enabled_flag,
        .loop_filter_across_slices_enabled_flag = picture->pic_fields.bits.pps_loop_filter_across_slices_enabled_flag,
        // Slices override the PPS.
        .deblocking_filter_control_present_flag = true,
        .deblocking_filter_override_enabled_flag = true,
        .scaling = scaling,
        .lists_modification_present_flag = true,
        .log2_parallel_merge_level = picture->log2_parallel_merge_level_minus2 + 2,
    };
    for (int column = 0; column < 19; column++)
        pps.column_widths[column] = picture->column_width_minus1[column] + 1;
    for (int row = 0; row < 21; row++)
        pps.row_heights[row] = picture->row_height_minus1[row] + 1;
    return pps;
}

struct hevc_scaling hevc_decoder_scaling(const VAIQMatrixBufferHEVC *matrix) {
    struct hevc_scaling scaling = {0};
    for (int list = 0; list < 6; list++) {
        memcpy(scaling.lists[0][list], matrix->ScalingList4x4[list], 16);
        memcpy(scaling.lists[1][list], matrix->ScalingList8x8[list], 64);
        memcpy(scaling.lists[2][list], matrix->ScalingList16x16[list], 64);
        scaling.dc[0][list] = matrix->ScalingListDC16x16[list];
    }
    for (int list = 0; list < 2; list++) {
        memcpy(scaling.lists[3][list], matrix->ScalingList32x32[list], 64);
        scaling.dc[1][list] = matrix->ScalingListDC32x32[list];
    }
    return scaling;
}
