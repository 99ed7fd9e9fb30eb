#include "tests/check.h"

#include <dirent.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/record/event_log.h"
#include "tests/unit/data_fixture.h"

/* ----- one file ----- */

/* These twelve bytes begin each file that TensorFlow writes. */
static void a_record_is_framed_as_tfrecords_are(void **state)
{
    static const unsigned char version[] = {
        0x18, 0,  0,   0,   0,   0,   0,   0,    0xa3, 0x7f, 0x4b, 0x22, /* 24 bytes, and the crc of
                                                                            that */
        0x09, 0,  0,   0,   0,   0,   0,   0xf8, 0x3f,                   /* wall_time 1.5 */
        0x1a, 13, 'b', 'r', 'a', 'i', 'n', '.',  'E',  'v',  'e',  'n',  't', ':', '2'};
    struct text out;
    (void)state;

    text_init(&out, 1000);
    event_append_version(&out, 1.5);
    CHECK_INT(out.size, sizeof version + 4);
    CHECK(memcmp(text_string(&out), version, sizeof version) == 0);
    text_deinit(&out);
}

static FILE *file_of(const struct text *bytes, size_t size)
{
    FILE *file = tmpfile();

    CHECK(file && fwrite(text_string(bytes), 1, size, file) == size);
    rewind(file);
    return file;
}

static void what_is_written_is_read_and_a_part_of_it_is_not(void **state)
{
    struct event event;
    struct text out;
    size_t first;
    (void)state;

    text_init(&out, 1000);
    event_append_scalar(&out, 2.5, 300, SLICE("loss"), 0.25);
    first = out.size;
    event_append_scalar(&out, 3, UINT64_C(1) << 60, SLICE("score"), NAN);
    for (size_t size = 0; size <= out.size; size++) {
        FILE *file = file_of(&out, size);

        CHECK(event_read(file, &event) == (size >= first));
        if (size >= first) {
            assert_string_equal(event.tag, "loss");
            CHECK(event.step == 300 && event.value == 0.25f && event.wall_time == 2.5);
            CHECK(event_read(file, &event) == (size == out.size));
        }
        fclose(file);
    }
    assert_string_equal(event.tag, "score");
    CHECK(event.step == UINT64_C(1) << 60 && isnan(event.value));
    text_deinit(&out);
}

static void a_damaged_record_is_not_read(void **state)
{
    struct event event;
    struct text out;
    (void)state;

    text_init(&out, 1000);
    event_append_scalar(&out, 2.5, 300, SLICE("loss"), 0.25);
    for (size_t at = 0; at < out.size; at++) {
        FILE *file;

        out.data[at] ^= 0x10;
        file = file_of(&out, out.size);
        CHECK(!event_read(file, &event));
        fclose(file);
        out.data[at] ^= 0x10;
    }
    text_deinit(&out);
}

/* ----- a job's ----- */

struct fixture {
    struct folder folder;
    struct jobstore *store;
    struct outbox outbox;
    struct event_log log;
    char events[128];
};

static int set_up(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    struct error err;

    folder_open(&fixture->folder);
    snprintf(fixture->events, sizeof fixture->events, "%s/events", fixture->folder.path);
    CHECK(mkdir(fixture->events, 0700) == 0);
    CHECK_OK(jobstore_create(folder_file(&fixture->folder, "job.db"), &fixture->store, &err));
    outbox_init(&fixture->outbox);
    *state = fixture;
    return 0;
}

static int is_event_file(const struct dirent *entry)
{
    return strncmp(entry->d_name, "events.out.tfevents.", 20) == 0;
}

static void show_file(const char *path, struct text *out)
{
    FILE *file = fopen(path, "re");
    struct event event;

    CHECK(file && event_read(file, &event) && event.tag[0] == '\0'); /* the version */
    while (event_read(file, &event))
        text_printf(out, "%llu %s %g, ", (unsigned long long)event.step, event.tag,
                    (double)event.value);
    fclose(file);
}

/* The events of a run, "300 loss 0.25, " each; files in the order of their names. */
static int show(const struct fixture *fixture, const char *run, struct text *out)
{
    struct dirent **entries = NULL;
    char folder[256], path[600];
    int count;

    snprintf(folder, sizeof folder, "%s/%s", fixture->events, run);
    count = scandir(folder, &entries, is_event_file, alphasort);
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        show_file(path, out);
        free(entries[i]);
    }
    free(entries);
    return count > 0 ? count : 0;
}

static void check_run(const struct fixture *fixture, const char *run, const char *events, int files)
{
    struct text out;

    text_init(&out, TEXT_MAXIMUM);
    CHECK_INT(show(fixture, run, &out), files);
    assert_string_equal(text_string(&out), events);
    text_deinit(&out);
}

static void remove_run(const struct fixture *fixture, const char *run)
{
    struct dirent **entries = NULL;
    char folder[256], path[600];
    int count;

    snprintf(folder, sizeof folder, "%s/%s", fixture->events, run);
    count = scandir(folder, &entries, is_event_file, NULL);
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        unlink(path);
        free(entries[i]);
    }
    free(entries);
    rmdir(folder);
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;

    event_log_close(&fixture->log);
    outbox_deinit(&fixture->outbox);
    jobstore_close(fixture->store);
    remove_run(fixture, "train");
    remove_run(fixture, "validation");
    rmdir(fixture->events);
    unlink(folder_file(&fixture->folder, "event_files"));
    folder_close(&fixture->folder);
    free(fixture);
    return 0;
}

