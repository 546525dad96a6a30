#include "CVTXShims.h"

#include <pthread.h>
#include <stdlib.h>
#include <va/va_backend.h>

// vaMapBuffer2 came with libva 2.21, and from then on vaMapBuffer calls it where the driver has it.
#if VA_CHECK_VERSION(1, 21, 0)
#define HAS_MAP_BUFFER_2 1
#else
#define HAS_MAP_BUFFER_2 0
#endif

// A driver's own functions. Entries are never freed: a display that is opened later at the same address reuses its one.
struct original {
    VADriverContextP driver;
    VAStatus (*map)(VADriverContextP driver, VABufferID buffer, void **data);
#if HAS_MAP_BUFFER_2
    VAStatus (*map_2)(VADriverContextP driver, VABufferID buffer, void **data, uint32_t flags);
#endif
    struct original *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct original *originals;

// Where the status of what this thread maps goes; NULL for nowhere.
static _Thread_local uint32_t *collector;

static struct original *find(VADriverContextP driver)
{
    struct original *found = originals;
    while (found && found->driver != driver)
        found = found->next;
    return found;
}

static struct original *original_of(VADriverContextP driver)
{
    pthread_mutex_lock(&lock);
    struct original *found = find(driver);
    pthread_mutex_unlock(&lock);
    return found;
}

static VAStatus collect(VAStatus status, void **data)
{
    if (!collector || status != VA_STATUS_SUCCESS)
        return status;
    for (const VACodedBufferSegment *segment = *data; segment; segment = segment->next)
        *collector |= segment->status;
    return status;
}

static VAStatus map_buffer(VADriverContextP driver, VABufferID buffer, void **data)
{
    return collect(original_of(driver)->map(driver, buffer, data), data);
}

#if HAS_MAP_BUFFER_2
static VAStatus map_buffer_2(VADriverContextP driver, VABufferID buffer, void **data, uint32_t flags)
{
    return collect(original_of(driver)->map_2(driver, buffer, data, flags), data);
}
#endif

static void wrap(struct original *original, struct VADriverVTable *table)
{
    original->map = table->vaMapBuffer;
    table->vaMapBuffer = map_buffer;
#if HAS_MAP_BUFFER_2
    original->map_2 = table->vaMapBuffer2;
    if (table->vaMapBuffer2)
        table->vaMapBuffer2 = map_buffer_2;
#endif
}

void vtx_vaapi_watch_coded_buffers(void *display)
{
    VADriverContextP driver = ((VADisplayContextP)display)->pDriverContext;
    pthread_mutex_lock(&lock);
    struct original *original = find(driver);
    if (!original && (original = calloc(1, sizeof *original))) {
        original->driver = driver;
        original->next = originals;
        originals = original;
    }
    if (original && driver->vtable->vaMapBuffer != map_buffer)
        wrap(original, driver->vtable);
    pthread_mutex_unlock(&lock);
}

void vtx_collect_coded_status(uint32_t *status) { collector = status; }
