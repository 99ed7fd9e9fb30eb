/*
 * formula_postgres.h - a model as a view of PostgreSQL, and functions that read its cells.
 */
#pragma once

#include "scoring/formulas/formula.h"

/* Appended. name: of the model, any text. LIMIT where there is too much of it. */
enum status formula_print_postgres(const struct formula_program *program, struct slice name,
                                   struct text *out, struct error *err);
