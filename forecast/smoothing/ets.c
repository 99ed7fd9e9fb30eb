#include "forecast/smoothing/ets.h"

#include <math.h>
#include <string.h>

#include "forecast/smoothing/ets_start.h"

#define STEPS_A_VALUE 150 /* about, of a fit: see method.h */

bool ets_is_possible(const struct ets_form *form, const struct series *series)
{
    const bool has_season = form->season != ETS_NO_SEASON;

    if (has_season && (series->season < 2 || series->season > ETS_SEASON_MAX ||
                       series->count / 2 < series->season))
        return false;
    /* With the variance one parameter more, and AICc needs two values more than that. */
    if (series->count < ets_places_of(form, series->season).count + 3)
        return false;
    for (uint32_t i = 0; i < series->count && (form->is_relative || form->season == ETS_TIMES); i++)
        if (!(series->values[i] > ETS_LEVEL_LEAST))
            return false;
    return true;
}

static enum status find_room(struct ets_search *search, struct arena *arena, struct error *err)
{
    const uint32_t season = search->ets.season;

    search->seasons = ARENA_NEW(arena, double, season);
    search->season_adjoints = ARENA_NEW(arena, double, season);
    search->season_slopes = ARENA_NEW(arena, double, (size_t)season *DESCEND_NUMBERS_MAX);
    search->start.seasons = ARENA_NEW(arena, double, season);
    search->ets.seasons = ARENA_NEW(arena, double, season);
    return search->seasons && search->season_adjoints && search->season_slopes &&
                   search->start.seasons && search->ets.seasons
               ? STATUS_OK
               : fail_no_memory(err);
}

enum status ets_room_make(uint32_t count, const struct fitting *fitting, struct ets_step **room,
                          struct error *err)
{
    *room = ARENA_NEW(fitting->arena, struct ets_step, count);
    return *room ? STATUS_OK : fail_no_memory(err);
}

/* The numbers of the greatest likelihood, from those of the start; its cost. */
static double find_numbers(struct ets_search *search, double *numbers)
{
    double lower[DESCEND_NUMBERS_MAX], upper[DESCEND_NUMBERS_MAX], value;
    descend_square curvature;

    ets_bounds(search, lower, upper);
    ets_curvature(search, numbers, curvature);
    value = descend_bfgs(ets_cost, search, search->places.count, numbers, lower, upper, curvature);
    ets_cost(search, numbers, NULL);
    return value;
}

enum status ets_fit(const struct ets_form *form, const struct series *series,
                    const struct fitting *fitting, struct ets_step *room, struct ets *ets,
                    struct error *err)
{
    struct ets_search search = {
        .series = series, .places = ets_places_of(form, series->season), .steps = room};
    const double count = series->count, parameters = search.places.count + 1;
    double numbers[DESCEND_NUMBERS_MAX];

    _Static_assert(ETS_SEASON_MAX + 6 <= DESCEND_NUMBERS_MAX, "a form's numbers fit");
    TRY(fitting_check(fitting, (uint64_t)series->count * STEPS_A_VALUE, err));
    search.ets.form = search.start.form = *form;
    search.ets.season = search.start.season = form->season == ETS_NO_SEASON ? 1 : series->season;
    TRY(find_room(&search, fitting->arena, err));
    search.ets.criterion = INFINITY;
    if (isfinite(ets_choose_start(&search, numbers))) {
        const double value = find_numbers(&search, numbers);

        search.ets.variance = search.squares / (count - (parameters - 1));
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
