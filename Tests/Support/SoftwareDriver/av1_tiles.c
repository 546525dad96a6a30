/// tile_info() of the frame header (5.9.15).

#include "av1.h"

enum { MAX_TILE_WIDTH = 4096, MAX_TILE_AREA = 4096 * 2304, MAX_TILES = 64, TILE_SIZE_BYTES = 4 };

/// Sizes in superblocks.
struct grid {
    int columns, rows, most_width, most_area;
    int least_log2_columns, least_log2;
};

static int smaller(int one, int other) {
    return one < other ? one : other;
}

static int larger(int one, int other) {
    return one > other ? one : other;
}

/// The least `n` for which `size << n` reaches `target`.
static int tile_log2(int size, int target) {
    int log2 = 0;
    while (size << log2 < target)
        log2++;
    return log2;
}

static struct grid grid_of(const VADecPictureParameterBufferAV1 *picture) {
    int shift = picture->seq_info_fields.fields.use_128x128_superblock ? 7 : 6, block = 1 << shift;
    struct grid grid = {
        .columns = (av1_coded_width(picture) + block - 1) >> shift,
        .rows = (picture->frame_height_minus1 + block) >> shift,
        .most_width = MAX_TILE_WIDTH >> shift,
        .most_area = MAX_TILE_AREA >> (2 * shift),
    };
    grid.least_log2_columns = tile_log2(grid.most_width, grid.columns);
    grid.least_log2 = larger(grid.least_log2_columns, tile_log2(grid.most_area, grid.rows * grid.columns));
    return grid;
}

/// Tiles of equal size: as many increments as give this number of tiles. Returns the logarithm.
static int put_uniform(struct writer *writer, int size, int count, int least, int most) {
    int log2 = least, width = (size + (1 << log2) - 1) >> log2;
    while (log2 < most && (size + width - 1) / width < count) {
        put(writer, 1, 1);
        log2++;
        width = (size + (1 << log2) - 1) >> log2;
    }
    if (log2 < most)
        put(writer, 1, 0);
    return log2;
}

/// Tiles of these sizes, none larger than `most`. Returns the largest.
static int put_explicit(struct writer *writer, int size, const uint16_t *sizes_minus_1, int count, int most) {
    int largest = 1;
    for (int index = 0; index < count; index++) {
        int room = smaller(size, most);
        av1_put_ns(writer, (uint32_t)larger(room, 1), sizes_minus_1[index]);
        size -= sizes_minus_1[index] + 1;
        largest = larger(largest, sizes_minus_1[index] + 1);
    }
    return largest;
}

/// Returns the sum of both logarithms.
static int put_uniform_tiles(struct writer *writer, const VADecPictureParameterBufferAV1 *picture) {
    struct grid grid = grid_of(picture);
    int columns = put_uniform(writer, grid.columns, picture->tile_cols, grid.least_log2_columns,
                              tile_log2(1, smaller(grid.columns, MAX_TILES)));
    return columns
           + put_uniform(writer, grid.rows, picture->tile_rows, larger(grid.least_log2 - columns, 0),
                         tile_log2(1, smaller(grid.rows, MAX_TILES)));
}

static int put_explicit_tiles(struct writer *writer, const VADecPictureParameterBufferAV1 *picture) {
    struct grid grid = grid_of(picture);
    int widest = put_explicit(writer, grid.columns, picture->width_in_sbs_minus_1, picture->tile_cols,
                              grid.most_width);
    int area = grid.rows * grid.columns >> (grid.least_log2 ? grid.least_log2 + 1 : 0);
    put_explicit(writer, grid.rows, picture->height_in_sbs_minus_1, picture->tile_rows, larger(area / widest, 1));
    return tile_log2(1, picture->tile_cols) + tile_log2(1, picture->tile_rows);
}

void av1_put_tile_info(struct writer *writer, const VADecPictureParameterBufferAV1 *picture) {
    bool is_uniform = picture->pic_info_fields.bits.uniform_tile_spacing_flag;
    put(writer, 1, is_uniform);
    int log2 = is_uniform ? put_uniform_tiles(writer, picture) : put_explicit_tiles(writer, picture);
    if (log2 > 0) {
        put(writer, log2, picture->context_update_tile_id);
        put(writer, 2, TILE_SIZE_BYTES - 1);
    }
}
