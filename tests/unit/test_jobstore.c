#include "tests/check.h"

#include <math.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/data/store/destination.h"
#include "runtime/data/store/jobstore.h"
#include "tests/unit/data_fixture.h"

static unsigned synced;

/* SQLite's library calls these in place of the system's. */
__attribute__((visibility("default"))) int fsync(int fd)
{
    synced++;
    return (int)syscall(SYS_fsync, fd);
}

__attribute__((visibility("default"))) int fdatasync(int fd)
{
    synced++;
    return (int)syscall(SYS_fdatasync, fd);
}

static unsigned synced_by_a_row(struct folder *folder, bool is_durable)
{
    const struct job_row row = {.id = 7, .state = JOB_STATE_DONE};
    struct jobstore *store;
    struct error err;

    if (is_durable)
        CHECK_OK(jobstore_open_durable(folder->file, &store, &err));
    else
        CHECK_OK(jobstore_open(folder->file, false, &store, &err));
    synced = 0;
    CHECK_OK(jobstore_put_job(store, &row, &err));
    jobstore_close(store); /* the last connection moves the log into the database */
    return synced;
}

static void who_opens_a_store_durably_waits_for_the_disk(void **state)
{
    struct jobstore *store;
    struct folder folder;
    struct error err;
    (void)state;

    folder_open(&folder);
    CHECK_OK(jobstore_create(folder_file(&folder, "job.db"), &store, &err));
    jobstore_close(store);
    CHECK_INT(synced_by_a_row(&folder, false), 0);
    CHECK(synced_by_a_row(&folder, true) >= 2); /* the log, then the database */
    CHECK_FAILS(jobstore_open_durable("/nowhere/job.db", &store, &err), STATUS_IO, "");
    folder_close(&folder);
}

static void a_job_row_comes_back_as_it_was_put(void **state)
{
    struct job_row row = {.id = 7,
                          .state = JOB_STATE_RUNNING,
                          .statement = "SELECT 'a' TO TRAIN",
                          .model = "m",
                          .workers = 3,
                          .step = 17,
                          .rows_done = UINT32_MAX,
                          .rows_redone = 5,
                          .loss = 0.25,
                          .goodput = NAN,
                          .seconds = 1.5,
                          .error = "it broke",
                          .started_at = "2026-11-21T07:00:00Z",
                          .supervisor = 4711,
                          .steps = 400,
                          .epoch = 2,
                          .epochs = 50,
                          .rows_per_second = 1e5,
                          .validation_loss = NAN};
    struct jobstore *store, *reader;
    struct folder folder;
    struct job_row read;
    struct stat information;
    struct error err;
    (void)state;

    folder_open(&folder);
    CHECK_OK(jobstore_create(folder_file(&folder, "job.db"), &store, &err));
    CHECK(stat(folder.file, &information) == 0 && (information.st_mode & 0777) == 0600);
    CHECK_OK(jobstore_open(folder.file, true, &reader, &err));
    CHECK_FAILS(jobstore_get_job(reader, &read, &err), STATUS_NOT_FOUND, "no job yet");
    CHECK_OK(jobstore_put_job(store, &row, &err));
    row.step = 18;
    CHECK_OK(jobstore_put_job(store, &row, &err));
    CHECK_OK(jobstore_get_job(reader, &read, &err)); /* while the writer has it open */
    CHECK(read.id == 7 && read.state == JOB_STATE_RUNNING && read.step == 18);
    assert_string_equal(read.statement, row.statement);
    assert_string_equal(read.error, "it broke");
    assert_string_equal(read.started_at, row.started_at);
    CHECK(read.rows_done == UINT32_MAX && read.rows_redone == 5 && read.workers == 3);
    CHECK(read.loss == 0.25 && isnan(read.goodput) && read.supervisor == 4711);
    CHECK(read.steps == 400 && read.epoch == 2 && read.epochs == 50);
    CHECK(read.rows_per_second == 1e5 && isnan(read.validation_loss));
    CHECK_INT(jobstore_put_job(reader, &row, &err) == STATUS_OK, 0);
    jobstore_close(reader);
    jobstore_close(store);
    folder_close(&folder);
}

struct seen {
    char text[512];
};

static enum status see_result(void *context, const char *name, double train, double validation,
                              struct error *err)
{
    struct seen *seen = context;
    size_t size = strlen(seen->text);

    (void)err;
    snprintf(seen->text + size, sizeof seen->text - size, "%s %g %g;", name, train,
             isnan(validation) ? -1 : validation);
    return STATUS_OK;
}

static enum status see_metric(void *context, uint32_t epoch, uint64_t step, const char *metric,
                              const char *part, double value, struct error *err)
{
    struct seen *seen = context;
    size_t size = strlen(seen->text);

    (void)err;
    snprintf(seen->text + size, sizeof seen->text - size, "%u %u %s %s %g;", epoch, (unsigned)step,
             metric, part, isnan(value) ? -1 : value);
    return STATUS_OK;
}

