#include "planner/notices/shape_notices.h"

#include <string.h>

#include "planner/plan/dialect.h"

#define PARTS_SHOWN 3      /* numbers of a word of which the hint has the SQL */
#define DOLLAR      '\x01' /* $ itself, where the column's name does not stand */
#define BY_POINT    "\x02" /* the column without separators of thousands, by a decimal point */

const char *words_become(bool is_left_out)
{
    return is_left_out ? "it is left out" : "all are taken as words";
}

/* ---- SQL of a shape ---- */

/* Has the example a comma that is not between thousands, as "1,5 M"? */
static bool has_comma_of_fraction(struct slice example)
{
    size_t digits = 0;

    while (example.size > 0 && *example.data != ',') {
        example.data++;
        example.size--;
    }
    for (size_t i = 1; i < example.size && example.data[i] >= '0' && example.data[i] <= '9'; i++)
        digits++;
    return digits > 0 && digits != 3;
}

static bool has_decimal_comma(const struct query_column *column)
{
    const struct number_counts *numbers = &column->numbers;

    if (numbers->not_point + numbers->not_comma > 0)
        return numbers->not_point > numbers->not_comma;
    return column->shaped.shape != SHAPE_NONE && !column->shaped.has_commas &&
           has_comma_of_fraction(
               (struct slice){column->shaped.example, column->shaped.example_size});
}

/* Adds the hint, $ in whose SQL stands for the column, and BY_POINT for its text with a decimal
 * point. What would be cut off is no SQL: then the hint is in words. */
static void hint_sql(const struct plan *plan, const struct query_column *column, const char *sql,
                     const char *behind)
{
    const char *name = SQL_NAME(column->name);
    struct text out;

    text_init(&out, NOTICE_BYTES_MAX);
    for (const char *at = sql; *at; at++)
        if (*at == '$')
            text_append_string(&out, name);
        else if (*at == *BY_POINT && has_decimal_comma(column))
            text_printf(&out, "replace(replace(%s, '.', ''), ',', '.')", name);
        else if (*at == *BY_POINT)
            text_printf(&out, "replace(%s, ',', '')", name);
        else
            text_append_char(&out, *at == DOLLAR ? '$' : *at);
    text_append_string(&out, behind);
    notice_hint(plan->notices, "%s",
                out.failed ? "Make columns of their parts in the SELECT." : text_string(&out));
    text_deinit(&out);
}

/* SQL that makes one column of it, in SQLite and in PostgreSQL, and the end of the hint. */
struct cure {
    const char *sqlite, *postgres, *behind;
};

static void hint_cure(const struct plan *plan, const struct query_column *column,
                      const struct cure *cure)
{
    hint_sql(plan, column, plan->dialect == SQL_POSTGRES ? cure->postgres : cure->sqlite,
             cure->behind);
}

void hint_bounds(const struct plan *plan, const struct query_column *column)
{
    static const struct cure cure = {"CAST(ltrim(" BY_POINT ", '<>=~≤≥≈± ') AS REAL) AS $",
                                     "substring(" BY_POINT ", '-?[0-9.]+')::float8 AS $",
                                     " leaves the numbers."};

    hint_cure(plan, column, &cure);
}

void hint_first_number(const struct plan *plan, const struct query_column *column)
{
    static const struct cure cure = {
        "CASE WHEN ltrim($, '+-. ') GLOB '[0-9]*' THEN CAST(" BY_POINT " AS REAL) END AS $",
        "substring(" BY_POINT ", '^ *([-+]?[0-9]*[.]?[0-9]+)')::float8 AS $",
        " takes the number that each begins with, and NULL for others."};

    hint_cure(plan, column, &cure);
}

