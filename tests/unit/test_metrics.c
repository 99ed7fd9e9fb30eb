#include "tests/check.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "kinds/kinds.h"
#include "scoring/kind.h"
#include "scoring/metrics.h"

#define NEAR(actual, expected) CHECK(fabs((actual) - (expected)) < 1e-9)

/* A scorer whose outputs the test writes itself. */
struct stage {
    struct model model;
    float outputs[3];
    struct scorer scorer;
    struct metrics *metrics;
    struct error err;
};

static void stage_init(struct stage *stage, enum task task, uint32_t classes)
{
    struct error err;

    *stage = (struct stage){.model = {.kind = kind_find(SLICE("network")),
                                      .task = task,
                                      .labels.count = classes,
                                      .label_scale = 1}};
    stage->scorer = (struct scorer){.model = &stage->model, .outputs = stage->outputs};
    CHECK_OK(metrics_new(&stage->model, NULL, &stage->metrics, &err));
}

static void add_logit(struct stage *stage, double logit, int64_t label)
{
    struct error err;

    stage->outputs[0] = (float)logit;
    CHECK_OK(
        metrics_add(stage->metrics, &stage->scorer, &(struct row_label){.class = label}, &err));
}

static void add_logits(struct stage *stage, float a, float b, float c, int64_t label)
{
    struct error err;

    stage->outputs[0] = a, stage->outputs[1] = b, stage->outputs[2] = c;
    CHECK_OK(
        metrics_add(stage->metrics, &stage->scorer, &(struct row_label){.class = label}, &err));
}

static void add_value(struct stage *stage, double value, double label)
{
    struct error err;

    stage->outputs[0] = (float)value;
    CHECK_OK(
        metrics_add(stage->metrics, &stage->scorer, &(struct row_label){.value = label}, &err));
}

static void two_classes_are_measured_by_the_positive_one(void **state)
{
    struct stage stage;
    (void)state;

    stage_init(&stage, TASK_CLASSIFICATION, 2);
    add_logit(&stage, 2, 1);
    add_logit(&stage, 1, 0);
    add_logit(&stage, -1, 1);
    add_logit(&stage, -2, 0);
    add_logit(&stage, 1, 1);
    CHECK_INT(metrics_rows(stage.metrics), 5);
    NEAR(metrics_value(stage.metrics, METRIC_ACCURACY), 3.0 / 5);
    NEAR(metrics_value(stage.metrics, METRIC_PRECISION), 2.0 / 3);
    NEAR(metrics_value(stage.metrics, METRIC_RECALL), 2.0 / 3);
    NEAR(metrics_value(stage.metrics, METRIC_F1), 2.0 / 3);
    /* pairs: 2 and -1 and 1 against 1 and -2: 1+1, 0+1, half+1 */
    NEAR(metrics_value(stage.metrics, METRIC_AUC), 4.5 / 6);
    NEAR(metrics_loss(stage.metrics),
         (log1p(exp(-2)) + log1p(exp(1)) + log1p(exp(1)) + log1p(exp(-2)) + log1p(exp(-1))) / 5);
    CHECK(metrics_value(stage.metrics, METRIC_LOG_LOSS) == metrics_loss(stage.metrics));
    CHECK(isnan(metrics_value(stage.metrics, METRIC_RMSE)));
    metrics_free(stage.metrics);
}

/* The loss is the hinge loss, and the ranking that of the margins. */
static void margins_are_measured_without_probabilities(void **state)
{
    struct stage stage;
    (void)state;

    stage_init(&stage, TASK_CLASSIFICATION, 2);
    stage.model.link = LABEL_LINK_MARGIN;
    add_logit(&stage, 2, 1);
    add_logit(&stage, 0.5, 0);
    add_logit(&stage, 0.25, 1);
    add_logit(&stage, -80, 1);
    NEAR(metrics_loss(stage.metrics), (0 + 1.5 + 0.75 + 81) / 4);
    NEAR(metrics_value(stage.metrics, METRIC_ACCURACY), 2.0 / 4);
    NEAR(metrics_value(stage.metrics, METRIC_AUC), 1.0 / 3);
    add_logit(&stage, (double)NAN, 1);
    add_logit(&stage, 1, -1);
    NEAR(metrics_loss(stage.metrics), (0 + 1.5 + 0.75 + 81 - 2 * log(1e-15)) / 6);
    CHECK(!metric_is_default(METRIC_LOG_LOSS, AIM_MARGINS, 2));
    CHECK(metric_is_default(METRIC_ACCURACY, AIM_MARGINS, 2));
    CHECK(metric_is_default(METRIC_AUC, AIM_MARGINS, 2));
    metrics_free(stage.metrics);
}

