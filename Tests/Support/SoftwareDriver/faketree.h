/// A private folder that looks like the parts of /dev and /sys in which a render node is seen.

#ifndef SOFT_FAKETREE_H
#define SOFT_FAKETREE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

struct node {
    dev_t real_device;  // of the plain file that stands for the node
    ino_t real_inode;
    bool denied;
    uid_t owner;
    gid_t group;
    mode_t mode;
    char drm_name[64];
};

enum { MAX_NODES = 4, DRM_MAJOR = 226, FIRST_MINOR = 128 };

struct tree {
    char root[PATH_MAX];
    int count;
    struct node nodes[MAX_NODES];
};

/// Made once a process, from the environment; an equal one that another process has made is used again.
const struct tree *fake_tree(void);

#endif
