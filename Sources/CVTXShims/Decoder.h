#include "CVTXShims.h"

// The log's part: what a decoder's context says counts as an event, whatever the log's level is.
void vtx_decoder_take_message(void *object, int level, const char *format);
