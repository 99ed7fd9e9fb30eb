/*
 * write_model.h - a table of models is made, and rows of a model are put into it.
 */
#ifndef EXTENSION_POSTGRES_SQL_WRITE_MODEL_H
#define EXTENSION_POSTGRES_SQL_WRITE_MODEL_H

#include "extension/sql/sql.h"
#include "scoring/model_table.h"

/* One statement with many rows of parameters, between begin and end. */
struct pg_insertion {
    struct sql_host *host;
    struct database_prepared *prepared;
};
/* `format` is SQL in which every @ stands for the table (sql.h). */
enum status pg_insertion_begin(struct pg_insertion *insertion, struct sql_host *host,
                               const char *format, const struct sql_table *table,
                               const enum cell_type *types, size_t count, struct error *err);
enum status pg_insertion_row(struct pg_insertion *insertion, const struct cell *cells,
                             struct error *err);
/* Of all rows before it: the first error counts. */
enum status pg_insertion_end(struct pg_insertion *insertion, enum status so_far, struct error *err);

/* One writer of a name at a time, until the transaction ends: the second one finds what the first
 * one made. */
enum status pg_lock_model(struct sql_host *host, const struct sql_table *table, struct error *err);
/* The same over several transactions: until pg_lock_model, an error that ends a transaction, or the
 * end of the session. */
enum status pg_hold_model(struct sql_host *host, const struct sql_table *table, struct error *err);
/* An empty one, of the caller's. */
enum status pg_create_model_table(struct sql_host *host, const struct sql_table *table,
                                  struct error *err);
/* As model_write_some (model_write.h): from row number *next on. */
enum status pg_write_model(struct sql_host *host, const struct sql_table *table,
                           const struct model *model, uint64_t *next, size_t bytes_max,
                           bool *is_at_end, struct error *err);

#endif
