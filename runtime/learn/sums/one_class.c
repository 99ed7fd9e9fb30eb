#include "runtime/learn/sums/one_class.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/random.h"
#include "jobspec/job_size.h"
#include "kinds/one_class/one_class_kind.h"
#include "runtime/learn/learner_memory.h"
#include "runtime/learn/sums/newton_lanes.h"
#include "runtime/learn/sums/newton_steps.h"
#include "runtime/learn/sums/number_rows.h"
#include "runtime/learn/sums/row_sums.h"
#include "scoring/numbers/elementary.h"
#include "scoring/transform/feature_names.h"

#define CHUNK_ROWS 256
#define NEAREST    1e-10 /* share of the scale: bound of the square of a level's last step */
/* The addend to the second derivative by rho, over the scale, so that rho has a step where no row
 * is near the corner. */
#define RHO_CURVE 1e-2
#define TWO_PI    0x1.921fb54442d18p+2

static const double levels[] = {0.5, 0.1, 0.02, 0.004};
#define LEVELS (sizeof levels / sizeof *levels)

enum one_class_phase { ONE_CLASS_START, ONE_CLASS_MEAN, ONE_CLASS_ROUND };
/* Sums of the first phase. */
enum { SUM_WEIGHT, SUM_NUMBERS, SUM_SQUARES, START_SUMS };
/* The state's numbers before the place of Newton's steps. */
enum { STATE_WEIGHT, STATE_GAMMA, STATE_SCALE, STATE_LEVEL, STATE_NUMBERS };

struct one_class {
    struct arena space; /* the arrays' memory */
    const struct dataset *dataset;
    struct one_class_params params;
    uint32_t inputs, features, columns; /* columns: and rho */
    struct newton_steps steps;
    float *normal;           /* (features, inputs) */
    float *row;              /* (dense_width) */
    double *x;               /* (inputs) */
    double *z;               /* (CHUNK_ROWS, columns): features, then -1 */
    double *second;          /* (CHUNK_ROWS) */
    float *frequencies;      /* (features, inputs) */
    float *phases, *weights; /* (features) */
    float rho[1];
    struct one_class_model content;
};

static size_t state_count(const struct one_class *one_class)
{
    return STATE_NUMBERS + newton_place_count(one_class->columns);
}

static struct newton_place place_of(const struct one_class *one_class, double *state)
{
    return newton_place_of(state + STATE_NUMBERS, one_class->columns);
}

static double factor_of(const struct one_class *one_class)
{
    return sqrt(2 / (double)one_class->features);
}

/* ---- random features ---- */

static double normal_number(uint64_t seed, uint64_t number)
{
    const double u = 1 - random_uniform(seed, RANDOM_FEATURE, 0, number); /* (0, 1] */

    return sqrt(-2 * logarithm_double(u)) *
           cosine_of_turns(random_uniform(seed, RANDOM_FEATURE, 1, number));
}

static void draw_features(const struct one_class *one_class, uint64_t seed)
{
    for (size_t i = 0; i < (size_t)one_class->features * one_class->inputs; i++)
        one_class->normal[i] = (float)normal_number(seed, i);
    for (uint32_t d = 0; d < one_class->features; d++)
        one_class->phases[d] = (float)random_uniform(seed, RANDOM_FEATURE, 2, d);
}

static void set_gamma(struct one_class *one_class, double gamma)
{
    const double deviation = sqrt(2 * gamma) / TWO_PI;

    for (size_t i = 0; i < (size_t)one_class->features * one_class->inputs; i++)
        one_class->frequencies[i] = (float)(deviation * (double)one_class->normal[i]);
    one_class->content =
        (struct one_class_model){.features = one_class->features,
                                 .inputs = one_class->inputs,
                                 .numbers = spread_number_count(&one_class->dataset->transform),
                                 .frequencies = one_class->frequencies,
                                 .phases = one_class->phases,
                                 .weights = one_class->weights,
                                 .rho = one_class->rho};
}

/* ---- sums ---- */

