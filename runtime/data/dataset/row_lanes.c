#include "runtime/data/dataset/row_lanes.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/sums/words.h"
#include "runtime/data/dataset/row_store.h"
#include "runtime/data/spool/row_order.h"

struct bucket_key {
    uint64_t bits;
    uint32_t bucket; /* its number among all */
};

/* ---- life ---- */

/* So many that one of them has at most the bytes of a bucket, of lanes of average size. */
static uint32_t count_buckets(const struct dataset *dataset, uint32_t lanes)
{
    const uint64_t of_lane = row_store_bytes(dataset, dataset->train.rows) / lanes;
    const uint64_t together = ROW_LANES_BYTES / lanes;
    const uint64_t most = together < ROW_LANES_BUCKET_BYTES ? together : ROW_LANES_BUCKET_BYTES;
    uint32_t buckets = 1;

    while (of_lane / buckets > most)
        buckets *= 2;
    return buckets;
}

static size_t order_bytes(const struct row_lanes *lanes)
{
    return (lanes->dataset->train.rows + 1ull) * sizeof *lanes->order;
}

/* Memory that is there once it is written, and reads as 0 before. */
static bool reserve_order(struct row_lanes *lanes)
{
    void *order = mmap(NULL, order_bytes(lanes), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    lanes->order = order == MAP_FAILED ? NULL : order;
    return lanes->order != NULL;
}

static enum status check_lane(uint64_t rows, uint32_t lanes, struct error *err)
{
    if (rows <= ROW_LANES_ROWS_MAX)
        return STATUS_OK;
    fail(err, STATUS_LIMIT, "one of %u lanes has %llu rows, and can have at most %u", lanes,
         (unsigned long long)rows, ROW_LANES_ROWS_MAX);
    return error_hint(err,
                      "Raise job.lanes, or train.batch_size, with which there are more lanes.");
}

static enum status check_lanes(const struct row_lanes *lanes, struct error *err)
{
    for (uint32_t lane = 0; lane < lanes->lanes; lane++)
        TRY(check_lane(row_lanes_first(lanes, lane + 1) - row_lanes_first(lanes, lane),
                       lanes->lanes, err));
    return STATUS_OK;
}

enum status row_lanes_init(struct row_lanes *lanes, const struct dataset *dataset, uint32_t count,
                           struct error *err)
{
    const uint32_t sharing = dataset->shuffle ? count : 1; /* lanes with buckets of their own */
    const uint32_t buckets = count_buckets(dataset, sharing);
    const size_t all = (size_t)sharing * buckets;
    enum status status;

    *lanes = (struct row_lanes){.dataset = dataset,
                                .lanes = count,
                                .buckets = buckets,
                                .bucket_count = (uint32_t)all,
                                .step = UINT64_MAX};
    lanes->starts = calloc(all + 1, sizeof *lanes->starts);
    lanes->all = calloc(all, sizeof *lanes->all);
    lanes->epochs = calloc(count, sizeof *lanes->epochs);
    lanes->sequence = calloc(all, sizeof *lanes->sequence);
    lanes->keys = calloc(buckets, sizeof *lanes->keys);
    lanes->held = calloc(all, sizeof *lanes->held);
    lanes->wanted = calloc(all, sizeof *lanes->wanted);
    lanes->released = calloc(all, sizeof *lanes->released);
    if (!lanes->starts || !lanes->all || !lanes->epochs || !lanes->sequence || !lanes->keys ||
        !lanes->held || !lanes->wanted || !lanes->released ||
        (dataset->shuffle && !reserve_order(lanes))) {
        row_lanes_deinit(lanes);
        return fail_no_memory(err);
    }
    dataset_share_out(dataset, &dataset->train, lanes->bucket_count, lanes->starts);
    status = check_lanes(lanes, err);
    if (status != STATUS_OK)
        row_lanes_deinit(lanes);
    return status;
}

void row_lanes_deinit(struct row_lanes *lanes)
{
    row_lanes_release(lanes, NULL);
    if (lanes->order)
        munmap(lanes->order, order_bytes(lanes));
    free(lanes->starts);
    free(lanes->all);
    free(lanes->epochs);
    free(lanes->sequence);
    free(lanes->keys);
    free(lanes->held);
    free(lanes->wanted);
    free(lanes->released);
    *lanes = (struct row_lanes){.dataset = NULL};
}

uint64_t row_lanes_first(const struct row_lanes *lanes, uint32_t lane)
{
    const uint64_t rows = lanes->dataset->train.rows, over = rows % lanes->lanes;

    if (lanes->dataset->shuffle)
        return lanes->starts[(size_t)lane * lanes->buckets];
    return lane * (rows / lanes->lanes) + (lane < over ? lane : over);
}

uint64_t row_lanes_place(const struct row_lanes *lanes, uint32_t lane, uint32_t i)
{
    return lanes->dataset->shuffle ? row_lanes_first(lanes, lane) + i
                                   : (uint64_t)i * lanes->lanes + lane;
}

/* ---- the order of a bucket ---- */

static uint32_t rows_of(const struct row_lanes *lanes, uint32_t bucket)
{
    return (uint32_t)(lanes->starts[bucket + 1] - lanes->starts[bucket]);
}

static uint32_t sum_order(const struct row_lanes *lanes, uint32_t bucket)
{
    return words_sum(lanes->order + lanes->all[bucket].place, rows_of(lanes, bucket));
}

static bool is_intact(const struct row_lanes *lanes, uint32_t bucket)
{
    return !lanes->all[bucket].is_ordered || sum_order(lanes, bucket) == lanes->all[bucket].sum;
}

/* Its memory goes back, but for what lies in pages beside that of other buckets. */
static void clear_places(uint32_t *order, uint64_t first, uint32_t count)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t from = (uintptr_t)(order + first), to = from + count * sizeof *order;
    const uintptr_t inner = (from + page - 1) / page * page, inner_end = to / page * page;

    if (inner >= inner_end || madvise((void *)inner, inner_end - inner, MADV_DONTNEED) != 0) {
        memset((void *)from, 0, to - from);
        return;
    }
    memset((void *)from, 0, inner - from);
    memset((void *)inner_end, 0, to - inner_end);
}

