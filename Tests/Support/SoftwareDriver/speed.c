#include "speed.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <time.h>

#include "driver.h"

enum { SECOND = 1000000000 };

unsigned long long monotonic_time(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (unsigned long long)time.tv_sec * SECOND + (unsigned long long)time.tv_nsec;
}

void speed_open(struct driver *driver, int file) {
    struct speed *speed = &driver->speed;
    struct node_share share = {0};
    bool is_shared = file >= 0 && ioctl(file, SOFT_IOCTL_SHARE, &share) == 0;
    speed->engines = is_shared ? share.engines : &speed->own_engines;
    speed->usage = is_shared && share.usage ? share.usage : &speed->own_usage;
}

/// 0: unlimited.
static unsigned long long time_of_frame(const struct switches *switches, enum engine engine) {
    double rates[ENGINE_COUNT] = {switches->decode_rate, switches->encode_rate, switches->process_rate};
    return rates[engine] > 0 ? (unsigned long long)(SECOND / rates[engine]) : 0;
}

/// Reserves the engine that is free first. If another process is faster, tries again.
static unsigned long long reserve_first(atomic_ullong *free_at, int count, unsigned long long duration) {
    unsigned long long now = monotonic_time();
    for (;;) {
        int first = 0;
        for (int index = 1; index < count; index++)
            if (atomic_load(&free_at[index]) < atomic_load(&free_at[first]))
                first = index;
        unsigned long long since = atomic_load(&free_at[first]), done = (since > now ? since : now) + duration;
        if (atomic_compare_exchange_strong(&free_at[first], &since, done))
            return done;
    }
}

unsigned long long speed_reserve(struct driver *driver, enum engine engine) {
    const struct switches *switches = &driver->switches;
    unsigned long long duration = time_of_frame(switches, engine), done = monotonic_time();
    if (duration)
        done = reserve_first(driver->speed.engines->free_at[engine], engine == ENGINE_PROCESS ? 1 : switches->engines,
                             duration);
    return done + (unsigned long long)(switches->delay * SECOND);
}

void speed_account(struct driver *driver, enum engine engine, unsigned long long begun) {
    unsigned long long duration = time_of_frame(&driver->switches, engine);
    if (!duration)
        duration = monotonic_time() - begun;
    atomic_fetch_add(&driver->stats.busy[engine], duration);
    atomic_fetch_add(&driver->speed.usage->busy[engine], duration);
}

void sleep_until(unsigned long long time) {
    struct timespec deadline = {(time_t)(time / SECOND), (long)(time % SECOND)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, NULL) == EINTR)
        continue;
}
