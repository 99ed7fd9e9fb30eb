/*
 * other_functions.h - functions that other tools have for columns, and what to write in COLUMN.
 *
 *     COLUMN ONEHOT(city)     Write the column alone: texts are categories by themselves, ...
 */
#pragma once

#include "base/text.h"

struct other_function {
    const char *name; /* case is ignored, and so are underscores */
    const char *hint; /* sentences */
};

/* The last has no name. */
extern const struct other_function other_functions[];

/* NULL: nobody has a function of the name. */
const char *other_function_hint(struct slice name);
