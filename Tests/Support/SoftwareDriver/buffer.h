#ifndef SOFT_BUFFER_H
#define SOFT_BUFFER_H

#include "driver.h"

struct surface;

struct buffer {
    struct object object;
    VABufferType type;
    size_t element_size;
    unsigned count, allocated_count;
    uint8_t *data;            // NULL: the surface's
    bool mapped;
    struct surface *surface;  // of a derived image, which owns the memory
    // Coded buffers only.
    VACodedBufferSegment segment;
    bool has_segment;
    VAStatus status;
    bool needs_sync;
    uint32_t input;  // the surface of its picture: waiting for one waits for the other
};

struct buffer *find_buffer(struct driver *driver, VABufferID id);

uint8_t *buffer_data(const struct buffer *buffer);

/// The application has waited for this input surface, and so for its coded buffer.
void coded_input_synced(struct driver *driver, VASurfaceID input);

/// NULL if memory or ids are exhausted. With `surface`, the buffer uses its memory.
struct buffer *buffer_create(struct driver *driver, VABufferType type, size_t element_size, unsigned count,
                             struct surface *surface);

#endif
