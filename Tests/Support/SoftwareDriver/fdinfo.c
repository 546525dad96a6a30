/// /proc/PID/fdinfo/FD of a node, in the kernel drivers' format (Documentation/gpu/drm-usage-stats.rst). A client's
/// number is the file position of its node, which the kernel reports for any process and dup() shares.

#define _GNU_SOURCE
#include "fdinfo.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "faketree.h"

void fdinfo_open_client(int file) {
    struct shared *shared = fake_shared();
    if (!shared)
        return;
    unsigned client = atomic_fetch_add(&shared->last_client, 1) + 1;
    for (int engine = 0; engine < ENGINE_COUNT; engine++)
        atomic_store(&shared->usage[client % CLIENT_COUNT].busy[engine], 0);
    syscall(SYS_lseek, file, (off_t)client, SEEK_SET);
}

struct client_usage *fdinfo_usage(int file) {
    struct shared *shared = fake_shared();
    long client = syscall(SYS_lseek, file, 0, SEEK_CUR);
    return shared && client > 0 ? &shared->usage[client % CLIENT_COUNT] : NULL;
}

static unsigned long long busy(const struct client_usage *usage, enum engine engine) {
    return atomic_load(&usage->busy[engine]);
}

static void put_i915(FILE *text, const struct node *node, const struct client_usage *usage) {
    fprintf(text, "drm-engine-render:\t0 ns\ndrm-engine-copy:\t0 ns\ndrm-engine-video:\t%llu ns\n",
            busy(usage, ENGINE_DECODE) + busy(usage, ENGINE_ENCODE));
    if (node->engines > 1)
        fprintf(text, "drm-engine-capacity-video:\t%d\n", node->engines);
    fprintf(text, "drm-engine-video-enhance:\t%llu ns\n", busy(usage, ENGINE_PROCESS));
}

/// Clocks of 19.2 MHz.
static unsigned long long cycles(unsigned long long nanoseconds) {
    return nanoseconds / 1000 * 192 / 10;
}

static void put_xe(FILE *text, const struct node *node, const struct client_usage *usage) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    unsigned long long total = cycles((unsigned long long)now.tv_sec * 1000000000 + (unsigned long long)now.tv_nsec);
    fprintf(text, "drm-cycles-vcs:\t%llu\ndrm-total-cycles-vcs:\t%llu\n",
            cycles(busy(usage, ENGINE_DECODE) + busy(usage, ENGINE_ENCODE)), total);
    if (node->engines > 1)
        fprintf(text, "drm-engine-capacity-vcs:\t%d\n", node->engines);
    fprintf(text, "drm-cycles-vecs:\t%llu\ndrm-total-cycles-vecs:\t%llu\n", cycles(busy(usage, ENGINE_PROCESS)), total);
}

/// amdgpu omits engines that a client has not used.
static void put_amdgpu(FILE *text, const struct node *node, const struct client_usage *usage) {
    static const char *const names[] = {[ENGINE_PROCESS] = "gfx", [ENGINE_DECODE] = "dec", [ENGINE_ENCODE] = "enc"};
    (void)node;
    for (int engine = 0; engine < ENGINE_COUNT; engine++)
        if (busy(usage, engine))
            fprintf(text, "drm-engine-%s:\t%llu ns\n", names[engine], busy(usage, engine));
}

static void put_node(FILE *text, const struct node *node, unsigned long client) {
    static const struct {
        const char *name;
        void (*put)(FILE *text, const struct node *node, const struct client_usage *usage);
    } drivers[] = {{"i915", put_i915}, {"xe", put_xe}, {"amdgpu", put_amdgpu}};
    struct shared *shared = fake_shared();
    static const struct client_usage none;
    if (strcmp(node->fdinfo, "none") == 0)
        return;
    fprintf(text, "drm-driver:\t%s\ndrm-client-id:\t%lu\ndrm-pdev:\t%s\n", node->drm_name, client, node->pci_slot);
    for (unsigned index = 0; index < sizeof drivers / sizeof *drivers; index++)
        if (strcmp(node->fdinfo, drivers[index].name) == 0)
            drivers[index].put(text, node, shared && client ? &shared->usage[client % CLIENT_COUNT] : &none);
}

/// The kernel's lines for the plain file; a node's position, the client's number, is replaced by 0.
static unsigned long put_common(FILE *text, const char *path) {
    char line[4096];
    long file = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    long size = file >= 0 ? syscall(SYS_read, file, line, sizeof line - 1) : -1;
    if (file >= 0)
        syscall(SYS_close, file);
    if (size < 0)
        return 0;
    line[size] = 0;
    const char *rest = strchr(line, '\n');
    fprintf(text, "pos:\t0%s", rest ? rest : "\n");
    return strncmp(line, "pos:", 4) == 0 ? strtoul(line + 4, NULL, 10) : 0;
}

/// The open node; -1: none, or not visible to this process.
static int node_behind(const char *path) {
    char link[PATH_MAX];
    const char *place = strstr(path, "/fdinfo/");
    if (strncmp(path, "/proc/", 6) != 0 || !place || strspn(place + 8, "0123456789") != strlen(place + 8))
        return -1;
    snprintf(link, sizeof link, "%.*s/fd/%s", (int)(place - path), path, place + 8);
    struct statx status;
    if (syscall(SYS_statx, AT_FDCWD, link, 0, STATX_BASIC_STATS, &status) != 0)
        return -1;
    return fake_node_at((dev_t)status.stx_dev_major << 32 | status.stx_dev_minor, status.stx_ino);
}

int fdinfo_open(const char *path, int flags) {
    int error = errno, index = path ? node_behind(path) : -1, file = -1;
    char *content = NULL;
    size_t size = 0;
    FILE *text = index >= 0 ? open_memstream(&content, &size) : NULL;
    if (text) {
        unsigned long client = put_common(text, path);
        put_node(text, &fake_tree()->nodes[index], client);
        fclose(text);
        file = memfd_create("fdinfo", flags & O_CLOEXEC ? MFD_CLOEXEC : 0);
        if (file >= 0 && pwrite(file, content, size, 0) != (ssize_t)size)
            perror("soft: fdinfo");
        free(content);
    }
    errno = error;
    return file;
}

int fdinfo_openat(int folder, const char *path, int flags) {
    char link[32], whole[PATH_MAX];
    if (!path || path[0] == '/' || folder == AT_FDCWD)
        return fdinfo_open(path, flags);
    if (path[0] < '0' || path[0] > '9')
        return -1;
    snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    int error = errno;
    long length = syscall(SYS_readlinkat, AT_FDCWD, link, whole, sizeof whole);
    errno = error;
    if (length < 0 || (size_t)length + strlen(path) + 2 > sizeof whole)
        return -1;
    snprintf(whole + length, sizeof whole - (size_t)length, "/%s", path);
    return fdinfo_open(whole, flags);
}
