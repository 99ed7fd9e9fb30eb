/* Stored forecasts: numbers as floats, models that are written and read, and their rows. */
#include <math.h>

#include "forecast/forecast.h"
#include "kinds/forecast/forecast_kept.h"
#include "kinds/forecast/forecast_kind.h"
#include "kinds/forecast/forecast_rows.h"
#include "scoring/outputs.h"
#include "tests/check.h"
#include "tests/unit/forecast_fixture.h"

/* ----- numbers ----- */

static void numbers_come_back(void **state)
{
    static const double numbers[] = {0,          -0.0,
                                     0.1,        -0.1,
                                     1e18,       1e30,
                                     1e-20,      7e37,
                                     1.0 / 3,    -123456789.123456789,
                                     1,          -1,
                                     0x1p53 + 2, 0x1.fffffffffffffp100};
    (void)state;

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        float parts[NUMBER_PARTS];

        number_to_parts(numbers[i], parts);
        CHECK(number_of_parts(parts) == numbers[i]);
    }
}

static void integers_come_back(void **state)
{
    static const int64_t integers[] = {0,
                                       1,
                                       -1,
                                       7,
                                       -(INT64_C(1) << 22),
                                       (INT64_C(1) << 22) - 1,
                                       (INT64_C(1) << 53) + 1,
                                       -(INT64_C(1) << 53) - 1,
                                       INT64_C(1) << 62,
                                       -(INT64_C(1) << 62),
                                       INT64_C(253402300799999999)};
    (void)state;

    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++) {
        float parts[INTEGER_PARTS];

        integer_to_parts(integers[i], parts);
        CHECK_INT(integer_of_parts(parts), integers[i]);
        for (int p = 1; p < INTEGER_PARTS; p++)
            CHECK(parts[p] >= 0 && parts[p] < 0x1p22F);
    }
}

static void integers_are_told_from_other_words(void **state)
{
    static const char *const words[] = {"7", "-7", "0", "9223372036854775807"};
    static const char *const others[] = {"", "07", "+7", "-0", "7.0", " 7", "7 ", "1e3", "x"};
    int64_t integer;
    (void)state;

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        CHECK(forecast_is_integer(slice_of(words[i]), &integer));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        CHECK(!forecast_is_integer(slice_of(others[i]), &integer));
}

/* ----- models ----- */

static enum status read_rows(struct fixture *fixture, struct model *model, struct error *err)
{
    struct model_reader *reader;
    enum status status;

    fixture_write(fixture);
    status = model_reader_new(kinds, &fixture->arena, &reader, err);
    CHECK_INT(status, STATUS_OK);
    for (size_t i = 0; i < fixture->row_count && status == STATUS_OK; i++)
        status = model_reader_add(reader, &fixture->rows[i], err);
    if (status == STATUS_OK)
        status = model_reader_finish(reader, model, err);
    model_reader_free(reader);
    return status;
}

static void read_back_with(struct fixture *fixture, uint32_t regressors, struct model *model)
{
    struct error err;

    forecast_fixture_make(fixture, regressors);
    CHECK_OK(read_rows(fixture, model, &err));
}

static void read_back(struct fixture *fixture, struct model *model)
{
    read_back_with(fixture, 0, model);
}

#define HISTORY 3

/* Expectations at the last three steps; the first series has values at all of them. */
static void keep_history(struct fixture *fixture,
                         float expected[FIXTURE_SERIES][HISTORY][STEP_NUMBERS])
{
    struct forecast_model *content = (struct forecast_model *)(uintptr_t)fixture->model.content;

    for (uint32_t i = 0; i < FIXTURE_SERIES; i++)
        for (uint32_t k = 0; k < HISTORY; k++) {
            number_to_parts(100 + 10 * i + k + 0.1, expected[i][k] + STEP_VALUE);
            expected[i][k][STEP_DEVIATION] = i > 0 && k == 0 ? -1 : 2;
        }
    content->history = HISTORY;
    content->expected = expected[0][0];
}

static void check_found(const struct forecast_model *forecast)
{
    const struct forecast_found *found = forecast->found;

    CHECK_INT(forecast->series, FIXTURE_SERIES);
    CHECK_INT(forecast->horizon, FIXTURE_HORIZON);
    CHECK(!found->has_integers[0] && found->has_integers[1]);
    CHECK_INT(found->season_count, 2);
    CHECK_INT(found->seasons[0].length, 7);
    CHECK_INT(found->seasons[0].series, 3);
    CHECK_INT(found->seasons[1].length, 1);
    CHECK_INT(found->seasons[1].series, 1);
}

static void a_model_that_is_written_is_read_bit_by_bit(void **state)
{
    const struct forecast_model *forecast;
    struct fixture fixture;
    struct model model;
    int64_t ahead;
    (void)state;

    read_back(&fixture, &model);
    forecast = forecast_of(&model);
    check_found(forecast);
    for (uint32_t i = 0; i < FIXTURE_SERIES; i++) {
        const struct steps steps = forecast_steps(forecast, i);

        CHECK_INT(steps.first, fixture_firsts[i]);
        CHECK_INT(steps.size, 2);
        for (uint32_t h = 0; h < FIXTURE_HORIZON; h++) {
            const struct forecast_interval interval = forecast_interval_of(0.95);
            const struct forecast_step step = forecast_step_of(forecast, i, h + 1, &interval);

            CHECK(step.value == fixture_values[i][h]);
            CHECK_INT(step.time, fixture_firsts[i] + 2 * (fixture_lasts[i] + 1 + h));
            CHECK(forecast_ahead(forecast, i, step.time, &ahead));
            CHECK_INT(ahead, h + 1);
            CHECK(!forecast_ahead(forecast, i, step.time + 1, &ahead));
        }
        CHECK(!forecast_ahead(forecast, i, fixture_firsts[i] + 2 * fixture_lasts[i], &ahead));
        CHECK(!forecast_ahead(
            forecast, i, fixture_firsts[i] + 2 * (fixture_lasts[i] + 1 + FIXTURE_HORIZON), &ahead));
    }
    fixture_deinit(&fixture);
}

static void what_is_expected_of_the_past_is_kept(void **state)
{
    static float expected[FIXTURE_SERIES][HISTORY][STEP_NUMBERS];
    const struct forecast_interval interval = forecast_interval_of(0.95);
    const struct forecast_model *forecast;
    struct fixture fixture;
    struct model model;
    struct error err;
    int64_t ahead;
    (void)state;

    forecast_fixture_init(&fixture);
    keep_history(&fixture, expected);
    CHECK_OK(read_rows(&fixture, &model, &err));
    forecast = forecast_of(&model);
    CHECK_INT(forecast->history, HISTORY);
    for (int64_t k = 0; k < HISTORY; k++) {
        const int64_t time = fixture_firsts[0] + 2 * (fixture_lasts[0] - k);
        struct forecast_step step;

        CHECK(forecast_ahead(forecast, 0, time, &ahead));
        CHECK_INT(ahead, -k);
        step = forecast_step_of(forecast, 0, ahead, &interval);
        CHECK(step.value == 100 + (double)(HISTORY - 1 - k) + 0.1 && step.time == time);
        CHECK(step.upper == step.value + 4 * 2); /* reaches of 0.95, of the first step to come */
    }
    CHECK(!forecast_ahead(forecast, 0, fixture_firsts[0], &ahead));     /* before what is kept */
    CHECK(!forecast_ahead(forecast, 1, fixture_firsts[1] - 2, &ahead)); /* before its first */
    CHECK(forecast_ahead(forecast, 3, fixture_firsts[3] + 2, &ahead));
    CHECK(!forecast_ahead(forecast, 3, fixture_firsts[3], &ahead)); /* nothing is expected */
    fixture_deinit(&fixture);
}

