/* The reports of EVALUATE, and what metrics say of several classes: by hand. */
#include <math.h>

#include "kinds/kinds.h"
#include "scoring/kind.h"
#include "scoring/metrics.h"
#include "tests/check.h"

#define LABELS                 1100
#define NEAR(actual, expected) CHECK(fabs((actual) - (expected)) < 1e-9)

/* A model of so many classes, 0, 1, ..., whose rows the test writes itself. */
struct stage {
    struct cell labels[LABELS];
    struct model model;
    struct report *report;
    struct arena arena;
    struct report_rows rows;
};

static enum status stage_init(struct stage *stage, enum report_kind kind, enum task task,
                              uint32_t classes, struct error *err)
{
    for (uint32_t i = 0; i < LABELS; i++)
        stage->labels[i] = (struct cell){.type = CELL_INTEGER, .integer = i};
    stage->model = (struct model){.kind = kind_find(SLICE("network")),
                                  .task = task,
                                  .labels = {.count = classes, .values = stage->labels},
                                  .label_scale = 1};
    arena_init(&stage->arena, ARENA_MAXIMUM);
    return report_new(&stage->model, kind, &stage->report, err);
}

static void add(struct stage *stage, uint32_t label, uint32_t predicted, float score)
{
    const struct metrics_row row = {.label = label, .predicted = predicted, .score = score};
    struct error err;

    CHECK_OK(report_add(stage->report, &row, &err));
}

static void make(struct stage *stage)
{
    struct error err;

    CHECK_OK(report_make(stage->report, &stage->arena, &stage->rows, &err));
}

static const struct cell *cell_at(const struct stage *stage, size_t row, size_t column)
{
    CHECK(row < stage->rows.rows && column < stage->rows.columns);
    return &stage->rows.cells[row * stage->rows.columns + column];
}

/* NAN stands for NULL. */
static void check_row(const struct stage *stage, size_t row, const double *expected)
{
    for (size_t i = 0; i < stage->rows.columns; i++) {
        const struct cell *cell = cell_at(stage, row, i);

        if (isnan(expected[i]))
            CHECK_INT(cell->type, CELL_NULL);
        else
            NEAR(cell->type == CELL_INTEGER ? (double)cell->integer : cell->real, expected[i]);
    }
}

static void stage_deinit(struct stage *stage)
{
    report_free(stage->report);
    arena_deinit(&stage->arena);
}

static void a_report_that_a_model_does_not_have_is_refused(void **state)
{
    struct stage stage;
    struct error err;
    (void)state;

    CHECK(report_columns(REPORT_METRICS) == NULL);
    CHECK_INT(strcmp(report_columns(REPORT_PR)[2], "recall"), 0);
    CHECK(report_is_of(REPORT_METRICS, TASK_CLUSTERING));
    CHECK(!report_is_of(REPORT_ROC, TASK_REGRESSION));
    CHECK_FAILS(stage_init(&stage, REPORT_RESIDUALS, TASK_CLASSIFICATION, 2, &err), STATUS_INVALID,
                "has no report 'residuals'");
    CHECK_FAILS(stage_init(&stage, REPORT_ROC, TASK_CLASSIFICATION, 3, &err), STATUS_INVALID,
                "the model has 3");
    CHECK_FAILS(
        stage_init(&stage, REPORT_CONFUSION, TASK_CLASSIFICATION, REPORT_LABELS_MAX + 1, &err),
        STATUS_LIMIT, "at most 1000 labels");
    CHECK(stage.report == NULL);
    CHECK_OK(stage_init(&stage, REPORT_METRICS, TASK_CLASSIFICATION, 2, &err));
    CHECK_FAILS(report_make(stage.report, &stage.arena, &stage.rows, &err), STATUS_INVALID,
                "no report");
    stage_deinit(&stage);
}

static void a_row_of_another_model_is_refused(void **state)
{
    const struct metrics_row row = {.label = 0, .predicted = 2};
    struct stage stage;
    struct error err;
    (void)state;

    CHECK_OK(stage_init(&stage, REPORT_CLASSES, TASK_CLASSIFICATION, 2, &err));
    CHECK_FAILS(report_add(stage.report, &row, &err), STATUS_CORRUPT, "another model");
    stage_deinit(&stage);
}

