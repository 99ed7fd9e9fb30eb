#include "forecast/smoothing/ets_search.h"

#include <math.h>
#include <string.h>

#include "scoring/numbers/elementary.h"

#define SMOOTHING_LEAST 1e-4
#define SMOOTHING_MOST  0.9999
#define PHI_LEAST       0.8
#define PHI_MOST        0.98
#define SQUARE_LEAST    1e-20 /* an error's least square: the values are near 1 */
#define TREND_PRIOR     6.0   /* see add_prior() */
#define LEVEL_PRIOR     2.0
#define STATE_PRIOR     0.5

struct ets_places ets_places_of(const struct ets_form *form, uint32_t season)
{
    struct ets_places places = {0};
    uint32_t count = 1;

    places.beta = count;
    count += form->trend != ETS_NO_TREND;
    places.gamma = count;
    count += form->season != ETS_NO_SEASON;
    places.phi = count;
    count += form->trend == ETS_DAMPED;
    places.level = count++;
    places.trend = count;
    count += form->trend != ETS_NO_TREND;
    places.seasons = count;
    count += form->season != ETS_NO_SEASON ? season - 1 : 0;
    places.count = count;
    return places;
}

void ets_bounds(const struct ets_search *search, double *lower, double *upper)
{
    const struct ets_places *places = &search->places;
    const struct ets_form *form = &search->ets.form;

    for (uint32_t i = 0; i < places->count; i++) {
        lower[i] = -INFINITY;
        upper[i] = INFINITY;
    }
    lower[places->alpha] = SMOOTHING_LEAST;
    upper[places->alpha] = SMOOTHING_MOST;
    if (form->trend != ETS_NO_TREND) {
        lower[places->beta] = 0;
        upper[places->beta] = 1;
    }
    if (form->season != ETS_NO_SEASON) {
        lower[places->gamma] = 0;
        upper[places->gamma] = 1;
    }
    if (form->trend == ETS_DAMPED) {
        lower[places->phi] = PHI_LEAST;
        upper[places->phi] = PHI_MOST;
    }
}

/* How much a season's state moves with its number. */
static double season_unit(const struct ets_search *search)
{
    return search->ets.form.season == ETS_TIMES ? search->unit / search->start.level : search->unit;
}

/* States and parameters at the numbers. */
static void take_numbers(struct ets_search *search, const double *numbers)
{
    const struct ets_places *places = &search->places;
    struct ets *ets = &search->ets;
    const double unit = search->unit;

    ets->alpha = numbers[places->alpha];
    ets->phi = ets->form.trend == ETS_DAMPED ? numbers[places->phi] : 1;
    ets->level = search->start.level + unit * numbers[places->level];
    if (ets->form.trend != ETS_NO_TREND) {
        ets->beta = ets->alpha * numbers[places->beta];
        ets->trend = search->start.trend + unit * numbers[places->trend];
    }
    if (ets->form.season != ETS_NO_SEASON) {
        const double by = season_unit(search);
        double sum = 0;

        ets->gamma = (1 - ets->alpha) * numbers[places->gamma];
        for (uint32_t i = 0; i + 1 < ets->season; i++) {
            ets->seasons[i] = search->start.seasons[i] + by * numbers[places->seasons + i];
            sum += ets->seasons[i];
        }
        ets->seasons[ets->season - 1] = (ets->form.season == ETS_TIMES ? ets->season : 0) - sum;
    }
}

/* ----- there and back ----- */

struct sums {
    double squares;  /* sum of squared errors, relative ones where the model's are */
    double expected; /* the logarithm of all expected values, where errors are relative */
};

/* Runs over all values; false where a level or season that multiplies comes near 0. A compiler
 * makes one loop of it for each kind of error and season. */
static inline __attribute__((always_inline)) bool run_as(struct ets_search *search,
                                                         bool is_relative, enum ets_season kind,
                                                         struct sums *sums)
{
    const struct ets *ets = &search->ets;
    const bool is_times = kind == ETS_TIMES, has_season = kind != ETS_NO_SEASON;
    const double *values = search->series->values;
    const double alpha = ets->alpha, beta = ets->beta, gamma = ets->gamma, phi = ets->phi;
    double level = ets->level, trend = ets->trend, product = 1, squares = 0, expected_log = 0;
    double *seasons = search->seasons;
    uint32_t place = 0;

