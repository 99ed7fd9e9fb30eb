/*
 * later.h - names of the language that are not built yet: they answer 'not supported yet'.
 */
#pragma once

#include "params/attribute.h"

struct later_name {
    const char *name, *help; /* help: one sentence; NULL: none */
};

extern const struct later_name later_attributes[];
extern const struct later_name later_estimators[];
/* Other spellings of later_attributes. */
extern const struct attribute_alias later_aliases[];
extern const size_t later_attribute_count, later_alias_count, later_estimator_count;

/* Case is ignored; NULL where there is none. */
const struct later_name *later_find(const struct later_name *names, size_t count,
                                    struct slice name);
