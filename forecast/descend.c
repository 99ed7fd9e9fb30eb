#include "forecast/descend.h"

#include <math.h>
#include <string.h>

#define BFGS_STEPS_MAX       60
#define BFGS_HALVINGS_MAX    20
#define BFGS_GAIN_LEAST      1e-7 /* a step's gain; log likelihoods per value are minimised */
#define SIMPLEX_VALUES_MAX   300
#define SIMPLEX_SPREAD_LEAST 1e-7 /* spread of the values at its corners, relative to the least */
#define SQUARES_STEPS_MAX    30
#define SQUARES_GAIN_LEAST   1e-7 /* a step's gain, relative to the sum */
#define SQUARES_STEP_MOST    1.0  /* a number's step, relative to one more than its magnitude */
#define DAMPING_FIRST        1e-2 /* to the diagonal */
#define DAMPING_LEAST        1e-8
#define DAMPING_MOST         1e8

typedef double square[DESCEND_NUMBERS_MAX][DESCEND_NUMBERS_MAX];

static double inner(const double *a, const double *b, uint32_t count)
{
    double sum = 0;

    for (uint32_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

static void set_identity(square h, uint32_t count, double scale)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < count; j++)
            h[i][j] = i == j ? scale : 0;
}

/* The inverse Hessian learns that a step s changed the gradient by y; s'y > 0. */
static void update(square h, uint32_t count, const double *s, const double *y, double sy)
{
    double hy[DESCEND_NUMBERS_MAX], factor;

    for (uint32_t i = 0; i < count; i++)
        hy[i] = inner(h[i], y, count);
    factor = (1 + inner(y, hy, count) / sy) / sy;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < count; j++)
            h[i][j] += factor * s[i] * s[j] - (hy[i] * s[j] + s[i] * hy[j]) / sy;
}

/* Where along the direction the value has fallen enough, by halves or as a parabola says. */
static double search_line(descend_function *function, void *context, uint32_t count,
                          const double *x, const double *direction, double value, double slope,
                          double *next, double *next_gradient)
{
    double length = 1;

    for (int i = 0; i < BFGS_HALVINGS_MAX; i++) {
        double at, best;

        for (uint32_t j = 0; j < count; j++)
            next[j] = x[j] + length * direction[j];
        at = function(context, next, next_gradient);
        if (at <= value + 1e-4 * length * slope)
            return at;
        best = isfinite(at) ? -slope * length * length / (2 * (at - value - slope * length)) : 0;
        length = best > 0.1 * length && best < 0.5 * length ? best : 0.3 * length;
    }
    return value;
}

double descend_bfgs(descend_function *function, void *context, uint32_t count, double *x)
{
    double gradient[DESCEND_NUMBERS_MAX], next_gradient[DESCEND_NUMBERS_MAX];
    double next[DESCEND_NUMBERS_MAX], direction[DESCEND_NUMBERS_MAX];
    double value = function(context, x, gradient);
    bool is_new = true; /* the Hessian knows nothing of the function */
    square h;
    int idle = 0;

    set_identity(h, count, 1 / (1 + sqrt(inner(gradient, gradient, count))));
    for (int step = 0; step < BFGS_STEPS_MAX && idle < 2; step++) {
        double slope, fallen, sy;

        for (uint32_t i = 0; i < count; i++)
            direction[i] = -inner(h[i], gradient, count);
        slope = inner(direction, gradient, count);
        if (!(slope < 0))
            break;
        fallen =
            search_line(function, context, count, x, direction, value, slope, next, next_gradient);
        if (!(fallen < value)) {
            if (is_new)
                break;
            set_identity(h, count, 1 / (1 + sqrt(inner(gradient, gradient, count))));
            is_new = true;
            idle++;
            continue;
        }
        idle = value - fallen < BFGS_GAIN_LEAST ? idle + 1 : 0;
        value = fallen;
        for (uint32_t i = 0; i < count; i++) {
            direction[i] = next[i] - x[i];
            x[i] = next[i];
            next[i] = next_gradient[i] - gradient[i];
            gradient[i] = next_gradient[i];
        }
        sy = inner(direction, next, count);
        if (!(sy > 1e-14))
            continue;
        if (is_new)
            set_identity(h, count, sy / inner(next, next, count));
        update(h, count, direction, next, sy);
        is_new = false;
    }
    return value;
}

/* ----- Nelder and Mead ----- */

struct corner {
    double x[SIMPLEX_NUMBERS_MAX], value;
};

/* Insertion sort: corners of equal values keep their order. */
static void sort_corners(struct corner *corners, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        const struct corner moved = corners[i];
        uint32_t j = i;

        for (; j > 0 && corners[j - 1].value > moved.value; j--)
            corners[j] = corners[j - 1];
        corners[j] = moved;
    }
}

