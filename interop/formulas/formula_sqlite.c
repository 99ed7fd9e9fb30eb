/*
 * SQLite: each output is one expression of the row r, a subquery that has a subquery for each
 * stage. LIMIT keeps SQLite from writing the formula of a variable wherever it is used.
 *
 * What cannot be read raises an error: SQLite's own of a path that is none, which shows the cell.
 */
#include "interop/formulas/formula_sqlite.h"

#include <math.h>
#include <stdlib.h>

#include "inputs/cells/cells.h"
#include "interop/formulas/formula_sql.h"
#include "interop/formulas/formula_sqlite_words.h"
#include "interop/formulas/formula_sqlite_written.h"

#define SPACES   "char(32,9,10,11,12,13)"
#define GREATEST "1.7976931348623157e308"

void sqlite_refusal(const struct sql_printer *printer, uint32_t column, const char *wanted)
{
    text_append_string(printer->out, "json_extract('{}', ");
    sql_literal(printer, (struct slice){"column ", 7});
    text_append_string(printer->out, " || ");
    sql_literal(printer, printer->program->model->transform.columns[column]);
    text_printf(printer->out, " || ' holds no %s: ' || quote(", wanted);
    sql_column(printer, column);
    text_append_string(printer->out, "))");
}

void sqlite_cell(const struct sql_printer *printer, uint32_t column, const char *sql)
{
    for (; *sql; sql++)
        if (*sql == '@')
            sql_column(printer, column);
        else if (*sql == '~')
            sqlite_cell(printer, column, "trim(@, " SPACES ")");
        else
            text_append_char(printer->out, *sql);
}

/* The choice for a text that has none of the forms before. */
static void written_or_refusal(const struct sql_printer *printer, const struct formula *cell,
                               const char *wanted)
{
    if (formula_is_written(cell)) {
        text_append_string(printer->out, "coalesce(");
        sqlite_written(printer, cell);
        text_append_string(printer->out, ", ");
    }
    sqlite_refusal(printer, cell->index, wanted);
    text_append_string(printer->out, formula_is_written(cell) ? ")" : "");
}

static void read_number(const struct sql_printer *printer, const struct formula *cell)
{
    const uint32_t column = cell->index;

    /* A text that is a number equals it as a real, or as an integer where that has more digits. */
    sqlite_cell(printer, column,
                "CASE typeof(@) WHEN 'null' THEN NULL WHEN 'text' THEN CASE "
                "WHEN (CAST((~) AS REAL) = ~ OR CAST((~) AS INTEGER) = ~)");
    if (cell->reading == READING_COMMA)
        sqlite_cell(printer, column, " AND instr(@, '.') = 0");
    sqlite_cell(printer, column,
                " THEN CASE "
                "WHEN CAST((~) AS REAL) BETWEEN -" GREATEST " AND " GREATEST
                " THEN CAST((~) AS REAL) ELSE ");
    sqlite_refusal(printer, column, "finite number");
    sqlite_cell(printer, column, " END WHEN lower(~) IN (");
    sql_missing(printer, cell->reading);
    sqlite_cell(printer, column, ") THEN NULL");
    if (cell->reading == READING_BOOLEAN)
        sqlite_cell(printer, column,
                    " WHEN lower(~) IN ('t', 'true', 'yes', 'y', 'on') THEN 1.0"
                    " WHEN lower(~) IN ('f', 'false', 'no', 'n', 'off') THEN 0.0");
    text_append_string(printer->out, " ELSE ");
    written_or_refusal(printer, cell, "number");
    sqlite_cell(printer, column, " END WHEN 'blob' THEN ");
    sqlite_refusal(printer, column, "number");
    sqlite_cell(printer, column,
                " ELSE CASE WHEN @ BETWEEN -" GREATEST " AND " GREATEST
                " THEN CAST(@ AS REAL) ELSE ");
    sqlite_refusal(printer, column, "finite number");
    sqlite_cell(printer, column, " END END");
}

/* Is the word how the number is written? */
static bool is_spelled(struct slice word, struct cell *number)
{
    char buffer[TRANSFORM_WORD_BUFFER];
    struct slice spelled;
    struct error ignored;
    bool is_null;

    if (slice_to_integer(word, &number->integer))
        number->type = CELL_INTEGER;
    else if (slice_to_real(word, &number->real) && isfinite(number->real))
        number->type = CELL_REAL;
    else
        return false;
    return cell_to_word(number, SLICE(""), buffer, &spelled, &is_null, &ignored) == STATUS_OK &&
           slice_equal(spelled, word);
}

