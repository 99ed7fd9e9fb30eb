/*
 * models.h - tables that may be models: found by name, and listed.
 */
#pragma once

#include "extension/engine/jobs/unpublished.h"
#include "extension/sqlite/host/sqlite_host.h"

struct located {
    bool exists;
    bool is_table; /* else a view, an index or a virtual table */
    char schema[256];
};
/* The place that this name leads to. An empty schema searches temp, main, and the attached
 * databases, as SQLite does. */
enum status locate(sqlite3 *db, struct slice schema, struct slice name, struct located *located,
                   struct error *err);
/* *has: its columns are the five of a model table, and nothing else. */
enum status has_model_columns(sqlite3 *db, struct slice schema, struct slice name, bool *has,
                              struct error *err);
bool host_has_schema(void *self, struct slice schema);
struct slice host_find_file(void *self, struct slice schema);
enum status host_find_place(void *self, struct slice schema, struct unpublished *unpublished,
                            struct error *err);
/* Functions of struct sql_variant. */
enum status sqlite_locate(struct sql_host *host, const struct sql_table *table,
                          struct sql_located *found, struct error *err);
enum status sqlite_list_tables(struct sql_host *host, const struct database_rows *rows,
                               struct error *err);
