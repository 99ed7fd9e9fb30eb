#include "tests/sim/toy_rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/random.h"
#include "runtime/data/dataset/row_lanes.h"
#include "runtime/data/dataset/row_store.h"
#include "runtime/learn/descent/step_shares.h"

#define RANGE_BITS   12
#define RANGES       (1u << RANGE_BITS)
#define LOAD_US      300 /* and up to 16 times as long */
#define KEPT_BUCKETS 3   /* rows that nobody holds stay, as many as these have */

enum { TRAIN, HELD_OUT };

static uint64_t mix(uint64_t a, uint64_t b, uint64_t c)
{
    return random_bits(a, RANDOM_SIMULATION, b, c);
}

static void die(const char *what, uint64_t row)
{
    fprintf(stderr, "toy_rows: %s: row %llu\n", what, (unsigned long long)row);
    abort();
}

/* ---- the table ---- */

/* Ranges in the middle have fewer rows than those at both ends, so lanes differ. */
static uint64_t *make_starts(uint64_t rows)
{
    uint64_t *starts = calloc(RANGES + 1, sizeof *starts);

    if (!starts)
        abort();
    for (uint32_t range = 0; range <= RANGES; range++) {
        const double x = (double)range / RANGES;

        starts[range] = (uint64_t)floor((double)rows * (x + 0.3 * x * (1 - x) * (1 - 2 * x)));
    }
    starts[RANGES] = rows;
    return starts;
}

struct toy_table *toy_table_new(const struct toy_table_plan *plan)
{
    struct toy_table *table = calloc(1, sizeof *table);

    if (!table)
        abort();
    table->plan = *plan;
    table->starts[TRAIN] = make_starts(plan->rows);
    table->starts[HELD_OUT] = make_starts(plan->held_out);
    table->loaded_by = calloc(RANGES + 1, sizeof *table->loaded_by);
    if (!table->loaded_by)
        abort();
    return table;
}

void toy_table_free(struct toy_table *table)
{
    free(table->starts[TRAIN]);
    free(table->starts[HELD_OUT]);
    free(table->loaded_by);
    free(table);
}

void toy_table_reset(struct toy_table *table)
{
    memset(table->loaded_by, 0, (RANGES + 1) * sizeof *table->loaded_by);
    table->learners = 0;
    table->loads = table->moves = table->taken = 0;
}

static uint64_t steps_per_epoch(const struct toy_table *table)
{
    return (table->plan.rows - 1) / table->plan.batch + 1;
}

static uint64_t step_first(const struct toy_table *table, uint64_t step)
{
    return step % steps_per_epoch(table) * table->plan.batch;
}

uint64_t toy_table_step_rows(const struct toy_table *table, uint64_t step)
{
    const uint64_t left = table->plan.rows - step_first(table, step);

    return left < table->plan.batch ? left : table->plan.batch;
}

uint32_t toy_table_epoch(const struct toy_table *table, uint64_t step)
{
    return (uint32_t)(step / steps_per_epoch(table));
}

/* ---- rows of a learner ---- */

struct toy_rows {
    struct toy_table *table;
    struct dataset dataset;
    struct row_lanes lanes;
    uint32_t number;     /* the learner's */
    uint32_t *lane_rows; /* (lanes) */
    uint64_t *held_out;  /* (lanes + 1) */
    uint32_t *taken, *taken_next;
    struct lane_share *shares; /* (lanes), of `step` */
    uint64_t step;             /* UINT64_MAX: none */
    bool loses_next;
    uint64_t loads, load_us; /* buckets that came; since they were asked for */
    uint64_t waited_us;      /* in all */
    bool *is_taken;          /* (ranges): the bytes of the bucket that begins there */
};

/* Never 0, which is what lies where no row is. */
static int32_t value_of(const struct toy_rows *rows, const struct dataset_part *part, uint64_t row)
{
    const uint64_t which = part == &rows->dataset.train ? TRAIN : HELD_OUT;

    return (int32_t)(mix(rows->table->plan.seed, row, 100 + which) >> 32) | 1;
}

