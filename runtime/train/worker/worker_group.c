#include "runtime/train/worker/worker_group.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/train/worker/worker_damage.h"
#include "runtime/train/worker/worker_parts.h"
#include "runtime/train/worker/worker_phase.h"
#include "runtime/train/worker/worker_report.h"
#include "runtime/train/worker/worker_state.h"

static void say_hello(const struct worker *worker, peer_id peer, struct outbox *outbox)
{
    struct message message = worker_message(worker, MESSAGE_PEER_HELLO);

    message.peer_hello.rank = worker->group.rank;
    message.peer_hello.phase = worker->learner->phase.number;
    outbox_send(outbox, peer, &message);
}

static uint32_t count_owners(const struct worker *worker, const struct group *group)
{
    return sums_count_owners(worker->learner->elements_most, worker->options.segment_least,
                             group->count);
}

/* An owner exchanges sums with everyone, other members with owners alone. */
static bool are_partners(uint32_t owners, uint32_t rank, uint32_t other)
{
    return rank != other && (rank < owners || other < owners);
}

static bool is_partner(const struct worker *worker, uint32_t rank)
{
    return are_partners(worker->owners, worker->group.rank, rank);
}

static bool has_met_partners(const struct worker *worker)
{
    for (uint32_t rank = 0; rank < worker->group.count; rank++)
        if (is_partner(worker, rank) && !worker->peers[rank].has_hello)
            return false;
    return true;
}

static uint64_t phase_at(const struct worker *worker, uint32_t rank)
{
    return rank == worker->group.rank ? worker->learner->phase.number : worker->peers[rank].phase;
}

/* Everyone has said HELLO to rank 0, which tells all of them how far each is. */
static void send_phases(const struct worker *worker, struct outbox *outbox)
{
    struct message message = worker_message(worker, MESSAGE_PEER_PHASES);
    struct text phases;

    text_init(&phases, MESSAGE_MEMBERS_MAX * sizeof(uint64_t));
    for (uint32_t rank = 0; rank < worker->group.count; rank++)
        put_u64(&phases, phase_at(worker, rank));
    message.peer_phases.phases = text_slice(&phases);
    worker_send_to_all(worker, &message, outbox);
    if (phases.failed)
        outbox->failed = true;
    text_deinit(&phases);
}

/* The lowest rank that is at the target phase; RANK_NONE: nobody is. */
static uint32_t find_ahead(const struct worker *worker)
{
    for (uint32_t rank = 0; rank < worker->group.count; rank++)
        if (phase_at(worker, rank) == worker->target)
            return rank;
    return RANK_NONE;
}

/* The source of the state for the member `rank`, which is behind: the member that is ahead. Where
 * these two are not connected rank 0, which is behind too, takes the state first and gives it on;
 * so it does with the checkpoint that is ahead of all. */
static uint32_t source_of(const struct worker *worker, uint32_t rank, uint32_t ahead)
{
    if (ahead == RANK_NONE)
        return rank == 0 ? SOURCE_MASTER : 0;
    return are_partners(worker->owners, rank, ahead) ? ahead : 0;
}

static void note_debts(struct worker *worker, uint32_t ahead)
{
    for (uint32_t rank = 0; rank < worker->group.count; rank++) {
        struct member_peer *other = &worker->peers[rank];

        other->is_owed_state = rank != worker->group.rank && other->phase < worker->target &&
                               !other->has_been_given_state &&
                               source_of(worker, rank, ahead) == worker->group.rank;
    }
}

/* The phases of all members are known. Members that are behind (by one phase when a death cut the
 * exchange, by everything when they just joined) ask for the state of the one that is ahead. */
static void decide_target(struct worker *worker, int64_t now_ms, struct outbox *outbox)
{
    const uint64_t own = worker->learner->phase.number;
    uint32_t ahead;

    if (!has_met_partners(worker) || (worker->group.rank != 0 && !worker->has_phases))
        return;
    worker->target = worker->checkpoint;
    for (uint32_t rank = 0; rank < worker->group.count; rank++)
        if (phase_at(worker, rank) > worker->target)
            worker->target = phase_at(worker, rank);
    ahead = find_ahead(worker);
    worker->source = source_of(worker, worker->group.rank, ahead);
    note_debts(worker, ahead);
    if (worker->group.rank == 0) {
        struct message met = worker_message(worker, MESSAGE_GROUP_READY);

        send_phases(worker, outbox);
        outbox_send(outbox, worker->master, &met);
    }
    if (worker->target == own) {
        worker_repeat_records(worker, outbox);
        worker_begin_phase(worker, now_ms, outbox);
        return;
    }
    worker->state = WORKER_FETCHING;
    worker_forget_incoming(worker);
    worker_request_state(worker, outbox);
}

