#include "runtime/learn/isolation/isolation_draws.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"

#define MIX 0x9e3779b97f4a7c15 /* the golden ratio: neighbours lie far apart in a table */

/* Rows that a tree has already: 1 + row, 0 for none; a power of two of them. */
struct row_table {
    uint64_t *rows;
    unsigned bits;
};

static bool insert(const struct row_table *table, uint64_t row)
{
    const size_t mask = ((size_t)1 << table->bits) - 1;
    size_t at = (size_t)((row * MIX) >> (64 - table->bits));

    while (table->rows[at] != 0 && table->rows[at] != row + 1)
        at = (at + 1) & mask;
    if (table->rows[at] != 0)
        return false;
    table->rows[at] = row + 1;
    return true;
}

static int compare(const void *a, const void *b)
{
    const struct isolation_draw *x = a, *y = b;

    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

/* Floyd's way: of all sets of so many rows each is as likely (Bentley, Programming Pearls, 1987).
 */
static void draw_tree(uint64_t seed, uint32_t tree, uint32_t sample, uint64_t rows,
                      const struct row_table *table, struct isolation_draw *draws)
{
    memset(table->rows, 0, sizeof *table->rows << table->bits);
    for (uint32_t i = 0; i < sample; i++) {
        const uint64_t last = rows - sample + i;
        const uint64_t bits = random_bits(seed, RANDOM_ISOLATION_ROW, tree, i);
        uint64_t row = (uint64_t)((unsigned __int128)bits * (last + 1) >> 64);

        if (!insert(table, row)) {
            row = last;
            insert(table, row);
        }
        draws[i].row = row;
    }
}

enum status isolation_draw_rows(uint64_t seed, uint32_t first, uint32_t trees, uint32_t sample,
                                uint64_t rows, struct isolation_draw *draws, struct error *err)
{
    const uint32_t count = trees * sample;
    struct row_table table = {.bits = 1};

    while ((uint64_t)1 << table.bits < 2 * (uint64_t)sample)
        table.bits++;
    table.rows = malloc(sizeof *table.rows << table.bits);
    if (!table.rows)
        return fail_no_memory(err);
    for (uint32_t t = 0; t < trees; t++)
        draw_tree(seed, first + t, sample, rows, &table, draws + (size_t)t * sample);
    for (uint32_t i = 0; i < count; i++)
        draws[i].place = i;
    qsort(draws, count, sizeof *draws, compare);
    free(table.rows);
    return STATUS_OK;
}

size_t isolation_draws_find(const struct isolation_draw *draws, size_t count, uint64_t row)
{
    size_t first = 0;

    while (count > 0) {
        const size_t half = count / 2;
        const bool is_before = draws[first + half].row < row;

        first += is_before ? half + 1 : 0;
        count = is_before ? count - half - 1 : half;
    }
    return first;
}
