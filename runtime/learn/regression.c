#include "runtime/learn/regression.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "jobspec/job_size.h"
#include "kinds/regression/regression_kind.h"
#include "kinds/regression/regression_model.h"
#include "runtime/learn/learner_memory.h"
#include "runtime/learn/linear_layer.h"
#include "runtime/learn/newton_lanes.h"
#include "runtime/learn/row_sums.h"
#include "runtime/learn/symmetric_inverse.h"
#include "scoring/elementary.h"
#include "scoring/feature_names.h"

/* Of a column's square, once the columns before it are taken away, what rounding inputs to floats
 * may leave of a column that is a sum of them, and far less than any other has left. */
#define LEFT_LEAST 1e-10
/* The square of the last step, in standard errors; and of labels that all lie on the line, each
 * label's share of it. */
#define STEP_MOST       1e-16
#define STEP_OF_A_LABEL 1e-24
#define LOSS_GREATER    1e-12 /* of the loss: it has not grown, but was rounded */

enum regression_phase { REGRESSION_START, REGRESSION_ROUND };

/* What the state has behind its arrays. */
enum { STATE_WEIGHT, STATE_LOSS, STATE_COUNT };

/* The state's arrays, each (equations, columns) but `rest` and `fit`. */
struct regression_state {
    double *weights; /* of the transform's inputs, intercept first: of standardised labels */
    double *before;  /* that the last step began with */
    double *used;    /* 1: the column is not left out */
    struct regression_coefficient *coefficients;
    struct regression_fit *fit;
    double *rest; /* (STATE_COUNT) */
};

struct regression {
    const struct dataset *dataset;
    struct regression_params params;
    uint32_t equations, columns, weights; /* weights: their product */
    bool has_classes;
    struct newton_lane lane;
    uint32_t *order;                             /* (weights) */
    double *second, *step, *squares;             /* (weights, weights), (weights), (weights) */
    bool *is_used;                               /* (weights) */
    double *means, *scales;                      /* (columns): of the intercept 0 and 1 */
    struct linear_layer layer;                   /* outputs as they are scored */
    struct regression_coefficient *coefficients; /* (weights): of the model as it is stored */
    struct regression_model content;
};

static size_t state_count(const struct regression *regression)
{
    return (size_t)regression->weights * 5 + REGRESSION_FIT_NUMBERS + STATE_COUNT;
}

static struct regression_state state_of(const struct regression *regression, double *state)
{
    const size_t weights = regression->weights;
    void *coefficients = state + 3 * weights, *fit = state + 5 * weights;

    return (struct regression_state){.weights = state,
                                     .before = state + weights,
                                     .used = state + 2 * weights,
                                     .coefficients = coefficients,
                                     .fit = fit,
                                     .rest = state + 5 * weights + REGRESSION_FIT_NUMBERS};
}

/* ---- the plan ---- */

/* The weights' sum, those of the labels or of each class, and of the labels' squares. */
static uint32_t start_sums(const struct regression *regression)
{
    return regression->has_classes ? 1 + regression->dataset->labels.count : 3;
}

static uint32_t sums(const void *self, uint64_t phase)
{
    const struct regression *regression = self;

    return phase == REGRESSION_START ? start_sums(regression)
                                     : (uint32_t)newton_sums(&regression->lane);
}

/* Of one equation: the words of a category from the second on, then the first. */
static uint32_t *order_words(const struct transform_input *input, uint32_t first, uint32_t *order)
{
    for (uint32_t i = 1; i < input->id_rows; i++)
        *order++ = first + i;
    if (input->id_rows > 0)
        *order++ = first;
    return order;
}

