/*
 * descent_parts.h - the inside of descent, shared by its files.
 *
 *     descent.c         phases, apply
 *     descent_lanes.h   what lanes contribute
 *     descent_best.h    the weights of the best epoch
 *     descent_clip.h    gradients that are cut
 *     descent_table.h   a large table, of which a step moves the touched rows
 *     descent_guard.h   bits of memory that change by themselves
 *     descent_state.h   the state, read and taken by pieces
 *     descent_old.h     the weights of a model that exists
 *     descent_export.h  the finished model, and its memories by name for tests
 */
#pragma once

#include "runtime/data/dataset/row_lanes.h"
#include "runtime/learn/descent/descent.h"
#include "runtime/learn/fixed_point.h"
#include "runtime/learn/learner.h"
#include "runtime/learn/optimizer/optimizer.h"

/*
 * The integer part of a sum. A loss is split into whole and 2^-32 parts, so
 * that it neither overflows nor loses small values. In the sum of a gradient, one count
 * of overflows for each tensor follows, then the counts of its lanes' levels, then whether the time
 * is over; in that of an evaluation, the rows that were classified correctly, then the sums of each
 * of several labels: rows, and what is summed up of them, split likewise.
 */
enum { SUM_LOSS_WHOLE, SUM_LOSS_PART, SUM_NOT_FINITE, SUM_OVERFLOWS, SUM_CORRECT = SUM_OVERFLOWS };
enum { HEAD_ROWS, HEAD_WHOLE, HEAD_PART, HEAD_INTEGERS };
#define SUM_HEADS        (SUM_CORRECT + 1)
#define SUM_INTEGERS_MAX (SUM_OVERFLOWS + (1 + FIXED_COUNT_WORDS) * TENSORS_MAX + 1)
#define SUM_LOSS_ONE     0x1p32
_Static_assert(SUM_HEADS + HEAD_INTEGERS * METRICS_MAX <= SUM_INTEGERS_MAX, "all heads have room");

/* The fields of the state. Losses are those of evaluations; 0: there was none. */
#define DESCENT_FIELDS(F)                                                                          \
    F(FLAG, has_best, FIELD_ANY, "there is a best loss")                                           \
    F(F64, best_loss, FIELD_ANY, "the least one")                                                  \
    F(F64, last_loss, FIELD_ANY, "the last one")                                                   \
    F(F64, rises, FIELD_ANY, "the sum of all by which it was more than the time before")           \
    F(U32, rise_count, FIELD_ANY, "how many of them there were")                                   \
    F(U32, evaluations_since_best, FIELD_ANY, "")                                                  \
    F(U64, cool_from, FIELD_ANY, "the step that ended the schedule's plateau early; 0: none did")  \
    F(U64, stopped_at, FIELD_ANY, "the step with which the time was over; 0: it is not")

struct progress {
    DESCENT_FIELDS(FIELD_MEMBER)
};

/* One of the team: its room to compute a lane in, and its sums in this
 * call. Member 0 sums straight into the caller's arrays. */
struct descent_member {
    void *space; /* the model's; carries nothing from lane to lane */
    int64_t *integers, *fixed;
    int64_t own_integers[SUM_INTEGERS_MAX];
    int64_t *own_fixed;                  /* (parameters) */
    struct touched_rows *rows, own_rows; /* rows of the table that it added to */
    bool has_sums;                       /* it added a lane in this call */
    uint64_t added;                      /* the sum of all that it added to `fixed`, modulo 2^64 */
};

/* The floats of a state. */
struct descent_arrays {
    float *parameters; /* in a file, where it only holds them and they are many */
    float *slots;      /* (cost.slots, parameters) */
    float *best;       /* (parameters) where the weights of the best epoch are kept, else NULL */
    /* (rows of the table): how many steps there were when it was moved last, modulo 2^32 */
    uint32_t *row_steps;
};

/* Sums of the floats of a state, as they were written last. */
struct descent_sums {
    uint32_t parameters, best;
    uint32_t slots; /* and row_steps */
    uint32_t mixed; /* the parameters' words, mixed so that small differences do not cancel */
};

