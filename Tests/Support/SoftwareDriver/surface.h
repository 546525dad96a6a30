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
    int file;          // a memfd mapped at `data`, if the memory is shared; -1: none
    VAStatus status;   // of the last job that wrote it
    bool needs_sync;   // written by a job since the application last waited for it
    int mapped;        // mapped derived images
    // The video processor that had this picture as its source, and when; 0: none since it was written.
    VAContextID processed_by;
    uint64_t processed;
};

struct surface *find_surface(struct driver *driver, VASurfaceID id);

struct pixels surface_pixels(const struct surface *surface, int x, int y);

/// The application's memory, in a file.
struct external {
    const struct format *format;  // NULL: the driver's own memory
    struct layout layout;
    int file;
    bool is_upside_down;  // MODIFIER_UPSIDE_DOWN
};

/// The only modifier besides the linear one, of a vendor that does not exist: in each plane, rows from the last to the
/// first. A program that drops the modifier gets a flipped picture.
#define MODIFIER_UPSIDE_DOWN 0x5f00000000000001

/// False for a descriptor of memory with another modifier, or not in one file.
bool external_read(unsigned memory_type, const void *descriptor, struct external *external);

/// Uses external memory for the surface; false if it is too small or cannot be mapped.
bool surface_import(struct surface *surface, const struct external *external);

void surface_release_memory(struct surface *surface);

/// Refuses access to pixels that the application has not waited for: to reads, the last job that writes them; to
/// writes, every job. Real drivers wait instead, or return an incomplete picture.
VAStatus check_synced(struct driver *driver, const struct surface *surface, bool changes, const char *call);

#endif
