#include "tests/check.h"

#include <math.h>
#include <stdlib.h>

#include "runtime/data/dataset/row_lanes.h"
#include "runtime/data/dataset/row_store.h"
#include "runtime/data/spool/row_order.h"
#include "runtime/learn/descent/step_shares.h"
#include "tests/unit/learn_rows.h"
#include "tests/unit/resident.h"

#define LANES_MAX 16

static void lanes_open(struct row_lanes *lanes, const struct dataset *dataset, uint32_t count)
{
    struct error err;

    CHECK(count <= LANES_MAX);
    CHECK_OK(row_lanes_init(lanes, dataset, count, &err));
}

static uint32_t rows_of_lane(const struct row_lanes *lanes, uint32_t lane)
{
    return (uint32_t)(row_lanes_first(lanes, lane + 1) - row_lanes_first(lanes, lane));
}

/* The row at a place of the lane, whose rows are in order. */
static uint64_t row_at(const struct row_lanes *lanes, uint32_t lane, uint64_t place)
{
    return lanes->order ? row_lanes_first(lanes, lane) + lanes->order[place] : place;
}

/* Holds all that the step takes of some lanes, in as many calls as it wants. */
static void hold(struct row_lanes *lanes, uint32_t epoch, const struct lane_share *shares,
                 uint32_t first, uint32_t count, struct team *team)
{
    struct error err;

    for (uint32_t held; count > 0; first += held, count -= held) {
        held = count;
        CHECK_OK(row_lanes_hold(lanes, epoch, shares, first, &held, team, &err));
        CHECK(held > 0 && held <= count);
    }
}

/* All rows of some lanes, as one step takes them. */
static void hold_whole(struct row_lanes *lanes, uint32_t epoch, uint32_t first, uint32_t count,
                       struct team *team)
{
    struct lane_share shares[LANES_MAX] = {{0, 0, 0}};

    for (uint32_t lane = first; lane < first + count; lane++)
        shares[lane].count = rows_of_lane(lanes, lane);
    hold(lanes, epoch, shares, first, count, team);
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
        const uint64_t first = row_lanes_first(&lanes, lane);
        const uint64_t end = row_lanes_first(&lanes, lane + 1);

        CHECK(end - first > ROWS / LANES * 4 / 5 && end - first < ROWS / LANES * 6 / 5);
        for (uint64_t row = first; row < end; row++) {
            const double at = (double)row_key_bits(&key, &dataset.train.hashes[row]) / 0x1p64;

            CHECK(at >= (double)lane / LANES && at < (lane + 1.0) / LANES);
        }
    }
    row_lanes_deinit(&lanes);
    made_dataset_close(&dataset);
}

static void check_epoch(const struct row_lanes *lanes, uint32_t lane)
{
    const uint64_t first = row_lanes_first(lanes, lane), end = row_lanes_first(lanes, lane + 1);
    uint8_t *seen = calloc(lanes->dataset->train.rows, 1);

    for (uint64_t place = first; place < end; place++) {
        const uint64_t row = row_at(lanes, lane, place);

        CHECK(row >= first && row < end && !seen[row]);
        seen[row] = 1;
    }
    free(seen);
}

