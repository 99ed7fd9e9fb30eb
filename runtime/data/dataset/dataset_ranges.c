#include "runtime/data/dataset/dataset_ranges.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/data/spool/disk_reads.h"
#include "runtime/data/spool/row_order.h"
#include "runtime/data/spool/spool_reader.h"

#define LIST_BITS  10
#define LIST_SHIFT (SPOOL_RANGE_BITS - LIST_BITS)
#define KEY_BITS   64

/* Blocks by their numbers. */
struct block_list {
    uint32_t *numbers;
    size_t count, capacity;
};

struct range_loader {
    struct chunk_encoder encoder;
    struct spool_column_view *columns;
    struct block_list blocks; /* blocks that are looked at */
    struct disk_reads reads;  /* for them */
    /* The rows that were found, block after block: */
    struct row_hash *hashes;          /* (capacity) */
    uint32_t *rows, *places, *sorted; /* (capacity) */
    uint64_t *space;                  /* (2 * capacity) */
    uint32_t count, capacity;
    struct found_block {
        uint32_t block, end; /* behind its last row, of the above */
    } * found;
    uint32_t found_count, found_capacity;
};

/* ---- what there is ---- */

static enum status list_blocks(struct part_source *source, struct error *err)
{
    const struct spool *spool = source->spool;
    uint64_t all = 0;

    source->list_starts = calloc((1u << LIST_BITS) + 2, sizeof *source->list_starts);
    if (!source->list_starts)
        return fail_no_memory(err);
    for (uint32_t b = 0; b < spool->block_count; b++)
        for (uint32_t i = spool->blocks[b].first_range >> LIST_SHIFT;
             spool->blocks[b].part == source->part &&
             i <= spool->blocks[b].last_range >> LIST_SHIFT;
             i++, all++)
            source->list_starts[i + 2]++;
    if (all > UINT32_MAX)
        return fail(err, STATUS_CORRUPT, "spool: %llu blocks reach into ranges of keys",
                    (unsigned long long)all);
    source->lists = calloc(all + 1, sizeof *source->lists);
    if (!source->lists)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < 1u << LIST_BITS; i++)
        source->list_starts[i + 2] += source->list_starts[i + 1];
    for (uint32_t b = 0; b < spool->block_count; b++)
        for (uint32_t i = spool->blocks[b].first_range >> LIST_SHIFT;
             spool->blocks[b].part == source->part &&
             i <= spool->blocks[b].last_range >> LIST_SHIFT;
             i++)
            source->lists[source->list_starts[i + 1]++] = b;
    return STATUS_OK;
}

enum status part_source_init(struct part_source *source, const struct spool *spool,
                             enum spool_part part, const struct transform *transform,
                             struct error *err)
{
    const uint32_t ranges = 1u << spool->ranges.bits;

    *source = (struct part_source){
        .spool = spool, .part = part, .has_plain_numbers = has_plain_numbers(spool, transform)};
    source->starts = calloc(ranges + 1ull, sizeof *source->starts);
    if (!source->starts)
        return fail_no_memory(err);
    for (uint32_t range = 0; range < ranges; range++)
        source->starts[range + 1] = source->starts[range] + spool->ranges.counts[part][range];
    return list_blocks(source, err);
}

void part_source_deinit(struct part_source *source)
{
    free(source->list_starts);
    free(source->lists);
    free(source->starts);
    *source = (struct part_source){.spool = NULL};
}

