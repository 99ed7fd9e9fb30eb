#include "cli/publish_command.h"

#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/process/log.h"
#include "cli/jobs_command.h"
#include "cli/printing/progress.h"
#include "extension/engine/job_publish.h"
#include "extension/engine/jobs/unpublished.h"
#include "extension/postgres/libpq/database_libpq.h"
#include "extension/postgres/libpq/libpq.h"
#include "extension/postgres/libpq/libpq_host.h"
#include "extension/postgres/sql/postgres_cluster.h"
#include "extension/sqlite/host/sqlite_host.h"
#include "k8s/job/cluster_folder.h"
#include "runtime/launch/job_folder.h"
#include "runtime/launch/job_lock.h"
#include "runtime/role/fault.h"

/* A model that took an hour must not be lost to a writer that takes some minutes. */
#define PATIENCE_MS (10 * 60 * 1000)

struct target {
    sqlite3 *db;
    struct sqlite_host sqlite;
    struct libpq libpq;
    struct sql_host postgres;
    struct postgres_cluster cluster; /* the cluster of a job that ran there */
    char job_schema[64];
};

/* The first read shows whether it is a database at all. */
static enum status check(sqlite3 *db, const char *path, struct error *err)
{
    switch (sqlite3_exec(db, "SELECT count(*) FROM sqlite_schema", NULL, NULL, NULL)) {
    case SQLITE_OK:
        return STATUS_OK;
    case SQLITE_BUSY:
        return fail(err, STATUS_BUSY, "%s: %s", path, sqlite3_errmsg(db));
    default:
        return fail(err, STATUS_CONNECTION, "%s: %s", path, sqlite3_errmsg(db));
    }
}

static enum status open_postgres(struct target *target, const char *address,
                                 const struct host **host, struct error *err)
{
    TRY(libpq_open(&target->libpq, address, NULL, err));
    libpq_host_init(&target->postgres, &target->libpq, "/proc/self/exe");
    postgres_cluster_init(&target->cluster, &target->postgres, target->job_schema, "");
    *host = &target->postgres.host;
    return STATUS_OK;
}

static enum status open_target(void *context, const char *database, const struct host **host,
                               struct error *err)
{
    struct target *target = context;

    log_info("publishing into %s", database);
    if (libpq_is_address(database))
        return open_postgres(target, database, host, err);
    /* A file that is gone is not made anew: it would not be the user's. */
    if (access(database, F_OK) != 0)
        return fail_errno(err, STATUS_CONNECTION, "%s", database);
    if (sqlite3_open_v2(database, &target->db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK)
        return fail(err, STATUS_CONNECTION, "%s: %s", database,
                    target->db ? sqlite3_errmsg(target->db) : "out of memory");
    sqlite3_busy_timeout(target->db, PATIENCE_MS);
    TRY(check(target->db, database, err));
    sqlite_host_init(&target->sqlite, target->db, "/proc/self/exe");
    *host = &target->sqlite.sql.host;
    return STATUS_OK;
}

static void note_delivered(void *context, int64_t tries)
{
    const struct fault fault = fault_read();
    (void)context;

    fault_reach(&fault, FAULT_DELIVERED, "publisher", 0, (uint32_t)tries - 1, 0);
}

static void close_target(struct target *target)
{
    sqlite3_close(target->db);
    libpq_close(&target->libpq);
}

/* The schema of the tables of a job on a cluster; empty: it is none, or its folder is damaged,
 * which job_publish reports. */
static void read_schema(const char *folder, char schema[64])
{
    struct cluster_access access;
    struct kube_job job;
    struct arena arena;
    struct error ignored;

    if (!cluster_folder_is(folder))
        return;
    arena_init(&arena, ARENA_MAXIMUM);
    if (cluster_folder_read(folder, &arena, &job, &access, &ignored) == STATUS_OK)
        slice_copy(job.schema, schema, 64);
    arena_deinit(&arena);
}

/* ----- started by a supervisor ----- */

static int publish_folder(const char *folder)
{
    struct target target = {.db = NULL};
    struct publisher publisher = {&target, open_target, note_delivered};
    struct error err;
    enum status status;

    error_clear(&err);
    log_open("publisher", LOG_INFO);
    /* Without its supervisor it must not go on: the next one publishes. */
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    read_schema(folder, target.job_schema);
    status = job_publish(folder, &publisher, &err);
    close_target(&target);
    if (status == STATUS_OK)
        log_info("published");
    else
        log_error("%s", err.message);
    return status_exit_code(status);
}

/* ----- the command as typed ----- */

struct display {
    struct formatter formatter;
    struct progress progress;
};

static enum status put_columns(void *self, const struct slice *names, size_t count,
                               struct error *err)
{
    return formatter_columns(&((struct display *)self)->formatter, names, count, err);
}

static enum status put_row(void *self, const struct cell *cells, size_t count, struct error *err)
{
    return formatter_row(&((struct display *)self)->formatter, cells, count, err);
}

static void put_notice(void *self, const char *line)
{
    progress_notice(&((struct display *)self)->progress, line);
}

static enum status publish_into(struct unpublished_job *job, const struct sink *sink,
                                struct error *err)
{
    struct target target = {.db = NULL};
    const struct host *host;
    enum status status;

    read_schema(job->folder.path, target.job_schema);
    status = open_target(&target, job->unpublished.database, &host, err);
    if (status == STATUS_OK)
        status = unpublished_publish(host, job, job_publish_table, sink, err);
    else
        job_folder_leave(&job->folder);
    close_target(&target);
    return status;
}

static enum status publish_taken(const struct options *options, struct unpublished_job *job,
                                 struct error *err)
{
    struct display display;
    const struct sink sink = {
        .self = &display, .columns = put_columns, .row = put_row, .notice = put_notice};
    enum status status;

    formatter_init(&display.formatter, options->format, stdout);
    progress_init(&display.progress, options->progress);
    status = publish_into(job, &sink, err);
    if (status == STATUS_OK)
        status = formatter_end(&display.formatter, err);
    formatter_deinit(&display.formatter);
    return status;
}

enum status publish_kept(const struct options *options, int64_t id, struct error *err)
{
    const struct host bare_host = {.self = NULL};
    struct unpublished_job job;

    TRY(unpublished_take(&bare_host, id, &job, err));
    if (!job.unpublished.database[0]) {
        job_folder_leave(&job.folder);
        fail(err, STATUS_INVALID, "the model of job %lld was to go into a database in memory",
             (long long)id);
        return error_hint(err, "It is gone; the trained model stays in %.400s/job.db.",
                          job.folder.path);
    }
    return publish_taken(options, &job, err);
}

int command_publish(int argc, char **argv)
{
    if (argc == 2 && argv[1][0] == '/' && job_is_running(argv[1]))
        return publish_folder(argv[1]);
    return command_publish_job(argc, argv);
}
