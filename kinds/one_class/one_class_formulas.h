/*
 * one_class_formulas.h - a detector of outliers as formulas: kind->formulas.
 */
#pragma once

#include "scoring/formulas/formula.h"

enum status one_class_formulas(const struct model *model, struct formula_program *program,
                               const struct formula_row *row, const struct formula **outputs,
                               struct error *err);