/* Takes a member's HELLO. Its phase is the one that rank 0 may have told before. */
static void take_hello(struct worker *worker, uint32_t rank, peer_id peer, uint64_t phase)
{
    worker->peers[rank] = (struct member_peer){.peer = peer, .has_hello = true, .phase = phase};
}

void worker_forget_early_peer(struct worker *worker, peer_id peer)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < worker->early_peer_count; i++)
        if (worker->early_peers[i].peer != peer)
            worker->early_peers[kept++] = worker->early_peers[i];
    worker->early_peer_count = kept;
}

void worker_close_peer(struct worker *worker, peer_id peer, struct outbox *outbox)
{
    worker_forget_early_peer(worker, peer);
    outbox_close(outbox, peer);
}

/* A member of higher rank has connected; anew, when it had not kept its end of a connection. */
static void welcome(struct worker *worker, const struct early_peer *early, struct outbox *outbox)
{
    const bool is_expected = early->rank > worker->group.rank &&
                             early->rank < worker->group.count && is_partner(worker, early->rank);
    const struct member_peer *known = is_expected ? &worker->peers[early->rank] : NULL;

    if (!known || (known->peer != PEER_NONE && !known->is_kept)) {
        outbox_close(outbox, early->peer);
        return;
    }
    worker_close_peer(worker, known->peer, outbox);
    take_hello(worker, early->rank, early->peer, early->phase);
    say_hello(worker, early->peer, outbox);
}

/* Over a connection that this worker made or kept, and over which it has sent its own HELLO. */
static void hear_known(struct worker *worker, const struct early_peer *early, struct outbox *outbox)
{
    const uint32_t rank = worker_rank_of(worker, early->peer);

    if (early->epoch < worker->group.epoch)
        return; /* its group lies between the one that both were in and this one */
    if (rank != early->rank || worker->peers[rank].has_hello)
        worker_lose_member(worker, rank, outbox);
    else
        take_hello(worker, rank, early->peer, early->phase);
}

static bool remember_early_peer(struct worker *worker, const struct early_peer *early)
{
    if (worker->early_peer_count == MESSAGE_MEMBERS_MAX)
        return false;
    if (worker->early_peer_count == worker->early_peer_capacity) {
        uint32_t capacity = worker->early_peer_capacity ? 2 * worker->early_peer_capacity : 8;
        struct early_peer *grown = realloc(worker->early_peers, capacity * sizeof *grown);

        if (!grown)
            return false;
        worker->early_peers = grown;
        worker->early_peer_capacity = capacity;
    }
    worker->early_peers[worker->early_peer_count++] = *early;
    return true;
}

static void wait_for_group(struct worker *worker, const struct early_peer *early, uint32_t known,
                           struct outbox *outbox)
{
    if (remember_early_peer(worker, early))
        return;
    if (known != RANK_NONE)
        worker_lose_member(worker, known, outbox);
    else
        outbox_close(outbox, early->peer);
}

/* HELLO of a member is accepted, of an older group refused, of a newer one kept until
 * GROUP comes. */
static void hear(struct worker *worker, const struct early_peer *early, struct outbox *outbox)
{
    const uint32_t known = worker_rank_of(worker, early->peer);
    const bool is_late = early->epoch < worker->group.epoch || worker->state == WORKER_FAILED;

    if (early->epoch > worker->group.epoch && (known != RANK_NONE || !is_late)) {
        wait_for_group(worker, early, known, outbox);
    } else if (known != RANK_NONE) {
        hear_known(worker, early, outbox);
    } else if (is_late) {
        outbox_close(outbox, early->peer);
    } else {
        welcome(worker, early, outbox);
    }
}

static void take_early_peers(struct worker *worker, struct outbox *outbox)
{
    struct early_peer *early_peers = worker->early_peers;
    const uint32_t count = worker->early_peer_count;

    worker->early_peers = NULL;
    worker->early_peer_count = worker->early_peer_capacity = 0;
    for (uint32_t i = 0; i < count; i++)
        hear(worker, &early_peers[i], outbox);
    free(early_peers);
}

static bool is_same_member(const struct member *member, const struct member *other)
{
    return member->index == other->index && strcmp(member->address, other->address) == 0;
}

static uint32_t rank_in(const struct group *group, const struct member *member)
{
    for (uint32_t rank = 0; rank < group->count; rank++)
        if (is_same_member(&group->members[rank], member))
            return rank;
    return RANK_NONE;
}

/* A connection that both ends have used stays, when they exchange sums in the next group, too: with
 * TLS each costs a millisecond of two processors. What is still on its way of the old group has the
 * old epoch. */
static void keep_connections(struct worker *worker, const struct group *next,
                             struct member_peer *peers, struct outbox *outbox)
{
    const uint32_t owners = count_owners(worker, next);

