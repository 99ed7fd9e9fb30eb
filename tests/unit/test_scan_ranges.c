/*
 * Tables are sets of positions, and readers take turns in virtual time: a row
 * takes one unit, starting a stretch STRETCH_COST. No thread is started.
 */
#include "tests/check.h"

#include <stdlib.h>

#include "base/random.h"
#include "extension/sqlite/host/scan_ranges.h"

#define STRETCH_COST 20
#define DENSE        1000000

struct table {
    uint64_t *positions; /* ascending, from 0 */
    uint8_t *times_read;
    size_t count;
};

static struct table table_new(size_t count)
{
    return (struct table){.positions = calloc(count, sizeof(uint64_t)),
                          .times_read = calloc(count, 1),
                          .count = count};
}

static void table_free(struct table *table)
{
    free(table->positions);
    free(table->times_read);
}

static int ascending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* `dense` positions in a row, then `far` ones anywhere, the last at the end of all. */
static struct table table_with_outliers(size_t dense, size_t far)
{
    struct table table = table_new(dense + far);

    for (size_t i = 0; i < table.count; i++)
        table.positions[i] = i < dense ? i : random_bits(1, RANDOM_SIMULATION, i, 0) | 1ull << 40;
    qsort(table.positions, table.count, sizeof *table.positions, ascending);
    table.positions[0] = 0;
    table.positions[table.count - 1] = UINT64_MAX;
    return table;
}

static size_t first_from(const struct table *table, uint64_t position)
{
    size_t low = 0, high = table->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (table->positions[middle] < position)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Reads a reader's stretch; returns the time that it takes. */
static uint64_t read_stretch(struct table *table, struct scan_ranges *ranges, uint32_t reader,
                             const struct stretch *stretch)
{
    size_t i = first_from(table, stretch->first);
    uint64_t rows = 0, at = stretch->last;

    for (; i < table->count && table->positions[i] <= stretch->last && rows < STRETCH_ROWS_MAX;
         i++, rows++)
        table->times_read[i]++;
    if (rows == STRETCH_ROWS_MAX)
        at = table->positions[i - 1];
    scan_ranges_finish(ranges, reader, stretch, rows, at);
    return rows + STRETCH_COST;
}

struct virtual_reader {
    uint64_t time; /* at which it is free again */
    struct stretch stretch;
    bool is_reading, has_ended;
};

/* The reader whose time comes first ends its stretch, or claims one. */
static struct virtual_reader *next_reader(struct virtual_reader *readers, uint32_t count)
{
    struct virtual_reader *next = NULL;

    for (uint32_t i = 0; i < count; i++)
        if (!readers[i].has_ended && (!next || readers[i].time < next->time))
            next = &readers[i];
    return next;
}

/* The time when the last one of `count` readers ends, of which `idle` never start. */
static uint64_t run(struct table *table, uint32_t count, uint32_t idle)
{
    struct virtual_reader readers[SCAN_READERS_MAX] = {{0}}, *reader;
    struct scan_ranges ranges;
    uint64_t time = 0;

    scan_ranges_init(&ranges, table->positions[table->count - 1], count);
    while ((reader = next_reader(readers, count - idle))) {
        const uint32_t number = (uint32_t)(reader - readers);
        enum claim claimed;

        time = reader->time > time ? reader->time : time;
        if (reader->is_reading) {
            reader->is_reading = false;
            reader->time = time + read_stretch(table, &ranges, number, &reader->stretch);
            continue;
        }
        claimed = scan_ranges_try(&ranges, number, &reader->stretch);
        reader->is_reading = claimed == CLAIM_STRETCH;
        reader->has_ended = claimed == CLAIM_END;
        if (claimed == CLAIM_WAIT)
            reader->time = time + 1;
    }
    scan_ranges_deinit(&ranges);
    return time;
}

static void check_each_once(const struct table *table)
{
    for (size_t i = 0; i < table->count; i++)
        CHECK_INT(table->times_read[i], 1);
}

/* Each row once, and in little more time than the rows take with all readers at work. */
static void check_shared(struct table table)
{
    static const uint32_t counts[] = {1, 2, 3, 16};

    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        memset(table.times_read, 0, table.count);
        uint64_t time = run(&table, counts[i], 0);
        check_each_once(&table);
        CHECK(time < table.count / counts[i] * 11 / 10 + 3 * STRETCH_ROWS_MAX);
    }
    table_free(&table);
}

