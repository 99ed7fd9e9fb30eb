/*
 * near_copies.h - numbers that are nearly one another, as the beginning and the end of a stay,
 * whose difference tells what neither of them does.
 *
 * Standardised, such a difference is too small for steps of descent and lies beside every split of
 * one column. Pairs are found by their correlation in the sample, and a rule of each difference
 * (leak_rule.h) says how much of the label it explains.
 */
#pragma once

#include "runtime/learn/leak_rule.h"

#define NEAR_COPIES_INPUTS 64    /* numbers that are compared, the first ones */
#define NEAR_COPIES_PAIRS  32    /* differences that are looked at, the first ones */
#define NEAR_COPIES_LEFT   0.005 /* share of the variance of one that the other leaves */

struct near_copies {
    uint32_t minuend, subtrahend; /* inputs: minuend - factor * subtrahend */
    double factor;
    double explained; /* share of the label's spread; 0: there is no such pair */
};

/* The difference that explains most. The rule, whose usual prediction is measured, is used for
 * each; the sample's rows are held. NO_MEMORY. */
enum status near_copies_find(struct near_copies *found, const struct dataset *dataset,
                             struct leak_rule *rule, struct error *err);
