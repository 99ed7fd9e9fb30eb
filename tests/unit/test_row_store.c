#include "tests/check.h"

#include <math.h>

#include "runtime/data/dataset/dataset_summary.h"
#include "runtime/data/dataset/row_store.h"
#include "runtime/data/spool/row_order.h"
#include "tests/unit/learn_rows.h"

static void check_hold(const struct dataset *dataset, uint32_t first, uint32_t end)
{
    struct error err;

    CHECK_OK(row_store_hold(dataset, &dataset->train, first, end, NULL, &err));
}

static enum status look(const struct dataset *dataset)
{
    uint64_t position = 0;
    struct error err;

    return row_store_verify(dataset, &position, UINT64_MAX, &err);
}

static void rows_are_there_until_the_last_holder_gives_them_back(void **state)
{
    struct dataset dataset = made_dataset((struct rows_shape){.dense = 2, .train = 100});
    const struct dataset_part *train = &dataset.train;
    (void)state;

    check_hold(&dataset, 10, 30);
    check_hold(&dataset, 10, 30);
    check_hold(&dataset, 30, 31);
    check_hold(&dataset, 50, 50);
    CHECK_INT(held_rows(&dataset, train), 21);
    CHECK(isfinite(train->dense[2 * 10]) && isfinite(train->values[29]));
    CHECK(isnan(train->dense[2 * 9]) && isnan(train->values[31]));
    row_store_release(&dataset, train, 10, 30);
    CHECK(isfinite(train->dense[2 * 10]));
    row_store_release(&dataset, train, 10, 30);
    CHECK(isnan(train->dense[2 * 10]) && isfinite(train->dense[2 * 30]));
    row_store_release(&dataset, train, 30, 31);
    row_store_release(&dataset, train, 50, 50);
    CHECK_INT(held_rows(&dataset, train), 0);
    made_dataset_close(&dataset);
}

static void a_data_set_that_is_opened_whole_keeps_its_rows(void **state)
{
    struct dataset dataset = made_dataset((struct rows_shape){.dense = 2, .train = 100});
    (void)state;

    keep_rows(&dataset);
    for (int i = 0; i < 2; i++) {
        check_hold(&dataset, 10, 30);
        row_store_release(&dataset, &dataset.train, 10, 30);
        CHECK(isfinite(dataset.train.dense[2 * 10]));
    }
    CHECK_INT(look(&dataset), STATUS_OK);
    dataset.train.dense[2 * 10] += 1; /* they are looked at further on */
    CHECK_INT(look(&dataset), STATUS_CORRUPT);
    made_dataset_close(&dataset);
}

static void rows_that_cannot_be_read_are_not_held(void **state)
{
    struct dataset dataset = made_dataset((struct rows_shape){.dense = 2, .train = 100});
    struct error err;
    (void)state;

    check_hold(&dataset, 0, 10);
    lose_rows_after(&dataset, 0);
    CHECK_FAILS(row_store_hold(&dataset, &dataset.train, 10, 30, NULL, &err), STATUS_IO,
                "rows 10 to 30 cannot be read");
    check_hold(&dataset, 0, 10); /* which are there */
    CHECK_INT(look(&dataset), STATUS_OK);
    row_store_release(&dataset, &dataset.train, 0, 10);
    row_store_release(&dataset, &dataset.train, 0, 10);
    CHECK_INT(held_rows(&dataset, &dataset.train), 0);
    made_dataset_close(&dataset);
}

/* One bit of the row in each array that it has. */
static void invert_row(const struct dataset_part *part, uint32_t row, int which)
{
    uint8_t *const bytes[] = {(uint8_t *)&part->dense[2 * row], (uint8_t *)&part->ids[row],
                              (uint8_t *)&part->values[row], (uint8_t *)&part->hashes[row]};

    bytes[which][1] ^= 4;
}

