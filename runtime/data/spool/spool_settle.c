#include "runtime/data/spool/spool_settle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/process/team.h"
#include "runtime/data/spool/column_statistics_bytes.h"
#include "runtime/data/spool/disk_reads.h"
#include "runtime/data/spool/held_out.h"
#include "runtime/data/spool/row_order.h"
#include "runtime/data/spool/spool_block.h"

#define ROWS_A_TASK   16384
#define TASK_BITS_MAX 10
#define ROWS_AHEAD    256 /* rows of the sample, where files are not in memory */
#define ROW_PLACES    2   /* where its bytes lie in its block, at most */
#define BLOCKS_AHEAD  64  /* blocks whose hashes the kernel reads at a time */
#define KEY_BITS      64
#define MARGIN        8 /* standard deviations of what is expected below a key */

/* A row, under the hash that it has at last. */
struct placed_row {
    uint64_t key; /* key for the purpose at hand */
    struct row_hash hash;
    uint32_t block, row;
};

struct rows_list {
    struct placed_row *rows;
    size_t count, capacity;
};

/* One of the team. */
struct settler {
    struct spool_writer *writer; /* branch for the copies that it puts */
    struct spool_column_view *columns;
    struct spool_block viewed; /* with these columns; rows 0: none */
    uint32_t viewed_number;
    struct spool_need *viewed_need;
    struct distinct {
        struct row_hash hash;
        uint64_t count; /* equal rows so far; 0: the slot is free */
    } * distinct;
    uint32_t slots, taken;
    struct stratum_counts {
        uint64_t rows, held_out; /* counts as the writers dealt the rows */
    } * strata;                  /* (held_out_strata) */
    uint32_t *counts;            /* (SPOOL_PARTS, ranges) */
    struct row_hash sums[SPOOL_PARTS];
    struct rows_list list; /* rows that the pass found */
    struct error err;
};

struct settling {
    struct spool_writer *writer;
    enum spool_type *types;
    struct spool_shape shape;
    bool has_nulls;                    /* some column */
    struct spool_block_entry *entries; /* (count): as the pass began */
    uint32_t count;
    uint64_t *gone;  /* bits of each row of all blocks */
    uint64_t *words; /* (count + 1): where a block's bits begin */
    uint64_t rows, held_out;
    /* The pass over parts. */
    struct stratum {
        uint64_t rows, quota, held_out; /* quota: to be held out; held_out: so far */
        uint64_t first, last;           /* keys of the rows that are listed; first > last: none */
    } * strata;                         /* (held_out_strata) */
    struct team *team;
    struct settler *settlers; /* (team_size) */
    /* The pass over copies: the blocks that hold rows of a task's range. */
    uint32_t task_bits;
    uint32_t *lists, *list_starts;
    /* The pass over counts. */
    uint32_t range_bits;
    uint64_t sample_below;
    struct column_sample *sample; /* the first rows that are sampled; NULL: none is wanted */
};

static bool is_gone(const struct settling *settling, uint32_t block, uint32_t row)
{
    return settling->gone[settling->words[block] + row / 64] >> (row % 64) & 1;
}

/* Those of the next blocks, when the first of them is looked at. */
static void expect_hashes(const struct settling *settling, uint32_t block)
{
    uint32_t numbers[BLOCKS_AHEAD], count = 0;

    if (block % BLOCKS_AHEAD != 0)
        return;
    for (; count < BLOCKS_AHEAD && block + count < settling->count; count++)
        numbers[count] = block + count;
    spool_files_expect_hashes(settling->writer->files, settling->entries, numbers, count);
}

/* They can be read until the need is done. */
static enum status need_hashes(const struct settling *settling, uint32_t block,
                               const struct row_hash **hashes, struct spool_need **need,
                               struct error *err)
{
    const struct spool_block_entry *entry = &settling->entries[block];

    TRY(spool_files_need_hashes(settling->writer->files, entry, need, err));
    *hashes = spool_files_block(settling->writer->files, entry).hashes;
    return STATUS_OK;
}

static enum status list_row(struct rows_list *list, const struct placed_row *row, struct error *err)
{
    if (list->count == list->capacity) {
        const size_t capacity = list->capacity ? 2 * list->capacity : 256;
        struct placed_row *rows = realloc(list->rows, capacity * sizeof *rows);

        if (!rows)
            return fail_no_memory(err);
        list->rows = rows;
        list->capacity = capacity;
    }
    list->rows[list->count++] = *row;
    return STATUS_OK;
}

/* By key, and then by hash, which is another one for each row. */
static int compare_rows(const void *a, const void *b)
{
    const struct placed_row *x = a, *y = b;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    if (x->hash.low != y->hash.low)
        return x->hash.low < y->hash.low ? -1 : 1;
    return (x->hash.high > y->hash.high) - (x->hash.high < y->hash.high);
}

/* Moves the rows that the members found to the list of the first one, and sorts them. */
static enum status gather_rows(struct settling *settling, struct error *err)
{
    struct rows_list *all = &settling->settlers[0].list;

