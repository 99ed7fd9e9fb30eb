/*
 * Steps that all lanes take together, on one server: what rows become, which rows a lane pulls, and
 * what a later process finds in the log.
 */
#include "tests/outbox_check.h"

#include <string.h>

#include "runtime/ps/server/server_role.h"
#include "runtime/ps/server/server_save.h"

#define JOB     ((uint64_t)7)
#define LANES   3
#define BATCHES 2
#define WIDTH   2
#define ROWS    2 /* rows of a lane's push */

static const struct row_table_options table = {
    .number = 0, .width = WIDTH, .settings = {.optimizer = OPTIMIZER_SGD, .learning_rate = 1}};

/* A lane's push: its first row is row 0 of all lanes, its second the lane's own. */
struct lane {
    uint32_t count;
    uint64_t ids[ROWS];
    uint32_t seen[ROWS];
    float gradient[ROWS * WIDTH];
};

/* Their sum in the order of lanes is 1; in any other it is 0. */
static const float parts[LANES] = {1e8f, -1e8f, 1};

struct stage {
    struct server_role role;
    struct outbox outbox;
    struct text log; /* the entry that was put last, without its number */
    uint64_t logged;
};

static struct server_options options_of(int64_t snapshot_ms)
{
    return (struct server_options){.job = JOB,
                                   .incarnation = 3,
                                   .server_count = 1,
                                   .master = "unix:m",
                                   .address = "unix:s",
                                   .tables = &table,
                                   .table_count = 1,
                                   .memory_limit = UINT64_MAX,
                                   .lanes = LANES,
                                   .batches = BATCHES,
                                   .alive_ms = 1000,
                                   .reconnect_ms = 50,
                                   .snapshot_ms = snapshot_ms,
                                   .piece_bytes = 64};
}

static void begin_with(struct stage *stage, int64_t snapshot_ms)
{
    const struct server_options options = options_of(snapshot_ms);
    struct error err;

    *stage = (struct stage){.logged = UINT64_MAX};
    outbox_init(&stage->outbox);
    text_init(&stage->log, TEXT_MAXIMUM);
    CHECK_OK(server_role_init(&stage->role, &options, &err));
    server_role_start(&stage->role, 1000, &stage->outbox);
}

static void begin(struct stage *stage)
{
    begin_with(stage, 500);
}

static void finish(struct stage *stage)
{
    server_role_deinit(&stage->role);
    outbox_deinit(&stage->outbox);
    text_deinit(&stage->log);
}

static void note_log(struct stage *stage, struct slice bytes)
{
    memcpy(&stage->logged, bytes.data, sizeof stage->logged);
    text_clear(&stage->log);
    text_append(&stage->log, (struct slice){bytes.data + sizeof stage->logged,
                                            bytes.size - sizeof stage->logged});
}

static void send_from(struct stage *stage, peer_id from, struct message message)
{
    message.job = JOB;
    outbox_clear(&stage->outbox);
    server_role_on_message(&stage->role, 1000, from, &message, &stage->outbox);
    for (size_t i = 0; i < stage->outbox.count; i++)
        if (stage->outbox.entries[i].kind == OUTBOX_LOG)
            note_log(stage, outbox_bytes(&stage->outbox, stage->outbox.entries + i));
}

static bool find(const struct stage *stage, peer_id to, enum message_type type,
                 struct message *message)
{
    return outbox_find(&stage->outbox, to, type, 0, message);
}

static bool is_closed(const struct stage *stage, peer_id peer)
{
    return outbox_closes(&stage->outbox, peer);
}

#define BYTES(array) ((struct slice){(const char *)(array), sizeof(array)})

static struct lane lane_of(uint32_t lane)
{
    return (struct lane){.count = ROWS,
                         .ids = {0, 1 + lane},
                         .seen = {1, 1},
                         .gradient = {parts[lane], parts[lane], 2, 2}};
}

/* Worker w has its connection 1 + w. */
static void resume(struct stage *stage, peer_id peer, uint64_t shard)
{
    struct message message;

    send_from(
        stage, peer,
        (struct message){
            .type = MESSAGE_RESUME,
            .resume = {.index = (uint32_t)peer, .shard = shard, .layout = stage->role.layout.id}});
    CHECK(find(stage, peer, MESSAGE_RESUMED, &message));
    CHECK_INT(message.resumed.step, stage->role.clock);
}

