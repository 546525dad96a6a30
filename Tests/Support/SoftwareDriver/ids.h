/// Objects and their ids. An id contains the kind, display, generation and slot of its object, so that an id of another
/// kind, of another display or of a dead object never matches a live one. 0 never occurs.

#ifndef SOFT_IDS_H
#define SOFT_IDS_H

#include <stdbool.h>
#include <stdint.h>

enum kind { KIND_CONFIG = 1, KIND_CONTEXT, KIND_SURFACE, KIND_BUFFER, KIND_IMAGE, KIND_COUNT };

extern const char *const kind_names[KIND_COUNT];

/// The first member of every object. Jobs and images also hold references: an object may lose its id, which the
/// application sees, before its memory is freed.
struct object {
    enum kind kind;
    uint32_t id;
    int references;
    void (*free)(struct object *);
};

struct slot {
    struct object *object;
    uint8_t generation;
};

enum { SLOT_COUNT = 1 << 14 };

struct table {
    struct slot slots[SLOT_COUNT];
    unsigned display;  // differs between displays that are open at the same time
    unsigned cursor;
    int live[KIND_COUNT];
};

void table_open(struct table *table);

/// Adds `object` with one reference, and returns its id; 0 if the table is full.
uint32_t table_add(struct table *table, struct object *object, enum kind kind, void (*free)(struct object *));

/// NULL for a dead or foreign id.
void *table_find(const struct table *table, uint32_t id, enum kind kind);

/// Invalidates the id; the last reference frees the object.
void table_remove(struct table *table, struct object *object);

void *retain(void *object);
void release(void *object);

#endif
