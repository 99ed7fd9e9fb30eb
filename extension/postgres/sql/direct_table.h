/*
 * direct_table.h - tables that a job's workers may read themselves
 * (extension/engine/rows/direct.h): which they are, what is missing, and the lock under which their
 * rows stay.
 */
#pragma once

#include "extension/engine/rows/direct_order.h"
#include "extension/sql/sql_host.h"

enum status postgres_find_table(void *self, struct slice select, const struct slice *columns,
                                size_t count, struct arena *arena, struct direct_table *table,
                                struct error *err);
/* Against what takes rows away that a snapshot still sees (TRUNCATE, DROP, ALTER), for as long as
 * the transaction lasts. BUSY: they have other partitions than when they were found. */
enum status postgres_lock_tables(struct sql_host *host, const struct direct_order *order,
                                 struct error *err);
