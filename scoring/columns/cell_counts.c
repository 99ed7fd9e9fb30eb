#include "scoring/columns/cell_counts.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "inputs/cells/dates.h"
#include "inputs/cells/written_number.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#define DISTINCT_SIZE_FIRST 64 /* places; twice as many as values at least */
#define LOOP_BYTES_MAX      16 /* bytes of a text, in which a loop is faster than a call */
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

/* Before it is there for the first time: memory may run out. */
static bool keep_word(struct distinct_value *value, struct slice word, struct arena *arena)
{
    const struct slice copy = word.size > 0 ? arena_copy(arena, word) : word;

    value->word = copy.data;
    value->word_size = (uint32_t)copy.size;
    return word.size == 0 || copy.data;
}

/* The word is empty where none is kept. */
static enum status add_value(struct distinct_sample *sample, uint64_t hash, uint64_t count,
                             struct slice word, struct arena *arena, struct error *err)
{
    struct distinct_value *value, added = {hash, count, NULL, 0};

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
    if (!keep_word(&added, word, arena))
        return fail_no_memory(err);
    *value = added;
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
                     SLICE(""), &census->arena, err);
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
                              enum text_kind kind, struct slice text, struct error *err)
{
    const bool is_word = kind == TEXT_WORD;

    text = slice_trim(text);
    counts->word_bytes += text.size;
    if (text.size > counts->word_bytes_max)
        counts->word_bytes_max = text.size;
    counts->spaced += has_space_inside(text);
    return add_value(is_word ? &counts->distinct : &counts->spelled,
                     XXH3_64bits(text.data, text.size), 1,
                     is_word && text.size <= WORD_KEPT_MAX ? text : SLICE(""), &census->arena, err);
}

static void count_number(struct number_counts *counts, const struct text_look *look)
{
    counts->not_point += !(look->by & WRITTEN_BY_POINT);
    counts->not_comma += !(look->by & WRITTEN_BY_COMMA);
    counts->either += (look->by & WRITTEN_EITHER) != 0;
    counts->percents += look->is_percent;
    counts->currencies |= look->currency ? UINT64_C(1) << look->currency : 0;
}

static void count_written_date(struct date_counts *counts, const struct text_look *look)
{
    counts->not_day_first += !(look->order & ORDER_DAY_FIRST);
    counts->not_month_first += !(look->order & ORDER_MONTH_FIRST);
    counts->either += (look->order & ORDER_EITHER) != 0;
    counts->times += look->has_time;
    counts->short_years += (look->order & ORDER_SHORT) != 0;
    counts->short_last += (look->order & ORDER_SHORT_LAST) != 0;
}

enum status cell_count_text(struct cell_census *census, uint32_t column, struct slice text,
                            const struct text_look *look, struct error *err)
{
    struct cell_counts *counts = &census->columns[column];
    int64_t whole;

    counts->texts[look->kind]++;
    if (look->kind != TEXT_BLANK && list_counts_wait(&counts->lists))
        list_count(&counts->lists, text, look);
    if (look->kind != TEXT_BLANK)
        list_count_items(&counts->lists, text);
    switch (look->kind) {
    case TEXT_NUMBER:
        count_number(&counts->numbers, look);
        if (!counts->counts_wholes || !text_to_whole(text, &whole))
            return STATUS_OK;
        counts->whole_texts++;
        return cell_count_whole(census, column, whole, err);
    case TEXT_MISSING:
        counts->missing[look->spelling]++;
        return STATUS_OK;
    case TEXT_SEPARATED:
        count_number(&counts->numbers, look);
        return STATUS_OK;
    case TEXT_WRITTEN:
        count_number(&counts->numbers, look);
        return count_word(census, counts, look->kind, text, err);
    case TEXT_WRITTEN_DATE:
        count_written_date(&counts->written_dates, look);
        return count_word(census, counts, look->kind, text, err);
    case TEXT_CODE:
    case TEXT_DATE:
    case TEXT_TIMESTAMP:
    case TEXT_WORD:
        return count_word(census, counts, look->kind, text, err);
    default:
        return STATUS_OK;
    }
}

