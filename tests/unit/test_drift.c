/* How far rows have moved: a model that keeps statistics of made-up rows. */
#include "scoring/statistics/drift.h"

#include "tests/check.h"
#include "tests/unit/watched_model.h"

static enum status take_rows(struct drift *drift, const struct model *model, uint32_t first,
                             uint32_t count, struct error *err)
{
    struct scorer scorer;

    TRY(scorer_init(&scorer, model, 1, err));
    for (uint32_t row = first; row < first + count; row++) {
        struct cell cells[4];

        watched_cells(row, cells);
        CHECK(watched_score(&scorer, row, err) == STATUS_OK);
        TRY(drift_take_row(drift, &scorer, 0, cells, err));
        TRY(drift_take_prediction(drift, &scorer, err));
    }
    scorer_deinit(&scorer);
    return STATUS_OK;
}

static void rows_of_training_have_not_moved(void **state)
{
    static const uint32_t classes[] = {0, 2, 3};
    (void)state;

    for (size_t i = 0; i < 3; i++) {
        struct fixture fixture;
        struct report_rows rows;
        struct drift *drift;
        struct error err;

        watched_init(&fixture, classes[i]);
        CHECK_OK(watched_keep(&fixture, &err));
        CHECK_OK(drift_new(&fixture.model, DRIFT_NUMBERS_MAX, &drift, &err));
        CHECK_OK(take_rows(drift, &fixture.model, 0, WATCHED_ROWS, &err));
        CHECK_OK(drift_make(drift, &fixture.arena, &rows, &err));
        CHECK_INT(rows.rows, 5);
        CHECK_SLICE(rows.cells[0].text, "(prediction)");
        for (size_t row = 0; row < rows.rows; row++) {
            CHECK(rows.cells[row * rows.columns + 1].real == 0);
            CHECK_SLICE(rows.cells[row * rows.columns + 2].text, "stable");
        }
        CHECK_SLICE(rows.cells[rows.columns].text, "age"); /* the model's first of equal ones */
        CHECK(!drift_lost_middles(drift));
        CHECK(rows.cells[rows.columns + 7].type == CELL_REAL);
        drift_free(drift);
        fixture_deinit(&fixture);
    }
}

/* Rows of training whose age is below. */
static enum status take_young(struct drift *drift, const struct model *model, double age,
                              struct error *err)
{
    for (uint32_t row = 0; row < WATCHED_ROWS; row++) {
        struct cell cells[4];

        watched_cells(row, cells);
        if (cells[0].type == CELL_REAL && cells[0].real < age)
            TRY(take_rows(drift, model, row, 1, err));
    }
    return STATUS_OK;
}

static struct slice verdict_of_age(const struct report_rows *rows)
{
    for (size_t row = 0; row < rows->rows; row++)
        if (slice_is(rows->cells[row * rows->columns].text, "age"))
            return rows->cells[row * rows->columns + 2].text;
    return SLICE("none");
}

static void rows_that_have_moved_come_first(void **state)
{
    static const struct {
        uint32_t times; /* so often the rows below `age`, beside all of them */
        double age;
        const char *verdict;
    } cases[] = {{1, 45, "moderate"}, {4, 23, "shifted"}, {9, 9, "shifted"}};
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixture fixture;
        struct report_rows rows;
        struct drift *drift;
        struct error err;

        watched_init(&fixture, 2);
        CHECK_OK(watched_keep(&fixture, &err));
        CHECK_OK(drift_new(&fixture.model, DRIFT_NUMBERS_MAX, &drift, &err));
        CHECK_OK(take_rows(drift, &fixture.model, 0, WATCHED_ROWS, &err));
        for (uint32_t time = 0; time < cases[i].times; time++)
            CHECK_OK(take_young(drift, &fixture.model, cases[i].age, &err));
        CHECK_OK(drift_make(drift, &fixture.arena, &rows, &err));
        CHECK_SLICE(rows.cells[0].text, "(prediction)");
        CHECK_SLICE(verdict_of_age(&rows), cases[i].verdict);
        for (size_t row = 2; row < rows.rows; row++)
            CHECK(rows.cells[row * rows.columns + 1].real <=
                  rows.cells[(row - 1) * rows.columns + 1].real);
        drift_free(drift);
        fixture_deinit(&fixture);
    }
}

static void too_many_numbers_lose_their_middles_alone(void **state)
{
    struct fixture fixture;
    struct report_rows rows;
    struct drift *drift;
    struct error err;
    (void)state;

    watched_init(&fixture, 2);
    CHECK_OK(watched_keep(&fixture, &err));
    CHECK_OK(drift_new(&fixture.model, 10, &drift, &err));
    CHECK_OK(take_rows(drift, &fixture.model, 0, WATCHED_ROWS, &err));
    CHECK_OK(drift_make(drift, &fixture.arena, &rows, &err));
    CHECK(drift_lost_middles(drift));
    for (size_t row = 0; row < rows.rows; row++) {
        CHECK(rows.cells[row * rows.columns + 1].real == 0);
        CHECK(rows.cells[row * rows.columns + 7].type == CELL_NULL);
        CHECK(rows.cells[row * rows.columns + 9].type == CELL_NULL);
    }
    drift_free(drift);
    fixture_deinit(&fixture);
}

