#include "runtime/train/worker/worker_damage.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "runtime/train/worker/worker_parts.h"
#include "runtime/train/worker/worker_report.h"
#include "runtime/train/worker/worker_snapshot.h"
#include "runtime/train/worker/worker_state.h"
#include "runtime/train/worker/worker_switch.h"

#define ROWS_EVERY_MS 5000 /* from the end of one look at all rows to the next */
#define ROWS_AT_ONCE  4    /* chunks of 1 MiB a tick: less than a millisecond of 50 */

void worker_send_damage(const struct worker *worker, struct outbox *outbox)
{
    struct message message = worker_message(worker, MESSAGE_DAMAGED);

    message.damage = (struct message_damage){.index = worker->options.index,
                                             .incarnation = worker->options.incarnation,
                                             .rank = RANK_NONE,
                                             .is_own = true,
                                             .good = worker->damage.good,
                                             .reason = slice_of(worker->failure.message)};
    outbox_send(outbox, worker->master, &message);
}

void worker_damaged(struct worker *worker, uint64_t good, const struct error *err,
                    struct outbox *outbox)
{
    uint64_t position = 0;

    if (worker->state == WORKER_FAILED)
        return;
    worker->failure = *err;
    worker->state = WORKER_FAILED;
    /* Nobody will look at its rows any more. */
    if (good > worker->rows_good &&
        learner_verify_rows(worker->learner, &position, UINT64_MAX, NULL) != STATUS_OK)
        good = worker->rows_good;
    worker->damage = (struct damage){.is_own = true, .good = good};
    worker_send_damage(worker, outbox);
}

void worker_fail_or_damaged(struct worker *worker, const struct error *err, struct outbox *outbox)
{
    if (err->status == STATUS_CORRUPT)
        worker_damaged(worker, worker->learner->phase.number, err, outbox);
    else
        worker_fail(worker, err, outbox);
}

/* ---- the others ---- */

static uint64_t check_of(const struct worker *worker, uint32_t rank)
{
    return rank == worker->group.rank ? worker->check : worker->peers[rank].check;
}

static uint32_t count_like(const struct worker *worker, uint64_t check)
{
    uint32_t count = 0;

    for (uint32_t rank = 0; rank < worker->group.count; rank++)
        count += check_of(worker, rank) == check;
    return count;
}

/* More than half of the members have it; false: there is no such value. */
static bool find_majority(const struct worker *worker, uint64_t *check)
{
    for (uint32_t rank = 0; rank < worker->group.count; rank++) {
        *check = check_of(worker, rank);
        if (2 * count_like(worker, *check) > worker->group.count)
            return true;
    }
    return false;
}

static void send_difference(const struct worker *worker, uint32_t rank, uint64_t phase,
                            uint64_t good, struct outbox *outbox)
{
    struct message message = worker_message(worker, MESSAGE_DAMAGED);
    char reason[120];

    if (rank == RANK_NONE)
        snprintf(reason, sizeof reason, "the states of the workers differ before phase %" PRIu64,
                 phase);
    else
        snprintf(reason, sizeof reason,
                 "its state differs from that of the others before phase %" PRIu64, phase);
    message.damage = (struct message_damage){.index = worker->options.index,
                                             .incarnation = worker->options.incarnation,
                                             .rank = rank,
                                             .good = good,
                                             .reason = slice_of(reason)};
    outbox_send(outbox, worker->master, &message);
}

bool worker_compare(struct worker *worker, struct outbox *outbox)
{
    const uint64_t phase = worker->learner->phase.number;
    uint64_t most;

    if (count_like(worker, worker->check) == worker->group.count)
        return true;
    worker->damage.is_told = true; /* the next group is made at once */
    worker->damage.awaited = worker->generation + 1;
    worker->damage.phase = phase;
    worker->damage.agreed_on = worker->agreed < phase ? worker->agreed : UINT64_MAX;
    if (!find_majority(worker, &most)) {
        send_difference(worker, RANK_NONE, phase, worker->damage.agreed_on, outbox);
        return false;
    }
    for (uint32_t rank = 0; rank < worker->group.count; rank++)
        if (check_of(worker, rank) != most)
            send_difference(worker, rank, phase, phase, outbox);
    return false;
}

/* A new master knows no member of the old group by its rank, and whoever was right may be gone:
 * for it the states differ, and nobody knows whose is good. */
