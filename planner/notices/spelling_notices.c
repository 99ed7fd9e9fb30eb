#include "planner/notices/spelling_notices.h"

#include <stdio.h>
#include <string.h>

#include "inputs/cells/written_number.h"
#include "planner/notices/shape_notices.h"
#include "planner/plan/column_kind.h"
#include "planner/plan/dialect.h"
#include "planner/plan/query.h"

#define CODES_FEW_SHARE                                                                            \
    1000 /* one of so many cells, as in column_kind.c: more are why it is words */

#define NUMBERS_BESIDE_WORD                                                                        \
    20 /* the least cells that are numbers beside one word in the others                           \
        */

/* ----- columns that are read ----- */

/* "$, EUR and 2 others" */
static void append_currencies(struct text *out, uint64_t currencies)
{
    unsigned done = 0, count = (unsigned)__builtin_popcountll(currencies);

    for (unsigned i = 1; i < WRITTEN_CURRENCIES && done < 3; i++)
        if (currencies >> i & 1)
            text_printf(out, "%s%s",
                        done++ == 0     ? ""
                        : done == count ? " and "
                                        : ", ",
                        written_currency(i));
    if (count > done)
        text_printf(out, " and %u other%s", count - done, count - done == 1 ? "" : "s");
}

static void note_currencies(const struct plan *plan, const struct query_column *column)
{
    struct text list;

    if (__builtin_popcountll(column->numbers.currencies) < 2)
        return;
    text_init(&list, NOTICE_BYTES_MAX);
    append_currencies(&list, column->numbers.currencies);
    notice_add(plan->notices, NOTICE_READING,
               "column \"%.*s\" has amounts in %s, which are read as if of one currency",
               SLICE_FORMAT(column->name), text_string(&list));
    notice_hint(plan->notices, "Convert them in the SELECT, or train on the rows of one currency.");
    text_deinit(&list);
}

/* Percents beside numbers without the sign. */
static void note_percents(const struct plan *plan, const struct query_column *column)
{
    const uint64_t percents = column->numbers.percents;
    const uint64_t numbers = (uint64_t)column->integers + column->reals + column->numeric_texts +
                             column->separated_texts + column->written_texts;

    if (percents == 0 || percents == numbers)
        return;
    notice_add(plan->notices, NOTICE_READING,
               "column \"%.*s\": %llu of %llu numbers are percents: '12%%' is read as 0.12, "
               "and 12 as 12",
               SLICE_FORMAT(column->name), (unsigned long long)percents,
               (unsigned long long)numbers);
    notice_hint(plan->notices,
                "Where all are percents, replace(%s, '%%', '') AS %s reads all "
                "as 12.",
                SQL_NAME(column->name), SQL_NAME(column->name));
}

static void hint_unclear(const struct plan *plan, const struct query_column *column, bool is_comma,
                         bool is_label)
{
    if (is_comma)
        notice_hint(plan->notices,
                    "It may also be a decimal comma: replace(%s, ',', '.') AS %s reads "
                    "'1,234' as 1.234.%s%s%s",
                    SQL_NAME(column->name), SQL_NAME(column->name),
                    is_label ? "" : " COLUMN VOCABULARY(", is_label ? "" : SQL_NAME(column->name),
                    is_label ? "" : ") reads it as words.");
    else
        notice_hint(plan->notices,
                    "If the points stand between thousands: replace(%s, '.', '') AS %s reads "
                    "'1.234' as 1234.",
                    SQL_NAME(column->name), SQL_NAME(column->name));
}

static void note_spelling(const struct plan *plan, const struct query_column *column,
                          enum input_reading reading, const char *what)
{
    const struct slice name = column->name;
    const char *rows = query_rows_word(&plan->query);

