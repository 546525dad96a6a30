/// Noise reduction and sharpening of luma with a visible effect, on three by three samples.

#include <stdlib.h>
#include <string.h>

#include "vpp.h"

static int get(const struct canvas *canvas, int x, int y) {
    const uint8_t *row = canvas->pixels.data[0] + (ptrdiff_t)y * canvas->pixels.pitch[0];
    return canvas->pixels.format->depth > 8 ? ((const uint16_t *)row)[x] >> 6 : row[x];
}

static void put(const struct canvas *canvas, int x, int y, int value) {
    uint8_t *row = canvas->pixels.data[0] + (ptrdiff_t)y * canvas->pixels.pitch[0];
    int most = canvas->pixels.format->depth > 8 ? 1023 : 255;
    value = value < 0 ? 0 : value > most ? most : value;
    if (canvas->pixels.format->depth > 8)
        ((uint16_t *)row)[x] = (uint16_t)(value << 6);
    else
        row[x] = (uint8_t)value;
}

/// The mean of the sample and the neighbors that differ by no more than `limit`.
static int mean_near(const struct canvas *canvas, int x, int y, int limit) {
    int here = get(canvas, x, y), sum = 0, count = 0;
    for (int row = y > 0 ? y - 1 : y; row <= y + 1 && row < canvas->height; row++)
        for (int column = x > 0 ? x - 1 : x; column <= x + 1 && column < canvas->width; column++) {
            int value = get(canvas, column, row);
            if (abs(value - here) > limit)
                continue;
            sum += value;
            count++;
        }
    return (sum + count / 2) / count;
}

static bool copy(const struct canvas *from, struct canvas *to) {
    const struct format *format = from->pixels.format;
    if (!canvas_make(to, format, from->width, from->height))
        return false;
    for (int plane = 0; plane < format->plane_count; plane++)
        for (int row = 0; row < plane_height(format, plane, from->height); row++)
            memcpy(to->pixels.data[plane] + (ptrdiff_t)row * to->pixels.pitch[plane],
                   from->pixels.data[plane] + (ptrdiff_t)row * from->pixels.pitch[plane],
                   (size_t)(plane_width(format, plane, from->width) * format->planes[plane].bytes));
    return true;
}

bool enhance(const struct canvas *from, double denoise, double sharpen, struct canvas *to) {
    // Packed formats have no luma plane.
    if (!copy(from, to) || from->pixels.format->plane_count < 2)
        return to->memory != NULL;
    int scale = from->pixels.format->depth > 8 ? 4 : 1;
    for (int y = 0; y < from->height; y++)
        for (int x = 0; x < from->width; x++) {
            int value = denoise > 0 ? mean_near(from, x, y, (int)(denoise * scale)) : get(from, x, y);
            double edge = get(from, x, y) - mean_near(from, x, y, 1024);
            put(to, x, y, value + (int)(edge * sharpen / ENHANCEMENT_MOST));
        }
    return true;
}
