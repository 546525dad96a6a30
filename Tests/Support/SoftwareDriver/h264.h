/// H.264's parameter sets and slice headers (7.3.2.1, 7.3.2.2, 7.3.3), limited to 4:2:0 frames.

#ifndef SOFT_H264_H
#define SOFT_H264_H

#include "bits.h"

struct h264_sps {
    int profile_idc, constraint_flags, level_idc, id;
    int log2_max_frame_num;
    int pic_order_cnt_type, log2_max_pic_order_cnt_lsb;
    bool delta_pic_order_always_zero_flag;
    int max_num_ref_frames;
    bool gaps_in_frame_num_allowed_flag;
    int width_in_mbs, height_in_map_units;
    bool frame_mbs_only_flag, mb_adaptive_frame_field_flag, direct_8x8_inference_flag;
    bool has_scaling_matrix;  // parsed only
};

struct h264_pps {
    int id, sps_id;
    bool entropy_coding_mode_flag, pic_order_present_flag;
    int num_ref_idx_default[2];
    bool weighted_pred_flag;
    int weighted_bipred_idc;
    int pic_init_qp, pic_init_qs;
    int chroma_qp_index_offset, second_chroma_qp_index_offset;
    bool deblocking_filter_control_present_flag, constrained_intra_pred_flag, redundant_pic_cnt_present_flag;
    bool transform_8x8_mode_flag;
    bool has_scaling_matrix;
    uint8_t scaling_4x4[6][16], scaling_8x8[2][64];  // written only; in raster order
};

enum { H264_P, H264_B, H264_I };

struct h264_slice {
    int nal_unit_type, nal_ref_idc;
    int first_mb, type, pps_id;  // type: 0 to 2
    int frame_num, idr_pic_id;
    bool field_pic_flag, bottom_field_flag;
    int pic_order_cnt_lsb;
    bool direct_spatial_mv_pred_flag;
    bool num_ref_idx_override_flag;
    int num_ref_idx[2];
    int luma_log2_weight_denom, chroma_log2_weight_denom;
    int cabac_init_idc, qp_delta;
    int disable_deblocking_filter_idc, alpha_c0_offset_div2, beta_offset_div2;
    size_t qp_delta_start, qp_delta_end, end;  // bits from the NAL unit's header on, without emulation prevention
};

/// These take the RBSP after the NAL unit's header byte; false: invalid, or an unsupported tool.
bool h264_parse_sps(const struct bytes *rbsp, struct h264_sps *sps);
bool h264_parse_pps(const struct bytes *rbsp, struct h264_pps *pps);
bool h264_parse_slice(const struct bytes *rbsp, const struct h264_sps *sps, const struct h264_pps *pps,
                      struct h264_slice *slice);

/// Append the complete NAL unit.
/// For a decoder that outputs each picture at once: signals no reordering.
void h264_write_decoder_sps(struct bytes *stream, const struct h264_sps *sps);
void h264_write_sps(struct bytes *stream, const struct h264_sps *sps);
void h264_write_pps(struct bytes *stream, const struct h264_sps *sps, const struct h264_pps *pps);
/// Writes the header with default lists and marking, up to where slice_data() begins, without alignment.
void h264_write_slice(struct writer *writer, const struct h264_sps *sps, const struct h264_pps *pps,
                      const struct h264_slice *slice);

#endif
