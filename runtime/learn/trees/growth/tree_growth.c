#include "runtime/learn/trees/growth/tree_growth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sums/words.h"
#include "runtime/learn/trees/growth/tree_draws.h"
#include "runtime/learn/trees/growth/tree_search.h"

#define FAIR_BEYOND 5 /* LightGBM's steps come back from less */

/* ---- memory ---- */

static enum status reserve_slots(struct growing_tree *growth, uint32_t count, struct error *err)
{
    return reserve_array((void **)&growth->histograms, &growth->slot_room, count,
                         growth->total_bins * sizeof *growth->histograms, err);
}

enum status tree_growth_resize(struct growing_tree *growth, uint32_t nodes, uint32_t divided,
                               uint32_t frontier, uint32_t slots, uint32_t free, struct error *err)
{
    TRY(TREE_RESERVE(growth, nodes, node_room, nodes, err));
    TRY(TREE_RESERVE(growth, divided, divided_room, divided, err));
    TRY(TREE_RESERVE(growth, frontier, frontier_room, frontier, err));
    TRY(TREE_RESERVE(growth, free_slots, free_room, free, err));
    TRY(reserve_slots(growth, slots, err));
    growth->node_count = nodes;
    growth->divided_count = divided;
    growth->frontier_count = frontier;
    growth->slot_count = slots;
    growth->free_count = free;
    growth->word_count = 0;
    growth->draws.listed = 0;
    return STATUS_OK;
}

void tree_growth_adopt(struct growing_tree *growth, const struct growing_counts *counts)
{
    growth->node_count = growth->node_room = counts->nodes;
    growth->divided_count = growth->divided_room = counts->divided;
    growth->frontier_count = growth->frontier_room = counts->frontier;
    growth->slot_count = growth->slot_room = counts->slots;
    growth->free_count = growth->free_room = counts->free_slots;
    growth->word_count = growth->word_room = counts->words;
    growth->draws.listed = 0;
}

static enum status take_slot(struct growing_tree *growth, uint32_t *slot, struct error *err)
{
    if (growth->free_count > 0) {
        *slot = growth->free_slots[--growth->free_count];
        return STATUS_OK;
    }
    TRY(reserve_slots(growth, growth->slot_count + 1, err));
    *slot = growth->slot_count++;
    return STATUS_OK;
}

static enum status give_slot(struct growing_tree *growth, uint32_t node, struct error *err)
{
    if (growth->nodes[node].slot == TREE_NO_SLOT)
        return STATUS_OK;
    TRY(TREE_RESERVE(growth, free_slots, free_room, growth->free_count + 1, err));
    growth->free_slots[growth->free_count++] = growth->nodes[node].slot;
    growth->nodes[node].slot = TREE_NO_SLOT;
    return STATUS_OK;
}

/* ---- life ---- */

/* Bins of the widest column that has long sets. */
static uint32_t bins_ranked(const struct tree_bins *bins, const struct tree_split_options *options)
{
    uint32_t most = 0;

    for (uint32_t c = 0; c < bins->column_count; c++)
        if (tree_split_has_long_sets(&bins->columns[c], options) && bins->columns[c].bins > most)
            most = bins->columns[c].bins;
    return most;
}

static uint32_t limit_of(uint32_t value)
{
    return value > 0 ? value : UINT32_MAX;
}

enum status tree_growth_init(struct growing_tree *growth, const struct tree_bins *bins,
                             const struct tree_constraints *constraints,
                             const struct trees_params *params, uint64_t seed, uint32_t batch,
                             struct error *err)
{
    *growth = (struct growing_tree){
        .bins = bins,
        .constraints = constraints,
        .options = {.lambda = params->lambda,
                    .alpha = params->alpha,
                    .max_delta_step = params->max_delta_step,
                    .min_child_weight = params->min_child_weight,
                    .gamma = params->gamma,
                    .min_rows = params->min_rows,
                    .max_cat_to_onehot = params->max_cat_to_onehot,
                    .max_cat_threshold = params->max_cat_threshold,
                    .cat_smooth = params->cat_smooth,
                    .cat_l2 = params->cat_l2,
                    .min_group_rows = params->min_group_rows,
                    .directions = constraints->directions},
        .limits = {.is_depthwise = params->growth == TREE_DEPTHWISE,
                   .max_depth = limit_of(params->max_depth),
                   .max_leaves = limit_of(params->max_leaves),
                   .batch = batch},
        .shares = {params->colsample_bytree, params->colsample_bylevel, params->colsample_bynode,
                   seed},
        .fair_c = params->objective == TREE_FAIR && params->eta > 0 ? params->fair_c : 0,
        .eta = params->eta,
        .total_bins = bins->offsets[bins->column_count],
    };
    growth->bins_ranked = bins_ranked(bins, &growth->options);
    return tree_draws_init(growth, err);
}

