#include <math.h>

#include "runtime/launch/job_event.h"
#include "runtime/train/master/master.h"
#include "runtime/train/master/master_change.h"
#include "runtime/train/master/master_checkpoint.h"
#include "tests/outbox_check.h"

#define JOB 7

struct fixture {
    struct master master;
    struct outbox outbox;
    int64_t now;
};

static void open_master(struct fixture *fixture, uint32_t least, uint32_t most,
                        uint32_t incarnation)
{
    struct master_options options = {.crew.job = JOB,
                                     .crew.incarnation = incarnation,
                                     .crew.min_workers = least,
                                     .crew.max_workers = most,
                                     .crew.dead_ms = 5000,
                                     .publish_ms = 60000,
                                     .regroup_ms = 20,
                                     .try_ms = 10000,
                                     .settle_ms = 300,
                                     .crew.report_ms = 100,
                                     .crew.facts.started_at = ""};
    struct error err;

    memset(fixture, 0, sizeof *fixture);
    outbox_init(&fixture->outbox);
    CHECK_OK(master_init(&fixture->master, &options, 0, &fixture->outbox, &err));
    outbox_clear(&fixture->outbox);
}

static void close_master(struct fixture *fixture)
{
    master_deinit(&fixture->master);
    outbox_deinit(&fixture->outbox);
}

static void say(struct fixture *fixture, peer_id from, struct message message)
{
    outbox_clear(&fixture->outbox);
    master_on_message(&fixture->master, fixture->now, from, &message, &fixture->outbox);
}

static struct message of(enum message_type type, uint64_t epoch)
{
    return (struct message){.type = type, .job = JOB, .epoch = epoch};
}

static void hello(struct fixture *fixture, peer_id from, uint32_t index, uint32_t incarnation)
{
    struct message message = of(MESSAGE_HELLO, 0);

    message.hello = (struct message_hello){.index = index,
                                           .incarnation = incarnation,
                                           .lanes = 8,
                                           .phase = 0,
                                           .address = SLICE("unix:/run/somewhere")};
    say(fixture, from, message);
}

/* Rank 0 says that the group is connected. */
static void met(struct fixture *fixture, peer_id from)
{
    say(fixture, from, of(MESSAGE_GROUP_READY, fixture->master.group.epoch));
}

/* Workers 0 and 1, by their connections 1 and 2, in a group that is connected: its epoch is 2. */
static void job_of_two_workers(struct fixture *fixture)
{
    open_master(fixture, 1, 2, 0);
    for (uint32_t index = 0; index < 2; index++) {
        hello(fixture, index + 1, index, 0);
        met(fixture, 1);
    }
}

/* Lets time pass. The outbox has the actions of this tick alone. */
static void tick(struct fixture *fixture, int64_t now_ms)
{
    outbox_clear(&fixture->outbox);
    master_on_tick(&fixture->master, now_ms, &fixture->outbox);
}

static void disconnect(struct fixture *fixture, int64_t now_ms, peer_id peer)
{
    outbox_clear(&fixture->outbox);
    master_on_disconnect(&fixture->master, now_ms, peer, &fixture->outbox);
}

/* The message of this type that was sent to the peer last; false: none. */
static bool sent(const struct fixture *fixture, peer_id peer, enum message_type type,
                 struct message *found)
{
    return outbox_find_last(&fixture->outbox, peer, type, found);
}

/* The first says how many lanes a step has; the launcher and the user are told once. */
static void more_workers_than_lanes_are_not_asked_for(void **state)
{
    struct fixture fixture;
    struct job_event event;
    (void)state;

    open_master(&fixture, 1, 12, 0);
    hello(&fixture, 1, 0, 0);
    CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_LANES), 1);
    for (size_t i = 0; i < fixture.outbox.count; i++) {
        const struct outbox_entry *entry = &fixture.outbox.entries[i];

        if (entry->kind == OUTBOX_LANES)
            CHECK_INT(entry->index, 8);
        if (entry->kind == OUTBOX_REPORT)
            memcpy(&event, outbox_bytes(&fixture.outbox, entry).data, sizeof event);
        if (entry->kind == OUTBOX_REPORT && event.kind == JOB_NOTICE)
            break;
    }
    CHECK_INT(event.kind, JOB_NOTICE);
    assert_string_equal(event.message, "8 of 12 workers can work, since a step has 8 lanes: raise "
                                       "train.batch_size or job.lanes");
    hello(&fixture, 2, 1, 0);
    CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_LANES), 0);
    close_master(&fixture);

    open_master(&fixture, 1, 8, 0);
    hello(&fixture, 1, 0, 0);
    CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_LANES), 0);
    close_master(&fixture);
}

static const struct outbox_entry *find_entry(const struct fixture *fixture, enum outbox_kind kind)
{
    for (size_t i = 0; i < fixture->outbox.count; i++)
        if (fixture->outbox.entries[i].kind == kind)
            return &fixture->outbox.entries[i];
    return NULL;
}

/* Eight lanes: five, six and seven workers are as fast as four, whose fullest has two lanes. */
static void workers_that_make_no_step_faster_are_not_asked_for(void **state)
{
    struct fixture fixture;
    (void)state;

    for (uint32_t workers = 1; workers <= 8; workers++) {
        const bool is_useful = workers <= 4 || workers == 8;

        open_master(&fixture, 1, workers, 0);
        hello(&fixture, 1, 0, 0);
        CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_LANES), !is_useful);
        if (!is_useful)
            CHECK_INT(find_entry(&fixture, OUTBOX_LANES)->index, 4);
        close_master(&fixture);
    }
    open_master(&fixture, 6, 7, 0);
    hello(&fixture, 1, 0, 0);
    CHECK_INT(find_entry(&fixture, OUTBOX_LANES)->index, 6); /* the job's minimum */
    close_master(&fixture);
}

static void the_first_worker_starts_the_job_and_the_next_one_joins(void **state)
{
    struct fixture fixture;
    struct message group;
    struct byte_reader members;
    struct message_member member;
    (void)state;

    open_master(&fixture, 1, 3, 0);
    hello(&fixture, 1, 2, 0);
    CHECK(sent(&fixture, 1, MESSAGE_GROUP, &group));
    CHECK(group.epoch == 1 && group.group.member_count == 1);
    CHECK_INT(fixture.master.crew.state, JOB_STATE_RUNNING);
    met(&fixture, 1);
    hello(&fixture, 2, 0, 0);
    CHECK(sent(&fixture, 2, MESSAGE_GROUP, &group));
    CHECK(group.epoch == 2 && group.group.member_count == 2);
    CHECK(sent(&fixture, 1, MESSAGE_GROUP, &group));
    CHECK_INT(group.group.after, 1);
    members = byte_reader_over(group.group.members);
    /* The first worker leads: it has the state. */
    CHECK(message_next_member(&members, &member) && member.index == 2 && member.lane_count == 4);
    CHECK(message_next_member(&members, &member) && member.index == 0 && member.first_lane == 4);
    close_master(&fixture);
}

static void a_gang_waits_for_its_least_number(void **state)
{
    struct fixture fixture;
    struct message group;
    (void)state;

    open_master(&fixture, 2, 3, 0);
    hello(&fixture, 1, 0, 0);
    CHECK(!sent(&fixture, 1, MESSAGE_GROUP, &group));
    hello(&fixture, 2, 1, 0);
    CHECK(sent(&fixture, 1, MESSAGE_GROUP, &group));
    disconnect(&fixture, 50, 2);
    CHECK_INT(fixture.master.crew.state, JOB_STATE_WAITING);
    CHECK(!sent(&fixture, 1, MESSAGE_GROUP, &group));
    close_master(&fixture);
}

static void a_silent_worker_is_dead_after_the_deadline_and_replaced(void **state)
{
    struct fixture fixture;
    struct message group;
    (void)state;

    job_of_two_workers(&fixture);
    for (fixture.now = 1000; fixture.now < 5000; fixture.now += 1000) {
        say(&fixture, 1, of(MESSAGE_PHASE_ALIVE, 2));
        master_on_tick(&fixture.master, fixture.now, &fixture.outbox);
        CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_REPLACE), 0);
    }
    master_on_tick(&fixture.master, 5000, &fixture.outbox);
    CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_REPLACE), 1);
    CHECK(sent(&fixture, 1, MESSAGE_GROUP, &group));
    CHECK(group.epoch == 3 && group.group.member_count == 1);
    say(&fixture, 2, of(MESSAGE_PHASE_ALIVE, 2)); /* the zombie thaws */
    CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_CLOSE), 1);
    close_master(&fixture);
}

static void a_worker_whose_process_is_alive_may_compute_for_long(void **state)
{
    struct fixture fixture;
    struct message alive = of(MESSAGE_PROCESS_ALIVE, 0);
    (void)state;

    open_master(&fixture, 1, 2, 0);
    hello(&fixture, 1, 0, 3);
    alive.process_alive = (struct message_process_alive){.index = 0, .incarnation = 3};
    for (fixture.now = 1000; fixture.now < 60000; fixture.now += 1000) {
        say(&fixture, 9, alive);
        CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_CLOSE), 0);
        master_on_tick(&fixture.master, fixture.now, &fixture.outbox);
        CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_REPLACE), 0);
    }
    /* the process before it, or one that is none of ours, proves nothing */
    alive.process_alive.incarnation = 2;
    for (; fixture.now < 66000; fixture.now += 1000) {
        say(&fixture, 9, alive);
        alive.process_alive.index ^= 77;
        master_on_tick(&fixture.master, fixture.now, &fixture.outbox);
    }
    CHECK_INT(fixture.master.crew.live, 0);
    close_master(&fixture);
}

