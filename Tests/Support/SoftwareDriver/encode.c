#include "encode.h"

#include <stdlib.h>
#include <string.h>

static VAStatus keep_sequence(struct context *context, struct encoder *encoder, const struct buffer *buffer,
                              size_t size) {
    if (buffer->element_size < size)
        return refuse(context->driver, VA_STATUS_ERROR_INVALID_BUFFER, "sequence parameters are too short");
    memcpy(encoder->sequence, buffer->data, size);
    encoder->has_sequence = true;
    return VA_STATUS_SUCCESS;
}

/// The level affects only the statistics.
static VAStatus note_quality(struct driver *driver, unsigned level) {
    unsigned range = encoder_quality_range(driver);
    if (level > range)
        return refuse(driver, VA_STATUS_ERROR_INVALID_PARAMETER, "quality level %u of %u", level, range);
    atomic_store(&driver->stats.quality, (int)level);
    return VA_STATUS_SUCCESS;
}

static VAStatus keep_misc(struct context *context, struct encoder *encoder, const struct buffer *buffer) {
    const VAEncMiscParameterBuffer *misc = (const void *)buffer->data;
    if (buffer->element_size < sizeof *misc)
        return refuse(context->driver, VA_STATUS_ERROR_INVALID_BUFFER, "misc parameters are too short");
    size_t size = buffer->element_size - sizeof *misc;
    if (misc->type == VAEncMiscParameterTypeRateControl && size >= sizeof(VAEncMiscParameterRateControl))
        rate_target_read(&encoder->target, (const void *)misc->data);
    if (misc->type == VAEncMiscParameterTypeHRD && size >= sizeof(VAEncMiscParameterHRD))
        rate_target_read_hrd(&encoder->target, (const void *)misc->data);
    if (misc->type == VAEncMiscParameterTypeFrameRate && size >= sizeof(VAEncMiscParameterFrameRate)) {
        uint32_t rate = ((const VAEncMiscParameterFrameRate *)misc->data)->framerate;
        encoder->target.frame_rate = (double)(rate & 0xffff) / (rate >> 16 ? rate >> 16 : 1);
    }
    if (misc->type == VAEncMiscParameterTypeQualityLevel && size >= sizeof(VAEncMiscParameterBufferQualityLevel))
        return note_quality(context->driver, ((const VAEncMiscParameterBufferQualityLevel *)misc->data)->quality_level);
    return VA_STATUS_SUCCESS;
}

/// Splits a packed slice header into NAL units before the slice, such as an access unit delimiter, and the slice
/// header.
static bool split_slice_header(const uint8_t *data, size_t size, struct submission *submission) {
    const uint8_t *nal, *last = NULL;
    size_t nal_size, position = 0;
    while (next_nal(data, size, &position, &nal, &nal_size)) {
        if (last)
            append_nal(&submission->headers, last, (size_t)(nal - last) - 3);
        last = nal;
    }
    if (!last)
        return false;
    submission->slice_header = unescape(last, size - (size_t)(last - data));
    return true;
}

static VAStatus keep_packed(struct context *context, const VAEncPackedHeaderParameterBuffer *parameters,
                            const struct buffer *buffer, struct submission *submission) {
    struct driver *driver = context->driver;
    size_t size = (parameters->bit_length + 7) / 8;
    if (!driver->switches.packed_headers)
        return refuse(driver, VA_STATUS_ERROR_INVALID_PARAMETER, "packed headers are not supported");
    if (size == 0 || size > buffer->element_size * buffer->count)
        return refuse(driver, VA_STATUS_ERROR_INVALID_PARAMETER, "a packed header of %u bits in %zu bytes",
                      parameters->bit_length, buffer->element_size * buffer->count);
    if (parameters->type == VAEncPackedHeaderSlice)
        return split_slice_header(buffer->data, size, submission)
                   ? VA_STATUS_SUCCESS
                   : refuse(driver, VA_STATUS_ERROR_INVALID_PARAMETER, "a packed slice header without start code");
    if (parameters->has_emulation_bytes) {
        append(&submission->headers, buffer->data, size);
        return VA_STATUS_SUCCESS;
    }
    const uint8_t *nal;
    size_t nal_size, position = 0;
    while (next_nal(buffer->data, size, &position, &nal, &nal_size))
        append_nal(&submission->headers, nal, nal_size);
    return VA_STATUS_SUCCESS;
}

static VAStatus keep_one(struct context *context, const void **place, const struct buffer *buffer, size_t size,
                         const char *name) {
    if (*place || buffer->count != 1)
        return refuse(context->driver, VA_STATUS_ERROR_INVALID_PARAMETER, "more than one %s", name);
    if (buffer->element_size < size)
        return refuse(context->driver, VA_STATUS_ERROR_INVALID_BUFFER, "%s parameters are too short", name);
    *place = buffer->data;
    return VA_STATUS_SUCCESS;
}

