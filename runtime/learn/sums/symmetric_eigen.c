#include "runtime/learn/sums/symmetric_eigen.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEPS_MAX 64 /* steps to one eigenvalue; two are usual */

struct eigen {
    size_t n;
    double *matrix;    /* (n, n): the part that is not reduced yet, and before it the reflections */
    double *diagonal;  /* (n) */
    double *beside;    /* (n): element i is beside the diagonal, of rows i and i + 1 */
    double *doublings; /* (n): 2 / |v|^2 of each reflection; 0: there is none */
    double *room;      /* (n) */
    double *vectors;   /* (n, n) */
    double nothing;    /* magnitude that rounding leaves of an element that is 0 */
};

static double product(const double *a, const double *b, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

static void add(double *restrict to, double factor, const double *restrict from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] += factor * from[i];
}

/* ---- to a tridiagonal matrix ---- */

/* Row k of the rest behind the diagonal becomes the reflection's v, which takes it to its first
 * element alone. */
static void find_reflection(struct eigen *eigen, size_t k)
{
    const size_t count = eigen->n - k - 1;
    double *v = eigen->matrix + k * eigen->n + k + 1;
    const double square = product(v, v, count), first = v[0];
    const double length = sqrt(square);

    eigen->diagonal[k] = eigen->matrix[k * eigen->n + k];
    eigen->beside[k] = first;
    eigen->doublings[k] = 0;
    if (!(square > first * first))
        return;
    eigen->beside[k] = first > 0 ? -length : length;
    v[0] = first - eigen->beside[k];
    eigen->doublings[k] = 2 / product(v, v, count);
}

/* Both sides of the rest: A - v w' - w v' where w = p - (doubling / 2) (p v) v and p = doubling A
 * v.
 */
static void reflect(struct eigen *eigen, size_t k)
{
    const size_t n = eigen->n, count = n - k - 1;
    const double *v = eigen->matrix + k * n + k + 1;
    const double doubling = eigen->doublings[k];
    double *w = eigen->room;

    if (doubling == 0)
        return;
    memset(w, 0, count * sizeof *w);
    for (size_t i = 0; i < count; i++)
        add(w, doubling * v[i], eigen->matrix + (k + 1 + i) * n + k + 1, count);
    add(w, -doubling / 2 * product(w, v, count), v, count);
    for (size_t i = 0; i < count; i++) {
        double *row = eigen->matrix + (k + 1 + i) * n + k + 1;

        add(row, -v[i], w, count);
        add(row, -w[i], v, count);
    }
}

static void reduce(struct eigen *eigen)
{
    const size_t n = eigen->n;

    for (size_t k = 0; k + 2 < n; k++) {
        find_reflection(eigen, k);
        reflect(eigen, k);
    }
    for (size_t k = n > 2 ? n - 2 : 0; k < n; k++) {
        eigen->diagonal[k] = eigen->matrix[k * n + k];
        eigen->beside[k] = k + 1 < n ? eigen->matrix[k * n + k + 1] : 0;
    }
}

/* The product of all reflections, the last one first, as each changes the rows behind it alone;
 * then its columns as rows. */
static void gather_vectors(struct eigen *eigen)
{
    const size_t n = eigen->n;
    double *q = eigen->vectors;

    memset(q, 0, n * n * sizeof *q);
    for (size_t i = 0; i < n; i++)
        q[i * n + i] = 1;
    for (size_t k = n > 2 ? n - 2 : 0; k-- > 0;) {
        const size_t count = n - k - 1;
        const double *v = eigen->matrix + k * n + k + 1;
        double *sums = eigen->room;

        memset(sums, 0, count * sizeof *sums);
        for (size_t i = 0; i < count; i++)
            add(sums, eigen->doublings[k] * v[i], q + (k + 1 + i) * n + k + 1, count);
        for (size_t i = 0; i < count; i++)
            add(q + (k + 1 + i) * n + k + 1, -v[i], sums, count);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) {
            const double element = q[i * n + j];

            q[i * n + j] = q[j * n + i];
            q[j * n + i] = element;
        }
}

/* ---- to a diagonal one ---- */

static double length_of(double a, double b)
{
    return sqrt(a * a + b * b);
}