    for (uint32_t m = 1; m < team_size(settling->team); m++) {
        struct rows_list *list = &settling->settlers[m].list;

        for (size_t i = 0; i < list->count; i++)
            TRY(list_row(all, &list->rows[i], err));
        list->count = 0;
    }
    if (all->count)
        qsort(all->rows, all->count, sizeof *all->rows, compare_rows);
    return STATUS_OK;
}

static enum status first_error(const struct settling *settling, struct error *err)
{
    for (uint32_t m = 0; m < team_size(settling->team); m++)
        if (settling->settlers[m].err.status != STATUS_OK) {
            *err = settling->settlers[m].err;
            return err->status;
        }
    return STATUS_OK;
}

/* Or it has failed already. */
static bool is_stopped(const struct settling *settling, struct settler *settler)
{
    const struct spool_writer *writer = settling->writer;

    if (settler->err.status == STATUS_OK && writer->is_stopped &&
        writer->is_stopped(writer->stop_context))
        fail(&settler->err, STATUS_INTERRUPTED, "interrupted");
    return settler->err.status != STATUS_OK;
}

/* ---- blocks ---- */

/* Entries of a part are another process's. */
static enum status check_entry(const struct settling *settling,
                               const struct spool_block_entry *entry, struct error *err)
{
    const uint64_t end = spool_files_size(settling->writer->files, entry->file);

    if (entry->part < SPOOL_PARTS && entry->first_range <= entry->last_range && entry->rows > 0 &&
        entry->rows <= SPOOL_BLOCK_ROWS_MAX && entry->hashes % SPOOL_ALIGN == 0 &&
        entry->offset % SPOOL_ALIGN == 0 && entry->hashes <= end &&
        entry->rows * sizeof(struct row_hash) <= end - entry->hashes && entry->offset <= end &&
        entry->size <= end - entry->offset &&
        spool_fixed_size(&settling->shape, entry->rows) <= entry->size)
        return STATUS_OK;
    return fail(err, STATUS_CORRUPT, "the part of a spool has a block that is not there");
}

/* The blocks that are written by now. */
static enum status take_entries(struct settling *settling, struct error *err)
{
    const uint32_t before = settling->count;
    const struct spool_block_entry *entries;
    uint64_t size, words = settling->words ? settling->words[before] : 0;
    void *memory;

    entries = spool_files_entries(settling->writer->files, &settling->count, &size);
    TRY(spool_files_map(settling->writer->files, err));
    memory = realloc(settling->entries, (settling->count + 1ull) * sizeof *entries);
    if (!memory)
        return fail_no_memory(err);
    settling->entries = memory;
    if (settling->count)
        memcpy(settling->entries, entries, settling->count * sizeof *entries);
    memory = realloc(settling->words, (settling->count + 1ull) * sizeof *settling->words);
    if (!memory)
        return fail_no_memory(err);
    settling->words = memory;
    for (uint32_t i = before; i < settling->count; i++)
        TRY(check_entry(settling, &settling->entries[i], err));
    for (uint32_t i = before; i <= settling->count; i++) {
        settling->words[i] = words;
        words += i < settling->count ? spool_bit_words(settling->entries[i].rows) : 0;
    }
    words = settling->words[before];
    memory =
        realloc(settling->gone, (settling->words[settling->count] + 1) * sizeof *settling->gone);
    if (!memory)
        return fail_no_memory(err);
    settling->gone = memory;
    memset(settling->gone + words, 0,
           (settling->words[settling->count] - words) * sizeof *settling->gone);
    return STATUS_OK;
}

static void leave_block(const struct settling *settling, struct settler *settler)
{
    spool_files_done_with(settling->writer->files, settler->viewed_need);
    settler->viewed_need = NULL;
    settler->viewed.rows = 0;
}

static void begin_view(const struct settling *settling, struct settler *settler, uint32_t number)
{
    settler->viewed = spool_files_block(settling->writer->files, &settling->entries[number]);
    settler->viewed.columns = settler->columns;
    settler->viewed_number = number;
}

static enum status end_view(const struct settling *settling, struct settler *settler,
                            enum status status)
{
    if (status != STATUS_OK)
        leave_block(settling, settler);
    return status;
}

/* Its columns, which are looked at as a whole when the first of its rows moves. */
static enum status view_block(const struct settling *settling, struct settler *settler,
                              uint32_t number, struct error *err)
{
    if (settler->viewed.rows > 0 && settler->viewed_number == number)
        return STATUS_OK;
    leave_block(settling, settler);
    TRY(spool_files_need_rows(settling->writer->files, &settling->entries[number],
                              &settler->viewed_need, err));
    begin_view(settling, settler, number);
    return end_view(settling, settler, spool_view_columns(&settling->shape, &settler->viewed, err));
}

