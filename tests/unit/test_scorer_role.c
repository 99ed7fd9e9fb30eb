#include "tests/outbox_check.h"

#include "runtime/score/scorer_role.h"

#define JOB ((uint64_t)7)

/* Two pieces a shard; what it scores last can be made to fail. */
struct toy {
    uint64_t first;
    uint32_t pieces;
    enum status fails; /* OK: it does not */
};

static enum status toy_begin(void *self, uint64_t first, uint32_t count, struct error *err)
{
    struct toy *toy = self;
    (void)count;
    (void)err;

    toy->first = first;
    toy->pieces = 0;
    return STATUS_OK;
}

static enum status toy_score(void *self, bool *is_done, struct error *err)
{
    struct toy *toy = self;

    *is_done = ++toy->pieces == 2;
    return toy->fails != STATUS_OK ? fail(err, toy->fails, "row 9: no") : STATUS_OK;
}

static struct slice toy_results(const void *self)
{
    const struct toy *toy = self;

    return toy->first == 0 ? SLICE("zero") : SLICE("other");
}

struct stage {
    struct toy toy;
    struct scorer_role role;
    struct outbox outbox;
};

static void begin_as(struct stage *stage, bool stages)
{
    const struct shard_scoring scoring = {&stage->toy, toy_begin, toy_score, toy_results};
    const struct scorer_role_options options = {.job = JOB,
                                                .index = 2,
                                                .incarnation = 1,
                                                .master = "unix:m",
                                                .alive_ms = 1000,
                                                .reconnect_ms = 50,
                                                .search_ms = 60000,
                                                .grace_ms = 3000,
                                                .stages = stages};

    stage->toy = (struct toy){.first = 0};
    outbox_init(&stage->outbox);
    scorer_role_init(&stage->role, &options, &scoring, NULL);
    scorer_role_start(&stage->role, 0, &stage->outbox);
}

static void begin(struct stage *stage)
{
    begin_as(stage, false);
}

static void staged(struct stage *stage, uint64_t epoch)
{
    struct message message = {.type = MESSAGE_STAGED, .job = JOB, .epoch = epoch};

    outbox_clear(&stage->outbox);
    scorer_role_on_message(&stage->role, 1, stage->role.master.peer, &message, &stage->outbox);
}

static void lease(struct stage *stage, uint64_t epoch, uint64_t id, uint64_t first)
{
    struct message message = {.type = MESSAGE_LEASE, .job = JOB, .epoch = epoch};

    message.lease = (struct message_lease){.id = id, .first = first, .count = 10};
    outbox_clear(&stage->outbox);
    scorer_role_on_message(&stage->role, 1, stage->role.master.peer, &message, &stage->outbox);
}

static void work(struct stage *stage)
{
    outbox_clear(&stage->outbox);
    scorer_role_work(&stage->role, 2, &stage->outbox);
}

/* The first message that the last call sent. */
static bool sent(const struct stage *stage, enum message_type type, struct message *message)
{
    for (size_t i = 0; i < stage->outbox.count; i++)
        if (stage->outbox.entries[i].kind == OUTBOX_SEND &&
            message_read(outbox_bytes(&stage->outbox, &stage->outbox.entries[i]), message, NULL) ==
                STATUS_OK &&
            message->type == type)
            return true;
    return false;
}

static bool ends(const struct stage *stage)
{
    return outbox_count(&stage->outbox, OUTBOX_END) > 0;
}

static void who_stages_goes_on_when_all_rows_are_staged(void **state)
{
    struct message message;
    struct stage stage;
    (void)state;

    begin_as(&stage, true);
    CHECK(sent(&stage, MESSAGE_HELLO, &message) && message.hello.is_staging);
    lease(&stage, 5, 51, 0);
    staged(&stage, 5);
    CHECK(stage.role.state == SCORER_STAGED && !scorer_role_has_work(&stage.role));
    CHECK(!ends(&stage)); /* its process goes on */
    scorer_role_on_tick(&stage.role, 100000, &stage.outbox);
    CHECK(!ends(&stage) && !sent(&stage, MESSAGE_HELLO, &message));
    outbox_deinit(&stage.outbox);
    begin(&stage); /* one that scores does not know the message */
    lease(&stage, 5, 51, 0);
    staged(&stage, 5);
    CHECK(stage.role.state == SCORER_READY);
    outbox_deinit(&stage.outbox);
}

