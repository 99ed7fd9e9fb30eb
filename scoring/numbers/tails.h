/*
 * tails.h - shares of the distributions that tests of hypotheses compare with, and their bounds.
 *
 * Additions, products, divisions and roots alone: the same bits on any processor. The relative
 * error is below 1e-9 for degrees of freedom up to 1e8 and shares above 1e-300, below which they
 * may be 0.
 */
#pragma once

/* How probable is a value as far from 0 as z or t, on either side? */
double normal_tail(double z);
double student_tail(double t, double freedom);
/* How probable is a value of x and more? */
double chi_square_tail(double x, double freedom);
double fisher_tail(double x, double freedom, double rest_freedom);

/* The value from which on the tail is `share`, within (0, 1); `freedom` infinite: of a normal
 * distribution. */
double student_bound(double share, double freedom);
