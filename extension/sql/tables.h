/*
 * tables.h - tables that statements write, from queries and from rows of cells.
 */
#pragma once

#include "extension/sql/sql_host.h"

/* Functions of host_tables. */
enum status sql_fill_tables(void *self, struct slice stage, struct fill *fills, size_t count,
                            struct error *err);
enum status sql_write_rows(void *self, const struct table_target *target, const struct slice *names,
                           size_t columns, const struct cell *cells, size_t rows,
                           struct error *err);
