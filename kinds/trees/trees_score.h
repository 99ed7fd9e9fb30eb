/*
 * trees_score.h - rows through boosted trees: what struct kind asks for (scoring/kind.h).
 *
 * An output is base + the leaves' values of its trees, added as doubles in the order of the trees,
 * then the link (scoring/numbers/elementary.h), then rounded to float: once, whatever rows are
 * scored together. XGBoost adds floats, and may differ in the last digits of a float.
 *
 * There are three ways to a row's leaf, which is the same:
 *
 *     walking    from node to node, of several trees or rows at a time
 *     masks      a tree of at most 64 leaves: all of its tests for 16 rows at a time. A test that
 *                fails takes the leaves on its left out of a mask; the first that is left is the
 *                row's (Lucchese et al., QuickScorer, 2015). No branch depends on the data.
 *     trees_row  the same of all trees for one row
 */
#pragma once

#include "scoring/kind.h"

size_t trees_row_bytes(const struct model *model);
enum status trees_scorer_open(const struct model *model, uint32_t rows_max, void **workspace,
                              struct error *err);
void trees_score(void *workspace, const float *dense, const int32_t *ids, uint32_t count,
                 float *outputs);
void trees_scorer_close(void *workspace);
/* The child that a row goes to from a node, both counted among all nodes of the model; of a leaf
 * the leaf itself. */
uint32_t trees_next(const void *workspace, uint32_t node, const float *dense, const int32_t *ids);
void trees_leaves(void *workspace, const float *dense, const int32_t *ids, uint32_t *leaves);
