#include "CVTXShims.h"

// FFmpeg 7.1 replaces the lists in AVCodec by a query.
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(61, 13, 100)
#define HAS_SUPPORTED_CONFIG 1
#else
#define HAS_SUPPORTED_CONFIG 0
#endif

#if HAS_SUPPORTED_CONFIG
static const void *supported(const AVCodec *codec, enum AVCodecConfig config)
{
    const void *list = NULL;
    return avcodec_get_supported_config(NULL, codec, config, 0, &list, NULL) < 0 ? NULL : list;
}
#endif

const enum AVPixelFormat *vtx_codec_pixel_formats(const AVCodec *codec)
{
#if HAS_SUPPORTED_CONFIG
    return supported(codec, AV_CODEC_CONFIG_PIX_FORMAT);
#else
    return codec->pix_fmts;
#endif
}

const enum AVSampleFormat *vtx_codec_sample_formats(const AVCodec *codec)
{
#if HAS_SUPPORTED_CONFIG
    return supported(codec, AV_CODEC_CONFIG_SAMPLE_FORMAT);
#else
    return codec->sample_fmts;
#endif
}

const int *vtx_codec_sample_rates(const AVCodec *codec)
{
#if HAS_SUPPORTED_CONFIG
    return supported(codec, AV_CODEC_CONFIG_SAMPLE_RATE);
#else
    return codec->supported_samplerates;
#endif
}
