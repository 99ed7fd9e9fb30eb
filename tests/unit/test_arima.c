#include "tests/check.h"

#include <math.h>

#include "base/random.h"
#include "forecast/arima/auto_arima.h"
#include "forecast/arima/differences.h"
#include "forecast/forecast.h"
#include "forecast/methods/descend.h"

#define COUNT   96
#define HORIZON 12

/* The rows of tests/quality/arima.py, below 1. */
#define SCALE 512.0
static void make_values(double *values)
{
    static const int season[] = {17, 3, -4, -11, 0, 25, 31, 8, -6, -20, -22, -21};

    for (int i = 0; i < COUNT; i++)
        values[i] = (200 + i + season[i % 12] + 9 * (i % 7 < 3) + (i * 7919 % 13) - 6) / SCALE;
}

static double noise(uint64_t i)
{
    double sum = 0;

    for (uint64_t k = 0; k < 12; k++)
        sum += random_uniform(11, RANDOM_SIMULATION, i, k);
    return (sum - 6) / 64;
}

struct fixture {
    struct arena arena;
    struct fitting fitting;
    struct arima_room *room;
};

static void begin(struct fixture *fixture, uint32_t count)
{
    struct error err;

    arena_init(&fixture->arena, ARENA_MAXIMUM);
    fixture->fitting = (struct fitting){.arena = &fixture->arena, .horizon = HORIZON};
    CHECK_OK(arima_room_make(&(struct series){.count = count, .season = 12}, &fixture->fitting,
                             &fixture->room, &err));
}

static struct arima fit(struct fixture *fixture, struct arima_order order,
                        const struct series *series)
{
    struct arima arima;
    struct error err;

    CHECK(arima_is_possible(&order, series));
    CHECK_OK(arima_fit(&order, series, &fixture->fitting, ARIMA_GAIN, fixture->room, &arima, &err));
    return arima;
}

/* Printed by tests/quality/arima.py. */
static const struct reference {
    struct arima_order order;
    double squares, means[3]; /* forecasts 1, 2 and 12 */
    double coefficients[5];   /* ar, seasonal ar, ma, seasonal ma, mean */
} references[] = {
    {{0, 1, 1, 0, 1, 1, false}, 4095.468, {318.117, 305.891, 290.943}, {-0.906, -0.9473}},
    /* statsforecast: [-0.619, -0.3677], 5409.917 */
    {{0, 1, 2, 0, 1, 0, false}, 5409.917, {328.383, 304.897, 288.897}, {-0.619, -0.3677}},
    /* statsforecast: [0.1261, 0.5782], 30438.503 */
    {{0, 1, 1, 0, 0, 0, true}, 30438.503, {277.125, 277.703, 283.485}, {0.1261, 0.5782}},
    /* statsforecast: [1.0297, 0.6045, 250.1414], 31734.389 */
    {{0, 0, 2, 0, 0, 0, true}, 31734.389, {273.482, 262.155, 250.141}, {1.0297, 0.6045, 250.1414}},
    {{1, 1, 1, 0, 1, 1, false}, 3615.136, {317.784, 305.713, 291.327}, {0.3573, -0.9344, -0.9296}},
    {{2, 0, 0, 1, 1, 0, true},
     3987.498,
     {321.935, 303.840, 288.942},
     {0.5895, -0.4993, -0.4892, 11.9869}},
    {{3, 1, 0, 0, 0, 2, false},
     13410.649,
     {306.767, 296.497, 282.665},
     {-0.0546, -0.182, -0.3389, 0.6567, 0.3317}},
    /* statsforecast: [-0.7992, -0.1528], 32881.602 */
    {{0, 2, 2, 0, 0, 0, false}, 32881.602, {276.698, 276.578, 275.382}, {-0.7992, -0.1528}},
};
#define REFERENCE_COUNT (sizeof references / sizeof *references)

static void check_coefficients(const struct arima *arima, const double *expected)
{
    uint32_t at = 0;

    for (int f = 0; f < ARIMA_FACTORS; f++)
        for (uint32_t j = 0; j < arima->factors[f].order; j++) {
            const double c = arima->factors[f].c[j];

            CHECK(fabs((f < ARIMA_MA ? c : -c) - expected[at++]) < 6e-3);
        }
    if (arima->order.has_constant)
        CHECK(fabs(arima->mean * SCALE - expected[at]) < 1e-3);
}

