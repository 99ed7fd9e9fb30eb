#include "interop/formulas/formula_sql.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inputs/cells/cell_text.h"
#include "inputs/cells/cells.h"
#include "scoring/label_names.h"

#define SUM_TERMS 40 /* side by side: SQLite has at most 1,000 operations within each other */

static void append(const struct sql_printer *printer, const char *text)
{
    text_append_string(printer->out, text);
}

void sql_number(const struct sql_printer *printer, double number)
{
    struct text digits;

    text_init(&digits, 64);
    text_append_real(&digits, number);
    append(printer, number < 0 ? "(" : "");
    text_append(printer->out, text_slice(&digits));
    if (printer->is_postgres)
        append(printer, "::float8");
    else if (!strpbrk(text_string(&digits), ".e"))
        append(printer, ".0");
    append(printer, number < 0 ? ")" : "");
    text_deinit(&digits);
}

void sql_literal(const struct sql_printer *printer, struct slice text)
{
    if (!printer->is_postgres || !memchr(text.data, '\\', text.size)) {
        text_append_literal(printer->out, text);
        return;
    }
    append(printer, "E'");
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] == '\\' || text.data[i] == '\'')
            text_append_char(printer->out, text.data[i]);
        text_append_char(printer->out, text.data[i]);
    }
    append(printer, "'");
}

void sql_column(const struct sql_printer *printer, uint32_t column)
{
    append(printer, "r.");
    text_append_identifier(printer->out, printer->program->model->transform.columns[column]);
}

void sql_object_name(const struct sql_printer *printer, const char *ending)
{
    struct text name;

    text_init(&name, TEXT_MAXIMUM);
    text_append(&name, printer->prefix);
    text_append_string(&name, ending);
    text_append_identifier(printer->out, text_slice(&name));
    printer->out->failed |= name.failed;
    text_deinit(&name);
}

void sql_missing(const struct sql_printer *printer, enum input_reading reading)
{
    append(printer, "''");
    for (size_t i = 0; missing_spellings[i] && reading != READING_STRICT; i++) {
        append(printer, ", ");
        sql_literal(printer, slice_of(missing_spellings[i]));
    }
}

static void infix(const struct sql_printer *printer, const struct formula *formula,
                  const char *operator)
{
    append(printer, "(");
    sql_formula(printer, formula->a);
    append(printer, operator);
    sql_formula(printer, formula->b);
    append(printer, ")");
}

static void call(const struct sql_printer *printer, const struct formula *formula,
                 const char *function)
{
    append(printer, function);
    append(printer, "(");
    sql_formula(printer, formula->a);
    if (formula->b) {
        append(printer, ", ");
        sql_formula(printer, formula->b);
    }
    append(printer, ")");
}

static void sum(const struct sql_printer *printer, const struct formula *const *terms,
                uint32_t count)
{
    const uint32_t group = count <= SUM_TERMS ? 1 : (count + SUM_TERMS - 1) / SUM_TERMS;

    append(printer, "(");
    for (uint32_t first = 0; first < count; first += group) {
        append(printer, first ? " + " : "");
        if (group == 1)
            sql_formula(printer, terms[first]);
        else
            sum(printer, terms + first, count - first < group ? count - first : group);
    }
    append(printer, ")");
}

static void choices(const struct sql_printer *printer, const struct formula *formula)
{
    append(printer, "CASE");
    for (; formula->op == FORMULA_IF; formula = formula->c) {
        append(printer, " WHEN ");
        sql_formula(printer, formula->a);
        append(printer, " THEN ");
        sql_formula(printer, formula->b);
    }
    append(printer, " ELSE ");
    sql_formula(printer, formula);
    append(printer, " END");
}

static void is_in(const struct sql_printer *printer, const struct formula *formula)
{
    if (formula->count == 0) {
        append(printer, printer->is_postgres ? "false" : "0");
        return;
    }
    append(printer, "(");
    sql_formula(printer, formula->a);
    append(printer, " IN (");
    for (uint32_t i = 0; i < formula->count; i++)
        text_printf(printer->out, i ? ",%.0f" : "%.0f", formula->numbers[i]);
    append(printer, "))");
}

static void lookup(const struct sql_printer *printer, const struct formula *formula)
{
    append(printer, printer->is_postgres ? "coalesce(('{" : "CASE ");
    if (!printer->is_postgres)
        sql_formula(printer, formula->a);
    for (uint32_t i = 0; i < formula->count; i++) {
        if (printer->is_postgres) {
            append(printer, i ? "," : "");
            text_append_real(printer->out, formula->numbers[i]);
        } else if (formula->numbers[i] != 0) {
            text_printf(printer->out, " WHEN %u THEN ", i);
            sql_number(printer, formula->numbers[i]);
        }
    }
    if (printer->is_postgres) {
        append(printer, "}'::float8[])[");
        sql_formula(printer, formula->a);
        append(printer, "::int + 1], 0::float8)");
    } else
        append(printer, " WHEN -1 THEN 0.0 ELSE 0.0 END");
}

