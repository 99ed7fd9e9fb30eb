#include "tests/outbox_check.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/data/store/step_log.h"
#include "runtime/ps/rows/row_snapshot.h"
#include "runtime/ps/server/server_replay.h"
#include "runtime/ps/server/server_role.h"
#include "runtime/ps/server/server_save.h"

#define JOB     ((uint64_t)7)
#define TABLES  2
#define IDS     200 /* ids of a batch */
#define SERVERS 4
#define WORKER  ((peer_id)1)
#define READER  ((peer_id)100) /* + index: another server, as one knows it that it asks */
#define PIECE   256
#define LOGGED  8192 /* entries of a server's log */

static const struct row_table_options tables[TABLES] = {
    {.number = 0, .width = 1, .settings = {.optimizer = OPTIMIZER_SGD, .learning_rate = 1}},
    {.number = 1, .width = 2, .settings = {.optimizer = OPTIMIZER_SGD, .learning_rate = 1}},
};

struct logged {
    uint64_t number;
    struct text bytes;
};

/* Servers of which the first ones have all rows. */
struct stage {
    bool is_in_step;              /* one lane takes steps, which are logged */
    struct logged *logs[SERVERS]; /* (LOGGED); as they were put: the last of a number counts */
    uint32_t log_counts[SERVERS];
    struct server_role roles[SERVERS];
    struct outbox outboxes[SERVERS];
    uint32_t count, serving;
    uint32_t incarnations[SERVERS];
    struct outbox begun[SERVERS]; /* requests made while others are told */
    uint64_t next;                /* layout that is prepared */
    struct layout_runs map;       /* map of the master's layouts; count 0: none */
    uint32_t pieces;              /* pieces carried */
};

static char *address_of(uint32_t index)
{
    static char addresses[SERVERS][8] = {"s0", "s1", "s2", "s3"};

    return addresses[index];
}

static void init_one(struct stage *stage, uint32_t index)
{
    const struct server_options options = {.job = JOB,
                                           .index = index,
                                           .server_count = stage->serving,
                                           .master = "unix:m",
                                           .address = address_of(index),
                                           .tables = tables,
                                           .table_count = TABLES,
                                           .memory_limit = UINT64_MAX,
                                           .lanes = stage->is_in_step ? 1 : 0,
                                           .batches = 1000,
                                           .alive_ms = 1000,
                                           .reconnect_ms = 50,
                                           .search_ms = 60000,
                                           .snapshot_ms = 500,
                                           .piece_bytes = PIECE};
    struct error err;

    outbox_init(stage->outboxes + index);
    CHECK_OK(server_role_init(stage->roles + index, &options, &err));
}

static void begin_one(struct stage *stage, uint32_t index)
{
    init_one(stage, index);
    server_role_start(stage->roles + index, 1000, stage->outboxes + index);
    outbox_clear(stage->outboxes + index);
}

static void end_one(struct stage *stage, uint32_t index)
{
    server_role_deinit(stage->roles + index);
    outbox_deinit(stage->outboxes + index);
    outbox_deinit(stage->begun + index);
}

static void begin(struct stage *stage, uint32_t count, uint32_t serving)
{
    *stage = (struct stage){.count = count, .serving = serving};
    for (uint32_t s = 0; s < count; s++) {
        begin_one(stage, s);
        outbox_init(stage->begun + s);
    }
}

/* Another process goes on from what the server has now. */
static void begin_again(struct stage *stage, uint32_t index)
{
    struct server_role *role = stage->roles + index;
    struct outbox *outbox = stage->outboxes + index;
    struct text whole;
    struct error err;

    text_init(&whole, TEXT_MAXIMUM);
    outbox_clear(outbox);
    server_save_end(role);
    server_save_anew(role, 5000);
    while (server_save_has_work(role))
        server_save_work(role, 5000, outbox);
    for (size_t i = 0; i < outbox->count; i++) {
        const struct slice bytes = outbox_bytes(outbox, outbox->entries + i);

        if (outbox->entries[i].kind == OUTBOX_PIECE)
            text_append(&whole, (struct slice){bytes.data + sizeof(struct piece_head),
                                               bytes.size - sizeof(struct piece_head)});
    }
    end_one(stage, index);
    begin_one(stage, index);
    outbox_init(stage->begun + index);
    CHECK_OK(server_save_restore(role, text_slice(&whole), true, &err));
    text_deinit(&whole);
}

static void finish(struct stage *stage)
{
    for (uint32_t s = 0; s < stage->count; s++)
        end_one(stage, s);
    for (uint32_t s = 0; s < SERVERS; s++) {
        for (uint32_t i = 0; i < stage->log_counts[s]; i++)
            text_deinit(&stage->logs[s][i].bytes);
        free(stage->logs[s]);
    }
}

/* ---- the log of a server whose lanes are in step ---- */

static void begin_in_step(struct stage *stage, uint32_t count, uint32_t serving)
{
    *stage = (struct stage){.is_in_step = true, .count = count, .serving = serving};
    for (uint32_t s = 0; s < count; s++) {
        stage->logs[s] = calloc(LOGGED, sizeof *stage->logs[s]);
        CHECK(stage->logs[s]);
        begin_one(stage, s);
        outbox_init(stage->begun + s);
    }
}

