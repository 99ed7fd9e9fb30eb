#include "runtime/process/role/job_in_tables.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/process/log.h"
#include "runtime/data/pgstore/fetch.h"
#include "runtime/data/pgstore/pgstore.h"
#include "runtime/data/pgstore/staged_rows.h"
#include "runtime/data/pgstore/take.h"

static enum status make_folder(const char *folder, struct error *err)
{
    if (mkdir(folder, 0700) != 0 && errno != EEXIST)
        return fail_errno(err, STATUS_IO, "cannot make the folder %s", folder);
    return STATUS_OK;
}

static enum status write_spec(const char *folder, const struct text *json, struct error *err)
{
    char path[PATH_MAX];
    FILE *file;
    bool is_written;

    if (snprintf(path, sizeof path, "%s/job.json", folder) >= (int)sizeof path)
        return fail(err, STATUS_LIMIT, "the path of %s is too long", folder);
    file = fopen(path, "we");
    if (!file)
        return fail_errno(err, STATUS_IO, "cannot write %s", path);
    is_written = fwrite(json->data, 1, json->size, file) == json->size;
    is_written = fclose(file) == 0 && is_written;
    return is_written ? STATUS_OK : fail_errno(err, STATUS_IO, "cannot write %s", path);
}

/* The files of the job's rows: those that the session staged, or that the workers have. */
static enum status fetch_all(const struct job *job, struct error *err)
{
    TRY(pgstore_fetch(job->tables, job->folder, err));
    log_info("has the job's rows");
    return STATUS_OK;
}

/* Rows that lie by key are taken as they are needed. */
static enum status fetch(const struct job *job, const struct spool_source **source,
                         struct error *err)
{
    if (job->spec.staged_shards > 0)
        TRY(pgstore_take_staged(job->tables, err));
    if (!source)
        return fetch_all(job, err);
    *source = NULL;
    return job->spec.shuffle ? pgstore_take(job->tables, job->folder, source, err)
                             : fetch_all(job, err);
}

static enum status open_spec(const struct role_options *options, struct pgstore *tables,
                             struct job *job, struct text *json, struct error *err)
{
    const char *folder = options->folder;
    uint64_t lot;

    TRY(pgstore_spec(tables, json, &lot, err));
    TRY(make_folder(folder, err));
    TRY(write_spec(folder, json, err));
    TRY(job_open(folder, job, err));
    /* The rows in the folder are each role's own copy: the lot stands for them. */
    job->identity = XXH3_64bits_withSeed(json->data, json->size, lot);
    job->journal = pgstore_journal(tables);
    job->fetch = fetch;
    job->tables = tables;
    job->options = options;
    return STATUS_OK;
}

enum status job_open_tables(const struct role_options *options, struct job *job,
                            struct pgstore **tables, struct error *err)
{
    const char *schema = options->schema ? options->schema : PGSTORE_SCHEMA;
    enum status status;
    struct text json;
    uint64_t id;

    *tables = NULL;
    TRY(job_number(options->folder, &id, err));
    TRY(pgstore_open(options->database, schema, id, tables, err));
    text_init(&json, JOBSPEC_BYTES_MAX);
    status = open_spec(options, *tables, job, &json, err);
    text_deinit(&json);
    if (status == STATUS_OK)
        return STATUS_OK;
    pgstore_close(*tables);
    *tables = NULL;
    return status;
}
