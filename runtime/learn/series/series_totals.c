#include "runtime/learn/series/series_totals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/learn/series/series_kept.h"

#define SUM_BITS 62

/* ---- the totals ---- */

struct listed {
    const int64_t *record;
    uint32_t groups;
};

static int compare_ids(const int64_t *left, const int64_t *right, uint32_t groups)
{
    for (uint32_t i = 0; i < groups; i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return 0;
}

static int compare_listed(const void *a, const void *b)
{
    const struct listed *left = a, *right = b;

    return compare_ids(left->record + RECORD_IDS, right->record + RECORD_IDS, left->groups);
}

static struct series_total total_of(const int64_t *record, uint32_t level, uint32_t groups)
{
    struct series_total total = {.level = level};

    for (uint32_t i = 0; i < groups; i++)
        total.ids[i] = i < level ? record[RECORD_IDS + i] : -1;
    return total;
}

/* The first column in which a part differs from the one before it. */
static uint32_t different_from(const struct listed *listed, uint32_t i)
{
    const int64_t *ids = listed[i].record + RECORD_IDS;
    uint32_t column = 0;

    while (i > 0 && ids[column] == (listed[i - 1].record + RECORD_IDS)[column])
        column++;
    return column;
}

static void take_length(const struct series_plan *plan, const int64_t *record,
                        struct series_total *total)
{
    const uint32_t length = (uint32_t)record[series_plan_hierarchy(plan) + HIERARCHY_LENGTH];

    if (length <= total->length)
        return;
    total->length = length;
    total->first = record[RECORD_FIRST];
    total->last = record[RECORD_LAST];
}

/* Counts the parts of the total that the old model has, and sees others of its time. */
static void take_way(const struct series_plan *plan, const int64_t *record,
                     struct series_total *total)
{
    const bool is_new =
        plan->kept == 0 || record[series_plan_kept(plan) + KEPT_WAY] == (int64_t)WAY_NEW;

    total->olds += !is_new;
    if (is_new && record[series_plan_hierarchy(plan) + HIERARCHY_LENGTH] > (int64_t)plan->come)
        total->has_others = true;
}

/* Parts are sorted, so that those of a total lie together. */
static void list_totals(const struct series_plan *plan, const struct listed *listed,
                        struct series_totals *totals)
{
    uint32_t path[FORECAST_GROUPS_MAX] = {0}; /* the totals that the part belongs to */

    for (uint32_t i = 0; i < totals->part_count; i++) {
        const int64_t *record = listed[i].record;
        uint32_t level = i > 0 ? different_from(listed, i) + 1 : 0;

        for (; level < totals->groups; level++) {
            path[level] = totals->count;
            totals->totals[totals->count] = total_of(record, level, totals->groups);
            totals->totals[totals->count++].parent = path[level > 0 ? level - 1 : 0];
        }
        memcpy(totals->parts[i].ids, record + RECORD_IDS, sizeof totals->parts[i].ids);
        totals->parts[i].total = path[totals->groups - 1];
        for (level = 0; level < totals->groups; level++) {
            take_length(plan, record, &totals->totals[path[level]]);
            take_way(plan, record, &totals->totals[path[level]]);
        }
    }
    for (uint32_t i = 0; i < totals->count; i++) {
        totals->totals[i].offset = totals->sums;
        totals->sums += totals->totals[i].length;
    }
}

static enum status find_exponent(const struct series_plan *plan, const struct listed *listed,
                                 struct series_totals *totals, struct error *err)
{
    const uint32_t place = series_plan_hierarchy(plan) + HIERARCHY_LARGEST;
    double sum = 0;
    int exponent;

    for (uint32_t i = 0; i < totals->part_count; i++)
        sum += record_number(listed[i].record[place]);
    if (!isfinite(sum))
        return fail(err, STATUS_INVALID, "the totals of all series are beyond numbers");
    (void)frexp(sum, &exponent);
    totals->exponent = exponent - SUM_BITS;
    return STATUS_OK;
}

static enum status make(const struct series_plan *plan, const struct listed *listed,
                        struct series_totals *totals, struct error *err)
{
    totals->totals =
        calloc((size_t)totals->part_count * totals->groups + 1, sizeof *totals->totals);
    totals->parts = calloc((size_t)totals->part_count + 1, sizeof *totals->parts);
    if (!totals->totals || !totals->parts)
        return fail_no_memory(err);
    list_totals(plan, listed, totals);
    return find_exponent(plan, listed, totals, err);
}

enum status series_totals_make(const struct series_plan *plan, uint32_t groups,
                               const int64_t *records, uint64_t count, struct series_totals *totals,
                               struct error *err)
{
    const uint32_t width = series_plan_words(plan);
    struct listed *listed = calloc(count + 1, sizeof *listed);
    enum status status;

    *totals = (struct series_totals){.groups = groups};
    if (!listed)
        return fail_no_memory(err);
    for (uint64_t i = 0; i < count; i++)
        if (records[i * width + RECORD_COUNT] > 0)
            listed[totals->part_count++] = (struct listed){records + i * width, groups};
    qsort(listed, totals->part_count, sizeof *listed, compare_listed);
    status = make(plan, listed, totals, err);
    if (status != STATUS_OK)
        series_totals_deinit(totals);
    free(listed);
    return status;
}

void series_totals_deinit(struct series_totals *totals)
{
    free(totals->totals);
    free(totals->parts);
    *totals = (struct series_totals){.count = 0};
}

/* ---- sums ---- */

uint32_t series_totals_end(const struct series_totals *totals, uint32_t first, uint64_t most)
{
    uint64_t sums = totals->totals[first].length;
    uint32_t end = first + 1;

    while (end < totals->count && sums + totals->totals[end].length <= most)
        sums += totals->totals[end++].length;
    return end;
}

/* NULL: a series without a value is no part. */
static const struct series_part *find_part(const struct series_totals *totals, const int64_t *ids)
{
    uint32_t low = 0, high = totals->part_count;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const int order = compare_ids(totals->parts[middle].ids, ids, totals->groups);

        if (order == 0)
            return &totals->parts[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static uint64_t add_values(const struct series_totals *totals, const struct series_total *total,
                           const struct grid *grid, int64_t *sums)
{
    uint64_t added = 0;

    sums += total->length - grid->count;
    for (uint32_t i = 0; i < grid->count; i++) {
        const int64_t term = (int64_t)floor(ldexp(grid->values[i], -totals->exponent) + 0.5);

        sums[i] = (int64_t)((uint64_t)sums[i] + (uint64_t)term);
        added += (uint64_t)term;
    }
    return added;
}

uint64_t series_totals_add(const struct series_totals *totals, const int64_t *ids,
                           struct grid *grid, uint32_t first, uint32_t end, int64_t *sums)
{
    const struct series_part *part = find_part(totals, ids);
    uint32_t number = part ? part->total : 0, before;
    uint64_t added = 0;

    if (!part)
        return 0;
    forecast_fill_gaps(grid->values, grid->count);
    do {
        const struct series_total *total = &totals->totals[number];

        if (number >= first && number < end && grid->count <= total->length)
            added += add_values(totals, total, grid,
                                sums + (total->offset - totals->totals[first].offset));
        before = number;
        number = total->parent;
    } while (number != before);
    return added;
}

enum status series_totals_fit(const struct series_plan *plan, const struct series_totals *totals,
                              uint32_t number, const int64_t *sums, struct arena *arena,
                              int64_t *record, struct error *err)
{
    const struct series_total *total = &totals->totals[number];
    struct grid grid = {.steps = plan->steps,
                        .last = total->last,
                        .count = total->length,
                        .known = (uint32_t)total->last + 1, /* none is a gap */
                        .values = ARENA_NEW(arena, double, total->length)};

    if (!grid.values)
        return fail_no_memory(err);
    grid.steps.first = total->first;
    for (uint32_t i = 0; i < total->length; i++)
        grid.values[i] = ldexp((double)sums[total->offset + i], totals->exponent);
    TRY(series_fit_grid(plan, &grid, arena, record, err));
    memcpy(record + RECORD_IDS, total->ids, sizeof total->ids);
    return STATUS_OK;
}
