/*
 * start.h - the values that the parameters of a model start from.
 */
#pragma once

#include "runtime/learn/layers/loss_head.h"

/* values (count): uniform in +-limit, each a function of seed, tensor and its number alone; the
 * numbers begin with `first`. */
void start_uniform(uint64_t seed, uint32_t tensor, uint64_t first, uint64_t count, double limit,
                   float *values);
/* He's limit before a relu and its like, Glorot's elsewhere. `next`: what the sums go through. */
double start_limit(double in, double out, enum activation next);
/* The output biases with which a model without inputs would be right: a rare class is not first
 * learned to be rare. Of a regressor they are head->start. */
void start_outputs(const struct loss_head *head, const struct dataset *dataset, float *bias);
