/*
 * sim - whole jobs from seeds.
 *
 *     sim [--seed N | --seeds A..B] [--learner FOLDER] [--verbose]
 *
 * A seed decides everything: the job, its workers and every mishap. A failure
 * prints the seed; `sim --seed N --verbose` shows that history again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "tests/sim/real.h"
#include "tests/sim/seeds.h"
#include "tests/sim/toy.h"
#include "tests/sim/world.h"

struct arguments {
    uint64_t first, last;
    const char *csv; /* train on this with the real learner */
    bool verbose;
};

static uint64_t pick(uint64_t seed, uint64_t what, uint64_t below)
{
    return random_bits(seed, RANDOM_SIMULATION, what, 2) % below;
}

/* One seed in eight is calm, without a mishap; in another one workers leave. */
static struct world_plan plan_of(uint64_t seed, bool verbose)
{
    struct world_plan plan = {.seed = seed, .workers = 1 + (uint32_t)pick(seed, 0, 5)};

    plan.min_workers = pick(seed, 1, 4) == 0 ? 1 + (uint32_t)pick(seed, 2, plan.workers) : 1;
    /* From an owner for each element or few of them to one for all. */
    plan.segment_least = pick(seed, 41, 3) == 0 ? UINT32_MAX : 1 + (uint32_t)pick(seed, 42, 20);
    plan.span_us = 50000 + (int64_t)pick(seed, 3, 1500000);
    plan.verbose = verbose;
    plan.late_joins = (uint32_t)pick(seed, 4, plan.workers);
    if (seed % 8 == 0)
        return plan;
    if (seed % 16 == 2) { /* bits are inverted, and nobody goes */
        plan.workers = 2 + (uint32_t)pick(seed, 0, 4);
        plan.min_workers = plan.workers;
        plan.late_joins = 0;
        plan.flips = 1 + (uint32_t)pick(seed, 30, 2);
        plan.checkpoint_ms = pick(seed, 13, 2) ? 0 : 5 + (int64_t)pick(seed, 14, 300);
        return plan;
    }
    plan.checkpoint_ms = pick(seed, 13, 4) == 0 ? 0 : 5 + (int64_t)pick(seed, 14, 300);
    plan.leaves = pick(seed, 11, 2) ? (uint32_t)pick(seed, 12, 6) : 0;
    if (seed % 8 == 1)
        return plan;
    plan.crashes = (uint32_t)pick(seed, 5, 7);
    plan.freezes = (uint32_t)pick(seed, 6, 3);
    plan.cuts = pick(seed, 7, 2) ? (uint32_t)pick(seed, 8, 5) : 0;
    plan.switch_cuts = pick(seed, 24, 2) ? 0 : 1 + (uint32_t)pick(seed, 25, 100);
    plan.ends = pick(seed, 15, 3) ? 0 : 1 + (uint32_t)pick(seed, 16, 3);
    plan.store_trouble = pick(seed, 17, 4) ? 0 : (uint32_t)pick(seed, 18, 30);
    plan.flips = pick(seed, 31, 3) ? 0 : 1 + (uint32_t)pick(seed, 32, 2);
    /* A job that needs more workers than there are of one build waits for them. */
    plan.other_builds =
        pick(seed, 33, 4) || plan.min_workers > 1 ? 0 : (uint32_t)pick(seed, 34, 60);
    plan.hangs = pick(seed, 28, 3) ? 0 : 1 + (uint32_t)pick(seed, 29, 2);
    plan.parts = pick(seed, 26, 3) ? 0 : 1 + (uint32_t)pick(seed, 27, 4);
    plan.slow_stores = pick(seed, 35, 4) ? 0 : 1 + (uint32_t)pick(seed, 36, 3);
    plan.unables = pick(seed, 37, 4) ? 0 : 10 + (uint32_t)pick(seed, 38, 60);
    plan.starves = pick(seed, 39, 4) ? 0 : 1 + (uint32_t)pick(seed, 40, 3);
    plan.damages = pick(seed, 19, 3) == 0;
    plan.master_crashes = pick(seed, 9, 3) ? 0 : (uint32_t)pick(seed, 10, 3);
    return plan;
}

static struct learning open_toy(void *context)
{
    return toy_learning(toy_new(context));
}

