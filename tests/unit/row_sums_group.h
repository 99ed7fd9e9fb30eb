/*
 * row_sums_group.h - groups of workers whose learner adds up numbers over rows (row_sums.h), and
 * data sets for them.
 */
#ifndef TESTS_UNIT_ROW_SUMS_GROUP_H
#define TESTS_UNIT_ROW_SUMS_GROUP_H

#include "tests/unit/learn_rows.h"
#include "tests/unit/learner_group.h"

/* Inputs of these columns: numbers, the second of them with NULLs, and categories, of which the
 * first has all rows of ids. One at a time. */
struct dataset mixed_dataset(struct rows_shape shape);

/* Each adds its lanes, all apply the totals. Returns the loss before the phase. */
double group_phase(struct group *group);
/* Of the model that was learned. */
void digest_of(const struct learning *learning, char digest[DIGEST_BYTES]);
/* All phases, of so many workers. Returns the loss before the last one. */
double run_group(const struct jobspec *spec, const struct dataset *dataset, uint32_t workers,
                 char digest[DIGEST_BYTES]);

/* The same digest with 1, 2, 3 and 8 workers; with threads; and after a state was taken at any
 * phase. */
void check_workers(struct jobspec spec, const struct dataset *dataset);
void check_threads(struct jobspec spec, const struct dataset *dataset);
void check_states(const struct jobspec *spec, const struct dataset *dataset);

#endif
