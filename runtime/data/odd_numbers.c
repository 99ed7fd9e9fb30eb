#include "runtime/data/odd_numbers.h"

#include <math.h>

#include "jobspec/jobspec_sections.h"
#include "runtime/data/column_sample.h"

#define ENDS       (ODD_CODES_MAX + 1)
#define WHOLE_MOST 0x1p53
#define GAP_OF     16 /* of the other numbers' range: so wide a gap is one */
#define YEAR_LEAST 1900
#define YEAR_MOST  2100

/* ---- codes ---- */

/* A column's numbers from one end on; sign -1: from the greatest, with their signs changed. */
struct side {
    const double *numbers;
    size_t count;
    double sign;
    double ends[ENDS]; /* the first different ones, ascending */
    uint32_t cells[ENDS];
    uint32_t end_count;
};

static struct side side_of(const double *numbers, size_t count, double sign)
{
    struct side side = {.numbers = numbers, .count = count, .sign = sign};

    while (side.end_count < ENDS) {
        double least = INFINITY;
        uint32_t cells = 0;

        for (size_t i = 0; i < count; i++) {
            const double number = sign * numbers[i];

            if (side.end_count > 0 && !(number > side.ends[side.end_count - 1]))
                continue;
            cells = number < least ? 1 : cells + (number == least);
            least = number < least ? number : least;
        }
        if (cells == 0)
            break;
        side.ends[side.end_count] = least;
        side.cells[side.end_count++] = cells;
    }
    return side;
}

/* 77, 888, 9999 and so on. */
static bool has_one_digit(double number)
{
    const uint64_t digits = number < WHOLE_MOST ? (uint64_t)number : 0;
    uint64_t left = digits;

    while (left > 0 && left % 10 == digits % 10)
        left /= 10;
    return left == 0 && digits > 10 && digits % 10 >= 7;
}

static bool looks_like_a_code(double number)
{
    static const double limits[] = {255, 32767, 32768, 65535, 2147483647, 2147483648, 4294967295};
    const double size = fabs(number);

    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (size == limits[i])
            return true;
    /* Of large amounts many are round. */
    return has_one_digit(size) || (number <= -100 && fmod(size, 100) == 0) || size >= WHOLE_MOST;
}

static bool has_different(const struct side *side, double least)
{
    double known[ODD_DIFFERENT_MIN];
    uint32_t found = 0;

    for (size_t i = 0; i < side->count && found < ODD_DIFFERENT_MIN; i++) {
        const double number = side->sign * side->numbers[i];
        uint32_t at = 0;

        while (at < found && known[at] != number)
            at++;
        if (at == found && number >= least)
            known[found++] = number;
    }
    return found == ODD_DIFFERENT_MIN;
}

/* Are the first `codes` numbers of the side codes, where the greatest is `last`? */
static bool are_codes(const struct side *side, uint32_t codes, double last)
{
    const double next = side->ends[codes];
    uint32_t cells = 0;
    bool looks = false;

    for (uint32_t i = 0; i < codes; i++) {
        if (floor(side->ends[i]) != side->ends[i])
            return false;
        cells += side->cells[i];
        looks |= looks_like_a_code(side->sign * side->ends[i]);
    }
    if (cells < ODD_CODE_CELLS || (size_t)cells * ODD_CODE_CELLS_OF < side->count)
        return false;
    if (looks && last > next && next - side->ends[codes - 1] > last - next)
        return true;
    /* The only one below 0, and behind a gap or there more often than the end of a tail is. */
    looks |= side->cells[0] > 2 * side->cells[1] || next - side->ends[0] > (last - next) / GAP_OF;
    return looks && side->sign > 0 && codes == 1 && side->ends[0] < 0 && next >= 0 &&
           has_different(side, next);
}

