/// What drivers of the field do wrong: `SOFTVA_QUIRKS=crop-noop,quality-bits`

#ifndef SOFT_QUIRKS_H
#define SOFT_QUIRKS_H

#include <stdbool.h>

enum quirk {
    QUIRK_NO_DERIVE,          // vaDeriveImage fails
    QUIRK_NO_SYNC_BUFFER,     // there is no vaSyncBuffer
    QUIRK_TONE_MAP_NOOP,      // tone mapping changes nothing
    QUIRK_BACKGROUND_GREEN,   // the background is 0 in every component, whatever color was asked for
    QUIRK_BACKGROUND_STALE,   // the background stays what the surface held
    QUIRK_ROTATE_NOOP,        // rotation_state is ignored
    QUIRK_CROP_NOOP,          // surface_region is ignored
    QUIRK_DEINTERLACE_NOOP,   // deinterlacing changes nothing
    QUIRK_GEOMETRY_STALE,     // each pass has the regions of the one before
    QUIRK_VIDEOPROC_RT8,      // the video processor takes P010, and VAConfigAttribRTFormat does not say so
    QUIRK_AV1_RT8,            // the same with the AV1 decoder
    QUIRK_QUALITY_BITS,       // quality levels are Mesa's bit field
    QUIRK_COUNT
};

/// Bit n is the quirk n. False for a list with a word that is no quirk: a test with a misspelt one must not pass.
bool quirks_read(const char *list, unsigned *quirks);

#endif
