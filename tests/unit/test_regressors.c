#include "tests/check.h"

#include <math.h>

#include "base/random.h"
#include "forecast/regressors.h"

#define COUNT   96
#define HORIZON 12
#define WIDTH   2

struct made {
    struct forecast forecast;
    double coefficients[REGRESSORS_MAX];
    struct arena arena;
};

static double noise(uint64_t i)
{
    double sum = 0;

    for (uint64_t k = 0; k < 12; k++)
        sum += random_uniform(12, RANDOM_SIMULATION, i, k);
    return sum - 6;
}

/* The rows of tests/quality/regressors.py. */
static void make_rows(double *values, double *x)
{
    static const int season[] = {17, 3, -4, -11, 0, 25, 31, 8, -6, -20, -22, -21};

    for (int i = 0; i < COUNT; i++) {
        const double promo = i * i * 7 % 11 < 3, price = 10 + i * 37 % 17 / 8.0;

        values[i] = 200 + i + season[i % 12] + 9 * (i % 7 < 3) + (i * 7919 % 13) - 6 + 40 * promo -
                    12.5 * price;
        x[i * WIDTH] = promo;
        x[i * WIDTH + 1] = price;
    }
}

static struct forecast_options options_of(const char *method)
{
    struct forecast_options options = {.horizon = HORIZON, .level = .95};
    struct error err;

    CHECK_OK(forecast_method(slice_of(method), &options.method, &err));
    forecast_add_season(&options, 12);
    return options;
}

/* values and x are copied. */
static enum status run(const double *values, const double *x, uint32_t count, uint32_t width,
                       const struct forecast_options *options, struct made *made, struct error *err)
{
    static double own[512], columns[512 * WIDTH];
    const struct regressors regressors = {columns, width};

    CHECK(count <= 512 && width <= WIDTH);
    memcpy(own, values, count * sizeof *own);
    memcpy(columns, x, (size_t)count * width * sizeof *columns);
    arena_init(&made->arena, ARENA_MAXIMUM);
    return regressors_run(own, count, &regressors, options, &made->arena, &made->forecast,
                          made->coefficients, err);
}

/* Printed by tests/quality/regressors.py. */
static const struct reference {
    struct arima_order order;
    double coefficients[WIDTH], values[2]; /* values 1 and 12 to come, where regressors are 0 */
} references[] = {
    /* statsmodels: [39.915, -12.389] */
    {{1, 0, 0, 0, 0, 0, true}, {39.6358, -12.0584}, {266.48, 243.82}},
    /* statsmodels: [39.925, -12.582] */
    {{0, 1, 1, 0, 0, 0, false}, {39.9281, -12.5836}, {277.67, 277.67}},
    /* statsmodels: [39.544, -12.439] */
    {{1, 0, 0, 0, 1, 0, true}, {39.5404, -12.4374}, {327.28, 287.75}},
    /* statsmodels: [39.629, -12.62] */
    {{0, 1, 1, 1, 0, 0, false}, {39.3401, -13.2731}, {329.89, 295.04}},
};

static void least_squares_are_those_of_another_program(void **state)
{
    double values[COUNT], x[COUNT * WIDTH];

    (void)state;
    make_rows(values, x);
    for (size_t r = 0; r < sizeof references / sizeof *references; r++) {
        const struct reference *reference = &references[r];
        struct forecast_options options = options_of("arima");
        struct made made;
        struct error err;

        options.season_is_given = options.has_order = true;
        options.order = reference->order;

        CHECK_OK(run(values, x, COUNT, WIDTH, &options, &made, &err));
        for (int i = 0; i < WIDTH; i++)
            CHECK(fabs(made.coefficients[i] - reference->coefficients[i]) < 2e-3);
        CHECK(fabs(made.forecast.values[0] - reference->values[0]) < 0.1);
        CHECK(fabs(made.forecast.values[HORIZON - 1] - reference->values[1]) < 0.1);
        arena_deinit(&made.arena);
    }
}

/* A random walk with a season, a promotion on some days of the season, and a price that walks. */
static void make_walk(double *values, double *x, uint32_t count, uint32_t season)
{
    double level = 100, price = 5;

    for (uint32_t i = 0; i < count; i++) {
        level += 0.5 * noise(2 * i);
        price += 0.1 * noise(2 * i + 1);
        x[i * WIDTH] = random_uniform(13, RANDOM_SIMULATION, i, 0) < 0.2;
        x[i * WIDTH + 1] = price;
        values[i] = level + 10.0 * (i % season) / season + 20 * x[i * WIDTH] - 7 * price +
                    noise(100000 + i);
    }
}