static void several_classes_are_averaged_over_those_that_occur(void **state)
{
    struct stage stage;
    (void)state;

    stage_init(&stage, TASK_CLASSIFICATION, 3);
    add_logits(&stage, 1, 0, 0, 0);
    add_logits(&stage, 1, 0, 0, 1);
    add_logits(&stage, 0, 1, 0, 1);
    /* class 2 is neither true nor predicted: it does not count */
    NEAR(metrics_value(stage.metrics, METRIC_ACCURACY), 2.0 / 3);
    NEAR(metrics_value(stage.metrics, METRIC_PRECISION), (0.5 + 1) / 2);
    NEAR(metrics_value(stage.metrics, METRIC_RECALL), (1 + 0.5) / 2);
    NEAR(metrics_value(stage.metrics, METRIC_F1), 2.0 / 3);
    CHECK(isnan(metrics_value(stage.metrics, METRIC_AUC)));
    metrics_free(stage.metrics);
}

static void an_unknown_class_counts_as_wrong_with_probability_zero(void **state)
{
    struct stage stage;
    (void)state;

    stage_init(&stage, TASK_CLASSIFICATION, 2);
    add_logit(&stage, 1, -1);
    CHECK(metrics_value(stage.metrics, METRIC_ACCURACY) == 0);
    NEAR(metrics_loss(stage.metrics), -log(1e-15));
    CHECK(metrics_value(stage.metrics, METRIC_PRECISION) == 0);
    CHECK(isnan(metrics_value(stage.metrics, METRIC_AUC)));
    metrics_free(stage.metrics);
}

static void the_loss_is_finite_for_a_sure_mistake(void **state)
{
    struct stage stage;
    (void)state;

    stage_init(&stage, TASK_CLASSIFICATION, 2);
    add_logit(&stage, -1000, 1);
    NEAR(metrics_loss(stage.metrics), -log(1e-15));
    metrics_free(stage.metrics);
}

static void auc_is_the_share_of_pairs_in_order_for_many_ties(void **state)
{
    struct stage stage;
    double wins = 0;
    (void)state;

    stage_init(&stage, TASK_CLASSIFICATION, 2);
    for (int i = 0; i < 200; i++)
        add_logit(&stage, i * 7919 % 23, i * 31 % 5 < 2);
    for (int i = 0; i < 200; i++)
        for (int j = 0; j < 200; j++)
            if (i * 31 % 5 < 2 && j * 31 % 5 >= 2)
                wins += i * 7919 % 23 > j * 7919 % 23    ? 1
                        : i * 7919 % 23 == j * 7919 % 23 ? 0.5
                                                         : 0;
    NEAR(metrics_value(stage.metrics, METRIC_AUC), wins / (80.0 * 120));
    metrics_free(stage.metrics);
}

static void regression_is_measured_as_by_scikit_learn(void **state)
{
    struct stage stage;
    (void)state;

    stage_init(&stage, TASK_REGRESSION, 0);
    add_value(&stage, 2.5, 3);
    add_value(&stage, 0, -0.5);
    add_value(&stage, 2, 2);
    add_value(&stage, 8, 7);
    /* sklearn.metrics' own example: r2_score 0.9486, MSE 0.375, MAE 0.5, MAPE 0.3273 */
    NEAR(metrics_value(stage.metrics, METRIC_MSE), 0.375);
    NEAR(metrics_loss(stage.metrics), 0.375);
    NEAR(metrics_value(stage.metrics, METRIC_RMSE), sqrt(0.375));
    NEAR(metrics_value(stage.metrics, METRIC_MAE), 0.5);
    NEAR(metrics_value(stage.metrics, METRIC_R2), 1 - 1.5 / 29.1875);
    NEAR(metrics_value(stage.metrics, METRIC_MAPE), (0.5 / 3 + 1 + 0 + 1.0 / 7) / 4);
    metrics_free(stage.metrics);
}

