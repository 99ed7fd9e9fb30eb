/*
 * sim_servers - jobs with parameter servers, by the real roles, from seeds (seeds.h).
 */
#include <inttypes.h>
#include <stdio.h>

#include "tests/sim/seeds.h"
#include "tests/sim/server_world.h"

#define STREAM 9

static uint64_t pick(uint64_t seed, uint64_t what, uint64_t below)
{
    return seeds_pick(seed, STREAM, what, below);
}

/* Long enough, and with enough rows, that somebody is found to be hot. */
static void make_skewed(struct server_plan *plan, uint32_t skew, bool is_long)
{
    plan->skew = skew;
    plan->epochs += is_long ? 12 : 1;
    plan->shards = is_long ? 1 + plan->shards % 12 : plan->shards;
    plan->batch_rows += 12;
    plan->ids += 20;
}

/* One seed in eight is calm; every mishap comes and stays away by itself. */
static struct server_plan plan_of(uint64_t seed, bool verbose)
{
    struct server_plan plan = {
        .seed = seed,
        .workers = 1 + (uint32_t)pick(seed, 1, 6),
        .servers = 1 + (uint32_t)pick(seed, 2, 5),
        .shards = 1 + (uint32_t)pick(seed, 3, 24),
        .epochs = 1 + (uint32_t)pick(seed, 4, 3),
        .batches = 1 + (uint32_t)pick(seed, 5, 8),
        .ids = 8 + (uint32_t)pick(seed, 6, 100),
        .batch_rows = 1 + (uint32_t)pick(seed, 7, 8),
        .staleness = pick(seed, 8, 3) ? 1 + (uint32_t)pick(seed, 9, 8) : 0,
        .min_count = pick(seed, 10, 3) ? 0 : 2 + (uint32_t)pick(seed, 11, 6),
        .slow_workers = pick(seed, 12, 4) ? 0 : 1,
        .snapshot_ms = pick(seed, 13, 5) ? 30 + (int64_t)pick(seed, 14, 300) : 0,
        .span_ms = 100 + (int64_t)pick(seed, 15, 4000),
        .verbose = verbose,
    };

    plan.scales = pick(seed, 30, 3) ? (uint32_t)pick(seed, 31, 5) : 0;
    plan.balance_ms = pick(seed, 46, 4) ? 20 + (int64_t)pick(seed, 47, 100) : 0;
    if (pick(seed, 44, 2))
        make_skewed(&plan, 3 + (uint32_t)pick(seed, 45, 14), pick(seed, 48, 12) == 0);
    if (pick(seed, 34, 2) == 0) { /* all lanes take steps together */
        plan.lanes = 1 + (uint32_t)pick(seed, 35, 5);
        plan.shards = plan.lanes * (1 + (uint32_t)pick(seed, 36, 6));
        plan.staleness = 0;
        plan.loses_logs = pick(seed, 37, 3) == 0;
    }
    if (pick(seed, 17, 8) == 0)
        return plan;
    plan.kills = pick(seed, 18, 2) ? 0 : (uint32_t)pick(seed, 19, 8);
    plan.server_kills = pick(seed, 20, 3) ? (uint32_t)pick(seed, 21, 6) : 0;
    plan.master_kills = pick(seed, 22, 3) ? 0 : (uint32_t)pick(seed, 23, 4);
    plan.freezes = pick(seed, 24, 2) ? 0 : (uint32_t)pick(seed, 25, 6);
    plan.cuts = pick(seed, 26, 2) ? 0 : (uint32_t)pick(seed, 27, 12);
    plan.cut_offs = pick(seed, 32, 2) ? 0 : (uint32_t)pick(seed, 33, 12);
    plan.leaves = pick(seed, 28, 3) ? 0 : (uint32_t)pick(seed, 29, 4);
    return plan;
}

static enum status run_seed(void *context, uint64_t seed, bool verbose, struct error *err)
{
    const struct server_plan plan = plan_of(seed, verbose);

    return server_world_run(&plan, context, err);
}

static const char *const names[] = {
#define X(name, text) text,
    SERVER_FAULT_MAP(X)
#undef X
};

int main(int argc, char **argv)
{
    struct server_result sum = {.frames = 0};
    struct seeds seeds;
    uint64_t failures;

    if (!seeds_parse(&seeds, argc, argv))
        return 2;
    failures = seeds_run(&seeds, run_seed, &sum);
    printf("%" PRIu64 " seeds, %" PRIu64 " failures; %" PRIu64 " frames, %" PRIu64
           " pushes, %" PRIu64 " snapshots\n",
           seeds_count(&seeds), failures, sum.frames, sum.pushes, sum.snapshots);
    return seeds_exit_code(&seeds, failures,
                           (struct seeds_counts){names, sum.faults, SERVER_FAULTS});
}
