/// Bad output with a successful status: `SOFTVA_SPOIL=noise@12,status=BAD_BITSTREAM@12,gray@30+`

#ifndef SOFT_SPOIL_H
#define SOFT_SPOIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "switches.h"

struct bytes;

enum spoil_effect {
    SPOIL_ZEROS = 1 << 0,   // the slice data are zero
    SPOIL_NOISE = 1 << 1,   // the slice data are random
    SPOIL_HALF = 1 << 2,    // the second half of the slice data is missing
    SPOIL_EMPTY = 1 << 3,   // the coded buffer has 0 bytes
    SPOIL_NULL = 1 << 4,    // vaMapBuffer gives no segment
    SPOIL_REPEAT = 1 << 5,  // the coded data of the previous picture
    SPOIL_GRAY = 1 << 6,    // a gray picture replaces the source
    SPOIL_GREEN = 1 << 7,   // a green picture replaces the source
};

/// The corruption of one coded picture.
struct spoil {
    unsigned number;   // of the picture; the first is 1
    unsigned effects;  // SPOIL_* bits
    uint32_t status;   // VA_CODED_BUF_STATUS_* bits
};

struct spoil_rule {
    struct turns turns;
    struct spoil spoil;
};

/// A display's rules, and its number of coded pictures.
struct spoils {
    struct spoil_rule list[16];
    int count;
    unsigned pictures;
};

/// False for an invalid list: a test with a misspelt effect must not pass.
bool spoils_read(struct spoils *spoils, const char *text);

/// Counts a coded picture. Combines the effects of all matching rules.
struct spoil spoils_next(struct spoils *spoils);

/// Changes the slice data, from byte `data` of the NAL unit on. The unit has no emulation prevention yet, so it stays
/// valid; its last byte, with the stop bit, is kept.
void spoil_slice(const struct spoil *spoil, struct bytes *unit, size_t data);

#endif
