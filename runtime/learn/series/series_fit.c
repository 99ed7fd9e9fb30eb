#include "runtime/learn/series/series_fit.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "forecast/combined.h"
#include "runtime/learn/series/series_grid.h"

_Static_assert(FORECAST_RECORD_WORDS == (int)RECORD_STEPS &&
                   FORECAST_STEP_WORDS == (int)RECORD_STEP_WORDS &&
                   FORECAST_EXPECTED_WORDS == (int)EXPECTED_WORDS &&
                   FORECAST_HIERARCHY_WORDS == (int)HIERARCHY_ORIGINS &&
                   FORECAST_ORIGIN_WORDS == (int)ORIGIN_STEPS &&
                   FORECAST_PAST_WORDS == (int)PAST_WORDS,
               "EXPLAIN counts what is learned");

#define PAST_LEAST 4 /* values before a step that is forecast to measure the errors */

/* ---- the plan ---- */

enum status series_plan_make(const struct forecast_params *params, bool are_numbers,
                             struct series_plan *plan, struct error *err)
{
    struct forecast_options *options = &plan->options;

    *plan = (struct series_plan){.duplicates = (enum duplicates)params->duplicates,
                                 .gaps = (enum forecast_gaps)params->gaps,
                                 .backtests = params->backtests,
                                 .are_numbers = are_numbers,
                                 .limits = forecast_limits_of(params),
                                 .hierarchy = (enum forecast_hierarchy)params->hierarchy,
                                 .has_seasons = params->seasons.count > 0};
    TRY(forecast_method(slice_of(forecast_method_words[params->method]), &options->method, err));
    options->horizon = params->horizon;
    options->history = params->history;
    options->level = params->level;
    options->season_is_given = params->seasons.count == 1;
    options->has_order = forecast_order(params, &options->order);
    for (uint32_t i = 0; i < params->seasons.count; i++)
        forecast_add_season(options, params->seasons.items[i]);
    return STATUS_OK;
}

enum status series_plan_settle(struct series_plan *plan, const struct steps *steps,
                               struct error *err)
{
    struct forecast_options *options = &plan->options;

    plan->steps = *steps;
    if (!plan->has_seasons)
        options->season_count = steps_seasons(steps, options->seasons);
    if (!forecast_lacks_season(options))
        return STATUS_OK;
    fail(err, STATUS_INVALID, "%s needs a season, and these times have none",
         options->has_order ? "forecast.seasonal_order" : "MSTL");
    return error_hint(err, "Give its steps, as in forecast.season = 12.");
}

/* ---- regressors ---- */

struct regressor_row {
    int64_t time;
    double value;
    const double *regressors;
    uint32_t width;
};

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

/* Rows (count_max) of points that have a value, in their order; how many. */
static enum status list_rows(const struct series_plan *plan, const struct point *points,
                             uint32_t count, const double *regressors, struct regressor_row *rows,
                             uint32_t *row_count, struct error *err)
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

/* The rows' regressors at the places of the grid, NAN where none has a value; of several of one
 * time their mean. */
static enum status lay_out(const struct grid *grid, const struct regressor_row *rows,
                           uint32_t row_count, struct arena *arena, struct regressors *regressors,
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
        for (uint32_t k = 0; k < width; k++)
            own[k] = same == 1 ? rows[i].regressors[k]
                               : own[k] + (rows[i].regressors[k] - own[k]) / same;
    }
    return STATUS_OK;
}

/* The forecast of the values, and where there are regressors the coefficients. known (count,
 * width): copied. */
static enum status forecast_values(const struct forecast_options *options, double *values,
                                   uint32_t count, const struct regressors *known,
                                   struct arena *arena, struct forecast *forecast,
                                   double *coefficients, struct error *err)
{
    const size_t all = (size_t)count * known->width;
    struct regressors own = *known;

    if (known->width == 0)
        return forecast_run(values, count, options, arena, forecast, err);
    own.values = ARENA_NEW(arena, double, all);
    if (!own.values)
        return fail_no_memory(err);
    memcpy(own.values, known->values, all * sizeof *own.values);
    return regressors_run(values, count, &own, options, arena, forecast, coefficients, err);
}

