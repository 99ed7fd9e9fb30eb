#include "runtime/ps/server/server_replay.h"

#include <string.h>

#include "base/bytes.h"
#include "runtime/data/store/step_log.h"
#include "runtime/ps/rows/row_snapshot.h"
#include "runtime/ps/server/server_role.h"

static enum status damaged(struct error *err)
{
    return fail(err, STATUS_CORRUPT, "the log of rows that moved is damaged");
}

static enum status not_of_these(struct error *err)
{
    return fail(err, STATUS_NOT_FOUND, "rows have moved from other ones");
}

/* Does the move begin with what this server has? One that has nothing takes part in any. */
static bool fits(const struct server_role *role, const struct server_layout *from)
{
    const bool has_nothing = role->layout.id == 0 && role->clock == 0;

    return from->id == role->layout.id || (has_nothing && role->options.index >= from->serving);
}

static enum status read_begin(struct server_role *role, struct byte_reader *reader,
                              struct error *err)
{
    struct server_layout from, to;

    if (server_layout_take(reader, &from, err) != STATUS_OK ||
        server_layout_take(reader, &to, err) != STATUS_OK || !reader_is_done(reader))
        return damaged(err);
    if (!fits(role, &from))
        return not_of_these(err);
    role->layout = from;
    server_move_prepare(role, &to);
    return STATUS_OK;
}

static enum status read_rows(struct server_role *role, struct byte_reader *reader,
                             struct error *err)
{
    while (!reader_is_done(reader)) {
        const struct slice image = read_sized(reader, ROW_IMAGE_MAX);
        uint32_t table;

        if (reader->failed || image.size < sizeof table)
            return damaged(err);
        memcpy(&table, image.data, sizeof table);
        if (table >= role->options.table_count)
            return damaged(err);
        TRY(row_image_load(role->tables + table, image, err));
    }
    return STATUS_OK;
}

static enum status read_drop(struct server_role *role, struct byte_reader *reader,
                             struct error *err)
{
    struct bucket_set buckets;
    const struct slice words = read_bytes(reader, sizeof buckets.words);

    if (!reader_is_done(reader))
        return damaged(err);
    memcpy(buckets.words, words.data, sizeof buckets.words);
    server_move_drop_buckets(role, &buckets);
    return STATUS_OK;
}

static enum status read_ready(struct server_role *role, struct byte_reader *reader,
                              struct error *err)
{
    const uint64_t clock = read_u64(reader);
    const struct slice counts = read_sized(reader, SHARDS_MAX * sizeof(uint32_t));

    if (!reader_is_done(reader) || clock > SERVER_CLOCK_MAX)
        return damaged(err);
    if (role->options.index >= role->layout.serving) {
        TRY(shard_counts_read(&role->shards, counts, err));
        role->clock = clock;
    } else if (clock != role->clock) {
        return not_of_these(err);
    }
    role->move.state = MOVE_READY;
    role->move.is_held = true;
    return STATUS_OK;
}

/* The reader behind the entry's size and kind. */
static enum move_entry open_reader(struct slice entry, struct byte_reader *reader)
{
    uint32_t size;

    *reader = byte_reader_over(entry);
    size = read_u32(reader);
    if (reader->failed || size != entry.size - sizeof size)
        return 0;
    return read_u8(reader);
}

static enum status read_entry(struct server_role *role, struct slice entry, struct error *err)
{
    struct byte_reader reader;
    const enum move_entry kind = open_reader(entry, &reader);

    if ((kind == MOVE_ENTRY_BEGIN) != (role->log.entries == 0))
        return damaged(err);
    role->log.entries++;
    switch (kind) {
    case MOVE_ENTRY_BEGIN:
        return read_begin(role, &reader, err);
    case MOVE_ENTRY_ROWS:
        return read_rows(role, &reader, err);
    case MOVE_ENTRY_DROP:
        return read_drop(role, &reader, err);
    case MOVE_ENTRY_READY:
        return read_ready(role, &reader, err);
    }
    return damaged(err);
}

static enum status log_is_over(struct server_role *role, struct error *err)
{
    role->log.reads = LOG_OVER;
    return fail(err, STATUS_NOT_FOUND, "the log ends");
}

static enum status read_step(struct server_role *role, const struct slice *entry, struct error *err)
{
    struct server_log *log = &role->log;
    const enum status status =
        entry ? server_steps_count_again(role, *entry, err) : STATUS_NOT_FOUND;

    if (status == STATUS_OK)
        return STATUS_OK;
    log->reads = status == STATUS_NOT_FOUND ? LOG_MOVE : LOG_OVER;
    return status == STATUS_NOT_FOUND ? STATUS_OK : status;
}

static void take_layout(struct server_role *role)
{
    server_move_take_layout(role, &role->move.to);
    role->log.reads = LOG_STEP;
}

/* A move that is not whole is dropped: the rows are where they were before. */
static enum status read_move(struct server_role *role, const struct slice *entry, struct error *err)
{
    const enum status status = entry ? read_entry(role, *entry, err) : log_is_over(role, err);

    if (status != STATUS_OK) {
        role->log.reads = LOG_OVER;
        server_move_cancel(role);
        return status == STATUS_LIMIT || status == STATUS_NO_MEMORY
                   ? fail(err, STATUS_FAILED, "rows that moved find no room any more")
                   : status;
    }
    if (role->move.state == MOVE_READY)
        role->log.reads = LOG_READY;
    return STATUS_OK;
}

/* Was the step taken in the layout that the move is to? */
static bool is_step_of_next(const struct server_role *role, const struct slice *entry)
{
    uint64_t layout;

    return entry && server_steps_layout(*entry, &layout) && layout == role->move.to.id;
}

/* Is it the first entry of a move from that layout? */
static bool is_move_from_next(const struct server_role *role, const struct slice *entry)
{
    struct byte_reader reader;
    struct server_layout from;
    struct error ignored;

    return entry && open_reader(*entry, &reader) == MOVE_ENTRY_BEGIN &&
           server_layout_take(&reader, &from, &ignored) == STATUS_OK && from.id == role->move.to.id;
}

uint64_t server_replay_wants(const struct server_role *role)
{
    const struct server_log *log = &role->log;

    if (log->reads == LOG_STEP || log->reads == LOG_READY)
        return role->clock;
    return log->reads == LOG_MOVE ? step_log_move(log->moves, log->entries)
                                  : step_log_move(log->moves + 1, 0);
}

enum status server_replay_entry(struct server_role *role, const struct slice *entry,
                                struct error *err)
{
    switch (role->log.reads) {
    case LOG_STEP:
        return read_step(role, entry, err);
    case LOG_MOVE:
        return read_move(role, entry, err);
    case LOG_READY:
        if (is_step_of_next(role, entry))
            take_layout(role);
        else
            role->log.reads = LOG_NEXT;
        return STATUS_OK;
    case LOG_NEXT:
        if (!is_move_from_next(role, entry))
            break;
        take_layout(role);
        return STATUS_OK;
    case LOG_OVER:
        break;
    }
    return log_is_over(role, err);
}
