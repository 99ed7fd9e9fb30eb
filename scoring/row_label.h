/*
 * truth.h - a row's label, for measuring a model against it.
 */
#ifndef SCORING_TRUTH_H
#define SCORING_TRUTH_H

#include "scoring/model.h"

/* The class (-1: one that the model does not know), or for a regressor the value. */
union truth {
    int64_t class;
    double value;
};

/* `row` counts from 1, for messages. INVALID for a NULL and for what is no label. A model that is
 * learned without has none: cell may be NULL, and truth is left alone. */
enum status truth_read(const struct model *model, struct slice column, uint64_t row,
                       const struct cell *cell, union truth *truth, struct error *err);

#endif