static void a_bit_of_rows_that_are_held_is_found(void **state)
{
    struct dataset dataset =
        made_dataset((struct rows_shape){.dense = 2, .ids = 1, .id_rows = 4, .train = 100});
    (void)state;

    check_hold(&dataset, 10, 30);
    for (int which = 0; which < 4; which++) {
        invert_row(&dataset.train, 10, which);
        CHECK_INT(look(&dataset), STATUS_CORRUPT);
        invert_row(&dataset.train, 10, which);
        invert_row(&dataset.train, 29, which);
        CHECK_INT(look(&dataset), STATUS_CORRUPT);
        invert_row(&dataset.train, 29, which);
        invert_row(&dataset.train, 9, which); /* which nobody reads */
        invert_row(&dataset.train, 30, which);
        CHECK_INT(look(&dataset), STATUS_OK);
    }
    dataset.sample.dense[0] += 1;
    CHECK_INT(look(&dataset), STATUS_CORRUPT);
    dataset.sample.dense[0] -= 1;
    row_store_release(&dataset, &dataset.train, 10, 30);
    made_dataset_close(&dataset);
}

/* Nobody looked while they were there: they are looked at before they go. */
static void a_bit_of_rows_that_have_gone_is_found(void **state)
{
    struct dataset dataset = made_dataset((struct rows_shape){.dense = 2, .train = 100});
    (void)state;

    check_hold(&dataset, 10, 30);
    dataset.train.dense[2 * 20] += 1;
    row_store_release(&dataset, &dataset.train, 10, 30);
    CHECK_INT(look(&dataset), STATUS_CORRUPT);
    made_dataset_close(&dataset);
}

/* Rows of 40 KB: 26 of them are a chunk. */
static void a_look_takes_as_many_turns_as_there_are_chunks(void **state)
{
    struct dataset dataset = made_dataset((struct rows_shape){.dense = 10000, .train = 100});
    uint64_t position = 0;
    uint32_t turns = 0;
    struct error err;
    (void)state;

    check_hold(&dataset, 0, 60);  /* 3 chunks */
    check_hold(&dataset, 60, 70); /* 1 */
    do {                          /* and 4 of the sample */
        CHECK_OK(row_store_verify(&dataset, &position, 1, &err));
        turns++;
    } while (position != 0);
    CHECK_INT(turns, 8);
    CHECK_OK(row_store_verify(&dataset, &position, 5, &err));
    CHECK(position != 0);
    row_store_release(&dataset, &dataset.train, 0, 60); /* where the look is */
    dataset.train.dense[65 * 10000] += 1;
    CHECK_INT(row_store_verify(&dataset, &position, 1, &err), STATUS_CORRUPT);
    made_dataset_close(&dataset);
}

static void the_team_makes_the_same_hashes(void **state)
{
    struct dataset dataset = made_dataset((struct rows_shape){.dense = 10000, .train = 100});
    struct team *three = team_new(3);
    struct error err;
    (void)state;

    CHECK_OK(row_store_hold(&dataset, &dataset.train, 0, 100, three, &err));
    CHECK_INT(look(&dataset), STATUS_OK);
    dataset.train.dense[99 * 10000] += 1;
    CHECK_INT(look(&dataset), STATUS_CORRUPT);
    row_store_release(&dataset, &dataset.train, 0, 100);
    team_free(three);
    made_dataset_close(&dataset);
}

static void rows_that_go_together_are_each_looked_at(void **state)
{
    static const struct row_span spans[] = {{10, 20}, {20, 30}, {30, 40}, {50, 50}};
    struct team *three = team_new(3);
    (void)state;

    for (uint32_t bad = 10; bad < 60; bad += 10) {
        struct dataset dataset = made_dataset((struct rows_shape){.dense = 2, .train = 100});
        const struct dataset_part *train = &dataset.train;

        for (uint32_t first = 10; first < 50; first += 10)
            check_hold(&dataset, first, first + 10);
        check_hold(&dataset, 20, 30); /* twice */
        if (bad < 50)
            train->dense[2 * bad] += 1;
        row_store_release_all(&dataset, train, spans, 4, three);
        CHECK(isnan(train->dense[2 * 19]) && isnan(train->dense[2 * 30]));
        CHECK(isfinite(train->dense[2 * 20]) && isfinite(train->dense[2 * 40]));
        CHECK_INT(held_rows(&dataset, train), 20);
        CHECK_INT(look(&dataset), bad < 50 ? STATUS_CORRUPT : STATUS_OK);
        row_store_release_all(&dataset, train, (struct row_span[]){{40, 50}, {20, 30}}, 2, three);
        CHECK_INT(held_rows(&dataset, train), 0);
        made_dataset_close(&dataset);
    }
    team_free(three);
}

