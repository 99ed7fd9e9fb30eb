/*
 * embeddings.h - EMBEDDING(category, dimension) in COLUMN sets model.embedding_dimension, where all
 * have the same one.
 */
#pragma once

#include "planner/plan/planning.h"

/* The second argument of a call EMBEDDING(category, value, ...); NULL: the column is no such call,
 * or has no value there. */
const struct value *embedding_dimension(const struct column *column);

/* The attribute that the EMBEDDINGs of all COLUMN clauses set, where they have one dimension;
 * *setting NULL: there is none, they have several, or WITH says one. UNSUPPORTED for a model
 * without embeddings; INVALID for several, WITH's among them, where the model multiplies
 * embeddings. */
enum status embeddings_setting(struct planning *planning, const struct setting **setting);
