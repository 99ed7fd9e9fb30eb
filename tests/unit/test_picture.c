#include <stdlib.h>
#include <string.h>

#include "report/picture.h"
#include "tests/check.h"

#define INTEGER(value) ((struct cell){.type = CELL_INTEGER, .integer = (value)})
#define REAL(value)    ((struct cell){.type = CELL_REAL, .real = (value)})
#define WORDS(value)   ((struct cell){.type = CELL_TEXT, .text = SLICE(value)})
#define NOTHING        ((struct cell){.type = CELL_NULL})

static enum status draw(enum picture_kind kind, const struct slice *names, size_t columns,
                        const struct cell *cells, size_t rows, struct text *svg, struct error *err)
{
    const struct picture_table table = {names, columns, cells, rows};

    text_init(svg, (size_t)1 << 20);
    return picture_draw(kind, &table, SLICE("my <model>"), THEME_LIGHT, svg, err);
}

static void check_has(const struct text *svg, const char *expected)
{
    if (!strstr(text_string(svg), expected))
        check_failed("%s is not in %s", expected, text_string(svg));
}

static void a_roc_has_its_area_and_goes_from_corner_to_corner(void **state)
{
    const struct slice names[] = {SLICE("threshold"), SLICE("false_positive_rate"),
                                  SLICE("true_positive_rate")};
    const struct cell cells[] = {NOTHING,   REAL(0),   REAL(0), REAL(0.5), REAL(0),
                                 REAL(0.5), REAL(0.1), REAL(1), REAL(1)};
    struct text svg;
    struct error err;

    (void)state;
    CHECK_OK(draw(PICTURE_ROC, names, 3, cells, 3, &svg, &err));
    check_has(&svg, "ROC, area 0.7500");
    check_has(&svg, "<path class=\"a\" d=\"M64.0,316.0 L64.0,185.0 L504.0,54.0\"/>");
    check_has(&svg, "aria-label=\"my &lt;model&gt;: ROC");
    assert_null(strstr(text_string(&svg), "<model>"));
    text_deinit(&svg);
}

static void rows_of_one_class_have_no_curve(void **state)
{
    const struct slice names[] = {SLICE("false_positive_rate"), SLICE("true_positive_rate")};
    const struct cell cells[] = {REAL(0), NOTHING, REAL(1), NOTHING};
    struct text svg;
    struct error err;

    (void)state;
    CHECK_FAILS(draw(PICTURE_ROC, names, 2, cells, 2, &svg, &err), STATUS_INVALID,
                "all rows have the same class");
    text_deinit(&svg);
}

static void a_history_without_held_out_rows_has_one_curve(void **state)
{
    const struct slice names[] = {SLICE("epoch"), SLICE("train_loss"), SLICE("validation_loss")};
    const struct cell cells[] = {INTEGER(1), REAL(0.5), NOTHING, INTEGER(2), REAL(0.25), NOTHING};
    const struct cell none[] = {INTEGER(1), NOTHING, NOTHING};
    struct text svg;
    struct error err;

    (void)state;
    CHECK_OK(draw(PICTURE_HISTORY, names, 3, cells, 2, &svg, &err));
    check_has(&svg, "<path class=\"a\" d=\"M64.0,54.0 L504.0,316.0\"/>");
    assert_null(strstr(text_string(&svg), "<path class=\"b\""));
    text_deinit(&svg);
    CHECK_FAILS(draw(PICTURE_HISTORY, names, 3, none, 1, &svg, &err), STATUS_INVALID,
                "the model has no history of its loss");
    text_deinit(&svg);
}

static void a_confusion_has_the_rows_of_each_pair_of_classes(void **state)
{
    const struct slice names[] = {SLICE("actual"), SLICE("predicted"), SLICE("rows")};
    const struct cell cells[] = {WORDS("a&b"), WORDS("a&b"), INTEGER(7),
                                 WORDS("a&b"), WORDS("c"),   INTEGER(3)};
    struct text svg;
    struct error err;

    (void)state;
    CHECK_OK(draw(PICTURE_CONFUSION, names, 3, cells, 2, &svg, &err));
    check_has(&svg, ">a&amp;b</text>");
    check_has(&svg, ">7</text>");
    check_has(&svg, ">3</text>");
    check_has(&svg, "fill-opacity=\"0.718\""); /* .06 + .94 * 7/10 */
    text_deinit(&svg);
}

