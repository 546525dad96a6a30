#ifndef SOFT_WORKER_H
#define SOFT_WORKER_H

#include <stdbool.h>

struct context;

bool worker_start(struct context *context);

/// Finishes the worker's ready jobs and abandons the rest. Called with the lock held, which it releases meanwhile.
void worker_stop(struct context *context);

#endif
