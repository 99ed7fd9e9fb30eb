#include "extension/engine/jobs/trials.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "codegen/lower_train.h"
#include "extension/engine/jobs/cross_validation.h"
#include "extension/engine/jobs/side_job.h"
#include "extension/engine/jobs/small_job.h"
#include "planner/plan/parameters.h"
#include "planner/training/search.h"
#include "runtime/data/dataset/dataset.h"
#include "runtime/data/dataset/model_file.h"
#include "runtime/data/store/trial_results.h"
#include "runtime/launch/job_rows.h"

enum trial_state { TRIAL_DONE, TRIAL_STOPPED, TRIAL_SKIPPED, TRIAL_FAILED };

struct trial {
    uint32_t number; /* from 0 */
    enum trial_state state;
    double value;     /* NaN: none */
    double deviation; /* from fold to fold; NaN: there are no folds */
    uint32_t whole;   /* epochs or rounds of its statement; 0: it has none */
    uint32_t epochs;  /* count of those that it learned */
    struct error error;
};

struct trying {
    const struct trials_request *request;
    const struct search *search;
    const struct attribute *rounds; /* its value is a trial's length; NULL: epochs are */
    struct trial *trials;           /* (search->trials): those that are left come first */
    uint32_t left;
    uint32_t stage, stages;
    const struct trial *best;
    double began;             /* seconds */
    char said[160];           /* for progress */
    struct crossing crossing; /* for train.folds */
    struct crossed *crossed;  /* the measures of the trial's folds; NULL: there are none */
    struct crossed *crossed_best;
};

/* ----- a trial's plan ----- */

static enum status plan_trial(const struct trying *trying, const struct trial *trial,
                              struct arena *arena, struct plan *plan, struct jobspec *spec,
                              struct error *err)
{
    const struct trials_request *request = trying->request;
    struct statement statement;

    TRY(search_statement(trying->search, request->statement, trial->number, arena, &statement,
                         err));
    TRY(column_verdict_plan(request->verdict, &statement, arena, plan, err));
    plan->notices = request->job->plan->notices;
    TRY(lower_train(plan, arena, spec, err));
    spec->in_one_process = job_is_small(plan, spec, request->rows);
    return STATUS_OK;
}

static uint64_t training_rows(const struct trying *trying, const struct jobspec *spec)
{
    const struct spool_held_out rule = dataset_held_out(spec);
    const uint64_t rows = trying->request->rows;

    if (trying->crossed)
        return rows - rows / trying->crossing.count;
    return rows < rule.least_rows ? rows : rows - (uint64_t)((double)rows * rule.share);
}

static uint32_t length_of(const struct trying *trying, const struct plan *plan,
                          const struct jobspec *spec)
{
    const struct attribute *attribute;
    uint32_t rounds;

    if (!search_length(plan->estimator, &attribute) || !attribute)
        return epochs_of(plan, training_rows(trying, spec));
    memcpy(&rounds, spec->params.bytes + attribute->offset, sizeof rounds);
    return rounds;
}

/* Makes the trial as long as the stage says; the last stage leaves everything as the statement has
 * it. */
static void shorten(const struct trying *trying, const struct trial *trial, struct jobspec *spec)
{
    const uint32_t length = search_shortened(trial->whole, trying->stage, trying->stages);

    if (trying->stage + 1 == trying->stages)
        return;
    if (trying->rounds)
        attribute_set_integer(trying->rounds, spec->params.bytes, length);
    else
        spec->epochs = length;
}

/* ----- a trial's job ----- */

struct trial_run {
    const struct trying *trying;
    struct trial *trial;
};

static enum status link_rows(void *context, const struct job_folder *folder, struct error *err)
{
    const struct trial_run *run = context;

    return job_rows_link(&run->trying->request->job->folder, folder, MODEL_FILE, err);
}

static enum status take_value(void *context, const char *name, double train, double validation,
                              struct error *err)
{
    const struct trial_run *run = context;

