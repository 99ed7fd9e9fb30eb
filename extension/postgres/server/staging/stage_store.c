#include "extension/postgres/server/staging/stage_store.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catalog/pg_type.h>
#include <common/file_perm.h>
#include <common/file_utils.h> /* newer versions have the temporary files' names there */
#include <storage/fd.h>

#include "extension/postgres/server/session/own_sql.h"

#define TEMPORARY    "base/" PG_TEMP_FILES_DIR
#define PIECES_A_RUN 128 /* pieces that one statement inserts, or reads */

/* ----- the folder ----- */

static void remove_left_over(const char *path)
{
    struct stat found;

    if (stat(path, &found) == 0)
        rmtree(path, true);
}

static void make_folder(const char *folder)
{
    if (mkdir(TEMPORARY, (mode_t)pg_dir_create_mode) != 0 && errno != EEXIST)
        ereport(ERROR,
                (errcode_for_file_access(), errmsg("cannot make the folder %s: %m", TEMPORARY)));
    remove_left_over(folder); /* left by a process of the same number that was killed */
    if (mkdir(folder, (mode_t)pg_dir_create_mode) != 0)
        ereport(ERROR,
                (errcode_for_file_access(), errmsg("cannot make the folder %s: %m", folder)));
}

void stage_store_init(struct stage_store *store, struct session *session, const char *schema,
                      int64 job)
{
    *store = (struct stage_store){
        .session = session,
        .table = psprintf("%s.rows_%lld", quote_identifier(schema), (long long)job)};
    snprintf(store->folder, sizeof store->folder, TEMPORARY "/" PG_TEMP_FILE_PREFIX "%d.totrain",
             MyProcPid);
    make_folder(store->folder);
}

void stage_store_remove_folder(struct stage_store *store)
{
    rmtree(store->folder, true);
}

/* ----- SQL ----- */

SPIPlanPtr stage_store_prepare(const char *sql, Oid *types, int count)
{
    SPIPlanPtr plan;

    own_sql_announce((struct own_sql){NULL, false}); /* the table is the job's owner's */
    plan = SPI_prepare_cursor(sql, count, types, CURSOR_OPT_GENERIC_PLAN);
    if (!plan)
        elog(ERROR, "the job's rows are refused: %s", SPI_result_code_string(SPI_result));
    return plan;
}

void stage_store_run(SPIPlanPtr plan, Datum *values, bool reads, long most)
{
    if (SPI_execute_plan(plan, values, NULL, reads, most) < 0)
        elog(ERROR, "the job's rows are refused: %s", SPI_result_code_string(SPI_result));
}

/* ----- writing ----- */

static void insert_run(SPIPlanPtr plan, const char *name, int64 first, Datum bytes)
{
    Datum values[] = {CStringGetTextDatum(name), Int64GetDatum(first), bytes};

    stage_store_run(plan, values, false, 0);
}

