/*
 * embeddings.h - EMBEDDING(category, dimension) in COLUMN sets model.embedding_dimension.
 */
#ifndef PLANNER_EMBEDDINGS_H
#define PLANNER_EMBEDDINGS_H

#include "planner/planning.h"

/* The attribute that the EMBEDDINGs of all COLUMN clauses set, at the dimension of the first one;
 * *setting NULL: there is none, or WITH says the same. UNSUPPORTED for a model without embeddings
 * and for two dimensions in one model; INVALID where WITH says another one. */
enum status embeddings_setting(struct planning *planning, const struct setting **setting);

#endif
