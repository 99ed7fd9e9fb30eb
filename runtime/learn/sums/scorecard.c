#include "runtime/learn/sums/scorecard.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "jobspec/job_size.h"
#include "kinds/scorecard/scorecard_kind.h"
#include "kinds/scorecard/scorecard_model.h"
#include "runtime/learn/learner_memory.h"
#include "runtime/learn/sums/newton_lanes.h"
#include "runtime/learn/sums/newton_steps.h"
#include "runtime/learn/sums/row_sums.h"
#include "scoring/numbers/elementary.h"

#define CHUNK_ROWS   256
#define NEAREST      1e-16 /* the square of the last step, in standard errors */
#define WEIGHT_LEAST 1e-16 /* least second derivative of a row */

enum scorecard_phase { SCORECARD_COUNT, SCORECARD_ROUND };

struct scorecard {
    struct arena space; /* the arrays' memory */
    const struct dataset *dataset;
    struct scorecard_params params;
    uint32_t inputs, columns, bins; /* columns: 1 + inputs */
    bool is_bad[2];                 /* by class */
    struct newton_steps steps;
    double *woe;             /* (bins) */
    double *x;               /* (CHUNK_ROWS, columns) */
    double *first, *second;  /* (CHUNK_ROWS): derivatives of the loss by the log odds */
    double *bad, *good;      /* (bins) */
    double *coefficients;    /* (columns) */
    float *weights, bias[1]; /* (bins) */
    struct scorecard_model content;
};

/* The state: counts of bad, of good, and the place of Newton's steps. */
static size_t state_count(const struct scorecard *scorecard)
{
    return 2 * (size_t)scorecard->bins + newton_place_count(scorecard->columns);
}

static struct newton_place place_of(const struct scorecard *scorecard, double *state)
{
    return newton_place_of(state + 2 * (size_t)scorecard->bins, scorecard->columns);
}

static struct scorecard_model card_of(const struct scorecard *scorecard, const double *state)
{
    struct scorecard_model card = {.inputs = scorecard->inputs,
                                   .bins = scorecard->bins,
                                   .scale = {scorecard->params.smoothing,
                                             scorecard->params.base_score,
                                             scorecard->params.base_odds, scorecard->params.pdo},
                                   .bad = state,
                                   .good = state + scorecard->bins};

    scorecard_count_all(&card, &scorecard->dataset->transform);
    return card;
}

/* ---- sums ---- */

static uint32_t sums(const void *self, uint64_t phase)
{
    const struct scorecard *scorecard = self;

    return phase == SCORECARD_COUNT ? 2 * scorecard->bins
                                    : (uint32_t)newton_step_sums(scorecard->columns);
}

static const int32_t *ids_of(const struct scorecard *scorecard, uint64_t row)
{
    return scorecard->dataset->train.ids + row * scorecard->dataset->transform.id_count;
}

static bool row_is_bad(const struct scorecard *scorecard, uint64_t row)
{
    return scorecard->is_bad[scorecard->dataset->train.classes[row]];
}

static void add_counts(const struct scorecard *scorecard, const struct row_range *rows,
                       double *added)
{
    const struct transform *transform = &scorecard->dataset->transform;

    for (uint64_t row = rows->first; row < rows->end; row++) {
        const double weight = newton_row_weight(scorecard->dataset, row);
        double *counts = added + (row_is_bad(scorecard, row) ? 0 : scorecard->bins);

        for (uint32_t i = 0; i < scorecard->inputs; i++) {
            const int32_t id = ids_of(scorecard, row)[transform->inputs[i].id_offset];

            if (id >= 0)
                counts[id] += weight;
        }
    }
}

static double log_odds(const struct scorecard *scorecard, uint64_t row, const double *weights,
                       double *x)
{
    const struct transform *transform = &scorecard->dataset->transform;
    double sum = weights[0];

    x[0] = 1;
    for (uint32_t i = 0; i < scorecard->inputs; i++) {
        const int32_t id = ids_of(scorecard, row)[transform->inputs[i].id_offset];

        x[1 + i] = id >= 0 ? scorecard->woe[id] : 0;
        sum += weights[1 + i] * x[1 + i];
    }
    return sum;
}

/* Returns the loss of the row. */
static double derive_row(struct scorecard *scorecard, uint64_t row, uint32_t at,
                         const double *weights)
{
    const double z =
        log_odds(scorecard, row, weights, scorecard->x + (size_t)at * scorecard->columns);
    const double small = exponential_double(z < 0 ? z : -z);
    const double p = (z < 0 ? small : 1) / (1 + small);
    const double weight = newton_row_weight(scorecard->dataset, row);
    const bool is_bad = row_is_bad(scorecard, row);
    const double wrong = (z < 0) == is_bad ? fabs(z) : 0;
    const double second = p * (1 - p) > WEIGHT_LEAST ? p * (1 - p) : WEIGHT_LEAST;

    scorecard->first[at] = weight * (is_bad ? p - 1 : p);
    scorecard->second[at] = weight * second;
    return weight * (logarithm_double(1 + small) + wrong);
}