static void coefficients_are_found_by_all_methods(void **state)
{
    static const char *const methods[] = {"forecast", "autoets", "autoarima",
                                          "theta",    "mstl",    "seasonalnaive"};
    static const uint32_t seasons[] = {7, 12, 60};
    double values[360], x[360 * WIDTH];

    (void)state;
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
        for (size_t s = 0; s < sizeof seasons / sizeof *seasons; s++) {
            struct forecast_options options = options_of(methods[m]);
            struct made made;
            struct error err;

            options.seasons[0] = seasons[s];
            make_walk(values, x, 360, seasons[s]);
            CHECK_OK(run(values, x, 360, WIDTH, &options, &made, &err));
            CHECK(fabs(made.coefficients[0] - 20) < 0.5);
            CHECK(fabs(made.coefficients[1] + 7) < 1.5);
            CHECK(made.forecast.lower[0] < made.forecast.values[0] &&
                  made.forecast.values[0] < made.forecast.upper[0]);
            arena_deinit(&made.arena);
        }
}

static void what_follows_from_others_is_dropped(void **state)
{
    double values[COUNT], x[COUNT * WIDTH], alone[COUNT];
    const struct forecast_options options = options_of("autoarima");
    struct made made, one;
    struct error err;

    (void)state;
    make_rows(values, x);
    for (int i = 0; i < COUNT; i++) {
        alone[i] = x[i * WIDTH];
        x[i * WIDTH + 1] = 3 - 2 * alone[i];
    }
    CHECK_OK(run(values, x, COUNT, WIDTH, &options, &made, &err));
    CHECK_OK(run(values, alone, COUNT, 1, &options, &one, &err));
    CHECK(made.coefficients[0] == one.coefficients[0] && made.coefficients[1] == 0);
    CHECK(made.coefficients[0] > 30);
    CHECK(made.forecast.values[3] == one.forecast.values[3]);
    arena_deinit(&made.arena);
    arena_deinit(&one.arena);
}

/* Where no regressor is used the forecast has the bits of one without any. */
static void check_unused(const double *values, const double *x, uint32_t count, const char *method)
{
    const struct forecast_options options = options_of(method);
    struct forecast plain;
    struct made made;
    struct error err;
    double own[COUNT];

    CHECK_OK(run(values, x, count, WIDTH, &options, &made, &err));
    memcpy(own, values, count * sizeof *own);
    CHECK_OK(forecast_run(own, count, &options, &made.arena, &plain, &err));
    CHECK(made.coefficients[0] == 0 && made.coefficients[1] == 0);
    for (uint32_t h = 0; h < HORIZON; h++)
        CHECK(made.forecast.values[h] == plain.values[h] &&
              made.forecast.lower[h] == plain.lower[h] && made.forecast.upper[h] == plain.upper[h]);
    arena_deinit(&made.arena);
}

static void without_a_regressor_that_varies_nothing_changes(void **state)
{
    double values[COUNT], x[COUNT * WIDTH], same[COUNT];

    (void)state;
    make_rows(values, x);
    for (int i = 0; i < COUNT; i++)
        same[i] = 0.1;
    check_unused(same, x, COUNT, "forecast"); /* nothing to explain */
    check_unused(values, x, 13, "forecast");  /* too few values for two of them */
    check_unused(values, x, 1, "forecast");
    for (int i = 0; i < COUNT; i++) {
        x[i * WIDTH] = 0;
        x[i * WIDTH + 1] = 20240131.1;
    }
    check_unused(values, x, COUNT, "forecast");
    check_unused(values, x, COUNT, "theta");
}

/* The line between neighbours is a value that regressors do not explain. */
static void gaps_and_ends_are_left_alone(void **state)
{
    double values[COUNT + 2], x[(COUNT + 2) * WIDTH];
    const struct forecast_options options = options_of("autoarima");
    struct made whole, holed;
    struct error err;

    (void)state;
    make_rows(values + 1, x + WIDTH);
    CHECK_OK(run(values + 1, x + WIDTH, COUNT, WIDTH, &options, &whole, &err));
    values[0] = values[COUNT + 1] = x[0] = x[1] = NAN;
    x[(COUNT + 1) * WIDTH] = x[(COUNT + 1) * WIDTH + 1] = NAN;
    CHECK_OK(run(values, x, COUNT + 2, WIDTH, &options, &holed, &err));
    CHECK(holed.coefficients[0] == whole.coefficients[0]);
    CHECK(holed.forecast.values[0] == whole.forecast.values[0]);
    arena_deinit(&holed.arena);
    for (int i = 0; i < 4; i++) {
        values[20 + 17 * i] = NAN;
        x[(20 + 17 * i) * WIDTH] = i < 2 ? NAN : 1e6; /* known or not, it explains nothing */
    }
    CHECK_OK(run(values, x, COUNT + 2, WIDTH, &options, &holed, &err));
    CHECK(fabs(holed.coefficients[0] - 40) < 2 && fabs(holed.coefficients[1] + 12.5) < 1.5);
    arena_deinit(&holed.arena);
    arena_deinit(&whole.arena);
}

