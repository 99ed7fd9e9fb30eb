#include "runtime/train/worker/worker.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/train/worker/worker_damage.h"
#include "runtime/train/worker/worker_group.h"
#include "runtime/train/worker/worker_parts.h"
#include "runtime/train/worker/worker_phase.h"
#include "runtime/train/worker/worker_report.h"
#include "runtime/train/worker/worker_snapshot.h"
#include "runtime/train/worker/worker_state.h"
#include "runtime/train/worker/worker_switch.h"

void worker_init(struct worker *worker, const struct worker_options *options,
                 struct learner *learner, const struct error *failure)
{
    *worker =
        (struct worker){.options = *options, .learner = learner, .next_peer = PEER_FIRST_ASKED};
    worker->search.limit_ms = options->search_ms;
    worker->sums.segment_least = options->segment_least;
    worker->sums.piece_bytes = options->piece_bytes;
    if (worker_make_rings(&worker->records, &worker->evaluations, &worker->failure) != STATUS_OK &&
        !failure) {
        worker->state = WORKER_FAILED;
        worker->is_unable = true;
    }
    if (failure) {
        worker->failure = *failure;
        worker->state = WORKER_FAILED;
        worker->is_unable = true;
    }
    text_init(&worker->incoming.front, sizeof(uint32_t) + STATE_FRONT_BYTES_MAX);
    text_init(&worker->front, sizeof(uint32_t) + STATE_FRONT_BYTES_MAX);
    text_init(&worker->snapshot.front, sizeof(uint32_t) + STATE_FRONT_BYTES_MAX);
    text_init(&worker->held, TEXT_MAXIMUM);
    text_init(&worker->next_group, FRAME_HEADER_BYTES + FRAME_PAYLOAD_MAX);
}

void worker_deinit(struct worker *worker)
{
    group_deinit(&worker->group);
    sums_deinit(&worker->sums);
    worker_forget_incoming(worker);
    worker_forget_snapshot(worker);
    text_deinit(&worker->incoming.front);
    text_deinit(&worker->snapshot.front);
    text_deinit(&worker->front);
    text_deinit(&worker->held);
    text_deinit(&worker->next_group);
    free(worker->peers);
    free(worker->early_peers);
    free(worker->records.list);
    free(worker->evaluations.list);
}

struct message worker_message(const struct worker *worker, enum message_type type)
{
    return (struct message){.type = type, .job = worker->options.job, .epoch = worker->group.epoch};
}

uint32_t worker_rank_of(const struct worker *worker, peer_id peer)
{
    for (uint32_t rank = 0; rank < worker->group.count; rank++)
        if (worker->peers[rank].peer == peer)
            return rank;
    return RANK_NONE;
}

void worker_send_to_all(const struct worker *worker, const struct message *message,
                        struct outbox *outbox)
{
    bool is_first = true;

    for (uint32_t rank = 0; rank < worker->group.count; rank++) {
        if (rank == worker->group.rank || worker->peers[rank].peer == PEER_NONE)
            continue;
        if (is_first)
            outbox_send(outbox, worker->peers[rank].peer, message);
        else
            outbox_send_again(outbox, worker->peers[rank].peer);
        is_first = false;
    }
}

/* It never had rows, cannot read them any more, or ran out of memory: this worker's failure does
 * not fail the job. */
static void send_unable(const struct worker *worker, struct outbox *outbox)
{
    struct message message = worker_message(worker, MESSAGE_UNABLE);

    message.unable =
        message_unable_of(worker->options.index, worker->options.incarnation, &worker->failure);
    outbox_send(outbox, worker->master, &message);
}

static void send_failure(const struct worker *worker, struct outbox *outbox)
{
    struct message message = worker_message(worker, MESSAGE_FAILED);

    if (worker->damage.is_own) {
        worker_send_damage(worker, outbox);
        return;
    }
    if (worker->is_unable) {
        send_unable(worker, outbox);
        return;
    }
    message.failure = message_failure_of(&worker->failure);
    outbox_send(outbox, worker->master, &message);
}

void worker_fail(struct worker *worker, const struct error *err, struct outbox *outbox)
{
    worker->failure = *err;
    worker->state = WORKER_FAILED;
    worker->is_unable = err->status == STATUS_NO_MEMORY || err->status == STATUS_IO;
    send_failure(worker, outbox);
}

void worker_lose_member(struct worker *worker, uint32_t rank, struct outbox *outbox)
{
    worker_close_peer(worker, worker->peers[rank].peer, outbox);
    worker->peers[rank].peer = PEER_NONE;
    worker->peers[rank].is_missed = true;
    worker_report_missed(worker, outbox);
}

