/// Every function of the driver's table, once: name, parameters, arguments. Prototypes, entry functions, counters and
/// the table are generated from this list, so that none can be missing.
///
/// `soft_NAME` is always called with the driver's lock held.

#ifndef SOFT_CALLS_H
#define SOFT_CALLS_H

#define CORE_CALLS(CALL) \
    CALL(QueryConfigProfiles, (VAProfile *list, int *count), (list, count)) \
    CALL(QueryConfigEntrypoints, (VAProfile profile, VAEntrypoint *list, int *count), (profile, list, count)) \
    CALL(GetConfigAttributes, (VAProfile profile, VAEntrypoint entrypoint, VAConfigAttrib *list, int count), \
         (profile, entrypoint, list, count)) \
    CALL(CreateConfig, \
         (VAProfile profile, VAEntrypoint entrypoint, VAConfigAttrib *list, int count, VAConfigID *id), \
         (profile, entrypoint, list, count, id)) \
    CALL(DestroyConfig, (VAConfigID id), (id)) \
    CALL(QueryConfigAttributes, \
         (VAConfigID id, VAProfile *profile, VAEntrypoint *entrypoint, VAConfigAttrib *list, int *count), \
         (id, profile, entrypoint, list, count)) \
    CALL(CreateSurfaces, (int width, int height, int format, int count, VASurfaceID *ids), \
         (width, height, format, count, ids)) \
    CALL(CreateSurfaces2, \
         (unsigned int format, unsigned int width, unsigned int height, VASurfaceID *ids, unsigned int count, \
          VASurfaceAttrib *list, unsigned int attribute_count), \
         (format, width, height, ids, count, list, attribute_count)) \
    CALL(DestroySurfaces, (VASurfaceID *ids, int count), (ids, count)) \
    CALL(QuerySurfaceAttributes, (VAConfigID config, VASurfaceAttrib *list, unsigned int *count), \
         (config, list, count)) \
    CALL(CreateContext, \
         (VAConfigID config, int width, int height, int flag, VASurfaceID *targets, int target_count, \
          VAContextID *id), \
         (config, width, height, flag, targets, target_count, id)) \
    CALL(DestroyContext, (VAContextID id), (id)) \
    CALL(CreateBuffer, \
         (VAContextID context, VABufferType type, unsigned int size, unsigned int count, void *data, \
          VABufferID *id), \
         (context, type, size, count, data, id)) \
    CALL(BufferSetNumElements, (VABufferID id, unsigned int count), (id, count)) \
    CALL(BufferInfo, (VABufferID id, VABufferType *type, unsigned int *size, unsigned int *count), \
         (id, type, size, count)) \
    CALL(MapBuffer, (VABufferID id, void **data), (id, data)) \
    CALL(UnmapBuffer, (VABufferID id), (id)) \
    CALL(DestroyBuffer, (VABufferID id), (id)) \
    CALL(BeginPicture, (VAContextID context, VASurfaceID target), (context, target)) \
    CALL(RenderPicture, (VAContextID context, VABufferID *buffers, int count), (context, buffers, count)) \
    CALL(EndPicture, (VAContextID context), (context)) \
    CALL(SyncSurface, (VASurfaceID id), (id)) \
    CALL(SyncSurface2, (VASurfaceID id, uint64_t timeout), (id, timeout)) \
    CALL(SyncBuffer, (VABufferID id, uint64_t timeout), (id, timeout)) \
    CALL(QuerySurfaceStatus, (VASurfaceID id, VASurfaceStatus *answer), (id, answer)) \
    CALL(QuerySurfaceError, (VASurfaceID id, VAStatus error, void **information), (id, error, information)) \
    CALL(ExportSurfaceHandle, (VASurfaceID id, uint32_t type, uint32_t flags, void *descriptor), \
         (id, type, flags, descriptor)) \
    CALL(QueryImageFormats, (VAImageFormat *list, int *count), (list, count)) \
    CALL(CreateImage, (VAImageFormat *format, int width, int height, VAImage *image), \
         (format, width, height, image)) \
    CALL(DeriveImage, (VASurfaceID surface, VAImage *image), (surface, image)) \
    CALL(DestroyImage, (VAImageID id), (id)) \
    CALL(GetImage, \
         (VASurfaceID surface, int x, int y, unsigned int width, unsigned int height, VAImageID image), \
         (surface, x, y, width, height, image)) \
    CALL(PutImage, \
         (VASurfaceID surface, VAImageID image, int source_x, int source_y, unsigned int source_width, \
          unsigned int source_height, int x, int y, unsigned int width, unsigned int height), \
         (surface, image, source_x, source_y, source_width, source_height, x, y, width, height)) \
    CALL(SetImagePalette, (VAImageID image, unsigned char *palette), (image, palette)) \
    CALL(PutSurface, \
         (VASurfaceID surface, void *drawable, short x, short y, unsigned short width, unsigned short height, \
          short to_x, short to_y, unsigned short to_width, unsigned short to_height, VARectangle *clips, \
          unsigned int clip_count, unsigned int flags), \
         (surface, drawable, x, y, width, height, to_x, to_y, to_width, to_height, clips, clip_count, flags)) \
    CALL(QuerySubpictureFormats, (VAImageFormat *list, unsigned int *flags, unsigned int *count), \
         (list, flags, count)) \
    CALL(CreateSubpicture, (VAImageID image, VASubpictureID *id), (image, id)) \
    CALL(DestroySubpicture, (VASubpictureID id), (id)) \
    CALL(SetSubpictureImage, (VASubpictureID id, VAImageID image), (id, image)) \
    CALL(SetSubpictureChromakey, (VASubpictureID id, unsigned int low, unsigned int high, unsigned int mask), \
         (id, low, high, mask)) \
    CALL(SetSubpictureGlobalAlpha, (VASubpictureID id, float alpha), (id, alpha)) \
    CALL(AssociateSubpicture, \
         (VASubpictureID id, VASurfaceID *surfaces, int count, short x, short y, unsigned short width, \
          unsigned short height, short to_x, short to_y, unsigned short to_width, unsigned short to_height, \
          unsigned int flags), \
         (id, surfaces, count, x, y, width, height, to_x, to_y, to_width, to_height, flags)) \
    CALL(DeassociateSubpicture, (VASubpictureID id, VASurfaceID *surfaces, int count), (id, surfaces, count)) \
    CALL(QueryDisplayAttributes, (VADisplayAttribute *list, int *count), (list, count)) \
    CALL(GetDisplayAttributes, (VADisplayAttribute *list, int count), (list, count)) \
    CALL(SetDisplayAttributes, (VADisplayAttribute *list, int count), (list, count))

/// These have a separate table in libva.
#define VIDEO_PROC_CALLS(CALL) \
    CALL(QueryVideoProcFilters, (VAContextID context, VAProcFilterType *list, unsigned int *count), \
         (context, list, count)) \
    CALL(QueryVideoProcFilterCaps, \
         (VAContextID context, VAProcFilterType type, void *list, unsigned int *count), \
         (context, type, list, count)) \
    CALL(QueryVideoProcPipelineCaps, \
         (VAContextID context, VABufferID *filters, unsigned int count, VAProcPipelineCaps *caps), \
         (context, filters, count, caps))

#define ALL_CALLS(CALL) CORE_CALLS(CALL) VIDEO_PROC_CALLS(CALL)

/// The same names as numbers; the first two are not above because libva handles them separately.
enum call {
    CALL_Initialize,
    CALL_Terminate,
#define CALL(name, parameters, arguments) CALL_##name,
    ALL_CALLS(CALL)
#undef CALL
    CALL_COUNT
};

extern const char *const call_names[CALL_COUNT];

#endif
