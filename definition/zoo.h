/*
 * zoo.h - the definitions that come with the product.
 *
 * Each is a DEFINE MODEL statement, and its reference. A name of theirs is defined by no user, so
 * that a statement means the same everywhere.
 */
#pragma once

#include "base/text.h"

struct zoo_definition {
    const char *name;      /* "zoo/mlp" */
    const char *help;      /* one sentence */
    const char *statement; /* DEFINE MODEL ... */
};

/* The last has no name. */
extern const struct zoo_definition zoo_definitions[];

const struct zoo_definition *zoo_find(struct slice name); /* NULL: there is none */
/* The name of the definition that a model of SQLFlow's is, such as StackedRNNClassifier, with or
 * without that of its package before it; NULL: none. */
const char *zoo_namesake(struct slice name);