static void ask(struct stage *stage, peer_id peer, uint32_t lane, uint64_t step)
{
    const struct lane of = lane_of(lane);
    const uint32_t counts[1] = {ROWS};

    send_from(
        stage, peer,
        (struct message){
            .type = MESSAGE_PULL,
            .pull = {.request = 5, .step = step, .counts = BYTES(counts), .ids = BYTES(of.ids)}});
}

/* The first number of row 0, as it was pulled. */
static float pulled(const struct stage *stage, peer_id peer)
{
    struct message message;
    float value;

    CHECK(find(stage, peer, MESSAGE_PULLED, &message));
    CHECK_INT(message.pulled.values.size, ROWS * WIDTH * sizeof value);
    memcpy(&value, message.pulled.values.data, sizeof value);
    return value;
}

static void push(struct stage *stage, peer_id peer, uint64_t shard, uint32_t batch)
{
    const struct lane of = lane_of((uint32_t)(shard % LANES));
    const uint32_t counts[1] = {ROWS};

    send_from(stage, peer,
              (struct message){.type = MESSAGE_PUSH,
                               .push = {.shard = shard,
                                        .batch = batch,
                                        .counts = BYTES(counts),
                                        .ids = BYTES(of.ids),
                                        .seen = BYTES(of.seen),
                                        .gradient = BYTES(of.gradient)}});
}

/* One worker does this lane of the step that the server is at. */
static void take_lane(struct stage *stage, peer_id peer, uint64_t shard, uint32_t batch)
{
    struct message message;

    resume(stage, peer, shard);
    ask(stage, peer, (uint32_t)(shard % LANES), shard / LANES * BATCHES + batch);
    (void)pulled(stage, peer);
    push(stage, peer, shard, batch);
    CHECK(find(stage, peer, MESSAGE_PUSHED, &message));
    CHECK_INT(message.resumed.next, batch + 1);
}

static void take_step(struct stage *stage, uint32_t step)
{
    for (uint32_t lane = 0; lane < LANES; lane++)
        take_lane(stage, 1, step / BATCHES * LANES + lane, step % BATCHES);
}

static float row_of(struct stage *stage, uint64_t id)
{
    float values[WIDTH];

    row_table_pull(stage->role.tables, (uint32_t)stage->role.clock, (struct row_ids){&id, 1},
                   values);
    CHECK(values[0] == values[1]);
    return values[0];
}

/* ---- a step ---- */

static void lanes_are_summed_in_their_order_whatever_order_they_come_in(void **state)
{
    static const uint32_t orders[][LANES] = {{0, 1, 2}, {2, 1, 0}, {1, 2, 0}, {0, 2, 1}};
    (void)state;

    for (size_t o = 0; o < sizeof orders / sizeof *orders; o++) {
        struct stage stage;

        begin(&stage);
        for (uint32_t i = 0; i < LANES; i++) {
            CHECK_INT(stage.role.clock, 0);
            take_lane(&stage, 1 + i, orders[o][i], 0);
        }
        CHECK_INT(stage.role.clock, 1);
        CHECK(row_of(&stage, 0) == -1);
        for (uint64_t id = 1; id <= LANES; id++)
            CHECK(row_of(&stage, id) == -2);
        for (uint32_t lane = 0; lane < LANES; lane++)
            CHECK_INT(shard_counts_of(&stage.role.shards, lane), 1);
        finish(&stage);
    }
}

static void a_lane_is_counted_once(void **state)
{
    struct stage stage;
    (void)state;

    begin(&stage);
    take_lane(&stage, 1, 0, 0);
    take_lane(&stage, 2, 0, 0); /* another worker, of a step that is not whole */
    CHECK_INT(stage.role.counts.repeated, 1);
    take_lane(&stage, 1, 1, 0);
    CHECK_INT(stage.role.clock, 0);
    take_lane(&stage, 1, 2, 0);
    CHECK_INT(stage.role.clock, 1);
    take_lane(&stage, 2, 1, 0); /* and of one that is counted */
    CHECK_INT(stage.role.counts.repeated, 2);
    CHECK_INT(stage.role.clock, 1);
    CHECK(row_of(&stage, 0) == -1);
    finish(&stage);
}

static void a_pull_waits_for_the_lanes_before_its_step(void **state)
{
    struct stage stage;
    struct message message;
    (void)state;

    begin(&stage);
    resume(&stage, 9, 0);
    ask(&stage, 9, 0, 1);
    CHECK(!find(&stage, 9, MESSAGE_PULLED, &message));
    take_lane(&stage, 1, 0, 0);
    take_lane(&stage, 1, 1, 0);
    CHECK(!find(&stage, 9, MESSAGE_PULLED, &message));
    take_lane(&stage, 1, 2, 0);
    CHECK(pulled(&stage, 9) == -1);
    finish(&stage);
}

