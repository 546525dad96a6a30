/// Surfaces with shared memory, in a memfd in place of a dma-buf: vaExportSurfaceHandle, and vaCreateSurfaces with an
/// external buffer. The layout is linear, with all planes in one file; imports may have MODIFIER_UPSIDE_DOWN.

#define _GNU_SOURCE
#include <drm_fourcc.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <va/va_drmcommon.h>

#include "job.h"
#include "surface.h"

/// A format's DRM formats: as one layer, and as one for each plane.
static const struct drm_names {
    uint32_t fourcc, whole, planes[MAX_PLANES];
} names[FORMAT_COUNT] = {
    {VA_FOURCC_NV12, DRM_FORMAT_NV12, {DRM_FORMAT_R8, DRM_FORMAT_GR88}},
    {VA_FOURCC_P010, DRM_FORMAT_P010, {DRM_FORMAT_R16, DRM_FORMAT_GR1616}},
    {VA_FOURCC_I420, DRM_FORMAT_YUV420, {DRM_FORMAT_R8, DRM_FORMAT_R8, DRM_FORMAT_R8}},
    {VA_FOURCC_YUY2, DRM_FORMAT_YUYV, {DRM_FORMAT_YUYV}},
    {VA_FOURCC_BGRA, DRM_FORMAT_ARGB8888, {DRM_FORMAT_ARGB8888}},
};

static const struct drm_names *names_of(const struct format *format) {
    const struct drm_names *found = names;
    while (found->fourcc != format->fourcc)
        found++;
    return found;
}

void surface_release_memory(struct surface *surface) {
    if (surface->file < 0) {
        free(surface->data);
        return;
    }
    munmap(surface->data, surface->layout.size);
    close(surface->file);
}

/// Makes the file the surface's memory, and takes it. False if it cannot be mapped, and for -1.
static bool map_file(struct surface *surface, int file) {
    if (file < 0)
        return false;
    void *memory = mmap(NULL, surface->layout.size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) {
        close(file);
        return false;
    }
    surface->data = memory;
    surface->file = file;
    return true;
}

/// Moves the pixels into a memfd.
static bool move_into_file(struct surface *surface) {
    uint8_t *before = surface->data;
    size_t size = surface->layout.size;
    if (surface->file >= 0)
        return true;
    int file = memfd_create("softva-surface", MFD_CLOEXEC);
    if (file >= 0 && ftruncate(file, (off_t)size) != 0) {
        close(file);
        return false;
    }
    if (!map_file(surface, file))
        return false;
    memcpy(surface->data, before, size);
    free(before);
    return true;
}

static void describe_layers(const struct surface *surface, bool separate, VADRMPRIMESurfaceDescriptor *descriptor) {
    const struct drm_names *drm = names_of(surface->format);
    descriptor->num_layers = separate ? (uint32_t)surface->format->plane_count : 1;
    for (int plane = 0; plane < surface->format->plane_count; plane++) {
        unsigned layer = separate ? (unsigned)plane : 0, place = separate ? 0 : (unsigned)plane;
        descriptor->layers[layer].drm_format = separate ? drm->planes[plane] : drm->whole;
        descriptor->layers[layer].num_planes = place + 1;
        descriptor->layers[layer].object_index[place] = 0;
        descriptor->layers[layer].offset[place] = surface->layout.offset[plane];
        descriptor->layers[layer].pitch[place] = surface->layout.pitch[plane];
    }
}

/// A process that maps a dma-buf waits for its fences. A memfd has none: the export waits.
VAStatus soft_ExportSurfaceHandle(struct driver *driver, VASurfaceID id, uint32_t type, uint32_t flags, void *handle) {
    struct surface *surface = find_surface(driver, id);
    if (!surface)
        return refuse(driver, VA_STATUS_ERROR_INVALID_SURFACE, "no surface %#x", id);
    if (type != VA_SURFACE_ATTRIB_MEM_TYPE_DRM_PRIME_2)
        return refuse(driver, VA_STATUS_ERROR_UNSUPPORTED_MEMORY_TYPE, "export as memory type %#x", type);
    if (surface->mapped)
        return refuse(driver, VA_STATUS_ERROR_SURFACE_BUSY, "surface %#x is mapped", id);
    retain(surface);
    while (surface_is_busy(driver, surface, driver->job_number))
        wait_for_surface(driver, surface, VA_TIMEOUT_INFINITE);
    int copy = move_into_file(surface) ? fcntl(surface->file, F_DUPFD_CLOEXEC, 0) : -1;
    if (copy >= 0) {
        VADRMPRIMESurfaceDescriptor descriptor = {
            .fourcc = surface->format->fourcc,
            .width = (uint32_t)surface->width,
            .height = (uint32_t)surface->height,
            .num_objects = 1,
            .objects = {{copy, (uint32_t)surface->layout.size, DRM_FORMAT_MOD_LINEAR}},
        };
        describe_layers(surface, flags & VA_EXPORT_SURFACE_SEPARATE_LAYERS, &descriptor);
        *(VADRMPRIMESurfaceDescriptor *)handle = descriptor;
        // Writes to the exported memory are not detected.
        surface->processed = 0;
    }
    release(surface);
    return copy >= 0 ? VA_STATUS_SUCCESS : VA_STATUS_ERROR_ALLOCATION_FAILED;
}

