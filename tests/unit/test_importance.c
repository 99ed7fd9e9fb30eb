/* Which inputs matter to a model: small models whose answers are known by hand. */
#include <math.h>

#include "scoring/explanations/importance.h"
#include "tests/check.h"
#include "tests/unit/trees_fixture.h"

#define ROWS 700
#define NEAR(actual, expected)                                                                     \
    CHECK(fabs((actual) - (expected)) <= 1e-9 * (1 + fabs((double)(expected))))

enum column { AGE, HEIGHT, COLOUR, SIZE, COLUMNS };

static void model_init(struct fixture *fixture, uint32_t classes)
{
    static const uint32_t widths[] = {1}, of_three[] = {3};

    fixture_init(fixture, classes);
    fixture_layers(fixture, classes == 3 ? of_three : widths, 1);
}

static void made_row(uint32_t row, struct cell cells[COLUMNS])
{
    static const char *const words[] = {"red", "green", "it's", "violet", "blue"};

    cells[AGE] = (struct cell){.type = row % 5 ? CELL_REAL : CELL_NULL, .real = row * 37 % 91};
    cells[HEIGHT] = (struct cell){.type = CELL_REAL, .real = 171 + row * 7 % 13 / 10.0};
    cells[COLOUR] = (struct cell){.type = CELL_TEXT, .text = slice_of(words[row * 3 % 5])};
    cells[SIZE] = (struct cell){.type = CELL_TEXT, .text = slice_of(words[row % 2])};
}

static struct importance *new_importance(const struct fixture *fixture, enum metric metric,
                                         uint32_t rows_max)
{
    const struct importance_options options = {
        .metric = slice_of(metric_name(metric)), .seed = 11, .rows_max = rows_max};
    struct importance *importance;
    struct error err;

    CHECK_OK(importance_new(&fixture->model, &options, &importance, &err));
    return importance;
}

/* Labels of regressions are what the model itself says, those of classes go by the row. */
static void add_cells(struct importance *importance, struct scorer *scorer,
                      const struct cell *cells, int64_t class)
{
    struct row_label label = {.class = class};
    struct error err;

    CHECK_OK(scorer_transform(scorer, 0, cells, &err));
    if (scorer->model->task == TASK_REGRESSION) {
        scorer_score(scorer, 1);
        label.value = scorer_value(scorer);
    }
    CHECK_OK(held_rows_add(importance_held(importance), scorer, &label, &err));
}

static void add_rows(const struct fixture *fixture, struct importance *importance, uint32_t count,
                     bool backwards)
{
    struct cell cells[COLUMNS];
    struct scorer scorer;
    struct error err;

    CHECK_OK(scorer_init(&scorer, &fixture->model, 1, &err));
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t row = backwards ? count - 1 - i : i;

        made_row(row, cells);
        add_cells(importance, &scorer, cells, row % 3 % 2);
    }
    scorer_deinit(&scorer);
}

static double measured(struct importance *importance, const char *name, const uint32_t *columns,
                       size_t count, uint32_t repeat)
{
    struct error err;
    double value;

    CHECK_OK(importance_measure(importance, slice_of(name), columns, count, repeat, &value, &err));
    return value;
}

static double begun(struct importance *importance)
{
    struct error err;
    double value;

    CHECK_OK(importance_begin(importance, &value, &err));
    return value;
}

static double score_of(const struct fixture *fixture, const struct cell *cells)
{
    struct scorer scorer;
    struct error err;
    double value;

    CHECK_OK(scorer_init(&scorer, &fixture->model, 1, &err));
    CHECK_OK(scorer_transform(&scorer, 0, cells, &err));
    scorer_score(&scorer, 1);
    value = scorer_value(&scorer);
    scorer_deinit(&scorer);
    return value;
}

/* The mean of squares where two rows have exchanged the values of these columns. */
static double exchanged(const struct fixture *fixture, const uint32_t *columns, size_t count)
{
    struct cell rows[2][COLUMNS], others[2][COLUMNS];
    double sum = 0;

    for (uint32_t i = 0; i < 2; i++) {
        made_row(i, rows[i]);
        made_row(i, others[i]);
    }
    for (size_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < 2; j++)
            others[j][columns[i]] = rows[1 - j][columns[i]];
    for (uint32_t i = 0; i < 2; i++) {
        const double difference = score_of(fixture, others[i]) - score_of(fixture, rows[i]);
        sum += difference * difference;
    }
    return sum / 2;
}

