/// Failures on demand: `SOFTVA_FAULT=EndPicture:12:abort,SyncSurface:3:hang:once=/path/marker,...`

#ifndef SOFT_FAULTS_H
#define SOFT_FAULTS_H

#include <stdbool.h>
#include <va/va.h>

#include "calls.h"
#include "switches.h"

/// The effect of a fault on a call.
enum effect {
    EFFECT_NONE,
    EFFECT_ERROR,
    EFFECT_HANG,
    EFFECT_ABORT,
    EFFECT_NEVER,  // EndPicture: the surface never becomes ready
    EFFECT_SMALL,  // EndPicture: the coded buffer is too small
};

struct fault {
    enum call call;
    struct turns turns;
    enum effect effect;
    VAStatus error;
    const char *marker;  // fires only if this file can be created
};

struct faults {
    struct fault list[16];
    int count;
    char *text;  // the markers' memory
};

/// An invalid fault is an error: a test with a misspelt fault must not pass.
bool faults_read(struct faults *faults, const char *text);

/// The effect on the `number`th call of `call`.
enum effect faults_effect(const struct faults *faults, enum call call, unsigned number, VAStatus *error);

#endif
