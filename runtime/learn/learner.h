/*
 * learner.h - the frame of all learners: what each of them would else write again.
 *
 *     open (plan, cut) --> contribute, apply ... --> DONE --> measure, result, publish
 *
 * A learner is a struct of its own that begins with a struct learner, and a struct learner_method:
 * what its lanes add up, and how its state moves on. Its state is a list of arrays and a record of
 * fields, which the method names. Everything that can be done with named memory is done here:
 * states are read, taken by pieces and given up, hashed, summed against bits that invert
 * themselves, compared with those of other workers, and set back to the beginning. The finished
 * model is measured and written here, too.
 *
 * A learner holds the whole state: another worker's learner that takes it continues from there, bit
 * for bit. A state may be many gigabytes large, so it is read and written by pieces where it lies:
 *
 *     state_head, state_read --pieces--> take_begin, take_piece ..., take_end
 *                                                  |
 *                                                  +--take_abandon--> as before
 *
 * No clock or socket inside; threads only those of the team, which leave no trace in the sums.
 */
#pragma once

#include "base/field.h"
#include "runtime/learn/learning.h"
#include "runtime/learn/measuring.h"

/* ---- the state: arrays and fields ---- */

#define LEARNER_ARRAYS_MAX 11

/* How an array is guarded. By default it is summed after each apply, and compared with that sum by
 * every look at the whole state. */
enum learner_trait {
    LEARNER_USED = 1,     /* lanes and apply read it: it is also compared before these count */
    LEARNER_SIZED = 2,    /* its size is the state's; else it follows from spec and data */
    LEARNER_APPENDED = 4, /* it only gets longer: an apply sums what is new */
    LEARNER_OWN = 8,      /* the method sums and compares it; it may keep `guards` for check */
    LEARNER_IN_FILE = 16  /* its memory lies in a file (base/file_memory.h) */
};

struct learner_array {
    void **at;           /* the learner's pointer to it; NULL there: it has no bytes yet */
    uint64_t bytes;      /* whole 32-bit words, without padding: equal states have equal bytes */
    unsigned traits;     /* bits of enum learner_trait */
    const char *what;    /* "the centers": as an error names it */
    const char *in_test; /* the name by which tests find it (learner_memory); NULL: none */
};

/* Sums of an array as it was written last. In the second one each word is mixed, so that small
 * differences between workers do not cancel. */
struct learner_guard {
    uint32_t sum, mixed;
    uint64_t bytes; /* bytes that were summed */
};

/* A state on its way here, as the method is asked whether it can exist. */
struct learner_taking {
    bool is_active;
    bool in_place; /* arrays may be the learner's own, which had learned nothing */
    uint64_t body_hash;
    struct phase phase;                 /* number, kind and step */
    void *progress;                     /* like the learner's own */
    uint64_t bytes[LEARNER_ARRAYS_MAX]; /* length of each array */
    void *arrays[LEARNER_ARRAYS_MAX];
};

/* ---- the method ---- */

/* The aim of a look: all of the state, the part that lanes of this phase were computed with, or the
 * part that lanes and apply are about to read. */
enum learner_look { LOOK_AT_ALL, LOOK_AT_USED, LOOK_AT_READ };

/* self: the learner's own struct, which begins with a struct learner. */
struct learner_method {
    size_t bytes;                         /* size of its own struct */
    struct field_table (*progress)(void); /* the fields of the state; NULL: it has none */
    size_t progress_at, progress_bytes;   /* place and length of their record in that struct */

