/// The worker's part of H.264 encoding: one picture into x264, one slice out, its data after the application's header.

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <x264.h>

#include "encode_h264.h"

static void stop(struct h264_session *session) {
    if (session->x264)
        x264_encoder_close(session->x264);
    session->x264 = NULL;
}

void x264_stop(struct h264_encoder *encoder) {
    stop(&encoder->session);
    stop(&encoder->b_session);
}

static struct h264_tools tools_of(const struct h264_job *job) {
    return (struct h264_tools){
        .width_in_mbs = job->sps.width_in_mbs,
        .height_in_mbs = job->sps.height_in_map_units,
        .cabac = job->pps.entropy_coding_mode_flag,
        .cabac_init_idc = job->slice.type == H264_I ? 0 : job->slice.cabac_init_idc,
        .transform_8x8 = job->pps.transform_8x8_mode_flag,
        .constrained_intra = job->pps.constrained_intra_pred_flag,
        .chroma_qp_offset = job->pps.chroma_qp_index_offset,
        .disable_deblocking_filter_idc = job->slice.disable_deblocking_filter_idc,
        .alpha_c0_offset_div2 = job->slice.alpha_c0_offset_div2,
        .beta_offset_div2 = job->slice.beta_offset_div2,
    };
}

/// No lookahead, and only tools that the application's parameter sets allow.
static x264_param_t parameters_for(const struct h264_tools *tools, bool makes_b) {
    x264_param_t parameters;
    x264_param_default_preset(&parameters, "veryfast", "zerolatency");
    parameters.i_log_level = X264_LOG_NONE;
    parameters.i_width = tools->width_in_mbs * 16;
    parameters.i_height = tools->height_in_mbs * 16;
    parameters.i_csp = X264_CSP_I420;
    parameters.i_threads = 1;
    parameters.b_sliced_threads = 0;
    parameters.b_vfr_input = 0;
    parameters.b_repeat_headers = 0;
    parameters.i_keyint_max = X264_KEYINT_MAX_INFINITE;
    parameters.i_scenecut_threshold = 0;
    parameters.i_frame_reference = 1;
    parameters.i_bframe = makes_b;
    parameters.i_bframe_adaptive = X264_B_ADAPT_NONE;
    parameters.i_bframe_pyramid = X264_B_PYRAMID_NONE;
    parameters.i_level_idc = 62;
    parameters.b_cabac = tools->cabac;
    parameters.i_cabac_init_idc = tools->cabac_init_idc;
    parameters.b_constrained_intra = tools->constrained_intra;
    parameters.b_deblocking_filter = tools->disable_deblocking_filter_idc != 1;
    parameters.i_deblocking_filter_alphac0 = tools->alpha_c0_offset_div2;
    parameters.i_deblocking_filter_beta = tools->beta_offset_div2;
    parameters.analyse.b_transform_8x8 = tools->transform_8x8;
    parameters.analyse.i_weighted_pred = X264_WEIGHTP_NONE;
    parameters.analyse.i_chroma_qp_offset = tools->chroma_qp_offset;
    // Psychovisual trellis shifts the chroma QP.
    parameters.analyse.b_psy = 0;
    // Each picture has its QP; CQP mode would clip it to the QP at opening.
    parameters.rc.i_rc_method = X264_RC_CRF;
    parameters.rc.i_aq_mode = X264_AQ_NONE;
    parameters.rc.b_mb_tree = 0;
    parameters.rc.i_lookahead = 0;
    return parameters;
}

