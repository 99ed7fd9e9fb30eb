#include "tests/check.h"

#include <math.h>

#include "base/random.h"
#include "forecast/forecast.h"

static const char *const names[] = {"forecast",
                                    "autoets",
                                    "ets",
                                    "autoarima",
                                    "arima",
                                    "mstl",
                                    "theta",
                                    "optimizedtheta",
                                    "dynamictheta",
                                    "dynamicoptimizedtheta",
                                    "seasonalnaive",
                                    "naive",
                                    "croston",
                                    "sba",
                                    "tsb"};
#define NAME_COUNT (sizeof names / sizeof *names)
#define HORIZON    18
#define VALUES_MAX 400

struct made {
    double values[HORIZON], lower[HORIZON], upper[HORIZON];
    uint32_t season;
};

static enum status run_with(const char *method, const double *values, uint32_t count,
                            uint32_t season, struct made *made, struct error *err)
{
    struct forecast_options options = {.horizon = HORIZON, .level = 0.9, .season_is_given = true};
    double copy[VALUES_MAX];
    struct forecast forecast;
    struct arena arena;
    enum status status;

    options.seasons[0] = season;
    options.season_count = season > 1;
    memcpy(copy, values, count * sizeof *copy);
    TRY(forecast_method(slice_of(method), &options.method, err));
    arena_init(&arena, ARENA_MAXIMUM);
    status = forecast_run(copy, count, &options, &arena, &forecast, err);
    if (status == STATUS_OK) {
        memcpy(made->values, forecast.values, sizeof made->values);
        memcpy(made->lower, forecast.lower, sizeof made->lower);
        memcpy(made->upper, forecast.upper, sizeof made->upper);
        made->season = forecast.season;
    }
    arena_deinit(&arena);
    return status;
}

static struct made run(const char *method, const double *values, uint32_t count, uint32_t season)
{
    struct made made = {.season = 0};
    struct error err;

    error_clear(&err);
    if (run_with(method, values, count, season, &made, &err) != STATUS_OK)
        check_failed("%s of %u values: %s", method, count, err.message);
    return made;
}

static double noise(uint64_t i)
{
    double sum = 0;

    for (uint64_t k = 0; k < 12; k++)
        sum += random_uniform(7, RANDOM_SIMULATION, i, k);
    return sum - 6;
}

static void a_constant_comes_back_exactly(void **state)
{
    static const double constants[] = {0, 0.1, -3, 1e300, -1e300, 1e-300, 7};

    (void)state;
    for (size_t m = 0; m < NAME_COUNT; m++)
        for (size_t c = 0; c < sizeof constants / sizeof *constants; c++)
            for (uint32_t count = 1; count < 40; count += count < 6 ? 1 : 11) {
                double values[40];
                struct made made;

                for (uint32_t i = 0; i < count; i++)
                    values[i] = constants[c];
                made = run(names[m], values, count, 4);
                for (int h = 0; h < HORIZON; h++)
                    CHECK(made.values[h] == constants[c] && made.lower[h] == constants[c] &&
                          made.upper[h] == constants[c]);
            }
}

/* Series of each length, with zeros, negative values, jumps and gaps. */
static void any_series_has_a_finite_forecast(void **state)
{
    (void)state;
    for (size_t m = 0; m < NAME_COUNT; m++)
        for (uint32_t count = 1; count <= 60; count += count < 12 ? 1 : 7)
            for (int kind = 0; kind < 7; kind++) {
                double values[60];
                struct made made;

                for (uint32_t i = 0; i < count; i++)
                    switch (kind) {
                    case 0:
                        values[i] = noise(i);
                        break;
                    case 1:
                        values[i] = i % 3 ? 0 : 5;
                        break;
                    case 2:
                        values[i] = i < count / 2 ? 1 : 1e9;
                        break;
                    case 3:
                        values[i] = (i % 2 ? 1e300 : -1e300) / 4;
                        break;
                    case 4:
                        values[i] = i % 5 == 1 ? NAN : 100 + 3 * noise(i);
                        break;
                    case 5:
                        values[i] = i;
                        break;
                    default:
                        values[i] = 1e-5 + (i % 4 == 0) * 50;
                        break;
                    }
                made = run(names[m], values, count, 4);
                for (int h = 0; h < HORIZON; h++)
                    CHECK(isfinite(made.values[h]) && made.lower[h] <= made.values[h] &&
                          made.values[h] <= made.upper[h]);
            }
}

