/* Likelihoods and forecasts beside those of statsforecast on 200 series
 * (tests/quality/forecast_peers.py). */
#include "tests/check.h"

#include <math.h>

#include "forecast/forecast.h"
#include "forecast/smoothing/ets.h"
#include "scoring/numbers/elementary.h"
#include "tests/unit/forecast_peers.h"

#define SERIES_COUNT 200
#define COUNT_MAX    128
#define HORIZON      12
#define FORMS        4
#define METHODS      3

/* ----- the series ----- */

struct drawn {
    double values[COUNT_MAX];
    uint32_t count, season;
    bool is_demand; /* mostly 0 */
};

static int draw(uint32_t number, uint32_t place, int least, uint32_t count)
{
    uint32_t mixed = (number * 7919u + place * 104729u + 12345u) * 2654435761u;

    mixed = (mixed ^ mixed >> 15) * 2246822519u;
    return least + (int)((mixed >> 16) % count);
}

static struct drawn draw_series(uint32_t number)
{
    static const uint32_t seasons[] = {12, 4, 1, 1};
    struct drawn drawn = {.season = seasons[number % 4], .is_demand = number % 4 == 3};
    const int trend = draw(number, 1, -1, 4), least = drawn.is_demand ? 0 : 20;
    int walk = 0;

    drawn.count = 3 * drawn.season + 24 + (uint32_t)draw(number, 0, 0, 40);
    for (uint32_t i = 0; i < drawn.count; i++) {
        int value;

        walk += draw(number, 1000 + i, -3, 7);
        value = 400 + trend * (int)i + walk + draw(number, 2000 + i, -12, 25);
        if (drawn.season > 1)
            value += draw(number, 3000 + i % drawn.season, -60, 121);
        if (drawn.is_demand)
            value = draw(number, 5000 + i, 0, 3) == 0 ? draw(number, 4000 + i, 1, 20) : 0;
        drawn.values[i] = value > least ? value : least;
    }
    return drawn;
}

/* ----- likelihoods ----- */

static const struct ets_form forms[2][FORMS] = {
    {{false, ETS_NO_TREND, ETS_NO_SEASON},
     {false, ETS_TREND, ETS_NO_SEASON},
     {false, ETS_DAMPED, ETS_NO_SEASON},
     {true, ETS_NO_TREND, ETS_NO_SEASON}},
    {{false, ETS_NO_TREND, ETS_ADDED},
     {false, ETS_TREND, ETS_ADDED},
     {true, ETS_NO_TREND, ETS_TIMES},
     {true, ETS_TREND, ETS_TIMES}},
};

#define SCALE 1024.0 /* values below 1 */

/* -2 log likelihood of values that are `SCALE` times those of the model. */
static double likelihood_of(const struct ets *ets, const struct series *series, struct arena *arena)
{
    const bool is_times = ets->form.season == ETS_TIMES;
    double *seasons = ARENA_NEW(arena, double, ets->season), squares = 0, expected_log = 0;
    double level = ets->level, trend = ets->trend;

    memcpy(seasons, ets->seasons, ets->season * sizeof *seasons);
    for (uint32_t i = 0; i < series->count; i++) {
        double *season = &seasons[i % ets->season];
        const double q = level + ets->phi * trend, expected = is_times ? q * *season : q + *season;
        const double error = series->values[i] - expected;
        const double moved = is_times ? error / *season : error;
        const double relative = ets->form.is_relative ? error / expected : error * SCALE;

        squares += relative * relative;
        expected_log += ets->form.is_relative ? logarithm_double(expected * SCALE) : 0;
        level = q + ets->alpha * moved;
        trend = ets->phi * trend + ets->beta * moved;
        *season += ets->gamma * (is_times ? error / q : error);
    }
    return series->count * logarithm_double(squares) + 2 * expected_log;
}

