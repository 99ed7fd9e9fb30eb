#include "tests/outbox_check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/ps/server/server_role.h"
#include "runtime/ps/server/server_save.h"

#define JOB    ((uint64_t)7)
#define TABLES 2
#define WIDTH  2 /* width of the second table; the first has 1 */
#define ROWS   3 /* rows of each table in a message */
#define WORKER ((peer_id)1)
#define PIECE  64

/* A worker's batch: the same ids of both tables. */
struct batch {
    uint32_t counts[TABLES];
    uint64_t ids[TABLES * ROWS];
    uint32_t seen[TABLES * ROWS];
    float gradient[ROWS * (1 + WIDTH)];
};

struct stage {
    struct server_role role;
    struct outbox outbox;
    struct batch batch;
};

static struct server_options options_of(const struct row_table_options *tables)
{
    return (struct server_options){.job = JOB,
                                   .identity = 11,
                                   .index = 0,
                                   .incarnation = 3,
                                   .server_count = 2,
                                   .master = "unix:m",
                                   .address = "unix:s",
                                   .tables = tables,
                                   .table_count = TABLES,
                                   .memory_limit = UINT64_MAX,
                                   .alive_ms = 1000,
                                   .reconnect_ms = 50,
                                   .search_ms = 60000,
                                   .snapshot_ms = 500,
                                   .piece_bytes = PIECE};
}

static const struct row_table_options tables[TABLES] = {
    {.number = 0, .width = 1, .settings = {.optimizer = OPTIMIZER_SGD, .learning_rate = 1}},
    {.number = 1, .width = WIDTH, .settings = {.optimizer = OPTIMIZER_SGD, .learning_rate = 1}},
};

static const struct server_layout two_servers = {.serving = 2};

/* Rows that server 0 of 2 has. */
static void fill_batch(struct batch *batch)
{
    uint32_t row = 0;

    *batch = (struct batch){.counts = {ROWS, ROWS}};
    for (uint32_t t = 0; t < TABLES; t++)
        for (uint64_t id = 0; row < (t + 1) * ROWS; id++)
            if (server_of_row(&two_servers, t, id) == 0)
                batch->ids[row++] = id;
    for (uint32_t i = 0; i < ROWS; i++) {
        batch->seen[i] = batch->seen[ROWS + i] = 1 + i;
    }
    for (uint32_t i = 0; i < ROWS * (1 + WIDTH); i++)
        batch->gradient[i] = 1;
}

static void begin_with(struct stage *stage, const struct server_options *options)
{
    struct error err;

    outbox_init(&stage->outbox);
    fill_batch(&stage->batch);
    CHECK_OK(server_role_init(&stage->role, options, &err));
    server_role_start(&stage->role, 1000, &stage->outbox);
}

static void begin(struct stage *stage)
{
    const struct server_options options = options_of(tables);

    begin_with(stage, &options);
    outbox_clear(&stage->outbox);
}

static void finish(struct stage *stage)
{
    server_role_deinit(&stage->role);
    outbox_deinit(&stage->outbox);
}

/* The messages of the role; nothing before is kept. */
static void send_from(struct stage *stage, peer_id from, struct message message)
{
    message.job = JOB;
    outbox_clear(&stage->outbox);
    server_role_on_message(&stage->role, 1000, from, &message, &stage->outbox);
}

static struct message answer(const struct stage *stage, peer_id to, enum message_type type)
{
    struct message message;

    if (!outbox_find(&stage->outbox, to, type, 0, &message))
        check_failed("no %s", message_name(type));
    return message;
}

static bool is_closed(const struct stage *stage, peer_id peer)
{
    return outbox_closes(&stage->outbox, peer);
}

#define BYTES(array) ((struct slice){(const char *)(array), sizeof(array)})

static struct message pull_of(const struct batch *batch)
{
    return (struct message){
        .type = MESSAGE_PULL,
        .pull = {.request = 5, .counts = BYTES(batch->counts), .ids = BYTES(batch->ids)}};
}

