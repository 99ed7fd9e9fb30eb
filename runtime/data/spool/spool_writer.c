#include "runtime/data/spool/spool_writer.h"

#include "runtime/data/spool/column_statistics_bytes.h"
#include "runtime/data/spool/held_out.h"
#include "runtime/data/spool/spool_keyed.h"
#include "runtime/data/spool/spool_settle.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/bytes.h"
#include "base/vectors.h"

#define BLOCK_FIXED_BYTES ((size_t)32 << 20) /* wide tables get blocks of fewer rows */
#define BLOCK_TEXT_BYTES  ((size_t)64 << 20)
#define BLOCK_ROWS_LEAST  512 /* a multiple keeps the sections of a full block aligned */
#define BLOCK_ROWS_WIDE   64  /* so does one of this, of rows with thousands of numbers */
#define CELL_BYTES        (1 + sizeof(double)) /* tag and value in the canonical row */
#define TILE_ROWS         64                   /* are summarised while they are in the cache */
#define WRITER_ALIGNMENT  _Alignof(struct spool_writer)
#define BLOCKS_OF_A_SIZE  8 /* before the next are twice as large */

const char *const spool_type_words[] = {
    [SPOOL_REAL] = "real", [SPOOL_INTEGER] = "integer", [SPOOL_TEXT] = "text", NULL};

/* Keep the first failure: a spool that missed a cell must never be closed. */
static enum status writer_failed(struct spool_writer *writer, const struct error *err)
{
    if (writer->error.status == STATUS_OK)
        writer->error = *err;
    return err->status;
}

#define WRITER_FAIL(writer, err, call)                                                             \
    do {                                                                                           \
        struct error writer_error;                                                                 \
        (void)(call);                                                                              \
        if (err)                                                                                   \
            *(err) = writer_error;                                                                 \
        return writer_failed((writer), &writer_error);                                             \
    } while (0)

bool run_reserve(struct run *run, size_t more)
{
    size_t capacity = run->capacity ? run->capacity : 256;
    char *data;

    if (run->capacity - run->size >= more)
        return true;
    while (capacity - run->size < more)
        capacity *= 2;
    data = realloc(run->data, capacity);
    if (!data)
        return false;
    run->data = data;
    run->capacity = capacity;
    return true;
}

static void place_columns(struct spool_writer *writer)
{
    const uint32_t rows = writer->block_rows_max;
    size_t at = spool_hashes_size(rows);

    for (uint32_t i = 0; i < writer->column_count; i++, at += spool_nulls_size(rows))
        writer->columns[i].nulls = (uint8_t *)writer->block + at;
    writer->numbers = (int64_t *)(writer->block + at);
    at += spool_numbers_size(rows, writer->number_count);
    for (uint32_t i = 0; i < writer->column_count; i++)
        if (writer->columns[i].type == SPOOL_TEXT) {
            writer->columns[i].offsets = (uint32_t *)(writer->block + at);
            at += spool_offsets_size(rows);
        }
}

/* Clears what rows do not write: bits where nothing is NULL, and the first text's offset. */
static void clear_columns(struct spool_writer *writer)
{
    for (uint32_t i = 0; i < writer->column_count; i++) {
        struct writer_column *column = &writer->columns[i];

        memset(column->nulls, 0, spool_nulls_size(writer->block_rows_max));
        if (column->type == SPOOL_TEXT)
            column->offsets[0] = 0;
    }
}

/* Hashes included: they come first of a block in memory. */
static size_t fixed_size(const struct spool_writer *writer, uint32_t rows)
{
    const uint32_t texts = writer->column_count - writer->number_count;

    return spool_hashes_size(rows) + writer->column_count * spool_nulls_size(rows) +
           spool_numbers_size(rows, writer->number_count) + texts * spool_offsets_size(rows);
}

static uint32_t rows_a_block(size_t columns)
{
    size_t rows = BLOCK_FIXED_BYTES / (sizeof(struct row_hash) + columns * sizeof(double));

    if (rows > SPOOL_BLOCK_ROWS)
        return SPOOL_BLOCK_ROWS;
    if (rows < BLOCK_ROWS_LEAST)
        return (uint32_t)(rows / BLOCK_ROWS_WIDE * BLOCK_ROWS_WIDE);
    return (uint32_t)(rows / BLOCK_ROWS_LEAST * BLOCK_ROWS_LEAST);
}

