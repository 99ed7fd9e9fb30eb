#include "forecast/smoothing/ets_start.h"

#include <math.h>
#include <string.h>

#define STATES_FROM 10 /* values that the first level and trend are guessed from */

/* Means around the first seasons' own means. */
static void guess_seasons(struct ets_search *search)
{
    const struct series *series = search->series;
    const uint32_t season = search->start.season, seasons = series->count / season;
    const uint32_t used = seasons < 5 ? seasons : 5;
    const bool is_times = search->start.form.season == ETS_TIMES;
    double sum = 0;

    for (uint32_t i = 0; i < season; i++)
        search->start.seasons[i] = 0;
    for (uint32_t k = 0; k < used; k++) {
        const double *values = series->values + (size_t)k * season;
        double mean = 0, slope = 0;

        for (uint32_t i = 0; i < season; i++)
            mean += values[i] / season;
        if (seasons > 1) {
            const double *other = k + 1 < seasons ? values + season : values - season;
            double next = 0;

            for (uint32_t i = 0; i < season; i++)
                next += other[i] / season;
            slope = (k + 1 < seasons ? next - mean : mean - next) / season;
        }
        for (uint32_t i = 0; i < season; i++) {
            const double trend = mean + slope * (i - (season - 1) / 2.0);

            search->start.seasons[i] +=
                (is_times ? values[i] / (trend > ETS_LEVEL_LEAST ? trend : mean)
                          : values[i] - trend) /
                used;
        }
    }
    for (uint32_t i = 0; i < season; i++) {
        if (is_times && search->start.seasons[i] < 0.01)
            search->start.seasons[i] = 0.01;
        sum += search->start.seasons[i] / season;
    }
    for (uint32_t i = 0; i < season; i++)
        search->start.seasons[i] =
            is_times ? search->start.seasons[i] / sum : search->start.seasons[i] - sum;
}

static double without_season(const struct ets *start, uint32_t i, double value)
{
    const double season = start->seasons[i % start->season];

    return start->form.season == ETS_TIMES ? value / season : value - season;
}

/* Level and trend by the line through the first values without their season. */
static void guess_states(struct ets_search *search)
{
    const struct series *series = search->series;
    struct ets *start = &search->start;
    const uint32_t wanted = start->season > 5 ? 2 * start->season : STATES_FROM;
    const uint32_t count = wanted < series->count ? wanted : series->count;
    const double middle = (count + 1) / 2.0;
    double mean = 0, product = 0, square = 0, change = 0;

    for (uint32_t i = 0; i < count; i++)
        mean += without_season(start, i, series->values[i]) / count;
    for (uint32_t i = 0; i < count; i++) {
        product += (i + 1 - middle) * (without_season(start, i, series->values[i]) - mean);
        square += (i + 1 - middle) * (i + 1 - middle);
    }
    start->trend = product / square;
    start->level = mean - start->trend * middle;
    if (start->form.trend == ETS_NO_TREND) {
        start->level = mean;
        start->trend = 0;
    }
    if ((start->form.is_relative || start->form.season == ETS_TIMES) &&
        (start->level < mean / 8 || start->level + start->trend < mean / 8)) {
        start->level = mean;
        start->trend = 0;
    }
    for (uint32_t i = 1; i < series->count; i++)
        change += fabs(without_season(start, i, series->values[i]) -
                       without_season(start, i - 1, series->values[i - 1])) /
                  (series->count - 1);
    search->unit = change > 1e-6 ? change : 1e-6;
}

static void set_smoothing(const struct ets_search *search, double alpha, double share,
                          double *numbers)
{
    const struct ets_places *places = &search->places;

    numbers[places->alpha] = alpha;
    if (search->ets.form.trend != ETS_NO_TREND)
        numbers[places->beta] = share;
    if (search->ets.form.season != ETS_NO_SEASON)
        numbers[places->gamma] = share;
}

double ets_choose_start(struct ets_search *search, double *numbers)
{
    static const double alphas[] = {0.05, 0.3, 0.7}, shares[] = {0.05, 0.3};
    const struct ets_places *places = &search->places;
    double best = INFINITY, chosen[2] = {alphas[1], shares[0]};

    if (search->ets.form.season != ETS_NO_SEASON)
        guess_seasons(search);
    guess_states(search);
    memset(numbers, 0, places->count * sizeof *numbers);
    if (search->ets.form.trend == ETS_DAMPED)
        numbers[places->phi] = 0.9;
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 2; j++) {
            double value;

            set_smoothing(search, alphas[i], shares[j], numbers);
            value = ets_cost(search, numbers, NULL);
            if (value < best) {
                best = value;
                chosen[0] = alphas[i];
                chosen[1] = shares[j];
            }
        }
    set_smoothing(search, chosen[0], chosen[1], numbers);
    return best;
}
