/*
 * one_class_formulas.h - a detector of outliers as formulas: kind->formulas.
 */
#ifndef KINDS_ONE_CLASS_ONE_CLASS_FORMULAS_H
#define KINDS_ONE_CLASS_ONE_CLASS_FORMULAS_H

#include "scoring/formula.h"

enum status one_class_formulas(const struct model *model, struct formula_program *program,
                               const struct formula_row *row, const struct formula **outputs,
                               struct error *err);

#endif
