#include "runtime/process/working/staging.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/process/log.h"
#include "jobspec/jobspec_write.h"
#include "runtime/data/dataset/dataset.h"
#include "runtime/data/pgstore/fetch.h"
#include "runtime/data/pgstore/settle_rows.h"
#include "runtime/data/pgstore/staged_rows.h"
#include "runtime/data/spool/spool_files.h"
#include "runtime/data/spool/spool_writer.h"
#include "runtime/loop/loop_task.h"
#include "runtime/process/role/roles.h"

struct staging {
    struct loop *loop;
    const struct job *job;
    struct rows_reading reading;
    bool has_order; /* it is in the folder */
    void *reader;   /* reader made by options->table_reader; NULL: the table is not open */
    struct staged_spool spools[STAGED_SPOOLS_MAX];
    size_t spool_count;
    struct text spec; /* job.json */
    bool has_chosen;  /* the way: */
    bool reads_here;  /* the server makes no parts */
    /* The shard at hand. */
    uint64_t shard;
    struct loop_task task;
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

static enum status stage_here(struct staging *staging, const char *name, uint32_t spool,
                              uint32_t shard, struct error *err)
{
    enum status status;
    struct text index;
    bool has;

    TRY(pgstore_has_staged(staging->job->tables, name, &has, err));
    if (has) /* it need not be read again */
        return STATUS_OK;
    text_init(&index, SPOOL_PART_INDEX_BYTES_MAX);
    status = reader_of(staging)->read(staging->reader, spool, shard, &index, err);
    if (status == STATUS_OK)
        status = store_part(staging, staging->spools[spool].name, shard, text_slice(&index), err);
    text_deinit(&index);
    return status;
}

/* Begins a call to the server with the job's spec. */
static enum status begin_call(struct staging *staging, struct staged_call *call, struct error *err)
{
    if (staging->spec.size == 0)
        TRY(jobspec_write(&staging->job->spec, &staging->spec, err));
    *call = (struct staged_call){.job = staging->reading.job,
                                 .schema = staging->reading.schema,
                                 .spec = text_slice(&staging->spec),
                                 .order = reader_of(staging)->order(staging->reader)};
    return STATUS_OK;
}

/* The server reads and stores it. */
static enum status stage_there(struct staging *staging, const char *index, uint32_t spool,
                               uint32_t shard, struct error *err)
{
    struct staged_call call;
    enum status status;

    TRY(begin_call(staging, &call, err));
    TRY(reader_of(staging)->snapshot(staging->reader, &call.snapshot, err));
    call.spool = spool;
    call.shard = shard;
    call.index = index;
    status = pgstore_stage_there(staging->job->tables, &call, err);
    if (status == STATUS_STALE) /* the connection of the reader was cut */
        return fail(err, STATUS_CONNECTION, "%s", err->message);
    return status;
}

/* A row that a server reads by itself costs it less than one that it sends. */
static enum status choose_way(struct staging *staging, struct error *err)
{
    bool can;

    if (staging->has_chosen)
        return STATUS_OK;
    TRY(pgstore_can_stage_there(staging->job->tables, &can, err));
    staging->reads_here = !can;
    staging->has_chosen = true;
    log_info(can ? "the database stages the rows itself" : "the rows are sent here to be staged");
    return STATUS_OK;
}

/* Reads the rows here after the server has refused to stage them. */
static void read_here(struct staging *staging, const struct error *err)
{
    log_info("%s: the rows are sent here to be staged", err->message);
    staging->reads_here = true;
}

static enum status stage_found(struct staging *staging, uint32_t spool, uint32_t shard,
                               struct error *err)
{
    char index[STAGED_NAME_MAX];
    enum status status;

    snprintf(index, sizeof index, STAGED_INDEX_NAME, staging->spools[spool].name, shard);
    TRY(choose_way(staging, err));
    if (staging->reads_here)
        return stage_here(staging, index, spool, shard, err);
    status = stage_there(staging, index, spool, shard, err);
    if (status != STATUS_UNSUPPORTED)
        return status;
    read_here(staging, err);
    return stage_here(staging, index, spool, shard, err);
}

static enum status stage_shard(struct staging *staging, struct error *err)
{
    enum status status;
    uint32_t spool = 0, shard = 0;

    TRY(open_table(staging, err));
    TRY(find_shard(staging, &spool, &shard, err));
    status = stage_found(staging, spool, shard, err);
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

static enum status settle_here(struct staging *staging, struct error *err)
{
    struct settled_spool spools[STAGED_SPOOLS_MAX];

    for (size_t i = 0; i < staging->spool_count; i++) {
        const struct staged_spool *spool = &staging->spools[i];

        spools[i] = (struct settled_spool){
            .name = spool->name,
            .columns = spool->columns,
            .column_count = spool->column_count,
            .shards = spool->shards,
            .order = dataset_order(&staging->job->spec, i > 0, job_threads(staging->job, 1))};
        spools[i].order.counted = spool->counted;
        spools[i].order.are_keys = spool->are_keys;
    }
    return pgstore_settle(staging->job->tables, staging->job->folder, spools, staging->spool_count,
                          err);
}

/* Its hashes and indices lie in the server, and what follows from them is stored there. */
static enum status settle(struct staging *staging, struct error *err)
{
    struct staged_call call;
    enum status status;

    TRY(open_table(staging, err));
    TRY(choose_way(staging, err));
    if (staging->reads_here)
        return settle_here(staging, err);
    TRY(begin_call(staging, &call, err));
    status = pgstore_settle_there(staging->job->tables, &call, err);
    if (status != STATUS_UNSUPPORTED)
        return status;
    read_here(staging, err);
    return settle_here(staging, err);
}

static void run_staging(void *argument)
{
    struct staging *staging = argument;
    enum status status;

    if (staging->shard == staging->job->spec.staged_shards)
        status = settle(staging, &staging->err);
    else
        status = stage_patiently(staging, &staging->err);
    if (status == STATUS_OK) /* an earlier try may have left its error */
        error_clear(&staging->err);
}

/* ----- on the loop ----- */

/* The loop asks the role for work after whatever it was woken by. */
static void on_done(void *context)
{
    (void)context;
}

static enum status begin_shard(void *self, uint64_t first, uint32_t count, struct error *err)
{
    struct staging *staging = self;

    (void)count; /* 1 */
    error_clear(&staging->err);
    staging->shard = first;
    staging->task = (struct loop_task){.run = run_staging, .ended = on_done, .context = staging};
    return loop_task_start(staging->loop, &staging->task, err);
}

static enum status score(void *self, bool *is_done, struct error *err)
{
    struct staging *staging = self;

    *is_done = !staging->task.is_running;
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
    text_init(&(*staging)->spec, JOBSPEC_BYTES_MAX);
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
        .self = staging, .begin = begin_shard, .score = score, .results = results};
}

bool staging_is_running(const struct staging *staging)
{
    return staging->task.is_running;
}

void staging_free(struct staging *staging)
{
    if (!staging)
        return;
    close_table(staging);
    text_deinit(&staging->spec);
    free(staging);
}