static struct message push_of(const struct batch *batch, uint64_t shard, uint32_t number)
{
    return (struct message){.type = MESSAGE_PUSH,
                            .push = {.shard = shard,
                                     .batch = number,
                                     .counts = BYTES(batch->counts),
                                     .ids = BYTES(batch->ids),
                                     .seen = BYTES(batch->seen),
                                     .gradient = BYTES(batch->gradient)}};
}

static void resume_as(struct stage *stage, peer_id peer, uint32_t index, uint32_t incarnation)
{
    send_from(stage, peer,
              (struct message){.type = MESSAGE_RESUME,
                               .resume = {.index = index, .incarnation = incarnation, .shard = 4}});
}

static void pull_and_push(struct stage *stage, uint64_t shard, uint32_t number)
{
    send_from(stage, WORKER, pull_of(&stage->batch));
    (void)answer(stage, WORKER, MESSAGE_PULLED);
    send_from(stage, WORKER, push_of(&stage->batch, shard, number));
}

/* ---- what it does ---- */

static void a_server_says_what_it_has(void **state)
{
    struct stage stage;
    const struct server_options options = options_of(tables);
    struct message message;
    (void)state;

    begin_with(&stage, &options);
    CHECK_INT(stage.outbox.entries[0].kind, OUTBOX_CONNECT);
    message = answer(&stage, stage.role.master.peer, MESSAGE_SERVER);
    CHECK_INT(message.server.index, 0);
    CHECK_INT(message.server.incarnation, 3);
    CHECK_SLICE(message.server.address, "unix:s");
    CHECK_INT(message.server.counted.size, 0);
    finish(&stage);
}

static void a_batch_is_counted_once(void **state)
{
    struct stage stage;
    float values[ROWS * (1 + WIDTH)];
    (void)state;

    begin(&stage);
    resume_as(&stage, WORKER, 0, 0);
    CHECK_INT(answer(&stage, WORKER, MESSAGE_RESUMED).resumed.next, 0);
    for (int again = 0; again < 3; again++) {
        pull_and_push(&stage, 4, 0);
        CHECK_INT(answer(&stage, WORKER, MESSAGE_PUSHED).resumed.next, 1);
    }
    CHECK_INT(stage.role.clock, 1);
    CHECK_INT(stage.role.counts.repeated, 2);
    pull_and_push(&stage, 4, 2); /* batch 1 is missing */
    CHECK_INT(answer(&stage, WORKER, MESSAGE_PUSHED).resumed.next, 1);
    pull_and_push(&stage, 4, 1);
    CHECK_INT(answer(&stage, WORKER, MESSAGE_PUSHED).resumed.next, 2);
    send_from(&stage, WORKER, pull_of(&stage.batch));
    const struct message pulled = answer(&stage, WORKER, MESSAGE_PULLED);

    CHECK_INT(pulled.pulled.request, 5);
    CHECK_INT(pulled.pulled.values.size, sizeof values);
    memcpy(values, pulled.pulled.values.data, sizeof values);
    for (uint32_t i = 0; i < ROWS * (1 + WIDTH); i++)
        assert_float_equal(values[i], -2, 0);
    finish(&stage);
}

static void a_stale_push_moves_less(void **state)
{
    struct server_options options = options_of(tables);
    struct stage stage;
    float value;
    (void)state;

    options.weighs_stale = true;
    begin_with(&stage, &options);
    resume_as(&stage, WORKER, 0, 0);
    resume_as(&stage, 2, 1, 0);
    send_from(&stage, 2, pull_of(&stage.batch));
    pull_and_push(&stage, 4, 0);
    pull_and_push(&stage, 4, 1); /* two since the pull of the other */
    send_from(&stage, 2, push_of(&stage.batch, 5, 0));
    (void)answer(&stage, 2, MESSAGE_PUSHED);
    row_table_pull(stage.role.tables, 3, (struct row_ids){stage.batch.ids, 1}, &value);
    assert_float_equal(value, -2.5, 0);
    finish(&stage);
}

