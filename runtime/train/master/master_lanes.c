#include "runtime/train/master/master_lanes.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/train/lanes_move.h"
#include "runtime/train/master/master_change.h"
#include "runtime/train/master/master_record.h"

#define SPEED_LEAST_MS   50 /* computing time: clocks tick in milliseconds */
#define BALANCE_EVERY_MS 200
#define GAIN_AT_ONCE     0.30 /* no accident of measuring: it need not be seen twice */
#define TRY_MOST         16   /* times try_ms */
#define TRY_COST         20   /* waits so many times as long as one lane took it: 5 % */
#define BUCKETS_LOST     2    /* by a lane that moves: the present one, and the next one */

/* Memories of computing speed: earlier measures count less and less. */
static const double memory_ms[MASTER_MEMORIES] = {1000, 5000, 30000};

void master_forget_speed(struct master_worker *worker)
{
    for (int memory = 0; memory < MASTER_MEMORIES; memory++)
        worker->times[memory] = (struct lane_times){0, 0};
    worker->is_slow = false;
}

static void remember(struct lane_times *times, double most_ms)
{
    if (times->busy_ms <= most_ms)
        return;
    times->lanes *= most_ms / times->busy_ms;
    times->busy_ms = most_ms;
}

void master_on_speed(struct master_worker *worker, const struct message_speed *speed)
{
    worker->is_tried = false;
    for (int memory = 0; memory < MASTER_MEMORIES; memory++) {
        worker->times[memory].lanes += speed->lanes;
        worker->times[memory].busy_ms += speed->busy_ms;
        remember(&worker->times[memory], memory_ms[memory]);
    }
}

/* In lanes a millisecond; 0: not known yet. */
static double speed_of(const struct master_worker *worker, uint32_t memory)
{
    const struct lane_times *times = &worker->times[memory];

    return times->busy_ms >= SPEED_LEAST_MS ? times->lanes / times->busy_ms : 0;
}

/* Workers not measured yet are taken to be like the others. False when none was measured. `all`:
 * whether each was. */
static bool speeds_of_group(const struct master *master, uint32_t memory, double *speeds, bool *all)
{
    const struct group *group = &master->group;
    double total = 0;
    uint32_t known = 0;

    for (uint32_t rank = 0; rank < group->count; rank++) {
        speeds[rank] = speed_of(&master->workers[group->members[rank].index], memory);
        total += speeds[rank];
        known += speeds[rank] > 0;
    }
    *all = known == group->count;
    for (uint32_t rank = 0; rank < group->count; rank++)
        if (speeds[rank] <= 0)
            speeds[rank] = known > 0 ? total / known : 1;
    return known > 0;
}

/* ---- what a move costs ---- */

static uint64_t steps_left(const struct master *master)
{
    const struct message_progress *progress = &master->progress;

    return progress->steps > progress->step ? progress->steps - progress->step : 0;
}

/* In steps of all members: the time in which they learn the rows that are taken once more when a
 * lane moves. In the first round it needs what it has in hand; later the one who had it has all of
 * it. */
static double steps_of_move(const struct master *master)
{
    const struct learner_course *course = &master->course;
    double again = 1;

    if (master->progress.step < course->round && course->buckets > BUCKETS_LOST)
        again = (double)BUCKETS_LOST / course->buckets;
    return course->round * again / master->lanes;
}

/* ---- who waits for a lane ---- */

static bool any_tried(const struct master *master)
{
    for (uint32_t rank = 0; rank < master->group.count; rank++)
        if (master->workers[master->group.members[rank].index].is_tried)
            return true;
    return false;
}

/* A worker that is left without a lane again waits twice as long as the last time. A lane that it
 * is given to try moves twice. step_ms: what a step takes, 0: not known. */
static void note_idle(struct master *master, double step_ms)
{
    for (uint32_t rank = 0; rank < master->group.count; rank++) {
        const struct member *member = &master->group.members[rank];
        struct master_worker *worker = &master->workers[member->index];
        const double speed = speed_of(worker, 0) > 0 ? speed_of(worker, 0) : 1;
        const int64_t cost =
            (int64_t)(TRY_COST * (1 / speed + 2 * steps_of_move(master) * step_ms));
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
        for (int memory = 0; memory < MASTER_MEMORIES; memory++)
            remember(&worker->times[memory], SPEED_LEAST_MS);
    }
    return any;
}

