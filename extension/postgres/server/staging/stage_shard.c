/*
 * totrain.stage_shard(...): one shard of a table, read and stored by the server itself, and what is
 * settled over all of them.
 *
 *     worker    BEGIN, SET TRANSACTION SNAPSHOT, SELECT totrain.stage_shard(...), COMMIT
 *     server    SELECT of the shard --> a part of a spool, in a file --> pieces --> rows_JOB
 *
 *     worker    SELECT totrain.stage_shard(..., -1, 0)
 *     server    rows_JOB --> indices, hashes, some rows --> what is settled --> rows_JOB
 *
 * For the workers of a job with job.read = 'direct' (runtime/process/working/staging.c). To send a
 * row to a worker takes the server longer than to encode it: each value becomes a message. It runs
 * as the caller and does nothing that he could not do by SQL: what it reads and where it inserts
 * are his rights.
 */
#include "extension/postgres/server/session/session.h"

#include <storage/ipc.h>

#include "extension/postgres/server/staging/stage_source.h"
#include "extension/postgres/server/staging/stage_store.h"
#include "extension/postgres/sql/direct_read.h"
#include "extension/postgres/sql/postgres_host.h"
#include "jobspec/jobspec_read.h"
#include "runtime/data/dataset/dataset.h"
#include "runtime/data/spool/spool_files.h"
#include "runtime/data/spool/spool_format.h"
#include "runtime/data/spool/spool_writer.h"
#include "runtime/data/staged/staged_settle.h"

SQL_FUNCTION(totrain_sql_stage_shard);

struct stage_shard {
    struct session session;
    struct sql_host host;
    struct stage_store store;
    struct arena arena;
    struct jobspec spec;
    struct direct_order order;
    struct direct_reading reading;
    const struct direct_rows *rows; /* the rows of the spool */
    uint32_t shard;
    char part[SPOOL_PATH_MAX];
    struct text index;
};

/* ----- a shard ----- */

static enum status find_shard(struct stage_shard *stage, int32 spool, int32 shard,
                              struct error *err)
{
    if (spool < 0 || (size_t)spool >= stage->order.count)
        return fail(err, STATUS_INVALID, "there is no spool %d", spool);
    stage->rows = &stage->order.rows[spool];
    if (shard < 0 || (uint64_t)shard >= direct_table_shards(&stage->rows->table))
        return fail(err, STATUS_INVALID, "there is no shard %d", shard);
    stage->shard = (uint32_t)shard;
    return STATUS_OK;
}

static enum status store_part(struct stage_shard *stage, struct error *err)
{
    const char *spool = stage->rows->spool.data;
    struct staged_file files[2] = {{.bytes = text_slice(&stage->index)}, {.path = stage->part}};

    snprintf(files[0].name, sizeof files[0].name, STAGED_INDEX_NAME, spool, stage->shard);
    snprintf(files[1].name, sizeof files[1].name, STAGED_PART_NAME, spool, stage->shard);
    return stage_store_files(&stage->store, files, lengthof(files), err);
}

static enum status stage_shard(struct stage_shard *stage, struct error *err)
{
    char path[SPOOL_PATH_MAX];

    snprintf(path, sizeof path, "%s/%s.spool", stage->store.folder, stage->rows->spool.data);
    if (!spool_part_path(path, stage->shard, stage->part))
        return fail(err, STATUS_LIMIT, "the path of %s is too long", path);
    TRY(direct_read_part(&stage->host, &stage->reading, stage->rows, stage->shard, &stage->index,
                         err));
    return store_part(stage, err);
}

/* ----- all of them ----- */

static enum status part_bytes(void *self, const char *index, uint64_t *bytes, struct error *err)
{
    return stage_store_part_bytes(self, index, bytes, err);
}

static enum status read_file(void *self, const char *name, struct text *bytes, struct error *err)
{
    return stage_store_read(self, name, bytes, err);
}

static enum status open_parts(void *self, const struct sparse_file *parts, size_t count,
                              const char *folder, const struct spool_source **source,
                              struct error *err)
{
    return stage_source_open(self, parts, count, source, err);
}

