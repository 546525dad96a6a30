#include "CVTXShims.h"

const int64_t vtx_no_timestamp = AV_NOPTS_VALUE;
const int vtx_error_again = AVERROR(EAGAIN);
const int vtx_error_end_of_file = AVERROR_EOF;
const int vtx_error_invalid_data = AVERROR_INVALIDDATA;
const int vtx_error_decoder_not_found = AVERROR_DECODER_NOT_FOUND;
const int vtx_error_encoder_not_found = AVERROR_ENCODER_NOT_FOUND;
const int vtx_error_filter_not_found = AVERROR_FILTER_NOT_FOUND;
const int vtx_error_patch_welcome = AVERROR_PATCHWELCOME;
const int vtx_error_external = AVERROR_EXTERNAL;

int vtx_error_from_errno(int error) { return AVERROR(error); }
