/*
 * books.h - job.db of a job that runs elsewhere, as far as its events tell: what SHOW JOBS reads.
 *
 * When the job is done its journal takes their place. What cannot be written is no harm to the job,
 * and goes to the log.
 */
#ifndef K8S_SUBMIT_BOOKS_H
#define K8S_SUBMIT_BOOKS_H

#include "runtime/data/jobstore.h"
#include "runtime/launch/launch.h"
#include "runtime/role/job.h"

struct books {
    struct jobstore *store; /* NULL: there are none */
    struct job_row row;
    struct timespec written;
};

void books_open(struct books *books, const struct job *job);
/* Not more than some times a second. */
void books_note(struct books *books, const struct job_event *event);
/* The last word. Closes them. */
void books_close(struct books *books, const struct job_event *event);

/* The job goes on, and so do they, another time. Closes them. */
void books_leave(struct books *books);

#endif