/* Which bucket of all the row is in. */
static uint32_t bucket_of(const struct row_lanes *lanes, uint64_t row)
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
        row_lanes_begin_step(&lanes, epoch, NULL);
        hold_whole(&lanes, epoch, 0, LANES, NULL);
        changes = 0;
        for (uint32_t lane = 0; lane < LANES; lane++)
            check_epoch(&lanes, lane);
        for (uint32_t place = 0, lane = 0; place < ROWS; place++) {
            uint32_t bucket;

            while (row_lanes_first(&lanes, lane + 1) <= place)
                lane++;
            bucket = bucket_of(&lanes, row_at(&lanes, lane, place));
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

/* Rows of no bytes: only their number counts here. */
static uint32_t buckets_of(uint32_t rows, uint32_t width, uint32_t count)
{
    struct dataset dataset = {.shuffle = true, .transform = {.dense_width = width}};
    struct row_lanes lanes;
    uint32_t buckets;
    struct error err;

    dataset.train.rows = rows;
    dataset.train.hashes = calloc(rows, sizeof *dataset.train.hashes);
    CHECK(dataset.train.hashes != NULL);
    CHECK_OK(row_lanes_init(&lanes, &dataset, count, &err));
    buckets = lanes.buckets;
    row_lanes_deinit(&lanes);
    free(dataset.train.hashes);
    return buckets;
}

static void one_bucket_of_each_lane_fits_into_128_mib(void **state)
{
    enum { MIB_ROWS = 256, WIDTH = 1023 }; /* a row of 4 KiB */
    (void)state;

    for (uint32_t lanes = 1; lanes <= 1024; lanes *= 4) {
        const uint32_t least = lanes < 32 ? 4 * lanes : 128; /* MiB that one bucket a lane holds */

        CHECK_INT(buckets_of(least * MIB_ROWS, WIDTH, lanes), 1);
        CHECK_INT(buckets_of(3 * least / 2 * MIB_ROWS, WIDTH, lanes), 2);
        CHECK_INT(buckets_of(5 * least * MIB_ROWS, WIDTH, lanes), 8);
    }
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
        row_lanes_begin_step(&all, epoch, NULL);
        row_lanes_begin_step(&some, epoch, NULL);
        hold_whole(&all, epoch, 0, LANES, three);
        hold_whole(&some, epoch, 4, 2, NULL);
        hold_whole(&some, epoch, 0, 5, three);
        hold_whole(&some, epoch, 6, 3, NULL);
        assert_memory_equal(all.order, some.order, ROWS * sizeof *all.order);
    }
    row_lanes_deinit(&all);
    row_lanes_deinit(&some);
    team_free(three);
    made_dataset_close(&dataset);
}

/* ---- steps ---- */

enum { WALK_ROWS = 1200, WALK_LANES = 2, WALK_DENSE = 16000, WALK_BATCH = 31 };

/* The next rows of both lanes, about as many of each. */
static void share_out(const struct row_lanes *lanes, uint32_t step, struct lane_share *shares)
{
    for (uint32_t lane = 0; lane < WALK_LANES; lane++) {
        const uint32_t rows = rows_of_lane(lanes, lane), from = step * WALK_BATCH;
        const uint32_t left = from < rows ? rows - from : 0;

        shares[lane] = (struct lane_share){.first = from < rows ? from : rows,
                                           .count = left < WALK_BATCH ? left : WALK_BATCH};
    }
}

static uint32_t steps_of(const struct row_lanes *lanes)
{
    uint32_t most = 0;

    for (uint32_t lane = 0; lane < WALK_LANES; lane++)
        most = rows_of_lane(lanes, lane) > most ? rows_of_lane(lanes, lane) : most;
    return (most + WALK_BATCH - 1) / WALK_BATCH;
}

/* The rows of the step, which all can be read, to taken (WALK_LANES * WALK_BATCH). */
static void take_step(struct row_lanes *lanes, uint32_t epoch, uint32_t step, uint32_t *taken)
{
    struct lane_share shares[WALK_LANES];

    share_out(lanes, step, shares);
    row_lanes_begin_step(lanes, epoch * steps_of(lanes) + step, NULL);
    hold(lanes, epoch, shares, 0, WALK_LANES, NULL);
    memset(taken, 0xff, WALK_LANES * WALK_BATCH * sizeof *taken);
    for (uint32_t lane = 0; lane < WALK_LANES; lane++)
        for (uint32_t i = 0; i < shares[lane].count; i++) {
            const uint64_t place = row_lanes_place(lanes, lane, shares[lane].first + i);
            const uint64_t row = row_at(lanes, lane, place);

            CHECK(isfinite(lanes->dataset->train.dense[row * WALK_DENSE]));
            taken[lane * WALK_BATCH + i] = (uint32_t)row;
        }
}

