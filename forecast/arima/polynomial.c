#include "forecast/arima/polynomial.h"

#include <assert.h>
#include <math.h>
#include <string.h>

struct polynomial polynomial_of_differences(uint32_t order, uint32_t lag)
{
    assert(order <= 2);
    return (struct polynomial){order, lag, {order, -1}};
}

/* ----- a series times and by a polynomial ----- */

void polynomial_multiply(const struct polynomial *polynomial, const double *in, uint32_t count,
                         double *out)
{
    memcpy(out, in, count * sizeof *out);
    for (uint32_t j = 0; j < polynomial->order; j++)
        for (uint64_t lag = (uint64_t)(j + 1) * polynomial->lag, i = lag; i < count; i++)
            out[i] -= polynomial->c[j] * in[i - lag];
}

/* With a lag of 1 each value waits for the one before: the last ones stay in registers. `order` is
 * known where this is compiled. */
static inline __attribute__((always_inline)) void divide_by_order(uint32_t order, const double *c,
                                                                  const double *in, uint32_t count,
                                                                  double *out)
{
    double past[POLYNOMIAL_ORDER_MAX] = {0};

    for (uint32_t i = 0; i < count; i++) {
        double sum = in[i];

        /* The nearest one last: it is what the processor waits for. */
        for (uint32_t j = order; j > 0; j--)
            sum += c[j - 1] * past[j - 1];
        for (uint32_t j = order; j-- > 1;)
            past[j] = past[j - 1];
        past[0] = out[i] = sum;
    }
}

static void divide_by_steps(const struct polynomial *polynomial, const double *in, uint32_t count,
                            double *out)
{
    const double *c = polynomial->c;

    switch (polynomial->order) {
    case 1:
        divide_by_order(1, c, in, count, out);
        break;
    case 2:
        divide_by_order(2, c, in, count, out);
        break;
    case 3:
        divide_by_order(3, c, in, count, out);
        break;
    case 4:
        divide_by_order(4, c, in, count, out);
        break;
    case 5:
        divide_by_order(5, c, in, count, out);
        break;
    default:
        divide_by_order(polynomial->order, c, in, count, out);
        break;
    }
}

/* sums += by from, which lie apart. */
static void add_times(double by, const double *restrict from, uint32_t count, double *restrict sums)
{
    for (uint32_t i = 0; i < count; i++)
        sums[i] += by * from[i];
}

/* Values of one season wait for none of each other. */
static void divide_by_seasons(const struct polynomial *polynomial, const double *in, uint32_t count,
                              double *out)
{
    const uint32_t lag = polynomial->lag;

    memmove(out, in, count * sizeof *out);
    for (uint64_t first = lag; first < count; first += lag) {
        const uint32_t here = count - first < lag ? (uint32_t)(count - first) : lag;
        const uint64_t before = first / lag;
        const uint32_t terms = before < polynomial->order ? (uint32_t)before : polynomial->order;

        for (uint32_t j = terms; j > 0; j--)
            add_times(polynomial->c[j - 1], out + first - (uint64_t)j * lag, here, out + first);
    }
}

void polynomial_divide(const struct polynomial *polynomial, const double *in, uint32_t count,
                       double *out)
{
    if (polynomial->lag == 1)
        divide_by_steps(polynomial, in, count, out);
    else
        divide_by_seasons(polynomial, in, count, out);
}

/* The same as divide_by_order, with a sum that waits for no more than the values do. */
static inline __attribute__((always_inline)) double divide_squared_by_order(uint32_t order,
                                                                            const double *c,
                                                                            double *values,
                                                                            uint32_t count)
{
    double past[POLYNOMIAL_ORDER_MAX] = {0}, squares = 0;

    for (uint32_t i = 0; i < count; i++) {
        double sum = values[i];

        for (uint32_t j = order; j > 0; j--)
            sum += c[j - 1] * past[j - 1];
        for (uint32_t j = order; j-- > 1;)
            past[j] = past[j - 1];
        past[0] = values[i] = sum;
        squares += sum * sum;
    }
    return squares;
}

double polynomial_divide_squared(const struct polynomial *polynomial, double *values,
                                 uint32_t count)
{
    const uint32_t order = polynomial->lag == 1 ? polynomial->order : 0;
    double squares = 0;

    if (order == 1)
        return divide_squared_by_order(1, polynomial->c, values, count);
    if (order == 2)
        return divide_squared_by_order(2, polynomial->c, values, count);
    if (order == 3)
        return divide_squared_by_order(3, polynomial->c, values, count);
    if (polynomial->order > 0)
        polynomial_divide(polynomial, values, count, values);
    for (uint32_t i = 0; i < count; i++)
        squares += values[i] * values[i];
    return squares;
}

/* ----- by two polynomials ----- */

#define ORDER_TOGETHER 3 /* orders above are rare */

