/*
 * one_class.h - the learner of one-class support vector machines over random features.
 *
 *     START --> MEAN --> ROUND --> ROUND --> ... --> DONE
 *
 *     START   the numbers' mean square about their mean, from which an automatic gamma follows
 *     MEAN    the mean of the rows' features, where the weights begin, and its square, the scale
 *     ROUND   loss, gradient and second derivatives of
 *
 *                 |w|^2 / 2 - rho + sum(hinge(rho - w z)) / (nu rows)
 *
 *             by w and rho, of which a step of Newton follows (newton_steps.h). The hinge is a
 *             parabola within h of its corner; h falls by levels, down to 0.004 of the scale, and
 *             each level begins where the one before has ended.
 */
#pragma once

#include "runtime/learn/sums/row_sums.h"

/* LIMIT for more bytes than a worker has. DIVERGED in the end where the steps lead nowhere. */
extern const struct row_sums_method one_class_method;
