/*
 * model_words.h - the words for a model in messages and in EXPLAIN.
 *
 * A model's task says it, but for models of definitions that learn without a label or with several:
 * stored they are projections (TASK_PROJECTION), which is no word for what a user has defined.
 */
#pragma once

#include "scoring/kind.h"

/* "classifier", "model of a definition": "model m is a ..." */
const char *model_word(const struct kind *kind, enum task task);
/* "classification", "definition" */
const char *model_task_word(const struct kind *kind, enum task task);
