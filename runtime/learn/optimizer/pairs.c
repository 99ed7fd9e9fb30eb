#include "runtime/learn/optimizer/pairs.h"

#include <math.h>

#define TERMS 14 /* the next is below 2^-106 of the sum */

/* value + rest, where rest is less than half a unit in value's last place. */
struct pair {
    double value, rest;
};

/* |a| >= |b| */
static struct pair pair_of_sum(double a, double b)
{
    const double sum = a + b;

    return (struct pair){sum, b - (sum - a)};
}

static struct pair multiply(struct pair a, struct pair b)
{
    const double product = a.value * b.value;
    const double rest = fma(a.value, b.value, -product);

    return pair_of_sum(product, rest + (a.value * b.rest + a.rest * b.value));
}

static struct pair divide(struct pair a, double b)
{
    const double quotient = a.value / b;
    const double rest = fma(-quotient, b, a.value) + a.rest;

    return pair_of_sum(quotient, rest / b);
}

/* |a| >= |b| */
static struct pair add(struct pair a, struct pair b)
{
    const struct pair sum = pair_of_sum(a.value, b.value);

    return pair_of_sum(sum.value, sum.rest + (a.rest + b.rest));
}

double pairs_power(double base, uint64_t exponent)
{
    struct pair square = {base, 0}, power = {1, 0};

    for (; exponent > 0; exponent >>= 1) {
        if (exponent & 1)
            power = multiply(power, square);
        square = multiply(square, square);
    }
    return power.value;
}

/* first (1 - z / (n (n + 1)) (1 - z / ((n + 2) (n + 3)) (...))), z the square of the angle:
 * the sine of it with first = angle and n = 2, the cosine with first = 1 and n = 1. */
static struct pair series(struct pair first, struct pair angle, int n)
{
    const struct pair square = multiply(angle, angle);
    struct pair sum = first, term = first;

    for (int i = 0; i < TERMS; i++) {
        term = divide(multiply(term, square), -(double)((n + 2 * i) * (n + 2 * i + 1)));
        sum = add(sum, term);
    }
    return sum;
}

/* The cosine of an angle from 0 to pi / 2. */
static double cosine_of(struct pair angle)
{
    const struct pair quarter = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
    const struct pair one = {1, 0};

    if (angle.value <= 0x1.921fb54442d18p-1)
        return series(one, angle, 1).value;
    angle = add(quarter, (struct pair){-angle.value, -angle.rest});
    return series(angle, angle, 2).value;
}

double pairs_cosine(double angle)
{
    const struct pair half = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};

    if (angle <= 0x1.921fb54442d18p+0)
        return cosine_of((struct pair){angle, 0});
    return -cosine_of(add(half, (struct pair){-angle, 0}));
}
