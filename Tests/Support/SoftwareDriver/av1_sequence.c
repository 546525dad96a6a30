#include <stdlib.h>

#include "av1.h"

enum { OBU_SEQUENCE_HEADER = 1, OBU_FRAME = 6, MAX_SIDE = 16384 };

static void put_leb128(struct bytes *stream, size_t value) {
    do {
        uint8_t byte = (uint8_t)(value & 127) | (value > 127 ? 128 : 0);
        append(stream, &byte, 1);
        value >>= 7;
    } while (value);
}

static void append_obu(struct bytes *stream, int type, size_t size) {
    append(stream, &(uint8_t){(uint8_t)(type << 3 | 1 << 1)}, 1);
    put_leb128(stream, size);
}

void av1_append_frame_obu(struct bytes *stream, size_t size) {
    append_obu(stream, OBU_FRAME, size);
}

/// 5.5.2, profile 0.
static void put_color_config(struct writer *writer, const VADecPictureParameterBufferAV1 *picture) {
    put(writer, 1, picture->bit_depth_idx);
    put(writer, 1, 0);  // mono_chrome
    put(writer, 1, 0);  // color_description_present_flag
    put(writer, 1, picture->seq_info_fields.fields.color_range);
    put(writer, 2, 0);  // chroma_sample_position
    put(writer, 1, 1);  // separate_uv_delta_q
}

/// The order hints, and the tools that require them.
static void put_order_hint_tools(struct writer *writer, const VADecPictureParameterBufferAV1 *picture) {
    put(writer, 1, picture->seq_info_fields.fields.enable_order_hint);
    if (picture->seq_info_fields.fields.enable_order_hint) {
        put(writer, 1, picture->seq_info_fields.fields.enable_jnt_comp);
        put(writer, 1, 1);  // enable_ref_frame_mvs
    }
    put(writer, 1, 1);  // seq_choose_screen_content_tools
    put(writer, 1, 1);  // seq_choose_integer_mv
    if (picture->seq_info_fields.fields.enable_order_hint)
        put(writer, 3, picture->order_hint_bits_minus_1);
}

/// Fields that VA-API lacks allow everything, so that each frame's header decides: superres, restoration, warped
/// motion, film grain, and any size.
void av1_write_sequence(struct bytes *stream, const VADecPictureParameterBufferAV1 *picture) {
    struct writer writer = {0};
    put(&writer, 3, picture->profile);
    put(&writer, 4, 0);  // no still picture, no reduced header, no timing, no display delay
    put(&writer, 5, 0);  // operating_points_cnt_minus_1
    put(&writer, 12, 0);
    put(&writer, 5, 31);  // seq_level_idx: no limits
    put(&writer, 1, 0);
    put(&writer, 8, 0xff);  // 16 bits for width and height
    put(&writer, 16, MAX_SIDE - 1);
    put(&writer, 16, MAX_SIDE - 1);
    put(&writer, 1, 0);  // frame_id_numbers_present_flag
    put(&writer, 1, picture->seq_info_fields.fields.use_128x128_superblock);
    put(&writer, 1, picture->seq_info_fields.fields.enable_filter_intra);
    put(&writer, 1, picture->seq_info_fields.fields.enable_intra_edge_filter);
    put(&writer, 1, picture->seq_info_fields.fields.enable_interintra_compound);
    put(&writer, 1, picture->seq_info_fields.fields.enable_masked_compound);
    put(&writer, 1, 1);  // enable_warped_motion
    put(&writer, 1, picture->seq_info_fields.fields.enable_dual_filter);
    put_order_hint_tools(&writer, picture);
    put(&writer, 1, 1);  // enable_superres
    put(&writer, 1, picture->seq_info_fields.fields.enable_cdef);
    put(&writer, 1, 1);  // enable_restoration
    put_color_config(&writer, picture);
    put(&writer, 1, 1);  // film_grain_params_present
    put_trailing(&writer);
    append_obu(stream, OBU_SEQUENCE_HEADER, writer.bytes.size);
    append(stream, writer.bytes.data, writer.bytes.size);
    free(writer.bytes.data);
}
