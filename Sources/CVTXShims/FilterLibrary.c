#include "CVTXShims.h"

#include <dlfcn.h>
#include <pthread.h>

static struct vtx_filter_library library;
static int is_complete;

static void load(void)
{
    void *file = dlopen("libavfilter.so." AV_STRINGIFY(LIBAVFILTER_VERSION_MAJOR), RTLD_LAZY | RTLD_LOCAL);
    if (!file) return;
    is_complete = 1;
#define FIND(name) is_complete = (library.name = (__typeof__(&name))dlsym(file, #name)) && is_complete;
    VTX_FILTER_FUNCTIONS(FIND)
#undef FIND
}

const struct vtx_filter_library *vtx_filter_library(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return is_complete ? &library : NULL;
}
