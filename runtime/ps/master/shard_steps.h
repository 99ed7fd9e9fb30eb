/*
 * shard_steps.h - the master of a job whose lanes take steps together (server_steps.h): who has
 * which lane, and what happens when servers are too far apart.
 *
 *     group of shards, one a lane  --> all of them are leased, to each worker about as many
 *     the group behind it          --> is leased, too, so that workers need not wait for the master
 *
 * A worker that joins has lanes of the next group that is leased; the lanes of one that is lost go
 * to those who have the fewest.
 *
 * Servers tell which steps they have the rows before (`least` to `clock`). Each step that is to be
 * taken must be one of them on every server. A server that has lost steps, as its log was lost with
 * its machine, may have none of these: then nothing can go on. The master asks such a server once
 * more (TELL), since what it has heard of the others may be newer, and then gives all of them a new
 * layout in which nothing is counted (LAYOUT, anew). All steps are taken again, and make the same
 * model.
 */
#pragma once

#include "runtime/role/outbox.h"

struct shard_master;
struct shard_member;

void shard_steps_lease(struct shard_master *master, struct outbox *outbox);

/* Servers are about to drop the pushes of a step that is not whole. Workers that have pushed the
 * last batch of their lane think that it is done. */
void shard_steps_reopen(struct shard_master *master);

/* Takes a server's SERVER message. */
void shard_steps_on_server(struct shard_master *master, int64_t now_ms, struct shard_member *server,
                           const struct message_server *message, struct outbox *outbox);
/* It has the rows before this step, at least. */
void shard_steps_on_alive(struct shard_master *master, struct shard_member *server, uint64_t least,
                          struct outbox *outbox);