static uint32_t sums(const void *self, uint64_t phase)
{
    const struct one_class *one_class = self;

    return phase == ONE_CLASS_START  ? START_SUMS
           : phase == ONE_CLASS_MEAN ? one_class->features
                                     : (uint32_t)newton_step_sums(one_class->columns);
}

static void add_numbers(const struct one_class *one_class, uint64_t row, double *added)
{
    const double weight = newton_row_weight(one_class->dataset, row);

    added[SUM_WEIGHT] += weight;
    for (uint32_t i = 0; i < one_class->inputs; i++) {
        added[SUM_NUMBERS] += weight * one_class->x[i];
        added[SUM_SQUARES] += weight * one_class->x[i] * one_class->x[i];
    }
}

static void take_features(const struct one_class *one_class, uint64_t row, double *z)
{
    const double factor = factor_of(one_class);
    const uint32_t count = one_class->dataset->transform.id_count;
    const int32_t *ids = one_class->dataset->train.ids + row * count;

    one_class_features(&one_class->content, one_class->x, ids, count, z);
    for (uint32_t d = 0; d < one_class->features; d++)
        z[d] = factor * z[d];
    z[one_class->features] = -1;
}

/* The hinge of u, its first and second derivative. */
static double hinge(double u, double h, double *first, double *second)
{
    *second = fabs(u) < h ? 1 / (2 * h) : 0;
    *first = u <= -h ? 0 : u >= h ? 1 : (u + h) / (2 * h);
    return u <= -h ? 0 : u >= h ? u : (u + h) * (u + h) / (4 * h);
}

/* Adds the row's loss and gradient; false: it has no second derivative. */
static bool add_row(const struct one_class *one_class, double weight, const double *state,
                    const double *z, double *added, double *second)
{
    const double *weights = place_of(one_class, (double *)(uintptr_t)state).weights;
    const double h = levels[(size_t)state[STATE_LEVEL]] * state[STATE_SCALE];
    double u = 0, first;

    for (uint32_t i = 0; i < one_class->columns; i++)
        u -= weights[i] * z[i];
    added[0] += weight * hinge(u, h, &first, second);
    for (uint32_t i = 0; i < one_class->columns && first > 0; i++)
        added[1 + i] -= weight * first * z[i];
    *second *= weight;
    return *second > 0;
}

static void add_rows(struct one_class *one_class, const struct row_range *rows, const double *state,
                     double *added)
{
    struct row_products products = {.columns = one_class->columns,
                                    .x = one_class->z,
                                    .weights = one_class->second,
                                    .stride = 1,
                                    .products = added + 1 + one_class->columns};

    for (uint64_t row = rows->first; row < rows->end; row++) {
        double *z = one_class->z + (size_t)products.rows * one_class->columns;

        number_row_take(one_class->dataset, row, one_class->row, one_class->x);
        take_features(one_class, row, z);
        products.rows += add_row(one_class, newton_row_weight(one_class->dataset, row), state, z,
                                 added, &one_class->second[products.rows]);
        if (products.rows < CHUNK_ROWS)
            continue;
        row_products_add(&products, rows->team);
        products.rows = 0;
    }
    row_products_add(&products, rows->team);
}

static enum status add(void *self, const struct row_range *rows, const double *state, double *added,
                       struct error *err)
{
    struct one_class *one_class = self;
    (void)err;

    if (rows->phase != ONE_CLASS_START)
        set_gamma(one_class, state[STATE_GAMMA]);
    if (rows->phase >= ONE_CLASS_ROUND) {
        add_rows(one_class, rows, state, added);
        return STATUS_OK;
    }
    for (uint64_t row = rows->first; row < rows->end; row++) {
        number_row_take(one_class->dataset, row, one_class->row, one_class->x);
        if (rows->phase == ONE_CLASS_START) {
            add_numbers(one_class, row, added);
            continue;
        }
        take_features(one_class, row, one_class->z);
        for (uint32_t d = 0; d < one_class->features; d++)
            added[d] += newton_row_weight(one_class->dataset, row) * one_class->z[d];
    }
    return STATUS_OK;
}