/* Counts a number that is a date, as the database has said. */
static void count_date(struct cell_counts *counts, const struct cell *cell)
{
    struct error ignored;
    struct date date;
    bool is_null;

    if (cell->type != CELL_INTEGER && cell->type != CELL_REAL)
        return;
    if (cell_to_date(cell, READING_NUMBER, SLICE(""), &date, &is_null, &ignored) != STATUS_OK ||
        is_null)
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

static void merge_numbers(struct number_counts *to, const struct number_counts *from)
{
    to->not_point += from->not_point;
    to->not_comma += from->not_comma;
    to->either += from->either;
    to->percents += from->percents;
    to->currencies |= from->currencies;
}

static void merge_dates(struct date_counts *to, const struct date_counts *from)
{
    to->not_day_first += from->not_day_first;
    to->not_month_first += from->not_month_first;
    to->either += from->either;
    to->times += from->times;
    to->short_years += from->short_years;
    to->short_last += from->short_last;
}

static enum status merge_sample(struct distinct_sample *to, const struct distinct_sample *from,
                                struct arena *arena, struct error *err)
{
    raise_level(to, from->level);
    for (uint32_t i = 0; i < from->size; i++) {
        const struct distinct_value *value = &from->values[i];

        if (value->count)
            TRY(add_value(to, value->hash, value->count,
                          (struct slice){value->word, value->word_size}, arena, err));
    }
    return STATUS_OK;
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
    merge_numbers(&to->numbers, &from->numbers);
    merge_dates(&to->written_dates, &from->written_dates);
    TRY(merge_sample(&to->distinct, &from->distinct, &census->arena, err));
    return merge_sample(&to->spelled, &from->spelled, &census->arena, err);
}

enum status cell_census_merge(struct cell_census *census, const struct cell_census *other,
                              struct error *err)
{
    for (uint32_t i = 0; i < census->count; i++)
        TRY(merge_column(census, i, &other->columns[i], err));
    return STATUS_OK;
}

/* ---- bytes ---- */

static void put_sample(const struct distinct_sample *sample, struct text *out)
{
    put_u32(out, sample->level);
    put_u32(out, sample->used);
    for (uint32_t i = 0; i < sample->size; i++) {
        const struct distinct_value *value = &sample->values[i];

        if (!value->count)
            continue;
        put_u64(out, value->hash);
        put_u64(out, value->count);
        put_sized(out, (struct slice){value->word, value->word_size});
    }
}

static void put_numbers(const struct number_counts *counts, struct text *out)
{
    put_u64(out, counts->not_point);
    put_u64(out, counts->not_comma);
    put_u64(out, counts->either);
    put_u64(out, counts->percents);
    put_u64(out, counts->currencies);
}

static void put_dates(const struct date_counts *counts, struct text *out)
{
    put_u64(out, counts->not_day_first);
    put_u64(out, counts->not_month_first);
    put_u64(out, counts->either);
    put_u64(out, counts->times);
    put_u64(out, counts->short_years);
    put_u64(out, counts->short_last);
}

static void put_column(const struct cell_counts *counts, struct text *out)
{
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
    put_numbers(&counts->numbers, out);
    put_dates(&counts->written_dates, out);
    put_sample(&counts->distinct, out);
    put_sample(&counts->spelled, out);
}

void cell_census_put(const struct cell_census *census, struct text *out)
{
    put_u32(out, census->count);
    for (uint32_t i = 0; i < census->count; i++)
        put_column(&census->columns[i], out);
}

static void read_numbers(struct byte_reader *reader, struct number_counts *counts)
{
    counts->not_point = read_u64(reader);
    counts->not_comma = read_u64(reader);
    counts->either = read_u64(reader);
    counts->percents = read_u64(reader);
    counts->currencies = read_u64(reader);
}

static void read_dates(struct byte_reader *reader, struct date_counts *counts)
{
    counts->not_day_first = read_u64(reader);
    counts->not_month_first = read_u64(reader);
    counts->either = read_u64(reader);
    counts->times = read_u64(reader);
    counts->short_years = read_u64(reader);
    counts->short_last = read_u64(reader);
}

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
    read_numbers(reader, &counts->numbers);
    read_dates(reader, &counts->written_dates);
    return !reader->failed;
}

/* Its words borrow the reader's bytes. */
static bool read_sample(struct byte_reader *reader, struct distinct_sample *sample)
{
    sample->level = read_u32(reader);
    sample->size = sample->used = read_u32(reader);
    if (reader->failed || sample->level >= 64 || sample->used > DISTINCT_MAX)
        return false;
    for (uint32_t i = 0; i < sample->used; i++) {
        struct distinct_value *value = &sample->values[i];
        struct slice word;

        value->hash = read_u64(reader);
        value->count = read_u64(reader);
        word = read_sized(reader, WORD_KEPT_MAX);
        value->word = word.data;
        value->word_size = (uint32_t)word.size;
    }
    return !reader->failed;
}

static enum status read_column(struct cell_census *census, uint32_t column,
                               struct byte_reader *reader, struct error *err)
{
    struct distinct_value values[DISTINCT_MAX], spelled[DISTINCT_MAX];
    struct cell_counts counts = {.distinct.values = values, .spelled.values = spelled};

