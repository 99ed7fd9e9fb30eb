/*
 * server_replay.h - how a new process of a parameter server reads the log of the one before
 * (server_log.h), behind its snapshot and before the role is started.
 *
 *     STEP --step of this layout--> counted, STEP
 *            --another one, or none--> MOVE --BEGIN ... READY--> READY: all is as it was then
 *                                        \--it ends before that--> its rows go, OVER
 *               READY --step of the layout to come--> in force, STEP
 *                     --another one, or none--> NEXT --a move from that layout--> in force, STEP
 *                                                    --none--> OVER: the master knows which layout
 *                                                            is in force, and tells (LAYOUT)
 *
 * Pure, as the role: its caller reads the entries that are wanted.
 */
#pragma once

#include "base/error.h"

struct server_role;

/* Number of the entry that is to be read next. */
uint64_t server_replay_wants(const struct server_role *role);
/* The entry; NULL: the log has none of that number. NOT_FOUND: this was all. Other errors: what is
 * wanted does not fit, and nothing behind it is of use. The role can be started after any of them,
 * but LIMIT and NO_MEMORY of a step. */
enum status server_replay_entry(struct server_role *role, const struct slice *entry,
                                struct error *err);
