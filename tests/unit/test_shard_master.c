#include "tests/outbox_check.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/ps/master/shard_master.h"

#define JOB      ((uint64_t)7)
#define WORKERS  2
#define SERVERS  2
#define SHARDS   3
#define BATCHES  4
#define DEAD_MS  1000
#define MOST     4 /* servers, where their number changes */
#define PAUSE_MS 500

struct stage {
    struct shard_master master;
    struct outbox outbox;
    int64_t now_ms;
};

static void begin_with_lanes(struct stage *stage, uint32_t server_most, uint32_t lanes)
{
    const struct shard_master_options options = {
        .crew.job = JOB,
        .identity = 99,
        .crew.incarnation = 3,
        .crew.max_workers = WORKERS,
        .server_count = SERVERS,
        .crew.servers = server_most,
        .pause_ms = PAUSE_MS,
        .crew.min_workers = 1,
        .leases_per_worker = 2,
        .lanes = lanes,
        .crew.dead_ms = DEAD_MS,
        .crew.report_ms = 1000000,
        .crew.facts.started_at = "",
    };
    struct error err;

    stage->now_ms = 100;
    outbox_init(&stage->outbox);
    CHECK_OK(shard_master_init(&stage->master, &options, stage->now_ms, &stage->outbox, &err));
}

static void begin_with(struct stage *stage, uint32_t server_most)
{
    begin_with_lanes(stage, server_most, 0);
}

static void begin(struct stage *stage)
{
    begin_with(stage, 0);
}

static void finish(struct stage *stage)
{
    shard_master_deinit(&stage->master);
    outbox_deinit(&stage->outbox);
}

/* Nothing that was sent before is kept. */
static void send_from(struct stage *stage, peer_id from, struct message message)
{
    message.job = JOB;
    outbox_clear(&stage->outbox);
    shard_master_on_message(&stage->master, stage->now_ms, from, &message, &stage->outbox);
}

static struct message_hello hello_of(uint32_t index, uint32_t incarnation)
{
    return (struct message_hello){.index = index,
                                  .incarnation = incarnation,
                                  .is_staging = true,
                                  .shards = SHARDS,
                                  .epochs = 1,
                                  .batches = BATCHES,
                                  .rows = 300};
}

static void hello(struct stage *stage, peer_id from, uint32_t index, uint32_t incarnation)
{
    send_from(stage, from,
              (struct message){.type = MESSAGE_HELLO, .hello = hello_of(index, incarnation)});
}

static void server(struct stage *stage, peer_id from, uint32_t index, uint32_t incarnation,
                   const uint32_t *counted, uint32_t count)
{
    const struct slice bytes = {(const char *)counted, count * sizeof *counted};

    send_from(stage, from,
              (struct message){.type = MESSAGE_SERVER,
                               .server = {.index = index,
                                          .incarnation = incarnation,
                                          .counted = bytes,
                                          .serving = SERVERS,
                                          .address = SLICE("unix:s")}});
}

/* How many messages of this type go to a peer; the last one. */
static uint32_t sent(const struct stage *stage, peer_id to, enum message_type type,
                     struct message *last)
{
    uint32_t count = 0;

    for (size_t i = 0; i < stage->outbox.count; i++) {
        const struct outbox_entry *entry = &stage->outbox.entries[i];
        struct message message;
        struct error err;

        if (entry->kind != OUTBOX_SEND || entry->peer != to)
            continue;
        CHECK_OK(message_read(outbox_bytes(&stage->outbox, entry), &message, &err));
        CHECK(message.job == JOB && message.epoch == (uint64_t)3 << 32);
        if (message.type != type)
            continue;
        count++;
        if (last)
            *last = message;
    }
    return count;
}

static uint32_t count_kind(const struct stage *stage, enum outbox_kind kind)
{
    return outbox_count(&stage->outbox, kind);
}

/* A shard of 100 rows, whose loss is 2 each. */
static void done(struct stage *stage, peer_id from, uint64_t lease, uint64_t roster)
{
    send_from(
        stage, from,
        (struct message){.type = MESSAGE_SHARD_DONE,
                         .shard_done = {.id = lease, .roster = roster, .rows = 100, .loss = 200}});
}

static void snapshot(struct stage *stage, peer_id from, uint64_t id, uint64_t offset,
                     struct slice bytes)
{
    send_from(stage, from,
              (struct message){.type = MESSAGE_SNAPSHOT,
                               .snapshot = {.id = id,
                                            .phase = 12,
                                            .step = 12,
                                            .total = bytes.size ? 10 : 0,
                                            .offset = offset,
                                            .bytes = bytes}});
}

/* Both servers and a worker are there. */
static void join(struct stage *stage)
{
    server(stage, 1, 0, 0, NULL, 0);
    server(stage, 2, 1, 0, NULL, 0);
    hello(stage, 3, 0, 0);
}

static void a_worker_gets_servers_and_leases(void **state)
{
    struct message message;
    struct stage stage;
    (void)state;

    begin(&stage);
    join(&stage);
    CHECK_INT(sent(&stage, 3, MESSAGE_SERVERS, &message), 1);
    CHECK(message.servers.roster == stage.master.roster);
    CHECK_INT(message.servers.server_count, SERVERS);
    CHECK_INT(sent(&stage, 3, MESSAGE_LEASE, &message), 2);
    CHECK_INT(message.lease.first, 1);
    CHECK(message.lease.id > (uint64_t)3 << 32);
    done(&stage, 3, message.lease.id - 1, stage.master.roster);
    CHECK_INT(sent(&stage, 3, MESSAGE_LEASE, &message), 1);
    CHECK_INT(message.lease.first, 2);
    hello(&stage, 4, 1, 0);
    CHECK_INT(sent(&stage, 4, MESSAGE_LEASE, &message), 1); /* none is left: it shares one */
    CHECK_INT(message.lease.first, 2);
    outbox_clear(&stage.outbox);
    shard_master_on_disconnect(&stage.master, stage.now_ms, 3, &stage.outbox);
    CHECK_INT(sent(&stage, 4, MESSAGE_LEASE, &message), 1); /* the other of the one that is lost */
    CHECK_INT(message.lease.first, 1);
    finish(&stage);
}

static void who_has_nothing_to_do_shares_a_shard_and_the_first_has_done_it(void **state)
{
    struct message message, shared;
    struct stage stage;
    (void)state;

    begin(&stage);
    join(&stage);
    CHECK_INT(sent(&stage, 3, MESSAGE_LEASE, &message), 2);
    done(&stage, 3, message.lease.id - 1, stage.master.roster);
    CHECK_INT(sent(&stage, 3, MESSAGE_LEASE, NULL), 1); /* it has shards 1 and 2 */
    hello(&stage, 4, 1, 0);
    CHECK_INT(sent(&stage, 4, MESSAGE_LEASE, &shared), 1);
    CHECK_INT(shared.lease.first, 2); /* the one that is not begun */
    done(&stage, 4, shared.lease.id, stage.master.roster);
    CHECK_INT(stage.master.board.done, 2);
    CHECK_INT(sent(&stage, 4, MESSAGE_LEASE, &shared), 1);
    CHECK_INT(shared.lease.first, 1);
    done(&stage, 4, shared.lease.id, stage.master.roster);
    CHECK_INT(sent(&stage, 4, MESSAGE_LEASE, &shared), 1); /* not who still computes */
    CHECK_INT(shared.lease.first, SHARDS);
    done(&stage, 3, message.lease.id, stage.master.roster);
    CHECK_INT(stage.master.board.done, SHARDS);
    CHECK_INT(sent(&stage, 3, MESSAGE_LEASE, NULL), 0);
    finish(&stage);
}

