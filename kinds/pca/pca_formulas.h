/*
 * pca_formulas.h - components as formulas: kind->formulas.
 */
#pragma once

#include "scoring/formulas/formula.h"

enum status pca_formulas(const struct model *model, struct formula_program *program,
                         const struct formula_row *row, const struct formula **outputs,
                         struct error *err);
