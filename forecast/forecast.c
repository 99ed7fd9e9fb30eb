#include "forecast/forecast.h"

#include <math.h>

#include "forecast/arima/auto_arima.h"
#include "forecast/combined.h"
#include "forecast/methods/croston.h"
#include "forecast/methods/naive.h"
#include "forecast/methods/seasons.h"
#include "forecast/methods/theta.h"
#include "forecast/mstl.h"
#include "forecast/pooled.h"
#include "forecast/smoothing/auto_ets.h"
#include "scoring/numbers/elementary.h"

static const struct method *const methods[] = {
    &combined_method,
    &auto_ets_method,
    &ets_method,
    &auto_arima_method,
    &arima_method,
    &mstl_method,
    &stl_arima_method,
    &theta_method,
    &optimized_theta_method,
    &dynamic_theta_method,
    &dynamic_optimized_theta_method,
    &seasonal_naive_method,
    &naive_method,
    &croston_method,
    &sba_method,
    &tsb_method,
    &pooled_method,
};
#define METHOD_COUNT (sizeof methods / sizeof *methods)

/* Is it that name? With underscores, too: auto_arima. */
static bool is_name(struct slice given, const char *name)
{
    char plain[64]; /* longer than all names */
    size_t size = 0;

    for (size_t i = 0; i < given.size && size < sizeof plain; i++)
        if (given.data[i] != '_')
            plain[size++] = given.data[i];
    return slice_is_fold((struct slice){plain, size}, name);
}

enum status forecast_method(struct slice name, const struct method **method, struct error *err)
{
    const char *names[METHOD_COUNT];
    int nearest;

    for (size_t i = 0; i < METHOD_COUNT; i++) {
        names[i] = methods[i]->name;
        if (is_name(name, names[i])) {
            *method = methods[i];
            return STATUS_OK;
        }
    }
    fail(err, STATUS_INVALID, "there is no method \"%.*s\"", SLICE_FORMAT(slice_prefix(name, 60)));
    nearest = text_nearest(name, names, METHOD_COUNT);
    if (nearest >= 0)
        return error_hint(err, "Did you mean \"%s\"?", names[nearest]);
    return error_hint(
        err, "Methods are forecast, autoets, ets, autoarima, arima, mstl, stlarima, theta, "
             "optimizedtheta, "
             "dynamictheta, dynamicoptimizedtheta, seasonalnaive, naive, croston, "
             "sba and tsb.");
}

/* ----- seasons ----- */

static bool has_season(const struct forecast_options *options, uint32_t length)
{
    for (uint32_t i = 0; i < options->season_count; i++)
        if (options->seasons[i] == length)
            return true;
    return false;
}

void forecast_add_season(struct forecast_options *options, uint32_t length)
{
    uint32_t at = options->season_count;

    if (length < 2 || at == SEASONS_MAX || has_season(options, length))
        return;
    for (; at > 0 && options->seasons[at - 1] > length; at--)
        options->seasons[at] = options->seasons[at - 1];
    options->seasons[at] = length;
    options->season_count++;
}

bool forecast_cuts(const struct method *method)
{
    return method == &combined_method || method == &pooled_method;
}

bool forecast_lacks_season(const struct forecast_options *options)
{
    const struct arima_order *order = &options->order;
    const bool is_seasonal =
        order->seasonal_ar || order->seasonal_differences || order->seasonal_ma;

    return !options->season_count &&
           (is_seasonal || options->method == &mstl_method || options->method == &stl_arima_method);
}

/* ----- the normal distribution ----- */

/* The share above x > 0, by the continued fraction for large x and Taylor's sum for small. */
static double normal_tail(double x)
{
    const double density = 0.3989422804014327 * exponential_double(-0.5 * x * x);
    double sum = x, term = x, fraction = x;

    if (x < 3) {
        for (int i = 3; i < 120; i += 2) {
            term *= x * x / i;
            sum += term;
        }
        return 0.5 - density * sum;
    }
    for (int i = 80; i > 0; i--)
        fraction = x + i / fraction;
    return density / fraction;
}

