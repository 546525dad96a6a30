#include "decode.h"

#include <stdlib.h>
#include <string.h>

/// libavcodec allocates memory when it begins a picture. A reference to it gives access to the picture before its
/// output.
static int keep_allocated(AVCodecContext *av, AVFrame *frame, int flags) {
    struct decoder *decoder = av->opaque;
    int status = avcodec_default_get_buffer2(av, frame, flags);
    if (status < 0)
        return status;
    av_frame_unref(decoder->allocated);
    return av_frame_ref(decoder->allocated, frame);
}

void decoder_close(void *state) {
    struct decoder *decoder = state;
    avcodec_free_context(&decoder->av);
    av_packet_free(&decoder->packet);
    av_frame_free(&decoder->allocated);
    av_frame_free(&decoder->put_out);
    free(decoder);
}

void *decoder_open(const char *name, size_t size) {
    struct decoder *decoder = calloc(1, size);
    const AVCodec *codec = avcodec_find_decoder_by_name(name);
    if (!decoder || !codec) {
        free(decoder);
        return NULL;
    }
    decoder->av = avcodec_alloc_context3(codec);
    decoder->packet = av_packet_alloc();
    decoder->allocated = av_frame_alloc();
    decoder->put_out = av_frame_alloc();
    if (decoder->av && decoder->packet && decoder->allocated && decoder->put_out) {
        decoder->av->opaque = decoder;
        decoder->av->get_buffer2 = keep_allocated;
        decoder->av->thread_count = 1;
        decoder->av->flags |= AV_CODEC_FLAG_OUTPUT_CORRUPT;
        decoder->av->flags2 |= AV_CODEC_FLAG2_SHOW_ALL;
        // The driver must not write to the application's log.
        decoder->av->log_level_offset = 64;
        if (avcodec_open2(decoder->av, codec, NULL) >= 0)
            return decoder;
    }
    decoder_close(decoder);
    return NULL;
}

static void decode_job_free(void *payload) {
    struct decode_job *job = payload;
    free(job->stream.data);
    free(job);
}

struct decode_job *begin_decode_job(struct context *context, struct job *job, int width, int height) {
    struct decode_job *decode = calloc(1, sizeof *decode);
    if (!decode)
        return NULL;
    *decode = (struct decode_job){.target = context->target, .width = width, .height = height};
    job->payload = decode;
    job->free_payload = decode_job_free;
    job_use(job, context->target, true);
    return decode;
}

VAStatus use_reference(struct context *context, VASurfaceID id, const char *what, struct job *job) {
    struct surface *surface = find_surface(context->driver, id);
    if (!surface)
        return refuse(context->driver, VA_STATUS_ERROR_INVALID_SURFACE, "%s: no surface %#x", what, id);
    job_use(job, surface, false);
    return VA_STATUS_SUCCESS;
}

bool decoder_feed(struct decoder *decoder, const struct decode_job *job) {
    if (job->flush)
        avcodec_flush_buffers(decoder->av);
    av_frame_unref(decoder->put_out);
    if (av_new_packet(decoder->packet, (int)job->stream.size) < 0)
        return false;
    memcpy(decoder->packet->data, job->stream.data, job->stream.size);
    decoder->packet->pts = decoder->packet->dts = ++decoder->count;
    int status = avcodec_send_packet(decoder->av, decoder->packet);
    av_packet_unref(decoder->packet);
    AVFrame *frame = av_frame_alloc();
    // libavcodec may decode in avcodec_receive_frame, and accepts no packet while a frame is pending.
    int received = 0;
    while (frame && (received = avcodec_receive_frame(decoder->av, frame)) >= 0) {
        av_frame_unref(decoder->put_out);
        av_frame_move_ref(decoder->put_out, frame);
    }
    av_frame_free(&frame);
    return status >= 0 && received == AVERROR(EAGAIN);
}

/// Interleaves one row of Cb and Cr for NV12 and P010.
static void interleave(uint8_t *to, const uint8_t *cb, const uint8_t *cr, int width, bool ten_bit) {
    for (int x = 0; x < width; x++)
        if (ten_bit) {
            ((uint16_t *)to)[2 * x] = (uint16_t)(((const uint16_t *)cb)[x] << 6);
            ((uint16_t *)to)[2 * x + 1] = (uint16_t)(((const uint16_t *)cr)[x] << 6);
        } else {
            to[2 * x] = cb[x];
            to[2 * x + 1] = cr[x];
        }
}

static void copy_luma(uint8_t *to, const uint8_t *from, int width, bool ten_bit) {
    if (!ten_bit)
        memcpy(to, from, (size_t)width);
    else
        for (int x = 0; x < width; x++)
            ((uint16_t *)to)[x] = (uint16_t)(((const uint16_t *)from)[x] << 6);
}

VAStatus store_picture(const struct decode_job *job, const AVFrame *frame) {
    const struct surface *target = job->target;
    bool ten_bit = target->format->depth == 10;
    bool is_8_bit = frame->format == AV_PIX_FMT_YUV420P || frame->format == AV_PIX_FMT_YUVJ420P;
    if (!frame->data[0] || !(ten_bit ? frame->format == AV_PIX_FMT_YUV420P10 : is_8_bit))
        return VA_STATUS_ERROR_DECODING_ERROR;
    int width = job->width < target->width ? job->width : target->width;
    int height = job->height < target->height ? job->height : target->height;
    struct pixels to = surface_pixels(target, 0, 0);
    for (int y = 0; y < height; y++)
        copy_luma(to.data[0] + (size_t)y * (size_t)to.pitch[0], frame->data[0] + (ptrdiff_t)y * frame->linesize[0],
                  width, ten_bit);
    for (int y = 0; y < (height + 1) / 2; y++)
        interleave(to.data[1] + (size_t)y * (size_t)to.pitch[1], frame->data[1] + (ptrdiff_t)y * frame->linesize[1],
                   frame->data[2] + (ptrdiff_t)y * frame->linesize[2], (width + 1) / 2, ten_bit);
    return VA_STATUS_SUCCESS;
}

VAStatus decoder_run(struct context *context, struct job *job) {
    struct decoder *decoder = context->state;
    if (!decoder_feed(decoder, job->payload) || decoder->put_out->pts != decoder->count)
        return VA_STATUS_ERROR_DECODING_ERROR;
    return store_picture(job->payload, decoder->put_out);
}

const uint8_t *slice_data(const struct context *context, int number, const void *parameters, size_t *size) {
    const VASliceParameterBufferBase *base = parameters;
    struct buffer *data = picture_buffer(context, VASliceDataBufferType, number, 1);
    size_t room = data ? data->element_size * data->count : 0;
    *size = base->slice_data_size;
    bool inside = base->slice_data_offset <= room && *size <= room - base->slice_data_offset && *size > 0;
    if (!inside || base->slice_data_flag != VA_SLICE_DATA_FLAG_ALL)
        return NULL;
    return data->data + base->slice_data_offset;
}