static double fit_form(const struct ets_form *form, const struct drawn *drawn)
{
    double values[COUNT_MAX], likelihood;
    const struct series series = {values, drawn->count, drawn->season};
    struct fitting fitting = {.horizon = 1};
    struct ets_step *room;
    struct arena arena;
    struct error err;
    struct ets ets;

    for (uint32_t i = 0; i < drawn->count; i++)
        values[i] = drawn->values[i] / SCALE;
    arena_init(&arena, ARENA_MAXIMUM);
    fitting.arena = &arena;
    CHECK(ets_is_possible(form, &series));
    CHECK_OK(ets_room_make(drawn->count, &fitting, &room, &err));
    CHECK_OK(ets_fit(form, &series, &fitting, room, &ets, &err));
    likelihood = likelihood_of(&ets, &series, &arena);
    arena_deinit(&arena);
    return likelihood;
}

/* The priors of ets_search.c cost a likelihood little: a half at most in 19 of 20 models. */
static void likelihoods_are_no_less(void **state)
{
    uint32_t models = 0, less = 0, greater = 0;

    (void)state;
    for (uint32_t s = 0; s < SERIES_COUNT; s++) {
        const struct drawn drawn = draw_series(s);

        for (uint32_t f = 0; f < FORMS; f++) {
            double above;

            if (!isfinite(peers[s].likelihoods[f]))
                continue;
            above = fit_form(&forms[drawn.season > 1][f], &drawn) - peers[s].likelihoods[f];
            models++;
            less += above > 0.5;
            greater += above < -0.5;
            CHECK(above < 4);
        }
    }
    CHECK_INT(models, 536);
    CHECK(less <= models / 20);
    CHECK(greater > models / 3); /* where their search ends early */
}

/* ----- forecasts ----- */

static void forecast_of(const char *method, const struct drawn *drawn, double *means)
{
    struct forecast_options options = {.horizon = HORIZON, .level = 0.9, .season_is_given = true};
    double values[COUNT_MAX];
    struct forecast forecast;
    struct arena arena;
    struct error err;

    options.seasons[0] = drawn->season;
    options.season_count = drawn->season > 1;
    memcpy(values, drawn->values, sizeof values);
    arena_init(&arena, ARENA_MAXIMUM);
    CHECK_OK(forecast_method(slice_of(method), &options.method, &err));
    CHECK_OK(forecast_run(values, drawn->count, &options, &arena, &forecast, &err));
    means[0] = forecast.values[0];
    means[1] = forecast.values[HORIZON - 1];
    arena_deinit(&arena);
}

/* Mean difference of values one season apart, the unit of distances. */
static double naive_error(const struct drawn *drawn)
{
    double sum = 0;

    for (uint32_t i = drawn->season; i < drawn->count; i++)
        sum += fabs(drawn->values[i] - drawn->values[i - drawn->season]);
    return sum / (drawn->count - drawn->season);
}

/* Forecasts of 19 of 20 series are apart by at most so many naive errors. Those of optimised
 * methods end at other places of a flat sum of squares. */
static const struct {
    const char *name;
    double apart;
} methods[2][METHODS] = {
    {{"theta", 0.05}, {"optimizedtheta", 0.1}, {"dynamicoptimizedtheta", 0.35}},
    {{"croston", 1e-4}, {"sba", 1e-4}, {"tsb", 1e-4}},
};

static void forecasts_are_near(void **state)
{
    uint32_t far[2][METHODS] = {{0}};

    (void)state;
    for (uint32_t s = 0; s < SERIES_COUNT; s++) {
        const struct drawn drawn = draw_series(s);

        for (uint32_t m = 0; m < METHODS; m++) {
            double means[2], apart;

            forecast_of(methods[drawn.is_demand][m].name, &drawn, means);
            apart = (fabs(means[0] - peers[s].means[2 * m]) +
                     fabs(means[1] - peers[s].means[2 * m + 1])) /
                    (2 * naive_error(&drawn));
            far[drawn.is_demand][m] += apart > methods[drawn.is_demand][m].apart;
        }
    }
    for (uint32_t m = 0; m < METHODS; m++)
        CHECK(far[0][m] <= 150 / 20 && far[1][m] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(likelihoods_are_no_less),
        cmocka_unit_test(forecasts_are_near),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
