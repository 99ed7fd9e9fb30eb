#include "scoring/cell_counts.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "scoring/dates.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#define DISTINCT_SIZE_FIRST 64 /* places; twice as many as values at least */
#define LOOP_BYTES_MAX      16 /* of a text, in which a loop is faster than a call */
#define CENSUS_BYTES_MAX    ((size_t)1 << 30)

/* ---- different values ---- */

static bool is_sampled(const struct distinct_sample *sample, uint64_t hash)
{
    return sample->level == 0 || hash >> (64 - sample->level) == 0;
}

/* Where the value is, or the empty place where it belongs. */
static struct distinct_value *place_of(const struct distinct_sample *sample, uint64_t hash)
{
    uint32_t place = (uint32_t)hash & (sample->size - 1);

    while (sample->values[place].count && sample->values[place].hash != hash)
        place = (place + 1) & (sample->size - 1);
    return &sample->values[place];
}

/* Those that are in the sample still, in a table of this size. */
static bool resize(struct distinct_sample *sample, uint32_t size, struct arena *arena)
{
    const struct distinct_sample old = *sample;

    sample->values = ARENA_NEW(arena, struct distinct_value, size);
    if (!sample->values) {
        *sample = old;
        return false;
    }
    sample->size = size;
    sample->used = 0;
    for (uint32_t i = 0; i < old.size; i++)
        if (old.values[i].count && is_sampled(sample, old.values[i].hash)) {
            *place_of(sample, old.values[i].hash) = old.values[i];
            sample->used++;
        }
    return true;
}

/* In its place: a table that is full does not grow any more. */
static void drop(struct distinct_sample *sample)
{
    struct distinct_value kept[DISTINCT_MAX];
    uint32_t count = 0;

    for (uint32_t i = 0; i < sample->size; i++)
        if (sample->values[i].count && is_sampled(sample, sample->values[i].hash))
            kept[count++] = sample->values[i];
    if (sample->size)
        memset(sample->values, 0, sample->size * sizeof *sample->values);
    for (uint32_t i = 0; i < count; i++)
        *place_of(sample, kept[i].hash) = kept[i];
    sample->used = count;
}

static bool has_room(struct distinct_sample *sample, struct arena *arena)
{
    if (sample->used == DISTINCT_MAX)
        return true;
    if (2 * (sample->used + 1) <= sample->size)
        return true;
    return resize(sample, sample->size ? 2 * sample->size : DISTINCT_SIZE_FIRST, arena);
}

static enum status add_value(struct distinct_sample *sample, uint64_t hash, uint64_t count,
                             struct arena *arena, struct error *err)
{
    struct distinct_value *value;

    if (!is_sampled(sample, hash))
        return STATUS_OK;
    if (!has_room(sample, arena))
        return fail_no_memory(err);
    value = place_of(sample, hash);
    if (value->count) {
        value->count += count;
        return STATUS_OK;
    }
    while (sample->used == DISTINCT_MAX) {
        sample->level++;
        drop(sample);
        if (!is_sampled(sample, hash))
            return STATUS_OK;
        value = place_of(sample, hash);
    }
    *value = (struct distinct_value){hash, count};
    sample->used++;
    return STATUS_OK;
}

static void raise_level(struct distinct_sample *sample, uint32_t level)
{
    if (level <= sample->level)
        return;
    sample->level = level;
    drop(sample);
}

/* ---- a census ---- */

enum status cell_census_new(uint32_t count, const bool *are_keys, struct cell_census **census,
                            struct error *err)
{
    struct cell_census *made = calloc(1, sizeof *made);

    *census = made;
    if (!made)
        return fail_no_memory(err);
    arena_init(&made->arena, CENSUS_BYTES_MAX);
    made->count = count;
    made->columns = ARENA_NEW(&made->arena, struct cell_counts, count + (size_t)1);
    if (!made->columns) {
        cell_census_free(made);
        *census = NULL;
        return fail_no_memory(err);
    }
    for (uint32_t i = 0; i < count && are_keys; i++)
        made->columns[i].counts_wholes = are_keys[i];
    return STATUS_OK;
}

void cell_census_free(struct cell_census *census)
{
    if (!census)
        return;
    arena_deinit(&census->arena);
    free(census);
}