    for (uint32_t rank = 0; rank < worker->group.count; rank++) {
        const struct member_peer *old = &worker->peers[rank];
        uint32_t to = RANK_NONE;

        if (rank != worker->group.rank && (old->has_hello || old->is_kept))
            to = rank_in(next, &worker->group.members[rank]);
        if (to != RANK_NONE && old->peer != PEER_NONE && are_partners(owners, next->rank, to))
            peers[to] = (struct member_peer){.peer = old->peer, .is_kept = true};
        else
            worker_close_peer(worker, old->peer, outbox);
    }
}

static void forget_switch(struct worker *worker)
{
    worker->switch_asked = worker->switch_epoch = 0;
    text_clear(&worker->next_group);
}

/* In place of the old group, of which nothing is left but connections. */
static void enter(struct worker *worker, struct group *next, struct member_peer *peers,
                  struct outbox *outbox)
{
    struct group old = worker->group;

    keep_connections(worker, next, peers, outbox);
    free(worker->peers);
    worker->peers = peers;
    worker->group = *next;
    worker->owners = count_owners(worker, next);
    worker->has_phases = false;
    forget_switch(worker);
    group_deinit(&old);
}

void worker_leave_group(struct worker *worker, struct outbox *outbox)
{
    for (uint32_t rank = 0; rank < worker->group.count; rank++)
        worker_close_peer(worker, worker->peers[rank].peer, outbox);
    worker->group.count = 0;
    forget_switch(worker);
}

static enum status enter_group(struct worker *worker, const struct message *message,
                               struct outbox *outbox, struct error *err)
{
    const uint32_t lanes = worker->learner->lanes;
    struct group next = {.epoch = 0};
    struct member_peer *peers = NULL;
    enum status status = group_read(&next, message, worker->options.index, lanes, err);

    if (status == STATUS_OK)
        peers = calloc(next.count, sizeof *peers);
    if (status == STATUS_OK && !peers)
        status = fail_no_memory(err);
    if (status == STATUS_OK) {
        enter(worker, &next, peers, outbox);
        return STATUS_OK;
    }
    group_deinit(&next);
    worker_leave_group(worker, outbox);
    worker->group.epoch = message->epoch;
    return status;
}

static void connect_member(struct worker *worker, uint32_t rank, struct outbox *outbox)
{
    const peer_id peer = worker->next_peer++;

    worker->peers[rank] = (struct member_peer){.peer = peer};
    outbox_connect(outbox, peer, slice_of(worker->group.members[rank].address));
    say_hello(worker, peer, outbox);
}

/* The higher rank connects, so that two never connect to each other. */
static void meet(struct worker *worker, struct outbox *outbox)
{
    for (uint32_t rank = 0; rank < worker->group.count; rank++) {
        if (worker->peers[rank].is_kept)
            say_hello(worker, worker->peers[rank].peer, outbox);
        else if (rank < worker->group.rank && is_partner(worker, rank))
            connect_member(worker, rank, outbox);
    }
}

/* The other end was not kept, or has ended: as if this one had not been kept. */
void worker_meet_anew(struct worker *worker, uint32_t rank, struct outbox *outbox)
{
    worker->peers[rank] = (struct member_peer){.peer = PEER_NONE};
    if (rank < worker->group.rank)
        connect_member(worker, rank, outbox);
}

void worker_join_group(struct worker *worker, int64_t now_ms, const struct message *message,
                       struct outbox *outbox)
{
    struct error err;

    worker_abandon_phase(worker);
    worker_go_back(worker, &message->group);
    worker->damage.is_told = false;
    worker->all_have_met = false;
    error_clear(&err);
    if (enter_group(worker, message, outbox, &err) != STATUS_OK) {
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
    meet(worker, outbox);
    take_early_peers(worker, outbox);
    decide_target(worker, now_ms, outbox);
}

void worker_on_peer_hello(struct worker *worker, int64_t now_ms, peer_id from,
                          const struct message *message, struct outbox *outbox)
{
    struct early_peer early = {.peer = from,
                               .epoch = message->epoch,
                               .phase = message->peer_hello.phase,
                               .rank = message->peer_hello.rank};

    worker_forget_early_peer(worker, from);
    hear(worker, &early, outbox);
    if (worker->state == WORKER_MEETING)
        decide_target(worker, now_ms, outbox);
}

void worker_on_peer_phases(struct worker *worker, int64_t now_ms, uint32_t from,
                           const struct message *message, struct outbox *outbox)
{
    const struct slice phases = message->peer_phases.phases;
    struct byte_reader reader = byte_reader_over(phases);

    if (from != 0 || worker->state != WORKER_MEETING || worker->has_phases ||
        phases.size != worker->group.count * sizeof(uint64_t)) {
        worker_lose_member(worker, from, outbox);
        return;
    }
    for (uint32_t rank = 0; rank < worker->group.count; rank++)
        worker->peers[rank].phase = read_u64(&reader);
    worker->has_phases = true;
    decide_target(worker, now_ms, outbox);
}
