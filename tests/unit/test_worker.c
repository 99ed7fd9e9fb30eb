/*
 * One worker, driven by hand: what it accepts, and from whom.
 */
#include "runtime/train/worker/worker_phase.h"
#include "runtime/train/worker/worker_report.h"
#include "runtime/train/worker/worker_state.h"
#include "runtime/train/worker/worker_switch.h"
#include "tests/outbox_check.h"
#include "tests/sim/toy.h"

#define JOB    7
#define MASTER PEER_FIRST_ASKED
#define FRIEND ((peer_id)5) /* the other member's connection */

struct fixture {
    struct learner *toy;
    struct worker worker;
    struct outbox outbox;
};

static void open_failing_worker(struct fixture *fixture, enum status failure)
{
    struct toy_plan plan = {
        .seed = 1, .lanes = 4, .phases = 20, .rows = 10, .reals = 6, .failure = failure};
    struct worker_options options = {.job = JOB,
                                     .master = "sim:master",
                                     .address = "sim:worker0",
                                     .alive_ms = 1000,
                                     .reconnect_ms = 100,
                                     .search_ms = 60000,
                                     .progress_ms = 100,
                                     .grace_ms = 25000,
                                     .alone_ms = 3000,
                                     .piece_bytes = 1 << 20,
                                     .state_piece_bytes = 1 << 20,
                                     .snapshot_piece_bytes = 1 << 20,
                                     .model_bytes = 16};

    memset(fixture, 0, sizeof *fixture);
    fixture->toy = toy_new(&plan);
    outbox_init(&fixture->outbox);
    worker_init(&fixture->worker, &options, fixture->toy, NULL);
    worker_start(&fixture->worker, 0, &fixture->outbox);
}

static void open_worker(struct fixture *fixture)
{
    open_failing_worker(fixture, STATUS_OK);
}

static void close_worker(struct fixture *fixture)
{
    worker_deinit(&fixture->worker);
    outbox_deinit(&fixture->outbox);
    learner_close(fixture->toy);
}

static struct message of(enum message_type type, uint64_t epoch)
{
    return (struct message){.type = type, .job = JOB, .epoch = epoch};
}

static void say(struct fixture *fixture, peer_id from, struct message message)
{
    outbox_clear(&fixture->outbox);
    worker_on_message(&fixture->worker, 0, from, &message, &fixture->outbox);
}

/* Worker 0 is this one; those after it share the lanes that it has not. */
static void group_of(struct fixture *fixture, uint64_t epoch, const char *indexes)
{
    static const char *const addresses[] = {"sim:worker0", "sim:worker1", "sim:worker2"};
    struct message message = of(MESSAGE_GROUP, epoch);
    const uint32_t count = (uint32_t)strlen(indexes);
    uint32_t first = 0;
    struct text members;

    text_init(&members, 1 << 12);
    for (uint32_t rank = 0; rank < count; rank++) {
        const uint32_t index = (uint32_t)(indexes[rank] - '0'), end = 4 * (rank + 1) / count;
        struct message_member member = {index, first, end - first, slice_of(addresses[index])};

        message_put_member(&members, &member);
        first = end;
    }
    message.group = (struct message_group){.member_count = count, .members = text_slice(&members)};
    say(fixture, MASTER, message);
    text_deinit(&members);
}

/* A group of one member, which has all four lanes. */
static void group_of_one(struct fixture *fixture, uint64_t epoch, uint32_t index,
                         const char *address)
{
    const struct message_member member = {index, 0, 4, slice_of(address)};
    struct message message = of(MESSAGE_GROUP, epoch);
    struct text members;

    text_init(&members, 1 << 12);
    message_put_member(&members, &member);
    message.group = (struct message_group){.member_count = 1, .members = text_slice(&members)};
    say(fixture, MASTER, message);
    text_deinit(&members);
}

/* This worker is rank 0 of two with lanes 0 and 1. */
static void group_of_two(struct fixture *fixture, uint64_t epoch)
{
    group_of(fixture, epoch, "01");
}

static void hello_of(struct fixture *fixture, peer_id from, uint64_t epoch, uint32_t rank,
                     uint64_t phase)
{
    struct message message = of(MESSAGE_PEER_HELLO, epoch);

    message.peer_hello.rank = rank;
    message.peer_hello.phase = phase;
    say(fixture, from, message);
}

/* Rank 0's PHASES: how far each of up to three members is. */
static void phases(struct fixture *fixture, peer_id from, uint64_t epoch, uint32_t count,
                   const uint64_t list[])
{
    struct message message = of(MESSAGE_PEER_PHASES, epoch);

    message.peer_phases.phases = (struct slice){(const char *)list, count * sizeof *list};
    say(fixture, from, message);
}

/* Rank 0 says HELLO, and that all members are at phase 0. */
static void meet_rank_0(struct fixture *fixture, peer_id from, uint64_t epoch, uint32_t count)
{
    static const uint64_t begin[3] = {0};

    hello_of(fixture, from, epoch, 0, 0);
    phases(fixture, from, epoch, count, begin);
}

static void peer_hello(struct fixture *fixture, peer_id from, uint64_t epoch, uint64_t phase)
{
    hello_of(fixture, from, epoch, 1, phase);
}

/* It and another member are connected, in group 1 at phase 0: it computes. */
static void worker_with_a_friend(struct fixture *fixture)
{
    open_worker(fixture);
    group_of_two(fixture, 1);
    peer_hello(fixture, FRIEND, 1, 0);
}

static size_t count_sent(const struct fixture *fixture, enum message_type type)
{
    struct message message;
    size_t count = 0;

    for (size_t i = 0; i < fixture->outbox.count; i++) {
        const struct outbox_entry *entry = &fixture->outbox.entries[i];

        if (entry->kind == OUTBOX_SEND &&
            message_read(outbox_bytes(&fixture->outbox, entry), &message, NULL) == STATUS_OK)
            count += message.type == type;
    }
    return count;
}

static void work_lanes(struct fixture *fixture)
{
    outbox_clear(&fixture->outbox);
    while (worker_has_work(&fixture->worker))
        worker_work(&fixture->worker, 0, &fixture->outbox);
}

/* The other member's sums of its lanes 2 and 3 in phase 0. */
static void partial(struct fixture *fixture, uint64_t epoch, uint64_t phase)
{
    int64_t integers[3] = {0}, fixed[6] = {0};
    struct message message = of(MESSAGE_PARTIAL, epoch);
    struct error err;
    uint32_t done;

    CHECK_OK(learner_contribute(fixture->toy, 2, 1, integers, fixed, NULL, &done, &err));
    CHECK_OK(learner_contribute(fixture->toy, 3, 1, integers, fixed, NULL, &done, &err));
    message.partial.phase = phase;
    message.partial.integers = (struct slice){(const char *)integers, sizeof integers};
    message.partial.fixed = (struct slice){(const char *)fixed, 3 * sizeof *fixed};
    say(fixture, FRIEND, message);
}