static void note_log(struct stage *stage, uint32_t s)
{
    const struct outbox *outbox = stage->outboxes + s;

    for (size_t i = 0; i < outbox->count; i++) {
        const struct slice bytes = outbox_bytes(outbox, outbox->entries + i);
        struct logged *logged = stage->logs[s] + stage->log_counts[s];

        if (outbox->entries[i].kind != OUTBOX_LOG)
            continue;
        CHECK(stage->log_counts[s]++ < LOGGED);
        memcpy(&logged->number, bytes.data, sizeof logged->number);
        text_init(&logged->bytes, TEXT_MAXIMUM);
        text_append(&logged->bytes, (struct slice){bytes.data + sizeof logged->number,
                                                   bytes.size - sizeof logged->number});
    }
}

/* Finds a move's entry as step_log.h does: the first entry of a move takes the place of all that
 * there were. */
static bool find_logged(const struct stage *stage, uint32_t s, uint64_t number, struct slice *bytes)
{
    for (uint32_t i = stage->log_counts[s]; i-- > 0;) {
        const struct logged *logged = stage->logs[s] + i;

        *bytes = text_slice(&logged->bytes);
        if (logged->number == number)
            return bytes->size > 0;
        if (number >= step_log_move(0, 0) && logged->number == number >> 24 << 24)
            return false;
    }
    return false;
}

/* A later process of the server, with nothing but its log; what reading it ended with. */
static enum status begin_by_log(struct stage *stage, uint32_t s)
{
    struct error err;
    struct slice bytes;
    enum status status;

    end_one(stage, s);
    init_one(stage, s);
    outbox_init(stage->begun + s);
    do {
        const bool is_there = find_logged(stage, s, server_replay_wants(stage->roles + s), &bytes);

        status = server_replay_entry(stage->roles + s, is_there ? &bytes : NULL, &err);
    } while (status == STATUS_OK);
    server_role_start(stage->roles + s, 1000, stage->outboxes + s);
    return status;
}

/* Sends a message to the server; its requests of before are gone. */
static void send_to(struct stage *stage, uint32_t s, peer_id from, struct message message)
{
    message.job = JOB;
    message.epoch = 1;
    outbox_clear(stage->outboxes + s);
    server_role_on_message(stage->roles + s, 1000, from, &message, stage->outboxes + s);
    if (stage->is_in_step)
        note_log(stage, s);
}

static void master_says(struct stage *stage, uint32_t s, struct message message)
{
    send_to(stage, s, stage->roles[s].master.peer, message);
}

static bool find(const struct stage *stage, uint32_t s, peer_id to, enum message_type type,
                 struct message *message)
{
    return outbox_find(stage->outboxes + s, to, type, 0, message);
}

static bool to_master(const struct stage *stage, uint32_t s, enum message_type type,
                      struct message *message)
{
    return find(stage, s, stage->roles[s].master.peer, type, message);
}

static bool is_closed(const struct stage *stage, uint32_t s, peer_id peer)
{
    return outbox_closes(stage->outboxes + s, peer);
}

/* ---- batches ---- */

struct batch {
    uint32_t counts[TABLES];
    uint64_t ids[TABLES * IDS];
    uint32_t seen[TABLES * IDS];
    float gradient[3 * IDS];
};

#define BYTES(array, count) ((struct slice){(const char *)(array), (count) * sizeof *(array)})

/* Rows 0 to IDS - 1 of both tables that are this server's. */
static void fill(struct batch *batch, const struct server_role *role)
{
    uint32_t rows = 0;

    for (uint32_t t = 0; t < TABLES; t++) {
        const uint32_t first = rows;

        for (uint64_t id = 0; id < IDS; id++)
            if (server_of_row(&role->layout, t, id) == role->options.index)
                batch->ids[rows++] = id;
        batch->counts[t] = rows - first;
    }
    for (uint32_t i = 0; i < rows; i++)
        batch->seen[i] = 1;
    for (uint32_t i = 0; i < 3 * IDS; i++)
        batch->gradient[i] = 1;
}

static uint32_t rows_of(const struct batch *batch)
{
    return batch->counts[0] + batch->counts[1];
}

/* The shard of all batches; steps are counted from the first shard on. */
static uint32_t shard_of(const struct stage *stage)
{
    return stage->is_in_step ? 0 : 1;
}

static void resume(struct stage *stage, uint32_t s, uint64_t layout)
{
    send_to(stage, s, WORKER,
            (struct message){.type = MESSAGE_RESUME,
                             .resume = {.shard = shard_of(stage), .layout = layout}});
}

static void pull(struct stage *stage, uint32_t s)
{
    struct batch batch;

    fill(&batch, stage->roles + s);
    send_to(stage, s, WORKER,
            (struct message){.type = MESSAGE_PULL,
                             .pull = {.step = stage->is_in_step ? stage->roles[s].clock : 0,
                                      .counts = BYTES(batch.counts, TABLES),
                                      .ids = BYTES(batch.ids, rows_of(&batch))}});
}

static void push(struct stage *stage, uint32_t s, uint32_t number)
{
    struct batch batch;

    fill(&batch, stage->roles + s);
    send_to(stage, s, WORKER,
            (struct message){
                .type = MESSAGE_PUSH,
                .push = {.shard = shard_of(stage),
                         .batch = number,
                         .counts = BYTES(batch.counts, TABLES),
                         .ids = BYTES(batch.ids, rows_of(&batch)),
                         .seen = BYTES(batch.seen, rows_of(&batch)),
                         .gradient = BYTES(batch.gradient,
                                           rows_of(&batch) + batch.counts[1])}}); /* widths 1, 2 */
}

