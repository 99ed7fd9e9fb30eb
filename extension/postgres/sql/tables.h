/*
 * tables.h - tables that our statements write: may they, and the writing itself.
 */
#pragma once

#include "extension/engine/jobs/unpublished.h"
#include "extension/sql/sql.h"

/* The schema of a new table whose name has none: the first of the search_path. */
enum status postgres_target_schema(struct sql_host *host, struct slice *schema,
                                   char buffer[SQL_NAME_BYTES], struct error *err);
/* PERMISSION, with a hint, where the caller may make no temporary table. */
enum status postgres_check_temporary(struct sql_host *host, struct error *err);
/* The schema alone: a reader of the model is in the same database. */
enum status postgres_find_place(void *self, struct slice schema, struct unpublished *unpublished,
                                struct error *err);
enum status postgres_check_functions(void *self, struct error *err);
enum status postgres_check_target(void *self, const struct table_target *target, struct error *err);
/* Functions of struct sql_variant. */
enum status postgres_keep_stage(struct sql_host *host, struct slice select, struct error *err);
const char *postgres_type_of(enum cell_type type);

/* CREATE TABLE ... AS a SELECT, and how many rows it has. `create` is all before AS. */
enum status postgres_create_as(struct sql_host *host, const struct text *create,
                               struct slice select, uint64_t *rows, struct error *err);
/* A table of that name. */
enum status postgres_create_table_as(struct sql_host *host, const struct sql_table *table,
                                     struct slice select, uint64_t *rows, struct error *err);
