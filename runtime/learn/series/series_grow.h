/*
 * series_grow.h - the trees that all series of a job share (forecast/pooled.h), level by level.
 *
 *     GROW   of each row that a lane's series make, its gradient, to the sums of its node, of each
 *            feature and bin --> the splits of a level
 *
 * Trees that know all values forecast what is to come. Errors of the past are those of other trees,
 * which are grown from the values before each origin alone.
 *
 * A lane's rows are made when the lane is first computed here, and kept while the trees of one
 * origin grow: they are a function of the table, and their nodes and scores one of the trees.
 */
#pragma once

#include "forecast/pooled.h"
#include "kinds/forecast/forecast_attributes.h"

struct series_learner;
struct learner;

/* The rows of a lane, as the trees so far have them. */
struct grow_lane {
    bool is_made;
    uint32_t backtest;     /* the rows know all values but so many horizons */
    uint32_t trees, level; /* trees in the scores, levels of the next one in the nodes */
    struct pooled_rows rows;
    double *scores;  /* (rows.count) */
    uint16_t *nodes; /* (rows.count) */
    uint32_t rows_sum,
        places_sum; /* sums of the rows, and of scores and nodes: base/sums/words.h */
};

struct series_grow {
    uint32_t rounds; /* trees of one origin; 0: the method has none */
    struct pooled_growth growth;
    struct pooled pooled[FORECAST_BACKTESTS_MAX + 1];
    uint32_t every;              /* one row of so many is learned from */
    struct grow_lane *lanes;     /* (learner.lanes) */
    struct pooled_node *trees;   /* (total, slot), of which progress.trees are there */
    struct pooled_node *growing; /* (slot): the next one */
};

/* The settings of trees from the statement. */
void series_grow_plan(struct series_learner *series);
/* With lanes and steps, of which the features follow. */
enum status series_grow_begin(struct series_learner *series, struct error *err);
void series_grow_settle(struct series_learner *series);
/* The rows of the first lane that has any, for tests that invert a bit: "bins", "targets",
 * "scores", "nodes". */
void *series_grow_memory(struct series_learner *series, const char *name, size_t *size);
void series_grow_close(struct series_learner *series);

/* Trees of all origins, and the integers that a phase adds up now, and at most. */
uint32_t series_grow_total(const struct series_learner *series);
uint32_t series_grow_elements(const struct series_learner *series);
uint32_t series_grow_elements_most(const struct series_learner *series);
/* The bytes of so many trees. */
uint64_t series_grow_bytes(const struct series_learner *series, uint64_t trees);

/* Room for all trees, behind those that are there; the plan of the series has them. Lanes have no
 * rows any more. */
enum status series_grow_reserve(struct series_learner *series, struct error *err);
/* Trees that came from elsewhere. */
enum status series_grow_check(const struct series_learner *series, struct error *err);

/* Adds a notice if trees learn from a sample of the values. */
void series_grow_tell(const struct series_learner *series, struct notice_list *notices);

/* The bins of a series' words. ids: as in its record. */
void series_grow_words(const struct series_learner *series, const int64_t *ids, uint8_t *words);

enum status series_grow_contribute(struct series_learner *series, uint32_t lane, int64_t *sums,
                                   struct error *err);
void series_grow_apply(struct series_learner *series, const int64_t *totals);
