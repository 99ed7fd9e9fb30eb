#include "extension/sql/listing.h"

#include <string.h>

static enum status make_room(struct listing *listing, struct error *err)
{
    const size_t capacity = listing->capacity ? 2 * listing->capacity : 64;
    struct listed *more;

    if (listing->count < listing->capacity)
        return STATUS_OK;
    more = ARENA_NEW(&listing->arena, struct listed, capacity);
    if (!more)
        return fail_no_memory(err);
    if (listing->count > 0)
        memcpy(more, listing->listed, listing->count * sizeof *more);
    listing->listed = more;
    listing->capacity = capacity;
    return STATUS_OK;
}

static enum status keep_listed(void *self, const struct cell *cells, size_t count,
                               struct error *err)
{
    struct listing *listing = self;
    struct listed *listed;

    if (count != 4)
        return STATUS_OK;
    TRY(make_room(listing, err));
    listed = &listing->listed[listing->count];
    listed->relation = (uint32_t)cells[0].integer;
    listed->table.schema = arena_copy(&listing->arena, cells[1].text);
    listed->table.name = arena_copy(&listing->arena, cells[2].text);
    listed->shown = arena_copy(&listing->arena, cells[3].text);
    if (!listed->table.schema.data || !listed->table.name.data || !listed->shown.data)
        return fail_no_memory(err);
    listing->count++;
    return STATUS_OK;
}

enum status sql_list_tables(struct sql_host *host, struct listing *listing, struct error *err)
{
    const struct database_rows rows = {.self = listing, .row = keep_listed};

    *listing = (struct listing){.count = 0};
    arena_init(&listing->arena, ARENA_MAXIMUM);
    return host->variant->list_tables(host, &rows, err);
}

enum status sql_read_listed(struct sql_host *host, const struct listed *listed, bool only_meta,
                            const struct database_rows *rows, struct error *err)
{
    const struct model_read read = {listed->relation, listed->table, .only_meta = only_meta,
                                    .at_once = true};
    const struct database *database = host->database;
    struct database_transaction transaction;
    enum status status;

    if (database->loses_transactions)
        TRY(database->begin(database->self, &transaction, err));
    status = database->read_model(database->self, &read, rows, err);
    return database->loses_transactions ? database->end(database->self, &transaction, status, err)
                                        : status;
}
