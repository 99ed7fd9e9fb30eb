#include "kinds/trees/trees_shap.h"

#include <stdlib.h>
#include <string.h>

#include "kinds/trees/trees_model.h"
#include "kinds/trees/trees_score.h"

/* An input that was tested on the way to a node. Number 0 of a path stands for no input. */
struct tested {
    uint32_t input;
    double unknown; /* share of the rows that went this way, where the input is not known */
    double known;   /* 1: the row goes this way, else 0 */
    double weight;  /* the weight of all sets with as many known inputs as there are before it */
};

struct shap_trees {
    const struct model *model;
    const struct trees_model *trees;
    void *scorer;
    uint32_t *dense_inputs; /* (dense_width): the input that a column is of */
    uint32_t *id_inputs;    /* (id_count) */
    double *means;          /* (node_count): means of the leaves below a node, by covers */
    double *base;           /* (outputs): what an output is where no input is known */
    struct tested *paths;   /* (depth + 2, path_size): the first is empty */
    uint32_t path_size;
    const float *dense; /* the present row's */
    const int32_t *ids;
    const struct stop *stop;
    uint64_t steps; /* since `stop` was asked */
};

/* ---- opening ---- */

static const float *node_of(const struct shap_trees *shap, uint32_t node)
{
    return trees_node(shap->trees, node);
}

/* The child's share of the rows of its parent. */
static double share_of(const struct shap_trees *shap, uint32_t child, uint32_t other)
{
    const double here = (double)node_of(shap, child)[NODE_COVER];
    const double both = here + (double)node_of(shap, other)[NODE_COVER];

    return both > 0 ? here / both : 0.5;
}

static double mean_below(const struct shap_trees *shap, uint32_t left)
{
    return share_of(shap, left, left + 1) * shap->means[left] +
           share_of(shap, left + 1, left) * shap->means[left + 1];
}

/* Children come behind their parent; a leaf's place of children means nothing, and is any float.
 * depths (nodes of the tree) is room. */
static uint32_t measure_tree(struct shap_trees *shap, const float *tree, uint32_t *depths)
{
    const uint32_t first = (uint32_t)tree[TREE_FIRST_NODE];
    const uint32_t count = (uint32_t)tree[TREE_NODE_COUNT];
    uint32_t depth = 0;

    for (uint32_t i = count; i-- > 0;) {
        const float *node = node_of(shap, first + i);

        shap->means[first + i] = node[NODE_TEST] == NODE_LEAF
                                     ? (double)node[NODE_VALUE]
                                     : mean_below(shap, first + (uint32_t)node[NODE_LEFT]);
    }
    depths[0] = 0;
    for (uint32_t i = 0; i < count; i++) {
        const float *node = node_of(shap, first + i);
        uint32_t left;

        if (depths[i] > depth)
            depth = depths[i];
        if (node[NODE_TEST] == NODE_LEAF)
            continue;
        left = (uint32_t)node[NODE_LEFT];
        depths[left] = depths[left + 1] = depths[i] + 1;
    }
    shap->base[(uint32_t)tree[TREE_OUTPUT]] += shap->means[first];
    return depth;
}

static enum status measure_trees(struct shap_trees *shap, uint32_t *depth, struct error *err)
{
    const struct trees_model *trees = shap->trees;
    uint32_t *depths = calloc(trees->node_count + (size_t)1, sizeof *depths);

    if (!depths)
        return fail_no_memory(err);
    for (uint32_t i = 0; i < trees->outputs; i++)
        shap->base[i] = (double)trees->base[i];
    for (uint32_t i = 0; i < trees->tree_count; i++) {
        const uint32_t of_tree =
            measure_tree(shap, trees->trees + (size_t)i * TREE_NUMBERS, depths);

        if (of_tree > *depth)
            *depth = of_tree;
    }
    free(depths);
    if (*depth <= TREES_SHAP_DEPTH_MAX)
        return STATUS_OK;
    fail(err, STATUS_LIMIT, "a tree of the model is %u tests deep, more than SHAP values take: %u",
         *depth, TREES_SHAP_DEPTH_MAX);
    return error_hint(err, "TO EXPLAIN USING permutation takes trees of any depth.");
}

static void find_inputs(struct shap_trees *shap)
{
    const struct transform *transform = &shap->model->transform;

    for (uint32_t i = 0; i < transform->input_count; i++) {
        const struct transform_input *input = &transform->inputs[i];

        if (input->spec.type == INPUT_NUMERIC)
            shap->dense_inputs[input->dense_offset] = i;
        else
            shap->id_inputs[input->id_offset] = i;
    }
}

static enum status prepare(struct shap_trees *shap, struct error *err)
{
    const struct transform *transform = &shap->model->transform;
    uint32_t depth = 0;

    shap->dense_inputs = calloc(transform->dense_width + (size_t)1, sizeof *shap->dense_inputs);
    shap->id_inputs = calloc(transform->id_count + (size_t)1, sizeof *shap->id_inputs);
    shap->means = calloc(shap->trees->node_count + (size_t)1, sizeof *shap->means);
    shap->base = calloc(shap->trees->outputs, sizeof *shap->base);
    if (!shap->dense_inputs || !shap->id_inputs || !shap->means || !shap->base)
        return fail_no_memory(err);
    find_inputs(shap);
    TRY(measure_trees(shap, &depth, err));
    /* No input is in a path twice. */
    shap->path_size = 2 + (depth < transform->input_count ? depth : transform->input_count);
    shap->paths = calloc(((size_t)depth + 2) * shap->path_size, sizeof *shap->paths);
    if (!shap->paths)
        return fail_no_memory(err);
    return trees_scorer_open(shap->model, 1, &shap->scorer, err);
}

