/*
 * run.h - a statement of ours as a function call.
 *
 *     totrain('...'[, value, ...])    the statement's rows as a JSON array of objects; values of
 * the parameters of its SELECT totrain_exec, totrain_more,     what a bare statement becomes
 * (bare.c): a handle of its rows totrain_cell, totrain_raise     (result.h), read one by one
 *     totrain_config(name[, value])   settings of the connection
 */
#pragma once

#include "extension/sqlite/functions/sqlite_connection.h"

/* Registers totrain(), totrain_exec(), totrain_more(), totrain_cell(), totrain_raise() and
 * totrain_config(), and exchange_functions.h, on a connection; closing it removes them. */
int run_register(struct sqlite_connection *connection);

/* The number for totrain_exec() that stands for the columns that its statement was prepared with:
 * their count and a hash of their names. Columns depend on the database's contents, as those of
 * SHOW TRAIN on the model's metrics. */
int64_t columns_promise(const struct slice *names, size_t count);

/* The function ends with the error, as every door shows it: line, caret and hint. */
void run_raise(sqlite3_context *context, struct slice statement, const struct error *err);

/* Its message, for sqlite3_free(); NULL when memory ran out. */
char *run_message(struct slice statement, const struct error *err);

/* Runs a statement of ours with the values of its SELECT's parameters; its rows go into the result,
 * many of them into a file where the jobs' files lie. *written: the statement as it ran, to which
 * the error's position belongs. */
enum status run_into(struct sqlite_connection *connection, struct slice text, int count,
                     sqlite3_value **values, struct text *written, struct query_result *result,
                     struct error *err);

/* The same, and the functions that score, for a program that has SQLite linked in: `SELECT
 * totrain(...)` works there as in any other. */
enum status run_open(sqlite3 *db, const char *program, struct error *err);
