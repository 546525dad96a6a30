/// Statistics for tests, as one line of JSON per display in the file SOFTVA_STATS.

#ifndef SOFT_STATS_H
#define SOFT_STATS_H

#include <stdatomic.h>
#include <stdbool.h>

#include "calls.h"
#include "shared.h"

struct driver;

struct stats {
    atomic_uint calls[CALL_COUNT];
    atomic_uint refused;  // calls that returned an error
    atomic_uint decoded, encoded, processed, failed;  // jobs
    atomic_uint spoiled;                              // of those encoded
    atomic_int surfaces;                              // the most alive at a time
    atomic_int quality;                               // the last requested quality level; -1: none
    atomic_ullong busy[ENGINE_COUNT];                 // nanoseconds that the engines worked
    atomic_ullong spent;  // nanoseconds of CPU time: in calls, and in the workers
};

/// The CPU time of this thread so far, in nanoseconds.
unsigned long long thread_time(void);

/// Counts this thread's CPU time since then.
void stats_spend(struct stats *stats, unsigned long long since);

/// Appends the line. `terminated` is false when the process ends, or is ended by a fault, without vaTerminate.
void stats_write(struct driver *driver, bool terminated);

#endif
