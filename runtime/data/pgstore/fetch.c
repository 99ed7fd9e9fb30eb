#include "runtime/data/pgstore/fetch.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/process/team.h"
#include "runtime/data/pgstore/copy.h"
#include "runtime/data/pgstore/pgstore_parts.h"

#define READERS_MAX 4
#define RANGE_BYTES ((size_t)8 << 20) /* about, of one query */
#define READ_RANGE                                                                                 \
    "SELECT piece, bytes FROM @ WHERE file = $1 AND piece >= $2::bigint AND piece < $3::bigint "   \
    "ORDER BY piece"

struct reader {
    struct pg_connection connection;
    struct error err;
};

struct fetching {
    const struct pgstore *store;
    size_t first; /* files before it are not fetched */
    int *files;   /* descriptors, -1 where not open */
    struct reader readers[READERS_MAX];
};

static uint64_t pieces_of(const struct pgstore *store, const struct sparse_file *file)
{
    return (file->bytes + store->piece_bytes - 1) / store->piece_bytes;
}

static uint64_t range_pieces(const struct pgstore *store)
{
    return RANGE_BYTES / store->piece_bytes;
}

static uint32_t ranges_of(const struct pgstore *store, const struct sparse_file *file)
{
    const uint64_t of_range = range_pieces(store);

    return (uint32_t)((pieces_of(store, file) + of_range - 1) / of_range);
}

static size_t size_of_piece(const struct pgstore *store, const struct sparse_file *file,
                            uint64_t piece)
{
    const uint64_t left = file->bytes - piece * store->piece_bytes;

    return left < store->piece_bytes ? (size_t)left : store->piece_bytes;
}

static enum status write_piece(int file, struct slice bytes, uint64_t offset, struct error *err)
{
    while (bytes.size > 0) {
        const ssize_t size = pwrite(file, bytes.data, bytes.size, (off_t)offset);

        if (size <= 0)
            return fail_errno(err, STATUS_IO, "cannot write the job's rows");
        bytes.data += size;
        bytes.size -= (size_t)size;
        offset += (uint64_t)size;
    }
    return STATUS_OK;
}

static enum status write_range(const struct pgstore *store, const struct sparse_file *file,
                               int descriptor, uint64_t first, uint64_t end, const PGresult *result,
                               struct error *err)
{
    if ((uint64_t)PQntuples(result) != end - first)
        return fail(err, STATUS_CORRUPT, "pieces of %s are missing from the job's input",
                    file->name);
    for (uint64_t piece = first; piece < end; piece++) {
        const int row = (int)(piece - first);
        const struct slice bytes = result_bytes(result, row, 1);
        int64_t number;

        TRY(result_integer(result, row, 0, &number, err));
        if (number != (int64_t)piece || bytes.size != size_of_piece(store, file, piece))
            return fail(err, STATUS_CORRUPT, "piece %" PRIu64 " of %s is not as it should be",
                        piece, file->name);
        TRY(write_piece(descriptor, bytes, piece * store->piece_bytes, err));
    }
    return STATUS_OK;
}

static enum status read_range(const struct fetching *fetching, struct pg_connection *connection,
                              size_t number, uint32_t range, struct error *err)
{
    const struct pgstore *store = fetching->store;
    const struct sparse_file *file = &store->files[number];
    const uint64_t of_range = range_pieces(store), pieces = pieces_of(store, file);
    const uint64_t first = range * of_range;
    const uint64_t end = first + of_range < pieces ? first + of_range : pieces;
    char sql[sizeof READ_RANGE + TABLE_NAME_MAX], from[32], to[32];
    const char *parameters[] = {file->stored, from, to};
    const struct pg_call call = {sql, parameters, 3, true};
    enum status status;
    PGresult *result;

    snprintf(from, sizeof from, "%" PRIu64, first);
    snprintf(to, sizeof to, "%" PRIu64, end);
    pgstore_sql(sql, sizeof sql, READ_RANGE, store->source);
    TRY(pg_connection_call_again(connection, &call, pg_connection_now() + PGSTORE_PATIENCE_MS,
                                 &result, err));
    status = write_range(store, file, fetching->files[number], first, end, result, err);
    PQclear(result);
    return status;
}

/* Tasks are the ranges of all files, one behind the other. */
static void read_task(void *context, uint32_t member, uint32_t task)
{
    struct fetching *fetching = context;
    struct reader *reader = &fetching->readers[member];
    size_t number = fetching->first;

    if (reader->err.status != STATUS_OK)
        return; /* missing pieces are reported at the end */
    for (; task >= ranges_of(fetching->store, &fetching->store->files[number]); number++)
        task -= ranges_of(fetching->store, &fetching->store->files[number]);
    (void)read_range(fetching, &reader->connection, number, task, &reader->err);
}

static enum status open_files(struct fetching *fetching, const char *folder, uint32_t *tasks,
                              struct error *err)
{
    const struct pgstore *store = fetching->store;
    char path[PATH_MAX];

    *tasks = 0;
    for (size_t i = fetching->first; i < store->file_count; i++) {
        if (snprintf(path, sizeof path, "%s/%s", folder, store->files[i].name) >= (int)sizeof path)
            return fail(err, STATUS_LIMIT, "the path of %s is too long", folder);
        fetching->files[i] = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        if (fetching->files[i] < 0)
            return fail_errno(err, STATUS_IO, "cannot write %s", path);
        *tasks += ranges_of(store, &store->files[i]);
    }
    return STATUS_OK;
}

static enum status run_readers(struct fetching *fetching, uint32_t tasks, struct error *err)
{
    const uint32_t wanted = tasks < READERS_MAX ? tasks : READERS_MAX;
    struct team *team = team_new(wanted);
    enum status status = STATUS_OK;

    for (uint32_t i = 0; i < READERS_MAX; i++)
        error_clear(&fetching->readers[i].err);
    for (uint32_t i = 0; i < wanted && status == STATUS_OK; i++)
        status = pg_connection_init_again(&fetching->readers[i].connection,
                                          &fetching->store->connection, err);
    if (status == STATUS_OK)
        team_run(team, tasks, read_task, fetching);
    team_free(team);
    for (uint32_t i = 0; i < wanted; i++) {
        if (status == STATUS_OK && fetching->readers[i].err.status != STATUS_OK) {
            *err = fetching->readers[i].err;
            status = err->status;
        }
        pg_connection_deinit(&fetching->readers[i].connection);
    }
    return status;
}

enum status pgstore_fetch(struct pgstore *store, const char *folder, struct error *err)
{
    return pgstore_fetch_from(store, 0, folder, err);
}

enum status pgstore_fetch_from(struct pgstore *store, size_t first, const char *folder,
                               struct error *err)
{
    struct fetching *fetching = calloc(1, sizeof *fetching);
    int *files = calloc(store->file_count + 1, sizeof *files);
    enum status status;
    uint32_t tasks = 0;

    if (!fetching || !files) {
        free(fetching);
        free(files);
        return fail_no_memory(err);
    }
    *fetching = (struct fetching){.store = store, .first = first, .files = files};
    memset(files, -1, (store->file_count + 1) * sizeof *files);
    status = open_files(fetching, folder, &tasks, err);
    if (status == STATUS_OK)
        status = run_readers(fetching, tasks, err);
    for (size_t i = 0; i < store->file_count; i++)
        if (files[i] >= 0)
            close(files[i]);
    free(fetching);
    free(files);
    pg_connection_drop(&store->connection);
    return status;
}
