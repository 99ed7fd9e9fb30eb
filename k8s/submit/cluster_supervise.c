#include "k8s/submit/cluster_supervise.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/process/log.h"
#include "k8s/client/access_find.h"
#include "k8s/job/cluster_folder.h"
#include "k8s/job/kube_job_name.h"
#include "k8s/loop/annotation.h"
#include "k8s/submit/adoption.h"
#include "k8s/submit/creation.h"
#include "k8s/submit/follower.h"
#include "k8s/submit/job_record.h"
#include "k8s/submit/journal_reader.h"
#include "runtime/launch/job_event.h"
#include "runtime/launch/job_lock.h"
#include "runtime/loop/loop_source.h"
#include "runtime/process/supervise/supervise.h"
#include "runtime/process/supervise/wanted.h"
#include "runtime/process/supervise/worker_pool.h"

#define TICK_MS         200
#define DELETE_TRIES    8
#define EARLY_BYTES_MAX ((size_t)1 << 20)
#define DELETE_MS_MAX   4000 /* after its session has ended a job may live for 5 s */

struct cluster {
    const struct job *job;
    struct arena arena;
    struct kube_job kube;
    struct slice submission;
    struct kube_access access;
    struct loop *loop;
    struct client *client;
    struct supervise_watch watch;
    struct job_record record;
    struct journal_reader *journal; /* a detached supervisor has one; else the session reads */
    struct text early;              /* lines of reports that came before the follower */

    struct adoption *adoption;
    struct creation *creation;
    struct follower *follower;
    struct exchange *deletion, *scaling, *scaling_servers;
    struct loop_source *later;       /* runs work that cannot be done where it was found out */
    bool is_absent;                  /* to be made */
    bool had_one;                    /* under another name */
    bool is_created;                 /* to be followed */
    bool must_delete;                /* to be deleted; then that is the end */
    int64_t delete_until_ms;         /* 0: nothing is to be deleted */
    char uid[CLUSTER_UID_BYTES_MAX]; /* the Job's; empty: there is none that we know of */

    struct job_event last; /* the end, when it has come */
};

/* ----- words ----- */

static struct job_event empty_event(enum job_event_kind kind)
{
    return (struct job_event){.kind = kind,
                              .rows_per_second = (double)NAN,
                              .loss = (double)NAN,
                              .validation_loss = (double)NAN,
                              .validation_score = (double)NAN,
                              .seconds = (double)NAN,
                              .seconds_left = (double)NAN};
}

static void say(const struct job_event *event)
{
    struct text line;

    text_init(&line, LAUNCH_EVENT_BYTES_MAX);
    job_event_write(event, &line);
    supervise_say(event, text_slice(&line));
    text_deinit(&line);
}

static void fail_with(struct cluster *cluster, const struct error *err)
{
    cluster->last = empty_event(JOB_FAILED);
    cluster->last.error = *err;
    log_error("%s", err->message);
}

static void end(struct cluster *cluster)
{
    loop_stop(cluster->loop, STATUS_OK, NULL);
}

/* ----- deleting ----- */

/* The work of a job that nobody has cancelled is not to be lost. */
static void leave_behind(struct cluster *cluster)
{
    const struct kube_job *kube = &cluster->kube;
    const bool is_wanted =
        cluster->last.error.status != STATUS_INTERRUPTED && cluster->job->spec.kind == SPEC_TRAIN;
    struct error err;

    error_clear(&err);
    if (is_wanted && job_leave_behind(cluster->job->folder, &err) == STATUS_OK) {
        error_hint(&cluster->last.error,
                   "The Job may go on: SELECT * FROM totrain.collect(%lld) takes its model then, "
                   "kubectl delete job %.*s --namespace %.*s ends it.",
                   (long long)kube->job, SLICE_FORMAT(kube->name),
                   SLICE_FORMAT(kube->kube_namespace));
        return;
    }
    if (err.status != STATUS_OK)
        log_warning("%s", err.message);
    error_hint(&cluster->last.error,
               "The Job may be there still: kubectl delete job %.*s --namespace %.*s",
               SLICE_FORMAT(kube->name), SLICE_FORMAT(kube->kube_namespace));
}

