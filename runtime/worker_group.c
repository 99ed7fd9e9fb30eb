#include <stdlib.h>
#include <string.h>

#include "runtime/worker_parts.h"

static const struct phase *phase_of(const struct worker *worker)
{
    return worker->learning.phase(worker->learning.self);
}

static void say_hello(const struct worker *worker, peer_id peer, struct outbox *outbox)
{
    struct message message = worker_message(worker, MESSAGE_PEER_HELLO);

    message.peer_hello.rank = worker->group.rank;
    message.peer_hello.phase = phase_of(worker)->number;
    outbox_send(outbox, peer, &message);
}

/* The lowest rank that is at the target gives it to those who are behind; rank 0
 * does when it has to fetch it itself. */
static void note_debts(struct worker *worker)
{
    const uint64_t own = phase_of(worker)->number;
    bool is_source = own == worker->target || worker->source == SOURCE_MASTER;

    for (uint32_t rank = 0; rank < worker->group.rank; rank++)
        is_source = is_source && worker->peers[rank].phase != worker->target;
    for (uint32_t rank = 0; rank < worker->group.count; rank++)
        worker->peers[rank].is_owed_state =
            is_source && rank != worker->group.rank && worker->peers[rank].phase < worker->target;
}

/* All have said how far they are: those who are behind (by one phase when a
 * death cut the exchange, by everything when they just joined) ask the lowest
 * rank that is ahead for its state. When the checkpoint is ahead of all, rank 0
 * asks the master for it, and the others rank 0. */
static void decide_target(struct worker *worker, int64_t now_ms, struct outbox *outbox)
{
    uint64_t own = phase_of(worker)->number;

    worker->target = own;
    worker->source = worker->group.rank;
    for (uint32_t rank = 0; rank < worker->group.count; rank++) {
        if (rank == worker->group.rank)
            continue;
        if (!worker->peers[rank].has_hello)
            return;
        if (worker->peers[rank].phase > worker->target) {
            worker->target = worker->peers[rank].phase;
            worker->source = rank;
        }
    }
    if (worker->target < worker->checkpoint) {
        worker->target = worker->checkpoint;
        worker->source = worker->group.rank == 0 ? SOURCE_MASTER : 0;
    }
    note_debts(worker);
    if (worker->group.rank == 0) {
        struct message met = worker_message(worker, MESSAGE_MET);
        outbox_send(outbox, worker->master, &met);
    }
    if (worker->target == own) {
        worker_repeat_records(worker, outbox);
        worker_begin_phase(worker, now_ms, outbox);
        return;
    }
    worker->state = WORKER_FETCHING;
    text_clear(&worker->state_bytes);
    worker_request_state(worker, outbox);
}

static void take_hello(struct worker *worker, uint32_t rank, peer_id peer, uint64_t phase)
{
    worker->peers[rank] = (struct member_peer){.peer = peer, .has_hello = true, .phase = phase};
}

/* A member of higher rank has connected. */
static void welcome(struct worker *worker, const struct visitor *visitor, struct outbox *outbox)
{
    if (visitor->rank <= worker->group.rank || visitor->rank >= worker->group.count ||
        worker->peers[visitor->rank].peer != PEER_NONE) {
        outbox_close(outbox, visitor->peer);
        return;
    }
    take_hello(worker, visitor->rank, visitor->peer, visitor->phase);
    say_hello(worker, visitor->peer, outbox);
}

static bool remember_visitor(struct worker *worker, const struct visitor *visitor)
{
    if (worker->visitor_count == MESSAGE_MEMBERS_MAX)
        return false;
    if (worker->visitor_count == worker->visitor_capacity) {
        uint32_t capacity = worker->visitor_capacity ? 2 * worker->visitor_capacity : 8;
        struct visitor *grown = realloc(worker->visitors, capacity * sizeof *grown);

        if (!grown)
            return false;
        worker->visitors = grown;
        worker->visitor_capacity = capacity;
    }
    worker->visitors[worker->visitor_count++] = *visitor;
    return true;
}

void worker_forget_visitor(struct worker *worker, peer_id peer)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < worker->visitor_count; i++)
        if (worker->visitors[i].peer != peer)
            worker->visitors[kept++] = worker->visitors[i];
    worker->visitor_count = kept;
}