static void alone_it_needs_nobody(void **state)
{
    struct fixture fixture;
    struct message message;
    (void)state;

    open_worker(&fixture);
    group_of_one(&fixture, 1, 0, "");
    work_lanes(&fixture);
    CHECK_INT(fixture.worker.state, WORKER_FINISHED);
    CHECK_INT(count_sent(&fixture, MESSAGE_PUBLISHING), 1);
    CHECK_INT(count_sent(&fixture, MESSAGE_PARTIAL), 0);
    CHECK_INT(count_sent(&fixture, MESSAGE_MODEL_ROWS), 0); /* nobody has asked for them */
    for (uint64_t next = 0; next < 7; next += 2) {          /* toy.c has 7, of 8 bytes */
        CHECK_INT(count_sent(&fixture, MESSAGE_FINISHED), 0);
        message = of(MESSAGE_MODEL_NEXT, 1);
        message.model_next.row = next;
        say(&fixture, MASTER, message);
        work_lanes(&fixture);
        CHECK_INT(count_sent(&fixture, MESSAGE_MODEL_ROWS), 1);
    }
    CHECK_INT(count_sent(&fixture, MESSAGE_RESULT), 1);
    CHECK_INT(count_sent(&fixture, MESSAGE_FINISHED), 1);
    close_worker(&fixture);
}

static void who_cannot_open_its_rows_says_why_and_ends(void **state)
{
    const struct worker_options options = {.job = JOB, .index = 3, .incarnation = 2, .master = "m"};
    struct worker worker;
    struct outbox outbox;
    struct message message = of(MESSAGE_END, 0);
    struct error why, err;
    (void)state;

    error_clear(&why);
    fail(&why, STATUS_IO, "no disk");
    outbox_init(&outbox);
    worker_init(&worker, &options, NULL, &why);
    worker_start(&worker, 0, &outbox);
    CHECK_OK(message_read(outbox_bytes(&outbox, &outbox.entries[1]), &message, &err));
    CHECK_INT(message.type, MESSAGE_UNABLE);
    CHECK_INT(message.unable.index, 3);
    CHECK_INT(message.unable.incarnation, 2);
    CHECK_INT(message.unable.status, STATUS_IO);
    CHECK_SLICE(message.unable.message, "no disk");
    outbox_clear(&outbox);
    message = of(MESSAGE_END, 0);
    worker_on_message(&worker, 0, MASTER, &message, &outbox);
    CHECK_INT(worker.state, WORKER_ENDED);
    CHECK_INT(outbox.entries[0].kind, OUTBOX_END);
    CHECK_INT(outbox.entries[0].status, STATUS_CONNECTION); /* its launcher starts it again */
    worker_deinit(&worker);
    outbox_deinit(&outbox);
}

static void rows_that_cannot_be_read_end_the_worker(void **state)
{
    static const struct {
        enum status failure;
        enum message_type told;
    } cases[] = {{STATUS_IO, MESSAGE_UNABLE},
                 {STATUS_NO_MEMORY, MESSAGE_UNABLE},
                 {STATUS_CORRUPT, MESSAGE_DAMAGED}};
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixture fixture;

        open_failing_worker(&fixture, cases[i].failure);
        group_of_one(&fixture, 1, 0, "sim:worker0");
        work_lanes(&fixture);
        CHECK_INT(fixture.worker.state, WORKER_FAILED);
        CHECK_INT(fixture.worker.failure.status, cases[i].failure);
        CHECK(strstr(fixture.worker.failure.message, "the rows of lane 0 cannot be read"));
        CHECK_INT(count_sent(&fixture, cases[i].told), 1);
        close_worker(&fixture);
    }
}

static void a_group_without_it_is_refused(void **state)
{
    struct fixture fixture;
    (void)state;

    open_worker(&fixture);
    group_of_one(&fixture, 1, 7, "sim:worker7");
    CHECK_INT(fixture.worker.state, WORKER_FAILED);
    CHECK_INT(count_sent(&fixture, MESSAGE_FAILED), 1);
    close_worker(&fixture);
}

static void lanes_are_computed_only_when_all_members_have_met(void **state)
{
    struct fixture fixture;
    (void)state;

    open_worker(&fixture);
    group_of_two(&fixture, 1);
    CHECK(!worker_has_work(&fixture.worker));
    peer_hello(&fixture, FRIEND, 1, 0);
    CHECK(worker_has_work(&fixture.worker));
    work_lanes(&fixture);
    CHECK_INT(fixture.worker.state, WORKER_EXCHANGING);
    CHECK_INT(count_sent(&fixture, MESSAGE_PARTIAL), 1);
    close_worker(&fixture);
}

static void a_member_may_come_before_the_master_says_so(void **state)
{
    struct fixture fixture;
    (void)state;

    open_worker(&fixture);
    peer_hello(&fixture, FRIEND, 4, 0);
    CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_CLOSE), 0);
    group_of_two(&fixture, 4);
    CHECK_INT(fixture.worker.state, WORKER_COMPUTING);
    close_worker(&fixture);
}

static void sums_of_a_past_group_are_refused(void **state)
{
    struct fixture fixture;
    (void)state;

    worker_with_a_friend(&fixture);
    group_of_two(&fixture, 2);
    peer_hello(&fixture, FRIEND + 1, 2, 0);
    partial(&fixture, 1, 0); /* late, on the old connection */
    CHECK_INT(fixture.worker.sums.partials_missing, 1);
    CHECK_INT(fixture.worker.sums.integers[0], 0);
    CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_CLOSE), 1);
    close_worker(&fixture);
}

static void members_of_two_groups_keep_their_connection(void **state)
{
    struct fixture fixture;
    (void)state;

    worker_with_a_friend(&fixture);
    group_of_two(&fixture, 2);
    CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_CLOSE), 0);
    CHECK_INT(count_sent(&fixture, MESSAGE_PEER_HELLO), 1);
    CHECK_INT(fixture.worker.state, WORKER_MEETING);
    peer_hello(&fixture, FRIEND, 2, 0);
    CHECK_INT(fixture.worker.state, WORKER_COMPUTING);
    peer_hello(&fixture, FRIEND, 3, 0); /* the master told it first */
    CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_CLOSE), 0);
    group_of_two(&fixture, 3);
    CHECK_INT(fixture.worker.state, WORKER_COMPUTING);
    group_of(&fixture, 4, "0");
    CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_CLOSE), 1);
    close_worker(&fixture);
}

/* The other end had not kept it: the higher rank connects anew, the lower waits for that. */
static void a_kept_connection_that_ends_is_no_loss(void **state)
{
    struct fixture fixture;
    (void)state;

    worker_with_a_friend(&fixture);
    group_of_two(&fixture, 2);
    outbox_clear(&fixture.outbox);
    worker_on_disconnect(&fixture.worker, 0, FRIEND, &fixture.outbox);
    CHECK_INT(fixture.outbox.count, 0);
    peer_hello(&fixture, FRIEND + 1, 2, 0);
    CHECK_INT(fixture.worker.state, WORKER_COMPUTING);
    group_of(&fixture, 3, "10");
    CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_CONNECT), 0);
    outbox_clear(&fixture.outbox);
    worker_on_disconnect(&fixture.worker, 0, FRIEND + 1, &fixture.outbox);
    CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_CONNECT), 1);
    CHECK_INT(count_sent(&fixture, MESSAGE_PEER_HELLO), 1);
    meet_rank_0(&fixture, MASTER + 1, 3, 2);
    CHECK_INT(fixture.worker.state, WORKER_COMPUTING);
    close_worker(&fixture);
}

/* Rank 1 had said HELLO and not heard this worker's when their connection ended. It waits for
 * another connection, rank 0 for the PARTIAL of rank 1, this worker for the SUM of rank 0. */
