/*
 * staged.h - jobs whose processes share no folder with the session that made them.
 *
 *     TRAIN --spool--> folder --cluster.stage--> tables    commit
 *     processes, started elsewhere: master, workers             <--> the journal there
 *     journal --replay--> folder of the session --publish--> the user's table    commit
 *
 * Three transactions, since others do not see what is not committed. The model is checked as that
 * of any job, and published by the caller with the caller's rights.
 */
#pragma once

#include "extension/engine/host/host.h"
#include "runtime/data/store/jobstore.h"
#include "runtime/data/store/journal.h"

/*
 * The model of the job whose journal this is into the caller's database; then the rows that
 * TRAIN ends with. The job gets a folder here, with the journal's store, as any other.
 * journal.job is set. INVALID while it has not ended; its own error where it has failed.
 */
enum status job_collect(const struct host *host, struct journal *journal, const struct sink *sink,
                        struct error *err);
/* The same of the tables of that number, which are dropped, into a folder that is there already,
 * and stays: the journal goes over what its job.db has, or has of an earlier try. A large model is
 * committed by pieces before it is published: who is killed leaves them, and the folder, to the
 * next. `sink` has its columns. host_cluster.collect. */
enum status job_collect_cluster(const struct host *host, int64_t number,
                                const struct job_folder *folder, const struct sink *sink,
                                struct error *err);

/* The store of the folder, with all that the journal has, of a job that has ended well; to be
 * closed. Errors as above. */
enum status job_replay(struct journal *journal, const struct job_folder *folder,
                       struct jobstore **store, struct job_row *row, struct error *err);
