/*
 * Metrics and reports against scikit-learn's numbers (judging_reference.py).
 */
#include "tests/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kinds/kinds.h"
#include "scoring/kind.h"
#include "scoring/metrics.h"
#include "tests/unit/judging_reference.h"

#define COUNT(c)                (sizeof(c) / sizeof *(c))
#define NEAR(actual, expected)  CHECK(fabs((actual) - (expected)) < 1e-9)
#define CELL(rows, row, column) ((rows).cells[(row) * (rows).columns + (column)])
#define REAL(rows, row, column) (CELL(rows, row, column).real)

struct stage {
    struct model model;
    struct cell labels[REFERENCE_CLASSES];
    float outputs[REFERENCE_CLASSES];
    struct scorer scorer;
    struct metrics *metrics;
    struct arena arena;
    struct report_rows rows;
};

static void stage_init(struct stage *stage, enum task task, uint32_t classes,
                       const struct metrics_options *options)
{
    struct error err;

    *stage = (struct stage){.model = {.kind = kind_find(SLICE("network")),
                                      .task = task,
                                      .labels = {LABEL_INTEGER, classes, stage->labels},
                                      .positive_is_lesser = stage->model.positive_is_lesser,
                                      .label_scale = 1}};
    for (uint32_t i = 0; i < classes; i++)
        stage->labels[i] = (struct cell){.type = CELL_INTEGER, .integer = 10 + i};
    stage->scorer = (struct scorer){.model = &stage->model, .outputs = stage->outputs};
    arena_init(&stage->arena, ARENA_MAXIMUM);
    CHECK_OK(metrics_new(&stage->model, options, &stage->metrics, &err));
}

static void stage_deinit(struct stage *stage)
{
    metrics_free(stage->metrics);
    arena_deinit(&stage->arena);
}

static void add_class(struct stage *stage, int64_t label)
{
    struct error err;

    CHECK_OK(
        metrics_add(stage->metrics, &stage->scorer, &(struct row_label){.class = label}, &err));
}

/* Backwards too: no order of the rows may make a difference. */
static void add_many(struct stage *stage, bool is_backwards)
{
    for (int i = 0; i < REFERENCE_ROWS; i++) {
        const int row = is_backwards ? REFERENCE_ROWS - 1 - i : i;

        for (int j = 0; j < REFERENCE_CLASSES; j++)
            stage->outputs[j] = many_logits[row][j];
        add_class(stage, many_labels[row]);
    }
}

static void add_two(struct stage *stage, bool is_backwards)
{
    for (int i = 0; i < REFERENCE_ROWS; i++) {
        const int row = is_backwards ? REFERENCE_ROWS - 1 - i : i;

        stage->outputs[0] = two_logits[row];
        add_class(stage, two_labels[row]);
    }
}

static void add_numbers(struct stage *stage)
{
    struct error err;

    for (int i = 0; i < REFERENCE_ROWS; i++) {
        stage->outputs[0] = value_guesses[i];
        CHECK_OK(metrics_add(stage->metrics, &stage->scorer,
                             &(struct row_label){.value = value_labels[i]}, &err));
    }
}

static void make(struct stage *stage)
{
    struct error err;

    CHECK_OK(report_make(metrics_report(stage->metrics), &stage->arena, &stage->rows, &err));
}

/* ---- metrics ---- */

static void check_values(struct metrics *metrics, const struct metric_reference *values,
                         size_t count, double within)
{
    for (size_t i = 0; i < count; i++) {
        enum metric metric;
        double found;

        CHECK(metric_find(slice_of(values[i].name), &metric));
        found = metrics_value(metrics, metric);
        if (!(fabs(found - values[i].value) <= within * (1 + fabs(values[i].value))))
            check_failed("%s is %.12g, not %.12g", values[i].name, found, values[i].value);
    }
}

#define CHECK_VALUES(metrics, values) check_values(metrics, values, COUNT(values), 1e-9)
/* Outputs are single precision, where scikit-learn has doubles. */
#define CHECK_FLOATS(metrics, values) check_values(metrics, values, COUNT(values), 1e-6)

