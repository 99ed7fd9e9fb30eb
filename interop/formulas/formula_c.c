/*
 * C: one file, which needs no library, not even C's own, and allocates nothing. Tables first, then
 * how cells are read, then PREFIX_predict with a variable for each of the program's.
 */
#include "interop/formulas/formula_c.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "inputs/cells/cells.h"
#include "interop/formulas/formula_c_words.h"
#include "interop/formulas/formula_c_written.h"
#include "interop/formulas/formula_print.h"
#include "scoring/label_names.h"

#define PREFIX_MOST 60

struct c_printer {
    const struct formula_program *program;
    const char *prefix;
    struct text *out;
    uint32_t tables; /* tables written or named so far */
    const bool *needed;
};

/* Where `@` stands in these there is the prefix. */
static const char head[] = "struct @_cell {\n"
                           "    enum { @_MISSING, @_NUMBER, @_TEXT, @_TIME } type;\n"
                           "    double number; /* of a time: seconds since 1970-01-01 in UTC */\n"
                           "    const char *text; /* UTF-8; need not be terminated */\n"
                           "    unsigned long size;\n"
                           "};\n"
                           "struct @_word {\n"
                           "    const char *word;\n"
                           "    unsigned long size;\n"
                           "    double number; /* that is written so */\n"
                           "    int is_number, place;\n"
                           "};\n";