static void few_labels_have_all_pairs_and_many_those_that_occur(void **state)
{
    struct stage stage;
    struct error err;
    (void)state;

    CHECK_OK(stage_init(&stage, REPORT_CONFUSION, TASK_CLASSIFICATION, 2, &err));
    add(&stage, 0, 0, -1);
    add(&stage, 0, 1, 1);
    add(&stage, 0, 1, 1);
    add(&stage, METRICS_UNKNOWN, 1, 1);
    make(&stage);
    CHECK_INT(stage.rows.rows, 5);
    check_row(&stage, 0, (double[]){0, 0, 1});
    check_row(&stage, 1, (double[]){0, 1, 2});
    check_row(&stage, 2, (double[]){1, 0, 0});
    check_row(&stage, 3, (double[]){1, 1, 0});
    check_row(&stage, 4, (double[]){NAN, 1, 1});
    stage_deinit(&stage);

    CHECK_OK(stage_init(&stage, REPORT_CONFUSION, TASK_CLASSIFICATION, 25, &err));
    add(&stage, 24, 3, 0);
    add(&stage, 3, 24, 0);
    add(&stage, 24, 3, 0);
    make(&stage);
    CHECK_INT(stage.rows.rows, 2);
    check_row(&stage, 0, (double[]){3, 24, 1});
    check_row(&stage, 1, (double[]){24, 3, 2});
    stage_deinit(&stage);
}

static void many_labels_without_a_row_have_no_pair(void **state)
{
    struct stage stage;
    struct error err;
    (void)state;

    CHECK_OK(stage_init(&stage, REPORT_CONFUSION, TASK_CLASSIFICATION, 25, &err));
    make(&stage);
    CHECK_INT(stage.rows.rows, 0);
    CHECK_INT(stage.rows.columns, 3);
    stage_deinit(&stage);
}

static void classes_have_their_precision_and_recall(void **state)
{
    struct stage stage;
    struct error err;
    (void)state;

    CHECK_OK(stage_init(&stage, REPORT_CLASSES, TASK_CLASSIFICATION, 3, &err));
    add(&stage, 0, 0, 0);
    add(&stage, 0, 1, 0);
    add(&stage, 1, 1, 0);
    make(&stage);
    CHECK_INT(stage.rows.rows, 3);
    check_row(&stage, 0, (double[]){0, 1, 0.5, 2.0 / 3, 2});
    check_row(&stage, 1, (double[]){1, 0.5, 1, 2.0 / 3, 1});
    check_row(&stage, 2, (double[]){2, 0, 0, 0, 0}); /* neither true nor predicted */
    add(&stage, METRICS_UNKNOWN, 1, 0);
    make(&stage);
    CHECK_INT(stage.rows.rows, 4);
    check_row(&stage, 1, (double[]){1, 1.0 / 3, 1, 0.5, 1});
    check_row(&stage, 3, (double[]){NAN, 0, 0, 0, 1});
    stage_deinit(&stage);
}

static void add_five(struct stage *stage)
{
    add(stage, 1, 1, 60); /* both of the probability 1: one threshold */
    add(stage, 0, 1, 50);
    add(stage, 1, 1, 0);
    add(stage, 0, 0, -50);
    add(stage, METRICS_UNKNOWN, 1, 7);
}

static void curves_have_a_point_for_each_probability(void **state)
{
    const double least = 1 / (1 + exp(50));
    struct stage stage;
    struct error err;
    (void)state;

    CHECK_OK(stage_init(&stage, REPORT_ROC, TASK_CLASSIFICATION, 2, &err));
    add_five(&stage);
    make(&stage);
    CHECK_INT(stage.rows.rows, 4);
    check_row(&stage, 0, (double[]){NAN, 0, 0});
    check_row(&stage, 1, (double[]){1, 0.5, 0.5});
    check_row(&stage, 2, (double[]){0.5, 0.5, 1});
    check_row(&stage, 3, (double[]){least, 1, 1});
    stage_deinit(&stage);

    CHECK_OK(stage_init(&stage, REPORT_PR, TASK_CLASSIFICATION, 2, &err));
    add_five(&stage);
    make(&stage);
    CHECK_INT(stage.rows.rows, 3);
    check_row(&stage, 0, (double[]){1, 0.5, 0.5});
    check_row(&stage, 1, (double[]){0.5, 2.0 / 3, 1});
    check_row(&stage, 2, (double[]){least, 0.5, 1});
    stage_deinit(&stage);
}