/* The row is gone, and a copy of it belongs to another range or part. */
static enum status move_row(struct settling *settling, struct settler *settler, uint32_t number,
                            uint32_t row, struct row_hash hash, uint32_t part, struct error *err)
{
    TRY(view_block(settling, settler, number, err));
    /* Blocks of wide ranges have rows of several tasks. */
    __atomic_fetch_or(&settling->gone[settling->words[number] + row / 64], 1ull << (row % 64),
                      __ATOMIC_RELAXED);
    if (settler->writer->statistics && settling->entries[number].part == SPOOL_KEPT)
        TRY(column_statistics_subtract(settler->writer->statistics, settler->columns, row, 1, NULL,
                                       err));
    return spool_put_copy(settler->writer, &settler->viewed, row, hash, part, err);
}

static enum status flush_copies(struct settling *settling, struct error *err)
{
    for (uint32_t m = 0; m < team_size(settling->team); m++) {
        leave_block(settling, &settling->settlers[m]); /* files are mapped anew */
        TRY(spool_writer_flush(settling->settlers[m].writer, err));
    }
    return take_entries(settling, err);
}

/* ---- equal rows ---- */

static struct distinct *find_slot(const struct settler *settler, const struct row_hash *hash)
{
    /* The lower bits may hold the class, and `high` the group. */
    uint32_t slot = (uint32_t)(hash->low >> 32) & (settler->slots - 1);

    while (settler->distinct[slot].count && !row_hashes_equal(&settler->distinct[slot].hash, hash))
        slot = (slot + 1) & (settler->slots - 1);
    return &settler->distinct[slot];
}

static enum status grow_distinct(struct settler *settler, struct error *err)
{
    struct distinct *before = settler->distinct;
    const uint32_t slots = settler->slots;

    if (slots > UINT32_MAX / 4)
        return fail_no_memory(err);
    settler->distinct = calloc(2 * (size_t)slots, sizeof *settler->distinct);
    if (!settler->distinct) {
        settler->distinct = before;
        return fail_no_memory(err);
    }
    settler->slots = 2 * slots;
    for (uint32_t i = 0; i < slots; i++)
        if (before[i].count)
            *find_slot(settler, &before[i].hash) = before[i];
    free(before);
    return STATUS_OK;
}

/* How many rows equal to this one came before it. */
static enum status number_row(struct settler *settler, const struct row_hash *hash,
                              uint64_t *number, struct error *err)
{
    struct distinct *distinct = find_slot(settler, hash);

    *number = distinct->count;
    if (distinct->count++ > 0)
        return STATUS_OK;
    distinct->hash = *hash;
    return 2 * ++settler->taken > settler->slots ? grow_distinct(settler, err) : STATUS_OK;
}

static uint64_t held_out_key(const struct settling *settling, const struct row_hash *hash)
{
    const struct row_key key = row_key_of_held_out(settling->writer->order.seed,
                                                   settling->writer->order.held_out.by_group);

    return row_key_bits(&key, hash);
}

static void count_stratum(const struct settling *settling, struct settler *settler,
                          const struct row_hash *hash)
{
    const struct spool_held_out *rule = &settling->writer->order.held_out;
    struct stratum_counts *counts;

    if (rule->share <= 0)
        return;
    counts = &settler->strata[held_out_stratum(rule, hash)];
    counts->rows++;
    counts->held_out += held_out_key(settling, hash) < held_out_below(rule);
}

static enum status number_rows(struct settling *settling, struct settler *settler, uint32_t block,
                               const struct row_hash *hashes, uint32_t task, struct error *err)
{
    const struct row_key key =
        row_key_of_lane(settling->writer->order.seed, settling->writer->order.held_out.by_group);
    const struct spool_block_entry *entry = &settling->entries[block];
    const uint32_t shift = SPOOL_RANGE_BITS - settling->task_bits;
    const bool is_whole = entry->first_range >> shift == entry->last_range >> shift;
    uint64_t number;

    for (uint32_t row = 0; row < entry->rows; row++) {
        struct row_hash hash = hashes[row];

        if (!is_whole &&
            row_key_bits(&key, &hash) >> (KEY_BITS - SPOOL_RANGE_BITS) >> shift != task)
            continue;
        TRY(number_row(settler, &hash, &number, err));
        if (number > 0) {
            if (is_stopped(settling, settler))
                return settler->err.status;
            hash = held_out_hash_of_copy(&settling->writer->order.held_out, &hash, number);
            TRY(move_row(settling, settler, block, row, hash, PART_BY_HASH, err));
        }
        count_stratum(settling, settler, &hash);
    }
    return STATUS_OK;
}

static enum status number_block(struct settling *settling, struct settler *settler, uint32_t block,
                                uint32_t task, struct error *err)
{
    const struct row_hash *hashes;
    struct spool_need *need;
    enum status status;

    TRY(need_hashes(settling, block, &hashes, &need, err));
    status = number_rows(settling, settler, block, hashes, task, err);
    spool_files_done_with(settling->writer->files, need);
    return status;
}

