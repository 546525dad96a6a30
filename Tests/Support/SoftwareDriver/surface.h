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
    int file;          // a memfd that is mapped at `data`, once others have the memory too; -1: none
    VAStatus status;   // of the last job that wrote it
    bool needs_sync;   // written by a job since the application last waited for it
    int mapped;        // derived images that the application has mapped
    // The video processor that had this picture for its source, and as which one; 0: none since it was written.
    VAContextID processed_by;
    uint64_t processed;
};

struct surface *find_surface(struct driver *driver, VASurfaceID id);

struct pixels surface_pixels(const struct surface *surface, int x, int y);

/// Memory of the application's, in a file.
struct external {
    const struct format *format;  // NULL: the driver's own memory
    struct layout layout;
    int file;
};

/// False for a descriptor of something that is not linear, or not in one file.
bool external_read(unsigned memory_type, const void *descriptor, struct external *external);

/// Takes the external memory for the surface's; false when it is too small or no memory.
bool surface_import(struct surface *surface, const struct external *external);

void surface_release_memory(struct surface *surface);

/// Refuses access to pixels that the application has not waited for: of the last job that writes them, and before a
/// change of them of every job. Real drivers wait in its place, or hand out half a picture.
VAStatus check_synced(struct driver *driver, const struct surface *surface, bool changes, const char *call);

#endif
