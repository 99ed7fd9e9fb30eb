/*
 * pca.h - the learner of principal components.
 *
 *     MEANS --> PRODUCTS --> DONE
 *
 *     MEANS      the rows' weights, of each input its sum, and that of its magnitudes, from which
 *                its scale follows, a power of two
 *     PRODUCTS   of all pairs of inputs the products about their means, in these scales: the
 *                covariances, whose eigenvectors are the components (symmetric_eigen.h)
 *
 * Scales keep the sums of rows near 1, whatever the units of the columns are (row_sums.h), and
 * leave no trace, as powers of two round nothing.
 */
#pragma once

#include "runtime/learn/sums/row_sums.h"

/* INVALID for more components than inputs, LIMIT for more inputs than PCA_INPUTS_MAX or more bytes
 * than a worker has. FAILED in the end where all inputs are constant. */
extern const struct row_sums_method pca_method;
