/// The worker's part of HEVC encoding: one picture into x265, one slice out, its data after the application's header.

#include <stdlib.h>
#include <string.h>

#include <x265.h>

#include "encode_hevc.h"

static void stop(struct hevc_session *session) {
    if (session->x265)
        session->api->encoder_close(session->x265);
    if (session->parameters)
        session->api->param_free(session->parameters);
    session->x265 = NULL;
    session->parameters = NULL;
}

void x265_stop(struct hevc_encoder *encoder) {
    stop(&encoder->session);
    stop(&encoder->b_session);
}

static struct hevc_tools tools_of(const struct hevc_job *job) {
    const struct hevc_sps *sps = &job->sps;
    const struct hevc_pps *pps = &job->pps;
    return (struct hevc_tools){
        .width = sps->width,
        .height = sps->height,
        .bit_depth = sps->bit_depth,
        .log2_min_cb = sps->log2_min_cb,
        .log2_max_cb = sps->log2_min_cb + sps->log2_diff_max_min_cb,
        .log2_max_tb = sps->log2_min_tb + sps->log2_diff_max_min_tb,
        .depth_inter = sps->max_transform_hierarchy_depth_inter,
        .depth_intra = sps->max_transform_hierarchy_depth_intra,
        .amp = sps->amp_enabled_flag,
        .sao = sps->sao_enabled_flag,
        .strong_intra_smoothing = sps->strong_intra_smoothing_enabled_flag,
        .sign_data_hiding = pps->sign_data_hiding_enabled_flag,
        .constrained_intra = pps->constrained_intra_pred_flag,
        .transform_skip = pps->transform_skip_enabled_flag,
        .cu_qp_delta = pps->cu_qp_delta_enabled_flag,
        .diff_cu_qp_delta_depth = pps->diff_cu_qp_delta_depth,
        .cb_qp_offset = pps->cb_qp_offset,
        .cr_qp_offset = pps->cr_qp_offset,
        .deblocking_disabled = job->slice.deblocking_filter_disabled_flag,
        .beta_offset_div2 = job->slice.beta_offset_div2,
        .tc_offset_div2 = job->slice.tc_offset_div2,
    };
}

/// Between pictures of noise no match is found, so the search is short.
static void expect_intra(x265_param *parameters) {
    // By luma's cost alone, noise may be chosen.
    parameters->rdLevel = 4;
    parameters->limitModes = 1;
    parameters->limitReferences = X265_REF_LIMIT_DEPTH | X265_REF_LIMIT_CU;
    parameters->bEnableFastIntra = 1;
    parameters->searchMethod = X265_DIA_SEARCH;
    parameters->searchRange = 0;
    parameters->subpelRefine = 0;
}

static void set_timing(x265_param *parameters, bool makes_b) {
    parameters->fpsNum = 25;
    parameters->fpsDenom = 1;
    parameters->bframes = makes_b;
    parameters->bFrameAdaptive = X265_B_ADAPT_NONE;
    parameters->bBPyramid = 0;
    parameters->bIntraInBFrames = 1;
    if (makes_b)
        expect_intra(parameters);
    parameters->lookaheadDepth = makes_b ? 2 : 0;
    parameters->keyframeMax = -1;
    parameters->scenecutThreshold = 0;
    parameters->bOpenGOP = 0;
    parameters->maxNumReferences = 1;
    // Without lookahead slices and wavefronts, x265 needs no thread pool.
    parameters->frameNumThreads = 1;
    parameters->lookaheadSlices = 0;
    parameters->bEnableWavefront = 0;
    parameters->bRepeatHeaders = 0;
    parameters->bEmitInfoSEI = 0;
    parameters->bAnnexB = 1;
}

/// x265 sets cu_qp_delta_enabled_flag only with adaptive quantization; if the application's PPS has it, that is
/// enabled, too weak to change a QP.
static void set_rate(x265_param *parameters, const struct hevc_tools *tools) {
    parameters->rc.rateControlMode = tools->cu_qp_delta ? X265_RC_CRF : X265_RC_CQP;
    parameters->rc.qp = 26;
    parameters->rc.rfConstant = 26;
    parameters->rc.qpMin = 0;
    parameters->rc.qpMax = 51;
    parameters->rc.aqMode = tools->cu_qp_delta ? X265_AQ_VARIANCE : X265_AQ_NONE;
    parameters->rc.aqStrength = tools->cu_qp_delta ? 0.001 : 0;
    parameters->rc.cuTree = 0;
    parameters->rc.qgSize = 1u << (tools->log2_max_cb - tools->diff_cu_qp_delta_depth);
    parameters->psyRd = 0;
    parameters->psyRdoq = 0;
}

