/*
 * scan_rows.h - ranges of a table's rows into a spool, on a connection of our own.
 *
 * Stepping a SELECT and asking for each of its cells takes three calls of the
 * library a cell. The same SELECT as the argument of an aggregate function of
 * ours takes one call a row, which is handed all the values: the reading of 28
 * numeric columns in three fifths of the time. A row of more cells than a
 * function can have arguments (126 and the rowid, unless SQLite was built
 * otherwise) is stepped.
 */
#pragma once

#include <stdatomic.h>

#include "extension/sqlite/host/parallel_scan.h"

struct scan_rows {
    const struct scan *scan;
    struct spool_writer *writer;
    const atomic_bool *stop; /* looked at before each row */

    sqlite3 *db;
    sqlite3_stmt *statement;
    bool is_stepped;
    sqlite3_value **values; /* cells of a stepped row */
    double *reals;          /* numbers of a row that lie side by side */
    uint64_t count, most;   /* rows put by the present call */
    int64_t at;             /* rowid of the last */
    enum status status;     /* status of the rows so far, and why */
    struct error error;
};

/* `db` is used for nothing else until the end. False when the SELECT does not
 * work there, or no longer has the scan's columns; scan_rows_end all the same. */
bool scan_rows_begin(struct scan_rows *rows, sqlite3 *db, const struct scan *scan,
                     const struct plain_scan *plain, const char *rowid);
/* Puts the rows from rowid `first` to `last`, both included, until there were
 * `most` or `stop` is set. rows->count is then their number; where it is `most`,
 * rows->at is the rowid of the last one, and nothing behind it was put. */
enum status scan_rows_put(struct scan_rows *rows, int64_t first, int64_t last, uint64_t most,
                          struct error *err);
void scan_rows_end(struct scan_rows *rows);
