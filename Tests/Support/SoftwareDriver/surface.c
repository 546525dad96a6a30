#include "surface.h"

#include <stdlib.h>
#include <string.h>
#include <va/va_drmcommon.h>

#include "buffer.h"
#include "config.h"
#include "job.h"

struct surface *find_surface(struct driver *driver, VASurfaceID id) {
    return table_find(&driver->objects, id, KIND_SURFACE);
}

struct pixels surface_pixels(const struct surface *surface, int x, int y) {
    return pixels_at(surface->format, surface->data, &surface->layout, x, y);
}

VAStatus check_synced(struct driver *driver, const struct surface *surface, bool changes, const char *call) {
    if (surface->needs_sync || (changes && surface_is_busy(driver, surface, driver->job_number)))
        return refuse(driver, VA_STATUS_ERROR_SURFACE_BUSY, "%s: surface %#x was not waited for", call,
                      surface->object.id);
    return VA_STATUS_SUCCESS;
}

static void surface_free(struct object *object) {
    surface_release_memory((struct surface *)object);
    free(object);
}

static bool make_memory(struct surface *surface) {
    surface->layout = layout_of(surface->format, surface->width, surface->height);
    surface->data = aligned_alloc(64, surface->layout.size);
    // Not black, so that an unwritten picture is visible.
    if (surface->data)
        memset(surface->data, 0xa5, surface->layout.size);
    return surface->data;
}

static VAStatus surface_create(struct driver *driver, const struct format *format, int width, int height,
                               const struct external *external, VASurfaceID *id) {
    struct surface *surface = calloc(1, sizeof *surface);
    if (!surface)
        return VA_STATUS_ERROR_ALLOCATION_FAILED;
    *surface = (struct surface){.format = format, .width = width, .height = height, .file = -1};
    bool made = external->format ? surface_import(surface, external) : make_memory(surface);
    if (!made || !table_add(&driver->objects, &surface->object, KIND_SURFACE, surface_free)) {
        surface_free(&surface->object);
        return external->format ? refuse(driver, VA_STATUS_ERROR_INVALID_PARAMETER, "an external buffer cannot be used")
                                : VA_STATUS_ERROR_ALLOCATION_FAILED;
    }
    *id = surface->object.id;
    return VA_STATUS_SUCCESS;
}

/// The memory in the attributes: the driver's own, unless they have another type and descriptor.
static VAStatus read_memory(struct driver *driver, const VASurfaceAttrib *list, unsigned count,
                            struct external *external) {
    unsigned type = VA_SURFACE_ATTRIB_MEM_TYPE_VA;
    const void *descriptor = NULL;
    for (unsigned index = 0; index < count; index++) {
        if (!(list[index].flags & VA_SURFACE_ATTRIB_SETTABLE))
            continue;
        if (list[index].type == VASurfaceAttribMemoryType)
            type = (unsigned)list[index].value.value.i;
        if (list[index].type == VASurfaceAttribExternalBufferDescriptor)
            descriptor = list[index].value.value.p;
    }
    if (type == VA_SURFACE_ATTRIB_MEM_TYPE_VA)
        return VA_STATUS_SUCCESS;
    if (type != VA_SURFACE_ATTRIB_MEM_TYPE_DRM_PRIME && type != VA_SURFACE_ATTRIB_MEM_TYPE_DRM_PRIME_2)
        return refuse(driver, VA_STATUS_ERROR_UNSUPPORTED_MEMORY_TYPE, "memory type %#x", type);
    if (!descriptor || !external_read(type, descriptor, external))
        return refuse(driver, VA_STATUS_ERROR_INVALID_PARAMETER, "an external buffer is one file, of a format and modifier "
                                                                 "that the driver has");
    return VA_STATUS_SUCCESS;
}

