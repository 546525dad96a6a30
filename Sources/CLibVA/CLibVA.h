#include <va/va.h>
#include <va/va_drm.h>
#include <va/va_vpp.h>
#include <xf86drm.h>
