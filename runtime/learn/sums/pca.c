#include "runtime/learn/sums/pca.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "jobspec/job_size.h"
#include "kinds/pca/pca_kind.h"
#include "kinds/pca/pca_model.h"
#include "runtime/learn/learner_memory.h"
#include "runtime/learn/sums/newton_lanes.h"
#include "runtime/learn/sums/number_rows.h"
#include "runtime/learn/sums/row_products.h"
#include "runtime/learn/sums/row_sums.h"
#include "runtime/learn/sums/symmetric_eigen.h"
#include "scoring/transform/feature_names.h"

#define CHUNK_ROWS 256

enum pca_phase { PCA_MEANS, PCA_PRODUCTS, PCA_PHASES };

/* Sums of the first phase, and state. The sums end with the magnitudes. */
struct pca_parts {
    double *weight; /* all rows' weight */
    double *means;  /* (inputs): a sum, then the mean */
    double *scales; /* (inputs): the magnitudes' sum, then a power of two */
    double *variance;
    double *variances; /* (components) */
    double *loadings;  /* (components, inputs) */
};

struct pca {
    struct arena space; /* the arrays' memory */
    const struct dataset *dataset;
    uint32_t inputs, components;
    float *row;                        /* (dense_width) */
    double *x;                         /* (CHUNK_ROWS, inputs) */
    double *weights;                   /* (CHUNK_ROWS) */
    double *matrix, *values, *vectors; /* (inputs, inputs), (inputs), (inputs, inputs) */
    float *means, *loadings;
    double *variances; /* (components) */
    struct pca_model content;
};

static size_t loading_count(const struct pca *pca)
{
    return (size_t)pca->components * pca->inputs;
}

static size_t state_count(const struct pca *pca)
{
    return 2 + 2 * (size_t)pca->inputs + pca->components + loading_count(pca);
}

static struct pca_parts parts_of(const struct pca *pca, double *array)
{
    struct pca_parts parts = {.weight = array, .means = array + 1};

    parts.scales = parts.means + pca->inputs;
    parts.variance = parts.scales + pca->inputs;
    parts.variances = parts.variance + 1;
    parts.loadings = parts.variances + pca->components;
    return parts;
}

/* ---- sums ---- */

static uint32_t sums(const void *self, uint64_t phase)
{
    const struct pca *pca = self;

    return phase == PCA_MEANS ? 1 + 2 * pca->inputs : (uint32_t)row_pairs(pca->inputs);
}

static void add_means(const struct pca *pca, const struct row_range *rows, double *added)
{
    const struct pca_parts parts = parts_of(pca, added);

    for (uint64_t row = rows->first; row < rows->end; row++) {
        const double weight = newton_row_weight(pca->dataset, row);

        number_row_take(pca->dataset, row, pca->row, pca->x);
        *parts.weight += weight;
        for (uint32_t i = 0; i < pca->inputs; i++) {
            parts.means[i] += weight * pca->x[i];
            parts.scales[i] += weight * fabs(pca->x[i]);
        }
    }
}

static void take_chunk(const struct pca *pca, uint64_t first, uint32_t count,
                       const struct pca_parts *parts)
{
    for (uint32_t at = 0; at < count; at++) {
        double *x = pca->x + (size_t)at * pca->inputs;

        number_row_take(pca->dataset, first + at, pca->row, x);
        for (uint32_t i = 0; i < pca->inputs; i++)
            x[i] = (x[i] - parts->means[i]) / parts->scales[i];
        pca->weights[at] = newton_row_weight(pca->dataset, first + at);
    }
}

static void add_products(const struct pca *pca, const struct row_range *rows, const double *state,
                         double *added)
{
    const struct pca_parts parts = parts_of(pca, (double *)(uintptr_t)state);
    struct row_products products = {.columns = pca->inputs,
                                    .x = pca->x,
                                    .weights = pca->weights,
                                    .stride = 1,
                                    .products = added};

    for (uint64_t row = rows->first; row < rows->end; row += products.rows) {
        const uint64_t rest = rows->end - row;

        products.rows = rest < CHUNK_ROWS ? (uint32_t)rest : CHUNK_ROWS;
        take_chunk(pca, row, products.rows, &parts);
        row_products_add(&products, rows->team);
    }
}

