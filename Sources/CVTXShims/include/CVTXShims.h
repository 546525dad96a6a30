// What Swift cannot write of FFmpeg's C interface: macros, va_list, and the places where FFmpeg 5.1 and 7.1
// differ. Nothing here decides anything.
#ifndef CVTX_SHIMS_H
#define CVTX_SHIMS_H

#include "../../CFFmpeg/CFFmpeg.h"

// Macros.
extern const int64_t vtx_no_timestamp;
extern const int vtx_error_again;
extern const int vtx_error_end_of_file;
extern const int vtx_error_invalid_data;
extern const int vtx_error_decoder_not_found;
extern const int vtx_error_encoder_not_found;
extern const int vtx_error_filter_not_found;
extern const int vtx_error_patch_welcome;
extern const int vtx_error_external;
int vtx_error_from_errno(int error);

// The log: one formatted line at a time, without its newline. `level` is one of AV_LOG_*.
typedef void (*vtx_log_sink)(int level, const char *component, const char *line);
void vtx_log_redirect(vtx_log_sink sink);
// Decoders' events need the log's callback; where nothing is redirected, messages go on to standard error.
void vtx_log_observe(void);
// What this thread says of `level` and worse goes to `text` as well, whatever the log's level, until NULL is given.
void vtx_log_collect(char *text, size_t capacity, int level);
// Counts the error messages of `object` on this thread from now on; NULL counts none. Returns the count until now.
int vtx_log_count_errors(const void *object);
// What this thread says beyond `level` is dropped; INT_MAX drops nothing.
void vtx_log_limit(int level);

// Decoders: what happens inside of libavcodec while it works on a packet. The event comes on the thread that works on it,
// with `AVCodecContext.opaque` as it was when the packet was sent: each frame thread has a copy of it.
enum vtx_decoder_event {
    VTX_DECODER_ALLOCATES, // memory of a picture; `status` is what get_buffer2 returns
    VTX_DECODER_FAILS,     // an error message
    VTX_DECODER_MISSES_REFERENCE, // an error message about a picture that is referred to
    VTX_DECODER_CONCEALS,  // a part of the picture is guessed
};
typedef void (*vtx_decoder_observer)(void *opaque, enum vtx_decoder_event event, int status);
// Before the context is opened. There is one observer for all decoders.
void vtx_decoder_observe(AVCodecContext *context, vtx_decoder_observer observe);

// The number of the packet that a frame was made of: set before the packet is sent, 0 where it is not known,
// and once it was taken.
// (FFmpeg 6 replaces reordered_opaque by AV_CODEC_FLAG_COPY_OPAQUE.)
void vtx_decoder_set_packet_number(AVCodecContext *context, AVPacket *packet, int64_t number);
int64_t vtx_frame_take_packet_number(AVFrame *frame);

// Frames: interlacing and duration moved to new fields in FFmpeg 6.
int vtx_frame_is_interlaced(const AVFrame *frame);
int vtx_frame_is_bottom_field_first(const AVFrame *frame);
void vtx_frame_set_progressive(AVFrame *frame);
int64_t vtx_frame_duration(const AVFrame *frame);
void vtx_frame_set_duration(AVFrame *frame, int64_t duration);

// Stream side data moved from AVStream to AVCodecParameters in FFmpeg 6.1.
const uint8_t *vtx_stream_side_data(const AVStream *stream, enum AVPacketSideDataType type, size_t *size);
uint8_t *vtx_stream_add_side_data(AVStream *stream, enum AVPacketSideDataType type, size_t size);
int vtx_stream_copy_side_data(AVStream *to, const AVStream *from);

// FFmpeg 7 says 25 of every elementary stream, whatever its headers say, and counts fields besides.
AVRational vtx_stream_average_frame_rate(const AVFormatContext *file, const AVStream *stream);
AVRational vtx_stream_real_frame_rate(const AVFormatContext *file, const AVStream *stream);

// avcodec_open2, without the real-time priority that SVT-AV1 takes for itself and its caller where root runs it.
int vtx_codec_open(AVCodecContext *context, const AVCodec *codec, AVDictionary **options);