static void on_deleted(void *context, enum status status, struct api_answer *answer,
                       const struct error *err)
{
    struct cluster *cluster = context;
    (void)answer;

    cluster->deletion = NULL;
    if (status != STATUS_OK && status != STATUS_NOT_FOUND) {
        log_error("the Job %.*s could not be deleted: %s", SLICE_FORMAT(cluster->kube.name),
                  err->message);
        leave_behind(cluster);
    }
    end(cluster);
}

static enum status send_deletion(struct cluster *cluster, struct error *err)
{
    struct api_target target = {.kind = API_JOBS,
                                .kube_namespace = cluster->kube.kube_namespace,
                                .name = cluster->kube.name};
    struct api_deletion deletion = {
        .propagation = "Background", .uid = slice_of(cluster->uid), .grace_s = -1};
    struct exchange_reader reader = {cluster, on_deleted};
    struct http_request request;
    enum status status;

    http_request_init(&request);
    status = api_delete(&request, &target, &deletion, err);
    if (status == STATUS_OK)
        return exchange_start(cluster->loop, cluster->client, &request, "delete the Job",
                              DELETE_TRIES, &reader, &cluster->deletion, err);
    http_request_deinit(&request);
    return status;
}

/* Everything else is closed first: nothing is created any more, and nothing received. */
static void delete_job(struct cluster *cluster)
{
    struct error err;

    if (cluster->deletion)
        return;
    if ((cluster->adoption || cluster->creation) && !cluster->uid[0])
        return; /* the answer to its first request may be a Job */
    adoption_close(cluster->adoption);
    cluster->adoption = NULL;
    creation_close(cluster->creation);
    cluster->creation = NULL;
    follower_close(cluster->follower);
    cluster->follower = NULL;
    if (!cluster->uid[0])
        end(cluster);
    else if (send_deletion(cluster, &err) != STATUS_OK)
        on_deleted(cluster, err.status, NULL, &err);
}

/* Not from here: deleting closes the caller. */
static void delete_later(struct cluster *cluster)
{
    if (cluster->must_delete)
        return;
    cluster->must_delete = true;
    cluster->delete_until_ms = loop_now_ms() + DELETE_MS_MAX;
    loop_source_wake_in(cluster->later, 0);
}

static void on_failure(void *context, const struct error *why)
{
    struct cluster *cluster = context;
    struct error err;

    if (cluster->last.kind == JOB_DONE || cluster->must_delete)
        return;
    error_clear(&err);
    /* Should we be stopped before the Job is gone, the next of us is to know. */
    if (cluster->watch.is_kept && job_give_up(cluster->job->folder, &err) != STATUS_OK)
        log_warning("%s", err.message);
    fail_with(cluster, why);
    delete_later(cluster);
}

static void on_cancel(void *context)
{
    struct error why;

    error_clear(&why);
    fail(&why, STATUS_INTERRUPTED, "cancelled");
    on_failure(context, &why);
}

/* ----- following ----- */

static void on_event(void *context, const struct job_event *event)
{
    struct cluster *cluster = context;

    job_record_note(&cluster->record, event);
    say(event);
}

static void on_end(void *context, enum status status, const struct error *err, bool is_hopeless)
{
    struct cluster *cluster = context;

    if (cluster->must_delete)
        return;
    if (status == STATUS_OK)
        cluster->last = empty_event(JOB_DONE);
    else
        fail_with(cluster, err);
    if (is_hopeless)
        delete_later(cluster);
    else
        end(cluster);
}

/* The master of a Job that an earlier supervisor has made may report before it is found. */
static void on_report(void *context, struct slice line)
{
    struct cluster *cluster = context;

    if (cluster->follower) {
        follower_report(cluster->follower, line);
        return;
    }
    text_append(&cluster->early, line);
    text_append_char(&cluster->early, '\n');
    if (!cluster->early.failed)
        return;
    log_warning("what the job has reported is forgotten: its Job is not found yet");
    text_clear(&cluster->early);
}