/* ---- apply ---- */

/* Columns that a row may have something in: none of a category's NULL where there were no NULLs. */
static double columns_in_use(const struct transform *transform)
{
    double count = spread_number_count(transform);

    for (uint32_t i = 0; i < transform->input_count; i++)
        if (transform->inputs[i].spec.type == INPUT_CATEGORY)
            count += feature_count(&transform->inputs[i]);
    return count;
}

static void apply_start(const struct one_class *one_class, const double *totals, double *state)
{
    const double columns = columns_in_use(&one_class->dataset->transform);
    const double count = totals[SUM_WEIGHT] * columns;
    const double mean = totals[SUM_NUMBERS] / count;
    const double variance = totals[SUM_SQUARES] / count - mean * mean;

    state[STATE_WEIGHT] = totals[SUM_WEIGHT];
    state[STATE_GAMMA] = one_class->params.gamma != REAL_AUTOMATIC ? one_class->params.gamma
                         : variance > 0                            ? 1 / (columns * variance)
                                                                   : 1;
}

static void apply_mean(const struct one_class *one_class, const double *totals, double *state)
{
    double *weights = place_of(one_class, state).weights;
    double square = 0;

    for (uint32_t d = 0; d < one_class->features; d++) {
        weights[d] = totals[d] / state[STATE_WEIGHT];
        square += weights[d] * weights[d];
    }
    weights[one_class->features] = state[STATE_SCALE] = square;
}

/* Divides the rows' sums by their weight and nu, and adds the terms that are no sums over rows. */
static void complete_sums(const struct one_class *one_class, const double *state,
                          const double *weights, double *totals)
{
    const double share = 1 / (one_class->params.nu * state[STATE_WEIGHT]);
    double *gradient = totals + 1, *products = gradient + one_class->columns;
    const uint32_t rho = one_class->features;

    for (uint32_t i = 0; i < sums(one_class, ONE_CLASS_ROUND); i++)
        totals[i] *= share;
    for (uint32_t d = 0; d < one_class->features; d++) {
        totals[0] += weights[d] * weights[d] / 2;
        gradient[d] += weights[d];
        products[row_pairs(d) + d] += 1;
    }
    totals[0] -= weights[rho];
    gradient[rho] -= 1;
    products[row_pairs(rho) + rho] += RHO_CURVE / state[STATE_SCALE];
}

static enum status apply_round(struct one_class *one_class, uint64_t round, double *totals,
                               double *state, struct learner_report *report, bool *is_last,
                               struct error *err)
{
    struct newton_place place = place_of(one_class, state);

    complete_sums(one_class, state, place.weights, totals);
    report->train_loss = totals[0];
    if (newton_steps_move(&one_class->steps, totals, NEAREST * state[STATE_SCALE], &place)) {
        *is_last = (size_t)state[STATE_LEVEL] + 1 == LEVELS;
        state[STATE_LEVEL] += *is_last ? 0 : 1;
        *place.has_loss = 0;
    }
    for (uint32_t i = 0; i < one_class->columns; i++)
        if (!isfinite(place.weights[i]))
            return fail(err, STATUS_DIVERGED, "a weight is not finite");
    if (*is_last || round - ONE_CLASS_ROUND + 1 < one_class->params.iterations)
        return STATUS_OK;
    fail(err, STATUS_DIVERGED, "%u steps of Newton have not come to an end",
         one_class->params.iterations);
    return error_hint(err, "Raise model.max_iter.");
}

static enum status apply(void *self, uint64_t phase, double *totals, double *state,
                         struct learner_report *report, bool *is_last, struct error *err)
{
    struct one_class *one_class = self;

    if (phase >= ONE_CLASS_ROUND)
        return apply_round(one_class, phase, totals, state, report, is_last, err);
    if (phase == ONE_CLASS_START)
        apply_start(one_class, totals, state);
    else
        apply_mean(one_class, totals, state);
    return STATUS_OK;
}

