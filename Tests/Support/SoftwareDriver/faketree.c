#define _GNU_SOURCE
#include "faketree.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct tree tree;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/// A copy of the driver's function: the shim is loaded into every child process, the driver is not.
static const char *switch_text(int device, const char *name, const char *otherwise) {
    char variable[64];
    snprintf(variable, sizeof variable, "SOFTVA_%d_%s", device, name);
    const char *value = getenv(variable);
    if (!value) {
        snprintf(variable, sizeof variable, "SOFTVA_%s", name);
        value = getenv(variable);
    }
    return value && *value ? value : otherwise;
}

static void in_tree(char path[PATH_MAX], const char *folder, const char *format, va_list arguments) {
    int length = snprintf(path, PATH_MAX, "%s", folder);
    vsnprintf(path + length, (size_t)(PATH_MAX - length), format, arguments);
}

/// Uses system calls directly: the C library's functions lead back into this shim.
static void make_folder(const char *root, const char *format, ...) {
    char path[PATH_MAX];
    va_list arguments;
    va_start(arguments, format);
    in_tree(path, root, format, arguments);
    va_end(arguments);
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        syscall(SYS_mkdirat, AT_FDCWD, path, 0755);
        *slash = '/';
    }
    syscall(SYS_mkdirat, AT_FDCWD, path, 0755);
}

static void make_file(const char *root, const char *text, const char *format, ...) {
    char path[PATH_MAX];
    va_list arguments;
    va_start(arguments, format);
    in_tree(path, root, format, arguments);
    va_end(arguments);
    long file = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (file < 0)
        return;
    if (syscall(SYS_write, file, text, strlen(text)) < 0)
        perror(path);
    syscall(SYS_close, file);
}

static void make_link(const char *root, const char *target, const char *format, ...) {
    char path[PATH_MAX];
    va_list arguments;
    va_start(arguments, format);
    in_tree(path, root, format, arguments);
    va_end(arguments);
    syscall(SYS_symlinkat, target, AT_FDCWD, path);
}

static void read_slot(int index, char slot[32]) {
    snprintf(slot, 32, "%s", switch_text(index, "PCI_SLOT", ""));
    if (!*slot)
        snprintf(slot, 32, "0000:%02x:00.0", index + 1);
}

/// A PCI device in sysfs, its render node, and the paths to it that libdrm and users take.
static void make_device(const char *root, int index) {
    unsigned vendor = 0x1af4, device = 0x5afa;
    sscanf(switch_text(index, "PCI", ""), "%x:%x", &vendor, &device);
    char slot[32], text[256], pci[64];
    read_slot(index, slot);
    snprintf(pci, sizeof pci, "/sys/devices/pci-soft/%s", slot);
    int minor = FIRST_MINOR + index;

    make_folder(root, "%s/drm/renderD%d", pci, minor);
    snprintf(text, sizeof text, "0x%04x\n", vendor);
    make_file(root, text, "%s/vendor", pci);
    make_file(root, text, "%s/subsystem_vendor", pci);
    snprintf(text, sizeof text, "0x%04x\n", device);
    make_file(root, text, "%s/device", pci);
    make_file(root, text, "%s/subsystem_device", pci);
    make_file(root, "0x01\n", "%s/revision", pci);
    make_file(root, "0x038000\n", "%s/class", pci);
    const char *driver = switch_text(index, "DRM_NAME", "soft");
    snprintf(text, sizeof text, "DRIVER=%s\nPCI_CLASS=38000\nPCI_ID=%04X:%04X\nPCI_SLOT_NAME=%s\n", driver, vendor,
             device, slot);
    make_file(root, text, "%s/uevent", pci);
    make_link(root, "../../../bus/pci", "%s/subsystem", pci);
    make_folder(root, "/sys/bus/pci/drivers/%s", driver);
    snprintf(text, sizeof text, "../../../bus/pci/drivers/%s", driver);
    make_link(root, text, "%s/driver", pci);
    snprintf(text, sizeof text, "../../../devices/pci-soft/%s", slot);
    make_link(root, text, "/sys/bus/pci/devices/%s", slot);

    snprintf(text, sizeof text, "MAJOR=%d\nMINOR=%d\nDEVNAME=dri/renderD%d\nDEVTYPE=drm_minor\n", DRM_MAJOR, minor,
             minor);
    make_file(root, text, "%s/drm/renderD%d/uevent", pci, minor);
    snprintf(text, sizeof text, "%d:%d\n", DRM_MAJOR, minor);
    make_file(root, text, "%s/drm/renderD%d/dev", pci, minor);
    make_link(root, "../..", "%s/drm/renderD%d/device", pci, minor);
    make_link(root, "../../../../../class/drm", "%s/drm/renderD%d/subsystem", pci, minor);
    snprintf(text, sizeof text, "../../devices/pci-soft/%s/drm/renderD%d", slot, minor);
    make_link(root, text, "/sys/class/drm/renderD%d", minor);
    make_link(root, text, "/sys/dev/char/%d:%d", DRM_MAJOR, minor);

    make_file(root, "", "/dev/dri/renderD%d", minor);
    snprintf(text, sizeof text, "../renderD%d", minor);
    make_link(root, text, "/dev/dri/by-path/pci-%s-render", slot);
}