static void metrics_of_many_classes_are_those_of_scikit_learn(void **state)
{
    static const enum average averages[] = {AVERAGE_MACRO, AVERAGE_WEIGHTED, AVERAGE_MICRO};
    double auc[2];
    (void)state;

    for (size_t i = 0; i < COUNT(averages); i++) {
        for (int turn = 0; turn < 2; turn++) {
            const struct metrics_options options = {.ranks_classes = true, .average = averages[i]};
            struct stage stage = {0};

            stage_init(&stage, TASK_CLASSIFICATION, REFERENCE_CLASSES, &options);
            add_many(&stage, turn == 1);
            CHECK_VALUES(stage.metrics, many_values[i]);
            auc[turn] = metrics_value(stage.metrics, METRIC_AUC);
            stage_deinit(&stage);
        }
        CHECK(auc[0] == auc[1]);
    }
}

static void the_positive_class_is_the_one_that_is_chosen(void **state)
{
    (void)state;
    for (int positive = 0; positive < 2; positive++) {
        struct stage stage = {.model.positive_is_lesser = positive == 0};

        stage_init(&stage, TASK_CLASSIFICATION, 2, NULL);
        add_two(&stage, false);
        CHECK_VALUES(stage.metrics, two_values[positive]);
        stage_deinit(&stage);
    }
}

static void metrics_of_numbers_are_those_of_scikit_learn(void **state)
{
    struct stage stage = {0};
    (void)state;

    stage_init(&stage, TASK_REGRESSION, 0, NULL);
    add_numbers(&stage);
    CHECK_VALUES(stage.metrics, value_values);
    stage_deinit(&stage);
}

static uint32_t reference_clusters(const struct model *model)
{
    (void)model;
    return REFERENCE_CLUSTERS;
}

/* Rows without a label: their inputs and outputs are all that is measured. */
static void measure_unlabelled(struct stage *stage, enum task task, enum aim aim,
                               const float *outputs, size_t width)
{
    static const struct kind clusters = {.outputs = reference_clusters};
    struct error err;

    stage_init(stage, task, 0, NULL);
    metrics_free(stage->metrics);
    stage->model.kind = &clusters;
    stage->model.aim.aim = aim;
    stage->model.transform.dense_width = COUNT(*row_inputs);
    stage->model.components = REFERENCE_COMPONENTS;
    CHECK_OK(metrics_new(&stage->model, NULL, &stage->metrics, &err));
    for (size_t row = 0; row < REFERENCE_ROWS; row++) {
        memcpy(stage->outputs, outputs + row * width, width * sizeof *outputs);
        stage->scorer.selected = row_inputs[row];
        CHECK_OK(metrics_add(stage->metrics, &stage->scorer, NULL, &err));
    }
}

static void metrics_without_a_label_are_those_of_scikit_learn(void **state)
{
    struct stage stage = {0};
    (void)state;

    measure_unlabelled(&stage, TASK_CLUSTERING, AIM_MEANS, *cluster_distances, REFERENCE_CLUSTERS);
    CHECK_FLOATS(stage.metrics, cluster_values);
    stage_deinit(&stage);
    measure_unlabelled(&stage, TASK_PROJECTION, AIM_MEANS, *component_outputs,
                       REFERENCE_COMPONENTS + 1);
    CHECK_FLOATS(stage.metrics, component_values);
    stage_deinit(&stage);
    measure_unlabelled(&stage, TASK_PROJECTION, AIM_LOSSES, *component_outputs,
                       REFERENCE_COMPONENTS + 1); /* the distance is the loss */
    CHECK_FLOATS(stage.metrics, loss_values);
    stage_deinit(&stage);
    measure_unlabelled(&stage, TASK_DETECTION, AIM_MEANS, border_distances, 1);
    CHECK_FLOATS(stage.metrics, border_values);
    stage_deinit(&stage);
}

