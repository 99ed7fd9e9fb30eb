#include "planner/plan/column_kind.h"

#include <string.h>

#include "inputs/sequence.h"

#define WORDS_FEW_SHARE  20   /* one of so many cells may be unreadable among numbers */
#define CODES_FEW_SHARE  1000 /* one of so many may be written like 007 */
#define KEY_CELLS_LEAST  100  /* fewer may differ by chance */
#define KEY_BYTES_MOST   64   /* bytes of a key, in the mean */
#define FREE_BYTES_LEAST 40   /* bytes of a free text, in the mean */
#define CLASSES_MOST     20   /* different whole numbers that still are classes, */
#define CLASS_ROWS       10   /* with so many rows each in the mean, unless there are two */
#define CLASSES_OF_BIT   2

/* ---- numbers or words ---- */

bool type_declares(struct slice type, const char *const *words)
{
    char upper[64];
    size_t size = type.size < sizeof upper - 1 ? type.size : sizeof upper - 1;

    for (size_t i = 0; i < size; i++) {
        char c = type.data[i];
        upper[i] = c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
    }
    upper[size] = '\0';
    for (; *words; words++)
        if (strstr(upper, *words))
            return true;
    return false;
}

static uint32_t at_most_32(uint64_t count)
{
    return count > UINT32_MAX ? UINT32_MAX : (uint32_t)count;
}

/* Neither plain numbers, truths, blanks nor missing values: numbers in other spellings are among
 * them. */
static uint32_t other_texts(const struct query_column *column)
{
    return column->texts - column->numeric_texts - column->separated_texts - column->boolean_texts -
           column->missing_texts - column->blank_texts;
}

enum input_reading column_reading(const struct query_column *column)
{
    const uint32_t numbers =
        column->integers + column->reals + column->numeric_texts + column->separated_texts;

    if (numbers == 0 && column->boolean_texts > 0 && other_texts(column) == 0)
        return READING_BOOLEAN;
    if (column->written_texts > 0)
        return column->numbers.not_comma < column->numbers.not_point ? READING_COMMA
                                                                     : READING_POINT;
    return column->separated_texts > 0 ? READING_SEPARATED : READING_NUMBER;
}

bool column_is_unclear(const struct query_column *column)
{
    return column->numbers.either > 0 && column->numbers.not_comma == 0 &&
           column->numbers.not_point == 0 && column->reals == 0;
}

/* Numbers that the reading does not take, as their comma means something else by it. */
static uint32_t contrary_numbers(const struct query_column *column)
{
    const enum input_reading reading = column_reading(column);

    if (!reading_is_written(reading))
        return 0;
    return at_most_32(reading == READING_COMMA ? column->numbers.not_comma
                                               : column->numbers.not_point);
}

uint32_t column_words(const struct query_column *column)
{
    return other_texts(column) - column->written_texts + contrary_numbers(column) +
           (column_reading(column) == READING_BOOLEAN ? 0 : column->boolean_texts);
}

/* A share, of numbers that may have 64 bits. */
static bool is_few(uint64_t part, uint64_t all, uint64_t share)
{
    return part * share <= all;
}

bool column_is_numeric(const struct query_column *column)
{
    static const char *const words[] = {"INT", "REAL", "NUM", "FLOA", "DOUB", "DEC", "BOOL", NULL};
    const uint64_t cells = (uint64_t)column->integers + column->reals + column->texts -
                           column->blank_texts - column->missing_texts;
    const uint32_t unreadable = column_words(column);

    if (column->blobs > 0)
        return false;
    if (column->texts == column->blank_texts && cells == 0)
        return type_declares(column->declared_type, words);
    if (cells == unreadable) /* without one number it is words, or missing values alone */
        return false;
    return is_few(column->code_texts, cells, CODES_FEW_SHARE) &&
           is_few(unreadable - column->code_texts, cells, WORDS_FEW_SHARE);
}

/* ---- lists ---- */

/* Are all its values texts, of which none spells a missing value? */
static bool is_all_text(const struct query_column *column)
{
    return column->texts > column->blank_texts && column->integers + column->reals == 0 &&
           column->blobs + column->vectors + column->missing_texts == 0 &&
           column->lists.texts == column->texts - column->blank_texts;
}

