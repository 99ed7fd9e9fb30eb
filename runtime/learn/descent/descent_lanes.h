/*
 * descent_lanes.h - what lanes contribute to the sums of a phase.
 */
#pragma once

#include "runtime/learn/descent/descent_parts.h"

/* Which rows each lane has. */
enum status descent_lanes_init(struct descent *descent, struct error *err);
void descent_lanes_deinit(struct descent *descent);

/* One of `descent->members` for each of the team. */
enum status descent_members_init(struct descent *descent, struct error *err);
void descent_members_deinit(struct descent *descent);

/* ----- functions of struct learner_method ----- */

enum status descent_use_team(void *self, struct error *err);
enum status descent_contribute(void *self, uint32_t first, uint32_t count, int64_t *integers,
                               int64_t *fixed, struct touched_rows *rows, uint32_t *done,
                               struct error *err);
