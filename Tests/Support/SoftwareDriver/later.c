#include "context.h"
const struct codec video_processor;
VAStatus soft_QueryVideoProcFilters(struct driver *d, VAContextID context, VAProcFilterType *list, unsigned int *count){(void)d,(void)context,(void)list;*count=0;return 0;}
VAStatus soft_QueryVideoProcFilterCaps(struct driver *d, VAContextID context, VAProcFilterType type, void *list, unsigned int *count){(void)d,(void)context,(void)list,(void)type;*count=0;return 0;}
VAStatus soft_QueryVideoProcPipelineCaps(struct driver *d, VAContextID context, VABufferID *filters, unsigned int count, VAProcPipelineCaps *caps){(void)d,(void)context,(void)filters,(void)count,(void)caps;return 0;}
