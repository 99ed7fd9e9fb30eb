#include "scoring/cell_text.h"

#include <string.h>

#include "scoring/dates.h"

#define SEPARATED_BYTES_MAX 64 /* a number with separators */
#define AT_ONCE             16 /* bytes that are looked at in any case */
#define SHORT_WORD_BYTES    5  /* of the longest below */

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

static bool is_code(struct slice text)
{
    skip_sign(&text);
    return text.size > 1 && text.data[0] == '0' && is_digit(text.data[1]);
}

static enum text_kind date_kind(struct slice text)
{
    struct date date;

    if (!date_read(text, &date))
        return TEXT_WORD;
    return date.microsecond ? TEXT_TIMESTAMP : TEXT_DATE;
}

/* Is there a byte that neither a number has, with separators or without, nor a date? */
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
        look.kind = TEXT_WORD;
        return look;
    }
    if (slice_to_real(text, &look.number))
        look.kind = is_code(text) ? TEXT_CODE : TEXT_NUMBER;
    else if (text.size <= SHORT_WORD_BYTES && find_spelling(text, &look.spelling))
        look.kind = TEXT_MISSING;
    else if (text.size <= SHORT_WORD_BYTES && find_boolean(text, &look.number))
        look.kind = TEXT_BOOLEAN;
    else if (read_separated(text, &look.number))
        look.kind = TEXT_SEPARATED;
    else
        look.kind = date_kind(text);
    return look;
}

bool text_look_number(const struct text_look *look, enum input_reading reading, double *number,
                      bool *is_null)
{
    *number = look->number;
    *is_null = false;
    switch (look->kind) {
    case TEXT_NUMBER:
    case TEXT_CODE:
        return true;
    case TEXT_SEPARATED:
        return reading == READING_SEPARATED;
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
