#include "kinds/regression/regression_inside.h"

#include <math.h>

#include "base/cell_values.h"
#include "kinds/regression/regression_model.h"
#include "scoring/label_names.h"
#include "scoring/numbers/elementary.h"
#include "scoring/numbers/tails.h"
#include "scoring/transform/feature_names.h"

#define INTERVAL_OUTSIDE 0.05
#define LOG_2_PI         0x1.d67f1c864beb5p+0
#define FIT_ROWS_MAX     20

/* ---- coefficients ---- */

enum {
    COEFFICIENT_VALUE,
    COEFFICIENT_ERROR,
    COEFFICIENT_STATISTIC,
    COEFFICIENT_P,
    COEFFICIENT_LOW,
    COEFFICIENT_HIGH,
    COEFFICIENT_NUMBERS
};

static const char *const *coefficient_columns(enum task task)
{
    static const char *const names[] = {"name",    "coefficient", "standard_error", "statistic",
                                        "p_value", "low",         "high",           NULL};
    static const char *const of_classes[] = {
        "name", "class", "coefficient", "standard_error", "statistic", "p_value",
        "low",  "high",  NULL};

    return task == TASK_CLASSIFICATION ? of_classes : names;
}

/* The residuals' degrees of freedom; infinite where the statistic is normal. */
static double freedom_of(const struct model *model)
{
    const struct regression_fit *fit = &regression_of(model)->fit;

    return model->task == TASK_REGRESSION ? fit->rows - fit->parameters : INFINITY;
}

static void put_numbers(const struct regression_coefficient *coefficient, double freedom,
                        double bound, struct cell cells[COEFFICIENT_NUMBERS])
{
    const double value = coefficient->value, error = coefficient->error;
    const double statistic = value / error;

    for (int i = 0; i < COEFFICIENT_NUMBERS; i++)
        cells[i] = cell_null();
    if (error == REGRESSION_LEFT_OUT)
        return;
    cells[COEFFICIENT_VALUE] = cell_real(value);
    if (error < 0)
        return;
    cells[COEFFICIENT_ERROR] = cell_real(error);
    cells[COEFFICIENT_LOW] = cell_real(value - bound * error);
    cells[COEFFICIENT_HIGH] = cell_real(value + bound * error);
    if (!isfinite(statistic)) /* all rows lie on the line */
        return;
    cells[COEFFICIENT_STATISTIC] = cell_real(statistic);
    cells[COEFFICIENT_P] = cell_real(student_tail(statistic, freedom));
}

/* Behind those that are there. */
static void put_coefficients(const struct model *model, uint32_t equation,
                             const struct slice *names, const struct slice *classes,
                             struct cell **cells)
{
    const struct regression_model *regression = regression_of(model);
    const bool has_classes = model->task == TASK_CLASSIFICATION;
    const double freedom = freedom_of(model);
    const double bound = freedom > 0 ? student_bound(INTERVAL_OUTSIDE, freedom) : 0;

    for (uint32_t j = 0; j < regression->columns; j++) {
        if (names[j].size == 0)
            continue;
        *(*cells)++ = cell_text(names[j]);
        if (has_classes)
            *(*cells)++ = cell_text(classes[equation + 1]);
        put_numbers(&regression->coefficients[(size_t)equation * regression->columns + j], freedom,
                    bound, *cells);
        *cells += COEFFICIENT_NUMBERS;
    }
}

static enum status coefficient_rows(const struct model *model, struct arena *arena,
                                    struct cell **cells, size_t *rows, struct error *err)
{
    const struct regression_model *regression = regression_of(model);
    const size_t width = COEFFICIENT_NUMBERS + (model->task == TASK_CLASSIFICATION ? 2 : 1);
    struct slice *names, *classes;
    struct cell *end;

    end = *cells =
        ARENA_NEW(arena, struct cell, (size_t)regression->equations * regression->columns * width);
    if (!*cells)
        return fail_no_memory(err);
    TRY(feature_names(&model->transform, arena, &names, err));
    TRY(label_names(&model->labels, arena, &classes, err));
    for (uint32_t k = 0; k < regression->equations; k++)
        put_coefficients(model, k, names, classes, &end);
    *rows = (size_t)(end - *cells) / width;
    return STATUS_OK;
}