static void note(bool *is_there, const struct metric_reference *values, size_t count)
{
    enum metric metric;

    for (size_t i = 0; i < count; i++)
        if (metric_find(slice_of(values[i].name), &metric))
            is_there[metric] = true;
}

/* A metric that is added needs its numbers: here, or in test_number_metrics.c. */
static void every_metric_has_reference_numbers(void **state)
{
    bool is_there[METRIC_COUNT] = {false};
    (void)state;

    note(is_there, *many_values, COUNT(*many_values));
    note(is_there, *two_values, COUNT(*two_values));
    note(is_there, value_values, COUNT(value_values));
    note(is_there, cluster_values, COUNT(cluster_values));
    note(is_there, component_values, COUNT(component_values));
    note(is_there, loss_values, COUNT(loss_values));
    note(is_there, border_values, COUNT(border_values));
    for (int metric = 0; metric < METRIC_COUNT; metric++)
        if (!is_there[metric] && !number_metrics_have((enum metric)metric))
            check_failed("no numbers for %s: add it to judging_reference.py",
                         metric_name((enum metric)metric));
}

static void a_threshold_decides_from_which_probability_on_the_positive_class_is_predicted(
    void **state)
{
    struct stage stage = {.model.positive_is_lesser = false};
    (void)state;

    stage_init(&stage, TASK_CLASSIFICATION, 2, NULL);
    stage.scorer.has_threshold = true;
    stage.scorer.threshold = 0.8;
    add_two(&stage, false);
    NEAR(metrics_value(stage.metrics, METRIC_RECALL), two_recall_at_0_8);
    NEAR(metrics_value(stage.metrics, METRIC_PRECISION), two_precision_at_0_8);
    stage_deinit(&stage);

    stage = (struct stage){.model.positive_is_lesser = true};
    stage_init(&stage, TASK_CLASSIFICATION, 2, NULL);
    stage.scorer.has_threshold = true;
    stage.scorer.threshold = 0; /* whatever it is */
    stage.outputs[0] = 5;
    CHECK_INT(scorer_class(&stage.scorer), 0);
    stage.scorer.threshold = 1;
    CHECK_INT(scorer_class(&stage.scorer), 1);
    stage_deinit(&stage);
}

static void a_confusion_matrix_counts_pairs(void **state)
{
    const struct metrics_options options = {.report = REPORT_CONFUSION};
    struct stage stage = {0};
    (void)state;

    stage_init(&stage, TASK_CLASSIFICATION, REFERENCE_CLASSES, &options);
    add_many(&stage, false);
    add_class(&stage, -1);
    make(&stage);
    CHECK_INT(stage.rows.rows, REFERENCE_CLASSES * REFERENCE_CLASSES + 1);
    for (size_t i = 0; i + 1 < stage.rows.rows; i++) {
        CHECK_INT(CELL(stage.rows, i, 0).integer, 10 + (int)i / REFERENCE_CLASSES);
        CHECK_INT(CELL(stage.rows, i, 1).integer, 10 + (int)i % REFERENCE_CLASSES);
        CHECK_INT(CELL(stage.rows, i, 2).integer,
                  many_confusion[i / REFERENCE_CLASSES][i % REFERENCE_CLASSES]);
    }
    CHECK_INT(CELL(stage.rows, stage.rows.rows - 1, 0).type, CELL_NULL); /* not learned */
    CHECK_INT(CELL(stage.rows, stage.rows.rows - 1, 2).integer, 1);
    stage_deinit(&stage);
}

static void each_class_has_its_row(void **state)
{
    const struct metrics_options options = {.report = REPORT_CLASSES};
    struct stage stage = {0};
    (void)state;

    stage_init(&stage, TASK_CLASSIFICATION, REFERENCE_CLASSES, &options);
    add_many(&stage, false);
    make(&stage);
    CHECK_INT(stage.rows.rows, REFERENCE_CLASSES);
    for (size_t i = 0; i < stage.rows.rows; i++) {
        for (size_t j = 0; j < 3; j++)
            NEAR(REAL(stage.rows, i, j + 1), many_classes[i][j]);
        CHECK_INT(CELL(stage.rows, i, 4).integer, (int)many_classes[i][3]);
    }
    stage_deinit(&stage);
}