static void a_shared_shard_stays_with_who_is_left(void **state)
{
    struct message message, shared;
    struct stage stage;
    (void)state;

    begin(&stage);
    join(&stage);
    CHECK_INT(sent(&stage, 3, MESSAGE_LEASE, &message), 2);
    done(&stage, 3, message.lease.id - 1, stage.master.roster);
    hello(&stage, 4, 1, 0);
    CHECK_INT(sent(&stage, 4, MESSAGE_LEASE, &shared), 1);
    outbox_clear(&stage.outbox);
    shard_master_on_disconnect(&stage.master, stage.now_ms, 4, &stage.outbox);
    CHECK_INT(sent(&stage, 3, MESSAGE_LEASE, NULL), 0);
    CHECK_INT(stage.master.board.lease_count, 2);
    hello(&stage, 5, 1, 1);
    CHECK_INT(sent(&stage, 5, MESSAGE_LEASE, &shared), 1);
    done(&stage, 5, shared.lease.id, stage.master.roster - 1); /* by an older roster */
    CHECK_INT(stage.master.board.lease_count, 3);              /* it is shared once more */
    finish(&stage);
}

static void a_shard_by_an_older_roster_is_done_again(void **state)
{
    const uint32_t counted[] = {BATCHES, BATCHES - 1};
    uint64_t roster;
    struct message message;
    struct stage stage;
    (void)state;

    begin(&stage);
    join(&stage);
    roster = stage.master.roster;
    CHECK_INT(sent(&stage, 3, MESSAGE_LEASE, &message), 2);
    done(&stage, 3, message.lease.id - 1, roster);
    done(&stage, 3, message.lease.id, roster);
    CHECK_INT(stage.master.board.done, 2);
    server(&stage, 5, 1, 1, counted, 2); /* another process, from a snapshot */
    CHECK(stage.master.roster > roster);
    CHECK_INT(stage.master.board.done, 1);
    CHECK_INT(stage.master.board.reopened, 1);
    CHECK_INT(sent(&stage, 3, MESSAGE_SERVERS, NULL), 1);
    CHECK_INT(sent(&stage, 3, MESSAGE_LEASE, &message), 1);
    done(&stage, 3, message.lease.id, roster);
    CHECK_INT(stage.master.late, 1);
    CHECK_INT(stage.master.board.done, 1);
    CHECK_INT(sent(&stage, 3, MESSAGE_LEASE, &message), 1);
    server(&stage, 6, 1, 1, counted, 2); /* the same process over another connection */
    CHECK_INT(count_kind(&stage, OUTBOX_CLOSE), 1);
    CHECK_INT(stage.master.roster, roster + 1);
    finish(&stage);
}

/* All shards are done; the lease of what lies behind them. */
static uint64_t learn_all(struct stage *stage)
{
    struct message message;

    join(stage);
    for (uint64_t lease = stage->master.crew.epoch + 1; lease <= stage->master.crew.epoch + SHARDS;
         lease++)
        done(stage, 3, lease, stage->master.roster);
    CHECK_INT(sent(stage, 3, MESSAGE_LEASE, &message), 1);
    CHECK_INT(message.lease.first, SHARDS);
    return message.lease.id;
}

static void what_was_learned_is_collected_from_all_servers(void **state)
{
    const uint32_t counted[] = {BATCHES, BATCHES, BATCHES};
    struct message message;
    struct stage stage;
    uint64_t lease;
    (void)state;

    begin(&stage);
    lease = learn_all(&stage);
    server(&stage, 5, 1, 1, counted, SHARDS - 1); /* another process, which lacks a shard */
    CHECK_INT(stage.master.collection.lease, 0);
    CHECK_INT(sent(&stage, 3, MESSAGE_LEASE, &message), 1);
    CHECK_INT(message.lease.first, SHARDS - 1);
    done(&stage, 3, lease, stage.master.roster); /* from the rows before */
    CHECK_INT(sent(&stage, 3, MESSAGE_CHECKPOINT, NULL), 0);
    done(&stage, 3, message.lease.id, stage.master.roster);
    CHECK_INT(sent(&stage, 3, MESSAGE_LEASE, &message), 1);
    CHECK_INT(message.lease.first, SHARDS);
    CHECK(message.lease.id != lease);
    outbox_clear(&stage.outbox);
    shard_master_on_disconnect(&stage.master, stage.now_ms, 3, &stage.outbox);
    hello(&stage, 4, 1, 0); /* the next worker does it */
    CHECK_INT(sent(&stage, 4, MESSAGE_LEASE, &message), 1);
    CHECK_INT(message.lease.first, SHARDS);
    done(&stage, 4, message.lease.id, stage.master.roster);
    CHECK_INT(sent(&stage, 4, MESSAGE_CHECKPOINT, &message), 1);
    CHECK_INT(message.checkpoint.offset, 0);
    finish(&stage);
}

static void the_checkpoint_of_it_ends_the_servers_and_sends_workers_on(void **state)
{
    const struct error fine = {.status = STATUS_OK};
    struct checkpoint head;
    struct message message;
    struct stage stage;
    uint64_t lease;
    (void)state;

    begin(&stage);
    lease = learn_all(&stage);
    done(&stage, 3, lease, stage.master.roster);
    snapshot(&stage, 3, lease + 1, 0, SLICE("of another"));
    snapshot(&stage, 3, lease, 0, SLICE("1234567"));
    CHECK_INT(count_kind(&stage, OUTBOX_PIECE), 1);
    CHECK_INT(sent(&stage, 3, MESSAGE_CHECKPOINT, &message), 1);
    CHECK_INT(message.checkpoint.offset, 7);
    snapshot(&stage, 3, lease, 7, SLICE("890"));
    CHECK_INT(count_kind(&stage, OUTBOX_PIECE), 1);
    CHECK_INT(count_kind(&stage, OUTBOX_FINISH), 1);
    memcpy(&head, outbox_bytes(&stage.outbox, &stage.outbox.entries[stage.outbox.count - 1]).data,
           sizeof head);
    CHECK(head.job == JOB && head.identity == 99 && head.bytes == 10 && head.piece_bytes == 7);
    CHECK(head.phase == 12 && head.step == 12);
    outbox_clear(&stage.outbox);
    shard_master_on_disconnect(&stage.master, stage.now_ms, 2, &stage.outbox);
    shard_master_on_stored(&stage.master, stage.now_ms, head.id - 1, &fine, &stage.outbox);
    CHECK(!stage.master.crew.is_handed_on);
    shard_master_on_stored(&stage.master, stage.now_ms, head.id, &fine, &stage.outbox);
    CHECK(stage.master.crew.is_handed_on);
    CHECK(stage.master.crew.state == JOB_STATE_RUNNING);
    CHECK_INT(sent(&stage, 3, MESSAGE_STAGED, NULL), 1);
    CHECK_INT(sent(&stage, 1, MESSAGE_END, NULL), 1);
    CHECK_INT(count_kind(&stage, OUTBOX_END), 0);
    finish(&stage);
}

