#include "interop/onnx/onnx_walk.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "interop/onnx/onnx_graph.h"
#include "interop/onnx/onnx_lookups.h"
#include "interop/onnx/onnx_sums.h"
#include "interop/onnx/onnx_trees.h"
#include "interop/onnx/onnx_words.h"

#define TREE_LEAST 2 /* choices of a tree; fewer are a Where */

void *onnx_allocate(struct onnx_walk *walk, size_t count, size_t size)
{
    void *found = arena_alloc_array(walk->arena, count, size);

    walk->failed |= !found;
    return found;
}

bool onnx_grow(struct onnx_walk *walk, void *items, uint32_t count, uint32_t *room, size_t size)
{
    const uint32_t more = *room ? 2 * *room : 64;
    void **place = items, *grown;

    if (count < *room)
        return true;
    grown = onnx_allocate(walk, more, size);
    if (!grown)
        return false;
    *room = more;
    if (count > 0)
        memcpy(grown, *place, count * size);
    *place = grown;
    return true;
}

/* ----- columns ----- */

uint32_t onnx_add_tensor(struct onnx_walk *walk, onnx_value value, uint32_t width)
{
    if (!onnx_grow(walk, &walk->tensors, walk->tensor_count, &walk->tensor_room,
                   sizeof *walk->tensors))
        return 0;
    walk->tensors[walk->tensor_count] = (struct onnx_tensor){value, width};
    return walk->tensor_count++;
}

static onnx_value concat(struct onnx_walk *walk, const onnx_value *values, uint32_t count)
{
    struct onnx_node *node;

    if (count == 1)
        return values[0];
    node = onnx_node_new(walk->file, "", "Concat", values, count);
    onnx_set_integer(walk->file, node, "axis", 1);
    return onnx_node_value(node);
}

onnx_value onnx_full(struct onnx_walk *walk, struct onnx_packed packed)
{
    return packed.is_constant ? onnx_apply(walk->file, "Expand", packed.value, walk->rows, NULL)
                              : packed.value;
}

onnx_value onnx_gather(struct onnx_walk *walk, const struct onnx_place *places, uint32_t count)
{
    onnx_value *sources = ONNX_NEW(walk, onnx_value, (size_t)count + 1);
    int64_t *starts = ONNX_NEW(walk, int64_t, (size_t)walk->tensor_count + 1); /* 0: not yet */
    int64_t *columns = ONNX_NEW(walk, int64_t, (size_t)count + 1);
    uint32_t source_count = 0;
    int64_t width = 0;
    bool is_all = true;
    struct onnx_node *node;

    if (walk->failed)
        return "";
    for (uint32_t i = 0; i < count; i++) {
        const struct onnx_tensor *tensor = &walk->tensors[places[i].tensor];

        if (starts[places[i].tensor] == 0) {
            starts[places[i].tensor] = width + 1;
            width += tensor->width;
            sources[source_count++] = tensor->value;
        }
        columns[i] = starts[places[i].tensor] - 1 + places[i].column;
        is_all = is_all && columns[i] == i;
    }
    sources[0] = concat(walk, sources, source_count);
    if (is_all && width == count)
        return sources[0];
    sources[1] = onnx_integers(walk->file, columns, 0, count);
    node = onnx_node_new(walk->file, "", "Gather", sources, 2);
    onnx_set_integer(walk->file, node, "axis", 1);
    return onnx_node_value(node);
}

struct keyed {
    uint64_t key;
    uint32_t index;
};

static int compare_keyed(const void *a, const void *b)
{
    const struct keyed *one = a, *other = b;

    if (one->key != other->key)
        return one->key < other->key ? -1 : 1;
    return one->index < other->index ? -1 : one->index > other->index;
}

static void place_group(struct onnx_walk *walk, const struct formula *const *formulas,
                        const struct keyed *group, uint32_t count, bool are_conditions,
                        struct onnx_place *places)
{
    const struct formula **members = ONNX_NEW(walk, const struct formula *, count);
    struct onnx_packed packed;
    onnx_value value;
    uint32_t tensor;

