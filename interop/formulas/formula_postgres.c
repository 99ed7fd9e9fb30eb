/*
 * PostgreSQL: all outputs come of one LATERAL subquery of the row r, which has a subquery for each
 * stage. Functions read cells, one for each type that a column may have, so that which one is meant
 * is found when the view is made; they are of SQL, and become part of the query. Their bodies are
 * parsed when they are made, too: no search_path of a reader's session decides what they call.
 */
#include "interop/formulas/formula_postgres.h"

#include <stdlib.h>

#include "interop/formulas/formula_postgres_words.h"
#include "interop/formulas/formula_postgres_written.h"
#include "interop/formulas/formula_sql.h"

#define SPACES POSTGRES_SPACES
#define BODY   " LANGUAGE sql PARALLEL SAFE "

/* Numbers beyond are as far as these, and those nearer to 0 than TINY are 0, since PostgreSQL takes
 * products that no double holds for errors. */
#define FAR       "1e250"
#define TINY      "1e-100"
#define TINY_TEXT "'^[+-]?[0-9.]{1,50}[eE]-0*[1-9][0-9]{2,}$'"

static void function(const struct sql_printer *printer, const char *ending, const char *type,
                     const char *result, const char *how, const char *body)
{
    text_append_string(printer->out, "CREATE FUNCTION ");
    sql_object_name(printer, ending);
    text_printf(printer->out, "(x %s) RETURNS %s" BODY "%s RETURN ", type, result, how);
    for (; *body; body++)
        if (*body == '@')
            sql_object_name(printer, ending);
        else
            text_append_char(printer->out, *body);
    text_append_string(printer->out, ";\n");
}

static const char *number_ending(enum input_reading reading)
{
    return reading == READING_BOOLEAN     ? "_boolean"
           : reading == READING_STRICT    ? "_strict"
           : reading == READING_SEPARATED ? "_separated"
           : reading == READING_POINT     ? "_point"
           : reading == READING_COMMA     ? "_comma"
                                          : "_number";
}

/* The other ways in which a text may be a number, as conditions of a CASE. */
static void written_numbers(const struct sql_printer *printer, enum input_reading reading)
{
    const char *ending = number_ending(reading);

    if (reading == READING_SEPARATED || reading == READING_POINT) {
        text_append_string(printer->out, " WHEN octet_length(btrim(x, " SPACES ")) < 65 AND "
                                         "btrim(x, " SPACES ") ~ "
                                         "'^[+-]?[1-9][0-9]{0,2}(,[0-9]{3})+([.][0-9]*)?$' THEN ");
        sql_object_name(printer, ending);
        text_append_string(printer->out, "(replace(btrim(x, " SPACES "), ',', '')::float8)");
    }
    if (reading != READING_POINT && reading != READING_COMMA)
        return;
    text_append_string(printer->out, " ELSE ");
    sql_object_name(printer, ending);
    text_append_string(printer->out, "(coalesce(");
    sql_object_name(printer, "_written");
    text_printf(printer->out,
                "(btrim(x, " SPACES "), '%c')::float8, ('no number: ' || x)::float8))",
                reading == READING_COMMA ? ',' : '.');
}

