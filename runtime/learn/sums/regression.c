#include "runtime/learn/sums/regression.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inputs/cells/cells.h"
#include "jobspec/job_size.h"
#include "kinds/regression/regression_kind.h"
#include "kinds/regression/regression_model.h"
#include "runtime/learn/layers/linear_layer.h"
#include "runtime/learn/learner_memory.h"
#include "runtime/learn/sums/newton_lanes.h"
#include "runtime/learn/sums/row_sums.h"
#include "runtime/learn/sums/symmetric_inverse.h"
#include "scoring/label_names.h"
#include "scoring/numbers/elementary.h"
#include "scoring/transform/feature_names.h"

/* The share of a column's square that rounding may leave, once the columns before it are taken
 * away, where the column is a sum of them: LEFT_OF_COLUMN, which is that of R's lm, for columns
 * that the change of basis (below) reduced to the rest, measured once more, and LEFT_LEAST for
 * others. */
#define LEFT_OF_COLUMN 1e-14
#define LEFT_LEAST     1e-10
/* The same later, as rows' weights become small: this time no step is taken along the column. */
#define LEFT_OF_STEP 1e-14
/* A column that changes others has to have LEFT_FOR_BASIS left; how much others have left is not
 * known, but LEFT_UNKNOWN is about the most. */
#define LEFT_FOR_BASIS 1e-11
#define LEFT_UNKNOWN   0x1p-40
/* The square of the last step, in standard errors; and each label's share of it where all labels
 * lie on the line. */
#define STEP_MOST       1e-16
#define STEP_OF_A_LABEL 1e-24
#define LOSS_GREATER    1e-12 /* share of the loss: growth by less is rounding */
/* Where classes are separated perfectly each step lessens the loss by the same share, without end,
 * while others shrink ever faster: steps end where this is the share of the loss, as R's glm does,
 * and a weight that still moves by ENDLESS_STEP has no best value. */
#define ENDLESS_LOSS   1e-9
#define ENDLESS_SMALL  0.1 /* a loss that is added */
#define ENDLESS_SHRINK 0.01
#define ENDLESS_STEP   1e-3
/* The greatest loss where classes are told apart: in rows of mean weight, of which one on the
 * border has .69, and in the mean of all rows. */
#define APART_ROW     0.5
#define APART_LOSS    1e-7
#define ENDLESS_ERROR 1e2  /* in log odds */
#define SMALL_WEIGHT  1e-4 /* mean weight of rows below which sums may lose digits */

enum regression_phase { REGRESSION_START, REGRESSION_ROUND };

/* The numbers of the state behind its arrays. */
enum { STATE_WEIGHT, STATE_LOSS, STATE_SQUARE, STATE_COUNT };

/*
 * Columns that are nearly the same, such as two times of which the difference matters, make normal
 * equations that lose twice the digits. So the first pass also sums the products of all pairs of
 * columns, and with them each column of numbers is changed to what it has beside those before it,
 * enlarged to their size:
 *
 *     x'[j] = basis[j][0] x[0] + ... + basis[j][j] x[j]
 *
 * Rounds see x' alone, whose products lose nothing. Numbers about x are sums over x' again.
 *
 * The state's arrays, each (equations, columns) but the last four.
 */
struct regression_state {
    double *weights; /* weights of the columns x', intercept first, for standardised labels */
    double *before;  /* the weights that the last step began with */
    double *used;    /* 1: the column is not left out */
    struct regression_coefficient *coefficients;
    struct regression_fit *fit;
    double *rest;    /* (STATE_COUNT) */
    double *basis;   /* (dense, dense), where there is one */
    double *squares; /* (dense): those of x in the first pass */
};

struct regression {
    const struct dataset *dataset;
    struct regression_params params;
    uint32_t equations, columns, weights; /* weights: their product */
    uint32_t dense;                       /* columns that are not words, the intercept among them */
    bool has_classes, has_basis;
    struct newton_lane lane;
    uint32_t *order;                             /* (weights) */
    double *second, *step, *squares;             /* (weights, weights), (weights), (weights) */
    bool *is_used;                               /* (weights) */
    double *means, *scales;                      /* (columns): of the intercept 0 and 1 */
    double *amounts, *changed;                   /* (columns) */
    double *standard;                            /* (columns): weights of x */
    struct linear_layer layer;                   /* outputs as they are scored */
    struct regression_coefficient *coefficients; /* (weights): of the model as it is stored */
    struct regression_model content;
};

