#include "extension/engine/score/importance_run.h"

#include <math.h>
#include <stdlib.h>

#include "extension/engine/score/evaluation.h"
#include "extension/engine/score/score.h"
#include "scoring/importance.h"

#define RESULT_COLUMNS 5

/* A column of the SELECT, and the inputs that come of it: of an array several. */
struct explained {
    struct slice name;
    int column;
    uint32_t *inputs;
    size_t count;
    double mean, deviation;
};

struct explaining {
    const struct host *host;
    const struct plan *plan;
    const struct sink *sink;
    struct arena *arena;
    struct scorer scorer;
    struct row_room room;
    struct importance *importance;
    uint64_t rows;
    struct explained *columns;
    size_t count;
    enum metric metric;
    double baseline, started;
};

/* ---- rows ---- */

static bool is_interrupted(void *context)
{
    const struct host *host = context;

    return host->session.interrupted && host->session.interrupted(host->self);
}

static enum status take_row(void *self, const struct cell *cells, size_t count, struct error *err)
{
    struct explaining *explaining = self;
    struct row_label label = {0};

    explaining->rows++;
    TRY(score_take_row(explaining->plan, &explaining->room, explaining->rows, cells, count,
                       &explaining->scorer, 0, &label, err));
    return importance_add(explaining->importance, &explaining->scorer, &label, err);
}

static enum status read_rows(struct explaining *explaining, struct error *err)
{
    const struct sink rows = {.self = explaining, .row = take_row};
    const struct host *host = explaining->host;
    uint32_t held;

    TRY(host->rows->query(host->self, explaining->plan->select, &rows, err));
    held = importance_rows(explaining->importance);
    if (held < explaining->rows)
        sink_notice(explaining->sink,
                    "importance is measured on %u of %llu rows, those whose hashes are the least: "
                    "explain.rows",
                    held, (unsigned long long)explaining->rows);
    return STATUS_OK;
}

/* ---- columns ---- */

/* Elements of an array are of its column. */
static int column_of(const struct plan *plan, size_t input)
{
    const struct vectors *vectors = &plan->query.vectors;
    const size_t column = (size_t)plan->model_columns[input];

    for (size_t i = 0; i < vectors->count && column >= plan->query.count; i++) {
        const size_t first = vectors_first(vectors, &vectors->items[i]);

        if (column >= first && column < first + vectors->items[i].size)
            return (int)vectors->items[i].column;
    }
    return (int)column;
}

static enum status find_columns(struct explaining *explaining, struct error *err)
{
    const struct plan *plan = explaining->plan;
    const size_t inputs = plan->model.input_count;
    uint32_t *room = ARENA_NEW(explaining->arena, uint32_t, inputs + 1);

    explaining->columns = ARENA_NEW(explaining->arena, struct explained, inputs + 1);
    if (!explaining->columns || !room)
        return fail_no_memory(err);
    for (size_t i = 0; i < inputs; i++) {
        const int column = column_of(plan, i);
        struct explained *explained = explaining->columns;
        struct explained *const end = explained + explaining->count;

        while (explained < end && explained->column != column)
            explained++;
        if (explained == end) {
            *explained =
                (struct explained){.name = plan->query.columns[column].name, .column = column};
            explaining->count++;
        }
        explained->count++;
    }
    for (size_t i = 0; i < explaining->count; i++) {
        struct explained *explained = &explaining->columns[i];

        explained->inputs = room;
        for (size_t j = 0; j < inputs; j++)
            if (column_of(plan, j) == explained->column)
                *room++ = (uint32_t)j;
    }
    return STATUS_OK;
}

/* ---- measuring ---- */

static void tell(const struct explaining *explaining, enum job_event_kind kind, uint64_t done)
{
    const struct job_event event = {.kind = kind,
                                    .unit = "column",
                                    .step = done,
                                    .steps = explaining->count,
                                    .workers = 1,
                                    .loss = NAN,
                                    .validation_loss = NAN,
                                    .validation_score = NAN,
                                    .seconds = score_seconds_now() - explaining->started,
                                    .seconds_left = NAN};

    sink_progress(explaining->sink, &event);
}

/* By how much the metric is worse: mean and deviation of the repeats. */
static enum status measure_column(struct explaining *explaining, struct explained *explained,
                                  struct error *err)
{
    const uint32_t repeats = explaining->plan->explain_repeats;
    double sum = 0, squares = 0, mean = 0;

