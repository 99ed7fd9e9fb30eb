#include "runtime/ps/server/server_save.h"

#include <string.h>

#include "base/bytes.h"
#include "runtime/ps/rows/row_snapshot.h"
#include "runtime/ps/server/server_role.h"

#define SNAPSHOT_VERSION 5
#define SNAPSHOT_BUCKETS 64 /* in one piece of work, where they are empty */
#define SNAPSHOT_COST    10 /* times as long as one takes until the next */

/* ---- one is taken ---- */

void server_save_end(struct server_role *role)
{
    for (uint32_t t = 0; t < role->options.table_count; t++)
        row_snapshot_end(role->tables + t);
    role->snapshot.is_on = false;
    text_clear(&role->snapshot.out);
}

static enum status begin_snapshot(struct server_role *role, struct error *err)
{
    struct text *out = &role->snapshot.out;
    size_t start;

    for (uint32_t t = 0; t < role->options.table_count; t++)
        TRY(row_snapshot_begin(role->tables + t, (uint32_t)role->clock, err));
    role->snapshot.is_on = true;
    /* Ids rise, also from one process of the server to the next. */
    role->snapshot.id = (uint64_t)role->options.incarnation << 32 | ++role->snapshots;
    role->snapshot.position = role->snapshot.bytes = 0;
    role->snapshot.table = role->snapshot.bucket = 0;
    role->snapshot.moves = role->log.moves;
    text_clear(out);
    put_u32(out, SNAPSHOT_VERSION);
    put_u32(out, role->options.table_count);
    put_u64(out, role->clock);
    put_u32(out, role->log.moves);
    server_layout_put(&role->layout, out);
    put_sized(out, shard_counts_bytes(&role->shards));
    start = put_sized_begin(out);
    server_steps_put(role, out);
    put_sized_end(out, start);
    return out->failed ? fail_no_memory(err) : STATUS_OK;
}

static void send_pieces(struct server_role *role, size_t least, struct outbox *outbox)
{
    struct text *out = &role->snapshot.out;
    size_t at = 0;

    while (out->size - at >= least && out->size > at) {
        const size_t left = out->size - at, most = role->options.piece_bytes;
        const size_t size = left < most ? left : most;

        outbox_put_piece(outbox, role->snapshot.id, role->snapshot.position++,
                         (struct slice){out->data + at, size});
        role->snapshot.bytes += size;
        at += size;
    }
    memmove(out->data, out->data + at, out->size - at);
    out->size -= at;
}

static void finish_snapshot(struct server_role *role, struct outbox *outbox)
{
    const struct checkpoint head = {.id = role->snapshot.id,
                                    .job = role->options.job,
                                    .identity = role->options.identity,
                                    .phase = role->snapshot_clock + 1,
                                    .step = role->snapshot.moves,
                                    .bytes = role->snapshot.bytes,
                                    .piece_bytes = role->options.piece_bytes};

    outbox_put(outbox, OUTBOX_FINISH, &head, sizeof head);
    server_save_end(role);
}

static enum status put_image(struct server_role *role, struct error *err)
{
    struct row_table *table = role->tables + role->snapshot.table;
    struct text *out = &role->snapshot.out;
    const size_t start = put_sized_begin(out);

    if (server_of_bucket(&role->layout, role->snapshot.bucket) == role->options.index)
        TRY(row_snapshot_image(table, role->snapshot.bucket, out, err));
    else
        row_image_none(table, role->snapshot.bucket, out); /* copies of rows that are to come */
    put_sized_end(out, start);
    if (++role->snapshot.bucket == BUCKETS_PER_TABLE) {
        role->snapshot.bucket = 0;
        role->snapshot.table++;
    }
    return STATUS_OK;
}

bool server_save_has_work(const struct server_role *role)
{
    return role->state == SERVER_SERVING && role->snapshot.is_on;
}

bool server_save_is_finishing(const struct server_role *role)
{
    return role->snapshot.is_on && role->snapshot.table == role->options.table_count;
}