/* Worker 0 alone, or with another; both send PROCESS_ALIVE for so long, worker 0 with its work
 * standing still.
 */
static bool is_replaced_after(uint32_t seconds, uint32_t workers, struct message_process_alive told)
{
    struct message alive = of(MESSAGE_PROCESS_ALIVE, 0);
    struct fixture fixture;
    bool is_replaced = false;

    open_master(&fixture, 1, 2, 0);
    fixture.master.options.hang_ms = 20000;
    for (uint32_t index = 0; index < workers; index++) {
        hello(&fixture, index + 1, index, 0);
        met(&fixture, 1);
    }
    for (uint32_t second = 1; second <= seconds && !is_replaced; second++) {
        fixture.now = second * 1000;
        for (uint32_t index = 0; index < workers; index++) {
            alive.process_alive = (struct message_process_alive){.index = index};
            if (index == 0) {
                alive.process_alive = told;
                alive.process_alive.still_ms = second * 1000;
            }
            say(&fixture, 9, alive);
            is_replaced = is_replaced || outbox_count(&fixture.outbox, OUTBOX_REPLACE) > 0;
        }
        master_on_tick(&fixture.master, fixture.now, &fixture.outbox);
    }
    close_master(&fixture);
    return is_replaced;
}

static void a_worker_whose_work_stands_still_is_replaced(void **state)
{
    (void)state;
    CHECK(!is_replaced_after(19, 2, (struct message_process_alive){.usual_ms = 500}));
    CHECK(is_replaced_after(20, 2, (struct message_process_alive){.usual_ms = 500}));
}

static void a_worker_that_often_takes_long_is_given_many_times_as_long(void **state)
{
    (void)state;
    CHECK(!is_replaced_after(99, 2, (struct message_process_alive){.usual_ms = 10000}));
    CHECK(is_replaced_after(100, 2, (struct message_process_alive){.usual_ms = 10000}));
}

static void a_worker_that_uses_the_processor_is_given_more_time(void **state)
{
    (void)state;
    CHECK(!is_replaced_after(199, 2, (struct message_process_alive){.is_computing = true}));
    CHECK(is_replaced_after(200, 2, (struct message_process_alive){.is_computing = true}));
}

static void a_worker_that_nobody_waits_for_is_given_more_time(void **state)
{
    (void)state;
    CHECK(!is_replaced_after(59, 1, (struct message_process_alive){.index = 0}));
    CHECK(is_replaced_after(60, 1, (struct message_process_alive){.index = 0}));
}

static void a_worker_that_hangs_before_it_joined_is_replaced_once(void **state)
{
    struct message alive = of(MESSAGE_PROCESS_ALIVE, 0);
    struct fixture fixture;
    (void)state;

    open_master(&fixture, 1, 2, 0);
    fixture.master.options.hang_ms = 20000;
    alive.process_alive =
        (struct message_process_alive){.index = 1, .incarnation = 4, .still_ms = 20000};
    say(&fixture, 9, alive);
    CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_REPLACE), 1);
    say(&fixture, 9, alive);
    CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_REPLACE), 0);
    hello(&fixture, 1, 1, 5);
    say(&fixture, 9, alive); /* its end may take a while */
    CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_REPLACE), 0);
    close_master(&fixture);
}

static void a_master_that_was_frozen_does_not_take_the_others_for_dead(void **state)
{
    struct fixture fixture;
    (void)state;

    open_master(&fixture, 1, 2, 0);
    hello(&fixture, 1, 0, 0);
    tick(&fixture, 60000);
    CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_REPLACE), 0);
    close_master(&fixture);
}

static void an_older_incarnation_cannot_take_a_place_back(void **state)
{
    struct fixture fixture;
    struct message message;
    (void)state;

    open_master(&fixture, 1, 2, 0);
    hello(&fixture, 1, 0, 3);
    hello(&fixture, 2, 0, 2);
    CHECK(sent(&fixture, 2, MESSAGE_END, &message));
    CHECK(!sent(&fixture, 1, MESSAGE_GROUP, &message));
    CHECK_INT(fixture.master.crew.live, 1);
    close_master(&fixture);
}

static void a_successor_waits_until_the_one_before_has_left(void **state)
{
    struct fixture fixture;
    struct message message;
    (void)state;

    open_master(&fixture, 1, 2, 0);
    hello(&fixture, 1, 0, 0);
    met(&fixture, 1);
    hello(&fixture, 2, 0, 1);
    CHECK(!outbox_closes(&fixture.outbox, 1) && !outbox_closes(&fixture.outbox, 2));
    CHECK_INT(fixture.master.crew.live, 1);
    say(&fixture, 2, of(MESSAGE_PHASE_ALIVE, 0));
    CHECK(!outbox_closes(&fixture.outbox, 2));
    say(&fixture, 1, of(MESSAGE_LEAVING, 1));
    CHECK(sent(&fixture, 1, MESSAGE_SWITCH, &message));
    say(&fixture, 1, of(MESSAGE_DRAINED, 1));
    CHECK(sent(&fixture, 1, MESSAGE_END, &message));
    CHECK(outbox_closes(&fixture.outbox, 2)); /* it calls again */
    hello(&fixture, 1, 0, 0);
    CHECK(sent(&fixture, 1, MESSAGE_END, &message)); /* fenced off */
    hello(&fixture, 3, 0, 1);
    CHECK(sent(&fixture, 3, MESSAGE_GROUP, &message));
    CHECK_INT(fixture.master.rows_redone, 0);
    close_master(&fixture);
}

static void a_successor_that_is_asked_to_go_has_nothing_to_wait_for(void **state)
{
    struct fixture fixture;
    struct message message;
    (void)state;

    open_master(&fixture, 1, 2, 0);
    hello(&fixture, 1, 0, 0);
    met(&fixture, 1);
    hello(&fixture, 2, 0, 1);
    say(&fixture, 2, of(MESSAGE_LEAVING, 0));
    CHECK(sent(&fixture, 2, MESSAGE_END, &message));
    hello(&fixture, 3, 0, 2);
    disconnect(&fixture, fixture.now, 3);
    CHECK_INT(fixture.outbox.count, 0);
    master_on_disconnect(&fixture.master, fixture.now, 1, &fixture.outbox);
    hello(&fixture, 4, 0, 3);
    CHECK(sent(&fixture, 4, MESSAGE_GROUP, &message));
    close_master(&fixture);
}

/* Three of four, one soon after another: one change lets all of them go. */
static void workers_with_drain_notices_leave_together(void **state)
{
    struct fixture fixture;
    struct message message;
    uint64_t old;
    (void)state;

    open_master(&fixture, 1, 4, 0);
    for (uint32_t index = 0; index < 4; index++) {
        hello(&fixture, 1 + index, index, 0);
        met(&fixture, 1);
    }
    fixture.master.options.leave_ms = 100;
    old = fixture.master.group.epoch;
    fixture.now = 1050;
    say(&fixture, 2, of(MESSAGE_LEAVING, old)); /* SIGTERM was faster */
    CHECK(!sent(&fixture, 1, MESSAGE_SWITCH, &message));
    for (uint32_t index = 1; index < 4; index++)
        master_drain(&fixture.master, 1000 + 50 * index, index, 0, &fixture.outbox);
    master_drain(&fixture.master, 1150, 0, 7, &fixture.outbox); /* one that is not here */
    master_on_tick(&fixture.master, 1200, &fixture.outbox);
    CHECK(!sent(&fixture, 1, MESSAGE_SWITCH, &message));
    for (int64_t now = 1200; now <= 1300; now += 50)
        master_on_tick(&fixture.master, now, &fixture.outbox);
    CHECK(sent(&fixture, 1, MESSAGE_SWITCH, &message) && message.epoch == old);
    CHECK(sent(&fixture, 1, MESSAGE_GROUP, &message) && message.group.member_count == 1);
    CHECK_INT(fixture.master.group.epoch, old + 1);
    say(&fixture, 3, of(MESSAGE_LEAVING, old)); /* now it has heard of it */
    CHECK_INT(fixture.master.group.epoch, old + 1);
    for (peer_id peer = 2; peer <= 4; peer++) {
        say(&fixture, peer, of(MESSAGE_DRAINED, old));
        CHECK(sent(&fixture, peer, MESSAGE_END, &message));
    }
    CHECK_INT(fixture.master.crew.live, 1);
    close_master(&fixture);
}

/* One every 90 ms: until no other worker is announced, or .4 s after the first was asked already.
 */
static int64_t when_the_drained_leave(bool is_asked)
{
    struct fixture fixture;
    int64_t now = 1000;
    uint64_t old;

    open_master(&fixture, 1, 8, 0);
    for (uint32_t index = 0; index < 8; index++) {
        hello(&fixture, 1 + index, index, 0);
        met(&fixture, 1);
    }
    fixture.master.options.leave_ms = 100;
    old = fixture.master.group.epoch;
    for (uint32_t index = 1; fixture.master.group.epoch == old; index++, now += 90) {
        fixture.now = now;
        if (index < 8)
            master_drain(&fixture.master, now, index, 0, &fixture.outbox);
        if (is_asked && index == 1)
            say(&fixture, 2, of(MESSAGE_LEAVING, old));
        master_on_tick(&fixture.master, now, &fixture.outbox);
    }
    close_master(&fixture);
    return now - 90 - 1000;
}

