#include "tests/check.h"

#include <math.h>

#include "kinds/kinds.h"
#include "scoring/kind.h"
#include "scoring/outputs.h"
#include "scoring/row_label.h"
#include "tests/unit/trees_fixture.h"

/* A scorer whose outputs the test writes itself. */
struct stage {
    struct cell classes[3];
    struct model model;
    float outputs[3];
    struct scorer scorer;
    struct output_workspace workspace;
};

static void begin(struct stage *stage, enum task task, uint32_t classes)
{
    struct error err;

    *stage = (struct stage){.classes = {{.type = CELL_TEXT, .text = SLICE("ash")},
                                        {.type = CELL_TEXT, .text = SLICE("oak \"old\"")},
                                        {.type = CELL_TEXT, .text = SLICE("pine")}},
                            .model = {.kind = kind_find(SLICE("network")),
                                      .task = task,
                                      .estimator = SLICE("LinearRegressor"),
                                      .label_scale = 2,
                                      .label_mean = 1,
                                      .labels = {.type = LABEL_TEXT, .count = classes}}};
    stage->model.labels.values = stage->classes;
    stage->scorer = (struct scorer){.model = &stage->model, .outputs = stage->outputs};
    CHECK_OK(output_workspace_init(&stage->workspace, &stage->model, &err));
}

static struct cell output(struct stage *stage, enum output which)
{
    struct cell cell;
    struct error err;

    CHECK_OK(scorer_output(&stage->scorer, which, &stage->workspace, &cell, &err));
    return cell;
}

static void of_two_classes_the_positive_ones_probability_is_given(void **state)
{
    struct stage stage;
    (void)state;

    begin(&stage, TASK_CLASSIFICATION, 2);
    stage.outputs[0] = -1;
    CHECK_SLICE(output(&stage, OUTPUT_PREDICTION).text, "ash");
    CHECK(fabs(output(&stage, OUTPUT_PROBABILITY).real - 1 / (1 + exp(1))) < 1e-9);
    CHECK_SLICE(output(&stage, OUTPUT_LOGITS).text, "[-1]");
    output_workspace_deinit(&stage.workspace);
}

static void of_more_classes_the_predicted_ones_and_all_by_name(void **state)
{
    struct stage stage;
    struct cell cell;
    (void)state;

    begin(&stage, TASK_CLASSIFICATION, 3);
    stage.outputs[1] = 2000;
    CHECK_SLICE(output(&stage, OUTPUT_PREDICTION).text, "oak \"old\"");
    CHECK(output(&stage, OUTPUT_PROBABILITY).real == 1);
    CHECK_SLICE(output(&stage, OUTPUT_PROBABILITIES).text,
                "{\"ash\":0,\"oak \\\"old\\\"\":1,\"pine\":0}");
    cell = output(&stage, OUTPUT_LOGITS);
    CHECK_INT(cell.type, CELL_TEXT);
    CHECK_SLICE(cell.text, "[0,2000,0]");
    output_workspace_deinit(&stage.workspace);
}

static void a_number_has_no_probabilities(void **state)
{
    struct stage stage;
    struct cell cell;
    struct error err;
    (void)state;

    begin(&stage, TASK_REGRESSION, 0);
    stage.outputs[0] = 3;
    CHECK(output(&stage, OUTPUT_PREDICTION).real == 7);
    CHECK_SLICE(output(&stage, OUTPUT_LOGITS).text, "[3]");
    CHECK_FAILS(scorer_output(&stage.scorer, OUTPUT_PROBABILITY, &stage.workspace, &cell, &err),
                STATUS_INVALID, "a LinearRegressor has no probabilities");
    CHECK_FAILS(scorer_output(&stage.scorer, OUTPUT_PROBABILITIES, &stage.workspace, &cell, &err),
                STATUS_INVALID, "a LinearRegressor has no probabilities");
    output_workspace_deinit(&stage.workspace);
}

