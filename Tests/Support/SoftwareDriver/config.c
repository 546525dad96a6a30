#include "config.h"

#include <stdlib.h>

#include "formats.h"
#include "profiles.h"

bool is_h264(VAProfile profile) {
    return profile == VAProfileH264ConstrainedBaseline || profile == VAProfileH264Main
           || profile == VAProfileH264High;
}

bool is_encoder(VAEntrypoint entrypoint) {
    return entrypoint == VAEntrypointEncSlice || entrypoint == VAEntrypointEncSliceLP;
}

int least_side(const struct config *config, int asked) {
    enum { LARGEST_BLOCK = 32 };
    bool is_bounded = is_encoder(config->entrypoint) && !is_h264(config->profile);
    return is_bounded && asked < LARGEST_BLOCK ? LARGEST_BLOCK : asked;
}

/// Its formats, without 10-bit ones if SOFTVA_NO_10BIT is set.
static unsigned surface_rt_formats(const struct driver *driver, const struct profile *profile) {
    return profile->rt_formats & ~(driver->switches.ten_bit ? 0u : VA_RT_FORMAT_YUV420_10);
}

/// Only the application writes AV1's headers: without packed headers there is no stream.
static bool can_encode(const struct switches *switches, const struct profile *profile) {
    return profile->encoder && !profile_is_listed(profile, switches->no_encode)
           && (switches->packed_headers || profile->id != VAProfileAV1Profile0);
}

static int entrypoints_of(const struct driver *driver, const struct profile *profile, VAEntrypoint *list) {
    const struct switches *switches = &driver->switches;
    int count = 0;
    if (!profile || !surface_rt_formats(driver, profile))
        return 0;
    if (profile->id == VAProfileNone && switches->video_proc)
        list[count++] = VAEntrypointVideoProc;
    if (profile->decoder && !profile_is_listed(profile, switches->no_decode))
        list[count++] = VAEntrypointVLD;
    if (can_encode(switches, profile)) {
        if (switches->slice)
            list[count++] = VAEntrypointEncSlice;
        if (switches->low_power)
            list[count++] = VAEntrypointEncSliceLP;
    }
    return count;
}

VAStatus soft_QueryConfigProfiles(struct driver *driver, VAProfile *list, int *count) {
    VAEntrypoint entrypoints[4];
    *count = 0;
    for (const struct profile *profile = profiles; profile < profiles + PROFILE_COUNT; profile++)
        if (entrypoints_of(driver, profile, entrypoints) > 0)
            list[(*count)++] = profile->id;
    return VA_STATUS_SUCCESS;
}

VAStatus soft_QueryConfigEntrypoints(struct driver *driver, VAProfile profile, VAEntrypoint *list, int *count) {
    *count = entrypoints_of(driver, profile_of(profile), list);
    driver->expected = true;
    return *count ? VA_STATUS_SUCCESS : VA_STATUS_ERROR_UNSUPPORTED_PROFILE;
}

static VAStatus check_pair(const struct driver *driver, VAProfile profile, VAEntrypoint entrypoint) {
    VAEntrypoint list[4];
    int count = entrypoints_of(driver, profile_of(profile), list);
    for (int index = 0; index < count; index++)
        if (list[index] == entrypoint)
            return VA_STATUS_SUCCESS;
    return count ? VA_STATUS_ERROR_UNSUPPORTED_ENTRYPOINT : VA_STATUS_ERROR_UNSUPPORTED_PROFILE;
}

/// Surface formats that VAConfigAttribRTFormat does not list.
static unsigned unlisted_rt_formats(const struct driver *driver, VAProfile profile) {
    const struct switches *switches = &driver->switches;
    bool is_unlisted = (profile == VAProfileNone && has_quirk(switches, QUIRK_VIDEOPROC_RT8))
                       || (profile == VAProfileAV1Profile0 && has_quirk(switches, QUIRK_AV1_RT8));
    return is_unlisted ? VA_RT_FORMAT_YUV420_10 : 0;
}

static unsigned rt_formats(const struct driver *driver, VAProfile profile) {
    return surface_rt_formats(driver, profile_of(profile)) & ~unlisted_rt_formats(driver, profile);
}

/// The features that encode_x265.c can enable in x265 without becoming slow; asymmetric partitions would also work.
static unsigned hevc_features(void) {
    VAConfigAttribValEncHEVCFeatures features = {.bits = {
                                                     .sao = VA_FEATURE_SUPPORTED,
                                                     .temporal_mvp = VA_FEATURE_SUPPORTED,
                                                     .strong_intra_smoothing = VA_FEATURE_SUPPORTED,
                                                     .sign_data_hiding = VA_FEATURE_SUPPORTED,
                                                     .cu_qp_delta = VA_FEATURE_SUPPORTED,
                                                 }};
    return features.value;
}

