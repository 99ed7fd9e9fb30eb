#include "extension/engine/score/explain/dependence_run.h"

#include <string.h>

#include "base/name_list.h"
#include "extension/engine/score/evaluation.h"
#include "extension/engine/score/explain/explain_rows.h"
#include "extension/engine/score/score.h"
#include "scoring/explanations/dependence.h"
#include "scoring/label_names.h"

#define COLUMNS_MAX 6

struct depending {
    const struct host *host;
    const struct plan *plan;
    const struct model *model;
    const struct sink *sink;
    struct arena *arena;
    struct held_rows held;
    struct dependence *dependence;
    const struct transform_input **inputs; /* (count): those that it is of */
    size_t count;
    struct dependence_point **points; /* (count): of each input */
    uint32_t *point_counts;           /* (count) */
    struct slice *classes;            /* (outputs): NULL of numbers */
    struct cell *cell;                /* the next of the result */
};

/* ---- columns ---- */

enum status dependence_columns(const struct plan *plan, struct arena *arena, struct slice **names,
                               size_t *count, struct error *err)
{
    struct slice *name = *names = ARENA_NEW(arena, struct slice, COLUMNS_MAX);

    if (!name)
        return fail_no_memory(err);
    *name++ = SLICE("input");
    *name++ = SLICE("value");
    *name++ = SLICE("word");
    *name++ = SLICE("class");
    if (plan->explain_individual)
        *name++ = SLICE("row");
    *name++ = SLICE("prediction");
    *count = (size_t)(name - *names);
    return STATUS_OK;
}

static enum status refuse_column(const struct depending *depending, struct slice name,
                                 bool is_there, struct error *err)
{
    if (!is_there) {
        fail(err, STATUS_INVALID, "explain.columns: model %.*s takes no column \"%.*s\"",
             SLICE_FORMAT(depending->plan->model_name), SLICE_FORMAT(name));
        return error_hint(err, "SHOW MODEL lists its inputs. A name with a comma stands in double "
                               "quotes: explain.columns = '\"price, net\", age'.");
    }
    fail(err, STATUS_INVALID,
         "explain.columns: column \"%.*s\" is more to the model than a number or a word",
         SLICE_FORMAT(name));
    return error_hint(err, "Parts of dates, lists, texts, crosses, and buckets that functions of "
                           "COLUMN make have no partial dependence; USING permutation takes them.");
}

static enum status add_named(struct depending *depending, struct slice name, struct error *err)
{
    const struct transform *transform = &depending->model->transform;
    uint32_t column = 0;

    while (column < transform->column_count && !slice_equal_fold(transform->columns[column], name))
        column++;
    if (column == transform->column_count)
        return refuse_column(depending, name, false, err);
    if (!dependence_input(transform, column))
        return refuse_column(depending, name, true, err);
    for (size_t i = 0; i < depending->count; i++)
        if (depending->inputs[i]->column == column)
            return fail(err, STATUS_INVALID, "explain.columns names \"%.*s\" twice",
                        SLICE_FORMAT(name));
    depending->inputs[depending->count++] = dependence_input(transform, column);
    return STATUS_OK;
}

static enum status find_named(struct depending *depending, struct error *err)
{
    struct slice rest = depending->plan->explain_columns;

    struct slice name;

    while (rest.size > 0) {
        if (name_list_next(&rest, depending->arena, &name, err) != STATUS_OK) {
            error_hint(err, "explain.columns = 'age, \"price, net\"' names two columns.");
            return err->status;
        }
        TRY(add_named(depending, name, err));
    }
    return STATUS_OK;
}

static enum status find_inputs(struct depending *depending, struct error *err)
{
    const struct transform *transform = &depending->model->transform;
    const size_t room = (size_t)transform->column_count + 1;

    depending->inputs = ARENA_NEW(depending->arena, const struct transform_input *, room);
    depending->points = ARENA_NEW(depending->arena, struct dependence_point *, room);
    depending->point_counts = ARENA_NEW(depending->arena, uint32_t, room);
    if (!depending->inputs || !depending->points || !depending->point_counts)
        return fail_no_memory(err);
    if (depending->plan->explain_columns.size > 0)
        return find_named(depending, err);
    for (uint32_t i = 0; i < transform->column_count; i++)
        if (dependence_input(transform, i))
            depending->inputs[depending->count++] = dependence_input(transform, i);
    if (depending->count > 0)
        return STATUS_OK;
    fail(err, STATUS_INVALID, "no column is a number or a word to model %.*s",
         SLICE_FORMAT(depending->plan->model_name));
    return error_hint(err, "USING permutation takes every model.");
}

/* ---- the result ---- */

static enum status name_classes(struct depending *depending, struct error *err)
{
    const struct model *model = depending->model;

