/*
 * replace.h - a table of the caller's in the place of an older one: which may be replaced, and what
 * the new one keeps of it.
 *
 *     new table, filled --lock the old one, check it again--> drop it --rename--> owner,
 *                                    |                        privileges and comments of the old
 *                                    |                        one, as which it is stored
 *                                    +--published, of the same columns--> empty it --> its rows
 *
 * A table that TO PREDICT or EVALUATE made has a mark in its comment. Only its owner can put one
 * there; it goes with the table through renames, changes of schema and dumps, but not into copies;
 * and it counts the columns, so that it no longer fits when a column was added.
 */
#pragma once

#include "extension/postgres/sql/models.h"
#include "extension/sql/sql.h"

/* The part of postgres_check_target that is made again when the time to write has come. */
enum status postgres_check_replaced(struct sql_host *host, const struct sql_located *located,
                                    const struct table_target *target, struct error *err);
/* Functions of struct sql_variant. `make` makes and fills a table of a new name, which then
 * replaces the target and keeps its owner, privileges, comments and storage. INVALID where what has
 * the target's name may not be replaced; the caller rolls back. */
enum status postgres_replace(struct sql_host *host, const struct table_target *target,
                             sql_maker *make, void *context, struct error *err);
enum status postgres_replace_by_select(struct sql_host *host, struct fill *fill, bool is_staged,
                                       struct error *err);
enum status postgres_create(struct sql_host *host, const struct sql_new_table *new,
                            const char *columns, struct error *err);
/* The function of host_marks: the mark is a line of the table's comment. */
bool postgres_has_mark(void *self, struct slice schema, struct slice table, struct slice mark);
/* Drop a temporary table of our own where there is one. */
enum status postgres_drop_kept(struct sql_host *host, const struct sql_table *table,
                               struct error *err);
