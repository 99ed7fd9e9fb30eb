#include "runtime/train/master_lanes.h"

#include <stdlib.h>

#include "runtime/train/master_change.h"
#include "runtime/train/master_record.h"

#define SPEED_MEMORY_MS  1000 /* of computing: what was measured before counts less and less */
#define SPEED_LEAST_MS   50   /* of computing: clocks tick in milliseconds */
#define BALANCE_EVERY_MS 200
#define GAIN_AT_ONCE     0.30 /* no accident of measuring: it need not be seen twice */
#define TRY_MOST         16   /* times try_ms */
#define TRY_COST         20   /* waits so many times as long as one lane took it: 5 % */

void master_on_speed(struct master_worker *worker, const struct message_speed *speed)
{
    worker->is_tried = false;
    worker->lanes_timed += speed->lanes;
    worker->busy_ms += speed->busy_ms;
    if (worker->busy_ms > SPEED_MEMORY_MS) {
        worker->lanes_timed *= SPEED_MEMORY_MS / worker->busy_ms;
        worker->busy_ms = SPEED_MEMORY_MS;
    }
}

/* In lanes a millisecond; 0: not known yet. */
static double speed_of(const struct master_worker *worker)
{
    return worker->busy_ms >= SPEED_LEAST_MS ? worker->lanes_timed / worker->busy_ms : 0;
}

/* Workers not measured yet are taken to be like the others. False when none was measured. `all`:
 * whether each was. */
static bool speeds_of_group(const struct master *master, double *speeds, bool *all)
{
    const struct group *group = &master->group;
    double total = 0;
    uint32_t known = 0;

    for (uint32_t rank = 0; rank < group->count; rank++) {
        speeds[rank] = speed_of(&master->workers[group->members[rank].index]);
        total += speeds[rank];
        known += speeds[rank] > 0;
    }
    *all = known == group->count;
    for (uint32_t rank = 0; rank < group->count && known > 0; rank++)
        if (speeds[rank] <= 0)
            speeds[rank] = total / known;
    return known > 0;
}

static bool any_tried(const struct master *master)
{
    for (uint32_t rank = 0; rank < master->group.count; rank++)
        if (master->workers[master->group.members[rank].index].is_tried)
            return true;
    return false;
}

/* A worker that is left without a lane again waits twice as long as the last time. */
static void note_idle(struct master *master)
{
    for (uint32_t rank = 0; rank < master->group.count; rank++) {
        const struct member *member = &master->group.members[rank];
        struct master_worker *worker = &master->workers[member->index];
        const int64_t cost = (int64_t)(TRY_COST / (speed_of(worker) > 0 ? speed_of(worker) : 1));
        const int64_t first = master->options.try_ms, most = TRY_MOST * first;
        int64_t after = 2 * worker->try_after_ms;

        worker->try_at = 0;
        if (member->lane_count > 0) {
            worker->try_after_ms = worker->is_tried ? worker->try_after_ms : 0;
            continue;
        }
        after = after < first ? first : after < most ? after : most;
        worker->try_after_ms = after > cost ? after : cost;
    }
}

/* A worker whose waiting time is over gets a lane, and its old speed counts for little beside the
 * next one that it reports. */
static bool must_try(struct master *master, int64_t now_ms)
{
    bool any = false;

    for (uint32_t rank = 0; rank < master->group.count; rank++) {
        const struct member *member = &master->group.members[rank];
        struct master_worker *worker = &master->workers[member->index];

        if (member->lane_count > 0)
            continue;
        if (worker->try_at == 0)
            worker->try_at = now_ms + worker->try_after_ms;
        if (now_ms < worker->try_at)
            continue;
        any = worker->is_tried = true;
        worker->lanes_timed *= SPEED_LEAST_MS / worker->busy_ms;
        worker->busy_ms = SPEED_LEAST_MS;
    }
    return any;
}

static void give_lanes(struct group *group, uint32_t lanes, const uint32_t *counts)
{
    uint32_t first = 0;

    for (uint32_t rank = 0; rank < group->count; rank++) {
        struct share even = share_of(lanes, group->count, rank);

        group->members[rank].first_lane = counts ? first : even.first;
        group->members[rank].lane_count = counts ? counts[rank] : even.count;
        first += group->members[rank].lane_count;
    }
}

enum status master_deal_lanes(struct master *master, struct error *err)
{
    struct group *group = &master->group;
    double *speeds = calloc(group->count, sizeof *speeds);
    uint32_t *counts = calloc(group->count, sizeof *counts);
    bool all, is_measured;

    master->better_dealings = 0;
    if (!speeds || !counts) {
        free(speeds);
        free(counts);
        return fail_no_memory(err);
    }
    is_measured = speeds_of_group(master, speeds, &all);
    if (is_measured)
        lanes_deal_fairly(master->lanes, speeds, group->count, any_tried(master), counts);
    give_lanes(group, master->lanes, is_measured ? counts : NULL);
    note_idle(master);
    free(speeds);
    free(counts);
    return STATUS_OK;
}

/* The share of a step's time that another distribution would save; 0 when not every member was
 * measured. */
static double gain_of_dealing(const struct master *master, double *speeds, uint32_t *counts)
{
    const struct group *group = &master->group;
    double now = 0, then;
    bool all;

    if (!speeds_of_group(master, speeds, &all) || !all)
        return 0;
    for (uint32_t rank = 0; rank < group->count; rank++) {
        double time = group->members[rank].lane_count / speeds[rank];
        now = time > now ? time : now;
    }
    lanes_deal_fairly(master->lanes, speeds, group->count, any_tried(master), counts);
    then = lanes_time(speeds, counts, group->count);
    return now > 0 ? 1 - then / now : 0;
}

static bool may_balance(const struct master *master, int64_t now_ms)
{
    return master->state == JOB_STATE_RUNNING && master->has_met && master->old_epoch == 0 &&
           master->regroup_at == 0 && master->drain_at == 0 && master->group.count > 1 &&
           master->group.count < master->lanes && now_ms >= master->balance_at;
}

void master_balance(struct master *master, int64_t now_ms, struct outbox *outbox)
{
    double *speeds, gain = 0;
    uint32_t *counts;

    if (!may_balance(master, now_ms))
        return;
    master->balance_at = now_ms + BALANCE_EVERY_MS;
    if (must_try(master, now_ms)) {
        master_put_event(master, now_ms, -1, "lanes", outbox,
                         "workers that were too slow get a lane again");
        master->must_deal = true;
        master_change_group(master, now_ms, outbox);
        return;
    }
    speeds = calloc(master->group.count, sizeof *speeds);
    counts = calloc(master->group.count, sizeof *counts);
    if (speeds && counts)
        gain = gain_of_dealing(master, speeds, counts);
    else
        outbox->failed = true;
    free(speeds);
    free(counts);
    if (gain < LANES_GAIN_LEAST) {
        master->better_dealings = 0;
        return;
    }
    if (++master->better_dealings == 1 && gain < GAIN_AT_ONCE)
        return;
    master_put_event(master, now_ms, -1, "lanes", outbox, "steps take %.0f %% less time",
                     100 * gain);
    master->must_deal = true;
    master_change_group(master, now_ms, outbox);
}