    if (model->task != TASK_CLASSIFICATION)
        return STATUS_OK;
    TRY(label_names(&model->labels, depending->arena, &depending->classes, err));
    if (model->labels.count == 2)
        depending->classes += model_positive(model);
    return STATUS_OK;
}

/* row 0: the mean. */
static void put(struct depending *depending, size_t input, const struct dependence_point *point,
                uint32_t output, uint32_t row, double prediction)
{
    *depending->cell++ =
        cell_text(depending->model->transform.columns[depending->inputs[input]->column]);
    *depending->cell++ = point->is_word ? cell_null() : cell_real(point->number);
    *depending->cell++ = point->is_word ? cell_text(point->word) : cell_null();
    *depending->cell++ = depending->classes ? cell_text(depending->classes[output]) : cell_null();
    if (depending->plan->explain_individual)
        *depending->cell++ = row > 0 ? cell_integer(row) : cell_null();
    *depending->cell++ = cell_real(prediction);
}

static enum status measure_point(struct depending *depending, size_t input,
                                 const struct dependence_point *point, double *means, double *each,
                                 struct error *err)
{
    const struct stop stop = {depending->host->session.interrupted, depending->host->self};
    const uint32_t outputs = dependence_outputs(depending->model);

    TRY(dependence_measure(depending->dependence, depending->inputs[input], point, &stop, means,
                           each, err));
    for (uint32_t j = 0; j < outputs; j++) {
        put(depending, input, point, j, 0, means[j]);
        for (uint32_t row = 0; each && row < depending->held.count; row++)
            put(depending, input, point, j, row + 1, each[(size_t)row * outputs + j]);
    }
    return STATUS_OK;
}

static enum status measure_points(struct depending *depending, struct error *err)
{
    const uint32_t outputs = dependence_outputs(depending->model);
    double *means = ARENA_NEW(depending->arena, double, outputs), *each = NULL;

    if (!means)
        return fail_no_memory(err);
    if (depending->plan->explain_individual) {
        each = ARENA_NEW(depending->arena, double, (size_t)depending->held.count *outputs);
        if (!each)
            return fail_no_memory(err);
    }
    for (size_t i = 0; i < depending->count; i++)
        for (uint32_t j = 0; j < depending->point_counts[i]; j++)
            TRY(measure_point(depending, i, &depending->points[i][j], means, each, err));
    return STATUS_OK;
}

/* Points of each input, and how many rows they make. */
static enum status find_points(struct depending *depending, size_t *rows, struct error *err)
{
    const size_t times =
        dependence_outputs(depending->model) *
        (size_t)(depending->plan->explain_individual ? depending->held.count + 1 : 1);

    *rows = 0;
    for (size_t i = 0; i < depending->count; i++) {
        TRY(dependence_points(depending->dependence, depending->inputs[i],
                              depending->plan->explain_points, depending->arena,
                              &depending->points[i], &depending->point_counts[i], err));
        *rows += depending->point_counts[i] * times;
        if (*rows <= DEPENDENCE_ROWS_MAX)
            continue;
        fail(err, STATUS_LIMIT, "partial dependence returns at most %d rows", DEPENDENCE_ROWS_MAX);
        return error_hint(err, "Set explain.rows or explain.grid to fewer, or name some columns in "
                               "explain.columns.");
    }
    return STATUS_OK;
}

static enum status explain(struct depending *depending, struct error *err)
{
    const double started = score_seconds_now();
    struct evaluation_rows rows = {.rows = 0};
    struct cell *cells;

    TRY(find_inputs(depending, err));
    TRY(explain_rows_read(depending->host, depending->plan, depending->arena, depending->sink,
                          &depending->held, NULL, err));
    TRY(held_rows_sort(&depending->held, err));
    TRY(dependence_new(&depending->held, &depending->dependence, err));
    TRY(name_classes(depending, err));
    TRY(find_points(depending, &rows.rows, err));
    TRY(dependence_columns(depending->plan, depending->arena, &rows.names, &rows.columns, err));
    cells = ARENA_NEW(depending->arena, struct cell, rows.rows * rows.columns + 1);
    if (!cells)
        return fail_no_memory(err);
    depending->cell = cells;
    TRY(measure_points(depending, err));
    rows.cells = cells;
    return evaluation_put(depending->host, depending->plan, &rows, started, depending->sink, err);
}

enum status dependence_run(const struct host *host, const struct plan *plan,
                           const struct model *model, struct arena *arena, const struct sink *sink,
                           struct error *err)
{
    struct depending depending = {
        .host = host, .plan = plan, .model = model, .sink = sink, .arena = arena};
    enum status status;

    held_rows_init(&depending.held, model, plan->explain_rows);
    status = explain(&depending, err);
    dependence_free(depending.dependence);
    held_rows_deinit(&depending.held);
    return status;
}
