#include "cli/cluster/table_reading.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/whole_file.h"
#include "extension/postgres/libpq/database_libpq.h"
#include "extension/postgres/libpq/libpq.h"
#include "extension/postgres/libpq/libpq_direct.h"
#include "runtime/data/pgstore/pg_connection.h"

struct table_shards {
    const struct rows_reading *order_of;
    struct arena arena; /* memory of the order */
    struct text json;   /* the order as the session wrote it */
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

static enum status read_order(const char *folder, struct table_shards *shards, struct error *err)
{
    char path[PATH_MAX];

    if (snprintf(path, sizeof path, "%s/" DIRECT_FILE, folder) >= (int)sizeof path)
        return fail(err, STATUS_LIMIT, "the path of %s is too long", folder);
    TRY(whole_file_read(path, &shards->json, err));
    return direct_order_read(text_slice(&shards->json), &shards->arena, &shards->order, err);
}

static void close_shards(void *self)
{
    struct table_shards *shards = self;

    direct_close(shards->reader);
    libpq_close(&shards->libpq);
    text_deinit(&shards->json);
    arena_deinit(&shards->arena);
    free(shards);
}

static enum status connect_shards(struct table_shards *shards, struct error *err)
{
    const char *snapshot = shards->order_of->snapshot;

    if (shards->reader)
        return STATUS_OK;
    if (!snapshot)
        return fail(err, STATUS_INVALID,
                    "the job's rows are in a table, and no snapshot of it is named (--snapshot)");
    TRY(connect_to(shards->order_of->database, &shards->libpq, err));
    return direct_open(&shards->libpq, &shards->reading, slice_of(snapshot), &shards->order,
                       &shards->reader, err);
}

static enum status open_shards(const struct rows_reading *reading, void **self, struct error *err)
{
    struct table_shards *shards = calloc(1, sizeof *shards);
    enum status status;

    *self = NULL;
    if (!shards)
        return fail_no_memory(err);
    shards->order_of = reading;
    snprintf(shards->journal, sizeof shards->journal, "result_%" PRIu64, reading->job);
    shards->reading = (struct direct_reading){.folder = reading->folder,
                                              .spec = reading->spec,
                                              .schema = slice_of(reading->schema),
                                              .journal = slice_of(shards->journal)};
    arena_init(&shards->arena, ARENA_MAXIMUM);
    text_init(&shards->json, DIRECT_BYTES_MAX);
    status = read_order(reading->folder, shards, err);
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
                                          .counted = rows->counted,
                                          .are_keys = rows->are_keys,
                                          .shards = (uint32_t)direct_table_shards(&rows->table)};
    }
    return shards->order.count;
}

static struct slice order_of_shards(const void *self)
{
    const struct table_shards *shards = self;

    return text_slice(&shards->json);
}

static enum status export_snapshot(void *self, struct slice *snapshot, struct error *err)
{
    struct table_shards *shards = self;

    TRY(connect_shards(shards, err));
    return direct_export(shards->reader, snapshot, err);
}

static enum status read_shard(void *self, uint32_t spool, uint32_t shard, struct text *index,
                              struct error *err)
{
    struct table_shards *shards = self;

    TRY(connect_shards(shards, err));
    return direct_read(shards->reader, spool, shard, index, err);
}

const struct table_reader table_reading = {.open = open_shards,
                                           .spools = list_spools,
                                           .order = order_of_shards,
                                           .snapshot = export_snapshot,
                                           .read = read_shard,
                                           .close = close_shards};
