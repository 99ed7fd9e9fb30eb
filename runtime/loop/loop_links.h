/*
 * loop_links.h - the connections of the roles in a loop: which are accepted, what arrives, what
 * leaves. Over TCP there is no connection without TLS.
 */
#pragma once

#include "runtime/loop/loop_parts.h"

enum status links_listen(struct loop_role *role, const char *address, char *bound,
                         size_t bound_size, struct error *err);
void links_connect(struct loop_role *role, peer_id peer, const char *address);
void links_close(struct loop_role *role, peer_id peer);
void links_send(struct loop_role *role, peer_id peer, struct slice bytes);
/* Lets go of what is written out, and of what is not established in time. */
void links_check(struct loop_role *role, int64_t now_ms);
bool links_are_drained(const struct loop_role *role);
void links_free(struct loop_role *role);

/* Delivers the frames that travel inside the process. True when there was any. */
bool local_frames_deliver(struct loop *loop);
void local_frames_free(struct loop *loop);