static void a_drained_worker_waits_for_the_others_but_not_for_long(void **state)
{
    (void)state;
    CHECK_INT(when_the_drained_leave(false), 8 * 90);
    CHECK_INT(when_the_drained_leave(true), 5 * 90);
}

/* So many rows from number `first` on, from the rank 0 that this peer is. */
static void send_rows(struct fixture *fixture, peer_id from, uint64_t epoch, uint64_t first,
                      int count)
{
    struct message message = of(MESSAGE_MODEL_ROWS, epoch);
    struct text rows;

    text_init(&rows, 1 << 12);
    for (int i = 0; i < count; i++)
        message_put_model_row(&rows, &(struct message_model_row){.part = SLICE("tensor")});
    message.model_rows = (struct message_model_rows){first, text_slice(&rows)};
    say(fixture, from, message);
    text_deinit(&rows);
}

/* The row that the master asked for last; -1: it has not asked. */
static int64_t asked_for(const struct fixture *fixture)
{
    struct message message;
    int64_t row = -1;

    for (size_t i = 0; i < fixture->outbox.count; i++) {
        const struct outbox_entry *entry = &fixture->outbox.entries[i];

        if (entry->kind == OUTBOX_SEND &&
            message_read(outbox_bytes(&fixture->outbox, entry), &message, NULL) == STATUS_OK &&
            message.type == MESSAGE_MODEL_NEXT)
            row = (int64_t)message.model_next.row;
    }
    return row;
}

static void rows_of_the_model_are_stored_as_they_come(void **state)
{
    struct fixture fixture;
    struct message finished = of(MESSAGE_FINISHED, 1);
    (void)state;

    open_master(&fixture, 1, 1, 0);
    hello(&fixture, 1, 0, 0);
    say(&fixture, 1, of(MESSAGE_PUBLISHING, 1));
    CHECK_INT(asked_for(&fixture), 0);
    send_rows(&fixture, 1, 1, 0, 3);
    CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_MODEL_ROWS), 1);
    CHECK_INT(asked_for(&fixture), 3);
    send_rows(&fixture, 1, 1, 0, 3); /* again: they are stored */
    CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_MODEL_ROWS), 0);
    send_rows(&fixture, 1, 1, 3, 2);
    CHECK_INT(asked_for(&fixture), 5);
    CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_MODEL), 0);
    finished.finished.digest = SLICE("00");
    finished.finished.model_rows = 5;
    say(&fixture, 1, finished);
    CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_MODEL), 1);
    CHECK_INT(fixture.master.crew.state, JOB_STATE_DONE);
    close_master(&fixture);
}

static void a_model_without_all_its_rows_is_none(void **state)
{
    struct fixture fixture;
    struct message finished = of(MESSAGE_FINISHED, 1);
    (void)state;

    open_master(&fixture, 1, 1, 0);
    hello(&fixture, 1, 0, 0);
    say(&fixture, 1, of(MESSAGE_PUBLISHING, 1));
    send_rows(&fixture, 1, 1, 0, 3);
    finished.finished.digest = SLICE("00");
    finished.finished.model_rows = 4;
    say(&fixture, 1, finished);
    CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_MODEL), 0);
    CHECK(!crew_has_ended(&fixture.master.crew));
    CHECK_INT(fixture.master.crew.live, 0);
    close_master(&fixture);
}

/* A lost worker has not looked whether its memory changed while it sent them. */
static void rows_of_a_rank_0_that_was_lost_are_stored_anew(void **state)
{
    struct fixture fixture;
    struct message finished = of(MESSAGE_FINISHED, 1);
    (void)state;

    open_master(&fixture, 1, 2, 0);
    hello(&fixture, 1, 0, 0);
    say(&fixture, 1, of(MESSAGE_PUBLISHING, 1));
    send_rows(&fixture, 1, 1, 0, 2);
    master_on_disconnect(&fixture.master, 10, 1, &fixture.outbox);
    hello(&fixture, 2, 0, 1);
    say(&fixture, 1, finished); /* late, from a peer that is gone */
    say(&fixture, 2, finished); /* from an older group */
    CHECK_INT(fixture.master.crew.state, JOB_STATE_RUNNING);
    send_rows(&fixture, 2, 1, 2, 1);
    CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_MODEL_ROWS), 0);
    say(&fixture, 2, of(MESSAGE_PUBLISHING, 2));
    CHECK_INT(asked_for(&fixture), 0);
    send_rows(&fixture, 2, 2, 2, 1); /* it was not asked for */
    CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_MODEL_ROWS), 0);
    send_rows(&fixture, 2, 2, 0, 3);
    CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_MODEL_ROWS), 1);
    finished.epoch = 2;
    finished.finished.digest = SLICE("00");
    finished.finished.model_rows = 3;
    say(&fixture, 2, finished);
    CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_END), 1);
    CHECK_INT(fixture.master.crew.state, JOB_STATE_DONE);
    close_master(&fixture);
}

/* The rows that the same process has sent are not asked for again. */
static void the_same_rank_0_goes_on_where_its_rows_end(void **state)
{
    struct fixture fixture;
    (void)state;

    open_master(&fixture, 1, 1, 0);
    hello(&fixture, 1, 0, 0);
    say(&fixture, 1, of(MESSAGE_PUBLISHING, 1));
    send_rows(&fixture, 1, 1, 0, 2);
    master_on_disconnect(&fixture.master, 10, 1, &fixture.outbox);
    hello(&fixture, 2, 0, 0); /* by another connection */
    say(&fixture, 2, of(MESSAGE_PUBLISHING, fixture.master.group.epoch));
    CHECK_INT(asked_for(&fixture), 2);
    close_master(&fixture);
}

static void unable_to_open(struct fixture *fixture, peer_id from, uint32_t index,
                           uint32_t incarnation)
{
    struct message message = of(MESSAGE_UNABLE, 0);

    message.unable = (struct message_unable){.index = index,
                                             .incarnation = incarnation,
                                             .status = STATUS_IO,
                                             .message = SLICE("no disk"),
                                             .hint = SLICE("Buy one.")};
    say(fixture, from, message);
}

static void a_worker_that_cannot_open_its_rows_is_told_to_go_and_the_others_go_on(void **state)
{
    struct fixture fixture;
    (void)state;

    open_master(&fixture, 1, 2, 0);
    hello(&fixture, 1, 0, 0);
    met(&fixture, 1);
    for (uint32_t i = 0; i < 2 * UNABLE_TRIES_MAX; i++) {
        unable_to_open(&fixture, 10 + i, 1, i);
        CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_EVENT), 1);
        CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_REPORT), i == 0); /* a notice, once */
        CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_CLOSE), 1);
        CHECK_INT(fixture.master.crew.state, JOB_STATE_RUNNING);
    }
    unable_to_open(&fixture, 50, 7, 0); /* there is no such worker */
    CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_EVENT), 0);
    /* Now no worker is here, and none comes that could open them. */
    master_on_disconnect(&fixture.master, 10, 1, &fixture.outbox);
    unable_to_open(&fixture, 60, 1, 9);
    CHECK_INT(fixture.master.crew.state, JOB_STATE_FAILED);
    assert_string_equal(fixture.master.crew.failure.message, "no disk");
    close_master(&fixture);
}

static void runs_out_of_memory(struct fixture *fixture, peer_id from, uint32_t index,
                               uint32_t incarnation)
{
    struct message message = of(MESSAGE_UNABLE, fixture->master.group.epoch);

    message.unable = (struct message_unable){.index = index,
                                             .incarnation = incarnation,
                                             .status = STATUS_NO_MEMORY,
                                             .message = SLICE("out of memory")};
    say(fixture, from, message);
}

static void a_worker_without_memory_at_work_is_lost_alone_and_the_others_go_on(void **state)
{
    struct fixture fixture;
    (void)state;

    open_master(&fixture, 1, 2, 0);
    hello(&fixture, 1, 0, 0);
    met(&fixture, 1);
    hello(&fixture, 2, 1, 0);
    CHECK_INT(fixture.master.crew.live, 2);
    runs_out_of_memory(&fixture, 2, 1, 0);
    CHECK_INT(fixture.master.crew.live, 1);
    CHECK_INT(fixture.master.crew.state, JOB_STATE_RUNNING);
    CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_REPORT), 1); /* the notice */
    CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_REPLACE), 0);
    close_master(&fixture);
}

static void a_worker_without_memory_that_was_not_answered_has_tried_once(void **state)
{
    struct fixture fixture;
    (void)state;

    open_master(&fixture, 1, 1, 0);
    hello(&fixture, 1, 0, 0);
    runs_out_of_memory(&fixture, 1, 0, 0);
    for (uint32_t i = 0; i < 2 * UNABLE_TRIES_MAX; i++) {
        runs_out_of_memory(&fixture, 10 + i, 0, 0); /* on another connection */
        CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_EVENT), 0);
        CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_CLOSE), 1); /* it is answered */
        CHECK_INT(crew_has_ended(&fixture.master.crew), false);
    }
    close_master(&fixture);
}

