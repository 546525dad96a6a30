#include "formats.h"

#include <string.h>

const struct format formats[FORMAT_COUNT] = {
    {VA_FOURCC_NV12, VA_RT_FORMAT_YUV420, AV_PIX_FMT_NV12, 8, 12, 2, {{1, 0, 0}, {2, 1, 1}}},
    {VA_FOURCC_P010, VA_RT_FORMAT_YUV420_10, AV_PIX_FMT_P010, 10, 24, 2, {{2, 0, 0}, {4, 1, 1}}},
    {VA_FOURCC_I420, VA_RT_FORMAT_YUV420, AV_PIX_FMT_YUV420P, 8, 12, 3, {{1, 0, 0}, {1, 1, 1}, {1, 1, 1}}},
    {VA_FOURCC_YUY2, VA_RT_FORMAT_YUV422, AV_PIX_FMT_YUYV422, 8, 16, 1, {{4, 1, 0}}},
    {VA_FOURCC_BGRA, VA_RT_FORMAT_RGB32, AV_PIX_FMT_BGRA, 8, 32, 1, {{4, 0, 0}}},
};

const struct format *format_of(uint32_t fourcc) {
    for (const struct format *format = formats; format < formats + FORMAT_COUNT; format++)
        if (format->fourcc == fourcc)
            return format;
    return NULL;
}

const struct format *default_format(unsigned rt_format) {
    for (const struct format *format = formats; format < formats + FORMAT_COUNT; format++)
        if (format->rt_format & rt_format)
            return format;
    return NULL;
}

int plane_width(const struct format *format, int plane, int width) {
    int shift = format->planes[plane].shift_x;
    return (width + (1 << shift) - 1) >> shift;
}

int plane_height(const struct format *format, int plane, int height) {
    int shift = format->planes[plane].shift_y;
    return (height + (1 << shift) - 1) >> shift;
}

struct layout layout_of(const struct format *format, int width, int height) {
    struct layout layout = {0};
    for (int plane = 0; plane < format->plane_count; plane++) {
        int row = plane_width(format, plane, width) * format->planes[plane].bytes;
        int rows = (plane_height(format, plane, height) + 15) / 16 * 16;
        layout.offset[plane] = (uint32_t)layout.size;
        layout.pitch[plane] = (uint32_t)((row + 63) / 64 * 64 + 64);
        layout.size += (size_t)layout.pitch[plane] * (size_t)(rows + 3);
        layout.size = (layout.size + 63) / 64 * 64;
    }
    return layout;
}

struct pixels pixels_at(const struct format *format, uint8_t *data, const struct layout *layout, int x, int y) {
    struct pixels pixels = {.format = format};
    for (int plane = 0; plane < format->plane_count; plane++) {
        const struct plane *shape = &format->planes[plane];
        pixels.pitch[plane] = (int)layout->pitch[plane];
        pixels.data[plane] = data + layout->offset[plane] + (size_t)(y >> shape->shift_y) * layout->pitch[plane]
                             + (size_t)(x >> shape->shift_x) * (size_t)shape->bytes;
    }
    return pixels;
}

void copy_pixels(struct pixels to, struct pixels from, int width, int height) {
    for (int plane = 0; plane < to.format->plane_count; plane++) {
        size_t row = (size_t)(plane_width(to.format, plane, width) * to.format->planes[plane].bytes);
        for (int y = 0; y < plane_height(to.format, plane, height); y++)
            memcpy(to.data[plane] + (ptrdiff_t)y * to.pitch[plane],
                   from.data[plane] + (ptrdiff_t)y * from.pitch[plane], row);
    }
}
