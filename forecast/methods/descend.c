#include "forecast/methods/descend.h"

#include <math.h>
#include <string.h>

#define BFGS_STEPS_MAX       60
#define BFGS_HALVINGS_MAX    20
#define BFGS_GAIN_LEAST      1e-5  /* a step's gain; log likelihoods per value are minimised */
#define CURVATURE_MORE       1e-4  /* added to the diagonal of the first curvature */
#define DIAGONAL_LEAST       1e-12 /* least share of the diagonal that elimination leaves */
#define SIMPLEX_VALUES_MAX   300
#define SIMPLEX_SPREAD_LEAST 1e-7 /* spread of the values at its corners, relative to the least */
#define SQUARES_STEPS_MAX    30
#define SQUARES_STEP_MOST    1.0  /* a number's step, relative to one more than its magnitude */
#define DAMPING_FIRST        1e-2 /* to the diagonal */
#define DAMPING_LEAST        1e-8
#define DAMPING_MOST         1e8

static double inner(const double *a, const double *b, uint32_t count)
{
    double sum = 0;

    for (uint32_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

/* U of U'U, the rows and columns `places` (count) of a matrix, of which `more` is a share added to
 * the diagonal; false: it is not definite. Rows are taken off each other, as vectors. */
static bool factor(const descend_square matrix, const uint32_t *places, uint32_t count, double more,
                   descend_square u)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = i; j < count; j++)
            u[i][j] = matrix[places[i]][places[j]] * (i == j ? 1 + more : 1);
    for (uint32_t k = 0; k < count; k++) {
        double root;

        if (!(u[k][k] > DIAGONAL_LEAST * matrix[places[k]][places[k]]))
            return false;
        root = sqrt(u[k][k]);
        for (uint32_t j = k; j < count; j++)
            u[k][j] /= root;
        for (uint32_t i = k + 1; i < count; i++) {
            const double by = u[k][i];

            for (uint32_t j = i; j < count; j++)
                u[i][j] -= by * u[k][j];
        }
    }
    return true;
}

/* x of U'U x = b, in place. */
static void solve(const descend_square u, uint32_t count, double *x)
{
    for (uint32_t i = 0; i < count; i++) {
        x[i] /= u[i][i];
        for (uint32_t j = i + 1; j < count; j++)
            x[j] -= u[i][j] * x[i];
    }
    for (uint32_t i = count; i-- > 0;)
        x[i] = (x[i] - inner(u[i] + i + 1, x + i + 1, count - i - 1)) / u[i][i];
}

struct bounds {
    const double *lower, *upper;
};

/* Numbers that may move: all but those at a bound beyond which the value would fall. */
static uint32_t find_free(const struct bounds *bounds, const double *x, const double *gradient,
                          uint32_t count, uint32_t *places)
{
    uint32_t free_count = 0;

    for (uint32_t i = 0; i < count; i++)
        if (!(x[i] <= bounds->lower[i] && gradient[i] >= 0) &&
            !(x[i] >= bounds->upper[i] && gradient[i] <= 0))
            places[free_count++] = i;
    return free_count;
}

/* Newton's direction of the numbers that may move. */
static void find_direction(const descend_square curvature, const struct bounds *bounds,
                           const double *x, const double *gradient, uint32_t count,
                           double *direction)
{
    uint32_t places[DESCEND_NUMBERS_MAX];
    const uint32_t free_count = find_free(bounds, x, gradient, count, places);
    double step[DESCEND_NUMBERS_MAX], more = 0;
    descend_square u;

    for (uint32_t i = 0; i < free_count; i++)
        step[i] = -gradient[places[i]];
    while (!factor(curvature, places, free_count, more, u) && more < 1)
        more = more > 0 ? 10 * more : 1e-4;
    if (more < 1)
        solve(u, free_count, step);
    memset(direction, 0, count * sizeof *direction);
    for (uint32_t i = 0; i < free_count; i++)
        direction[places[i]] = step[i];
}

/* The curvature learns that a step s changed the gradient by y; s'y > 0. */
static void update(descend_square curvature, uint32_t count, const double *s, const double *y,
                   double sy)
{
    double bs[DESCEND_NUMBERS_MAX] = {0}, sbs;

    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < count; j++)
            bs[j] += s[i] * curvature[i][j];
    sbs = inner(s, bs, count);
    if (!(sbs > 0))
        return;
    for (uint32_t i = 0; i < count; i++) {
        const double by_y = y[i] / sy, by_bs = bs[i] / sbs;

        for (uint32_t j = 0; j < count; j++)
            curvature[i][j] += by_y * y[j] - by_bs * bs[j];
    }
}

/* Where along the direction, cut at the bounds, the value has fallen enough: by parts as a parabola
 * says. */
static double search_line(descend_function *function, void *context, uint32_t count,
                          const struct bounds *bounds, const double *x, const double *direction,
                          const double *gradient, double value, double *next, double *next_gradient)
{
    double length = 1;

    for (int i = 0; i < BFGS_HALVINGS_MAX; i++) {
        double at, best, slope = 0;

        for (uint32_t j = 0; j < count; j++) {
            next[j] = x[j] + length * direction[j];
            next[j] = next[j] < bounds->lower[j] ? bounds->lower[j] : next[j];
            next[j] = next[j] > bounds->upper[j] ? bounds->upper[j] : next[j];
            slope += gradient[j] * (next[j] - x[j]);
        }
        at = function(context, next, next_gradient);
        if (at <= value + 1e-4 * slope)
            return at;
        best = isfinite(at) ? -slope * length / (2 * (at - value - slope)) : 0;
        length = best > 0.1 * length && best < 0.5 * length ? best : 0.3 * length;
    }
    return value;
}

double descend_bfgs(descend_function *function, void *context, uint32_t count, double *x,
                    const double *lower, const double *upper, descend_square curvature)
{
    const struct bounds bounds = {lower, upper};
    double gradient[DESCEND_NUMBERS_MAX], next_gradient[DESCEND_NUMBERS_MAX];
    double next[DESCEND_NUMBERS_MAX], direction[DESCEND_NUMBERS_MAX];
    double value = function(context, x, gradient);
    int idle = 0;

    for (uint32_t i = 0; i < count; i++)
        curvature[i][i] += CURVATURE_MORE;
    for (int step = 0; step < BFGS_STEPS_MAX && idle < 2; step++) {
        double fallen, sy;

        find_direction(curvature, &bounds, x, gradient, count, direction);
        if (!(-inner(direction, gradient, count) > BFGS_GAIN_LEAST))
            break;
        fallen = search_line(function, context, count, &bounds, x, direction, gradient, value, next,
                             next_gradient);
        if (!(fallen < value))
            break;
        idle = value - fallen < BFGS_GAIN_LEAST ? idle + 1 : 0;
        value = fallen;
        for (uint32_t i = 0; i < count; i++) {
            direction[i] = next[i] - x[i];
            x[i] = next[i];
            next[i] = next_gradient[i] - gradient[i];
            gradient[i] = next_gradient[i];
        }
        sy = inner(direction, next, count);
        if (sy > 1e-14)
            update(curvature, count, direction, next, sy);
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
    descend_square l;

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

double descend_squares(descend_squares_function *function, void *context, uint32_t count,
                       double gain, double *x)
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
        if (sum - fallen <= gain * fallen)
            return fallen;
        damping = damping > 10 * DAMPING_LEAST ? damping / 10 : DAMPING_LEAST;
        sum = function(context, x, &near);
    }
    return sum;
}