static void number_task(void *context, uint32_t member, uint32_t task)
{
    struct settling *settling = context;
    struct settler *settler = &settling->settlers[member];

    memset(settler->distinct, 0, settler->slots * sizeof *settler->distinct);
    settler->taken = 0;
    spool_files_expect_hashes(settling->writer->files, settling->entries,
                              settling->lists + settling->list_starts[task],
                              settling->list_starts[task + 1] - settling->list_starts[task]);
    for (uint32_t i = settling->list_starts[task]; i < settling->list_starts[task + 1]; i++)
        if (!is_stopped(settling, settler))
            number_block(settling, settler, settling->lists[i], task, &settler->err);
}

/* Which blocks each task looks at. */
static enum status list_blocks(struct settling *settling, struct error *err)
{
    const uint32_t tasks = 1u << settling->task_bits;
    const uint32_t shift = SPOOL_RANGE_BITS - settling->task_bits;
    uint64_t all = 0;

    settling->list_starts = calloc(tasks + 2ull, sizeof *settling->list_starts);
    if (!settling->list_starts)
        return fail_no_memory(err);
    for (uint32_t b = 0; b < settling->count; b++)
        for (uint32_t t = settling->entries[b].first_range >> shift;
             t <= (uint32_t)settling->entries[b].last_range >> shift; t++, all++)
            settling->list_starts[t + 2]++;
    settling->lists = calloc(all + 1, sizeof *settling->lists);
    if (!settling->lists)
        return fail_no_memory(err);
    for (uint32_t t = 0; t < tasks; t++)
        settling->list_starts[t + 2] += settling->list_starts[t + 1];
    for (uint32_t b = 0; b < settling->count; b++)
        for (uint32_t t = settling->entries[b].first_range >> shift;
             t <= (uint32_t)settling->entries[b].last_range >> shift; t++)
            settling->lists[settling->list_starts[t + 1]++] = b;
    return STATUS_OK;
}

static enum status settle_copies(struct settling *settling, struct error *err)
{
    while (settling->task_bits < TASK_BITS_MAX &&
           settling->rows >> settling->task_bits > ROWS_A_TASK)
        settling->task_bits++;
    TRY(list_blocks(settling, err));
    team_run(settling->team, 1u << settling->task_bits, number_task, settling);
    TRY(first_error(settling, err));
    return flush_copies(settling, err);
}

/* ---- rows that are held out ---- */

typedef void look_at_hashes(const struct settling *settling, struct settler *settler,
                            uint32_t block, const struct row_hash *hashes);

static void look_at_block(const struct settling *settling, struct settler *settler, uint32_t block,
                          look_at_hashes *look)
{
    const struct row_hash *hashes;
    struct spool_need *need;

    if (is_stopped(settling, settler))
        return;
    expect_hashes(settling, block);
    if (need_hashes(settling, block, &hashes, &need, &settler->err) != STATUS_OK)
        return;
    look(settling, settler, block, hashes);
    spool_files_done_with(settling->writer->files, need);
}

/* How many rows more, or fewer, the stratum holds out than the writers dealt to that part. */
static uint64_t rows_to_move(const struct stratum *stratum)
{
    return stratum->quota > stratum->held_out ? stratum->quota - stratum->held_out
                                              : stratum->held_out - stratum->quota;
}

/* Sets the keys next to `below`, on the side from which rows move: as many as hold all rows that
 * must move, unless a wonder happens; is_wonder: all keys of that side. */
static void set_keys(struct stratum *stratum, uint64_t below, bool is_wonder)
{
    const double move = (double)rows_to_move(stratum);
    const double share = (move + MARGIN * (sqrt(move) + 1)) / (double)stratum->rows;
    const uint64_t width = is_wonder || share >= 1 ? UINT64_MAX : (uint64_t)ldexp(share, KEY_BITS);

    stratum->first = 1;
    stratum->last = 0;
    if (stratum->quota > stratum->held_out) {
        stratum->first = below;
        stratum->last = width < UINT64_MAX - below ? below + width : UINT64_MAX;
    } else if (stratum->quota < stratum->held_out) {
        stratum->first = width < below ? below - width : 0;
        stratum->last = below - 1;
    }
}

/* Rows that may move to the other part. */
static void list_parts(const struct settling *settling, struct settler *settler, uint32_t block,
                       const struct row_hash *hashes)
{
    const struct spool_held_out *rule = &settling->writer->order.held_out;

    for (uint32_t row = 0; row < settling->entries[block].rows; row++) {
        const struct stratum *stratum = &settling->strata[held_out_stratum(rule, &hashes[row])];
        const uint64_t key = held_out_key(settling, &hashes[row]);

        if (key < stratum->first || key > stratum->last || is_gone(settling, block, row))
            continue;
        if (settler->err.status == STATUS_OK)
            list_row(&settler->list, &(struct placed_row){key, hashes[row], block, row},
                     &settler->err);
    }
}

static void part_task(void *context, uint32_t member, uint32_t block)
{
    const struct settling *settling = context;

    look_at_block(settling, &settling->settlers[member], block, list_parts);
}

