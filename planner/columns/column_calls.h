/*
 * column_calls.h - the calls of COLUMN as the files that read them want them: each argument at its
 * place, and what AS gives a name in every place where the name stands.
 *
 *     BUCKET(age, num_buckets = 5)           BUCKET(age, 5)
 *     EMBEDDING(CONCAT(a, b) AS g, 8)        EMBEDDING(CONCAT(a, b), 8)
 *     EMBEDDING(g, 1)                        EMBEDDING(CONCAT(a, b), 1)
 *
 * A name that AS gives holds for the statement, in all of its COLUMN clauses, and hides a column of
 * that name there. What it stands for may not have such names in it.
 */
#pragma once

#include "planner/plan/planning.h"

/* planning->statement is a statement with other COLUMN clauses after it. INVALID for a name of AS
 * that is there twice, and for an argument that the function does not have, that it has twice, or
 * before which others are missing. */
enum status column_calls_settle(struct planning *planning);