static bool copy_columns(struct spool_writer *writer, const struct spool_column *columns,
                         size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct writer_column *column = &writer->columns[i];

        column->type = columns[i].type;
        if (column->type != SPOOL_TEXT)
            column->number = writer->number_count++;
        column->name =
            strndup(columns[i].name.data ? columns[i].name.data : "", columns[i].name.size);
        if (!column->name)
            return false;
    }
    for (size_t i = count; i-- > 0;)
        if (columns[i].type == SPOOL_REAL)
            writer->reals_from[i] = 1 + (i + 1 < count ? writer->reals_from[i + 1] : 0);
    return true;
}

static bool writer_allocate(struct spool_writer *writer, const struct spool_column *columns,
                            size_t count)
{
    writer->columns = calloc(count, sizeof *writer->columns);
    writer->reals_from = calloc(count, sizeof *writer->reals_from);
    writer->least = calloc(count, sizeof *writer->least);
    writer->greatest = calloc(count, sizeof *writer->greatest);
    if (!writer->columns || !writer->reals_from || !writer->least || !writer->greatest)
        return false;
    writer->column_count = (uint32_t)count;
    if (!copy_columns(writer, columns, count))
        return false;
    writer->block_rows_max = rows_a_block(count);
    writer->block_size = fixed_size(writer, writer->block_rows_max);
    writer->block = calloc(1, writer->block_size); /* pages come as rows do */
    if (!writer->block || !run_reserve(&writer->row, count * CELL_BYTES))
        return false;
    place_columns(writer);
    return true;
}

static void writer_free(struct spool_writer *writer)
{
    for (uint32_t i = 0; i < writer->column_count; i++) {
        free(writer->columns[i].name);
        free(writer->columns[i].texts.data);
    }
    free(writer->columns);
    free(writer->reals_from);
    free(writer->least);
    free(writer->greatest);
    free(writer->row.data);
    free(writer->out.data);
    free(writer->parts);
    free(writer->ranges);
    free(writer->places);
    free(writer->views);
    column_statistics_free(writer->statistics);
    cell_census_free(writer->census);
    free(writer->block);
    free(writer);
}

static enum status writer_new(const struct spool_column *columns, size_t count,
                              struct spool_writer **writer, struct error *err)
{
    *writer = aligned_alloc(WRITER_ALIGNMENT, sizeof **writer);
    if (!*writer)
        return fail_no_memory(err);
    memset(*writer, 0, sizeof **writer);
    if (writer_allocate(*writer, columns, count))
        return STATUS_OK;
    writer_free(*writer);
    *writer = NULL;
    return fail_no_memory(err);
}

enum status spool_writer_open(const char *path, const struct spool_column *columns, size_t count,
                              uint64_t bytes_max, struct spool_writer **writer, struct error *err)
{
    enum status status;

    *writer = NULL;
    if (count == 0 || count > SPOOL_COLUMNS_MAX)
        return fail(err, STATUS_LIMIT, "a spool has 1 to %d columns, not %zu", SPOOL_COLUMNS_MAX,
                    count);
    TRY(writer_new(columns, count, writer, err));
    status = spool_files_new(path, bytes_max, &(*writer)->files, err);
    if (status == STATUS_OK)
        return STATUS_OK;
    writer_free(*writer);
    *writer = NULL;
    return status;
}

/* In the order in which the rows are put. */
static enum status branch_plain(const struct spool_writer *writer, struct spool_writer **branch,
                                struct error *err)
{
    struct spool_column *columns = calloc(writer->column_count, sizeof *columns);
    enum status status;

    *branch = NULL;
    if (!columns)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < writer->column_count; i++)
        columns[i] = (struct spool_column){.name = slice_of(writer->columns[i].name),
                                           .type = writer->columns[i].type};
    status = writer_new(columns, writer->column_count, branch, err);
    free(columns);
    if (status != STATUS_OK)
        return status;
    (*branch)->files = writer->files;
    (*branch)->file = SPOOL_FILE_NONE;
    (*branch)->order = writer->order;
    return STATUS_OK;
}

enum status spool_writer_branch_sample(const struct spool_writer *writer,
                                       struct spool_writer **branch, struct error *err)
{
    TRY(branch_plain(writer, branch, err));
    (*branch)->file = 0;
    (*branch)->is_sample = true;
    return STATUS_OK;
}

enum status spool_writer_branch(const struct spool_writer *writer, struct spool_writer **branch,
                                struct error *err)
{
    enum status status;

    TRY(branch_plain(writer, branch, err));
    if (!writer->is_keyed)
        return STATUS_OK;
    status = spool_writer_sort(*branch, &writer->order, err);
    if (status == STATUS_OK)
        return STATUS_OK;
    writer_free(*branch);
    *branch = NULL;
    return status;
}

