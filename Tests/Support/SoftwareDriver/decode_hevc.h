/// An HEVC picture, rewritten for libavcodec from VA-API's parameters.

#ifndef SOFT_DECODE_HEVC_H
#define SOFT_DECODE_HEVC_H

#include <va/va.h>

#include "hevc.h"

/// Wide enough for any distance between references.
enum { LOG2_MAX_POC_LSB = 16 };

/// The picture's reference picture set, and the place of each of VA's references in the initial lists.
struct hevc_references {
    struct hevc_rps rps;
    int long_count, long_lsb[16];
    bool long_used[16];
    int place[2][15];  // in the initial list of references that the picture uses; -1: none
    int used_count;
    bool any;
};

struct hevc_picture {
    const VAPictureParameterBufferHEVC *parameters;
    struct hevc_sps sps;
    struct hevc_pps pps;
    struct hevc_references references;
    int nal_unit_type;
};

struct hevc_sps hevc_decoder_sps(const VAPictureParameterBufferHEVC *picture);
struct hevc_pps hevc_decoder_pps(const VAPictureParameterBufferHEVC *picture, const struct hevc_scaling *scaling);
struct hevc_scaling hevc_decoder_scaling(const VAIQMatrixBufferHEVC *matrix);

bool hevc_is_present(const VAPictureHEVC *reference);
struct hevc_references hevc_references_of(const VAPictureParameterBufferHEVC *picture);

/// A complete slice segment header, with NAL unit header and alignment. False if the slice's lists name a picture
/// that it may not use.
bool hevc_put_header(struct writer *writer, const struct hevc_picture *picture,
                     const VASliceParameterBufferHEVC *slice);

#endif
