#include "stats.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "driver.h"

unsigned long long thread_time(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (unsigned long long)time.tv_sec * 1000000000 + (unsigned long long)time.tv_nsec;
}

void stats_spend(struct stats *stats, unsigned long long since) {
    atomic_fetch_add(&stats->spent, thread_time() - since);
}

static void write_calls(FILE *line, struct driver *driver) {
    fputs("\"calls\":{", line);
    for (int call = 0; call < CALL_COUNT; call++)
        fprintf(line, "%s\"%s\":%u", call ? "," : "", call_names[call], atomic_load(&driver->stats.calls[call]));
    fputs("}", line);
}

static void write_leaks(FILE *line, struct driver *driver) {
    fputs("\"leaked\":{", line);
    for (int kind = KIND_CONFIG; kind < KIND_COUNT; kind++)
        fprintf(line, "%s\"%s\":%d", kind > KIND_CONFIG ? "," : "", kind_names[kind], driver->objects.live[kind]);
    fputs("}", line);
}

/// Mesa reads a level as bits: 1 is valid, 6 the preset, 8 pre-encoding, 16 VBAQ. Only 1 selects Mesa's default.
static void write_quality_bits(FILE *line, int level) {
    static const char *const presets[] = {"speed", "balanced", "quality", "high-quality"};
    int bits = level == 1 ? 1 | 1 << 1 | 8 | 16 : level;
    fprintf(line, ",\"preset\":\"%s\",\"preEncode\":%s,\"vbaq\":%s", presets[bits >> 1 & 3],
            bits & 8 ? "true" : "false", bits & 16 ? "true" : "false");
}

static double seconds(struct stats *stats, enum engine engine) {
    return (double)atomic_load(&stats->busy[engine]) / 1e9;
}

static void write_quality(FILE *line, struct driver *driver) {
    int level = atomic_load(&driver->stats.quality);
    if (level < 0)
        return;
    fprintf(line, "\"quality\":{\"level\":%d", level);
    if (has_quirk(&driver->switches, QUIRK_QUALITY_BITS))
        write_quality_bits(line, level);
    fputs("},", line);
}

/// One write() to a file opened for appending, so that lines of several processes do not mix.
static void append(const char *path, const char *text, size_t length) {
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file < 0 || write(file, text, length) != (ssize_t)length)
        fprintf(stderr, "soft: SOFTVA_STATS: cannot write %s\n", path);
    if (file >= 0)
        close(file);
}

void stats_write(struct driver *driver, bool terminated) {
    if (!driver->switches.stats)
        return;
    char *text = NULL;
    size_t length = 0;
    FILE *line = open_memstream(&text, &length);
    if (!line)
        return;
    struct stats *stats = &driver->stats;
    fprintf(line, "{\"pid\":%d,\"device\":\"renderD%d\",\"terminated\":%s,", (int)getpid(), 128 + driver->device,
            terminated ? "true" : "false");
    fprintf(line, "\"frames\":{\"decoded\":%u,\"encoded\":%u,\"processed\":%u,\"failed\":%u},\"refused\":%u,",
            atomic_load(&stats->decoded), atomic_load(&stats->encoded), atomic_load(&stats->processed),
            atomic_load(&stats->failed), atomic_load(&stats->refused));
    fprintf(line, "\"spoiled\":%u,\"surfaces\":%d,", atomic_load(&stats->spoiled), atomic_load(&stats->surfaces));
    fprintf(line, "\"engineSeconds\":{\"decode\":%.6f,\"encode\":%.6f,\"process\":%.6f},",
            seconds(stats, ENGINE_DECODE), seconds(stats, ENGINE_ENCODE), seconds(stats, ENGINE_PROCESS));
    write_quality(line, driver);
    fprintf(line, "\"cpuSeconds\":%.6f,", (double)atomic_load(&stats->spent) / 1e9);
    write_leaks(line, driver);
    fputs(",", line);
    write_calls(line, driver);
    fputs("}\n", line);
    fclose(line);
    append(driver->switches.stats, text, length);
    free(text);
}
