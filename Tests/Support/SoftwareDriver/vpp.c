/// The video processor: reads the pipeline's parameters, and runs the steps of a picture in order.

#include "vpp.h"

#include <stdlib.h>

#include <libswscale/swscale.h>

struct vpp_job {
    struct surface *target;
    int count;
    struct step steps[8];
};

static void *open_processor(struct context *context) {
    (void)context;
    return calloc(1, sizeof(struct vpp));
}

static void close_processor(void *state) {
    sws_freeContext(((struct vpp *)state)->sws);
    free(state);
}

static int matrix_of(VAProcColorStandardType standard, int coefficients) {
    if (standard == VAProcColorStandardBT709)
        return SWS_CS_ITU709;
    if (standard == VAProcColorStandardBT2020)
        return SWS_CS_BT2020;
    // "Explicit" has the numbers of H.273.
    if (standard == VAProcColorStandardExplicit)
        return coefficients == 1 ? SWS_CS_ITU709 : coefficients == 9 ? SWS_CS_BT2020 : SWS_CS_ITU601;
    return SWS_CS_ITU601;
}

static struct colors colours_from(VAProcColorStandardType standard, const VAProcColorProperties *properties,
                                   const struct format *format) {
    bool full = properties->color_range == VA_SOURCE_RANGE_FULL;
    // RGB is full range by default.
    if (format->rt_format == VA_RT_FORMAT_RGB32)
        full = properties->color_range != VA_SOURCE_RANGE_REDUCED;
    return (struct colors){standard, matrix_of(standard, properties->matrix_coefficients), full};
}

/// Input or output without a color description uses the other's.
static void complete_colours(struct step *step, bool input_says, bool output_says) {
    if (!input_says && output_says)
        step->input.matrix = step->output.matrix;
    if (!output_says && input_says)
        step->output.matrix = step->input.matrix;
}

static bool rectangle_of(const VARectangle *given, const struct surface *surface, VARectangle *rectangle) {
    *rectangle = given ? *given : (VARectangle){0, 0, (uint16_t)surface->width, (uint16_t)surface->height};
    return rectangle->x >= 0 && rectangle->y >= 0 && rectangle->width > 0 && rectangle->height > 0
           && rectangle->x + rectangle->width <= surface->width
           && rectangle->y + rectangle->height <= surface->height;
}

static VAStatus read_tone_mapping(struct context *context, const VAProcFilterParameterBufferHDRToneMapping *filter,
                                  struct step *step) {
    struct driver *driver = context->driver;
    const VAHdrMetaDataHDR10 *metadata = filter->data.metadata;
    if (step->source->format->fourcc != VA_FOURCC_P010)
        return refuse(driver, VA_STATUS_ERROR_INVALID_PARAMETER, "tone mapping takes P010");
    if (step->input.matrix != SWS_CS_BT2020 || step->output.matrix == SWS_CS_BT2020)
        return refuse(driver, VA_STATUS_ERROR_INVALID_PARAMETER, "tone mapping leads out of BT.2020");
    if (filter->data.metadata_type != VAProcHighDynamicRangeMetadataHDR10 || !metadata
        || filter->data.metadata_size < sizeof *metadata)
        return refuse(driver, VA_STATUS_ERROR_INVALID_PARAMETER, "tone mapping without HDR10 metadata");
    step->tone_map = true;
    step->peak = metadata->max_content_light_level;
    if (step->peak < 100)
        step->peak = metadata->max_display_mastering_luminance / 10000.0;
    if (step->peak < 100)
        step->peak = 1000;
    return VA_STATUS_SUCCESS;
}

static VAStatus read_strength(struct context *context, const VAProcFilterParameterBuffer *filter, double *strength) {
    if (!(filter->value >= 0 && filter->value <= ENHANCEMENT_MOST))
        return refuse(context->driver, VA_STATUS_ERROR_INVALID_PARAMETER, "a strength of %f", (double)filter->value);
    *strength = filter->value;
    return VA_STATUS_SUCCESS;
}