static void set_tools(x265_param *parameters, const struct hevc_tools *tools) {
    parameters->sourceWidth = tools->width;
    parameters->sourceHeight = tools->height;
    parameters->internalCsp = X265_CSP_I420;
    parameters->internalBitDepth = tools->bit_depth;
    parameters->maxCUSize = 1u << tools->log2_max_cb;
    parameters->minCUSize = 1u << tools->log2_min_cb;
    parameters->maxTUSize = 1u << tools->log2_max_tb;
    parameters->tuQTMaxInterDepth = (uint32_t)tools->depth_inter + 1;
    parameters->tuQTMaxIntraDepth = (uint32_t)tools->depth_intra + 1;
    parameters->bEnableRectInter = tools->amp;
    parameters->bEnableAMP = tools->amp;
    parameters->bEnableSAO = tools->sao;
    parameters->bEnableStrongIntraSmoothing = tools->strong_intra_smoothing;
    parameters->bEnableSignHiding = tools->sign_data_hiding;
    parameters->bEnableConstrainedIntra = tools->constrained_intra;
    parameters->bEnableTransformSkip = tools->transform_skip;
    parameters->cbQpOffset = tools->cb_qp_offset;
    parameters->crQpOffset = tools->cr_qp_offset;
    parameters->bEnableLoopFilter = !tools->deblocking_disabled;
    parameters->deblockingFilterBetaOffset = tools->beta_offset_div2;
    parameters->deblockingFilterTCOffset = tools->tc_offset_div2;
    parameters->bEnableWeightedPred = 0;
    parameters->bEnableWeightedBiPred = 0;
    // Its motion vectors are scaled by picture order counts, which are x265's, not the application's.
    parameters->bEnableTemporalMvp = 0;
    parameters->maxNumMergeCand = 2;
}

static bool read_own_sets(struct hevc_session *session) {
    x265_nal *nals;
    uint32_t count;
    bool has_sps = false, has_pps = false;
    if (session->api->encoder_headers(session->x265, &nals, &count) < 0)
        return false;
    for (x265_nal *nal = nals; nal < nals + count; nal++) {
        const uint8_t *data;
        size_t size, position = 0;
        if (!next_nal(nal->payload, nal->sizeBytes, &position, &data, &size))
            return false;
        struct bytes rbsp = unescape(data, size);
        if (nal->type == NAL_UNIT_SPS)
            has_sps = hevc_parse_sps(&rbsp, &session->own_sps);
        if (nal->type == NAL_UNIT_PPS)
            has_pps = hevc_parse_pps(&rbsp, &session->own_pps);
        free(rbsp.data);
    }
    return has_sps && has_pps;
}

