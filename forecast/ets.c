#include "forecast/ets.h"

#include <math.h>
#include <string.h>

#include "forecast/descend.h"
#include "scoring/elementary.h"

#define SMOOTHING_LEAST 1e-4
#define SMOOTHING_MOST  0.9999
#define PHI_LEAST       0.8
#define PHI_MOST        0.98
#define LEVEL_LEAST     1e-8  /* a level or season that multiplies is above */
#define SQUARE_LEAST    1e-20 /* an error's least square: the values are near 1 */
#define TREND_PRIOR     6.0   /* see prior() */
#define STATES_FROM     10    /* values that the first level and trend are guessed from */
#define STEPS_A_VALUE   200   /* about, of a fit: see method.h */

/* Which number of the search is which parameter. */
struct places {
    uint32_t alpha, beta, gamma, phi, level, trend, seasons, count;
};

/* Quantities that the recursion keeps at each value for the way back. */
struct ets_step {
    double trend, q, season, error;
};

struct search {
    struct ets ets;   /* at the numbers looked at last */
    struct ets start; /* states where the search begins */
    const struct series *series;
    struct places places;
    struct ets_step *steps;  /* (count) */
    double *seasons;         /* (season) while it runs */
    double *season_adjoints; /* (season) */
    double unit;             /* unit that the numbers count states in */
};

/* ----- bounds: lower + (upper - lower) share(u) ----- */

static double share(double u)
{
    return 0.5 + 0.5 * u / sqrt(1 + u * u);
}

static double share_slope(double u)
{
    const double square = 1 + u * u;

    return 0.5 / (square * sqrt(square));
}

static double share_inverse(double w)
{
    const double z = 2 * w - 1;

    return z / sqrt(1 - z * z);
}

static struct places place(const struct ets_form *form, uint32_t season)
{
    struct places places = {0};
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

bool ets_is_possible(const struct ets_form *form, const struct series *series)
{
    const bool has_season = form->season != ETS_NO_SEASON;

    if (has_season && (series->season < 2 || series->season > ETS_SEASON_MAX ||
                       series->count / 2 < series->season))
        return false;
    /* With the variance one parameter more, and AICc needs two values more than that. */
    if (series->count < place(form, series->season).count + 3)
        return false;
    for (uint32_t i = 0; i < series->count && (form->is_relative || form->season == ETS_TIMES); i++)
        if (!(series->values[i] > LEVEL_LEAST))
            return false;
    return true;
}

/* ----- there and back ----- */

/* States and parameters at the numbers u. */
static void take_numbers(struct search *search, const double *u)
{
    const struct places *places = &search->places;
    struct ets *ets = &search->ets;
    const double unit = search->unit;

    ets->alpha = SMOOTHING_LEAST + (SMOOTHING_MOST - SMOOTHING_LEAST) * share(u[places->alpha]);
    ets->phi = 1;
    if (ets->form.trend == ETS_DAMPED)
        ets->phi = PHI_LEAST + (PHI_MOST - PHI_LEAST) * share(u[places->phi]);
    ets->level = search->start.level + unit * u[places->level];
    if (ets->form.trend != ETS_NO_TREND) {
        ets->beta = ets->alpha * share(u[places->beta]);
        ets->trend = search->start.trend + unit * u[places->trend];
    }
    if (ets->form.season != ETS_NO_SEASON) {
        const double by = ets->form.season == ETS_TIMES ? unit / search->start.level : unit;
        double sum = 0;

        ets->gamma = (1 - ets->alpha) * share(u[places->gamma]);
        for (uint32_t i = 0; i + 1 < ets->season; i++) {
            ets->seasons[i] = search->start.seasons[i] + by * u[places->seasons + i];
            sum += ets->seasons[i];
        }
        ets->seasons[ets->season - 1] = (ets->form.season == ETS_TIMES ? ets->season : 0) - sum;
    }
}

struct sums {
    double squares;  /* sum of squared errors, relative ones where the model's are */
    double expected; /* the logarithm of all expected values, where errors are relative */
};

/* Runs over all values; false where a level or season that multiplies comes near 0. */
static bool run_over_values(struct search *search, struct sums *sums)
{
    const struct ets *ets = &search->ets;
    const bool is_times = ets->form.season == ETS_TIMES, is_relative = ets->form.is_relative;
    const bool is_bounded = is_times || is_relative;
    const double *values = search->series->values;
    double level = ets->level, trend = ets->trend, product = 1;
    uint32_t place = 0;

    *sums = (struct sums){0, 0};
    memcpy(search->seasons, ets->seasons, ets->season * sizeof *ets->seasons);
    for (uint32_t i = 0; i < search->series->count; i++) {
        const double season = search->seasons[place], q = level + ets->phi * trend;
        const double expected = is_times ? q * season : q + season, error = values[i] - expected;
        const double moved = is_times ? error / season : error;
        struct ets_step *step = &search->steps[i];

        if (is_bounded &&
            !(q > LEVEL_LEAST && expected > LEVEL_LEAST && (!is_times || season > LEVEL_LEAST)))
            return false;
        *step = (struct ets_step){trend, q, season, error};
        level = q + ets->alpha * moved;
        trend = ets->phi * trend + ets->beta * moved;
        search->seasons[place] = season + ets->gamma * (is_times ? error / q : error);
        place = place + 1 < ets->season ? place + 1 : 0;
        if (is_relative) {
            sums->squares += (error / expected) * (error / expected);
            product *= expected;
            if (product < 1e-250 || product > 1e250) {
                sums->expected += logarithm_double(product);
                product = 1;
            }
        } else {
            sums->squares += error * error;
        }
    }
    sums->expected += is_relative ? logarithm_double(product) : 0;
    return isfinite(sums->squares);
}

struct adjoints {
    double alpha, beta, gamma, phi, level, trend;
};

/* The derivative of n log(squares) + 2 expected, over n, by the parameters; by the first season's
 * states in search->season_adjoints. */
static struct adjoints run_back(struct search *search, const struct sums *sums)
{
    const struct ets *ets = &search->ets;
    const bool is_times = ets->form.season == ETS_TIMES;
    const uint32_t count = search->series->count;
    const double scale = 2 / (sums->squares + count * SQUARE_LEAST), each = 2.0 / count;
    struct adjoints to = {0};
    double level = 0, trend = 0;
    uint32_t place = count % ets->season;