static bool read_own_sets(struct h264_session *session) {
    x264_nal_t *nals;
    int count;
    bool has_sps = false, has_pps = false;
    // Reuses the memory of the encoder's output, so only before the first picture.
    if (x264_encoder_headers(session->x264, &nals, &count) < 0)
        return false;
    for (x264_nal_t *nal = nals; nal < nals + count; nal++) {
        const uint8_t *data;
        size_t size, position = 0;
        if (!next_nal(nal->p_payload, (size_t)nal->i_payload, &position, &data, &size))
            return false;
        struct bytes rbsp = unescape(data, size);
        if (nal->i_type == NAL_SPS)
            has_sps = h264_parse_sps(&rbsp, &session->own_sps);
        if (nal->i_type == NAL_PPS)
            has_pps = h264_parse_pps(&rbsp, &session->own_pps);
        free(rbsp.data);
    }
    return has_sps && has_pps;
}

/// The slice data are valid under the application's parameter sets only if these are the same.
static bool sets_agree(const struct h264_session *session, const struct h264_job *job) {
    const struct h264_pps *own = &session->own_pps, *pps = &job->pps;
    return session->own_sps.width_in_mbs == job->sps.width_in_mbs
           && session->own_sps.height_in_map_units == job->sps.height_in_map_units
           && own->entropy_coding_mode_flag == pps->entropy_coding_mode_flag
           && own->transform_8x8_mode_flag == pps->transform_8x8_mode_flag
           && own->constrained_intra_pred_flag == pps->constrained_intra_pred_flag
           && own->chroma_qp_index_offset == pps->chroma_qp_index_offset
           && own->second_chroma_qp_index_offset == pps->second_chroma_qp_index_offset && !own->weighted_pred_flag;
}

/// Opens x264, or reopens it if an IDR picture, or any B picture, has other tools.
static bool start(struct h264_session *session, const struct h264_job *job) {
    struct h264_tools tools = tools_of(job);
    bool is_b = job->slice.type == H264_B;
    // An I slice has no cabac_init_idc; that of P slices is not known yet.
    if (session->x264 && job->slice.type == H264_I)
        tools.cabac_init_idc = session->tools.cabac_init_idc;
    if (session->x264 && memcmp(&tools, &session->tools, sizeof tools) == 0)
        return true;
    if (!is_b && job->slice.nal_unit_type != 5)
        return false;
    stop(session);
    x264_param_t parameters = parameters_for(&tools, is_b);
    *session = (struct h264_session){.tools = tools, .x264 = x264_encoder_open(&parameters)};
    return session->x264 && read_own_sets(session) && sets_agree(session, job);
}

/// The first slice among NAL units, without emulation prevention.
static struct bytes slice_of(const x264_nal_t *nals, int count) {
    for (const x264_nal_t *nal = nals; nal < nals + count; nal++) {
        const uint8_t *data;
        size_t size, position = 0;
        if ((nal->i_type == NAL_SLICE || nal->i_type == NAL_SLICE_IDR)
            && next_nal(nal->p_payload, (size_t)nal->i_payload, &position, &data, &size))
            return unescape(data, size);
    }
    return (struct bytes){0};
}

/// Encodes one picture. Returns its slice; empty if that is not of the type `wanted`.
static struct bytes push(struct h264_session *session, const struct planar *planar, int type, int qp, int wanted) {
    x264_picture_t picture, coded;
    x264_nal_t *nals;
    int count = 0;
    x264_picture_init(&picture);
    picture.i_type = type;
    picture.i_qpplus1 = qp + 1;
    picture.i_pts = session->count++;
    picture.img.i_csp = X264_CSP_I420;
    picture.img.i_plane = 3;
    for (int plane = 0; plane < 3; plane++) {
        picture.img.plane[plane] = planar->data[plane];
        picture.img.i_stride[plane] = planar->pitch[plane];
    }
    bool is_wanted = planar->data[0] && x264_encoder_encode(session->x264, &nals, &count, &picture, &coded) > 0
                     && coded.i_type == wanted;
    return is_wanted ? slice_of(nals, count) : (struct bytes){0};
}

/// The slice's NAL unit without emulation prevention; empty if x264 failed.
static struct bytes encode_picture(struct h264_session *session, const struct h264_job *job,
                                   const struct planar *planar, int qp) {
    int type = job->slice.nal_unit_type == 5    ? X264_TYPE_IDR
               : job->slice.type == H264_I ? X264_TYPE_I
                                           : X264_TYPE_P;
    return push(session, planar, type, qp, type);
}

