/*
 * trees_fixture.h - models of trees made by hand, and at random.
 *
 *     trees_fixture_init(&fixture, classes)   inputs age, height, colour, size; no tree yet
 *     trees_fixture_add(&fixture, ...)        a tree of these nodes, or
 *     trees_fixture_grow(&fixture, ...)       one of random tests
 *     fixture_write, fixture_deinit           as any other fixture's
 */
#pragma once

#include <math.h>

#include "kinds/trees/trees_model.h"
#include "tests/check.h"
#include "tests/unit/scoring_fixture.h"

#define TREES_FIXTURE_TREES 400
#define TREES_FIXTURE_NODES 100000
#define TREES_FIXTURE_SETS  2000

struct trees_fixture {
    struct fixture fixture;
    struct trees_model trees; /* the model's content, of these: */
    float *base, *tree, *nodes, *sets;
};

/* A model of such inputs, which numbers are kept of, without a tree. Classes 0: a regression. */
static inline void trees_fixture_begin(struct trees_fixture *made, uint32_t classes,
                                       struct transform_input *inputs, uint32_t input_count)
{
    struct model *model = &made->fixture.model;
    struct arena *arena = &made->fixture.arena;
    struct error err;

    model->estimator = classes ? SLICE("BoostedTreesClassifier") : SLICE("BoostedTreesRegressor");
    model->kind = kind_find(SLICE("trees"));
    model->label_mean = 0;
    model->label_scale = 1;
    for (uint32_t i = 0; i < input_count; i++)
        inputs[i].mean = 0; /* no origins */
    model->transform = (struct transform){
        .inputs = inputs, .input_count = input_count, .keeps_numbers = model->kind->keeps_numbers};
    CHECK_OK(transform_finish(&model->transform, arena, &err));
    made->trees = (struct trees_model){.outputs = trees_outputs(model)};
    made->base = ARENA_NEW(arena, float, made->trees.outputs);
    made->tree = ARENA_NEW(arena, float, TREES_FIXTURE_TREES *TREE_NUMBERS);
    made->nodes = ARENA_NEW(arena, float, TREES_FIXTURE_NODES *NODE_NUMBERS);
    made->sets = ARENA_NEW(arena, float, TREES_FIXTURE_SETS *TREE_SET_NUMBERS);
    made->trees.base = made->base;
    made->trees.trees = made->tree;
    made->trees.nodes = made->nodes;
    made->trees.sets = made->sets;
    for (uint32_t j = 0; j < made->trees.outputs; j++)
        made->base[j] = 0.25f * (float)(j + 1);
    model->content = &made->trees;
}

/* Inputs: age (NULLs seen), height; colour (3 words, 2 hash buckets, NULLs seen), size (2 words):
 * dense columns 0 and 1, ids 0 and 1. */
static inline void trees_fixture_init(struct trees_fixture *made, uint32_t classes)
{
    *made = (struct trees_fixture){.base = NULL};
    fixture_init(&made->fixture, classes);
    trees_fixture_begin(made, classes, made->fixture.model.transform.inputs, 4);
}

/* Numbers alone: f0, f1, ... */
static inline void trees_fixture_wide(struct trees_fixture *made, uint32_t classes, uint32_t width)
{
    struct transform_input *inputs;

    *made = (struct trees_fixture){.base = NULL};
    fixture_init(&made->fixture, classes);
    inputs = ARENA_NEW(&made->fixture.arena, struct transform_input, width);
    for (uint32_t i = 0; i < width; i++)
        inputs[i] = (struct transform_input){
            .spec.name = arena_printf(&made->fixture.arena, "f%u", i), .has_nulls = true};
    trees_fixture_begin(made, classes, inputs, width);
}

/* Nodes as trees_model.h has them, the first of them the root. */
static inline void trees_fixture_add(struct trees_fixture *made, uint32_t output,
                                     const float (*nodes)[NODE_NUMBERS], uint32_t count)
{
    float *tree = made->tree + (size_t)made->trees.tree_count * TREE_NUMBERS;

    assert_true(made->trees.tree_count < TREES_FIXTURE_TREES);
    assert_true(made->trees.node_count + count <= TREES_FIXTURE_NODES);
    tree[TREE_FIRST_NODE] = (float)made->trees.node_count;
    tree[TREE_NODE_COUNT] = (float)count;
    tree[TREE_OUTPUT] = (float)output;
    memcpy(made->nodes + (size_t)made->trees.node_count * NODE_NUMBERS, nodes,
           count * sizeof *nodes);
    made->trees.tree_count++;
    made->trees.node_count += count;
}

