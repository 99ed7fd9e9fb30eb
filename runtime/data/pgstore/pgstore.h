/*
 * pgstore.h - a job in tables of PostgreSQL, for roles that share no folder.
 *
 *     input_JOB        file, piece, bytes        the rows: the spool's files, cut in pieces, and
 *                                                the model that scores them (model_file.h); a row
 *                                                of PGSTORE_OVER when the job is over
 *     rows_JOB         file, piece, bytes        rows that the workers have staged
 *                                                (staged_rows.h); only where they do
 *     checkpoint_JOB   checkpoint, piece, bytes  the pieces of checkpoints
 *     result_JOB       number, master, kind, body, data    the journal
 * (runtime/data/store/journal.h) server_JOB, snapshot_JOB    as result_JOB and checkpoint_JOB, by
 * the index of a parameter server: its snapshots; only where there are servers
 *
 * They are made by the session that submits, in a schema that the administrator names, and
 * belong to its role. The job's processes log in as a role that may SELECT from all of them and
 * INSERT into all but the first, and DELETE from snapshot_JOB, of which two of each server are
 * kept. Nothing else is ever updated or deleted here.
 *
 * The journal's number is the primary key. It refuses a master that has been replaced, and shows
 * after a cut whether a transaction was committed.
 *
 * One of these is used by one thread at a time.
 */
#pragma once

#include "runtime/data/store/journal.h"

#define PGSTORE_SCHEMA      "totrain_jobs"
#define PGSTORE_PIECE_BYTES ((size_t)1 << 20) /* a piece of an input file; the last is shorter */
#define PGSTORE_FILES_MAX   8192
#define PGSTORE_OVER        "over"        /* no file: extension/postgres/sql/job_tables.h */
#define PGSTORE_ORDER       "direct.json" /* the order for rows that a worker reads itself */

struct pgstore;

/* `file` has the connection string (pg_connection.h). Connects, and tries for a minute where that
 * may help. CONNECTION, PERMISSION; NOT_FOUND where there is no such job. */
enum status pgstore_open(const char *file, const char *schema, uint64_t job, struct pgstore **store,
                         struct error *err);
/* The snapshots of a parameter server; of the functions below it has pgstore_journal alone. */
enum status pgstore_open_server(const char *file, const char *schema, uint64_t job, uint32_t server,
                                struct pgstore **store, struct error *err);
/* From now on nothing waits for a lost connection for longer than this. */
void pgstore_hurry(struct pgstore *store, int64_t patience_ms);
void pgstore_close(struct pgstore *store);

/* Appends job.json. *lot: a number that was drawn for this job and its rows alone. */
enum status pgstore_spec(struct pgstore *store, struct text *json, uint64_t *lot,
                         struct error *err);

/* Is the job marked as over, or are its tables gone? Over a connection of its own, also from
 * another thread, within so many milliseconds. CONNECTION, PERMISSION: it is not known. */
enum status pgstore_look_for_end(const struct pgstore *store, int64_t within_ms, bool *is_over,
                                 struct error *err);

const struct journal *pgstore_journal(const struct pgstore *store);