static void who_is_asked_to_go_does_not_go_on(void **state)
{
    struct stage stage;
    (void)state;

    begin_as(&stage, true);
    lease(&stage, 5, 51, 0);
    scorer_role_leave(&stage.role, 1, &stage.outbox);
    staged(&stage, 5);
    CHECK(stage.role.state == SCORER_ENDED && ends(&stage));
    outbox_deinit(&stage.outbox);
}

static void what_is_no_fault_of_the_rows_is_one_workers_trouble(void **state)
{
    static const struct {
        enum status status;
        enum message_type type;
    } cases[] = {{STATUS_CONNECTION, MESSAGE_UNABLE}, {STATUS_INVALID, MESSAGE_UNABLE},
                 {STATUS_IO, MESSAGE_UNABLE},         {STATUS_NO_MEMORY, MESSAGE_UNABLE},
                 {STATUS_LIMIT, MESSAGE_FAILED},      {STATUS_CORRUPT, MESSAGE_FAILED}};
    struct message message;
    struct stage stage;
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin_as(&stage, true);
        stage.toy.fails = cases[i].status;
        lease(&stage, 5, 51, 0);
        work(&stage);
        CHECK(sent(&stage, cases[i].type, &message));
        outbox_deinit(&stage.outbox);
    }
}

static void shards_are_scored_first_come_first_and_handed_in_under_their_lease(void **state)
{
    struct message message;
    struct stage stage;
    (void)state;

    begin(&stage);
    CHECK(sent(&stage, MESSAGE_HELLO, &message) && message.hello.index == 2);
    CHECK(!scorer_role_has_work(&stage.role));
    lease(&stage, 5, 51, 0);
    lease(&stage, 5, 52, 10);
    work(&stage);
    CHECK(!sent(&stage, MESSAGE_SCORED, &message));
    work(&stage);
    CHECK(sent(&stage, MESSAGE_SCORED, &message));
    CHECK(message.scored.id == 51 && message.epoch == 5);
    CHECK_SLICE(message.scored.results, "zero");
    work(&stage), work(&stage);
    CHECK(sent(&stage, MESSAGE_SCORED, &message) && message.scored.id == 52);
    CHECK(!scorer_role_has_work(&stage.role));
    outbox_deinit(&stage.outbox);
}

static void what_a_dispatcher_leased_that_is_gone_is_dropped(void **state)
{
    struct message message;
    struct stage stage;
    (void)state;

    begin(&stage);
    lease(&stage, 5, 51, 0);
    work(&stage);
    scorer_role_on_disconnect(&stage.role, 3, stage.role.master.peer, &stage.outbox);
    CHECK(!scorer_role_has_work(&stage.role));
    outbox_clear(&stage.outbox);
    scorer_role_on_tick(&stage.role, 60, &stage.outbox);
    CHECK(sent(&stage, MESSAGE_HELLO, &message) && message.epoch == 5);
    lease(&stage, 6, 61, 10); /* the next one: from its begin */
    work(&stage);
    CHECK(!sent(&stage, MESSAGE_SCORED, &message));
    work(&stage);
    CHECK(sent(&stage, MESSAGE_SCORED, &message) && message.scored.id == 61);
    lease(&stage, 5, 53, 20); /* the old one has thawed */
    CHECK(!scorer_role_has_work(&stage.role) && stage.role.master.peer == PEER_NONE);
    outbox_deinit(&stage.outbox);
}