void tree_growth_deinit(struct growing_tree *growth)
{
    free(growth->nodes);
    free(growth->divided);
    free(growth->frontier);
    free(growth->histograms);
    free(growth->free_slots);
    tree_draws_deinit(growth);
    free(growth->found);
    free(growth->words);
    free(growth->ranked);
    *growth = (struct growing_tree){0};
}

/* ---- the order of nodes ---- */

static bool comes_before(const struct growing_tree *growth, uint32_t a, uint32_t b)
{
    const struct tree_node *first = &growth->nodes[a], *second = &growth->nodes[b];

    if (growth->limits.is_depthwise && first->depth != second->depth)
        return first->depth < second->depth;
    if (!growth->limits.is_depthwise && first->split.gain != second->split.gain)
        return first->split.gain > second->split.gain;
    return a < b;
}

static enum status push(struct growing_tree *growth, uint32_t node, struct error *err)
{
    uint32_t at = growth->frontier_count;

    TRY(TREE_RESERVE(growth, frontier, frontier_room, at + 1, err));
    growth->frontier_count++;
    for (; at > 0 && comes_before(growth, node, growth->frontier[(at - 1) / 2]); at = (at - 1) / 2)
        growth->frontier[at] = growth->frontier[(at - 1) / 2];
    growth->frontier[at] = node;
    return STATUS_OK;
}

