/*
 * jobspec_sections.h - the objects of a job spec that hold attributes, and their members.
 *
 * Attributes of all kinds and of the spec's own kind share the objects "training" and "job" and the
 * one of the kind's name; a kind may have others, as "optimizer".
 */
#pragma once

#include "jobspec/jobspec.h"
#include "kinds/kinds.h"

#define SECTION_MEMBERS_MAX 100

/* The kind of a job that trains, once it is known that there is such a kind. */
const struct kind *kind_of(const struct jobspec *spec);
/* Is it a member of this object? NULL: the one of the kind's name. */
bool attribute_is_in(const struct attribute *attribute, const char *section);
/* The table's members of the object, behind the first `count` of names. How many there are. */
size_t section_members(const struct attribute_table *table, const char *section,
                       const char *names[SECTION_MEMBERS_MAX], size_t count);
/* The objects that only this kind has, besides the one of its name; NULL-terminated. */
const char *const *kind_sections(const struct jobspec *spec);
