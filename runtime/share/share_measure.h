/*
 * share_measure.h - how many workers pay, measured while the job runs.
 *
 *                   +--------- a window ends ---------+
 *                   |                                 v
 *     RESTS --a size that was not measured--> FULL --HALVE--> HALF --RESTORE--> AGAIN --DECIDED-+
 *       ^                                                                                       |
 *       +---------------------------------------------------------------------------------------+
 *
 * FULL: the pace of the size that runs. HALF: that of the number of workers which is half of it;
 * the others stand by. AGAIN: that of the size once more. Where both paces of the size are the
 * same, or half is faster than either by more than these differ, they are believed, and the curve
 * (share_curve.h) is fitted to all sizes that were measured; else the same is measured in longer
 * windows, and after SHARE_MEASURE_TRIES not at all. Half is measured once, where the job has so
 * much left that it costs little: later sizes are measured as they come, FULL followed by DECIDED.
 *
 * Each size is measured once in a job, so decisions come to an end. A size grows only where that
 * saves more time than workers need to start.
 *
 * Earlier jobs of the same model may have measured sizes, too. Those that this job has not measured
 * are believed by their ratio to those that it has, and nobody stands by for a size that is known.
 *
 * Pure: times are arguments. Bits of the model depend on none of it.
 */
#pragma once

#include <stdbool.h>

#include "runtime/share/share_paces.h"

#define SHARE_MEASURE_SIZES SHARE_PACES_MAX
#define SHARE_MEASURE_TRIES 3
#define SHARE_MEASURE_SAME  .1  /* two paces of a size differ by less than so much of them */
#define SHARE_MEASURE_PART  .05 /* measuring takes no more of the time that is left */

enum share_stage { SHARE_RESTS_NOW, SHARE_FULL, SHARE_HALF, SHARE_AGAIN };

/* The leader of the job is to do this. */
enum share_move {
    SHARE_STAY,
    SHARE_HALVE,   /* share_measure.half workers go on, the others stand by */
    SHARE_RESTORE, /* all workers go on */
    SHARE_FITTED   /* `curve` and `useful` are new */
};

/* The job as it is now. */
struct share_moment {
    int64_t now_ms;
    uint32_t workers;    /* those that have lanes */
    uint64_t rows;       /* done, all in all */
    double seconds_left; /* with these workers; negative: not known */
    double move_seconds; /* the cost of going to half of the workers and back, beside windows */
};

/* A window lasts for so long at least, and until the job has told of progress so often, as steps
 * are not equal. */
struct share_window {
    int64_t ms;
    uint32_t notes;
};

struct share_measure {
    uint32_t least, most; /* job.min_workers, job.max_workers */
    struct share_window window;
    struct share_curve curve;  /* its lanes: known from the beginning */
    struct share_paces paces;  /* measured by this job; the newest last */
    struct share_paces before; /* by earlier ones */
    uint32_t useful;           /* the number that pays; 0: not measured yet */
    uint32_t reached;          /* the largest size that ran since it was measured */
    /* the measurement under way */
    enum share_stage stage;
    uint32_t size, half, tries;
    double first, there; /* seconds of a row: FULL's, HALF's */
    int64_t since_ms;    /* the stage's beginning */
    int64_t length_ms;   /* FULL's window took so long */
    int64_t from_ms;     /* the window's beginning; 0: it has not begun */
    uint64_t from_rows;
    uint32_t notes; /* in the window */
};

/* lanes: at least 1. A job whose least number is its most has nothing to measure. */
void share_measure_open(struct share_measure *measure, uint32_t lanes, uint32_t least,
                        uint32_t most, struct share_window window);
/* Right after it. Paces of other lanes are of no use. */
void share_measure_remember(struct share_measure *measure, const struct share_paces *before);
/* Workers came, went or were lost: what is under way does not count. */
void share_measure_stop(struct share_measure *measure);
/* The size that is being measured is not measured again. */
void share_measure_give_up(struct share_measure *measure, int64_t now_ms);
/* The lanes have moved: the window begins anew. */
void share_measure_again(struct share_measure *measure);
/* The job has made progress. */
enum share_move share_measure_note(struct share_measure *measure,
                                   const struct share_moment *moment);

/* How many workers the job should have, given how long it takes on with those that it has and how
 * long others need to start; 0: not measured yet. What was reached, and pays, stays. */
uint32_t share_measure_wanted(const struct share_measure *measure, uint32_t workers,
                              double seconds_left, double start_seconds);
