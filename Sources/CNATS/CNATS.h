// libnats: NATS with JetStream and key-value.
#ifndef CNATS_H
#define CNATS_H

#include <nats/nats.h>

#endif