static void a_job_of_which_all_workers_run_out_of_memory_fails_with_their_words(void **state)
{
    struct fixture fixture;
    (void)state;

    open_master(&fixture, 1, 2, 0);
    for (uint32_t try = 0; try < UNABLE_TRIES_MAX; try++) {
        CHECK_INT(fixture.master.crew.state == JOB_STATE_FAILED, false);
        hello(&fixture, 1 + try, 0, 0);
        runs_out_of_memory(&fixture, 1 + try, 0, try);
    }
    CHECK_INT(fixture.master.crew.state, JOB_STATE_FAILED);
    CHECK_INT(fixture.master.crew.failure.status, STATUS_NO_MEMORY);
    assert_string_equal(fixture.master.crew.failure.message, "out of memory");
    close_master(&fixture);
}

/* A worker that told it the master before this one. */
static void states_that_differ_under_the_master_before_are_given_up_once(void **state)
{
    struct message message = of(MESSAGE_DAMAGED, 5), group;
    struct fixture fixture;
    (void)state;

    open_master(&fixture, 1, 1, 1);
    hello(&fixture, 1, 0, 0);
    message.damage = (struct message_damage){
        .index = 0, .rank = UINT32_MAX, .good = UINT64_MAX, .reason = SLICE("they differ")};
    say(&fixture, 1, message);
    CHECK_INT(fixture.master.generation, 1);
    CHECK(sent(&fixture, 1, MESSAGE_GROUP, &group));
    CHECK_INT(group.group.generation, 1);
    CHECK(group.group.good == UINT64_MAX);
    hello(&fixture, 2, 0, 0); /* by another connection, and it has not heard of that group */
    say(&fixture, 2, message);
    CHECK_INT(fixture.master.generation, 1);
    CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_EVENT), 0);
    close_master(&fixture);
}

/* They were given up under the master before this one, which the newcomer alone has heard. */
static void a_newcomer_that_knows_of_bad_states_ends_the_making_of_a_model(void **state)
{
    struct message message = of(MESSAGE_HELLO, 0), rows;
    struct fixture fixture;
    (void)state;

    open_master(&fixture, 1, 2, 1);
    hello(&fixture, 1, 0, 0);
    tick(&fixture, 300); /* nobody else comes */
    met(&fixture, 1);
    rows = of(MESSAGE_MODEL_ROWS, fixture.master.group.epoch);
    say(&fixture, 1, of(MESSAGE_PUBLISHING, fixture.master.group.epoch));
    CHECK_INT(fixture.master.crew.state, JOB_STATE_PUBLISHING);
    message.hello = (struct message_hello){.index = 1,
                                           .lanes = 8,
                                           .phase = 8,
                                           .generation = 1,
                                           .address = SLICE("unix:/run/somewhere")};
    say(&fixture, 2, message);
    CHECK(sent(&fixture, 1, MESSAGE_GROUP, &message));
    CHECK(message.group.generation == 1 && message.group.good == 0);
    CHECK(message.group.member_count == 2 && message.group.after == 0);
    CHECK_INT(fixture.master.crew.state, JOB_STATE_RUNNING);
    say(&fixture, 1, rows); /* on their way */
    CHECK_INT(fixture.outbox.count, 0);
    close_master(&fixture);
}

/* Where lanes are few it stands by, and the others go back without its help. */
static void states_of_a_full_group_that_are_known_to_be_bad_are_given_up(void **state)
{
    struct message message = of(MESSAGE_HELLO, 0);
    struct fixture fixture;
    (void)state;

    open_master(&fixture, 1, 2, 1);
    message.hello = (struct message_hello){
        .index = 0, .lanes = 1, .phase = 3, .address = SLICE("unix:/run/somewhere")};
    say(&fixture, 1, message);
    tick(&fixture, 300);
    met(&fixture, 1);
    message.hello.index = 1;
    message.hello.generation = 1;
    say(&fixture, 2, message);
    CHECK(sent(&fixture, 1, MESSAGE_GROUP, &message));
    CHECK(message.group.generation == 1 && message.group.member_count == 1);
    close_master(&fixture);
}

static void only_rank_0_is_believed(void **state)
{
    struct fixture fixture;
    struct message finished = of(MESSAGE_FINISHED, 2);
    (void)state;

    job_of_two_workers(&fixture);
    say(&fixture, 2, finished);
    CHECK_INT(fixture.master.crew.state, JOB_STATE_RUNNING);
    say(&fixture, 1, finished);
    CHECK_INT(fixture.master.crew.state, JOB_STATE_DONE);
    close_master(&fixture);
}

static struct job_row last_books(const struct fixture *fixture)
{
    struct job_row row = {.id = 0};

    for (size_t i = 0; i < fixture->outbox.count; i++)
        if (fixture->outbox.entries[i].kind == OUTBOX_JOB)
            memcpy(&row, outbox_bytes(&fixture->outbox, &fixture->outbox.entries[i]).data,
                   sizeof row);
    CHECK_INT(row.id, JOB);
    return row;
}

static void applied(struct fixture *fixture, peer_id from, uint64_t rows)
{
    struct message progress = of(MESSAGE_PROGRESS, fixture->master.group.epoch);

    progress.progress.phase = progress.progress.step = rows / 10;
    progress.progress.rows_done = rows;
    progress.progress.loss = 1;
    say(fixture, from, progress);
}

/*
 *     0 .. 1 s    no worker is here     0 slot seconds
 *     1 .. 2 s    the two of them meet  2
 *     2 .. 6 s    400 rows, no deaths   8     .02 slot seconds a row
 *     6 .. 7 s    one is gone           1
 *     7 .. 9 s    100 rows by the other 2     the same
 */
static void the_books_say_what_slots_were_used_for(void **state)
{
    struct fixture fixture;
    struct job_row row;
    (void)state;

    open_master(&fixture, 1, 2, 0);
    fixture.now = 1000;
    hello(&fixture, 1, 0, 0);
    hello(&fixture, 2, 1, 0);
    met(&fixture, 1);
    fixture.now = 2000;
    met(&fixture, 1);
    applied(&fixture, 1, 10);
    fixture.now = 6000;
    applied(&fixture, 1, 410);
    row = last_books(&fixture);
    CHECK(fabs(row.slot_seconds - 10) < 1e-9);
    CHECK(fabs(row.goodput - 410 * .02 / 10) < 1e-9);
    CHECK(fabs(row.seconds_waiting - 1) < 1e-9);
    master_on_disconnect(&fixture.master, fixture.now, 2, &fixture.outbox);
    fixture.now = 7000;
    master_on_tick(&fixture.master, fixture.now, &fixture.outbox);
    met(&fixture, 1);
    applied(&fixture, 1, 410);
    fixture.now = 9000;
    applied(&fixture, 1, 510);
    row = last_books(&fixture);
    CHECK(fabs(row.slot_seconds - 13) < 1e-9);
    CHECK(fabs(row.goodput - 510 * .02 / 13) < 1e-9);
    CHECK(row.rows_done == 510 && row.workers == 1);
    close_master(&fixture);
}

static void an_evaluation_that_is_repeated_is_recorded_once(void **state)
{
    struct fixture fixture;
    struct message progress = of(MESSAGE_PROGRESS, 1);
    (void)state;

    open_master(&fixture, 1, 1, 0);
    hello(&fixture, 1, 0, 0);
    progress.progress.phase = 5;
    progress.progress.is_record = progress.progress.evaluated = true;
    say(&fixture, 1, progress);
    CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_METRIC),
              4); /* loss, seconds, and two of the evaluation */
    say(&fixture, 1, progress);
    CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_METRIC), 0);
    close_master(&fixture);
}

static void a_restarted_master_waits_for_those_who_know_the_state(void **state)
{
    struct fixture fixture;
    struct message group;
    (void)state;

    open_master(&fixture, 1, 2, 1);
    hello(&fixture, 1, 0, 0);
    CHECK(!sent(&fixture, 1, MESSAGE_GROUP, &group));
    hello(&fixture, 2, 1, 0);
    CHECK(sent(&fixture, 1, MESSAGE_GROUP, &group));
    CHECK(group.epoch == (((uint64_t)1 << 32) | 1)); /* above all of the master before */
    close_master(&fixture);

    open_master(&fixture, 1, 2, 1);
    hello(&fixture, 1, 0, 0);
    tick(&fixture, 300);
    CHECK(sent(&fixture, 1, MESSAGE_GROUP, &group));
    close_master(&fixture);
}

static void a_master_that_meets_a_newer_ones_worker_ends_itself(void **state)
{
    struct fixture fixture;
    struct message message = of(MESSAGE_HELLO, ((uint64_t)1 << 32) | 1);
    (void)state;

    open_master(&fixture, 1, 2, 0);
    message.hello = (struct message_hello){
        .index = 0, .incarnation = 0, .lanes = 8, .phase = 3, .address = SLICE("unix:/a")};
    say(&fixture, 1, message);
    CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_END), 1);
    CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_JOB), 0); /* and leaves the books alone */
    close_master(&fixture);
}

static void workers_that_disagree_about_lanes_fail_the_job(void **state)
{
    struct fixture fixture;
    struct message message = of(MESSAGE_HELLO, 0);
    (void)state;

    open_master(&fixture, 1, 2, 0);
    hello(&fixture, 1, 0, 0);
    message.hello = (struct message_hello){
        .index = 1, .incarnation = 0, .lanes = 4, .phase = 0, .address = SLICE("unix:/a")};
    say(&fixture, 2, message);
    CHECK_INT(fixture.master.crew.state, JOB_STATE_FAILED);
    assert_string_equal(fixture.master.crew.failure.message,
                        "worker 1 counts 4 lanes, the others 8");
    close_master(&fixture);
}