static enum status see_model_row(void *context, const struct model_row *row, struct error *err)
{
    struct seen *seen = context;
    size_t size = strlen(seen->text);

    (void)err;
    snprintf(seen->text + size, sizeof seen->text - size, "%.*s %.*s %d %g %s%.*s;",
             SLICE_FORMAT(row->part), SLICE_FORMAT(row->name), (int)row->position,
             row->has_value ? row->value : -1, row->data_is_text ? "text " : "",
             SLICE_FORMAT(row->data));
    return STATUS_OK;
}

static enum status refuse_result(void *context, const char *name, double train, double validation,
                                 struct error *err)
{
    (void)context, (void)train, (void)validation;
    return fail(err, STATUS_FAILED, "enough of %s", name);
}

static void results_and_metrics_come_back_in_order(void **state)
{
    struct jobstore *store;
    struct folder folder;
    struct seen seen = {""};
    struct error err;
    (void)state;

    folder_open(&folder);
    CHECK_OK(jobstore_create(folder_file(&folder, "job.db"), &store, &err));
    CHECK_OK(jobstore_put_result(store, "loss", 0.5, NAN, &err));
    CHECK_OK(jobstore_put_result(store, "Accuracy", 0.75, 0.5, &err));
    CHECK_OK(jobstore_put_result(store, "loss", 0.25, NAN, &err)); /* said again */
    CHECK_OK(jobstore_each_result(store, see_result, &seen, &err));
    assert_string_equal(seen.text, "loss 0.25 -1;Accuracy 0.75 0.5;");
    CHECK_FAILS(jobstore_each_result(store, refuse_result, NULL, &err), STATUS_FAILED,
                "enough of loss");

    CHECK_OK(jobstore_put_metric(store, 1, 20, "loss", "train", 0.5, &err));
    CHECK_OK(jobstore_put_metric(store, 0, 10, "loss", "train", INFINITY, &err));
    CHECK_OK(jobstore_put_metric(store, 1, 20, "loss", "train", 0.25, &err));
    seen.text[0] = '\0';
    CHECK_OK(jobstore_each_metric(store, see_metric, &seen, &err));
    assert_string_equal(seen.text, "0 10 loss train -1;1 20 loss train 0.25;");
    CHECK_OK(jobstore_put_worker(store, 1, "running", 4, NAN, &err));
    CHECK_OK(jobstore_put_worker(store, 1, "gone", 0, 1e6, &err));
    CHECK_OK(jobstore_put_event(store, 0.5, "worker", 1, "died", NULL, &err));
    jobstore_close(store);
    folder_close(&folder);
}

static void a_model_is_there_whole_or_not_at_all(void **state)
{
    const struct model_row meta = {.part = SLICE("meta"),
                                   .name = SLICE("meta"),
                                   .has_data = true,
                                   .data_is_text = true,
                                   .data = SLICE("{}")};
    const struct model_row weight = {.part = SLICE("weight"),
                                     .name = SLICE("it's"),
                                     .position = 1,
                                     .has_value = true,
                                     .value = 2.5};
    const struct model_row empty = {
        .part = SLICE("vocabulary"), .name = SLICE("c"), .has_data = true};
    struct jobstore *store, *reader;
    struct folder folder;
    struct seen seen = {""};
    struct error err;
    (void)state;

    folder_open(&folder);
    CHECK_OK(jobstore_create(folder_file(&folder, "job.db"), &store, &err));
    CHECK_OK(jobstore_open(folder.file, true, &reader, &err));
    for (int again = 0; again < 2; again++) { /* a master that came back says it again */
        CHECK_OK(jobstore_begin(store, &err));
        CHECK_OK(jobstore_put_model_row(store, &meta, &err));
        CHECK_OK(jobstore_put_model_row(store, &weight, &err));
        CHECK_OK(jobstore_put_model_row(store, &empty, &err));
        seen.text[0] = '\0';
        CHECK_OK(jobstore_each_model_row(reader, see_model_row, &seen, &err));
        CHECK((seen.text[0] != '\0') == again);
        CHECK_OK(jobstore_commit(store, &err));
    }
    seen.text[0] = '\0';
    CHECK_OK(jobstore_each_model_row(reader, see_model_row, &seen, &err));
    assert_string_equal(seen.text, "meta meta 0 -1 text {};weight it's 1 2.5 ;vocabulary c 0 -1 ;");
    jobstore_close(reader);
    /* Closed in the middle of a transaction, as a killed master leaves it. */
    CHECK_OK(jobstore_begin(store, &err));
    CHECK_OK(jobstore_put_model_row(store, &meta, &err));
    jobstore_close(store);
    CHECK_OK(jobstore_open(folder.file, false, &store, &err));
    seen.text[0] = '\0';
    CHECK_OK(jobstore_each_model_row(store, see_model_row, &seen, &err));
    CHECK(strstr(seen.text, "weight it's"));
    jobstore_close(store);
    folder_close(&folder);
}