// The pixel formats of an encoder, ended by AV_PIX_FMT_NONE; the sample formats likewise; NULL for "any".
const enum AVPixelFormat *vtx_codec_pixel_formats(const AVCodec *codec);
const enum AVSampleFormat *vtx_codec_sample_formats(const AVCodec *codec);
const int *vtx_codec_sample_rates(const AVCodec *codec);

// libavfilter's functions. The library is loaded at the first use: with what it needs itself, it is a third of the time
// in which a process with libavcodec starts, and most transcodes use no filter. (Swift cannot import such a list.)
#define VTX_FILTER_FUNCTIONS(EACH)                                                                                      \
    EACH(av_buffersink_get_format)                                                                                      \
    EACH(av_buffersink_get_frame)                                                                                       \
    EACH(av_buffersink_get_frame_rate)                                                                                  \
    EACH(av_buffersink_get_h)                                                                                           \
    EACH(av_buffersink_get_sample_aspect_ratio)                                                                         \
    EACH(av_buffersink_get_time_base)                                                                                   \
    EACH(av_buffersink_get_w)                                                                                           \
    EACH(av_buffersink_set_frame_size)                                                                                  \
    EACH(av_buffersrc_add_frame_flags)                                                                                  \
    EACH(av_buffersrc_close)                                                                                            \
    EACH(av_buffersrc_parameters_alloc)                                                                                 \
    EACH(av_buffersrc_parameters_set)                                                                                   \
    EACH(avfilter_get_by_name)                                                                                          \
    EACH(avfilter_graph_alloc)                                                                                          \
    EACH(avfilter_graph_config)                                                                                         \
    EACH(avfilter_graph_create_filter)                                                                                  \
    EACH(avfilter_graph_free)                                                                                           \
    EACH(avfilter_graph_parse_ptr)                                                                                      \
    EACH(avfilter_inout_alloc)                                                                                          \
    EACH(avfilter_inout_free)                                                                                           \
    EACH(avfilter_version)
struct vtx_filter_library {
#define MEMBER(name) __typeof__(&name) name;
    VTX_FILTER_FUNCTIONS(MEMBER)
#undef MEMBER
};
// NULL if libavfilter is not installed.
const struct vtx_filter_library *vtx_filter_library(void);

// A buffer source learns the color space and range only from FFmpeg 7 on; before, frames carry them alone.
void vtx_buffersrc_set_color(AVBufferSrcParameters *parameters, int space, int range);

// A VA-API device that stands on a display of ours; `release(owner)` is called once, when the last surface is gone or
// the device could not be made. (hwcontext_vaapi.h needs libva's types, which Swift must not see here.)
int vtx_vaapi_device(AVBufferRef **device, void *display, void *owner, void (*release)(void *owner));

// Before av_hwframe_ctx_init: frames have this format, whatever surfaces the driver has been asked for so far.
void vtx_vaapi_set_format(AVBufferRef *frames, enum AVPixelFormat format);

// What a driver does to an encoder, and libavcodec drops, or crashes of. The driver's functions are wrapped in the
// display's own table (va_backend.h).
struct vtx_encoder_watch {
    uint32_t coded_status; // VACodedBufferSegment.status, of all pictures
    int lacks_surface;     // there was none for a reconstructed picture: the encoder is of no use any more
};
void vtx_vaapi_watch_driver(void *display);
// This thread is in the encoder from now on, and maps nothing but its coded buffers; NULL when it has left it.
void vtx_watch_encoder(struct vtx_encoder_watch *watch);

// An AVIOContext that reads or writes bytes in order, by the function that is not NULL, and seeks nowhere; NULL without
// memory. (What is written is const from FFmpeg 7.0 on.)
AVIOContext *vtx_byte_stream_context(int size, void *opaque, int (*read)(void *opaque, uint8_t *bytes, int count),
                                     int (*write)(void *opaque, const uint8_t *bytes, int count));

// FFmpeg 5.1 writes Opus's codec delay into Matroska but does not move the packets by it; later versions do.
int vtx_matroska_moves_by_codec_delay(void);

#endif