void worker_report_missed(struct worker *worker, struct outbox *outbox)
{
    struct message message = worker_message(worker, MESSAGE_PEER_LOST);

    for (uint32_t rank = 0; rank < worker->group.count; rank++) {
        if (!worker->peers[rank].is_missed || worker_can_miss(worker, rank))
            continue;
        worker->peers[rank].is_missed = false;
        message.peer_lost.rank = rank;
        outbox_send(outbox, worker->master, &message);
    }
}

static void connect_master(struct worker *worker, int64_t now_ms, struct outbox *outbox)
{
    struct message message = worker_message(worker, MESSAGE_HELLO);
    struct learner_course course;

    worker->master = worker->next_peer++;
    worker->connected_at = worker->alive_at = now_ms;
    outbox_connect(outbox, worker->master, slice_of(worker->options.master));
    if (worker->state == WORKER_FAILED) {
        send_failure(worker, outbox);
        return;
    }
    course = worker->learner ? worker->learner->course : (struct learner_course){0, 1};
    message.hello.index = worker->options.index;
    message.hello.incarnation = worker->options.incarnation;
    message.hello.lanes = worker->learner->lanes;
    message.hello.phase = worker->learner->phase.number;
    message.hello.generation = worker->generation;
    message.hello.fingerprint = worker->learner->fingerprint;
    message.hello.build = worker->options.build;
    message.hello.round = course.round;
    message.hello.buckets = course.buckets;
    message.hello.first_lane = worker->lanes.first;
    message.hello.lane_count = worker->lanes.count;
    message.hello.is_leaving = worker->is_leaving;
    message.hello.address = slice_of(worker->options.address);
    outbox_send(outbox, worker->master, &message);
    worker_repeat_difference(worker, outbox);
    /* Repeats records first that were sent into a connection that was ending. */
    if (worker->group.count > 0)
        worker_repeat_records(worker, outbox);
}

void worker_start(struct worker *worker, int64_t now_ms, struct outbox *outbox)
{
    search_begin(&worker->search, now_ms);
    connect_master(worker, now_ms, outbox);
}

static void on_master_message(struct worker *worker, int64_t now_ms, const struct message *message,
                              struct outbox *outbox)
{
    search_end(&worker->search);
    switch (message->type) {
    case MESSAGE_GROUP:
        if (message->epoch > worker->group.epoch && worker->state != WORKER_FAILED)
            worker_on_group(worker, now_ms, message, outbox);
        break;
    case MESSAGE_SWITCH:
        worker_on_switch(worker, now_ms, message, outbox);
        break;
    case MESSAGE_STATE:
        worker_on_checkpoint_state(worker, now_ms, message, outbox);
        break;
    case MESSAGE_CHECKPOINT:
        worker_on_checkpoint(worker, message, outbox);
        break;
    case MESSAGE_TIME_OVER:
        if (worker->learner)
            learner_end_soon(worker->learner);
        break;
    case MESSAGE_MODEL_NEXT:
        worker_on_model_next(worker, message);
        break;
    case MESSAGE_END:
        worker->state = WORKER_ENDED;
        outbox_end(outbox, worker->is_unable ? STATUS_CONNECTION : STATUS_OK); /* come again */
        break;
    default:
        outbox_close(outbox, worker->master);
        worker->master = PEER_NONE;
        break;
    }
}

static void on_member_message(struct worker *worker, int64_t now_ms, uint32_t from,
                              const struct message *message, struct outbox *outbox)
{
    worker_note_met(worker, from, message->type);
    switch (message->type) {
    case MESSAGE_PEER_PHASES:
        worker_on_peer_phases(worker, now_ms, from, message, outbox);
        break;
    case MESSAGE_STATE_REQUEST:
        worker_on_state_request(worker, now_ms, from, message, outbox);
        break;
    case MESSAGE_STATE:
        worker_on_state(worker, now_ms, from, message, outbox);
        break;
    case MESSAGE_PARTIAL:
        worker_on_partial(worker, now_ms, from, message, outbox);
        break;
    case MESSAGE_SUM:
        worker_on_sum(worker, now_ms, from, message, outbox);
        break;
    case MESSAGE_CHECK:
        worker_on_check(worker, from, message, outbox);
        break;
    default:
        worker_lose_member(worker, from, outbox);
        break;
    }
}

void worker_on_message(struct worker *worker, int64_t now_ms, peer_id from,
                       const struct message *message, struct outbox *outbox)
{
    uint32_t rank;

    if (worker->state == WORKER_ENDED)
        return;
    if (message->job != worker->options.job) {
        outbox_close(outbox, from);
        worker_on_disconnect(worker, now_ms, from, outbox);
    } else if (from == worker->master) {
        on_master_message(worker, now_ms, message, outbox);
    } else if (message->type == MESSAGE_PEER_HELLO) {
        worker_on_peer_hello(worker, now_ms, from, message, outbox);
    } else {
        rank = worker_rank_of(worker, from);
        if (rank == RANK_NONE) /* a sender of a past group, or an unknown peer */
            outbox_close(outbox, from);
        else if (message->epoch == worker->group.epoch && worker->state != WORKER_FAILED)
            on_member_message(worker, now_ms, rank, message, outbox);
    }
}