static void what_is_not_defined_is_not_a_number(void **state)
{
    struct stage stage;
    struct error err;
    (void)state;

    stage_init(&stage, TASK_REGRESSION, 0);
    CHECK(isnan(metrics_loss(stage.metrics)));
    CHECK(isnan(metrics_value(stage.metrics, METRIC_R2)));
    add_value(&stage, 1, 0);
    CHECK(isnan(metrics_value(stage.metrics, METRIC_R2)));
    NEAR(metrics_value(stage.metrics, METRIC_MAPE) * DBL_EPSILON, 1);
    add_value(&stage, 0, 0); /* a constant label that is missed */
    CHECK(metrics_value(stage.metrics, METRIC_R2) == 0);
    CHECK(isnan(metrics_value(stage.metrics, METRIC_ACCURACY)));
    CHECK_FAILS(
        metrics_add(stage.metrics, &stage.scorer, &(struct row_label){.value = INFINITY}, &err),
        STATUS_INVALID, "finite");
    metrics_free(stage.metrics);
}

static void a_constant_label_that_is_met_is_explained_wholly(void **state)
{
    struct stage stage;
    (void)state;

    stage_init(&stage, TASK_REGRESSION, 0);
    add_value(&stage, 3, 3);
    add_value(&stage, 3, 3);
    CHECK(metrics_value(stage.metrics, METRIC_R2) == 1);
    metrics_free(stage.metrics);
}

static void auc_of_one_class_is_not_a_number_whichever_it_is(void **state)
{
    (void)state;
    for (int64_t label = 0; label < 2; label++) {
        struct stage stage;

        stage_init(&stage, TASK_CLASSIFICATION, 2);
        add_logit(&stage, 1, label);
        add_logit(&stage, -1, 2); /* a class beyond those that the model knows */
        CHECK(isnan(metrics_value(stage.metrics, METRIC_AUC)));
        CHECK(metrics_value(stage.metrics, METRIC_ACCURACY) == (label == 1 ? 0.5 : 0));
        metrics_free(stage.metrics);
    }
}

static void a_score_that_is_not_a_number_ranks_last_and_costs_the_most(void **state)
{
    struct stage stage;
    (void)state;

    stage_init(&stage, TASK_CLASSIFICATION, 2);
    add_logit(&stage, NAN, 1);
    NEAR(metrics_loss(stage.metrics), -log(1e-15));
    add_logit(&stage, -1e30, 0);
    CHECK(metrics_value(stage.metrics, METRIC_AUC) == 0);
    metrics_free(stage.metrics);
}

static void more_scores_than_there_was_room_for_are_all_ranked(void **state)
{
    struct stage stage;
    (void)state;

    stage_init(&stage, TASK_CLASSIFICATION, 2);
    for (int i = 0; i < 3000; i++)
        add_logit(&stage, i, i >= 1500);
    CHECK(metrics_value(stage.metrics, METRIC_AUC) == 1);
    metrics_free(stage.metrics);
}

static void a_metric_is_found_by_name_and_by_alias(void **state)
{
    static const struct {
        const char *name;
        enum metric metric;
    } cases[] = {{"accuracy", METRIC_ACCURACY},   {"Accuracy_Score", METRIC_ACCURACY},
                 {"roc_auc", METRIC_AUC},         {"neg_log_loss", METRIC_LOG_LOSS},
                 {"LogLoss", METRIC_LOG_LOSS},    {"f1_score", METRIC_F1},
                 {"r2_score", METRIC_R2},         {"neg_mean_squared_error", METRIC_MSE},
                 {"recall_score", METRIC_RECALL}, {"mean_absolute_percentage_error", METRIC_MAPE}};
    enum metric metric;
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK(metric_find(slice_of(cases[i].name), &metric));
        CHECK_INT(metric, cases[i].metric);
    }
    for (int i = 0; i < METRIC_COUNT; i++) {
        CHECK(metric_find(slice_of(metric_name((enum metric)i)), &metric));
        CHECK_INT(metric, i);
    }
    CHECK(!metric_find(SLICE("beauty"), &metric));
    CHECK_INT(metric_task(METRIC_RMSE), TASK_REGRESSION);
}

