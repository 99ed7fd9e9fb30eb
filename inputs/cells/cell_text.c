#include "inputs/cells/cell_text.h"

#include <string.h>

#include "inputs/cells/date_names.h"
#include "inputs/cells/dates.h"
#include "inputs/cells/digits.h"
#include "inputs/cells/written_number.h"

#define SEPARATED_BYTES_MAX 64 /* a number with separators */
#define PLAIN_DIGITS_MAX    15 /* digits that a double holds exactly, like this power of ten */
#define GROUP_DIGITS        3  /* between separators */
#define WRITTEN_BYTES_MAX   64 /* a number or a date as people write it */
#define AT_ONCE             16 /* bytes that are looked at in any case */
#define SHORT_WORD_BYTES    5  /* the longest word below */

const char *const missing_spellings[] = {"na",   "n/a", "n.a.", "#n/a", "<na>", "nan", "null",
                                         "none", "?",   "-",    "--",   ".",    "\\n", NULL};

_Static_assert(sizeof missing_spellings / sizeof *missing_spellings == MISSING_SPELLINGS + 1,
               "one count for each spelling");

static const struct {
    const char *word;
    double number;
} booleans[] = {{"t", 1},  {"f", 0}, {"true", 1}, {"false", 0}, {"yes", 1},
                {"no", 0}, {"y", 1}, {"n", 0},    {"on", 1},    {"off", 0}};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool find_spelling(struct slice text, unsigned *spelling)
{
    for (*spelling = 0; missing_spellings[*spelling]; ++*spelling)
        if (slice_is_fold(text, missing_spellings[*spelling]))
            return true;
    return false;
}

static bool find_boolean(struct slice text, double *number)
{
    for (size_t i = 0; i < sizeof booleans / sizeof *booleans; i++)
        if (slice_is_fold(text, booleans[i].word)) {
            *number = booleans[i].number;
            return true;
        }
    return false;
}

/* How many digits the text begins with. */
static size_t digits_of(struct slice text)
{
    size_t count = 0;

    while (count < text.size && is_digit(text.data[count]))
        count++;
    return count;
}

static void skip(struct slice *text, size_t size)
{
    text->data += size;
    text->size -= size;
}

static bool skip_sign(struct slice *text)
{
    const bool has_sign = text->size > 0 && (text->data[0] == '-' || text->data[0] == '+');

    if (has_sign)
        skip(text, 1);
    return has_sign;
}

/* A pattern in which 0 stands for a digit. */
static bool skip_pattern(struct slice *text, const char *pattern)
{
    const size_t size = strlen(pattern);

    if (text->size < size)
        return false;
    for (size_t i = 0; i < size; i++)
        if (pattern[i] == '0' ? !is_digit(text->data[i]) : text->data[i] != pattern[i])
            return false;
    skip(text, size);
    return true;
}

/* Groups of three digits behind one to three, and after them a fraction or nothing. What begins
 * with a 0 may be a fraction with a comma, as it is written in other countries. */
static bool has_separators(struct slice text)
{
    size_t digits;

    skip_sign(&text);
    digits = digits_of(text);
    if (digits < 1 || digits > 3 || digits == text.size || text.data[0] == '0' ||
        text.data[digits] != ',')
        return false;
    skip(&text, digits);
    while (text.size > 0 && text.data[0] == ',')
        if (!skip_pattern(&text, ",000"))
            return false;
    if (text.size == 0)
        return true;
    if (text.data[0] != '.')
        return false;
    skip(&text, 1);
    return digits_of(text) == text.size;
}

static bool read_separated(struct slice text, double *number)
{
    char plain[SEPARATED_BYTES_MAX];
    size_t size = 0;

    if (text.size > sizeof plain || !has_separators(text))
        return false;
    for (size_t i = 0; i < text.size; i++)
        if (text.data[i] != ',')
            plain[size++] = text.data[i];
    return slice_to_real((struct slice){plain, size}, number);
}

