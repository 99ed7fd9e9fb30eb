/*
 * xgboost_read.h - a model of XGBoost's, from its JSON or UBJSON.
 *
 * gbtree and dart of XGBoost 1.0 to 3.2, one output a tree, of all objectives whose prediction is a
 * number, a probability or a class. UNSUPPORTED for the others by name. Words that are not ASCII
 * are read from files of ours alone: XGBoost 3.1 and 3.2 store them damaged.
 */
#pragma once

#include "interop/forest.h"

/* JSON or UBJSON, by the second byte. What the forest points to lives in the arena, or in the
 * bytes. `forest` was forest_init()ed. */
enum status xgboost_read(struct slice bytes, struct arena *arena, struct forest *forest,
                         struct error *err);