static void rows_measured_in_any_order_add_up_to_the_same_bits(void **state)
{
    struct metrics_row rows[50];
    struct stage direct, later;
    double probabilities[3];
    struct error err;
    (void)state;

    stage_init(&direct, TASK_CLASSIFICATION, 2);
    stage_init(&later, TASK_CLASSIFICATION, 2);
    for (int i = 49; i >= 0; i--) {
        later.outputs[0] = (float)sin(i);
        CHECK_OK(metrics_measure(&later.scorer, &(struct row_label){.class = i % 7 ? i % 2 : -1},
                                 probabilities, NULL, &rows[i], &err));
    }
    for (int i = 0; i < 50; i++) {
        add_logit(&direct, sin(i), i % 7 ? i % 2 : -1);
        CHECK_OK(metrics_add_row(later.metrics, &rows[i], &err));
    }
    CHECK(metrics_loss(direct.metrics) == metrics_loss(later.metrics));
    for (int m = METRIC_ACCURACY; m <= METRIC_F1; m++)
        CHECK(metrics_value(direct.metrics, (enum metric)m) ==
              metrics_value(later.metrics, (enum metric)m));
    rows[1].predicted = 7;
    CHECK_FAILS(metrics_add_row(later.metrics, &rows[1], &err), STATUS_CORRUPT, "another model");
    metrics_free(direct.metrics);
    metrics_free(later.metrics);
}

/* Precision divides by what was predicted, recall by what was true. */
static void precision_and_recall_are_not_each_other(void **state)
{
    struct stage stage;
    (void)state;

    stage_init(&stage, TASK_CLASSIFICATION, 2);
    add_logit(&stage, 1, 1);
    add_logit(&stage, 1, 0);
    add_logit(&stage, 1, 0);
    add_logit(&stage, 1, 0);
    NEAR(metrics_value(stage.metrics, METRIC_PRECISION), 1.0 / 4);
    NEAR(metrics_value(stage.metrics, METRIC_RECALL), 1);
    NEAR(metrics_value(stage.metrics, METRIC_F1), 2.0 / 5);
    metrics_free(stage.metrics);

    stage_init(&stage, TASK_CLASSIFICATION, 3);
    add_logits(&stage, 1, 0, 0, 0);
    add_logits(&stage, 1, 0, 0, 1);
    add_logits(&stage, 1, 0, 0, 2);
    add_logits(&stage, 0, 1, 0, 1);
    /* class 0: 1 of 3 predicted, 1 of 1; class 1: 1 of 1, 1 of 2; class 2: never found */
    NEAR(metrics_value(stage.metrics, METRIC_PRECISION), (1.0 / 3 + 1 + 0) / 3);
    NEAR(metrics_value(stage.metrics, METRIC_RECALL), (1 + 1.0 / 2 + 0) / 3);
    metrics_free(stage.metrics);
}

static uint32_t one_cluster(const struct model *model)
{
    (void)model;
    return 1;
}

static uint32_t three_clusters(const struct model *model)
{
    (void)model;
    return 3;
}

