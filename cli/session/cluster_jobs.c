#include "cli/session/cluster_jobs.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/session/runs.h"
#include "extension/postgres/libpq/libpq_wait.h"
#include "extension/postgres/sql/direct_table.h"
#include "extension/postgres/sql/job_tables.h"
#include "extension/sql/sql.h"
#include "k8s/job/cluster_folder.h"
#include "k8s/job/profile.h"
#include "planner/plan/plan.h"
#include "runtime/data/store/destination.h"
#include "runtime/data/store/shardstore.h"
#include "runtime/launch/job_detach.h"
#include "runtime/launch/job_folder.h"

static void take_option(const char *value, struct slice *member)
{
    if (value)
        *member = slice_of(value);
}

void cluster_job_begin(struct kube_job *job)
{
    *job = (struct kube_job){.kube_namespace = SLICE(KUBE_JOB_NAMESPACE),
                             .pull_policy = SLICE("IfNotPresent"),
                             .service_account = SLICE(KUBE_JOB_ACCOUNT),
                             .cpu_m = KUBE_JOB_CPU_M,
                             .memory = KUBE_JOB_MEMORY,
                             .keep_s = KUBE_JOB_KEEP_S};
}

enum status cluster_job_needs_login(struct error *err)
{
    fail(err, STATUS_INVALID, "--database-secret is missing");
    return error_hint(err, "It names the Secret of the namespace whose key login holds the "
                           "connection string of the job's processes.");
}

/* "2", or with a limit: "2:4". */
static enum status read_processors(struct slice text, struct kube_job *job, struct error *err)
{
    const char *colon = memchr(text.data, ':', text.size);
    const size_t size = colon ? (size_t)(colon - text.data) : text.size;
    int64_t limit_m;

    TRY(quantity_read_cpu((struct slice){text.data, size}, &job->cpu_m, err));
    if (!colon)
        return STATUS_OK;
    TRY(quantity_read_cpu((struct slice){colon + 1, text.size - size - 1}, &limit_m, err));
    if (limit_m < job->cpu_m)
        return fail(err, STATUS_INVALID, "--cpu=%.*s: the limit is below what a worker asks for",
                    SLICE_FORMAT(text));
    job->cpu_limit_percent = (100 * limit_m + job->cpu_m - 1) / job->cpu_m;
    return STATUS_OK;
}

enum status cluster_job_fill(const struct cluster_options *options, struct arena *arena,
                             struct kube_job *job, struct error *err)
{
    if (options->profile) /* the options beside it override what it says */
        TRY(profile_load(slice_of(options->profile), arena, job, err));
    take_option(options->name, &job->name);
    take_option(options->kube_namespace, &job->kube_namespace);
    take_option(options->image, &job->image);
    take_option(options->pull_policy, &job->pull_policy);
    take_option(options->service_account, &job->service_account);
    take_option(options->priority_class, &job->priority_class);
    take_option(options->database_secret, &job->database_secret);
    take_option(options->resource, &job->slot_resource);
    if (job->image.size == 0)
        return fail(err, STATUS_INVALID, "--image is missing"),
               error_hint(err, "It names totrain's image as the cluster knows it.");
    if (options->cpu)
        TRY(read_processors(slice_of(options->cpu), job, err));
    if (options->memory)
        TRY(quantity_read_memory(slice_of(options->memory), &job->memory, err));
    if (options->keep && !slice_to_integer(slice_of(options->keep), &job->keep_s))
        return fail(err, STATUS_INVALID, "--keep takes seconds, not %s", options->keep);
    return STATUS_OK;
}

/* ----- the seam ----- */

/* Asks for the settings of the server's administrator. Its library defines them when it is loaded,
 * which a call of one of its functions does. */
static enum status ask_settings(struct session *session, struct error *err)
{
    struct cell cells[2] = {{.type = CELL_NULL}, {.type = CELL_NULL}};
    struct arena arena;
    enum status status;
    bool found;

    arena_init(&arena, 1 << 20);
    status = sql_run(&session->postgres, "SELECT totrain.version()", NULL, NULL, 0, NULL, err);
    if (status == STATUS_OK)
        status = sql_first(&session->postgres,
                           "SELECT pg_catalog.current_setting('totrain.job_schema'), "
                           "pg_catalog.current_setting('totrain.job_login')",
                           NULL, 0, &arena, cells, 2, &found, err);
    if (status == STATUS_OK) {
        snprintf(session->job_schema, sizeof session->job_schema, "%.*s",
                 SLICE_FORMAT(cells[0].text));
        snprintf(session->job_login, sizeof session->job_login, "%.*s",
                 SLICE_FORMAT(cells[1].text));
    }
    arena_deinit(&arena);
    return status;
}

