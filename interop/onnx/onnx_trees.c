/*
 * Choices within choices as an operator TreeEnsemble. A comparison of a column with a number is a
 * node's own, and so is a set of whole numbers; any other condition becomes a column of 0 and 1,
 * which the node compares.
 */
#include "interop/onnx/onnx_trees.h"

#include <math.h>

#define IS_CONDITION 0x80000000u /* bit of a node's feature that counts conditions, not columns */

/* Numbers of the operator's attribute nodes_modes. */
enum mode { MODE_AT_MOST, MODE_LESS, MODE_AT_LEAST, MODE_GREATER, MODE_MEMBER = 6 };

/* The attributes of nodes and leaves, which have `nodes` and `leaves` of each. */
struct ensemble {
    struct onnx_walk *walk;
    int64_t *features, *true_ids, *false_ids, *true_leaves, *false_leaves;
    uint8_t *modes;
    double *splits;
    int64_t *leaf_targets, *roots;
    double *leaf_numbers;
    double *members; /* the numbers of each set, and NaN behind them */
    uint32_t nodes, leaves, member_count;
    uint32_t *columns; /* (variables): 1 + the place among the columns; 0: none yet */
    struct onnx_place *places;
    const struct formula **conditions;
    uint32_t column_count, condition_count;
};

uint32_t onnx_tree_choices(const struct formula *formula)
{
    uint32_t choices = 0;

    for (; formula->op == FORMULA_IF; formula = formula->c) {
        const uint32_t inside =
            formula->b->op == FORMULA_NUMBER ? 0 : onnx_tree_choices(formula->b);

        if (formula->b->op != FORMULA_NUMBER && inside == 0)
            return 0;
        choices += 1 + inside;
    }
    return formula->op == FORMULA_NUMBER ? choices : 0;
}

/* The numbers of formulas that are looked for in sets are whole. An operator takes no empty set. */
static bool is_set(const struct formula *condition)
{
    return condition->op == FORMULA_IS_IN && condition->a->op == FORMULA_VARIABLE &&
           condition->count > 0;
}

/* How many numbers the sets have, and one for each. */
static size_t count_members(const struct formula *formula)
{
    size_t members = 0;

    for (; formula->op == FORMULA_IF; formula = formula->c)
        members +=
            count_members(formula->b) + (is_set(formula->a) ? (size_t)formula->a->count + 1 : 0);
    return members;
}

static int64_t column(struct ensemble *ensemble, const struct formula *variable)
{
    uint32_t *place = &ensemble->columns[variable->index];

    if (*place == 0) {
        ensemble->places[ensemble->column_count] = ensemble->walk->places[variable->index];
        *place = ++ensemble->column_count;
    }
    return *place - 1;
}

static void set_members(struct ensemble *ensemble, uint32_t node, const struct formula *set)
{
    ensemble->features[node] = column(ensemble, set->a);
    ensemble->modes[node] = MODE_MEMBER;
    for (uint32_t i = 0; i < set->count; i++)
        ensemble->members[ensemble->member_count++] = set->numbers[i];
    ensemble->members[ensemble->member_count++] = (double)NAN;
}

/* The node's feature, mode and number, by the condition under which its first branch is taken. */
static void set_test(struct ensemble *ensemble, uint32_t node, const struct formula *condition)
{
    const struct formula *a = condition->a, *b = condition->b;
    const bool is_less = condition->op == FORMULA_LESS;

    if ((is_less || condition->op == FORMULA_AT_MOST) && a->op == FORMULA_VARIABLE &&
        b->op == FORMULA_NUMBER) {
        ensemble->features[node] = column(ensemble, a);
        ensemble->modes[node] = is_less ? MODE_LESS : MODE_AT_MOST;
        ensemble->splits[node] = b->number;
    } else if ((is_less || condition->op == FORMULA_AT_MOST) && a->op == FORMULA_NUMBER &&
               b->op == FORMULA_VARIABLE) {
        ensemble->features[node] = column(ensemble, b);
        ensemble->modes[node] = is_less ? MODE_GREATER : MODE_AT_LEAST;
        ensemble->splits[node] = a->number;
    } else if (is_set(condition)) {
        set_members(ensemble, node, condition);
    } else {
        ensemble->conditions[ensemble->condition_count] = condition;
        ensemble->features[node] = (int64_t)(IS_CONDITION | ensemble->condition_count++);
        ensemble->modes[node] = MODE_GREATER;
        ensemble->splits[node] = 0.5;
    }
}

static int64_t add_node(struct ensemble *ensemble, const struct formula *choice, uint32_t target);

/* A leaf or a node; its place among those of its kind. */
static int64_t add_branch(struct ensemble *ensemble, const struct formula *branch, uint32_t target,
                          int64_t *is_leaf)
{
    *is_leaf = branch->op == FORMULA_NUMBER;
    if (!*is_leaf)
        return add_node(ensemble, branch, target);
    ensemble->leaf_targets[ensemble->leaves] = target;
    ensemble->leaf_numbers[ensemble->leaves] = branch->number;
    return ensemble->leaves++;
}

