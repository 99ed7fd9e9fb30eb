/*
 * outbox_executor.h - carries out the actions that the role which leads a job left in its outbox:
 * rows into job.db, events and orders to the launcher.
 *
 *     outbox --rows, one transaction--> job.db --committed--> events to the door, worker_actions
 *            --pieces of checkpoints--> job.db                to the launcher
 *
 * What one call of the role asked for is one transaction, and is in the store before any other
 * process learns of it. Checkpoints are apart: the job can do without one, so a store that has no
 * room for it is not the end of the job. What became of it is asked for afterwards
 * (outbox_executor_take_outcome). Nor are rows the end of it that can wait (waiting_rows.h): they
 * are kept in memory, and a notice says so.
 *
 * The executor claims the store as it is opened; once a later master has, every transaction is
 * STALE, and nothing is sent to the door any more.
 */
#pragma once

#include "runtime/launch/job_event.h"
#include "runtime/loop/store_call.h"
#include "runtime/record/event_log.h"
#include "runtime/record/waiting_rows.h"
#include "runtime/role/fault.h"
#include "runtime/role/outbox.h"

/* The outcome of the pieces and the end of one checkpoint. */
struct checkpoint_outcome {
    bool is_due; /* not taken yet */
    uint64_t id;
    struct error why; /* OK: it is stored */
};

/* The launcher's actions on workers. */
struct worker_actions {
    void *self;
    /* It is silent: counted as dead, and another process takes its place. */
    void (*replace)(void *self, uint32_t index, uint32_t incarnation);
    /* It joined, or is not here any more. */
    void (*note_worker)(void *self, uint32_t index, uint32_t incarnation, bool is_here);
    /* Rows killed it, its program did not fail. */
    void (*killed_by_rows)(void *self, uint32_t index);
    /* More workers than that have no work. */
    void (*limit_lanes)(void *self, uint32_t lanes);
    /* So many workers pay, as was measured; a number that the user asked for stays. */
    void (*limit_useful)(void *self, const struct useful_workers *useful);
    /* This worker is slow, and may be on a machine that is. NULL: nothing is to be done about it.
     */
    void (*note_slow)(void *self, const struct slow_worker *slow);
    /* The job's parameter servers have done their part, perhaps under an earlier master. NULL:
     * nothing is to be done about them. */
    void (*servers_done)(void *self);
    /* So many parameter servers run from now on, those of the first indexes; `serving` of them
     * have the rows, 0: it is not known yet. NULL: their number stays. */
    void (*run_servers)(void *self, uint32_t least, uint32_t most, uint32_t serving);
};

struct outbox_executor {
    const struct journal *journal; /* job.db is a copy of it; NULL: of none */
    struct jobstore *store;
    uint32_t incarnation; /* number that it was claimed with */
    struct checkpoint_outcome outcome;
    uint64_t failed_id;    /* its other pieces are not tried */
    bool leaves_room;      /* pieces do not fill the disk (checkpoint_leave_room) */
    bool logs_steps;       /* its store has a log of steps (step_log.h) */
    bool has_gap;          /* a step is missing: the log begins again with the next snapshot */
    uint64_t transactions; /* transactions of rows, so far */
    struct waiting_rows waiting; /* rows that wait for room on the disk */
    struct event_log events;     /* log.tensorboard; closed without it */
    struct store_call *call;     /* begun around each use of the store; NULL: none */
    struct fault fault;
    const char *role; /* role whose points of faults these are; NULL: the master's */
    uint32_t index;   /* index of that role */
    /* A JSON line: job_event of job_event.h, newline included. */
    void (*say)(void *context, const struct job_event *event, struct slice line);
    void *context;                        /* first argument of `say` */
    const struct worker_actions *workers; /* NULL: they are in this process */
};

/* job.db of the folder, made when it is not there yet, and made anew where it is a copy.
 * `incarnation`: the least to claim. INVALID for a job that has ended. */
enum status outbox_executor_open(struct outbox_executor *executor, const char *folder,
                                 uint32_t incarnation, struct error *err);
/* Before the first outbox_executor_perform: metrics go into event files, too (event_log.h). */
enum status outbox_executor_log_events(struct outbox_executor *executor, const char *folder,
                                       struct slice directory, struct error *err);
void outbox_executor_close(struct outbox_executor *executor);

/* STALE when another master leads. For a master that has nothing to write and
 * would not find out. */
enum status outbox_executor_check_claim(const struct outbox_executor *executor, struct error *err);
/* A snapshot begins: steps are logged again if one was not. */
static inline void outbox_executor_begin_log(struct outbox_executor *executor)
{
    executor->has_gap = false;
}
bool outbox_executor_take_outcome(struct outbox_executor *executor,
                                  struct checkpoint_outcome *outcome);

/* Has the job ended before this master came? Then it is not needed, and outbox_executor_open has
 * refused the claim (INVALID) but left the store open. */
bool outbox_executor_has_ended(const struct outbox_executor *executor, struct job_row *row);

/* When the store refuses, JOB_FAILED is reported and the error returned. CONNECTION, of a journal,
 * does not fail the job: another master may reach it. */
enum status outbox_executor_perform(void *executor, const struct outbox *outbox, struct error *err);
void outbox_executor_say(const struct outbox_executor *executor, const struct job_event *event);
/* A line for the user. */
void outbox_executor_say_notice(const struct outbox_executor *executor, const char *text);
/* The final event of a job that has no master any more. */
void outbox_executor_say_failed(const struct outbox_executor *executor, const struct error *err);
/* Reports the end of a job that has ended, from its row: DONE, or FAILED with the row's error,
 * which is also left in *failure (OK: done). */
void outbox_executor_say_ended(const struct outbox_executor *executor, const struct job_row *row,
                               struct error *failure);
