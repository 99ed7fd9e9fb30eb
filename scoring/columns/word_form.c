#include "scoring/columns/word_form.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define PARTS_MOST   6 /* numbers of a word */
#define BETWEEN_MOST 3 /* bytes between two numbers */
#define BEHIND_MOST  6 /* bytes behind the last */

#define THOUSANDS_DIGITS 3
#define CODE_DIGITS      3 /* digits of a number, the first of them 0 */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit_at(struct slice word, size_t at)
{
    return at < word.size && is_digit(word.data[at]);
}

/* ---- the form ---- */

static bool put(struct word_form *form, char c)
{
    if (form->size == FORM_BYTES_MAX)
        return false;
    form->text[form->size++] = c;
    form->numbers += c == '#';
    return true;
}

static size_t digits_at(struct slice word, size_t at)
{
    size_t size = 0;

    while (is_digit_at(word, at + size))
        size++;
    return size;
}

/* Digits, groups of three behind commas, and points with digits behind them. */
static size_t number_size(struct slice word, size_t at, uint32_t *points, bool *has_commas)
{
    size_t size = digits_at(word, at);

    *points = 0;
    while (size > 0 && at + size < word.size && word.data[at + size] == ',' &&
           digits_at(word, at + size + 1) == THOUSANDS_DIGITS) {
        *has_commas = true;
        size += 1 + THOUSANDS_DIGITS;
    }
    while (size > 0 && at + size < word.size && word.data[at + size] == '.' &&
           is_digit_at(word, at + size + 1)) {
        ++*points;
        size += 1 + digits_at(word, at + size + 1);
    }
    return size;
}

/* "007" is a code; "05" may be minutes. */
static bool is_code(struct slice word, size_t at)
{
    return word.data[at] == '0' && digits_at(word, at) >= CODE_DIGITS;
}

/* "1.10.2" is three numbers, "1,234.5" one. */
static bool put_number(struct word_form *form, uint32_t points)
{
    bool fits = put(form, '#');

    for (uint32_t i = 0; points > 1 && i < points && fits; i++)
        fits = put(form, '.') && put(form, '#');
    return fits;
}

static bool is_month(struct slice letters)
{
    static const char *const months[] = {"january",   "february", "march",    "april",
                                         "may",       "june",     "july",     "august",
                                         "september", "october",  "november", "december"};

    for (size_t i = 0; i < sizeof months / sizeof *months; i++) {
        const struct slice month = slice_of(months[i]);

        if (slice_is_fold(letters, months[i]) ||
            (letters.size == 3 && strncasecmp(letters.data, month.data, 3) == 0))
            return true;
    }
    return slice_is_fold(letters, "sept");
}

static bool is_ordinal_end(struct slice letters)
{
    return slice_is_fold(letters, "st") || slice_is_fold(letters, "nd") ||
           slice_is_fold(letters, "rd") || slice_is_fold(letters, "th");
}

/* The letter that stands for a run of letters; 0: none does. */
static char class_of(const struct word_form *form, struct slice letters, bool is_last)
{
    const bool follows = form->size > 0 && form->text[form->size - 1] == '#';

    if (is_month(letters))
        return 'M';
    if (is_last && follows && is_ordinal_end(letters))
        return 'O';
    if (is_last && form->numbers > 1 && letters.size == 1 && strchr("NSEWnsew", *letters.data))
        return 'H';
    return 0;
}

static bool put_letters(struct word_form *form, struct slice letters, bool is_last)
{
    const char class = class_of(form, letters, is_last);
    bool fits = true;

    if (class)
        return put(form, class);
    for (size_t i = 0; i < letters.size && fits; i++)
        fits = put(form, (char)tolower((unsigned char)letters.data[i]));
    return fits;
}

/* A sign, one before a number that is negative aside, or white space. "#1" and "$1" are names and
 * amounts. */
static bool put_sign(struct word_form *form, struct slice word, size_t at)
{
    const char sign = word.data[at];
    const bool follows = form->size > 0 && form->text[form->size - 1] == '#';

    if (isspace((unsigned char)sign))
        return !follows || !is_digit_at(word, at + 1) || put(form, ' ');
    if (sign == '-' && !follows && is_digit_at(word, at + 1))
        return true;
    return sign != '#' && sign != '$' && put(form, sign);
}

