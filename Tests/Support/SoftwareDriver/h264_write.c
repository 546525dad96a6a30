#include <stdlib.h>

#include "h264.h"

static void finish_nal(struct bytes *stream, struct writer *writer) {
    put_trailing(writer);
    append_nal(stream, writer->bytes.data, writer->bytes.size);
    free(writer->bytes.data);
}

/// A VUI that only signals that decoding order is output order. A decoder that outputs each picture at once needs it;
/// others ignore it.
static void put_vui(struct writer *writer, const struct h264_sps *sps) {
    put(writer, 8, 0);  // aspect ratio, overscan, video signal, chroma location, timing, HRD (2), pic_struct
    put(writer, 1, 1);  // bitstream_restriction_flag
    put(writer, 1, 1);  // motion_vectors_over_pic_boundaries_flag
    put_ue(writer, 0);  // max_bytes_per_pic_denom
    put_ue(writer, 0);  // max_bits_per_mb_denom
    put_ue(writer, 16);
    put_ue(writer, 16);
    put_ue(writer, 0);  // max_num_reorder_frames
    put_ue(writer, (uint32_t)(sps->max_num_ref_frames > 0 ? sps->max_num_ref_frames : 1));
}

static void write_sps(struct bytes *stream, const struct h264_sps *sps, bool has_vui) {
    struct writer writer = {0};
    put(&writer, 8, 0x67);
    put(&writer, 8, (uint32_t)sps->profile_idc);
    put(&writer, 8, (uint32_t)sps->constraint_flags);
    put(&writer, 8, (uint32_t)sps->level_idc);
    put_ue(&writer, (uint32_t)sps->id);
    if (sps->profile_idc == 100) {
        put_ue(&writer, 1);
        put_ue(&writer, 0);
        put_ue(&writer, 0);
        put(&writer, 2, 0);
    }
    put_ue(&writer, (uint32_t)sps->log2_max_frame_num - 4);
    put_ue(&writer, (uint32_t)sps->pic_order_cnt_type);
    if (sps->pic_order_cnt_type == 0)
        put_ue(&writer, (uint32_t)sps->log2_max_pic_order_cnt_lsb - 4);
    if (sps->pic_order_cnt_type == 1) {
        put(&writer, 1, sps->delta_pic_order_always_zero_flag);
        // The offsets are not in VA's parameters.
        put_se(&writer, 0);
        put_se(&writer, 0);
        put_ue(&writer, 0);
    }
    put_ue(&writer, (uint32_t)sps->max_num_ref_frames);
    put(&writer, 1, sps->gaps_in_frame_num_allowed_flag);
    put_ue(&writer, (uint32_t)sps->width_in_mbs - 1);
    put_ue(&writer, (uint32_t)sps->height_in_map_units - 1);
    put(&writer, 1, sps->frame_mbs_only_flag);
    if (!sps->frame_mbs_only_flag)
        put(&writer, 1, sps->mb_adaptive_frame_field_flag);
    put(&writer, 1, sps->direct_8x8_inference_flag);
    put(&writer, 1, 0);  // cropping
    put(&writer, 1, has_vui);
    if (has_vui)
        put_vui(&writer, sps);
    finish_nal(stream, &writer);
}

void h264_write_sps(struct bytes *stream, const struct h264_sps *sps) {
    write_sps(stream, sps, false);
}

void h264_write_decoder_sps(struct bytes *stream, const struct h264_sps *sps) {
    write_sps(stream, sps, true);
}

static const uint8_t zigzag_4x4[16] = {0, 1, 4, 8, 5, 2, 3, 6, 9, 12, 13, 10, 7, 11, 14, 15};
static const uint8_t zigzag_8x8[64] = {
    0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5,
    12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28,
    35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,
    58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
};

/// 7.3.2.1.1.1; VA's lists are in raster order, the stream's along the zigzag.
static void put_scaling_list(struct writer *writer, const uint8_t *list, const uint8_t *scan, int size) {
    int last = 8;
    put(writer, 1, 1);
    for (int index = 0; index < size; index++) {
        put_se(writer, (int8_t)(list[scan[index]] - last));
        last = list[scan[index]];
    }
}