static const char tools[] =
    "static double @_nan(void)\n"
    "{\n"
    "    double zero = 0;\n"
    "    return zero / zero;\n"
    "}\n"
    "static inline double @_least(double a, double b) { return a < b ? a : b; }\n"
    "static inline double @_greatest(double a, double b) { return a > b ? a : b; }\n"
    "static inline double @_floor(double x)\n"
    "{\n"
    "    const double whole = x > -9e15 && x < 9e15 ? (double)(long long)x : x;\n"
    "    return whole > x ? whole - 1 : whole;\n"
    "}\n"
    "static inline double @_power_of_2(int n)\n"
    "{\n"
    "    double power = 1, base = n < 0 ? 0.5 : 2;\n"
    "    for (n = n < 0 ? -n : n; n > 0; n /= 2, base *= base)\n"
    "        if (n % 2)\n"
    "            power *= base;\n"
    "    return power;\n"
    "}\n"
    "static inline double @_exp(double x)\n"
    "{\n"
    "    const double n = @_floor(x * 1.4426950408889634 + 0.5);\n"
    "    const double r = (x - n * 0.693147180369123816) - n * 1.9082149292705877e-10;\n"
    "    double sum = 1;\n"
    "    for (int i = 14; i > 0; i--)\n"
    "        sum = 1 + r / i * sum;\n"
    "    return sum * @_power_of_2((int)n);\n"
    "}\n"
    "static inline double @_log(double x)\n"
    "{\n"
    "    double k = 0, s, q, sum = 0;\n"
    "    for (; x > 1.4142135623730951; x /= 2)\n"
    "        k++;\n"
    "    for (; x < 0.70710678118654752 && x > 0; x *= 2)\n"
    "        k--;\n"
    "    s = (x - 1) / (x + 1);\n"
    "    q = s * s;\n"
    "    for (int i = 25; i > 0; i -= 2)\n"
    "        sum = 1.0 / i + q * sum;\n"
    "    return k * 0.69314718055994531 + 2 * s * sum;\n"
    "}\n"
    "static inline double @_root(double x)\n"
    "{\n"
    "    double scale = 1;\n"
    "    if (!(x > 0))\n"
    "        return x;\n"
    "    for (; x >= 4; x /= 4)\n"
    "        scale *= 2;\n"
    "    for (; x < 1; x *= 4)\n"
    "        scale /= 2;\n"
    "    double root = (1 + x) / 2;\n"
    "    for (int i = 0; i < 6; i++)\n"
    "        root = (root + x / root) / 2;\n"
    "    return root * scale;\n"
    "}\n"
    "static inline double @_at(const double *numbers, int count, double place)\n"
    "{\n"
    "    return place >= 0 && place < count ? numbers[(int)place] : 0;\n"
    "}\n"
    "static inline int @_is_in(const double *numbers, int count, double number)\n"
    "{\n"
    "    int low = 0, high = count;\n"
    "    while (low < high) {\n"
    "        const int middle = low + (high - low) / 2;\n"
    "        if (numbers[middle] < number)\n"
    "            low = middle + 1;\n"
    "        else\n"
    "            high = middle;\n"
    "    }\n"
    "    return low < count && numbers[low] == number;\n"
    "}\n"
    "static inline double @_refuse(int *refused, int column)\n"
    "{\n"
    "    if (*refused == 0)\n"
    "        *refused = column;\n"
    "    return @_nan();\n"
    "}\n"
    "static inline struct @_cell @_trim(const struct @_cell *cell)\n"
    "{\n"
    "    struct @_cell trimmed = *cell;\n"
    "#define @_SPACE(c) ((c) == ' ' || ((c) >= '\\t' && (c) <= '\\r'))\n"
    "    while (trimmed.size > 0 && @_SPACE(trimmed.text[0])) {\n"
    "        trimmed.text++;\n"
    "        trimmed.size--;\n"
    "    }\n"
    "    while (trimmed.size > 0 && @_SPACE(trimmed.text[trimmed.size - 1]))\n"
    "        trimmed.size--;\n"
    "    return trimmed;\n"
    "}\n"
    "/* Is the text this word, in small letters or capital? */\n"
    "static inline int @_is(const struct @_cell *text, const char *word)\n"
    "{\n"
    "    unsigned long i = 0;\n"
    "    for (; i < text->size && word[i]; i++) {\n"
    "        const char c = text->text[i];\n"
    "        if ((c >= 'A' && c <= 'Z' ? (char)(c + 32) : c) != word[i])\n"
    "            return 0;\n"
    "    }\n"
    "    return i == text->size && !word[i];\n"
    "}\n"
    "static inline int @_is_any(const struct @_cell *text, const char *const *words)\n"
    "{\n"
    "    for (; *words; words++)\n"
    "        if (@_is(text, *words))\n"
    "            return 1;\n"
    "    return 0;\n"
    "}\n"
    "/* Multiplies the number by ten and adds a digit; how many words it has then. */\n"
    "static inline int @_times_ten(unsigned int *words, int count, unsigned int rest)\n"
    "{\n"
    "    for (int k = 0; k < count; k++) {\n"
    "        const unsigned long long sum = words[k] * 10ull + rest;\n"
    "        words[k] = (unsigned int)sum;\n"
    "        rest = (unsigned int)(sum >> 32);\n"
    "    }\n"
    "    if (rest)\n"
    "        words[count++] = rest;\n"
    "    return count;\n"
    "}\n"
    "/* The nearest double to the whole number that the text's digits are, times 10^exponent; "
    "other bytes\n"
    "   of the text do not count. */\n"
    "static inline double @_nearest(const char *text, unsigned long size, int exponent)\n"
    "{\n"
    "    static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,\n"
    "                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,\n"
    "                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};\n"
    "    unsigned int words[256], rest, divisor;\n"
    "    unsigned long long mantissa = 0, sum;\n"
    "    int digits = 0, count = 0, lost = 0, half = 0, places, top, precision, lowest;\n"
    "    double far = 1e300;\n"
    "    for (unsigned long i = 0; i < size; i++) {\n"
    "        if (text[i] < '0' || text[i] > '9' || (digits == 0 && text[i] == '0'))\n"
    "            continue;\n"
    "        if (++digits < 16)\n"
    "            mantissa = mantissa * 10 + (unsigned long long)(text[i] - '0');\n"
    "    }\n"
    "    if (digits == 0)\n"
    "        return 0;\n"
    "    if (digits < 16 && exponent >= -22 && exponent <= 22)\n"
    "        return exponent < 0 ? (double)mantissa / tens[-exponent]\n"
    "                            : (double)mantissa * tens[exponent];\n"
    "    if (digits + exponent > 310)\n"
    "        return far * far;\n"
    "    if (digits + exponent < -330)\n"
    "        return 0;\n"
    "    digits = 0;\n"
    "    for (unsigned long i = 0; i < size; i++) {\n"
    "        if (text[i] < '0' || text[i] > '9' || (digits == 0 && text[i] == '0'))\n"
    "            continue;\n"
    "        if (digits == 780) { /* no tie of two doubles has as many */\n"
    "            lost |= text[i] != '0';\n"
    "            exponent++;\n"
    "            continue;\n"
    "        }\n"
    "        digits++;\n"
    "        count = @_times_ten(words, count, (unsigned int)(text[i] - '0'));\n"
    "    }\n"
    "    places = exponent < 0 ? (-exponent * 107 >> 10) + 3 : 0;\n"
    "    for (int k = count; k-- > 0;)\n"
    "        words[k + places] = words[k];\n"
    "    for (int k = 0; k < places; k++)\n"
    "        words[k] = 0;\n"
    "    count += places;\n"
    "    for (; exponent > 0; exponent--)\n"
    "        count = @_times_ten(words, count, 0);\n"
    "    while (exponent < 0) {\n"
    "        divisor = 1;\n"
    "        rest = 0;\n"
    "        for (int k = 0; k < 9 && exponent < 0; k++, exponent++)\n"
    "            divisor *= 10;\n"
    "        for (int k = count; k-- > 0;) {\n"
    "            sum = (unsigned long long)rest << 32 | words[k];\n"
    "            words[k] = (unsigned int)(sum / divisor);\n"
    "            rest = (unsigned int)(sum % divisor);\n"
    "        }\n"
    "        lost |= rest != 0;\n"
    "        while (count > 1 && words[count - 1] == 0)\n"
    "            count--;\n"
    "    }\n"
    "    top = 32 * count - 1;\n"
    "    while (!(words[top / 32] >> top % 32 & 1))\n"
    "        top--;\n"
    "    precision = top - 32 * places < -1022 ? 1075 + top - 32 * places : 53;\n"
    "    if (precision < 0)\n"
    "        return 0;\n"
    "    lowest = top + 1 > precision ? top + 1 - precision : 0;\n"
    "    mantissa = 0;\n"
    "    for (int bit = top; bit >= lowest; bit--)\n"
    "        mantissa = mantissa << 1 | (words[bit / 32] >> bit % 32 & 1);\n"
    "    if (lowest > 0)\n"
    "        half = words[(lowest - 1) / 32] >> (lowest - 1) % 32 & 1;\n"
    "    for (int bit = 0; bit < lowest - 1; bit++)\n"
    "        lost |= words[bit / 32] >> bit % 32 & 1;\n"
    "    mantissa += half && (lost || mantissa & 1);\n"
    "    return (double)mantissa * @_power_of_2(lowest - 32 * places);\n"
    "}\n"
    "/* Reads a text without white space around it; 0 where it is no number. */\n"
    "static inline int @_parse(const struct @_cell *text, double *number)\n"
    "{\n"
    "    unsigned long at = 0, first, end, digits = 0;\n"
    "    int exponent = 0, written = 0, is_negative = 0, is_small = 0;\n"
    "#define @_DIGIT(i) ((i) < text->size && text->text[i] >= '0' && text->text[i] <= '9')\n"
    "    if (at < text->size && (text->text[at] == '-' || text->text[at] == '+'))\n"
    "        is_negative = text->text[at++] == '-';\n"
    "    first = at;\n"
    "    for (int behind = 0; at < text->size; at++) {\n"
    "        if (text->text[at] == '.' && !behind) {\n"
    "            behind = 1;\n"
    "            continue;\n"
    "        }\n"
    "        if (!@_DIGIT(at))\n"
    "            break;\n"
    "        digits++;\n"
    "        exponent -= behind;\n"
    "    }\n"
    "    end = at;\n"
    "    if (digits == 0 || text->size > 399)\n"
    "        return 0;\n"
    "    if (at < text->size && (text->text[at] == 'e' || text->text[at] == 'E')) {\n"
    "        at++;\n"
    "        if (at < text->size && (text->text[at] == '-' || text->text[at] == '+'))\n"
    "            is_small = text->text[at++] == '-';\n"
    "        if (!@_DIGIT(at))\n"
    "            return 0;\n"
    "        for (; @_DIGIT(at); at++)\n"
    "            written = written < 100000 ? written * 10 + (text->text[at] - '0') : written;\n"
    "        exponent += is_small ? -written : written;\n"
    "    }\n"
    "    if (at < text->size)\n"
    "        return 0;\n"
    "    *number = @_nearest(text->text + first, end - first, exponent);\n"
    "    *number = is_negative ? -*number : *number;\n"
    "    return 1;\n"
    "}\n"
    "static const char *const @_missing[] = {\"\", \"na\", \"n/a\", \"n.a.\", \"#n/a\", \"<na>\",\n"
    "    \"nan\", \"null\", \"none\", \"\\077\", \"-\", \"--\", \".\", \"\\\\n\", 0};\n";