bool word_form_of(struct slice word, struct word_form *form)
{
    bool fits = true;

    memset(form, 0, sizeof *form);
    word = slice_trim(word);
    for (size_t at = 0, size; at < word.size && fits; at += size) {
        uint32_t points;

        size = number_size(word, at, &points, &form->has_commas);
        if (size > 0) {
            fits = put_number(form, points);
            form->has_codes |= is_code(word, at);
            continue;
        }
        while (at + size < word.size && is_letter(word.data[at + size]))
            size++;
        if (size > 0) {
            fits = put_letters(form, (struct slice){word.data + at, size}, at + size == word.size);
            continue;
        }
        fits = put_sign(form, word, at);
        size = 1;
    }
    return fits && form->numbers > 0;
}

bool word_form_is(const struct word_form *form, const char *text)
{
    return slice_is((struct slice){form->text, form->size}, text);
}

/* ---- kinds of forms ---- */

/* Letters and other signs together are rather of a code, as "12_R01". */
static bool is_between(struct slice signs)
{
    uint32_t letters = 0;

    for (size_t i = 0; i < signs.size; i++)
        letters += is_letter(signs.data[i]);
    return signs.size <= BETWEEN_MOST && (letters == 0 || letters == signs.size);
}

bool word_form_is_parts(const struct word_form *form)
{
    const struct slice all = {form->text, form->size};
    size_t behind, at = 0;

    while (at < all.size && all.data[at] != '#')
        at++;
    if (form->numbers < 2 || form->numbers > PARTS_MOST || form->has_codes || at > 1 ||
        memchr(all.data, 'M', all.size) || memchr(all.data, 'O', all.size) ||
        (at == 1 && !strchr("([+", all.data[0])))
        return false;
    for (behind = at + 1, at++; at < all.size; at++) {
        if (all.data[at] != '#')
            continue;
        if (!is_between((struct slice){all.data + behind, at - behind}))
            return false;
        behind = at + 1;
    }
    return all.size - behind <= BEHIND_MOST;
}

bool word_unit_is_time(struct slice unit)
{
    static const char *const units[] = {
        "d",     "day",    "days",    "h", "hr",  "hrs",  "hour",   "hours",   "m", "min",
        "mins",  "minute", "minutes", "s", "sec", "secs", "second", "seconds", "w", "week",
        "weeks", "month",  "months",  "y", "yr",  "yrs",  "year",   "years"};

    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (slice_is_fold(unit, units[i]))
            return true;
    return false;
}

/* Pairs of a number and a unit; "P" and "T" as in ISO's form. */
bool word_form_is_duration(const struct word_form *form)
{
    const struct slice all = {form->text, form->size};
    const bool is_iso = all.size > 0 && all.data[0] == 'p';
    size_t at = is_iso;

    while (at < all.size) {
        size_t size = 0;

        at += is_iso && all.data[at] == 't';
        if (at >= all.size || all.data[at] != '#')
            return false;
        at++;
        while (at + size < all.size && is_letter(all.data[at + size]) &&
               !(is_iso && all.data[at + size] == 't'))
            size++;
        if (!word_unit_is_time((struct slice){all.data + at, size}))
            return false;
        at += size;
    }
    return is_iso || form->numbers > 1;
}

bool word_form_is_hours(const struct word_form *form)
{
    bool is_hours = true;

    for (size_t i = 0; i + 1 < form->size && is_hours; i++)
        if (form->text[i] == '#')
            is_hours =
                form->text[i + 1] == 'h' ||
                (form->text[i + 1] == 'm' &&
                 !(i + 3 < form->size && form->text[i + 3] == 'n' && form->text[i + 2] == 'o'));
    return is_hours && memchr(form->text, '#', form->size);
}

bool word_form_is_bound(const struct word_form *form)
{
    static const char *const forms[] = {"<#", ">#", "~#", "<=#", ">=#",
                                        "≤#", "≥#", "≈#", "±#",  "#+"};

    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (word_form_is(form, forms[i]))
            return true;
    return false;
}
