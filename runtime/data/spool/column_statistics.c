#include "runtime/data/spool/column_statistics.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "inputs/cells/cells.h"
#include "inputs/encoders.h"
#include "runtime/data/spool/column_counts.h"
#include "runtime/data/spool/spool_reader.h"

#define TILE_COLUMNS      8    /* columns that are copied at a time */
#define COUNTS_TOLD_APART 1024 /* counts that frequent_words tells apart; greater are the last */
#define FEW_SORTED        32   /* words that are sorted one by one */
#define SORT_BITS         8    /* bits of a digit */
#define SORT_MASK         ((1u << SORT_BITS) - 1)
#define WORD_COST         80 /* bytes that the table and the arena need for a word, besides its own */

/* ---- new and free ---- */

static enum column_content content_of(const struct input_spec *input)
{
    switch (encoder_of(input)->counts) {
    case COUNTS_MOMENTS:
        return COLUMN_NUMBERS;
    case COUNTS_WORDS:
        return COLUMN_WORDS;
    case COUNTS_VALUES:
        return input->bound_count == 0 ? COLUMN_VALUES : COLUMN_TEXTS;
    case COUNTS_NOTHING:
        break;
    }
    return COLUMN_TEXTS;
}

static void describe_columns(struct column_statistics *statistics)
{
    const struct jobspec *spec = statistics->spec;

    for (uint32_t i = 0; i < statistics->column_count; i++) {
        struct column_counts *column = &statistics->columns[i];

        if (i < spec->input_count) {
            column->name = spec->inputs[i].name;
            column->content = content_of(&spec->inputs[i]);
            column->words_most = /* with the mark of a text that is cut */
                encoder_of(&spec->inputs[i])->each_word ? spec->inputs[i].words_max + 1 : 0;
        } else if (i > spec->input_count || !task_has_label(spec->task)) {
            const struct spec_role *role = spec_role_at(spec, i);

            column->name = role->name;
            column->content = role_is_number(role->role) ? COLUMN_NUMBERS : COLUMN_TEXTS;
        } else {
            column->name = spec->label;
            column->content = spec->task == TASK_REGRESSION ? COLUMN_NUMBERS : COLUMN_CLASSES;
        }
        if (column->content == COLUMN_NUMBERS)
            column->number = statistics->number_count++;
    }
    statistics->counts_count = statistics->column_count;
    statistics->weight = spec_role_column(spec, ROLE_SAMPLE_WEIGHT);
    if (spec->task == TASK_CLASSIFICATION && statistics->weight > 0)
        statistics->columns[statistics->counts_count++] =
            (struct column_counts){.name = spec->label, .content = COLUMN_CLASSES};
    for (uint32_t i = 0; i < statistics->counts_count; i++) {
        word_table_init(&statistics->columns[i].table);
        arena_init(&statistics->columns[i].words, statistics->word_bytes_max);
    }
}

const struct column_counts *weighed_labels(const struct column_statistics *statistics)
{
    return statistics->counts_count > statistics->column_count
               ? &statistics->columns[statistics->column_count]
               : NULL;
}

enum status column_statistics_new(const struct jobspec *spec, size_t word_bytes_max,
                                  struct column_statistics **statistics, struct error *err)
{
    struct column_statistics *made = calloc(1, sizeof *made);

    *statistics = made;
    if (!made)
        return fail_no_memory(err);
    *made = (struct column_statistics){.spec = spec, .word_bytes_max = word_bytes_max};
    made->columns = calloc(spec_columns(spec) + 2u, sizeof *made->columns);
    if (made->columns) {
        made->column_count = spec_columns(spec);
        describe_columns(made);
        made->moments = calloc(made->number_count + 1u, sizeof *made->moments);
        made->tile = malloc(EXACT_TILE_ROWS * TILE_COLUMNS * sizeof *made->tile);
    }
    if (made->columns && made->moments && made->tile)
        return STATUS_OK;
    column_statistics_free(made);
    *statistics = NULL;
    return fail_no_memory(err);
}

