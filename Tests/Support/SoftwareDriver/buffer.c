#include "buffer.h"

#include <stdlib.h>
#include <string.h>

#include "job.h"
#include "surface.h"

struct buffer *find_buffer(struct driver *driver, VABufferID id) {
    return table_find(&driver->objects, id, KIND_BUFFER);
}

static void buffer_free(struct object *object) {
    struct buffer *buffer = (struct buffer *)object;
    release(buffer->surface);
    free(buffer->data);
    free(buffer);
}

uint8_t *buffer_data(const struct buffer *buffer) {
    return buffer->surface ? buffer->surface->data : buffer->data;
}

struct buffer *buffer_create(struct driver *driver, VABufferType type, size_t element_size, unsigned count,
                             struct surface *surface) {
    struct buffer *buffer = calloc(1, sizeof *buffer);
    if (!buffer)
        return NULL;
    buffer->type = type;
    buffer->element_size = element_size;
    buffer->count = buffer->allocated_count = count;
    buffer->data = surface ? NULL : calloc(count, element_size);
    if ((!surface && !buffer->data) || !table_add(&driver->objects, &buffer->object, KIND_BUFFER, buffer_free)) {
        free(buffer->data);
        free(buffer);
        return NULL;
    }
    buffer->surface = surface ? retain(surface) : NULL;
    return buffer;
}

VAStatus soft_CreateBuffer(struct driver *driver, VAContextID context, VABufferType type, unsigned int size,
                           unsigned int count, void *data, VABufferID *id) {
    if (!table_find(&driver->objects, context, KIND_CONTEXT))
        return refuse(driver, VA_STATUS_ERROR_INVALID_CONTEXT, "no context %#x", context);
    if (size == 0 || count == 0 || (uint64_t)size * count > 1u << 30)
        return refuse(driver, VA_STATUS_ERROR_INVALID_PARAMETER, "a buffer of %u times %u bytes", count, size);
    struct buffer *buffer = buffer_create(driver, type, size, count, NULL);
    if (!buffer)
        return VA_STATUS_ERROR_ALLOCATION_FAILED;
    if (data)
        memcpy(buffer->data, data, (size_t)size * count);
    *id = buffer->object.id;
    return VA_STATUS_SUCCESS;
}

VAStatus soft_BufferSetNumElements(struct driver *driver, VABufferID id, unsigned int count) {
    struct buffer *buffer = find_buffer(driver, id);
    if (!buffer)
        return refuse(driver, VA_STATUS_ERROR_INVALID_BUFFER, "no buffer %#x", id);
    if (count == 0 || count > buffer->allocated_count)
        return VA_STATUS_ERROR_INVALID_PARAMETER;
    buffer->count = count;
    return VA_STATUS_SUCCESS;
}

VAStatus soft_BufferInfo(struct driver *driver, VABufferID id, VABufferType *type, unsigned int *size,
                         unsigned int *count) {
    struct buffer *buffer = find_buffer(driver, id);
    if (!buffer)
        return refuse(driver, VA_STATUS_ERROR_INVALID_BUFFER, "no buffer %#x", id);
    *type = buffer->type;
    *size = (unsigned)buffer->element_size;
    *count = buffer->count;
    return VA_STATUS_SUCCESS;
}

static VAStatus map_coded(struct driver *driver, struct buffer *buffer, void **data) {
    if (buffer->needs_sync || coded_is_busy(driver, buffer, driver->job_number))
        return refuse(driver, VA_STATUS_ERROR_SURFACE_BUSY, "coded buffer %#x was not waited for", buffer->object.id);
    if (buffer->status != VA_STATUS_SUCCESS)
        return refuse(driver, buffer->status, "coded buffer %#x has nothing in it", buffer->object.id);
    buffer->segment.buf = buffer->data;
    *data = buffer->has_segment ? &buffer->segment : NULL;
    return VA_STATUS_SUCCESS;
}

VAStatus soft_MapBuffer(struct driver *driver, VABufferID id, void **data) {
    struct buffer *buffer = find_buffer(driver, id);
    if (!buffer)
        return refuse(driver, VA_STATUS_ERROR_INVALID_BUFFER, "no buffer %#x", id);
    if (buffer->mapped)
        return refuse(driver, VA_STATUS_ERROR_OPERATION_FAILED, "buffer %#x is mapped already", id);
    VAStatus status = VA_STATUS_SUCCESS;
    *data = buffer_data(buffer);
    if (buffer->type == VAEncCodedBufferType)
        status = map_coded(driver, buffer, data);
    else if (buffer->surface)
        status = check_synced(driver, buffer->surface, false, "vaMapBuffer");
    if (status != VA_STATUS_SUCCESS)
        return status;
    buffer->mapped = true;
    if (buffer->surface) {
        buffer->surface->mapped++;
        // The call does not tell whether the buffer is read or written.
        buffer->surface->processed = 0;
    }
    return VA_STATUS_SUCCESS;
}

static void unmap(struct buffer *buffer) {
    if (buffer->mapped && buffer->surface)
        buffer->surface->mapped--;
    buffer->mapped = false;
}

VAStatus soft_UnmapBuffer(struct driver *driver, VABufferID id) {
    struct buffer *buffer = find_buffer(driver, id);
    if (!buffer)
        return refuse(driver, VA_STATUS_ERROR_INVALID_BUFFER, "no buffer %#x", id);
    if (!buffer->mapped)
        return refuse(driver, VA_STATUS_ERROR_OPERATION_FAILED, "buffer %#x is not mapped", id);
    unmap(buffer);
    return VA_STATUS_SUCCESS;
}

VAStatus soft_DestroyBuffer(struct driver *driver, VABufferID id) {
    struct buffer *buffer = find_buffer(driver, id);
    if (!buffer)
        return refuse(driver, VA_STATUS_ERROR_INVALID_BUFFER, "no buffer %#x", id);
    unmap(buffer);
    table_remove(&driver->objects, &buffer->object);
    return VA_STATUS_SUCCESS;
}

void coded_input_synced(struct driver *driver, VASurfaceID input) {
    for (unsigned slot = 0; slot < SLOT_COUNT; slot++) {
        struct object *object = driver->objects.slots[slot].object;
        struct buffer *buffer = object && object->kind == KIND_BUFFER ? (struct buffer *)object : NULL;
        if (buffer && buffer->needs_sync && buffer->input == input
            && !coded_is_busy(driver, buffer, driver->job_number))
            buffer->needs_sync = false;
    }
}

VAStatus soft_SyncBuffer(struct driver *driver, VABufferID id, uint64_t timeout) {
    // Applications test for vaSyncBuffer with an invalid id.
    if (has_quirk(&driver->switches, QUIRK_NO_SYNC_BUFFER))
        return VA_STATUS_ERROR_UNIMPLEMENTED;
    driver->expected = id == VA_INVALID_ID;
    if (driver->expected)
        return VA_STATUS_ERROR_INVALID_BUFFER;
    struct buffer *buffer = find_buffer(driver, id);
    if (!buffer || buffer->type != VAEncCodedBufferType)
        return refuse(driver, VA_STATUS_ERROR_INVALID_BUFFER, "no coded buffer %#x", id);
    retain(buffer);
    bool ready = wait_for_coded(driver, buffer, timeout);
    VAStatus status = ready ? buffer->status : VA_STATUS_ERROR_TIMEDOUT;
    if (ready)
        buffer->needs_sync = false;
    driver->expected = !ready;
    release(buffer);
    return status;
}
