#include "runtime/ps/server/server_move.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/reserve.h"
#include "runtime/ps/rows/row_snapshot.h"
#include "runtime/ps/server/server_role.h"
#include "runtime/ps/server/server_save.h"

#define ROUNDS_MOST  4 /* rounds of copies */
#define ROUND_PIECES 8 /* fewer are left for the pause */

static struct bucket_set own_buckets(const struct server_role *role)
{
    return buckets_of_server(&role->layout, role->options.index);
}

static bool serves(const struct server_role *role)
{
    return role->options.index < role->layout.serving;
}

void server_move_share_memory(struct server_role *role, uint32_t serving)
{
    const uint64_t share = role->options.memory_shared / serving;

    role->memory.limit = share > role->options.memory_limit ? share : role->options.memory_limit;
}

/* ---- rows that do not stay ---- */

static void drop_rows_outside(struct server_role *role, const struct bucket_set *kept)
{
    for (uint32_t t = 0; t < role->options.table_count; t++)
        for (uint32_t b = 0; b < BUCKETS_PER_TABLE; b++)
            if (!bucket_set_has(kept, b) && role->tables[t].buckets[b].capacity > 0)
                row_table_drop_bucket(role->tables + t, b);
}

static void drop_counts(struct server_role *role)
{
    shard_counts_deinit(&role->shards);
    role->clock = 0;
    server_steps_forget(role);
}

static void drop_all(struct server_role *role)
{
    drop_rows_outside(role, &(struct bucket_set){{0}});
    drop_counts(role);
}

/* Drops the rows of other servers' buckets, and all counts where the server has no bucket. */
static void keep_own_rows(struct server_role *role)
{
    const struct bucket_set own = own_buckets(role);

    drop_rows_outside(role, &own);
    if (!serves(role))
        drop_counts(role);
}

void server_move_drop_buckets(struct server_role *role, const struct bucket_set *buckets)
{
    for (uint32_t t = 0; t < role->options.table_count; t++)
        for (uint32_t b = 0; b < BUCKETS_PER_TABLE; b++)
            if (bucket_set_has(buckets, b))
                row_table_drop_bucket(role->tables + t, b);
}

/* ---- the move itself ---- */

static void forget_reader(struct server_move *move, struct move_reader *reader)
{
    text_deinit(&reader->unsent);
    *reader = move->readers[--move->reader_count];
}

/* Its connections, and what is on its way. NULL: they go with the process. */
static void end_move(struct server_move *move, struct outbox *outbox)
{
    for (uint32_t s = 0; s < move->source_count; s++) {
        if (outbox && move->sources[s].peer != PEER_NONE)
            outbox_close(outbox, move->sources[s].peer);
        text_deinit(&move->sources[s].unread);
    }
    free(move->sources);
    move->sources = NULL;
    move->source_count = 0;
    while (move->reader_count) {
        if (outbox)
            outbox_close(outbox, move->readers[0].peer);
        forget_reader(move, move->readers);
    }
    move->state = MOVE_NONE;
    move->is_held = false;
    move->to = (struct server_layout){.id = 0};
}

void server_move_deinit(struct server_role *role)
{
    end_move(&role->move, NULL);
    free(role->move.readers);
}

bool server_move_hold(struct server_role *role, const struct message_layout *layout)
{
    struct server_move *move = &role->move;

    if (move->state != MOVE_COPYING || layout->layout != move->to.id)
        return false;
    server_save_end(role);
    move->state = MOVE_HELD;
    move->is_held = true;
    return true;
}

/* ---- the rows of others ---- */

static void say_fetched(struct server_role *role, const struct error *err, struct outbox *outbox)
{
    struct message message = server_role_message(role, MESSAGE_FETCHED);
    const struct message_failure failure = message_failure_of(err);

    message.fetched = (struct message_fetched){.layout = role->move.to.id,
                                               .status = failure.status,
                                               .message = failure.message,
                                               .hint = failure.hint};
    outbox_send(outbox, role->master.peer, &message);
}

