/// AV1 decoding with libdav1d. VA-API lacks refresh_frame_flags: only the next picture's list shows which pictures
/// stay. So each picture goes into a slot of dav1d that is not in the current list. If all eight are in use, the
/// picture is decoded into none, and again before the next picture if that one's list has it.

#include <stdlib.h>
#include <string.h>

#include "av1.h"
#include "decode.h"

enum { MAX_WAITING = 4 };

/// A decoded picture without a slot.
struct waiting {
    struct av1_reference reference;
    struct bytes stream;
    size_t refresh;  // the bit at which its refresh_frame_flags begin
};

struct av1_decoder {
    struct decoder common;
    // These belong to `prepare`.
    struct av1_reference slots[AV1_SLOT_COUNT];
    struct waiting waiting[MAX_WAITING];
    int waiting_count;
};

/// The frames for dav1d in order: those that get a slot only now, which are not stored; the picture with film grain,
/// if any; the picture.
struct av1_job {
    struct decode_job steps[MAX_WAITING + 2];
    int count;
    struct surface *frame, *display;
};

static const struct av1_reference nothing = {.surface = VA_INVALID_SURFACE};

static void forget_waiting(struct av1_decoder *decoder) {
    while (decoder->waiting_count > 0)
        free(decoder->waiting[--decoder->waiting_count].stream.data);
}

static void *open_decoder(struct context *context) {
    (void)context;
    struct av1_decoder *decoder = decoder_open("libdav1d", sizeof *decoder);
    for (int slot = 0; decoder && slot < AV1_SLOT_COUNT; slot++)
        decoder->slots[slot] = nothing;
    return decoder;
}

static void close_decoder(void *state) {
    forget_waiting(state);
    decoder_close(state);
}

/// The first slot with this surface; -1: none.
static int slot_of(const struct av1_decoder *decoder, VASurfaceID surface) {
    for (int slot = 0; slot < AV1_SLOT_COUNT; slot++)
        if (decoder->slots[slot].surface == surface)
            return slot;
    return -1;
}

static bool is_surface(VASurfaceID id) {
    return id != 0 && id != VA_INVALID_SURFACE;
}

/// A hidden key frame has no list.
static bool has_list(const VADecPictureParameterBufferAV1 *picture) {
    for (int index = 0; index < AV1_SLOT_COUNT; index++)
        if (is_surface(picture->ref_frame_map[index]))
            return true;
    return false;
}

static bool is_listed(const VADecPictureParameterBufferAV1 *picture, VASurfaceID surface) {
    for (int index = 0; index < AV1_SLOT_COUNT; index++)
        if (is_surface(surface) && picture->ref_frame_map[index] == surface)
            return true;
    return false;
}

/// Surfaces that the application no longer lists, or decodes into, are not referred to again.
static void free_slots(struct av1_decoder *decoder, const VADecPictureParameterBufferAV1 *picture) {
    bool listed = has_list(picture);
    for (int index = 0; index < decoder->waiting_count; index++)
        if (decoder->waiting[index].reference.surface == picture->current_frame)
            decoder->waiting[index].reference = nothing;
    for (int slot = 0; slot < AV1_SLOT_COUNT; slot++) {
        VASurfaceID surface = decoder->slots[slot].surface;
        if (surface == picture->current_frame || slot_of(decoder, surface) < slot
            || (listed && !is_listed(picture, surface)))
            decoder->slots[slot] = nothing;
    }
}

static void set_byte(struct bytes *stream, size_t bit, unsigned value) {
    for (int index = 0; index < 8; index++, bit++) {
        uint8_t mask = (uint8_t)(128 >> bit % 8);
        stream->data[bit / 8] = (uint8_t)((stream->data[bit / 8] & ~mask) | (value >> (7 - index) & 1 ? mask : 0));
    }
}

static struct bytes *add_step(struct av1_job *av1, const VADecPictureParameterBufferAV1 *picture,
                              struct surface *target) {
    struct decode_job *step = &av1->steps[av1->count++];
    *step = (struct decode_job){
        .target = target, .width = picture->frame_width_minus1 + 1, .height = picture->frame_height_minus1 + 1};
    av1_write_sequence(&step->stream, picture);
    return &step->stream;
}

/// Listed pictures without a slot are decoded again into one.
static void settle(struct av1_decoder *decoder, const VADecPictureParameterBufferAV1 *picture, struct av1_job *av1) {
    if (!has_list(picture))
        return;
    for (int index = 0; index < decoder->waiting_count; index++) {
        struct waiting *waiting = &decoder->waiting[index];
        int slot = slot_of(decoder, VA_INVALID_SURFACE);
        if (slot < 0 || !is_listed(picture, waiting->reference.surface))
            continue;
        set_byte(&waiting->stream, waiting->refresh, 1u << slot);
        append(add_step(av1, picture, NULL), waiting->stream.data, waiting->stream.size);
        decoder->slots[slot] = waiting->reference;
    }
    forget_waiting(decoder);
}

