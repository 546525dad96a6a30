/// A decoder, encoder or video processor: collects a picture's buffers between vaBeginPicture and vaEndPicture. Its
/// own thread does the work later.

#ifndef SOFT_CONTEXT_H
#define SOFT_CONTEXT_H

#include "buffer.h"
#include "config.h"
#include "driver.h"
#include "job.h"
#include "surface.h"

enum { MAX_PICTURE_BUFFERS = 2048 };

struct context {
    struct object object;
    struct driver *driver;
    struct config config;  // a copy: the application may destroy the config
    int width, height;
    const struct codec *codec;
    void *state;  // the codec's; used by the worker only, unless codec.prepare says otherwise
    struct surface *target;  // from vaBeginPicture on
    struct buffer *buffers[MAX_PICTURE_BUFFERS];
    int buffer_count;
    uint64_t turns;  // source pictures of the video processor
    bool has_worker, closing, worker_done;
    pthread_t worker;
};

struct codec {
    enum engine engine;
    /// vaCreateContext. The state, or NULL.
    void *(*open)(struct context *context);
    /// vaEndPicture: checks the collected buffers and makes them the job's payload; names the surfaces it uses. Called
    /// with the lock held; must not touch the data of `run`.
    VAStatus (*prepare)(struct context *context, struct job *job);
    /// Does the work; in the worker, without the lock.
    VAStatus (*run)(struct context *context, struct job *job);
    void (*close)(void *state);
};

extern const struct codec h264_decoder, hevc_decoder, vp8_decoder, vp9_decoder, av1_decoder, jpeg_decoder;
extern const struct codec h264_encoder, hevc_encoder, av1_encoder, video_processor;

/// The `number`th buffer of this type in the picture, of at least `size` bytes; NULL if there is none.
struct buffer *picture_buffer(const struct context *context, VABufferType type, int number, size_t size);

void contexts_destroy_all(struct driver *driver);

#endif
