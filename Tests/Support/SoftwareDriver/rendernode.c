/// For LD_PRELOAD: shows simulated render nodes to the process. Paths under /dev/dri and the DRM parts of /sys are
/// redirected to a private tree (faketree.c); the plain files in it that represent nodes look like character devices,
/// and support the one ioctl that libva and libdrm need, the name of the DRM driver.
///
/// A node is identified by its inode, not its descriptor, which covers dup, fork and exec.

#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <xf86drm.h>

#include "faketree.h"
#include "fdinfo.h"

#define EXPORT __attribute__((visibility("default")))

/// The function of this name in the next library: the C library's, or a sanitizer's.
#define NEXT(name) \
    static __typeof__(name) *next; \
    if (!next) \
        next = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

/// Whether `path` is `prefix` or is below it.
static bool is_below(const char *path, const char *prefix) {
    size_t length = strlen(prefix);
    return strncmp(path, prefix, length) == 0 && (path[length] == 0 || path[length] == '/');
}

static bool is_led_away(const char *path) {
    return is_below(path, "/dev/dri") || is_below(path, "/sys/class/drm") || is_below(path, "/sys/devices/pci-soft")
           || is_below(path, "/sys/bus/pci") || strncmp(path, "/sys/dev/char/226:", 18) == 0;
}

/// The path in the tree, in `room`, or the path itself.
static const char *led(const char *path, char room[PATH_MAX]) {
    if (!path || path[0] != '/' || !is_led_away(path))
        return path;
    int error = errno;
    snprintf(room, PATH_MAX, "%s%s", fake_tree()->root, path);
    errno = error;
    return room;
}

/// Translates a path in the tree back to the application's path.
static void lead_back(char *path) {
    size_t length = strlen(fake_tree()->root);
    if (strncmp(path, fake_tree()->root, length) == 0)
        memmove(path, path + length, strlen(path + length) + 1);
}

static dev_t packed(unsigned major_number, unsigned minor_number) {
    return (dev_t)major_number << 32 | minor_number;
}

/// -1 if the descriptor is not a node.
static int node_of(int file) {
    struct statx status;
    int error = errno;
    long result = syscall(SYS_statx, file, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &status);
    errno = error;
    return result == 0 ? fake_node_at(packed(status.stx_dev_major, status.stx_dev_minor), status.stx_ino) : -1;
}

static void disguise(struct stat *status) {
    if (!S_ISREG(status->st_mode))
        return;
    int index = fake_node_at(packed(major(status->st_dev), minor(status->st_dev)), status->st_ino);
    if (index < 0)
        return;
    const struct node *node = &fake_tree()->nodes[index];
    status->st_mode = node->mode;
    status->st_uid = node->owner;
    status->st_gid = node->group;
    status->st_rdev = makedev(DRM_MAJOR, FIRST_MINOR + index);
}

static void disguise_x(struct statx *status) {
    if (!S_ISREG(status->stx_mode))
        return;
    int index = fake_node_at(packed(status->stx_dev_major, status->stx_dev_minor), status->stx_ino);
    if (index < 0)
        return;
    const struct node *node = &fake_tree()->nodes[index];
    status->stx_mode = (uint16_t)node->mode;
    status->stx_uid = node->owner;
    status->stx_gid = node->group;
    status->stx_rdev_major = DRM_MAJOR;
    status->stx_rdev_minor = (uint32_t)(FIRST_MINOR + index);
}

/// Opening a node without permission fails as in the kernel, even for root.
static bool is_denied(const char *path) {
    if (!path || !is_below(path, "/dev/dri"))
        return false;
    for (int index = 0; index < fake_tree()->count; index++) {
        char node[32];
        snprintf(node, sizeof node, "/dev/dri/renderD%d", FIRST_MINOR + index);
        if (fake_tree()->nodes[index].denied && strcmp(path, node) == 0) {
            errno = EACCES;
            return true;
        }
    }
    return false;
}

#define MODE_ARGUMENT(flags, mode) \
    mode_t mode = 0; \
    if ((flags) & (O_CREAT | __O_TMPFILE)) { \
        va_list arguments; \
        va_start(arguments, flags); \
        mode = va_arg(arguments, mode_t); \
        va_end(arguments); \
    }

/// A node that was opened is a new client of its device.
static int opened(const char *path, int file) {
    if (file >= 0 && path && is_below(path, "/dev/dri") && node_of(file) >= 0)
        fdinfo_open_client(file);
    return file;
}