/* ---- errors of the past, step by step ---- */

/* Adds to step h what the regressors of a place tell; false: they are not known, as where a gap was
 * filled. */
static bool add_regressors(const struct regressors *known, const double *coefficients,
                           uint32_t place, bool is_positive, struct forecast *forecast, uint32_t h)
{
    const double sum =
        regressors_sum(coefficients, known->values + (size_t)place * known->width, known->width);
    double *const bounds[] = {&forecast->values[h], &forecast->lower[h], &forecast->upper[h]};

    if (isnan(sum))
        return false;
    for (int i = 0; i < 3; i++) {
        *bounds[i] += sum;
        if (is_positive && *bounds[i] < 0)
            *bounds[i] = 0;
    }
    return true;
}

static void limit(const struct forecast_limits *limits, struct forecast *forecast, uint32_t h)
{
    forecast->lower[h] = forecast_limited_lower(limits, forecast->lower[h]);
    forecast->values[h] = forecast_limited_value(limits, forecast->values[h]);
    forecast->upper[h] = forecast_limited_upper(limits, forecast->upper[h]);
}

/* Compares the forecast that `origin` would have had with the values that came. ratios (horizon;
 * NULL: nobody asks): as records have them. */
static enum status add_past(const struct series_plan *plan, const double *values, uint32_t count,
                            const struct regressors *known, uint32_t origin, bool is_positive,
                            struct arena *arena, struct series_errors *errors, double *ratios,
                            struct error *err)
{
    double *past = ARENA_NEW(arena, double, origin), coefficients[REGRESSORS_MAX];
    struct forecast_options options = plan->options;
    struct forecast forecast;
    struct series_scale scale;

    if (!past)
        return fail_no_memory(err);
    options.history = 0;
    memcpy(past, values, origin * sizeof *past);
    TRY(forecast_values(&options, past, origin, known, arena, &forecast, coefficients, err));
    scale = series_scale_of(values, origin, forecast.season);
    for (uint32_t h = 0; h < plan->options.horizon && origin + h < count; h++) {
        const double value = values[origin + h];

        if (isnan(value))
            continue;
        if (known->width > 0 &&
            !add_regressors(known, coefficients, origin + h, is_positive, &forecast, h))
            continue;
        if (ratios && forecast.deviations[h] > 0) /* without limits: forecast_limits.h */
            ratios[h] = fabs(value - forecast.values[h]) / forecast.deviations[h];
        limit(&plan->limits, &forecast, h);
        series_errors_add(
            errors,
            &(struct series_guess){forecast.values[h], forecast.lower[h], forecast.upper[h]}, value,
            series_naive(values, origin, h + 1, forecast.season), &scale);
    }
    return STATUS_OK;
}

static bool is_positive(const struct grid *grid)
{
    for (uint32_t i = 0; i < grid->count; i++)
        if (grid->values[i] < 0)
            return false;
    return true;
}

static enum status measure_past(const struct series_plan *plan, const struct grid *grid,
                                const struct regressors *known, struct arena *arena,
                                struct series_errors *errors, double *ratios, struct error *err)
{
    const bool is_cut = is_positive(grid) && plan->options.method == &combined_method;

    for (uint32_t i = 1; i <= plan->backtests; i++) {
        const uint64_t back = (uint64_t)i * plan->options.horizon;

        if (grid->count < back + PAST_LEAST)
            break;
        TRY(add_past(plan, grid->values, grid->count, known, grid->count - (uint32_t)back, is_cut,
                     arena, errors, i == 1 ? ratios : NULL, err));
    }
    return STATUS_OK;
}

/* ---- the past of a series of a hierarchy ---- */

