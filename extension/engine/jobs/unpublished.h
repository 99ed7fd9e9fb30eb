/*
 * unpublished.h - what is known of a trained model until it is where it was to go, and of a table
 * that a job scores until it is written.
 *
 *     the job starts           FOLDER/unpublished.json is written: where the model is to go
 *     training fails           removed: there is no model
 *     the model is written     gets the number of the transaction, where its end is the user's
 *     that is committed        removed: the job is DONE
 *     anything else            stays, with the reason: the job is UNPUBLISHED, and
 *                              unpublished_take() and unpublished_publish() write the model
 *
 * A table that a job has scored has unpublished.json, too, where the job does not need its session
 * (score_rows.h). Else it has unwritten.json instead, which goes through the same states but for
 * the last: its rows were the session's, and nothing can write it any more, so the job has FAILED.
 *
 * Attached jobs have these files, and those that a server keeps; of a detached one
 * runtime/data/store/destination.h says the same.
 * A job whose store says DONE and that has neither has its model or table where it was to go. A
 * file is written whole and renamed; readers need no lock.
 */
#pragma once

#include "base/error.h"
#include "extension/engine/host/host.h"

struct unpublished {
    bool is_table; /* else a model */
    bool is_lost;  /* a table that its session alone could write. The name of the file says it */
    /* The database, written as in destination.h; empty: only the server that trained the model
     * finds it, or no process does. */
    char database[PATH_MAX];
    char schema[256]; /* empty: the database's main one, or the first of its search_path */
    char table[256];
    char transaction[32]; /* for host_jobs.transaction_state; empty: none has written the model */
    char error[512];      /* why it is not published; empty: the session that was to do it ended */
};

/* CORRUPT, and NOT_FOUND where there is no such file. */
enum status unpublished_read(const struct job_folder *folder, struct unpublished *unpublished,
                             struct error *err);
enum status unpublished_write(const struct job_folder *folder,
                              const struct unpublished *unpublished, struct error *err);
/* Where the target would go now, before the job runs. `outlives`: its session. */
enum status unpublished_begin(const struct host *host, const struct job_folder *folder,
                              const struct table_target *target, bool outlives, struct error *err);
/* There is nothing to write, or it is committed: the rows are not needed any more. */
void unpublished_remove(const struct job_folder *folder);
/* No transaction has written it, and this is why. A reason that was noted before stays. */
void unpublished_note(const struct job_folder *folder, const char *why);

/* The outcome of the transaction that has written it; ABORTED: none has. `who` (of `size`) as in
 * host_jobs.transaction_state. */
enum transaction_state unpublished_transaction(const struct host *host,
                                               const struct unpublished *unpublished, char *who,
                                               size_t size);

/* The hint of an error for whose reason the model was not written: how to write it. */
void unpublished_hint(const struct host *host, const struct job_folder *folder, struct error *err);

/* Once the model or the table is in the database: the file gets the number of the transaction that
 * is still open, or goes. */
enum status unpublished_written(const struct host *host, const struct job_folder *folder,
                                enum target_kind kind, struct error *err);

/*
 * Publishing it after all. take: INVALID where the job is not UNPUBLISHED, NOT_FOUND; from then on
 * this process holds the folder and others see the job as PUBLISHING. publish: with the checks of
 * TRAIN in the session of `host`, which is one of the job's database; the rows that TRAIN ends
 * with. `table` writes the table of a job that has scored (job_publish.h). The folder is let go of
 * in every case.
 */
struct unpublished_job {
    struct job_folder folder;
    struct unpublished unpublished;
};
enum status unpublished_take(const struct host *host, int64_t id, struct unpublished_job *job,
                             struct error *err);
typedef enum status table_publisher(const struct host *host, const struct unpublished_job *job,
                                    uint64_t *rows, struct error *err);
enum status unpublished_publish(const struct host *host, struct unpublished_job *job,
                                table_publisher *table, const struct sink *sink, struct error *err);
