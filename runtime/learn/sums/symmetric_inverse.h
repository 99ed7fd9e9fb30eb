/*
 * symmetric_inverse.h - the inverse of a matrix of products, without the columns that follow from
 * others.
 *
 * Additions, products and divisions in a fixed order, the same bits on any processor, where LAPACK
 * takes another order on another one.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * matrix (n, n), symmetric and positive, all of it, becomes the inverse of its rows and columns
 * whose is_used is true; those of others are of no meaning. `order` (n): the columns are taken one
 * after the other. One of which no more than `least` of its own square is left once those before
 * are taken away, as it is a sum of them but for rounding, becomes unused: of several that say the
 * same the first one stays. `squares` (n) is room.
 */
void symmetric_invert(uint32_t n, const uint32_t *order, double least, double *matrix,
                      bool *is_used, double *squares);
