/// Reads the application's sequence header for fields that VA-API's parameters lack.

#include "encode_av1.h"

enum { OBU_SEQUENCE_HEADER = 1, SELECT = 2 };

/// 4.10.5; false if the unit is truncated.
static bool read_size(const struct bytes *units, size_t *position, size_t *size) {
    *size = 0;
    for (int index = 0; index < 8 && *position < units->size; index++) {
        uint8_t byte = units->data[(*position)++];
        *size |= (size_t)(byte & 127) << (7 * index);
        if (byte < 128)
            return *size <= units->size - *position;
    }
    return false;
}

/// The operating points; a header with timing information is refused, because no application writes one.
static bool skip_operating_points(struct reader *reader) {
    if (get(reader, 1))  // timing_info_present_flag
        return false;
    bool has_delays = get(reader, 1);
    int count = (int)get(reader, 5) + 1;
    for (int index = 0; index < count; index++) {
        get(reader, 12);
        if (get(reader, 5) > 7)
            get(reader, 1);
        if (has_delays && get(reader, 1))
            get(reader, 4);
    }
    return true;
}

static void skip_size(struct reader *reader) {
    int width_bits = (int)get(reader, 4) + 1, height_bits = (int)get(reader, 4) + 1;
    get(reader, width_bits);
    get(reader, height_bits);
    if (get(reader, 1))  // frame_id_numbers_present_flag
        get(reader, 7);
}

static void skip_tools(struct reader *reader) {
    get(reader, 3);  // superblocks, filter-intra, intra edges
    get(reader, 4);  // inter-intra and masked compounds, warped motion, dual filter
    bool has_order_hints = get(reader, 1);
    if (has_order_hints)
        get(reader, 2);
    int screen_content = get(reader, 1) ? SELECT : (int)get(reader, 1);
    if (screen_content > 0 && !get(reader, 1))
        get(reader, 1);
    if (has_order_hints)
        get(reader, 3);
    get(reader, 3);  // superres, CDEF, restoration
}

/// 5.5.2, profile 0.
static void read_color(struct reader *reader, struct av1_color *color) {
    *color = (struct av1_color){.primaries = 2, .transfer = 2, .matrix = 2};
    get(reader, 2);  // high_bitdepth, mono_chrome
    if (get(reader, 1)) {
        color->primaries = (int)get(reader, 8);
        color->transfer = (int)get(reader, 8);
        color->matrix = (int)get(reader, 8);
    }
    color->full_range = (int)get(reader, 1);
    color->chroma_position = (int)get(reader, 2);
}

static bool read_sequence(struct reader *reader, struct av1_color *color) {
    int profile = (int)get(reader, 3), kinds = (int)get(reader, 2);
    if (profile != 0 || kinds != 0 || !skip_operating_points(reader))
        return false;
    skip_size(reader);
    skip_tools(reader);
    read_color(reader, color);
    return !reader->failed;
}

bool av1_parse_color(const struct bytes *units, struct av1_color *color) {
    size_t position = 0, size;
    while (position < units->size) {
        uint8_t header = units->data[position++];
        position += header >> 2 & 1;
        if (!(header >> 1 & 1) || !read_size(units, &position, &size))
            return false;
        struct reader reader = {.data = units->data + position, .size = size};
        if ((header >> 3 & 15) == OBU_SEQUENCE_HEADER)
            return read_sequence(&reader, color);
        position += size;
    }
    return true;
}
