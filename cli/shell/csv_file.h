/*
 * csv_file.h - the rows of a CSV or TSV file, read as they come.
 *
 *     id,name,"price, net"        the header: the names of the columns
 *     1,"say ""hello""",3.5       cells by RFC 4180: a quoted one may hold separators, quotes,
 * lines 2,,                         nothing between separators is no value; "" is an empty text
 *
 * Text is UTF-8; a byte order mark at the beginning is skipped, lines end in \n or \r\n, and empty
 * lines are none. All rows have as many cells as the header. Cells keep their blanks.
 */
#pragma once

#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

#define CSV_COLUMNS_MAX    2000
#define CSV_CELL_BYTES_MAX ((size_t)1 << 20)

struct csv_file {
    char separator;
    struct slice *names; /* (count): the header's, each another one */
    size_t count;
    uint64_t size; /* the file's bytes */
};

/* The reader of the rows. A function that fails ends the reading with its error. */
struct csv_reader {
    void *self;
    /* cells: (count of the file), without data where there is no value; borrowed until it returns.
     * line: of the file, from 1, on which the row ends. bytes: read so far. */
    enum status (*row)(void *self, const struct slice *cells, uint64_t line, uint64_t bytes,
                       struct error *err);
};

/* Reads the header. separator '\0': a tab where the name ends in .tsv or .tab or the header has
 * tabs and no commas, a semicolon where it has these and no commas, else a comma. A column without
 * a name is called column1, column2 ... by its place. INVALID, naming the line: no header, two
 * columns of one name, no UTF-8, too many columns. IO. To be closed when this succeeds. */
enum status csv_file_open(const char *path, char separator, struct csv_file *file,
                          struct error *err);
void csv_file_close(struct csv_file *file);

/* All rows behind the header. INVALID, naming the line, for a row of more or fewer cells, for a
 * cell of more than CSV_CELL_BYTES_MAX, as a quote that is never closed makes one, and for bytes
 * that are no UTF-8. */
enum status csv_file_read(const struct csv_file *file, const char *path,
                          const struct csv_reader *reader, struct error *err);