    (void)err;
    if (slice_is(run->trying->search->metric, name))
        run->trial->value =
            search_is_held_out(run->trying->request->job->plan) ? validation : train;
    return STATUS_OK;
}

static enum status take_results(void *context, struct jobstore *store, struct error *err)
{
    struct trial_run *run = context;
    struct side_length length;

    TRY(jobstore_each_result(store, take_value, run, err));
    TRY(side_length_read(store, &length, err));
    run->trial->epochs = length.last;
    if (isfinite(run->trial->value))
        return STATUS_OK;
    return fail(err, STATUS_DIVERGED, "%.*s has no value",
                SLICE_FORMAT(run->trying->search->metric));
}

/* The trial's value is the mean over the folds. */
static enum status cross_trial(const struct trying *trying, const struct jobspec *spec,
                               struct trial *trial, struct error *err)
{
    struct crossed *crossed = trying->crossed;
    char said[sizeof trying->said + 2];
    struct fold_result result;

    snprintf(said, sizeof said, "%s, ", trying->said);
    TRY(crossing_measure(&trying->crossing, spec, said, crossed, err));
    result = crossed_result(crossed, trying->search->metric);
    trial->value = result.mean;
    trial->deviation = result.deviation;
    trial->epochs = (uint32_t)lround(crossed->last / crossed->folds);
    if (isfinite(trial->value))
        return STATUS_OK;
    return fail(err, STATUS_DIVERGED, "%.*s has no value in one of the folds",
                SLICE_FORMAT(trying->search->metric));
}

static void say(struct trying *trying, const struct trial *trial)
{
    const struct search *search = trying->search;
    int size = snprintf(trying->said, sizeof trying->said, "trial %u of %u", trial->number + 1,
                        search->trials);

    if (trying->stages > 1)
        size += snprintf(trying->said + size, sizeof trying->said - (size_t)size,
                         ", stage %u of %u", trying->stage + 1, trying->stages);
    if (trying->best)
        snprintf(trying->said + size, sizeof trying->said - (size_t)size, ", best %.*s %.4g",
                 SLICE_FORMAT(search->metric), trying->best->value);
}

/* Its values are to blame, rather than the machine. */
static bool is_of_trial(enum status status)
{
    return status == STATUS_DIVERGED || status == STATUS_INVALID || status == STATUS_LIMIT;
}

static enum status train_trial(struct trying *trying, struct trial *trial, struct arena *arena,
                               struct error *err)
{
    struct trial_run run = {trying, trial};
    struct jobspec spec;
    struct plan plan;
    const struct side_job side = {.job = trying->request->job,
                                  .spec = &spec,
                                  .stage = trying->said,
                                  .context = &run,
                                  .put_rows = link_rows,
                                  .take = take_results};
    enum status status;

    TRY(plan_trial(trying, trial, arena, &plan, &spec, err));
    shorten(trying, trial, &spec);
    say(trying, trial);
    trial->value = trial->deviation = (double)NAN;
    status = trying->crossed ? cross_trial(trying, &spec, trial, err) : side_job_run(&side, err);
    if (!is_of_trial(status)) {
        if (status != STATUS_OK)
            side_job_name(&side, trying->search->position, err);
        return status;
    }
    trial->state = TRIAL_FAILED;
    trial->error = *err;
    error_clear(err);
    return STATUS_OK;
}

/* ----- which is better ----- */

static bool has_value(const struct trial *trial)
{
    return trial->state != TRIAL_FAILED && trial->state != TRIAL_SKIPPED;
}

