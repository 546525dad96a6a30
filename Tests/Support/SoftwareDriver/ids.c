#include "ids.h"

#include <stdatomic.h>
#include <stddef.h>

const char *const kind_names[KIND_COUNT] = {"", "configs", "contexts", "surfaces", "buffers", "images"};

static uint32_t make_id(const struct table *table, enum kind kind, unsigned slot) {
    return (uint32_t)kind << 28 | table->display << 22 | (uint32_t)table->slots[slot].generation << 14 | slot;
}

void table_open(struct table *table) {
    static atomic_uint displays;
    table->display = atomic_fetch_add(&displays, 1) & 0x3f;
}

uint32_t table_add(struct table *table, struct object *object, enum kind kind, void (*free)(struct object *)) {
    // Slots are used in turn, so that a generation recurs as late as possible.
    for (unsigned tried = 0; tried < SLOT_COUNT; tried++) {
        unsigned slot = table->cursor++ % SLOT_COUNT;
        if (table->slots[slot].object)
            continue;
        table->slots[slot].object = object;
        table->slots[slot].generation++;
        *object = (struct object){kind, make_id(table, kind, slot), 1, free};
        table->live[kind]++;
        return object->id;
    }
    return 0;
}

void *table_find(const struct table *table, uint32_t id, enum kind kind) {
    struct object *object = table->slots[id % SLOT_COUNT].object;
    return object && object->id == id && object->kind == kind ? object : NULL;
}

void table_remove(struct table *table, struct object *object) {
    table->slots[object->id % SLOT_COUNT].object = NULL;
    table->live[object->kind]--;
    release(object);
}

void *retain(void *object) {
    ((struct object *)object)->references++;
    return object;
}

void release(void *object) {
    struct object *released = object;
    if (released && --released->references == 0)
        released->free(released);
}
