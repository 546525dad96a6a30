/// How fast an engine is said to be: the workers sleep until the engine would have been done.

#ifndef SOFT_SPEED_H
#define SOFT_SPEED_H

#include "shared.h"

struct driver;

/// Of the device, for all displays and processes that use it, when rendernode.so shows the node; else of this display.
struct speed {
    struct device_engines *engines, own_engines;
    struct client_usage *usage, own_usage;
};

/// CLOCK_MONOTONIC in nanoseconds.
unsigned long long monotonic_time(void);

/// `file` is the node that the display has opened.
void speed_open(struct driver *driver, int file);

/// Reserves one of the engines for one frame; the returned time is when it is done. A context waits for that before its
/// next frame, so it never has two.
unsigned long long speed_reserve(struct driver *driver, enum engine engine);

/// A frame was worked on since `begun`, in software; as long as the engine's speed says, if it has one.
void speed_account(struct driver *driver, enum engine engine, unsigned long long begun);

void sleep_until(unsigned long long time);

#endif
