#include "runtime/learn/sums/newton.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "jobspec/job_size.h"
#include "kinds/linear/linear_attributes.h"
#include "kinds/linear/linear_kind.h"
#include "runtime/learn/layers/linear_layer.h"
#include "runtime/learn/learner_memory.h"
#include "runtime/learn/sums/newton_lanes.h"
#include "runtime/learn/sums/newton_solve.h"
#include "runtime/learn/sums/row_sums.h"
#include "scoring/numbers/elementary.h"

#define SHARE_LEAST 1e-16 /* least share of the rows that a class begins with */

enum newton_phase { NEWTON_START, NEWTON_ROUND };

/* The state: weights (outputs, columns) of the transform's inputs, bias first; behind them the sum
 * of the rows' weights. */
struct newton {
    const struct dataset *dataset;
    struct linear_params params;
    uint32_t outputs, columns;
    struct newton_lane lane;
    struct newton_direction *directions; /* (direction_count) */
    uint32_t direction_count;
    double *products; /* (columns, columns): of the output that moves */
    struct linear_layer layer;
};

static size_t weights_of(const struct newton *newton)
{
    return (size_t)newton->outputs * newton->columns;
}

/* ---- the plan ---- */

/* The weights' sum, and that of the labels or of each class. */
static uint32_t start_sums(const struct newton *newton)
{
    return 1 + (newton->dataset->train.classes ? newton->dataset->labels.count : 1);
}

static uint32_t sums(const void *self, uint64_t phase)
{
    const struct newton *newton = self;

    return phase == NEWTON_START ? start_sums(newton) : (uint32_t)newton_sums(&newton->lane);
}

static enum status allocate(struct newton *newton, struct error *err)
{
    const size_t columns = newton->columns;

    TRY(newton_lane_init(&newton->lane, newton->dataset, newton->outputs, NEWTON_OF_EACH, err));
    TRY(linear_layer_init(&newton->layer, newton->columns - 1, newton->outputs, err));
    newton->direction_count = newton_direction_count(&newton->dataset->transform);
    newton->directions = calloc(newton->direction_count + 1u, sizeof *newton->directions);
    newton->products = calloc(columns * columns, sizeof(double));
    return newton->directions && newton->products ? STATUS_OK : fail_no_memory(err);
}

static enum status check_plan(const struct newton *newton, const struct jobspec *spec,
                              struct error *err)
{
    const struct transform *transform = &newton->dataset->transform;
    const uint64_t columns = (uint64_t)transform_features(transform) + transform->id_rows + 1;
    const struct kind_shape shape = {.task = spec->task,
                                     .classes = newton->dataset->labels.count,
                                     .dense = transform_features(transform),
                                     .ids = transform->id_inputs,
                                     .id_rows = transform->id_rows};
    const struct kind_cost cost = linear_kind.cost(&spec->params, &shape);
    const uint64_t rows = newton->dataset->train.rows;
    char who[100];

    if (columns > LINEAR_COLUMNS_MAX) {
        fail(err, STATUS_LIMIT,
             "a linear model of %llu columns, %u of them words, where one that is learned by "
             "coordinate descent has at most %d",
             (unsigned long long)columns, transform->id_rows, LINEAR_COLUMNS_MAX);
        return error_hint(err,
                          "LinearClassifier and LinearRegressor take any number; or select "
                          "fewer columns, or keep fewer distinct values by VOCABULARY(column, n).");
    }
    snprintf(who, sizeof who, "%u outputs of %llu columns", newton->outputs,
             (unsigned long long)columns);
    return learner_check_bytes(spec, rows, job_learner_bytes(&cost, false, (double)rows), who,
                               "Select fewer columns.", err);
}

static void newton_close(void *self)
{
    struct newton *newton = self;

    newton_lane_deinit(&newton->lane);
    linear_layer_deinit(&newton->layer);
    free(newton->directions);
    free(newton->products);
}

/* ---- sums ---- */

static enum status add(void *self, const struct row_range *rows, const double *state, double *added,
                       struct error *err)
{
    struct newton *newton = self;
    (void)err;

    if (rows->phase == NEWTON_START) {
        newton_add_labels(newton->dataset, rows->first, rows->end, added);
        return STATUS_OK;
    }
    newton_lane_use(&newton->lane, added);
    newton_lane_add(&newton->lane, state, rows->first, rows->end, rows->team);
    return STATUS_OK;
}

static double log_share(const double *totals, uint32_t class)
{
    const double share = totals[1 + class] / totals[0];

    return logarithm_double(share > SHARE_LEAST ? share : SHARE_LEAST);
}

/* The start of the output of the second of two classes, by default such that the classes have their
 * shares of the rows as probabilities. More than two begin alike, as in XGBoost. */