static size_t state_count(const struct regression *regression)
{
    const size_t dense = regression->has_basis ? regression->dense : 0;

    return (size_t)regression->weights * 5 + REGRESSION_FIT_NUMBERS + STATE_COUNT +
           dense * (dense + 1);
}

static struct regression_state state_of(const struct regression *regression, double *state)
{
    const size_t weights = regression->weights;
    void *coefficients = state + 3 * weights, *fit = state + 5 * weights;
    double *rest = state + 5 * weights + REGRESSION_FIT_NUMBERS, *basis = rest + STATE_COUNT;

    return (struct regression_state){.weights = state,
                                     .before = state + weights,
                                     .used = state + 2 * weights,
                                     .coefficients = coefficients,
                                     .fit = fit,
                                     .rest = rest,
                                     .basis = basis,
                                     .squares =
                                         basis + (size_t)regression->dense * regression->dense};
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

    const uint32_t round = (uint32_t)newton_sums(&regression->lane);

    if (phase != REGRESSION_START)
        return round;
    return regression->has_basis ? start_sums(regression) + round : start_sums(regression);
}

/* Lists an equation's words of a category: from the second on, then the first. */
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
    const uint32_t dense = 1 + transform_features(transform);
    uint32_t *order = regression->order;

    for (uint32_t k = 0; k < regression->equations; k++) {
        const uint32_t first = k * regression->columns;

        for (uint32_t j = 0; j < dense; j++)
            *order++ = first + j;
        for (uint32_t i = 0; i < transform->input_count; i++)
            if (transform->inputs[i].spec.type != INPUT_NUMERIC)
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

        if (!transform_is_number(input))
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
    regression->amounts = calloc(regression->columns, sizeof *regression->amounts);
    regression->changed = calloc(regression->columns, sizeof *regression->changed);
    regression->standard = calloc(regression->columns, sizeof *regression->standard);
    return regression->order && regression->second && regression->step && regression->squares &&
                   regression->is_used && regression->means && regression->scales &&
                   regression->coefficients && regression->amounts && regression->changed &&
                   regression->standard
               ? STATUS_OK
               : fail_no_memory(err);
}

/* Names the columns that have the coefficients, and says how there would be fewer. */
static enum status refuse_coefficients(const struct regression *regression, uint64_t weights,
                                       struct error *err)
{
    const uint64_t of_words =
        (uint64_t)regression->dataset->transform.id_rows * regression->equations;
    char of[64] = "";

    if (of_words > 0)
        snprintf(of, sizeof of, ", of which %llu are of words", (unsigned long long)of_words);
    else if (regression->equations > 1)
        snprintf(of, sizeof of, " of %u classes", regression->equations + 1);
    fail(err, STATUS_LIMIT,
         "%llu coefficients%s, where one that has standard errors has at most %d",
         (unsigned long long)weights, of, REGRESSION_COLUMNS_MAX);
    return error_hint(err,
                      "LinearClassifier and LinearRegressor take any number; or select fewer "
                      "columns%s.",
                      of_words > 0 ? ", or keep fewer distinct values by VOCABULARY(column, n)"
                                   : "");
}

static enum status check_plan(const struct regression *regression, const struct jobspec *spec,
                              uint64_t weights, struct error *err)
{
    const struct transform *transform = &regression->dataset->transform;
    const struct kind_shape shape = {.task = spec->task,
                                     .classes = regression->dataset->labels.count,
                                     .dense = transform_features(transform),
                                     .ids = transform->id_inputs,
                                     .id_rows = transform->id_rows};
    const struct kind_cost cost = regression_kind.cost(&spec->params, &shape);
    const uint64_t rows = regression->dataset->train.rows;
    char who[100];

    if (weights > REGRESSION_COLUMNS_MAX)
        return refuse_coefficients(regression, weights, err);
    snprintf(who, sizeof who, "%llu coefficients", (unsigned long long)weights);
    return learner_check_bytes(spec, rows, job_learner_bytes(&cost, false, (double)rows), who,
                               "Select fewer columns.", err);
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
    free(regression->amounts);
    free(regression->changed);
    free(regression->standard);
}

