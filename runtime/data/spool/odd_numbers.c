#include "runtime/data/spool/odd_numbers.h"

#include <math.h>

#include "inputs/cells/dates.h"
#include "runtime/data/spool/column_sample.h"

#define EPOCH_LEAST    946684800.0  /* 2000-01-01, in seconds since 1970 */
#define EPOCH_MOST     2208988800.0 /* 2040-01-01 */
#define ENDS           (ODD_CODES_MAX + 1)
#define WHOLE_MOST     0x1p53
#define SPIKE_LEAST    99 /* the least number that is a code among others */
#define SPIKE_CELLS_OF 20 /* one of so many cells has it, and so many times the next number's */
#define SPIKE_OF_NEXT  5
#define GAP_OF         16 /* a gap is wider than one of so many parts of the other numbers' range */
#define YEAR_LEAST     1900
#define YEAR_MOST      2100

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

/* 99.9, 9.99: nines that begin behind no other digit. */
static bool has_nines(double number)
{
    const double tenths = floor(number * 10 + .5), hundredths = floor(number * 100 + .5);
    const double digits = fabs(tenths / 10 - number) < 1e-9 * number ? tenths : hundredths;

    return fabs(number * 100 - hundredths) < 1e-7 * number && fmod(digits, 10) == 9 &&
           has_one_digit(digits);
}

