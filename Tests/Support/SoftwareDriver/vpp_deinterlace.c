/// One picture of two fields. The lines of one field are kept; those of the other are interpolated: from their
/// neighbors (bob), or, without motion, from past and future fields (motion adaptive, motion compensated).

#include <stdlib.h>
#include <string.h>

#include "vpp.h"

/// A row of samples of 8 bits, or of 10 in the high bits of 16.
struct row {
    uint8_t *data;
    bool deep;
};

static int get(struct row row, int x) {
    return row.deep ? ((const uint16_t *)row.data)[x] >> 6 : row.data[x];
}

static void put(struct row row, int x, int value) {
    if (row.deep)
        ((uint16_t *)row.data)[x] = (uint16_t)(value << 6);
    else
        row.data[x] = (uint8_t)value;
}

static struct row row_of(const struct canvas *canvas, int plane, int y) {
    return (struct row){canvas->pixels.data[plane] + (ptrdiff_t)y * canvas->pixels.pitch[plane],
                        canvas->pixels.format->depth > 8};
}

/// The allowed distance from the temporal mean: the local motion, measured on the kept lines above and below, and on
/// the missing lines in the two adjacent fields.
static int motion(const struct fields *fields, int plane, int above, int below, int x, int was, int is) {
    int most = abs(was - is) / 2;
    const struct canvas *others[] = {&fields->past[0], &fields->future};
    for (int index = 0; index < 2; index++) {
        int up = abs(get(row_of(others[index], plane, above), x) - get(row_of(&fields->present, plane, above), x));
        int down = abs(get(row_of(others[index], plane, below), x) - get(row_of(&fields->present, plane, below), x));
        most = (up + down) / 2 > most ? (up + down) / 2 : most;
    }
    if (fields->compensated) {
        int earlier = abs(get(row_of(&fields->past[1], plane, above), x) - get(row_of(&fields->past[0], plane, above), x));
        most = earlier > most ? earlier : most;
    }
    return most;
}

static int made_anew(const struct fields *fields, int plane, int y, int above, int below, int x) {
    int space = (get(row_of(&fields->present, plane, above), x) + get(row_of(&fields->present, plane, below), x) + 1) / 2;
    if (!fields->adaptive)
        return space;
    // The missing field's lines are half a picture before and after the kept field.
    int was = get(row_of(fields->is_second ? &fields->present : &fields->past[0], plane, y), x);
    int is = get(row_of(fields->is_second ? &fields->future : &fields->present, plane, y), x);
    int mean = (was + is) / 2, most = motion(fields, plane, above, below, x, was, is);
    return space > mean + most ? mean + most : space < mean - most ? mean - most : space;
}

static void deinterlace_plane(const struct fields *fields, const struct canvas *to, int plane) {
    const struct format *format = to->pixels.format;
    int rows = plane_height(format, plane, to->height);
    int bytes = plane_width(format, plane, to->width) * format->planes[plane].bytes;
    for (int y = 0; y < rows; y++) {
        struct row row = row_of(to, plane, y);
        int above = y > 0 ? y - 1 : y + 1, below = y + 1 < rows ? y + 1 : y - 1;
        if ((y & 1) == fields->bottom_field || rows < 2)
            memcpy(row.data, row_of(&fields->present, plane, y).data, (size_t)bytes);
        else
            for (int x = 0; x < (row.deep ? bytes / 2 : bytes); x++)
                put(row, x, made_anew(fields, plane, y, above, below, x));
    }
}

bool deinterlace(const struct fields *fields, struct canvas *to) {
    const struct canvas *from = &fields->present;
    if (!canvas_make(to, from->pixels.format, from->width, from->height))
        return false;
    for (int plane = 0; plane < from->pixels.format->plane_count; plane++)
        deinterlace_plane(fields, to, plane);
    return true;
}
