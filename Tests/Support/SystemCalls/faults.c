/// For LD_PRELOAD: counts vtx-worker's calls that change files below a directory, and kills or fails one of them.
///
///     VTX_FAULTS_BELOW=DIR    the directory, without symbolic links in its path
///     VTX_FAULTS_LOG=FILE     receives a line for each call: its number, name and path
///     VTX_FAULTS_AT=N         the call, from 1
///     VTX_FAULTS_DO=kill      kills the process group before the call; or an errno, with which it and all later ones
///                             except removals fail; or once:ERRNO for only this one
///     VTX_FAULTS_SYNCED=DIR   saves the contents of each file at fsync or fdatasync in DIR/content/INODE, and the
///                             names in each directory in DIR/names/INODE
///     VTX_FAULTS_CLOCK=N      clocks run N times as fast
///
/// Other programs are not affected.

#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#define NEXT(name) \
    static __typeof__(name) *next; \
    if (!next) \
        next = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long calls;

static const char *setting(const char *name) {
    static int is_worker = -1;
    if (is_worker < 0)
        is_worker = strcmp(program_invocation_short_name, "vtx-worker") == 0;
    return is_worker ? getenv(name) : NULL;
}

static bool is_below(const char *path) {
    const char *directory = setting("VTX_FAULTS_BELOW");
    if (!directory)
        return false;
    size_t length = strlen(directory);
    if (path[0] != '/') {
        char *here = getcwd(NULL, 0);
        bool found = here && strncmp(here, directory, length) == 0;
        free(here);
        return found;
    }
    return strncmp(path, directory, length) == 0 && (path[length] == '/' || path[length] == 0);
}

static bool path_of(int file, char path[PATH_MAX]) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    path[length < 0 ? 0 : length] = 0;
    // Not `pipe:[1]`.
    return path[0] == '/';
}

static void note(const char *name, const char *path) {
    const char *log = setting("VTX_FAULTS_LOG");
    if (!log)
        return;
    char line[PATH_MAX + 64];
    int length = snprintf(line, sizeof line, "%ld %s %s\n", calls, name, path);
    int file = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file >= 0) {
        syscall(SYS_write, file, line, (size_t)length);
        close(file);
    }
}

/// The errno with which this call fails; 0 for none.
static int fault(const char *name, const char *path) {
    if (!is_below(path))
        return 0;
    pthread_mutex_lock(&lock);
    calls++;
    note(name, path);
    const char *at = setting("VTX_FAULTS_AT"), *deed = setting("VTX_FAULTS_DO");
    long number = at ? atol(at) : LONG_MAX;
    int error = 0;
    if (deed && calls >= number) {
        bool once = strncmp(deed, "once:", 5) == 0;
        if (strcmp(deed, "kill") == 0)
            kill(0, SIGKILL);
        else if (once ? calls == number : strcmp(name, "unlink") != 0 && strcmp(name, "rmdir") != 0)
            error = atoi(deed + (once ? 5 : 0));
    }
    pthread_mutex_unlock(&lock);
    return error;
}

#define FAIL(name, path) \
    do { \
        int error = fault(#name, path); \
        if (error) { \
            errno = error; \
            return -1; \
        } \
    } while (0)

#define FAIL_FILE(name, file) \
    char path[PATH_MAX]; \
    if (path_of(file, path)) \
        FAIL(name, path)

// MARK: Synchronized data

static FILE *kept(const char *kind, int file, struct stat *status) {
    const char *directory = setting("VTX_FAULTS_SYNCED");
    char path[PATH_MAX];
    if (!directory || !path_of(file, path) || !is_below(path) || fstat(file, status) != 0)
        return NULL;
    snprintf(path, sizeof path, "%s/%s/%lu", directory, kind, (unsigned long)status->st_ino);
    return fopen(path, "we");
}

static void keep_content(int file) {
    struct stat status;
    FILE *copy = kept("content", file, &status);
    if (!copy)
        return;
    char room[1 << 16];
    off_t offset = 0;
    for (ssize_t count; (count = pread(file, room, sizeof room, offset)) > 0; offset += count)
        syscall(SYS_write, fileno(copy), room, (size_t)count);
    fclose(copy);
}

static void keep_names(int file) {
    struct stat status;
    FILE *copy = kept("names", file, &status);
    char path[PATH_MAX];
    DIR *directory = copy && path_of(file, path) ? opendir(path) : NULL;
    for (struct dirent *entry; directory && (entry = readdir(directory));)
        fprintf(copy, "%lu %s\n", (unsigned long)entry->d_ino, entry->d_name);
    if (directory)
        closedir(directory);
    if (copy)
        fclose(copy);
}

static void keep(int file) {
    struct stat status;
    if (fstat(file, &status) == 0 && S_ISDIR(status.st_mode))
        keep_names(file);
    else
        keep_content(file);
}

// MARK: The calls

ssize_t write(int file, const void *bytes, size_t count) {
    NEXT(write);
    FAIL_FILE(write, file);
    return next(file, bytes, count);
}

int ftruncate(int file, off_t length) {
    NEXT(ftruncate);
    FAIL_FILE(ftruncate, file);
    return next(file, length);
}

int fsync(int file) {
    NEXT(fsync);
    FAIL_FILE(fsync, file);
    keep(file);
    return next(file);
}

int fdatasync(int file) {
    NEXT(fdatasync);
    FAIL_FILE(fdatasync, file);
    keep(file);
    return next(file);
}

int rename(const char *from, const char *to) {
    NEXT(rename);
    FAIL(rename, to);
    return next(from, to);
}

int renameat(int from_directory, const char *from, int to_directory, const char *to) {
    NEXT(renameat);
    char path[PATH_MAX];
    if (path_of(to_directory, path)) {
        strncat(path, "/", sizeof path - strlen(path) - 1);
        strncat(path, to, sizeof path - strlen(path) - 1);
        FAIL(renameat, path);
    }
    return next(from_directory, from, to_directory, to);
}

int link(const char *from, const char *to) {
    NEXT(link);
    FAIL(link, to);
    return next(from, to);
}

int unlink(const char *path) {
    NEXT(unlink);
    FAIL(unlink, path);
    return next(path);
}

int mkdir(const char *path, mode_t mode) {
    NEXT(mkdir);
    FAIL(mkdir, path);
    return next(path, mode);
}

int rmdir(const char *path) {
    NEXT(rmdir);
    FAIL(rmdir, path);
    return next(path);
}

int fchmod(int file, mode_t mode) {
    NEXT(fchmod);
    FAIL_FILE(fchmod, file);
    return next(file, mode);
}

int fchown(int file, uid_t owner, gid_t group) {
    NEXT(fchown);
    FAIL_FILE(fchown, file);
    return next(file, owner, group);
}

int futimens(int file, const struct timespec times[2]) {
    NEXT(futimens);
    FAIL_FILE(futimens, file);
    return next(file, times);
}

int fsetxattr(int file, const char *name, const void *value, size_t size, int flags) {
    NEXT(fsetxattr);
    FAIL_FILE(fsetxattr, file);
    return next(file, name, value, size, flags);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    NEXT(clock_gettime);
    int result = next(clock, now);
    const char *factor = setting("VTX_FAULTS_CLOCK");
    if (result || !factor || clock == CLOCK_REALTIME)
        return result;
    // From boot on, so that time never goes back.
    __int128 nanoseconds = ((__int128)now->tv_sec * 1000000000 + now->tv_nsec) * atol(factor);
    now->tv_sec = (time_t)(nanoseconds / 1000000000);
    now->tv_nsec = (long)(nanoseconds % 1000000000);
    return 0;
}
