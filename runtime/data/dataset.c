#include "runtime/data/dataset.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/data/dataset_check.h"
#include "runtime/data/dataset_encode.h"
#include "runtime/data/dataset_labels.h"
#include "runtime/data/dataset_learn.h"
#include "runtime/data/dataset_parts.h"
#include "runtime/data/dataset_summary.h"
#include "runtime/data/dataset_ranges.h"
#include "runtime/data/row_order.h"
#include "runtime/data/row_store.h"
#include "runtime/data/spool_reader.h"

#define CACHE_LINE         64 /* bytes */
#define SPOOLED_EPOCHS_MAX 4

static void split_deinit(struct split *split)
{
    free(split->is_training);
    free(split->places);
    free(split->hashes);
}

/* ---- a spool that lies as the SELECT gave the rows ---- */

/* At least one row, never all, of two or more. */
static uint32_t held_out_rows(uint64_t rows, double test_size)
{
    double held_out = floor((double)rows * test_size);

    if (test_size <= 0 || rows < 2)
        return 0;
    if (held_out < 1)
        return 1;
    return held_out > (double)(rows - 1) ? (uint32_t)(rows - 1) : (uint32_t)held_out;
}

static bool is_twin(const struct row_hash *a, const struct row_hash *b)
{
    return a->low == b->low && a->high == b->high;
}

/* Equal rows lie side by side in the sorted order. The second and later ones
 * get hashes of their own, from the row and its number among its equals, so
 * that they spread over batches and held-out rows as any others do. Which of
 * them has which number makes no difference. True when there were any.
 * sorted (rows): row_order's; only rows that agree in it can be equal. */
static bool part_twins(const uint64_t *sorted, uint32_t rows, struct row_hash *hashes)
{
    struct row_hash first = {0, 0};
    uint64_t number = 0;
    bool has_twins = false, has_first = false;

    for (uint32_t i = 1; i < rows; i++) {
        struct row_hash *hash = &hashes[(uint32_t)sorted[i]];

        if (sorted[i] >> 32 != sorted[i - 1] >> 32) {
            has_first = false;
            continue;
        }
        if (!has_first)
            first = hashes[(uint32_t)sorted[i - 1]];
        if (!has_first || !is_twin(hash, &first))
            number = 0;
        has_first = true;
        if (!is_twin(hash, &first)) {
            first = *hash;
            continue;
        }
        number++;
        hash->low = random_bits(first.low, RANDOM_TWIN, first.high, number);
        hash->high = random_bits(first.high, RANDOM_TWIN, first.low, number);
        has_twins = true;
    }
    return has_twins;
}

struct copying {
    const struct spool *spool;
    struct row_hash *hashes;
};

static void copy_hashes(void *context, uint32_t member, uint32_t number)
{
    const struct copying *copying = context;
    const struct spool_block *block = &copying->spool->blocks[number];
    (void)member;

    memcpy(copying->hashes + block->first_row, block->hashes, block->rows * sizeof *block->hashes);
}

/* All rows, sorted by the key that gives them to lanes: sorted, of row_order_space, is as row_order
 * leaves it. */
static void sort_rows(const struct spool *spool, uint64_t seed, struct team *team,
                      struct row_hash *hashes, uint64_t *sorted)
{
    const struct row_key key = {seed, RANDOM_LANE, 0};
    const uint32_t rows = (uint32_t)spool->rows;
    struct copying copying = {spool, hashes};

    team_run(team, spool->block_count, copy_hashes, &copying);
    row_order(&key, hashes, rows, team, sorted, NULL);
    if (part_twins(sorted, rows, hashes))
        row_order(&key, hashes, rows, team, sorted, NULL);
}

#define RANKS_A_TASK 65536

/* Ranks are places in the sorted order. */
struct placing {
    const uint64_t *sorted;
    uint32_t rows;
    const struct split *split;
    uint32_t *held_out; /* (tasks): among the task's ranks, then of those before it */
};

