#include "context.h"

#include <stdlib.h>
#include <string.h>

#include "profiles.h"
#include "worker.h"

static struct context *find_context(struct driver *driver, VAContextID id) {
    return table_find(&driver->objects, id, KIND_CONTEXT);
}

static const struct codec *codec_for(const struct config *config) {
    const struct profile *profile = profile_of(config->profile);
    if (config->entrypoint == VAEntrypointVideoProc)
        return &video_processor;
    return is_encoder(config->entrypoint) ? profile->encoder : profile->decoder;
}

static void forget_picture(struct context *context) {
    while (context->buffer_count > 0)
        release(context->buffers[--context->buffer_count]);
    release(context->target);
    context->target = NULL;
}

static void context_free(struct object *object) {
    struct context *context = (struct context *)object;
    forget_picture(context);
    if (context->state)
        context->codec->close(context->state);
    free(context);
}

/// The video processor ignores the context's size.
static VAStatus check_size(struct driver *driver, const struct config *config, int width, int height) {
    const struct switches *switches = &driver->switches;
    int min_width = least_side(config, switches->min_width), min_height = least_side(config, switches->min_height);
    bool fits = width >= min_width && height >= min_height && width <= switches->max_width
                && height <= switches->max_height;
    if (fits || config->entrypoint == VAEntrypointVideoProc)
        return VA_STATUS_SUCCESS;
    return refuse(driver, VA_STATUS_ERROR_RESOLUTION_NOT_SUPPORTED, "%dx%d is not within %dx%d to %dx%d", width, height,
                  min_width, min_height, switches->max_width, switches->max_height);
}

VAStatus soft_CreateContext(struct driver *driver, VAConfigID config_id, int width, int height, int flag,
                            VASurfaceID *targets, int target_count, VAContextID *id) {
    (void)flag;
    struct config *config = table_find(&driver->objects, config_id, KIND_CONFIG);
    if (!config)
        return refuse(driver, VA_STATUS_ERROR_INVALID_CONFIG, "no config %#x", config_id);
    VAStatus status = check_size(driver, config, width, height);
    if (status != VA_STATUS_SUCCESS)
        return status;
    // A growing pool has no surfaces yet: there may be no targets.
    for (int index = 0; index < target_count; index++)
        if (!find_surface(driver, targets[index]))
            return refuse(driver, VA_STATUS_ERROR_INVALID_SURFACE, "no surface %#x", targets[index]);
    struct context *context = calloc(1, sizeof *context);
    if (!context)
        return VA_STATUS_ERROR_ALLOCATION_FAILED;
    context->driver = driver;
    context->config = *config;
    context->width = width;
    context->height = height;
    context->codec = codec_for(config);
    context->state = context->codec->open(context);
    if (!context->state || !table_add(&driver->objects, &context->object, KIND_CONTEXT, context_free)) {
        context_free(&context->object);
        return VA_STATUS_ERROR_ALLOCATION_FAILED;
    }
    if (!worker_start(context)) {
        table_remove(&driver->objects, &context->object);
        return VA_STATUS_ERROR_ALLOCATION_FAILED;
    }
    *id = context->object.id;
    return VA_STATUS_SUCCESS;
}

static void destroy(struct driver *driver, struct context *context) {
    worker_stop(context);
    table_remove(&driver->objects, &context->object);
}

VAStatus soft_DestroyContext(struct driver *driver, VAContextID id) {
    struct context *context = find_context(driver, id);
    if (!context || context->closing)
        return refuse(driver, VA_STATUS_ERROR_INVALID_CONTEXT, "no context %#x", id);
    destroy(driver, context);
    return VA_STATUS_SUCCESS;
}

void contexts_destroy_all(struct driver *driver) {
    for (unsigned slot = 0; slot < SLOT_COUNT; slot++) {
        struct object *object = driver->objects.slots[slot].object;
        if (object && object->kind == KIND_CONTEXT)
            destroy(driver, (struct context *)object);
    }
}

