/*
 * formula_sqlite.h - a model as a view of SQLite, read by its stock shell.
 */
#pragma once

#include "scoring/formulas/formula.h"

/* Appended. name: of the model, any text. LIMIT where there is too much of it. */
enum status formula_print_sqlite(const struct formula_program *program, struct slice name,
                                 struct text *out, struct error *err);

/* ----- for formula_sqlite_words.c ----- */

struct sql_printer;
/* SQL of a cell: @ is the column, ~ its text without white space around it. */
void sqlite_cell(const struct sql_printer *printer, uint32_t column, const char *sql);
/* An expression that raises an error: the column holds no such thing. */
void sqlite_refusal(const struct sql_printer *printer, uint32_t column, const char *wanted);
