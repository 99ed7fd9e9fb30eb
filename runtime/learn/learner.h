/*
 * learner.h - the model seam: learning as a state machine of phases.
 *
 *         +--------------------------------------------+
 *         v                                            |
 *     phase --contribute(lane) for each lane--> sums --apply--> phase ... --> DONE
 *
 * A phase asks every lane for a contribution: 64-bit integers and reals in
 * 64-bit fixed point. Contributions are only ever added, so any grouping of
 * lanes into workers gives the same sums, and apply() sees nothing but the
 * sums: the learned bits do not depend on who computed what. A gradient step
 * is one phase, an evaluation another; boosted trees and k-means would be
 * others.
 *
 * Fixed point: each tensor has a scale 2^e, a pure function of the sums before.
 * A lane's real x becomes the integer round(x 2^e). A lane counts per tensor
 * what does not fit (overflow) and what is not finite; when a sum has overflow,
 * every worker makes the scale coarser and the same step is asked again under
 * the next phase number; non-finite ends the job with the step and its rows.
 * See Demmel and Nguyen, "Fast Reproducible Floating-Point Summation" (2013).
 *
 * No clock or socket inside; threads only those of the team, which leave no
 * trace in the sums. A learner holds the whole state: another worker's learner
 * that takes it continues from there, bit for bit. A state may be many gigabytes
 * large, so it is read and written by pieces where it lies:
 *
 *     state_head, state_read --pieces--> take_begin, take_piece ..., take_end
 *                                                  |
 *                                                  +--take_abandon--> as before
 */
#ifndef RUNTIME_LEARN_LEARNER_H
#define RUNTIME_LEARN_LEARNER_H

#include "base/team.h"
#include "jobspec/jobspec.h"
#include "runtime/data/dataset.h"
#include "runtime/learn/fixed_point.h"
#include "scoring/model_table.h"

enum phase_kind { PHASE_GRADIENT, PHASE_EVALUATION, PHASE_DONE };

struct phase {
    uint64_t number; /* 0, 1, 2, ...: grows by one with every apply, repeats included */
    enum phase_kind kind;
    uint64_t step; /* optimizer steps applied so far */
    uint32_t epoch;
    uint32_t rows;          /* rows that this phase covers, over all lanes */
    uint32_t integer_count; /* length of the integer part of a sum */
    uint32_t real_count;    /* length of the fixed-point part */
};

/* What apply() has to tell: at most one of each kind. Losses are log loss, or
 * squared error in the label's own units; that of training is weighted by
 * class and, like the other, without the penalties of l1 and l2. */
struct learner_report {
    bool step_applied;     /* a gradient step was applied (not: repeated) */
    uint64_t rows_applied; /* its rows */
    double train_loss;     /* mean loss over its rows */
    bool evaluated;
    double validation_loss;
    double validation_score; /* accuracy, or RMSE in the label's units */
    bool improved;
    bool repeated;    /* overflow: the same step again with a coarser scale */
    uint32_t epoch;   /* of the phase that was applied, from 1 */
    bool epoch_ended; /* nothing more will be learned or measured in it */
};

/* One row of TRAIN's result; NaN: not there. */
struct result_metric {
    char name[32];
    double train, validation;
};
#define LEARNER_METRICS_MAX 20

struct learner;

/*
 * A learner over a data set, at phase 0, whose lanes the team computes (NULL:
 * the caller alone). It keeps pointers to all three. Lanes are
 * fixed here, by spec and data alone: spec->lanes, or by default one lane for
 * every 16 rows of the batch below 32,000 parameters, 64 below a million, 256
 * above; at least 1, at most spec->lanes_max.
 * LIMIT with the number of bytes for absurd sizes.
 */
enum status learner_open(const struct jobspec *spec, const struct dataset *dataset,
                         struct team *team, struct learner **learner, struct error *err);
void learner_close(struct learner *learner);
/* From now on this team computes the lanes; the one before is not used any more. It may be
 * larger or smaller, and leaves no trace either. NO_MEMORY: the learner is of no more use. */
enum status learner_use_team(struct learner *learner, struct team *team, struct error *err);

uint32_t learner_lanes(const struct learner *learner);
const struct phase *learner_phase(const struct learner *learner);
uint64_t learner_steps_total(
    const struct learner *learner); /* planned; early stopping may end before */
uint64_t learner_parameters(const struct learner *learner);