static void a_state_that_is_gone_is_collected_again_and_one_that_does_not_fit_fails(void **state)
{
    struct message message;
    struct stage stage;
    struct error full;
    uint64_t lease;
    (void)state;

    begin(&stage);
    lease = learn_all(&stage);
    done(&stage, 3, lease, stage.master.roster);
    snapshot(&stage, 3, lease, 0, SLICE(""));
    CHECK_INT(sent(&stage, 3, MESSAGE_LEASE, &message), 1);
    lease = message.lease.id;
    done(&stage, 3, lease, stage.master.roster);
    snapshot(&stage, 3, lease, 0, SLICE("1234567"));
    snapshot(&stage, 3, lease, 7, SLICE("8"));
    CHECK(stage.master.crew.state == JOB_STATE_FAILED);
    CHECK(stage.master.crew.failure.status == STATUS_PROTOCOL);
    finish(&stage);
    begin(&stage);
    lease = learn_all(&stage);
    done(&stage, 3, lease, stage.master.roster);
    snapshot(&stage, 3, lease, 0, SLICE("1234567890"));
    error_clear(&full);
    fail(&full, STATUS_IO, "the disk is full");
    shard_master_on_stored(&stage.master, stage.now_ms, lease, &full, &stage.outbox);
    CHECK(stage.master.crew.state == JOB_STATE_FAILED);
    assert_non_null(strstr(stage.master.crew.failure.message, "the disk is full"));
    finish(&stage);
}

static void the_loss_of_an_epoch_is_stored_once(void **state)
{
    struct stage stage;
    uint32_t metrics = 0;
    (void)state;

    begin(&stage);
    join(&stage);
    for (uint64_t lease = stage.master.crew.epoch + 1; lease <= stage.master.crew.epoch + SHARDS;
         lease++) {
        done(&stage, 3, lease, stage.master.roster);
        for (size_t i = 0; i < stage.outbox.count; i++) {
            struct metric_row row;

            if (stage.outbox.entries[i].kind != OUTBOX_METRIC)
                continue;
            memcpy(&row, outbox_bytes(&stage.outbox, &stage.outbox.entries[i]).data, sizeof row);
            CHECK(row.epoch == 1 && row.step == SHARDS * BATCHES && row.value == 2);
            metrics++;
        }
    }
    CHECK_INT(metrics, 1);
    finish(&stage);
}

static void a_job_waits_for_its_least_workers(void **state)
{
    struct stage stage;
    (void)state;

    begin(&stage);
    stage.master.options.crew.min_workers = 2;
    join(&stage);
    CHECK(stage.master.crew.state == JOB_STATE_WAITING);
    CHECK_INT(sent(&stage, 3, MESSAGE_LEASE, NULL), 0);
    hello(&stage, 4, 1, 0);
    CHECK(stage.master.crew.state == JOB_STATE_RUNNING);
    CHECK_INT(sent(&stage, 3, MESSAGE_LEASE, NULL) + sent(&stage, 4, MESSAGE_LEASE, NULL), SHARDS);
    finish(&stage);
}

static void only_what_a_job_waits_for_its_workers_counts_as_waiting(void **state)
{
    struct stage stage;
    (void)state;

    begin(&stage);
    stage.master.options.crew.min_workers = 2;
    join(&stage);
    CHECK(crew_job_row(&stage.master.crew, stage.now_ms).seconds_waiting == 0);
    stage.now_ms += 250;
    CHECK(crew_job_row(&stage.master.crew, stage.now_ms).seconds_waiting == 0.25);
    hello(&stage, 4, 1, 0);
    CHECK(stage.master.crew.state == JOB_STATE_RUNNING);
    stage.now_ms += 500;
    CHECK(crew_job_row(&stage.master.crew, stage.now_ms).seconds_waiting == 0.25);
    CHECK(crew_job_row(&stage.master.crew, stage.now_ms).seconds == 0.75);
    finish(&stage);
}

static void workers_of_other_rows_or_of_no_rows_end_the_job(void **state)
{
    struct message message = {.type = MESSAGE_HELLO, .hello = hello_of(1, 0)};
    struct stage stage;
    struct error err;
    (void)state;

    begin(&stage);
    join(&stage);
    message.hello.rows++;
    send_from(&stage, 4, message);
    CHECK(stage.master.crew.state == JOB_STATE_FAILED);
    assert_non_null(strstr(stage.master.crew.failure.message, "other shards"));
    finish(&stage);
    begin(&stage);
    error_clear(&err);
    fail(&err, STATUS_INVALID, "a row has no label");
    for (uint32_t i = 0; i < WORKERS; i++)
        send_from(&stage, 10 + i,
                  (struct message){.type = MESSAGE_UNABLE,
                                   .unable = {.index = i,
                                              .status = STATUS_INVALID,
                                              .message = slice_of(err.message),
                                              .hint = SLICE("")}});
    CHECK(stage.master.crew.state == JOB_STATE_FAILED);
    CHECK_INT(sent(&stage, 11, MESSAGE_END, NULL), 1);
    assert_non_null(strstr(stage.master.crew.failure.message, "no label"));
    finish(&stage);
}

static void who_is_past_or_out_of_range_is_asked_to_go(void **state)
{
    struct message message;
    struct stage stage;
    (void)state;

    begin(&stage);
    join(&stage);
    hello(&stage, 4, WORKERS, 0);
    CHECK_INT(sent(&stage, 4, MESSAGE_END, NULL), 1);
    server(&stage, 5, SERVERS, 0, NULL, 0);
    CHECK_INT(sent(&stage, 5, MESSAGE_END, NULL), 1);
    hello(&stage, 6, 0, 2);
    CHECK_INT(sent(&stage, 1, MESSAGE_FORGET, &message), 1);
    CHECK(message.forget.index == 0 && message.forget.incarnation == 1);
    hello(&stage, 7, 0, 1);
    CHECK_INT(sent(&stage, 7, MESSAGE_END, NULL), 1);
    CHECK_INT(sent(&stage, 7, MESSAGE_LEASE, NULL), 0);
    send_from(&stage, 99, (struct message){.type = MESSAGE_SHARD_DONE, .shard_done = {.id = 1}});
    CHECK(stage.outbox.count == 1 && count_kind(&stage, OUTBOX_CLOSE) == 1);
    send_from(&stage, 6, (struct message){.type = MESSAGE_LEAVING});
    CHECK_INT(sent(&stage, 6, MESSAGE_END, NULL), 1);
    CHECK_INT(stage.master.board.lease_count, 0);
    finish(&stage);
}

static void half_a_count_fails_the_job(void **state)
{
    struct stage stage;
    (void)state;

    begin(&stage);
    hello(&stage, 3, 0, 0);
    send_from(
        &stage, 1,
        (struct message){
            .type = MESSAGE_SERVER,
            .server = {.counted = SLICE("12345"), .serving = SERVERS, .address = SLICE("unix:s")}});
    CHECK(stage.master.crew.state == JOB_STATE_FAILED);
    CHECK_INT(sent(&stage, 3, MESSAGE_END, NULL), 1);
    finish(&stage);
}

