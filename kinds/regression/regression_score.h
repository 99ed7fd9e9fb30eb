/*
 * regression_score.h - rows scored by a model of kind "regression".
 *
 * Where the transform has rests (transform.h) an output is a sum of doubles, of the coefficients as
 * they are stored by number and rest: columns that are nearly the same may have coefficients that
 * are large and cancel each other. Older models are scored as the network of floats that they are.
 *
 * Additions, products and divisions in a fixed order: the same bits on any processor.
 */
#pragma once

#include "scoring/kind.h"

size_t regression_row_bytes(const struct model *model);
enum status regression_scorer_open(const struct model *model, uint32_t rows_max, void **workspace,
                                   struct error *err);
void regression_score(void *workspace, const float *dense, const int32_t *ids, uint32_t count,
                      float *outputs);
/* The weights (columns) of one equation, of standardised inputs and labels. The mean of an input
 * goes from its weight to the intercept. */
void regression_standardise(const struct model *model, uint32_t equation, double *weights);
void regression_scorer_close(void *workspace);