/* ---- summaries ---- */

static bool comes_before(const struct row_key *key, const struct row_hash *a,
                         const struct row_hash *b)
{
    return row_key_bits(key, a) < row_key_bits(key, b);
}

static void the_sample_is_the_rows_of_least_keys_in_their_order(void **state)
{
    static const uint32_t sizes[] = {1, 500, SPOOL_SAMPLE_ROWS, SPOOL_SAMPLE_ROWS + 4000};
    (void)state;

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct dataset dataset = made_dataset(
            (struct rows_shape){.train = sizes[i], .dense = 1, .ids = 1, .id_rows = 9});
        const struct row_key key = {dataset.seed, RANDOM_SAMPLE, 0};
        const struct dataset_part *sample = &dataset.sample, *train = &dataset.train;
        uint32_t before_last = 0;

        CHECK_INT(sample->rows, sizes[i] < SPOOL_SAMPLE_ROWS ? sizes[i] : SPOOL_SAMPLE_ROWS);
        show_rows(&dataset);
        keep_rows(&dataset);
        for (uint32_t row = 1; row < sample->rows; row++)
            CHECK(comes_before(&key, &sample->hashes[row - 1], &sample->hashes[row]));
        for (uint32_t row = 0; row < train->rows; row++) {
            before_last +=
                comes_before(&key, &train->hashes[row], &sample->hashes[sample->rows - 1]);
            if (memcmp(&train->hashes[row], &sample->hashes[0], sizeof *train->hashes) == 0)
                CHECK(train->dense[row] == sample->dense[0] && train->ids[row] == sample->ids[0] &&
                      train->values[row] == sample->values[0]);
        }
        CHECK_INT(before_last, sample->rows - 1);
        made_dataset_close(&dataset);
    }
}

static bool is_same_sum(const struct row_hash *a, const struct row_hash *b)
{
    return a->low == b->low && a->high == b->high;
}

static void the_sum_of_hashes_knows_an_order_where_it_counts(void **state)
{
    struct dataset dataset = made_dataset((struct rows_shape){.dense = 1, .train = 100});
    struct row_hash *hashes = dataset.train.hashes, swapped = hashes[7], sums[4];
    (void)state;

    for (int i = 0; i < 4; i++) {
        dataset.shuffle = i % 2 == 0;
        if (i == 2) {
            hashes[7] = hashes[60];
            hashes[60] = swapped;
        }
        dataset_sum_hashes(&dataset, &dataset.train);
        sums[i] = dataset.train.sum;
    }
    CHECK(is_same_sum(&sums[0], &sums[2]));
    CHECK(!is_same_sum(&sums[1], &sums[3]));
    CHECK(!is_same_sum(&sums[0], &sums[1]));
    dataset.shuffle = true;
    hashes[60].high ^= (uint64_t)1 << 63;
    dataset_sum_hashes(&dataset, &dataset.train);
    CHECK(!is_same_sum(&dataset.train.sum, &sums[0]));
    made_dataset_close(&dataset);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_there_until_the_last_holder_gives_them_back),
        cmocka_unit_test(a_data_set_that_is_opened_whole_keeps_its_rows),
        cmocka_unit_test(rows_that_cannot_be_read_are_not_held),
        cmocka_unit_test(a_bit_of_rows_that_are_held_is_found),
        cmocka_unit_test(a_bit_of_rows_that_have_gone_is_found),
        cmocka_unit_test(a_look_takes_as_many_turns_as_there_are_chunks),
        cmocka_unit_test(the_team_makes_the_same_hashes),
        cmocka_unit_test(rows_that_go_together_are_each_looked_at),
        cmocka_unit_test(the_sample_is_the_rows_of_least_keys_in_their_order),
        cmocka_unit_test(the_sum_of_hashes_knows_an_order_where_it_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