/* All other workers push once while one computes. */
static void a_push_counts_in_full_where_all_are_as_fast(void **state)
{
    struct server_options options = options_of(tables);
    struct stage stage;
    float value;
    (void)state;

    options.weighs_stale = true;
    begin_with(&stage, &options);
    for (uint32_t w = 0; w < 3; w++) {
        resume_as(&stage, WORKER + w, w, 0);
        send_from(&stage, WORKER + w, pull_of(&stage.batch));
    }
    for (uint32_t w = 0; w < 3; w++) {
        send_from(&stage, WORKER + w, push_of(&stage.batch, 4 + w, 0));
        (void)answer(&stage, WORKER + w, MESSAGE_PUSHED);
    }
    row_table_pull(stage.role.tables, 3, (struct row_ids){stage.batch.ids, 1}, &value);
    assert_float_equal(value, -3, 0);
    finish(&stage);
}

/* ---- what it refuses ---- */

static void check_refused(struct stage *stage, struct message message)
{
    const uint64_t digest = server_role_digest(&stage->role);

    resume_as(stage, WORKER, 0, 0);
    send_from(stage, WORKER, pull_of(&stage->batch));
    send_from(stage, WORKER, message);
    CHECK(is_closed(stage, WORKER));
    CHECK_INT(stage->role.state, SERVER_SERVING);
    CHECK_INT(stage->role.peer_count, 0);
    CHECK(server_role_digest(&stage->role) == digest);
}

static void messages_that_do_not_fit_end_their_connection(void **state)
{
    struct stage stage;
    struct batch wrong;
    struct message message;
    (void)state;

    begin(&stage);
    wrong = stage.batch;
    wrong.ids[1] = wrong.ids[0];
    check_refused(&stage, push_of(&wrong, 4, 0));
    wrong = stage.batch;
    for (wrong.ids[ROWS - 1] = 100; server_of_row(&two_servers, 0, wrong.ids[ROWS - 1]) == 0;)
        wrong.ids[ROWS - 1]++;
    check_refused(&stage, push_of(&wrong, 4, 0));
    wrong = stage.batch;
    wrong.seen[2] = 0;
    check_refused(&stage, push_of(&wrong, 4, 0));
    wrong = stage.batch;
    wrong.counts[1] = UINT32_MAX;
    check_refused(&stage, push_of(&wrong, 4, 0));
    wrong.counts[1] = ROWS - 1;
    check_refused(&stage, push_of(&wrong, 4, 0));
    message = push_of(&stage.batch, 4, 0);
    message.push.gradient.size -= sizeof(float);
    check_refused(&stage, message);
    message = push_of(&stage.batch, 4, 0);
    message.push.seen.size -= sizeof(uint32_t);
    check_refused(&stage, message);
    message = push_of(&stage.batch, 4, 0);
    message.push.counts.size -= sizeof(uint32_t);
    check_refused(&stage, message);
    message = (struct message){.type = MESSAGE_GROUP_READY};
    check_refused(&stage, message);
    finish(&stage);
}

static void messages_out_of_turn_end_their_connection(void **state)
{
    struct stage stage;
    (void)state;

    begin(&stage);
    send_from(&stage, WORKER, pull_of(&stage.batch)); /* before RESUME */
    CHECK(is_closed(&stage, WORKER));
    resume_as(&stage, 2, 0, 0);
    send_from(&stage, 2, push_of(&stage.batch, 4, 0)); /* before a pull */
    CHECK(is_closed(&stage, 2));
    resume_as(&stage, 3, SERVER_WORKERS_MAX, 0);
    CHECK(is_closed(&stage, 3));
    CHECK_INT(stage.role.clock, 0);
    finish(&stage);
}