bool odd_number_is_like_a_code(double number)
{
    static const double limits[] = {255, 32767, 32768, 65535, 2147483647, 2147483648, 4294967295};
    const double size = fabs(number);

    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (size == limits[i])
            return true;
    /* Many large amounts are round. */
    return has_one_digit(size) || has_nines(size) || (number <= -100 && fmod(size, 100) == 0) ||
           size >= WHOLE_MOST;
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

/* Has the first number many cells, and each near it few, with a gap between them? So 99999 is a
 * code among prices up to 80,000, and the price that a list ends at is none. */
static bool is_spike(const struct side *side, double last)
{
    return fabs(side->ends[0]) >= SPIKE_LEAST &&
           (size_t)side->cells[0] * SPIKE_CELLS_OF >= side->count &&
           side->cells[0] >= SPIKE_OF_NEXT * side->cells[1] &&
           side->ends[1] - side->ends[0] > (last - side->ends[1]) / GAP_OF;
}

/* Are the first `codes` numbers of the side codes, where the greatest is `last`? */
static bool are_codes(const struct side *side, uint32_t codes, double last)
{
    const double next = side->ends[codes];
    uint32_t cells = 0;
    bool looks = false;

    for (uint32_t i = 0; i < codes; i++) {
        if (floor(side->ends[i]) != side->ends[i] && !has_nines(fabs(side->ends[i])))
            return false;
        cells += side->cells[i];
        looks |= odd_number_is_like_a_code(side->sign * side->ends[i]);
    }
    if (cells < ODD_CODE_CELLS || (size_t)cells * ODD_CODE_CELLS_OF < side->count)
        return false;
    if (looks && last > next && next - side->ends[codes - 1] > last - next)
        return true;
    if (looks && codes == 1 && is_spike(side, last))
        return true;
    if (side->sign < 0 || codes > 1 || !has_different(side, next))
        return false;
    if (side->ends[0] == 0) /* beside pressures from 950 to 1050; of logarithms some are 0 */
        return next > last - next && (size_t)cells * 4 < side->count;
    /* The only one below 0, and behind a gap or there more often than the end of a tail is. */
    looks |= side->cells[0] > 2 * side->cells[1] || next - side->ends[0] > (last - next) / GAP_OF;
    return looks && side->ends[0] < 0 && next >= 0;
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

static bool is_likely_day(uint64_t year, uint64_t month, uint64_t day)
{
    return year >= YEAR_LEAST && year <= YEAR_MOST &&
           date_is_day((int64_t)year, (int64_t)month, (int64_t)day);
}

static bool is_moment(uint64_t time)
{
    return time / 10000 < 24 && time / 100 % 100 < 60 && time % 100 < 60;
}

/* Is the number a date that is written so? */
static bool is_written(double number, enum numbered_date form)
{
    const uint64_t digits = number >= 0 && number < 1e15 ? (uint64_t)number : 0;
    const uint64_t year = digits % 10000, second = digits / 10000 % 100, first = digits / 1000000;

    if ((double)digits != number)
        return false;
    switch (form) {
    case WRITTEN_MONTH:
        return digits < 1000000 && is_likely_day(digits / 100, digits % 100, 1);
    case WRITTEN_SHORT:
        return digits >= 100000 && digits < 500000 &&
               is_likely_day(2000 + digits / 10000, digits / 100 % 100, digits % 100);
    case WRITTEN_DAY:
        return is_likely_day(digits / 10000, digits / 100 % 100, digits % 100);
    case WRITTEN_DAY_FIRST:
        return is_likely_day(year, second, first);
    case WRITTEN_MONTH_FIRST:
        return is_likely_day(year, first, second);
    case WRITTEN_MINUTE:
        return is_moment(digits % 10000 * 100) && is_written((double)(digits / 10000), WRITTEN_DAY);
    case WRITTEN_EPOCH:
        return number >= EPOCH_LEAST && number <= EPOCH_MOST;
    case WRITTEN_EPOCH_MS:
        return number >= 1e3 * EPOCH_LEAST && number <= 1e3 * EPOCH_MOST;
    default:
        return is_moment(digits % 1000000) && is_written((double)(digits / 1000000), WRITTEN_DAY);
    }
}

static bool are_written(const double *numbers, size_t count, enum numbered_date form)
{
    for (size_t i = 0; i < count; i++)
        if (!is_written(numbers[i], form))
            return false;
    return true;
}

/* Where all numbers are dates of one form. */
static enum numbered_date form_of_dates(const double *numbers, size_t count)
{
    const struct side all = {.numbers = numbers, .count = count, .sign = 1};
    enum numbered_date form = WRITTEN_MONTH;

    while (form < WRITTEN_DATES && !are_written(numbers, count, form))
        form++;
    if (form == WRITTEN_DATES || !has_different(&all, 0))
        return WRITTEN_NONE;
    /* Nothing tells whether the day or the month is first. */
    if (form == WRITTEN_DAY_FIRST && are_written(numbers, count, WRITTEN_MONTH_FIRST))
        return WRITTEN_NONE;
    return form;
}

struct odd_numbers odd_numbers_of(const double *numbers, size_t count)
{
    struct odd_numbers odd = {.cells = (uint32_t)count};

    if (count < ODD_CELLS_MIN)
        return odd;
    odd.form = form_of_dates(numbers, count);
    if (odd.form != WRITTEN_NONE)
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

/* A text that is read as a date or a moment, of a number's digits, as SQL of each database. */
static void append_date(struct slice name, enum numbered_date form, struct text *out)
{
    /* From which digit on how many are taken, 0: no more, and what is before and behind. */
    static const struct {
        const char *number, *before, *behind;
        uint32_t parts[6];
    } forms[] = {
        [WRITTEN_MONTH] = {"", "", " || '-01'", {14, 52}},
        [WRITTEN_SHORT] = {"", "'20' || ", "", {12, 32, 52}},
        [WRITTEN_DAY] = {"", "", "", {14, 52, 72}},
        [WRITTEN_DAY_FIRST] = {" + 100000000", "", "", {64, 42, 22}},
        [WRITTEN_MONTH_FIRST] = {" + 100000000", "", "", {64, 22, 42}},
        [WRITTEN_MINUTE] = {"", "", "", {14, 52, 72, 92, 112}},
        [WRITTEN_SECOND] = {"", "", "", {14, 52, 72, 92, 112, 132}},
    };
    static const char *const joints[] = {"", "-", "-", " ", ":", ":"};

    text_append_string(out, forms[form].before);
    for (uint32_t i = 0; i < 6 && forms[form].parts[i] > 0; i++) {
        if (i > 0)
            text_printf(out, " || '%s' || ", joints[i]);
        text_printf(out, "substr(CAST(%s%s AS TEXT), %u, %u)", SQL_NAME(name), forms[form].number,
                    forms[form].parts[i] / 10, forms[form].parts[i] % 10);
    }
    text_append_string(out, forms[form].behind);
}

static void note_dates(struct slice name, const struct odd_numbers *odd, bool is_label,
                       struct notice_list *notices)
{
    struct text date;

    text_init(&date, NOTICE_BYTES_MAX);
    append_date(name, odd->form, &date);
    notice_add(
        notices, NOTICE_READING,
        "%s \"%.*s\" holds dates that are written as whole numbers, such as %.0f, and is taken "
        "as these numbers, which leap where a %s ends",
        is_label ? "label column" : "column", SLICE_FORMAT(name), odd->code,
        odd->form == WRITTEN_MONTH ? "year" : "month");
    if (is_label)
        notice_hint(notices, "Predict days since a date instead: julianday(...) in SQLite, "
                             "to_date(...) - date '2000-01-01' in PostgreSQL.");
    else
        notice_hint(notices, "%s AS %s in the SELECT makes dates of them.", text_string(&date),
                    SQL_NAME(name));
    text_deinit(&date);
}

/* Does a part of the name say that it is a time? */
static bool is_called_time(struct slice name)
{
    static const char *const parts[] = {"ts",   "time", "timestamp", "date", "at",
                                        "when", "unix", "epoch",     "utc",  "datetime"};
    size_t first = 0;

    for (size_t end = 0; end <= name.size; end++) {
        if (end < name.size && name.data[end] != '_' && name.data[end] != ' ')
            continue;
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
            if (slice_is_fold((struct slice){name.data + first, end - first}, parts[i]))
                return true;
        first = end + 1;
    }
    return false;
}

static void note_epochs(struct slice name, const struct odd_numbers *odd,
                        struct notice_list *notices)
{
    const bool is_ms = odd->form == WRITTEN_EPOCH_MS;

    notice_add(
        notices, NOTICE_READING,
        "column \"%.*s\" looks like %s since 1970, such as %.0f, and is taken as these numbers, "
        "which show neither the hour nor the weekday",
        SLICE_FORMAT(name), is_ms ? "milliseconds" : "seconds", odd->code);
    notice_hint(notices,
                "datetime(%s%s, 'unixepoch') AS %s in SQLite, to_timestamp(%s%s) AS %s in "
                "PostgreSQL make dates of them.",
                SQL_NAME(name), is_ms ? " / 1000" : "", SQL_NAME(name), SQL_NAME(name),
                is_ms ? " / 1000" : "", SQL_NAME(name));
}

static void note(struct slice name, const struct odd_numbers *odd, bool is_label,
                 struct notice_list *notices)
{
    if (odd->form == WRITTEN_EPOCH || odd->form == WRITTEN_EPOCH_MS) {
        if (!is_label && is_called_time(name))
            note_epochs(name, odd, notices);
    } else if (odd->form != WRITTEN_NONE) {
        note_dates(name, odd, is_label, notices);
    } else if (odd->codes > 0) {
        note_codes(name, odd, is_label, notices);
    }
}

void odd_numbers_note(const struct sampled_column *columns, const struct jobspec *spec,
                      const struct transform *transform, struct notice_list *notices)
{
    for (uint32_t i = 0; i < spec->input_count; i++)
        if (!spec->inputs[i].keeps_codes && !transform->inputs[i].has_code)
            note(spec->inputs[i].name, &columns[i].odd, false, notices);
    if (spec->task == TASK_REGRESSION)
        note(spec->label, &columns[spec->input_count].odd, true, notices);
}
