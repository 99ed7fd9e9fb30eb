/*
 * Statements with job.wait = false: the job is made as any other, and left alone.
 */
#include <stdio.h>

#include "extension/engine/jobs/stages.h"

static struct slice table_of(const struct plan *plan)
{
    return plan->kind == STATEMENT_TRAIN ? plan->into_name : plan->target_table;
}

/* A job that scores has its model in the store already. */
static enum status open_store(const struct plan *plan, const char *path, struct jobstore **store,
                              struct error *err)
{
    return plan->kind == STATEMENT_TRAIN ? jobstore_create(path, store, err)
                                         : jobstore_open(path, false, store, err);
}

static enum status put_destination(const struct plan *plan, const struct job_folder *folder,
                                   struct error *err)
{
    struct destination destination = {.state = DESTINATION_PENDING};
    struct jobstore *store;
    char path[PATH_MAX];
    enum status status;

    if (plan->into_file.size >= sizeof destination.database)
        return fail(err, STATUS_LIMIT, "the path of the database is too long");
    snprintf(destination.database, sizeof destination.database, "%.*s",
             SLICE_FORMAT(plan->into_file));
    snprintf(destination.table, sizeof destination.table, "%.*s", SLICE_FORMAT(table_of(plan)));
    TRY(job_folder_file(folder, "job.db", path, err));
    TRY(open_store(plan, path, &store, err));
    status = destination_put(store, &destination, err);
    jobstore_close(store);
    return status;
}

static enum status start(const struct host *host, const struct plan *plan,
                         const struct job_folder *folder, const struct jobspec *spec,
                         struct error *err)
{
    TRY(put_destination(plan, folder, err));
    TRY(job_write_spec(folder, spec, err));
    TRY(job_keep(folder->path, err));
    TRY(job_sync(folder->path, err));
    return job_detach(host->session.program, folder, err);
}

static enum status submit(const struct host *host, const struct plan *plan,
                          struct job_folder *folder, const struct jobspec *spec,
                          const struct sink *sink, struct error *err)
{
    enum status status = start(host, plan, folder, spec, err);

    if (status != STATUS_OK) {
        job_let_go(folder->path);
        return status;
    }
    job_folder_leave(folder);
    sink_notice(sink, "job %lld goes on without this session; totrain wait %lld follows it",
                (long long)folder->id, (long long)folder->id);
    return STATUS_OK;
}

enum status job_submit(const struct host *host, const struct plan *plan, struct job_folder *folder,
                       const struct jobspec *spec, const struct sink *sink, struct error *err)
{
    TRY(submit(host, plan, folder, spec, sink, err));
    return sink_row(
        sink, (struct cell[]){cell_string("job"), cell_integer(folder->id), cell_null()}, 3, err);
}

enum status score_job_submit(const struct host *host, const struct plan *plan,
                             struct job_folder *folder, const struct jobspec *spec,
                             const struct sink *sink, struct error *err)
{
    TRY(submit(host, plan, folder, spec, sink, err));
    return sink_row(sink, (struct cell[]){cell_integer(folder->id), cell_text(plan->target_table)},
                    2, err);
}
