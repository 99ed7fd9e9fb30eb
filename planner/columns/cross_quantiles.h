/*
 * cross_quantiles.h - CROSS([a, BUCKET(b, n)], m): the bounds of b's buckets, which a cross has to
 * have before the first row is written.
 *
 * BUCKET by itself learns its bounds from the rows that a job has staged (column_statistics.h);
 * what is staged of a cross is its bucket (inputs/cross.h). So a plan reads all rows of the SELECT
 * once more, for the numbers of these columns: rows that are held out, too, of which no other thing
 * is known than where they lie. The bounds are exact, and do not depend on the order of the rows.
 */
#pragma once

#include "planner/columns/column_choice.h"

/* Bounds for all crossed choices that have none; nothing of an EXPLAIN, which learns nothing. LIMIT
 * for more rows than CROSS_QUANTILE_ROWS_MAX. */
#define CROSS_QUANTILE_ROWS_MAX (1u << 27)
enum status cross_quantiles_find(struct planning *planning, struct choices *choices);
