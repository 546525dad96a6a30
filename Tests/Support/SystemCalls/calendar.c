/// For LD_PRELOAD: shifts the real-time clock by the seconds in the file VTX_CALENDAR, which may change while a program
/// runs. Monotonic clocks are not affected.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static long seconds_off(void) {
    const char *path = getenv("VTX_CALENDAR");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0)
        return 0;
    char text[32] = "";
    ssize_t count = read(file, text, sizeof text - 1);
    close(file);
    return count > 0 ? atol(text) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    static __typeof__(clock_gettime) *next;
    if (!next)
        next = (__typeof__(clock_gettime) *)dlsym(RTLD_NEXT, "clock_gettime");
    int result = next(clock, now);
    if (!result && clock == CLOCK_REALTIME)
        now->tv_sec += seconds_off();
    return result;
}