/* Hours and minutes by the clock, or with am and pm. */
static void hint_hours(const struct plan *plan, const struct query_column *column)
{
    const char last = column->shaped.example[column->shaped.example_size - 1];
    const bool is_plain = last >= '0' && last <= '9';
    static const struct cure plain = {
        "CAST($ AS INTEGER) + substr($, instr($, ':') + 1, 2) / 60.0 AS $",
        "EXTRACT(epoch FROM $::interval) / 3600 AS $", " makes hours of them."};
    static const struct cure halves = {
        "CAST($ AS INTEGER) % 12 + 12 * ($ LIKE '%p%') + substr($, instr($, ':') + 1, 2) / 60.0 AS "
        "$",
        "EXTRACT(epoch FROM $::time) / 3600 AS $", " makes hours of them."};

    hint_cure(plan, column, is_plain ? &plain : &halves);
}

/* ---- dates ---- */

#define MONTH_BY_NAME(name)                                                                        \
    "printf('%02d', (instr('janfebmaraprmayjunjulaugsepoctnovdec', lower(substr(" name             \
    ", 1, 3))) + 2) / 3)"
#define MAKES_DATES " makes dates of them."

/* Cures of forms that differ by a sign between. */
#define YEAR_AND_QUARTER                                                                           \
    {                                                                                              \
        "substr($, 1, 4) || '-' || printf('%02d', 3 * substr($, -1) - 2) || '-01' AS $",           \
            "to_date(left($, 4) || 3 * right($, 1)::integer - 2, 'YYYYMM') AS $", MAKES_DATES      \
    }
#define YEAR_AND_WEEK                                                                              \
    {                                                                                              \
        "date(substr($, 1, 4) || '-01-04', (7 * substr($, instr(lower($), 'w') + 1) - 7) || "      \
        "' days') AS $",                                                                           \
            "to_date(left($, 4) || '-01-04', 'YYYY-MM-DD') + 7 * (substring($, "                   \
            "'[Ww]([0-9]+)')::integer - 1) AS $",                                                  \
            MAKES_DATES                                                                            \
    }
#define YEAR_AND_MONTH                                                                             \
    {                                                                                              \
        "substr($, 1, 4) || '-' || " MONTH_BY_NAME("ltrim($, '0123456789- ')") " || '-01' AS $",   \
            "to_date(left($, 4) || substring($, '[A-Za-z]{3}'), 'YYYYMon') AS $", MAKES_DATES      \
    }

/* A form, the bytes of its words (0: any), and what makes dates of them. */
static const struct {
    const char *form;
    uint32_t size;
    struct cure cure;
} dates[] = {
    {"#-#", 7, {"$ || '-01' AS $", "$ || '-01' AS $", MAKES_DATES}},
    {"#-#",
     8,
     {"date(substr($, 1, 4) || '-01-01', (substr($, 6) - 1) || ' days') AS $",
      "to_date($, 'YYYY-DDD') AS $", MAKES_DATES}},
    {"#q#", 0, YEAR_AND_QUARTER},
    {"#-q#", 0, YEAR_AND_QUARTER},
    {"q# #",
     0,
     {"substr($, -4) || '-' || printf('%02d', 3 * substr($, 2, 1) - 2) || '-01' AS $",
      "to_date(right($, 4) || 3 * substr($, 2, 1)::integer - 2, 'YYYYMM') AS $", MAKES_DATES}},
    {"#-w#", 0, YEAR_AND_WEEK},
    {"#w#", 0, YEAR_AND_WEEK},
    {"w# #",
     0,
     {"date(substr($, -4) || '-01-04', (7 * CAST(substr($, 2) AS INTEGER) - 7) || ' days') AS $",
      "to_date(right($, 4) || '-01-04', 'YYYY-MM-DD') + 7 * (substring($, '[0-9]+')::integer - 1) "
      "AS $",
      MAKES_DATES}},
    {"M#",
     0,
     {"substr($, -4) || '-' || " MONTH_BY_NAME("$") " || '-01' AS $",
      "to_date(left($, 3) || right($, 4), 'MonYYYY') AS $", MAKES_DATES}},
    {"#M", 0, YEAR_AND_MONTH},
    {"#-M", 0, YEAR_AND_MONTH},
    {"M#",
     6,
     {"'20' || substr($, -2) || '-' || " MONTH_BY_NAME("$") " || '-01' AS $",
      "to_date(left($, 3) || right($, 2), 'MonYY') AS $",
      " makes dates of them, where the numbers are years."}},
};

