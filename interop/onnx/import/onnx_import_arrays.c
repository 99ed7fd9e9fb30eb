/* Shapes and parts of arrays. One that has the rows among its axes, all of which are alike, is
 * `filled`: of size 1 there. */
#include "interop/onnx/import/onnx_import_arrays.h"

#include <math.h>
#include <string.h>

#include "interop/onnx/import/onnx_import_axes.h"

/* ----- arrays that are made ----- */

enum status onnx_make(struct onnx_import *import, uint32_t rank, const uint32_t *sizes,
                      bool is_real, struct onnx_made *made)
{
    uint64_t count = 1;

    *made = (struct onnx_made){.array.rank = rank};
    if (rank > sizeof made->array.sizes / sizeof *made->array.sizes)
        return onnx_refuse_node(import, "an array has at most four axes");
    for (uint32_t i = 0; i < rank; i++) {
        made->array.sizes[i] = sizes[i];
        count *= sizes[i];
        if (count > ONNX_ARRAY_MOST)
            return onnx_refuse_node(import, "it computes an array of more than %u numbers",
                                    ONNX_ARRAY_MOST);
    }
    made->array.count = (size_t)count;
    if (is_real)
        made->array.floats = made->floats = ARENA_NEW(import->arena, float, count + 1);
    else
        made->array.integers = made->integers = ARENA_NEW(import->arena, int64_t, count + 1);
    return made->floats || made->integers ? STATUS_OK : fail_no_memory(import->err);
}

void onnx_copy_at(struct onnx_made *to, size_t i, const struct onnx_array *from, size_t j)
{
    if (to->floats)
        to->floats[i] = from->floats[j];
    else
        to->integers[i] = from->integers[j];
}

enum status onnx_give_array(struct onnx_import *import, const struct onnx_array *array)
{
    const struct onnx_known known = {.held = ONNX_HOLDS_ARRAY, .array = *array};

    return onnx_know(import, import->node->output[0], &known, NULL);
}

size_t onnx_place_in(const struct onnx_array *from, const struct onnx_array *of, size_t i)
{
    size_t place = 0, step = 1;

    for (uint32_t axis = 0; axis < of->rank; axis++) {
        const uint32_t size = of->sizes[of->rank - 1 - axis];

        if (axis < from->rank && from->sizes[from->rank - 1 - axis] > 1) {
            place += i % size * step;
            step *= from->sizes[from->rank - 1 - axis];
        }
        i /= size;
    }
    return place;
}

bool onnx_join_sizes(const struct onnx_array *a, const struct onnx_array *b, uint32_t *sizes,
                     uint32_t *rank)
{
    *rank = a->rank > b->rank ? a->rank : b->rank;
    for (uint32_t i = 0; i < *rank; i++) {
        const uint32_t of_a = i < a->rank ? a->sizes[a->rank - 1 - i] : 1;
        const uint32_t of_b = i < b->rank ? b->sizes[b->rank - 1 - i] : 1;

        if (of_a != of_b && of_a != 1 && of_b != 1)
            return false;
        sizes[*rank - 1 - i] = of_a == 1 ? of_b : of_a;
    }
    return true;
}

/* ----- other types and shapes ----- */

static enum status fold_cast(struct onnx_import *import)
{
    const int64_t type = onnx_integer_of(import, "to", 0);
    const bool is_real = type == ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT ||
                         type == ONNX__TENSOR_PROTO__DATA_TYPE__DOUBLE ||
                         type == ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT16;
    const struct onnx_known *known = onnx_taken(import, 0);
    const struct onnx_array *x = &known->array;
    struct onnx_made made;

