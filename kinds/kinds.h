/*
 * kinds.h - the kinds of models that there are.
 */
#ifndef KINDS_KINDS_H
#define KINDS_KINDS_H

#include "scoring/kind.h"

/* NULL-terminated. */
extern const struct kind *const kinds[];

/* By its name; NULL when there is none. */
const struct kind *kind_find(struct slice name);

#endif
