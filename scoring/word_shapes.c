#include "scoring/word_shapes.h"

#include <string.h>

#define WORDS_LEAST  10 /* different ones that tell a shape */
#define YEAR_FIRST   1800
#define YEAR_LAST    2100
#define PARTS_MOST   5 /* parts of a date and its time, beside the year */
#define LETTERS_MOST 24

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80;
}

static size_t digits_at(struct slice word, size_t from)
{
    size_t count = 0;

    while (from + count < word.size && is_digit(word.data[from + count]))
        count++;
    return count;
}

/* ---- one word ---- */

/* A colon and two digits. */
static bool has_part(struct slice word, size_t at)
{
    return at + 3 <= word.size && word.data[at] == ':' && digits_at(word, at + 1) == 2;
}

/* Hours, minutes and perhaps seconds; then nothing, or am and pm. */
static bool is_time(struct slice word)
{
    size_t at = digits_at(word, 0);
    struct slice rest;

    if (at < 1 || at > 2 || !has_part(word, at))
        return false;
    at += has_part(word, at + 3) ? 6 : 3;
    rest = slice_trim((struct slice){word.data + at, word.size - at});
    return rest.size == 0 || slice_is_fold(rest, "am") || slice_is_fold(rest, "pm") ||
           slice_is_fold(rest, "a.m.") || slice_is_fold(rest, "p.m.");
}

static bool is_date(struct slice word)
{
    uint32_t years = 0, parts = 0, letters = 0;
    size_t digits;

    for (size_t i = 0; i<word.size; i += digits> 0 ? digits : 1) {
        digits = digits_at(word, i);
        letters += digits == 0 && is_letter(word.data[i]);
        if (digits == 4) {
            const int year = (word.data[i] - '0') * 1000 + (word.data[i + 1] - '0') * 100 +
                             (word.data[i + 2] - '0') * 10 + (word.data[i + 3] - '0');

            years += year >= YEAR_FIRST && year <= YEAR_LAST;
        } else if (digits > 2) {
            return false;
        }
        parts += digits == 1 || digits == 2;
    }
    return years == 1 && parts >= 1 && parts <= PARTS_MOST && letters <= LETTERS_MOST;
}

static bool is_number(struct slice text)
{
    const enum text_kind kind = text_look_at(text).kind;

    return kind == TEXT_NUMBER || kind == TEXT_SEPARATED || kind == TEXT_WRITTEN;
}

static bool is_quoted(struct slice word)
{
    const char quote = word.data[0];

    return word.size > 2 && (quote == '"' || quote == '\'') && word.data[word.size - 1] == quote &&
           is_number((struct slice){word.data + 1, word.size - 2});
}

/* The unit is what is behind the last digit. */
static bool is_measure(struct slice word, struct slice *unit)
{
    size_t end = word.size;

    while (end > 0 && !is_digit(word.data[end - 1]))
        end--;
    *unit = slice_trim((struct slice){word.data + end, word.size - end});
    return end > 0 && unit->size > 0 && unit->size <= UNIT_BYTES_MAX && is_letter(unit->data[0]) &&
           is_number((struct slice){word.data, end});
}

enum word_shape word_shape_of(struct slice word, struct slice *unit)
{
    *unit = SLICE("");
    if (word.size == 0)
        return SHAPE_NONE;
    if (is_time(word))
        return SHAPE_TIME;
    if (is_date(word))
        return SHAPE_DATE;
    if (is_quoted(word))
        return SHAPE_QUOTED;
    return is_measure(word, unit) ? SHAPE_MEASURE : SHAPE_NONE;
}

/* ---- the words of a column ---- */

struct tally {
    uint32_t words, of[WORD_SHAPES];
    struct slice first[WORD_SHAPES]; /* by their bytes */
};

static struct slice word_of(const struct distinct_value *value)
{
    return (struct slice){value->count > 0 ? value->word : NULL, value->word_size};
}

/* Words that are too long to be kept have none. unit: the only one that counts; NULL: all. */
static void count_words(const struct cell_counts *counts, const struct slice *unit,
                        struct tally *tally)
{
    for (uint32_t i = 0; i < counts->distinct.size; i++) {
        const struct slice word = word_of(&counts->distinct.values[i]);
        enum word_shape shape;
        struct slice its_unit;

        tally->words += counts->distinct.values[i].count > 0;
        if (!word.data)
            continue;
        shape = word_shape_of(word, &its_unit);
        if (unit && shape == SHAPE_MEASURE && !slice_equal(its_unit, *unit))
            continue;
        if (tally->of[shape]++ == 0 || slice_compare(word, tally->first[shape]) < 0)
            tally->first[shape] = word;
    }
}

/* The unit that more than half of them have, if any has. */
static struct slice most_frequent_unit(const struct cell_counts *counts)
{
    struct slice most = SLICE(""), unit;
    uint32_t votes = 0;

    for (uint32_t i = 0; i < counts->distinct.size; i++) {
        const struct slice word = word_of(&counts->distinct.values[i]);

        if (!word.data || word_shape_of(word, &unit) != SHAPE_MEASURE)
            continue;
        if (votes == 0)
            most = unit;
        votes = slice_equal(unit, most) ? votes + 1 : votes - 1;
    }
    return most;
}

static bool is_shape(const struct tally *tally, enum word_shape shape)
{
    return tally->words >= WORDS_LEAST &&
           10 * (uint64_t)tally->of[shape] >= 9 * (uint64_t)tally->words;
}

struct shaped_words word_shapes_of(const struct cell_counts *counts)
{
    const struct slice unit = most_frequent_unit(counts);
    struct shaped_words shaped = {.shape = SHAPE_NONE};
    struct tally tally = {0};

    count_words(counts, &unit, &tally);
    for (enum word_shape shape = SHAPE_TIME; shape < WORD_SHAPES; shape++) {
        if (!is_shape(&tally, shape))
            continue;
        shaped.shape = shape;
        shaped.example_size = (uint32_t)tally.first[shape].size;
        memcpy(shaped.example, tally.first[shape].data, shaped.example_size);
        shaped.unit_size = shape == SHAPE_MEASURE ? (uint32_t)unit.size : 0;
        memcpy(shaped.unit, unit.data, shaped.unit_size);
    }
    return shaped;
}
