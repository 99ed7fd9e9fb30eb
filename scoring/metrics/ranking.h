/*
 * ranking.h - how well scores tell the rows of one class from the others.
 *
 * The scores of negatives and of positives, sorted when they are first looked at: so nothing here
 * depends on the order of the rows.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct ranked_scores {
    float *values;
    size_t count, capacity;
};

struct ranking {                    /* zeros: empty */
    struct ranked_scores scores[2]; /* scores of the negatives, of the positives */
    bool is_sorted;
};
void ranking_deinit(struct ranking *ranking);
void ranking_clear(struct ranking *ranking); /* keeps its memory */
/* Room for this many rows of each class: adding so many does not fail. LIMIT, NO_MEMORY. */
enum status ranking_reserve(struct ranking *ranking, size_t rows, struct error *err);
/* Adds a score; NaN ranks below every number. LIMIT for more than RANKING_ROWS_MAX of a class. */
#define RANKING_ROWS_MAX ((size_t)1 << 31)
enum status ranking_add(struct ranking *ranking, bool is_positive, float score, struct error *err);

/* The share of pairs (positive, negative) in which the positive has the greater score; equal
 * scores count half (Mann-Whitney). NaN without a row of either class. */
double ranking_auc(struct ranking *ranking);
/* scikit-learn's average_precision_score: precision at each score, weighted by what it adds to the
 * recall. NaN without positives. */
double ranking_average_precision(struct ranking *ranking);

/* Rows of at least this score, from the greatest score down. */
struct ranking_point {
    float score;
    uint64_t negatives, positives;
};
/* The next distinct score behind *point, which begins as zeros; false: there is none. */
bool ranking_next(struct ranking *ranking, struct ranking_point *point);
