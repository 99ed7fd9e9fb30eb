#include <math.h>

#include "runtime/data/store/shardstore.h"
#include "runtime/score/dispatch.h"
#include "runtime/score/dispatch_record.h"
#include "tests/outbox_check.h"

#define JOB ((uint64_t)7)

struct stage {
    struct dispatch dispatch;
    struct outbox outbox;
    struct error err;
};

static struct dispatch_options options_of(void)
{
    return (struct dispatch_options){.crew.job = JOB,
                                     .crew.incarnation = 3,
                                     .crew.min_workers = 1,
                                     .crew.max_workers = 4,
                                     .rows = 100,
                                     .shard_rows = 10,
                                     .leases_per_worker = 2,
                                     .keeps_bad_rows = true,
                                     .crew.dead_ms = 5000,
                                     .missed_ms = 2000,
                                     .backup_ms = 50,
                                     .crew.report_ms = 100,
                                     .crew.facts.started_at = ""};
}

static void begin(struct stage *stage, const struct dispatch_options *options)
{
    outbox_init(&stage->outbox);
    error_clear(&stage->err);
    if (dispatch_init(&stage->dispatch, options, 0, &stage->outbox, &stage->err) != STATUS_OK)
        check_failed("%s", stage->err.message);
    outbox_clear(&stage->outbox);
}

static void end(struct stage *stage)
{
    dispatch_deinit(&stage->dispatch);
    outbox_deinit(&stage->outbox);
}

static void say(struct stage *stage, int64_t now_ms, peer_id from, struct message message)
{
    message.job = JOB;
    outbox_clear(&stage->outbox);
    dispatch_on_message(&stage->dispatch, now_ms, from, &message, &stage->outbox);
}

static void hello(struct stage *stage, int64_t now_ms, peer_id from, uint32_t index,
                  uint32_t incarnation)
{
    struct message message = {.type = MESSAGE_HELLO};

    message.hello = (struct message_hello){.index = index, .incarnation = incarnation};
    say(stage, now_ms, from, message);
}

/* The n-th message of this type that the last call sent to the peer; false: none. */
static bool sent(const struct stage *stage, peer_id to, enum message_type type, uint32_t n,
                 struct message *message)
{
    return outbox_find(&stage->outbox, to, type, n, message);
}

/* How many shards the last call stored in this state; the last of them. */
static uint32_t stored(const struct stage *stage, enum shard_state state, struct shard_head *head)
{
    struct shard_head found;
    uint32_t count = 0;

    *head = (struct shard_head){.lease = 0};

    for (size_t i = 0; i < stage->outbox.count; i++) {
        if (stage->outbox.entries[i].kind != OUTBOX_SHARD)
            continue;
        memcpy(&found, outbox_bytes(&stage->outbox, &stage->outbox.entries[i]).data, sizeof found);
        if (found.state != (uint32_t)state)
            continue;
        *head = found;
        count++;
    }
    return count;
}

static bool has_kind(const struct stage *stage, enum outbox_kind kind)
{
    return outbox_count(&stage->outbox, kind) > 0;
}

static void scored(struct stage *stage, int64_t now_ms, peer_id from,
                   const struct message_lease *lease)
{
    struct message message = {.type = MESSAGE_SCORED, .epoch = stage->dispatch.crew.epoch};

    message.scored =
        (struct message_scored){.id = lease->id, .slot = lease->slot, .results = SLICE("good")};
    say(stage, now_ms, from, message);
}

static void a_newcomer_gets_its_leases_and_a_result_is_stored_before_the_next_is_given(void **state)
{
    const struct dispatch_options options = options_of();
    struct message first, second;
    struct shard_head head;
    struct stage stage;
    (void)state;

    begin(&stage, &options);
    hello(&stage, 1, 11, 0, 0);
    CHECK(sent(&stage, 11, MESSAGE_LEASE, 0, &first) &&
          sent(&stage, 11, MESSAGE_LEASE, 1, &second));
    CHECK(!sent(&stage, 11, MESSAGE_LEASE, 2, &second));
    CHECK_INT(first.lease.first, 0);
    CHECK_INT(first.lease.count, 10);
    CHECK_INT(first.lease.id >> 32, 3); /* no earlier master gave it */
    scored(&stage, 5, 11, &first.lease);
    CHECK_INT(stored(&stage, SHARD_DONE, &head), 1);
    CHECK(head.lease == first.lease.id && head.first == 0 && head.count == 10);
    CHECK(sent(&stage, 11, MESSAGE_LEASE, 0, &second) && second.lease.first == 20);
    scored(&stage, 6, 11, &first.lease);
    CHECK_INT(stored(&stage, SHARD_DONE, &head), 0);
    end(&stage);
}