static void replaced_workers_are_refused(void **state)
{
    struct stage stage;
    (void)state;

    begin(&stage);
    resume_as(&stage, WORKER, 6, 1);
    send_from(&stage, stage.role.master.peer,
              (struct message){.type = MESSAGE_FORGET, .forget = {.index = 6, .incarnation = 1}});
    CHECK(is_closed(&stage, WORKER));
    resume_as(&stage, 2, 6, 1);
    CHECK(is_closed(&stage, 2));
    resume_as(&stage, 3, 6, 2);
    (void)answer(&stage, 3, MESSAGE_RESUMED);
    finish(&stage);
}

static void check_failed_job(struct stage *stage, enum status status, const char *text)
{
    const struct message message = answer(stage, stage->role.master.peer, MESSAGE_FAILED);

    CHECK_INT(message.failure.status, status);
    CHECK(strstr(stage->role.failure.message, text) != NULL);
    CHECK_INT(stage->role.state, SERVER_FAILED);
    CHECK_INT(stage->role.clock, 0);
}

static void numbers_that_are_not_finite_fail_the_job(void **state)
{
    struct stage stage;
    (void)state;

    begin(&stage);
    stage.batch.gradient[4] = NAN;
    resume_as(&stage, WORKER, 0, 0);
    pull_and_push(&stage, 4, 0);
    check_failed_job(&stage, STATUS_DIVERGED,
                     "learning went to numbers that are not finite in shard 4, batch 0");
    finish(&stage);
}

/* The first table's rows have room, the second's have not: none of them is moved. */
static void a_push_beyond_the_limit_changes_nothing(void **state)
{
    struct server_options options = options_of(tables);
    struct stage stage;
    uint64_t digest, bytes;
    (void)state;

    begin(&stage);
    resume_as(&stage, WORKER, 0, 0);
    pull_and_push(&stage, 4, 0);
    bytes = stage.role.memory.used;
    finish(&stage);
    options.memory_limit = bytes - 1;
    begin_with(&stage, &options);
    digest = server_role_digest(&stage.role);
    resume_as(&stage, WORKER, 0, 0);
    pull_and_push(&stage, 4, 0);
    check_failed_job(&stage, STATUS_LIMIT, "need more than its");
    CHECK(server_role_digest(&stage.role) == digest);
    finish(&stage);
}

/* The launcher that started it gives it more memory. */
static void a_server_that_may_grow_ends_without_a_word_to_its_master(void **state)
{
    struct server_options options = options_of(tables);
    const struct outbox_entry *last;
    struct stage stage;
    (void)state;

    options.may_grow = true;
    options.memory_limit = 1;
    begin_with(&stage, &options);
    resume_as(&stage, WORKER, 0, 0);
    pull_and_push(&stage, 4, 0);
    last = &stage.outbox.entries[stage.outbox.count - 1];
    CHECK_INT(last->kind, OUTBOX_END);
    CHECK_INT(last->status, STATUS_LIMIT);
    CHECK_INT(stage.role.state, SERVER_ENDED);
    CHECK(server_role_lacks_memory(&stage.role, STATUS_LIMIT));
    finish(&stage);
}

static void options_out_of_range_are_refused(void **state)
{
    struct server_options options = options_of(tables);
    struct server_role role;
    struct error err;
    (void)state;

    options.table_count = 0;
    CHECK_FAILS(server_role_init(&role, &options, &err), STATUS_INVALID,
                "a parameter server has 1 to 128 tables, not 0");
    server_role_deinit(&role);
    options = options_of(tables);
    options.index = 1024;
    CHECK_FAILS(server_role_init(&role, &options, &err), STATUS_INVALID,
                "parameter server 1024 of 2");
    server_role_deinit(&role);
    options = options_of(tables);
    options.staleness = SERVER_STALENESS_MAX + 1;
    CHECK_FAILS(server_role_init(&role, &options, &err), STATUS_INVALID, "a staleness of 1025");
    server_role_deinit(&role);
    options = options_of(tables + 1);
    options.table_count = 1;
    CHECK_FAILS(server_role_init(&role, &options, &err), STATUS_INVALID,
                "table 0 of a parameter server has number 1");
    server_role_deinit(&role);
}