static uint32_t held_now(const struct row_lanes *lanes)
{
    return held_rows(lanes->dataset, &lanes->dataset->train);
}

static void check_jumps(bool shuffle)
{
    struct dataset dataset =
        made_dataset((struct rows_shape){.dense = WALK_DENSE, .train = WALK_ROWS});
    static uint32_t walked[2 * WALK_ROWS][WALK_LANES * WALK_BATCH];
    uint32_t jumped[WALK_LANES * WALK_BATCH], steps, most = 0;
    struct row_lanes walking, jumping;

    dataset.shuffle = shuffle;
    lanes_open(&walking, &dataset, WALK_LANES);
    steps = steps_of(&walking);
    CHECK(walking.bucket_count >= 16);
    for (uint32_t i = 0; i < 2 * steps; i++) {
        take_step(&walking, i / steps, i % steps, walked[i]);
        most = held_now(&walking) > most ? held_now(&walking) : most;
        CHECK(row_lanes_are_intact(&walking));
    }
    CHECK(most < WALK_ROWS / 2); /* 16 buckets, of which a step takes rows of four at most */
    row_lanes_deinit(&walking);
    CHECK_INT(held_rows(&dataset, &dataset.train), 0);
    lanes_open(&jumping, &dataset, WALK_LANES);
    for (uint32_t i = 0; i < 4 * steps; i++) {
        const uint32_t to = (i * 7919 + i / 3) % (2 * steps);

        take_step(&jumping, to / steps, to % steps, jumped);
        assert_memory_equal(walked[to], jumped, sizeof jumped);
        CHECK(row_lanes_are_intact(&jumping));
    }
    row_lanes_release(&jumping, NULL);
    CHECK_INT(held_rows(&dataset, &dataset.train), 0);
    row_lanes_deinit(&jumping);
    made_dataset_close(&dataset);
}

static void any_step_takes_the_same_rows_whatever_came_before_it(void **state)
{
    (void)state;
    check_jumps(true);
    check_jumps(false);
}

static void a_step_that_begins_with_a_bucket_needs_none_before_it(void **state)
{
    struct dataset dataset =
        made_dataset((struct rows_shape){.dense = WALK_DENSE, .train = WALK_ROWS});
    struct lane_share shares[WALK_LANES] = {{0, 0, 0}};
    struct row_lanes lanes;
    (void)state;

    lanes_open(&lanes, &dataset, WALK_LANES);
    hold(&lanes, 0, shares, 0, WALK_LANES, NULL); /* nothing: but buckets have their places */
    CHECK_INT(held_now(&lanes), 0);
    for (uint32_t i = 0; i < lanes.buckets; i++) {
        const uint32_t bucket = lanes.sequence[lanes.buckets + i];

        shares[1] = (struct lane_share){
            (uint32_t)(lanes.all[bucket].place - row_lanes_first(&lanes, 1)), 1, 0};
        row_lanes_begin_step(&lanes, 2 * i, NULL); /* and the step before took none */
        row_lanes_begin_step(&lanes, 2 * i + 1, NULL);
        hold(&lanes, 0, shares, 0, WALK_LANES, NULL);
        CHECK_INT(held_now(&lanes), lanes.starts[bucket + 1] - lanes.starts[bucket]);
    }
    row_lanes_deinit(&lanes);
    made_dataset_close(&dataset);
}