    memcpy(seasons, ets->seasons, ets->season * sizeof *ets->seasons);
    for (uint32_t i = 0; i < search->series->count; i++) {
        const double season = has_season ? seasons[place] : 0, q = level + phi * trend;
        const double expected = is_times ? q * season : q + season, error = values[i] - expected;
        /* Error over season, and error: without it where all waits for q. */
        const double moved = is_times ? values[i] / season - q : (values[i] - season) - q;

        if ((is_times || is_relative) && !(q > ETS_LEVEL_LEAST && expected > ETS_LEVEL_LEAST &&
                                           (!is_times || season > ETS_LEVEL_LEAST)))
            return false;
        search->steps[i] = (struct ets_step){trend, q, season, error};
        level = q + alpha * moved;
        trend = phi * trend + beta * moved;
        if (has_season) {
            seasons[place] = season + gamma * (is_times ? error / q : error);
            place = place + 1 < ets->season ? place + 1 : 0;
        }
        if (is_relative) {
            const double relative = error / expected;

            squares += relative * relative;
            product *= expected;
            if (product < 1e-250 || product > 1e250) {
                expected_log += logarithm_double(product);
                product = 1;
            }
        } else {
            squares += error * error;
        }
    }
    *sums = (struct sums){squares, is_relative ? expected_log + logarithm_double(product) : 0};
    return isfinite(squares);
}

static bool run_over_values(struct ets_search *search, struct sums *sums)
{
    const bool is_relative = search->ets.form.is_relative;

    switch (search->ets.form.season) {
    case ETS_ADDED:
        return is_relative ? run_as(search, true, ETS_ADDED, sums)
                           : run_as(search, false, ETS_ADDED, sums);
    case ETS_TIMES:
        return is_relative ? run_as(search, true, ETS_TIMES, sums)
                           : run_as(search, false, ETS_TIMES, sums);
    case ETS_NO_SEASON:
        break;
    }
    return is_relative ? run_as(search, true, ETS_NO_SEASON, sums)
                       : run_as(search, false, ETS_NO_SEASON, sums);
}

struct adjoints {
    double alpha, beta, gamma, phi, level, trend;
};

/* The derivative of n log(squares) + 2 expected, over n, by the parameters; by the first season's
 * states in search->season_adjoints. */
static inline __attribute__((always_inline)) struct adjoints run_back_as(struct ets_search *search,
                                                                         bool is_relative,
                                                                         enum ets_season kind,
                                                                         double square_sum)
{
    const struct ets *ets = &search->ets;
    const bool is_times = kind == ETS_TIMES, has_season = kind != ETS_NO_SEASON;
    const uint32_t count = search->series->count;
    const double scale = 2 / (square_sum + count * SQUARE_LEAST), each = 2.0 / count;
    const double alpha = ets->alpha, beta = ets->beta, gamma = ets->gamma, phi = ets->phi;
    double *seasons = search->season_adjoints;
    struct adjoints to = {0};
    double level = 0, trend = 0;
    uint32_t place = count % ets->season;

    memset(seasons, 0, ets->season * sizeof *seasons);
    for (uint32_t i = count; i-- > 0;) {
        const struct ets_step *step = &search->steps[i];
        const double q = step->q, season = step->season, error = step->error;
        const double expected = is_times ? q * season : q + season;
        const double by_season = is_times ? 1 / season : 1, by_q = is_times ? 1 / q : 1;
        const double moved = alpha * level + beta * trend;
        double into_season = 0, into_error = scale * error, into_expected = 0, into_q;

        if (has_season) {
            place = place ? place - 1 : ets->season - 1;
            into_season = seasons[place];
        }
        if (is_relative) {
            const double relative = error / expected;

            into_error = scale * relative / expected;
            into_expected = each / expected - scale * relative * relative / expected;
        }
        into_error += gamma * into_season * by_q;
        into_error += moved * by_season;
        to.alpha += level * error * by_season;
        to.beta += trend * error * by_season;
        to.gamma += into_season * error * by_q;
        into_expected -= into_error;
        into_q = level + into_expected * (is_times ? season : 1);
        if (is_times) {
            into_q -= gamma * into_season * error * by_q * by_q;
            into_season += into_expected * q - moved * error * by_season * by_season;
        } else {
            into_season += into_expected;
        }
        if (has_season)
            seasons[place] = into_season;
        to.phi += (trend + into_q) * step->trend;
        trend = phi * (trend + into_q);
        level = into_q;
    }
    to.level = level;
    to.trend = trend;
    return to;
}

