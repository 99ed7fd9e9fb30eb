/*
 * functions.h - totrain_predict('model', column, ...) and the other functions that score in a
 * query.
 *
 * The model is loaded once a statement, through a query on the same
 * connection, and kept as auxiliary data of the first argument, which is
 * constant in any sensible use.
 */
#ifndef EXTENSION_SQLITE_FUNCTIONS_H
#define EXTENSION_SQLITE_FUNCTIONS_H

#include "base/error.h"
#include "extension/sqlite/api.h"

/* Register totrain_predict, _probability, _probabilities, _logits, _distance, _version, the
 * aggregate of forecast_series.h, and the tables of job_vtab.c. */
enum status functions_register(sqlite3 *db, struct error *err);

/* The call of the function ends with the error and its hint. */
void function_raise(sqlite3_context *context, const char *function, const struct error *err);

#endif