/* Visitors of this group come in, those of older ones go, those of newer ones wait. */
static void sort_visitors(struct worker *worker, struct outbox *outbox)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < worker->visitor_count; i++) {
        const struct visitor *visitor = &worker->visitors[i];

        if (visitor->epoch == worker->group.epoch)
            welcome(worker, visitor, outbox);
        else if (visitor->epoch < worker->group.epoch)
            outbox_close(outbox, visitor->peer);
        else
            worker->visitors[kept++] = *visitor;
    }
    worker->visitor_count = kept;
}

static enum status reset_peers(struct worker *worker, struct error *err)
{
    if (worker->group.count > worker->peer_capacity) {
        struct member_peer *grown = realloc(worker->peers, worker->group.count * sizeof *grown);

        if (!grown)
            return fail_no_memory(err);
        worker->peers = grown;
        worker->peer_capacity = worker->group.count;
    }
    memset(worker->peers, 0, worker->group.count * sizeof *worker->peers);
    return STATUS_OK;
}

/* Each group has its own connections: nothing of an old one can be in them. */
void worker_leave_group(struct worker *worker, struct outbox *outbox)
{
    for (uint32_t rank = 0; rank < worker->group.count; rank++)
        outbox_close(outbox, worker->peers[rank].peer);
    worker->group.count = 0;
    worker->switch_asked = worker->switch_epoch = 0;
    text_clear(&worker->next_group);
}

void worker_join_group(struct worker *worker, int64_t now_ms, const struct message *message,
                       struct outbox *outbox)
{
    struct error err;
    uint32_t lanes = worker->learning.lanes(worker->learning.self);

    /* Others have been through the phase in flight: it is not done again. */
    if (message->group.checkpoint > phase_of(worker)->number)
        worker->state = WORKER_JOINING;
    worker_abandon_phase(worker);
    worker_leave_group(worker, outbox);
    error_clear(&err);
    if (group_read(&worker->group, message, worker->options.index, lanes, &err) != STATUS_OK ||
        reset_peers(worker, &err) != STATUS_OK) {
        worker->group.count = 0;
        worker_fail(worker, &err, outbox);
        return;
    }
    worker->recorded = message->group.recorded;
    worker->checkpoint = message->group.checkpoint;
    if (worker->rows_redone < message->group.rows_redone)
        worker->rows_redone = message->group.rows_redone;
    worker->state = WORKER_MEETING;
    worker->lanes_timed = worker->busy_ms = 0;
    worker->speed_at = now_ms;
    worker->speed_every_ms = worker->options.speed_first_ms;
    /* The higher rank connects, so that two never connect to each other. */
    for (uint32_t rank = 0; rank < worker->group.rank; rank++) {
        peer_id peer = worker->next_peer++;

        worker->peers[rank].peer = peer;
        outbox_connect(outbox, peer, slice_of(worker->group.members[rank].address));
        say_hello(worker, peer, outbox);
    }
    sort_visitors(worker, outbox);
    decide_target(worker, now_ms, outbox);
}

void worker_on_peer_hello(struct worker *worker, int64_t now_ms, peer_id from,
                          const struct message *message, struct outbox *outbox)
{
    struct visitor visitor = {.peer = from,
                              .epoch = message->epoch,
                              .phase = message->peer_hello.phase,
                              .rank = message->peer_hello.rank};
    uint32_t known = worker_rank_of(worker, from);

    if (known != RANK_NONE) {
        if (message->epoch != worker->group.epoch || known != visitor.rank ||
            worker->peers[known].has_hello) {
            worker_lose_member(worker, known, outbox);
            return;
        }
        take_hello(worker, known, from, visitor.phase);
    } else if (visitor.epoch < worker->group.epoch || worker->state == WORKER_FAILED) {
        outbox_close(outbox, from);
        return;
    } else if (visitor.epoch > worker->group.epoch) {
        worker_forget_visitor(worker, from);
        if (!remember_visitor(worker, &visitor))
            outbox_close(outbox, from);
        return;
    } else {
        welcome(worker, &visitor, outbox);
    }
    if (worker->state == WORKER_MEETING)
        decide_target(worker, now_ms, outbox);
}
