#include "inputs/cells/written_number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "inputs/cells/digits.h"

#define BYTES_MAX       64 /* bytes of a text that is looked at */
#define RUNS_MAX        16 /* runs of digits */
#define EXPONENT_MAX    3  /* digits */
#define SPACE_BYTES_MAX 3  /* bytes of one space */
#define PERCENT_DIGITS  2  /* a percent is a hundredth */
#define GROUP           3  /* digits behind a separator, */
#define GROUP_INDIAN    2  /* or but the last */

enum separator {
    SEPARATOR_NONE,
    SEPARATOR_POINT,
    SEPARATOR_COMMA,
    SEPARATOR_QUOTE,
    SEPARATOR_SPACE
};

/* Several marks of one kind of money have its number. */
static const struct {
    const char *mark;
    unsigned currency;
} marks[] = {
    {"$", 1},    {"USD", 1},  {"US$", 1},  {"€", 2},    {"EUR", 2},  {"£", 3},    {"GBP", 3},
    {"¥", 4},    {"JPY", 4},  {"CNY", 5},  {"RMB", 5},  {"CHF", 6},  {"Fr.", 6},  {"SFr.", 6},
    {"AUD", 7},  {"A$", 7},   {"CAD", 8},  {"C$", 8},   {"CA$", 8},  {"NZD", 9},  {"NZ$", 9},
    {"HKD", 10}, {"HK$", 10}, {"SGD", 11}, {"S$", 11},  {"BRL", 12}, {"R$", 12},  {"MXN", 13},
    {"MX$", 13}, {"INR", 14}, {"₹", 14},   {"Rs.", 14}, {"Rs", 14},  {"RUB", 15}, {"₽", 15},
    {"KRW", 16}, {"₩", 16},   {"TRY", 17}, {"₺", 17},   {"ILS", 18}, {"₪", 18},   {"THB", 19},
    {"฿", 19},   {"VND", 20}, {"₫", 20},   {"UAH", 21}, {"₴", 21},   {"PLN", 22}, {"zł", 22},
    {"CZK", 23}, {"Kč", 23},  {"HUF", 24}, {"Ft", 24},  {"SEK", 25}, {"NOK", 26}, {"DKK", 27},
    {"kr", 28},  {"kr.", 28}, {"RON", 29}, {"BGN", 30}, {"ZAR", 31}, {"IDR", 32}, {"Rp", 32},
    {"MYR", 33}, {"RM", 33},  {"PHP", 34}, {"₱", 34},   {"TWD", 35}, {"NT$", 35}, {"AED", 36},
    {"SAR", 37}, {"EGP", 38}, {"NGN", 39}, {"₦", 39},   {"KES", 40}, {"GHS", 41}, {"ARS", 42},
    {"CLP", 43}, {"COP", 44}, {"PEN", 45}, {"ISK", 46}, {"PKR", 47}, {"BDT", 48}, {"LKR", 49},
    {"KZT", 50}, {"QAR", 51}, {"KWD", 52}, {"MAD", 53}, {"BTC", 54}, {"₿", 54},
};
#define MARKS (sizeof marks / sizeof *marks)

const char *written_mark(size_t number)
{
    return number < MARKS ? marks[number].mark : NULL;
}

const char *written_currency(unsigned currency)
{
    for (size_t i = 0; i < MARKS; i++)
        if (marks[i].currency == currency)
            return marks[i].mark;
    return "";
}

