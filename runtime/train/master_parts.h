/*
 * master_parts.h - what the files of the master share.
 *
 *     master.c         messages, and what each state does with them
 *     master_group.c   which workers are alive, and the groups made of them
 *     master_change.c  from group to group without losing work, leaving
 *     master_lanes.c   how many lanes each member has
 *     master_damage.c  memory that changed by itself, workers of another build or of other rows
 *     master_pairs.c   workers that cannot reach each other
 *     master_checkpoint.c  the state into the store and back
 *     master_record.c  rows in the job's store, reports to the session
 */
#ifndef RUNTIME_TRAIN_MASTER_PARTS_H
#define RUNTIME_TRAIN_MASTER_PARTS_H

#include "runtime/train/master.h"

#define INDEX_NONE UINT32_MAX

uint32_t master_find(const struct master *master, peer_id peer); /* INDEX_NONE */
/* The worker whose successor this peer is; INDEX_NONE. */
uint32_t master_find_successor(const struct master *master, peer_id peer);
/* After a worker has left or is lost: its successor may join. */
void master_call_successor(struct master *master, uint32_t index, struct outbox *outbox);
uint32_t master_rank(const struct master *master, uint32_t index);
/* Rank 0 of the group with this epoch: the present one, or the one before while
 * that still works. */
bool master_is_reporter(const struct master *master, uint32_t index, uint64_t epoch);
/* A new group of all connected workers, or WAITING when they are too few. At once: the phase in
 * flight is computed again. */
void master_regroup(struct master *master, int64_t now_ms, struct outbox *outbox);
/* The same after the phase in flight, without those who are leaving. */
void master_change_group(struct master *master, int64_t now_ms, struct outbox *outbox);
void master_on_met(struct master *master, int64_t now_ms, struct outbox *outbox);
void master_on_leaving(struct master *master, int64_t now_ms, uint32_t index,
                       struct outbox *outbox);
/* `epoch`: of the group that it is free of. */
void master_on_free(struct master *master, int64_t now_ms, uint32_t index, uint64_t epoch,
                    struct outbox *outbox);
/* Of the connected workers, with those that are leaving or without. `after`: the epoch of the
 * group whose phase in flight is finished first; 0: none. */
void master_make_group(struct master *master, int64_t now_ms, uint64_t after, bool with_leaving,
                       struct outbox *outbox);
/* A group without members: WAITING. */
void master_dissolve_group(struct master *master, int64_t now_ms, struct outbox *outbox);
void master_forget_old_group(struct master *master);
/* Whether a new group would have the same members. */
bool master_group_is_right(const struct master *master);
/* A process must be replaced, or reports so itself: true the first time for each process. */
bool master_is_new_word(struct master *master, uint32_t index, uint32_t incarnation);
void master_on_damaged(struct master *master, int64_t now_ms, const struct message *message,
                       struct outbox *outbox);
/* It is connected and must not be a member. */
bool master_is_unfit(const struct master_worker *worker);
/* Of HELLO: see master_damage.c. */
void master_note_build(struct master *master, int64_t now_ms, uint32_t index, uint64_t build,
                       struct outbox *outbox);
void master_choose_build(struct master *master);
bool master_check_fingerprint(struct master *master, int64_t now_ms,
                              const struct message_hello *hello, struct outbox *outbox);
void master_note_generation(struct master *master, int64_t now_ms, uint64_t generation,
                            struct outbox *outbox);
void master_abandon_writing(struct master *master, int64_t now_ms, const char *why,
                            struct outbox *outbox);
/* Connected workers that may be members. */
uint32_t master_count_able(const struct master *master);
/* PEER_LOST from the worker `index`, of the present group or of the one that works until that has
 * met. */
void master_note_unreached(struct master *master, int64_t now_ms, uint32_t index,
                           const struct message *lost, struct outbox *outbox);
/* Time from PEER_LOST to the next group: longer, the more groups in a row finished no phase. */
int64_t master_regroup_pause(const struct master *master);
/* The group of this epoch has reported this phase. */
void master_note_phase_done(struct master *master, uint64_t epoch, uint64_t phase);
/* A worker came or left: what is known of its predecessor does not count. */
void master_forget_pairs(struct master *master, int64_t now_ms, uint32_t index,
                         struct outbox *outbox);
void master_tick_pairs(struct master *master, int64_t now_ms, struct outbox *outbox);
void master_on_speed(struct master_worker *worker, const struct message_speed *speed);
/* To the members of the group, by speed where that is known. */
enum status master_deal_lanes(struct master *master, struct error *err);
/* A new group of the same members when they should have other lanes. */
void master_balance(struct master *master, int64_t now_ms, struct outbox *outbox);
void master_admit(struct master *master, int64_t now_ms, peer_id from,
                  const struct message *message, struct outbox *outbox);
void master_lose(struct master *master, int64_t now_ms, uint32_t index, const char *why,
                 struct outbox *outbox);
/* Workers with a drain notice leave together once no new notice has come for leave_ms. */
void master_tick_announced(struct master *master, int64_t now_ms, struct outbox *outbox);
void master_let_go(struct master *master, int64_t now_ms, uint32_t index, struct outbox *outbox);
/* The worker is idle and leaving: at once, or when its state is stored. */
void master_hand_back(struct master *master, int64_t now_ms, uint32_t index, struct outbox *outbox);
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
void master_send_end(const struct master *master, peer_id peer, struct outbox *outbox);

void master_put_job(struct master *master, int64_t now_ms, struct outbox *outbox);
void master_put_worker(const struct master *master, uint32_t index, const char *state,
                       uint32_t lanes, struct outbox *outbox);
void master_put_event(const struct master *master, int64_t now_ms, int64_t index, const char *event,
                      struct outbox *outbox, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
void master_report(const struct master *master, int64_t now_ms, enum job_event_kind kind,
                   struct outbox *outbox);
/* A line for the user. */
void master_notice(const struct master *master, int64_t now_ms, struct outbox *outbox,
                   const char *format, ...) __attribute__((format(printf, 4, 5)));
void master_note_progress(struct master *master, int64_t now_ms,
                          const struct message_progress *progress, struct outbox *outbox);
/* Rows whose result no connected worker has count as redone. */
void master_note_lost_rows(struct master *master);

#endif