static void a_result_under_another_masters_lease_or_from_a_stranger_is_refused(void **state)
{
    const struct dispatch_options options = options_of();
    struct message lease, message;
    struct shard_head head;
    struct stage stage;
    (void)state;

    begin(&stage, &options);
    hello(&stage, 1, 11, 0, 0);
    hello(&stage, 1, 12, 1, 0);
    CHECK(sent(&stage, 12, MESSAGE_LEASE, 0, &lease));
    message = (struct message){.type = MESSAGE_SCORED, .epoch = stage.dispatch.crew.epoch - 1};
    message.scored = (struct message_scored){
        .id = lease.lease.id, .slot = lease.lease.slot, .results = SLICE("good")};
    say(&stage, 2, 12, message);
    CHECK_INT(stored(&stage, SHARD_DONE, &head), 0);
    scored(&stage, 2, 11, &lease.lease); /* not its own */
    CHECK_INT(stored(&stage, SHARD_DONE, &head), 0);
    scored(&stage, 2, 99, &lease.lease);
    CHECK(has_kind(&stage, OUTBOX_CLOSE));
    message = (struct message){.type = MESSAGE_HELLO,
                               .epoch = stage.dispatch.crew.epoch + ((uint64_t)1 << 32)};
    say(&stage, 3, 13, message);
    CHECK(has_kind(&stage, OUTBOX_END)); /* a newer master has led it */
    end(&stage);
}

static void who_comes_back_as_a_newer_incarnation_had_died_over_its_first_shard(void **state)
{
    const struct dispatch_options options = options_of();
    struct shard_head head;
    struct message lease;
    struct stage stage;
    (void)state;

    begin(&stage, &options);
    hello(&stage, 1, 11, 0, 0);
    outbox_clear(&stage.outbox);
    dispatch_on_disconnect(&stage.dispatch, 2, 11, &stage.outbox);
    CHECK_INT(stored(&stage, SHARD_CRASHED, &head) + stored(&stage, SHARD_RETURNED, &head), 0);
    hello(&stage, 3, 12, 0, 1);
    CHECK_INT(stored(&stage, SHARD_CRASHED, &head), 1);
    CHECK_INT(head.first, 0);
    CHECK_INT(stored(&stage, SHARD_RETURNED, &head), 1);
    CHECK(has_kind(&stage, OUTBOX_KILLED_BY_ROWS));
    CHECK(sent(&stage, 12, MESSAGE_LEASE, 0, &lease) && lease.lease.first == 10);
    end(&stage);
}

static void a_broken_connection_a_long_absence_and_silence_are_nobodys_fault(void **state)
{
    const struct dispatch_options options = options_of();
    struct shard_head head;
    struct stage stage;
    (void)state;

    begin(&stage, &options);
    hello(&stage, 1, 11, 0, 0);
    dispatch_on_disconnect(&stage.dispatch, 2, 11, &stage.outbox);
    hello(&stage, 3, 12, 0, 0); /* the same process */
    CHECK_INT(stored(&stage, SHARD_RETURNED, &head), 2);
    CHECK_INT(stored(&stage, SHARD_CRASHED, &head), 0);
    dispatch_on_disconnect(&stage.dispatch, 4, 12, &stage.outbox);
    for (int64_t now = 100; now < 2000; now += 100) {
        outbox_clear(&stage.outbox);
        dispatch_on_tick(&stage.dispatch, now, &stage.outbox);
        CHECK_INT(stored(&stage, SHARD_RETURNED, &head), 0);
    }
    outbox_clear(&stage.outbox);
    dispatch_on_tick(&stage.dispatch, 2100, &stage.outbox);
    CHECK_INT(stored(&stage, SHARD_RETURNED, &head), 2);
    hello(&stage, 2200, 13, 0, 1);
    CHECK_INT(stored(&stage, SHARD_CRASHED, &head), 0);
    for (int64_t now = 2300; now < 7100; now += 1000)
        dispatch_on_tick(&stage.dispatch, now, &stage.outbox);
    outbox_clear(&stage.outbox);
    dispatch_on_tick(&stage.dispatch, 7300, &stage.outbox);
    CHECK(has_kind(&stage, OUTBOX_REPLACE));
    CHECK_INT(stored(&stage, SHARD_RETURNED, &head), 2);
    end(&stage);
}