static void a_failure_and_a_cancel_end_all(void **state)
{
    struct stage stage;
    struct error err;
    (void)state;

    begin(&stage);
    join(&stage);
    error_clear(&err);
    fail(&err, STATUS_LIMIT, "a server needs more memory than its limit");
    send_from(&stage, 2,
              (struct message){.type = MESSAGE_FAILED, .failure = message_failure_of(&err)});
    CHECK(stage.master.crew.state == JOB_STATE_FAILED);
    CHECK(stage.master.crew.failure.status == STATUS_LIMIT);
    CHECK_INT(sent(&stage, 1, MESSAGE_END, NULL) + sent(&stage, 2, MESSAGE_END, NULL) +
                  sent(&stage, 3, MESSAGE_END, NULL),
              3);
    outbox_clear(&stage.outbox);
    crew_cancel(&stage.master.crew, stage.now_ms, &stage.outbox);
    CHECK_INT(stage.outbox.count, 0);
    finish(&stage);
    begin(&stage);
    join(&stage);
    crew_cancel(&stage.master.crew, stage.now_ms, &stage.outbox);
    CHECK(stage.master.crew.state == JOB_STATE_CANCELLED);
    finish(&stage);
}

static void a_silent_process_is_replaced_but_not_for_the_masters_pause(void **state)
{
    struct stage stage;
    (void)state;

    begin(&stage);
    join(&stage);
    for (int64_t heard = 0; heard < DEAD_MS; heard += 400) {
        stage.now_ms += 400;
        outbox_clear(&stage.outbox);
        send_from(&stage, 1, (struct message){.type = MESSAGE_PHASE_ALIVE});
        send_from(&stage, 3, (struct message){.type = MESSAGE_PHASE_ALIVE});
        shard_master_on_tick(&stage.master, stage.now_ms, &stage.outbox);
    }
    CHECK_INT(count_kind(&stage, OUTBOX_REPLACE), 1);
    CHECK_INT(stage.outbox.entries[stage.outbox.count - 1].index, WORKERS + 1);
    outbox_clear(&stage.outbox);
    shard_master_on_tick(&stage.master, stage.now_ms += 1, &stage.outbox);
    CHECK_INT(count_kind(&stage, OUTBOX_REPLACE), 0); /* it was asked for */
    shard_master_on_tick(&stage.master, stage.now_ms += 5 * DEAD_MS, &stage.outbox);
    CHECK_INT(count_kind(&stage, OUTBOX_REPLACE), 0);
    finish(&stage);
}

static void too_many_shards_are_refused(void **state)
{
    struct message message = {.type = MESSAGE_HELLO, .hello = hello_of(0, 0)};
    struct stage stage;
    (void)state;

    begin(&stage);
    message.hello.shards = UINT32_MAX;
    message.hello.epochs = 2;
    send_from(&stage, 3, message);
    CHECK(stage.master.crew.failure.status == STATUS_LIMIT);
    finish(&stage);
}

/* ---- another number of servers ---- */

/* Server s speaks over connection SERVER_PEER + s. */
#define SERVER_PEER ((peer_id)10)
#define WORKER_PEER ((peer_id)3)

/* A server that has such a layout, or, with next, was told to prepare it. */
static void server_of(struct stage *stage, uint32_t index, struct server_layout layout,
                      struct server_layout next)
{
    struct layout_runs runs;

    send_from(stage, SERVER_PEER + index,
              (struct message){.type = MESSAGE_SERVER,
                               .server = {.index = index,
                                          .address = SLICE("unix:s"),
                                          .layout = layout.id,
                                          .serving = layout.serving,
                                          .map = server_layout_runs(&layout, &runs),
                                          .next_layout = next.id,
                                          .next_serving = next.serving}});
}

static const struct server_layout first_layout = {.serving = SERVERS}, no_layout = {.id = 0};

static void want_servers(struct stage *stage, uint64_t version, uint32_t servers)
{
    outbox_clear(&stage->outbox);
    shard_master_want_servers(&stage->master, stage->now_ms, version, servers, &stage->outbox);
}

static void tick_at(struct stage *stage, int64_t now_ms)
{
    stage->now_ms = now_ms;
    outbox_clear(&stage->outbox);
    shard_master_on_tick(&stage->master, now_ms, &stage->outbox);
}

/* The last message for the launcher; NULL: none. */
static const struct outbox_entry *find_told(const struct stage *stage)
{
    const struct outbox_entry *found = NULL;

    for (size_t i = 0; i < stage->outbox.count; i++)
        if (stage->outbox.entries[i].kind == OUTBOX_SERVERS)
            found = stage->outbox.entries + i;
    return found;
}

/* How many servers are needed. */
static uint32_t told(const struct stage *stage)
{
    const struct outbox_entry *found = find_told(stage);

    return found ? found->servers.least : 0;
}

/* How many have the rows. */
static uint32_t told_serving(const struct stage *stage)
{
    const struct outbox_entry *found = find_told(stage);

    return found ? found->servers.serving : 0;
}

static void give_back(struct stage *stage, uint64_t lease, uint64_t shard)
{
    send_from(stage, WORKER_PEER,
              (struct message){.type = MESSAGE_SHARD_DONE,
                               .shard_done = {.id = lease,
                                              .shard = shard,
                                              .roster = stage->master.roster,
                                              .rows = 10,
                                              .loss = 5,
                                              .is_even = true}});
}

static void held(struct stage *stage, uint32_t index, const uint32_t *counted, uint32_t count)
{
    send_from(stage, SERVER_PEER + index,
              (struct message){.type = MESSAGE_HELD,
                               .held = {stage->master.move.next.id,
                                        {(const char *)counted, count * sizeof *counted}}});
}

static void fetched(struct stage *stage, uint32_t index, enum status status)
{
    send_from(stage, SERVER_PEER + index,
              (struct message){.type = MESSAGE_FETCHED,
                               .fetched = {stage->master.move.next.id, (uint32_t)status,
                                           SLICE("no room"), SLICE("")}});
}

/* So many servers have copied what is to be theirs. */
static void pause_worker(struct stage *stage, uint32_t servers)
{
    for (uint32_t s = 0; s < servers; s++)
        fetched(stage, s, STATUS_OK);
}

/* The job runs on two servers, a worker has leases 1 and 2, and three servers are wanted, which are
 * there: the worker is paused. */
static void begin_move(struct stage *stage)
{
    struct message message;

    begin_with(stage, MOST);
    want_servers(stage, 1, SERVERS);
    server_of(stage, 0, first_layout, no_layout);
    server_of(stage, 1, first_layout, no_layout);
    CHECK_INT(told(stage), 2);
    hello(stage, WORKER_PEER, 0, 0);
    CHECK_INT(sent(stage, WORKER_PEER, MESSAGE_SERVERS, &message), 1);
    CHECK(message.servers.layout == 0 && !message.servers.is_paused);
    want_servers(stage, 2, 3);
    CHECK_INT(told(stage), 3);
    CHECK_INT(told_serving(stage), 2);
    server_of(stage, 2, first_layout, no_layout);
    for (uint32_t s = 0; s < 3; s++)
        CHECK_INT(sent(stage, SERVER_PEER + s, MESSAGE_COPY, &message), 1);
    CHECK(message.fetch.layout == stage->master.move.next.id && message.fetch.serving == 3);
    CHECK_INT(sent(stage, WORKER_PEER, MESSAGE_SERVERS, NULL), 0); /* it goes on meanwhile */
    pause_worker(stage, 3);
    CHECK_INT(sent(stage, WORKER_PEER, MESSAGE_SERVERS, &message), 1);
    CHECK(message.servers.is_paused && message.servers.server_count == 2);
}