static uint32_t pop(struct growing_tree *growth)
{
    uint32_t *heap = growth->frontier;
    const uint32_t first = heap[0], last = heap[--growth->frontier_count];
    const uint32_t count = growth->frontier_count;
    uint32_t at = 0;

    while (2 * at + 1 < count) {
        uint32_t child = 2 * at + 1;

        if (child + 1 < count && comes_before(growth, heap[child + 1], heap[child]))
            child++;
        if (!comes_before(growth, heap[child], last))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = last;
    return first;
}

/* ---- growing ---- */

/* Could a node with these sums and rows at this depth be divided at all? */
static bool may_be_divided(const struct growing_tree *growth, const struct tree_node *node)
{
    return node->depth < growth->limits.max_depth &&
           tree_hessian_reaches((double)node->sums.hessian, 2 * growth->options.min_child_weight,
                                tree_node_units(growth, node), &growth->options) &&
           (double)node->rows >= 2 * growth->options.min_rows;
}

static struct tree_node new_node(struct tree_sums sums, struct tree_bounds bounds,
                                 struct tree_above above, uint32_t depth)
{
    struct tree_node node;

    memset(&node, 0, sizeof node); /* the state is read as bytes */
    node.sums = sums;
    node.bounds = bounds;
    node.groups = above.groups;
    node.above = above.column;
    node.slot = TREE_NO_SLOT;
    node.depth = depth;
    return node;
}

uint32_t tree_growth_first_bins(struct growing_tree *growth, uint64_t number)
{
    if (!tree_draws_are_few(growth))
        return growth->bins->columns[0].bins;
    tree_draws_list_root(growth, number);
    return growth->bins->columns[tree_draws_list(growth, 0)[0]].bins;
}

static struct tree_sums sums_of(const int64_t *histogram, uint32_t bins)
{
    struct tree_sums sums = {0, 0};

    for (uint32_t b = 0; b < bins; b++) {
        sums.gradient += histogram[2 * b];
        sums.hessian += histogram[2 * b + 1];
    }
    return sums;
}

static enum status find_root_split(struct growing_tree *growth, const int64_t *histogram,
                                   struct team *team, struct error *err)
{
    const struct sharing root = {NULL, NULL, {0, TREE_NO_NODE}};

    return tree_draws_are_few(growth)
               ? tree_search_drawn(growth, root.nodes, 1, histogram, team, err)
               : tree_search_shared(growth, &root, 1, team, err);
}

enum status tree_growth_begin(struct growing_tree *growth, uint64_t number, struct tree_units units,
                              const int64_t *histogram, struct team *team, struct error *err)
{
    const uint32_t bins = tree_growth_first_bins(growth, number);

    TRY(tree_growth_resize(growth, 1, 0, 0, tree_draws_are_few(growth) ? 0 : 1, 0, err));
    growth->number = number;
    growth->units = units;
    growth->batch_count = 0;
    growth->leaves = 1;
    growth->nodes[0] = new_node(sums_of(histogram, bins), (struct tree_bounds){-INFINITY, INFINITY},
                                (struct tree_above){.is_root = true}, 0);
    growth->nodes[0].rows =
        (uint64_t)(units.rows_of_hessian * (double)growth->nodes[0].sums.hessian + 0.5);
    growth->nodes[0].is_reached = true;
    if (!tree_draws_are_few(growth)) {
        memcpy(growth->histograms, histogram, growth->total_bins * sizeof *growth->histograms);
        growth->nodes[0].slot = 0;
    }
    tree_draws_of_tree(growth, number);
    if (!may_be_divided(growth, &growth->nodes[0]))
        return STATUS_OK;
    TRY(find_root_split(growth, histogram, team, err));
    return growth->nodes[0].split.gain > 0 ? push(growth, 0, err) : STATUS_OK;
}

/* Its children, whose rows and bounds follow from the split. */
static enum status divide(struct growing_tree *growth, uint32_t number, struct error *err)
{
    struct tree_bounds left, right;
    struct tree_above above;
    struct tree_node *node;

    TRY(TREE_RESERVE(growth, nodes, node_room, growth->node_count + 2, err));
    TRY(TREE_RESERVE(growth, divided, divided_room, growth->divided_count + 1, err));
    node = &growth->nodes[number];
    tree_split_bounds(&node->split, growth->units, &growth->options, node->bounds, &left, &right);
    above =
        tree_constraints_below(growth->constraints, tree_growth_above(node), node->split.column);
    node->left = growth->node_count;
    growth->nodes[node->left] = new_node(node->split.left, left, above, node->depth + 1);
    growth->nodes[node->left + 1] = new_node(node->split.right, right, above, node->depth + 1);
    growth->nodes[node->left].is_by_order = growth->nodes[node->left + 1].is_by_order =
        tree_split_is_by_order(&growth->bins->columns[node->split.column], &growth->options);
    growth->node_count += 2;
    growth->divided[growth->divided_count++] = number;
    return STATUS_OK;
}

/* How many rows it has is not known before: no more than its sibling leaves. */
bool tree_growth_may_divide(const struct growing_tree *growth, uint32_t parent, uint32_t child)
{
    const struct tree_node *node = &growth->nodes[parent];
    const uint64_t of_sibling = (uint64_t)growth->options.min_rows;
    struct tree_node made = new_node(child == 0 ? node->split.left : node->split.right,
                                     node->bounds, (struct tree_above){0}, node->depth + 1);

    made.rows = node->rows > of_sibling ? node->rows - of_sibling : 0;
    return may_be_divided(growth, &made);
}

/* Would a division's children need histograms, when so many leaves are possible after it? */
static bool needs_histogram(const struct growing_tree *growth, uint32_t number,
                            uint32_t leaves_left)
{
    return leaves_left > 0 &&
           (tree_growth_may_divide(growth, number, 0) || tree_growth_may_divide(growth, number, 1));
}

/* The tree has the node's children: they join the frontier. */
static enum status keep(struct growing_tree *growth, uint32_t number, struct error *err)
{
    struct tree_node *node = &growth->nodes[number];

    node->is_inner = true;
    growth->leaves++;
    growth->nodes[node->left].is_reached = growth->nodes[node->left + 1].is_reached = true;
    for (uint32_t child = node->left; child < node->left + 2; child++)
        if (growth->nodes[child].split.gain > 0)
            TRY(push(growth, child, err));
    return give_slot(growth, number, err);
}

/* Nodes to be divided at once: the next one, and those that come after it as far as is known. */
static enum status gather_batch(struct growing_tree *growth, struct error *err)
{
    const uint32_t leaves_left = growth->limits.max_leaves - growth->leaves;
    uint32_t most = growth->limits.batch, taken = 0;
    uint32_t passed[64];

    if (most > sizeof passed / sizeof *passed)
        most = sizeof passed / sizeof *passed;
    if (!growth->limits.is_depthwise && most > (leaves_left + 1) / 2)
        most = (leaves_left + 1) / 2;
    if (most > leaves_left)
        most = leaves_left;
    growth->batch_count = 0;
    while (growth->frontier_count > 0 && taken < sizeof passed / sizeof *passed &&
           growth->batch_count < most) {
        const uint32_t number = pop(growth);

        passed[taken++] = number;
        if (growth->nodes[number].left > 0 || !needs_histogram(growth, number, leaves_left))
            continue;
        TRY(divide(growth, number, err));
        growth->batch_count++;
    }
    for (uint32_t i = 0; i < taken; i++)
        TRY(push(growth, passed[i], err));
    return STATUS_OK;
}

enum status tree_growth_next(struct growing_tree *growth, struct error *err)
{
    growth->batch_count = 0;
    while (growth->frontier_count > 0 && growth->leaves < growth->limits.max_leaves) {
        const uint32_t number = growth->frontier[0];
        const uint32_t leaves_left = growth->limits.max_leaves - growth->leaves - 1;

        if (growth->nodes[number].left == 0) {
            if (needs_histogram(growth, number, leaves_left))
                return gather_batch(growth, err);
            TRY(divide(growth, number, err));
        }
        pop(growth);
        TRY(keep(growth, number, err));
    }
    return STATUS_OK;
}

void tree_growth_resume(struct growing_tree *growth, uint64_t number, struct tree_units units,
                        uint32_t leaves, uint32_t batch_count)
{
    growth->number = number;
    growth->units = units;
    growth->leaves = leaves;
    growth->batch_count = batch_count;
    tree_draws_of_tree(growth, number);
}

uint32_t tree_growth_summed(const struct growing_tree *growth, uint32_t node)
{
    const struct tree_node *of = &growth->nodes[node];

    return of->left + (of->split.left.hessian > of->split.right.hessian);
}

/* The second derivative of the objective fair vanishes far from the labels, and Newton's steps
 * go the farther beyond them. A step that would go FAIR_BEYOND times as far as its rows are off,
 * by r, takes them to their labels. r follows from the step, which is r (r + c) / c where all
 * rows of a leaf are off alike. */
static double fair_value(const struct growing_tree *growth, double value)
{
    const double c = growth->fair_c, step = fabs(value);
    const double off = (sqrt(c * c + 4 * c * step) - c) / 2;

    return growth->eta * step > FAIR_BEYOND * off ? copysign(off / growth->eta, value) : value;
}

double tree_growth_value(const struct growing_tree *growth, uint32_t leaf, double gradient,
                         double hessian)
{
    const struct tree_node *node = &growth->nodes[leaf];
    const double value =
        tree_leaf_value(gradient, hessian, &growth->options, node->is_by_order, node->bounds);

    return growth->fair_c > 0 ? fair_value(growth, value) : value;
}

/* How many rows the children of a node have, of which one has been summed. */
static enum status share_rows(struct growing_tree *growth, uint32_t number, int64_t rows,
                              struct error *err)
{
    const uint32_t summed = tree_growth_summed(growth, number);
    const uint32_t other = 2 * growth->nodes[number].left + 1 - summed;

    if (rows < 0 || (uint64_t)rows > growth->nodes[number].rows)
        return memory_damaged(err, "the rows of a node");
    growth->nodes[summed].rows = (uint64_t)rows;
    growth->nodes[other].rows = growth->nodes[number].rows - (uint64_t)rows;
    return STATUS_OK;
}

/* Where the histograms of the children will be that are searched: that of the parent makes room. */
static enum status place_children(struct growing_tree *growth, uint32_t number,
                                  struct sharing *sharing, struct error *err)
{
    const uint32_t summed = tree_growth_summed(growth, number);
    const uint32_t other = 2 * growth->nodes[number].left + 1 - summed;
    const bool has_summed = may_be_divided(growth, &growth->nodes[summed]);
    const bool has_other = may_be_divided(growth, &growth->nodes[other]);
    uint32_t slot = growth->nodes[number].slot;

    if (!has_summed && !has_other)
        return give_slot(growth, number, err);
    if (has_other)
        growth->nodes[other].slot = slot;
    if (has_summed && has_other)
        TRY(take_slot(growth, &slot, err));
    if (has_summed)
        growth->nodes[summed].slot = slot;
    sharing->nodes[0] = has_summed ? summed : TREE_NO_NODE;
    sharing->nodes[1] = has_other ? other : TREE_NO_NODE;
    return STATUS_OK;
}

static enum status take_histograms(struct growing_tree *growth, const int64_t *histograms,
                                   const int64_t *rows, struct sharing *sharings, struct team *team,
                                   struct error *err)
{
    for (uint32_t i = 0; i < growth->batch_count; i++) {
        TRY(share_rows(growth, tree_growth_batch_node(growth, i), rows[i], err));
        sharings[i].nodes[0] = sharings[i].nodes[1] = TREE_NO_NODE;
        TRY(place_children(growth, tree_growth_batch_node(growth, i), &sharings[i], err));
    }
    for (uint32_t i = 0; i < growth->batch_count; i++) { /* where histograms are now */
        const uint32_t number = tree_growth_batch_node(growth, i);

        sharings[i].summed =
            (const struct tree_sums *)(histograms + 2 * (size_t)i * growth->total_bins);
        if (growth->nodes[number].slot != TREE_NO_SLOT)
            sharings[i].parent = tree_node_histogram(growth, number);
        growth->nodes[number].slot = TREE_NO_SLOT;
    }
    TRY(tree_search_shared(growth, sharings, growth->batch_count, team, err));
    for (uint32_t i = 0; i < 2 * growth->batch_count; i++) {
        const uint32_t node = sharings[i / 2].nodes[i % 2];

        if (node != TREE_NO_NODE && !(growth->nodes[node].split.gain > 0))
            TRY(give_slot(growth, node, err));
    }
    return STATUS_OK;
}

static enum status take_drawn(struct growing_tree *growth, const int64_t *histograms,
                              const int64_t *rows, struct team *team, struct error *err)
{
    const uint32_t count = 2 * growth->batch_count;
    uint32_t *nodes = malloc((count + (size_t)1) * sizeof *nodes);
    enum status status = nodes ? STATUS_OK : fail_no_memory(err);

    for (uint32_t i = 0; status == STATUS_OK && i < growth->batch_count; i++) {
        const uint32_t parent = tree_growth_batch_node(growth, i);

        status = share_rows(growth, parent, rows[i], err);
        for (uint32_t child = 0; child < 2; child++) {
            const uint32_t node = growth->nodes[parent].left + child;

            nodes[2 * i + child] =
                may_be_divided(growth, &growth->nodes[node]) ? node : TREE_NO_NODE;
        }
    }
    if (status == STATUS_OK) {
        tree_draws_list_batch(growth);
        status = tree_search_drawn(growth, nodes, count, histograms, team, err);
    }
    free(nodes);
    return status;
}

static enum status take_all(struct growing_tree *growth, const int64_t *histograms,
                            const int64_t *rows, struct team *team, struct error *err)
{
    struct sharing *sharings = calloc((size_t)growth->batch_count + 1, sizeof *sharings);
    enum status status = sharings ? take_histograms(growth, histograms, rows, sharings, team, err)
                                  : fail_no_memory(err);

    free(sharings);
    return status;
}

enum status tree_growth_take(struct growing_tree *growth, const int64_t *histograms,
                             const int64_t *rows, struct team *team, struct error *err)
{
    return tree_draws_are_few(growth) ? take_drawn(growth, histograms, rows, team, err)
                                      : take_all(growth, histograms, rows, team, err);
}
