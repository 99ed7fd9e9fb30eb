/*
 * sim_lanes - what lanes that move cost where rows come from far away, and who loses lanes.
 *
 *     sim_lanes [--seed N | --seeds A..B] [--verbose]
 *
 * Eight workers learn an epoch of a table of which each lane comes in some buckets. Nobody dies;
 * workers are as fast as each other in the long run, and for a while one is half as fast as
 * another. All of them together must not take much more than the table. In two of three seeds one
 * worker is slower than the others all the time, twice or four times: it must lose lanes, those of
 * the slower one soon and whatever they cost.
 */
#include <inttypes.h>
#include <stdio.h>

#include "tests/sim/seeds.h"
#include "tests/sim/toy.h"
#include "tests/sim/world.h"

#define WORKERS         8
#define LANES           16
#define STEPS           500
#define TAKEN_MOST      1.10
#define TAKEN_MOST_SLOW 1.30 /* with the slow worker's first lanes, and its trials now and then */
#define STEPS_OF_PHASES 0.8  /* the others evaluate, or are repeated */

/* How many times as slow worker 0 is, and how many lanes it may have at the end: of its two. One
 * without a lane may be tried just then. */
static const struct slowness {
    uint32_t times, lanes_most;
} kinds[] = {{1, 2}, {2, 1}, {4, 1}};
#define KINDS (sizeof kinds / sizeof *kinds)

/* By kind. */
struct sum {
    uint64_t groups[KINDS], jobs[KINDS];
    double total[KINDS], most[KINDS];
};

static struct learner *open_toy(void *context)
{
    return toy_new(context);
}

static int64_t load_us(struct learner *learner)
{
    return toy_rows_load_us(toy_rows_of(learner));
}

/* Lanes of about 16 MiB, in buckets of 4. */
static struct toy_table_plan plan_table(uint64_t seed)
{
    return (struct toy_table_plan){.seed = seed,
                                   .rows = 16 * STEPS,
                                   .held_out = 16,
                                   .lanes = LANES,
                                   .batch = 16,
                                   .row_bytes = 16 * LANES * (1 << 20) / (16 * STEPS)};
}

static enum status check(struct sum *sum, const struct world_plan *plan, double taken,
                         const struct world_result *result, struct error *err)
{
    const size_t kind = plan->seed % KINDS;

    if (plan->verbose)
        printf("seed %" PRIu64 ": %.3f of the table, %" PRIu64 " groups, %u lanes of worker 0, "
               "%.1f s\n",
               plan->seed, taken, result->groups, result->lanes_of_first,
               (double)result->end_us / 1e6);
    sum->jobs[kind]++;
    sum->groups[kind] += result->groups;
    sum->total[kind] += taken;
    sum->most[kind] = taken > sum->most[kind] ? taken : sum->most[kind];
    if (taken > (kinds[kind].times > 1 ? TAKEN_MOST_SLOW : TAKEN_MOST))
        return fail(err, STATUS_FAILED, "the workers took %.3f times the table", taken);
    if (result->lanes_of_first > kinds[kind].lanes_most)
        return fail(err, STATUS_FAILED, "the slow worker has %u lanes at the end",
                    result->lanes_of_first);
    return STATUS_OK;
}

static enum status run_seed(void *context, uint64_t seed, bool verbose, struct error *err)
{
    const struct toy_table_plan rows = plan_table(seed);
    const struct world_plan plan = {.seed = seed,
                                    .workers = WORKERS,
                                    .min_workers = WORKERS,
                                    .segment_least = UINT32_MAX,
                                    .lane_us = 20000,
                                    .slow_times = kinds[seed % KINDS].times,
                                    .verbose = verbose};
    struct toy_plan toy = {.seed = seed,
                           .lanes = LANES,
                           .phases = (uint32_t)(STEPS / STEPS_OF_PHASES),
                           .rows = 1,
                           .reals = 4};
    const struct subject subject = {.context = &toy, .open = open_toy, .load_us = load_us};
    struct world_result result;
    struct oracle oracle;
    enum status status;

    error_clear(err);
    toy.table = toy_table_new(&rows);
    oracle = oracle_new(&subject);
    toy_table_reset(toy.table);
    status = world_run(&plan, &subject, &oracle, &result, err);
    if (status == STATUS_OK)
        status = check(context, &plan, (double)toy.table->taken / (double)rows.rows, &result, err);
    oracle_free(&oracle);
    toy_table_free(toy.table);
    return status;
}

int main(int argc, char **argv)
{
    struct sum sum = {.groups = {0}};
    struct seeds seeds;
    uint64_t failures;

    if (!seeds_parse(&seeds, argc, argv))
        return 2;
    failures = seeds_run(&seeds, run_seed, &sum);
    printf("%" PRIu64 " seeds, %" PRIu64 " failures\n", seeds_count(&seeds), failures);
    for (size_t kind = 0; kind < KINDS; kind++)
        if (sum.jobs[kind] > 0)
            printf("worker 0 takes %u times as long: %" PRIu64 " jobs, %" PRIu64
                   " groups, taken of the table %.3f on average, %.3f at most\n",
                   kinds[kind].times, sum.jobs[kind], sum.groups[kind],
                   sum.total[kind] / (double)sum.jobs[kind], sum.most[kind]);
    return failures > 0;
}