static VAStatus check_supported(struct context *context, const VADecPictureParameterBufferAV1 *picture) {
    bool is_420 = picture->seq_info_fields.fields.subsampling_x && picture->seq_info_fields.fields.subsampling_y;
    const char *what = picture->profile != 0 || !is_420                                  ? "this profile"
                       : picture->tile_cols == 0 || picture->tile_rows == 0              ? "no tiles"
                       : picture->seq_info_fields.fields.mono_chrome                     ? "monochrome"
                       : picture->pic_info_fields.bits.large_scale_tile                  ? "large scale tiles"
                       : picture->tile_cols > 64 || picture->tile_rows > 64              ? "too many tiles"
                       : picture->frame_width_minus1 + 1 > context->width
                                 || picture->frame_height_minus1 + 1 > context->height   ? "a size above the context's"
                       : picture->bit_depth_idx > 1
                                 || picture->bit_depth_idx * 2 + 8 != context->target->format->depth
                           ? "this bit depth with this surface"
                           : NULL;
    return what ? refuse(context->driver, VA_STATUS_ERROR_INVALID_PARAMETER, "AV1: %s: not supported", what)
                : VA_STATUS_SUCCESS;
}

static bool is_known(const struct av1_decoder *decoder, VASurfaceID surface) {
    bool found = slot_of(decoder, surface) >= 0;
    for (int index = 0; index < decoder->waiting_count; index++)
        found |= decoder->waiting[index].reference.surface == surface;
    return found;
}

static VAStatus use_references(struct context *context, const VADecPictureParameterBufferAV1 *picture,
                               struct job *job) {
    VAStatus status = VA_STATUS_SUCCESS;
    bool is_intra = av1_is_intra((int)picture->pic_info_fields.bits.frame_type);
    for (int index = 0; index < AV1_REFERENCE_COUNT && !is_intra && status == VA_STATUS_SUCCESS; index++) {
        VASurfaceID surface = picture->ref_frame_map[picture->ref_frame_idx[index] & 7];
        status = use_reference(context, surface, "ref_frame_map", job);
        if (status == VA_STATUS_SUCCESS && !is_known(context->state, surface))
            status = refuse(context->driver, VA_STATUS_ERROR_DECODING_ERROR,
                            "surface %#x holds no picture of this context", surface);
    }
    return status;
}

/// vaBeginPicture names the surface without film grain, or the application shows it unchanged.
static VAStatus use_surfaces(struct context *context, const VADecPictureParameterBufferAV1 *picture, struct job *job) {
    struct driver *driver = context->driver;
    struct av1_job *av1 = job->payload;
    bool has_grain = picture->film_grain_info.film_grain_info_fields.bits.apply_grain;
    struct surface *frame = find_surface(driver, picture->current_frame);
    struct surface *display = has_grain ? find_surface(driver, picture->current_display_picture) : frame;
    if (!frame || !display)
        return refuse(driver, VA_STATUS_ERROR_INVALID_SURFACE, "no current_frame or current_display_picture");
    if (frame != context->target && display != context->target)
        return refuse(driver, VA_STATUS_ERROR_INVALID_PARAMETER, "current_frame is not the picture's target");
    if (frame->format != display->format)
        return refuse(driver, VA_STATUS_ERROR_INVALID_SURFACE, "current_display_picture has another format");
    av1->frame = frame;
    av1->display = display;
    job_use(job, frame, true);
    job_use(job, display, true);
    return use_references(context, picture, job);
}

/// Each tile once, in any order.
static VAStatus collect_tiles(struct context *context, const VADecPictureParameterBufferAV1 *picture,
                              struct av1_tile *tiles) {
    struct driver *driver = context->driver;
    struct buffer *buffer;
    int count = picture->tile_cols * picture->tile_rows, found = 0;
    for (int number = 0; (buffer = picture_buffer(context, VASliceParameterBufferType, number,
                                                  sizeof(VASliceParameterBufferAV1))); number++)
        for (unsigned element = 0; element < buffer->count; element++) {
            VASliceParameterBufferAV1 slice;
            memcpy(&slice, buffer->data + element * buffer->element_size, sizeof slice);
            int index = slice.tile_row * picture->tile_cols + slice.tile_column;
            if (slice.tile_column >= picture->tile_cols || slice.tile_row >= picture->tile_rows || tiles[index].data)
                return refuse(driver, VA_STATUS_ERROR_INVALID_PARAMETER, "tile %u,%u is there twice, or outside",
                              slice.tile_column, slice.tile_row);
            tiles[index].data = slice_data(context, number, &slice, &tiles[index].size);
            if (!tiles[index].data)
                return refuse(driver, VA_STATUS_ERROR_INVALID_PARAMETER, "slice parameters leave the slice data");
            found++;
        }
    return found == count ? VA_STATUS_SUCCESS
                          : refuse(driver, VA_STATUS_ERROR_INVALID_PARAMETER, "%d tiles of %d", found, count);
}

