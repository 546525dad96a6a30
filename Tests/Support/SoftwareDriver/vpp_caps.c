/// The capabilities that the video processor reports.

#include <string.h>

#include "vpp.h"

VAStatus soft_QueryVideoProcFilters(struct driver *driver, VAContextID id, VAProcFilterType *list,
                                    unsigned int *count) {
    if (!table_find(&driver->objects, id, KIND_CONTEXT))
        return refuse(driver, VA_STATUS_ERROR_INVALID_CONTEXT, "no context %#x", id);
    VAProcFilterType filters[4];
    unsigned room = *count, available = 0;
    if (driver->switches.deinterlacing)
        filters[available++] = VAProcFilterDeinterlacing;
    if (driver->switches.tone_map)
        filters[available++] = VAProcFilterHighDynamicRangeToneMapping;
    if (driver->switches.enhance) {
        filters[available++] = VAProcFilterNoiseReduction;
        filters[available++] = VAProcFilterSharpening;
    }
    *count = available;
    if (room < available)
        return VA_STATUS_ERROR_MAX_NUM_EXCEEDED;
    memcpy(list, filters, available * sizeof *filters);
    return VA_STATUS_SUCCESS;
}

/// Copies as many entries as fit.
static VAStatus answer(void *list, unsigned *count, const void *caps, size_t size, unsigned available) {
    unsigned room = *count;
    *count = available;
    if (room < available)
        return VA_STATUS_ERROR_MAX_NUM_EXCEEDED;
    memcpy(list, caps, size * available);
    return VA_STATUS_SUCCESS;
}

VAStatus soft_QueryVideoProcFilterCaps(struct driver *driver, VAContextID id, VAProcFilterType type, void *list,
                                       unsigned int *count) {
    VAProcFilterCapDeinterlacing deinterlacing[VAProcDeinterlacingCount];
    unsigned algorithms = 0;
    for (unsigned type = 0; type < VAProcDeinterlacingCount; type++)
        if (driver->switches.deinterlacing >> type & 1)
            deinterlacing[algorithms++] = (VAProcFilterCapDeinterlacing){.type = type};
    static const VAProcFilterCapHighDynamicRange tone_mapping[] = {
        {.metadata_type = VAProcHighDynamicRangeMetadataHDR10, .caps_flag = VA_TONE_MAPPING_HDR_TO_SDR}};
    static const VAProcFilterCap strength = {.range = {0, ENHANCEMENT_MOST, ENHANCEMENT_MOST / 2, 1}};
    if (!table_find(&driver->objects, id, KIND_CONTEXT))
        return refuse(driver, VA_STATUS_ERROR_INVALID_CONTEXT, "no context %#x", id);
    if ((type == VAProcFilterNoiseReduction || type == VAProcFilterSharpening) && driver->switches.enhance)
        return answer(list, count, &strength, sizeof strength, 1);
    if (type == VAProcFilterDeinterlacing && algorithms)
        return answer(list, count, deinterlacing, sizeof *deinterlacing, algorithms);
    if (type == VAProcFilterHighDynamicRangeToneMapping && driver->switches.tone_map)
        return answer(list, count, tone_mapping, sizeof *tone_mapping, 1);
    *count = 0;
    driver->expected = true;
    return VA_STATUS_ERROR_UNSUPPORTED_FILTER;
}

VAStatus soft_QueryVideoProcPipelineCaps(struct driver *driver, VAContextID id, VABufferID *buffers,
                                         unsigned int count, VAProcPipelineCaps *caps) {
    static VAProcColorStandardType standards[] = {VAProcColorStandardBT601, VAProcColorStandardBT709,
                                                  VAProcColorStandardBT2020, VAProcColorStandardExplicit};
    const struct switches *switches = &driver->switches;
    if (!table_find(&driver->objects, id, KIND_CONTEXT))
        return refuse(driver, VA_STATUS_ERROR_INVALID_CONTEXT, "no context %#x", id);
    struct reach reach = {0, 0};
    for (unsigned index = 0; index < count; index++) {
        const struct buffer *buffer = find_buffer(driver, buffers[index]);
        if (!buffer)
            return refuse(driver, VA_STATUS_ERROR_INVALID_BUFFER, "no filter buffer %#x", buffers[index]);
        const VAProcFilterParameterBufferDeinterlacing *filter = (const void *)buffer->data;
        if (buffer->element_size >= sizeof *filter && filter->type == VAProcFilterDeinterlacing)
            reach = reach_of(filter->algorithm);
    }
    *caps = (VAProcPipelineCaps){
        .num_forward_references = reach.forward,
        .num_backward_references = reach.backward,
        .input_color_standards = standards,
        .num_input_color_standards = sizeof standards / sizeof *standards,
        .output_color_standards = standards,
        .num_output_color_standards = sizeof standards / sizeof *standards,
        .rotation_flags = 1 << VA_ROTATION_NONE | 1 << VA_ROTATION_90 | 1 << VA_ROTATION_180 | 1 << VA_ROTATION_270,
        .mirror_flags = VA_MIRROR_HORIZONTAL | VA_MIRROR_VERTICAL,
        .max_input_width = (uint32_t)switches->max_width,
        .max_input_height = (uint32_t)switches->max_height,
        .min_input_width = (uint32_t)switches->min_width,
        .min_input_height = (uint32_t)switches->min_height,
        .max_output_width = (uint32_t)switches->max_width,
        .max_output_height = (uint32_t)switches->max_height,
        .min_output_width = (uint32_t)switches->min_width,
        .min_output_height = (uint32_t)switches->min_height,
    };
    return VA_STATUS_SUCCESS;
}
