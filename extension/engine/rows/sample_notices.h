/*
 * sample_notices.h - what EXPLAIN of TRAIN can say of the rows before there is a model.
 *
 *     the plan's SELECT, its first QUERY_SAMPLE_ROWS rows --> a spool in a folder of its own
 *     the spool --> a data set, as a worker opens it --> its notices, into the plan's
 *
 * So constant columns, rare classes, codes, dates that are written as numbers and numbers beyond
 * the model's reach are told by the code that tells them when a model is trained, and in its words;
 * behind those of a part of the rows stands that they are. What only all rows can tell is left out:
 * how many words share buckets. The folder lies where temporary files do, and is gone afterwards.
 */
#pragma once

#include "extension/engine/host/host.h"
#include "planner/plan/plan.h"

/* Adds to the plan's notices. Rows that nothing can be learned from are a notice with what TRAIN
 * would fail with, and so is a folder that cannot be made. NO_MEMORY, INTERRUPTED, DATABASE. */
enum status sample_notices(const struct host *host, const struct plan *plan, struct arena *arena,
                           struct error *err);
