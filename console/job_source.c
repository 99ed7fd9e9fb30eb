#include "console/job_source.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "extension/engine/jobs/job_listing.h"
#include "extension/engine/jobs/job_log.h"
#include "extension/engine/jobs/jobs.h"
#include "runtime/launch/job_process.h"

#define EQ " OPERATOR(pg_catalog.=) "

/* A console is of one database, and opens no metrics page. */
static bool is_shown(const char *column)
{
    return strcmp(column, "database") != 0 && strcmp(column, "metrics") != 0;
}

void source_job_columns(const char *names[SOURCE_JOB_COLUMNS])
{
    const char *all[JOB_TABLE_COLUMNS_MAX];
    const size_t count = job_table_columns(JOB_TABLE_JOBS, all);
    size_t shown = 1;

    names[0] = "owner";
    for (size_t i = 0; i < count; i++)
        if (is_shown(all[i]))
            names[shown++] = all[i];
}

static bool is_server(const struct host *host)
{
    return host->catalog.dialect == SQL_POSTGRES;
}

/* The folders of the user's jobs, whatever database a host has. */
static struct host folders_of(const struct host *host)
{
    return (struct host){.session = {.state = host->session.state, .program = "/proc/self/exe"}};
}

/* ----- rows of the folders ----- */

/* A row of totrain_jobs, behind an owner. */
static enum status put_folder_job(void *self, const struct cell *cells, size_t count,
                                  struct error *err)
{
    struct cell row[SOURCE_JOB_COLUMNS] = {cell_null()};
    const char *all[JOB_TABLE_COLUMNS_MAX];
    size_t shown = 1;

    (void)job_table_columns(JOB_TABLE_JOBS, all);
    for (size_t i = 0; i < count; i++)
        if (is_shown(all[i]))
            row[shown++] = cells[i];
    return sink_row(self, row, SOURCE_JOB_COLUMNS, err);
}

/* A row of one job without the job's id. */
static enum status put_folder_row(void *self, const struct cell *cells, size_t count,
                                  struct error *err)
{
    return sink_row(self, cells + 1, count - 1, err);
}

/* ----- rows of the server ----- */

static enum status query_jobs(const struct host *host, const struct sink *sink, struct error *err)
{
    static const char sql[] =
        "SELECT CASE WHEN owner::pg_catalog.oid" EQ
        "current_user::pg_catalog.regrole::pg_catalog.oid "
        "THEN NULL ELSE owner::pg_catalog.text END, id, state, statement, model, workers, step, "
        "steps, epoch, epochs, rows_done, rows_redone, loss, validation_loss, rows_per_second, "
        "goodput, slot_seconds, seconds_waiting, seconds, started_at::pg_catalog.text, error "
        "FROM totrain.jobs";

    return host->rows->query(host->self, SLICE(sql), sink, err);
}

/* The rows of one job of a view, in an order. */
static enum status query_job(const struct host *host, const char *columns, const char *view,
                             const struct source_job *job, const char *order,
                             const struct sink *sink, struct error *err)
{
    struct text sql;
    enum status status;

    text_init(&sql, TEXT_MAXIMUM);
    text_printf(&sql,
                "SELECT %s FROM totrain.%s WHERE job" EQ "%" PRId64 " AND owner::pg_catalog.oid" EQ,
                columns, view, job->id);
    if (job->owner[0]) {
        text_append_literal(&sql, slice_of(job->owner));
        text_append_string(&sql, "::pg_catalog.regrole::pg_catalog.oid");
    } else {
        text_append_string(&sql, "current_user::pg_catalog.regrole::pg_catalog.oid");
    }
    text_printf(&sql, " ORDER BY %s", order);
    status = sql.failed ? fail_no_memory(err)
                        : host->rows->query(host->self, text_slice(&sql), sink, err);
    text_deinit(&sql);
    return status;
}

static enum status ignore_row(void *self, const struct cell *cells, size_t count, struct error *err)
{
    (void)self;
    (void)cells;
    (void)count;
    (void)err;
    return STATUS_OK;
}

static enum status call_function(const struct host *host, const struct text *sql, struct error *err)
{
    const struct sink sink = {.row = ignore_row};

    if (sql->failed)
        return fail_no_memory(err);
    return host->rows->query(host->self, text_slice(sql), &sink, err);
}

/* ----- what there is ----- */

enum status source_jobs(const struct host *host, const struct sink *sink, struct error *err)
{
    const struct sink folder_sink = {.self = (void *)sink, .row = put_folder_job};
    const struct host folders = folders_of(host);

    return is_server(host) ? query_jobs(host, sink, err)
                           : job_table_rows(&folders, JOB_TABLE_JOBS, 0, &folder_sink, err);
}

static enum status folder_rows(const struct host *host, enum job_table table,
                               const struct source_job *job, const struct sink *sink,
                               struct error *err)
{
    const struct sink folder_sink = {.self = (void *)sink, .row = put_folder_row};
    const struct host folders = folders_of(host);

