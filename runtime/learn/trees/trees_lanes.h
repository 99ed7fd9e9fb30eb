/*
 * trees_lanes.h - what lanes contribute to the phases of trees.h, as struct learner_method asks for
 * it.
 *
 *     lane --read--> bins --trees so far--> scores --> gradients --tree begins--> nodes --> sums
 *
 * A lane that was computed here in the phase before has all of it; another one is brought there by
 * the state. Lanes, and parts of the rows of a node, are tasks of the team.
 */
#pragma once

#include "runtime/learn/trees/trees_parts.h"

enum status trees_contribute(void *self, uint32_t first, uint32_t count, int64_t *integers,
                             int64_t *sums, struct touched_rows *rows, uint32_t *done,
                             struct error *err);
uint32_t trees_lane_open(void *self, uint32_t first, uint32_t count, uint32_t done);
/* Scores and nodes of rows follow from a state that is gone; bins stay. */
void trees_forget_scores(struct trees *trees);
void trees_free_lanes(struct trees *trees);
/* Sums of a member's tasks: what layout and draws, which are known, may need. */
uint32_t trees_packed_bins(const struct trees *trees);
struct lane_result *trees_new_results(uint32_t lanes); /* NULL: no memory */
