/// What all decoders share: a libavcodec context with one thread, and pictures taken from it as soon as their pixels
/// are final, whatever the order of output.

#ifndef SOFT_DECODE_H
#define SOFT_DECODE_H

#include <libavcodec/avcodec.h>

#include "bits.h"
#include "context.h"

struct decoder {
    AVCodecContext *av;
    AVPacket *packet;
    AVFrame *allocated;  // the last picture that libavcodec asked memory for
    AVFrame *put_out;    // the last picture that it handed out
    int64_t count;
    VASurfaceID previous_target;  // belongs to `prepare`
};

/// A picture on its way to the worker.
struct decode_job {
    struct bytes stream;
    struct surface *target;
    int width, height;
    bool flush;  // begins again, as after a seek
};

/// A state of `size` bytes that begins with the decoder; libavcodec's decoder of this name does the work.
void *decoder_open(const char *name, size_t size);
void decoder_close(void *state);

/// A job that writes the context's target. NULL when there is no memory.
struct decode_job *begin_decode_job(struct context *context, struct job *job, int width, int height);

/// The job reads this surface. Refuses an id of no surface; `what` says where it stood.
VAStatus use_reference(struct context *context, VASurfaceID id, const char *what, struct job *job);

/// Decodes the stream. `put_out` and `allocated` then hold what came of it; false when libavcodec found an error.
bool decoder_feed(struct decoder *decoder, const struct decode_job *job);

/// The same, of a codec that libavcodec does not reorder: what comes out is what went in, and is stored.
VAStatus decoder_run(struct context *context, struct job *job);

/// Copies a picture of planar 4:2:0 into the surface.
VAStatus store_picture(const struct decode_job *job, const AVFrame *frame);

/// The NAL unit that the `number`th slice parameters speak of, found by offset and size in the slice data buffer that
/// follows them; NULL when they leave it.
const uint8_t *slice_data(const struct context *context, int number, const void *parameters, size_t *size);

#endif