static bool allocate_keyed(struct spool_writer *writer)
{
    const size_t rows = writer->block_rows_max;

    free(writer->parts);
    free(writer->ranges);
    free(writer->places);
    writer->parts = malloc(rows * sizeof *writer->parts);
    writer->ranges = malloc(rows * sizeof *writer->ranges);
    writer->places = malloc(rows * sizeof *writer->places);
    return writer->parts && writer->ranges && writer->places;
}

enum status spool_writer_sort(struct spool_writer *writer, const struct spool_order *order,
                              struct error *err)
{
    writer->is_keyed = order->by_key;
    writer->order = *order;
    if (order->counted)
        TRY(cell_census_new(order->counted, order->are_keys, &writer->census, err));
    if (!order->by_key)
        return STATUS_OK;
    writer->views = calloc(writer->column_count, sizeof *writer->views);
    if (!writer->views || !allocate_keyed(writer))
        return fail_no_memory(err);
    return order->spec
               ? column_statistics_new(order->spec, SPOOL_WORD_BYTES_MAX, &writer->statistics, err)
               : STATUS_OK;
}

enum status spool_writer_grow(struct spool_writer *writer, struct error *err)
{
    const uint32_t rows = 2 * writer->block_rows_max;
    char *block;

    if (++writer->blocks_full < BLOCKS_OF_A_SIZE || fixed_size(writer, rows) > BLOCK_FIXED_BYTES)
        return STATUS_OK;
    block = realloc(writer->block, fixed_size(writer, rows)); /* its pages stay */
    if (!block)
        return fail_no_memory(err);
    writer->block = block;
    writer->block_rows_max = rows;
    writer->block_size = fixed_size(writer, rows);
    writer->blocks_full = 0;
    place_columns(writer);
    clear_columns(writer);
    return allocate_keyed(writer) ? STATUS_OK : fail_no_memory(err);
}

/* The column that the next cell belongs to, or NULL with the failure kept. */
static struct writer_column *next_column(struct spool_writer *writer, enum spool_type type,
                                         struct error *err)
{
    struct writer_column *column;
    struct error reason;

    if (writer->error.status == STATUS_OK && writer->column < writer->column_count) {
        column = &writer->columns[writer->column];
        if (column->type == type) {
            writer->column++;
            return column;
        }
        fail(&reason, STATUS_INVALID, "column \"%s\" of the spool is %s, and the cell is %s",
             column->name, spool_type_words[column->type], spool_type_words[type]);
    } else if (writer->error.status == STATUS_OK) {
        fail(&reason, STATUS_INVALID, "more cells in a row than the spool's %u columns",
             writer->column_count);
    } else {
        reason = writer->error;
    }
    writer_failed(writer, &reason);
    if (err)
        *err = reason;
    return NULL;
}

/* Where the current row's number of a column is kept. */
static int64_t *number_cell(struct spool_writer *writer, const struct writer_column *column)
{
    return &writer->numbers[(size_t)writer->block_rows * writer->number_count + column->number];
}

static void put_tagged(struct run *row, enum spool_hash_tag tag, const void *value, size_t size)
{
    row->data[row->size] = (char)tag;
    memcpy(row->data + row->size + 1, value, size);
    row->size += 1 + size;
}

enum status spool_put_null(struct spool_writer *writer, struct error *err)
{
    const uint32_t row = writer->block_rows;
    struct writer_column *column;
    enum spool_type type =
        writer->column < writer->column_count ? writer->columns[writer->column].type : SPOOL_REAL;

    column = next_column(writer, type, err);
    if (!column)
        return writer->error.status;
    column->nulls[row / 8] |= (uint8_t)(1u << (row % 8));
    column->has_nulls = true;
    column->entry.nulls++;
    if (type == SPOOL_TEXT)
        column->offsets[row + 1] = (uint32_t)column->texts.size;
    else
        *number_cell(writer, column) = 0; /* the bytes of 0.0, too */
    writer->row.data[writer->row.size++] = HASH_NULL;
    return STATUS_OK;
}

enum status spool_put_real(struct spool_writer *writer, double value, struct error *err)
{
    struct writer_column *column;

    if (isnan(value))
        return spool_put_null(writer, err);
    column = next_column(writer, SPOOL_REAL, err);
    if (!column)
        return writer->error.status;
    value += 0.0; /* -0 becomes 0 */
    memcpy(number_cell(writer, column), &value, sizeof value);
    put_tagged(&writer->row, HASH_REAL, &value, sizeof value);
    return STATUS_OK;
}

