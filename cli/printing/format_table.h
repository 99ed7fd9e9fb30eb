/*
 * format_table.h - the aligned table, plain or of box-drawing characters.
 *
 *     name | train          ┌──────┬───────┐
 *    ------+-------         │ name │ train │
 *     loss |  0.05          ├──────┼───────┤
 *
 * Without a limit of rows the first TABLE_ROWS_HELD are held back until their widths are known; a
 * result that is longer goes on with these widths. With a limit its first and last rows are kept,
 * and written at the end with the number of those between.
 */
#pragma once

#include "base/cell.h"
#include "base/error.h"

#define TABLE_ROWS_HELD 1000

struct table_shape {
    bool is_box;
    bool is_rounded;  /* reals have five digits */
    bool is_wrapped;  /* a cell that is too wide goes on in the next line; else it is cut */
    unsigned columns; /* width of the screen that the table is to fit; 0: as wide as it is */
    unsigned rows;    /* shown at most; 0: all */
};

struct table;

/* NULL without memory. */
struct table *table_new(const struct slice *names, size_t count, const struct table_shape *shape);
void table_free(struct table *table);
enum status table_add(struct table *table, const struct cell *cells, struct text *out,
                      struct error *err);
void table_end(struct table *table, struct text *out);