/* Every server that serves counts so many batches more, from `first` on. */
static void learn(struct stage *stage, uint32_t first, uint32_t batches)
{
    for (uint32_t s = 0; s < stage->serving; s++) {
        resume(stage, s, stage->roles[s].layout.id);
        for (uint32_t b = first; b < first + batches; b++) {
            pull(stage, s);
            push(stage, s, b);
        }
        CHECK_INT(stage->roles[s].clock, first + batches);
    }
}

/* Rows are on their own server alone, with so many batches in each. */
static void check_rows(struct stage *stage, uint32_t batches)
{
    for (uint32_t s = 0; s < stage->count; s++) {
        struct server_role *role = stage->roles + s;
        uint64_t rows = 0, own = 0;

        for (uint32_t t = 0; t < TABLES; t++) {
            for (uint64_t id = 0; id < IDS; id++) {
                float values[2];

                if (server_of_row(&role->layout, t, id) != s)
                    continue;
                own++;
                row_table_pull(role->tables + t, (uint32_t)role->clock, (struct row_ids){&id, 1},
                               values);
                assert_float_equal(values[0], -(float)batches, 0);
            }
            rows += role->tables[t].counts.rows;
        }
        CHECK_INT(rows, own);
        CHECK_INT(shard_counts_of(&role->shards, shard_of(stage)), own ? batches : 0);
        CHECK_INT(role->clock, own ? batches : 0);
    }
}

/* ---- a move ---- */

static struct slice map_of(const struct stage *stage)
{
    return BYTES(stage->map.runs, stage->map.count);
}

/* A message with the places of those that have the rows. */
static void say_places(struct stage *stage, uint32_t s, enum message_type type, uint32_t serving)
{
    struct text places;

    text_init(&places, 4096);
    for (uint32_t p = 0; p < stage->serving; p++)
        message_put_server_place(
            &places, &(struct message_server_place){.incarnation = stage->incarnations[p],
                                                    .address = slice_of(address_of(p))});
    master_says(stage, s,
                (struct message){.type = type,
                                 .fetch = {.layout = stage->next,
                                           .serving = serving,
                                           .map = map_of(stage),
                                           .server_count = stage->serving,
                                           .servers = text_slice(&places)}});
    text_deinit(&places);
}

/* Carries the server's first request for this peer to that server, and the answer back. False:
 * there is none. */
static bool carry(struct stage *stage, uint32_t s, peer_id peer, uint32_t source)
{
    struct message message;

    if (!find(stage, s, peer, MESSAGE_ROWS_WANTED, &message))
        return false;
    send_to(stage, source, READER + s, message);
    if (!find(stage, source, READER + s, MESSAGE_ROWS, &message))
        return false;
    CHECK(message.moved_rows.bytes.size <= PIECE);
    stage->pieces++;
    send_to(stage, s, peer, message);
    return true;
}

/* All that the server has just asked for comes, one source after the other; what it says then. */
static struct message carry_all(struct stage *stage, uint32_t s)
{
    struct server_move *move = &stage->roles[s].move;
    struct outbox begun = stage->outboxes[s]; /* requests to all sources */
    struct message message;

    outbox_init(stage->outboxes + s);
    for (uint32_t i = 0; i < move->source_count; i++) {
        const uint32_t source = move->sources[i].index;
        const peer_id peer = move->sources[i].peer;
        struct outbox now = stage->outboxes[s];

        stage->outboxes[s] = begun;
        CHECK(find(stage, s, peer, MESSAGE_ROWS_WANTED, &message));
        stage->outboxes[s] = now;
        send_to(stage, source, READER + s, message);
        CHECK(find(stage, source, READER + s, MESSAGE_ROWS, &message));
        send_to(stage, s, peer, message);
        while (carry(stage, s, peer, source))
            continue;
    }
    if (move->source_count == 0) {
        outbox_deinit(stage->outboxes + s);
        stage->outboxes[s] = begun;
    } else {
        outbox_deinit(&begun);
    }
    CHECK(to_master(stage, s, MESSAGE_FETCHED, &message));
    return message;
}

/* All servers have copies of what is to be theirs. */
static void copy(struct stage *stage, uint32_t serving)
{
    stage->next = stage->roles[0].layout.id + 1;
    for (uint32_t s = 0; s < stage->count; s++) {
        stage->pieces = 0;
        say_places(stage, s, MESSAGE_COPY, serving);
        outbox_deinit(stage->begun + s);
        stage->begun[s] = stage->outboxes[s];
        outbox_init(stage->outboxes + s);
    }
    for (uint32_t s = 0; s < serving; s++) {
        outbox_deinit(stage->outboxes + s);
        stage->outboxes[s] = stage->begun[s];
        outbox_init(stage->begun + s);
        CHECK_INT(carry_all(stage, s).fetched.status, STATUS_OK);
    }
}

static void hold(struct stage *stage, uint32_t serving)
{
    struct message message;

    for (uint32_t s = 0; s < stage->count; s++) {
        master_says(stage, s,
                    (struct message){.type = MESSAGE_HOLD,
                                     .layout = {stage->next, serving, map_of(stage)}});
        CHECK(to_master(stage, s, MESSAGE_HELD, &message));
        CHECK(message.held.layout == stage->next);
        CHECK_INT(message.held.counted.size, stage->roles[s].shards.count * sizeof(uint32_t));
    }
}

