/*
 * feature_names.h - what the columns are called that a linear model has weights of.
 *
 *     age              a number            plan=gold           a word of a category
 *     age is null      it was NULL         plan in bucket 7    a word by its hash
 *                                          plan is null
 */
#pragma once

#include "scoring/transform/transform.h"

#define INTERCEPT_NAME "(intercept)"

/* Columns of an input: those of dense, or those that its ids select. The row of the first layer
 * that a category has for NULL is none where training saw no NULLs. */
uint32_t feature_count(const struct transform_input *input);
/* The row of the first layer that feature 0 of the input has; the others follow. */
uint32_t feature_first(const struct transform *transform, const struct transform_input *input);
/* Replaces the text. */
void feature_name(const struct transform_input *input, uint32_t feature, struct text *name);

/* The names of all columns, in the arena: the intercept, then by the rows of the first layer. A row
 * that no column has gets an empty name. */
enum status feature_names(const struct transform *transform, struct arena *arena,
                          struct slice **names, struct error *err);
