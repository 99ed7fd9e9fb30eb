/*
 * functions.h - totrain_predict('model', column, ...) and the other functions that score in a
 * query.
 *
 * A statement takes its model once (model_cache.h), and holds it as auxiliary data of the first
 * argument. Where that is no constant SQLite drops it after each row, and the next one takes it
 * again.
 */
#pragma once

#include "extension/sqlite/functions/sqlite_connection.h"

/* Register totrain_predict, _probability, _probabilities, _logits, _distance, _version, the
 * aggregate of forecast_series.h, and the tables of job_vtab.c. */
enum status functions_register(struct sqlite_connection *connection, struct error *err);

/* The call of the function ends with the error and its hint. */
void function_raise(sqlite3_context *context, const char *function, const struct error *err);