static void check_model(struct jobstore *store, const char *expected)
{
    struct seen seen = {""};
    struct error err;

    CHECK_OK(jobstore_each_model_row(store, see_model_row, &seen, &err));
    assert_string_equal(seen.text, expected);
}

static void a_model_that_is_put_aside_is_none_until_it_is_taken(void **state)
{
    const struct model_row meta = {.part = SLICE("meta"), .name = SLICE("meta")};
    const struct model_row weight = {.part = SLICE("weight"), .name = SLICE("x")};
    struct jobstore *store, *reader;
    struct folder folder;
    struct error err;
    (void)state;

    folder_open(&folder);
    CHECK_OK(jobstore_create(folder_file(&folder, "job.db"), &store, &err));
    CHECK_OK(jobstore_stage_model_row(store, &meta, &err));
    CHECK_OK(jobstore_stage_model_row(store, &weight, &err));
    jobstore_close(store); /* its master died; the next puts it aside anew */
    CHECK_OK(jobstore_open(folder.file, false, &store, &err));
    CHECK_OK(jobstore_open(folder.file, true, &reader, &err));
    CHECK_OK(jobstore_stage_model_row(store, &meta, &err));
    check_model(reader, "");
    CHECK_OK(jobstore_begin(store, &err));
    CHECK_OK(jobstore_stage_model_row(store, &weight, &err));
    CHECK_OK(jobstore_take_staged_model(store, &err));
    check_model(reader, "");
    CHECK_OK(jobstore_commit(store, &err));
    check_model(reader, "meta meta 0 -1 ;weight x 0 -1 ;");
    CHECK_OK(jobstore_take_staged_model(store, &err)); /* nothing lies aside */
    check_model(reader, "meta meta 0 -1 ;weight x 0 -1 ;");
    CHECK_OK(jobstore_stage_model_row(store, &weight, &err));
    CHECK_OK(jobstore_forget_staged_model(store, &err));
    CHECK_OK(jobstore_take_staged_model(store, &err));
    check_model(reader, "meta meta 0 -1 ;weight x 0 -1 ;");
    jobstore_close(reader);
    jobstore_close(store);
    folder_close(&folder);
}

static void a_job_that_has_ended_has_no_further_master(void **state)
{
    static const enum job_state ends[] = {JOB_STATE_DONE, JOB_STATE_FAILED, JOB_STATE_CANCELLED};
    struct job_row row = {.id = 7, .state = JOB_STATE_PUBLISHING};
    struct jobstore *store;
    struct folder folder;
    uint32_t incarnation;
    struct error err;
    (void)state;

    folder_open(&folder);
    CHECK_OK(jobstore_create(folder_file(&folder, "job.db"), &store, &err));
    CHECK_OK(jobstore_claim(store, 0, &incarnation, &err));
    CHECK_OK(jobstore_put_job(store, &row, &err));
    CHECK_OK(jobstore_claim(store, 0, &incarnation, &err));
    CHECK_INT(incarnation, 1);
    for (int i = 0; i < 3; i++) {
        row.state = ends[i];
        CHECK_OK(jobstore_put_job(store, &row, &err));
        CHECK_FAILS(jobstore_claim(store, 0, &incarnation, &err), STATUS_INVALID,
                    job_state_name(ends[i]));
        CHECK_OK(jobstore_check_claim(store, 1, &err));
    }
    jobstore_close(store);
    folder_close(&folder);
}

static void what_is_no_store_is_refused(void **state)
{
    struct jobstore *store;
    struct folder folder;
    struct error err;
    FILE *file;
    (void)state;

    folder_open(&folder);
    CHECK_FAILS(jobstore_open(folder_file(&folder, "job.db"), true, &store, &err), STATUS_IO,
                "unable to open");
    CHECK(!store);
    file = fopen(folder.file, "w");
    CHECK(file);
    fclose(file);
    CHECK_FAILS(jobstore_open(folder.file, true, &store, &err), STATUS_CORRUPT, "version 0");
    file = fopen(folder.file, "w");
    for (int i = 0; i < 2000; i++)
        fputs("no database", file);
    fclose(file);
    CHECK_FAILS(jobstore_open(folder.file, false, &store, &err), STATUS_CORRUPT, "not a database");
    CHECK_FAILS(jobstore_create(folder.file, &store, &err), STATUS_INVALID, "File exists");
    folder_close(&folder);
}

