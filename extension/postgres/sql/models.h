/*
 * models.h - tables that may be models: found by name, and listed.
 */
#pragma once

#include "extension/sql/sql_host.h"

/* Functions of struct sql_variant. An empty schema: along the search_path. */
enum status postgres_locate(struct sql_host *host, const struct sql_table *table,
                            struct sql_located *located, struct error *err);
enum status postgres_list_tables(struct sql_host *host, const struct database_rows *rows,
                                 struct error *err);
void postgres_hint_model(struct slice name, struct slice nearest, struct slice shown,
                         struct error *err);
enum status postgres_check_label_type(struct sql_host *host, struct slice name, struct arena *arena,
                                      struct slice *checked, struct error *err);
/* The function of the catalog. */
bool postgres_has_schema(void *self, struct slice schema);
