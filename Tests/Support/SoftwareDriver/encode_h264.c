/// H.264 encoding: parameters and headers. encode_x264.c makes the slice data.

#include <stdlib.h>
#include <string.h>

#include "encode_h264.h"

static struct h264_sps sps_from(const VAEncSequenceParameterBufferH264 *sequence, VAProfile profile) {
    return (struct h264_sps){
        .profile_idc = profile == VAProfileH264High ? 100 : profile == VAProfileH264Main ? 77 : 66,
        .constraint_flags = profile == VAProfileH264ConstrainedBaseline ? 0xc0 : 0,
        .level_idc = sequence->level_idc,
        .id = sequence->seq_parameter_set_id,
        .log2_max_frame_num = sequence->seq_fields.bits.log2_max_frame_num_minus4 + 4,
        .pic_order_cnt_type = sequence->seq_fields.bits.pic_order_cnt_type,
        .log2_max_pic_order_cnt_lsb = sequence->seq_fields.bits.log2_max_pic_order_cnt_lsb_minus4 + 4,
        .max_num_ref_frames = (int)sequence->max_num_ref_frames,
        .width_in_mbs = sequence->picture_width_in_mbs,
        .height_in_map_units = sequence->picture_height_in_mbs,
        .frame_mbs_only_flag = sequence->seq_fields.bits.frame_mbs_only_flag,
        .direct_8x8_inference_flag = sequence->seq_fields.bits.direct_8x8_inference_flag,
    };
}

static struct h264_pps pps_from(const VAEncPictureParameterBufferH264 *picture) {
    return (struct h264_pps){
        .id = picture->pic_parameter_set_id,
        .sps_id = picture->seq_parameter_set_id,
        .entropy_coding_mode_flag = picture->pic_fields.bits.entropy_coding_mode_flag,
        .pic_order_present_flag = picture->pic_fields.bits.pic_order_present_flag,
        .num_ref_idx_default = {picture->num_ref_idx_l0_active_minus1 + 1, picture->num_ref_idx_l1_active_minus1 + 1},
        .weighted_pred_flag = picture->pic_fields.bits.weighted_pred_flag,
        .weighted_bipred_idc = picture->pic_fields.bits.weighted_bipred_idc,
        .pic_init_qp = picture->pic_init_qp,
        .pic_init_qs = 26,
        .chroma_qp_index_offset = picture->chroma_qp_index_offset,
        .second_chroma_qp_index_offset = picture->second_chroma_qp_index_offset,
        .deblocking_filter_control_present_flag = picture->pic_fields.bits.deblocking_filter_control_present_flag,
        .constrained_intra_pred_flag = picture->pic_fields.bits.constrained_intra_pred_flag,
        .redundant_pic_cnt_present_flag = picture->pic_fields.bits.redundant_pic_cnt_present_flag,
        .transform_8x8_mode_flag = picture->pic_fields.bits.transform_8x8_mode_flag,
    };
}

/// Names the first relevant difference between the packed parameter sets and VA's parameters.
static const char *difference(const struct h264_sps *packed, const struct h264_sps *sps,
                              const struct h264_pps *packed_pps, const struct h264_pps *pps) {
    if (packed->width_in_mbs != sps->width_in_mbs || packed->height_in_map_units != sps->height_in_map_units)
        return "the size";
    if (packed->frame_mbs_only_flag != sps->frame_mbs_only_flag)
        return "frame_mbs_only_flag";
    if (packed->pic_order_cnt_type != sps->pic_order_cnt_type)
        return "pic_order_cnt_type";
    if (packed->log2_max_frame_num != sps->log2_max_frame_num)
        return "log2_max_frame_num";
    if (packed_pps->entropy_coding_mode_flag != pps->entropy_coding_mode_flag)
        return "entropy_coding_mode_flag";
    if (packed_pps->transform_8x8_mode_flag != pps->transform_8x8_mode_flag)
        return "transform_8x8_mode_flag";
    if (packed_pps->pic_init_qp != pps->pic_init_qp)
        return "pic_init_qp";
    return packed_pps->weighted_pred_flag != pps->weighted_pred_flag ? "weighted_pred_flag" : NULL;
}