static struct message fetch_all(struct stage *stage, uint32_t s)
{
    say_places(stage, s, MESSAGE_FETCH, stage->roles[s].move.to.serving);
    return carry_all(stage, s);
}

static void say_layout(struct stage *stage, uint32_t s, uint64_t id, uint32_t serving)
{
    master_says(stage, s,
                (struct message){.type = MESSAGE_LAYOUT, .layout = {id, serving, map_of(stage)}});
}

/* The whole of it. */
static void move(struct stage *stage, uint32_t serving)
{
    struct message message;

    copy(stage, serving);
    hold(stage, serving);
    for (uint32_t s = 0; s < serving; s++)
        CHECK_INT(fetch_all(stage, s).fetched.status, STATUS_OK);
    for (uint32_t s = 0; s < stage->count; s++) {
        say_layout(stage, s, stage->next, serving);
        CHECK(to_master(stage, s, MESSAGE_SERVER, &message));
        CHECK(message.server.layout == stage->next && message.server.serving == serving);
        CHECK(message.server.next_layout == 0);
        CHECK(server_save_has_work(stage->roles + s)); /* a snapshot */
    }
    stage->serving = serving;
}

static void rows_and_counts_move_to_any_number_of_servers(void **state)
{
    const uint32_t servings[] = {4, 1, 3, 2, 4};
    struct stage stage;
    uint32_t batches = 3;
    (void)state;

    begin(&stage, SERVERS, 2);
    learn(&stage, 0, 3);
    check_rows(&stage, 3);
    for (size_t i = 0; i < sizeof servings / sizeof *servings; i++) {
        move(&stage, servings[i]);
        check_rows(&stage, batches);
        learn(&stage, batches, 2);
        batches += 2;
        check_rows(&stage, batches);
    }
    finish(&stage);
}

/* From now on the layouts have a map: equal parts, but for every nth bucket, which goes to the next
 * server. */
static void use_map(struct stage *stage, uint32_t serving, uint32_t nth)
{
    struct server_layout layout = {.serving = serving};

    server_layout_make_map(&layout);
    for (uint32_t b = 0; b < BUCKETS_PER_TABLE; b += nth)
        layout.servers[b] = (uint16_t)((layout.servers[b] + 1) % serving);
    (void)server_layout_runs(&layout, &stage->map);
}

static void buckets_move_by_themselves_where_a_layout_has_a_map(void **state)
{
    const uint32_t nth[] = {3, 7, 1};
    struct stage stage;
    uint32_t batches = 2;
    (void)state;

    begin(&stage, SERVERS, 3);
    learn(&stage, 0, batches);
    for (size_t i = 0; i < sizeof nth / sizeof *nth; i++) {
        use_map(&stage, 3, nth[i]);
        move(&stage, 3);
        check_rows(&stage, batches);
        learn(&stage, batches, 2);
        batches += 2;
    }
    stage.map.count = 0; /* and back to equal parts */
    move(&stage, 4);
    check_rows(&stage, batches);
    finish(&stage);
}

static void a_map_is_in_the_snapshot_and_a_part_of_it_is_enough(void **state)
{
    struct stage stage;
    struct bucket_set before, after;
    (void)state;

    begin(&stage, 2, 2);
    learn(&stage, 0, 2);
    use_map(&stage, 2, 1024); /* bucket 0 leaves server 0 */
    move(&stage, 2);
    before = buckets_of_server(&stage.roles[0].layout, 0);
    CHECK_INT(bucket_set_count(&before), 511);
    begin_again(&stage, 0);
    after = buckets_of_server(&stage.roles[0].layout, 0);
    CHECK(memcmp(&before, &after, sizeof before) == 0);
    check_rows(&stage, 2);
    use_map(&stage, 2, 512); /* bucket 512 goes to server 0, which is not prepared */
    say_layout(&stage, 0, 9, 2);
    CHECK_INT(stage.roles[0].clock, 0);
    say_layout(&stage, 1, 9, 2); /* it has all that is its own */
    CHECK_INT(stage.roles[1].clock, 2);
    finish(&stage);
}

static void a_layout_that_is_none_changes_nothing(void **state)
{
    struct stage stage;
    (void)state;

    begin(&stage, 2, 2);
    learn(&stage, 0, 1);
    use_map(&stage, 3, 5);
    say_layout(&stage, 0, 3, 2); /* a server that there is not */
    stage.next = 4;
    say_places(&stage, 0, MESSAGE_COPY, 2);
    CHECK(stage.roles[0].layout.id == 0 && stage.roles[0].move.state == MOVE_NONE);
    stage.map.count = 0;
    check_rows(&stage, 1);
    finish(&stage);
}

