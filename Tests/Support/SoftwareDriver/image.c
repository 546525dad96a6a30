#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "surface.h"

struct image {
    struct object object;
    VAImage image;
    const struct format *format;
    struct buffer *buffer;
};

static void image_free(struct object *object) {
    release(((struct image *)object)->buffer);
    free(object);
}

static VAImageFormat image_format(const struct format *format) {
    VAImageFormat image = {
        .fourcc = format->fourcc, .byte_order = VA_LSB_FIRST, .bits_per_pixel = (uint32_t)format->bits_per_pixel};
    if (format->rt_format == VA_RT_FORMAT_RGB32) {
        image.depth = 32;
        image.red_mask = 0x00ff0000;
        image.green_mask = 0x0000ff00;
        image.blue_mask = 0x000000ff;
        image.alpha_mask = 0xff000000;
    }
    return image;
}

static void fill_image(struct image *image, const struct layout *layout, int width, int height) {
    image->image = (VAImage){
        .image_id = image->object.id,
        .format = image_format(image->format),
        .buf = image->buffer->object.id,
        .width = (uint16_t)width,
        .height = (uint16_t)height,
        .data_size = (uint32_t)layout->size,
        .num_planes = (uint32_t)image->format->plane_count,
    };
    memcpy(image->image.pitches, layout->pitch, sizeof layout->pitch);
    memcpy(image->image.offsets, layout->offset, sizeof layout->offset);
}

/// With a surface, the image is a view of its memory.
static VAStatus image_create(struct driver *driver, const struct format *format, int width, int height,
                             struct surface *surface, VAImage *description) {
    struct layout layout = surface ? surface->layout : layout_of(format, width, height);
    struct buffer *buffer = buffer_create(driver, VAImageBufferType, layout.size, 1, surface);
    struct image *image = calloc(1, sizeof *image);
    if (!image || !buffer || !table_add(&driver->objects, &image->object, KIND_IMAGE, image_free)) {
        free(image);
        if (buffer)
            table_remove(&driver->objects, &buffer->object);
        return VA_STATUS_ERROR_ALLOCATION_FAILED;
    }
    image->format = format;
    image->buffer = retain(buffer);
    if (!surface)
        memset(buffer->data, 0xa5, layout.size);
    fill_image(image, &layout, width, height);
    *description = image->image;
    return VA_STATUS_SUCCESS;
}

VAStatus soft_QueryImageFormats(struct driver *driver, VAImageFormat *list, int *count) {
    *count = 0;
    for (const struct format *format = formats; format < formats + FORMAT_COUNT; format++)
        if (format->depth == 8 || driver->switches.ten_bit)
            list[(*count)++] = image_format(format);
    return VA_STATUS_SUCCESS;
}

VAStatus soft_CreateImage(struct driver *driver, VAImageFormat *wanted, int width, int height, VAImage *image) {
    const struct format *format = format_of(wanted->fourcc);
    if (!format || (format->depth > 8 && !driver->switches.ten_bit))
        return refuse(driver, VA_STATUS_ERROR_INVALID_IMAGE_FORMAT, "no image format %.4s",
                      (const char *)&wanted->fourcc);
    if (width <= 0 || height <= 0 || width > 16384 || height > 16384)
        return refuse(driver, VA_STATUS_ERROR_INVALID_PARAMETER, "an image of %dx%d", width, height);
    return image_create(driver, format, width, height, NULL, image);
}

VAStatus soft_DeriveImage(struct driver *driver, VASurfaceID id, VAImage *image) {
    struct surface *surface = find_surface(driver, id);
    driver->expected = has_quirk(&driver->switches, QUIRK_NO_DERIVE);
    if (driver->expected)
        return VA_STATUS_ERROR_OPERATION_FAILED;
    if (!surface)
        return refuse(driver, VA_STATUS_ERROR_INVALID_SURFACE, "no surface %#x", id);
    return image_create(driver, surface->format, surface->width, surface->height, surface, image);
}