    memset(search->season_adjoints, 0, ets->season * sizeof *search->season_adjoints);
    for (uint32_t i = count; i-- > 0;) {
        const struct ets_step *step = &search->steps[i];
        const double q = step->q, season = step->season, error = step->error;
        const double expected = is_times ? q * season : q + season;
        const double by_season = is_times ? 1 / season : 1, by_q = is_times ? 1 / q : 1;
        double into_season, into_error, into_expected = 0, into_q, moved;

        place = place ? place - 1 : ets->season - 1;
        into_season = search->season_adjoints[place];
        moved = ets->alpha * level + ets->beta * trend;
        if (ets->form.is_relative) {
            const double relative = error / expected;

            into_error = scale * relative / expected;
            into_expected = each / expected - scale * relative * relative / expected;
        } else {
            into_error = scale * error;
        }
        into_error += moved * by_season + ets->gamma * into_season * by_q;
        to.alpha += level * error * by_season;
        to.beta += trend * error * by_season;
        to.gamma += into_season * error * by_q;
        into_expected -= into_error;
        into_q = level + into_expected * (is_times ? season : 1);
        if (is_times) {
            into_q -= ets->gamma * into_season * error * by_q * by_q;
            into_season += into_expected * q - moved * error * by_season * by_season;
        } else {
            into_season += into_expected;
        }
        search->season_adjoints[place] = into_season;
        to.phi += (trend + into_q) * step->trend;
        trend = ets->phi * (trend + into_q);
        level = into_q;
    }
    to.level = level;
    to.trend = trend;
    return to;
}

/* The slope of a trend rarely follows each value, which short series cannot tell: a share of beta
 * in alpha of 1 costs as much as three parameters. */
static double prior(const struct search *search, const double *u)
{
    return search->ets.form.trend == ETS_NO_TREND
               ? 0
               : TREND_PRIOR * share(u[search->places.beta]) / search->series->count;
}

static void give_gradient(struct search *search, const double *u, const struct adjoints *by,
                          double *gradient)
{
    const struct places *places = &search->places;
    const struct ets *ets = &search->ets;
    const double alpha_slope = (SMOOTHING_MOST - SMOOTHING_LEAST) * share_slope(u[places->alpha]);
    double by_alpha = by->alpha;

    if (ets->form.trend != ETS_NO_TREND) {
        const double slope = share_slope(u[places->beta]);

        gradient[places->beta] =
            by->beta * ets->alpha * slope + TREND_PRIOR * slope / search->series->count;
        gradient[places->trend] = by->trend * search->unit;
        by_alpha += by->beta * share(u[places->beta]);
    }
    if (ets->form.trend == ETS_DAMPED)
        gradient[places->phi] = by->phi * (PHI_MOST - PHI_LEAST) * share_slope(u[places->phi]);
    if (ets->form.season != ETS_NO_SEASON) {
        const double unit =
            ets->form.season == ETS_TIMES ? search->unit / search->start.level : search->unit;
        const double last = search->season_adjoints[ets->season - 1];

        gradient[places->gamma] = by->gamma * (1 - ets->alpha) * share_slope(u[places->gamma]);
        by_alpha -= by->gamma * share(u[places->gamma]);
        for (uint32_t i = 0; i + 1 < ets->season; i++)
            gradient[places->seasons + i] = unit * (search->season_adjoints[i] - last);
    }
    gradient[places->alpha] = by_alpha * alpha_slope;
    gradient[places->level] = by->level * search->unit;
}

/* Minus twice the logarithm of the likelihood, over the values; with the prior. */
static double cost(void *context, const double *u, double *gradient)
{
    struct search *search = context;
    const uint32_t count = search->series->count;
    struct adjoints adjoints;
    struct sums sums;

    take_numbers(search, u);
    if (!run_over_values(search, &sums))
        return INFINITY;
    if (gradient) {
        adjoints = run_back(search, &sums);
        give_gradient(search, u, &adjoints, gradient);
    }
    return logarithm_double(sums.squares + count * SQUARE_LEAST) + 2 * sums.expected / count +
           prior(search, u);
}

/* ----- where to begin ----- */

/* Means around the first seasons' own means. */
static void guess_seasons(struct search *search)
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
                (is_times ? values[i] / (trend > LEVEL_LEAST ? trend : mean) : values[i] - trend) /
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
static void guess_states(struct search *search)
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

/* The best of some smoothings with the guessed states. */
static double choose_start(struct search *search, double *u)
{
    static const double alphas[] = {0.05, 0.3, 0.7}, shares[] = {0.05, 0.3};
    const struct places *places = &search->places;
    double best = INFINITY, chosen[2] = {alphas[1], shares[0]};

    memset(u, 0, places->count * sizeof *u);
    if (search->ets.form.trend == ETS_DAMPED)
        u[places->phi] = share_inverse(0.9);
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 2; j++) {
            double value;

            u[places->alpha] = share_inverse(alphas[i]);
            if (places->gamma > places->beta)
                u[places->beta] = share_inverse(shares[j]);
            if (places->phi > places->gamma)
                u[places->gamma] = share_inverse(shares[j]);
            value = cost(search, u, NULL);
            if (value < best) {
                best = value;
                chosen[0] = alphas[i];
                chosen[1] = shares[j];
            }
        }
    u[places->alpha] = share_inverse(chosen[0]);
    if (places->gamma > places->beta)
        u[places->beta] = share_inverse(chosen[1]);
    if (places->phi > places->gamma)
        u[places->gamma] = share_inverse(chosen[1]);
    return best;
}

