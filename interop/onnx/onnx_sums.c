/* Sums side by side: columns times numbers are a product with a matrix, the rest is added up. */
#include "interop/onnx/onnx_sums.h"

#include <stdlib.h>

#include "interop/onnx/onnx_lookups.h"
#include "interop/onnx/onnx_trees.h"

enum term { TERM_NUMBER, TERM_SUM, TERM_COLUMN, TERM_TREE, TERM_LOOKUP, TERM_REST };

/* Formulas, each of which is added to one of the sums. */
struct terms {
    const struct formula **formulas;
    uint32_t *targets;
    uint32_t count, formula_room, target_room;
};

struct sums {
    struct onnx_walk *walk;
    uint32_t count;
    double *numbers; /* (count) */
    struct terms columns, trees, lookups, rest;
    onnx_value value; /* the parts that were added so far; NULL: none */
};

/* 0 times NaN is not 0: columns where it occurs stay out of products. */
static bool is_column(const struct onnx_walk *walk, const struct formula *formula)
{
    return formula->op == FORMULA_VARIABLE && !walk->may_miss[formula->index];
}

static enum term term_of(const struct onnx_walk *walk, const struct formula *formula)
{
    switch (formula->op) {
    case FORMULA_NUMBER:
        return TERM_NUMBER;
    case FORMULA_SUM:
        return TERM_SUM;
    case FORMULA_VARIABLE:
        return is_column(walk, formula) ? TERM_COLUMN : TERM_REST;
    case FORMULA_MULTIPLY:
        return is_column(walk, formula->a) && formula->b->op == FORMULA_NUMBER ? TERM_COLUMN
                                                                               : TERM_REST;
    case FORMULA_IF:
        return onnx_tree_choices(formula) > 0 ? TERM_TREE : TERM_REST;
    case FORMULA_LOOKUP:
        return formula->a->op == FORMULA_VARIABLE ? TERM_LOOKUP : TERM_REST;
    default:
        return TERM_REST;
    }
}

uint32_t onnx_sum_rest(const struct onnx_walk *walk, const struct formula *sum)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < sum->count; i++) {
        const enum term term = term_of(walk, sum->terms[i]);

        count += term == TERM_SUM ? onnx_sum_rest(walk, sum->terms[i]) : term == TERM_REST;
    }
    return count;
}

static void add_term(struct sums *sums, struct terms *terms, const struct formula *formula,
                     uint32_t target)
{
    if (!onnx_grow(sums->walk, &terms->formulas, terms->count, &terms->formula_room,
                   sizeof(struct formula *)) ||
        !onnx_grow(sums->walk, &terms->targets, terms->count, &terms->target_room,
                   sizeof *terms->targets))
        return;
    terms->formulas[terms->count] = formula;
    terms->targets[terms->count++] = target;
}

static void sort_terms(struct sums *sums, const struct formula *sum, uint32_t target)
{
    for (uint32_t i = 0; i < sum->count && !sums->walk->failed; i++) {
        const struct formula *formula = sum->terms[i];

        switch (term_of(sums->walk, formula)) {
        case TERM_NUMBER:
            sums->numbers[target] += formula->number;
            break;
        case TERM_SUM:
            sort_terms(sums, formula, target);
            break;
        case TERM_COLUMN:
            add_term(sums, &sums->columns, formula, target);
            break;
        case TERM_TREE:
            add_term(sums, &sums->trees, formula, target);
            break;
        case TERM_LOOKUP:
            add_term(sums, &sums->lookups, formula, target);
            break;
        case TERM_REST:
            add_term(sums, &sums->rest, formula, target);
        }
    }
}

static void add_part(struct sums *sums, onnx_value part)
{
    sums->value = sums->value ? onnx_apply(sums->walk->file, "Add", sums->value, part, NULL) : part;
}

static const struct formula *column_of(const struct formula *term)
{
    return term->op == FORMULA_VARIABLE ? term : term->a;
}

