#include <libswscale/swscale.h>

#include "vpp.h"

static bool is_same(const struct canvas *from, const struct step *step, const struct canvas *to) {
    return from->pixels.format == to->pixels.format && from->width == to->width && from->height == to->height
           && step->input.matrix == step->output.matrix && step->input.full_range == step->output.full_range;
}

bool convert(struct vpp *vpp, const struct canvas *from, const struct step *step, struct canvas *to) {
    if (is_same(from, step, to)) {
        copy_pixels(to->pixels, from->pixels, to->width, to->height);
        return true;
    }
    vpp->sws = sws_getCachedContext(vpp->sws, from->width, from->height, from->pixels.format->av, to->width,
                                    to->height, to->pixels.format->av,
                                    SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT | SWS_BITEXACT, NULL, NULL,
                                    NULL);
    if (!vpp->sws)
        return false;
    sws_setColorspaceDetails(vpp->sws, sws_getCoefficients(step->input.matrix), step->input.full_range,
                             sws_getCoefficients(step->output.matrix), step->output.full_range, 0, 1 << 16, 1 << 16);
    const uint8_t *source[4] = {from->pixels.data[0], from->pixels.data[1], from->pixels.data[2]};
    uint8_t *target[4] = {to->pixels.data[0], to->pixels.data[1], to->pixels.data[2]};
    int source_pitch[4] = {from->pixels.pitch[0], from->pixels.pitch[1], from->pixels.pitch[2]};
    int target_pitch[4] = {to->pixels.pitch[0], to->pixels.pitch[1], to->pixels.pitch[2]};
    return sws_scale(vpp->sws, source, source_pitch, 0, from->height, target, target_pitch) == to->height;
}
