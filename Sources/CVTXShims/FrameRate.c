#include "CVTXShims.h"

// AVCodecParameters has the headers' rate from FFmpeg 6.1 on; before, an elementary stream's own fields have it.
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 30, 101)
static AVRational frame_rate(const AVFormatContext *file, const AVStream *stream, AVRational told)
{
    AVRational coded = stream->codecpar->framerate;
    return file->iformat->flags & AVFMT_NOTIMESTAMPS && coded.num > 0 && coded.den > 0 ? coded : told;
}
#else
static AVRational frame_rate(const AVFormatContext *file, const AVStream *stream, AVRational told)
{
    (void)file;
    (void)stream;
    return told;
}
#endif

AVRational vtx_stream_average_frame_rate(const AVFormatContext *file, const AVStream *stream)
{
    return frame_rate(file, stream, stream->avg_frame_rate);
}

AVRational vtx_stream_real_frame_rate(const AVFormatContext *file, const AVStream *stream)
{
    return frame_rate(file, stream, stream->r_frame_rate);
}