static void a_member_lost_before_it_may_have_met_this_one_is_reported_at_once(void **state)
{
    struct fixture fixture;
    (void)state;

    open_worker(&fixture);
    fixture.worker.sums.segment_least = 100; /* rank 0 adds up all: rank 1 sends nothing else */
    group_of(&fixture, 1, "120");
    meet_rank_0(&fixture, MASTER + 1, 1, 3);
    hello_of(&fixture, MASTER + 2, 1, 1, 0);
    work_lanes(&fixture);
    CHECK_INT(fixture.worker.state, WORKER_EXCHANGING);
    worker_on_disconnect(&fixture.worker, 0, MASTER + 2, &fixture.outbox);
    CHECK_INT(count_sent(&fixture, MESSAGE_PEER_LOST), 1);
    close_worker(&fixture);
}

/* A word about the group to come that came over a closed connection counts no more. */
static void who_comes_again_after_a_word_of_the_next_group_is_heard_again(void **state)
{
    struct fixture fixture;
    (void)state;

    worker_with_a_friend(&fixture);
    peer_hello(&fixture, FRIEND, 3, 0);
    group_of(&fixture, 2, "0");
    group_of_two(&fixture, 3);
    CHECK_INT(fixture.worker.state, WORKER_MEETING);
    peer_hello(&fixture, FRIEND + 1, 3, 0);
    CHECK_INT(fixture.worker.state, WORKER_COMPUTING);
    close_worker(&fixture);
}

/* It met all before this worker did: it has what it asked for, and is owed nothing. */
static void who_was_given_the_state_early_is_not_waited_for(void **state)
{
    struct fixture fixture;
    struct message request = of(MESSAGE_STATE_REQUEST, 2), asked = of(MESSAGE_SWITCH, 2);
    (void)state;

    open_worker(&fixture);
    group_of(&fixture, 1, "0");
    work_lanes(&fixture);
    group_of(&fixture, 2, "012");
    peer_hello(&fixture, FRIEND, 2, 0);
    request.state_request.phase = fixture.toy->phase.number;
    say(&fixture, FRIEND, request);
    CHECK_INT(count_sent(&fixture, MESSAGE_STATE), 1);
    hello_of(&fixture, FRIEND + 1, 2, 2, request.state_request.phase);
    CHECK_INT(fixture.worker.state, WORKER_FINISHED);
    asked.next_group.epoch = 3;
    say(&fixture, MASTER, asked);
    CHECK_INT(count_sent(&fixture, MESSAGE_DRAINED), 1);
    close_worker(&fixture);
}

static void a_frame_of_another_epoch_on_a_members_connection_is_dropped(void **state)
{
    struct fixture fixture;
    (void)state;

    open_worker(&fixture);
    group_of_two(&fixture, 2);
    peer_hello(&fixture, FRIEND, 2, 0);
    partial(&fixture, 1, 0);
    CHECK_INT(fixture.worker.sums.partials_missing, 1);
    partial(&fixture, 2, 0);
    CHECK_INT(fixture.worker.sums.partials_missing, 0);
    close_worker(&fixture);
}

static void a_partial_of_the_next_phase_waits_and_one_of_a_later_is_refused(void **state)
{
    struct fixture fixture;
    (void)state;

    worker_with_a_friend(&fixture);
    partial(&fixture, 1, 1);
    CHECK(fixture.worker.held.size > 0);
    CHECK_INT(count_sent(&fixture, MESSAGE_PEER_LOST), 0);
    partial(&fixture, 1, 2);
    CHECK_INT(count_sent(&fixture, MESSAGE_PEER_LOST), 1);
    close_worker(&fixture);
}

static void a_sum_before_the_own_lanes_are_done_is_refused(void **state)
{
    struct fixture fixture;
    struct message message = of(MESSAGE_SUM, 1);
    (void)state;

    worker_with_a_friend(&fixture);
    message.sum.first = 3;
    message.sum.reals = (struct slice){"abcdefghijkl", 12};
    say(&fixture, FRIEND, message);
    CHECK_INT(count_sent(&fixture, MESSAGE_PEER_LOST), 1);
    close_worker(&fixture);
}

static void a_group_of_an_older_master_is_ignored(void **state)
{
    struct fixture fixture;
    (void)state;

    open_worker(&fixture);
    group_of_two(&fixture, ((uint64_t)1 << 32) | 1);
    group_of_two(&fixture, 9);
    CHECK(fixture.worker.group.epoch == (((uint64_t)1 << 32) | 1));
    close_worker(&fixture);
}

static void who_is_behind_asks_for_the_state_and_who_is_ahead_gives_it(void **state)
{
    struct fixture fixture;
    struct message message = of(MESSAGE_STATE_REQUEST, 1);
    (void)state;

    open_worker(&fixture);
    group_of_two(&fixture, 1);
    peer_hello(&fixture, FRIEND, 1, 6);
    CHECK_INT(fixture.worker.state, WORKER_FETCHING);
    CHECK_INT(count_sent(&fixture, MESSAGE_STATE_REQUEST), 1);
    close_worker(&fixture);

    worker_with_a_friend(&fixture);
    say(&fixture, FRIEND, message);
    CHECK_INT(count_sent(&fixture, MESSAGE_STATE), 1);
    message.state_request.phase = 3; /* which nobody here has */
    say(&fixture, FRIEND, message);
    CHECK_INT(count_sent(&fixture, MESSAGE_STATE), 0);
    close_worker(&fixture);
}

/* The bytes of a state that were sent, all its messages in a row. */
static struct text sent_bytes(const struct fixture *fixture, enum message_type type)
{
    struct text bytes;

    text_init(&bytes, 1 << 20);
    for (size_t i = 0; i < fixture->outbox.count; i++) {
        const struct outbox_entry *entry = &fixture->outbox.entries[i];
        struct message message;

        if (entry->kind == OUTBOX_SEND &&
            message_read(outbox_bytes(&fixture->outbox, entry), &message, NULL) == STATUS_OK &&
            message.type == type)
            text_append(&bytes,
                        type == MESSAGE_STATE ? message.state.bytes : message.snapshot.bytes);
    }
    return bytes;
}

/* Two pieces of 16 bytes for each request: nothing larger of a state is ever in memory twice. */
static void a_state_is_sent_by_pieces_as_it_is_asked_for(void **state)
{
    struct fixture giver, taker;
    struct message request = of(MESSAGE_STATE_REQUEST, 2), reply = of(MESSAGE_STATE, 2);
    uint64_t requests = 1;
    struct text bytes;
    (void)state;

    open_worker(&giver);
    open_worker(&taker);
    giver.worker.options.state_piece_bytes = taker.worker.options.state_piece_bytes = 16;
    giver.worker.options.state_pieces = taker.worker.options.state_pieces = 2;
    group_of(&giver, 1, "0");
    work_lanes(&giver);
    group_of(&giver, 2, "01");
    peer_hello(&giver, FRIEND, 2, 0);
    group_of(&taker, 2, "01");
    request.state_request.phase = 20;
    peer_hello(&taker, FRIEND, 2, request.state_request.phase);
    reply.state.phase = request.state_request.phase;
    CHECK_INT(taker.worker.state, WORKER_FETCHING);
    while (taker.worker.state == WORKER_FETCHING) {
        say(&giver, FRIEND, request);
        bytes = sent_bytes(&giver, MESSAGE_STATE);
        CHECK(count_sent(&giver, MESSAGE_STATE) <= 2 && bytes.size > 0 && bytes.size <= 32);
        reply.state.total = giver.worker.front.size + 160;
        for (size_t at = 0; at < bytes.size; at += 16) {
            reply.state.offset = request.state_request.offset + at;
            reply.state.bytes =
                (struct slice){bytes.data + at, bytes.size - at < 16 ? bytes.size - at : 16};
            say(&taker, FRIEND, reply);
            requests += count_sent(&taker, MESSAGE_STATE_REQUEST);
        }
        request.state_request.offset += bytes.size;
        text_deinit(&bytes);
    }
    CHECK_INT(taker.worker.state, WORKER_FINISHED);
    CHECK_INT(requests, (reply.state.total + 31) / 32);
    close_worker(&giver);
    close_worker(&taker);
}

