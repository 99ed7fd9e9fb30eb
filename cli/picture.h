/*
 * picture.h - rows that judge a model, as a picture (svg.h).
 *
 *     history       SHOW TRAIN                   loss of training and held-out rows by epoch
 *     confusion     evaluate.report confusion    how many rows of a class are taken for which
 *     roc, pr       evaluate.report roc, pr      a curve over all thresholds, and the area below
 *     calibration   evaluate.report calibration  how often what is predicted comes true
 *     importance    TO EXPLAIN                   what an input adds to the metric
 *     forecast      TO PREDICT of a forecast     values that came, those expected, and their bounds
 *
 * A pure function of the rows: no database, no clock. Columns are found by their names.
 */
#ifndef CLI_PICTURE_H
#define CLI_PICTURE_H

#include "base/cell.h"
#include "base/error.h"
#include "cli/svg.h"

#define PICTURE_CLASSES_MAX 40 /* classes of a confusion matrix */
#define PICTURE_INPUTS_MAX  40 /* the most important ones */

enum picture_kind {
    PICTURE_HISTORY,
    PICTURE_CONFUSION,
    PICTURE_ROC,
    PICTURE_PR,
    PICTURE_CALIBRATION,
    PICTURE_IMPORTANCE,
    PICTURE_FORECAST
};

struct picture_table {
    const struct slice *names;
    size_t column_count;
    const struct cell *cells; /* (row_count, column_count) */
    size_t row_count;
};

#define PICTURE_KINDS "history, confusion, roc, pr, calibration, importance or forecast"

bool picture_find(struct slice name, enum picture_kind *kind);
/* The report of EVALUATE; NULL: it comes of another statement. */
const char *picture_report(enum picture_kind kind);

/* The two columns of a forecast before `expected` are the time and the value, and those before them
 * tell series, of which there may be one. Rows come in the order of time.
 *
 * INVALID where the rows are not those of the kind, or none; LIMIT for too many classes. `model`
 * goes into the title. */
enum status picture_draw(enum picture_kind kind, const struct picture_table *table,
                         struct slice model, enum theme theme, struct text *svg, struct error *err);

#endif
