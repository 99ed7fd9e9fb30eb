/*
 * step_shares.h - how many rows of each lane a step takes.
 *
 * The rows of an epoch stand in one order: row i of a lane of n rows at (i + 1/2) / n; where
 * rows of several lanes stand at the same place, the lower lane is first. A step takes the next
 * rows of this order. So each step has exactly the rows of a batch, each lane gives in proportion
 * to its size, within a row or two, and all lanes end with the same step. The lanes' numbers of
 * rows tell what every step takes of each.
 *
 * It is Webster's method of apportionment: a later position never takes fewer rows of a lane.
 */
#pragma once

#include "runtime/data/dataset/row_lanes.h"

/* Counts the rows of each lane among the first `position` rows of the order: taken (lanes). rows
 * (lanes): at most ROW_LANES_ROWS_MAX of each lane, `all` of them together; position <= all. */
void step_shares_at(const uint32_t *rows, uint32_t lanes, uint64_t all, uint64_t position,
                    uint32_t *taken);