bool column_measure_list(const struct query_column *column, struct cell_list *list)
{
    const struct list_counts *lists = &column->lists;

    if (list->form == LIST_STEPS || list->form == LIST_SEQUENCE) {
        list->size = column->vectors > 0 ? column->elements : lists->items_most;
        if (list->size == 0 && column->integers + column->reals > 0)
            list->size = 1;
        if (list->size > SEQUENCE_SIZE_MAX)
            list->size = SEQUENCE_SIZE_MAX;
        return list->size > 0;
    }
    if (!is_all_text(column))
        return false;
    if (list->form == LIST_DENSE) {
        list->size = lists->not_dense ? 0 : lists->dense_most;
        return list->size > 0 && lists->dense_least == lists->dense_most;
    }
    list->size = lists->not_sparse ? 0 : lists->sparse_ids;
    return list->size > 0;
}

bool column_is_list_of_numbers(const struct query_column *column, struct cell_list *list)
{
    const struct list_counts *lists = &column->lists;

    if (column->written_texts > 0 && column_words(column) == 0)
        return false;
    *list = (struct cell_list){.form = LIST_DENSE, .delimiter = ','};
    if (column_measure_list(column, list) && list->size > 1 && lists->dense_plain < lists->texts)
        return true;
    *list = (struct cell_list){.form = LIST_SPARSE, .pair = ':'};
    return column_measure_list(column, list) && lists->sparse_several > 0 &&
           lists->sparse_alone == 0;
}

/* ---- keys and free text ---- */

static bool ends_like_key(struct slice name)
{
    static const char *const endings[] = {"_id", "_key", "_uuid", "_guid", "_pk", NULL};

    for (size_t i = 0; endings[i]; i++) {
        const size_t size = strlen(endings[i]);

        if (name.size > size &&
            slice_is_fold((struct slice){name.data + name.size - size, size}, endings[i]))
            return true;
    }
    /* orderId, PassengerID: a capital begins a word. */
    return name.size > 2 && name.data[name.size - 2] == 'I' &&
           (name.data[name.size - 1] == 'd' || name.data[name.size - 1] == 'D') &&
           name.data[name.size - 3] >= 'a' && name.data[name.size - 3] <= 'z';
}

bool name_is_key(struct slice name)
{
    static const char *const names[] = {"id",    "key",   "uid",      "uuid",       "guid",   "pk",
                                        "rowid", "index", "rownames", "row_number", "rownum", NULL};

    for (size_t i = 0; names[i]; i++)
        if (slice_is_fold(name, names[i]))
            return true;
    return ends_like_key(name);
}

/* Nearly all: one in twenty may be there again. A sample of a larger table shows too little: in it
 * none may. */
static bool is_nearly_unique(const struct query *query, const struct query_column *column)
{
    const bool is_part = !query->is_whole && query->sample_rows >= QUERY_SAMPLE_ROWS;

    return is_few(column->distinct_cells - column->distinct_values, column->distinct_cells,
                  is_part ? UINT32_MAX : WORDS_FEW_SHARE);
}

static bool is_key(const struct query_column *column)
{
    const uint64_t wholes = (uint64_t)column->integers + column->whole_texts;
    const uint64_t cells = (uint64_t)column->integers + column->reals + column->numeric_texts;

    return name_is_key(column->name) && wholes == cells && wholes >= KEY_CELLS_LEAST &&
           column->distinct_cells == column->distinct_values;
}

static enum column_use use_of_words(const struct query *query, const struct query_column *column)
{
    const uint64_t words = other_texts(column);
    const uint64_t mean = column->word_bytes / words;

    if (column->distinct_cells == 0 || words < KEY_CELLS_LEAST || column->dates > words / 2)
        return COLUMN_USED;
    if (mean >= FREE_BYTES_LEAST && column->spaced_texts > words / 2 &&
        2 * column->distinct_values > column->distinct_cells)
        return COLUMN_FREE_TEXT;
    if (!is_nearly_unique(query, column) || mean > KEY_BYTES_MOST)
        return COLUMN_USED;
    return column->spaced_texts > words / 2 ? COLUMN_FREE_TEXT : COLUMN_KEY_TEXT;
}

