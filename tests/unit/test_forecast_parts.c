/* Series as the sums of their parts. */
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "forecast/parts.h"
#include "tests/check.h"

#define COUNT_HERE 400

static const double week[] = {3, 1, -4, 1, -5, 9, -5};

static double noise(uint32_t i)
{
    return random_uniform(11, RANDOM_SAMPLE, 1, i) - 0.5;
}

static void find(const double *values, uint32_t count, const uint32_t *seasons, uint32_t kinds,
                 struct arena *arena, struct parts *parts)
{
    const struct fitting fitting = {.arena = arena};
    struct error err;

    arena_init(arena, ARENA_MAXIMUM);
    CHECK_OK(parts_find(values, count, seasons, kinds, &fitting, parts, &err));
}

static uint32_t count_shifts(const struct parts *parts, uint32_t count)
{
    uint32_t shifts = 0;

    for (uint32_t i = 0; i < count; i++)
        shifts += parts->shifts[i] != 0;
    return shifts;
}

/* Value by value, and nothing of it is nowhere. */
static void check_sum(const struct parts *parts, uint32_t count, uint32_t kinds)
{
    for (uint32_t i = 0; i < count; i++) {
        double sum = parts->trend[i] + parts->remainder[i];

        for (uint32_t s = 0; s < kinds; s++)
            sum += parts->seasons[s][i];
        CHECK(fabs(sum - parts->values[i]) < 1e-9 * (1 + fabs(parts->values[i])));
    }
}

static void a_line_with_a_season_is_these(void **state)
{
    static const uint32_t seasons[] = {7};
    double values[COUNT_HERE];
    struct parts parts;
    struct arena arena;
    (void)state;

    for (uint32_t i = 0; i < COUNT_HERE; i++)
        values[i] = 100 + 0.5 * i + week[i % 7];
    find(values, COUNT_HERE, seasons, 1, &arena, &parts);
    check_sum(&parts, COUNT_HERE, 1);
    CHECK_INT(count_shifts(&parts, COUNT_HERE), 0);
    for (uint32_t i = 0; i < COUNT_HERE; i++) {
        CHECK(fabs(parts.trend[i] - (100 + 0.5 * i)) < 1e-6);
        CHECK(fabs(parts.seasons[0][i] - week[i % 7]) < 1e-6);
        CHECK(fabs(parts.remainder[i]) < 1e-6);
    }
    arena_deinit(&arena);
}

/* The first value of the new level is told, and by how much it is higher; the trend is not smeared
 * over it. */
static void a_level_that_shifts_is_found(void **state)
{
    static const uint32_t seasons[] = {7};
    double values[COUNT_HERE];
    struct parts parts;
    struct arena arena;
    (void)state;

    for (int sign = -1; sign <= 1; sign += 2) {
        for (uint32_t i = 0; i < COUNT_HERE; i++)
            values[i] = 200 + 0.1 * i + week[i % 7] + noise(i) + sign * 40.0 * (i >= 153);
        find(values, COUNT_HERE, seasons, 1, &arena, &parts);
        check_sum(&parts, COUNT_HERE, 1);
        CHECK_INT(count_shifts(&parts, COUNT_HERE), 1);
        CHECK(fabs(parts.shifts[153] - sign * 40) < 4);
        CHECK(fabs(parts.trend[153] - parts.trend[152] - sign * 40) < 4);
        for (uint32_t i = 0; i < COUNT_HERE; i++)
            CHECK(fabs(parts.seasons[0][i] - week[i % 7]) < 2);
        arena_deinit(&arena);
    }
}

/* One value that is away, a slope and noise alone are no new levels. */
static void what_is_no_shift_is_none(void **state)
{
    double values[COUNT_HERE];
    struct parts parts;
    struct arena arena;
    (void)state;

    for (int kind = 0; kind < 4; kind++) {
        for (uint32_t i = 0; i < COUNT_HERE; i++)
            values[i] = kind == 0   ? 3 * noise(i) + 500.0 * (i == 100)
                        : kind == 1 ? 10.0 * i + noise(i)
                        : kind == 2 ? 50 * noise(i)
                                    : 5;
        find(values, COUNT_HERE, NULL, 0, &arena, &parts);
        check_sum(&parts, COUNT_HERE, 0);
        CHECK_INT(count_shifts(&parts, COUNT_HERE), 0);
        arena_deinit(&arena);
    }
}