/* A bucket whose rows are all taken goes with the next step; one that the step repeats stays. */
static void a_bucket_goes_when_its_rows_are_taken(void **state)
{
    struct dataset dataset = made_dataset((struct rows_shape){.dense = 1, .train = 100});
    struct lane_share shares[2] = {{0, 10, 0}, {0, 10, 0}};
    struct row_lanes lanes;
    uint32_t rows, other[100]; /* the order of the other lane, which stays as it is */
    (void)state;

    lanes_open(&lanes, &dataset, 2);
    rows = rows_of_lane(&lanes, 0);
    row_lanes_begin_step(&lanes, 0, NULL);
    hold(&lanes, 0, shares, 0, 2, NULL);
    CHECK_INT(held_now(&lanes), 100);
    memcpy(other, lanes.order + rows, sizeof other[0] * (100 - rows));
    shares[0] = (struct lane_share){10, rows - 10, 0};
    for (int repeated = 0; repeated < 2; repeated++) {
        row_lanes_begin_step(&lanes, 1, NULL);
        hold(&lanes, 0, shares, 0, 2, NULL);
        CHECK_INT(held_now(&lanes), 100);
    }
    row_lanes_begin_step(&lanes, 2, NULL);
    CHECK_INT(held_now(&lanes), 100 - rows);
    for (uint32_t place = 0; place < rows; place++)
        CHECK_INT(lanes.order[place], 0);
    assert_memory_equal(lanes.order + rows, other, sizeof other[0] * (100 - rows));
    row_lanes_deinit(&lanes);
    made_dataset_close(&dataset);
}

static void a_lane_that_is_computed_elsewhere_is_given_back(void **state)
{
    struct dataset dataset = made_dataset((struct rows_shape){.dense = 1, .train = 100});
    const struct lane_share shares[4] = {{0, 3, 0}, {0, 3, 0}, {0, 3, 0}, {0, 0, 0}};
    struct row_lanes lanes;
    (void)state;

    lanes_open(&lanes, &dataset, 4);
    row_lanes_begin_step(&lanes, 7, NULL);
    hold(&lanes, 0, shares, 0, 4, NULL);
    CHECK_INT(held_now(&lanes), row_lanes_first(&lanes, 3)); /* nothing is taken of the last */
    row_lanes_begin_step(&lanes, 8, NULL);
    hold(&lanes, 0, shares, 1, 1, NULL);
    row_lanes_begin_step(&lanes, 9, NULL);
    CHECK_INT(held_now(&lanes), rows_of_lane(&lanes, 1));
    row_lanes_deinit(&lanes);
    made_dataset_close(&dataset);
}

static void the_order_of_a_bucket_takes_memory_while_it_is_held(void **state)
{
    enum { ROWS = 400000, LANES = 4 };
    struct dataset dataset = made_dataset((struct rows_shape){.dense = 1, .train = ROWS});
    const size_t of_lane = ROWS / LANES * sizeof(uint32_t), bytes = ROWS * sizeof(uint32_t);
    struct row_lanes lanes;
    (void)state;

    lanes_open(&lanes, &dataset, LANES);
    CHECK_INT(resident(lanes.order, bytes), 0);
    row_lanes_begin_step(&lanes, 0, NULL);
    hold_whole(&lanes, 0, 1, 1, NULL);
    CHECK(resident(lanes.order, bytes) > of_lane * 9 / 10);
    CHECK(resident(lanes.order, bytes) < of_lane * 11 / 10 + 8192);
    row_lanes_begin_step(&lanes, 1, NULL);
    CHECK(resident(lanes.order, bytes) <= 8192); /* pages that it shares with its neighbours */
    for (uint32_t place = 0; place < ROWS; place++)
        CHECK(lanes.order[place] == 0);
    row_lanes_deinit(&lanes);
    made_dataset_close(&dataset);
}

static void few_buckets_come_in_a_call(void **state)
{
    enum { ROWS = 800, LANES = 4, DENSE = 12000 };
    struct dataset dataset = made_dataset((struct rows_shape){.dense = DENSE, .train = ROWS});
    const struct lane_share shares[LANES] = {{0, 2, 0}, {0, 2, 0}, {0, 2, 0}, {0, 2, 0}};
    struct row_lanes lanes;
    uint32_t held = LANES;
    struct error err;
    (void)state;

    lanes_open(&lanes, &dataset, LANES);
    row_lanes_begin_step(&lanes, 0, NULL);
    CHECK_OK(row_lanes_hold(&lanes, 0, shares, 0, &held, NULL, &err));
    CHECK(held < LANES); /* each comes with 2 MiB and more */
    hold(&lanes, 0, shares, held, LANES - held, NULL);
    held = LANES;
    CHECK_OK(row_lanes_hold(&lanes, 0, shares, 0, &held, NULL, &err));
    CHECK_INT(held, LANES); /* all are there */
    row_lanes_deinit(&lanes);
    made_dataset_close(&dataset);
}

