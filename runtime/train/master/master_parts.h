/*
 * master_parts.h - what the files of the master share.
 *
 *     master.c         messages, and what each state does with them
 *     master_group.c   which workers are alive, and the groups made of them
 *     master_change.c  from group to group without losing work, leaving
 *     master_lanes.c   how many lanes each member has
 *     master_size.c    how many members pay
 *     master_slow.c    which members are on slow machines
 *     master_damage.c  memory that changed by itself, workers of another build or of other rows
 *     master_pairs.c   workers that cannot reach each other
 *     master_checkpoint.c  the state into the store and back
 *     master_record.c  rows in the job's store, reports to the session
 */
#pragma once

#include "runtime/train/master/master.h"

/* Rank 0 of the group with this epoch: the present one, or the one before while
 * that still works. */
bool master_is_reporter(const struct master *master, uint32_t index, uint64_t epoch);
