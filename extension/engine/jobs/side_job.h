/*
 * side_job.h - a job that a statement runs before its own, with a part of its rows, or other values
 * of its attributes.
 *
 *     folder --put_rows--> spools --> processes --take--> what it measured; the folder goes
 *
 * It has a number of its own while it runs. What fails leaves no folder.
 */
#pragma once

#include "extension/engine/jobs/job_run.h"
#include "runtime/data/store/jobstore.h"
#include "runtime/launch/job_folder.h"

struct side_job {
    const struct job *job;      /* the statement's */
    const struct jobspec *spec; /* parts that only one job may write or serve are left out of it */
    const char *stage;          /* for progress: "fold 1 of 5" */
    void *context;
    enum status (*put_rows)(void *context, const struct job_folder *folder, struct error *err);
    enum status (*take)(void *context, struct jobstore *store, struct error *err);
};

enum status side_job_run(const struct side_job *side, struct error *err);

/* "fold 1 of 5: ..." before an error that is the job's own, at this place of the statement. */
void side_job_name(const struct side_job *side, int position, struct error *err);

/* The metrics of a job by their names, and how long it learned. */
struct side_length {
    uint32_t best, last; /* epochs, or rounds: of the least loss of held-out rows; 0: of none */
};
enum status side_length_read(struct jobstore *store, struct side_length *length, struct error *err);

/* The store that findings of side jobs go into: the store of the statement's own job. A job that a
 * session in the background runs has it already, else it is made. */
enum status side_store_open(const struct job *job, struct jobstore **store, struct error *err);