static struct adjoints run_back(struct ets_search *search, double squares)
{
    const bool is_relative = search->ets.form.is_relative;

    switch (search->ets.form.season) {
    case ETS_ADDED:
        return is_relative ? run_back_as(search, true, ETS_ADDED, squares)
                           : run_back_as(search, false, ETS_ADDED, squares);
    case ETS_TIMES:
        return is_relative ? run_back_as(search, true, ETS_TIMES, squares)
                           : run_back_as(search, false, ETS_TIMES, squares);
    case ETS_NO_SEASON:
        break;
    }
    return is_relative ? run_back_as(search, true, ETS_NO_SEASON, squares)
                       : run_back_as(search, false, ETS_NO_SEASON, squares);
}

static void give_gradient(struct ets_search *search, const double *numbers,
                          const struct adjoints *by, double *gradient)
{
    const struct ets_places *places = &search->places;
    const struct ets *ets = &search->ets;
    double by_alpha = by->alpha;

    if (ets->form.trend != ETS_NO_TREND) {
        gradient[places->beta] = by->beta * ets->alpha;
        gradient[places->trend] = by->trend * search->unit;
        by_alpha += by->beta * numbers[places->beta];
    }
    if (ets->form.trend == ETS_DAMPED)
        gradient[places->phi] = by->phi;
    if (ets->form.season != ETS_NO_SEASON) {
        const double unit = season_unit(search);
        const double last = search->season_adjoints[ets->season - 1];

        gradient[places->gamma] = by->gamma * (1 - ets->alpha);
        by_alpha -= by->gamma * numbers[places->gamma];
        for (uint32_t i = 0; i + 1 < ets->season; i++)
            gradient[places->seasons + i] = unit * (search->season_adjoints[i] - last);
    }
    gradient[places->alpha] = by_alpha;
    gradient[places->level] = by->level * search->unit;
}

static double state_prior(double state, uint32_t place, double each, double *gradient)
{
    if (gradient)
        gradient[place] += 2 * STATE_PRIOR * each * state;
    return STATE_PRIOR * each * state * state;
}

/* A prior, as minus twice its logarithm over the values, of what short series cannot tell. The
 * slope of a trend rarely follows each value: a share of beta in alpha of 1 costs as much as three
 * parameters. A level rarely stays where it was: an alpha of 0 costs as much as one. And the first
 * level and trend are near the line through the first values. */
static double add_prior(const struct ets_search *search, const double *numbers, double *gradient)
{
    const struct ets_places *places = &search->places;
    const double each = 1.0 / search->series->count;
    double sum = LEVEL_PRIOR * each * (1 - numbers[places->alpha]);

    sum += state_prior(numbers[places->level], places->level, each, gradient);
    if (gradient)
        gradient[places->alpha] -= LEVEL_PRIOR * each;
    if (search->ets.form.trend == ETS_NO_TREND)
        return sum;
    if (gradient)
        gradient[places->beta] += TREND_PRIOR * each;
    sum += state_prior(numbers[places->trend], places->trend, each, gradient);
    return sum + TREND_PRIOR * each * numbers[places->beta];
}

double ets_cost(void *context, const double *numbers, double *gradient)
{
    struct ets_search *search = context;
    const uint32_t count = search->series->count;
    struct sums sums;

    take_numbers(search, numbers);
    if (!run_over_values(search, &sums))
        return INFINITY;
    search->squares = sums.squares;
    if (gradient) {
        const struct adjoints adjoints = run_back(search, sums.squares);

        give_gradient(search, numbers, &adjoints, gradient);
    }
    return logarithm_double(sums.squares + count * SQUARE_LEAST) + 2 * sums.expected / count +
           add_prior(search, numbers, gradient);
}

/* ----- curvature ----- */

/* Slopes by each number, of parameters and states. */
struct slopes {
    double alpha[DESCEND_NUMBERS_MAX], beta[DESCEND_NUMBERS_MAX], gamma[DESCEND_NUMBERS_MAX];
    double phi[DESCEND_NUMBERS_MAX], level[DESCEND_NUMBERS_MAX], trend[DESCEND_NUMBERS_MAX];
    double error[DESCEND_NUMBERS_MAX];
};

