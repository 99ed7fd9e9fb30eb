/* Counts of cells of every type, and of parts that are sampled unlike each other. */
#include "base/bytes.h"
#include "scoring/columns/cell_counts.h"
#include "tests/check.h"

/* Where the level of the first column's sample lies, behind the count of columns. */
#define LEVEL_AT (4 + 8 * (6 + TEXT_KINDS + MISSING_SPELLINGS + 4 + 4 + 1 + 5 + 6) + 4 * 5 + 2)

static struct cell_census *new_census(bool is_key)
{
    struct cell_census *census;
    struct error err;

    CHECK_OK(cell_census_new(1, is_key ? &is_key : NULL, &census, &err));
    return census;
}

static void count(struct cell_census *census, struct cell cell)
{
    struct error err;

    CHECK_OK(cell_count(census, 0, &cell, &err));
}

static void count_text(struct cell_census *census, const char *text)
{
    count(census, (struct cell){.type = CELL_TEXT, .text = slice_of(text)});
}

static void cells_of_every_type_are_counted_apart(void **state)
{
    struct cell_census *census = new_census(false), *merged = new_census(false);
    const struct cell_counts *counts = &merged->columns[0];
    struct error err;
    (void)state;

    count(census, (struct cell){.type = CELL_BLOB, .text = SLICE("xy")});
    for (int i = 0; i < 2; i++)
        count(census, (struct cell){.type = CELL_VECTOR});
    for (int i = 0; i < 3; i++)
        count(census, (struct cell){.type = CELL_NULL});
    for (int i = 0; i < 4; i++)
        count(census, (struct cell){.type = CELL_INTEGER, .integer = i});
    count(census, (struct cell){.type = CELL_REAL, .real = 2.5});
    for (int i = 0; i < 2; i++)
        CHECK_OK(cell_census_merge(merged, census, &err));
    CHECK(counts->blobs == 2 && counts->vectors == 4 && counts->nulls == 6);
    CHECK(counts->integers == 8 && counts->distinct.used == 0 && counts->dates == 0);
    CHECK(cell_counts_texts(counts) == 0);
    cell_census_free(census);
    cell_census_free(merged);
    cell_census_free(NULL);
}

static void dates_of_a_database_are_counted_and_their_times(void **state)
{
    struct cell_census *census = new_census(false);
    const struct cell_counts *counts = &census->columns[0];
    (void)state;

    count(census, (struct cell){.type = CELL_INTEGER, .time = CELL_DAYS, .integer = 20000});
    count(census, (struct cell){.type = CELL_REAL, .time = CELL_SECONDS, .real = 86400.0});
    CHECK(counts->dates == 2 && counts->times == 0);
    count(census, (struct cell){.type = CELL_REAL, .time = CELL_SECONDS, .real = 86401.5});
    CHECK(counts->dates == 3 && counts->times == 1);
    /* None of these is a date: what is missing, and what no year is. */
    count(census, (struct cell){.type = CELL_NULL, .time = CELL_DAYS});
    count(census,
          (struct cell){.type = CELL_REAL, .time = CELL_SECONDS, .real = __builtin_nan("")});
    count(census, (struct cell){.type = CELL_REAL, .time = CELL_DAYS, .real = 1e300});
    count(census, (struct cell){.type = CELL_INTEGER, .time = CELL_DAYS, .integer = INT64_MAX});
    CHECK(counts->dates == 3 && counts->times == 1 && counts->nulls == 1);
    cell_census_free(census);
}

static void whole_numbers_are_values_of_keys_alone(void **state)
{
    uint64_t values, cells;
    (void)state;

    for (int is_key = 0; is_key < 2; is_key++) {
        struct cell_census *census = new_census(is_key);
        const struct cell_counts *counts = &census->columns[0];

        count_text(census, "12");
        count_text(census, " 12 ");
        count_text(census, "1.5");
        count(census, (struct cell){.type = CELL_INTEGER, .integer = 12});
        count(census, (struct cell){.type = CELL_INTEGER, .integer = 13});
        CHECK_INT(counts->whole_texts, is_key ? 2 : 0);
        CHECK_INT(counts->texts[TEXT_NUMBER], 3);
        cell_counts_distinct(counts, &values, &cells);
        CHECK_INT(values, is_key ? 2 : 0);
        CHECK_INT(cells, is_key ? 4 : 0);
        cell_census_free(census);
    }
}

