/*
 * formula_sql.h - what SQLite's and PostgreSQL's SQL have in common: all but how cells are read,
 * and where variables are.
 */
#pragma once

#include "interop/formulas/formula_print.h"

#define SQL_VARIABLES_MOST 1500 /* both have at most some 1,600 columns */
#define SQL_PREFIX_MOST    40   /* bytes of a model's name in that of a view or a function */

struct sql_printer {
    const struct formula_program *program;
    struct slice prefix;
    struct text *out;
    bool is_postgres;
    const uint32_t *places; /* (variables): the subquery sN that has it */
    void (*read)(const struct sql_printer *printer, const struct formula *cell);
};

void sql_formula(const struct sql_printer *printer, const struct formula *formula);
void sql_number(const struct sql_printer *printer, double number);
/* 'text', of PostgreSQL's E'text' where it has backslashes. */
void sql_literal(const struct sql_printer *printer, struct slice text);
/* r."name" */
void sql_column(const struct sql_printer *printer, uint32_t column);
/* The output, a class as its label. */
void sql_output(const struct sql_printer *printer, const struct formula_output *output);
/* "PREFIXending" */
void sql_object_name(const struct sql_printer *printer, const char *ending);
/* The spellings of a missing value, as a list of literals; '' alone of READING_STRICT. */
void sql_missing(const struct sql_printer *printer, enum input_reading reading);

/* LIMIT for more variables than columns; else their places, by stage, the caller's to free. */
enum status sql_places(const struct formula_program *program, uint32_t **places, struct error *err);

/* WITH s0 AS (...), s1 AS (...): a subquery for each stage of the variables that are needed, which
 * has those of before that later ones use, and its own. How many; `places` gets the last one, which
 * has what the outputs are made of. What ends a subquery keeps the database from writing the
 * formula of a variable wherever it is used. */
uint32_t sql_stages(const struct sql_printer *printer, uint32_t *places, const bool *needed);