/* One step that nothing is known of, and of which nothing is expected, as where a series had not
 * begun: it adds nothing to its totals. */
static void put_nothing(const struct grid *grid, int64_t place, int64_t *step)
{
    step[PAST_VALUE] = record_bits(place >= 0 ? grid->values[place] : NAN);
    step[PAST_FORECAST] = step[PAST_DEVIATION] = record_bits(0);
    step[PAST_NAIVE] = record_bits(NAN);
}

/* Too few values before an origin are no measure, but what is forecast of them is part of the
 * totals. */
static enum status put_origin(const struct series_plan *plan, const struct grid *grid,
                              uint64_t back, struct arena *arena, int64_t *words, struct error *err)
{
    const uint32_t horizon = plan->options.horizon;
    const uint32_t origin = grid->count > back ? grid->count - (uint32_t)back : 0;
    int64_t *step = words + ORIGIN_STEPS;
    struct forecast_options options = plan->options;
    double *past = ARENA_NEW(arena, double, origin + 1);
    struct forecast forecast;
    struct series_scale scale;

    if (!past)
        return fail_no_memory(err);
    words[ORIGIN_SCALE] = words[ORIGIN_SQUARES] = record_bits(-1);
    for (uint32_t h = 0; h < horizon && origin == 0; h++, step += PAST_WORDS)
        put_nothing(grid, (int64_t)grid->count - (int64_t)back + h, step);
    if (origin == 0)
        return STATUS_OK;
    options.history = 0;
    memcpy(past, grid->values, origin * sizeof *past);
    TRY(forecast_run(past, origin, &options, arena, &forecast, err));
    scale = series_scale_of(grid->values, origin, forecast.season);
    if (origin >= PAST_LEAST) {
        words[ORIGIN_SCALE] = record_bits(scale.absolute);
        words[ORIGIN_SQUARES] = record_bits(scale.squares);
    }
    for (uint32_t h = 0; h < horizon; h++, step += PAST_WORDS) {
        step[PAST_VALUE] = record_bits(grid->values[origin + h]);
        step[PAST_FORECAST] = record_bits(forecast.values[h]);
        step[PAST_DEVIATION] = record_bits(forecast.deviations[h]);
        step[PAST_NAIVE] = record_bits(series_naive(grid->values, origin, h + 1, forecast.season));
    }
    return STATUS_OK;
}

static enum status put_hierarchy(const struct series_plan *plan, const struct grid *grid,
                                 struct arena *arena, int64_t *record, struct error *err)
{
    int64_t *words = record + series_plan_hierarchy(plan);
    double largest = 0;

    for (uint32_t i = 0; i < grid->count; i++)
        largest = fabs(grid->values[i]) > largest ? fabs(grid->values[i]) : largest;
    words[HIERARCHY_LARGEST] = record_bits(largest);
    words[HIERARCHY_LENGTH] = grid->count;
    for (uint32_t i = 0; i < plan->backtests; i++)
        TRY(put_origin(plan, grid, (uint64_t)(i + 1) * plan->options.horizon, arena,
                       record + series_plan_origin(plan, i), err));
    return STATUS_OK;
}

/* ---- the record ---- */

/* Can a model, whose numbers are floats, keep it? */
static bool is_kept(const struct forecast *forecast, uint32_t i)
{
    const double expected = fabs(forecast->expected[i]);

    return expected <= (double)FLT_MAX && forecast->expected_deviations[i] <= (double)FLT_MAX;
}

/* Steps before those that are expected have nothing. */
static void put_history(const struct series_plan *plan, const struct forecast *forecast,
                        int64_t *record)
{
    const uint32_t history = plan->options.history, first = history - forecast->expected_count;

    record += series_record_history(plan->options.horizon);
    for (uint32_t i = 0; i < history; i++, record += EXPECTED_WORDS) {
        const bool has_any = i >= first && is_kept(forecast, i - first);

        record[EXPECTED_VALUE] = record_bits(has_any ? forecast->expected[i - first] : 0);
        record[EXPECTED_DEVIATION] =
            record_bits(has_any ? forecast->expected_deviations[i - first] : -1);
    }
}