/// The format of the attributes or the external buffer, or the default of the chroma type.
static VAStatus read_format(struct driver *driver, unsigned rt_format, const VASurfaceAttrib *list, unsigned count,
                            const struct external *external, const struct format **format) {
    *format = external->format ? external->format : default_format(rt_format);
    for (unsigned index = 0; index < count; index++)
        if (list[index].flags & VA_SURFACE_ATTRIB_SETTABLE && list[index].type == VASurfaceAttribPixelFormat)
            *format = format_of((uint32_t)list[index].value.value.i);
    if (external->format && *format != external->format)
        return refuse(driver, VA_STATUS_ERROR_INVALID_PARAMETER, "an external buffer of another format");
    bool fits = *format && ((*format)->rt_format & rt_format) && ((*format)->depth == 8 || driver->switches.ten_bit);
    return fits ? VA_STATUS_SUCCESS
                : refuse(driver, VA_STATUS_ERROR_UNSUPPORTED_RT_FORMAT, "chroma type %#x", rt_format);
}

VAStatus soft_CreateSurfaces2(struct driver *driver, unsigned int rt_format, unsigned int width, unsigned int height,
                              VASurfaceID *ids, unsigned int count, VASurfaceAttrib *list,
                              unsigned int attribute_count) {
    struct external external = {0};
    const struct format *format;
    VAStatus status = read_memory(driver, list, attribute_count, &external);
    if (status == VA_STATUS_SUCCESS)
        status = read_format(driver, rt_format, list, attribute_count, &external, &format);
    if (status != VA_STATUS_SUCCESS)
        return status;
    if (width == 0 || height == 0 || width > 16384 || height > 16384)
        return refuse(driver, VA_STATUS_ERROR_RESOLUTION_NOT_SUPPORTED, "a surface of %ux%u", width, height);
    if (external.format && count != 1)
        return refuse(driver, VA_STATUS_ERROR_INVALID_PARAMETER, "%u surfaces of one external buffer", count);
    int most = driver->switches.max_surfaces, alive = driver->objects.live[KIND_SURFACE];
    if (most && alive + (int)count > most)
        return refuse(driver, VA_STATUS_ERROR_ALLOCATION_FAILED, "%u surfaces more than %d of %d", count, alive, most);
    for (unsigned made = 0; made < count; made++) {
        status = surface_create(driver, format, (int)width, (int)height, &external, &ids[made]);
        if (status != VA_STATUS_SUCCESS) {
            soft_DestroySurfaces(driver, ids, (int)made);
            return status;
        }
    }
    alive = driver->objects.live[KIND_SURFACE];
    if (alive > atomic_load(&driver->stats.surfaces))
        atomic_store(&driver->stats.surfaces, alive);
    return VA_STATUS_SUCCESS;
}

VAStatus soft_CreateSurfaces(struct driver *driver, int width, int height, int format, int count, VASurfaceID *ids) {
    return soft_CreateSurfaces2(driver, (unsigned)format, (unsigned)width, (unsigned)height, ids, (unsigned)count,
                                NULL, 0);
}

VAStatus soft_DestroySurfaces(struct driver *driver, VASurfaceID *ids, int count) {
    for (int index = 0; index < count; index++)
        if (!find_surface(driver, ids[index]))
            return refuse(driver, VA_STATUS_ERROR_INVALID_SURFACE, "no surface %#x", ids[index]);
    for (int index = 0; index < count; index++) {
        struct surface *surface = find_surface(driver, ids[index]);
        if (surface)
            table_remove(&driver->objects, &surface->object);
    }
    return VA_STATUS_SUCCESS;
}

/// Waits for the queued jobs, and returns their status.
VAStatus soft_SyncSurface2(struct driver *driver, VASurfaceID id, uint64_t timeout) {
    struct surface *surface = find_surface(driver, id);
    if (!surface)
        return refuse(driver, VA_STATUS_ERROR_INVALID_SURFACE, "no surface %#x", id);
    retain(surface);
    bool ready = wait_for_surface(driver, surface, timeout);
    VAStatus status = ready ? surface->status : VA_STATUS_ERROR_TIMEDOUT;
    if (ready) {
        surface->needs_sync = false;
        coded_input_synced(driver, id);
    }
    driver->expected = !ready;
    release(surface);
    return status;
}

