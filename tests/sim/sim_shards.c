/*
 * sim_shards - tables scored by leased shards, from seeds (seeds.h).
 */
#include <inttypes.h>
#include <stdio.h>

#include "tests/sim/seeds.h"
#include "tests/sim/shard_world.h"

#define STREAM 4

static uint64_t pick(uint64_t seed, uint64_t what, uint64_t below)
{
    return seeds_pick(seed, STREAM, what, below);
}

static struct shard_plan plan_of(uint64_t seed, bool verbose)
{
    struct shard_plan plan = {.table = table_plan_of(seed, STREAM, verbose)};

    if (table_is_calm(&plan.table))
        return plan;
    plan.losses = pick(seed, 8, 2) ? (uint32_t)pick(seed, 9, 150) : 0;
    plan.repeats = pick(seed, 10, 2) ? (uint32_t)pick(seed, 11, 200) : 0;
    plan.kills = (uint32_t)pick(seed, 12, 10);
    plan.crashes = (uint32_t)pick(seed, 13, 3);
    return plan;
}

static enum status run_seed(void *context, uint64_t seed, bool verbose, struct error *err)
{
    const struct shard_plan plan = plan_of(seed, verbose);

    return shard_world_run(&plan, context, err);
}

static const char *const names[] = {
#define X(name, text) text,
    SHARD_FAULT_MAP(X)
#undef X
};

int main(int argc, char **argv)
{
    struct shard_result sum = {.messages = 0};
    struct seeds seeds;
    uint64_t failures;

    if (!seeds_parse(&seeds, argc, argv))
        return 2;
    failures = seeds_run(&seeds, run_seed, &sum);
    sum.faults[SHARD_FAULT_BACKUP] = sum.backups;
    sum.faults[SHARD_FAULT_STALE] = sum.stale;
    sum.faults[SHARD_FAULT_HALVED] = sum.halved;
    sum.faults[SHARD_FAULT_BAD] = sum.bad;
    sum.faults[SHARD_FAULT_STALE_MASTER] = sum.stale_masters;
    printf("%" PRIu64 " seeds, %" PRIu64 " failures; %" PRIu64 " messages, %" PRIu64
           " leases, %" PRIu64 " masters\n",
           seeds_count(&seeds), failures, sum.messages, sum.leases, sum.masters);
    return seeds_exit_code(&seeds, failures,
                           (struct seeds_counts){names, sum.faults, SHARD_FAULTS});
}
