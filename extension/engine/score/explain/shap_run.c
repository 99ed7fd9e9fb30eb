#include "extension/engine/score/explain/shap_run.h"

#include <math.h>
#include <stdlib.h>

#include "extension/engine/score/evaluation.h"
#include "extension/engine/score/explain/explain_rows.h"
#include "extension/engine/score/explain/shap_points.h"
#include "extension/engine/score/explain/text_bars.h"
#include "extension/engine/score/score.h"
#include "scoring/label_names.h"
#include "scoring/shap.h"

#define COLUMNS_MAX  7
#define ROWS_AT_ONCE 64 /* between two looks at whether the statement was interrupted */

/* Sums for an input and an output, over the rows. */
struct shares {
    double absolute; /* sum of |SHAP value| */
    /* Count of the rows whose value is a number; means, and sums of squares and products from
     * these. */
    double count, value_mean, share_mean, values, shares, products;
    uint32_t bins[TEXT_BAR_WIDTH];
};

struct explained_input {
    uint32_t input;
    double absolute; /* sum over all outputs */
};

struct explaining {
    const struct host *host;
    const struct plan *plan;
    const struct model *model;
    const struct sink *sink;
    struct arena *arena;
    struct held_rows held;
    struct bucket_words words;
    struct shap *shap;
    struct stop stop;
    uint32_t inputs, outputs;
    double *values;        /* (outputs, inputs + 1): of a row */
    struct shares *shares; /* (outputs, inputs) */
    double *bases;         /* (outputs): sums over the rows, whose offsets are in their bases */
    /* The first rows of the result have these; NULL: points are not asked for. */
    struct shap_points *points;
    uint32_t point_sets, point_rows;
    double low, high; /* least and greatest SHAP value of all */
    double started;
};

static bool has_outputs(const struct plan *plan)
{
    return plan->model.class_count > 2 || plan->model.aim.quantile_count > 1;
}

static bool has_words(const struct plan *plan)
{
    for (size_t i = 0; i < plan->model.input_count; i++)
        if (plan->model.inputs[i].list.form == LIST_WORDS)
            return true;
    return false;
}

enum status shap_columns(const struct plan *plan, struct arena *arena, struct slice **names,
                         size_t *count, struct error *err)
{
    static const struct slice pictures[] = {[PICTURE_BAR] = SLICE("bar"),
                                            [PICTURE_DOT] = SLICE("dots"),
                                            [PICTURE_POINTS] = SLICE("points")};
    struct slice *name = *names = ARENA_NEW(arena, struct slice, COLUMNS_MAX);

    if (!name)
        return fail_no_memory(err);
    *name++ = SLICE("input");
    if (has_outputs(plan))
        *name++ = plan->model.task == TASK_CLASSIFICATION ? SLICE("class") : SLICE("quantile");
    *name++ = SLICE("importance");
    *name++ = SLICE("direction");
    *name++ = SLICE("base");
    if (has_words(plan))
        *name++ = SLICE("words");
    if (plan->explain_picture != PICTURE_NONE)
        *name++ = pictures[plan->explain_picture];
    *count = (size_t)(name - *names);
    return STATUS_OK;
}

/* ---- rows ---- */

/* Value of an input where it is a number that is there, else NaN. */
static double value_of(const struct transform_input *input, const float *dense)
{
    return input->spec.type == INPUT_NUMERIC ? (double)dense[input->dense_offset] : NAN;
}

/* Welford's steps: no digits are lost where the mean is far from 0. */
static void add_share(struct shares *shares, double value, double share)
{
    double value_step, share_step;

    shares->absolute += fabs(share);
    if (isnan(value))
        return;
    shares->count++;
    value_step = value - shares->value_mean;
    share_step = share - shares->share_mean;
    shares->value_mean += value_step / shares->count;
    shares->share_mean += share_step / shares->count;
    shares->values += value_step * (value - shares->value_mean);
    shares->shares += share_step * (share - shares->share_mean);
    shares->products += value_step * (share - shares->share_mean);
}

