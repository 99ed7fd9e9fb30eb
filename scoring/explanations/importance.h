/*
 * importance.h - how much worse a model gets when the values of a column are dealt out anew among
 * the rows (permutation importance; Breiman, 2001; Fisher, Rudin, Dominici, 2019).
 *
 *     held_rows_add for each row, in any order --> importance_begin --> importance_measure ...
 *
 * Rows are those of held_rows.h. A value goes to the row whose key is in its place: hashes of seed,
 * column, repeat and place. So neither the order of the rows nor who asks makes a difference to a
 * bit.
 */
#pragma once

#include "scoring/held_rows.h"
#include "scoring/metrics.h"

struct importance_options {
    struct slice metric; /* its name, with a number where it has one: borrowed */
    uint64_t seed;
    uint32_t rows_max;
    /* Asked every some hundred rows: is the result no longer wanted? NULL: it always is. */
    bool (*is_interrupted)(void *context);
    void *context;
};

struct importance;
/* The model is borrowed. */
enum status importance_new(const struct model *model, const struct importance_options *options,
                           struct importance **importance, struct error *err);
void importance_free(struct importance *importance);

/* Where its rows go; borrowed. */
struct held_rows *importance_held(struct importance *importance);

/* No more rows: the metric of the rows as they are. INVALID without rows, and where they do not
 * define the metric. */
enum status importance_begin(struct importance *importance, double *value, struct error *err);
/* The metric where these columns of the transform (count) have got the values of other rows,
 * together. INTERRUPTED. */
enum status importance_measure(struct importance *importance, struct slice column,
                               const uint32_t *inputs, size_t count, uint32_t repeat, double *value,
                               struct error *err);
