/*
 * pca_formulas.h - components as formulas: kind->formulas.
 */
#ifndef KINDS_PCA_PCA_FORMULAS_H
#define KINDS_PCA_PCA_FORMULAS_H

#include "scoring/formula.h"

enum status pca_formulas(const struct model *model, struct formula_program *program,
                         const struct formula_row *row, const struct formula **outputs,
                         struct error *err);

#endif
