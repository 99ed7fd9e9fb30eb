#include "tests/sim/search.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kinds/network/network_attributes.h"
#include "runtime/data/crossed.h"
#include "runtime/data/dataset_open.h"
#include "tests/cluster/csv_job.h"
#include "tests/sim/real.h"

#define METRIC "LogLoss"

struct search_part {
    struct real_job job;
    struct subject subject;
    struct oracle oracle;
};

struct search {
    struct csv_job job;
    char folder[32];
    struct jobspec specs[SEARCH_TRIALS], crossed[SEARCH_TRIALS]; /* over all rows; over folds */
    struct dataset all, folds[SEARCH_FOLDS];
    struct search_part parts[SEARCH_TRIALS][SEARCH_FOLDS], last;
    struct fold_result wanted[SEARCH_TRIALS];
    uint32_t best; /* number of the best trial */
};

static void check(enum status status, const struct error *err)
{
    if (status == STATUS_OK)
        return;
    fprintf(stderr, "search: %s\n", err->message);
    exit(1);
}

/* ---- rows ---- */

static const char *path_of(const struct search *search, const char *name)
{
    static char path[64];

    snprintf(path, sizeof path, "%s/%s", search->folder, name);
    return path;
}

static struct spool_writer *open_writer(const struct search *search, const struct folds *folds,
                                        bool is_validation)
{
    const struct spool_order order = dataset_order(&search->crossed[0], is_validation, 1);
    struct spool_column columns[CSV_COLUMNS_MAX];
    const uint32_t count = folds_columns(folds);
    struct spool_writer *writer;
    struct error err;

    for (uint32_t i = 0; i < count; i++)
        columns[i] = (struct spool_column){.name = SLICE(""), .type = folds_column_type(folds, i)};
    check(spool_writer_open(
              path_of(search, is_validation ? "fold/validation.spool" : "fold/train.spool"),
              columns, count, 0, &writer, &err),
          &err);
    check(spool_writer_sort(writer, &order, &err), &err);
    return writer;
}

/* Opens the rows of a fold as its job finds them in its folder. */
static void open_fold(struct search *search, const struct folds *folds, uint32_t fold)
{
    struct fold_writers writers = {.others = open_writer(search, folds, false),
                                   .fold = open_writer(search, folds, true)};
    struct error err;

    check(folds_put(folds, fold, &writers, &err), &err);
    check(spool_writer_close(writers.others, &err), &err);
    check(spool_writer_close(writers.fold, &err), &err);
    check(dataset_open(path_of(search, "fold"), NULL, &search->crossed[0], NULL,
                       &search->folds[fold], &err),
          &err);
    real_files_remove(path_of(search, "fold"));
}

static void deal(struct search *search)
{
    const struct jobspec *spec = &search->job.spec;
    const struct fold_rule rule = {.folds = SEARCH_FOLDS,
                                   .seed = spec->seed,
                                   .by_class = true,
                                   .class_column = dataset_held_out(spec).class_column};
    struct folds *folds;
    struct error err;

    check(folds_open(path_of(search, "train.spool"), &rule, &folds, &err), &err);
    for (uint32_t fold = 0; fold < SEARCH_FOLDS; fold++)
        open_fold(search, folds, fold);
    folds_close(folds);
    check(dataset_open(search->folder, NULL, spec, NULL, &search->all, &err), &err);
}

static void make_folder(struct search *search)
{
    snprintf(search->folder, sizeof search->folder, "/tmp/totrain-sim.XXXXXX");
    if (!mkdtemp(search->folder) || mkdir(path_of(search, "fold"), 0700) != 0) {
        perror("search: a folder");
        exit(1);
    }
}

static void remove_folder(const struct search *search)
{
    real_files_remove(search->folder);
    rmdir(path_of(search, "fold"));
    rmdir(search->folder);
}

/* ---- jobs ---- */

static void plan_trials(struct search *search)
{
    static const struct {
        double learning_rate;
        uint32_t units;
    } values[SEARCH_TRIALS] = {{0.001, 16}, {0.03, 8}, {0.01, 16}};

    for (uint32_t trial = 0; trial < SEARCH_TRIALS; trial++) {
        struct jobspec *spec = &search->specs[trial];

        *spec = search->job.spec;
        network_params(&spec->params)->learning_rate = values[trial].learning_rate;
        network_params(&spec->params)->hidden_units.items[0] = values[trial].units;
        search->crossed[trial] = *spec;
        search->crossed[trial].has_validation = true;
    }
}