static void a_number_may_be_e_to_the_output(void **state)
{
    struct stage stage;
    (void)state;

    begin(&stage, TASK_REGRESSION, 0);
    stage.model.link = LABEL_LINK_EXP;
    stage.model.label_mean = 0;
    stage.outputs[0] = 1;
    CHECK(fabs(output(&stage, OUTPUT_PREDICTION).real - 2 * exp(1)) < 1e-14);
    stage.outputs[0] = -1000;
    CHECK(output(&stage, OUTPUT_PREDICTION).real == 0);
    CHECK_SLICE(output(&stage, OUTPUT_LOGITS).text, "[-1000]");
    output_workspace_deinit(&stage.workspace);
}

static void a_margin_tells_the_class_and_no_probability(void **state)
{
    struct stage stage;
    struct cell cell;
    struct error err;
    (void)state;

    begin(&stage, TASK_CLASSIFICATION, 2);
    stage.model.link = LABEL_LINK_MARGIN;
    stage.outputs[0] = 0.25f;
    CHECK_SLICE(output(&stage, OUTPUT_PREDICTION).text, "oak \"old\"");
    CHECK_SLICE(output(&stage, OUTPUT_LOGITS).text, "[0.25]");
    CHECK_FAILS(scorer_output(&stage.scorer, OUTPUT_PROBABILITY, &stage.workspace, &cell, &err),
                STATUS_INVALID, "learned by a hinge loss has no probabilities");
    CHECK_FAILS(scorer_output(&stage.scorer, OUTPUT_PROBABILITIES, &stage.workspace, &cell, &err),
                STATUS_INVALID, "learned by a hinge loss has no probabilities");
    output_workspace_deinit(&stage.workspace);
}

static void trees_tell_their_leaves_and_others_have_none(void **state)
{
    const float stump[3][NODE_NUMBERS] = {
        {NODE_BELOW, 1, 5, 1}, {NODE_LEAF, 0, 1}, {NODE_LEAF, 0, 2}};
    const float dense[] = {0, 6};
    const int32_t ids[] = {-1, -1};
    struct output_workspace workspace;
    struct trees_fixture made;
    struct scorer scorer;
    struct stage stage;
    struct cell cell;
    struct error err;
    (void)state;

    trees_fixture_init(&made, 0);
    for (uint32_t trees = 0; trees < 3; trees++) {
        static const char *const leaves[] = {"[]", "[2]", "[2,2]"};

        CHECK_OK(scorer_init(&scorer, &made.fixture.model, 1, &err));
        CHECK_OK(output_workspace_init(&workspace, &made.fixture.model, &err));
        scorer_score_row(&scorer, dense, ids);
        CHECK_OK(scorer_output(&scorer, OUTPUT_LEAF, &workspace, &cell, &err));
        CHECK_SLICE(cell.text, leaves[trees]);
        output_workspace_deinit(&workspace);
        scorer_deinit(&scorer);
        trees_fixture_add(&made, 0, stump, 3);
    }
    fixture_deinit(&made.fixture);

    begin(&stage, TASK_REGRESSION, 0);
    CHECK_FAILS(scorer_output(&stage.scorer, OUTPUT_LEAF, &stage.workspace, &cell, &err),
                STATUS_INVALID, "a LinearRegressor has no leaves");
    output_workspace_deinit(&stage.workspace);
}

static uint32_t three_clusters(const struct model *model)
{
    (void)model;
    return 3;
}

