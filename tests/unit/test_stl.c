#include "tests/check.h"

#include <math.h>

#include "forecast/methods/stl.h"
#include "forecast/mstl.h"

#define ONE_COUNT 96
#define TWO_COUNT 200

/* The rows of tests/quality/stl.py. */
static void make_one(double *values)
{
    static const int season[] = {17, 3, -4, -11, 0, 25, 31, 8, -6, -20, -22, -21};

    for (int i = 0; i < ONE_COUNT; i++)
        values[i] = 200 + i + season[i % 12] + (i * 7919 % 13) - 6;
}

static void make_two(double *values)
{
    for (int i = 0; i < TWO_COUNT; i++)
        values[i] = 50 + i % 7 * 3 + (i % 30) * (29 - i % 30) / 9.0 + i / 8.0 + (i * 7919 % 13);
}

static void check_places(const double *series, uint32_t count, const double *expected)
{
    const uint32_t places[] = {0, 5, 60, count - 1};

    for (int i = 0; i < 4; i++)
        CHECK(fabs(series[places[i]] - expected[i]) < 1e-7);
}

static void one_season_is_split_as_by_statsmodels(void **state)
{
    static const struct {
        uint32_t window;
        double season[4], trend[4];
    } references[] = {
        {7,
         {16.49940566, 29.30587067, 16.20442696, -15.92649299},
         {198.95216826, 204.52615153, 259.95281375, 293.62350760}},
        {11,
         {17.82688829, 28.24304064, 16.91635826, -16.73360901},
         {198.32612146, 204.32140455, 260.04176902, 293.33694497}},
    };
    double values[ONE_COUNT], season[ONE_COUNT], trend[ONE_COUNT];
    const struct series series = {values, ONE_COUNT, 12};
    struct arena arena;
    struct error err;

    (void)state;
    make_one(values);
    arena_init(&arena, ARENA_MAXIMUM);
    for (size_t i = 0; i < sizeof references / sizeof *references; i++) {
        CHECK_OK(stl_split(&series, references[i].window, &(struct fitting){.arena = &arena},
                           season, trend, &err));
        check_places(season, ONE_COUNT, references[i].season);
        check_places(trend, ONE_COUNT, references[i].trend);
    }
    arena_deinit(&arena);
}

static void two_seasons_are_split_in_turns(void **state)
{
    static const double expected[][4] = {
        {-16.13652776, 11.74970844, -0.05137863, 1.60230444},
        {-13.45276750, -3.94916807, -14.34594546, 3.78426511},
        {79.58929526, 81.15779297, 86.89732409, 107.59954155},
    };
    static const uint32_t seasons[] = {7, 30};
    double values[TWO_COUNT], first[TWO_COUNT], second[TWO_COUNT], rest[TWO_COUNT];
    double *const parts[] = {first, second};
    const struct series series = {values, TWO_COUNT, 1};
    struct arena arena;
    struct error err;

    (void)state;
    make_two(values);
    arena_init(&arena, ARENA_MAXIMUM);
    CHECK_OK(stl_split_seasons(&series, seasons, 2, &(struct fitting){.arena = &arena}, parts, rest,
                               &err));
    check_places(first, TWO_COUNT, expected[0]);
    check_places(second, TWO_COUNT, expected[1]);
    check_places(rest, TWO_COUNT, expected[2]);
    for (int i = 0; i < TWO_COUNT; i++)
        CHECK(fabs(first[i] + second[i] + rest[i] - values[i]) < 1e-10);
    arena_deinit(&arena);
}

/* A season that does not change and a straight line are told apart exactly, at any length of the
 * series: two seasons, some more, and where windows are longer than what there is. */
static void what_is_a_line_and_a_season_has_no_rest(void **state)
{
    (void)state;
    for (uint32_t length = 2; length < 30; length += 3)
        for (uint32_t count = 2 * length; count < 9 * length; count += length / 2 + 1) {
            double values[300], season[300], trend[300], mean = 0;
            const struct series series = {values, count, length};
            struct arena arena;
            struct error err;

            for (uint32_t i = 0; i < length; i++)
                mean += (double)(i * 7 % length) / length;
            for (uint32_t i = 0; i < count; i++)
                values[i] = 3 + 0.25 * i + (i % length * 7 % length - mean);
            arena_init(&arena, ARENA_MAXIMUM);
            CHECK_OK(
                stl_split(&series, 11, &(struct fitting){.arena = &arena}, season, trend, &err));
            for (uint32_t i = 0; i < count; i++)
                CHECK(fabs(season[i] + trend[i] - values[i]) < 1e-9 &&
                      fabs(trend[i] - 3 - 0.25 * i) < 1e-9);
            arena_deinit(&arena);
        }
}

/* Both seasons go on, and the line. */
static void a_forecast_has_all_seasons(void **state)
{
    static const uint32_t seasons[] = {7, 30, 120};
    double values[TWO_COUNT], means[60], variances[60];
    const struct series series = {values, TWO_COUNT, 30};
    struct arena arena;
    struct error err;
    void *fitted;

    (void)state;
    for (int i = 0; i < TWO_COUNT; i++)
        values[i] = (i % 7 * 3 + (i % 30) * (29 - i % 30) / 9.0 + i / 8.0) / 256;
    arena_init(&arena, ARENA_MAXIMUM);
    for (uint32_t count = 0; count <= 3; count++) { /* the third has no two rounds */
        const struct fitting fitting = {
            .arena = &arena, .horizon = 60, .seasons = seasons, .season_count = count};
        double error = 0;

        CHECK_OK(mstl_method.fit(&series, &fitting, &fitted, &err));
        mstl_method.project(fitted, &series, TWO_COUNT, 60, means, variances);
        for (int h = 0; h < 60; h++) {
            const int i = TWO_COUNT + h;

            error +=
                fabs(means[h] * 256 - (i % 7 * 3 + (i % 30) * (29 - i % 30) / 9.0 + i / 8.0)) / 60;
            CHECK(variances[h] >= 0);
        }
        CHECK(count < 2 ? error > 4 : error < 1);
    }
    arena_deinit(&arena);
}

static bool stop_at(void *left)
{
    return --*(int *)left <= 0;
}

static void an_interrupt_ends_the_split(void **state)
{
    double values[ONE_COUNT], season[ONE_COUNT], trend[ONE_COUNT];
    const struct series series = {values, ONE_COUNT, 12};
    struct arena arena;
    struct error err;
    int left = 2;
    const struct fitting fitting = {.arena = &arena, .is_stopped = stop_at, .stop = &left};

    (void)state;
    make_one(values);
    arena_init(&arena, ARENA_MAXIMUM);
    CHECK_FAILS(stl_split(&series, 7, &fitting, season, trend, &err), STATUS_INTERRUPTED,
                "interrupted");
    CHECK_INT(left, 0);
    arena_deinit(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_season_is_split_as_by_statsmodels),
        cmocka_unit_test(two_seasons_are_split_in_turns),
        cmocka_unit_test(what_is_a_line_and_a_season_has_no_rest),
        cmocka_unit_test(a_forecast_has_all_seasons),
        cmocka_unit_test(an_interrupt_ends_the_split),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
