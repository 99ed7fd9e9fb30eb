/*
 * lookup.h - a host's name to its addresses, without waiting for it.
 *
 * getaddrinfo knows everything that the machine's administrator set up, but
 * may block for many seconds: it runs on a thread of its own. A lookup that is
 * no longer wanted is left to end by itself; what it finds is dropped.
 */
#pragma once

#include "runtime/net/address.h"

#define LOOKUP_ADDRESSES_MAX 16

struct event_base;
struct lookup;

struct lookup_owner {
    void *context;
    /* From the loop, once: free the lookup. count 0: err has the reason. */
    void (*on_found)(void *context, const struct address *addresses, size_t count,
                     const struct error *err);
};

/* `name`: an address that must be looked up, by address_read. */
enum status lookup_start(struct event_base *base, const struct address *name,
                         struct lookup_owner owner, struct lookup **lookup, struct error *err);
void lookup_free(struct lookup *lookup);
