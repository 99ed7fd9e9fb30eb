#include "extension/engine/jobs/side_job.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "extension/engine/jobs/follow.h"
#include "extension/engine/jobs/job_database.h"
#include "runtime/launch/job_process.h"

/* Notices are the job's own, which says them once. */
static void show_progress(void *self, const struct job_event *event)
{
    const struct side_job *side = self;
    struct job_event shown = *event;

    shown.stage = side->stage;
    sink_progress(side->job->sink, &shown);
}

static enum status take(const struct side_job *side, const struct job_folder *folder,
                        struct error *err)
{
    struct jobstore *store;
    char path[PATH_MAX];
    enum status status;

    TRY(job_folder_file(folder, "job.db", path, err));
    TRY(jobstore_open(path, true, &store, err));
    status = side->take(side->context, store, err);
    jobstore_close(store);
    return status;
}

static enum status run_in(const struct side_job *side, const struct job_folder *folder,
                          struct error *err)
{
    const struct host *host = side->job->host;
    const struct sink sink = {.self = (void *)side, .progress = show_progress};
    struct jobspec spec = *side->spec;
    struct job_process process;
    enum status status;

    spec.tensorboard = spec.metrics_host = (struct slice){NULL, 0};
    TRY(job_database_note(host, folder, err));
    TRY(side->put_rows(side->context, folder, err));
    TRY(job_start(host, folder, &spec, &process, err));
    status =
        job_follow(host, &(struct followed){.folder = folder, .process = &process}, &sink, err);
    job_close(&process);
    return status == STATUS_OK ? take(side, folder, err) : status;
}

enum status side_job_run(const struct side_job *side, struct error *err)
{
    struct job_folder folder;
    enum status status;

    TRY(job_folder_create(side->job->host->session.state, &folder, err));
    status = run_in(side, &folder, err);
    job_folder_remove(&folder);
    return status;
}

void side_job_name(const struct side_job *side, int position, struct error *err)
{
    char message[sizeof err->message];

    if (!err || err->status == STATUS_INTERRUPTED || err->status == STATUS_NO_MEMORY)
        return;
    snprintf(message, sizeof message, "%s: %.450s", side->stage, err->message);
    memcpy(err->message, message, sizeof message);
    err->position = position;
}

/* ----- what it left ----- */

struct history {
    struct side_length *length;
    double loss; /* the best epoch's */
};

static enum status take_history(void *context, uint32_t epoch, uint64_t step, const char *metric,
                                const char *part, double value, struct error *err)
{
    struct history *history = context;
    struct side_length *length = history->length;

    (void)step;
    (void)err;
    length->last = epoch > length->last ? epoch : length->last;
    if (strcmp(metric, "loss") != 0 || strcmp(part, "validation") != 0)
        return STATUS_OK;
    if (length->best == 0 || value < history->loss) {
        length->best = epoch;
        history->loss = value;
    }
    return STATUS_OK;
}

enum status side_length_read(struct jobstore *store, struct side_length *length, struct error *err)
{
    struct history history = {.length = length};

    *length = (struct side_length){0};
    return jobstore_each_metric(store, take_history, &history, err);
}

enum status side_store_open(const struct job *job, struct jobstore **store, struct error *err)
{
    char path[PATH_MAX];

    TRY(job_folder_file(&job->folder, "job.db", path, err));
    return access(path, F_OK) == 0 ? jobstore_open(path, false, store, err)
                                   : jobstore_create(path, store, err);
}
