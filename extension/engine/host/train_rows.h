/*
 * train_rows.h - the rows that TRAIN ends with: (name, value, part, detail).
 *
 *     what was measured   Accuracy   0.96    training
 *                         Accuracy   0.93    validation
 *     facts               seconds    0.05
 *                         rows                             112
 *     notices             notice                           column "x" is 1 in all 112 rows. ...
 *
 * A value is always a real and a detail always a text, whole numbers among them, so that a column
 * has one type in every database and program.
 */
#pragma once

#include "extension/engine/host/sink.h"
#include "params/notice_list.h"

#define TRAIN_COLUMNS 4
#define TRAIN_DETAIL  3 /* the place of the detail */
extern const struct slice train_columns[TRAIN_COLUMNS];

/* The parts of a metric's rows. */
#define PART_TRAINING   "training"
#define PART_VALIDATION "validation"
#define PART_FOLDS      "folds"     /* mean of what models of the other folds have on each fold */
#define PART_DEVIATION  "deviation" /* deviation of these values from fold to fold */

/* NaN is NULL. part: NULL where it is no metric. */
enum status train_row_value(const struct sink *sink, const char *name, double value,
                            const char *part, struct error *err);
enum status train_row_number(const struct sink *sink, const char *name, int64_t number,
                             struct error *err);
/* A value of that part and what it is of. */
enum status train_row_detail(const struct sink *sink, const char *name, double value,
                             const char *part, const char *detail, struct error *err);
/* The list may be NULL. */
enum status train_row_notices(const struct sink *sink, const struct notice_list *notices,
                              struct error *err);
