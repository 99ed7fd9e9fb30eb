/*
 * formula_outputs.h - a stored model as formulas: what PREDICT has for a row of it.
 */
#pragma once

#include "scoring/formulas/formula.h"

/* The outputs: the prediction, and what else PREDICT has for models of its task. A program that was
 * zero gets them in the arena. UNSUPPORTED with a hint for models that have no formulas, LIMIT for
 * those that are too large for it. */
enum status model_formulas(const struct model *model, struct arena *arena,
                           struct formula_program *program, struct error *err);