/* The cross has the value of the other row with each of its columns; shape is in the place of
 * size. */
static void a_cross_is_dealt_out_with_each_of_its_columns(void **state)
{
    static const uint32_t columns[] = {COLOUR, HEIGHT, SIZE, AGE};
    struct importance *importance;
    struct fixture fixture;
    (void)state;

    fixture_init(&fixture, 0);
    fixture_cross(&fixture);
    fixture_layers(&fixture, (const uint32_t[]){1}, 1);
    /* Only the cross says anything. */
    for (uint32_t i = 0; i < fixture.network.layers[0].rows; i++)
        if (i < fixture.model.transform.dense_width + fixture.model.transform.inputs[3].first_id)
            ((float *)(uintptr_t)fixture.network.layers[0].weights)[i] = 0;
    importance = new_importance(&fixture, METRIC_MSE, 100);
    add_rows(&fixture, importance, 100, false);
    NEAR(begun(importance), 0);
    for (size_t i = 0; i < 3; i++)
        CHECK(measured(importance, "x", &columns[i], 1, 0) > 0);
    NEAR(measured(importance, "x", &columns[3], 1, 0), 0);
    importance_free(importance);
    fixture_deinit(&fixture);
}

static void two_rows_keep_their_values_or_exchange_them(void **state)
{
    static const uint32_t columns[][COLUMNS] = {{AGE},  {HEIGHT},      {COLOUR},
                                                {SIZE}, {AGE, COLOUR}, {AGE, HEIGHT, COLOUR, SIZE}};
    static const size_t counts[] = {1, 1, 1, 1, 2, 4};
    (void)state;

    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct importance *importance;
        struct fixture fixture;
        double expected;
        int kept = 0;

        model_init(&fixture, 0);
        importance = new_importance(&fixture, METRIC_MSE, 100);
        add_rows(&fixture, importance, 2, false);
        CHECK_INT(importance_held(importance)->count, 2);
        CHECK(begun(importance) == 0);
        expected = exchanged(&fixture, columns[i], counts[i]);
        CHECK(expected > 0);
        for (uint32_t repeat = 0; repeat < 16; repeat++) {
            const double value = measured(importance, "x", columns[i], counts[i], repeat);

            if (value == 0)
                kept++;
            else
                NEAR(value, expected);
        }
        CHECK(kept > 0 && kept < 16);
        importance_free(importance);
        fixture_deinit(&fixture);
    }
}

static void an_input_of_no_weight_does_not_matter(void **state)
{
    static const uint32_t height = HEIGHT, age = AGE;
    struct importance *importance;
    struct fixture fixture;
    double value;
    (void)state;

    model_init(&fixture, 0);
    /* dense: age, age was NULL, height */
    ((float *)fixture.network.layers[0].weights)[2] = 0;
    importance = new_importance(&fixture, METRIC_MSE, ROWS);
    add_rows(&fixture, importance, ROWS, false);
    CHECK(begun(importance) == 0);
    CHECK(measured(importance, "height", &height, 1, 0) == 0);
    value = measured(importance, "age", &age, 1, 0);
    CHECK(value > 0);
    CHECK(measured(importance, "age", &age, 1, 0) == value);
    CHECK(measured(importance, "age", &age, 1, 1) != value);
    CHECK(measured(importance, "another name", &age, 1, 0) != value);
    importance_free(importance);
    fixture_deinit(&fixture);
}

/* Trees have one column of dense for a number with NULLs: age decides, the others do not. A row
 * with a NULL goes left. */
static void a_number_that_is_kept_is_dealt_out_alone(void **state)
{
    static const uint32_t height = HEIGHT, age = AGE, colour = COLOUR;
    const float stump[3][NODE_NUMBERS] = {
        {NODE_BELOW, 0, 40, 1, 1}, {NODE_LEAF, 0, -1}, {NODE_LEAF, 0, 1}};
    struct importance *importance;
    struct trees_fixture made;
    (void)state;

    trees_fixture_init(&made, 0);
    trees_fixture_add(&made, 0, stump, 3);
    importance = new_importance(&made.fixture, METRIC_MSE, ROWS);
    add_rows(&made.fixture, importance, ROWS, false);
    CHECK(begun(importance) == 0);
    CHECK(measured(importance, "height", &height, 1, 0) == 0);
    CHECK(measured(importance, "colour", &colour, 1, 0) == 0);
    CHECK(measured(importance, "age", &age, 1, 0) > 0.5);
    importance_free(importance);
    fixture_deinit(&made.fixture);
}

