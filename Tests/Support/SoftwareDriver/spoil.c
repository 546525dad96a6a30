#include "spoil.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <va/va.h>

#include "bits.h"

static const struct {
    const char *name;
    struct spoil spoil;
} names[] = {
    {"zeros", {.effects = SPOIL_ZEROS}},
    {"noise", {.effects = SPOIL_NOISE}},
    {"half", {.effects = SPOIL_HALF}},
    {"empty", {.effects = SPOIL_EMPTY}},
    {"null", {.effects = SPOIL_NULL}},
    {"repeat", {.effects = SPOIL_REPEAT}},
    {"gray", {.effects = SPOIL_GRAY}},
    {"green", {.effects = SPOIL_GREEN}},
    {"status=LARGE_SLICE", {.status = VA_CODED_BUF_STATUS_LARGE_SLICE_MASK}},
    {"status=SLICE_OVERFLOW", {.status = VA_CODED_BUF_STATUS_SLICE_OVERFLOW_MASK}},
    {"status=BITRATE_OVERFLOW", {.status = VA_CODED_BUF_STATUS_BITRATE_OVERFLOW}},
    {"status=BITRATE_HIGH", {.status = VA_CODED_BUF_STATUS_BITRATE_HIGH}},
    {"status=FRAME_SIZE_OVERFLOW", {.status = VA_CODED_BUF_STATUS_FRAME_SIZE_OVERFLOW}},
    {"status=BAD_BITSTREAM", {.status = VA_CODED_BUF_STATUS_BAD_BITSTREAM}},
};

/// One `EFFECT@N` or `EFFECT@N+`.
static bool read_rule(char *text, struct spoil_rule *rule) {
    const char *name = strsep(&text, "@");
    for (unsigned index = 0; index < sizeof names / sizeof *names; index++)
        if (strcmp(name, names[index].name) == 0) {
            rule->spoil = names[index].spoil;
            return text && turns_read(text, &rule->turns);
        }
    return false;
}

bool spoils_read(struct spoils *spoils, const char *text) {
    char *copy = text ? strdup(text) : NULL, *rest = copy;
    bool valid = true;
    while (valid && rest) {
        char *item = strsep(&rest, ",");
        valid = spoils->count < (int)(sizeof spoils->list / sizeof *spoils->list)
                && read_rule(item, &spoils->list[spoils->count]);
        spoils->count += valid;
    }
    if (!valid)
        fprintf(stderr, "soft: SOFTVA_SPOIL: '%s' is no list of at most 16 EFFECT@NUMBER\n", text);
    free(copy);
    return valid;
}

struct spoil spoils_next(struct spoils *spoils) {
    struct spoil all = {.number = ++spoils->pictures};
    for (const struct spoil_rule *rule = spoils->list; rule < spoils->list + spoils->count; rule++)
        if (turns_include(rule->turns, all.number)) {
            all.effects |= rule->spoil.effects;
            all.status |= rule->spoil.status;
        }
    return all;
}

/// Different bytes for each picture, the same in each run.
static void fill_with_noise(uint8_t *data, size_t size, uint32_t seed) {
    uint32_t state = seed * 2654435761u | 1;
    for (size_t index = 0; index < size; index++) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        data[index] = (uint8_t)(state >> 24);
    }
}

void spoil_slice(const struct spoil *spoil, struct bytes *unit, size_t data) {
    if (unit->size <= data + 1)
        return;
    size_t size = unit->size - data - 1;
    if (spoil->effects & SPOIL_ZEROS)
        memset(unit->data + data, 0, size);
    if (spoil->effects & SPOIL_NOISE)
        fill_with_noise(unit->data + data, size, spoil->number);
    if (spoil->effects & SPOIL_HALF)
        unit->size = data + size / 2;
}
