/*
 * series_totals.h - the series that are sums of others: all of a column of the group, all of the
 * one before it, and so on up to all of the table.
 *
 *     records of the parts --series_totals_make--> totals, without values
 *     values of a part --series_totals_add--> 64-bit sums, whoever adds them
 *     sums --series_totals_fit--> the record of a total
 *
 * All series end at one time, so that steps are counted from there. A part is 0 before its first
 * value. Values are added as multiples of a power of two, so small that all of a step's are less
 * than 2^62 of them: the sums do not depend on the order of the rows, nor on who has which.
 */
#pragma once

#include "runtime/learn/series/series_fit.h"

struct series_total {
    int64_t ids[FORECAST_GROUPS_MAX]; /* ids of a record: -1 for all words of a column */
    uint32_t level;                   /* columns that tell it */
    uint32_t parent;                  /* number of the total that it is part of; itself: none */
    uint32_t length;                  /* steps, from the first value of a part on */
    uint32_t olds;                    /* parts that the model has that is gone on from */
    bool has_others;                  /* others of its parts have values of that model's time */
    int64_t first, last;              /* time of step 0, and the step of the end */
    uint64_t offset;                  /* place of its first sum */
};

struct series_part {
    int64_t ids[FORECAST_GROUPS_MAX];
    uint32_t total; /* number of the one that it is part of */
};

struct series_totals {
    uint32_t groups, count, part_count;
    struct series_total *totals; /* (count): ascending by ids, so that parents come first */
    struct series_part *parts;   /* (part_count): ascending by ids, those that have a value */
    uint64_t sums;               /* number of the sums of all totals */
    int exponent;                /* a sum of 1 is 2^exponent */
};

/* records (count, series_plan_words): those of the parts. INVALID where their values are beyond
 * numbers. */
enum status series_totals_make(const struct series_plan *plan, uint32_t groups,
                               const int64_t *records, uint64_t count, struct series_totals *totals,
                               struct error *err);
void series_totals_deinit(struct series_totals *totals); /* zeros, too */

/* The end of the totals [first, end) that have up to `most` sums together, and one at least. */
uint32_t series_totals_end(const struct series_totals *totals, uint32_t first, uint64_t most);

/* Adds a part (ids, groups) to the sums of the totals [first, end), which begin at those of the
 * first. grid: its values, used up. Returns the sum, modulo 2^64, of what was added. */
uint64_t series_totals_add(const struct series_totals *totals, const int64_t *ids,
                           struct grid *grid, uint32_t first, uint32_t end, int64_t *sums);

/* The record of total `number`. sums (totals->sums). */
enum status series_totals_fit(const struct series_plan *plan, const struct series_totals *totals,
                              uint32_t number, const int64_t *sums, struct arena *arena,
                              int64_t *record, struct error *err);
