/*
 * model_bytes.h - a model as one sequence of bytes, of which checksum and digest are made.
 */
#pragma once

#include "scoring/model.h"

/* XXH3-64 of the model's bytes: a reader of a model checks by it that it was not edited. Its name
 * is their SHA-256 (runtime/learn/model_digest.h). */
uint64_t model_checksum(const struct model *model);

/* All that makes the model what it is, in a fixed order and little-endian, given to `update` piece
 * by piece. No two models have the same bytes. */
void model_feed_bytes(const struct model *model,
                      void (*update)(void *context, const void *bytes, size_t size), void *context);