static bool trains(const struct split *split, uint32_t row)
{
    return !split->is_training || split->is_training[row];
}

static uint32_t ranks_end(const struct placing *placing, uint32_t task)
{
    const uint32_t first = task * RANKS_A_TASK;

    return placing->rows - first < RANKS_A_TASK ? placing->rows : first + RANKS_A_TASK;
}

static void count_held_out(void *context, uint32_t member, uint32_t task)
{
    const struct placing *placing = context;
    uint32_t count = 0;
    (void)member;

    for (uint32_t rank = task * RANKS_A_TASK; rank < ranks_end(placing, task); rank++)
        count += !trains(placing->split, (uint32_t)placing->sorted[rank]);
    placing->held_out[task] = count;
}

static void place_ranks(void *context, uint32_t member, uint32_t task)
{
    const struct placing *placing = context;
    uint32_t held_out = placing->held_out[task];
    (void)member;

    for (uint32_t rank = task * RANKS_A_TASK; rank < ranks_end(placing, task); rank++) {
        const uint32_t row = (uint32_t)placing->sorted[rank];

        placing->split->places[row] = trains(placing->split, row) ? rank - held_out : held_out++;
    }
}

/* Each part lies in the sorted order, so that nothing learned can depend on the order of the table,
 * and a lane's rows lie side by side. Without shuffle the rows that train keep the SELECT's
 * order. */
static enum status place_rows(const uint64_t *sorted, uint32_t rows, bool keep_order,
                              struct team *team, struct split *split, struct error *err)
{
    const uint32_t tasks = (uint32_t)(((uint64_t)rows + RANKS_A_TASK - 1) / RANKS_A_TASK);
    struct placing placing = {sorted, rows, split, calloc(tasks + 1u, sizeof(uint32_t))};
    uint32_t next = 0, before = 0;

    if (!placing.held_out)
        return fail_no_memory(err);
    team_run(team, tasks, count_held_out, &placing);
    for (uint32_t task = 0; task < tasks; task++) {
        const uint32_t count = placing.held_out[task];

        placing.held_out[task] = before;
        before += count;
    }
    team_run(team, tasks, place_ranks, &placing);
    for (uint32_t row = 0; keep_order && row < rows; row++)
        if (trains(split, row))
            split->places[row] = next++;
    free(placing.held_out);
    return STATUS_OK;
}

/* The rows that are held out are the first ones by a key of their own. */
static enum status hold_out(uint64_t seed, uint32_t rows, struct team *team, uint64_t *space,
                            struct split *split, struct error *err)
{
    const struct row_key key = {seed, RANDOM_HELD_OUT, 0};

    split->is_training = malloc(rows);
    if (!split->is_training)
        return fail_no_memory(err);
    row_order_mark(&key, split->hashes, rows, split->held_out, team, space, split->is_training);
    for (uint32_t row = 0; row < rows; row++)
        split->is_training[row] = !split->is_training[row];
    return STATUS_OK;
}

static enum status split_rows(const struct spool *spool, uint64_t seed, uint32_t held_out,
                              bool keep_order, struct team *team, struct split *split,
                              struct error *err)
{
    const uint32_t rows = (uint32_t)spool->rows;
    uint64_t *sorted = malloc(row_order_space(rows) * sizeof *sorted), *space = NULL;
    enum status status = STATUS_OK;

    *split = (struct split){.held_out = held_out};
    split->places = malloc(rows * sizeof *split->places);
    split->hashes = malloc(rows * sizeof *split->hashes);
    if (held_out > 0)
        space = malloc(row_order_space(rows) * sizeof *space);
    if (!sorted || !split->places || !split->hashes || (held_out > 0 && !space)) {
        status = fail_no_memory(err);
        goto done;
    }
    sort_rows(spool, seed, team, split->hashes, sorted);
    if (held_out > 0)
        TRY_OR(done, status, hold_out(seed, rows, team, space, split, err));
    status = place_rows(sorted, rows, keep_order, team, split, err);
done:
    free(sorted);
    free(space);
    return status;
}

