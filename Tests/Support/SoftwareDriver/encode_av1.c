#include "encode_av1.h"

#include <stdlib.h>

enum { KEY_FRAME = 0, INTER_FRAME = 1 };

_Static_assert(sizeof(VAEncSequenceParameterBufferAV1) <= sizeof(((struct encoder *)0)->sequence),
               "the sequence parameters are kept in the shared encoder");

/// One of libaom's 64 quantizers for one of AV1's 256, or for ICQ's quality; -1 with a bit rate.
static int quantizer_of(const struct rate_target *target, const VAEncPictureParameterBufferAV1 *picture) {
    if (target->mode == VA_RC_CQP)
        return picture->base_qindex / 4;
    if (target->mode == VA_RC_ICQ)
        return (target->quality > 51 ? 51 : target->quality) * 5 / 4;
    return -1;
}

static const char *unsupported(const struct context *context, const VAEncPictureParameterBufferAV1 *picture) {
    int width = picture->frame_width_minus_1 + 1, height = picture->frame_height_minus_1 + 1;
    unsigned type = picture->picture_flags.bits.frame_type;
    return type != KEY_FRAME && type != INTER_FRAME                    ? "this type of frame"
           : picture->mode_control_flags.bits.reference_mode           ? "compound prediction"
           : picture->tile_cols != 1 || picture->tile_rows != 1        ? "tiles"
           : width % 2 || height % 2                                   ? "an odd size"
           : width > context->width + 63 || height > context->height + 63 ? "a frame larger than the context"
                                                                       : NULL;
}

static VAStatus use_references(struct context *context, struct av1_encoder *encoder,
                               const VAEncPictureParameterBufferAV1 *picture, struct job *job) {
    job_use(job, context->target, false);
    VAStatus status = use_named_surface(context, picture->reconstructed_frame, true, job);
    if (status != VA_STATUS_SUCCESS)
        return status;
    if (picture->picture_flags.bits.frame_type == INTER_FRAME) {
        VASurfaceID last = picture->reference_frames[picture->ref_frame_idx[0] & 7];
        if (last != encoder->common.last_reference)
            return refuse(context->driver, VA_STATUS_ERROR_INVALID_PARAMETER,
                          "an inter frame must refer to the last frame");
        status = use_named_surface(context, last, false, job);
    }
    encoder->common.last_reference = picture->reconstructed_frame;
    return status;
}

static VAStatus fill(struct context *context, struct av1_encoder *encoder, struct submission *submission,
                     struct job *job, struct av1_encode_job *av1) {
    const VAEncPictureParameterBufferAV1 *picture = submission->picture;
    const char *what = unsupported(context, picture);
    if (what)
        return refuse(context->driver, VA_STATUS_ERROR_INVALID_PARAMETER, "%s: not supported", what);
    if (!av1_parse_color(&submission->headers, &encoder->color))
        return refuse(context->driver, VA_STATUS_ERROR_INVALID_PARAMETER,
                      "packed sequence header: broken or unsupported");
    const struct rate_target *target = &encoder->common.target;
    av1->settings = (struct av1_settings){
        .width = picture->frame_width_minus_1 + 1,
        .height = picture->frame_height_minus_1 + 1,
        .bit_depth = context->target->format->depth,
        .quantizer = quantizer_of(target, picture),
        .bitrate = (int64_t)target->bits_per_second,
        .frame_rate = target->frame_rate,
        .color = encoder->color,
    };
    av1->common.type = picture->picture_flags.bits.frame_type == KEY_FRAME ? 'I' : 'P';
    av1->common.qp = picture->base_qindex;
    VAStatus status = use_references(context, encoder, picture, job);
    return status == VA_STATUS_SUCCESS ? use_coded_buffer(context, picture->coded_buf, job) : status;
}

static VAStatus prepare(struct context *context, struct job *job) {
    struct av1_encoder *encoder = context->state;
    struct submission submission = {0};
    struct av1_encode_job *av1 = calloc(1, sizeof *av1);
    if (!av1)
        return VA_STATUS_ERROR_ALLOCATION_FAILED;
    job->payload = av1;
    job->free_payload = encode_job_free;
    VAStatus status = collect(context, &encoder->common, sizeof(VAEncSequenceParameterBufferAV1),
                              sizeof(VAEncPictureParameterBufferAV1), sizeof(VAEncTileGroupBufferAV1), &submission);
    if (status == VA_STATUS_SUCCESS)
        status = fill(context, encoder, &submission, job, av1);
    begin_encode_job(context, job, &encoder->common, &submission, status);
    return status;
}

static void *open_encoder(struct context *context) {
    (void)context;
    struct av1_encoder *encoder = calloc(1, sizeof *encoder);
    if (encoder)
        encoder->color = (struct av1_color){.primaries = 2, .transfer = 2, .matrix = 2};
    return encoder;
}

static void close_encoder(void *state) {
    aom_stop(state);
    encoder_close(state);
    free(state);
}

const struct codec av1_encoder = {ENGINE_ENCODE, open_encoder, prepare, aom_run, close_encoder};
