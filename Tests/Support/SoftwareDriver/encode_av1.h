#ifndef SOFT_ENCODE_AV1_H
#define SOFT_ENCODE_AV1_H

#include "encode.h"

/// The colors in the application's sequence header, by ITU-T H.273; 2 is "unspecified".
struct av1_color {
    int primaries, transfer, matrix, full_range, chroma_position;
};

/// libaom's settings, constant between key frames.
struct av1_settings {
    int width, height, bit_depth;
    int quantizer;    // 0 to 63; -1 with a bit rate
    int64_t bitrate;  // bits per second
    double frame_rate;
    struct av1_color color;
};

struct av1_encoder {
    struct encoder common;
    struct av1_color color;
    // The worker's:
    struct AVCodecContext *aom;
    struct av1_settings settings;
    int64_t count;
};

struct av1_encode_job {
    struct encode_job common;
    struct av1_settings settings;
};

/// Reads the color description of the first sequence header among these open bitstream units (5.5); false if it is
/// invalid. Without any, `color` is unchanged.
bool av1_parse_color(const struct bytes *units, struct av1_color *color);

VAStatus aom_run(struct context *context, struct job *job);
void aom_stop(struct av1_encoder *encoder);

#endif