static void check_curve(enum report_kind kind, const double (*expected)[3], size_t count)
{
    const struct metrics_options options = {.report = kind};
    const size_t first = kind == REPORT_ROC; /* the point of no rows */

    for (int turn = 0; turn < 2; turn++) {
        struct stage stage = {.model.positive_is_lesser = false};

        stage_init(&stage, TASK_CLASSIFICATION, 2, &options);
        add_two(&stage, turn == 1);
        make(&stage);
        CHECK(stage.rows.rows - first >= count);
        for (size_t i = 0; i < count; i++)
            for (size_t j = 0; j < 3; j++)
                NEAR(REAL(stage.rows, i + first, j), expected[i][j]);
        stage_deinit(&stage);
    }
}

/* Each row of the report against one of a table of six columns. */
static void check_table(const struct metrics_options *options, const double (*expected)[6],
                        size_t count)
{
    for (int turn = 0; turn < 2; turn++) {
        struct stage stage = {.model.positive_is_lesser = false};

        stage_init(&stage, TASK_CLASSIFICATION, 2, options);
        add_two(&stage, turn == 1);
        make(&stage);
        CHECK(stage.rows.rows >= count);
        for (size_t i = 0; i < count; i++)
            for (size_t j = 0; j < 6; j++)
                NEAR(CELL(stage.rows, i, j).type == CELL_INTEGER
                         ? (double)CELL(stage.rows, i, j).integer
                         : REAL(stage.rows, i, j),
                     expected[i][j]);
        stage_deinit(&stage);
    }
}

static void thresholds_and_gains_are_those_of_scikit_learn(void **state)
{
    const struct report_costs costs = {1, 3};
    const struct metrics_options thresholds = {.report = REPORT_THRESHOLDS, .costs = &costs};
    const struct metrics_options gain = {.report = REPORT_GAIN};
    (void)state;

    check_table(&thresholds, two_thresholds, COUNT(two_thresholds));
    check_table(&gain, two_gain, COUNT(two_gain));
}

static void curves_are_those_of_scikit_learn(void **state)
{
    (void)state;
    check_curve(REPORT_ROC, two_roc, COUNT(two_roc));
    check_curve(REPORT_PR, two_pr, COUNT(two_pr));
}

/* Each point is what a threshold of its value gives, whichever points there are. */
static void a_long_curve_has_some_points_and_they_are_exact(void **state)
{
    enum { ROWS = 20000 };
    const struct metrics_options options = {.report = REPORT_ROC};
    struct stage stage = {.model.positive_is_lesser = false};
    (void)state;

    stage_init(&stage, TASK_CLASSIFICATION, 2, &options);
    for (int i = 0; i < ROWS; i++) {
        stage.outputs[0] = (float)(i * 7919 % ROWS) / ROWS * 8 - 4;
        add_class(&stage, i % 3 == 0);
    }
    make(&stage);
    CHECK(stage.rows.rows > 900 && stage.rows.rows <= REPORT_POINTS + 2);
    for (size_t point = 1; point < stage.rows.rows; point += 97) {
        int positives = 0, hits = 0;

        stage.scorer.has_threshold = true;
        stage.scorer.threshold = REAL(stage.rows, point, 0);
        for (int i = 0; i < ROWS; i += 3, positives++) {
            stage.outputs[0] = (float)(i * 7919 % ROWS) / ROWS * 8 - 4;
            hits += scorer_class(&stage.scorer) == 1;
        }
        NEAR(REAL(stage.rows, point, 2), (double)hits / positives);
    }
    NEAR(REAL(stage.rows, stage.rows.rows - 1, 1), 1);
    NEAR(REAL(stage.rows, stage.rows.rows - 1, 2), 1);
    stage_deinit(&stage);
}

