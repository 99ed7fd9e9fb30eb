/*
 * totrain.stage_shard(...): one shard of a table, read and stored by the server itself.
 *
 *     worker    BEGIN, SET TRANSACTION SNAPSHOT, SELECT totrain.stage_shard(...), COMMIT
 *     server    SELECT of the shard --> a part of a spool, in a file --> pieces --> rows_JOB
 *
 * For the workers of a job with job.read = 'direct' (runtime/process/staging.c). To send a row to a
 * worker takes the server longer than to encode it: each value becomes a message. It runs as the
 * caller and does nothing that he could not do by SQL: what it reads and where it inserts are his
 * rights. The file lies among the server's temporary files, which it removes itself when it starts.
 */
#include "extension/postgres/server/session.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catalog/pg_type.h>
#include <common/file_perm.h>
#include <common/file_utils.h> /* newer versions have the temporary files' names there */
#include <executor/spi.h>
#include <storage/fd.h>
#include <storage/ipc.h>

#include "extension/postgres/server/own_sql.h"
#include "extension/postgres/sql/direct_read.h"
#include "jobspec/jobspec_read.h"
#include "runtime/data/spool_files.h"
#include "runtime/data/spool_format.h"
#include "runtime/data/spool_writer.h"
#include "runtime/data/staged_pieces.h"

#define TEMPORARY    "base/" PG_TEMP_FILES_DIR
#define PIECES_A_RUN 128 /* that one statement inserts */

SQL_FUNCTION(totrain_sql_stage_shard);

struct stage_shard {
    struct session session;
    struct postgres_host host;
    struct arena arena;
    struct jobspec spec;
    struct direct_order order;
    struct direct_reading reading;
    const struct direct_rows *rows; /* of the spool */
    uint32_t shard;
    const char *insert; /* SQL */
    char folder[64], index_name[STAGED_NAME_MAX], part_name[STAGED_NAME_MAX];
    char part[SPOOL_PATH_MAX];
    struct text index;
};

/* ----- the folder ----- */

static void remove_folder(int code, Datum path)
{
    rmtree(DatumGetCString(path), true);
}

static void remove_left_over(const char *path)
{
    struct stat found;

    if (stat(path, &found) == 0)
        rmtree(path, true);
}

static void make_folder(struct stage_shard *stage)
{
    snprintf(stage->folder, sizeof stage->folder, TEMPORARY "/" PG_TEMP_FILE_PREFIX "%d.totrain",
             MyProcPid);
    if (mkdir(TEMPORARY, (mode_t)pg_dir_create_mode) != 0 && errno != EEXIST)
        ereport(ERROR,
                (errcode_for_file_access(), errmsg("cannot make the folder %s: %m", TEMPORARY)));
    remove_left_over(stage->folder); /* of a process of the same number that was killed */
    if (mkdir(stage->folder, (mode_t)pg_dir_create_mode) != 0)
        ereport(ERROR, (errcode_for_file_access(),
                        errmsg("cannot make the folder %s: %m", stage->folder)));
}

/* ----- pieces ----- */

static void insert_run(SPIPlanPtr plan, const char *name, int64 first, Datum bytes)
{
    Datum values[] = {CStringGetTextDatum(name), Int64GetDatum(first), bytes};

    if (SPI_execute_plan(plan, values, NULL, false, 0) < 0)
        elog(ERROR, "the pieces are refused: %s", SPI_result_code_string(SPI_result));
}

static void insert_index(SPIPlanPtr plan, const struct stage_shard *stage)
{
    const size_t run = PIECES_A_RUN * STAGED_PIECE_BYTES;

    for (size_t at = 0; at < stage->index.size; at += run) {
        const size_t left = stage->index.size - at;
        text *bytes =
            cstring_to_text_with_len(stage->index.data + at, (int)(left < run ? left : run));

        insert_run(plan, stage->index_name, (int64)(at / STAGED_PIECE_BYTES),
                   PointerGetDatum(bytes));
        pfree(bytes);
    }
}

static size_t read_run(int file, bytea *bytes)
{
    const size_t room = PIECES_A_RUN * STAGED_PIECE_BYTES;
    size_t size = 0;

    while (size < room) {
        const ssize_t got = read(file, VARDATA(bytes) + size, room - size);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            ereport(ERROR, (errcode_for_file_access(), errmsg("cannot read the staged rows: %m")));
        if (got == 0)
            break;
        size += (size_t)got;
    }
    SET_VARSIZE(bytes, size + VARHDRSZ);
    return size;
}

/* Without rows there is no file. */
static void insert_part(SPIPlanPtr plan, const struct stage_shard *stage)
{
    bytea *bytes = palloc(PIECES_A_RUN * STAGED_PIECE_BYTES + VARHDRSZ);
    const int file = OpenTransientFile(stage->part, O_RDONLY | PG_BINARY);

    if (file < 0 && errno == ENOENT)
        return;
    if (file < 0)
        ereport(ERROR, (errcode_for_file_access(), errmsg("cannot read %s: %m", stage->part)));
    for (int64 first = 0; read_run(file, bytes) > 0; first += PIECES_A_RUN)
        insert_run(plan, stage->part_name, first, PointerGetDatum(bytes));
    CloseTransientFile(file);
    pfree(bytes);
}

