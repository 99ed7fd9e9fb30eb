/*
 * A tree becomes choices within choices, at most DEPTH of them, which any reader of SQL takes. In a
 * deeper tree each node below is a number of its own, greater than that of any leaf, which a later
 * variable looks at and goes on from:
 *
 *     v7 = x < 3 ? (y < 2 ? 0.5 : 1e100) : 2e100
 *     v8 = v7 < 1e99 ? v7 : v7 < 1.5e100 ? (below node 1) : (below node 2)
 */
#include "kinds/trees/trees_formulas.h"

#include <float.h>
#include <math.h>

#include "kinds/trees/trees_model.h"
#include "scoring/numbers/elementary.h"

#define DEPTH         6
#define DEPTH_GRAPH   500   /* the same of a program that is a graph */
#define CODE          1e100 /* node number i that is cut off is (i + 1) times this */
#define LEAVES_MOST   1e99
#define ABREAST       32     /* choices one behind the other */
#define TERMS         32     /* trees of a sum that is a variable */
#define MISSING_WHOLE (-1.0) /* for NODE_IS_IN: a missing number, which is in no set */

struct walk {
    struct formula_program *program;
    const struct trees_model *trees;
    const struct formula_row *row;
    const struct formula **wholes; /* (dense_width): for NODE_IS_IN; NULL: not yet */
    size_t first;                  /* node of the tree */
    uint32_t depth, terms;         /* DEPTH and TERMS, or those of a graph */
    uint32_t *cut;                 /* (cut_count): nodes that are cut off */
    uint32_t cut_count;
};

/* The number from which on doubles become floats that are not less than the threshold; *is_above:
 * it becomes one that is less. No float is farther from 0 than TRANSFORM_KEPT_MOST, to which
 * doubles are cut. */
static double border_of(float threshold, bool *is_above)
{
    const float before = nextafterf(threshold, -INFINITY);

    *is_above = threshold > TRANSFORM_KEPT_MOST;
    if (*is_above)
        return DBL_MAX;
    if (threshold <= -TRANSFORM_KEPT_MOST)
        return -DBL_MAX;
    *is_above = bits_of(threshold) & 1; /* the one in the middle goes to the even float */
    return ((double)threshold + (double)before) / 2;
}

static const struct formula *below(const struct walk *walk, const float *node,
                                   const struct formula *left, const struct formula *right)
{
    struct formula_program *program = walk->program;
    const struct formula *x = walk->row->dense[(uint32_t)node[NODE_COLUMN]], *border;
    bool is_above;

    border = formula_number(program, border_of(node[NODE_VALUE], &is_above));
    if (node[NODE_MISSING_LEFT] > 0) /* no comparison with a missing number holds */
        return formula_if(program,
                          formula_of(program, is_above ? FORMULA_LESS : FORMULA_AT_MOST, border, x),
                          right, left);
    return formula_if(program,
                      formula_of(program, is_above ? FORMULA_AT_MOST : FORMULA_LESS, x, border),
                      left, right);
}

/* The values of a set, ascending, `first` before them where it has one. */
static const struct formula *in_set(const struct walk *walk, const float *node,
                                    const struct formula *a, bool has_first)
{
    const float *set = walk->trees->sets + (size_t)node[NODE_SET] * TREE_SET_NUMBERS;
    const uint32_t values = (uint32_t)node[NODE_SET_ROWS] * TREE_SET_VALUES;
    double *numbers = ARENA_NEW(walk->program->arena, double, values + 1u);
    uint32_t count = 0;

    if (!numbers) {
        walk->program->failed = true;
        return a;
    }
    if (has_first)
        numbers[count++] = MISSING_WHOLE;
    for (uint32_t i = 0; i < values; i++)
        if ((uint32_t)set[i / 16] >> (i % 16) & 1)
            numbers[count++] = i;
    return formula_in(walk->program, a, numbers, count);
}

/* The whole part towards 0 of a number as a float. */
static const struct formula *whole_of(const struct walk *walk, uint32_t column)
{
    struct formula_program *program = walk->program;
    const struct formula *x;

    if (walk->wholes[column])
        return walk->wholes[column];
    x = formula_float(program, walk->row->dense[column]);
    x = formula_let(
        program,
        formula_if(
            program,
            formula_of(program, FORMULA_AND,
                       formula_of(program, FORMULA_LESS, formula_number(program, -1), x),
                       formula_of(program, FORMULA_LESS, x, formula_number(program, 0x1p24))),
            formula_of(program, FORMULA_FLOOR,
                       formula_of(program, FORMULA_GREATEST, x, formula_number(program, 0)), NULL),
            formula_if(program, formula_of(program, FORMULA_IS_MISSING, x, NULL),
                       formula_number(program, MISSING_WHOLE), formula_number(program, -2))));
    walk->wholes[column] = x;
    return x;
}

