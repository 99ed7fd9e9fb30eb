/*
 * experiment.h - what experiments with real processes need of a worker. Only in
 * builds with TOTRAIN_FAULTS; elsewhere the variables are not read.
 *
 *     TOTRAIN_PACE="us=500,index=1,factor=8"
 *         Rows take 500 microseconds each, those of worker 1 eight times as
 *         long: after each lane the worker waits in the loop until that time is
 *         over, so that more workers than cores can be watched; one that scores waits after
 *         each part of a shard. SIGUSR1: from now on this worker does not wait any more, so
 *         that an experiment ends when all that it wanted has happened, and its job lasts as
 *         long as that takes.
 *     TOTRAIN_PACE="us=500,server_us=20,server=1,server_factor=4"
 *         Of a job over parameter servers: a batch that a worker pushes takes as long as its rows
 *         do, and a server stands still for 20 microseconds for each row of weights that is
 *         pulled from it, server 1 four times as long.
 *     TOTRAIN_PACE="server_us=20,crowd=1"
 *         Such a job begins with all rows on server 0, but for one bucket of each other.
 *     TOTRAIN_PACE="us=500,others=1"
 *         A phase takes longer for each other worker of the group, by once what all of its rows
 * take one worker: as of a job whose exchange of sums takes longer than its rows.
 *     TOTRAIN_MEASURE=MS
 *         A master measures a number of workers for so long, instead of a second; without it those
 *         of a paced job are not measured, and it has as many as an experiment wants.
 *     TOTRAIN_UNSOUND=INDEX
 *         The self-test of this worker's machine fails.
 *     TOTRAIN_HANG=MS
 *         A master takes a worker for dead whose work stands still for so long, instead of
 *         the time that it otherwise takes.
 *     TOTRAIN_TRACE=FOLDER
 *         Each worker writes FOLDER/worker-INDEX.INCARNATION.jsonl: a line for
 *         each phase that it applied, and one with "event": "asked" when SIGTERM
 *         reached it. One that pushes writes a line for each batch that all servers have counted.
 */
#pragma once

#include "runtime/ps/server/server_layout.h"
#include "runtime/ps/worker/push_worker.h"
#include "runtime/train/worker/worker.h"

struct experiment {
    double us_per_row; /* 0: not paced */
    double per_other;  /* each other worker adds so much, in times of all rows */
    int64_t began_us;  /* the first lane of a phase in a group */
    uint64_t epoch, phase;
    uint64_t traced_phase;
    uint64_t request, traced_batches; /* a pushing worker's */
    int trace;                        /* descriptor; -1: none */
};

void experiment_open(struct experiment *experiment, uint32_t index, uint32_t incarnation);
void experiment_close(struct experiment *experiment);

bool experiment_is_paced(const struct experiment *experiment);
/* The value of TOTRAIN_HANG, else `usual`. */
int64_t experiment_hang_ms(int64_t usual);
/* The value of TOTRAIN_MEASURE, else `usual`; 0, not at all, for a paced job. */
int64_t experiment_measure_ms(int64_t usual);
bool experiment_is_unsound(uint32_t index); /* TOTRAIN_UNSOUND says so */
/* SIGUSR1 has come. */
bool experiment_is_hurried(void);

/* Around a call of the worker; times are those of loop_now_us. */
void experiment_before(struct experiment *experiment, const struct worker *worker, int64_t now_us);
void experiment_after(struct experiment *experiment, const struct worker *worker, int64_t now_us);
void experiment_asked(struct experiment *experiment, const struct worker *worker, int64_t now_us);

/* Until when the worker must not go on; 0: now. */
int64_t experiment_wait_until(const struct experiment *experiment, const struct worker *worker,
                              int64_t now_us);

/* The same of a worker that pushes: asked before it computes, and after each call. */
int64_t experiment_wait_batch(struct experiment *experiment, const struct push_worker *worker,
                              int64_t now_us);
void experiment_after_batch(struct experiment *experiment, const struct push_worker *worker,
                            int64_t now_us);

/* The pace of a server; 0: it is not paced. */
double experiment_server_us(uint32_t index);
/* The layout that a job begins with. */
void experiment_crowd(struct server_layout *first);
/* Stands still for so many rows. */
void experiment_serve(double us_per_row, uint64_t rows);