static void add_row(struct explaining *explaining, const float *dense)
{
    const struct transform *transform = &explaining->model->transform;

    for (uint32_t output = 0; output < explaining->outputs; output++)
        explaining->bases[output] +=
            explaining->values[output * (explaining->inputs + 1) + explaining->inputs];
    for (uint32_t output = 0; output < explaining->outputs; output++)
        for (uint32_t i = 0; i < explaining->inputs; i++) {
            const double share = explaining->values[output * (explaining->inputs + 1) + i];

            add_share(&explaining->shares[output * explaining->inputs + i],
                      value_of(&transform->inputs[i], dense), share);
            explaining->low = fmin(explaining->low, share);
            explaining->high = fmax(explaining->high, share);
        }
}

static void count_row(struct explaining *explaining, const float *dense)
{
    const double range = explaining->high - explaining->low;
    (void)dense;

    for (uint32_t output = 0; output < explaining->outputs; output++)
        for (uint32_t i = 0; i < explaining->inputs; i++) {
            const double share = explaining->values[output * (explaining->inputs + 1) + i];
            const double place = range > 0 ? (share - explaining->low) / range * TEXT_BAR_WIDTH : 0;
            const uint32_t bin = place < TEXT_BAR_WIDTH ? (uint32_t)place : TEXT_BAR_WIDTH - 1;

            explaining->shares[output * explaining->inputs + i].bins[bin]++;
        }
}

static enum status each_row(struct explaining *explaining,
                            void (*take)(struct explaining *, const float *), struct error *err)
{
    for (uint32_t row = 0; row < explaining->held.count; row++) {
        const float *dense = held_rows_dense(&explaining->held, row);

        if (row % ROWS_AT_ONCE == 0)
            TRY(stop_ask(&explaining->stop, err));
        TRY(shap_row(explaining->shap, dense, held_rows_ids(&explaining->held, row),
                     &explaining->stop, explaining->values, err));
        take(explaining, dense);
    }
    return STATUS_OK;
}

/* ---- the result ---- */

static int compare_inputs(const void *a, const void *b)
{
    const struct explained_input *x = a, *y = b;

    if (x->absolute != y->absolute)
        return x->absolute > y->absolute ? -1 : 1;
    return (x->input > y->input) - (x->input < y->input);
}

/* An offset is none of them: it is in the base. */
static struct explained_input *order_inputs(struct explaining *explaining)
{
    const struct transform *transform = &explaining->model->transform;
    struct explained_input *order =
        ARENA_NEW(explaining->arena, struct explained_input, explaining->inputs + (size_t)1);
    uint32_t count = 0;

    if (!order)
        return NULL;
    for (uint32_t i = 0; i < explaining->inputs; i++) {
        if (transform->inputs[i].spec.offset)
            continue;
        order[count] = (struct explained_input){.input = i};
        for (uint32_t output = 0; output < explaining->outputs; output++)
            order[count].absolute += explaining->shares[output * explaining->inputs + i].absolute;
        count++;
    }
    if (explaining->plan->explain_sorted)
        qsort(order, count, sizeof *order, compare_inputs);
    return order;
}

static struct cell direction_of(const struct shares *shares)
{
    const double both = sqrt(shares->values) * sqrt(shares->shares);

    return both > 0 ? cell_real(fmax(-1, fmin(1, shares->products / both))) : cell_null();
}

static double greatest_absolute(const struct explaining *explaining)
{
    double greatest = 0;

    for (size_t i = 0; i < (size_t)explaining->outputs * explaining->inputs; i++)
        greatest = fmax(greatest, explaining->shares[i].absolute);
    return greatest;
}

/* The base of an output: the same for all rows, or where they have offsets the mean. */
static double base_of(const struct explaining *explaining, uint32_t output)
{
    if (explaining->model->transform.offset_width > 0)
        return explaining->bases[output] / explaining->held.count;
    return explaining->values[output * (explaining->inputs + 1) + explaining->inputs];
}