/* All servers are held. */
static void hold(struct stage *stage)
{
    const uint64_t lease = stage->master.crew.epoch + 1;
    struct message message;

    give_back(stage, lease, 0);
    CHECK_INT(sent(stage, SERVER_PEER, MESSAGE_HOLD, NULL), 0);
    give_back(stage, lease + 1, 1);
    for (uint32_t s = 0; s < 3; s++) {
        CHECK_INT(sent(stage, SERVER_PEER + s, MESSAGE_HOLD, &message), 1);
        CHECK(message.layout.layout == stage->master.move.next.id && message.layout.serving == 3);
    }
}

static void rows_move_when_all_servers_have_counted_the_same(void **state)
{
    const uint32_t counted[] = {2, 1};
    struct message message;
    struct stage stage;
    uint64_t roster;
    (void)state;

    begin_move(&stage);
    hold(&stage);
    CHECK(stage.master.losses[0].rows == 20 && stage.master.losses[0].shards == 0);
    CHECK_INT(sent(&stage, WORKER_PEER, MESSAGE_LEASE, NULL), 0);
    held(&stage, 2, NULL, 0);
    held(&stage, 1, counted, 2);
    held(&stage, 0, counted, 2);
    for (uint32_t s = 0; s < 3; s++)
        CHECK_INT(sent(&stage, SERVER_PEER + s, MESSAGE_FETCH, &message), 1);
    CHECK_INT(message.fetch.server_count, 2);
    roster = stage.master.roster;
    fetched(&stage, 0, STATUS_OK);
    fetched(&stage, 1, STATUS_OK);
    CHECK_INT(sent(&stage, SERVER_PEER, MESSAGE_LAYOUT, NULL), 0);
    fetched(&stage, 2, STATUS_OK);
    CHECK_INT(told_serving(&stage), 3);
    for (uint32_t s = 0; s < 3; s++) {
        CHECK_INT(sent(&stage, SERVER_PEER + s, MESSAGE_LAYOUT, &message), 1);
        CHECK(message.layout.layout == stage.master.move.now.id && message.layout.serving == 3);
    }
    CHECK_INT(sent(&stage, WORKER_PEER, MESSAGE_SERVERS, &message), 1);
    CHECK(!message.servers.is_paused && message.servers.server_count == 3 &&
          message.servers.layout == stage.master.move.now.id && message.servers.roster > roster);
    CHECK_INT(sent(&stage, WORKER_PEER, MESSAGE_LEASE, &message), 2);
    CHECK_INT(message.lease.first, 1);
    CHECK_INT(stage.master.move.committed, 1);
    finish(&stage);
}

/* Its answer to TELL, say: the master knows of the move that it speaks of. */
static void a_server_that_speaks_while_rows_move_goes_on_with_it(void **state)
{
    struct stage stage;
    (void)state;

    begin_move(&stage);
    server_of(&stage, 1, first_layout, stage.master.move.next);
    CHECK_INT(sent(&stage, SERVER_PEER + 1, MESSAGE_LAYOUT, NULL), 0);
    hold(&stage);
    tick_at(&stage, stage.now_ms + 100000); /* given up */
    CHECK_INT(sent(&stage, SERVER_PEER + 1, MESSAGE_LAYOUT, NULL), 1);
    server_of(&stage, 1, first_layout, stage.master.move.next);
    CHECK_INT(sent(&stage, SERVER_PEER + 1, MESSAGE_LAYOUT, NULL), 1);
    finish(&stage);
}

static void shards_that_are_not_even_are_leased_alone(void **state)
{
    const uint32_t more[] = {2, 3}, fewer[] = {2, 1};
    struct message message;
    struct stage stage;
    (void)state;

    begin_move(&stage);
    hold(&stage);
    held(&stage, 0, more, 2);
    held(&stage, 1, fewer, 2);
    held(&stage, 2, NULL, 0);
    for (uint32_t s = 0; s < 3; s++) {
        CHECK_INT(sent(&stage, SERVER_PEER + s, MESSAGE_COPY, &message), 1); /* count again */
        CHECK(message.fetch.layout == stage.master.move.next.id);
    }
    CHECK_INT(sent(&stage, WORKER_PEER, MESSAGE_LEASE, &message), 1);
    CHECK_INT(message.lease.first, 1);
    give_back(&stage, message.lease.id, 1);
    CHECK_INT(sent(&stage, SERVER_PEER + 2, MESSAGE_HOLD, NULL), 1);
    held(&stage, 0, more, 2);
    held(&stage, 1, more, 2);
    CHECK_INT(sent(&stage, SERVER_PEER + 2, MESSAGE_FETCH, NULL), 0);
    held(&stage, 2, NULL, 0);
    CHECK_INT(sent(&stage, SERVER_PEER + 2, MESSAGE_FETCH, NULL), 1);
    finish(&stage);
}

/* Nobody has lost anything, and the workers go on. */
static void check_given_up(struct stage *stage)
{
    struct message message;

    CHECK_INT(sent(stage, SERVER_PEER, MESSAGE_LAYOUT, &message), 1);
    CHECK(message.layout.layout == 0 && message.layout.serving == 2);
    CHECK(sent(stage, WORKER_PEER, MESSAGE_SERVERS, &message) > 0);
    CHECK(!message.servers.is_paused);
    CHECK_INT(sent(stage, WORKER_PEER, MESSAGE_LEASE, NULL), 2);
}

static void a_move_that_a_server_is_lost_in_begins_again_later(void **state)
{
    struct message message;
    struct stage stage;
    (void)state;

    begin_move(&stage);
    hold(&stage);
    outbox_clear(&stage.outbox);
    shard_master_on_disconnect(&stage.master, stage.now_ms, SERVER_PEER + 2, &stage.outbox);
    check_given_up(&stage);
    held(&stage, 0, NULL, 0); /* counts for the move that is over */
    CHECK_INT(stage.outbox.count, 0);
    server_of(&stage, 2, first_layout,
              (struct server_layout){.id = stage.master.move.next.id, .serving = 3});
    CHECK_INT(sent(&stage, SERVER_PEER + 2, MESSAGE_LAYOUT, &message), 1); /* it stays */
    CHECK_INT(sent(&stage, WORKER_PEER, MESSAGE_SERVERS, NULL), 0);
    tick_at(&stage, stage.now_ms + 100);
    CHECK_INT(sent(&stage, SERVER_PEER + 2, MESSAGE_COPY, NULL), 1);
    pause_worker(&stage, 3);
    CHECK_INT(sent(&stage, WORKER_PEER, MESSAGE_SERVERS, &message), 1);
    CHECK(message.servers.is_paused);
    finish(&stage);
}

