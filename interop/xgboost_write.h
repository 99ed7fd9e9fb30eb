/*
 * xgboost_write.h - a model as XGBoost's JSON, or the same members as UBJSON.
 *
 * gbtree of one tree a round and output, binary:logistic, multi:softprob, reg:squarederror,
 * reg:logistic or count:poisson by what the model's outputs are. base_score is one number, and a
 * prediction: what a model's own base is besides goes into the leaves of the first tree of each
 * output, and so does the part of it that the rounding of a prediction would lose. Words of
 * categories are in `cats`, as XGBoost 3.1 has them; a word's code is its place in the vocabulary.
 *
 * A category that goes left goes right there, since the codes of a node are those that go right.
 */
#pragma once

#include "base/stop.h"
#include "scoring/model.h"

/* Attribute of the file: the version of this program that wrote it. */
#define XGBOOST_ATTRIBUTE "totrain"

/* Appended. `model` is of the kind `trees`. */
enum status xgboost_write(const struct model *model, bool as_ubj, const struct stop *stop,
                          struct text *out, struct error *err);