/* A row is compared by its margin, and 60 and 50 are two. */
static void curves_of_margins_have_a_point_for_each_margin(void **state)
{
    struct stage stage;
    struct error err;
    (void)state;

    CHECK_OK(stage_init(&stage, REPORT_ROC, TASK_CLASSIFICATION, 2, &err));
    stage.model.link = LABEL_LINK_MARGIN;
    add_five(&stage);
    make(&stage);
    CHECK_INT(stage.rows.rows, 5);
    check_row(&stage, 1, (double[]){60, 0, 0.5});
    check_row(&stage, 2, (double[]){50, 0.5, 0.5});
    check_row(&stage, 4, (double[]){-50, 1, 1});
    report_free(stage.report);
    CHECK_FAILS(report_new(&stage.model, REPORT_CALIBRATION, &stage.report, &err), STATUS_INVALID,
                "'calibration' needs probabilities, and the model has none");
    stage_deinit(&stage);
}

static void a_curve_of_many_thresholds_keeps_its_ends(void **state)
{
    struct stage stage;
    struct error err;
    (void)state;

    CHECK_OK(stage_init(&stage, REPORT_ROC, TASK_CLASSIFICATION, 2, &err));
    for (uint32_t i = 0; i < 5000; i++)
        add(&stage, i % 2, i % 2, (float)i / 1000 - 2.5f);
    make(&stage);
    CHECK(stage.rows.rows > REPORT_POINTS / 2 && stage.rows.rows <= REPORT_POINTS + 2);
    check_row(&stage, 0, (double[]){NAN, 0, 0});
    NEAR(cell_at(&stage, stage.rows.rows - 1, 1)->real, 1);
    NEAR(cell_at(&stage, stage.rows.rows - 1, 2)->real, 1);
    stage_deinit(&stage);
}

static void the_best_thresholds_of_many_are_kept(void **state)
{
    const struct report_costs costs = {1, 1000};
    struct stage stage;
    struct error err;
    size_t best = 0, cheapest = 0;
    (void)state;

    CHECK_OK(stage_init(&stage, REPORT_THRESHOLDS, TASK_CLASSIFICATION, 2, &err));
    report_set_costs(stage.report, &costs);
    for (uint32_t i = 0; i < 5000; i++)
        add(&stage, i >= 2503, i >= 2503, (float)i / 1000 - 2.5f);
    add(&stage, 1, 0, 1003.5f / 1000 - 2.5f);
    make(&stage);
    CHECK(stage.rows.rows > REPORT_POINTS / 2 && stage.rows.rows <= REPORT_POINTS + 4);
    for (size_t i = 0; i < stage.rows.rows; i++) {
        best = cell_at(&stage, i, 3)->real > cell_at(&stage, best, 3)->real ? i : best;
        cheapest = cell_at(&stage, i, 5)->real < cell_at(&stage, cheapest, 5)->real ? i : cheapest;
    }
    NEAR(cell_at(&stage, best, 1)->real, 1);
    NEAR(cell_at(&stage, best, 2)->real, 2497. / 2498);
    NEAR(cell_at(&stage, best, 5)->real, 1000);
    CHECK(cheapest == best);
    stage_deinit(&stage);
}

static void a_tenth_of_equal_scores_has_its_share(void **state)
{
    struct stage stage;
    struct error err;
    (void)state;

    CHECK_OK(stage_init(&stage, REPORT_GAIN, TASK_CLASSIFICATION, 2, &err));
    add(&stage, 1, 1, 1);
    for (uint32_t i = 0; i < 4; i++)
        add(&stage, i < 2, 1, 0);
    make(&stage);
    CHECK_INT(stage.rows.rows, 5); /* five rows are in five of the tenths */
    check_row(&stage, 0, (double[]){2, 1 / (1 + exp(-1)), 1, 1, 5. / 3, 1. / 3});
    check_row(&stage, 1, (double[]){4, 0.5, 1, 0.5, 5. / 6, 0.5});
    check_row(&stage, 4, (double[]){10, 0.5, 1, 0.5, 5. / 6, 1});
    stage_deinit(&stage);

    CHECK_OK(stage_init(&stage, REPORT_GAIN, TASK_CLASSIFICATION, 2, &err));
    for (uint32_t i = 0; i < 10; i++)
        add(&stage, 0, 0, (float)i);
    make(&stage);
    CHECK_INT(stage.rows.rows, 10); /* without positives there is nothing to gain */
    check_row(&stage, 0, (double[]){1, 1 / (1 + exp(-9)), 1, 0, NAN, NAN});
    stage_deinit(&stage);
}