/* Add the contributions of some of the lanes [first, first + count), from the
 * first on, to integers (integer_count) and fixed (real_count). Returns how
 * many: at least one, and no more than take some milliseconds. */
uint32_t learner_contribute(struct learner *learner, uint32_t first, uint32_t count,
                            int64_t *integers, int64_t *fixed);

/* The reals of the complete sums fixed[0, count), which are the elements
 * [first, first + count) of the fixed-point part: what the owner of a segment
 * sends to everyone. Returns the sums of what it read and wrote. */
struct fixed_resolved learner_resolve(const struct learner *learner, const int64_t *fixed,
                                      uint32_t first, uint32_t count, float *reals);

/* All integers and all reals of the phase: the state moves on. FAILED when a
 * loss or gradient is not finite, naming step and rows. */
enum status learner_apply(struct learner *learner, const int64_t *integers, const float *reals,
                          struct learner_report *report, struct error *err);

/*
 * The state is a head of some hundred bytes and a body. The head says whose state
 * it is and what the body hashes to, for which the whole body is read. The body has
 * learner_state_bytes() bytes, of which any run may be read at any time; they
 * change with the next apply and take_end.
 */
enum status learner_state_head(const struct learner *learner, struct text *head, struct error *err);
uint64_t learner_state_bytes(const struct learner *learner);
void learner_state_read(const struct learner *learner, uint64_t offset, size_t size, char *bytes);

/*
 * Takes the state of a learner that was opened on the same job. The learner goes on
 * to have its own state until take_end: beside the one that comes, which takes as
 * much memory again, or, where nothing has been learned yet, by starting anew when
 * the taking is abandoned. CORRUPT for a head of another job or version, or a body
 * that is not what the head says: nothing has changed then, and the taking is over.
 * The pieces come in any order and cover body_bytes.
 */
enum status learner_take_begin(struct learner *learner, struct slice head, uint64_t body_bytes,
                               struct error *err);
void learner_take_piece(struct learner *learner, uint64_t offset, struct slice bytes);
enum status learner_take_end(struct learner *learner, struct error *err);
void learner_take_abandon(struct learner *learner); /* also where none has begun */

/*
 * At PHASE_DONE: measures the result of TRAIN, some milliseconds of it in a call, until
 * is_done. It is measured with the scoring code on the model as it will be stored: on the
 * training rows (of more than 16,384, that many, chosen by row hash), then on all
 * validation rows. The team scores them; they are added up in the order of their
 * hashes, so that neither the team nor the calls leave a trace.
 */
enum status learner_measure(struct learner *learner, bool *is_done, struct error *err);

/* At PHASE_DONE and measured: the model (the best copy where there is early stopping),
 * borrowing from learner and data set, and the result of TRAIN: loss, then each
 * metric of the spec. id, version, created_at and digest are left empty. */
enum status learner_export(const struct learner *learner, struct model *model,
                           struct result_metric metrics[LEARNER_METRICS_MAX], size_t *metric_count,
                           struct error *err);
/* The same model, not measured again. It borrows from the learner. */
void learner_fill_model(const struct learner *learner, struct model *model);

/*
 * Memory that changes by itself (learner_guard.c): nothing else than these functions says so.
 *
 * verify: CORRUPT when weights or slots are not what was written last; apply looks itself, at what
 * it reads. verify_rows: the same of the rows, at most so many chunks of 1 MiB from a position on,
 * which is 0 again after the last one.
 */
enum status learner_verify(const struct learner *learner, struct error *err);
/* The same of the weights alone: lanes were computed with what was written. */
enum status learner_verify_used(const struct learner *learner, struct error *err);
enum status learner_verify_rows(struct learner *learner, uint64_t *position, uint64_t most,
                                struct error *err);
/* The same for all workers of a job before the same phase. */
uint64_t learner_check(const struct learner *learner);
/* Of the plan and the rows: the same for all workers of a job. */
uint64_t learner_fingerprint_of(const struct learner *learner);
/* The sum, modulo 2^64, of all that contribute() has ever added to fixed. */
uint64_t learner_contributed(const struct learner *learner);
/* Back to the state of the beginning. */
void learner_restart(struct learner *learner);

/* For tests that invert a bit of it: the memory of this name, learner_memory.c. NULL: there is
 * none of that name in this job, or it is mapped from a file. */
void *learner_memory(struct learner *learner, const char *name, size_t *size);

#endif
