/// Bit strings of H.264 (7.2, 9.1) and HEVC.

#ifndef SOFT_BITS_H
#define SOFT_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bytes {
    uint8_t *data;
    size_t size, room;
};

void append(struct bytes *bytes, const void *data, size_t size);

struct writer {
    struct bytes bytes;
    int free_bits;  // of the last byte
};

void put(struct writer *writer, int bits, uint32_t value);
void put_ue(struct writer *writer, uint32_t value);
void put_se(struct writer *writer, int32_t value);
void put_bits(struct writer *writer, const uint8_t *data, size_t from, size_t to);
/// Fills the last byte with this bit.
void put_alignment(struct writer *writer, int bit);
void put_trailing(struct writer *writer);

/// Reading past the end gives zeros and sets `failed`.
struct reader {
    const uint8_t *data;
    size_t size, position;  // bytes, bits
    bool failed;
};

uint32_t get(struct reader *reader, int bits);
uint32_t get_ue(struct reader *reader);
int32_t get_se(struct reader *reader);

/// Before rbsp_trailing_bits().
bool more_rbsp_data(const struct reader *reader);

/// Removes the emulation prevention bytes of a NAL unit.
struct bytes unescape(const uint8_t *nal, size_t size);

/// Appends start code and NAL unit, with emulation prevention.
void append_nal(struct bytes *stream, const uint8_t *rbsp, size_t size);

/// The next NAL unit of a byte stream at or after `*position`, without its start code; false if there is none.
bool next_nal(const uint8_t *data, size_t size, size_t *position, const uint8_t **nal, size_t *nal_size);

#endif