static void damage_of_a_history_is_found(void **state)
{
    static float expected[FIXTURE_SERIES][HISTORY][STEP_NUMBERS];
    struct fixture fixture;
    struct model model;
    struct error err;
    (void)state;

    forecast_fixture_init(&fixture);
    keep_history(&fixture, expected);
    expected[2][1][STEP_DEVIATION] = -0.5F;
    CHECK_FAILS(read_rows(&fixture, &model, &err), STATUS_CORRUPT, "deviation of the history");
    fixture_deinit(&fixture);
}

static void levels_have_the_quantiles_of_the_normal_distribution(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < FORECAST_LEVELS; i++)
        CHECK(forecast_normals[i] == normal_quantile_of_level(forecast_levels[i]));
    for (double level = 0.01; level < 1; level += 0.01)
        CHECK(fabs(normal_level_of_quantile(normal_quantile_of_level(level)) - level) < 1e-14);
    CHECK(normal_level_of_quantile(INFINITY) == 1 && normal_level_of_quantile(0) == 0);
}

/* A value at the bound of a level is as probable as the level, with reaches and without. */
static void check_bounds(const struct forecast_model *forecast, uint32_t series, int64_t ahead,
                         const double *regressors)
{
    for (double level = 0.51; level < 0.999; level += 0.01) {
        const struct forecast_interval interval = forecast_interval_of(level);
        struct forecast_step step = forecast_step_of(forecast, series, ahead, &interval);

        if (regressors)
            forecast_add_regressors(forecast, series, regressors, &step);
        CHECK(fabs(forecast_anomaly(forecast, series, ahead, regressors, step.upper) - level) <
              1e-9);
        if (step.lower > 0)
            CHECK(fabs(forecast_anomaly(forecast, series, ahead, regressors, step.lower) - level) <
                  1e-9);
    }
}

static void an_anomaly_lies_outside_of_its_interval(void **state)
{
    static float expected[FIXTURE_SERIES][HISTORY][STEP_NUMBERS];
    struct forecast_model forecast;
    struct fixture fixture;
    (void)state;

    forecast_fixture_init(&fixture);
    keep_history(&fixture, expected);
    forecast = *forecast_of(&fixture.model);
    /* two reaches, then one for both sides as in older models, then the normal distribution */
    for (int i = 0; i < 3; i++, forecast.reaches_below = NULL) {
        if (i == 2)
            forecast.reaches = NULL;
        check_bounds(&forecast, 0, -1, NULL);
        check_bounds(&forecast, 3, 2, NULL);
        CHECK(forecast_anomaly(&forecast, 3, 2, NULL, 7) == 0);
        CHECK(forecast_anomaly(&forecast, 3, 2, NULL, 1e30) == 1);
        CHECK(forecast_anomaly(&forecast, 0, 1, NULL, -0.001) == 1); /* no value of it is below 0 */
        CHECK(forecast_anomaly(&forecast, 1, 2, NULL, -1.6) < 0.5);
    }
    fixture_deinit(&fixture);
}

/* The first series has the coefficients 1e6 and -0.1. */
static void what_regressors_explain_is_no_anomaly(void **state)
{
    static const double promoted[FIXTURE_REGRESSORS] = {1, 10}, other[FIXTURE_REGRESSORS] = {0, 0};
    static float expected[FIXTURE_SERIES][HISTORY][STEP_NUMBERS];
    struct forecast_model forecast;
    struct fixture fixture;
    (void)state;

    forecast_fixture_make(&fixture, FIXTURE_REGRESSORS);
    keep_history(&fixture, expected);
    forecast = *forecast_of(&fixture.model);
    for (int i = 0; i < 2; i++, forecast.reaches = forecast.reaches_below = NULL)
        for (int64_t ahead = -2; ahead <= 1; ahead++) {
            const double usual = ahead > 0 ? 0.1 : 100 + (double)(HISTORY - 1 + ahead) + 0.1;

            check_bounds(&forecast, 0, ahead, promoted);
            CHECK(forecast_anomaly(&forecast, 0, ahead, promoted, usual + 1e6 - 1) < 1e-6);
            CHECK(forecast_anomaly(&forecast, 0, ahead, other, usual) < 1e-6);
            CHECK(forecast_anomaly(&forecast, 0, ahead, promoted, usual) == 1);
            CHECK(forecast_anomaly(&forecast, 0, ahead, other, usual + 1e6 - 1) == 1);
        }
    fixture_deinit(&fixture);
}

/* Beyond a limit nothing is expected; within them a value is outside of its bounds, or its
 * probability is below the level. */
static void limits_hold_for_anomalies(void **state)
{
    static float expected[FIXTURE_SERIES][HISTORY][STEP_NUMBERS];
    static const struct forecast_limits limits[] = {
        {101, 104.5, false},         {90, 101, false},   {103, 200, false},
        {-INFINITY, INFINITY, true}, {101, 104.5, true}, {103, 200, true}};
    struct forecast_model forecast;
    struct fixture fixture;
    (void)state;

    forecast_fixture_init(&fixture);
    keep_history(&fixture, expected);
    forecast = *forecast_of(&fixture.model);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        for (double level = 0.53; level < 0.98; level += 0.04) {
            const struct forecast_interval interval = forecast_interval_of(level);
            struct forecast_step step;

            forecast.limits = limits[i];
            step = forecast_step_of(&forecast, 0, 0, &interval);
            for (double value = 80; value <= 120; value += 0.5) {
                const double probability = forecast_anomaly(&forecast, 0, 0, NULL, value);

                CHECK_INT(probability > level, value < step.lower || value > step.upper);
                if (value < limits[i].lower || value > limits[i].upper)
                    CHECK(probability == 1);
            }
        }
    fixture_deinit(&fixture);
}

static struct cell checked(const struct scorer *scorer, enum output output, struct cell value)
{
    struct cell cell;
    struct error err;

    CHECK_OK(scorer_checked_output(scorer, output, &value, 0.95, &cell, &err));
    return cell;
}