static void order_columns(const struct regression *regression)
{
    const struct transform *transform = &regression->dataset->transform;
    const uint32_t dense = 1 + transform->dense_width;
    uint32_t *order = regression->order;

    for (uint32_t k = 0; k < regression->equations; k++) {
        const uint32_t first = k * regression->columns;

        for (uint32_t j = 0; j < dense; j++)
            *order++ = first + j;
        for (uint32_t i = 0; i < transform->input_count; i++)
            if (transform->inputs[i].type != INPUT_NUMERIC)
                order = order_words(&transform->inputs[i],
                                    first + dense + transform->inputs[i].first_id, order);
    }
}

static void take_scales(const struct regression *regression)
{
    const struct transform *transform = &regression->dataset->transform;

    for (uint32_t j = 0; j < regression->columns; j++)
        regression->scales[j] = 1;
    for (uint32_t i = 0; i < transform->input_count; i++) {
        const struct transform_input *input = &transform->inputs[i];

        if (input->type != INPUT_NUMERIC)
            continue;
        regression->means[1 + input->dense_offset] = input->mean;
        regression->scales[1 + input->dense_offset] = input->scale;
    }
}

static enum status allocate(struct regression *regression, struct error *err)
{
    const struct dataset *dataset = regression->dataset;
    const size_t weights = regression->weights;
    const uint32_t outputs = network_outputs(
        regression->has_classes ? TASK_CLASSIFICATION : TASK_REGRESSION, dataset->labels.count);

    TRY(newton_lane_init(&regression->lane, dataset, regression->equations, NEWTON_OF_PAIRS, err));
    TRY(linear_layer_init(&regression->layer, regression->columns - 1, outputs, err));
    regression->order = calloc(weights, sizeof *regression->order);
    regression->second = calloc(weights * weights, sizeof *regression->second);
    regression->step = calloc(weights, sizeof *regression->step);
    regression->squares = calloc(weights, sizeof *regression->squares);
    regression->is_used = calloc(weights, sizeof *regression->is_used);
    regression->means = calloc(regression->columns, sizeof *regression->means);
    regression->scales = calloc(regression->columns, sizeof *regression->scales);
    regression->coefficients = calloc(weights, sizeof *regression->coefficients);
    return regression->order && regression->second && regression->step && regression->squares &&
                   regression->is_used && regression->means && regression->scales &&
                   regression->coefficients
               ? STATUS_OK
               : fail_no_memory(err);
}

static enum status check_plan(const struct regression *regression, const struct jobspec *spec,
                              uint64_t weights, struct error *err)
{
    const struct transform *transform = &regression->dataset->transform;
    const struct kind_shape shape = {.task = spec->task,
                                     .classes = regression->dataset->labels.count,
                                     .dense = transform->dense_width,
                                     .ids = transform->id_inputs,
                                     .id_rows = transform->id_rows};
    const struct kind_cost cost = regression_kind.cost(&spec->params, &shape);
    const double bytes = job_learner_bytes(&cost, false, (double)regression->dataset->train.rows);
    const uint64_t most = learner_bytes_max(spec);

    if (weights > REGRESSION_COLUMNS_MAX) {
        fail(err, STATUS_LIMIT,
             "%llu coefficients, of which %llu are of words, where one that has standard errors "
             "has at most %d",
             (unsigned long long)weights,
             (unsigned long long)transform->id_rows * regression->equations,
             REGRESSION_COLUMNS_MAX);
        return error_hint(err, "LinearClassifier and LinearRegressor take any number; or select "
                               "fewer columns, or take fewer words by VOCABULARY(column, n).");
    }
    if (bytes <= (double)most)
        return STATUS_OK;
    fail(err, STATUS_LIMIT,
         "%llu coefficients need %.0f bytes to train, and a worker has at most %llu",
         (unsigned long long)weights, bytes, (unsigned long long)most);
    return learner_hint_bytes(spec, "Select fewer columns.", err);
}

static void regression_close(void *self)
{
    struct regression *regression = self;

    newton_lane_deinit(&regression->lane);
    linear_layer_deinit(&regression->layer);
    free(regression->order);
    free(regression->second);
    free(regression->step);
    free(regression->squares);
    free(regression->is_used);
    free(regression->means);
    free(regression->scales);
    free(regression->coefficients);
    free(regression);
}

