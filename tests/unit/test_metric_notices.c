/* Why a metric is NULL, and which labels count as wrong. */
#include "scoring/metric_notices.h"

#include "kinds/kinds.h"
#include "scoring/kind.h"
#include "tests/check.h"

/* A scorer whose outputs the test writes itself. */
struct stage {
    struct model model;
    float outputs[3];
    struct scorer scorer;
    struct metrics *metrics;
};

static void begin(struct stage *stage, enum task task, uint32_t classes, enum aim aim)
{
    const struct metrics_options options = {.ranks_classes = classes > 2};
    struct error err;

    *stage = (struct stage){.model = {.kind = kind_find(SLICE("network")),
                                      .task = task,
                                      .labels.count = classes,
                                      .label_scale = 1,
                                      .aim = {.aim = aim}}};
    stage->scorer = (struct scorer){.model = &stage->model, .outputs = stage->outputs};
    CHECK_OK(metrics_new(&stage->model, &options, &stage->metrics, &err));
}

static void add(struct stage *stage, struct row_label label)
{
    struct error err;

    CHECK_OK(metrics_add(stage->metrics, &stage->scorer, &label, &err));
}

static void add_class(struct stage *stage, int64_t class)
{
    add(stage, (struct row_label){.class = class});
}

static void add_value(struct stage *stage, double value)
{
    add(stage, (struct row_label){.value = value, .upper = value});
}

static void check_reason(const struct stage *stage, enum metric metric, const char *wanted)
{
    struct notice_list notices = {.count = 0};

    metric_null_notice(stage->metrics, metric, " of the validation rows", &notices);
    CHECK_INT(notices.count, 1);
    CHECK_INT(notices.items[0].kind, NOTICE_METRIC);
    assert_string_equal(notices.items[0].text, wanted);
}

static void a_metric_of_no_rows_is_null(void **state)
{
    struct stage stage;
    (void)state;

    begin(&stage, TASK_REGRESSION, 0, AIM_MEANS);
    check_reason(&stage, METRIC_RMSE, "RMSE of the validation rows is NULL: there are no rows");
    metrics_free(stage.metrics);
}

static void rankings_take_rows_of_two_classes(void **state)
{
    struct stage stage;
    (void)state;

    begin(&stage, TASK_CLASSIFICATION, 2, AIM_MEANS);
    add_class(&stage, 0);
    check_reason(&stage, METRIC_AUC,
                 "AUC of the validation rows is NULL: all rows have the same class");
    check_reason(&stage, METRIC_PR_AUC,
                 "PRAUC of the validation rows is NULL: no row has the positive class");
    metrics_free(stage.metrics);
    begin(&stage, TASK_CLASSIFICATION, 3, AIM_MEANS);
    add_class(&stage, 2);
    check_reason(&stage, METRIC_PR_AUC,
                 "PRAUC of the validation rows is NULL: all rows have the same class");
    metrics_free(stage.metrics);
}

static void rankings_take_so_many_classes(void **state)
{
    struct stage stage;
    static const char scores[(RANKED_CLASSES_MAX + 1) * sizeof(float)];
    struct metrics_row row = {.label = 0};
    struct error err;
    (void)state;

    begin(&stage, TASK_CLASSIFICATION, RANKED_CLASSES_MAX + 1, AIM_MEANS);
    row.scores = (struct slice){scores, sizeof scores};
    CHECK_OK(metrics_add_row(stage.metrics, &row, &err));
    check_reason(&stage, METRIC_AUC,
                 "AUC of the validation rows is NULL: it is measured of up to 200 classes, and the "
                 "model has 201");
    metrics_free(stage.metrics);
}

static void a_number_says_what_its_metric_lacks(void **state)
{
    struct stage stage;
    (void)state;

    begin(&stage, TASK_REGRESSION, 0, AIM_MEANS);
    add_value(&stage, 5);
    check_reason(&stage, METRIC_R2, "R2 of the validation rows is NULL: it takes two rows");
    add_value(&stage, 5);
    check_reason(&stage, METRIC_R2,
                 "R2 of the validation rows is NULL: it is greater than a number can be");
    metrics_free(stage.metrics);
    begin(&stage, TASK_REGRESSION, 0, AIM_TIMES);
    add_value(&stage, 5);
    check_reason(&stage, METRIC_CONCORDANCE,
                 "Concordance of the validation rows is NULL: no two rows have a known order");
    metrics_free(stage.metrics);
    begin(&stage, TASK_REGRESSION, 0, AIM_HAZARDS);
    add_value(&stage, -5);
    check_reason(&stage, METRIC_COX,
                 "CoxNLogLik of the validation rows is NULL: no row is an event");
    metrics_free(stage.metrics);
}

static uint32_t three_clusters(const struct model *model)
{
    (void)model;
    return 3;
}

static void a_silhouette_takes_two_clusters(void **state)
{
    static const struct kind clusters = {.outputs = three_clusters};
    struct stage stage;
    struct error err;
    (void)state;

    begin(&stage, TASK_REGRESSION, 0, AIM_MEANS);
    metrics_free(stage.metrics);
    stage.model.task = TASK_CLUSTERING;
    stage.model.kind = &clusters;
    CHECK_OK(metrics_new(&stage.model, NULL, &stage.metrics, &err));
    CHECK_OK(metrics_add(stage.metrics, &stage.scorer, NULL, &err));
    check_reason(&stage, METRIC_SILHOUETTE,
                 "Silhouette of the validation rows is NULL: all rows belong to one cluster");
    metrics_free(stage.metrics);
}

static void labels_that_are_not_known_are_counted(void **state)
{
    static const char *const texts[] = {
        NULL, "1 row has a label that the model has not learned, and counts as wrong",
        "2 rows have a label that the model has not learned, and count as wrong"};
    struct stage stage;
    (void)state;

    begin(&stage, TASK_CLASSIFICATION, 2, AIM_MEANS);
    add_class(&stage, 1);
    for (int unknown = 0; unknown <= 2; unknown++) {
        struct notice_list notices = {.count = 0};

        unknown_label_notice(stage.metrics, &notices);
        CHECK_INT(notices.count, texts[unknown] ? 1 : 0);
        if (texts[unknown])
            assert_string_equal(notices.items[0].text, texts[unknown]);
        add_class(&stage, -1);
    }
    metrics_free(stage.metrics);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_metric_of_no_rows_is_null),
        cmocka_unit_test(rankings_take_rows_of_two_classes),
        cmocka_unit_test(rankings_take_so_many_classes),
        cmocka_unit_test(a_number_says_what_its_metric_lacks),
        cmocka_unit_test(a_silhouette_takes_two_clusters),
        cmocka_unit_test(labels_that_are_not_known_are_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