static void least_squares_are_those_of_other_programs(void **state)
{
    double values[COUNT];
    const struct series series = {values, COUNT, 12};

    (void)state;
    make_values(values);
    for (size_t r = 0; r < REFERENCE_COUNT; r++) {
        const struct reference *reference = &references[r];
        const struct arima_order *order = &reference->order;
        const uint32_t numbers =
            order->ar + order->ma + order->seasonal_ar + order->seasonal_ma + order->has_constant;
        const uint32_t count = COUNT - order->differences - 12 * order->seasonal_differences;
        struct fixture fixture;
        struct arima arima;
        double means[HORIZON];

        begin(&fixture, COUNT);
        arima = fit(&fixture, *order, &series);
        check_coefficients(&arima, reference->coefficients);
        CHECK(fabs(arima.variance * (count - numbers) * SCALE * SCALE / reference->squares - 1) <
              1e-4);
        arima_project(&arima, &series, COUNT, HORIZON, means, NULL);
        CHECK(fabs(means[0] * SCALE - reference->means[0]) < 0.15);
        CHECK(fabs(means[1] * SCALE - reference->means[1]) < 0.15);
        CHECK(fabs(means[HORIZON - 1] * SCALE - reference->means[2]) < 0.15);
        arena_deinit(&fixture.arena);
    }
}

/* A change of the last value changes later forecasts by the share of its error there; the variance
 * grows by the squares of these. */
static void variances_grow_by_what_an_error_leaves(void **state)
{
    double values[COUNT], changed[COUNT];
    const struct series series = {values, COUNT, 12}, other = {changed, COUNT, 12};

    (void)state;
    make_values(values);
    make_values(changed);
    changed[COUNT - 1] += 0.125;
    for (size_t r = 0; r < REFERENCE_COUNT; r++) {
        double means[HORIZON], moved[HORIZON], variances[HORIZON];
        struct fixture fixture;
        struct arima arima;

        begin(&fixture, COUNT);
        arima = fit(&fixture, references[r].order, &series);
        arima_project(&arima, &series, COUNT, HORIZON, means, variances);
        arima_project(&arima, &other, COUNT, HORIZON, moved, NULL);
        CHECK(fabs(variances[0] - arima.variance) < 1e-12);
        for (int h = 0; h + 1 < HORIZON; h++) {
            const double share = (moved[h] - means[h]) / 0.125;

            CHECK(fabs((variances[h + 1] - variances[h]) / arima.variance - share * share) < 1e-9);
        }
        arena_deinit(&fixture.arena);
    }
}

static void a_forecast_from_an_origin_knows_nothing_later(void **state)
{
    double values[COUNT], means[HORIZON], again[HORIZON];
    const struct series series = {values, COUNT, 12};
    struct fixture fixture;
    struct arima arima;

    (void)state;
    make_values(values);
    begin(&fixture, COUNT);
    arima = fit(&fixture, references[0].order, &series);
    arima_project(&arima, &series, 60, HORIZON, means, NULL);
    for (int i = 60; i < COUNT; i++)
        values[i] = 0.25;
    arima_project(&arima, &series, 60, HORIZON, again, NULL);
    for (int h = 0; h < HORIZON; h++)
        CHECK(means[h] == again[h]);
    arima_project(&arima, &series, 13, HORIZON, means, NULL); /* nothing is left of 13 */
    CHECK(means[0] == values[12] && means[HORIZON - 1] == values[12]);
    arena_deinit(&fixture.arena);
}

static void an_order_needs_values_and_a_season(void **state)
{
    double values[COUNT] = {0};
    const struct arima_order airline = {0, 1, 1, 0, 1, 1, false}, white = {.has_constant = true};

    (void)state;
    CHECK(arima_is_possible(&airline, &(struct series){values, 26, 12}));
    CHECK(!arima_is_possible(&airline, &(struct series){values, 25, 12}));
    CHECK(!arima_is_possible(&airline, &(struct series){values, COUNT, 1}));
    CHECK(arima_is_possible(&white, &(struct series){values, 4, 1}));
    CHECK(!arima_is_possible(&white, &(struct series){values, 3, 1}));
}

