/// The supported profiles, and their decoders and encoders.

#ifndef SOFT_PROFILES_H
#define SOFT_PROFILES_H

#include <stdbool.h>
#include <va/va.h>

struct codec;

struct profile {
    VAProfile id;
    const char *name, *family;  // the names in SOFTVA_NO_DECODE and SOFTVA_NO_ENCODE
    unsigned rt_formats;
    const struct codec *decoder, *encoder;  // NULL: none
};

enum { PROFILE_COUNT = 11 };

extern const struct profile profiles[PROFILE_COUNT];

/// NULL if there is no such profile.
const struct profile *profile_of(VAProfile id);

/// Whether a comma-separated list has the profile's name or family.
bool profile_is_listed(const struct profile *profile, const char *list);

/// False for a list with a word that is neither a profile nor a family: a test with a misspelt one must not pass.
bool profiles_check(const char *variable, const char *list);

#endif