static void more_workers_than_lanes_stand_by(void **state)
{
    struct fixture fixture;
    struct message message = of(MESSAGE_HELLO, 0);
    (void)state;

    open_master(&fixture, 1, 3, 0);
    for (uint32_t i = 0; i < 3; i++) {
        message.hello = (struct message_hello){
            .index = i, .incarnation = 0, .lanes = 2, .phase = 0, .address = SLICE("unix:/a")};
        say(&fixture, i + 1, message);
    }
    CHECK(!sent(&fixture, 3, MESSAGE_GROUP, &message));
    disconnect(&fixture, 10, 1);
    CHECK(sent(&fixture, 3, MESSAGE_GROUP, &message)); /* and step in */
    close_master(&fixture);
}

static void those_who_come_while_a_group_meets_join_the_next_one_together(void **state)
{
    struct fixture fixture;
    struct message message;
    (void)state;

    open_master(&fixture, 1, 4, 0);
    hello(&fixture, 1, 0, 0);
    hello(&fixture, 2, 1, 0);
    CHECK(!sent(&fixture, 2, MESSAGE_GROUP, &message));
    hello(&fixture, 3, 2, 0);
    met(&fixture, 1);
    CHECK(sent(&fixture, 3, MESSAGE_GROUP, &message) && message.group.member_count == 3);
    CHECK(sent(&fixture, 1, MESSAGE_SWITCH, &message));
    CHECK(message.epoch == 1 && message.next_group.epoch == 2);
    close_master(&fixture);
}

static void who_is_asked_to_go_is_let_go_when_the_others_have_gone_on(void **state)
{
    struct fixture fixture;
    struct message message;
    (void)state;

    job_of_two_workers(&fixture);
    say(&fixture, 1, of(MESSAGE_LEAVING, 2));
    CHECK(sent(&fixture, 2, MESSAGE_GROUP, &message));
    CHECK(message.group.after == 2 && message.group.member_count == 1);
    CHECK(sent(&fixture, 1, MESSAGE_SWITCH, &message) && message.next_group.epoch == 3);
    CHECK(!sent(&fixture, 1, MESSAGE_END, &message)); /* its step is in flight */
    say(&fixture, 1, of(MESSAGE_DRAINED, 2));
    CHECK(sent(&fixture, 1, MESSAGE_END, &message));
    CHECK_INT(fixture.master.crew.live, 1);
    met(&fixture, 2);
    CHECK_INT(fixture.master.crew.state, JOB_STATE_RUNNING);
    close_master(&fixture);
}

static void the_last_who_knows_the_state_stays_until_a_newcomer_has_it(void **state)
{
    struct fixture fixture;
    struct message message;
    (void)state;

    open_master(&fixture, 1, 2, 0);
    hello(&fixture, 1, 0, 0);
    hello(&fixture, 2, 1, 0); /* waits for the group to meet */
    say(&fixture, 1, of(MESSAGE_LEAVING, 1));
    met(&fixture, 1);
    CHECK(sent(&fixture, 2, MESSAGE_GROUP, &message) && message.group.member_count == 2);
    met(&fixture, 1);
    CHECK(sent(&fixture, 2, MESSAGE_GROUP, &message) && message.group.member_count == 1);
    CHECK(message.group.after == 2);
    close_master(&fixture);
}

/* Its group waits for a second worker, and no heartbeat has said how far it is. */
static void who_is_asked_to_go_while_the_job_waits_hands_its_state_to_the_store(void **state)
{
    struct fixture fixture;
    struct message message, leaving;
    (void)state;

    open_master(&fixture, 2, 2, 0);
    hello(&fixture, 1, 0, 0);
    hello(&fixture, 2, 1, 0);
    met(&fixture, 1);
    leaving = of(MESSAGE_LEAVING, fixture.master.group.epoch);
    leaving.at_phase.phase = 5;
    disconnect(&fixture, 100, 1);
    CHECK_INT(fixture.master.crew.state, JOB_STATE_WAITING);
    say(&fixture, 2, leaving);
    CHECK(sent(&fixture, 2, MESSAGE_CHECKPOINT, &message));
    CHECK(!sent(&fixture, 2, MESSAGE_END, &message));
    close_master(&fixture);
}

/* Both tell how fast they were; then the master looks at it. */
/* Worker 1 computes; worker 2 only lives. */
static void tell_speed(struct fixture *fixture, uint32_t busy_ms)
{
    struct message message = of(MESSAGE_SPEED, fixture->master.group.epoch);

    message.speed = (struct message_speed){40, busy_ms};
    say(fixture, 1, message);
    say(fixture, 2, of(MESSAGE_PHASE_ALIVE, fixture->master.group.epoch));
    fixture->now += 250;
    tick(fixture, fixture->now);
}

static void tell_speeds(struct fixture *fixture, uint32_t first_ms, uint32_t second_ms)
{
    struct message message = of(MESSAGE_SPEED, fixture->master.group.epoch);

    message.speed = (struct message_speed){40, first_ms};
    say(fixture, 1, message);
    message.speed = (struct message_speed){40, second_ms};
    say(fixture, 2, message);
    fixture->now += 250;
    tick(fixture, fixture->now);
}

static void the_lanes_of_who_is_about_to_go_are_not_dealt_anew(void **state)
{
    struct fixture fixture;
    uint64_t epoch;
    (void)state;

    job_of_two_workers(&fixture);
    fixture.master.options.leave_ms = 1000;
    fixture.now = 1000;
    epoch = fixture.master.group.epoch;
    master_drain(&fixture.master, fixture.now, 1, 0, &fixture.outbox);
    for (int round = 0; round < 3; round++)
        tell_speeds(&fixture, 100, 1000);
    CHECK_INT(fixture.master.group.epoch, epoch);
    fixture.now += 1000;
    master_on_tick(&fixture.master, fixture.now, &fixture.outbox);
    CHECK_INT(fixture.master.group.epoch, epoch + 1);
    CHECK_INT(fixture.master.group.count, 1);
    close_master(&fixture);
}

static void a_slow_worker_gets_fewer_lanes_after_the_phase_in_flight(void **state)
{
    struct fixture fixture;
    struct message message;
    (void)state;

    job_of_two_workers(&fixture);
    CHECK_INT(fixture.master.group.members[0].lane_count, 4);
    tell_speeds(&fixture, 100, 700);
    CHECK(sent(&fixture, 2, MESSAGE_GROUP, &message) && message.group.after == 2);
    CHECK(sent(&fixture, 1, MESSAGE_SWITCH, &message) && message.next_group.epoch == 3);
    CHECK_INT(fixture.master.group.members[0].lane_count, 7);
    CHECK_INT(fixture.master.group.members[1].lane_count, 1);
    met(&fixture, 1);
    for (int i = 0; i < 20; i++) { /* it stays so: no lane goes back and forth */
        tell_speeds(&fixture, 100, 690 + (uint32_t)i);
        CHECK(!sent(&fixture, 2, MESSAGE_GROUP, &message));
    }
    CHECK_INT(fixture.master.group.epoch, 3);
    close_master(&fixture);
}

static void a_very_slow_worker_has_no_lane_until_it_is_tried_again(void **state)
{
    struct fixture fixture;
    struct message message;
    (void)state;

    job_of_two_workers(&fixture);
    tell_speeds(&fixture, 100, 4000);
    CHECK(sent(&fixture, 2, MESSAGE_GROUP, &message) && message.group.member_count == 2);
    CHECK_INT(fixture.master.group.members[0].lane_count, 8);
    CHECK_INT(fixture.master.group.members[1].lane_count, 0);
    met(&fixture, 1);
    for (int i = 0; i < 39; i++) { /* nearly ten seconds */
        tell_speed(&fixture, 100);
        CHECK(!sent(&fixture, 2, MESSAGE_GROUP, &message));
    }
    tell_speed(&fixture, 100);
    tell_speed(&fixture, 100);
    CHECK(sent(&fixture, 2, MESSAGE_GROUP, &message));
    CHECK_INT(fixture.master.group.members[1].lane_count, 1);
    met(&fixture, 1);
    tell_speed(&fixture, 100); /* not judged by what is past */
    CHECK(!sent(&fixture, 2, MESSAGE_GROUP, &message));
    tell_speeds(&fixture, 100, 4000);
    CHECK_INT(fixture.master.group.members[1].lane_count, 0);
    met(&fixture, 1);
    for (int i = 0; i < 79; i++) { /* the second time it waits longer */
        tell_speed(&fixture, 100);
        CHECK(!sent(&fixture, 2, MESSAGE_GROUP, &message));
    }
    tell_speed(&fixture, 100);
    tell_speed(&fixture, 100);
    CHECK_INT(fixture.master.group.members[1].lane_count, 1);
    met(&fixture, 1);
    tell_speeds(&fixture, 100, 100); /* it has recovered: seen twice */
    tell_speeds(&fixture, 100, 100);
    CHECK(fixture.master.group.members[1].lane_count >= 3);
    close_master(&fixture);
}

