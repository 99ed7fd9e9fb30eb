/*
 * number_origin.h - from where the numbers of a column, or labels, are counted before they become
 * floats, where a kind of model takes them as they are (scoring/transform/transform.h).
 *
 * A float has 24 bits. Seconds since 1970 are 128 of them apart as floats, days as 20240131 two,
 * and a price of a million has steps of .06. What such numbers are is in how they differ, and the
 * difference from a number in their midst keeps nearly all of it. The midst is the median, so that
 * a few far values, or a code for missing ones, do not move it.
 *
 * Pure: functions of a sample of the training rows (runtime/data/spool/column_sample.h), or of what
 * a model of another program compares with (interop/forest_origins.h).
 */
#pragma once

#include <stddef.h>

/* sorted (count): finite, ascending. 0: floats tell the numbers apart as well as they do from any
 * origin. */
double number_origin_of_input(const double *sorted, size_t count);

/* The same of labels, of which sums are made: 0 where the median is no farther from 0 than
 * LABEL_ORIGIN_LEAST times as wide as their middle half is. */
double number_origin_of_label(const double *sorted, size_t count);

/* The same of the thresholds that a column is compared with, where its numbers are not known: 0
 * where the median is no farther from 0 than THRESHOLD_ORIGIN_LEAST times as wide as their middle
 * half is, or all are one that floats tell from numbers LONELY_STEP away. */
double number_origin_of_thresholds(const double *sorted, size_t count);

#define LABEL_ORIGIN_LEAST     64.0
#define THRESHOLD_ORIGIN_LEAST 16.0
#define LONELY_STEP            0x1p-7