/* ---- rows that come from far away ---- */

static struct row_span announced[64];
static size_t announced_count;

static void note_announced(void *context, const struct dataset *dataset,
                           const struct dataset_part *part, uint64_t first, uint64_t end)
{
    (void)context;
    CHECK(part == &dataset->train && announced_count < sizeof announced / sizeof *announced);
    announced[announced_count++] = (struct row_span){first, end};
}

/* The bucket of the lane that is so many behind its first one in the order of the epoch. */
static void check_next(const struct row_lanes *lanes, size_t at, uint32_t lane, uint32_t behind)
{
    const uint32_t bucket = lanes->sequence[lane * lanes->buckets + behind];

    CHECK(announced[at].first == lanes->starts[bucket]);
    CHECK(announced[at].end == lanes->starts[bucket + 1]);
}

static void what_a_lane_needs_next_is_expected(void **state)
{
    enum { ROWS = 800, LANES = 4, DENSE = 24000 };
    struct dataset dataset = made_dataset((struct rows_shape){.dense = DENSE, .train = ROWS});
    const struct lane_share shares[LANES] = {{0, 2, 0}, {0, 0, 0}, {0, 2, 0}, {0, 2, 0}};
    struct row_lanes lanes;
    (void)state;

    dataset.store->source.expect = note_announced;
    announced_count = 0;
    lanes_open(&lanes, &dataset, LANES);
    CHECK(lanes.buckets >= 4);
    row_lanes_begin_step(&lanes, 0, NULL);
    hold(&lanes, 0, shares, 0, 3, NULL); /* the last lane is another worker's */
    CHECK_INT(announced_count, 4);
    check_next(&lanes, 0, 0, 0);
    check_next(&lanes, 1, 2, 0);
    check_next(&lanes, 2, 0, 1);
    check_next(&lanes, 3, 2, 1);
    row_lanes_begin_step(&lanes, 1, NULL);
    hold(&lanes, 0, shares, 0, 3, NULL);
    CHECK_INT(announced_count, 4); /* each is expected once in an epoch */
    row_lanes_begin_step(&lanes, 2, NULL);
    hold(&lanes, 0, shares, 3, 1, NULL); /* it has moved here */
    CHECK_INT(announced_count, 6);
    check_next(&lanes, 4, 3, 0);
    check_next(&lanes, 5, 3, 1);
    row_lanes_deinit(&lanes);
    made_dataset_close(&dataset);
}

static void rows_that_cannot_be_read_are_a_failure_of_the_step(void **state)
{
    struct dataset dataset = made_dataset((struct rows_shape){.dense = 1, .train = 100});
    const struct lane_share shares[2] = {{0, 3, 0}, {0, 3, 0}};
    struct row_lanes lanes;
    uint32_t count = 2;
    struct error err;
    (void)state;

    for (int shuffle = 0; shuffle < 2; shuffle++) {
        dataset.shuffle = shuffle;
        lanes_open(&lanes, &dataset, 2);
        lose_rows_after(&dataset, 0);
        row_lanes_begin_step(&lanes, 0, NULL);
        CHECK_FAILS(row_lanes_hold(&lanes, 0, shares, 0, &count, NULL, &err), STATUS_IO,
                    "cannot be read");
        CHECK_INT(held_now(&lanes), 0);
        row_lanes_deinit(&lanes);
    }
    made_dataset_close(&dataset);
}

