/// HEVC's parameter sets and slice segment headers (7.3.2, 7.3.6), limited to 4:2:0 frames without range extensions.

#ifndef SOFT_HEVC_H
#define SOFT_HEVC_H

#include "bits.h"

enum { HEVC_B, HEVC_P, HEVC_I };
enum {
    HEVC_TRAIL_R = 1,
    HEVC_BLA_W_LP = 16,
    HEVC_IDR_W_RADL = 19,
    HEVC_IDR_N_LP = 20,
    HEVC_CRA = 21,
    HEVC_LAST_IRAP = 23
};

struct hevc_rps {
    int count;
    int delta_poc[16];
    bool used[16];
};

struct hevc_sps {
    int level_idc, max_dec_pic_buffering, max_num_reorder;
    bool separate_colour_plane_flag;
    int width, height, bit_depth;
    int log2_max_poc_lsb;
    int log2_min_cb, log2_diff_max_min_cb, log2_min_tb, log2_diff_max_min_tb;
    int max_transform_hierarchy_depth_inter, max_transform_hierarchy_depth_intra;
    bool scaling_list_enabled_flag, amp_enabled_flag, sao_enabled_flag, pcm_enabled_flag;
    int pcm_bit_depth_luma, pcm_bit_depth_chroma, log2_min_pcm_cb, log2_diff_max_min_pcm_cb;
    bool pcm_loop_filter_disabled_flag;
    struct hevc_rps sets[65];  // short-term; the last one is for a slice header's
    int num_short_term_ref_pic_sets;
    bool long_term_ref_pics_present_flag;
    int num_long_term_ref_pics_sps;
    bool temporal_mvp_enabled_flag, strong_intra_smoothing_enabled_flag;
};

struct hevc_scaling {
    uint8_t lists[4][6][64], dc[2][6];  // in raster order, as in VA-API; of 32x32 only lists 0 and 1
};

struct hevc_pps {
    bool dependent_slice_segments_enabled_flag, output_flag_present_flag;
    int num_extra_slice_header_bits;
    bool sign_data_hiding_enabled_flag, cabac_init_present_flag;
    int num_ref_idx_default[2];
    int init_qp;
    bool constrained_intra_pred_flag, transform_skip_enabled_flag, cu_qp_delta_enabled_flag;
    int diff_cu_qp_delta_depth, cb_qp_offset, cr_qp_offset;
    bool slice_chroma_qp_offsets_present_flag, weighted_pred_flag, weighted_bipred_flag;
    bool transquant_bypass_enabled_flag, tiles_enabled_flag, entropy_coding_sync_enabled_flag;
    int tile_columns, tile_rows;
    int column_widths[20], row_heights[22];
    bool loop_filter_across_tiles_enabled_flag, loop_filter_across_slices_enabled_flag;
    bool deblocking_filter_control_present_flag, deblocking_filter_override_enabled_flag;
    bool deblocking_filter_disabled_flag;
    int beta_offset_div2, tc_offset_div2;
    const struct hevc_scaling *scaling;  // written only
    bool lists_modification_present_flag;
    int log2_parallel_merge_level;
    bool slice_segment_header_extension_present_flag;
};

/// The fields after the reference picture set in a slice header with one reference per list.
struct hevc_slice {
    int nal_unit_type, type, temporal_id;
    int poc_lsb;
    struct hevc_rps rps;
    bool long_term;  // has long-term references
    bool temporal_mvp_enabled_flag, sao_luma_flag, sao_chroma_flag;
    int num_ref_idx[2];
    bool cabac_init_flag, mvd_l1_zero_flag;
    int max_num_merge_cand, qp_delta, cb_qp_offset, cr_qp_offset;
    bool deblocking_filter_disabled_flag;
    int beta_offset_div2, tc_offset_div2;
    bool loop_filter_across_slices_enabled_flag;
    size_t rps_end, end;  // bits from the NAL unit's header on; `end` before byte_alignment()
};

bool hevc_is_irap(int nal_unit_type);
bool hevc_is_idr(int nal_unit_type);

/// These take the RBSP after the NAL unit's two header bytes; false: invalid, or an unsupported tool.
bool hevc_parse_sps(const struct bytes *rbsp, struct hevc_sps *sps);
bool hevc_parse_pps(const struct bytes *rbsp, struct hevc_pps *pps);
bool hevc_parse_slice(const struct bytes *rbsp, struct hevc_sps *sps, const struct hevc_pps *pps,
                      struct hevc_slice *slice);

/// Append the complete NAL unit.
void hevc_write_vps(struct bytes *stream, const struct hevc_sps *sps);
void hevc_write_sps(struct bytes *stream, const struct hevc_sps *sps);
void hevc_write_pps(struct bytes *stream, const struct hevc_sps *sps, const struct hevc_pps *pps);

/// A slice segment header up to its reference picture set, which is always explicit.
void hevc_write_slice_start(struct writer *writer, const struct hevc_sps *sps, const struct hevc_pps *pps,
                            const struct hevc_slice *slice);
/// The rest, with the alignment.
void hevc_write_slice_rest(struct writer *writer, const struct hevc_sps *sps, const struct hevc_pps *pps,
                           const struct hevc_slice *slice);

/// Explicit st_ref_pic_set() with index 0. `delta_poc` may be in any order.
void hevc_put_rps(struct writer *writer, const struct hevc_rps *rps);
/// Nearest first, past pictures before future ones: the order of 7.4.8.
void hevc_sort_rps(struct hevc_rps *rps);

#endif