static void workers_wait_no_longer_than_they_are_to_and_then_twice_as_long(void **state)
{
    struct message message;
    struct stage stage;
    (void)state;

    begin_move(&stage);
    tick_at(&stage, stage.now_ms + PAUSE_MS);
    CHECK_INT(sent(&stage, WORKER_PEER, MESSAGE_SERVERS, NULL), 0);
    tick_at(&stage, stage.now_ms + 1);
    CHECK_INT(sent(&stage, WORKER_PEER, MESSAGE_SERVERS, &message), 1);
    CHECK(!message.servers.is_paused);
    tick_at(&stage, stage.now_ms + 100);
    CHECK_INT(sent(&stage, SERVER_PEER + 2, MESSAGE_COPY, NULL), 1);
    tick_at(&stage, stage.now_ms + 100 * PAUSE_MS); /* copying takes its time */
    pause_worker(&stage, 3);
    CHECK_INT(sent(&stage, WORKER_PEER, MESSAGE_SERVERS, &message), 1);
    CHECK(message.servers.is_paused);
    tick_at(&stage, stage.now_ms + 2 * PAUSE_MS);
    CHECK_INT(sent(&stage, WORKER_PEER, MESSAGE_SERVERS, NULL), 0);
    tick_at(&stage, stage.now_ms + 1);
    CHECK_INT(sent(&stage, WORKER_PEER, MESSAGE_SERVERS, NULL), 1);
    want_servers(&stage, 3, 2); /* the present numbers */
    CHECK_INT(told(&stage), 2);
    CHECK_INT(sent(&stage, SERVER_PEER + 2, MESSAGE_END, NULL), 1);
    tick_at(&stage, stage.now_ms + 1000);
    CHECK_INT(sent(&stage, WORKER_PEER, MESSAGE_SERVERS, NULL), 0);
    want_servers(&stage, 2, 4); /* an older one */
    CHECK_INT(told(&stage), 0);
    finish(&stage);
}

static void a_number_for_which_there_is_no_memory_is_given_up(void **state)
{
    struct stage stage;
    (void)state;

    begin_move(&stage);
    hold(&stage);
    for (uint32_t s = 0; s < 3; s++)
        held(&stage, s, NULL, 0);
    fetched(&stage, 1, STATUS_LIMIT);
    check_given_up(&stage);
    CHECK_INT(told(&stage), 2);
    CHECK_INT(sent(&stage, SERVER_PEER + 2, MESSAGE_END, NULL), 1);
    tick_at(&stage, stage.now_ms + 10000);
    CHECK_INT(sent(&stage, WORKER_PEER, MESSAGE_SERVERS, NULL), 0);
    finish(&stage);
}

static void servers_beyond_a_smaller_number_end_when_their_rows_have_moved(void **state)
{
    struct message message;
    struct stage stage;
    (void)state;

    begin_with(&stage, MOST);
    want_servers(&stage, 1, SERVERS);
    server_of(&stage, 0, first_layout, no_layout);
    server_of(&stage, 1, first_layout, no_layout);
    hello(&stage, WORKER_PEER, 0, 0);
    want_servers(&stage, 2, 1);
    CHECK_INT(told(&stage), 0);
    pause_worker(&stage, 1);
    give_back(&stage, stage.master.crew.epoch + 1, 0);
    give_back(&stage, stage.master.crew.epoch + 2, 1);
    held(&stage, 0, NULL, 0);
    held(&stage, 1, NULL, 0);
    CHECK_INT(sent(&stage, SERVER_PEER, MESSAGE_FETCH, NULL), 1);
    CHECK_INT(sent(&stage, SERVER_PEER + 1, MESSAGE_FETCH, NULL), 0);
    fetched(&stage, 0, STATUS_OK);
    CHECK_INT(sent(&stage, SERVER_PEER + 1, MESSAGE_END, NULL), 1);
    CHECK_INT(told(&stage), 1);
    CHECK_INT(sent(&stage, WORKER_PEER, MESSAGE_SERVERS, &message), 1);
    CHECK_INT(message.servers.server_count, 1);
    finish(&stage);
}

static void a_later_master_takes_the_newest_layout_when_it_has_heard_all_of_it(void **state)
{
    const struct server_layout older = {.id = 5, .serving = 2}, newer = {.id = 9, .serving = 3};
    struct message message;
    struct stage stage;
    (void)state;

    begin_with(&stage, MOST);
    hello(&stage, WORKER_PEER, 0, 0);
    server_of(&stage, 1, older, newer); /* it has not heard that the rows have moved */
    CHECK_INT(told(&stage), 3);
    server_of(&stage, 0, older, newer);
    CHECK_INT(sent(&stage, WORKER_PEER, MESSAGE_SERVERS, NULL), 0);
    server_of(&stage, 2, newer, no_layout);
    CHECK_INT(sent(&stage, WORKER_PEER, MESSAGE_SERVERS, &message), 1);
    CHECK(message.servers.layout == 9 && message.servers.server_count == 3);
    CHECK_INT(sent(&stage, SERVER_PEER + 1, MESSAGE_LAYOUT, &message), 1);
    CHECK(message.layout.layout == 9 && message.layout.serving == 3);
    CHECK_INT(sent(&stage, SERVER_PEER + 2, MESSAGE_LAYOUT, NULL), 0);
    finish(&stage);
}

static void a_move_that_no_server_knows_to_be_done_is_undone_by_a_later_master(void **state)
{
    const struct server_layout older = {.id = 5, .serving = 2}, newer = {.id = 9, .serving = 3};
    struct message message;
    struct stage stage;
    (void)state;

    begin_with(&stage, MOST);
    server_of(&stage, 0, older, newer);
    server_of(&stage, 1, older, newer);
    CHECK(!stage.master.move.is_settled);
    server_of(&stage, 2, first_layout, no_layout); /* another process */
    CHECK_INT(sent(&stage, SERVER_PEER, MESSAGE_LAYOUT, &message), 1);
    CHECK(message.layout.layout == 5 && message.layout.serving == 2);
    CHECK_INT(sent(&stage, SERVER_PEER + 2, MESSAGE_LAYOUT, NULL), 1);
    CHECK(stage.master.move.is_settled);
    finish(&stage);
}

/* ----- steps that all lanes take together ----- */

#define LANES 3

/* Says HELLO with lanes in three groups. */
static void hello_of_lanes(struct stage *stage, peer_id from, uint32_t index)
{
    struct message message = {.type = MESSAGE_HELLO, .hello = hello_of(index, 0)};

    message.hello.shards = 3 * LANES;
    send_from(stage, from, message);
}

