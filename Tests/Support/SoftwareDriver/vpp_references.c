/// Checks the references of the deinterlaced picture.

#include "vpp.h"

struct reach reach_of(VAProcDeinterlacingType algorithm) {
    if (algorithm == VAProcDeinterlacingMotionAdaptive)
        return (struct reach){1, 1};
    if (algorithm == VAProcDeinterlacingMotionCompensated)
        return (struct reach){2, 1};
    return (struct reach){0, 0};
}

static VAStatus find_reference(struct context *context, VASurfaceID id, const struct step *step, struct surface **found) {
    struct driver *driver = context->driver;
    *found = find_surface(driver, id);
    if (!*found)
        return refuse(driver, VA_STATUS_ERROR_INVALID_SURFACE, "no surface %#x to refer to", id);
    if (*found == context->target || *found == step->source)
        return refuse(driver, VA_STATUS_ERROR_INVALID_PARAMETER, "surface %#x refers to itself", id);
    if ((*found)->format != step->source->format || (*found)->width != step->source->width
        || (*found)->height != step->source->height)
        return refuse(driver, VA_STATUS_ERROR_INVALID_PARAMETER, "reference %#x is not like the picture", id);
    return VA_STATUS_SUCCESS;
}

/// When this context had the surface's picture as its source; 0: not yet.
static uint64_t turn_of(const struct context *context, const struct surface *surface) {
    return surface->processed_by == context->object.id ? surface->processed : 0;
}

/// Pictures are processed in display order: a future one cannot have been processed, and of two past ones the nearer
/// was processed later.
static VAStatus check_order(const struct context *context, const struct step *step) {
    struct driver *driver = context->driver;
    if (step->future && turn_of(context, step->future))
        return refuse(driver, VA_STATUS_ERROR_INVALID_PARAMETER, "backward reference %#x had its turn already",
                      step->future->object.id);
    uint64_t nearer = step->past[0] ? turn_of(context, step->past[0]) : 0;
    uint64_t farther = step->past[1] ? turn_of(context, step->past[1]) : 0;
    if (nearer < farther)
        return refuse(driver, VA_STATUS_ERROR_INVALID_PARAMETER, "forward reference %#x is not the nearest",
                      step->past[0]->object.id);
    return VA_STATUS_SUCCESS;
}

VAStatus read_references(struct context *context, const VAProcPipelineParameterBuffer *pipeline, struct step *step) {
    struct reach reach = reach_of(step->deinterlacing);
    if (pipeline->num_forward_references != reach.forward || pipeline->num_backward_references != reach.backward)
        return refuse(context->driver, VA_STATUS_ERROR_INVALID_PARAMETER,
                      "%u forward and %u backward references, not %u and %u", pipeline->num_forward_references,
                      pipeline->num_backward_references, reach.forward, reach.backward);
    VAStatus status = VA_STATUS_SUCCESS;
    for (unsigned index = 0; index < reach.forward && status == VA_STATUS_SUCCESS; index++)
        status = find_reference(context, pipeline->forward_references[index], step, &step->past[index]);
    for (unsigned index = 0; index < reach.backward && status == VA_STATUS_SUCCESS; index++)
        status = find_reference(context, pipeline->backward_references[index], step, &step->future);
    return status == VA_STATUS_SUCCESS ? check_order(context, step) : status;
}

void note_turn(struct context *context, struct surface *source) {
    source->processed_by = context->object.id;
    source->processed = ++context->turns;
}
