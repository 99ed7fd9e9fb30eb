/*
 * lower_score.h - PREDICT and EVALUATE by workers -> job spec.
 */
#pragma once

#include "planner/plan/plan.h"

/* The job spec of a PREDICT or EVALUATE plan whose rows workers score. The engine
 * fills in what it knows when the rows are spooled: rows, shard_rows, family. */
enum status lower_score(const struct plan *plan, struct arena *arena, struct jobspec *spec,
                        struct error *err);
/* Are the job's rows of all columns of the SELECT? Else of the model's inputs, and for EVALUATE
 * then of the label, if it has one. */
bool lower_score_takes_all(const struct plan *plan);