static void open_part(struct search_part *part, const struct jobspec *spec, struct dataset *dataset)
{
    part->job = (struct real_job){spec, dataset};
    part->subject = real_subject_of(&part->job);
    part->oracle = oracle_new(&part->subject);
}

static void try_undisturbed(struct search *search, uint32_t trial)
{
    struct crossed crossed = {.folds = SEARCH_FOLDS};
    struct error err;

    for (uint32_t fold = 0; fold < SEARCH_FOLDS; fold++) {
        struct search_part *part = &search->parts[trial][fold];

        open_part(part, &search->crossed[trial], &search->folds[fold]);
        for (size_t i = 0; i < part->oracle.result_count; i++)
            check(crossed_put(&crossed, fold, part->oracle.results[i].name,
                              part->oracle.results[i].validation, &err),
                  &err);
    }
    search->wanted[trial] = crossed_result(&crossed, SLICE(METRIC));
    search->wanted[trial].name = METRIC;
}

static uint32_t best_of(const struct fold_result results[SEARCH_TRIALS])
{
    uint32_t best = 0;

    for (uint32_t trial = 1; trial < SEARCH_TRIALS; trial++)
        if (results[trial].mean < results[best].mean)
            best = trial;
    return best;
}

struct search *search_open(const char *csv)
{
    struct search *search = calloc(1, sizeof *search);

    if (!search)
        abort();
    make_folder(search);
    csv_job_make_crossed(&search->job, csv, search->folder);
    plan_trials(search);
    deal(search);
    remove_folder(search);
    for (uint32_t trial = 0; trial < SEARCH_TRIALS; trial++)
        try_undisturbed(search, trial);
    search->best = best_of(search->wanted);
    open_part(&search->last, &search->specs[search->best], &search->all);
    return search;
}

void search_close(struct search *search)
{
    if (!search)
        return;
    oracle_free(&search->last.oracle);
    for (uint32_t trial = 0; trial < SEARCH_TRIALS; trial++)
        for (uint32_t fold = 0; fold < SEARCH_FOLDS; fold++)
            oracle_free(&search->parts[trial][fold].oracle);
    for (uint32_t fold = 0; fold < SEARCH_FOLDS; fold++)
        dataset_close(&search->folds[fold]);
    dataset_close(&search->all);
    free(search);
}

/* ---- disturbed ---- */

static enum status run_fold(const struct search *search, uint32_t trial, uint32_t fold,
                            search_job *run, void *context, struct crossed *crossed,
                            struct error *err)
{
    const struct search_part *part = &search->parts[trial][fold];
    struct world_result result;

    TRY(run(context, trial * SEARCH_FOLDS + fold, &part->subject, &part->oracle, &result, err));
    for (size_t i = 0; i < result.result_count; i++)
        TRY(crossed_put(crossed, fold, result.results[i].name, result.results[i].validation, err));
    return STATUS_OK;
}

static enum status run_trial(const struct search *search, uint32_t trial, search_job *run,
                             void *context, struct fold_result *result, struct error *err)
{
    const struct fold_result *wanted = &search->wanted[trial];
    struct crossed crossed = {.folds = SEARCH_FOLDS};

    for (uint32_t fold = 0; fold < SEARCH_FOLDS; fold++)
        TRY(run_fold(search, trial, fold, run, context, &crossed, err));
    *result = crossed_result(&crossed, SLICE(METRIC));
    if (result->mean == wanted->mean && result->deviation == wanted->deviation)
        return STATUS_OK;
    return fail(err, STATUS_FAILED, "trial %u has %s %.17g (%.17g), and undisturbed %.17g (%.17g)",
                trial + 1, METRIC, result->mean, result->deviation, wanted->mean,
                wanted->deviation);
}

enum status search_run(const struct search *search, search_job *run, void *context,
                       struct error *err)
{
    struct fold_result results[SEARCH_TRIALS];
    struct world_result result;

    for (uint32_t trial = 0; trial < SEARCH_TRIALS; trial++)
        TRY(run_trial(search, trial, run, context, &results[trial], err));
    if (best_of(results) != search->best)
        return fail(err, STATUS_FAILED, "trial %u is the best, and undisturbed trial %u",
                    best_of(results) + 1, search->best + 1);
    return run(context, SEARCH_JOBS - 1, &search->last.subject, &search->last.oracle, &result, err);
}
