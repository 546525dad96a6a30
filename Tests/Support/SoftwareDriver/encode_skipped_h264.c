/// x264 cannot be given pictures in coding order, so B pictures are made of nothing but B_Skip: valid, tiny, and enough
/// to test reordering.

#include "cabac.h"
#include "encode_h264.h"

/// Table 9-13 and following: mb_skip_flag of B slices, first context, by cabac_init_idc.
static const int8_t skip_flag[3][2] = {{18, 64}, {26, 34}, {20, 40}};

static void put_skipped_cabac(struct writer *writer, const struct h264_job *job, int count) {
    int qp = job->pps.pic_init_qp + job->slice.qp_delta;
    const int8_t *values = skip_flag[job->slice.cabac_init_idc % 3];
    int state = ((values[0] * qp) >> 4) + values[1];
    struct cabac_model model = cabac_model(state < 1 ? 1 : state > 126 ? 126 : state);
    struct cabac cabac;
    put_alignment(writer, 1);
    cabac_start(&cabac, writer);
    // The context counts neighbors that are not skipped; there are none.
    for (int macroblock = 0; macroblock < count; macroblock++) {
        cabac_encode(&cabac, &model, 1);
        cabac_terminate(&cabac, macroblock == count - 1);
    }
}

void h264_put_skipped(struct writer *writer, const struct h264_job *job) {
    int count = job->sps.width_in_mbs * job->sps.height_in_map_units;
    if (job->pps.entropy_coding_mode_flag) {
        put_skipped_cabac(writer, job, count);
    } else {
        put_ue(writer, (uint32_t)count);  // mb_skip_run
        put_trailing(writer);
    }
}
