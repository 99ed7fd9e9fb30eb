/*
 * trees_phases.h - the phases of trees.h one after the other: what each sums, and what follows from
 * the sums of all lanes.
 */
#pragma once

#include "runtime/learn/trees/trees_parts.h"

/* Where a round begins. */
enum trees_stage trees_first_stage(const struct trees *trees);
void trees_describe(void *self); /* the function of struct learner_method */
/* The numbers of a node's histogram. */
uint32_t trees_histogram_elements(const struct trees *trees);

/* The function of struct learner_method. */
enum status trees_apply(void *self, const struct phase_totals *totals,
                        struct learner_report *report, struct error *err);

/* How the growing tree's gradients become integers, and its leaves' sums. */
struct tree_sampling trees_sampling(const struct trees *trees);
void trees_exponents(const struct trees *trees, int exponents[2]);

/* The rows that the round chooses, once its key is known. */
struct tree_choice trees_choice(const struct trees *trees);

/* The tree's leaves, by the numbers of nodes: (growing.leaves), in the order in which they are
 * summed. */
void trees_list_leaves(const struct growing_tree *tree, uint32_t *leaves);