/* Memory that runs out for a snapshot ends the snapshot: the one before is there. */
void server_save_work(struct server_role *role, int64_t now_ms, struct outbox *outbox)
{
    const uint64_t position = role->snapshot.position;
    struct error err;

    error_clear(&err);
    if (server_save_is_finishing(role)) {
        send_pieces(role, 1, outbox);
        finish_snapshot(role, outbox);
        role->snapshot_pause = SNAPSHOT_COST * (now_ms - role->snapshot_at);
        return;
    }
    for (int i = 0; i < SNAPSHOT_BUCKETS && role->snapshot.position == position &&
                    !server_save_is_finishing(role);
         i++) {
        if (put_image(role, &err) != STATUS_OK) {
            server_save_end(role);
            return;
        }
        send_pieces(role, role->options.piece_bytes, outbox);
    }
}

/* ---- when one begins ---- */

void server_save_begin(struct server_role *role, int64_t now_ms)
{
    struct error err;

    if (role->state != SERVER_SERVING || role->snapshot.is_on || role->move.is_held ||
        (role->clock == role->snapshot_clock && !role->must_save))
        return;
    role->must_save = false;
    role->snapshot_at = now_ms;
    role->snapshot_clock = role->clock;
    if (begin_snapshot(role, &err) != STATUS_OK)
        server_save_end(role);
}

/* One that cannot begin now begins in its time. */
void server_save_anew(struct server_role *role, int64_t now_ms)
{
    role->must_save = true;
    if (role->options.snapshot_ms)
        server_save_begin(role, now_ms);
}

static bool is_snapshot_due(const struct server_role *role, int64_t now_ms)
{
    const int64_t since = now_ms - role->snapshot_at;

    return role->options.snapshot_ms && since >= role->options.snapshot_ms &&
           since >= role->snapshot_pause;
}

void server_save_on_tick(struct server_role *role, int64_t now_ms)
{
    if (is_snapshot_due(role, now_ms))
        server_save_begin(role, now_ms);
}

/* ---- going on from one ---- */

static enum status damaged(struct error *err)
{
    return fail(err, STATUS_CORRUPT, "the snapshot of a parameter server is damaged");
}

static enum status read_head(struct server_role *role, struct byte_reader *reader,
                             struct error *err)
{
    const uint32_t version = read_u32(reader), tables = read_u32(reader);
    const uint64_t clock = read_u64(reader);
    const uint32_t moves = read_u32(reader);
    struct server_layout layout;
    struct error why;
    const bool has_layout = server_layout_take(reader, &layout, &why) == STATUS_OK;
    const struct slice counts = read_sized(reader, SHARDS_MAX * sizeof(uint32_t));
    const struct slice before = read_sized(reader, ROW_IMAGE_MAX);

    if (reader->failed)
        return STATUS_OK; /* not all there yet */
    if (version != SNAPSHOT_VERSION || tables != role->options.table_count ||
        clock > SERVER_CLOCK_MAX || !has_layout)
        return damaged(err);
    role->layout = layout;
    role->clock = clock;
    role->log.moves = moves;
    role->has_head = true;
    TRY(shard_counts_read(&role->shards, counts, err));
    return role->steps.lanes ? server_steps_read(role, before, err) : STATUS_OK;
}

/* Images come table by table, bucket by bucket. */
static enum status read_image(struct server_role *role, struct byte_reader *reader,
                              struct error *err)
{
    const struct slice image = read_sized(reader, ROW_IMAGE_MAX);

    if (reader->failed)
        return STATUS_OK;
    if (role->snapshot.table == role->options.table_count)
        return damaged(err);
    TRY(row_image_load(role->tables + role->snapshot.table, image, err));
    if (++role->snapshot.bucket == BUCKETS_PER_TABLE) {
        role->snapshot.bucket = 0;
        role->snapshot.table++;
    }
    return STATUS_OK;
}

enum status server_save_restore(struct server_role *role, struct slice piece, bool is_last,
                                struct error *err)
{
    struct text *unread = &role->unread;
    size_t done = 0;

    text_append(unread, piece);
    if (unread->failed)
        return fail_no_memory(err);
    for (;;) {
        struct byte_reader reader =
            byte_reader_over((struct slice){unread->data + done, unread->size - done});

        TRY(role->has_head ? read_image(role, &reader, err) : read_head(role, &reader, err));
        if (reader.failed)
            break;
        done = (size_t)(reader.at - (const uint8_t *)unread->data);
    }
    memmove(unread->data, unread->data + done, unread->size - done);
    unread->size -= done;
    if (!is_last)
        return STATUS_OK;
    if (unread->size || role->snapshot.table != role->options.table_count)
        return damaged(err);
    text_deinit(unread);
    text_init(unread, ROW_IMAGE_MAX);
    return STATUS_OK;
}