    if (is_real == (x->floats != NULL) && type != ONNX__TENSOR_PROTO__DATA_TYPE__BOOL)
        return onnx_give_array(import, x);
    TRY(onnx_make(import, x->rank, x->sizes, is_real, &made));
    for (size_t i = 0; i < x->count; i++) {
        const double value = x->floats ? (double)x->floats[i] : (double)x->integers[i];

        if (fabs(value) > (double)(1LL << 53))
            return onnx_refuse_node(import, "a number of it cannot be computed");
        if (is_real)
            made.floats[i] = (float)value;
        else
            made.integers[i] =
                type == ONNX__TENSOR_PROTO__DATA_TYPE__BOOL ? value != 0 : (int64_t)value;
    }
    return onnx_give_array(import, &made.array);
}

/* The integers of input i, at most ONNX_AXES_MAX, or of an attribute of that name. */
static enum status take_integers(const struct onnx_import *import, size_t i, const char *name,
                                 int64_t *integers, uint32_t *count)
{
    const Onnx__AttributeProto *attribute = onnx_attribute(import, name);
    struct onnx_array array = {0};

    if (attribute) {
        array.count = attribute->n_ints;
        array.integers = attribute->ints;
    } else {
        TRY(onnx_take_array(import, i, &array));
    }
    if ((array.count > 0 && !array.integers) || array.count > ONNX_AXES_MAX)
        return onnx_refuse_node(import, "input %zu is no list of sizes", i);
    if (array.count > 0)
        memcpy(integers, array.integers, array.count * sizeof *integers);
    *count = (uint32_t)array.count;
    return STATUS_OK;
}

static enum status give_shaped(struct onnx_import *import, const struct onnx_array *x,
                               uint32_t rank, const uint32_t *sizes)
{
    struct onnx_array shaped = *x;
    uint64_t count = 1;

    if (rank > sizeof shaped.sizes / sizeof *shaped.sizes)
        return onnx_refuse_node(import, "an array has at most four axes");
    for (uint32_t i = 0; i < rank; i++)
        count *= shaped.sizes[i] = sizes[i];
    shaped.rank = rank;
    return count == x->count ? onnx_give_array(import, &shaped)
                             : onnx_refuse_node(import, "its input has another number of numbers");
}

static enum status fold_reshape(struct onnx_import *import)
{
    int64_t shape[ONNX_AXES_MAX];
    uint32_t sizes[ONNX_AXES_MAX], rank, rest = UINT32_MAX;
    uint64_t count = 1;
    struct onnx_array x;

    TRY(onnx_take_array(import, 0, &x));
    TRY(take_integers(import, 1, "shape", shape, &rank));
    for (uint32_t i = 0; i < rank; i++) {
        sizes[i] = shape[i] == 0 && i < x.rank ? x.sizes[i] : (uint32_t)shape[i];
        if (shape[i] == -1 && rest == UINT32_MAX)
            rest = i;
        else if (shape[i] < 0 || shape[i] > ONNX_ARRAY_MOST ||
                 (count *= sizes[i]) > ONNX_ARRAY_MOST)
            return onnx_refuse_node(import, "size %lld does not follow", (long long)shape[i]);
    }
    if (rest != UINT32_MAX)
        sizes[rest] = count > 0 ? (uint32_t)(x.count / count) : 0;
    return give_shaped(import, &x, rank, sizes);
}

static enum status fold_axes(struct onnx_import *import, bool adds)
{
    int64_t axes[ONNX_AXES_MAX];
    uint32_t sizes[ONNX_AXES_MAX], rank = 0, count = 0, all, at = 0;
    unsigned bits = 0;
    struct onnx_array x;

    TRY(onnx_take_array(import, 0, &x));
    if (onnx_taken(import, 1) || onnx_attribute(import, "axes"))
        TRY(take_integers(import, 1, "axes", axes, &count));
    else if (adds)
        return onnx_refuse_node(import, "it has no axes");
    all = x.rank + (adds ? count : 0);
    for (uint32_t i = 0; i < count; i++) {
        const int64_t axis = axes[i] < 0 ? axes[i] + all : axes[i];

        if (axis < 0 || axis >= all || all > ONNX_AXES_MAX)
            return onnx_refuse_node(import, "it has no axis %lld", (long long)axes[i]);
        bits |= 1u << axis;
    }
    for (uint32_t i = 0; i < all; i++) {
        if (adds)
            sizes[rank++] = bits >> i & 1 || at == x.rank ? 1 : x.sizes[at++];
        else if (!(count == 0 ? x.sizes[i] == 1 : bits >> i & 1))
            sizes[rank++] = x.sizes[i];
    }
    return give_shaped(import, &x, rank, sizes);
}

