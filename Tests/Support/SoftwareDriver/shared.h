/// Shared by all processes with the same private tree (faketree.h), in place of the kernel: when each device's engines
/// are free, and their time for each client. A client is an open file description of a node.

#ifndef SOFT_SHARED_H
#define SOFT_SHARED_H

#include <stdatomic.h>
#include <sys/ioctl.h>

enum engine { ENGINE_DECODE, ENGINE_ENCODE, ENGINE_PROCESS, ENGINE_COUNT };

enum { MAX_NODES = 4, MAX_ENGINES = 8, CLIENT_COUNT = 4096 };

/// Times are nanoseconds of the monotonic clock.
struct device_engines {
    atomic_ullong free_at[ENGINE_COUNT][MAX_ENGINES];
};

struct client_usage {
    atomic_ullong busy[ENGINE_COUNT];
};

struct shared {
    atomic_uint last_client;
    struct device_engines devices[MAX_NODES];
    struct client_usage usage[CLIENT_COUNT];
};

/// An ioctl in DRM's range for drivers that returns the node's part to the driver.
struct node_share {
    struct device_engines *engines;
    struct client_usage *usage;
};

#define SOFT_IOCTL_SHARE _IOR('d', 0x7f, struct node_share)

#endif