static enum status put_forecast(const struct series_plan *plan, const struct grid *grid,
                                const struct regressors *known, const double *ratios,
                                struct arena *arena, int64_t *record, struct error *err)
{
    int64_t *coefficient =
        record + series_record_coefficients(plan->options.horizon, plan->options.history);
    double coefficients[REGRESSORS_MAX];
    struct forecast forecast;

    if (!steps_has(&grid->steps, grid->last + plan->options.horizon))
        return fail(err, STATUS_INVALID, "the forecast goes beyond the year 9999, or 2^53");
    record[RECORD_POSITIVE] = is_positive(grid) && plan->options.method == &combined_method;
    TRY(forecast_values(&plan->options, grid->values, grid->count, known, arena, &forecast,
                        coefficients, err));
    for (uint32_t i = 0; i < known->width; i++)
        coefficient[i] = record_bits(coefficients[i]);
    record[RECORD_COUNT] = grid->known;
    record[RECORD_FIRST] = grid->steps.first;
    record[RECORD_LAST] = grid->last;
    record[RECORD_SEASON] = forecast.season;
    for (uint32_t h = 0; h < plan->options.horizon; h++) {
        int64_t *step = record + RECORD_STEPS + (size_t)h * RECORD_STEP_WORDS;

        step[RECORD_VALUE] = record_bits(forecast.values[h]);
        step[RECORD_DEVIATION] = record_bits(forecast.deviations[h]);
        step[RECORD_RATIO] = record_bits(ratios[h]);
    }
    put_history(plan, &forecast, record);
    return STATUS_OK;
}

static void clear(const struct series_plan *plan, int64_t *record)
{
    memset(record, 0, series_plan_words(plan) * sizeof *record);
}

/* The record of a grid with a value. */
static enum status fit_grid(const struct series_plan *plan, struct grid *grid,
                            const struct regressors *known, struct arena *arena, int64_t *record,
                            struct error *err)
{
    const uint32_t horizon = plan->options.horizon;
    double *ratios = ARENA_NEW(arena, double, horizon);
    struct series_errors errors = {0};

    if (!ratios)
        return fail_no_memory(err);
    for (uint32_t h = 0; h < horizon; h++)
        ratios[h] = -1;
    if (plan->hierarchy == HIERARCHY_NONE)
        TRY(measure_past(plan, grid, known, arena, &errors, ratios, err));
    else
        TRY(put_hierarchy(plan, grid, arena, record, err));
    memcpy(record + RECORD_ERRORS, &errors, sizeof errors);
    return put_forecast(plan, grid, known, ratios, arena, record, err);
}

enum status series_fit_grid(const struct series_plan *plan, struct grid *grid, struct arena *arena,
                            int64_t *record, struct error *err)
{
    clear(plan, record);
    return fit_grid(plan, grid, &(struct regressors){.width = 0}, arena, record, err);
}

enum status series_fit(const struct series_plan *plan, struct point *points, uint32_t count,
                       const double *regressors, struct arena *arena, int64_t *record,
                       struct error *err)
{
    struct regressors known = {.width = plan->regressors};
    struct regressor_row *rows = NULL;
    uint32_t row_count = 0;
    struct grid grid;

    clear(plan, record);
    if (known.width > 0) {
        rows = ARENA_NEW(arena, struct regressor_row, count);
        if (!rows)
            return fail_no_memory(err);
        TRY(list_rows(plan, points, count, regressors, rows, &row_count, err));
    }
    TRY(series_grid(plan, points, count, arena, &grid, err));
    if (grid.count == 0)
        return STATUS_OK;
    if (known.width > 0)
        TRY(lay_out(&grid, rows, row_count, arena, &known, err));
    return fit_grid(plan, &grid, &known, arena, record, err);
}