static void texts_are_counted_by_what_they_are(void **state)
{
    static const char *const texts[] = {
        "two words",        "two\nlines", "plain", "007",     "2024-01-31", "n/a",
        "2024-01-31 12:34", "",           "yes",   "1,234.5", "3"};
    struct cell_census *census = new_census(false);
    const struct cell_counts *counts = &census->columns[0];
    (void)state;

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        count_text(census, texts[i]);
    CHECK_INT(cell_counts_texts(counts), 11);
    CHECK_INT(counts->texts[TEXT_WORD], 3);
    CHECK_INT(counts->texts[TEXT_CODE], 1);
    CHECK_INT(counts->texts[TEXT_DATE], 1);
    CHECK_INT(counts->texts[TEXT_TIMESTAMP], 1);
    CHECK_INT(counts->texts[TEXT_MISSING], 1);
    CHECK_INT(counts->spaced, 3); /* the moment has a space, too */
    CHECK_INT(counts->word_bytes_max, 16);
    CHECK_INT(counts->word_bytes, 9 + 9 + 5 + 3 + 10 + 16);
    CHECK_INT(counts->distinct.used, 3);
    CHECK_INT(counts->spelled.used, 3);
    cell_census_free(census);
}

static void count_keys(struct cell_census *census, int64_t first, int64_t end)
{
    for (int64_t i = first; i < end; i++)
        count(census, (struct cell){.type = CELL_INTEGER, .integer = i});
}

/* Into a sample that is finer, that is coarser, and that is empty. */
static void samples_of_other_levels_are_merged_into_the_coarser(void **state)
{
    struct cell_census *few = new_census(true), *many = new_census(true), *all = new_census(true);
    struct cell_census *empty = new_census(true);
    struct error err;
    (void)state;

    count_keys(few, 0, 100);
    count_keys(many, 100, 9000);
    count_keys(all, 0, 9000);
    CHECK(few->columns[0].distinct.level == 0 && many->columns[0].distinct.level > 2);
    CHECK_OK(cell_census_merge(empty, many, &err));
    CHECK_OK(cell_census_merge(empty, few, &err));
    CHECK_OK(cell_census_merge(few, many, &err));
    for (int i = 0; i < 2; i++) {
        const struct distinct_sample *made = &(i ? few : empty)->columns[0].distinct;

        CHECK_INT(made->level, all->columns[0].distinct.level);
        CHECK_INT(made->used, all->columns[0].distinct.used);
    }
    cell_census_free(few);
    cell_census_free(many);
    cell_census_free(all);
    cell_census_free(empty);
}

static void bytes_of_samples_that_cannot_be_are_refused(void **state)
{
    static const struct {
        size_t at;
        unsigned char byte;
    } cases[] = {{LEVEL_AT, 64}, {LEVEL_AT + 3, 1}, {LEVEL_AT + 6, 1}, {LEVEL_AT + 5, 5}};
    struct cell_census *census = new_census(true);
    struct text bytes;
    struct error err;
    (void)state;

    count_keys(census, 0, 3);
    text_init(&bytes, TEXT_MAXIMUM);
    cell_census_put(census, &bytes);
    CHECK_INT(bytes.size, LEVEL_AT + 8 + 3 * 20 + 8);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cell_census *other = new_census(true);
        const char kept = bytes.data[cases[i].at];
        struct byte_reader reader;

        ((char *)bytes.data)[cases[i].at] = (char)cases[i].byte;
        reader = byte_reader_over(text_slice(&bytes));
        CHECK_FAILS(cell_census_read(other, &reader, &err), STATUS_CORRUPT, "other bytes");
        ((char *)bytes.data)[cases[i].at] = kept;
        cell_census_free(other);
    }
    text_deinit(&bytes);
    cell_census_free(census);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_of_every_type_are_counted_apart),
        cmocka_unit_test(dates_of_a_database_are_counted_and_their_times),
        cmocka_unit_test(whole_numbers_are_values_of_keys_alone),
        cmocka_unit_test(texts_are_counted_by_what_they_are),
        cmocka_unit_test(samples_of_other_levels_are_merged_into_the_coarser),
        cmocka_unit_test(bytes_of_samples_that_cannot_be_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