static void on_looked(void *context)
{
    struct cluster *cluster = context;

    if (cluster->follower)
        follower_looked(cluster->follower);
}

static void report_early(struct cluster *cluster)
{
    struct slice lines = text_slice(&cluster->early);
    const char *end;

    while (lines.size > 0 && (end = memchr(lines.data, '\n', lines.size)) != NULL) {
        const size_t size = (size_t)(end - lines.data);

        follower_report(cluster->follower, (struct slice){lines.data, size});
        lines = (struct slice){end + 1, lines.size - size - 1};
    }
    text_clear(&cluster->early);
}

static void follow(struct cluster *cluster)
{
    struct follower_reader reader = {cluster, on_event, on_end};
    struct error err;

    creation_close(cluster->creation);
    cluster->creation = NULL;
    if (follower_open(cluster->loop, cluster->client, &cluster->kube, slice_of(cluster->uid),
                      &reader, &cluster->follower, &err) == STATUS_OK) {
        report_early(cluster);
        return;
    }
    fail_with(cluster, &err);
    delete_later(cluster);
}

static void on_journal_line(void *context, struct slice line)
{
    const struct cluster *cluster = context;

    (void)supervise_hear(&cluster->watch, line);
}

/* ----- creating ----- */

/* From now on the process that has the folder follows the Job, and never creates it again. */
static void note_release(struct cluster *cluster)
{
    struct error err;

    if (cluster_folder_release(cluster->job->folder, slice_of(cluster->uid), &err) != STATUS_OK)
        log_warning("%s", err.message);
}

static void on_job(void *context, struct slice uid)
{
    struct cluster *cluster = context;

    snprintf(cluster->uid, sizeof cluster->uid, "%.*s", SLICE_FORMAT(uid));
    if (cluster->must_delete)
        loop_source_wake_in(cluster->later, 0);
}

static void on_created(void *context)
{
    struct cluster *cluster = context;
    struct job_event event = empty_event(JOB_NOTICE);

    snprintf(event.message, sizeof event.message, "Job %.*s in the namespace %.*s",
             SLICE_FORMAT(cluster->kube.name), SLICE_FORMAT(cluster->kube.kube_namespace));
    note_release(cluster);
    say(&event);
    cluster->is_created = true;
    loop_source_wake_in(cluster->later, 0);
}

static void on_failed(void *context, const struct error *err)
{
    struct cluster *cluster = context;

    if (!cluster->must_delete)
        fail_with(cluster, err);
    adoption_close(cluster->adoption);
    cluster->adoption = NULL;
    creation_close(cluster->creation);
    cluster->creation = NULL;
    cluster->must_delete = false;
    delete_later(cluster);
}

static enum status create(struct cluster *cluster, struct error *err)
{
    struct creation_reader reader = {cluster, on_job, on_created, on_failed};

    cluster->is_absent = false;
    if (cluster->had_one) {
        TRY(kube_job_invent_name(cluster->job->spec.model_name, &cluster->arena,
                                 &cluster->kube.name, err));
        TRY(cluster_folder_rename(cluster->job->folder, &cluster->kube, err));
    }
    return creation_open(cluster->loop, cluster->client, &cluster->kube, cluster->submission,
                         &reader, &cluster->creation, err);
}

/* ----- or finding what an earlier supervisor made ----- */

static void on_found(void *context, struct slice uid)
{
    struct cluster *cluster = context;

    adoption_close(cluster->adoption);
    cluster->adoption = NULL;
    on_job(cluster, uid);
    note_release(cluster);
    cluster->is_created = true;
    loop_source_wake_in(cluster->later, 0);
}

