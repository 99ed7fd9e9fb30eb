/* One series of a stored forecast, read without the others. */
#include "kinds/forecast/forecast_one.h"

#include <math.h>

#include "base/sums/hash.h"
#include "kinds/forecast/forecast_rows.h"
#include "tests/check.h"
#include "tests/unit/forecast_fixture.h"

/* A table of rows in memory, and what was read of it. */
struct table {
    const struct fixture *fixture;
    size_t fetches, bytes;
};

static bool is_wished(const struct model_row *row, const struct model_wish *wish)
{
    return slice_equal(row->part, wish->part) && slice_equal(row->name, wish->name) &&
           row->position >= wish->first && row->position < wish->end &&
           (!wish->data.data || slice_equal(row->data, wish->data));
}

/* Rows that are not wished for come as well, as the contract has it. */
static enum status fetch(void *self, const struct model_wish *wish, model_row_sink *sink,
                         void *context, struct error *err)
{
    struct table *table = self;
    const struct fixture *fixture = table->fixture;

    table->fetches++;
    for (size_t i = 0; i < fixture->row_count; i++) {
        const struct model_row *row = &fixture->rows[i];

        if (is_wished(row, wish))
            table->bytes += row->data.size;
        else if (i % 3 > 0 || slice_is(row->part, "meta"))
            continue;
        TRY(sink(context, row, err));
    }
    return STATUS_OK;
}

static struct slice meta_of(const struct fixture *fixture)
{
    for (size_t i = 0; i < fixture->row_count; i++)
        if (slice_is(fixture->rows[i].part, "meta"))
            return fixture->rows[i].data;
    return (struct slice){NULL, 0};
}

/* One series, in an arena of its own, and the table that it was read from. */
struct read {
    struct arena arena;
    struct model model;
    struct table table;
    bool is_there;
};

static enum status read_one(const struct fixture *fixture, const char *name, struct read *read,
                            struct error *err)
{
    *read = (struct read){.table = {.fixture = fixture}};
    arena_init(&read->arena, ARENA_MAXIMUM);
    return forecast_one_load(meta_of(fixture), slice_of(name), fetch, &read->table, &read->arena,
                             &read->model, &read->is_there, err);
}

/* The whole model has the same numbers of the series. */
static void check_same(const struct model *whole, const struct model *one, const char *name)
{
    const struct slice series = slice_of(name);
    const struct forecast_ask ask = {.series = &series, .is_of_names = true};
    struct forecast_rows rows, own;
    struct cell cell, other;
    struct error err;
    uint64_t count = 0;

    CHECK_OK(forecast_rows_open(&rows, whole, &ask, NULL, &err));
    CHECK_OK(forecast_rows_open(&own, one, &ask, NULL, &err));
    while (forecast_rows_next(&rows)) {
        CHECK(forecast_rows_next(&own));
        CHECK(memcmp(&rows.step, &own.step, sizeof rows.step) == 0);
        CHECK_OK(forecast_rows_series(&rows, &cell, &err));
        CHECK_OK(forecast_rows_series(&own, &other, &err));
        CHECK(slice_equal(cell.text, other.text) && slice_is(cell.text, name));
        count++;
    }
    CHECK_INT(count, forecast_of(whole)->horizon);
    CHECK(!forecast_rows_next(&own));
    forecast_rows_close(&rows);
    forecast_rows_close(&own);
}

static void check_one(const struct fixture *fixture, const char *name)
{
    struct read read;
    struct error err;

    CHECK_OK(read_one(fixture, name, &read, &err));
    CHECK(read.is_there);
    CHECK_INT(forecast_of(&read.model)->series, 1);
    check_same(&fixture->model, &read.model, name);
    arena_deinit(&read.arena);
}

