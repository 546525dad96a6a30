#ifndef SOFT_FDINFO_H
#define SOFT_FDINFO_H

#include "shared.h"

/// The node that was just opened as this file is a new client.
void fdinfo_open_client(int file);

/// How long the engines have worked for the client; NULL when nothing counts it.
struct client_usage *fdinfo_usage(int file);

/// A file with what /proc/PID/fdinfo/FD says of a node. -1: the path leads to something else.
int fdinfo_open(const char *path, int flags);
int fdinfo_openat(int folder, const char *path, int flags);

#endif