/* Puts the values that come before a NaN. */
static size_t put_run(struct spool_writer *writer, const double *values, size_t count)
{
    int64_t *numbers = number_cell(writer, &writer->columns[writer->column]);
    char *row = writer->row.data + writer->row.size;
    size_t n;

    for (n = 0; n < count && !isnan(values[n]); n++, row += CELL_BYTES) {
        const double value = values[n] + 0.0; /* -0 becomes 0 */
        memcpy(numbers + n, &value, sizeof value);
        row[0] = HASH_REAL;
        memcpy(row + 1, &value, sizeof value);
    }
    writer->row.size += n * CELL_BYTES;
    writer->column += (uint32_t)n;
    return n;
}

enum status spool_put_reals(struct spool_writer *writer, const double *values, size_t count,
                            struct error *err)
{
    const bool fits = writer->error.status == STATUS_OK &&
                      (count == 0 || (writer->column < writer->column_count &&
                                      count <= writer->reals_from[writer->column]));
    size_t done = 0;

    while (done < count) {
        if (fits)
            done += put_run(writer, values + done, count - done);
        if (done < count)
            TRY(spool_put_real(writer, values[done++], err));
    }
    return STATUS_OK;
}

enum status spool_put_integer(struct spool_writer *writer, int64_t value, struct error *err)
{
    struct writer_column *column = next_column(writer, SPOOL_INTEGER, err);

    if (!column)
        return writer->error.status;
    *number_cell(writer, column) = value;
    put_tagged(&writer->row, HASH_INTEGER, &value, sizeof value);
    return STATUS_OK;
}

enum status spool_put_text(struct spool_writer *writer, struct slice value, struct error *err)
{
    struct writer_column *column = next_column(writer, SPOOL_TEXT, err);
    const uint32_t size = (uint32_t)value.size;
    size_t room;

    if (!column)
        return writer->error.status;
    if (value.size > SPOOL_TEXT_BYTES_MAX)
        WRITER_FAIL(writer, err,
                    fail(&writer_error, STATUS_LIMIT,
                         "column \"%s\" holds a text of %zu bytes, where at most %zu are read",
                         column->name, value.size, SPOOL_TEXT_BYTES_MAX));
    /* Room for this cell and for numbers in all the others. */
    room = 1 + sizeof size + size + writer->column_count * CELL_BYTES;
    if (!run_reserve(&column->texts, size) || !run_reserve(&writer->row, room))
        WRITER_FAIL(writer, err, fail_no_memory(&writer_error));
    put_tagged(&writer->row, HASH_TEXT, &size, sizeof size);
    if (size) {
        memcpy(writer->row.data + writer->row.size, value.data, size);
        memcpy(column->texts.data + column->texts.size, value.data, size);
    }
    writer->row.size += size;
    column->texts.size += size;
    writer->block_text_size += size;
    column->offsets[writer->block_rows + 1] = (uint32_t)column->texts.size;
    return STATUS_OK;
}

static void widen(struct writer_column *column, double least, double greatest)
{
    if (!column->has_values || least < column->entry.least)
        column->entry.least = least;
    if (!column->has_values || greatest > column->entry.greatest)
        column->entry.greatest = greatest;
    column->has_values = true;
}

/* Finds the range of each column of a tile, taken for reals; ranges of columns that are not mean
 * nothing. */
WIDE_VECTORS
static void range_of_tile(const double *restrict tile, uint32_t rows, uint32_t count,
                          double *restrict least, double *restrict greatest)
{
    memcpy(least, tile, count * sizeof *least);
    memcpy(greatest, tile, count * sizeof *greatest);
    for (uint32_t row = 1; row < rows; row++) {
        tile += count;
        for (uint32_t i = 0; i < count; i++) {
            least[i] = tile[i] < least[i] ? tile[i] : least[i];
            greatest[i] = tile[i] > greatest[i] ? tile[i] : greatest[i];
        }
    }
}

/* Integers, and reals some of which are NULL. */
static void summarise_one_by_one(const struct spool_writer *writer, struct writer_column *column,
                                 uint32_t first, uint32_t end)
{
    for (uint32_t row = first; row < end; row++) {
        const int64_t number = writer->numbers[(size_t)row * writer->number_count + column->number];
        double value = (double)number;

        if (column->nulls[row / 8] >> (row % 8) & 1)
            continue;
        if (column->type == SPOOL_REAL)
            memcpy(&value, &number, sizeof value);
        widen(column, value, value);
    }
}