void column_statistics_free(struct column_statistics *statistics)
{
    if (!statistics)
        return;
    for (uint32_t i = 0; i < statistics->counts_count; i++) {
        word_table_deinit(&statistics->columns[i].table);
        arena_deinit(&statistics->columns[i].words);
    }
    free(statistics->columns);
    free(statistics->moments);
    free(statistics->tile);
    free(statistics);
}

uint64_t column_statistics_rows(const struct column_statistics *statistics)
{
    return statistics->rows;
}

bool column_statistics_is_fresh(const struct column_statistics *statistics)
{
    static const struct exact_moments none;
    bool is_fresh = statistics->rows == 0;

    for (uint32_t i = 0; i < statistics->counts_count && is_fresh; i++) {
        const struct column_counts *column = &statistics->columns[i];

        is_fresh = column->table.count == 0 && column->nulls == 0 && column->infinite == 0;
    }
    /* `rows` is 0, too, where as many rows were taken out as were added. */
    for (uint32_t i = 0; i < statistics->number_count && is_fresh; i++)
        is_fresh = memcmp(&statistics->moments[i], &none, sizeof none) == 0;
    return is_fresh;
}

/* ---- words ---- */

enum status list_words(const struct column_counts *column, struct word_entry **entries,
                       uint32_t *count, struct error *err)
{
    *count = 0;
    *entries = malloc((column->table.count + (size_t)1) * sizeof **entries);
    if (!*entries)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < column->table.count; i++)
        if (column->table.entries[i].count)
            (*entries)[(*count)++] = column->table.entries[i];
    return STATUS_OK;
}

/* A word's number beside the bits in which most words differ, so that few words are looked at. */
struct sorted_word {
    uint64_t first; /* key of the order, least first: from the word's count or its first bytes */
    uint32_t number;
};

/* The first bytes of a word as a number: such numbers are in the order of the words. */
static uint64_t start_of(const struct word_entry *entry)
{
    return __builtin_bswap64(entry->start);
}

static int compare_words(const void *a, const void *b, void *context)
{
    const struct sorted_word *x = a, *y = b;
    const struct word_entry *entries = context;

    return slice_compare(entries[x->number].word, entries[y->number].word);
}

static void sort_few(struct sorted_word *words, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        const struct sorted_word word = words[i];
        uint32_t at = i;

        for (; at > 0 && words[at - 1].first > word.first; at--)
            words[at] = words[at - 1];
        words[at] = word;
    }
}

/* Digit by digit, the lowest first; digits that all of them have are passed over. room (count). */
static void sort_by_first(struct sorted_word *words, struct sorted_word *room, uint32_t count)
{
    uint64_t all = UINT64_MAX, any = 0;

    if (count <= FEW_SORTED) {
        sort_few(words, count);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        all &= words[i].first;
        any |= words[i].first;
    }
    for (uint32_t shift = 0; shift < 64; shift += SORT_BITS) {
        uint32_t starts[(1 << SORT_BITS) + 1] = {0};

        if (((all ^ any) >> shift & SORT_MASK) == 0)
            continue;
        for (uint32_t i = 0; i < count; i++)
            starts[(words[i].first >> shift & SORT_MASK) + 1]++;
        for (uint32_t i = 0; i < SORT_MASK; i++)
            starts[i + 1] += starts[i];
        for (uint32_t i = 0; i < count; i++)
            room[starts[words[i].first >> shift & SORT_MASK]++] = words[i];
        memcpy(words, room, count * sizeof *words);
    }
}

/* How many words have the same as the first of them. */
static uint32_t same_first(const struct sorted_word *words, uint32_t count)
{
    uint32_t same = 1;

    while (same < count && words[same].first == words->first)
        same++;
    return same;
}

static void sort_by_bytes(struct word_entry *entries, struct sorted_word *words,
                          struct sorted_word *room, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        words[i].first = start_of(&entries[words[i].number]);
    sort_by_first(words, room, count);
    for (uint32_t i = 0, same; i < count; i += same) {
        same = same_first(words + i, count - i);
        if (same > 1)
            qsort_r(words + i, same, sizeof *words, compare_words, entries);
    }
}

