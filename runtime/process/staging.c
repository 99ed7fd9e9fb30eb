#include "runtime/process/staging.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/thread.h"
#include "runtime/data/dataset.h"
#include "runtime/data/pgstore/fetch.h"
#include "runtime/data/pgstore/settle_rows.h"
#include "runtime/data/spool_files.h"
#include "runtime/data/spool_writer.h"
#include "runtime/loop/loop_watch.h"
#include "runtime/process/roles.h"

struct staging {
    struct loop *loop;
    const struct job *job;
    struct rows_reading reading;
    bool has_order; /* it is in the folder */
    void *reader;   /* of options->table_reader; NULL: the table is not open */
    struct staged_spool spools[STAGED_SPOOLS_MAX];
    size_t spool_count;
    /* The shard at hand. */
    uint64_t shard;
    pthread_t thread;
    int done; /* the thread's end of the pipe: closed when it is done */
    bool is_running;
    struct error err;
};

/* ----- on the thread ----- */

static const struct table_reader *reader_of(const struct staging *staging)
{
    return staging->job->options->table_reader;
}

static void close_table(struct staging *staging)
{
    if (staging->reader)
        reader_of(staging)->close(staging->reader);
    staging->reader = NULL;
}

/* The order is no part of the spec: both were written by the session. */
static enum status check_shards(const struct staging *staging, struct error *err)
{
    uint64_t shards = 0;

    for (size_t i = 0; i < staging->spool_count; i++)
        shards += staging->spools[i].shards;
    return shards == staging->job->spec.staged_shards
               ? STATUS_OK
               : fail(err, STATUS_CORRUPT, "the order to read the table has other shards");
}

static enum status open_table(struct staging *staging, struct error *err)
{
    if (!staging->has_order)
        TRY(pgstore_fetch(staging->job->tables, staging->job->folder, err));
    staging->has_order = true;
    if (!staging->reader)
        TRY(reader_of(staging)->open(&staging->reading, &staging->reader, err));
    staging->spool_count = reader_of(staging)->spools(staging->reader, staging->spools);
    return check_shards(staging, err);
}

/* The shard among those of its spool. */
static enum status find_shard(const struct staging *staging, uint32_t *spool, uint32_t *shard,
                              struct error *err)
{
    uint64_t left = staging->shard;

    for (uint32_t i = 0; i < staging->spool_count; left -= staging->spools[i++].shards)
        if (left < staging->spools[i].shards) {
            *spool = i;
            *shard = (uint32_t)left;
            return STATUS_OK;
        }
    return fail(err, STATUS_PROTOCOL, "there is no shard %llu", (unsigned long long)staging->shard);
}

static enum status store_part(struct staging *staging, const char *spool, uint32_t shard,
                              struct slice index, struct error *err)
{
    char path[SPOOL_PATH_MAX], part[SPOOL_PATH_MAX];
    struct staged_file files[2] = {{.bytes = index}, {.path = part}};
    enum status status;

    snprintf(files[0].name, sizeof files[0].name, STAGED_INDEX_NAME, spool, shard);
    snprintf(files[1].name, sizeof files[1].name, STAGED_PART_NAME, spool, shard);
    if (snprintf(path, sizeof path, "%s/%s.spool", staging->job->folder, spool) >=
            (int)sizeof path ||
        !spool_part_path(path, shard, part))
        return fail(err, STATUS_LIMIT, "the path of %s is too long", staging->job->folder);
    status = pgstore_stage(staging->job->tables, files, 2, err);
    spool_part_remove(path, shard);
    return status;
}

static enum status stage_shard(struct staging *staging, struct error *err)
{
    enum status status;
    struct text index;
    uint32_t spool = 0, shard = 0;

    TRY(open_table(staging, err));
    TRY(find_shard(staging, &spool, &shard, err));
    text_init(&index, SPOOL_PART_INDEX_BYTES_MAX);
    status = reader_of(staging)->read(staging->reader, spool, shard, shard, &index, err);
    if (status == STATUS_OK)
        status = store_part(staging, staging->spools[spool].name, shard, text_slice(&index), err);
    text_deinit(&index);
    if (status != STATUS_OK)
        close_table(staging);
    return status;
}

