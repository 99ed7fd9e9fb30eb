/*
 * symmetric_eigen.h - eigenvalues and eigenvectors of a symmetric matrix: Householder's
 * reflections make it tridiagonal, and QL steps with implicit shifts diagonal (Golub and Van Loan,
 * chapter 8).
 *
 * Additions, products, divisions and square roots in a fixed order, the same bits on any processor,
 * where LAPACK takes another order on another one.
 */
#pragma once

#include "base/error.h"

/*
 * matrix (n, n), all of it, is used up. values (n), falling; vectors (n, n): row i belongs to value
 * i, has the length 1, and its element of the greatest magnitude, the first of such, is above 0.
 * FAILED where the steps come to no end, as for elements that are not finite.
 */
enum status symmetric_eigen(uint32_t n, double *matrix, double *values, double *vectors,
                            struct error *err);