static void more_classes_than_can_be_read_are_refused(void **state)
{
    const struct slice names[] = {SLICE("actual"), SLICE("predicted"), SLICE("rows")};
    struct cell cells[3 * (PICTURE_CLASSES_MAX + 1)];
    struct text svg;
    struct error err;

    (void)state;
    for (int i = 0; i <= PICTURE_CLASSES_MAX; i++) {
        cells[3 * i] = cells[3 * i + 1] = INTEGER(i);
        cells[3 * i + 2] = INTEGER(1);
    }
    CHECK_FAILS(draw(PICTURE_CONFUSION, names, 3, cells, PICTURE_CLASSES_MAX + 1, &svg, &err),
                STATUS_LIMIT, "more than 40 classes");
    text_deinit(&svg);
    CHECK_OK(draw(PICTURE_CONFUSION, names, 3, cells, PICTURE_CLASSES_MAX, &svg, &err));
    text_deinit(&svg);
}

static void importance_shows_those_below_nothing_and_says_what_it_leaves_out(void **state)
{
    const struct slice names[] = {SLICE("input"), SLICE("importance"), SLICE("deviation")};
    struct cell cells[3 * (PICTURE_INPUTS_MAX + 2)];
    struct text svg;
    struct error err;

    (void)state;
    for (int i = 0; i < PICTURE_INPUTS_MAX + 2; i++) {
        cells[3 * i] = WORDS("größe\n");
        cells[3 * i + 1] = REAL(i ? -0.1 : 0.3);
        cells[3 * i + 2] = i ? REAL(0.01) : NOTHING;
    }
    CHECK_OK(draw(PICTURE_IMPORTANCE, names, 3, cells, PICTURE_INPUTS_MAX + 2, &svg, &err));
    check_has(&svg, "the first 40 of 42 inputs");
    check_has(&svg, ">größe?</text>");
    check_has(&svg, ">-0.1</text>");
    text_deinit(&svg);
}

static void calibration_leaves_out_bins_without_rows(void **state)
{
    const struct slice names[] = {SLICE("rows"), SLICE("mean_predicted"), SLICE("actual")};
    const struct cell cells[] = {INTEGER(0), NOTHING, NOTHING, INTEGER(4), REAL(0.5), REAL(1)};
    struct text svg;
    struct error err;

    (void)state;
    CHECK_OK(draw(PICTURE_CALIBRATION, names, 3, cells, 2, &svg, &err));
    check_has(&svg, "<circle cx=\"284.0\" cy=\"54.0\" r=\"9.0\" class=\"a\"/>");
    assert_null(strstr(text_string(&svg), "nan"));
    text_deinit(&svg);
}

/* Checks which of the times a forecast of them shows, from left to right, and where. */
static void check_times(const char *const *times, int rows, const char *expected)
{
    const struct slice names[] = {SLICE("at"), SLICE("sales"), SLICE("expected"), SLICE("lower"),
                                  SLICE("upper")};
    struct cell cells[8 * 5];
    struct text svg, shown;
    struct error err;

    for (int i = 0; i < rows; i++) {
        cells[5 * i] = (struct cell){.type = CELL_TEXT, .text = slice_of(times[i])};
        cells[5 * i + 1] = REAL(i);
        cells[5 * i + 2] = cells[5 * i + 3] = cells[5 * i + 4] = NOTHING;
    }
    CHECK_OK(draw(PICTURE_FORECAST, names, 5, cells, (size_t)rows, &svg, &err));
    text_init(&shown, TEXT_MAXIMUM);
    for (const char *at = text_string(&svg); (at = strstr(at, "<text x=\"")); at++) {
        const char *const x = strchr(at, '"') + 1, *const word = strchr(at, '>') + 1;

        if (strstr(x, "y=\"334.0\"") && strstr(x, "y=\"334.0\"") < word)
            text_printf(&shown, "%.*s %.*s\n", (int)strcspn(x, "\""), x, (int)strcspn(word, "<"),
                        word);
    }
    assert_string_equal(text_string(&shown), expected);
    text_deinit(&shown);
    text_deinit(&svg);
}

