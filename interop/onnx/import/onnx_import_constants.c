/* Arrays: numbers that do not depend on a row, but for how many rows there are, which is a size
 * among integers (onnx_import_axes.h). An array that has the rows among its axes is `filled`: of
 * one number, or of sizes of 1 where the rows are. */
#include "interop/onnx/import/onnx_import_constants.h"

#include <math.h>
#include <string.h>

#include "interop/onnx/import/onnx_import_arrays.h"
#include "interop/onnx/import/onnx_import_axes.h"

static bool is_operator(const struct onnx_import *import, const char *name)
{
    return strcmp(import->node->op_type, name) == 0;
}

static double real_at(const struct onnx_array *array, size_t i)
{
    return array->floats ? (double)array->floats[i] : (double)array->integers[i];
}

/* ----- number by number ----- */

enum arithmetic { ADD, SUB, MUL, DIV, MOD, POW, MIN, MAX, EQUAL, GREATER, LESS, AND, OR };

static const char *const arithmetic_names[] = {"Add",  "Sub", "Mul", "Div",   "Mod",
                                               "Pow",  "Min", "Max", "Equal", "Greater",
                                               "Less", "And", "Or",  NULL};

/* Sizes that have the rows in them can be multiplied and divided, and compared. */
static bool compute_rows(enum arithmetic what, int64_t a, int64_t b, int64_t *to)
{
    const uint32_t factor = onnx_row_factor(a) ? onnx_row_factor(a) : onnx_row_factor(b);
    const int64_t other = onnx_row_factor(a) ? b : a;

    if (what == EQUAL) {
        *to = a == b;
        return true;
    }
    if (onnx_row_factor(other) > 0 || other < 1 || other > ONNX_FACTOR_MAX)
        return false;
    if (what == MUL && (uint64_t)factor * (uint64_t)other <= ONNX_FACTOR_MAX)
        *to = ONNX_ROWS + (int64_t)factor * other;
    else if (what == DIV && onnx_row_factor(a) > 0 && factor % other == 0)
        *to = ONNX_ROWS + factor / other;
    else
        return false;
    return true;
}

static bool compute_integers(enum arithmetic what, int64_t a, int64_t b, int64_t *to)
{
    const bool divides = what == DIV || what == MOD;

    if (onnx_row_factor(a) > 0 || onnx_row_factor(b) > 0)
        return compute_rows(what, a, b, to);
    if (what == POW || (divides && (b == 0 || b == -1)))
        return false;
    switch (what) {
    case ADD:
        return !__builtin_add_overflow(a, b, to);
    case SUB:
        return !__builtin_sub_overflow(a, b, to);
    case MUL:
        return !__builtin_mul_overflow(a, b, to);
    case DIV:
        *to = a / b;
        return true;
    case MOD:
        *to = (a % b != 0 && (a < 0) != (b < 0)) ? a % b + b : a % b;
        return true;
    case MIN:
        *to = a < b ? a : b;
        return true;
    case MAX:
        *to = a > b ? a : b;
        return true;
    case AND:
        *to = a && b;
        return true;
    case OR:
        *to = a || b;
        return true;
    default:
        *to = what == EQUAL ? a == b : what == GREATER ? a > b : a < b;
        return true;
    }
}

static double compute_reals(enum arithmetic what, double a, double b)
{
    switch (what) {
    case ADD:
        return a + b;
    case SUB:
        return a - b;
    case MUL:
        return a * b;
    case DIV:
        return a / b;
    case MOD:
        return fmod(a, b);
    case POW:
        return pow(a, b);
    case MIN:
        return fmin(a, b);
    case MAX:
        return fmax(a, b);
    default:
        return what == EQUAL ? a == b : what == GREATER ? a > b : a < b;
    }
}

static enum status fold_arithmetic(struct onnx_import *import, enum arithmetic what)
{
    struct onnx_array a, b;
    uint32_t sizes[ONNX_AXES_MAX], rank;
    struct onnx_made made;
    bool is_real;

