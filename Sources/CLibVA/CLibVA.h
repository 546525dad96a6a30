#include <va/va.h>
#include <va/va_drm.h>
#include <va/va_drmcommon.h>
#include <va/va_vpp.h>
#include <xf86drm.h>

// Swift sees no arrays of structures without a name.
static inline void vtx_prime_set_object(VADRMPRIMESurfaceDescriptor *memory, uint32_t index, int fd, uint32_t size,
                                        uint64_t modifier) {
    memory->objects[index].fd = fd;
    memory->objects[index].size = size;
    memory->objects[index].drm_format_modifier = modifier;
}

// All planes are in one layer.
static inline void vtx_prime_set_plane(VADRMPRIMESurfaceDescriptor *memory, uint32_t index, uint32_t object,
                                       uint32_t offset, uint32_t pitch) {
    memory->num_layers = 1;
    memory->layers[0].drm_format = memory->fourcc;
    memory->layers[0].num_planes = index + 1;
    memory->layers[0].object_index[index] = object;
    memory->layers[0].offset[index] = offset;
    memory->layers[0].pitch[index] = pitch;
}
