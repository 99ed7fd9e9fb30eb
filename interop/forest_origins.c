#include "interop/forest_origins.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/sort_doubles.h"
#include "scoring/transform/number_origin.h"

/* The least float above: what is at most the threshold, as a float, is below it. */
static float least_above(double threshold)
{
    const float near = (float)threshold;
    const float above = (double)near > threshold ? near : nextafterf(near, INFINITY);

    return isfinite(above) ? above : FLT_MAX;
}

static float *node_at(float *nodes, uint32_t i)
{
    return nodes + (size_t)i * NODE_NUMBERS;
}

/* ---- thresholds ---- */

/* Those of each feature side by side: feature i has [ends[i - 1], ends[i]). Infinite ones tell
 * nothing. */
static void sort_thresholds(const struct forest *forest, const double *doubles, float *nodes,
                            size_t *ends, double *sorted)
{
    size_t before = 0;

    for (uint32_t i = 0; i < forest->node_count; i++)
        if (node_at(nodes, i)[NODE_TEST] == NODE_BELOW && isfinite(doubles[i]))
            ends[(uint32_t)node_at(nodes, i)[NODE_COLUMN]]++;
    for (uint32_t f = 0; f < forest->feature_count; f++) {
        const size_t count = ends[f];

        ends[f] = before;
        before += count;
    }
    for (uint32_t i = 0; i < forest->node_count; i++)
        if (node_at(nodes, i)[NODE_TEST] == NODE_BELOW && isfinite(doubles[i]))
            sorted[ends[(uint32_t)node_at(nodes, i)[NODE_COLUMN]]++] = doubles[i];
    for (uint32_t f = 0; f < forest->feature_count; f++) {
        const size_t first = f > 0 ? ends[f - 1] : 0;

        sort_doubles(sorted + first, ends[f] - first);
    }
}

static enum status move_thresholds(const struct forest *forest, const double *doubles, float *nodes,
                                   double *origins, struct error *err)
{
    size_t *ends = calloc(forest->feature_count + (size_t)1, sizeof *ends);
    double *sorted = malloc((forest->node_count + (size_t)1) * sizeof *sorted);

    if (!ends || !sorted) {
        free(ends);
        free(sorted);
        return fail_no_memory(err);
    }
    sort_thresholds(forest, doubles, nodes, ends, sorted);
    for (uint32_t f = 0; f < forest->feature_count; f++) {
        const size_t first = f > 0 ? ends[f - 1] : 0;

        origins[f] = number_origin_of_thresholds(sorted + first, ends[f] - first);
    }
    for (uint32_t i = 0; i < forest->node_count; i++) {
        float *node = node_at(nodes, i);

        if (node[NODE_TEST] == NODE_BELOW && isfinite(doubles[i]))
            node[NODE_VALUE] = least_above(doubles[i] - origins[(uint32_t)node[NODE_COLUMN]]);
    }
    free(ends);
    free(sorted);
    return STATUS_OK;
}

/* ---- leaves ---- */

static double origin_of_tree(const double *doubles, float *nodes, uint32_t first, uint32_t end,
                             double *sorted)
{
    size_t leaves = 0;

    for (uint32_t i = first; i < end; i++)
        if (node_at(nodes, i)[NODE_TEST] == NODE_LEAF)
            sorted[leaves++] = doubles[i];
    sort_doubles(sorted, leaves);
    return number_origin_of_label(sorted, leaves);
}

static enum status move_leaves(const struct forest *forest, const double *doubles, float *nodes,
                               double *label, struct error *err)
{
    const float *trees = (const float *)(const void *)forest->trees.data;
    const bool moves = forest->classes == 0 && forest->link == TREES_LINK_NONE;
    double *sorted = malloc((forest->node_count + (size_t)1) * sizeof *sorted);

    if (!sorted)
        return fail_no_memory(err);
    for (uint32_t t = 0; t < forest->tree_count; t++) {
        const float *tree = trees + (size_t)t * TREE_NUMBERS;
        const uint32_t first = (uint32_t)tree[TREE_FIRST_NODE];
        const uint32_t end = first + (uint32_t)tree[TREE_NODE_COUNT];
        const double origin =
            moves && forest->outputs == 1 ? origin_of_tree(doubles, nodes, first, end, sorted) : 0;

        *label += origin;
        for (uint32_t i = first; i < end; i++)
            if (node_at(nodes, i)[NODE_TEST] == NODE_LEAF)
                node_at(nodes, i)[NODE_VALUE] = (float)(doubles[i] - origin);
    }
    free(sorted);
    return STATUS_OK;
}

enum status forest_origins_take(const struct forest *forest, const double *doubles, float *nodes,
                                double *origins, double *label, struct error *err)
{
    *label = 0;
    TRY(move_leaves(forest, doubles, nodes, label, err));
    return move_thresholds(forest, doubles, nodes, origins, err);
}
