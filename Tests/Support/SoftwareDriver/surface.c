#include "surface.h"

#include <stdlib.h>
#include <string.h>

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
    free(((struct surface *)object)->data);
    free(object);
}

static struct surface *surface_create(struct driver *driver, const struct format *format, int width, int height) {
    struct surface *surface = calloc(1, sizeof *surface);
    if (!surface)
        return NULL;
    surface->format = format;
    surface->width = width;
    surface->height = height;
    surface->layout = layout_of(format, width, height);
    surface->data = aligned_alloc(64, surface->layout.size);
    if (!surface->data || !table_add(&driver->objects, &surface->object, KIND_SURFACE, surface_free)) {
        free(surface->data);
        free(surface);
        return NULL;
    }
    // Never black by chance: a picture that nobody wrote must be seen.
    memset(surface->data, 0xa5, surface->layout.size);
    return surface;
}

/// The format that the attributes ask for, or the default of the chroma type.
static VAStatus read_attributes(struct driver *driver, unsigned rt_format, const VASurfaceAttrib *list, unsigned count,
                                const struct format **format) {
    *format = default_format(rt_format);
    for (unsigned index = 0; index < count; index++) {
        const VASurfaceAttrib *attribute = &list[index];
        if (!(attribute->flags & VA_SURFACE_ATTRIB_SETTABLE))
            continue;
        if (attribute->type == VASurfaceAttribPixelFormat)
            *format = format_of((uint32_t)attribute->value.value.i);
        if (attribute->type == VASurfaceAttribMemoryType
            && attribute->value.value.i != VA_SURFACE_ATTRIB_MEM_TYPE_VA)
            return refuse(driver, VA_STATUS_ERROR_UNSUPPORTED_MEMORY_TYPE, "memory type %#x",
                          (unsigned)attribute->value.value.i);
        if (attribute->type == VASurfaceAttribExternalBufferDescriptor && attribute->value.value.p)
            return refuse(driver, VA_STATUS_ERROR_ATTR_NOT_SUPPORTED, "surfaces live in the driver's memory only");
    }
    bool fits = *format && ((*format)->rt_format & rt_format) && ((*format)->depth == 8 || driver->switches.ten_bit);
    return fits ? VA_STATUS_SUCCESS
                : refuse(driver, VA_STATUS_ERROR_UNSUPPORTED_RT_FORMAT, "chroma type %#x", rt_format);
}

VAStatus soft_CreateSurfaces2(struct driver *driver, unsigned int rt_format, unsigned int width, unsigned int height,
                              VASurfaceID *ids, unsigned int count, VASurfaceAttrib *list,
                              unsigned int attribute_count) {
    const struct format *format;
    VAStatus status = read_attributes(driver, rt_format, list, attribute_count, &format);
    if (status != VA_STATUS_SUCCESS)
        return status;
    if (width == 0 || height == 0 || width > 16384 || height > 16384)
        return refuse(driver, VA_STATUS_ERROR_RESOLUTION_NOT_SUPPORTED, "a surface of %ux%u", width, height);
    int most = driver->switches.max_surfaces, alive = driver->objects.live[KIND_SURFACE];
    if (most && alive + (int)count > most)
        return refuse(driver, VA_STATUS_ERROR_ALLOCATION_FAILED, "%u surfaces more than %d of %d", count, alive, most);
    for (unsigned made = 0; made < count; made++) {
        struct surface *surface = surface_create(driver, format, (int)width, (int)height);
        if (!surface) {
            soft_DestroySurfaces(driver, ids, (int)made);
            return VA_STATUS_ERROR_ALLOCATION_FAILED;
        }
        ids[made] = surface->object.id;
    }
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

/// Waits for the work that was queued before, and reports how it ended.
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
    // Which macroblocks are damaged is not known; the list has its end mark only.
    static VASurfaceDecodeMBErrors none = {.status = -1};
    *information = &none;
    return VA_STATUS_SUCCESS;
}

VAStatus soft_ExportSurfaceHandle(struct driver *driver, VASurfaceID id, uint32_t type, uint32_t flags,
                                  void *descriptor) {
    (void)flags, (void)descriptor;
    if (!find_surface(driver, id))
        return refuse(driver, VA_STATUS_ERROR_INVALID_SURFACE, "no surface %#x", id);
    return refuse(driver, VA_STATUS_ERROR_UNSUPPORTED_MEMORY_TYPE, "surfaces cannot be exported (type %#x)", type);
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

/// Asked twice, first without a list for the count.
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
    add(&attributes, VASurfaceAttribMemoryType, both, VA_SURFACE_ATTRIB_MEM_TYPE_VA);
    *count = attributes.count;
    return list && attributes.count > attributes.room ? VA_STATUS_ERROR_MAX_NUM_EXCEEDED : VA_STATUS_SUCCESS;
}
