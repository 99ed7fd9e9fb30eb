/*
 * targets.h - INTO, PREDICT and USING -> names of tables and models.
 */
#pragma once

#include "planner/plan/planning.h"

enum status target_plan(struct planning *planning, const struct path *path, struct slice *schema,
                        struct slice *name);
/* Bytes that the name of a table may have. */
size_t target_name_max(enum sql_dialect dialect);
/* The same checks of a target that a function names, not a statement: errors have no place. */
enum status target_check(const struct catalog *catalog, struct slice schema, struct slice name,
                         struct error *err);
/* Replacing the table of the model that is being used would lose the model. */
enum status target_check_not_model(const struct planning *planning, int position);
/* plan->replaces_any, by the attribute that sets it. */
enum status target_replacing(struct planning *planning, const char *attribute);
/* Both of INTO table, where the statement has one. */
enum status target_into(struct planning *planning, const char *attribute);
/* The place where a detached job makes this table: it opens the database anew, when this
 * session may be gone. */
enum status file_plan(struct planning *planning, struct slice schema, struct slice name);
enum status model_plan(struct planning *planning);
enum status model_find(struct planning *planning); /* model_plan, then its summary */