static const char number_reader[] =
    "/* is_strict: empty texts alone are missing; is_truth: yes and no are numbers. */\n"
    "static inline double @_read_number(const struct @_cell *cell, int column, int is_strict,\n"
    "                                  int is_truth,\n"
    "                                  int (*parse)(const struct @_cell *, double *), int "
    "*refused)\n"
    "{\n"
    "    static const char *const truths[] = {\"t\", \"true\", \"yes\", \"y\", \"on\", 0};\n"
    "    static const char *const others[] = {\"f\", \"false\", \"no\", \"n\", \"off\", 0};\n"
    "    double number = cell->number;\n"
    "    if (cell->type == @_MISSING)\n"
    "        return @_nan();\n"
    "    if (cell->type == @_TEXT) {\n"
    "        const struct @_cell text = @_trim(cell);\n"
    "        if (text.size == 0 || (!is_strict && @_is_any(&text, @_missing)))\n"
    "            return @_nan();\n"
    "        if (!parse(&text, &number)) {\n"
    "            if (is_truth && @_is_any(&text, truths))\n"
    "                return 1;\n"
    "            if (is_truth && @_is_any(&text, others))\n"
    "                return 0;\n"
    "            return @_refuse(refused, column);\n"
    "        }\n"
    "    }\n"
    "    if (number - number != 0 && number == number)\n"
    "        return @_refuse(refused, column);\n"
    "    return number;\n"
    "}\n";