/* The point at `far` times the way from the worst corner over the middle of the others. */
static struct corner reflect(descend_function *function, void *context, const double *middle,
                             const struct corner *worst, double far, uint32_t count)
{
    struct corner made = {.value = 0};

    for (uint32_t i = 0; i < count; i++)
        made.x[i] = middle[i] + far * (middle[i] - worst->x[i]);
    made.value = function(context, made.x, NULL);
    return made;
}

double descend_simplex(descend_function *function, void *context, uint32_t count, double *x,
                       const double *step)
{
    struct corner corners[SIMPLEX_NUMBERS_MAX + 1];
    uint32_t values = count + 1;

    for (uint32_t i = 0; i <= count; i++) {
        memcpy(corners[i].x, x, count * sizeof *x);
        if (i > 0)
            corners[i].x[i - 1] += step[i - 1];
        corners[i].value = function(context, corners[i].x, NULL);
    }
    while (values < SIMPLEX_VALUES_MAX) {
        struct corner *const worst = &corners[count], made, further;
        double middle[SIMPLEX_NUMBERS_MAX] = {0};

        sort_corners(corners, count + 1);
        if (worst->value - corners[0].value <=
            SIMPLEX_SPREAD_LEAST * (fabs(worst->value) + fabs(corners[0].value)))
            break;
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t j = 0; j < count; j++)
                middle[j] += corners[i].x[j] / count;
        made = reflect(function, context, middle, worst, 1, count);
        values++;
        if (made.value < corners[0].value) {
            further = reflect(function, context, middle, worst, 2, count);
            values++;
            *worst = further.value < made.value ? further : made;
            continue;
        }
        if (made.value < corners[count - 1].value) {
            *worst = made;
            continue;
        }
        further = reflect(function, context, middle, worst, made.value < worst->value ? 0.5 : -0.5,
                          count);
        values++;
        if (further.value < worst->value && further.value <= made.value) {
            *worst = further;
            continue;
        }
        for (uint32_t i = 1; i <= count; i++) {
            for (uint32_t j = 0; j < count; j++)
                corners[i].x[j] = corners[0].x[j] + 0.5 * (corners[i].x[j] - corners[0].x[j]);
            corners[i].value = function(context, corners[i].x, NULL);
        }
        values += count;
    }
    sort_corners(corners, count + 1);
    memcpy(x, corners[0].x, count * sizeof *x);
    return corners[0].value;
}

/* ----- sums of squares ----- */

/* The step where (products + damping diagonal) step = -gradient, by Cholesky; false: there is
 * none. */
static bool solve_damped(const struct squares_near *near, double damping, uint32_t count,
                         double *step)
{
    square l;

    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j <= i; j++) {
            const double rest =
                near->products[i][j] * (i == j ? 1 + damping : 1) - inner(l[i], l[j], j);

            if (i == j && !(rest > 0))
                return false;
            l[i][j] = i == j ? sqrt(rest) : rest / l[j][j];
        }
        step[i] = (-near->gradient[i] - inner(l[i], step, i)) / l[i][i];
    }
    for (uint32_t i = count; i-- > 0;) {
        for (uint32_t k = i + 1; k < count; k++)
            step[i] -= l[k][i] * step[k];
        step[i] /= l[i][i];
    }
    return true;
}

static double between(double x, double most)
{
    return x > most ? most : x < -most ? -most : x;
}

double descend_squares(descend_squares_function *function, void *context, uint32_t count, double *x)
{
    struct squares_near near;
    double sum = function(context, x, count ? &near : NULL), damping = DAMPING_FIRST;

    for (int step = 0; step < SQUARES_STEPS_MAX && count && damping < DAMPING_MOST; step++) {
        double by[DESCEND_NUMBERS_MAX], next[DESCEND_NUMBERS_MAX], fallen = INFINITY;

        if (solve_damped(&near, damping, count, by)) {
            for (uint32_t i = 0; i < count; i++)
                next[i] = between(x[i] + between(by[i], SQUARES_STEP_MOST * (1 + fabs(x[i]))),
                                  SQUARES_NUMBER_MOST);
            fallen = function(context, next, NULL);
        }
        if (!(fallen < sum)) {
            damping *= 10;
            continue;
        }
        memcpy(x, next, count * sizeof *x);
        if (sum - fallen <= SQUARES_GAIN_LEAST * fallen)
            return fallen;
        damping = damping > 10 * DAMPING_LEAST ? damping / 10 : DAMPING_LEAST;
        sum = function(context, x, &near);
    }
    return sum;
}
