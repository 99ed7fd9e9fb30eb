/* Heads of the seed "heads" of the fuzzer of stored models: two classes, a number, four classes of
 * which one is no integer, and two classes that are reals. */
#include "scoring/heads.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scoring/outputs.h"
#include "tests/check.h"
#include "tests/fuzz/made_model.h"
#include "tests/unit/failing_memory.h"

#define SEED_BYTES_MAX 8192
#define COLUMNS        6 /* x, c, and the labels told, n, k and r */
#define HEADS          4

#define A_TEXT(word)                                                                               \
    {                                                                                              \
        .type = CELL_TEXT, .text = SLICE(word)                                                     \
    }
#define AN_INTEGER(one)                                                                            \
    {                                                                                              \
        .type = CELL_INTEGER, .integer = (one)                                                     \
    }
#define A_REAL(number)                                                                             \
    {                                                                                              \
        .type = CELL_REAL, .real = (number)                                                        \
    }
#define A_NULL                                                                                     \
    {                                                                                              \
        .type = CELL_NULL                                                                          \
    }
#define CELL(of) ((struct cell)of)

#define NEAR(actual, expected) CHECK(fabs((actual) - (expected)) < 1e-6)

struct stage {
    char bytes[SEED_BYTES_MAX];
    struct arena arena;
    struct model model;
    struct scorer scorer;
};

static struct stage stage;

static int open_stage(void **state)
{
    FILE *file = fopen(SEED, "rb");
    struct error err;
    (void)state;

    CHECK(file);
    arena_init(&stage.arena, MADE_MODEL_ARENA_BYTES);
    CHECK_OK(made_model_load(
        (struct slice){stage.bytes, fread(stage.bytes, 1, sizeof stage.bytes, file)}, &stage.arena,
        &stage.model, &err));
    CHECK_INT(fclose(file), 0);
    CHECK_INT(stage.model.head_count, HEADS);
    CHECK_INT(stage.model.transform.column_count, COLUMNS);
    CHECK_OK(scorer_init(&stage.scorer, &stage.model, 1, &err));
    return 0;
}

static int close_stage(void **state)
{
    (void)state;
    scorer_deinit(&stage.scorer);
    arena_deinit(&stage.arena);
    return 0;
}

/* Scores a row whose inputs are x and no word, and whose labels are these. */
static enum status score(struct scorer *scorer, double x, const struct cell *labels,
                         struct error *err)
{
    struct cell cells[COLUMNS] = {A_REAL(x)};

    memcpy(cells + COLUMNS - HEADS, labels, HEADS * sizeof *labels);
    TRY(scorer_transform(scorer, 0, cells, err));
    scorer_score(scorer, 1);
    scorer_select(scorer, 0);
    return STATUS_OK;
}

static void select_row(double x, const struct cell *labels)
{
    struct error err;

    CHECK_OK(score(&stage.scorer, x, labels, &err));
}

static const struct cell no_labels[HEADS] = {A_NULL};

static void check_cell(const struct cell *cell, struct cell expected)
{
    CHECK_INT(cell->type, expected.type);
    if (cell->type == CELL_TEXT)
        CHECK(slice_equal(cell->text, expected.text));
    else if (cell->type == CELL_INTEGER)
        CHECK_INT(cell->integer, expected.integer);
    else
        NEAR(cell->real, expected.real);
}

static struct cell predicted(uint32_t head)
{
    return scorer_head(&stage.scorer, head);
}

static void check_prediction(uint32_t head, struct cell expected)
{
    const struct cell cell = predicted(head);

    check_cell(&cell, expected);
}

/* The class whose output is the greatest; a number in its units. */
static void each_label_is_predicted_in_its_own_type(void **state)
{
    const float *z;
    (void)state;

    select_row(0.5, no_labels);
    z = stage.scorer.outputs;
    CHECK(z[0] > z[1] && z[8] > z[7]);
    CHECK(z[3] > z[4] && z[3] > z[5] && z[3] > z[6]); /* 100, 2, 3 and x */
    check_prediction(0, CELL(A_TEXT("not")));
    check_prediction(1, CELL(A_REAL((double)z[2] * 2.5 + 3)));
    check_prediction(2, CELL(AN_INTEGER(100)));
    check_prediction(3, CELL(A_REAL(2.5)));
}

/* Classes ascend by value, where words do by their bytes: "100" is before "2". What is no number
 * among integers stays a text. */