static enum status find_room(struct search *search, struct arena *arena, struct error *err)
{
    const uint32_t season = search->ets.season;

    search->seasons = ARENA_NEW(arena, double, season);
    search->season_adjoints = ARENA_NEW(arena, double, season);
    search->start.seasons = ARENA_NEW(arena, double, season);
    search->ets.seasons = ARENA_NEW(arena, double, season);
    return search->seasons && search->season_adjoints && search->start.seasons &&
                   search->ets.seasons
               ? STATUS_OK
               : fail_no_memory(err);
}

enum status ets_room_make(uint32_t count, const struct fitting *fitting, struct ets_step **room,
                          struct error *err)
{
    *room = ARENA_NEW(fitting->arena, struct ets_step, count);
    return *room ? STATUS_OK : fail_no_memory(err);
}

enum status ets_fit(const struct ets_form *form, const struct series *series,
                    const struct fitting *fitting, struct ets_step *room, struct ets *ets,
                    struct error *err)
{
    struct search search = {.series = series, .places = place(form, series->season), .steps = room};
    const double count = series->count, parameters = search.places.count + 1;
    double u[DESCEND_NUMBERS_MAX], value;

    _Static_assert(ETS_SEASON_MAX + 6 <= DESCEND_NUMBERS_MAX, "a form's numbers fit");
    TRY(fitting_check(fitting, (uint64_t)series->count * STEPS_A_VALUE, err));
    search.ets.form = search.start.form = *form;
    search.ets.season = search.start.season = form->season == ETS_NO_SEASON ? 1 : series->season;
    TRY(find_room(&search, fitting->arena, err));
    if (form->season != ETS_NO_SEASON)
        guess_seasons(&search);
    guess_states(&search);
    search.ets.criterion = INFINITY;
    if (isfinite(choose_start(&search, u))) {
        struct sums sums;

        value = descend_bfgs(cost, &search, search.places.count, u);
        take_numbers(&search, u);
        run_over_values(&search, &sums);
        search.ets.variance = sums.squares / (count - (parameters - 1));
        search.ets.criterion = count * value + 2 * parameters +
                               2 * parameters * (parameters + 1) / (count - parameters - 1);
    }
    *ets = search.ets;
    return STATUS_OK;
}