static void no_batch_is_counted_while_rows_move(void **state)
{
    struct stage stage;
    struct message message;
    (void)state;

    begin(&stage, 2, 1);
    learn(&stage, 0, 3);
    copy(&stage, 2);
    pull(&stage, 0);
    hold(&stage, 2);
    push(&stage, 0, 3); /* a push of before */
    CHECK(is_closed(&stage, 0, WORKER));
    resume(&stage, 0, 0);
    CHECK(is_closed(&stage, 0, WORKER));
    server_role_on_tick(stage.roles, 100000, stage.outboxes);
    CHECK(!server_save_has_work(stage.roles)); /* no snapshot */
    CHECK_INT(stage.roles[0].clock, 3);
    say_layout(&stage, 1, 0, 1);
    say_layout(&stage, 0, 0, 1); /* it is given up */
    CHECK(!to_master(&stage, 0, MESSAGE_SERVER, &message));
    pull(&stage, 0);
    CHECK(is_closed(&stage, 0, WORKER));
    learn(&stage, 3, 1);
    check_rows(&stage, 4);
    finish(&stage);
}

static void a_move_that_is_given_up_leaves_nothing_behind(void **state)
{
    struct stage stage;
    (void)state;

    begin(&stage, 3, 2);
    learn(&stage, 0, 2);
    copy(&stage, 3);
    hold(&stage, 3);
    for (uint32_t s = 0; s < 3; s++)
        CHECK_INT(fetch_all(&stage, s).fetched.status, STATUS_OK);
    CHECK(stage.roles[2].clock == 2 && stage.roles[2].tables[0].counts.rows > 0);
    for (uint32_t s = 0; s < 3; s++)
        say_layout(&stage, s, 0, 2);
    check_rows(&stage, 2);
    learn(&stage, 2, 1);
    move(&stage, 3);
    check_rows(&stage, 3);
    finish(&stage);
}

static void rows_of_a_server_that_has_counted_others_are_not_taken(void **state)
{
    struct message message;
    struct stage stage;
    (void)state;

    begin(&stage, 3, 2);
    learn(&stage, 0, 2);
    pull(&stage, 1);
    push(&stage, 1, 2);
    copy(&stage, 3);
    hold(&stage, 3);
    CHECK_INT(fetch_all(&stage, 0).fetched.status, STATUS_OK); /* it needs none */
    message = fetch_all(&stage, 1);
    CHECK_INT(message.fetched.status, STATUS_STALE);
    message = fetch_all(&stage, 2);
    CHECK_INT(message.fetched.status, STATUS_OK); /* all are of server 1 */
    finish(&stage);
}

static void who_was_not_prepared_keeps_what_it_has_all_of_or_begins_empty(void **state)
{
    struct message message;
    struct stage stage;
    (void)state;

    begin(&stage, 2, 2);
    learn(&stage, 0, 2);
    say_layout(&stage, 0, 5, 4); /* buckets 0 to 255 of its 512 */
    CHECK(to_master(&stage, 0, MESSAGE_SERVER, &message));
    CHECK_INT(message.server.counted.size, 2 * sizeof(uint32_t));
    CHECK(stage.roles[0].clock == 2 && stage.roles[0].move.resets == 0);
    say_layout(&stage, 1, 5, 4); /* 256 to 511, of which it has none */
    CHECK(to_master(&stage, 1, MESSAGE_SERVER, &message));
    CHECK_INT(message.server.counted.size, 0);
    CHECK(stage.roles[1].clock == 0 && stage.roles[1].move.resets == 1);
    CHECK_INT(stage.roles[1].tables[0].counts.rows, 0);
    resume(&stage, 0, 0); /* a worker that has not heard of it */
    CHECK(is_closed(&stage, 0, WORKER));
    resume(&stage, 0, 5);
    CHECK(find(&stage, 0, WORKER, MESSAGE_RESUMED, &message));
    CHECK_INT(message.resumed.next, 2);
    finish(&stage);
}

static void what_is_pushed_after_it_was_copied_is_fetched(void **state)
{
    struct stage stage;
    uint32_t all;
    (void)state;

    begin(&stage, 2, 1);
    learn(&stage, 0, 3);
    copy(&stage, 2);
    all = stage.pieces;
    CHECK(all > 0);
    CHECK_INT(stage.roles[1].move.sources[0].since, 3);
    server_role_on_tick(stage.roles + 1, 100000, stage.outboxes + 1);
    CHECK(!server_save_has_work(stage.roles + 1)); /* nothing of its own is to be saved */
    hold(&stage, 2);
    stage.pieces = 0;
    CHECK_INT(fetch_all(&stage, 1).fetched.status, STATUS_OK);
    CHECK_INT(fetch_all(&stage, 0).fetched.status, STATUS_OK);
    for (uint32_t s = 0; s < 2; s++)
        say_layout(&stage, s, stage.next, 2);
    stage.serving = 2;
    check_rows(&stage, 3);

    copy(&stage, 1);
    learn(&stage, 3, 1);
    hold(&stage, 1);
    CHECK_INT(fetch_all(&stage, 0).fetched.status, STATUS_OK);
    for (uint32_t s = 0; s < 2; s++)
        say_layout(&stage, s, stage.next, 1);
    stage.serving = 1;
    check_rows(&stage, 4);
    finish(&stage);
}