    if (!members)
        return;
    for (uint32_t i = 0; i < count; i++)
        members[i] = formulas[group[i].index];
    packed = are_conditions ? onnx_pack_conditions(walk, members, count)
                            : onnx_pack(walk, members, count);
    value = onnx_full(walk, packed);
    tensor = onnx_add_tensor(
        walk, are_conditions ? onnx_cast(walk->file, value, ONNX_DOUBLE) : value, packed.width);
    for (uint32_t i = 0; i < count; i++)
        places[group[i].index] = (struct onnx_place){tensor, packed.width == 1 ? 0 : i};
}

void onnx_place_all(struct onnx_walk *walk, const struct formula *const *formulas, uint32_t count,
                    bool are_conditions, struct onnx_place *places)
{
    struct keyed *keys = ONNX_NEW(walk, struct keyed, (size_t)count + 1);
    uint32_t first = 0;

    if (!keys)
        return;
    for (uint32_t i = 0; i < count; i++)
        keys[i] = (struct keyed){onnx_key(walk, formulas[i]), i};
    qsort(keys, count, sizeof *keys, compare_keyed);
    for (uint32_t end = 1; end <= count && !walk->failed; end++)
        if (end == count || keys[end].key != keys[first].key) {
            place_group(walk, formulas, keys + first, end - first, are_conditions, places);
            first = end;
        }
}

/* ----- shapes ----- */

static uint64_t mix(uint64_t key, uint64_t more)
{
    key = (key ^ more) * 0x9e3779b97f4a7c15u;
    return key ^ (key >> 29);
}

uint64_t onnx_key(const struct onnx_walk *walk, const struct formula *formula)
{
    uint64_t key = mix(1, formula->op);

    switch (formula->op) {
    case FORMULA_NUMBER:
    case FORMULA_VARIABLE:
    case FORMULA_READ_NUMBER:
    case FORMULA_READ_DATE:
        return key;
    case FORMULA_MISSING:
    case FORMULA_REFUSE:
        return mix(1, FORMULA_MISSING);
    case FORMULA_READ_WORD:
    case FORMULA_READ_ITEM:
    case FORMULA_READ_LISTED:
        return mix(key, formula->index);
    case FORMULA_GRAPH: /* there is one */
        return key;
    case FORMULA_SUM:
        return mix(key, onnx_sum_rest(walk, formula));
    case FORMULA_LOOKUP:
    case FORMULA_IS_IN:
        if (formula->a->op == FORMULA_VARIABLE)
            return mix(mix(key, 1), formula->a->index);
        break;
    case FORMULA_IF:
        if (onnx_tree_choices(formula) >= TREE_LEAST)
            return mix(key, 0);
        break;
    default:
        break;
    }
    key = mix(key, formula->a ? onnx_key(walk, formula->a) : 0);
    key = mix(key, formula->b ? onnx_key(walk, formula->b) : 0);
    return mix(key, formula->c ? onnx_key(walk, formula->c) : 0);
}

const struct formula **onnx_parts(struct onnx_walk *walk, const struct formula *const *formulas,
                                  uint32_t count, size_t member)
{
    const struct formula **parts = ONNX_NEW(walk, const struct formula *, count);

    for (uint32_t i = 0; parts && i < count; i++)
        memcpy(&parts[i], (const char *)formulas[i] + member, sizeof *parts);
    return parts;
}

#define PARTS(member) onnx_parts(walk, formulas, count, offsetof(struct formula, member))

static bool is_same(const struct formula *a, const struct formula *b)
{
    if (a == b)
        return true;
    if (a->op != b->op)
        return false;
    return (a->op == FORMULA_VARIABLE && a->index == b->index) ||
           (a->op == FORMULA_NUMBER && a->number == b->number) || a->op == FORMULA_MISSING;
}

static bool are_same(const struct formula *const *formulas, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (!is_same(formulas[0], formulas[i]))
            return false;
    return true;
}

/* ----- operations ----- */

static struct onnx_packed pack_numbers(struct onnx_walk *walk,
                                       const struct formula *const *formulas, uint32_t count)
{
    double *numbers = ONNX_NEW(walk, double, count);

    for (uint32_t i = 0; numbers && i < count; i++)
        numbers[i] = formulas[i]->op == FORMULA_NUMBER ? formulas[i]->number : (double)NAN;
    return (struct onnx_packed){onnx_doubles(walk->file, numbers, 1, count), count, true};
}

