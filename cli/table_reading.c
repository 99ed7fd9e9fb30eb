#include "cli/table_reading.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

#include "extension/postgres/libpq/database_libpq.h"
#include "extension/postgres/libpq/libpq.h"
#include "extension/postgres/libpq/libpq_direct.h"
#include "k8s/client/whole_file.h"
#include "runtime/data/pgstore/pg_connection.h"

/* The connection that is made as the job's others are, patiently. */
static enum status connect_to(const char *file, struct libpq *libpq, struct error *err)
{
    struct pg_connection connection;
    PGconn *made;
    enum status status;

    TRY(pg_connection_init(&connection, file, err));
    status = pg_connection_ensure(&connection, pg_connection_now() + PGSTORE_PATIENCE_MS, err);
    made = connection.connection;
    connection.connection = NULL;
    pg_connection_deinit(&connection);
    TRY(status);
    return libpq_adopt(libpq, made, err);
}

static enum status read_with(const struct rows_reading *reading, const struct direct_order *order,
                             struct error *err)
{
    char journal[64];
    const struct direct_reading direct = {
        .folder = reading->folder,
        .spec = reading->spec,
        .snapshot = slice_of(reading->snapshot),
        .schema = slice_of(reading->schema),
        .journal = {journal,
                    (size_t)snprintf(journal, sizeof journal, "result_%" PRIu64, reading->job)}};
    struct libpq libpq = {.connection = NULL};
    enum status status = connect_to(reading->database, &libpq, err);

    if (status == STATUS_OK)
        status = libpq_read_directly(&libpq, &direct, order, err);
    libpq_close(&libpq);
    return status;
}

static enum status read_order(const struct rows_reading *reading, struct arena *arena,
                              struct direct_order *order, struct error *err)
{
    char path[PATH_MAX];
    struct text json;
    enum status status;

    if (snprintf(path, sizeof path, "%s/" DIRECT_FILE, reading->folder) >= (int)sizeof path)
        return fail(err, STATUS_LIMIT, "the path of %s is too long", reading->folder);
    text_init(&json, DIRECT_BYTES_MAX);
    status = whole_file_read(path, &json, err);
    if (status == STATUS_OK)
        status = direct_order_read(text_slice(&json), arena, order, err);
    text_deinit(&json);
    return status;
}

enum status table_reading(const struct rows_reading *reading, struct error *err)
{
    struct direct_order order;
    struct arena arena;
    enum status status;

    if (!reading->snapshot)
        return fail(err, STATUS_INVALID,
                    "the job's rows are in a table, and no snapshot of it is named (--snapshot)");
    arena_init(&arena, ARENA_MAXIMUM);
    status = read_order(reading, &arena, &order, err);
    if (status == STATUS_OK)
        status = read_with(reading, &order, err);
    arena_deinit(&arena);
    return status;
}
