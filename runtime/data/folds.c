#include "runtime/data/folds.h"

#include <stdlib.h>
#include <string.h>

#include "base/sums/hash.h"
#include "runtime/data/spool/row_order.h"
#include "runtime/data/spool/spool_reader.h"

struct folds {
    struct spool spool;
    struct arena views;
    struct spool_column_view *columns; /* views of the block at hand */
    uint32_t count;
    uint8_t *of_row; /* (spool.rows): in the order of blocks, and of rows that are not gone */
    uint64_t rows[FOLDS_MAX];
};

/* A row while it is dealt. */
struct dealt_row {
    uint64_t set; /* its class, or its group; of rows that have neither the same for all */
    uint64_t key, tie;
    uint32_t row;
};

struct dealt_group {
    uint64_t first, rows, key; /* first of the group's sorted rows, their count, their key */
};

/* ---- blocks ---- */

/* Behind them lies the sample, whose rows are there once more. */
static uint32_t block_count(const struct folds *folds)
{
    return folds->spool.ranges.sample_block;
}

typedef enum status block_visit(void *context, const struct spool_block *block, struct error *err);

static enum status visit_block(const struct folds *folds, uint32_t number, block_visit *visit,
                               void *context, struct error *err)
{
    struct spool_block block;
    enum status status;

    status = spool_open_block(&folds->spool, number, folds->columns, &block, err);
    if (status == STATUS_OK)
        status = visit(context, &block, err);
    spool_release_block(&folds->spool, number);
    return status;
}

/* ---- which fold ---- */

struct dealing {
    const struct fold_rule *rule;
    struct folds *folds;
    struct dealt_row *rows; /* (spool.rows) */
    uint64_t count;
};

/* Zero has one sign in a spool: equal values have equal bytes. */
static uint64_t class_bits(const struct spool_column_view *column, uint32_t row)
{
    struct slice bytes;

    if (column->type == SPOOL_TEXT)
        bytes = spool_cell(column, row).text;
    else
        bytes = (struct slice){(const char *)&column->numbers[(size_t)row * column->stride],
                               sizeof *column->numbers};
    return bytes_hash(bytes.data, bytes.size, 0);
}

static enum status take_block(void *context, const struct spool_block *block, struct error *err)
{
    struct dealing *dealing = context;
    const struct fold_rule *rule = dealing->rule;
    const struct row_key key = {rule->seed, rule->by_group ? RANDOM_GROUP_FOLD : RANDOM_FOLD, 0};

    for (uint32_t row = 0; row < block->rows; row++) {
        const struct row_hash *hash = &block->hashes[row];
        uint64_t set = 0;

        if (spool_is_gone(block, row))
            continue;
        if (dealing->count == dealing->folds->spool.rows)
            return fail(err, STATUS_CORRUPT, "the spool has more rows than it says");
        if (rule->by_group)
            set = hash->high;
        else if (rule->by_class)
            set = class_bits(&block->columns[rule->class_column], row);
        dealing->rows[dealing->count] =
            (struct dealt_row){.set = set,
                               .key = row_key_bits(&key, hash),
                               .tie = rule->by_group ? hash->low : hash->low ^ hash->high,
                               .row = (uint32_t)dealing->count};
        dealing->count++;
    }
    return STATUS_OK;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_rows(const void *a, const void *b)
{
    const struct dealt_row *x = a, *y = b;

    if (x->set != y->set)
        return compare_numbers(x->set, y->set);
    return x->key != y->key ? compare_numbers(x->key, y->key) : compare_numbers(x->tie, y->tie);
}

static void put_into(struct folds *folds, const struct dealt_row *row, uint32_t fold)
{
    folds->of_row[row->row] = (uint8_t)fold;
    folds->rows[fold]++;
}

static int compare_groups(const void *a, const void *b)
{
    const struct dealt_group *x = a, *y = b;

    return x->rows != y->rows ? compare_numbers(y->rows, x->rows) : compare_numbers(x->key, y->key);
}

/* Rows of a group are side by side. */
static uint64_t list_groups(const struct dealing *dealing, struct dealt_group *groups)
{
    uint64_t count = 0;

    for (uint64_t i = 0; i < dealing->count; i++) {
        const struct dealt_row *row = &dealing->rows[i];

        if (i == 0 || row->set != row[-1].set)
            groups[count++] = (struct dealt_group){.first = i, .key = row->key};
        groups[count - 1].rows++;
    }
    qsort(groups, count, sizeof *groups, compare_groups);
    return count;
}

static uint32_t lightest(const struct folds *folds)
{
    uint32_t fold = 0;

    for (uint32_t i = 1; i < folds->count; i++)
        if (folds->rows[i] < folds->rows[fold])
            fold = i;
    return fold;
}

static enum status deal_groups(struct dealing *dealing, struct error *err)
{
    struct dealt_group *groups = calloc(dealing->count, sizeof *groups);
    uint64_t count;

