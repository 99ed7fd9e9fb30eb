#include "runtime/data/staged/interval_set.h"

#include <stdlib.h>
#include <string.h>

void interval_set_deinit(struct interval_set *set)
{
    free(set->runs);
    *set = (struct interval_set){.runs = NULL};
}

/* The first run that ends at the number or behind it. */
static size_t find_end(const struct interval_set *set, uint64_t number)
{
    size_t low = 0, high = set->count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (set->runs[middle].end < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The runs [from, to) become `count` others. */
static bool replace(struct interval_set *set, size_t from, size_t to, const struct interval *runs,
                    size_t count)
{
    const size_t behind = set->count - to, size = from + count + behind;

    if (size > set->capacity) {
        const size_t capacity = 2 * size + 16;
        struct interval *grown = realloc(set->runs, capacity * sizeof *grown);

        if (!grown)
            return false;
        set->runs = grown;
        set->capacity = capacity;
    }
    if (behind)
        memmove(set->runs + from + count, set->runs + to, behind * sizeof *set->runs);
    for (size_t i = 0; i < count; i++)
        set->runs[from + i] = runs[i];
    set->count = size;
    return true;
}

bool interval_set_add(struct interval_set *set, struct interval interval)
{
    size_t from = find_end(set, interval.first), to = from;

    if (interval.first >= interval.end)
        return true;
    for (; to < set->count && set->runs[to].first <= interval.end; to++) {
        if (set->runs[to].first < interval.first)
            interval.first = set->runs[to].first;
        if (set->runs[to].end > interval.end)
            interval.end = set->runs[to].end;
    }
    return replace(set, from, to, &interval, 1);
}

bool interval_set_remove(struct interval_set *set, struct interval interval)
{
    size_t from = find_end(set, interval.first + 1), to = from, count = 0;
    struct interval left[2];

    if (interval.first >= interval.end)
        return true;
    for (; to < set->count && set->runs[to].first < interval.end; to++) {
        const struct interval run = set->runs[to];

        if (run.first < interval.first)
            left[count++] = (struct interval){run.first, interval.first};
        if (run.end > interval.end)
            left[count++] = (struct interval){interval.end, run.end};
    }
    return from == to || replace(set, from, to, left, count);
}

bool interval_set_run(const struct interval_set *set, struct interval within,
                      struct interval *found)
{
    const size_t at = find_end(set, within.first + 1);

    if (within.first >= within.end || at == set->count || set->runs[at].first >= within.end)
        return false;
    *found = set->runs[at];
    if (found->first < within.first)
        found->first = within.first;
    if (found->end > within.end)
        found->end = within.end;
    return true;
}

bool interval_set_gap(const struct interval_set *set, struct interval within,
                      struct interval *found)
{
    size_t at = find_end(set, within.first + 1);

    if (within.first < within.end && at < set->count && set->runs[at].first <= within.first)
        within.first = set->runs[at++].end;
    if (within.first >= within.end)
        return false;
    *found = within;
    if (at < set->count && set->runs[at].first < within.end)
        found->end = set->runs[at].first;
    return true;
}