static void a_small_difference_of_speed_must_be_seen_twice(void **state)
{
    struct fixture fixture;
    struct message message;
    (void)state;

    job_of_two_workers(&fixture);
    tell_speeds(&fixture, 600, 1000); /* 5 and 3 lanes take 3/4 of the time of 4 and 4 */
    CHECK(!sent(&fixture, 2, MESSAGE_GROUP, &message));
    tell_speeds(&fixture, 600, 1000);
    CHECK(sent(&fixture, 2, MESSAGE_GROUP, &message));
    CHECK_INT(fixture.master.group.members[0].lane_count, 5);
    close_master(&fixture);
}

static void nobody_is_slow_before_all_were_measured(void **state)
{
    struct fixture fixture;
    struct message message;
    (void)state;

    job_of_two_workers(&fixture);
    tell_speeds(&fixture, 1, 700); /* a millisecond is no measure */
    CHECK(!sent(&fixture, 2, MESSAGE_GROUP, &message));
    close_master(&fixture);
}

static void a_new_job_waits_a_moment_for_those_who_were_launched_together(void **state)
{
    struct fixture fixture;
    struct message message;
    (void)state;

    open_master(&fixture, 1, 3, 0);
    fixture.master.options.gather_ms = 100;
    fixture.now = 10;
    hello(&fixture, 1, 0, 0);
    CHECK(!sent(&fixture, 1, MESSAGE_GROUP, &message));
    fixture.now = 90;
    hello(&fixture, 2, 1, 0);
    CHECK(!sent(&fixture, 1, MESSAGE_GROUP, &message));
    fixture.now = 150; /* quiet for less than 100 */
    master_on_tick(&fixture.master, fixture.now, &fixture.outbox);
    CHECK_INT(fixture.master.group.count, 0);
    fixture.now = 200;
    master_on_tick(&fixture.master, fixture.now, &fixture.outbox);
    CHECK(sent(&fixture, 1, MESSAGE_GROUP, &message) && message.group.member_count == 2);
    close_master(&fixture);
}

static void a_job_that_lost_everybody_waits_a_moment_again(void **state)
{
    struct fixture fixture;
    struct message message;
    (void)state;

    open_master(&fixture, 1, 3, 0);
    fixture.now = 10;
    hello(&fixture, 1, 0, 0);
    met(&fixture, 1);
    fixture.master.options.gather_ms = 100;
    fixture.now = 5000;
    master_on_disconnect(&fixture.master, fixture.now, 1, &fixture.outbox);
    CHECK_INT(fixture.master.crew.state, JOB_STATE_WAITING);
    fixture.now = 6000;
    hello(&fixture, 2, 0, 1);
    CHECK(!sent(&fixture, 2, MESSAGE_GROUP, &message));
    hello(&fixture, 3, 1, 0);
    fixture.now = 6100;
    master_on_tick(&fixture.master, fixture.now, &fixture.outbox);
    CHECK(sent(&fixture, 3, MESSAGE_GROUP, &message) && message.group.member_count == 2);
    close_master(&fixture);
}

/* They may find it late: a name or an address first has to lead to it. */
static void a_restarted_master_gathers_who_comes_after_it_has_settled(void **state)
{
    struct fixture fixture;
    struct message message;
    (void)state;

    open_master(&fixture, 1, 3, 1);
    fixture.master.options.gather_ms = 100;
    fixture.now = 4700;
    hello(&fixture, 1, 1, 0);
    CHECK(!sent(&fixture, 1, MESSAGE_GROUP, &message));
    fixture.now = 4720;
    hello(&fixture, 2, 2, 0);
    CHECK(!sent(&fixture, 1, MESSAGE_GROUP, &message));
    fixture.now = 4740;
    hello(&fixture, 3, 0, 0);
    CHECK(sent(&fixture, 1, MESSAGE_GROUP, &message) && message.group.member_count == 3);
    close_master(&fixture);
}

static void when_all_who_are_wanted_are_here_nobody_waits(void **state)
{
    struct fixture fixture;
    struct message message;
    (void)state;

    open_master(&fixture, 1, 2, 0);
    fixture.master.options.gather_ms = 100;
    fixture.now = 10;
    hello(&fixture, 1, 0, 0);
    hello(&fixture, 2, 1, 0);
    CHECK(sent(&fixture, 1, MESSAGE_GROUP, &message) && message.group.member_count == 2);
    close_master(&fixture);
}

/* All are asked to go. What the first of them hands back is stored while the
 * others still compute: their phase counts. */
static void a_group_that_works_is_not_disturbed_by_a_state_that_was_stored(void **state)
{
    struct fixture fixture;
    struct message message, leaving;
    struct error err;
    (void)state;

    open_master(&fixture, 1, 3, 0);
    for (uint32_t index = 0; index < 3; index++)
        hello(&fixture, index + 1, index, 0);
    met(&fixture, 1);
    met(&fixture, 1);
    CHECK_INT(fixture.master.group.count, 3);
    leaving = of(MESSAGE_LEAVING, fixture.master.group.epoch);
    for (peer_id peer = 3; peer >= 1; peer--)
        say(&fixture, peer, leaving);
    message = of(MESSAGE_DRAINED, leaving.epoch);
    message.at_phase.phase = 5;
    say(&fixture, 3, message);
    CHECK(sent(&fixture, 3, MESSAGE_CHECKPOINT, &message));
    met(&fixture, 1); /* and is dissolved after the phase in flight */
    CHECK_INT(fixture.master.group.count, 0);
    fixture.master.writing.head.phase = 5; /* the phase that its SNAPSHOT says */
    error_clear(&err);
    outbox_clear(&fixture.outbox);
    master_on_stored(&fixture.master, fixture.now, fixture.master.writing.head.id, &err,
                     &fixture.outbox);
    CHECK(sent(&fixture, 3, MESSAGE_END, &message));
    CHECK(!sent(&fixture, 1, MESSAGE_GROUP, &message));
    close_master(&fixture);
}

static void a_lost_connection_between_members_makes_a_new_group(void **state)
{
    struct fixture fixture;
    struct message message = of(MESSAGE_PEER_LOST, 2);
    (void)state;

    job_of_two_workers(&fixture);
    message.peer_lost.rank = 0;
    say(&fixture, 2, message);
    CHECK(!sent(&fixture, 1, MESSAGE_GROUP, &message)); /* it may be dead: wait a moment */
    master_on_tick(&fixture.master, 20, &fixture.outbox);
    CHECK(sent(&fixture, 1, MESSAGE_GROUP, &message));
    CHECK(message.epoch == 3 && message.group.member_count == 2);
    close_master(&fixture);
}

/* Rank 0 of a group of two has the second one for its only other member. */
static void open_pair(struct fixture *fixture, bool has_met)
{
    open_master(fixture, 1, 2, 0);
    hello(fixture, 1, 0, 0);
    met(fixture, 1);
    hello(fixture, 2, 1, 0);
    if (has_met)
        met(fixture, 1);
}

static void who_is_asked_to_go_while_a_regrouping_is_due_is_not_forgotten(void **state)
{
    struct fixture fixture;
    struct message message;
    (void)state;

    open_pair(&fixture, false);
    say(&fixture, 1, of(MESSAGE_PEER_LOST, 1)); /* which MET calls off */
    say(&fixture, 2, of(MESSAGE_LEAVING, 2));
    met(&fixture, 1);
    CHECK(sent(&fixture, 1, MESSAGE_GROUP, &message) && message.group.member_count == 1);
    close_master(&fixture);
}

static void a_loss_in_the_new_group_counts_whatever_the_old_one_loses(void **state)
{
    struct fixture fixture;
    struct message message;
    (void)state;

    open_pair(&fixture, false);
    say(&fixture, 2, of(MESSAGE_PEER_LOST, 2));
    say(&fixture, 1, of(MESSAGE_PEER_LOST, 1));
    met(&fixture, 1);
    master_on_tick(&fixture.master, 20, &fixture.outbox);
    CHECK(sent(&fixture, 1, MESSAGE_GROUP, &message) && message.epoch == 3);
    close_master(&fixture);
}

static void a_loss_in_a_past_group_lets_nobody_go(void **state)
{
    struct fixture fixture;
    struct message message;
    (void)state;

    open_pair(&fixture, true);
    say(&fixture, 2, of(MESSAGE_LEAVING, 2));
    say(&fixture, 2, of(MESSAGE_PEER_LOST, 1));
    CHECK(!sent(&fixture, 2, MESSAGE_END, &message));
    say(&fixture, 2, of(MESSAGE_DRAINED, 1));
    CHECK(!sent(&fixture, 2, MESSAGE_END, &message));
    say(&fixture, 2, of(MESSAGE_DRAINED, 2));
    CHECK(sent(&fixture, 2, MESSAGE_END, &message));
    close_master(&fixture);
}

static void a_checkpoint_whose_sender_has_gone_makes_room_for_the_next(void **state)
{
    struct fixture fixture;
    struct message message;
    (void)state;

    open_pair(&fixture, true);
    fixture.master.options.checkpoint_ms = 10;
    master_on_tick(&fixture.master, 100, &fixture.outbox);
    CHECK(sent(&fixture, 2, MESSAGE_CHECKPOINT, &message));
    say(&fixture, 2, of(MESSAGE_LEAVING, 2));
    met(&fixture, 1);
    say(&fixture, 2, of(MESSAGE_DRAINED, 2));
    CHECK(sent(&fixture, 2, MESSAGE_END, &message));
    tick(&fixture, 200);
    CHECK(sent(&fixture, 1, MESSAGE_CHECKPOINT, &message));
    close_master(&fixture);
}