/* ---- sums ---- */

static void add_squares(const struct dataset *dataset, const struct row_range *rows, double *sum)
{
    for (uint64_t i = rows->first; i < rows->end; i++) {
        const double label = (double)dataset->train.values[i];

        *sum += newton_row_weight(dataset, i) * label * label;
    }
}

static enum status add(void *self, const struct row_range *rows, const double *state, double *added,
                       struct error *err)
{
    struct regression *regression = self;
    (void)err;

    if (rows->phase == REGRESSION_START) {
        newton_add_labels(regression->dataset, rows->first, rows->end, added);
        if (!regression->has_classes)
            add_squares(regression->dataset, rows, added + 2);
        return STATUS_OK;
    }
    newton_lane_use(&regression->lane, added);
    newton_lane_add(&regression->lane, state, rows->first, rows->end, rows->team);
    return STATUS_OK;
}

/* ---- the first phase ---- */

/* Every class has a row, by which it is known; it may have no weight. */
static enum status start_classes(const struct regression *regression, const double *totals,
                                 struct regression_state *state, struct error *err)
{
    for (uint32_t c = 0; c <= regression->equations; c++) {
        if (!(totals[1 + c] > 0))
            return fail(err, STATUS_FAILED, "all rows of a class have the weight 0");
        state->fit->null += totals[1 + c] * logarithm_double(totals[1 + c] / totals[0]);
    }
    for (uint32_t k = 0; k < regression->equations; k++)
        state->weights[(size_t)k * regression->columns] =
            logarithm_double(totals[2 + k] / totals[1]);
    return STATUS_OK;
}

static enum status apply_start(const struct regression *regression, const double *totals,
                               struct regression_state *state, struct error *err)
{
    const struct dataset *dataset = regression->dataset;
    const double scale = dataset->label_scale;

    if (!(totals[0] > 0))
        return fail(err, STATUS_FAILED, "the rows' weights have no sum");
    state->rest[STATE_WEIGHT] = totals[0];
    state->rest[STATE_LOSS] = INFINITY;
    state->fit->rows = (double)dataset->train.rows;
    state->fit->is_weighted = dataset->train.roles[ROLE_SAMPLE_WEIGHT] != NULL;
    for (uint32_t i = 0; i < regression->weights; i++)
        state->used[i] = 1;
    if (regression->has_classes)
        return start_classes(regression, totals, state, err);
    state->weights[0] = totals[1] / totals[0];
    state->fit->null = (totals[2] - totals[1] * totals[1] / totals[0]) * scale * scale;
    return STATUS_OK;
}

/* ---- a round ---- */

/* Of a weight of the transform's input, whose penalty is on the column as it is. */
static double penalty_of(const struct regression *regression, uint32_t weight)
{
    const uint32_t column = weight % regression->columns;
    const double scale = regression->scales[column];

    return column == 0 ? 0 : regression->params.l2 / (scale * scale);
}

/* Adds the penalty to loss, gradient and second derivatives; these become one matrix. */
static void collect(struct regression *regression, const double *weights, double *loss)
{
    const struct newton_lane *lane = &regression->lane;
    const size_t columns = regression->columns, all = regression->weights;
    const double *block = lane->products;

    *loss = regression->has_classes ? *lane->loss : *lane->loss / 2;
    for (size_t k = 0; k < regression->equations; k++)
        for (size_t j = 0; j <= k; j++, block += row_pairs(regression->columns)) {
            double *at = regression->second + k * columns * all + j * columns;

            row_products_unfold(regression->columns, block, at, all);
            if (j < k)
                row_products_unfold(regression->columns, block,
                                    regression->second + j * columns * all + k * columns, all);
        }
    for (uint32_t i = 0; i < all && regression->params.l2 > 0; i++) {
        const double penalty = penalty_of(regression, i);

        *loss += penalty * weights[i] * weights[i] / 2;
        lane->gradients[i] += penalty * weights[i];
        regression->second[i * (all + 1)] += penalty;
    }
}

