#include "Decoder.h"

#include <stdatomic.h>
#include <string.h>

#if LIBAVCODEC_VERSION_MAJOR >= 60
#define COPIES_OPAQUE 1
#else
#define COPIES_OPAQUE 0
#endif

static _Atomic(vtx_decoder_observer) observer;

static void report(const AVCodecContext *context, enum vtx_decoder_event event, int status)
{
    vtx_decoder_observer observe = atomic_load(&observer);
    if (observe && context->opaque)
        observe(context->opaque, event, status);
}

static int get_buffer(AVCodecContext *context, AVFrame *frame, int flags)
{
    int status = avcodec_default_get_buffer2(context, frame, flags);
    report(context, VTX_DECODER_ALLOCATES, status);
    return status;
}

void vtx_decoder_observe(AVCodecContext *context, vtx_decoder_observer observe)
{
    atomic_store(&observer, observe);
    context->get_buffer2 = get_buffer;
#if COPIES_OPAQUE
    context->flags |= AV_CODEC_FLAG_COPY_OPAQUE;
#else
    // Else frame threads call get_buffer2 on the thread that sends packets, and wait for it.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    context->thread_safe_callbacks = 1;
#pragma GCC diagnostic pop
#endif
}

// What the decoders of H.264 and HEVC say of missing references.
static int is_about_reference(const char *format)
{
    static const char *const beginnings[] = {
        "Could not find ref with POC", "Missing reference picture", "reference picture missing during reorder",
    };
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (strncmp(format, beginnings[i], strlen(beginnings[i])) == 0)
            return 1;
    return 0;
}

void vtx_decoder_take_message(void *object, int level, const char *format)
{
    int is_error = level <= AV_LOG_ERROR;
    // libavcodec's error resilience says only this where a slice is missing, and nothing has failed.
    if (!is_error && strncmp(format, "concealing ", 11) != 0)
        return;
    if (!object || *(const AVClass **)object != avcodec_get_class())
        return;
    const AVCodecContext *context = object;
    // Parsers and encoders have contexts too, and so may the rest of the program.
    if (context->get_buffer2 != get_buffer)
        return;
    enum vtx_decoder_event event = is_about_reference(format) ? VTX_DECODER_MISSES_REFERENCE : VTX_DECODER_FAILS;
    report(context, is_error ? event : VTX_DECODER_CONCEALS, 0);
}

void vtx_decoder_set_packet_number(AVCodecContext *context, AVPacket *packet, int64_t number)
{
#if COPIES_OPAQUE
    (void)context;
    packet->opaque = (void *)(intptr_t)number;
#else
    (void)packet;
    context->reordered_opaque = number;
#endif
}

int64_t vtx_frame_take_packet_number(AVFrame *frame)
{
#if COPIES_OPAQUE
    int64_t number = (int64_t)(intptr_t)frame->opaque;
    frame->opaque = NULL;
#else
    // libx265's wrapper keeps a copy for each frame, and loses those of the frames that are inside when it is closed.
    int64_t number = frame->reordered_opaque;
    frame->reordered_opaque = 0;
#endif
    return number;
}