static void without_shuffle_positions_make_lanes(void **state)
{
    struct dataset dataset = made_dataset((struct rows_shape){.dense = 1, .train = 11});
    static const uint32_t expected[] = {0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7};
    struct row_lanes lanes;
    uint32_t at = 0;
    (void)state;

    dataset.shuffle = false;
    lanes_open(&lanes, &dataset, 4);
    for (uint32_t lane = 0; lane < 4; lane++) {
        CHECK_INT(row_lanes_first(&lanes, lane), at);
        for (uint32_t i = 0; i < rows_of_lane(&lanes, lane); i++)
            CHECK_INT(row_lanes_place(&lanes, lane, i), expected[at++]);
    }
    CHECK_INT(at, 11);
    CHECK_INT(row_lanes_first(&lanes, 4), 11);
    row_lanes_deinit(&lanes);
    made_dataset_close(&dataset);
}

/* ---- more rows than 32 bits count ---- */

#define HUGE_ROWS ((uint64_t)10000000000)

enum { HUGE_LANES = 64, HUGE_BATCH = 8192 };

static uint64_t sum_counts(const uint32_t *counts)
{
    uint64_t sum = 0;

    for (uint32_t lane = 0; lane < HUGE_LANES; lane++)
        sum += counts[lane];
    return sum;
}

/* The last steps of an epoch, behind the 4,294,967,296th row. */
static void check_last_steps(const uint32_t *rows, struct lane_share *shares)
{
    uint32_t before[HUGE_LANES], after[HUGE_LANES];

    for (uint64_t position = HUGE_ROWS - HUGE_ROWS % HUGE_BATCH - 8 * HUGE_BATCH;
         position < HUGE_ROWS; position += HUGE_BATCH) {
        const uint64_t left = HUGE_ROWS - position, batch = left < HUGE_BATCH ? left : HUGE_BATCH;

        step_shares_at(rows, HUGE_LANES, HUGE_ROWS, position, before);
        step_shares_at(rows, HUGE_LANES, HUGE_ROWS, position + batch, after);
        CHECK(sum_counts(before) == position && sum_counts(after) == position + batch);
        for (uint32_t lane = 0; lane < HUGE_LANES; lane++) {
            shares[lane] = (struct lane_share){before[lane], after[lane] - before[lane], 0};
            CHECK(shares[lane].count <= batch / HUGE_LANES + 1);
        }
    }
    for (uint32_t lane = 0; lane < HUGE_LANES; lane++)
        CHECK_INT(after[lane], rows[lane]);
}

static void lanes_of_ten_thousand_million_rows_are_shared_out_to_the_last(void **state)
{
    struct dataset dataset = huge_dataset(HUGE_ROWS);
    struct lane_share shares[HUGE_LANES];
    uint32_t rows[HUGE_LANES], last = 0;
    uint64_t from;
    struct row_lanes lanes;
    struct error err;
    (void)state;

    CHECK_OK(row_lanes_init(&lanes, &dataset, HUGE_LANES, &err));
    CHECK(row_lanes_first(&lanes, HUGE_LANES) == HUGE_ROWS);
    CHECK(lanes.starts[lanes.bucket_count] == HUGE_ROWS);
    for (uint32_t lane = 0; lane < HUGE_LANES; lane++)
        rows[lane] = rows_of_lane(&lanes, lane);
    CHECK(sum_counts(rows) == HUGE_ROWS);
    check_last_steps(rows, shares);
    from = row_lanes_first(&lanes, HUGE_LANES - 1);
    row_lanes_begin_step(&lanes, 0, NULL);
    hold(&lanes, 0, shares, HUGE_LANES - 1, 1, NULL);
    CHECK_INT(lanes.held_count, 1);
    for (uint32_t i = 0; i < shares[HUGE_LANES - 1].count; i++) {
        const uint64_t place =
            row_lanes_place(&lanes, HUGE_LANES - 1, shares[HUGE_LANES - 1].first + i);
        const uint64_t row = row_at(&lanes, HUGE_LANES - 1, place);

        CHECK(row >= from && row < HUGE_ROWS && bucket_of(&lanes, row) == lanes.held[0]);
        CHECK(dataset.train.values[row] == HUGE_LABEL); /* it is in memory */
        last = lanes.order[place] != last ? lanes.order[place] : last;
    }
    CHECK(last > 0);
    CHECK(row_lanes_are_intact(&lanes));
    row_lanes_deinit(&lanes);
    huge_dataset_close(&dataset);
}

