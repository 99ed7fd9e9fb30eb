/*
 * kinds.h - the kinds of models that there are.
 */
#pragma once

#include "scoring/kind.h"

/* NULL-terminated. */
extern const struct kind *const kinds[];

/* By its name; NULL when there is none. */
const struct kind *kind_find(struct slice name);