/* Keeps the values of one row as a point of each set; `order` is that of the result. */
static void keep_points(const struct explaining *explaining, const struct explained_input *order,
                        const float *dense, uint32_t row)
{
    for (uint32_t set = 0; set < explaining->point_sets; set++) {
        const uint32_t input = order[set / explaining->outputs].input;
        const uint32_t output = set % explaining->outputs;

        explaining->points[set].values[row] =
            value_of(&explaining->model->transform.inputs[input], dense);
        explaining->points[set].shares[row] =
            explaining->values[output * (explaining->inputs + 1) + input];
    }
}

/* The first rows that are held are chosen by their hashes, so by no order that says anything. */
static enum status collect_points(struct explaining *explaining,
                                  const struct explained_input *order, size_t result_rows,
                                  struct error *err)
{
    const uint32_t held = explaining->held.count;

    explaining->point_rows = held < SHAP_POINT_ROWS_MAX ? held : SHAP_POINT_ROWS_MAX;
    explaining->point_sets =
        result_rows < SHAP_POINT_SETS_MAX ? (uint32_t)result_rows : SHAP_POINT_SETS_MAX;
    explaining->points =
        ARENA_NEW(explaining->arena, struct shap_points, explaining->point_sets + (size_t)1);
    if (!explaining->points)
        return fail_no_memory(err);
    for (uint32_t row = 0; row < explaining->point_rows; row++) {
        const float *dense = held_rows_dense(&explaining->held, row);

        if (row % ROWS_AT_ONCE == 0)
            TRY(stop_ask(&explaining->stop, err));
        TRY(shap_row(explaining->shap, dense, held_rows_ids(&explaining->held, row),
                     &explaining->stop, explaining->values, err));
        keep_points(explaining, order, dense, row);
    }
    return STATUS_OK;
}

/* Row `place` of the result; `names` are those of the outputs, NULL: there is one. */
static enum status put_input(const struct explaining *explaining, size_t place, uint32_t input,
                             const struct cell *names, double greatest, struct cell **cells,
                             struct error *err)
{
    const uint32_t output = (uint32_t)(place % explaining->outputs);
    const struct shares *shares = &explaining->shares[output * explaining->inputs + input];
    struct cell *cell = *cells;

    *cell++ = cell_text(explaining->model->transform.inputs[input].spec.name);
    if (names)
        *cell++ = names[output];
    *cell++ = cell_real(shares->absolute / explaining->held.count);
    *cell++ = direction_of(shares);
    *cell++ = cell_real(base_of(explaining, output));
    if (explaining->words.count > 0)
        TRY(bucket_words_name(&explaining->words, input, explaining->arena, cell++, err));
    if (explaining->plan->explain_picture == PICTURE_BAR)
        TRY(text_bar(greatest > 0 ? shares->absolute / greatest : 0, explaining->arena, cell++,
                     err));
    if (explaining->plan->explain_picture == PICTURE_DOT)
        TRY(text_histogram(shares->bins, explaining->arena, cell++, err));
    if (explaining->plan->explain_picture == PICTURE_POINTS && place >= explaining->point_sets)
        *cell++ = cell_null();
    else if (explaining->plan->explain_picture == PICTURE_POINTS)
        TRY(shap_points_cell(&explaining->points[place], explaining->point_rows, explaining->arena,
                             cell++, err));
    *cells = cell;
    return STATUS_OK;
}

static enum status name_outputs(const struct explaining *explaining, const struct cell **names,
                                struct error *err)
{
    const struct model *model = explaining->model;
    struct cell *cells;
    struct slice *labels;

    *names = NULL;
    if (!has_outputs(explaining->plan))
        return STATUS_OK;
    *names = cells = ARENA_NEW(explaining->arena, struct cell, explaining->outputs);
    if (!cells)
        return fail_no_memory(err);
    if (model->task == TASK_CLASSIFICATION)
        TRY(label_names(&model->labels, explaining->arena, &labels, err));
    for (uint32_t i = 0; i < explaining->outputs; i++)
        cells[i] = model->task == TASK_CLASSIFICATION ? cell_text(labels[i])
                                                      : cell_real(model->aim.quantiles[i]);
    return STATUS_OK;
}

