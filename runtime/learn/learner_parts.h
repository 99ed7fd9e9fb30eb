/*
 * learner_parts.h - the inside of a learner, shared by its files.
 *
 *     learner.c         phases, apply
 *     learner_lanes.c   what lanes contribute
 *     learner_guard.c   bits of memory that change by themselves
 *     learner_state.c   the state, read and taken by pieces
 *     learner_measure.c what the finished model's metrics are
 *     learner_export.c  the finished model
 */
#ifndef RUNTIME_LEARN_LEARNER_PARTS_H
#define RUNTIME_LEARN_LEARNER_PARTS_H

#include "runtime/learn/fixed_point.h"
#include "runtime/learn/learner.h"
#include "runtime/learn/network.h"
#include "runtime/learn/optimizer.h"
#include "scoring/metrics.h"

/*
 * The integer part of a sum. A loss is split into whole and 2^-32 parts, so
 * that it neither overflows nor loses small values. Of a gradient, one count
 * of overflows for each tensor follows, then the counts of its lanes' levels;
 * of an evaluation, the rows that were classified correctly.
 */
enum { SUM_LOSS_WHOLE, SUM_LOSS_PART, SUM_NOT_FINITE, SUM_OVERFLOWS, SUM_CORRECT = SUM_OVERFLOWS };
#define SUM_INTEGERS_MAX (SUM_OVERFLOWS + (1 + FIXED_COUNT_WORDS) * NETWORK_TENSORS_MAX)
#define SUM_LOSS_ONE     0x1p32

/* The part of the state that is no array of floats. */
struct progress {
    struct phase phase;
    int32_t exponents[NETWORK_TENSORS_MAX];
    bool has_best;
    double best_loss;
    uint32_t evaluations_since_best;
    uint64_t cool_from; /* the step at which early stopping ended the schedule's plateau; 0: not */
};

/* One of the team: where it computes a lane, and what it has summed in this
 * call. Member 0 sums straight into the caller's arrays. */
struct learner_member {
    struct network_space space; /* carries nothing from lane to lane */
    int64_t *integers, *fixed;
    int64_t own_integers[SUM_INTEGERS_MAX];
    int64_t *own_fixed; /* (parameters) */
    bool has_sums;      /* of this call */
    uint64_t added;     /* the sum of all that it added to `fixed`, modulo 2^64 */
};

/* The floats of a state. */
struct learner_arrays {
    float *parameters;
    float *slots; /* (optimizer_slots, parameters) */
    float *best;  /* (parameters) with early stopping, else NULL */
};

/* A state on its way here. */
struct learner_taking {
    bool is_active;
    bool in_place; /* the arrays are the learner's own, which had learned nothing */
    uint64_t body_hash;
    struct progress progress;
    struct learner_arrays arrays;
};

/* The finished model is measured some rows at a time, the training rows first. */
struct measuring {
    struct model model;
    struct scorer *scorers; /* (scorer_count): one for each of the team */
    uint32_t scorer_count, rows_each;
    double *probabilities;    /* (scorer_count, classes) */
    struct metrics_row *rows; /* (scorer_count, rows_each) */
    struct error *errors;     /* (scorer_count) */
    const struct dataset_part *part;
    uint32_t *order;            /* of the rows of the part */
    uint32_t next, end;         /* of the order */
    struct metrics *metrics[2]; /* of the training rows, of the validation rows */
    uint32_t parts_begun;       /* 0: nothing has begun */
    bool is_done;
};

/* Of the floats of a state, as they were written last. */
struct learner_sums {
    uint32_t parameters, slots, best;
    uint32_t mixed; /* of the parameters, so that small differences do not cancel */
};

/* What is known of memory that nobody else writes (learner_guard.c). */
struct learner_guard {
    struct learner_sums arrays;
    uint32_t tensors[NETWORK_TENSORS_MAX]; /* of the parameters, by tensor */
    uint32_t transposed, order;
    bool transposed_was_bad, order_was_bad;
    uint64_t *chunks; /* (chunk_count): hashes of the rows */
    uint64_t chunk_count;
    uint64_t contributed; /* all that was added to sums, modulo 2^64 */
};

struct learner {
    const struct jobspec *spec;
    const struct dataset *dataset;
    struct team *own_team; /* NULL: the caller alone */
    struct team *team;     /* that computes lanes; NULL also where it would not pay */
    struct network network;
    struct optimizer optimizer;
    uint32_t lanes, batch;
    uint64_t steps_per_epoch, planned_steps;
    uint64_t fingerprint;

    struct progress progress;
    struct learner_arrays arrays;
    struct learner_taking taking;
    struct measuring measuring;
    struct learner_guard guard;

    struct learner_member *members; /* (member_count) */
    uint32_t member_count;
    uint32_t *order; /* (train.rows) of epoch `order_epoch` */
    uint32_t order_epoch;
    bool has_order;
    float *transposed; /* network_transpose of the parameters when has_transposed */
    bool has_transposed;
    struct layer *layers, *best_layers; /* views of parameters and best */
};

static inline uint64_t learner_slot_count(const struct learner *learner)
{
    return (uint64_t)optimizer_slots(learner->optimizer.kind) * learner->network.parameter_count;
}

/* Where the levels of a tensor's lanes are counted among the integers of a gradient. */
static inline uint32_t learner_levels_at(const struct learner *learner, uint32_t tensor)
{
    return SUM_OVERFLOWS + learner->network.tensor_count + tensor * FIXED_COUNT_WORDS;
}

/* Fill rows and counts of a phase from its kind and step. */
void learner_describe_phase(const struct learner *learner, struct phase *phase);

/* The first position in the epoch's order of the step's batch. */
uint32_t learner_batch_first(const struct learner *learner, uint64_t step);

/* All zero. */
enum status learner_arrays_init(const struct learner *learner, struct learner_arrays *arrays,
                                struct error *err);
void learner_arrays_deinit(struct learner_arrays *arrays);
/* These arrays are the learner's from now on. */
void learner_use_arrays(struct learner *learner, struct learner_arrays arrays);
/* The values that learning begins with. */
void learner_start(struct learner *learner);

enum status learner_members_init(struct learner *learner, struct error *err);
void learner_members_deinit(struct learner *learner);

/* What export has of the finished model; it points into the learner. */
void learner_fill_model(const struct learner *learner, struct model *model);
/* Multiplications of a row in one direction. */
double learner_row_work(const struct learner *learner);
void learner_measuring_deinit(struct learner *learner);

/* CORRUPT when the step read something else than was written last. */
enum status learner_guard_step(struct learner *learner, const struct optimizer_sums *before,
                               const struct optimizer_sums *after, struct error *err);
/* What was written by something else than a step. */
void learner_guard_arrays(struct learner *learner);
void learner_guard_best(struct learner *learner);
/* The transposed copy is made anew, over words of that sum: of the copy before. */
void learner_guard_transposed(struct learner *learner, uint32_t over);
void learner_guard_order_begins(struct learner *learner);
void learner_guard_order_ends(struct learner *learner);
enum status learner_guard_rows(struct learner *learner, struct error *err);

/* Whether a job can be there: what is asked of a state that is taken. */
bool learner_is_possible(const struct learner *learner, const struct progress *progress);
/* The optimizer's schedule ends as progress says. */
void learner_follow_progress(struct learner *learner);

/* A hash of all that the learned bits depend on. */
enum status learner_fingerprint(const struct learner *learner, uint64_t *fingerprint,
                                struct error *err);

#endif
