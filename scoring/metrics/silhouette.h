/*
 * silhouette.h - how well rows lie in their clusters (Rousseeuw, 1987), on a sample of the rows.
 *
 *     silhouette_add for each row, in any order --> silhouette_value
 *
 * The sample is the SILHOUETTE_ROWS rows whose inputs have the least hashes (all rows where there
 * are no more), so that neither the order of the rows nor who measured them makes a difference to
 * it, to the last bit. Rows whose inputs are equal have one hash, and come into it together as far
 * as there is room. With more inputs than 100 the sample is smaller, as the distances of all pairs
 * are computed, SILHOUETTE_WORK multiplications at most; and with more than 10,000, as words of
 * categories are, since workers send their rows (SILHOUETTE_BYTES).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

#define SILHOUETTE_ROWS  1000
#define SILHOUETTE_WORK  1e8
#define SILHOUETTE_BYTES 0x1p22

struct silhouette_row {
    uint64_t hash;
    uint32_t place;   /* place of its inputs */
    uint32_t cluster; /* the model's cluster */
    uint32_t group;   /* the same, counted from 0 among those that occur in the sample */
};

struct silhouette {
    uint32_t width, rows_most, count;
    struct silhouette_row *rows; /* (rows_most): a heap, the greatest hash first */
    float *inputs;               /* (rows_most, width) */
    double *sums;                /* (rows_most): of a row's distances to each group */
    uint32_t *sizes;             /* (rows_most): of the groups */
};

/* For rows of so many inputs. On failure there is nothing to release. */
enum status silhouette_init(struct silhouette *silhouette, uint32_t width, struct error *err);
void silhouette_deinit(struct silhouette *silhouette); /* also one of zeros */
void silhouette_clear(struct silhouette *silhouette);  /* no rows */

/* Copies a row's inputs (width floats, at any address), if it belongs to the sample of the rows so
 * far. False: it does not, nor to that of any more rows. */
bool silhouette_add(struct silhouette *silhouette, const void *inputs, uint32_t cluster);

/* The mean over the sample of (b - a) / max(a, b), where a is a row's mean distance to the other
 * rows of its cluster, and b the least mean distance to those of another one; 0 for a row that is
 * alone in its cluster. NaN where the sample has rows of fewer than two clusters. */
double silhouette_value(struct silhouette *silhouette);