static void rows_without_gaps_are_shared_evenly(void **state)
{
    struct table table = table_new(DENSE);
    (void)state;

    for (size_t i = 0; i < DENSE; i++)
        table.positions[i] = i;
    check_shared(table);
}

static void one_row_far_away_leaves_no_reader_idle(void **state)
{
    (void)state;
    check_shared(table_with_outliers(DENSE, 1));
}

static void many_rows_far_away_leave_no_reader_idle(void **state)
{
    (void)state;
    check_shared(table_with_outliers(DENSE, 1000));
}

static void rows_at_both_ends_are_shared(void **state)
{
    struct table table = table_new(DENSE);
    (void)state;

    for (size_t i = 0; i < DENSE; i++)
        table.positions[i] = i < DENSE / 2 ? i : UINT64_MAX - DENSE + 1 + i;
    check_shared(table);
}

static void rows_at_random_positions_are_shared(void **state)
{
    (void)state;
    check_shared(table_with_outliers(1, DENSE));
}

static void a_crowd_in_an_empty_table_is_shared(void **state)
{
    struct table table = table_with_outliers(1, 1000);
    struct table crowded = table_new(DENSE + table.count);
    (void)state;

    memcpy(crowded.positions, table.positions, table.count * sizeof *table.positions);
    for (size_t i = 0; i < DENSE; i++)
        crowded.positions[table.count + i] = 0x5555555555000000ull + i;
    qsort(crowded.positions, crowded.count, sizeof *crowded.positions, ascending);
    table_free(&table);
    check_shared(crowded);
}

static void the_part_of_a_reader_that_never_starts_is_read_by_the_others(void **state)
{
    struct table table = table_with_outliers(30000, 30000);
    (void)state;

    run(&table, 5, 4);
    check_each_once(&table);
    table_free(&table);
}

static void tables_of_few_positions_are_read_once(void **state)
{
    (void)state;
    for (size_t rows = 1; rows < 40; rows++)
        for (uint32_t readers = 1; readers <= SCAN_READERS_MAX; readers++) {
            struct table table = table_new(rows);
            for (size_t i = 0; i < rows; i++)
                table.positions[i] = i;
            run(&table, readers, 0);
            check_each_once(&table);
            table_free(&table);
        }
}

static void nothing_is_claimed_after_a_stop(void **state)
{
    struct scan_ranges ranges;
    struct stretch stretch;
    (void)state;

    scan_ranges_init(&ranges, DENSE, 2);
    CHECK_INT(scan_ranges_try(&ranges, 0, &stretch), CLAIM_STRETCH);
    scan_ranges_stop(&ranges);
    CHECK_INT(scan_ranges_try(&ranges, 1, &stretch), CLAIM_END);
    CHECK(!scan_ranges_claim(&ranges, 1, &stretch));
    scan_ranges_deinit(&ranges);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_without_gaps_are_shared_evenly),
        cmocka_unit_test(one_row_far_away_leaves_no_reader_idle),
        cmocka_unit_test(many_rows_far_away_leave_no_reader_idle),
        cmocka_unit_test(rows_at_both_ends_are_shared),
        cmocka_unit_test(rows_at_random_positions_are_shared),
        cmocka_unit_test(a_crowd_in_an_empty_table_is_shared),
        cmocka_unit_test(the_part_of_a_reader_that_never_starts_is_read_by_the_others),
        cmocka_unit_test(tables_of_few_positions_are_read_once),
        cmocka_unit_test(nothing_is_claimed_after_a_stop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
