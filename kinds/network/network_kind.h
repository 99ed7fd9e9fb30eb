/*
 * network_kind.h - the kind "network": feed-forward networks, and linear models as those without
 * hidden layers.
 */
#ifndef KINDS_NETWORK_NETWORK_KIND_H
#define KINDS_NETWORK_NETWORK_KIND_H

#include "scoring/kind.h"

extern const struct kind network_kind;

#endif
