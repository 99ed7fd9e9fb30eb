/*
 * quantiles.h - the bounds of buckets that about as many rows fall into.
 */
#pragma once

#include <stdint.h>

/* A value, and how many rows have it. */
struct counted_number {
    double value;
    uint64_t rows;
};

/*
 * numbers (count) ascend, each once. bounds: room for buckets - 1; returns how many there are: a
 * bucket is below the first, from one to below the next, and from the last on. Equal values are
 * never parted: a bound that another one has already, or that no value is below, falls away.
 */
uint32_t quantile_bounds(const struct counted_number *numbers, uint32_t count, uint32_t buckets,
                         double *bounds);