/* A set of these values, in as many rows as they need. Returns its first row. */
static inline uint32_t trees_fixture_set(struct trees_fixture *made, const uint32_t *values,
                                         uint32_t count, uint32_t *rows)
{
    const uint32_t first = made->trees.set_count;
    float *set = made->sets + (size_t)first * TREE_SET_NUMBERS;

    *rows = 1;
    for (uint32_t i = 0; i < count; i++) {
        set[values[i] / 16] += (float)(1u << values[i] % 16);
        if (values[i] / TREE_SET_VALUES >= *rows)
            *rows = values[i] / TREE_SET_VALUES + 1;
    }
    made->trees.set_count += *rows;
    assert_true(made->trees.set_count <= TREES_FIXTURE_SETS);
    return first;
}

static inline double trees_fixture_draw(uint64_t seed, uint64_t number, uint64_t what)
{
    return random_uniform(seed, RANDOM_SIMULATION, number, what);
}

/* Sets a node's test: sets only where `with_sets`, and there are categories. */
static inline void trees_fixture_test(struct trees_fixture *made, float *node, uint64_t seed,
                                      uint64_t number, bool with_sets)
{
    const struct transform *transform = &made->fixture.model.transform;
    const double kind = with_sets ? trees_fixture_draw(seed, number, 1) : 0;
    uint32_t values[40], rows;

    node[NODE_TEST] = kind < 0.5 ? NODE_BELOW : kind < 0.7 ? NODE_IS_IN : NODE_WORD_IN;
    if (node[NODE_TEST] == NODE_WORD_IN && transform->id_count == 0)
        node[NODE_TEST] = NODE_BELOW;
    node[NODE_COLUMN] = (float)floor(
        trees_fixture_draw(seed, number, 2) *
        (node[NODE_TEST] == NODE_WORD_IN ? transform->id_count : transform->dense_width));
    node[NODE_MISSING_LEFT] = trees_fixture_draw(seed, number, 3) < 0.5;
    node[NODE_VALUE] = (float)(200 * trees_fixture_draw(seed, number, 4) - 50);
    if (trees_fixture_draw(seed, number, 7) < 0.5) /* a number of some rows, and of other trees */
        node[NODE_VALUE] = floorf(node[NODE_VALUE] / 4);
    if (node[NODE_TEST] == NODE_BELOW)
        return;
    node[NODE_VALUE] = 0;
    for (uint32_t i = 0; i < 40; i++) /* all different */
        values[i] = 7 * i + (uint32_t)(7 * trees_fixture_draw(seed, number, 10 + i));
    node[NODE_SET] = (float)trees_fixture_set(made, values, 40, &rows);
    node[NODE_SET_ROWS] = (float)rows;
}

/* A tree of so many leaves: leaves are divided until there are as many. */
static inline void trees_fixture_grow(struct trees_fixture *made, uint32_t output, uint32_t leaves,
                                      uint64_t seed, bool with_sets)
{
    const uint32_t count = 2 * leaves - 1;
    float(*nodes)[NODE_NUMBERS] = calloc(count, sizeof *nodes);
    uint32_t used = 1;

    while (used < count) {
        uint32_t node = (uint32_t)(trees_fixture_draw(seed, used, 0) * used);

        while (nodes[node][NODE_TEST] != NODE_LEAF)
            node = (node + 1) % used;
        if (node + 1 == 0 || used <= node)
            abort();
        trees_fixture_test(made, nodes[node], seed, node, with_sets);
        nodes[node][NODE_LEFT] = (float)used;
        nodes[node][NODE_GAIN] = (float)trees_fixture_draw(seed, node, 5);
        nodes[node][NODE_COVER] = (float)used;
        used += 2;
    }
    for (uint32_t i = 0; i < count; i++)
        if (nodes[i][NODE_TEST] == NODE_LEAF)
            nodes[i][NODE_VALUE] = (float)(trees_fixture_draw(seed, i, 6) - 0.5);
    trees_fixture_add(made, output, (const float(*)[NODE_NUMBERS])nodes, count);
    free(nodes);
}
