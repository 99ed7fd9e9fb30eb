/*
 * master_damage.h - workers whose memory is not what it was, and those that are of another program
 * or of other rows.
 *
 *     DAMAGED                        event, notice; the worker that it names is replaced; states of
 *                                    phases after the last good one are given up, the stored ones
 *                                    too; a new group at once
 *     HELLO of another build         stands by while workers of the others' build are here
 *     HELLO of another fingerprint   replaced; when two in a row report the same of one other
 *                                    worker, that one is replaced
 *
 * A generation counts how often states were given up. Each worker's HELLO names the last one it
 * knows, each GROUP the present one: a worker that was away meanwhile gives up its state, too.
 */
#pragma once

#include "runtime/train/master/master.h"

struct message;
struct message_hello;

/* A process must be replaced, or reports so itself: true the first time for each process. */
bool master_is_new_word(struct master *master, uint32_t index, uint32_t incarnation);
void master_on_damaged(struct master *master, int64_t now_ms, const struct message *message,
                       struct outbox *outbox);
/* It is connected and must not be a member. */
bool master_is_unfit(const struct master_worker *worker);
/* Notes the build that HELLO names: see master_damage.c. */
void master_note_build(struct master *master, int64_t now_ms, uint32_t index, uint64_t build,
                       struct outbox *outbox);
void master_choose_build(struct master *master);
bool master_check_fingerprint(struct master *master, int64_t now_ms,
                              const struct message_hello *hello, struct outbox *outbox);
/* A master before this one gave up states, and this one does not know which. True: so all states
 * are given up, also those that the present group computes or publishes, and a group must be made.
 */
bool master_note_generation(struct master *master, int64_t now_ms, uint64_t generation,
                            struct outbox *outbox);
