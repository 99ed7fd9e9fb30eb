/*
 * learning.h - the learner seam: learning as a state machine of phases.
 *
 *         +--------------------------------------------+
 *         v                                            |
 *     phase --contribute(lane) for each lane--> sums --apply--> phase ... --> DONE
 *
 * A phase asks every lane for a contribution: 64-bit integers, such as counts
 * and histograms, and reals in 64-bit fixed point. Contributions are only ever added, so any
 * grouping of lanes into workers gives the same sums, and apply() sees nothing but the sums: the
 * learned bits do not depend on who computed what. What a phase is about is the learner's own
 * matter: a gradient step, an evaluation, one pass of k-means.
 *
 * A learner is opened by the kind of its model (runtime/learners/learners.h) and fills the table
 * of functions below. The simulator fills it with a small machine of its own.
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
#ifndef RUNTIME_LEARN_LEARNING_H
#define RUNTIME_LEARN_LEARNING_H

#include "arithmetic/touched_rows.h"
#include "base/team.h"
#include "jobspec/jobspec.h"
#include "runtime/data/dataset.h"
#include "runtime/learn/fixed_point.h"
#include "runtime/learn/model_digest.h"
#include "scoring/model_table.h"

/* Reals of which a phase needs those of few rows: a table of weights that are selected by id, such
 * as one for each word. Rows that no lane touched have no sums; those of the others lie side by
 * side (touched_rows.h), so that a table costs as much as its touched rows. */
struct phase_table {
    uint32_t rows, width;  /* 0: there is none */
    uint32_t touched_most; /* rows that all lanes together touch at most */
};

/* LEARN moves the model on: a gradient step, a pass of k-means. EVALUATION looks at it. */
enum phase_kind { PHASE_LEARN, PHASE_EVALUATION, PHASE_DONE };

struct phase {
    uint64_t number; /* 0, 1, 2, ...: grows by one with every apply, repeats included */
    enum phase_kind kind;
    uint64_t step; /* steps applied so far: the optimizer's, or iterations of k-means */
    uint32_t epoch;
    uint64_t rows; /* rows that this phase covers, over all lanes */
    /* The sums over all lanes are three vectors of 64-bit integers, the last one continued by the
     * table. */
    uint32_t integer_count;   /* few: rank 0 adds them up, and all get the totals */
    uint32_t owned_count;     /* many: a segment's owner adds it up, and all get the totals */
    uint32_t real_count;      /* the same in fixed point: the totals are floats (resolve) */
    struct phase_table table; /* its touched rows lie behind the reals, by their places */
};

/* How many sums and totals there are at most besides the integers. */
static inline uint64_t phase_elements(const struct phase *phase)
{
    return (uint64_t)phase->owned_count + phase->real_count +
           (uint64_t)phase->table.touched_most * phase->table.width;
}

/* The totals of a phase. */
struct phase_totals {
    const int64_t *integers, *owned;
    const float *reals;              /* (real_count, then the touched rows of the table) */
    const struct touched_rows *rows; /* touched rows of the table; NULL where there is none */
};

/* The report of apply(): at most one of each kind. Losses are log loss, or
 * squared error in the label's own units; the loss of training is weighted by
 * class and, like the other, without the penalties of l1 and l2. */
struct learner_report {
    bool step_applied;     /* the phase moved the model on, and did not repeat a step */
    uint64_t rows_applied; /* its rows */
    double train_loss;     /* mean loss over its rows; NAN: it is no matter of a loss */
    bool evaluated;
    double validation_loss;
    double validation_score; /* accuracy, or RMSE in the label's units; NaN: none */
    /* The statement's metrics, in its order, where the learner measures those of each round: of
     * training rows and of those held out; NaN: not measured, or not defined. */
    uint32_t metric_count;
    double train_metrics[METRICS_MAX], validation_metrics[METRICS_MAX];
    bool improved;
    bool repeated;    /* overflow: the same step again with a coarser scale */
    uint32_t epoch;   /* the applied phase's, from 1 */
    bool epoch_ended; /* nothing more will be learned or measured in it */
};

/* One row of TRAIN's result; NaN: not there. */
struct result_metric {
    char name[32];
    double train, validation;
};
#define LEARNER_METRICS_MAX 20

/* How steps need rows that come from elsewhere: each once in a round of so many steps, those of a
 * lane in so many buckets, one after the other. Round 0: all rows are on this machine. */
struct learner_course {
    uint64_t round;
    uint32_t buckets; /* at least 1 */
};

struct learning {
    void *self;

    /* ---- life ---- */

    void (*close)(void *self); /* all of it is freed */
    /* From now on this team computes the lanes; the one before is not used any more. It may be
     * larger or smaller, and leaves no trace either. NO_MEMORY: the learner is of no more use. */
    enum status (*use_team)(void *self, struct team *team, struct error *err);
    void (*restart)(void *self); /* back to the state of the beginning */

    /* ---- phases ---- */