static const char word_reader[] =
    "/* The place of a word; words: ascending by bytes; -1: it is none of them. */\n"
    "static inline int @_find(const struct @_word *words, int count, const char *text,\n"
    "                         unsigned long size)\n"
    "{\n"
    "    int low = 0, high = count;\n"
    "    while (low < high) {\n"
    "        const int middle = low + (high - low) / 2;\n"
    "        const struct @_word *word = &words[middle];\n"
    "        unsigned long i = 0;\n"
    "        int order;\n"
    "        while (i < word->size && i < size && word->word[i] == text[i])\n"
    "            i++;\n"
    "        if (i < word->size && i < size)\n"
    "            order = (unsigned char)word->word[i] - (unsigned char)text[i];\n"
    "        else\n"
    "            order = i < word->size ? 1 : i < size ? -1 : 0;\n"
    "        if (order == 0)\n"
    "            return word->place;\n"
    "        if (order < 0)\n"
    "            low = middle + 1;\n"
    "        else\n"
    "            high = middle;\n"
    "    }\n"
    "    return -1;\n"
    "}\n"
    "static inline double @_read_word(const struct @_cell *cell, int column, const struct @_word "
    "*words,\n"
    "                          int count, int *refused)\n"
    "{\n"
    "    int place;\n"
    "    if (cell->type == @_MISSING || (cell->type != @_TEXT && cell->number != cell->number))\n"
    "        return @_nan();\n"
    "    if (cell->type != @_TEXT) {\n"
    "        if (cell->number - cell->number != 0)\n"
    "            return @_refuse(refused, column);\n"
    "        for (int i = 0; i < count; i++)\n"
    "            if (words[i].is_number && words[i].number == cell->number)\n"
    "                return words[i].place;\n"
    "        return -1;\n"
    "    }\n"
    "    place = @_find(words, count, cell->text, cell->size);\n"
    "    return place < 0 && @_trim(cell).size == 0 ? @_nan() : place;\n"
    "}\n";

static const char date_reader[] =
    "/* So many digits from `*at` on; -1: there are fewer. */\n"
    "static inline long @_digits(const struct @_cell *text, unsigned long *at, int count)\n"
    "{\n"
    "    long number = 0;\n"
    "    for (; count > 0; count--, ++*at) {\n"
    "        if (*at >= text->size || text->text[*at] < '0' || text->text[*at] > '9')\n"
    "            return -1;\n"
    "        number = number * 10 + (text->text[*at] - '0');\n"
    "    }\n"
    "    return number;\n"
    "}\n"
    "static inline int @_take(const struct @_cell *text, unsigned long *at, char c)\n"
    "{\n"
    "    const int is_there = *at < text->size && text->text[*at] == c;\n"
    "    *at += (unsigned long)is_there;\n"
    "    return is_there;\n"
    "}\n"
    "/* 2024-01-31, 2024-01-31 12:34:56.5+02: 0 where it is none. */\n"
    "static inline int @_parse_date(const struct @_cell *text, double *seconds)\n"
    "{\n"
    "    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};\n"
    "    unsigned long at = 0;\n"
    "    long year, month, day, years, hour = 0, minute = 0, second = 0, zone = 0, more = 0;\n"
    "    long micro = 0, unit = 100000;\n"
    "    int leap;\n"
    "    year = @_digits(text, &at, 4);\n"
    "    if (year < 1 || !@_take(text, &at, '-'))\n"
    "        return 0;\n"
    "    month = @_digits(text, &at, 2);\n"
    "    if (month < 1 || month > 12 || !@_take(text, &at, '-'))\n"
    "        return 0;\n"
    "    day = @_digits(text, &at, 2);\n"
    "    leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);\n"
    "    if (day < 1 || day > days[month - 1] + (month == 2 && leap))\n"
    "        return 0;\n"
    "    if (at < text->size) {\n"
    "        if (!@_take(text, &at, 'T') && !@_take(text, &at, 't') && !@_take(text, &at, ' '))\n"
    "            return 0;\n"
    "        hour = @_digits(text, &at, 2);\n"
    "        if (hour < 0 || hour > 23 || !@_take(text, &at, ':'))\n"
    "            return 0;\n"
    "        minute = @_digits(text, &at, 2);\n"
    "        if (minute < 0 || minute > 59)\n"
    "            return 0;\n"
    "        if (@_take(text, &at, ':')) {\n"
    "            second = @_digits(text, &at, 2);\n"
    "            if (second < 0 || second > 60)\n"
    "                return 0;\n"
    "            if (@_take(text, &at, '.')) {\n"
    "                const unsigned long first = at;\n"
    "                for (; at < text->size && text->text[at] >= '0' && text->text[at] <= '9'; "
    "at++) {\n"
    "                    micro += unit * (text->text[at] - '0');\n"
    "                    unit /= 10;\n"
    "                }\n"
    "                if (at == first)\n"
    "                    return 0;\n"
    "            }\n"
    "        }\n"
    "        @_take(text, &at, ' ');\n"
    "        if (at < text->size) {\n"
    "            const struct @_cell rest = {@_TEXT, 0, text->text + at, text->size - at};\n"
    "            const int is_west = text->text[at] == '-';\n"
    "            if (@_is(&rest, \"z\") || @_is(&rest, \"utc\"))\n"
    "                at = text->size;\n"
    "            else if (is_west || text->text[at] == '+') {\n"
    "                at++;\n"
    "                zone = @_digits(text, &at, 2);\n"
    "                if (zone >= 0 && (@_take(text, &at, ':') || at < text->size))\n"
    "                    more = @_digits(text, &at, 2);\n"
    "                if (zone < 0 || zone > 15 || more < 0 || more > 59)\n"
    "                    return 0;\n"
    "                zone = (zone * 60 + more) * (is_west ? -1 : 1);\n"
    "            }\n"
    "            if (at < text->size)\n"
    "                return 0;\n"
    "        }\n"
    "    }\n"
    "    years = month > 2 ? year : year - 1;\n"
    "    day += (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 - 1;\n"
    "    day += years * 365 + years / 4 - years / 100 + years / 400 - 719468;\n"
    "    *seconds = (double)day * 86400 + (double)(hour * 3600 + (minute - zone) * 60 + second);\n"
    "    *seconds += (double)micro / 1e6;\n"
    "    return 1;\n"
    "}\n"
    "static inline double @_read_date(const struct @_cell *cell, int column,\n"
    "                                int (*parse)(const struct @_cell *, double *), int *refused)\n"
    "{\n"
    "    struct @_cell text;\n"
    "    double seconds;\n"
    "    if (cell->type == @_MISSING || (cell->type == @_TIME && cell->number != cell->number))\n"
    "        return @_nan();\n"
    "    if (cell->type == @_TIME && cell->number > -1e13 && cell->number < 1e13)\n"
    "        return cell->number;\n"
    "    if (cell->type != @_TEXT)\n"
    "        return @_refuse(refused, column);\n"
    "    text = @_trim(cell);\n"
    "    if (parse(&text, &seconds))\n"
    "        return seconds;\n"
    "    return @_is_any(&text, @_missing) ? @_nan() : @_refuse(refused, column);\n"
    "}\n";

