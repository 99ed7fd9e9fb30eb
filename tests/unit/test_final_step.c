#include "scoring/final_step.h"

#include <math.h>

#include "tests/check.h"

#define NEAR(a, b) CHECK(fabs((a) - (b)) < 1e-12)

static const double scores[] = {-1, 0, 2}, shares[] = {0.1, 0.3, 0.9};
static const struct calibration_map points = {.count = 3, .scores = scores, .shares = shares};

static void a_rule_is_a_number_a_measure_or_costs(void **state)
{
    static const char *const wrong[] = {
        "",       "2",       "recall",     "recall > 0.5", "recall >= 0",       "recall >= 2",
        "cost 1", "cost 1,", "cost -1, 2", "cost 0, 0",    "cost 1, 1000000001"};
    struct threshold_choice choice;
    (void)state;

    CHECK(threshold_choice_parse(SLICE(" 0.25 "), &choice));
    CHECK(choice.rule == THRESHOLD_NUMBER && choice.number == 0.25);
    CHECK(threshold_choice_parse(SLICE("F1"), &choice) && choice.rule == THRESHOLD_F1);
    CHECK(threshold_choice_parse(SLICE("recall >= 0.9"), &choice));
    CHECK(choice.rule == THRESHOLD_RECALL && choice.number == 0.9);
    CHECK(threshold_choice_parse(SLICE("precision>=1"), &choice));
    CHECK(choice.rule == THRESHOLD_PRECISION && choice.number == 1);
    CHECK(threshold_choice_parse(SLICE("cost"), &choice));
    CHECK(choice.rule == THRESHOLD_COST && choice.false_positive == 1 &&
          choice.false_negative == 1);
    CHECK(threshold_choice_parse(SLICE("cost 1, 5"), &choice) && choice.false_negative == 5);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (threshold_choice_parse(slice_of(wrong[i]), &choice))
            check_failed("\"%s\" is a rule", wrong[i]);
}

static void straight_lines_join_the_points_and_the_ends_go_on(void **state)
{
    const struct calibration_map slope = {.slope = 2, .intercept = -1};
    (void)state;

    NEAR(calibration_probability(CALIBRATION_ISOTONIC, &points, -7), 0.1);
    NEAR(calibration_probability(CALIBRATION_ISOTONIC, &points, -0.5), 0.2);
    NEAR(calibration_probability(CALIBRATION_ISOTONIC, &points, 1), 0.6);
    NEAR(calibration_probability(CALIBRATION_ISOTONIC, &points, 9), 0.9);
    NEAR(calibration_probability(CALIBRATION_ISOTONIC, &points, NAN), 0.1);
    NEAR(calibration_probability(CALIBRATION_SIGMOID, &slope, 0.5), 0.5);
}

static void probabilities_of_classes_add_up_to_one(void **state)
{
    static const double nothing[] = {0, 0, 0};
    const struct calibration_map none = {.count = 3, .scores = scores, .shares = nothing};
    const struct calibration_map maps[] = {points, points, points}, zeros[] = {none, none, none};
    const struct final_step known = {.calibration = CALIBRATION_ISOTONIC, .maps = maps};
    const struct final_step unknown = {.calibration = CALIBRATION_ISOTONIC, .maps = zeros};
    const float outputs[] = {1, 3, 2};
    double found[3];
    (void)state;

    final_step_calibrate(&known, outputs, 3, found);
    NEAR(found[0] + found[1] + found[2], 1);
    CHECK(found[1] > found[2] && found[2] > 0);
    final_step_calibrate(&unknown, outputs, 3, found);
    for (int i = 0; i < 3; i++)
        NEAR(found[i], 1.0 / 3);
}

static enum status read_text(const char *text, uint32_t classes, struct arena *arena,
                             struct final_step *final, struct error *err)
{
    cJSON *object = cJSON_Parse(text);
    enum status status;

    CHECK(object);
    status = final_step_read(object, classes, arena, final, err);
    cJSON_Delete(object);
    return status;
}

static void a_step_is_read_as_it_was_written(void **state)
{
    const struct final_step steps[] = {
        {.calibration = CALIBRATION_ISOTONIC, .maps = &points, .map_count = 1, .rows = 7},
        {.calibration = CALIBRATION_SIGMOID,
         .maps = &(struct calibration_map){.slope = 2, .intercept = -1},
         .map_count = 1,
         .has_threshold = true,
         .threshold = 0.25,
         .rule = SLICE("recall >= 0.9"),
         .rows = 9},
        {.has_threshold = true, .threshold = 0.5, .rule = SLICE("0.5")},
    };
    (void)state;

    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        cJSON *object = cJSON_CreateObject();
        struct final_step found = {.rows = 1};
        struct arena arena;
        struct error err;
        char *text;

        arena_init(&arena, ARENA_MAXIMUM);
        final_step_write(&steps[i], object);
        text = cJSON_PrintUnformatted(object);
        CHECK(text);
        CHECK_OK(read_text(text, 2, &arena, &found, &err));
        cJSON_free(text);
        CHECK(found.calibration == steps[i].calibration && found.rows == steps[i].rows);
        CHECK(found.threshold == steps[i].threshold && slice_equal(found.rule, steps[i].rule));
        if (found.map_count > 0)
            NEAR(calibration_probability(found.calibration, found.maps, 1),
                 calibration_probability(steps[i].calibration, steps[i].maps, 1));
        cJSON_Delete(object);
        arena_deinit(&arena);
    }
}

static void a_damaged_step_is_refused(void **state)
{
#define MAPS(maps) "{\"rows\": 1, \"calibration\": \"isotonic\", \"maps\": [" maps "]}"
    static const char *const damaged[] = {
        "{\"rows\": -1}",
        "{\"rows\": 1, \"calibration\": \"other\", \"maps\": []}",
        "{\"rows\": 1, \"calibration\": \"isotonic\"}",
        MAPS(""),
        MAPS("1"),
        MAPS("{\"scores\": [], \"shares\": []}"),
        MAPS("{\"scores\": [1, 2], \"shares\": [0.5]}"),
        MAPS("{\"scores\": [1, 1], \"shares\": [0.1, 0.2]}"),
        MAPS("{\"scores\": [1, 2], \"shares\": [0.3, 0.2]}"),
        MAPS("{\"scores\": [1], \"shares\": [2]}"),
        "{\"rows\": 1, \"calibration\": \"sigmoid\", \"maps\": [{\"slope\": 1}]}",
        "{\"rows\": 1, \"threshold\": 2, \"rule\": \"f1\"}",
        "{\"rows\": 1, \"threshold\": 0.5, \"rule\": \"guess\"}",
        "{\"rows\": 1, \"threshold\": 0.5}",
    };
    (void)state;

    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
        struct final_step found = {.rows = 0};
        struct arena arena;
        struct error err;

        arena_init(&arena, ARENA_MAXIMUM);
        if (read_text(damaged[i], 2, &arena, &found, &err) == STATUS_OK)
            check_failed("%s is read", damaged[i]);
        arena_deinit(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rule_is_a_number_a_measure_or_costs),
        cmocka_unit_test(straight_lines_join_the_points_and_the_ends_go_on),
        cmocka_unit_test(probabilities_of_classes_add_up_to_one),
        cmocka_unit_test(a_step_is_read_as_it_was_written),
        cmocka_unit_test(a_damaged_step_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
