#include <math.h>

#include "runtime/role/crew.h"
#include "tests/outbox_check.h"

#define JOB     ((uint64_t)7)
#define WORKERS 2
#define DEAD_MS 1000

/* A leader that does nothing in its own way but to note what it is asked for. */
struct member {
    struct crew_member member;
    uint32_t dismissed;
};

struct leader {
    struct crew crew;
    struct crew_options options;
    struct outbox outbox;
    uint32_t lost; /* index + 1 of the last */
    uint32_t ended;
    uint64_t rows_done;
};

static void fill_row(const void *self, struct job_row *row)
{
    const struct leader *leader = self;

    row->step = leader->rows_done / 10;
    row->steps = 10;
    row->rows_done = leader->rows_done;
}

static void lose(void *self, int64_t now_ms, uint32_t index, const char *why, struct outbox *outbox)
{
    struct leader *leader = self;
    (void)why;
    (void)outbox;

    crew_let_go(&leader->crew, now_ms, index);
    leader->lost = index + 1;
}

static void end(void *self, struct outbox *outbox)
{
    struct leader *leader = self;
    (void)outbox;

    leader->ended++;
}

static void dismiss(void *self, uint32_t index, struct outbox *outbox)
{
    const struct leader *leader = self;
    struct member *members = leader->crew.members;
    (void)outbox;

    members[index].dismissed++;
}

static const struct crew_calls calls = {.member_bytes = sizeof(struct member),
                                        .fill_row = fill_row,
                                        .lose = lose,
                                        .end = end,
                                        .dismiss = dismiss};

static void begin(struct leader *leader, const struct job_row *previous)
{
    struct error err;

    *leader = (struct leader){.options = {.job = JOB,
                                          .incarnation = 3,
                                          .min_workers = 2,
                                          .max_workers = WORKERS,
                                          .servers = 1,
                                          .dead_ms = DEAD_MS,
                                          .report_ms = 100,
                                          .facts = {.started_at = "", .previous = previous}}};
    outbox_init(&leader->outbox);
    CHECK_OK(crew_init(&leader->crew, &leader->options, &calls, 0, &err));
    leader->crew.epoch = (uint64_t)3 << 32;
}

static void finish(struct leader *leader)
{
    crew_deinit(&leader->crew);
    outbox_deinit(&leader->outbox);
}

static uint32_t count_kind(const struct leader *leader, enum outbox_kind kind)
{
    return outbox_count(&leader->outbox, kind);
}

static bool was_sent(const struct leader *leader, peer_id to, enum message_type type)
{
    struct message message;

    return outbox_find(&leader->outbox, to, type, 0, &message) && message.job == JOB &&
           message.epoch == (uint64_t)3 << 32;
}

static void members_are_found_by_their_connection_and_workers_alone_are_live(void **state)
{
    struct leader leader;
    (void)state;

    begin(&leader, NULL);
    crew_take_in(&leader.crew, 1, 1, 0, 11);
    crew_take_in(&leader.crew, 1, WORKERS, 4, 12);
    CHECK_INT(crew_find(&leader.crew, 11), 1);
    CHECK_INT(crew_find(&leader.crew, 12), WORKERS);
    CHECK_INT(crew_find(&leader.crew, 13), CREW_NONE);
    CHECK_INT(leader.crew.live, 1);
    crew_take_in(&leader.crew, 2, 1, 5, 21); /* over another connection */
    CHECK_INT(leader.crew.live, 1);
    CHECK_INT(crew_find(&leader.crew, 11), CREW_NONE);
    CHECK_INT(crew_at(&leader.crew, 1)->incarnation, 5);
    crew_let_go(&leader.crew, 3, WORKERS);
    crew_let_go(&leader.crew, 3, 1);
    CHECK_INT(leader.crew.live, 0);
    CHECK(!crew_is_here(&leader.crew, 1) && crew_at(&leader.crew, 1)->was_seen);
    finish(&leader);
}