    return job_table_rows(&folders, table, job->id, &folder_sink, err);
}

enum status source_workers(const struct host *host, const struct source_job *job,
                           const struct sink *sink, struct error *err)
{
    return is_server(host) ? query_job(host, "role, index, state, lanes, rows_per_second",
                                       "workers", job, "role, index", sink, err)
                           : folder_rows(host, JOB_TABLE_WORKERS, job, sink, err);
}

enum status source_events(const struct host *host, const struct source_job *job,
                          const struct sink *sink, struct error *err)
{
    return is_server(host)
               ? query_job(host, "at, role, index, event, detail", "events", job, "at", sink, err)
               : folder_rows(host, JOB_TABLE_EVENTS, job, sink, err);
}

enum status source_metrics(const struct host *host, const struct source_job *job,
                           const struct sink *sink, struct error *err)
{
    return is_server(host) ? query_job(host, "epoch, step, metric, part, value", "job_metrics", job,
                                       "step, metric, part", sink, err)
                           : folder_rows(host, JOB_TABLE_METRICS, job, sink, err);
}

struct log_lines {
    struct text *out;
    uint64_t next;
};

static enum status append_line(void *self, const struct cell *cells, size_t count,
                               struct error *err)
{
    struct log_lines *lines = self;

    (void)count;
    lines->next = (uint64_t)cells[0].integer;
    text_append(lines->out, cells[1].text);
    text_append_char(lines->out, '\n');
    return lines->out->failed ? fail_no_memory(err) : STATUS_OK;
}

static enum status query_log(const struct host *host, const struct source_job *job, uint64_t from,
                             size_t most, struct text *out, uint64_t *next, struct error *err)
{
    struct log_lines lines = {out, from};
    const struct sink sink = {.self = &lines, .row = append_line};
    enum status status;
    struct text sql;

    text_init(&sql, TEXT_MAXIMUM);
    text_printf(&sql, "SELECT next, line FROM totrain.job_log(%" PRId64 ", ", job->id);
    if (job->owner[0]) {
        text_append_literal(&sql, slice_of(job->owner));
        text_append_string(&sql, "::pg_catalog.regrole");
    } else {
        text_append_string(&sql, "NULL");
    }
    text_printf(&sql, ", %" PRIu64 ", %zu)", from, most);
    status = sql.failed ? fail_no_memory(err)
                        : host->rows->query(host->self, text_slice(&sql), &sink, err);
    text_deinit(&sql);
    *next = lines.next;
    return status;
}

enum status source_log(const struct host *host, const struct source_job *job, uint64_t from,
                       size_t most, struct text *out, uint64_t *next, struct error *err)
{
    const struct job_log_part part = {.job = job->id, .from = from, .most = most};

    return is_server(host) ? query_log(host, job, from, most, out, next, err)
                           : job_log_read(host->session.state, &part, out, next, err);
}

/* ----- what can be done ----- */

static enum status cancel_in_server(const struct host *host, const struct source_job *job,
                                    struct error *err)
{
    struct text sql;
    enum status status;

    text_init(&sql, TEXT_MAXIMUM);
    text_printf(&sql, "SELECT totrain.cancel(%" PRId64, job->id);
    if (job->owner[0]) {
        text_append_string(&sql, ", ");
        text_append_literal(&sql, slice_of(job->owner));
        text_append_string(&sql, "::pg_catalog.regrole");
    }
    text_append_char(&sql, ')');
    status = call_function(host, &sql, err);
    text_deinit(&sql);
    return status;
}

enum status source_cancel(const struct host *host, const struct source_job *job, struct error *err)
{
    const struct host folders = folders_of(host);

    return is_server(host) ? cancel_in_server(host, job, err) : job_end(&folders, job->id, err);
}

static enum status scale_in_server(const struct host *host, const struct source_job *job,
                                   int64_t workers, int64_t servers, struct error *err)
{
    struct text sql;
    enum status status;

    if (servers > 0 || job->owner[0])
        return fail(err, STATUS_UNSUPPORTED,
                    "in a server the workers of one's own jobs are scaled, and nothing else");
    text_init(&sql, TEXT_MAXIMUM);
    text_printf(&sql, "SELECT totrain.scale(%" PRId64 ", %" PRId64 ")", job->id, workers);
    status = call_function(host, &sql, err);
    text_deinit(&sql);
    return status;
}

enum status source_scale(const struct host *host, const struct source_job *job, int64_t workers,
                         int64_t servers, struct error *err)
{
    if (is_server(host))
        return scale_in_server(host, job, workers, servers, err);
    if (workers > 0)
        TRY(job_scale_by_id(host->session.state, job->id, workers, err));
    if (servers > 0)
        TRY(job_scale_servers_by_id(host->session.state, job->id, servers, err));
    return STATUS_OK;
}
