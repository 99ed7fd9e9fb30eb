/*
 * linear_kind.h - the kind "linear": linear models that are learned from the products of their
 * inputs.
 *
 * A stored model's content is that of the kind "network" with one layer (network_model.h), and rows
 * are scored by the same code. What a statement says of one is another matter, hence a kind of its
 * own: it has no optimizer, batches or epochs.
 */
#pragma once

#include "scoring/kind.h"

extern const struct kind linear_kind;
