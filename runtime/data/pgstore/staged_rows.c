#include "runtime/data/pgstore/staged_rows.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "runtime/data/pgstore/copy.h"
#include "runtime/data/pgstore/pgstore_parts.h"

#define UNIQUE_VIOLATION "23505"
#define SETTLED_BYTES    ((size_t)16 << 20)
#define PIECES_A_PAGE    8

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

static enum status put_piece(struct pgstore *store, const char *name, int64_t piece,
                             struct slice bytes, char state[6], struct error *err)
{
    char sql[TABLE_NAME_MAX + 100];
    const struct slice file = slice_of(name);
    enum status status;
    struct text rows;

    text_init(&rows, TEXT_MAXIMUM);
    copy_begin(&rows);
    copy_row(&rows, 3);
    copy_bytes(&rows, &file);
    copy_integer(&rows, piece);
    copy_bytes(&rows, &bytes);
    copy_end(&rows);
    pgstore_sql(sql, sizeof sql, "COPY @ (file, piece, bytes) FROM STDIN (FORMAT binary)",
                store->rows);
    status = rows.failed
                 ? fail_no_memory(err)
                 : pg_connection_copy(&store->connection, sql, text_slice(&rows), state, err);
    text_deinit(&rows);
    return status;
}

static enum status put_bytes(struct pgstore *store, const struct staged_file *file, char state[6],
                             struct error *err)
{
    struct slice left = file->bytes;

    for (int64_t piece = 0; left.size > 0; piece++) {
        const size_t size = left.size < PGSTORE_PIECE_BYTES ? left.size : PGSTORE_PIECE_BYTES;

        TRY(put_piece(store, file->name, piece, (struct slice){left.data, size}, state, err));
        left.data += size;
        left.size -= size;
    }
    return STATUS_OK;
}

/* As much as there is, up to a piece. */
static enum status fill_piece(int descriptor, char *piece, size_t *size, struct error *err)
{
    *size = 0;
    while (*size < PGSTORE_PIECE_BYTES) {
        const ssize_t got = read(descriptor, piece + *size, PGSTORE_PIECE_BYTES - *size);

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

static enum status put_pieces(struct pgstore *store, const struct staged_file *file, int descriptor,
                              char *piece, char state[6], struct error *err)
{
    size_t size = PGSTORE_PIECE_BYTES;

    for (int64_t number = 0; size == PGSTORE_PIECE_BYTES; number++) {
        TRY(fill_piece(descriptor, piece, &size, err));
        if (size > 0)
            TRY(put_piece(store, file->name, number, (struct slice){piece, size}, state, err));
    }
    return STATUS_OK;
}

static enum status put_file(struct pgstore *store, const struct staged_file *file, char state[6],
                            struct error *err)
{
    const int descriptor = open(file->path, O_RDONLY | O_CLOEXEC);
    char *piece = malloc(PGSTORE_PIECE_BYTES);
    enum status status;

    if (descriptor < 0)
        status = fail_errno(err, STATUS_IO, "cannot read %s", file->path);
    else
        status =
            piece ? put_pieces(store, file, descriptor, piece, state, err) : fail_no_memory(err);
    if (descriptor >= 0)
        close(descriptor);
    free(piece);
    return status;
}

static enum status put_all(struct pgstore *store, const struct staged_file *files, size_t count,
                           char state[6], struct error *err)
{
    TRY(run(store, "BEGIN", err));
    for (size_t i = 0; i < count; i++)
        TRY(files[i].path ? put_file(store, &files[i], state, err)
                          : put_bytes(store, &files[i], state, err));
    return run(store, "COMMIT", err);
}

/* A cut may have come before or after the commit: what is there tells. */
static enum status stage_once(struct pgstore *store, const struct staged_file *files, size_t count,
                              struct error *err)
{
    struct error ignored;
    char state[6] = "";
    enum status status;
    bool has;

    TRY(pgstore_has_staged(store, files[0].name, &has, err));
    if (has)
        return STATUS_OK;
    status = put_all(store, files, count, state, err);
    if (status == STATUS_OK)
        return STATUS_OK;
    if (store->connection.connection)
        (void)run(store, "ROLLBACK", &ignored);
    return strcmp(state, UNIQUE_VIOLATION) == 0 ? STATUS_OK : status;
}

enum status pgstore_stage(struct pgstore *store, const struct staged_file *files, size_t count,
                          struct error *err)
{
    const int64_t deadline = pg_connection_now() + PGSTORE_PATIENCE_MS;
    enum status status;

    do
        status = stage_once(store, files, count, err);
    while (status == STATUS_CONNECTION && pg_connection_now() < deadline);
    return status;
}