static VAStatus collect_all(struct context *context, struct encoder *encoder, const size_t sizes[3],
                            struct submission *submission) {
    const VAEncPackedHeaderParameterBuffer *packed = NULL;
    VAStatus status = VA_STATUS_SUCCESS;
    for (int index = 0; index < context->buffer_count && status == VA_STATUS_SUCCESS; index++) {
        const struct buffer *buffer = context->buffers[index];
        if (buffer->type == VAEncSequenceParameterBufferType)
            status = keep_sequence(context, encoder, buffer, sizes[0]);
        if (buffer->type == VAEncPictureParameterBufferType)
            status = keep_one(context, &submission->picture, buffer, sizes[1], "picture");
        if (buffer->type == VAEncSliceParameterBufferType)
            status = keep_one(context, &submission->slice, buffer, sizes[2], "slice");
        if (buffer->type == VAEncMiscParameterBufferType)
            status = keep_misc(context, encoder, buffer);
        if (buffer->type == VAEncPackedHeaderDataBufferType && packed)
            status = keep_packed(context, packed, buffer, submission);
        bool announces = buffer->type == VAEncPackedHeaderParameterBufferType
                         && buffer->element_size >= sizeof(VAEncPackedHeaderParameterBuffer);
        packed = announces ? (const void *)buffer->data : NULL;
    }
    return status;
}

VAStatus collect(struct context *context, struct encoder *encoder, size_t sequence_size, size_t picture_size,
                 size_t slice_size, struct submission *submission) {
    size_t sizes[3] = {sequence_size, picture_size, slice_size};
    encoder->target.mode = context->config.rate_control;
    VAStatus status = collect_all(context, encoder, sizes, submission);
    if (status == VA_STATUS_SUCCESS && (!encoder->has_sequence || !submission->picture || !submission->slice))
        status = refuse(context->driver, VA_STATUS_ERROR_INVALID_PARAMETER,
                        "a picture without sequence, picture or slice parameters");
    return status;
}

void begin_encode_job(struct context *context, struct job *job, const struct encoder *encoder,
                      const struct submission *submission, VAStatus status) {
    struct encode_job *encode = job->payload;
    encode->input = context->target;
    encode->headers = submission->headers;
    encode->slice_header = submission->slice_header;
    encode->target = encoder->target;
    encode->small = job->effect == EFFECT_SMALL;
    if (status == VA_STATUS_SUCCESS)
        encode->spoil = spoils_next(&context->driver->spoils);
    if (encode->spoil.effects || encode->spoil.status) {
        refuse(context->driver, status, "coded picture %u is spoiled", encode->spoil.number);
        atomic_fetch_add(&context->driver->stats.spoiled, 1);
    }
}

void encode_job_free(void *payload) {
    struct encode_job *encode = payload;
    free(encode->headers.data);
    free(encode->slice_header.data);
    free(encode);
}

void encoder_close(struct encoder *encoder) {
    rate_close(&encoder->rate);
    free(encoder->last.data);
}

VAStatus use_coded_buffer(struct context *context, VABufferID id, struct job *job) {
    struct driver *driver = context->driver;
    struct buffer *coded = find_buffer(driver, id);
    if (!coded || coded->type != VAEncCodedBufferType)
        return refuse(driver, VA_STATUS_ERROR_INVALID_BUFFER, "no coded buffer %#x", id);
    if (coded->mapped || coded_is_busy(driver, coded, driver->job_number))
        return refuse(driver, VA_STATUS_ERROR_INVALID_BUFFER, "coded buffer %#x is in use", id);
    job->coded = retain(coded);
    coded->input = context->target->object.id;
    return VA_STATUS_SUCCESS;
}

VAStatus use_named_surface(struct context *context, VASurfaceID id, bool writes, struct job *job) {
    struct surface *surface = find_surface(context->driver, id);
    if (!surface)
        return refuse(context->driver, VA_STATUS_ERROR_INVALID_SURFACE, "no surface %#x", id);
    job_use(job, surface, writes);
    return VA_STATUS_SUCCESS;
}

/// One row of a plane of NV12 or P010; x265 has its ten bits at the bottom, P010 at the top.
static void read_row(uint8_t *to, const uint8_t *from, int width, int have, int step, int bytes) {
    for (int x = 0; x < width; x++) {
        int source = (x < have ? x : have - 1) * step;
        if (bytes == 1)
            to[x] = from[source];
        else
            ((uint16_t *)to)[x] = (uint16_t)(((const uint16_t *)from)[source] >> 6);
    }
}

/// Fills Y, Cb and Cr with one value: 0 is green.
static void paint(struct planar *planar, size_t samples, int depth, unsigned effects) {
    uint16_t value = effects & SPOIL_GRAY ? (uint16_t)(1 << (depth - 1)) : 0;
    for (size_t index = 0; index < samples; index++)
        if (depth == 8)
            planar->data[0][index] = (uint8_t)value;
        else
            ((uint16_t *)planar->data[0])[index] = value;
}