static void check_row(struct scorer *scorer, int64_t day, struct cell value)
{
    const struct cell row[] = {cell_string("it's"), cell_integer(10), cell_integer(day)};
    struct error err;

    CHECK_OK(scorer_transform(scorer, 0, row, &err));
    scorer_score(scorer, 1);
    CHECK(checked(scorer, OUTPUT_LOWER, value).type == CELL_REAL);
    CHECK(checked(scorer, OUTPUT_UPPER, value).real >= checked(scorer, OUTPUT_LOWER, value).real);
}

/* The first step of the first series is 0.1, with bounds that end at 0 and at 0.1 + 4 * 0.5. */
static void a_value_that_came_has_four_outputs(void **state)
{
    const struct cell stranger[] = {cell_string("south"), cell_integer(10), cell_integer(13)};
    const struct cell high = cell_real(2.2), fine = cell_integer(2), word = cell_string("x");
    struct fixture fixture;
    struct model model;
    struct scorer scorer;
    struct cell cell;
    struct error err;
    (void)state;

    read_back(&fixture, &model);
    CHECK_OK(scorer_init(&scorer, &model, 1, &err));
    check_row(&scorer, 13, high);
    CHECK(checked(&scorer, OUTPUT_LOWER, high).real == 0);
    CHECK(checked(&scorer, OUTPUT_UPPER, high).real == 0.1 + 4 * 0.5);
    CHECK(checked(&scorer, OUTPUT_ANOMALY, high).real > 0.95);
    CHECK_INT(checked(&scorer, OUTPUT_IS_ANOMALY, high).integer, 1);
    CHECK_INT(checked(&scorer, OUTPUT_IS_ANOMALY, fine).integer, 0);
    CHECK(checked(&scorer, OUTPUT_IS_ANOMALY, cell_null()).type == CELL_NULL);
    CHECK(checked(&scorer, OUTPUT_ANOMALY, cell_null()).type == CELL_NULL);
    CHECK_FAILS(scorer_checked_output(&scorer, OUTPUT_LOWER, &word, 0.95, &cell, &err),
                STATUS_INVALID, "holds 'x'");
    CHECK_FAILS(scorer_checked_output(&scorer, OUTPUT_LOWER, &fine, 0.4, &cell, &err),
                STATUS_INVALID, "a probability from 0.5 to 0.99999, not 0.4");
    CHECK_FAILS(scorer_checked_output(&scorer, OUTPUT_LOWER, &fine, 1, &cell, &err), STATUS_INVALID,
                "not 1");
    CHECK_OK(scorer_transform(&scorer, 0, stranger, &err));
    scorer_score(&scorer, 1);
    CHECK(checked(&scorer, OUTPUT_UPPER, fine).type == CELL_NULL);
    model.kind = kind_find(SLICE("linear"));
    CHECK_FAILS(scorer_checked_output(&scorer, OUTPUT_LOWER, &fine, 0.9, &cell, &err),
                STATUS_INVALID, "forecasts nothing that a value could be beside");
    model.kind = kind_find(SLICE("forecast"));
    scorer_deinit(&scorer);
    fixture_deinit(&fixture);
}

/* Reaches that do not grow: what lies beyond them is sure, what lies within is not. */
static void equal_reaches_tell_within_from_beyond(void **state)
{
    static float reaches[FORECAST_LEVELS][FIXTURE_HORIZON], forecasts[STEP_NUMBERS] = {5};
    struct forecast_model forecast;
    struct fixture fixture;
    (void)state;

    forecast_fixture_init(&fixture);
    forecast = *forecast_of(&fixture.model);
    for (uint32_t i = 0; i < FORECAST_LEVELS; i++)
        reaches[i][0] = 1;
    forecast.reaches = forecast.reaches_below = reaches[0];
    CHECK(fabs(forecast_anomaly(&forecast, 2, 1, NULL, 1.0 / 3 + 0.25) - 0.5) < 1e-9);
    CHECK(forecast_anomaly(&forecast, 2, 1, NULL, 2) == 1);
    forecasts[STEP_DEVIATION] = 0; /* a series of one number */
    forecast.forecasts = forecasts;
    CHECK(forecast_anomaly(&forecast, 0, 1, NULL, 5) == 0);
    CHECK(forecast_anomaly(&forecast, 0, 1, NULL, 5.5) == 1);
    fixture_deinit(&fixture);
}

static void the_meta_row_alone_tells_what_a_statement_needs(void **state)
{
    struct fixture fixture;
    struct model model, meta;
    struct error err;
    (void)state;

    read_back(&fixture, &model);
    CHECK_OK(model_read_meta(fixture.rows[0].data, kinds, &fixture.arena, &meta, &err));
    CHECK(!meta.content);
    check_found(forecast_outline(&meta));
    fixture_deinit(&fixture);
}

