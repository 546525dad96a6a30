/// Limits the speed of engines: workers sleep until the engine would have finished.

#ifndef SOFT_SPEED_H
#define SOFT_SPEED_H

#include "shared.h"

struct driver;

/// The device's speed, for all its displays and processes, if rendernode.so shows the node; else this display's.
struct speed {
    struct device_engines *engines, own_engines;
    struct client_usage *usage, own_usage;
};

/// CLOCK_MONOTONIC in nanoseconds.
unsigned long long monotonic_time(void);

/// `file` is the node that the display has opened.
void speed_open(struct driver *driver, int file);

/// Reserves an engine for one frame, and returns the time of its end. A context waits for that before its next frame,
/// so it never uses two.
unsigned long long speed_reserve(struct driver *driver, enum engine engine);

/// Accounts a frame processed in software since `begun`, or its time at the engine's speed, if limited.
void speed_account(struct driver *driver, enum engine engine, unsigned long long begun);

void sleep_until(unsigned long long time);

#endif
