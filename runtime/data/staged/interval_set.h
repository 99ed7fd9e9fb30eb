/*
 * interval_set.h - a set of numbers, as runs that lie in order and do not touch.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* [first, end); empty where first == end. */
struct interval {
    uint64_t first, end;
};

/* All zero: the empty set. */
struct interval_set {
    struct interval *runs; /* (count) */
    size_t count, capacity;
};

void interval_set_deinit(struct interval_set *set);

/* False: there is no memory, and the set is as before. */
bool interval_set_add(struct interval_set *set, struct interval interval);
bool interval_set_remove(struct interval_set *set, struct interval interval);

/* The first numbers of `within` that are in the set, as far as they follow each other. False: none
 * are. */
bool interval_set_run(const struct interval_set *set, struct interval within,
                      struct interval *found);
/* The same of those that are not in it. */
bool interval_set_gap(const struct interval_set *set, struct interval within,
                      struct interval *found);