static bool ends_with_year(const struct shaped_words *shaped)
{
    uint32_t digits = 0;

    while (digits < shaped->example_size &&
           shaped->example[shaped->example_size - 1 - digits] >= '0' &&
           shaped->example[shaped->example_size - 1 - digits] <= '9')
        digits++;
    return digits == 4;
}

static size_t leading_digits(struct slice word)
{
    size_t count = 0;

    while (count < word.size && word.data[count] >= '0' && word.data[count] <= '9')
        count++;
    return count;
}

/* "1920-21" is a season, no month. */
static bool fits(const struct shaped_words *shaped, const char *form, uint32_t size)
{
    const struct slice word = {shaped->example, shaped->example_size};

    if (!word_form_is(&shaped->form, form) || (size > 0 && size != word.size))
        return false;
    if (*form == '#' && form[strlen(form) - 1] == 'M')
        return word.size > 5 && leading_digits(word) == 4;
    if (*form == 'M')
        return ends_with_year(shaped) == (size == 0);
    return strcmp(form, "#-#") != 0 || size != 7 ||
           slice_compare((struct slice){word.data + 5, 2}, SLICE("12")) <= 0;
}

static void hint_dates(const struct plan *plan, const struct query_column *column)
{
    const struct shaped_words *shaped = &column->shaped;

    for (size_t i = 0; i < sizeof dates / sizeof *dates; i++)
        if (fits(shaped, dates[i].form, dates[i].size)) {
            hint_cure(plan, column, &dates[i].cure);
            return;
        }
    notice_hint(plan->notices,
                "Dates are read as 2024-01-31: the SELECT can make them of their parts%s. COLUMN "
                "VOCABULARY(%s) reads them as words without a notice.",
                dialect_of(plan->dialect)->by_parts, SQL_NAME(column->name));
}

/* ---- several numbers ---- */

/* The signs before the number in the form; 0: the first. */
static struct slice before_number(const struct word_form *form, uint32_t number)
{
    size_t begin = 0, end = 0;

    for (uint32_t i = 0; end < form->size && i <= number; end++)
        if (form->text[end] == '#') {
            if (i++ == number)
                break;
            begin = end + 1;
        }
    return (struct slice){form->text + begin, end - begin};
}

/* Has each of the numbers behind the first a separator of its own? */
static bool are_different(const struct word_form *form)
{
    for (uint32_t i = 1; i < form->numbers; i++)
        for (uint32_t j = 1; j < i; j++)
            if (slice_equal(before_number(form, i), before_number(form, j)))
                return false;
    return true;
}

static bool are_equal(const struct word_form *form)
{
    for (uint32_t i = 2; i < form->numbers; i++)
        if (!slice_equal(before_number(form, i), before_number(form, 1)))
            return false;
    return true;
}

/* The words as SQL, without commas between thousands and what is before the first number. */
static void append_words(const struct query_column *column, struct text *out)
{
    const struct shaped_words *shaped = &column->shaped;
    const bool is_led = before_number(&shaped->form, 0).size > 0;
    bool has_letters = false;

    for (uint32_t i = 0; i < shaped->form.size; i++)
        has_letters |= shaped->form.text[i] >= 'a' && shaped->form.text[i] <= 'z';
    text_printf(out, "%s%s%s$%s%s%s", is_led ? "ltrim(" : "", has_letters ? "lower(" : "",
                shaped->has_commas ? "replace(" : "", shaped->has_commas ? ", ',', '')" : "",
                has_letters ? ")" : "", is_led ? ", '([+ ')" : "");
}

static size_t characters_of(struct slice text)
{
    size_t count = 0;

    for (size_t i = 0; i < text.size; i++)
        count += ((unsigned char)text.data[i] & 0xc0) != 0x80;
    return count;
}