static void a_bin_without_rows_has_no_mean(void **state)
{
    struct stage stage;
    struct error err;
    (void)state;

    CHECK_OK(stage_init(&stage, REPORT_CALIBRATION, TASK_CLASSIFICATION, 2, &err));
    add_five(&stage);
    make(&stage);
    CHECK_INT(stage.rows.rows, 10);
    check_row(&stage, 0, (double[]){1, 0.1, 1, 1 / (1 + exp(50)), 0});
    check_row(&stage, 1, (double[]){2, 0.2, 0, NAN, NAN});
    check_row(&stage, 4, (double[]){5, 0.5, 1, 0.5, 1}); /* the upper bound belongs to it */
    check_row(&stage, 9, (double[]){10, 1, 2, 1, 0.5});
    stage_deinit(&stage);
}

static void add_residual(struct stage *stage, double residual)
{
    const struct metrics_row row = {.loss = -residual};
    struct error err;

    CHECK_OK(report_add(stage->report, &row, &err));
}

static void residuals_are_shown_as_quantiles_and_bars(void **state)
{
    struct stage stage;
    struct error err;
    (void)state;

    CHECK_OK(stage_init(&stage, REPORT_RESIDUALS, TASK_REGRESSION, 0, &err));
    make(&stage);
    CHECK_INT(stage.rows.rows, 0);
    add_residual(&stage, 3);
    make(&stage);
    CHECK_INT(stage.rows.rows, 11 + 1); /* all are the same: one bar */
    CHECK_SLICE(cell_at(&stage, 11, 0)->text, "histogram");
    NEAR(cell_at(&stage, 11, 1)->real, 1);
    CHECK(cell_at(&stage, 11, 2)->real == 3 && cell_at(&stage, 11, 3)->real == 3);
    stage_deinit(&stage);

    CHECK_OK(stage_init(&stage, REPORT_RESIDUALS, TASK_REGRESSION, 0, &err));
    for (int i = 2000; i >= 0; i--)
        add_residual(&stage, i * 1237 % 2001);
    make(&stage);
    CHECK_INT(stage.rows.rows, 11 + 20);
    CHECK_SLICE(cell_at(&stage, 5, 0)->text, "quantile");
    CHECK(cell_at(&stage, 0, 2)->real == 0 && cell_at(&stage, 10, 2)->real == 2000);
    NEAR(cell_at(&stage, 5, 2)->real, 1000);
    CHECK_INT(cell_at(&stage, 11, 4)->integer, 100);
    CHECK_INT(cell_at(&stage, 30, 4)->integer, 101); /* the last holds the greatest, too */
    stage_deinit(&stage);
}

/* ---- metrics of several classes, and rows that are none of theirs ---- */

static struct metrics *metrics_of(struct stage *stage, enum task task, uint32_t classes,
                                  bool ranks_classes)
{
    const struct metrics_options options = {.ranks_classes = ranks_classes};
    struct metrics *metrics;
    struct error err;

    CHECK_OK(stage_init(stage, REPORT_METRICS, task, classes, &err));
    stage_deinit(stage);
    CHECK_OK(metrics_new(&stage->model, &options, &metrics, &err));
    return metrics;
}

static void add_outputs(struct stage *stage, struct metrics *metrics, const float *outputs,
                        int64_t label)
{
    const struct scorer scorer = {.model = &stage->model, .outputs = outputs};
    struct error err;

    CHECK_OK(metrics_add(metrics, &scorer, &(struct row_label){.class = label}, &err));
}

static void several_classes_are_ranked_each_against_the_rest(void **state)
{
    struct stage stage;
    struct metrics *metrics = metrics_of(&stage, TASK_CLASSIFICATION, 3, true);
    (void)state;

    /* So sure that the probabilities are 1 and 0; class 2 never occurs. */
    add_outputs(&stage, metrics, (float[]){2000, 0, 0}, 0);
    add_outputs(&stage, metrics, (float[]){0, 2000, 0}, 1);
    add_outputs(&stage, metrics, (float[]){1, 0, 0}, 0);
    add_outputs(&stage, metrics, (float[]){0, 0, 1}, -1);
    CHECK_INT(metrics_classes(metrics), 3);
    CHECK_INT(metrics_unknown_rows(metrics), 1);
    NEAR(metrics_value(metrics, METRIC_AUC), 1);
    NEAR(metrics_value(metrics, METRIC_ACCURACY), 0.75);
    for (int i = 0; i < 600; i++)
        add_outputs(&stage, metrics, (float[]){0, 0, (float)(i - 300)}, i % 3);
    CHECK(fabs(metrics_value(metrics, METRIC_AUC) - 0.5) < 0.05);
    CHECK(!metrics_rank_too_many(metrics));
    metrics_free(metrics);
}

