/*
 * job_tables.h - the tables of a job whose processes run somewhere else (engine/staged.h).
 *
 *     SCHEMA.input_N        file, piece, bytes                  the spool's files in pieces
 *     SCHEMA.checkpoint_N   checkpoint, piece, bytes
 *     SCHEMA.result_N       number, master, kind, body, data, at     the journal
 *
 * The session makes them as the caller, who owns them. The login of the job's processes may
 * SELECT from all three and INSERT into the last two; that it may do more, for whatever reason,
 * is found out and refused. runtime/data/pgstore/pgstore.h is the other side.
 */
#ifndef POSTGRES_HOST_JOB_TABLES_H
#define POSTGRES_HOST_JOB_TABLES_H

#include "data/journal.h"
#include "postgres_host/host.h"

struct job_tables {
    struct postgres_host *host;
    const char *schema, *login;
    int64_t number;
    struct journal journal; /* to be replayed only */
};

/* The job's tables from its folder. In the caller's transaction: to be committed before
 * anybody else sees them. */
enum status job_tables_make(struct job_tables *tables, const struct staging *staging,
                            struct error *err);
/* Of tables that are there. */
void job_tables_find(struct job_tables *tables, int64_t number);
/* PERMISSION for a superuser who is not the one who submitted: the model would be his, in a place
 * that somebody else has chosen. */
enum status job_tables_check_owner(const struct job_tables *tables, struct error *err);
enum status job_tables_are_there(const struct job_tables *tables, bool *are_there,
                                 struct error *err);
enum status job_tables_drop(struct job_tables *tables, struct error *err);

#endif
