/*
 * polynomial.h - polynomials of the step back: 1 - c1 B^lag - c2 B^(2 lag) ..., where B x is x one
 * step before.
 *
 * What is before a series' first value counts as 0.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define POLYNOMIAL_ORDER_MAX 12

struct polynomial {
    uint32_t order, lag;
    double c[POLYNOMIAL_ORDER_MAX];
};

/* The polynomial of (1 - B^lag)^order, where order is 2 at most. */
struct polynomial polynomial_of_differences(uint32_t order, uint32_t lag);

/* out = polynomial in. The two are apart. */
void polynomial_multiply(const struct polynomial *polynomial, const double *in, uint32_t count,
                         double *out);
/* Inverts that; the two may be the same. */
void polynomial_divide(const struct polynomial *polynomial, const double *in, uint32_t count,
                       double *out);

/* The same in its place, and the sum of the squares, in the order of the values. */
double polynomial_divide_squared(const struct polynomial *polynomial, double *values,
                                 uint32_t count);
/* Divides by two polynomials at once, each with a lag of 1; one of order 0 has no result. Results
 * are those of polynomial_divide, and apart from `in`. */
void polynomial_divide_both(const struct polynomial *a, const struct polynomial *b,
                            const double *in, uint32_t count, double *by_a, double *by_b);

/* Slopes by the numbers: slopes[j][i] is that of c[j] by numbers[i]. */
typedef double polynomial_slopes[POLYNOMIAL_ORDER_MAX][POLYNOMIAL_ORDER_MAX];

/* Any numbers (order) to a polynomial whose roots are outside of the unit circle: by Durbin and
 * Levinson, of partial autocorrelations u / sqrt(1 + u^2). `slopes` may be NULL. */
void polynomial_of_numbers(const double *numbers, struct polynomial *polynomial,
                           polynomial_slopes slopes);

/* Are all roots of c1, c2... in steps of `lag` above `least` in magnitude? */
bool polynomial_roots_are_above(const struct polynomial *polynomial, double least);

/* The product of two polynomials, without its 1: x + sum of coefficient x[-lag]. */
#define TERMS_MAX ((POLYNOMIAL_ORDER_MAX + 1) * (POLYNOMIAL_ORDER_MAX + 1))
struct terms {
    uint32_t count, lags[TERMS_MAX];
    double coefficients[TERMS_MAX];
};

void terms_of_product(const struct polynomial *a, const struct polynomial *b, struct terms *terms);
/* The sum of c x[-lag] at values[at], where 1 - c B^lag ... is the product. */
double terms_sum(const struct terms *terms, const double *values, uint64_t at);