static void a_store_that_was_left_empty_is_completed_by_who_writes(void **state)
{
    struct job_row row = {.id = 7}, got;
    struct jobstore *store;
    struct folder folder;
    struct error err;
    FILE *file;
    (void)state;

    folder_open(&folder);
    file = fopen(folder_file(&folder, "job.db"), "w");
    CHECK(file);
    fclose(file);
    CHECK_FAILS(jobstore_open(folder.file, true, &store, &err), STATUS_CORRUPT, "version 0");
    CHECK_OK(jobstore_open(folder.file, false, &store, &err));
    CHECK_OK(jobstore_put_job(store, &row, &err));
    CHECK_OK(jobstore_get_job(store, &got, &err));
    CHECK(got.id == 7);
    jobstore_close(store);
    folder_close(&folder);
}

static void a_statement_longer_than_its_field_is_cut_between_characters(void **state)
{
    struct job_row row = {.id = 1}, read;
    struct jobstore *store;
    struct folder folder;
    sqlite3 *database;
    struct error err;
    (void)state;

    folder_open(&folder);
    CHECK_OK(jobstore_create(folder_file(&folder, "job.db"), &store, &err));
    CHECK_OK(jobstore_put_job(store, &row, &err));
    CHECK(sqlite3_open(folder.file, &database) == SQLITE_OK);
    CHECK(sqlite3_exec(database,
                       "UPDATE job SET statement = replace(hex(zeroblob(1000)), '0', 'ä')", NULL,
                       NULL, NULL) == SQLITE_OK);
    sqlite3_close(database);
    CHECK_OK(jobstore_get_job(store, &read, &err));
    CHECK_INT(strlen(read.statement), sizeof read.statement - 2); /* two bytes a character */
    jobstore_close(store);
    folder_close(&folder);
}

static void spoil(struct folder *folder, const char *sql)
{
    sqlite3 *database;

    CHECK(sqlite3_open(folder->file, &database) == SQLITE_OK);
    CHECK(sqlite3_exec(database, sql, NULL, NULL, NULL) == SQLITE_OK);
    sqlite3_close(database);
}

static void a_destination_comes_back_and_half_a_path_is_refused(void **state)
{
    struct destination put = {.state = DESTINATION_REFUSED,
                              .database = "/data/shop's \"db\"",
                              .table = "m\xc3\xa4",
                              .version = 3,
                              .rows = 150,
                              .tries = 2,
                              .error = "no",
                              .hint = "Wait."};
    struct destination got;
    struct jobstore *store;
    struct folder folder;
    struct error err;
    (void)state;

    folder_open(&folder);
    CHECK_OK(jobstore_create(folder_file(&folder, "job.db"), &store, &err));
    CHECK_FAILS(destination_get(store, &got, &err), STATUS_NOT_FOUND, "session that waits");
    CHECK_OK(destination_put(store, &put, &err));
    CHECK_OK(destination_put(store, &put, &err)); /* one row, however often */
    CHECK_OK(destination_get(store, &got, &err));
    CHECK(got.state == put.state && got.version == 3 && got.rows == 150 && got.tries == 2);
    assert_string_equal(got.database, put.database);
    assert_string_equal(got.table, put.table);
    assert_string_equal(got.error, "no");
    assert_string_equal(got.hint, "Wait.");
    spoil(&folder, "UPDATE destination SET database = 'shop.db'");
    CHECK_FAILS(destination_get(store, &got, &err), STATUS_CORRUPT, "destination is damaged");
    spoil(&folder, "UPDATE destination SET database = '/' || hex(zeroblob(4000))");
    CHECK_FAILS(destination_get(store, &got, &err), STATUS_CORRUPT, "destination is damaged");
    spoil(&folder, "UPDATE destination SET database = '/a', state = 'perhaps'");
    CHECK_FAILS(destination_get(store, &got, &err), STATUS_CORRUPT, "destination is damaged");
    jobstore_close(store);
    folder_close(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_job_row_comes_back_as_it_was_put),
        cmocka_unit_test(who_opens_a_store_durably_waits_for_the_disk),
        cmocka_unit_test(results_and_metrics_come_back_in_order),
        cmocka_unit_test(a_model_is_there_whole_or_not_at_all),
        cmocka_unit_test(a_model_that_is_put_aside_is_none_until_it_is_taken),
        cmocka_unit_test(a_job_that_has_ended_has_no_further_master),
        cmocka_unit_test(what_is_no_store_is_refused),
        cmocka_unit_test(a_store_that_was_left_empty_is_completed_by_who_writes),
        cmocka_unit_test(a_destination_comes_back_and_half_a_path_is_refused),
        cmocka_unit_test(a_statement_longer_than_its_field_is_cut_between_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
