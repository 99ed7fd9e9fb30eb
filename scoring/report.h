/*
 * report.h - what EVALUATE says of a model beside single numbers, as rows.
 *
 *     confusion     actual, predicted, rows: every pair of labels; of more than REPORT_ALL_PAIRS
 *                   labels those that occur. actual is NULL of a label that the model does not know
 *     classes       class, precision, recall, f1, rows: a row a label
 *     roc           threshold, false_positive_rate, true_positive_rate: from the greatest
 *                   threshold, which is NULL and takes no row, down. Two classes
 *     pr            threshold, precision, recall: likewise, beginning with the first that takes
 *                   rows
 *     thresholds    threshold, precision, recall, f1, predicted_share, cost: likewise; also of many
 *                   rows the thresholds with the greatest F1 and with the least cost are among them
 *     gain          decile, threshold, rows, positives, lift, gain: tenths of the rows from the
 *                   greatest score down. Rows of one score that lie in two tenths are shared out,
 *                   so that positives are a real: their order makes no difference. Two classes
 *     calibration   bin, upto, rows, mean_predicted, actual: ten bins of the predicted
 *                   probability, each with its upper bound, which belongs to it. Two classes
 *     residuals     part, share, low, high, rows: of label minus prediction the quantiles (share)
 *                   and a histogram (share of the rows, rows)
 *     drift         input, psi, verdict, unseen, nulls_then, nulls_now, mean_then, mean_now,
 *                   median_then, median_now: of rows that need no label, by drift.h, which makes it
 *
 * Of more than REPORT_POINTS thresholds a curve has those that come next after each thousandth of
 * the rows; each of them is exact. A threshold is a probability, or a margin where there are none.
 * A row counts as positive from its threshold up. Rows are counted or sorted: their order makes no
 * difference to a bit.
 */
#pragma once

#include "base/arena.h"
#include "scoring/model.h"

#define REPORT_ALL_PAIRS  20
#define REPORT_LABELS_MAX 1000 /* labels of a confusion matrix */
#define REPORT_POINTS     1000
#define REPORT_ROWS_MAX   ((size_t)1 << 28) /* rows of residuals */
#define REPORT_COLUMNS    10

/* Costs of a mistake, in any unit, for REPORT_THRESHOLDS. */
struct report_costs {
    double false_positive, false_negative;
};
#define REPORT_COST_MAX 1e9

struct metrics_row;

/* Which columns it has; NULL-terminated. NULL of REPORT_METRICS. */
const char *const *report_columns(enum report_kind kind);
/* Is it of this task? */
bool report_is_of(enum report_kind kind, enum task task);
bool report_needs_probabilities(enum report_kind kind);
/* Is it of two classes alone? */
bool report_needs_two_classes(enum report_kind kind);

struct report; /* collects the rows */
/* INVALID for a model that has no such report. The model is borrowed. */
enum status report_new(const struct model *model, enum report_kind kind, struct report **report,
                       struct error *err);
void report_free(struct report *report);
/* Without it each mistake costs 1. */
void report_set_costs(struct report *report, const struct report_costs *costs);
/* A row that metrics_measure has given for this model. */
enum status report_add(struct report *report, const struct metrics_row *row, struct error *err);

/* Its rows, one behind the other, in the arena; their texts are the model's. */
struct report_rows {
    const struct cell *cells; /* (rows, columns) */
    size_t rows, columns;
};
enum status report_make(struct report *report, struct arena *arena, struct report_rows *rows,
                        struct error *err);
