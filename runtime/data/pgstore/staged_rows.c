#include "runtime/data/pgstore/staged_rows.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "runtime/data/pgstore/copy.h"
#include "runtime/data/pgstore/pgstore_parts.h"

#define EQ               " OPERATOR(pg_catalog.=) "
#define UNIQUE_VIOLATION "23505"
#define SETTLED_BYTES    ((size_t)16 << 20)
#define NOT_SUPPORTED    "0A000"
#define STAGING_MS       (60 * 60 * 1000) /* time for a shard; a dead server is noticed before */
#define PIECES_A_PAGE    512
#define SENT_BYTES       ((size_t)64 << 10)       /* about, of one message */
#define READ_BYTES       (8 * STAGED_PIECE_BYTES) /* whole pieces */

/* ----- reading ----- */

enum status pgstore_has_staged(struct pgstore *store, const char *name, bool *has,
                               struct error *err)
{
    char sql[TABLE_NAME_MAX + 100];
    const char *parameters[] = {name};
    const struct pg_call call = {sql, parameters, 1, true};
    PGresult *result;

    pgstore_sql(sql, sizeof sql, "SELECT 1 FROM @ WHERE file = $1 AND piece = 0", store->rows);
    TRY(pg_connection_call_again(&store->connection, &call,
                                 pg_connection_now() + PGSTORE_PATIENCE_MS, &result, err));
    *has = PQntuples(result) > 0;
    PQclear(result);
    return STATUS_OK;
}

/* *rows: how many pieces there were, from this one on. */
static enum status read_page(struct pgstore *store, const char *name, int64_t from,
                             struct text *bytes, int *rows, struct error *err)
{
    char sql[TABLE_NAME_MAX + 200], format[200], first[32];
    const char *parameters[] = {name, first};
    const struct pg_call call = {sql, parameters, 2, true};
    PGresult *result;

    snprintf(first, sizeof first, "%lld", (long long)from);
    snprintf(format, sizeof format,
             "SELECT bytes FROM @ WHERE file = $1 AND piece >= $2::bigint ORDER BY piece LIMIT %d",
             PIECES_A_PAGE);
    pgstore_sql(sql, sizeof sql, format, store->rows);
    TRY(pg_connection_call_again(&store->connection, &call,
                                 pg_connection_now() + PGSTORE_PATIENCE_MS, &result, err));
    *rows = PQntuples(result);
    for (int row = 0; row < *rows; row++)
        text_append(bytes, result_bytes(result, row, 0));
    PQclear(result);
    return bytes->failed ? fail(err, STATUS_LIMIT, "%s of the job's rows is too large", name)
                         : STATUS_OK;
}

enum status pgstore_read_staged(struct pgstore *store, const char *name, struct text *bytes,
                                struct error *err)
{
    int64_t piece = 0;
    int rows = PIECES_A_PAGE;

    for (; rows == PIECES_A_PAGE; piece += rows)
        TRY(read_page(store, name, piece, bytes, &rows, err));
    return piece > 0 ? STATUS_OK
                     : fail(err, STATUS_NOT_FOUND, "%s of the job's rows is not there", name);
}

enum status pgstore_part_bytes(struct pgstore *store, const char *index, uint64_t *bytes,
                               struct error *err)
{
    char sql[TABLE_NAME_MAX + 120];
    const char *parameters[] = {index};
    const struct pg_call call = {sql, parameters, 1, true};
    enum status status = STATUS_OK;
    PGresult *result;

    pgstore_sql(sql, sizeof sql,
                "SELECT pg_catalog.substring(bytes, 1, 8) FROM @ WHERE file = $1 AND piece = 0",
                store->rows);
    TRY(pg_connection_call_again(&store->connection, &call,
                                 pg_connection_now() + PGSTORE_PATIENCE_MS, &result, err));
    if (PQntuples(result) != 1 || PQgetlength(result, 0, 0) != sizeof *bytes)
        status = fail(err, STATUS_CORRUPT, "%s of the job's rows is not there", index);
    else
        memcpy(bytes, PQgetvalue(result, 0, 0), sizeof *bytes);
    PQclear(result);
    return status;
}