/* How many numbers there are behind an axis, and before it. */
static size_t count_around(const struct onnx_array *x, uint32_t axis, size_t *before)
{
    size_t behind = 1;

    *before = 1;
    for (uint32_t i = 0; i < x->rank; i++)
        *(i < axis ? before : &behind) *= i == axis ? 1 : x->sizes[i];
    return behind;
}

/* Some places along an axis, which goes away where there is one that is no list. */
static enum status give_places(struct onnx_import *import, const struct onnx_array *x,
                               uint32_t axis, const int64_t *places, uint32_t count, bool keeps)
{
    size_t before, behind = count_around(x, axis, &before), to = 0;
    uint32_t sizes[4] = {0}, rank = 0;
    struct onnx_made made;

    for (uint32_t i = 0; i < x->rank; i++)
        if (i != axis || keeps)
            sizes[rank++] = i == axis ? count : x->sizes[i];
    TRY(onnx_make(import, rank, sizes, x->floats != NULL, &made));
    for (size_t i = 0; i < before; i++)
        for (uint32_t k = 0; k < count; k++) {
            const int64_t place = places[k] < 0 ? places[k] + x->sizes[axis] : places[k];

            if (place < 0 || place >= x->sizes[axis])
                return onnx_refuse_node(import, "it selects what is not there");
            for (size_t j = 0; j < behind; j++)
                onnx_copy_at(&made, to++, x, (i * x->sizes[axis] + (size_t)place) * behind + j);
        }
    return onnx_give_array(import, &made.array);
}

static enum status take_axis(const struct onnx_import *import, const struct onnx_array *x,
                             int64_t written, uint32_t *axis)
{
    const int64_t counted = written < 0 ? written + x->rank : written;

    *axis = (uint32_t)counted;
    return counted >= 0 && counted < x->rank
               ? STATUS_OK
               : onnx_refuse_node(import, "it has no axis %lld", (long long)written);
}

static enum status fold_gather(struct onnx_import *import)
{
    struct onnx_array x, places;
    uint32_t axis;

    TRY(onnx_take_array(import, 0, &x));
    TRY(onnx_take_array(import, 1, &places));
    TRY(take_axis(import, &x, onnx_integer_of(import, "axis", 0), &axis));
    if (!places.integers || places.rank > 1 || places.count > ONNX_ARRAY_MOST)
        return onnx_refuse_node(import, "its places are no list");
    return give_places(import, &x, axis, places.integers, (uint32_t)places.count, places.rank == 1);
}

static enum status fold_slice(struct onnx_import *import)
{
    int64_t from[ONNX_AXES_MAX], to[ONNX_AXES_MAX], axes[ONNX_AXES_MAX] = {0},
                                                    steps[ONNX_AXES_MAX] = {1};
    uint32_t counts[4] = {0, 0, 1, 1}, axis, count = 0;
    struct onnx_array x;
    int64_t *places;