    /* Makes the plan, which spec and dataset decide alone, and all else that it has, in a struct
     * that is zero but for subject, spec, dataset and team. INVALID, LIMIT and NO_MEMORY are for
     * whoever opens it; close() follows. */
    enum status (*plan)(void *self, struct error *err);
    void (*close)(void *self); /* frees all but what the frame has */
    /* Appends what the learned bits depend on besides the job's settings, lanes and rows. */
    void (*put_shape)(const void *self, struct text *out);
    /* Lists the arrays of the state, always the same ones; returns their number. */
    uint32_t (*arrays)(void *self, struct learner_array list[LEARNER_ARRAYS_MAX]);
    /* Can a job be there? Sizes are the method's to check where they are the state's. */
    bool (*is_possible)(const void *self, const struct learner_taking *coming);
    /* The state is another one: that which was taken, or, NULL, that of the beginning, all of it
     * zero, which becomes what learning begins with. That fails when the learner is opened, or
     * never; an error of the other sets the learner back to the beginning. */
    enum status (*enter)(void *self, const struct learner_taking *taken, struct error *err);
    /* Fills rows, counts and, where they follow from the progress, step and epoch of learner.phase,
     * whose rows and counts are 0. Called with each change of the state. */
    void (*describe)(void *self);
    /* Adds the contributions of some of the lanes [first, first + count), from the first on, to
     * integers (integer_count) and sums (owned_count, then real_count and the table's touched rows
     * in fixed point), which are `rows` (NULL where the phase has no table): it touches those that
     * it adds to. *done, which is 1: how many, and no more than take some milliseconds. Adds all
     * terms of `sums` to learner.contributed. A failure is that of their rows (row_store_hold) or
     * of memory, and the sums are of no use then. */
    enum status (*contribute)(void *self, uint32_t first, uint32_t count, int64_t *integers,
                              int64_t *sums, struct touched_rows *rows, uint32_t *done,
                              struct error *err);
    /* With all totals of the phase the state moves on; kind and step of learner.phase are the
     * method's to set. `report` has the epoch. FAILED when something is not finite, naming step and
     * rows. */
    enum status (*apply)(void *self, const struct phase_totals *totals,
                         struct learner_report *report, struct error *err);
    /* The content of the finished model, which points into the learner, and row_work. */
    enum status (*fill)(void *self, struct model *model, struct error *err);

    /* ---- each of these may be NULL ---- */

    /* learner.team is another one, of another size maybe. NO_MEMORY: the learner is of no use. */
    enum status (*use_team)(void *self, struct error *err);
    /* For a method that keeps something of each row of a lane, such as what the trees so far say of
     * it. The lanes [first, first + count) are computed here from now on: what is kept of the rows
     * of those after the first `done` is made from the state. Returns how many are done then: at
     * least one more, and no more than take some milliseconds. `done` is 0 at the first lanes, when
     * others are given, and when a state was taken or given up: what is kept of other lanes is of
     * no use any more. contribute() leaves it as it is, apply() moves it on. */
    uint32_t (*lane_open)(void *self, uint32_t first, uint32_t count, uint32_t done);
    /* Does what learner_resolve says. NULL: no phase has reals. */
    struct fixed_resolved (*resolve)(const void *self, const int64_t *fixed, uint32_t first,
                                     uint32_t count, float *reals);
    /* CORRUPT when memory that the method guards itself is not what was written last. `rows`: of
     * the table, those that lanes touched; NULL where the phase has none. */
    enum status (*verify)(const void *self, enum learner_look look, const struct touched_rows *rows,
                          struct error *err);
    enum status (*verify_rows)(void *self, uint64_t *position, uint64_t most, struct error *err);
    /* Adds notices about the model that begins to be measured. */
    void (*tell)(void *self, struct measuring *measuring);
    /* Finds the memories of learner_memory that are no arrays. NULL: learner_rows_memory. */
    void *(*memory)(void *self, const char *name, size_t *size);
    /* In place of measuring.h: as the learner's functions of these names. */
    enum status (*measure)(void *self, bool *is_done, struct error *err);
    enum status (*result)(const void *self, char digest[DIGEST_BYTES], uint64_t *rows,
                          struct result_metric metrics[LEARNER_METRICS_MAX], size_t *metric_count,
                          struct error *err);
    enum status (*publish)(const void *self, const char *digest, uint64_t *next, size_t bytes_max,
                           bool *is_at_end, model_row_sink *sink, void *context, struct error *err);
};