static void add_chunk(struct scorecard *scorecard, uint32_t rows, struct team *team, double *added)
{
    struct row_products products = {.rows = rows,
                                    .columns = scorecard->columns,
                                    .x = scorecard->x,
                                    .weights = scorecard->second,
                                    .stride = 1,
                                    .products = added + 1 + scorecard->columns};

    for (uint32_t at = 0; at < rows; at++)
        for (uint32_t i = 0; i < scorecard->columns; i++)
            added[1 + i] +=
                scorecard->first[at] * scorecard->x[(size_t)at * scorecard->columns + i];
    row_products_add(&products, team);
}

static enum status add(void *self, const struct row_range *rows, const double *state, double *added,
                       struct error *err)
{
    struct scorecard *scorecard = self;
    struct scorecard_model card;
    const double *weights;
    (void)err;

    if (rows->phase == SCORECARD_COUNT) {
        add_counts(scorecard, rows, added);
        return STATUS_OK;
    }
    card = card_of(scorecard, state);
    weights = place_of(scorecard, (double *)(uintptr_t)state).weights;
    for (uint32_t i = 0; i < scorecard->bins; i++)
        scorecard->woe[i] = scorecard_woe(&card, i);
    for (uint64_t row = rows->first; row < rows->end;) {
        uint32_t at = 0;

        for (; at < CHUNK_ROWS && row < rows->end; at++, row++)
            added[0] += derive_row(scorecard, row, at, weights);
        add_chunk(scorecard, at, rows->team, added);
    }
    return STATUS_OK;
}

/* ---- apply ---- */

static enum status apply_counts(const struct scorecard *scorecard, const double *totals,
                                double *state, struct error *err)
{
    struct scorecard_model card;

    for (size_t i = 0; i < 2 * (size_t)scorecard->bins; i++)
        state[i] = totals[i];
    card = card_of(scorecard, state);
    if (!(card.all_bad > 0) || !(card.all_good > 0))
        return fail(err, STATUS_FAILED, "all rows of a class have the weight 0");
    *place_of(scorecard, state).weights = logarithm_double(card.all_bad / card.all_good);
    return STATUS_OK;
}

static void add_penalty(const struct scorecard *scorecard, const double *weights, double *totals)
{
    double *gradient = totals + 1, *products = gradient + scorecard->columns;
    const double l2 = scorecard->params.l2;

    for (uint32_t i = 1; i < scorecard->columns; i++) {
        totals[0] += l2 / 2 * weights[i] * weights[i];
        gradient[i] += l2 * weights[i];
        products[row_pairs(i) + i] += l2;
    }
}

static enum status apply_round(struct scorecard *scorecard, uint64_t round, double *totals,
                               double *state, struct learner_report *report, bool *is_last,
                               struct error *err)
{
    const struct scorecard_model card = card_of(scorecard, state);
    struct newton_place place = place_of(scorecard, state);

    report->train_loss = totals[0] / (card.all_bad + card.all_good);
    add_penalty(scorecard, place.weights, totals);
    *is_last = newton_steps_move(&scorecard->steps, totals, NEAREST, &place);
    for (uint32_t i = 0; i < scorecard->columns; i++)
        if (!isfinite(place.weights[i]))
            return fail(err, STATUS_DIVERGED, "a coefficient is not finite");
    if (*is_last || round < scorecard->params.iterations)
        return STATUS_OK;
    fail(err, STATUS_DIVERGED, "%u steps of Newton have not come to an end",
         scorecard->params.iterations);
    return error_hint(err, "Most often some columns separate the classes perfectly: leave them "
                           "out, or raise model.l2.");
}

static enum status apply(void *self, uint64_t phase, double *totals, double *state,
                         struct learner_report *report, bool *is_last, struct error *err)
{
    return phase == SCORECARD_COUNT ? apply_counts(self, totals, state, err)
                                    : apply_round(self, phase, totals, state, report, is_last, err);
}

/* ---- the model ---- */