/* Choices behind each other are many, so these are a loop. */
static int64_t add_node(struct ensemble *ensemble, const struct formula *choice, uint32_t target)
{
    const int64_t first = ensemble->nodes;

    for (;;) {
        const uint32_t node = ensemble->nodes++;

        set_test(ensemble, node, choice->a);
        ensemble->true_ids[node] =
            add_branch(ensemble, choice->b, target, &ensemble->true_leaves[node]);
        choice = choice->c;
        if (choice->op == FORMULA_NUMBER) {
            ensemble->false_ids[node] =
                add_branch(ensemble, choice, target, &ensemble->false_leaves[node]);
            return first;
        }
        ensemble->false_ids[node] = ensemble->nodes;
    }
}

static bool make_room(struct ensemble *ensemble, size_t choices, size_t members, uint32_t trees)
{
    struct onnx_walk *walk = ensemble->walk;

    ensemble->features = ONNX_NEW(walk, int64_t, choices);
    ensemble->true_ids = ONNX_NEW(walk, int64_t, choices);
    ensemble->false_ids = ONNX_NEW(walk, int64_t, choices);
    ensemble->true_leaves = ONNX_NEW(walk, int64_t, choices);
    ensemble->false_leaves = ONNX_NEW(walk, int64_t, choices);
    ensemble->modes = ONNX_NEW(walk, uint8_t, choices);
    ensemble->splits = ONNX_NEW(walk, double, choices);
    ensemble->leaf_targets = ONNX_NEW(walk, int64_t, choices + trees);
    ensemble->leaf_numbers = ONNX_NEW(walk, double, choices + trees);
    ensemble->members = ONNX_NEW(walk, double, members + 1);
    ensemble->roots = ONNX_NEW(walk, int64_t, trees);
    ensemble->columns = ONNX_NEW(walk, uint32_t, (size_t)walk->program->variable_count + 1);
    ensemble->places = ONNX_NEW(walk, struct onnx_place, 2 * choices + 1);
    ensemble->conditions = ONNX_NEW(walk, const struct formula *, choices);
    return !walk->failed;
}

static onnx_value columns_of(struct ensemble *ensemble)
{
    onnx_place_all(ensemble->walk, ensemble->conditions, ensemble->condition_count, true,
                   ensemble->places + ensemble->column_count);
    for (uint32_t i = 0; i < ensemble->nodes; i++)
        if (ensemble->features[i] & IS_CONDITION)
            ensemble->features[i] =
                (ensemble->features[i] & ~(int64_t)IS_CONDITION) + ensemble->column_count;
    return onnx_gather(ensemble->walk, ensemble->places,
                       ensemble->column_count + ensemble->condition_count);
}

static onnx_value write_operator(const struct ensemble *ensemble, onnx_value columns,
                                 uint32_t trees, uint32_t width)
{
    struct onnx_file *file = ensemble->walk->file;
    struct onnx_node *node = onnx_node_new(file, "ai.onnx.ml", "TreeEnsemble", &columns, 1);
    const size_t nodes = ensemble->nodes, leaves = ensemble->leaves;

    onnx_set_integer(file, node, "n_targets", width);
    onnx_set_integer(file, node, "aggregate_function", 1); /* the sum */
    onnx_set_integer(file, node, "post_transform", 0);     /* none */
    onnx_set_integers(file, node, "tree_roots", ensemble->roots, trees);
    onnx_set_integers(file, node, "nodes_featureids", ensemble->features, nodes);
    onnx_set_bytes(file, node, "nodes_modes", ensemble->modes, nodes);
    onnx_set_doubles(file, node, "nodes_splits", ensemble->splits, nodes);
    if (ensemble->member_count > 0)
        onnx_set_doubles(file, node, "membership_values", ensemble->members,
                         ensemble->member_count);
    onnx_set_integers(file, node, "nodes_truenodeids", ensemble->true_ids, nodes);
    onnx_set_integers(file, node, "nodes_trueleafs", ensemble->true_leaves, nodes);
    onnx_set_integers(file, node, "nodes_falsenodeids", ensemble->false_ids, nodes);
    onnx_set_integers(file, node, "nodes_falseleafs", ensemble->false_leaves, nodes);
    onnx_set_integers(file, node, "leaf_targetids", ensemble->leaf_targets, leaves);
    onnx_set_doubles(file, node, "leaf_weights", ensemble->leaf_numbers, leaves);
    return onnx_node_value(node);
}

onnx_value onnx_trees(struct onnx_walk *walk, const struct formula *const *trees,
                      const uint32_t *targets, uint32_t count, uint32_t width)
{
    struct ensemble ensemble = {.walk = walk};
    size_t choices = 0, members = 0;
    onnx_value columns;

    for (uint32_t i = 0; i < count; i++) {
        choices += onnx_tree_choices(trees[i]);
        members += count_members(trees[i]);
    }
    if (!make_room(&ensemble, choices, members, count))
        return "";
    for (uint32_t i = 0; i < count; i++)
        ensemble.roots[i] = add_node(&ensemble, trees[i], targets[i]);
    columns = columns_of(&ensemble);
    return walk->failed ? "" : write_operator(&ensemble, columns, count, width);
}
