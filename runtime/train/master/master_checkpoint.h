/*
 * master_checkpoint.h - the state on its way into the store, and back to workers that lost it.
 *
 *     tick, or the last holder leaves --CHECKPOINT--> worker --SNAPSHOT--> piece stored
 *                                          ^                                  |
 *                                          +------- the next piece -----------+
 *                                               all are here: finish --master_on_stored-->
 */
#pragma once

#include "runtime/train/master/master.h"

struct message;
struct message_snapshot;

/* From the store, some time after OUTBOX_FINISH or _PIECE: `why` is OK where it worked. */
void master_on_stored(struct master *master, int64_t now_ms, uint64_t id, const struct error *why,
                      struct outbox *outbox);
void master_abandon_writing(struct master *master, int64_t now_ms, const char *why,
                            struct outbox *outbox);
/* The worker is idle and leaving: at once, or when its state is stored. */
void master_store_then_release(struct master *master, int64_t now_ms, uint32_t index,
                               struct outbox *outbox);
bool master_is_taking_back(const struct master *master);
void master_tick_checkpoint(struct master *master, int64_t now_ms, struct outbox *outbox);
void master_lose_writer(struct master *master, int64_t now_ms, uint32_t index,
                        struct outbox *outbox);
void master_on_snapshot(struct master *master, int64_t now_ms, uint32_t index,
                        const struct message_snapshot *snapshot, struct outbox *outbox);
void master_on_state_request(struct master *master, int64_t now_ms, uint32_t index,
                             const struct message *message, struct outbox *outbox);
/* A checkpoint cannot be used: reports which stored one the job continues from instead. */
void master_say_refused(struct master *master, int64_t now_ms, const char *why,
                        struct outbox *outbox);
void master_on_state_refused(struct master *master, int64_t now_ms, uint32_t index,
                             const struct message *message, struct outbox *outbox);