static void a_silent_member_is_lost_and_replaced_and_a_pause_is_no_silence(void **state)
{
    struct leader leader;
    (void)state;

    begin(&leader, NULL);
    crew_take_in(&leader.crew, 0, 0, 0, 11);
    CHECK_INT(crew_note_pause(&leader.crew, DEAD_MS / 2), 0);
    CHECK_INT(crew_note_pause(&leader.crew, 3 * DEAD_MS), 3 * DEAD_MS - DEAD_MS / 2);
    crew_check_silence(&leader.crew, 3 * DEAD_MS, 0, DEAD_MS, &leader.outbox);
    CHECK_INT(leader.lost, 0);
    crew_check_silence(&leader.crew, 4 * DEAD_MS, 0, DEAD_MS, &leader.outbox);
    CHECK_INT(leader.lost, 1);
    CHECK_INT(count_kind(&leader, OUTBOX_REPLACE), 1);
    crew_check_silence(&leader.crew, 9 * DEAD_MS, 0, DEAD_MS, &leader.outbox); /* nobody is here */
    crew_check_silence(&leader.crew, 9 * DEAD_MS, 1, 0, &leader.outbox);
    CHECK_INT(count_kind(&leader, OUTBOX_REPLACE), 1);
    finish(&leader);
}

static void a_job_begins_with_its_least_workers_and_ends_once(void **state)
{
    struct leader leader;
    struct member *members;
    struct error err;
    (void)state;

    begin(&leader, NULL);
    members = leader.crew.members;
    error_clear(&err);
    crew_take_in(&leader.crew, 0, 0, 0, 11);
    crew_take_in(&leader.crew, 0, WORKERS, 0, 13);
    CHECK(!crew_begin(&leader.crew, 100, &leader.outbox));
    crew_take_in(&leader.crew, 250, 1, 0, 12);
    CHECK(crew_begin(&leader.crew, 250, &leader.outbox));
    CHECK(!crew_begin(&leader.crew, 250, &leader.outbox));
    CHECK(leader.crew.state == JOB_STATE_RUNNING);
    CHECK(crew_job_row(&leader.crew, 500).seconds_waiting == 0.25);
    fail(&err, STATUS_LIMIT, "too much");
    crew_fail(&leader.crew, 500, &err, &leader.outbox);
    CHECK(leader.crew.state == JOB_STATE_FAILED && crew_has_ended(&leader.crew));
    CHECK(was_sent(&leader, 11, MESSAGE_END) && was_sent(&leader, 13, MESSAGE_END));
    CHECK(members[0].dismissed == 1 && members[WORKERS].dismissed == 1);
    CHECK_INT(leader.crew.live, 0);
    crew_cancel(&leader.crew, 600, &leader.outbox);
    crew_leave(&leader.crew, 600, &leader.outbox);
    CHECK(leader.crew.state == JOB_STATE_FAILED);
    CHECK_INT(leader.ended, 1);
    CHECK_INT(count_kind(&leader, OUTBOX_END), 1);
    CHECK(crew_job_row(&leader.crew, 900).slot_seconds == 0.75); /* 0.5 and 0.25, of workers */
    finish(&leader);
}

static void a_crew_that_is_handed_on_has_ended_and_its_job_has_not(void **state)
{
    struct leader leader;
    (void)state;

    begin(&leader, NULL);
    crew_take_in(&leader.crew, 0, 0, 0, 11);
    crew_take_in(&leader.crew, 0, WORKERS, 0, 13);
    crew_hand_on(&leader.crew, MESSAGE_STAGED, &leader.outbox);
    CHECK(was_sent(&leader, 11, MESSAGE_STAGED) && was_sent(&leader, 13, MESSAGE_END));
    CHECK(crew_has_ended(&leader.crew) && leader.crew.is_handed_on);
    CHECK_INT(count_kind(&leader, OUTBOX_JOB), 0);
    CHECK_INT(count_kind(&leader, OUTBOX_END), 0);
    crew_cancel(&leader.crew, 1, &leader.outbox);
    CHECK_INT(leader.ended, 0);
    finish(&leader);
}

static void a_crew_that_has_not_begun_has_ended(void **state)
{
    struct crew crew = {.calls = NULL};
    struct outbox outbox;
    (void)state;

    outbox_init(&outbox);
    CHECK(crew_has_ended(&crew));
    crew_cancel(&crew, 0, &outbox);
    CHECK_INT(outbox.count, 0);
    outbox_deinit(&outbox);
}

static void wishes_count_by_their_version(void **state)
{
    struct leader leader;
    (void)state;

    begin(&leader, NULL);
    crew_want(&leader.crew, 0, 2, 1, &leader.outbox);
    CHECK_INT(leader.crew.wanted, 1);
    CHECK_INT(count_kind(&leader, OUTBOX_EVENT), 1);
    crew_want(&leader.crew, 0, 1, 2, &leader.outbox);           /* older */
    crew_want(&leader.crew, 0, 3, WORKERS + 1, &leader.outbox); /* more than there may be */
    CHECK_INT(leader.crew.wanted, 1);
    crew_want(&leader.crew, 0, 3, 1, &leader.outbox); /* nothing new */
    CHECK_INT(count_kind(&leader, OUTBOX_EVENT), 1);
    CHECK_INT(leader.crew.wanted_version, 3);
    finish(&leader);
}