/* The memory of what came is given back at once. */
static void be_stuck(struct server_role *role, const struct error *err, struct outbox *outbox)
{
    role->move.state = MOVE_STUCK;
    keep_own_rows(role);
    say_fetched(role, err, outbox);
}

bool server_move_make_room(struct server_role *role, const struct error *why, struct outbox *outbox)
{
    if (role->move.state != MOVE_COPYING)
        return false;
    be_stuck(role, why, outbox);
    return true;
}

/* All that is asked for has come. */
static void end_round_of_all(struct server_role *role, struct outbox *outbox)
{
    struct server_move *move = &role->move;
    struct error fine;

    for (uint32_t s = 0; s < move->source_count; s++)
        if (!move->sources[s].is_whole)
            return;
    error_clear(&fine);
    if (move->state == MOVE_FETCHING) {
        move->state = MOVE_READY;
        server_log_ready(role, outbox);
    }
    say_fetched(role, &fine, outbox);
}

static void ask_for_rows(struct server_role *role, struct move_source *source,
                         struct outbox *outbox)
{
    struct message message = server_role_message(role, MESSAGE_ROWS_WANTED);

    message.rows_wanted =
        (struct message_rows_wanted){.index = role->options.index,
                                     .layout = role->move.to.id,
                                     .buckets = (struct slice){(const char *)source->buckets.words,
                                                               sizeof source->buckets.words},
                                     .since = source->since,
                                     .offset = source->offset};
    outbox_send(outbox, source->peer, &message);
}

/* From the first row of a round: the source keeps no place for a connection that is gone. */
static void begin_round(struct server_role *role, int64_t now_ms, struct move_source *source,
                        struct outbox *outbox)
{
    source->is_whole = false;
    source->offset = 0;
    source->images = 0;
    text_clear(&source->unread);
    if (source->peer == PEER_NONE) {
        source->peer = role->next_peer++;
        source->asked_at = now_ms;
        outbox_connect(outbox, source->peer, slice_of(source->address));
    }
    ask_for_rows(role, source, outbox);
}

static void begin_rounds(struct server_role *role, int64_t now_ms, struct outbox *outbox)
{
    struct server_move *move = &role->move;

    for (uint32_t s = 0; s < move->source_count; s++)
        begin_round(role, now_ms, move->sources + s, outbox);
    end_round_of_all(role, outbox);
}

/* Those whose rows are this server's in the layout to come. */
static enum status list_sources(struct server_role *role, const struct message_fetch *copy,
                                struct error *err)
{
    struct server_move *move = &role->move;
    const struct bucket_set wanted = buckets_of_server(&move->to, role->options.index);
    struct byte_reader reader = byte_reader_over(copy->servers);

    if (copy->server_count != role->layout.serving)
        return fail(err, STATUS_STALE, "the server has rows of %" PRIu32 " servers",
                    role->layout.serving);
    move->sources = calloc(copy->server_count, sizeof *move->sources);
    if (!move->sources)
        return fail_no_memory(err);
    for (uint32_t s = 0; s < copy->server_count; s++) {
        const struct bucket_set has = buckets_of_server(&role->layout, s);
        struct move_source *source = move->sources + move->source_count;
        struct message_server_place place;

        (void)message_next_server_place(&reader, &place); /* message_read has looked */
        *source = (struct move_source){.index = s,
                                       .incarnation = place.incarnation,
                                       .buckets = bucket_set_both(&wanted, &has)};
        if (s == role->options.index || bucket_set_count(&source->buckets) == 0)
            continue;
        slice_copy(place.address, source->address, sizeof source->address);
        text_init(&source->unread, ROW_IMAGE_MAX);
        move->source_count++;
    }
    return STATUS_OK;
}

