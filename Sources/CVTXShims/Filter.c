#include "CVTXShims.h"

void vtx_buffersrc_set_color(AVBufferSrcParameters *parameters, int space, int range)
{
#if LIBAVFILTER_VERSION_INT >= AV_VERSION_INT(9, 16, 100)
    parameters->color_space = (enum AVColorSpace)space;
    parameters->color_range = (enum AVColorRange)range;
#else
    (void)parameters;
    (void)space;
    (void)range;
#endif
}
