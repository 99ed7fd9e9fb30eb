/* Metrics of rows that count several times: those of the same rows one by one. */
#include "scoring/row_counts.h"

#include <math.h>
#include <string.h>

#include "tests/check.h"
#include "tests/unit/watched_model.h"

#define ROWS 60

static const struct measure of_classes[] = {{.metric = METRIC_ACCURACY},
                                            {.metric = METRIC_LOG_LOSS},
                                            {.metric = METRIC_AUC},
                                            {.metric = METRIC_PR_AUC},
                                            {.metric = METRIC_F1},
                                            {.metric = METRIC_MCC},
                                            {.metric = METRIC_PRECISION},
                                            {.metric = METRIC_RECALL},
                                            {.metric = METRIC_BALANCED_ACCURACY}};
static const struct measure of_numbers[] = {{.metric = METRIC_MSE},  {.metric = METRIC_RMSE},
                                            {.metric = METRIC_MAE},  {.metric = METRIC_R2},
                                            {.metric = METRIC_MAPE}, {.metric = METRIC_RMSLE}};

/* Every seventh row's class is unknown, and scores have ties. */
static struct metrics_row class_row(uint32_t i)
{
    return (struct metrics_row){.label = i % 7 == 6 ? METRICS_UNKNOWN : i % 2,
                                .predicted = i * 5 % 3 > 0,
                                .score = (float)(i * 11 % 13) - 5 + (float)(i % 2),
                                .loss = -0.1 - i % 4};
}

static struct metrics_row number_row(uint32_t i)
{
    return (struct metrics_row){.loss = (i * 7 % 11) / 4. - 1, .value = 1e6 + i * 13 % 17};
}

static void check_near(double counted, double added)
{
    CHECK(isnan(counted) == isnan(added));
    CHECK(isnan(added) || fabs(counted - added) <= 1e-9 * (1 + fabs(added)));
}

/* times (ROWS): how often each row counts. */
static void check_times(const struct model *model, struct row_counts *counts,
                        const struct metrics_options *options, const struct measure *measures,
                        size_t count, const uint32_t *times)
{
    const bool is_class = model->task == TASK_CLASSIFICATION;
    double values[16];
    struct metrics *metrics;
    struct error err;

    CHECK_OK(metrics_new(model, options, &metrics, &err));
    for (uint32_t i = 0; i < ROWS; i++)
        for (uint32_t j = 0; j < times[i]; j++) {
            const struct metrics_row row = is_class ? class_row(i) : number_row(i);

            CHECK_OK(metrics_add_row(metrics, &row, &err));
        }
    row_counts_measure(counts, times, values);
    for (size_t i = 0; i < count; i++)
        check_near(values[i], metrics_measured(metrics, measures[i]));
    metrics_free(metrics);
}

static void check_counts(uint32_t classes, const struct measure *measures, size_t count)
{
    const struct slice names[] = {SLICE("RMSLE")};
    const struct metrics_options options = {.names = names, .name_count = classes ? 0 : 1};
    uint32_t times[ROWS];
    struct row_counts *counts;
    struct fixture fixture;
    struct error err;

    watched_init(&fixture, classes);
    CHECK(row_counts_have(&fixture.model, &options, measures, count));
    CHECK_OK(row_counts_new(&fixture.model, &options, measures, count, ROWS, &counts, &err));
    for (uint32_t i = 0; i < ROWS; i++) {
        const struct metrics_row row = classes ? class_row(i) : number_row(i);

        CHECK_OK(row_counts_put(counts, &row, &err));
    }
    for (uint32_t draw = 0; draw < 20; draw++) {
        for (uint32_t i = 0; i < ROWS; i++)
            times[i] = (i * 2654435761u + draw * 40503u) >> 13 & 3;
        check_times(&fixture.model, counts, &options, measures, count, times);
    }
    memset(times, 0, sizeof times); /* no row, then one alone, often */
    check_times(&fixture.model, counts, &options, measures, count, times);
    times[3] = 5;
    check_times(&fixture.model, counts, &options, measures, count, times);
    row_counts_free(counts);
    fixture_deinit(&fixture);
}

static void classes_that_count_several_times_are_those_added_one_by_one(void **state)
{
    (void)state;
    check_counts(2, of_classes, sizeof of_classes / sizeof *of_classes);
}

static void numbers_that_count_several_times_are_those_added_one_by_one(void **state)
{
    (void)state;
    check_counts(0, of_numbers, sizeof of_numbers / sizeof *of_numbers);
}

static void metrics_that_are_no_sums_are_not_had(void **state)
{
    const struct metrics_options plain = {.as_means = true}, ranked = {.ranks_classes = true};
    const struct measure ranks = {.metric = METRIC_NDCG}, auc = {.metric = METRIC_AUC};
    struct fixture numbers, classes;
    (void)state;

    watched_init(&numbers, 0);
    watched_init(&classes, 3);
    CHECK(!row_counts_have(&numbers.model, &plain, &ranks, 1));
    CHECK(row_counts_have(&classes.model, &plain, &auc, 1)); /* not defined either way */
    CHECK(!row_counts_have(&classes.model, &ranked, &auc, 1));
    classes.model.task = TASK_CLUSTERING;
    CHECK(!row_counts_have(&classes.model, &plain, &auc, 1));
    classes.model.task = TASK_CLASSIFICATION;
    row_counts_free(NULL);
    fixture_deinit(&numbers);
    fixture_deinit(&classes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_that_count_several_times_are_those_added_one_by_one),
        cmocka_unit_test(numbers_that_count_several_times_are_those_added_one_by_one),
        cmocka_unit_test(metrics_that_are_no_sums_are_not_had),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
