/*
 * job_record.h - the job's record (job.db) of a job that runs elsewhere, from its events: what SHOW
 * JOBS reads.
 *
 * When the job is done its journal replaces it. A failed write does no harm to the job, and goes to
 * the log.
 */
#pragma once

#include <time.h>

#include "runtime/data/store/jobstore.h"
#include "runtime/launch/job_event.h"
#include "runtime/role/job.h"

struct job_record {
    struct jobstore *store; /* NULL: there is no record */
    struct job_row row;
    struct timespec written;
};

void job_record_open(struct job_record *record, const struct job *job);
/* Records an event; progress at most some times a second. */
void job_record_note(struct job_record *record, const struct job_event *event);
/* Records the final event, and closes the record. */
void job_record_close(struct job_record *record, const struct job_event *event);

/* Detaches: the job continues; a later process opens the record again. Closes it. */
void job_record_leave(struct job_record *record);