static void classes_ascend_and_two_have_one_output(void **state)
{
    struct head_view views[HEADS];
    struct error err;
    const float *z;
    (void)state;

    select_row(0.5, no_labels);
    z = stage.scorer.outputs;
    for (uint32_t i = 0; i < HEADS; i++) {
        CHECK_OK(head_view_init(&views[i], &stage.model, i, &stage.arena, &err));
        head_view_take(&views[i], &stage.scorer);
    }
    CHECK_INT(views[2].model.labels.count, 4);
    check_cell(&views[2].model.labels.values[0], CELL(AN_INTEGER(2)));
    check_cell(&views[2].model.labels.values[1], CELL(AN_INTEGER(3)));
    check_cell(&views[2].model.labels.values[2], CELL(AN_INTEGER(100)));
    check_cell(&views[2].model.labels.values[3], CELL(A_TEXT("x")));
    check_cell(&views[3].model.labels.values[0], CELL(A_REAL(2.5)));
    check_cell(&views[3].model.labels.values[1], CELL(A_REAL(100)));
    CHECK(views[0].outputs[0] == z[1] - z[0]);
    CHECK(views[1].outputs[0] == z[2]);
    CHECK(views[2].outputs[0] == z[4] && views[2].outputs[1] == z[5]);
    CHECK(views[2].outputs[2] == z[3] && views[2].outputs[3] == z[6]);
    CHECK(views[3].outputs[0] == z[7] - z[8]); /* 100 is the second class, and the first word */
    CHECK_INT(model_outputs(&views[2].model), 4);
    CHECK_INT(model_outputs(&views[3].model), 1);
    CHECK_INT(model_outputs(&views[1].model), 1);
}

static bool label_of(uint32_t head, const struct cell *labels, struct row_label *label)
{
    struct head_view view;
    struct error err;

    CHECK_OK(head_view_init(&view, &stage.model, head, &stage.arena, &err));
    select_row(0.5, labels);
    return head_view_label(&view, &stage.scorer, label);
}

static void a_label_is_read_from_the_inputs(void **state)
{
    const struct cell all[HEADS] = {A_TEXT("yes"), A_REAL(-4.5), AN_INTEGER(100), A_REAL(2.5)};
    const struct cell unknown[HEADS] = {A_TEXT("maybe"), A_NULL, AN_INTEGER(7), A_REAL(2.25)};
    const int64_t classes[HEADS] = {1, -1, 2, 0};
    struct row_label label;
    (void)state;

    for (uint32_t i = 0; i < HEADS; i++) {
        CHECK(!label_of(i, no_labels, &label));
        CHECK(!label_of(i, unknown, &label));
        CHECK(label_of(i, all, &label));
        CHECK(isnan(label.upper) == (i != 1));
        if (i == 1)
            NEAR(label.value, -4.5);
        else
            CHECK_INT(label.class, classes[i]);
    }
    /* A label is no input of what is scored. */
    select_row(0.5, all);
    check_prediction(0, CELL(A_TEXT("not")));
}

static void all_predictions_are_one_object(void **state)
{
    struct output_workspace workspace;
    struct error err;
    struct cell cell;
    char expected[200];
    (void)state;

    select_row(0.5, no_labels);
    CHECK_OK(output_workspace_init(&workspace, &stage.model, &err));
    CHECK_OK(scorer_output(&stage.scorer, OUTPUT_PREDICTION, &workspace, &cell, &err));
    snprintf(expected, sizeof expected, "{\"told\":\"not\",\"n\":%.17g,\"k\":%d,\"r\":2.5}",
             predicted(1).real, (int)predicted(2).integer);
    CHECK_INT(cell.type, CELL_TEXT);
    CHECK_SLICE(cell.text, expected);
    CHECK_OK(scorer_component_output(&stage.scorer, 3, &cell, &err));
    check_cell(&cell, CELL(AN_INTEGER(predicted(2).integer)));
    CHECK_INT(scorer_component_output(&stage.scorer, 0, &cell, &err), STATUS_INVALID);
    CHECK_INT(scorer_component_output(&stage.scorer, HEADS + 1, &cell, &err), STATUS_INVALID);
    CHECK(strstr(err.message, "component 5, where the model has 4"));
    output_workspace_deinit(&workspace);
}

static double measured(struct head_metrics *metrics, const char *label, const char *metric)
{
    struct slice found;
    const char *name;
    double value;

    for (uint32_t i = 0; head_metrics_value(metrics, i, &found, &name, &value); i++)
        if (slice_is(found, label) && strcmp(name, metric) == 0)
            return value;
    check_failed("no metric %s of %s", metric, label);
    return 0;
}

