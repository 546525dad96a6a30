// ALSA's audio devices.
#ifndef CALSA_H
#define CALSA_H

#include <alsa/asoundlib.h>

static void alsa_say_nothing(const char *file, int line, const char *function, int error, const char *format, ...) {
    (void)file, (void)line, (void)function, (void)error, (void)format;
}

/// ALSA writes to standard error what its functions return as well.
static inline void alsa_be_quiet(void) { snd_lib_error_set_handler(alsa_say_nothing); }

#endif
