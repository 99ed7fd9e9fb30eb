/*
 * trees_start.h - an old model that boosting goes on from (USING).
 *
 *     rows --as values--> old trees --> starts of their scores --new trees, by bins--> scores
 *     arrays of the old model | arrays of what was grown = arrays of the new model
 *
 * Old thresholds are no cuts between the new rows' bins, so the old trees see the rows' values, by
 * the code that scores stored models: once, when a lane is read. A start is the old model's sum of
 * doubles, rounded to float.
 */
#pragma once

#include "kinds/trees/trees_model.h"
#include "runtime/data/dataset/dataset.h"
#include "runtime/learn/trees/growth/tree_forest.h"
#include "runtime/learn/trees/objective/tree_objective.h"

struct trees_start {
    const struct trees_model *old; /* the data set's; NULL: there is none */
    struct trees_model sums;       /* the same without a link */
    struct model model;            /* the old model with `sums` */
    void *scorer;
};

/* INVALID for an old model that predicts other outputs, or by another link, than the objective
 * learns. Borrows the data set. */
enum status trees_start_init(struct trees_start *start, const struct tree_objective *objective,
                             const struct dataset *dataset, struct error *err);
void trees_start_deinit(struct trees_start *start);

/* starts (count, outputs), of rows that are held; where there is an old model. */
void trees_start_rows(const struct trees_start *start, const struct dataset *dataset,
                      const struct dataset_part *part, uint64_t first, uint64_t count,
                      float *starts);

static inline uint32_t trees_start_count(const struct trees_start *start)
{
    return start->old ? start->old->tree_count : 0;
}

/* The old trees come before those in the arrays. LIMIT, NO_MEMORY. */
enum status trees_start_prepend(const struct trees_start *start, struct tree_arrays *arrays,
                                struct error *err);