static void a_row_is_of_the_nearest_cluster_and_tells_its_distance(void **state)
{
    static const struct kind clusters = {.outputs = three_clusters};
    struct stage stage;
    struct row_label label;
    struct cell cell;
    struct error err;
    (void)state;

    begin(&stage, TASK_CLUSTERING, 0);
    stage.model.kind = &clusters;
    stage.model.labels.type = LABEL_NONE;
    stage.model.estimator = SLICE("KMeans");
    stage.outputs[0] = 4, stage.outputs[1] = 0.5F, stage.outputs[2] = 0.5F;
    cell = output(&stage, OUTPUT_PREDICTION);
    CHECK_INT(cell.type, CELL_INTEGER);
    CHECK_INT(cell.integer, 1); /* the lower of two that are as near */
    cell = output(&stage, OUTPUT_DISTANCE);
    CHECK_INT(cell.type, CELL_REAL);
    CHECK(cell.real == 0.5);
    CHECK_FAILS(scorer_output(&stage.scorer, OUTPUT_LOGITS, &stage.workspace, &cell, &err),
                STATUS_INVALID, "a KMeans has no logits");
    CHECK_FAILS(scorer_output(&stage.scorer, OUTPUT_PROBABILITY, &stage.workspace, &cell, &err),
                STATUS_INVALID, "a KMeans has no probabilities");
    CHECK_OK(row_label_read(&stage.model, SLICE(""), 1, NULL, &label, &err));
    output_workspace_deinit(&stage.workspace);
    begin(&stage, TASK_REGRESSION, 0);
    CHECK_FAILS(scorer_output(&stage.scorer, OUTPUT_DISTANCE, &stage.workspace, &cell, &err),
                STATUS_INVALID, "a LinearRegressor has no distances");
    output_workspace_deinit(&stage.workspace);
}

static void an_extra_output_is_what_the_task_makes_of_its_name(void **state)
{
    static const struct {
        struct output_facts facts;
        const char *name, *function; /* NULL: there is none */
    } cases[] = {
        {{TASK_CLASSIFICATION, false, false, false, false, false}, "probability", "probability"},
        {{TASK_CLASSIFICATION, false, false, false, false, false}, "score", "logits"},
        {{TASK_CLASSIFICATION, false, false, false, false, false}, "leaf", NULL},
        {{TASK_REGRESSION, false, false, false, false, false}, "score", "predict"},
        {{TASK_REGRESSION, false, false, false, false, false}, "logits", NULL},
        {{TASK_REGRESSION, true, false, false, false, false}, "leaf", "leaf"},
        {{TASK_REGRESSION, true, false, false, false, false}, "quantiles", NULL},
        {{TASK_REGRESSION, true, true, false, false, false}, "quantiles", "quantiles"},
        {{TASK_CLASSIFICATION, true, false, false, false, false}, "leaf", "leaf"},
        {{TASK_CLASSIFICATION, false, false, true, false, false}, "probability", NULL},
        {{TASK_CLASSIFICATION, false, false, true, false, false}, "probabilities", NULL},
        {{TASK_CLASSIFICATION, false, false, true, false, false}, "score", "logits"},
        {{TASK_CLASSIFICATION, true, false, false, true, false}, "shap", "shap"},
        {{TASK_REGRESSION, true, false, false, true, false}, "shap", "shap"},
        {{TASK_REGRESSION, true, false, false, false, false}, "shap", NULL},
        {{TASK_CLASSIFICATION, false, false, false, false, false}, "points", NULL},
        {{TASK_CLASSIFICATION, false, false, false, false, true}, "points", "points"},
        {{TASK_PROJECTION, false, false, false, false, false}, "score", "distance"},
        {{TASK_CLUSTERING, false, false, false, false, false}, "score", "distance"},
        {{TASK_CLUSTERING, false, false, false, false, false}, "probability", NULL}};
    struct text list;
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        enum output which;

        CHECK(extra_output_find(cases[i].facts, slice_of(cases[i].name), &which) ==
              (cases[i].function != NULL));
        if (cases[i].function)
            CHECK_SLICE(slice_of(output_function(which)), cases[i].function);
    }
    text_init(&list, 200);
    extra_outputs_append((struct output_facts){.task = TASK_CLASSIFICATION}, &list);
    CHECK_SLICE(text_slice(&list), "'probability', 'probabilities', 'score' and 'logits'");
    text_clear(&list);
    extra_outputs_append((struct output_facts){TASK_REGRESSION, true, false, false, true, false},
                         &list);
    CHECK_SLICE(text_slice(&list), "'score', 'leaf' and 'shap'");
    text_deinit(&list);
}