static void paste(const struct c_printer *printer, const char *text)
{
    for (; *text; text++)
        if (*text == '@')
            text_append_string(printer->out, printer->prefix);
        else
            text_append_char(printer->out, *text);
}

/* Each byte that is no letter, digit or space by its octal number. */
static void literal(const struct c_printer *printer, struct slice text)
{
    text_append_char(printer->out, '"');
    for (size_t i = 0; i < text.size; i++) {
        const unsigned char c = (unsigned char)text.data[i];

        if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
            c == ' ' || c == '_')
            text_append_char(printer->out, (char)c);
        else
            text_printf(printer->out, "\\%03o", c);
    }
    text_append_char(printer->out, '"');
}

static void number(const struct c_printer *printer, double value)
{
    struct text digits;

    text_init(&digits, 64);
    text_append_real(&digits, value);
    text_append_string(printer->out, value < 0 ? "(" : "");
    text_append(printer->out, text_slice(&digits));
    if (!strpbrk(text_string(&digits), ".e"))
        text_append_string(printer->out, ".0");
    text_append_string(printer->out, value < 0 ? ")" : "");
    text_deinit(&digits);
}

/* ----- tables ----- */

struct sorted_word {
    struct slice word;
    uint32_t place;
};

static int compare_words(const void *a, const void *b)
{
    return slice_compare(((const struct sorted_word *)a)->word,
                         ((const struct sorted_word *)b)->word);
}

static void word_entry(const struct c_printer *printer, const struct sorted_word *word)
{
    double number_read = 0;
    const bool is_number = formula_word_number(word->word, &number_read);

    text_append_string(printer->out, "    {");
    literal(printer, word->word);
    text_printf(printer->out, ", %zu, ", word->word.size);
    number(printer, is_number ? number_read : 0);
    text_printf(printer->out, ", %d, %u},\n", is_number, word->place);
}

static void word_table(struct c_printer *printer, const struct formula *formula)
{
    struct sorted_word *words = calloc((size_t)formula->count + 1, sizeof *words);

    if (!words) {
        printer->out->failed = true;
        return;
    }
    for (uint32_t i = 0; i < formula->count; i++)
        words[i] = (struct sorted_word){formula->words[i], i};
    qsort(words, formula->count, sizeof *words, compare_words);
    text_printf(printer->out, "static const struct %s_word %s_table_%u[] = {\n", printer->prefix,
                printer->prefix, printer->tables);
    for (uint32_t i = 0; i < formula->count; i++)
        word_entry(printer, &words[i]);
    if (formula->count == 0) /* an array has an element */
        text_append_string(printer->out, "    {\"\", 0, 0, 0, -1},\n");
    text_append_string(printer->out, "};\n");
    free(words);
}

static void number_table(struct c_printer *printer, const struct formula *formula)
{
    text_printf(printer->out, "static const double %s_table_%u[] = {", printer->prefix,
                printer->tables);
    for (uint32_t i = 0; i < formula->count; i++) {
        text_append_string(printer->out, i == 0 ? "" : i % 8 ? ", " : ",\n    ");
        number(printer, formula->numbers[i]);
    }
    text_append_string(printer->out, formula->count ? "};\n" : "0};\n");
}

