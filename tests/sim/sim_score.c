/*
 * sim_score - tables scored, and rows staged, by the real roles, from seeds (seeds.h).
 */
#include <inttypes.h>
#include <stdio.h>

#include "tests/sim/score_world.h"
#include "tests/sim/seeds.h"

#define STREAM 7

static uint64_t pick(uint64_t seed, uint64_t what, uint64_t below)
{
    return seeds_pick(seed, STREAM, what, below);
}

/* One seed in four: shards of a user's table, and what is settled over them. Two hundred deaths one
 * after another would fail the job, and no shard is to blame for any. */
static void plan_staging(struct score_plan *plan, uint64_t seed)
{
    plan->stages = true;
    plan->table.rows = 2 + (uint32_t)pick(seed, 26, pick(seed, 27, 16) ? 64 : 1024);
    plan->table.shard_rows = 1;
    plan->table.leases_per_worker = 1;
    plan->table.deadly_rows = 0;
    if (table_is_calm(&plan->table))
        return;
    plan->kills *= 4;
    plan->unsaid = (uint32_t)pick(seed, 28, 6);
}

static struct score_plan plan_of(uint64_t seed, bool verbose)
{
    struct score_plan plan = {
        .table = table_plan_of(seed, STREAM, verbose), .min_workers = 1, .keeps_bad_rows = true};

    plan.min_workers += (uint32_t)pick(seed, 24, plan.table.workers);
    if (!table_is_calm(&plan.table)) {
        plan.keeps_bad_rows = pick(seed, 21, 4) != 0;
        plan.kills = (uint32_t)pick(seed, 12, 4);
        plan.leaves = pick(seed, 22, 2) ? 0 : (uint32_t)pick(seed, 23, 6);
        plan.cuts = pick(seed, 8, 2) ? 0 : (uint32_t)pick(seed, 9, 8);
    }
    if (pick(seed, 25, 4) == 0)
        plan_staging(&plan, seed);
    return plan;
}

static enum status run_seed(void *context, uint64_t seed, bool verbose, struct error *err)
{
    const struct score_plan plan = plan_of(seed, verbose);

    return score_world_run(&plan, context, err);
}

static const char *const names[] = {
#define X(name, text) text,
    SCORE_FAULT_MAP(X)
#undef X
};

int main(int argc, char **argv)
{
    struct score_result sum = {.frames = 0};
    struct seeds seeds;
    uint64_t failures;

    if (!seeds_parse(&seeds, argc, argv))
        return 2;
    failures = seeds_run(&seeds, run_seed, &sum);
    sum.faults[SCORE_FAULT_BACKUP] = sum.backups;
    sum.faults[SCORE_FAULT_LATE] = sum.late;
    sum.faults[SCORE_FAULT_CRASHED] = sum.crashed;
    sum.faults[SCORE_FAULT_RETURNED] = sum.returned;
    sum.faults[SCORE_FAULT_BAD] = sum.bad;
    sum.faults[SCORE_FAULT_FAILED] = sum.failed;
    sum.faults[SCORE_FAULT_REPLACED] = sum.replaced;
    sum.faults[SCORE_FAULT_STALE_MASTER] = sum.stale_masters;
    printf("%" PRIu64 " seeds, %" PRIu64 " failures; %" PRIu64 " frames, %" PRIu64
           " leases, %" PRIu64 " masters\n",
           seeds_count(&seeds), failures, sum.frames, sum.leases, sum.masters);
    return seeds_exit_code(&seeds, failures,
                           (struct seeds_counts){names, sum.faults, SCORE_FAULTS});
}
