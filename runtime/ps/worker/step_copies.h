/*
 * step_copies.h - rows that a worker has pulled of a step, for the other lanes of that step that
 * are leased to it (push_worker.h).
 *
 *     lane 0 pulls 2 5 9        copies: 2 5 9
 *     lane 3 pulls     7        has 2 and 9 here;   copies: 2 5 7 9
 *     the next step             copies: none
 *
 * All lanes compute with the rows as they are before the step, and there is one such state of them
 * (server_steps.h), so a copy is as good as a pull. The rows that each batch asks for, those of the
 * layers and of the most frequent words, are pulled once by each worker instead of once by each
 * lane.
 */
#pragma once

#include "runtime/ps/rows/step_rows.h"
#include "runtime/ps/worker/batch_learning.h"

#define STEP_COPIES_FLOATS_MAX (4 << 20) /* more is pulled again */

struct step_copies {
    struct step_rows rows, spare;
    uint64_t step;
    bool are_some; /* some rows of `step` are kept */
};

void step_copies_free(struct step_copies *copies);
static inline void step_copies_drop(struct step_copies *copies)
{
    copies->are_some = false;
}

/* The values of those rows that there are copies of in this step, and which these are: has (all
 * rows of counts). */
void step_copies_take(const struct step_copies *copies, uint64_t step, struct row_widths widths,
                      const struct batch_rows *batch, float *values, bool *has);

/* The rows of a batch are copied; those of another step are dropped. */
enum status step_copies_keep(struct step_copies *copies, uint64_t step, struct row_widths widths,
                             const struct batch_rows *batch, const float *values,
                             struct error *err);