/* All of them held, and fewer than there are. */
static void the_order_of_rows_makes_no_difference_to_a_bit(void **state)
{
    static const uint32_t most[] = {ROWS, 300, 1};
    (void)state;

    for (uint32_t classes = 0; classes <= 3; classes += classes ? 1 : 2)
        for (size_t i = 0; i < 3; i++) {
            double values[2][COLUMNS + 1];

            for (int backwards = 0; backwards < 2; backwards++) {
                struct importance *importance;
                struct fixture fixture;

                model_init(&fixture, classes);
                importance =
                    new_importance(&fixture, classes ? METRIC_LOG_LOSS : METRIC_RMSE, most[i]);
                add_rows(&fixture, importance, ROWS, backwards);
                CHECK_INT(importance_held(importance)->count, most[i]);
                values[backwards][COLUMNS] = begun(importance);
                for (uint32_t column = 0; column < COLUMNS; column++)
                    values[backwards][column] = measured(importance, "x", &column, 1, 2);
                importance_free(importance);
                fixture_deinit(&fixture);
            }
            CHECK(memcmp(values[0], values[1], sizeof values[0]) == 0);
            CHECK((values[0][AGE] != values[0][COLUMNS]) == (most[i] > 1));
        }
}

static void several_classes_are_ranked_where_the_metric_asks_for_it(void **state)
{
    static const uint32_t age = AGE;
    struct importance *importance;
    struct fixture fixture;
    double value;
    (void)state;

    model_init(&fixture, 3);
    importance = new_importance(&fixture, METRIC_AUC, ROWS);
    add_rows(&fixture, importance, ROWS, false);
    value = begun(importance);
    CHECK(value >= 0 && value <= 1);
    CHECK(measured(importance, "age", &age, 1, 0) != value);
    importance_free(importance);
    fixture_deinit(&fixture);
}

static void the_parts_of_a_date_move_together(void **state)
{
    static const uint32_t widths[] = {1}, signup = 0;
    static const char *const days[] = {"1999-01-02 07:30:00", "2003-06-04 12:00:00"};
    struct importance *importance;
    struct fixture fixture;
    struct cell cells[2][2];
    double expected = 0;
    struct scorer scorer;
    struct error err;
    int kept = 0;
    (void)state;

    fixture_init(&fixture, 0);
    fixture_dates(&fixture);
    fixture_layers(&fixture, widths, 1);
    CHECK_INT(fixture.model.transform.column_count, 2);
    importance = new_importance(&fixture, METRIC_MSE, 10);
    CHECK_OK(scorer_init(&scorer, &fixture.model, 1, &err));
    for (int i = 0; i < 2; i++) {
        cells[i][0] = (struct cell){.type = CELL_TEXT, .text = slice_of(days[i])};
        cells[i][1] = (struct cell){.type = CELL_TEXT, .text = SLICE("red")};
        add_cells(importance, &scorer, cells[i], 0);
    }
    scorer_deinit(&scorer);
    expected = score_of(&fixture, cells[0]) - score_of(&fixture, cells[1]);
    CHECK(expected != 0);
    CHECK(begun(importance) == 0);
    for (uint32_t repeat = 0; repeat < 16; repeat++) {
        const double value = measured(importance, "signup", &signup, 1, repeat);

        if (value == 0)
            kept++;
        else
            NEAR(value, expected * expected);
    }
    CHECK(kept > 0 && kept < 16);
    importance_free(importance);
    fixture_deinit(&fixture);
}

static void rows_that_say_nothing_are_refused(void **state)
{
    struct importance *importance;
    struct fixture fixture;
    struct error err;
    double value;
    (void)state;

    model_init(&fixture, 2);
    importance = new_importance(&fixture, METRIC_AUC, 10);
    CHECK_FAILS(importance_begin(importance, &value, &err), STATUS_INVALID, "no rows");
    add_rows(&fixture, importance, 1, false); /* rows of one class alone */
    CHECK_FAILS(importance_begin(importance, &value, &err), STATUS_INVALID,
                "AUC is not defined on these rows");
    CHECK(strstr(err.hint, "explain.metric"));
    importance_free(importance);
    importance_free(NULL);
    fixture_deinit(&fixture);
}

