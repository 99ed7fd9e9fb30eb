/*
 * scan_rows.h - ranges of a table's rows into a spool, on a connection of our own.
 *
 * Stepping a SELECT and asking for each of its cells takes three calls of the
 * library a cell. The same SELECT as the argument of an aggregate function of
 * ours takes one call a row, which is handed all the values: the reading of 28
 * numeric columns in three fifths of the time. A row of more cells than a
 * function can have arguments (127, unless SQLite was built otherwise) is
 * stepped.
 */
#ifndef SQLITE_HOST_SCAN_ROWS_H
#define SQLITE_HOST_SCAN_ROWS_H

#include <stdatomic.h>

#include "sqlite_host/parallel_scan.h"

struct scan_rows {
    const struct scan *scan;
    struct spool_writer *writer;
    const atomic_bool *stop; /* looked at before each row */

    sqlite3 *db;
    sqlite3_stmt *statement;
    bool is_stepped;
    sqlite3_value **values; /* of a stepped row */
    double *reals;          /* of a row, those that lie side by side */
    enum status status;     /* of the rows so far, and why */
    struct error error;
};

/* `db` is used by nobody else until the end. False when the SELECT does not
 * work there, or no longer has the scan's columns; scan_rows_end all the same. */
bool scan_rows_begin(struct scan_rows *rows, sqlite3 *db, const struct scan *scan,
                     const struct plain_scan *plain, const char *rowid);
/* Puts the rows of these rowids, both included, until `stop` is set. */
enum status scan_rows_put(struct scan_rows *rows, int64_t first, int64_t last, struct error *err);
void scan_rows_end(struct scan_rows *rows);

#endif