static void number_functions(const struct sql_printer *printer, enum input_reading reading)
{
    const char *ending = number_ending(reading), *number = "double precision";

    function(printer, ending, number, number, "IMMUTABLE",
             "CASE WHEN x IS NULL OR x = 'NaN' THEN NULL WHEN abs(x) = 'Infinity' "
             "THEN ('an infinite number: ' || x::text)::float8 WHEN abs(x) < " TINY
             " THEN 0 ELSE least(greatest(x, -" FAR "), " FAR ") END");
    function(printer, ending, "date", number, "IMMUTABLE",
             "CASE WHEN isfinite(x) THEN (x - DATE '1970-01-01')::float8 "
             "ELSE ('an infinite date: ' || x::text)::float8 END");
    function(printer, ending, "timestamp", number, "IMMUTABLE", "@(extract(epoch FROM x)::float8)");
    function(printer, ending, "timestamptz", number, "IMMUTABLE",
             "@(extract(epoch FROM x)::float8)");
    function(printer, ending, "boolean", number, "IMMUTABLE",
             "CASE WHEN x THEN 1::float8 WHEN NOT x THEN 0::float8 END");
    text_append_string(printer->out, "CREATE FUNCTION ");
    sql_object_name(printer, ending);
    text_append_string(printer->out,
                       "(x text) RETURNS double precision" BODY "IMMUTABLE RETURN CASE "
                       "WHEN btrim(x, " SPACES ") ~ "
                       "'^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?$'");
    if (reading == READING_COMMA)
        text_append_string(printer->out, " AND x !~ '[.]'");
    text_append_string(printer->out,
                       " THEN CASE WHEN btrim(x, " SPACES ") ~ " TINY_TEXT " THEN 0 ELSE ");
    sql_object_name(printer, ending);
    text_append_string(printer->out,
                       "(btrim(x, " SPACES ")::float8) END WHEN lower(btrim(x, " SPACES ")) IN (");
    sql_missing(printer, reading);
    text_append_string(printer->out, ") THEN NULL");
    if (reading == READING_BOOLEAN)
        text_append_string(printer->out,
                           " WHEN lower(btrim(x, " SPACES ")) IN ('t', 'true', 'yes', 'y', 'on') "
                           "THEN 1 WHEN lower(btrim(x, " SPACES
                           ")) IN ('f', 'false', 'no', 'n', 'off') THEN 0");
    written_numbers(printer, reading);
    if (reading != READING_POINT && reading != READING_COMMA)
        text_append_string(printer->out, " ELSE ('no number: ' || x)::float8");
    text_append_string(printer->out, " END;\n");
}

static void word_functions(const struct sql_printer *printer)
{
    const char *ending = "_word", *how = "IMMUTABLE";

    function(printer, ending, "text", "text", how, "x");
    function(printer, ending, "bigint", "text", how, "x::text");
    function(printer, ending, "double precision", "text", how,
             "CASE WHEN x IS NULL OR x = 'NaN' THEN NULL WHEN abs(x) = 'Infinity' "
             "THEN (('an infinite number: ' || x::text)::float8)::text "
             "WHEN x = floor(x) AND abs(x) < 9.2e18 THEN x::bigint::text "
             "WHEN x::text::float8 <> x "
             "THEN (('extra_float_digits is below 1: ' || x::text)::float8)::text "
             "WHEN x <> floor(x) AND abs(x) >= 1e15 THEN x::text::numeric::text "
             "ELSE x::text END");
    function(printer, ending, "boolean", "text", how,
             "CASE WHEN x THEN '1' WHEN NOT x THEN '0' END");
    function(printer, ending, "date", "text", how, "(x - DATE '1970-01-01')::text");
    function(printer, ending, "timestamp", "text", how, "@(extract(epoch FROM x)::float8)");
    function(printer, ending, "timestamptz", "text", how, "@(extract(epoch FROM x)::float8)");
    /* A body that is parsed now cannot have polymorphic arguments. */
    text_append_string(printer->out, "CREATE FUNCTION ");
    sql_object_name(printer, ending);
    text_append_string(printer->out,
                       "(x anyenum) RETURNS text" BODY "STABLE AS 'SELECT x::text';\n");
}

static const char *date_ending(enum input_reading reading)
{
    return reading == READING_DATE          ? "_date_either"
           : reading == READING_DAY_FIRST   ? "_date_day"
           : reading == READING_MONTH_FIRST ? "_date_month"
                                            : "_date";
}

static void written_date(const struct sql_printer *printer, enum input_reading reading)
{
    sql_object_name(printer, "_written_date");
    text_printf(printer->out, "(btrim(x, " SPACES "), %d)",
                reading == READING_DAY_FIRST     ? 1
                : reading == READING_MONTH_FIRST ? 2
                                                 : 0);
}

