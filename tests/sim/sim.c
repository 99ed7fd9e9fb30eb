/*
 * sim - whole jobs from seeds.
 *
 *     sim [--seed N | --seeds A..B] [--learner CSV | --clicks CSV | --machine CSV |
 *         --clusters CSV | --trees CSV | --dart CSV | --medians CSV | --quantiles CSV |
 *         --percentages CSV | --hazards CSV | --rankings CSV | --card CSV | --timed CSV |
 *         --norms CSV | --best CSV | --click-norms CSV | --series CSV |
 *         --series-trees CSV | --totals CSV | --search CSV | --rows N [--batch N]] [--verbose]
 *
 * A seed decides everything: the job, its workers and every mishap. A failure
 * prints the seed; `sim --seed N --verbose` shows that history again.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/sim/real.h"
#include "tests/sim/search.h"
#include "tests/sim/seeds.h"
#include "tests/sim/toy.h"
#include "tests/sim/world.h"

#define STREAM 2

static uint64_t pick(uint64_t seed, uint64_t what, uint64_t below)
{
    return seeds_pick(seed, STREAM, what, below);
}

/* One seed in eight is calm, without a mishap; in another one workers leave. */
static struct world_plan plan_of(uint64_t seed, bool verbose)
{
    struct world_plan plan = {.seed = seed,
                              .workers = 1 + (uint32_t)pick(seed, 0, 5),
                              .measure_ms = (int64_t)pick(seed, 49, 2)};

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

static struct learner *open_toy(void *context)
{
    return toy_new(context);
}

static void lose_toy_rows(struct learner *learner)
{
    toy_rows_lose(toy_rows_of(learner));
}

static int64_t toy_load_us(struct learner *learner)
{
    return toy_rows_load_us(toy_rows_of(learner));
}

struct run {
    uint64_t rows;   /* rows of the toy's table; 0: as the seed says */
    uint32_t batch;  /* batch of such a table */
    const char *csv; /* train on this with the real learner; NULL: the toy */
    struct subject (*open)(const char *csv); /* opens such a learner */
    struct subject real;
    struct oracle oracle;  /* the real learner's */
    struct search *search; /* over folds; NULL: one job */
    struct world_result sum;
    uint64_t loads;   /* loads of buckets */
    uint64_t stopped; /* jobs that ended by the clock */
};

static enum status run_world(struct run *run, const struct world_plan *plan,
                             const struct subject *subject, const struct oracle *oracle,
                             struct world_result *result, struct error *err)
{
    TRY(world_run(plan, subject, oracle, result, err));
    if (plan->verbose)
        printf("seed %" PRIu64 ": %" PRIu64 " frames, %" PRIu64 " groups, %.3f s\n", plan->seed,
               result->frames, result->groups, (double)result->end_us / 1e6);
    run->sum.frames += result->frames;
    run->sum.groups += result->groups;
    run->sum.checkpoints += result->checkpoints;
    run->stopped += result->is_stopped;
    for (int fault = 0; fault < WORLD_FAULTS; fault++)
        run->sum.faults[fault] += result->faults[fault];
    return STATUS_OK;
}

static enum status run_subject(struct run *run, const struct world_plan *plan,
                               const struct subject *subject, const struct oracle *oracle,
                               struct error *err)
{
    struct world_result result;

    return run_world(run, plan, subject, oracle, &result, err);
}

/* The jobs of a search. */
struct searching {
    struct run *run;
    uint64_t seed;
    bool verbose;
};

/* Each has mishaps of its own. */
static enum status run_search_job(void *context, uint32_t number, const struct subject *subject,
                                  const struct oracle *oracle, struct world_result *result,
                                  struct error *err)
{
    const struct searching *searching = context;
    const struct world_plan plan =
        plan_of(searching->seed * SEARCH_JOBS + number, searching->verbose);