static void make_tree(const char *root, int count) {
    make_folder(root, "/dev/dri/by-path");
    make_folder(root, "/sys/class/drm");
    make_folder(root, "/sys/dev/char");
    make_folder(root, "/sys/bus/pci/devices");
    for (int index = 0; index < count; index++)
        make_device(root, index);
}

static void read_node(int index, struct node *node) {
    char path[PATH_MAX + 32];
    struct statx status;
    snprintf(path, sizeof path, "%s/dev/dri/renderD%d", tree.root, FIRST_MINOR + index);
    if (syscall(SYS_statx, AT_FDCWD, path, 0, STATX_BASIC_STATS, &status) == 0) {
        node->real_device = (dev_t)status.stx_dev_major << 32 | status.stx_dev_minor;
        node->real_inode = status.stx_ino;
    }
    unsigned owner = 0, group = 0, mode = 0666;
    sscanf(switch_text(index, "NODE_OWNER", ""), "%u:%u", &owner, &group);
    sscanf(switch_text(index, "NODE_MODE", ""), "%o", &mode);
    node->owner = owner;
    node->group = group;
    node->mode = S_IFCHR | (mode & 07777);
    node->denied = strcmp(switch_text(index, "NODE_DENIED", "0"), "0") != 0;
    snprintf(node->drm_name, sizeof node->drm_name, "%s", switch_text(index, "DRM_NAME", "soft"));
    snprintf(node->fdinfo, sizeof node->fdinfo, "%s", switch_text(index, "FDINFO", "i915"));
    read_slot(index, node->pci_slot);
    node->engines = atoi(switch_text(index, "ENGINES", "1"));
}

/// FNV-1a of everything that the tree depends on.
static uint64_t fingerprint(int count) {
    uint64_t hash = 0xcbf29ce484222325;
    for (int index = 0; index < count; index++) {
        const char *parts[] = {switch_text(index, "PCI", ""), switch_text(index, "PCI_SLOT", ""),
                               switch_text(index, "DRM_NAME", "soft"), "|"};
        for (unsigned part = 0; part < sizeof parts / sizeof *parts; part++)
            for (const char *byte = parts[part]; *byte; byte++)
                hash = (hash ^ (uint8_t)*byte) * 0x100000001b3;
    }
    return hash;
}

/// Made under another name, then renamed: processes that start together do not see an incomplete tree.
static void open_tree(void) {
    int count = atoi(switch_text(0, "DEVICES", "1"));
    tree.count = count < 0 ? 0 : count > MAX_NODES ? MAX_NODES : count;
    char made[PATH_MAX];
    snprintf(tree.root, sizeof tree.root, "%s/softva-%u-%d-%016llx", switch_text(0, "ROOT", "/tmp"),
             (unsigned)geteuid(), tree.count, (unsigned long long)fingerprint(tree.count));
    struct statx status;
    if (syscall(SYS_statx, AT_FDCWD, tree.root, 0, STATX_BASIC_STATS, &status) != 0) {
        snprintf(made, sizeof made, "%.*s.%d", PATH_MAX - 16, tree.root, (int)getpid());
        make_tree(made, tree.count);
        syscall(SYS_renameat2, AT_FDCWD, made, AT_FDCWD, tree.root, 1 /* RENAME_NOREPLACE */);
    }
    for (int index = 0; index < tree.count; index++)
        read_node(index, &tree.nodes[index]);
}

const struct tree *fake_tree(void) {
    pthread_once(&once, open_tree);
    return &tree;
}

int fake_node_at(dev_t device, ino_t inode) {
    const struct tree *known = fake_tree();
    for (int index = 0; index < known->count; index++)
        if (known->nodes[index].real_inode == inode && known->nodes[index].real_device == device)
            return index;
    return -1;
}

static struct shared *shared;
static pthread_once_t shared_once = PTHREAD_ONCE_INIT;

static void map_shared(void) {
    char path[PATH_MAX + 16];
    snprintf(path, sizeof path, "%.*s/shared", PATH_MAX - 16, fake_tree()->root);
    long file = syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0 || syscall(SYS_ftruncate, file, sizeof *shared) != 0)
        return;
    void *memory = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, (int)file, 0);
    shared = memory == MAP_FAILED ? NULL : memory;
    syscall(SYS_close, file);
}

struct shared *fake_shared(void) {
    pthread_once(&shared_once, map_shared);
    return shared;
}