/* The inverse of the second derivatives, without the columns that follow from others. */
static void invert(struct regression *regression, double *used)
{
    for (uint32_t i = 0; i < regression->weights; i++)
        regression->is_used[i] = used[i] > 0;
    symmetric_invert(regression->weights, regression->order, LEFT_LEAST, regression->second,
                     regression->is_used, regression->squares);
    for (uint32_t i = 0; i < regression->weights; i++)
        used[i] = regression->is_used[i];
}

/* Returns the square of the step, in units of the second derivatives. */
static double find_step(const struct regression *regression)
{
    const size_t all = regression->weights;
    const double *gradient = regression->lane.gradients;
    double square = 0;

    for (size_t i = 0; i < all; i++) {
        double sum = 0;

        for (size_t j = 0; j < all && regression->is_used[i]; j++)
            if (regression->is_used[j])
                sum -= regression->second[i * all + j] * gradient[j];
        regression->step[i] = sum;
        square -= sum * gradient[i];
    }
    return square;
}

static double used_count(const struct regression *regression)
{
    double count = 0;

    for (uint32_t i = 0; i < regression->weights; i++)
        count += regression->is_used[i];
    return count;
}

/* The variance of standardised labels about what is predicted of them; of classes 1. */
static double variance_of(const struct regression *regression, double loss)
{
    const double rest = (double)regression->dataset->train.rows - used_count(regression);

    return regression->has_classes ? 1 : rest > 0 ? 2 * loss / rest : 0;
}

static bool is_near(const struct regression *regression, const struct regression_state *state,
                    double loss, double square)
{
    const double most = STEP_MOST * variance_of(regression, loss);

    return square <=
           (regression->has_classes ? most : most + STEP_OF_A_LABEL * state->rest[STATE_WEIGHT]);
}

static enum status check_finite(const struct regression *regression, const double *weights,
                                struct error *err)
{
    for (uint32_t i = 0; i < regression->weights; i++)
        if (!(fabs(weights[i]) < (double)FLT_MAX))
            return fail(err, STATUS_DIVERGED, "a coefficient is not finite");
    return STATUS_OK;
}

static enum status refuse_more(const struct regression *regression, struct error *err)
{
    fail(err, STATUS_DIVERGED, "%u steps of Newton have not come to an end",
         regression->params.iterations);
    if (regression->has_classes)
        return error_hint(err, "Most often some columns tell classes apart perfectly, so that "
                               "coefficients grow without end: leave these columns out, or set "
                               "model.l2 = 1.");
    return error_hint(err, "Raise model.max_iter.");
}

/* ---- the last round ---- */

/* Of an equation's intercept in units of the columns as they are: its weight less those of numbers
 * times their means, and the square of its error likewise. */
static struct regression_coefficient intercept_of(const struct regression *regression,
                                                  const double *weights, uint32_t first)
{
    const size_t all = regression->weights;
    struct regression_coefficient found = {0, 0};

    for (uint32_t i = 0; i < regression->columns; i++) {
        const double amount = i == 0 ? 1 : -regression->means[i] / regression->scales[i];

        if (amount == 0 || !regression->is_used[first + i])
            continue;
        found.value += amount * weights[first + i];
        for (uint32_t j = 0; j < regression->columns; j++) {
            const double other = j == 0 ? 1 : -regression->means[j] / regression->scales[j];

            if (other != 0 && regression->is_used[first + j])
                found.error += amount * other * regression->second[(first + i) * all + first + j];
        }
    }
    return found;
}