double normal_quantile_of_level(double level)
{
    const double tail = 0.5 * (1 - level);
    double low = 0, high = 38;

    for (int i = 0; i < 60; i++) {
        const double middle = 0.5 * (low + high);

        if (normal_tail(middle) > tail)
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
}

double normal_level_of_quantile(double deviations)
{
    return 1 - 2 * normal_tail(deviations < 38 ? deviations : 38);
}

/* ----- gaps and scale ----- */

void forecast_fill_gaps(double *values, uint32_t count)
{
    uint32_t known = 0;

    for (uint32_t i = 1; i < count; i++) {
        if (isnan(values[i]))
            continue;
        for (uint32_t j = known + 1; j < i; j++) {
            const double far = (double)(j - known) / (i - known);

            /* Halves: the difference of two numbers may be none. */
            values[j] = 2 * (0.5 * values[known] * (1 - far) + 0.5 * values[i] * far);
        }
        known = i;
    }
}

/* x = 2^exponent times a number below 1 and not below a half; of 0 it is 0. */
static int exponent_of(double x)
{
    int exponent;

    return x > 0 ? (frexp(x, &exponent), exponent) : 0;
}

static double scaled(double x, int exponent)
{
    return ldexp(x, exponent);
}

struct scale {
    int exponent;
    bool is_constant, is_negative; /* is any value below 0? */
};

/* A series that has grown by so much is another one than that whose parameters were kept. */
#define EXPONENTS_APART 10

static void keep_exponent(struct kept *kept, int *exponent)
{
    double number = *exponent;

    kept_number(kept, &number);
    if (!kept_is_read(kept))
        return;
    if (fabs(number - *exponent) <= EXPONENTS_APART)
        *exponent = (int)number;
    else
        kept_spoil(kept);
}

static struct scale scale_values(double *values, uint32_t count, struct kept *kept)
{
    struct scale scale = {0, true, false};
    double most = 0;

    for (uint32_t i = 0; i < count; i++) {
        most = fabs(values[i]) > most ? fabs(values[i]) : most;
        scale.is_constant = scale.is_constant && values[i] == values[0];
        scale.is_negative = scale.is_negative || values[i] < 0;
    }
    scale.exponent = exponent_of(most);
    keep_exponent(kept, &scale.exponent);
    for (uint32_t i = 0; i < count; i++)
        values[i] = scaled(values[i], -scale.exponent);
    return scale;
}

/* Nothing is kept of the values of a constant: it has no parameters. */
static void keep_season(struct kept *kept, const struct scale *scale, uint32_t *season)
{
    bool was_constant = scale->is_constant;

    kept_flag(kept, &was_constant);
    if (was_constant && !scale->is_constant)
        kept_spoil(kept);
    if (!scale->is_constant)
        kept_count(kept, season, SEASON_MAX);
    if (*season == 0) /* no season is read that a fit has written */
        *season = 1;
}

/* ----- the forecast ----- */

uint32_t forecast_choose_season(const double *values, uint32_t count,
                                const struct forecast_options *options)
{
    uint32_t season = 1;

    if (options->season_is_given)
        return options->season_count && options->seasons[0] <= count / 2 ? options->seasons[0] : 1;
    season = season_choose(values, count, options->seasons, options->season_count);
    /* A model with a short season may be the best although the season is too faint to be found. */
    if (season == 1 && options->season_count && options->seasons[0] <= count / 2)
        season = options->seasons[0];
    return season;
}

static enum status make_room(struct arena *arena, uint32_t horizon, struct forecast *forecast,
                             double **variances, struct error *err)
{
    *forecast = (struct forecast){.season = 1};
    forecast->values = ARENA_NEW(arena, double, horizon);
    forecast->lower = ARENA_NEW(arena, double, horizon);
    forecast->upper = ARENA_NEW(arena, double, horizon);
    forecast->deviations = ARENA_NEW(arena, double, horizon);
    *variances = ARENA_NEW(arena, double, horizon);
    return forecast->values && forecast->deviations && forecast->lower && forecast->upper &&
                   *variances
               ? STATUS_OK
               : fail_no_memory(err);
}

#define PROJECT_STEPS 16 /* steps of fitting_check of a value that states are moved on by */

/* Finds what is expected of the value at `place` by those before it that are known: the first one
 * behind a gap, whose filled values look at it, as many steps ahead. steps: room for a forecast's.
 */
static enum status expect(const struct forecast_options *options, const struct fitting *fitting,
                          const void *fitted, const struct series *series, const bool *are_known,
                          uint32_t place, double *steps, double *value, double *variance,
                          struct error *err)
{
    uint32_t origin = place, ahead;

    while (origin > 1 && !are_known[origin - 1])
        origin--;
    ahead = place - origin + 1;
    TRY(fitting_check(fitting, ((uint64_t)origin + ahead) * PROJECT_STEPS, err));
    *variance = 0;
    *value = series->values[0];
    if (ahead > fitting->horizon)
        *value = NAN;
    else if (fitted) {
        double *variances = steps + fitting->horizon;

        memset(variances, 0, ahead * sizeof *variances);
        options->method->project(fitted, series, origin, ahead, steps, variances);
        *value = steps[ahead - 1];
        *variance = variances[ahead - 1];
    }
    return STATUS_OK;
}

/* Each of the last values but the oldest of all. */
static enum status expect_history(const struct forecast_options *options,
                                  const struct fitting *fitting, const void *fitted,
                                  const struct series *series, const bool *are_known,
                                  struct forecast *forecast, struct error *err)
{
    const uint32_t before = series->count - 1;
    const uint32_t count = options->history < before ? options->history : before;
    double *steps = ARENA_NEW(fitting->arena, double, 2 * (size_t)fitting->horizon);

    forecast->expected_count = count;
    forecast->expected = ARENA_NEW(fitting->arena, double, count + 1);
    forecast->expected_deviations = ARENA_NEW(fitting->arena, double, count + 1);
    if (!steps || !forecast->expected || !forecast->expected_deviations)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < count; i++) {
        double variance;

        TRY(expect(options, fitting, fitted, series, are_known, series->count - count + i, steps,
                   &forecast->expected[i], &variance, err));
        forecast->expected_deviations[i] = sqrt(variance > 0 ? variance : 0);
    }
    return STATUS_OK;
}