static VAStatus read_filter(struct context *context, VABufferID id, struct step *step) {
    struct driver *driver = context->driver;
    struct buffer *buffer = find_buffer(driver, id);
    if (!buffer || buffer->type != VAProcFilterParameterBufferType
        || buffer->element_size < sizeof(VAProcFilterParameterBufferBase))
        return refuse(driver, VA_STATUS_ERROR_INVALID_BUFFER, "no filter buffer %#x", id);
    VAProcFilterType type = ((const VAProcFilterParameterBufferBase *)buffer->data)->type;
    if (type == VAProcFilterDeinterlacing
        && buffer->element_size >= sizeof(VAProcFilterParameterBufferDeinterlacing)) {
        const VAProcFilterParameterBufferDeinterlacing *filter = (const void *)buffer->data;
        if (filter->algorithm >= VAProcDeinterlacingCount || !(driver->switches.deinterlacing >> filter->algorithm & 1))
            return refuse(driver, VA_STATUS_ERROR_UNSUPPORTED_FILTER, "deinterlacing %d", filter->algorithm);
        step->deinterlacing = filter->algorithm;
        step->bottom_field = filter->flags & VA_DEINTERLACING_BOTTOM_FIELD;
        step->is_second = step->bottom_field != !!(filter->flags & VA_DEINTERLACING_BOTTOM_FIELD_FIRST);
        return VA_STATUS_SUCCESS;
    }
    if (type == VAProcFilterHighDynamicRangeToneMapping && driver->switches.tone_map
        && buffer->element_size >= sizeof(VAProcFilterParameterBufferHDRToneMapping))
        return read_tone_mapping(context, (const void *)buffer->data, step);
    if ((type == VAProcFilterNoiseReduction || type == VAProcFilterSharpening) && driver->switches.enhance
        && buffer->element_size >= sizeof(VAProcFilterParameterBuffer))
        return read_strength(context, (const void *)buffer->data,
                             type == VAProcFilterNoiseReduction ? &step->denoise : &step->sharpen);
    return refuse(driver, VA_STATUS_ERROR_UNSUPPORTED_FILTER, "filter %d", type);
}

static VAStatus read_step(struct context *context, const VAProcPipelineParameterBuffer *pipeline, struct step *step) {
    struct driver *driver = context->driver;
    step->source = find_surface(driver, pipeline->surface);
    if (!step->source || step->source == context->target)
        return refuse(driver, VA_STATUS_ERROR_INVALID_SURFACE, "no surface %#x to read from", pipeline->surface);
    if (!rectangle_of(pipeline->surface_region, step->source, &step->from)
        || !rectangle_of(pipeline->output_region, context->target, &step->to))
        return refuse(driver, VA_STATUS_ERROR_INVALID_PARAMETER, "a region leaves its surface");
    if (pipeline->blend_state || pipeline->num_additional_outputs)
        return refuse(driver, VA_STATUS_ERROR_UNIMPLEMENTED, "blending and additional outputs");
    if (pipeline->rotation_state > VA_ROTATION_270 || pipeline->mirror_state > 3)
        return refuse(driver, VA_STATUS_ERROR_INVALID_PARAMETER, "rotation %u, mirror %u", pipeline->rotation_state,
                      pipeline->mirror_state);
    step->rotation = pipeline->rotation_state;
    step->mirror = pipeline->mirror_state;
    step->background = pipeline->output_background_color;
    step->input = colours_from(pipeline->surface_color_standard, &pipeline->input_color_properties,
                               step->source->format);
    step->output = colours_from(pipeline->output_color_standard, &pipeline->output_color_properties,
                                context->target->format);
    complete_colours(step, pipeline->surface_color_standard != VAProcColorStandardNone,
                     pipeline->output_color_standard != VAProcColorStandardNone);
    VAStatus status = VA_STATUS_SUCCESS;
    for (unsigned index = 0; index < pipeline->num_filters && status == VA_STATUS_SUCCESS; index++)
        status = read_filter(context, pipeline->filters[index], step);
    return status == VA_STATUS_SUCCESS ? read_references(context, pipeline, step) : status;
}

static void use_sources(struct job *job, const struct step *step) {
    struct surface *sources[] = {step->source, step->past[0], step->past[1], step->future};
    for (unsigned index = 0; index < sizeof sources / sizeof *sources; index++)
        if (sources[index])
            job_use(job, sources[index], false);
}