static void open_log(struct fixture *fixture)
{
    struct error err;

    event_log_close(&fixture->log);
    CHECK_OK(event_log_open(&fixture->log, fixture->folder.path, slice_of(fixture->events),
                            fixture->store, &err));
}

static void ask_for_metric(struct fixture *fixture, uint64_t step, const char *metric,
                           const char *part, double value)
{
    struct metric_row row = {.step = step, .metric = metric, .part = part, .value = value};

    outbox_put(&fixture->outbox, OUTBOX_METRIC, &row, sizeof row);
}

static enum status put(struct fixture *fixture, struct error *err)
{
    enum status status = event_log_put(&fixture->log, &fixture->outbox, err);

    outbox_clear(&fixture->outbox);
    return status;
}

/* Losses of three steps, an evaluation at the second. */
static void put_steps(struct fixture *fixture, uint64_t first, uint64_t last)
{
    struct error err;

    for (uint64_t step = first; step <= last; step++) {
        ask_for_metric(fixture, step, "loss", "train", (double)step / 4);
        if (step == 2) {
            ask_for_metric(fixture, step, "loss", "validation", 0.5);
            ask_for_metric(fixture, step, "score", "validation", 0.75);
        }
        CHECK_OK(put(fixture, &err));
    }
}

static void training_and_validation_are_two_runs(void **state)
{
    struct fixture *fixture = *state;

    open_log(fixture);
    check_run(fixture, "train", "", 0);
    put_steps(fixture, 1, 1);
    check_run(fixture, "train", "1 loss 0.25, ", 1);
    check_run(fixture, "validation", "", 0);
    put_steps(fixture, 2, 3);
    check_run(fixture, "train", "1 loss 0.25, 2 loss 0.5, 3 loss 0.75, ", 1);
    check_run(fixture, "validation", "2 loss 0.5, 2 score 0.75, ", 1);
}

static void results_come_at_the_last_step_and_never_twice(void **state)
{
    struct fixture *fixture = *state;
    struct result_row loss = {"loss", 1, 2}, accuracy = {"Accuracy", 0.875, NAN};
    struct job_row job = {.step = 3};
    struct error err;

    open_log(fixture);
    put_steps(fixture, 3, 3);
    for (int time = 0; time < 2; time++) {
        outbox_put(&fixture->outbox, OUTBOX_RESULT, &loss, sizeof loss);
        outbox_put(&fixture->outbox, OUTBOX_RESULT, &accuracy, sizeof accuracy);
        outbox_put(&fixture->outbox, OUTBOX_JOB, &job, sizeof job);
        CHECK_OK(put(fixture, &err));
        open_log(fixture);
    }
    check_run(fixture, "train", "3 loss 0.75, 3 Accuracy 0.875, ", 1);
    check_run(fixture, "validation", "3 loss 2, ", 1);
}

static void the_next_master_repeats_nothing(void **state)
{
    struct fixture *fixture = *state;

    open_log(fixture);
    put_steps(fixture, 1, 2);
    open_log(fixture);
    put_steps(fixture, 1, 3); /* from its beginning */
    check_run(fixture, "train", "1 loss 0.25, 2 loss 0.5, 3 loss 0.75, ", 2);
    check_run(fixture, "validation", "2 loss 0.5, 2 score 0.75, ", 1);
}

static void the_next_master_leaves_nothing_out(void **state)
{
    struct fixture *fixture = *state;
    char path[PATH_MAX];
    struct error err;

    open_log(fixture);
    put_steps(fixture, 1, 2);
    for (uint32_t step = 1; step <= 3; step++)
        CHECK_OK(
            jobstore_put_metric(fixture->store, 1, step, "loss", "train", (double)step / 4, &err));
    /* It was killed while it wrote. */
    snprintf(path, sizeof path, "%s", fixture->log.runs[EVENT_TRAIN].path);
    event_log_close(&fixture->log);
    CHECK(truncate(path, 100) == 0);
    open_log(fixture);
    check_run(fixture, "train", "1 loss 0.25, 2 loss 0.5, 3 loss 0.75, ", 2);
}

static void a_folder_that_is_gone_is_an_error_that_names_it(void **state)
{
    struct fixture *fixture = *state;
    struct error err;

    open_log(fixture);
    CHECK(rmdir(fixture->events) == 0);
    ask_for_metric(fixture, 1, "loss", "train", 1);
    CHECK_FAILS(put(fixture, &err), STATUS_IO, "cannot make the folder");
    event_log_close(&fixture->log);
    ask_for_metric(fixture, 2, "loss", "train", 1);
    CHECK_OK(put(fixture, &err)); /* closed */
}

#define WITH_LOG(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_record_is_framed_as_tfrecords_are),
        cmocka_unit_test(what_is_written_is_read_and_a_part_of_it_is_not),
        cmocka_unit_test(a_damaged_record_is_not_read),
        WITH_LOG(training_and_validation_are_two_runs),
        WITH_LOG(results_come_at_the_last_step_and_never_twice),
        WITH_LOG(the_next_master_repeats_nothing),
        WITH_LOG(the_next_master_leaves_nothing_out),
        WITH_LOG(a_folder_that_is_gone_is_an_error_that_names_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
