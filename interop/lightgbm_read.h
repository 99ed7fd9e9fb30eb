/*
 * lightgbm_read.h - a model of LightGBM's, from its text.
 *
 * gbdt, dart, goss and rf of LightGBM 2 to 4 (dart and goss leave no trace in a model). A threshold
 * becomes the least float above it, so that every float goes the same way. UNSUPPORTED: linear
 * trees, objectives whose prediction is made otherwise (multiclassova, cross_entropy_lambda, sqrt),
 * and nodes with zero_as_missing that send a zero elsewhere than the comparison would.
 */
#pragma once

#include "interop/forest.h"

#define LIGHTGBM_BYTES_MAX ((size_t)256 << 20)

/* Reads a model. The forest points into the arena and the bytes. `forest` was forest_init()ed.
 * CORRUPT, UNSUPPORTED, LIMIT, INTERRUPTED. */
enum status lightgbm_read(struct slice bytes, struct arena *arena, struct forest *forest,
                          struct error *err);