/* Whole groups stay where they were dealt to; or all are kept. */
static uint64_t quota_of_groups(const struct stratum *all, uint64_t quota)
{
    return quota == 0 || all->held_out == all->rows ? 0 : all->held_out;
}

/* Takes how many rows the strata hold out, and how many they should. *must_move: rows must move. */
static enum status take_strata(struct settling *settling, bool *must_move, struct error *err)
{
    const struct spool_held_out *rule = &settling->writer->order.held_out;
    const uint32_t count = held_out_strata(rule);
    uint64_t *rows = calloc(2ull * count, sizeof *rows), *quotas = rows + count;

    settling->strata = calloc(count, sizeof *settling->strata);
    if (!rows || !settling->strata) {
        free(rows);
        return fail_no_memory(err);
    }
    for (uint32_t i = 0; i < count; i++) {
        struct stratum *stratum = &settling->strata[i];

        for (uint32_t m = 0; m < team_size(settling->team); m++) {
            stratum->rows += settling->settlers[m].strata[i].rows;
            stratum->held_out += settling->settlers[m].strata[i].held_out;
        }
        rows[i] = stratum->rows;
    }
    if (held_out_quotas(rule, rows, quotas, &settling->held_out, err) != STATUS_OK) {
        free(rows);
        return err->status;
    }
    if (rule->by_group)
        settling->held_out = quotas[0] = quota_of_groups(&settling->strata[0], quotas[0]);
    for (uint32_t i = 0; i < count; i++) {
        settling->strata[i].quota = quotas[i];
        *must_move = *must_move || rows_to_move(&settling->strata[i]) > 0;
    }
    free(rows);
    return STATUS_OK;
}

/* The rows among which those are that must move, in the order of their keys. */
static enum status find_movable(struct settling *settling, struct error *err)
{
    const struct spool_held_out *rule = &settling->writer->order.held_out;
    const struct rows_list *list = &settling->settlers[0].list;

    for (bool is_wonder = false;; is_wonder = true) {
        uint64_t *found = calloc(held_out_strata(rule), sizeof *found);
        bool is_enough = true;

        if (!found)
            return fail_no_memory(err);
        for (uint32_t i = 0; i < held_out_strata(rule); i++)
            set_keys(&settling->strata[i], held_out_below(rule), is_wonder);
        team_run(settling->team, settling->count, part_task, settling);
        if (first_error(settling, err) != STATUS_OK || gather_rows(settling, err) != STATUS_OK) {
            free(found);
            return err->status;
        }
        for (size_t i = 0; i < list->count; i++)
            found[held_out_stratum(rule, &list->rows[i].hash)]++;
        for (uint32_t i = 0; i < held_out_strata(rule); i++)
            is_enough = is_enough && found[i] >= rows_to_move(&settling->strata[i]);
        free(found);
        if (is_enough || is_wonder)
            return STATUS_OK;
        settling->settlers[0].list.count = 0;
    }
}

/* The held-out rows of a stratum become those of least key: what is missing comes from behind the
 * key that parted them, what is too much lies before it. */
static enum status move_rows(struct settling *settling, struct error *err)
{
    const struct spool_held_out *rule = &settling->writer->order.held_out;
    struct settler *settler = &settling->settlers[0];
    const struct rows_list *list = &settler->list;

    for (size_t n = 0; n < 2 * list->count; n++) {
        const bool holds_out = n < list->count;
        const struct placed_row *row = &list->rows[holds_out ? n : 2 * list->count - 1 - n];
        struct stratum *stratum = &settling->strata[held_out_stratum(rule, &row->hash)];

        if (stratum->quota == stratum->held_out ||
            holds_out != (stratum->quota > stratum->held_out))
            continue;
        if (is_stopped(settling, settler))
            return first_error(settling, err);
        TRY(move_row(settling, settler, row->block, row->row, row->hash,
                     holds_out ? SPOOL_HELD_OUT : SPOOL_KEPT, err));
        stratum->held_out += holds_out ? 1 : UINT64_MAX;
    }
    return STATUS_OK;
}

static enum status settle_parts(struct settling *settling, struct error *err)
{
    bool must_move = false;

    if (settling->writer->order.held_out.share <= 0)
        return STATUS_OK;
    TRY(take_strata(settling, &must_move, err));
    if (!must_move)
        return STATUS_OK;
    TRY(find_movable(settling, err));
    TRY(move_rows(settling, err));
    settling->settlers[0].list.count = 0;
    return flush_copies(settling, err);
}

/* ---- what the index says of all rows ---- */

static void add_hash(struct row_hash *sum, const struct row_hash *hash)
{
    sum->high += hash->high + (sum->low + hash->low < sum->low);
    sum->low += hash->low;
}

