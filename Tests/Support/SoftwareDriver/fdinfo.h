#ifndef SOFT_FDINFO_H
#define SOFT_FDINFO_H

#include "shared.h"

/// Makes the node just opened as this file a new client.
void fdinfo_open_client(int file);

/// The engines' time for the client; NULL if it is not counted.
struct client_usage *fdinfo_usage(int file);

/// A file with a node's /proc/PID/fdinfo/FD. -1: the path is not a node's.
int fdinfo_open(const char *path, int flags);
int fdinfo_openat(int folder, const char *path, int flags);

#endif
