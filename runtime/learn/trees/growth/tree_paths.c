#include "runtime/learn/trees/growth/tree_paths.h"

#include <stdlib.h>
#include <string.h>

enum status tree_paths_init(struct tree_paths *paths, const struct tree_forest *forest,
                            uint32_t first, uint32_t end, struct error *err)
{
    uint32_t nodes = 1;

    for (uint32_t tree = first; tree < end; tree++)
        nodes = forest->trees[tree].count > nodes ? forest->trees[tree].count : nodes;
    paths->forest = forest;
    memset(paths->bits, 0, sizeof paths->bits);
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

/* The same by the list of a wide column's node. */
static uint32_t part_rows_widely(struct tree_paths *paths, const struct forest_node *node,
                                 const uint16_t *bins, uint32_t count, uint16_t *order)
{
    const uint16_t *list = forest_list(paths->forest, node);
    uint64_t *bits = paths->bits;
    uint32_t lefts = 0, rights = 0;

    for (uint32_t i = 0; i < forest_list_length(node); i++)
        bits[list[i] / 64] |= (uint64_t)1 << list[i] % 64;
    bits[0] |= node->missing_left;
    for (uint32_t i = 0; i < count; i++) {
        const uint16_t row = order[i];
        const bool is_left = bits[bins[row] / 64] >> bins[row] % 64 & 1;

        order[lefts] = paths->right[rights] = row;
        lefts += is_left;
        rights += !is_left;
    }
    memcpy(order + lefts, paths->right, rights * sizeof *paths->right);
    for (uint32_t i = 0; i < forest_list_length(node); i++)
        bits[list[i] / 64] = 0;
    bits[0] = 0;
    return lefts;
}

static uint32_t part_node(struct tree_paths *paths, const struct forest_node *node,
                          const struct path_bins *bins, uint32_t count, uint16_t *order)
{
    struct parting parting;

    if (forest_has_list(node))
        return part_rows_widely(paths, node,
                                bins->wide + (node->column - bins->wide_from) * bins->stride, count,
                                order);
    parting = parting_of(paths->forest, node);
    return part_rows(&parting, bins->narrow + node->column * bins->stride, count, order,
                     paths->right);
}

void tree_paths_find(struct tree_paths *paths, uint32_t tree, struct path_bins bins, uint32_t rows)
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
            const uint32_t lefts = part_node(paths, node, &bins, run.count, order);

            paths->runs[node->left] = (struct path_run){run.first, (uint16_t)lefts};
            paths->runs[node->left + 1] =
                (struct path_run){(uint16_t)(run.first + lefts), (uint16_t)(run.count - lefts)};
        }
    }
}