const bool *forecast_list_known(const double *values, uint32_t count, struct arena *arena)
{
    bool *are_known = ARENA_NEW(arena, bool, count);

    for (uint32_t i = 0; are_known && i < count; i++)
        are_known[i] = !isnan(values[i]);
    return are_known;
}

static void finish_history(bool is_cut, const struct scale *scale, struct forecast *forecast)
{
    for (uint32_t i = 0; i < forecast->expected_count; i++) {
        double *expected = &forecast->expected[i];

        *expected = is_cut && *expected < 0 ? 0 : scaled(*expected, scale->exponent);
        if (!isfinite(*expected))
            *expected = NAN;
        forecast->expected_deviations[i] =
            scaled(forecast->expected_deviations[i], scale->exponent);
    }
}

/* Values of the series' own scale, and their intervals. */
static enum status finish(const struct forecast_options *options, const struct scale *scale,
                          const double *variances, struct forecast *forecast, struct error *err)
{
    const double deviations = normal_quantile_of_level(options->level);
    const bool is_cut =
        forecast_cuts(options->method) && !scale->is_negative && !options->is_remainder;

    for (uint32_t h = 0; h < options->horizon; h++) {
        const double deviation = sqrt(variances[h] > 0 ? variances[h] : 0);
        const double reach = deviations * deviation;
        double bounds[3] = {forecast->values[h], forecast->values[h] - reach,
                            forecast->values[h] + reach};

        for (int i = 0; i < 3; i++) {
            bounds[i] = is_cut && bounds[i] < 0 ? 0 : scaled(bounds[i], scale->exponent);
            if (!isfinite(bounds[i]))
                return fail(err, STATUS_INVALID,
                            "the forecast of step %u is beyond the numbers of a double", h + 1);
        }
        forecast->deviations[h] = scaled(deviation, scale->exponent);
        forecast->values[h] = bounds[0];
        forecast->lower[h] = bounds[1];
        forecast->upper[h] = bounds[2];
    }
    finish_history(is_cut, scale, forecast);
    return STATUS_OK;
}

enum status forecast_run(double *values, uint32_t count, const struct forecast_options *options,
                         struct arena *arena, struct forecast *forecast, struct error *err)
{
    uint64_t steps = 0;
    struct pooled_series pooled = options->pooled;
    const struct fitting fitting = {
        .arena = arena,
        .horizon = options->horizon,
        .order = options->has_order ? &options->order : NULL,
        .seasons = options->seasons,
        .season_count = options->season_count,
        .is_stopped = options->is_stopped,
        .stop = options->stop,
        .pooled = &pooled,
        .kept = options->kept,
        .steps = &steps,
    };
    struct series series = {.season = 1};
    const bool *are_known = options->are_known;
    struct scale scale;
    double *variances;
    void *fitted = NULL;

    while (isnan(values[0])) {
        values++;
        count--;
        pooled.first++;
    }
    while (isnan(values[count - 1]))
        count--;
    TRY(make_room(arena, options->horizon, forecast, &variances, err));
    if ((options->history > 0 || pooled.rows) && !are_known)
        are_known = forecast_list_known(values, count, arena);
    if ((options->history > 0 || pooled.rows) && !are_known)
        return fail_no_memory(err);
    pooled.are_known = are_known;
    forecast_fill_gaps(values, count);
    scale = scale_values(values, count, options->kept);
    series.values = values;
    series.count = count;
    series.season = scale.is_constant ? 1 : forecast_choose_season(values, count, options);
    keep_season(options->kept, &scale, &series.season);
    forecast->season = series.season;
    if (scale.is_constant) {
        for (uint32_t h = 0; h < options->horizon; h++)
            forecast->values[h] = values[0];
    } else {
        TRY(options->method->fit(&series, &fitting, &fitted, err));
        if (kept_is_read(options->kept) && options->kept->is_spoiled)
            return STATUS_OK;
        options->method->project(fitted, &series, count, options->horizon, forecast->values,
                                 variances);
    }
    if (options->history > 0)
        TRY(expect_history(options, &fitting, fitted, &series, are_known, forecast, err));
    return finish(options, &scale, variances, forecast, err);
}