/* ----- the settled spools ----- */

static enum status read_settled(struct pgstore *store, struct slice json, struct error *err)
{
    enum status status;
    cJSON *body;

    TRY(json_parse(json, SETTLED_BYTES, &body, err));
    store->file_count = 0;
    free(store->files);
    store->files = NULL;
    status = pgstore_read_files(store, body, err);
    cJSON_Delete(body);
    return status;
}

enum status pgstore_take_staged(struct pgstore *store, struct error *err)
{
    enum status status;
    struct text json;

    text_init(&json, SETTLED_BYTES);
    status = pgstore_read_staged(store, STAGED_SETTLED_NAME, &json, err);
    if (status == STATUS_OK)
        status = read_settled(store, text_slice(&json), err);
    text_deinit(&json);
    if (status == STATUS_OK)
        store->source = store->rows;
    if (status == STATUS_OK)
        store->piece_bytes = STAGED_PIECE_BYTES;
    return status;
}

/* ----- writing ----- */

static enum status run(struct pgstore *store, const char *sql, struct error *err)
{
    const struct pg_call call = {sql, NULL, 0, false};
    PGresult *result;

    TRY(pg_connection_call(&store->connection, &call, &result, NULL, err));
    PQclear(result);
    return STATUS_OK;
}

/* Files as rows of one COPY. */
struct putting {
    struct pg_connection *connection;
    struct text rows; /* rows that are not sent yet */
};

static enum status send_rows(struct putting *putting, struct error *err)
{
    if (putting->rows.failed)
        return fail_no_memory(err);
    TRY(pg_connection_copy_put(putting->connection, text_slice(&putting->rows), err));
    text_clear(&putting->rows);
    return STATUS_OK;
}

static enum status put_piece(struct putting *putting, const char *name, int64_t piece,
                             struct slice bytes, struct error *err)
{
    const struct slice file = slice_of(name);

    copy_row(&putting->rows, 3);
    copy_bytes(&putting->rows, &file);
    copy_integer(&putting->rows, piece);
    copy_bytes(&putting->rows, &bytes);
    return putting->rows.size < SENT_BYTES ? STATUS_OK : send_rows(putting, err);
}

/* From piece *number on. */
static enum status put_pieces(struct putting *putting, const char *name, struct slice left,
                              int64_t *number, struct error *err)
{
    while (left.size > 0) {
        const size_t size = left.size < STAGED_PIECE_BYTES ? left.size : STAGED_PIECE_BYTES;

        TRY(put_piece(putting, name, (*number)++, (struct slice){left.data, size}, err));
        left.data += size;
        left.size -= size;
    }
    return STATUS_OK;
}

/* Reads as much as there is, up to the buffer's size. */
static enum status fill(int descriptor, char *buffer, size_t *size, struct error *err)
{
    *size = 0;
    while (*size < READ_BYTES) {
        const ssize_t got = read(descriptor, buffer + *size, READ_BYTES - *size);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fail_errno(err, STATUS_IO, "cannot read the rows that are staged");
        if (got == 0)
            break;
        *size += (size_t)got;
    }
    return STATUS_OK;
}

static enum status put_descriptor(struct putting *putting, const char *name, int descriptor,
                                  struct error *err)
{
    char buffer[READ_BYTES];
    size_t size = sizeof buffer;

    for (int64_t number = 0; size == sizeof buffer;) {
        TRY(fill(descriptor, buffer, &size, err));
        TRY(put_pieces(putting, name, (struct slice){buffer, size}, &number, err));
    }
    return STATUS_OK;
}

static enum status put_file(struct putting *putting, const struct staged_file *file,
                            struct error *err)
{
    int64_t number = 0;
    enum status status;
    int descriptor;