/* Rows are not always evenly chosen, and the first and the last time are moved into the picture. */
static void times_of_a_forecast_have_room(void **state)
{
    static const char *const days[] = {"2024-01-01", "2024-01-02", "2024-01-03", "2024-01-04",
                                       "2024-01-05", "2024-01-06", "2024-01-07", "2024-01-08"};
    static const char *const hours[] = {"2024-01-01 00:00:00", "2024-01-01 01:00:00",
                                        "2024-01-01 02:00:00", "2024-01-01 03:00:00",
                                        "2024-01-01 04:00:00"};
    static const char *const zoned[] = {"2024-01-01 00:00:00+00", "2024-01-01 01:00:00+00",
                                        "2024-01-01 02:00:00+00", "2024-01-01 03:00:00+00",
                                        "2024-01-01 04:00:00+00"};

    (void)state;
    check_times(days, 5,
                "64.0 2024-01-01\n174.0 2024-01-02\n284.0 2024-01-03\n394.0 2024-01-04\n"
                "478.5 2024-01-05\n");
    check_times(days, 8, "64.0 2024-01-01\n189.7 2024-01-03\n315.4 2024-01-05\n478.5 2024-01-08\n");
    check_times(hours, 5,
                "75.2 2024-01-01 00:00:00\n284.0 2024-01-01 02:00:00\n"
                "444.8 2024-01-01 04:00:00\n");
    check_times(zoned, 4, "86.5 2024-01-01 00:00:00+00\n433.5 2024-01-01 03:00:00+00\n");
    check_times(zoned, 5, "86.5 2024-01-01 00:00:00+00\n433.5 2024-01-01 04:00:00+00\n");
}

/* The third row is still to come. */
static void a_forecast_has_bounds_and_two_curves(void **state)
{
    const struct slice names[] = {SLICE("store"),    SLICE("day"),   SLICE("sales"),
                                  SLICE("expected"), SLICE("lower"), SLICE("upper")};
    struct cell cells[] = {WORDS("a"), WORDS("2024-01-01"), REAL(0), NOTHING, NOTHING, NOTHING,
                           WORDS("a"), WORDS("2024-01-02"), REAL(4), NOTHING, NOTHING, NOTHING,
                           WORDS("a"), WORDS("2024-01-03"), NOTHING, REAL(6), REAL(2), REAL(10)};
    struct text svg;
    struct error err;

    (void)state;
    CHECK_OK(draw(PICTURE_FORECAST, names, 6, cells, 3, &svg, &err));
    check_has(&svg, "actual and expected values");
    check_has(&svg, "<path class=\"a\" d=\"M64.0,316.0 L284.0,211.2\"/>");
    check_has(&svg, "<path class=\"b\" d=\"M501.0,158.8 L507.0,158.8\"/>");
    check_has(&svg, "2024-01-03</text>");
    check_has(&svg, "sales</text>");
    text_deinit(&svg);
    cells[6] = WORDS("b");
    CHECK_FAILS(draw(PICTURE_FORECAST, names, 6, cells, 3, &svg, &err), STATUS_INVALID,
                "the rows belong to several series");
    text_deinit(&svg);
    for (int i = 0; i < 3; i++) /* a regressor, which varies */
        cells[6 * i] = REAL(i);
    CHECK_OK(draw(PICTURE_FORECAST, names, 6, cells, 3, &svg, &err));
    check_has(&svg, "<path class=\"a\" d=\"M64.0,316.0 L284.0,211.2\"/>");
    text_deinit(&svg);
    cells[13] = WORDS("2024-01-02");
    CHECK_FAILS(draw(PICTURE_FORECAST, names, 6, cells, 3, &svg, &err), STATUS_INVALID,
                "or not in the order of their times");
    text_deinit(&svg);
    for (int i = 0; i < 3; i++) /* times that are numbers */
        cells[6 * i + 1] = REAL(2 - i);
    CHECK_FAILS(draw(PICTURE_FORECAST, names, 6, cells, 3, &svg, &err), STATUS_INVALID,
                "or not in the order of their times");
    text_deinit(&svg);
    CHECK_FAILS(draw(PICTURE_FORECAST, names + 2, 4, cells, 1, &svg, &err), STATUS_INVALID,
                "no time and value before");
    text_deinit(&svg);
    CHECK_FAILS(draw(PICTURE_FORECAST, names, 4, cells, 1, &svg, &err), STATUS_INVALID,
                "no column lower");
    text_deinit(&svg);
    cells[2] = NOTHING;
    CHECK_FAILS(draw(PICTURE_FORECAST, names, 6, cells, 1, &svg, &err), STATUS_INVALID,
                "the rows have no values");
    text_deinit(&svg);
}