/* Another process may have counted other batches than the one whose rows were copied. */
static void what_was_copied_of_a_process_that_is_gone_is_fetched_anew(void **state)
{
    struct stage stage;
    (void)state;

    begin(&stage, 2, 1);
    learn(&stage, 0, 3);
    copy(&stage, 2);
    end_one(&stage, 0);
    begin_one(&stage, 0);
    outbox_init(stage.begun);
    stage.incarnations[0]++;
    learn(&stage, 0, 1);
    outbox_clear(stage.outboxes);
    say_places(&stage, 0, MESSAGE_COPY, 2);
    hold(&stage, 2);
    server_role_on_disconnect(stage.roles + 1, 1000, stage.roles[1].move.sources[0].peer,
                              stage.outboxes + 1);
    CHECK_INT(fetch_all(&stage, 1).fetched.status, STATUS_OK);
    CHECK_INT(fetch_all(&stage, 0).fetched.status, STATUS_OK);
    for (uint32_t s = 0; s < 2; s++)
        say_layout(&stage, s, stage.next, 2);
    stage.serving = 2;
    check_rows(&stage, 1);
    finish(&stage);
}

/* Copies are no part of a snapshot of the server that has its own rows, too. */
static void a_snapshot_has_no_copies(void **state)
{
    struct stage stage;
    struct server_role *role = stage.roles;
    (void)state;

    begin(&stage, 2, 2);
    learn(&stage, 0, 2);
    copy(&stage, 1);
    CHECK(role->tables[0].counts.rows == IDS);
    begin_again(&stage, 0);
    CHECK(role->layout.id == 0 && role->layout.serving == 2);
    check_rows(&stage, 2);
    say_layout(&stage, 1, 0, 2);
    finish(&stage);
}

static void a_connection_that_is_lost_meanwhile_is_made_again_from_the_first_row(void **state)
{
    struct message message;
    struct stage stage;
    struct move_source *source;
    peer_id peer;
    (void)state;

    begin(&stage, 2, 1);
    learn(&stage, 0, 2);
    stage.next = 1;
    say_places(&stage, 0, MESSAGE_COPY, 2);
    say_places(&stage, 1, MESSAGE_COPY, 2);
    source = stage.roles[1].move.sources;
    peer = source->peer;
    for (int pieces = 0; pieces < 3; pieces++)
        CHECK(carry(&stage, 1, peer, 0));
    CHECK_INT(source->offset, 3 * PIECE);
    server_role_on_disconnect(stage.roles, 1000, READER + 1, stage.outboxes);
    CHECK_INT(stage.roles[0].move.reader_count, 0);
    server_role_on_disconnect(stage.roles + 1, 1000, peer, stage.outboxes + 1);
    outbox_clear(stage.outboxes + 1);
    server_role_on_tick(stage.roles + 1, 1040, stage.outboxes + 1);
    CHECK_INT(source->peer, PEER_NONE);
    server_role_on_tick(stage.roles + 1, 1050, stage.outboxes + 1);
    CHECK(source->peer != PEER_NONE && source->peer != peer);
    while (carry(&stage, 1, source->peer, 0))
        continue;
    CHECK(to_master(&stage, 1, MESSAGE_FETCHED, &message));
    CHECK_INT(message.fetched.status, STATUS_OK);
    finish(&stage);
}

static void requests_for_rows_out_of_turn_end_their_connection(void **state)
{
    const struct server_layout two = {.serving = 2};
    const struct bucket_set none = {{0}}, second = buckets_of_server(&two, 1);
    const struct slice buckets = BYTES(second.words, BUCKET_SET_WORDS);
    const struct message_rows_wanted good = {.index = 1, .layout = 1, .buckets = buckets};
    struct message_rows_wanted wrong[] = {good, good, good, good};
    struct stage stage;
    (void)state;

    wrong[0].layout = 2;                           /* another move */
    wrong[1].buckets.size -= sizeof *second.words; /* not all of them are named */
    wrong[2].buckets = BYTES(none.words, BUCKET_SET_WORDS);
    wrong[3].offset = 64; /* from the middle */
    begin(&stage, 2, 1);
    learn(&stage, 0, 1);
    send_to(&stage, 0, READER, (struct message){.type = MESSAGE_ROWS_WANTED, .rows_wanted = good});
    CHECK(is_closed(&stage, 0, READER)); /* nothing moves */
    stage.next = 1;
    say_places(&stage, 0, MESSAGE_COPY, 2);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        send_to(&stage, 0, READER,
                (struct message){.type = MESSAGE_ROWS_WANTED, .rows_wanted = wrong[i]});
        CHECK(is_closed(&stage, 0, READER));
        CHECK_INT(stage.roles[0].move.reader_count, 0);
    }
    finish(&stage);
}

/* A server without room for its rows says so to the master, and drops them with the move. */
static void a_server_without_room_says_so(void **state)
{
    struct message message;
    struct stage stage;
    (void)state;

    begin(&stage, 2, 1);
    learn(&stage, 0, 1);
    stage.roles[1].options.memory_limit = 4096;
    stage.next = 1;
    say_places(&stage, 0, MESSAGE_COPY, 2);
    say_places(&stage, 1, MESSAGE_COPY, 2);
    message = carry_all(&stage, 1);
    CHECK_INT(message.fetched.status, STATUS_LIMIT);
    say_layout(&stage, 1, 0, 1);
    CHECK_INT(stage.roles[1].memory.used, 0);
    CHECK_INT(stage.roles[1].clock, 0);
    finish(&stage);
}

