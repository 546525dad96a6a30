// What Swift's overlay of the C library hides: fork(2), which only a process of one thread may use.
#ifndef CPROCESS_H
#define CPROCESS_H

#include <unistd.h>

static inline pid_t process_fork(void) {
    return fork();
}

#endif
