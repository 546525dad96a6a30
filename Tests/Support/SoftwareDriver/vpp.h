/// The video processor's parts. A step makes a canvas from another; the last one is drawn onto the surface.

#ifndef SOFT_VPP_H
#define SOFT_VPP_H

#include "context.h"

struct SwsContext;

/// Pixels with a size, in their own memory or a surface's.
struct canvas {
    struct pixels pixels;
    int width, height;
    uint8_t *memory;  // NULL: another's
};

bool canvas_make(struct canvas *canvas, const struct format *format, int width, int height);
void canvas_free(struct canvas *canvas);

/// Colors that swscale and VA-API can both express; 0 is "unspecified".
struct colors {
    VAProcColorStandardType standard;
    int matrix;  // an SWS_CS_* number
    bool full_range;
};

struct step {
    struct surface *source;
    VARectangle from, to;
    struct colors input, output;
    unsigned rotation, mirror;
    bool fills;             // the rest of the target gets the background color
    bool fills_with_zeros;  // or zeros
    uint32_t background;    // ARGB
    VAProcDeinterlacingType deinterlacing;  // None and Weave leave fields as they are
    bool bottom_field, is_second;           // the kept field, and whether it is the later one
    struct surface *past[2], *future;       // for deinterlacing, nearest first; NULL if unused
    bool tone_map;
    double peak;  // nits of the brightest pixel, for tone mapping
    double denoise, sharpen;  // from 0 to ENHANCEMENT_MOST
};

struct vpp {
    struct SwsContext *sws;
    // The regions of the last pass, of `prepare`:
    bool has_regions;
    VARectangle from, to;
};

/// Changes the step by the driver's quirks.
void apply_quirks(struct context *context, struct step *step);

/// A deinterlacer's references. Only adaptive ones use `past` and `future`, only compensated ones `past[1]`.
struct fields {
    struct canvas present, past[2], future;
    bool adaptive, compensated, bottom_field, is_second;
};

bool deinterlace(const struct fields *fields, struct canvas *to);

/// The exact number of past and future pictures that an algorithm requires.
struct reach {
    unsigned forward, backward;
};
struct reach reach_of(VAProcDeinterlacingType algorithm);

VAStatus read_references(struct context *context, const VAProcPipelineParameterBuffer *pipeline, struct step *step);

/// Records that this surface's picture is now the context's source.
void note_turn(struct context *context, struct surface *source);

/// BT.2020 PQ in P010 to BT.709, in P010.
bool tone_map(const struct canvas *from, double peak, struct canvas *to);

/// The maximum strength of noise reduction and sharpening.
enum { ENHANCEMENT_MOST = 64 };

/// Noise reduction and sharpening.
bool enhance(const struct canvas *from, double denoise, double sharpen, struct canvas *to);

/// Converts size, format and colors.
bool convert(struct vpp *vpp, const struct canvas *from, const struct step *step, struct canvas *to);

/// Rotates clockwise by `rotation` (VA_ROTATION_*), then mirrors; both sizes must fit. False: unsupported format.
bool lay(const struct canvas *from, unsigned rotation, unsigned mirror, const struct canvas *to);

void fill_canvas(const struct canvas *canvas, uint32_t argb, const struct colors *colors);

/// Sets every component to 0.
void clear_canvas(const struct canvas *canvas);

/// A rectangle of the surface.
struct canvas surface_canvas(const struct surface *surface, VARectangle part);

#endif