/* "1,234" may have a decimal comma; "1,234.5" and "1,234,567" have none. */
static unsigned separated_by(struct slice text)
{
    skip_sign(&text);
    skip(&text, digits_of(text) + 1);
    return digits_of(text) == text.size ? WRITTEN_BY_POINT | WRITTEN_BY_COMMA | WRITTEN_EITHER
                                        : WRITTEN_BY_POINT;
}

static bool is_code(struct slice text)
{
    skip_sign(&text);
    return text.size > 1 && text.data[0] == '0' && is_digit(text.data[1]);
}

/* ----- plain numbers ----- */

/* By how a number with a point is written: the point may stand between thousands. */
static unsigned pointed_by(size_t whole, size_t decimals, char first)
{
    return decimals == GROUP_DIGITS && whole >= 1 && whole <= GROUP_DIGITS && first != '0'
               ? WRITTEN_BY_POINT | WRITTEN_BY_COMMA | WRITTEN_EITHER
               : WRITTEN_BY_POINT;
}

/* Digits, a point among them or none: the nearest double is one division of two that are exact. */
static bool read_short(struct slice text, struct text_look *look)
{
    static const double tens[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    const bool is_negative = *text.data == '-';
    size_t at = 0, whole, decimals = 0;
    int64_t digits = 0;

    skip_sign(&text);
    if (text.size == 0 || text.size > PLAIN_DIGITS_MAX)
        return false;
    for (; at < text.size && is_digit(text.data[at]); at++)
        digits = digits * 10 + (text.data[at] - '0');
    whole = at;
    if (at < text.size && text.data[at] == '.') {
        for (at++; at < text.size && is_digit(text.data[at]); at++, decimals++)
            digits = digits * 10 + (text.data[at] - '0');
        look->by = pointed_by(whole, decimals, *text.data);
    } else
        look->by = WRITTEN_BY_POINT | WRITTEN_BY_COMMA;
    if (at < text.size || whole + decimals == 0)
        return false;
    look->number = (double)digits / tens[decimals];
    look->number = is_negative ? -look->number : look->number;
    return true;
}

static bool read_plain(struct slice text, struct text_look *look)
{
    if (read_short(text, look))
        return true;
    look->by =
        memchr(text.data, '.', text.size) ? WRITTEN_BY_POINT : WRITTEN_BY_POINT | WRITTEN_BY_COMMA;
    return slice_to_real(text, &look->number);
}

/* ----- other texts ----- */

static bool has_digit(struct slice text)
{
    bool is_found = false;

    for (size_t i = 0; i < text.size && !is_found; i++)
        is_found = is_digit(text.data[i]);
    return is_found;
}

/* Digits of other scripts begin with such a byte; accents, Greek and Cyrillic do not. */
#define DIGIT_BYTE_LEAST 0xd9

static bool may_have_digit(struct slice text)
{
    bool is_found = false;

    for (size_t i = 0; i < text.size && !is_found; i++)
        is_found = is_digit(text.data[i]) || (unsigned char)text.data[i] >= DIGIT_BYTE_LEAST;
    return is_found;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The marks of two or more letters in numbers and dates begin with two of these: most words are
 * told from them at the second letter. */
static bool begins_like_mark(struct slice letters)
{
    static const char *const of_two[26] = {"m", "",  "a", "e", "r",   "rt", "",  "k", "",
                                           "",  "r", "",  "x", "dtz", "",   "m", "",  "dmps",
                                           "t", "h", "s", "",  "",    "",   "",  ""};
    static const char *const of_more[26] = {
        "begmopruv", "dgrt",    "ahlnouz", "eiko",    "gknuy",  "ert",    "behim",  "aku", "dlns",
        "aepu",      "aerwz",   "ku",      "aeiorxy", "dgiotz", "cfkntu", "aehklm", "a",   "dmopsu",
        "aefgotu",   "ehioruw", "ahst",    "einr",    "eo",     "",       "",       "ao"};
    const int first = (letters.data[0] | 0x20) - 'a', second = letters.data[1] | 0x20;

    return strchr((letters.size == 2 ? of_two : of_more)[first], second) != NULL;
}

/* Is a run of letters one that a number or a date may have? One alone is of an exponent, a time or
 * a zone, or of a mark that goes on behind it. */
static bool is_of_mark(struct slice letters)
{
    if (letters.size == 1)
        return strchr("eEtTzZaApPmMRCSK", *letters.data) != NULL;
    return begins_like_mark(letters) &&
           (written_number_marks(letters) || written_date_names(letters) ||
            slice_is(letters, "US") || slice_is(letters, "CA") || slice_is(letters, "HK") ||
            slice_is(letters, "NZ") || slice_is(letters, "MX") || slice_is(letters, "NT") ||
            slice_is(letters, "Fr") || slice_is(letters, "SFr"));
}

/* Bytes that pass of a word with other letters than ASCII's, behind `size` ASCII letters: all of a
 * name that a date may have, such as "März", else the other letters that it begins with. */
static size_t wide_size(struct slice text, size_t size)
{
    const struct slice name = {text.data, date_name_size(text)};
    size_t others = 0;

    if (name.size > size && written_date_names(name))
        return name.size;
    while (size == 0 && others < name.size && (unsigned char)text.data[others] > 0x7f)
        others++;
    return others;
}

/* A quick look: other letters and bytes are in no such number or date. */
static bool may_be_written(struct slice text)
{
    for (size_t i = 0; i < text.size;) {
        size_t size = 0;

        while (i + size < text.size && is_letter(text.data[i + size]))
            size++;
        if (i + size < text.size && (unsigned char)text.data[i + size] > 0x7f) {
            const size_t wide = wide_size((struct slice){text.data + i, text.size - i}, size);

            i += wide;
            if (wide > 0)
                continue;
        }
        if (size > 0 && !is_of_mark((struct slice){text.data + i, size}))
            return false;
        if (size == 0 && text.data[i] > ' ' && text.data[i] < 0x7f && !is_digit(text.data[i]) &&
            !strchr(".,:/-+'$%()", text.data[i]))
            return false;
        i += size > 0 ? size : 1;
    }
    return true;
}

/* Neither a number, with separators or without, nor a date of ISO's form. */
static void look_at_written(struct slice text, struct text_look *look)
{
    struct written_number number;
    struct written_date date;
    char plain[DIGITS_BYTES_MAX];

    look->kind = TEXT_WORD;
    look->by = 0;
    if (text.size > WRITTEN_BYTES_MAX || !may_have_digit(text) || !may_be_written(text))
        return;
    digits_to_ascii(text, plain, &text);
    if (!has_digit(text))
        return;
    if (written_number_read(text, &number)) {
        look->kind = TEXT_WRITTEN;
        look->by = number.by;
        look->number = number.by & WRITTEN_BY_POINT ? number.by_point : number.by_comma;
        look->is_percent = number.is_percent;
        look->currency = number.currency;
    } else if (written_date_read(text, &date)) {
        look->kind = TEXT_WRITTEN_DATE;
        look->order = date.order;
        look->has_time = date.has_time;
    }
}

/* "2024-01-31": no number has these two. */
static bool looks_like_date(struct slice text)
{
    return text.size >= 10 && text.data[4] == '-' && text.data[7] == '-';
}

static bool look_at_date(struct slice text, struct text_look *look)
{
    struct date date;

    if (!date_read(text, &date))
        return false;
    look->kind = date.microsecond ? TEXT_TIMESTAMP : TEXT_DATE;
    return true;
}

/* Is there a byte that neither a plain number has, with separators or without, nor a date? */
static bool has_byte_of_words(struct slice text)
{
    static const bool is_other[256] = {
        ['0'] = true, ['1'] = true, ['2'] = true, ['3'] = true, ['4'] = true, ['5'] = true,
        ['6'] = true, ['7'] = true, ['8'] = true, ['9'] = true, ['+'] = true, ['-'] = true,
        ['.'] = true, [','] = true, [':'] = true, [' '] = true, ['e'] = true, ['E'] = true,
        ['T'] = true, ['t'] = true, ['Z'] = true, ['z'] = true, ['U'] = true, ['u'] = true,
        ['C'] = true, ['c'] = true};

    bool is_found = false;

    /* Where a byte is found differs from text to text: the processor does not foresee the end of a
     * loop that ends there. */
    for (size_t i = 0; i < text.size && (i < AT_ONCE || !is_found); i++)
        is_found |= !is_other[(unsigned char)text.data[i]];
    return is_found;
}

struct text_look text_look_at(struct slice text)
{
    struct text_look look = {.kind = TEXT_BLANK};

    text = slice_trim(text);
    if (text.size == 0)
        return look;
    if (text.size > SHORT_WORD_BYTES && has_byte_of_words(text)) {
        look_at_written(text, &look);
        return look;
    }
    if (looks_like_date(text) && look_at_date(text, &look))
        return look;
    if (!is_letter(*text.data) && read_plain(text, &look)) {
        look.kind = is_code(text) ? TEXT_CODE : TEXT_NUMBER;
        return look;
    }
    look.by = 0;
    if (text.size <= SHORT_WORD_BYTES && find_spelling(text, &look.spelling))
        look.kind = TEXT_MISSING;
    else if (text.size <= SHORT_WORD_BYTES && find_boolean(text, &look.number))
        look.kind = TEXT_BOOLEAN;
    else if (read_separated(text, &look.number)) {
        look.kind = TEXT_SEPARATED;
        look.by = separated_by(text);
    } else
        look_at_written(text, &look);
    return look;
}

/* Whatever kind of number it is: 1.234 is another one with a decimal comma than without. */
static bool read_by_comma(const struct text_look *look, struct slice text, double *number)
{
    struct written_number written;

    if (look->kind == TEXT_CODE)
        return look->by & WRITTEN_BY_COMMA;
    if (!(look->by & WRITTEN_BY_COMMA))
        return false;
    if (!(look->by & WRITTEN_EITHER) && look->by & WRITTEN_BY_POINT)
        return true;
    if (!written_number_read(slice_trim(text), &written) || !(written.by & WRITTEN_BY_COMMA))
        return false;
    *number = written.by_comma;
    return true;
}

/* READING_STRICT and READING_BOOLEAN take plain numbers, too. */
static bool read_number(const struct text_look *look, struct slice text, enum input_reading reading,
                        double *number)
{
    if (reading == READING_COMMA)
        return read_by_comma(look, text, number);
    if (look->kind == TEXT_SEPARATED)
        return reading == READING_SEPARATED || reading == READING_POINT;
    if (look->kind == TEXT_WRITTEN)
        return reading == READING_POINT && look->by & WRITTEN_BY_POINT;
    return true;
}

bool text_look_number(const struct text_look *look, struct slice text, enum input_reading reading,
                      double *number, bool *is_null)
{
    *number = look->number;
    *is_null = false;
    switch (look->kind) {
    case TEXT_NUMBER:
    case TEXT_CODE:
    case TEXT_SEPARATED:
    case TEXT_WRITTEN:
        return read_number(look, text, reading, number);
    case TEXT_BOOLEAN:
        return reading == READING_BOOLEAN;
    case TEXT_BLANK:
    case TEXT_MISSING:
        *number = 0;
        *is_null = true;
        return look->kind == TEXT_BLANK || reading != READING_STRICT;
    default:
        return false;
    }
}

bool text_to_whole(struct slice text, int64_t *whole)
{
    return slice_to_integer(slice_trim(text), whole);
}
