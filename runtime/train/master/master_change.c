#include "runtime/train/master/master_change.h"

#include "runtime/train/master/master_checkpoint.h"
#include "runtime/train/master/master_damage.h"
#include "runtime/train/master/master_group.h"
#include "runtime/train/master/master_parts.h"
#include "runtime/train/master/master_record.h"
#include "runtime/train/master/master_size.h"

/* Drain notices of many pods come one by one, over a second for thirty. A worker that has received
 * SIGTERM already has less time. Both are multiples of leave_ms. */
#define NOTICE_WAIT_MOST 10
#define ASKED_MOST       4

static bool is_here(const struct master_worker *worker)
{
    return worker->member.peer != PEER_NONE;
}

/* Workers that can work on: members of the present group, and others. */
static void count_able(const struct master *master, uint32_t *stay, uint32_t *join)
{
    *stay = *join = 0;
    for (uint32_t index = 0; index < master->crew.workers; index++) {
        const struct master_worker *worker = &master->workers[index];

        if (!is_here(worker) || worker->is_leaving || master_is_unfit(worker))
            continue;
        if (worker->is_member)
            ++*stay;
        else
            ++*join;
    }
}

static void keep_old_group(struct master *master)
{
    master->old_epoch = master->group.epoch;
    master->old_count = master->group.count;
    for (uint32_t rank = 0; rank < master->group.count; rank++)
        master->old_members[rank] = master->group.members[rank].index;
    master->old_has_done_phase = master->has_done_phase;
    for (uint32_t index = 0; index < master->crew.workers; index++)
        master->workers[index].is_old_member = master->workers[index].is_member;
}

/* To the old rank 0, which names the phase. And to workers that will not be members: when no phase
 * follows, no other message reaches them. */
static void send_switch(const struct master *master, struct outbox *outbox)
{
    struct message message = {.type = MESSAGE_SWITCH,
                              .job = master->crew.options->job,
                              .epoch = master->old_epoch,
                              .next_group = {master->group.epoch}};

    for (uint32_t index = 0; index < master->crew.workers; index++) {
        const struct master_worker *worker = &master->workers[index];

        if (index == master->old_members[0] || (worker->is_old_member && !worker->is_member))
            outbox_send(outbox, worker->member.peer, &message);
    }
}

void master_change_group(struct master *master, int64_t now_ms, struct outbox *outbox)
{
    uint32_t stay, join;

    master->drain_at = 0; /* they go with this change, or the one that follows it */
    if (master->group.count == 0 && master->old_epoch == 0) {
        master_regroup(master, now_ms, outbox);
        return;
    }
    /* A regrouping that is due may be called off by GROUP_READY. */
    if (master->regroup_at != 0 || master->old_epoch != 0 || !master->has_met) {
        master->must_change = true;
        return;
    }
    count_able(master, &stay, &join);
    /* When all workers with the state are leaving, they stay until the others have it; where there
     * are not lanes for both, the state goes through the store. */
    master->must_change = stay == 0 && join > 0 && master->group.count < master->lanes;
    if (!master->must_change && master_group_is_right(master))
        return;
    keep_old_group(master);
    if (stay + join < master->crew.options->min_workers || (stay == 0 && !master->must_change))
        master_dissolve_group(master, now_ms, outbox);
    else
        master_make_group(master, now_ms, master->old_epoch, master->must_change, outbox);
    send_switch(master, outbox);
}

/* The old group is through its last phase: all of its members have the state. */
static void note_holders(struct master *master)
{
    for (uint32_t index = 0; index < master->crew.workers; index++) {
        struct master_worker *worker = &master->workers[index];

        if (worker->is_old_member)
            worker->has_state = is_here(worker);
    }
}

void master_forget_old_group(struct master *master)
{
    master->old_epoch = 0;
    for (uint32_t index = 0; index < master->crew.workers; index++)
        master->workers[index].is_old_member = false;
}

void master_on_met(struct master *master, int64_t now_ms, struct outbox *outbox)
{
    master->has_met = true;
    note_holders(master);
    for (uint32_t rank = 0; rank < master->group.count; rank++)
        master->workers[master->group.members[rank].index].has_worked = true;
    master_forget_old_group(master);
    /* Connections of the old group that closed early are no loss. */
    if (master->lost_epoch != master->group.epoch)
        master->regroup_at = 0;
    if (master->must_change)
        master_change_group(master, now_ms, outbox);
}

