#include "cli/table_reading.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "extension/postgres/libpq/database_libpq.h"
#include "extension/postgres/libpq/libpq.h"
#include "extension/postgres/libpq/libpq_direct.h"
#include "k8s/client/whole_file.h"
#include "runtime/data/pgstore/pg_connection.h"

struct table_shards {
    struct arena arena; /* of the order */
    struct direct_order order;
    struct libpq libpq;
    char journal[64];
    struct direct_reading reading;
    struct direct_reader *reader;
};

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

static enum status read_order(const char *folder, struct arena *arena, struct direct_order *order,
                              struct error *err)
{
    char path[PATH_MAX];
    struct text json;
    enum status status;

    if (snprintf(path, sizeof path, "%s/" DIRECT_FILE, folder) >= (int)sizeof path)
        return fail(err, STATUS_LIMIT, "the path of %s is too long", folder);
    text_init(&json, DIRECT_BYTES_MAX);
    status = whole_file_read(path, &json, err);
    if (status == STATUS_OK)
        status = direct_order_read(text_slice(&json), arena, order, err);
    text_deinit(&json);
    return status;
}

static void close_shards(void *self)
{
    struct table_shards *shards = self;

    direct_close(shards->reader);
    libpq_close(&shards->libpq);
    arena_deinit(&shards->arena);
    free(shards);
}

static enum status connect_shards(struct table_shards *shards, const struct rows_reading *reading,
                                  struct error *err)
{
    const int size =
        snprintf(shards->journal, sizeof shards->journal, "result_%" PRIu64, reading->job);

    shards->reading = (struct direct_reading){.folder = reading->folder,
                                              .spec = reading->spec,
                                              .snapshot = slice_of(reading->snapshot),
                                              .schema = slice_of(reading->schema),
                                              .journal = {shards->journal, (size_t)size}};
    TRY(read_order(reading->folder, &shards->arena, &shards->order, err));
    TRY(connect_to(reading->database, &shards->libpq, err));
    return direct_open(&shards->libpq, &shards->reading, &shards->order, &shards->reader, err);
}

static enum status open_shards(const struct rows_reading *reading, void **self, struct error *err)
{
    struct table_shards *shards;
    enum status status;

    *self = NULL;
    if (!reading->snapshot)
        return fail(err, STATUS_INVALID,
                    "the job's rows are in a table, and no snapshot of it is named (--snapshot)");
    shards = calloc(1, sizeof *shards);
    if (!shards)
        return fail_no_memory(err);
    arena_init(&shards->arena, ARENA_MAXIMUM);
    status = connect_shards(shards, reading, err);
    if (status == STATUS_OK)
        *self = shards;
    else
        close_shards(shards);
    return status;
}

static size_t list_spools(const void *self, struct staged_spool spools[STAGED_SPOOLS_MAX])
{
    const struct table_shards *shards = self;

    for (size_t i = 0; i < shards->order.count; i++) {
        const struct direct_rows *rows = &shards->order.rows[i];

        spools[i] = (struct staged_spool){.name = rows->spool.data,
                                          .columns = rows->spooled,
                                          .column_count = rows->count,
                                          .shards = (uint32_t)direct_table_shards(&rows->table)};
    }
    return shards->order.count;
}

static enum status read_shard(void *self, uint32_t spool, uint32_t shard, uint32_t number,
                              struct text *index, struct error *err)
{
    struct table_shards *shards = self;

    return direct_read(shards->reader, spool, shard, number, index, err);
}

const struct table_reader table_reading = {
    .open = open_shards, .spools = list_spools, .read = read_shard, .close = close_shards};
