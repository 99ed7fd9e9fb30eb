/*
 * formula_row.h - the transform of a model as formulas: from the cells of a row to the numbers and
 * ids that its kind takes.
 */
#pragma once

#include "scoring/formulas/formula.h"

/* All inputs of the program's model, in its arena. UNSUPPORTED naming one that no formula reads. */
enum status formula_row_make(struct formula_program *program, struct formula_row *row,
                             struct error *err);
