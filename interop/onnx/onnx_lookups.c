/* Numbers from lists by a Gather, and sets by one from a table of 0 and 1. */
#include "interop/onnx/onnx_lookups.h"

#include <stddef.h>

#define SET_TABLE_MOST ((size_t)1 << 22) /* numbers of a table of sets */

/* A number for each of `count` formulas, (1, count). */
static onnx_value numbers_of(struct onnx_walk *walk, const double *numbers, uint32_t count)
{
    return onnx_doubles(walk->file, numbers, 1, count);
}

static onnx_value one_number(struct onnx_walk *walk, double number)
{
    double *place = ONNX_NEW(walk, double, 1);

    if (!place)
        return "";
    *place = number;
    return numbers_of(walk, place, 1);
}

static onnx_value is_within(struct onnx_walk *walk, onnx_value place, onnx_value least,
                            onnx_value end)
{
    return onnx_apply(walk->file, "And", onnx_apply(walk->file, "LessOrEqual", least, place, NULL),
                      onnx_apply(walk->file, "Less", place, end, NULL), NULL);
}

/* Whole numbers: `place` from 0 to `count`, which stands for all that are not between. */
static onnx_value whole_places(struct onnx_walk *walk, onnx_value place, onnx_value count)
{
    return onnx_cast(walk->file,
                     onnx_apply(walk->file, "Where",
                                is_within(walk, place, one_number(walk, 0), count), place, count),
                     ONNX_INT64);
}

/* (N, width): row places[i] of the table (rows, width), of places (N, 1). */
static onnx_value rows_of(struct onnx_walk *walk, onnx_value places, const double *table,
                          size_t rows, uint32_t width)
{
    int64_t *all = ONNX_NEW(walk, int64_t, 1);

    if (!all)
        return "";
    all[0] = -1;
    return onnx_apply(
        walk->file, "Gather", onnx_doubles(walk->file, table, rows, width),
        onnx_apply(walk->file, "Reshape", places, onnx_integers(walk->file, all, 0, 1), NULL),
        NULL);
}

onnx_value onnx_sum_lookups(struct onnx_walk *walk, const struct formula *const *lookups,
                            const uint32_t *targets, uint32_t count, uint32_t width)
{
    uint32_t rows = 0;
    double *table;
    struct onnx_packed place;

    for (uint32_t i = 0; i < count; i++)
        rows = lookups[i]->count > rows ? lookups[i]->count : rows;
    table = ONNX_NEW(walk, double, ((size_t)rows + 1) * width);
    if (!table)
        return "";
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < lookups[i]->count; k++)
            table[(size_t)k * width + targets[i]] += lookups[i]->numbers[k];
    place = onnx_pack(walk, &lookups[0]->a, 1);
    return rows_of(walk, whole_places(walk, onnx_full(walk, place), one_number(walk, rows)), table,
                   (size_t)rows + 1, width);
}

/* One list behind the other, each with a 0 at its end. */
static struct onnx_packed pack_different(struct onnx_walk *walk,
                                         const struct formula *const *lookups, uint32_t count)
{
    const struct formula **places = onnx_parts(walk, lookups, count, offsetof(struct formula, a));
    double *counts = ONNX_NEW(walk, double, count), *numbers;
    int64_t *firsts = ONNX_NEW(walk, int64_t, count);
    struct onnx_packed packed;
    size_t all = 0;
    onnx_value at;

    for (uint32_t i = 0; firsts && counts && i < count; i++) {
        firsts[i] = (int64_t)all;
        counts[i] = lookups[i]->count;
        all += (size_t)lookups[i]->count + 1;
    }
    numbers = ONNX_NEW(walk, double, all);
    if (walk->failed)
        return (struct onnx_packed){"", 1, false};
    for (uint32_t i = 0; i < count; i++)
        if (lookups[i]->count > 0)
            memcpy(numbers + firsts[i], lookups[i]->numbers, lookups[i]->count * sizeof *numbers);
    packed = onnx_pack(walk, places, count);
    at = onnx_apply(walk->file, "Add",
                    whole_places(walk, packed.value, numbers_of(walk, counts, count)),
                    onnx_integers(walk->file, firsts, 1, count), NULL);
    return (struct onnx_packed){
        onnx_apply(walk->file, "Gather", onnx_doubles(walk->file, numbers, 0, all), at, NULL),
        count, packed.is_constant};
}

