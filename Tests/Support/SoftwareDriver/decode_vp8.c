/// VP8 decoding. VA-API omits a frame's first bytes, which are rewritten; the rest is in the slice data.

#include "decode.h"

static void *open_decoder(struct context *context) {
    (void)context;
    return decoder_open("vp8", sizeof(struct decoder));
}

/// The frame tag, and the start code of a key frame (RFC 6386, 9.1). Every frame is shown, so it is output at once.
static void put_frame_tag(struct bytes *stream, const VAPictureParameterBufferVP8 *picture,
                          const VASliceParameterBufferVP8 *slice) {
    bool is_inter = picture->pic_fields.bits.key_frame;
    uint32_t first_partition = slice->partition_size[0] + (slice->macroblock_offset + 7) / 8;
    uint32_t tag = is_inter | picture->pic_fields.bits.version << 1 | 1 << 4 | first_partition << 5;
    uint32_t width = picture->frame_width, height = picture->frame_height;
    const uint8_t header[] = {tag & 255, tag >> 8 & 255, tag >> 16 & 255, 0x9d, 0x01, 0x2a,
                              width & 255, width >> 8 & 63, height & 255, height >> 8 & 63};
    append(stream, header, is_inter ? 3 : sizeof header);
}

static VAStatus add_frame(struct context *context, const VAPictureParameterBufferVP8 *picture, struct bytes *stream) {
    struct driver *driver = context->driver;
    struct buffer *buffer = picture_buffer(context, VASliceParameterBufferType, 0, sizeof(VASliceParameterBufferVP8));
    if (!buffer || buffer->count != 1 || picture_buffer(context, VASliceParameterBufferType, 1, 0))
        return refuse(driver, VA_STATUS_ERROR_INVALID_PARAMETER, "a frame has one slice");
    const VASliceParameterBufferVP8 *slice = (const void *)buffer->data;
    size_t size, partitions = (slice->macroblock_offset + 7) / 8;
    const uint8_t *data = slice_data(context, 0, slice, &size);
    for (int index = 0; index < slice->num_of_partitions && index < 9; index++)
        partitions += slice->partition_size[index];
    if (!data || partitions > size)
        return refuse(driver, VA_STATUS_ERROR_INVALID_PARAMETER, "slice parameters leave the slice data");
    put_frame_tag(stream, picture, slice);
    append(stream, data, size);
    return VA_STATUS_SUCCESS;
}

static VAStatus prepare(struct context *context, struct job *job) {
    struct buffer *buffer = picture_buffer(context, VAPictureParameterBufferType, 0,
                                           sizeof(VAPictureParameterBufferVP8));
    if (!buffer)
        return refuse(context->driver, VA_STATUS_ERROR_INVALID_BUFFER, "no picture parameters");
    const VAPictureParameterBufferVP8 *picture = (const void *)buffer->data;
    const VASurfaceID references[] = {picture->last_ref_frame, picture->golden_ref_frame, picture->alt_ref_frame};
    struct decode_job *decode = begin_decode_job(context, job, (int)picture->frame_width, (int)picture->frame_height);
    if (!decode)
        return VA_STATUS_ERROR_ALLOCATION_FAILED;
    VAStatus status = VA_STATUS_SUCCESS;
    for (int index = 0; index < 3 && picture->pic_fields.bits.key_frame && status == VA_STATUS_SUCCESS; index++)
        status = use_reference(context, references[index], "reference frame", job);
    return status ? status : add_frame(context, picture, &decode->stream);
}

const struct codec vp8_decoder = {ENGINE_DECODE, open_decoder, prepare, decoder_run, decoder_close};
