#include "runtime/learn/trees/tree_paths.h"

#include <stdlib.h>
#include <string.h>

enum status tree_paths_init(struct tree_paths *paths, const struct tree_forest *forest,
                            uint32_t first, uint32_t end, struct error *err)
{
    uint32_t nodes = 1;

    for (uint32_t tree = first; tree < end; tree++)
        nodes = forest->trees[tree].count > nodes ? forest->trees[tree].count : nodes;
    paths->forest = forest;
    paths->runs = malloc(nodes * sizeof *paths->runs);
    return paths->runs ? STATUS_OK : fail_no_memory(err);
}

void tree_paths_deinit(struct tree_paths *paths)
{
    free(paths->runs);
    paths->runs = NULL;
}

/* Which bins go left: those from `first` on, so many, unless there is a set. */
struct parting {
    uint64_t bits[4];
    uint8_t first;
    uint32_t count;
    bool has_set;
};

static struct parting parting_of(const struct tree_forest *forest, const struct forest_node *node)
{
    const uint8_t first = node->missing_left ? 0 : 1;
    struct parting parting = {
        .first = first, .count = node->bin + 1 - first, .has_set = node->set > 0};

    if (!parting.has_set)
        return parting;
    memcpy(parting.bits, forest->sets[node->set - 1].bits, sizeof parting.bits);
    parting.bits[0] = (parting.bits[0] & ~(uint64_t)1) | node->missing_left;
    return parting;
}

/* Returns how many go left; they are first in `order` then. A row goes to both sides, and the place
 * moves on of the one that it belongs to. */
static uint32_t part_rows(const struct parting *parting, const uint8_t *bins, uint32_t count,
                          uint16_t *order, uint16_t *right)
{
    uint32_t lefts = 0, rights = 0;

    for (uint32_t i = 0; i < count; i++) {
        const uint16_t row = order[i];
        const uint8_t bin = bins[row];
        const bool is_left = parting->has_set ? parting->bits[bin / 64] >> (bin % 64) & 1
                                              : (uint8_t)(bin - parting->first) < parting->count;

        order[lefts] = right[rights] = row;
        lefts += is_left;
        rights += !is_left;
    }
    memcpy(order + lefts, right, rights * sizeof *right);
    return lefts;
}

void tree_paths_find(struct tree_paths *paths, uint32_t tree, const uint8_t *bins, size_t stride,
                     uint32_t rows)
{
    const struct forest_tree *about = &paths->forest->trees[tree];
    const struct forest_node *root = &paths->forest->nodes[about->first];

    for (uint32_t row = 0; row < rows; row++)
        paths->order[row] = (uint16_t)row;
    paths->runs[0] = (struct path_run){0, (uint16_t)rows};
    for (uint32_t i = 0; i < about->count; i++) { /* children come after their parent */
        const struct forest_node *node = &root[i];
        const struct path_run run = paths->runs[i];
        uint16_t *order = paths->order + run.first;

        if (node->left == 0) {
            for (uint32_t j = 0; j < run.count; j++)
                paths->leaves[order[j]] = i;
        } else {
            const struct parting parting = parting_of(paths->forest, node);
            const uint32_t lefts =
                part_rows(&parting, bins + node->column * stride, run.count, order, paths->right);

            paths->runs[node->left] = (struct path_run){run.first, (uint16_t)lefts};
            paths->runs[node->left + 1] =
                (struct path_run){(uint16_t)(run.first + lefts), (uint16_t)(run.count - lefts)};
        }
    }
}
