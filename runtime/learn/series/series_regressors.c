#include "runtime/learn/series/series_regressors.h"

#include <math.h>
#include <stdlib.h>

#include "runtime/learn/series/series_grid.h"

/* By all that they have, so that means do not depend on how rows came. */
static int compare_rows(const void *a, const void *b)
{
    const struct regressor_row *left = a, *right = b;

    if (left->time != right->time)
        return left->time < right->time ? -1 : 1;
    if (left->value != right->value)
        return left->value < right->value ? -1 : 1;
    for (uint32_t i = 0; i < left->width; i++)
        if (left->regressors[i] != right->regressors[i])
            return left->regressors[i] < right->regressors[i] ? -1 : 1;
    return 0;
}

static enum status refuse_null(const struct series_plan *plan, int64_t time, uint32_t regressor,
                               struct error *err)
{
    const struct slice name = slice_prefix(plan->regressor_inputs[regressor].spec.name, 60);
    char text[TIME_BYTES];

    series_time_print(plan, time, text);
    fail(err, STATUS_INVALID, "regressor \"%.*s\" is NULL at %s", SLICE_FORMAT(name), text);
    return error_hint(err, "Give it a value in the SELECT, as in coalesce(%.*s, 0) AS %.*s.",
                      SLICE_FORMAT(name), SLICE_FORMAT(name));
}

enum status series_regressor_rows(const struct series_plan *plan, const struct point *points,
                                  uint32_t count, const double *regressors,
                                  struct regressor_row *rows, uint32_t *row_count,
                                  struct error *err)
{
    const uint32_t width = plan->regressors;

    *row_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        const double *own = regressors + (size_t)i * width;

        if (isnan(points[i].value))
            continue;
        for (uint32_t k = 0; k < width; k++)
            if (isnan(own[k]))
                return refuse_null(plan, points[i].time, k, err);
        rows[(*row_count)++] = (struct regressor_row){points[i].time, points[i].value, own, width};
    }
    qsort(rows, *row_count, sizeof *rows, compare_rows);
    return STATUS_OK;
}

static void lay_out_holidays(const struct series_plan *plan, const struct grid *grid,
                             struct regressors *regressors)
{
    for (uint32_t t = 0; t < grid->count; t++)
        for (uint32_t i = 0; i < series_plan_holidays(plan); i++)
            regressors->values[(size_t)t * regressors->width + plan->regressors + i] = holiday_days(
                &plan->holidays->items[i], &grid->steps, grid->last - grid->count + 1 + t);
}

double series_holiday_effect(const struct series_plan *plan, const double *coefficients,
                             const struct steps *steps, int64_t index)
{
    double sum = 0;

    for (uint32_t i = 0; i < series_plan_holidays(plan); i++)
        if (coefficients[plan->regressors + i] != 0)
            sum += coefficients[plan->regressors + i] *
                   holiday_days(&plan->holidays->items[i], steps, index);
    return sum;
}

/* The bin of a step's first holiday; the last holidays, of more than there are bins, share one. */
static uint8_t bin_of_step(const struct holidays *holidays, const struct steps *steps,
                           int64_t index)
{
    for (uint32_t i = 0; i < holidays->count; i++)
        if (holiday_days(&holidays->items[i], steps, index) > 0)
            return (uint8_t)(i + 1 < POOLED_BINS ? i + 1 : POOLED_BINS - 1);
    return 0;
}

enum status series_holiday_bins(const struct series_plan *plan, const struct grid *grid,
                                struct arena *arena, const uint8_t **bins, struct error *err)
{
    const uint32_t count = grid->count + plan->options.horizon + 2;
    const int64_t first = grid->last - grid->count;
    uint8_t *own;

    *bins = NULL;
    if (!plan->pooled || series_plan_holidays(plan) == 0)
        return STATUS_OK;
    own = ARENA_NEW(arena, uint8_t, count);
    if (!own)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < count; i++)
        own[i] = bin_of_step(plan->holidays, &grid->steps, first + i);
    *bins = own;
    return STATUS_OK;
}

enum status series_regressors_lay_out(const struct series_plan *plan, const struct grid *grid,
                                      const struct regressor_row *rows, uint32_t row_count,
                                      struct arena *arena, struct regressors *regressors,
                                      struct error *err)
{
    const int64_t first = grid->last - grid->count + 1;
    const uint32_t width = regressors->width;
    const size_t all = (size_t)grid->count * width;
    uint32_t same = 0;

    regressors->values = ARENA_NEW(arena, double, all);
    if (!regressors->values)
        return fail_no_memory(err);
    for (size_t i = 0; i < all; i++)
        regressors->values[i] = NAN;
    for (uint32_t i = 0; i < row_count; i++) {
        const int64_t place = steps_index(&grid->steps, rows[i].time) - first;
        double *own = regressors->values + (size_t)place * width;

        same = i > 0 && rows[i - 1].time == rows[i].time ? same + 1 : 1;
        for (uint32_t k = 0; k < plan->regressors; k++)
            own[k] = same == 1 ? rows[i].regressors[k]
                               : own[k] + (rows[i].regressors[k] - own[k]) / same;
    }
    lay_out_holidays(plan, grid, regressors);
    return STATUS_OK;
}