/* The rows since the last time. */
static void summarise(struct spool_writer *writer)
{
    const uint32_t first = writer->summarised, end = writer->block_rows;

    writer->summarised = end;
    if (first == end)
        return;
    range_of_tile((const double *)writer->numbers + (size_t)first * writer->number_count,
                  end - first, writer->number_count, writer->least, writer->greatest);
    for (uint32_t i = 0; i < writer->column_count; i++) {
        struct writer_column *column = &writer->columns[i];

        if (column->type == SPOOL_TEXT)
            continue;
        if (column->type == SPOOL_REAL && column->entry.nulls == 0)
            widen(column, writer->least[column->number], writer->greatest[column->number]);
        else
            summarise_one_by_one(writer, column, first, end);
    }
}

/* Move one section of a block that is not full to where a reader expects it. */
static size_t move_section(char *block, size_t to, const void *from, size_t size)
{
    memmove(block + to, from, size);
    memset(block + to + size, 0, spool_pad(size) - size);
    return to + spool_pad(size);
}

/* The fixed part as it is written. Sections only ever move towards the front. */
static size_t compact(struct spool_writer *writer)
{
    const uint32_t rows = writer->block_rows;
    size_t at;

    if (rows == writer->block_rows_max)
        return writer->block_size;
    at = move_section(writer->block, 0, writer->block, rows * sizeof(struct row_hash));
    for (uint32_t i = 0; i < writer->column_count; i++)
        at = move_section(writer->block, at, writer->columns[i].nulls, ((size_t)rows + 7) / 8);
    at = move_section(writer->block, at, writer->numbers,
                      (size_t)rows * writer->number_count * sizeof *writer->numbers);
    for (uint32_t i = 0; i < writer->column_count; i++)
        if (writer->columns[i].type == SPOOL_TEXT)
            at = move_section(writer->block, at, writer->columns[i].offsets,
                              ((size_t)rows + 1) * sizeof(uint32_t));
    return at;
}

/* A piece of a block that is being written. */
struct block_writing {
    struct spool_files *files;
    uint32_t file;
    uint64_t offset;
    XXH3_state_t hash;
};

static enum status append(struct block_writing *writing, const void *bytes, size_t size,
                          struct error *err)
{
    TRY(spool_files_write(writing->files, writing->file, bytes, size, writing->offset, err));
    XXH3_64bits_update(&writing->hash, bytes, size);
    writing->offset += size;
    return STATUS_OK;
}

/* The fixed part and the texts. */
static enum status write_block(const struct spool_writer *writer, size_t fixed_size,
                               const struct spool_place *place, struct error *err)
{
    static const char zeros[SPOOL_ALIGN];
    const size_t hashes = writer->block_rows * sizeof(struct row_hash);
    struct block_writing writing = {
        .files = writer->files, .file = place->file, .offset = place->offset};

    XXH3_64bits_reset_withSeed(&writing.hash, XXH3_64bits(writer->block, hashes));
    TRY(append(&writing, writer->block + hashes, fixed_size - hashes, err));
    for (uint32_t i = 0; i < writer->column_count; i++) {
        const struct run *texts = &writer->columns[i].texts;
        if (texts->size == 0)
            continue;
        TRY(append(&writing, texts->data, texts->size, err));
        TRY(append(&writing, zeros, spool_pad(texts->size) - texts->size, err));
    }
    spool_files_seal(writer->files, place, XXH3_64bits_digest(&writing.hash));
    return STATUS_OK;
}

static void clear_block(struct spool_writer *writer)
{
    clear_columns(writer);
    for (uint32_t i = 0; i < writer->column_count; i++) {
        writer->columns[i].texts.size = 0;
        writer->columns[i].has_nulls = false;
    }
    writer->block_rows = writer->summarised = 0;
    writer->block_text_size = 0;
}

static enum status flush_block(struct spool_writer *writer, struct error *err)
{
    struct spool_place place;
    size_t fixed, size, hashes;
    uint64_t offset;

    summarise(writer);
    if (writer->is_keyed) {
        const bool was_full = writer->block_rows == writer->block_rows_max;

        TRY(spool_write_keyed(writer, err));
        clear_block(writer);
        return was_full ? spool_writer_grow(writer, err) : STATUS_OK;
    }
    size = fixed = compact(writer);
    for (uint32_t i = 0; i < writer->column_count; i++)
        size += spool_pad(writer->columns[i].texts.size);
    hashes = writer->block_rows * sizeof(struct row_hash);
    TRY(spool_files_reserve(writer->files, &writer->file, hashes, &offset, err));
    TRY(spool_files_write(writer->files, writer->file, writer->block, hashes, offset, err));
    TRY(spool_files_place(
        writer->files, &writer->file,
        &(struct spool_block_entry){.hashes = offset,
                                    .size = size - hashes,
                                    .rows = writer->block_rows,
                                    .part = writer->is_sample ? SPOOL_SAMPLED : SPOOL_KEPT},
        &place, err));
    TRY(write_block(writer, fixed, &place, err));
    clear_block(writer);
    return STATUS_OK;
}