/// Names the first tool of the slice data that differs in x265's parameter sets.
static const char *disagreement(const struct hevc_session *session, const struct hevc_job *job) {
    const struct hevc_sps *own = &session->own_sps, *sps = &job->sps;
    const struct hevc_pps *own_pps = &session->own_pps, *pps = &job->pps;
    return own->width != sps->width || own->height != sps->height                           ? "the size"
           : own->bit_depth != sps->bit_depth                                               ? "bit_depth"
           : own->log2_min_cb != sps->log2_min_cb                                           ? "log2_min_cb"
           : own->log2_diff_max_min_cb != sps->log2_diff_max_min_cb                         ? "log2_diff_max_min_cb"
           : own->log2_min_tb != sps->log2_min_tb                                           ? "log2_min_tb"
           : own->log2_diff_max_min_tb != sps->log2_diff_max_min_tb                         ? "log2_diff_max_min_tb"
           : own->max_transform_hierarchy_depth_inter != sps->max_transform_hierarchy_depth_inter ? "depth_inter"
           : own->max_transform_hierarchy_depth_intra != sps->max_transform_hierarchy_depth_intra ? "depth_intra"
           : own->amp_enabled_flag != sps->amp_enabled_flag                                 ? "amp"
           : own->sao_enabled_flag != sps->sao_enabled_flag                                 ? "sao"
           : own->strong_intra_smoothing_enabled_flag != sps->strong_intra_smoothing_enabled_flag ? "smoothing"
           : own_pps->sign_data_hiding_enabled_flag != pps->sign_data_hiding_enabled_flag   ? "sign_data_hiding"
           : own_pps->constrained_intra_pred_flag != pps->constrained_intra_pred_flag       ? "constrained_intra"
           : own_pps->transform_skip_enabled_flag != pps->transform_skip_enabled_flag       ? "transform_skip"
           : own_pps->cu_qp_delta_enabled_flag != pps->cu_qp_delta_enabled_flag             ? "cu_qp_delta"
           : own_pps->diff_cu_qp_delta_depth != pps->diff_cu_qp_delta_depth                 ? "diff_cu_qp_delta_depth"
           : own_pps->cb_qp_offset != pps->cb_qp_offset                                     ? "cb_qp_offset"
           : own_pps->cr_qp_offset != pps->cr_qp_offset                                     ? "cr_qp_offset"
           : own_pps->log2_parallel_merge_level != pps->log2_parallel_merge_level           ? "parallel_merge_level"
           : own_pps->transquant_bypass_enabled_flag || own_pps->weighted_pred_flag         ? "bypass or weights"
                                                                                            : NULL;
}

/// Opens x265, or reopens it if an IRAP picture, or any B picture, has other tools.
static const char *start(struct hevc_session *session, const struct hevc_job *job) {
    struct hevc_tools tools = tools_of(job);
    bool is_b = job->slice.type == HEVC_B;
    if (session->x265 && memcmp(&tools, &session->tools, sizeof tools) == 0)
        return NULL;
    if (!is_b && !hevc_is_irap(job->slice.nal_unit_type))
        return "tools change within a sequence";
    stop(session);
    *session = (struct hevc_session){.tools = tools, .api = x265_api_get(tools.bit_depth)};
    x265_param *parameters = session->parameters = session->api ? session->api->param_alloc() : NULL;
    if (!parameters)
        return "no x265 of this bit depth";
    session->api->param_default_preset(parameters, "ultrafast", "zerolatency");
    parameters->logLevel = X265_LOG_NONE;
    set_timing(parameters, is_b);
    set_rate(parameters, &tools);
    set_tools(parameters, &tools);
    session->x265 = session->api->encoder_open(parameters);
    if (!session->x265 || !read_own_sets(session))
        return "x265 does not open";
    return disagreement(session, job);
}

/// The first slice among NAL units, without emulation prevention.
static struct bytes slice_of(const x265_nal *nals, uint32_t count) {
    for (const x265_nal *nal = nals; nal < nals + count; nal++) {
        const uint8_t *data;
        size_t size, position = 0;
        if (nal->type < 32 && next_nal(nal->payload, nal->sizeBytes, &position, &data, &size))
            return unescape(data, size);
    }
    return (struct bytes){0};
}

/// Encodes one picture. Returns its slice; empty if that is not of the type `wanted`.
static struct bytes push(struct hevc_session *session, const struct planar *planar, int type, int qp, int wanted) {
    x265_picture *picture = session->api->picture_alloc(), *coded = session->api->picture_alloc();
    session->api->picture_init(session->parameters, picture);
    session->api->picture_init(session->parameters, coded);
    picture->sliceType = type;
    picture->forceqp = qp + 1;
    picture->pts = session->count++;
    picture->bitDepth = session->tools.bit_depth;
    picture->colorSpace = X265_CSP_I420;
    for (int plane = 0; plane < 3; plane++) {
        picture->planes[plane] = planar->data[plane];
        picture->stride[plane] = planar->pitch[plane];
    }
    x265_nal *nals;
    uint32_t count = 0;
    bool is_wanted = planar->data[0] && session->api->encoder_encode(session->x265, &nals, &count, picture, coded) > 0
                     && coded->sliceType == wanted;
    struct bytes slice = is_wanted ? slice_of(nals, count) : (struct bytes){0};
    session->api->picture_free(picture);
    session->api->picture_free(coded);
    return slice;
}

