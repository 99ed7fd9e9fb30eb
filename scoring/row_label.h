/*
 * row_label.h - a row's label, for measuring a model against it.
 */
#pragma once

#include "scoring/model.h"

/* The class (-1: one that the model does not know), or for a regressor the value, and what its aim
 * (scoring/metrics/aim.h) needs besides. */
struct row_label {
    union {
        int64_t class;
        double value;
    };
    double upper;   /* a time's other bound, the value where no column has one; NaN: none */
    uint64_t group; /* group of a row that is ranked */
    uint64_t place; /* likewise: of rows with equal scores that of the least place is ranked higher;
                       0: their hashes decide */
};

/* `row` counts from 1, for messages. INVALID for a NULL and for what is no label. A model that is
 * learned without has none: cell may be NULL, and label is left alone. */
enum status row_label_read(const struct model *model, struct slice column, uint64_t row,
                           const struct cell *cell, struct row_label *label, struct error *err);

/* The row's group, and the upper bound of its time (NULL: there is none), of columns that EVALUATE
 * has for them. INVALID for a NULL group, and a bound that is none. */
enum status row_group_read(struct slice column, uint64_t row, const struct cell *cell,
                           struct row_label *label, struct error *err);
enum status row_upper_read(const struct model *model, struct slice column, uint64_t row,
                           const struct cell *cell, struct row_label *label, struct error *err);
