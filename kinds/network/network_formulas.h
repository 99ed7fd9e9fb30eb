/*
 * network_formulas.h - a network as formulas: kind->formulas.
 */
#ifndef KINDS_NETWORK_NETWORK_FORMULAS_H
#define KINDS_NETWORK_NETWORK_FORMULAS_H

#include "scoring/formula.h"

enum status network_formulas(const struct model *model, struct formula_program *program,
                             const struct formula_row *row, const struct formula **outputs,
                             struct error *err);

#endif
