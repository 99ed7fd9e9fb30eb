#include "runtime/ps/rows/row_table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/sums/hash.h"
#include "runtime/learn/networks/start.h"
#include "runtime/ps/rows/row_snapshot.h"

#define BLOCK_ROWS 64 /* rows looked up at once */

/* ---- life ---- */

enum status row_table_init(struct row_table *table, const struct row_table_options *options,
                           struct row_memory *memory, struct error *err)
{
    *table = (struct row_table){.options = *options, .memory = memory};
    if (options->width < 1 || options->width > ROW_WIDTH_MAX)
        return fail(err, STATUS_INVALID, "a table has rows of 1 to %d numbers, not %" PRIu32,
                    ROW_WIDTH_MAX, options->width);
    if (options->zeros > options->width)
        return fail(err, STATUS_INVALID, "the first %" PRIu32 " numbers of rows of %" PRIu32,
                    options->zeros, options->width);
    if (!(options->start >= 0 && options->start <= ROW_START_MAX))
        return fail(err, STATUS_INVALID, "a table starts within 0 to %g, not %g", ROW_START_MAX,
                    options->start);
    table->optimizer = optimizer_of(&options->settings, options->steps);
    table->moves_rows = options->is_selected &&
                        optimizer_moves_rows(options->settings.optimizer,
                                             options->settings.l1 > 0 || options->settings.l2 > 0);
    optimizer_powers_init(&table->powers, options->settings.beta2);
    table->slots = optimizer_slots_of(&options->settings);
    table->record_floats = options->width * (1 + table->slots);
    table->buckets = calloc(BUCKETS_PER_TABLE, sizeof *table->buckets);
    table->block = malloc((size_t)BLOCK_ROWS * table->record_floats * sizeof *table->block);
    table->gradient = malloc((size_t)BLOCK_ROWS * options->width * sizeof *table->gradient);
    if (table->buckets && table->block && table->gradient)
        return STATUS_OK;
    row_table_deinit(table);
    return fail_no_memory(err);
}

void row_table_deinit(struct row_table *table)
{
    row_snapshot_end(table);
    for (uint32_t b = 0; table->buckets && b < BUCKETS_PER_TABLE; b++)
        row_bucket_clear(table->buckets + b, table->record_floats, table->memory);
    free(table->buckets);
    free(table->block);
    free(table->gradient);
    *table = (struct row_table){0};
}

bool row_ids_ascend(struct row_ids ids)
{
    for (uint32_t i = 1; i < ids.count; i++)
        if (ids.ids[i] <= ids.ids[i - 1])
            return false;
    return true;
}

/* ---- lookups ---- */

/* Some ids that follow each other, with the entries that they have. */
struct block {
    uint32_t first, count;
    uint64_t hashes[BLOCK_ROWS];
    struct row_bucket *buckets[BLOCK_ROWS];
    struct row_entry *entries[BLOCK_ROWS]; /* NULL: none */
};

/* The rows lie anywhere in memory: one lookup waits for it, all of a block wait once. */
static void look_up(struct row_table *table, struct row_ids ids, uint32_t first,
                    struct block *block)
{
    block->first = first;
    block->count = ids.count - first < BLOCK_ROWS ? ids.count - first : BLOCK_ROWS;
    for (uint32_t i = 0; i < block->count; i++) {
        block->hashes[i] = row_hash(ids.ids[first + i]);
        block->buckets[i] = table->buckets + row_bucket_of(table->options.number, block->hashes[i]);
        __builtin_prefetch(block->buckets[i]);
    }
    for (uint32_t i = 0; i < block->count; i++)
        row_bucket_prefetch(block->buckets[i], block->hashes[i]);
    for (uint32_t i = 0; i < block->count; i++) {
        struct row_entry *entry =
            row_bucket_find(block->buckets[i], block->hashes[i], ids.ids[first + i]);

        block->entries[i] = entry;
        if (entry && entry->place != ROW_NONE)
            __builtin_prefetch(
                row_bucket_record(block->buckets[i], entry->place, table->record_floats));
    }
}

