/// H.264 decoding. The slices' NAL units go to libavcodec unchanged; the parameter sets are rewritten from VA-API's
/// parameters.

#include <stdlib.h>
#include <string.h>

#include "decode.h"
#include "h264.h"

static void *open_decoder(struct context *context) {
    (void)context;
    return decoder_open("h264", sizeof(struct decoder));
}

static struct h264_sps sps_from(const VAPictureParameterBufferH264 *picture, VAProfile profile) {
    bool frames_only = picture->seq_fields.bits.frame_mbs_only_flag;
    return (struct h264_sps){
        .profile_idc = profile == VAProfileH264High ? 100 : profile == VAProfileH264Main ? 77 : 66,
        .level_idc = 62,
        .log2_max_frame_num = picture->seq_fields.bits.log2_max_frame_num_minus4 + 4,
        .pic_order_cnt_type = picture->seq_fields.bits.pic_order_cnt_type,
        .log2_max_pic_order_cnt_lsb = picture->seq_fields.bits.log2_max_pic_order_cnt_lsb_minus4 + 4,
        .delta_pic_order_always_zero_flag = picture->seq_fields.bits.delta_pic_order_always_zero_flag,
        .max_num_ref_frames = picture->num_ref_frames,
        .gaps_in_frame_num_allowed_flag = picture->seq_fields.bits.gaps_in_frame_num_value_allowed_flag,
        .width_in_mbs = picture->picture_width_in_mbs_minus1 + 1,
        .height_in_map_units = (picture->picture_height_in_mbs_minus1 + 1) / (frames_only ? 1 : 2),
        .frame_mbs_only_flag = frames_only,
        .mb_adaptive_frame_field_flag = picture->seq_fields.bits.mb_adaptive_frame_field_flag,
        .direct_8x8_inference_flag = picture->seq_fields.bits.direct_8x8_inference_flag,
    };
}

static struct h264_pps pps_from(const VAPictureParameterBufferH264 *picture, const VAIQMatrixBufferH264 *matrix) {
    struct h264_pps pps = {
        .entropy_coding_mode_flag = picture->pic_fields.bits.entropy_coding_mode_flag,
        .pic_order_present_flag = picture->pic_fields.bits.pic_order_present_flag,
        .num_ref_idx_default = {1, 1},
        .weighted_pred_flag = picture->pic_fields.bits.weighted_pred_flag,
        .weighted_bipred_idc = picture->pic_fields.bits.weighted_bipred_idc,
        .pic_init_qp = picture->pic_init_qp_minus26 + 26,
        .pic_init_qs = picture->pic_init_qs_minus26 + 26,
        .chroma_qp_index_offset = picture->chroma_qp_index_offset,
        .second_chroma_qp_index_offset = picture->second_chroma_qp_index_offset,
        .deblocking_filter_control_present_flag = picture->pic_fields.bits.deblocking_filter_control_present_flag,
        .constrained_intra_pred_flag = picture->pic_fields.bits.constrained_intra_pred_flag,
        .redundant_pic_cnt_present_flag = picture->pic_fields.bits.redundant_pic_cnt_present_flag,
        .transform_8x8_mode_flag = picture->pic_fields.bits.transform_8x8_mode_flag,
        .has_scaling_matrix = matrix != NULL,
    };
    if (matrix) {
        memcpy(pps.scaling_4x4, matrix->ScalingList4x4, sizeof pps.scaling_4x4);
        memcpy(pps.scaling_8x8, matrix->ScalingList8x8, sizeof pps.scaling_8x8);
    }
    return pps;
}

