#ifndef SOFT_SURFACE_H
#define SOFT_SURFACE_H

#include "driver.h"
#include "formats.h"

struct surface {
    struct object object;
    const struct format *format;
    int width, height;
    struct layout layout;
    uint8_t *data;
    VAStatus status;   // of the last job that wrote it
    bool needs_sync;   // written by a job since the application last waited for it
    int mapped;        // derived images that the application has mapped
    // The video processor that had this picture for its source, and as which one; 0: none since it was written.
    VAContextID processed_by;
    uint64_t processed;
};

struct surface *find_surface(struct driver *driver, VASurfaceID id);

struct pixels surface_pixels(const struct surface *surface, int x, int y);

/// Refuses access to pixels that the application has not waited for: of the last job that writes them, and before a
/// change of them of every job. Real drivers wait in its place, or hand out half a picture.
VAStatus check_synced(struct driver *driver, const struct surface *surface, bool changes, const char *call);

#endif