void worker_on_disconnect(struct worker *worker, int64_t now_ms, peer_id peer,
                          struct outbox *outbox)
{
    uint32_t rank;

    if (peer == worker->master) {
        search_begin(&worker->search, now_ms);
        worker->master = PEER_NONE;     /* the next tick tries again */
        worker_forget_snapshot(worker); /* another master asks anew */
        return;
    }
    worker_forget_early_peer(worker, peer);
    rank = worker_rank_of(worker, peer);
    if (rank == RANK_NONE || worker->state == WORKER_ENDED)
        return;
    if (worker->peers[rank].is_kept)
        worker_meet_anew(worker, rank, outbox);
    else
        worker_lose_member(worker, rank, outbox);
}

/* Soon after a group's begin, when the master knows least about it; then as
 * often as PHASE_ALIVE. */
static void tell_speed(struct worker *worker, int64_t now_ms, struct outbox *outbox)
{
    struct message message;

    if (worker->speed_every_ms == 0 || now_ms - worker->speed_at < worker->speed_every_ms)
        return;
    worker_note_time(worker, now_ms);
    if (worker->lanes_timed == 0)
        return;
    message = worker_message(worker, MESSAGE_SPEED);
    message.speed = (struct message_speed){worker->lanes_timed, worker->busy_ms};
    outbox_send(outbox, worker->master, &message);
    worker->lanes_timed = worker->busy_ms = 0;
    worker->speed_at = now_ms;
    worker->speed_every_ms *= 2;
    if (worker->speed_every_ms > worker->options.alive_ms)
        worker->speed_every_ms = worker->options.alive_ms;
}

/* It was in no group, and no master is connected: no other process waits for its work. */
static bool is_unknown(const struct worker *worker)
{
    return worker->master == PEER_NONE && worker->group.epoch == 0;
}

/* A master that has come since then needs time to make a group without it. */
static bool has_left(const struct worker *worker, int64_t now_ms)
{
    const int64_t wait_ms = worker->was_alone && worker->search.is_on ? worker->options.alone_ms
                                                                      : worker->options.grace_ms;

    return now_ms >= worker->leave_asked_at + wait_ms || is_unknown(worker);
}

void worker_on_tick(struct worker *worker, int64_t now_ms, struct outbox *outbox)
{
    const int64_t connected_at = worker->master == PEER_NONE ? -1 : worker->connected_at;
    struct message message;

    if (worker->state == WORKER_ENDED)
        return;
    if (worker->is_leaving && has_left(worker, now_ms)) {
        worker->state = WORKER_ENDED;
        outbox_end(outbox, STATUS_OK);
        return;
    }
    if (search_is_over(&worker->search, now_ms, connected_at)) {
        worker->state = WORKER_ENDED;
        outbox_end(outbox, STATUS_CONNECTION);
        return;
    }
    if (worker->master == PEER_NONE) {
        if (now_ms - worker->connected_at >= worker->options.reconnect_ms)
            connect_master(worker, now_ms, outbox);
        return;
    }
    worker_tick_rows(worker, now_ms, outbox);
    if (worker->state != WORKER_FAILED)
        tell_speed(worker, now_ms, outbox);
    if (worker->state == WORKER_FAILED || now_ms - worker->alive_at < worker->options.alive_ms)
        return;
    worker->alive_at = now_ms;
    message = worker_message(worker, MESSAGE_PHASE_ALIVE);
    message.phase_alive.phase = worker->learner->phase.number;
    message.phase_alive.rows_good = worker->rows_good;
    outbox_send(outbox, worker->master, &message);
}

bool worker_is_stuck(const struct worker *worker)
{
    return worker->is_leaving && worker->search.is_on && worker->state != WORKER_ENDED;
}

bool worker_has_work(const struct worker *worker)
{
    return worker->state == WORKER_COMPUTING ||
           (worker->state == WORKER_FINISHED && worker_must_publish(worker));
}

bool worker_expects_soon(const struct worker *worker)
{
    return worker->state == WORKER_EXCHANGING;
}

void worker_work(struct worker *worker, int64_t now_ms, struct outbox *outbox)
{
    if (worker->state == WORKER_COMPUTING)
        worker_compute_lanes(worker, now_ms, outbox);
    else if (worker_has_work(worker))
        worker_publish(worker, outbox);
}
