#include "tests/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/learn/series/series_fit.h"
#include "runtime/learn/series/series_reach.h"

#define STEPS      3
#define WORDS      (RECORD_STEPS + RECORD_STEP_WORDS * STEPS)
#define SERIES_MAX 2000
#define LEVEL      0.9

struct found {
    float above[FORECAST_LEVELS * STEPS], below[FORECAST_LEVELS * STEPS];
    bool has_any;
    double coverage;
};

/* Series i of `count` has the error (i + 1) / count at the first step, twice that at the second and
 * three times at the third; none at the step `gap`. Below the forecast, where each second one is,
 * errors are a quarter of that. */
static struct found reaches_of(uint32_t count, uint32_t gap)
{
    int64_t *words = calloc((size_t)count * WORDS, sizeof *words);
    const int64_t *records[SERIES_MAX];
    struct found found = {.has_any = true};
    struct error err;

    CHECK(words && count <= SERIES_MAX);
    for (uint32_t i = 0; i < count; i++) {
        records[i] = words + (size_t)i * WORDS;
        for (uint32_t h = 0; h < STEPS; h++) {
            const double error = (double)(i + 1) / count * (h + 1);
            const double ratio = h == gap ? (double)NAN : i / 2 % 2 ? error : error / -4;

            memcpy(words + (size_t)i * WORDS + RECORD_STEPS + (size_t)h * RECORD_STEP_WORDS +
                       RECORD_RATIO,
                   &ratio, sizeof ratio);
        }
    }
    CHECK_OK(series_reaches_find(records, count, STEPS, LEVEL,
                                 (struct series_reaches){found.above, found.below}, &found.has_any,
                                 &found.coverage, &err));
    free(words);
    return found;
}

static void a_reach_is_the_share_of_the_errors_of_its_step(void **state)
{
    const struct found found = reaches_of(SERIES_MAX, STEPS);
    (void)state;

    CHECK(found.has_any);
    for (uint32_t i = 0; i < FORECAST_LEVELS; i++)
        for (uint32_t h = 0; h < STEPS; h++) {
            const double above = (double)found.above[i * STEPS + h] / (h + 1);
            const double below = (double)found.below[i * STEPS + h] / (h + 1);

            CHECK(fabs(above - forecast_levels[i]) < 4e-3);
            CHECK(fabs(below - forecast_levels[i] / 4) < 1e-3);
        }
    CHECK(fabs(found.coverage - LEVEL) < 4e-3);
}

/* Forecasts that were all too low: the interval begins at the forecast. */
static void a_forecast_lies_within_its_interval(void **state)
{
    int64_t words[REACH_SERIES_LEAST][WORDS] = {{0}};
    const int64_t *records[REACH_SERIES_LEAST];
    struct found found;
    struct error err;
    (void)state;

    for (uint32_t i = 0; i < REACH_SERIES_LEAST; i++) {
        records[i] = words[i];
        for (uint32_t h = 0; h < STEPS; h++)
            words[i][RECORD_STEPS + h * RECORD_STEP_WORDS + RECORD_RATIO] = record_bits(1 + i);
    }
    CHECK_OK(series_reaches_find(records, REACH_SERIES_LEAST, STEPS, LEVEL,
                                 (struct series_reaches){found.above, found.below}, &found.has_any,
                                 &found.coverage, &err));
    for (uint32_t i = 0; i < FORECAST_LEVELS * STEPS; i++)
        CHECK(found.below[i] == 0 && (double)found.above[i] > 20);
    CHECK(series_reach_coverage(records, REACH_SERIES_LEAST, STEPS, LEVEL,
                                (struct series_reaches){found.above, found.below}) > 0.9);
}

/* A shop that is closed on the same day in all series: no interval of nothing. */
static void a_step_that_no_series_has_takes_those_around_it(void **state)
{
    (void)state;
    for (uint32_t gap = 0; gap < STEPS; gap++) {
        const struct found found = reaches_of(SERIES_MAX, gap);

        CHECK(found.has_any);
        for (uint32_t i = 0; i < FORECAST_LEVELS; i++)
            CHECK((double)found.above[i * STEPS + gap] > 0.5 * forecast_levels[i]);
        CHECK(fabs(found.coverage - LEVEL) < 4e-3);
    }
}

static void too_few_series_tell_no_reach(void **state)
{
    (void)state;
    CHECK(!reaches_of(REACH_SERIES_LEAST - 1, STEPS).has_any);
    CHECK(reaches_of(REACH_SERIES_LEAST, STEPS).has_any);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reach_is_the_share_of_the_errors_of_its_step),
        cmocka_unit_test(a_forecast_lies_within_its_interval),
        cmocka_unit_test(a_step_that_no_series_has_takes_those_around_it),
        cmocka_unit_test(too_few_series_tell_no_reach),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