/* It has no tables: what it was to serve could not be opened. */
static void a_server_without_rows_tells_its_master_why(void **state)
{
    struct server_options options = options_of(NULL);
    struct stage stage;
    struct error err, why;
    peer_id first;
    (void)state;

    options.table_count = 0;
    outbox_init(&stage.outbox);
    error_clear(&why);
    fail(&why, STATUS_UNSUPPORTED, "such rows");
    CHECK(server_role_init(&stage.role, &options, &err) == STATUS_INVALID);
    server_role_start_failed(&stage.role, 1000, &why, &stage.outbox);
    first = stage.role.master.peer;
    CHECK_INT(answer(&stage, first, MESSAGE_SERVER).server.counted.size, 0);
    CHECK_INT(answer(&stage, first, MESSAGE_FAILED).failure.status, STATUS_UNSUPPORTED);
    outbox_clear(&stage.outbox);
    server_role_on_message(&stage.role, 1000, WORKER, &(struct message){.type = MESSAGE_RESUME},
                           &stage.outbox);
    server_role_on_disconnect(&stage.role, 1100, first, &stage.outbox);
    server_role_on_tick(&stage.role, 2000, &stage.outbox);
    CHECK(stage.role.master.peer != first);
    CHECK_INT(answer(&stage, stage.role.master.peer, MESSAGE_FAILED).failure.status,
              STATUS_UNSUPPORTED);
    CHECK(!server_save_has_work(&stage.role));
    send_from(&stage, stage.role.master.peer, (struct message){.type = MESSAGE_END, .epoch = 1});
    CHECK_INT(stage.role.state, SERVER_ENDED);
    finish(&stage);
}

/* ---- snapshots ---- */

/* Takes one, with a push in the middle; its pieces one behind the other. */
static struct checkpoint take_snapshot(struct stage *stage, struct text *whole)
{
    struct checkpoint head = {0};

    server_role_on_tick(&stage->role, 2000, &stage->outbox);
    CHECK(server_save_has_work(&stage->role));
    while (server_save_has_work(&stage->role)) {
        outbox_clear(&stage->outbox);
        server_save_work(&stage->role, 2000, &stage->outbox);
        for (size_t i = 0; i < stage->outbox.count; i++) {
            const struct slice bytes = outbox_bytes(&stage->outbox, stage->outbox.entries + i);

            if (stage->outbox.entries[i].kind == OUTBOX_PIECE)
                text_append(whole, (struct slice){bytes.data + sizeof(struct piece_head),
                                                  bytes.size - sizeof(struct piece_head)});
            else if (stage->outbox.entries[i].kind == OUTBOX_FINISH)
                memcpy(&head, bytes.data, sizeof head);
        }
        if (stage->role.snapshot.table == 0 && stage->role.clock == 2)
            pull_and_push(stage, 4, 2);
    }
    return head;
}