    /* How many; fixed by spec and data alone. */
    uint32_t (*lanes)(const void *self);
    /* The most that phase_elements() of any phase is; fixed by spec and data alone. */
    uint32_t (*elements_most)(const void *self);
    const struct phase *(*phase)(const void *self);
    uint64_t (*steps_total)(const void *self); /* planned; the job may end before */
    /* Passes over the rows that are planned; NULL: it has no such. */
    uint32_t (*epochs_total)(const void *self);
    /* For a learner that keeps something of each row of a lane, such as what the trees so far say
     * of it; else NULL. The lanes [first, first + count) are computed here from now on: what is
     * kept of the rows of those after the first `done` is made from the state. Returns how many are
     * done then: at least one more, and no more than take some milliseconds. `done` is 0 at the
     * first lanes, when others are given, and when a state was taken or given up: what is kept of
     * other lanes is of no use any more. contribute() leaves it as it is, apply() moves it on. */
    uint32_t (*lane_open)(void *self, uint32_t first, uint32_t count, uint32_t done);
    /* Adds the contributions of some of the lanes [first, first + count), from the first on, to
     * integers (integer_count) and sums (owned_count, then real_count and the table's touched rows
     * in fixed point), which are `rows` (NULL where the phase has no table): it touches those that
     * it adds to. *done: how many, at least one, and no more than take some milliseconds. A failure
     * is that of their rows (row_store_hold) or of memory, and the sums are of no use then. */
    enum status (*contribute)(void *self, uint32_t first, uint32_t count, int64_t *integers,
                              int64_t *sums, struct touched_rows *rows, uint32_t *done,
                              struct error *err);
    /* For how long rows that come from elsewhere have kept contribute() from the lanes, in all:
     * that is not the lanes' time. NULL: they have not. */
    uint64_t (*waited_ms)(const void *self);
    struct learner_course (*course)(const void *self); /* NULL: all rows are on this machine */
    /* The reals of the complete sums fixed[0, count), which are the elements [first, first + count)
     * of the fixed-point part, the table's behind the others: what the owner of a segment sends to
     * everyone. Returns the sums of what it read and wrote. NULL: no phase has reals. */
    struct fixed_resolved (*resolve)(const void *self, const int64_t *fixed, uint32_t first,
                                     uint32_t count, float *reals);
    /* The time of the job is over: what is contributed from now on says so, and the phase that has
     * such totals is the last that learns. May be called at any time, of any of the workers. NULL:
     * learning has no such end. */
    void (*end_soon)(void *self);
    /* With all totals of the phase the state moves on. FAILED when something is not finite, naming
     * step and rows. */
    enum status (*apply)(void *self, const struct phase_totals *totals,
                         struct learner_report *report, struct error *err);

    /* ---- state ---- */

    /* A head of some hundred bytes and a body. The head says whose state it is and what the body
     * hashes to, for which the whole body is read. The body has state_bytes() bytes, of which any
     * run may be read at any time; they change with the next apply and take_end. */
    enum status (*state_head)(const void *self, struct text *head, struct error *err);
    uint64_t (*state_bytes)(const void *self);
    void (*state_read)(const void *self, uint64_t offset, size_t size, char *bytes);
    /* Takes the state of a learner that was opened on the same job. The learner goes on to have its
     * own state until take_end: beside the one that comes, which takes as much memory again, or,
     * where nothing has been learned yet, by starting anew when the taking is abandoned. CORRUPT
     * for a head of another job or version, or a body that is not what the head says: nothing has
     * changed then, and the taking is over. The pieces come in any order and cover body_bytes. */
    enum status (*take_begin)(void *self, struct slice head, uint64_t body_bytes,
                              struct error *err);
    void (*take_piece)(void *self, uint64_t offset, struct slice bytes);
    enum status (*take_end)(void *self, struct error *err);
    void (*take_abandon)(void *self); /* also where none has begun */

    /* Weights that were learned elsewhere, on parameter servers, take the place of its own:
     * `count` of them from the first on, in the order of the model's arrays. After all of them
     * end_learning leaves nothing to do but to look at the model and to publish it. NULL: it learns
     * nowhere else. */
    void (*take_weights)(void *self, uint64_t first, const float *values, uint64_t count);
    void (*end_learning)(void *self);

    /* ---- at PHASE_DONE ---- */

    /* Measures the model, some milliseconds of it in a call, until it is done. It is measured with
     * the scoring code on the model as it will be stored. Neither the team nor the calls leave a
     * trace. */
    enum status (*measure)(void *self, bool *is_done, struct error *err);
    /* When measured: the model's digest and metrics, and how many rows it learned from. */
    enum status (*result)(const void *self, char digest[DIGEST_BYTES], uint64_t *rows,
                          struct result_metric metrics[LEARNER_METRICS_MAX], size_t *metric_count,
                          struct error *err);
    /* Some of the model's rows: model_write_some. `digest` as measured. */
    enum status (*publish)(const void *self, const char *digest, uint64_t *next, size_t bytes_max,
                           bool *is_at_end, model_row_sink *sink, void *context, struct error *err);

    /* ---- memory that changes by itself, and what workers have in common ---- */

    uint64_t (*fingerprint)(const void *self); /* hash of plan and rows: the same for all workers */
    uint64_t (*check)(const void *self);       /* the same for all workers before the same phase */
    /* The sum, modulo 2^64, of all that contribute() has ever added to `sums`. */
    uint64_t (*contributed)(const void *self);
    /* CORRUPT when the state is not what was written last; apply looks itself, at what it reads. */
    enum status (*verify)(const void *self, struct error *err);
    /* The same for the part of the state that lanes of this phase were computed with. `rows`: the
     * rows of the table that they touched; NULL where the phase has none. */
    enum status (*verify_used)(const void *self, const struct touched_rows *rows,
                               struct error *err);
    /* The same of the rows: at most so many chunks of 1 MiB from a position on, which is 0 again
     * after the last one. */
    enum status (*verify_rows)(void *self, uint64_t *position, uint64_t most, struct error *err);
    /* For tests that invert a bit: a memory by its name, of rows some that are held. NULL: there is
     * none of that name now, or it is mapped from a file. The function may be NULL, too. */
    void *(*memory)(void *self, const char *name, size_t *size);
};

#endif
