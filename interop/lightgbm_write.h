/*
 * lightgbm_write.h - a model as LightGBM's text.
 *
 * gbdt of one tree a round and output, binary, multiclass, regression, cross_entropy or poisson by
 * what the model's outputs are. The format has no base: it goes into the leaves of the first tree
 * of each output, as LightGBM does it itself. A number goes left there where it is at most a
 * threshold, and left here where its float is below one: the threshold that is written is the
 * greatest double whose float is. Words are in pandas_categorical; a word's code is its place in
 * the vocabulary. A missing category goes right there: where it goes left here, sides change and
 * codes are those that are not in the set. For codes without a vocabulary that cannot be done:
 * UNSUPPORTED.
 *
 * Names of features take no blanks and no ",:[]{}\" there: each becomes _, as LightGBM does it.
 */
#pragma once

#include "base/stop.h"
#include "scoring/model.h"

/* Appended. `model` is of the kind `trees`. */
enum status lightgbm_write(const struct model *model, const struct stop *stop, struct text *out,
                           struct error *err);
