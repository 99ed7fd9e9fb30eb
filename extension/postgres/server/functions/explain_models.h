/*
 * explain_models.h - what EXPLAIN (ANALYZE) shows of the models that a statement scored with.
 *
 *     EXPLAIN (ANALYZE) SELECT totrain.predict('m', t) FROM t
 *
 *     Seq Scan on t (cost=...) (actual time=...)
 *     Planning Time: ...
 *     ToTrain:
 *       Model m: version=3 rows=150 time=0.512 ms      read from its table, or
 *       Model m: version=3 rows=150 cached             kept by the session
 *       Workers: 2; what they scored is not counted
 *     Execution Time: ...
 *
 * In other formats it is an object "ToTrain" beside "Plan". Counted is what this process does
 * between the statement's beginning and its end, in functions that it calls, too. Parallel workers
 * are other processes: it says how many there were. Two calls with one row count two rows. TIMING
 * OFF leaves the time out.
 *
 * EXPLAIN EXECUTE and auto_explain do not come by here: PostgreSQL has no place for it there
 * (ExplainOneQuery_hook alone knows the output, and is not asked by them).
 */
#pragma once

#include "extension/postgres/server/session/compat.h"

/* One model of the statement that is explained; it lives as long as that. */
struct explained_model;

/* Where a call holds a model: what its rows are counted at, while the same statement is explained.
 */
struct explained_place {
    uint64 statement; /* 0: none yet */
    struct explained_model *model;
};

void explain_models_install(void);

/* Is a statement explained? Otherwise the others need not be called. */
bool explain_models_counts(void);
/* The planner has met a call of a scoring function. */
void explain_models_expect(void);
/* A call was given this model, within so many seconds where it had to be read. */
void explain_models_taken(struct explained_place *place, const char *path, int64 version,
                          bool is_read, double seconds);
/* One row of the model that was taken, or that the place has held since before. */
void explain_models_row(struct explained_place *place, const char *path, int64 version);