static void a_server_goes_on_from_a_snapshot(void **state)
{
    struct server_options options = options_of(tables);
    struct stage stage, next;
    struct checkpoint head;
    struct text whole;
    struct error err;
    uint64_t digest;
    (void)state;

    text_init(&whole, TEXT_MAXIMUM);
    begin(&stage);
    resume_as(&stage, WORKER, 0, 0);
    pull_and_push(&stage, 4, 0);
    pull_and_push(&stage, 4, 1);
    digest = server_role_digest(&stage.role);
    head = take_snapshot(&stage, &whole);
    CHECK_INT(stage.role.clock, 3);
    CHECK_INT(head.bytes, whole.size);
    CHECK_INT(head.job, JOB);
    CHECK_INT(head.identity, 11);
    CHECK_OK(checkpoint_check(&head, &err));

    options.incarnation++;
    CHECK_OK(server_role_init(&next.role, &options, &err));
    outbox_init(&next.outbox);
    fill_batch(&next.batch);
    for (size_t at = 0; at < whole.size; at += PIECE) {
        const size_t left = whole.size - at, size = left < PIECE ? left : PIECE;

        CHECK_OK(server_save_restore(&next.role, (struct slice){whole.data + at, size},
                                     size == left, &err));
    }
    CHECK(server_role_digest(&next.role) == digest);
    server_role_start(&next.role, 1000, &next.outbox);
    CHECK_INT(answer(&next, next.role.master.peer, MESSAGE_SERVER).server.counted.size,
              5 * sizeof(uint32_t));
    resume_as(&next, WORKER, 0, 0);
    CHECK_INT(answer(&next, WORKER, MESSAGE_RESUMED).resumed.next, 2);
    pull_and_push(&next, 4, 2);
    CHECK(server_role_digest(&next.role) == server_role_digest(&stage.role));
    finish(&next);
    finish(&stage);
    text_deinit(&whole);
}

static enum status restored(struct slice bytes, struct error *err)
{
    const struct server_options options = options_of(tables);
    struct server_role role;
    enum status status;

    if (server_role_init(&role, &options, err) != STATUS_OK)
        check_failed("%s", err->message);
    status = server_save_restore(&role, bytes, true, err);
    server_role_deinit(&role);
    return status;
}

static void a_server_that_goes_saves_what_was_pushed(void **state)
{
    struct stage stage;
    (void)state;

    begin(&stage);
    server_save_begin(&stage.role, 1000);
    CHECK(!server_save_has_work(&stage.role));
    resume_as(&stage, WORKER, 0, 0);
    pull_and_push(&stage, 4, 0);
    server_save_begin(&stage.role, 1000);
    CHECK(server_save_has_work(&stage.role));
    while (server_save_has_work(&stage.role))
        server_save_work(&stage.role, 1000, &stage.outbox);
    server_save_begin(&stage.role, 1000);
    CHECK(!server_save_has_work(&stage.role));
    finish(&stage);
}

/* One that begins at 2000 and takes 300 ms is followed after ten times as long, not by the clock
 * alone, which would be after 500 ms. */
static void snapshots_take_a_tenth_of_the_time_at_most(void **state)
{
    struct stage stage;
    (void)state;

    begin(&stage);
    resume_as(&stage, WORKER, 0, 0);
    pull_and_push(&stage, 4, 0);
    server_role_on_tick(&stage.role, 2000, &stage.outbox);
    while (server_save_has_work(&stage.role))
        server_save_work(&stage.role, 2300, &stage.outbox);
    pull_and_push(&stage, 4, 1);
    server_role_on_tick(&stage.role, 4999, &stage.outbox);
    CHECK(!server_save_has_work(&stage.role));
    server_role_on_tick(&stage.role, 5000, &stage.outbox);
    CHECK(server_save_has_work(&stage.role));
    finish(&stage);
}

static uint32_t rows_said(const struct message *message)
{
    uint32_t sum = 0;

    CHECK_INT(message->load.rows.size, BUCKETS_PER_TABLE * sizeof sum);
    for (uint32_t b = 0; b < BUCKETS_PER_TABLE; b++) {
        uint32_t rows;

        memcpy(&rows, message->load.rows.data + b * sizeof rows, sizeof rows);
        sum += rows;
    }
    return sum;
}