    for (uint32_t i = 0; i < repeats; i++) {
        double value, worse, from_mean;

        TRY(importance_measure(explaining->importance, explained->name, explained->inputs,
                               explained->count, i, &value, err));
        worse = metric_is_loss(explaining->metric) ? value - explaining->baseline
                                                   : explaining->baseline - value;
        sum += worse;
        from_mean = worse - mean;
        mean += from_mean / (i + 1);
        squares += from_mean * (worse - mean);
    }
    explained->mean = sum / repeats;
    explained->deviation = sqrt(squares / repeats);
    return STATUS_OK;
}

static enum status measure_columns(struct explaining *explaining, struct error *err)
{
    TRY(importance_begin(explaining->importance, &explaining->baseline, err));
    tell(explaining, JOB_STARTED, 0);
    for (size_t i = 0; i < explaining->count; i++) {
        TRY(measure_column(explaining, &explaining->columns[i], err));
        tell(explaining, JOB_PROGRESS, i + 1);
    }
    tell(explaining, JOB_DONE, explaining->count);
    return STATUS_OK;
}

/* ---- the result ---- */

static int compare_importance(const void *a, const void *b)
{
    const struct explained *x = a, *y = b;

    if (x->mean != y->mean)
        return x->mean > y->mean ? -1 : 1;
    return slice_compare(x->name, y->name);
}

static enum status put_result(struct explaining *explaining, struct error *err)
{
    static const char *const names[RESULT_COLUMNS] = {"input", "importance", "deviation", "metric",
                                                      "baseline"};
    struct slice columns[RESULT_COLUMNS];
    struct cell *cells =
        ARENA_NEW(explaining->arena, struct cell, explaining->count * RESULT_COLUMNS + 1);
    const struct evaluation_rows rows = {columns, RESULT_COLUMNS, cells, explaining->count};
    struct sink sink = *explaining->sink;

    sink.columns = NULL; /* the engine has given them: they are the same in each such statement */
    if (!cells)
        return fail_no_memory(err);
    for (size_t i = 0; i < RESULT_COLUMNS; i++)
        columns[i] = slice_of(names[i]);
    qsort(explaining->columns, explaining->count, sizeof *explaining->columns, compare_importance);
    for (size_t i = 0; i < explaining->count; i++) {
        const struct explained *explained = &explaining->columns[i];
        struct cell *row = cells + i * RESULT_COLUMNS;

        row[0] = cell_text(explained->name);
        row[1] = cell_real(explained->mean);
        row[2] = cell_real(explained->deviation);
        row[3] = cell_text(explaining->plan->metrics[0]);
        row[4] = cell_real(explaining->baseline);
    }
    return evaluation_put(explaining->host, explaining->plan, &rows, explaining->started, &sink,
                          err);
}

static enum status explain_with(struct explaining *explaining, const struct model *model,
                                struct error *err)
{
    const struct plan *plan = explaining->plan;
    const struct importance_options options = {.metric = plan->metrics[0],
                                               .seed = plan->explain_seed,
                                               .rows_max = plan->explain_rows,
                                               .is_interrupted = is_interrupted,
                                               .context = (void *)(uintptr_t)explaining->host};

    if (model->transform.column_count != plan->model.input_count)
        return fail(err, STATUS_STALE, "the model was replaced meanwhile: run the statement again");
    TRY(scorer_init(&explaining->scorer, model, 1, err));
    TRY(importance_new(model, &options, &explaining->importance, err));
    TRY(row_room_make(plan, explaining->arena, &explaining->room, err));
    TRY(find_columns(explaining, err));
    TRY(read_rows(explaining, err));
    TRY(measure_columns(explaining, err));
    return put_result(explaining, err);
}

enum status importance_run(const struct host *host, const struct plan *plan, struct arena *arena,
                           const struct sink *sink, struct error *err)
{
    struct explaining explaining = {
        .host = host, .plan = plan, .sink = sink, .arena = arena, .started = score_seconds_now()};
    struct arena model_arena;
    struct model model;
    enum status status;

    TRY(score_check_targets(host, plan, err));
    if (!metric_find(plan->metrics[0], &explaining.metric))
        return fail(err, STATUS_INVALID, "an unknown metric");
    arena_init(&model_arena, MODEL_ARENA_MAX);
    status = host->models->load(host->self, plan->model_schema, plan->model_name, &model_arena,
                                &model, err);
    if (status == STATUS_OK)
        status = explain_with(&explaining, &model, err);
    importance_free(explaining.importance);
    scorer_deinit(&explaining.scorer);
    arena_deinit(&model_arena);
    return status;
}