static int64_t class_of(struct stage *stage, struct cell cell)
{
    struct row_label label;
    struct error err;

    CHECK_OK(row_label_read(&stage->model, SLICE("kind"), 1, &cell, &label, &err));
    return label.class;
}

static void a_label_is_found_among_the_classes_in_the_form_of_their_type(void **state)
{
    const int64_t beyond = ((int64_t)1 << 53) + 1; /* no double */
    struct stage stage;
    (void)state;

    begin(&stage, TASK_CLASSIFICATION, 3);
    CHECK_INT(class_of(&stage, (struct cell){.type = CELL_TEXT, .text = SLICE("pine")}), 2);
    CHECK_INT(class_of(&stage, (struct cell){.type = CELL_TEXT, .text = SLICE("elm")}), -1);
    CHECK_INT(class_of(&stage, (struct cell){.type = CELL_INTEGER, .integer = 7}), -1);
    stage.model.labels.type = LABEL_INTEGER;
    for (int i = 0; i < 3; i++)
        stage.classes[i] = (struct cell){.type = CELL_INTEGER, .integer = beyond - 1 + i};
    CHECK_INT(class_of(&stage, (struct cell){.type = CELL_INTEGER, .integer = beyond}), 1);
    CHECK_INT(class_of(&stage, (struct cell){.type = CELL_INTEGER, .integer = 3}), -1);
    CHECK_INT(class_of(&stage, (struct cell){.type = CELL_REAL, .real = 1e300}), -1);
    stage.model.labels.type = LABEL_REAL;
    for (int i = 0; i < 3; i++)
        stage.classes[i] = (struct cell){.type = CELL_REAL, .real = i + 0.5};
    CHECK_INT(class_of(&stage, (struct cell){.type = CELL_REAL, .real = 0.5}), 0);
    CHECK_INT(class_of(&stage, (struct cell){.type = CELL_TEXT, .text = SLICE("2.5")}), 2);
    output_workspace_deinit(&stage.workspace);
}

static void what_is_no_label_is_refused_with_its_row(void **state)
{
    const struct cell null = {.type = CELL_NULL}, blob = {.type = CELL_BLOB, .text = SLICE("x")},
                      word = {.type = CELL_TEXT, .text = SLICE("many")},
                      number = {.type = CELL_INTEGER, .integer = -3};
    struct stage stage;
    struct row_label label;
    struct error err;
    (void)state;

    begin(&stage, TASK_CLASSIFICATION, 3);
    CHECK_FAILS(row_label_read(&stage.model, SLICE("kind"), 12, &null, &label, &err),
                STATUS_INVALID, "row 12: label column \"kind\" is NULL");
    CHECK(strstr(err.hint, stage.model.labels.type == LABEL_TEXT ? "WHERE \"kind\" <> ''"
                                                                 : "WHERE \"kind\" IS NOT NULL"));
    CHECK_FAILS(row_label_read(&stage.model, SLICE("kind"), 12, &blob, &label, &err),
                STATUS_INVALID, "kind");
    output_workspace_deinit(&stage.workspace);
    begin(&stage, TASK_REGRESSION, 0);
    CHECK_OK(row_label_read(&stage.model, SLICE("size"), 1, &number, &label, &err));
    CHECK(label.value == -3);
    CHECK_FAILS(row_label_read(&stage.model, SLICE("size"), 1, &word, &label, &err), STATUS_INVALID,
                "holds 'many'");
    output_workspace_deinit(&stage.workspace);
}

static double by_hand(const struct model *model, const int32_t *ids)
{
    (void)model;
    return 100 + ids[0];
}