/// CTUs of 32, coding blocks from 8, transforms from 4 to 32 without splits.
static unsigned hevc_block_sizes(void) {
    VAConfigAttribValEncHEVCBlockSizes sizes = {.bits = {
                                                    .log2_max_coding_tree_block_size_minus3 = 2,
                                                    .log2_min_coding_tree_block_size_minus3 = 1,
                                                    .log2_min_luma_coding_block_size_minus3 = 0,
                                                    .log2_max_luma_transform_block_size_minus2 = 3,
                                                    .log2_min_luma_transform_block_size_minus2 = 0,
                                                }};
    return sizes.value;
}

static bool is_hevc(VAProfile profile) {
    return profile == VAProfileHEVCMain || profile == VAProfileHEVCMain10;
}

/// One tile, and transforms of any size; applications require them to open an encoder.
static unsigned av1_limits(void) {
    VAConfigAttribValEncAV1Ext2 limits = {.bits = {.tile_size_bytes_minus1 = 3, .tx_mode_support = 1 << 1 | 1 << 2}};
    return limits.value;
}

/// The AV1 encoder has neither B frames nor slice headers.
static unsigned av1_attribute(VAConfigAttribType type, unsigned otherwise) {
    switch (type) {
    case VAConfigAttribEncMaxRefFrames:
        return 1;
    case VAConfigAttribPredictionDirection:
        return VA_PREDICTION_DIRECTION_PREVIOUS;
    case VAConfigAttribEncAV1:
    case VAConfigAttribEncAV1Ext1:
        return 0;
    case VAConfigAttribEncAV1Ext2:
        return av1_limits();
    default:
        return otherwise;
    }
}

unsigned encoder_quality_range(const struct driver *driver) {
    return has_quirk(&driver->switches, QUIRK_QUALITY_BITS) ? 32 : 7;
}

static unsigned encoder_attribute(const struct driver *driver, VAProfile profile, VAConfigAttribType type) {
    const struct switches *switches = &driver->switches;
    const unsigned packed = VA_ENC_PACKED_HEADER_SEQUENCE | VA_ENC_PACKED_HEADER_PICTURE | VA_ENC_PACKED_HEADER_SLICE
                            | VA_ENC_PACKED_HEADER_MISC | VA_ENC_PACKED_HEADER_RAW_DATA;
    switch (type) {
    case VAConfigAttribRateControl:
        return switches->rate_control;
    case VAConfigAttribEncPackedHeaders:
        return switches->packed_headers ? packed : VA_ENC_PACKED_HEADER_NONE;
    case VAConfigAttribEncMaxRefFrames:
        return switches->b_frames ? 1 | 1 << 16 : 1;
    case VAConfigAttribPredictionDirection:
        return VA_PREDICTION_DIRECTION_PREVIOUS | (switches->b_frames ? VA_PREDICTION_DIRECTION_FUTURE : 0);
    case VAConfigAttribEncMaxSlices:
        return 1;
    case VAConfigAttribEncSliceStructure:
        return VA_ENC_SLICE_STRUCTURE_ARBITRARY_ROWS;
    case VAConfigAttribEncQualityRange:
        return encoder_quality_range(driver);
    case VAConfigAttribEncHEVCFeatures:
        return is_hevc(profile) ? hevc_features() : VA_ATTRIB_NOT_SUPPORTED;
    case VAConfigAttribEncHEVCBlockSizes:
        return is_hevc(profile) ? hevc_block_sizes() : VA_ATTRIB_NOT_SUPPORTED;
    default:
        return VA_ATTRIB_NOT_SUPPORTED;
    }
}

static unsigned attribute(const struct driver *driver, VAProfile profile, VAEntrypoint entrypoint,
                          VAConfigAttribType type) {
    switch (type) {
    case VAConfigAttribRTFormat:
        return rt_formats(driver, profile);
    case VAConfigAttribMaxPictureWidth:
        return (unsigned)driver->switches.max_width;
    case VAConfigAttribMaxPictureHeight:
        return (unsigned)driver->switches.max_height;
    case VAConfigAttribDecSliceMode:
        return entrypoint == VAEntrypointVLD ? VA_DEC_SLICE_MODE_NORMAL : VA_ATTRIB_NOT_SUPPORTED;
    default:
        if (!is_encoder(entrypoint))
            return VA_ATTRIB_NOT_SUPPORTED;
        unsigned value = encoder_attribute(driver, profile, type);
        return profile == VAProfileAV1Profile0 ? av1_attribute(type, value) : value;
    }
}

