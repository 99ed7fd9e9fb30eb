#include "extension/engine/score/explain/importance_run.h"

#include <math.h>
#include <stdlib.h>

#include "extension/engine/score/evaluation.h"
#include "extension/engine/score/explain/explain_rows.h"
#include "extension/engine/score/explain/text_bars.h"
#include "extension/engine/score/score.h"
#include "scoring/explanations/importance.h"

#define COLUMNS_MAX 6

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
    struct importance *importance;
    struct explained *columns;
    size_t count;
    enum metric metric;
    double baseline, started;
};

static bool is_interrupted(void *context)
{
    const struct host *host = context;

    return host->session.interrupted(host->self);
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

        if (plan->model.inputs[i].offset ||
            plan->model.inputs[i].label) /* they are no inputs whose
                                             order could be changed */
            continue;
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
                                    .stage = "importance",
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

enum status importance_columns(const struct plan *plan, struct arena *arena, struct slice **names,
                               size_t *count, struct error *err)
{
    struct slice *name = *names = ARENA_NEW(arena, struct slice, COLUMNS_MAX);

    if (!name)
        return fail_no_memory(err);
    *name++ = SLICE("input");
    *name++ = SLICE("importance");
    *name++ = SLICE("deviation");
    *name++ = SLICE("metric");
    *name++ = SLICE("baseline");
    if (plan->explain_picture != PICTURE_NONE)
        *name++ = SLICE("bar");
    *count = (size_t)(name - *names);
    return STATUS_OK;
}

/* `greatest`: of all columns, which has the longest bar. */
static enum status put_column(const struct explaining *explaining,
                              const struct explained *explained, double greatest,
                              struct cell **cells, struct error *err)
{
    struct cell *cell = *cells;

    *cell++ = cell_text(explained->name);
    *cell++ = cell_real(explained->mean);
    *cell++ = cell_real(explained->deviation);
    *cell++ = cell_text(explaining->plan->metrics[0]);
    *cell++ = cell_real(explaining->baseline);
    if (explaining->plan->explain_picture != PICTURE_NONE)
        TRY(text_bar(greatest > 0 ? explained->mean / greatest : 0, explaining->arena, cell++,
                     err));
    *cells = cell;
    return STATUS_OK;
}

static enum status put_result(struct explaining *explaining, struct error *err)
{
    const struct plan *plan = explaining->plan;
    const uint32_t most = plan->explain_inputs_max;
    struct evaluation_rows rows = {.rows = explaining->count};
    double greatest = 0;
    struct cell *cells;

    if (most > 0 && most < rows.rows)
        rows.rows = most;
    TRY(importance_columns(plan, explaining->arena, &rows.names, &rows.columns, err));
    cells = ARENA_NEW(explaining->arena, struct cell, rows.rows * rows.columns + 1);
    if (!cells)
        return fail_no_memory(err);
    rows.cells = cells;
    if (plan->explain_sorted)
        qsort(explaining->columns, explaining->count, sizeof *explaining->columns,
              compare_importance);
    for (size_t i = 0; i < explaining->count; i++)
        greatest = fmax(greatest, explaining->columns[i].mean);
    for (size_t i = 0; i < rows.rows; i++)
        TRY(put_column(explaining, &explaining->columns[i], greatest, &cells, err));
    return evaluation_put(explaining->host, plan, &rows, explaining->started, explaining->sink,
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

    TRY(importance_new(model, &options, &explaining->importance, err));
    TRY(find_columns(explaining, err));
    TRY(explain_rows_read(explaining->host, plan, explaining->arena, explaining->sink,
                          importance_held(explaining->importance), NULL, err));
    TRY(measure_columns(explaining, err));
    return put_result(explaining, err);
}

enum status importance_run(const struct host *host, const struct plan *plan,
                           const struct model *model, struct arena *arena, const struct sink *sink,
                           struct error *err)
{
    struct explaining explaining = {
        .host = host, .plan = plan, .sink = sink, .arena = arena, .started = score_seconds_now()};
    enum status status;

    if (!metric_find(plan->metrics[0], &explaining.metric))
        return fail(err, STATUS_INVALID, "an unknown metric");
    status = explain_with(&explaining, model, err);
    importance_free(explaining.importance);
    return status;
}
