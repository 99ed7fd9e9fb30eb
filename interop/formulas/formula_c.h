/*
 * formula_c.h - a model as one file of C, without a library and without allocation.
 */
#pragma once

#include "scoring/formulas/formula.h"

/* Appended. name: of the model, any text. LIMIT where there is too much of it. */
enum status formula_print_c(const struct formula_program *program, struct slice name,
                            struct text *out, struct error *err);
