/*
 * formula_sqlite_written.h - numbers and dates as people write them, in SQL of SQLite.
 */
#pragma once

#include "interop/formulas/formula_sql.h"

/* A subquery: the number, or the seconds, of a text that is written so; NULL: it is none. The
 * cell's formula_is_written. */
void sqlite_written(const struct sql_printer *printer, const struct formula *cell);