VAStatus soft_DestroyImage(struct driver *driver, VAImageID id) {
    struct image *image = table_find(&driver->objects, id, KIND_IMAGE);
    if (!image)
        return refuse(driver, VA_STATUS_ERROR_INVALID_IMAGE, "no image %#x", id);
    if (image->buffer->mapped)
        soft_UnmapBuffer(driver, image->buffer->object.id);
    if (find_buffer(driver, image->buffer->object.id))
        table_remove(&driver->objects, &image->buffer->object);
    table_remove(&driver->objects, &image->object);
    return VA_STATUS_SUCCESS;
}

struct rectangle {
    int x, y;
    unsigned width, height;
};

static bool inside(struct rectangle part, int width, int height) {
    return part.x >= 0 && part.y >= 0 && part.width > 0 && part.height > 0
           && (uint64_t)part.x + part.width <= (uint64_t)width && (uint64_t)part.y + part.height <= (uint64_t)height;
}

/// Shared by vaGetImage and vaPutImage: both name a surface, an image and a rectangle of each.
static VAStatus check_transfer(struct driver *driver, struct surface *surface, struct rectangle on_surface,
                               struct image *image, struct rectangle on_image, bool changes) {
    if (!surface)
        return refuse(driver, VA_STATUS_ERROR_INVALID_SURFACE, "no such surface");
    if (!image)
        return refuse(driver, VA_STATUS_ERROR_INVALID_IMAGE, "no such image");
    if (image->format != surface->format)
        return refuse(driver, VA_STATUS_ERROR_INVALID_IMAGE_FORMAT, "the image is %.4s, the surface %.4s",
                      (const char *)&image->format->fourcc, (const char *)&surface->format->fourcc);
    if (image->buffer->mapped)
        return refuse(driver, VA_STATUS_ERROR_OPERATION_FAILED, "the image is mapped");
    if (!inside(on_surface, surface->width, surface->height)
        || !inside(on_image, image->image.width, image->image.height))
        return refuse(driver, VA_STATUS_ERROR_INVALID_PARAMETER, "the rectangle leaves surface or image");
    return check_synced(driver, surface, changes, changes ? "vaPutImage" : "vaGetImage");
}

static struct pixels image_pixels(const struct image *image, int x, int y) {
    struct layout layout = {0};
    memcpy(layout.pitch, image->image.pitches, sizeof layout.pitch);
    memcpy(layout.offset, image->image.offsets, sizeof layout.offset);
    return pixels_at(image->format, buffer_data(image->buffer), &layout, x, y);
}

VAStatus soft_GetImage(struct driver *driver, VASurfaceID id, int x, int y, unsigned int width, unsigned int height,
                       VAImageID image_id) {
    struct surface *surface = find_surface(driver, id);
    struct image *image = table_find(&driver->objects, image_id, KIND_IMAGE);
    VAStatus status = check_transfer(driver, surface, (struct rectangle){x, y, width, height}, image,
                                     (struct rectangle){0, 0, width, height}, false);
    if (status == VA_STATUS_SUCCESS)
        copy_pixels(image_pixels(image, 0, 0), surface_pixels(surface, x, y), (int)width, (int)height);
    return status;
}

VAStatus soft_PutImage(struct driver *driver, VASurfaceID id, VAImageID image_id, int source_x, int source_y,
                       unsigned int source_width, unsigned int source_height, int x, int y, unsigned int width,
                       unsigned int height) {
    struct surface *surface = find_surface(driver, id);
    struct image *image = table_find(&driver->objects, image_id, KIND_IMAGE);
    if (source_width != width || source_height != height)
        return refuse(driver, VA_STATUS_ERROR_UNIMPLEMENTED, "vaPutImage does not scale");
    VAStatus status = check_transfer(driver, surface, (struct rectangle){x, y, width, height}, image,
                                     (struct rectangle){source_x, source_y, source_width, source_height}, true);
    if (status == VA_STATUS_SUCCESS) {
        copy_pixels(surface_pixels(surface, x, y), image_pixels(image, source_x, source_y), (int)width, (int)height);
        surface->status = VA_STATUS_SUCCESS;
        surface->processed = 0;
    }
    return status;
}