static enum status open_spool(const char *folder, const char *name, struct team *team,
                              struct arena *arena, struct spool *spool, struct error *err)
{
    char path[4096];
    int size = snprintf(path, sizeof path, "%s/%s", folder, name);

    if (size < 0 || (size_t)size >= sizeof path)
        return fail(err, STATUS_INVALID, "the path of the job's folder is too long");
    return spool_open(path, team, arena, spool, err);
}

/* ---- a spool that lies by key ---- */

#define LOAD_TASKS 256

struct loading {
    const struct part_source *source;
    const struct class_index *index;
    struct dataset_part *part;
    struct range_loader **loaders; /* (team_size) */
    struct error *errors;          /* (LOAD_TASKS) */
};

static void load_task(void *context, uint32_t member, uint32_t task)
{
    const struct loading *loading = context;
    const uint32_t of_task = (1u << loading->source->spool->ranges.bits) / LOAD_TASKS;

    error_clear(&loading->errors[task]);
    range_load(loading->loaders[member], loading->source, loading->index, task * of_task,
               (task + 1) * of_task, loading->part, &loading->errors[task]);
}

/* All rows of the part. */
static enum status load_part(const struct dataset *dataset, const struct spool *spool,
                             enum spool_part number, const struct class_index *index,
                             struct team *team, struct dataset_part *part, struct error *err)
{
    struct part_source source;
    struct loading loading = {.source = &source, .index = index, .part = part};
    const uint32_t members = team_size(team);
    enum status status;

    TRY_OR(done, status, part_source_init(&source, spool, number, &dataset->transform, err));
    loading.loaders = calloc(members, sizeof *loading.loaders);
    loading.errors = calloc(LOAD_TASKS, sizeof *loading.errors);
    if (!loading.loaders || !loading.errors)
        TRY_OR(done, status, fail_no_memory(err));
    for (uint32_t m = 0; m < members; m++)
        TRY_OR(done, status, range_loader_new(dataset, spool, &loading.loaders[m], err));
    team_run(team, LOAD_TASKS, load_task, &loading);
    status = first_failure(loading.errors, LOAD_TASKS, err);
done:
    for (uint32_t m = 0; loading.loaders && m < members; m++)
        range_loader_free(loading.loaders[m]);
    free(loading.loaders);
    free(loading.errors);
    part_source_deinit(&source);
    return status;
}

static enum status check_keyed(const struct spool *spool, const struct jobspec *spec,
                               struct error *err)
{
    return spool->ranges.seed == spec->seed
               ? STATUS_OK
               : fail(err, STATUS_CORRUPT, "the rows lie by keys of another seed than the job's");
}

static enum status read_keyed(const struct jobspec *spec, struct class_index *index,
                              struct team *team, struct dataset *dataset, struct error *err)
{
    const struct spool *spool = &dataset->spool;
    const uint64_t *rows = spool->ranges.rows;

    TRY(check_keyed(spool, spec, err));
    if (!spec->shuffle)
        return fail(err, STATUS_CORRUPT, "the rows lie by key, and not as the SELECT gave them");
    TRY(dataset_learn(spool, spec, NULL, team, dataset, index, err));
    TRY(part_allocate(dataset, spec->task, rows[SPOOL_KEPT], true, &dataset->train, err));
    TRY(part_allocate(dataset, spec->task, rows[SPOOL_HELD_OUT], true, &dataset->validation, err));
    TRY(load_part(dataset, spool, SPOOL_KEPT, index, team, &dataset->train, err));
    return load_part(dataset, spool, SPOOL_HELD_OUT, index, team, &dataset->validation, err);
}

