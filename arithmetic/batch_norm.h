/*
 * batch_norm.h - y (n, width) = gamma (a - mean) / sqrt(variance + epsilon) + beta, column by
 * column, and back (Ioffe and Szegedy, 2015).
 *
 * Where it learns, mean and variance are those of the n rows: a chunk of a lane, so that they are a
 * function of the lane's rows alone, whoever computes it ("ghost" batches: Hoffer et al., 2017).
 * Fewer than two rows, and rows that are not learned from, take the running mean and variance.
 *
 * The running ones are parameters, too. Their gradient is the rows' share of the step times what
 * they are off the rows' own; a step takes them a part of that back (differentiable.h,
 * is_statistic). So they are summed, sent, saved and checked like any other parameter.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define BATCH_NORM_EPSILON 1e-3 /* TensorFlow's */

struct batch_norm {
    uint32_t width;
    uint32_t gamma, beta, mean, variance; /* where each (width) starts in the parameters */
};

/* The numbers that forward leaves for backward. */
struct batch_norm_room {
    float *mean, *variance, *inverse; /* (width): of the rows; 1 / sqrt(variance + epsilon) */
    float *sums;                      /* (2, width) */
    bool is_of_rows;                  /* mean and variance are the rows', not the running ones */
};

/* Fills in what forward leaves in the room. */
void batch_norm_measure(const struct batch_norm *op, const float *parameters, uint32_t n,
                        bool learns, const float *a, struct batch_norm_room *room);
void batch_norm_forward(const struct batch_norm *op, const float *parameters, uint32_t n,
                        bool learns, const float *a, struct batch_norm_room *room, float *y);
/* delta (n, width) is dL/dy and becomes dL/da; `share`: the rows' part of the step's. Adds to the
 * gradient, from zeros where is_first. */
void batch_norm_backward(const struct batch_norm *op, const float *parameters, uint32_t n,
                         double share, const float *a, const struct batch_norm_room *room,
                         bool is_first, float *delta, float *gradient);

/* y = scale a + shift by the running mean and variance. */
void batch_norm_line(const struct batch_norm *op, const float *parameters, uint32_t column,
                     double *scale, double *shift);