static struct onnx_packed pack_variables(struct onnx_walk *walk,
                                         const struct formula *const *formulas, uint32_t count)
{
    struct onnx_place *places = ONNX_NEW(walk, struct onnx_place, count);

    for (uint32_t i = 0; places && i < count; i++)
        places[i] = walk->places[formulas[i]->index];
    return (struct onnx_packed){onnx_gather(walk, places, count), count, false};
}

static struct onnx_packed pack_one(struct onnx_walk *walk, const char *operator,
                                   struct onnx_packed a)
{
    a.value = onnx_apply(walk->file, operator, a.value, NULL, NULL);
    return a;
}

static struct onnx_packed pack_two(struct onnx_walk *walk, const char *operator,
                                   struct onnx_packed a, struct onnx_packed b)
{
    return (struct onnx_packed){onnx_apply(walk->file, operator, a.value, b.value, NULL),
                                a.width > b.width ? a.width : b.width,
                                a.is_constant && b.is_constant};
}

static struct onnx_packed pack_binary(struct onnx_walk *walk, const char *operator,
                                      const struct formula * const * formulas, uint32_t count)
{
    const struct formula **a = PARTS(a), **b = PARTS(b);

    if (walk->failed)
        return (struct onnx_packed){"", 1, false};
    return pack_two(walk, operator, onnx_pack(walk, a, count), onnx_pack(walk, b, count));
}

static struct onnx_packed pack_choices(struct onnx_walk *walk,
                                       const struct formula *const *formulas, uint32_t count)
{
    const struct formula **a = PARTS(a), **b = PARTS(b), **c = PARTS(c);
    struct onnx_packed condition, then, otherwise;
    uint32_t width;

    if (walk->failed)
        return (struct onnx_packed){"", 1, false};
    condition = onnx_pack_conditions(walk, a, count);
    then = onnx_pack(walk, b, count);
    otherwise = onnx_pack(walk, c, count);
    width = then.width > otherwise.width ? then.width : otherwise.width;
    return (struct onnx_packed){
        onnx_apply(walk->file, "Where", condition.value, then.value, otherwise.value),
        width > condition.width ? width : condition.width,
        condition.is_constant && then.is_constant && otherwise.is_constant};
}

void onnx_refuse(struct onnx_walk *walk, onnx_value condition, uint32_t width)
{
    const uint32_t tensor =
        onnx_add_tensor(walk, onnx_cast(walk->file, condition, ONNX_DOUBLE), width);

    for (uint32_t i = 0; i < width; i++)
        if (onnx_grow(walk, &walk->refusals, walk->refusal_count, &walk->refusal_room,
                      sizeof *walk->refusals))
            walk->refusals[walk->refusal_count++] = (struct onnx_place){tensor, i};
}

/* Numbers, and dates as seconds; an infinite one, or a date that none is so far away, is refused.
 */
static struct onnx_packed pack_inputs(struct onnx_walk *walk, const struct formula *const *formulas,
                                      uint32_t count)
{
    static const double far = 1e13;
    onnx_value *values = ONNX_NEW(walk, onnx_value, count), all, size;

    if (!values)
        return (struct onnx_packed){"", 1, false};
    for (uint32_t i = 0; i < count; i++)
        values[i] = walk->inputs[formulas[i]->index];
    all = concat(walk, values, count);
    if (formulas[0]->op == FORMULA_READ_NUMBER) {
        onnx_refuse(walk, onnx_apply(walk->file, "IsInf", all, NULL, NULL), count);
    } else {
        size = onnx_apply(walk->file, "Abs", all, NULL, NULL);
        onnx_refuse(
            walk,
            onnx_apply(walk->file, "LessOrEqual", onnx_doubles(walk->file, &far, 1, 1), size, NULL),
            count);
    }
    return (struct onnx_packed){all, count, false};
}

