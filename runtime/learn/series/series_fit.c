#include "runtime/learn/series/series_fit.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "forecast/transform.h"
#include "runtime/learn/series/series_grid.h"
#include "runtime/learn/series/series_kept.h"
#include "runtime/learn/series/series_regressors.h"

_Static_assert(FORECAST_RECORD_WORDS == (int)RECORD_STEPS &&
                   FORECAST_STEP_WORDS == (int)RECORD_STEP_WORDS &&
                   FORECAST_EXPECTED_WORDS == (int)EXPECTED_WORDS &&
                   FORECAST_HIERARCHY_WORDS == (int)HIERARCHY_ORIGINS &&
                   FORECAST_ORIGIN_WORDS == (int)ORIGIN_STEPS &&
                   FORECAST_PAST_WORDS == (int)PAST_WORDS,
               "EXPLAIN counts what is learned");

#define PAST_LEAST 4 /* values before a step that is forecast to measure the errors */

/* ---- the forecast ---- */

/* A forecast, with all that makes values of it. */
struct fitted {
    struct forecast forecast;
    double coefficients[REGRESSORS_MAX];
    double lambda;    /* transform.h: of the forecast's numbers */
    struct kept kept; /* where the plan keeps parameters */
    bool is_moved;    /* they are those of the old model */
};

/* Above 0, and not all the same number, which is to come back as it is. */
static bool are_transformed(const double *values, uint32_t count)
{
    double least = INFINITY, most = -INFINITY;

    for (uint32_t i = 0; i < count; i++) {
        least = values[i] < least ? values[i] : least;
        most = values[i] > most ? values[i] : most;
    }
    return least > 0 && least < most;
}

static double choose_lambda(const struct series_plan *plan, const double *values, uint32_t count)
{
    if (!are_transformed(values, count))
        return TRANSFORM_NONE;
    return plan->transform == TRANSFORMS_LOG
               ? 0
               : transform_choose(values, count,
                                  forecast_choose_season(values, count, &plan->options));
}

/* A lambda that was kept is spoiled by values that it has no number for. */
static double lambda_of(const struct series_plan *plan, const double *values, uint32_t count,
                        struct kept *kept)
{
    double lambda = TRANSFORM_NONE;

    if (plan->transform == TRANSFORMS_NONE)
        return TRANSFORM_NONE;
    if (!kept_is_read(kept))
        lambda = choose_lambda(plan, values, count);
    kept_number(kept, &lambda);
    if (!(lambda >= 0 && lambda <= TRANSFORM_NONE)) { /* none that a fit has written */
        kept_spoil(kept);
        lambda = TRANSFORM_NONE;
    }
    for (uint32_t i = 0; i < count && lambda != TRANSFORM_NONE; i++)
        if (values[i] <= 0) {
            kept_spoil(kept);
            lambda = TRANSFORM_NONE;
        }
    return lambda;
}

/* The fit of the values, which are used up, and of the regressors (count, width), which are
 * copied. */
static enum status fit_once(const struct series_plan *plan, const struct forecast_options *wanted,
                            double *values, uint32_t count, const struct regressors *known,
                            struct arena *arena, struct fitted *fitted, struct error *err)
{
    const size_t all = (size_t)count * known->width;
    struct forecast_options options = *wanted;
    struct regressors own = *known;

    options.kept = plan->kept > 0 ? &fitted->kept : NULL;
    fitted->lambda = lambda_of(plan, values, count, options.kept);
    options.is_remainder = fitted->lambda != TRANSFORM_NONE; /* below 0 are small values */
    for (uint32_t i = 0; i < count && options.is_remainder; i++)
        values[i] = transform_value(fitted->lambda, values[i]);
    if (known->width == 0)
        return forecast_run(values, count, &options, arena, &fitted->forecast, err);
    own.values = ARENA_NEW(arena, double, all);
    if (!own.values)
        return fail_no_memory(err);
    memcpy(own.values, known->values, all * sizeof *own.values);
    return regressors_run(values, count, &own, &options, arena, &fitted->forecast,
                          fitted->coefficients, err);
}

/* The same with the parameters of the old model, where the series has any that go with the values.
 */
static enum status fit_values(const struct series_plan *plan, const struct forecast_options *wanted,
                              double *values, uint32_t count, const struct regressors *known,
                              struct arena *arena, struct fitted *fitted, struct error *err)
{
    double *own = plan->old ? ARENA_NEW(arena, double, count) : NULL;
    enum status status;

