/*
 * door.h - the ways into the engine from inside of the server.
 *
 *     bare.h      SELECT ... TO TRAIN ..., as typed: what the server refused is looked at
 *     script.h      and run, piece by piece, once the server is ready for the next statement
 *     run.c       totrain.run('...'), totrain.rows('...'): part of the caller's transaction
 *
 * All are PostgreSQL's code: they throw and may be thrown through, but for the
 * part between door_open() and the return of door_run(), which is the engine's.
 */
#pragma once

#include "extension/postgres/server/session/session.h"

#include <access/tupdesc.h>

#include "extension/engine/engine.h"
#include "extension/engine/host/result.h"
#include "extension/postgres/sql/postgres_cluster.h"
#include "extension/sql/sql_host.h"

struct door {
    struct session session;
    struct sql_host host;
    struct postgres_cluster cluster;
    /* The statement is all of the transaction: between reading and writing it may be ended,
     * and with it the locks on what was read. Set by the code that began it. */
    bool owns_transaction;
    bool holds;          /* the transaction that runs keeps a snapshot for a job's workers */
    bool follows_itself; /* a background worker: jobs that are kept are its own to follow */
    bool only_reads;     /* the caller starts no job (door_rights.h) */
    bool has_kept;       /* one was */
    bool has_begun;      /* the statement has begun a job */
    bool has_published;  /* and committed the model: too late to be interrupted */
    int64_t written_job; /* the job whose model is written and not committed; 0: none */
    /* Sends the client the rows of a query of ours (sink.h); NULL: rows are kept. */
    enum status (*show)(struct door *door, struct slice sql, struct error *err);
    bool has_shown;          /* it has */
    uint64_t shown;          /* so many */
    struct job_folder job;   /* its folder goes should the statement be rolled back; id 0: none */
    TimestampTz progress_at; /* the time of the last NOTICE */
    char database[4 * NAMEDATALEN]; /* its name */
};

/* The job part of the hosts in the server: of a door, and of those that only look at jobs. */
extern const struct host_jobs door_jobs;

/* Palloc'd in CurrentMemoryContext, which must outlive it. */
struct door *door_open(void);

/* Makes a transaction of ours that has just begun, and writes a job's result, READ COMMITTED,
 * whatever default_transaction_isolation is: others may have committed meanwhile. */
void door_write_committed(void);

/* May jobs on this machine outlive the session? Before a statement is planned. */
void door_detach_limits(const struct door *door, struct catalog_limits *limits);

/* Runs one statement and keeps its rows. `piece` as in engine_run. */
enum status door_run(struct door *door, struct slice text, const struct piece *piece,
                     struct result *result, struct error *err);

/* Shows the plan's notices from the first on. */
struct plan;
enum status door_put_notices(struct door *door, const struct plan *plan, size_t first,
                             struct error *err);

/* The model of an unpublished job into its table, and the rows that TRAIN ends with. */
enum status door_publish(struct door *door, int64_t id, struct result *result, struct error *err);

/* Columns of a kept result, with types that its cells fit into. */
TupleDesc door_describe_result(const struct result *result);
/* A cell that is not NULL as a value of this type: int8, float8 or text. Throws where it is
 * none: a list of columns may be the caller's. */
Datum door_cell_as(Oid type, const struct cell *cell);
/* A row of it as the values of these columns, in CurrentMemoryContext. */
void door_read_row(const struct result *result, TupleDesc descriptor, const struct result_row *row,
                   Datum *values, bool *nulls);
/* Rows of train_rows.h into the result of a function that returns these columns. */
void door_put_training(FunctionCallInfo fcinfo, const struct result *result);