static void classes_are_ranked_only_for_a_metric_that_ranks(void **state)
{
    const struct slice names[] = {SLICE("beauty"), SLICE("Accuracy"), SLICE("AUC")};
    struct stage stage;
    (void)state;

    metrics_free(metrics_of(&stage, TASK_CLASSIFICATION, 3, false));
    CHECK(!metrics_rank_classes(&stage.model, names, 2));
    CHECK(metrics_rank_classes(&stage.model, names, 3));
    stage.model.labels.count = RANKED_CLASSES_MAX + 1;
    CHECK(!metrics_rank_classes(&stage.model, names, 3));
    stage.model.labels.count = 2;
    CHECK(!metrics_rank_classes(&stage.model, names, 3));
    stage.model.task = TASK_REGRESSION;
    CHECK(!metrics_rank_classes(&stage.model, names, 3));
    metrics_free(NULL);
}

static void predictions_that_never_differ_correlate_with_nothing(void **state)
{
    struct stage stage;
    struct metrics *metrics = metrics_of(&stage, TASK_CLASSIFICATION, 2, false);
    (void)state;

    add_outputs(&stage, metrics, (float[]){1}, 1);
    add_outputs(&stage, metrics, (float[]){1}, 0);
    CHECK(metrics_value(metrics, METRIC_MCC) == 0);
    NEAR(metrics_value(metrics, METRIC_PR_AUC), 0.5);
    NEAR(metrics_value(metrics, METRIC_BALANCED_ACCURACY), 0.5);
    metrics_free(metrics);
}

static void measured_rows_that_cannot_be_are_refused(void **state)
{
    static const struct {
        uint32_t classes;
        struct metrics_row row;
        const char *message;
    } cases[] = {
        {2, {.label = 2}, "another model"},       {2, {.predicted = 3}, "another model"},
        {2, {.loss = INFINITY}, "another model"}, {2, {.score = NAN}, "another model"},
        {3, {.label = 1}, "without the scores"},  {0, {.value = NAN}, "another model"},
    };
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct stage stage;
        struct metrics *metrics =
            metrics_of(&stage, cases[i].classes ? TASK_CLASSIFICATION : TASK_REGRESSION,
                       cases[i].classes, cases[i].classes > 2);
        struct error err;

        CHECK_FAILS(metrics_add_row(metrics, &cases[i].row, &err), STATUS_CORRUPT,
                    cases[i].message);
        CHECK_INT(metrics_rows(metrics), 0);
        CHECK_INT(metrics_unknown_rows(metrics), 0);
        metrics_free(metrics);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_report_that_a_model_does_not_have_is_refused),
        cmocka_unit_test(a_row_of_another_model_is_refused),
        cmocka_unit_test(few_labels_have_all_pairs_and_many_those_that_occur),
        cmocka_unit_test(many_labels_without_a_row_have_no_pair),
        cmocka_unit_test(classes_have_their_precision_and_recall),
        cmocka_unit_test(curves_have_a_point_for_each_probability),
        cmocka_unit_test(curves_of_margins_have_a_point_for_each_margin),
        cmocka_unit_test(a_curve_of_many_thresholds_keeps_its_ends),
        cmocka_unit_test(the_best_thresholds_of_many_are_kept),
        cmocka_unit_test(a_tenth_of_equal_scores_has_its_share),
        cmocka_unit_test(a_bin_without_rows_has_no_mean),
        cmocka_unit_test(residuals_are_shown_as_quantiles_and_bars),
        cmocka_unit_test(several_classes_are_ranked_each_against_the_rest),
        cmocka_unit_test(classes_are_ranked_only_for_a_metric_that_ranks),
        cmocka_unit_test(predictions_that_never_differ_correlate_with_nothing),
        cmocka_unit_test(measured_rows_that_cannot_be_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
