#include "CVTXShims.h"

#include <libavutil/frame.h>

int vtx_frame_is_interlaced(const AVFrame *frame)
{
#if LIBAVUTIL_VERSION_MAJOR >= 59
    return (frame->flags & AV_FRAME_FLAG_INTERLACED) != 0;
#else
    return frame->interlaced_frame;
#endif
}

int64_t vtx_frame_duration(const AVFrame *frame)
{
#if LIBAVUTIL_VERSION_MAJOR >= 58
    return frame->duration;
#else
    return frame->pkt_duration;
#endif
}

void vtx_frame_set_duration(AVFrame *frame, int64_t duration)
{
#if LIBAVUTIL_VERSION_MAJOR >= 58
    frame->duration = duration;
#else
    frame->pkt_duration = duration;
#endif
}

int vtx_frame_is_bottom_field_first(const AVFrame *frame)
{
#if LIBAVUTIL_VERSION_MAJOR >= 59
    return vtx_frame_is_interlaced(frame) && !(frame->flags & AV_FRAME_FLAG_TOP_FIELD_FIRST);
#else
    return frame->interlaced_frame && !frame->top_field_first;
#endif
}

void vtx_frame_set_progressive(AVFrame *frame)
{
#if LIBAVUTIL_VERSION_MAJOR >= 59
    frame->flags &= ~AV_FRAME_FLAG_INTERLACED;
#endif
#if LIBAVUTIL_VERSION_MAJOR < 59 || FF_API_INTERLACED_FRAME
    // While the old field exists, libavfilter and encoders set the flag again where it is set.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    frame->interlaced_frame = 0;
#pragma GCC diagnostic pop
#endif
}