static struct regression_coefficient coefficient_of(const struct regression *regression,
                                                    const double *weights, uint32_t weight)
{
    const uint32_t column = weight % regression->columns;
    const double scale = regression->scales[column];

    if (column == 0)
        return intercept_of(regression, weights, weight);
    return (struct regression_coefficient){
        weights[weight] / scale,
        regression->second[weight * ((size_t)regression->weights + 1)] / (scale * scale)};
}

static void set_coefficients(const struct regression *regression, double variance,
                             struct regression_state *state)
{
    const struct dataset *dataset = regression->dataset;
    const bool has_rest = (double)dataset->train.rows > used_count(regression);
    const bool is_known = regression->params.l2 == 0 && (regression->has_classes || has_rest);
    const double scale = regression->has_classes ? 1 : dataset->label_scale;

    for (uint32_t i = 0; i < regression->weights; i++) {
        struct regression_coefficient *found = &state->coefficients[i];

        *found = coefficient_of(regression, state->weights, i);
        found->value *= scale;
        if (!regression->has_classes && i == 0)
            found->value += dataset->label_mean;
        found->error = !regression->is_used[i] ? REGRESSION_LEFT_OUT
                       : is_known              ? sqrt(found->error * variance) * scale
                                               : REGRESSION_UNKNOWN;
    }
}

static enum status finish(const struct regression *regression, double loss,
                          struct regression_state *state, struct error *err)
{
    const double scale = regression->dataset->label_scale;

    state->fit->parameters = used_count(regression);
    state->fit->fitted =
        regression->has_classes ? -*regression->lane.loss : *regression->lane.loss * scale * scale;
    set_coefficients(regression, variance_of(regression, loss), state);
    for (uint32_t i = 0; i < regression->weights; i++)
        if (!isfinite(state->coefficients[i].value) || !isfinite(state->coefficients[i].error))
            return fail(err, STATUS_DIVERGED, "a coefficient is not finite");
    return STATUS_OK;
}

static void take_step(const struct regression *regression, double loss,
                      struct regression_state *state)
{
    state->rest[STATE_LOSS] = loss;
    for (uint32_t i = 0; i < regression->weights; i++) {
        state->before[i] = state->weights[i];
        state->weights[i] += regression->step[i];
    }
}

static void take_half_back(const struct regression *regression, struct regression_state *state)
{
    for (uint32_t i = 0; i < regression->weights; i++)
        state->weights[i] = state->before[i] + (state->weights[i] - state->before[i]) / 2;
}

static enum status apply_round(struct regression *regression, uint64_t round, double *totals,
                               struct regression_state *state, struct learner_report *report,
                               bool *is_last, struct error *err)
{
    const double scale = regression->has_classes ? 1 : regression->dataset->label_scale;
    double loss, square;

    newton_lane_use(&regression->lane, totals);
    report->train_loss = *regression->lane.loss * scale * scale / state->rest[STATE_WEIGHT];
    collect(regression, state->weights, &loss);
    if (loss > state->rest[STATE_LOSS] * (1 + LOSS_GREATER)) {
        take_half_back(regression, state);
    } else {
        invert(regression, state->used);
        square = find_step(regression);
        *is_last = is_near(regression, state, loss, square);
        if (*is_last)
            return finish(regression, loss, state, err);
        take_step(regression, loss, state);
    }
    if (round == regression->params.iterations)
        return refuse_more(regression, err);
    return check_finite(regression, state->weights, err);
}

static enum status apply(void *self, uint64_t phase, double *totals, double *state,
                         struct learner_report *report, bool *is_last, struct error *err)
{
    struct regression *regression = self;
    struct regression_state parts = state_of(regression, state);

    return phase == REGRESSION_START
               ? apply_start(regression, totals, &parts, err)
               : apply_round(regression, phase, totals, &parts, report, is_last, err);
}

/* ---- the model ---- */