static void asked_to_go_it_hands_back_what_it_has_and_ends_when_told(void **state)
{
    struct message message, end = {.type = MESSAGE_END, .job = JOB, .epoch = 5};
    struct stage stage;
    (void)state;

    begin(&stage);
    lease(&stage, 5, 51, 0);
    scorer_role_leave(&stage.role, 3, &stage.outbox);
    CHECK(sent(&stage, MESSAGE_LEAVING, &message) && !scorer_role_has_work(&stage.role));
    CHECK(!ends(&stage));
    scorer_role_on_message(&stage.role, 4, stage.role.master.peer, &end, &stage.outbox);
    CHECK(ends(&stage));
    outbox_deinit(&stage.outbox);
    begin(&stage);
    scorer_role_leave(&stage.role, 3, &stage.outbox);
    scorer_role_on_tick(&stage.role, 3003, &stage.outbox); /* no answer */
    CHECK(ends(&stage));
    outbox_deinit(&stage.outbox);
}

static void an_error_of_its_rows_is_said_and_nothing_more_is_scored(void **state)
{
    struct message message;
    struct stage stage;
    (void)state;

    begin(&stage);
    stage.toy.fails = STATUS_INVALID;
    lease(&stage, 5, 51, 0);
    work(&stage);
    CHECK(sent(&stage, MESSAGE_FAILED, &message));
    CHECK_SLICE(message.failure.message, "row 9: no");
    lease(&stage, 5, 52, 10);
    CHECK(!scorer_role_has_work(&stage.role));
    outbox_deinit(&stage.outbox);
}

static void it_says_that_it_lives(void **state)
{
    struct message message;
    struct stage stage;
    (void)state;

    begin(&stage);
    outbox_clear(&stage.outbox);
    scorer_role_on_tick(&stage.role, 999, &stage.outbox);
    CHECK(!sent(&stage, MESSAGE_PHASE_ALIVE, &message));
    scorer_role_on_tick(&stage.role, 1000, &stage.outbox);
    CHECK(sent(&stage, MESSAGE_PHASE_ALIVE, &message));
    outbox_deinit(&stage.outbox);
}

static void who_finds_no_dispatcher_gives_up_in_its_time(void **state)
{
    struct stage stage;
    (void)state;

    begin(&stage);
    lease(&stage, 1, 1, 0);
    for (int64_t now = 1000; now < 100000; now += 1000)
        scorer_role_on_tick(&stage.role, now, &stage.outbox);
    CHECK(stage.role.state == SCORER_READY);
    for (int64_t now = 100000; now < 159000; now += 1000) {
        scorer_role_on_disconnect(&stage.role, now, stage.role.master.peer, &stage.outbox);
        scorer_role_on_tick(&stage.role, now + 500, &stage.outbox);
    }
    CHECK(stage.role.state == SCORER_JOINING);
    outbox_clear(&stage.outbox);
    scorer_role_on_tick(&stage.role, 160000, &stage.outbox);
    CHECK(stage.role.state == SCORER_ENDED);
    CHECK_INT(stage.outbox.entries[0].kind, OUTBOX_END);
    CHECK_INT(stage.outbox.entries[0].status, STATUS_CONNECTION);
    outbox_deinit(&stage.outbox);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shards_are_scored_first_come_first_and_handed_in_under_their_lease),
        cmocka_unit_test(what_a_dispatcher_leased_that_is_gone_is_dropped),
        cmocka_unit_test(asked_to_go_it_hands_back_what_it_has_and_ends_when_told),
        cmocka_unit_test(an_error_of_its_rows_is_said_and_nothing_more_is_scored),
        cmocka_unit_test(it_says_that_it_lives),
        cmocka_unit_test(who_stages_goes_on_when_all_rows_are_staged),
        cmocka_unit_test(who_is_asked_to_go_does_not_go_on),
        cmocka_unit_test(what_is_no_fault_of_the_rows_is_one_workers_trouble),
        cmocka_unit_test(who_finds_no_dispatcher_gives_up_in_its_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