static void a_series_is_found_by_its_ids(void **state)
{
    static const int32_t ids[FIXTURE_SERIES][2] = {{0, 0}, {0, 1}, {1, 0}, {2, 1}};
    static const int32_t others[][2] = {{1, 1}, {2, 0}, {3, 0}, {0, 2}, {-1, 0}, {0, -1}};
    struct fixture fixture;
    uint32_t series;
    (void)state;

    forecast_fixture_init(&fixture);
    for (uint32_t i = 0; i < FIXTURE_SERIES; i++) {
        CHECK(forecast_find(forecast_of(&fixture.model), ids[i], &series));
        CHECK_INT(series, i);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        CHECK(!forecast_find(forecast_of(&fixture.model), others[i], &series));
    fixture_deinit(&fixture);
}

/* ----- regressors ----- */

static void coefficients_come_back_with_what_series_have(void **state)
{
    const struct found_regressor *found;
    struct fixture fixture;
    struct model model, meta;
    struct error err;
    (void)state;

    read_back_with(&fixture, FIXTURE_REGRESSORS, &model);
    for (uint32_t i = 0; i < FIXTURE_SERIES; i++)
        for (uint32_t k = 0; k < FIXTURE_REGRESSORS; k++)
            CHECK(number_of_parts(forecast_of(&model)->coefficients +
                                  (i * FIXTURE_REGRESSORS + k) * NUMBER_PARTS) ==
                  fixture_coefficients[i][k]);
    CHECK_OK(model_read_meta(fixture.rows[0].data, kinds, &fixture.arena, &meta, &err));
    CHECK_INT(forecast_outline(&meta)->regressors, FIXTURE_REGRESSORS);
    CHECK_INT(forecast_outline(&meta)->groups, 2);
    found = forecast_outline(&meta)->found->regressors;
    CHECK_INT(found[0].series, 3); /* -2, 1/3 and 1e6 */
    CHECK(found[0].median == 1.0 / 3);
    CHECK_INT(found[1].series, 2); /* -0.1 and -1e-20 */
    CHECK(found[1].median == 0.5 * -0.1 + 0.5 * -1e-20);
    fixture_deinit(&fixture);
}

struct asked {
    const char *region;
    int64_t store, time;
    struct cell promo, price;
};

static enum status score_one(const struct model *model, const struct asked *asked,
                             double bounds[FORECAST_QUANTILES], struct error *refused)
{
    const struct cell cells[] = {cell_string(asked->region), cell_integer(asked->store),
                                 cell_integer(asked->time), asked->promo, asked->price};
    struct scorer scorer;
    enum status status;
    struct error err;

    CHECK_OK(scorer_init(&scorer, model, 1, &err));
    status = scorer_transform(&scorer, 0, cells, refused);
    if (status == STATUS_OK) {
        scorer_score(&scorer, 1);
        for (uint32_t i = 0; i < FORECAST_QUANTILES; i++)
            bounds[i] = scorer_number(&scorer, i);
    }
    scorer_deinit(&scorer);
    return status;
}

/* The reach of the level .95 is 4 deviations of a half. */
static void a_row_is_its_step_and_what_regressors_add(void **state)
{
    const struct asked second = {"it's", 9, 2, cell_integer(3), cell_real(7)};
    const struct asked first = {"it's", 10, 13, cell_real(-1), cell_real(2.5)};
    const struct asked plain = {"", 9, (INT64_C(1) << 40) + 6, cell_integer(9), cell_integer(9)};
    double bounds[FORECAST_QUANTILES];
    struct fixture fixture;
    struct model model;
    struct error err;
    (void)state;

    read_back_with(&fixture, FIXTURE_REGRESSORS, &model);
    CHECK_OK(score_one(&model, &second, bounds, &err));
    CHECK(bounds[1] == -0.0 - 6 && bounds[0] == -8.5 && bounds[2] == -4);
    /* The first series never was below 0: neither is its value, nor its bounds. */
    CHECK_OK(score_one(&model, &first, bounds, &err));
    CHECK(bounds[0] == 0 && bounds[1] == 0 && bounds[2] == 0);
    CHECK_OK(score_one(&model, &plain, bounds, &err));
    CHECK(bounds[1] == fixture_values[3][0]);
    fixture_deinit(&fixture);
}

static void a_row_without_a_regressor_is_refused_where_it_has_a_forecast(void **state)
{
    struct asked asked = {"it's", 9, 2, cell_null(), cell_real(7)};
    double bounds[FORECAST_QUANTILES];
    struct fixture fixture;
    struct model model;
    struct error err;
    (void)state;

    read_back_with(&fixture, FIXTURE_REGRESSORS, &model);
    CHECK_FAILS(score_one(&model, &asked, bounds, &err), STATUS_INVALID,
                "series region = 'it's', store = '9': regressor \"promo\" is NULL at 2");
    CHECK(strstr(err.hint, "coalesce(promo, 0)"));
    asked.promo = cell_integer(0);
    asked.price = cell_null();
    CHECK_FAILS(score_one(&model, &asked, bounds, &err), STATUS_INVALID, "\"price\" is NULL");
    asked.time = 3; /* between two steps: no forecast */
    CHECK_OK(score_one(&model, &asked, bounds, &err));
    CHECK(isnan(bounds[1]));
    asked = (struct asked){"south", 9, 2, cell_null(), cell_null()};
    CHECK_OK(score_one(&model, &asked, bounds, &err));
    CHECK(isnan(bounds[1]));
    fixture_deinit(&fixture);
}

static void rows_alone_have_no_regressors(void **state)
{
    const struct forecast_ask ask = {.steps = NULL}, names = {.is_of_names = true};
    struct forecast_rows rows;
    struct fixture fixture;
    struct model model;
    struct error err;
    (void)state;

    read_back_with(&fixture, FIXTURE_REGRESSORS, &model);
    CHECK_FAILS(forecast_rows_open(&rows, &model, &ask, NULL, &err), STATUS_INVALID,
                "the model has 2 regressors, whose future values must be given");
    CHECK(strstr(err.hint, "SELECT region, store, day, promo, price FROM days_to_come"));
    forecast_rows_close(&rows);
    CHECK_OK(forecast_rows_open(&rows, &model, &names, NULL, &err));
    CHECK_INT(rows.series_count, FIXTURE_SERIES);
    forecast_rows_close(&rows);
    fixture_deinit(&fixture);
}

/* ----- limits ----- */

static enum status read_limited(struct fixture *fixture, struct forecast_limits limits,
                                struct model *model, struct error *err)
{
    struct model_reader *reader;
    enum status status;

    forecast_fixture_init(fixture);
    ((struct forecast_model *)(uintptr_t)fixture->model.content)->limits = limits;
    fixture_write(fixture);
    status = model_reader_new(kinds, &fixture->arena, &reader, err);
    for (size_t i = 0; i < fixture->row_count && status == STATUS_OK; i++)
        status = model_reader_add(reader, &fixture->rows[i], err);
    if (status == STATUS_OK)
        status = model_reader_finish(reader, model, err);
    model_reader_free(reader);
    return status;
}

/* Step 2 of series 1: -1.5 and 2 to either side. */
static void check_limited(struct forecast_limits limits, double lower, double value, double upper)
{
    const struct forecast_interval interval = forecast_interval_of(0.95);
    struct forecast_step step;
    struct fixture fixture;
    struct model model;
    struct error err;

    CHECK_OK(read_limited(&fixture, limits, &model, &err));
    CHECK(forecast_of(&model)->limits.lower == limits.lower);
    CHECK(forecast_of(&model)->limits.upper == limits.upper);
    CHECK(forecast_of(&model)->limits.is_whole == limits.is_whole);
    step = forecast_step_of(forecast_of(&model), 1, 2, &interval);
    CHECK(step.lower == lower && step.value == value && step.upper == upper);
    fixture_deinit(&fixture);
}

static void steps_are_within_the_limits(void **state)
{
    (void)state;
    check_limited(forecast_unlimited, -4, -1.5, 0.5);
    check_limited((struct forecast_limits){-2, INFINITY, false}, -2, -1.5, 0.5);
    check_limited((struct forecast_limits){-INFINITY, -1, false}, -4, -1.5, -1);
    check_limited((struct forecast_limits){0.25, 0.75, false}, 0.25, 0.25, 0.5);
    check_limited((struct forecast_limits){-INFINITY, INFINITY, true}, -4, -1, 1);
    check_limited((struct forecast_limits){-3.25, INFINITY, true}, -3.25, -1, 1);
}

static void limits_that_leave_nothing_are_damage(void **state)
{
    struct fixture fixture;
    struct model model;
    struct error err;
    (void)state;

    CHECK_FAILS(read_limited(&fixture, (struct forecast_limits){1, 1, false}, &model, &err),
                STATUS_CORRUPT, "no forecast is within its limits");
    fixture_deinit(&fixture);
}

/* The digest covers the kind's numbers. Models without limits have those that they always had. */
static void limits_are_among_what_the_digest_covers(void **state)
{
    static const struct forecast_limits all[] = {{-INFINITY, INFINITY, false},
                                                 {0, INFINITY, false},
                                                 {-INFINITY, 0, false},
                                                 {-INFINITY, INFINITY, true}};
    uint64_t numbers[4][16] = {{0}};
    uint32_t counts[4] = {0};
    (void)state;

    for (int i = 0; i < 4; i++) {
        struct fixture fixture;
        struct model model;
        struct error err;

        CHECK_OK(read_limited(&fixture, all[i], &model, &err));
        while (model.kind->number(&model, counts[i], &numbers[i][counts[i]]))
            counts[i]++;
        for (int j = 0; j < i; j++)
            CHECK(counts[i] != counts[j] || memcmp(numbers[i], numbers[j], sizeof *numbers) != 0);
        fixture_deinit(&fixture);
    }
    CHECK_INT(counts[0], 7);
}

/* ----- holidays ----- */

static enum status put_fact(void *context, const char *name, struct cell value, struct error *err)
{
    struct text *text = context;
    (void)err;

    text_printf(text, "%s: %.*s\n", name,
                SLICE_FORMAT(value.type == CELL_TEXT ? value.text : SLICE("a number")));
    return STATUS_OK;
}

/* Effects of -i and 2.5 on the days of 2024-12-25 and 2025-05-01. */
static void keep_holidays(struct fixture *fixture, struct holidays *holidays,
                          float effects[FIXTURE_SERIES][2][NUMBER_PARTS])
{
    static const int32_t christmas[] = {20082}, may[] = {20209};
    static const struct holiday items[] = {{SLICE("Christmas"), 1, christmas},
                                           {SLICE("May day"), 1, may}};
    struct forecast_model *content = (struct forecast_model *)(uintptr_t)fixture->model.content;
    struct transform_input *time = &fixture->model.transform.inputs[content->groups];

    for (uint32_t i = 0; i < FIXTURE_SERIES; i++) {
        number_to_parts(-1.0 * i, effects[i][0]);
        number_to_parts(2.5, effects[i][1]);
    }
    time->spec.part = DATE_AGE;
    time->spec.source = SLICE("day");
    *holidays = (struct holidays){2, items};
    content->times = FORECAST_MOMENTS;
    content->unit = STEP_MICROSECOND;
    content->holidays = *holidays;
    content->effects = effects[0][0];
}

static void effects_of_holidays_come_back(void **state)
{
    const struct forecast_interval interval = forecast_interval_of(0.95);
    float effects[FIXTURE_SERIES][2][NUMBER_PARTS];
    const struct found_regressor *found;
    struct holidays holidays, others;
    struct holiday renamed[2];
    uint64_t number, other;
    struct fixture fixture;
    struct forecast_step step;
    struct model model, meta;
    struct error err;
    struct text text;
    (void)state;

    forecast_fixture_init(&fixture);
    keep_holidays(&fixture, &holidays, effects);
    CHECK_OK(read_rows(&fixture, &model, &err));
    CHECK(holidays_equal(&forecast_of(&model)->holidays, &holidays));
    CHECK(forecast_holiday_effect(forecast_of(&model), 3, 0) == -3);
    CHECK(forecast_holiday_effect(forecast_of(&model), 3, 1) == 2.5);
    CHECK_OK(model_read_meta(fixture.rows[0].data, kinds, &fixture.arena, &meta, &err));
    found = forecast_outline(&meta)->found->holidays;
    CHECK(found[0].series == 3 && found[0].median == -2);
    CHECK(found[1].series == 4 && found[1].median == 2.5);
    text_init(&text, TEXT_MAXIMUM);
    CHECK_OK(meta.kind->show(&meta, put_fact, &text, &err));
    CHECK(strstr(text_string(&text), "holidays: Christmas -2 in 3 series, May day 2.5 in 4\n"));
    text_deinit(&text);

    /* The digest covers them: they are behind the numbers of all models. */
    CHECK(model.kind->number(&model, 8, &number) && !model.kind->number(&model, 9, &other));
    memcpy(renamed, holidays.items, sizeof renamed);
    renamed[1].name = SLICE("first of May");
    others = (struct holidays){2, renamed};
    ((struct forecast_model *)(uintptr_t)model.content)->holidays = others;
    CHECK(model.kind->number(&model, 8, &other) && other != number);

    /* Series 0 has no value below 0, and so nothing that is told of it is. */
    number_to_parts(-4, (float *)(uintptr_t)forecast_of(&model)->forecasts);
    step = forecast_step_of(forecast_of(&model), 0, 1, &interval);
    CHECK(step.value == 0 && step.lower == 0 && step.upper == 0);
    fixture_deinit(&fixture);
}

static void holidays_of_numbers_are_damage(void **state)
{
    float effects[FIXTURE_SERIES][2][NUMBER_PARTS];
    struct forecast_model *content;
    struct holidays holidays;
    struct fixture fixture;
    struct model model;
    struct error err;
    (void)state;

    forecast_fixture_init(&fixture);
    keep_holidays(&fixture, &holidays, effects);
    content = (struct forecast_model *)(uintptr_t)fixture.model.content;
    content->times = FORECAST_NUMBERS;
    content->unit = STEP_NUMBER;
    CHECK_FAILS(read_rows(&fixture, &model, &err), STATUS_CORRUPT, "holidays of numbers");
    fixture_deinit(&fixture);
}

/* ----- parameters that are kept ----- */

#define KEPT_HERE 4

static void keep_parameters(struct fixture *fixture,
                            float numbers[FIXTURE_SERIES][KEPT_HERE][KEPT_PARTS])
{
    struct forecast_model *content = (struct forecast_model *)(uintptr_t)fixture->model.content;

    for (uint32_t i = 0; i < FIXTURE_SERIES; i++)
        for (uint32_t k = 0; k < KEPT_HERE; k++)
            kept_to_parts(k / 7.0 - i, numbers[i][k]);
    content->kept = KEPT_HERE;
    content->numbers = numbers[0][0];
    content->ways[WAY_NEW] = 1;
    content->ways[WAY_MOVED] = 3;
    content->fitted = (struct forecast_params){
        .horizon = FIXTURE_HORIZON, .method = 6, .keeps = true, .seasons = {{4, 7}, 2}};
}

static void parameters_come_back(void **state)
{
    static float numbers[FIXTURE_SERIES][KEPT_HERE][KEPT_PARTS];
    const struct forecast_model *forecast;
    struct kind_params params = {{0}};
    struct fixture fixture;
    struct model model;
    struct text shown;
    struct error err;
    uint64_t number;
    uint32_t count = 0;
    (void)state;

    forecast_fixture_init(&fixture);
    keep_parameters(&fixture, numbers);
    CHECK_OK(read_rows(&fixture, &model, &err));
    forecast = forecast_of(&model);
    CHECK(forecast->kept == KEPT_HERE && forecast_can_go_on(forecast));
    CHECK(memcmp(forecast->numbers, numbers, sizeof numbers) == 0);
    CHECK(kept_of_parts(forecast->numbers + KEPT_PARTS) == 1 / 7.0);
    CHECK_INT(forecast->ways[WAY_MOVED], 3);
    model.kind->params_of(&model, &params);
    CHECK(forecast_params(&params)->method == 6 && forecast_params(&params)->keeps);
    CHECK_INT(forecast_params(&params)->seasons.items[1], 7);
    while (forecast_kept_digest(forecast, count, &number))
        count++;
    CHECK_INT(count, 4 + SERIES_WAYS + 3 + 1 + 1); /* two seasons and no orders */
    text_init(&shown, TEXT_MAXIMUM);
    CHECK_OK(model.kind->show(&model, put_fact, &shown, &err));
    CHECK(strstr(text_string(&shown), "keeps: the parameters of each series\n"));
    CHECK(strstr(text_string(&shown), "going on: 3 moved on by new rows, 0 stayed, 0 fitted anew, "
                                      "1 not in the old model\n"));
    text_deinit(&shown);
    fixture_deinit(&fixture);
}

#define VALUES_HERE 2

static enum status read_values(struct fixture *fixture, float damage, struct model *model,
                               struct error *err)
{
    static float numbers[FIXTURE_SERIES][KEPT_HERE][KEPT_PARTS];
    static float values[FIXTURE_SERIES][VALUES_HERE][KEPT_PARTS];
    struct forecast_model *content;

    forecast_fixture_init(fixture);
    keep_parameters(fixture, numbers);
    content = (struct forecast_model *)(uintptr_t)fixture->model.content;
    for (uint32_t i = 0; i < FIXTURE_SERIES; i++) {
        kept_to_parts((double)NAN, values[i][0]);
        kept_to_parts(i / 3.0, values[i][1]);
    }
    values[3][1][2] += damage;
    content->fitted.values = VALUES_HERE;
    content->past = values[0][0];
    return read_rows(fixture, model, err);
}

static void values_that_are_kept_come_back(void **state)
{
    const struct forecast_model *forecast;
    struct kind_params params = {{0}};
    struct fixture fixture;
    struct model model;
    uint32_t count = 0;
    uint64_t number;
    struct error err;
    struct text text;
    (void)state;

    CHECK_OK(read_values(&fixture, 0, &model, &err));
    forecast = forecast_of(&model);
    CHECK_INT(forecast->fitted.values, VALUES_HERE);
    CHECK(isnan(kept_of_parts(forecast->past)));
    CHECK(kept_of_parts(forecast->past + (2 * VALUES_HERE + 1) * KEPT_PARTS) == 2 / 3.0);
    model.kind->params_of(&model, &params);
    CHECK_INT(forecast_params(&params)->values, VALUES_HERE);
    while (forecast_kept_digest(forecast, count, &number))
        count++;
    CHECK_INT(count, 4 + SERIES_WAYS + 3 + 1 + 1 + 1); /* one more than without */
    text_init(&text, TEXT_MAXIMUM);
    CHECK_OK(model.kind->show(&model, put_fact, &text, &err));
    CHECK(
        strstr(text_string(&text), "keeps: the parameters of each series and its last 2 values\n"));
    text_deinit(&text);
    fixture_deinit(&fixture);
    CHECK_FAILS(read_values(&fixture, 0.5F, &model, &err), STATUS_CORRUPT,
                "parameters are invalid");
    fixture_deinit(&fixture);
}

static void parts_that_no_number_has_are_damage(void **state)
{
    static const float parts[] = {0.5F, -1, 0x1p22F, NAN};
    (void)state;

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        for (int k = 0; k < KEPT_PARTS; k++) {
            static float numbers[FIXTURE_SERIES][KEPT_HERE][KEPT_PARTS];
            struct fixture fixture;
            struct model model;
            struct error err;

            forecast_fixture_init(&fixture);
            keep_parameters(&fixture, numbers);
            numbers[2][1][k] = parts[i];
            CHECK_FAILS(read_rows(&fixture, &model, &err), STATUS_CORRUPT,
                        "model: "); /* the reader refuses a NAN itself */
            fixture_deinit(&fixture);
        }
}

static void meta_of_parameters_that_are_none_is_damage(void **state)
{
    static const char *const damaged[] = {
        "{\"kept\": 1}",
        "{\"kept\": 3}",
        "{\"kept\": 3, \"ways\": [1, 2, 3]}",
        "{\"kept\": 3, \"ways\": [1, 2, 3, -1]}",
        "{\"kept\": 3, \"ways\": [1, 2, 3, \"a\"]}",
        "{\"kept\": 3, \"ways\": [1, 2, 3, 4]}",
        "{\"kept\": 3, \"ways\": [1, 2, 3, 4], \"fitted\": {\"horizon\": \"a\"}}",
    };
    struct forecast_model forecast = {.kept = 7};
    struct error err;
    cJSON *empty = cJSON_CreateObject();
    (void)state;

    CHECK_OK(forecast_read_kept(empty, &forecast, &err));
    CHECK(forecast.kept == 0 && !forecast_can_go_on(&forecast) && !forecast_can_go_on(NULL));
    cJSON_Delete(empty);
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
        cJSON *object = NULL;

        CHECK_OK(json_parse(slice_of(damaged[i]), TEXT_MAXIMUM, &object, &err));
        CHECK(forecast_read_kept(object, &forecast, &err) == STATUS_CORRUPT);
        cJSON_Delete(object);
    }
}

