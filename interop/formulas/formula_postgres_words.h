/*
 * formula_postgres_words.h - words by their hash, crosses, and free text, in SQL of PostgreSQL.
 */
#pragma once

#include "interop/formulas/formula_sql.h"

/* Does the formula read such words? *has_terms is set where it reads a text. */
bool postgres_words_found(const struct formula *formula, bool *has_terms);
/* The functions that the formulas call. */
void postgres_words_functions(const struct sql_printer *printer, bool has_terms);
/* False: the formula is none of these. */
bool postgres_read_words(const struct sql_printer *printer, const struct formula *cell);
