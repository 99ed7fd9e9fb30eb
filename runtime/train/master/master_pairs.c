#include "runtime/train/master/master_pairs.h"

#include "runtime/train/master/master_change.h"
#include "runtime/train/master/master_damage.h"
#include "runtime/train/master/master_parts.h"
#include "runtime/train/master/master_record.h"

#define FAILURES_MOST 3  /* groups in a row that a pair may keep from working */
#define PAUSES_MOST   6  /* times that the pause before a group is doubled */
#define APART_MOST    64 /* times apart_ms: the longest time until a worker is tried again */

static struct master_pair *pair_of(const struct master *master, uint32_t one, uint32_t other)
{
    const uint32_t low = one < other ? one : other, high = one < other ? other : one;

    return &master->pairs[(size_t)low * master->crew.workers + high];
}

static bool is_here(const struct master_worker *worker)
{
    return worker->member.peer != PEER_NONE;
}

static bool is_blocked(const struct master *master, uint32_t one, uint32_t other)
{
    return one != other && pair_of(master, one, other)->failures >= FAILURES_MOST;
}

/* How many of the workers that are here, and do not stand by for this reason, it cannot reach. */
static uint32_t count_blocked(const struct master *master, uint32_t index, uint32_t *with)
{
    uint32_t count = 0;

    for (uint32_t other = 0; other < master->crew.workers; other++) {
        const struct master_worker *worker = &master->workers[other];

        if (!is_here(worker) || worker->is_apart || !is_blocked(master, index, other))
            continue;
        *with = other;
        count++;
    }
    return count;
}

static bool has_work(const struct master *master, const struct master_worker *worker)
{
    return worker->has_state || worker->has_worked || worker->phase > master->stored.phase;
}

static uint32_t count_holders(const struct master *master)
{
    uint32_t count = 0;

    for (uint32_t index = 0; index < master->crew.workers; index++)
        count += is_here(&master->workers[index]) && has_work(master, &master->workers[index]);
    return count;
}

/* The worker that cannot reach most of the others stands by; of equals the younger. Never the only
 * one with the state. */
static uint32_t choose_apart(const struct master *master, uint32_t *with)
{
    const bool any_can_go = count_holders(master) > 1;
    uint32_t chosen = CREW_NONE, most = 0, other = CREW_NONE;

    for (uint32_t index = 0; index < master->crew.workers; index++) {
        const struct master_worker *worker = &master->workers[index];
        uint32_t count;

        if (!is_here(worker) || worker->is_apart || (has_work(master, worker) && !any_can_go))
            continue;
        count = count_blocked(master, index, &other);
        if (count == 0 || count < most ||
            (count == most && worker->sequence < master->workers[chosen].sequence))
            continue;
        most = count;
        chosen = index;
        *with = other;
    }
    return chosen;
}

static void set_apart(struct master *master, int64_t now_ms, uint32_t index, uint32_t other,
                      struct outbox *outbox)
{
    struct master_worker *worker = &master->workers[index];
    const int64_t first = master->options.apart_ms, most = APART_MOST * first;
    const bool is_first_time = worker->apart_ms == 0;

    worker->apart_ms = is_first_time ? first : 2 * worker->apart_ms;
    worker->apart_ms = worker->apart_ms < most ? worker->apart_ms : most;
    worker->apart_until = now_ms + worker->apart_ms;
    crew_put_event(&master->crew, now_ms, index, "apart", outbox,
                   "cannot reach worker %u: stands by, is tried again in %.1f s", other,
                   (double)worker->apart_ms / 1000);
    if (is_first_time)
        master_notice(
            master, now_ms, outbox,
            "worker %u and worker %u cannot reach each other: worker %u stands by, and is "
            "tried again now and then. Look at the network between them.",
            index, other, index);
}

/* Which workers stand by is decided anew whenever one joins, leaves, or cannot be reached. */
static void sort_out(struct master *master, int64_t now_ms, struct outbox *outbox)
{
    uint32_t index, other;

    for (index = 0; index < master->crew.workers; index++) {
        master->workers[index].was_apart = master->workers[index].is_apart;
        master->workers[index].is_apart = false;
    }
    while ((index = choose_apart(master, &other)) != CREW_NONE) {
        master->workers[index].is_apart = true;
        if (!master->workers[index].was_apart)
            set_apart(master, now_ms, index, other, outbox);
    }
}

uint32_t master_count_able(const struct master *master)
{
    uint32_t count = 0;

    for (uint32_t index = 0; index < master->crew.workers; index++)
        count += is_here(&master->workers[index]) && !master_is_unfit(&master->workers[index]);
    return count;
}