static void a_server_says_which_rows_were_pulled_lately(void **state)
{
    struct stage stage;
    struct message message;
    (void)state;

    begin(&stage);
    stage.role.options.load_ms = 500;
    resume_as(&stage, WORKER, 0, 0);
    pull_and_push(&stage, 4, 0);
    pull_and_push(&stage, 4, 1);
    message = pull_of(&stage.batch);
    message.pull.is_reading = true; /* a worker that collects */
    send_from(&stage, WORKER, message);
    server_load_note_busy(&stage.role.load, 700);
    outbox_clear(&stage.outbox);
    server_role_on_tick(&stage.role, 1499, &stage.outbox);
    CHECK_INT(stage.role.load.busy_us, 700); /* it is not due */
    server_role_on_tick(&stage.role, 1500, &stage.outbox);
    message = answer(&stage, stage.role.master.peer, MESSAGE_LOAD);
    CHECK_INT(rows_said(&message), 2 * TABLES * ROWS);
    CHECK(message.load.ms == 500 && message.load.busy_us == 700 && message.load.layout == 0);
    outbox_clear(&stage.outbox);
    server_role_on_tick(&stage.role, 2000, &stage.outbox);
    message = answer(&stage, stage.role.master.peer, MESSAGE_LOAD);
    CHECK(rows_said(&message) == 0 && message.load.busy_us == 0);
    finish(&stage);
}

static void a_row_weighs_by_its_floats(void **state)
{
    struct row_table table = {.options = {.number = 3, .width = 4 * LOAD_FLOATS}};
    const uint64_t ids[] = {7, 1000};
    struct server_load load;
    (void)state;

    server_load_begin(&load, 0);
    server_load_note(&load, &table, (struct row_ids){ids, 2});
    CHECK_INT(load.rows[row_bucket_of(3, row_hash(7))], 5);
    CHECK_INT(load.rows[row_bucket_of(3, row_hash(1000))], 5);
}

static void damaged_snapshots_are_refused(void **state)
{
    struct stage stage;
    struct text whole;
    struct error err;
    (void)state;

    text_init(&whole, TEXT_MAXIMUM);
    begin(&stage);
    resume_as(&stage, WORKER, 0, 0);
    pull_and_push(&stage, 4, 0);
    (void)take_snapshot(&stage, &whole);
    finish(&stage);
    CHECK_OK(restored(text_slice(&whole), &err));
    for (size_t size = 0; size < whole.size; size += 1 + size / 64)
        CHECK_FAILS(restored((struct slice){whole.data, size}, &err), STATUS_CORRUPT, "damaged");
    text_append_char(&whole, 0);
    CHECK_FAILS(restored(text_slice(&whole), &err), STATUS_CORRUPT, "damaged");
    whole.size--;
    whole.data[0] ^= 1;
    CHECK_FAILS(restored(text_slice(&whole), &err), STATUS_CORRUPT, "damaged");
    text_deinit(&whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_server_says_what_it_has),
        cmocka_unit_test(a_batch_is_counted_once),
        cmocka_unit_test(a_stale_push_moves_less),
        cmocka_unit_test(a_push_counts_in_full_where_all_are_as_fast),
        cmocka_unit_test(messages_that_do_not_fit_end_their_connection),
        cmocka_unit_test(messages_out_of_turn_end_their_connection),
        cmocka_unit_test(replaced_workers_are_refused),
        cmocka_unit_test(numbers_that_are_not_finite_fail_the_job),
        cmocka_unit_test(a_push_beyond_the_limit_changes_nothing),
        cmocka_unit_test(a_server_that_may_grow_ends_without_a_word_to_its_master),
        cmocka_unit_test(options_out_of_range_are_refused),
        cmocka_unit_test(a_server_without_rows_tells_its_master_why),
        cmocka_unit_test(a_server_goes_on_from_a_snapshot),
        cmocka_unit_test(a_server_that_goes_saves_what_was_pushed),
        cmocka_unit_test(snapshots_take_a_tenth_of_the_time_at_most),
        cmocka_unit_test(a_server_says_which_rows_were_pulled_lately),
        cmocka_unit_test(a_row_weighs_by_its_floats),
        cmocka_unit_test(damaged_snapshots_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
