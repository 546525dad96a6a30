// Usage: openh264 INPUT.h264: prints the number of frames that Cisco's OpenH264 decodes, and of failed calls.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wels/codec_api.h>

static unsigned char *read_file(const char *path, long *size)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    fseek(file, 0, SEEK_END);
    *size = ftell(file);
    rewind(file);
    unsigned char *bytes = malloc(*size + 4);
    if (bytes && fread(bytes, 1, *size, file) != (size_t)*size)
        *size = 0;
    fclose(file);
    return bytes;
}

// The offset of the first start code after `from`.
static long next_code(const unsigned char *bytes, long size, long from)
{
    for (long i = from; i + 3 < size; i++)
        if (!bytes[i] && !bytes[i + 1] && (bytes[i + 2] == 1 || (!bytes[i + 2] && bytes[i + 3] == 1)))
            return i;
    return size;
}

int main(int count, char **arguments)
{
    long size = 0, frames = 0, failures = 0;
    unsigned char *bytes = count == 2 ? read_file(arguments[1], &size) : NULL, *planes[3];
    ISVCDecoder *decoder;
    SDecodingParam parameters = {.sVideoProperty.eVideoBsType = VIDEO_BITSTREAM_AVC};
    if (!bytes || WelsCreateDecoder(&decoder) || (*decoder)->Initialize(decoder, &parameters))
        return 2;
    SBufferInfo info;
    for (long from = 0, to; from < size; from = to) {
        to = next_code(bytes, size, from + 3);
        memset(&info, 0, sizeof info);
        failures += (*decoder)->DecodeFrameNoDelay(decoder, bytes + from, (int)(to - from), planes, &info) != 0;
        frames += info.iBufferStatus;
    }
    do {
        memset(&info, 0, sizeof info);
        (*decoder)->FlushFrame(decoder, planes, &info);
        frames += info.iBufferStatus;
    } while (info.iBufferStatus);
    printf("%ld frames, %ld failures\n", frames, failures);
    (*decoder)->Uninitialize(decoder);
    WelsDestroyDecoder(decoder);
    free(bytes);
    return failures != 0;
}