enum status cell_count_whole(struct cell_census *census, uint32_t column, int64_t whole,
                             struct error *err)
{
    return add_value(&census->columns[column].distinct, XXH3_64bits(&whole, sizeof whole), 1,
                     &census->arena, err);
}

static bool has_space_inside(struct slice text)
{
    bool is_found = false;

    if (text.size > LOOP_BYTES_MAX)
        return memchr(text.data, ' ', text.size) || memchr(text.data, '\n', text.size);
    for (size_t i = 0; i < text.size; i++)
        is_found |= text.data[i] == ' ' || text.data[i] == '\n';
    return is_found;
}

static enum status count_word(struct cell_census *census, struct cell_counts *counts,
                              struct slice text, struct error *err)
{
    text = slice_trim(text);
    counts->word_bytes += text.size;
    if (text.size > counts->word_bytes_max)
        counts->word_bytes_max = text.size;
    counts->spaced += has_space_inside(text);
    return add_value(&counts->distinct, XXH3_64bits(text.data, text.size), 1, &census->arena, err);
}

enum status cell_count_text(struct cell_census *census, uint32_t column, struct slice text,
                            const struct text_look *look, struct error *err)
{
    struct cell_counts *counts = &census->columns[column];
    int64_t whole;

    counts->texts[look->kind]++;
    if (look->kind != TEXT_BLANK && list_counts_wait(&counts->lists))
        list_count(&counts->lists, text, look);
    switch (look->kind) {
    case TEXT_NUMBER:
        if (!counts->counts_wholes || !text_to_whole(text, &whole))
            return STATUS_OK;
        counts->whole_texts++;
        return cell_count_whole(census, column, whole, err);
    case TEXT_MISSING:
        counts->missing[look->spelling]++;
        return STATUS_OK;
    case TEXT_CODE:
    case TEXT_DATE:
    case TEXT_TIMESTAMP:
    case TEXT_WORD:
        return count_word(census, counts, text, err);
    default:
        return STATUS_OK;
    }
}

/* What a database has said is one. */
static void count_date(struct cell_counts *counts, const struct cell *cell)
{
    struct error ignored;
    struct date date;
    bool is_null;

    if (cell->type != CELL_INTEGER && cell->type != CELL_REAL)
        return;
    if (cell_to_date(cell, SLICE(""), &date, &is_null, &ignored) != STATUS_OK || is_null)
        return;
    counts->dates++;
    counts->times += date.microsecond != 0;
}

enum status cell_count(struct cell_census *census, uint32_t column, const struct cell *cell,
                       struct error *err)
{
    struct cell_counts *counts = &census->columns[column];
    struct text_look look;

    if (cell->time)
        count_date(counts, cell);
    switch (cell->type) {
    case CELL_TEXT:
        look = text_look_at(cell->text);
        return cell_count_text(census, column, cell->text, &look, err);
    case CELL_BLOB:
        counts->blobs++;
        return STATUS_OK;
    case CELL_VECTOR:
        counts->vectors++;
        return STATUS_OK;
    default:
        return cell_count_number(counts, cell)
                   ? STATUS_OK
                   : cell_count_whole(census, column, cell->integer, err);
    }
}

static enum status merge_column(struct cell_census *census, uint32_t column,
                                const struct cell_counts *from, struct error *err)
{
    struct cell_counts *to = &census->columns[column];

    to->nulls += from->nulls;
    to->integers += from->integers;
    to->dates += from->dates;
    to->times += from->times;
    to->blobs += from->blobs;
    to->vectors += from->vectors;
    for (size_t i = 0; i < TEXT_KINDS; i++)
        to->texts[i] += from->texts[i];
    for (size_t i = 0; i < MISSING_SPELLINGS; i++)
        to->missing[i] += from->missing[i];
    to->whole_texts += from->whole_texts;
    to->word_bytes += from->word_bytes;
    if (from->word_bytes_max > to->word_bytes_max)
        to->word_bytes_max = from->word_bytes_max;
    to->spaced += from->spaced;
    list_counts_merge(&to->lists, &from->lists);
    to->unfit += from->unfit;
    raise_level(&to->distinct, from->distinct.level);
    for (uint32_t i = 0; i < from->distinct.size; i++)
        if (from->distinct.values[i].count)
            TRY(add_value(&to->distinct, from->distinct.values[i].hash,
                          from->distinct.values[i].count, &census->arena, err));
    return STATUS_OK;
}