/* ---- sums ---- */

static void add_squares(const struct dataset *dataset, const struct row_range *rows, double *sum)
{
    for (uint64_t i = rows->first; i < rows->end; i++) {
        const double label = newton_label(dataset, i);

        *sum += newton_row_weight(dataset, i) * label * label;
    }
}

static enum status add(void *self, const struct row_range *rows, const double *state, double *added,
                       struct error *err)
{
    struct regression *regression = self;
    (void)err;

    regression->lane.basis = NULL;
    if (rows->phase == REGRESSION_START) {
        newton_add_labels(regression->dataset, rows->first, rows->end, added);
        if (!regression->has_classes)
            add_squares(regression->dataset, rows, added + 2);
        if (!regression->has_basis)
            return STATUS_OK;
        added += start_sums(regression);
    } else if (regression->has_basis) {
        regression->lane.basis = state_of(regression, (double *)(uintptr_t)state).basis;
    }
    newton_lane_use(&regression->lane, added);
    newton_lane_add(&regression->lane, state, rows->first, rows->end, rows->team);
    return STATUS_OK;
}

/* ---- the change of basis ---- */

/* products: the lower half of those of all pairs of columns of numbers. lower (dense, dense)
 * becomes what has to be taken of each column before it, and its diagonal what is left of the
 * column's square; of one that is not for others the diagonal is negative. */
static void divide_products(uint32_t dense, const double *products, double *lower)
{
    for (uint32_t j = 0; j < dense; j++) {
        double *row = lower + (size_t)j * dense;
        const double *product = products + row_pairs(j);
        double left = product[j];

        for (uint32_t i = 0; i < j; i++) {
            const double *other = lower + (size_t)i * dense;
            double sum = product[i];

            row[i] = 0;
            if (!(other[i] > 0))
                continue;
            for (uint32_t k = 0; k < i; k++)
                if (row[k] != 0)
                    sum -= row[k] * other[k] * lower[(size_t)k * (dense + 1)];
            row[i] = sum / other[i];
            left -= row[i] * sum;
        }
        row[j] = left > LEFT_FOR_BASIS * product[j] ? left : -1;
    }
}

/* A power of two that makes what is left of a square as large as it was, nearly. */
static double enlargement(double square, double left)
{
    int exponent;

    if (!(square > 0))
        return 1;
    (void)frexp(left > 0 ? square / left : 1 / LEFT_UNKNOWN, &exponent);
    return ldexp(1, exponent / 2);
}

/* `basis` is that lower half, and becomes the sums that take those columns away. Rows before the
 * j-th are done, but for being enlarged. */
static void take_columns_away(uint32_t dense, const double *squares, double *basis, double *taken)
{
    for (uint32_t j = 0; j < dense; j++) {
        double *row = basis + (size_t)j * dense;

        memset(taken, 0, (j + 1) * sizeof *taken);
        taken[j] = 1;
        for (uint32_t i = 0; i < j; i++)
            for (uint32_t k = 0; k <= i && row[i] != 0; k++)
                taken[k] -= row[i] * (k == i ? 1 : basis[(size_t)i * dense + k]);
        memcpy(row, taken, j * sizeof *row);
    }
    for (uint32_t j = 0; j < dense; j++) {
        double *row = basis + (size_t)j * dense;
        const double enlarged = j == 0 ? 1 : enlargement(squares[j], row[j]);

        for (uint32_t i = 0; i < j; i++)
            row[i] *= enlarged;
        row[j] = enlarged;
    }
}

static void find_basis(const struct regression *regression, const double *products,
                       struct regression_state *state)
{
    for (uint32_t j = 0; j < regression->dense; j++)
        state->squares[j] = products[row_pairs(j) + j];
    divide_products(regression->dense, products, state->basis);
    take_columns_away(regression->dense, state->squares, state->basis, regression->changed);
}

/* The amounts of the columns x' in a sum of columns x, which has `amounts` of each. */
static const double *change_amounts(const struct regression *regression,
                                    const struct regression_state *state)
{
    const uint32_t dense = regression->has_basis ? regression->dense : 0;

    memcpy(regression->changed, regression->amounts,
           regression->columns * sizeof *regression->changed);
    for (uint32_t j = 0; j < dense; j++) {
        const double *row = state->basis + (size_t)j * dense;

        regression->changed[j] = 0;
        for (uint32_t i = 0; i <= j; i++)
            regression->changed[j] += row[i] * regression->amounts[i];
    }
    return regression->changed;
}

