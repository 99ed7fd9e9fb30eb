/*
 * job_size.h - held-out rows, epochs, lanes and memory of a training job, from counts alone.
 *
 * The planner asks before the rows are known and prints the answers, the learner asks when
 * they are known and acts on them: both get the same ones.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "jobspec/jobspec.h"

/* Bytes that a worker may need for its learner. */
#define JOB_LEARNER_BYTES_MAX ((uint64_t)16 << 30)
/* Sums of 64 bits for each parameter wait in one queue of a connection (runtime/net/connection.h),
 * so a model whose sums do not fit into it is trained by one worker. */
#define JOB_SHARED_PARAMETERS_MAX (((uint64_t)1 << 30) / sizeof(int64_t))

/* Which share of so many rows is held out for validation; 0: none. */
struct job_held_out {
    double share;
    uint32_t least_rows; /* rows; of fewer none is held out */
};

/* Does the final step of the model (scoring/final_step.h) follow from rows that are held out? */
bool job_fits_final_step(const struct jobspec *spec);
/* Is there another use for such rows than to measure the model? */
bool job_needs_held_out(const struct jobspec *spec);

/* test_size REAL_AUTOMATIC: a tenth of 500 rows or more, where they are needed of any number. */
struct job_held_out job_held_out(double test_size, bool has_validation, bool are_needed,
                                 bool has_label);

/* Rows of the batch that are worth a lane: the more parameters, the more rows it takes to be
 * worth adding up the lane's gradients. */
uint32_t job_lane_rows(uint64_t parameters);

/* The lanes of a step. asked 0: one for every job_lane_rows, at most `most`. Never more than rows
 * of the batch; one where several workers cannot share the model. */
uint32_t job_lanes(uint32_t asked, uint32_t most, uint32_t batch, uint64_t parameters);

/* Passes over so many training rows, in steps of `batch` of them. asked 0: train.epoch is 'auto',
 * and the length says how many. rows 0: 10. */
uint32_t job_epochs(uint32_t asked, struct kind_length length, uint32_t batch, uint64_t rows);

/* Bytes that a worker needs to learn a model of this cost from so many rows. keeps_best: early
 * stopping has a copy of the parameters. */
double job_learner_bytes(const struct kind_cost *cost, bool keeps_best, double rows);

/* Bytes that a learner may need at most where the job says how much memory a worker may use (0: it
 * does not). */
uint64_t job_learner_bytes_max(uint64_t memory);