#define DEFINE_OPEN(name) \
    EXPORT int name(const char *path, int flags, ...) { \
        NEXT(name); \
        char room[PATH_MAX]; \
        MODE_ARGUMENT(flags, mode) \
        if (is_denied(path)) \
            return -1; \
        int file = fdinfo_open(path, flags); \
        return file >= 0 ? file : opened(path, next(led(path, room), flags, mode)); \
    }
DEFINE_OPEN(open)
DEFINE_OPEN(open64)

#define DEFINE_OPENAT(name) \
    EXPORT int name(int folder, const char *path, int flags, ...) { \
        NEXT(name); \
        char room[PATH_MAX]; \
        MODE_ARGUMENT(flags, mode) \
        if (is_denied(path)) \
            return -1; \
        int file = fdinfo_openat(folder, path, flags); \
        return file >= 0 ? file : opened(path, next(folder, led(path, room), flags, mode)); \
    }
DEFINE_OPENAT(openat)
DEFINE_OPENAT(openat64)

// Called by fortified programs; not declared without fortification.
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int folder, const char *path, int flags);
int __openat64_2(int folder, const char *path, int flags);
EXPORT int __open_2(const char *path, int flags) {
    return open(path, flags);
}
EXPORT int __open64_2(const char *path, int flags) {
    return open64(path, flags);
}
EXPORT int __openat_2(int folder, const char *path, int flags) {
    return openat(folder, path, flags);
}
EXPORT int __openat64_2(int folder, const char *path, int flags) {
    return openat64(folder, path, flags);
}

/// Functions that only need their path redirected.
#define DEFINE_LED(result, name, parameters, arguments) \
    EXPORT result name parameters { \
        NEXT(name); \
        char room[PATH_MAX]; \
        return next arguments; \
    }
#define DEFINE_FOPEN(name) \
    EXPORT FILE *name(const char *path, const char *mode) { \
        NEXT(name); \
        char room[PATH_MAX]; \
        int file = fdinfo_open(path, strchr(mode, 'e') ? O_CLOEXEC : 0); \
        return file >= 0 ? fdopen(file, mode) : next(led(path, room), mode); \
    }
DEFINE_FOPEN(fopen)
DEFINE_FOPEN(fopen64)
DEFINE_LED(DIR *, opendir, (const char *path), (led(path, room)))
DEFINE_LED(ssize_t, readlink, (const char *path, char *text, size_t size), (led(path, room), text, size))
DEFINE_LED(ssize_t, readlinkat, (int folder, const char *path, char *text, size_t size),
           (folder, led(path, room), text, size))
DEFINE_LED(int, scandir,
           (const char *path, struct dirent ***list, int (*filter)(const struct dirent *),
            int (*compare)(const struct dirent **, const struct dirent **)),
           (led(path, room), list, filter, compare))
DEFINE_LED(ssize_t, getxattr, (const char *path, const char *name, void *value, size_t size),
           (led(path, room), name, value, size))
DEFINE_LED(ssize_t, lgetxattr, (const char *path, const char *name, void *value, size_t size),
           (led(path, room), name, value, size))
DEFINE_LED(int, chdir, (const char *path), (led(path, room)))

ssize_t __readlink_chk(const char *path, char *text, size_t size, size_t room);
EXPORT ssize_t __readlink_chk(const char *path, char *text, size_t size, size_t room) {
    return readlink(path, text, size < room ? size : room);
}

#define DEFINE_ACCESS(name, parameters, arguments) \
    EXPORT int name parameters { \
        NEXT(name); \
        char room[PATH_MAX]; \
        if (mode != F_OK && is_denied(path)) \
            return -1; \
        return next arguments; \
    }
DEFINE_ACCESS(access, (const char *path, int mode), (led(path, room), mode))
DEFINE_ACCESS(euidaccess, (const char *path, int mode), (led(path, room), mode))
DEFINE_ACCESS(eaccess, (const char *path, int mode), (led(path, room), mode))
DEFINE_ACCESS(faccessat, (int folder, const char *path, int mode, int flags), (folder, led(path, room), mode, flags))

#define DEFINE_STAT(name, parameters, arguments) \
    EXPORT int name parameters { \
        NEXT(name); \
        char room[PATH_MAX]; \
        (void)room; \
        int result = next arguments; \
        if (result == 0) \
            disguise((struct stat *)status); \
        return result; \
    }