static bool after_some(void *context)
{
    return --*(int *)context < 0;
}

static void who_is_interrupted_ends_early(void **state)
{
    static const uint32_t age = AGE;
    int left = 100;
    struct importance_options options = {
        .metric = SLICE("RMSE"), .rows_max = ROWS, .is_interrupted = after_some, .context = &left};
    struct importance *importance;
    struct fixture fixture;
    struct error err;
    double value;
    (void)state;

    model_init(&fixture, 0);
    CHECK_OK(importance_new(&fixture.model, &options, &importance, &err));
    add_rows(&fixture, importance, ROWS, false);
    begun(importance);
    CHECK(left < 100);
    left = 1; /* in the midst of the rows */
    CHECK_FAILS(importance_measure(importance, SLICE("age"), &age, 1, 0, &value, &err),
                STATUS_INTERRUPTED, "interrupted");
    importance_free(importance);

    left = 0;
    CHECK_OK(importance_new(&fixture.model, &options, &importance, &err));
    add_rows(&fixture, importance, 3, false);
    CHECK_FAILS(importance_begin(importance, &value, &err), STATUS_INTERRUPTED, "interrupted");
    importance_free(importance);
    fixture_deinit(&fixture);
}

static void an_error_of_a_row_is_handed_on(void **state)
{
    const struct row_label label = {.value = INFINITY};
    struct importance *importance;
    struct cell cells[COLUMNS];
    struct fixture fixture;
    struct scorer scorer;
    struct error err;
    double value;
    (void)state;

    model_init(&fixture, 0);
    importance = new_importance(&fixture, METRIC_RMSE, 10);
    CHECK_OK(scorer_init(&scorer, &fixture.model, 1, &err));
    made_row(1, cells);
    CHECK_OK(scorer_transform(&scorer, 0, cells, &err));
    CHECK_OK(held_rows_add(importance_held(importance), &scorer, &label, &err));
    CHECK_FAILS(importance_begin(importance, &value, &err), STATUS_INVALID, "finite");
    scorer_deinit(&scorer);
    importance_free(importance);
    fixture_deinit(&fixture);
}

static void more_bytes_than_there_are_for_rows_are_refused(void **state)
{
    const uint32_t width = 1u << 21;
    const struct row_label label = {.value = 1};
    int32_t ids[2] = {0};
    struct importance *importance;
    struct fixture fixture;
    struct scorer wide;
    struct error err;
    (void)state;

    model_init(&fixture, 0);
    importance = new_importance(&fixture, METRIC_RMSE, 100000);
    fixture.model.transform.dense_width = width;
    wide =
        (struct scorer){.model = &fixture.model, .dense = calloc(width, sizeof(float)), .ids = ids};
    CHECK(wide.dense);
    CHECK_FAILS(held_rows_add(importance_held(importance), &wide, &label, &err), STATUS_LIMIT,
                "1024 MiB");
    CHECK(strstr(err.hint, "explain.rows"));
    CHECK_INT(importance_held(importance)->count, 0);
    free(wide.dense);
    importance_free(importance);
    fixture_deinit(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cross_is_dealt_out_with_each_of_its_columns),
        cmocka_unit_test(two_rows_keep_their_values_or_exchange_them),
        cmocka_unit_test(an_input_of_no_weight_does_not_matter),
        cmocka_unit_test(a_number_that_is_kept_is_dealt_out_alone),
        cmocka_unit_test(the_order_of_rows_makes_no_difference_to_a_bit),
        cmocka_unit_test(several_classes_are_ranked_where_the_metric_asks_for_it),
        cmocka_unit_test(the_parts_of_a_date_move_together),
        cmocka_unit_test(rows_that_say_nothing_are_refused),
        cmocka_unit_test(who_is_interrupted_ends_early),
        cmocka_unit_test(an_error_of_a_row_is_handed_on),
        cmocka_unit_test(more_bytes_than_there_are_for_rows_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
