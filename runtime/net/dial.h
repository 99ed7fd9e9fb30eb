/*
 * dial.h - from an address to a connected socket, without waiting for it.
 *
 *     name --lookup--> addresses, tried one after the other --> socket
 *
 * An address whose machine is gone answers nothing at all, neither yes nor no: with answer_ms it
 * is given up after that time, and the next one is tried.
 */
#pragma once

#include "runtime/net/address.h"

struct event_base;
struct dial;

struct dial_owner {
    void *context;
    /* From the loop, once: free the dial. The socket is the owner's; -1: none
     * of the addresses answers, err is the error of the last of them. */
    void (*on_done)(void *context, int socket, const struct error *err);
};

/* INVALID, LIMIT for what is no address. answer_ms: of each address; 0: as long as the system
 * tries. The lookup has no deadline: the owner frees the dial when it has waited long enough. */
enum status dial_new(struct event_base *base, const char *address, int answer_ms,
                     struct dial_owner owner, struct dial **dial, struct error *err);
void dial_free(struct dial *dial);
