/*
 * bounds.h - intervals between numbers that ascend: the buckets of BUCKET and LOG_ROUND.
 */
#pragma once

#include "base/arena.h"
#include "base/error.h"

/* Finite, and each greater than the one before it? */
bool bounds_ascend(const double *bounds, uint32_t count);
/* How many of the bounds are no greater than the number. */
uint32_t bounds_bucket(const double *bounds, uint32_t count, double number);
/* The name of the bucket below bound i, or above all of them: "[30, 50)". In the arena. */
enum status transform_bucket_name(const double *bounds, uint32_t count, uint32_t i,
                                  struct arena *arena, struct slice *name, struct error *err);