static void begin_slopes(struct ets_search *search, const double *numbers, struct slopes *slopes)
{
    const struct ets_places *places = &search->places;
    const struct ets *ets = &search->ets;

    memset(slopes, 0, sizeof *slopes);
    memset(search->season_slopes, 0,
           (size_t)ets->season * DESCEND_NUMBERS_MAX * sizeof *search->season_slopes);
    slopes->alpha[places->alpha] = 1;
    slopes->level[places->level] = search->unit;
    if (ets->form.trend != ETS_NO_TREND) {
        slopes->beta[places->alpha] = numbers[places->beta];
        slopes->beta[places->beta] = ets->alpha;
        slopes->trend[places->trend] = search->unit;
    }
    if (ets->form.trend == ETS_DAMPED)
        slopes->phi[places->phi] = 1;
    if (ets->form.season != ETS_NO_SEASON) {
        const double unit = season_unit(search);
        double *last = search->season_slopes + (size_t)(ets->season - 1) * DESCEND_NUMBERS_MAX;

        slopes->gamma[places->alpha] = -numbers[places->gamma];
        slopes->gamma[places->gamma] = 1 - ets->alpha;
        for (uint32_t i = 0; i + 1 < ets->season; i++) {
            search->season_slopes[i * DESCEND_NUMBERS_MAX + places->seasons + i] = unit;
            last[places->seasons + i] = -unit;
        }
    }
}

/* Slopes behind one value from those before it; the slopes of its error. */
static void move_slopes(const struct ets *ets, const struct ets_step *step, uint32_t count,
                        double *restrict seasons, struct slopes *restrict slopes)
{
    const bool is_times = ets->form.season == ETS_TIMES;
    const double q = step->q, season = step->season, error = step->error;
    const double expected = is_times ? q * season : q + season;
    const double by_season = is_times ? 1 / season : 1, by_q = is_times ? 1 / q : 1;
    const double moved = error * by_season, turned = error * by_q;
    const double to_q = is_times ? season : 1, to_season = is_times ? q : 1;
    const double season_bend = is_times ? moved * by_season : 0;
    const double q_bend = is_times ? turned * by_q : 0;
    const double weight = ets->form.is_relative ? (1 + error / expected) / expected : 1;

    for (uint32_t j = 0; j < count; j++) {
        const double into_q =
            slopes->level[j] + ets->phi * slopes->trend[j] + slopes->phi[j] * step->trend;
        const double into_season = seasons[j];
        const double into_error = -(into_q * to_q + into_season * to_season);
        const double into_moved = into_error * by_season - into_season * season_bend;
        const double into_turned = into_error * by_q - into_q * q_bend;

        slopes->level[j] = into_q + ets->alpha * into_moved + slopes->alpha[j] * moved;
        slopes->trend[j] = ets->phi * slopes->trend[j] + slopes->phi[j] * step->trend +
                           ets->beta * into_moved + slopes->beta[j] * moved;
        seasons[j] = into_season + ets->gamma * into_turned + slopes->gamma[j] * turned;
        slopes->error[j] = into_error * weight;
    }
}

void ets_curvature(struct ets_search *search, const double *numbers, descend_square curvature)
{
    const uint32_t numbers_count = search->places.count, count = search->series->count;
    struct slopes slopes;
    struct sums sums;
    uint32_t place = 0;
    double scale;

    take_numbers(search, numbers);
    memset(curvature, 0, sizeof(descend_square));
    if (!run_over_values(search, &sums))
        return;
    begin_slopes(search, numbers, &slopes);
    for (uint32_t i = 0; i < count; i++) {
        move_slopes(&search->ets, &search->steps[i], numbers_count,
                    search->season_slopes + (size_t)place * DESCEND_NUMBERS_MAX, &slopes);
        place = place + 1 < search->ets.season ? place + 1 : 0;
        for (uint32_t j = 0; j < numbers_count; j++)
            for (uint32_t k = 0; k <= j; k++)
                curvature[j][k] += slopes.error[j] * slopes.error[k];
    }
    scale = 2 / (sums.squares + count * SQUARE_LEAST);
    for (uint32_t j = 0; j < numbers_count; j++)
        for (uint32_t k = 0; k <= j; k++)
            curvature[j][k] = curvature[k][j] = scale * curvature[j][k];
    curvature[search->places.level][search->places.level] += 2 * STATE_PRIOR / count;
    if (search->ets.form.trend != ETS_NO_TREND)
        curvature[search->places.trend][search->places.trend] += 2 * STATE_PRIOR / count;
}
