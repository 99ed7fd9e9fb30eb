/*
 * embedding_kind.h - the kind "embedding": networks that learn some numbers for each word of a
 * category, as models of clicks are.
 */
#pragma once

#include "scoring/kind.h"

extern const struct kind embedding_kind;