static void insert_bytes(SPIPlanPtr plan, const struct staged_file *file)
{
    const size_t most = PIECES_A_RUN * STAGED_PIECE_BYTES;

    for (size_t at = 0; at < file->bytes.size; at += most) {
        const size_t left = file->bytes.size - at;
        text *bytes =
            cstring_to_text_with_len(file->bytes.data + at, (int)(left < most ? left : most));

        insert_run(plan, file->name, (int64)(at / STAGED_PIECE_BYTES), PointerGetDatum(bytes));
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

static void insert_file(SPIPlanPtr plan, const struct staged_file *file)
{
    bytea *bytes = palloc(PIECES_A_RUN * STAGED_PIECE_BYTES + VARHDRSZ);
    const int descriptor = OpenTransientFile(file->path, O_RDONLY | PG_BINARY);

    if (descriptor < 0 && errno == ENOENT)
        return;
    if (descriptor < 0)
        ereport(ERROR, (errcode_for_file_access(), errmsg("cannot read %s: %m", file->path)));
    for (int64 first = 0; read_run(descriptor, bytes) > 0; first += PIECES_A_RUN)
        insert_run(plan, file->name, first, PointerGetDatum(bytes));
    CloseTransientFile(descriptor);
    pfree(bytes);
}

struct storing {
    const struct stage_store *store;
    const struct staged_file *files;
    size_t count;
};

static enum status insert_body(struct session *session, void *self, struct error *err)
{
    static Oid types[] = {TEXTOID, INT8OID, BYTEAOID};
    const struct storing *storing = self;
    SPIPlanPtr plan;

    SPI_connect();
    plan = stage_store_prepare(
        psprintf(
            "INSERT INTO %s (file, piece, bytes) SELECT $1, $2 OPERATOR(pg_catalog.+) g, "
            "pg_catalog.substring($3, g OPERATOR(pg_catalog.*) %d OPERATOR(pg_catalog.+) 1, %d) "
            "FROM pg_catalog.generate_series(0, (pg_catalog.octet_length($3) "
            "OPERATOR(pg_catalog.-) 1) OPERATOR(pg_catalog./) %d) g",
            storing->store->table, (int)STAGED_PIECE_BYTES, (int)STAGED_PIECE_BYTES,
            (int)STAGED_PIECE_BYTES),
        types, lengthof(types));
    for (size_t i = 0; i < storing->count; i++)
        if (storing->files[i].path)
            insert_file(plan, &storing->files[i]);
        else
            insert_bytes(plan, &storing->files[i]);
    SPI_finish();
    return STATUS_OK;
}

enum status stage_store_files(struct stage_store *store, const struct staged_file *files,
                              size_t count, struct error *err)
{
    struct storing storing = {store, files, count};

    return session_guard(store->session, insert_body, &storing, err);
}

/* ----- reading ----- */

struct reading {
    const struct stage_store *store;
    const char *name;
    struct text *bytes;
    uint64 most, count; /* pieces */
};

struct slice stage_store_bytes(uint64 row, int column)
{
    bool is_null;
    const Datum value =
        SPI_getbinval(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, column, &is_null);
    bytea *bytes;

    if (SPI_gettypeid(SPI_tuptable->tupdesc, column) != BYTEAOID) /* somebody else's table */
        ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
                        errmsg("the pieces of the job's rows are no bytes")));
    if (is_null)
        return (struct slice){"", 0};
    bytes = DatumGetByteaPP(value);
    return (struct slice){VARDATA_ANY(bytes), (size_t)VARSIZE_ANY_EXHDR(bytes)};
}

static uint64 read_pieces(SPIPlanPtr plan, struct reading *reading)
{
    Datum values[] = {CStringGetTextDatum(reading->name), Int64GetDatum((int64)reading->count)};
    const uint64 left = reading->most - reading->count;
    uint64 got;

    stage_store_run(plan, values, true, left < PIECES_A_RUN ? (long)left : PIECES_A_RUN);
    got = SPI_processed;
    for (uint64 row = 0; row < got; row++)
        text_append(reading->bytes, stage_store_bytes(row, 1));
    SPI_freetuptable(SPI_tuptable);
    reading->count += got;
    return got;
}

static enum status read_body(struct session *session, void *self, struct error *err)
{
    static Oid types[] = {TEXTOID, INT8OID};
    struct reading *reading = self;
    SPIPlanPtr plan;

    SPI_connect();
    plan = stage_store_prepare(
        psprintf("SELECT bytes FROM %s WHERE file OPERATOR(pg_catalog.=) $1 AND piece "
                 "OPERATOR(pg_catalog.>=) $2 ORDER BY piece",
                 reading->store->table),
        types, lengthof(types));
    while (reading->count < reading->most && !reading->bytes->failed)
        if (read_pieces(plan, reading) < PIECES_A_RUN)
            break;
    SPI_finish();
    return STATUS_OK;
}

static enum status read_some(struct stage_store *store, const char *name, uint64 most,
                             struct text *bytes, struct error *err)
{
    struct reading reading = {.store = store, .name = name, .bytes = bytes, .most = most};

    TRY(session_guard(store->session, read_body, &reading, err));
    if (bytes->failed)
        return fail(err, STATUS_LIMIT, "%s of the job's rows is too large", name);
    return reading.count > 0
               ? STATUS_OK
               : fail(err, STATUS_NOT_FOUND, "%s of the job's rows is not there", name);
}

enum status stage_store_read(struct stage_store *store, const char *name, struct text *bytes,
                             struct error *err)
{
    return read_some(store, name, UINT64_MAX, bytes, err);
}

enum status stage_store_part_bytes(struct stage_store *store, const char *index, uint64_t *bytes,
                                   struct error *err)
{
    enum status status;
    struct text first;

    text_init(&first, TEXT_MAXIMUM);
    status = read_some(store, index, 1, &first, err);
    if (status == STATUS_OK && first.size < sizeof *bytes)
        status = fail(err, STATUS_CORRUPT, "%s of the job's rows is no index", index);
    if (status == STATUS_OK)
        memcpy(bytes, first.data, sizeof *bytes);
    text_deinit(&first);
    return status;
}
