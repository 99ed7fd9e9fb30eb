#include "extension/engine/jobs/follow.h"

#include <math.h>
#include <time.h>

#include "extension/engine/jobs/job_database.h"
#include "runtime/launch/job_folder.h"
#include "runtime/launch/job_lock.h"
#include "runtime/launch/job_process.h"
#include "runtime/launch/job_spec.h"

/* How long an interrupt may go unnoticed while the job is silent. */
#define POLL_MS 100
/* How long what a job on a cluster reports may lie in its journal. */
#define LOOK_MS 250

/* The job has reported its end; its pipe needs no more reading. */
static enum status last_event(const struct host *host, const struct job_event *event,
                              bool is_cancelled, struct error *err)
{
    if (event->kind == JOB_DONE && !is_cancelled)
        return STATUS_OK;
    if (is_cancelled || host->session.interrupted(host->self))
        return fail(err, STATUS_INTERRUPTED, "interrupted");
    *err = event->error;
    err->position = -1;
    if (err->status == STATUS_OK)
        err->status = STATUS_FAILED;
    /* By the terminal's Ctrl-C, which the supervisor saw too, or by CANCEL JOB. */
    if (err->status == STATUS_INTERRUPTED)
        return fail(err, STATUS_INTERRUPTED, "interrupted: %.400s", event->error.message);
    return err->status;
}

static void pass_on(const struct sink *sink, const struct job_event *event)
{
    if (event->kind == JOB_NOTICE)
        sink_notice(sink, "%s", event->message);
    else
        sink_progress(sink, event);
}

/* The workers have staged all rows. A leader that begins only then reports it again. A host that
 * only follows jobs holds none: but anybody who writes into the job's journal can report it. */
static enum status on_staged(const struct host *host, const struct follow_staged *staged,
                             bool *goes_on, struct error *err)
{
    *goes_on = true;
    if (host->cluster && host->cluster->let_go)
        TRY(host->cluster->let_go(host->cluster->self, err));
    return staged ? staged->goes_on(staged->self, goes_on, err) : STATUS_OK;
}

static enum status wait_for_event(const struct host *host, struct job_process *process,
                                  struct job_event *event, bool *has_event, struct error *err)
{
    enum status status;

    if (host->session.show_wait)
        host->session.show_wait(host->self, true);
    status = job_next_event(process, POLL_MS, event, has_event, err);
    if (host->session.show_wait)
        host->session.show_wait(host->self, false);
    return status;
}

static void end_job(const struct host *host, struct job_process *process)
{
    const char *why = host->session.failure ? host->session.failure(host->self) : NULL;

    if (why)
        job_fail(process, why);
    else
        job_cancel(process);
}

/* ----- the journal ----- */

struct looking {
    const struct host *host;
    const struct followed *job;
    const struct sink *sink;
    int64_t after, looked_at_ms;
    bool fails;   /* and the user has been told */
    bool is_full; /* the supervisor takes no more for now */
};

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static bool take_report(void *context, struct slice line)
{
    struct looking *looking = context;

    looking->is_full = !job_report(looking->job->process, line);
    return !looking->is_full;
}

/* An error says nothing of the job: the next look may find the database again, and the supervisor
 * sees how the Job ends. */
static void look_into_journal(struct looking *looking)
{
    const struct host_cluster *cluster = looking->host->cluster;
    const struct report_reader reader = {looking, take_report};
    struct error err;

    if (looking->job->number == 0 || now_ms() - looking->looked_at_ms < LOOK_MS)
        return;
    looking->is_full = false;
    error_clear(&err);
    if (cluster->read_reports(cluster->self, looking->job->number, &looking->after, &reader,
                              &err) == STATUS_OK)
        looking->fails = false;
    else if (!looking->fails && err.status != STATUS_INTERRUPTED) {
        looking->fails = true;
        sink_notice(looking->sink, "the job's journal is not readable, the job goes on: %s",
                    err.message);
    }
    if (!looking->is_full)
        job_looked(looking->job->process);
    looking->looked_at_ms = now_ms();
}