    if (reading == READING_SEPARATED)
        notice_add(plan->notices, NOTICE_READING,
                   "%s \"%.*s\" is read as numbers with a comma between thousands, in %u %s", what,
                   SLICE_FORMAT(name), column->separated_texts, rows);
    else if (reading == READING_COMMA)
        notice_add(plan->notices, NOTICE_READING,
                   "%s \"%.*s\" is read as numbers with a decimal comma, '1.234,50' as 1234.5, "
                   "in %u %s",
                   what, SLICE_FORMAT(name), column->written_texts + column->separated_texts, rows);
    else
        notice_add(plan->notices, NOTICE_READING, "%s \"%.*s\" is read as numbers%s, in %u %s",
                   what, SLICE_FORMAT(name),
                   column->numbers.percents > 0 ? ", '12%' as 0.12"
                   : column->numbers.currencies > 0
                       ? " without the signs of currency"
                       : " with separators, signs around them or digits of other scripts",
                   column->written_texts + column->separated_texts, rows);
}

void note_written_numbers(const struct plan *plan, const struct query_column *column,
                          enum input_reading reading, bool is_label)
{
    const bool is_plain = reading == READING_NUMBER;
    const char *what = is_label ? "label column" : "column";

    if (is_label && !is_plain && reading != READING_SEPARATED && !reading_is_written(reading))
        return;
    if (is_plain && (column->numeric_texts == 0 || !column_is_unclear(column)))
        return;
    if (is_plain)
        notice_add(plan->notices, NOTICE_READING,
                   "%s \"%.*s\": each point in its texts has three digits after it, and is "
                   "read as a decimal point",
                   what, SLICE_FORMAT(column->name));
    else
        note_spelling(plan, column, reading, what);
    if (column_is_unclear(column))
        hint_unclear(plan, column, !is_plain, is_label);
    else if (is_label && column->numbers.percents > 0)
        notice_hint(plan->notices,
                    "Predictions are such numbers; replace(%s, '%%', '') AS %s reads 12.",
                    SQL_NAME(column->name), SQL_NAME(column->name));
    else if (!is_label)
        notice_hint(plan->notices, "COLUMN VOCABULARY(%s) reads it as words.",
                    SQL_NAME(column->name));
    if (!reading_is_written(reading))
        return;
    note_currencies(plan, column);
    note_percents(plan, column);
}

/* ----- columns that are not ----- */

/* "68.8[1]", but no date */
static bool begins_with_number(struct slice word)
{
    size_t digits = 0, at = word.size > 0 && (*word.data == '-' || *word.data == '+');

    for (; at < word.size && ((word.data[at] >= '0' && word.data[at] <= '9') ||
                              word.data[at] == '.' || word.data[at] == ',');
         at++)
        digits += word.data[at] >= '0' && word.data[at] <= '9';
    return digits > 0 && (at == word.size || !strchr("-/:0123456789", word.data[at]));
}

/* The most frequent of the other texts, and what to do about it. */
static void note_others(const struct plan *plan, const struct query_column *column,
                        bool are_numbers, uint64_t share, uint64_t others, bool is_left_out)
{
    const char *what = are_numbers ? "numbers" : "dates";
    const struct slice name = column->name, word = {column->word, column->word_size};
    struct slice unit;

    if (word.size == 0) {
        notice_add(plan->notices, NOTICE_READING,
                   "%llu %% of column \"%.*s\" are %s, %llu cells are not, and %s",
                   (unsigned long long)share, SLICE_FORMAT(name), what, (unsigned long long)others,
                   words_become(is_left_out));
        notice_hint(plan->notices,
                    "Make these NULL in the SELECT: CASE WHEN ... THEN %s END AS %s.",
                    SQL_NAME(column->name), SQL_NAME(column->name));
        return;
    }
    notice_add(plan->notices, NOTICE_READING,
               "%llu %% of column \"%.*s\" are %s, and %s; the most frequent other text is '%.*s', "
               "in %llu of %llu",
               (unsigned long long)share, SLICE_FORMAT(name), what, words_become(is_left_out),
               SLICE_FORMAT(word), (unsigned long long)column->word_cells,
               (unsigned long long)others);
    if (word_shape_of(word, &unit) == SHAPE_BOUND) {
        hint_bounds(plan, column);
        return;
    }
    if (are_numbers && begins_with_number(word) && 2 * column->word_cells < others) {
        hint_first_number(plan, column);
        return;
    }
    notice_hint(plan->notices, "NULLIF(%s, %s) AS %s makes it missing%s.", SQL_NAME(column->name),
                SQL_TEXT(word), SQL_NAME(column->name),
                column->word_cells < others ? "; so of the others" : "");
}

