/*
 * formula_postgres_written.h - numbers and dates as people write them, in functions of PostgreSQL.
 */
#pragma once

#include "interop/formulas/formula_sql.h"

/* White space, which is around texts. Before version 16 '\v' is the letter. */
#define POSTGRES_SPACES "E' \\t\\n\\x0b\\f\\r'"

/* PREFIX_written(text, sign before a fraction), PREFIX_written_date(text, how: 0 of one order, 1
 * day first, 2 month first): NULL for what is none. Texts are without white space around them. */
void postgres_written_functions(const struct sql_printer *printer, struct formula_written found);
