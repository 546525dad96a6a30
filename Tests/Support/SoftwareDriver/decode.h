/// Shared by all decoders: a libavcodec context with one thread. Pictures are taken once their pixels are final,
/// independent of the order of output.

#ifndef SOFT_DECODE_H
#define SOFT_DECODE_H

#include <libavcodec/avcodec.h>

#include "bits.h"
#include "context.h"

struct decoder {
    AVCodecContext *av;
    AVPacket *packet;
    AVFrame *allocated;  // the last picture that libavcodec allocated
    AVFrame *put_out;    // the last picture that it returned
    int64_t count;
    VASurfaceID previous_target;  // belongs to `prepare`
};

/// A picture for the worker.
struct decode_job {
    struct bytes stream;
    struct surface *target;
    int width, height;
    bool flush;  // restarts, as after a seek
};

/// A state of `size` bytes that begins with the decoder, and uses libavcodec's decoder of this name.
void *decoder_open(const char *name, size_t size);
void decoder_close(void *state);

/// A job that writes the context's target. NULL without memory.
struct decode_job *begin_decode_job(struct context *context, struct job *job, int width, int height);

/// Adds a surface that the job reads. Refuses an invalid id; `what` is its origin.
VAStatus use_reference(struct context *context, VASurfaceID id, const char *what, struct job *job);

/// Decodes the stream, and sets `put_out` and `allocated`; false if libavcodec found an error.
bool decoder_feed(struct decoder *decoder, const struct decode_job *job);

/// The same for a codec without reordering: stores the decoded picture.
VAStatus decoder_run(struct context *context, struct job *job);

/// Copies a picture of planar 4:2:0 into the surface.
VAStatus store_picture(const struct decode_job *job, const AVFrame *frame);

/// The NAL unit of the `number`th slice parameters, by offset and size in the slice data buffer after them; NULL if
/// it is out of bounds.
const uint8_t *slice_data(const struct context *context, int number, const void *parameters, size_t *size);

#endif