enum column_use column_use_of(const struct query *query, const struct query_column *column)
{
    if (column->blobs + column->vectors > 0)
        return COLUMN_USED;
    if (column_is_numeric(column))
        return is_key(column) ? COLUMN_KEY : COLUMN_USED;
    return other_texts(column) == 0 ? COLUMN_USED : use_of_words(query, column);
}

/* ---- from a census ---- */

static void take_dates(struct query_column *column, const struct cell_counts *counts)
{
    const uint64_t iso = counts->texts[TEXT_DATE] + counts->texts[TEXT_TIMESTAMP];
    const bool is_clear = cell_counts_date_reading(counts, &column->date_reading);
    const uint64_t texts = cell_counts_dates(counts, column->date_reading);

    column->dates = at_most_32(counts->dates + texts);
    column->written_dates = at_most_32(texts - iso);
    column->unclear_dates = is_clear ? 0 : at_most_32(counts->texts[TEXT_WRITTEN_DATE]);
    column->short_years = is_clear ? 0 : counts->written_dates.short_years;
    column->times = at_most_32(counts->times + counts->texts[TEXT_TIMESTAMP] +
                               (is_clear ? counts->written_dates.times : 0));
}

void query_column_take(struct query_column *column, const struct cell_counts *counts, uint64_t rows)
{
    const uint64_t texts = cell_counts_texts(counts);
    const uint64_t others = counts->nulls + counts->integers + counts->blobs + counts->vectors;
    struct slice word;

    column->nulls = at_most_32(counts->nulls);
    column->integers = at_most_32(counts->integers);
    column->blobs = at_most_32(counts->blobs);
    column->vectors = at_most_32(counts->vectors);
    column->texts = at_most_32(texts);
    column->reals = at_most_32(rows - texts - others);
    column->numeric_texts = at_most_32(counts->texts[TEXT_NUMBER]);
    column->blank_texts = at_most_32(counts->texts[TEXT_BLANK]);
    column->code_texts = at_most_32(counts->texts[TEXT_CODE]);
    column->separated_texts = at_most_32(counts->texts[TEXT_SEPARATED]);
    column->missing_texts = at_most_32(counts->texts[TEXT_MISSING]);
    column->boolean_texts = at_most_32(counts->texts[TEXT_BOOLEAN]);
    column->written_texts = at_most_32(counts->texts[TEXT_WRITTEN]);
    column->numbers = counts->numbers;
    column->date_texts = at_most_32(counts->texts[TEXT_DATE]);
    column->timestamp_texts = at_most_32(counts->texts[TEXT_TIMESTAMP]);
    take_dates(column, counts);
    word = cell_counts_word(counts, &column->word_cells);
    column->word_size = (uint32_t)word.size;
    if (word.size > 0)
        memcpy(column->word, word.data, word.size);
    column->shaped = word_shapes_of(counts);
    column->word_bytes = counts->word_bytes;
    column->spaced_texts = at_most_32(counts->spaced);
    column->lists = counts->lists;
    column->whole_texts = at_most_32(counts->whole_texts);
    for (size_t i = 0; i < MISSING_SPELLINGS; i++)
        column->missing[i] = at_most_32(counts->missing[i]);
    cell_counts_distinct(counts, &column->distinct_values, &column->distinct_cells);
    cell_counts_rare(counts, &column->once_values, &column->twice_values);
}

/* ---- classes ---- */

bool column_holds_classes(const struct query_column *column)
{
    static const char *const truths[] = {"BOOL", NULL};
    const uint64_t values = column->distinct_values;

    if (type_declares(column->declared_type, truths) || !column_is_numeric(column) ||
        (column->boolean_texts > 0 && column->boolean_texts == column->texts))
        return true;
    if (column->reals > 0 || column->numeric_texts > column->whole_texts ||
        column->separated_texts + column->written_texts > 0 || values == 0)
        return false;
    return values <= CLASSES_OF_BIT ||
           (values <= CLASSES_MOST && column->distinct_cells >= values * CLASS_ROWS);
}
