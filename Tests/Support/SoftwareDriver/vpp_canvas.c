#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <libswscale/swscale.h>

#include "vpp.h"

bool canvas_make(struct canvas *canvas, const struct format *format, int width, int height) {
    struct layout layout = layout_of(format, width, height);
    uint8_t *memory = aligned_alloc(64, layout.size);
    if (!memory)
        return false;
    *canvas = (struct canvas){pixels_at(format, memory, &layout, 0, 0), width, height, memory};
    return true;
}

void canvas_free(struct canvas *canvas) {
    free(canvas->memory);
    canvas->memory = NULL;
}

struct canvas surface_canvas(const struct surface *surface, VARectangle part) {
    return (struct canvas){surface_pixels(surface, part.x, part.y), part.width, part.height, NULL};
}

/// The source of the element (x, y) of a rotated and mirrored plane. Sizes are the source plane's.
static void source_of(int x, int y, int width, int height, unsigned rotation, unsigned mirror, int *from_x,
                      int *from_y) {
    bool turned = rotation == VA_ROTATION_90 || rotation == VA_ROTATION_270;
    if (mirror & VA_MIRROR_HORIZONTAL)
        x = (turned ? height : width) - 1 - x;
    if (mirror & VA_MIRROR_VERTICAL)
        y = (turned ? width : height) - 1 - y;
    *from_x = rotation == VA_ROTATION_90    ? y
              : rotation == VA_ROTATION_180 ? width - 1 - x
              : rotation == VA_ROTATION_270 ? width - 1 - y
                                            : x;
    *from_y = rotation == VA_ROTATION_90    ? height - 1 - x
              : rotation == VA_ROTATION_180 ? height - 1 - y
              : rotation == VA_ROTATION_270 ? x
                                            : y;
}

static void lay_plane(const struct canvas *from, unsigned rotation, unsigned mirror, const struct canvas *to,
                      int plane) {
    const struct format *format = from->pixels.format;
    size_t bytes = (size_t)format->planes[plane].bytes;
    int source_width = plane_width(format, plane, from->width);
    int source_height = plane_height(format, plane, from->height);
    int width = plane_width(format, plane, to->width), height = plane_height(format, plane, to->height);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            int from_x, from_y;
            source_of(x, y, source_width, source_height, rotation, mirror, &from_x, &from_y);
            memcpy(to->pixels.data[plane] + (ptrdiff_t)y * to->pixels.pitch[plane] + (size_t)x * bytes,
                   from->pixels.data[plane] + (ptrdiff_t)from_y * from->pixels.pitch[plane] + (size_t)from_x * bytes,
                   bytes);
        }
}

bool lay(const struct canvas *from, unsigned rotation, unsigned mirror, const struct canvas *to) {
    if (rotation == VA_ROTATION_NONE && mirror == VA_MIRROR_NONE) {
        copy_pixels(to->pixels, from->pixels, to->width, to->height);
        return true;
    }
    // An element of YUY2 is two horizontal pixels, which cannot be rotated.
    if (from->pixels.format->fourcc == VA_FOURCC_YUY2)
        return false;
    for (int plane = 0; plane < from->pixels.format->plane_count; plane++)
        lay_plane(from, rotation, mirror, to, plane);
    return true;
}

/// Y'CbCr of a color, 0 to 1 and -0.5 to 0.5 each.
static void colour_of(uint32_t argb, int matrix, double yuv[3]) {
    double red = (argb >> 16 & 255) / 255.0, green = (argb >> 8 & 255) / 255.0, blue = (argb & 255) / 255.0;
    double kr = matrix == SWS_CS_ITU709 ? 0.2126 : matrix == SWS_CS_BT2020 ? 0.2627 : 0.299;
    double kb = matrix == SWS_CS_ITU709 ? 0.0722 : matrix == SWS_CS_BT2020 ? 0.0593 : 0.114;
    yuv[0] = kr * red + (1 - kr - kb) * green + kb * blue;
    yuv[1] = (blue - yuv[0]) / (2 - 2 * kb);
    yuv[2] = (red - yuv[0]) / (2 - 2 * kr);
}

/// The bytes of one element of each plane.
static void make_elements(const struct format *format, uint32_t argb, const struct colors *colors,
                          uint8_t elements[MAX_PLANES][4]) {
    double yuv[3];
    colour_of(argb, colors->matrix, yuv);
    double scale = colors->full_range ? 255 : 219, chroma_scale = colors->full_range ? 255 : 224;
    int y = (int)lround(yuv[0] * scale) + (colors->full_range ? 0 : 16);
    int cb = (int)lround(128 + yuv[1] * chroma_scale), cr = (int)lround(128 + yuv[2] * chroma_scale);
    uint8_t luma = (uint8_t)y, blue = (uint8_t)(cb > 255 ? 255 : cb), red = (uint8_t)(cr > 255 ? 255 : cr);
    uint8_t planes[FORMAT_COUNT][MAX_PLANES][4] = {
        {{luma}, {blue, red}},
        {{0, luma}, {0, blue, 0, red}},
        {{luma}, {blue}, {red}},
        {{luma, blue, luma, red}},
        {{argb & 255, argb >> 8 & 255, argb >> 16 & 255, argb >> 24}},
    };
    memcpy(elements, planes[format - formats], sizeof planes[0]);
}

static void fill_planes(const struct canvas *canvas, uint8_t elements[MAX_PLANES][4]) {
    const struct format *format = canvas->pixels.format;
    for (int plane = 0; plane < format->plane_count; plane++) {
        size_t bytes = (size_t)format->planes[plane].bytes;
        for (int y = 0; y < plane_height(format, plane, canvas->height); y++)
            for (int x = 0; x < plane_width(format, plane, canvas->width); x++)
                memcpy(canvas->pixels.data[plane] + (ptrdiff_t)y * canvas->pixels.pitch[plane] + (size_t)x * bytes,
                       elements[plane], bytes);
    }
}

void fill_canvas(const struct canvas *canvas, uint32_t argb, const struct colors *colors) {
    uint8_t elements[MAX_PLANES][4];
    make_elements(canvas->pixels.format, argb, colors, elements);
    fill_planes(canvas, elements);
}

void clear_canvas(const struct canvas *canvas) {
    uint8_t elements[MAX_PLANES][4] = {0};
    fill_planes(canvas, elements);
}