/* Where no more rows fit into the block. */
static enum status flush_full(struct spool_writer *writer, struct error *err)
{
    struct error reason;

    if (writer->block_rows < writer->block_rows_max && writer->block_text_size < BLOCK_TEXT_BYTES)
        return STATUS_OK;
    if (flush_block(writer, &reason) == STATUS_OK)
        return STATUS_OK;
    WRITER_FAIL(writer, err, writer_error = reason);
}

/* Bytes of the cell in the canonical row. */
static size_t cell_size(const struct spool_writer *writer, uint32_t number)
{
    const struct writer_column *column = &writer->columns[number];
    const uint32_t row = writer->block_rows;

    if (column->nulls[row / 8] >> (row % 8) & 1)
        return 1;
    return column->type == SPOOL_TEXT
               ? 1 + sizeof(uint32_t) + column->offsets[row + 1] - column->offsets[row]
               : CELL_BYTES;
}

/* The canonical bytes of so many cells of the row, side by side; few are behind them. */
static struct slice cells_of_row(const struct spool_writer *writer, uint32_t first, uint32_t count)
{
    size_t end = writer->row.size, size = 0;

    for (uint32_t i = writer->column_count; i-- > first + count;)
        end -= cell_size(writer, i);
    for (uint32_t i = first; i < first + count; i++)
        size += cell_size(writer, i);
    return (struct slice){writer->row.data + end - size, size};
}

static struct row_hash hash_of_row(const struct spool_writer *writer)
{
    const XXH128_hash_t bits = XXH3_128bits(writer->row.data, writer->row.size);
    const struct row_hash hash = {.low = bits.low64, .high = bits.high64};
    const struct spool_held_out *rule = &writer->order.held_out;

    if (rule->by_group)
        return row_hash_of_group(&hash,
                                 cells_of_row(writer, rule->group_column, rule->group_columns));
    return rule->by_class ? row_hash_of_class(&hash, cells_of_row(writer, rule->class_column, 1))
                          : hash;
}

enum status spool_end_row(struct spool_writer *writer, struct error *err)
{

    if (writer->error.status != STATUS_OK)
        WRITER_FAIL(writer, err, writer_error = writer->error);
    if (writer->column != writer->column_count)
        WRITER_FAIL(writer, err,
                    fail(&writer_error, STATUS_INVALID, "a row of %u cells, where %u were expected",
                         writer->column, writer->column_count));
    if (writer->rows == SPOOL_ROWS_MAX)
        WRITER_FAIL(writer, err,
                    fail(&writer_error, STATUS_LIMIT, "the SELECT returned more than %llu rows",
                         (unsigned long long)SPOOL_ROWS_MAX));
    ((struct row_hash *)writer->block)[writer->block_rows] = hash_of_row(writer);
    if (writer->is_keyed)
        writer->parts[writer->block_rows] = PART_BY_HASH;
    writer->row.size = 0;
    writer->column = 0;
    writer->rows++;
    writer->block_rows++;
    if (writer->block_rows - writer->summarised == TILE_ROWS)
        summarise(writer);
    return flush_full(writer, err);
}

static void copy_cell(struct spool_writer *writer, struct writer_column *column,
                      const struct spool_column_view *view, uint32_t row)
{
    const uint32_t to = writer->block_rows;

    if (spool_is_null(view, row)) {
        column->nulls[to / 8] |= (uint8_t)(1u << (to % 8));
        column->has_nulls = true;
    }
    if (column->type == SPOOL_TEXT) {
        const size_t size = view->offsets[row + 1] - view->offsets[row];

        if (size)
            memcpy(column->texts.data + column->texts.size, view->bytes + view->offsets[row], size);
        column->texts.size += size;
        writer->block_text_size += size;
        column->offsets[to + 1] = (uint32_t)column->texts.size;
    } else {
        *number_cell(writer, column) = view->numbers[(size_t)row * view->stride];
    }
}

enum status spool_put_copy(struct spool_writer *writer, const struct spool_block *block,
                           uint32_t row, struct row_hash hash, uint32_t part, struct error *err)
{
    for (uint32_t i = 0; i < writer->column_count; i++) {
        const struct spool_column_view *view = &block->columns[i];

        if (view->type == SPOOL_TEXT &&
            !run_reserve(&writer->columns[i].texts, view->offsets[row + 1] - view->offsets[row]))
            WRITER_FAIL(writer, err, fail_no_memory(&writer_error));
    }
    for (uint32_t i = 0; i < writer->column_count; i++)
        copy_cell(writer, &writer->columns[i], &block->columns[i], row);
    ((struct row_hash *)writer->block)[writer->block_rows] = hash;
    if (writer->is_keyed)
        writer->parts[writer->block_rows] = (uint8_t)part;
    writer->summarised = ++writer->block_rows;
    return flush_full(writer, err);
}

