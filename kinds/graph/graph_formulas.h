/*
 * graph_formulas.h - a model of a definition as formulas: kind->formulas.
 *
 * The graph is one step between the formulas of a row's columns and those of the outputs
 * (FORMULA_GRAPH), which a printer of graphs writes with operations of its own.
 */
#pragma once

#include "scoring/formulas/formula.h"

enum status graph_formulas(const struct model *model, struct formula_program *program,
                           const struct formula_row *row, const struct formula **outputs,
                           struct error *err);