static void a_score_card_tells_its_points_and_others_have_none(void **state)
{
    const int32_t ids[] = {7};
    struct stage stage;
    struct kind card;
    struct cell cell;
    struct error err;
    (void)state;

    begin(&stage, TASK_CLASSIFICATION, 2);
    CHECK_FAILS(scorer_output(&stage.scorer, OUTPUT_POINTS, &stage.workspace, &cell, &err),
                STATUS_INVALID, "has no points");
    CHECK_SLICE(slice_of(err.hint), "A ScoreCard has some.");
    card = *stage.model.kind;
    card.points = by_hand;
    stage.model.kind = &card;
    stage.scorer.selected_ids = ids;
    CHECK(output(&stage, OUTPUT_POINTS).real == 107);
    output_workspace_deinit(&stage.workspace);
}

/* With the label's mean and scale in each: 2 z + 1. */
static void quantiles_are_told_by_their_share(void **state)
{
    struct stage stage;
    struct cell cell;
    struct error err;
    (void)state;

    begin(&stage, TASK_REGRESSION, 0);
    CHECK_FAILS(scorer_output(&stage.scorer, OUTPUT_QUANTILES, &stage.workspace, &cell, &err),
                STATUS_INVALID, "the LinearRegressor has no quantiles");
    CHECK(strstr(err.hint, "reg:quantileerror"));
    stage.model.aim =
        (struct aim_facts){.aim = AIM_QUANTILES, .quantiles = {0.1, 0.5, 0.9}, .quantile_count = 3};
    stage.outputs[0] = -0.5F, stage.outputs[1] = 0.25F, stage.outputs[2] = 3;
    CHECK_SLICE(output(&stage, OUTPUT_QUANTILES).text, "{\"0.1\":0,\"0.5\":1.5,\"0.9\":7}");
    output_workspace_deinit(&stage.workspace);
}

/* age < 40 ? 1 : 2, of which 30 and 10 rows were seen: 1.25 on average. */
static const float by_age[3][NODE_NUMBERS] = {{NODE_BELOW, 0, 40, 1, 1, 0, 0, 9, 40},
                                              {NODE_LEAF, 0, 1, 0, 0, 0, 0, 0, 30},
                                              {NODE_LEAF, 0, 2, 0, 0, 0, 0, 0, 10}};

static void check_explained(const struct model *model, float age, const char *wanted)
{
    const float dense[] = {age, 170};
    const int32_t ids[] = {-1, -1};
    struct output_workspace workspace;
    struct scorer scorer;
    struct cell cell;
    struct error err;

    CHECK_OK(scorer_init(&scorer, model, 1, &err));
    CHECK_OK(output_workspace_init(&workspace, model, &err));
    for (int again = 0; again < 2; again++) { /* the second in the room of the first */
        scorer_score_row(&scorer, dense, ids);
        CHECK_OK(scorer_output(&scorer, OUTPUT_SHAP, &workspace, &cell, &err));
        CHECK_SLICE(cell.text, wanted);
    }
    output_workspace_deinit(&workspace);
    scorer_deinit(&scorer);
}

static void trees_tell_what_each_input_adds(void **state)
{
    struct trees_fixture made;
    (void)state;

    trees_fixture_init(&made, 0);
    trees_fixture_add(&made, 0, by_age, 3);
    check_explained(&made.fixture.model, 50,
                    "{\"age\":0.75,\"height\":0,\"colour\":0,\"size\":0,\"(base)\":1.5}");
    check_explained(&made.fixture.model, 30,
                    "{\"age\":-0.25,\"height\":0,\"colour\":0,\"size\":0,\"(base)\":1.5}");
    fixture_deinit(&made.fixture);
}