static void the_first_of_two_results_of_a_slow_shard_counts(void **state)
{
    struct dispatch_options options = options_of();
    struct message slow, fast;
    struct shard_head head;
    struct stage stage;
    (void)state;

    options.rows = 20;
    options.leases_per_worker = 1;
    begin(&stage, &options);
    hello(&stage, 0, 11, 0, 0);
    CHECK(sent(&stage, 11, MESSAGE_LEASE, 0, &slow));
    hello(&stage, 0, 12, 1, 0);
    CHECK(sent(&stage, 12, MESSAGE_LEASE, 0, &fast));
    scored(&stage, 5, 12, &fast.lease); /* nothing else is left: it waits */
    CHECK(!sent(&stage, 12, MESSAGE_LEASE, 0, &fast));
    outbox_clear(&stage.outbox);
    dispatch_on_tick(&stage.dispatch, 60, &stage.outbox);
    CHECK(sent(&stage, 12, MESSAGE_LEASE, 0, &fast) && fast.lease.first == slow.lease.first);
    scored(&stage, 61, 12, &fast.lease);
    CHECK_INT(stored(&stage, SHARD_DONE, &head), 1);
    CHECK(stage.dispatch.crew.state == JOB_STATE_DONE && has_kind(&stage, OUTBOX_END));
    scored(&stage, 62, 11, &slow.lease);
    CHECK_INT(stored(&stage, SHARD_DONE, &head), 0);
    CHECK(sent(&stage, 11, MESSAGE_END, 0, &slow));
    end(&stage);
}

/* Worker 0 is at rows that worker 1 has settled, and rows are left that no worker has. */
static void leave_one_at_a_stale_lease(struct stage *stage, struct message *stale)
{
    struct message leases[2], other, message = {.type = MESSAGE_LEAVING};

    hello(stage, 0, 11, 0, 0);
    CHECK(sent(stage, 11, MESSAGE_LEASE, 0, &other) && sent(stage, 11, MESSAGE_LEASE, 1, stale));
    hello(stage, 0, 12, 1, 0);
    CHECK(sent(stage, 12, MESSAGE_LEASE, 0, &leases[0]) &&
          sent(stage, 12, MESSAGE_LEASE, 1, &leases[1]));
    hello(stage, 0, 13, 2, 0);
    scored(stage, 1, 11, &other.lease);
    scored(stage, 2, 12, &leases[0].lease);
    scored(stage, 2, 12, &leases[1].lease);
    outbox_clear(&stage->outbox);
    dispatch_on_tick(&stage->dispatch, 60, &stage->outbox);
    CHECK(sent(stage, 12, MESSAGE_LEASE, 0, &other) && other.lease.first == stale->lease.first);
    scored(stage, 61, 12, &other.lease);
    say(stage, 62, 13, message);
    say(stage, 63, 12, message); /* and with it the last worker that had rows 40 to 49 */
    CHECK(stage->dispatch.crew.state == JOB_STATE_RUNNING);
}

static void a_worker_at_rows_that_another_settled_gets_no_lease_that_could_be_suspected(
    void **state)
{
    struct dispatch_options options = options_of();
    struct message stale, next;
    struct shard_head head;
    struct stage stage;
    (void)state;

    options.rows = 50;
    begin(&stage, &options);
    leave_one_at_a_stale_lease(&stage, &stale);
    CHECK(!sent(&stage, 11, MESSAGE_LEASE, 0, &next));
    scored(&stage, 64, 11, &stale.lease);
    CHECK_INT(stored(&stage, SHARD_LATE, &head), 1);
    CHECK(sent(&stage, 11, MESSAGE_LEASE, 0, &next) && next.lease.first == 40);
    end(&stage);
    begin(&stage, &options);
    leave_one_at_a_stale_lease(&stage, &stale);
    hello(&stage, 64, 14, 0, 1); /* it died of what is settled: no other rows are suspect */
    CHECK_INT(stored(&stage, SHARD_CRASHED, &head), 0);
    CHECK(!has_kind(&stage, OUTBOX_KILLED_BY_ROWS));
    CHECK(sent(&stage, 14, MESSAGE_LEASE, 0, &next) && next.lease.first == 40);
    end(&stage);
}