static void scales_change_nothing_but_the_scale(void **state)
{
    static const double factors[][2] = {{0x1p40, 0x1p-20}, {0x1p-60, 0x1p60}, {0x1p300, 1}};
    double values[COUNT], x[COUNT * WIDTH], scaled[COUNT], wide[COUNT * WIDTH];
    const struct forecast_options options = options_of("forecast");
    struct made made, other;
    struct error err;

    (void)state;
    make_rows(values, x);
    CHECK_OK(run(values, x, COUNT, WIDTH, &options, &made, &err));
    for (int f = 0; f < 3; f++) {
        const double ratio = factors[f][0] / factors[f][1];

        for (int i = 0; i < COUNT; i++) {
            scaled[i] = values[i] * factors[f][0];
            for (int k = 0; k < WIDTH; k++)
                wide[i * WIDTH + k] = x[i * WIDTH + k] * factors[f][1];
        }
        CHECK_OK(run(scaled, wide, COUNT, WIDTH, &options, &other, &err));
        /* A coefficient that no model could have is none. */
        CHECK(other.coefficients[0] == (ratio > 1e29 ? 0 : made.coefficients[0] * ratio));
        if (ratio < 1e29)
            CHECK(other.forecast.values[5] == made.forecast.values[5] * factors[f][0]);
        arena_deinit(&other.arena);
    }
    arena_deinit(&made.arena);
}

/* A series without negative values may be below 0 where regressors are 0. */
static void nothing_is_cut_before_regressors_are_added(void **state)
{
    double values[COUNT], x[COUNT * WIDTH];
    const struct forecast_options options = options_of("forecast");
    struct made made;
    struct error err;

    (void)state;
    make_rows(values, x);
    for (int i = 0; i < COUNT; i++)
        values[i] = 50 * x[i * WIDTH + 1] - 480 + 3 * noise((uint64_t)i);
    CHECK_OK(run(values, x, COUNT, WIDTH, &options, &made, &err));
    CHECK(made.forecast.values[0] < -400);
    arena_deinit(&made.arena);
}

static void demand_that_is_rare_has_no_regressors(void **state)
{
    (void)state;
    CHECK(!regressors_suit(options_of("croston").method));
    CHECK(!regressors_suit(options_of("sba").method));
    CHECK(!regressors_suit(options_of("tsb").method));
    CHECK(regressors_suit(options_of("forecast").method));
}

static bool is_stopped(void *left)
{
    uint32_t *count = left;

    return (*count)-- == 0;
}

static void an_interrupt_ends_it(void **state)
{
    double values[COUNT], x[COUNT * WIDTH];
    struct forecast_options options = options_of("autoarima");
    struct made made;
    struct error err;

    (void)state;
    make_rows(values, x);
    options.is_stopped = is_stopped;
    for (uint32_t asked = 0;; asked++) {
        uint32_t left = asked;
        enum status status;

        options.stop = &left;
        status = run(values, x, COUNT, WIDTH, &options, &made, &err);
        arena_deinit(&made.arena);
        if (status == STATUS_OK) {
            CHECK(asked > 0);
            break;
        }
        CHECK(status == STATUS_INTERRUPTED);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(least_squares_are_those_of_another_program),
        cmocka_unit_test(coefficients_are_found_by_all_methods),
        cmocka_unit_test(what_follows_from_others_is_dropped),
        cmocka_unit_test(without_a_regressor_that_varies_nothing_changes),
        cmocka_unit_test(gaps_and_ends_are_left_alone),
        cmocka_unit_test(scales_change_nothing_but_the_scale),
        cmocka_unit_test(nothing_is_cut_before_regressors_are_added),
        cmocka_unit_test(demand_that_is_rare_has_no_regressors),
        cmocka_unit_test(an_interrupt_ends_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
