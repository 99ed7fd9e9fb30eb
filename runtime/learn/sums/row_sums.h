/*
 * row_sums.h - the learner of models that follow from sums over the rows.
 *
 *     phase 0 --> phase 1 --> ... --> DONE
 *
 * Each phase adds up numbers over all rows, and from the totals a state, an array of numbers, moves
 * on. What is added up, and what is made of it, a struct row_sums_method says (newton.h,
 * regression.h). All else is here: lanes and their rows, exact totals, states, guards, measuring.
 *
 * A lane adds up its rows in double, and gives each sum as two integers: its whole part, and what
 * is left in units of 2^-50. So lanes can be added in any grouping, and no scale has to be known
 * before. Nothing is kept of a row.
 */
#pragma once

#include "runtime/learn/learner.h"

/* Training rows [first, end), which are held, as a phase adds them up. */
struct row_range {
    uint64_t phase, first, end;
    struct team *team;
};

/* Sizes that follow from spec and data alone. */
struct row_sums_plan {
    uint64_t state_count; /* numbers of the state, all 0 at the beginning */
    uint32_t sums_most;   /* numbers that a phase adds up, at most */
    uint64_t steps_most;  /* so many steps, and not more; at least 1 */
    uint64_t lane_work;   /* cost of a lane's sums, as so many numbers, for job_lanes */
    double row_work;      /* multiplications of a row when it is scored */
};

struct row_sums_method {
    size_t bytes;        /* size of `self` */
    const char *step;    /* "round": what a phase is called where it fails */
    uint32_t first_step; /* the first phase that is a step of learning */

    /* Makes `self`, which is zero, and the plan; close() follows an error, too. */
    enum status (*plan)(void *self, const struct jobspec *spec, const struct dataset *dataset,
                        struct row_sums_plan *plan, struct error *err);
    void (*close)(void *self); /* frees all but itself */
    uint32_t (*sums)(const void *self, uint64_t phase);
    /* Adds the rows to the sums. Rows are added in their order, each sum by one task, so that the
     * team leaves no trace. */
    enum status (*add)(void *self, const struct row_range *rows, const double *state, double *sums,
                       struct error *err);
    /* Moves the state on. `report` has the epoch; of a step the method adds the loss. A phase that
     * is step number `steps_most` has to be the last. The totals are the method's to change. FAILED
     * names what went wrong. */
    enum status (*apply)(void *self, uint64_t phase, double *totals, double *state,
                         struct learner_report *report, bool *is_last, struct error *err);
    /* The content of a model of this state; it points into the method until the next call. */
    void (*fill)(void *self, const double *state, struct model *model);
    /* Adds notices about that model; NULL: there are none. */
    void (*tell)(const void *self, const double *state, struct notice_list *notices);
};

/* The learner whose subject is a struct row_sums_method. */
extern const struct learner_method row_sums_learner;
