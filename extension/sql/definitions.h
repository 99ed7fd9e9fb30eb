/*
 * definitions.h - definitions of models (definition/definition.h) as tables.
 *
 *     part          name          position   value   data
 *     definition    zoo/tower     version    0       DEFINE MODEL zoo/tower (...) AS '...'
 *     created_at    zoo/tower     version    0       2026-11-30T02:00:00Z
 *
 * A definition's table has its name and the columns of a model. So it is found along the same
 * paths, read by the same functions, which run nothing that its owner has made, and GRANT SELECT
 * lets another role train by it (docs/decisions/0337-definitions-are-tables.md).
 */
#pragma once

#include "extension/sql/sql_host.h"

/* A function of the catalog. */
enum status sql_find_definition(void *self, struct slice schema, struct slice name,
                                struct arena *arena, struct stored_definition *stored,
                                struct error *err);

extern const struct host_definitions sql_definitions;