static struct session *session_of(void *seam)
{
    return (struct session *)((char *)seam - offsetof(struct session, cluster));
}

static enum status fill_run(const struct cluster_options *options, struct kube_job *job,
                            struct error *err)
{
    struct run_owner owner;

    TRY(run_owner_read(options, &owner, err));
    job->schedule = slice_of(options->run_of);
    job->owner_pod = owner.pod;
    job->owner_uid = owner.uid;
    return STATUS_OK;
}

/* Its absolute name, for a process that outlives this one and has another working folder. */
static enum status find_file(const char *name, struct arena *arena, struct slice *found,
                             struct error *err)
{
    char path[PATH_MAX];

    if (!realpath(name, path))
        return fail_errno(err, STATUS_NOT_FOUND, "%s", name);
    *found = arena_copy(arena, slice_of(path));
    return found->data ? STATUS_OK : fail_no_memory(err);
}

static enum status describe(void *self, const struct plan_cluster *wanted, struct arena *arena,
                            struct kube_job *job, struct cluster_access *access, struct error *err)
{
    struct session *session = session_of(self);
    const struct cluster_options *options = session->cluster_options;

    if (PQtransactionStatus(session->libpq.connection) != PQTRANS_IDLE) {
        fail(err, STATUS_INVALID,
             "a job on Kubernetes cannot be a part of a transaction: its processes would not see "
             "the rows");
        return error_hint(err, "Train after COMMIT.");
    }
    if (!options->image && wanted->image.size > 0)
        return fail(err, STATUS_INVALID,
                    "job.image is for lists of an administrator: give --image");
    if (wanted->profile.size > 0) {
        fail(err, STATUS_INVALID, "job.profile is for lists of an administrator");
        return error_hint(err, "--profile=NAME@FILE names one of a file.");
    }
    TRY(cluster_job_fill(options, arena, job, err));
    if (job->database_secret.size == 0)
        return cluster_job_needs_login(err);
    if (options->run_of)
        TRY(fill_run(options, job, err));
    TRY(ask_settings(session, err));
    job->schema = slice_of(session->job_schema);
    job->database = arena_copy(arena, slice_of(PQdb(session->libpq.connection)));
    job->user = arena_copy(arena, slice_of(PQuser(session->libpq.connection)));
    if (!job->database.data || !job->user.data)
        return fail_no_memory(err);
    *access = (struct cluster_access){.kubeconfig = SLICE(""),
                                      .context = slice_of(options->context ? options->context : ""),
                                      .allows_exec = true,
                                      .allows_insecure = options->allows_insecure};
    return options->kubeconfig ? find_file(options->kubeconfig, arena, &access->kubeconfig, err)
                               : STATUS_OK;
}

static enum status export_snapshot(struct session *session, const struct direct_order *order,
                                   char snapshot[KUBE_JOB_SNAPSHOT_MAX + 1], struct error *err)
{
    struct cell name = {.type = CELL_NULL};
    struct arena arena;
    enum status status;
    bool found;

    TRY(postgres_lock_tables(&session->postgres, order, err));
    arena_init(&arena, 1 << 16);
    status = sql_first(&session->postgres, "SELECT pg_catalog.pg_export_snapshot()", NULL, 0,
                       &arena, &name, 1, &found, err);
    if (status == STATUS_OK)
        snprintf(snapshot, KUBE_JOB_SNAPSHOT_MAX + 1, "%.*s", SLICE_FORMAT(name.text));
    arena_deinit(&arena);
    return status;
}

/* In a transaction that does nothing else, until the rows are staged. What it fails with is
 * followed by discard, which ends it. */
static enum status hold(void *self, const struct direct_order *order,
                        char snapshot[KUBE_JOB_SNAPSHOT_MAX + 1], struct error *err)
{
    struct session *session = session_of(self);

    TRY(libpq_execute(&session->libpq, "BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY", err));
    TRY(libpq_execute(&session->libpq, "SET LOCAL idle_in_transaction_session_timeout = 0", err));
    return export_snapshot(session, order, snapshot, err);
}