static void append_part_sqlite(const struct query_column *column, uint32_t number, struct text *out)
{
    const struct word_form *form = &column->shaped.form;
    const struct slice before = before_number(form, number == 0 ? 1 : number);

    text_append_string(out, "CAST(");
    if (number == 0) {
        append_words(column, out);
    } else if (are_different(form)) {
        text_append_string(out, "substr(");
        append_words(column, out);
        text_append_string(out, ", instr(");
        append_words(column, out);
        text_printf(out, ", %s) + %zu)", SQL_TEXT(before), characters_of(before));
    } else {
        text_append_string(out, "json_extract('[\"' || replace(");
        append_words(column, out);
        text_printf(out, ", %s, '\",\"') || '\"]', '%c[%u]')", SQL_TEXT(before), DOLLAR, number);
    }
    text_append_string(out, memchr(form->text, '.', form->size) ? " AS INTEGER)" : " AS REAL)");
}

static void append_part_postgres(const struct query_column *column, uint32_t number,
                                 struct text *out)
{
    const struct word_form *form = &column->shaped.form;
    const bool has_points = memchr(form->text, '.', form->size);

    text_append_string(out, "(regexp_split_to_array(");
    append_words(column, out);
    text_printf(out, ", '[^0-9%s]+'))[%u]::float8", has_points ? "" : ".", number + 1);
}

static void append_part(const struct plan *plan, const struct query_column *column, uint32_t number,
                        struct text *out)
{
    if (plan->dialect == SQL_POSTGRES)
        append_part_postgres(column, number, out);
    else
        append_part_sqlite(column, number, out);
}

/* Degrees, minutes and seconds are one number. */
static void append_angle(const struct plan *plan, const struct query_column *column,
                         struct text *out)
{
    const struct word_form *form = &column->shaped.form;

    text_append_string(out, form->text[form->size - 1] == 'H' ? "(" : "");
    for (uint32_t i = 0; i < form->numbers; i++) {
        text_append_string(out, i > 0 ? " + " : "");
        append_part(plan, column, i, out);
        text_append_string(out, i == 0 ? "" : i == 1 ? " / 60" : " / 3600");
    }
    if (form->text[form->size - 1] == 'H')
        text_append_string(out, ") * CASE WHEN upper($) LIKE '%S' OR upper($) LIKE '%W' THEN -1 "
                                "ELSE 1 END");
    text_append_string(out, " AS $ makes degrees of them.");
}

static bool is_angle(const struct word_form *form)
{
    const struct slice degrees = before_number(form, 1);

    return form->numbers <= 3 && are_different(form) && slice_is(degrees, "°");
}

static void hint_parts(const struct plan *plan, const struct query_column *column)
{
    const struct word_form *form = &column->shaped.form;
    const uint32_t shown = form->numbers < PARTS_SHOWN ? form->numbers : PARTS_SHOWN;
    struct text sql;

    text_init(&sql, NOTICE_BYTES_MAX);
    if (is_angle(form)) {
        append_angle(plan, column, &sql);
    } else if (are_different(form) || are_equal(form)) {
        for (uint32_t i = 0; i < shown; i++) {
            text_append_string(&sql, i > 0 ? ", " : "");
            append_part(plan, column, i, &sql);
            text_printf(&sql, " AS %s",
                        SQL_NAME_WITH(column->name, i == 0   ? "_1"
                                                    : i == 1 ? "_2"
                                                             : "_3"));
        }
        text_append_string(&sql, shown < form->numbers ? " and so on make numbers of them."
                                                       : " makes numbers of them.");
    } else {
        text_append_string(&sql, "Make a column of each of its numbers in the SELECT.");
    }
    hint_sql(plan, column,
             sql.failed ? "Make columns of their numbers in the SELECT." : text_string(&sql), "");
    text_deinit(&sql);
}

/* ---- other shapes ---- */

