/*
 * attributes.h - the attributes of WITH, of all tables of them, as statements use them.
 *
 * Checks, error hints, SHOW ATTRIBUTES, shell completion and docs/attributes.md come from here.
 */
#pragma once

#include "scoring/kind.h"

/* Attribute `number`, in the order in which people see them; NULL: there are no more. A name that
 * several kinds have is there once. */
const struct attribute *attribute_number(size_t number);
/* Also of attributes that are not built yet (planner/attributes/later.h). False: there are no more.
 */
bool attribute_alias_number(size_t number, struct attribute_alias *alias);
/* The attribute's own name for an alias of it; NULL: the name is no alias. */
const char *attribute_canonical(struct slice name);
bool attribute_is_of_kind(const struct attribute *attribute, const struct kind *kind);
/* The kind's own attribute of the same name, which may take other values; the attribute itself
 * where the kind has none. */
const struct attribute *attribute_of_kind(const struct attribute *attribute,
                                          const struct kind *kind);
bool attribute_is_of_all_kinds(const struct attribute *attribute);

/* The attribute of this name or of an alias of it (train.epochs, SQLFlow's and
 * ElasticDL's spellings); NULL when there is none. */
const struct attribute *attribute_find(struct slice name);
