#include "runtime/train/worker/worker_phase.h"

#include <assert.h>
#include <string.h>

#include "runtime/train/sums_pieces.h"
#include "runtime/train/worker/worker_damage.h"
#include "runtime/train/worker/worker_fault.h"
#include "runtime/train/worker/worker_parts.h"
#include "runtime/train/worker/worker_report.h"
#include "runtime/train/worker/worker_snapshot.h"
#include "runtime/train/worker/worker_state.h"
#include "runtime/train/worker/worker_switch.h"

static const struct member *own_member(const struct worker *worker)
{
    return &worker->group.members[worker->group.rank];
}

/* Handles the messages that came before this worker was ready for them. */
static void replay_held(struct worker *worker, int64_t now_ms, struct outbox *outbox)
{
    struct text held = worker->held;
    struct byte_reader reader = byte_reader_over(text_slice(&held));

    text_init(&worker->held, TEXT_MAXIMUM);
    while (!reader_is_done(&reader) && !reader.failed) {
        uint32_t rank = read_u32(&reader);
        struct slice frame = read_sized(&reader, FRAME_HEADER_BYTES + FRAME_PAYLOAD_MAX);
        struct message message;

        if (message_read(frame, &message, NULL) != STATUS_OK)
            continue;
        assert(message.epoch == worker->group.epoch); /* worker_abandon_phase() clears the others */
        if (worker->peers[rank].peer != PEER_NONE)
            worker_on_partial(worker, now_ms, rank, &message, outbox);
    }
    text_deinit(&held);
}

/* Takes the own lanes of the group. If they are others than before, the learner opens all of them:
 * its memory of other lanes' rows is of no use. */
static void hold_lanes(struct worker *worker)
{
    const struct member *own = own_member(worker);

    if (own->first_lane == worker->lanes.first && own->lane_count == worker->lanes.count)
        return;
    worker->lanes = (struct share){own->first_lane, own->lane_count};
    worker->lanes_opened = 0;
}

void worker_begin_phase(struct worker *worker, int64_t now_ms, struct outbox *outbox)
{
    const struct phase *phase = &worker->learner->phase;
    struct error err;

    worker_count_redone(worker);
    worker->check = learner_check(worker->learner);
    if (phase->kind == PHASE_DONE) {
        worker->state = WORKER_FINISHED;
        if (!worker_verify_all(worker, outbox))
            return;
        worker_send_check(worker, outbox);
        if (worker_go_if_finished(worker, now_ms, outbox))
            return;
        worker_report_missed(worker, outbox);
        worker_publish_if_agreed(worker, outbox);
        return;
    }
    error_clear(&err);
    if (sums_begin(&worker->sums, phase, worker->group.rank, worker->group.count, &err) !=
        STATUS_OK) {
        worker_fail(worker, &err, outbox);
        return;
    }
    assert(worker->sums.owners <= worker->owners);
    hold_lanes(worker);
    worker->next_lane = worker->next_untimed = 0;
    worker->computing_at = now_ms;
    worker->waited_ms = 0;
    worker->own_segment_is_sent = false;
    worker->state = WORKER_COMPUTING;
    worker_report_missed(worker, outbox);
    if (phase->kind == PHASE_LEARN)
        worker_fault(worker, FAULT_BEGIN);
    if (worker->held.size > 0)
        replay_held(worker, now_ms, outbox);
}

void worker_abandon_phase(struct worker *worker)
{
    const struct phase *phase = &worker->learner->phase;

    /* Whether they are computed again shows when the next phase begins: others may have been
     * through this one already. */
    if ((worker->state == WORKER_COMPUTING && worker->next_lane > 0) ||
        worker->state == WORKER_EXCHANGING) {
        worker->abandoned_phase = phase->number;
        worker->abandoned_rows = phase->kind == PHASE_LEARN ? phase->rows : 0;
    }
    text_clear(&worker->held);
    worker_forget_incoming(worker);
    worker->publication.is_due = false;
}

/* Sends an owner the own partial sums that it adds up, in pieces. */
static void send_partial(struct worker *worker, uint32_t to, struct outbox *outbox)
{
    struct sums *sums = &worker->sums;
    struct sums_pieces pieces = sums_partial_pieces(sums, to);

    do {
        struct message message = worker_message(worker, MESSAGE_PARTIAL);

        message.partial.phase = sums->phase;
        message.partial.check = worker->check;
        sums_next_partial(sums, &pieces, &message.partial);
        outbox_send(outbox, worker->peers[to].peer, &message);
        worker_flip_message(worker, outbox);
    } while (!pieces.is_at_end);
}

