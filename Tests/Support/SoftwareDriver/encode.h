/// Shared by the encoders: collecting a picture's buffers, the application's packed headers, the input picture, the
/// coded buffer. x264 and x265 make the slice data, the application the headers. libaom makes both.

#ifndef SOFT_ENCODE_H
#define SOFT_ENCODE_H

#include "bits.h"
#include "context.h"
#include "ratecontrol.h"
#include "spoil.h"

/// The state of vaEndPicture across pictures; sequence and misc parameters come only with IDR pictures.
struct encoder {
    uint8_t sequence[sizeof(VAEncSequenceParameterBufferH264) > sizeof(VAEncSequenceParameterBufferHEVC)
                         ? sizeof(VAEncSequenceParameterBufferH264)
                         : sizeof(VAEncSequenceParameterBufferHEVC)];
    bool has_sequence;
    struct rate_target target;
    VASurfaceID last_reference;  // where the last I or P picture was reconstructed
    // The worker's:
    struct rate_control rate;
    struct bytes last;  // the coded data of the last picture
};

/// The parts of one picture.
struct submission {
    const void *picture, *slice;  // VA's parameter buffers
    struct bytes headers;         // NAL units before the slice
    struct bytes slice_header;    // the packed slice header, without emulation prevention, from the NAL unit header on
    struct buffer *coded;
};

/// A picture for the worker; the codecs' jobs begin with it.
struct encode_job {
    struct surface *input;
    struct bytes headers;
    struct bytes slice_header;
    char type;  // 'I', 'P' or 'B'
    int qp;     // of constant QP
    struct rate_target target;
    bool small;  // pretend that the coded buffer is too small
    struct spoil spoil;
};

/// A slice's NAL unit without emulation prevention.
struct slice_unit {
    struct writer writer;
    size_t data;  // the first byte after the header
};

/// Reads the collected buffers. `coded_of` finds `coded_id`, which is in the codec's parameters.
VAStatus collect(struct context *context, struct encoder *encoder, size_t sequence_size, size_t picture_size,
                 size_t slice_size, struct submission *submission);

/// Passes the picture's parts to the codec's job. `status` is their result.
void begin_encode_job(struct context *context, struct job *job, const struct encoder *encoder,
                      const struct submission *submission, VAStatus status);

/// The coded buffer of this id, checked; the job keeps it.
VAStatus use_coded_buffer(struct context *context, VABufferID id, struct job *job);

/// The surface that a parameter names, for reading or writing.
VAStatus use_named_surface(struct context *context, VASurfaceID id, bool writes, struct job *job);

/// Planar 4:2:0 of the coded size; padding repeats the surface's edge. Free `data[0]`.
struct planar {
    uint8_t *data[3];
    int pitch[3];
};
struct planar read_input(const struct encode_job *encode, int width, int height);

/// A picture of noise, which predicts no other. Free `data[0]`.
struct planar make_noise(int width, int height, int depth);

/// The QP of noise, and the number of noise pictures after which a B picture is output.
enum { NOISE_QP = 36, B_DELAY = 8 };

/// The picture's QP by the rate control.
int choose_qp(struct encoder *encoder, const struct encode_job *encode, const struct planar *planar, int width,
              int height);

/// Joins headers and slice, and fills the coded buffer.
VAStatus store_coded(struct job *job, struct encoder *encoder, struct slice_unit *slice, int qp);

/// The same for a complete picture, whose data from byte `data` on may be corrupted. Takes `stream`.
VAStatus store_stream(struct job *job, struct encoder *encoder, struct bytes stream, size_t data, int qp);

/// Called by the codecs' functions.
void encoder_close(struct encoder *encoder);
void encode_job_free(void *payload);

#endif
