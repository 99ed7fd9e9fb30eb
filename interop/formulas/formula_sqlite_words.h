/*
 * formula_sqlite_words.h - words by their hash, crosses, and free text, in SQL of SQLite.
 */
#pragma once

#include "interop/formulas/formula_sql.h"

/* False: the formula is none of these. */
bool sqlite_read_words(const struct sql_printer *printer, const struct formula *cell);
