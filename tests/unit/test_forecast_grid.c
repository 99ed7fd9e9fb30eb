#include "tests/check.h"

#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "forecast/time/grid.h"

#define POINTS_MAX 16

/* Sorted and laid out; the values lie in the arena. */
static struct grid lay_out(const struct point *points, uint32_t count, enum duplicates duplicates,
                           const struct steps *steps, struct arena *arena, enum grid_fault *fault)
{
    struct point own[POINTS_MAX];
    struct grid grid;
    struct error err;

    CHECK(count <= POINTS_MAX);
    memcpy(own, points, count * sizeof *own);
    points_sort(own, count);
    CHECK_OK(grid_make(own, count, true, duplicates, steps, arena, &grid, fault, &err));
    return grid;
}

static void check_values(const struct point *points, uint32_t count, enum duplicates duplicates,
                         const struct steps *steps, const double *values, uint32_t value_count)
{
    enum grid_fault fault;
    struct arena arena;
    struct grid grid;

    arena_init(&arena, ARENA_MAXIMUM);
    grid = lay_out(points, count, duplicates, steps, &arena, &fault);
    CHECK_INT(fault, GRID_FINE);
    CHECK_INT(grid.count, value_count);
    for (uint32_t i = 0; i < value_count; i++)
        CHECK(isnan(values[i]) ? isnan(grid.values[i]) : grid.values[i] == values[i]);
    arena_deinit(&arena);
}

#define VALUES(...) (const double[]){__VA_ARGS__}, sizeof((const double[]){__VA_ARGS__}) / 8

static void missing_steps_have_no_value(void **state)
{
    static const struct point points[] = {{6, 4}, {0, 1}, {2, 2}};
    static const struct steps ones = {STEP_NUMBER, 1, 77};
    (void)state;

    check_values(points, 3, DUPLICATES_ERROR, NULL, VALUES(1, 2, NAN, 4));
    check_values(points, 3, DUPLICATES_ERROR, &ones, VALUES(1, NAN, 2, NAN, NAN, NAN, 4));
    check_values(points, 1, DUPLICATES_ERROR, NULL, VALUES(4));
}

/* Times whose value is missing tell the step and the first one, and have no place at the ends. */
static void missing_values_count_for_the_steps(void **state)
{
    static const struct point points[] = {{1, NAN}, {3, 5}, {7, 6}, {8, NAN}, {4, NAN}};
    enum grid_fault fault;
    struct arena arena;
    struct grid grid;
    (void)state;

    arena_init(&arena, ARENA_MAXIMUM);
    grid = lay_out(points, 5, DUPLICATES_ERROR, NULL, &arena, &fault);
    CHECK_INT(fault, GRID_FINE);
    CHECK_INT(grid.steps.size, 1);
    CHECK_INT(grid.steps.first, 1);
    CHECK_INT(grid.count, 5);
    CHECK_INT(grid.last, 6);
    CHECK_INT(grid.known, 2);
    CHECK_INT(grid.times, 5);
    CHECK_INT(grid.span, 8);
    grid = lay_out(points, 1, DUPLICATES_ERROR, NULL, &arena, &fault);
    CHECK_INT(fault, GRID_FINE);
    CHECK_INT(grid.count, 0);
    CHECK_INT(grid.known, 0);
    arena_deinit(&arena);
}

static void several_values_of_one_time_become_one(void **state)
{
    static const struct point points[] = {{1, 2}, {2, 3}, {1, 6}, {1, 1}, {1, NAN}, {2, NAN}};
    (void)state;

    check_values(points, 6, DUPLICATES_SUM, NULL, VALUES(9, 3));
    check_values(points, 6, DUPLICATES_MEAN, NULL, VALUES(3, 3));
    /* One value, and a missing one beside it, are no two. */
    check_values(points + 1, 1, DUPLICATES_ERROR, NULL, VALUES(3));
    check_values((const struct point[]){{4, NAN}, {4, 8}, {4, NAN}}, 3, DUPLICATES_ERROR, NULL,
                 VALUES(8));
}

