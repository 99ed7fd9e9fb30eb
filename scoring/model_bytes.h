/*
 * model_digest.h - what a model's digest covers.
 */
#ifndef SCORING_MODEL_DIGEST_H
#define SCORING_MODEL_DIGEST_H

#include "scoring/model.h"

/* XXH3-64 over what the digest covers: a reader of a model checks by it that it was not edited; the
 * digest is the name of its content. */
uint64_t model_checksum(const struct model *model);

/* Everything that the digest covers, in a fixed order and little-endian, given
 * to `update` piece by piece; the caller brings SHA-256. */
void model_digest_feed(const struct model *model,
                       void (*update)(void *context, const void *bytes, size_t size),
                       void *context);

#endif
