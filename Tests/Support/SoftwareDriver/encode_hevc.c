/// HEVC encoding: parameters and headers. encode_x265.c makes the slice data.

#include <stdlib.h>
#include <string.h>

#include "encode_hevc.h"

static int aligned(int size, int alignment) {
    return alignment > 1 ? (size + alignment - 1) / alignment * alignment : size;
}

/// The sequence from VA-API's parameters. Without packed headers this is the only source, and like some hardware the
/// driver may enlarge the coded size.
static struct hevc_sps sps_from(const VAEncSequenceParameterBufferHEVC *sequence, int alignment) {
    return (struct hevc_sps){
        .level_idc = sequence->general_level_idc,
        .max_dec_pic_buffering = 3,
        .max_num_reorder = sequence->ip_period > 1 ? 1 : 0,
        .width = aligned(sequence->pic_width_in_luma_samples, alignment),
        .height = aligned(sequence->pic_height_in_luma_samples, alignment),
        .bit_depth = sequence->seq_fields.bits.bit_depth_luma_minus8 + 8,
        .log2_max_poc_lsb = 8,
        .log2_min_cb = sequence->log2_min_luma_coding_block_size_minus3 + 3,
        .log2_diff_max_min_cb = sequence->log2_diff_max_min_luma_coding_block_size,
        .log2_min_tb = sequence->log2_min_transform_block_size_minus2 + 2,
        .log2_diff_max_min_tb = sequence->log2_diff_max_min_transform_block_size,
        .max_transform_hierarchy_depth_inter = sequence->max_transform_hierarchy_depth_inter,
        .max_transform_hierarchy_depth_intra = sequence->max_transform_hierarchy_depth_intra,
        .scaling_list_enabled_flag = sequence->seq_fields.bits.scaling_list_enabled_flag,
        .amp_enabled_flag = sequence->seq_fields.bits.amp_enabled_flag,
        .sao_enabled_flag = sequence->seq_fields.bits.sample_adaptive_offset_enabled_flag,
        .pcm_enabled_flag = sequence->seq_fields.bits.pcm_enabled_flag,
        .temporal_mvp_enabled_flag = sequence->seq_fields.bits.sps_temporal_mvp_enabled_flag,
        .strong_intra_smoothing_enabled_flag = sequence->seq_fields.bits.strong_intra_smoothing_enabled_flag,
    };
}

static struct hevc_pps pps_from(const VAEncPictureParameterBufferHEVC *picture) {
    return (struct hevc_pps){
        .sign_data_hiding_enabled_flag = picture->pic_fields.bits.sign_data_hiding_enabled_flag,
        .num_ref_idx_default = {picture->num_ref_idx_l0_default_active_minus1 + 1,
                                picture->num_ref_idx_l1_default_active_minus1 + 1},
        .init_qp = picture->pic_init_qp,
        .constrained_intra_pred_flag = picture->pic_fields.bits.constrained_intra_pred_flag,
        .transform_skip_enabled_flag = picture->pic_fields.bits.transform_skip_enabled_flag,
        .cu_qp_delta_enabled_flag = picture->pic_fields.bits.cu_qp_delta_enabled_flag,
        .diff_cu_qp_delta_depth = picture->diff_cu_qp_delta_depth,
        .cb_qp_offset = picture->pps_cb_qp_offset,
        .cr_qp_offset = picture->pps_cr_qp_offset,
        .weighted_pred_flag = picture->pic_fields.bits.weighted_pred_flag,
        .weighted_bipred_flag = picture->pic_fields.bits.weighted_bipred_flag,
        .transquant_bypass_enabled_flag = picture->pic_fields.bits.transquant_bypass_enabled_flag,
        .tiles_enabled_flag = picture->pic_fields.bits.tiles_enabled_flag,
        .entropy_coding_sync_enabled_flag = picture->pic_fields.bits.entropy_coding_sync_enabled_flag,
        .loop_filter_across_slices_enabled_flag = picture->pic_fields.bits.pps_loop_filter_across_slices_enabled_flag,
        .deblocking_filter_control_present_flag = true,
        .deblocking_filter_override_enabled_flag = true,
        .log2_parallel_merge_level = picture->log2_parallel_merge_level_minus2 + 2,
    };
}

/// Names the first relevant difference between the packed parameter sets and VA's parameters.
static const char *difference(const struct hevc_sps *packed, const struct hevc_sps *sps,
                              const struct hevc_pps *packed_pps, const struct hevc_pps *pps) {
    return packed->width != sps->width || packed->height != sps->height                 ? "the size"
           : packed->bit_depth != sps->bit_depth                                        ? "the bit depth"
           : packed->log2_min_cb != sps->log2_min_cb                                    ? "log2_min_cb"
           : packed->log2_diff_max_min_cb != sps->log2_diff_max_min_cb                  ? "log2_diff_max_min_cb"
           : packed->log2_min_tb != sps->log2_min_tb                                    ? "log2_min_tb"
           : packed->log2_diff_max_min_tb != sps->log2_diff_max_min_tb                  ? "log2_diff_max_min_tb"
           : packed->amp_enabled_flag != sps->amp_enabled_flag                          ? "amp_enabled_flag"
           : packed->sao_enabled_flag != sps->sao_enabled_flag                          ? "sao_enabled_flag"
           : packed->temporal_mvp_enabled_flag != sps->temporal_mvp_enabled_flag        ? "temporal_mvp_enabled_flag"
           : packed_pps->init_qp != pps->init_qp                                        ? "init_qp"
           : packed_pps->cu_qp_delta_enabled_flag != pps->cu_qp_delta_enabled_flag      ? "cu_qp_delta_enabled_flag"
           : packed_pps->sign_data_hiding_enabled_flag != pps->sign_data_hiding_enabled_flag ? "sign_data_hiding"
                                                                                        : NULL;
}

