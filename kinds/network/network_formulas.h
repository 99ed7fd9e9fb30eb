/*
 * network_formulas.h - a network as formulas: kind->formulas.
 */
#pragma once

#include "kinds/network/network_model.h"
#include "scoring/formulas/formula.h"

/* Adds output j of a layer of `inputs` inputs x, of those of its rows: the bias, if it has one, and
 * the products. */
void network_layer_terms(struct formula_program *program, const struct layer *layer, uint32_t j,
                         const struct formula *const *x, uint32_t inputs,
                         struct formula_terms *terms);
const struct formula *network_activated(struct formula_program *program, enum activation activation,
                                        const struct formula *z);

enum status network_formulas(const struct model *model, struct formula_program *program,
                             const struct formula_row *row, const struct formula **outputs,
                             struct error *err);