static const struct formula *build(struct walk *walk, uint32_t at, uint32_t depth)
{
    const float *node = trees_node(walk->trees, walk->first + at);
    const struct formula *left, *right, *tested;

    if (node[NODE_TEST] == NODE_LEAF)
        return formula_number(walk->program, (double)node[NODE_VALUE]);
    if (depth == 0) {
        walk->cut[walk->cut_count++] = at;
        return formula_number(walk->program, CODE * walk->cut_count);
    }
    left = build(walk, (uint32_t)node[NODE_LEFT], depth - 1);
    right = build(walk, (uint32_t)node[NODE_LEFT] + 1, depth - 1);
    if (node[NODE_TEST] == NODE_BELOW)
        return below(walk, node, left, right);
    tested = node[NODE_TEST] == NODE_IS_IN ? whole_of(walk, (uint32_t)node[NODE_COLUMN])
                                           : walk->row->ids[(uint32_t)node[NODE_COLUMN]];
    return formula_if(walk->program, in_set(walk, node, tested, node[NODE_MISSING_LEFT] > 0), left,
                      right);
}

/* On from the nodes [from, to) that were cut off: ABREAST groups of them, one after the other. */
static const struct formula *go_on(struct walk *walk, const struct formula *v, uint32_t from,
                                   uint32_t to)
{
    struct formula_program *program = walk->program;
    const uint32_t group = to - from <= ABREAST ? 1 : (to - from + ABREAST - 1) / ABREAST;
    const uint32_t last = from + (to - from - 1) / group * group;
    const struct formula *found;

    if (to - from == 1)
        return build(walk, walk->cut[from], walk->depth);
    found = go_on(walk, v, last, to);
    for (uint32_t first = last; first > from; first -= group)
        found = formula_if(
            program,
            formula_of(program, FORMULA_LESS, v, formula_number(program, CODE * (first + 0.5))),
            go_on(walk, v, first - group, first), found);
    return found;
}

static const struct formula *tree_value(struct walk *walk)
{
    struct formula_program *program = walk->program;
    const struct formula *v;
    uint32_t from = 0;

    walk->cut_count = 0;
    v = build(walk, 0, walk->depth);
    while (from < walk->cut_count && !program->failed) {
        const uint32_t to = walk->cut_count;

        v = formula_let(program, v);
        v = formula_if(program,
                       formula_of(program, FORMULA_LESS, v, formula_number(program, LEAVES_MOST)),
                       v, go_on(walk, v, from, to));
        from = to;
    }
    return from > 0 ? formula_let(program, v) : v;
}

static const struct formula *linked(struct formula_program *program, enum trees_link link,
                                    const struct formula *sum)
{
    const struct formula *one = formula_number(program, 1);

    if (link == TREES_LINK_EXP)
        return formula_of(program, FORMULA_LEAST, formula_exp(program, sum, 700),
                          formula_number(program, (double)FLT_MAX));
    if (link == TREES_LINK_LOGISTIC)
        return formula_of(
            program, FORMULA_DIVIDE, one,
            formula_add(program, one, formula_exp(program, formula_times(program, sum, -1), 700)));
    return sum;
}

static void sum_trees(struct walk *walk, uint32_t output, const struct formula **outputs)
{
    struct formula_program *program = walk->program;
    const struct trees_model *trees = walk->trees;
    struct formula_terms sums, terms;

    formula_terms_init(&sums, program, (size_t)trees->tree_count / TERMS + 4);
    formula_terms_init(&terms, program, trees->tree_count);
    formula_terms_add(&sums, formula_number(program, (double)trees->base[output]));
    formula_terms_add(&sums, walk->row->offset);
    for (uint32_t i = 0; i < trees->tree_count && !program->failed; i++) {
        const float *tree = trees->trees + (size_t)i * TREE_NUMBERS;

        if ((uint32_t)tree[TREE_OUTPUT] != output)
            continue;
        walk->first = (size_t)tree[TREE_FIRST_NODE];
        formula_terms_add(&terms, tree_value(walk));
        if (terms.count < walk->terms)
            continue;
        formula_terms_add(&sums,
                          formula_let(program, formula_sum(program, terms.items, terms.count)));
        terms.items += terms.count;
        terms.count = 0;
    }
    if (terms.count > 0)
        formula_terms_add(&sums,
                          formula_let(program, formula_sum(program, terms.items, terms.count)));
    outputs[output] = linked(program, trees->link,
                             formula_let(program, formula_sum(program, sums.items, sums.count)));
}

enum status trees_formulas(const struct model *model, struct formula_program *program,
                           const struct formula_row *row, const struct formula **outputs,
                           struct error *err)
{
    const struct transform *transform = &model->transform;
    struct walk walk = {.program = program,
                        .trees = trees_of(model),
                        .row = row,
                        .depth = program->is_graph ? DEPTH_GRAPH : DEPTH,
                        .terms = program->is_graph ? UINT32_MAX : TERMS};

    walk.wholes = (const struct formula **)arena_alloc_array(
        program->arena, (size_t)transform->dense_width + 1, sizeof(struct formula *));
    walk.cut = ARENA_NEW(program->arena, uint32_t, (size_t)walk.trees->node_count + 1);
    if (!walk.wholes || !walk.cut)
        return fail_no_memory(err);
    for (uint32_t j = 0; j < walk.trees->outputs && !program->failed; j++)
        sum_trees(&walk, j, outputs);
    return program->failed ? fail_no_memory(err) : STATUS_OK;
}
