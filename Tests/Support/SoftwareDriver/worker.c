/// The thread of each context. Work is asynchronous, which exposes applications that do not wait.

#include "worker.h"

#include <signal.h>

#include "context.h"

/// Waits for a job that is ready, or must be abandoned because the context closes. NULL if there is no more.
static struct job *take(struct context *context, bool *give_up) {
    struct driver *driver = context->driver;
    for (;;) {
        struct job *job = job_next(driver, context);
        enum readiness readiness = job ? job_readiness(driver, job) : JOB_WAITS;
        *give_up = readiness == JOB_WAITS_FOREVER && context->closing;
        if (job && (readiness == JOB_READY || *give_up)) {
            job->taken = true;
            return job;
        }
        if (!job && context->closing)
            return NULL;
        pthread_cond_wait(&driver->changed, &driver->lock);
    }
}

static VAStatus run_unlocked(struct context *context, struct job *job) {
    struct driver *driver = context->driver;
    enum engine engine = context->codec->engine;
    unsigned long long begun = monotonic_time(), done_at = speed_reserve(driver, engine);
    pthread_mutex_unlock(&driver->lock);
    VAStatus status = context->codec->run(context, job);
    speed_account(driver, engine, begun);
    sleep_until(done_at);
    pthread_mutex_lock(&driver->lock);
    return status;
}

static void count(struct driver *driver, enum engine engine) {
    atomic_uint *counters[ENGINE_COUNT] = {&driver->stats.decoded, &driver->stats.encoded, &driver->stats.processed};
    atomic_fetch_add(counters[engine], 1);
}

static void *work(void *argument) {
    struct context *context = argument;
    struct driver *driver = context->driver;
    unsigned long long since = thread_time();
    bool give_up;
    pthread_mutex_lock(&driver->lock);
    for (struct job *job; (job = take(context, &give_up));) {
        if (job->effect == EFFECT_NEVER && !give_up) {
            job_lose(driver, job);
            continue;
        }
        VAStatus status = give_up ? VA_STATUS_ERROR_OPERATION_FAILED : run_unlocked(context, job);
        if (status == VA_STATUS_SUCCESS)
            count(driver, context->codec->engine);
        job_finish(driver, job, status);
    }
    stats_spend(&driver->stats, since);
    context->worker_done = true;
    pthread_cond_broadcast(&driver->changed);
    pthread_mutex_unlock(&driver->lock);
    return NULL;
}

bool worker_start(struct context *context) {
    // The application's threads handle signals.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    context->has_worker = pthread_create(&context->worker, NULL, work, context) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return context->has_worker;
}

static void finish_lost_jobs(struct context *context) {
    struct driver *driver = context->driver;
    for (struct job *job = driver->jobs, *next; job; job = next) {
        next = job->next;
        if (job->context == context)
            job_finish(driver, job, VA_STATUS_ERROR_OPERATION_FAILED);
    }
}

void worker_stop(struct context *context) {
    struct driver *driver = context->driver;
    context->closing = true;
    pthread_cond_broadcast(&driver->changed);
    while (context->has_worker && !context->worker_done)
        pthread_cond_wait(&driver->changed, &driver->lock);
    pthread_mutex_unlock(&driver->lock);
    if (context->has_worker)
        pthread_join(context->worker, NULL);
    pthread_mutex_lock(&driver->lock);
    finish_lost_jobs(context);
}