/* Nothing was written: it does not matter how. A connection that was lost holds nothing. */
static enum status let_go(void *self, struct error *err)
{
    struct session *session = session_of(self);
    struct error ignored;
    (void)err;

    if (PQtransactionStatus(session->libpq.connection) != PQTRANS_IDLE)
        (void)libpq_execute(&session->libpq, "ROLLBACK", &ignored);
    return STATUS_OK;
}

static enum status collect(void *self, int64_t number, const struct collection *collection,
                           const struct sink *sink, struct error *err)
{
    TRY(let_go(self, err));
    return postgres_cluster_collect(self, number, collection, sink, err);
}

/* Also after Ctrl-C. */
static void discard(void *self, int64_t number, const struct sink *sink)
{
    struct session *session = session_of(self);
    const volatile sig_atomic_t *interrupts = session->libpq.interrupts;

    session->libpq.interrupts = NULL;
    (void)let_go(self, NULL);
    postgres_cluster_discard(self, number, sink);
    session->libpq.interrupts = interrupts;
}

enum status cluster_tables_are_there(struct session *session, int64_t number, bool *are_there,
                                     struct error *err)
{
    struct job_tables tables = {.host = &session->postgres, .schema = session->job_schema};

    TRY(ask_settings(session, err));
    job_tables_find(&tables, number);
    return job_tables_are_there(&tables, are_there, err);
}

static void put_notice(void *self, const char *line)
{
    progress_notice(&((struct session *)self)->progress, line);
}

void cluster_tables_drop(struct session *session, int64_t number)
{
    const struct sink sink = {.self = session, .notice = put_notice};

    discard(&session->cluster, number, &sink);
}

/* ----- detached jobs ----- */

/* The table that a job which scores fills; else the model. */
static enum status name_target(struct jobstore *store, struct destination *destination,
                               struct error *err)
{
    struct shard_target target;
    struct arena arena;
    struct job_row row;
    enum status status;

    TRY(jobstore_get_job(store, &row, err));
    arena_init(&arena, 16 << 20);
    status = shardstore_get_target(store, 0, &arena, &target, err);
    if (status == STATUS_OK)
        slice_copy(target.name, destination->table, sizeof destination->table);
    else if (status == STATUS_NOT_FOUND)
        snprintf(destination->table, sizeof destination->table, "%.255s", row.model);
    arena_deinit(&arena);
    return status == STATUS_NOT_FOUND ? STATUS_OK : status;
}

static enum status put_destination(const struct session *session, const struct job_folder *folder,
                                   struct error *err)
{
    struct destination destination = {.state = DESTINATION_PENDING};
    struct jobstore *store;
    char path[PATH_MAX];
    enum status status;

    if (session->libpq.delivery.size == 0 ||
        session->libpq.delivery.size >= sizeof destination.database)
        return fail(err, STATUS_UNSUPPORTED,
                    "the result of a job with job.wait = false cannot be a temporary table");
    slice_copy(text_slice(&session->libpq.delivery), destination.database,
               sizeof destination.database);
    TRY(job_folder_file(folder, "job.db", path, err));
    TRY(jobstore_open_durable(path, &store, err));
    status = name_target(store, &destination, err);
    if (status == STATUS_OK)
        status = destination_put(store, &destination, err);
    jobstore_close(store);
    return status;
}

/* A supervisor that outlives this process follows the Job, and publishes the model as the same
 * role, by the login that libpq finds, but without a password that was typed here. */
static enum status keep(void *self, const struct job_folder *folder, struct error *err)
{
    const struct session *session = session_of(self);

    TRY(put_destination(session, folder, err));
    return job_detach(session->host->session.program, folder, err);
}

void cluster_jobs_init(struct session *session, const struct cluster_options *options)
{
    session->cluster_options = options;
    postgres_cluster_init(&session->cluster, &session->postgres, session->job_schema,
                          session->job_login);
    session->cluster.seam.describe = describe;
    session->cluster.seam.hold = hold;
    session->cluster.seam.let_go = let_go;
    session->cluster.seam.collect = collect;
    session->cluster.seam.discard = discard;
    session->cluster.seam.keep = keep;
    if (!options->run_of) { /* the pod of a run ends with it */
        session->cluster.seam.keeps = KEEPS_DETACHED;
        session->postgres.host.catalog.limits.keeps_cluster = true;
    }
    session->postgres.job_login = session->job_login;
    session->postgres.host.catalog.limits.has_cluster = true;
}