static void all_lanes_are_leased_to_each_worker_about_as_many(void **state)
{
    struct stage stage;
    struct message message;
    (void)state;

    begin_with_lanes(&stage, 0, LANES);
    hello_of_lanes(&stage, 1, 0);
    CHECK_INT(sent(&stage, 1, MESSAGE_LEASE, &message),
              2 * LANES); /* and those of the next group */
    hello_of_lanes(&stage, 2, 1);
    CHECK_INT(sent(&stage, 2, MESSAGE_LEASE, NULL), 0);
    server(&stage, 11, 0, 0, NULL, 0);
    server(&stage, 12, 1, 0, NULL, 0);
    for (uint32_t lane = 0; lane < LANES; lane++) {
        send_from(&stage, 1,
                  (struct message){.type = MESSAGE_SHARD_DONE,
                                   .shard_done = {.id = stage.master.crew.epoch + 1 + lane,
                                                  .shard = lane,
                                                  .roster = stage.master.roster}});
        CHECK_INT(sent(&stage, 1, MESSAGE_LEASE, NULL) + sent(&stage, 2, MESSAGE_LEASE, NULL),
                  lane + 1 == LANES ? LANES : 0);
    }
    CHECK_INT(sent(&stage, 1, MESSAGE_LEASE, NULL), 2); /* the third group's */
    CHECK_INT(sent(&stage, 2, MESSAGE_LEASE, NULL), 1);
    outbox_clear(&stage.outbox);
    shard_master_on_disconnect(&stage.master, stage.now_ms, 1, &stage.outbox);
    CHECK_INT(sent(&stage, 2, MESSAGE_LEASE, NULL), LANES + 2); /* all that the other had */
    finish(&stage);
}

/* Servers that hold drop the pushes of a step that is not whole: of a lane whose worker believes
 * that it is done, the last batch may be among them. */
static void lanes_that_may_lack_their_last_batch_are_done_again_after_a_hold(void **state)
{
    struct message message;
    struct stage stage;
    (void)state;

    begin_with_lanes(&stage, MOST, LANES);
    want_servers(&stage, 1, SERVERS);
    server_of(&stage, 0, first_layout, no_layout);
    server_of(&stage, 1, first_layout, no_layout);
    hello_of_lanes(&stage, WORKER_PEER, 0);
    for (uint32_t shard = 0; shard < LANES + 1; shard++)
        send_from(&stage, WORKER_PEER,
                  (struct message){.type = MESSAGE_SHARD_DONE,
                                   .shard_done = {.id = stage.master.crew.epoch + 1 + shard,
                                                  .shard = shard,
                                                  .roster = stage.master.roster}});
    CHECK_INT(stage.master.board.done, LANES + 1);
    want_servers(&stage, 2, 3);
    server_of(&stage, 2, first_layout, no_layout);
    pause_worker(&stage, 3);
    for (uint32_t shard = LANES + 1; shard < 3 * LANES; shard++)
        give_back(&stage, stage.master.crew.epoch + 1 + shard, shard);
    CHECK_INT(sent(&stage, SERVER_PEER, MESSAGE_HOLD, NULL), 1);
    CHECK_INT(stage.master.board.done, LANES);
    outbox_clear(&stage.outbox);
    want_servers(&stage, 3, SERVERS); /* it is given up */
    CHECK_INT(sent(&stage, WORKER_PEER, MESSAGE_LEASE, NULL), 2 * LANES);
    for (size_t i = 0; i < stage.outbox.count; i++) {
        struct error err;

        if (stage.outbox.entries[i].kind != OUTBOX_SEND)
            continue;
        CHECK_OK(
            message_read(outbox_bytes(&stage.outbox, stage.outbox.entries + i), &message, &err));
        if (message.type == MESSAGE_LEASE)
            break; /* the first of them */
    }
    CHECK_INT(message.lease.first, LANES);
    finish(&stage);
}

static void server_at(struct stage *stage, uint32_t index, uint64_t clock, uint64_t least)
{
    const struct server_layout layout = stage->master.servers[index].layout;

    send_from(stage, 11 + index,
              (struct message){.type = MESSAGE_SERVER,
                               .server = {.index = index,
                                          .incarnation = 0,
                                          .address = SLICE("unix:s"),
                                          .layout = layout.id,
                                          .serving = layout.serving,
                                          .clock = clock,
                                          .least = least}});
}

static void a_server_that_lacks_steps_is_asked_before_all_begins_anew(void **state)
{
    struct stage stage;
    struct message message;
    (void)state;

    begin_with_lanes(&stage, 0, LANES);
    hello_of_lanes(&stage, 1, 0);
    server(&stage, 11, 0, 0, NULL, 0);
    server(&stage, 12, 1, 0, NULL, 0);
    server_at(&stage, 0, 6, 5);
    CHECK_INT(sent(&stage, 12, MESSAGE_TELL, NULL), 1); /* it was at 0 when it said so last */
    server_at(&stage, 1, 5, 4);
    CHECK_INT(sent(&stage, 11, MESSAGE_LAYOUT, NULL), 0); /* but has gone on since */
    CHECK_INT(stage.master.move.begun_anew, 0);
    server_at(&stage, 0, 8, 7);
    CHECK_INT(sent(&stage, 12, MESSAGE_TELL, NULL), 1);
    server_at(&stage, 1, 6, 5); /* no step is one of theirs */
    for (uint32_t s = 0; s < SERVERS; s++) {
        CHECK_INT(sent(&stage, 11 + s, MESSAGE_LAYOUT, &message), 1);
        CHECK(message.layout.is_anew);
        CHECK_INT(message.layout.layout, stage.master.move.now.id);
        CHECK_INT(message.layout.serving, SERVERS);
    }
    CHECK_INT(sent(&stage, 1, MESSAGE_SERVERS, &message), 1);
    CHECK_INT(message.servers.layout, stage.master.move.now.id);
    finish(&stage);
}

static void what_was_counted_before_a_new_beginning_does_not_begin_another(void **state)
{
    struct stage stage;
    (void)state;

    begin_with_lanes(&stage, 0, LANES);
    hello_of_lanes(&stage, 1, 0);
    server(&stage, 11, 0, 0, NULL, 0);
    server(&stage, 12, 1, 0, NULL, 0);
    server_at(&stage, 0, 8, 7);
    server_at(&stage, 1, 3, 3);
    CHECK_INT(stage.master.move.begun_anew, 1);
    server_at(&stage, 0, 9, 8); /* it has not heard of it */
    stage.master.servers[1].layout = stage.master.move.now;
    server_at(&stage, 1, 0, 0);
    CHECK_INT(sent(&stage, 12, MESSAGE_TELL, NULL), 0);
    stage.master.servers[0].layout = stage.master.move.now;
    server_at(&stage, 0, 0, 0);
    CHECK_INT(sent(&stage, 12, MESSAGE_TELL, NULL), 0);
    CHECK_INT(stage.master.move.begun_anew, 1);
    finish(&stage);
}

/* ---- a server that is hot ---- */

#define BALANCE_MS 1000

/* Both servers say their load once: nearly all is `hot`'s. */
static void say_load(struct stage *stage, uint32_t hot)
{
    const struct server_layout *now = &stage->master.move.now;
    uint32_t rows[BUCKETS_PER_TABLE];

    for (uint32_t b = 0; b < BUCKETS_PER_TABLE; b++)
        rows[b] = server_of_bucket(now, b) == hot ? 10 : 1;
    for (uint32_t s = 0; s < SERVERS; s++)
        send_from(stage, SERVER_PEER + s,
                  (struct message){.type = MESSAGE_LOAD,
                                   .load = {.layout = now->id,
                                            .ms = 1000,
                                            .rows = {(const char *)rows, sizeof rows}}});
}