/* The steps go on while the store takes the state: what it gets is that of the first piece. */
static void a_checkpoint_has_the_state_of_its_first_piece(void **state)
{
    struct fixture fixture;
    struct message asked = of(MESSAGE_CHECKPOINT, 1);
    struct text whole, pieces;
    uint64_t phase;
    (void)state;

    open_worker(&fixture);
    fixture.worker.options.snapshot_piece_bytes = 1 << 20;
    group_of(&fixture, 1, "0");
    say(&fixture, MASTER, asked);
    whole = sent_bytes(&fixture, MESSAGE_SNAPSHOT);
    CHECK(whole.size > 160);
    fixture.worker.options.snapshot_piece_bytes = 24;
    text_init(&pieces, 1 << 20);
    asked.checkpoint.id = 1;
    phase = fixture.toy->phase.number;
    while (pieces.size < whole.size) {
        struct text piece;

        say(&fixture, MASTER, asked);
        piece = sent_bytes(&fixture, MESSAGE_SNAPSHOT);
        CHECK(piece.size > 0 && piece.size <= 24);
        text_append(&pieces, text_slice(&piece));
        text_deinit(&piece);
        asked.checkpoint.offset = pieces.size;
        if (pieces.size == 72) /* three pieces from where they lie, the others after a step */
            while (fixture.toy->phase.number == phase)
                worker_work(&fixture.worker, 0, &fixture.outbox);
    }
    CHECK(fixture.toy->phase.number > phase);
    CHECK(slice_equal(text_slice(&whole), text_slice(&pieces)));
    text_deinit(&whole);
    text_deinit(&pieces);
    close_worker(&fixture);
}

static void a_state_that_was_changed_on_its_way_is_asked_for_in_another_group(void **state)
{
    struct fixture fixture;
    struct message message = of(MESSAGE_STATE, 1);
    char nonsense[300];
    (void)state;

    open_worker(&fixture);
    group_of_two(&fixture, 1);
    peer_hello(&fixture, FRIEND, 1, 6);
    memset(nonsense, 0, sizeof nonsense);
    message.state = (struct message_state){6, sizeof nonsense, 0, {nonsense, sizeof nonsense}};
    say(&fixture, FRIEND, message);
    CHECK_INT(count_sent(&fixture, MESSAGE_FAILED), 0);
    CHECK_INT(count_sent(&fixture, MESSAGE_PEER_LOST), 1); /* the giver finds out when it goes on */
    close_worker(&fixture);
}

static void a_phase_counts_as_redone_only_when_it_is_computed_again(void **state)
{
    struct fixture fixture;
    (void)state;

    worker_with_a_friend(&fixture);
    work_lanes(&fixture);
    CHECK_INT(fixture.worker.state, WORKER_EXCHANGING);
    group_of_two(&fixture, 2); /* the other may have had all that it needed of this phase */
    CHECK_INT(fixture.worker.rows_redone, 0);
    peer_hello(&fixture, FRIEND, 2, 0);
    CHECK(fixture.worker.rows_redone > 0); /* it had not */
    close_worker(&fixture);
}

static void steps_go_on_without_the_master_and_it_is_called_again(void **state)
{
    struct fixture fixture;
    (void)state;

    worker_with_a_friend(&fixture);
    outbox_clear(&fixture.outbox);
    worker_on_disconnect(&fixture.worker, 10, MASTER, &fixture.outbox);
    CHECK(worker_has_work(&fixture.worker));
    worker_on_tick(&fixture.worker, 50, &fixture.outbox);
    CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_CONNECT), 0);
    worker_on_tick(&fixture.worker, 100, &fixture.outbox);
    CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_CONNECT), 1);
    CHECK_INT(count_sent(&fixture, MESSAGE_HELLO), 1);
    close_worker(&fixture);
}

/* Records that it made meanwhile, or sent into a connection that was ending. */
static void a_master_that_is_found_again_is_told_the_records(void **state)
{
    struct fixture fixture;
    (void)state;

    open_worker(&fixture);
    group_of(&fixture, 1, "0");
    worker_on_disconnect(&fixture.worker, 10, MASTER, &fixture.outbox);
    work_lanes(&fixture);
    CHECK(fixture.worker.evaluations.count > 0);
    outbox_clear(&fixture.outbox);
    worker_on_tick(&fixture.worker, 100, &fixture.outbox);
    CHECK_INT(count_sent(&fixture, MESSAGE_PROGRESS),
              fixture.worker.records.count + fixture.worker.evaluations.count);
    close_worker(&fixture);
}

/* Each step is a record: more of them than are kept, and evaluations among the first. */
/* It may have died before it made a group of it, and whoever was right may be gone. */
static void a_difference_is_told_again_until_a_group_of_the_next_generation(void **state)
{
    struct fixture fixture;
    struct message message = of(MESSAGE_PARTIAL, 1), told;
    const struct message_member member = {0, 0, 4, SLICE("")};
    struct text members;
    int64_t integers[3] = {0}, fixed[6] = {0};
    struct error err;
    (void)state;

    open_worker(&fixture);
    group_of_two(&fixture, 1);
    peer_hello(&fixture, FRIEND, 1, 0);
    work_lanes(&fixture);
    message.partial.check = fixture.worker.check + 1;
    message.partial.integers = (struct slice){(const char *)integers, sizeof integers};
    message.partial.fixed = (struct slice){(const char *)fixed, 3 * sizeof *fixed};
    say(&fixture, FRIEND, message);
    CHECK_INT(count_sent(&fixture, MESSAGE_DAMAGED), 1);
    worker_on_disconnect(&fixture.worker, 10, MASTER, &fixture.outbox);
    outbox_clear(&fixture.outbox);
    worker_on_tick(&fixture.worker, 200, &fixture.outbox);
    CHECK_INT(count_sent(&fixture, MESSAGE_HELLO), 1);
    CHECK_INT(count_sent(&fixture, MESSAGE_DAMAGED), 1);
    CHECK_OK(message_read(outbox_bytes(&fixture.outbox, &fixture.outbox.entries[2]), &told, &err));
    CHECK(!told.damage.is_own && told.damage.rank == UINT32_MAX);
    CHECK_SLICE(told.damage.reason, "the states of the workers differ before phase 0");

    message = of(MESSAGE_GROUP, (uint64_t)1 << 32 | 1);
    text_init(&members, 1 << 12);
    message_put_member(&members, &member);
    message.group =
        (struct message_group){.member_count = 1, .generation = 1, .members = text_slice(&members)};
    worker_on_message(&fixture.worker, 210, fixture.worker.master, &message, &fixture.outbox);
    worker_on_disconnect(&fixture.worker, 220, fixture.worker.master, &fixture.outbox);
    outbox_clear(&fixture.outbox);
    worker_on_tick(&fixture.worker, 500, &fixture.outbox);
    CHECK_INT(count_sent(&fixture, MESSAGE_HELLO), 1);
    CHECK_INT(count_sent(&fixture, MESSAGE_DAMAGED), 0);
    text_deinit(&members);
    close_worker(&fixture);
}

