#ifndef SOFT_ENCODE_H264_H
#define SOFT_ENCODE_H264_H

#include "encode.h"
#include "h264.h"

/// x264's settings, fixed when it opens.
struct h264_tools {
    int width_in_mbs, height_in_mbs;
    int cabac, cabac_init_idc, transform_8x8, constrained_intra, chroma_qp_offset;
    int disable_deblocking_filter_idc, alpha_c0_offset_div2, beta_offset_div2;
};

/// An open x264.
struct h264_session {
    struct x264_t *x264;
    struct h264_tools tools;
    struct h264_sps own_sps;  // x264's, to read its slice headers with
    struct h264_pps own_pps;
    int64_t count;
};

struct h264_encoder {
    struct encoder common;
    bool has_sps, has_pps;
    struct h264_sps packed_sps;
    struct h264_pps packed_pps;
    // The worker's:
    struct h264_session session, b_session;
};

struct h264_job {
    struct encode_job common;
    struct h264_sps sps;
    struct h264_pps pps;
    struct h264_slice slice;
};

VAStatus x264_run(struct context *context, struct job *job);
void x264_stop(struct h264_encoder *encoder);

#endif
