#include "tests/check.h"

#include <stdlib.h>

#include "runtime/data/spool/row_order.h"

static const struct row_key key = {7, RANDOM_ORDER, 3};

/* Every fifth row is equal to another. */
static struct row_hash *hashes_of(uint32_t rows)
{
    struct row_hash *hashes = malloc((rows + 1) * sizeof *hashes);

    for (uint32_t i = 0; i < rows; i++) {
        const uint64_t row = i % 5 == 4 ? i / 2 : i;

        hashes[i].low = random_bits(1, RANDOM_SIMULATION, row, 0);
        hashes[i].high = random_bits(1, RANDOM_SIMULATION, row, 1);
    }
    return hashes;
}

/* The definition: sorted by all bits of the key, then of the hash. */
static int compare(const struct row_hash *a, const struct row_hash *b)
{
    const uint64_t x[] = {
        random_bits(key.seed, key.purpose, key.a, a->low ^ (a->high << 32 | a->high >> 32)), a->low,
        a->high};
    const uint64_t y[] = {
        random_bits(key.seed, key.purpose, key.a, b->low ^ (b->high << 32 | b->high >> 32)), b->low,
        b->high};

    for (int i = 0; i < 3; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

static void check_order(uint32_t rows, struct team *team)
{
    struct row_hash *hashes = hashes_of(rows);
    uint64_t *space = malloc((row_order_space(rows) + 1) * sizeof *space);
    uint32_t *order = malloc((rows + 1) * sizeof *order);
    uint8_t *seen = calloc(rows + 1, 1);

    row_order(&key, hashes, rows, team, space, order);
    for (uint32_t i = 0; i < rows; i++) {
        CHECK(order[i] < rows && !seen[order[i]]);
        seen[order[i]] = 1;
        CHECK((uint32_t)space[i] == order[i]);
        if (i > 0) {
            CHECK(compare(&hashes[order[i - 1]], &hashes[order[i]]) <= 0);
            CHECK(space[i - 1] >> 32 <= space[i] >> 32);
        }
    }
    free(hashes);
    free(space);
    free(order);
    free(seen);
}

static void rows_are_sorted_by_key_and_hash(void **state)
{
    static const uint32_t counts[] = {0, 1, 2, 150, 1023, 65535, 65536, 65537, 300000};
    struct team *team = team_new(3);
    (void)state;

    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        check_order(counts[i], NULL);
        check_order(counts[i], team);
    }
    team_free(team);
}

/* Without equal rows, which stand for any of each other. */
static void runs_and_first_rows_are_those_of_the_order(void **state)
{
    static const uint32_t counts[] = {1, 2, 47, 49, 3000, 200000};
    (void)state;

    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const uint32_t rows = counts[i], first = rows / 3, cut = rows / 5;
        uint64_t *space = malloc((row_order_space(rows) + 1) * sizeof *space);
        struct row_hash *hashes = malloc(rows * sizeof *hashes);
        uint32_t *order = malloc(rows * sizeof *order), *run = malloc(rows * sizeof *run);
        uint8_t *is_first = malloc(rows);

        for (uint32_t row = 0; row < rows; row++)
            hashes[row] = (struct row_hash){random_bits(2, RANDOM_SIMULATION, row, 0), row};
        row_order(&key, hashes, rows, NULL, space, order);
        for (uint32_t count = 0; count <= rows; count += cut + 1) {
            row_order_mark(&key, hashes, rows, count, NULL, space, is_first);
            for (uint32_t rank = 0; rank < rows; rank++)
                CHECK_INT(is_first[order[rank]], rank < count);
        }
        row_order_run(&key, hashes + first, rows - first, first, space, run);
        for (uint32_t rank = 0, place = 0; rank < rows; rank++)
            if (order[rank] >= first)
                CHECK_INT(run[place++], order[rank]);
        free(space);
        free(hashes);
        free(order);
        free(run);
        free(is_first);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_sorted_by_key_and_hash),
        cmocka_unit_test(runs_and_first_rows_are_those_of_the_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
