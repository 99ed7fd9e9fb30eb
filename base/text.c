#include "base/text.h"

#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NEAREST_BYTES_MAX 64 /* longer words are never suggested */

struct slice slice_of(const char *terminated)
{
    return (struct slice){terminated, terminated ? strlen(terminated) : 0};
}

bool slice_equal(struct slice a, struct slice b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

static bool byte_equal_fold(char a, char b)
{
    const unsigned char x = (unsigned char)a, y = (unsigned char)b;

    return x == y || (x < 128 && y < 128 && tolower(x) == tolower(y));
}

bool slice_equal_fold(struct slice a, struct slice b)
{
    if (a.size != b.size)
        return false;
    for (size_t i = 0; i < a.size; i++)
        if (!byte_equal_fold(a.data[i], b.data[i]))
            return false;
    return true;
}

bool slice_is(struct slice a, const char *terminated)
{
    return slice_equal(a, slice_of(terminated));
}

/* A name is looked for in tables of hundreds, so that most differ in the first byte: their sizes
 * are not asked for. */
bool slice_is_fold(struct slice a, const char *terminated)
{
    if (!terminated)
        return a.size == 0;
    for (size_t i = 0; i < a.size; i++)
        if (!terminated[i] || !byte_equal_fold(a.data[i], terminated[i]))
            return false;
    return !terminated[a.size];
}

bool slice_ends_fold(struct slice a, const char *ending)
{
    const size_t size = strlen(ending);

    return a.size > size && slice_is_fold((struct slice){a.data + a.size - size, size}, ending);
}

int slice_compare(struct slice a, struct slice b)
{
    size_t common = a.size < b.size ? a.size : b.size;
    int order = common ? memcmp(a.data, b.data, common) : 0;

    return order ? order : (a.size > b.size) - (a.size < b.size);
}

struct slice slice_trim(struct slice a)
{
    while (a.size && is_white_space(a.data[0])) {
        a.data++;
        a.size--;
    }
    while (a.size && is_white_space(a.data[a.size - 1]))
        a.size--;
    return a;
}

struct slice slice_prefix(struct slice text, size_t bytes_max)
{
    size_t size = bytes_max;

    if (text.size <= bytes_max)
        return text;
    while (size > 0 && ((unsigned char)text.data[size] & 0xC0) == 0x80)
        size--;
    return (struct slice){text.data, size};
}

void slice_copy(struct slice text, char *into, size_t capacity)
{
    const struct slice prefix = slice_prefix(text, capacity - 1);

    if (prefix.size > 0)
        memcpy(into, prefix.data, prefix.size);
    into[prefix.size] = '\0';
}

void text_init(struct text *text, size_t maximum)
{
    *text = (struct text){.maximum = maximum};
}

void text_deinit(struct text *text)
{
    free(text->data);
    *text = (struct text){.maximum = text->maximum};
}

void text_clear(struct text *text)
{
    text->size = 0;
    text->failed = false;
    if (text->data)
        text->data[0] = '\0';
}

/* Room for `more` bytes and a terminator. */
static bool text_reserve(struct text *text, size_t more)
{
    size_t capacity = text->capacity;
    char *data;

    if (text->failed || more > text->maximum - text->size) {
        text->failed = true;
        return false;
    }
    if (text->size + more < capacity)
        return true;
    capacity = capacity ? capacity : 64;
    while (capacity <= text->size + more)
        capacity *= 2;
    data = realloc(text->data, capacity);
    if (!data) {
        text->failed = true;
        return false;
    }
    text->data = data;
    text->capacity = capacity;
    return true;
}

void text_append(struct text *text, struct slice bytes)
{
    if (!text_reserve(text, bytes.size))
        return;
    if (bytes.size)
        memcpy(text->data + text->size, bytes.data, bytes.size);
    text->size += bytes.size;
    text->data[text->size] = '\0';
}

void text_append_string(struct text *text, const char *terminated)
{
    text_append(text, slice_of(terminated));
}

void text_append_separator(struct text *text, size_t i, size_t count)
{
    if (i > 0)
        text_append_string(text, i + 1 == count ? " and " : ", ");
}

void text_append_char(struct text *text, char c)
{
    text_append(text, (struct slice){&c, 1});
}

void text_printf(struct text *text, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    text_vprintf(text, format, arguments);
    va_end(arguments);
}

void text_vprintf(struct text *text, const char *format, va_list arguments)
{
    va_list again;
    int size;

    va_copy(again, arguments);
    size = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (size < 0 || !text_reserve(text, (size_t)size)) {
        text->failed = true;
        return;
    }
    vsnprintf(text->data + text->size, (size_t)size + 1, format, arguments);
    text->size += (size_t)size;
}

struct slice text_slice(const struct text *text)
{
    return (struct slice){text_string(text), text->size};
}

const char *text_string(const struct text *text)
{
    return text->data ? text->data : "";
}

static void append_quoted(struct text *text, struct slice bytes, char quote)
{
    text_append_char(text, quote);
    for (size_t i = 0; i < bytes.size; i++) {
        if (bytes.data[i] == quote)
            text_append_char(text, quote);
        text_append_char(text, bytes.data[i]);
    }
    text_append_char(text, quote);
}

void text_append_identifier(struct text *text, struct slice name)
{
    append_quoted(text, name, '"');
}

/* Room is left for a quote and the end. */
static size_t write_doubling(const char *bytes, size_t size, char quote, char *buffer, size_t used)
{
    for (size_t i = 0; i < size && used + 4 < SQL_NAME_BYTES; i++) {
        if (bytes[i] == quote)
            buffer[used++] = quote;
        buffer[used++] = bytes[i];
    }
    return used;
}

const char *sql_name(struct slice name, const char *suffix, char buffer[SQL_NAME_BYTES])
{
    bool is_plain = name.size > 0 && !(name.data[0] >= '0' && name.data[0] <= '9');
    size_t used = 0;

    for (size_t i = 0; i < name.size; i++)
        is_plain &= name.data[i] == '_' || (name.data[i] >= '0' && name.data[i] <= '9') ||
                    (name.data[i] >= 'a' && name.data[i] <= 'z');
    if (!is_plain)
        buffer[used++] = '"';
    used = write_doubling(name.data, name.size, '"', buffer, used);
    used = write_doubling(suffix, strlen(suffix), '"', buffer, used);
    if (!is_plain)
        buffer[used++] = '"';
    buffer[used] = '\0';
    return buffer;
}

const char *sql_text(struct slice value, char buffer[SQL_NAME_BYTES])
{
    size_t used = 0;

    buffer[used++] = '\'';
    used = write_doubling(value.data, value.size, '\'', buffer, used);
    buffer[used++] = '\'';
    buffer[used] = '\0';
    return buffer;
}

void text_append_literal(struct text *text, struct slice value)
{
    append_quoted(text, value, '\'');
}

/* strtod and printf follow the process's locale, which is the host's choice. */
static locale_t c_locale(void)
{
    static locale_t locale;

    if (!locale)
        locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return locale;
}

void text_append_real(struct text *text, double value)
{
    char digits[40];
    locale_t previous = uselocale(c_locale());

    for (int precision = 15; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, value);
        if (strtod(digits, NULL) == value)
            break;
    }
    uselocale(previous);
    text_append_string(text, digits);
}