/* A group of this worker alone, before which the master gave up all states. */
static void group_that_begins_anew(struct fixture *fixture, uint64_t epoch)
{
    const struct message_member member = {0, 0, 4, SLICE("")};
    struct message message = of(MESSAGE_GROUP, epoch);
    struct text members;

    text_init(&members, 1 << 12);
    message_put_member(&members, &member);
    message.group =
        (struct message_group){.member_count = 1, .generation = 1, .members = text_slice(&members)};
    say(fixture, MASTER, message);
    text_deinit(&members);
}

/* The digest in the last FINISHED of the outbox. */
static void read_digest(const struct fixture *fixture, char digest[DIGEST_BYTES])
{
    struct message message;

    digest[0] = '\0';
    for (size_t i = 0; i < fixture->outbox.count; i++) {
        const struct outbox_entry *entry = &fixture->outbox.entries[i];

        if (entry->kind == OUTBOX_SEND &&
            message_read(outbox_bytes(&fixture->outbox, entry), &message, NULL) == STATUS_OK &&
            message.type == MESSAGE_FINISHED)
            slice_copy(message.finished.digest, digest, DIGEST_BYTES);
    }
}

static void send_model(struct fixture *fixture, uint64_t epoch)
{
    for (uint64_t next = 0; next < 7; next += 2) { /* toy.c has 7, two in a message */
        struct message message = of(MESSAGE_MODEL_NEXT, epoch);

        message.model_next.row = next;
        say(fixture, MASTER, message);
        work_lanes(fixture);
    }
}

/* A bit of the weights was inverted between the last step and the measuring. */
static void what_was_measured_of_a_state_that_is_given_up_is_measured_anew(void **state)
{
    struct fixture fixture;
    char digest[DIGEST_BYTES], expected[DIGEST_BYTES];
    struct result_metric metrics[LEARNER_METRICS_MAX];
    size_t size, metric_count;
    struct error err;
    uint64_t rows;
    (void)state;

    open_worker(&fixture);
    group_of_one(&fixture, 1, 0, "");
    while (fixture.worker.state != WORKER_FINISHED)
        worker_work(&fixture.worker, 0, &fixture.outbox);
    ((uint8_t *)learner_memory(fixture.toy, "weights", &size))[1] ^= 16;
    work_lanes(&fixture);
    CHECK(fixture.worker.publication.is_measured);
    group_that_begins_anew(&fixture, 2);
    CHECK_INT(fixture.toy->phase.number, 0);
    work_lanes(&fixture);
    send_model(&fixture, 2);
    read_digest(&fixture, digest);
    CHECK_OK(learner_result(fixture.toy, expected, &rows, metrics, &metric_count, &err));
    assert_string_equal(digest, expected);
    close_worker(&fixture);
}

static void evaluations_outlive_the_records_of_many_steps(void **state)
{
    struct fixture fixture;
    struct learner_report evaluation = {.evaluated = true, .validation_loss = 1};
    struct learner_report step = {.step_applied = true, .rows_applied = 1, .epoch_ended = true};
    struct message message;
    uint64_t evaluations = 0;
    (void)state;

    open_worker(&fixture);
    group_of(&fixture, 1, "0");
    worker_on_disconnect(&fixture.worker, 10, MASTER, &fixture.outbox);
    work_lanes(&fixture); /* its phase is past the group's first */
    fixture.worker.records.count = fixture.worker.evaluations.count = 0;
    worker_note_report(&fixture.worker, 20, &evaluation, &fixture.outbox);
    for (int i = 0; i < 3 * WORKER_RECORDS_MAX; i++)
        worker_note_report(&fixture.worker, 20, &step, &fixture.outbox);
    outbox_clear(&fixture.outbox);
    worker_on_tick(&fixture.worker, 200, &fixture.outbox);
    CHECK_INT(count_sent(&fixture, MESSAGE_PROGRESS), WORKER_RECORDS_MAX + 1);
    for (size_t i = 0; i < fixture.outbox.count; i++)
        if (fixture.outbox.entries[i].kind == OUTBOX_SEND &&
            message_read(outbox_bytes(&fixture.outbox, &fixture.outbox.entries[i]), &message,
                         NULL) == STATUS_OK &&
            message.type == MESSAGE_PROGRESS)
            evaluations += message.progress.evaluated;
    CHECK_INT(evaluations, 1);
    close_worker(&fixture);
}

static void a_member_that_is_gone_is_reported_once(void **state)
{
    struct fixture fixture;
    (void)state;

    worker_with_a_friend(&fixture);
    outbox_clear(&fixture.outbox);
    worker_on_disconnect(&fixture.worker, 0, FRIEND, &fixture.outbox);
    worker_on_disconnect(&fixture.worker, 0, FRIEND, &fixture.outbox);
    CHECK_INT(count_sent(&fixture, MESSAGE_PEER_LOST), 1);
    close_worker(&fixture);
}

/* Without work, with the state of the end, in a group with one who has nothing. */
static void finish_beside_a_newcomer(struct fixture *fixture)
{
    struct message message = of(MESSAGE_GROUP, 1);
    struct message_member member = {0, 0, 4, SLICE("")};
    struct text members;

    open_worker(fixture);
    text_init(&members, 1 << 12);
    message_put_member(&members, &member);
    message.group = (struct message_group){.member_count = 1, .members = text_slice(&members)};
    say(fixture, MASTER, message);
    text_deinit(&members);
    work_lanes(fixture);
    group_of_two(fixture, 2);
    peer_hello(fixture, FRIEND, 2, 0);
    CHECK_INT(fixture->worker.state, WORKER_FINISHED);
}

static void who_has_the_last_state_stays_until_the_newcomer_has_it(void **state)
{
    struct fixture fixture;
    struct message asked = of(MESSAGE_SWITCH, 2), request = of(MESSAGE_STATE_REQUEST, 2);
    (void)state;

    finish_beside_a_newcomer(&fixture);
    asked.next_group.epoch = 3;
    say(&fixture, MASTER, asked);
    CHECK_INT(count_sent(&fixture, MESSAGE_DRAINED), 0);
    request.state_request.phase = fixture.worker.target;
    say(&fixture, FRIEND, request);
    CHECK_INT(count_sent(&fixture, MESSAGE_STATE), 1);
    CHECK_INT(count_sent(&fixture, MESSAGE_DRAINED), 1);
    close_worker(&fixture);
}

static void a_newcomer_that_is_gone_before_it_has_the_state_is_reported(void **state)
{
    struct fixture fixture;
    (void)state;

    finish_beside_a_newcomer(&fixture);
    outbox_clear(&fixture.outbox);
    worker_on_disconnect(&fixture.worker, 0, FRIEND, &fixture.outbox);
    CHECK_INT(count_sent(&fixture, MESSAGE_PEER_LOST), 1);
    close_worker(&fixture);
}

