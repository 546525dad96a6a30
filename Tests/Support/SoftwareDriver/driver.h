/// The state of one VADisplay: its objects, its unfinished jobs, its switches.
///
/// One lock guards all of it. Workers hold it only to take and to finish a job. They access pixels without it, because
/// a job starts only when every earlier job with a shared surface has finished.

#ifndef SOFT_DRIVER_H
#define SOFT_DRIVER_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <va/va.h>
#include <va/va_backend.h>
#include <va/va_backend_vpp.h>
#include <va/va_vpp.h>

#include "calls.h"
#include "faults.h"
#include "ids.h"
#include "speed.h"
#include "spoil.h"
#include "stats.h"
#include "switches.h"

struct job;

struct driver {
    int device;  // 0 is renderD128
    pthread_mutex_t lock;
    pthread_cond_t changed;  // a job was queued, finished or abandoned
    struct switches switches;
    struct faults faults;
    struct spoils spoils;
    struct stats stats;
    struct speed speed;
    struct table objects;
    struct job *jobs;  // unfinished, in the order of vaEndPicture
    uint64_t job_number;
    enum effect effect;  // of the current call
    bool expected;       // its error is an answer, not a failure
    struct driver *next;
    char vendor[256];
};

#define OPEN(...) __VA_ARGS__
#define CALL(name, parameters, arguments) VAStatus soft_##name(struct driver *driver, OPEN parameters);
ALL_CALLS(CALL)
#undef CALL

/// Logs why a call is refused, if SOFTVA_LOG=1, and returns `status`.
VAStatus refuse(struct driver *driver, VAStatus status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/// Sleeps forever, like a call on a hung GPU.
_Noreturn void hang(void);

#endif