static bool has_words(const struct formula *formula)
{
    return formula->op == FORMULA_READ_WORD ||
           (formula->op == FORMULA_READ_TERMS && formula_text_of(formula).buckets == 0);
}

/* In the order in which the formulas name them. */
static void tables(struct c_printer *printer, const struct formula *formula)
{
    for (; formula; formula = formula->c) {
        if (has_words(formula)) {
            word_table(printer, formula);
            printer->tables++;
        }
        if (formula->numbers) {
            number_table(printer, formula);
            printer->tables++;
        }
        if (formula->a)
            tables(printer, formula->a);
        if (formula->b)
            tables(printer, formula->b);
        for (uint32_t i = 0; formula->terms && i < formula->count; i++)
            tables(printer, formula->terms[i]);
    }
}

/* ----- formulas ----- */

static void print_formula(struct c_printer *printer, const struct formula *formula);

static void infix(struct c_printer *printer, const struct formula *formula, const char *operator)
{
    text_append_char(printer->out, '(');
    print_formula(printer, formula->a);
    text_append_string(printer->out, operator);
    print_formula(printer, formula->b);
    text_append_char(printer->out, ')');
}

static void call(struct c_printer *printer, const struct formula *formula, const char *function)
{
    text_printf(printer->out, "%s_%s(", printer->prefix, function);
    print_formula(printer, formula->a);
    if (formula->b) {
        text_append_string(printer->out, ", ");
        print_formula(printer, formula->b);
    }
    text_append_char(printer->out, ')');
}

static void table_call(struct c_printer *printer, const struct formula *formula,
                       const char *function)
{
    text_printf(printer->out, "%s_%s(%s_table_%u, %u, ", printer->prefix, function, printer->prefix,
                printer->tables++, formula->count);
    print_formula(printer, formula->a);
    text_append_char(printer->out, ')');
}

static void choices(struct c_printer *printer, const struct formula *formula)
{
    text_append_char(printer->out, '(');
    for (; formula->op == FORMULA_IF; formula = formula->c) {
        print_formula(printer, formula->a);
        text_append_string(printer->out, " ? ");
        print_formula(printer, formula->b);
        text_append_string(printer->out, " : ");
    }
    print_formula(printer, formula);
    text_append_char(printer->out, ')');
}

/* Each column's key, then the bucket of all. */
static void read_cross(struct c_printer *printer, const struct formula *formula)
{
    text_printf(printer->out, "%s_cross((const unsigned long long[]){", printer->prefix);
    for (uint32_t i = 0; i < formula->count; i++) {
        const unsigned column = formula->cross->columns[i].cell;

        text_append_string(printer->out, i ? ", " : "");
        if (formula->terms[i]) {
            text_printf(printer->out, "%s_number_key(", printer->prefix);
            print_formula(printer, formula->terms[i]);
            text_append_char(printer->out, ')');
        } else
            text_printf(printer->out, "%s_key(&cells[%u], %u, &refused)", printer->prefix, column,
                        column + 1);
    }
    text_printf(printer->out, "}, %u, %u)", formula->count, formula->cross->buckets);
}

/* How the text is read, behind which its variable stands. */
static void read_terms(struct c_printer *printer, const struct formula *formula)
{
    static const int divisors[] = {[COMBINER_SUM] = 0, [COMBINER_MEAN] = 1, [COMBINER_SQRTN] = 2};
    const struct formula_text how = formula_text_of(formula);
    const unsigned column = formula->index;

    text_printf(printer->out,
                "%s_read_terms(&cells[%u], %u, &(const struct %s_text){%u, %d, %u, %d, %d, %d, ",
                printer->prefix, column, column + 1, printer->prefix, how.most, how.has_pairs,
                how.buckets, how.ends_full, how.is_counted, divisors[how.combiner]);
    if (has_words(formula))
        text_printf(printer->out, "%s_table_%u, %u, ", printer->prefix, printer->tables++,
                    formula->count);
    else
        text_append_string(printer->out, "0, 0, ");
    if (formula->numbers)
        text_printf(printer->out, "%s_table_%u}", printer->prefix, printer->tables++);
    else
        text_append_string(printer->out, "0}");
}

static void terms_sum(struct c_printer *printer, const struct formula *formula)
{
    text_printf(printer->out, "%s_terms_sum(%s_table_%u, %u, &v%u)", printer->prefix,
                printer->prefix, printer->tables++, formula->count, formula->a->index);
}

static const char *number_parser(enum input_reading reading)
{
    return reading == READING_COMMA       ? "parse_comma"
           : reading == READING_POINT     ? "parse_point"
           : reading == READING_SEPARATED ? "parse_separated"
                                          : "parse";
}

static const char *date_parser(enum input_reading reading)
{
    return reading == READING_DATE          ? "parse_date_either"
           : reading == READING_DAY_FIRST   ? "parse_date_day"
           : reading == READING_MONTH_FIRST ? "parse_date_month"
                                            : "parse_date";
}