static void a_message_of_another_job_closes_the_connection(void **state)
{
    struct fixture fixture;
    struct message message = of(MESSAGE_PEER_HELLO, 1);
    (void)state;

    open_worker(&fixture);
    message.job = 8;
    say(&fixture, FRIEND, message);
    CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_CLOSE), 1);
    close_worker(&fixture);
}

/* Once a second until `until`; whether the worker ends. */
static bool ends_within(struct fixture *fixture, int64_t from, int64_t until, bool is_refused)
{
    for (int64_t now = from; now < until; now += 1000) {
        outbox_clear(&fixture->outbox);
        worker_on_tick(&fixture->worker, now, &fixture->outbox);
        for (size_t i = 0; i < fixture->outbox.count; i++)
            if (fixture->outbox.entries[i].kind == OUTBOX_END)
                return fixture->outbox.entries[i].status == STATUS_CONNECTION;
        if (is_refused && fixture->worker.master != PEER_NONE)
            worker_on_disconnect(&fixture->worker, now + 1, fixture->worker.master,
                                 &fixture->outbox);
    }
    return false;
}

static void who_finds_no_master_gives_up_in_its_time(void **state)
{
    struct fixture fixture;
    (void)state;

    open_worker(&fixture);
    CHECK(!ends_within(&fixture, 0, 59000, true));
    CHECK(ends_within(&fixture, 59000, 62000, true));
    close_worker(&fixture);

    open_worker(&fixture); /* a message of the master, or a connection that lasts: it is found */
    CHECK(!ends_within(&fixture, 0, 59000, true));
    worker_on_tick(&fixture.worker, 59000, &fixture.outbox);
    say(&fixture, fixture.worker.master, of(MESSAGE_GROUP, 0));
    CHECK(!ends_within(&fixture, 59000, 100000, true));
    CHECK(!ends_within(&fixture, 100000, 600000, false));
    CHECK(!ends_within(&fixture, 600000, 659000, true));
    CHECK(ends_within(&fixture, 659000, 662000, true));
    close_worker(&fixture);
}

/* Its pod is deleted in the moment in which the job ends. */
static void asked_to_go_it_does_not_wait_for_a_master_that_never_knew_it(void **state)
{
    struct fixture fixture;
    (void)state;

    open_worker(&fixture);
    worker_leave(&fixture.worker, 0, &fixture.outbox);
    worker_on_tick(&fixture.worker, 1, &fixture.outbox);
    CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_END), 0);
    worker_on_disconnect(&fixture.worker, 2, MASTER, &fixture.outbox);
    worker_on_tick(&fixture.worker, 3, &fixture.outbox);
    CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_END), 1);
    close_worker(&fixture);
}

static void asked_to_go_a_member_waits_for_the_next_master(void **state)
{
    struct fixture fixture;
    (void)state;

    open_worker(&fixture);
    group_of_two(&fixture, 1);
    worker_leave(&fixture.worker, 0, &fixture.outbox);
    worker_on_disconnect(&fixture.worker, 1, MASTER, &fixture.outbox);
    worker_on_tick(&fixture.worker, 2, &fixture.outbox);
    CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_END), 0);
    close_worker(&fixture);
}

/* A node is drained, and the master leaves with it: the next master is on its way. */
static void asked_to_go_soon_after_its_master_it_waits_for_the_grace(void **state)
{
    struct fixture fixture;
    (void)state;

    open_worker(&fixture);
    group_of_two(&fixture, 1);
    worker_on_disconnect(&fixture.worker, 1000, MASTER, &fixture.outbox);
    worker_leave(&fixture.worker, 1999, &fixture.outbox);
    worker_on_tick(&fixture.worker, 26998, &fixture.outbox);
    CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_END), 0);
    worker_on_tick(&fixture.worker, 26999, &fixture.outbox);
    CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_END), 1);
    close_worker(&fixture);
}

/* A job was deleted while it had no master, and nobody follows it. */
static void asked_to_go_long_after_its_master_it_waits_a_little(void **state)
{
    struct fixture fixture;
    (void)state;

    open_worker(&fixture);
    group_of_two(&fixture, 1);
    worker_on_disconnect(&fixture.worker, 1000, MASTER, &fixture.outbox);
    worker_leave(&fixture.worker, 2000, &fixture.outbox);
    worker_on_tick(&fixture.worker, 4999, &fixture.outbox);
    CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_END), 0);
    worker_on_tick(&fixture.worker, 5000, &fixture.outbox);
    CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_END), 1);
    close_worker(&fixture);
}

static void a_master_that_comes_while_it_waits_has_the_grace(void **state)
{
    struct fixture fixture;
    (void)state;

    open_worker(&fixture);
    group_of_two(&fixture, 1);
    worker_on_disconnect(&fixture.worker, 1000, MASTER, &fixture.outbox);
    worker_leave(&fixture.worker, 2000, &fixture.outbox);
    worker_on_tick(&fixture.worker, 3000, &fixture.outbox); /* connects again */
    say(&fixture, fixture.worker.master, of(MESSAGE_GROUP, 1));
    worker_on_tick(&fixture.worker, 26999, &fixture.outbox);
    CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_END), 0);
    worker_on_tick(&fixture.worker, 27000, &fixture.outbox);
    CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_END), 1);
    close_worker(&fixture);
}

static void a_sum_of_another_phase_is_refused(void **state)
{
    const int64_t integers[3] = {0};
    const float reals[3] = {1, 2, 3};
    struct fixture fixture;
    struct message message = of(MESSAGE_SUM, 1);
    (void)state;

    for (uint64_t phase = 0; phase < 3; phase++) {
        open_worker(&fixture);
        group_of(&fixture, 1, "10"); /* this one is rank 1, the other sums what it owns */
        meet_rank_0(&fixture, MASTER + 1, 1, 2);
        work_lanes(&fixture);
        CHECK_INT(fixture.worker.state, WORKER_EXCHANGING);
        message.sum.phase = phase;
        message.sum.integers = (struct slice){(const char *)integers, sizeof integers};
        message.sum.reals = (struct slice){(const char *)reals, sizeof reals};
        say(&fixture, MASTER + 1, message);
        CHECK_INT(count_sent(&fixture, MESSAGE_PEER_LOST), phase != 0);
        CHECK_INT(fixture.worker.sums.sums_missing, phase != 0);
        close_worker(&fixture);
    }
}

/* Sums held back for a group's next phase go with the group. */
static void a_held_sum_does_not_reach_the_next_group(void **state)
{
    struct fixture fixture;
    (void)state;

    worker_with_a_friend(&fixture);
    partial(&fixture, 1, 1); /* sums of the next phase */
    CHECK(fixture.worker.held.size > 0);
    group_of_two(&fixture, 2);
    CHECK_INT(fixture.worker.held.size, 0);
    group_of(&fixture, 3, "0");
    CHECK_INT(fixture.worker.held.size, 0);
    close_worker(&fixture);
}

