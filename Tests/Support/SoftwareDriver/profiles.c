#include "profiles.h"

#include <stdio.h>
#include <string.h>

#include "context.h"
#include "switches.h"

enum { BITS_8 = VA_RT_FORMAT_YUV420, BITS_10 = VA_RT_FORMAT_YUV420_10 };

const struct profile profiles[PROFILE_COUNT] = {
    {VAProfileNone, "None", "None", BITS_8 | VA_RT_FORMAT_YUV422 | VA_RT_FORMAT_RGB32 | BITS_10, NULL, NULL},
    {VAProfileJPEGBaseline, "JPEGBaseline", "JPEG", BITS_8, &jpeg_decoder, NULL},
    {VAProfileH264ConstrainedBaseline, "H264ConstrainedBaseline", "H264", BITS_8, &h264_decoder, &h264_encoder},
    {VAProfileH264Main, "H264Main", "H264", BITS_8, &h264_decoder, &h264_encoder},
    {VAProfileH264High, "H264High", "H264", BITS_8, &h264_decoder, &h264_encoder},
    {VAProfileHEVCMain, "HEVCMain", "HEVC", BITS_8, &hevc_decoder, &hevc_encoder},
    {VAProfileHEVCMain10, "HEVCMain10", "HEVC", BITS_10, &hevc_decoder, &hevc_encoder},
    {VAProfileVP8Version0_3, "VP8Version0_3", "VP8", BITS_8, &vp8_decoder, NULL},
    {VAProfileVP9Profile0, "VP9Profile0", "VP9", BITS_8, &vp9_decoder, NULL},
    {VAProfileVP9Profile2, "VP9Profile2", "VP9", BITS_10, &vp9_decoder, NULL},
    {VAProfileAV1Profile0, "AV1Profile0", "AV1", BITS_8 | BITS_10, &av1_decoder, &av1_encoder},
};

const struct profile *profile_of(VAProfile id) {
    for (const struct profile *profile = profiles; profile < profiles + PROFILE_COUNT; profile++)
        if (profile->id == id)
            return profile;
    return NULL;
}

bool profile_is_listed(const struct profile *profile, const char *list) {
    return list_has(list, profile->name) || list_has(list, profile->family);
}

static bool is_word(const char *word, size_t length, const char *name) {
    return strlen(name) == length && strncmp(word, name, length) == 0;
}

bool profiles_check(const char *variable, const char *list) {
    while (list && *list) {
        size_t length = strcspn(list, ",");
        bool known = false;
        for (const struct profile *profile = profiles; profile < profiles + PROFILE_COUNT; profile++)
            known |= is_word(list, length, profile->name) || is_word(list, length, profile->family);
        if (!known) {
            fprintf(stderr, "soft: SOFTVA_%s: '%.*s' is no profile\n", variable, (int)length, list);
            return false;
        }
        list += length + (list[length] == ',');
    }
    return true;
}
