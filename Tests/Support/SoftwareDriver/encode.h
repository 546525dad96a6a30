/// What the encoders share: collecting a picture's buffers, the application's packed headers, the input picture, the
/// coded buffer. x264 and x265 make slice data; what stands before them is the application's. libaom makes all of it.

#ifndef SOFT_ENCODE_H
#define SOFT_ENCODE_H

#include "bits.h"
#include "context.h"
#include "ratecontrol.h"
#include "spoil.h"

/// What vaEndPicture keeps from picture to picture; the sequence and misc parameters come with IDR pictures only.
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
    struct bytes headers;         // NAL units that go before the slice
    struct bytes slice_header;    // the packed slice header, without emulation prevention, from the NAL unit header on
    struct buffer *coded;
};

/// A picture on its way to the worker; the codecs' own jobs begin with it.
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
    size_t data;  // the first byte that is not the header's
};

/// Reads the collected buffers. `coded_id` is found by `coded_of`, because it lies in the codec's own parameters.
VAStatus collect(struct context *context, struct encoder *encoder, size_t sequence_size, size_t picture_size,
                 size_t slice_size, struct submission *submission);

/// Hands the picture's parts to the codec's job. `status` is what became of them.
void begin_encode_job(struct context *context, struct job *job, const struct encoder *encoder,
                      const struct submission *submission, VAStatus status);

/// The coded buffer of this id, checked; the job keeps it.
VAStatus use_coded_buffer(struct context *context, VABufferID id, struct job *job);

/// The surface that a parameter names, for reading or writing.
VAStatus use_named_surface(struct context *context, VASurfaceID id, bool writes, struct job *job);

/// Planar 4:2:0 of the coded size; what the surface does not have repeats its edge. Free `data[0]`.
struct planar {
    uint8_t *data[3];
    int pitch[3];
};
struct planar read_input(const struct encode_job *encode, int width, int height);

/// A picture of noise, from which no other can be predicted. Free `data[0]`.
struct planar make_noise(int width, int height, int depth);

/// The QP of noise, and the pictures of it after which a B picture is out.
enum { NOISE_QP = 36, B_DELAY = 8 };

/// The picture's QP, by the rate control.
int choose_qp(struct encoder *encoder, const struct encode_job *encode, const struct planar *planar, int width,
              int height);

/// Puts headers and slice together, and fills the coded buffer.
VAStatus store_coded(struct job *job, struct encoder *encoder, struct slice_unit *slice, int qp);

/// The same with a whole picture, whose data from byte `data` on may be spoiled. Takes `stream`.
VAStatus store_stream(struct job *job, struct encoder *encoder, struct bytes stream, size_t data, int qp);

/// Called by the codecs' own.
void encoder_close(struct encoder *encoder);
void encode_job_free(void *payload);

#endif