static bool read_prime_2(const VADRMPRIMESurfaceDescriptor *descriptor, struct external *external) {
    uint64_t modifier = descriptor->objects[0].drm_format_modifier;
    *external = (struct external){.format = format_of(descriptor->fourcc), .file = descriptor->objects[0].fd,
                                  .is_upside_down = modifier == MODIFIER_UPSIDE_DOWN};
    int planes = 0;
    for (unsigned layer = 0; layer < descriptor->num_layers && layer < 4; layer++)
        for (unsigned place = 0; place < descriptor->layers[layer].num_planes && place < 4; place++, planes++)
            if (planes < MAX_PLANES) {
                external->layout.offset[planes] = descriptor->layers[layer].offset[place];
                external->layout.pitch[planes] = descriptor->layers[layer].pitch[place];
            }
    return external->format && planes == external->format->plane_count && descriptor->num_objects == 1
           && (modifier == DRM_FORMAT_MOD_LINEAR || modifier == DRM_FORMAT_MOD_INVALID || external->is_upside_down);
}

static bool read_prime(const VASurfaceAttribExternalBuffers *buffers, struct external *external) {
    if (buffers->num_buffers != 1)
        return false;
    *external = (struct external){.format = format_of(buffers->pixel_format), .file = (int)buffers->buffers[0]};
    for (unsigned plane = 0; plane < buffers->num_planes && plane < MAX_PLANES; plane++) {
        external->layout.offset[plane] = buffers->offsets[plane];
        external->layout.pitch[plane] = buffers->pitches[plane];
    }
    return external->format && (int)buffers->num_planes == external->format->plane_count;
}

bool external_read(unsigned memory_type, const void *descriptor, struct external *external) {
    return memory_type == VA_SURFACE_ATTRIB_MEM_TYPE_DRM_PRIME_2 ? read_prime_2(descriptor, external)
                                                                 : read_prime(descriptor, external);
}

/// Whether every plane of this size is within the file.
static bool fits(const struct format *format, const struct layout *layout, int width, int height) {
    for (int plane = 0; plane < format->plane_count; plane++) {
        uint64_t row = (uint64_t)(plane_width(format, plane, width) * format->planes[plane].bytes);
        uint64_t rows = (uint64_t)plane_height(format, plane, height);
        uint64_t end = layout->offset[plane] + layout->pitch[plane] * (rows - 1) + row;
        if (layout->pitch[plane] < row || end > layout->size)
            return false;
    }
    return true;
}

/// Replaces the memory by a private copy with the rows of each plane in reverse. False without memory.
static bool turn_over(struct surface *surface) {
    uint8_t *turned = malloc(surface->layout.size);
    if (!turned)
        return false;
    for (int plane = 0; plane < surface->format->plane_count; plane++) {
        size_t pitch = surface->layout.pitch[plane], offset = surface->layout.offset[plane];
        size_t row = (size_t)(plane_width(surface->format, plane, surface->width) * surface->format->planes[plane].bytes);
        size_t last = (size_t)plane_height(surface->format, plane, surface->height) - 1;
        for (size_t y = 0; y <= last; y++)
            memcpy(turned + offset + y * pitch, surface->data + offset + (last - y) * pitch, row);
    }
    surface_release_memory(surface);
    surface->data = turned;
    surface->file = -1;
    return true;
}

bool surface_import(struct surface *surface, const struct external *external) {
    struct stat status;
    surface->layout = external->layout;
    surface->layout.size = fstat(external->file, &status) == 0 ? (size_t)status.st_size : 0;
    if (!fits(surface->format, &surface->layout, surface->width, surface->height))
        return false;
    return map_file(surface, fcntl(external->file, F_DUPFD_CLOEXEC, 0))
           && (!external->is_upside_down || turn_over(surface));
}
