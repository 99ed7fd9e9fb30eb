#include "runtime/data/row_lanes.h"

#include <stdlib.h>

#include "base/words.h"
#include "runtime/data/row_order.h"

struct bucket_key {
    uint64_t bits;
    uint32_t bucket; /* of its lane */
};

/* So many that one of them has the bytes of a bucket, of lanes of average size. */
static uint32_t count_buckets(const struct dataset *dataset, uint32_t lanes)
{
    const uint64_t of_row =
        sizeof(float) * (dataset->transform.dense_width + dataset->transform.id_count + 1ull);
    const uint64_t of_lane = dataset->train.rows * of_row / lanes;
    uint32_t buckets = 1;

    while (of_lane / buckets > ROW_LANES_BUCKET_BYTES)
        buckets *= 2;
    return dataset->shuffle ? buckets : 1;
}

/* Rows at every lanes-th position, from the lane's number on. */
static void deal_positions(struct row_lanes *lanes)
{
    uint32_t place = 0;

    for (uint32_t lane = 0; lane < lanes->lanes; lane++) {
        const uint32_t first = place;

        lanes->starts[lane] = first;
        for (uint64_t row = lane; row < lanes->dataset->train.rows; row += lanes->lanes)
            lanes->order[place++] = (uint32_t)row;
        lanes->sums[lane] = words_sum(lanes->order + first, place - first);
    }
    lanes->starts[lanes->lanes] = place;
}

enum status row_lanes_init(struct row_lanes *lanes, const struct dataset *dataset, uint32_t count,
                           struct error *err)
{
    const uint32_t buckets = count_buckets(dataset, count), rows = dataset->train.rows;
    const size_t all = (size_t)count * buckets;

    *lanes = (struct row_lanes){.dataset = dataset, .lanes = count, .buckets = buckets};
    lanes->starts = calloc(all + 1, sizeof *lanes->starts);
    lanes->order = calloc(rows + 1ull, sizeof *lanes->order);
    lanes->epochs = calloc(count, sizeof *lanes->epochs);
    lanes->sums = calloc(count, sizeof *lanes->sums);
    lanes->places = calloc(all, sizeof *lanes->places);
    lanes->keys = calloc(buckets, sizeof *lanes->keys);
    if (dataset->shuffle)
        lanes->space = malloc((2ull * rows + 1) * sizeof *lanes->space);
    if (!lanes->starts || !lanes->order || !lanes->epochs || !lanes->sums || !lanes->places ||
        !lanes->keys || (dataset->shuffle && !lanes->space)) {
        row_lanes_deinit(lanes);
        return fail_no_memory(err);
    }
    if (dataset->shuffle)
        dataset_share_out(dataset, &dataset->train, (uint32_t)all, lanes->starts);
    else
        deal_positions(lanes);
    return STATUS_OK;
}

void row_lanes_deinit(struct row_lanes *lanes)
{
    free(lanes->starts);
    free(lanes->order);
    free(lanes->epochs);
    free(lanes->sums);
    free(lanes->places);
    free(lanes->keys);
    free(lanes->space);
    *lanes = (struct row_lanes){.dataset = NULL};
}

static int compare_keys(const void *a, const void *b)
{
    const struct bucket_key *x = a, *y = b;

    if (x->bits != y->bits)
        return x->bits < y->bits ? -1 : 1;
    return (x->bucket > y->bucket) - (x->bucket < y->bucket);
}

/* Places the lane's buckets one after the other, in the epoch's order of them. */
static void place_buckets(struct row_lanes *lanes, uint32_t epoch, uint32_t lane)
{
    const uint32_t first = lane * lanes->buckets;
    uint32_t place = lanes->starts[first];

    for (uint32_t b = 0; b < lanes->buckets; b++)
        lanes->keys[b] = (struct bucket_key){
            random_bits(lanes->dataset->seed, RANDOM_BUCKET, epoch, first + b), b};
    qsort(lanes->keys, lanes->buckets, sizeof *lanes->keys, compare_keys);
    for (uint32_t b = 0; b < lanes->buckets; b++) {
        const uint32_t bucket = first + lanes->keys[b].bucket;

        lanes->places[bucket] = place;
        place += lanes->starts[bucket + 1] - lanes->starts[bucket];
    }
}

static uint32_t sum_lane(const struct row_lanes *lanes, uint32_t lane)
{
    const uint32_t first = row_lanes_first(lanes, lane);

    return words_sum(lanes->order + first, row_lanes_first(lanes, lane + 1) - first);
}

/* Places that hold no order yet are 0, and so is their sum. */
static bool is_intact(const struct row_lanes *lanes, uint32_t lane)
{
    return sum_lane(lanes, lane) == lanes->sums[lane];
}

struct ordering {
    struct row_lanes *lanes;
    uint32_t epoch, first; /* bucket, over all lanes */
};

static void order_bucket(void *context, uint32_t member, uint32_t number)
{
    const struct ordering *ordering = context;
    const struct row_lanes *lanes = ordering->lanes;
    const uint32_t bucket = ordering->first + number, lane = bucket / lanes->buckets;
    const uint32_t first = lanes->starts[bucket], end = lanes->starts[bucket + 1];
    const struct row_key key = {lanes->dataset->seed, RANDOM_ORDER, ordering->epoch};
    (void)member;

    if (lanes->epochs[lane] != 1ull + ordering->epoch)
        row_order_run(&key, lanes->dataset->train.hashes, first, end - first,
                      lanes->space + 2ull * first, lanes->order + lanes->places[bucket]);
}

void row_lanes_order(struct row_lanes *lanes, uint32_t epoch, uint32_t first, uint32_t count,
                     struct team *team)
{
    struct ordering ordering = {lanes, epoch, first * lanes->buckets};
    uint32_t wanting = 0;

    if (!lanes->dataset->shuffle)
        return;
    for (uint32_t lane = first; lane < first + count; lane++)
        if (lanes->epochs[lane] != 1ull + epoch) {
            lanes->was_bad |= !is_intact(lanes, lane);
            place_buckets(lanes, epoch, lane);
            wanting++;
        }
    if (wanting == 0)
        return;
    team_run(team, count * lanes->buckets, order_bucket, &ordering);
    for (uint32_t lane = first; lane < first + count; lane++)
        if (lanes->epochs[lane] != 1ull + epoch) {
            lanes->epochs[lane] = 1ull + epoch;
            lanes->sums[lane] = sum_lane(lanes, lane);
        }
}

bool row_lanes_are_intact(const struct row_lanes *lanes)
{
    for (uint32_t lane = 0; lane < lanes->lanes; lane++)
        if (!is_intact(lanes, lane))
            return false;
    return !lanes->was_bad;
}
