#include "bits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void append(struct bytes *bytes, const void *data, size_t size) {
    if (bytes->size + size > bytes->room) {
        bytes->room = (bytes->size + size) * 2 + 64;
        bytes->data = realloc(bytes->data, bytes->room);
        if (!bytes->data) {
            fputs("soft: out of memory\n", stderr);
            abort();
        }
    }
    if (size)
        memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
}

void put(struct writer *writer, int bits, uint32_t value) {
    while (bits-- > 0) {
        if (writer->free_bits == 0) {
            append(&writer->bytes, &(uint8_t){0}, 1);
            writer->free_bits = 8;
        }
        writer->free_bits--;
        writer->bytes.data[writer->bytes.size - 1] |= (uint8_t)((value >> bits & 1) << writer->free_bits);
    }
}

void put_ue(struct writer *writer, uint32_t value) {
    int length = 0;
    while (((uint64_t)value + 1) >> (length + 1))
        length++;
    put(writer, length, 0);
    put(writer, 1, 1);
    put(writer, length, value + 1);
}

void put_se(struct writer *writer, int32_t value) {
    put_ue(writer, value > 0 ? 2 * (uint32_t)value - 1 : 2 * (uint32_t)-value);
}

void put_bits(struct writer *writer, const uint8_t *data, size_t from, size_t to) {
    if (writer->free_bits == 0 && from % 8 == 0) {
        append(&writer->bytes, data + from / 8, (to - from) / 8);
        from += (to - from) / 8 * 8;
    }
    for (; from < to; from++)
        put(writer, 1, data[from / 8] >> (7 - from % 8) & 1);
}

void put_alignment(struct writer *writer, int bit) {
    while (writer->free_bits)
        put(writer, 1, (uint32_t)bit);
}

void put_trailing(struct writer *writer) {
    put(writer, 1, 1);
    put_alignment(writer, 0);
}

uint32_t get(struct reader *reader, int bits) {
    uint32_t value = 0;
    for (; bits > 0; bits--, reader->position++) {
        bool inside = reader->position / 8 < reader->size;
        reader->failed |= !inside;
        value = value << 1 | (inside ? reader->data[reader->position / 8] >> (7 - reader->position % 8) & 1 : 0);
    }
    return value;
}

uint32_t get_ue(struct reader *reader) {
    int length = 0;
    while (!reader->failed && length < 32 && get(reader, 1) == 0)
        length++;
    if (length == 32)
        reader->failed = true;
    return reader->failed ? 0 : (1u << length) - 1 + get(reader, length);
}

int32_t get_se(struct reader *reader) {
    uint32_t code = get_ue(reader);
    return code & 1 ? (int32_t)(code / 2 + 1) : -(int32_t)(code / 2);
}

bool more_rbsp_data(const struct reader *reader) {
    size_t last = reader->size;
    while (last > 0 && reader->data[last - 1] == 0)
        last--;
    if (last == 0)
        return false;
    size_t stop = last * 8 - 1;
    while (!(reader->data[last - 1] >> (7 - stop % 8) & 1))
        stop--;
    return reader->position < stop;
}

struct bytes unescape(const uint8_t *nal, size_t size) {
    struct bytes rbsp = {.data = malloc(size + 1), .room = size + 1};
    int zeros = 0;
    for (size_t index = 0; rbsp.data && index < size; index++) {
        if (zeros >= 2 && nal[index] == 3) {
            zeros = 0;
            continue;
        }
        zeros = nal[index] ? 0 : zeros + 1;
        rbsp.data[rbsp.size++] = nal[index];
    }
    return rbsp;
}

void append_nal(struct bytes *stream, const uint8_t *rbsp, size_t size) {
    append(stream, "\0\0\0\1", 4);
    int zeros = 0;
    for (size_t index = 0; index < size; index++) {
        if (zeros >= 2 && rbsp[index] <= 3) {
            append(stream, "\3", 1);
            zeros = 0;
        }
        zeros = rbsp[index] ? 0 : zeros + 1;
        append(stream, rbsp + index, 1);
    }
}

/// The position after the next 00 00 01, or `size`.
static size_t after_start_code(const uint8_t *data, size_t size, size_t position) {
    for (; position + 3 <= size; position++)
        if (data[position] == 0 && data[position + 1] == 0 && data[position + 2] == 1)
            return position + 3;
    return size;
}

bool next_nal(const uint8_t *data, size_t size, size_t *position, const uint8_t **nal, size_t *nal_size) {
    size_t start = after_start_code(data, size, *position);
    if (start >= size)
        return false;
    size_t end = after_start_code(data, size, start);
    if (end < size || (end == size && size >= start + 3 && memcmp(data + size - 3, "\0\0\1", 3) == 0))
        end -= 3;
    *position = end;
    // Zero bytes before the next start code belong to it (trailing_zero_8bits).
    while (end > start && data[end - 1] == 0)
        end--;
    *nal = data + start;
    *nal_size = end - start;
    return end > start;
}