static void close_toy(void *context, struct learning learning)
{
    (void)context;
    toy_free(learning.self);
}

static bool run_seed(uint64_t seed, const struct subject *subject, const struct oracle *oracle,
                     bool verbose, struct world_result *sum)
{
    struct world_plan plan = plan_of(seed, verbose);
    struct world_result result;
    struct error err;

    error_clear(&err);
    if (world_run(&plan, subject, oracle, &result, &err) != STATUS_OK) {
        printf("seed %llu: %s\n", (unsigned long long)seed, err.message);
        return false;
    }
    if (verbose)
        printf("seed %llu: %llu frames, %llu groups, %.3f s\n", (unsigned long long)seed,
               (unsigned long long)result.frames, (unsigned long long)result.groups,
               (double)result.end_us / 1e6);
    sum->frames += result.frames;
    sum->groups += result.groups;
    sum->checkpoints += result.checkpoints;
    for (int fault = 0; fault < WORLD_FAULTS; fault++)
        sum->faults[fault] += result.faults[fault];
    return true;
}

static bool run_toy(uint64_t seed, bool verbose, struct world_result *sum)
{
    struct toy_plan toy = {.seed = seed,
                           .lanes = 1 + (uint32_t)pick(seed, 20, 12),
                           .phases = 10 + (uint32_t)pick(seed, 21, 60),
                           .rows = 1 + (uint32_t)pick(seed, 22, 100),
                           .reals = (uint32_t)pick(seed, 23, 40),
                           .owned = (uint32_t)pick(seed, 24, 30),
                           .keeps_lanes = pick(seed, 25, 2) == 1};
    struct subject subject = {.context = &toy, .open = open_toy, .close = close_toy};
    struct oracle oracle = oracle_new(&subject);
    bool good = run_seed(seed, &subject, &oracle, verbose, sum);

    oracle_free(&oracle);
    return good;
}

static bool parse(int argc, char **argv, struct arguments *arguments)
{
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        char *end;

        if (strcmp(argv[i], "--verbose") == 0) {
            arguments->verbose = true;
            continue;
        }
        if (strcmp(argv[i], "--learner") == 0 && *value) {
            arguments->csv = argv[++i];
            continue;
        }
        if ((strcmp(argv[i], "--seed") != 0 && strcmp(argv[i], "--seeds") != 0) || !*value)
            return false;
        arguments->first = arguments->last = strtoull(value, &end, 10);
        if (strncmp(end, "..", 2) == 0)
            arguments->last = strtoull(end + 2, &end, 10);
        if (*end)
            return false;
        i++;
    }
    return true;
}

static const char *const names[] = {
#define X(name, text) text,
    WORLD_FAULT_MAP(X)
#undef X
};

int main(int argc, char **argv)
{
    struct arguments arguments = {.first = 1, .last = 300};
    struct world_result sum = {.frames = 0};
    struct subject real = {.context = NULL};
    struct oracle oracle = {.states = NULL};
    struct seeds seeds;
    uint64_t failures = 0;

    if (!parse(argc, argv, &arguments)) {
        fprintf(stderr, "sim [--seed N | --seeds A..B] [--learner CSV] [--verbose]\n");
        return 2;
    }
    if (arguments.csv) {
        real = real_subject_open(arguments.csv);
        oracle = oracle_new(&real);
    }
    for (uint64_t seed = arguments.first; seed <= arguments.last; seed++)
        failures += arguments.csv ? !run_seed(seed, &real, &oracle, arguments.verbose, &sum)
                                  : !run_toy(seed, arguments.verbose, &sum);
    seeds = (struct seeds){.first = arguments.first, .last = arguments.last};
    printf("%llu seeds, %llu failures; %llu frames, %llu groups, %llu checkpoints\n",
           (unsigned long long)seeds_count(&seeds), (unsigned long long)failures,
           (unsigned long long)sum.frames, (unsigned long long)sum.groups,
           (unsigned long long)sum.checkpoints);
    if (arguments.csv) {
        oracle_free(&oracle);
        real_subject_close(&real);
    }
    return seeds_exit_code(&seeds, failures,
                           (struct seeds_counts){names, sum.faults, WORLD_FAULTS});
}
