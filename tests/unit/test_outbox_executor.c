/*
 * The executor of a master that another one has replaced writes nothing.
 */
#include "tests/check.h"

#include <math.h>

#include "runtime/record/outbox_executor.h"
#include "tests/unit/data_fixture.h"

struct fixture {
    struct folder folder;
    struct outbox_executor old, next;
    struct outbox outbox;
    int said;
};

static void count_line(void *context, const struct job_event *event, struct slice line)
{
    struct fixture *fixture = context;
    (void)event, (void)line;

    fixture->said++;
}

static int set_up(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    struct error err;

    folder_open(&fixture->folder);
    fixture->old.say = fixture->next.say = count_line;
    fixture->old.context = fixture->next.context = fixture;
    outbox_init(&fixture->outbox);
    CHECK_OK(outbox_executor_open(&fixture->old, fixture->folder.path, 0, &err));
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;

    outbox_executor_close(&fixture->old);
    outbox_executor_close(&fixture->next);
    outbox_deinit(&fixture->outbox);
    folder_close(&fixture->folder);
    free(fixture);
    return 0;
}

static void put_job(struct fixture *fixture, uint64_t step)
{
    struct job_row row = {
        .state = JOB_STATE_RUNNING, .step = step, .loss = NAN, .validation_loss = NAN};

    outbox_clear(&fixture->outbox);
    outbox_put(&fixture->outbox, OUTBOX_JOB, &row, sizeof row);
}

static uint64_t stored_step(struct fixture *fixture)
{
    struct job_row row;
    struct error err;

    CHECK_OK(jobstore_get_job(fixture->next.store, &row, &err));
    return row.step;
}

static struct checkpoint head_of(uint64_t id, uint64_t phase)
{
    return (struct checkpoint){
        .id = id, .job = 7, .identity = 8, .phase = phase, .bytes = 15, .piece_bytes = 10};
}

static void put_piece(struct fixture *fixture, uint64_t id, uint64_t position)
{
    outbox_clear(&fixture->outbox);
    outbox_put_piece(&fixture->outbox, id, position,
                     (struct slice){"0123456789", position == 0 ? 10 : 5});
}

static void put_finish(struct fixture *fixture, uint64_t id, uint64_t phase)
{
    const struct checkpoint head = head_of(id, phase);

    outbox_clear(&fixture->outbox);
    outbox_put(&fixture->outbox, OUTBOX_FINISH, &head, sizeof head);
}

static void put_end(struct fixture *fixture)
{
    struct job_event event = {.kind = JOB_DONE};

    put_job(fixture, 99);
    outbox_put(&fixture->outbox, OUTBOX_REPORT, &event, sizeof event);
}

static void a_replaced_master_writes_no_row_and_says_nothing(void **state)
{
    struct fixture *fixture = *state;
    struct error err;

    put_job(fixture, 1);
    CHECK_OK(outbox_executor_perform(&fixture->old, &fixture->outbox, &err));
    CHECK_OK(outbox_executor_open(&fixture->next, fixture->folder.path, 0, &err));
    put_job(fixture, 2);
    CHECK_OK(outbox_executor_perform(&fixture->next, &fixture->outbox, &err));
    put_job(fixture, 50);
    CHECK_FAILS(outbox_executor_perform(&fixture->old, &fixture->outbox, &err), STATUS_STALE,
                "master 1 leads");
    put_end(fixture);
    CHECK_INT(outbox_executor_perform(&fixture->old, &fixture->outbox, &err), STATUS_STALE);
    CHECK_INT(fixture->said, 0);
    CHECK_INT(stored_step(fixture), 2);
    put_job(fixture, 3); /* and disturbs no other row */
    CHECK_OK(outbox_executor_perform(&fixture->next, &fixture->outbox, &err));
    CHECK_INT(stored_step(fixture), 3);
}

/* Both pieces of the first checkpoint, by the first master. */
static void store_pieces(struct fixture *fixture)
{
    struct error err;

    for (uint64_t position = 0; position < 2; position++) {
        put_piece(fixture, 1, position);
        CHECK_OK(outbox_executor_perform(&fixture->old, &fixture->outbox, &err));
    }
}

static void a_replaced_master_stores_no_piece(void **state)
{
    struct fixture *fixture = *state;
    struct checkpoint head;
    struct error err;

    store_pieces(fixture);
    put_finish(fixture, 1, 4);
    CHECK_OK(outbox_executor_perform(&fixture->old, &fixture->outbox, &err));
    CHECK_OK(outbox_executor_open(&fixture->next, fixture->folder.path, 0, &err));
    put_piece(fixture, 2, 0);
    CHECK_INT(outbox_executor_perform(&fixture->old, &fixture->outbox, &err), STATUS_STALE);
    CHECK_OK(checkpoint_open(fixture->next.store, 7, 8, &head, &err));
    CHECK_INT(head.id, 1);
}

static void a_replaced_master_finishes_no_checkpoint(void **state)
{
    struct fixture *fixture = *state;
    struct checkpoint head;
    struct error err;

    store_pieces(fixture);
    CHECK_OK(outbox_executor_open(&fixture->next, fixture->folder.path, 0, &err));
    put_finish(fixture, 1, 4);
    CHECK_INT(outbox_executor_perform(&fixture->old, &fixture->outbox, &err), STATUS_STALE);
    CHECK_INT(checkpoint_open(fixture->next.store, 7, 8, &head, &err), STATUS_NOT_FOUND);
}

static void a_replaced_master_finds_out_when_it_asks(void **state)
{
    struct fixture *fixture = *state;
    struct error err;

    CHECK_OK(outbox_executor_check_claim(&fixture->old, &err));
    CHECK_OK(outbox_executor_open(&fixture->next, fixture->folder.path, 0, &err));
    CHECK_INT(outbox_executor_check_claim(&fixture->old, &err), STATUS_STALE);
    CHECK_OK(outbox_executor_check_claim(&fixture->next, &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_replaced_master_writes_no_row_and_says_nothing, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_replaced_master_stores_no_piece, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_replaced_master_finishes_no_checkpoint, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_replaced_master_finds_out_when_it_asks, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