static void a_server_may_have_more_while_rows_move_to_more_servers(void **state)
{
    struct server_role *role;
    struct message message;
    struct stage stage;
    (void)state;

    begin(&stage, 2, 1);
    role = stage.roles + 1;
    learn(&stage, 0, 1);
    role->options.memory_limit = 4096;
    role->options.memory_moving = UINT64_MAX;
    stage.next = 1;
    say_places(&stage, 0, MESSAGE_COPY, 2);
    say_places(&stage, 1, MESSAGE_COPY, 2);
    message = carry_all(&stage, 1);
    CHECK_INT(message.fetched.status, STATUS_OK);
    CHECK(role->memory.used > 4096);
    say_layout(&stage, 1, 0, 1);
    CHECK_INT(role->memory.limit, 4096);
    stage.next = 2;
    say_places(&stage, 1, MESSAGE_COPY, 1); /* it would have more afterwards, too */
    CHECK_INT(role->memory.limit, 4096);
    finish(&stage);
}

/* The next batch makes all of them anew. */
static void drop_own_rows(struct server_role *role)
{
    const struct bucket_set own = buckets_of_server(&role->layout, role->options.index);

    for (uint32_t t = 0; t < TABLES; t++)
        for (uint32_t b = 0; b < BUCKETS_PER_TABLE; b++)
            if (bucket_set_has(&own, b))
                row_table_drop_bucket(role->tables + t, b);
}

/* Copies never keep a batch from its memory. */
static void a_batch_takes_the_memory_of_copies(void **state)
{
    struct message message;
    struct stage stage;
    struct server_role *role = stage.roles;
    uint64_t used;
    (void)state;

    begin(&stage, 2, 2);
    learn(&stage, 0, 1);
    used = role->memory.used;
    copy(&stage, 1);
    CHECK(role->memory.used > used);
    drop_own_rows(role);
    role->memory.limit = used;
    resume(&stage, 0, 0);
    pull(&stage, 0);
    push(&stage, 0, 1);
    CHECK(to_master(&stage, 0, MESSAGE_FETCHED, &message));
    CHECK_INT(message.fetched.status, STATUS_LIMIT);
    CHECK(find(&stage, 0, WORKER, MESSAGE_PUSHED, &message));
    CHECK_INT(message.resumed.next, 2);
    CHECK_INT(role->state, SERVER_SERVING);
    resume(&stage, 0, 0);
    CHECK(find(&stage, 0, WORKER, MESSAGE_RESUMED, &message)); /* it goes on */
    finish(&stage);
}

static void each_server_has_its_part_of_the_memory(void **state)
{
    struct stage stage;
    (void)state;

    begin(&stage, 1, 1);
    stage.roles[0].options.memory_limit = 100;
    stage.roles[0].options.memory_shared = 1000;
    say_layout(&stage, 0, 1, 4);
    CHECK_INT(stage.roles[0].memory.limit, 250);
    say_layout(&stage, 0, 2, 20);
    CHECK_INT(stage.roles[0].memory.limit, 100);
    finish(&stage);
}

/* ---- the log of moves ---- */

static void a_later_process_goes_through_moves_again(void **state)
{
    const uint32_t servings[] = {4, 1, 3, 3, 2};
    struct stage stage;
    uint32_t batches = 2;
    (void)state;

    begin_in_step(&stage, SERVERS, 2);
    learn(&stage, 0, batches);
    for (size_t i = 0; i < sizeof servings / sizeof *servings; i++) {
        move(&stage, servings[i]);
        for (uint32_t turn = 0; turn < 2; turn++) { /* with no step since, and with one */
            for (uint32_t s = 0; s < SERVERS; s++) {
                const uint64_t digest = server_role_digest(stage.roles + s);

                CHECK(begin_by_log(&stage, s) == STATUS_NOT_FOUND);
                if (turn == 0 || s >= servings[i]) { /* the master tells what is in force */
                    CHECK_INT(stage.roles[s].move.state, MOVE_READY);
                    say_layout(&stage, s, stage.next, servings[i]);
                }
                CHECK_INT(stage.roles[s].move.state, MOVE_NONE);
                CHECK(server_role_digest(stage.roles + s) == digest);
            }
            check_rows(&stage, batches);
            if (turn == 0)
                learn(&stage, batches++, 1);
        }
    }
    finish(&stage);
}

/* Where the master had to do with others meanwhile, it takes place, or not. */
static void a_server_that_has_all_for_a_move_has_it_again(void **state)
{
    struct message message;
    (void)state;

    for (uint32_t is_given_up = 0; is_given_up < 2; is_given_up++) {
        struct stage stage;

        begin_in_step(&stage, 3, 2);
        learn(&stage, 0, 3);
        copy(&stage, 3);
        learn(&stage, 3, 2);
        hold(&stage, 3);
        for (uint32_t s = 0; s < 3; s++)
            CHECK_INT(fetch_all(&stage, s).fetched.status, STATUS_OK);
        for (uint32_t s = 0; s < 3; s++) {
            CHECK(begin_by_log(&stage, s) == STATUS_NOT_FOUND);
            CHECK(to_master(&stage, s, MESSAGE_SERVER, &message));
            CHECK(message.server.layout == 0 && message.server.next_layout == stage.next);
            resume(&stage, s, 0);
            CHECK(is_closed(&stage, s, WORKER)); /* nothing is counted */
        }
        for (uint32_t s = 0; s < 3; s++)
            say_layout(&stage, s, is_given_up ? 0 : stage.next, is_given_up ? 2 : 3);
        stage.serving = is_given_up ? 2 : 3;
        check_rows(&stage, 5);
        learn(&stage, 5, 1);
        for (uint32_t s = 0; s < 3; s++)
            CHECK(begin_by_log(&stage, s) == STATUS_NOT_FOUND);
        check_rows(&stage, 6);
        finish(&stage);
    }
}