/* validation.spool, encoded with what the training rows taught. */
static enum status open_validation(const char *folder, const struct jobspec *spec,
                                   const struct class_index *index, struct team *team,
                                   struct dataset *dataset, struct error *err)
{
    struct arena views;
    struct spool spool;
    struct split split = {0};
    enum status status;

    arena_init(&views, ARENA_BYTES_MAX);
    TRY_OR(no_spool, status, open_spool(folder, "validation.spool", team, &views, &spool, err));
    TRY_OR(done, status, dataset_check(&spool, spec, "validation.select", err));
    TRY_OR(done, status,
           part_allocate(dataset, spec->task, spool.rows, true, &dataset->validation, err));
    if (spool.is_keyed) {
        TRY_OR(done, status, check_keyed(&spool, spec, err));
        TRY_OR(done, status,
               load_part(dataset, &spool, SPOOL_KEPT, index, team, &dataset->validation, err));
    } else {
        TRY_OR(done, status, split_rows(&spool, spec->seed, 0, false, team, &split, err));
        status = encode_rows(&spool, dataset, index, &split, team, &dataset->validation, NULL, err);
    }
done:
    split_deinit(&split);
    spool_close(&spool);
no_spool:
    arena_deinit(&views);
    return status;
}

/* A row that is taken a few times is encoded as often sooner than once into
 * memory that is fresh. */
static bool stays_in_spool(const struct dataset *dataset, const struct jobspec *spec)
{
    return spec->epochs <= SPOOLED_EPOCHS_MAX &&
           has_plain_numbers(&dataset->spool, &dataset->transform) &&
           dataset->spool.map_size / sizeof(int64_t) <= UINT32_MAX;
}

static enum status read_plain(const struct jobspec *spec, struct split *split,
                              struct class_index *index, struct team *team, struct dataset *dataset,
                              struct error *err)
{
    const struct spool *spool = &dataset->spool;
    bool is_dense;
    const uint32_t held_out =
        spec->has_validation ? 0 : held_out_rows(spool->rows, spec->test_size);

    TRY(split_rows(spool, spec->seed, held_out, !spec->shuffle, team, split, err));
    TRY(dataset_learn(spool, spec, split->is_training, team, dataset, index, err));
    is_dense = !stays_in_spool(dataset, spec);
    TRY(part_allocate(dataset, spec->task, spool->rows - held_out, is_dense, &dataset->train, err));
    TRY(part_allocate(dataset, spec->task, held_out, is_dense, &dataset->validation, err));
    return encode_rows(spool, dataset, index, split, team, &dataset->train, &dataset->validation,
                       err);
}

static enum status read_rows(const char *folder, const struct jobspec *spec, struct split *split,
                             struct class_index *index, struct team *team, struct dataset *dataset,
                             struct error *err)
{
    if (dataset->spool.is_keyed)
        TRY(read_keyed(spec, index, team, dataset, err));
    else
        TRY(read_plain(spec, split, index, team, dataset, err));
    if (spec->has_validation)
        TRY(open_validation(folder, spec, index, team, dataset, err));
    return STATUS_OK;
}

static void close_spool(struct dataset *dataset)
{
    spool_close(&dataset->spool);
    arena_deinit(&dataset->views);
}

struct spool_order dataset_order(const struct jobspec *spec, bool is_validation, uint32_t threads)
{
    return (struct spool_order){
        .by_key = spec->shuffle || is_validation,
        .seed = spec->seed,
        .held_out = is_validation || spec->has_validation ? 0 : spec->test_size,
        .threads = threads,
        .spec = is_validation ? NULL : spec,
    };
}

enum status dataset_open(const char *folder, const struct jobspec *spec, struct team *team,
                         struct dataset *dataset, struct error *err)
{
    struct split split = {0};
    struct class_index index = {0};
    enum status status;

