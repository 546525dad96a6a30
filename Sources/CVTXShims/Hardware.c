#include "CVTXShims.h"

#include <libavutil/hwcontext_vaapi.h>

struct ownership {
    void *owner;
    void (*release)(void *owner);
};

static void release_owner(AVHWDeviceContext *device) {
    struct ownership *ownership = device->user_opaque;
    ownership->release(ownership->owner);
    av_free(ownership);
}

int vtx_vaapi_device(AVBufferRef **device, void *display, void *owner, void (*release)(void *owner)) {
    struct ownership *ownership = av_malloc(sizeof *ownership);
    AVBufferRef *made = ownership ? av_hwdevice_ctx_alloc(AV_HWDEVICE_TYPE_VAAPI) : NULL;
    if (!made) {
        av_free(ownership);
        release(owner);
        return AVERROR(ENOMEM);
    }
    *ownership = (struct ownership){owner, release};
    AVHWDeviceContext *context = (AVHWDeviceContext *)made->data;
    ((AVVAAPIDeviceContext *)context->hwctx)->display = display;
    context->user_opaque = ownership;
    context->free = release_owner;
    vtx_vaapi_watch_driver(display);
    int status = av_hwdevice_ctx_init(made);
    if (status < 0)
        av_buffer_unref(&made);
    *device = made;
    return status;
}

void vtx_vaapi_set_format(AVBufferRef *frames, enum AVPixelFormat format) {
    AVHWFramesContext *context = (AVHWFramesContext *)frames->data;
    context->sw_format = format;
    // libavcodec asks for the driver's own format here.
    AVVAAPIFramesContext *surfaces = context->hwctx;
    surfaces->attributes = NULL;
    surfaces->nb_attributes = 0;
}
