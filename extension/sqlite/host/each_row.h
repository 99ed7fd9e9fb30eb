/*
 * each_row.h - the rows of a query, handed over whole.
 *
 * Stepping a SELECT and asking for each of its cells takes three calls of the
 * library a cell, which each take the connection's mutex. The same SELECT below
 * an aggregate function of ours takes one call a row, in the same order: SQLite
 * drops the ORDER BY of a subquery only below its own count(), min() and max().
 *
 *     WITH totrain_cells(c0, c1, ...) AS (SELECT ...)
 *         SELECT totrain_each_row(?1, c0, c1, ...) FROM totrain_cells
 *
 * ?1 is a pointer to the receiver of the rows, which SQL text cannot forge.
 */
#pragma once

#include "extension/sqlite/host/sqlite_host.h"

enum status each_row_register(sqlite3 *db, struct error *err);

/* Gives all rows of a statement, and nothing but rows, to the sink. False where
 * the statement must be stepped: it has more columns than a function has
 * arguments, or cannot be a subquery. Then no row was given. */
bool each_row(sqlite3_stmt *statement, const struct sink *sink, enum status *status,
              struct error *err);
