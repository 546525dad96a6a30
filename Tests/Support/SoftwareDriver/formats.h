/// The pixel formats of surfaces and images, and the layout of their planes.

#ifndef SOFT_FORMATS_H
#define SOFT_FORMATS_H

#include <libavutil/pixfmt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <va/va.h>

enum { FORMAT_COUNT = 5, MAX_PLANES = 3 };

struct plane {
    int bytes;           // of one element: a sample, a pair of chroma samples, a pixel
    int shift_x, shift_y;  // log2 of pixels per element
};

struct format {
    uint32_t fourcc;
    unsigned rt_format;
    enum AVPixelFormat av;
    int depth;
    int bits_per_pixel;
    int plane_count;
    struct plane planes[MAX_PLANES];
};

extern const struct format formats[FORMAT_COUNT];

/// NULL if there is no such format.
const struct format *format_of(uint32_t fourcc);

/// The format of vaCreateSurfaces if only the chroma type is given.
const struct format *default_format(unsigned rt_format);

/// The planes' offsets and pitches in memory.
struct layout {
    uint32_t offset[MAX_PLANES], pitch[MAX_PLANES];
    size_t size;
};

/// Pitches exceed rows, and there are gaps between planes, so that an address computed without the layout is
/// wrong.
struct layout layout_of(const struct format *format, int width, int height);

/// The number of elements in a row, and of rows, of a plane of a picture; odd sides are rounded up.
int plane_width(const struct format *format, int plane, int width);
int plane_height(const struct format *format, int plane, int height);

/// Copies a rectangle, plane by plane; left and top are rounded down to whole chroma samples.
struct pixels {
    const struct format *format;
    uint8_t *data[MAX_PLANES];
    int pitch[MAX_PLANES];
};
struct pixels pixels_at(const struct format *format, uint8_t *data, const struct layout *layout, int x, int y);
void copy_pixels(struct pixels to, struct pixels from, int width, int height);

#endif