/// VA's parameters lack the PPS's id and its default numbers of references. The id is the third value of the slice
/// header; the defaults are those of slice parameters whose header does not override them.
static bool read_slice(const uint8_t *nal, size_t size, const struct h264_sps *sps, struct h264_pps *pps,
                       const VASliceParameterBufferH264 *parameters, struct h264_slice *slice) {
    pps->num_ref_idx_default[0] = parameters->num_ref_idx_l0_active_minus1 + 1;
    pps->num_ref_idx_default[1] = parameters->num_ref_idx_l1_active_minus1 + 1;
    struct bytes rbsp = unescape(nal, size < 4096 ? size : 4096);
    bool parsed = rbsp.data && h264_parse_slice(&rbsp, sps, pps, slice);
    free(rbsp.data);
    pps->id = slice->pps_id;
    return parsed && pps->id < 256;
}

/// Names the first parameter that the bitstream contradicts; NULL if there is none.
static const char *contradiction(const VASliceParameterBufferH264 *parameters, const struct h264_slice *slice,
                                 const VAPictureParameterBufferH264 *picture, bool field) {
    if (parameters->slice_type % 5 != slice->type)
        return "slice_type";
    if (parameters->first_mb_in_slice != slice->first_mb)
        return "first_mb_in_slice";
    if (slice->type != H264_I && parameters->num_ref_idx_l0_active_minus1 + 1 != slice->num_ref_idx[0])
        return "num_ref_idx_l0_active_minus1";
    if (slice->type == H264_B && parameters->num_ref_idx_l1_active_minus1 + 1 != slice->num_ref_idx[1])
        return "num_ref_idx_l1_active_minus1";
    if (slice->type == H264_B && !parameters->direct_spatial_mv_pred_flag != !slice->direct_spatial_mv_pred_flag)
        return "direct_spatial_mv_pred_flag";
    if (parameters->cabac_init_idc != slice->cabac_init_idc)
        return "cabac_init_idc";
    if (parameters->slice_qp_delta != slice->qp_delta)
        return "slice_qp_delta";
    if (parameters->disable_deblocking_filter_idc != slice->disable_deblocking_filter_idc)
        return "disable_deblocking_filter_idc";
    if (parameters->slice_data_bit_offset != slice->end)
        return "slice_data_bit_offset";
    if (picture->frame_num != slice->frame_num)
        return "frame_num";
    if (!picture->pic_fields.bits.reference_pic_flag != !slice->nal_ref_idc)
        return "reference_pic_flag";
    return field != slice->field_pic_flag ? "field_pic_flag" : NULL;
}

static VAStatus add_slice(struct context *context, int number, const VASliceParameterBufferH264 *parameters,
                          const VAPictureParameterBufferH264 *picture, const struct h264_sps *sps,
                          struct h264_pps *pps, bool *has_pps, struct bytes *slices, struct bytes *stream) {
    struct driver *driver = context->driver;
    size_t size;
    const uint8_t *nal = slice_data(context, number, parameters, &size);
    if (!nal)
        return refuse(driver, VA_STATUS_ERROR_INVALID_PARAMETER, "slice parameters leave the slice data");
    struct h264_slice slice;
    if (!read_slice(nal, size, sps, pps, parameters, &slice))
        return refuse(driver, VA_STATUS_ERROR_DECODING_ERROR, "broken slice header");
    const char *wrong = contradiction(parameters, &slice, picture, picture->pic_fields.bits.field_pic_flag);
    if (wrong)
        return refuse(driver, VA_STATUS_ERROR_INVALID_PARAMETER, "%s contradicts the slice header", wrong);
    // A slice without override has the defaults; each PPS is written once, by the first such slice, or else by the
    // first.
    if (!has_pps[pps->id] || (!slice.num_ref_idx_override_flag && slice.type != H264_I)) {
        h264_write_pps(stream, sps, pps);
        has_pps[pps->id] = true;
    }
    append(slices, "\0\0\1", 3);
    append(slices, nal, size);
    return VA_STATUS_SUCCESS;
}