/* Nothing could have come while the dispatcher itself was stopped. */
static void the_dispatchers_own_pause_is_no_absence_of_a_worker(void **state)
{
    const struct dispatch_options options = options_of();
    struct shard_head head;
    struct stage stage;
    (void)state;

    begin(&stage, &options);
    hello(&stage, 1, 11, 0, 0);
    hello(&stage, 2, 12, 1, 0);
    dispatch_on_disconnect(&stage.dispatch, 3, 11, &stage.outbox);
    dispatch_on_tick(&stage.dispatch, 100, &stage.outbox);
    outbox_clear(&stage.outbox);
    dispatch_on_tick(&stage.dispatch, 9000, &stage.outbox);
    CHECK_INT(stored(&stage, SHARD_RETURNED, &head), 0);
    CHECK(!has_kind(&stage, OUTBOX_REPLACE));
    dispatch_on_tick(&stage.dispatch, 10900, &stage.outbox);
    CHECK_INT(stored(&stage, SHARD_RETURNED, &head), 0);
    dispatch_on_tick(&stage.dispatch, 10904, &stage.outbox);
    CHECK_INT(stored(&stage, SHARD_RETURNED, &head), 2);
    end(&stage);
}

static void who_comes_only_to_go_gets_nothing(void **state)
{
    const struct dispatch_options options = options_of();
    struct message message = {.type = MESSAGE_HELLO};
    struct stage stage;
    (void)state;

    begin(&stage, &options);
    message.hello = (struct message_hello){.index = 0, .is_leaving = true};
    say(&stage, 1, 11, message);
    CHECK(sent(&stage, 11, MESSAGE_END, 0, &message));
    CHECK(!sent(&stage, 11, MESSAGE_LEASE, 0, &message));
    CHECK_INT(stage.dispatch.crew.live, 0);
    end(&stage);
}

static void who_is_asked_to_go_leaves_its_shards_to_others(void **state)
{
    const struct dispatch_options options = options_of();
    struct message message = {.type = MESSAGE_LEAVING};
    struct shard_head head;
    struct stage stage;
    (void)state;

    begin(&stage, &options);
    hello(&stage, 1, 11, 0, 0);
    say(&stage, 2, 11, message);
    CHECK_INT(stored(&stage, SHARD_RETURNED, &head), 2);
    CHECK(sent(&stage, 11, MESSAGE_END, 0, &message));
    hello(&stage, 3, 12, 1, 0);
    CHECK(sent(&stage, 12, MESSAGE_LEASE, 0, &message) && message.lease.first == 0);
    end(&stage);
}

static void a_later_master_leases_what_is_not_settled(void **state)
{
    const struct settled_rows settled[] = {{0, 20, false}, {25, 1, true}, {30, 70, false}};
    struct dispatch_options options = options_of();
    struct message lease;
    struct stage stage;
    (void)state;

    options.settled = settled;
    options.settled_count = 3;
    begin(&stage, &options);
    hello(&stage, 1, 11, 0, 0);
    CHECK(sent(&stage, 11, MESSAGE_LEASE, 0, &lease));
    CHECK(lease.lease.first == 20 && lease.lease.count == 5);
    scored(&stage, 2, 11, &lease.lease);
    CHECK(has_kind(&stage, OUTBOX_REPORT)); /* a master that does not live long has got on */
    end(&stage);
}

static void what_is_left_is_told_when_it_can_be_told(void **state)
{
    const struct settled_rows settled[] = {{0, 20, false}};
    struct dispatch_options options = options_of();
    struct message lease;
    struct job_event event;
    struct stage stage;
    (void)state;

    options.settled = settled;
    options.settled_count = 1;
    begin(&stage, &options);
    hello(&stage, 1, 11, 0, 0);
    event = crew_event(&stage.dispatch.crew, 2000, JOB_PROGRESS);
    dispatch_fill_report(&stage.dispatch, &event);
    CHECK(isnan(event.seconds_left)); /* all that is done was done by a master before */
    CHECK(sent(&stage, 11, MESSAGE_LEASE, 0, &lease));
    CHECK_INT(lease.lease.count, 10);
    scored(&stage, 1500, 11, &lease.lease);
    event = crew_event(&stage.dispatch.crew, 1999, JOB_PROGRESS);
    dispatch_fill_report(&stage.dispatch, &event);
    CHECK(isnan(event.seconds_left)); /* too early */
    event = crew_event(&stage.dispatch.crew, 2000, JOB_PROGRESS);
    dispatch_fill_report(&stage.dispatch, &event);
    CHECK(event.seconds_left == 14);
    end(&stage);
}