/* Workers measure the row that is selected, and the session adds it up. */
static void add_as_measured(struct head_metrics *metrics)
{
    for (uint32_t i = 0; i < HEADS; i++) {
        struct metrics_row row;
        struct error err;
        bool has_label;

        CHECK_OK(scorer_measure_head(&stage.scorer, i, &has_label, &row, &err));
        if (has_label)
            CHECK_OK(head_metrics_add_row(metrics, i, &row, &err));
    }
}

/* Each by the rows that have its label: told in two rows, n in two, k in one, r in none. */
static void a_head_is_measured_by_the_rows_with_its_label(void **state)
{
    const struct cell first[HEADS] = {A_TEXT("not"), A_REAL(1), AN_INTEGER(3)};
    const struct cell second[HEADS] = {A_TEXT("yes")}, third[HEADS] = {{0}, A_REAL(2)};
    const struct cell *const rows[] = {first, second, third};
    struct head_metrics *metrics, *elsewhere;
    double squares = 0;
    struct error err;
    struct slice label;
    const char *name;
    double value;
    uint32_t count = 0;
    (void)state;

    CHECK_OK(head_metrics_new(&stage.model, &metrics, &err));
    CHECK_OK(head_metrics_new(&stage.model, &elsewhere, &err));
    CHECK_INT(head_metrics_count(metrics), HEADS);
    for (uint32_t i = 0; i < 3; i++) {
        select_row(i, rows[i]);
        CHECK_OK(head_metrics_add(metrics, &stage.scorer, &err));
        add_as_measured(elsewhere);
        if (rows[i][1].type == CELL_REAL)
            squares += pow(predicted(1).real - rows[i][1].real, 2);
    }
    NEAR(measured(metrics, "told", "Accuracy"), 0.5);
    CHECK(isfinite(measured(metrics, "told", "AUC")));
    NEAR(measured(metrics, "n", "RMSE"), sqrt(squares / 2));
    CHECK(isfinite(measured(metrics, "n", "MAE")));
    NEAR(measured(metrics, "k", "Accuracy"), 0);
    CHECK(isfinite(measured(metrics, "k", "LogLoss")));
    CHECK(isnan(measured(metrics, "r", "Accuracy")));
    for (; head_metrics_value(metrics, count, &label, &name, &value); count++) {
        double other;

        CHECK(head_metrics_value(elsewhere, count, &label, &name, &other));
        CHECK(value == other || (isnan(value) && isnan(other)));
    }
    CHECK_INT(count, 4 + 3 + 2 + 4); /* two classes, a number, more classes, two classes */
    CHECK(count <= head_metrics_most(metrics));
    head_metrics_free(metrics);
    head_metrics_free(elsewhere);
    head_metrics_free(NULL);
}

static enum status measure(void *context, struct text *result, struct error *err)
{
    const struct cell labels[HEADS] = {A_TEXT("yes"), A_REAL(1), AN_INTEGER(2), A_REAL(100)};
    const struct metrics_options options = {.by_head = true};
    struct metrics *metrics = NULL;
    struct scorer scorer;
    enum status status = STATUS_OK;
    (void)context;

    TRY(scorer_init(&scorer, &stage.model, 1, err));
    status = metrics_new(&stage.model, &options, &metrics, err);
    if (status == STATUS_OK)
        status = score(&scorer, 0.5, labels, err);
    if (status == STATUS_OK)
        status = metrics_add(metrics, &scorer, &(struct row_label){.upper = NAN}, err);
    if (status == STATUS_OK)
        text_append_real(result, measured(metrics_heads(metrics), "n", "RMSE"));
    metrics_free(metrics);
    scorer_deinit(&scorer);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    check_every_allocation_may_fail("heads", measure, NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_stage, close_stage)

static void a_score_is_named_by_its_label(void **state)
{
    struct text name;
    (void)state;

    text_init(&name, 100);
    head_score_append(SLICE("clicked"), INPUT_LABEL_TEXT, &name);
    text_append_string(&name, ", ");
    head_score_append(SLICE("amount"), INPUT_LABEL_NUMBER, &name);
    assert_string_equal(text_string(&name), "accuracy of clicked, rmse of amount");
    text_deinit(&name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_score_is_named_by_its_label),
        TEST(each_label_is_predicted_in_its_own_type),
        TEST(classes_ascend_and_two_have_one_output),
        TEST(a_label_is_read_from_the_inputs),
        TEST(all_predictions_are_one_object),
        TEST(a_head_is_measured_by_the_rows_with_its_label),
        TEST(every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