/* x[t] = .5 x[t-1] + error, around .5: the search finds it, and the forecast goes back to the mean.
 */
static void the_search_finds_the_order_that_made_the_values(void **state)
{
    double values[400] = {0.5}, mean = 0, means[HORIZON], variances[HORIZON];
    const struct series series = {values, 400, 1};
    struct fixture fixture;
    struct error err;
    void *fitted;

    (void)state;
    for (uint32_t i = 1; i < 400; i++)
        values[i] = 0.5 + 0.5 * (values[i - 1] - 0.5) + noise(i);
    for (uint32_t i = 0; i < 400; i++)
        mean += values[i] / 400;
    begin(&fixture, 400);
    CHECK_OK(arima_method.fit(&series, &fixture.fitting, &fitted, &err));
    arima_method.project(fitted, &series, 400, HORIZON, means, variances);
    for (int h = 0; h < 4; h++)
        CHECK(fabs((means[h + 1] - mean) / (means[h] - mean) - 0.5) < 0.15);
    CHECK(fabs(variances[1] / variances[0] - 1.25) < 0.1);
    arena_deinit(&fixture.arena);
}

static void a_constant_to_the_values_is_one_to_the_forecasts(void **state)
{
    double values[COUNT], means[2][HORIZON];
    const struct series series = {values, COUNT, 12};

    (void)state;
    make_values(values);
    for (int k = 0; k < 2; k++) {
        struct fixture fixture;
        struct error err;
        void *fitted;

        begin(&fixture, COUNT);
        CHECK_OK(auto_arima_method.fit(&series, &fixture.fitting, &fitted, &err));
        auto_arima_method.project(fitted, &series, COUNT, HORIZON, means[k], NULL);
        for (int i = 0; i < COUNT; i++)
            values[i] += 0.25;
        arena_deinit(&fixture.arena);
    }
    for (int h = 0; h < HORIZON; h++) {
        CHECK(means[0][h] > 0.5 && means[0][h] < 0.75);
        CHECK(fabs(means[1][h] - means[0][h] - 0.25) < 1e-6);
    }
}

static void a_walk_moves_and_noise_stays(void **state)
{
    double walk[200] = {0}, still[200] = {0}, constant[200] = {0};
    uint32_t count;

    (void)state;
    for (uint32_t i = 1; i < 200; i++) {
        walk[i] = walk[i - 1] + noise(i);
        still[i] = noise(i);
    }
    CHECK(level_is_moving(walk, 200) && !level_is_moving(still, 200));
    CHECK(!level_is_moving(constant, 200));
    count = difference(walk, 200, 1);
    CHECK_INT(count, 199);
    CHECK(!level_is_moving(walk, count));
    CHECK(fabs(walk[0] - noise(1)) < 1e-15 && fabs(walk[198] - noise(199)) < 1e-15);
    CHECK_INT(difference(still, 5, 5), 0);
}

/* ----- polynomials ----- */

static void a_division_undoes_a_multiplication(void **state)
{
    static const double numbers[] = {0.7, -1.5, 0.2};
    double values[50], made[50];

    (void)state;
    for (uint32_t lag = 1; lag < 60; lag += 7) {
        struct polynomial polynomial = {.order = 3, .lag = lag};

        for (uint32_t i = 0; i < 50; i++)
            values[i] = noise(i);
        polynomial_of_numbers(numbers, &polynomial, NULL);
        polynomial_multiply(&polynomial, values, 50, made);
        polynomial_divide(&polynomial, made, 50, made);
        for (uint32_t i = 0; i < 50; i++)
            CHECK(fabs(made[i] - values[i]) < 1e-14);
    }
}

static void slopes_are_those_of_small_steps(void **state)
{
    double numbers[] = {0.7, -1.5, 0.2, 3};
    struct polynomial polynomial = {.order = 4, .lag = 1}, other = polynomial;
    polynomial_slopes slopes;

    (void)state;
    polynomial_of_numbers(numbers, &polynomial, slopes);
    for (int i = 0; i < 4; i++) {
        numbers[i] += 1e-6;
        polynomial_of_numbers(numbers, &other, NULL);
        numbers[i] -= 1e-6;
        for (int j = 0; j < 4; j++)
            CHECK(fabs((other.c[j] - polynomial.c[j]) / 1e-6 - slopes[j][i]) < 1e-5);
    }
}

