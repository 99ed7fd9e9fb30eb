/*
 * cell.h - one value of one row, as any host hands it over.
 */
#ifndef BASE_CELL_H
#define BASE_CELL_H

#include "base/text.h"

enum cell_type { CELL_NULL, CELL_INTEGER, CELL_REAL, CELL_TEXT, CELL_BLOB };

struct cell {
    enum cell_type type;
    int64_t integer;
    double real;
    struct slice text; /* CELL_TEXT, CELL_BLOB: borrowed from the host until its next row */
};

#endif
