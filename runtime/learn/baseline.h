/*
 * baseline.h - is a model better than a constant?
 *
 * A classifier is no better where it is right no more often than the most frequent class is, loses
 * no less than the classes' shares do, and ranks the rows of two classes, or recalls those of more,
 * no better than chance. It sees no rare class where it ranks the rows of two classes, but predicts
 * the more frequent one for all. A regressor is no better where it is as far from the labels as
 * their mean is, or farther.
 *
 * The rows are those that were held out, or the training rows where there are none. Chance ends two
 * standard deviations above the mean of random answers: a model that is a little better is not
 * talked down.
 */
#pragma once

#include "runtime/data/dataset/dataset.h"
#include "scoring/metrics.h"

#define BASELINE_ROWS_MIN 50 /* fewer rows get no notice */

/* `measured`: rows of the data set's kind, with labels. part: "validation", what the rows are. */
void baseline_notice(const struct dataset *dataset, struct metrics *measured, const char *part,
                     struct notice_list *notices);
