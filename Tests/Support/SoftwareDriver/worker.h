#ifndef SOFT_WORKER_H
#define SOFT_WORKER_H

#include <stdbool.h>

struct context;

bool worker_start(struct context *context);

/// Lets the worker finish what it can and gives up the rest. With the lock held, which it releases meanwhile.
void worker_stop(struct context *context);

#endif
