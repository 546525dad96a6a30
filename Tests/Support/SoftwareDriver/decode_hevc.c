/// HEVC decoding. VA-API lacks the SPS's reference picture sets, so the slices' headers cannot be used: each is
/// rewritten with an explicit set before the slice's data.

#include <stdlib.h>
#include <string.h>

#include "decode.h"
#include "decode_hevc.h"

static void *open_decoder(struct context *context) {
    (void)context;
    return decoder_open("hevc", sizeof(struct decoder));
}

/// Compares the part of the slice header that needs no parameter sets.
static const char *contradiction(const VASliceParameterBufferHEVC *slice, const struct bytes *rbsp,
                                 const VAPictureParameterBufferHEVC *picture) {
    struct reader reader = {.data = rbsp->data, .size = rbsp->size};
    get(&reader, 1);
    int nal_unit_type = (int)get(&reader, 6);
    get(&reader, 9);
    if (hevc_is_irap(nal_unit_type) != picture->slice_parsing_fields.bits.RapPicFlag)
        return "RapPicFlag";
    if (hevc_is_idr(nal_unit_type) != picture->slice_parsing_fields.bits.IdrPicFlag)
        return "IdrPicFlag";
    if (get(&reader, 1) != (slice->slice_segment_address == 0))
        return "slice_segment_address";
    if (slice->slice_segment_address != 0 || slice->LongSliceFlags.fields.dependent_slice_segment_flag)
        return NULL;
    if (hevc_is_irap(nal_unit_type))
        get(&reader, 1);
    get_ue(&reader);
    get(&reader, picture->num_extra_slice_header_bits);
    return get_ue(&reader) != slice->LongSliceFlags.fields.slice_type ? "slice_type" : NULL;
}

static VAStatus add_slice(struct context *context, int number, const VASliceParameterBufferHEVC *slice,
                          const struct hevc_picture *picture, struct bytes *stream) {
    struct driver *driver = context->driver;
    size_t size;
    const uint8_t *nal = slice_data(context, number, slice, &size);
    if (!nal)
        return refuse(driver, VA_STATUS_ERROR_INVALID_PARAMETER, "slice parameters leave the slice data");
    struct bytes rbsp = unescape(nal, size);
    const char *wrong = contradiction(slice, &rbsp, picture->parameters);
    if (!wrong && slice->slice_data_byte_offset >= rbsp.size)
        wrong = "slice_data_byte_offset";
    struct writer writer = {0};
    VAStatus status = VA_STATUS_SUCCESS;
    if (wrong)
        status = refuse(driver, VA_STATUS_ERROR_INVALID_PARAMETER, "%s contradicts the slice header", wrong);
    else if (!hevc_put_header(&writer, picture, slice))
        status = refuse(driver, VA_STATUS_ERROR_INVALID_PARAMETER, "RefPicList names what the picture may not use");
    else {
        append(&writer.bytes, rbsp.data + slice->slice_data_byte_offset, rbsp.size - slice->slice_data_byte_offset);
        append_nal(stream, writer.bytes.data, writer.bytes.size);
    }
    free(writer.bytes.data);
    free(rbsp.data);
    return status;
}

static VAStatus add_slices(struct context *context, const struct hevc_picture *picture, struct bytes *stream) {
    struct buffer *buffer;
    int number = 0;
    for (; (buffer = picture_buffer(context, VASliceParameterBufferType, number, sizeof(VASliceParameterBufferHEVC)));
         number++)
        for (unsigned element = 0; element < buffer->count; element++) {
            VASliceParameterBufferHEVC slice;
            memcpy(&slice, buffer->data + element * buffer->element_size, sizeof slice);
            VAStatus status = add_slice(context, number, &slice, picture, stream);
            if (status != VA_STATUS_SUCCESS)
                return status;
        }
    return number ? VA_STATUS_SUCCESS
                  : refuse(context->driver, VA_STATUS_ERROR_INVALID_PARAMETER, "a picture without slices");
}

static VAStatus use_surfaces(struct context *context, const VAPictureParameterBufferHEVC *picture, struct job *job) {
    if (picture->CurrPic.picture_id != context->target->object.id)
        return refuse(context->driver, VA_STATUS_ERROR_INVALID_PARAMETER, "CurrPic is not the picture's target");
    if (picture->bit_depth_luma_minus8 + 8 != context->target->format->depth)
        return refuse(context->driver, VA_STATUS_ERROR_INVALID_SURFACE, "%d bits do not fit the surface",
                      picture->bit_depth_luma_minus8 + 8);
    VAStatus status = VA_STATUS_SUCCESS;
    for (int index = 0; index < 15 && status == VA_STATUS_SUCCESS; index++)
        if (hevc_is_present(&picture->ReferenceFrames[index]))
            status = use_reference(context, picture->ReferenceFrames[index].picture_id, "ReferenceFrames", job);
    return status;
}

static VAStatus prepare(struct context *context, struct job *job) {
    struct driver *driver = context->driver;
    struct buffer *buffer = picture_buffer(context, VAPictureParameterBufferType, 0,
                                           sizeof(VAPictureParameterBufferHEVC));
    struct buffer *matrix = picture_buffer(context, VAIQMatrixBufferType, 0, sizeof(VAIQMatrixBufferHEVC));
    if (!buffer)
        return refuse(driver, VA_STATUS_ERROR_INVALID_BUFFER, "no picture parameters");
    const VAPictureParameterBufferHEVC *parameters = (const void *)buffer->data;
    struct hevc_scaling scaling = matrix ? hevc_decoder_scaling((const void *)matrix->data) : (struct hevc_scaling){0};
    struct hevc_picture picture = {
        .parameters = parameters,
        .sps = hevc_decoder_sps(parameters),
        .pps = hevc_decoder_pps(parameters, matrix ? &scaling : NULL),
        .references = hevc_references_of(parameters),
    };
    bool begins = parameters->slice_parsing_fields.bits.RapPicFlag && !picture.references.any;
    picture.nal_unit_type = begins ? HEVC_CRA : HEVC_TRAIL_R;
    struct decode_job *decode = begin_decode_job(context, job, picture.sps.width, picture.sps.height);
    if (!decode)
        return VA_STATUS_ERROR_ALLOCATION_FAILED;
    decode->flush = begins;
    VAStatus status = use_surfaces(context, parameters, job);
    if (status != VA_STATUS_SUCCESS)
        return status;
    hevc_write_vps(&decode->stream, &picture.sps);
    hevc_write_sps(&decode->stream, &picture.sps);
    hevc_write_pps(&decode->stream, &picture.sps, &picture.pps);
    return add_slices(context, &picture, &decode->stream);
}

const struct codec hevc_decoder = {ENGINE_DECODE, open_decoder, prepare, decoder_run, decoder_close};