static void a_power_of_two_changes_no_digit(void **state)
{
    double values[96], large[96];

    (void)state;
    for (uint32_t i = 0; i < 96; i++) {
        values[i] = 50 + i + 10 * noise(i) + 20 * (i % 12 == 3);
        large[i] = values[i] * 1024;
    }
    for (size_t m = 0; m < NAME_COUNT; m++) {
        const struct made a = run(names[m], values, 96, 12), b = run(names[m], large, 96, 12);

        for (int h = 0; h < HORIZON; h++)
            CHECK(a.values[h] * 1024 == b.values[h] && a.upper[h] * 1024 == b.upper[h]);
    }
}

static void trend_and_season_are_carried_on(void **state)
{
    static const char *const able[] = {"forecast", "autoets", "ets", "autoarima", "arima", "mstl"};
    double values[120];

    (void)state;
    for (uint32_t i = 0; i < 120; i++)
        values[i] = 200 + 2 * i + 30 * ((i % 12 == 5) - (i % 12 == 11)) + noise(i);
    for (size_t m = 0; m < sizeof able / sizeof *able; m++) {
        const struct made made = run(able[m], values, 120, 12);

        for (uint32_t h = 0; h < HORIZON; h++) {
            const uint32_t i = 120 + h;
            const double truth = 200 + 2 * i + 30 * ((i % 12 == 5) - (i % 12 == 11));

            CHECK(fabs(made.values[h] - truth) < 0.02 * truth);
        }
    }
}

/* The interval of 90 % of simulated walks, of which the variance is known: h. */
static void intervals_of_a_walk_grow_as_they_should(void **state)
{
    double values[300] = {1000}, sum = 0;
    struct made made;

    (void)state;
    for (uint32_t i = 1; i < 300; i++) {
        values[i] = values[i - 1] + noise(i);
        sum += noise(i) * noise(i);
    }
    made = run("naive", values, 300, 1);
    for (uint32_t h = 0; h < HORIZON; h++) {
        const double reach = 1.6448536269514722 * sqrt(sum / 299 * (h + 1));

        CHECK(made.values[h] == values[299]);
        CHECK(fabs(made.upper[h] - made.values[h] - reach) < 1e-9 * reach);
    }
}

static void gaps_are_filled_and_ends_left_out(void **state)
{
    static const double with[] = {NAN, 1, 2, NAN, NAN, 5, 6, NAN}, without[] = {1, 2, 3, 4, 5, 6};
    const struct made a = run("theta", with, 8, 1), b = run("theta", without, 6, 1);

    (void)state;
    for (int h = 0; h < HORIZON; h++)
        CHECK(fabs(a.values[h] - b.values[h]) < 1e-9);
}

static void the_last_season_is_repeated(void **state)
{
    static const double values[] = {9, 9, 9, 1, 2, 3};
    const struct made made = run("seasonalnaive", values, 6, 3);

    (void)state;
    for (int h = 0; h < HORIZON; h++)
        CHECK(made.values[h] == 1 + h % 3);
}

/* By hand: sizes 4, 4 + 0.1 (6 - 4); intervals 2, 2 + 0.1 (3 - 2); 0.95 of size over interval. */
static void rare_demand_is_smoothed_as_in_the_papers(void **state)
{
    static const double values[] = {0, 4, 0, 0, 6, 0, 0};

    (void)state;
    CHECK(fabs(run("croston", values, 7, 1).values[0] - 4.2 / 2.1) < 1e-12);
    CHECK(fabs(run("sba", values, 7, 1).values[0] - 0.95 * 4.2 / 2.1) < 1e-12);
    CHECK(run("forecast", values, 7, 1).values[0] == run("sba", values, 7, 1).values[0]);
    /* 0, then 0.1, 0.09, 0.081, 0.1729, 0.15561, 0.140049 */
    CHECK(fabs(run("tsb", values, 7, 1).values[0] - 4.2 * 0.140049) < 1e-12);
}

static void what_was_never_negative_is_not_forecast_so(void **state)
{
    double values[30];
    struct made made;

    (void)state;
    for (uint32_t i = 0; i < 30; i++)
        values[i] = 30 - i;
    made = run("forecast", values, 30, 1);
    CHECK(made.values[HORIZON - 1] >= 0 && made.lower[HORIZON - 1] == 0);
    CHECK(run("autoets", values, 30, 1).values[HORIZON - 1] < 0);
}

