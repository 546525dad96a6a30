// What Swift's overlay of the C library leaves out: functions that glibc declares for _GNU_SOURCE only.
#ifndef CSYSTEM_H
#define CSYSTEM_H

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/openat2.h>
#include <linux/seccomp.h>
#include <linux/stat.h>
#include <malloc.h>
#include <pthread.h>
#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
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

/// Closes the descriptors from a number on in a program that is started. Swift does not import this extension.
static inline int system_close_from(posix_spawn_file_actions_t *actions, int first) {
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

/// signalfd(2), for a set of 64 signals. Its header, and who owns sigset_t in Swift, depend on what was imported first.
static inline int system_signal_descriptor(const void *signals) {
    return (int)syscall(SYS_signalfd4, -1, signals, 8, 02004000 /* SFD_CLOEXEC | SFD_NONBLOCK */);
}

/// Whether a file system, or a part of one, is mounted at a path. Not known before Linux 5.8.
static inline bool system_is_mount_point(const char *path) {
    struct statx status;
    long failed = syscall(SYS_statx, AT_FDCWD, path, 0, 0, &status);
    return !failed && (status.stx_attributes & STATX_ATTR_MOUNT_ROOT);
}

/// renameat2(2) that fails where the new name is taken.
static inline int system_rename_exclusively(int directory, const char *from, const char *to) {
    return (int)syscall(SYS_renameat2, directory, from, directory, to, RENAME_NOREPLACE);
}

/// renameat2(2): each of two files in a directory gets the other's name.
static inline int system_exchange(int directory, const char *one, const char *other) {
    return (int)syscall(SYS_renameat2, directory, one, directory, other, RENAME_EXCHANGE);
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

/// landlock(7), for which glibc has no functions. The version of what this kernel has; negative for none.
static inline int system_landlock_version(void) {
    return (int)syscall(SYS_landlock_create_ruleset, NULL, 0, 1 /* LANDLOCK_CREATE_RULESET_VERSION */);
}

/// A descriptor of rules without which none of these accesses to files is possible any more.
static inline int system_landlock_rules(unsigned long long accesses) {
    return (int)syscall(SYS_landlock_create_ruleset, &accesses, sizeof(accesses), 0);
}

/// Allows them beneath an open directory, or to an open file.
static inline int system_landlock_allow(int rules, int file, unsigned long long accesses) {
    struct {
        unsigned long long accesses;
        int file;
    } __attribute__((packed)) rule = {accesses, file};
    return (int)syscall(SYS_landlock_add_rule, rules, 1 /* LANDLOCK_RULE_PATH_BENEATH */, &rule, 0);
}

/// For the calling thread and those that it starts.
static inline int system_landlock_enter(int rules) { return (int)syscall(SYS_landlock_restrict_self, rules, 0); }

/// prctl(2): this process gets the signal when the thread that has started it ends.
static inline int system_signal_at_parents_end(int signal) { return prctl(PR_SET_PDEATHSIG, signal, 0, 0, 0); }

/// setrlimit(2): no core file, and at most this many open files, for good.
static inline void system_limit_cores_and_files(rlim_t files) {
    struct rlimit limit = {0, 0};
    setrlimit(RLIMIT_CORE, &limit);
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_max <= files) return;
    limit.rlim_max = files;
    if (limit.rlim_cur > files) limit.rlim_cur = files;
    setrlimit(RLIMIT_NOFILE, &limit);
}

/// setrlimit(2): this many open files, if the hard limit allows them.
static inline void system_raise_file_limit(rlim_t files) {
    struct rlimit limit = {0, 0};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= files) return;
    limit.rlim_cur = files < limit.rlim_max ? files : limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

/// prctl(2): neither this thread nor a program that it starts gets more rights than it has.
static inline int system_give_up_new_privileges(void) { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); }

#if defined(__x86_64__)
#define SYSTEM_AUDIT_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define SYSTEM_AUDIT_ARCH AUDIT_ARCH_AARCH64
#endif

/// What no codec needs: sockets, other processes' memory, mounts, namespaces, keys, and the larger doors of the kernel.
static const unsigned system_refused_calls[] = {
    SYS_socket, SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_pidfd_getfd, SYS_mount, SYS_umount2,
    SYS_move_mount, SYS_open_tree, SYS_fsopen, SYS_fsmount, SYS_pivot_root, SYS_chroot, SYS_unshare, SYS_setns,
    SYS_open_by_handle_at, SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_kexec_load, SYS_bpf,
    SYS_perf_event_open, SYS_userfaultfd, SYS_io_uring_setup, SYS_add_key, SYS_request_key, SYS_keyctl, SYS_reboot,
    SYS_swapon, SYS_swapoff, SYS_settimeofday, SYS_clock_settime, SYS_acct, SYS_quotactl,
};

/// seccomp(2): from now on these calls, and all of another architecture, fail with EPERM in this thread and those that
/// it starts.
static inline int system_refuse_calls(void) {
#ifdef SYSTEM_AUDIT_ARCH
    enum { count = sizeof(system_refused_calls) / sizeof(system_refused_calls[0]) };
    const struct sock_filter refuse = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    const struct sock_filter load_number = BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    struct sock_filter program[6 + 2 * count + 1] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYSTEM_AUDIT_ARCH, 1, 0),
        refuse,
        load_number,
        // The numbers of x32 begin here.
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1),
        refuse,
    };
    for (int index = 0; index < count; index++) {
        const struct sock_filter is_call = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, system_refused_calls[index], 0, 1);
        program[6 + 2 * index] = is_call;
        program[6 + 2 * index + 1] = refuse;
    }
    const struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    program[6 + 2 * count] = allow;
    struct sock_fprog filter = {.len = 6 + 2 * count + 1, .filter = program};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0);
#else
    errno = ENOSYS;
    return -1;
#endif
}

#endif
