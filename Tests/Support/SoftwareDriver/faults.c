#include "faults.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *name;
    VAStatus status;
} errors[] = {
    {"OPERATION_FAILED", VA_STATUS_ERROR_OPERATION_FAILED},
    {"ALLOCATION_FAILED", VA_STATUS_ERROR_ALLOCATION_FAILED},
    {"INVALID_PARAMETER", VA_STATUS_ERROR_INVALID_PARAMETER},
    {"INVALID_CONTEXT", VA_STATUS_ERROR_INVALID_CONTEXT},
    {"INVALID_SURFACE", VA_STATUS_ERROR_INVALID_SURFACE},
    {"UNSUPPORTED_PROFILE", VA_STATUS_ERROR_UNSUPPORTED_PROFILE},
    {"RESOLUTION_NOT_SUPPORTED", VA_STATUS_ERROR_RESOLUTION_NOT_SUPPORTED},
    {"UNIMPLEMENTED", VA_STATUS_ERROR_UNIMPLEMENTED},
    {"DECODING_ERROR", VA_STATUS_ERROR_DECODING_ERROR},
    {"ENCODING_ERROR", VA_STATUS_ERROR_ENCODING_ERROR},
    {"SURFACE_BUSY", VA_STATUS_ERROR_SURFACE_BUSY},
    {"HW_BUSY", VA_STATUS_ERROR_HW_BUSY},
    {"UNKNOWN", VA_STATUS_ERROR_UNKNOWN},
};

static bool read_call(const char *name, enum call *call) {
    for (int index = 0; index < CALL_COUNT; index++)
        if (strcmp(name, call_names[index]) == 0) {
            *call = (enum call)index;
            return true;
        }
    return false;
}

static bool read_error(const char *name, VAStatus *error) {
    for (unsigned index = 0; index < sizeof errors / sizeof *errors; index++)
        if (strcmp(name, errors[index].name) == 0) {
            *error = errors[index].status;
            return true;
        }
    return false;
}

static bool read_effect(const char *name, struct fault *fault) {
    static const char *const names[] = {[EFFECT_HANG] = "hang", "abort", "never", "small"};
    if (strncmp(name, "error=", 6) == 0) {
        fault->effect = EFFECT_ERROR;
        return read_error(name + 6, &fault->error);
    }
    for (int effect = EFFECT_HANG; effect <= EFFECT_SMALL; effect++)
        if (strcmp(name, names[effect]) == 0) {
            fault->effect = (enum effect)effect;
            // Only a picture has a surface or a coded buffer to affect.
            return effect < EFFECT_NEVER || fault->call == CALL_EndPicture;
        }
    return false;
}

/// One `CALL:NUMBER:EFFECT[:once=PATH]`.
static bool read_fault(char *text, struct fault *fault) {
    char *name = strsep(&text, ":"), *number = strsep(&text, ":"), *effect = strsep(&text, ":");
    if (!effect || !read_call(name, &fault->call) || !turns_read(number, &fault->turns) || !read_effect(effect, fault))
        return false;
    if (text && strncmp(text, "once=", 5) != 0)
        return false;
    fault->marker = text ? text + 5 : NULL;
    return true;
}

bool faults_read(struct faults *faults, const char *text) {
    if (!text)
        return true;
    char *rest = faults->text = strdup(text);
    while (rest) {
        char *item = strsep(&rest, ",");
        if (faults->count == sizeof faults->list / sizeof *faults->list
            || !read_fault(item, &faults->list[faults->count])) {
            fprintf(stderr, "soft: SOFTVA_FAULT: '%s' is not CALL:NUMBER:EFFECT\n", item);
            return false;
        }
        faults->count++;
    }
    return true;
}

/// The process that creates the marker fails, so that of two processes only one does.
static bool may_fire(const struct fault *fault) {
    if (!fault->marker)
        return true;
    int file = open(fault->marker, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0)
        return false;
    close(file);
    return true;
}

enum effect faults_effect(const struct faults *faults, enum call call, unsigned number, VAStatus *error) {
    for (const struct fault *fault = faults->list; fault < faults->list + faults->count; fault++) {
        if (fault->call == call && turns_include(fault->turns, number) && may_fire(fault)) {
            *error = fault->error;
            return fault->effect;
        }
    }
    return EFFECT_NONE;
}
