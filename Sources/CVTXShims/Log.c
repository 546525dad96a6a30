#include "Decoder.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static _Atomic(vtx_log_sink) log_sink;

// What a thread wants of the messages that come from itself.
static _Thread_local int thread_level = INT_MAX;
static _Thread_local struct {
    char *text;
    size_t capacity, length;
    int level;
} collected;
static _Thread_local struct {
    const void *object;
    int errors;
} counted;

static void collect(const char *format, va_list arguments)
{
    va_list copy;
    va_copy(copy, arguments);
    size_t room = collected.capacity - collected.length;
    int written = vsnprintf(collected.text + collected.length, room, format, copy);
    va_end(copy);
    if (written > 0)
        collected.length += (size_t)written < room ? (size_t)written : room - 1;
}

// libav calls this from any of its threads, sometimes with a piece of a line; pieces are joined per thread.
static void forward(void *object, int level, const char *format, va_list arguments)
{
    static _Thread_local char line[1024];
    static _Thread_local size_t length;
    vtx_decoder_take_message(object, level, format);
    if (collected.text && level <= collected.level)
        collect(format, arguments);
    if (object && object == counted.object && level <= AV_LOG_ERROR)
        counted.errors++;
    if (level > thread_level)
        return;
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

void vtx_log_collect(char *text, size_t capacity, int level)
{
    collected.text = text;
    collected.capacity = capacity;
    collected.length = 0;
    collected.level = level;
    if (text)
        text[0] = 0;
}

int vtx_log_count_errors(const void *object)
{
    int errors = counted.errors;
    counted.object = object;
    counted.errors = 0;
    return errors;
}

void vtx_log_limit(int level) { thread_level = level; }
