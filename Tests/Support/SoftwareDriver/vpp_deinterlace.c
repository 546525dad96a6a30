#include <string.h>

#include "vpp.h"

/// The mean of two rows of samples, 1 or 2 bytes each.
static void mean_row(uint8_t *to, const uint8_t *above, const uint8_t *below, int bytes, bool ten_bit) {
    if (!ten_bit) {
        for (int x = 0; x < bytes; x++)
            to[x] = (uint8_t)((above[x] + below[x] + 1) / 2);
        return;
    }
    // The low six bits of P010 stay 0.
    for (int x = 0; x < bytes / 2; x++)
        ((uint16_t *)to)[x] =
            (uint16_t)((((const uint16_t *)above)[x] + ((const uint16_t *)below)[x] + 64) / 2 & 0xffc0);
}

static void bob_plane(const struct canvas *from, bool bottom_field, const struct canvas *to, int plane) {
    const struct format *format = from->pixels.format;
    int rows = plane_height(format, plane, from->height);
    int bytes = plane_width(format, plane, from->width) * format->planes[plane].bytes;
    const uint8_t *source = from->pixels.data[plane];
    ptrdiff_t pitch = from->pixels.pitch[plane];
    for (int y = 0; y < rows; y++) {
        uint8_t *row = to->pixels.data[plane] + (ptrdiff_t)y * to->pixels.pitch[plane];
        int above = y > 0 ? y - 1 : y + 1, below = y + 1 < rows ? y + 1 : y - 1;
        if ((y & 1) == bottom_field || rows < 2)
            memcpy(row, source + y * pitch, (size_t)bytes);
        else
            mean_row(row, source + above * pitch, source + below * pitch, bytes, format->depth > 8);
    }
}

bool deinterlace_bob(const struct canvas *from, bool bottom_field, struct canvas *to) {
    if (!canvas_make(to, from->pixels.format, from->width, from->height))
        return false;
    for (int plane = 0; plane < from->pixels.format->plane_count; plane++)
        bob_plane(from, bottom_field, to, plane);
    return true;
}