void server_move_prepare(struct server_role *role, const struct server_layout *to)
{
    const uint32_t now = role->layout.serving;

    role->move.state = MOVE_COPYING;
    role->move.to = *to;
    server_move_share_memory(role, to->serving < now ? to->serving : now);
    if (to->serving > now && role->memory.limit < role->options.memory_moving)
        role->memory.limit = role->options.memory_moving;
}

void server_move_copy(struct server_role *role, int64_t now_ms, const struct message_fetch *copy,
                      struct outbox *outbox)
{
    struct server_move *move = &role->move;
    struct server_layout to;
    struct error err;

    error_clear(&err);
    if (copy->layout == move->to.id) { /* it counts again, and keeps what it has copied */
        if (move->state == MOVE_HELD) {
            move->state = MOVE_COPYING;
            move->is_held = false;
        }
        return;
    }
    if (copy->layout <= role->layout.id ||
        server_layout_read(&to, copy->layout, copy->serving, copy->map, &err) != STATUS_OK)
        return;
    end_move(move, outbox);
    keep_own_rows(role);
    server_move_prepare(role, &to);
    server_log_begin(role, &to, outbox);
    if (list_sources(role, copy, &err) != STATUS_OK)
        be_stuck(role, &err, outbox);
    else
        begin_rounds(role, now_ms, outbox);
}

static void drop_copy(struct server_role *role, struct move_source *source, struct outbox *outbox)
{
    if (source->peer != PEER_NONE)
        outbox_close(outbox, source->peer);
    source->peer = PEER_NONE;
    source->since = 0;
    server_move_drop_buckets(role, &source->buckets);
    server_log_drop(role, &source->buckets, outbox);
}

/* Another process of a server may lack what was copied of the one before. */
static void check_sources(struct server_role *role, const struct message_fetch *fetch,
                          struct outbox *outbox)
{
    struct server_move *move = &role->move;
    struct byte_reader reader = byte_reader_over(fetch->servers);

    for (uint32_t s = 0, next = 0; s < fetch->server_count; s++) {
        struct move_source *source = move->sources + next;
        struct message_server_place place;

        (void)message_next_server_place(&reader, &place);
        if (next == move->source_count || source->index != s)
            continue;
        next++;
        if (source->incarnation != place.incarnation)
            drop_copy(role, source, outbox);
        source->incarnation = place.incarnation;
        slice_copy(place.address, source->address, sizeof source->address);
    }
}

void server_move_fetch(struct server_role *role, int64_t now_ms, const struct message_fetch *fetch,
                       struct outbox *outbox)
{
    struct server_move *move = &role->move;

    if (move->state != MOVE_HELD || fetch->layout != move->to.id ||
        fetch->server_count != role->layout.serving)
        return;
    move->state = MOVE_FETCHING;
    move->has_counts = serves(role);
    check_sources(role, fetch, outbox);
    begin_rounds(role, now_ms, outbox);
}

/* ---- what comes ---- */

static uint64_t sum_of(const struct shard_counts *counts)
{
    uint64_t sum = 0;

    for (uint32_t shard = 0; shard < counts->count; shard++)
        sum += counts->batches[shard];
    return sum;
}

/* Servers that have counted the same may know of another number of shards. */
static bool are_counts(const struct shard_counts *counts, struct slice bytes)
{
    const uint32_t count = (uint32_t)(bytes.size / sizeof(uint32_t));

    for (uint32_t shard = 0; shard < count || shard < counts->count; shard++) {
        uint32_t batches = 0;

        if (shard < count)
            memcpy(&batches, bytes.data + shard * sizeof batches, sizeof batches);
        if (batches != shard_counts_of(counts, shard))
            return false;
    }
    return true;
}

