/*
 * order.h - the order of numbers, for qsort and bsearch.
 */
#pragma once

/* A NaN is equal to every number, so none is to be among them. */
static inline int order_of_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}