/* < 0: a is; of two that are alike the one that was drawn first. */
static int compare(const struct trying *trying, const struct trial *a, const struct trial *b)
{
    const double sign = trying->search->is_loss ? 1 : -1;

    if (has_value(a) != has_value(b))
        return has_value(a) ? -1 : 1;
    if (has_value(a) && a->value != b->value)
        return a->value * sign < b->value * sign ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

/* Few enough for insertion. */
static void sort(const struct trying *trying)
{
    for (uint32_t i = 1; i < trying->left; i++) {
        const struct trial trial = trying->trials[i];
        uint32_t place = i;

        for (; place > 0 && compare(trying, &trial, &trying->trials[place - 1]) < 0; place--)
            trying->trials[place] = trying->trials[place - 1];
        trying->trials[place] = trial;
    }
}

/* Those that are not among the best end here. */
static void leave_best(struct trying *trying)
{
    const uint32_t left = search_left(trying->left);

    for (uint32_t i = left; i < trying->left; i++)
        if (trying->trials[i].state == TRIAL_DONE)
            trying->trials[i].state = TRIAL_STOPPED;
    trying->left = left;
}

static double seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static bool time_is_up(const struct trying *trying)
{
    const double seconds = trying->search->max_seconds;

    return seconds > 0 && trying->best && seconds_now() - trying->began >= seconds;
}

static enum status run_stage(struct trying *trying, struct error *err)
{
    trying->best = NULL;
    for (uint32_t i = 0; i < trying->left; i++) {
        struct trial *trial = &trying->trials[i];
        struct arena arena;
        enum status status;

        if (time_is_up(trying))
            trial->state = TRIAL_SKIPPED;
        if (!has_value(trial))
            continue;
        arena_init(&arena, ARENA_MAXIMUM);
        status = train_trial(trying, trial, &arena, err);
        arena_deinit(&arena);
        TRY(status);
        if (trial->state != TRIAL_FAILED &&
            (!trying->best || compare(trying, trial, trying->best) < 0)) {
            trying->best = trial;
            if (trying->crossed) {
                *trying->crossed_best = *trying->crossed;
                TRY(crossing_prefer(&trying->crossing, err));
            }
        }
    }
    sort(trying);
    return STATUS_OK;
}

/* ----- the whole ----- */

/* Lengths of all, and so how many stages there are. */
static enum status measure_lengths(struct trying *trying, struct error *err)
{
    uint32_t least = UINT32_MAX;

    for (uint32_t i = 0; i < trying->search->trials; i++) {
        struct trial *trial = &trying->trials[i];
        struct arena arena;
        struct jobspec spec;
        struct plan plan;
        enum status status;

        arena_init(&arena, ARENA_MAXIMUM);
        status = plan_trial(trying, trial, &arena, &plan, &spec, err);
        trial->whole = status == STATUS_OK ? length_of(trying, &plan, &spec) : 0;
        arena_deinit(&arena);
        TRY(status);
        least = trial->whole < least ? trial->whole : least;
    }
    trying->stages = search_stages(trying->search, least);
    return STATUS_OK;
}

static enum status fail_all(const struct trying *trying, struct error *err)
{
    const struct trial *first = &trying->trials[0];

    *err = first->error;
    snprintf(err->message, sizeof err->message, "each trial has failed; trial %u: %.400s",
             first->number + 1, first->error.message);
    err->position = trying->search->position;
    return err->status;
}

static enum status run_all(struct trying *trying, struct error *err)
{
    trying->stages = 1;
    if (trying->search->method == SEARCH_HALVING)
        TRY(measure_lengths(trying, err));
    for (; trying->stage < trying->stages; trying->stage++) {
        TRY(run_stage(trying, err));
        if (trying->trials[0].state == TRIAL_FAILED)
            return fail_all(trying, err);
        if (trying->stage + 1 < trying->stages)
            leave_best(trying);
    }
    return STATUS_OK;
}

/* ----- what the job gets of it ----- */

static const char *state_of(const struct trying *trying, const struct trial *trial)
{
    return trial == &trying->trials[0]     ? "best"
           : trial->state == TRIAL_DONE    ? "done"
           : trial->state == TRIAL_STOPPED ? "stopped"
           : trial->state == TRIAL_SKIPPED ? "skipped"
                                           : "failed";
}

static enum status keep_trial(const struct trying *trying, const struct trial *trial,
                              struct jobstore *store, struct error *err)
{
    char metric[WORD_BYTES_MAX + 1];
    enum status status;
    struct text settings;

    text_init(&settings, STATEMENT_BYTES_MAX);
    search_append_values(trying->search, trial->number, &settings);
    slice_copy(trying->search->metric, metric, sizeof metric);
    status = settings.failed
                 ? fail_no_memory(err)
                 : trial_result_put(store,
                                    &(struct trial_result){.number = trial->number + 1,
                                                           .value = trial->value,
                                                           .deviation = trial->deviation,
                                                           .metric = metric,
                                                           .epochs = trial->epochs,
                                                           .state = state_of(trying, trial),
                                                           .settings = text_string(&settings),
                                                           .error = trial->state == TRIAL_FAILED
                                                                        ? trial->error.message
                                                                        : ""},
                                    err);
    text_deinit(&settings);
    return status;
}

static enum status keep_trials(const struct trying *trying, struct error *err)
{
    enum status status = STATUS_OK;
    struct jobstore *store;

    TRY(side_store_open(trying->request->job, &store, err));
    for (uint32_t i = 0; i < trying->search->trials && status == STATUS_OK; i++)
        status = keep_trial(trying, &trying->trials[i], store, err);
    jobstore_close(store);
    return status;
}

/* The statement of its own that makes the model again, but for the rows that are held out. */
static void note_best(const struct trying *trying)
{
    struct text best;
    uint32_t tried = 0;

    for (uint32_t i = 0; i < trying->search->trials; i++)
        tried += trying->trials[i].state != TRIAL_SKIPPED;
    text_init(&best, STATEMENT_BYTES_MAX);
    search_append_values(trying->search, trying->trials[0].number, &best);
    sink_notice(trying->request->job->sink, "the best of %u trial%s is trial %u: TO TRAIN %s",
                tried, tried == 1 ? "" : "s", trying->trials[0].number + 1, text_string(&best));
    text_deinit(&best);
}

/* The job learns what the best trial has learned. */
static enum status take_best(const struct trying *trying, struct error *err)
{
    struct job *job = trying->request->job;
    struct plan *plan = ARENA_NEW(job->arena, struct plan, 1);

    if (!plan)
        return fail_no_memory(err);
    TRY(plan_trial(trying, &trying->trials[0], job->arena, plan, &job->spec, err));
    job->plan = plan;
    if (trying->search->candidates)
        note_best(trying);
    return trying->crossed ? crossing_keep(&trying->crossing, trying->crossed_best, err)
                           : STATUS_OK;
}

static enum status deal(struct trying *trying, struct error *err)
{
    struct job *job = trying->request->job;

    if (job->plan->folds == 0)
        return STATUS_OK;
    trying->crossed = ARENA_NEW(job->arena, struct crossed, 1);
    trying->crossed_best = ARENA_NEW(job->arena, struct crossed, 1);
    if (!trying->crossed || !trying->crossed_best)
        return fail_no_memory(err);
    return crossing_open(job, &trying->crossing, err);
}

enum status trials_run(const struct trials_request *request, struct error *err)
{
    const struct search *search = request->job->plan->search;
    struct trying trying = {
        .request = request, .search = search, .left = search->trials, .began = seconds_now()};
    enum status status;

    if (!search_length(request->job->plan->estimator, &trying.rounds))
        trying.rounds = NULL;
    trying.trials = calloc(search->trials, sizeof *trying.trials);
    if (!trying.trials)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < search->trials; i++)
        trying.trials[i] =
            (struct trial){.number = i, .value = (double)NAN, .deviation = (double)NAN};
    status = deal(&trying, err);
    if (status == STATUS_OK)
        status = run_all(&trying, err);
    crossing_close(&trying.crossing);
    if (status == STATUS_OK)
        status = keep_trials(&trying, err);
    if (status == STATUS_OK)
        status = take_best(&trying, err);
    free(trying.trials);
    return status;
}