static void sort_by_count(struct word_entry *entries, struct sorted_word *words,
                          struct sorted_word *room, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        words[i].first = UINT64_MAX - entries[words[i].number].count;
    sort_by_first(words, room, count);
    for (uint32_t i = 0, same; i < count; i += same) {
        same = same_first(words + i, count - i);
        if (same > 1)
            sort_by_bytes(entries, words + i, room, same);
    }
}

enum status sort_words(struct word_entry *entries, uint32_t count, enum word_order order,
                       struct error *err)
{
    struct sorted_word *sorted = malloc(2 * (count + (size_t)1) * sizeof *sorted);
    struct word_entry *copy = malloc((count + (size_t)1) * sizeof *copy);
    const bool has_memory = sorted && copy;

    for (uint32_t i = 0; has_memory && i < count; i++) {
        sorted[i].number = i;
        copy[i] = entries[i];
    }
    if (has_memory) {
        if (order == WORDS_BY_COUNT)
            sort_by_count(copy, sorted, sorted + count, count);
        else
            sort_by_bytes(copy, sorted, sorted + count, count);
        for (uint32_t i = 0; i < count; i++)
            entries[i] = copy[sorted[i].number];
    }
    free(sorted);
    free(copy);
    return has_memory ? STATUS_OK : fail_no_memory(err);
}

uint32_t frequent_words(struct word_entry *entries, uint32_t count, uint32_t most)
{
    uint32_t with_count[COUNTS_TOLD_APART] = {0}, least = COUNTS_TOLD_APART - 1, kept = 0, many;

    if (count <= most)
        return count;
    for (uint32_t i = 0; i < count; i++)
        with_count[entries[i].count < COUNTS_TOLD_APART ? entries[i].count : least]++;
    many = with_count[least];
    while (many < most)
        many += with_count[--least];
    for (uint32_t i = 0; i < count; i++)
        if (entries[i].count >= least)
            entries[kept++] = entries[i];
    return kept;
}

/* A label that is refused anyway is the better reason. */
static enum status refuse_labels(const struct column_statistics *statistics,
                                 const struct column_counts *column, struct error *err)
{
    struct word_entry *entries;
    enum status status;
    uint32_t count;

    TRY(list_words(column, &entries, &count, err));
    status = check_classes(statistics->spec, entries, count, err);
    free(entries);
    return status;
}

/* The column that an input is made of. */
static struct slice column_source(const struct column_statistics *statistics,
                                  const struct column_counts *column)
{
    const struct input_spec *input = &statistics->spec->inputs[column - statistics->columns];

    return input->source.size > 0 ? input->source : input->name;
}

/* The column with the most words is the one to be named. */
static enum status refuse_word_bytes(const struct column_statistics *statistics, struct error *err)
{
    const struct column_counts *column = &statistics->columns[0];

    for (uint32_t i = 1; i < statistics->column_count; i++)
        if (statistics->columns[i].word_bytes > column->word_bytes)
            column = &statistics->columns[i];
    if (column->content == COLUMN_CLASSES)
        TRY(refuse_labels(statistics, column, err));
    fail(err, STATUS_LIMIT,
         "column \"%.*s\" has more than %u different values, and those of all columns take more "
         "than the %zu bytes that there are for them",
         SLICE_FORMAT(column->name), column->table.count, statistics->word_bytes_max);
    if (column->content == COLUMN_VALUES)
        return error_hint(err, "BUCKET(%.*s, [...]) with bounds of your own counts no values.",
                          SLICE_FORMAT(column_source(statistics, column)));
    return error_hint(err, "Leave the column out, or have the SELECT give its rare values one "
                           "name.");
}

/* One that is not in the table; with a count of 0. */
static enum status add_word(struct column_statistics *statistics, struct column_counts *column,
                            struct slice word, uint32_t *entry, struct error *err)
{
    const size_t room = statistics->word_bytes_max - statistics->word_bytes;

