/// The video processor's parts. A step takes a canvas and gives another; the last one is laid onto the surface.

#ifndef SOFT_VPP_H
#define SOFT_VPP_H

#include "context.h"

struct SwsContext;

/// Pixels with a size, in memory of their own or in a surface's.
struct canvas {
    struct pixels pixels;
    int width, height;
    uint8_t *memory;  // NULL: somebody else's
};

bool canvas_make(struct canvas *canvas, const struct format *format, int width, int height);
void canvas_free(struct canvas *canvas);

/// Colours as swscale and VA-API both can say them; 0 is "not said".
struct colours {
    VAProcColorStandardType standard;
    int matrix;  // an SWS_CS_* number
    bool full_range;
};

struct step {
    struct surface *source;
    VARectangle from, to;
    struct colours input, output;
    unsigned rotation, mirror;
    bool fills;           // the rest of the target gets the background colour
    uint32_t background;  // ARGB
    bool bob, bottom_field, tone_map;
    double peak;  // nits of the brightest pixel, for tone mapping
};

struct vpp {
    struct SwsContext *sws;
};

/// One field of the picture, its missing lines made from their neighbours.
bool deinterlace_bob(const struct canvas *from, bool bottom_field, struct canvas *to);

/// BT.2020 PQ in P010 to BT.709, in P010.
bool tone_map(const struct canvas *from, double peak, struct canvas *to);

/// Another size, another format, other colours.
bool convert(struct vpp *vpp, const struct canvas *from, const struct step *step, struct canvas *to);

/// Turns clockwise by `rotation` (VA_ROTATION_*), then mirrors; both sizes must fit. False: the format cannot.
bool lay(const struct canvas *from, unsigned rotation, unsigned mirror, const struct canvas *to);

void fill_canvas(const struct canvas *canvas, uint32_t argb, const struct colours *colours);

/// Of the surface, a rectangle.
struct canvas surface_canvas(const struct surface *surface, VARectangle part);

#endif
