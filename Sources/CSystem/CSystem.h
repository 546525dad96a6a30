// What Swift's overlay of the C library leaves out: functions that glibc declares for _GNU_SOURCE only.
#ifndef CSYSTEM_H
#define CSYSTEM_H

#include <fcntl.h>
#include <linux/openat2.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

// The C library shows these with _GNU_SOURCE alone; asm-generic/fcntl.h has the values.
#ifndef O_PATH
#define O_PATH 010000000
#endif
#ifndef O_TMPFILE
#define O_TMPFILE (020000000 | 0200000)
#endif

#ifndef RENAME_EXCHANGE
#define RENAME_EXCHANGE 2
#endif

#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE 1
#endif

// The socket types' header belongs to no module: which one shows them depends on what was imported first.
static const int system_stream_socket = SOCK_STREAM;
static const int system_datagram_socket = SOCK_DGRAM;
static const int system_socket_close_on_exec = SOCK_CLOEXEC;

extern int mkostemp(char *path, int flags);
extern int pipe2(int ends[2], int flags);
extern int pthread_setname_np(pthread_t thread, const char *name);

/// signalfd(2), for a set of 64 signals. Its header, and who owns sigset_t in Swift, depend on what was imported first.
static inline int system_signal_descriptor(const void *signals) {
    return (int)syscall(SYS_signalfd4, -1, signals, 8, 02004000 /* SFD_CLOEXEC | SFD_NONBLOCK */);
}

/// renameat2(2) that fails where the new name is taken.
static inline int system_rename_exclusively(int directory, const char *from, const char *to) {
    return (int)syscall(SYS_renameat2, directory, from, directory, to, RENAME_NOREPLACE);
}

/// renameat2(2): each of two files gets the other's name.
static inline int system_exchange(const char *one, const char *other) {
    return (int)syscall(SYS_renameat2, AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE);
}

/// openat2(2), for which glibc has no function. The path is resolved beneath the directory, or not at all.
static inline int system_open_beneath(int directory, const char *path, unsigned long long flags, unsigned mode) {
    struct open_how how = {
        .flags = flags, .mode = mode, .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
    };
    return (int)syscall(SYS_openat2, directory, path, &how, sizeof(how));
}

/// A lock of an open file description on one byte beyond all content (fcntl(2); asm-generic/fcntl.h has the values of
/// F_OFD_GETLK and F_OFD_SETLK).
static inline struct flock system_last_byte(short type) {
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = 0x7ffffffffffffffeLL, .l_len = 1};
    return lock;
}

/// For a file that is open for reading; others may have it too.
static inline int system_lock_last_byte(int file) {
    struct flock lock = system_last_byte(F_RDLCK);
    return fcntl(file, 37, &lock);
}

static inline int system_is_last_byte_locked(int file) {
    struct flock lock = system_last_byte(F_WRLCK);
    return fcntl(file, 36, &lock) == 0 && lock.l_type != F_UNLCK;
}

/// eventfd(2), whose header belongs to no module.
static inline int system_event_descriptor(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

/// pidfd_open(2): names a process for good; its number may be another's after its end.
static inline int system_open_process(pid_t process) { return (int)syscall(SYS_pidfd_open, process, 0); }

static inline int system_signal_process(int descriptor, int signal) {
    return (int)syscall(SYS_pidfd_send_signal, descriptor, signal, 0, 0);
}

#endif
