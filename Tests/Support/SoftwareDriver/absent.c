/// Functions that this driver does not support but libva requires.

#include "driver.h"

VAStatus soft_SetImagePalette(struct driver *driver, VAImageID image, unsigned char *palette) {
    (void)driver, (void)image, (void)palette;
    return VA_STATUS_ERROR_UNIMPLEMENTED;
}

VAStatus soft_PutSurface(struct driver *driver, VASurfaceID surface, void *drawable, short x, short y,
                         unsigned short width, unsigned short height, short to_x, short to_y, unsigned short to_width,
                         unsigned short to_height, VARectangle *clips, unsigned int clip_count, unsigned int flags) {
    (void)driver, (void)surface, (void)drawable, (void)x, (void)y, (void)width, (void)height, (void)to_x, (void)to_y;
    (void)to_width, (void)to_height, (void)clips, (void)clip_count, (void)flags;
    return VA_STATUS_ERROR_UNIMPLEMENTED;
}

VAStatus soft_QuerySubpictureFormats(struct driver *driver, VAImageFormat *list, unsigned int *flags,
                                     unsigned int *count) {
    (void)driver, (void)list, (void)flags;
    *count = 0;
    return VA_STATUS_SUCCESS;
}

VAStatus soft_CreateSubpicture(struct driver *driver, VAImageID image, VASubpictureID *id) {
    (void)driver, (void)image, (void)id;
    return VA_STATUS_ERROR_UNIMPLEMENTED;
}

VAStatus soft_DestroySubpicture(struct driver *driver, VASubpictureID id) {
    (void)driver, (void)id;
    return VA_STATUS_ERROR_INVALID_SUBPICTURE;
}

VAStatus soft_SetSubpictureImage(struct driver *driver, VASubpictureID id, VAImageID image) {
    (void)driver, (void)id, (void)image;
    return VA_STATUS_ERROR_INVALID_SUBPICTURE;
}

VAStatus soft_SetSubpictureChromakey(struct driver *driver, VASubpictureID id, unsigned int low, unsigned int high,
                                     unsigned int mask) {
    (void)driver, (void)id, (void)low, (void)high, (void)mask;
    return VA_STATUS_ERROR_INVALID_SUBPICTURE;
}

VAStatus soft_SetSubpictureGlobalAlpha(struct driver *driver, VASubpictureID id, float alpha) {
    (void)driver, (void)id, (void)alpha;
    return VA_STATUS_ERROR_INVALID_SUBPICTURE;
}

VAStatus soft_AssociateSubpicture(struct driver *driver, VASubpictureID id, VASurfaceID *surfaces, int count, short x,
                                  short y, unsigned short width, unsigned short height, short to_x, short to_y,
                                  unsigned short to_width, unsigned short to_height, unsigned int flags) {
    (void)driver, (void)id, (void)surfaces, (void)count, (void)x, (void)y, (void)width, (void)height, (void)to_x;
    (void)to_y, (void)to_width, (void)to_height, (void)flags;
    return VA_STATUS_ERROR_INVALID_SUBPICTURE;
}

VAStatus soft_DeassociateSubpicture(struct driver *driver, VASubpictureID id, VASurfaceID *surfaces, int count) {
    (void)driver, (void)id, (void)surfaces, (void)count;
    return VA_STATUS_ERROR_INVALID_SUBPICTURE;
}

VAStatus soft_QueryDisplayAttributes(struct driver *driver, VADisplayAttribute *list, int *count) {
    (void)driver, (void)list;
    *count = 0;
    return VA_STATUS_SUCCESS;
}

VAStatus soft_GetDisplayAttributes(struct driver *driver, VADisplayAttribute *list, int count) {
    (void)driver, (void)list, (void)count;
    return VA_STATUS_ERROR_UNIMPLEMENTED;
}

VAStatus soft_SetDisplayAttributes(struct driver *driver, VADisplayAttribute *list, int count) {
    (void)driver, (void)list, (void)count;
    return VA_STATUS_ERROR_UNIMPLEMENTED;
}