static void of_several_outputs_each_is_told_by_its_name(void **state)
{
    static const float base[] = {1, 2};
    struct trees_fixture made;
    (void)state;

    trees_fixture_init(&made, 3);
    trees_fixture_add(&made, 1, by_age, 3);
    check_explained(&made.fixture.model, 50,
                    "{\"0\":{\"age\":0,\"height\":0,\"colour\":0,\"size\":0,\"(base)\":0.25},"
                    "\"10\":{\"age\":0.75,\"height\":0,\"colour\":0,\"size\":0,\"(base)\":1.75},"
                    "\"20\":{\"age\":0,\"height\":0,\"colour\":0,\"size\":0,\"(base)\":0.75}}");
    fixture_deinit(&made.fixture);

    trees_fixture_init(&made, 0);
    made.fixture.model.aim =
        (struct aim_facts){.aim = AIM_QUANTILES, .quantiles = {0.1, 0.9}, .quantile_count = 2};
    made.trees.outputs = 2;
    made.trees.base = base;
    trees_fixture_add(&made, 0, by_age, 3);
    check_explained(&made.fixture.model, 30,
                    "{\"0.1\":{\"age\":-0.25,\"height\":0,\"colour\":0,\"size\":0,\"(base)\":2.25},"
                    "\"0.9\":{\"age\":0,\"height\":0,\"colour\":0,\"size\":0,\"(base)\":2}}");
    fixture_deinit(&made.fixture);
}

static void a_linear_model_is_not_explained_without_its_rows(void **state)
{
    struct stage stage;
    struct cell cell;
    struct error err;
    (void)state;

    begin(&stage, TASK_REGRESSION, 0);
    CHECK_FAILS(scorer_output(&stage.scorer, OUTPUT_SHAP, &stage.workspace, &cell, &err),
                STATUS_UNSUPPORTED, "SHAP values of a LinearRegressor");
    CHECK_SLICE(slice_of(err.hint), "Models of trees have some.");
    output_workspace_deinit(&stage.workspace);
}

static void components_are_told_together_and_by_their_number(void **state)
{
    struct stage stage;
    struct cell cell;
    struct error err;
    (void)state;

    begin(&stage, TASK_PROJECTION, 0);
    stage.model.estimator = SLICE("PCA");
    stage.model.components = 2;
    stage.outputs[0] = 0.25F, stage.outputs[1] = -3, stage.outputs[2] = 5;
    CHECK_SLICE(output(&stage, OUTPUT_PREDICTION).text, "[0.25,-3]");
    CHECK(output(&stage, OUTPUT_DISTANCE).real == 5);
    CHECK(scorer_prediction(&stage.scorer).real == 0.25);
    CHECK_OK(scorer_component_output(&stage.scorer, 2, &cell, &err));
    CHECK(cell.type == CELL_REAL && cell.real == -3);
    CHECK_FAILS(scorer_component_output(&stage.scorer, 0, &cell, &err), STATUS_INVALID,
                "component 0, where the model has 2");
    CHECK_FAILS(scorer_component_output(&stage.scorer, 3, &cell, &err), STATUS_INVALID,
                "component 3, where the model has 2");
    output_workspace_deinit(&stage.workspace);
    begin(&stage, TASK_REGRESSION, 0);
    CHECK_FAILS(scorer_component_output(&stage.scorer, 1, &cell, &err), STATUS_INVALID,
                "a LinearRegressor has no components");
    output_workspace_deinit(&stage.workspace);
}

static void a_row_is_an_outlier_unless_it_lies_inside(void **state)
{
    struct stage stage;
    (void)state;

    begin(&stage, TASK_DETECTION, 0);
    for (int inside = -1; inside <= 1; inside++) {
        stage.outputs[0] = (float)inside / 4;
        CHECK_INT(output(&stage, OUTPUT_PREDICTION).integer, inside > 0 ? 1 : -1);
        CHECK(output(&stage, OUTPUT_DISTANCE).real == inside / 4.);
    }
    output_workspace_deinit(&stage.workspace);
}