/* The first of the ranges that begin with the row. */
static uint32_t range_of(const struct toy_table *table, int which, uint64_t row)
{
    uint32_t low = 0, high = RANGES;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (table->starts[which][middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void note_load(struct toy_rows *rows, uint64_t first)
{
    struct toy_table *table = rows->table;
    uint32_t *by = &table->loaded_by[range_of(table, TRAIN, first)];

    table->moves += *by != 0 && *by != rows->number;
    *by = rows->number;
}

/* Its bytes stay as long as the learner. */
static void take(struct toy_rows *rows, const struct dataset_part *part, uint64_t first,
                 uint64_t end)
{
    bool *is_taken = &rows->is_taken[range_of(rows->table, TRAIN, first)];

    if (part != &rows->dataset.train || *is_taken)
        return;
    *is_taken = true;
    rows->table->taken += end - first;
}

static void expect(void *context, const struct dataset *dataset, const struct dataset_part *part,
                   uint64_t first, uint64_t end)
{
    (void)dataset;
    take(context, part, first, end);
}

static enum status load(void *context, const struct dataset *dataset,
                        const struct dataset_part *part, uint64_t first, uint64_t end,
                        struct team *team, struct error *err)
{
    struct toy_rows *rows = context;
    uint64_t us;
    (void)dataset;
    (void)team;

    if (rows->loses_next) {
        rows->loses_next = false;
        return fail(err, STATUS_IO, "the rows from %llu on cannot be read",
                    (unsigned long long)first);
    }
    for (uint64_t row = first; row < end; row++) {
        if (part->classes[row] != 0)
            die("it is loaded twice", row);
        part->classes[row] = value_of(rows, part, row);
        part->hashes[row] = (struct row_hash){row, mix(rows->table->plan.seed, row, 102)};
    }
    rows->table->loads++;
    rows->loads++;
    us = LOAD_US * (1 + mix(rows->table->plan.seed, first, rows->loads) % 16);
    rows->load_us += us;
    rows->waited_us += us;
    take(rows, part, first, end);
    if (part == &rows->dataset.train)
        note_load(rows, first);
    return STATUS_OK;
}

/* All of it reads as 0 then, and whole pages take no memory. */
static void clear(void *start, size_t bytes)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)start;
    const uintptr_t inner = (from + page - 1) / page * page, end = (from + bytes) / page * page;

    if (inner >= end) {
        memset(start, 0, bytes);
        return;
    }
    memset(start, 0, inner - from);
    if (madvise((void *)inner, end - inner, MADV_DONTNEED) != 0)
        abort();
    memset((void *)end, 0, from + bytes - end);
}

static void drop(void *context, const struct dataset *dataset, const struct dataset_part *part,
                 uint64_t first, uint64_t end)
{
    (void)context;
    (void)dataset;
    clear(part->classes + first, (end - first) * sizeof *part->classes);
    clear(part->hashes + first, (end - first) * sizeof *part->hashes);
}

static void *reserve(size_t bytes)
{
    void *memory = mmap(NULL, bytes + 1, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (memory == MAP_FAILED)
        abort();
    return memory;
}

static struct dataset_part make_part(const struct toy_table *table, int which, uint64_t rows)
{
    return (struct dataset_part){
        .rows = rows,
        .classes = reserve(rows * sizeof(int32_t)),
        .hashes = reserve(rows * sizeof(struct row_hash)),
        .range_starts = table->starts[which],
        .range_bits = RANGE_BITS,
    };
}

static void free_part(struct dataset_part *part)
{
    munmap(part->classes, part->rows * sizeof *part->classes + 1);
    munmap(part->hashes, part->rows * sizeof *part->hashes + 1);
}

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);

    if (!memory)
        abort();
    return memory;
}

static void check(enum status status, const struct error *err)
{
    if (status == STATUS_OK)
        return;
    fprintf(stderr, "toy_rows: %s\n", err->message);
    abort();
}

struct toy_rows *toy_rows_new(struct toy_table *table)
{
    const struct toy_table_plan *plan = &table->plan;
    struct toy_rows *rows = allocate(1, sizeof *rows);
    const struct row_source source = {
        .context = rows, .load = load, .expect = expect, .drop = drop, .has_sample = true};
    struct error err;

    rows->table = table;
    rows->number = ++table->learners;
    rows->step = UINT64_MAX;
    rows->is_taken = allocate(RANGES, sizeof *rows->is_taken);
    rows->dataset = (struct dataset){
        .seed = plan->seed,
        .shuffle = true,
        .transform.dense_width = plan->row_bytes / sizeof(float),
        .train = make_part(table, TRAIN, plan->rows),
        .validation = make_part(table, HELD_OUT, plan->held_out),
    };
    check(row_store_open(&rows->dataset, &source, NULL, &err), &err);
    if (plan->seed % 2) /* rows that nobody holds stay for a while */
        row_store_keep(&rows->dataset, KEPT_BUCKETS * 20 * (plan->rows / plan->lanes / 8 + 1));
    check(row_lanes_init(&rows->lanes, &rows->dataset, plan->lanes, &err), &err);
    rows->lane_rows = allocate(plan->lanes, sizeof *rows->lane_rows);
    rows->held_out = allocate(plan->lanes + 1ull, sizeof *rows->held_out);
    rows->taken = allocate(plan->lanes, sizeof *rows->taken);
    rows->taken_next = allocate(plan->lanes, sizeof *rows->taken_next);
    rows->shares = allocate(plan->lanes, sizeof *rows->shares);
    for (uint32_t lane = 0; lane < plan->lanes; lane++)
        rows->lane_rows[lane] = (uint32_t)(row_lanes_first(&rows->lanes, lane + 1) -
                                           row_lanes_first(&rows->lanes, lane));
    dataset_share_out(&rows->dataset, &rows->dataset.validation, plan->lanes, rows->held_out);
    return rows;
}