static enum status add(void *self, const struct row_range *rows, const double *state, double *added,
                       struct error *err)
{
    (void)err;
    if (rows->phase == PCA_MEANS)
        add_means(self, rows, added);
    else
        add_products(self, rows, state, added);
    return STATUS_OK;
}

/* ---- apply ---- */

/* The power of two that is next to it from below; 1 for 0. */
static double power_below(double magnitude)
{
    int exponent;

    if (!(magnitude > 0))
        return 1;
    frexp(magnitude, &exponent);
    return ldexp(1, exponent - 1);
}

static void apply_means(const struct pca *pca, const double *totals, double *state)
{
    const struct pca_parts parts = parts_of(pca, state);

    for (uint32_t i = 0; i < 1 + 2 * pca->inputs; i++)
        state[i] = totals[i];
    for (uint32_t i = 0; i < pca->inputs; i++) {
        parts.means[i] /= *parts.weight;
        parts.scales[i] = power_below(parts.scales[i] / *parts.weight);
    }
}

/* The covariances, in units of the greatest of their magnitudes. */
static double fill_matrix(const struct pca *pca, const double *totals,
                          const struct pca_parts *parts)
{
    const size_t inputs = pca->inputs;
    const double freedom = *parts->weight > 1 ? *parts->weight - 1 : 1;
    double greatest = 0, unit;

    row_products_unfold(pca->inputs, totals, pca->matrix, inputs);
    for (size_t i = 0; i < inputs; i++)
        for (size_t j = 0; j < inputs; j++) {
            double *element = &pca->matrix[i * inputs + j];

            *element = *element / freedom * parts->scales[i] * parts->scales[j];
            greatest = fabs(*element) > greatest ? fabs(*element) : greatest;
        }
    unit = power_below(greatest);
    for (size_t i = 0; i < inputs * inputs; i++)
        pca->matrix[i] /= unit;
    return greatest > 0 ? unit : 0;
}

static enum status apply_products(const struct pca *pca, const double *totals, double *state,
                                  struct error *err)
{
    const struct pca_parts parts = parts_of(pca, state);
    const double unit = fill_matrix(pca, totals, &parts);

    if (unit == 0 || !isfinite(unit))
        return fail(err, STATUS_FAILED, "all inputs are constant, so that there is no component"),
               error_hint(err, "Select columns that differ from row to row.");
    *parts.variance = 0;
    for (uint32_t i = 0; i < pca->inputs; i++)
        *parts.variance += pca->matrix[(size_t)i * (pca->inputs + 1)] * unit;
    TRY(symmetric_eigen(pca->inputs, pca->matrix, pca->values, pca->vectors, err));
    for (uint32_t i = 0; i < pca->components; i++)
        parts.variances[i] = pca->values[i] > 0 ? pca->values[i] * unit : 0;
    for (size_t i = 0; i < loading_count(pca); i++)
        parts.loadings[i] = pca->vectors[i];
    return STATUS_OK;
}

static enum status apply(void *self, uint64_t phase, double *totals, double *state,
                         struct learner_report *report, bool *is_last, struct error *err)
{
    const struct pca *pca = self;

    report->train_loss = NAN;
    if (phase == PCA_MEANS) {
        apply_means(pca, totals, state);
        return STATUS_OK;
    }
    *is_last = true;
    return apply_products(pca, totals, state, err);
}

/* ---- the model ---- */

static void fill(void *self, const double *state, struct model *model)
{
    struct pca *pca = self;
    const struct pca_parts parts = parts_of(pca, (double *)(uintptr_t)state);

    for (uint32_t i = 0; i < pca->inputs; i++)
        pca->means[i] = (float)parts.means[i];
    for (size_t i = 0; i < loading_count(pca); i++)
        pca->loadings[i] = (float)parts.loadings[i];
    for (uint32_t i = 0; i < pca->components; i++)
        pca->variances[i] = parts.variances[i];
    pca->content = (struct pca_model){pca->components, pca->inputs,    pca->means,
                                      pca->loadings,   pca->variances, *parts.variance};
    model->content = &pca->content;
    model->components = pca->components;
}

