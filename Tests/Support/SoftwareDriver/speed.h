/// How fast an engine is said to be: the workers sleep until the engine would have been done.

#ifndef SOFT_SPEED_H
#define SOFT_SPEED_H

struct driver;

enum engine { ENGINE_DECODE, ENGINE_ENCODE, ENGINE_PROCESS, ENGINE_COUNT };

/// When each engine is free again, in seconds of the monotonic clock. All contexts of a display share it.
struct speed {
    double free_at[ENGINE_COUNT];
};

double now(void);

/// Reserves the engine for one frame, with the driver's lock held; the returned time is when it is done.
double speed_reserve(struct driver *driver, enum engine engine);

/// Without the lock.
void sleep_until(double time);

#endif