static void count_block(const struct settling *settling, struct settler *settler, uint32_t block,
                        const struct row_hash *hashes)
{
    const struct row_key lane =
        row_key_of_lane(settling->writer->order.seed, settling->writer->order.held_out.by_group);
    const struct row_key sample = {settling->writer->order.seed, RANDOM_SAMPLE, 0};
    const uint32_t part = settling->entries[block].part;
    uint32_t *counts = settler->counts + ((size_t)part << settling->range_bits);

    for (uint32_t row = 0; row < settling->entries[block].rows; row++) {
        uint64_t key;

        if (is_gone(settling, block, row))
            continue;
        counts[row_key_bits(&lane, &hashes[row]) >> (KEY_BITS - settling->range_bits)]++;
        add_hash(&settler->sums[part], &hashes[row]);
        if (part != SPOOL_KEPT)
            continue;
        key = row_key_bits(&sample, &hashes[row]);
        if (key <= settling->sample_below && settler->err.status == STATUS_OK)
            list_row(&settler->list, &(struct placed_row){key, hashes[row], block, row},
                     &settler->err);
    }
}

static void count_task(void *context, uint32_t member, uint32_t block)
{
    const struct settling *settling = context;

    look_at_block(settling, &settling->settlers[member], block, count_block);
}

/* The key below which there are enough rows, unless a wonder happens: then all are looked at. */
static uint64_t sample_below(uint64_t kept)
{
    const double wanted = SPOOL_SAMPLE_ROWS + MARGIN * sqrt(SPOOL_SAMPLE_ROWS);

    return wanted < (double)kept ? (uint64_t)ldexp(wanted / (double)kept, KEY_BITS) : UINT64_MAX;
}

static void clear_counts(struct settling *settling)
{
    for (uint32_t m = 0; m < team_size(settling->team); m++) {
        struct settler *settler = &settling->settlers[m];

        memset(settler->counts, 0, (SPOOL_PARTS * sizeof *settler->counts) << settling->range_bits);
        memset(settler->sums, 0, sizeof settler->sums);
        settler->list.count = 0;
    }
}

static enum status count_rows(struct settling *settling, struct error *err)
{
    const uint64_t kept = settling->rows - settling->held_out;
    const uint64_t wanted = kept < SPOOL_SAMPLE_ROWS ? kept : SPOOL_SAMPLE_ROWS;

    settling->sample_below = sample_below(kept);
    for (;;) {
        clear_counts(settling);
        team_run(settling->team, settling->count, count_task, settling);
        TRY(first_error(settling, err));
        TRY(gather_rows(settling, err));
        if (settling->settlers[0].list.count >= wanted || settling->sample_below == UINT64_MAX)
            return STATUS_OK;
        settling->sample_below = UINT64_MAX;
    }
}

static enum status take_counts(const struct settling *settling, struct spool_settled *settled,
                               struct error *err)
{
    const size_t ranges = (size_t)SPOOL_PARTS << settling->range_bits;
    struct spool_keyed_entry *entry = &settled->entry;

    settled->counts = calloc(ranges, sizeof *settled->counts);
    if (!settled->counts)
        return fail_no_memory(err);
    entry->range_bits = settling->range_bits;
    entry->seed = settling->writer->order.seed;
    for (uint32_t m = 0; m < team_size(settling->team); m++) {
        const struct settler *settler = &settling->settlers[m];

        for (size_t i = 0; i < ranges; i++)
            settled->counts[i] += settler->counts[i];
        for (uint32_t part = 0; part < SPOOL_PARTS; part++)
            add_hash(&entry->sums[part], &settler->sums[part]);
    }
    for (size_t i = 0; i < ranges; i++)
        entry->rows[i >> settling->range_bits] += settled->counts[i];
    return STATUS_OK;
}

/* Lists the bytes that are looked at to copy a row: NULLs of its block, and its numbers. Where no
 * column has NULLs the bitmaps are zeros, as are bytes that nobody has brought. Texts lie at
 * offsets that would be looked at first: where there are texts it is the whole block. */
static size_t bytes_of_row(const struct settling *settling, const struct placed_row *row,
                           struct spool_bytes bytes[ROW_PLACES])
{
    const struct spool_block_entry *entry = &settling->entries[row->block];
    const uint64_t nulls = (uint64_t)settling->shape.column_count * spool_nulls_size(entry->rows);
    const uint64_t row_bytes = settling->shape.number_count * sizeof(int64_t);

    bytes[0] = (struct spool_bytes){entry, 0, entry->size};
    if (settling->shape.number_count < settling->shape.column_count)
        return 1;
    bytes[0] = (struct spool_bytes){entry, nulls + row->row * row_bytes, row_bytes};
    if (!settling->has_nulls)
        return 1;
    bytes[1] = (struct spool_bytes){entry, 0, nulls};
    return ROW_PLACES;
}

/* Asks for the bytes of the rows ahead. is_read: the kernel is to read those in blocks that are
 * here. */
