/*
 * cell.h - one value of one row, as any host hands it over.
 */
#pragma once

#include "base/text.h"

enum cell_type { CELL_NULL, CELL_INTEGER, CELL_REAL, CELL_TEXT, CELL_BLOB, CELL_VECTOR };

/* The meaning of a number that the database has as a date or a time. */
enum cell_time {
    CELL_PLAIN,
    CELL_DAYS,   /* CELL_INTEGER: days since 1970-01-01; CELL_REAL: an infinite date */
    CELL_SECONDS /* CELL_REAL: seconds since then */
};

/* The reason why an array is not a vector. */
enum vector_fault { VECTOR_FAULTLESS, VECTOR_HAS_NULLS, VECTOR_HAS_DIMENSIONS };

struct cell {
    enum cell_type type;
    enum cell_time time; /* a number's meaning; a caller that does not ask takes the number */
    int64_t integer;     /* CELL_VECTOR: an enum vector_fault, with which there are no elements */
    double real;
    /* CELL_TEXT, CELL_BLOB: borrowed from the host until its next row. CELL_VECTOR: likewise,
     * the bytes of its doubles, one behind the other, at any address. */
    struct slice text;
};

static inline size_t cell_elements(const struct cell *cell)
{
    return cell->text.size / sizeof(double);
}