    return run_world(searching->run, &plan, subject, oracle, result, err);
}

/* Rows so large that a lane has some buckets of them: two seeds in three have such a table. */
static bool plan_table(const struct run *run, uint64_t seed, uint32_t lanes,
                       struct toy_table_plan *plan)
{
    *plan = (struct toy_table_plan){.seed = seed,
                                    .rows = 1 + pick(seed, 43, 2000),
                                    .held_out = 1 + pick(seed, 44, 200),
                                    .lanes = lanes,
                                    .batch = 1 + (uint32_t)pick(seed, 45, 150),
                                    .row_bytes = 1u << (16 + pick(seed, 46, 5))};
    if (run->rows > 0) {
        plan->rows = run->rows;
        plan->held_out = run->rows / 1000 + 1;
        plan->batch = run->batch;
        plan->row_bytes = 116; /* 28 numbers and a label */
    }
    return run->rows > 0 || pick(seed, 47, 3) > 0;
}

static enum status run_toy(struct run *run, const struct world_plan *plan, struct error *err)
{
    const uint64_t seed = plan->seed;
    struct toy_plan toy = {.seed = seed,
                           .lanes = 1 + (uint32_t)pick(seed, 20, 12),
                           .phases = 10 + (uint32_t)pick(seed, 21, 60),
                           .rows = 1 + (uint32_t)pick(seed, 22, 100),
                           .reals = (uint32_t)pick(seed, 23, 40),
                           .owned = (uint32_t)pick(seed, 24, 30),
                           .words = pick(seed, 43, 2) ? (uint32_t)pick(seed, 44, 60) : 0,
                           .word_width = 1 + (uint32_t)pick(seed, 45, 5),
                           .keeps_lanes = pick(seed, 25, 2) == 1};
    struct subject subject = {.context = &toy, .open = open_toy};
    struct toy_table_plan table;
    struct oracle oracle;
    enum status status;

    if (plan_table(run, seed, toy.lanes, &table)) {
        toy.table = toy_table_new(&table);
        subject.lose_rows = lose_toy_rows;
        subject.load_us = toy_load_us;
    }
    oracle = oracle_new(&subject);
    if (toy.table)
        toy_table_reset(toy.table);
    status = run_subject(run, plan, &subject, &oracle, err);
    if (toy.table) {
        run->sum.faults[WORLD_FAULT_LOAD_MOVED] += toy.table->moves;
        run->loads += toy.table->loads;
        toy_table_free(toy.table);
    }
    oracle_free(&oracle);
    return status;
}

static enum status run_seed(void *context, uint64_t seed, bool verbose, struct error *err)
{
    struct world_plan plan = plan_of(seed, verbose);
    struct run *run = context;