/// The slice's NAL unit without emulation prevention; empty if x265 failed.
static struct bytes encode_picture(struct hevc_session *session, const struct hevc_job *job,
                                   const struct planar *planar, int qp) {
    int type = hevc_is_irap(job->slice.nal_unit_type) ? X265_TYPE_IDR
               : job->slice.type == HEVC_I            ? X265_TYPE_I
                                                      : X265_TYPE_P;
    return push(session, planar, type, qp, type);
}

/// x265 takes pictures in display order, and does not accept the application's references. So a B picture is placed
/// between pictures of noise, which predict nothing: it is entirely intra.
static struct bytes encode_b_picture(struct hevc_session *session, const struct hevc_job *job,
                                     const struct planar *planar, int qp) {
    struct planar noise = make_noise(job->sps.width, job->sps.height, job->sps.bit_depth);
    if (session->count == 0)
        push(session, &noise, X265_TYPE_IDR, NOISE_QP, X265_TYPE_AUTO);
    struct bytes slice = push(session, planar, X265_TYPE_B, qp, X265_TYPE_B);
    for (int delay = 0; !slice.data && delay < B_DELAY; delay++)
        slice = push(session, &noise, X265_TYPE_P, NOISE_QP, X265_TYPE_B);
    free(noise.data[0]);
    return slice;
}

/// The application's header up to its reference picture set, then `rest`.
static void put_header(struct slice_unit *unit, const struct hevc_job *job, struct hevc_slice rest, int qp) {
    put_bits(&unit->writer, job->common.slice_header.data, 0, job->slice.rps_end);
    rest.nal_unit_type = job->slice.nal_unit_type;
    rest.type = job->slice.type;
    rest.num_ref_idx[0] = rest.num_ref_idx[1] = 1;
    rest.qp_delta = qp - job->pps.init_qp;
    rest.temporal_mvp_enabled_flag = false;
    rest.loop_filter_across_slices_enabled_flag = true;
    hevc_write_slice_rest(&unit->writer, &job->sps, &job->pps, &rest);
    unit->data = unit->writer.bytes.size;
}

static const char *make_slice(struct hevc_encoder *encoder, const struct hevc_job *job, const struct planar *planar,
                              int qp, struct slice_unit *unit) {
    bool is_b = job->slice.type == HEVC_B;
    struct hevc_session *session = is_b ? &encoder->b_session : &encoder->session;
    const char *problem = start(session, job);
    if (problem)
        return problem;
    struct bytes slice = (is_b ? encode_b_picture : encode_picture)(session, job, planar, qp);
    struct hevc_slice own;
    if (!slice.data)
        problem = "x265 gives nothing";
    else if (!hevc_parse_slice(&slice, &session->own_sps, &session->own_pps, &own))
        problem = "x265's slice header cannot be read";
    else if (own.type != job->slice.type || own.temporal_mvp_enabled_flag
             || session->own_pps.init_qp + own.qp_delta != qp)
        problem = "x265 made another picture";
    else if (own.cabac_init_flag && !job->pps.cabac_init_present_flag)
        problem = "cabac_init_flag";
    else {
        put_header(unit, job, own, qp);
        size_t data = own.end / 8 + 1;  // after byte_alignment()
        append(&unit->writer.bytes, slice.data + data, slice.size - data);
    }
    free(slice.data);
    return problem;
}

enum { LOWEST_B_QP = 10 };

VAStatus x265_run(struct context *context, struct job *job) {
    struct hevc_encoder *encoder = context->state;
    const struct hevc_job *hevc = job->payload;
    int width = hevc->sps.width, height = hevc->sps.height;
    struct planar planar = read_input(&hevc->common, width, height);
    int qp = choose_qp(&encoder->common, &hevc->common, &planar, width, height);
    // At a lower QP, x265 predicts from noise instead of coding intra blocks.
    if (hevc->slice.type == HEVC_B && qp < LOWEST_B_QP)
        qp = LOWEST_B_QP;
    struct slice_unit unit = {0};
    const char *problem = make_slice(encoder, hevc, &planar, qp, &unit);
    VAStatus status = problem ? refuse(context->driver, VA_STATUS_ERROR_ENCODING_ERROR, "HEVC encoding: %s", problem)
                              : store_coded(job, &encoder->common, &unit, qp);
    free(planar.data[0]);
    free(unit.writer.bytes.data);
    return status;
}
