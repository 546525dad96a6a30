/// The driver's entry points: vaInitialize fills libva's tables with the functions below, vaTerminate counts leaked
/// objects.

#include "driver.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <va/va_drmcommon.h>

#include "config.h"
#include "context.h"
#include "formats.h"
#include "profiles.h"

const char *const call_names[CALL_COUNT] = {
    "Initialize",
    "Terminate",
#define CALL(name, parameters, arguments) #name,
    ALL_CALLS(CALL)
#undef CALL
};

/// The open displays, for the statistics of a process that ends without vaTerminate.
static struct driver *open_drivers;
static pthread_mutex_t open_drivers_lock = PTHREAD_MUTEX_INITIALIZER;

VAStatus refuse(struct driver *driver, VAStatus status, const char *format, ...) {
    if (driver->switches.log) {
        char text[512];
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(text, sizeof text, format, arguments);
        va_end(arguments);
        fprintf(stderr, "soft: renderD%d: %s\n", 128 + driver->device, text);
    }
    return status;
}

void hang(void) {
    for (;;)
        pause();
}

/// Counts a call, and causes its fault before it does anything.
static VAStatus gate(struct driver *driver, enum call call, enum effect *effect) {
    VAStatus error = VA_STATUS_SUCCESS;
    unsigned number = atomic_fetch_add(&driver->stats.calls[call], 1) + 1;
    *effect = faults_effect(&driver->faults, call, number, &error);
    if (*effect != EFFECT_NONE)
        refuse(driver, error, "fault in call %u of va%s", number, call_names[call]);
    if (*effect == EFFECT_HANG)
        hang();
    if (*effect == EFFECT_ABORT) {
        stats_write(driver, false);
        abort();
    }
    return error;
}

static VAStatus leave(struct driver *driver, enum call call, VAStatus status, bool expected) {
    if (status != VA_STATUS_SUCCESS && !expected) {
        atomic_fetch_add(&driver->stats.refused, 1);
        refuse(driver, status, "va%s: %#x", call_names[call], (unsigned)status);
    }
    return status;
}