/* NULL where it has expired. */
static const struct row_entry *living_entry(const struct row_table *table,
                                            const struct block *block, uint32_t i, uint32_t step)
{
    const struct row_entry *entry = block->entries[i];

    return entry && row_table_has_expired(table, entry, step) ? NULL : entry;
}

static const float *record_of(const struct row_table *table, const struct block *block, uint32_t i,
                              uint32_t step)
{
    const struct row_entry *entry = living_entry(table, block, i, step);

    if (!entry || entry->place == ROW_NONE)
        return NULL;
    return row_bucket_record(block->buckets[i], entry->place, table->record_floats);
}

static void start_row(const struct row_table *table, uint64_t id, float *weights)
{
    const struct row_table_options *options = &table->options;
    const uint32_t drawn = id < options->zero_rows ? 0 : options->width - options->zeros;

    memset(weights, 0, (options->width - drawn) * sizeof *weights);
    start_uniform(options->seed, options->number, id * drawn, drawn, options->start,
                  weights + (options->width - drawn));
}

/* ---- pull ---- */

void row_table_pull(struct row_table *table, uint32_t step, struct row_ids ids, float *values)
{
    const size_t width = table->options.width;
    struct block block;

    for (uint32_t first = 0; first < ids.count; first += BLOCK_ROWS) {
        look_up(table, ids, first, &block);
        for (uint32_t i = 0; i < block.count; i++) {
            const float *record = record_of(table, &block, i, step);
            float *row = values + (first + i) * width;

            if (record)
                memcpy(row, record, width * sizeof *row);
            else if (table->options.min_count > 1)
                memset(row, 0, width * sizeof *row);
            else
                start_row(table, ids.ids[first + i], row);
        }
    }
}

/* ---- push ---- */

static uint32_t add_seen(uint32_t seen, uint32_t more)
{
    return more > UINT32_MAX - seen ? UINT32_MAX : seen + more;
}

/* Whether a row that was seen so often has a record. */
static bool is_in(const struct row_table *table, uint32_t seen)
{
    return seen >= table->options.min_count;
}

/* Counts the entry and the record that an id needs and does not have yet. */
static void count_needs(const struct row_table *table, const struct row_entry *entry, uint32_t seen,
                        uint32_t needs[2])
{
    const uint32_t before = entry ? entry->seen : 0;
    const bool has_record = entry && entry->place != ROW_NONE;

    needs[0] += !entry;
    needs[1] += !has_record && is_in(table, add_seen(before, seen));
}

enum status row_table_reserve(struct row_table *table, const struct row_push *push,
                              struct error *err)
{
    uint32_t(*needs)[2] = calloc(BUCKETS_PER_TABLE, sizeof *needs);
    enum status status = needs ? STATUS_OK : fail_no_memory(err);
    struct block block;

    for (uint32_t first = 0; needs && first < push->ids.count; first += BLOCK_ROWS) {
        look_up(table, push->ids, first, &block);
        for (uint32_t i = 0; i < block.count; i++)
            count_needs(table, living_entry(table, &block, i, push->step), push->seen[first + i],
                        needs[block.buckets[i] - table->buckets]);
    }
    for (uint32_t b = 0; status == STATUS_OK && b < BUCKETS_PER_TABLE; b++)
        if (needs[b][0] || needs[b][1])
            status = row_bucket_reserve(table->buckets + b, needs[b][0], needs[b][1],
                                        table->record_floats, table->memory, err);
    free(needs);
    return status;
}

/* An entry that has expired is one that was never counted. */
static void begin_again(struct row_table *table, struct row_bucket *bucket, struct row_entry *entry)
{
    if (entry->place != ROW_NONE) {
        bucket->free[bucket->free_count++] = entry->place;
        entry->place = ROW_NONE;
        table->counts.rows--;
        table->counts.counted++;
    }
    table->counts.expired++;
    entry->seen = 0;
}

