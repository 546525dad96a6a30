#include "CVTXShims.h"

#include <string.h>

#if LIBAVFORMAT_VERSION_INT >= AV_VERSION_INT(60, 15, 100)
#define SIDE_DATA_IN_PARAMETERS 1
#else
#define SIDE_DATA_IN_PARAMETERS 0
#endif

const uint8_t *vtx_stream_side_data(const AVStream *stream, enum AVPacketSideDataType type, size_t *size)
{
#if SIDE_DATA_IN_PARAMETERS
    const AVPacketSideData *found = av_packet_side_data_get(
        stream->codecpar->coded_side_data, stream->codecpar->nb_coded_side_data, type);
    *size = found ? found->size : 0;
    return found ? found->data : NULL;
#else
    *size = 0;
    return av_stream_get_side_data(stream, type, size);
#endif
}

uint8_t *vtx_stream_add_side_data(AVStream *stream, enum AVPacketSideDataType type, size_t size)
{
#if SIDE_DATA_IN_PARAMETERS
    AVPacketSideData *added = av_packet_side_data_new(
        &stream->codecpar->coded_side_data, &stream->codecpar->nb_coded_side_data, type, size, 0);
    return added ? added->data : NULL;
#else
    return av_stream_new_side_data(stream, type, size);
#endif
}

int vtx_stream_copy_side_data(AVStream *to, const AVStream *from)
{
#if SIDE_DATA_IN_PARAMETERS
    // avcodec_parameters_copy has copied it already.
    (void)to;
    (void)from;
#else
    for (int i = 0; i < from->nb_side_data; i++) {
        const AVPacketSideData *source = &from->side_data[i];
        uint8_t *copy = av_stream_new_side_data(to, source->type, source->size);
        if (!copy)
            return AVERROR(ENOMEM);
        memcpy(copy, source->data, source->size);
    }
#endif
    return 0;
}