static void the_rows_before_the_last_step_can_be_pulled_and_no_older_ones(void **state)
{
    struct stage stage;
    struct message message;
    (void)state;

    begin(&stage);
    for (uint32_t step = 0; step < 3; step++) {
        take_step(&stage, step);
        resume(&stage, 2, 0);
        ask(&stage, 2, 0, step);
        CHECK(pulled(&stage, 2) == -(float)step);
        ask(&stage, 2, 0, step + 1);
        CHECK(pulled(&stage, 2) == -(float)(step + 1));
    }
    ask(&stage, 2, 0, 1);
    CHECK(!find(&stage, 2, MESSAGE_PULLED, &message) && is_closed(&stage, 2));
    finish(&stage);
}

static void a_push_of_a_step_that_is_to_come_is_refused(void **state)
{
    struct stage stage;
    (void)state;

    begin(&stage);
    for (uint32_t batch = 1; batch < 5; batch++) {
        resume(&stage, 1, 0);
        ask(&stage, 1, 0, 0);
        push(&stage, 1, batch == 1 ? 0 : LANES, batch);
        CHECK(is_closed(&stage, 1));
    }
    CHECK_INT(stage.role.clock, 0);
    finish(&stage);
}

/* ---- the log, and snapshots ---- */

static void a_later_process_counts_the_steps_of_the_log_again(void **state)
{
    struct stage first, second;
    struct error err;
    (void)state;

    begin(&first);
    begin(&second);
    for (uint32_t step = 0; step < 5; step++) {
        take_step(&first, step);
        CHECK_INT(first.logged, step);
        CHECK_OK(server_steps_count_again(&second.role, text_slice(&first.log), &err));
        CHECK_INT(second.role.clock, step + 1);
        CHECK(server_role_digest(&second.role) == server_role_digest(&first.role));
        resume(&second, 4, 0);
        ask(&second, 4, 0, step); /* it knows the rows before it, too */
        CHECK(pulled(&second, 4) == -(float)step);
    }
    finish(&first);
    finish(&second);
}

static void an_entry_that_does_not_fit_is_not_counted(void **state)
{
    struct stage first, second;
    struct error err;
    (void)state;

    begin(&first);
    take_step(&first, 0);
    begin(&second);
    for (size_t size = 0; size < first.log.size; size++) {
        struct slice cut = {first.log.data, size};

        CHECK(server_steps_count_again(&second.role, cut, &err) == STATUS_CORRUPT);
    }
    for (size_t at = 0; at < first.log.size; at++) {
        struct stage third;

        begin(&third);
        first.log.data[at] ^= 0x40; /* some of these are entries with other numbers */
        (void)server_steps_count_again(&third.role, text_slice(&first.log), &err);
        first.log.data[at] ^= 0x40;
        finish(&third);
    }
    second.role.layout.id = 5;
    CHECK(server_steps_count_again(&second.role, text_slice(&first.log), &err) == STATUS_NOT_FOUND);
    CHECK_INT(second.role.clock, 0);
    finish(&first);
    finish(&second);
}

static void without_snapshots_there_is_no_log(void **state)
{
    struct stage stage;
    (void)state;

    begin_with(&stage, 0);
    take_step(&stage, 0);
    CHECK(stage.logged == UINT64_MAX);
    finish(&stage);
}

/* All pieces of the snapshot that begins now. */
static void save(struct stage *stage, struct text *pieces)
{
    server_save_begin(&stage->role, 2000);
    while (server_save_has_work(&stage->role)) {
        outbox_clear(&stage->outbox);
        server_save_work(&stage->role, 2000, &stage->outbox);
        for (size_t i = 0; i < stage->outbox.count; i++) {
            const struct slice bytes = outbox_bytes(&stage->outbox, stage->outbox.entries + i);

            if (stage->outbox.entries[i].kind == OUTBOX_PIECE)
                text_append(pieces, (struct slice){bytes.data + sizeof(struct piece_head),
                                                   bytes.size - sizeof(struct piece_head)});
        }
    }
}

