#include "tests/check.h"

#include <math.h>

#include "forecast/forecast.h"

#define HORIZON  6
#define FEATURES 3

/* ----- a tree ----- */

static int64_t *at(int64_t *sums, uint32_t node, uint32_t feature, uint32_t bin)
{
    return sums + ((size_t)(node * FEATURES + feature) * POOLED_BINS + bin) * POOLED_SUMS;
}

/* Rows of a node, which have this bin in one feature, and bin 5 in the others. */
static void add(int64_t *sums, uint32_t node, uint32_t feature, uint32_t bin, int count,
                double target)
{
    for (uint32_t i = 0; i < FEATURES; i++) {
        int64_t *own = at(sums, node, i, i == feature ? bin : 5);

        own[POOLED_GRADIENT] += count * pooled_gradient(target, 0);
        own[POOLED_COUNT] += count;
    }
}

static const struct pooled_growth growth = {
    .depth = 2, .least_rows = 2, .eta = .5, .lambda = 0, .ordered = 2, .features = FEATURES};

static void a_number_is_split_where_squares_are_least(void **state)
{
    struct pooled_node tree[7] = {{.feature = 0}};
    int64_t sums[FEATURES * POOLED_BINS * POOLED_SUMS] = {0};
    uint32_t open[4];
    uint8_t low[FEATURES] = {5, 9, 5}, high[FEATURES] = {5, 40, 5};
    (void)state;

    CHECK_INT(pooled_open(tree, 0, open), 1);
    add(sums, 0, 1, 9, 4, -1);
    add(sums, 0, 1, 10, 4, -1);
    add(sums, 0, 1, 40, 4, 2);
    CHECK(pooled_split(&growth, tree, 0, sums));
    CHECK_INT(tree[0].feature, 2);
    CHECK(tree[1].value == -.5 && tree[2].value == 1); /* eta times the mean */
    CHECK_INT(pooled_descend(tree, 0, low), 1);
    CHECK_INT(pooled_descend(tree, 0, high), 2);
    CHECK_INT(pooled_open(tree, 1, open), 2);
    CHECK_INT(open[0] * 10 + open[1], 12);
    CHECK(pooled_score(&(struct pooled_trees){tree, 1, 2}, high) == 1);
}

/* Words 3 and 20 are alike, and 10 between them is not. */
static void words_are_split_in_any_order(void **state)
{
    struct pooled_node tree[7] = {{.feature = 0}};
    int64_t sums[FEATURES * POOLED_BINS * POOLED_SUMS] = {0};
    (void)state;

    add(sums, 0, 2, 3, 4, 1);
    add(sums, 0, 2, 10, 4, -1);
    add(sums, 0, 2, 20, 4, 1);
    CHECK(pooled_split(&growth, tree, 0, sums));
    CHECK_INT(tree[0].feature, 3);
    CHECK((tree[0].left >> 10 & 1) && !(tree[0].left >> 3 & 1) && !(tree[0].left >> 20 & 1));
    CHECK(tree[1].value == -.5 && tree[2].value == .5);
}

static void nothing_is_split_that_gains_nothing_or_has_few_rows(void **state)
{
    struct pooled_node tree[7] = {{.feature = 0}};
    int64_t sums[FEATURES * POOLED_BINS * POOLED_SUMS] = {0};
    (void)state;

    CHECK(!pooled_split(&growth, tree, 0, sums)); /* no rows */
    add(sums, 0, 0, 7, 9, 1);
    add(sums, 0, 0, 8, 9, 1); /* the same number */
    CHECK(!pooled_split(&growth, tree, 0, sums));
    add(sums, 0, 0, 9, 1, 7); /* a single row */
    add(sums, 0, 0, 8, 1, 7);
    CHECK(pooled_split(&growth, tree, 0, sums));
    CHECK((tree[0].left >> 9 & 1) == 0 && (tree[0].left >> 8 & 1) == 0);
}

/* ----- a series ----- */

struct made {
    double values[HORIZON], deviations[HORIZON];
};