static enum status insert_body(struct session *session, void *self, struct error *err)
{
    static Oid types[] = {TEXTOID, INT8OID, BYTEAOID};
    const struct stage_shard *stage = self;
    SPIPlanPtr plan;

    own_sql_announce((struct own_sql){NULL, false}); /* the table is the job's owner's */
    SPI_connect();
    plan = SPI_prepare(stage->insert, lengthof(types), types);
    if (!plan)
        elog(ERROR, "the pieces are refused: %s", SPI_result_code_string(SPI_result));
    insert_index(plan, stage);
    insert_part(plan, stage);
    SPI_finish();
    return STATUS_OK;
}

/* ----- the shard ----- */

static enum status find_shard(struct stage_shard *stage, int32 spool, int32 shard,
                              struct error *err)
{
    if (spool < 0 || (size_t)spool >= stage->order.count)
        return fail(err, STATUS_INVALID, "there is no spool %d", spool);
    stage->rows = &stage->order.rows[spool];
    if (shard < 0 || (uint64_t)shard >= direct_table_shards(&stage->rows->table))
        return fail(err, STATUS_INVALID, "there is no shard %d", shard);
    stage->shard = (uint32_t)shard;
    snprintf(stage->index_name, sizeof stage->index_name, STAGED_INDEX_NAME,
             stage->rows->spool.data, stage->shard);
    snprintf(stage->part_name, sizeof stage->part_name, STAGED_PART_NAME, stage->rows->spool.data,
             stage->shard);
    return STATUS_OK;
}

static enum status stage_shard(struct stage_shard *stage, struct error *err)
{
    char path[SPOOL_PATH_MAX];

    snprintf(path, sizeof path, "%s/%s.spool", stage->folder, stage->rows->spool.data);
    if (!spool_part_path(path, stage->shard, stage->part))
        return fail(err, STATUS_LIMIT, "the path of %s is too long", path);
    TRY(direct_read_part(&stage->host, &stage->reading, stage->rows, stage->shard, &stage->index,
                         err));
    return session_guard(&stage->session, insert_body, stage, err);
}

static struct slice argument(FunctionCallInfo fcinfo, int number)
{
    const char *value = text_to_cstring(PG_GETARG_TEXT_PP(number));

    return session_to_utf8(value, strlen(value));
}

static enum status run(struct stage_shard *stage, FunctionCallInfo fcinfo, struct error *err)
{
    TRY(jobspec_read(argument(fcinfo, 3), &stage->arena, &stage->spec, err));
    TRY(direct_order_read(argument(fcinfo, 4), &stage->arena, &stage->order, err));
    TRY(find_shard(stage, PG_GETARG_INT32(5), PG_GETARG_INT32(6), err));
    return stage_shard(stage, err);
}

static void prepare(struct stage_shard *stage, FunctionCallInfo fcinfo)
{
    const char *schema = text_to_cstring(PG_GETARG_TEXT_PP(2));
    char *journal = psprintf("result_%lld", (long long)PG_GETARG_INT64(1));

    stage->reading = (struct direct_reading){.folder = stage->folder,
                                             .spec = &stage->spec,
                                             .schema = session_to_utf8(schema, strlen(schema)),
                                             .journal = slice_of(journal)};
    stage->insert = psprintf(
        "INSERT INTO %s.rows_%lld (file, piece, bytes) SELECT $1, $2 OPERATOR(pg_catalog.+) g, "
        "pg_catalog.substring($3, g OPERATOR(pg_catalog.*) %d OPERATOR(pg_catalog.+) 1, %d) "
        "FROM pg_catalog.generate_series(0, (pg_catalog.octet_length($3) OPERATOR(pg_catalog.-) 1) "
        "OPERATOR(pg_catalog./) %d) g",
        quote_identifier(schema), (long long)PG_GETARG_INT64(1), (int)STAGED_PIECE_BYTES,
        (int)STAGED_PIECE_BYTES, (int)STAGED_PIECE_BYTES);
}

Datum totrain_sql_stage_shard(PG_FUNCTION_ARGS)
{
    struct stage_shard *stage = palloc0(sizeof *stage);
    struct error err;
    enum status status;

    if (PG_GETARG_INT32(0) != SPOOL_VERSION)
        ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                        errmsg("this server makes spools of version %d, not %d", SPOOL_VERSION,
                               PG_GETARG_INT32(0))));
    prepare(stage, fcinfo);
    make_folder(stage);
    session_init(&stage->session, true);
    postgres_host_init(&stage->host, &stage->session.database, "", NULL);
    PG_ENSURE_ERROR_CLEANUP(remove_folder, CStringGetDatum(stage->folder));
    {
        arena_init(&stage->arena, ARENA_MAXIMUM);
        text_init(&stage->index, SPOOL_PART_INDEX_BYTES_MAX);
        status = run(stage, fcinfo, &err);
        text_deinit(&stage->index);
        arena_deinit(&stage->arena);
        if (status != STATUS_OK)
            session_raise(&stage->session, &err, SLICE(""), false);
    }
    PG_END_ENSURE_ERROR_CLEANUP(remove_folder, CStringGetDatum(stage->folder));
    remove_folder(0, CStringGetDatum(stage->folder));
    PG_RETURN_VOID();
}
