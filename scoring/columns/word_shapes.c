#include "scoring/columns/word_shapes.h"

#include <string.h>

#define WORDS_LEAST   10 /* different ones that tell a shape */
#define YEAR_FIRST    1800
#define YEAR_LAST     2100
#define PARTS_MOST    5 /* parts of a date and its time, beside the year */
#define LETTERS_MOST  24
#define UNITS_MOST    8 /* units of a column; more are names behind numbers */
#define WORDS_OF_UNIT 3 /* words that each unit has, at the least */

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

static bool is_year(struct slice word, size_t at)
{
    const int year = (word.data[at] - '0') * 1000 + (word.data[at + 1] - '0') * 100 +
                     (word.data[at + 2] - '0') * 10 + (word.data[at + 3] - '0');

    return year >= YEAR_FIRST && year <= YEAR_LAST;
}

/* A year and a day of it: "2024-019". */
static bool is_day_of_year(struct slice word)
{
    return word.size == 8 && word.data[4] == '-' && digits_at(word, 0) == 4 &&
           digits_at(word, 5) == 3 && is_year(word, 0) &&
           slice_compare((struct slice){word.data + 5, 3}, SLICE("366")) <= 0;
}

/* A month's name and a year, or a number of two digits that may be one: "January 2024", "Jan-24".
 */
static bool is_named_month(struct slice word, const struct word_form *form)
{
    const bool is_month =
        word_form_is(form, "M#") || word_form_is(form, "#M") || word_form_is(form, "#-M");

    for (size_t i = 0; i < word.size && is_month; i++) {
        const size_t digits = digits_at(word, i);

        if (digits > 0)
            return digits == 2 || (digits == 4 && is_year(word, i));
    }
    return false;
}