static void a_model_without_statistics_of_its_own_is_refused(void **state)
{
    struct fixture fixture;
    struct report_rows rows;
    struct slice changed[5];
    struct drift *drift;
    struct error err;
    (void)state;

    watched_init(&fixture, 2);
    CHECK_FAILS(drift_new(&fixture.model, 10, &drift, &err), STATUS_INVALID, "no statistics");
    CHECK_OK(watched_keep(&fixture, &err));
    CHECK_OK(drift_new(&fixture.model, 10, &drift, &err));
    CHECK_FAILS(drift_make(drift, &fixture.arena, &rows, &err), STATUS_INVALID, "no rows");
    drift_free(drift);
    memcpy(changed, fixture.model.statistics, sizeof changed);
    changed[0] = changed[2];
    fixture.model.statistics = changed;
    CHECK_FAILS(drift_new(&fixture.model, 10, &drift, &err), STATUS_CORRUPT,
                "\"age\" belong to another input");
    changed[0] = SLICE("{}");
    CHECK_FAILS(drift_new(&fixture.model, 10, &drift, &err), STATUS_CORRUPT, "\"age\": ");
    fixture_deinit(&fixture);
}

static struct model_row *row_of(struct fixture *fixture, const char *part, const char *name)
{
    for (size_t i = 0; i < fixture->row_count; i++)
        if (slice_is(fixture->rows[i].part, part) && slice_is(fixture->rows[i].name, name))
            return &fixture->rows[i];
    check_failed("there is no row %s %s", part, name);
    return NULL;
}

static enum status read_rows(struct fixture *fixture, struct arena *arena, struct model *model,
                             struct error *err)
{
    struct model_reader *reader;
    enum status status;

    TRY(model_reader_new(kinds, arena, &reader, err));
    status = STATUS_OK;
    for (size_t i = fixture->row_count; status == STATUS_OK && i-- > 0;) /* meta comes last */
        status = model_reader_add(reader, &fixture->rows[i], err);
    if (status == STATUS_OK)
        status = model_reader_finish(reader, model, err);
    model_reader_free(reader);
    return status;
}

static void a_table_keeps_the_statistics(void **state)
{
    struct fixture fixture;
    struct model again;
    struct arena arena;
    struct error err;
    (void)state;

    watched_init(&fixture, 2);
    CHECK_OK(watched_keep(&fixture, &err));
    arena_init(&arena, ARENA_MAXIMUM);
    CHECK_OK(model_write(&fixture.model, fixture_keep, &fixture, &err));
    CHECK_OK(read_rows(&fixture, &arena, &again, &err));
    CHECK_INT(again.statistics_count, 5);
    for (uint32_t i = 0; i < 5; i++)
        CHECK(slice_equal(again.statistics[i], fixture.model.statistics[i]));
    CHECK_OK(model_read_meta(row_of(&fixture, "meta", "meta")->data, kinds, &arena, &again, &err));
    CHECK_INT(again.statistics_count, 5);
    arena_deinit(&arena);
    fixture_deinit(&fixture);
}

static void damaged_rows_of_statistics_are_refused(void **state)
{
    static char long_text[STATISTICS_BYTES_MAX + 1];
    static const struct {
        int64_t position;
        bool has_data;
        size_t size;
        const char *message;
    } cases[] = {
        {-1, true, 9, "\"height\" -1 does not belong"},
        {5, true, 9, "\"height\" 5 does not belong"},
        {0, true, 9, "is there twice"},
        {1, false, 9, "another size"},
        {1, true, 0, "another size"},
        {1, true, sizeof long_text, "another size"},
    };
    struct fixture fixture;
    struct model again;
    struct arena arena;
    struct error err;
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct model_row *row;

        watched_init(&fixture, 2);
        CHECK_OK(watched_keep(&fixture, &err));
        arena_init(&arena, ARENA_MAXIMUM);
        CHECK_OK(model_write(&fixture.model, fixture_keep, &fixture, &err));
        row = row_of(&fixture, "statistics", "height");
        row->position = cases[i].position;
        row->has_data = cases[i].has_data;
        row->data = (struct slice){long_text, cases[i].size};
        CHECK_FAILS(read_rows(&fixture, &arena, &again, &err), STATUS_CORRUPT, cases[i].message);
        *row = fixture.rows[--fixture.row_count]; /* a row of them is missing then */
        arena_deinit(&arena);
        arena_init(&arena, ARENA_MAXIMUM);
        CHECK_FAILS(read_rows(&fixture, &arena, &again, &err), STATUS_CORRUPT,
                    "1 rows of its statistics are missing");
        arena_deinit(&arena);
        fixture_deinit(&fixture);
    }
}

static void another_count_of_statistics_is_refused(void **state)
{
    struct fixture fixture;
    struct model again;
    struct arena arena;
    struct error err;
    (void)state;

    watched_init(&fixture, 2);
    CHECK_OK(watched_keep(&fixture, &err));
    fixture.model.statistics_count = 4;
    arena_init(&arena, ARENA_MAXIMUM);
    CHECK_OK(model_write(&fixture.model, fixture_keep, &fixture, &err));
    CHECK_FAILS(read_rows(&fixture, &arena, &again, &err), STATUS_CORRUPT, "\"statistics\"");
    arena_deinit(&arena);
    fixture_deinit(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_training_have_not_moved),
        cmocka_unit_test(rows_that_have_moved_come_first),
        cmocka_unit_test(too_many_numbers_lose_their_middles_alone),
        cmocka_unit_test(a_model_without_statistics_of_its_own_is_refused),
        cmocka_unit_test(a_table_keeps_the_statistics),
        cmocka_unit_test(damaged_rows_of_statistics_are_refused),
        cmocka_unit_test(another_count_of_statistics_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