/* ---- dealing ---- */

/* The dealing of a group, by rank: the arguments and the results of lanes_move.h. */
struct dealing {
    struct lanes_group group;
    double *speeds;
    struct share *had;
    uint32_t *counts, *present;
};

static void dealing_deinit(struct dealing *dealing)
{
    free(dealing->speeds);
    free(dealing->had);
    free(dealing->counts);
    free(dealing->present);
}

static enum status dealing_init(struct dealing *dealing, const struct master *master,
                                struct error *err)
{
    const uint32_t count = master->group.count;

    *dealing = (struct dealing){.speeds = calloc(count, sizeof *dealing->speeds),
                                .had = calloc(count, sizeof *dealing->had),
                                .counts = calloc(count, sizeof *dealing->counts),
                                .present = calloc(count, sizeof *dealing->present)};
    if (!dealing->speeds || !dealing->had || !dealing->counts || !dealing->present) {
        dealing_deinit(dealing);
        return fail_no_memory(err);
    }
    for (uint32_t rank = 0; rank < count; rank++) {
        dealing->had[rank] = master->workers[master->group.members[rank].index].lanes;
        dealing->present[rank] = dealing->had[rank].count;
    }
    dealing->group = (struct lanes_group){.lanes = master->lanes,
                                          .count = count,
                                          .speeds = dealing->speeds,
                                          .had = dealing->had,
                                          .least = any_tried(master)};
    return STATUS_OK;
}

/* The speeds are known. As many steps as are left are faster, or slower, for what moves. */
static enum status deal(struct dealing *dealing, const struct master *master, struct error *err)
{
    const double left = (double)steps_left(master);

    return lanes_settle(&dealing->group, left > 0 ? steps_of_move(master) / left : 0,
                        dealing->counts, err);
}

/* The time of a step if the members have so many lanes. */
static double time_of(const struct dealing *dealing, const uint32_t *counts)
{
    return lanes_time(dealing->speeds, counts, dealing->group.count);
}

static void give_lanes(struct master *master, const uint32_t *counts)
{
    struct group *group = &master->group;
    uint32_t first = 0;

    for (uint32_t index = 0; index < master->crew.workers; index++)
        master->workers[index].lanes = MASTER_NO_LANES;
    for (uint32_t rank = 0; rank < group->count; rank++) {
        struct member *member = &group->members[rank];

        member->first_lane = first;
        member->lane_count = counts[rank];
        master->workers[member->index].lanes = (struct share){first, counts[rank]};
        first += counts[rank];
    }
}

/* Members that come and go are no reason to believe what was measured for a moment. */
static uint32_t memory_to_deal_by(const struct master *master)
{
    if (master->must_deal_by > 0)
        return master->must_deal_by - 1;
    return master->course.round == 0 ? 0 : MASTER_MEMORIES - 1;
}

/* Members that have all lanes already, side by side: of speeds that the master before this one has
 * measured nothing else is known. */
static bool keep_lanes(struct dealing *dealing)
{
    uint32_t next = 0;

    for (uint32_t rank = 0; rank < dealing->group.count; rank++) {
        if (dealing->had[rank].first != next)
            return false;
        next += dealing->had[rank].count;
    }
    if (next != dealing->group.lanes)
        return false;
    memcpy(dealing->counts, dealing->present, dealing->group.count * sizeof *dealing->counts);
    return true;
}

enum status master_deal_lanes(struct master *master, struct error *err)
{
    struct dealing dealing;
    bool all, is_measured;
    enum status status;

    master->better_dealings = 0;
    TRY(dealing_init(&dealing, master, err));
    is_measured = speeds_of_group(master, memory_to_deal_by(master), dealing.speeds, &all);
    status = !is_measured && keep_lanes(&dealing) ? STATUS_OK : deal(&dealing, master, err);
    if (status == STATUS_OK) {
        give_lanes(master, dealing.counts);
        note_idle(master, is_measured ? time_of(&dealing, dealing.counts) : 0);
        master->must_deal_by = 0;
    }
    dealing_deinit(&dealing);
    return status;
}

/* ---- balance ---- */

/* For how long speeds are known that the lanes have not followed, in steps of so many ms: as far as
 * the memory reaches; the last one stands for all before it. */