VAStatus soft_GetConfigAttributes(struct driver *driver, VAProfile profile, VAEntrypoint entrypoint,
                                  VAConfigAttrib *list, int count) {
    VAStatus status = check_pair(driver, profile, entrypoint);
    driver->expected = true;
    for (int index = 0; status == VA_STATUS_SUCCESS && index < count; index++)
        list[index].value = attribute(driver, profile, entrypoint, list[index].type);
    return status;
}

/// A subset of the offered bits; for rate control, one bit.
static bool is_offered(VAConfigAttribType type, unsigned value, unsigned offered) {
    bool one = (value & (value - 1)) == 0;
    return offered != VA_ATTRIB_NOT_SUPPORTED && (value & ~offered) == 0
           && (type != VAConfigAttribRateControl || (value != 0 && one));
}

static VAStatus read_attribute(struct driver *driver, struct config *config, VAConfigAttrib wanted) {
    unsigned *field = wanted.type == VAConfigAttribRTFormat           ? &config->rt_format
                      : wanted.type == VAConfigAttribRateControl      ? &config->rate_control
                      : wanted.type == VAConfigAttribEncPackedHeaders ? &config->packed_headers
                                                                      : NULL;
    if (!field)
        return VA_STATUS_SUCCESS;
    unsigned offered = attribute(driver, config->profile, config->entrypoint, wanted.type);
    if (!is_offered(wanted.type, wanted.value, offered))
        return refuse(driver,
                      wanted.type == VAConfigAttribRTFormat ? VA_STATUS_ERROR_UNSUPPORTED_RT_FORMAT
                                                            : VA_STATUS_ERROR_INVALID_VALUE,
                      "attribute %d: %#x of %#x", wanted.type, wanted.value, offered);
    *field = wanted.value;
    return VA_STATUS_SUCCESS;
}

static void config_free(struct object *object) {
    free(object);
}

VAStatus soft_CreateConfig(struct driver *driver, VAProfile profile, VAEntrypoint entrypoint, VAConfigAttrib *list,
                           int count, VAConfigID *id) {
    VAStatus status = check_pair(driver, profile, entrypoint);
    if (status != VA_STATUS_SUCCESS)
        return refuse(driver, status, "profile %d, entrypoint %d", profile, entrypoint);
    struct config wanted = {.profile = profile, .entrypoint = entrypoint, .rt_format = rt_formats(driver, profile)};
    if (is_encoder(entrypoint))
        wanted.rate_control = driver->switches.rate_control & VA_RC_CQP;
    for (int index = 0; status == VA_STATUS_SUCCESS && index < count; index++)
        status = read_attribute(driver, &wanted, list[index]);
    if (status != VA_STATUS_SUCCESS)
        return status;
    struct config *config = malloc(sizeof *config);
    if (!config)
        return VA_STATUS_ERROR_ALLOCATION_FAILED;
    *config = wanted;
    if (!table_add(&driver->objects, &config->object, KIND_CONFIG, config_free)) {
        free(config);
        return VA_STATUS_ERROR_ALLOCATION_FAILED;
    }
    *id = config->object.id;
    return VA_STATUS_SUCCESS;
}

VAStatus soft_DestroyConfig(struct driver *driver, VAConfigID id) {
    struct config *config = table_find(&driver->objects, id, KIND_CONFIG);
    if (!config)
        return refuse(driver, VA_STATUS_ERROR_INVALID_CONFIG, "no config %#x", id);
    table_remove(&driver->objects, &config->object);
    return VA_STATUS_SUCCESS;
}

VAStatus soft_QueryConfigAttributes(struct driver *driver, VAConfigID id, VAProfile *profile,
                                    VAEntrypoint *entrypoint, VAConfigAttrib *list, int *count) {
    struct config *config = table_find(&driver->objects, id, KIND_CONFIG);
    if (!config)
        return refuse(driver, VA_STATUS_ERROR_INVALID_CONFIG, "no config %#x", id);
    *profile = config->profile;
    *entrypoint = config->entrypoint;
    int filled = 0;
    list[filled++] = (VAConfigAttrib){VAConfigAttribRTFormat, config->rt_format};
    if (config->rate_control)
        list[filled++] = (VAConfigAttrib){VAConfigAttribRateControl, config->rate_control};
    if (config->packed_headers)
        list[filled++] = (VAConfigAttrib){VAConfigAttribEncPackedHeaders, config->packed_headers};
    *count = filled;
    return VA_STATUS_SUCCESS;
}

bool config_takes(const struct driver *driver, const struct config *config, const struct format *format) {
    unsigned taken = config->rt_format | unlisted_rt_formats(driver, config->profile);
    if (!(taken & format->rt_format) || (format->depth > 8 && !driver->switches.ten_bit))
        return false;
    // Codecs support hardware's two formats; the video processor converts between all.
    return config->profile == VAProfileNone || format->fourcc == VA_FOURCC_NV12 || format->fourcc == VA_FOURCC_P010;
}