/* (1 - B / 2)(1 - B / 4) has roots 2 and 4. */
static void roots_are_told_from_a_circle(void **state)
{
    const struct polynomial polynomial = {2, 1, {0.75, -0.125}}, none = {.lag = 1};

    (void)state;
    CHECK(polynomial_roots_are_above(&polynomial, 1.999));
    CHECK(!polynomial_roots_are_above(&polynomial, 2.001));
    CHECK(polynomial_roots_are_above(&none, 1e9));
}

static void terms_are_those_of_the_product(void **state)
{
    const struct polynomial one = polynomial_of_differences(2, 1);
    const struct polynomial season = polynomial_of_differences(1, 4);
    double values[20], other[20];
    struct terms terms;

    (void)state;
    for (uint32_t i = 0; i < 20; i++)
        values[i] = noise(i);
    terms_of_product(&one, &season, &terms);
    CHECK_INT(terms.count, 5);
    polynomial_multiply(&one, values, 20, other);
    CHECK(fabs(values[19] - terms_sum(&terms, values, 19) - (other[19] - other[15])) < 1e-15);
    CHECK(terms_sum(&terms, values, 0) == 0);
}

/* ----- sums of squares ----- */

/* 10 (y - x^2) and 1 - x: a long bent valley, at the end of which is (1, 1). */
static double valley(void *context, const double *x, struct squares_near *near)
{
    const double first = 10 * (x[1] - x[0] * x[0]), second = 1 - x[0];

    ++*(int *)context;
    if (near) {
        near->products[0][0] = 400 * x[0] * x[0] + 1;
        near->products[0][1] = near->products[1][0] = -200 * x[0];
        near->products[1][1] = 100;
        near->gradient[0] = -20 * x[0] * first - second;
        near->gradient[1] = 10 * first;
    }
    return first * first + second * second;
}

static double nowhere(void *context, const double *x, struct squares_near *near)
{
    (void)context;
    if (near)
        memset(near, 0, sizeof *near);
    return x[0] == 3 ? 7 : INFINITY;
}

static void the_least_squares_are_found(void **state)
{
    double x[] = {0.6, 0.2}, y[] = {3, 3};
    int values = 0;

    (void)state;
    CHECK(descend_squares(valley, &values, 2, 1e-7, x) < 1e-12);
    CHECK(fabs(x[0] - 1) < 1e-6 && fabs(x[1] - 1) < 1e-6 && values < 100);
    CHECK(descend_squares(nowhere, NULL, 2, 1e-7, y) == 7 && y[0] == 3);
}

/* The values of place i: noise, a jump, a line, the largest numbers, mostly zeros. */
static double odd_value(int kind, int i)
{
    switch (kind) {
    case 0:
        return noise((uint64_t)i);
    case 1:
        return i < 30 ? 1 : 1e9;
    case 2:
        return 7 - 3 * i;
    case 3:
        return (i % 2 ? 1e300 : -1e300) / 4;
    default:
        return i % 9 == 4 ? 1e-5 : 0;
    }
}

static void any_order_has_a_finite_forecast(void **state)
{
    static const struct arima_order orders[] = {
        {12, 2, 12, 3, 2, 3, false}, {0, 2, 0, 0, 2, 0, false}, {0, 0, 0, 3, 0, 3, true},
        {1, 0, 1, 0, 0, 0, true},    {5, 1, 5, 0, 0, 0, true},
    };
    struct forecast_options options = {.horizon = 60,
                                       .level = 0.9,
                                       .seasons = {7},
                                       .season_count = 1,
                                       .season_is_given = true,
                                       .has_order = true};
    struct forecast forecast;
    struct error err;

    (void)state;
    CHECK_OK(forecast_method(SLICE("arima"), &options.method, &err));
    for (size_t k = 0; k < sizeof orders / sizeof *orders; k++)
        for (int kind = 0; kind < 5; kind++)
            for (uint32_t count = 2; count < 100; count += count < 12 ? 1 : 29) {
                double values[100];
                struct arena arena;

                for (uint32_t i = 0; i < count; i++)
                    values[i] = odd_value(kind, (int)i);
                options.order = orders[k];
                arena_init(&arena, ARENA_MAXIMUM);
                CHECK_OK(forecast_run(values, count, &options, &arena, &forecast, &err));
                for (int h = 0; h < 60; h++)
                    CHECK(isfinite(forecast.values[h]) && forecast.lower[h] <= forecast.values[h] &&
                          forecast.values[h] <= forecast.upper[h]);
                arena_deinit(&arena);
            }
}