void text_append_digits(struct text *text, double value, int digits)
{
    char written[40];
    locale_t previous = uselocale(c_locale());

    snprintf(written, sizeof written, "%.*g", digits, value);
    uselocale(previous);
    text_append_string(text, written);
}

void text_append_float(struct text *text, float value)
{
    char digits[40];
    locale_t previous = uselocale(c_locale());

    for (int precision = 6; precision <= 9; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, (double)value);
        if (strtof(digits, NULL) == value)
            break;
    }
    uselocale(previous);
    text_append_string(text, digits);
}

#define ROUNDED_DIGITS   5
#define ROUNDED_LEAST    1e-4 /* below and from ROUNDED_MOST on it is written with an exponent */
#define ROUNDED_MOST     1e15
#define ROUNDED_DECIMALS 8 /* 1e-4 has four zeros before the first digit that counts */

void text_append_rounded(struct text *text, double value)
{
    const double size = value < 0 ? -value : value;
    char digits[48];
    int decimals = ROUNDED_DIGITS - 1;
    locale_t previous;

    if (size == 0 || !(size >= ROUNDED_LEAST && size < ROUNDED_MOST)) {
        previous = uselocale(c_locale());
        snprintf(digits, sizeof digits, "%.*g", ROUNDED_DIGITS, value);
        uselocale(previous);
        text_append_string(text, digits);
        return;
    }
    for (double power = 10; size >= power && decimals > 0; power *= 10)
        decimals--;
    for (double power = 1; size < power && decimals < ROUNDED_DECIMALS; power /= 10)
        decimals++;
    previous = uselocale(c_locale());
    snprintf(digits, sizeof digits, "%.*f", decimals, value);
    uselocale(previous);
    if (strchr(digits, '.')) {
        char *end = digits + strlen(digits);

        while (end[-1] == '0')
            *--end = '\0';
        if (end[-1] == '.')
            end[-1] = '\0';
    }
    text_append_string(text, digits);
}

