#include "runtime/learn/series/series_fit.h"

#include <float.h>
#include <math.h>
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

/* Compares the forecast that `origin` would have had with the values that came. ratios (horizon;
 * NULL: nobody asks): as records have them. */
static enum status add_past(const struct series_plan *plan, const double *values, uint32_t count,
                            uint32_t origin, struct arena *arena, struct series_errors *errors,
                            double *ratios, struct error *err)
{
    double *past = ARENA_NEW(arena, double, origin);
    struct forecast_options options = plan->options;
    struct forecast forecast;
    double scale, squares;

    if (!past)
        return fail_no_memory(err);
    options.history = 0;
    memcpy(past, values, origin * sizeof *past);
    TRY(forecast_run(past, origin, &options, arena, &forecast, err));
    scale = scale_of(values, origin, forecast.season, &squares);
    for (uint32_t h = 0; h < plan->options.horizon && origin + h < count; h++) {
        const double value = values[origin + h];

        if (isnan(value))
            continue;
        add_step(&forecast, h, value, naive_of(values, origin, h + 1, forecast.season), scale,
                 squares, errors);
        if (ratios && forecast.deviations[h] > 0)
            ratios[h] = fabs(value - forecast.values[h]) / forecast.deviations[h];
    }
    return STATUS_OK;
}

static enum status measure_past(const struct series_plan *plan, const struct grid *grid,
                                struct arena *arena, struct series_errors *errors, double *ratios,
                                struct error *err)
{
    for (uint32_t i = 1; i <= plan->backtests; i++) {
        const uint64_t back = (uint64_t)i * plan->options.horizon;

        if (grid->count < back + PAST_LEAST)
            break;
        TRY(add_past(plan, grid->values, grid->count, grid->count - (uint32_t)back, arena, errors,
                     i == 1 ? ratios : NULL, err));
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

static bool is_positive(const struct grid *grid)
{
    for (uint32_t i = 0; i < grid->count; i++)
        if (grid->values[i] < 0)
            return false;
    return true;
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
        time_print(plan->are_numbers                       ? TIME_NUMBER
                   : grid->doubled % DAY_MICROSECONDS == 0 ? TIME_DATE
                                                           : TIME_MOMENT,
                   grid->doubled, "", time);
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

    record += series_record_words(plan->options.horizon, 0);
    for (uint32_t i = 0; i < history; i++, record += EXPECTED_WORDS) {
        const bool has_any = i >= first && is_kept(forecast, i - first);

        record[EXPECTED_VALUE] = bits_of(has_any ? forecast->expected[i - first] : 0);
        record[EXPECTED_DEVIATION] =
            bits_of(has_any ? forecast->expected_deviations[i - first] : -1);
    }
}

static enum status put_forecast(const struct series_plan *plan, const struct grid *grid,
                                const double *ratios, struct arena *arena, int64_t *record,
                                struct error *err)
{
    struct forecast forecast;

    if (!steps_has(&grid->steps, grid->last + plan->options.horizon))
        return fail(err, STATUS_INVALID, "the forecast goes beyond the year 9999, or 2^53");
    record[RECORD_POSITIVE] = is_positive(grid) && plan->options.method == &combined_method;
    TRY(forecast_run(grid->values, grid->count, &plan->options, arena, &forecast, err));
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
                       struct arena *arena, int64_t *record, struct error *err)
{
    const uint32_t horizon = plan->options.horizon;
    struct series_errors errors = {0};
    enum grid_fault fault;
    struct grid grid;
    double *ratios;

    memset(record, 0, series_record_words(horizon, plan->options.history) * sizeof *record);
    points_sort(points, count);
    TRY(grid_make(points, count, plan->are_numbers, plan->duplicates, &plan->steps, arena, &grid,
                  &fault, err));
    if (fault != GRID_FINE)
        return refuse(plan, &grid, fault, err);
    if (grid.count == 0)
        return STATUS_OK;
    ratios = ARENA_NEW(arena, double, horizon);
    if (!ratios)
        return fail_no_memory(err);
    for (uint32_t h = 0; h < horizon; h++)
        ratios[h] = -1;
    fill_gaps(plan, &grid);
    TRY(measure_past(plan, &grid, arena, &errors, ratios, err));
    memcpy(record + RECORD_ERRORS, &errors, sizeof errors);
    return put_forecast(plan, &grid, ratios, arena, record, err);
}