    TRY(onnx_take_array(import, 0, &a));
    TRY(onnx_take_array(import, 1, &b));
    is_real = a.floats || b.floats;
    if (!onnx_join_sizes(&a, &b, sizes, &rank))
        return onnx_refuse_node(import, "its inputs have different shapes");
    if (is_real && (!a.floats || !b.floats) && what != POW)
        return onnx_refuse_node(import, "its inputs have different types");
    TRY(onnx_make(import, rank, sizes, is_real && what < EQUAL, &made));
    for (size_t i = 0; i < made.array.count; i++) {
        const size_t of_a = onnx_place_in(&a, &made.array, i),
                     of_b = onnx_place_in(&b, &made.array, i);

        if (!is_real &&
            !compute_integers(what, a.integers[of_a], b.integers[of_b], &made.integers[i]))
            return onnx_refuse_node(import, "a number of it cannot be computed");
        if (made.floats)
            made.floats[i] = (float)compute_reals(what, real_at(&a, of_a), real_at(&b, of_b));
        else if (is_real)
            made.integers[i] = compute_reals(what, real_at(&a, of_a), real_at(&b, of_b)) > 0;
        if (made.floats && isnan(made.floats[i]))
            return onnx_refuse_node(import, "a number of it cannot be computed");
    }
    return onnx_give_array(import, &made.array);
}

/* The product of zeros and what is finite, as of the first state of a layer that is written out. */
static enum status fold_product(struct onnx_import *import)
{
    struct onnx_array a, b;
    struct onnx_made made;
    bool is_zero = true;

    TRY(onnx_take_array(import, 0, &a));
    TRY(onnx_take_array(import, 1, &b));
    for (size_t i = 0; a.floats && i < a.count; i++)
        is_zero &= a.floats[i] == 0;
    for (size_t i = 0; b.floats && i < b.count; i++)
        is_zero &= isfinite(b.floats[i]) != 0;
    if (!a.floats || !b.floats || !is_zero || a.rank < 1 || b.rank != 2 ||
        a.sizes[a.rank - 1] != b.sizes[0])
        return onnx_refuse_node(import, "it is a product of constants");
    a.sizes[a.rank - 1] = b.sizes[1];
    TRY(onnx_make(import, a.rank, a.sizes, true, &made)); /* zeros */
    return onnx_give_array(import, &made.array);
}

static double compute_one(const char *operator, double x)
{
    return strcmp(operator, "Neg") == 0     ? -x
           : strcmp(operator, "Sqrt") == 0  ? sqrt(x)
           : strcmp(operator, "Exp") == 0   ? exp(x)
           : strcmp(operator, "Log") == 0   ? log(x)
           : strcmp(operator, "Floor") == 0 ? floor(x)
           : strcmp(operator, "Not") == 0   ? x == 0
           : strcmp(operator, "Abs") == 0   ? fabs(x)
                                            : 1 / x;
}

static enum status fold_one(struct onnx_import *import)
{
    struct onnx_array x;
    struct onnx_made made;

    TRY(onnx_take_array(import, 0, &x));
    TRY(onnx_make(import, x.rank, x.sizes, x.floats != NULL, &made));
    for (size_t i = 0; i < x.count; i++) {
        const double value = compute_one(import->node->op_type, real_at(&x, i));

        if (made.floats && !isnan(value))
            made.floats[i] = (float)value;
        else if (!made.floats && fabs(value) < (double)(1LL << 53))
            made.integers[i] = (int64_t)value;
        else
            return onnx_refuse_node(import, "a number of it cannot be computed");
    }
    return onnx_give_array(import, &made.array);
}

static enum status fold_where(struct onnx_import *import)
{
    struct onnx_array of[3], both;
    uint32_t sizes[ONNX_AXES_MAX], rank;
    struct onnx_made made;

    for (size_t i = 0; i < 3; i++)
        TRY(onnx_take_array(import, i, &of[i]));
    if (!of[0].integers || !of[1].floats != !of[2].floats ||
        !onnx_join_sizes(&of[1], &of[2], sizes, &rank))
        return onnx_refuse_node(import, "its inputs have different shapes or types");
    both = (struct onnx_array){.rank = rank};
    memcpy(both.sizes, sizes, rank * sizeof *sizes);
    if (!onnx_join_sizes(&both, &of[0], sizes, &rank))
        return onnx_refuse_node(import, "its inputs have different shapes");
    TRY(onnx_make(import, rank, sizes, of[1].floats != NULL, &made));
    for (size_t i = 0; i < made.array.count; i++) {
        const struct onnx_array *from =
            &of[of[0].integers[onnx_place_in(&of[0], &made.array, i)] ? 1 : 2];

        onnx_copy_at(&made, i, from, onnx_place_in(from, &made.array, i));
    }
    return onnx_give_array(import, &made.array);
}

/* ----- arrays by a rule ----- */