static VAStatus prepare(struct context *context, struct job *job) {
    struct vpp_job *vpp = calloc(1, sizeof *vpp);
    if (!vpp)
        return VA_STATUS_ERROR_ALLOCATION_FAILED;
    job->payload = vpp;
    job->free_payload = free;
    vpp->target = context->target;
    job_use(job, context->target, true);
    struct buffer *buffer;
    while (vpp->count < 8 && (buffer = picture_buffer(context, VAProcPipelineParameterBufferType, vpp->count,
                                                      sizeof(VAProcPipelineParameterBuffer)))) {
        struct step *step = &vpp->steps[vpp->count++];
        VAStatus status = read_step(context, (const void *)buffer->data, step);
        if (status != VA_STATUS_SUCCESS)
            return status;
        // Later steps draw over the first one's result.
        step->fills = vpp->count == 1;
        apply_quirks(context, step);
        note_turn(context, step->source);
        use_sources(job, step);
    }
    return vpp->count ? VA_STATUS_SUCCESS
                      : refuse(context->driver, VA_STATUS_ERROR_INVALID_PARAMETER, "no pipeline parameters");
}

/// Frees `current`, and replaces it with `next`.
static void replace(struct canvas *current, struct canvas next) {
    canvas_free(current);
    *current = next;
}

/// The same region of each picture that the step uses to deinterlace.
static struct fields fields_of(const struct step *step, const struct canvas *present) {
    struct fields fields = {.present = *present, .bottom_field = step->bottom_field, .is_second = step->is_second};
    fields.adaptive = step->future;
    fields.compensated = step->past[1];
    for (int index = 0; index < 2; index++)
        if (step->past[index])
            fields.past[index] = surface_canvas(step->past[index], step->from);
    if (step->future)
        fields.future = surface_canvas(step->future, step->from);
    return fields;
}

static bool filter(const struct step *step, struct canvas *current) {
    struct canvas next;
    if (step->deinterlacing != VAProcDeinterlacingNone && step->deinterlacing != VAProcDeinterlacingWeave) {
        struct fields fields = fields_of(step, current);
        if (!deinterlace(&fields, &next))
            return false;
        replace(current, next);
    }
    if (step->denoise > 0 || step->sharpen > 0) {
        if (!enhance(current, step->denoise, step->sharpen, &next))
            return false;
        replace(current, next);
    }
    if (step->tone_map) {
        if (!tone_map(current, step->peak, &next))
            return false;
        replace(current, next);
    }
    return true;
}

static bool run_step(struct vpp *vpp, const struct surface *target, struct step *step) {
    bool turned = step->rotation == VA_ROTATION_90 || step->rotation == VA_ROTATION_270;
    struct canvas current = surface_canvas(step->source, step->from), scaled = {0};
    VARectangle all = {0, 0, (uint16_t)target->width, (uint16_t)target->height};
    struct canvas whole = surface_canvas(target, all);
    struct canvas part = surface_canvas(target, step->to);
    if (step->tone_map) {
        step->input.matrix = SWS_CS_ITU709;
        step->output.matrix = SWS_CS_ITU709;
    }
    bool covers = step->to.width == target->width && step->to.height == target->height;
    // swscale may write beyond a row, so it never writes into the target.
    bool done = filter(step, &current)
                && canvas_make(&scaled, target->format, turned ? step->to.height : step->to.width,
                               turned ? step->to.width : step->to.height)
                && convert(vpp, &current, step, &scaled);
    if (done && step->fills && !covers)
        step->fills_with_zeros ? clear_canvas(&whole) : fill_canvas(&whole, step->background, &step->output);
    done = done && lay(&scaled, step->rotation, step->mirror, &part);
    canvas_free(&current);
    canvas_free(&scaled);
    return done;
}

static VAStatus run(struct context *context, struct job *job) {
    struct vpp_job *vpp = job->payload;
    for (int index = 0; index < vpp->count; index++)
        if (!run_step(context->state, vpp->target, &vpp->steps[index]))
            return VA_STATUS_ERROR_OPERATION_FAILED;
    return VA_STATUS_SUCCESS;
}

const struct codec video_processor = {ENGINE_PROCESS, open_processor, prepare, run, close_processor};