static VAStatus add_slices(struct context *context, const VAPictureParameterBufferH264 *picture,
                           const struct h264_sps *sps, struct h264_pps *pps, struct bytes *stream) {
    struct bytes slices = {0};
    bool has_pps[256] = {false};
    VAStatus status = VA_STATUS_SUCCESS;
    struct buffer *buffer;
    int number = 0;
    for (; (buffer = picture_buffer(context, VASliceParameterBufferType, number, sizeof(VASliceParameterBufferH264)));
         number++)
        for (unsigned element = 0; element < buffer->count && status == VA_STATUS_SUCCESS; element++) {
            VASliceParameterBufferH264 parameters;
            memcpy(&parameters, buffer->data + element * buffer->element_size, sizeof parameters);
            status = add_slice(context, number, &parameters, picture, sps, pps, has_pps, &slices, stream);
        }
    if (number == 0)
        status = refuse(context->driver, VA_STATUS_ERROR_INVALID_PARAMETER, "a picture without slices");
    append(stream, slices.data, slices.size);
    free(slices.data);
    return status;
}

static VAStatus use_surfaces(struct context *context, const VAPictureParameterBufferH264 *picture, struct job *job) {
    if (picture->CurrPic.picture_id != context->target->object.id)
        return refuse(context->driver, VA_STATUS_ERROR_INVALID_PARAMETER, "CurrPic is not the picture's target");
    VAStatus status = VA_STATUS_SUCCESS;
    for (int index = 0; index < 16 && status == VA_STATUS_SUCCESS; index++) {
        const VAPictureH264 *reference = &picture->ReferenceFrames[index];
        if (!(reference->flags & VA_PICTURE_H264_INVALID) && reference->picture_id != VA_INVALID_SURFACE)
            status = use_reference(context, reference->picture_id, "ReferenceFrames", job);
    }
    return status;
}

static VAStatus prepare(struct context *context, struct job *job) {
    struct driver *driver = context->driver;
    struct decoder *decoder = context->state;
    struct buffer *buffer = picture_buffer(context, VAPictureParameterBufferType, 0,
                                           sizeof(VAPictureParameterBufferH264));
    struct buffer *matrix = picture_buffer(context, VAIQMatrixBufferType, 0, sizeof(VAIQMatrixBufferH264));
    if (!buffer)
        return refuse(driver, VA_STATUS_ERROR_INVALID_BUFFER, "no picture parameters");
    const VAPictureParameterBufferH264 *picture = (const void *)buffer->data;
    struct h264_sps sps = sps_from(picture, context->config.profile);
    struct h264_pps pps = pps_from(picture, matrix ? (const void *)matrix->data : NULL);
    struct decode_job *decode = begin_decode_job(context, job, sps.width_in_mbs * 16,
                                                 (picture->picture_height_in_mbs_minus1 + 1) * 16);
    if (!decode)
        return VA_STATUS_ERROR_ALLOCATION_FAILED;
    if (decode->width > context->width + 15 || decode->height > context->height + 31)
        return refuse(driver, VA_STATUS_ERROR_INVALID_PARAMETER, "%dx%d in a context of %dx%d", decode->width,
                      decode->height, context->width, context->height);
    VAStatus status = use_surfaces(context, picture, job);
    // A picture without predecessor restarts the decoder; the second field of a pair has a predecessor.
    decode->flush = job->use_count == 1 && decoder->previous_target != context->target->object.id;
    decoder->previous_target = context->target->object.id;
    h264_write_decoder_sps(&decode->stream, &sps);
    return status ? status : add_slices(context, picture, &sps, &pps, &decode->stream);
}

static VAStatus run(struct context *context, struct job *job) {
    struct decoder *decoder = context->state;
    const struct decode_job *decode = job->payload;
    // Substitutes for missing references are allocated before the picture, which is the last one. A second field
    // allocates none.
    if (!decoder_feed(decoder, decode))
        return VA_STATUS_ERROR_DECODING_ERROR;
    return store_picture(decode, decoder->allocated);
}

const struct codec h264_decoder = {ENGINE_DECODE, open_decoder, prepare, run, decoder_close};
