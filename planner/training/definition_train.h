/*
 * definition_train.h - TO TRAIN by a definition: its arguments among the settings, and the graph
 * that it makes of the inputs.
 *
 *     WITH model.dim = 32    definition_take_setting    plan->definition_values
 *     inputs                 definition_make_graph      plan->graph
 */
#pragma once

#include "planner/plan/planning.h"

/* Room for the values of its arguments. Once plan->definition is known. */
enum status definition_begin_values(struct planning *planning);

/* The argument of the definition that the setting sets; NULL: it sets none. */
const struct definition_argument *definition_argument_of(const struct planning *planning,
                                                         const struct setting *setting);
/* Is the setting an argument of the definition? False where the statement trains by none. INVALID
 * for a value of another type than its default's, and for a model.* that neither the definition nor
 * the kind of model has, with the nearest name. */
enum status definition_take_setting(struct planning *planning, const struct setting *setting,
                                    bool *is_taken);

/* When inputs and outputs are known. Nothing, where the statement trains by no definition. INVALID,
 * with line and column of the definition. */
enum status definition_make_graph(struct planning *planning);