static enum status take_counts(struct server_role *role, struct slice counted, struct error *err)
{
    if (role->move.has_counts)
        return are_counts(&role->shards, counted)
                   ? STATUS_OK
                   : fail(err, STATUS_STALE, "another server has counted other batches");
    TRY(shard_counts_read(&role->shards, counted, err));
    role->clock = sum_of(&role->shards) / (role->options.lanes > 0 ? role->options.lanes : 1);
    role->move.has_counts = true;
    return STATUS_OK;
}

static uint32_t images_of(const struct server_role *role, const struct bucket_set *buckets)
{
    return role->options.table_count * bucket_set_count(buckets);
}

static enum status take_images(struct server_role *role, struct move_source *source,
                               struct outbox *outbox, struct error *err)
{
    struct text *unread = &source->unread;
    const uint32_t buckets = bucket_set_count(&source->buckets);
    size_t done = 0;

    if (unread->failed)
        return fail_no_memory(err);
    while (source->images < role->options.table_count * buckets) {
        struct byte_reader reader =
            byte_reader_over((struct slice){unread->data + done, unread->size - done});
        const struct slice image = read_sized(&reader, ROW_IMAGE_MAX);

        if (reader.failed)
            break;
        TRY(row_image_load(role->tables + source->images / buckets, image, err));
        source->images++;
        done = (size_t)(reader.at - (const uint8_t *)unread->data);
    }
    server_log_rows(role, (struct slice){unread->data, done}, outbox);
    if (done > 0)
        memmove(unread->data, unread->data + done, unread->size - done);
    unread->size -= done;
    return STATUS_OK;
}

static enum status take_rows(struct server_role *role, struct move_source *source,
                             const struct message_moved_rows *rows, struct outbox *outbox,
                             struct error *err)
{
    if (rows->layout != role->move.to.id || rows->offset != source->offset)
        return fail(err, STATUS_PROTOCOL, "rows of another move");
    if (role->move.state == MOVE_FETCHING && !rows->is_held)
        return fail(err, STATUS_STALE, "another server counts batches again");
    if (rows->offset == 0)
        source->clock = rows->clock;
    if (rows->offset == 0 && role->move.state == MOVE_FETCHING)
        TRY(take_counts(role, rows->counted, err));
    text_append(&source->unread, rows->bytes);
    source->offset += rows->bytes.size;
    TRY(take_images(role, source, outbox, err));
    if (!rows->is_last)
        return rows->bytes.size > 0 ? STATUS_OK
                                    : fail(err, STATUS_PROTOCOL, "a piece without rows");
    if (source->unread.size > 0 || source->images != images_of(role, &source->buckets))
        return fail(err, STATUS_PROTOCOL, "rows that end too early");
    source->is_whole = true;
    source->since = source->clock;
    source->rounds++;
    return STATUS_OK;
}

/* Rows pushed during a round come with the next one. */
static bool needs_another_round(const struct server_role *role, const struct move_source *source)
{
    return role->move.state == MOVE_COPYING && source->rounds < ROUNDS_MOST &&
           source->offset > (uint64_t)ROUND_PIECES * role->options.piece_bytes;
}

static void on_rows(struct server_role *role, int64_t now_ms, struct move_source *source,
                    const struct message_moved_rows *rows, struct outbox *outbox)
{
    struct error err;

    error_clear(&err);
    if ((role->move.state != MOVE_COPYING && role->move.state != MOVE_FETCHING) || source->is_whole)
        return;
    if (take_rows(role, source, rows, outbox, &err) != STATUS_OK) {
        be_stuck(role, &err, outbox);
        return;
    }
    if (!source->is_whole) {
        ask_for_rows(role, source, outbox);
    } else if (needs_another_round(role, source)) {
        begin_round(role, now_ms, source, outbox);
    } else {
        end_round_of_all(role, outbox);
    }
}

/* ---- what goes ---- */

static struct move_reader *find_reader(const struct server_move *move, peer_id peer)
{
    for (uint32_t r = 0; r < move->reader_count; r++)
        if (move->readers[r].peer == peer)
            return move->readers + r;
    return NULL;
}

