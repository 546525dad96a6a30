#include "job.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "buffer.h"
#include "context.h"
#include "surface.h"

void job_use(struct job *job, struct surface *surface, bool writes) {
    for (struct use *use = job->uses; use < job->uses + job->use_count; use++)
        if (use->surface == surface) {
            use->writes |= writes;
            return;
        }
    job->uses[job->use_count++] = (struct use){retain(surface), writes};
}

static bool conflict(const struct job *one, const struct job *other) {
    for (int i = 0; i < one->use_count; i++)
        for (int j = 0; j < other->use_count; j++)
            if (one->uses[i].surface == other->uses[j].surface && (one->uses[i].writes || other->uses[j].writes))
                return true;
    return false;
}

/// Marks jobs that wait for a lost one as lost.
static void spread_loss(struct driver *driver) {
    for (struct job *job = driver->jobs; job; job = job->next)
        for (struct job *earlier = driver->jobs; earlier != job && !job->taken; earlier = earlier->next)
            job->lost |= earlier->lost && conflict(earlier, job);
}

void job_submit(struct driver *driver, struct job *job) {
    job->number = ++driver->job_number;
    for (struct use *use = job->uses; use < job->uses + job->use_count; use++)
        if (use->writes) {
            use->surface->needs_sync = true;
            use->surface->processed = 0;
        }
    if (job->coded)
        job->coded->needs_sync = true;
    struct job **link = &driver->jobs;
    while (*link)
        link = &(*link)->next;
    *link = job;
    spread_loss(driver);
    pthread_cond_broadcast(&driver->changed);
}

void job_free(struct job *job) {
    for (struct use *use = job->uses; use < job->uses + job->use_count; use++)
        release(use->surface);
    if (job->coded)
        release(job->coded);
    if (job->payload)
        job->free_payload(job->payload);
    free(job);
}

struct job *job_next(struct driver *driver, const struct context *context) {
    for (struct job *job = driver->jobs; job; job = job->next)
        if (job->context == context && !job->taken)
            return job;
    return NULL;
}

enum readiness job_readiness(const struct driver *driver, const struct job *job) {
    enum readiness readiness = JOB_READY;
    for (const struct job *earlier = driver->jobs; earlier != job && !job->lost; earlier = earlier->next)
        if (conflict(earlier, job))
            readiness = JOB_WAITS;
    return job->lost ? JOB_WAITS_FOREVER : readiness;
}

void job_lose(struct driver *driver, struct job *job) {
    job->lost = true;
    spread_loss(driver);
    pthread_cond_broadcast(&driver->changed);
}

void job_finish(struct driver *driver, struct job *job, VAStatus status) {
    struct job **link = &driver->jobs;
    while (*link != job)
        link = &(*link)->next;
    *link = job->next;
    for (struct use *use = job->uses; use < job->uses + job->use_count; use++)
        if (use->writes)
            use->surface->status = status;
    if (job->coded)
        job->coded->status = status;
    if (status != VA_STATUS_SUCCESS)
        atomic_fetch_add(&driver->stats.failed, 1);
    job_free(job);
    pthread_cond_broadcast(&driver->changed);
}

bool surface_is_busy(const struct driver *driver, const struct surface *surface, uint64_t number) {
    for (const struct job *job = driver->jobs; job && job->number <= number; job = job->next)
        for (int index = 0; index < job->use_count; index++)
            if (job->uses[index].surface == surface)
                return true;
    return false;
}

bool coded_is_busy(const struct driver *driver, const struct buffer *coded, uint64_t number) {
    for (const struct job *job = driver->jobs; job && job->number <= number; job = job->next)
        if (job->coded == coded)
            return true;
    return false;
}

/// False if the deadline has passed.
static bool wait_for_change(struct driver *driver, unsigned long long deadline) {
    struct timespec time = {(time_t)(deadline / 1000000000), (long)(deadline % 1000000000)};
    return pthread_cond_timedwait(&driver->changed, &driver->lock, &time) != ETIMEDOUT;
}

/// A day replaces "infinite", which would overflow.
static unsigned long long deadline_after(uint64_t timeout) {
    const uint64_t day = 86400ull * 1000000000;
    return monotonic_time() + (timeout < day ? timeout : day);
}

bool wait_for_surface(struct driver *driver, const struct surface *surface, uint64_t timeout) {
    uint64_t last = driver->job_number;
    unsigned long long deadline = deadline_after(timeout);
    while (surface_is_busy(driver, surface, last))
        if (!wait_for_change(driver, deadline))
            return !surface_is_busy(driver, surface, last);
    return true;
}

bool wait_for_coded(struct driver *driver, const struct buffer *coded, uint64_t timeout) {
    uint64_t last = driver->job_number;
    unsigned long long deadline = deadline_after(timeout);
    while (coded_is_busy(driver, coded, last))
        if (!wait_for_change(driver, deadline))
            return !coded_is_busy(driver, coded, last);
    return true;
}