/* ----- rows ----- */

static void rows_come_by_words_and_numbers_by_value(void **state)
{
    static const uint32_t order[FIXTURE_SERIES] = {3, 1, 0, 2}; /* "" 9, it's 9, it's 10, north */
    static const int64_t stores[FIXTURE_SERIES] = {9, 9, 10, 10};
    static const char *const names[FIXTURE_SERIES] = {"[\"\",\"9\"]", "[\"it's\",\"9\"]",
                                                      "[\"it's\",\"10\"]", "[\"north\",\"10\"]"};
    const struct forecast_ask ask = {.steps = NULL};
    struct forecast_rows rows;
    struct fixture fixture;
    struct model model;
    struct cell cell;
    struct error err;
    char buffer[TIME_BYTES];
    (void)state;

    read_back(&fixture, &model);
    CHECK_OK(forecast_rows_open(&rows, &model, &ask, NULL, &err));
    for (uint32_t i = 0; i < FIXTURE_SERIES * FIXTURE_HORIZON; i++) {
        const uint32_t series = order[i / FIXTURE_HORIZON];

        CHECK(forecast_rows_next(&rows));
        CHECK_INT(rows.series, series);
        CHECK(rows.step.value == fixture_values[series][i % FIXTURE_HORIZON]);
        CHECK_OK(forecast_rows_series(&rows, &cell, &err));
        CHECK_SLICE(cell.text, names[i / FIXTURE_HORIZON]);
        CHECK_OK(forecast_rows_group(&rows, 1, &cell, &err));
        CHECK_INT(cell.type, CELL_INTEGER);
        CHECK_INT(cell.integer, stores[i / FIXTURE_HORIZON]);
        CHECK_OK(forecast_rows_group(&rows, 0, &cell, &err));
        CHECK_INT(cell.type, CELL_TEXT);
        cell = forecast_rows_time(&rows, buffer);
        CHECK_INT(cell.type, CELL_INTEGER);
        CHECK_INT(cell.integer, rows.step.time);
    }
    CHECK(!forecast_rows_next(&rows));
    CHECK(!forecast_rows_next(&rows));
    forecast_rows_close(&rows);
    forecast_rows_close(&rows);
    fixture_deinit(&fixture);
}