static void note_contrary(const struct plan *plan, const struct query_column *column,
                          bool is_left_out)
{
    notice_add(plan->notices, NOTICE_READING,
               "column \"%.*s\" has numbers with a decimal comma, %llu, and others with a point, "
               "%llu, and %s",
               SLICE_FORMAT(column->name), (unsigned long long)column->numbers.not_point,
               (unsigned long long)column->numbers.not_comma, words_become(is_left_out));
    notice_hint(plan->notices,
                "replace(%s, ',', '.') AS %s reads both, where there are no "
                "thousands.",
                SQL_NAME(column->name), SQL_NAME(column->name));
}

static void note_unclear_dates(const struct plan *plan, const struct query_column *column,
                               bool is_left_out)
{
    const struct slice name = column->name;

    notice_add(plan->notices, NOTICE_READING,
               "column \"%.*s\" has dates as 03/04/%s, no row shows whether %s is first, "
               "and %s",
               SLICE_FORMAT(name), column->short_years > 0 ? "05" : "2024",
               column->short_years > 0 ? "the day, the month or the year" : "the day or the month",
               words_become(is_left_out));
    if (plan->dialect == SQL_POSTGRES)
        notice_hint(plan->notices,
                    "to_date(%s, 'DD/MM/%s') AS %s makes dates of them, or 'MM/DD/%s'.",
                    SQL_NAME(column->name), column->short_years > 0 ? "YY" : "YYYY",
                    SQL_NAME(column->name), column->short_years > 0 ? "YY" : "YYYY");
    else
        notice_hint(plan->notices,
                    "Where the day is first, %ssubstr(%s, 7) || '-' || substr(%s, 4, 2) || '-' "
                    "|| substr(%s, 1, 2) AS %s makes dates of them.",
                    column->short_years > 0 ? "'20' || " : "", SQL_NAME(column->name),
                    SQL_NAME(column->name), SQL_NAME(column->name), SQL_NAME(column->name));
}

/* Half or more. */
static bool is_most(uint64_t part, uint64_t cells)
{
    return part > 0 && 2 * part >= cells;
}

static uint64_t cells_of(const struct query_column *column)
{
    return (uint64_t)column->integers + column->reals + column->texts - column->blank_texts -
           column->missing_texts;
}

/* Are there numbers, and in place of the others nearly always the same word, "not tested"? */
static bool is_one_word(const struct query_column *column, uint64_t numbers, uint64_t words)
{
    return column->word_size > 0 && numbers >= NUMBERS_BESIDE_WORD && 10 * numbers >= words &&
           10 * (uint64_t)column->word_cells >= 9 * words;
}

bool note_nearly_read(const struct plan *plan, const struct query_column *column, bool is_left_out)
{
    const uint64_t cells = cells_of(column), words = column_words(column);
    const uint64_t numbers = cells > words ? cells - words : 0;
    const uint64_t dates = (uint64_t)column->dates + column->unclear_dates;
    const bool has_codes = (uint64_t)column->code_texts * CODES_FEW_SHARE > cells;
    /* The SQL for these reads numbers without a unit, too. */
    const bool has_units =
        column->shaped.shape == SHAPE_MEASURE || column->shaped.shape == SHAPE_UNITS;

    if (column->blobs + column->vectors > 0 || column->texts == 0)
        return false;
    if (column->unclear_dates > 0 && is_most(dates, cells))
        note_unclear_dates(plan, column, is_left_out);
    else if (is_most(dates, cells) && dates < cells)
        note_others(plan, column, false, 100 * dates / cells, cells - dates, is_left_out);
    else if (is_most(numbers, cells) && words > 0 && !has_codes && column->numbers.not_point > 0 &&
             column->numbers.not_comma > 0)
        note_contrary(plan, column, is_left_out);
    else if ((is_most(numbers, cells) || is_one_word(column, numbers, words)) && words > 0 &&
             !has_codes && !has_units)
        note_others(plan, column, true, 100 * numbers / cells, words, is_left_out);
    else
        return note_shape(plan, column, is_left_out);
    return true;
}