static VAStatus read_packed_sets(struct context *context, struct hevc_encoder *encoder, const struct bytes *headers,
                                 const struct hevc_sps *sps, const struct hevc_pps *pps) {
    const uint8_t *nal;
    size_t size, position = 0;
    bool valid = true;
    while (next_nal(headers->data, headers->size, &position, &nal, &size)) {
        struct bytes rbsp = unescape(nal, size);
        if ((nal[0] >> 1 & 63) == 33)
            valid &= encoder->has_sps = hevc_parse_sps(&rbsp, &encoder->packed_sps);
        if ((nal[0] >> 1 & 63) == 34)
            valid &= encoder->has_pps = hevc_parse_pps(&rbsp, &encoder->packed_pps);
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

/// The reference picture set of VA's references; those in the slice's lists are used.
static struct hevc_rps rps_from(const VAEncPictureParameterBufferHEVC *picture,
                                const VAEncSliceParameterBufferHEVC *slice) {
    struct hevc_rps rps = {0};
    for (int index = 0; index < 15; index++) {
        const VAPictureHEVC *reference = &picture->reference_frames[index];
        if (reference->picture_id == VA_INVALID_SURFACE || (reference->flags & VA_PICTURE_HEVC_INVALID))
            continue;
        rps.delta_poc[rps.count] = reference->pic_order_cnt - picture->decoded_curr_pic.pic_order_cnt;
        rps.used[rps.count++] = reference->picture_id == slice->ref_pic_list0[0].picture_id
                                || reference->picture_id == slice->ref_pic_list1[0].picture_id;
    }
    return rps;
}

static struct hevc_slice slice_from(const VAEncPictureParameterBufferHEVC *picture,
                                    const VAEncSliceParameterBufferHEVC *slice, const struct hevc_sps *sps) {
    return (struct hevc_slice){
        .nal_unit_type = picture->nal_unit_type,
        .type = slice->slice_type,
        .poc_lsb = picture->decoded_curr_pic.pic_order_cnt & ((1 << sps->log2_max_poc_lsb) - 1),
        .rps = rps_from(picture, slice),
        .num_ref_idx = {1, 1},
        .max_num_merge_cand = slice->max_num_merge_cand,
        .qp_delta = slice->slice_qp_delta,
        .deblocking_filter_disabled_flag = slice->slice_fields.bits.slice_deblocking_filter_disabled_flag,
        .beta_offset_div2 = slice->slice_beta_offset_div2,
        .tc_offset_div2 = slice->slice_tc_offset_div2,
    };
}

static VAStatus read_slice_header(struct context *context, struct hevc_job *job, struct submission *submission,
                                  const struct hevc_slice *wanted) {
    if (!submission->slice_header.data) {
        struct writer writer = {0};
        hevc_write_slice_start(&writer, &job->sps, &job->pps, wanted);
        hevc_write_slice_rest(&writer, &job->sps, &job->pps, wanted);
        submission->slice_header = writer.bytes;
    }
    struct hevc_slice *slice = &job->slice;
    if (!hevc_parse_slice(&submission->slice_header, &job->sps, &job->pps, slice))
        return refuse(context->driver, VA_STATUS_ERROR_INVALID_PARAMETER,
                      "the packed slice header is broken, or has more than one reference a list");
    const char *wrong = slice->nal_unit_type != wanted->nal_unit_type ? "nal_unit_type"
                        : slice->type != wanted->type                 ? "slice_type"
                        : slice->qp_delta != wanted->qp_delta         ? "slice_qp_delta"
                        : slice->deblocking_filter_disabled_flag != wanted->deblocking_filter_disabled_flag
                            ? "slice_deblocking_filter_disabled_flag"
                            : NULL;
    return wrong ? refuse(context->driver, VA_STATUS_ERROR_INVALID_PARAMETER,
                          "%s contradicts the packed slice header", wrong)
                 : VA_STATUS_SUCCESS;
}

static VAStatus use_references(struct context *context, struct hevc_encoder *encoder,
                               const VAEncPictureParameterBufferHEVC *picture,
                               const VAEncSliceParameterBufferHEVC *slice, struct job *job) {
    int type = slice->slice_type;
    job_use(job, context->target, false);
    VAStatus status = use_named_surface(context, picture->decoded_curr_pic.picture_id, true, job);
    if (status == VA_STATUS_SUCCESS && type != HEVC_I)
        status = use_named_surface(context, slice->ref_pic_list0[0].picture_id, false, job);
    if (status == VA_STATUS_SUCCESS && type == HEVC_B)
        status = use_named_surface(context, slice->ref_pic_list1[0].picture_id, false, job);
    if (status == VA_STATUS_SUCCESS && type == HEVC_P
        && slice->ref_pic_list0[0].picture_id != encoder->common.last_reference)
        status = refuse(context->driver, VA_STATUS_ERROR_INVALID_PARAMETER,
                        "a P picture must refer to the last I or P picture");
    if (status == VA_STATUS_SUCCESS && type != HEVC_B)
        encoder->common.last_reference = picture->decoded_curr_pic.picture_id;
    return status;
}

static VAStatus check_tools(struct context *context, const struct hevc_job *job) {
    const char *tool = job->sps.scaling_list_enabled_flag                                ? "scaling lists"
                       : job->sps.pcm_enabled_flag                                       ? "PCM"
                       : job->pps.weighted_pred_flag || job->pps.weighted_bipred_flag    ? "weighted prediction"
                       : job->pps.transquant_bypass_enabled_flag                         ? "transquant bypass"
                       : job->pps.tiles_enabled_flag                                     ? "tiles"
                       : job->pps.entropy_coding_sync_enabled_flag                       ? "wavefronts"
                       : job->slice.type == HEVC_B && !context->driver->switches.b_frames ? "B pictures"
                       : job->sps.width % 8 || job->sps.height % 8                       ? "this size"
                       : job->sps.bit_depth != context->target->format->depth            ? "this bit depth"
                                                                                         : NULL;
    return tool ? refuse(context->driver, VA_STATUS_ERROR_INVALID_PARAMETER, "%s: not supported", tool)
                : VA_STATUS_SUCCESS;
}

static VAStatus fill(struct context *context, struct hevc_encoder *encoder, struct submission *submission,
                     struct job *job, struct hevc_job *hevc) {
    const VAEncPictureParameterBufferHEVC *picture = submission->picture;
    const VAEncSliceParameterBufferHEVC *parameters = submission->slice;
    bool packed = context->config.packed_headers & VA_ENC_PACKED_HEADER_SLICE;
    hevc->sps = sps_from((const void *)encoder->common.sequence, packed ? 0 : context->driver->switches.alignment);
    hevc->pps = pps_from(picture);
    VAStatus status = read_packed_sets(context, encoder, &submission->headers, &hevc->sps, &hevc->pps);
    if (encoder->has_sps && encoder->has_pps) {
        hevc->sps = encoder->packed_sps;
        hevc->pps = encoder->packed_pps;
    }
    struct hevc_slice wanted = slice_from(picture, parameters, &hevc->sps);
    if (packed && !submission->slice_header.data)
        return refuse(context->driver, VA_STATUS_ERROR_INVALID_PARAMETER, "the packed slice header is missing");
    if (status == VA_STATUS_SUCCESS)
        status = read_slice_header(context, hevc, submission, &wanted);
    if (status == VA_STATUS_SUCCESS)
        status = check_tools(context, hevc);
    if (status == VA_STATUS_SUCCESS)
        status = use_references(context, encoder, picture, parameters, job);
    if (status == VA_STATUS_SUCCESS)
        status = use_coded_buffer(context, picture->coded_buf, job);
    if (hevc_is_irap(hevc->slice.nal_unit_type) && !encoder->has_sps) {
        hevc_write_vps(&submission->headers, &hevc->sps);
        hevc_write_sps(&submission->headers, &hevc->sps);
        hevc_write_pps(&submission->headers, &hevc->sps, &hevc->pps);
    }
    hevc->common.qp = hevc->pps.init_qp + hevc->slice.qp_delta;
    hevc->common.type = "BPI"[hevc->slice.type];
    return status;
}

static VAStatus prepare(struct context *context, struct job *job) {
    struct hevc_encoder *encoder = context->state;
    struct submission submission = {0};
    struct hevc_job *hevc = calloc(1, sizeof *hevc);
    if (!hevc)
        return VA_STATUS_ERROR_ALLOCATION_FAILED;
    job->payload = hevc;
    job->free_payload = encode_job_free;
    VAStatus status = collect(context, &encoder->common, sizeof(VAEncSequenceParameterBufferHEVC),
                              sizeof(VAEncPictureParameterBufferHEVC), sizeof(VAEncSliceParameterBufferHEVC),
                              &submission);
    if (status == VA_STATUS_SUCCESS)
        status = fill(context, encoder, &submission, job, hevc);
    begin_encode_job(context, job, &encoder->common, &submission, status);
    return status;
}

static void *open_encoder(struct context *context) {
    (void)context;
    return calloc(1, sizeof(struct hevc_encoder));
}

static void close_encoder(void *state) {
    x265_stop(state);
    encoder_close(state);
    free(state);
}

const struct codec hevc_encoder = {ENGINE_ENCODE, open_encoder, prepare, x265_run, close_encoder};
