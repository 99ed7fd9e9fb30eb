/*
 * leaf_quantiles.h - quantiles of the residuals of a tree's leaves, exactly, from counts of rows.
 *
 *     begin --count: each row's residual--> totals over all rows --take--> count ... --> value
 *
 * A residual is a key of 32 bits in the same order. Each phase counts the rows of each leaf by the
 * next digit of their keys, of those rows whose digits before are the ones that were found, so that
 * after some phases the key is known: exactly, whichever worker counted which rows.
 *
 * The quantile q of n numbers is XGBoost's: with x = q (n + 1), counted from 1, it lies between the
 * numbers at floor(x) and the next, by the fraction of x; it is the least where x <= 1, and the
 * greatest number where x >= n. So two numbers of each leaf are looked for. Where rows have
 * weights, the quantile is the least number such that the weights up to it are the share q of all
 * of them, or more.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Where the quantile of `count` numbers lies: between the numbers `first` and `first` + 1 of their
 * order, counted from 0, or at `first` where the fraction is 0. count > 0, 0 <= quantile <= 1. */
struct quantile_place {
    uint64_t first;
    double fraction;
};
struct quantile_place quantile_place_of(double quantile, uint64_t count);
/* The same with weights, of which `total` > 0 is the sum: first < total is where, in the sum, and
 * the fraction 0. */
struct quantile_place quantile_place_by_weight(double quantile, uint64_t total);

/* Without padding: the state is read as bytes. */
struct leaf_search {
    uint64_t rows; /* rows of the leaf, or their weight; 0: no digit is known yet, or it has none */
    uint64_t rank[2]; /* both numbers' ranks among the rows with the digits that were found */
    uint32_t key[2];  /* both numbers' highest digits that were found, as an integer */
};

struct leaf_quantiles {
    double quantile;
    bool is_weighted;
    struct leaf_search *searches; /* (leaves) */
    uint32_t leaves, room;
    uint32_t bits; /* bits of the keys that were found */
};

void leaf_quantiles_deinit(struct leaf_quantiles *search);
/* Searches of so many leaves begin, none of their digits known; 0: none do. NO_MEMORY. */
enum status leaf_quantiles_begin(struct leaf_quantiles *search, double quantile, bool is_weighted,
                                 uint32_t leaves, struct error *err);

/* Can a phase of searches of so many leaves begin with so many bits known? */
bool leaf_quantiles_can_have(uint32_t leaves, uint32_t bits);
/* The searches are those of another's state, of just so many leaves. */
void leaf_quantiles_adopt(struct leaf_quantiles *search, double quantile, bool is_weighted,
                          uint32_t leaves, uint32_t bits);

/* How many counts a phase has, and the most that it has with so many leaves at most. */
uint32_t leaf_quantiles_counts(const struct leaf_quantiles *search);
uint32_t leaf_quantiles_counts_most(uint32_t leaves_most);

uint32_t leaf_quantiles_key(float residual); /* the key of a finite number */

/* A row of the leaf is counted. weight: 1, or a multiple of a unit, such that all of them together
 * are less than 2^62. */
void leaf_quantiles_count(const struct leaf_quantiles *search, uint32_t leaf, float residual,
                          int64_t weight, int64_t *counts);
/* With the counts of all rows one digit more is known. */
void leaf_quantiles_take(struct leaf_quantiles *search, const int64_t *counts);
bool leaf_quantiles_are_found(const struct leaf_quantiles *search);

/* The quantile of a leaf, when they are found; 0 where it has no rows. */
float leaf_quantiles_value(const struct leaf_quantiles *search, uint32_t leaf);
