/*
 * jobstore.h - job.db: a job as data.
 *
 * Written by the job's master alone, readable by any process at any time (WAL).
 * What was committed survives the process, and from the first checkpoint on
 * (checkpoint.h) the machine. A store is used by one thread at a time.
 * Tables: job (one row), workers, events, metrics, result, model,
 * destination (destination.h), shards and targets (shardstore.h), and for the master itself
 * claim, checkpoint, checkpoint_pieces. docs/jobs.md lists the columns.
 */
#pragma once

#include "base/cell.h"
#include "base/error.h"
#include "runtime/data/store/journal_fields.h"
#include "scoring/tables/model_table.h"

/* ----- the row of the job ----- */

#define JOB_STATE_MAP(X)                                                                           \
    X(WAITING, "waiting") /* for min_workers */                                                    \
    X(RUNNING, "running")                                                                          \
    X(PUBLISHING, "publishing") /* the model is in the job store */                                \
    X(DONE, "done")                                                                                \
    X(FAILED, "failed")                                                                            \
    X(CANCELLED, "cancelled")                                                                      \
    X(LOST, "lost") /* never stored: it has not ended, and no process runs it */                   \
    X(UNPUBLISHED,                                                                                 \
      "unpublished") /* never stored: it has learned; its model is not where it was to go */

enum job_state {
#define X(name, text) JOB_STATE_##name,
    JOB_STATE_MAP(X)
#undef X
};
const char *job_state_name(enum job_state state);

/* How the job goes: by the last report of its master. Reals that are not known are NaN. */
struct job_row {
    int64_t id;
    enum job_state state;
    int64_t supervisor; /* process id; 0 when none */
    JOURNAL_JOB_FIELDS(FIELD_MEMBER)
};

/* ----- life of a store ----- */

struct jobstore;

/* INVALID when there is such a file already. */
enum status jobstore_create(const char *path, struct jobstore **store, struct error *err);
/* A store whose creator was killed before it had tables gets them, unless read_only. */
enum status jobstore_open(const char *path, bool read_only, struct jobstore **store,
                          struct error *err);
/* For writing into the store of a job that may have outlived its session, as jobstore_set_durable
 * says: one connection that does not keep to it is enough to damage the store in a power cut. */
enum status jobstore_open_durable(const char *path, struct jobstore **store, struct error *err);
void jobstore_close(struct jobstore *store);

/* ----- rows ----- */

enum status jobstore_put_job(struct jobstore *store, const struct job_row *row, struct error *err);
/* Done, failed or cancelled: the last row of a job. */
bool job_state_has_ended(enum job_state state);
/* NOT_FOUND before the first put. Reals that were not finite come back as NaN. */
enum status jobstore_get_job(struct jobstore *store, struct job_row *row, struct error *err);
enum status jobstore_put_worker(struct jobstore *store, uint32_t index, const char *state,
                                uint32_t lanes, double rows_per_second, struct error *err);
enum status jobstore_put_event(struct jobstore *store, double at_seconds, const char *role,
                               int64_t index, const char *event, const char *detail,
                               struct error *err);
/* NaN is stored as NULL. A row of the same epoch, step, metric and part is replaced: a master that
 * continues may write it again. */
enum status jobstore_put_metric(struct jobstore *store, uint32_t epoch, uint64_t step,
                                const char *metric, const char *part, double value,
                                struct error *err);
enum status jobstore_put_result(struct jobstore *store, const char *name, double train,
                                double validation, struct error *err);

/* How a report comes into the journal. */
enum report_haste {
    REPORT_LATER, /* with the job's course: of those that are sent together the last one goes */
    REPORT_SOON,  /* at once, or with the next entries where the database is away */
    REPORT_MUST   /* the transaction fails without it */
};
/* A report to the session, an object of JSON: into the journal alone. OK without one. */
enum status jobstore_put_report(struct jobstore *store, struct slice json, enum report_haste haste,
                                struct error *err);

/* ----- the model ----- */

/* In the order of model_write: a meta row throws the previous model away. */
enum status jobstore_put_model_row(struct jobstore *store, const struct model_row *row,
                                   struct error *err);
/*
 * The model that a job learns is put aside row by row, in as many transactions as it takes, and
 * becomes the job's in the one that sets the job to done: rows that lie aside are no model yet. In
 * the order of model_write: a meta row removes what lay aside before.
 */
enum status jobstore_stage_model_row(struct jobstore *store, const struct model_row *row,
                                     struct error *err);
/* Nothing lies aside afterwards. Where nothing did, the model is as it was. */
enum status jobstore_take_staged_model(struct jobstore *store, struct error *err);
enum status jobstore_forget_staged_model(struct jobstore *store, struct error *err);

/* ----- transactions, and the claim ----- */

/* From now on a power cut may take the last transactions, and damages nothing: for a job that can
 * be continued then. Otherwise the store does not survive one, until its first checkpoint. */
enum status jobstore_set_durable(struct jobstore *store, struct error *err);

/*
 * Commits lie in a log beside the store's file (SQLite's WAL). By default each commit that makes
 * the log a few megabytes long moves it into the file, and waits for the disk. A process whose
 * writer must not wait leaves that to another thread:
 *
 *     leave_sync --> commits --> sync, on any thread, while there may be more commits
 *                                  --> end_log, by the writer: moves what came meanwhile
 *
 * The log begins anew when all of it is in the file.
 */
enum status jobstore_leave_sync(struct jobstore *store, struct error *err);
enum status jobstore_sync(const char *path, struct error *err);
enum status jobstore_end_log(struct jobstore *store, struct error *err);

/* Group writes: everything between the two is one transaction. */
enum status jobstore_begin(struct jobstore *store, struct error *err);
enum status jobstore_commit(struct jobstore *store, struct error *err);
void jobstore_rollback(struct jobstore *store); /* nothing, where none is open */

/*
 * Fencing: the masters of a job come one after another, and only the last may
 * write. claim returns the next incarnation, `least` or more; each transaction of
 * a master with an older one fails: STALE. A job that has ended has no further
 * master: INVALID.
 */
enum status jobstore_claim(struct jobstore *store, uint32_t least, uint32_t *incarnation,
                           struct error *err);
enum status jobstore_check_claim(struct jobstore *store, uint32_t incarnation, struct error *err);

/* ----- reading ----- */

/* Rows in the order in which they were put; the first failure of `each` ends it. */
enum status jobstore_each_result(struct jobstore *store,
                                 enum status (*each)(void *context, const char *name, double train,
                                                     double validation, struct error *err),
                                 void *context, struct error *err);
enum status jobstore_each_model_row(struct jobstore *store, model_row_sink *each, void *context,
                                    struct error *err);
/* A table of the job's, for people: its columns (NULL at the end), and its rows as
 * cells in the same order, borrowed until `each` returns. */
#define LISTING_COLUMNS_MAX 6
enum jobstore_listing { LISTING_WORKERS, LISTING_EVENTS, LISTING_METRICS, LISTING_SHARDS };
const char *const *jobstore_listing_columns(enum jobstore_listing listing);
enum status jobstore_each_of(struct jobstore *store, enum jobstore_listing listing,
                             enum status (*each)(void *context, const struct cell *cells,
                                                 struct error *err),
                             void *context, struct error *err);
/* The metrics table in order: epoch, step, metric, part, value. */
enum status jobstore_each_metric(struct jobstore *store,
                                 enum status (*each)(void *context, uint32_t epoch, uint64_t step,
                                                     const char *metric, const char *part,
                                                     double value, struct error *err),
                                 void *context, struct error *err);