static void date_functions(const struct sql_printer *printer, enum input_reading reading)
{
    const char *ending = date_ending(reading), *number = "double precision";

    function(printer, ending, "timestamp", number, "IMMUTABLE",
             "CASE WHEN isfinite(x) THEN extract(epoch FROM x)::float8 "
             "ELSE ('an infinite date: ' || x::text)::float8 END");
    function(printer, ending, "timestamptz", number, "STABLE",
             "CASE WHEN isfinite(x) THEN extract(epoch FROM x)::float8 "
             "ELSE ('an infinite date: ' || x::text)::float8 END");
    function(printer, ending, "date", number, "IMMUTABLE",
             "CASE WHEN isfinite(x) THEN ((x - DATE '1970-01-01') * 86400.0)::float8 "
             "ELSE ('an infinite date: ' || x::text)::float8 END");
    text_append_string(printer->out, "CREATE FUNCTION ");
    sql_object_name(printer, ending);
    text_append_string(printer->out,
                       "(x text) RETURNS double precision" BODY "STABLE RETURN CASE ");
    if (reading_is_of_dates(reading)) {
        text_append_string(printer->out, "WHEN ");
        written_date(printer, reading);
        text_append_string(printer->out, " IS NOT NULL THEN ");
        written_date(printer, reading);
        text_append_string(printer->out, " ");
    }
    text_append_string(printer->out,
                       "WHEN btrim(x, " SPACES ") ~* "
                       "'^[0-9]{4}-[0-9]{2}-[0-9]{2}"
                       "([t ]([01][0-9]|2[0-3]):[0-5][0-9](:([0-5][0-9]|60)([.][0-9]+)?)?)?$' "
                       "THEN extract(epoch FROM btrim(x, " SPACES ")::timestamp)::float8 "
                       "WHEN btrim(x, " SPACES ") ~* "
                       "'^[0-9]{4}-[0-9]{2}-[0-9]{2}[t ]([01][0-9]|2[0-3]):[0-5][0-9]"
                       "(:([0-5][0-9]|60)([.][0-9]+)?)? ?(z|utc|[+-]([0-9]{2})(:?[0-9]{2})?)$' "
                       "THEN extract(epoch FROM btrim(x, " SPACES ")::timestamptz)::float8 "
                       "WHEN lower(btrim(x, " SPACES ")) IN (");
    sql_missing(printer, READING_NUMBER);
    text_append_string(printer->out, ") THEN NULL ELSE ('no date: ' || x)::float8 END;\n");
}

static void read_word(const struct sql_printer *printer, const struct formula *cell)
{
    struct text *out = printer->out;

    text_append_string(out, "CASE WHEN ");
    sql_object_name(printer, "_word");
    text_append_string(out, "(");
    sql_column(printer, cell->index);
    text_append_string(out, ") IS NULL THEN NULL ELSE coalesce(array_position(ARRAY[");
    for (uint32_t i = 0; i < cell->count; i++) {
        text_append_string(out, i ? ", " : "");
        sql_literal(printer, cell->words[i]);
    }
    text_append_string(out, "]::text[], ");
    sql_object_name(printer, "_word");
    text_append_string(out, "(");
    sql_column(printer, cell->index);
    text_append_string(out, ") COLLATE \"C\") - 1, CASE WHEN btrim(");
    sql_object_name(printer, "_word");
    text_append_string(out, "(");
    sql_column(printer, cell->index);
    text_append_string(out, "), " SPACES ") = '' THEN NULL ELSE -1 END)::float8 END");
}