static void each_series_has_the_numbers_of_the_model(void **state)
{
    static const char *const names[] = {"[\"it's\",\"10\"]", "[\"it's\",\"9\"]",
                                        "[\"north\",\"10\"]", "[\"\",\"9\"]"};
    (void)state;

    for (uint32_t regressors = 0; regressors <= FIXTURE_REGRESSORS;
         regressors += FIXTURE_REGRESSORS) {
        struct fixture fixture;

        forecast_fixture_make(&fixture, regressors);
        fixture_write(&fixture);
        for (uint32_t i = 0; i < FIXTURE_SERIES; i++) {
            struct read read;
            struct error err;

            check_one(&fixture, names[i]);
            CHECK_OK(read_one(&fixture, names[i], &read, &err));
            for (uint32_t k = 0; k < regressors; k++)
                CHECK(forecast_coefficient(forecast_of(&read.model), 0, k) ==
                      fixture_coefficients[i][k]);
            arena_deinit(&read.arena);
        }
        fixture_deinit(&fixture);
    }
}

static void exchange(struct slice *words)
{
    const struct slice first = words[0];

    words[0] = words[1];
    words[1] = first;
}

/* Both stay words of the model, and each chunk is as it was written. */
static void words_that_were_exchanged_are_seen(void **state)
{
    static float names[FIXTURE_SERIES][NAME_PARTS];
    struct forecast_model *content;
    struct fixture fixture;
    struct slice *regions;
    struct read read;
    struct error err;
    (void)state;

    forecast_fixture_init(&fixture);
    regions = (struct slice *)(uintptr_t)fixture.model.transform.inputs[0].words;
    content = (struct forecast_model *)(uintptr_t)fixture.model.content;
    for (uint32_t i = 0; i < FIXTURE_SERIES; i++)
        forecast_name_hash(&fixture.model, i, names[i]);
    content->has_names = true;
    content->names = names[0];
    fixture_write(&fixture);
    check_one(&fixture, "[\"it's\",\"10\"]");
    fixture_deinit(&fixture);
    forecast_fixture_init(&fixture);
    content->has_names = true;
    content->names = names[0];
    exchange(regions);
    fixture_write(&fixture);
    CHECK_FAILS(read_one(&fixture, "[\"north\",\"10\"]", &read, &err), STATUS_CORRUPT,
                "has words of another one");
    exchange(regions);
    arena_deinit(&read.arena);
    fixture_deinit(&fixture);
}

static void what_the_model_has_not_is_not_there(void **state)
{
    static const char *const names[] = {"",
                                        "9",
                                        "[",
                                        "{\"a\":1}",
                                        "[\"it's\"]",
                                        "[\"it's\",9]",
                                        "[\"it's\",\"8\"]",
                                        "[\"north\",\"9\"]",
                                        "[null,\"9\"]",
                                        "[null,null]",
                                        "[\"it's\",\"9\",\"9\"]"};
    struct fixture fixture;
    (void)state;

    forecast_fixture_init(&fixture);
    fixture_write(&fixture);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct read read;
        struct error err;

        CHECK_OK(read_one(&fixture, names[i], &read, &err));
        CHECK(!read.is_there && read.model.kind == fixture.model.kind);
        arena_deinit(&read.arena);
    }
    fixture_deinit(&fixture);
}

static void a_total_has_null_for_a_word(void **state)
{
    static const float totals[FIXTURE_SERIES][2] = {{-1, -1}, {0, -1}, {0, 0}, {0, 1}};
    static const char *const names[] = {"[null,null]", "[\"it's\",null]", "[\"it's\",\"10\"]",
                                        "[\"it's\",\"9\"]"};
    struct forecast_model *content;
    struct fixture fixture;
    (void)state;

    forecast_fixture_init(&fixture);
    content = (struct forecast_model *)(uintptr_t)fixture.model.content;
    content->hierarchy = HIERARCHY_MINT;
    content->ids = totals[0];
    fixture_write(&fixture);
    for (uint32_t i = 0; i < FIXTURE_SERIES; i++) {
        struct read read;
        struct error err;

        CHECK_OK(read_one(&fixture, names[i], &read, &err));
        CHECK(read.is_there);
        for (uint32_t h = 1; h <= FIXTURE_HORIZON; h++) {
            const struct forecast_interval interval = forecast_interval_of(0.9);
            const struct forecast_step own =
                forecast_step_of(forecast_of(&read.model), 0, h, &interval);
            const struct forecast_step wanted = forecast_step_of(content, i, h, &interval);

            CHECK(memcmp(&own, &wanted, sizeof own) == 0);
        }
        arena_deinit(&read.arena);
    }
    fixture_deinit(&fixture);
}

