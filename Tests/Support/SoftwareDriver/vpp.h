/// The video processor's parts. A step takes a canvas and gives another; the last one is laid onto the surface.

#ifndef SOFT_VPP_H
#define SOFT_VPP_H

#include "context.h"

struct SwsContext;

/// Pixels with a size, in memory of their own or in a surface's.
struct canvas {
    struct pixels pixels;
    int width, height;
    uint8_t *memory;  // NULL: another's
};

bool canvas_make(struct canvas *canvas, const struct format *format, int width, int height);
void canvas_free(struct canvas *canvas);

/// Colors as swscale and VA-API both can say them; 0 is "not said".
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
    bool fills_with_zeros;  // or zeros, in its place
    uint32_t background;    // ARGB
    VAProcDeinterlacingType deinterlacing;  // None and Weave leave fields as they are
    bool bottom_field, is_second;           // which field stays, and whether it is the later one
    struct surface *past[2], *future;       // for deinterlacing, the nearest first; NULL where it wants none
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

/// What the driver's quirks make of the step.
void apply_quirks(struct context *context, struct step *step);

/// What a deinterlacer sees. `past` and `future` count only where it is adaptive, `past[1]` where it is compensated.
struct fields {
    struct canvas present, past[2], future;
    bool adaptive, compensated, bottom_field, is_second;
};

bool deinterlace(const struct fields *fields, struct canvas *to);

/// How many pictures before and after the present one an algorithm has to be given, no more and no less.
struct reach {
    unsigned forward, backward;
};
struct reach reach_of(VAProcDeinterlacingType algorithm);

VAStatus read_references(struct context *context, const VAProcPipelineParameterBuffer *pipeline, struct step *step);

/// The context has the picture on this surface for its source now.
void note_turn(struct context *context, struct surface *source);

/// BT.2020 PQ in P010 to BT.709, in P010.
bool tone_map(const struct canvas *from, double peak, struct canvas *to);

/// How strong noise reduction and sharpening may be.
enum { ENHANCEMENT_MOST = 64 };

/// Less noise, harder edges.
bool enhance(const struct canvas *from, double denoise, double sharpen, struct canvas *to);

/// Another size, another format, other colors.
bool convert(struct vpp *vpp, const struct canvas *from, const struct step *step, struct canvas *to);

/// Turns clockwise by `rotation` (VA_ROTATION_*), then mirrors; both sizes must fit. False: the format cannot.
bool lay(const struct canvas *from, unsigned rotation, unsigned mirror, const struct canvas *to);

void fill_canvas(const struct canvas *canvas, uint32_t argb, const struct colors *colors);

/// Every component becomes 0.
void clear_canvas(const struct canvas *canvas);

/// Of the surface, a rectangle.
struct canvas surface_canvas(const struct surface *surface, VARectangle part);

#endif
