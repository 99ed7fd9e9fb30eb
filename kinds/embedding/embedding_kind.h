/*
 * embedding_kind.h - the kind "embedding": networks that learn some numbers for each word of a
 * category, as models of clicks are.
 */
#ifndef KINDS_EMBEDDING_EMBEDDING_KIND_H
#define KINDS_EMBEDDING_EMBEDDING_KIND_H

#include "scoring/kind.h"

extern const struct kind embedding_kind;

#endif