static void a_job_waits_for_its_workers_and_one_without_rows_is_done_with_them(void **state)
{
    struct dispatch_options options = options_of();
    struct message lease;
    struct stage stage;
    (void)state;

    options.crew.min_workers = 2;
    begin(&stage, &options);
    hello(&stage, 1, 11, 0, 0);
    CHECK(!sent(&stage, 11, MESSAGE_LEASE, 0, &lease) &&
          stage.dispatch.crew.state == JOB_STATE_WAITING);
    hello(&stage, 2, 12, 1, 0);
    CHECK(sent(&stage, 11, MESSAGE_LEASE, 0, &lease) && sent(&stage, 12, MESSAGE_LEASE, 0, &lease));
    end(&stage);
    options.rows = 0;
    options.crew.min_workers = 1;
    begin(&stage, &options);
    hello(&stage, 1, 11, 0, 0);
    CHECK(stage.dispatch.crew.state == JOB_STATE_DONE);
    end(&stage);
}

/* One worker dies again and again over whatever it is given. */
static void deaths_without_an_end_end_the_job(void **state)
{
    struct dispatch_options options = options_of();
    struct stage stage;
    uint32_t deaths = 0;
    (void)state;

    options.rows = 100000;
    options.shard_rows = 1;
    begin(&stage, &options);
    while (!crew_has_ended(&stage.dispatch.crew) && deaths < 1000)
        hello(&stage, deaths, 11 + deaths, 0, deaths), deaths++;
    CHECK(stage.dispatch.crew.state == JOB_STATE_FAILED);
    CHECK_INT(deaths, DISPATCH_DEATHS_MAX + 2);
    CHECK(strstr(stage.dispatch.crew.failure.message, "201 workers died one after another"));
    end(&stage);
}

static void a_failed_worker_and_a_cancel_end_the_job(void **state)
{
    const struct dispatch_options options = options_of();
    struct message message = {.type = MESSAGE_FAILED};
    struct stage stage;
    (void)state;

    begin(&stage, &options);
    hello(&stage, 1, 11, 0, 0);
    message.failure = (struct message_failure){STATUS_INVALID, SLICE("row 8: no"), SLICE("hint")};
    say(&stage, 2, 11, message);
    CHECK(stage.dispatch.crew.state == JOB_STATE_FAILED);
    CHECK_INT(stage.dispatch.crew.failure.status, STATUS_INVALID);
    end(&stage);
    begin(&stage, &options);
    crew_cancel(&stage.dispatch.crew, 1, &stage.outbox);
    CHECK(stage.dispatch.crew.state == JOB_STATE_CANCELLED);
    hello(&stage, 2, 11, 0, 0);
    CHECK(sent(&stage, 11, MESSAGE_END, 0, &message));
    end(&stage);
}

/* The store of a job that was deleted may be gone. */
static void workers_are_ended_without_anything_being_stored(void **state)
{
    const struct dispatch_options options = options_of();
    struct message message;
    struct stage stage;
    (void)state;

    begin(&stage, &options);
    hello(&stage, 1, 11, 0, 0);
    hello(&stage, 1, 12, 1, 0);
    outbox_clear(&stage.outbox);
    crew_end_members(&stage.dispatch.crew, &stage.outbox);
    CHECK(sent(&stage, 11, MESSAGE_END, 0, &message) && sent(&stage, 12, MESSAGE_END, 0, &message));
    for (size_t i = 0; i < stage.outbox.count; i++)
        CHECK(stage.outbox.entries[i].kind == OUTBOX_SEND ||
              stage.outbox.entries[i].kind == OUTBOX_CLOSE);
    end(&stage);
}

/* ---- staging ---- */

static struct dispatch_options staging_of(uint64_t shards)
{
    struct dispatch_options options = options_of();

    options.rows = shards + 1;
    options.shard_rows = 1;
    options.leases_per_worker = 1;
    options.keeps_bad_rows = false;
    options.stages = true;
    return options;
}