static void a_leader_that_is_followed_ends(void **state)
{
    struct leader leader;
    (void)state;

    begin(&leader, NULL);
    CHECK(!crew_is_followed(&leader.crew, ((uint64_t)3 << 32) + 9, &leader.outbox));
    CHECK_INT(count_kind(&leader, OUTBOX_END), 0);
    CHECK(crew_is_followed(&leader.crew, (uint64_t)4 << 32, &leader.outbox));
    CHECK_INT(count_kind(&leader, OUTBOX_END), 1);
    finish(&leader);
}

static void a_worker_that_is_unable_at_work_is_lost_and_the_third_time_for_good(void **state)
{
    struct message_unable unable = {
        .index = 0, .status = STATUS_NO_MEMORY, .message = SLICE("no memory"), .hint = SLICE("")};
    struct leader leader;
    (void)state;

    begin(&leader, NULL);
    for (uint32_t i = 0; i < UNABLE_TRIES_MAX; i++) {
        CHECK(!crew_has_ended(&leader.crew));
        crew_take_in(&leader.crew, i, 0, i, 11 + i);
        unable.incarnation = i;
        crew_on_unable(&leader.crew, i, 11 + i, &unable, &leader.outbox);
        CHECK(was_sent(&leader, 11 + i, MESSAGE_END));
        CHECK_INT(leader.lost, 1);
    }
    CHECK(leader.crew.state == JOB_STATE_FAILED);
    CHECK(leader.crew.failure.status == STATUS_NO_MEMORY);
    finish(&leader);
}

static void a_later_leader_goes_on_with_the_times_and_reports_what_is_left(void **state)
{
    const struct job_row previous = {
        .seconds = 8, .seconds_waiting = 2, .slot_seconds = 5, .goodput = (double)NAN};
    struct leader leader;
    struct job_event event;
    struct job_row row;
    (void)state;

    begin(&leader, &previous);
    leader.rows_done = 50;
    leader.crew.ms_before = 8000;
    crew_put_progress(&leader.crew, 1999, JOB_PROGRESS, &leader.outbox);
    memcpy(&event, outbox_bytes(&leader.outbox, &leader.outbox.entries[1]).data, sizeof event);
    CHECK(event.step == 5 && isnan(event.seconds_left)); /* too early to tell */
    finish(&leader);
    begin(&leader, &previous);
    leader.rows_done = 50;
    row = crew_job_row(&leader.crew, 2000);
    CHECK(row.seconds == 10 && row.seconds_waiting == 4 && row.slot_seconds == 5);
    CHECK(row.step == 5 && isnan(row.loss));
    CHECK(crew_is_report_due(&leader.crew, 2000));
    crew_note_rate(&leader.crew, 2000, 50);
    crew_put_progress(&leader.crew, 2000, JOB_PROGRESS, &leader.outbox);
    CHECK(!crew_is_report_due(&leader.crew, 2099));
    CHECK_INT(count_kind(&leader, OUTBOX_JOB), 1);
    memcpy(&event, outbox_bytes(&leader.outbox, &leader.outbox.entries[1]).data, sizeof event);
    CHECK(event.kind == JOB_PROGRESS && event.step == 5 && event.steps == 10);
    CHECK(event.seconds_left == 10 && event.rows_per_second == 25);
    finish(&leader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_are_found_by_their_connection_and_workers_alone_are_live),
        cmocka_unit_test(a_silent_member_is_lost_and_replaced_and_a_pause_is_no_silence),
        cmocka_unit_test(a_job_begins_with_its_least_workers_and_ends_once),
        cmocka_unit_test(a_crew_that_is_handed_on_has_ended_and_its_job_has_not),
        cmocka_unit_test(a_crew_that_has_not_begun_has_ended),
        cmocka_unit_test(wishes_count_by_their_version),
        cmocka_unit_test(a_leader_that_is_followed_ends),
        cmocka_unit_test(a_worker_that_is_unable_at_work_is_lost_and_the_third_time_for_good),
        cmocka_unit_test(a_later_leader_goes_on_with_the_times_and_reports_what_is_left),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