VAStatus soft_BeginPicture(struct driver *driver, VAContextID id, VASurfaceID target) {
    struct context *context = find_context(driver, id);
    if (!context)
        return refuse(driver, VA_STATUS_ERROR_INVALID_CONTEXT, "no context %#x", id);
    struct surface *surface = find_surface(driver, target);
    if (!surface)
        return refuse(driver, VA_STATUS_ERROR_INVALID_SURFACE, "no surface %#x", target);
    if (context->target)
        return refuse(driver, VA_STATUS_ERROR_OPERATION_FAILED, "vaBeginPicture twice, without vaEndPicture");
    if (!config_takes(driver, &context->config, surface->format))
        return refuse(driver, VA_STATUS_ERROR_INVALID_SURFACE, "a surface of %.4s does not fit the config",
                      (const char *)&surface->format->fourcc);
    context->target = retain(surface);
    return VA_STATUS_SUCCESS;
}

VAStatus soft_RenderPicture(struct driver *driver, VAContextID id, VABufferID *buffers, int count) {
    struct context *context = find_context(driver, id);
    if (!context)
        return refuse(driver, VA_STATUS_ERROR_INVALID_CONTEXT, "no context %#x", id);
    if (!context->target)
        return refuse(driver, VA_STATUS_ERROR_OPERATION_FAILED, "vaRenderPicture without vaBeginPicture");
    for (int index = 0; index < count; index++) {
        struct buffer *buffer = find_buffer(driver, buffers[index]);
        if (!buffer || buffer->type == VAEncCodedBufferType || buffer->type == VAImageBufferType)
            return refuse(driver, VA_STATUS_ERROR_INVALID_BUFFER, "no parameter buffer %#x", buffers[index]);
        if (buffer->mapped)
            return refuse(driver, VA_STATUS_ERROR_INVALID_BUFFER, "buffer %#x is mapped", buffers[index]);
        if (context->buffer_count == MAX_PICTURE_BUFFERS)
            return VA_STATUS_ERROR_MAX_NUM_EXCEEDED;
        context->buffers[context->buffer_count++] = retain(buffer);
    }
    return VA_STATUS_SUCCESS;
}

struct buffer *picture_buffer(const struct context *context, VABufferType type, int number, size_t size) {
    for (int index = 0; index < context->buffer_count; index++) {
        struct buffer *buffer = context->buffers[index];
        if (buffer->type == type && number-- == 0)
            return buffer->element_size * buffer->count >= size ? buffer : NULL;
    }
    return NULL;
}

/// Pixels that the application has mapped must not change.
static VAStatus check_unmapped(struct driver *driver, const struct job *job) {
    for (int index = 0; index < job->use_count; index++)
        if (job->uses[index].writes && job->uses[index].surface->mapped)
            return refuse(driver, VA_STATUS_ERROR_SURFACE_BUSY, "surface %#x is mapped",
                          job->uses[index].surface->object.id);
    return VA_STATUS_SUCCESS;
}

/// Like hardware without firmware: the encoder opens.
static bool is_broken(const struct driver *driver, const struct config *config) {
    bool is_low_power = config->entrypoint == VAEntrypointEncSliceLP;
    return (is_low_power || config->entrypoint == VAEntrypointEncSlice) &&
           switches_break(&driver->switches, is_low_power, config->rate_control);
}

VAStatus soft_EndPicture(struct driver *driver, VAContextID id) {
    struct context *context = find_context(driver, id);
    if (!context)
        return refuse(driver, VA_STATUS_ERROR_INVALID_CONTEXT, "no context %#x", id);
    if (!context->target)
        return refuse(driver, VA_STATUS_ERROR_OPERATION_FAILED, "vaEndPicture without vaBeginPicture");
    if (is_broken(driver, &context->config))
        return refuse(driver, VA_STATUS_ERROR_ENCODING_ERROR, "this encoder is broken");
    struct job *job = calloc(1, sizeof *job);
    if (!job)
        return VA_STATUS_ERROR_ALLOCATION_FAILED;
    job->context = context;
    job->effect = driver->effect;
    VAStatus status = context->codec->prepare(context, job);
    if (status == VA_STATUS_SUCCESS)
        status = check_unmapped(driver, job);
    forget_picture(context);
    if (status == VA_STATUS_SUCCESS)
        job_submit(driver, job);
    else
        job_free(job);
    return status;
}
