/*
 * The executor of a master that another one has replaced writes nothing; a log of steps has no gap;
 * rows that find no room on the disk wait, or fail the job.
 */
#include "tests/check.h"

#include <math.h>
#include <sqlite3.h>
#include <sys/resource.h>

#include "runtime/data/store/step_log.h"
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

/* ---- a log of steps ---- */

static enum status log_step(struct fixture *fixture, struct outbox_executor *executor,
                            uint64_t step)
{
    struct {
        uint64_t step;
        uint32_t size, entry;
    } bytes = {step, sizeof bytes.entry, (uint32_t)step};
    struct error err;

    outbox_clear(&fixture->outbox);
    outbox_put(&fixture->outbox, OUTBOX_LOG, &bytes, sizeof bytes);
    return outbox_executor_perform(executor, &fixture->outbox, &err);
}

static bool is_logged(struct jobstore *store, uint64_t step)
{
    struct text out;
    struct error err;
    bool is;

    text_init(&out, TEXT_MAXIMUM);
    error_clear(&err);
    is = step_log_read(store, step, &out, &err) == STATUS_OK;
    CHECK(is || err.status == STATUS_NOT_FOUND);
    text_deinit(&out);
    return is;
}

/* Limits files like a disk with so little room left. */
static void limit_files(rlim_t bytes)
{
    struct rlimit limit;

    CHECK_INT(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes == RLIM_INFINITY ? limit.rlim_max : bytes;
    CHECK_INT(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void a_log_that_has_a_gap_begins_again_with_a_snapshot(void **state)
{
    struct fixture *fixture = *state;
    struct outbox_executor *executor = &fixture->old;

    executor->logs_steps = true;
    CHECK_INT(log_step(fixture, executor, 3), STATUS_OK);
    CHECK_INT(log_step(fixture, executor, 4), STATUS_OK);
    CHECK(is_logged(executor->store, 3) && is_logged(executor->store, 4));
    limit_files((rlim_t)32 << 20);
    CHECK_INT(log_step(fixture, executor, 5), STATUS_OK); /* the job goes on */
    limit_files(RLIM_INFINITY);
    CHECK(executor->has_gap);
    CHECK(!is_logged(executor->store, 5));
    CHECK(!is_logged(executor->store, 3)); /* they take no room any more */
    CHECK_INT(log_step(fixture, executor, 6), STATUS_OK);
    CHECK(!is_logged(executor->store, 6));
    outbox_executor_begin_log(executor);
    CHECK_INT(log_step(fixture, executor, 7), STATUS_OK);
    CHECK(is_logged(executor->store, 7));
}

static void nobody_hears_of_a_step_of_a_server_that_was_replaced(void **state)
{
    struct fixture *fixture = *state;
    struct error err;

    CHECK_OK(outbox_executor_open(&fixture->next, fixture->folder.path, 0, &err));
    CHECK_INT(log_step(fixture, &fixture->old, 3), STATUS_STALE);
    CHECK(!fixture->old.has_gap);
    fixture->old.has_gap = true; /* nor where it logs nothing */
    CHECK_INT(log_step(fixture, &fixture->old, 4), STATUS_STALE);
    CHECK_INT(log_step(fixture, &fixture->next, 3), STATUS_OK);
}

static enum status say_claimed(struct fixture *fixture, struct outbox_executor *executor)
{
    struct error err;

    outbox_clear(&fixture->outbox);
    outbox_put(&fixture->outbox, OUTBOX_CLAIM, "", 0);
    return outbox_executor_perform(executor, &fixture->outbox, &err);
}

static void who_was_replaced_does_not_say_what_only_its_successor_may(void **state)
{
    struct fixture *fixture = *state;
    struct error err;

    CHECK_INT(say_claimed(fixture, &fixture->old), STATUS_OK);
    CHECK_OK(outbox_executor_open(&fixture->next, fixture->folder.path, 0, &err));
    CHECK_INT(say_claimed(fixture, &fixture->old), STATUS_STALE);
    CHECK_INT(say_claimed(fixture, &fixture->next), STATUS_OK);
}

/* ---- a disk that is full ---- */

/* Each transaction is refused, from now on. */
static void fill_disk(struct outbox_executor *executor, bool is_full)
{
    executor->fault = (struct fault){.is_set = is_full, .refuses = true, .point = FAULT_RECORDS};
    snprintf(executor->fault.role, sizeof executor->fault.role, "master");
}

static void add_metric(struct fixture *fixture, uint32_t epoch)
{
    const struct metric_row row = {
        .epoch = epoch, .step = epoch, .metric = "loss", .part = "train", .value = epoch};

    outbox_put(&fixture->outbox, OUTBOX_METRIC, &row, sizeof row);
}

static void add_worker(struct fixture *fixture, uint32_t index, const char *worker_state)
{
    const struct worker_row row = {.index = index, .state = worker_state};

    outbox_put(&fixture->outbox, OUTBOX_WORKER, &row, sizeof row);
}

static int64_t counted(const struct fixture *fixture, const char *sql)
{
    char path[PATH_MAX];
    sqlite3_stmt *statement;
    sqlite3 *database;
    int64_t count;

    snprintf(path, sizeof path, "%s/job.db", fixture->folder.path);
    CHECK(sqlite3_open(path, &database) == SQLITE_OK);
    CHECK(sqlite3_prepare_v2(database, sql, -1, &statement, NULL) == SQLITE_OK);
    CHECK(sqlite3_step(statement) == SQLITE_ROW);
    count = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(database);
    return count;
}

static void rows_that_find_no_room_are_stored_when_there_is_some(void **state)
{
    struct fixture *fixture = *state;
    struct error err;

    fill_disk(&fixture->old, true);
    for (uint32_t epoch = 1; epoch <= 3; epoch++) {
        put_job(fixture, epoch);
        add_metric(fixture, epoch);
        add_worker(fixture, epoch % 2, epoch == 3 ? "left" : "joined");
        CHECK_OK(outbox_executor_perform(&fixture->old, &fixture->outbox, &err));
    }
    CHECK_INT(fixture->said, 1); /* the notice, once */
    CHECK_INT(counted(fixture, "SELECT count(*) FROM job"), 0);
    CHECK_INT(fixture->old.waiting.rows.count,
              1 + 3 + 2); /* the last of the job and of each worker */
    fill_disk(&fixture->old, false);
    put_job(fixture, 4);
    CHECK_OK(outbox_executor_perform(&fixture->old, &fixture->outbox, &err));
    CHECK_INT(counted(fixture, "SELECT step FROM job"), 4);
    CHECK_INT(counted(fixture, "SELECT sum(epoch) FROM metrics"), 6);
    CHECK_INT(
        counted(fixture, "SELECT count(*) FROM workers WHERE state = 'left' AND \"index\" = 1"), 1);
    CHECK_INT(counted(fixture, "SELECT count(*) FROM workers"), 2);
    CHECK(!waiting_rows_are_there(&fixture->old.waiting));
}

/* It is full while rows are there that the job cannot do without. */
static void a_job_whose_end_finds_no_room_fails_by_it(void **state)
{
    struct fixture *fixture = *state;
    const struct job_row ended = {.state = JOB_STATE_DONE, .loss = NAN, .validation_loss = NAN};
    const struct result_row result = {.name = "AUC"};
    struct error err;

    fill_disk(&fixture->old, true);
    put_job(fixture, 1);
    CHECK_OK(outbox_executor_perform(&fixture->old, &fixture->outbox, &err));
    outbox_clear(&fixture->outbox);
    outbox_put(&fixture->outbox, OUTBOX_JOB, &ended, sizeof ended);
    CHECK_FAILS(outbox_executor_perform(&fixture->old, &fixture->outbox, &err), STATUS_IO,
                "the job's store: database or disk is full");
    outbox_clear(&fixture->outbox);
    outbox_put(&fixture->outbox, OUTBOX_RESULT, &result, sizeof result);
    CHECK_FAILS(outbox_executor_perform(&fixture->old, &fixture->outbox, &err), STATUS_IO,
                "the job's store: database or disk is full");
}

static void no_more_rows_are_held_than_memory_is_for(void **state)
{
    struct fixture *fixture = *state;
    enum status status = STATUS_OK;
    struct error err;

    fill_disk(&fixture->old, true);
    for (uint32_t epoch = 0; status == STATUS_OK; epoch += 10000) {
        outbox_clear(&fixture->outbox);
        for (uint32_t i = 0; i < 10000; i++)
            add_metric(fixture, epoch + i);
        CHECK(epoch < 1000000);
        status = outbox_executor_perform(&fixture->old, &fixture->outbox, &err);
    }
    CHECK_INT(status, STATUS_LIMIT);
    CHECK(strstr(err.message, "the disk is full, and records of the job take more than 16 MiB"));
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
        cmocka_unit_test_setup_teardown(a_log_that_has_a_gap_begins_again_with_a_snapshot, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(nobody_hears_of_a_step_of_a_server_that_was_replaced,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(who_was_replaced_does_not_say_what_only_its_successor_may,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(rows_that_find_no_room_are_stored_when_there_is_some,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_job_whose_end_finds_no_room_fails_by_it, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(no_more_rows_are_held_than_memory_is_for, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