static double class_start(const struct newton *newton, const double *totals)
{
    const double base = newton->params.base_score;

    if (newton->outputs > 1)
        return 0;
    return base != REAL_AUTOMATIC ? logarithm_double(base / (1 - base))
                                  : log_share(totals, 1) - log_share(totals, 0);
}

static double number_start(const struct newton *newton, const double *totals)
{
    const struct dataset *dataset = newton->dataset;

    if (newton->params.base_score == REAL_AUTOMATIC)
        return totals[1] / totals[0];
    return (newton->params.base_score - dataset->label_mean) / dataset->label_scale;
}

static enum status apply_start(const struct newton *newton, const double *totals, double *state,
                               struct error *err)
{
    if (!(totals[0] > 0))
        return fail(err, STATUS_FAILED, "the weights of the rows add up to 0");
    state[weights_of(newton)] = totals[0];
    for (uint32_t k = 0; k < newton->outputs; k++)
        state[(size_t)k * newton->columns] = newton->dataset->train.classes
                                                 ? class_start(newton, totals)
                                                 : number_start(newton, totals);
    return STATUS_OK;
}

/* gradient: (columns), which follows the weights; totals: the lower half of the products. */
static void move_output(struct newton *newton, double weight, const double *totals,
                        double *gradient, double *weights)
{
    const double scale = newton->dataset->train.classes ? 1 : newton->dataset->label_scale;
    const struct newton_penalties penalties = {
        .l1 = newton->params.alpha * weight / scale,
        .l2 = newton->params.lambda * weight,
    };

    row_products_unfold(newton->columns, totals, newton->products, newton->columns);
    newton_sweep(newton->directions, newton->direction_count, newton->columns, newton->products,
                 penalties, newton->params.eta, gradient, weights);
}

static enum status apply_round(struct newton *newton, uint64_t round, double *totals, double *state,
                               struct learner_report *report, struct error *err)
{
    const double scale = newton->dataset->train.classes ? 1 : newton->dataset->label_scale;
    const size_t columns = newton->columns, pairs = row_pairs(newton->columns);

    newton_lane_use(&newton->lane, totals);
    report->train_loss = *newton->lane.loss * scale * scale / state[weights_of(newton)];
    for (uint32_t k = 0; k < newton->outputs; k++)
        move_output(newton, state[weights_of(newton)], newton->lane.products + k * pairs,
                    newton->lane.gradients + k * columns, state + k * columns);
    for (size_t i = 0; i < weights_of(newton); i++)
        if (!(fabs(state[i]) < (double)FLT_MAX))
            return fail(err, STATUS_DIVERGED, "round %llu: a weight is not finite",
                        (unsigned long long)round);
    return STATUS_OK;
}

static enum status apply(void *self, uint64_t phase, double *totals, double *state,
                         struct learner_report *report, bool *is_last, struct error *err)
{
    struct newton *newton = self;

    if (phase == NEWTON_START)
        return apply_start(newton, totals, state, err);
    *is_last = phase == newton->params.rounds;
    return apply_round(newton, phase, totals, state, report, err);
}

/* The weights as floats, a row of all outputs for each column. */
static void fill(void *self, const double *state, struct model *model)
{
    struct newton *newton = self;

    for (uint32_t k = 0; k < newton->outputs; k++)
        linear_layer_set(&newton->layer, k, state + (size_t)k * newton->columns);
    model->content = &newton->layer.content;
}

/* ---- open ---- */

static enum status plan(void *self, const struct jobspec *spec, const struct dataset *dataset,
                        struct row_sums_plan *plan, struct error *err)
{
    struct newton *newton = self;

    newton->dataset = dataset;
    newton->params = *linear_params(&spec->params);
    newton->columns = 1 + transform_features(&dataset->transform) + dataset->transform.id_rows;
    newton->outputs = network_outputs(spec->task, dataset->labels.count);
    TRY(check_plan(newton, spec, err));
    TRY(allocate(newton, err));
    newton_directions(&dataset->transform, newton->directions);
    plan->state_count = weights_of(newton) + 1;
    plan->steps_most = newton->params.rounds;
    plan->sums_most = sums(newton, NEWTON_ROUND);
    if (start_sums(newton) > plan->sums_most)
        plan->sums_most = start_sums(newton);
    plan->lane_work = 2 * (uint64_t)(newton_sums(&newton->lane) - 1);
    plan->row_work = (double)weights_of(newton);
    return STATUS_OK;
}

const struct row_sums_method newton_method = {
    .bytes = sizeof(struct newton),
    .step = "round",
    .first_step = NEWTON_ROUND,
    .plan = plan,
    .close = newton_close,
    .sums = sums,
    .add = add,
    .apply = apply,
    .fill = fill,
};
