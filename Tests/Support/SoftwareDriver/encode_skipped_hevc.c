/// x265 cannot be given pictures in coding order, so B pictures are made of nothing but skipped coding blocks.

#include <stdlib.h>

#include "cabac.h"
#include "encode_hevc.h"

/// Tables 9-7 and 9-8, initType 2.
static const uint8_t split_values[3] = {107, 139, 126}, skip_values[3] = {197, 185, 201};

/// 9.3.2.2
static struct cabac_model model_for(int value, int qp) {
    int slope = (value >> 4) * 5 - 45, offset = ((value & 15) << 3) - 16;
    int state = ((slope * (qp < 0 ? 0 : qp > 51 ? 51 : qp)) >> 4) + offset;
    return cabac_model(state < 1 ? 1 : state > 126 ? 126 : state);
}

struct skipper {
    struct cabac cabac;
    struct cabac_model split[3], skip[3];
    const struct hevc_sps *sps;
    uint8_t *depths;  // of each smallest coding block, plus 1; 0: not coded yet
    int columns;
};

/// The depth, plus 1, of what is coded at a luma position; 0 outside the picture.
static int depth_at(const struct skipper *skipper, int x, int y) {
    int shift = skipper->sps->log2_min_cb;
    return x < 0 || y < 0 ? 0 : skipper->depths[(y >> shift) * skipper->columns + (x >> shift)];
}

static void put_block(struct skipper *skipper, int x, int y, int log2_size, int depth);

static void put_quarters(struct skipper *skipper, int x, int y, int log2_size, int depth) {
    int half = 1 << (log2_size - 1);
    for (int quarter = 0; quarter < 4; quarter++)
        put_block(skipper, x + (quarter & 1) * half, y + (quarter >> 1) * half, log2_size - 1, depth + 1);
}

static void mark(struct skipper *skipper, int x, int y, int log2_size, int depth) {
    int shift = skipper->sps->log2_min_cb, side = 1 << (log2_size - shift);
    for (int row = 0; row < side; row++)
        for (int column = 0; column < side; column++)
            skipper->depths[((y >> shift) + row) * skipper->columns + (x >> shift) + column] = (uint8_t)(depth + 1);
}

/// coding_quadtree(): as large as the picture's edges let it be. Neighbors decide which context a flag has.
static void put_block(struct skipper *skipper, int x, int y, int log2_size, int depth) {
    const struct hevc_sps *sps = skipper->sps;
    if (x >= sps->width || y >= sps->height)
        return;
    bool inside = x + (1 << log2_size) <= sps->width && y + (1 << log2_size) <= sps->height;
    if (!inside) {
        put_quarters(skipper, x, y, log2_size, depth);
        return;
    }
    int left = depth_at(skipper, x - 1, y), above = depth_at(skipper, x, y - 1);
    if (log2_size > sps->log2_min_cb)
        cabac_encode(&skipper->cabac, &skipper->split[(left > depth + 1) + (above > depth + 1)], 0);
    cabac_encode(&skipper->cabac, &skipper->skip[(left > 0) + (above > 0)], 1);
    mark(skipper, x, y, log2_size, depth);
}

void hevc_put_skipped(struct writer *writer, const struct hevc_job *job, int qp) {
    const struct hevc_sps *sps = &job->sps;
    int log2_ctb = sps->log2_min_cb + sps->log2_diff_max_min_cb, side = 1 << log2_ctb;
    struct skipper skipper = {.sps = sps, .columns = sps->width >> sps->log2_min_cb};
    skipper.depths = calloc((size_t)skipper.columns, (size_t)(sps->height >> sps->log2_min_cb));
    if (!skipper.depths)
        return;
    for (int index = 0; index < 3; index++) {
        skipper.split[index] = model_for(split_values[index], qp);
        skipper.skip[index] = model_for(skip_values[index], qp);
    }
    cabac_start(&skipper.cabac, writer);
    for (int y = 0; y < sps->height; y += side)
        for (int x = 0; x < sps->width; x += side) {
            put_block(&skipper, x, y, log2_ctb, 0);
            cabac_terminate(&skipper.cabac, x + side >= sps->width && y + side >= sps->height);
        }
    free(skipper.depths);
}
