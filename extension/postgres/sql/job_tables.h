/*
 * job_tables.h - the tables of a job whose processes run somewhere else
 * (extension/engine/jobs/staged.h).
 *
 *     SCHEMA.input_N        file, piece, bytes                  the spool's files in pieces, and
 *                                                               the model that scores them
 *     SCHEMA.checkpoint_N   checkpoint, piece, bytes
 *     SCHEMA.result_N       number, master, kind, body, data, at     the journal
 *     SCHEMA.rows_N         file, piece, bytes                  what the workers stage; only where
 *                                                               they do (job.read = 'direct')
 *     SCHEMA.server_N       server, and as result_N             what a parameter server's snapshots
 *                                                               are; only where there are servers
 *     SCHEMA.snapshot_N     server, and as checkpoint_N         these snapshots
 *
 * The session makes them as the caller, who owns them. The login of the job's processes may
 * SELECT from all of them, INSERT into all but the first and DELETE from snapshot_N; a login with
 * any further right is refused. runtime/data/pgstore/pgstore.h is the other side.
 */
#pragma once

#include "extension/sql/sql_host.h"
#include "runtime/data/store/journal.h"

struct job_tables {
    struct sql_host *host;
    const char *schema, *login;
    int64_t number;
    bool has_rows, has_servers; /* while they are made */
    struct journal journal;     /* to be replayed only */
};

/* The job's tables from its folder. In the caller's transaction: other sessions see them after its
 * commit. */
enum status job_tables_make(struct job_tables *tables, const struct staging *staging,
                            struct error *err);
/* host_cluster.read_reports. */
enum status job_tables_read_reports(const struct job_tables *tables, int64_t *after,
                                    const struct report_reader *reader, struct error *err);
/* Points `tables` at the tables of this number, which are there. */
void job_tables_find(struct job_tables *tables, int64_t number);
/* Appends a file of what the workers have staged. NOT_FOUND; CORRUPT: its pieces are not those that
 * a worker stores; LIMIT: beyond what the text may hold. */
enum status job_tables_read_staged(const struct job_tables *tables, const char *file,
                                   struct text *bytes, struct error *err);
/* The submitter's verdict about the columns of counted rows; read by journal.read_verdict. */
enum status job_tables_keep_verdict(const struct job_tables *tables, struct slice json,
                                    struct error *err);
/* PERMISSION for a superuser other than the submitting role: the model would be the superuser's, in
 * a place that another role has chosen. */
enum status job_tables_check_owner(const struct job_tables *tables, struct error *err);
/* The OID of the role that submitted the job; 0: its tables are gone. */
enum status job_tables_owner(const struct job_tables *tables, int64_t *owner, struct error *err);
enum status job_tables_are_there(const struct job_tables *tables, bool *are_there,
                                 struct error *err);

/*
 * A job's end has two steps. DROP TABLE waits for every reader of the table, and a reader whose
 * machine was cut off holds its lock until the server notices, so the model must not wait for it:
 *
 *     job_tables_end       marks the tables as over, without waiting for readers. In the
 *                          transaction that publishes, so that no model is published twice
 *     job_tables_release   drops them now, or leaves it to the server's background (release.h)
 */
enum status job_tables_end(const struct job_tables *tables, struct error *err);
/* The same, also where it was done before. */
enum status job_tables_end_again(const struct job_tables *tables, struct error *err);
/* Says whether the tables, which are there, are over. */
enum status job_tables_are_over(const struct job_tables *tables, bool *are_over, struct error *err);
/* OK while they are of use. NOT_FOUND: they are gone, or over. */
enum status job_tables_check_use(const struct job_tables *tables, struct error *err);
enum status job_tables_release(const struct job_tables *tables, struct error *err);

/* DROP of all of them. Waits for their readers as long as lock_timeout lets it: BUSY. */
enum status job_tables_drop(const struct job_tables *tables, struct error *err);