static void positions_beyond_32_bits_make_lanes(void **state)
{
    struct dataset dataset = {.shuffle = false, .train.rows = HUGE_ROWS + 3};
    struct row_lanes lanes;
    struct error err;
    (void)state;

    CHECK_OK(row_lanes_init(&lanes, &dataset, HUGE_LANES, &err));
    CHECK(row_lanes_first(&lanes, HUGE_LANES) == HUGE_ROWS + 3);
    CHECK_INT(rows_of_lane(&lanes, 2), HUGE_ROWS / HUGE_LANES + 1);
    CHECK_INT(rows_of_lane(&lanes, 3), HUGE_ROWS / HUGE_LANES);
    CHECK(row_lanes_place(&lanes, 2, (uint32_t)(HUGE_ROWS / HUGE_LANES)) == HUGE_ROWS + 2);
    row_lanes_deinit(&lanes);
}

static void a_lane_of_too_many_rows_is_refused(void **state)
{
    struct dataset dataset = huge_dataset(2ull * ROW_LANES_ROWS_MAX);
    struct row_lanes lanes;
    struct error err;
    (void)state;

    CHECK_OK(row_lanes_init(&lanes, &dataset, 2, &err));
    row_lanes_deinit(&lanes);
    CHECK_FAILS(row_lanes_init(&lanes, &dataset, 1, &err), STATUS_LIMIT,
                "one of 1 lanes has 4294967294 rows, and can have at most 2147483647");
    huge_dataset_close(&dataset);
}

static void an_order_that_changes_by_itself_is_found(void **state)
{
    struct dataset dataset = made_dataset((struct rows_shape){.dense = 1, .train = 100});
    struct row_lanes lanes;
    (void)state;

    for (int goes = 0; goes < 2; goes++) {
        lanes_open(&lanes, &dataset, 4);
        row_lanes_begin_step(&lanes, 0, NULL);
        hold_whole(&lanes, 0, 0, 2, NULL);
        CHECK(row_lanes_are_intact(&lanes));
        lanes.order[3] ^= 8;
        CHECK(!row_lanes_are_intact(&lanes));
        if (goes)
            row_lanes_begin_step(&lanes, 1, NULL);
        else
            hold_whole(&lanes, 1, 0, 2, NULL);
        CHECK(!row_lanes_are_intact(&lanes)); /* also when another order lies there, or none */
        row_lanes_deinit(&lanes);
    }
    made_dataset_close(&dataset);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lane_has_the_rows_of_its_range_of_keys),
        cmocka_unit_test(a_lane_takes_its_rows_bucket_by_bucket),
        cmocka_unit_test(one_bucket_of_each_lane_fits_into_128_mib),
        cmocka_unit_test(the_order_does_not_depend_on_who_makes_it_and_when),
        cmocka_unit_test(any_step_takes_the_same_rows_whatever_came_before_it),
        cmocka_unit_test(a_step_that_begins_with_a_bucket_needs_none_before_it),
        cmocka_unit_test(a_bucket_goes_when_its_rows_are_taken),
        cmocka_unit_test(a_lane_that_is_computed_elsewhere_is_given_back),
        cmocka_unit_test(the_order_of_a_bucket_takes_memory_while_it_is_held),
        cmocka_unit_test(few_buckets_come_in_a_call),
        cmocka_unit_test(what_a_lane_needs_next_is_expected),
        cmocka_unit_test(rows_that_cannot_be_read_are_a_failure_of_the_step),
        cmocka_unit_test(without_shuffle_positions_make_lanes),
        cmocka_unit_test(lanes_of_ten_thousand_million_rows_are_shared_out_to_the_last),
        cmocka_unit_test(positions_beyond_32_bits_make_lanes),
        cmocka_unit_test(a_lane_of_too_many_rows_is_refused),
        cmocka_unit_test(an_order_that_changes_by_itself_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