static void forget_order(struct row_lanes *lanes, uint32_t number)
{
    struct lane_bucket *bucket = &lanes->all[number];

    if (!bucket->is_ordered)
        return;
    lanes->was_bad |= !is_intact(lanes, number);
    clear_places(lanes->order, bucket->place, rows_of(lanes, number));
    bucket->is_ordered = false;
}

struct ordering {
    struct row_lanes *lanes;
    uint32_t epoch, largest; /* rows of the largest bucket */
};

static void order_bucket(void *context, uint32_t member, uint32_t number)
{
    const struct ordering *ordering = context;
    struct row_lanes *lanes = ordering->lanes;
    const uint32_t bucket = lanes->wanted[number];
    const uint64_t first = lanes->starts[bucket], lane = bucket / lanes->buckets;
    const struct row_key key = {lanes->dataset->seed, RANDOM_ORDER, ordering->epoch};

    row_order_run(&key, lanes->dataset->train.hashes + first, rows_of(lanes, bucket),
                  (uint32_t)(first - lanes->starts[lane * lanes->buckets]),
                  lanes->space + 2ull * ordering->largest * member,
                  lanes->order + lanes->all[bucket].place);
    lanes->all[bucket].sum = sum_order(lanes, bucket);
    lanes->all[bucket].is_ordered = true;
}

static enum status make_space(struct row_lanes *lanes, size_t count, struct error *err)
{
    if (count <= lanes->space_count)
        return STATUS_OK;
    free(lanes->space);
    lanes->space = malloc(count * sizeof *lanes->space);
    lanes->space_count = lanes->space ? count : 0;
    return lanes->space ? STATUS_OK : fail_no_memory(err);
}

static enum status order_wanted(struct row_lanes *lanes, uint32_t epoch, struct team *team,
                                struct error *err)
{
    struct ordering ordering = {.lanes = lanes, .epoch = epoch};

    for (uint32_t i = 0; i < lanes->wanted_count; i++)
        if (rows_of(lanes, lanes->wanted[i]) > ordering.largest)
            ordering.largest = rows_of(lanes, lanes->wanted[i]);
    TRY(make_space(lanes, 2ull * ordering.largest * team_size(team), err));
    team_run(team, lanes->wanted_count, order_bucket, &ordering);
    return STATUS_OK;
}