static void read_word(const struct sql_printer *printer, const struct formula *cell)
{
    const uint32_t column = cell->index;
    struct cell number;

    sqlite_cell(printer, column,
                "CASE typeof(@) WHEN 'null' THEN NULL WHEN 'text' THEN "
                "CASE CAST(@ AS TEXT) COLLATE BINARY");
    for (uint32_t i = 0; i < cell->count; i++) {
        text_append_string(printer->out, " WHEN ");
        sql_literal(printer, cell->words[i]);
        text_printf(printer->out, " THEN %u", i);
    }
    if (cell->count == 0)
        text_append_string(printer->out, " WHEN NULL THEN -1");
    sqlite_cell(printer, column,
                " ELSE CASE WHEN ~ = '' THEN NULL ELSE -1 END END WHEN 'blob' THEN ");
    sqlite_refusal(printer, column, "text or number");
    sqlite_cell(printer, column,
                " ELSE CASE WHEN @ NOT BETWEEN -" GREATEST " AND " GREATEST " THEN ");
    sqlite_refusal(printer, column, "finite number");
    for (uint32_t i = 0; i < cell->count; i++) {
        if (!is_spelled(cell->words[i], &number))
            continue;
        sqlite_cell(printer, column, " WHEN @ = ");
        if (number.type == CELL_INTEGER)
            text_printf(printer->out, "%lld", (long long)number.integer);
        else
            sql_number(printer, number.real);
        text_printf(printer->out, " THEN %u", i);
    }
    text_append_string(printer->out, " ELSE -1 END END");
}

static void read_date(const struct sql_printer *printer, const struct formula *cell)
{
    const uint32_t column = cell->index;

    sqlite_cell(printer, column,
                "CASE WHEN typeof(@) = 'null' THEN NULL WHEN typeof(@) <> 'text' THEN ");
    sqlite_refusal(printer, column, "date");
    sqlite_cell(printer, column, " WHEN ~ GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*'");
    if (formula_is_written(cell)) /* SQLite itself takes three digits of a fraction */
        sqlite_cell(printer, column, " AND ~ NOT GLOB '*.[0-9][0-9][0-9][0-9]*'");
    sqlite_cell(printer, column, /* its own dates have more white space */
                " AND (length(~) = 10 OR substr(~, 11) GLOB '[ T][0-9]*')"
                " AND substr(~, 11) NOT GLOB '*[^0-9TZz:.+ -]*' AND ~ NOT GLOB '*  *'"
                " AND ~ NOT GLOB '*[ Tt]24:*' AND ~ NOT GLOB '0000*'"
                " AND date(substr(~, 1, 10), '+0 days') = substr(~, 1, 10)"
                " AND julianday(~) IS NOT NULL");
    /* SQLite has milliseconds; the reader of written dates has more, but years from 1000 alone. */
    if (formula_is_written(cell))
        sqlite_cell(printer, column, " AND (instr(~, '.') = 0 OR ~ GLOB '0*')");
    /* A modifier rounds before the seconds are told: .9999 is in the next one. */
    sqlite_cell(printer, column,
                " THEN CAST(strftime('%s', ~) AS REAL)"
                " + CAST(strftime('%f', ~, '+0 days') AS REAL)"
                " - CAST(strftime('%S', ~, '+0 days') AS REAL)"
                " WHEN lower(~) IN (");
    sql_missing(printer, READING_NUMBER);
    text_append_string(printer->out, ") THEN NULL ELSE ");
    written_or_refusal(printer, cell, "date");
    text_append_string(printer->out, " END");
}

static void read_cell(const struct sql_printer *printer, const struct formula *cell)
{
    if (sqlite_read_words(printer, cell))
        return;
    switch (cell->op) {
    case FORMULA_READ_NUMBER:
        read_number(printer, cell);
        break;
    case FORMULA_READ_WORD:
        read_word(printer, cell);
        break;
    case FORMULA_READ_DATE:
        read_date(printer, cell);
        break;
    default:
        sqlite_refusal(printer, cell->index, "number that it may be");
    }
}

static enum status output(struct sql_printer *printer, uint32_t i, uint32_t *places,
                          struct error *err)
{
    const struct formula_output *shown = &printer->program->outputs[i];
    bool *needed = formula_needed(printer->program, i, i + 1);
    uint32_t count;

    if (!needed)
        return fail_no_memory(err);
    text_append_string(printer->out, ",\n(");
    count = sql_stages(printer, places, needed);
    text_append_string(printer->out, "\nSELECT ");
    sql_output(printer, shown);
    if (count > 0)
        text_printf(printer->out, " FROM s%u", count - 1);
    text_append_string(printer->out, " LIMIT 1) AS ");
    text_append_identifier(printer->out, slice_of(shown->name));
    free(needed);
    return STATUS_OK;
}

enum status formula_print_sqlite(const struct formula_program *program, struct slice name,
                                 struct text *out, struct error *err)
{
    struct sql_printer printer = {
        .program = program, .prefix = name, .out = out, .read = read_cell};
    enum status status = STATUS_OK;
    uint32_t *places;

    TRY(sql_places(program, &places, err));
    printer.places = places;
    text_append_string(out, "CREATE VIEW ");
    sql_object_name(&printer, "_predictions");
    text_append_string(out, " AS\nSELECT r.*");
    for (uint32_t i = 0; i < program->output_count && status == STATUS_OK; i++)
        status = output(&printer, i, places, err);
    text_append_string(out, "\nFROM ");
    sql_object_name(&printer, "_rows");
    text_append_string(out, " AS r;\n");
    free(places);
    return status;
}
