/*
 * formula_sqlite.h - a model as a view of SQLite, read by its stock shell.
 */
#ifndef INTEROP_FORMULA_SQLITE_H
#define INTEROP_FORMULA_SQLITE_H

#include "scoring/formula.h"

/* Appended. name: of the model, any text. LIMIT where there is too much of it. */
enum status formula_print_sqlite(const struct formula_program *program, struct slice name,
                                 struct text *out, struct error *err);

#endif