/// Records the picture's place: a slot, all slots, or none yet.
static void keep_reference(struct av1_decoder *decoder, const struct av1_frame *frame, int slot,
                           const struct bytes *stream, size_t start, size_t refresh) {
    struct av1_reference reference = {.surface = frame->picture->current_frame,
                                      .order_hint = frame->picture->order_hint};
    av1_copy_motion(frame->picture, reference.motion);
    for (int index = 0; index < AV1_SLOT_COUNT; index++)
        if (index == slot || av1_replaces_all(frame->picture))
            decoder->slots[index] = reference;
    if (slot >= 0 || av1_replaces_all(frame->picture) || decoder->waiting_count == MAX_WAITING)
        return;
    struct waiting *waiting = &decoder->waiting[decoder->waiting_count++];
    *waiting = (struct waiting){.reference = reference, .refresh = refresh - start * 8};
    append(&waiting->stream, stream->data + start, stream->size - start);
}

/// A hidden key frame is written as an intra-only frame, which can be shown without replacing all slots.
static struct av1_frame frame_of(const VADecPictureParameterBufferAV1 *picture, const struct av1_tile *tiles,
                                 const struct av1_decoder *decoder) {
    struct av1_frame frame = {.picture = picture, .tiles = tiles, .slots = decoder->slots};
    frame.type = (int)picture->pic_info_fields.bits.frame_type;
    if (frame.type == AV1_KEY_FRAME && !picture->pic_info_fields.bits.show_frame)
        frame.type = AV1_INTRA_ONLY_FRAME;
    for (int index = 0; index < AV1_REFERENCE_COUNT && !av1_is_intra(frame.type); index++)
        frame.reference_slots[index] = slot_of(decoder, picture->ref_frame_map[picture->ref_frame_idx[index] & 7]);
    return frame;
}

static void write_steps(struct av1_decoder *decoder, const VADecPictureParameterBufferAV1 *picture,
                        const struct av1_tile *tiles, struct av1_job *av1) {
    if (av1_replaces_all(picture))
        forget_waiting(decoder);
    free_slots(decoder, picture);
    settle(decoder, picture, av1);
    struct av1_frame frame = frame_of(picture, tiles, decoder);
    frame.applies_grain = picture->film_grain_info.film_grain_info_fields.bits.apply_grain;
    // Before the picture itself, which may take the slot of one of its references.
    if (frame.applies_grain)
        av1_write_frame(add_step(av1, picture, av1->display), &frame);
    frame.applies_grain = false;
    int slot = av1_replaces_all(picture) ? -1 : slot_of(decoder, VA_INVALID_SURFACE);
    frame.refresh = slot < 0 ? 0 : 1u << slot;
    struct bytes *stream = add_step(av1, picture, av1->frame);
    size_t start = stream->size, refresh = av1_write_frame(stream, &frame);
    keep_reference(decoder, &frame, slot, stream, start, refresh);
    av1->steps[0].flush = av1_replaces_all(picture) && !has_list(picture);
}

static void av1_job_free(void *payload) {
    struct av1_job *av1 = payload;
    for (int index = 0; index < av1->count; index++)
        free(av1->steps[index].stream.data);
    free(av1);
}

static VAStatus prepare(struct context *context, struct job *job) {
    struct buffer *buffer = picture_buffer(context, VAPictureParameterBufferType, 0,
                                           sizeof(VADecPictureParameterBufferAV1));
    if (!buffer)
        return refuse(context->driver, VA_STATUS_ERROR_INVALID_BUFFER, "no picture parameters");
    const VADecPictureParameterBufferAV1 *picture = (const void *)buffer->data;
    struct av1_job *av1 = calloc(1, sizeof *av1);
    struct av1_tile *tiles = calloc((size_t)picture->tile_cols * picture->tile_rows + 1, sizeof *tiles);
    job->payload = av1;
    job->free_payload = av1_job_free;
    VAStatus status = av1 && tiles ? check_supported(context, picture) : VA_STATUS_ERROR_ALLOCATION_FAILED;
    if (status == VA_STATUS_SUCCESS)
        status = use_surfaces(context, picture, job);
    if (status == VA_STATUS_SUCCESS)
        status = collect_tiles(context, picture, tiles);
    if (status == VA_STATUS_SUCCESS)
        write_steps(context->state, picture, tiles, av1);
    free(tiles);
    return status;
}

/// Every frame is shown, so it is output at once.
static VAStatus run(struct context *context, struct job *job) {
    const struct av1_job *av1 = job->payload;
    struct decoder *decoder = context->state;
    VAStatus status = VA_STATUS_SUCCESS;
    for (const struct decode_job *step = av1->steps; step < av1->steps + av1->count; step++) {
        if (!decoder_feed(decoder, step) || decoder->put_out->pts != decoder->count)
            return VA_STATUS_ERROR_DECODING_ERROR;
        if (step->target && status == VA_STATUS_SUCCESS)
            status = store_picture(step, decoder->put_out);
    }
    return status;
}

const struct codec av1_decoder = {ENGINE_DECODE, open_decoder, prepare, run, close_decoder};
