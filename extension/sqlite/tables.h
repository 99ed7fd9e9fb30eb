/*
 * tables.h - tables that our statements write: may they, and the writing itself.
 */
#ifndef EXTENSION_SQLITE_TABLES_H
#define EXTENSION_SQLITE_TABLES_H

#include "extension/sqlite/sqlite_host.h"

enum status host_check_target(void *self, const struct table_target *target, struct error *err);
/* The part of host_check_target that is made again in the transaction that writes. */
enum status check_target_kind(struct sqlite_host *host, const struct table_target *target,
                              struct error *err);
/* Drop what has the target's name, where the target may replace it. */
enum status drop_replaced(struct sqlite_host *host, const struct table_target *target,
                          struct error *err);
/* The host's CREATE TABLE for a target, with the marks by which later statements know it. */
enum status create_marked(struct sqlite_host *host, const struct table_target *target,
                          struct slice create, struct error *err);
enum status host_fill_tables(void *self, struct slice stage, struct fill *fills, size_t count,
                             struct error *err);
enum status host_write_rows(void *self, const struct table_target *target,
                            const struct slice *names, size_t columns, const struct cell *cells,
                            size_t rows, struct error *err);

enum status drop_table(sqlite3 *db, struct slice schema, struct slice table, struct error *err);

#endif
