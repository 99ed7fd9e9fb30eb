/*
 * master_link.h - a role's connection to its master: asked for, lost, and asked for again.
 *
 *     connect --> connected --every alive_ms--> MASTER_SEND_ALIVE
 *                  |    ^
 *             lost |    | MASTER_CONNECT, reconnect_ms after the last attempt
 *                  v    |
 *                not connected --search_ms, search.h--> MASTER_GIVE_UP
 *
 * What is said on a new connection and how a role ends is the role's own.
 *
 * Pure: the caller passes the time in milliseconds.
 */
#pragma once

#include "runtime/role/outbox.h"
#include "runtime/role/search.h"

struct master_link {
    const char *address;
    int64_t alive_ms, reconnect_ms;
    struct search search;
    peer_id peer; /* PEER_NONE: not connected */
    int64_t connected_at, alive_at;
};

enum master_need { MASTER_NEEDS_NOTHING, MASTER_CONNECT, MASTER_SEND_ALIVE, MASTER_GIVE_UP };

/* search_ms 0: it never gives up. The address is borrowed. */
struct master_link master_link_of(const char *address, int64_t alive_ms, int64_t reconnect_ms,
                                  int64_t search_ms);
/* Asks for a connection, by the next of the role's own names. */
void master_link_connect(struct master_link *link, int64_t now_ms, peer_id *next_peer,
                         struct outbox *outbox);
/* The connection is gone, or there is none yet. */
void master_link_lost(struct master_link *link, int64_t now_ms);
/* The master has sent something. */
void master_link_found(struct master_link *link);
/* The role's next action; MASTER_SEND_ALIVE once an interval. */
enum master_need master_link_tick(struct master_link *link, int64_t now_ms);