static void so_many_steps_make_a_checkpoint_before_its_time(void **state)
{
    struct message progress = of(MESSAGE_PROGRESS, 1), message;
    struct fixture fixture;
    (void)state;

    open_pair(&fixture, true);
    fixture.master.options.checkpoint_steps = 50;
    progress.epoch = fixture.master.group.epoch;
    progress.progress.step = 49;
    say(&fixture, 1, progress);
    tick(&fixture, 100);
    CHECK(!sent(&fixture, 1, MESSAGE_CHECKPOINT, &message));
    CHECK(!sent(&fixture, 2, MESSAGE_CHECKPOINT, &message));
    progress.progress.step = 50;
    say(&fixture, 1, progress);
    fixture.master.checkpoint_least_at = 300; /* the last one took a while */
    tick(&fixture, 299);
    CHECK(!sent(&fixture, 2, MESSAGE_CHECKPOINT, &message));
    tick(&fixture, 300);
    CHECK(sent(&fixture, 2, MESSAGE_CHECKPOINT, &message));
    close_master(&fixture);
}

/* Every group, once: a death takes what its members knew along. The time of staging is none. */
static void workers_are_told_when_the_time_is_over(void **state)
{
    struct fixture fixture;
    struct message message;
    (void)state;

    job_of_two_workers(&fixture);
    fixture.master.options.learn_ms = 1000;
    fixture.master.crew.ms_before = 200;
    tick(&fixture, 1199);
    CHECK(!sent(&fixture, 1, MESSAGE_TIME_OVER, &message));
    tick(&fixture, 1200);
    CHECK(sent(&fixture, 1, MESSAGE_TIME_OVER, &message) && message.epoch == 2);
    CHECK(sent(&fixture, 2, MESSAGE_TIME_OVER, &message));
    tick(&fixture, 1300);
    CHECK(!sent(&fixture, 1, MESSAGE_TIME_OVER, &message));
    disconnect(&fixture, 1400, 2);
    tick(&fixture, 1500);
    CHECK(!sent(&fixture, 1, MESSAGE_TIME_OVER, &message));
    met(&fixture, 1);
    tick(&fixture, 1600);
    CHECK(sent(&fixture, 1, MESSAGE_TIME_OVER, &message) &&
          message.epoch == fixture.master.group.epoch);
    close_master(&fixture);
}

static void a_master_that_goes_on_counts_the_time_of_those_before(void **state)
{
    struct job_row books = {.seconds = 0.75};
    const struct master_options options = {.crew.job = JOB,
                                           .crew.incarnation = 1,
                                           .crew.min_workers = 1,
                                           .crew.max_workers = 1,
                                           .learn_ms = 1000,
                                           .crew.facts = {.started_at = "", .previous = &books}};
    struct fixture fixture = {.now = 0};
    struct message message;
    struct error err;
    (void)state;

    outbox_init(&fixture.outbox);
    CHECK_OK(master_init(&fixture.master, &options, 0, &fixture.outbox, &err));
    hello(&fixture, 1, 0, 0);
    met(&fixture, 1);
    tick(&fixture, 249);
    CHECK(!sent(&fixture, 1, MESSAGE_TIME_OVER, &message));
    tick(&fixture, 250);
    CHECK(sent(&fixture, 1, MESSAGE_TIME_OVER, &message));
    close_master(&fixture);
}

/* The second worker is through before the word of the group's meeting is here. */
static void a_group_that_all_have_left_is_over(void **state)
{
    struct fixture fixture;
    struct message message, gone = of(MESSAGE_DRAINED, 2);
    struct error err;
    (void)state;

    open_pair(&fixture, false);
    say(&fixture, 1, of(MESSAGE_LEAVING, 2));
    say(&fixture, 2, of(MESSAGE_LEAVING, 2));
    gone.at_phase.phase = 5;
    say(&fixture, 2, gone);
    CHECK(sent(&fixture, 2, MESSAGE_CHECKPOINT, &message));
    met(&fixture, 1);
    CHECK_INT(fixture.master.group.count, 0);
    say(&fixture, 1, gone);
    fixture.master.writing.head.phase = 5; /* the phase that its SNAPSHOT says */
    error_clear(&err);
    master_on_stored(&fixture.master, fixture.now, fixture.master.writing.head.id, &err,
                     &fixture.outbox);
    CHECK_INT(fixture.master.crew.live, 0);
    hello(&fixture, 3, 0, 1);
    CHECK(sent(&fixture, 3, MESSAGE_GROUP, &message) && message.group.checkpoint == 5);
    close_master(&fixture);
}

static double rate_after(struct fixture *fixture, int64_t now, uint64_t rows)
{
    struct message progress = of(MESSAGE_PROGRESS, fixture->master.group.epoch);

    progress.progress.rows_done = rows;
    fixture->now = now;
    say(fixture, 1, progress);
    return fixture->master.crew.rows_per_second;
}

static void a_rate_is_of_what_this_master_saw(void **state)
{
    struct master_options options = {.crew.job = JOB,
                                     .crew.incarnation = 1,
                                     .crew.min_workers = 1,
                                     .crew.max_workers = 1,
                                     .crew.facts.started_at = ""};
    struct job_row books;
    struct fixture fixture;
    struct error err;
    (void)state;

    open_master(&fixture, 1, 1, 0);
    fixture.now = 60000; /* no worker was there, so none was slow */
    hello(&fixture, 1, 0, 0);
    CHECK(rate_after(&fixture, 61000, 500) == 500);
    close_master(&fixture);

    memset(&fixture, 0, sizeof fixture);
    memset(&books, 0, sizeof books);
    books.rows_done = 1000000;
    options.crew.facts.previous = &books;
    outbox_init(&fixture.outbox);
    CHECK_OK(master_init(&fixture.master, &options, 0, &fixture.outbox, &err));
    hello(&fixture, 1, 0, 0);
    CHECK(rate_after(&fixture, 1000, 1000500) == 0); /* when the last 500 were is not known */
    CHECK(rate_after(&fixture, 2000, 1001500) == 1000);
    close_master(&fixture);
}

static void a_message_of_another_job_is_not_heard(void **state)
{
    struct fixture fixture;
    struct message message = of(MESSAGE_HELLO, 0);
    (void)state;

    open_master(&fixture, 1, 2, 0);
    message.hello = (struct message_hello){.index = 0,
                                           .incarnation = 0,
                                           .lanes = 8,
                                           .phase = 0,
                                           .address = SLICE("unix:/run/somewhere")};
    message.job = JOB + 1;
    say(&fixture, 1, message);
    CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_CLOSE), 1);
    CHECK_INT(fixture.master.crew.live, 0);
    hello(&fixture, 2, 0, 0);
    met(&fixture, 2);
    message = of(MESSAGE_FAILED, 1);
    message.job = JOB + 1;
    say(&fixture, 9, message); /* its failure is not this job's */
    CHECK_INT(fixture.master.crew.state, JOB_STATE_RUNNING);
    message = of(MESSAGE_PHASE_ALIVE, 1);
    message.job = JOB + 1;
    say(&fixture, 2, message); /* a member that changed jobs is no member any more */
    CHECK(outbox_count(&fixture.outbox, OUTBOX_CLOSE) > 0);
    CHECK_INT(fixture.master.crew.live, 0);
    close_master(&fixture);
}

/* The only worker is asked for a checkpoint, as a store has one of phase `stored`. */
static struct message asked_for_checkpoint(struct fixture *fixture, uint64_t stored)
{
    struct message message;

    open_master(fixture, 1, 1, 0);
    fixture->master.stored =
        (struct checkpoint){.id = 1, .job = JOB, .phase = stored, .bytes = 25, .piece_bytes = 10};
    fixture->master.options.checkpoint_ms = 10;
    hello(fixture, 1, 0, 0);
    met(fixture, 1);
    tick(fixture, 1000);
    CHECK(sent(fixture, 1, MESSAGE_CHECKPOINT, &message));
    return message;
}

static void snapshot(struct fixture *fixture, uint64_t id, uint64_t phase, uint64_t total,
                     uint64_t offset, struct slice bytes)
{
    struct message message = of(MESSAGE_SNAPSHOT, fixture->master.group.epoch);

    message.snapshot = (struct message_snapshot){
        .id = id, .phase = phase, .step = phase, .total = total, .offset = offset, .bytes = bytes};
    say(fixture, 1, message);
}

static void a_state_that_is_stored_already_is_not_stored_again(void **state)
{
    struct fixture fixture;
    uint64_t id;
    (void)state;

    id = asked_for_checkpoint(&fixture, 5).checkpoint.id;
    snapshot(&fixture, id, 5, 25, 0, SLICE("0123456789"));
    CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_PIECE), 0);
    CHECK(!fixture.master.writing.is_active);
    close_master(&fixture);

    id = asked_for_checkpoint(&fixture, 5).checkpoint.id;
    snapshot(&fixture, id, 6, 25, 0, SLICE("0123456789"));
    CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_PIECE), 1);
    close_master(&fixture);
}