/// Finds the parameter sets among the application's headers, and keeps them for the next pictures.
static VAStatus read_packed_sets(struct context *context, struct h264_encoder *encoder, const struct bytes *headers,
                                 const struct h264_sps *sps, const struct h264_pps *pps) {
    const uint8_t *nal;
    size_t size, position = 0;
    bool valid = true;
    while (next_nal(headers->data, headers->size, &position, &nal, &size)) {
        struct bytes rbsp = unescape(nal, size);
        if ((nal[0] & 31) == 7)
            valid &= encoder->has_sps = h264_parse_sps(&rbsp, &encoder->packed_sps);
        if ((nal[0] & 31) == 8)
            valid &= encoder->has_pps = h264_parse_pps(&rbsp, &encoder->packed_pps);
        free(rbsp.data);
    }
    if (!valid)
        return refuse(context->driver, VA_STATUS_ERROR_INVALID_PARAMETER, "packed SPS or PPS: broken or unsupported");
    if (!encoder->has_sps || !encoder->has_pps)
        return VA_STATUS_SUCCESS;
    const char *what = difference(&encoder->packed_sps, sps, &encoder->packed_pps, pps);
    return what ? refuse(context->driver, VA_STATUS_ERROR_INVALID_PARAMETER,
                         "%s differs between packed and VA's parameters", what)
                : VA_STATUS_SUCCESS;
}

static struct h264_slice slice_from(const VAEncPictureParameterBufferH264 *picture,
                                    const VAEncSliceParameterBufferH264 *slice) {
    bool is_idr = picture->pic_fields.bits.idr_pic_flag;
    return (struct h264_slice){
        .nal_unit_type = is_idr ? 5 : 1,
        .nal_ref_idc = is_idr ? 3 : picture->pic_fields.bits.reference_pic_flag ? 2 : 0,
        .type = slice->slice_type % 5,
        .pps_id = picture->pic_parameter_set_id,
        .frame_num = picture->frame_num,
        .idr_pic_id = slice->idr_pic_id,
        .pic_order_cnt_lsb = slice->pic_order_cnt_lsb,
        .direct_spatial_mv_pred_flag = slice->direct_spatial_mv_pred_flag,
        .num_ref_idx = {1, 1},
        .cabac_init_idc = slice->cabac_init_idc,
        .qp_delta = slice->slice_qp_delta,
        .disable_deblocking_filter_idc = slice->disable_deblocking_filter_idc,
        .alpha_c0_offset_div2 = slice->slice_alpha_c0_offset_div2,
        .beta_offset_div2 = slice->slice_beta_offset_div2,
    };
}

/// The slice header: the application's, or the driver's own without packed headers.
static VAStatus read_slice_header(struct context *context, struct h264_job *job, struct submission *submission,
                                  const struct h264_slice *wanted) {
    if (!submission->slice_header.data) {
        struct writer writer = {0};
        h264_write_slice(&writer, &job->sps, &job->pps, wanted);
        submission->slice_header = writer.bytes;
    }
    struct h264_slice *slice = &job->slice;
    if (!h264_parse_slice(&submission->slice_header, &job->sps, &job->pps, slice))
        return refuse(context->driver, VA_STATUS_ERROR_INVALID_PARAMETER, "broken packed slice header");
    const char *wrong = slice->nal_unit_type != wanted->nal_unit_type               ? "idr_pic_flag"
                        : !slice->nal_ref_idc != !wanted->nal_ref_idc               ? "reference_pic_flag"
                        : slice->type != wanted->type                               ? "slice_type"
                        : slice->qp_delta != wanted->qp_delta                       ? "slice_qp_delta"
                        : slice->cabac_init_idc != wanted->cabac_init_idc           ? "cabac_init_idc"
                        : slice->first_mb != 0                                      ? "macroblock_address"
                        : slice->type == H264_P && slice->num_ref_idx[0] != 1       ? "num_ref_idx_l0_active_minus1"
                        : slice->disable_deblocking_filter_idc
                                  != wanted->disable_deblocking_filter_idc          ? "disable_deblocking_filter_idc"
                                                                                    : NULL;
    return wrong ? refuse(context->driver, VA_STATUS_ERROR_INVALID_PARAMETER,
                          "the packed slice header has another %s, or one that is not supported", wrong)
                 : VA_STATUS_SUCCESS;
}

static VAStatus use_references(struct context *context, struct h264_encoder *encoder,
                               const VAEncPictureParameterBufferH264 *picture,
                               const VAEncSliceParameterBufferH264 *parameters, int type, struct job *job) {
    job_use(job, context->target, false);
    VAStatus status = use_named_surface(context, picture->CurrPic.picture_id, true, job);
    if (status == VA_STATUS_SUCCESS && type != H264_I)
        status = use_named_surface(context, parameters->RefPicList0[0].picture_id, false, job);
    if (status == VA_STATUS_SUCCESS && type == H264_B)
        status = use_named_surface(context, parameters->RefPicList1[0].picture_id, false, job);
    if (status == VA_STATUS_SUCCESS && type == H264_P
        && parameters->RefPicList0[0].picture_id != encoder->common.last_reference)
        status = refuse(context->driver, VA_STATUS_ERROR_INVALID_PARAMETER,
                        "a P picture must refer to the last I or P picture");
    if (status == VA_STATUS_SUCCESS && type != H264_B)
        encoder->common.last_reference = picture->CurrPic.picture_id;
    return status;
}

