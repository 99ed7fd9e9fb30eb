/*
 * links.h - connections between the nodes of a simulated world.
 *
 *     links_connect --> open --links_send--> what arrives is planned by the world
 *                        |
 *                        +--links_close, or a cut--> the other end learns of it later
 *
 * What is sent over one connection keeps its order; most of it takes a moment, some of it much
 * longer. A connection whose other side is nobody's closes by itself.
 */
#pragma once

#include "runtime/role/outbox.h"
#include "tests/sim/timeline.h"

#define LINKS_MAX   65536
#define LINK_NOBODY UINT32_MAX /* no node */

struct link_end {
    uint32_t node;
    peer_id peer; /* the node's id of the peer */
    bool is_open;
    int64_t last_at; /* arrival of the last thing that was sent to it */
};

struct link {
    struct link_end ends[2];
};

/* Plans that something arrives at an end: a frame, or that the connection is closed. */
typedef void link_plan(void *world, int64_t at, uint32_t link, uint32_t side, bool is_closing,
                       struct slice frame);

struct links {
    struct timeline *time; /* in milliseconds */
    link_plan *plan;
    void *world;
    struct link list[LINKS_MAX];
    uint32_t count;
};

/* `to` is LINK_NOBODY where nobody listens; to_peer is what it calls the connection. */
void links_connect(struct links *links, uint32_t from, peer_id peer, uint32_t to, peer_id to_peer);
/* To the end on that side. */
void links_send(struct links *links, uint32_t link, uint32_t side, struct slice frame);
void links_send_close(struct links *links, uint32_t link, uint32_t side);
/* By the end on that side. */
void links_close(struct links *links, uint32_t link, uint32_t side);
/* All that the node has open. */
void links_close_all(struct links *links, uint32_t node);
/* The newest of the node with that peer first. False where it is closed already. */
bool links_find(const struct links *links, uint32_t node, peer_id peer, uint32_t *link,
                uint32_t *side);
/* Cuts one that is open at both ends, for both; false where so many draws find none. */
bool links_cut_one(struct links *links, uint32_t tries, uint32_t *link);