/* ---- the order of a lane's buckets ---- */

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
    uint64_t place = lanes->starts[first];

    if (lanes->epochs[lane] == 1ull + epoch)
        return;
    for (uint32_t b = 0; b < lanes->buckets; b++) {
        forget_order(lanes, first + b);
        lanes->keys[b] = (struct bucket_key){
            random_bits(lanes->dataset->seed, RANDOM_BUCKET, epoch, first + b), first + b};
    }
    qsort(lanes->keys, lanes->buckets, sizeof *lanes->keys, compare_keys);
    for (uint32_t b = 0; b < lanes->buckets; b++) {
        const uint32_t bucket = lanes->keys[b].bucket;

        lanes->sequence[first + b] = bucket;
        lanes->all[bucket].place = place;
        lanes->all[bucket].is_expected = false;
        place += rows_of(lanes, bucket);
    }
    lanes->epochs[lane] = 1ull + epoch;
}

/* ---- hold, release ---- */

/* The bucket is no longer held once the spans are released. */
static void let_go(struct row_lanes *lanes, uint32_t number, uint32_t *count)
{
    forget_order(lanes, number);
    lanes->released[(*count)++] =
        (struct row_span){lanes->starts[number], lanes->starts[number + 1]};
    lanes->all[number].is_held = false;
}

static void release_spans(struct row_lanes *lanes, uint32_t count, struct team *team)
{
    if (count > 0)
        row_store_release_all(lanes->dataset, &lanes->dataset->train, lanes->released, count, team);
}

void row_lanes_release(struct row_lanes *lanes, struct team *team)
{
    uint32_t count = 0;

    while (lanes->held_count > 0)
        let_go(lanes, lanes->held[--lanes->held_count], &count);
    release_spans(lanes, count, team);
    free(lanes->space);
    lanes->space = NULL;
    lanes->space_count = 0;
}

void row_lanes_begin_step(struct row_lanes *lanes, uint64_t step, struct team *team)
{
    uint32_t kept = 0, count = 0;

    if (step == lanes->step)
        return;
    for (uint32_t i = 0; i < lanes->held_count; i++) {
        const uint32_t number = lanes->held[i];

        if (lanes->all[number].is_taken || lanes->all[number].needed != lanes->step)
            let_go(lanes, number, &count);
        else
            lanes->held[kept++] = number;
    }
    lanes->held_count = kept;
    release_spans(lanes, count, team);
    lanes->step = step;
}

/* A call of row_lanes_hold. */
struct holding {
    struct row_lanes *lanes;
    uint64_t bytes; /* bytes of the rows that came or are ordered */
    struct team *team;
};

static enum status need_bucket(struct holding *holding, uint32_t number, bool is_taken,
                               struct error *err)
{
    struct row_lanes *lanes = holding->lanes;
    const struct dataset *dataset = lanes->dataset;
    struct lane_bucket *bucket = &lanes->all[number];
    const bool is_ready = bucket->is_held && (bucket->is_ordered || !lanes->order);

    if (!bucket->is_held) {
        TRY(row_store_hold(dataset, &dataset->train, lanes->starts[number],
                           lanes->starts[number + 1], holding->team, err));
        bucket->is_held = true;
        lanes->held[lanes->held_count++] = number;
    }
    if (!is_ready)
        holding->bytes += row_store_bytes(dataset, rows_of(lanes, number));
    if (lanes->order && !bucket->is_ordered)
        lanes->wanted[lanes->wanted_count++] = number;
    bucket->needed = lanes->step;
    bucket->is_taken = is_taken;
    return STATUS_OK;
}

