/*
 * books.h - the job's record (job.db) of a job that runs elsewhere, from its events: what SHOW JOBS
 * reads.
 *
 * When the job is done its journal replaces it. A failed write does no harm to the job, and goes to
 * the log.
 */
#ifndef K8S_SUBMIT_BOOKS_H
#define K8S_SUBMIT_BOOKS_H

#include <time.h>

#include "runtime/data/jobstore.h"
#include "runtime/launch/job_event.h"
#include "runtime/role/job.h"

struct books {
    struct jobstore *store; /* NULL: there is no record */
    struct job_row row;
    struct timespec written;
};

void books_open(struct books *books, const struct job *job);
/* Records an event; progress at most some times a second. */
void books_note(struct books *books, const struct job_event *event);
/* Records the final event, and closes the record. */
void books_close(struct books *books, const struct job_event *event);

/* Detaches: the job continues; a later process opens the record again. Closes it. */
void books_leave(struct books *books);

#endif