static void stager(struct stage *stage, int64_t now_ms, peer_id from, uint32_t index,
                   uint32_t incarnation)
{
    struct message message = {.type = MESSAGE_HELLO};

    message.hello =
        (struct message_hello){.index = index, .incarnation = incarnation, .is_staging = true};
    say(stage, now_ms, from, message);
}

static void the_last_shard_is_leased_when_all_others_are_staged(void **state)
{
    const struct dispatch_options options = staging_of(2);
    struct message first, second, last, message;
    struct shard_head head;
    struct stage stage;
    (void)state;

    begin(&stage, &options);
    stager(&stage, 1, 11, 0, 0);
    CHECK(sent(&stage, 11, MESSAGE_LEASE, 0, &first) && first.lease.first == 0);
    CHECK(!sent(&stage, 11, MESSAGE_LEASE, 1, &message));
    stager(&stage, 1, 12, 1, 0);
    CHECK(sent(&stage, 12, MESSAGE_LEASE, 0, &second) && second.lease.first == 1);
    scored(&stage, 2, 11, &first.lease);
    CHECK_INT(stored(&stage, SHARD_DONE, &head), 1);
    CHECK(!sent(&stage, 11, MESSAGE_LEASE, 0, &message)); /* the other is not done */
    scored(&stage, 3, 12, &second.lease);
    CHECK(sent(&stage, 11, MESSAGE_LEASE, 0, &last) && last.lease.first == 2);
    CHECK(!sent(&stage, 12, MESSAGE_LEASE, 0, &message));
    CHECK(last.lease.id != first.lease.id && last.lease.id != second.lease.id);
    CHECK(!stage.dispatch.crew.is_handed_on);
    /* It takes long: a second worker does not begin it again as it would a slow shard. */
    outbox_clear(&stage.outbox);
    dispatch_on_tick(&stage.dispatch, 3 + 100 * options.backup_ms, &stage.outbox);
    CHECK(!sent(&stage, 12, MESSAGE_LEASE, 0, &message));
    scored(&stage, 4, 11, &last.lease);
    CHECK(stage.dispatch.crew.is_handed_on);
    CHECK(sent(&stage, 11, MESSAGE_STAGED, 0, &message) &&
          sent(&stage, 12, MESSAGE_STAGED, 0, &message));
    CHECK(!has_kind(&stage, OUTBOX_END)); /* the job goes on */
    end(&stage);
}

static void a_later_master_stages_what_is_missing(void **state)
{
    const struct settled_rows some[] = {{.first = 1, .count = 1}},
                              all[] = {{.first = 0, .count = 2}};
    struct dispatch_options options = staging_of(2);
    struct message lease, message;
    struct stage stage;
    (void)state;

    options.settled = some;
    options.settled_count = 1;
    begin(&stage, &options);
    stager(&stage, 1, 11, 0, 0);
    CHECK(sent(&stage, 11, MESSAGE_LEASE, 0, &lease) && lease.lease.first == 0);
    end(&stage);
    options.settled = all;
    begin(&stage, &options);
    stager(&stage, 1, 11, 0, 0);
    CHECK(sent(&stage, 11, MESSAGE_LEASE, 0, &lease) && lease.lease.first == 2);
    scored(&stage, 2, 11, &lease.lease);
    CHECK(stage.dispatch.crew.is_handed_on && sent(&stage, 11, MESSAGE_STAGED, 0, &message));
    end(&stage);
}

static void a_shard_is_staged_however_many_workers_die_over_it(void **state)
{
    const struct dispatch_options options = staging_of(1);
    struct message lease;
    struct stage stage;
    (void)state;

    begin(&stage, &options);
    for (uint32_t incarnation = 0; incarnation < 3 * LEDGER_CRASHES_MAX; incarnation++) {
        stager(&stage, incarnation, 11 + incarnation, 0, incarnation);
        CHECK(sent(&stage, 11 + incarnation, MESSAGE_LEASE, 0, &lease));
        dispatch_on_disconnect(&stage.dispatch, incarnation, 11 + incarnation, &stage.outbox);
    }
    CHECK(!crew_has_ended(&stage.dispatch.crew));
    for (uint32_t incarnation = 9; incarnation < 9 + DISPATCH_DEATHS_MAX; incarnation++)
        stager(&stage, incarnation, 11 + incarnation, 0, incarnation);
    CHECK(stage.dispatch.crew.state == JOB_STATE_FAILED); /* but not for ever */
    end(&stage);
}