    if (room < WORD_COST || word.size > room - WORD_COST)
        return refuse_word_bytes(statistics, err);
    word = arena_copy(&column->words, word);
    if (!word.data)
        return fail_no_memory(err);
    *entry = word_table_add(&column->table, word);
    if (*entry == WORD_TABLE_NONE)
        return fail_no_memory(err);
    column->table.entries[*entry].count = 0;
    if (*entry < FEW_WORDS && word.size == sizeof *column->few)
        memcpy(&column->few[*entry], word.data, sizeof *column->few);
    column->word_bytes += WORD_COST + word.size;
    statistics->word_bytes += WORD_COST + word.size;
    return STATUS_OK;
}

enum status count_word(struct column_statistics *statistics, struct column_counts *column,
                       struct slice word, uint64_t count, struct error *err)
{
    uint32_t entry = word_table_find(&column->table, word);

    if (entry == WORD_TABLE_NONE)
        TRY(add_word(statistics, column, word, &entry, err));
    column->table.entries[entry].count += count;
    return STATUS_OK;
}

enum status count_new_word(struct column_statistics *statistics, struct column_counts *column,
                           struct slice word, uint64_t count, struct error *err)
{
    uint32_t entry;

    TRY(add_word(statistics, column, word, &entry, err));
    column->table.entries[entry].count = count;
    return STATUS_OK;
}

/* Words that are counted together. */
struct word_batch {
    struct column_statistics *statistics;
    struct column_counts *column;
    struct slice words[WORD_TABLE_MANY];
    uint64_t counts[WORD_TABLE_MANY];
    uint32_t count;
};

static enum status count_batch(struct word_batch *batch, struct error *err)
{
    uint32_t entries[WORD_TABLE_MANY];

    word_table_find_many(&batch->column->table, batch->words, batch->count, entries);
    for (uint32_t i = 0; i < batch->count; i++)
        if (entries[i] != WORD_TABLE_NONE)
            batch->column->table.entries[entries[i]].count += batch->counts[i];
        else /* one before it may be the same */
            TRY(count_word(batch->statistics, batch->column, batch->words[i], batch->counts[i],
                           err));
    batch->count = 0;
    return STATUS_OK;
}

/* The word stays where it is until the batch is counted. */
static enum status put_in_batch(struct word_batch *batch, struct slice word, uint64_t count,
                                struct error *err)
{
    batch->words[batch->count] = word;
    batch->counts[batch->count++] = count;
    return batch->count == WORD_TABLE_MANY ? count_batch(batch, err) : STATUS_OK;
}

static enum status count_category(struct column_statistics *statistics,
                                  struct column_counts *column, const struct cell *cell,
                                  uint64_t count, struct error *err)
{
    char buffer[TRANSFORM_WORD_BUFFER];
    struct slice word;
    bool is_null;

    TRY(cell_to_word(cell, column->name, buffer, &word, &is_null, err));
    return count_word(statistics, column, word, count, err);
}

/* A class that is a number, by its bits. Classes are few, or the job fails: most are among the
 * first ones. */
static enum status count_bits(struct column_statistics *statistics, struct column_counts *column,
                              int64_t bits, uint64_t count, struct error *err)
{
    const uint32_t few = column->table.count < FEW_WORDS ? column->table.count : FEW_WORDS;

    for (uint32_t entry = 0; entry < few; entry++)
        if (column->few[entry] == bits) {
            column->table.entries[entry].count += count;
            return STATUS_OK;
        }
    return count_word(statistics, column, (struct slice){(const char *)&bits, sizeof bits}, count,
                      err);
}

/* ---- rows ---- */

/* Rows of a block, to be added or to be taken out. */
struct run {
    const struct spool_column_view *columns;
    uint32_t first, rows;
    const uint8_t *is_used; /* (rows) */
    bool takes_out;
};

static bool row_is_used(const struct run *run, uint32_t row)
{
    return !run->is_used || run->is_used[row];
}

static uint64_t counts_as(const struct run *run)
{
    return run->takes_out ? UINT64_MAX : 1;
}

static enum status count_row(struct column_statistics *statistics, struct column_counts *column,
                             const struct spool_column_view *view, uint32_t row, uint64_t count,
                             struct error *err)
{
    const struct cell cell = spool_cell(view, row);

