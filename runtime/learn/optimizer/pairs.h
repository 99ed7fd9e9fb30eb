/*
 * pairs.h - a power and a cosine whose bits do not depend on the C library.
 *
 * The C library's pow and cos are right to the last bit but one, and which of the two
 * they give depends on its version and on the processor. Here they are computed in
 * pairs of doubles, a value and what rounding left of it: with additions, products and
 * fma, which are exact by definition, in a fixed order. Rounded to one double at the end they
 * differ from the true value by half a unit in the last place and a little.
 */
#pragma once

#include <stdint.h>

/* base^exponent, 0 <= base <= 1. */
double pairs_power(double base, uint64_t exponent);

/* 0 <= angle <= pi. */
double pairs_cosine(double angle);