static void clusters_are_measured_without_a_label(void **state)
{
    static const struct kind of_three = {.outputs = three_clusters},
                             of_one = {.outputs = one_cluster};
    const float distances[4][3] = {{2, 1, 4}, {3, 6, 5}, {0, 0, 7}, {8, 4, 0}};
    const float inputs[4] = {0, 10, 13, 30}; /* inputs of rows in clusters 1, 0, 0, 2 */
    struct metrics_row row;
    struct stage stage;
    struct error err;
    (void)state;

    stage_init(&stage, TASK_CLUSTERING, 0);
    metrics_free(stage.metrics);
    stage.model.kind = &of_three;
    stage.model.transform.dense_width = 1;
    CHECK_OK(metrics_new(&stage.model, NULL, &stage.metrics, &err));
    for (int i = 0; i < 4; i++) {
        memcpy(stage.outputs, distances[i], sizeof distances[i]);
        stage.scorer.selected = &inputs[i];
        CHECK_OK(metrics_add(stage.metrics, &stage.scorer, NULL, &err));
    }
    NEAR(metrics_value(stage.metrics, METRIC_INERTIA), 1 + 9 + 0 + 0);
    NEAR(metrics_loss(stage.metrics), 10.0 / 4);
    NEAR(metrics_value(stage.metrics, METRIC_SILHOUETTE),
         (0 + (10.0 - 3) / 10 + (13.0 - 3) / 13 + 0) / 4);
    CHECK(isnan(metrics_value(stage.metrics, METRIC_RMSE)));
    CHECK_OK(metrics_measure(&stage.scorer, NULL, NULL, NULL, &row, &err));
    CHECK_INT(row.predicted, 2);
    row.inputs.size = 0; /* not in the sample */
    CHECK_OK(metrics_add_row(stage.metrics, &row, &err));
    NEAR(metrics_value(stage.metrics, METRIC_SILHOUETTE),
         (0 + (10.0 - 3) / 10 + (13.0 - 3) / 13 + 0) / 4);
    row.inputs.size = 3;
    CHECK_FAILS(metrics_add_row(stage.metrics, &row, &err), STATUS_CORRUPT, "another model");
    row.inputs.size = 0;
    row.predicted = 3;
    CHECK_FAILS(metrics_add_row(stage.metrics, &row, &err), STATUS_CORRUPT, "another model");
    row.predicted = 0;
    row.loss = -1;
    CHECK_FAILS(metrics_add_row(stage.metrics, &row, &err), STATUS_CORRUPT, "another model");
    metrics_free(stage.metrics);

    stage.model.kind = &of_one;
    CHECK_OK(metrics_new(&stage.model, NULL, &stage.metrics, &err));
    stage.outputs[0] = 3;
    CHECK_OK(metrics_add(stage.metrics, &stage.scorer, NULL, &err));
    NEAR(metrics_value(stage.metrics, METRIC_INERTIA), 9);
    CHECK(isnan(metrics_value(stage.metrics, METRIC_SILHOUETTE)));
    metrics_free(stage.metrics);
}

static uint32_t two_components_and_the_rest(const struct model *model)
{
    return model->components + 1;
}

/* Components 3 and 4 and a rest of 5 away, then 0, 0 and 1: squares of 50 and 1 about the means. */
static void components_are_measured_by_what_they_do_not_give_back(void **state)
{
    static const struct kind kind = {.outputs = two_components_and_the_rest};
    const float rows[2][3] = {{3, 4, 5}, {0, 0, 1}};
    struct stage stage;
    struct error err;
    (void)state;

    stage_init(&stage, TASK_PROJECTION, 0);
    stage.model.kind = &kind;
    stage.model.components = 2;
    CHECK(isnan(metrics_value(stage.metrics, METRIC_EXPLAINED)));
    for (int i = 0; i < 2; i++) {
        memcpy(stage.outputs, rows[i], sizeof rows[i]);
        CHECK_OK(metrics_add(stage.metrics, &stage.scorer, NULL, &err));
    }
    NEAR(metrics_value(stage.metrics, METRIC_RECONSTRUCTION), (25 + 1) / 2.0);
    NEAR(metrics_value(stage.metrics, METRIC_EXPLAINED), 1 - 26 / 51.0);
    NEAR(metrics_loss(stage.metrics), 13);
    metrics_free(stage.metrics);
}

static void detections_are_measured_by_the_share_of_outliers(void **state)
{
    struct stage stage;
    struct error err;
    (void)state;

    stage_init(&stage, TASK_DETECTION, 0);
    for (int i = 0; i < 4; i++) {
        stage.outputs[0] = (float)i - 1; /* the second lies on the border, which is outside */
        CHECK_OK(metrics_add(stage.metrics, &stage.scorer, NULL, &err));
    }
    NEAR(metrics_value(stage.metrics, METRIC_OUTLIERS), 2 / 4.0);
    NEAR(metrics_loss(stage.metrics), 1 / 4.0);
    metrics_free(stage.metrics);
}

