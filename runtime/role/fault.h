/*
 * fault.h - named points at which a test kills or stops a role.
 *
 *     TOTRAIN_FAULT="role=worker,index=1,step=17,attempt=0,point=before_apply,action=kill"
 *
 * `attempt` is the role's incarnation, so that the process that takes its
 * place lives; without it none does. Without a point the step's begin is
 * meant, without an action kill; stop stops the process, hold its calling thread alone, until
 * SIGUSR2; at before_apply no_memory makes the step of a training worker fail for want of memory;
 * at records, checkpoint_piece and checkpoint_before no_room refuses that write, as a full disk
 * does. The latter two are also reached by a parameter server that stores a snapshot (role=server).
 * Only in builds with TOTRAIN_FAULTS; elsewhere the variable is not read.
 *
 *     TOTRAIN_FAULT="role=worker,index=1,step=17,point=before_apply,flip=weights,bit=123456"
 *
 * Once, one bit of a training worker's memory is inverted, and the worker goes on. Which memory:
 * worker_fault.h and learner_memory (runtime/learn/learner.h) tell the names. The bit counts from
 * its start, and again from the start where the memory has fewer. The log says which bit it was,
 * and at a name that has no memory in this job that it was none.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FAULT_POINT_MAP(X)                                                                         \
    X(BEGIN, "begin")                 /* a step's first lane */                                    \
    X(AFTER_PARTIAL, "after_partial") /* partial sums sent */                                      \
    X(AFTER_SUM, "after_sum")         /* own segment's sum sent */                                 \
    X(BEFORE_APPLY, "before_apply")                                                                \
    X(AFTER_APPLY, "after_apply")                                                                  \
    X(PUBLISHING, "publishing")     /* the model is about to be measured; any step */              \
    X(MODEL_SENT, "model_sent")     /* some of its rows are about to be sent; step: the first */   \
    X(MODEL_STORED, "model_stored") /* master: they are stored, and nothing was sent */            \
    X(RECORDS, "records") /* rows are about to be stored; step: transactions before it */          \
    X(CHECKPOINT_PIECE, "checkpoint_piece")   /* a piece is stored; step: its position */          \
    X(CHECKPOINT_BEFORE, "checkpoint_before") /* all pieces are, the head is not */                \
    X(CHECKPOINT_AFTER, "checkpoint_after")   /* master: the checkpoint is stored */               \
    X(END_BEFORE, "end_before")     /* master: the job's end is about to be committed; any step */ \
    X(END_STORED, "end_stored")     /* master: it is stored, and nothing was sent */               \
    X(SHARD_BEGIN, "shard_begin")   /* a shard's first rows are scored; step: its first row */     \
    X(SHARD_SCORED, "shard_scored") /* its results are about to be sent */                         \
    X(ROW, "row") /* step: the row that is about to be scored; whichever worker has it */          \
    X(SHARD_BEFORE, "shard_before") /* master: a shard's results are here, and not stored */       \
    X(SHARD_AFTER, "shard_after")   /* master: they are stored, and nothing was sent */            \
    X(DELIVERED, "delivered") /* publisher: it is in the user's database, and nothing was sent */

enum fault_point {
#define X(name, text) FAULT_##name,
    FAULT_POINT_MAP(X)
#undef X
        FAULT_POINTS
};

struct fault {
    bool is_set, stops, holds, flips, starves, refuses;
    char memory[16]; /* flips: its name */
    uint64_t bit;
    char role[16];
    uint32_t index, attempt;
    uint64_t step;
    bool has_step, has_attempt, has_index; /* without an index: 0, or any (ROW, MODEL_SENT) */
    enum fault_point point;
};

/* From the environment; not set where there is none or it is malformed. */
struct fault fault_read(void);
/* Whether it is the named point. */
bool fault_is_reached(const struct fault *fault, enum fault_point point, const char *role,
                      uint32_t index, uint32_t attempt, uint64_t step);
/* Does not return when it is the named point (or returns after a SIGCONT); not for a flip,
 * no_memory or no_room. */
void fault_reach(const struct fault *fault, enum fault_point point, const char *role,
                 uint32_t index, uint32_t attempt, uint64_t step);
/* Inverts the fault's bit in these bytes, and logs it. */
void fault_flip(const struct fault *fault, void *bytes, size_t size);
