/*
 * kmeans_formulas.h - clusters as formulas: kind->formulas.
 */
#ifndef KINDS_KMEANS_KMEANS_FORMULAS_H
#define KINDS_KMEANS_KMEANS_FORMULAS_H

#include "scoring/formula.h"

enum status kmeans_formulas(const struct model *model, struct formula_program *program,
                            const struct formula_row *row, const struct formula **outputs,
                            struct error *err);

#endif