static bool find_codes(const double *numbers, size_t count, double sign, struct odd_numbers *odd)
{
    const struct side side = side_of(numbers, count, sign);
    const double last = -side_of(numbers, count, -sign).ends[0];
    uint32_t codes = 1, most = 0;

    while (codes < side.end_count && !are_codes(&side, codes, last))
        codes++;
    if (codes >= side.end_count)
        return false;
    odd->codes = codes;
    odd->nearest = sign * side.ends[codes - 1];
    odd->is_above = sign < 0;
    for (uint32_t i = 0; i < codes; i++) {
        odd->code_cells += side.cells[i];
        if (side.cells[i] > most) {
            most = side.cells[i];
            odd->code = sign * side.ends[i];
        }
    }
    return true;
}

/* ---- dates ---- */

static bool is_day(uint64_t year, uint64_t month, uint64_t day)
{
    static const uint8_t days[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool is_leap_year = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

    return year >= YEAR_LEAST && year <= YEAR_MOST && month >= 1 && month <= 12 && day >= 1 &&
           day <= days[month - 1] && (month != 2 || day < 29 || is_leap_year);
}

static bool is_moment(uint64_t time)
{
    return time / 10000 < 24 && time / 100 % 100 < 60 && time % 100 < 60;
}

/* 202401, 20240131, 20240131235959: how many digits it is a date of, or 0. */
static uint32_t digits_of_date(double number)
{
    uint64_t digits;

    if (!(number >= YEAR_LEAST * 1e2 && number < YEAR_MOST * 1e10 + 1e10) ||
        floor(number) != number)
        return 0;
    digits = (uint64_t)number;
    if (number < 1e6)
        return is_day(digits / 100, digits % 100, 1) ? 6 : 0;
    if (number < 1e8)
        return is_day(digits / 10000, digits / 100 % 100, digits % 100) ? 8 : 0;
    return is_moment(digits % 1000000) && digits_of_date(floor(number / 1e6)) == 8 ? 14 : 0;
}

/* Where all numbers are dates of as many digits. */
static uint32_t digits_of_dates(const double *numbers, size_t count)
{
    const uint32_t digits = count > 0 ? digits_of_date(numbers[0]) : 0;
    const struct side all = {.numbers = numbers, .count = count, .sign = 1};

    for (size_t i = 0; i < count && digits > 0; i++)
        if (digits_of_date(numbers[i]) != digits)
            return 0;
    return digits > 0 && has_different(&all, 0) ? digits : 0;
}

struct odd_numbers odd_numbers_of(const double *numbers, size_t count)
{
    struct odd_numbers odd = {.cells = (uint32_t)count};

    if (count < ODD_CELLS_MIN)
        return odd;
    odd.digits = digits_of_dates(numbers, count);
    if (odd.digits > 0)
        odd.code = side_of(numbers, count, 1).ends[0];
    else if (!find_codes(numbers, count, 1, &odd))
        find_codes(numbers, count, -1, &odd);
    return odd;
}

/* ---- notices ---- */

/* Keeps the numbers that are no codes: "a <> -999", "a < 98". */
static void append_condition(const struct odd_numbers *odd, struct slice name, struct text *out)
{
    const char *comparison = odd->codes == 1 ? "<>" : odd->is_above ? "<" : ">";

    text_printf(out, "%s %s ", SQL_NAME(name), comparison);
    text_append_real(out, odd->codes == 1 ? odd->code : odd->nearest);
}

/* Makes NULL of codes: "nullif(a, -999)", "CASE WHEN a < 98 THEN a END". */
static void append_cure(const struct odd_numbers *odd, struct slice name, struct text *out)
{
    text_append_string(out, odd->codes == 1 ? "nullif(" : "CASE WHEN ");
    if (odd->codes == 1) {
        text_printf(out, "%s, ", SQL_NAME(name));
        text_append_real(out, odd->code);
        text_append_char(out, ')');
    } else {
        append_condition(odd, name, out);
        text_printf(out, " THEN %s END", SQL_NAME(name));
    }
    text_printf(out, " AS %s", SQL_NAME(name));
}

static void note_codes(struct slice name, const struct odd_numbers *odd, bool is_label,
                       struct notice_list *notices)
{
    const bool is_one = odd->codes == 1;
    struct text codes, cure;

    text_init(&codes, NOTICE_BYTES_MAX);
    text_init(&cure, NOTICE_BYTES_MAX);
    text_append_real(&codes, odd->code);
    if (!is_one)
        text_printf(&codes, " and %u other number%s", odd->codes - 1, odd->codes == 2 ? "" : "s");
    notice_add(
        notices, NOTICE_OUTLIERS,
        "%s \"%.*s\": %s %s in %u of %u rows that were looked at, apart from all others, and "
        "read as %s",
        is_label ? "label column" : "column", SLICE_FORMAT(name), text_string(&codes),
        is_one ? "is" : "are", odd->code_cells, odd->cells, is_one ? "a number" : "numbers");
    if (is_label) {
        append_condition(odd, name, &cure);
        notice_hint(notices, "If such labels are missing ones, WHERE %s leaves the rows out.",
                    text_string(&cure));
    } else {
        append_cure(odd, name, &cure);
        notice_hint(notices,
                    "If such values are missing ones, %s in the SELECT makes NULL of them. COLUMN "
                    "*, NUMERIC(%s) says that they are numbers.",
                    text_string(&cure), SQL_NAME(name));
    }
    text_deinit(&codes);
    text_deinit(&cure);
}

/* A text that is read as a date or a moment, of the digits of a number, as SQL of each database. */
static void append_date(struct slice name, uint32_t digits, struct text *out)
{
    static const struct {
        uint32_t first, digits;
        const char *before;
    } parts[] = {{1, 4, ""},
                 {5, 2, " || '-' || "},
                 {7, 2, " || '-' || "},
                 {9, 2, " || ' ' || "},
                 {11, 2, " || ':' || "},
                 {13, 2, " || ':' || "}};

    for (size_t i = 0; i < sizeof parts / sizeof *parts && parts[i].first <= digits; i++)
        text_printf(out, "%ssubstr(CAST(%s AS TEXT), %u, %u)", parts[i].before, SQL_NAME(name),
                    parts[i].first, parts[i].digits);
    text_append_string(out, digits == 6 ? " || '-01'" : "");
}

static void note_dates(struct slice name, const struct odd_numbers *odd, bool is_label,
                       struct notice_list *notices)
{
    struct text date;

    text_init(&date, NOTICE_BYTES_MAX);
    append_date(name, odd->digits, &date);
    notice_add(notices, NOTICE_READING,
               "%s \"%.*s\" holds dates that are written as whole numbers, as %.0f, and is taken "
               "as these numbers, which leap where a %s ends",
               is_label ? "label column" : "column", SLICE_FORMAT(name), odd->code,
               odd->digits == 6 ? "year" : "month");
    if (is_label)
        notice_hint(notices, "Predict days since a date instead: julianday(...) in SQLite, "
                             "to_date(...) - date '2000-01-01' in PostgreSQL.");
    else
        notice_hint(notices, "%s AS %s in the SELECT makes dates of them.", text_string(&date),
                    SQL_NAME(name));
    text_deinit(&date);
}

static void note(struct slice name, const struct odd_numbers *odd, bool is_label,
                 struct notice_list *notices)
{
    if (odd->digits > 0)
        note_dates(name, odd, is_label, notices);
    else if (odd->codes > 0)
        note_codes(name, odd, is_label, notices);
}

void odd_numbers_note(const struct sampled_column *columns, const struct jobspec *spec,
                      const struct dataset *dataset)
{
    for (uint32_t i = 0; i < spec->input_count; i++)
        if (!spec->inputs[i].keeps_codes && !dataset->transform.inputs[i].has_code)
            note(spec->inputs[i].name, &columns[i].odd, false, dataset->notices);
    if (spec->task == TASK_REGRESSION)
        note(spec->label, &columns[spec->input_count].odd, true, dataset->notices);
}