    if (!file->path)
        return put_pieces(putting, file->name, file->bytes, &number, err);
    descriptor = open(file->path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return fail_errno(err, STATUS_IO, "cannot read %s", file->path);
    status = put_descriptor(putting, file->name, descriptor, err);
    close(descriptor);
    return status;
}

static enum status put_files(struct putting *putting, const struct staged_file *files, size_t count,
                             struct error *err)
{
    copy_begin(&putting->rows);
    for (size_t i = 0; i < count; i++)
        TRY(put_file(putting, &files[i], err));
    copy_end(&putting->rows);
    return send_rows(putting, err);
}

static enum status copy_files(struct pgstore *store, const struct staged_file *files, size_t count,
                              char state[6], struct error *err)
{
    struct putting putting = {.connection = &store->connection};
    char sql[TABLE_NAME_MAX + 100];
    enum status status;

    pgstore_sql(sql, sizeof sql, "COPY @ (file, piece, bytes) FROM STDIN (FORMAT binary)",
                store->rows);
    TRY(pg_connection_copy_begin(&store->connection, sql, state, err));
    text_init(&putting.rows, TEXT_MAXIMUM);
    status = put_files(&putting, files, count, err);
    text_deinit(&putting.rows);
    if (status == STATUS_OK)
        return pg_connection_copy_end(&store->connection, state, err);
    pg_connection_drop(&store->connection); /* the server forgets what it was sent */
    return status;
}

static enum status put_all(struct pgstore *store, const struct staged_file *files, size_t count,
                           char state[6], struct error *err)
{
    TRY(run(store, "BEGIN", err));
    TRY(copy_files(store, files, count, state, err));
    return run(store, "COMMIT", err);
}

/* ----- once ----- */

/* Stores some files, the first of them by this name. *state: of the server's refusal. */
struct storing {
    struct pgstore *store;
    const char *name;
    enum status (*store_once)(const struct storing *storing, char state[6], struct error *err);
    const struct staged_file *files;
    size_t count;
    const struct staged_call *call;
};

/* A cut may have come before or after the commit: what is there tells. */
static enum status try_to_store(const struct storing *storing, struct error *err)
{
    struct pgstore *store = storing->store;
    struct error ignored;
    char state[6] = "";
    enum status status;
    bool has;

    TRY(pgstore_has_staged(store, storing->name, &has, err));
    if (has)
        return STATUS_OK;
    status = storing->store_once(storing, state, err);
    if (status == STATUS_OK)
        return STATUS_OK;
    if (store->connection.connection)
        (void)run(store, "ROLLBACK", &ignored);
    return strcmp(state, UNIQUE_VIOLATION) == 0 ? STATUS_OK : status;
}

static enum status store(const struct storing *storing, struct error *err)
{
    const int64_t deadline = pg_connection_now() + PGSTORE_PATIENCE_MS;
    enum status status;

    do
        status = try_to_store(storing, err);
    while (status == STATUS_CONNECTION && pg_connection_now() < deadline);
    return status;
}

static enum status store_files(const struct storing *storing, char state[6], struct error *err)
{
    return put_all(storing->store, storing->files, storing->count, state, err);
}

enum status pgstore_stage(struct pgstore *to, const struct staged_file *files, size_t count,
                          struct error *err)
{
    const struct storing storing = {.store = to,
                                    .name = files[0].name,
                                    .store_once = store_files,
                                    .files = files,
                                    .count = count};

    return store(&storing, err);
}

/* ----- by the server ----- */

/* A function of the extension's own, not one that somebody has put into a schema of its name. */
enum status pgstore_can_stage_there(struct pgstore *store, bool *can, struct error *err)
{
    static const struct pg_call call = {
        "SELECT 1 FROM pg_catalog.pg_extension e JOIN pg_catalog.pg_depend d ON d.refclassid" EQ
        "'pg_catalog.pg_extension'::pg_catalog.regclass AND d.refobjid" EQ "e.oid AND d.classid" EQ
        "'pg_catalog.pg_proc'::pg_catalog.regclass AND d.deptype" EQ
        "'e'::pg_catalog.\"char\" JOIN pg_catalog.pg_proc p ON p.oid" EQ
        "d.objid JOIN pg_catalog.pg_namespace n ON n.oid" EQ "p.pronamespace WHERE e.extname" EQ
        "'totrain'::pg_catalog.name AND n.nspname" EQ "'totrain'::pg_catalog.name AND p.proname" EQ
        "'stage_shard'::pg_catalog.name AND pg_catalog.has_function_privilege(p.oid, 'EXECUTE') "
        "AND pg_catalog.has_schema_privilege(n.oid, 'USAGE')",
        NULL, 0, true};
    PGresult *result;