static void on_absent(void *context, bool had_one)
{
    struct cluster *cluster = context;

    adoption_close(cluster->adoption);
    cluster->adoption = NULL;
    cluster->had_one = had_one;
    cluster->is_absent = true;
    loop_source_wake_in(cluster->later, 0);
}

/* A job that is not kept had no supervisor before. */
static enum status begin_submission(struct cluster *cluster, struct error *err)
{
    struct adoption_reader reader = {cluster, on_found, on_absent, on_failed};

    if (!cluster->watch.is_kept)
        return create(cluster, err);
    cluster_folder_released(cluster->job->folder, cluster->uid);
    cluster->is_created = cluster->uid[0] != '\0';
    if (cluster->is_created)
        loop_source_wake_in(cluster->later, 0);
    else
        TRY(adoption_open(cluster->loop, cluster->client, &cluster->kube, cluster->submission,
                          &reader, &cluster->adoption, err));
    if (job_is_given_up(cluster->job->folder))
        on_cancel(cluster);
    return STATUS_OK;
}

static void on_later(void *context)
{
    struct cluster *cluster = context;
    struct error err;

    error_clear(&err);
    if (cluster->must_delete)
        delete_job(cluster);
    else if (cluster->is_absent && create(cluster, &err) != STATUS_OK)
        on_failed(cluster, &err);
    else if (cluster->is_created && !cluster->follower)
        follow(cluster);
}

static void on_tick(void *context, int64_t now_ms)
{
    struct cluster *cluster = context;
    struct error err;

    if (cluster->follower)
        follower_look(cluster->follower);
    if (cluster->delete_until_ms == 0 || now_ms < cluster->delete_until_ms)
        return;
    exchange_cancel(cluster->deletion);
    error_clear(&err);
    fail(&err, STATUS_CONNECTION, "the API server does not answer");
    on_deleted(cluster, STATUS_CONNECTION, NULL, &err);
    cluster->delete_until_ms = INT64_MAX;
}

/* ----- how many workers and servers ----- */

static void say_not_scaled(const char *what, const struct error *err)
{
    struct job_event event = empty_event(JOB_NOTICE);

    log_warning("%s", err->message);
    snprintf(event.message, sizeof event.message,
             "the job goes on with as many %s as before: %.430s", what, err->message);
    say(&event);
}

static void on_workers_scaled(void *context, enum status status, struct api_answer *answer,
                              const struct error *err)
{
    struct cluster *cluster = context;
    (void)answer;

    cluster->scaling = NULL;
    if (status != STATUS_OK)
        say_not_scaled("workers", err);
}

static void on_servers_scaled(void *context, enum status status, struct api_answer *answer,
                              const struct error *err)
{
    struct cluster *cluster = context;
    (void)answer;

    cluster->scaling_servers = NULL;
    if (status != STATUS_OK)
        say_not_scaled("parameter servers", err);
}

/* The master reads it from its Job; the caller is answered when the patch has been sent. An earlier
 * number that is still on its way is of no interest. */
static enum status annotate(struct cluster *cluster, const char *name, uint32_t number,
                            const struct exchange_reader *reader, struct exchange **scaling,
                            struct error *err)
{
    if (!cluster->follower)
        return fail(err, STATUS_BUSY, "the job's objects are still being made"),
               error_hint(err, "Try again in a moment.");
    exchange_cancel(*scaling);
    *scaling = NULL;
    return annotation_start(cluster->loop, cluster->client, &cluster->kube, slice_of(cluster->uid),
                            name, number, reader, scaling, err);
}

static enum status scale(void *context, int64_t workers, struct error *err)
{
    struct cluster *cluster = context;
    const struct exchange_reader reader = {cluster, on_workers_scaled};
    const struct jobspec *spec = &cluster->job->spec;
    struct worker_pool range;

    worker_pool_init(&range, spec->min_workers, spec->max_workers, WORKER_POOL_UNLIMITED);
    TRY(worker_pool_want(&range, workers, err));
    return annotate(cluster, MANIFEST_WORKERS, (uint32_t)workers, &reader, &cluster->scaling, err);
}