void worker_repeat_difference(const struct worker *worker, struct outbox *outbox)
{
    const struct damage *damage = &worker->damage;

    if (damage->awaited > worker->generation)
        send_difference(worker, RANK_NONE, damage->phase, damage->agreed_on, outbox);
}

/* ---- the end ---- */

/* All rows, from the first on: what the next master or model is made of was computed from them. */
bool worker_verify_all(struct worker *worker, struct outbox *outbox)
{
    uint64_t position = 0;
    struct error err;

    error_clear(&err);
    if (learner_verify_rows(worker->learner, &position, UINT64_MAX, &err) != STATUS_OK) {
        worker_damaged(worker, worker->rows_good, &err, outbox);
        return false;
    }
    if (learner_verify(worker->learner, LOOK_AT_ALL, NULL, &err) != STATUS_OK) {
        worker_damaged(worker, worker->agreed, &err, outbox);
        return false;
    }
    worker->rows_good = worker->learner->phase.number;
    worker->rows_position = 0;
    return true;
}

void worker_send_check(const struct worker *worker, struct outbox *outbox)
{
    struct message message = worker_message(worker, MESSAGE_CHECK);

    if (worker->group.rank == 0)
        return;
    message.check.phase = worker->learner->phase.number;
    message.check.value = worker->check;
    outbox_send(outbox, worker->peers[0].peer, &message);
}

void worker_on_check(struct worker *worker, uint32_t from, const struct message *message,
                     struct outbox *outbox)
{
    worker->peers[from].check = message->check.value;
    worker->peers[from].checked = message->check.phase + 1;
    worker_publish_if_agreed(worker, outbox);
}

bool worker_has_check(const struct worker *worker, uint32_t rank)
{
    return rank == worker->group.rank ||
           worker->peers[rank].checked == worker->learner->phase.number + 1;
}

void worker_publish_if_agreed(struct worker *worker, struct outbox *outbox)
{
    if (worker->group.rank != 0 || worker->state != WORKER_FINISHED || worker->publication.is_due ||
        worker->damage.is_told || worker_must_switch(worker))
        return;
    for (uint32_t rank = 0; rank < worker->group.count; rank++)
        if (!worker_has_check(worker, rank))
            return;
    if (worker_compare(worker, outbox))
        worker_announce_model(worker, outbox);
}

/* ---- rows ---- */

void worker_tick_rows(struct worker *worker, int64_t now_ms, struct outbox *outbox)
{
    struct error err;

    if (worker->state == WORKER_FAILED)
        return;
    if (worker->rows_position == 0) {
        if (now_ms - worker->rows_at < ROWS_EVERY_MS)
            return;
        worker->rows_begun = worker->learner->phase.number;
    }
    error_clear(&err);
    if (learner_verify_rows(worker->learner, &worker->rows_position, ROWS_AT_ONCE, &err) !=
        STATUS_OK) {
        worker_damaged(worker, worker->rows_good, &err, outbox);
        return;
    }
    worker->rows_at = now_ms;
    if (worker->rows_position == 0)
        worker->rows_good = worker->rows_begun;
}

/* ---- back ---- */

/* GROUP names the last time that states were given up, and which phase was good then. A worker that
 * missed more than one such time cannot know which of its states are good. */
void worker_go_back(struct worker *worker, const struct message_group *group)
{
    const bool knows = group->generation <= worker->generation + 1;

    if (group->generation <= worker->generation)
        return;
    worker->generation = group->generation;
    if (knows && group->good != UINT64_MAX && worker->learner->phase.number <= group->good)
        return;
    worker_forget_snapshot(worker);
    worker_forget_incoming(worker);
    learner_restart(worker->learner);
    worker->lanes_opened = 0;
    worker->rows_before = worker->rows_done;
    worker->rows_done = worker->loss_rows = 0;
    worker->records.count = worker->evaluations.count = 0;
    worker->loss_total = 0;
    worker->agreed = 0;
    worker->front_phase = UINT64_MAX;
    worker->publication = (struct publication){.is_due = false};
    if (worker->rows_good > worker->learner->phase.number)
        worker->rows_good = worker->learner->phase.number;
    worker->rows_position = 0;
}

void worker_count_redone(struct worker *worker)
{
    if (worker->rows_before > worker->rows_done)
        worker->rows_redone += worker->rows_before - worker->rows_done;
    worker->rows_before = 0;
    if (worker->abandoned_phase == worker->learner->phase.number)
        worker->rows_redone += worker->abandoned_rows;
    worker->abandoned_rows = 0;
}