static bool is_date(struct slice word)
{
    uint32_t years = 0, parts = 0, letters = 0;
    size_t digits;

    for (size_t i = 0; i<word.size; i += digits> 0 ? digits : 1) {
        digits = digits_at(word, i);
        letters += digits == 0 && is_letter(word.data[i]);
        if (digits == 4)
            years += is_year(word, i);
        else if (digits > 2)
            return is_day_of_year(word);
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

    if (word.size < 2 || (quote != '"' && quote != '\''))
        return false;
    /* A sheet puts one quote before a number that is to stay a text. */
    if (quote == '\'' && is_number((struct slice){word.data + 1, word.size - 1}))
        return true;
    return word.data[word.size - 1] == quote &&
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

/* JSON's objects, and lists of them, by their beginning. */
static bool is_object(struct slice word)
{
    size_t at = word.size > 0 && word.data[0] == '[';

    if (at >= word.size || word.data[at] != '{')
        return false;
    for (at++; at < word.size && (word.data[at] == ' ' || word.data[at] == '\n');)
        at++;
    return at < word.size && word.data[at] == '"';
}

/* Is there an item on both sides of each '|', or of each ';'? */
static bool is_list_by(struct slice word, char sign)
{
    size_t items = 1, length = 0;

    for (size_t i = 0; i < word.size; i++) {
        if (word.data[i] != sign) {
            length++;
            continue;
        }
        if (length == 0)
            return false;
        items++;
        length = 0;
    }
    return items > 1 && length > 0;
}

static enum word_shape shape_of_words(struct slice word)
{
    if (is_object(word))
        return SHAPE_OBJECT;
    return is_list_by(word, '|') || is_list_by(word, ';') ? SHAPE_LIST : SHAPE_NONE;
}

enum word_shape word_shape_of(struct slice word, struct slice *unit)
{
    struct word_form form;

    *unit = SLICE("");
    if (word.size == 0)
        return SHAPE_NONE;
    if (is_time(word))
        return SHAPE_TIME;
    if (is_date(word))
        return SHAPE_DATE;
    if (is_quoted(word))
        return SHAPE_QUOTED;
    if (!word_form_of(word, &form))
        return is_measure(word, unit) ? SHAPE_MEASURE : shape_of_words(word);
    if (is_named_month(word, &form))
        return SHAPE_DATE;
    if (word_form_is(&form, "#O"))
        return SHAPE_ORDINAL;
    if (word_form_is_bound(&form))
        return SHAPE_BOUND;
    if (word_form_is_duration(&form))
        return SHAPE_DURATION;
    if (is_measure(word, unit))
        return SHAPE_MEASURE;
    return word_form_is_parts(&form) ? SHAPE_PARTS : shape_of_words(word);
}

/* ---- the words of a column ---- */

/* The words of one shape. */
struct shape_tally {
    uint32_t words;
    struct slice first;    /* by its bytes */
    struct word_form form; /* the form of the first that was counted */
    bool has_forms;        /* there are others */
    bool has_commas, has_other_times;
};

struct tally {
    uint32_t words, mixed; /* mixed: of the form "# #/#" */
    struct shape_tally of[WORD_SHAPES];
    struct slice units[UNITS_MOST];
    uint32_t units_count; /* UNITS_MOST + 1: there are more */
};

/* The unit, and the form, of more than half of them, if there is one. */
struct majority {
    struct slice unit;
    struct word_form form;
};

static struct slice word_of(const struct distinct_value *value)
{
    return (struct slice){value->count > 0 ? value->word : NULL, value->word_size};
}

static bool form_equal(const struct word_form *a, const struct word_form *b)
{
    return slice_equal((struct slice){a->text, a->size}, (struct slice){b->text, b->size});
}

static void count_shape(struct shape_tally *tally, struct slice word, const struct word_form *form)
{
    if (tally->words == 0)
        tally->form = *form;
    else
        tally->has_forms |= !form_equal(&tally->form, form);
    tally->has_commas |= form->has_commas;
    tally->has_other_times |= !word_form_is_hours(form);
    if (tally->words++ == 0 || slice_compare(word, tally->first) < 0)
        tally->first = word;
}

/* May other letters be a unit beside it? A letter alone is mostly one of a code. */
static bool is_plain_unit(struct slice unit)
{
    return unit.size > 1 || strchr("kKmMgGbBtThHdDsSwWyY", *unit.data);
}

static void count_unit(struct tally *tally, struct slice unit)
{
    for (uint32_t i = 0; i < tally->units_count && i < UNITS_MOST; i++)
        if (slice_equal(unit, tally->units[i]))
            return;
    if (tally->units_count < UNITS_MOST)
        tally->units[tally->units_count] = unit;
    if (tally->units_count <= UNITS_MOST)
        tally->units_count++;
}

static void count_measure(struct tally *tally, struct slice word, const struct word_form *form,
                          struct slice unit, const struct majority *majority)
{
    if (word_unit_is_time(unit))
        count_shape(&tally->of[SHAPE_DURATION], word, form);
    if (is_plain_unit(unit)) {
        count_shape(&tally->of[SHAPE_UNITS], word, form);
        count_unit(tally, unit);
    }
    if (slice_equal(unit, majority->unit))
        count_shape(&tally->of[SHAPE_MEASURE], word, form);
}

static void count_parts(struct tally *tally, struct slice word, const struct word_form *form,
                        const struct majority *majority)
{
    const bool is_mixed = word_form_is(form, "# #/#");

    tally->mixed += is_mixed;
    if (is_mixed || word_form_is(form, "#/#"))
        count_shape(&tally->of[SHAPE_FRACTION], word, form);
    if (form_equal(form, &majority->form))
        count_shape(&tally->of[SHAPE_PARTS], word, form);
}

/* Words that are too long to be kept have none. */
static void count_words(const struct cell_counts *counts, const struct majority *majority,
                        struct tally *tally)
{
    for (uint32_t i = 0; i < counts->distinct.size; i++) {
        const struct slice word = word_of(&counts->distinct.values[i]);
        struct word_form form;
        enum word_shape shape;
        struct slice unit;

        tally->words += counts->distinct.values[i].count > 0;
        if (!word.data)
            continue;
        shape = word_shape_of(word, &unit);
        word_form_of(word, &form);
        if (shape == SHAPE_MEASURE)
            count_measure(tally, word, &form, unit, majority);
        else if (shape == SHAPE_PARTS)
            count_parts(tally, word, &form, majority);
        else
            count_shape(&tally->of[shape], word, &form);
    }
}

static struct majority majority_of(const struct cell_counts *counts)
{
    struct majority most = {.unit = SLICE("")};
    uint32_t unit_votes = 0, form_votes = 0;

    for (uint32_t i = 0; i < counts->distinct.size; i++) {
        const struct slice word = word_of(&counts->distinct.values[i]);
        struct word_form form;
        struct slice unit;
        const enum word_shape shape = word.data ? word_shape_of(word, &unit) : SHAPE_NONE;

        if (shape == SHAPE_MEASURE) {
            most.unit = unit_votes == 0 ? unit : most.unit;
            unit_votes += slice_equal(unit, most.unit) ? 1 : -1U;
        } else if (shape == SHAPE_PARTS && word_form_of(word, &form)) {
            most.form = form_votes == 0 ? form : most.form;
            form_votes += form_equal(&form, &most.form) ? 1 : -1U;
        }
    }
    return most;
}

static bool is_shape(const struct tally *tally, enum word_shape shape)
{
    if (tally->words < WORDS_LEAST ||
        10 * (uint64_t)tally->of[shape].words < 9 * (uint64_t)tally->words)
        return false;
    if (shape == SHAPE_FRACTION)
        return tally->mixed > 0;
    return shape != SHAPE_UNITS ||
           (tally->units_count <= UNITS_MOST && tally->words >= WORDS_OF_UNIT * tally->units_count);
}

/* "B" is a billion beside "k" and "M", and a byte beside "kB". */
static enum unit_family family_of(const struct tally *tally)
{
    static const char *const bytes[] = {"b", "kb", "mb", "gb", "tb", "kib", "mib", "gib", "tib"};
    static const char *const counts[] = {"k", "m", "b", "bn", "t"};
    uint32_t as_bytes = 0, as_counts = 0;

    for (uint32_t i = 0; i < tally->units_count && i < UNITS_MOST; i++) {
        for (size_t j = 0; j < sizeof bytes / sizeof *bytes; j++)
            as_bytes += slice_is_fold(tally->units[i], bytes[j]);
        for (size_t j = 0; j < sizeof counts / sizeof *counts; j++)
            as_counts += slice_is_fold(tally->units[i], counts[j]);
    }
    if (as_counts == tally->units_count)
        return UNITS_COUNTS;
    return as_bytes == tally->units_count ? UNITS_BYTES : UNITS_OTHER;
}

struct shaped_words word_shapes_of(const struct cell_counts *counts)
{
    const struct majority majority = majority_of(counts);
    struct shaped_words shaped = {.shape = SHAPE_NONE};
    struct tally tally = {0};

    count_words(counts, &majority, &tally);
    shaped.words = tally.words;
    for (enum word_shape shape = SHAPE_TIME; shape < WORD_SHAPES; shape++) {
        const struct shape_tally *of = &tally.of[shape];

        if (!is_shape(&tally, shape))
            continue;
        shaped.shape = shape;
        shaped.shaped = of->words;
        shaped.form = of->form;
        shaped.form.size = of->has_forms ? 0 : of->form.size;
        shaped.has_commas = of->has_commas;
        shaped.is_hours = !of->has_other_times;
        shaped.family = family_of(&tally);
        shaped.example_size = (uint32_t)of->first.size;
        memcpy(shaped.example, of->first.data, shaped.example_size);
        shaped.unit_size = shape == SHAPE_MEASURE ? (uint32_t)majority.unit.size : 0;
        memcpy(shaped.unit, majority.unit.data, shaped.unit_size);
    }
    return shaped;
}