/* The entry of a pushed id, which counts it. Entries do not move while a push adds some. */
static struct row_entry *count_in(struct row_table *table, const struct row_push *push,
                                  const struct block *block, uint32_t i)
{
    const uint32_t at = block->first + i;
    struct row_bucket *bucket = block->buckets[i];
    struct row_entry *entry = block->entries[i];

    row_snapshot_save(table, bucket, entry);
    if (entry && row_table_has_expired(table, entry, push->step)) {
        begin_again(table, bucket, entry);
    } else if (!entry) {
        entry = row_bucket_add(bucket, block->hashes[i], push->ids.ids[at]);
        entry->saved = table->snapshots;
        table->counts.counted++;
    }
    entry->seen = add_seen(entry->seen, push->seen[at]);
    entry->step = push->step;
    return entry;
}

static void make_row(struct row_table *table, struct row_bucket *bucket, struct row_entry *entry)
{
    float *record = row_bucket_make_record(bucket, entry, table->record_floats);
    float *slots[OPTIMIZER_SLOTS_MAX] = {NULL};

    for (uint32_t s = 0; s < table->slots; s++)
        slots[s] = record + (size_t)(1 + s) * table->options.width;
    start_row(table, entry->id, record);
    optimizer_start(&table->optimizer, table->options.is_bias, table->options.width, record, slots);
    table->counts.rows++;
    table->counts.made++;
    table->counts.counted--;
}

/* The rows of a block that have a record to be moved. */
struct moving {
    uint32_t count;
    float *records[BLOCK_ROWS];
    uint32_t gradients[BLOCK_ROWS]; /* which of the push's rows */
    uint32_t steps[BLOCK_ROWS];     /* the step that pushed the row before; 0: none did */
};

static void count_block(struct row_table *table, const struct row_push *push, struct block *block,
                        struct moving *moving)
{
    moving->count = 0;
    for (uint32_t i = 0; i < block->count; i++) {
        const struct row_entry *before = living_entry(table, block, i, push->step);
        const uint32_t step = before ? before->step : 0; /* may be later: another server's clock */
        struct row_entry *entry = count_in(table, push, block, i);
        const bool was_made = entry->place == ROW_NONE && is_in(table, entry->seen);

        if (was_made)
            make_row(table, block->buckets[i], entry);
        if (entry->place == ROW_NONE || (was_made && table->options.min_count > 1))
            continue;
        moving->records[moving->count] =
            row_bucket_record(block->buckets[i], entry->place, table->record_floats);
        moving->steps[moving->count] = step < push->step ? step : push->step - 1;
        moving->gradients[moving->count++] = block->first + i;
    }
}

/* Part p of the records (weights, slot 0, ...) lies in the block as (rows, width), so that the
 * optimizer takes all rows at once. */
static void gather(struct row_table *table, const struct row_push *push,
                   const struct moving *moving)
{
    const size_t width = table->options.width, bytes = width * sizeof *table->block;

    for (uint32_t i = 0; i < moving->count; i++)
        memcpy(table->gradient + i * width, push->gradient + moving->gradients[i] * width, bytes);
    for (uint32_t p = 0; p <= table->slots; p++)
        for (uint32_t i = 0; i < moving->count; i++)
            memcpy(table->block + (p * (size_t)moving->count + i) * width,
                   moving->records[i] + p * width, bytes);
}

static void scatter(const struct row_table *table, const struct moving *moving)
{
    const size_t width = table->options.width, bytes = width * sizeof *table->block;

    for (uint32_t p = 0; p <= table->slots; p++)
        for (uint32_t i = 0; i < moving->count; i++)
            memcpy(moving->records[i] + p * width,
                   table->block + (p * (size_t)moving->count + i) * width, bytes);
}

/* By the optimizer's rule for rows. */
static void move_rows(struct row_table *table, const struct optimizer_step *step, uint32_t now,
                      struct moving *moving)
{
    const size_t part = moving->count * (size_t)table->options.width;
    const struct descent_settings *settings = &table->options.settings;
    struct optimizer_rows_change change = {0};         /* not used */
    struct optimizer_row_sums known[BLOCK_ROWS] = {0}; /* not used */
    uint32_t rows[BLOCK_ROWS];
    const struct optimizer_rows update = {
        .step = step,
        .powers = &table->powers,
        .l1 = (float)settings->l1,
        .l2 = (float)settings->l2,
        .now = now,
        .count = moving->count,
        .width = table->options.width,
        .rows = rows,
        .gradient = table->gradient,
        .parameters = table->block,
        .first = table->slots > 0 ? table->block + part : NULL,
        .second = table->slots > 1 ? table->block + 2 * part : NULL,
        .row_steps = moving->steps,
        .known = known,
    };

