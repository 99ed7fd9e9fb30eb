/* Statistics that a model keeps of its training rows: bins by hand, and reading them back. */
#include "scoring/statistics/input_statistics.h"

#include "tests/check.h"
#include "tests/unit/watched_model.h"

#define ROWS 1000

static struct input_value values[ROWS];
static double room[ROWS];

static struct input_statistics made(bool is_number, size_t count)
{
    struct input_statistics statistics;

    input_statistics_make(is_number, values, count, room, &statistics);
    return statistics;
}

static void numbers_fall_into_tenths_of_them(void **state)
{
    struct input_statistics statistics;
    (void)state;

    for (int i = 0; i < 100; i++)
        values[i] = (struct input_value){.number = 99 - i};
    statistics = made(true, 100);
    CHECK_INT(statistics.bins, 10);
    CHECK_INT(statistics.nulls, 0);
    for (uint32_t i = 0; i < 10; i++) {
        CHECK_INT(statistics.counts[i], 10);
        CHECK(i == 9 || statistics.bounds[i] == 10 * i + 9);
    }
    CHECK(statistics.mean == 49.5 && statistics.median == 49.5);
    CHECK_INT(input_statistics_bin(&statistics, &(struct input_value){.number = -5}), 0);
    CHECK_INT(input_statistics_bin(&statistics, &(struct input_value){.number = 9}), 0);
    CHECK_INT(input_statistics_bin(&statistics, &(struct input_value){.number = 9.5}), 1);
    CHECK_INT(input_statistics_bin(&statistics, &(struct input_value){.number = 1e9}), 9);
    CHECK_INT(input_statistics_bin(&statistics, &(struct input_value){.is_null = true}), 10);
}

static void equal_numbers_lie_in_one_bin(void **state)
{
    struct input_statistics statistics;
    (void)state;

    for (int i = 0; i < 100; i++)
        values[i] = (struct input_value){.number = i % 4 == 3, .is_null = i >= 80};
    statistics = made(true, 100);
    CHECK_INT(statistics.bins, 3); /* up to 0, up to 1, and more */
    CHECK_INT(statistics.counts[0], 60);
    CHECK_INT(statistics.counts[1], 20);
    CHECK_INT(statistics.counts[2], 0);
    CHECK_INT(statistics.nulls, 20);
    CHECK(statistics.mean == 0.25 && statistics.median == 0);
}

static void the_most_frequent_words_have_bins(void **state)
{
    struct input_statistics statistics;
    (void)state;

    for (int i = 0; i < ROWS; i++) /* word w has 31 - w rows or so; some are not known */
        values[i] = (struct input_value){.id = i % 40 < 39 ? (i % 40) * (i % 31) / 31 : -1};
    statistics = made(false, ROWS);
    CHECK_INT(statistics.bins, STATISTICS_WORDS + 2);
    for (uint32_t i = 1; i < STATISTICS_WORDS; i++)
        CHECK(statistics.counts[i] < statistics.counts[i - 1] ||
              (statistics.counts[i] == statistics.counts[i - 1] &&
               statistics.ids[i] > statistics.ids[i - 1]));
    CHECK_INT(statistics.counts[STATISTICS_WORDS + 1], ROWS / 40);
    CHECK(statistics.counts[STATISTICS_WORDS] > 0);
    CHECK_INT(input_statistics_bin(&statistics, &(struct input_value){.id = 12345}),
              STATISTICS_WORDS);
}

static void nothing_but_nulls_is_one_empty_bin(void **state)
{
    struct input_statistics statistics;
    (void)state;

    for (int i = 0; i < 5; i++)
        values[i] = (struct input_value){.is_null = true};
    statistics = made(true, 5);
    CHECK_INT(statistics.bins, 1);
    CHECK_INT(statistics.nulls, 5);
    CHECK(isnan(middle_of(room, 0).mean));
    statistics = made(false, 5);
    CHECK_INT(statistics.bins, 2);
}

static void they_read_back_the_same(void **state)
{
    struct input_statistics statistics, again;
    struct arena arena;
    struct slice json;
    struct error err;
    (void)state;

    arena_init(&arena, ARENA_MAXIMUM);
    for (int words = 0; words < 2; words++) {
        for (int i = 0; i < ROWS; i++)
            values[i] =
                (struct input_value){.number = i * 0.1 / 3, .id = i % 50, .is_null = i % 7 == 0};
        statistics = made(!words, ROWS);
        CHECK_OK(input_statistics_write(&statistics, &arena, &json, &err));
        CHECK_OK(input_statistics_read(json, SLICE("x"), &again, &err));
        CHECK_INT(again.bins, statistics.bins);
        CHECK(memcmp(again.bounds, statistics.bounds, sizeof again.bounds) == 0);
        CHECK(memcmp(again.ids, statistics.ids, sizeof again.ids) == 0);
        CHECK(memcmp(again.counts, statistics.counts, sizeof again.counts) == 0);
        CHECK(again.mean == statistics.mean && again.median == statistics.median);
        CHECK(again.nulls == statistics.nulls && again.rows == statistics.rows);
    }
    arena_deinit(&arena);
}