static void hint_durations(const struct plan *plan, const struct query_column *column)
{
    static const struct cure cure = {
        "CASE WHEN $ LIKE '%h%' THEN 60 * CAST(ltrim($, 'PTpt ') AS REAL) ELSE 0 END + CASE WHEN $ "
        "LIKE '%m%' THEN CAST(ltrim(substr($, instr(lower($), 'h') + 1), 'PTptours ') AS REAL) "
        "ELSE 0 END AS $",
        "EXTRACT(epoch FROM $::interval) / 60 AS $", " makes minutes of them."};

    if (plan->dialect == SQL_POSTGRES || column->shaped.is_hours)
        hint_cure(plan, column, &cure);
    else
        notice_hint(plan->notices, "The SELECT can add up their parts, as by substr and instr.");
}

static void hint_fractions(const struct plan *plan, const struct query_column *column)
{
    static const struct cure cure = {
        "CASE WHEN $ LIKE '%/%' THEN ($ LIKE '% %') * CAST($ AS REAL) + CAST(substr($, instr($, ' "
        "') + 1) AS REAL) / substr($, instr($, '/') + 1) ELSE CAST($ AS REAL) END AS $",
        "CASE WHEN $ LIKE '%/%' THEN coalesce(substring($, '^[0-9]+ ')::float8, 0) + substring($, "
        "'([0-9]+)/')::float8 / substring($, '/([0-9]+)')::float8 ELSE $::float8 END AS $",
        " makes numbers of them."};

    hint_cure(plan, column, &cure);
}

#define NUMBER_SQLITE   "CAST(" BY_POINT " AS REAL)"
#define NUMBER_POSTGRES "substring(" BY_POINT ", '-?[0-9.]+')::float8"
#define TIMES(like, k, m, g, t)                                                                    \
    " * CASE WHEN $ " like " '%k%' THEN " k " WHEN $ " like " '%m%' THEN " m " WHEN $ " like       \
    " '%" g "%' THEN 1e9 WHEN $ " like " '%t%' THEN " t " ELSE 1 END AS $"

static const struct cure counts_cure = {NUMBER_SQLITE TIMES("LIKE", "1e3", "1e6", "b", "1e12"),
                                        NUMBER_POSTGRES TIMES("ILIKE", "1e3", "1e6", "b", "1e12"),
                                        " makes numbers of them."};

static void hint_units(const struct plan *plan, const struct query_column *column)
{
    static const struct cure bytes_cure = {
        NUMBER_SQLITE TIMES("LIKE", "1e3", "1e6", "g", "1e12"),
        NUMBER_POSTGRES TIMES("ILIKE", "1e3", "1e6", "g", "1e12"), " makes bytes of them."};
    const char *unit = SQL_NAME_WITH(column->name, "_unit");
    struct text sql;

    if (column->shaped.family != UNITS_OTHER) {
        hint_cure(plan, column, column->shaped.family == UNITS_BYTES ? &bytes_cure : &counts_cure);
        return;
    }
    text_init(&sql, NOTICE_BYTES_MAX);
    text_append_string(&sql, plan->dialect == SQL_POSTGRES ? NUMBER_POSTGRES : NUMBER_SQLITE);
    text_printf(&sql, " AS $, %s($, '0123456789.,+- ') AS %s",
                plan->dialect == SQL_POSTGRES ? "btrim" : "trim", unit);
    hint_sql(plan, column, text_string(&sql), " makes a number and a word of each.");
    text_deinit(&sql);
}

static void hint_ordinals(const struct plan *plan, const struct query_column *column)
{
    static const struct cure cure = {"CAST(replace($, ',', '') AS INTEGER) AS $",
                                     "substring(replace($, ',', ''), '[0-9]+')::integer AS $",
                                     " leaves the numbers."};

    hint_cure(plan, column, &cure);
}

static void hint_quoted(const struct plan *plan, const struct query_column *column)
{
    notice_hint(plan->notices, "trim(%s, '%s%c') AS %s leaves the numbers.", SQL_NAME(column->name),
                column->shaped.example[0] == '\'' ? "'" : "", column->shaped.example[0],
                SQL_NAME(column->name));
}