/* The job runs on two servers, of which one is hot: its rows begin to move. */
static void begin_balance(struct stage *stage, int64_t balance_ms)
{
    begin_with(stage, MOST);
    stage->master.options.balance_ms = balance_ms;
    want_servers(stage, 1, SERVERS);
    server_of(stage, 0, first_layout, no_layout);
    server_of(stage, 1, first_layout, no_layout);
    hello(stage, WORKER_PEER, 0, 0);
    say_load(stage, 1);
    CHECK_INT(sent(stage, SERVER_PEER, MESSAGE_COPY, NULL), 0); /* it may be chance */
    say_load(stage, 1);
}

static void rows_leave_a_hot_server(void **state)
{
    struct server_layout next;
    struct message message;
    struct stage stage;
    struct error err;
    (void)state;

    begin_balance(&stage, BALANCE_MS);
    CHECK_INT(sent(&stage, SERVER_PEER, MESSAGE_COPY, NULL), 1);
    CHECK_INT(sent(&stage, SERVER_PEER + 1, MESSAGE_COPY, &message), 1);
    CHECK_OK(server_layout_read(&next, message.fetch.layout, message.fetch.serving,
                                message.fetch.map, &err));
    CHECK(next.has_map && next.serving == SERVERS && message.fetch.server_count == SERVERS);
    CHECK(memcmp(next.servers, stage.master.move.next.servers, sizeof next.servers) == 0);
    pause_worker(&stage, SERVERS);
    give_back(&stage, stage.master.crew.epoch + 1, 0);
    give_back(&stage, stage.master.crew.epoch + 2, 1);
    held(&stage, 0, NULL, 0);
    held(&stage, 1, NULL, 0);
    fetched(&stage, 0, STATUS_OK);
    fetched(&stage, 1, STATUS_OK);
    for (uint32_t s = 0; s < SERVERS; s++) {
        CHECK_INT(sent(&stage, SERVER_PEER + s, MESSAGE_LAYOUT, &message), 1);
        CHECK(message.layout.layout == next.id && message.layout.map.size > 0);
    }
    CHECK(sent(&stage, WORKER_PEER, MESSAGE_SERVERS, &message) > 0);
    CHECK(message.servers.layout == next.id && message.servers.map.size > 0 &&
          !message.servers.is_paused);
    CHECK(stage.master.move.balanced == 1 && told(&stage) == 0);
    finish(&stage);
}

/* The servers say that they have the layout in force. */
static void settle_down(struct stage *stage)
{
    for (uint32_t s = 0; s < SERVERS; s++)
        server_of(stage, s, stage->master.move.now, no_layout);
}

static void rows_that_have_just_moved_stay_for_a_while(void **state)
{
    struct stage stage;
    (void)state;

    begin_balance(&stage, BALANCE_MS);
    outbox_clear(&stage.outbox);
    shard_master_on_disconnect(&stage.master, stage.now_ms, SERVER_PEER + 1, &stage.outbox);
    CHECK_INT(stage.master.move.aborted, 1);
    settle_down(&stage);
    say_load(&stage, 1);
    say_load(&stage, 1);
    tick_at(&stage, stage.now_ms + BALANCE_MS - 1);
    CHECK_INT(sent(&stage, SERVER_PEER, MESSAGE_COPY, NULL), 0);
    tick_at(&stage, stage.now_ms + 1);
    CHECK_INT(sent(&stage, SERVER_PEER, MESSAGE_COPY, NULL), 1);
    fetched(&stage, 0, STATUS_LIMIT); /* no other try mends it */
    settle_down(&stage);
    say_load(&stage, 1);
    say_load(&stage, 1);
    tick_at(&stage, stage.now_ms + 100 * BALANCE_MS);
    CHECK_INT(sent(&stage, SERVER_PEER, MESSAGE_COPY, NULL), 0);
    finish(&stage);
}

static void another_number_of_servers_goes_before(void **state)
{
    struct message message;
    struct stage stage;
    (void)state;

    begin_balance(&stage, BALANCE_MS);
    want_servers(&stage, 2, 1);
    CHECK_INT(stage.master.move.aborted, 1);
    CHECK_INT(sent(&stage, SERVER_PEER, MESSAGE_COPY, &message), 1);
    CHECK(message.fetch.serving == 1 && message.fetch.map.size == 0);
    finish(&stage);
}

static void rows_stay_where_no_server_is_to_be_relieved(void **state)
{
    struct stage stage;
    (void)state;

    begin_balance(&stage, 0);
    say_load(&stage, 1);
    CHECK_INT(sent(&stage, SERVER_PEER, MESSAGE_COPY, NULL), 0);
    finish(&stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_worker_gets_servers_and_leases),
        cmocka_unit_test(who_has_nothing_to_do_shares_a_shard_and_the_first_has_done_it),
        cmocka_unit_test(a_shared_shard_stays_with_who_is_left),
        cmocka_unit_test(a_shard_by_an_older_roster_is_done_again),
        cmocka_unit_test(what_was_learned_is_collected_from_all_servers),
        cmocka_unit_test(the_checkpoint_of_it_ends_the_servers_and_sends_workers_on),
        cmocka_unit_test(a_state_that_is_gone_is_collected_again_and_one_that_does_not_fit_fails),
        cmocka_unit_test(the_loss_of_an_epoch_is_stored_once),
        cmocka_unit_test(a_job_waits_for_its_least_workers),
        cmocka_unit_test(only_what_a_job_waits_for_its_workers_counts_as_waiting),
        cmocka_unit_test(workers_of_other_rows_or_of_no_rows_end_the_job),
        cmocka_unit_test(who_is_past_or_out_of_range_is_asked_to_go),
        cmocka_unit_test(half_a_count_fails_the_job),
        cmocka_unit_test(a_failure_and_a_cancel_end_all),
        cmocka_unit_test(a_silent_process_is_replaced_but_not_for_the_masters_pause),
        cmocka_unit_test(too_many_shards_are_refused),
        cmocka_unit_test(rows_move_when_all_servers_have_counted_the_same),
        cmocka_unit_test(a_server_that_speaks_while_rows_move_goes_on_with_it),
        cmocka_unit_test(shards_that_are_not_even_are_leased_alone),
        cmocka_unit_test(a_move_that_a_server_is_lost_in_begins_again_later),
        cmocka_unit_test(workers_wait_no_longer_than_they_are_to_and_then_twice_as_long),
        cmocka_unit_test(a_number_for_which_there_is_no_memory_is_given_up),
        cmocka_unit_test(servers_beyond_a_smaller_number_end_when_their_rows_have_moved),
        cmocka_unit_test(a_later_master_takes_the_newest_layout_when_it_has_heard_all_of_it),
        cmocka_unit_test(a_move_that_no_server_knows_to_be_done_is_undone_by_a_later_master),
        cmocka_unit_test(all_lanes_are_leased_to_each_worker_about_as_many),
        cmocka_unit_test(lanes_that_may_lack_their_last_batch_are_done_again_after_a_hold),
        cmocka_unit_test(a_server_that_lacks_steps_is_asked_before_all_begins_anew),
        cmocka_unit_test(what_was_counted_before_a_new_beginning_does_not_begin_another),
        cmocka_unit_test(rows_leave_a_hot_server),
        cmocka_unit_test(rows_that_have_just_moved_stay_for_a_while),
        cmocka_unit_test(another_number_of_servers_goes_before),
        cmocka_unit_test(rows_stay_where_no_server_is_to_be_relieved),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