/* ---- the learner ---- */

struct learner {
    const struct learner_method *method;
    const void *subject; /* learner_open took it */
    const struct jobspec *spec;
    const struct dataset *dataset;
    struct team *team; /* NULL: the caller alone */

    /* The plan: fixed by spec and data alone. */
    uint32_t lanes, elements_most; /* elements_most: phase_elements() of any phase */
    uint32_t epochs_total;         /* passes over the rows; 0: it has no such */
    uint64_t steps_total;          /* planned; the job may end before */
    struct learner_course course;  /* {1, 1}: a round needs all rows once */
    uint32_t ranges;               /* ranges of a lane, whose rows are held one after the other */
    uint64_t *starts;              /* (lanes * ranges + 1): the first row of each */
    double row_work;               /* multiplications of a row when it is scored */

    /* The state, with the arrays. */
    struct phase phase;
    void *progress;

    uint64_t fingerprint; /* hash of plan and rows: the same for all workers */
    uint64_t contributed; /* the sum, modulo 2^64, of all that was ever added to `sums` */
    uint64_t waited_ms; /* in all, that rows from elsewhere have kept lanes: not the lanes' time */
    uint32_t computed;  /* the lane that was computed here last */
    bool is_time_over;  /* no part of the state: what is contributed says so */
    struct learner_guard guards[LEARNER_ARRAYS_MAX];
    struct learner_taking taking;
    struct measuring measuring;
    struct model model; /* the one that is measured; no content: none is */
};

/* ---- the plan and rows, for the method ---- */

/* Lanes of about so much work (job_lanes), and ranges of rows that are held together. */
enum status learner_cut(struct learner *learner, uint64_t lane_work, struct error *err);
/* The same with these lanes and ranges. */
enum status learner_share_out(struct learner *learner, uint32_t lanes, uint32_t ranges,
                              struct error *err);
/* While its rows are computed with, those of the lane's next range come. */
enum status learner_hold(const struct learner *learner, uint32_t range, struct error *err);
void learner_release(const struct learner *learner, uint32_t range);

/* A term of a sum with an owner. */
static inline void learner_add(struct learner *learner, int64_t *sum, int64_t term)
{
    *sum = (int64_t)((uint64_t)*sum + (uint64_t)term);
    learner->contributed += (uint64_t)term;
}

/* ---- life ---- */

/* A learner in the state of the beginning, which keeps pointers to spec, dataset and team. subject:
 * what the method needs to know besides, where several kinds share it. */
enum status learner_open(const struct learner_method *method, const void *subject,
                         const struct jobspec *spec, const struct dataset *dataset,
                         struct team *team, struct learner **out, struct error *err);
void learner_close(struct learner *learner); /* all of it is freed */
/* From now on this team computes the lanes; the one before is not used any more. It leaves no trace
 * either. NO_MEMORY: the learner is of no more use. */
enum status learner_use_team(struct learner *learner, struct team *team, struct error *err);
void learner_restart(struct learner *learner); /* back to the state of the beginning */

/* ---- phases: as struct learner_method has them ---- */

/* Whether its lanes are to be opened, by this function. */
bool learner_opens_lanes(const struct learner *learner);
uint32_t learner_lane_open(struct learner *learner, uint32_t first, uint32_t count, uint32_t done);
enum status learner_contribute(struct learner *learner, uint32_t first, uint32_t count,
                               int64_t *integers, int64_t *sums, struct touched_rows *rows,
                               uint32_t *done, struct error *err);
/* The reals of the complete sums fixed[0, count), which are the elements [first, first + count) of
 * the fixed-point part, the table's behind the others: what the owner of a segment sends to
 * everyone. Returns the sums of what it read and wrote. */
