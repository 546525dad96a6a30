/// The environment variables, read once when a display opens. `SOFTVA_1_NAME` overrides `SOFTVA_NAME` for device 1.

#ifndef SOFT_SWITCHES_H
#define SOFT_SWITCHES_H

#include <stdbool.h>

#include "quirks.h"

struct switches {
    bool valid;  // false if a list is invalid
    bool log;
    bool slice, low_power;  // EncSlice, EncSliceLP
    bool packed_headers, b_frames, ten_bit, video_proc;
    unsigned rate_control;  // VA_RC_* bits
    int max_width, max_height, min_width, min_height;
    int max_surfaces;  // alive at a time; 0: unlimited
    int alignment;  // of the coded size in the driver's parameter sets; 0: the application's
    bool tone_map;
    bool enhance;  // noise reduction and sharpening
    unsigned deinterlacing;  // bit n: the VAProcDeinterlacingType n
    const char *no_decode, *no_encode;  // lists of profiles and their families
    double decode_rate, encode_rate, process_rate;  // frames/s of one engine; 0: unlimited
    int engines;  // for decoding, and for encoding
    double delay;  // minimum seconds of each job
    unsigned quirks;  // bit n: the quirk n
    const char *broken;  // list of EncSlice, EncSliceLP, rate controls, or both: EncSlice:VBR
    const char *vendor, *fault, *spoil, *stats;
};

struct switches switches_read(int device);

/// The value of `SOFTVA_<device>_<name>` or `SOFTVA_<name>`; `otherwise` if neither is set.
const char *switch_text(int device, const char *name, const char *otherwise);

bool has_quirk(const struct switches *switches, enum quirk quirk);

/// Whether such encoders open, but fail at their first picture. `rate_control` is a VA_RC_* bit.
bool switches_break(const struct switches *switches, bool low_power, unsigned rate_control);

/// Whether a comma-separated list has this word. NULL has none.
bool list_has(const char *list, const char *word);

/// A selection of calls or pictures, counted from 1: `12` is the twelfth, `12+` the twelfth and all after it.
struct turns {
    unsigned first;
    bool onwards;
};

bool turns_read(const char *text, struct turns *turns);
bool turns_include(struct turns turns, unsigned number);

#endif