/* Numbers of one list, which is an input. */
static struct onnx_packed pack_items(struct onnx_walk *walk, const struct formula *const *formulas,
                                     uint32_t count)
{
    int64_t *items = ONNX_NEW(walk, int64_t, count);
    struct onnx_node *node;
    onnx_value values[2];

    if (!items)
        return (struct onnx_packed){"", 1, false};
    for (uint32_t i = 0; i < count; i++)
        items[i] = formulas[i]->count;
    values[0] = walk->inputs[formulas[0]->index];
    values[1] = onnx_integers(walk->file, items, 0, count);
    node = onnx_node_new(walk->file, "", "Gather", values, 2);
    onnx_set_integer(walk->file, node, "axis", 1);
    onnx_refuse(walk, onnx_apply(walk->file, "IsInf", onnx_node_value(node), NULL, NULL), count);
    return (struct onnx_packed){onnx_node_value(node), count, false};
}

struct onnx_packed onnx_pack_conditions(struct onnx_walk *walk,
                                        const struct formula *const *formulas, uint32_t count)
{
    const struct formula **a, **b;

    if (walk->failed)
        return (struct onnx_packed){"", 1, false};
    switch (formulas[0]->op) {
    case FORMULA_IS_IN:
        return onnx_pack_sets(walk, formulas, count);
    case FORMULA_IS_MISSING:
        a = PARTS(a);
        return pack_one(walk, "IsNaN", onnx_pack(walk, a, count));
    case FORMULA_AND:
        a = PARTS(a);
        b = PARTS(b);
        return pack_two(walk, "And", onnx_pack_conditions(walk, a, count),
                        onnx_pack_conditions(walk, b, count));
    case FORMULA_LESS:
        return pack_binary(walk, "Less", formulas, count);
    case FORMULA_AT_MOST:
        return pack_binary(walk, "LessOrEqual", formulas, count);
    default:
        return pack_binary(walk, "Equal", formulas, count);
    }
}

static struct onnx_packed pack_trees(struct onnx_walk *walk, const struct formula *const *formulas,
                                     uint32_t count)
{
    uint32_t *targets = ONNX_NEW(walk, uint32_t, count);

    for (uint32_t i = 0; targets && i < count; i++)
        targets[i] = i;
    return (struct onnx_packed){targets ? onnx_trees(walk, formulas, targets, count, count) : "",
                                count, false};
}

struct onnx_packed onnx_pack(struct onnx_walk *walk, const struct formula *const *formulas,
                             uint32_t count)
{
    const struct formula **a;

    if (walk->failed)
        return (struct onnx_packed){"", 1, false};
    if (are_same(formulas, count))
        count = 1;
    switch (formulas[0]->op) {
    case FORMULA_NUMBER:
    case FORMULA_MISSING:
    case FORMULA_REFUSE:
        return pack_numbers(walk, formulas, count);
    case FORMULA_VARIABLE:
        return pack_variables(walk, formulas, count);
    case FORMULA_SUM:
        return onnx_pack_sums(walk, formulas, count);
    case FORMULA_SUBTRACT:
        return pack_binary(walk, "Sub", formulas, count);
    case FORMULA_MULTIPLY:
        return pack_binary(walk, "Mul", formulas, count);
    case FORMULA_DIVIDE:
        return pack_binary(walk, "Div", formulas, count);
    case FORMULA_LEAST:
        return pack_binary(walk, "Min", formulas, count);
    case FORMULA_GREATEST:
        return pack_binary(walk, "Max", formulas, count);
    case FORMULA_IF:
        return onnx_tree_choices(formulas[0]) >= TREE_LEAST ? pack_trees(walk, formulas, count)
                                                            : pack_choices(walk, formulas, count);
    case FORMULA_LOOKUP:
        return onnx_pack_lookups(walk, formulas, count);
    case FORMULA_READ_NUMBER:
    case FORMULA_READ_DATE:
        return pack_inputs(walk, formulas, count);
    case FORMULA_READ_WORD:
        return onnx_pack_word(walk, formulas[0]);
    case FORMULA_READ_LISTED:
        return onnx_pack_listed(walk, formulas, count);
    case FORMULA_READ_ITEM:
        return pack_items(walk, formulas, count);
    case FORMULA_GRAPH:
        return onnx_pack_graph(walk, formulas, count);
    default:
        break;
    }
    a = PARTS(a);
    return pack_one(walk,
                    formulas[0]->op == FORMULA_EXP    ? "Exp"
                    : formulas[0]->op == FORMULA_LOG  ? "Log"
                    : formulas[0]->op == FORMULA_ROOT ? "Sqrt"
                                                      : "Floor",
                    onnx_pack(walk, a, count));
}
