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
 * are numbers, each the second. With regressors there are two behind the time, promo and price, of
 * which all but the last series have coefficients.
 */
#pragma once

#include "kinds/forecast/forecast_model.h"
#include "tests/unit/scoring_fixture.h"

#define FIXTURE_SERIES  4
#define FIXTURE_HORIZON 2

static const int64_t fixture_firsts[FIXTURE_SERIES] = {5, 0, -7, INT64_C(1) << 40};
static const int64_t fixture_lasts[FIXTURE_SERIES] = {3, 0, 1, 2};
static const double fixture_values[FIXTURE_SERIES][FIXTURE_HORIZON] = {
    {0.1, 1e18}, {-0.0, -1.5}, {1.0 / 3, 3e-20}, {-123456789.0625, 7}};

#define FIXTURE_REGRESSORS 2

static const double fixture_coefficients[FIXTURE_SERIES][FIXTURE_REGRESSORS] = {
    {1e6, -0.1}, {-2, 0}, {1.0 / 3, -1e-20}, {0, 0}};

static inline void forecast_fixture_make(struct fixture *fixture, uint32_t regressors)
{
    static struct slice regions[] = {{"it's", 4}, {"north", 5}, {"", 0}},
                        stores[] = {{"10", 2}, {"9", 1}};
    static float ids[FIXTURE_SERIES][2] = {{0, 0}, {0, 1}, {1, 0}, {2, 1}};
    static float facts[FIXTURE_SERIES][SERIES_FACTS];
    static float forecasts[FIXTURE_SERIES][FIXTURE_HORIZON][STEP_NUMBERS];
    static float reaches[FORECAST_LEVELS][FIXTURE_HORIZON], below[FORECAST_LEVELS][FIXTURE_HORIZON];
    static float coefficients[FIXTURE_SERIES][FIXTURE_REGRESSORS][NUMBER_PARTS];
    static struct forecast_model content;
    struct model *model = &fixture->model;
    struct transform_input *inputs;
    struct error err;

    fixture_init(fixture, 0);
    inputs = ARENA_NEW(&fixture->arena, struct transform_input, 3 + FIXTURE_REGRESSORS);
    inputs[0] = (struct transform_input){.spec.name = SLICE("region"),
                                         .spec.type = INPUT_CATEGORY,
                                         .words = regions,
                                         .word_count = 3};
    inputs[1] = (struct transform_input){
        .spec.name = SLICE("store"), .spec.type = INPUT_CATEGORY, .words = stores, .word_count = 2};
    inputs[2] = (struct transform_input){.spec.name = SLICE("day"), .mean = 5, .scale = 1};
    inputs[3] = (struct transform_input){.spec.name = SLICE("promo"), .scale = 1};
    inputs[4] = (struct transform_input){.spec.name = SLICE("price"), .mean = -3, .scale = 1};
    model->transform = (struct transform){
        .inputs = inputs, .input_count = 3 + regressors, .keeps_numbers = true, .has_rests = true};
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
        for (uint32_t k = 0; k < FIXTURE_REGRESSORS; k++)
            number_to_parts(fixture_coefficients[i][k], coefficients[i][k]);
    }
    for (uint32_t level = 0; level < FORECAST_LEVELS; level++)
        for (uint32_t h = 0; h < FIXTURE_HORIZON; h++)
            reaches[level][h] = (float)(1 + level), below[level][h] = (float)(2 + level);
    content = (struct forecast_model){.groups = 2,
                                      .series = FIXTURE_SERIES,
                                      .horizon = FIXTURE_HORIZON,
                                      .times = FORECAST_NUMBERS,
                                      .level = 0.95,
                                      .limits = forecast_unlimited,
                                      .unit = STEP_NUMBER,
                                      .size = 2,
                                      .has_reaches = true,
                                      .reaches = reaches[0],
                                      .has_below = true,
                                      .reaches_below = below[0],
                                      .ids = ids[0],
                                      .facts = facts[0],
                                      .forecasts = forecasts[0][0],
                                      .regressors = regressors,
                                      .coefficients = coefficients[0][0]};
    model->estimator = SLICE("Forecast");
    model->kind = kind_find(SLICE("forecast"));
    model->format = MODEL_FORMAT_RESTS;
    model->label_mean = 0;
    model->label_scale = 1;
    model->content = &content;
}

static inline void forecast_fixture_init(struct fixture *fixture)
{
    forecast_fixture_make(fixture, 0);
}
