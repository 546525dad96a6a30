// What Swift's overlay of the C library leaves out: functions that glibc declares for _GNU_SOURCE only.
#ifndef CSYSTEM_H
#define CSYSTEM_H

#include <pthread.h>
#include <unistd.h>

extern int mkostemp(char *path, int flags);
extern int pthread_setname_np(pthread_t thread, const char *name);

// Hidden by the overlay; only a process of one thread may use it.
static inline pid_t system_fork(void) {
    return fork();
}

#endif
