#include "speed.h"

#include <errno.h>
#include <time.h>

#include "driver.h"

double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

double speed_reserve(struct driver *driver, enum engine engine) {
    const struct switches *switches = &driver->switches;
    double rates[ENGINE_COUNT] = {switches->decode_rate, switches->encode_rate, switches->process_rate};
    double start = now(), *free_at = &driver->speed.free_at[engine];
    if (rates[engine] > 0) {
        if (*free_at > start)
            start = *free_at;
        start = *free_at = start + 1 / rates[engine];
    }
    return start + switches->delay;
}

void sleep_until(double time) {
    struct timespec deadline = {(time_t)time, (long)((time - (double)(time_t)time) * 1e9)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, NULL) == EINTR)
        continue;
}