static enum status store_files(void *self, const struct staged_file *files, size_t count,
                               struct error *err)
{
    return stage_store_files(self, files, count, err);
}

static bool is_stopped(void *self)
{
    const struct stage_store *store = self;

    return session_interrupted(store->session);
}

/* In this one thread, since none but it may call PostgreSQL. */
static enum status settle(struct stage_shard *stage, struct error *err)
{
    const struct staged_table table = {.self = &stage->store,
                                       .part_bytes = part_bytes,
                                       .read = read_file,
                                       .open = open_parts,
                                       .store = store_files,
                                       .is_stopped = is_stopped};
    struct settled_spool spools[lengthof(stage->order.rows)];

    for (size_t i = 0; i < stage->order.count; i++) {
        const struct direct_rows *rows = &stage->order.rows[i];

        spools[i] = (struct settled_spool){.name = rows->spool.data,
                                           .columns = rows->spooled,
                                           .column_count = rows->count,
                                           .shards = (uint32_t)direct_table_shards(&rows->table),
                                           .order = direct_spool_order(rows, &stage->spec, 1)};
    }
    return staged_settle(&table, stage->store.folder, spools, stage->order.count, err);
}

/* ----- the call ----- */

static struct slice argument(FunctionCallInfo fcinfo, int number)
{
    const char *value = text_to_cstring(PG_GETARG_TEXT_PP(number));

    return session_to_utf8(value, strlen(value));
}

static enum status run(struct stage_shard *stage, FunctionCallInfo fcinfo, struct error *err)
{
    TRY(jobspec_read(argument(fcinfo, 3), &stage->arena, &stage->spec, err));
    TRY(direct_order_read(argument(fcinfo, 4), &stage->arena, &stage->order, err));
    if (PG_GETARG_INT32(5) == STAGED_ALL_SPOOLS)
        return settle(stage, err);
    TRY(find_shard(stage, PG_GETARG_INT32(5), PG_GETARG_INT32(6), err));
    return stage_shard(stage, err);
}

static void prepare(struct stage_shard *stage, FunctionCallInfo fcinfo)
{
    const char *schema = text_to_cstring(PG_GETARG_TEXT_PP(2));
    char *journal = psprintf("result_%lld", (long long)PG_GETARG_INT64(1));

    session_init(&stage->session, true);
    postgres_host_init(&stage->host, &stage->session.database, "", NULL);
    stage_store_init(&stage->store, &stage->session, schema, PG_GETARG_INT64(1));
    stage->reading = (struct direct_reading){.folder = stage->store.folder,
                                             .spec = &stage->spec,
                                             .schema = session_to_utf8(schema, strlen(schema)),
                                             .journal = slice_of(journal)};
}

static void remove_folder(int code, Datum store)
{
    stage_store_remove_folder((struct stage_store *)DatumGetPointer(store));
}

Datum totrain_sql_stage_shard(PG_FUNCTION_ARGS)
{
    struct stage_shard *stage = palloc0(sizeof *stage);
    struct error err;
    enum status status;

    if (PG_GETARG_INT32(0) != STAGED_VERSION)
        ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                        errmsg("this server stages rows in version %d, not %d", STAGED_VERSION,
                               PG_GETARG_INT32(0))));
    prepare(stage, fcinfo);
    PG_ENSURE_ERROR_CLEANUP(remove_folder, PointerGetDatum(&stage->store));
    {
        arena_init(&stage->arena, ARENA_MAXIMUM);
        text_init(&stage->index, SPOOL_PART_INDEX_BYTES_MAX);
        status = run(stage, fcinfo, &err);
        text_deinit(&stage->index);
        arena_deinit(&stage->arena);
        if (status != STATUS_OK)
            session_raise(&stage->session, &err, SLICE(""), false);
    }
    PG_END_ENSURE_ERROR_CLEANUP(remove_folder, PointerGetDatum(&stage->store));
    remove_folder(0, PointerGetDatum(&stage->store));
    PG_RETURN_VOID();
}