static bool stop_at(void *left)
{
    return --*(int *)left <= 0;
}

static void an_interrupt_ends_the_search(void **state)
{
    double values[COUNT];
    const struct series series = {values, COUNT, 12};

    (void)state;
    make_values(values);
    for (int asked = 1; asked < 300; asked += 37) {
        struct fixture fixture;
        struct error err;
        int left = asked;
        void *fitted;

        begin(&fixture, COUNT);
        fixture.fitting.is_stopped = stop_at;
        fixture.fitting.stop = &left;
        CHECK_FAILS(auto_arima_method.fit(&series, &fixture.fitting, &fitted, &err),
                    STATUS_INTERRUPTED, "interrupted");
        CHECK_INT(left, 0); /* it asks no more */
        arena_deinit(&fixture.arena);
    }
}

/* The fast ways have the bits of the plain one. */
static void divisions_side_by_side_have_the_same_bits(void **state)
{
    enum { COUNT_HERE = 40, ORDER_MOST = 5 };
    double in[COUNT_HERE], plain[2][COUNT_HERE], both[2][COUNT_HERE];
    (void)state;

    for (uint32_t i = 0; i < COUNT_HERE; i++)
        in[i] = (i * 7919 % 101) / 10.0 - 5;
    for (uint32_t order = 0; order < (ORDER_MOST + 1) * (ORDER_MOST + 1); order++) {
        const struct polynomial a = {order % (ORDER_MOST + 1), 1, {.3, -.2, .1, .05, -.01}};
        const struct polynomial b = {order / (ORDER_MOST + 1), 1, {-.4, .3, .2, -.1, .02}};
        const struct polynomial season = {b.order, 7, {-.4, .3, .2, -.1, .02}};
        const struct polynomial *const of[] = {&a, &season};

        memset(both, 0, sizeof both);
        memset(plain, 0, sizeof plain);
        if (a.order)
            polynomial_divide(&a, in, COUNT_HERE, plain[0]);
        if (b.order)
            polynomial_divide(&b, in, COUNT_HERE, plain[1]);
        polynomial_divide_both(&a, &b, in, COUNT_HERE, both[0], both[1]);
        CHECK(memcmp(plain, both, sizeof both) == 0);
        for (int k = 0; k < 2; k++) {
            double squares = 0, sum;

            polynomial_divide(of[k], in, COUNT_HERE, plain[0]);
            for (uint32_t i = 0; i < COUNT_HERE; i++)
                squares += plain[0][i] * plain[0][i];
            memcpy(both[0], in, sizeof in);
            sum = polynomial_divide_squared(of[k], both[0], COUNT_HERE);
            CHECK(memcmp(plain[0], both[0], sizeof in) == 0 && sum == squares);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(least_squares_are_those_of_other_programs),
        cmocka_unit_test(variances_grow_by_what_an_error_leaves),
        cmocka_unit_test(a_forecast_from_an_origin_knows_nothing_later),
        cmocka_unit_test(an_order_needs_values_and_a_season),
        cmocka_unit_test(the_search_finds_the_order_that_made_the_values),
        cmocka_unit_test(a_constant_to_the_values_is_one_to_the_forecasts),
        cmocka_unit_test(a_walk_moves_and_noise_stays),
        cmocka_unit_test(a_division_undoes_a_multiplication),
        cmocka_unit_test(slopes_are_those_of_small_steps),
        cmocka_unit_test(roots_are_told_from_a_circle),
        cmocka_unit_test(terms_are_those_of_the_product),
        cmocka_unit_test(the_least_squares_are_found),
        cmocka_unit_test(any_order_has_a_finite_forecast),
        cmocka_unit_test(an_interrupt_ends_the_search),
        cmocka_unit_test(divisions_side_by_side_have_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
