/*
 * trees_row.h - the leaves of one row in many trees, of which each has a bit for each leaf.
 *
 * A test that fails takes leaves out of its tree's mask (trees_score.h). A column's tests are in
 * the order of their thresholds, and those fail which are not above the row's number: the first k.
 * The masks that they leave, all together, are known beforehand for each k that is a multiple of
 * `stride`, and where the number is missing; only the tests up to the next are made.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ROW_LANES       16  /* masks side by side */
#define ROW_COLUMNS_MAX 256 /* columns that are tested */

/* Less than the number goes left, in a tree; kept: the leaves that stay where it goes right. */
struct row_test {
    float value;
    uint32_t column, tree, kept;
    bool missing_left;
};

/* Tests of a column, and where its rows of masks begin: for missing numbers, and for each k. */
struct row_column {
    uint32_t column, first, count;
    uint32_t values; /* where its thresholds begin in `values` */
    size_t masks;
};

struct trees_row {
    struct row_test *tests; /* (test_count): by column and threshold */
    float *values;          /* thresholds of all columns, each to a multiple of ROW_LANES */
    struct row_column *columns;
    uint32_t column_count, test_count, stride;
    uint32_t lanes;  /* trees, up to a multiple of ROW_LANES */
    uint32_t *masks; /* (rows of all columns, lanes) */
};

/* Takes the tests, of some of `trees` trees, in any order, and frees them with the rest. No tests,
 * and so nothing to be asked, where tables would take more than the processor keeps near, or other
 * ways are as fast. False: no memory. */
bool trees_row_init(struct trees_row *row, struct row_test *tests, uint32_t count, uint32_t trees);
void trees_row_deinit(struct trees_row *row);

/* masks (lanes), from the start of a cache line. */
void trees_row_masks(const struct trees_row *row, const float *dense, uint32_t *masks);