static void two_shifts_of_which_one_is_back(void **state)
{
    double values[COUNT_HERE];
    struct parts parts;
    struct arena arena;
    (void)state;

    for (uint32_t i = 0; i < COUNT_HERE; i++)
        values[i] = noise(i) + 30.0 * (i >= 100 && i < 300);
    find(values, COUNT_HERE, NULL, 0, &arena, &parts);
    CHECK_INT(count_shifts(&parts, COUNT_HERE), 2);
    CHECK(parts.shifts[100] > 25 && parts.shifts[300] < -25);
    arena_deinit(&arena);
}

/* A season of which there are no two has the part 0, and the others are found. */
static void long_seasons_and_short_series(void **state)
{
    static const uint32_t seasons[] = {7, 300};
    double values[COUNT_HERE];
    struct parts parts;
    struct arena arena;
    (void)state;

    for (uint32_t i = 0; i < COUNT_HERE; i++)
        values[i] = week[i % 7];
    for (uint32_t count = 1; count <= COUNT_HERE; count += count < 40 ? 1 : 119) {
        find(values, count, seasons, 2, &arena, &parts);
        check_sum(&parts, count, 2);
        for (uint32_t i = 0; i < count; i++)
            CHECK(parts.seasons[1][i] == 0 && (count >= 14 || parts.seasons[0][i] == 0));
        arena_deinit(&arena);
    }
}

static void gaps_are_on_the_line(void **state)
{
    static const double values[] = {1, NAN, NAN, 4, 5, 6};
    struct parts parts;
    struct arena arena;
    (void)state;

    find(values, 6, NULL, 0, &arena, &parts);
    CHECK(fabs(parts.values[1] - 2) < 1e-12 && fabs(parts.values[2] - 3) < 1e-12);
    for (uint32_t i = 0; i < 6; i++)
        CHECK(fabs(parts.trend[i] - (1 + (double)i)) < 1e-9);
    arena_deinit(&arena);
}

static bool stop_at_once(void *context)
{
    (void)context;
    return true;
}

static void it_stops_and_says_so_without_memory(void **state)
{
    static const uint32_t seasons[] = {7};
    double values[COUNT_HERE];
    uint64_t steps = (uint64_t)1 << 40;
    struct fitting fitting = {.is_stopped = stop_at_once, .steps = &steps};
    struct parts parts;
    struct arena arena;
    struct error err;
    (void)state;

    for (uint32_t i = 0; i < COUNT_HERE; i++)
        values[i] = i;
    arena_init(&arena, ARENA_MAXIMUM);
    fitting.arena = &arena;
    CHECK_FAILS(parts_find(values, COUNT_HERE, seasons, 1, &fitting, &parts, &err),
                STATUS_INTERRUPTED, "interrupted");
    steps = (uint64_t)1 << 40;
    CHECK_FAILS(parts_find(values, COUNT_HERE, NULL, 0, &fitting, &parts, &err), STATUS_INTERRUPTED,
                "interrupted");
    arena_deinit(&arena);
    fitting.is_stopped = NULL;
    for (size_t most = 0, done = 0; !done; most += 1024) {
        enum status status;

        arena_init(&arena, most);
        status = parts_find(values, COUNT_HERE, seasons, 1, &fitting, &parts, &err);
        done = status == STATUS_OK;
        CHECK(done || status == STATUS_NO_MEMORY);
        arena_deinit(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_with_a_season_is_these),
        cmocka_unit_test(a_level_that_shifts_is_found),
        cmocka_unit_test(what_is_no_shift_is_none),
        cmocka_unit_test(two_shifts_of_which_one_is_back),
        cmocka_unit_test(long_seasons_and_short_series),
        cmocka_unit_test(gaps_are_on_the_line),
        cmocka_unit_test(it_stops_and_says_so_without_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