/* ---- the model ---- */

static void fill(void *self, const double *state, struct model *model)
{
    struct one_class *one_class = self;
    const double *weights = place_of(one_class, (double *)(uintptr_t)state).weights;

    set_gamma(one_class, state[STATE_GAMMA]);
    for (uint32_t d = 0; d < one_class->features; d++)
        one_class->weights[d] = (float)(factor_of(one_class) * weights[d]);
    one_class->rho[0] = (float)weights[one_class->features];
    model->content = &one_class->content;
}

/* ---- open ---- */

static void one_class_close(void *self)
{
    struct one_class *one_class = self;

    newton_steps_deinit(&one_class->steps);
    arena_deinit(&one_class->space);
}

static enum status check_plan(const struct one_class *one_class, const struct jobspec *spec,
                              struct error *err)
{
    const struct kind_shape shape = {.task = spec->task, .dense = one_class->inputs};
    const struct kind_cost cost = one_class_kind.cost(&spec->params, &shape);
    const uint64_t rows = one_class->dataset->train.rows;
    char who[100];

    snprintf(who, sizeof who, "%u features of %u inputs", one_class->features, one_class->inputs);
    return learner_check_bytes(spec, rows, job_learner_bytes(&cost, false, (double)rows), who,
                               "Lower model.n_features.", err);
}

static enum status allocate(struct one_class *one_class, struct error *err)
{
    struct arena *space = &one_class->space;
    const size_t numbers = (size_t)one_class->features * one_class->inputs;

    TRY(newton_steps_init(&one_class->steps, one_class->columns, err));
    one_class->normal = arena_alloc_array(space, numbers, sizeof *one_class->normal);
    one_class->row = arena_alloc_array(space, one_class->dataset->transform.dense_width + 1,
                                       sizeof *one_class->row);
    one_class->x = arena_alloc_array(space, one_class->inputs, sizeof *one_class->x);
    one_class->z =
        arena_alloc_array(space, (size_t)CHUNK_ROWS * one_class->columns, sizeof *one_class->z);
    one_class->second = arena_alloc_array(space, CHUNK_ROWS, sizeof *one_class->second);
    one_class->frequencies = arena_alloc_array(space, numbers, sizeof *one_class->frequencies);
    one_class->phases = arena_alloc_array(space, one_class->features, sizeof *one_class->phases);
    one_class->weights = arena_alloc_array(space, one_class->features, sizeof *one_class->weights);
    return one_class->normal && one_class->row && one_class->x && one_class->z &&
                   one_class->second && one_class->frequencies && one_class->phases &&
                   one_class->weights
               ? STATUS_OK
               : fail_no_memory(err);
}

static enum status plan(void *self, const struct jobspec *spec, const struct dataset *dataset,
                        struct row_sums_plan *plan, struct error *err)
{
    struct one_class *one_class = self;

    arena_init(&one_class->space, SIZE_MAX);
    one_class->dataset = dataset;
    one_class->params = *one_class_params(&spec->params);
    one_class->inputs = spread_numbers_width(&dataset->transform);
    one_class->features = one_class->params.features;
    one_class->columns = one_class->features + 1;
    TRY(check_plan(one_class, spec, err));
    TRY(allocate(one_class, err));
    draw_features(one_class, dataset->seed);
    plan->state_count = state_count(one_class);
    plan->sums_most = sums(one_class, ONE_CLASS_ROUND);
    plan->steps_most = one_class->params.iterations;
    plan->lane_work = 2 * (uint64_t)plan->sums_most;
    plan->row_work = (double)one_class->features *
                     (spread_number_count(&dataset->transform) + dataset->transform.id_count + 20);
    return STATUS_OK;
}

const struct row_sums_method one_class_method = {
    .bytes = sizeof(struct one_class),
    .step = "step",
    .first_step = ONE_CLASS_ROUND,
    .plan = plan,
    .close = one_class_close,
    .sums = sums,
    .add = add,
    .apply = apply,
    .fill = fill,
};
