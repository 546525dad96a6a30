/// Changes a checked step into that of a faulty video processor.

#include "vpp.h"

static VARectangle whole(const struct surface *surface) {
    return (VARectangle){0, 0, (uint16_t)surface->width, (uint16_t)surface->height};
}

static bool fits(const VARectangle *region, const struct surface *surface) {
    return region->x + region->width <= surface->width && region->y + region->height <= surface->height;
}

/// Exchanges the regions with the previous pass's, if they are within this pass's surfaces.
static void make_stale(struct vpp *vpp, const struct surface *target, struct step *step) {
    VARectangle from = step->from, to = step->to;
    if (vpp->has_regions && fits(&vpp->from, step->source) && fits(&vpp->to, target)) {
        step->from = vpp->from;
        step->to = vpp->to;
    }
    vpp->has_regions = true;
    vpp->from = from;
    vpp->to = to;
}

void apply_quirks(struct context *context, struct step *step) {
    const struct switches *switches = &context->driver->switches;
    if (has_quirk(switches, QUIRK_CROP_NOOP))
        step->from = whole(step->source);
    if (has_quirk(switches, QUIRK_ROTATE_NOOP))
        step->rotation = VA_ROTATION_NONE;
    if (has_quirk(switches, QUIRK_DEINTERLACE_NOOP))
        step->deinterlacing = VAProcDeinterlacingNone;
    if (has_quirk(switches, QUIRK_TONE_MAP_NOOP))
        step->tone_map = false;
    if (has_quirk(switches, QUIRK_GEOMETRY_STALE))
        make_stale(context->state, context->target, step);
    if (has_quirk(switches, QUIRK_BACKGROUND_STALE))
        step->fills = false;
    step->fills_with_zeros = has_quirk(switches, QUIRK_BACKGROUND_GREEN);
}
