#include "runtime/data/plain_rows.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/data/dataset/dataset_encode.h"
#include "runtime/data/dataset/dataset_summary.h"
#include "runtime/data/dataset/row_split.h"
#include "runtime/data/dataset/row_store.h"
#include "runtime/data/dataset_learn.h"
#include "runtime/data/spool/held_out.h"
#include "runtime/data/spool/row_order.h"

static void split_deinit(struct split *split)
{
    free(split->is_training);
    free(split->places);
    free(split->hashes);
}

/* Equal rows lie side by side in the sorted order. The second and later ones
 * get hashes of their own, from the row and its number among its equals, so
 * that they spread over batches and held-out rows as any others do. Which of
 * them has which number makes no difference. True when there were any.
 * sorted (rows): row_order's; only rows that agree in it can be equal. */
static bool part_twins(const struct spool_held_out *rule, const uint64_t *sorted, uint32_t rows,
                       struct row_hash *hashes)
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
        if (!has_first || !row_hashes_equal(hash, &first))
            number = 0;
        has_first = true;
        if (!row_hashes_equal(hash, &first)) {
            first = *hash;
            continue;
        }
        number++;
        *hash = held_out_hash_of_copy(rule, &first, number);
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
static void sort_rows(const struct spool *spool, uint64_t seed, const struct spool_held_out *rule,
                      struct team *team, struct row_hash *hashes, uint64_t *sorted)
{
    const struct row_key key = {seed, RANDOM_LANE, 0};
    const uint32_t rows = (uint32_t)spool->rows;
    struct copying copying = {spool, hashes};

    team_run(team, spool->block_count, copy_hashes, &copying);
    row_order(&key, hashes, rows, team, sorted, NULL);
    if (part_twins(rule, sorted, rows, hashes))
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

/* Holds out the first rows of each stratum by a key of their own. Where no row is held out,
 * split->is_training stays NULL. */
static enum status hold_out(const struct spool_held_out *rule, uint64_t seed, uint32_t rows,
                            struct team *team, struct split *split, struct error *err)
{
    const struct row_key key = {seed, RANDOM_HELD_OUT, 0};
    const uint32_t strata = held_out_strata(rule);
    uint64_t *counts = calloc(2ull * strata, sizeof *counts), *quotas = counts + strata, sum = 0;
    uint64_t *space = malloc(row_order_space(rows) * sizeof *space);
    uint32_t *order = malloc((rows + 1ull) * sizeof *order);
    enum status status = STATUS_OK;

    if (!counts || !space || !order) {
        status = fail_no_memory(err);
        goto done;
    }
    for (uint32_t row = 0; row < rows; row++)
        counts[held_out_stratum(rule, &split->hashes[row])]++;
    TRY_OR(done, status, held_out_quotas(rule, counts, quotas, &sum, err));
    split->held_out = (uint32_t)sum;
    if (sum == 0)
        goto done;
    split->is_training = malloc(rows);
    if (!split->is_training) {
        status = fail_no_memory(err);
        goto done;
    }
    row_order(&key, split->hashes, rows, team, space, order);
    for (uint32_t rank = 0; rank < rows; rank++) {
        uint64_t *quota = &quotas[held_out_stratum(rule, &split->hashes[order[rank]])];

        split->is_training[order[rank]] = *quota == 0;
        *quota -= *quota > 0;
    }
done:
    free(counts);
    free(space);
    free(order);
    return status;
}

static enum status split_rows(const struct spool *spool, uint64_t seed,
                              const struct spool_held_out *rule, bool keep_order, struct team *team,
                              struct split *split, struct error *err)
{
    const uint32_t rows = (uint32_t)spool->rows;
    uint64_t *sorted = malloc(row_order_space(rows) * sizeof *sorted);
    enum status status = STATUS_OK;

    *split = (struct split){0};
    split->places = malloc(rows * sizeof *split->places);
    split->hashes = malloc(rows * sizeof *split->hashes);
    if (!sorted || !split->places || !split->hashes) {
        status = fail_no_memory(err);
        goto done;
    }
    sort_rows(spool, seed, rule, team, split->hashes, sorted);
    if (rule->share > 0)
        TRY_OR(done, status, hold_out(rule, seed, rows, team, split, err));
    status = place_rows(sorted, rows, keep_order, team, split, err);
done:
    free(sorted);
    return status;
}

enum status plain_rows_check(const struct dataset *dataset, uint64_t rows, struct error *err)
{
    const uint64_t bytes = row_store_bytes(dataset, rows);

    return rows <= UINT32_MAX && bytes <= DATASET_BYTES_MAX
               ? STATUS_OK
               : fail(err, STATUS_LIMIT,
                      "%llu rows take %llu bytes of memory without shuffle, more than %llu",
                      (unsigned long long)rows, (unsigned long long)bytes,
                      (unsigned long long)DATASET_BYTES_MAX);
}

/* The rows of validation.spool, encoded with what the training rows taught. */
static enum status encode_validation(const struct jobspec *spec, const struct class_index *index,
                                     struct team *team, struct dataset *dataset, struct error *err)
{
    const struct spool *spool = &dataset->validation_spool;
    const struct spool_held_out nothing = {0};
    struct split split = {0};
    enum status status;

    TRY_OR(done, status, plain_rows_check(dataset, spool->rows, err));
    TRY_OR(done, status, split_rows(spool, spec->seed, &nothing, false, team, &split, err));
    TRY_OR(done, status,
           part_allocate(dataset, spec->task, spool->rows, &dataset->validation, err));
    status = encode_rows(spool, dataset, index, &split, team, &dataset->validation, NULL, err);
done:
    split_deinit(&split);
    return status;
}

static enum status encode_all(const struct jobspec *spec, struct split *split,
                              struct class_index *index, struct team *team, struct dataset *dataset,
                              struct error *err)
{
    const struct spool *spool = &dataset->spool;
    const struct spool_held_out rule = dataset_held_out(spec);

    /* Whatever they are encoded as: so their numbers fit into 32 bits. */
    TRY(plain_rows_check(dataset, spool->rows, err));
    TRY(split_rows(spool, spec->seed, &rule, !spec->shuffle, team, split, err));
    TRY(dataset_learn(spool, spec, split->is_training, team, dataset, index, err));
    TRY(plain_rows_check(dataset, spool->rows, err));
    TRY(part_allocate(dataset, spec->task, spool->rows - split->held_out, &dataset->train, err));
    TRY(part_allocate(dataset, spec->task, split->held_out, &dataset->validation, err));
    TRY(encode_rows(spool, dataset, index, split, team, &dataset->train, &dataset->validation,
                    err));
    if (spec->has_validation)
        TRY(encode_validation(spec, index, team, dataset, err));
    dataset_sum_hashes(dataset, &dataset->train);
    dataset_sum_hashes(dataset, &dataset->validation);
    TRY(dataset_take_sample(dataset, team, err));
    return row_store_open(dataset, NULL, team, err);
}

enum status plain_rows_open(struct dataset *dataset, const struct jobspec *spec, struct team *team,
                            struct error *err)
{
    struct class_index index = {0};
    struct split split = {0};
    const enum status status = encode_all(spec, &split, &index, team, dataset, err);

    class_index_deinit(&index);
    split_deinit(&split);
    return status;
}
