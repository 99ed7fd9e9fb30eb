#include "tests/check.h"

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/random.h"
#include "scoring/columns/cell_counts.h"

#define ROWS 5000

/* A cell of a column: 0 texts of which some repeat, 1 keys, 2 a bit of everything. */
static struct cell made_cell(uint32_t column, uint64_t row, char buffer[32])
{
    static const char *const odd[] = {
        "n/a",       "?",     "1,234.5", "yes", "",         "007",      "two words",
        "79,19",     "$1.50", "3 €",     "5%",  "1/2/2024", "31.03.24", "3/31/24 10:30 PM",
        "2024-03-31"};
    const uint64_t number = random_uniform(1, 2, column, row) * 4000;

    if (column == 0)
        snprintf(buffer, 32, "w%llu", (unsigned long long)number);
    else if (column == 1)
        return (struct cell){.type = CELL_INTEGER, .integer = (int64_t)row};
    else if (row % 3 == 0)
        return (struct cell){.type = row % 2 ? CELL_NULL : CELL_REAL, .real = 1.5};
    else
        snprintf(buffer, 32, "%s", odd[number % 15]);
    return (struct cell){.type = CELL_TEXT, .text = slice_of(buffer)};
}

static struct cell_census *new_census(void)
{
    static const bool are_keys[] = {false, true, false};
    struct cell_census *census;
    struct error err;

    CHECK_OK(cell_census_new(3, are_keys, &census, &err));
    return census;
}

static void count_row(struct cell_census *census, uint64_t row)
{
    struct error err;
    char buffer[32];

    for (uint32_t i = 0; i < 3; i++) {
        const struct cell cell = made_cell(i, row, buffer);
        CHECK_OK(cell_count(census, i, &cell, &err));
    }
}

static uint64_t sum_of(const struct distinct_sample *sample, uint64_t *hashes)
{
    uint64_t cells = 0;

    *hashes = 0;
    for (uint32_t i = 0; i < sample->size; i++) {
        cells += sample->values[i].count;
        *hashes += sample->values[i].count ? sample->values[i].hash * sample->values[i].count : 0;
    }
    return cells;
}

static void check_equal(const struct cell_census *a, const struct cell_census *b)
{
    for (uint32_t i = 0; i < a->count; i++) {
        struct cell_counts x = a->columns[i], y = b->columns[i];
        uint64_t x_hashes, y_hashes;

        CHECK(sum_of(&x.distinct, &x_hashes) == sum_of(&y.distinct, &y_hashes));
        CHECK(x_hashes == y_hashes && x.distinct.used == y.distinct.used &&
              x.distinct.level == y.distinct.level);
        CHECK(sum_of(&x.spelled, &x_hashes) == sum_of(&y.spelled, &y_hashes));
        CHECK(x_hashes == y_hashes && x.spelled.level == y.spelled.level);
        x.distinct = y.distinct = x.spelled = y.spelled = (struct distinct_sample){0};
        CHECK(memcmp(&x, &y, sizeof x) == 0);
    }
}

static void counts_depend_neither_on_order_nor_on_who_counted(void **state)
{
    struct cell_census *forwards = new_census(), *backwards = new_census();
    struct cell_census *merged = new_census(), *sent = new_census();
    struct error err;
    (void)state;

    for (uint64_t row = 0; row < ROWS; row++) {
        count_row(forwards, row);
        count_row(backwards, ROWS - 1 - row);
    }
    for (uint64_t first = 0; first < 7; first++) {
        struct cell_census *part = new_census();
        struct byte_reader reader;
        struct text bytes;

        for (uint64_t row = first; row < ROWS; row += 7)
            count_row(part, row);
        CHECK_OK(cell_census_merge(merged, part, &err));
        text_init(&bytes, TEXT_MAXIMUM);
        cell_census_put(part, &bytes);
        reader = byte_reader_over(text_slice(&bytes));
        CHECK_OK(cell_census_read(sent, &reader, &err));
        CHECK(reader_is_done(&reader));
        text_deinit(&bytes);
        cell_census_free(part);
    }
    CHECK(forwards->columns[0].distinct.level > 0);
    check_equal(forwards, backwards);
    check_equal(forwards, merged);
    check_equal(forwards, sent);
    cell_census_free(forwards);
    cell_census_free(backwards);
    cell_census_free(merged);
    cell_census_free(sent);
}

static void keys_are_told_from_values_that_repeat(void **state)
{
    struct cell_census *census = new_census();
    uint64_t values, cells;
    (void)state;

    for (uint64_t row = 0; row < ROWS; row++)
        count_row(census, row);
    cell_counts_distinct(&census->columns[1], &values, &cells);
    CHECK(values == cells && values > DISTINCT_MAX / 4);
    cell_counts_distinct(&census->columns[0], &values, &cells);
    CHECK(cells > values + values / 4);
    CHECK(census->columns[1].integers == ROWS);
    cell_census_free(census);
}

static void bytes_that_no_census_wrote_are_refused(void **state)
{
    struct cell_census *census = new_census();
    struct text bytes;
    struct error err;
    (void)state;

    count_row(census, 1);
    text_init(&bytes, TEXT_MAXIMUM);
    cell_census_put(census, &bytes);
    for (size_t size = 0; size < bytes.size; size++) {
        struct byte_reader reader = byte_reader_over((struct slice){bytes.data, size});
        struct cell_census *other = new_census();

        CHECK_FAILS(cell_census_read(other, &reader, &err), STATUS_CORRUPT, "count");
        cell_census_free(other);
    }
    text_deinit(&bytes);
    cell_census_free(census);
}

static void words_of_one_cell_and_of_two_are_counted(void **state)
{
    static const char *const words[] = {"a", "b", "c", "d", "d", "e", "e", "f", "f", "f"};
    struct cell_census *census;
    uint64_t once, twice;
    struct error err;
    (void)state;

    CHECK_OK(cell_census_new(1, NULL, &census, &err));
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const struct cell cell = {.type = CELL_TEXT, .text = slice_of(words[i])};

        CHECK_OK(cell_count(census, 0, &cell, &err));
    }
    cell_counts_rare(&census->columns[0], &once, &twice);
    CHECK_INT(once, 3);
    CHECK_INT(twice, 2);
    cell_census_free(census);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_depend_neither_on_order_nor_on_who_counted),
        cmocka_unit_test(keys_are_told_from_values_that_repeat),
        cmocka_unit_test(words_of_one_cell_and_of_two_are_counted),
        cmocka_unit_test(bytes_that_no_census_wrote_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
