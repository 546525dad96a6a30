#include "quirks.h"

#include <stdio.h>
#include <string.h>

static const char *const names[QUIRK_COUNT] = {
    [QUIRK_NO_DERIVE] = "no-derive",
    [QUIRK_NO_SYNC_BUFFER] = "no-sync-buffer",
    [QUIRK_TONE_MAP_NOOP] = "tone-map-noop",
    [QUIRK_BACKGROUND_GREEN] = "background-green",
    [QUIRK_BACKGROUND_STALE] = "background-stale",
    [QUIRK_ROTATE_NOOP] = "rotate-noop",
    [QUIRK_CROP_NOOP] = "crop-noop",
    [QUIRK_DEINTERLACE_NOOP] = "deinterlace-noop",
    [QUIRK_GEOMETRY_STALE] = "geometry-stale",
    [QUIRK_VIDEOPROC_RT8] = "videoproc-rt8",
    [QUIRK_AV1_RT8] = "av1-rt8",
    [QUIRK_QUALITY_BITS] = "quality-bits",
};

static int quirk_of(const char *word, size_t length) {
    int quirk = 0;
    while (quirk < QUIRK_COUNT && (strlen(names[quirk]) != length || strncmp(names[quirk], word, length) != 0))
        quirk++;
    return quirk;
}

bool quirks_read(const char *list, unsigned *quirks) {
    while (list && *list) {
        size_t length = strcspn(list, ",");
        int quirk = quirk_of(list, length);
        if (quirk == QUIRK_COUNT) {
            fprintf(stderr, "soft: SOFTVA_QUIRKS: '%.*s' is no quirk\n", (int)length, list);
            return false;
        }
        *quirks |= 1u << quirk;
        list += length + (list[length] == ',');
    }
    return true;
}
