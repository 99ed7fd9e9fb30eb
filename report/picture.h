/*
 * picture.h - rows that judge a model, as a picture (svg.h).
 *
 *     history      SHOW TRAIN                     loss of training and held-out rows by epoch
 *     confusion    evaluate.report confusion      rows by actual and predicted class
 *     roc, pr      evaluate.report roc, pr        a curve over all thresholds, and the area below
 *     gain         evaluate.report gain           positives in the tenths with the best scores
 *     calibration  evaluate.report calibration    how often what is predicted comes true
 *     residuals    evaluate.report residuals      how far predictions are from the label
 *     importance   TO EXPLAIN                     what an input adds to the metric
 *     shap         TO EXPLAIN USING shap          how far an input moves the prediction of each row
 *     dependence   ... USING partial_dependence   the prediction by the values of an input
 *     forecast     TO PREDICT of a forecast       values that came, those expected, their bounds
 *
 * A pure function of the rows: no database, no clock. Columns are found by their names.
 */
#pragma once

#include "base/cell.h"
#include "base/error.h"
#include "report/svg.h"

#define PICTURE_CLASSES_MAX 40 /* classes of a confusion matrix */
#define PICTURE_INPUTS_MAX  40 /* the most important ones */
#define PICTURE_PANELS_MAX  12 /* inputs of a picture of dependence, each with a panel */

enum picture_kind {
    PICTURE_HISTORY,
    PICTURE_CONFUSION,
    PICTURE_ROC,
    PICTURE_PR,
    PICTURE_GAIN,
    PICTURE_CALIBRATION,
    PICTURE_RESIDUALS,
    PICTURE_IMPORTANCE,
    PICTURE_SHAP,
    PICTURE_DEPENDENCE,
    PICTURE_FORECAST
};

struct picture_table {
    const struct slice *names;
    size_t column_count;
    const struct cell *cells; /* (row_count, column_count) */
    size_t row_count;
};

#define PICTURE_KINDS                                                                              \
    "history, confusion, roc, pr, gain, calibration, residuals, importance, shap, dependence or "  \
    "forecast"

bool picture_find(struct slice name, enum picture_kind *kind);
/* Is it drawn from rows of a SELECT? That of training is kept with the model. */
bool picture_needs_rows(enum picture_kind kind);
/* Appends the statement whose rows it is drawn from. `model` as in statements. */
void picture_statement(enum picture_kind kind, struct slice select, struct slice model,
                       struct text *sql);

/* The two columns of a forecast before `expected` are the time and the value, and those before them
 * tell series, of which there may be one. Rows come in the order of time.
 *
 * INVALID where the rows are not those of the kind, or none; LIMIT for too many classes. `model`
 * goes into the title. */
enum status picture_draw(enum picture_kind kind, const struct picture_table *table,
                         struct slice model, enum theme theme, struct text *svg, struct error *err);
