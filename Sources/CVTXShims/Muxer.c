#include "CVTXShims.h"

int vtx_matroska_moves_by_codec_delay(void)
{
#if LIBAVFORMAT_VERSION_MAJOR >= 60
    return 1;
#else
    return 0;
#endif
}