static enum status put_result(struct explaining *explaining, struct error *err)
{
    const struct plan *plan = explaining->plan;
    const struct explained_input *order = order_inputs(explaining);
    const double greatest = greatest_absolute(explaining);
    const uint32_t most = plan->explain_inputs_max;
    const uint32_t inputs = explaining->inputs - (explaining->model->transform.offset_width > 0);
    const uint32_t shown = most > 0 && most < inputs ? most : inputs;
    const struct cell *names;
    struct evaluation_rows rows;
    struct cell *cells;

    TRY(shap_columns(plan, explaining->arena, &rows.names, &rows.columns, err));
    TRY(name_outputs(explaining, &names, err));
    rows.rows = (size_t)shown * explaining->outputs;
    cells = ARENA_NEW(explaining->arena, struct cell, rows.rows * rows.columns + 1);
    if (!order || !cells)
        return fail_no_memory(err);
    rows.cells = cells;
    if (plan->explain_picture == PICTURE_POINTS)
        TRY(collect_points(explaining, order, rows.rows, err));
    for (size_t place = 0; place < rows.rows; place++)
        TRY(put_input(explaining, place, order[place / explaining->outputs].input, names, greatest,
                      &cells, err));
    return evaluation_put(explaining->host, plan, &rows, explaining->started, explaining->sink,
                          err);
}

static enum status name_words(struct explaining *explaining, struct error *err)
{
    if (explaining->words.is_full)
        sink_notice(explaining->sink,
                    "words of hash buckets are not named, as the rows have more than %d different "
                    "ones: explain fewer rows",
                    BUCKET_WORDS_MAX);
    return bucket_words_sort(&explaining->words, err);
}

static enum status explain(struct explaining *explaining, struct error *err)
{
    const struct plan *plan = explaining->plan;

    TRY(explain_rows_read(explaining->host, plan, explaining->arena, explaining->sink,
                          &explaining->held, &explaining->words, err));
    TRY(held_rows_sort(&explaining->held, err));
    TRY(name_words(explaining, err));
    if (shap_new(explaining->model, &explaining->held, &explaining->stop, &explaining->shap, err) !=
        STATUS_OK)
        return error_place(err, plan->explainer_position);
    TRY(each_row(explaining, add_row, err));
    if (plan->explain_picture == PICTURE_DOT)
        TRY(each_row(explaining, count_row, err));
    return put_result(explaining, err);
}

enum status shap_run(const struct host *host, const struct plan *plan, const struct model *model,
                     struct arena *arena, const struct sink *sink, struct error *err)
{
    struct explaining explaining = {.host = host,
                                    .plan = plan,
                                    .model = model,
                                    .sink = sink,
                                    .arena = arena,
                                    .stop = {host->session.interrupted, host->self},
                                    .inputs = model->transform.input_count,
                                    .outputs = model_outputs(model),
                                    .low = INFINITY,
                                    .high = -INFINITY,
                                    .started = score_seconds_now()};
    enum status status;

    if ((explaining.outputs > 1) != has_outputs(plan) ||
        transform_counts_words(&model->transform) != has_words(plan))
        return fail(err, STATUS_STALE, "the model was replaced meanwhile: run the statement again");
    explaining.values =
        calloc(explaining.outputs * (size_t)(explaining.inputs + 1), sizeof *explaining.values);
    explaining.shares =
        calloc((size_t)explaining.outputs * explaining.inputs + 1, sizeof *explaining.shares);
    explaining.bases = calloc(explaining.outputs + (size_t)1, sizeof *explaining.bases);
    held_rows_init(&explaining.held, model, plan->explain_rows);
    status = bucket_words_init(&explaining.words, &model->transform, err);
    if (status == STATUS_OK && !(explaining.values && explaining.shares && explaining.bases))
        status = fail_no_memory(err);
    if (status == STATUS_OK)
        status = explain(&explaining, err);
    shap_free(explaining.shap);
    held_rows_deinit(&explaining.held);
    bucket_words_deinit(&explaining.words);
    free(explaining.values);
    free(explaining.shares);
    free(explaining.bases);
    return status;
}