/* ---- open ---- */

static void pca_close(void *self)
{
    struct pca *pca = self;

    arena_deinit(&pca->space);
}

/* Components that can differ from row to row: a row has one word of each category, so that one of
 * its columns follows from the others. */
static uint32_t rank_of(const struct transform *transform)
{
    uint32_t rank = spread_number_count(transform);

    for (uint32_t i = 0; i < transform->input_count; i++) {
        const struct transform_input *input = &transform->inputs[i];

        if (input->spec.type == INPUT_CATEGORY && feature_count(input) > 1)
            rank += feature_count(input) - 1;
    }
    return rank > 0 ? rank : 1;
}

static enum status check_plan(const struct pca *pca, const struct jobspec *spec, uint32_t rank,
                              struct error *err)
{
    const struct kind_shape shape = {.task = spec->task, .dense = pca->inputs};
    const struct kind_cost cost = pca_kind.cost(&spec->params, &shape);
    const uint64_t rows = pca->dataset->train.rows;
    char who[100];

    TRY(pca_check(&spec->params, pca->inputs, rank, err));
    snprintf(who, sizeof who, "principal components of %u inputs", pca->inputs);
    return learner_check_bytes(spec, rows, job_learner_bytes(&cost, false, (double)rows), who,
                               "Select fewer columns.", err);
}

static enum status allocate(struct pca *pca, struct error *err)
{
    struct arena *space = &pca->space;
    const size_t inputs = pca->inputs;

    pca->row = arena_alloc_array(space, pca->dataset->transform.dense_width + 1, sizeof *pca->row);
    pca->x = arena_alloc_array(space, CHUNK_ROWS * inputs, sizeof *pca->x);
    pca->weights = arena_alloc_array(space, CHUNK_ROWS, sizeof *pca->weights);
    pca->matrix = arena_alloc_array(space, inputs * inputs, sizeof *pca->matrix);
    pca->values = arena_alloc_array(space, inputs, sizeof *pca->values);
    pca->vectors = arena_alloc_array(space, inputs * inputs, sizeof *pca->vectors);
    pca->means = arena_alloc_array(space, inputs, sizeof *pca->means);
    pca->loadings = arena_alloc_array(space, loading_count(pca), sizeof *pca->loadings);
    pca->variances = arena_alloc_array(space, pca->components, sizeof *pca->variances);
    return pca->row && pca->x && pca->weights && pca->matrix && pca->values && pca->vectors &&
                   pca->means && pca->loadings && pca->variances
               ? STATUS_OK
               : fail_no_memory(err);
}

static enum status plan(void *self, const struct jobspec *spec, const struct dataset *dataset,
                        struct row_sums_plan *plan, struct error *err)
{
    const uint32_t rank = rank_of(&dataset->transform);
    struct pca *pca = self;

    arena_init(&pca->space, SIZE_MAX);
    pca->dataset = dataset;
    pca->inputs = spread_numbers_width(&dataset->transform);
    pca->components = pca_components(&spec->params, rank);
    TRY(check_plan(pca, spec, rank, err));
    TRY(allocate(pca, err));
    plan->state_count = state_count(pca);
    plan->sums_most = sums(pca, PCA_PRODUCTS) > sums(pca, PCA_MEANS) ? sums(pca, PCA_PRODUCTS)
                                                                     : sums(pca, PCA_MEANS);
    plan->lane_work = 2 * (uint64_t)plan->sums_most;
    plan->row_work = 2 * (double)loading_count(pca);
    plan->steps_most = PCA_PHASES;
    return STATUS_OK;
}

const struct row_sums_method pca_method = {
    .bytes = sizeof(struct pca),
    .step = "pass",
    .first_step = PCA_MEANS,
    .plan = plan,
    .close = pca_close,
    .sums = sums,
    .add = add,
    .apply = apply,
    .fill = fill,
};