/* ---- many series ---- */

#define MANY_WORDS  32
#define MANY_SERIES (MANY_WORDS * MANY_WORDS * MANY_WORDS)
#define MANY_STEPS  3

/* Series whose numbers lie across the ends of chunks: three ids, and three steps. */
static void make_many(struct fixture *fixture, struct forecast_model *content)
{
    struct arena *arena = &fixture->arena;
    struct slice *words;
    float *ids, *facts, *forecasts;
    struct transform *transform;
    struct error err;

    forecast_fixture_init(fixture);
    transform = &fixture->model.transform;
    words = ARENA_NEW(arena, struct slice, MANY_WORDS);
    ids = ARENA_NEW(arena, float, 3 * MANY_SERIES);
    facts = ARENA_NEW(arena, float, SERIES_FACTS *MANY_SERIES);
    forecasts = ARENA_NEW(arena, float, STEP_NUMBERS *MANY_STEPS *MANY_SERIES);
    transform->inputs = ARENA_NEW(arena, struct transform_input, 4);
    transform->input_count = 4;
    for (uint32_t i = 0; i < MANY_WORDS; i++)
        words[i] = arena_printf(arena, "w%u", i * 7 % MANY_WORDS);
    for (uint32_t i = 0; i < 3; i++)
        transform->inputs[i] = (struct transform_input){.spec.name = arena_printf(arena, "g%u", i),
                                                        .spec.type = INPUT_CATEGORY,
                                                        .words = words,
                                                        .word_count = MANY_WORDS};
    transform->inputs[3] = (struct transform_input){.spec.name = SLICE("day"), .scale = 1};
    CHECK_OK(transform_finish(transform, arena, &err));
    for (uint32_t i = 0; i < MANY_SERIES; i++) {
        ids[3 * i] = (float)(i / (MANY_WORDS * MANY_WORDS));
        ids[3 * i + 1] = (float)(i / MANY_WORDS % MANY_WORDS);
        ids[3 * i + 2] = (float)(i % MANY_WORDS);
        facts[i * SERIES_FACTS + FACT_SEASON] = facts[i * SERIES_FACTS + FACT_COUNT] = 1;
        for (uint32_t h = 0; h < MANY_STEPS; h++)
            number_to_parts(i + h / 4.0, forecasts + (i * MANY_STEPS + h) * STEP_NUMBERS);
    }
    *content = *forecast_of(&fixture->model);
    content->groups = 3;
    content->series = MANY_SERIES;
    content->horizon = MANY_STEPS;
    content->has_reaches = false;
    content->has_below = false;
    content->reaches = content->reaches_below = NULL;
    content->ids = ids;
    content->facts = facts;
    content->forecasts = forecasts;
    fixture->model.content = content;
    fixture_write(fixture);
}

static void a_series_of_many_is_read_in_a_few_chunks(void **state)
{
    struct forecast_model content;
    struct fixture fixture;
    (void)state;

    make_many(&fixture, &content);
    for (uint32_t i = 0; i < MANY_SERIES; i += i < 21830 || i > 21850 ? 997 : 1) {
        const struct forecast_interval interval = forecast_interval_of(0.9);
        struct slice name;
        struct read read;
        struct error err;

        name = arena_printf(&fixture.arena, "[\"w%u\",\"w%u\",\"w%u\"]",
                            i / (MANY_WORDS * MANY_WORDS) * 7 % MANY_WORDS,
                            i / MANY_WORDS % MANY_WORDS * 7 % MANY_WORDS,
                            i % MANY_WORDS * 7 % MANY_WORDS);
        CHECK_OK(read_one(&fixture, name.data, &read, &err));
        CHECK(read.is_there);
        for (uint32_t h = 1; h <= MANY_STEPS; h++)
            CHECK(forecast_step_of(forecast_of(&read.model), 0, h, &interval).value ==
                  i + (h - 1) / 4.0);
        CHECK(read.table.bytes < 16 * MODEL_CHUNK_BYTES);
        CHECK(read.arena.used < 200000);
        arena_deinit(&read.arena);
    }
    fixture_deinit(&fixture);
}