static void damaged_ones_are_refused(void **state)
{
#define NUMBER_END ",\"mean\":1,\"median\":1}"
    static const struct {
        const char *json, *message;
    } cases[] = {
        {"[", "x"},
        {"{\"rows\":0}", "\"rows\""},
        {"{\"rows\":3,\"nulls\":4}", "\"nulls\""},
        {"{\"rows\":3,\"nulls\":1,\"counts\":[1],\"bounds\":[]" NUMBER_END, "those of the rows"},
        {"{\"rows\":3,\"nulls\":3,\"counts\":[],\"bounds\":[]" NUMBER_END, "those of the rows"},
        {"{\"rows\":3,\"nulls\":1,\"counts\":[1,-1,2],\"bounds\":[1,2]" NUMBER_END,
         "an invalid count"},
        {"{\"rows\":3,\"nulls\":1,\"counts\":[1,\"1\"],\"bounds\":[1]" NUMBER_END,
         "an invalid count"},
        {"{\"rows\":3,\"nulls\":1,\"counts\":[9007199254740992],\"bounds\":[]" NUMBER_END,
         "an invalid count"},
        {"{\"rows\":3,\"nulls\":1,\"bounds\":[]" NUMBER_END, "\"counts\""},
        {"{\"rows\":3,\"nulls\":1,\"counts\":{},\"bounds\":[]" NUMBER_END, "\"counts\""},
        {"{\"rows\":3,\"nulls\":1,\"counts\":[1,1],\"bounds\":[]" NUMBER_END, "\"bounds\""},
        {"{\"rows\":3,\"nulls\":0,\"counts\":[1,1,1],\"bounds\":[2,2]" NUMBER_END, "ascend"},
        {"{\"rows\":2,\"nulls\":0,\"counts\":[1,1],\"bounds\":[2],\"median\":1}", "\"mean\""},
        {"{\"rows\":2,\"nulls\":0,\"counts\":[1,1],\"bounds\":[2],\"mean\":1}", "\"median\""},
        {"{\"rows\":2,\"nulls\":0,\"counts\":[2],\"ids\":[]}", "those of the rows"},
        {"{\"rows\":2,\"nulls\":0,\"counts\":[1,1]}", "\"ids\""},
        {"{\"rows\":2,\"nulls\":0,\"counts\":[1,1],\"ids\":[3]}", "other ids"},
        {"{\"rows\":3,\"nulls\":0,\"counts\":[1,1,1],\"ids\":[-1]}", "an invalid id"},
        {"{\"rows\":3,\"nulls\":0,\"counts\":[1,1,1],\"ids\":[\"a\"]}", "an invalid id"},
        {"{\"rows\":3,\"nulls\":0,\"counts\":[1,1,1],\"ids\":[2147483648]}", "an invalid id"},
        {"{\"rows\":2,\"nulls\":0,\"counts\":[1,1],\"ids\":{}}", "\"ids\""},
    };
    struct input_statistics statistics;
    struct error err;
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_FAILS(input_statistics_read(slice_of(cases[i].json), SLICE("x"), &statistics, &err),
                    STATUS_CORRUPT, cases[i].message);
    CHECK(strncmp(err.message, "model: statistics of \"x\": ", 26) == 0);
}

/* Age and colour are NULL by their cells, height by the mark that training saw none of. */
static void cells_say_what_is_missing(void **state)
{
    struct fixture fixture;
    struct error err;
    (void)state;

    watched_init(&fixture, 2);
    CHECK_OK(watched_values(&fixture.model, 0, values, &err));
    CHECK(values[9].is_null && !values[8].is_null);
    CHECK_OK(watched_values(&fixture.model, 2, values, &err));
    CHECK(values[0].id == 1 && values[1].id == 0);
    CHECK_OK(watched_values(&fixture.model, 3, values, &err));
    CHECK(values[0].is_null);
    CHECK_OK(watched_values(&fixture.model, 4, values, &err));
    CHECK(values[0].number > 0 && values[0].number < 1);
    fixture_deinit(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_fall_into_tenths_of_them),
        cmocka_unit_test(equal_numbers_lie_in_one_bin),
        cmocka_unit_test(the_most_frequent_words_have_bins),
        cmocka_unit_test(nothing_but_nulls_is_one_empty_bin),
        cmocka_unit_test(they_read_back_the_same),
        cmocka_unit_test(damaged_ones_are_refused),
        cmocka_unit_test(cells_say_what_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