static void put_scaling_matrix(struct writer *writer, const struct h264_pps *pps) {
    put(writer, 1, pps->has_scaling_matrix);
    if (!pps->has_scaling_matrix)
        return;
    for (int list = 0; list < 6; list++)
        put_scaling_list(writer, pps->scaling_4x4[list], zigzag_4x4, 16);
    for (int list = 0; list < 2 && pps->transform_8x8_mode_flag; list++)
        put_scaling_list(writer, pps->scaling_8x8[list], zigzag_8x8, 64);
}

void h264_write_pps(struct bytes *stream, const struct h264_sps *sps, const struct h264_pps *pps) {
    struct writer writer = {0};
    put(&writer, 8, 0x68);
    put_ue(&writer, (uint32_t)pps->id);
    put_ue(&writer, (uint32_t)sps->id);
    put(&writer, 1, pps->entropy_coding_mode_flag);
    put(&writer, 1, pps->pic_order_present_flag);
    put_ue(&writer, 0);  // slice groups
    put_ue(&writer, (uint32_t)pps->num_ref_idx_default[0] - 1);
    put_ue(&writer, (uint32_t)pps->num_ref_idx_default[1] - 1);
    put(&writer, 1, pps->weighted_pred_flag);
    put(&writer, 2, (uint32_t)pps->weighted_bipred_idc);
    put_se(&writer, pps->pic_init_qp - 26);
    put_se(&writer, pps->pic_init_qs - 26);
    put_se(&writer, pps->chroma_qp_index_offset);
    put(&writer, 1, pps->deblocking_filter_control_present_flag);
    put(&writer, 1, pps->constrained_intra_pred_flag);
    put(&writer, 1, pps->redundant_pic_cnt_present_flag);
    if (sps->profile_idc == 100) {
        put(&writer, 1, pps->transform_8x8_mode_flag);
        put_scaling_matrix(&writer, pps);
        put_se(&writer, pps->second_chroma_qp_index_offset);
    }
    finish_nal(stream, &writer);
}

static void put_order_count(struct writer *writer, const struct h264_sps *sps, const struct h264_pps *pps,
                            const struct h264_slice *slice) {
    if (sps->pic_order_cnt_type != 0)
        return;
    put(writer, sps->log2_max_pic_order_cnt_lsb, (uint32_t)slice->pic_order_cnt_lsb);
    if (pps->pic_order_present_flag)
        put_se(writer, 0);
}

static void put_references(struct writer *writer, const struct h264_slice *slice) {
    put(writer, 1, 1);  // num_ref_idx_active_override_flag
    for (int list = 0; list <= (slice->type == H264_B); list++)
        put_ue(writer, (uint32_t)slice->num_ref_idx[list] - 1);
    put(writer, slice->type == H264_B ? 2 : 1, 0);  // no modification of the lists
}

void h264_write_slice(struct writer *writer, const struct h264_sps *sps, const struct h264_pps *pps,
                      const struct h264_slice *slice) {
    put(writer, 8, (uint32_t)(slice->nal_ref_idc << 5 | slice->nal_unit_type));
    put_ue(writer, 0);
    put_ue(writer, (uint32_t)slice->type + 5);  // every slice of the picture has this type
    put_ue(writer, (uint32_t)slice->pps_id);
    put(writer, sps->log2_max_frame_num, (uint32_t)slice->frame_num);
    if (slice->nal_unit_type == 5)
        put_ue(writer, (uint32_t)slice->idr_pic_id);
    put_order_count(writer, sps, pps, slice);
    if (slice->type == H264_B)
        put(writer, 1, slice->direct_spatial_mv_pred_flag);
    if (slice->type != H264_I)
        put_references(writer, slice);
    if (slice->nal_ref_idc)
        put(writer, slice->nal_unit_type == 5 ? 2 : 1, 0);
    if (pps->entropy_coding_mode_flag && slice->type != H264_I)
        put_ue(writer, (uint32_t)slice->cabac_init_idc);
    put_se(writer, slice->qp_delta);
    if (!pps->deblocking_filter_control_present_flag)
        return;
    put_ue(writer, (uint32_t)slice->disable_deblocking_filter_idc);
    if (slice->disable_deblocking_filter_idc != 1) {
        put_se(writer, slice->alpha_c0_offset_div2);
        put_se(writer, slice->beta_offset_div2);
    }
}
