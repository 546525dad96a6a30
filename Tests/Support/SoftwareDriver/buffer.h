#ifndef SOFT_BUFFER_H
#define SOFT_BUFFER_H

#include "driver.h"

struct surface;

struct buffer {
    struct object object;
    VABufferType type;
    size_t element_size;
    unsigned count, allocated_count;
    uint8_t *data;
    bool mapped;
    struct surface *surface;  // of a derived image, whose memory this is
    // Coded buffers only.
    VACodedBufferSegment segment;
    VAStatus status;
    bool needs_sync;
};

struct buffer *find_buffer(struct driver *driver, VABufferID id);

/// NULL when memory or ids have run out. `surface`, if any, lends its memory.
struct buffer *buffer_create(struct driver *driver, VABufferType type, size_t element_size, unsigned count,
                             struct surface *surface);

#endif
