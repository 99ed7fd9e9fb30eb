/*
 * definitions.h - DEFINE MODEL, SHOW, DROP, EXPORT and IMPORT DEFINITION, and the definition that a
 * TO TRAIN names.
 *
 * What comes with the product (definition/zoo.h) is found before what is stored, and no user gives
 * anything else its name.
 */
#pragma once

#include "planner/plan/planning.h"

enum status definition_plan_define(struct planning *planning);
enum status definition_plan_show(struct planning *planning);
enum status definition_plan_drop(struct planning *planning);
enum status definition_plan_import(struct planning *planning);

/* WITH model.dim must mean one thing: INVALID at an argument that is an attribute of all models. */
enum status definition_check_arguments(const struct definition *definition, struct arena *arena,
                                       struct error *err);

/* The definition of statement->model, into plan->definition. NOT_FOUND at the name, with the
 * nearest one. */
enum status definition_find(struct planning *planning);