#define CALL(name, parameters, arguments) \
    static VAStatus enter_##name(VADriverContextP ctx, OPEN parameters) { \
        struct driver *driver = ctx->pDriverData; \
        enum effect effect; \
        bool expected = false; \
        unsigned long long since = thread_time(); \
        VAStatus status = gate(driver, CALL_##name, &effect); \
        if (status == VA_STATUS_SUCCESS) { \
            pthread_mutex_lock(&driver->lock); \
            driver->effect = effect; \
            driver->expected = false; \
            status = soft_##name(driver, OPEN arguments); \
            expected = driver->expected || status == VA_STATUS_ERROR_UNIMPLEMENTED; \
            pthread_mutex_unlock(&driver->lock); \
        } \
        stats_spend(&driver->stats, since); \
        return leave(driver, CALL_##name, status, expected); \
    }
ALL_CALLS(CALL)
#undef CALL

static void forget(struct driver *driver) {
    pthread_mutex_lock(&open_drivers_lock);
    struct driver **link = &open_drivers;
    while (*link != driver)
        link = &(*link)->next;
    *link = driver->next;
    pthread_mutex_unlock(&open_drivers_lock);
}

/// Objects that the application did not free are named, counted and freed, so that a sanitizer reports only the
/// driver's own leaks.
static void free_leftovers(struct driver *driver) {
    contexts_destroy_all(driver);
    for (int kind = KIND_CONFIG; kind < KIND_COUNT; kind++)
        for (unsigned slot = 0; slot < SLOT_COUNT; slot++) {
            struct object *object = driver->objects.slots[slot].object;
            if (object && (int)object->kind == kind)
                table_remove(&driver->objects, object);
        }
}

static VAStatus enter_Terminate(VADriverContextP ctx) {
    struct driver *driver = ctx->pDriverData;
    enum effect effect;
    VAStatus status = gate(driver, CALL_Terminate, &effect);
    forget(driver);
    for (int kind = KIND_CONFIG; kind < KIND_COUNT; kind++)
        if (driver->objects.live[kind])
            refuse(driver, status, "vaTerminate: %d %s left", driver->objects.live[kind], kind_names[kind]);
    stats_write(driver, true);
    pthread_mutex_lock(&driver->lock);
    free_leftovers(driver);
    pthread_mutex_unlock(&driver->lock);
    pthread_mutex_destroy(&driver->lock);
    pthread_cond_destroy(&driver->changed);
    free(driver->faults.text);
    free(driver);
    return status;
}

__attribute__((destructor)) static void report_unterminated(void) {
    for (struct driver *driver = open_drivers; driver; driver = driver->next)
        stats_write(driver, false);
}

/// The render node that libva has opened; -1 if it is none.
static int node_file(VADriverContextP ctx) {
    const struct drm_state *drm = ctx->drm_state;
    struct stat status;
    bool is_node = drm && fstat(drm->fd, &status) == 0 && S_ISCHR(status.st_mode) && minor(status.st_rdev) >= 128;
    return is_node ? drm->fd : -1;
}

static int device_number(int file) {
    struct stat status;
    return file >= 0 && fstat(file, &status) == 0 ? (int)minor(status.st_rdev) - 128 : 0;
}

static void initialize_lock(struct driver *driver) {
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&driver->lock, NULL);
    pthread_cond_init(&driver->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

static void fill_tables(VADriverContextP ctx) {
    ctx->vtable->vaTerminate = enter_Terminate;
#define CALL(name, parameters, arguments) ctx->vtable->va##name = enter_##name;
    CORE_CALLS(CALL)
#undef CALL
    if (!ctx->vtable_vpp)
        return;
    ctx->vtable_vpp->version = VA_DRIVER_VTABLE_VPP_VERSION;
#define CALL(name, parameters, arguments) ctx->vtable_vpp->va##name = enter_##name;
    VIDEO_PROC_CALLS(CALL)
#undef CALL
}

/// libva sizes the application's arrays by these; none may be 0.
static void fill_limits(VADriverContextP ctx, struct driver *driver) {
    ctx->version_major = VA_MAJOR_VERSION;
    ctx->version_minor = VA_MINOR_VERSION;
    ctx->max_profiles = PROFILE_COUNT;
    ctx->max_entrypoints = 4;
    ctx->max_attributes = VAConfigAttribTypeMax;
    ctx->max_image_formats = FORMAT_COUNT;
    ctx->max_subpic_formats = 1;
    ctx->max_display_attributes = 1;
    ctx->str_vendor = driver->vendor;
}

/// An invalid list makes vaInitialize fail.
static bool check_switches(struct driver *driver) {
    const struct switches *switches = &driver->switches;
    return switches->valid && profiles_check("NO_DECODE", switches->no_decode)
           && profiles_check("NO_ENCODE", switches->no_encode) && faults_read(&driver->faults, switches->fault)
           && spoils_read(&driver->spoils, switches->spoil);
}

__attribute__((visibility("default"))) VAStatus __vaDriverInit_1_0(VADriverContextP ctx) {
    struct driver *driver = calloc(1, sizeof *driver);
    if (!driver)
        return VA_STATUS_ERROR_ALLOCATION_FAILED;
    int file = node_file(ctx);
    driver->device = device_number(file);
    driver->switches = switches_read(driver->device);
    atomic_init(&driver->stats.quality, -1);
    VAStatus status = VA_STATUS_ERROR_INVALID_PARAMETER;
    enum effect effect;
    if (check_switches(driver))
        status = gate(driver, CALL_Initialize, &effect);
    if (status != VA_STATUS_SUCCESS) {
        free(driver->faults.text);
        free(driver);
        return status;
    }
    initialize_lock(driver);
    speed_open(driver, file);
    table_open(&driver->objects);
    const char *vendor = driver->switches.vendor;
    snprintf(driver->vendor, sizeof driver->vendor, "%s", vendor ? vendor : "Software driver for tests");
    ctx->pDriverData = driver;
    fill_tables(ctx);
    fill_limits(ctx, driver);
    pthread_mutex_lock(&open_drivers_lock);
    driver->next = open_drivers;
    open_drivers = driver;
    pthread_mutex_unlock(&open_drivers_lock);
    return VA_STATUS_SUCCESS;
}
