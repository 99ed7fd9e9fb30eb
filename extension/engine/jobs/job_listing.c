/*
 * Jobs as tables: one row a job, and what each job's store lists.
 */
#include "extension/engine/jobs/job_listing.h"

#include <stdlib.h>
#include <string.h>

#include "extension/engine/jobs/job_cache.h"
#include "runtime/launch/job_folder.h"

static const char *const job_columns[] = {"id",
                                          "state",
                                          "statement",
                                          "model",
                                          "workers",
                                          "step",
                                          "steps",
                                          "epoch",
                                          "epochs",
                                          "rows_done",
                                          "rows_redone",
                                          "loss",
                                          "validation_loss",
                                          "rows_per_second",
                                          "goodput",
                                          "slot_seconds",
                                          "seconds_waiting",
                                          "seconds",
                                          "started_at",
                                          "database",
                                          "metrics",
                                          "error",
                                          NULL};

_Static_assert(sizeof job_columns / sizeof *job_columns - 1 == JOB_TABLE_COLUMNS_MAX,
               "the widest of the tables");

static const char *const table_names[] = {"totrain_jobs", "totrain_workers", "totrain_events",
                                          "totrain_job_metrics", "totrain_shards"};

const char *job_table_name(enum job_table table)
{
    return table_names[table];
}

static enum jobstore_listing listing_of(enum job_table table)
{
    return (enum jobstore_listing)(table - JOB_TABLE_WORKERS);
}

size_t job_table_columns(enum job_table table, const char *names[JOB_TABLE_COLUMNS_MAX])
{
    const char *const *columns = job_columns;
    size_t count = 0;

    if (table != JOB_TABLE_JOBS) {
        names[count++] = "job";
        columns = jobstore_listing_columns(listing_of(table));
    }
    for (size_t i = 0; columns[i]; i++)
        names[count++] = columns[i];
    return count;
}

static struct cell text_or_null(const char *text)
{
    return text[0] ? cell_string(text) : cell_null();
}

static enum status put_job(const struct job_status *job, const struct sink *sink, struct error *err)
{
    const struct job_row *row = &job->row;
    const struct cell cells[] = {
        cell_integer(job->folder.id),
        cell_string(job_state_name(job->state)),
        cell_string(row->statement),
        cell_string(row->model),
        cell_integer(row->workers),
        cell_integer((int64_t)row->step),
        row->steps > 0 ? cell_integer((int64_t)row->steps) : cell_null(),
        cell_integer(row->epoch),
        cell_integer(row->epochs),
        cell_integer((int64_t)row->rows_done),
        cell_integer((int64_t)row->rows_redone),
        cell_real(row->loss),
        cell_real(row->validation_loss),
        cell_real(row->rows_per_second),
        cell_real(row->goodput),
        cell_real(row->slot_seconds),
        cell_real(row->seconds_waiting),
        cell_real(row->seconds),
        text_or_null(row->started_at),
        text_or_null(job->destination.database),
        text_or_null(row->metrics),
        text_or_null(job->error),
    };

    return sink_row(sink, cells, sizeof cells / sizeof *cells, err);
}

struct listing {
    int64_t job;
    size_t columns; /* in the store's table */
    const struct sink *sink;
};

static enum status put_listed(void *context, const struct cell *cells, struct error *err)
{
    const struct listing *listing = context;
    struct cell row[LISTING_COLUMNS_MAX + 1] = {cell_integer(listing->job)};

    memcpy(row + 1, cells, listing->columns * sizeof *cells);
    return sink_row(listing->sink, row, listing->columns + 1, err);
}

static enum status put_listing(const struct job_folder *folder, enum job_table table,
                               const struct sink *sink, struct error *err)
{
    const char *names[JOB_TABLE_COLUMNS_MAX];
    struct listing listing = {folder->id, job_table_columns(table, names) - 1, sink};
    struct jobstore *store;
    struct error ignored;
    char path[PATH_MAX];
    enum status status;

    if (job_folder_file(folder, "job.db", path, &ignored) != STATUS_OK ||
        jobstore_open(path, true, &store, &ignored) != STATUS_OK)
        return STATUS_OK; /* it goes just now, or has not begun */
    status = jobstore_each_of(store, listing_of(table), put_listed, &listing, err);
    jobstore_close(store);
    return status;
}

struct listed_jobs {
    const struct host *host;
    enum job_table table;
    struct job_cache *cache;
    const struct sink *sink;
};

static enum status put_rows_of(const struct listed_jobs *listed, int64_t id, struct error *err)
{
    struct job_folder folder;
    struct job_status job;
    struct error ignored;

    if (listed->table == JOB_TABLE_JOBS)
        return job_status_list(listed->host, listed->cache, id, &job)
                   ? put_job(&job, listed->sink, err)
                   : STATUS_OK;
    return job_folder_find(listed->host->session.state, id, &folder, &ignored) == STATUS_OK
               ? put_listing(&folder, listed->table, listed->sink, err)
               : STATUS_OK;
}

enum status job_table_rows(const struct host *host, enum job_table table, int64_t only,
                           const struct sink *sink, struct error *err)
{
    struct listed_jobs listed = {.host = host, .table = table, .sink = sink};
    enum status status = STATUS_OK;
    int64_t *ids = NULL;
    size_t count = 0;

    TRY(job_folder_list(host->session.state, &ids, &count, err));
    /* A query for one job alone would have the file forget the others. */
    if (table == JOB_TABLE_JOBS && only == 0)
        listed.cache = job_cache_open(host->session.state);
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        if (only == 0 || ids[i] == only)
            status = put_rows_of(&listed, ids[i], err);
    job_cache_close(listed.cache);
    free(ids);
    return status;
}