    if (!groups)
        return fail_no_memory(err);
    count = list_groups(dealing, groups);
    for (uint64_t g = 0; g < count; g++) {
        const uint32_t fold = lightest(dealing->folds);

        for (uint64_t i = 0; i < groups[g].rows; i++)
            put_into(dealing->folds, &dealing->rows[groups[g].first + i], fold);
    }
    free(groups);
    if (count >= dealing->rule->folds)
        return STATUS_OK;
    fail(err, STATUS_INVALID, "%u folds need as many groups, and the rows have %llu",
         dealing->rule->folds, (unsigned long long)count);
    return count < 2 ? err->status
                     : error_hint(err, "WITH train.folds = %llu has a fold for each.",
                                  (unsigned long long)count);
}

static enum status deal(struct dealing *dealing, struct error *err)
{
    for (uint32_t b = 0; b < block_count(dealing->folds); b++)
        TRY(visit_block(dealing->folds, b, take_block, dealing, err));
    if (dealing->count != dealing->folds->spool.rows)
        return fail(err, STATUS_CORRUPT, "the spool has fewer rows than it says");
    if (dealing->count < dealing->rule->folds)
        return fail(err, STATUS_INVALID, "%u folds need as many rows, and there are %llu",
                    dealing->rule->folds, (unsigned long long)dealing->count);
    qsort(dealing->rows, dealing->count, sizeof *dealing->rows, compare_rows);
    if (dealing->rule->by_group)
        return deal_groups(dealing, err);
    /* In turn, over all classes: a class of one row does not always go to the first fold. */
    for (uint64_t i = 0; i < dealing->count; i++)
        put_into(dealing->folds, &dealing->rows[i], (uint32_t)(i % dealing->rule->folds));
    return STATUS_OK;
}

/* ---- life ---- */

static enum status check_spool(const struct folds *folds, const struct fold_rule *rule,
                               struct error *err)
{
    if (!folds->spool.is_keyed || folds->spool.ranges.rows[SPOOL_HELD_OUT] > 0 ||
        (rule->by_class && rule->class_column >= folds->spool.column_count))
        return fail(err, STATUS_INVALID, "the rows cannot be dealt into folds");
    if (folds->spool.rows > UINT32_MAX)
        return fail(err, STATUS_LIMIT, "at most %u rows are dealt into folds, and there are %llu",
                    UINT32_MAX, (unsigned long long)folds->spool.rows);
    return STATUS_OK;
}

static enum status open_rows(struct folds *folds, const struct fold_rule *rule, struct error *err)
{
    struct dealing dealing = {.rule = rule, .folds = folds};
    enum status status;

    TRY(check_spool(folds, rule, err));
    folds->count = rule->folds;
    folds->columns = calloc(folds->spool.column_count, sizeof *folds->columns);
    folds->of_row = malloc(folds->spool.rows + 1);
    dealing.rows = malloc((folds->spool.rows + 1) * sizeof *dealing.rows);
    status =
        folds->columns && folds->of_row && dealing.rows ? deal(&dealing, err) : fail_no_memory(err);
    free(dealing.rows);
    return status;
}

enum status folds_open(const char *path, const struct fold_rule *rule, struct folds **folds,
                       struct error *err)
{
    enum status status;

    *folds = calloc(1, sizeof **folds);
    if (!*folds)
        return fail_no_memory(err);
    arena_init(&(*folds)->views, ARENA_MAXIMUM);
    status = spool_open(path, NULL, NULL, &(*folds)->views, &(*folds)->spool, err);
    if (status == STATUS_OK)
        status = open_rows(*folds, rule, err);
    if (status != STATUS_OK) {
        folds_close(*folds);
        *folds = NULL;
    }
    return status;
}

void folds_close(struct folds *folds)
{
    if (!folds)
        return;
    spool_close(&folds->spool);
    arena_deinit(&folds->views);
    free(folds->columns);
    free(folds->of_row);
    free(folds);
}

uint64_t folds_rows(const struct folds *folds, uint32_t fold)
{
    return folds->rows[fold];
}

uint32_t folds_columns(const struct folds *folds)
{
    return folds->spool.column_count;
}

enum spool_type folds_column_type(const struct folds *folds, uint32_t column)
{
    return folds->spool.types[column];
}

/* ---- rows ---- */

struct putting {
    const struct folds *folds;
    const struct fold_writers *writers;
    uint32_t fold;
    uint64_t next; /* row */
};

static enum status put_cell(struct spool_writer *writer, const struct spool_column_view *column,
                            uint32_t row, struct error *err)
{
    if (spool_is_null(column, row))
        return spool_put_null(writer, err);
    switch (column->type) {
    case SPOOL_REAL:
        return spool_put_real(writer, spool_real(column, row), err);
    case SPOOL_INTEGER:
        return spool_put_integer(writer, spool_integer(column, row), err);
    default:
        return spool_put_text(writer, spool_cell(column, row).text, err);
    }
}

static enum status put_row(const struct putting *putting, const struct spool_block *block,
                           uint32_t row, struct error *err)
{
    const bool is_of_fold = putting->folds->of_row[putting->next] == putting->fold;
    struct spool_writer *writer = is_of_fold ? putting->writers->fold : putting->writers->others;

    for (uint32_t c = 0; c < putting->folds->spool.column_count; c++)
        TRY(put_cell(writer, &block->columns[c], row, err));
    return spool_end_row(writer, err);
}

static enum status put_block(void *context, const struct spool_block *block, struct error *err)
{
    struct putting *putting = context;
    const struct fold_writers *writers = putting->writers;

    if (writers->is_stopped && writers->is_stopped(writers->context))
        return fail(err, STATUS_INTERRUPTED, "interrupted");
    for (uint32_t row = 0; row < block->rows; row++) {
        if (spool_is_gone(block, row))
            continue;
        TRY(put_row(putting, block, row, err));
        putting->next++;
    }
    return STATUS_OK;
}

enum status folds_put(const struct folds *folds, uint32_t fold, const struct fold_writers *writers,
                      struct error *err)
{
    struct putting putting = {.folds = folds, .writers = writers, .fold = fold};

    for (uint32_t b = 0; b < block_count(folds); b++)
        TRY(visit_block(folds, b, put_block, &putting, err));
    return STATUS_OK;
}