static double known_ms(const struct master *master, uint32_t memory, double step_ms)
{
    const uint64_t step = master->progress.step, since = master->dealt_at_step;
    const double ms = step > since ? (double)(step - since) * step_ms : 0;

    return memory + 1 < MASTER_MEMORIES && ms > memory_ms[memory] ? memory_ms[memory] : ms;
}

/* Judges another dealing by this memory of speeds; gain 0 when not every member was measured. */
static enum status judge(const struct master *master, uint32_t memory, struct dealing *dealing,
                         struct lanes_case *about, struct error *err)
{
    double now, then;
    bool all;

    *about = (struct lanes_case){.gain = 0};
    if (!speeds_of_group(master, memory, dealing->speeds, &all) || !all)
        return STATUS_OK;
    TRY(deal(dealing, master, err));
    now = time_of(dealing, dealing->present);
    then = time_of(dealing, dealing->counts);
    *about = (struct lanes_case){.gain = now > 0 ? 1 - then / now : 0,
                                 .move_ms = steps_of_move(master) * then *
                                            lanes_moved(&dealing->group, dealing->counts),
                                 .left_ms = steps_left(master) * now,
                                 .known_ms = known_ms(master, memory, now)};
    return STATUS_OK;
}

/* The dealing's share of a step's time that was saved of late; 0: not every member was measured. */
static double gain_of_late(const struct master *master, struct dealing *dealing)
{
    bool all;

    if (!speeds_of_group(master, 0, dealing->speeds, &all) || !all)
        return 0;
    return 1 - time_of(dealing, dealing->counts) / time_of(dealing, dealing->present);
}

/* Where nothing is lost with a lane, what was measured of late is enough. */
static bool should_move(const struct master *master, const struct lanes_case *about)
{
    return master->course.round == 0 ? about->gain >= LANES_GAIN_LEAST : lanes_should_move(about);
}

/* The gain of another dealing, or 0: none is worth its moves. */
static enum status find_gain(struct master *master, double *gain, struct error *err)
{
    const uint32_t memories = master->course.round == 0 ? 1 : MASTER_MEMORIES;
    struct dealing dealing;
    enum status status;

    *gain = 0;
    TRY(dealing_init(&dealing, master, err));
    status = STATUS_OK;
    for (uint32_t memory = 0; memory < memories && *gain <= 0 && status == STATUS_OK; memory++) {
        struct lanes_case about;

        status = judge(master, memory, &dealing, &about, err);
        if (status != STATUS_OK || !should_move(master, &about) ||
            gain_of_late(master, &dealing) < LANES_GAIN_LEAST)
            continue;
        *gain = about.gain;
        master->must_deal_by = memory + 1;
    }
    dealing_deinit(&dealing);
    return status;
}

static bool may_balance(const struct master *master, int64_t now_ms)
{
    return master->crew.state == JOB_STATE_RUNNING && master->has_met && master->old_epoch == 0 &&
           master->regroup_at == 0 && master->drain_at == 0 && master->group.count > 1 &&
           master->group.count < master->lanes && now_ms >= master->balance_at;
}

static void deal_anew(struct master *master, int64_t now_ms, struct outbox *outbox)
{
    master->must_deal = true;
    master->dealt_at_step = master->progress.step;
    master_change_group(master, now_ms, outbox);
}

void master_balance(struct master *master, int64_t now_ms, struct outbox *outbox)
{
    double gain;

    if (!may_balance(master, now_ms))
        return;
    master->balance_at = now_ms + BALANCE_EVERY_MS;
    if (must_try(master, now_ms)) {
        crew_put_event(&master->crew, now_ms, -1, "lanes", outbox,
                       "workers that were too slow get a lane again");
        deal_anew(master, now_ms, outbox);
        return;
    }
    if (find_gain(master, &gain, NULL) != STATUS_OK)
        outbox->failed = true;
    if (gain < LANES_GAIN_LEAST) {
        master->better_dealings = 0;
        return;
    }
    if (++master->better_dealings == 1 && gain < GAIN_AT_ONCE)
        return;
    crew_put_event(&master->crew, now_ms, -1, "lanes", outbox, "steps take %.0f %% less time",
                   100 * gain);
    deal_anew(master, now_ms, outbox);
}
