/*
 * bayes_formulas.h - naive Bayes as formulas: kind->formulas.
 */
#ifndef KINDS_BAYES_BAYES_FORMULAS_H
#define KINDS_BAYES_BAYES_FORMULAS_H

#include "scoring/formula.h"

enum status bayes_formulas(const struct model *model, struct formula_program *program,
                           const struct formula_row *row, const struct formula **outputs,
                           struct error *err);

#endif
