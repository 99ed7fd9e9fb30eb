#include "kinds/regression/regression_kind.h"

#include <math.h>

#include "kinds/network/network_kind.h"
#include "kinds/regression/regression_formulas.h"
#include "kinds/regression/regression_inside.h"
#include "kinds/regression/regression_model.h"
#include "kinds/regression/regression_score.h"
#include "params/attribute_rows.h"
#include "scoring/numbers/elementary.h"

_Static_assert(sizeof(struct regression_params) <= KIND_PARAMS_BYTES, "they fit into a job spec");

/* ---- statements ---- */

ATTRIBUTE_TABLE(regression_attributes, struct regression_params, REGRESSION_ATTRIBUTES)

/* The memory of runtime/learn/sums/regression.c: for each coefficient some numbers of the state,
 * twice where one is taken; sums of the products of all pairs of columns for each pair of
 * equations, two integers each, and their totals; the whole matrix; and the change of basis, twice
 * likewise. */
static struct kind_cost cost(const struct kind_params *params, const struct kind_shape *shape)
{
    const double equations =
        shape->task == TASK_CLASSIFICATION && shape->classes > 2 ? shape->classes - 1 : 1;
    const double all = shape->dense + shape->id_rows + 1;
    const double columns = all < REGRESSION_COLUMNS_MAX ? all : REGRESSION_COLUMNS_MAX;
    const double weights = columns * equations, read = shape->dense + shape->ids + 1;
    const double sums = weights + equations * (equations + 1) / 2 * columns * (columns + 1) / 2;
    const double dense = shape->dense + 1 < columns ? shape->dense + 1 : columns;
    const double turns = shape->task == TASK_REGRESSION ? 2 : 8; /* the usual number */
    (void)params;

    return (struct kind_cost){
        .parameters = weights,
        .multiplications = read * equations,
        .bytes = (sums * 5 + weights * (weights + 15) + 2 * dense * (dense + 1)) * sizeof(double),
        .learning = turns * weights * weights * weights,
        .row_learning = turns * equations * (equations + 1) / 2 * read * read / 2,
    };
}

static void explain(const struct kind_params *params, const struct kind_shape *shape,
                    struct text *detail)
{
    const double inputs = shape->dense + shape->ids;

    text_printf(detail, "of %.0f input%s, with standard errors, by ", inputs,
                inputs == 1 ? "" : "s");
    if (shape->task == TASK_REGRESSION)
        text_append_string(detail, "least squares: two passes over the rows");
    else
        text_printf(detail, "Newton's steps: at most %u passes over the rows",
                    regression_params(params)->iterations);
}

/* ---- stored models ---- */

static void write_content(const struct model *model, cJSON *object)
{
    const struct regression_model *regression = regression_of(model);
    cJSON *numbers;

    network_write_content(model, object);
    numbers = json_add_array(object, "coefficients");
    for (size_t i = 0; i < (size_t)regression->equations * regression->columns; i++) {
        json_append(numbers, json_real(regression->coefficients[i].value));
        json_append(numbers, json_real(regression->coefficients[i].error));
    }
    json_add_reals(object, "fit", (const double *)(const void *)&regression->fit,
                   REGRESSION_FIT_NUMBERS);
}

static bool is_possible(const struct regression_fit *fit, uint64_t coefficients)
{
    return fit->rows >= 1 && fit->parameters >= 0 && fit->parameters <= (double)coefficients;
}

static enum status read_content(const cJSON *object, struct arena *arena, struct model *model,
                                struct error *err)
{
    struct regression_model *regression = ARENA_NEW(arena, struct regression_model, 1);
    struct regression_coefficient *coefficients;
    uint64_t count;

    TRY(network_read_content(object, arena, model, err));
    if (!regression)
        return fail_no_memory(err);
    regression->network = *network_of(model);
    model->content = regression;
    regression->equations = regression_equations(model->task, model->labels.count);
    regression->columns = regression->network.layers[0].rows + 1;
    count = (uint64_t)regression->equations * regression->columns;
    if (regression->network.layer_count != 1 || count > REGRESSION_COLUMNS_MAX)
        return fail(err, STATUS_CORRUPT, "model: a regression of %u layers and %llu coefficients",
                    regression->network.layer_count, (unsigned long long)count);
    coefficients = ARENA_NEW(arena, struct regression_coefficient, count);
    if (!coefficients)
        return fail_no_memory(err);
    regression->coefficients = coefficients;
    TRY(json_get_reals(object, "coefficients", 2 * count, (double *)(void *)coefficients, err));
    TRY(json_get_reals(object, "fit", REGRESSION_FIT_NUMBERS, (double *)(void *)&regression->fit,
                       err));
    if (!is_possible(&regression->fit, count))
        return fail(err, STATUS_CORRUPT, "model: no fit has such numbers");
    return STATUS_OK;
}

/* The bits of all numbers of the meta row. */
static bool number_of(const struct model *model, uint32_t i, uint64_t *number)
{
    const struct regression_model *regression = regression_of(model);
    const uint32_t count = 2 * regression->equations * regression->columns;
    const double *coefficients = (const double *)(const void *)regression->coefficients;
    const double *fit = (const double *)(const void *)&regression->fit;

    if (i >= count + REGRESSION_FIT_NUMBERS)
        return false;
    *number = double_bits(i < count ? coefficients[i] : fit[i - count]);
    return true;
}

static void params_of(const struct model *model, struct kind_params *params)
{
    (void)model;
    (void)params;
}

static enum far_values far_values_of(const struct kind_params *params)
{
    (void)params;
    return FAR_TOLD;
}

/* A regression has no other loss. */
static bool squares_errors(const struct kind_params *params)
{
    (void)params;
    return true;
}

const struct kind regression_kind = {
    .name = "regression",
    .weighs_each_class = true,
    .attributes = &regression_attributes,
    .sections = (const char *const[]){NULL},
    .without =
        (const char *const[]){"train.batch_size", "train.epoch", "train.max_steps",
                              "train.max_seconds", "train.shuffle", "train.early_stopping",
                              "train.class_weight", "train.label_upper_bound", "model.standardize",
                              "train.base_margin", "train.exposure", NULL},
    .takes_no_texts = true,
    .has_rests = true,
    .cost = cost,
    .far_values = far_values_of,
    .squares_errors = squares_errors,
    .size_hint = "Coefficients and the sums of products of all pairs of columns are counted; "
                 "select fewer columns, or keep fewer distinct values by VOCABULARY(column, n).",
    .held = "coefficients and the sums of products of all pairs of columns",
    .is_at_most = true,
    .explained = "coefficients",
    .explain = explain,
    .write_content = write_content,
    .read_content = read_content,
    .number = number_of,
    .array = network_array_of,
    .params_of = params_of,
    .linear = network_linear_of,
    .insides = regression_insides,
    .outputs = network_outputs_of,
    .row_bytes = regression_row_bytes,
    .open = regression_scorer_open,
    .score = regression_score,
    .close = regression_scorer_close,
    .formulas = regression_formulas,
};