static void the_normal_quantile_is_that_of_tables(void **state)
{
    (void)state;
    CHECK(fabs(normal_quantile_of_level(0.8) - 1.2815515655446004) < 1e-12);
    CHECK(fabs(normal_quantile_of_level(0.95) - 1.959963984540054) < 1e-12);
    CHECK(fabs(normal_quantile_of_level(0.999) - 3.2905267314919255) < 1e-11);
}

static void an_unknown_method_names_the_nearest(void **state)
{
    const struct method *method;
    struct error err;

    (void)state;
    CHECK_FAILS(forecast_method(SLICE("thetta"), &method, &err), STATUS_INVALID, "thetta");
    CHECK(strstr(err.hint, "\"theta\""));
    CHECK_FAILS(forecast_method(SLICE("qqqqqqqqqq"), &method, &err), STATUS_INVALID, "qqq");
    for (size_t m = 0; m < NAME_COUNT; m++)
        CHECK(strstr(err.hint, names[m]));
    CHECK_OK(forecast_method(SLICE("Auto_ARIMA"), &method, &err));
    CHECK(strcmp(method->name, "autoarima") == 0);
}

static bool stop_at_third(void *asked)
{
    return ++*(int *)asked == 3;
}

static void an_interrupt_ends_the_fit(void **state)
{
    struct forecast_options options = {.horizon = 3, .level = 0.9, .is_stopped = stop_at_third};
    struct forecast forecast;
    struct arena arena;
    struct error err;
    static double values[30000]; /* so many that it is asked before each form */
    int asked = 0;

    (void)state;
    for (uint32_t i = 0; i < 30000; i++)
        values[i] = noise(i);
    options.stop = &asked;
    arena_init(&arena, ARENA_MAXIMUM);
    CHECK_OK(forecast_method(SLICE("autoets"), &options.method, &err));
    CHECK_FAILS(forecast_run(values, 30000, &options, &arena, &forecast, &err), STATUS_INTERRUPTED,
                "interrupted");
    CHECK_INT(asked, 3);
    arena_deinit(&arena);
}

static void memory_has_a_limit(void **state)
{
    struct forecast_options options = {.horizon = 3, .level = 0.9};
    struct forecast forecast;
    struct error err;

    (void)state;
    CHECK_OK(forecast_method(SLICE("forecast"), &options.method, &err));
    for (size_t most = 0; most < 100000; most += 500) {
        double values[50];
        struct arena arena;
        enum status status;

        for (uint32_t i = 0; i < 50; i++)
            values[i] = noise(i);
        arena_init(&arena, most);
        status = forecast_run(values, 50, &options, &arena, &forecast, &err);
        CHECK(status == STATUS_NO_MEMORY || status == STATUS_OK);
        arena_deinit(&arena);
    }
}

/* A share of what the longest series has in a database: 256 MiB of a million values. */
static void a_long_series_fits_into_memory(void **state)
{
    static double values[4000];
    const uint32_t count = sizeof values / sizeof *values;
    struct forecast_options options = {
        .horizon = 3, .level = 0.9, .seasons = {12}, .season_count = 1, .season_is_given = true};
    struct forecast forecast;
    struct arena arena;
    struct error err;

    (void)state;
    for (uint32_t i = 0; i < count; i++)
        values[i] = 100 + 0.01 * i + 3 * (i % 12 == 4) + noise(i);
    arena_init(&arena, count * 256 + 200000);
    CHECK_OK(forecast_method(SLICE("forecast"), &options.method, &err));
    CHECK_OK(forecast_run(values, count, &options, &arena, &forecast, &err));
    arena_deinit(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_constant_comes_back_exactly),
        cmocka_unit_test(any_series_has_a_finite_forecast),
        cmocka_unit_test(a_power_of_two_changes_no_digit),
        cmocka_unit_test(trend_and_season_are_carried_on),
        cmocka_unit_test(intervals_of_a_walk_grow_as_they_should),
        cmocka_unit_test(gaps_are_filled_and_ends_left_out),
        cmocka_unit_test(the_last_season_is_repeated),
        cmocka_unit_test(rare_demand_is_smoothed_as_in_the_papers),
        cmocka_unit_test(what_was_never_negative_is_not_forecast_so),
        cmocka_unit_test(the_normal_quantile_is_that_of_tables),
        cmocka_unit_test(an_unknown_method_names_the_nearest),
        cmocka_unit_test(an_interrupt_ends_the_fit),
        cmocka_unit_test(memory_has_a_limit),
        cmocka_unit_test(a_long_series_fits_into_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
