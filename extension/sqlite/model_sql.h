/*
 * model_sql.h - SQL about the tables of models: every % stands for the quoted schema, every $ for
 * the quoted table of the model.
 */
#ifndef EXTENSION_SQLITE_MODEL_SQL_H
#define EXTENSION_SQLITE_MODEL_SQL_H

#include "extension/sqlite/api.h"
#include "scoring/model_table.h"

#define CREATE_MODEL_TABLE "CREATE TABLE $ (part TEXT, name TEXT, position INTEGER, value, data)"

/* Of the schema alone. */
enum status execute_in(sqlite3 *db, struct slice schema, const char *format, struct error *err);
enum status prepare_in(sqlite3 *db, struct slice schema, struct slice table, const char *format,
                       sqlite3_stmt **statement, struct error *err);
/* Prepare, bind the cells, run. */
enum status run_in(sqlite3 *db, struct slice schema, struct slice table, const char *format,
                   const struct cell *cells, size_t count, struct error *err);
/* The first integer that the query gives, 0 without a row; ?1 and ?2 are bound. */
enum status first_integer(sqlite3 *db, struct slice schema, struct slice table, const char *format,
                          struct slice first, struct slice second, int64_t *value,
                          struct error *err);
/* INVALID where the statement that was run last has not written so many rows of a model, as where
 * a trigger on its table leaves some out. */
enum status check_written(sqlite3 *db, int64_t wanted, struct error *err);
/* A model_row_sink: ?1 to ?5 of a prepared statement, which is run, and writes one row. */
enum status insert_model_row(void *statement, const struct model_row *row, struct error *err);

#endif