static void read_cell(struct c_printer *printer, const struct formula *formula)
{
    const unsigned column = formula->index;

    if (formula->op == FORMULA_READ_HASH)
        text_printf(printer->out, "%s_read_hash(&cells[%u], %u, %u, &refused)", printer->prefix,
                    column, column + 1, formula->count);
    else if (formula->op == FORMULA_REFUSE)
        text_printf(printer->out, "%s_refuse(&refused, %u)", printer->prefix, column + 1);
    else if (formula->op == FORMULA_READ_DATE)
        text_printf(printer->out, "%s_read_date(&cells[%u], %u, %s_%s, &refused)", printer->prefix,
                    column, column + 1, printer->prefix, date_parser(formula->reading));
    else if (formula->op == FORMULA_READ_WORD)
        text_printf(printer->out, "%s_read_word(&cells[%u], %u, %s_table_%u, %u, &refused)",
                    printer->prefix, column, column + 1, printer->prefix, printer->tables++,
                    formula->count);
    else
        text_printf(printer->out, "%s_read_number(&cells[%u], %u, %d, %d, %s_%s, &refused)",
                    printer->prefix, column, column + 1, formula->reading == READING_STRICT,
                    formula->reading == READING_BOOLEAN, printer->prefix,
                    number_parser(formula->reading));
}

static void print_formula(struct c_printer *printer, const struct formula *formula)
{
    switch (formula->op) {
    case FORMULA_NUMBER:
        number(printer, formula->number);
        break;
    case FORMULA_MISSING:
        text_printf(printer->out, "%s_nan()", printer->prefix);
        break;
    case FORMULA_VARIABLE:
        text_printf(printer->out, "v%u", formula->index);
        break;
    case FORMULA_SUM:
        text_append_char(printer->out, '(');
        for (uint32_t i = 0; i < formula->count; i++) {
            text_append_string(printer->out, i ? " + " : "");
            print_formula(printer, formula->terms[i]);
        }
        text_append_char(printer->out, ')');
        break;
    case FORMULA_SUBTRACT:
        infix(printer, formula, " - ");
        break;
    case FORMULA_MULTIPLY:
        infix(printer, formula, " * ");
        break;
    case FORMULA_DIVIDE:
        infix(printer, formula, " / ");
        break;
    case FORMULA_LEAST:
        call(printer, formula, "least");
        break;
    case FORMULA_GREATEST:
        call(printer, formula, "greatest");
        break;
    case FORMULA_EXP:
        call(printer, formula, "exp");
        break;
    case FORMULA_LOG:
        call(printer, formula, "log");
        break;
    case FORMULA_ROOT:
        call(printer, formula, "root");
        break;
    case FORMULA_FLOOR:
        call(printer, formula, "floor");
        break;
    case FORMULA_IF:
        choices(printer, formula);
        break;
    case FORMULA_LESS:
        infix(printer, formula, " < ");
        break;
    case FORMULA_AT_MOST:
        infix(printer, formula, " <= ");
        break;
    case FORMULA_EQUAL:
        infix(printer, formula, " == ");
        break;
    case FORMULA_AND:
        infix(printer, formula, " && ");
        break;
    case FORMULA_IS_MISSING:
        text_append_char(printer->out, '(');
        print_formula(printer, formula->a);
        text_append_string(printer->out, " != ");
        print_formula(printer, formula->a);
        text_append_char(printer->out, ')');
        break;
    case FORMULA_IS_IN:
        table_call(printer, formula, "is_in");
        break;
    case FORMULA_LOOKUP:
        table_call(printer, formula, "at");
        break;
    case FORMULA_READ_CROSS:
        read_cross(printer, formula);
        break;
    case FORMULA_READ_TERMS:
        read_terms(printer, formula);
        break;
    case FORMULA_TERMS_SUM:
        terms_sum(printer, formula);
        break;
    case FORMULA_TERMS_OF:
        text_printf(printer->out, "%s_terms_of(&v%u, %.0f)", printer->prefix, formula->a->index,
                    formula->number);
        break;
    default:
        read_cell(printer, formula);
    }
}

static void names(const struct c_printer *printer, const char *what)
{
    text_printf(printer->out, "const char *const %s_%s[] = {", printer->prefix, what);
}