int64_t master_regroup_pause(const struct master *master)
{
    const uint32_t before = master->idle_groups > 0 ? master->idle_groups - 1 : 0;

    return master->options.regroup_ms << (before < PAUSES_MOST ? before : PAUSES_MOST);
}

/* The worker with this rank, or CREW_NONE. A member of the old group that is leaving has closed
 * its connections itself. */
static uint32_t lost_member(const struct master *master, const struct message *lost)
{
    const struct master_worker *worker;
    uint32_t index;

    if (lost->epoch == master->group.epoch)
        return lost->peer_lost.rank < master->group.count
                   ? master->group.members[lost->peer_lost.rank].index
                   : CREW_NONE;
    if (lost->peer_lost.rank >= master->old_count)
        return CREW_NONE;
    index = master->old_members[lost->peer_lost.rank];
    worker = &master->workers[index];
    return is_here(worker) && worker->is_old_member && worker->is_member && !worker->is_leaving
               ? index
               : CREW_NONE;
}

void master_note_unreached(struct master *master, int64_t now_ms, uint32_t index,
                           const struct message *lost, struct outbox *outbox)
{
    const bool is_old = lost->epoch != master->group.epoch;
    const uint32_t other = lost_member(master, lost);
    struct master_pair *pair;

    if ((is_old ? master->old_has_done_phase : master->has_done_phase) || other == CREW_NONE ||
        other == index)
        return;
    if (master->idle_epoch != lost->epoch)
        master->idle_groups++;
    master->idle_epoch = lost->epoch;
    pair = pair_of(master, index, other);
    if (pair->failures > 0 && pair->counted == (uint8_t)lost->epoch)
        return; /* the other one has reported it */
    pair->counted = (uint8_t)lost->epoch;
    pair->failures += pair->failures < FAILURES_MOST;
    master->any_failures = true;
    if (pair->failures == FAILURES_MOST)
        sort_out(master, now_ms, outbox);
}

static void forget_failures(struct master *master, uint32_t one, uint32_t other)
{
    if (one != other)
        pair_of(master, one, other)->failures = 0;
}

/* Progress of a group before the present one proves as much of its members. */
static void note_old_phase_done(struct master *master)
{
    master->old_has_done_phase = true;
    master->idle_groups = 0;
    for (uint32_t rank = 0; rank < master->old_count && master->any_failures; rank++)
        for (uint32_t other = 0; other < rank; other++)
            forget_failures(master, master->old_members[rank], master->old_members[other]);
}

void master_note_phase_done(struct master *master, uint64_t epoch, uint64_t phase)
{
    const struct group *group = &master->group;

    if (phase <= master->phase_most)
        return; /* a record that is sent again */
    master->phase_most = phase;
    unable_note_phase_done(&master->crew.unable);
    if (epoch != group->epoch && epoch == master->old_epoch && !master->old_has_done_phase)
        note_old_phase_done(master);
    if (master->has_done_phase || epoch != group->epoch)
        return;
    master->has_done_phase = true;
    master->idle_groups = 0;
    for (uint32_t rank = 0; rank < group->count && master->any_failures; rank++) {
        master->workers[group->members[rank].index].apart_ms = 0;
        for (uint32_t other = 0; other < rank; other++)
            forget_failures(master, group->members[rank].index, group->members[other].index);
    }
}

void master_forget_pairs(struct master *master, int64_t now_ms, uint32_t index,
                         struct outbox *outbox)
{
    if (!master->any_failures)
        return;
    for (uint32_t other = 0; other < master->crew.workers; other++)
        if (other != index)
            pair_of(master, index, other)->failures = 0;
    master->workers[index].is_apart = false;
    sort_out(master, now_ms, outbox);
}

void master_tick_pairs(struct master *master, int64_t now_ms, struct outbox *outbox)
{
    bool any = false;

    if (!master->any_failures || master->crew.state == JOB_STATE_PUBLISHING ||
        master->old_epoch != 0 || (master->group.count > 0 && !master->has_met))
        return;
    for (uint32_t index = 0; index < master->crew.workers; index++) {
        const struct master_worker *worker = &master->workers[index];

        if (!is_here(worker) || !worker->is_apart || now_ms < worker->apart_until)
            continue;
        /* One more failure is enough to set it apart again. */
        master->workers[index].is_apart = false;
        for (uint32_t other = 0; other < master->crew.workers; other++)
            if (is_blocked(master, index, other))
                pair_of(master, index, other)->failures = FAILURES_MOST - 1;
        any = true;
    }
    if (any)
        master_change_group(master, now_ms, outbox);
}