static void expect_rows(const struct settling *settling, const struct placed_row *rows,
                        uint32_t count, bool is_read)
{
    struct spool_bytes bytes[ROW_PLACES * ROWS_AHEAD] = {{0}};
    size_t places = 0;

    for (uint32_t i = 0; i < count; i++)
        places += bytes_of_row(settling, &rows[i], bytes + places);
    spool_files_expect_bytes(settling->writer->files, bytes, places);
    for (size_t i = 0; i < places && is_read; i++)
        spool_files_expect_rows(settling->writer->files, bytes[i].entry, bytes[i].offset,
                                bytes[i].size);
}

/* Views a row. Only what the row needs of its block is there, until the next is looked at. */
static enum status view_row(const struct settling *settling, struct settler *settler,
                            const struct placed_row *row, struct error *err)
{
    const struct spool_files *files = settling->writer->files;
    struct spool_bytes bytes[ROW_PLACES];
    const size_t places = bytes_of_row(settling, row, bytes);

    leave_block(settling, settler);
    TRY(spool_files_need_bytes(files, bytes, places, &settler->viewed_need, err));
    begin_view(settling, settler, row->block);
    return end_view(settling, settler,
                    spool_view_row(&settling->shape, &settler->viewed, row->row, err));
}

static enum status write_sampled(const struct settling *settling, struct spool_writer *writer,
                                 uint32_t count, struct error *err)
{
    struct settler *settler = &settling->settlers[0];
    const struct placed_row *rows = settler->list.rows;
    struct disk_reads reads = {0};

    disk_reads_begin(&reads);
    for (uint32_t i = 0; i < count; i++) {
        const struct placed_row *row = &rows[i];
        const uint32_t ahead = count - i < ROWS_AHEAD ? count - i : ROWS_AHEAD;

        if (i % ROWS_AHEAD == 0) {
            disk_reads_end(&reads);
            expect_rows(settling, row, ahead, reads.were_seen);
        }
        TRY(view_row(settling, settler, row, err));
        if (column_sample_wants(settling->sample))
            column_sample_add(settling->sample, settler->columns, row->row);
        TRY(spool_put_copy(writer, &settler->viewed, row->row, row->hash, SPOOL_SAMPLED, err));
    }
    leave_block(settling, settler);
    return STATUS_OK;
}

/* The kept rows of least key once more, in that order. */
static enum status write_sample(const struct settling *settling, struct spool_settled *settled,
                                struct error *err)
{
    const size_t found = settling->settlers[0].list.count;
    struct spool_writer *writer;
    struct error late;
    enum status status;

    settled->entry.sample_rows = found < SPOOL_SAMPLE_ROWS ? (uint32_t)found : SPOOL_SAMPLE_ROWS;
    TRY(spool_writer_branch_sample(settling->writer, &writer, err));
    status = write_sampled(settling, writer, settled->entry.sample_rows, err);
    if (spool_writer_join(settling->writer, writer, &late) == STATUS_OK || status != STATUS_OK)
        return status;
    if (err)
        *err = late;
    return late.status;
}

/* Takes what the rows of the sample tell of the columns. */
static enum status take_sampled(const struct settling *settling, struct spool_settled *settled,
                                struct error *err)
{
    if (!settling->sample)
        return STATUS_OK;
    settled->sampled = calloc(settling->shape.column_count, sizeof *settled->sampled);
    if (!settled->sampled)
        return fail_no_memory(err);
    settled->entry.sampled_columns = settling->shape.column_count;
    column_sample_measure(settling->sample, settled->sampled);
    return STATUS_OK;
}

/* Takes the bits of the rows that are gone, from blocks that have such rows. */
static enum status take_gone(const struct settling *settling, struct spool_settled *settled,
                             struct error *err)
{
    settled->gone = malloc((settling->words[settling->count] + 1) * sizeof *settled->gone);
    if (!settled->gone)
        return fail_no_memory(err);
    for (uint32_t block = 0; block < settling->count; block++) {
        const uint64_t first = settling->words[block], end = settling->words[block + 1];
        uint32_t gone = 0;

        for (uint64_t i = first; i < end; i++)
            gone += (uint32_t)__builtin_popcountll(settling->gone[i]);
        if (gone == 0)
            continue;
        spool_files_mark(settling->writer->files, block, gone, settled->entry.gone_words);
        memcpy(settled->gone + settled->entry.gone_words, settling->gone + first,
               (end - first) * sizeof *settled->gone);
        settled->entry.gone_words += end - first;
    }
    return STATUS_OK;
}

static enum status put_statistics(const struct settling *settling, struct spool_settled *settled,
                                  struct error *err)
{
    static const char zeros[SPOOL_ALIGN];
    size_t size;

    text_init(&settled->statistics, SPOOL_STATISTICS_BYTES_MAX);
    if (!settling->writer->statistics)
        return STATUS_OK;
    TRY(column_statistics_put(settling->writer->statistics, &settled->statistics, err));
    size = settled->statistics.size;
    settled->entry.statistics_size = size;
    text_append(&settled->statistics, (struct slice){zeros, spool_pad(size) - size});
    return settled->statistics.failed ? fail_no_memory(err) : STATUS_OK;
}

/* ---- what is written of all rows: the sample, and the statistics beside it ---- */