/* A connection that was cut is made again, as long as that may help: under the same snapshot, or
 * not at all. */
static enum status stage_patiently(struct staging *staging, struct error *err)
{
    const int64_t deadline = pg_connection_now() + PGSTORE_PATIENCE_MS;
    enum status status;

    do
        status = stage_shard(staging, err);
    while (status == STATUS_CONNECTION && pg_connection_now() < deadline);
    return status;
}

static enum status settle(struct staging *staging, struct error *err)
{
    struct settled_spool spools[STAGED_SPOOLS_MAX];

    TRY(open_table(staging, err));
    for (size_t i = 0; i < staging->spool_count; i++)
        spools[i] = (struct settled_spool){
            .name = staging->spools[i].name,
            .columns = staging->spools[i].columns,
            .column_count = staging->spools[i].column_count,
            .shards = staging->spools[i].shards,
            .order = dataset_order(&staging->job->spec, i > 0, job_threads(staging->job, 1))};
    return pgstore_settle(staging->job->tables, staging->job->folder, spools, staging->spool_count,
                          err);
}

static void *run(void *argument)
{
    struct staging *staging = argument;
    enum status status;

    if (staging->shard == staging->job->spec.staged_shards)
        status = settle(staging, &staging->err);
    else
        status = stage_patiently(staging, &staging->err);
    if (status == STATUS_OK) /* what was tried again may have left why */
        error_clear(&staging->err);
    close(staging->done);
    return NULL;
}

/* ----- on the loop ----- */

static void on_done(void *context)
{
    struct staging *staging = context;

    if (staging->is_running) /* else there is no thread */
        pthread_join(staging->thread, NULL);
    staging->is_running = false;
}

static void ignore_line(void *context, struct slice line)
{
    (void)context;
    (void)line;
}

static enum status begin(void *self, uint64_t first, uint32_t count, struct error *err)
{
    struct staging *staging = self;
    struct line_reader reader = {.context = staging, .on_line = ignore_line, .on_end = on_done};
    int ends[2];

    (void)count; /* 1 */
    error_clear(&staging->err);
    staging->shard = first;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return fail_errno(err, STATUS_IO, "cannot make a pipe");
    staging->done = ends[1];
    if (loop_read_lines(staging->loop, ends[0], reader, NULL, err) != STATUS_OK) {
        close(ends[1]);
        return err->status;
    }
    staging->is_running = thread_start(&staging->thread, run, staging);
    if (staging->is_running)
        return STATUS_OK;
    close(ends[1]);
    return fail(err, STATUS_NO_MEMORY, "cannot start a thread");
}

static enum status score(void *self, bool *is_done, struct error *err)
{
    struct staging *staging = self;

    *is_done = !staging->is_running;
    if (!*is_done || staging->err.status == STATUS_OK)
        return STATUS_OK;
    *err = staging->err;
    return err->status;
}

static struct slice results(const void *self)
{
    (void)self;
    return (struct slice){"", 0};
}

enum status staging_new(struct loop *loop, const struct job *job, struct staging **staging,
                        struct error *err)
{
    const struct role_options *options = job->options;

    *staging = NULL;
    if (!options || !options->table_reader)
        return fail(err, STATUS_UNSUPPORTED, "this program reads no tables");
    *staging = calloc(1, sizeof **staging);
    if (!*staging)
        return fail_no_memory(err);
    (*staging)->loop = loop;
    (*staging)->job = job;
    (*staging)->reading =
        (struct rows_reading){.folder = job->folder,
                              .spec = &job->spec,
                              .database = options->database,
                              .schema = options->schema ? options->schema : PGSTORE_SCHEMA,
                              .job = job->id,
                              .snapshot = options->snapshot};
    return STATUS_OK;
}

struct shard_scoring staging_calls(struct staging *staging)
{
    return (struct shard_scoring){
        .self = staging, .begin = begin, .score = score, .results = results};
}

bool staging_is_running(const struct staging *staging)
{
    return staging->is_running;
}

void staging_free(struct staging *staging)
{
    if (!staging)
        return;
    close_table(staging);
    free(staging);
}
