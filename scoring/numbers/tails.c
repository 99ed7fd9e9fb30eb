#include "scoring/numbers/tails.h"

#include <float.h>
#include <math.h>

#include "scoring/numbers/elementary.h"

#define STIRLING_LEAST 16 /* from where on its series has all digits */
#define TURNS_MAX      200000
#define TINY           1e-300 /* instead of 0 below a fraction line */
#define LOG_ROOT_2_PI  0x1.d67f1c864beb5p-1

/* log((1 + s) / (1 - s)), |s| <= 1/3 */
static double twice_artanh(double s)
{
    const double q = s * s;
    double power = s, sum = s;

    for (int n = 3; n < 40; n += 2) {
        power *= q;
        sum += power / n;
    }
    return 2 * sum;
}

/* log(x) of x = 1 - y, where both are known to their last digits */
static double log_of_share(double x, double y)
{
    return y < 0.5 ? -twice_artanh(y / (2 - y)) : logarithm_double(x);
}

/* The rest of log(gamma(x)) that Stirling's formula lacks, x >= STIRLING_LEAST. */
static double stirling_rest(double x)
{
    const double s = 1 / x, q = s * s;

    return s *
           (1.0 / 12 - q * (1.0 / 360 - q * (1.0 / 1260 - q * (1.0 / 1680 - q * (1.0 / 1188)))));
}

static double log_gamma(double x)
{
    double product = 1;

    for (; x < STIRLING_LEAST; x++)
        product *= x;
    return (x - 0.5) * logarithm_double(x) - x + LOG_ROOT_2_PI + stirling_rest(x) -
           logarithm_double(product);
}

/* log(gamma(a) gamma(b) / gamma(a + b)); of a great a without the difference of great numbers. */
static double log_beta(double a, double b)
{
    const double greater = a > b ? a : b, lesser = a > b ? b : a, sum = a + b;

    if (greater < STIRLING_LEAST)
        return log_gamma(a) + log_gamma(b) - log_gamma(sum);
    return log_gamma(lesser) - (greater - 0.5) * twice_artanh(lesser / (2 * greater + lesser)) -
           lesser * logarithm_double(sum) + lesser + stirling_rest(greater) - stirling_rest(sum);
}

static double away_from_0(double x)
{
    return fabs(x) < TINY ? TINY : x;
}

/* The continued fraction of the incomplete beta function, by Lentz's way. */
static double beta_fraction(double x, double a, double b)
{
    double c = 1, d = 1 / away_from_0(1 - (a + b) * x / (a + 1)), h = d;

    for (int m = 1; m < TURNS_MAX; m++) {
        const double twice = 2.0 * m;
        const double even = m * (b - m) * x / ((a + twice - 1) * (a + twice));
        const double odd = -(a + m) * (a + b + m) * x / ((a + twice) * (a + twice + 1));
        double turn;

        d = 1 / away_from_0(1 + even * d);
        c = away_from_0(1 + even / c);
        h *= d * c;
        d = 1 / away_from_0(1 + odd * d);
        c = away_from_0(1 + odd / c);
        turn = d * c;
        h *= turn;
        if (fabs(turn - 1) < DBL_EPSILON)
            break;
    }
    return h;
}

/* The regularised incomplete beta function at x = 1 - y. */
static double beta_share(double x, double y, double a, double b)
{
    double front;

    if (x <= 0 || y <= 0)
        return x <= 0 ? 0 : 1;
    front = exponential_double(a * log_of_share(x, y) + b * log_of_share(y, x) - log_beta(a, b));
    return x < (a + 1) / (a + b + 2) ? front * beta_fraction(x, a, b) / a
                                     : 1 - front * beta_fraction(y, b, a) / b;
}

static double gamma_series(double x, double a)
{
    double term = 1 / a, sum = term;

    for (int n = 1; n < TURNS_MAX && term > sum * DBL_EPSILON; n++) {
        term *= x / (a + n);
        sum += term;
    }
    return sum;
}

static double gamma_fraction(double x, double a)
{
    double b = x + 1 - a, c = 1 / TINY, d = 1 / away_from_0(b), h = d;

    for (int n = 1; n < TURNS_MAX; n++) {
        const double numerator = -n * (n - a);
        double turn;

        b += 2;
        d = 1 / away_from_0(numerator * d + b);
        c = away_from_0(b + numerator / c);
        turn = d * c;
        h *= turn;
        if (fabs(turn - 1) < DBL_EPSILON)
            break;
    }
    return h;
}

/* The upper tail of the regularised incomplete gamma function, above x. */
static double gamma_tail(double x, double a)
{
    double front;

    if (x <= 0)
        return 1;
    front = exponential_double(a * logarithm_double(x) - x - log_gamma(a));
    return x < a + 1 ? 1 - front * gamma_series(x, a) : front * gamma_fraction(x, a);
}

double chi_square_tail(double x, double freedom)
{
    return isnan(x) ? x : isinf(x) ? 0 : gamma_tail(x / 2, freedom / 2);
}

double normal_tail(double z)
{
    return chi_square_tail(z * z, 1);
}

double student_tail(double t, double freedom)
{
    const double square = t * t;

    if (isinf(freedom))
        return normal_tail(t);
    return isnan(t)        ? t
           : isinf(square) ? 0
                           : beta_share(freedom / (freedom + square), square / (freedom + square),
                                        freedom / 2, 0.5);
}

double fisher_tail(double x, double freedom, double rest_freedom)
{
    const double part = freedom * x, all = rest_freedom + part;

    return isnan(x)     ? x
           : isinf(all) ? 0
                        : beta_share(rest_freedom / all, part / all, rest_freedom / 2, freedom / 2);
}

double student_bound(double share, double freedom)
{
    double low = 0, high = 2;

    while (student_tail(high, freedom) > share && high < DBL_MAX / 2)
        high *= 2;
    for (;;) {
        const double middle = low + (high - low) / 2;

        if (middle <= low || middle >= high)
            return high;
        if (student_tail(middle, freedom) > share)
            low = middle;
        else
            high = middle;
    }
}
