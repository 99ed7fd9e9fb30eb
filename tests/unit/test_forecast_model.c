/* Stored forecasts: numbers as floats, models that are written and read, and their rows. */
#include <math.h>

#include "kinds/forecast/forecast_rows.h"
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

static void read_back(struct fixture *fixture, struct model *model)
{
    struct model_reader *reader;
    struct error err;

    forecast_fixture_init(fixture);
    fixture_write(fixture);
    CHECK_OK(model_reader_new(kinds, &fixture->arena, &reader, &err));
    for (size_t i = 0; i < fixture->row_count; i++)
        CHECK_OK(model_reader_add(reader, &fixture->rows[i], &err));
    CHECK_OK(model_reader_finish(reader, model, &err));
    model_reader_free(reader);
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
            CHECK_INT(forecast_ahead(forecast, i, step.time), h + 1);
            CHECK_INT(forecast_ahead(forecast, i, step.time + 1), 0);
        }
        CHECK_INT(forecast_ahead(forecast, i, fixture_firsts[i] + 2 * fixture_lasts[i]), 0);
        CHECK_INT(forecast_ahead(forecast, i,
                                 fixture_firsts[i] + 2 * (fixture_lasts[i] + 1 + FIXTURE_HORIZON)),
                  0);
    }
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
        STATUS_INVALID, "no forecast but a PCA");
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_come_back),
        cmocka_unit_test(integers_come_back),
        cmocka_unit_test(integers_are_told_from_other_words),
        cmocka_unit_test(a_model_that_is_written_is_read_bit_by_bit),
        cmocka_unit_test(the_meta_row_alone_tells_what_a_statement_needs),
        cmocka_unit_test(a_series_is_found_by_its_ids),
        cmocka_unit_test(rows_come_by_words_and_numbers_by_value),
        cmocka_unit_test(one_series_is_looked_up),
        cmocka_unit_test(what_cannot_be_asked_for_is_refused),
        cmocka_unit_test(a_word_that_is_no_integer_is_damage),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