static uint32_t count_rows(const struct model *model, const char *series, int64_t steps)
{
    const struct slice name = slice_of(series);
    const struct forecast_ask ask = {.steps = &steps, .series = &name};
    struct forecast_rows rows;
    struct error err;
    uint32_t count = 0;

    CHECK_OK(forecast_rows_open(&rows, model, &ask, NULL, &err));
    while (forecast_rows_next(&rows)) {
        CHECK_INT(rows.series, 1);
        count++;
    }
    forecast_rows_close(&rows);
    return count;
}

static void one_series_is_looked_up(void **state)
{
    static const char *const others[] = {"",
                                         "9",
                                         "[]",
                                         "[\"it's\"]",
                                         "[",
                                         "[\"it's\",\"8\"]",
                                         "{\"a\":1}",
                                         "[\"it's\",\"9\",\"9\"]",
                                         "[\"it's\",9]",
                                         "[\"north\",\"9\"]"};
    struct fixture fixture;
    struct model model;
    (void)state;

    read_back(&fixture, &model);
    CHECK_INT(count_rows(&model, "[\"it's\",\"9\"]", 1), 1);
    CHECK_INT(count_rows(&model, "[\"it's\",\"9\"]", 2), 2);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        CHECK_INT(count_rows(&model, others[i], 2), 0);
    fixture_deinit(&fixture);
}

