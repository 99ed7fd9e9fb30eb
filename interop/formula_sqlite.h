/*
 * formula_sqlite.h - a model as a view of SQLite, read by its stock shell.
 */
#pragma once

#include "scoring/formula.h"

/* Appended. name: of the model, any text. LIMIT where there is too much of it. */
enum status formula_print_sqlite(const struct formula_program *program, struct slice name,
                                 struct text *out, struct error *err);
