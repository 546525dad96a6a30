#include "CVTXShims.h"

#include <linux/capability.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

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

// SVT-AV1, opened by root, gives its threads and the one that opens it the highest real-time priority: whatever else the
// machine has to do waits for them. Without this capability the kernel refuses it, and SVT-AV1 goes on.
static bool set_may_prioritize(bool allowed)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];
    const uint32_t bit = CAP_TO_MASK(CAP_SYS_NICE);
    if (syscall(SYS_capget, &header, sets))
        return false;
    const bool was_allowed = sets[0].effective & bit;
    sets[0].effective = allowed ? sets[0].effective | bit : sets[0].effective & ~bit;
    return !syscall(SYS_capset, &header, sets) && was_allowed;
}

int vtx_codec_open(AVCodecContext *context, const AVCodec *codec, AVDictionary **options)
{
    const bool could_prioritize = set_may_prioritize(false);
    const int status = avcodec_open2(context, codec, options);
    if (could_prioritize)
        set_may_prioritize(true);
    return status;
}
