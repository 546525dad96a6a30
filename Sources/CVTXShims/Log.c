#include "Decoder.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static _Atomic(vtx_log_sink) log_sink;

// libav calls this from any of its threads, sometimes with a piece of a line; pieces are joined per thread.
static void forward(void *object, int level, const char *format, va_list arguments)
{
    static _Thread_local char line[1024];
    static _Thread_local size_t length;
    vtx_decoder_take_message(object, level, format);
    vtx_log_sink sink = atomic_load(&log_sink);
    if (!sink) {
        av_log_default_callback(object, level, format, arguments);
        return;
    }
    if (level > av_log_get_level())
        return;
    int written = vsnprintf(line + length, sizeof line - length, format, arguments);
    if (written < 0)
        return;
    length = (size_t)written < sizeof line - length ? length + (size_t)written : sizeof line - 1;
    if (length + 1 < sizeof line && (length == 0 || line[length - 1] != '\n'))
        return;
    while (length > 0 && line[length - 1] == '\n')
        line[--length] = 0;
    const AVClass *class = object ? *(const AVClass **)object : NULL;
    sink(level, class ? class->item_name(object) : "libav", line);
    length = 0;
}

void vtx_log_redirect(vtx_log_sink sink)
{
    atomic_store(&log_sink, sink);
    av_log_set_callback(forward);
}

void vtx_log_observe(void) { av_log_set_callback(forward); }