static bool copy_number(struct slice text, char *copy, size_t capacity)
{
    text = slice_trim(text);
    if (text.size == 0 || text.size >= capacity)
        return false;
    /* strtod also takes hexadecimal, inf and nan: none of them is a number in SQL. */
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        if (!((c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.' || c == 'e' || c == 'E'))
            return false;
        copy[i] = c;
    }
    copy[text.size] = '\0';
    return true;
}

bool slice_to_real(struct slice text, double *value)
{
    char copy[400], *end;

    if (!copy_number(text, copy, sizeof copy))
        return false;
    *value = strtod_l(copy, &end, c_locale());
    return end != copy && *end == '\0';
}

bool slice_to_integer(struct slice text, int64_t *value)
{
    char copy[32], *end;
    long long parsed;

    if (!copy_number(text, copy, sizeof copy) || strpbrk(copy, ".eE"))
        return false;
    parsed = strtoll(copy, &end, 10);
    if (end == copy || *end != '\0')
        return false;
    /* LLONG_MAX is also what overflow gives: print it again to tell them apart. */
    if (parsed == INT64_MAX || parsed == INT64_MIN) {
        char again[32];
        snprintf(again, sizeof again, "%lld", parsed);
        if (strcmp(again, copy[0] == '+' ? copy + 1 : copy) != 0)
            return false;
    }
    *value = parsed;
    return true;
}

/* Damerau-Levenshtein distance with adjacent transpositions, case ignored. */
static unsigned edit_distance(struct slice a, struct slice b)
{
    unsigned rows[3][NEAREST_BYTES_MAX + 1];
    unsigned *older = rows[0], *previous = rows[1], *current = rows[2];

    for (unsigned j = 0; j <= b.size; j++)
        previous[j] = j;
    for (unsigned i = 1; i <= a.size; i++) {
        int x = tolower((unsigned char)a.data[i - 1]);
        current[0] = i;
        for (unsigned j = 1; j <= b.size; j++) {
            int y = tolower((unsigned char)b.data[j - 1]);
            unsigned best = previous[j - 1] + (x != y);
            if (previous[j] + 1 < best)
                best = previous[j] + 1;
            if (current[j - 1] + 1 < best)
                best = current[j - 1] + 1;
            if (i > 1 && j > 1 && x == tolower((unsigned char)b.data[j - 2]) &&
                tolower((unsigned char)a.data[i - 2]) == y && older[j - 2] + 1 < best)
                best = older[j - 2] + 1;
            current[j] = best;
        }
        unsigned *recycled = older;
        older = previous;
        previous = current;
        current = recycled;
    }
    return previous[b.size];
}

int text_nearest(struct slice word, const char *const *candidates, size_t count)
{
    unsigned best = 4;
    int nearest = -1;

    if (word.size == 0 || word.size > NEAREST_BYTES_MAX)
        return -1;
    for (size_t i = 0; i < count; i++) {
        struct slice candidate = slice_of(candidates[i]);
        size_t longer = candidate.size > word.size ? candidate.size : word.size;
        size_t shorter = candidate.size + word.size - longer;
        unsigned distance;

        if (candidate.size == 0 || candidate.size > NEAREST_BYTES_MAX || longer - shorter >= best)
            continue;
        distance = edit_distance(word, candidate);
        if (distance < best && distance * 3 <= longer) {
            best = distance;
            nearest = (int)i;
        }
    }
    return nearest;
}

size_t utf8_sequence(const char *bytes, size_t left)
{
    const unsigned char *at = (const unsigned char *)bytes;
    unsigned char first = at[0];
    size_t size = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;

    if ((first >= 0x80 && first < 0xC2) || first > 0xF4 || size > left)
        return 0;
    for (size_t i = 1; i < size; i++)
        if ((at[i] & 0xC0) != 0x80)
            return 0;
    /* Overlong forms, surrogates, and what is beyond U+10FFFF. */
    if ((first == 0xE0 && at[1] < 0xA0) || (first == 0xED && at[1] > 0x9F) ||
        (first == 0xF0 && at[1] < 0x90) || (first == 0xF4 && at[1] > 0x8F))
        return 0;
    return size;
}
