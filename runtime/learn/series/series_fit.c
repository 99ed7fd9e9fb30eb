#include "runtime/learn/series/series_fit.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "forecast/combined.h"
#include "forecast/time_text.h"

_Static_assert(FORECAST_RECORD_WORDS == (int)RECORD_STEPS &&
                   FORECAST_STEP_WORDS == (int)RECORD_STEP_WORDS &&
                   FORECAST_EXPECTED_WORDS == (int)EXPECTED_WORDS,
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

/* ---- errors of the past ---- */

/* The mean difference of values that are so many steps apart, and of its square; 0: there are
 * none. */
static double scale_of(const double *values, uint32_t count, uint32_t apart, double *squares)
{
    double sum = 0, square = 0, pairs = 0;

    for (uint32_t i = apart; i < count; i++) {
        const double difference = values[i] - values[i - apart];

        if (isnan(difference))
            continue;
        sum += fabs(difference);
        square += difference * difference;
        pairs++;
    }
    *squares = pairs > 0 ? square / pairs : 0;
    return pairs > 0 ? sum / pairs : 0;
}

/* The known value of the last season before `origin`; NAN: it is missing. */
static double naive_of(const double *values, uint32_t origin, uint32_t ahead, uint32_t season)
{
    const uint32_t back = season - (ahead - 1) % season;

    return back <= origin ? values[origin - back] : NAN;
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

static void print_time(const struct series_plan *plan, int64_t time, char text[TIME_BYTES])
{
    time_print(plan->are_numbers              ? TIME_NUMBER
               : time % DAY_MICROSECONDS == 0 ? TIME_DATE
                                              : TIME_MOMENT,
               time, "", text);
}

static enum status refuse_null(const struct series_plan *plan, int64_t time, uint32_t regressor,
                               struct error *err)
{
    const struct slice name = slice_prefix(plan->regressor_inputs[regressor].spec.name, 60);
    char text[TIME_BYTES];

    print_time(plan, time, text);
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

static void add_step(const struct forecast *forecast, uint32_t h, double value, double naive,
                     double scale, double squares, struct series_errors *errors)
{
    const double error = value - forecast->values[h];
    const double both = fabs(value) + fabs(forecast->values[h]);

    errors->steps++;
    errors->absolute += fabs(error);
    errors->errors += error;
    errors->values += fabs(value);
    errors->shares += both > 0 ? 2 * fabs(error) / both : 0;
    errors->covered += value >= forecast->lower[h] && value <= forecast->upper[h];
    if (!(scale > 0))
        return;
    errors->scaled_steps++;
    errors->scaled += fabs(error) / scale;
    errors->squares += error * error / squares;
    if (isnan(naive))
        return;
    errors->naive_steps++;
    errors->naive_scaled += fabs(value - naive) / scale;
}

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

/* Steps before `origin` that have no value: the forecast begins behind the last one that has. */
static uint32_t gap_before(const double *values, uint32_t origin)
{
    uint32_t gap = 0;

    while (gap < origin && isnan(values[origin - gap - 1]))
        gap++;
    return gap;
}

/* Compares the forecast that `origin` would have had with the values that came; none where it lies
 * in a gap that is longer than the horizon. ratios (horizon; NULL: nobody asks): as records have
 * them. */
static enum status add_past(const struct series_plan *plan, const double *values, uint32_t count,
                            const struct regressors *known, uint32_t origin, bool is_positive,
                            struct arena *arena, struct series_errors *errors, double *ratios,
                            struct error *err)
{
    double *past = ARENA_NEW(arena, double, origin), coefficients[REGRESSORS_MAX];
    const uint32_t gap = gap_before(values, origin), begin = origin - gap;
    struct forecast_options options = plan->options;
    struct forecast forecast;
    double scale, squares;

    if (!past)
        return fail_no_memory(err);
    if (gap > options.horizon || options.horizon + gap > HORIZON_MAX)
        return STATUS_OK;
    options.history = 0;
    options.horizon += gap;
    memcpy(past, values, origin * sizeof *past);
    TRY(forecast_values(&options, past, origin, known, arena, &forecast, coefficients, err));
    scale = scale_of(values, origin, forecast.season, &squares);
    for (uint32_t h = gap; h < options.horizon && begin + h < count; h++) {
        const double value = values[begin + h];

        if (isnan(value))
            continue;
        if (known->width > 0 &&
            !add_regressors(known, coefficients, begin + h, is_positive, &forecast, h))
            continue;
        if (ratios && forecast.deviations[h] > 0) /* without limits: forecast_limits.h */
            ratios[h - gap] = fabs(value - forecast.values[h]) / forecast.deviations[h];
        limit(&plan->limits, &forecast, h);
        add_step(&forecast, h, value, naive_of(values, begin, h + 1, forecast.season), scale,
                 squares, errors);
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

/* ---- the record ---- */

static int64_t bits_of(double number)
{
    int64_t bits;

    memcpy(&bits, &number, sizeof bits);
    return bits;
}

struct series_errors series_errors_of(const int64_t *record)
{
    struct series_errors errors;

    memcpy(&errors, record + RECORD_ERRORS, sizeof errors);
    return errors;
}

/* Those on a line are left to whoever fits the series. */
static void fill_gaps(const struct series_plan *plan, struct grid *grid)
{
    for (uint32_t i = 1; plan->gaps != GAPS_ON_LINE && i < grid->count; i++)
        if (isnan(grid->values[i]))
            grid->values[i] = plan->gaps == GAPS_ARE_ZERO ? 0 : grid->values[i - 1];
}

static enum status refuse(const struct series_plan *plan, const struct grid *grid,
                          enum grid_fault fault, struct error *err)
{
    char time[TIME_BYTES];

    if (fault == GRID_INFINITE)
        return fail(err, STATUS_INVALID, "the sum of a time's values is no number");
    if (fault == GRID_DOUBLED) {
        print_time(plan, grid->doubled, time);
        fail(err, STATUS_INVALID, "two values have the time %s", time);
        return error_hint(err, "forecast.group tells the series; forecast.duplicates = 'sum', or "
                               "'mean', makes one value of them.");
    }
    fail(err, STATUS_INVALID, "%u times would be %lld steps, of which most have no value",
         grid->times, (long long)grid->span);
    return error_hint(err, "Bring the times to an even step in the SELECT, as date_trunc('day', t) "
                           "or the date alone, and look whether the first or last ones are "
                           "mistakes.");
}

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

        record[EXPECTED_VALUE] = bits_of(has_any ? forecast->expected[i - first] : 0);
        record[EXPECTED_DEVIATION] =
            bits_of(has_any ? forecast->expected_deviations[i - first] : -1);
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
        coefficient[i] = bits_of(coefficients[i]);
    record[RECORD_COUNT] = grid->known;
    record[RECORD_FIRST] = grid->steps.first;
    record[RECORD_LAST] = grid->last;
    record[RECORD_SEASON] = forecast.season;
    for (uint32_t h = 0; h < plan->options.horizon; h++) {
        int64_t *step = record + RECORD_STEPS + (size_t)h * RECORD_STEP_WORDS;

        step[RECORD_VALUE] = bits_of(forecast.values[h]);
        step[RECORD_DEVIATION] = bits_of(forecast.deviations[h]);
        step[RECORD_RATIO] = bits_of(ratios[h]);
    }
    put_history(plan, &forecast, record);
    return STATUS_OK;
}

enum status series_fit(const struct series_plan *plan, struct point *points, uint32_t count,
                       const double *regressors, struct arena *arena, int64_t *record,
                       struct error *err)
{
    const uint32_t horizon = plan->options.horizon;
    struct regressors known = {.width = plan->regressors};
    struct regressor_row *rows = NULL;
    struct series_errors errors = {0};
    uint32_t row_count = 0;
    enum grid_fault fault;
    struct grid grid;
    double *ratios;

    memset(record, 0,
           series_record_words(horizon, plan->options.history, plan->regressors) * sizeof *record);
    if (known.width > 0) {
        rows = ARENA_NEW(arena, struct regressor_row, count);
        if (!rows)
            return fail_no_memory(err);
        TRY(list_rows(plan, points, count, regressors, rows, &row_count, err));
    }
    points_sort(points, count);
    TRY(grid_make(points, count, plan->are_numbers, plan->duplicates, &plan->steps, arena, &grid,
                  &fault, err));
    if (fault != GRID_FINE)
        return refuse(plan, &grid, fault, err);
    if (grid.count == 0)
        return STATUS_OK;
    if (known.width > 0)
        TRY(lay_out(&grid, rows, row_count, arena, &known, err));
    ratios = ARENA_NEW(arena, double, horizon);
    if (!ratios)
        return fail_no_memory(err);
    for (uint32_t h = 0; h < horizon; h++)
        ratios[h] = -1;
    fill_gaps(plan, &grid);
    TRY(measure_past(plan, &grid, &known, arena, &errors, ratios, err));
    memcpy(record + RECORD_ERRORS, &errors, sizeof errors);
    return put_forecast(plan, &grid, &known, ratios, arena, record, err);
}
