/*
 * row_file.h - rows that are written once and read in their order, in a file without a name.
 *
 * What is left of it when the process ends, in whatever way, is nothing; and no memory but a
 * buffer, and one row, is taken.
 */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "base/cell.h"
#include "base/error.h"

struct row_file {
    FILE *file; /* NULL: none */
    struct text bytes;
    struct cell *cells;  /* (columns): the row last read, which lies in `bytes` */
    size_t columns;      /* columns of each row */
    uint64_t rows, next; /* how many were put; the one that is read next */
};

/* Zeroed. IO where the folder takes no file. */
enum status row_file_open(struct row_file *rows, const char *folder, size_t columns,
                          struct error *err);
void row_file_close(struct row_file *rows);

enum status row_file_put(struct row_file *rows, const struct cell *cells, struct error *err);
/* All are put. IO, where the disk is full. */
enum status row_file_end(struct row_file *rows, struct error *err);
/* Row `index`, until the next call; from the first row on again for one before the last. NULL where
 * there is no such row, or the file cannot be read. */
const struct cell *row_file_read(struct row_file *rows, uint64_t index);
