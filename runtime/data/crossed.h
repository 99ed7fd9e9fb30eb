/*
 * crossed.h - what the jobs of the folds measured, and what that comes to.
 *
 *     crossed_put of each fold and metric --> crossed_result: mean and deviation over the folds
 *
 * Which fold has which number does not matter. A value that is put again takes the place of the one
 * before.
 */
#pragma once

#include "runtime/data/folds.h"
#include "runtime/data/store/fold_results.h"

#define CROSSED_METRICS_MAX 64

/* Zeros but for the number of folds: nothing is measured yet. */
struct crossed {
    struct crossed_metric {
        char name[WORD_BYTES_MAX + 1];
        double values[FOLDS_MAX]; /* NaN: that fold has none */
    } metrics[CROSSED_METRICS_MAX];
    size_t count;
    uint32_t folds;
    double best, last; /* epochs, or rounds, summed: of the best models, and that were learned */
};

/* LIMIT for another metric than CROSSED_METRICS_MAX that are there. */
enum status crossed_put(struct crossed *crossed, uint32_t fold, const char *name, double value,
                        struct error *err);

/* Mean and deviation of a metric; NaN where a fold has no finite value. The name is borrowed. */
struct fold_result crossed_result(const struct crossed *crossed, struct slice name);
struct fold_result crossed_result_at(const struct crossed *crossed, size_t i); /* i < count */