static struct move_reader *add_reader(struct server_move *move, peer_id peer)
{
    void *readers = move->readers;

    if (reserve_array(&readers, &move->reader_room, move->reader_count + 1, sizeof *move->readers,
                      NULL) != STATUS_OK)
        return NULL;
    move->readers = readers;
    move->readers[move->reader_count] = (struct move_reader){.peer = peer};
    text_init(&move->readers[move->reader_count].unsent, ROW_IMAGE_MAX);
    return move->readers + move->reader_count++;
}

static void begin_table(struct move_reader *reader, uint32_t table)
{
    reader->next_table = table;
    reader->next_bucket = bucket_set_next(&reader->buckets, 0);
}

static bool has_images(const struct server_role *role, const struct move_reader *reader)
{
    return reader->next_table < role->options.table_count;
}

/* Images until a piece is full. */
static bool write_images(struct server_role *role, struct move_reader *reader)
{
    struct text *out = &reader->unsent;

    while (out->size < role->options.piece_bytes && has_images(role, reader)) {
        const size_t start = put_sized_begin(out);

        if (row_image_now(role->tables + reader->next_table, (uint32_t)role->clock, reader->since,
                          reader->next_bucket, out, NULL) != STATUS_OK)
            return false;
        put_sized_end(out, start);
        reader->next_bucket = bucket_set_next(&reader->buckets, reader->next_bucket + 1);
        if (reader->next_bucket == BUCKETS_PER_TABLE)
            begin_table(reader, reader->next_table + 1);
    }
    return true;
}

static void send_piece(struct server_role *role, struct move_reader *reader, struct outbox *outbox)
{
    struct text *out = &reader->unsent;
    const size_t most = role->options.piece_bytes, size = out->size < most ? out->size : most;
    struct message message = server_role_message(role, MESSAGE_ROWS);

    message.moved_rows = (struct message_moved_rows){
        .layout = role->move.to.id,
        .clock = reader->clock,
        .offset = reader->offset,
        .is_held = role->move.is_held,
        .is_last = size == out->size && !has_images(role, reader),
        .counted = reader->offset == 0 ? shard_counts_bytes(&role->shards) : slice_of(""),
        .bytes = {out->data, size}};
    outbox_send(outbox, reader->peer, &message);
    reader->offset += size;
    memmove(out->data, out->data + size, out->size - size);
    out->size -= size;
}

static bool has_all(const struct server_role *role, const struct bucket_set *buckets)
{
    const struct bucket_set own = own_buckets(role);

    return bucket_set_count(buckets) > 0 && bucket_set_is_within(buckets, &own);
}

static void on_rows_wanted(struct server_role *role, peer_id from,
                           const struct message_rows_wanted *wanted, struct outbox *outbox)
{
    struct server_move *move = &role->move;
    struct move_reader *reader = find_reader(move, from);
    struct bucket_set buckets = {{0}};
    bool is_good;

    if (wanted->buckets.size == sizeof buckets.words) /* else none, which are not good */
        memcpy(buckets.words, wanted->buckets.data, sizeof buckets.words);
    is_good = move->state != MOVE_NONE && wanted->layout == move->to.id && has_all(role, &buckets);
    if (is_good && !reader)
        reader = add_reader(move, from);
    if (is_good && reader && wanted->offset == 0) {
        reader->buckets = buckets;
        reader->since = wanted->since;
        reader->clock = role->clock;
        reader->offset = 0;
        begin_table(reader, 0);
        text_clear(&reader->unsent);
    }
    if (is_good && reader && wanted->offset == reader->offset && write_images(role, reader)) {
        send_piece(role, reader, outbox);
        return;
    }
    outbox_close(outbox, from);
    if (reader)
        forget_reader(move, reader);
}