    if (cell.type == CELL_REAL && isinf(cell.real)) {
        column->infinite += count;
        return STATUS_OK;
    }
    if (column->content == COLUMN_WORDS)
        return count_category(statistics, column, &cell, count, err);
    return count_bits(statistics, column, spool_integer(view, row), count, err);
}

/* A word of a text that holds several, and how often it counts. */
struct one_of_several {
    struct column_statistics *statistics;
    struct column_counts *column;
    uint64_t count;
};

static enum status count_one_of_several(void *self, struct slice word, struct error *err)
{
    const struct one_of_several *one = self;

    return count_word(one->statistics, one->column, word, one->count, err);
}

/* Texts of which each holds several words. */
static enum status count_several(struct column_statistics *statistics, const struct run *run,
                                 uint32_t number, const struct encoder *encoder, struct error *err)
{
    const struct spool_column_view *view = &run->columns[number];
    struct one_of_several one = {statistics, &statistics->columns[number], counts_as(run)};

    for (uint32_t i = 0; i < run->rows; i++) {
        const uint32_t row = run->first + i;

        if (!row_is_used(run, i))
            continue;
        if (spool_is_null(view, row))
            one.column->nulls += one.count;
        else
            TRY(encoder->each_word(&statistics->spec->inputs[number], spool_text(view, row),
                                   count_one_of_several, &one, err));
    }
    return STATUS_OK;
}

/* The column's encoder, where its texts hold several words; NULL: they do not. */
static const struct encoder *splitting_encoder(const struct column_statistics *statistics,
                                               uint32_t number)
{
    const struct encoder *encoder = number < statistics->spec->input_count
                                        ? encoder_of(&statistics->spec->inputs[number])
                                        : NULL;

    return encoder && encoder->each_word ? encoder : NULL;
}

static enum status count_words(struct column_statistics *statistics, const struct run *run,
                               uint32_t number, struct error *err)
{
    struct column_counts *column = &statistics->columns[number];
    const struct spool_column_view *view = &run->columns[number];
    const bool are_bits = column->content == COLUMN_CLASSES && view->type == SPOOL_INTEGER;
    const uint64_t count = counts_as(run);
    struct word_batch batch = {.statistics = statistics, .column = column, .count = 0};
    const struct encoder *splitting = splitting_encoder(statistics, number);

    if (splitting)
        return count_several(statistics, run, number, splitting, err);
    for (uint32_t i = 0; i < run->rows; i++) {
        const uint32_t row = run->first + i;

        if (!row_is_used(run, i))
            continue;
        if (spool_is_null(view, row))
            column->nulls += count;
        else if (are_bits)
            TRY(count_bits(statistics, column, spool_integer(view, row), count, err));
        else if (view->type == SPOOL_TEXT)
            TRY(put_in_batch(&batch, spool_text(view, row), count, err));
        else
            TRY(count_row(statistics, column, view, row, count, err));
    }
    return count_batch(&batch, err);
}

/* The labels of rows that weigh something, behind the columns. A NULL label or weight, and one that
 * is no class, is refused elsewhere. */
static enum status count_weighed(struct column_statistics *statistics, const struct run *run,
                                 struct error *err)
{
    struct column_counts *column = &statistics->columns[statistics->column_count];
    const struct spool_column_view *label = &run->columns[statistics->spec->input_count];
    const struct spool_column_view *weight = &run->columns[statistics->weight];
    const uint64_t count = counts_as(run);

    for (uint32_t i = 0; i < run->rows; i++) {
        const uint32_t row = run->first + i;

        if (!row_is_used(run, i) || spool_is_null(label, row) || !(spool_number(weight, row) > 0))
            continue;
        if (label->type == SPOOL_TEXT)
            TRY(count_word(statistics, column, spool_text(label, row), count, err));
        else
            TRY(count_row(statistics, column, label, row, count, err));
    }
    return STATUS_OK;
}

