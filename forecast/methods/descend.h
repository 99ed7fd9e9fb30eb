/*
 * descend.h - the minimum of a function of some numbers: by BFGS with its gradient, by
 * Nelder and Mead without, and of a sum of squares by Gauss and Newton as Levenberg and Marquardt
 * damp them.
 *
 * All stop after a fixed number of values at the latest, and where a step gains nothing that
 * matters. A function is INFINITY where it is not defined; at the start it must be finite.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define DESCEND_NUMBERS_MAX 32
#define SIMPLEX_NUMBERS_MAX 3

/* The value at x (count); its gradient (count) where that is not NULL. */
typedef double descend_function(void *context, const double *x, double *gradient);

typedef double descend_square[DESCEND_NUMBERS_MAX][DESCEND_NUMBERS_MAX];

/* The value at the minimum between `lower` and `upper` (count), which is then in x (count); x is
 * the start before. `curvature` is what is known of the second derivatives there, and is changed:
 * the nearer, the fewer steps. */
double descend_bfgs(descend_function *function, void *context, uint32_t count, double *x,
                    const double *lower, const double *upper, descend_square curvature);

/* The same without a gradient. `step` (count) is how far the first simplex reaches. */
double descend_simplex(descend_function *function, void *context, uint32_t count, double *x,
                       const double *step);

/* A sum of squared errors near x: the products of the errors' slopes by the numbers with each
 * other, and with the errors (half of the gradient). */
struct squares_near {
    double products[DESCEND_NUMBERS_MAX][DESCEND_NUMBERS_MAX], gradient[DESCEND_NUMBERS_MAX];
};

/* The sum at x (count), and what it is near, where that is not NULL. */
typedef double descend_squares_function(void *context, const double *x, struct squares_near *near);

/* The least sum, where a step gains less than a share `gain` of it. Numbers stay within
 * SQUARES_NUMBER_MOST of 0. */
#define SQUARES_NUMBER_MOST 30.0
double descend_squares(descend_squares_function *function, void *context, uint32_t count,
                       double gain, double *x);
