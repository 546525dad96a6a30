/// HEVC decoding. VA-API lacks the SPS's reference picture sets, so that the slices' own headers cannot be used: each
/// is written anew, with an explicit set, and the slice's data are put behind it.

#include <stdlib.h>
#include <string.h>

#include "decode.h"
#include "hevc.h"

enum { LOG2_MAX_POC_LSB = 16 };

static void *open_decoder(struct context *context) {
    (void)context;
    return decoder_open(AV_CODEC_ID_HEVC);
}

static struct hevc_sps sps_from(const VAPictureParameterBufferHEVC *picture) {
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

static struct hevc_pps pps_from(const VAPictureParameterBufferHEVC *picture, const struct hevc_scaling *scaling) {
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
        // Slices say what they want, whatever the real PPS says.
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

static struct hevc_scaling scaling_from(const VAIQMatrixBufferHEVC *matrix) {
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

/// The picture's reference picture set, and where each of VA's references got its place in the initial lists.
struct references {
    struct hevc_rps rps;
    int long_count, long_lsb[16];
    bool long_used[16];
    int place[2][15];  // in the initial list of references that the picture itself uses; -1: not there
    int used_count;
    bool any;
};

static bool is_present(const VAPictureHEVC *reference) {
    return reference->picture_id != VA_INVALID_SURFACE && !(reference->flags & VA_PICTURE_HEVC_INVALID);
}

/// Which of the three subsets that the picture may use has the reference: 0 before, 1 after, 2 long-term, -1 none.
static int subset_of(const VAPictureHEVC *reference) {
    if (reference->flags & VA_PICTURE_HEVC_RPS_ST_CURR_BEFORE)
        return 0;
    if (reference->flags & VA_PICTURE_HEVC_RPS_ST_CURR_AFTER)
        return 1;
    return reference->flags & VA_PICTURE_HEVC_RPS_LT_CURR ? 2 : -1;
}

/// 8.3.4: list 0 begins with the past, list 1 with the future, nearest first; then long-term references.
static void place_references(struct references *references, const VAPictureHEVC *list, int poc) {
    for (int l = 0; l < 2; l++)
        for (int index = 0; index < 15; index++) {
            references->place[l][index] = -1;
            int subset = is_present(&list[index]) ? subset_of(&list[index]) : -1;
            if (subset < 0)
                continue;
            int rank = subset == 2 ? 2 : subset ^ l, place = 0;
            for (int other = 0; other < 15; other++) {
                int its = is_present(&list[other]) ? subset_of(&list[other]) : -1;
                int its_rank = its == 2 ? 2 : its ^ l;
                bool nearer = abs(list[other].pic_order_cnt - poc) < abs(list[index].pic_order_cnt - poc);
                if (its >= 0 && (its_rank < rank || (its == subset && (its == 2 ? other < index : nearer))))
                    place++;
            }
            references->place[l][index] = place;
        }
}

static struct references references_of(const VAPictureParameterBufferHEVC *picture) {
    struct references references = {0};
    int poc = picture->CurrPic.pic_order_cnt;
    for (int index = 0; index < 15; index++) {
        const VAPictureHEVC *reference = &picture->ReferenceFrames[index];
        if (!is_present(reference))
            continue;
        bool used = subset_of(reference) >= 0;
        references.any = true;
        references.used_count += used;
        if (reference->flags & VA_PICTURE_HEVC_LONG_TERM_REFERENCE) {
            references.long_lsb[references.long_count] = reference->pic_order_cnt & ((1 << LOG2_MAX_POC_LSB) - 1);
            references.long_used[references.long_count++] = used;
        } else {
            references.rps.delta_poc[references.rps.count] = reference->pic_order_cnt - poc;
            references.rps.used[references.rps.count++] = used;
        }
    }
    place_references(&references, picture->ReferenceFrames, poc);
    return references;
}

static void put_references(struct writer *writer, const struct references *references, int poc) {
    put(writer, LOG2_MAX_POC_LSB, (uint32_t)poc & ((1 << LOG2_MAX_POC_LSB) - 1));
    put(writer, 1, 0);
    hevc_put_rps(writer, &references->rps);
    put_ue(writer, (uint32_t)references->long_count);
    for (int index = 0; index < references->long_count; index++) {
        put(writer, LOG2_MAX_POC_LSB, (uint32_t)references->long_lsb[index]);
        put(writer, 1, references->long_used[index]);
        put(writer, 1, 0);
    }
}

static int bits_for(int count) {
    int bits = 0;
    while (1 << bits < count)
        bits++;
    return bits;
}

/// ref_pic_lists_modification(): every entry is named. False when a list names what the picture may not use.
static bool put_lists(struct writer *writer, const VASliceParameterBufferHEVC *slice, const int *num_ref_idx,
                      bool bidirectional, const struct references *references) {
    for (int list = 0; list <= bidirectional; list++) {
        bool several = references->used_count > 1;
        if (several)
            put(writer, 1, 1);
        for (int index = 0; index < num_ref_idx[list]; index++) {
            int entry = slice->RefPicList[list][index];
            int place = entry < 15 ? references->place[list][entry] : -1;
            if (place < 0)
                return false;
            if (several)
                put(writer, bits_for(references->used_count), (uint32_t)place);
        }
    }
    return true;
}

struct weights {
    const int8_t *luma, *luma_offset, (*chroma)[2], (*chroma_offset)[2];
};

static void put_list_weights(struct writer *writer, const struct weights *weights, int count, int chroma_denom) {
    for (int index = 0; index < count; index++)
        put(writer, 1, 1);
    for (int index = 0; index < count; index++)
        put(writer, 1, 1);
    for (int index = 0; index < count; index++) {
        put_se(writer, weights->luma[index]);
        put_se(writer, weights->luma_offset[index]);
        for (int plane = 0; plane < 2; plane++) {
            // 7-56 backwards: VA has the offset, the stream what is left after the prediction of it.
            int weight = (1 << chroma_denom) + weights->chroma[index][plane];
            int predicted = 128 - ((128 * weight) >> chroma_denom);
            put_se(writer, weights->chroma[index][plane]);
            put_se(writer, weights->chroma_offset[index][plane] - predicted);
        }
    }
}

static void put_weights(struct writer *writer, const VASliceParameterBufferHEVC *slice, const int *num_ref_idx,
                        bool bidirectional) {
    struct weights weights[2] = {
        {slice->delta_luma_weight_l0, slice->luma_offset_l0, slice->delta_chroma_weight_l0, slice->ChromaOffsetL0},
        {slice->delta_luma_weight_l1, slice->luma_offset_l1, slice->delta_chroma_weight_l1, slice->ChromaOffsetL1}};
    put_ue(writer, slice->luma_log2_weight_denom);
    put_se(writer, slice->delta_chroma_log2_weight_denom);
    int chroma_denom = slice->luma_log2_weight_denom + slice->delta_chroma_log2_weight_denom;
    for (int list = 0; list <= bidirectional; list++)
        put_list_weights(writer, &weights[list], num_ref_idx[list], chroma_denom);
}

static bool put_inter(struct writer *writer, const struct hevc_pps *pps, const VASliceParameterBufferHEVC *slice,
                      const struct references *references) {
    bool bidirectional = slice->LongSliceFlags.fields.slice_type == HEVC_B;
    int num_ref_idx[2] = {slice->num_ref_idx_l0_active_minus1 + 1, slice->num_ref_idx_l1_active_minus1 + 1};
    put(writer, 1, 1);
    for (int list = 0; list <= bidirectional; list++)
        put_ue(writer, (uint32_t)num_ref_idx[list] - 1);
    if (num_ref_idx[0] > 15 || num_ref_idx[1] > 15
        || !put_lists(writer, slice, num_ref_idx, bidirectional, references))
        return false;
    if (bidirectional)
        put(writer, 1, slice->LongSliceFlags.fields.mvd_l1_zero_flag);
    if (pps->cabac_init_present_flag)
        put(writer, 1, slice->LongSliceFlags.fields.cabac_init_flag);
    if (slice->LongSliceFlags.fields.slice_temporal_mvp_enabled_flag) {
        bool from_list_0 = !bidirectional || slice->LongSliceFlags.fields.collocated_from_l0_flag;
        if (bidirectional)
            put(writer, 1, from_list_0);
        if (num_ref_idx[from_list_0 ? 0 : 1] > 1)
            put_ue(writer, slice->collocated_ref_idx);
    }
    if (bidirectional ? pps->weighted_bipred_flag : pps->weighted_pred_flag)
        put_weights(writer, slice, num_ref_idx, bidirectional);
    put_ue(writer, slice->five_minus_max_num_merge_cand);
    return true;
}

static void put_slice_filters(struct writer *writer, const struct hevc_pps *pps,
                              const VASliceParameterBufferHEVC *slice) {
    bool disabled = slice->LongSliceFlags.fields.slice_deblocking_filter_disabled_flag;
    put(writer, 1, 1);  // deblocking_filter_override_flag
    put(writer, 1, disabled);
    if (!disabled) {
        put_se(writer, slice->slice_beta_offset_div2);
        put_se(writer, slice->slice_tc_offset_div2);
    }
    bool filtered = slice->LongSliceFlags.fields.slice_sao_luma_flag
                    || slice->LongSliceFlags.fields.slice_sao_chroma_flag || !disabled;
    if (pps->loop_filter_across_slices_enabled_flag && filtered)
        put(writer, 1, slice->LongSliceFlags.fields.slice_loop_filter_across_slices_enabled_flag);
}

static int bits_of_address(const struct hevc_sps *sps) {
    int size = 1 << (sps->log2_min_cb + sps->log2_diff_max_min_cb);
    return bits_for(((sps->width + size - 1) / size) * ((sps->height + size - 1) / size));
}

struct picture {
    const VAPictureParameterBufferHEVC *parameters;
    struct hevc_sps sps;
    struct hevc_pps pps;
    struct references references;
    int nal_unit_type;
};

/// An independent slice's part of the header.
static bool put_independent(struct writer *writer, const struct picture *picture,
                            const VASliceParameterBufferHEVC *slice) {
    put_ue(writer, slice->LongSliceFlags.fields.slice_type);
    put_references(writer, &picture->references, picture->parameters->CurrPic.pic_order_cnt);
    if (picture->sps.temporal_mvp_enabled_flag)
        put(writer, 1, slice->LongSliceFlags.fields.slice_temporal_mvp_enabled_flag);
    if (picture->sps.sao_enabled_flag) {
        put(writer, 1, slice->LongSliceFlags.fields.slice_sao_luma_flag);
        put(writer, 1, slice->LongSliceFlags.fields.slice_sao_chroma_flag);
    }
    if (slice->LongSliceFlags.fields.slice_type != HEVC_I
        && !put_inter(writer, &picture->pps, slice, &picture->references))
        return false;
    put_se(writer, slice->slice_qp_delta);
    if (picture->pps.slice_chroma_qp_offsets_present_flag) {
        put_se(writer, slice->slice_cb_qp_offset);
        put_se(writer, slice->slice_cr_qp_offset);
    }
    put_slice_filters(writer, &picture->pps, slice);
    return true;
}

static bool put_header(struct writer *writer, const struct picture *picture,
                       const VASliceParameterBufferHEVC *slice) {
    bool dependent = slice->LongSliceFlags.fields.dependent_slice_segment_flag;
    put(writer, 16, (uint32_t)picture->nal_unit_type << 9 | 1);
    put(writer, 1, slice->slice_segment_address == 0);
    if (hevc_is_irap(picture->nal_unit_type))
        put(writer, 1, 0);
    put_ue(writer, 0);
    if (slice->slice_segment_address != 0) {
        if (picture->pps.dependent_slice_segments_enabled_flag)
            put(writer, 1, dependent);
        put(writer, bits_of_address(&picture->sps), slice->slice_segment_address);
    }
    if (!dependent && !put_independent(writer, picture, slice))
        return false;
    // One thread decodes tiles and rows one after the other and needs no entry points.
    if (picture->pps.tiles_enabled_flag || picture->pps.entropy_coding_sync_enabled_flag)
        put_ue(writer, 0);
    put_trailing(writer);
    return true;
}

/// What the slice's own header says without knowledge of the parameter sets.
static const char *contradiction(const VASliceParameterBufferHEVC *slice, const struct bytes *rbsp,
                                 const VAPictureParameterBufferHEVC *picture) {
    struct reader reader = {.data = rbsp->data, .size = rbsp->size};
    get(&reader, 1);
    int nal_unit_type = (int)get(&reader, 6);
    get(&reader, 9);
    if (hevc_is_irap(nal_unit_type) != picture->slice_parsing_fields.bits.RapPicFlag)
        return "RapPicFlag";
    if (hevc_is_idr(nal_unit_type) != picture->slice_parsing_fields.bits.IdrPicFlag)
        return "IdrPicFlag";
    if (get(&reader, 1) != (slice->slice_segment_address == 0))
        return "slice_segment_address";
    if (slice->slice_segment_address != 0 || slice->LongSliceFlags.fields.dependent_slice_segment_flag)
        return NULL;
    if (hevc_is_irap(nal_unit_type))
        get(&reader, 1);
    get_ue(&reader);
    get(&reader, picture->num_extra_slice_header_bits);
    return get_ue(&reader) != slice->LongSliceFlags.fields.slice_type ? "slice_type" : NULL;
}

static VAStatus add_slice(struct context *context, int number, const VASliceParameterBufferHEVC *slice,
                          const struct picture *picture, struct bytes *stream) {
    struct driver *driver = context->driver;
    size_t size;
    const uint8_t *nal = slice_data(context, number, slice, &size);
    if (!nal)
        return refuse(driver, VA_STATUS_ERROR_INVALID_PARAMETER, "slice parameters leave the slice data");
    struct bytes rbsp = unescape(nal, size);
    const char *wrong = contradiction(slice, &rbsp, picture->parameters);
    if (!wrong && slice->slice_data_byte_offset >= rbsp.size)
        wrong = "slice_data_byte_offset";
    struct writer writer = {0};
    VAStatus status = VA_STATUS_SUCCESS;
    if (wrong)
        status = refuse(driver, VA_STATUS_ERROR_INVALID_PARAMETER, "%s contradicts the slice header", wrong);
    else if (!put_header(&writer, picture, slice))
        status = refuse(driver, VA_STATUS_ERROR_INVALID_PARAMETER, "RefPicList names what the picture may not use");
    else {
        append(&writer.bytes, rbsp.data + slice->slice_data_byte_offset, rbsp.size - slice->slice_data_byte_offset);
        append_nal(stream, writer.bytes.data, writer.bytes.size);
    }
    free(writer.bytes.data);
    free(rbsp.data);
    return status;
}

static VAStatus add_slices(struct context *context, const struct picture *picture, struct bytes *stream) {
    struct buffer *buffer;
    int number = 0;
    for (; (buffer = picture_buffer(context, VASliceParameterBufferType, number, sizeof(VASliceParameterBufferHEVC)));
         number++)
        for (unsigned element = 0; element < buffer->count; element++) {
            VASliceParameterBufferHEVC slice;
            memcpy(&slice, buffer->data + element * buffer->element_size, sizeof slice);
            VAStatus status = add_slice(context, number, &slice, picture, stream);
            if (status != VA_STATUS_SUCCESS)
                return status;
        }
    return number ? VA_STATUS_SUCCESS
                  : refuse(context->driver, VA_STATUS_ERROR_INVALID_PARAMETER, "a picture without slices");
}

static VAStatus use_surfaces(struct context *context, const VAPictureParameterBufferHEVC *picture, struct job *job) {
    if (picture->CurrPic.picture_id != context->target->object.id)
        return refuse(context->driver, VA_STATUS_ERROR_INVALID_PARAMETER, "CurrPic is not the picture's target");
    if (picture->bit_depth_luma_minus8 + 8 != context->target->format->depth)
        return refuse(context->driver, VA_STATUS_ERROR_INVALID_SURFACE, "%d bits do not fit the surface",
                      picture->bit_depth_luma_minus8 + 8);
    job_use(job, context->target, true);
    for (int index = 0; index < 15; index++) {
        const VAPictureHEVC *reference = &picture->ReferenceFrames[index];
        if (!is_present(reference))
            continue;
        struct surface *surface = find_surface(context->driver, reference->picture_id);
        if (!surface)
            return refuse(context->driver, VA_STATUS_ERROR_INVALID_SURFACE, "ReferenceFrames[%d]: no surface %#x",
                          index, reference->picture_id);
        job_use(job, surface, false);
    }
    return VA_STATUS_SUCCESS;
}

static VAStatus prepare(struct context *context, struct job *job) {
    struct driver *driver = context->driver;
    struct buffer *buffer = picture_buffer(context, VAPictureParameterBufferType, 0,
                                           sizeof(VAPictureParameterBufferHEVC));
    struct buffer *matrix = picture_buffer(context, VAIQMatrixBufferType, 0, sizeof(VAIQMatrixBufferHEVC));
    if (!buffer)
        return refuse(driver, VA_STATUS_ERROR_INVALID_BUFFER, "no picture parameters");
    const VAPictureParameterBufferHEVC *parameters = (const void *)buffer->data;
    struct hevc_scaling scaling = matrix ? scaling_from((const void *)matrix->data) : (struct hevc_scaling){0};
    struct picture picture = {
        .parameters = parameters,
        .sps = sps_from(parameters),
        .pps = pps_from(parameters, matrix ? &scaling : NULL),
        .references = references_of(parameters),
    };
    bool begins = parameters->slice_parsing_fields.bits.RapPicFlag && !picture.references.any;
    picture.nal_unit_type = begins ? HEVC_CRA : HEVC_TRAIL_R;
    struct decode_job *decode = calloc(1, sizeof *decode);
    if (!decode)
        return VA_STATUS_ERROR_ALLOCATION_FAILED;
    *decode = (struct decode_job){
        .target = context->target, .width = picture.sps.width, .height = picture.sps.height, .flush = begins};
    job->payload = decode;
    job->free_payload = decode_job_free;
    VAStatus status = use_surfaces(context, parameters, job);
    if (status != VA_STATUS_SUCCESS)
        return status;
    hevc_write_vps(&decode->stream, &picture.sps);
    hevc_write_sps(&decode->stream, &picture.sps);
    hevc_write_pps(&decode->stream, &picture.sps, &picture.pps);
    return add_slices(context, &picture, &decode->stream);
}

static VAStatus run(struct context *context, struct job *job) {
    struct decoder *decoder = context->state;
    if (!decoder_feed(decoder, job->payload))
        return VA_STATUS_ERROR_DECODING_ERROR;
    // Nothing is reordered, so what comes out is the picture that went in.
    if (decoder->put_out->pts != decoder->count)
        return VA_STATUS_ERROR_DECODING_ERROR;
    return store_picture(job->payload, decoder->put_out);
}

const struct codec hevc_decoder = {ENGINE_DECODE, open_decoder, prepare, run, decoder_close};