struct onnx_packed onnx_pack_lookups(struct onnx_walk *walk, const struct formula *const *lookups,
                                     uint32_t count)
{
    uint32_t *targets;

    if (lookups[0]->a->op != FORMULA_VARIABLE)
        return pack_different(walk, lookups, count);
    targets = ONNX_NEW(walk, uint32_t, count);
    for (uint32_t i = 0; targets && i < count; i++)
        targets[i] = i;
    return (struct onnx_packed){
        targets ? onnx_sum_lookups(walk, lookups, targets, count, count) : "", count, false};
}

/* ----- sets ----- */

/* Rows of a table of these sets by whole numbers from -1 on; 0: they have others, or too large
 * ones. */
static size_t table_rows(const struct formula *const *sets, uint32_t count)
{
    double greatest = -1;

    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < sets[i]->count; k++) {
            const double number = sets[i]->numbers[k];

            if (!(number >= -1 && number < (double)SET_TABLE_MOST) ||
                number != (double)(int64_t)number)
                return 0;
            greatest = number > greatest ? number : greatest;
        }
    return (size_t)(greatest + 3) * count <= SET_TABLE_MOST ? (size_t)(greatest + 2) : 0;
}

/* Whole numbers are looked up, and others are in no set. */
static onnx_value by_table(struct onnx_walk *walk, const struct formula *const *sets,
                           uint32_t count, size_t rows, onnx_value number)
{
    double *table = ONNX_NEW(walk, double, (rows + 1) * count);
    onnx_value is_whole, place;

    if (!table)
        return "";
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < sets[i]->count; k++)
            table[(size_t)(sets[i]->numbers[k] + 1) * count + i] = 1;
    is_whole = onnx_apply(walk->file, "Equal", number,
                          onnx_apply(walk->file, "Floor", number, NULL, NULL), NULL);
    place = onnx_apply(walk->file, "Add", number, one_number(walk, 1), NULL);
    place = onnx_apply(walk->file, "Where", is_whole, place, one_number(walk, -1));
    return onnx_cast(walk->file,
                     rows_of(walk, whole_places(walk, place, one_number(walk, (double)rows)), table,
                             rows + 1, count),
                     ONNX_BOOL);
}

/* (N, 1): is the number, (N, 1), equal to any? */
static onnx_value by_comparing(struct onnx_walk *walk, const struct formula *set, onnx_value number)
{
    onnx_value equal;
    struct onnx_node *node;
    int64_t *axis = ONNX_NEW(walk, int64_t, 1);
    onnx_value values[2];

    if (!axis)
        return "";
    axis[0] = 1;
    equal =
        onnx_apply(walk->file, "Equal", number, numbers_of(walk, set->numbers, set->count), NULL);
    values[0] = onnx_cast(walk->file, equal, ONNX_DOUBLE);
    values[1] = onnx_integers(walk->file, axis, 0, 1);
    node = onnx_node_new(walk->file, "", "ReduceSum", values, 2);
    return onnx_cast(walk->file, onnx_node_value(node), ONNX_BOOL);
}

/* Sets of one number, which their key has, if it is a variable. */
struct onnx_packed onnx_pack_sets(struct onnx_walk *walk, const struct formula *const *sets,
                                  uint32_t count)
{
    const bool is_one = sets[0]->a->op == FORMULA_VARIABLE;
    const size_t rows = is_one ? table_rows(sets, count) : 0;
    onnx_value *values = ONNX_NEW(walk, onnx_value, count), number;
    struct onnx_node *node;

    if (!values)
        return (struct onnx_packed){"", 1, false};
    if (rows > 0) {
        number = onnx_full(walk, onnx_pack(walk, &sets[0]->a, 1));
        return (struct onnx_packed){by_table(walk, sets, count, rows, number), count, false};
    }
    for (uint32_t i = 0; i < count; i++)
        values[i] = by_comparing(walk, sets[i], onnx_full(walk, onnx_pack(walk, &sets[i]->a, 1)));
    node = onnx_node_new(walk->file, "", "Concat", values, count);
    onnx_set_integer(walk->file, node, "axis", 1);
    return (struct onnx_packed){onnx_node_value(node), count, false};
}