/* By one tree that tells this of every step. rows: those that the series has are collected. */
static enum status run_by(double told, const double *values, uint32_t count,
                          struct pooled_rows *rows, struct made *made, struct error *err)
{
    const struct steps steps = {STEP_MICROSECOND, DAY_MICROSECONDS, 0};
    const struct pooled_node tree = {.value = told};
    const struct pooled pooled = {.trees = {&tree, 1, 0}, .season = 7, .longest = 7, .groups = 1};
    struct forecast_options options = {.method = &pooled_method,
                                       .horizon = HORIZON,
                                       .level = .9,
                                       .history = rows ? 0 : 3,
                                       .seasons = {7},
                                       .season_count = 1};
    struct forecast forecast;
    struct arena arena;
    double own[200];
    enum status status;

    CHECK(count <= 200);
    memcpy(own, values, count * sizeof *own);
    options.pooled =
        (struct pooled_series){.pooled = &pooled, .steps = &steps, .rows = rows, .words = {4}};
    arena_init(&arena, ARENA_MAXIMUM);
    status = forecast_run(own, count, &options, &arena, &forecast, err);
    if (status == STATUS_OK) {
        memcpy(made->values, forecast.values, sizeof made->values);
        memcpy(made->deviations, forecast.deviations, sizeof made->deviations);
    }
    arena_deinit(&arena);
    return status;
}

static struct made run(double told, const double *values, uint32_t count)
{
    struct made made;
    struct error err;

    CHECK_OK(run_by(told, values, count, NULL, &made, &err));
    return made;
}

/* The level of such values is the last of them, and the mean error 1. A forecast moves the level
 * less and less. */
static void trees_tell_how_far_the_next_value_is_from_the_level(void **state)
{
    double values[40], wanted = 140, share = 1;
    struct made up, level;
    (void)state;

    for (uint32_t i = 0; i < 40; i++)
        values[i] = 100 + i;
    up = run(1, values, 40);
    level = run(0, values, 40);
    for (uint32_t h = 0; h < HORIZON; h++, wanted += share, share *= .9) {
        /* Trees have seen the past, whose errors are those of the level. */
        CHECK(fabs(up.values[h] - wanted) < 1e-9 && up.deviations[h] == level.deviations[h]);
        CHECK(fabs(level.values[h] - 139) < 1e-9 && fabs(level.deviations[h] - sqrt(1 + h)) < 1e-9);
    }
}

/* Twice the values, to the bit; a season that returns, and a level that does not. */
static void the_scale_and_the_season_are_those_of_the_series(void **state)
{
    double values[84], doubled[84];
    struct made one, two;
    (void)state;

    for (uint32_t i = 0; i < 84; i++) {
        values[i] = 50 + 9 * (i % 7) + i * 7919 % 5;
        doubled[i] = 2 * values[i];
    }
    one = run(.25, values, 84);
    two = run(.25, doubled, 84);
    for (uint32_t h = 0; h < HORIZON; h++)
        CHECK(two.values[h] == 2 * one.values[h] && two.deviations[h] == 2 * one.deviations[h]);
    CHECK(one.values[HORIZON - 1] - one.values[0] > 40);
}

static void short_series_and_constants_have_their_last_value(void **state)
{
    static const double constant[] = {.1, .1, .1, .1, .1, .1, .1}, few[] = {1, 2, 5, 4};
    static const double apart[] = {1e6, 1e6 + 1, 1e6, .1};
    (void)state;

    for (uint32_t h = 0; h < HORIZON; h++) {
        CHECK(run(1, constant, 7).values[h] == .1);
        CHECK(run(1, few, 4).values[h] == 4 && run(1, few, 1).values[h] == 1);
        CHECK(run(1, apart, 4).values[h] == .1);
    }
}