    TRY(pg_connection_call_again(&store->connection, &call,
                                 pg_connection_now() + PGSTORE_PATIENCE_MS, &result, err));
    *can = PQntuples(result) > 0;
    PQclear(result);
    return STATUS_OK;
}

static enum status take_snapshot(struct pgstore *store, struct slice snapshot, struct error *err)
{
    enum status status;
    struct text sql;

    text_init(&sql, TEXT_MAXIMUM);
    text_append_string(&sql, "BEGIN ISOLATION LEVEL REPEATABLE READ; SET TRANSACTION SNAPSHOT ");
    text_append_literal(&sql, snapshot);
    status = sql.failed ? fail_no_memory(err)
                        : pg_connection_run(&store->connection, text_string(&sql), NULL, err);
    text_deinit(&sql);
    return status == STATUS_OK || status == STATUS_CONNECTION || status == STATUS_NO_MEMORY
               ? status
               : fail(err, STATUS_STALE, "the snapshot of the job's rows is gone");
}

static void append_call(const struct staged_call *call, int64_t spool, uint32_t shard,
                        struct text *sql)
{
    text_printf(sql, "SELECT totrain.stage_shard(%d, %" PRIu64 ", ", STAGED_VERSION, call->job);
    text_append_literal(sql, slice_of(call->schema));
    text_append_string(sql, ", ");
    text_append_literal(sql, call->spec);
    text_append_string(sql, ", ");
    text_append_literal(sql, call->order);
    text_printf(sql, ", %" PRId64 ", %u)", spool, shard);
}

static enum status run_there(struct pg_connection *connection, struct text *sql, char state[6],
                             struct error *err)
{
    const int64_t answer_ms = connection->answer_ms;
    enum status status;

    connection->answer_ms = STAGING_MS;
    status = sql->failed ? fail_no_memory(err)
                         : pg_connection_run(connection, text_string(sql), state, err);
    connection->answer_ms = answer_ms;
    return strcmp(state, NOT_SUPPORTED) == 0 ? fail(err, STATUS_UNSUPPORTED, "%s", err->message)
                                             : status;
}

static enum status store_there(const struct storing *storing, char state[6], struct error *err)
{
    const struct staged_call *call = storing->call;
    enum status status;
    struct text sql;

    TRY(take_snapshot(storing->store, call->snapshot, err));
    text_init(&sql, TEXT_MAXIMUM);
    append_call(call, call->spool, call->shard, &sql);
    /* A worker that stands still afterwards leaves no transaction open. */
    text_append_string(&sql, "; COMMIT");
    status = run_there(&storing->store->connection, &sql, state, err);
    text_deinit(&sql);
    return status;
}

static enum status settle_there(const struct storing *storing, char state[6], struct error *err)
{
    enum status status;
    struct text sql;

    text_init(&sql, TEXT_MAXIMUM);
    append_call(storing->call, STAGED_ALL_SPOOLS, 0, &sql);
    status = run_there(&storing->store->connection, &sql, state, err);
    text_deinit(&sql);
    return status;
}

enum status pgstore_stage_there(struct pgstore *in, const struct staged_call *call,
                                struct error *err)
{
    const struct storing storing = {
        .store = in, .name = call->index, .store_once = store_there, .call = call};

    return store(&storing, err);
}

enum status pgstore_settle_there(struct pgstore *in, const struct staged_call *call,
                                 struct error *err)
{
    const struct storing storing = {
        .store = in, .name = STAGED_SETTLED_NAME, .store_once = settle_there, .call = call};

    return store(&storing, err);
}