    if (run->csv && run->real.ends_by_time)
        plan.learn_ms = 1 + (int64_t)pick(seed, 48, 1500);
    error_clear(err);
    if (run->search)
        return search_run(run->search, run_search_job, &(struct searching){run, seed, verbose},
                          err);
    return run->csv ? run_subject(run, &plan, &run->real, &run->oracle, err)
                    : run_toy(run, &plan, err);
}

static bool take_number(int argc, char **argv, int i, const char *name, uint64_t most,
                        uint64_t *number)
{
    char *end;

    if (strcmp(argv[i], name) != 0 || i + 1 == argc)
        return false;
    *number = strtoull(argv[i + 1], &end, 10);
    return *end == '\0' && *number > 0 && *number <= most;
}

static bool take_learner(const char *argument, struct run *run)
{
    static const struct {
        const char *name;
        struct subject (*open)(const char *csv);
    } learners[] = {
        {"--learner", real_subject_open},
        {"--clusters", real_subject_open_clusters},
        {"--trees", real_subject_open_trees},
        {"--dart", real_subject_open_dart},
        {"--medians", real_subject_open_medians},
        {"--hazards", real_subject_open_hazards},
        {"--quantiles", real_subject_open_quantiles},
        {"--percentages", real_subject_open_percentages},
        {"--rankings", real_subject_open_rankings},
        {"--clicks", real_subject_open_clicks},
        {"--machine", real_subject_open_machine},
        {"--card", real_subject_open_card},
        {"--timed", real_subject_open_timed},
        {"--norms", real_subject_open_norms},
        {"--best", real_subject_open_best},
        {"--click-norms", real_subject_open_normalized_clicks},
        {"--series", real_subject_open_series},
        {"--series-trees", real_subject_open_series_trees},
        {"--totals", real_subject_open_totals},
    };

    for (size_t i = 0; i < sizeof learners / sizeof *learners; i++) {
        if (strcmp(argument, learners[i].name) != 0)
            continue;
        run->open = learners[i].open;
        return true;
    }
    return false;
}

/* Takes `--learner CSV` and its like, `--rows N` and `--batch N` out of the arguments: the rest of
 * them is about seeds. */
static void take_subject(int *argc, char **argv, struct run *run)
{
    uint64_t number;
    int left = 1;

    for (int i = 1; i < *argc; i++) {
        if (i + 1 < *argc && take_learner(argv[i], run)) {
            run->csv = argv[++i];
        } else if (i + 1 < *argc && strcmp(argv[i], "--search") == 0) {
            run->search = search_open(argv[++i]);
        } else if (take_number(*argc, argv, i, "--rows", UINT64_MAX, &number)) {
            run->rows = number;
            i++;
        } else if (take_number(*argc, argv, i, "--batch", UINT32_MAX, &number)) {
            run->batch = (uint32_t)number;
            i++;
        } else {
            argv[left++] = argv[i];
        }
    }
    *argc = left;
}

static const char *const names[] = {
#define X(name, text) text,
    WORLD_FAULT_MAP(X)
#undef X
};

int main(int argc, char **argv)
{
    struct run run = {.batch = 10000};
    struct seeds seeds;
    uint64_t failures;

    take_subject(&argc, argv, &run);
    if (!seeds_parse(&seeds, argc, argv)) {
        fputs("--learner CSV: train on this with the real learner\n"
              "--clicks CSV: the same of a network over embeddings\n"
              "--machine CSV: of a factorisation machine\n"
              "--clusters CSV: the same of clusters, without the label\n"
              "--card CSV: the same of a score card\n"
              "--series CSV: forecasts of series of its first column; --series-trees CSV: by\n"
              "trees that they share; --totals CSV: with a total\n"
              "--norms CSV: as --learner, of a network with batch normalization\n"
              "--best CSV: as --learner, of one that keeps the weights of its best epoch\n"
              "--click-norms CSV: as --clicks, with batch normalization\n"
              "--timed CSV: as --learner, of a job whose time is over sooner or later\n"
              "--trees CSV: the same of boosted trees\n"
              "--dart CSV: of those that leave others out, with goss\n"
              "--medians CSV: of those with medians in their leaves; --quantiles CSV: of three\n"
              "quantiles; --percentages CSV: by mape; --hazards CSV: of hazards;\n"
              "--rankings CSV: of rankings within groups of rows\n"
              "--search CSV: as --learner, of all jobs of a search over folds\n"
              "--rows N: a table of so many rows, of which a step takes --batch N\n",
              stderr);
        return 2;
    }
    if (run.csv) {
        run.real = run.open(run.csv);
        run.oracle = oracle_new(&run.real);
    }
    failures = seeds_run(&seeds, run_seed, &run);
    printf("%" PRIu64 " seeds, %" PRIu64 " failures; %" PRIu64 " frames, %" PRIu64
           " groups, %" PRIu64 " checkpoints, %" PRIu64 " loads of buckets\n",
           seeds_count(&seeds), failures, run.sum.frames, run.sum.groups, run.sum.checkpoints,
           run.loads);
    search_close(run.search);
    if (run.csv) {
        if (run.real.ends_by_time)
            printf("%" PRIu64 " jobs ended by the clock\n", run.stopped);
        oracle_free(&run.oracle);
        real_subject_close(&run.real);
    }
    return seeds_exit_code(&seeds, failures,
                           (struct seeds_counts){names, run.sum.faults, WORLD_FAULTS});
}
