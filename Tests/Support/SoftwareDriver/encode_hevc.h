#ifndef SOFT_ENCODE_HEVC_H
#define SOFT_ENCODE_HEVC_H

#include "encode.h"
#include "hevc.h"

/// x265's settings, fixed when it opens.
struct hevc_tools {
    int width, height, bit_depth;
    int log2_min_cb, log2_max_cb, log2_max_tb, depth_inter, depth_intra;
    int amp, sao, strong_intra_smoothing;
    int sign_data_hiding, constrained_intra, transform_skip, cu_qp_delta, diff_cu_qp_delta_depth;
    int cb_qp_offset, cr_qp_offset;
    int deblocking_disabled, beta_offset_div2, tc_offset_div2;
};

/// An open x265.
struct hevc_session {
    const struct x265_api *api;
    struct x265_encoder *x265;
    struct x265_param *parameters;
    struct hevc_tools tools;
    struct hevc_sps own_sps;  // x265's, to read its slice headers with
    struct hevc_pps own_pps;
    int64_t count;
};

struct hevc_encoder {
    struct encoder common;
    bool has_sps, has_pps;
    struct hevc_sps packed_sps;
    struct hevc_pps packed_pps;
    // The worker's:
    struct hevc_session session, b_session;
};

struct hevc_job {
    struct encode_job common;
    struct hevc_sps sps;
    struct hevc_pps pps;
    struct hevc_slice slice;
};

VAStatus x265_run(struct context *context, struct job *job);
void x265_stop(struct hevc_encoder *encoder);

#endif