struct cell_census *spool_writer_census(struct spool_writer *writer)
{
    return writer->census;
}

uint64_t spool_writer_rows(const struct spool_writer *writer)
{
    return writer->rows;
}

struct spool_column_summary spool_writer_summary(struct spool_writer *writer, uint32_t column)
{
    const struct spool_column_entry *entry = &writer->columns[column].entry;

    summarise(writer);
    return (struct spool_column_summary){entry->nulls, entry->least, entry->greatest};
}

/* The rows that are not written yet, when nothing went wrong before. */
static enum status finish_rows(struct spool_writer *writer, struct error *err)
{
    if (writer->error.status != STATUS_OK) {
        if (err)
            *err = writer->error;
        return writer->error.status;
    }
    if (writer->column != 0)
        return fail(err, STATUS_INVALID, "the last row has %u cells, where %u were expected",
                    writer->column, writer->column_count);
    return writer->block_rows ? flush_block(writer, err) : STATUS_OK;
}

enum status spool_writer_flush(struct spool_writer *writer, struct error *err)
{
    struct error reason;

    if (finish_rows(writer, &reason) == STATUS_OK)
        return STATUS_OK;
    WRITER_FAIL(writer, err, writer_error = reason);
}

/* The first branch's are the writer's from then on. */
static enum status take_statistics(struct spool_writer *writer, struct spool_writer *branch,
                                   struct error *err)
{
    struct column_statistics *fresh = writer->statistics;

    if (!column_statistics_is_fresh(fresh))
        return column_statistics_merge(fresh, branch->statistics, err);
    writer->statistics = branch->statistics;
    branch->statistics = fresh;
    return STATUS_OK;
}

enum status spool_writer_join(struct spool_writer *writer, struct spool_writer *branch,
                              struct error *err)
{
    struct error reason;
    enum status status = finish_rows(branch, &reason);

    for (uint32_t i = 0; i < writer->column_count && status == STATUS_OK; i++) {
        const struct writer_column *from = &branch->columns[i];

        writer->columns[i].entry.nulls += from->entry.nulls;
        if (from->has_values)
            widen(&writer->columns[i], from->entry.least, from->entry.greatest);
    }
    if (status == STATUS_OK && branch->statistics)
        status = take_statistics(writer, branch, &reason);
    if (status == STATUS_OK && branch->census)
        status = cell_census_merge(writer->census, branch->census, &reason);
    writer->rows += branch->rows;
    writer_free(branch);
    if (status != STATUS_OK)
        WRITER_FAIL(writer, err, writer_error = reason);
    return STATUS_OK;
}

/* ----- parts: what a writer of another process leaves, as bytes ----- */

static enum status put_part(const struct spool_writer *part, struct text *index, struct error *err)
{
    const struct spool_block_entry *entries;
    uint32_t count;
    uint64_t size;

    entries = spool_files_entries(part->files, &count, &size);
    put_u64(index, size);
    put_u32(index, part->column_count);
    for (uint32_t i = 0; i < part->column_count; i++) {
        const struct writer_column *column = &part->columns[i];

        put_u8(index, (uint8_t)column->type);
        put_u64(index, column->entry.nulls);
        put_u8(index, column->has_values);
        put_f64(index, column->entry.least);
        put_f64(index, column->entry.greatest);
    }
    put_u32(index, count);
    text_append(index, (struct slice){(const char *)entries, count * sizeof *entries});
    if (part->census)
        cell_census_put(part->census, index);
    return part->statistics ? column_statistics_put(part->statistics, index, err) : STATUS_OK;
}

enum status spool_part_open(const char *path, uint32_t number, const struct spool_column *columns,
                            size_t count, struct spool_writer **part, struct error *err)
{
    enum status status;

    *part = NULL;
    if (count == 0 || count > SPOOL_COLUMNS_MAX)
        return fail(err, STATUS_LIMIT, "a spool has 1 to %d columns, not %zu", SPOOL_COLUMNS_MAX,
                    count);
    TRY(writer_new(columns, count, part, err));
    status = spool_files_new_part(path, number, &(*part)->files, err);
    if (status == STATUS_OK)
        return STATUS_OK;
    writer_free(*part);
    *part = NULL;
    return status;
}

