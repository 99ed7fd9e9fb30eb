/*
 * forecast_fixture.h - a forecast of four series by two columns, made by hand.
 *
 *     region      store   first   last step   values
 *     "it's"      10      5       3           0.1, 1e18
 *     "it's"      9       0       0           -0, -1.5
 *     "north"     10      -7      1           ...
 *     ""          9       1 << 40
 *
 * Words are in the order in which they were met, so that ids and words have different orders. Times
 * are numbers, each the second.
 */
#ifndef TESTS_UNIT_FORECAST_FIXTURE_H
#define TESTS_UNIT_FORECAST_FIXTURE_H

#include "kinds/forecast/forecast_model.h"
#include "tests/unit/scoring_fixture.h"

#define FIXTURE_SERIES  4
#define FIXTURE_HORIZON 2

static const int64_t fixture_firsts[FIXTURE_SERIES] = {5, 0, -7, INT64_C(1) << 40};
static const int64_t fixture_lasts[FIXTURE_SERIES] = {3, 0, 1, 2};
static const double fixture_values[FIXTURE_SERIES][FIXTURE_HORIZON] = {
    {0.1, 1e18}, {-0.0, -1.5}, {1.0 / 3, 3e-20}, {-123456789.0625, 7}};

static inline void forecast_fixture_init(struct fixture *fixture)
{
    static struct slice regions[] = {{"it's", 4}, {"north", 5}, {"", 0}},
                        stores[] = {{"10", 2}, {"9", 1}};
    static float ids[FIXTURE_SERIES][2] = {{0, 0}, {0, 1}, {1, 0}, {2, 1}};
    static float facts[FIXTURE_SERIES][SERIES_FACTS];
    static float forecasts[FIXTURE_SERIES][FIXTURE_HORIZON][STEP_NUMBERS];
    static float reaches[FORECAST_LEVELS][FIXTURE_HORIZON];
    static struct forecast_model content;
    struct model *model = &fixture->model;
    struct transform_input *inputs;
    struct error err;

    fixture_init(fixture, 0);
    inputs = model->transform.inputs;
    inputs[0] = (struct transform_input){.spec.name = SLICE("region"),
                                         .spec.type = INPUT_CATEGORY,
                                         .words = regions,
                                         .word_count = 3};
    inputs[1] = (struct transform_input){
        .spec.name = SLICE("store"), .spec.type = INPUT_CATEGORY, .words = stores, .word_count = 2};
    inputs[2] = (struct transform_input){.spec.name = SLICE("day"), .mean = 5, .scale = 1};
    model->transform = (struct transform){
        .inputs = inputs, .input_count = 3, .keeps_numbers = true, .has_rests = true};
    CHECK_OK(transform_finish(&model->transform, &fixture->arena, &err));
    for (uint32_t i = 0; i < FIXTURE_SERIES; i++) {
        integer_to_parts(fixture_firsts[i], facts[i] + FACT_FIRST);
        facts[i][FACT_LAST] = (float)fixture_lasts[i];
        facts[i][FACT_SEASON] = i == 2 ? 1 : 7;
        facts[i][FACT_COUNT] = 1;
        facts[i][FACT_POSITIVE] = i == 0;
        for (uint32_t h = 0; h < FIXTURE_HORIZON; h++) {
            number_to_parts(fixture_values[i][h], forecasts[i][h] + STEP_VALUE);
            forecasts[i][h][STEP_DEVIATION] = 0.5F;
        }
    }
    for (uint32_t level = 0; level < FORECAST_LEVELS; level++)
        for (uint32_t h = 0; h < FIXTURE_HORIZON; h++)
            reaches[level][h] = (float)(1 + level);
    content = (struct forecast_model){.groups = 2,
                                      .series = FIXTURE_SERIES,
                                      .horizon = FIXTURE_HORIZON,
                                      .times = FORECAST_NUMBERS,
                                      .level = 0.95,
                                      .unit = STEP_NUMBER,
                                      .size = 2,
                                      .has_reaches = true,
                                      .reaches = reaches[0],
                                      .ids = ids[0],
                                      .facts = facts[0],
                                      .forecasts = forecasts[0][0]};
    model->estimator = SLICE("Forecast");
    model->kind = kind_find(SLICE("forecast"));
    model->format = MODEL_FORMAT_RESTS;
    model->label_mean = 0;
    model->label_scale = 1;
    model->content = &content;
}

#endif