void master_release(struct master *master, int64_t now_ms, uint32_t index, struct outbox *outbox)
{
    struct master_worker *worker = &master->workers[index];

    master_put_worker(master, index, "left", 0, outbox);
    crew_put_event(&master->crew, now_ms, index, "left", outbox, "was asked to go");
    crew_send_end(&master->crew, worker->member.peer, outbox);
    crew_let_go(&master->crew, now_ms, index);
    worker->is_member = worker->is_old_member = worker->is_leaving = worker->has_state = false;
    worker->is_handing_back = false;
    master_choose_build(master);
    master_lose_writer(master, now_ms, index, outbox);
    master_call_successor(master, index, outbox);
}

static bool any_old_member(const struct master *master)
{
    for (uint32_t index = 0; index < master->crew.workers; index++)
        if (master->workers[index].is_old_member)
            return true;
    return false;
}

void master_on_free(struct master *master, int64_t now_ms, uint32_t index, uint64_t epoch,
                    struct outbox *outbox)
{
    struct master_worker *worker = &master->workers[index];

    if ((worker->is_member && epoch != master->group.epoch) ||
        (worker->is_old_member && epoch != master->old_epoch))
        return; /* a member of an earlier group: GROUP is on its way to it */
    if (epoch == master->old_epoch)
        note_holders(master);
    worker->is_old_member = false;
    if (epoch == master->group.epoch)
        worker->is_member = false; /* the others are through, GROUP_READY may still be on its way */
    if (worker->is_leaving)
        master_store_then_release(master, now_ms, index, outbox);
    else if (master->group.count > 0) /* the others go on, and it stands by */
        worker->has_state = false;
    /* A group without members has met when the old one has ended. */
    if (master->old_epoch != 0 && master->group.count == 0 && !any_old_member(master)) {
        master_forget_old_group(master);
        master_regroup(master, now_ms, outbox);
    }
}

static bool is_idle(const struct master *master, uint32_t index)
{
    const struct master_worker *worker = &master->workers[index];

    return master->group.count == 0 ? master->old_epoch == 0
                                    : !worker->is_member && !worker->is_old_member;
}

static void go_until(struct master *master, int64_t until)
{
    if (master->drain_at == 0 || until < master->drain_until)
        master->drain_until = until;
}

/* They go in one change of the group. */
static void expect_others(struct master *master, int64_t now_ms, int64_t most)
{
    go_until(master, now_ms + most * master->options.leave_ms);
    master->drain_at = now_ms;
}

void master_on_leaving(struct master *master, int64_t now_ms, uint32_t index, struct outbox *outbox)
{
    struct master_worker *worker = &master->workers[index];
    const bool was_leaving = worker->is_leaving;

    if (!was_leaving)
        crew_put_event(&master->crew, now_ms, index, "leaving", outbox, "was asked to go");
    worker->is_leaving = true;
    master_size_on_change(master);
    if (is_idle(master, index))
        master_store_then_release(master, now_ms, index, outbox);
    else if (master->options.leave_ms == 0)
        master_change_group(master, now_ms, outbox);
    else if (!was_leaving)
        expect_others(master, now_ms, ASKED_MOST);
    else if (master->drain_at != 0)
        go_until(master, now_ms + ASKED_MOST * master->options.leave_ms);
}

void master_drain(struct master *master, int64_t now_ms, uint32_t index, uint32_t incarnation,
                  struct outbox *outbox)
{
    struct master_worker *worker;

    if (index >= master->crew.workers || crew_has_ended(&master->crew))
        return;
    worker = &master->workers[index];
    if (!is_here(worker) || worker->member.incarnation != incarnation || worker->is_leaving)
        return;
    worker->is_leaving = true;
    master_size_on_change(master);
    crew_put_event(&master->crew, now_ms, index, "leaving", outbox, "is about to be asked to go");
    if (is_idle(master, index))
        master_store_then_release(master, now_ms, index, outbox);
    else
        expect_others(master, now_ms, NOTICE_WAIT_MOST);
}

void master_tick_drains(struct master *master, int64_t now_ms, struct outbox *outbox)
{
    const int64_t quiet = master->options.leave_ms;

    if (master->drain_at != 0 &&
        (now_ms - master->drain_at >= quiet || now_ms >= master->drain_until))
        master_change_group(master, now_ms, outbox);
}
