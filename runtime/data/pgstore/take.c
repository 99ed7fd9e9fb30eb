#include "runtime/data/pgstore/take.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/data/dataset/model_file.h"
#include "runtime/data/pgstore/copy.h"
#include "runtime/data/pgstore/fetch.h"

#define ATTEMPT_MS 10000 /* between two looks whether the files are being closed */
#define QUERY                                                                                      \
    "SELECT w.number, pg_catalog.substring(t.bytes, w.first, w.size) FROM "                        \
    "unnest($1::text[], $2::bigint[], $3::integer[], $4::integer[]) WITH ORDINALITY "              \
    "AS w(file, piece, first, size, number) JOIN @ t ON t.file = w.file AND t.piece = w.piece"
#define PARAMETERS       4
#define PARAMETERS_BYTES ((size_t)16 << 20)

struct taking {
    char sql[sizeof QUERY + TABLE_NAME_MAX];
    size_t piece_bytes;
    struct sparse_file *files;
    size_t count;
    struct pg_connection connections[SPARSE_READERS_MAX];
};

/* Bytes of one piece. */
struct slice_of_piece {
    uint32_t file;
    uint64_t offset; /* in the file */
    uint32_t size;
};

struct slices {
    struct slice_of_piece *all;
    size_t count;
};

/* ---- asking ---- */

static size_t pieces_of(const struct spool_extent *extent, size_t piece_bytes)
{
    return (size_t)((extent->offset + extent->size - 1) / piece_bytes -
                    extent->offset / piece_bytes + 1);
}

/* Extents may begin in one piece and end in another one. */
static enum status cut(const struct spool_extent *extents, size_t count, size_t piece_bytes,
                       struct slices *slices, struct error *err)
{
    size_t pieces = 0;

    for (size_t i = 0; i < count; i++)
        pieces += pieces_of(&extents[i], piece_bytes);
    slices->all = calloc(pieces + 1, sizeof *slices->all);
    if (!slices->all)
        return fail_no_memory(err);
    for (size_t i = 0; i < count; i++)
        for (uint64_t offset = extents[i].offset, left = extents[i].size; left > 0;) {
            const uint64_t room = piece_bytes - offset % piece_bytes;
            const uint32_t size = (uint32_t)(left < room ? left : room);

            slices->all[slices->count++] = (struct slice_of_piece){extents[i].file, offset, size};
            offset += size;
            left -= size;
        }
    return STATUS_OK;
}

/* Names are of letters, digits and dots (pgstore.c): nothing in them means anything in an array. */
static void describe(const struct taking *taking, const struct slices *slices,
                     struct text parameters[PARAMETERS])
{
    for (size_t i = 0; i < slices->count; i++) {
        const struct slice_of_piece *slice = &slices->all[i];
        const char *comma = i > 0 ? "," : "{";

        text_printf(&parameters[0], "%s%s", comma, taking->files[slice->file].stored);
        text_printf(&parameters[1], "%s%" PRIu64, comma, slice->offset / taking->piece_bytes);
        text_printf(&parameters[2], "%s%" PRIu64, comma, slice->offset % taking->piece_bytes + 1);
        text_printf(&parameters[3], "%s%u", comma, slice->size);
    }
    for (int i = 0; i < PARAMETERS; i++)
        text_append_string(&parameters[i], "}");
}

/* Patient, until the files are being closed. */
static enum status call(struct pg_connection *connection, const struct pg_call *call,
                        const struct sparse_files *files, PGresult **result, struct error *err)
{
    const int64_t deadline = pg_connection_now() + PGSTORE_PATIENCE_MS;
    enum status status;

    do {
        const int64_t until = pg_connection_now() + ATTEMPT_MS;

        status = pg_connection_call_again(connection, call, until < deadline ? until : deadline,
                                          result, err);
    } while (status == STATUS_CONNECTION && pg_connection_now() < deadline &&
             !sparse_files_are_closing(files));
    return status;
}

/* ---- the answer ---- */

static enum status put_row(const PGresult *result, int row, const struct slices *slices,
                           uint32_t reader, struct sparse_files *files, struct error *err)
{
    const struct slice bytes = result_bytes(result, row, 1);
    const struct slice_of_piece *slice;
    int64_t number;

    TRY(result_integer(result, row, 0, &number, err));
    if (number < 1 || (uint64_t)number > slices->count)
        return fail(err, STATUS_CORRUPT, "the job's database sent bytes that nobody asked for");
    slice = &slices->all[number - 1];
    if (bytes.size != slice->size)
        return fail(err, STATUS_CORRUPT, "a piece of the job's rows is not as it should be");
    return sparse_files_put(files, reader, slice->file, slice->offset, bytes, err);
}

