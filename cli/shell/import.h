/*
 * import.h - .import FILE TABLE: a CSV or TSV file becomes a table, or more rows of one.
 *
 * The file is read twice: to find the types of its columns from all of its rows, and to insert
 * them. Either all rows come into the database or none.
 *
 *     cells of a column                      SQLite        PostgreSQL
 *     all whole numbers                      INTEGER       bigint
 *     all numbers                            REAL          double precision
 *     more numbers than texts                as above,     text
 *                                            and the texts
 *                                            stay texts
 *     numbers in another spelling, as        REAL          double precision
 *     1.234,50 or $5, by one way of
 *     writing (inputs/cells/written_number.h)
 *     dates in another form than ISO's,      TEXT, in      text, likewise
 *     by one order (inputs/cells/dates.h)         ISO's form
 *     all bytes, as \x89504e47, some of      BLOB          bytea
 *     them not empty
 *     all others; also 007, which is no      TEXT          text
 *     number but a code
 *
 * What may be read in two ways, several currencies, and percents beside other numbers stay texts.
 * Bytes stay texts in a column of a table that is there, if its type is one of texts.
 * What is stored otherwise than it is written is told, and a header that looks like a row.
 * Nothing between two separators is NULL.
 */
#pragma once

#include "cli/session/session.h"

/* path: the file's. separator: '\0' finds it (csv_file.h). table: as it is written in SQL, of a
 * schema or without; one that is there gets the rows in SQLite, into the columns of the header's
 * names. *rows is how many came. */
enum status import_file(struct session *session, const char *path, char separator,
                        struct slice table, uint64_t *rows, struct error *err);