/* By a connection that this worker asked for: as another rank, or twice for one group. */
static void who_says_hello_otherwise_than_expected_is_lost(void **state)
{
    struct fixture fixture;
    (void)state;

    open_worker(&fixture);
    group_of(&fixture, 1, "10");
    meet_rank_0(&fixture, MASTER + 1, 1, 2);
    CHECK_INT(fixture.worker.state, WORKER_COMPUTING);
    CHECK_INT(count_sent(&fixture, MESSAGE_PEER_LOST), 0);
    hello_of(&fixture, MASTER + 1, 1, 0, 0);
    CHECK_INT(count_sent(&fixture, MESSAGE_PEER_LOST), 1);
    CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_CLOSE), 1);
    close_worker(&fixture);

    open_worker(&fixture);
    group_of(&fixture, 1, "10");
    hello_of(&fixture, MASTER + 1, 1, 1, 0);
    CHECK_INT(count_sent(&fixture, MESSAGE_PEER_LOST), 1);
    CHECK_INT(fixture.worker.state, WORKER_MEETING);
    close_worker(&fixture);
}

/* One member adds up all sums. */
static void open_worker_of_few_owners(struct fixture *fixture)
{
    open_worker(fixture);
    fixture->worker.options.segment_least = fixture->worker.sums.segment_least = 100;
}

static void members_that_exchange_no_sums_do_not_meet(void **state)
{
    struct fixture fixture;
    (void)state;

    open_worker_of_few_owners(&fixture);
    group_of(&fixture, 1, "120"); /* this one is rank 2 */
    CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_CONNECT), 1);
    CHECK_INT(count_sent(&fixture, MESSAGE_PEER_HELLO), 1);
    meet_rank_0(&fixture, MASTER + 1, 1, 3);
    CHECK_INT(fixture.worker.state, WORKER_COMPUTING);
    work_lanes(&fixture);
    CHECK_INT(count_sent(&fixture, MESSAGE_PARTIAL), 1);
    group_of(&fixture, 2, "102"); /* rank 1 */
    hello_of(&fixture, FRIEND, 2, 2, 0);
    CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_CLOSE), 1);
    close_worker(&fixture);
}

/* The higher rank of two connects, an owner or not. */
static void members_meet_those_with_which_they_exchange_sums(void **state)
{
    struct fixture fixture;
    (void)state;

    open_worker(&fixture);
    fixture.worker.options.segment_least = fixture.worker.sums.segment_least = 3;
    group_of(&fixture, 1, "120"); /* six reals: ranks 0 and 1 are owners */
    CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_CONNECT), 2);
    meet_rank_0(&fixture, MASTER + 1, 1, 3);
    CHECK_INT(fixture.worker.state, WORKER_MEETING);
    hello_of(&fixture, MASTER + 2, 1, 1, 0);
    CHECK_INT(fixture.worker.state, WORKER_COMPUTING);
    group_of(&fixture, 2, "102"); /* rank 1: an owner, which the higher rank connects to */
    CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_CONNECT), 0);
    CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_CLOSE), 0);
    hello_of(&fixture, MASTER + 2, 2, 2, 0);
    CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_CLOSE), 0);
    meet_rank_0(&fixture, MASTER + 1, 2, 3);
    CHECK_INT(fixture.worker.state, WORKER_COMPUTING);
    close_worker(&fixture);
}

static void a_connection_to_a_member_with_which_nothing_is_exchanged_is_closed(void **state)
{
    struct fixture fixture;
    (void)state;

    open_worker_of_few_owners(&fixture);
    group_of(&fixture, 1, "012");
    hello_of(&fixture, FRIEND, 1, 1, 0);
    hello_of(&fixture, FRIEND + 1, 1, 2, 0);
    CHECK_INT(fixture.worker.state, WORKER_COMPUTING);
    group_of(&fixture, 2, "102");
    CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_CLOSE), 1);
    CHECK_INT(fixture.worker.peers[0].peer, FRIEND);
    CHECK_INT(fixture.worker.peers[2].peer, PEER_NONE);
    meet_rank_0(&fixture, FRIEND, 2, 3);
    CHECK_INT(fixture.worker.state, WORKER_COMPUTING);
    close_worker(&fixture);
}

static void rank_0_tells_everyone_how_far_each_is(void **state)
{
    struct fixture fixture;
    struct message message;
    uint64_t list[3];
    (void)state;

    open_worker_of_few_owners(&fixture);
    group_of(&fixture, 1, "012");
    hello_of(&fixture, FRIEND, 1, 2, 7);
    CHECK_INT(count_sent(&fixture, MESSAGE_PEER_PHASES), 0);
    hello_of(&fixture, FRIEND + 1, 1, 1, 6);
    CHECK_INT(count_sent(&fixture, MESSAGE_PEER_PHASES), 2);
    CHECK_INT(count_sent(&fixture, MESSAGE_GROUP_READY), 1);
    for (size_t i = 0; i < fixture.outbox.count; i++) {
        const struct outbox_entry *entry = &fixture.outbox.entries[i];

        if (entry->kind != OUTBOX_SEND ||
            message_read(outbox_bytes(&fixture.outbox, entry), &message, NULL) != STATUS_OK ||
            message.type != MESSAGE_PEER_PHASES)
            continue;
        CHECK_INT(message.peer_phases.phases.size, sizeof list);
        memcpy(list, message.peer_phases.phases.data, sizeof list);
        CHECK_INT(list[0], 0);
        CHECK_INT(list[1], 6);
        CHECK_INT(list[2], 7);
    }
    close_worker(&fixture);
}

static void phases_come_once_and_from_rank_0_alone(void **state)
{
    static const uint64_t list[3] = {0};
    struct fixture fixture;
    (void)state;

    open_worker(&fixture);
    group_of(&fixture, 1, "120");
    meet_rank_0(&fixture, MASTER + 1, 1, 3);
    hello_of(&fixture, MASTER + 2, 1, 1, 0);
    CHECK_INT(fixture.worker.state, WORKER_COMPUTING);
    phases(&fixture, MASTER + 1, 1, 3, list);
    CHECK_INT(outbox_count(&fixture.outbox, OUTBOX_CLOSE), 1);
    close_worker(&fixture);

    open_worker(&fixture);
    group_of(&fixture, 1, "120");
    hello_of(&fixture, MASTER + 1, 1, 0, 0);
    hello_of(&fixture, MASTER + 2, 1, 1, 0);
    phases(&fixture, MASTER + 2, 1, 3, list);
    CHECK_INT(count_sent(&fixture, MESSAGE_PEER_LOST), 1);
    phases(&fixture, MASTER + 1, 1, 2, list); /* another number of members */
    CHECK_INT(count_sent(&fixture, MESSAGE_PEER_LOST), 1);
    CHECK_INT(fixture.worker.state, WORKER_MEETING);
    close_worker(&fixture);
}

/* The pieces of one state, from one fixture to another. */
static void hand_over(struct fixture *giver, struct fixture *taker, peer_id from, uint64_t epoch)
{
    struct message reply = of(MESSAGE_STATE, epoch);
    struct text bytes = sent_bytes(giver, MESSAGE_STATE);

    reply.state.phase = giver->toy->phase.number;
    reply.state.total = bytes.size;
    reply.state.bytes = text_slice(&bytes);
    say(taker, from, reply);
    text_deinit(&bytes);
}

