/// JPEG decoding: baseline, 4:2:0, one scan. The segments are rewritten from VA-API's parameters (ITU-T T.81, B.2).

#include "decode.h"

enum { SOF0 = 0xc0, DHT = 0xc4, SOI = 0xd8, EOI = 0xd9, SOS = 0xda, DQT = 0xdb, DRI = 0xdd };

/// A picture's buffers.
struct scan {
    const VAPictureParameterBufferJPEGBaseline *picture;
    const VAIQMatrixBufferJPEGBaseline *matrix;
    const VAHuffmanTableBufferJPEGBaseline *tables;
    const VASliceParameterBufferJPEGBaseline *slice;
};

static void *open_decoder(struct context *context) {
    (void)context;
    return decoder_open("mjpeg", sizeof(struct decoder));
}

static void put_byte(struct bytes *stream, unsigned value) {
    append(stream, &(uint8_t){(uint8_t)value}, 1);
}

static void put_word(struct bytes *stream, unsigned value) {
    put_byte(stream, value >> 8);
    put_byte(stream, value & 255);
}

/// The marker and the length of a segment with this many bytes of parameters.
static void put_segment(struct bytes *stream, unsigned marker, size_t size) {
    put_word(stream, 0xff00 | marker);
    put_word(stream, (unsigned)size + 2);
}

static void put_quantization(struct bytes *stream, const VAIQMatrixBufferJPEGBaseline *matrix) {
    for (unsigned index = 0; index < 4; index++)
        if (matrix->load_quantiser_table[index]) {
            put_segment(stream, DQT, 65);
            put_byte(stream, index);
            append(stream, matrix->quantiser_table[index], 64);
        }
}

/// `place` is the table's class (0: DC, 1: AC) and index.
static void put_huffman_table(struct bytes *stream, unsigned place, const uint8_t counts[16], const uint8_t *values,
                              size_t room) {
    size_t count = 0;
    for (int length = 0; length < 16; length++)
        count += counts[length];
    count = count < room ? count : room;
    put_segment(stream, DHT, 17 + count);
    put_byte(stream, place);
    append(stream, counts, 16);
    append(stream, values, count);
}

static void put_huffman(struct bytes *stream, const VAHuffmanTableBufferJPEGBaseline *tables) {
    for (unsigned index = 0; index < 2; index++)
        if (tables->load_huffman_table[index]) {
            put_huffman_table(stream, index, tables->huffman_table[index].num_dc_codes,
                              tables->huffman_table[index].dc_values, 12);
            put_huffman_table(stream, 0x10 | index, tables->huffman_table[index].num_ac_codes,
                              tables->huffman_table[index].ac_values, 162);
        }
}

static void put_frame(struct bytes *stream, const VAPictureParameterBufferJPEGBaseline *picture) {
    put_segment(stream, SOF0, 6 + 3 * (size_t)picture->num_components);
    put_byte(stream, 8);
    put_word(stream, picture->picture_height);
    put_word(stream, picture->picture_width);
    put_byte(stream, picture->num_components);
    for (int index = 0; index < picture->num_components; index++) {
        put_byte(stream, picture->components[index].component_id);
        put_byte(stream, picture->components[index].h_sampling_factor << 4
                             | picture->components[index].v_sampling_factor);
        put_byte(stream, picture->components[index].quantiser_table_selector);
    }
}

static void put_scan(struct bytes *stream, const VASliceParameterBufferJPEGBaseline *slice) {
    put_segment(stream, DRI, 2);
    put_word(stream, slice->restart_interval);
    put_segment(stream, SOS, 4 + 2 * (size_t)slice->num_components);
    put_byte(stream, slice->num_components);
    for (int index = 0; index < slice->num_components; index++) {
        put_byte(stream, slice->components[index].component_selector);
        put_byte(stream, slice->components[index].dc_table_selector << 4 | slice->components[index].ac_table_selector);
    }
    append(stream, (const uint8_t[]){0, 63, 0}, 3);
}

static bool is_420(const VAPictureParameterBufferJPEGBaseline *picture) {
    bool fits = picture->num_components == 3;
    for (int index = 0; index < 3; index++)
        fits &= picture->components[index].h_sampling_factor == (index ? 1 : 2)
                && picture->components[index].v_sampling_factor == (index ? 1 : 2);
    return fits;
}

static VAStatus find_scan(struct context *context, struct scan *scan) {
    struct buffer *picture = picture_buffer(context, VAPictureParameterBufferType, 0, sizeof *scan->picture);
    struct buffer *matrix = picture_buffer(context, VAIQMatrixBufferType, 0, sizeof *scan->matrix);
    struct buffer *tables = picture_buffer(context, VAHuffmanTableBufferType, 0, sizeof *scan->tables);
    struct buffer *slice = picture_buffer(context, VASliceParameterBufferType, 0, sizeof *scan->slice);
    struct driver *driver = context->driver;
    if (!picture || !matrix || !tables || !slice)
        return refuse(driver, VA_STATUS_ERROR_INVALID_BUFFER, "no picture, matrix, Huffman or slice parameters");
    *scan = (struct scan){(const void *)picture->data, (const void *)matrix->data, (const void *)tables->data,
                          (const void *)slice->data};
    if (!is_420(scan->picture))
        return refuse(driver, VA_STATUS_ERROR_UNSUPPORTED_RT_FORMAT, "JPEG other than 4:2:0");
    if (scan->slice->num_components != 3)
        return refuse(driver, VA_STATUS_ERROR_INVALID_PARAMETER, "a scan of %d components",
                      scan->slice->num_components);
    return VA_STATUS_SUCCESS;
}

static VAStatus prepare(struct context *context, struct job *job) {
    struct scan scan = {0};
    VAStatus status = find_scan(context, &scan);
    if (status != VA_STATUS_SUCCESS)
        return status;
    struct decode_job *decode = begin_decode_job(context, job, (int)scan.picture->picture_width,
                                                 (int)scan.picture->picture_height);
    if (!decode)
        return VA_STATUS_ERROR_ALLOCATION_FAILED;
    size_t size;
    const uint8_t *data = slice_data(context, 0, scan.slice, &size);
    if (!data)
        return refuse(context->driver, VA_STATUS_ERROR_INVALID_PARAMETER, "slice parameters leave the slice data");
    put_word(&decode->stream, 0xff00 | SOI);
    put_quantization(&decode->stream, scan.matrix);
    put_frame(&decode->stream, scan.picture);
    put_huffman(&decode->stream, scan.tables);
    put_scan(&decode->stream, scan.slice);
    append(&decode->stream, data, size);
    put_word(&decode->stream, 0xff00 | EOI);
    return VA_STATUS_SUCCESS;
}

const struct codec jpeg_decoder = {ENGINE_DECODE, open_decoder, prepare, decoder_run, decoder_close};
