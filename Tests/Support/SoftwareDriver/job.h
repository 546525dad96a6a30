/// The work for one picture, from vaEndPicture until a worker has done it.

#ifndef SOFT_JOB_H
#define SOFT_JOB_H

#include "driver.h"

struct buffer;
struct context;
struct surface;

struct use {
    struct surface *surface;
    bool writes;
};

struct job {
    struct job *next;
    uint64_t number;  // the first is 1
    struct context *context;
    struct use uses[36];
    int use_count;
    struct buffer *coded;
    enum effect effect;
    bool taken;  // by the worker
    bool lost;   // never done (EFFECT_NEVER), or waits for one that never is
    void *payload;  // the codec's
    void (*free_payload)(void *payload);
};

/// Retains the surface, and orders the job with others that use it.
void job_use(struct job *job, struct surface *surface, bool writes);

/// Appends the job to the list. Takes the job.
void job_submit(struct driver *driver, struct job *job);

/// A job that was never submitted, or has left the list.
void job_free(struct job *job);

/// The oldest job of the context that has not been taken. NULL if there is none.
struct job *job_next(struct driver *driver, const struct context *context);

enum readiness { JOB_READY, JOB_WAITS, JOB_WAITS_FOREVER };

/// Whether every earlier job is done that shares a surface and writes it, or whose surface this one writes.
enum readiness job_readiness(const struct driver *driver, const struct job *job);

/// Leaves the job in the list: a wait for its surfaces lasts until vaDestroyContext.
void job_lose(struct driver *driver, struct job *job);

/// Removes the job from the list, sets `status` on its written surfaces, and wakes waiting threads.
void job_finish(struct driver *driver, struct job *job, VAStatus status);

/// Whether a job up to this number is unfinished.
bool surface_is_busy(const struct driver *driver, const struct surface *surface, uint64_t number);
bool coded_is_busy(const struct driver *driver, const struct buffer *coded, uint64_t number);

/// Wait for the currently queued jobs; false if `timeout` (ns) has passed.
bool wait_for_surface(struct driver *driver, const struct surface *surface, uint64_t timeout);
bool wait_for_coded(struct driver *driver, const struct buffer *coded, uint64_t timeout);

#endif
