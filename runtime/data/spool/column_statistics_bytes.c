#include "runtime/data/spool/column_statistics_bytes.h"

#include <math.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "runtime/data/spool/column_counts.h"

#define STATISTICS_VERSION 1
#define WORD_BYTES_LEAST   (sizeof(uint32_t) + sizeof(uint64_t)) /* its size and its count */

static enum status put_words(const struct column_counts *column, struct text *out,
                             struct error *err)
{
    struct word_entry *entries;
    enum status status;
    uint32_t count;

    TRY(list_words(column, &entries, &count, err));
    status = sort_words(entries, count, WORDS_BY_BYTES, err);
    put_u64(out, column->infinite);
    put_u32(out, count);
    for (uint32_t i = 0; status == STATUS_OK && i < count; i++) {
        struct slice word = entries[i].word;

        if (word.size <= sizeof entries[i].start) /* the word lies anywhere in memory */
            word.data = (const char *)&entries[i].start;
        put_sized(out, word);
        put_u64(out, entries[i].count);
    }
    free(entries);
    return status;
}

enum status column_statistics_put(const struct column_statistics *statistics, struct text *out,
                                  struct error *err)
{
    put_u8(out, STATISTICS_VERSION);
    put_u32(out, statistics->counts_count);
    put_u64(out, statistics->rows);
    for (uint32_t i = 0; i < statistics->counts_count; i++) {
        const struct column_counts *column = &statistics->columns[i];

        put_u8(out, (uint8_t)column->content);
        put_u64(out, column->nulls);
        if (column->content == COLUMN_NUMBERS)
            exact_moments_put(&statistics->moments[column->number], out);
        else if (column->content != COLUMN_TEXTS)
            TRY(put_words(column, out, err));
    }
    return out->failed ? fail_no_memory(err) : STATUS_OK;
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

    if (read_u8(&reader) != STATISTICS_VERSION || read_u32(&reader) != statistics->counts_count)
        return fail(err, STATUS_CORRUPT, "the statistics of the columns are other bytes");
    statistics->rows += read_u64(&reader);
    for (uint32_t i = 0; i < statistics->counts_count; i++)
        TRY(read_column(statistics, &statistics->columns[i], &reader, err));
    return reader_is_done(&reader)
               ? STATUS_OK
               : fail(err, STATUS_CORRUPT, "the statistics of the columns are other bytes");
}