static bool stops(void *asked)
{
    ++*(int *)asked;
    return true;
}

static void what_cannot_be_asked_for_is_refused(void **state)
{
    static const int64_t steps[] = {0, -1, FIXTURE_HORIZON + 1, INT64_MAX};
    const double levels[] = {0, 0.4, 1, (double)NAN};
    int asked = 0;
    const struct stop stop = {stops, &asked};
    struct forecast_rows rows;
    struct fixture fixture;
    struct model model, other;
    struct error err;
    (void)state;

    read_back(&fixture, &model);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        CHECK_FAILS(forecast_rows_open(&rows, &model, &(struct forecast_ask){.steps = &steps[i]},
                                       NULL, &err),
                    STATUS_INVALID, "1 to 2 steps");
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        CHECK_FAILS(forecast_rows_open(&rows, &model, &(struct forecast_ask){.level = &levels[i]},
                                       NULL, &err),
                    STATUS_INVALID, "0.5 to 0.999");
    CHECK_FAILS(
        forecast_rows_open(&rows, &model, &(struct forecast_ask){.steps = NULL}, &stop, &err),
        STATUS_INTERRUPTED, "interrupted");
    CHECK_INT(asked, 1);
    other = model;
    other.kind = kind_find(SLICE("pca"));
    other.estimator = SLICE("PCA");
    CHECK_FAILS(
        forecast_rows_open(&rows, &other, &(struct forecast_ask){.steps = NULL}, NULL, &err),
        STATUS_INVALID, "not a forecast but a PCA");
    forecast_rows_close(&rows);
    fixture_deinit(&fixture);
}

/* A table may say that words are integers which are none. */
static void a_word_that_is_no_integer_is_damage(void **state)
{
    const struct forecast_ask ask = {.steps = NULL};
    struct forecast_found *found;
    struct forecast_rows rows;
    struct fixture fixture;
    struct model model;
    struct cell cell;
    struct error err;
    (void)state;

    read_back(&fixture, &model);
    found = (struct forecast_found *)(uintptr_t)forecast_of(&model)->found;
    found->has_integers[0] = true;
    CHECK_OK(forecast_rows_open(&rows, &model, &ask, NULL, &err));
    CHECK(forecast_rows_next(&rows));
    CHECK_FAILS(forecast_rows_group(&rows, 0, &cell, &err), STATUS_CORRUPT, "\"region\"");
    forecast_rows_close(&rows);
    fixture_deinit(&fixture);
}

/* ----- totals ----- */

static enum status read_totals(struct fixture *fixture, enum forecast_hierarchy hierarchy,
                               const float ids[FIXTURE_SERIES][2], struct model *model,
                               struct error *err)
{
    struct forecast_model *content;

    forecast_fixture_init(fixture);
    content = (struct forecast_model *)(uintptr_t)fixture->model.content;
    content->hierarchy = hierarchy;
    content->ids = ids[0];
    return read_rows(fixture, model, err);
}

static const float totals[FIXTURE_SERIES][2] = {{-1, -1}, {0, -1}, {0, 0}, {0, 1}};

static void totals_are_found_by_nulls(void **state)
{
    struct forecast_rows rows;
    struct fixture fixture;
    struct model model;
    struct error err;
    uint32_t series;
    (void)state;

    CHECK_OK(read_totals(&fixture, HIERARCHY_MINT, totals, &model, &err));
    CHECK_INT(forecast_of(&model)->hierarchy, HIERARCHY_MINT);
    CHECK(forecast_row_series(&model, (int32_t[]){INPUT_NULL_APART, INPUT_NULL_APART}, &series));
    CHECK_INT(series, 0);
    CHECK(forecast_row_series(&model, (int32_t[]){0, INPUT_NULL_APART}, &series));
    CHECK_INT(series, 1);
    CHECK(!forecast_row_series(&model, (int32_t[]){0, -1}, &series)); /* a word that is not known */
    CHECK(!forecast_row_series(
        &model, (int32_t[]){INPUT_NULL_APART, (int32_t)model.transform.inputs[1].first_id},
        &series));
    for (int i = 0; i < 4; i++) {
        static const char *const names[] = {"[null,null]", "[\"it's\",null]", "[\"it's\",\"9\"]",
                                            "[null,\"9\"]"};
        const struct slice name = slice_of(names[i]);

        CHECK_OK(
            forecast_rows_open(&rows, &model, &(struct forecast_ask){.series = &name}, NULL, &err));
        CHECK_INT(rows.series_count, i < 3);
        CHECK(i == 3 || rows.order[0] == (i < 2 ? (uint32_t)i : 3));
        forecast_rows_close(&rows);
    }
    fixture_deinit(&fixture);
    CHECK_OK(read_totals(&fixture, HIERARCHY_BOTTOM_UP, totals, &model, &err));
    fixture_deinit(&fixture);
}