/* X W: a row of W for each column that a sum has. */
static void multiply(struct sums *sums)
{
    struct onnx_walk *walk = sums->walk;
    const struct terms *terms = &sums->columns;
    uint32_t *rows = ONNX_NEW(walk, uint32_t, (size_t)walk->program->variable_count + 1);
    struct onnx_place *places = ONNX_NEW(walk, struct onnx_place, terms->count);
    uint32_t row_count = 0;
    double *weights;

    if (walk->failed)
        return;
    for (uint32_t i = 0; i < terms->count; i++) { /* from 1 on; 0: not yet */
        const uint32_t variable = column_of(terms->formulas[i])->index;

        if (rows[variable] > 0)
            continue;
        places[row_count++] = walk->places[variable];
        rows[variable] = row_count;
    }
    weights = ONNX_NEW(walk, double, (size_t)row_count * sums->count);
    if (!weights)
        return;
    for (uint32_t i = 0; i < terms->count; i++) {
        const struct formula *term = terms->formulas[i];
        const uint32_t row = rows[column_of(term)->index] - 1;

        weights[(size_t)row * sums->count + terms->targets[i]] +=
            term->op == FORMULA_VARIABLE ? 1 : term->b->number;
    }
    add_part(sums, onnx_apply(walk->file, "MatMul", onnx_gather(walk, places, row_count),
                              onnx_doubles(walk->file, weights, row_count, sums->count), NULL));
}

struct sorted_lookup {
    uint32_t variable, index;
};

static int compare_lookups(const void *a, const void *b)
{
    const struct sorted_lookup *one = a, *other = b;

    if (one->variable != other->variable)
        return one->variable < other->variable ? -1 : 1;
    return one->index < other->index ? -1 : one->index > other->index;
}

/* Lookups by the same variable have one table. */
static void look_up(struct sums *sums)
{
    struct onnx_walk *walk = sums->walk;
    const uint32_t count = sums->lookups.count;
    struct sorted_lookup *sorted = ONNX_NEW(walk, struct sorted_lookup, count);
    const struct formula **formulas = ONNX_NEW(walk, const struct formula *, count);
    uint32_t *targets = ONNX_NEW(walk, uint32_t, count);
    uint32_t first = 0;

    if (walk->failed)
        return;
    for (uint32_t i = 0; i < count; i++)
        sorted[i] = (struct sorted_lookup){sums->lookups.formulas[i]->a->index, i};
    qsort(sorted, count, sizeof *sorted, compare_lookups);
    for (uint32_t i = 0; i < count; i++) {
        formulas[i] = sums->lookups.formulas[sorted[i].index];
        targets[i] = sums->lookups.targets[sorted[i].index];
    }
    for (uint32_t end = 1; end <= count; end++)
        if (end == count || sorted[end].variable != sorted[first].variable) {
            add_part(sums, onnx_sum_lookups(walk, formulas + first, targets + first, end - first,
                                            sums->count));
            first = end;
        }
}

/* Each sum has as many of them; they lie in the order of the sums. */
static void add_up(struct sums *sums)
{
    struct onnx_walk *walk = sums->walk;
    const uint32_t count = sums->rest.count, each = count / sums->count;
    struct onnx_place *places = ONNX_NEW(walk, struct onnx_place, count);
    int64_t *sizes = ONNX_NEW(walk, int64_t, 3), *axis = ONNX_NEW(walk, int64_t, 1);
    onnx_value values[2];
    struct onnx_node *node;

    if (walk->failed)
        return;
    onnx_place_all(walk, sums->rest.formulas, count, false, places);
    values[0] = onnx_gather(walk, places, count);
    if (each > 1) {
        sizes[1] = sums->count;
        sizes[2] = each;
        axis[0] = 2;
        values[0] = onnx_apply(walk->file, "Reshape", values[0],
                               onnx_integers(walk->file, sizes, 0, 3), NULL);
        values[1] = onnx_integers(walk->file, axis, 0, 1);
        node = onnx_node_new(walk->file, "", "ReduceSum", values, 2);
        onnx_set_integer(walk->file, node, "keepdims", 0);
        values[0] = onnx_node_value(node);
    }
    add_part(sums, values[0]);
}

struct onnx_packed onnx_pack_sums(struct onnx_walk *walk, const struct formula *const *formulas,
                                  uint32_t count)
{
    struct sums sums = {.walk = walk, .count = count, .numbers = ONNX_NEW(walk, double, count)};
    bool is_constant;

    for (uint32_t i = 0; i < count && !walk->failed; i++)
        sort_terms(&sums, formulas[i], i);
    if (!walk->failed && sums.columns.count > 0)
        multiply(&sums);
    if (!walk->failed && sums.trees.count > 0)
        add_part(&sums, onnx_trees(walk, sums.trees.formulas, sums.trees.targets, sums.trees.count,
                                   count));
    if (!walk->failed && sums.lookups.count > 0)
        look_up(&sums);
    if (!walk->failed && sums.rest.count > 0)
        add_up(&sums);
    is_constant = !sums.value;
    add_part(&sums, onnx_doubles(walk->file, sums.numbers, 1, count));
    return (struct onnx_packed){sums.value, count, is_constant};
}