static void rows_of_another_task_are_refused(void **state)
{
    static const struct {
        enum task task;
        struct metrics_row row;
    } cases[] = {
        {TASK_PROJECTION, {.loss = -1}},      {TASK_PROJECTION, {.loss = INFINITY}},
        {TASK_PROJECTION, {.value = NAN}},    {TASK_PROJECTION, {.value = INFINITY}},
        {TASK_DETECTION, {.loss = NAN}},      {TASK_DETECTION, {.loss = INFINITY}},
        {TASK_DETECTION, {.predicted = 2}},   {TASK_REGRESSION, {.value = NAN}},
        {TASK_CLASSIFICATION, {.label = 2}},  {TASK_CLASSIFICATION, {.score = NAN}},
        {TASK_CLASSIFICATION, {.loss = NAN}}, {TASK_CLASSIFICATION, {.predicted = 3}},
    };
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct stage stage;
        struct error err;

        stage_init(&stage, cases[i].task, cases[i].task == TASK_CLASSIFICATION ? 2 : 0);
        CHECK_FAILS(metrics_add_row(stage.metrics, &cases[i].row, &err), STATUS_CORRUPT,
                    "another model");
        CHECK_INT(metrics_rows(stage.metrics), 0);
        metrics_free(stage.metrics);
    }
}

/* A ranker's rows have one number each, quantiles' as many as there are. */
static void rows_of_another_aim_are_refused(void **state)
{
    static const struct aim_facts aims[] = {
        {.aim = AIM_RANKS}, {.aim = AIM_QUANTILES, .quantiles = {0.1, 0.9}, .quantile_count = 2}};
    (void)state;

    for (uint32_t i = 0; i < 2; i++)
        for (uint32_t numbers = 0; numbers < 4; numbers++) {
            const struct metrics_row row = {.number_count = numbers};
            struct stage stage;
            struct error err;

            stage_init(&stage, TASK_REGRESSION, 0);
            metrics_free(stage.metrics);
            stage.model.aim = aims[i];
            CHECK_OK(metrics_new(&stage.model, NULL, &stage.metrics, &err));
            if (numbers == i + 1)
                CHECK_OK(metrics_add_row(stage.metrics, &row, &err));
            else
                CHECK_FAILS(metrics_add_row(stage.metrics, &row, &err), STATUS_CORRUPT,
                            "another model");
            metrics_free(stage.metrics);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_classes_are_measured_by_the_positive_one),
        cmocka_unit_test(margins_are_measured_without_probabilities),
        cmocka_unit_test(several_classes_are_averaged_over_those_that_occur),
        cmocka_unit_test(an_unknown_class_counts_as_wrong_with_probability_zero),
        cmocka_unit_test(the_loss_is_finite_for_a_sure_mistake),
        cmocka_unit_test(auc_is_the_share_of_pairs_in_order_for_many_ties),
        cmocka_unit_test(components_are_measured_by_what_they_do_not_give_back),
        cmocka_unit_test(detections_are_measured_by_the_share_of_outliers),
        cmocka_unit_test(rows_of_another_task_are_refused),
        cmocka_unit_test(rows_of_another_aim_are_refused),
        cmocka_unit_test(regression_is_measured_as_by_scikit_learn),
        cmocka_unit_test(what_is_not_defined_is_not_a_number),
        cmocka_unit_test(a_constant_label_that_is_met_is_explained_wholly),
        cmocka_unit_test(auc_of_one_class_is_not_a_number_whichever_it_is),
        cmocka_unit_test(a_score_that_is_not_a_number_ranks_last_and_costs_the_most),
        cmocka_unit_test(more_scores_than_there_was_room_for_are_all_ranked),
        cmocka_unit_test(a_metric_is_found_by_name_and_by_alias),
        cmocka_unit_test(rows_measured_in_any_order_add_up_to_the_same_bits),
        cmocka_unit_test(precision_and_recall_are_not_each_other),
        cmocka_unit_test(clusters_are_measured_without_a_label),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
