/*
 * scorecard_formulas.h - a score card as formulas: kind->formulas.
 */
#ifndef KINDS_SCORECARD_SCORECARD_FORMULAS_H
#define KINDS_SCORECARD_SCORECARD_FORMULAS_H

#include "scoring/formula.h"

enum status scorecard_formulas(const struct model *model, struct formula_program *program,
                               const struct formula_row *row, const struct formula **outputs,
                               struct error *err);

#endif
