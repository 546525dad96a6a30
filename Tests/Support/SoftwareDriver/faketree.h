/// A private folder that imitates the parts of /dev and /sys with render nodes.

#ifndef SOFT_FAKETREE_H
#define SOFT_FAKETREE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "shared.h"

struct node {
    dev_t real_device;  // of the plain file that represents the node
    ino_t real_inode;
    bool denied;
    uid_t owner;
    gid_t group;
    mode_t mode;
    char drm_name[64], pci_slot[32];
    char fdinfo[16];  // the kernel driver that /proc/PID/fdinfo/FD imitates
    int engines;      // for decoding and for encoding
};

enum { DRM_MAJOR = 226, FIRST_MINOR = 128 };

struct tree {
    char root[PATH_MAX];
    int count;
    struct node nodes[MAX_NODES];
};

/// Made once per process, from the environment; reuses an equal one of another process.
const struct tree *fake_tree(void);

/// The index of the node that this file represents; -1: none.
int fake_node_at(dev_t device, ino_t inode);

/// The tree's shared memory, mapped once per process; NULL if that failed.
struct shared *fake_shared(void);

#endif