struct planar read_input(const struct encode_job *encode, int width, int height) {
    const struct surface *surface = encode->input;
    int bytes = surface->format->depth > 8 ? 2 : 1;
    struct planar planar = {.pitch = {width * bytes, width / 2 * bytes, width / 2 * bytes}};
    size_t luma = (size_t)width * (size_t)height * (size_t)bytes;
    planar.data[0] = malloc(luma * 3 / 2);
    if (!planar.data[0])
        return planar;
    planar.data[1] = planar.data[0] + luma;
    planar.data[2] = planar.data[1] + luma / 4;
    if (encode->spoil.effects & (SPOIL_GRAY | SPOIL_GREEN)) {
        paint(&planar, luma / (size_t)bytes * 3 / 2, surface->format->depth, encode->spoil.effects);
        return planar;
    }
    struct pixels pixels = surface_pixels(surface, 0, 0);
    for (int plane = 0; plane < 3; plane++) {
        int shift = plane > 0, rows = (surface->height + shift) >> shift;
        const uint8_t *start = pixels.data[shift] + (plane == 2 ? bytes : 0);
        for (int y = 0; y < height >> shift; y++)
            read_row(planar.data[plane] + (size_t)y * (size_t)planar.pitch[plane],
                     start + (size_t)(y < rows ? y : rows - 1) * (size_t)pixels.pitch[shift], width >> shift,
                     (surface->width + shift) >> shift, 1 + shift, bytes);
    }
    return planar;
}

struct planar make_noise(int width, int height, int depth) {
    size_t bytes = depth > 8 ? 2 : 1, luma = (size_t)width * (size_t)height;
    int pitch = width * (int)bytes;
    struct planar planar = {.data = {malloc(luma * bytes * 3 / 2)}, .pitch = {pitch, pitch / 2, pitch / 2}};
    if (!planar.data[0])
        return planar;
    planar.data[1] = planar.data[0] + luma * bytes;
    planar.data[2] = planar.data[1] + luma * bytes / 4;
    uint32_t state = 1;
    for (size_t index = 0; index < luma * 3 / 2; index++) {
        state = state * 1664525 + 1013904223;
        uint16_t value = state >> 31 ? (uint16_t)((1 << depth) - 1) : 0;
        if (bytes == 1)
            planar.data[0][index] = (uint8_t)value;
        else
            ((uint16_t *)planar.data[0])[index] = value;
    }
    return planar;
}

int choose_qp(struct encoder *encoder, const struct encode_job *encode, const struct planar *planar, int width,
              int height) {
    int bytes = encode->input->format->depth > 8 ? 2 : 1;
    double cost = planar->data[0] ? rate_cost(&encoder->rate, planar->data[0], planar->pitch[0], width, height, bytes,
                                              encode->type)
                                  : 0;
    return rate_qp(&encoder->rate, &encode->target, encode->qp, cost);
}

static VAStatus fill_coded(struct buffer *coded, const struct encode_job *encode, const struct bytes *stream, int qp) {
    if (encode->small || stream->size > coded->element_size * coded->count)
        return VA_STATUS_ERROR_NOT_ENOUGH_BUFFER;
    memcpy(coded->data, stream->data, stream->size);
    coded->has_segment = !(encode->spoil.effects & SPOIL_NULL);
    coded->segment = (VACodedBufferSegment){
        .size = encode->spoil.effects & SPOIL_EMPTY ? 0 : (uint32_t)stream->size,
        .status = ((uint32_t)qp & VA_CODED_BUF_STATUS_PICTURE_AVE_QP_MASK) | encode->spoil.status,
    };
    return VA_STATUS_SUCCESS;
}

static struct bytes join(const struct bytes *headers, const struct bytes *slice) {
    struct bytes stream = {0};
    append(&stream, headers->data, headers->size);
    append_nal(&stream, slice->data, slice->size);
    return stream;
}

/// Keeps the stream of the last picture, for SPOIL_REPEAT.
static VAStatus keep_and_fill(struct job *job, struct encoder *encoder, struct bytes stream, int qp) {
    const struct encode_job *encode = job->payload;
    bool repeats = encode->spoil.effects & SPOIL_REPEAT && encoder->last.data;
    free(repeats ? stream.data : encoder->last.data);
    if (!repeats)
        encoder->last = stream;
    return fill_coded(job->coded, encode, &encoder->last, qp);
}

VAStatus store_coded(struct job *job, struct encoder *encoder, struct slice_unit *slice, int qp) {
    const struct encode_job *encode = job->payload;
    spoil_slice(&encode->spoil, &slice->writer.bytes, slice->data);
    struct bytes stream = join(&encode->headers, &slice->writer.bytes);
    rate_account(&encoder->rate, &encode->target, qp, stream.size);
    return keep_and_fill(job, encoder, stream, qp);
}

VAStatus store_stream(struct job *job, struct encoder *encoder, struct bytes stream, size_t data, int qp) {
    const struct encode_job *encode = job->payload;
    spoil_slice(&encode->spoil, &stream, data);
    return keep_and_fill(job, encoder, stream, qp);
}