struct fixed_resolved learner_resolve(const struct learner *learner, const int64_t *fixed,
                                      uint32_t first, uint32_t count, float *reals);
/* CORRUPT when it would read what is not what was written last. */
enum status learner_apply(struct learner *learner, const struct phase_totals *totals,
                          struct learner_report *report, struct error *err);
/* The time of the job is over: what is contributed from now on says so, and the phase that has such
 * totals is the last that learns. May be called at any time, of any of the workers. */
void learner_end_soon(struct learner *learner);

/* ---- state ---- */

/* The head says whose state it is and what the body hashes to, for which the whole body is read.
 * The body has learner_state_bytes() bytes, of which any run may be read at any time; they change
 * with the next apply and take_end. */
enum status learner_state_head(struct learner *learner, struct text *head, struct error *err);
uint64_t learner_state_bytes(struct learner *learner);
void learner_state_read(struct learner *learner, uint64_t offset, size_t size, char *bytes);
/* Takes the state of a learner that was opened on the same job. The learner goes on to have its own
 * state until take_end: beside the one that comes, which takes as much memory again, or, where
 * nothing has been learned yet, by starting anew when the taking is abandoned. CORRUPT for a head
 * of another job or version, or a body that is not what the head says: nothing has changed then,
 * and the taking is over. The pieces come in any order and cover body_bytes. */
enum status learner_take_begin(struct learner *learner, struct slice head, uint64_t body_bytes,
                               struct error *err);
void learner_take_piece(struct learner *learner, uint64_t offset, struct slice bytes);
enum status learner_take_end(struct learner *learner, struct error *err);
void learner_take_abandon(struct learner *learner); /* also where none has begun */

/* Weights that were learned elsewhere, on parameter servers, take the place of its own: `count` of
 * them from the first on, in the order of the model's arrays, which are the first array of the
 * state. After all of them end_learning leaves nothing to do but to look at the model and to
 * publish it. */
void learner_take_weights(struct learner *learner, uint64_t first, const float *values,
                          uint64_t count);
void learner_end_learning(struct learner *learner);

/* ---- at PHASE_DONE ---- */

/* Measures the model, some milliseconds of it in a call, until it is done. It is measured with the
 * scoring code on the model as it will be stored. Neither the team nor the calls leave a trace. */
enum status learner_measure(struct learner *learner, bool *is_done, struct error *err);
/* When measured: the model's digest and metrics, and how many rows it learned from. */
enum status learner_result(const struct learner *learner, char digest[DIGEST_BYTES], uint64_t *rows,
                           struct result_metric metrics[LEARNER_METRICS_MAX], size_t *metric_count,
                           struct error *err);
/* Some of the model's rows: model_write_some. `digest` as measured. */
enum status learner_publish(const struct learner *learner, const char *digest, uint64_t *next,
                            size_t bytes_max, bool *is_at_end, model_row_sink *sink, void *context,
                            struct error *err);

/* ---- memory that changes by itself, and what workers have in common ---- */

uint64_t learner_check(struct learner *learner); /* the same for all workers before a phase */
/* CORRUPT when what the look is for is not what was written last. `rows`: as struct learner_method
 * has them. */
enum status learner_verify(struct learner *learner, enum learner_look look,
                           const struct touched_rows *rows, struct error *err);
/* The same of the rows: at most so many chunks of 1 MiB from a position on, which is 0 again after
 * the last one. */
enum status learner_verify_rows(struct learner *learner, uint64_t *position, uint64_t most,
                                struct error *err);
/* For tests that invert a bit: a memory by its name, of rows some that are held. NULL: there is
 * none of that name now, or it is mapped from a file. */
void *learner_memory(struct learner *learner, const char *name, size_t *size);

/* The data set's rows in the range of the lane that was computed here last: "rows", "ids",
 * "labels".
 */
void *learner_rows_memory(struct learner *learner, const char *name, size_t *size);