void server_move_on_message(struct server_role *role, int64_t now_ms, peer_id from,
                            const struct message *message, struct outbox *outbox)
{
    struct server_move *move = &role->move;

    if (message->type == MESSAGE_ROWS_WANTED) {
        on_rows_wanted(role, from, &message->rows_wanted, outbox);
        return;
    }
    for (uint32_t s = 0; s < move->source_count; s++)
        if (move->sources[s].peer == from)
            on_rows(role, now_ms, move->sources + s, &message->moved_rows, outbox);
}

bool server_move_on_disconnect(struct server_role *role, peer_id peer)
{
    struct server_move *move = &role->move;
    struct move_reader *reader = find_reader(move, peer);

    if (reader)
        forget_reader(move, reader);
    for (uint32_t s = 0; s < move->source_count; s++)
        if (move->sources[s].peer == peer) {
            move->sources[s].peer = PEER_NONE;
            return true;
        }
    return reader != NULL;
}

void server_move_on_tick(struct server_role *role, int64_t now_ms, struct outbox *outbox)
{
    struct server_move *move = &role->move;

    if (move->state != MOVE_COPYING && move->state != MOVE_FETCHING)
        return;
    for (uint32_t s = 0; s < move->source_count; s++) {
        struct move_source *source = move->sources + s;

        if (!source->is_whole && source->peer == PEER_NONE &&
            now_ms - source->asked_at >= role->options.reconnect_ms)
            begin_round(role, now_ms, source, outbox);
    }
}

/* ---- another layout ---- */

/* It has, of each bucket that is to be its own, all that it has counted; or none is to be. */
static bool has_what_it_needs(const struct server_role *role, const struct server_layout *layout)
{
    const struct bucket_set buckets = buckets_of_server(layout, role->options.index);

    return role->options.index >= layout->serving || has_all(role, &buckets);
}

void server_move_cancel(struct server_role *role)
{
    end_move(&role->move, NULL);
    role->log.entries = 0;
    server_move_share_memory(role, role->layout.serving);
    keep_own_rows(role);
}

void server_move_take_layout(struct server_role *role, const struct server_layout *next)
{
    const struct server_layout layout = *next; /* which may be the one that the move was to */

    end_move(&role->move, NULL);
    role->log.moves++;
    role->log.entries = 0;
    server_move_share_memory(role, layout.serving);
    server_steps_forget(role); /* all servers are at one step, or nobody needs it any more */
    role->layout = layout;
    keep_own_rows(role);
}

static void log_move_without_rows(struct server_role *role, const struct server_layout *to,
                                  struct outbox *outbox)
{
    server_log_begin(role, to, outbox);
    server_log_ready(role, outbox);
}

bool server_move_layout(struct server_role *role, const struct message_layout *layout,
                        struct outbox *outbox)
{
    struct server_move *move = &role->move;
    const bool is_same = layout->layout == role->layout.id;
    const bool is_prepared = move->state == MOVE_READY && layout->layout == move->to.id;
    struct server_layout next;
    struct error err;

    if (server_layout_read(&next, layout->layout, layout->serving, layout->map, &err) !=
            STATUS_OK ||
        (is_same && move->state == MOVE_NONE))
        return false;
    end_move(move, outbox);
    if (is_same) {
        server_log_give_up(role, outbox);
        server_move_cancel(role);
        return false;
    }
    server_save_end(role);
    if (layout->is_anew) {
        /* Begins as a new server does, then does what its log says. */
        outbox_put(outbox, OUTBOX_DROP, "", 0);
        drop_all(role);
        role->log.moves = 0;
        role->layout = (struct server_layout){.serving = role->options.server_count};
        log_move_without_rows(role, &next, outbox);
    } else if (!is_prepared && has_what_it_needs(role, &next)) {
        log_move_without_rows(role, &next, outbox);
    } else if (!is_prepared) {
        move->resets += role->clock > 0;
        drop_all(role);
    }
    server_move_take_layout(role, &next);
    return true;
}