static void check_nothing_held(const struct toy_rows *rows)
{
    const struct row_store *store = rows->dataset.store;

    if (store->bytes > store->bytes_kept)
        die("rows are in memory that nobody needs", store->bytes);
}

void toy_rows_free(struct toy_rows *rows)
{
    row_lanes_deinit(&rows->lanes);
    check_nothing_held(rows);
    row_store_close(&rows->dataset);
    free_part(&rows->dataset.train);
    free_part(&rows->dataset.validation);
    free(rows->is_taken);
    free(rows->lane_rows);
    free(rows->held_out);
    free(rows->taken);
    free(rows->taken_next);
    free(rows->shares);
    free(rows);
}

static void share_out(struct toy_rows *rows, uint64_t step)
{
    const struct toy_table *table = rows->table;
    const uint64_t first = step_first(table, step);

    if (rows->step == step)
        return;
    step_shares_at(rows->lane_rows, table->plan.lanes, table->plan.rows, first, rows->taken);
    step_shares_at(rows->lane_rows, table->plan.lanes, table->plan.rows,
                   first + toy_table_step_rows(table, step), rows->taken_next);
    for (uint32_t lane = 0; lane < table->plan.lanes; lane++)
        rows->shares[lane] =
            (struct lane_share){rows->taken[lane], rows->taken_next[lane] - rows->taken[lane], 0};
    rows->step = step;
}

static uint64_t use(const struct toy_rows *rows, const struct dataset_part *part, uint64_t row)
{
    const int32_t value = part->classes[row];

    if (row >= part->rows || value != value_of(rows, part, row))
        die("it is used and not there", row);
    return (uint64_t)value * 0x9e3779b97f4a7c15u;
}

enum status toy_rows_step(struct toy_rows *rows, uint64_t step, uint32_t lane,
                          struct toy_lane *made, struct error *err)
{
    const uint32_t epoch = toy_table_epoch(rows->table, step);
    const struct dataset_part *train = &rows->dataset.train;
    const uint64_t from = row_lanes_first(&rows->lanes, lane);
    uint32_t count = 1;

    share_out(rows, step);
    row_lanes_begin_step(&rows->lanes, step, NULL);
    TRY(row_lanes_hold(&rows->lanes, epoch, rows->shares, lane, &count, NULL, err));
    *made = (struct toy_lane){.rows = rows->shares[lane].count};
    for (uint32_t i = 0; i < rows->shares[lane].count; i++) {
        const uint64_t place = row_lanes_place(&rows->lanes, lane, rows->shares[lane].first + i);

        made->sum = made->sum * 31 + use(rows, train, from + rows->lanes.order[place]);
    }
    return STATUS_OK;
}

enum status toy_rows_held_out(struct toy_rows *rows, uint64_t step, uint32_t lane,
                              struct toy_lane *made, struct error *err)
{
    const uint64_t first = rows->held_out[lane], end = rows->held_out[lane + 1];
    const struct dataset_part *part = &rows->dataset.validation;

    row_lanes_begin_step(&rows->lanes, step, NULL);
    TRY(row_store_hold(&rows->dataset, part, first, end, NULL, err));
    *made = (struct toy_lane){.rows = end - first};
    for (uint64_t row = first; row < end; row++)
        made->sum = made->sum * 31 + use(rows, part, row);
    row_store_release(&rows->dataset, part, first, end);
    return STATUS_OK;
}

enum status toy_rows_verify(const struct toy_rows *rows, struct error *err)
{
    uint64_t position = 0;

    if (!row_lanes_are_intact(&rows->lanes))
        return fail(err, STATUS_CORRUPT, "the order of rows changed by itself");
    return row_store_verify(&rows->dataset, &position, UINT64_MAX, err);
}

struct learner_course toy_rows_course(const struct toy_rows *rows)
{
    return (struct learner_course){steps_per_epoch(rows->table), rows->lanes.buckets};
}

uint64_t toy_rows_waited_ms(const struct toy_rows *rows)
{
    return rows->waited_us / 1000;
}

void toy_rows_lose(struct toy_rows *rows)
{
    rows->loses_next = true;
}

int64_t toy_rows_load_us(struct toy_rows *rows)
{
    const uint64_t us = rows->load_us;

    rows->load_us = 0;
    return (int64_t)us;
}