    for (uint32_t i = 0; i < moving->count; i++)
        rows[i] = i;
    optimizer_update_rows(&update, &change);
}

static void move(struct row_table *table, const struct optimizer_step *step,
                 const struct moving *moving)
{
    const size_t part = moving->count * (size_t)table->options.width;
    const struct descent_settings *settings = &table->options.settings;
    struct optimizer_sums before = {0}, after = {0}; /* not used */
    struct optimizer_update update = {
        .step = step,
        .l1 = table->options.is_bias ? 0 : (float)settings->l1,
        .l2 = table->options.is_bias ? 0 : (float)settings->l2,
        .count = part,
        .gradient = table->gradient,
        .parameters = table->block,
    };

    for (uint32_t s = 0; s < table->slots; s++)
        update.slots[s] = table->block + (1 + s) * part;
    optimizer_update(&update, &before, &after);
}

/* A stale gradient moves the weights less. FTRL's weights follow from its sums, which have one rate
 * for all steps: there the gradient is less. */
static struct optimizer_step weighed(struct optimizer_step step, float factor)
{
    if (step.kind == OPTIMIZER_FTRL)
        return step;
    step.rate *= factor;
    step.gradient_rate *= factor;
    step.decay *= factor;
    return step;
}

void row_table_push(struct row_table *table, const struct row_push *push)
{
    const size_t width = table->options.width;
    struct optimizer_step step = optimizer_step_at(&table->optimizer, push->rate_step);
    const bool is_weighed = step.kind == OPTIMIZER_FTRL && push->rate_factor != 1;
    struct moving moving;
    struct block block;

    if (table->options.is_bias)
        step = optimizer_step_of_biases(step);
    if (table->moves_rows)
        step = optimizer_row_step_at(&table->optimizer, push->rate_step, &step);
    step = weighed(step, push->rate_factor);
    for (uint32_t first = 0; first < push->ids.count; first += BLOCK_ROWS) {
        look_up(table, push->ids, first, &block);
        count_block(table, push, &block, &moving);
        gather(table, push, &moving);
        for (size_t i = 0; is_weighed && i < moving.count * width; i++)
            table->gradient[i] *= push->rate_factor;
        if (table->moves_rows)
            move_rows(table, &step, push->step, &moving);
        else
            move(table, &step, &moving);
        scatter(table, &moving);
    }
}

/* ---- all rows ---- */

void row_table_sweep(struct row_table *table, uint32_t step, uint32_t b)
{
    struct row_bucket *bucket = table->buckets + b;

    for (uint32_t i = 0; i < bucket->capacity;) {
        struct row_entry *entry = bucket->entries + i;

        if (!entry->seen || !row_table_has_expired(table, entry, step)) {
            i++;
            continue;
        }
        table->counts.rows -= entry->place != ROW_NONE;
        table->counts.counted -= entry->place == ROW_NONE;
        table->counts.expired++;
        row_bucket_remove(bucket, entry); /* another may be here now */
    }
}

static uint64_t entry_hash(const struct row_table *table, const struct row_bucket *bucket,
                           const struct row_entry *entry)
{
    const uint64_t head[2] = {entry->id, (uint64_t)entry->step << 32 | entry->seen};
    const uint64_t hash = bytes_hash(head, sizeof head, table->options.number);

    if (entry->place == ROW_NONE)
        return hash;
    return bytes_hash(row_bucket_record(bucket, entry->place, table->record_floats),
                      table->record_floats * sizeof(float), hash);
}

uint64_t row_table_digest(const struct row_table *table, uint32_t step)
{
    uint64_t sum = 0;

    for (uint32_t b = 0; b < BUCKETS_PER_TABLE; b++) {
        const struct row_bucket *bucket = table->buckets + b;

        for (uint32_t i = 0; i < bucket->capacity; i++)
            if (bucket->entries[i].seen && !row_table_has_expired(table, bucket->entries + i, step))
                sum += entry_hash(table, bucket, bucket->entries + i);
    }
    return sum;
}