_Static_assert(sizeof(struct stat) == sizeof(struct stat64), "disguise() takes both");
DEFINE_STAT(stat, (const char *path, struct stat *status), (led(path, room), status))
DEFINE_STAT(stat64, (const char *path, struct stat64 *status), (led(path, room), status))
DEFINE_STAT(lstat, (const char *path, struct stat *status), (led(path, room), status))
DEFINE_STAT(lstat64, (const char *path, struct stat64 *status), (led(path, room), status))
DEFINE_STAT(fstat, (int file, struct stat *status), (file, status))
DEFINE_STAT(fstat64, (int file, struct stat64 *status), (file, status))
DEFINE_STAT(fstatat, (int folder, const char *path, struct stat *status, int flags),
            (folder, led(path, room), status, flags))
DEFINE_STAT(fstatat64, (int folder, const char *path, struct stat64 *status, int flags),
            (folder, led(path, room), status, flags))

// Called by programs built before glibc 2.33, and by ThreadSanitizer's runtime.
int __xstat(int version, const char *path, struct stat *status);
int __xstat64(int version, const char *path, struct stat64 *status);
int __lxstat(int version, const char *path, struct stat *status);
int __lxstat64(int version, const char *path, struct stat64 *status);
int __fxstat(int version, int file, struct stat *status);
int __fxstat64(int version, int file, struct stat64 *status);
DEFINE_STAT(__xstat, (int version, const char *path, struct stat *status), (version, led(path, room), status))
DEFINE_STAT(__xstat64, (int version, const char *path, struct stat64 *status), (version, led(path, room), status))
DEFINE_STAT(__lxstat, (int version, const char *path, struct stat *status), (version, led(path, room), status))
DEFINE_STAT(__lxstat64, (int version, const char *path, struct stat64 *status), (version, led(path, room), status))
DEFINE_STAT(__fxstat, (int version, int file, struct stat *status), (version, file, status))
DEFINE_STAT(__fxstat64, (int version, int file, struct stat64 *status), (version, file, status))

EXPORT int statx(int folder, const char *path, int flags, unsigned mask, struct statx *status) {
    NEXT(statx);
    char room[PATH_MAX];
    int result = next(folder, led(path, room), flags, mask, status);
    if (result == 0)
        disguise_x(status);
    return result;
}

EXPORT char *realpath(const char *path, char *resolved) {
    NEXT(realpath);
    char room[PATH_MAX];
    char *result = next(led(path, room), resolved);
    if (result)
        lead_back(result);
    return result;
}

char *__realpath_chk(const char *path, char *resolved, size_t size);
EXPORT char *__realpath_chk(const char *path, char *resolved, size_t size) {
    (void)size;
    return realpath(path, resolved);
}

EXPORT char *canonicalize_file_name(const char *path) {
    return realpath(path, NULL);
}

/// The driver's part of the shared memory.
static int answer_share(int file, int index, struct node_share *share) {
    share->usage = fdinfo_usage(file);
    share->engines = fake_shared() ? &fake_shared()->devices[index] : NULL;
    if (share->engines)
        return 0;
    errno = ENODEV;
    return -1;
}

static void fill(char *text, __kernel_size_t *room, const char *value) {
    size_t length = strlen(value);
    if (text)
        memcpy(text, value, *room < length ? *room : length);
    *room = length;
}

/// Called twice: first without memory for the lengths, then for the texts.
static int answer_version(const struct node *node, drm_version_t *version) {
    version->version_major = 1;
    version->version_minor = 0;
    version->version_patchlevel = 0;
    fill(version->name, &version->name_len, node->drm_name);
    fill(version->date, &version->date_len, "20240101");
    fill(version->desc, &version->desc_len, "Software driver for tests");
    return 0;
}

EXPORT int ioctl(int file, unsigned long request, ...) {
    NEXT(ioctl);
    va_list arguments;
    va_start(arguments, request);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    if (_IOC_TYPE(request) != DRM_IOCTL_BASE)
        return next(file, request, argument);
    int index = node_of(file);
    if (index < 0)
        return next(file, request, argument);
    if (request == DRM_IOCTL_VERSION)
        return answer_version(&fake_tree()->nodes[index], argument);
    if (request == SOFT_IOCTL_SHARE)
        return answer_share(file, index, argument);
    errno = EINVAL;
    return -1;
}
