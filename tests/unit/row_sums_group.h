/*
 * row_sums_group.h - groups of workers whose learner adds up numbers over rows (row_sums.h), and
 * data sets for them.
 */
#pragma once

#include "tests/unit/learn_rows.h"
#include "tests/unit/learner_group.h"

/* Inputs of these columns: numbers, the second of them with NULLs, and categories, of which the
 * first has all rows of ids. One at a time. */
struct dataset mixed_dataset(struct rows_shape shape);

/* Each adds its lanes, all apply the totals. Returns the loss before the phase. */
double group_phase(struct group *group);
/* Digest of the model that was learned. */
void digest_of(struct learner *learning, char digest[DIGEST_BYTES]);
/* All phases, of so many workers. Returns the loss before the last one. */
double run_group(const struct jobspec *spec, const struct dataset *dataset, uint32_t workers,
                 char digest[DIGEST_BYTES]);

/* Data of a shape, and the number that a learner's spec_of makes params of. */
struct row_sums_trial {
    struct rows_shape shape;
    double setting;
};

/* Data sets and settings that the tests below learn from. */
struct row_sums_trials {
    struct jobspec (*spec_of)(const struct dataset *dataset, double setting);
    struct row_sums_trial workers[4]; /* up to the first without rows */
    struct row_sums_trial threads, states, cut;
    double cut_other;    /* another job's setting, on the same data */
    uint32_t cut_phases; /* before the state is taken */
};

/* Tests of any such learner; their state is its struct row_sums_trials. */
void any_number_of_workers_learns_the_same_bits(void **state);
void threads_leave_no_trace(void **state);
void a_state_taken_at_any_phase_leads_to_the_same_bits(void **state);
void a_state_that_is_cut_or_of_another_job_is_refused(void **state);

#define ROW_SUMS_TEST(test, trials) cmocka_unit_test_prestate(test, (void *)(trials))
#define ROW_SUMS_TESTS(trials)                                                                     \
    ROW_SUMS_TEST(any_number_of_workers_learns_the_same_bits, trials),                             \
        ROW_SUMS_TEST(threads_leave_no_trace, trials),                                             \
        ROW_SUMS_TEST(a_state_taken_at_any_phase_leads_to_the_same_bits, trials),                  \
        ROW_SUMS_TEST(a_state_that_is_cut_or_of_another_job_is_refused, trials)