/* Is the unit a thousand or a million, beside numbers without one? */
static bool is_multiple(const struct query_column *column)
{
    static const char *const multiples[] = {"k", "K", "M", "mn", "bn", "Mio", "Mio."};
    const struct slice unit =
        slice_trim((struct slice){column->shaped.unit, column->shaped.unit_size});

    if (column->integers + column->reals + column->numeric_texts + column->separated_texts +
            column->written_texts ==
        0)
        return false;
    for (size_t i = 0; i < sizeof multiples / sizeof *multiples; i++)
        if (slice_is(unit, multiples[i]))
            return true;
    return false;
}

static void hint_measures(const struct plan *plan, const struct query_column *column)
{
    const struct slice unit = {column->shaped.unit, column->shaped.unit_size};

    if (is_multiple(column)) {
        hint_cure(plan, column, &counts_cure);
        return;
    }
    notice_hint(plan->notices, "replace(%s, %s, '') AS %s leaves the numbers.",
                SQL_NAME(column->name), SQL_TEXT(unit), SQL_NAME(column->name));
}

/* The name of a member is the user's to choose. */
static void hint_objects(const struct plan *plan, const struct query_column *column)
{
    if (plan->dialect == SQL_POSTGRES)
        notice_hint(plan->notices, "%s::json ->> 'name' AS name makes a column of a member.",
                    SQL_NAME(column->name));
    else
        notice_hint(plan->notices, "json_extract(%s, '$.name') AS name makes a column of a member.",
                    SQL_NAME(column->name));
}

static void hint_lists(const struct plan *plan, const struct query_column *column)
{
    notice_hint(plan->notices, "COLUMN *, TEXT(%s) reads each of their words.",
                SQL_NAME(column->name));
}

static const struct {
    const char *looks; /* NULL: numbers with separators between them */
    void (*hint)(const struct plan *plan, const struct query_column *column);
} shapes[] = {
    [SHAPE_TIME] = {"times of day", hint_hours},
    [SHAPE_DATE] = {"dates in a form that is not read", hint_dates},
    [SHAPE_QUOTED] = {"numbers in quotes", hint_quoted},
    [SHAPE_ORDINAL] = {"ordinal numbers", hint_ordinals},
    [SHAPE_BOUND] = {"bounds or rough numbers", hint_bounds},
    [SHAPE_PARTS] = {NULL, hint_parts},
    [SHAPE_FRACTION] = {"fractions", hint_fractions},
    [SHAPE_DURATION] = {"durations", hint_durations},
    [SHAPE_UNITS] = {"numbers with several units", hint_units},
    [SHAPE_MEASURE] = {"numbers with a unit", hint_measures},
    [SHAPE_OBJECT] = {"objects of JSON", hint_objects},
    [SHAPE_LIST] = {"lists of words", hint_lists},
};

static void append_looks(const struct shaped_words *shaped, struct text *out)
{
    if (shapes[shaped->shape].looks)
        text_append_string(out, shapes[shaped->shape].looks);
    else if (are_equal(&shaped->form))
        text_printf(out, "%u numbers with '%.*s' between them", shaped->form.numbers,
                    SLICE_FORMAT(before_number(&shaped->form, 1)));
    else
        text_printf(out, "%u numbers with signs between them", shaped->form.numbers);
    text_printf(out, ", such as '%.*s'", (int)shaped->example_size, shaped->example);
    if (shaped->shaped < shaped->words)
        text_printf(out, ", %u of %u different ones", shaped->shaped, shaped->words);
}

bool note_shape(const struct plan *plan, const struct query_column *column, bool is_left_out)
{
    struct text looks;

    if (column->shaped.shape == SHAPE_NONE)
        return false;
    text_init(&looks, NOTICE_BYTES_MAX);
    append_looks(&column->shaped, &looks);
    notice_add(plan->notices, NOTICE_READING, "the texts of column \"%.*s\" look like %s, and %s",
               SLICE_FORMAT(column->name), text_string(&looks), words_become(is_left_out));
    text_deinit(&looks);
    shapes[column->shaped.shape].hint(plan, column);
    return true;
}
