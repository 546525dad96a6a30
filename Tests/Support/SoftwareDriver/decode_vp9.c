/// VP9 decoding. The slice data are the whole frame with its headers, and go to libavcodec unchanged.

#include "decode.h"

static void *open_decoder(struct context *context) {
    (void)context;
    return decoder_open("vp9", sizeof(struct decoder));
}

/// The reference frames of an inter frame, as indices into `reference_frames`.
static const char *wrong_references(struct reader *reader, const VADecPictureParameterBufferVP9 *picture) {
    const unsigned expected[3][2] = {
        {picture->pic_fields.bits.last_ref_frame, picture->pic_fields.bits.last_ref_frame_sign_bias},
        {picture->pic_fields.bits.golden_ref_frame, picture->pic_fields.bits.golden_ref_frame_sign_bias},
        {picture->pic_fields.bits.alt_ref_frame, picture->pic_fields.bits.alt_ref_frame_sign_bias},
    };
    get(reader, 8);  // refresh_frame_flags
    for (int index = 0; index < 3; index++) {
        if (get(reader, 3) != expected[index][0])
            return "a reference frame";
        if (get(reader, 1) != expected[index][1])
            return "a sign bias";
    }
    return NULL;
}

/// Names the first parameter that the uncompressed header contradicts; NULL if there is none.
static const char *contradiction(const VADecPictureParameterBufferVP9 *picture, const uint8_t *data, size_t size) {
    struct reader reader = {.data = data, .size = size};
    if (get(&reader, 2) != 2)
        return "the frame marker";
    unsigned profile = get(&reader, 1);
    profile |= get(&reader, 1) << 1;
    if (profile != picture->profile)
        return "profile";
    if (get(&reader, 1))
        return "show_existing_frame";
    if (get(&reader, 1) != picture->pic_fields.bits.frame_type)
        return "frame_type";
    bool is_shown = get(&reader, 1);
    if (is_shown != picture->pic_fields.bits.show_frame)
        return "show_frame";
    bool is_resilient = get(&reader, 1);
    if (is_resilient != picture->pic_fields.bits.error_resilient_mode)
        return "error_resilient_mode";
    if (picture->pic_fields.bits.frame_type == 0)
        return NULL;
    bool is_intra_only = !is_shown && get(&reader, 1);
    if (is_intra_only != picture->pic_fields.bits.intra_only)
        return "intra_only";
    if (!is_resilient)
        get(&reader, 2);
    return is_intra_only ? NULL : wrong_references(&reader, picture);
}

static VAStatus use_surfaces(struct context *context, const VADecPictureParameterBufferVP9 *picture, struct job *job) {
    const unsigned indices[] = {picture->pic_fields.bits.last_ref_frame, picture->pic_fields.bits.golden_ref_frame,
                                picture->pic_fields.bits.alt_ref_frame};
    if (picture->bit_depth != context->target->format->depth)
        return refuse(context->driver, VA_STATUS_ERROR_INVALID_SURFACE, "%d bits do not fit the surface",
                      picture->bit_depth);
    bool is_inter = picture->pic_fields.bits.frame_type == 1 && !picture->pic_fields.bits.intra_only;
    VAStatus status = VA_STATUS_SUCCESS;
    for (int index = 0; index < 3 && is_inter && status == VA_STATUS_SUCCESS; index++)
        status = use_reference(context, picture->reference_frames[indices[index]], "reference_frames", job);
    return status;
}

static VAStatus add_frame(struct context *context, const VADecPictureParameterBufferVP9 *picture,
                          struct bytes *stream) {
    struct driver *driver = context->driver;
    struct buffer *slice = picture_buffer(context, VASliceParameterBufferType, 0, sizeof(VASliceParameterBufferVP9));
    if (!slice || slice->count != 1 || picture_buffer(context, VASliceParameterBufferType, 1, 0))
        return refuse(driver, VA_STATUS_ERROR_INVALID_PARAMETER, "a frame has one slice");
    size_t size;
    const uint8_t *data = slice_data(context, 0, slice->data, &size);
    if (!data)
        return refuse(driver, VA_STATUS_ERROR_INVALID_PARAMETER, "slice parameters leave the slice data");
    const char *wrong = contradiction(picture, data, size);
    if (wrong)
        return refuse(driver, VA_STATUS_ERROR_INVALID_PARAMETER, "%s contradicts the frame's header", wrong);
    append(stream, data, size);
    return VA_STATUS_SUCCESS;
}

static VAStatus prepare(struct context *context, struct job *job) {
    struct buffer *buffer = picture_buffer(context, VAPictureParameterBufferType, 0,
                                           sizeof(VADecPictureParameterBufferVP9));
    if (!buffer)
        return refuse(context->driver, VA_STATUS_ERROR_INVALID_BUFFER, "no picture parameters");
    const VADecPictureParameterBufferVP9 *picture = (const void *)buffer->data;
    struct decode_job *decode = begin_decode_job(context, job, picture->frame_width, picture->frame_height);
    if (!decode)
        return VA_STATUS_ERROR_ALLOCATION_FAILED;
    VAStatus status = use_surfaces(context, picture, job);
    return status ? status : add_frame(context, picture, &decode->stream);
}

/// A hidden frame is not output, but libavcodec allocates its memory.
static VAStatus run(struct context *context, struct job *job) {
    struct decoder *decoder = context->state;
    av_frame_unref(decoder->allocated);
    return decoder_feed(decoder, job->payload) ? store_picture(job->payload, decoder->allocated)
                                               : VA_STATUS_ERROR_DECODING_ERROR;
}

const struct codec vp9_decoder = {ENGINE_DECODE, open_decoder, prepare, run, decoder_close};