    TRY(onnx_take_array(import, 0, &x));
    TRY(take_integers(import, 1, "starts", from, &counts[0]));
    TRY(take_integers(import, 2, "ends", to, &counts[1]));
    if (onnx_taken(import, 3))
        TRY(take_integers(import, 3, "axes", axes, &counts[2]));
    if (onnx_taken(import, 4))
        TRY(take_integers(import, 4, "steps", steps, &counts[3]));
    for (unsigned i = 0; i < 4; i++)
        if (counts[i] != 1)
            return onnx_refuse_node(import, "it is read along one axis");
    TRY(take_axis(import, &x, axes[0], &axis));
    if (x.sizes[axis] > ONNX_ARRAY_MOST)
        return onnx_refuse_node(import, "it is read of at most %u places", ONNX_ARRAY_MOST);
    places = ARENA_NEW(import->arena, int64_t, x.sizes[axis] + 1u);
    if (!places)
        return fail_no_memory(import->err);
    if (steps[0] == -1 && (from[0] == -1 || from[0] >= (int64_t)x.sizes[axis] - 1) &&
        to[0] < -(int64_t)x.sizes[axis]) { /* all, the last one first */
        for (uint32_t i = x.sizes[axis]; i-- > 0;)
            places[count++] = i;
        return give_places(import, &x, axis, places, count, true);
    }
    if (steps[0] < 1 || steps[0] > ONNX_ARRAY_MOST)
        return onnx_refuse_node(import, "its steps are to be above 0, or -1 for all");
    from[0] += from[0] < 0 ? x.sizes[axis] : 0;
    to[0] += to[0] < 0 ? x.sizes[axis] : 0;
    for (int64_t i = from[0] < 0 ? 0 : from[0]; i < to[0] && i < x.sizes[axis]; i += steps[0])
        places[count++] = i;
    return give_places(import, &x, axis, places, count, true);
}

static enum status fold_concat(struct onnx_import *import)
{
    struct onnx_array first, x;
    uint32_t axis, sizes[4];
    size_t before, behind, at = 0;
    struct onnx_made made;

    TRY(onnx_take_array(import, 0, &first));
    TRY(take_axis(import, &first, onnx_integer_of(import, "axis", 0), &axis));
    behind = count_around(&first, axis, &before);
    memcpy(sizes, first.sizes, sizeof sizes);
    sizes[axis] = 0;
    for (size_t i = 0; i < import->node->n_input; i++) {
        TRY(onnx_take_array(import, i, &x));
        if (x.rank != first.rank || !x.floats != !first.floats ||
            x.count != before * behind * x.sizes[axis] ||
            x.sizes[axis] > ONNX_ARRAY_MOST - sizes[axis])
            return onnx_refuse_node(import, "its inputs have different shapes or types");
        sizes[axis] += x.sizes[axis];
    }
    TRY(onnx_make(import, first.rank, sizes, first.floats != NULL, &made));
    for (size_t i = 0; i < before; i++)
        for (size_t k = 0; k < import->node->n_input; k++) {
            const size_t run = (onnx_taken(import, k)->array.sizes[axis]) * behind;

            for (size_t j = 0; j < run; j++)
                onnx_copy_at(&made, at++, &onnx_taken(import, k)->array, i * run + j);
        }
    return onnx_give_array(import, &made.array);
}

static enum status fold_transpose(struct onnx_import *import)
{
    const Onnx__AttributeProto *order = onnx_attribute(import, "perm");
    uint32_t sizes[4], axes[4];
    size_t steps[4] = {0};
    struct onnx_array x;
    struct onnx_made made;
    unsigned bits = 0;

    TRY(onnx_take_array(import, 0, &x));
    if (order && order->n_ints != x.rank)
        return onnx_refuse_node(import, "its axes are not those of its input");
    for (uint32_t i = 0; i < x.rank; i++) {
        const int64_t axis = order ? order->ints[i] : x.rank - 1 - (int64_t)i;
        size_t before;

        TRY(take_axis(import, &x, axis, &axes[i]));
        if (bits >> axes[i] & 1)
            return onnx_refuse_node(import, "its axes are not those of its input");
        bits |= 1u << axes[i];
        sizes[i] = x.sizes[axes[i]];
        steps[i] = count_around(&x, axes[i], &before);
    }
    TRY(onnx_make(import, x.rank, sizes, x.floats != NULL, &made));
    for (size_t i = 0; i < x.count; i++) {
        size_t place = 0, left = i;

        for (uint32_t axis = x.rank; axis-- > 0; left /= sizes[axis])
            place += left % sizes[axis] * steps[axis];
        onnx_copy_at(&made, i, &x, place);
    }
    return onnx_give_array(import, &made.array);
}