VAStatus soft_SyncSurface(struct driver *driver, VASurfaceID id) {
    return soft_SyncSurface2(driver, id, VA_TIMEOUT_INFINITE);
}

VAStatus soft_QuerySurfaceStatus(struct driver *driver, VASurfaceID id, VASurfaceStatus *status) {
    struct surface *surface = find_surface(driver, id);
    if (!surface)
        return refuse(driver, VA_STATUS_ERROR_INVALID_SURFACE, "no surface %#x", id);
    bool busy = surface_is_busy(driver, surface, driver->job_number);
    *status = busy ? VASurfaceRendering : VASurfaceReady;
    if (!busy) {
        surface->needs_sync = false;
        coded_input_synced(driver, id);
    }
    return VA_STATUS_SUCCESS;
}

VAStatus soft_QuerySurfaceError(struct driver *driver, VASurfaceID id, VAStatus error, void **information) {
    struct surface *surface = find_surface(driver, id);
    if (!surface)
        return refuse(driver, VA_STATUS_ERROR_INVALID_SURFACE, "no surface %#x", id);
    if (error != VA_STATUS_ERROR_DECODING_ERROR)
        return VA_STATUS_ERROR_UNIMPLEMENTED;
    // The damaged macroblocks are unknown; the list has only its end mark.
    static VASurfaceDecodeMBErrors none = {.status = -1};
    *information = &none;
    return VA_STATUS_SUCCESS;
}

struct attribute_list {
    VASurfaceAttrib *list;
    unsigned count, room;
};

static void add(struct attribute_list *attributes, VASurfaceAttribType type, unsigned flags, int value) {
    if (attributes->list && attributes->count < attributes->room)
        attributes->list[attributes->count] = (VASurfaceAttrib){
            type, flags, {VAGenericValueTypeInteger, {.i = value}}};
    attributes->count++;
}

/// Called twice, first without a list for the count.
VAStatus soft_QuerySurfaceAttributes(struct driver *driver, VAConfigID id, VASurfaceAttrib *list,
                                     unsigned int *count) {
    struct config *config = table_find(&driver->objects, id, KIND_CONFIG);
    if (!config)
        return refuse(driver, VA_STATUS_ERROR_INVALID_CONFIG, "no config %#x", id);
    const struct switches *switches = &driver->switches;
    const unsigned get = VA_SURFACE_ATTRIB_GETTABLE, both = get | VA_SURFACE_ATTRIB_SETTABLE;
    struct attribute_list attributes = {list, 0, *count};
    for (const struct format *format = formats; format < formats + FORMAT_COUNT; format++)
        if (config_takes(driver, config, format))
            add(&attributes, VASurfaceAttribPixelFormat, both, (int)format->fourcc);
    add(&attributes, VASurfaceAttribMinWidth, get, least_side(config, switches->min_width));
    add(&attributes, VASurfaceAttribMaxWidth, get, switches->max_width);
    add(&attributes, VASurfaceAttribMinHeight, get, least_side(config, switches->min_height));
    add(&attributes, VASurfaceAttribMaxHeight, get, switches->max_height);
    add(&attributes, VASurfaceAttribMemoryType, both,
        VA_SURFACE_ATTRIB_MEM_TYPE_VA | VA_SURFACE_ATTRIB_MEM_TYPE_DRM_PRIME | VA_SURFACE_ATTRIB_MEM_TYPE_DRM_PRIME_2);
    add(&attributes, VASurfaceAttribExternalBufferDescriptor, VA_SURFACE_ATTRIB_SETTABLE, 0);
    *count = attributes.count;
    return list && attributes.count > attributes.room ? VA_STATUS_ERROR_MAX_NUM_EXCEEDED : VA_STATUS_SUCCESS;
}
