/*
 * metric_notices.h - why a metric has no value, and which rows count as wrong: for the results of
 * TRAIN and EVALUATE, which have a NULL there, or a number that is to be read with care.
 */
#pragma once

#include "scoring/metrics.h"

/* The notice for a metric whose value is no finite number. of: "", or which rows these are, after a
 * blank: " of the validation rows". */
void metric_null_notice(const struct metrics *metrics, enum metric metric, const char *of,
                        struct notice_list *notices);
/* Where there are rows of labels that the model has not learned. */
void unknown_label_notice(const struct metrics *metrics, struct notice_list *notices);