/* Rank 1 is ahead, and no owner; rank 2 is not connected to it. */
static void a_state_goes_by_way_of_rank_0_where_there_is_no_connection(void **state)
{
    static const uint64_t list[3] = {0, 20, 0};
    struct fixture ahead, hub, behind;
    struct message request = of(MESSAGE_STATE_REQUEST, 2);
    (void)state;

    open_worker_of_few_owners(&ahead);
    group_of(&ahead, 1, "0");
    work_lanes(&ahead);
    open_worker_of_few_owners(&hub);
    group_of(&hub, 2, "012");
    hello_of(&hub, FRIEND, 2, 1, 20);
    hello_of(&hub, FRIEND + 1, 2, 2, 0);
    CHECK_INT(hub.worker.state, WORKER_FETCHING);
    CHECK_INT(hub.worker.source, 1);
    CHECK_INT(count_sent(&hub, MESSAGE_STATE_REQUEST), 1);

    open_worker_of_few_owners(&behind);
    group_of(&behind, 2, "120");
    hello_of(&behind, MASTER + 1, 2, 0, 0);
    phases(&behind, MASTER + 1, 2, 3, list);
    CHECK_INT(behind.worker.state, WORKER_FETCHING);
    CHECK_INT(behind.worker.source, 0);
    CHECK_INT(count_sent(&behind, MESSAGE_STATE_REQUEST), 1);

    request.state_request.phase = 20;
    say(&hub, FRIEND + 1, request); /* before it has the state itself */
    CHECK_INT(hub.outbox.count, 0);
    CHECK(worker_owes_state(&hub.worker));
    group_of(&ahead, 2, "102"); /* its own view: rank 1 of three */
    hello_of(&ahead, MASTER + 1, 2, 0, 0);
    phases(&ahead, MASTER + 1, 2, 3, list);
    CHECK(ahead.worker.peers[0].is_owed_state);
    CHECK(!ahead.worker.peers[2].is_owed_state);
    say(&ahead, MASTER + 1, request);
    hand_over(&ahead, &hub, FRIEND, 2);
    CHECK_INT(hub.worker.state, WORKER_FINISHED);
    CHECK_INT(count_sent(&hub, MESSAGE_STATE), 1);
    CHECK(!worker_owes_state(&hub.worker));
    hand_over(&hub, &behind, MASTER + 1, 2);
    CHECK_INT(behind.worker.state, WORKER_FINISHED);
    close_worker(&ahead);
    close_worker(&hub);
    close_worker(&behind);
}

/* ---- rows that come from elsewhere ---- */

static const struct learner_method *without_waiting;

static enum status contribute_after_waiting(void *self, uint32_t first, uint32_t count,
                                            int64_t *integers, int64_t *sums,
                                            struct touched_rows *rows, uint32_t *done,
                                            struct error *err)
{
    ((struct learner *)self)->waited_ms += 40;
    return without_waiting->contribute(self, first, count, integers, sums, rows, done, err);
}

/* A worker that gets rows later than others is no slower. */
static void waiting_for_rows_is_not_the_time_of_lanes(void **state)
{
    struct learner_method method;
    struct fixture fixture;
    (void)state;

    open_worker(&fixture);
    fixture.toy->waited_ms = 1000;
    without_waiting = fixture.toy->method;
    method = *without_waiting;
    method.contribute = contribute_after_waiting;
    fixture.toy->method = &method;
    group_of(&fixture, 1, "0");
    worker_work(&fixture.worker, 0, &fixture.outbox);
    CHECK(fixture.toy->waited_ms == 1040);
    worker_note_time(&fixture.worker, 0); /* the time of the call shows in the next one */
    worker_note_time(&fixture.worker, 100);
    CHECK(fixture.worker.lanes_timed > 0);
    CHECK_INT(fixture.worker.busy_ms, 100 - 40);
    close_worker(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alone_it_needs_nobody),
        cmocka_unit_test(who_cannot_open_its_rows_says_why_and_ends),
        cmocka_unit_test(rows_that_cannot_be_read_end_the_worker),
        cmocka_unit_test(a_group_without_it_is_refused),
        cmocka_unit_test(lanes_are_computed_only_when_all_members_have_met),
        cmocka_unit_test(a_member_may_come_before_the_master_says_so),
        cmocka_unit_test(sums_of_a_past_group_are_refused),
        cmocka_unit_test(members_of_two_groups_keep_their_connection),
        cmocka_unit_test(a_kept_connection_that_ends_is_no_loss),
        cmocka_unit_test(a_member_lost_before_it_may_have_met_this_one_is_reported_at_once),
        cmocka_unit_test(who_comes_again_after_a_word_of_the_next_group_is_heard_again),
        cmocka_unit_test(who_was_given_the_state_early_is_not_waited_for),
        cmocka_unit_test(a_frame_of_another_epoch_on_a_members_connection_is_dropped),
        cmocka_unit_test(a_partial_of_the_next_phase_waits_and_one_of_a_later_is_refused),
        cmocka_unit_test(a_sum_before_the_own_lanes_are_done_is_refused),
        cmocka_unit_test(a_group_of_an_older_master_is_ignored),
        cmocka_unit_test(who_is_behind_asks_for_the_state_and_who_is_ahead_gives_it),
        cmocka_unit_test(a_state_is_sent_by_pieces_as_it_is_asked_for),
        cmocka_unit_test(a_checkpoint_has_the_state_of_its_first_piece),
        cmocka_unit_test(a_state_that_was_changed_on_its_way_is_asked_for_in_another_group),
        cmocka_unit_test(a_phase_counts_as_redone_only_when_it_is_computed_again),
        cmocka_unit_test(steps_go_on_without_the_master_and_it_is_called_again),
        cmocka_unit_test(a_master_that_is_found_again_is_told_the_records),
        cmocka_unit_test(a_difference_is_told_again_until_a_group_of_the_next_generation),
        cmocka_unit_test(what_was_measured_of_a_state_that_is_given_up_is_measured_anew),
        cmocka_unit_test(evaluations_outlive_the_records_of_many_steps),
        cmocka_unit_test(a_member_that_is_gone_is_reported_once),
        cmocka_unit_test(who_has_the_last_state_stays_until_the_newcomer_has_it),
        cmocka_unit_test(a_newcomer_that_is_gone_before_it_has_the_state_is_reported),
        cmocka_unit_test(a_message_of_another_job_closes_the_connection),
        cmocka_unit_test(who_finds_no_master_gives_up_in_its_time),
        cmocka_unit_test(asked_to_go_it_does_not_wait_for_a_master_that_never_knew_it),
        cmocka_unit_test(asked_to_go_a_member_waits_for_the_next_master),
        cmocka_unit_test(asked_to_go_soon_after_its_master_it_waits_for_the_grace),
        cmocka_unit_test(asked_to_go_long_after_its_master_it_waits_a_little),
        cmocka_unit_test(a_master_that_comes_while_it_waits_has_the_grace),
        cmocka_unit_test(a_sum_of_another_phase_is_refused),
        cmocka_unit_test(a_held_sum_does_not_reach_the_next_group),
        cmocka_unit_test(who_says_hello_otherwise_than_expected_is_lost),
        cmocka_unit_test(members_that_exchange_no_sums_do_not_meet),
        cmocka_unit_test(members_meet_those_with_which_they_exchange_sums),
        cmocka_unit_test(a_connection_to_a_member_with_which_nothing_is_exchanged_is_closed),
        cmocka_unit_test(rank_0_tells_everyone_how_far_each_is),
        cmocka_unit_test(phases_come_once_and_from_rank_0_alone),
        cmocka_unit_test(waiting_for_rows_is_not_the_time_of_lanes),
        cmocka_unit_test(a_state_goes_by_way_of_rank_0_where_there_is_no_connection),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