/* The weights of x that an equation's weights of x' amount to. */
static const double *standard_weights(const struct regression *regression,
                                      const struct regression_state *state, const double *weights)
{
    const uint32_t dense = regression->has_basis ? regression->dense : 0;

    memcpy(regression->standard, weights, regression->columns * sizeof *weights);
    for (uint32_t i = 0; i < dense; i++) {
        regression->standard[i] = 0;
        for (uint32_t j = i; j < dense; j++)
            regression->standard[i] += state->basis[(size_t)j * dense + i] * weights[j];
    }
    return regression->standard;
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

static enum status apply_start(struct regression *regression, double *totals,
                               struct regression_state *state, struct error *err)
{
    const struct dataset *dataset = regression->dataset;
    const double scale = dataset->label_scale;

    if (!(totals[0] > 0))
        return fail(err, STATUS_FAILED, "the weights of the rows add up to 0");
    state->rest[STATE_WEIGHT] = totals[0];
    state->rest[STATE_LOSS] = INFINITY;
    state->fit->rows = (double)dataset->train.rows;
    state->fit->is_weighted = dataset->train.roles[ROLE_SAMPLE_WEIGHT] != NULL;
    for (uint32_t i = 0; i < regression->weights; i++)
        state->used[i] = 1;
    if (regression->has_basis) {
        newton_lane_use(&regression->lane, totals + start_sums(regression));
        find_basis(regression, regression->lane.products, state);
    }
    if (regression->has_classes)
        return start_classes(regression, totals, state, err);
    state->weights[0] = totals[1] / totals[0];
    state->fit->null = (totals[2] - totals[1] * totals[1] / totals[0]) * scale * scale;
    return STATUS_OK;
}

/* ---- a round ---- */

/* The penalty's factor for the weight of a transform's input: the penalty is on the weight of the
 * column in its own unit. */
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

/* Finds the columns of numbers of which more is left than rounding leaves. The rows' weights are
 * still alike, as in the first pass. */
static void find_used(const struct regression *regression, const struct regression_state *state)
{
    const size_t next = (size_t)regression->weights + 1;
    const uint32_t dense = regression->has_basis ? regression->dense : 0;

    for (uint32_t k = 0; k < regression->equations; k++) {
        const double *own = regression->second + k * regression->columns * next;
        const double whole = own[0] / state->squares[0];

        for (uint32_t j = 1; j < dense; j++) {
            const double enlarged = state->basis[(size_t)j * (dense + 1)];

            if (own[j * next] / (enlarged * enlarged) <= LEFT_OF_COLUMN * whole * state->squares[j])
                regression->is_used[k * regression->columns + j] = false;
        }
    }
}

/* The inverse of the second derivatives, without the columns that follow from others: which these
 * are does not depend on rows' weights, and is found with the first step. */
static void invert(struct regression *regression, struct regression_state *state)
{
    const bool is_first = !isfinite(state->rest[STATE_LOSS]);

    for (uint32_t i = 0; i < regression->weights; i++)
        regression->is_used[i] = state->used[i] > 0;
    if (is_first && regression->has_basis)
        find_used(regression, state);
    symmetric_invert(regression->weights, regression->order, is_first ? LEFT_LEAST : LEFT_OF_STEP,
                     regression->second, regression->is_used, regression->squares);
    for (uint32_t i = 0; is_first && i < regression->weights; i++)
        state->used[i] = regression->is_used[i];
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

static double used_count(const struct regression *regression, const struct regression_state *state)
{
    double count = 0;

    for (uint32_t i = 0; i < regression->weights; i++)
        count += state->used[i] > 0;
    return count;
}

/* The variance of standardised labels about what is predicted of them; of classes 1. */
static double variance_of(const struct regression *regression, const struct regression_state *state,
                          double loss)
{
    const double rest = (double)regression->dataset->train.rows - used_count(regression, state);

    return regression->has_classes ? 1 : rest > 0 ? 2 * loss / rest : 0;
}

static bool is_near(const struct regression *regression, const struct regression_state *state,
                    double loss, double square)
{
    const double most = STEP_MOST * variance_of(regression, state, loss);

    return square <=
           (regression->has_classes ? most : most + STEP_OF_A_LABEL * state->rest[STATE_WEIGHT]);
}

/* Is the loss so small that every row is on the right side? Then it has no least value. */
static bool is_apart(const struct regression *regression, const struct regression_state *state,
                     double loss)
{
    const double weight = state->rest[STATE_WEIGHT];

    return loss <= APART_LOSS * weight &&
           loss <= APART_ROW * weight / (double)regression->dataset->train.rows;
}

/* Do some weights grow without end, while the loss hardly changes? Without penalty only. */
static bool is_endless(const struct regression *regression, const struct regression_state *state,
                       double loss, double square)
{
    const double before = state->rest[STATE_SQUARE];

    if (!regression->has_classes || regression->params.l2 > 0)
        return false;
    return is_apart(regression, state, loss) ||
           (before > 0 && square > ENDLESS_SHRINK * before &&
            square <= ENDLESS_LOSS * (2 * loss + ENDLESS_SMALL));
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
        return error_hint(err, "Most often some columns separate the classes perfectly, so that "
                               "coefficients grow without end: leave these columns out, or set "
                               "model.l2 = 1.");
    if (regression->dataset->weight_average > 0 &&
        regression->dataset->weight_average < SMALL_WEIGHT)
        return error_hint(err,
                          "The rows' weights are %.2g in the mean, too small for exact sums. Only "
                          "their ratios matter: multiply them in the SELECT.",
                          regression->dataset->weight_average);
    return error_hint(err, "Raise model.max_iter.");
}

/* ---- the last round ---- */

/* The sum of an equation's weights of the columns x, by `amounts` of each, and the square of its
 * error. */
static struct regression_coefficient sum_of_amounts(const struct regression *regression,
                                                    const struct regression_state *state,
                                                    uint32_t first)
{
    const double *amounts = change_amounts(regression, state);
    const size_t all = regression->weights;
    struct regression_coefficient found = {0, 0};

    for (uint32_t i = 0; i < regression->columns; i++) {
        const double *row = regression->second + (first + i) * all + first;
        double sum = 0;

        if (amounts[i] == 0 || !regression->is_used[first + i])
            continue;
        found.value += amounts[i] * state->weights[first + i];
        for (uint32_t j = 0; j < regression->columns; j++)
            if (amounts[j] != 0 && regression->is_used[first + j])
                sum += amounts[j] * row[j];
        found.error += amounts[i] * sum;
    }
    return found;
}

/* In units of the columns as they are: the intercept is its weight less those of numbers times
 * their means. */
static struct regression_coefficient coefficient_of(const struct regression *regression,
                                                    const struct regression_state *state,
                                                    uint32_t weight)
{
    const uint32_t column = weight % regression->columns, first = weight - column;

    for (uint32_t i = 0; i < regression->columns; i++)
        regression->amounts[i] = column > 0 ? 0
                                 : i == 0   ? 1
                                 : state->used[first + i] > 0
                                     ? -regression->means[i] / regression->scales[i]
                                     : 0;
    if (column > 0)
        regression->amounts[column] = 1 / regression->scales[column];
    return sum_of_amounts(regression, state, first);
}

static double error_of(const struct regression *regression, const struct regression_state *state,
                       uint32_t weight, double square)
{
    const double scale = regression->has_classes ? 1 : regression->dataset->label_scale;

    if (!(state->used[weight] > 0))
        return REGRESSION_LEFT_OUT;
    return regression->is_used[weight] ? sqrt(square > 0 ? square : 0) * scale : REGRESSION_UNKNOWN;
}

static void set_coefficients(const struct regression *regression, double variance,
                             struct regression_state *state)
{
    const struct dataset *dataset = regression->dataset;
    const bool has_rest = (double)dataset->train.rows > used_count(regression, state);
    const bool is_known = regression->params.l2 == 0 && (regression->has_classes || has_rest);
    const double scale = regression->has_classes ? 1 : dataset->label_scale;

    for (uint32_t i = 0; i < regression->weights; i++) {
        struct regression_coefficient *found = &state->coefficients[i];

        *found = coefficient_of(regression, state, i);
        found->value *= scale;
        if (!regression->has_classes && i == 0)
            found->value += dataset->label_mean;
        found->error = error_of(regression, state, i, found->error * variance);
        if (!is_known && found->error >= 0)
            found->error = REGRESSION_UNKNOWN;
    }
}

/* The same column's weight for another class may stay where it is, while less and less is known of
 * it: both classes lose the rows that have the column. */
static void mark_unknown(const struct regression *regression, struct regression_state *state,
                         uint32_t endless)
{
    const size_t next = (size_t)regression->weights + 1;
    const uint32_t column = endless % regression->columns;

    for (uint32_t i = column; i < regression->weights; i += regression->columns)
        if (state->coefficients[i].error >= 0 &&
            regression->second[i * next] > ENDLESS_ERROR * ENDLESS_ERROR)
            state->coefficients[i].error = REGRESSION_ENDLESS;
}

/* Those that the step would still move have no error. */
static void mark_endless(const struct regression *regression, struct regression_state *state)
{
    for (uint32_t k = 0; k < regression->equations; k++) {
        const uint32_t first = k * regression->columns;
        const double *moves = standard_weights(regression, state, regression->step + first);

        for (uint32_t j = 0; j < regression->columns; j++)
            if (fabs(moves[j]) > ENDLESS_STEP && state->used[first + j] > 0)
                state->coefficients[first + j].error = REGRESSION_ENDLESS;
    }
    for (uint32_t i = 0; i < regression->weights; i++)
        if (state->coefficients[i].error == REGRESSION_ENDLESS)
            mark_unknown(regression, state, i);
}

static enum status finish(const struct regression *regression, double loss,
                          struct regression_state *state, struct error *err)
{
    const double scale = regression->dataset->label_scale;

    state->fit->parameters = used_count(regression, state);
    state->fit->fitted =
        regression->has_classes ? -*regression->lane.loss : *regression->lane.loss * scale * scale;
    set_coefficients(regression, variance_of(regression, state, loss), state);
    for (uint32_t i = 0; i < regression->weights; i++)
        if (!isfinite(state->coefficients[i].value) || !isfinite(state->coefficients[i].error))
            return fail(err, STATUS_DIVERGED, "a coefficient is not finite");
    return STATUS_OK;
}

static enum status finish_endless(const struct regression *regression, double loss,
                                  struct regression_state *state, struct error *err)
{
    TRY(finish(regression, loss, state, err));
    mark_endless(regression, state);
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
        invert(regression, state);
        square = find_step(regression);
        *is_last = is_near(regression, state, loss, square);
        if (*is_last)
            return finish(regression, loss, state, err);
        *is_last = is_endless(regression, state, loss, square);
        if (*is_last)
            return finish_endless(regression, loss, state, err);
        state->rest[STATE_SQUARE] = square;
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

/* The first of more than two classes has an output, too, which is always 0. */
static void fill(void *self, const double *numbers, struct model *model)
{
    struct regression *regression = self;
    const struct regression_state state = state_of(regression, (double *)(uintptr_t)numbers);
    const uint32_t first = regression->layer.layer.width - regression->equations;

    for (uint32_t k = 0; k < regression->equations; k++)
        linear_layer_set(
            &regression->layer, first + k,
            standard_weights(regression, &state, state.weights + (size_t)k * regression->columns));
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
    return input->spec.type == INPUT_NUMERIC || (feature > 0 && feature < input->word_count);
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
                   "\"%s\" has no coefficient of its own: it follows from other columns, which "
                   "leave less than %g of its variance",
                   name->failed ? "" : text_string(name),
                   regression->has_basis && input->spec.type == INPUT_NUMERIC ? LEFT_OF_COLUMN
                                                                              : LEFT_LEAST);
        notice_hint(notices, "Leave one of them out of the SELECT to choose which.");
    }
}

/* One that has no best value, and which rows make it grow. */
static void tell_endless(const struct regression *regression, const struct regression_state *state,
                         uint32_t equation, const struct transform_input *input, uint32_t feature,
                         struct text *name, struct notice_list *notices)
{
    const size_t first = (size_t)equation * regression->columns;
    const size_t at = first + 1 + feature_first(&regression->dataset->transform, input) + feature;
    const bool grows = state->coefficients[at].value > 0;
    const bool is_alone = state->coefficients[first].error != REGRESSION_ENDLESS;
    const uint32_t shown = regression->equations == 1 ? grows : grows ? 0 : equation + 1;
    char buffer[TRANSFORM_WORD_BUFFER];
    const struct slice class_name = label_name(&regression->dataset->labels, shown, buffer);

    feature_name(input, feature, name);
    if (input->spec.type == INPUT_NUMERIC || !is_alone)
        notice_add(notices, NOTICE_DEFAULTS,
                   "the coefficient of \"%s\" has no finite best value, and no error: with it, or "
                   "with it and other columns, classes are separated perfectly",
                   text_string(name));
    else
        notice_add(notices, NOTICE_DEFAULTS,
                   "the coefficient of \"%s\" has no finite best value, and no error: %s of class "
                   "%.*s have this word",
                   text_string(name), regression->equations == 1 ? "only rows" : "no rows",
                   SLICE_FORMAT(slice_prefix(class_name, 40)));
    notice_hint(notices, "model.l2 = 1 keeps coefficients finite%s.",
                input->spec.type == INPUT_NUMERIC
                    ? ""
                    : "; VOCABULARY(column, n) gives one to the n most frequent words alone");
}

static void tell_of_endless(const struct regression *regression,
                            const struct regression_state *state,
                            const struct transform_input *input, struct text *name,
                            struct notice_list *notices)
{
    const uint32_t first = 1 + feature_first(&regression->dataset->transform, input);

    for (uint32_t i = 0; i < feature_count(input); i++)
        for (uint32_t k = 0; k < regression->equations; k++)
            if (state->coefficients[k * regression->columns + first + i].error ==
                REGRESSION_ENDLESS) {
                tell_endless(regression, state, k, input, i, name, notices);
                break;
            }
}

/* Columns that are left out, by the first equation, and coefficients without end. */
static void tell(const void *self, const double *numbers, struct notice_list *notices)
{
    const struct regression *regression = self;
    const struct transform *transform = &regression->dataset->transform;
    const struct regression_state state = state_of(regression, (double *)(uintptr_t)numbers);
    struct text name;

    text_init(&name, TEXT_MAXIMUM);
    for (uint32_t i = 0; i < transform->input_count; i++)
        tell_of_input(regression, state.used, &transform->inputs[i], &name, notices);
    for (uint32_t i = 0; i < transform->input_count; i++)
        tell_of_endless(regression, &state, &transform->inputs[i], &name, notices);
    text_deinit(&name);
}

/* ---- open ---- */

static enum status plan(void *self, const struct jobspec *spec, const struct dataset *dataset,
                        struct row_sums_plan *plan, struct error *err)
{
    struct regression *regression = self;
    uint64_t weights;
    uint32_t round;

    regression->dataset = dataset;
    regression->params = *regression_params(&spec->params);
    regression->has_classes = spec->task == TASK_CLASSIFICATION;
    regression->columns = 1 + transform_features(&dataset->transform) + dataset->transform.id_rows;
    regression->equations = regression_equations(spec->task, dataset->labels.count);
    regression->dense = 1 + transform_features(&dataset->transform);
    regression->has_basis = regression->params.l2 == 0 && regression->dense > 1;
    weights = (uint64_t)regression->equations * regression->columns;
    TRY(check_plan(regression, spec, weights, err));
    regression->weights = (uint32_t)weights;
    TRY(allocate(regression, err));
    order_columns(regression);
    take_scales(regression);
    round = sums(regression, REGRESSION_ROUND);
    plan->state_count = state_count(regression);
    plan->sums_most = round;
    if (sums(regression, REGRESSION_START) > round)
        plan->sums_most = sums(regression, REGRESSION_START);
    plan->steps_most = regression->params.iterations;
    plan->lane_work = 2 * (uint64_t)round;
    plan->row_work = regression->weights;
    return STATUS_OK;
}

const struct row_sums_method regression_method = {
    .bytes = sizeof(struct regression),
    .step = "step",
    .first_step = REGRESSION_ROUND,
    .plan = plan,
    .close = regression_close,
    .sums = sums,
    .add = add,
    .apply = apply,
    .fill = fill,
    .tell = tell,
};
