/*
 * job_run.h - a job of a statement from its rows to what it makes: one road for all lives (life.h),
 * and for TRAIN, PREDICT and EVALUATE.
 *
 *     begin      a folder, which the host may refuse
 *     prepare    rows and spec into the folder
 *     note       what is written, and where (unpublished.h)   not where it is staged or detached
 *     stage      rows and spec into tables of the database    not where it runs on this machine
 *     release    the session's locks on what was read         not where it is staged
 *     rehearse   other jobs first, over the same rows             where the session waits, here
 *     follow     start it, wait, collect what it made         where the session waits
 *     leave      hand it over; its number is the result       where the session does not
 *
 * What fails before the job runs leaves neither a folder nor tables.
 */
#pragma once

#include "base/error.h"
#include "extension/engine/jobs/life.h"
#include "jobspec/jobspec.h"

struct job;
struct cluster_request;

/* The work that a statement has a job do. */
struct job_work {
    /* The rows into the job's folder, and the spec. No process runs yet. */
    enum status (*prepare)(struct job *job, struct error *err);
    /* NULL: nothing. Where the session follows a job on this machine, right before its processes
     * are started: other jobs over the same rows. */
    enum status (*rehearse)(struct job *job, struct error *err);
    /* The job has ended well, and the session has waited: what it made into the database, and the
     * rows that the statement returns. */
    enum status (*collect)(struct job *job, struct error *err);
    /* The session has not: the rows that the statement returns. */
    enum status (*put_number)(struct job *job, int64_t number, struct error *err);
    /* All rows are staged, or the job has ended: was it planned as all rows have it? Sets
     * begins_again where it was not. NULL: it always was. */
    enum status (*judge)(struct job *job, struct error *err);
};

struct job {
    const struct host *host;
    const struct plan *plan;
    const struct job_life *life;
    const struct job_work *work;
    struct table_target target; /* the table that the job makes; name.size 0: none */
    const struct sink *sink;
    struct arena *arena;             /* the statement's */
    struct cluster_request *request; /* for a job on a cluster, or staged */
    struct job_folder folder;
    struct jobspec spec;
    bool has_begun;    /* rows and spec are in the folder: nothing of the session's is read again */
    bool begins_again; /* the job has ended and made nothing: it is to be run with another plan */
};

/* Everything but folder, spec and the two last is set. The folder is left in every case. OK also
 * where it begins again, which is the caller's. */
enum status job_run(struct job *job, struct error *err);

/* The last part of it, of a job that is prepared. On an error nothing runs, and the folder is still
 * the caller's. Public for its test. */
enum status job_leave(struct job *job, struct error *err);
