#include "runtime/data/column_statistics_bytes.h"

#include <math.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "runtime/data/column_statistics_parts.h"

#define STATISTICS_VERSION 1
#define WORD_BYTES_LEAST   (sizeof(uint32_t) + sizeof(uint64_t)) /* its size and its count */

/* The words of each column, sorted. */
struct listing {
    const struct column_statistics *statistics;
    struct listed {
        struct word_entry *entries; /* (count) */
        uint32_t count;
        struct error err;
    } * columns; /* (column_count) */
};

static bool has_words(const struct column_counts *column)
{
    return column->content != COLUMN_NUMBERS && column->content != COLUMN_TEXTS;
}

static void list_task(void *context, uint32_t member, uint32_t number)
{
    struct listing *listing = context;
    const struct column_counts *column = &listing->statistics->columns[number];
    struct listed *listed = &listing->columns[number];

    (void)member;
    error_clear(&listed->err);
    if (has_words(column) &&
        list_words(column, &listed->entries, &listed->count, &listed->err) == STATUS_OK)
        sort_words(listed->entries, listed->count, WORDS_BY_BYTES, &listed->err);
}

static enum status put_words(const struct column_counts *column, const struct listed *listed,
                             struct text *out, struct error *err)
{
    if (listed->err.status != STATUS_OK) {
        if (err)
            *err = listed->err;
        return listed->err.status;
    }
    put_u64(out, column->infinite);
    put_u32(out, listed->count);
    for (uint32_t i = 0; i < listed->count; i++) {
        const struct word_entry *entry = &listed->entries[i];
        struct slice word = entry->word;

        if (word.size <= sizeof entry->start) /* the word lies anywhere in memory */
            word.data = (const char *)&entry->start;
        put_sized(out, word);
        put_u64(out, entry->count);
    }
    return STATUS_OK;
}

static enum status put_columns(const struct listing *listing, struct text *out, struct error *err)
{
    const struct column_statistics *statistics = listing->statistics;

    put_u8(out, STATISTICS_VERSION);
    put_u32(out, statistics->column_count);
    put_u64(out, statistics->rows);
    for (uint32_t i = 0; i < statistics->column_count; i++) {
        const struct column_counts *column = &statistics->columns[i];

        put_u8(out, (uint8_t)column->content);
        put_u64(out, column->nulls);
        if (column->content == COLUMN_NUMBERS)
            exact_moments_put(&statistics->moments[column->number], out);
        else if (has_words(column))
            TRY(put_words(column, &listing->columns[i], out, err));
    }
    return out->failed ? fail_no_memory(err) : STATUS_OK;
}

enum status column_statistics_put(const struct column_statistics *statistics, struct team *team,
                                  struct text *out, struct error *err)
{
    struct listing listing = {.statistics = statistics};
    enum status status;

    listing.columns = calloc(statistics->column_count + (size_t)1, sizeof *listing.columns);
    if (!listing.columns)
        return fail_no_memory(err);
    team_run(team, statistics->column_count, list_task, &listing);
    status = put_columns(&listing, out, err);
    for (uint32_t i = 0; i < statistics->column_count; i++)
        free(listing.columns[i].entries);
    free(listing.columns);
    return status;
}

static enum status refuse(const struct column_counts *column, struct error *err)
{
    return fail(err, STATUS_CORRUPT, "the statistics of column \"%.*s\" are other bytes",
                SLICE_FORMAT(column->name));
}

/* Zero has one sign in a spool, and what is not finite is no class. */
static bool is_class(enum label_type type, struct slice word)
{
    struct cell cell;

    if (type == LABEL_TEXT)
        return true;
    if (word.size != sizeof(int64_t))
        return false;
    cell = class_to_cell(type, word);
    return type == LABEL_INTEGER ||
           (isfinite(cell.real) && (cell.real != 0 || !signbit(cell.real)));
}

static enum status read_words(struct column_statistics *statistics, struct column_counts *column,
                              struct byte_reader *reader, struct error *err)
{
    const bool are_new = column->table.count == 0; /* words ascend: each is there once */
    struct slice before = {0};
    uint32_t count;

    column->infinite += read_u64(reader);
    count = read_u32(reader);
    if (count > (size_t)(reader->end - reader->at) / WORD_BYTES_LEAST)
        return refuse(column, err);
    if (are_new && !word_table_reserve(&column->table, count))
        return fail_no_memory(err);
    for (uint32_t i = 0; i < count; i++) {
        const struct slice word = read_sized(reader, SPOOL_TEXT_BYTES_MAX);
        const uint64_t times = read_u64(reader);

        if (reader->failed || times == 0 || (i > 0 && slice_compare(before, word) >= 0) ||
            (column->content == COLUMN_CLASSES && !is_class(statistics->spec->label_type, word)) ||
            (column->content == COLUMN_VALUES && !is_class(LABEL_REAL, word)))
            return refuse(column, err);
        if (are_new)
            TRY(count_new_word(statistics, column, word, times, err));
        else
            TRY(count_word(statistics, column, word, times, err));
        before = word;
    }
    return STATUS_OK;
}

static enum status read_column(struct column_statistics *statistics, struct column_counts *column,
                               struct byte_reader *reader, struct error *err)
{
    struct exact_moments moments;
    const uint8_t content = read_u8(reader);

    column->nulls += read_u64(reader);
    if (content != (uint8_t)column->content)
        return refuse(column, err);
    if (column->content == COLUMN_TEXTS)
        return STATUS_OK;
    if (column->content != COLUMN_NUMBERS)
        return read_words(statistics, column, reader, err);
    if (!exact_moments_read(reader, &moments))
        return refuse(column, err);
    exact_moments_merge(&statistics->moments[column->number], &moments);
    return STATUS_OK;
}

enum status column_statistics_read(struct column_statistics *statistics, struct slice bytes,
                                   struct error *err)
{
    struct byte_reader reader = byte_reader_over(bytes);

    if (read_u8(&reader) != STATISTICS_VERSION || read_u32(&reader) != statistics->column_count)
        return fail(err, STATUS_CORRUPT, "the statistics of the columns are other bytes");
    statistics->rows += read_u64(&reader);
    for (uint32_t i = 0; i < statistics->column_count; i++)
        TRY(read_column(statistics, &statistics->columns[i], &reader, err));
    return reader_is_done(&reader)
               ? STATUS_OK
               : fail(err, STATUS_CORRUPT, "the statistics of the columns are other bytes");
}