    if (!read_counts(reader, &counts) || !read_sample(reader, &counts.distinct) ||
        !read_sample(reader, &counts.spelled))
        return fail(err, STATUS_CORRUPT, "the counts of a column are other bytes");
    return merge_column(census, column, &counts, err);
}

enum status cell_census_read(struct cell_census *census, struct byte_reader *reader,
                             struct error *err)
{
    if (read_u32(reader) != census->count)
        return fail(err, STATUS_CORRUPT, "the counts belong to other columns");
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

static void count_sampled(const struct distinct_sample *sample, uint32_t level, uint64_t *values,
                          uint64_t *cells)
{
    const struct distinct_sample common = {.level = level};

    for (uint32_t i = 0; i < sample->size; i++)
        if (sample->values[i].count && is_sampled(&common, sample->values[i].hash)) {
            ++*values;
            *cells += sample->values[i].count;
        }
}

/* Counts as if both were one sample: the values that the sparser one would hold. */
void cell_counts_distinct(const struct cell_counts *counts, uint64_t *values, uint64_t *cells)
{
    const struct distinct_sample *a = &counts->distinct, *b = &counts->spelled;
    const uint32_t level = a->level > b->level ? a->level : b->level;

    *values = *cells = 0;
    count_sampled(a, level, values, cells);
    count_sampled(b, level, values, cells);
}

static void count_rare(const struct distinct_sample *sample, uint32_t level, uint64_t *once,
                       uint64_t *twice)
{
    const struct distinct_sample common = {.level = level};

    for (uint32_t i = 0; i < sample->size; i++)
        if (sample->values[i].count && is_sampled(&common, sample->values[i].hash)) {
            *once += sample->values[i].count == 1;
            *twice += sample->values[i].count == 2;
        }
}

void cell_counts_rare(const struct cell_counts *counts, uint64_t *once, uint64_t *twice)
{
    const struct distinct_sample *a = &counts->distinct, *b = &counts->spelled;
    const uint32_t level = a->level > b->level ? a->level : b->level;

    *once = *twice = 0;
    count_rare(a, level, once, twice);
    count_rare(b, level, once, twice);
}

uint64_t cell_counts_unread(const struct cell_counts *counts, enum input_reading reading)
{
    const uint64_t separated = counts->texts[TEXT_SEPARATED], written = counts->texts[TEXT_WRITTEN];
    uint64_t unread = counts->texts[TEXT_WORD] + counts->texts[TEXT_DATE] +
                      counts->texts[TEXT_TIMESTAMP] + counts->texts[TEXT_WRITTEN_DATE];

    if (reading != READING_BOOLEAN)
        unread += counts->texts[TEXT_BOOLEAN];
    if (reading == READING_POINT)
        return unread + counts->numbers.not_point;
    if (reading == READING_COMMA)
        return unread + counts->numbers.not_comma;
    return unread + written + (reading == READING_SEPARATED ? 0 : separated);
}

uint64_t cell_counts_dates(const struct cell_counts *counts, enum input_reading reading)
{
    const struct date_counts *written = &counts->written_dates;
    const uint64_t iso = counts->texts[TEXT_DATE] + counts->texts[TEXT_TIMESTAMP];
    const uint64_t all = iso + counts->texts[TEXT_WRITTEN_DATE];

    if (!reading_is_of_dates(reading))
        return iso;
    if (reading == READING_DATE)
        return written->either + written->short_years > 0 ? iso : all;
    return all - (reading == READING_DAY_FIRST ? written->not_day_first : written->not_month_first);
}

bool cell_counts_date_reading(const struct cell_counts *counts, enum input_reading *reading)
{
    const struct date_counts *written = &counts->written_dates;
    const bool is_told = written->not_day_first + written->not_month_first > 0;

    *reading = READING_NUMBER;
    if (counts->texts[TEXT_WRITTEN_DATE] == 0)
        return true;
    if ((!is_told && written->either > 0) || (written->short_years > 0 && written->short_last == 0))
        return false;
    if (!is_told)
        *reading = written->short_years > 0 ? READING_DAY_FIRST : READING_DATE;
    else
        *reading = written->not_day_first <= written->not_month_first ? READING_DAY_FIRST
                                                                      : READING_MONTH_FIRST;
    return true;
}

struct slice cell_counts_word(const struct cell_counts *counts, uint64_t *count)
{
    struct slice most = {"", 0};

    *count = 0;
    for (uint32_t i = 0; i < counts->distinct.size; i++) {
        const struct distinct_value *value = &counts->distinct.values[i];
        const struct slice word = {value->word, value->word_size};

        if (value->count == 0 || word.size == 0 || value->count < *count ||
            (value->count == *count && slice_compare(word, most) >= 0))
            continue;
        most = word;
        *count = value->count;
    }
    return most;
}
