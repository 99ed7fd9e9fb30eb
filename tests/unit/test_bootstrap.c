/* Intervals of metrics: rows of which all is known, and limits. */
#include "scoring/bootstrap.h"

#include <stdlib.h>

#include "scoring/metrics.h"
#include "tests/check.h"
#include "tests/unit/watched_model.h"

#define RESAMPLES 200

static struct bootstrap *begin(const struct model *model, double level, struct error *err)
{
    const struct metrics_options options = {
        .keeps_rows = true, .bootstrap = {.level = level, .resamples = RESAMPLES, .seed = 1}};
    struct bootstrap *bootstrap;

    CHECK(bootstrap_new(model, &options, &bootstrap, err) == STATUS_OK);
    return bootstrap;
}

static void add(struct bootstrap *bootstrap, uint32_t label, uint32_t predicted, float score)
{
    const struct metrics_row row = {.label = label, .predicted = predicted, .score = score};
    struct error err;

    CHECK_OK(bootstrap_add(bootstrap, &row, &err));
}

static struct metric_bounds bounds_of(struct bootstrap *bootstrap, enum metric metric)
{
    const struct measure measure = {.metric = metric};
    struct metric_bounds bounds;
    struct error err;

    CHECK_OK(bootstrap_bounds(bootstrap, &measure, 1, NULL, &bounds, &err));
    return bounds;
}

static void rows_that_are_all_right_have_no_width(void **state)
{
    struct metric_bounds bounds;
    struct bootstrap *bootstrap;
    struct fixture fixture;
    struct error err;
    (void)state;

    watched_init(&fixture, 2);
    bootstrap = begin(&fixture.model, 0.95, &err);
    for (uint32_t i = 0; i < 1000; i++)
        add(bootstrap, i % 2, i % 2, (float)(i % 2));
    bounds = bounds_of(bootstrap, METRIC_ACCURACY);
    CHECK(bounds.lower == 1 && bounds.upper == 1);
    bounds = bounds_of(bootstrap, METRIC_AUC);
    CHECK(bounds.lower == 1 && bounds.upper == 1);
    bootstrap_free(bootstrap);
    fixture_deinit(&fixture);
}

/* The share of 300 of 1,000 rows has a deviation of sqrt(.3 * .7 / 1000) = .0145. */
static void a_share_has_the_width_of_a_binomial_one(void **state)
{
    struct metric_bounds wide, narrow, turned;
    struct bootstrap *bootstrap;
    struct fixture fixture;
    struct error err;
    (void)state;

    watched_init(&fixture, 2);
    bootstrap = begin(&fixture.model, 0.95, &err);
    for (uint32_t i = 0; i < 1000; i++)
        add(bootstrap, i % 2, i < 300 ? i % 2 : 1 - i % 2, (float)(i % 7));
    wide = bounds_of(bootstrap, METRIC_ACCURACY);
    bootstrap_free(bootstrap);
    CHECK(fabs(wide.lower - (0.3 - 1.96 * 0.0145)) < 0.008);
    CHECK(fabs(wide.upper - (0.3 + 1.96 * 0.0145)) < 0.008);
    bootstrap = begin(&fixture.model, 0.5, &err);
    for (uint32_t i = 0; i < 1000; i++)
        add(bootstrap, i % 2, i < 300 ? i % 2 : 1 - i % 2, (float)(i % 7));
    narrow = bounds_of(bootstrap, METRIC_ACCURACY);
    bootstrap_free(bootstrap);
    CHECK(narrow.lower > wide.lower && narrow.upper < wide.upper);
    bootstrap = begin(&fixture.model, 0.5, &err);
    for (uint32_t i = 1000; i-- > 0;)
        add(bootstrap, i % 2, i < 300 ? i % 2 : 1 - i % 2, (float)(i % 7));
    turned = bounds_of(bootstrap, METRIC_ACCURACY);
    CHECK(memcmp(&turned, &narrow, sizeof turned) == 0);
    CHECK(isnan(bounds_of(bootstrap, METRIC_RMSE).lower)); /* a metric of others */
    bootstrap_free(bootstrap);
    fixture_deinit(&fixture);
}

static bool is_stopped(void *self)
{
    (void)self;
    return true;
}

static void what_cannot_be_measured_is_refused(void **state)
{
    const struct measure measure = {.metric = METRIC_ACCURACY};
    const struct metrics_options many = {.bootstrap = {.level = 0.9, .resamples = 100000}};
    const struct metrics_row scored = {.scores = {"12345678", 8}};
    const struct stop stop = {is_stopped, NULL};
    struct metric_bounds bounds;
    struct bootstrap *bootstrap;
    struct fixture fixture;
    struct error err;
    (void)state;

    watched_init(&fixture, 2);
    bootstrap = begin(&fixture.model, 0.9, &err);
    CHECK(isnan(bounds_of(bootstrap, METRIC_ACCURACY).upper)); /* no rows at all */
    add(bootstrap, 0, 0, 0);
    CHECK_FAILS(bootstrap_add(bootstrap, &scored, &err), STATUS_CORRUPT, "of another model");
    CHECK_FAILS(bootstrap_bounds(bootstrap, &measure, 1, &stop, &bounds, &err), STATUS_INTERRUPTED,
                "interrupted");
    CHECK(isnan(bounds_of(bootstrap, METRIC_AUC).lower)); /* one class alone */
    add(bootstrap, 7, 0, 0);
    CHECK_FAILS(bootstrap_bounds(bootstrap, &measure, 1, NULL, &bounds, &err), STATUS_CORRUPT,
                "of another model");
    bootstrap_free(bootstrap);
    CHECK_OK(bootstrap_new(&fixture.model, &many, &bootstrap, &err));
    for (uint32_t i = 0; i < 200001; i++)
        add(bootstrap, 0, 0, 0);
    CHECK_FAILS(bootstrap_bounds(bootstrap, &measure, 1, NULL, &bounds, &err), STATUS_LIMIT,
                "100000 resamples of 200001 rows");
    bootstrap_free(bootstrap);
    bootstrap_free(NULL);
    fixture_deinit(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_that_are_all_right_have_no_width),
        cmocka_unit_test(a_share_has_the_width_of_a_binomial_one),
        cmocka_unit_test(what_cannot_be_measured_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
