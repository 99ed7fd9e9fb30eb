#include "runtime/data/spool/row_order.h"
#include "tests/check.h"

#include <stdlib.h>

#include "runtime/data/spool/held_out.h"

#define STRATA (1u << ROW_STRATUM_BITS)

static uint64_t rows[STRATA], quotas[STRATA];

static uint64_t settle(const struct spool_held_out *rule)
{
    struct error err;
    uint64_t sum, all = 0;

    CHECK_OK(held_out_quotas(rule, rows, quotas, &sum, &err));
    for (uint32_t i = 0; i < held_out_strata(rule); i++) {
        CHECK(rows[i] == 0 ? quotas[i] == 0 : quotas[i] < rows[i]);
        all += quotas[i];
    }
    CHECK_INT(sum, all);
    return sum;
}

/* At least one row, never all of two or more, and none of too few. */
static void a_share_of_rows_without_classes(void **state)
{
    static const struct {
        uint64_t rows;
        double share;
        uint32_t least_rows;
        uint64_t held_out;
    } cases[] = {
        {0, .3, 0, 0},      {1, .3, 0, 0},
        {2, .3, 0, 1},      {2, .9, 0, 1},
        {10, .3, 0, 3},     {19, .1, 0, 1},
        {3, 0, 0, 0},       {499, .1, 500, 0},
        {500, .1, 500, 50}, {1ull << 40, .1, 500, 109951162777},
    };
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct spool_held_out rule = {.share = cases[i].share,
                                            .least_rows = cases[i].least_rows};

        rows[0] = cases[i].rows;
        CHECK_INT(settle(&rule), cases[i].held_out);
    }
}

static void set_rows(const uint64_t *counts, size_t count)
{
    memset(rows, 0, sizeof rows);
    memcpy(rows, counts, count * sizeof *counts);
}

static void each_class_gives_its_share(void **state)
{
    const struct spool_held_out tenth = {.share = .1, .by_class = true},
                                half = {.share = .5, .by_class = true};
    (void)state;

    set_rows((const uint64_t[]){900, 90, 10}, 3);
    CHECK_INT(settle(&tenth), 100);
    CHECK_INT(quotas[0], 90);
    CHECK_INT(quotas[1], 9);
    CHECK_INT(quotas[2], 1);

    /* 11.7, 4.5 and 1.8 of 18: 16 rounded down, and the two greatest remainders. */
    set_rows((const uint64_t[]){117, 45, 18}, 3);
    CHECK_INT(settle(&tenth), 18);
    CHECK_INT(quotas[0], 12);
    CHECK_INT(quotas[1], 4);
    CHECK_INT(quotas[2], 2);

    /* The first one of equal remainders is rounded up. */
    set_rows((const uint64_t[]){5, 5, 5, 5}, 4);
    CHECK_INT(settle(&tenth), 2);
    CHECK_INT(quotas[0] + quotas[1], 2);

    /* A class of one row keeps it, also where that leaves fewer rows held out. */
    set_rows((const uint64_t[]){1, 1, 1, 3}, 4);
    CHECK_INT(settle(&half), 2);
    CHECK_INT(quotas[3], 2);
    set_rows((const uint64_t[]){1, 1, 1, 1}, 4);
    CHECK_INT(settle(&half), 0);
}

static void a_class_is_some_bits_of_the_hash(void **state)
{
    const struct spool_held_out by_class = {.share = .1, .by_class = true}, plain = {.share = .1};
    const struct row_hash hash = {0x1234567890abcdef, 0xfedcba0987654321};
    const struct row_hash a = row_hash_of_class(&hash, SLICE("a"));
    const struct row_hash b = row_hash_of_class(&hash, SLICE("b"));
    const struct row_hash other = row_hash_of_class(&(struct row_hash){1, 2}, SLICE("a"));
    (void)state;

    CHECK(held_out_stratum(&by_class, &a) == held_out_stratum(&by_class, &other));
    CHECK(held_out_stratum(&by_class, &a) != held_out_stratum(&by_class, &b));
    CHECK_INT(held_out_stratum(&plain, &a), 0);
    CHECK_INT(a.low >> ROW_STRATUM_BITS, hash.low >> ROW_STRATUM_BITS);
    CHECK(a.high == hash.high);
}

/* The group is the upper half, whatever the row; equal rows stay in it. */
static void a_row_and_its_copies_are_of_its_group(void **state)
{
    const struct spool_held_out rule = {
        .share = .1, .by_group = true, .group_column = 1, .group_columns = 1};
    const struct row_hash row = {.low = 5, .high = 6}, other = {.low = 7, .high = 8};
    const struct row_hash a = row_hash_of_group(&row, SLICE("q1"));
    const struct row_hash b = row_hash_of_group(&other, SLICE("q1"));
    const struct row_hash c = row_hash_of_group(&row, SLICE("q2"));
    const struct row_hash copy = held_out_hash_of_copy(&rule, &a, 1);
    const struct row_key lane = row_key_of_lane(3, true), held_out = row_key_of_held_out(3, true);
    (void)state;

    CHECK(a.low == 5 && b.low == 7 && a.high == b.high && a.high != c.high);
    CHECK(copy.high == a.high && copy.low != a.low);
    CHECK(row_key_bits(&lane, &a) == row_key_bits(&lane, &b));
    CHECK(row_key_bits(&lane, &a) != row_key_bits(&lane, &c));
    CHECK(row_key_bits(&held_out, &a) == row_key_bits(&held_out, &copy));
    CHECK(row_key_bits(&held_out, &a) != row_key_bits(&lane, &a));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_share_of_rows_without_classes),
        cmocka_unit_test(each_class_gives_its_share),
        cmocka_unit_test(a_class_is_some_bits_of_the_hash),
        cmocka_unit_test(a_row_and_its_copies_are_of_its_group),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
