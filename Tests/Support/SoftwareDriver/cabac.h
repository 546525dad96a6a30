/// The arithmetic encoder of H.264 (9.3.4) and HEVC (9.3.4), for slices in which everything is skipped.

#ifndef SOFT_CABAC_H
#define SOFT_CABAC_H

#include "bits.h"

struct cabac {
    struct writer *writer;
    uint32_t low, range;
    int outstanding;
    bool first;
};

struct cabac_model {
    uint8_t state, most_probable;
};

void cabac_start(struct cabac *cabac, struct writer *writer);
void cabac_encode(struct cabac *cabac, struct cabac_model *model, int bin);
/// end_of_slice_flag. A 1 completes the slice's data, including rbsp_trailing_bits.
void cabac_terminate(struct cabac *cabac, int bin);

/// The model of a context's initial state, 1 to 126.
struct cabac_model cabac_model(int state);

#endif
