#include "k8s/submit/job_record.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/process/log.h"

#define WRITE_EVERY_S 0.2

static void put(struct job_record *record)
{
    struct error err;

    if (record->store && jobstore_put_job(record->store, &record->row, &err) != STATUS_OK)
        log_warning("job.db: %s", err.message);
    clock_gettime(CLOCK_MONOTONIC, &record->written);
}

static void begin_row(struct job_record *record, const struct job *job)
{
    const time_t now = time(NULL);
    struct tm parts;
    struct error ignored;

    if (jobstore_get_job(record->store, &record->row, &ignored) != STATUS_OK)
        record->row = (struct job_row){.state = JOB_STATE_WAITING,
                                       .loss = (double)NAN,
                                       .validation_loss = (double)NAN,
                                       .goodput = (double)NAN,
                                       .rows_per_second = (double)NAN};
    record->row.id = (int64_t)job->id;
    record->row.supervisor = getpid();
    snprintf(record->row.statement, sizeof record->row.statement, "%.*s",
             SLICE_FORMAT(job->spec.statement));
    snprintf(record->row.model, sizeof record->row.model, "%.*s",
             SLICE_FORMAT(job->spec.model_name));
    if (!record->row.started_at[0] && gmtime_r(&now, &parts))
        strftime(record->row.started_at, sizeof record->row.started_at, "%Y-%m-%dT%H:%M:%SZ",
                 &parts);
}

void job_record_open(struct job_record *record, const struct job *job)
{
    char path[PATH_MAX + 8];
    struct error err;
    enum status status;

    *record = (struct job_record){.store = NULL};
    snprintf(path, sizeof path, "%s/job.db", job->folder);
    status = access(path, F_OK) == 0 ? jobstore_open_durable(path, &record->store, &err)
                                     : jobstore_create(path, &record->store, &err);
    if (status != STATUS_OK) {
        log_warning("%s", err.message);
        record->store = NULL;
        return;
    }
    begin_row(record, job);
    put(record);
}

static double seconds_since(const struct timespec *then)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - then->tv_sec) + (double)(now.tv_nsec - then->tv_nsec) / 1e9;
}

static void take_progress(struct job_row *row, const struct job_event *event)
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
static void note_obstacle(struct job_record *record, const char *what)
{
    snprintf(record->row.error, sizeof record->row.error, "%s", what);
    put(record);
}

void job_record_note(struct job_record *record, const struct job_event *event)
{
    const bool is_first = record->row.state != JOB_STATE_RUNNING;

    if (event->kind == JOB_NOTICE && is_first)
        note_obstacle(record, event->message);
    if (event->kind != JOB_STARTED && event->kind != JOB_PROGRESS)
        return;
    take_progress(&record->row, event);
    record->row.state = JOB_STATE_RUNNING;
    snprintf(record->row.error, sizeof record->row.error, "%s",
             event->kind == JOB_PROGRESS ? event->message : "");
    if (is_first || seconds_since(&record->written) > WRITE_EVERY_S)
        put(record);
}

void job_record_close(struct job_record *record, const struct job_event *event)
{
    if (event->kind == JOB_FAILED) {
        record->row.state =
            event->error.status == STATUS_INTERRUPTED ? JOB_STATE_CANCELLED : JOB_STATE_FAILED;
        snprintf(record->row.error, sizeof record->row.error, "%s", event->error.message);
    } else {
        record->row.state = JOB_STATE_PUBLISHING;
    }
    put(record);
    jobstore_close(record->store);
    record->store = NULL;
}

void job_record_leave(struct job_record *record)
{
    jobstore_close(record->store);
    record->store = NULL;
}