    *dataset = (struct dataset){.seed = spec->seed, .shuffle = spec->shuffle};
    arena_init(&dataset->arena, ARENA_BYTES_MAX);
    arena_init(&dataset->views, ARENA_BYTES_MAX);
    TRY_OR(done, status,
           open_spool(folder, "train.spool", team, &dataset->views, &dataset->spool, err));
    TRY_OR(done, status, dataset_check(&dataset->spool, spec, "the SELECT", err));
    TRY_OR(done, status, read_rows(folder, spec, &split, &index, team, dataset, err));
    dataset_sum_hashes(dataset, &dataset->train);
    dataset_sum_hashes(dataset, &dataset->validation);
    TRY_OR(done, status, dataset_take_sample(dataset, team, err));
    status = row_store_open(dataset, NULL, team, err);
done:
    class_index_deinit(&index);
    split_deinit(&split);
    if (status != STATUS_OK)
        dataset_close(dataset);
    else if (dataset->train.dense)
        close_spool(dataset);
    return status;
}

void dataset_close(struct dataset *dataset)
{
    row_store_close(dataset);
    part_free(&dataset->train);
    part_free(&dataset->validation);
    part_free(&dataset->sample);
    close_spool(dataset);
    arena_deinit(&dataset->arena);
    *dataset = (struct dataset){0};
}

static const double *cells_of(const struct dataset *dataset, const struct dataset_part *part,
                              uint32_t row)
{
    return (const double *)dataset->spool.map + part->cells[row];
}

void dataset_take_row(const struct dataset *dataset, const struct dataset_part *part, uint32_t row,
                      float *dense)
{
    const size_t width = dataset->transform.dense_width;

    if (part->dense)
        memcpy(dense, part->dense + row * width, width * sizeof *dense);
    else
        transform_reals(&dataset->transform, cells_of(dataset, part, row), dense);
}

static void expect(const void *from, size_t size)
{
    for (size_t line = 0; line < size; line += CACHE_LINE)
        __builtin_prefetch((const char *)from + line);
}

void dataset_prefetch_row(const struct dataset *dataset, const struct dataset_part *part,
                          uint32_t row)
{
    const size_t width = dataset->transform.dense_width, ids = dataset->transform.id_count;

    if (part->dense)
        expect(part->dense + row * width, width * sizeof *part->dense);
    else
        expect(cells_of(dataset, part, row), width * sizeof(double));
    if (ids)
        expect(part->ids + row * ids, sizeof *part->ids);
}

void dataset_expect_label(const struct dataset_part *part, uint32_t row)
{
    if (part->cells)
        __builtin_prefetch(part->cells + row);
    if (part->values)
        __builtin_prefetch(part->values + row);
    else if (part->classes)
        __builtin_prefetch(part->classes + row);
}

/* The range of the row's key, of `ranges` equal ones. */
static uint32_t range_of(const struct dataset *dataset, const struct dataset_part *part,
                         uint32_t row, uint32_t ranges)
{
    const struct row_key key = {dataset->seed, RANDOM_LANE, 0};

    return (uint32_t)((unsigned __int128)row_key_bits(&key, &part->hashes[row]) * ranges >> 64);
}

void dataset_share_out(const struct dataset *dataset, const struct dataset_part *part,
                       uint32_t ranges, uint32_t *starts)
{
    const bool by_key = dataset->shuffle || part != &dataset->train;

    starts[0] = 0;
    for (uint32_t range = 1; range < ranges; range++) {
        uint32_t low = starts[range - 1], high = part->rows;

        if (!by_key)
            low = high = (uint32_t)((uint64_t)range * part->rows / ranges);
        while (low < high) { /* the first row of this range or a later one is in [low, high] */
            const uint32_t middle = low + (high - low) / 2;

            if (range_of(dataset, part, middle, ranges) < range)
                low = middle + 1;
            else
                high = middle;
        }
        starts[range] = low;
    }
    starts[ranges] = part->rows;
}