static enum status scale_servers(void *context, int64_t servers, struct error *err)
{
    struct cluster *cluster = context;
    const struct exchange_reader reader = {cluster, on_servers_scaled};
    struct wanted_servers range = {.servers = cluster->job->spec.servers};

    TRY(wanted_servers_want(&range, servers, err));
    if (servers > cluster->kube.servers_max)
        return fail(err, STATUS_INVALID, "the job's objects are made for %u parameter servers",
                    cluster->kube.servers_max);
    return annotate(cluster, MANIFEST_SERVERS, (uint32_t)servers, &reader,
                    &cluster->scaling_servers, err);
}

/* ----- its life ----- */

static const char *string_or_null(struct slice text)
{
    return text.size > 0 ? text.data : NULL;
}

static enum status open_access(struct cluster *cluster, struct error *err)
{
    struct cluster_access named;
    struct access_choice choice;

    TRY(cluster_folder_read(cluster->job->folder, &cluster->arena, &cluster->kube, &named, err));
    choice = (struct access_choice){.kubeconfig = string_or_null(named.kubeconfig),
                                    .context = string_or_null(named.context),
                                    .allows_exec = named.allows_exec,
                                    .allows_insecure = named.allows_insecure};
    cluster->submission = named.submission;
    return access_find(&choice, &cluster->arena, &cluster->access, err);
}

static enum status open_all(struct cluster *cluster, const char *sockets, struct error *err)
{
    struct loop_source_calls calls = {cluster, NULL, on_later};

    TRY(open_access(cluster, err));
    TRY(loop_new(TICK_MS, &cluster->loop, err));
    TRY(loop_add_source(cluster->loop, &calls, &cluster->later, err));
    TRY(supervise_watch(cluster->loop, sockets, &cluster->watch, err));
    if (cluster->watch.is_detached)
        TRY(journal_reader_open(cluster->loop, cluster->job->folder, cluster, on_journal_line,
                                &cluster->journal, err));
    TRY(client_open(cluster->loop, &cluster->access, &cluster->client, err));
    loop_on_tick(cluster->loop, on_tick, cluster);
    return begin_submission(cluster, err);
}

static void close_all(struct cluster *cluster)
{
    journal_reader_close(cluster->journal);
    adoption_close(cluster->adoption);
    creation_close(cluster->creation);
    follower_close(cluster->follower);
    exchange_cancel(cluster->deletion);
    exchange_cancel(cluster->scaling);
    exchange_cancel(cluster->scaling_servers);
    client_close(cluster->client);
    loop_remove_source(cluster->later);
    loop_free(cluster->loop);
    text_deinit(&cluster->early);
    arena_deinit(&cluster->arena);
}

int cluster_supervise(const struct job *job, const char *sockets, bool is_detached)
{
    struct cluster cluster = {.job = job};
    struct error err;

    error_clear(&err);
    arena_init(&cluster.arena, ARENA_MAXIMUM);
    text_init(&cluster.early, EARLY_BYTES_MAX);
    cluster.watch = (struct supervise_watch){.cancel = on_cancel,
                                             .fail = on_failure,
                                             .scale = scale,
                                             .scale_servers = scale_servers,
                                             .report = on_report,
                                             .looked = on_looked,
                                             .context = &cluster,
                                             .is_detached = is_detached,
                                             .is_kept = job_is_kept(job->folder)};
    cluster.last = empty_event(JOB_NOTICE);
    job_record_open(&cluster.record, job);
    if (open_all(&cluster, sockets, &err) != STATUS_OK || loop_run(cluster.loop, &err) != STATUS_OK)
        fail_with(&cluster, &err);
    if (cluster.watch.is_stopped)
        job_record_leave(&cluster.record);
    else
        job_record_close(&cluster.record, &cluster.last);
    say(&cluster.last);
    close_all(&cluster);
    return cluster.last.kind == JOB_DONE ? 0 : status_exit_code(cluster.last.error.status);
}
