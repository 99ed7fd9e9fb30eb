/*
 * learner_parts.h - the inside of a learner, shared by its files.
 *
 *     learner.c         phases, apply
 *     learner_lanes.c   what lanes contribute
 *     learner_state.c   the state, read and taken by pieces
 *     learner_export.c  the finished model and its metrics
 */
#ifndef LEARN_LEARNER_PARTS_H
#define LEARN_LEARNER_PARTS_H

#include "learn/learner.h"
#include "learn/network.h"
#include "learn/optimizer.h"

/*
 * The integer part of a sum. A loss is split into whole and 2^-32 parts, so
 * that it neither overflows nor loses small values. Of a gradient, one count
 * of overflows for each tensor follows; of an evaluation, the rows that were
 * classified correctly.
 */
enum { SUM_LOSS_WHOLE, SUM_LOSS_PART, SUM_NOT_FINITE, SUM_OVERFLOWS, SUM_CORRECT = SUM_OVERFLOWS };
#define SUM_INTEGERS_MAX (SUM_OVERFLOWS + NETWORK_TENSORS_MAX)
#define SUM_LOSS_ONE     0x1p32

/* The part of the state that is no array of floats. */
struct progress {
    struct phase phase;
    int32_t exponents[NETWORK_TENSORS_MAX];
    bool has_best;
    double best_loss;
    uint32_t evaluations_since_best;
};

/* One of the team: where it computes a lane, and what it has summed in this
 * call. Member 0 sums straight into the caller's arrays. */
struct learner_member {
    struct network_space space; /* carries nothing from lane to lane */
    int64_t *integers, *fixed;
    int64_t own_integers[SUM_INTEGERS_MAX];
    int64_t *own_fixed; /* (parameters) */
    bool has_sums;      /* of this call */
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

struct learner {
    const struct jobspec *spec;
    const struct dataset *dataset;
    struct team *team; /* NULL: the caller alone, also where a team would not pay */
    struct network network;
    struct optimizer optimizer;
    uint32_t lanes, batch;
    uint64_t steps_per_epoch;
    uint64_t fingerprint;

    struct progress progress;
    struct learner_arrays arrays;
    struct learner_taking taking;

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

/* Whether a job can be there: what load asks of a state. */
bool learner_is_possible(const struct learner *learner, const struct phase *phase);

/* A hash of all that the learned bits depend on. */
enum status learner_fingerprint(const struct learner *learner, uint64_t *fingerprint,
                                struct error *err);

#endif
