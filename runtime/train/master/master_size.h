/*
 * master_size.h - as many workers as pay: what share_measure.h asks for, done with groups.
 *
 *     PROGRESS --rows, time--> share_measure --HALVE--> a group of half of the members; the others
 *                                            <--------- stand by, and are members again a moment
 *                                  |                    later
 *                                  +--DECIDED--> the launcher: so many workers pay
 *
 * A group is measured where each member has lanes, and its rows have all come once. A worker that
 * comes, goes or is lost ends what is under way.
 */
#pragma once

#include "runtime/train/master/master.h"

/* The lanes are known. */
void master_size_open(struct master *master, int64_t now_ms);
/* A worker has come, goes or is lost: all are members again with the group that follows. */
void master_size_on_change(struct master *master);
void master_size_on_progress(struct master *master, int64_t now_ms, struct outbox *outbox);
/* How many members there may be. */
uint32_t master_size_most(const struct master *master);
