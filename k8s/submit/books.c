#include "k8s/submit/books.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"

#define WRITE_EVERY_S 0.2

static void put(struct books *books)
{
    struct error err;

    if (books->store && jobstore_put_job(books->store, &books->row, &err) != STATUS_OK)
        log_warning("job.db: %s", err.message);
    clock_gettime(CLOCK_MONOTONIC, &books->written);
}

static void begin_row(struct books *books, const struct job *job)
{
    const time_t now = time(NULL);
    struct tm parts;
    struct error ignored;

    if (jobstore_get_job(books->store, &books->row, &ignored) != STATUS_OK)
        books->row = (struct job_row){.state = JOB_STATE_WAITING,
                                      .loss = (double)NAN,
                                      .validation_loss = (double)NAN,
                                      .goodput = (double)NAN,
                                      .rows_per_second = (double)NAN};
    books->row.id = (int64_t)job->id;
    books->row.supervisor = getpid();
    snprintf(books->row.statement, sizeof books->row.statement, "%.*s",
             SLICE_FORMAT(job->spec.statement));
    snprintf(books->row.model, sizeof books->row.model, "%.*s", SLICE_FORMAT(job->spec.model_name));
    if (!books->row.started_at[0] && gmtime_r(&now, &parts))
        strftime(books->row.started_at, sizeof books->row.started_at, "%Y-%m-%dT%H:%M:%SZ", &parts);
}

void books_open(struct books *books, const struct job *job)
{
    char path[PATH_MAX + 8];
    struct error err;
    enum status status;

    *books = (struct books){.store = NULL};
    snprintf(path, sizeof path, "%s/job.db", job->folder);
    status = access(path, F_OK) == 0 ? jobstore_open(path, false, &books->store, &err)
                                     : jobstore_create(path, &books->store, &err);
    if (status != STATUS_OK) {
        log_warning("%s", err.message);
        books->store = NULL;
        return;
    }
    begin_row(books, job);
    put(books);
}

static double seconds_since(const struct timespec *then)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - then->tv_sec) + (double)(now.tv_nsec - then->tv_nsec) / 1e9;
}

static void take(struct job_row *row, const struct job_event *event)
{
    row->workers = event->workers;
    row->step = event->step;
    row->steps = event->steps;
    row->epoch = event->epoch;
    row->epochs = event->epochs;
    row->loss = event->loss;
    row->validation_loss = event->validation_loss;
    row->rows_per_second = event->rows_per_second;
    row->seconds = event->seconds;
}

/* Why the job does not begin, for readers of a job that no session waits for. */
static void note_obstacle(struct books *books, const char *what)
{
    snprintf(books->row.error, sizeof books->row.error, "%s", what);
    put(books);
}

void books_note(struct books *books, const struct job_event *event)
{
    const bool is_first = books->row.state != JOB_STATE_RUNNING;

    if (event->kind == JOB_NOTICE && is_first)
        note_obstacle(books, event->message);
    if (event->kind != JOB_STARTED && event->kind != JOB_PROGRESS)
        return;
    take(&books->row, event);
    books->row.state = JOB_STATE_RUNNING;
    books->row.error[0] = '\0';
    if (is_first || seconds_since(&books->written) > WRITE_EVERY_S)
        put(books);
}

void books_close(struct books *books, const struct job_event *event)
{
    if (event->kind == JOB_FAILED) {
        books->row.state =
            event->error.status == STATUS_INTERRUPTED ? JOB_STATE_CANCELLED : JOB_STATE_FAILED;
        snprintf(books->row.error, sizeof books->row.error, "%s", event->error.message);
    } else {
        books->row.state = JOB_STATE_PUBLISHING;
    }
    put(books);
    jobstore_close(books->store);
    books->store = NULL;
}

void books_leave(struct books *books)
{
    jobstore_close(books->store);
    books->store = NULL;
}
