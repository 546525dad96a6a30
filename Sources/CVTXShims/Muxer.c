#include "CVTXShims.h"

int vtx_matroska_moves_by_codec_delay(void)
{
#if LIBAVFORMAT_VERSION_MAJOR >= 60
    return 1;
#else
    return 0;
#endif
}

#if LIBAVFORMAT_VERSION_MAJOR >= 61
typedef const uint8_t written_byte;
#else
typedef uint8_t written_byte;
#endif

AVIOContext *vtx_byte_stream_context(int size, void *opaque, int (*read)(void *opaque, uint8_t *bytes, int count),
                                     int (*write)(void *opaque, const uint8_t *bytes, int count))
{
    unsigned char *buffer = av_malloc(size);
    if (!buffer)
        return NULL;
    // A function that reads the bytes can be called by one that has the right to change them.
    int (*callback)(void *, written_byte *, int) = (int (*)(void *, written_byte *, int))write;
    AVIOContext *context = avio_alloc_context(buffer, size, write != NULL, opaque, read, callback, NULL);
    if (!context)
        av_free(buffer);
    return context;
}