static enum status fold_range(struct onnx_import *import)
{
    struct onnx_array of[3];
    struct onnx_made made;
    uint32_t size;
    int64_t count;

    for (size_t i = 0; i < 3; i++) {
        TRY(onnx_take_array(import, i, &of[i]));
        if (!of[i].integers || of[i].count != 1 || of[i].integers[0] < -(int64_t)ONNX_ARRAY_MOST ||
            of[i].integers[0] > ONNX_ARRAY_MOST)
            return onnx_refuse_node(import, "it is read of integers");
    }
    if (of[2].integers[0] < 1)
        return onnx_refuse_node(import, "its steps are to be above 0");
    count = (of[1].integers[0] - of[0].integers[0] + of[2].integers[0] - 1) / of[2].integers[0];
    size = count > 0 ? (uint32_t)count : 0;
    TRY(onnx_make(import, 1, &size, false, &made));
    for (uint32_t i = 0; i < size; i++)
        made.integers[i] = of[0].integers[0] + i * of[2].integers[0];
    return onnx_give_array(import, &made.array);
}

static enum status fold_trilu(struct onnx_import *import)
{
    const bool is_upper = onnx_integer_of(import, "upper", 1) != 0;
    struct onnx_array x, shift = {0};
    struct onnx_made made;
    int64_t k = 0;

    TRY(onnx_take_array(import, 0, &x));
    if (onnx_taken(import, 1))
        TRY(onnx_take_array(import, 1, &shift));
    if (shift.count == 1 && shift.integers)
        k = shift.integers[0];
    if (x.rank < 2 || k < -(int64_t)ONNX_ARRAY_MOST || k > ONNX_ARRAY_MOST)
        return onnx_refuse_node(import, "it is read of a matrix");
    TRY(onnx_make(import, x.rank, x.sizes, x.floats != NULL, &made));
    for (size_t i = 0; i < x.count; i++) {
        const int64_t column = (int64_t)(i % x.sizes[x.rank - 1]);
        const int64_t row = (int64_t)(i / x.sizes[x.rank - 1] % x.sizes[x.rank - 2]);

        if (is_upper ? column - row >= k : column - row <= k)
            onnx_copy_at(&made, i, &x, i);
    }
    return onnx_give_array(import, &made.array);
}

/* ----- all of them ----- */

static const struct onnx_operator folders[] = {
    {"Abs", fold_one},        {"Exp", fold_one},  {"Floor", fold_one},   {"Log", fold_one},
    {"MatMul", fold_product}, {"Neg", fold_one},  {"Not", fold_one},     {"Range", fold_range},
    {"Reciprocal", fold_one}, {"Sqrt", fold_one}, {"Trilu", fold_trilu}, {"Where", fold_where},
    {.name = NULL},
};

/* Are all inputs arrays? Those that are not there do not count. *is_filled: is one? */
static bool has_arrays(const struct onnx_import *import, bool *is_filled)
{
    *is_filled = false;
    for (size_t i = 0; i < import->node->n_input; i++) {
        const struct onnx_known *taken = onnx_taken(import, i);

        if (import->node->input[i][0] && (!taken || taken->held != ONNX_HOLDS_ARRAY))
            return false;
        *is_filled |= taken && taken->is_filled;
    }
    return onnx_taken(import, 0) != NULL;
}

static enum status fold(struct onnx_import *import, bool *is_folded)
{
    const struct onnx_operator *const lists[] = {folders, onnx_array_readers};
    enum arithmetic what = ADD;

    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (const struct onnx_operator *found = lists[i]; found->name; found++)
            if (is_operator(import, found->name))
                return found->read(import);
    while (arithmetic_names[what] && !is_operator(import, arithmetic_names[what]))
        what++;
    if (arithmetic_names[what] && import->node->n_input == 2)
        return fold_arithmetic(import, what);
    *is_folded = false;
    return STATUS_OK;
}

enum status onnx_fold(struct onnx_import *import, bool *is_folded)
{
    bool is_filled;

    *is_folded = has_arrays(import, &is_filled);
    if (!*is_folded)
        return STATUS_OK;
    if (is_filled && (is_operator(import, "Shape") || is_operator(import, "Reshape") ||
                      (is_operator(import, "Squeeze") && !onnx_taken(import, 1))))
        return onnx_refuse_node(import, "it takes an array that the rows are in");
    TRY(fold(import, is_folded));
    if (*is_folded && is_filled)
        onnx_find(import, import->node->output[0])->is_filled = true;
    return STATUS_OK;
}