/* ----- forecasts ----- */

/* The share of one error that reaches the value `ahead` steps later. */
static double carried(const struct ets *ets, uint32_t ahead, double damped)
{
    double share_of_error = ets->alpha + ets->beta * damped;

    if (ets->form.season == ETS_ADDED && ahead % ets->season == 0)
        share_of_error += ets->gamma;
    return share_of_error;
}

/* Hyndman et al., chapter 6: exact for additive errors and for relative ones without a season
 * that multiplies; with one, to the second order. `factors` are the season's. */
static void find_variances(const struct ets *ets, const double *levels, const double *seasons,
                           uint32_t place, uint32_t horizon, double *variances)
{
    double damped = 0, power = 1, sum = 0, season_growth = 1;

    if (!ets->form.is_relative && ets->form.season != ETS_TIMES) {
        for (uint32_t h = 0; h < horizon; h++) {
            double c;

            variances[h] = ets->variance * (1 + sum);
            power *= ets->phi;
            damped += power;
            c = carried(ets, h + 1, damped);
            sum += c * c;
        }
        return;
    }
    /* Second moments without the season that multiplies, each from those before it. */
    for (uint32_t h = 0; h < horizon; h++) {
        double later = 0;

        damped = 0;
        power = 1;
        for (uint32_t j = 1; j <= h; j++) {
            double c;

            power *= ets->phi;
            damped += power;
            c = carried(ets, j, damped);
            later += c * c * variances[h - j];
        }
        variances[h] = levels[h] * levels[h] + ets->variance * later;
    }
    for (uint32_t h = 0; h < horizon; h++) {
        const double factor =
            ets->form.season == ETS_TIMES ? seasons[(place + h) % ets->season] : 1;

        if (ets->form.season == ETS_TIMES && h > 0 && h % ets->season == 0)
            season_growth *= 1 + ets->gamma * ets->gamma * ets->variance;
        variances[h] = factor * factor *
                       (variances[h] * (1 + ets->variance) * season_growth - levels[h] * levels[h]);
    }
}

void ets_project(const struct ets *ets, double *seasons, const struct series *series,
                 uint32_t origin, uint32_t horizon, double *means, double *variances)
{
    const bool is_times = ets->form.season == ETS_TIMES;
    double level = ets->level, trend = ets->trend;
    uint32_t place = 0;

    memcpy(seasons, ets->seasons, ets->season * sizeof *seasons);
    for (uint32_t i = 0; i < origin; i++) {
        const double season = seasons[place], q = level + ets->phi * trend;
        const double error = series->values[i] - (is_times ? q * season : q + season);
        const double moved = is_times ? error / season : error;

        level = q + ets->alpha * moved;
        trend = ets->phi * trend + ets->beta * moved;
        seasons[place] = season + ets->gamma * (is_times ? error / q : error);
        place = place + 1 < ets->season ? place + 1 : 0;
    }
    for (uint32_t h = 0; h < horizon; h++) {
        trend *= ets->phi;
        level += trend;
        means[h] = level + (ets->form.season == ETS_ADDED ? seasons[(place + h) % ets->season] : 0);
    }
    if (variances)
        find_variances(ets, means, seasons, place, horizon, variances);
    for (uint32_t h = 0; h < horizon && is_times; h++)
        means[h] *= seasons[(place + h) % ets->season];
}