/* The last of the lane's buckets that begins at the place or before it. */
static uint32_t find_in_sequence(const struct row_lanes *lanes, uint32_t lane, uint64_t place)
{
    uint32_t low = lane * lanes->buckets, high = low + lanes->buckets;

    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;

        if (lanes->all[lanes->sequence[middle]].place <= place)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static enum status hold_places(struct holding *holding, uint32_t lane,
                               const struct lane_share *share, struct error *err)
{
    const struct row_lanes *lanes = holding->lanes;
    const uint64_t from = row_lanes_place(lanes, lane, share->first), to = from + share->count;
    const uint32_t end = (lane + 1) * lanes->buckets;

    for (uint32_t i = find_in_sequence(lanes, lane, from); i < end; i++) {
        const uint32_t number = lanes->sequence[i];
        const uint64_t place = lanes->all[number].place;

        if (place >= to)
            break;
        TRY(need_bucket(holding, number, to >= place + rows_of(lanes, number), err));
    }
    return STATUS_OK;
}

/* ---- what comes from far away ---- */

static void expect_bucket(struct row_lanes *lanes, uint32_t number)
{
    struct lane_bucket *bucket = &lanes->all[number];

    if (bucket->is_held || bucket->is_expected)
        return;
    bucket->is_expected = true;
    row_store_expect(lanes->dataset, &lanes->dataset->train, lanes->starts[number],
                     lanes->starts[number + 1]);
}

/* The buckets of the lane's share; is_next: the one behind them instead. */
static void expect_places(struct row_lanes *lanes, uint32_t lane, const struct lane_share *share,
                          bool is_next)
{
    const uint64_t from = row_lanes_place(lanes, lane, share->first), to = from + share->count;
    const uint32_t end = (lane + 1) * lanes->buckets;
    uint32_t i = find_in_sequence(lanes, lane, from);

    for (; i < end && lanes->all[lanes->sequence[i]].place < to; i++)
        if (!is_next)
            expect_bucket(lanes, lanes->sequence[i]);
    if (is_next && i < end)
        expect_bucket(lanes, lanes->sequence[i]);
}

static void expect_lanes(struct row_lanes *lanes, uint32_t epoch, const struct lane_share *shares,
                         uint32_t first, uint32_t count)
{
    if (!lanes->order || !row_store_expects(lanes->dataset))
        return;
    for (uint32_t lane = first; lane < first + count; lane++)
        place_buckets(lanes, epoch, lane);
    for (int is_next = 0; is_next < 2; is_next++)
        for (uint32_t lane = first; lane < first + count; lane++)
            if (shares[lane].count > 0)
                expect_places(lanes, lane, &shares[lane], is_next);
}

/* ---- lanes that share buckets ---- */

/* The last bucket that begins at the row or before it. */
static uint32_t find_bucket(const struct row_lanes *lanes, uint64_t row)
{
    uint32_t low = 0, high = lanes->bucket_count;

    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;

        if (lanes->starts[middle] <= row)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The last row of a bucket is taken by one lane, and others may want more of it. */
static enum status hold_positions(struct holding *holding, uint32_t lane,
                                  const struct lane_share *share, struct error *err)
{
    const struct row_lanes *lanes = holding->lanes;
    const uint64_t last = row_lanes_place(lanes, lane, share->first + share->count - 1);

    for (uint32_t number = find_bucket(lanes, row_lanes_place(lanes, lane, share->first));
         number < lanes->bucket_count && lanes->starts[number] <= last; number++)
        TRY(need_bucket(holding, number, false, err));
    return STATUS_OK;
}

enum status row_lanes_hold(struct row_lanes *lanes, uint32_t epoch, const struct lane_share *shares,
                           uint32_t first, uint32_t *count, struct team *team, struct error *err)
{
    const uint64_t most = ROW_LANES_BUCKET_BYTES * team_size(team);
    struct holding holding = {.lanes = lanes, .team = team};
    uint32_t done = 0;

    lanes->wanted_count = 0;
    expect_lanes(lanes, epoch, shares, first, *count);
    for (; done < *count && (done < team_size(team) || holding.bytes < most); done++) {
        const uint32_t lane = first + done;

        if (lanes->order)
            place_buckets(lanes, epoch, lane);
        if (shares[lane].count > 0)
            TRY(lanes->order ? hold_places(&holding, lane, &shares[lane], err)
                             : hold_positions(&holding, lane, &shares[lane], err));
    }
    *count = done;
    return order_wanted(lanes, epoch, team, err);
}

bool row_lanes_are_intact(const struct row_lanes *lanes)
{
    for (uint32_t i = 0; i < lanes->held_count; i++)
        if (!is_intact(lanes, lanes->held[i]))
            return false;
    return !lanes->was_bad;
}