void sql_formula(const struct sql_printer *printer, const struct formula *formula)
{
    switch (formula->op) {
    case FORMULA_NUMBER:
        sql_number(printer, formula->number);
        break;
    case FORMULA_MISSING:
        append(printer, printer->is_postgres ? "NULL::float8" : "NULL");
        break;
    case FORMULA_VARIABLE:
        text_printf(printer->out, "s%u.v%u", printer->places[formula->index], formula->index);
        break;
    case FORMULA_SUM:
        sum(printer, formula->terms, formula->count);
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
        call(printer, formula, printer->is_postgres ? "least" : "min");
        break;
    case FORMULA_GREATEST:
        call(printer, formula, printer->is_postgres ? "greatest" : "max");
        break;
    case FORMULA_EXP:
        call(printer, formula, "exp");
        break;
    case FORMULA_LOG:
        call(printer, formula, "ln");
        break;
    case FORMULA_ROOT:
        call(printer, formula, "sqrt");
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
        infix(printer, formula, " = ");
        break;
    case FORMULA_AND:
        infix(printer, formula, " AND ");
        break;
    case FORMULA_IS_MISSING:
        append(printer, "(");
        sql_formula(printer, formula->a);
        append(printer, " IS NULL)");
        break;
    case FORMULA_IS_IN:
        is_in(printer, formula);
        break;
    case FORMULA_LOOKUP:
        lookup(printer, formula);
        break;
    default:
        printer->read(printer, formula);
    }
}

static void label(const struct sql_printer *printer, uint32_t class)
{
    const struct labels *labels = &printer->program->model->labels;
    const struct cell *value = &labels->values[class];
    char buffer[TRANSFORM_WORD_BUFFER];
    const struct slice name = label_name(labels, class, buffer);
    const char *const types[] = {[LABEL_AS_BOOLEAN] = "::boolean",
                                 [LABEL_AS_DATE] = "::date",
                                 [LABEL_AS_TIME] = "::timestamp",
                                 [LABEL_AS_INSTANT] = "::timestamptz"};

    if (value->type == CELL_TEXT)
        sql_literal(printer, value->text);
    else if (printer->is_postgres && labels->spelling != LABEL_AS_NUMBER) {
        sql_literal(printer, name);
        append(printer, types[labels->spelling]);
    } else if (value->type == CELL_INTEGER)
        text_printf(printer->out, "%lld", (long long)value->integer);
    else
        sql_number(printer, value->real);
}

/* The choices of a class, with labels in the place of its numbers. */
static void labelled(const struct sql_printer *printer, const struct formula *formula)
{
    append(printer, "CASE");
    for (; formula->op == FORMULA_IF; formula = formula->c) {
        append(printer, " WHEN ");
        sql_formula(printer, formula->a);
        append(printer, " THEN ");
        label(printer, (uint32_t)formula->b->number);
    }
    append(printer, " ELSE ");
    label(printer, (uint32_t)formula->number);
    append(printer, " END");
}

void sql_output(const struct sql_printer *printer, const struct formula_output *output)
{
    if (output->is_class && output->formula->op == FORMULA_IF)
        labelled(printer, output->formula);
    else if (output->is_class)
        label(printer, (uint32_t)output->formula->number);
    else
        sql_formula(printer, output->formula);
}

enum status sql_places(const struct formula_program *program, uint32_t **places, struct error *err)
{
    bool *needed = formula_needed(program, 0, program->output_count);
    uint32_t count = 0;

    *places = NULL;
    if (!needed)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < program->variable_count; i++)
        count += needed[i];
    free(needed);
    if (count > SQL_VARIABLES_MOST)
        return fail(err, STATUS_LIMIT, "as SQL the model has %u columns, where %d are possible",
                    count, SQL_VARIABLES_MOST),
               error_hint(err, "FORMAT c has no such limit.");
    *places = calloc((size_t)program->variable_count + 1, sizeof **places);
    if (!*places)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < program->variable_count; i++)
        (*places)[i] = program->variables[i]->stage;
    return STATUS_OK;
}

uint32_t sql_stages(const struct sql_printer *printer, uint32_t *places, const bool *needed)
{
    const struct formula_program *program = printer->program;
    uint32_t last = 0, written = 0;

    for (uint32_t i = 0; i < program->variable_count; i++)
        if (needed[i] && program->variables[i]->stage + 1 > last)
            last = program->variables[i]->stage + 1;
    for (uint32_t stage = 0; stage < last; stage++) {
        uint32_t columns = 0;
        bool has_own = false;

        for (uint32_t i = 0; i < program->variable_count; i++)
            has_own |= needed[i] && program->variables[i]->stage == stage;
        if (!has_own)
            continue;
        text_printf(printer->out, "%ss%u AS (SELECT ", written ? ",\n" : "WITH ", written);
        for (uint32_t i = 0; i < program->variable_count; i++) {
            if (!needed[i] || program->variables[i]->stage > stage)
                continue;
            text_append_string(printer->out, columns++ ? ", " : "");
            if (program->variables[i]->stage < stage) {
                text_printf(printer->out, "v%u", i);
                continue;
            }
            sql_formula(printer, program->variables[i]);
            text_printf(printer->out, " AS v%u", i);
        }
        if (written > 0)
            text_printf(printer->out, " FROM s%u", written - 1);
        append(printer, printer->is_postgres ? " OFFSET 0)" : " LIMIT 1)");
        for (uint32_t i = 0; i < program->variable_count; i++)
            places[i] = written;
        written++;
    }
    return written;
}
