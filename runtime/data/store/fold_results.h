/*
 * fold_results.h - what cross-validation measured, in the store of the job that trained on all
 * rows.
 *
 * The table is made with the first row: other jobs have none.
 */
#pragma once

#include "runtime/data/store/jobstore.h"

/* A metric over the folds, where the rows of each fold measure the model of the others: mean and
 * deviation (of a sample, with folds - 1). NaN: a fold has no value. */
struct fold_result {
    const char *name; /* name of the metric */
    double mean, deviation;
};

enum status fold_result_put(struct jobstore *store, const struct fold_result *result,
                            struct error *err);
/* Finds a metric's result, which borrows the name; *has false: no folds have measured it. */
enum status fold_result_find(struct jobstore *store, const char *name, struct fold_result *result,
                             bool *has, struct error *err);
