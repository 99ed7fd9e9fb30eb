/*
 * embedding_formulas.h - a network over embeddings as formulas: kind->formulas.
 */
#ifndef KINDS_EMBEDDING_EMBEDDING_FORMULAS_H
#define KINDS_EMBEDDING_EMBEDDING_FORMULAS_H

#include "scoring/formula.h"

enum status embedding_formulas(const struct model *model, struct formula_program *program,
                               const struct formula_row *row, const struct formula **outputs,
                               struct error *err);

#endif