/* ---- the fit ---- */

static const char *const *fit_columns(enum task task)
{
    static const char *const names[] = {"name", "value", NULL};
    (void)task;

    return names;
}

struct fit_rows {
    struct cell *cells;
    size_t count;
};

static void put(struct fit_rows *rows, const char *name, double value)
{
    struct cell *row = rows->cells + 2 * rows->count++;

    row[0] = cell_string(name);
    row[1] = isfinite(value) ? cell_real(value) : cell_null();
}

/* Parameters that are counted in an information criterion are those of `fit`. */
static void put_likelihood(struct fit_rows *rows, const struct regression_fit *fit,
                           double likelihood)
{
    put(rows, "log-likelihood", likelihood);
    put(rows, "AIC", 2 * fit->parameters - 2 * likelihood);
    put(rows, "BIC", logarithm_double(fit->rows) * fit->parameters - 2 * likelihood);
}

/* Normal errors; weights of rows have no part in it. */
static double number_likelihood(const struct regression_fit *fit)
{
    if (!(fit->fitted > 0) || fit->is_weighted > 0)
        return NAN;
    return -fit->rows / 2 * (LOG_2_PI + logarithm_double(fit->fitted / fit->rows) + 1);
}

static void put_number_fit(struct fit_rows *rows, const struct regression_fit *fit)
{
    const double explained = fit->parameters - 1, rest = fit->rows - fit->parameters;
    const double r2 = 1 - fit->fitted / fit->null;
    const double f = (fit->null - fit->fitted) / explained / (fit->fitted / rest);
    const bool has_test = explained > 0 && rest > 0;

    put(rows, "degrees of freedom, residuals", rest);
    put(rows, "R2", r2);
    put(rows, "adjusted R2", rest > 0 ? 1 - (1 - r2) * (fit->rows - 1) / rest : NAN);
    put(rows, "residual standard error", rest > 0 ? sqrt(fit->fitted / rest) : NAN);
    put(rows, "F statistic", has_test ? f : NAN);
    put(rows, "p-value of F", has_test && isfinite(f) ? fisher_tail(f, explained, rest) : NAN);
    put_likelihood(rows, fit, number_likelihood(fit));
}

/* The likelihood of intercepts is that of the classes' shares: with offsets there is none. */
static void put_class_fit(struct fit_rows *rows, const struct regression_fit *fit,
                          uint32_t equations, bool has_offset)
{
    const double null = has_offset ? NAN : fit->null;
    const double ratio = 2 * (fit->fitted - null), tested = fit->parameters - equations;

    put(rows, "degrees of freedom, residuals", fit->rows - fit->parameters);
    put(rows, "pseudo R2", 1 - fit->fitted / null);
    put(rows, "log-likelihood of intercepts", null);
    put(rows, "likelihood ratio", ratio);
    put(rows, "p-value of the ratio",
        tested > 0 && !has_offset ? chi_square_tail(ratio, tested) : NAN);
    put_likelihood(rows, fit, fit->fitted);
}

static enum status fit_rows(const struct model *model, struct arena *arena, struct cell **cells,
                            size_t *count, struct error *err)
{
    const struct regression_model *regression = regression_of(model);
    struct fit_rows rows = {.cells = ARENA_NEW(arena, struct cell, 2 * FIT_ROWS_MAX)};

    *cells = rows.cells;
    if (!rows.cells)
        return fail_no_memory(err);
    put(&rows, "rows", regression->fit.rows);
    put(&rows, "coefficients", regression->fit.parameters);
    if (model->task == TASK_REGRESSION)
        put_number_fit(&rows, &regression->fit);
    else
        put_class_fit(&rows, &regression->fit, regression->equations,
                      model->transform.offset_width > 0);
    *count = rows.count;
    return STATUS_OK;
}

const struct model_inside regression_insides[] = {
    {"coefficients", coefficient_columns, coefficient_rows},
    {"fit", fit_columns, fit_rows},
    {NULL, NULL, NULL},
};