static void probabilities_are_held_against_what_was_true(void **state)
{
    const struct metrics_options options = {.report = REPORT_CALIBRATION};
    struct stage stage = {.model.positive_is_lesser = false};
    size_t found = 0;
    (void)state;

    stage_init(&stage, TASK_CLASSIFICATION, 2, &options);
    add_two(&stage, false);
    make(&stage);
    CHECK_INT(stage.rows.rows, 10);
    for (size_t i = 0; i < 10; i++) {
        if (CELL(stage.rows, i, 2).integer == 0)
            continue; /* scikit-learn leaves it out */
        NEAR(REAL(stage.rows, i, 3), two_calibration[found][0]);
        NEAR(REAL(stage.rows, i, 4), two_calibration[found][1]);
        found++;
    }
    CHECK_INT(found, COUNT(two_calibration));
    stage_deinit(&stage);
}

static void residuals_have_quantiles_and_a_histogram(void **state)
{
    const struct metrics_options options = {.report = REPORT_RESIDUALS};
    const size_t quantiles = COUNT(value_quantiles);
    struct stage stage = {.model.positive_is_lesser = false};
    (void)state;

    stage_init(&stage, TASK_REGRESSION, 0, &options);
    add_numbers(&stage);
    make(&stage);
    CHECK_INT(stage.rows.rows, quantiles + COUNT(value_histogram));
    for (size_t i = 0; i < quantiles; i++) {
        NEAR(REAL(stage.rows, i, 1), value_quantiles[i][0]);
        NEAR(REAL(stage.rows, i, 2), value_quantiles[i][1]);
    }
    for (size_t i = 0; i < COUNT(value_histogram); i++) {
        NEAR(REAL(stage.rows, quantiles + i, 2), value_histogram[i][0]);
        NEAR(REAL(stage.rows, quantiles + i, 3), value_histogram[i][1]);
        CHECK_INT(CELL(stage.rows, quantiles + i, 4).integer, (int)value_histogram[i][2]);
    }
    stage_deinit(&stage);
}

static void reports_of_another_model_are_refused(void **state)
{
    struct model model = {.kind = kind_find(SLICE("network")), .labels.count = 3};
    struct report *report;
    struct error err;
    (void)state;

    model.task = TASK_CLASSIFICATION;
    CHECK_FAILS(report_new(&model, REPORT_RESIDUALS, &report, &err), STATUS_INVALID,
                "a classifier has no report 'residuals'");
    CHECK_FAILS(report_new(&model, REPORT_ROC, &report, &err), STATUS_INVALID, "needs two classes");
    model.labels.count = REPORT_LABELS_MAX + 1;
    CHECK_FAILS(report_new(&model, REPORT_CONFUSION, &report, &err), STATUS_LIMIT, "at most 1000");
    model.task = TASK_REGRESSION;
    CHECK_FAILS(report_new(&model, REPORT_CONFUSION, &report, &err), STATUS_INVALID,
                "a regressor has no report 'confusion'");
    CHECK_INT(report == NULL, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(metrics_of_many_classes_are_those_of_scikit_learn),
        cmocka_unit_test(the_positive_class_is_the_one_that_is_chosen),
        cmocka_unit_test(metrics_of_numbers_are_those_of_scikit_learn),
        cmocka_unit_test(metrics_without_a_label_are_those_of_scikit_learn),
        cmocka_unit_test(every_metric_has_reference_numbers),
        cmocka_unit_test(
            a_threshold_decides_from_which_probability_on_the_positive_class_is_predicted),
        cmocka_unit_test(a_confusion_matrix_counts_pairs),
        cmocka_unit_test(each_class_has_its_row),
        cmocka_unit_test(curves_are_those_of_scikit_learn),
        cmocka_unit_test(thresholds_and_gains_are_those_of_scikit_learn),
        cmocka_unit_test(a_long_curve_has_some_points_and_they_are_exact),
        cmocka_unit_test(probabilities_are_held_against_what_was_true),
        cmocka_unit_test(residuals_have_quantiles_and_a_histogram),
        cmocka_unit_test(reports_of_another_model_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
