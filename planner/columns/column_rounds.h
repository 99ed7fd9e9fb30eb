/*
 * column_rounds.h - the bounds of categories that are numbers rounded to whole ones, as ElasticDL's
 * preprocessing layers RoundIdentity and LogRound make them.
 *
 *     ROUND_IDENTITY(c, 4)    number   ...  0.5  |  0.5+ ... 1.5-  |  1.5 ... 2.5  |  2.5+  ...
 *                             category       0   |        1        |       2       |        3
 *
 *     LOG_ROUND(c, 4, 2)      number   ...  1.41 |  1.42 ... 2.82  | 2.83 ... 5.65 |  5.66  ...
 *                             category       0   |        1        |       2       |        3
 *
 * A half goes to the even neighbour, as TensorFlow's round does it. Bounds are those of BUCKET:
 * number i + 1 begins at bounds[i]. They are found without a logarithm, and by operations that are
 * the same on all processors: each is the least double that is not below base^(i + 1/2), which is
 * multiplied out in pairs of doubles (T. J. Dekker, "A floating-point technique for extending the
 * available precision", 1971).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* bounds (count) */
void round_bounds(double *bounds, uint32_t count);
/* The base is above 1; 0: e. False: base^(count - 1/2) is beyond all doubles. */
bool log_round_bounds(double base, double *bounds, uint32_t count);
