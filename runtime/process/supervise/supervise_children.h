/*
 * supervise_children.h - a job of several workers: the supervisor is the parent of the master, of
 * every worker and of every parameter server, holds their lifelines, starts dead ones again, and
 * runs as many workers as are wanted and have slots, and as many servers as the master says.
 */
#pragma once

#include "runtime/role/job.h"

/* Returns the exit code. `listen` NULL: the children talk over Unix sockets in the folder
 * `sockets`; else over TLS at this TCP address, and the folder keeps their credentials. */
int supervise_children(const struct job *job, const char *sockets, const char *listen,
                       bool is_detached);