enum status spool_part_close(struct spool_writer *part, struct text *index, struct error *err)
{
    enum status status = finish_rows(part, err);

    if (status == STATUS_OK) {
        status = put_part(part, index, err);
        if (status == STATUS_OK && index->failed)
            status = fail_no_memory(err);
    }
    if (status == STATUS_OK)
        status = spool_files_close(part->files, err);
    else
        spool_files_abandon(part->files);
    writer_free(part);
    return status;
}

/* Whatever the bytes are, the writer can still be abandoned. */
static enum status take_part(struct spool_writer *writer, uint32_t number,
                             struct byte_reader *reader, struct error *err)
{
    const uint64_t size = read_u64(reader);
    struct spool_block_entry *entries = NULL;
    struct slice bytes;
    enum status status;
    uint32_t count;

    if (read_u32(reader) != writer->column_count)
        return fail(err, STATUS_CORRUPT, "the part of a spool has other columns");
    for (uint32_t i = 0; i < writer->column_count; i++) {
        struct writer_column *column = &writer->columns[i];
        const bool is_same = read_u8(reader) == (uint8_t)column->type;
        const uint64_t nulls = read_u64(reader);
        const bool has_values = read_u8(reader) != 0;
        const double least = read_f64(reader), greatest = read_f64(reader);

        if (!is_same)
            return fail(err, STATUS_CORRUPT, "the part of a spool has other columns");
        column->entry.nulls += nulls;
        if (has_values)
            widen(column, least, greatest);
    }
    count = read_u32(reader);
    bytes = read_bytes(reader, (size_t)count * sizeof *entries);
    if (!reader->failed && writer->census)
        TRY(cell_census_read(writer->census, reader, err));
    if (reader->failed || (!writer->statistics && !reader_is_done(reader)))
        return fail(err, STATUS_CORRUPT, "the part of a spool is described by other bytes");
    if (writer->statistics)
        TRY(column_statistics_read(
            writer->statistics,
            (struct slice){(const char *)reader->at, (size_t)(reader->end - reader->at)}, err));
    entries = malloc(bytes.size + 1);
    if (!entries)
        return fail_no_memory(err);
    memcpy(entries, bytes.data, bytes.size);
    status = spool_files_adopt(writer->files, number, entries, count, size, err);
    for (uint32_t i = 0; i < count && status == STATUS_OK; i++)
        writer->rows += entries[i].rows;
    free(entries);
    return status;
}

enum status spool_writer_join_part(struct spool_writer *writer, uint32_t number, struct slice index,
                                   struct error *err)
{
    struct byte_reader reader = byte_reader_over(index);
    struct error reason;

    if (take_part(writer, number, &reader, &reason) == STATUS_OK)
        return STATUS_OK;
    WRITER_FAIL(writer, err, writer_error = reason);
}

void spool_writer_read_from(struct spool_writer *writer, const struct spool_source *source)
{
    spool_files_read_from(writer->files, source);
}

static enum status finish(struct spool_writer *writer, struct error *err)
{
    struct spool_settled settled = {.gone = NULL};
    struct spool_column_entry *entries;
    enum status status;

    TRY(finish_rows(writer, err));
    if (spool_files_rows(writer->files) != writer->rows)
        return fail(err, STATUS_INVALID, "a spool of %llu rows, of which %llu were joined",
                    (unsigned long long)spool_files_rows(writer->files),
                    (unsigned long long)writer->rows);
    entries = calloc(writer->column_count, sizeof *entries);
    if (!entries)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < writer->column_count; i++) {
        entries[i] = writer->columns[i].entry;
        entries[i].type = writer->columns[i].type;
    }
    status = writer->is_keyed ? spool_settle(writer, &settled, err) : STATUS_OK;
    if (status == STATUS_OK)
        status = spool_files_finish(writer->files, entries, writer->column_count,
                                    writer->is_keyed ? &settled : NULL, err);
    spool_settled_deinit(&settled);
    free(entries);
    return status;
}

void spool_writer_watch(struct spool_writer *writer, bool (*is_stopped)(void *context),
                        void *context)
{
    writer->is_stopped = is_stopped;
    writer->stop_context = context;
}

enum status spool_writer_close(struct spool_writer *writer, struct error *err)
{
    struct spool_files *files = writer->files;
    enum status status = finish(writer, err);

    writer_free(writer);
    if (status == STATUS_OK)
        return spool_files_close(files, err);
    spool_files_abandon(files);
    return status;
}

void spool_writer_abandon(struct spool_writer *writer)
{
    spool_files_abandon(writer->files);
    writer_free(writer);
}