/* One key, whichever type it comes in. */
static void rows_of_a_group_have_the_same_key(void **state)
{
    const struct cell cells[] = {{.type = CELL_INTEGER, .integer = 3},
                                 {.type = CELL_REAL, .real = 3},
                                 {.type = CELL_TEXT, .text = SLICE("3")},
                                 {.type = CELL_TEXT, .text = SLICE("4")}},
                      null = {.type = CELL_NULL}, blob = {.type = CELL_BLOB, .text = SLICE("x")};
    struct row_label labels[4], label;
    struct error err;
    (void)state;

    for (int i = 0; i < 4; i++)
        CHECK_OK(row_group_read(SLICE("query"), 1, &cells[i], &labels[i], &err));
    CHECK(labels[0].group == labels[1].group && labels[0].group == labels[2].group);
    CHECK(labels[0].group != labels[3].group);
    CHECK_FAILS(row_group_read(SLICE("query"), 5, &null, &label, &err), STATUS_INVALID,
                "row 5: group column \"query\" is NULL");
    CHECK(strstr(err.hint, "WHERE \"query\" IS NOT NULL"));
    CHECK_FAILS(row_group_read(SLICE("query"), 5, &blob, &label, &err), STATUS_INVALID, "query");
}

static void an_upper_bound_is_a_time_or_not_known(void **state)
{
    const struct cell time = {.type = CELL_TEXT, .text = SLICE("2.5")}, null = {.type = CELL_NULL},
                      before = {.type = CELL_REAL, .real = -0.5},
                      word = {.type = CELL_TEXT, .text = SLICE("soon")};
    struct row_label label;
    struct stage stage;
    struct error err;
    (void)state;

    begin(&stage, TASK_REGRESSION, 0);
    CHECK_OK(row_upper_read(&stage.model, SLICE("until"), 1, &time, &label, &err));
    CHECK(label.upper == 2.5);
    CHECK_OK(row_upper_read(&stage.model, SLICE("until"), 1, &null, &label, &err));
    CHECK(isnan(label.upper));
    CHECK_FAILS(row_upper_read(&stage.model, SLICE("until"), 8, &before, &label, &err),
                STATUS_INVALID, "row 8: upper bound \"until\" is -0.5");
    CHECK(strstr(err.hint, "NULL where it is not known"));
    CHECK_FAILS(row_upper_read(&stage.model, SLICE("until"), 8, &word, &label, &err),
                STATUS_INVALID, "holds 'soon'");
    output_workspace_deinit(&stage.workspace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_two_classes_the_positive_ones_probability_is_given),
        cmocka_unit_test(of_more_classes_the_predicted_ones_and_all_by_name),
        cmocka_unit_test(a_number_has_no_probabilities),
        cmocka_unit_test(a_number_may_be_e_to_the_output),
        cmocka_unit_test(a_margin_tells_the_class_and_no_probability),
        cmocka_unit_test(a_row_is_of_the_nearest_cluster_and_tells_its_distance),
        cmocka_unit_test(trees_tell_their_leaves_and_others_have_none),
        cmocka_unit_test(an_extra_output_is_what_the_task_makes_of_its_name),
        cmocka_unit_test(a_label_is_found_among_the_classes_in_the_form_of_their_type),
        cmocka_unit_test(what_is_no_label_is_refused_with_its_row),
        cmocka_unit_test(a_score_card_tells_its_points_and_others_have_none),
        cmocka_unit_test(quantiles_are_told_by_their_share),
        cmocka_unit_test(trees_tell_what_each_input_adds),
        cmocka_unit_test(of_several_outputs_each_is_told_by_its_name),
        cmocka_unit_test(a_linear_model_is_not_explained_without_its_rows),
        cmocka_unit_test(components_are_told_together_and_by_their_number),
        cmocka_unit_test(a_row_is_an_outlier_unless_it_lies_inside),
        cmocka_unit_test(rows_of_a_group_have_the_same_key),
        cmocka_unit_test(an_upper_bound_is_a_time_or_not_known),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