enum status cell_census_merge(struct cell_census *census, const struct cell_census *other,
                              struct error *err)
{
    for (uint32_t i = 0; i < census->count; i++)
        TRY(merge_column(census, i, &other->columns[i], err));
    return STATUS_OK;
}

/* ---- bytes ---- */

static void put_column(const struct cell_counts *counts, struct text *out)
{
    const struct distinct_sample *distinct = &counts->distinct;

    put_u64(out, counts->nulls);
    put_u64(out, counts->integers);
    put_u64(out, counts->dates);
    put_u64(out, counts->times);
    put_u64(out, counts->blobs);
    put_u64(out, counts->vectors);
    for (size_t i = 0; i < TEXT_KINDS; i++)
        put_u64(out, counts->texts[i]);
    for (size_t i = 0; i < MISSING_SPELLINGS; i++)
        put_u64(out, counts->missing[i]);
    put_u64(out, counts->whole_texts);
    put_u64(out, counts->word_bytes);
    put_u64(out, counts->word_bytes_max);
    put_u64(out, counts->spaced);
    list_counts_put(&counts->lists, out);
    put_u64(out, counts->unfit);
    put_u32(out, distinct->level);
    put_u32(out, distinct->used);
    for (uint32_t i = 0; i < distinct->size; i++)
        if (distinct->values[i].count) {
            put_u64(out, distinct->values[i].hash);
            put_u64(out, distinct->values[i].count);
        }
}

void cell_census_put(const struct cell_census *census, struct text *out)
{
    put_u32(out, census->count);
    for (uint32_t i = 0; i < census->count; i++)
        put_column(&census->columns[i], out);
}

/* Into counts that other.distinct's values borrow nothing of. */
static bool read_counts(struct byte_reader *reader, struct cell_counts *counts)
{
    counts->nulls = read_u64(reader);
    counts->integers = read_u64(reader);
    counts->dates = read_u64(reader);
    counts->times = read_u64(reader);
    counts->blobs = read_u64(reader);
    counts->vectors = read_u64(reader);
    for (size_t i = 0; i < TEXT_KINDS; i++)
        counts->texts[i] = read_u64(reader);
    for (size_t i = 0; i < MISSING_SPELLINGS; i++)
        counts->missing[i] = read_u64(reader);
    counts->whole_texts = read_u64(reader);
    counts->word_bytes = read_u64(reader);
    counts->word_bytes_max = read_u64(reader);
    counts->spaced = read_u64(reader);
    if (!list_counts_read(reader, &counts->lists))
        return false;
    counts->unfit = read_u64(reader);
    counts->distinct.level = read_u32(reader);
    counts->distinct.size = counts->distinct.used = read_u32(reader);
    return !reader->failed && counts->distinct.level < 64 && counts->distinct.used <= DISTINCT_MAX;
}

static enum status read_column(struct cell_census *census, uint32_t column,
                               struct byte_reader *reader, struct error *err)
{
    struct distinct_value values[DISTINCT_MAX];
    struct cell_counts counts = {.distinct.values = values};

    if (!read_counts(reader, &counts))
        return fail(err, STATUS_CORRUPT, "the counts of a column are other bytes");
    for (uint32_t i = 0; i < counts.distinct.used; i++) {
        values[i].hash = read_u64(reader);
        values[i].count = read_u64(reader);
    }
    if (reader->failed)
        return fail(err, STATUS_CORRUPT, "the counts of a column are other bytes");
    return merge_column(census, column, &counts, err);
}

enum status cell_census_read(struct cell_census *census, struct byte_reader *reader,
                             struct error *err)
{
    if (read_u32(reader) != census->count)
        return fail(err, STATUS_CORRUPT, "the counts are of other columns");
    for (uint32_t i = 0; i < census->count; i++)
        TRY(read_column(census, i, reader, err));
    return STATUS_OK;
}

/* ---- what was counted ---- */

uint64_t cell_counts_texts(const struct cell_counts *counts)
{
    uint64_t texts = 0;

    for (size_t i = 0; i < TEXT_KINDS; i++)
        texts += counts->texts[i];
    return texts;
}

void cell_counts_distinct(const struct cell_counts *counts, uint64_t *values, uint64_t *cells)
{
    *values = counts->distinct.used;
    *cells = 0;
    for (uint32_t i = 0; i < counts->distinct.size; i++)
        *cells += counts->distinct.values[i].count;
}
