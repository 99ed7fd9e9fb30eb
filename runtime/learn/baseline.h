/*
 * baseline.h - is a model better than a constant?
 *
 *     classifier  no better    right as seldom, and as unsure, as who says the shares of the
 * classes without looking at a row; and it ranks the rows no better than chance sees no ...  it
 * ranks the rows, but predicts the most frequent class of all regressor   no better    farther from
 * the labels than their mean is
 *
 * Of the rows that were held out; of the training rows where there are none. Chance is two standard
 * deviations of what random ranks would give: a model that is a little better is not talked down.
 */
#ifndef RUNTIME_LEARN_BASELINE_H
#define RUNTIME_LEARN_BASELINE_H

#include "runtime/data/dataset.h"
#include "scoring/metrics.h"

#define BASELINE_ROWS_MIN 50 /* of fewer nothing is said */

/* `measured`: rows of the data set's kind, with labels. part: "validation", what the rows are. */
void baseline_notice(const struct dataset *dataset, struct metrics *measured, const char *part,
                     struct notice_list *notices);

#endif
