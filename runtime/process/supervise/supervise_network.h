/*
 * supervise_network.h - a local job whose roles talk as they do between
 * machines: over TCP, with certificates of the job's own authority.
 *
 * The supervisor is the authority; its key never leaves the process. Each role
 * finds its credentials in a folder of its own in the 0700 folder of the
 * sockets, made anew whenever it is started.
 */
#pragma once

#include "runtime/net/address.h"
#include "runtime/net/authority.h"
#include "runtime/role/job.h"

struct supervise_network {
    struct authority *authority;        /* NULL: Unix sockets */
    int reserved;                       /* keeps the master's port between its incarnations */
    char master[ADDRESS_TEXT_MAX + 1];  /* where the master listens */
    char workers[ADDRESS_TEXT_MAX + 1]; /* the same host, any port */
};

/* `listen` NULL: no network. */
enum status supervise_network_open(struct supervise_network *network, const struct job *job,
                                   const char *listen, struct error *err);
void supervise_network_close(struct supervise_network *network);

enum status supervise_network_issue(const struct supervise_network *network,
                                    const struct identity *who, const char *sockets,
                                    char folder[PATH_MAX], struct error *err);