enum late_task { WRITE_SAMPLE, PUT_STATISTICS, LATE_TASKS };

struct late {
    const struct settling *settling;
    struct spool_settled *settled;
    struct error errors[LATE_TASKS];
};

static void do_late(void *context, uint32_t member, uint32_t task)
{
    struct late *late = context;
    struct error *err = &late->errors[task];

    (void)member;
    error_clear(err);
    if (task == WRITE_SAMPLE)
        write_sample(late->settling, late->settled, err);
    else
        put_statistics(late->settling, late->settled, err);
}

static enum status write_late(const struct settling *settling, struct spool_settled *settled,
                              struct error *err)
{
    struct late late = {.settling = settling, .settled = settled};

    team_run(settling->team, LATE_TASKS, do_late, &late);
    for (int task = 0; task < LATE_TASKS; task++)
        if (late.errors[task].status != STATUS_OK) {
            *err = late.errors[task];
            return err->status;
        }
    return STATUS_OK;
}

/* Adds the changes that copies made of the statistics to the writer's. */
static enum status join_settlers(const struct settling *settling, struct error *err)
{
    for (uint32_t m = 0; m < team_size(settling->team); m++) {
        struct spool_writer *writer = settling->settlers[m].writer;

        settling->settlers[m].writer = NULL;
        TRY(spool_writer_join(settling->writer, writer, err));
    }
    return STATUS_OK;
}

/* ---- all of it ---- */

static enum status settler_init(const struct settling *settling, struct settler *settler,
                                struct error *err)
{
    error_clear(&settler->err);
    settler->slots = 1024;
    settler->distinct = calloc(settler->slots, sizeof *settler->distinct);
    settler->columns = calloc(settling->shape.column_count, sizeof *settler->columns);
    settler->strata =
        calloc(held_out_strata(&settling->writer->order.held_out), sizeof *settler->strata);
    settler->counts = calloc((size_t)SPOOL_PARTS << settling->range_bits, sizeof *settler->counts);
    if (!settler->distinct || !settler->columns || !settler->strata || !settler->counts)
        return fail_no_memory(err);
    return spool_writer_branch(settling->writer, &settler->writer, err);
}

static enum status settling_init(struct settling *settling, struct error *err)
{
    const struct spool_writer *writer = settling->writer;

    settling->rows = writer->rows;
    settling->range_bits = spool_range_bits(writer->rows);
    settling->types = calloc(writer->column_count, sizeof *settling->types);
    settling->settlers = calloc(team_size(settling->team), sizeof *settling->settlers);
    if (!settling->types || !settling->settlers)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < writer->column_count; i++) {
        settling->types[i] = writer->columns[i].type;
        settling->has_nulls = settling->has_nulls || writer->columns[i].entry.nulls > 0;
    }
    settling->shape =
        (struct spool_shape){settling->types, writer->column_count, writer->number_count};
    for (uint32_t m = 0; m < team_size(settling->team); m++)
        TRY(settler_init(settling, &settling->settlers[m], err));
    if (writer->order.spec)
        TRY(column_sample_new(writer->order.spec, &settling->sample, err));
    return take_entries(settling, err);
}

static void settling_deinit(struct settling *settling)
{
    for (uint32_t m = 0; settling->settlers && m < team_size(settling->team); m++) {
        struct settler *settler = &settling->settlers[m];
        struct error ignored;

        leave_block(settling, settler);
        if (settler->writer)
            spool_writer_join(settling->writer, settler->writer, &ignored);
        free(settler->distinct);
        free(settler->columns);
        free(settler->strata);
        free(settler->counts);
        free(settler->list.rows);
    }
    free(settling->settlers);
    free(settling->strata);
    free(settling->types);
    free(settling->entries);
    free(settling->words);
    free(settling->gone);
    free(settling->lists);
    free(settling->list_starts);
    column_sample_free(settling->sample);
    team_free(settling->team);
}

enum status spool_settle(struct spool_writer *writer, struct spool_settled *settled,
                         struct error *err)
{
    const uint32_t threads = writer->rows > ROWS_A_TASK ? writer->order.threads : 1;
    struct settling settling = {.writer = writer, .team = team_new(threads)};
    enum status status;

    TRY_OR(done, status, settling_init(&settling, err));
    TRY_OR(done, status, settle_copies(&settling, err));
    TRY_OR(done, status, settle_parts(&settling, err));
    TRY_OR(done, status, count_rows(&settling, err));
    TRY_OR(done, status, take_counts(&settling, settled, err));
    TRY_OR(done, status, join_settlers(&settling, err));
    TRY_OR(done, status, write_late(&settling, settled, err));
    TRY_OR(done, status, take_sampled(&settling, settled, err));
    status = take_gone(&settling, settled, err);
done:
    settling_deinit(&settling);
    return status;
}

void spool_settled_deinit(struct spool_settled *settled)
{
    free(settled->counts);
    free(settled->gone);
    text_deinit(&settled->statistics);
    free(settled->sampled);
}