static void add_tile(struct column_statistics *statistics, const struct run *run, uint32_t column,
                     uint32_t columns, const double *x, size_t stride, uint32_t first,
                     uint32_t rows)
{
    struct exact_moments *moments = statistics->moments + statistics->columns[column].number;
    const uint8_t *used = run->is_used ? run->is_used + first : NULL;

    if (run->takes_out)
        exact_moments_subtract(moments, columns, x, stride, rows, used);
    else
        exact_moments_add(moments, columns, x, stride, rows, used);
}

/* How many columns of reals, from this one on, lie side by side. */
static uint32_t real_columns(const struct column_statistics *statistics, const struct run *run,
                             uint32_t column)
{
    const struct spool_column_view *first = &run->columns[column];
    uint32_t count = 0;

    while (column + count < statistics->column_count &&
           statistics->columns[column + count].content == COLUMN_NUMBERS &&
           first[count].type == SPOOL_REAL && first[count].numbers == first->numbers + count &&
           first[count].stride == first->stride)
        count++;
    return count;
}

/* Counts the columns of integers in a row from this one on; at most those that are copied at a
 * time. */
static uint32_t integer_columns(const struct column_statistics *statistics, const struct run *run,
                                uint32_t column)
{
    uint32_t count = 0;

    while (count < TILE_COLUMNS && column + count < statistics->column_count &&
           statistics->columns[column + count].content == COLUMN_NUMBERS &&
           run->columns[column + count].type == SPOOL_INTEGER)
        count++;
    return count;
}

static void copy_integers(const struct run *run, uint32_t column, double *x, uint32_t first,
                          uint32_t rows)
{
    const struct spool_column_view *view = &run->columns[column];

    for (uint32_t i = 0; i < rows; i++, x += TILE_COLUMNS)
        *x = (double)spool_integer(view, run->first + first + i);
}

/* Among the rows of the run that count. */
static uint64_t nulls_in(const struct run *run, const struct spool_column_view *view)
{
    uint64_t nulls = 0;

    for (uint32_t i = 0; view->nulls && i < run->rows; i++) {
        const uint32_t row = run->first + i;

        if (row % 8 == 0 && view->nulls[row / 8] == 0)
            i += 7; /* none of eight rows, or of fewer at the end, is NULL */
        else
            nulls += spool_is_null(view, row) && row_is_used(run, i);
    }
    return nulls;
}

/* NULL cells hold 0, which adds nothing to the sums but was counted. */
static void count_nulls(struct column_statistics *statistics, const struct run *run,
                        uint32_t number)
{
    struct column_counts *column = &statistics->columns[number];
    const uint64_t nulls = nulls_in(run, &run->columns[number]) * counts_as(run);

    column->nulls += nulls;
    statistics->moments[column->number].count -= nulls;
}

/* Counts the NULLs of a column of texts. */
static void count_missing(struct column_statistics *statistics, const struct run *run,
                          uint32_t number)
{
    statistics->columns[number].nulls += nulls_in(run, &run->columns[number]) * counts_as(run);
}

/* The columns that could be added together, from this one on. */
static uint32_t add_numbers(struct column_statistics *statistics, const struct run *run,
                            uint32_t column)
{
    const struct spool_column_view *view = &run->columns[column];
    const uint32_t reals = real_columns(statistics, run, column);
    const uint32_t columns = reals ? reals : integer_columns(statistics, run, column);

    for (uint32_t first = 0; first < run->rows; first += EXACT_TILE_ROWS) {
        const uint32_t left = run->rows - first;
        const uint32_t rows = left < EXACT_TILE_ROWS ? left : EXACT_TILE_ROWS;
        const int64_t *from = view->numbers + (size_t)(run->first + first) * view->stride;

        for (uint32_t i = 0; i < columns && !reals; i++)
            copy_integers(run, column + i, statistics->tile + i, first, rows);
        add_tile(statistics, run, column, columns, reals ? (const double *)from : statistics->tile,
                 reals ? view->stride : TILE_COLUMNS, first, rows);
    }
    for (uint32_t i = 0; i < columns; i++)
        count_nulls(statistics, run, column + i);
    return columns;
}

