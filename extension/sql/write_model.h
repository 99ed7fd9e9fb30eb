/*
 * write_model.h - a table of models is made, and rows of a model are put into it.
 */
#pragma once

#include "extension/sql/sql_host.h"
#include "scoring/tables/model_table.h"

/* One statement with many rows of parameters, between begin and end. */
struct sql_insertion {
    struct sql_host *host;
    struct database_prepared *prepared;
};
/* `format` is SQL in which every @ stands for the table (sql.h). */
enum status sql_insertion_begin(struct sql_insertion *insertion, struct sql_host *host,
                                const char *format, const struct sql_table *table,
                                const enum cell_type *types, size_t count, struct error *err);
enum status sql_insertion_row(struct sql_insertion *insertion, const struct cell *cells,
                              struct error *err);
/* The first error of the rows before it counts. */
enum status sql_insertion_end(struct sql_insertion *insertion, enum status so_far,
                              struct error *err);

/* One writer of a name at a time, until the transaction ends: the second one finds what the first
 * one made. */
enum status sql_lock_model(struct sql_host *host, const struct sql_table *table, struct error *err);
/* The same over several transactions: until sql_lock_model, an error that ends a transaction, or
 * the end of the session. */
enum status sql_hold_model(struct sql_host *host, const struct sql_table *table, struct error *err);
/* Some rows of a model, as model_write_some (model_write.h) gives them. */
struct model_writing {
    const struct model *model;
    uint64_t next;    /* number of the first row; afterwards of that behind the last one */
    size_t bytes_max; /* SIZE_MAX: all that are left */
    bool is_at_end;   /* afterwards: it was the last one */
    bool are_pieces;  /* into a table of pieces, whose rows have numbers */
};
enum status sql_write_model(struct sql_host *host, const struct sql_table *table,
                            struct model_writing *part, struct error *err);
