#include "extension/engine/show_lists.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "extension/engine/host/stored.h"
#include "extension/engine/jobs/job_cache.h"
#include "extension/engine/jobs/job_database.h"
#include "runtime/launch/job_folder.h"

/* ----- SHOW MODELS ----- */

/* The columns of SHOW MODELS among those of put_model (stored.h); the last, age, is made. */
static const int shown[SHOW_MODELS_COLUMNS] = {0, 2, 3, 4, 5, 6, 7, -1};

static void append_age(double seconds, struct text *out)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"day", 86400}, {"hour", 3600}, {"minute", 60}, {"second", 1}};
    const double age = seconds < 1 ? 1 : seconds;

    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        const double count = age / units[i].seconds;

        if (count < 1)
            continue;
        text_printf(out, "%.0f %s%s", count, units[i].unit, count < 1.5 ? "" : "s");
        return;
    }
}

/* Appends the age of a time that is written as by model_stamp. */
static void append_age_since(struct slice created_at, time_t now, struct text *out)
{
    struct tm parts = {0};
    char terminated[32];

    slice_copy(created_at, terminated, sizeof terminated);
    if (strptime(terminated, "%Y-%m-%dT%H:%M:%SZ", &parts))
        append_age(difftime(now, timegm(&parts)), out);
}

struct model_listing {
    const struct sink *sink;
    time_t now;
};

static enum status put_model_shown(void *self, const struct cell *cells, size_t count,
                                   struct error *err)
{
    const struct model_listing *listing = self;
    struct cell row[SHOW_MODELS_COLUMNS];
    struct text age;
    enum status status;

    if (count < STORED_MODEL_COLUMNS)
        return fail(err, STATUS_CORRUPT, "a listed model lacks columns");
    text_init(&age, 40);
    append_age_since(cells[STORED_MODEL_CREATED_AT].text, listing->now, &age);
    for (int i = 0; i < SHOW_MODELS_COLUMNS; i++)
        row[i] = shown[i] >= 0  ? cells[shown[i]]
                 : age.size > 0 ? cell_text(text_slice(&age))
                                : cell_null();
    status = sink_row(listing->sink, row, SHOW_MODELS_COLUMNS, err);
    text_deinit(&age);
    return status;
}

enum status show_models_run(const struct host *host, bool is_full, const struct sink *sink,
                            struct error *err)
{
    struct model_listing listing = {sink, time(NULL)};
    const struct sink rows = {.self = &listing, .row = put_model_shown};

    return host->models->list(host->self, is_full, is_full ? sink : &rows, err);
}

/* ----- SHOW JOBS ----- */

static enum status show_job(const struct host *host, struct job_cache *cache, int64_t id,
                            const struct sink *sink, struct error *err)
{
    struct job_status job;

    if (!job_status_list(host, cache, id, &job))
        return STATUS_OK;
    return sink_row(sink,
                    (struct cell[]){cell_integer(id), cell_string(job_state_name(job.state)),
                                    cell_string(job.row.model), cell_string(job.row.started_at),
                                    cell_real(job.row.seconds), cell_string(job.row.statement),
                                    job.error[0] ? cell_string(job.error) : cell_null()},
                    7, err);
}

static int compare_newest_first(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x < y) - (x > y);
}

enum status show_jobs_run(const struct host *host, bool is_full, const struct sink *sink,
                          struct error *err)
{
    int64_t *ids = NULL;
    size_t count = 0;
    enum status status = STATUS_OK;
    struct job_cache *cache;

    TRY(job_folder_list(host->session.state, &ids, &count, err));
    if (count > 0)
        qsort(ids, count, sizeof *ids, compare_newest_first);
    cache = job_cache_open(host->session.state);
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        if (is_full || job_database_is_ours(host, ids[i]))
            status = show_job(host, cache, ids[i], sink, err);
    job_cache_close(cache);
    free(ids);
    return status;
}
