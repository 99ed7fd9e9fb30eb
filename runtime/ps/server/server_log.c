#include "runtime/ps/server/server_log.h"

#include "base/bytes.h"
#include "runtime/data/store/step_log.h"
#include "runtime/ps/server/server_role.h"

void server_log_init(struct server_log *log)
{
    text_init(&log->unsent, STEP_LOG_BYTES_MAX);
}

void server_log_deinit(struct server_log *log)
{
    text_deinit(&log->unsent);
}

static bool is_kept(const struct server_role *role)
{
    return role->options.lanes > 0 && role->options.snapshot_ms > 0;
}

static size_t open_entry(struct server_role *role, enum move_entry kind)
{
    struct text *out = &role->log.unsent;
    size_t start;

    text_clear(out);
    put_u64(out, step_log_move(role->log.moves, role->log.entries));
    start = put_sized_begin(out);
    put_u8(out, kind);
    return start;
}

/* One that there is no memory for leaves a hole, behind which nothing is read. */
static void close_entry(struct server_role *role, size_t start, struct outbox *outbox)
{
    struct text *out = &role->log.unsent;

    put_sized_end(out, start);
    if (!out->failed)
        outbox_put(outbox, OUTBOX_LOG, out->data, out->size);
    out->failed = false;
    role->log.entries++;
}

void server_log_begin(struct server_role *role, const struct server_layout *to,
                      struct outbox *outbox)
{
    size_t start;

    if (!is_kept(role))
        return;
    role->log.entries = 0;
    start = open_entry(role, MOVE_ENTRY_BEGIN);
    server_layout_put(&role->layout, &role->log.unsent);
    server_layout_put(to, &role->log.unsent);
    close_entry(role, start, outbox);
}

/* The first entry of a move forgets all that there is of it: so does one without bytes. */
void server_log_give_up(struct server_role *role, struct outbox *outbox)
{
    const uint64_t number = step_log_move(role->log.moves, 0);

    if (role->log.entries > 0)
        outbox_put(outbox, OUTBOX_LOG, &number, sizeof number);
    role->log.entries = 0;
}

void server_log_rows(struct server_role *role, struct slice images, struct outbox *outbox)
{
    size_t start;

    if (!is_kept(role) || images.size == 0)
        return;
    start = open_entry(role, MOVE_ENTRY_ROWS);
    text_append(&role->log.unsent, images);
    close_entry(role, start, outbox);
}

void server_log_drop(struct server_role *role, const struct bucket_set *buckets,
                     struct outbox *outbox)
{
    size_t start;

    if (!is_kept(role))
        return;
    start = open_entry(role, MOVE_ENTRY_DROP);
    text_append(&role->log.unsent,
                (struct slice){(const char *)buckets->words, sizeof buckets->words});
    close_entry(role, start, outbox);
}

void server_log_ready(struct server_role *role, struct outbox *outbox)
{
    size_t start;

    if (!is_kept(role))
        return;
    start = open_entry(role, MOVE_ENTRY_READY);
    put_u64(&role->log.unsent, role->clock);
    put_sized(&role->log.unsent, shard_counts_bytes(&role->shards));
    close_entry(role, start, outbox);
}