static void a_snapshot_has_the_rows_before_the_last_step(void **state)
{
    struct stage first, second;
    struct text pieces;
    struct error err;
    (void)state;

    begin(&first);
    text_init(&pieces, TEXT_MAXIMUM);
    for (uint32_t step = 0; step < 3; step++)
        take_step(&first, step);
    save(&first, &pieces);
    begin(&second);
    CHECK_OK(server_save_restore(&second.role, text_slice(&pieces), true, &err));
    CHECK_INT(second.role.clock, 3);
    resume(&second, 1, 3);
    ask(&second, 1, 0, 2);
    CHECK(pulled(&second, 1) == -2);
    ask(&second, 1, 0, 3);
    CHECK(pulled(&second, 1) == -3);
    text_deinit(&pieces);
    finish(&first);
    finish(&second);
}

/* ---- the master ---- */

static void a_server_says_which_steps_it_has_the_rows_before(void **state)
{
    struct stage stage;
    struct message message;
    (void)state;

    begin(&stage);
    take_step(&stage, 0);
    take_step(&stage, 1);
    send_from(&stage, stage.role.master.peer, (struct message){.type = MESSAGE_TELL});
    CHECK(find(&stage, stage.role.master.peer, MESSAGE_SERVER, &message));
    CHECK_INT(message.server.clock, 2);
    CHECK_INT(message.server.least, 1);
    finish(&stage);
}

static void a_layout_anew_drops_all_that_was_counted(void **state)
{
    struct stage stage;
    struct message message;
    bool has_dropped = false;
    (void)state;

    begin(&stage);
    take_step(&stage, 0);
    take_lane(&stage, 1, 0, 1);
    send_from(&stage, stage.role.master.peer,
              (struct message){.type = MESSAGE_LAYOUT,
                               .layout = {.layout = 4, .serving = 1, .is_anew = true}});
    for (size_t i = 0; i < stage.outbox.count; i++)
        has_dropped |= stage.outbox.entries[i].kind == OUTBOX_DROP;
    CHECK(has_dropped);
    CHECK(find(&stage, stage.role.master.peer, MESSAGE_SERVER, &message));
    CHECK_INT(message.server.layout, 4);
    CHECK_INT(message.server.clock, 0);
    CHECK(row_of(&stage, 0) == 0);
    take_step(&stage, 0);
    CHECK(row_of(&stage, 0) == -1);
    finish(&stage);
}

static void what_lanes_push_is_memory_of_the_rows(void **state)
{
    const uint64_t bytes = ROWS * (sizeof(uint64_t) + sizeof(uint32_t) + WIDTH * sizeof(float));
    struct message message;
    struct stage stage;
    uint64_t used;
    (void)state;

    begin(&stage);
    take_lane(&stage, 1, 0, 0);
    used = stage.role.memory.used;
    CHECK(used >= bytes); /* no row is made yet */
    take_lane(&stage, 1, 1, 0);
    CHECK(stage.role.memory.used >= used + bytes);
    resume(&stage, 1, 2);
    ask(&stage, 1, 2, 0);
    stage.role.memory.limit = stage.role.memory.used; /* and there is no room for one */
    push(&stage, 1, 2, 0);
    CHECK_INT(stage.role.state, SERVER_FAILED);
    CHECK(find(&stage, stage.role.master.peer, MESSAGE_FAILED, &message));
    CHECK_INT(message.failure.status, STATUS_LIMIT);
    finish(&stage);
}

static void lanes_beyond_the_most_are_refused(void **state)
{
    struct server_options options = options_of(0);
    struct server_role role;
    struct error err;
    (void)state;

    options.lanes = SERVER_LANES_MAX + 1;
    CHECK(server_role_init(&role, &options, &err) == STATUS_INVALID);
    server_role_deinit(&role);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_are_summed_in_their_order_whatever_order_they_come_in),
        cmocka_unit_test(a_lane_is_counted_once),
        cmocka_unit_test(a_pull_waits_for_the_lanes_before_its_step),
        cmocka_unit_test(the_rows_before_the_last_step_can_be_pulled_and_no_older_ones),
        cmocka_unit_test(a_push_of_a_step_that_is_to_come_is_refused),
        cmocka_unit_test(a_later_process_counts_the_steps_of_the_log_again),
        cmocka_unit_test(an_entry_that_does_not_fit_is_not_counted),
        cmocka_unit_test(without_snapshots_there_is_no_log),
        cmocka_unit_test(a_snapshot_has_the_rows_before_the_last_step),
        cmocka_unit_test(a_server_says_which_steps_it_has_the_rows_before),
        cmocka_unit_test(a_layout_anew_drops_all_that_was_counted),
        cmocka_unit_test(what_lanes_push_is_memory_of_the_rows),
        cmocka_unit_test(lanes_beyond_the_most_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