static void rotate(double *restrict upper, double *restrict lower, double cosine, double sine,
                   size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const double other = lower[i];

        lower[i] = sine * upper[i] + cosine * other;
        upper[i] = cosine * upper[i] - sine * other;
    }
}

/* Where the block that begins at `first` ends: what lies beside the diagonal there is nothing. */
static size_t end_of_block(const struct eigen *eigen, size_t first)
{
    size_t end = first;

    while (end + 1 < eigen->n && !(fabs(eigen->beside[end]) <= eigen->nothing))
        end++;
    return end;
}

/* One step over the block [first, end], from its end. */
static void step(struct eigen *eigen, size_t first, size_t end)
{
    double *diagonal = eigen->diagonal, *beside = eigen->beside;
    double shift = (diagonal[first + 1] - diagonal[first]) / (2 * beside[first]);
    const double root = length_of(shift, 1);
    double cosine = 1, sine = 1, taken = 0;

    shift = diagonal[end] - diagonal[first] + beside[first] / (shift + (shift < 0 ? -root : root));
    for (size_t i = end; i-- > first;) {
        const double f = sine * beside[i], b = cosine * beside[i];
        const double length = length_of(f, shift);
        double rest;

        beside[i + 1] = length;
        if (length == 0) { /* the block falls apart here */
            diagonal[i + 1] -= taken;
            beside[end] = 0;
            return;
        }
        sine = f / length;
        cosine = shift / length;
        shift = diagonal[i + 1] - taken;
        rest = (diagonal[i] - shift) * sine + 2 * cosine * b;
        taken = sine * rest;
        diagonal[i + 1] = shift + taken;
        shift = cosine * rest - b;
        rotate(eigen->vectors + i * eigen->n, eigen->vectors + (i + 1) * eigen->n, cosine, sine,
               eigen->n);
    }
    diagonal[first] -= taken;
    beside[first] = shift;
    beside[end] = 0;
}

static enum status make_diagonal(struct eigen *eigen, struct error *err)
{
    for (size_t i = 0; i < eigen->n; i++) {
        const double nothing = (fabs(eigen->diagonal[i]) + fabs(eigen->beside[i])) * DBL_EPSILON;

        eigen->nothing = nothing > eigen->nothing ? nothing : eigen->nothing;
    }
    for (size_t first = 0; first < eigen->n; first++)
        for (int steps = 0;; steps++) {
            const size_t end = end_of_block(eigen, first);

            if (end == first)
                break;
            if (steps == STEPS_MAX)
                return fail(err, STATUS_FAILED, "a matrix of products has no eigenvalues");
            step(eigen, first, end);
        }
    return STATUS_OK;
}

/* ---- order and signs ---- */

static void swap_rows(double *a, double *b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const double element = a[i];

        a[i] = b[i];
        b[i] = element;
    }
}

static void turn(double *vector, size_t count)
{
    double greatest = 0;

    for (size_t i = 0; i < count; i++)
        if (fabs(vector[i]) > fabs(greatest))
            greatest = vector[i];
    for (size_t i = 0; i < count && greatest < 0; i++)
        vector[i] = -vector[i];
}

static void put_in_order(struct eigen *eigen)
{
    const size_t n = eigen->n;

    for (size_t i = 0; i < n; i++) {
        size_t most = i;

        for (size_t j = i + 1; j < n; j++)
            if (eigen->diagonal[j] > eigen->diagonal[most])
                most = j;
        if (most != i) {
            swap_rows(eigen->vectors + i * n, eigen->vectors + most * n, n);
            swap_rows(&eigen->diagonal[i], &eigen->diagonal[most], 1);
        }
        turn(eigen->vectors + i * n, n);
    }
}

enum status symmetric_eigen(uint32_t n, double *matrix, double *values, double *vectors,
                            struct error *err)
{
    double *room = calloc((size_t)n * 3 + 1, sizeof *room);
    struct eigen eigen = {.n = n,
                          .matrix = matrix,
                          .diagonal = values,
                          .beside = room,
                          .doublings = room + n,
                          .room = room + 2 * (size_t)n,
                          .vectors = vectors};
    enum status status;

    if (!room)
        return fail_no_memory(err);
    reduce(&eigen);
    gather_vectors(&eigen);
    status = make_diagonal(&eigen, err);
    if (status == STATUS_OK)
        put_in_order(&eigen);
    free(room);
    return status;
}