static void gain_goes_from_no_rows_to_all_of_them(void **state)
{
    const struct slice names[] = {SLICE("rows"), SLICE("gain")};
    struct cell cells[] = {INTEGER(1), REAL(0.75), INTEGER(3), REAL(1)};
    struct text svg;
    struct error err;

    (void)state;
    CHECK_OK(draw(PICTURE_GAIN, names, 2, cells, 2, &svg, &err));
    check_has(&svg, "d=\"M64.0,316.0 L174.0,119.5\"/>");
    check_has(&svg, "d=\"M174.0,119.5 L504.0,54.0\"/>");
    text_deinit(&svg);
    cells[3] = NOTHING;
    CHECK_FAILS(draw(PICTURE_GAIN, names, 2, cells, 2, &svg, &err), STATUS_INVALID,
                "no row has the positive class");
    text_deinit(&svg);
}

static void residuals_have_a_box_for_each_part_of_the_histogram(void **state)
{
    const struct slice names[] = {SLICE("part"), SLICE("share"), SLICE("low"), SLICE("high")};
    const struct cell cells[] = {WORDS("quantile"),  REAL(0.5),  REAL(9),  REAL(9),
                                 WORDS("histogram"), REAL(0.5),  REAL(-1), REAL(0),
                                 WORDS("histogram"), REAL(0.25), REAL(0),  REAL(1)};
    struct text svg;
    struct error err;

    (void)state;
    CHECK_OK(draw(PICTURE_RESIDUALS, names, 4, cells, 3, &svg, &err));
    check_has(&svg, "<rect x=\"64.0\" y=\"54.0\" width=\"219.0\" height=\"262.0\"");
    check_has(&svg, "<rect x=\"284.0\" y=\"185.0\" width=\"219.0\" height=\"131.0\"");
    text_deinit(&svg);
    CHECK_FAILS(draw(PICTURE_RESIDUALS, names, 4, cells, 1, &svg, &err), STATUS_INVALID,
                "the rows have no histogram");
    text_deinit(&svg);
}

static void importance_names_its_metric_and_shows_noise_as_0(void **state)
{
    const struct slice names[] = {SLICE("input"), SLICE("importance"), SLICE("deviation"),
                                  SLICE("metric")};
    struct cell cells[] = {WORDS("a"), REAL(0.5),     REAL(0.1), WORDS("AUC"),
                           WORDS("b"), REAL(2.2e-17), REAL(0),   WORDS("AUC")};
    struct text svg;
    struct error err;

    (void)state;
    CHECK_OK(draw(PICTURE_IMPORTANCE, names, 4, cells, 2, &svg, &err));
    check_has(&svg, "importance: how much worse AUC is if shuffled");
    /* The bar leaves room for its deviation: 0.6 is the right end. */
    check_has(&svg, "<rect x=\"200.0\" y=\"38.0\" width=\"187.5\"");
    check_has(&svg, "x=\"433.0\""); /* where eleven signs fit */
    check_has(&svg, ">0</text>");
    assert_null(strstr(text_string(&svg), "e-17"));
    text_deinit(&svg);
    cells[0] = INTEGER(1);
    CHECK_FAILS(draw(PICTURE_IMPORTANCE, names, 4, cells, 2, &svg, &err), STATUS_INVALID,
                "the name of an input is no text");
    text_deinit(&svg);
}