static void who_does_not_stage_is_no_worker_of_a_job_that_stages(void **state)
{
    struct dispatch_options options = staging_of(1);
    struct message message;
    struct stage stage;
    (void)state;

    begin(&stage, &options);
    hello(&stage, 1, 11, 0, 0);
    CHECK(!sent(&stage, 11, MESSAGE_LEASE, 0, &message) && has_kind(&stage, OUTBOX_CLOSE));
    end(&stage);
    options = options_of();
    begin(&stage, &options);
    stager(&stage, 1, 11, 0, 0);
    CHECK(!sent(&stage, 11, MESSAGE_LEASE, 0, &message) && has_kind(&stage, OUTBOX_CLOSE));
    end(&stage);
}

static void goodput_is_what_the_rows_that_count_needed(void **state)
{
    struct dispatch_options options = options_of();
    struct message slow, first, second;
    struct job_row row;
    struct stage stage;
    (void)state;

    options.rows = 30;
    begin(&stage, &options);
    hello(&stage, 1000, 11, 0, 0);
    CHECK(sent(&stage, 11, MESSAGE_LEASE, 0, &slow) && sent(&stage, 11, MESSAGE_LEASE, 1, &second));
    CHECK(isnan(crew_job_row(&stage.dispatch.crew, 1000).goodput));
    hello(&stage, 1000, 12, 1, 0);
    CHECK(sent(&stage, 12, MESSAGE_LEASE, 0, &first));
    scored(&stage, 1100, 12, &first.lease);
    row = crew_job_row(&stage.dispatch.crew, 1200); /* 100 ms of 2 x 200 for 10 rows */
    CHECK(fabs(row.goodput - .25) < 1e-9 && fabs(row.slot_seconds - .4) < 1e-9);
    scored(&stage, 1300, 11, &slow.lease); /* the next one begins with that */
    scored(&stage, 1400, 11, &second.lease);
    CHECK(stage.dispatch.crew.state == JOB_STATE_DONE);
    row = crew_job_row(&stage.dispatch.crew, 9000); /* no worker is here any more */
    CHECK(fabs(row.goodput - .5 / .8) < 1e-9 && fabs(row.slot_seconds - .8) < 1e-9);
    end(&stage);

    options.crew.facts.previous = &row; /* the next master counts on */
    begin(&stage, &options);
    CHECK(fabs(crew_job_row(&stage.dispatch.crew, 0).slot_seconds - .8) < 1e-9);
    end(&stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            a_newcomer_gets_its_leases_and_a_result_is_stored_before_the_next_is_given),
        cmocka_unit_test(a_result_under_another_masters_lease_or_from_a_stranger_is_refused),
        cmocka_unit_test(who_comes_back_as_a_newer_incarnation_had_died_over_its_first_shard),
        cmocka_unit_test(a_broken_connection_a_long_absence_and_silence_are_nobodys_fault),
        cmocka_unit_test(the_first_of_two_results_of_a_slow_shard_counts),
        cmocka_unit_test(
            a_worker_at_rows_that_another_settled_gets_no_lease_that_could_be_suspected),
        cmocka_unit_test(the_dispatchers_own_pause_is_no_absence_of_a_worker),
        cmocka_unit_test(who_comes_only_to_go_gets_nothing),
        cmocka_unit_test(who_is_asked_to_go_leaves_its_shards_to_others),
        cmocka_unit_test(a_later_master_leases_what_is_not_settled),
        cmocka_unit_test(what_is_left_is_told_when_it_can_be_told),
        cmocka_unit_test(a_job_waits_for_its_workers_and_one_without_rows_is_done_with_them),
        cmocka_unit_test(deaths_without_an_end_end_the_job),
        cmocka_unit_test(a_failed_worker_and_a_cancel_end_the_job),
        cmocka_unit_test(workers_are_ended_without_anything_being_stored),
        cmocka_unit_test(the_last_shard_is_leased_when_all_others_are_staged),
        cmocka_unit_test(a_later_master_stages_what_is_missing),
        cmocka_unit_test(a_shard_is_staged_however_many_workers_die_over_it),
        cmocka_unit_test(who_does_not_stage_is_no_worker_of_a_job_that_stages),
        cmocka_unit_test(goodput_is_what_the_rows_that_count_needed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