    if (plan->old && !own)
        return fail_no_memory(err);
    if (plan->old) {
        memcpy(own, values, count * sizeof *own);
        fitted->kept = series_kept_of(plan->old);
        status = fit_once(plan, wanted, own, count, known, arena, fitted, err);
        fitted->is_moved = status == STATUS_OK && !fitted->kept.is_spoiled;
        if (fitted->is_moved || (status != STATUS_OK && status != STATUS_INVALID))
            return status;
        error_clear(err); /* INVALID: no numbers come of them; a fit may have some */
    }
    fitted->is_moved = false;
    if (plan->kept > 0)
        TRY(series_kept_begin(plan, arena, &fitted->kept, err));
    return fit_once(plan, wanted, values, count, known, arena, fitted, err);
}

/* Options of a forecast by the trees that do not know the last `backtest` horizons. */
static struct forecast_options options_of(const struct series_plan *plan, const struct grid *grid,
                                          uint32_t backtest)
{
    struct forecast_options options = plan->options;

    if (!plan->pooled)
        return options;
    options.pooled.pooled = &plan->pooled[backtest];
    options.pooled.steps = &grid->steps;
    options.pooled.first = grid->last - grid->count + 1;
    memcpy(options.pooled.words, plan->words, sizeof plan->words);
    options.pooled.holidays = plan->holiday_bins;
    return options;
}

/* ---- errors of the past, step by step ---- */

/* Adds to step h what the regressors of a place tell; false: they are not known, as where a gap was
 * filled. */
static bool add_regressors(const struct regressors *known, uint32_t place, struct fitted *fitted,
                           uint32_t h)
{
    const double sum = regressors_sum(fitted->coefficients,
                                      known->values + (size_t)place * known->width, known->width);

    if (isnan(sum))
        return false;
    fitted->forecast.values[h] += sum;
    fitted->forecast.lower[h] += sum;
    fitted->forecast.upper[h] += sum;
    return true;
}

/* The forecast of step h as it is told. is_cut: not below 0. */
static struct series_guess guess_of(const struct series_plan *plan, const struct fitted *fitted,
                                    bool is_cut, uint32_t h)
{
    const struct forecast *forecast = &fitted->forecast;
    struct series_guess guess = {
        transform_mean(fitted->lambda, forecast->values[h], forecast->deviations[h]),
        transform_back(fitted->lambda, forecast->lower[h]),
        transform_back(fitted->lambda, forecast->upper[h])};
    double *const bounds[] = {&guess.value, &guess.lower, &guess.upper};

    for (int i = 0; i < 3 && is_cut; i++)
        *bounds[i] = *bounds[i] < 0 ? 0 : *bounds[i];
    guess.lower = forecast_limited_lower(&plan->limits, guess.lower);
    guess.value = forecast_limited_value(&plan->limits, guess.value);
    guess.upper = forecast_limited_upper(&plan->limits, guess.upper);
    return guess;
}

/* Steps before `origin` that have no value: the forecast begins behind the last one that has. */
static uint32_t gap_before(const double *values, uint32_t origin)
{
    uint32_t gap = 0;

    while (gap < origin && isnan(values[origin - gap - 1]))
        gap++;
    return gap;
}

/* How many deviations what came is above the forecast of step h, as numbers are forecast, without
 * limits: forecast_limits.h. */
static double ratio_of(const struct fitted *fitted, bool is_cut, double value, uint32_t h)
{
    double forecast = fitted->forecast.values[h];

    if (is_cut && forecast < 0)
        forecast = 0;
    return (transform_value(fitted->lambda, value) - forecast) / fitted->forecast.deviations[h];
}

/* Compares the forecast that `origin` would have had with the values that came; none where it lies
 * in a gap that is longer than the horizon. is_cut: with regressors it is not below 0. ratios
 * (horizon; NULL: nobody asks): as records have them. */
