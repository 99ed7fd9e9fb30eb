#include "forecast/methods/seasons.h"

#include <math.h>

#define CHANCE_OF_TEN 1.645 /* standard deviations */
#define FACTOR_LEAST  0.01

static double mean_of(const double *values, uint32_t count)
{
    double sum = 0;

    for (uint32_t i = 0; i < count; i++)
        sum += values[i];
    return sum / count;
}

static double correlation(const double *values, uint32_t count, double mean, double square,
                          uint32_t lag)
{
    double sum = 0;

    for (uint32_t i = lag; i < count; i++)
        sum += (values[i] - mean) * (values[i - lag] - mean);
    return sum / square;
}

bool season_is_found(const double *values, uint32_t count, uint32_t season)
{
    double mean, square = 0, before = 0;

    if (season < 2 || count / 2 < season)
        return false;
    mean = mean_of(values, count);
    for (uint32_t i = 0; i < count; i++)
        square += (values[i] - mean) * (values[i] - mean);
    if (!(square > 0))
        return false;
    for (uint32_t lag = 1; lag < season; lag++) {
        const double r = correlation(values, count, mean, square, lag);

        before += r * r;
    }
    return fabs(correlation(values, count, mean, square, season)) >
           CHANCE_OF_TEN * sqrt((1 + 2 * before) / count);
}

bool season_is_kept(const struct series *series, const struct fitting *fitting)
{
    bool is_found = !kept_is_read(fitting->kept) &&
                    season_is_found(series->values, series->count, series->season);

    kept_flag(fitting->kept, &is_found);
    if (is_found && (series->season < 2 || series->count / 2 < series->season)) {
        kept_spoil(fitting->kept);
        return false;
    }
    return is_found;
}

uint32_t season_choose(const double *values, uint32_t count, const uint32_t *lengths,
                       uint32_t length_count)
{
    for (uint32_t i = length_count; i-- > 0;)
        if (season_is_found(values, count, lengths[i]))
            return lengths[i];
    return 1;
}

/* The mean around a value over a season; of an even season the ends count half. */
static double trend_at(const double *values, uint32_t at, uint32_t season)
{
    const uint32_t half = season / 2;
    double sum = 0;

    for (uint32_t i = at - half; i <= at + half; i++)
        sum += values[i];
    if (season % 2 == 0)
        sum -= 0.5 * (values[at - half] + values[at + half]);
    return sum / season;
}

static void find_factors(const struct series *series, struct pattern *pattern)
{
    const uint32_t season = pattern->length, half = season / 2;
    double mean;

    for (uint32_t place = 0; place < season; place++) {
        double sum = 0;
        uint32_t count = 0;

        for (uint32_t at = place; at < series->count; at += season) {
            double trend;

            if (at < half || at + half >= series->count)
                continue;
            trend = trend_at(series->values, at, season);
            sum += pattern->is_product ? series->values[at] / trend : series->values[at] - trend;
            count++;
        }
        pattern->factors[place] = count ? sum / count : pattern->is_product ? 1 : 0;
    }
    mean = mean_of(pattern->factors, season);
    for (uint32_t i = 0; i < season; i++)
        pattern->factors[i] =
            pattern->is_product ? pattern->factors[i] / mean : pattern->factors[i] - mean;
}

enum status pattern_find(const struct series *series, const struct fitting *fitting,
                         struct pattern *pattern, struct error *err)
{
    pattern->length = series->season;
    pattern->is_product = true;
    pattern->factors = ARENA_NEW(fitting->arena, double, series->season);
    if (!pattern->factors)
        return fail_no_memory(err);
    TRY(fitting_check(fitting, (uint64_t)series->count * series->season, err));
    for (uint32_t i = 0; i < series->count; i++)
        pattern->is_product = pattern->is_product && series->values[i] > 0;
    find_factors(series, pattern);
    for (uint32_t i = 0; i < series->season && pattern->is_product; i++)
        if (!(pattern->factors[i] > FACTOR_LEAST)) {
            pattern->is_product = false;
            find_factors(series, pattern);
        }
    return STATUS_OK;
}

double pattern_strength(const struct pattern *pattern, const struct series *series)
{
    const uint32_t half = pattern->length / 2;
    double around = 0, around_square = 0, rest = 0, rest_square = 0, count = 0;

    for (uint32_t i = half; i + half < series->count; i++) {
        const double trend = trend_at(series->values, i, pattern->length);
        const double with = series->values[i] - trend;
        const double without = pattern_remove(pattern, i, series->values[i]) - trend;

        around += with;
        around_square += with * with;
        rest += without;
        rest_square += without * without;
        count++;
    }
    if (count == 0)
        return 0;
    around_square -= around * around / count;
    rest_square -= rest * rest / count;
    return around_square > 0 ? 1 - rest_square / around_square : 0;
}

double pattern_remove(const struct pattern *pattern, uint32_t place, double value)
{
    const double factor = pattern->factors[place % pattern->length];

    return pattern->is_product ? value / factor : value - factor;
}

double pattern_restore(const struct pattern *pattern, uint32_t place, double value)
{
    const double factor = pattern->factors[place % pattern->length];

    return pattern->is_product ? value * factor : value + factor;
}

double pattern_variance(const struct pattern *pattern, uint32_t place, double variance)
{
    const double factor = pattern->factors[place % pattern->length];

    return pattern->is_product ? variance * factor * factor : variance;
}