/* File and piece are a key: so many rows with numbers of the slices are one of each. */
static enum status put_rows(const PGresult *result, const struct slices *slices, uint32_t reader,
                            struct sparse_files *files, struct error *err)
{
    if ((size_t)PQntuples(result) != slices->count)
        return fail(err, STATUS_CORRUPT, "pieces of the job's rows are missing from its input");
    for (int row = 0; row < PQntuples(result); row++)
        TRY(put_row(result, row, slices, reader, files, err));
    return STATUS_OK;
}

static enum status take_slices(struct taking *taking, uint32_t reader, const struct slices *slices,
                               struct sparse_files *files, struct error *err)
{
    struct text parameters[PARAMETERS];
    const char *values[PARAMETERS];
    const struct pg_call query = {taking->sql, values, PARAMETERS, true};
    enum status status = STATUS_OK;
    PGresult *result = NULL;

    for (int i = 0; i < PARAMETERS; i++)
        text_init(&parameters[i], PARAMETERS_BYTES);
    describe(taking, slices, parameters);
    for (int i = 0; i < PARAMETERS && status == STATUS_OK; i++) {
        values[i] = text_string(&parameters[i]);
        if (parameters[i].failed)
            status = fail_no_memory(err);
    }
    if (status == STATUS_OK)
        status = call(&taking->connections[reader], &query, files, &result, err);
    if (status == STATUS_OK)
        status = put_rows(result, slices, reader, files, err);
    if (result)
        PQclear(result);
    for (int i = 0; i < PARAMETERS; i++)
        text_deinit(&parameters[i]);
    return status;
}

/* ---- as an origin ---- */

static enum status read_extents(void *self, uint32_t reader, const struct spool_extent *extents,
                                size_t count, struct sparse_files *files, struct error *err)
{
    const struct taking *taking = self;
    struct slices slices = {.all = NULL};
    enum status status = cut(extents, count, taking->piece_bytes, &slices, err);

    if (status == STATUS_OK)
        status = take_slices(self, reader, &slices, files, err);
    free(slices.all);
    return status;
}

static void rest(void *self, uint32_t reader)
{
    struct taking *taking = self;

    pg_connection_drop(&taking->connections[reader]);
}

static void close_taking(void *self)
{
    struct taking *taking = self;

    for (int i = 0; i < SPARSE_READERS_MAX; i++)
        pg_connection_deinit(&taking->connections[i]);
    free(taking->files);
    free(taking);
}

static enum status taking_init(const struct pgstore *store, const char *table, size_t piece_bytes,
                               const struct sparse_file *files, size_t count, struct taking *taking,
                               struct error *err)
{
    for (int i = 0; i < SPARSE_READERS_MAX; i++)
        TRY(pg_connection_init_again(&taking->connections[i], &store->connection, err));
    taking->files = calloc(count + 1, sizeof *taking->files);
    if (!taking->files)
        return fail_no_memory(err);
    memcpy(taking->files, files, count * sizeof *files);
    taking->count = count;
    taking->piece_bytes = piece_bytes;
    return pgstore_sql(taking->sql, sizeof taking->sql, QUERY, table)
               ? STATUS_OK
               : fail(err, STATUS_LIMIT, "the name of the job's table is too long");
}

enum status pgstore_take_table(const struct pgstore *store, const char *table, size_t piece_bytes,
                               const struct sparse_file *files, size_t count, const char *folder,
                               const struct spool_source **source, struct error *err)
{
    struct taking *taking = calloc(1, sizeof *taking);
    const struct sparse_origin origin = {taking, read_extents, rest, close_taking};
    enum status status;

    *source = NULL;
    if (!taking)
        return fail_no_memory(err);
    status = taking_init(store, table, piece_bytes, files, count, taking, err);
    if (status == STATUS_OK)
        return sparse_files_open(folder, files, count, &origin, source, err);
    close_taking(taking);
    return status;
}

enum status pgstore_take(struct pgstore *store, const char *folder,
                         const struct spool_source **source, struct error *err)
{
    size_t count = store->file_count;

    *source = NULL;
    pg_connection_drop(&store->connection);
    if (strcmp(store->files[count - 1].name, MODEL_FILE) == 0)
        TRY(pgstore_fetch_from(store, --count, folder, err));
    return pgstore_take_table(store, store->source, store->piece_bytes, store->files, count, folder,
                              source, err);
}
