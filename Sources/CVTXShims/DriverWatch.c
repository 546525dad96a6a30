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
    VAStatus (*create_surfaces)(VADriverContextP driver, unsigned int format, unsigned int width, unsigned int height,
                                VASurfaceID *surfaces, unsigned int count, VASurfaceAttrib *attributes,
                                unsigned int attribute_count);
    VAStatus (*begin_picture)(VADriverContextP driver, VAContextID context, VASurfaceID target);
    struct original *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct original *originals;

// Where it is noted what drivers do to the encoder that this thread is in; NULL outside of encoders.
static _Thread_local struct vtx_encoder_watch *watch;

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
    if (!watch || status != VA_STATUS_SUCCESS)
        return status;
    for (const VACodedBufferSegment *segment = *data; segment; segment = segment->next)
        watch->coded_status |= segment->status;
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

// libavcodec 7.1 crashes where it gets no surface for a reconstructed picture. It gets one that is none, and the
// encoder can begin no picture any more.
static VAStatus create_surfaces(VADriverContextP driver, unsigned int format, unsigned int width, unsigned int height,
                                VASurfaceID *surfaces, unsigned int count, VASurfaceAttrib *attributes,
                                unsigned int attribute_count)
{
    VAStatus status = original_of(driver)->create_surfaces(driver, format, width, height, surfaces, count, attributes,
                                                           attribute_count);
    if (status == VA_STATUS_SUCCESS || !watch || count != 1)
        return status;
    watch->lacks_surface = 1;
    surfaces[0] = VA_INVALID_SURFACE;
    return VA_STATUS_SUCCESS;
}

static VAStatus begin_picture(VADriverContextP driver, VAContextID context, VASurfaceID target)
{
    if (watch && watch->lacks_surface)
        return VA_STATUS_ERROR_ALLOCATION_FAILED;
    return original_of(driver)->begin_picture(driver, context, target);
}

static void wrap(struct original *original, struct VADriverVTable *table)
{
    original->map = table->vaMapBuffer;
    table->vaMapBuffer = map_buffer;
#if HAS_MAP_BUFFER_2
    original->map_2 = table->vaMapBuffer2;
    if (table->vaMapBuffer2)
        table->vaMapBuffer2 = map_buffer_2;
#endif
    original->create_surfaces = table->vaCreateSurfaces2;
    if (table->vaCreateSurfaces2)
        table->vaCreateSurfaces2 = create_surfaces;
    original->begin_picture = table->vaBeginPicture;
    table->vaBeginPicture = begin_picture;
}

void vtx_vaapi_watch_driver(void *display)
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

void vtx_watch_encoder(struct vtx_encoder_watch *next) { watch = next; }