bool written_number_marks(struct slice letters)
{
    for (size_t i = 0; i < MARKS; i++)
        if (*marks[i].mark == *letters.data && slice_is(letters, marks[i].mark))
            return true;
    return false;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* ----- what stands around the digits ----- */

/* The marks that were taken from both ends of a text so far, and the rest. */
struct around {
    struct slice rest;
    unsigned currency;
    bool has_sign, is_negative, has_bracket, is_percent;
};

static bool begins_with(struct slice text, const char *with, size_t size)
{
    return text.size >= size && memcmp(text.data, with, size) == 0;
}

static bool ends_with(struct slice text, const char *with, size_t size)
{
    return text.size >= size && memcmp(text.data + text.size - size, with, size) == 0;
}

static void drop_front(struct slice *text, size_t size)
{
    text->data += size;
    text->size -= size;
}

/* How many bytes of white space the text begins with: ASCII's, and the narrow ones that keep a
 * number on one line. */
static size_t space_at(struct slice text)
{
    static const char *const spaces[] = {" ", "\t", "\xC2\xA0", "\xE2\x80\xAF", "\xE2\x80\x89"};

    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (begins_with(text, spaces[i], strlen(spaces[i])))
            return strlen(spaces[i]);
    return 0;
}

static size_t space_before_end(struct slice text)
{
    for (size_t size = 1; size <= SPACE_BYTES_MAX && size <= text.size; size++)
        if (space_at((struct slice){text.data + text.size - size, size}) == size)
            return size;
    return 0;
}

static void trim(struct slice *text)
{
    size_t size;

    while ((size = space_at(*text)) > 0)
        drop_front(text, size);
    while ((size = space_before_end(*text)) > 0)
        text->size -= size;
}

/* The longest mark there: "US$" is not "$". */
static bool take_currency(struct around *around, bool at_front)
{
    size_t longest = 0;

    if (around->currency)
        return false;
    for (size_t i = 0; i < MARKS; i++) {
        size_t size;

        if (at_front && *marks[i].mark != *around->rest.data)
            continue;
        size = strlen(marks[i].mark);
        if (size > longest &&
            (at_front ? begins_with : ends_with)(around->rest, marks[i].mark, size)) {
            longest = size;
            around->currency = marks[i].currency;
        }
    }
    if (at_front)
        drop_front(&around->rest, longest);
    else
        around->rest.size -= longest;
    return longest > 0;
}

static bool take_sign(struct around *around)
{
    static const char minus[] = "\xE2\x88\x92";
    size_t size = 0;

    if (around->has_sign)
        return false;
    if (begins_with(around->rest, "-", 1) || begins_with(around->rest, "+", 1))
        size = 1;
    else if (begins_with(around->rest, minus, sizeof minus - 1))
        size = sizeof minus - 1;
    if (size == 0)
        return false;
    around->has_sign = true;
    around->is_negative = *around->rest.data != '+';
    drop_front(&around->rest, size);
    return true;
}

static bool take_sign_behind(struct around *around)
{
    static const char minus[] = "\xE2\x88\x92";
    size_t size = 0;

    if (around->has_sign)
        return false;
    if (ends_with(around->rest, "-", 1))
        size = 1;
    else if (ends_with(around->rest, minus, sizeof minus - 1))
        size = sizeof minus - 1;
    around->has_sign = around->is_negative = size > 0;
    around->rest.size -= size;
    return size > 0;
}

/* "5,-" and "5.--": without a fraction, and not negative. */
static bool take_no_fraction(struct around *around)
{
    static const char *const ends[] = {",--", ".--", ",-", ".-", ",\xE2\x80\x93"};

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (around->rest.size > strlen(ends[i]) &&
            ends_with(around->rest, ends[i], strlen(ends[i]))) {
            around->rest.size -= strlen(ends[i]);
            return true;
        }
    return false;
}

static bool take_brackets(struct around *around)
{
    if (around->has_sign || !begins_with(around->rest, "(", 1) ||
        !ends_with(around->rest, ")", 1) || around->rest.size < 3)
        return false;
    drop_front(&around->rest, 1);
    around->rest.size--;
    around->has_sign = around->is_negative = true;
    return true;
}

static bool take_percent(struct around *around)
{
    if (around->is_percent || !ends_with(around->rest, "%", 1))
        return false;
    around->rest.size--;
    around->is_percent = true;
    return true;
}

/* Until digits are at both ends; whatever else is there is found later. */
static void take_around(struct around *around)
{
    do
        trim(&around->rest);
    while (around->rest.size > 0 &&
           ((!is_digit(around->rest.data[0]) &&
             (take_brackets(around) || take_sign(around) || take_currency(around, true))) ||
            (around->rest.size > 0 && !is_digit(around->rest.data[around->rest.size - 1]) &&
             (take_percent(around) || take_no_fraction(around) || take_sign_behind(around) ||
              take_currency(around, false)))));
}

/* ----- digits ----- */

/* Runs of digits, and what stands behind each but the last. */
struct runs {
    struct slice digits[RUNS_MAX];
    enum separator behind[RUNS_MAX];
    size_t count;
    struct slice exponent; /* with its sign; size 0: none */
};

static enum separator take_separator(struct slice *text)
{
    static const char quote[] = "\xE2\x80\x99";
    size_t size = 1;
    enum separator separator = SEPARATOR_NONE;

    if (text->size == 0)
        return SEPARATOR_NONE;
    if (*text->data == '.')
        separator = SEPARATOR_POINT;
    else if (*text->data == ',')
        separator = SEPARATOR_COMMA;
    else if (*text->data == '\'')
        separator = SEPARATOR_QUOTE;
    else if (begins_with(*text, quote, sizeof quote - 1))
        separator = SEPARATOR_QUOTE, size = sizeof quote - 1;
    else if ((size = space_at(*text)) > 0)
        separator = SEPARATOR_SPACE;
    if (separator)
        drop_front(text, size);
    return separator;
}

static bool take_exponent(struct slice text, struct slice *exponent)
{
    size_t digits = 0;

    drop_front(&text, 1);
    *exponent = text;
    if (text.size > 0 && (*text.data == '-' || *text.data == '+'))
        drop_front(&text, 1);
    while (digits < text.size && is_digit(text.data[digits]))
        digits++;
    return digits > 0 && digits <= EXPONENT_MAX && digits == text.size;
}

static bool split_runs(struct slice text, struct runs *runs)
{
    *runs = (struct runs){.count = 0};
    while (runs->count < RUNS_MAX) {
        size_t size = 0;

        while (size < text.size && is_digit(text.data[size]))
            size++;
        runs->digits[runs->count] = (struct slice){text.data, size};
        drop_front(&text, size);
        runs->behind[runs->count] = take_separator(&text);
        if (!runs->behind[runs->count++])
            return text.size == 0 || ((*text.data == 'e' || *text.data == 'E') &&
                                      take_exponent(text, &runs->exponent));
    }
    return false;
}

/* Are the first `count` runs the groups of a whole number? */
static bool are_groups(const struct runs *runs, size_t count, enum separator fraction)
{
    const enum separator between = runs->behind[0];
    const bool is_indian =
        count > 2 && between == SEPARATOR_COMMA && runs->digits[1].size == GROUP_INDIAN;

    if (between == fraction || runs->digits[0].size < 1 || runs->digits[0].size > GROUP ||
        *runs->digits[0].data == '0')
        return false;
    for (size_t i = 1; i < count; i++)
        if ((i > 1 && runs->behind[i - 1] != between) ||
            runs->digits[i].size != (size_t)(is_indian && i + 1 < count ? GROUP_INDIAN : GROUP))
            return false;
    return !is_indian || runs->digits[0].size <= GROUP_INDIAN;
}

static bool is_whole(const struct slice *digits)
{
    return digits->size < 2 || *digits->data != '0';
}

/* How many of the runs are the whole part; 0: it is not written so. */
static size_t whole_runs(const struct runs *runs, enum separator fraction)
{
    const bool has_fraction = runs->count > 1 && runs->behind[runs->count - 2] == fraction;
    const size_t whole = runs->count - has_fraction;
    const struct slice *last = &runs->digits[runs->count - 1];

    /* "1." is a number, "1," is not. */
    if (has_fraction && last->size == 0 &&
        (fraction == SEPARATOR_COMMA || runs->digits[0].size == 0))
        return 0;
    if (whole == 1)
        return is_whole(&runs->digits[0]) && (runs->digits[0].size > 0 || has_fraction) ? 1 : 0;
    return runs->exponent.size == 0 && are_groups(runs, whole, fraction) ? whole : 0;
}

/* ----- the number ----- */

static bool read_by(const struct runs *runs, const struct around *around, enum separator fraction,
                    double *number)
{
    const size_t whole = whole_runs(runs, fraction);
    char plain[BYTES_MAX + 16];
    int64_t exponent = 0;
    size_t size = 0;

    if (whole == 0 || (runs->exponent.size > 0 && !slice_to_integer(runs->exponent, &exponent)))
        return false;
    for (size_t i = 0; i < runs->count; i++) {
        if (i == whole)
            plain[size++] = '.';
        memcpy(plain + size, runs->digits[i].data, runs->digits[i].size);
        size += runs->digits[i].size;
    }
    size += (size_t)snprintf(plain + size, sizeof plain - size, "e%d",
                             (int)exponent - PERCENT_DIGITS * around->is_percent);
    if (!slice_to_real((struct slice){plain, size}, number) || !isfinite(*number))
        return false;
    *number = around->is_negative ? -*number : *number;
    return true;
}

bool written_number_read(struct slice text, struct written_number *number)
{
    char plain[DIGITS_BYTES_MAX];
    struct around around;
    struct runs runs;

    *number = (struct written_number){.by = 0};
    if (text.size > BYTES_MAX)
        return false;
    digits_to_ascii(text, plain, &text);
    if (text.size == 0)
        return false;
    around = (struct around){.rest = text};
    take_around(&around);
    if (!split_runs(around.rest, &runs))
        return false;
    number->is_percent = around.is_percent;
    number->currency = around.currency;
    if (read_by(&runs, &around, SEPARATOR_POINT, &number->by_point))
        number->by |= WRITTEN_BY_POINT;
    if (read_by(&runs, &around, SEPARATOR_COMMA, &number->by_comma))
        number->by |= WRITTEN_BY_COMMA;
    if (number->by == (WRITTEN_BY_POINT | WRITTEN_BY_COMMA) && number->by_point != number->by_comma)
        number->by |= WRITTEN_EITHER;
    return number->by != 0;
}