/// x264 takes pictures in display order, and does not accept the application's references. So a B picture is placed
/// between pictures of noise, which predict nothing: it is entirely intra.
static struct bytes encode_b_picture(struct h264_session *session, const struct h264_job *job,
                                     const struct planar *planar, int qp) {
    struct planar noise = make_noise(job->sps.width_in_mbs * 16, job->sps.height_in_map_units * 16, 8);
    if (session->count == 0)
        push(session, &noise, X264_TYPE_IDR, NOISE_QP, X264_TYPE_AUTO);
    struct bytes slice = push(session, planar, X264_TYPE_B, qp, X264_TYPE_B);
    for (int delay = 0; !slice.data && delay < B_DELAY; delay++)
        slice = push(session, &noise, X264_TYPE_P, NOISE_QP, X264_TYPE_B);
    free(noise.data[0]);
    return slice;
}

/// The position of rbsp_stop_one_bit.
static size_t stop_bit(const struct bytes *rbsp) {
    size_t bit = rbsp->size * 8 - 1;
    while (bit > 0 && !(rbsp->data[bit / 8] >> (7 - bit % 8) & 1))
        bit--;
    return bit;
}

static void put_header(struct slice_unit *unit, const struct h264_job *job, int qp) {
    const uint8_t *header = job->common.slice_header.data;
    put_bits(&unit->writer, header, 0, job->slice.qp_delta_start);
    put_se(&unit->writer, qp - job->pps.pic_init_qp);
    put_bits(&unit->writer, header, job->slice.qp_delta_end, job->slice.end);
    unit->data = unit->writer.bytes.size;
}

static void put_data(struct writer *writer, const struct h264_job *job, const struct bytes *slice, size_t start) {
    if (job->pps.entropy_coding_mode_flag) {
        put_alignment(writer, 1);  // cabac_alignment_one_bit
        start = (start + 7) / 8;
        append(&writer->bytes, slice->data + start, slice->size - start);
    } else {
        put_bits(writer, slice->data, start, stop_bit(slice) + 1);
        put_alignment(writer, 0);
    }
}

static bool make_slice(struct h264_encoder *encoder, const struct h264_job *job, const struct planar *planar, int qp,
                       struct slice_unit *unit) {
    bool is_b = job->slice.type == H264_B;
    struct h264_session *session = is_b ? &encoder->b_session : &encoder->session;
    if (!start(session, job))
        return false;
    struct bytes slice = (is_b ? encode_b_picture : encode_picture)(session, job, planar, qp);
    struct h264_slice own;
    bool valid = slice.data && h264_parse_slice(&slice, &session->own_sps, &session->own_pps, &own)
                 && own.type == job->slice.type && session->own_pps.pic_init_qp + own.qp_delta == qp
                 && own.cabac_init_idc == job->slice.cabac_init_idc;
    if (valid) {
        put_header(unit, job, qp);
        put_data(&unit->writer, job, &slice, own.end);
    }
    free(slice.data);
    return valid;
}

VAStatus x264_run(struct context *context, struct job *job) {
    struct h264_encoder *encoder = context->state;
    const struct h264_job *h264 = job->payload;
    int width = h264->sps.width_in_mbs * 16, height = h264->sps.height_in_map_units * 16;
    struct planar planar = read_input(&h264->common, width, height);
    int qp = choose_qp(&encoder->common, &h264->common, &planar, width, height);
    struct slice_unit unit = {0};
    VAStatus status = VA_STATUS_ERROR_ENCODING_ERROR;
    if (make_slice(encoder, h264, &planar, qp, &unit))
        status = store_coded(job, &encoder->common, &unit, qp);
    free(planar.data[0]);
    free(unit.writer.bytes.data);
    return status;
}