/* Weights are those of the second class. */
static void fill(void *self, const double *state, struct model *model)
{
    struct scorecard *scorecard = self;
    const struct scorecard_model card = card_of(scorecard, state);
    const double *weights = place_of(scorecard, (double *)(uintptr_t)state).weights;
    const struct transform *transform = &scorecard->dataset->transform;
    const double sign = scorecard->is_bad[1] ? 1 : -1;

    for (uint32_t i = 0; i < scorecard->bins; i++) {
        scorecard->bad[i] = card.bad[i];
        scorecard->good[i] = card.good[i];
    }
    for (uint32_t i = 0; i < scorecard->columns; i++)
        scorecard->coefficients[i] = weights[i];
    scorecard->bias[0] = (float)(sign * weights[0]);
    for (uint32_t i = 0; i < scorecard->inputs; i++)
        for (uint32_t j = 0; j < transform->inputs[i].id_rows; j++) {
            const uint32_t id = transform->inputs[i].first_id + j;

            scorecard->weights[id] = (float)(sign * weights[1 + i] * scorecard_woe(&card, id));
        }
    scorecard->content = card;
    scorecard->content.bad = scorecard->bad;
    scorecard->content.good = scorecard->good;
    scorecard->content.coefficients = scorecard->coefficients;
    scorecard->content.weights = scorecard->weights;
    scorecard->content.bias = scorecard->bias;
    model->content = &scorecard->content;
}

/* ---- open ---- */

static void scorecard_close(void *self)
{
    struct scorecard *scorecard = self;

    newton_steps_deinit(&scorecard->steps);
    arena_deinit(&scorecard->space);
}

static enum status check_plan(const struct scorecard *scorecard, const struct jobspec *spec,
                              struct error *err)
{
    const struct kind_shape shape = {.task = spec->task,
                                     .classes = scorecard->dataset->labels.count,
                                     .ids = scorecard->inputs,
                                     .id_rows = scorecard->bins};
    const struct kind_cost cost = scorecard_kind.cost(&spec->params, &shape);
    const uint64_t rows = scorecard->dataset->train.rows;
    char who[100];

    TRY(scorecard_kind.check_inputs(&spec->params, &shape, err));
    if (scorecard->bins > SCORECARD_BINS_MAX) {
        fail(err, STATUS_LIMIT, "%u bins, where a score card has at most %d", scorecard->bins,
             SCORECARD_BINS_MAX);
        return error_hint(err, "Take fewer words by VOCABULARY(column, n).");
    }
    snprintf(who, sizeof who, "%u inputs of %u bins", scorecard->inputs, scorecard->bins);
    return learner_check_bytes(spec, rows, job_learner_bytes(&cost, false, (double)rows), who,
                               "Select fewer columns.", err);
}

static enum status allocate(struct scorecard *scorecard, struct error *err)
{
    struct arena *space = &scorecard->space;
    const size_t bins = scorecard->bins, columns = scorecard->columns;

    TRY(newton_steps_init(&scorecard->steps, scorecard->columns, err));
    scorecard->woe = arena_alloc_array(space, bins, sizeof *scorecard->woe);
    scorecard->x = arena_alloc_array(space, CHUNK_ROWS * columns, sizeof *scorecard->x);
    scorecard->first = arena_alloc_array(space, CHUNK_ROWS, sizeof *scorecard->first);
    scorecard->second = arena_alloc_array(space, CHUNK_ROWS, sizeof *scorecard->second);
    scorecard->bad = arena_alloc_array(space, bins, sizeof *scorecard->bad);
    scorecard->good = arena_alloc_array(space, bins, sizeof *scorecard->good);
    scorecard->coefficients = arena_alloc_array(space, columns, sizeof *scorecard->coefficients);
    scorecard->weights = arena_alloc_array(space, bins, sizeof *scorecard->weights);
    return scorecard->woe && scorecard->x && scorecard->first && scorecard->second &&
                   scorecard->bad && scorecard->good && scorecard->coefficients &&
                   scorecard->weights
               ? STATUS_OK
               : fail_no_memory(err);
}

static enum status plan(void *self, const struct jobspec *spec, const struct dataset *dataset,
                        struct row_sums_plan *plan, struct error *err)
{
    struct scorecard *scorecard = self;
    uint32_t round;

    arena_init(&scorecard->space, SIZE_MAX);
    scorecard->dataset = dataset;
    scorecard->params = *scorecard_params(&spec->params);
    scorecard->inputs = dataset->transform.input_count;
    scorecard->columns = 1 + scorecard->inputs;
    scorecard->bins = dataset->transform.id_rows;
    scorecard->is_bad[dataset->positive_is_lesser ? 0 : 1] = true;
    TRY(check_plan(scorecard, spec, err));
    TRY(allocate(scorecard, err));
    round = sums(scorecard, SCORECARD_ROUND);
    plan->state_count = state_count(scorecard);
    plan->sums_most = round;
    if (sums(scorecard, SCORECARD_COUNT) > round)
        plan->sums_most = sums(scorecard, SCORECARD_COUNT);
    plan->steps_most = scorecard->params.iterations;
    plan->lane_work = 2 * (uint64_t)round;
    plan->row_work = scorecard->columns;
    return STATUS_OK;
}

const struct row_sums_method scorecard_method = {
    .bytes = sizeof(struct scorecard),
    .step = "step",
    .first_step = SCORECARD_ROUND,
    .plan = plan,
    .close = scorecard_close,
    .sums = sums,
    .add = add,
    .apply = apply,
    .fill = fill,
};