/* The own totals, to everyone. */
static void send_sum(struct worker *worker, struct outbox *outbox)
{
    struct sums *sums = &worker->sums;
    struct sums_pieces pieces;

    worker->own_segment_is_sent = true;
    if (sums->rank == 0)
        worker->switch_epoch = worker->switch_asked;
    if (worker->group.count == 1 || !sums_is_owner(sums, sums->rank))
        return;
    pieces = sums_total_pieces(sums);
    do {
        struct message message = worker_message(worker, MESSAGE_SUM);

        message.sum.phase = sums->phase;
        if (sums->rank == 0)
            message.sum.next_epoch = worker->switch_epoch;
        sums_next_total(sums, &pieces, &message.sum);
        worker_send_to_all(worker, &message, outbox);
        worker_flip_message(worker, outbox);
    } while (!pieces.is_at_end);
    worker_fault(worker, FAULT_AFTER_SUM);
}

static void apply(struct worker *worker, int64_t now_ms, struct outbox *outbox)
{
    const struct phase_totals totals = sums_totals(&worker->sums);
    struct learner_report report;
    struct error err;

    memset(&report, 0, sizeof report);
    error_clear(&err);
    worker_fault(worker, FAULT_BEFORE_APPLY);
    worker_keep_snapshot(worker);
    if ((worker->is_starved && fail_no_memory(&err) != STATUS_OK) ||
        sums_verify(&worker->sums, &err) != STATUS_OK ||
        learner_apply(worker->learner, &totals, &report, &err) != STATUS_OK) {
        worker_fail_or_damaged(worker, &err, outbox);
        return;
    }
    worker->agreed = worker->sums.phase;
    worker->all_have_met = true;
    worker_fault(worker, FAULT_AFTER_APPLY);
    worker_note_report(worker, now_ms, &report, outbox);
    if (worker_must_switch(worker))
        worker_switch(worker, now_ms, outbox);
    else
        worker_begin_phase(worker, now_ms, outbox);
}

/* Rank 0 has compared the members' states, and the own segment's totals are what was added up:
 * their reals are made. */
static bool resolve_own(struct worker *worker, struct outbox *outbox)
{
    struct learner *learner = worker->learner;
    struct error err;

    error_clear(&err);
    if (worker->damage.is_told || (worker->group.rank == 0 && !worker_compare(worker, outbox)))
        return false;
    if (sums_resolve(&worker->sums, learner->method->resolve, learner, &err) == STATUS_OK)
        return true;
    worker_fail_or_damaged(worker, &err, outbox);
    return false;
}

/* After the own lanes are done, each arrival may complete the own segment, the
 * phase, or both. */
static void advance(struct worker *worker, int64_t now_ms, struct outbox *outbox)
{
    const struct sums *sums = &worker->sums;

    if (worker->state != WORKER_EXCHANGING)
        return;
    if (!worker->own_segment_is_sent && sums->partials_missing == 0 && resolve_own(worker, outbox))
        send_sum(worker, outbox);
    if (worker->own_segment_is_sent && sums->sums_missing == 0)
        apply(worker, now_ms, outbox);
}

void worker_note_time(struct worker *worker, int64_t now_ms)
{
    int64_t waited;

    if (worker->state != WORKER_COMPUTING)
        return;
    worker->lanes_timed += worker->next_lane - worker->next_untimed;
    waited = worker->waited_ms < now_ms - worker->computing_at ? worker->waited_ms
                                                               : now_ms - worker->computing_at;
    worker->busy_ms += (uint32_t)(now_ms - worker->computing_at - waited);
    worker->waited_ms -= waited;
    worker->next_untimed = worker->next_lane;
    worker->computing_at = now_ms;
}

static enum status compute_some(struct worker *worker, uint32_t left, struct error *err)
{
    struct learner *learner = worker->learner;
    const uint32_t most = worker->options.lanes_at_once;
    const uint64_t before = learner->contributed;
    const uint64_t waited = learner->waited_ms;
    uint32_t done;

    TRY(sums_before_lanes(&worker->sums, err));
    TRY(learner_contribute(learner, own_member(worker)->first_lane + worker->next_lane,
                           most > 0 && most < left ? most : left, worker->sums.integers,
                           worker->sums.elements, sums_touched(&worker->sums), &done, err));
    worker->waited_ms += (int64_t)(learner->waited_ms - waited);
    worker->next_lane += done;
    sums_after_lanes(&worker->sums, learner->contributed - before);
    return STATUS_OK; /* the time that it took shows in the next call */
}