static void read_cell(const struct sql_printer *printer, const struct formula *cell)
{
    if (postgres_read_words(printer, cell))
        return;
    if (cell->op == FORMULA_READ_WORD) {
        read_word(printer, cell);
        return;
    }
    if (cell->op == FORMULA_REFUSE) {
        text_append_string(printer->out, "('no number that it may be: ' || coalesce(");
        sql_column(printer, cell->index);
        text_append_string(printer->out, "::text, 'NULL'))::float8");
        return;
    }
    sql_object_name(printer, cell->op == FORMULA_READ_DATE ? date_ending(cell->reading)
                                                           : number_ending(cell->reading));
    text_append_string(printer->out, "(");
    sql_column(printer, cell->index);
    text_append_string(printer->out, ")");
}

/* Readings that have the same functions are one. */
static enum input_reading reading_of(const struct formula *formula)
{
    return formula_is_written(formula) || formula->reading == READING_BOOLEAN ||
                   formula->reading == READING_STRICT
               ? formula->reading
               : READING_NUMBER;
}

static void functions(const struct sql_printer *printer, const bool *needed)
{
    const struct formula_program *program = printer->program;
    bool numbers[READING_MONTH_FIRST + 1] = {false}, dates[READING_MONTH_FIRST + 1] = {false},
                                       has_words = false, has_hash = false, has_terms = false;

    for (uint32_t i = 0; i < program->variable_count; i++) {
        const struct formula *formula = program->variables[i];

        has_words |= needed[i] && formula->op == FORMULA_READ_WORD;
        has_hash |= needed[i] && postgres_words_found(formula, &has_terms);
        if (needed[i] && formula->op == FORMULA_READ_DATE)
            dates[formula_is_written(formula) ? formula->reading : READING_NUMBER] = true;
        if (needed[i] && formula->op == FORMULA_READ_NUMBER)
            numbers[reading_of(formula)] = true;
    }
    postgres_written_functions(printer, formula_written_of(program, needed));
    for (unsigned i = 0; i <= READING_MONTH_FIRST; i++) {
        if (numbers[i])
            number_functions(printer, (enum input_reading)i);
        if (dates[i])
            date_functions(printer, (enum input_reading)i);
    }
    if (has_words || has_hash)
        word_functions(printer);
    if (has_hash)
        postgres_words_functions(printer, has_terms);
}

/* Outputs are those of one LATERAL subquery, so that a condition on the rows finds them by an index
 * first. */
static void outputs(const struct sql_printer *printer, uint32_t *places, const bool *needed)
{
    const struct formula_program *program = printer->program;
    uint32_t count;

    text_append_string(printer->out, "\nCROSS JOIN LATERAL (");
    count = sql_stages(printer, places, needed);
    text_append_string(printer->out, "\nSELECT ");
    for (uint32_t i = 0; i < program->output_count; i++) {
        text_append_string(printer->out, i ? ",\n" : "");
        sql_output(printer, &program->outputs[i]);
        text_append_string(printer->out, " AS ");
        text_append_identifier(printer->out, slice_of(program->outputs[i].name));
    }
    if (count > 0)
        text_printf(printer->out, " FROM s%u", count - 1);
    text_append_string(printer->out, " OFFSET 0) AS m");
}

enum status formula_print_postgres(const struct formula_program *program, struct slice name,
                                   struct text *out, struct error *err)
{
    struct sql_printer printer = {.program = program,
                                  .prefix = slice_prefix(name, SQL_PREFIX_MOST),
                                  .out = out,
                                  .is_postgres = true,
                                  .read = read_cell};
    bool *needed = formula_needed(program, 0, program->output_count);
    enum status status;
    uint32_t *places = NULL;

    status = needed ? sql_places(program, &places, err) : fail_no_memory(err);
    if (status == STATUS_OK) {
        printer.places = places;
        text_append_string(out, "BEGIN;\n");
        functions(&printer, needed);
        text_append_string(out, "CREATE VIEW ");
        sql_object_name(&printer, "_predictions");
        text_append_string(out, " AS\nSELECT r.*, m.*\nFROM ");
        sql_object_name(&printer, "_rows");
        text_append_string(out, " AS r");
        outputs(&printer, places, needed);
        text_append_string(out, ";\nCOMMIT;\n");
    }
    free(places);
    free(needed);
    return status;
}
