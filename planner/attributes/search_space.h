/*
 * search_space.h - the values that a search draws from.
 *
 *     a = RANGE(1e-4, 1e-1)        any number between them, by its logarithm where the greatest is
 *                                  more than ten times the least; RANGE(1, 8, 'log') says how
 *     b = ['x', 'y'], c = [1, 2]   one of these
 *     d = [[64], [32, 16]]         of an attribute whose value is a list: one of these lists
 */
#pragma once

#include "definition/definition.h"
#include "params/attribute.h"
#include "planner/attributes/estimators.h"

/* One attribute that is searched. */
struct search_axis {
    const struct attribute *attribute;
    const struct definition_argument
        *argument;                 /* an argument of the definition, whose name and type the
                                      attribute has; NULL: it is one of all models */
    const struct setting *setting; /* the setting as written; its value is a RANGE or a list */
    bool is_range;                 /* else the items of the value are choices */
    bool is_log;
    double least, most;
};

struct search_space {
    struct search_axis *axes; /* in the order of the statement */
    size_t count;
};

/* Is the value several ones to choose from, rather than one? */
bool search_is_choice(const struct attribute *attribute, const struct value *value);
/* Fills in the rest of an axis, which has its attribute, its argument and the setting. INVALID for
 * bounds and choices that the attribute does not take, and for an attribute that no search can
 * judge. */
enum status search_axis_read(const struct estimator *estimator, struct search_axis *axis,
                             struct error *err);
/* How many different trials there are; 0: more than can be counted, or of numbers. */
uint64_t search_space_size(const struct search_space *space);

/* values (trials, axes): a function of seed, names and choices. In a space that has a size no two
 * trials are alike, and trials is no more than the size. Texts live in the arena, choices are
 * borrowed from the axes. */
enum status search_space_draw(const struct search_space *space, uint64_t seed, uint32_t trials,
                              struct arena *arena, struct value *values, struct error *err);

/* "0.0001 to 0.1, by its logarithm", "[32] or [64, 32]" */
void search_axis_append(const struct search_axis *axis, struct text *out);