/* Nothing leaves this worker that was computed with other weights than those that were written. Of
 * a member alone nothing leaves before a step or verify has looked at them. */
static enum status end_lanes(struct worker *worker, struct error *err)
{
    if (worker->group.count > 1)
        TRY(learner_verify(worker->learner, LOOK_AT_USED, sums_touched(&worker->sums), err));
    return sums_end_lanes(&worker->sums, err);
}

static void send_partials(struct worker *worker, int64_t now_ms, struct outbox *outbox)
{
    worker_note_time(worker, now_ms);
    worker->state = WORKER_EXCHANGING;
    for (uint32_t rank = 0; rank < worker->group.count; rank++)
        if (rank != worker->group.rank && sums_is_owner(&worker->sums, rank))
            send_partial(worker, rank, outbox);
    worker_fault(worker, FAULT_AFTER_PARTIAL);
    advance(worker, now_ms, outbox);
}

void worker_compute_lanes(struct worker *worker, int64_t now_ms, struct outbox *outbox)
{
    struct learner *learner = worker->learner;
    const uint32_t left = own_member(worker)->lane_count - worker->next_lane;
    enum status status;
    struct error err;

    error_clear(&err);
    if (left > 0 && learner_opens_lanes(learner) && worker->lanes_opened < worker->lanes.count) {
        worker->computing_at = now_ms; /* no lane's time */
        worker->waited_ms = 0;
        worker->lanes_opened = learner_lane_open(learner, worker->lanes.first, worker->lanes.count,
                                                 worker->lanes_opened);
        return;
    }
    status = left > 0 ? compute_some(worker, left, &err) : end_lanes(worker, &err);
    if (status != STATUS_OK)
        worker_fail_or_damaged(worker, &err, outbox);
    else if (left == 0)
        send_partials(worker, now_ms, outbox);
}

/* A member that has applied a phase sends its next PARTIAL while another still
 * waits for that phase's last SUM, or for the state. */
static bool comes_early(const struct worker *worker, uint64_t phase)
{
    switch (worker->state) {
    case WORKER_MEETING:
        return true; /* the others have met already */
    case WORKER_FETCHING:
        return phase == worker->target;
    case WORKER_COMPUTING:
    case WORKER_EXCHANGING:
        return phase == worker->sums.phase + 1;
    default:
        return false;
    }
}

static void hold(struct worker *worker, uint32_t from, const struct message *message,
                 struct outbox *outbox)
{
    struct text frame;
    struct error err;

    text_init(&frame, FRAME_HEADER_BYTES + FRAME_PAYLOAD_MAX);
    error_clear(&err);
    if (message_write(message, &frame, &err) == STATUS_OK) {
        put_u32(&worker->held, from);
        put_sized(&worker->held, text_slice(&frame));
        if (worker->held.failed)
            fail_no_memory(&err);
    }
    text_deinit(&frame);
    if (err.status != STATUS_OK)
        worker_fail(worker, &err, outbox);
}

void worker_on_partial(struct worker *worker, int64_t now_ms, uint32_t from,
                       const struct message *message, struct outbox *outbox)
{
    bool is_current = (worker->state == WORKER_COMPUTING || worker->state == WORKER_EXCHANGING) &&
                      message->partial.phase == worker->sums.phase;

    if (!is_current && comes_early(worker, message->partial.phase)) {
        hold(worker, from, message, outbox);
    } else if (!is_current ||
               sums_add_partial(&worker->sums, from, &message->partial, NULL) != STATUS_OK) {
        worker_lose_member(worker, from, outbox);
    } else {
        worker->peers[from].check = message->partial.check;
        advance(worker, now_ms, outbox);
    }
}

void worker_on_sum(struct worker *worker, int64_t now_ms, uint32_t from,
                   const struct message *message, struct outbox *outbox)
{
    /* No owner can have totals before this worker's own lanes are in them. */
    if (worker->state != WORKER_EXCHANGING || message->sum.phase != worker->sums.phase ||
        sums_take_sum(&worker->sums, from, &message->sum, NULL) != STATUS_OK) {
        worker_lose_member(worker, from, outbox);
        return;
    }
    if (from == 0)
        worker->switch_epoch = message->sum.next_epoch;
    advance(worker, now_ms, outbox);
}
