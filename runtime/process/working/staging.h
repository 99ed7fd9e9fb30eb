/*
 * staging.h - one worker's share of staging: shards of a user's table into the job's tables, one
 * after the other, each on a thread of its own beside the loop.
 *
 *     lease --> thread: read the shard, store it --> the loop is woken --> SCORED
 *
 * The last shard is what is settled over all others (runtime/data/staged/staged_settle.h). Both are
 * done by the server where it can (pgstore_can_stage_there), else here. The transaction in which
 * the table is read stays open from shard to shard.
 */
#pragma once

#include "runtime/loop/loop.h"
#include "runtime/role/job.h"
#include "runtime/score/scorer_role.h"

struct staging;

enum status staging_new(struct loop *loop, const struct job *job, struct staging **staging,
                        struct error *err);
/* For the role: `begin` starts a thread, `score` tells whether it is done. */
struct shard_scoring staging_calls(struct staging *staging);
/* Until it is not, the role is not to work. */
bool staging_is_running(const struct staging *staging);
/* Lets the table go, and frees it; only while nothing runs. */
void staging_free(struct staging *staging);