static const struct slice shap_names[] = {SLICE("input"), SLICE("class"), SLICE("importance"),
                                          SLICE("direction"), SLICE("points")};

static void shap_values_are_points_side_by_side(void **state)
{
    const struct cell cells[] = {WORDS("age"),
                                 WORDS("yes"),
                                 REAL(0.5),
                                 REAL(-0.9),
                                 WORDS("[[0,-1],[0.5,0],[1,1],[null,0],[0.4,0]]"),
                                 WORDS("plan"),
                                 WORDS("yes"),
                                 REAL(0.25),
                                 NOTHING,
                                 WORDS("[[null,-1],[null,1]]"),
                                 WORDS("rest"),
                                 WORDS("yes"),
                                 REAL(0),
                                 NOTHING,
                                 NOTHING};
    struct text svg;
    struct error err;

    (void)state;
    CHECK_OK(draw(PICTURE_SHAP, shap_names, 5, cells, 3, &svg, &err));
    check_has(&svg, "SHAP values of 5 rows, the first 2 of 3 inputs");
    check_has(&svg, "<desc>age, yes changes the prediction by 0.5, high values lower it; "
                    "plan, yes changes the prediction by 0.25</desc>");
    check_has(&svg, "<path class=\"low\" d=\"M212.0,71.0h0\"/>");
    /* Three points of one place: on the line, below and above. */
    check_has(&svg, "<path class=\"middle\" d=\"M356.0,71.0h0M356.0,75.0h0M356.0,67.0h0\"/>");
    check_has(&svg, "<path class=\"high\" d=\"M500.0,71.0h0\"/>");
    check_has(&svg, ">age, yes</text>");
    text_deinit(&svg);
}

static void check_no_points(struct cell input, struct cell points, const char *message)
{
    const struct cell cells[] = {input, WORDS("yes"), REAL(1), REAL(1), points};
    struct text svg;
    struct error err;

    CHECK_FAILS(draw(PICTURE_SHAP, shap_names, 5, cells, 1, &svg, &err), STATUS_INVALID, message);
    text_deinit(&svg);
}

static void points_that_are_none_are_refused(void **state)
{
    struct text svg;
    struct error err;

    (void)state;
    check_no_points(WORDS("a"), NOTHING, "the rows have no points");
    check_no_points(INTEGER(1), WORDS("[[0,1]]"), "the name of an input is no text");
    check_no_points(WORDS("a"), WORDS("[[0]]"),
                    "the points of an input are not [[place, share], ...]");
    check_no_points(WORDS("a"), WORDS("[7]"), "the points of an input are not");
    CHECK_FAILS(draw(PICTURE_SHAP, (const struct slice[]){SLICE("input")}, 1,
                     (const struct cell[]){WORDS("a")}, 1, &svg, &err),
                STATUS_INVALID, "points");
    text_deinit(&svg);
}

static void dependence_has_a_panel_for_each_input_and_class(void **state)
{
    const struct slice names[] = {SLICE("input"), SLICE("value"), SLICE("word"), SLICE("class"),
                                  SLICE("prediction")};
    /* Each value has a row for each of two classes, one behind the other. */
    const struct cell cells[] = {
        WORDS("age"),  REAL(0), NOTHING,        WORDS("no"),  REAL(0), /* */
        WORDS("age"),  REAL(0), NOTHING,        WORDS("yes"), REAL(1), /* */
        WORDS("age"),  REAL(9), NOTHING,        WORDS("no"),  REAL(1), /* */
        WORDS("age"),  REAL(9), NOTHING,        WORDS("yes"), REAL(0), /* */
        WORDS("plan"), NOTHING, WORDS("basic"), NOTHING,      REAL(0.5)};
    struct text svg;
    struct error err;

    (void)state;
    CHECK_OK(draw(PICTURE_DEPENDENCE, names, 5, cells, 5, &svg, &err));
    check_has(&svg, "age, class no</text>");
    check_has(&svg, "age, class yes</text>");
    check_has(&svg, "plan</text>");
    check_has(&svg, "basic</text>");
    check_has(&svg, "d=\"M64.0,166.0 L246.0,58.0\"/>");  /* no: rises */
    check_has(&svg, "d=\"M322.0,58.0 L504.0,166.0\"/>"); /* yes: falls */
    text_deinit(&svg);
    CHECK_FAILS(draw(PICTURE_DEPENDENCE, names, 4, cells, 1, &svg, &err), STATUS_INVALID,
                "no column prediction");
    text_deinit(&svg);
}

