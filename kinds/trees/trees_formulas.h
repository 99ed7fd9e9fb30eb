/*
 * trees_formulas.h - trees as formulas: kind->formulas.
 */
#ifndef KINDS_TREES_TREES_FORMULAS_H
#define KINDS_TREES_TREES_FORMULAS_H

#include "scoring/formula.h"

enum status trees_formulas(const struct model *model, struct formula_program *program,
                           const struct formula_row *row, const struct formula **outputs,
                           struct error *err);

#endif