/* The same as divide_by_order for two, of which neither waits for the other. */
static inline __attribute__((always_inline)) void divide_by_orders(uint32_t order_a,
                                                                   uint32_t order_b,
                                                                   const double *a, const double *b,
                                                                   const double *in, uint32_t count,
                                                                   double *by_a, double *by_b)
{
    double past_a[ORDER_TOGETHER] = {0}, past_b[ORDER_TOGETHER] = {0};

    for (uint32_t i = 0; i < count; i++) {
        double sum_a = in[i], sum_b = in[i];

        for (uint32_t j = order_a; j > 0; j--)
            sum_a += a[j - 1] * past_a[j - 1];
        for (uint32_t j = order_b; j > 0; j--)
            sum_b += b[j - 1] * past_b[j - 1];
        for (uint32_t j = order_a; j-- > 1;)
            past_a[j] = past_a[j - 1];
        for (uint32_t j = order_b; j-- > 1;)
            past_b[j] = past_b[j - 1];
        past_a[0] = by_a[i] = sum_a;
        past_b[0] = by_b[i] = sum_b;
    }
}

static inline __attribute__((always_inline)) void divide_by_order_and(
    uint32_t order_a, const double *a, const struct polynomial *b, const double *in, uint32_t count,
    double *by_a, double *by_b)
{
    if (b->order == 1)
        divide_by_orders(order_a, 1, a, b->c, in, count, by_a, by_b);
    else if (b->order == 2)
        divide_by_orders(order_a, 2, a, b->c, in, count, by_a, by_b);
    else
        divide_by_orders(order_a, 3, a, b->c, in, count, by_a, by_b);
}

void polynomial_divide_both(const struct polynomial *a, const struct polynomial *b,
                            const double *in, uint32_t count, double *by_a, double *by_b)
{
    assert(a->lag == 1 && b->lag == 1);
    if (!a->order || !b->order || a->order > ORDER_TOGETHER || b->order > ORDER_TOGETHER) {
        if (a->order)
            divide_by_steps(a, in, count, by_a);
        if (b->order)
            divide_by_steps(b, in, count, by_b);
    } else if (a->order == 1) {
        divide_by_order_and(1, a->c, b, in, count, by_a, by_b);
    } else if (a->order == 2) {
        divide_by_order_and(2, a->c, b, in, count, by_a, by_b);
    } else {
        divide_by_order_and(3, a->c, b, in, count, by_a, by_b);
    }
}

/* ----- coefficients of numbers ----- */

void polynomial_of_numbers(const double *numbers, struct polynomial *polynomial,
                           polynomial_slopes slopes)
{
    double *c = polynomial->c, before[POLYNOMIAL_ORDER_MAX];

    for (uint32_t k = 0; k < polynomial->order; k++) {
        const double square = 1 + numbers[k] * numbers[k], r = numbers[k] / sqrt(square);

        memcpy(before, c, k * sizeof *c);
        for (uint32_t j = 0; j < k; j++)
            c[j] = before[j] - r * before[k - 1 - j];
        c[k] = r;
        if (!slopes)
            continue;
        for (uint32_t i = 0; i < k; i++) {
            double old[POLYNOMIAL_ORDER_MAX];

            for (uint32_t j = 0; j < k; j++)
                old[j] = slopes[j][i];
            for (uint32_t j = 0; j < k; j++)
                slopes[j][i] = old[j] - r * old[k - 1 - j];
            slopes[k][i] = 0;
        }
        slopes[k][k] = 1 / (square * sqrt(square));
        for (uint32_t j = 0; j < k; j++)
            slopes[j][k] = -before[k - 1 - j] * slopes[k][k];
    }
}

/* The roots divided by `least` are outside of the unit circle where all partial autocorrelations of
 * that polynomial are below 1. */
bool polynomial_roots_are_above(const struct polynomial *polynomial, double least)
{
    double a[POLYNOMIAL_ORDER_MAX], power = 1;

    for (uint32_t j = 0; j < polynomial->order; j++) {
        power *= least;
        a[j] = polynomial->c[j] * power;
    }
    for (uint32_t k = polynomial->order; k-- > 0;) {
        const double r = a[k];
        double before[POLYNOMIAL_ORDER_MAX];

        if (!(fabs(r) < 1))
            return false;
        memcpy(before, a, k * sizeof *a);
        for (uint32_t j = 0; j < k; j++)
            a[j] = (before[j] + r * before[k - 1 - j]) / (1 - r * r);
    }
    return true;
}

/* ----- products ----- */

void terms_of_product(const struct polynomial *a, const struct polynomial *b, struct terms *terms)
{
    terms->count = 0;
    for (uint32_t j = 0; j <= b->order; j++)
        for (uint32_t i = 0; i <= a->order; i++) {
            if (i + j == 0)
                continue;
            terms->lags[terms->count] = i * a->lag + j * b->lag;
            terms->coefficients[terms->count++] = i == 0   ? b->c[j - 1]
                                                  : j == 0 ? a->c[i - 1]
                                                           : -a->c[i - 1] * b->c[j - 1];
        }
}

double terms_sum(const struct terms *terms, const double *values, uint64_t at)
{
    double sum = 0;

    for (uint32_t i = 0; i < terms->count; i++)
        if (terms->lags[i] <= at)
            sum += terms->coefficients[i] * values[at - terms->lags[i]];
    return sum;
}