static void rows_of_a_label_that_the_model_does_not_know_are_one_class(void **state)
{
    const struct slice names[] = {SLICE("actual"), SLICE("predicted"), SLICE("rows")};
    const struct cell cells[] = {NOTHING, WORDS("a"), INTEGER(1), NOTHING, WORDS("b"), INTEGER(2)};
    struct text svg;
    struct error err;
    size_t squares = 0;

    (void)state;
    CHECK_OK(draw(PICTURE_CONFUSION, names, 3, cells, 2, &svg, &err));
    for (const char *at = text_string(&svg); (at = strstr(at, "class=\"a\"")); at++)
        squares++;
    assert_int_equal(squares, 9); /* NULL, a and b */
    text_deinit(&svg);
}

static void rows_of_another_kind_and_no_rows_are_errors(void **state)
{
    const struct slice names[] = {SLICE("a")};
    const struct cell cells[] = {REAL(1)};
    struct text svg;
    struct error err;

    (void)state;
    for (int kind = PICTURE_HISTORY; kind < PICTURE_FORECAST; kind++) {
        CHECK_FAILS(draw((enum picture_kind)kind, names, 1, cells, 1, &svg, &err), STATUS_INVALID,
                    "the rows have no column ");
        text_deinit(&svg);
        CHECK_FAILS(draw((enum picture_kind)kind, names, 1, cells, 0, &svg, &err), STATUS_INVALID,
                    "there are no rows to draw");
        text_deinit(&svg);
    }
}

static void a_long_curve_keeps_its_last_point(void **state)
{
    enum { ROWS = 100000 };
    const struct slice names[] = {SLICE("recall"), SLICE("precision")};
    struct cell *cells = calloc(2 * ROWS, sizeof *cells);
    struct text svg;
    struct error err;

    (void)state;
    assert_non_null(cells);
    for (int i = 0; i < ROWS; i++) {
        cells[2 * i] = REAL((double)i / (ROWS - 1));
        cells[2 * i + 1] = REAL(1);
    }
    CHECK_OK(draw(PICTURE_PR, names, 2, cells, ROWS, &svg, &err));
    assert_true(svg.size < 60000);
    check_has(&svg, " L504.0,54.0\"/>");
    check_has(&svg, "area 1.0000");
    text_deinit(&svg);
    free(cells);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_roc_has_its_area_and_goes_from_corner_to_corner),
        cmocka_unit_test(rows_of_one_class_have_no_curve),
        cmocka_unit_test(a_history_without_held_out_rows_has_one_curve),
        cmocka_unit_test(a_confusion_has_the_rows_of_each_pair_of_classes),
        cmocka_unit_test(more_classes_than_can_be_read_are_refused),
        cmocka_unit_test(importance_shows_those_below_nothing_and_says_what_it_leaves_out),
        cmocka_unit_test(calibration_leaves_out_bins_without_rows),
        cmocka_unit_test(a_forecast_has_bounds_and_two_curves),
        cmocka_unit_test(times_of_a_forecast_have_room),
        cmocka_unit_test(gain_goes_from_no_rows_to_all_of_them),
        cmocka_unit_test(residuals_have_a_box_for_each_part_of_the_histogram),
        cmocka_unit_test(importance_names_its_metric_and_shows_noise_as_0),
        cmocka_unit_test(shap_values_are_points_side_by_side),
        cmocka_unit_test(points_that_are_none_are_refused),
        cmocka_unit_test(dependence_has_a_panel_for_each_input_and_class),
        cmocka_unit_test(rows_of_a_label_that_the_model_does_not_know_are_one_class),
        cmocka_unit_test(rows_of_another_kind_and_no_rows_are_errors),
        cmocka_unit_test(a_long_curve_keeps_its_last_point),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