enum status trees_shap_open(const struct model *model, void **opened, struct error *err)
{
    struct shap_trees *shap = calloc(1, sizeof *shap);

    *opened = shap;
    if (!shap)
        return fail_no_memory(err);
    shap->model = model;
    shap->trees = trees_of(model);
    if (prepare(shap, err) == STATUS_OK)
        return STATUS_OK;
    trees_shap_close(shap);
    *opened = NULL;
    return err->status;
}

void trees_shap_close(void *opened)
{
    struct shap_trees *shap = opened;

    if (!shap)
        return;
    trees_scorer_close(shap->scorer);
    free(shap->dense_inputs);
    free(shap->id_inputs);
    free(shap->means);
    free(shap->base);
    free(shap->paths);
    free(shap);
}

/* ---- the inputs of a path ---- */

/* Behind `count` others. */
static void extend(struct tested *path, uint32_t count, struct tested added)
{
    added.weight = count == 0 ? 1 : 0;
    path[count] = added;
    for (uint32_t i = count; i-- > 0;) {
        path[i + 1].weight += added.known * path[i].weight * (i + 1) / (count + 1);
        path[i].weight = added.unknown * path[i].weight * (count - i) / (count + 1);
    }
}

/* The weights as if number `i` of the `last` + 1 had never been added. Returns their sum; `kept`
 * (last) gets them, NULL: nobody asks for them. */
static double without(const struct tested *path, uint32_t last, uint32_t i, double *kept)
{
    const double known = path[i].known, unknown = path[i].unknown;
    double next = path[last].weight, sum = 0;

    for (uint32_t j = last; j-- > 0;) {
        double weight;

        if (known != 0) {
            weight = next * (last + 1) / ((j + 1) * known);
            next = path[j].weight - weight * unknown * (last - j) / (last + 1);
        } else {
            weight = path[j].weight * (last + 1) / (unknown * (last - j));
        }
        sum += weight;
        if (kept)
            kept[j] = weight;
    }
    return sum;
}

static void take_out(struct tested *path, uint32_t last, uint32_t i)
{
    double weights[TREES_SHAP_DEPTH_MAX + 2];

    (void)without(path, last, i, weights);
    for (uint32_t j = i; j < last; j++) /* weights are of places, not of inputs */
        path[j] = path[j + 1];
    for (uint32_t j = 0; j < last; j++)
        path[j].weight = weights[j];
}

/* ---- a row ---- */

static uint32_t input_of(const struct shap_trees *shap, const float *node)
{
    const uint32_t column = (uint32_t)node[NODE_COLUMN];

    return node[NODE_TEST] == NODE_WORD_IN ? shap->id_inputs[column] : shap->dense_inputs[column];
}

/* values (inputs) */
static void add_leaf(const struct tested *path, uint32_t last, double leaf, double *values)
{
    for (uint32_t i = 1; i <= last; i++)
        values[path[i].input] +=
            without(path, last, i, NULL) * (path[i].known - path[i].unknown) * leaf;
}

/* `before` (count) is the path to the node's parent, `added` what led from there. A way that no
 * training row took, nor the row at hand, adds nothing. */
static enum status walk(struct shap_trees *shap, uint32_t first, uint32_t number,
                        struct tested *before, uint32_t count, struct tested added, double *values,
                        struct error *err)
{
    const float *node = node_of(shap, number);
    struct tested *path = before + shap->path_size;
    struct tested next = {.unknown = 1, .known = 1};
    uint32_t left, taken, i = 1;

    if (added.unknown == 0 && added.known == 0)
        return STATUS_OK;
    memcpy(path, before, count * sizeof *path);
    extend(path, count, added);
    if (node[NODE_TEST] == NODE_LEAF) {
        add_leaf(path, count, (double)node[NODE_VALUE], values);
        return stop_step(shap->stop, (uint64_t)count * count + 1, &shap->steps, err);
    }
    next.input = input_of(shap, node);
    while (i <= count && path[i].input != next.input)
        i++;
    if (i <= count) {
        next.unknown = path[i].unknown;
        next.known = path[i].known;
        take_out(path, count--, i);
    }
    left = first + (uint32_t)node[NODE_LEFT];
    taken = trees_next(shap->scorer, number, shap->dense, shap->ids);
    for (uint32_t child = left; child < left + 2; child++)
        TRY(walk(shap, first, child, path, count + 1,
                 (struct tested){next.input,
                                 next.unknown * share_of(shap, child, 2 * left + 1 - child),
                                 child == taken ? next.known : 0, 0},
                 values, err));
    return STATUS_OK;
}

enum status trees_shap(void *opened, const float *dense, const int32_t *ids,
                       const struct stop *stop, double *values, struct error *err)
{
    struct shap_trees *shap = opened;
    const struct trees_model *trees = shap->trees;
    const size_t width = shap->model->transform.input_count + (size_t)1;
    const double offset = transform_offset(&shap->model->transform, dense);

    shap->dense = dense;
    shap->ids = ids;
    shap->stop = stop;
    memset(values, 0, trees->outputs * width * sizeof *values);
    for (uint32_t i = 0; i < trees->outputs; i++)
        values[i * width + width - 1] = shap->base[i] + offset;
    for (uint32_t i = 0; i < trees->tree_count; i++) {
        const float *tree = trees->trees + (size_t)i * TREE_NUMBERS;

        TRY(walk(shap, (uint32_t)tree[TREE_FIRST_NODE], (uint32_t)tree[TREE_FIRST_NODE],
                 shap->paths, 0, (struct tested){.unknown = 1, .known = 1},
                 values + (size_t)tree[TREE_OUTPUT] * width, err));
    }
    return STATUS_OK;
}