static uint32_t range_that_begins(const struct part_source *source, uint64_t row)
{
    uint32_t low = 0, high = 1u << source->spool->ranges.bits;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (source->starts[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

enum status part_source_find(const struct part_source *source, uint64_t first_row, uint64_t end_row,
                             uint32_t *first, uint32_t *end, struct error *err)
{
    *first = range_that_begins(source, first_row);
    *end = range_that_begins(source, end_row);
    if (source->starts[*first] == first_row && source->starts[*end] == end_row)
        return STATUS_OK;
    return fail(err, STATUS_INVALID, "rows %llu to %llu are not whole ranges",
                (unsigned long long)first_row, (unsigned long long)end_row);
}

/* ---- which blocks ---- */

static bool list_add(struct block_list *list, uint32_t number)
{
    if (list->count == list->capacity) {
        const size_t capacity = 2 * list->capacity + 64;
        uint32_t *numbers = realloc(list->numbers, capacity * sizeof *numbers);

        if (!numbers)
            return false;
        list->numbers = numbers;
        list->capacity = capacity;
    }
    list->numbers[list->count++] = number;
    return true;
}

/* The blocks that reach into the ranges, each once. False: there is no memory. */
static bool list_wanted(const struct part_source *source, uint32_t first_range, uint32_t end_range,
                        struct block_list *blocks)
{
    const uint32_t shift = SPOOL_RANGE_BITS - source->spool->ranges.bits;
    const uint32_t first = first_range << shift, last = (end_range << shift) - 1;

    blocks->count = 0;
    for (uint32_t list = first >> LIST_SHIFT; list <= last >> LIST_SHIFT; list++)
        for (uint32_t i = source->list_starts[list]; i < source->list_starts[list + 1]; i++) {
            const struct spool_block *block = &source->spool->blocks[source->lists[i]];
            const uint32_t from = block->first_range > first ? block->first_range : first;

            if (block->first_range <= last && block->last_range >= first &&
                from >> LIST_SHIFT == list && !list_add(blocks, source->lists[i]))
                return false;
        }
    return true;
}

void part_source_expect(const struct part_source *source, uint32_t first, uint32_t end)
{
    struct block_list blocks = {.numbers = NULL};

    if (source->spool->source && first < end && list_wanted(source, first, end, &blocks))
        spool_expect_blocks(source->spool, blocks.numbers, blocks.count);
    free(blocks.numbers);
}

/* ---- a loader ---- */

enum status range_loader_new(const struct dataset *dataset, const struct spool *spool,
                             struct range_loader **loader, struct error *err)
{
    struct range_loader *made = calloc(1, sizeof *made);

    *loader = made;
    if (!made)
        return fail_no_memory(err);
    made->columns = calloc(spool->column_count, sizeof *made->columns);
    if (made->columns && encoder_init(&made->encoder, &dataset->transform))
        return STATUS_OK;
    range_loader_free(made);
    *loader = NULL;
    return fail_no_memory(err);
}

void range_loader_free(struct range_loader *loader)
{
    if (!loader)
        return;
    encoder_deinit(&loader->encoder);
    free(loader->columns);
    free(loader->blocks.numbers);
    free(loader->hashes);
    free(loader->rows);
    free(loader->places);
    free(loader->sorted);
    free(loader->space);
    free(loader->found);
    free(loader);
}

static enum status reserve(struct range_loader *loader, uint32_t rows, struct error *err)
{
    const size_t capacity = (size_t)rows + rows / 8 + 64;

    loader->count = loader->found_count = 0;
    if (rows <= loader->capacity)
        return STATUS_OK;
    free(loader->hashes);
    free(loader->rows);
    free(loader->places);
    free(loader->sorted);
    free(loader->space);
    loader->hashes = malloc(capacity * sizeof *loader->hashes);
    loader->rows = malloc(capacity * sizeof *loader->rows);
    loader->places = malloc(capacity * sizeof *loader->places);
    loader->sorted = malloc(capacity * sizeof *loader->sorted);
    loader->space = malloc(2 * capacity * sizeof *loader->space);
    loader->capacity = 0;
    if (!loader->hashes || !loader->rows || !loader->places || !loader->sorted || !loader->space)
        return fail_no_memory(err);
    loader->capacity = (uint32_t)capacity;
    return STATUS_OK;
}

/* ---- loading ---- */

static enum status fail_rows(struct error *err)
{
    return fail(err, STATUS_CORRUPT, "spool: a range has other rows than the index says");
}

/* The ranges that are loaded, [first, end). */
struct wanted {
    const struct part_source *source;
    uint32_t first, end, rows;
};

static uint32_t range_of(const struct spool *spool, const struct row_hash *hash)
{
    const struct row_key key = row_key_of_lane(spool->ranges.seed, spool->ranges.by_group);

    return (uint32_t)(row_key_bits(&key, hash) >> (KEY_BITS - spool->ranges.bits));
}

static enum status note_block(struct range_loader *loader, uint32_t number, struct error *err)
{
    if (loader->found_count == loader->found_capacity) {
        const uint32_t capacity = loader->found_capacity ? 2 * loader->found_capacity : 64;
        struct found_block *found = realloc(loader->found, capacity * sizeof *found);

        if (!found)
            return fail_no_memory(err);
        loader->found = found;
        loader->found_capacity = capacity;
    }
    loader->found[loader->found_count++] = (struct found_block){number, loader->count};
    return STATUS_OK;
}

/* The block's rows that are wanted, to the loader. */
static enum status find_rows(struct range_loader *loader, const struct wanted *wanted,
                             uint32_t number, struct error *err)
{
    const struct spool *spool = wanted->source->spool;
    const struct spool_block *block = &spool->blocks[number];
    const uint32_t shift = SPOOL_RANGE_BITS - spool->ranges.bits;
    const bool is_whole =
        block->first_range >> shift >= wanted->first && block->last_range >> shift < wanted->end;
    const uint32_t before = loader->count;

    for (uint32_t row = 0; row < block->rows; row++) {
        if (spool_is_gone(block, row))
            continue;
        if (!is_whole) {
            const uint32_t range = range_of(spool, &block->hashes[row]);

            if (range < wanted->first || range >= wanted->end)
                continue;
        }
        if (loader->count == wanted->rows)
            return fail_rows(err);
        loader->hashes[loader->count] = block->hashes[row];
        loader->rows[loader->count++] = row;
    }
    return loader->count > before ? note_block(loader, number, err) : STATUS_OK;
}

static enum status find_all(struct range_loader *loader, const struct wanted *wanted,
                            struct error *err)
{
    for (size_t i = 0; i < loader->blocks.count; i++)
        TRY(find_rows(loader, wanted, loader->blocks.numbers[i], err));
    return loader->count == wanted->rows ? STATUS_OK : fail_rows(err);
}

struct grouped_row {
    uint64_t key;
    struct row_hash hash;
    uint32_t row;
};

static int by_group(const void *a, const void *b)
{
    const struct grouped_row *x = a, *y = b;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    if (x->hash.high != y->hash.high)
        return x->hash.high < y->hash.high ? -1 : 1;
    return (x->hash.low > y->hash.low) - (x->hash.low < y->hash.low);
}

/* Rows of a group have the same key, which row_order takes for a rarity. */
static enum status place_groups(struct range_loader *loader, const struct row_key *key,
                                struct error *err)
{
    struct grouped_row *rows = malloc((loader->count + 1ull) * sizeof *rows);

    if (!rows)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < loader->count; i++)
        rows[i] = (struct grouped_row){row_key_bits(key, &loader->hashes[i]), loader->hashes[i], i};
    qsort(rows, loader->count, sizeof *rows, by_group);
    for (uint32_t rank = 0; rank < loader->count; rank++)
        loader->places[rows[rank].row] = rank;
    free(rows);
    return STATUS_OK;
}

/* Finds the place of each row among those that were found: they lie by key. */
static enum status place_rows(struct range_loader *loader, const struct wanted *wanted,
                              struct error *err)
{
    const struct spool_ranges *ranges = &wanted->source->spool->ranges;
    const struct row_key key = row_key_of_lane(ranges->seed, ranges->by_group);

    if (ranges->by_group)
        return place_groups(loader, &key, err);
    row_order_run(&key, loader->hashes, loader->count, 0, loader->space, loader->sorted);
    for (uint32_t rank = 0; rank < loader->count; rank++)
        loader->places[loader->sorted[rank]] = rank;
    return STATUS_OK;
}

enum status range_load_block(struct range_loader *loader, const struct dataset *dataset,
                             const struct part_source *source, const struct class_index *index,
                             uint32_t block, const struct placed_rows *rows,
                             struct dataset_part *part, struct error *err)
{
    struct spool_block opened;

    TRY(spool_open_block(source->spool, block, loader->columns, &opened, err));
    return encode_placed(dataset, source->has_plain_numbers, index, &loader->encoder, &opened, rows,
                         part, err);
}

/* The blocks are needed. */
static enum status load_blocks(struct range_loader *loader, const struct dataset *dataset,
                               const struct wanted *wanted, const struct class_index *index,
                               struct dataset_part *part, struct error *err)
{
    const struct part_source *source = wanted->source;
    uint32_t at = 0;

    if (loader->reads.were_seen)
        spool_read_ahead(source->spool, loader->blocks.numbers, loader->blocks.count);
    TRY(find_all(loader, wanted, err));
    TRY(place_rows(loader, wanted, err));
    for (uint32_t i = 0; i < loader->found_count; i++) {
        const struct found_block *found = &loader->found[i];
        const struct placed_rows placed = {source->starts[wanted->first], loader->rows + at,
                                           loader->places + at, found->end - at,
                                           source->spool->number_count};

        TRY(range_load_block(loader, dataset, source, index, found->block, &placed, part, err));
        at = found->end;
    }
    return STATUS_OK;
}

enum status range_load(struct range_loader *loader, const struct dataset *dataset,
                       const struct part_source *source, const struct class_index *index,
                       uint32_t first, uint32_t end, struct dataset_part *part, struct error *err)
{
    const uint64_t rows = source->starts[end] - source->starts[first];
    const struct wanted wanted = {source, first, end, (uint32_t)rows};
    struct spool_need *need;
    enum status status;

    if (rows == 0)
        return STATUS_OK;
    if (rows > UINT32_MAX)
        return fail(err, STATUS_LIMIT, "%llu rows cannot be read at once",
                    (unsigned long long)rows);
    TRY(reserve(loader, wanted.rows, err));
    if (!list_wanted(source, first, end, &loader->blocks))
        return fail_no_memory(err);
    TRY(spool_need_blocks(source->spool, loader->blocks.numbers, loader->blocks.count, &need, err));
    disk_reads_begin(&loader->reads);
    status = load_blocks(loader, dataset, &wanted, index, part, err);
    disk_reads_end(&loader->reads);
    spool_done_with(source->spool, need);
    return status;
}