static void a_move_whose_log_is_not_whole_has_not_taken_place(void **state)
{
    struct stage stage;
    uint32_t first, end;
    (void)state;

    begin_in_step(&stage, 2, 1);
    learn(&stage, 0, 3);
    first = stage.log_counts[1];
    move(&stage, 2);
    end = stage.log_counts[1];
    CHECK(end > first + 3);
    learn(&stage, 3, 1);
    for (uint32_t lost = first; lost < end; lost++) {
        struct logged *logged = stage.logs[1] + lost;
        const uint64_t number = logged->number;

        logged->number = UINT64_MAX;
        (void)begin_by_log(&stage, 1);
        CHECK(stage.roles[1].layout.id == 0 && stage.roles[1].clock == 0);
        CHECK_INT(stage.roles[1].tables[0].counts.rows, 0);
        logged->number = number;
        for (size_t at = lost % 9; at < logged->bytes.size; at += 1 + logged->bytes.size / 3) {
            logged->bytes.data[at] ^= 0x21; /* rows may be other ones */
            (void)begin_by_log(&stage, 1);
            logged->bytes.data[at] ^= 0x21;
        }
    }
    CHECK(begin_by_log(&stage, 1) == STATUS_NOT_FOUND);
    check_rows(&stage, 4);
    finish(&stage);
}

/* Also of one that goes on where the last one was given up. */
static void a_move_that_is_given_up_leaves_nothing_in_the_log(void **state)
{
    struct stage stage;
    struct slice bytes;
    (void)state;

    begin_in_step(&stage, 3, 2);
    learn(&stage, 0, 1);
    copy(&stage, 3);
    CHECK(find_logged(&stage, 2, step_log_move(0, 1), &bytes));
    for (uint32_t s = 0; s < 3; s++)
        say_layout(&stage, s, 0, 2);
    for (uint32_t entry = 0; entry < 3; entry++)
        CHECK(!find_logged(&stage, 2, step_log_move(0, entry), &bytes));
    learn(&stage, 1, 1);
    move(&stage, 3);
    learn(&stage, 2, 1);
    for (uint32_t s = 0; s < 3; s++)
        CHECK(begin_by_log(&stage, s) == STATUS_NOT_FOUND);
    check_rows(&stage, 3);
    finish(&stage);
}

/* Steps are taken again from the first, in a layout that no snapshot has yet. */
static void a_layout_anew_is_in_the_log(void **state)
{
    struct stage stage;
    (void)state;

    begin_in_step(&stage, 2, 2);
    learn(&stage, 0, 2);
    for (uint32_t s = 0; s < 2; s++) {
        master_says(&stage, s,
                    (struct message){.type = MESSAGE_LAYOUT,
                                     .layout = {.layout = 9, .serving = 2, .is_anew = true}});
        for (uint32_t i = 0; stage.logs[s][i].number < step_log_move(0, 0); i++)
            stage.logs[s][i].number = UINT64_MAX; /* DROP */
    }
    learn(&stage, 0, 1);
    for (uint32_t s = 0; s < 2; s++) {
        CHECK(begin_by_log(&stage, s) == STATUS_NOT_FOUND);
        CHECK(stage.roles[s].layout.id == 9);
    }
    check_rows(&stage, 1);
    finish(&stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_and_counts_move_to_any_number_of_servers),
        cmocka_unit_test(buckets_move_by_themselves_where_a_layout_has_a_map),
        cmocka_unit_test(a_map_is_in_the_snapshot_and_a_part_of_it_is_enough),
        cmocka_unit_test(a_layout_that_is_none_changes_nothing),
        cmocka_unit_test(no_batch_is_counted_while_rows_move),
        cmocka_unit_test(a_move_that_is_given_up_leaves_nothing_behind),
        cmocka_unit_test(rows_of_a_server_that_has_counted_others_are_not_taken),
        cmocka_unit_test(who_was_not_prepared_keeps_what_it_has_all_of_or_begins_empty),
        cmocka_unit_test(what_is_pushed_after_it_was_copied_is_fetched),
        cmocka_unit_test(what_was_copied_of_a_process_that_is_gone_is_fetched_anew),
        cmocka_unit_test(a_snapshot_has_no_copies),
        cmocka_unit_test(a_connection_that_is_lost_meanwhile_is_made_again_from_the_first_row),
        cmocka_unit_test(requests_for_rows_out_of_turn_end_their_connection),
        cmocka_unit_test(a_server_without_room_says_so),
        cmocka_unit_test(a_server_may_have_more_while_rows_move_to_more_servers),
        cmocka_unit_test(a_batch_takes_the_memory_of_copies),
        cmocka_unit_test(each_server_has_its_part_of_the_memory),
        cmocka_unit_test(a_later_process_goes_through_moves_again),
        cmocka_unit_test(a_server_that_has_all_for_a_move_has_it_again),
        cmocka_unit_test(a_move_whose_log_is_not_whole_has_not_taken_place),
        cmocka_unit_test(a_move_that_is_given_up_leaves_nothing_in_the_log),
        cmocka_unit_test(a_layout_anew_is_in_the_log),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