static enum status add_past(const struct series_plan *plan, const struct grid *grid,
                            const struct regressors *known, uint32_t origin, uint32_t backtest,
                            bool is_cut, struct arena *arena, struct series_errors *errors,
                            double *ratios, struct error *err)
{
    const double *values = grid->values;
    double *past = ARENA_NEW(arena, double, origin);
    const uint32_t count = grid->count, gap = gap_before(values, origin), begin = origin - gap;
    struct forecast_options options = options_of(plan, grid, backtest);
    struct series_scale scale;
    struct fitted fitted;

    if (!past)
        return fail_no_memory(err);
    if (gap > options.horizon || options.horizon + gap > HORIZON_MAX)
        return STATUS_OK;
    options.history = 0;
    options.horizon += gap;
    memcpy(past, values, origin * sizeof *past);
    TRY(fit_values(plan, &options, past, origin, known, arena, &fitted, err));
    scale = series_scale_of(values, origin, fitted.forecast.season);
    for (uint32_t h = gap; h < options.horizon && begin + h < count; h++) {
        const double value = values[begin + h];
        struct series_guess guess;

        if (isnan(value) || (fitted.lambda != TRANSFORM_NONE && value <= 0))
            continue;
        if (known->width > 0 && !add_regressors(known, begin + h, &fitted, h))
            continue;
        if (ratios && fitted.forecast.deviations[h] > 0)
            ratios[h - gap] = ratio_of(&fitted, is_cut && known->width > 0, value, h);
        guess = guess_of(plan, &fitted, is_cut && known->width > 0, h);
        series_errors_add(errors, &guess, value,
                          series_naive(values, begin, h + 1, fitted.forecast.season), &scale);
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

/* moved: steps that the old model knew, where the series moves on: its forecast is compared with
 * what came; 0: of others the past is forecast. */
static enum status measure_past(const struct series_plan *plan, const struct grid *grid,
                                const struct regressors *known, uint32_t moved, struct arena *arena,
                                struct series_errors *errors, double *ratios, struct error *err)
{
    const bool is_cut = is_positive(grid) && forecast_cuts(plan->options.method) &&
                        plan->transform == TRANSFORMS_NONE;

    if (moved > 0)
        return plan->backtests > 0
                   ? add_past(plan, grid, known, moved, 0, is_cut, arena, errors, ratios, err)
                   : STATUS_OK;
    for (uint32_t i = 1; i <= plan->backtests; i++) {
        const uint64_t back = (uint64_t)i * plan->options.horizon;

        if (grid->count < back + PAST_LEAST)
            break;
        TRY(add_past(plan, grid, known, grid->count - (uint32_t)back, i, is_cut, arena, errors,
                     i == 1 ? ratios : NULL, err));
    }
    return STATUS_OK;
}

/* ---- the past of a series of a hierarchy ---- */

/* One step that nothing is known of, and of which nothing is expected, as where a series had not
 * begun: it adds nothing to its totals. */
static void put_nothing(const struct grid *grid, int64_t place, int64_t *step)
{
    step[PAST_VALUE] =
        record_bits(place >= 0 && place < grid->count ? grid->values[place] : (double)NAN);
    step[PAST_FORECAST] = step[PAST_DEVIATION] = record_bits(0);
    step[PAST_NAIVE] = record_bits(NAN);
}

/* Too few values before an origin are no measure, but what is forecast of them is part of the
 * totals. back: steps from the origin to the end; 0: there is no such past.
 * backtest: the number of the past, from 1 on. */
static enum status put_origin(const struct series_plan *plan, const struct grid *grid,
                              uint64_t back, uint32_t backtest, struct arena *arena, int64_t *words,
                              struct error *err)
{
    const uint32_t horizon = plan->options.horizon;
    const uint32_t origin = grid->count > back ? grid->count - (uint32_t)back : 0;
    const uint32_t gap = gap_before(grid->values, origin), begin = origin - gap;
    const bool is_unknown = back == 0 || begin == 0 || gap > horizon || horizon + gap > HORIZON_MAX;
    int64_t *step = words + ORIGIN_STEPS;
    struct forecast_options options = options_of(plan, grid, backtest);
    double *past = ARENA_NEW(arena, double, origin + 1);
    struct series_scale scale;
    struct fitted fitted;

    if (!past)
        return fail_no_memory(err);
    words[ORIGIN_SCALE] = words[ORIGIN_SQUARES] = record_bits(-1);
    for (uint32_t h = 0; h < horizon && is_unknown; h++, step += PAST_WORDS)
        put_nothing(grid, (int64_t)grid->count - (int64_t)back + h, step);
    if (is_unknown)
        return STATUS_OK;
    options.history = 0;
    options.horizon += gap;
    memcpy(past, grid->values, origin * sizeof *past);
    TRY(fit_values(plan, &options, past, origin, &(struct regressors){.width = 0}, arena, &fitted,
                   err));
    scale = series_scale_of(grid->values, origin, fitted.forecast.season);
    if (origin >= PAST_LEAST) {
        words[ORIGIN_SCALE] = record_bits(scale.absolute);
        words[ORIGIN_SQUARES] = record_bits(scale.squares);
    }
    for (uint32_t h = 0; h < horizon; h++, step += PAST_WORDS) {
        step[PAST_VALUE] =
            record_bits(origin + h < grid->count ? grid->values[origin + h] : (double)NAN);
        step[PAST_FORECAST] = record_bits(fitted.forecast.values[gap + h]);
        step[PAST_DEVIATION] = record_bits(fitted.forecast.deviations[gap + h]);
        step[PAST_NAIVE] =
            record_bits(series_naive(grid->values, begin, gap + h + 1, fitted.forecast.season));
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
    for (uint32_t i = 0; i < plan->backtests; i++) {
        const uint64_t usual = (uint64_t)(i + 1) * plan->options.horizon;

        TRY(put_origin(plan, grid,
                       !plan->has_come ? usual
                       : i == 0        ? plan->come
                                       : 0,
                       i + 1, arena, record + series_plan_origin(plan, i), err));
    }
    return STATUS_OK;
}

/* ---- the record ---- */

/* Can a model, whose numbers are floats, keep it? */
static bool is_kept(double expected, double deviation)
{
    return fabs(expected) <= (double)FLT_MAX && deviation <= (double)FLT_MAX;
}

/* Steps before those that are expected have nothing. */
static void put_history(const struct series_plan *plan, const struct grid *grid,
                        const struct fitted *fitted, int64_t *record)
{
    const struct forecast *forecast = &fitted->forecast;
    const uint32_t history = plan->options.history, first = history - forecast->expected_count;

    record += series_record_history(plan->options.horizon);
    for (uint32_t i = 0; i < history; i++, record += EXPECTED_WORDS) {
        double expected = 0, deviation = -1;

        if (i >= first) {
            expected = forecast->expected[i - first] +
                       series_holiday_effect(plan, fitted->coefficients, &grid->steps,
                                             grid->last - (history - 1) + i);
            deviation = forecast->expected_deviations[i - first];
        }
        if (!is_kept(expected, deviation))
            expected = 0, deviation = -1;
        record[EXPECTED_VALUE] = record_bits(expected);
        record[EXPECTED_DEVIATION] = record_bits(deviation);
    }
}

static enum status put_forecast(const struct series_plan *plan, const struct grid *grid,
                                const struct regressors *known, const double *ratios,
                                enum series_way way, struct arena *arena, int64_t *record,
                                struct error *err)
{
    int64_t *coefficient =
        record + series_record_coefficients(plan->options.horizon, plan->options.history);
    const struct forecast_options options = options_of(plan, grid, 0);
    struct fitted fitted;

    if (!steps_has(&grid->steps, grid->last + plan->options.horizon))
        return fail(err, STATUS_INVALID, "the forecast goes beyond the year 9999, or 2^53");
    record[RECORD_POSITIVE] = is_positive(grid) && forecast_cuts(plan->options.method);
    TRY(fit_values(plan, &options, grid->values, grid->count, known, arena, &fitted, err));
    for (uint32_t i = 0; i < known->width; i++)
        coefficient[i] = record_bits(fitted.coefficients[i]);
    if (plan->transform != TRANSFORMS_NONE)
        record[series_plan_lambda(plan)] = record_bits(fitted.lambda);
    record[RECORD_COUNT] = grid->known;
    record[RECORD_FIRST] = grid->steps.first;
    record[RECORD_LAST] = grid->last;
    record[RECORD_SEASON] = fitted.forecast.season;
    for (uint32_t h = 0; h < plan->options.horizon; h++) {
        int64_t *step = record + RECORD_STEPS + (size_t)h * RECORD_STEP_WORDS;

        step[RECORD_VALUE] = record_bits(
            fitted.forecast.values[h] +
            series_holiday_effect(plan, fitted.coefficients, &grid->steps, grid->last + 1 + h));
        step[RECORD_DEVIATION] = record_bits(fitted.forecast.deviations[h]);
        step[RECORD_RATIO] = record_bits(ratios[h]);
    }
    put_history(plan, grid, &fitted, record);
    if (plan->kept > 0)
        series_kept_put(plan, grid, plan->old && !fitted.is_moved ? WAY_ANEW : way,
                        fitted.is_moved ? NULL : &fitted.kept, record);
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
    struct series_plan own = *plan;
    enum series_way way;
    uint32_t origin = 0;

    if (!ratios)
        return fail_no_memory(err);
    TRY(series_kept_choose(plan, grid, &way, &origin, err));
    if (way == WAY_ANEW)
        own.old = NULL;
    TRY(series_holiday_bins(plan, grid, arena, &own.holiday_bins, err));
    plan = &own;
    for (uint32_t h = 0; h < horizon; h++)
        ratios[h] = NAN;
    if (plan->hierarchy == HIERARCHY_NONE)
        TRY(measure_past(plan, grid, known, origin, arena, &errors, ratios, err));
    else
        TRY(put_hierarchy(plan, grid, arena, record, err));
    memcpy(record + RECORD_ERRORS, &errors, sizeof errors);
    return put_forecast(plan, grid, known, ratios, way, arena, record, err);
}

enum status series_fit_grid(const struct series_plan *plan, struct grid *grid, struct arena *arena,
                            int64_t *record, struct error *err)
{
    clear(plan, record);
    return fit_grid(plan, grid, &(struct regressors){.width = 0}, arena, record, err);
}

/* Values that the transform of the statement does not have. */
static enum status check_transform(const struct series_plan *plan, const struct grid *grid,
                                   struct error *err)
{
    const int64_t first = grid->last - grid->count + 1;
    char time[TIME_BYTES];

    if (plan->transform != TRANSFORMS_LOG && plan->transform != TRANSFORMS_BOX_COX)
        return STATUS_OK;
    for (uint32_t i = 0; i < grid->count; i++) {
        if (!(grid->values[i] <= 0))
            continue;
        series_time_print(plan, steps_time(&grid->steps, first + i), time);
        fail(err, STATUS_INVALID,
             "the value of %s is %.9g, and forecast.transform = '%s' takes "
             "values above 0",
             time, grid->values[i], forecast_transform_words[plan->transform]);
        return error_hint(err, "forecast.transform = 'auto' leaves such series as they are; gaps "
                               "filled by zeros are values, too.");
    }
    return STATUS_OK;
}

/* The grid of the points, without a value where there is none, and the regressors of its steps.
 * record: NULL, or the one that values are kept in. */
static enum status lay_out(const struct series_plan *plan, struct point *points, uint32_t count,
                           const double *regressors, struct arena *arena, int64_t *record,
                           struct grid *grid, struct regressors *known, struct error *err)
{
    struct regressor_row *rows = NULL;
    uint32_t row_count = 0;

    *known = (struct regressors){.width = series_plan_width(plan)};
    if (plan->regressors > 0) {
        rows = ARENA_NEW(arena, struct regressor_row, count);
        if (!rows)
            return fail_no_memory(err);
        TRY(series_regressor_rows(plan, points, count, regressors, rows, &row_count, err));
    }
    TRY(series_kept_join(plan, arena, &points, &count, err));
    TRY(series_grid(plan, points, count, arena, grid, err));
    if (grid->count == 0)
        return STATUS_OK;
    if (record && plan->kept > 0)
        series_kept_put_values(plan, grid, record);
    series_grid_fill(plan, grid);
    TRY(check_transform(plan, grid, err));
    if (known->width > 0)
        TRY(series_regressors_lay_out(plan, grid, rows, row_count, arena, known, err));
    return STATUS_OK;
}

enum status series_fit(const struct series_plan *plan, struct point *points, uint32_t count,
                       const double *regressors, struct arena *arena, int64_t *record,
                       struct error *err)
{
    struct regressors known;
    struct grid grid;

    clear(plan, record);
    TRY(lay_out(plan, points, count, regressors, arena, record, &grid, &known, err));
    return grid.count > 0 ? fit_grid(plan, &grid, &known, arena, record, err) : STATUS_OK;
}

enum status series_collect(const struct series_plan *plan, struct point *points, uint32_t count,
                           const double *regressors, uint32_t backtest, struct arena *arena,
                           struct pooled_rows *rows, struct error *err)
{
    const uint64_t back = (uint64_t)backtest * plan->options.horizon;
    struct forecast_options options;
    struct series_plan own = *plan;
    struct regressors known;
    struct fitted fitted;
    struct grid grid;

    TRY(lay_out(plan, points, count, regressors, arena, NULL, &grid, &known, err));
    if (grid.count < back + PAST_LEAST)
        return STATUS_OK;
    TRY(series_holiday_bins(plan, &grid, arena, &own.holiday_bins, err));
    options = options_of(&own, &grid, backtest);
    options.pooled.rows = rows;
    options.history = 0;
    options.are_known = forecast_list_known(grid.values, grid.count - (uint32_t)back, arena);
    if (!options.are_known)
        return fail_no_memory(err);
    return fit_values(plan, &options, grid.values, grid.count - (uint32_t)back, &known, arena,
                      &fitted, err);
}