static enum status follow(const struct host *host, const struct followed *job,
                          const struct sink *sink, struct error *err)
{
    struct looking looking = {.host = host, .job = job, .sink = sink};
    struct job_process *process = job->process;
    bool is_cancelled = false, goes_on = true;
    enum status status;

    for (;;) {
        struct job_event event;
        bool has_event = false;

        if (!is_cancelled && host->session.interrupted(host->self)) {
            end_job(host, process);
            is_cancelled = true;
        }
        if (!is_cancelled)
            look_into_journal(&looking);
        status = wait_for_event(host, process, &event, &has_event, err);
        /* A Ctrl-C at the very start ends a supervisor that has no words yet. */
        if (status == STATUS_FAILED && (is_cancelled || host->session.interrupted(host->self)))
            return fail(err, STATUS_INTERRUPTED, "interrupted");
        TRY(status);
        if (!has_event)
            continue;
        if (event.kind == JOB_STAGED && goes_on)
            TRY(on_staged(host, job->staged, &goes_on, err));
        if (event.kind != JOB_STAGED)
            pass_on(sink, &event);
        if (!goes_on && !is_cancelled) {
            job_cancel(process);
            is_cancelled = true;
        }
        if (event.kind == JOB_DONE || event.kind == JOB_FAILED)
            return last_event(host, &event, is_cancelled, err);
    }
}

/* Its supervisor ended without reporting the job's end: the store may have it. */
static bool has_stored_its_end(const struct job_folder *folder)
{
    struct error ignored;
    struct jobstore *store;
    struct job_row row;
    char path[PATH_MAX];
    bool is_done;

    if (job_folder_file(folder, "job.db", path, &ignored) != STATUS_OK ||
        jobstore_open(path, true, &store, &ignored) != STATUS_OK)
        return false;
    is_done = jobstore_get_job(store, &row, &ignored) == STATUS_OK && row.state == JOB_STATE_DONE;
    jobstore_close(store);
    return is_done;
}

enum status job_follow(const struct host *host, const struct followed *job, const struct sink *sink,
                       struct error *err)
{
    struct job_event end = {.kind = JOB_FAILED,
                            .loss = NAN,
                            .validation_loss = NAN,
                            .validation_score = NAN,
                            .seconds_left = NAN};
    enum status status = follow(host, job, sink, err);

    if (status == STATUS_OK)
        return STATUS_OK;
    sink_progress(sink, &end); /* a progress line must not stay on the terminal */
    if (status != STATUS_FAILED || job->process->events >= 0 || !has_stored_its_end(job->folder))
        return status;
    end.kind = JOB_DONE;
    sink_progress(sink, &end);
    error_clear(err);
    return STATUS_OK;
}

enum status job_folder_begin(const struct host *host, struct job_folder *folder, struct error *err)
{
    enum status status;

    if (host->session.job > 0)
        TRY(job_folder_share(host->session.state, host->session.job, host->session.job_lock, folder,
                             err));
    else
        TRY(job_folder_create(host->session.state, folder, err));
    status = job_database_note(host, folder, err);
    if (status == STATUS_OK && host->jobs)
        status = host->jobs->admit(host->self, folder, err);
    if (status != STATUS_OK)
        job_folder_remove(folder);
    return status;
}

enum status job_resume(const struct host *host, const struct job_folder *folder,
                       struct job_process *process, struct error *err)
{
    enum status status;

    TRY(job_relaunch(host->session.program, folder, process, err));
    if (host->session.memory_max == 0)
        return STATUS_OK;
    status = job_limit_memory(process, host->session.memory_max, err);
    if (status != STATUS_OK)
        job_close(process);
    return status;
}

enum status job_start(const struct host *host, const struct job_folder *folder,
                      const struct jobspec *spec, struct job_process *process, struct error *err)
{
    TRY(job_write_spec(folder, spec, err));
    return job_resume(host, folder, process, err);
}