/* ---- damage ---- */

static struct model_row *row_of(const struct fixture *fixture, const char *name)
{
    for (size_t i = 0; i < fixture->row_count; i++)
        if (slice_is(fixture->rows[i].name, name))
            return &fixture->rows[i];
    return NULL;
}

/* A chunk whose first number is another one, with a checksum that holds. */
static void put_number(struct fixture *fixture, const char *name, float number)
{
    struct model_row *row = row_of(fixture, name);
    char *data = (char *)(uintptr_t)row->data.data;
    uint64_t hash;

    memcpy(data + sizeof hash, &number, sizeof number);
    hash = bytes_hash(data + sizeof hash, row->data.size - sizeof hash, 0);
    memcpy(data, &hash, sizeof hash);
}

static void check_damaged(const struct fixture *fixture, const char *message)
{
    struct read read;
    struct error err;

    CHECK_FAILS(read_one(fixture, "[\"it's\",\"10\"]", &read, &err), STATUS_CORRUPT, message);
    arena_deinit(&read.arena);
}

static void damage_of_the_series_is_found(void **state)
{
    struct fixture fixture;
    (void)state;

    forecast_fixture_init(&fixture);
    fixture_write(&fixture);
    put_number(&fixture, "facts", 0.5F);
    check_damaged(&fixture, "cannot be forecast");
    put_number(&fixture, "facts", 0);
    put_number(&fixture, "forecasts", NAN);
    check_damaged(&fixture, "forecasts has a number that is not finite");
    ((char *)(uintptr_t)row_of(&fixture, "forecasts")->data.data)[0] ^= 1;
    check_damaged(&fixture, "does not match its checksum");
    row_of(&fixture, "forecasts")->data.size--;
    check_damaged(&fixture, "another size than its shape");
    row_of(&fixture, "forecasts")->has_data = false;
    check_damaged(&fixture, "another size than its shape");
    row_of(&fixture, "forecasts")->name = SLICE("other");
    check_damaged(&fixture, "forecasts lacks a chunk");
    fixture_deinit(&fixture);
}

/* The load of the whole model tells what is wrong. */
static void other_models_are_none(void **state)
{
    struct forecast_model content;
    struct fixture fixture;
    struct read read;
    struct error err;
    (void)state;

    fixture_init(&fixture, 2);
    fixture_layers(&fixture, (const uint32_t[]){2}, 1);
    fixture_write(&fixture);
    CHECK(read_one(&fixture, "x", &read, &err) != STATUS_OK);
    arena_deinit(&read.arena);
    fixture_deinit(&fixture);
    forecast_fixture_init(&fixture);
    content = *forecast_of(&fixture.model);
    content.groups = 0;
    content.series = 1;
    fixture.model.transform.inputs += 2;
    fixture.model.transform.input_count = 1;
    CHECK_OK(transform_finish(&fixture.model.transform, &fixture.arena, &err));
    fixture.model.content = &content;
    fixture_write(&fixture);
    CHECK_FAILS(read_one(&fixture, "x", &read, &err), STATUS_UNSUPPORTED, "no series to choose");
    arena_deinit(&read.arena);
    fixture_deinit(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_series_has_the_numbers_of_the_model),
        cmocka_unit_test(words_that_were_exchanged_are_seen),
        cmocka_unit_test(what_the_model_has_not_is_not_there),
        cmocka_unit_test(a_total_has_null_for_a_word),
        cmocka_unit_test(a_series_of_many_is_read_in_a_few_chunks),
        cmocka_unit_test(damage_of_the_series_is_found),
        cmocka_unit_test(other_models_are_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
