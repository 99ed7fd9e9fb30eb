/*
 * child_arguments.h - what `totrain master`, `worker` or `ps` is called with by its supervisor.
 */
#pragma once

#include "runtime/net/identity.h"
#include "runtime/process/supervise/supervise_network.h"

struct child_arguments {
    char folder[PATH_MAX], index[16], incarnation[16];
    char listen[ADDRESS_TEXT_MAX + 1], master[ADDRESS_TEXT_MAX + 1];
    char tls[PATH_MAX]; /* the caller's to fill; empty: Unix sockets */
    char *list[16];     /* NULL-terminated */
};

void child_arguments_list(struct child_arguments *arguments,
                          const struct supervise_network *network, const char *folder,
                          const char *sockets, const struct identity *who, uint32_t incarnation);
