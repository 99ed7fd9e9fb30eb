/*
 * elementary.h - exp, log, tanh and their kin of one number, without the C library.
 *
 * Only additions, products and divisions in a fixed order, never fused: the
 * same bits on any processor and in vectors of any width. To about the last
 * bit of the type. What is not a number stays so.
 */
#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

static inline uint32_t bits_of(float x)
{
    uint32_t bits;

    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float float_of(uint32_t bits)
{
    float x;

    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint64_t double_bits(double x)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double double_of(uint64_t bits)
{
    double x;

    memcpy(&x, &bits, sizeof x);
    return x;
}

/* e^x = 2^n e^r with |r| <= ln(2)/2: n is what stays in the low bits of a
 * number as large as `shifter`, and e^r is Taylor's sum. ln(2) is taken off in
 * two parts, the first with zeros at its end, so that n of it is exact. */
static inline float exponential(float x)
{
    const float shifter = 0x1.8p23f, log2e = 0x1.715476p+0f;
    const float ln2_high = 0x1.62e4p-1f, ln2_low = 0x1.7f7d1cp-20f;
    float shifted, n, r, sum;

    x = x < -87 ? -87 : x;
    x = x > 88 ? 88 : x;
    shifted = x * log2e + shifter;
    n = shifted - shifter;
    r = (x - n * ln2_high) - n * ln2_low;
    sum = 1.0f / 720 + r * (1.0f / 5040);
    sum = 1.0f / 120 + r * sum;
    sum = 1.0f / 24 + r * sum;
    sum = 1.0f / 6 + r * sum;
    sum = 0.5f + r * sum;
    sum = 1 + (r + r * r * sum);
    return sum * float_of((bits_of(shifted) - bits_of(shifter) + 127) << 23);
}

/* By e^2|x|, and near 0, where that loses digits, Lambert's continued fraction
 * x/(1 + x^2/(3 + x^2/(5 + ...))) cut after the 9. */
static inline float hyperbolic_tangent(float x)
{
    float magnitude = fabsf(x), q = x * x;
    float near = x * (945 + q * (105 + q)) / (945 + q * (420 + q * 15));
    float far = copysignf(1 - 2 / (exponential(2 * magnitude) + 1), x);

    return magnitude > 0.6f ? far : near;
}

/* log(1 + e) for e in [0, 1]: 2 artanh(s) with s = e / (2 + e) <= 1/3. */
static inline float logarithm_one_plus(float e)
{
    float s = e / (2 + e), q = s * s;
    float sum = 1.0f / 13 + q * (1.0f / 15);

    sum = 1.0f / 11 + q * sum;
    sum = 1.0f / 9 + q * sum;
    sum = 1.0f / 7 + q * sum;
    sum = 1.0f / 5 + q * sum;
    sum = 1.0f / 3 + q * sum;
    return 2 * (s + s * q * sum);
}

/* By tanh, which has all digits near 0: (1 + t) / (1 - t) - 1 with t = tanh(x / 2). x < 88 */
static inline float exponential_minus_one(float x)
{
    const float t = hyperbolic_tangent(0.5f * x);

    return 2 * t / (1 - t);
}

/* The share of a normal distribution below x: half of erfc(-x / sqrt(2)), near 0 half of 1 and a
 * polynomial for erf, beyond by e to the power of one for the logarithm of erfc. */
static inline float normal_share(float x)
{
    const float y = x * 0x1.6a09e6p-1f, t = fabsf(y), s = y * y;
    float far = (t * -0x1.22p-16f + 0x1.91cfb2p-12f) * s + (t * -0x1.fd1438p-9f + 0x1.8d6342p-6f);
    float near = -0x1.38ep-11f, tail;

    far = far * t - 0x1.b55cb8p-4f;
    far = far * t - 0x1.450aa0p-1f;
    far = far * t - 0x1.079d0cp-3f;
    tail = 0.5f * exponential(far * t - t);
    near = near * s + 0x1.471a58p-8f;
    near = near * s - 0x1.b691b2p-6f;
    near = near * s + 0x1.ce1c44p-4f;
    near = near * s - 0x1.8127p-2f;
    near = near * s + 0x1.06eba8p-3f;
    near = 0.5f + 0.5f * (near * y + y);
    tail = x < 0 ? tail : 1 - tail;
    return t > 0.927734375f ? tail : near;
}

/* 1 / (1 + e^-x), of which `small` is e^-|x| */
static inline float logistic(float x, float small)
{
    return (x < 0 ? small : 1) / (1 + small);
}

/* Like exponential(), for doubles; 0 below -708 and infinite above 709, where a double ends. */
static inline double exponential_double(double x)
{
    const double shifter = 0x1.8p52, log2e = 0x1.71547652b82fep+0;
    const double ln2_high = 0x1.62e42fefap-1, ln2_low = 0x1.cf79abc9e3b39p-40;
    double shifted, n, r, sum = 1.0 / 6227020800;

    if (x < -708)
        return 0;
    if (x > 709)
        return INFINITY;
    shifted = x * log2e + shifter;
    n = shifted - shifter;
    r = (x - n * ln2_high) - n * ln2_low;
    sum = 1.0 / 479001600 + r * sum;
    sum = 1.0 / 39916800 + r * sum;
    sum = 1.0 / 3628800 + r * sum;
    sum = 1.0 / 362880 + r * sum;
    sum = 1.0 / 40320 + r * sum;
    sum = 1.0 / 5040 + r * sum;
    sum = 1.0 / 720 + r * sum;
    sum = 1.0 / 120 + r * sum;
    sum = 1.0 / 24 + r * sum;
    sum = 1.0 / 6 + r * sum;
    sum = 0.5 + r * sum;
    sum = 1 + (r + r * r * sum);
    return sum * double_of((double_bits(shifted) - double_bits(shifter) + 1023) << 52);
}

/* cos(2 pi t): the sine of a quarter turn less the turn's magnitude, by Taylor's sum. 0 where a
 * number is too large to have a fraction of a turn, or is none. */
static inline double cosine_of_turns(double t)
{
    const double shifter = 0x1.8p52;
    const double y = (0.25 - fabs(t - ((t + shifter) - shifter))) * 0x1.921fb54442d18p+2;
    const double q = -y * y;
    double sum = 1.0 / 51090942171709440000.0;

    sum = 1.0 / 121645100408832000 + q * sum;
    sum = 1.0 / 355687428096000 + q * sum;
    sum = 1.0 / 1307674368000 + q * sum;
    sum = 1.0 / 6227020800 + q * sum;
    sum = 1.0 / 39916800 + q * sum;
    sum = 1.0 / 362880 + q * sum;
    sum = 1.0 / 5040 + q * sum;
    sum = 1.0 / 120 + q * sum;
    sum = 1.0 / 6 + q * sum;
    return fabs(t) < 0x1p50 ? y + y * q * sum : 0;
}

/* The logarithm of a normal x > 0: k ln(2) + 2 artanh(s) where x = 2^k m, m is within [sqrt(1/2),
 * sqrt(2)) and s = (m - 1) / (m + 1). */
static inline double logarithm_double(double x)
{
    const uint64_t bits = double_bits(x), half = 0x3fe6a09e667f3bcd; /* bits of sqrt(1/2) */
    const int64_t k = (int64_t)(bits - half) >> 52;
    const double m = double_of(bits - ((uint64_t)k << 52)), n = (double)k;
    const double s = (m - 1) / (m + 1), q = s * s;
    double sum = 1.0 / 23;

    sum = 1.0 / 21 + q * sum;
    sum = 1.0 / 19 + q * sum;
    sum = 1.0 / 17 + q * sum;
    sum = 1.0 / 15 + q * sum;
    sum = 1.0 / 13 + q * sum;
    sum = 1.0 / 11 + q * sum;
    sum = 1.0 / 9 + q * sum;
    sum = 1.0 / 7 + q * sum;
    sum = 1.0 / 5 + q * sum;
    sum = 1.0 / 3 + q * sum;
    return n * 0x1.62e42fefap-1 + (2 * s + (2 * s * q * sum + n * 0x1.cf79abc9e3b39p-40));
}