/* Check sums of memory that only the learner writes (descent_guard.c). */
struct descent_guard {
    struct descent_sums arrays;
    struct descent_sums table;       /* the table's part of these */
    struct optimizer_row_sums *rows; /* (table rows): the sums of each */
    uint32_t tensors[TENSORS_MAX];   /* the sum of each one's parameters */
    uint32_t derived;
    bool derived_was_bad;
};

struct descent {
    struct learner learner; /* its team measures, and loads rows */
    struct team *team;      /* computes lanes; NULL also where it would not pay */
    struct differentiable model;
    struct kind_cost cost;         /* cost of `model` */
    uint32_t table;                /* the tensor that is one (descent_table.h); TENSORS_MAX: none */
    uint32_t sums_at[TENSORS_MAX]; /* where each tensor begins among the reals of a gradient */
    struct optimizer_powers powers;     /* powers of beta2 */
    struct optimizer optimizer, linear; /* `linear`: the linear part's */
    uint32_t batch;                     /* the most rows of a step */
    uint64_t steps_per_epoch, planned_steps;
    bool keeps_best;        /* a copy of the best epoch's weights (descent_best.h) */
    bool chooses_best;      /* 'auto': at the end that copy or the last weights */
    bool has_room_for_best; /* the copy fits into what the job allows a worker */

    struct progress progress;
    struct descent_arrays arrays;
    int32_t *exponents; /* (tensors): of the scales of their gradients */
    struct descent_guard guard;

    struct descent_member *members; /* (member_count) */
    uint32_t member_count;
    struct row_lanes rows;     /* the training rows */
    uint32_t *lane_rows;       /* (lanes): the number of training rows in each */
    uint64_t *held_out;        /* (lanes + 1): where each lane's rows of validation begin */
    struct lane_share *shares; /* (lanes): of step `shares_step`, when has_shares */
    uint32_t *taken;           /* (lanes): by the epoch's steps, that one included */
    uint64_t shares_step;
    bool has_shares;
    float *clipped; /* (parameters): descent_clip.h; NULL: gradients are not cut */
    float *derived; /* the transposed copy (derive() of differentiable.h) when has_derived */
    bool has_derived;
};

/* Its weights are learned on parameter servers, and come to it when they are: it takes no step, and
 * has no room for one. */
static inline bool descent_only_holds(const struct descent *descent)
{
    return descent->learner.spec->servers > 0;
}

static inline uint64_t descent_slot_count(const struct descent *descent)
{
    return (uint64_t)descent->cost.slots * descent->model.parameter_count;
}

/* Where the levels of a tensor's lanes are counted among the integers of a gradient. */
static inline uint32_t descent_levels_at(const struct descent *descent, uint32_t tensor)
{
    return SUM_OVERFLOWS + descent->model.tensor_count + tensor * FIXED_COUNT_WORDS;
}

/* Elements of a tensor that lie side by side and are moved alike: from `at` on. */
struct descent_run {
    uint32_t count;
    bool is_linear;
};
static inline struct descent_run descent_run_at(const struct tensor *tensor, uint32_t at)
{
    const uint32_t width = tensor->row_width > 0 ? tensor->row_width : tensor->count;
    const uint32_t in_row = at % width;

    if (tensor->linear == 0)
        return (struct descent_run){tensor->count - at, false};
    if (in_row < tensor->linear)
        return (struct descent_run){tensor->linear - in_row, true};
    return (struct descent_run){width - in_row, false};
}

/* Where it is said that the time is over. */
static inline uint32_t descent_time_over_at(const struct descent *descent)
{
    return descent_levels_at(descent, descent->model.tensor_count);
}

/* Fill rows and counts of a phase from its kind and step. */
void descent_describe_phase(const struct descent *descent, struct phase *phase);
/* Can a job be there? */
bool descent_is_possible(const void *self, const struct learner_taking *coming);

/* How many rows the epoch's earlier steps took. */
uint64_t descent_batch_first(const struct descent *descent, uint64_t step);

/* The values that learning begins with. */
void descent_start(struct descent *descent);

/* A loss of the label as it is learned is multiplied by this for people. */
double descent_loss_unit(const struct descent *descent);

/* Sets the end of the optimizer's schedule from progress. */
void descent_follow_progress(struct descent *descent);