static VAStatus check_tools(struct context *context, const struct h264_job *job) {
    const char *tool = job->slice.type == H264_P && job->pps.weighted_pred_flag     ? "weighted prediction"
                       : !job->sps.frame_mbs_only_flag                              ? "interlaced coding"
                       : job->pps.chroma_qp_index_offset
                                 != job->pps.second_chroma_qp_index_offset          ? "a second chroma QP offset"
                       : job->slice.type == H264_B && !context->driver->switches.b_frames ? "B pictures"
                                                                                    : NULL;
    return tool ? refuse(context->driver, VA_STATUS_ERROR_INVALID_PARAMETER, "%s: not supported", tool)
                : VA_STATUS_SUCCESS;
}

/// In all modes, every IDR picture begins with parameter sets.
static void write_own_sets(const struct h264_job *job, struct submission *submission) {
    struct h264_sps sps = job->sps;
    h264_write_sps(&submission->headers, &sps);
    h264_write_pps(&submission->headers, &sps, &job->pps);
}

static VAStatus fill(struct context *context, struct h264_encoder *encoder, struct submission *submission,
                     struct job *job, struct h264_job *h264) {
    const VAEncSequenceParameterBufferH264 *sequence = (const void *)encoder->common.sequence;
    const VAEncPictureParameterBufferH264 *picture = submission->picture;
    const VAEncSliceParameterBufferH264 *parameters = submission->slice;
    struct h264_slice wanted = slice_from(picture, parameters);
    bool packed = context->config.packed_headers & VA_ENC_PACKED_HEADER_SLICE;
    h264->sps = sps_from(sequence, context->config.profile);
    h264->pps = pps_from(picture);
    VAStatus status = read_packed_sets(context, encoder, &submission->headers, &h264->sps, &h264->pps);
    if (encoder->has_sps && encoder->has_pps) {
        h264->sps = encoder->packed_sps;
        h264->pps = encoder->packed_pps;
    }
    if (packed && !submission->slice_header.data)
        return refuse(context->driver, VA_STATUS_ERROR_INVALID_PARAMETER, "the packed slice header is missing");
    if (status == VA_STATUS_SUCCESS)
        status = read_slice_header(context, h264, submission, &wanted);
    if (status == VA_STATUS_SUCCESS)
        status = check_tools(context, h264);
    if (status == VA_STATUS_SUCCESS)
        status = use_references(context, encoder, picture, parameters, h264->slice.type, job);
    if (status == VA_STATUS_SUCCESS)
        status = use_coded_buffer(context, picture->coded_buf, job);
    if (h264->slice.nal_unit_type == 5 && !encoder->has_sps)
        write_own_sets(h264, submission);
    h264->common.qp = h264->pps.pic_init_qp + h264->slice.qp_delta;
    h264->common.type = "PBI"[h264->slice.type];
    return status;
}

static VAStatus prepare(struct context *context, struct job *job) {
    struct h264_encoder *encoder = context->state;
    struct submission submission = {0};
    struct h264_job *h264 = calloc(1, sizeof *h264);
    if (!h264)
        return VA_STATUS_ERROR_ALLOCATION_FAILED;
    job->payload = h264;
    job->free_payload = encode_job_free;
    VAStatus status = collect(context, &encoder->common, sizeof(VAEncSequenceParameterBufferH264),
                              sizeof(VAEncPictureParameterBufferH264), sizeof(VAEncSliceParameterBufferH264),
                              &submission);
    if (status == VA_STATUS_SUCCESS)
        status = fill(context, encoder, &submission, job, h264);
    begin_encode_job(context, job, &encoder->common, &submission, status);
    return status;
}

static void *open_encoder(struct context *context) {
    (void)context;
    return calloc(1, sizeof(struct h264_encoder));
}

static void close_encoder(void *state) {
    x264_stop(state);
    encoder_close(state);
    free(state);
}

const struct codec h264_encoder = {ENGINE_ENCODE, open_encoder, prepare, x264_run, close_encoder};
