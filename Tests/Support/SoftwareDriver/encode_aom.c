/// The worker's part of AV1 encoding: one picture into libaom, one temporal unit out. libaom writes the headers: the
/// application's packed frame headers describe tools that libaom cannot be restricted to.

#include <stdlib.h>
#include <string.h>

#include <libavcodec/avcodec.h>
#include <libavutil/opt.h>

#include "encode_av1.h"

enum { OBU_TEMPORAL_DELIMITER = 2 };

void aom_stop(struct av1_encoder *encoder) {
    avcodec_free_context(&encoder->aom);
}

static void set_color(AVCodecContext *aom, const struct av1_color *color) {
    aom->color_primaries = (enum AVColorPrimaries)color->primaries;
    aom->color_trc = (enum AVColorTransferCharacteristic)color->transfer;
    aom->colorspace = (enum AVColorSpace)color->matrix;
    aom->color_range = color->full_range ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG;
    aom->chroma_sample_location = color->chroma_position == 1   ? AVCHROMA_LOC_LEFT
                                  : color->chroma_position == 2 ? AVCHROMA_LOC_TOPLEFT
                                                                : AVCHROMA_LOC_UNSPECIFIED;
}

/// Without lookahead and automatic key frames: each picture is output before the next input.
static bool start(struct av1_encoder *encoder, const struct av1_settings *settings) {
    const AVCodec *codec = avcodec_find_encoder_by_name("libaom-av1");
    AVCodecContext *aom = encoder->aom = codec ? avcodec_alloc_context3(codec) : NULL;
    if (!aom)
        return false;
    encoder->settings = *settings;
    aom->width = settings->width;
    aom->height = settings->height;
    aom->pix_fmt = settings->bit_depth > 8 ? AV_PIX_FMT_YUV420P10 : AV_PIX_FMT_YUV420P;
    int rate = settings->frame_rate >= 1 ? (int)(settings->frame_rate * 1000) : 25000;
    aom->time_base = (AVRational){1000, rate};
    aom->framerate = (AVRational){rate, 1000};
    aom->gop_size = 1 << 20;
    aom->thread_count = 1;
    aom->log_level_offset = 64;
    set_color(aom, &settings->color);
    av_opt_set(aom->priv_data, "usage", "realtime", 0);
    av_opt_set_int(aom->priv_data, "cpu-used", 8, 0);
    av_opt_set_int(aom->priv_data, "lag-in-frames", 0, 0);
    if (settings->quantizer >= 0)
        av_opt_set_int(aom->priv_data, "crf", settings->quantizer, 0);
    else
        aom->bit_rate = aom->rc_min_rate = aom->rc_max_rate = settings->bitrate > 0 ? settings->bitrate : 1000000;
    return avcodec_open2(aom, codec, NULL) >= 0;
}

static bool is_same(const struct av1_settings *one, const struct av1_settings *other) {
    const struct av1_color *a = &one->color, *b = &other->color;
    return one->width == other->width && one->height == other->height && one->bit_depth == other->bit_depth
           && one->quantizer == other->quantizer && one->bitrate == other->bitrate
           && one->frame_rate == other->frame_rate && a->primaries == b->primaries && a->transfer == b->transfer
           && a->matrix == b->matrix && a->full_range == b->full_range && a->chroma_position == b->chroma_position;
}

static void copy_plane(AVFrame *frame, int plane, const struct planar *planar, int width, int height, int bytes) {
    for (int y = 0; y < height; y++)
        memcpy(frame->data[plane] + (ptrdiff_t)y * frame->linesize[plane],
               planar->data[plane] + (size_t)y * (size_t)planar->pitch[plane], (size_t)(width * bytes));
}

static AVFrame *make_frame(const struct av1_encoder *encoder, const struct encode_job *encode) {
    const struct av1_settings *settings = &encoder->settings;
    AVFrame *frame = av_frame_alloc();
    struct planar planar = read_input(encode, settings->width, settings->height);
    if (frame) {
        frame->format = encoder->aom->pix_fmt;
        frame->width = settings->width;
        frame->height = settings->height;
        frame->pts = encoder->count;
        frame->pict_type = encode->type == 'I' ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE;
    }
    if (!frame || !planar.data[0] || av_frame_get_buffer(frame, 0) < 0)
        av_frame_free(&frame);
    for (int plane = 0; frame && plane < 3; plane++)
        copy_plane(frame, plane, &planar, settings->width >> (plane > 0), settings->height >> (plane > 0),
                   settings->bit_depth > 8 ? 2 : 1);
    free(planar.data[0]);
    return frame;
}

/// A temporal unit without its delimiter, which the application writes; empty if it is not of the requested type.
static struct bytes take(struct av1_encoder *encoder, bool is_key) {
    struct bytes stream = {0};
    AVPacket *packet = av_packet_alloc();
    if (packet && avcodec_receive_packet(encoder->aom, packet) >= 0 && packet->pts == encoder->count
        && !!(packet->flags & AV_PKT_FLAG_KEY) == is_key) {
        int delimiter = packet->size > 2 && packet->data[0] >> 3 == OBU_TEMPORAL_DELIMITER ? 2 : 0;
        append(&stream, packet->data + delimiter, (size_t)(packet->size - delimiter));
    }
    av_packet_free(&packet);
    return stream;
}

VAStatus aom_run(struct context *context, struct job *job) {
    struct av1_encoder *encoder = context->state;
    const struct av1_encode_job *av1 = job->payload;
    bool is_key = av1->common.type == 'I';
    // libaom keeps rates and qualities for a whole GOP.
    if (is_key && encoder->aom && !is_same(&encoder->settings, &av1->settings))
        aom_stop(encoder);
    if (!encoder->aom && (!is_key || !start(encoder, &av1->settings))) {
        aom_stop(encoder);
        return VA_STATUS_ERROR_ENCODING_ERROR;
    }
    AVFrame *frame = make_frame(encoder, &av1->common);
    struct bytes stream = {0};
    if (frame && avcodec_send_frame(encoder->aom, frame) >= 0)
        stream = take(encoder, is_key);
    av_frame_free(&frame);
    encoder->count++;
    return stream.size ? store_stream(job, &encoder->common, stream, stream.size / 2, av1->common.qp)
                       : VA_STATUS_ERROR_ENCODING_ERROR;
}