static void pieces_of_two_states_are_not_put_together(void **state)
{
    struct fixture fixture;
    struct message message;
    uint64_t id;
    (void)state;

    id = asked_for_checkpoint(&fixture, 0).checkpoint.id;
    snapshot(&fixture, id, 6, 25, 0, SLICE("0123456789"));
    CHECK(sent(&fixture, 1, MESSAGE_CHECKPOINT, &message) && message.checkpoint.offset == 10);
    snapshot(&fixture, id, 6, 35, 10, SLICE("0123456789")); /* its whole has another size */
    CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_PIECE), 0);
    CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_EVENT), 1);
    CHECK(!fixture.master.writing.is_active);
    close_master(&fixture);
}

static size_t count_notices(const struct fixture *fixture, const char *text)
{
    struct job_event event;
    size_t count = 0;

    for (size_t i = 0; i < fixture->outbox.count; i++) {
        const struct outbox_entry *entry = &fixture->outbox.entries[i];

        if (entry->kind != OUTBOX_REPORT)
            continue;
        memcpy(&event, outbox_bytes(&fixture->outbox, entry).data, sizeof event);
        count += event.kind == JOB_NOTICE && strstr(event.message, text);
    }
    return count;
}

/* Again only when one was made in between: the next attempts fail as this one did. */
static void the_user_is_told_once_that_no_checkpoint_can_be_made(void **state)
{
    const struct error full = {.status = STATUS_IO, .message = "the disk is full"};
    const struct error fine = {.status = STATUS_OK};
    struct fixture fixture;
    struct message message;
    (void)state;

    message = asked_for_checkpoint(&fixture, 5);
    fixture.now = 1000;
    for (int attempt = 0; attempt < 4; attempt++) {
        snapshot(&fixture, message.checkpoint.id, 6 + (uint64_t)attempt, 5, 0, SLICE("01234"));
        outbox_clear(&fixture.outbox);
        master_on_stored(&fixture.master, fixture.now, message.checkpoint.id,
                         attempt == 2 ? &fine : &full, &fixture.outbox);
        CHECK_INT(count_notices(&fixture, "no checkpoint can be made: the disk is full"),
                  attempt == 0 || attempt == 3);
        outbox_clear(&fixture.outbox);
        fixture.now = 1100 + 100 * attempt;
        master_on_tick(&fixture.master, fixture.now, &fixture.outbox);
        CHECK(sent(&fixture, 1, MESSAGE_CHECKPOINT, &message));
    }
    close_master(&fixture);
}

static void nothing_behind_the_end_of_a_checkpoint_can_be_asked_for(void **state)
{
    struct fixture fixture;
    struct message request;
    (void)state;

    asked_for_checkpoint(&fixture, 5); /* the store would be called for a piece that is there */
    request = of(MESSAGE_STATE_REQUEST, fixture.master.group.epoch);
    request.state_request.phase = 5;
    fixture.master.stored.bytes = 30;
    request.state_request.offset = 30;
    say(&fixture, 1, request);
    CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_CLOSE), 1);
    CHECK_INT(fixture.master.crew.live, 0);
    close_master(&fixture);
}

static void who_still_stages_hears_that_all_rows_are_staged(void **state)
{
    struct message message = of(MESSAGE_HELLO, 0);
    struct fixture fixture;
    bool is_told = false;
    (void)state;

    job_of_two_workers(&fixture);
    message.hello = (struct message_hello){.index = 1, .is_staging = true};
    say(&fixture, 9, message);
    for (size_t i = 0; i < fixture.outbox.count; i++) {
        const struct outbox_entry *entry = &fixture.outbox.entries[i];

        is_told = is_told || (entry->kind == OUTBOX_SEND && entry->peer == 9 &&
                              message_read(outbox_bytes(&fixture.outbox, entry), &message, NULL) ==
                                  STATUS_OK &&
                              message.type == MESSAGE_STAGED);
    }
    CHECK(is_told && fixture.master.crew.live == 2);
    close_master(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_worker_starts_the_job_and_the_next_one_joins),
        cmocka_unit_test(more_workers_than_lanes_are_not_asked_for),
        cmocka_unit_test(workers_that_make_no_step_faster_are_not_asked_for),
        cmocka_unit_test(the_user_is_told_once_that_no_checkpoint_can_be_made),
        cmocka_unit_test(a_gang_waits_for_its_least_number),
        cmocka_unit_test(a_silent_worker_is_dead_after_the_deadline_and_replaced),
        cmocka_unit_test(a_worker_whose_process_is_alive_may_compute_for_long),
        cmocka_unit_test(a_worker_whose_work_stands_still_is_replaced),
        cmocka_unit_test(a_worker_that_often_takes_long_is_given_many_times_as_long),
        cmocka_unit_test(a_worker_that_uses_the_processor_is_given_more_time),
        cmocka_unit_test(a_worker_that_nobody_waits_for_is_given_more_time),
        cmocka_unit_test(a_worker_that_hangs_before_it_joined_is_replaced_once),
        cmocka_unit_test(a_master_that_was_frozen_does_not_take_the_others_for_dead),
        cmocka_unit_test(an_older_incarnation_cannot_take_a_place_back),
        cmocka_unit_test(a_successor_waits_until_the_one_before_has_left),
        cmocka_unit_test(workers_with_drain_notices_leave_together),
        cmocka_unit_test(a_drained_worker_waits_for_the_others_but_not_for_long),
        cmocka_unit_test(a_successor_that_is_asked_to_go_has_nothing_to_wait_for),
        cmocka_unit_test(rows_of_the_model_are_stored_as_they_come),
        cmocka_unit_test(a_model_without_all_its_rows_is_none),
        cmocka_unit_test(rows_of_a_rank_0_that_was_lost_are_stored_anew),
        cmocka_unit_test(the_same_rank_0_goes_on_where_its_rows_end),
        cmocka_unit_test(a_worker_that_cannot_open_its_rows_is_told_to_go_and_the_others_go_on),
        cmocka_unit_test(a_worker_without_memory_at_work_is_lost_alone_and_the_others_go_on),
        cmocka_unit_test(a_worker_without_memory_that_was_not_answered_has_tried_once),
        cmocka_unit_test(a_job_of_which_all_workers_run_out_of_memory_fails_with_their_words),
        cmocka_unit_test(states_that_differ_under_the_master_before_are_given_up_once),
        cmocka_unit_test(a_newcomer_that_knows_of_bad_states_ends_the_making_of_a_model),
        cmocka_unit_test(states_of_a_full_group_that_are_known_to_be_bad_are_given_up),
        cmocka_unit_test(only_rank_0_is_believed),
        cmocka_unit_test(the_books_say_what_slots_were_used_for),
        cmocka_unit_test(an_evaluation_that_is_repeated_is_recorded_once),
        cmocka_unit_test(a_restarted_master_waits_for_those_who_know_the_state),
        cmocka_unit_test(a_master_that_meets_a_newer_ones_worker_ends_itself),
        cmocka_unit_test(workers_that_disagree_about_lanes_fail_the_job),
        cmocka_unit_test(more_workers_than_lanes_stand_by),
        cmocka_unit_test(those_who_come_while_a_group_meets_join_the_next_one_together),
        cmocka_unit_test(who_is_asked_to_go_is_let_go_when_the_others_have_gone_on),
        cmocka_unit_test(the_last_who_knows_the_state_stays_until_a_newcomer_has_it),
        cmocka_unit_test(who_is_asked_to_go_while_the_job_waits_hands_its_state_to_the_store),
        cmocka_unit_test(a_new_job_waits_a_moment_for_those_who_were_launched_together),
        cmocka_unit_test(a_group_that_works_is_not_disturbed_by_a_state_that_was_stored),
        cmocka_unit_test(a_job_that_lost_everybody_waits_a_moment_again),
        cmocka_unit_test(a_restarted_master_gathers_who_comes_after_it_has_settled),
        cmocka_unit_test(when_all_who_are_wanted_are_here_nobody_waits),
        cmocka_unit_test(the_lanes_of_who_is_about_to_go_are_not_dealt_anew),
        cmocka_unit_test(a_slow_worker_gets_fewer_lanes_after_the_phase_in_flight),
        cmocka_unit_test(a_very_slow_worker_has_no_lane_until_it_is_tried_again),
        cmocka_unit_test(a_small_difference_of_speed_must_be_seen_twice),
        cmocka_unit_test(nobody_is_slow_before_all_were_measured),
        cmocka_unit_test(a_lost_connection_between_members_makes_a_new_group),
        cmocka_unit_test(who_is_asked_to_go_while_a_regrouping_is_due_is_not_forgotten),
        cmocka_unit_test(a_loss_in_the_new_group_counts_whatever_the_old_one_loses),
        cmocka_unit_test(a_loss_in_a_past_group_lets_nobody_go),
        cmocka_unit_test(a_checkpoint_whose_sender_has_gone_makes_room_for_the_next),
        cmocka_unit_test(so_many_steps_make_a_checkpoint_before_its_time),
        cmocka_unit_test(workers_are_told_when_the_time_is_over),
        cmocka_unit_test(a_master_that_goes_on_counts_the_time_of_those_before),
        cmocka_unit_test(a_group_that_all_have_left_is_over),
        cmocka_unit_test(a_rate_is_of_what_this_master_saw),
        cmocka_unit_test(a_message_of_another_job_is_not_heard),
        cmocka_unit_test(a_state_that_is_stored_already_is_not_stored_again),
        cmocka_unit_test(pieces_of_two_states_are_not_put_together),
        cmocka_unit_test(nothing_behind_the_end_of_a_checkpoint_can_be_asked_for),
        cmocka_unit_test(who_still_stages_hears_that_all_rows_are_staged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