/* Of more than two classes the first has an output, too, which is always 0. */
static void fill(void *self, const double *numbers, struct model *model)
{
    struct regression *regression = self;
    const struct regression_state state = state_of(regression, (double *)(uintptr_t)numbers);
    const uint32_t first = regression->layer.layer.width - regression->equations;

    for (uint32_t k = 0; k < regression->equations; k++)
        linear_layer_set(&regression->layer, first + k,
                         state.weights + (size_t)k * regression->columns);
    memcpy(regression->coefficients, state.coefficients,
           regression->weights * sizeof *regression->coefficients);
    regression->content = (struct regression_model){.network = regression->layer.content,
                                                    .equations = regression->equations,
                                                    .columns = regression->columns,
                                                    .coefficients = regression->coefficients,
                                                    .fit = *state.fit};
    model->content = &regression->content;
}

/* The most frequent word of a category is left out by rule, and a row of the first layer that no
 * word has says nothing. */
static bool has_to_be_told(const struct transform_input *input, uint32_t feature)
{
    return input->type == INPUT_NUMERIC || (feature > 0 && feature < input->word_count);
}

static void tell_of_input(const struct regression *regression, const double *used,
                          const struct transform_input *input, struct text *name,
                          struct notice_list *notices)
{
    const uint32_t first = 1 + feature_first(&regression->dataset->transform, input);

    for (uint32_t i = 0; i < feature_count(input); i++) {
        if (used[first + i] > 0 || !has_to_be_told(input, i))
            continue;
        feature_name(input, i, name);
        notice_add(notices, NOTICE_DEFAULTS,
                   "\"%s\" has no coefficient of its own: it follows from other columns",
                   name->failed ? "" : text_string(name));
        notice_hint(notices, "Leave one of them out of the SELECT to choose which.");
    }
}

/* Columns that are left out, by the first equation. */
static void tell(const void *self, const double *numbers, struct notice_list *notices)
{
    const struct regression *regression = self;
    const struct transform *transform = &regression->dataset->transform;
    const struct regression_state state = state_of(regression, (double *)(uintptr_t)numbers);
    struct text name;

    text_init(&name, TEXT_MAXIMUM);
    for (uint32_t i = 0; i < transform->input_count; i++)
        tell_of_input(regression, state.used, &transform->inputs[i], &name, notices);
    text_deinit(&name);
}

/* ---- open ---- */

static struct row_sums_method method_of(struct regression *regression)
{
    const uint32_t start = start_sums(regression), round = sums(regression, REGRESSION_ROUND);

    return (struct row_sums_method){.self = regression,
                                    .step = "step",
                                    .state_count = state_count(regression),
                                    .sums_most = start > round ? start : round,
                                    .first_step = REGRESSION_ROUND,
                                    .steps_most = regression->params.iterations,
                                    .lane_work = 2 * (uint64_t)round,
                                    .row_work = regression->weights,
                                    .close = regression_close,
                                    .sums = sums,
                                    .add = add,
                                    .apply = apply,
                                    .fill = fill,
                                    .tell = tell};
}

enum status regression_open(const struct jobspec *spec, const struct dataset *dataset,
                            struct team *team, struct learning *learning, struct error *err)
{
    struct regression *regression = calloc(1, sizeof *regression);
    struct row_sums_method method;
    enum status status;
    uint64_t weights;

    if (!regression)
        return fail_no_memory(err);
    regression->dataset = dataset;
    regression->params = *regression_params(&spec->params);
    regression->has_classes = spec->task == TASK_CLASSIFICATION;
    regression->columns = 1 + dataset->transform.dense_width + dataset->transform.id_rows;
    regression->equations = regression_equations(spec->task, dataset->labels.count);
    weights = (uint64_t)regression->equations * regression->columns;
    TRY_OR(failed, status, check_plan(regression, spec, weights, err));
    regression->weights = (uint32_t)weights;
    TRY_OR(failed, status, allocate(regression, err));
    order_columns(regression);
    take_scales(regression);
    method = method_of(regression);
    return row_sums_open(spec, dataset, team, &method, learning, err);
failed:
    regression_close(regression);
    return status;
}