static void declarations(const struct c_printer *printer)
{
    const struct formula_program *program = printer->program;
    const struct transform *transform = &program->model->transform;
    char buffer[TRANSFORM_WORD_BUFFER];

    text_printf(printer->out,
                "/*\n * What a model predicts. %s_predict takes %u cells, in the order of "
                "%s_columns,\n * and fills outputs[%u], which %s_outputs names. It returns 0, or "
                "the number, from 1\n * on, of a column that holds what it cannot read: no output "
                "is of use then.\n * A prediction of a classifier is the place of a class in "
                "%s_labels.\n */\n",
                printer->prefix, transform->column_count, printer->prefix, program->output_count,
                printer->prefix, printer->prefix);
    paste(printer, head);
    names(printer, "columns");
    for (uint32_t i = 0; i < transform->column_count; i++) {
        text_append_string(printer->out, i ? ", " : "");
        literal(printer, transform->columns[i]);
    }
    text_append_string(printer->out, ", 0};\n");
    names(printer, "outputs");
    for (uint32_t i = 0; i < program->output_count; i++) {
        text_append_string(printer->out, i ? ", " : "");
        literal(printer, slice_of(program->outputs[i].name));
    }
    text_append_string(printer->out, ", 0};\n");
    if (program->model->task == TASK_CLASSIFICATION) {
        names(printer, "labels");
        for (uint32_t i = 0; i < program->model->labels.count; i++) {
            text_append_string(printer->out, i ? ",\n    " : "");
            literal(printer, label_name(&program->model->labels, i, buffer));
        }
        text_append_string(printer->out, ", 0};\n");
    }
    text_printf(printer->out, "int %s_predict(const struct %s_cell *cells, double *outputs);\n\n",
                printer->prefix, printer->prefix);
}

static void function(struct c_printer *printer)
{
    const struct formula_program *program = printer->program;

    text_printf(printer->out,
                "\nint %s_predict(const struct %s_cell *cells, double *outputs)\n{\n"
                "    int refused = 0;\n    (void)cells;\n",
                printer->prefix, printer->prefix);
    for (uint32_t i = 0; i < program->variable_count; i++) {
        const bool is_terms = program->variables[i]->op == FORMULA_READ_TERMS;

        if (!printer->needed[i])
            continue;
        text_printf(printer->out,
                    is_terms ? "    struct %2$s_terms v%1$u;\n    " : "    const double v%1$u = ",
                    i, printer->prefix);
        print_formula(printer, program->variables[i]);
        if (is_terms)
            text_printf(printer->out, ", &v%u, &refused)", i);
        text_append_string(printer->out, ";\n");
    }
    for (uint32_t i = 0; i < program->output_count; i++) {
        text_printf(printer->out, "    outputs[%u] = ", i);
        print_formula(printer, program->outputs[i].formula);
        text_append_string(printer->out, ";\n");
    }
    text_append_string(printer->out, "    return refused;\n}\n");
}

/* Is there a hash, or a text, in a formula? *most: the most terms of any text. */
static bool reads_words(const struct formula *formula, uint32_t *most)
{
    bool is_found = false;

    for (; formula; formula = formula->c) {
        if (formula->op == FORMULA_READ_TERMS) {
            const uint32_t terms = formula_text_of(formula).most;

            *most = terms > *most ? terms : *most;
        }
        is_found |= formula->op == FORMULA_READ_TERMS || formula->op == FORMULA_READ_HASH ||
                    formula->op == FORMULA_READ_CROSS;
        is_found |= formula->a && reads_words(formula->a, most);
        is_found |= formula->b && reads_words(formula->b, most);
        for (uint32_t i = 0; formula->terms && i < formula->count; i++)
            is_found |= reads_words(formula->terms[i], most);
    }
    return is_found;
}

/* They are variables, or parts of those. */
static void paste_words(const struct c_printer *printer)
{
    uint32_t most = 0;
    bool is_found = false;

    for (uint32_t i = 0; i < printer->program->variable_count; i++)
        is_found |= printer->needed[i] && reads_words(printer->program->variables[i], &most);
    if (is_found)
        paste(printer, formula_c_hash);
    if (most == 0)
        return;
    formula_c_characters(printer->prefix, most, printer->out);
    paste(printer, formula_c_terms);
}

static void paste_written(const struct c_printer *printer)
{
    const struct formula_written found = formula_written_of(printer->program, printer->needed);

    if (!found.has_numbers && !found.has_dates)
        return;
    formula_c_written_tables(printer->prefix, found, printer->out);
    paste(printer, formula_c_plain);
    if (found.has_numbers)
        paste(printer, formula_c_written_number);
    if (found.has_dates)
        paste(printer, formula_c_written_date);
}

enum status formula_print_c(const struct formula_program *program, struct slice name,
                            struct text *out, struct error *err)
{
    bool *needed = formula_needed(program, 0, program->output_count);
    struct c_printer printer = {.program = program, .out = out, .needed = needed};
    struct text prefix;

    if (!needed)
        return fail_no_memory(err);
    text_init(&prefix, PREFIX_MOST + 2);
    formula_prefix(name, PREFIX_MOST, &prefix);
    printer.prefix = text_string(&prefix);
    declarations(&printer);
    paste(&printer, tools);
    paste(&printer, number_reader);
    paste(&printer, word_reader);
    paste(&printer, date_reader);
    paste_written(&printer);
    paste_words(&printer);
    for (uint32_t i = 0; i < program->variable_count; i++)
        if (needed[i])
            tables(&printer, program->variables[i]);
    for (uint32_t i = 0; i < program->output_count; i++)
        tables(&printer, program->outputs[i].formula);
    printer.tables = 0;
    function(&printer);
    text_deinit(&prefix);
    free(needed);
    return STATUS_OK;
}