static void the_order_of_points_changes_no_bit(void **state)
{
    struct point points[8] = {{1, 1e17}, {1, 3}, {1, -1e17}, {1, 0.1}, {1, 7}, {2, 0.3}, {2, 0.7}};
    double first[2] = {0, 0};
    (void)state;

    for (uint32_t turn = 0; turn < 60; turn++) {
        enum grid_fault fault;
        struct arena arena;
        struct grid grid;

        for (uint32_t i = 7; i > 1; i--) {
            const uint32_t other = (uint32_t)(random_bits(turn, RANDOM_SAMPLE, 0, i) % i);
            const struct point kept = points[i - 1];

            points[i - 1] = points[other];
            points[other] = kept;
        }
        arena_init(&arena, ARENA_MAXIMUM);
        grid =
            lay_out(points, 7, turn % 2 ? DUPLICATES_SUM : DUPLICATES_MEAN, NULL, &arena, &fault);
        CHECK_INT(grid.count, 2);
        if (turn < 2)
            first[turn] = grid.values[0];
        CHECK(grid.values[0] == first[turn % 2]);
        arena_deinit(&arena);
    }
}

static void faults_are_told(void **state)
{
    static const struct point doubled[] = {{1, 2}, {9, 2}, {9, 2}};
    static const struct point infinite[] = {{1, 1.7e308}, {1, 1.7e308}};
    static const struct point uneven[] = {{0, 1}, {1, 2}, {1061, 3}};
    enum grid_fault fault;
    struct arena arena;
    struct grid grid;
    (void)state;

    arena_init(&arena, ARENA_MAXIMUM);
    grid = lay_out(doubled, 3, DUPLICATES_ERROR, NULL, &arena, &fault);
    CHECK_INT(fault, GRID_DOUBLED);
    CHECK_INT(grid.doubled, 9);
    lay_out(infinite, 2, DUPLICATES_SUM, NULL, &arena, &fault);
    CHECK_INT(fault, GRID_INFINITE);
    lay_out(infinite, 2, DUPLICATES_MEAN, NULL, &arena, &fault);
    CHECK_INT(fault, GRID_FINE);
    grid = lay_out(uneven, 3, DUPLICATES_ERROR, NULL, &arena, &fault); /* 1000 + 3 * 20 at most */
    CHECK_INT(fault, GRID_UNEVEN);
    CHECK_INT(grid.span, 1062);
    CHECK_INT(grid.times, 3);
    lay_out((const struct point[]){{0, 1}, {1, 2}, {1059, 3}}, 3, DUPLICATES_ERROR, NULL, &arena,
            &fault);
    CHECK_INT(fault, GRID_FINE);
    arena_deinit(&arena);
}

/* A step of all series that leaves most of this one empty is a fault of this one. */
static void no_more_steps_than_a_series_has(void **state)
{
    static const struct steps ones = {STEP_NUMBER, 1, 0};
    static const struct point far[] = {{-TIME_NUMBER_MAX, 1}, {TIME_NUMBER_MAX, 2}};
    enum grid_fault fault;
    struct arena arena;
    struct grid grid;
    (void)state;

    arena_init(&arena, ARENA_MAXIMUM);
    grid = lay_out(far, 2, DUPLICATES_ERROR, &ones, &arena, &fault);
    CHECK_INT(fault, GRID_UNEVEN);
    CHECK(grid.span == 2 * TIME_NUMBER_MAX + 1);
    lay_out(far, 2, DUPLICATES_ERROR, NULL, &arena, &fault);
    CHECK_INT(fault, GRID_FINE);
    arena_deinit(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(missing_steps_have_no_value),
        cmocka_unit_test(missing_values_count_for_the_steps),
        cmocka_unit_test(several_values_of_one_time_become_one),
        cmocka_unit_test(the_order_of_points_changes_no_bit),
        cmocka_unit_test(faults_are_told),
        cmocka_unit_test(no_more_steps_than_a_series_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