static void totals_that_cannot_be_are_damage(void **state)
{
    static const float all[][FIXTURE_SERIES][2] = {{{-1, 0}, {0, -1}, {0, 0}, {0, 1}},
                                                   {{-1, -1}, {0, -2}, {0, 0}, {0, 1}},
                                                   {{0, -1}, {-1, -1}, {0, 0}, {0, 1}}};
    struct fixture fixture;
    struct model model;
    struct error err;
    (void)state;

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        CHECK_FAILS(read_totals(&fixture, HIERARCHY_MINT, all[i], &model, &err), STATUS_CORRUPT,
                    "cannot be forecast");
        fixture_deinit(&fixture);
    }
    CHECK_FAILS(read_totals(&fixture, HIERARCHY_NONE, totals, &model, &err), STATUS_CORRUPT,
                "series 1 cannot be forecast");
    fixture_deinit(&fixture);
}

/* ----- transforms ----- */

static enum status read_transformed(struct fixture *fixture, const float *lambdas,
                                    struct model *model, struct error *err)
{
    struct forecast_model *content;

    forecast_fixture_init(fixture);
    content = (struct forecast_model *)(uintptr_t)fixture->model.content;
    content->is_transformed = true;
    content->lambdas = lambdas;
    return read_rows(fixture, model, err);
}

/* Numbers of the first series are logarithms, those of the third what they are. */
static void numbers_come_back_as_values(void **state)
{
    static const float lambdas[FIXTURE_SERIES] = {0, 5, 10, 10};
    const struct forecast_interval interval = forecast_interval_of(0.95);
    struct forecast_step step;
    struct fixture fixture;
    struct model model;
    struct error err;
    (void)state;

    CHECK_OK(read_transformed(&fixture, lambdas, &model, &err));
    step = forecast_step_of(forecast_of(&model), 0, 1, &interval);
    CHECK(fabs(step.value - exp(0.1 + 0.125)) < 1e-12); /* a deviation of a half */
    CHECK(fabs(step.lower - exp(0.1 - 2.5)) < 1e-12 && fabs(step.upper - exp(2.1)) < 1e-12);
    step = forecast_step_of(forecast_of(&model), 2, 1, &interval);
    CHECK(step.value == 1.0 / 3 && step.deviation == 0.5);
    CHECK(forecast_anomaly(forecast_of(&model), 0, 1, NULL, 0) == 1);
    CHECK(forecast_anomaly(forecast_of(&model), 0, 1, NULL, exp(0.1)) < 0.1);
    CHECK(fabs(forecast_anomaly(forecast_of(&model), 0, 1, NULL, exp(2.1)) - 0.95) < 1e-6);
    fixture_deinit(&fixture);
}

/* All that came was below its forecast: the middle bounds the interval, and the mean that is told
 * lies above it. Models that have one reach for both sides stay as they are. */
static void a_mean_lies_within_an_interval_that_reaches_nowhere(void **state)
{
    static const float lambdas[FIXTURE_SERIES] = {0, 5, 10, 10},
                       nowhere[FORECAST_LEVELS * FIXTURE_HORIZON];
    const struct forecast_interval interval = forecast_interval_of(0.95);
    struct forecast_model forecast;
    struct forecast_step step;
    struct fixture fixture;
    struct model model;
    struct error err;
    (void)state;

    CHECK_OK(read_transformed(&fixture, lambdas, &model, &err));
    forecast = *forecast_of(&model);
    forecast.reaches = nowhere;
    step = forecast_step_of(&forecast, 0, 1, &interval);
    CHECK(step.upper == step.value && step.lower < step.value);
    CHECK(forecast_anomaly(&forecast, 0, 1, NULL, step.value) == 0);
    CHECK(forecast_anomaly(&forecast, 0, 1, NULL, step.value * 1.01) == 1);
    forecast.limits.is_whole = true;
    step = forecast_step_of(&forecast, 0, 1, &interval);
    CHECK(forecast_anomaly(&forecast, 0, 1, NULL, step.upper) == 0);
    CHECK(forecast_anomaly(&forecast, 0, 1, NULL, step.upper + 1) == 1);
    forecast.limits.is_whole = false;
    forecast.reaches_below = NULL;
    step = forecast_step_of(&forecast, 0, 1, &interval);
    CHECK(step.upper < step.value);
    fixture_deinit(&fixture);
}

static void a_transform_that_is_none_is_damage(void **state)
{
    static const float all[][FIXTURE_SERIES] = {{-1, 0, 0, 0}, {0, 11, 0, 0}, {0, 0, 0.5F, 0}};
    struct fixture fixture;
    struct model model;
    struct error err;
    (void)state;

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        CHECK_FAILS(read_transformed(&fixture, all[i], &model, &err), STATUS_CORRUPT,
                    "has an unknown transform");
        fixture_deinit(&fixture);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_come_back),
        cmocka_unit_test(integers_come_back),
        cmocka_unit_test(integers_are_told_from_other_words),
        cmocka_unit_test(a_model_that_is_written_is_read_bit_by_bit),
        cmocka_unit_test(what_is_expected_of_the_past_is_kept),
        cmocka_unit_test(damage_of_a_history_is_found),
        cmocka_unit_test(levels_have_the_quantiles_of_the_normal_distribution),
        cmocka_unit_test(an_anomaly_lies_outside_of_its_interval),
        cmocka_unit_test(what_regressors_explain_is_no_anomaly),
        cmocka_unit_test(limits_hold_for_anomalies),
        cmocka_unit_test(a_value_that_came_has_four_outputs),
        cmocka_unit_test(equal_reaches_tell_within_from_beyond),
        cmocka_unit_test(the_meta_row_alone_tells_what_a_statement_needs),
        cmocka_unit_test(a_series_is_found_by_its_ids),
        cmocka_unit_test(coefficients_come_back_with_what_series_have),
        cmocka_unit_test(a_row_is_its_step_and_what_regressors_add),
        cmocka_unit_test(a_row_without_a_regressor_is_refused_where_it_has_a_forecast),
        cmocka_unit_test(rows_alone_have_no_regressors),
        cmocka_unit_test(steps_are_within_the_limits),
        cmocka_unit_test(limits_that_leave_nothing_are_damage),
        cmocka_unit_test(limits_are_among_what_the_digest_covers),
        cmocka_unit_test(effects_of_holidays_come_back),
        cmocka_unit_test(holidays_of_numbers_are_damage),
        cmocka_unit_test(parameters_come_back),
        cmocka_unit_test(values_that_are_kept_come_back),
        cmocka_unit_test(parts_that_no_number_has_are_damage),
        cmocka_unit_test(meta_of_parameters_that_are_none_is_damage),
        cmocka_unit_test(rows_come_by_words_and_numbers_by_value),
        cmocka_unit_test(one_series_is_looked_up),
        cmocka_unit_test(what_cannot_be_asked_for_is_refused),
        cmocka_unit_test(a_word_that_is_no_integer_is_damage),
        cmocka_unit_test(totals_are_found_by_nulls),
        cmocka_unit_test(totals_that_cannot_be_are_damage),
        cmocka_unit_test(numbers_come_back_as_values),
        cmocka_unit_test(a_mean_lies_within_an_interval_that_reaches_nowhere),
        cmocka_unit_test(a_transform_that_is_none_is_damage),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