/* A row of each value behind the first ones, with its place in the calendar and its word. */
static void rows_to_learn_from_are_collected(void **state)
{
    struct pooled_rows rows = {.every = 1};
    const struct pooled pooled = {.season = 7, .groups = 1};
    const uint32_t calendar = pooled_ordered(&pooled) - CALENDAR_PARTS;
    double values[60];
    struct made made;
    struct error err;
    (void)state;

    for (uint32_t i = 0; i < 60; i++)
        values[i] = i * 7919 % 11;
    rows.features = pooled_features(&pooled);
    CHECK_OK(run_by(0, values, 60, &rows, &made, &err));
    CHECK_INT(rows.count, 57);
    for (uint64_t i = 0; i < rows.count; i++) {
        const uint8_t *bins = pooled_row(&rows, i);

        CHECK(fabs(rows.targets[i]) <= POOLED_MOST);
        CHECK_INT(bins[rows.features - 1], 4);
        /* The fourth of January 1970, a Sunday, is the first. */
        CHECK_INT(bins[calendar], 1 + (i + 3 >= 31) + (i + 3 >= 59));
        CHECK_INT(bins[calendar + 2], 1 + (i + 6) % 7);
        CHECK_INT(bins[calendar + 3], 0);
        CHECK(bins[0] > 0 && (bins[7] > 0) == (i >= 5)); /* eight values before */
    }
    values[20] = values[21] = NAN; /* no targets, nor is the value behind, which they look at */
    rows.count = 0;
    CHECK_OK(run_by(0, values, 60, &rows, &made, &err));
    CHECK_INT(rows.count, 54);
    rows.count = 0;
    rows.every = 4;
    CHECK_OK(run_by(0, values, 60, &rows, &made, &err));
    CHECK(rows.count > 5 && rows.count < 30);
    pooled_rows_deinit(&rows);
}

static void a_series_alone_has_no_trees(void **state)
{
    const double values[] = {1, 2, 3, 4, 5, 6};
    struct forecast_options options = {.method = &pooled_method, .horizon = 2, .level = .9};
    double own[6];
    struct forecast forecast;
    struct arena arena;
    struct error err;
    (void)state;

    memcpy(own, values, sizeof own);
    arena_init(&arena, ARENA_MAXIMUM);
    CHECK_FAILS(forecast_run(own, 6, &options, &arena, &forecast, &err), STATUS_INVALID,
                "trees are learned from many series");
    arena_deinit(&arena);
}

/* ----- the calendar ----- */

static void steps_have_places_in_the_calendar(void **state)
{
    /* The 29th of February 2024, a Thursday, 23:30. */
    const int64_t time = (INT64_C(19782) * 24 + 23) * 3600000000 + 1800000000;
    const struct steps steps[] = {{STEP_NUMBER, 1, 0},
                                  {STEP_MONTH, 1, time},
                                  {STEP_MICROSECOND, DAY_MICROSECONDS * 7, time},
                                  {STEP_MICROSECOND, DAY_MICROSECONDS, time},
                                  {STEP_WEEKDAY, 1, time},
                                  {STEP_MICROSECOND, DAY_MICROSECONDS / 24, time}};
    static const uint32_t wanted[][CALENDAR_PARTS] = {{0},       {3},       {3},
                                                      {3, 1, 5}, {3, 1, 5}, {3, 1, 5, 1}};
    uint32_t parts[CALENDAR_PARTS];
    (void)state;

    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        steps_calendar(&steps[i], 1, parts);
        CHECK(memcmp(parts, wanted[i], sizeof parts) == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_number_is_split_where_squares_are_least),
        cmocka_unit_test(words_are_split_in_any_order),
        cmocka_unit_test(nothing_is_split_that_gains_nothing_or_has_few_rows),
        cmocka_unit_test(trees_tell_how_far_the_next_value_is_from_the_level),
        cmocka_unit_test(the_scale_and_the_season_are_those_of_the_series),
        cmocka_unit_test(short_series_and_constants_have_their_last_value),
        cmocka_unit_test(rows_to_learn_from_are_collected),
        cmocka_unit_test(a_series_alone_has_no_trees),
        cmocka_unit_test(steps_have_places_in_the_calendar),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
