/*
 * format.h - results as text: a table, lines, CSV, TSV, JSON or Markdown.
 *
 *     format      of one result of two columns
 *     table        name | train        aligned, numbers to the right; NULL is empty
 *                 ------+-------
 *                  loss |  0.05
 *     box         the same, drawn as a box
 *     line          name = loss          one column a line, an empty line between rows
 *                  train = 0.05
 *     csv         RFC 4180 quoting, lines end in \n; NULL is nothing, an empty text is ""
 *     tsv         the same with tabs
 *     json        [{"name":"loss","train":0.05}]
 *     markdown    | name | train |
 */
#pragma once

#include <stdio.h>

#include "extension/engine/host/sink.h"
#include "params/terms.h"

#define FORMAT_MAP(X)                                                                              \
    X(TABLE, "table")                                                                              \
    X(BOX, "box")                                                                                  \
    X(LINE, "line")                                                                                \
    X(CSV, "csv")                                                                                  \
    X(TSV, "tsv")                                                                                  \
    X(JSON, "json")                                                                                \
    X(MARKDOWN, "markdown")
#define FORMAT_NAMES "table|box|line|csv|tsv|json|markdown"

enum format {
#define X(name, text) FORMAT_##name,
    FORMAT_MAP(X)
#undef X
        FORMAT_BARE /* cells as they are, each on lines of its own: text to be copied (.schema) */
};

bool format_find(struct slice name, enum format *format);

struct table;

/* One result being written; the names are kept until it ends. */
struct formatter {
    enum format format;
    FILE *out;
    struct text line; /* the text to be written next */
    struct slice *names;
    size_t count;
    uint64_t rows;
    bool is_open;        /* columns were given */
    bool reader_is_gone; /* EPIPE: the rest is not written */
    bool is_ours;        /* tables and lines show reals with five digits, tables wrap wide cells */
    unsigned rows_max;   /* rows of a table on a terminal; 0: all, as after formatter_init() */
    int columns_max;     /* likewise; 0: any, as after formatter_init(); FORMAT_OF_TERMINAL */
    struct table *table; /* FORMAT_TABLE, FORMAT_BOX */
};

#define FORMAT_OF_TERMINAL (-1) /* columns_max: as wide as the terminal is */

void formatter_init(struct formatter *formatter, enum format format, FILE *out);
void formatter_deinit(struct formatter *formatter);

/* The functions of a sink; then the end of the result. IO when the reader of
 * the output has gone. */
enum status formatter_columns(void *formatter, const struct slice *names, size_t count,
                              struct error *err);
enum status formatter_row(void *formatter, const struct cell *cells, size_t count,
                          struct error *err);
enum status formatter_end(struct formatter *formatter, struct error *err);

/* A cell as bare text: reals so that they read back the same, blobs as X'00FF'. */
void cell_append(struct text *out, const struct cell *cell);
/* The same with reals of five digits. */
void cell_append_rounded(struct text *out, const struct cell *cell);
