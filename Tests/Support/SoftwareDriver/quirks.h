/// Faults of real drivers: `SOFTVA_QUIRKS=crop-noop,quality-bits`

#ifndef SOFT_QUIRKS_H
#define SOFT_QUIRKS_H

#include <stdbool.h>

enum quirk {
    QUIRK_NO_DERIVE,          // vaDeriveImage fails
    QUIRK_NO_SYNC_BUFFER,     // there is no vaSyncBuffer
    QUIRK_TONE_MAP_NOOP,      // tone mapping changes nothing
    QUIRK_BACKGROUND_GREEN,   // the background is 0 in every component, independent of its color
    QUIRK_BACKGROUND_STALE,   // the background is not filled
    QUIRK_ROTATE_NOOP,        // rotation_state is ignored
    QUIRK_CROP_NOOP,          // surface_region is ignored
    QUIRK_DEINTERLACE_NOOP,   // deinterlacing changes nothing
    QUIRK_GEOMETRY_STALE,     // each pass has the previous one's regions
    QUIRK_VIDEOPROC_RT8,      // the video processor takes P010, which VAConfigAttribRTFormat does not list
    QUIRK_AV1_RT8,            // the same with the AV1 decoder
    QUIRK_QUALITY_BITS,       // quality levels are Mesa's bit field
    QUIRK_COUNT
};

/// Bit n is the quirk n. False for a list with an unknown quirk: a test with a misspelt one must not pass.
bool quirks_read(const char *list, unsigned *quirks);

#endif