/* ----- arrays of a shape that is computed ----- */

/* The rows among the sizes are sizes of 1, as all is where there is one number. */
static enum status give_expanded(struct onnx_import *import, const struct onnx_array *x,
                                 const int64_t *shape, uint32_t rank)
{
    struct onnx_array wanted = {.rank = rank};
    uint32_t sizes[ONNX_AXES_MAX], joined;
    bool has_rows = false;
    struct onnx_made made;

    if (rank > sizeof wanted.sizes / sizeof *wanted.sizes)
        return onnx_refuse_node(import, "an array has at most four axes");
    for (uint32_t i = 0; i < rank; i++) {
        const bool is_rows = onnx_row_factor(shape[i]) > 0;

        has_rows |= is_rows;
        if (!is_rows && (shape[i] < 0 || shape[i] > ONNX_ARRAY_MOST))
            return onnx_refuse_node(import, "size %lld does not follow", (long long)shape[i]);
        wanted.sizes[i] = is_rows ? 1 : (uint32_t)shape[i];
    }
    if (!onnx_join_sizes(&wanted, x, sizes, &joined))
        return onnx_refuse_node(import, "its shape does not go with that of its input");
    TRY(onnx_make(import, joined, sizes, x->floats != NULL, &made));
    for (size_t i = 0; i < made.array.count; i++)
        onnx_copy_at(&made, i, x, onnx_place_in(x, &made.array, i));
    TRY(onnx_give_array(import, &made.array));
    onnx_find(import, import->node->output[0])->is_filled |= has_rows;
    return STATUS_OK;
}

static enum status fold_expand(struct onnx_import *import)
{
    int64_t shape[ONNX_AXES_MAX];
    struct onnx_array x;
    uint32_t rank = 0;

    TRY(onnx_take_array(import, 0, &x));
    TRY(take_integers(import, 1, "", shape, &rank));
    return give_expanded(import, &x, shape, rank);
}

static enum status fold_constant_of_shape(struct onnx_import *import)
{
    static const float zero = 0;
    const Onnx__AttributeProto *value = onnx_attribute(import, "value");
    struct onnx_array x = {.count = 1, .floats = &zero};
    int64_t shape[ONNX_AXES_MAX];
    uint32_t rank = 0;

    if (value && value->t)
        TRY(onnx_read_array(value->t, import->arena, &x, import->err));
    TRY(take_integers(import, 0, "", shape, &rank));
    if (x.count != 1)
        return onnx_refuse_node(import, "its value is to be one number");
    x.rank = 0;
    return give_expanded(import, &x, shape, rank);
}

static enum status fold_shape(struct onnx_import *import)
{
    struct onnx_array x;
    struct onnx_made made;

    TRY(onnx_take_array(import, 0, &x));
    TRY(onnx_make(import, 1, &x.rank, false, &made));
    for (uint32_t i = 0; i < x.rank; i++)
        made.integers[i] = x.sizes[i];
    return onnx_give_array(import, &made.array);
}

static enum status fold_same(struct onnx_import *import)
{
    return onnx_give_array(import, &onnx_taken(import, 0)->array);
}

static enum status fold_squeeze(struct onnx_import *import)
{
    return fold_axes(import, false);
}

static enum status fold_unsqueeze(struct onnx_import *import)
{
    return fold_axes(import, true);
}

const struct onnx_operator onnx_array_readers[] = {
    {"Cast", fold_cast},
    {"Concat", fold_concat},
    {"ConstantOfShape", fold_constant_of_shape},
    {"Dropout", fold_same},
    {"Expand", fold_expand},
    {"Gather", fold_gather},
    {"Identity", fold_same},
    {"Reshape", fold_reshape},
    {"Shape", fold_shape},
    {"Slice", fold_slice},
    {"Squeeze", fold_squeeze},
    {"Transpose", fold_transpose},
    {"Unsqueeze", fold_unsqueeze},
    {.name = NULL},
};
