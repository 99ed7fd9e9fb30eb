#include "tests/check.h"

#include <stdlib.h>

#include "runtime/data/row_lanes.h"
#include "runtime/data/row_order.h"
#include "tests/unit/learn_rows.h"

static void lanes_open(struct row_lanes *lanes, const struct dataset *dataset, uint32_t count)
{
    struct error err;

    CHECK_OK(row_lanes_init(lanes, dataset, count, &err));
}

/* One key range a lane, one of its parts a bucket; every row is in one of each. */
static void a_lane_has_the_rows_of_its_range_of_keys(void **state)
{
    enum { ROWS = 3000, LANES = 7 };
    struct dataset dataset = made_dataset((struct rows_shape){.dense = 2, .train = ROWS});
    const struct row_key key = {dataset.seed, RANDOM_LANE, 0};
    struct row_lanes lanes;
    (void)state;

    lanes_open(&lanes, &dataset, LANES);
    CHECK_INT(lanes.buckets, 1);
    CHECK_INT(row_lanes_first(&lanes, 0), 0);
    CHECK_INT(row_lanes_first(&lanes, LANES), ROWS);
    for (uint32_t lane = 0; lane < LANES; lane++) {
        const uint32_t first = row_lanes_first(&lanes, lane);
        const uint32_t end = row_lanes_first(&lanes, lane + 1);

        CHECK(end - first > ROWS / LANES * 4 / 5 && end - first < ROWS / LANES * 6 / 5);
        for (uint32_t row = first; row < end; row++) {
            const double at = (double)row_key_bits(&key, &dataset.train.hashes[row]) / 0x1p64;

            CHECK(at >= (double)lane / LANES && at < (lane + 1.0) / LANES);
        }
    }
    row_lanes_deinit(&lanes);
    made_dataset_close(&dataset);
}

static void check_epoch(const struct row_lanes *lanes, uint32_t lane)
{
    const uint32_t first = row_lanes_first(lanes, lane), end = row_lanes_first(lanes, lane + 1);
    uint8_t *seen = calloc(lanes->dataset->train.rows, 1);

    for (uint32_t place = first; place < end; place++) {
        const uint32_t row = lanes->order[place];

        CHECK(row >= first && row < end && !seen[row]);
        seen[row] = 1;
    }
    free(seen);
}

/* Which bucket of all the row is in. */
static uint32_t bucket_of(const struct row_lanes *lanes, uint32_t row)
{
    uint32_t bucket = 0;

    while (lanes->starts[bucket + 1] <= row)
        bucket++;
    return bucket;
}

/* Rows so wide that a lane has several buckets: they come one after the other, in an order that
 * each epoch and each lane has of its own, and so do the rows in them. */
static void a_lane_takes_its_rows_bucket_by_bucket(void **state)
{
    enum { ROWS = 1200, LANES = 3, DENSE = 12000 };
    struct dataset dataset = made_dataset((struct rows_shape){.dense = DENSE, .train = ROWS});
    uint32_t sequences[2][LANES * 64], changes, same_rows = 0;
    static uint32_t first_epoch[ROWS];
    struct row_lanes lanes;
    (void)state;

    lanes_open(&lanes, &dataset, LANES);
    CHECK_INT(lanes.buckets, 8); /* 48 KB a row, 400 rows a lane: 19 MB */
    for (uint32_t epoch = 0; epoch < 2; epoch++) {
        row_lanes_order(&lanes, epoch, 0, LANES, NULL);
        changes = 0;
        for (uint32_t lane = 0; lane < LANES; lane++)
            check_epoch(&lanes, lane);
        for (uint32_t place = 0; place < ROWS; place++) {
            const uint32_t bucket = bucket_of(&lanes, lanes.order[place]);

            if (changes == 0 || sequences[epoch][changes - 1] != bucket)
                sequences[epoch][changes++] = bucket;
            same_rows += epoch == 1 && lanes.order[place] == first_epoch[place];
        }
        CHECK_INT(changes, LANES * lanes.buckets);
        memcpy(first_epoch, lanes.order, sizeof first_epoch);
    }
    CHECK(same_rows < ROWS / 10);
    CHECK(memcmp(sequences[0], sequences[1], LANES * lanes.buckets * sizeof **sequences) != 0);
    for (uint32_t b = 0, same = 0; b < lanes.buckets; b++) {
        same += sequences[0][b] + lanes.buckets == sequences[0][lanes.buckets + b];
        CHECK(same < lanes.buckets);
    }
    row_lanes_deinit(&lanes);
    made_dataset_close(&dataset);
}

/* Some lanes now, others later, by several threads or none. */
static void the_order_does_not_depend_on_who_makes_it_and_when(void **state)
{
    enum { ROWS = 5000, LANES = 9 };
    struct dataset dataset = made_dataset((struct rows_shape){.dense = 3, .train = ROWS});
    struct team *three = team_new(3);
    struct row_lanes all, some;
    (void)state;

    lanes_open(&all, &dataset, LANES);
    lanes_open(&some, &dataset, LANES);
    for (uint32_t epoch = 0; epoch < 3; epoch++) {
        row_lanes_order(&all, epoch, 0, LANES, three);
        row_lanes_order(&some, epoch, 4, 2, NULL);
        row_lanes_order(&some, epoch, 0, 5, three);
        row_lanes_order(&some, epoch, 6, 3, NULL);
        assert_memory_equal(all.order, some.order, ROWS * sizeof *all.order);
    }
    row_lanes_deinit(&all);
    row_lanes_deinit(&some);
    team_free(three);
    made_dataset_close(&dataset);
}

static void without_shuffle_positions_make_lanes(void **state)
{
    struct dataset dataset = made_dataset((struct rows_shape){.dense = 1, .train = 11});
    static const uint32_t expected[] = {0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7};
    struct row_lanes lanes;
    (void)state;

    dataset.shuffle = false;
    lanes_open(&lanes, &dataset, 4);
    for (uint32_t epoch = 0; epoch < 2; epoch++) {
        row_lanes_order(&lanes, epoch, 0, 4, NULL);
        assert_memory_equal(lanes.order, expected, sizeof expected);
    }
    CHECK_INT(row_lanes_first(&lanes, 3), 9);
    row_lanes_deinit(&lanes);
    made_dataset_close(&dataset);
}

static void an_order_that_changes_by_itself_is_found(void **state)
{
    struct row_lanes lanes;
    (void)state;

    for (int shuffle = 0; shuffle < 2; shuffle++) {
        struct dataset dataset = made_dataset((struct rows_shape){.dense = 1, .train = 100});

        dataset.shuffle = shuffle;
        lanes_open(&lanes, &dataset, 4);
        row_lanes_order(&lanes, 0, 0, 2, NULL);
        CHECK(row_lanes_are_intact(&lanes));
        lanes.order[3] ^= 8;
        CHECK(!row_lanes_are_intact(&lanes));
        row_lanes_order(&lanes, 1, 0, 2, NULL);
        CHECK(!row_lanes_are_intact(&lanes)); /* also when another order lies there */
        row_lanes_deinit(&lanes);
        made_dataset_close(&dataset);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lane_has_the_rows_of_its_range_of_keys),
        cmocka_unit_test(a_lane_takes_its_rows_bucket_by_bucket),
        cmocka_unit_test(the_order_does_not_depend_on_who_makes_it_and_when),
        cmocka_unit_test(without_shuffle_positions_make_lanes),
        cmocka_unit_test(an_order_that_changes_by_itself_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