const char *column_is_called(const struct column_statistics *statistics, uint32_t number)
{
    const struct jobspec *spec = statistics->spec;

    if (number < spec->input_count)
        return "column";
    if (number == spec->input_count && task_has_label(spec->task))
        return "label column";
    return row_role_columns[spec_role_at(spec, number)->role];
}

static enum status check_types(const struct column_statistics *statistics,
                               const struct spool_column_view *columns, struct error *err)
{
    static const enum spool_type label_types[] = {
        [LABEL_INTEGER] = SPOOL_INTEGER,
        [LABEL_REAL] = SPOOL_REAL,
        [LABEL_TEXT] = SPOOL_TEXT,
    };
    const struct jobspec *spec = statistics->spec;

    for (uint32_t i = 0; i < statistics->column_count; i++)
        if ((statistics->columns[i].content == COLUMN_NUMBERS ||
             statistics->columns[i].content == COLUMN_VALUES) &&
            columns[i].type == SPOOL_TEXT)
            return fail(err, STATUS_INVALID, "%s \"%.*s\" is text, where numbers were expected",
                        column_is_called(statistics, i), SLICE_FORMAT(statistics->columns[i].name));
    if (task_has_label(spec->task) &&
        columns[spec->input_count].type != label_types[spec->label_type])
        return fail(err, STATUS_INVALID, "label column \"%.*s\" is %s, where %s was expected",
                    SLICE_FORMAT(spec->label), spool_type_words[columns[spec->input_count].type],
                    spool_type_words[label_types[spec->label_type]]);
    return STATUS_OK;
}

static enum status count_run(struct column_statistics *statistics, const struct run *run,
                             struct error *err)
{
    TRY(check_types(statistics, run->columns, err));
    for (uint32_t i = 0; i < run->rows; i++)
        statistics->rows += row_is_used(run, i) ? counts_as(run) : 0;
    for (uint32_t column = 0; column < statistics->column_count;)
        if (statistics->columns[column].content == COLUMN_NUMBERS)
            column += add_numbers(statistics, run, column);
        else if (statistics->columns[column].content == COLUMN_TEXTS)
            count_missing(statistics, run, column++);
        else
            TRY(count_words(statistics, run, column++, err));
    return weighed_labels(statistics) ? count_weighed(statistics, run, err) : STATUS_OK;
}

enum status column_statistics_add(struct column_statistics *statistics,
                                  const struct spool_column_view *columns, uint32_t first,
                                  uint32_t rows, const uint8_t *is_used, struct error *err)
{
    return count_run(statistics, &(struct run){columns, first, rows, is_used, false}, err);
}

enum status column_statistics_subtract(struct column_statistics *statistics,
                                       const struct spool_column_view *columns, uint32_t first,
                                       uint32_t rows, const uint8_t *is_used, struct error *err)
{
    return count_run(statistics, &(struct run){columns, first, rows, is_used, true}, err);
}

/* ---- merge ---- */

static enum status merge_column(struct column_statistics *statistics, struct column_counts *column,
                                const struct column_counts *other, struct error *err)
{
    struct word_batch batch = {.statistics = statistics, .column = column, .count = 0};

    column->nulls += other->nulls;
    column->infinite += other->infinite;
    for (uint32_t i = 0; i < other->table.count; i++) {
        const struct word_entry *entry = &other->table.entries[i];

        if (entry->count)
            TRY(put_in_batch(&batch, entry->word, entry->count, err));
    }
    return count_batch(&batch, err);
}

enum status column_statistics_merge(struct column_statistics *statistics,
                                    const struct column_statistics *other, struct error *err)
{
    assert(statistics->column_count == other->column_count);
    assert(statistics->number_count == other->number_count);
    statistics->rows += other->rows;
    for (uint32_t i = 0; i < statistics->number_count; i++)
        exact_moments_merge(&statistics->moments[i], &other->moments[i]);
    for (uint32_t i = 0; i < statistics->counts_count; i++)
        TRY(merge_column(statistics, &statistics->columns[i], &other->columns[i], err));
    return STATUS_OK;
}
