/*
 * The door's side of a job, with shell scripts in the supervisor's place.
 */
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "jobspec/jobspec.h"
#include "jobspec/jobspec_equal.h"
#include "jobspec/jobspec_read.h"
#include "jobspec/jobspec_write.h"
#include "kinds/network/network_attributes.h"
#include "runtime/launch/job_event.h"
#include "runtime/launch/job_folder.h"
#include "runtime/launch/job_process.h"
#include "runtime/launch/job_spec.h"
#include "tests/check.h"

#define WAIT_MS 30000

static struct job_folder folder;
static char script[PATH_MAX + 16];
static struct jobspec spec;
static struct input_spec input = {.name = {"a", 1}, .type = INPUT_NUMERIC};

static int make_folder(void **state)
{
    (void)state;
    folder.id = 1;
    snprintf(folder.path, sizeof folder.path, "/tmp/totrain-test.XXXXXX");
    if (!mkdtemp(folder.path))
        return -1;
    snprintf(script, sizeof script, "%s/program", folder.path);
    memset(&spec, 0, sizeof spec);
    spec.statement = spec.model_name = SLICE("m");
    spec.estimator = SLICE("LinearClassifier");
    spec.family = SLICE("network");
    spec.inputs = &input;
    spec.input_count = 1;
    spec.label = SLICE("y");
    spec.batch_size = spec.epochs = spec.min_workers = spec.max_workers = 1;
    spec.lanes_max = JOBSPEC_LANES_DEFAULT_MAX;
    network_params(&spec.params)->learning_rate = 0.1;
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    job_folder_remove(&folder);
    return 0;
}

static void write_script(const char *body)
{
    FILE *file = fopen(script, "w");

    assert_non_null(file);
    fprintf(file, "#!/bin/sh\n%s\n", body);
    fclose(file);
    CHECK_INT(chmod(script, 0700), 0);
}

static void next(struct job_process *process, struct job_event *event)
{
    bool has_event = false;
    struct error err;

    while (!has_event)
        CHECK_OK(job_next_event(process, WAIT_MS, event, &has_event, &err));
}

static void an_event_reads_back_as_it_was_written(void **state)
{
    struct job_event event, read;
    struct text line;
    struct error err;
    (void)state;

    memset(&event, 0, sizeof event);
    event.kind = JOB_FAILED;
    event.step = 12345678901234567u;
    event.steps = 5;
    event.epoch = 1;
    event.epochs = 2;
    event.workers = 3;
    event.rows_per_second = 0.1;
    event.loss = 1e-300;
    event.validation_loss = event.validation_score = (double)NAN;
    event.seconds = 2;
    event.seconds_left = (double)NAN;
    snprintf(event.message, sizeof event.message, "a \"quoted\" line\nand more");
    fail(&event.error, STATUS_LIMIT, "too \\ much");
    error_hint(&event.error, "Take less.");
    text_init(&line, LAUNCH_EVENT_BYTES_MAX);
    job_event_write(&event, &line);
    CHECK(line.data[line.size - 1] == '\n');
    CHECK(memchr(line.data, '\n', line.size - 1) == NULL);
    CHECK_OK(job_event_read((struct slice){line.data, line.size - 1}, &read, &err));
    CHECK_INT(read.kind, JOB_FAILED);
    CHECK(read.step == event.step && read.loss == event.loss && isnan(read.validation_loss));
    assert_string_equal(read.message, event.message);
    CHECK_INT(read.error.status, STATUS_LIMIT);
    assert_string_equal(read.error.message, "too \\ much");
    assert_string_equal(read.error.hint, "Take less.");
    text_deinit(&line);
    CHECK_FAILS(job_event_read(SLICE("{\"event\":\"party\"}"), &read, &err), STATUS_CORRUPT,
                "unknown event \"party\"");
    CHECK(job_event_read(SLICE("nonsense"), &read, &err) != STATUS_OK);
}

static size_t read_spec_file(const char *path, char *bytes, size_t most)
{
    FILE *file = fopen(path, "r");
    size_t size;

    assert_non_null(file);
    size = fread(bytes, 1, most, file);
    fclose(file);
    return size;
}

static void write_spec_file(const char *path, const char *bytes, size_t size)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    CHECK_INT(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static enum status read_back(struct jobspec *read, struct arena *arena, struct error *err)
{
    struct text json;
    enum status status;

    text_init(&json, JOBSPEC_BYTES_MAX);
    status = job_read_spec(folder.path, arena, read, &json, err);
    text_deinit(&json);
    return status;
}

static void a_spec_with_any_inverted_bit_is_refused(void **state)
{
    char path[PATH_MAX + 16], bytes[8192], *epochs;
    struct jobspec read;
    struct arena arena;
    struct error err;
    size_t size;
    (void)state;

    snprintf(path, sizeof path, "%s/job.json", folder.path);
    CHECK_OK(job_write_spec(&folder, &spec, &err));
    size = read_spec_file(path, bytes, sizeof bytes);
    CHECK(size > 100 && size < sizeof bytes);
    arena_init(&arena, ARENA_MAXIMUM);
    CHECK_OK(read_back(&read, &arena, &err));
    CHECK(jobspec_equal(&spec, &read));
    /* Each of the checksum, and every fifth before it: a file is written for each. */
    for (size_t bit = 0; bit < 8 * size; bit += bit < 8 * (size - 80) ? 5 : 1) {
        bytes[bit / 8] ^= (char)(1 << bit % 8);
        write_spec_file(path, bytes, size);
        CHECK_INT(read_back(&read, &arena, &err), STATUS_CORRUPT);
        bytes[bit / 8] ^= (char)(1 << bit % 8);
    }
    epochs = memmem(bytes, size, "\"epochs\":", strlen("\"epochs\":"));
    assert_non_null(epochs);
    epochs[strcspn(epochs, "1")] = '9';
    write_spec_file(path, bytes, size);
    CHECK_INT(read_back(&read, &arena, &err), STATUS_CORRUPT);
    assert_non_null(strstr(err.message, "job.json is damaged: it is not what was written"));
    arena_deinit(&arena);
}

static void a_spec_without_a_checksum_is_read_and_one_with_it_by_readers_that_know_none(
    void **state)
{
    char path[PATH_MAX + 16], bytes[8192];
    struct jobspec read;
    struct arena arena;
    struct error err;
    struct text json;
    (void)state;

    snprintf(path, sizeof path, "%s/job.json", folder.path);
    arena_init(&arena, ARENA_MAXIMUM);
    text_init(&json, JOBSPEC_BYTES_MAX);
    CHECK_OK(jobspec_write(&spec, &json, &err));
    write_spec_file(path, json.data, json.size);
    CHECK_OK(read_back(&read, &arena, &err));
    CHECK(jobspec_equal(&spec, &read));
    CHECK_OK(job_write_spec(&folder, &spec, &err));
    CHECK_OK(jobspec_read((struct slice){bytes, read_spec_file(path, bytes, sizeof bytes)}, &arena,
                          &read, &err));
    CHECK(jobspec_equal(&spec, &read));
    text_deinit(&json);
    arena_deinit(&arena);
}

static void the_supervisor_gets_folder_spec_and_lifeline(void **state)
{
    struct job_process process;
    struct job_event event;
    struct error err;
    (void)state;

    write_script("[ \"$1\" = supervise ] && [ -s \"$2/job.json\" ] || exit 9\n"
                 "echo to the log >&2\n"
                 "printf '{\"event\":\"notice\",\"step\":0,\"steps\":0,\"epoch\":0,\"epochs\":0,'\n"
                 "printf '\"workers\":0,\"message\":\"here\"}\\n'\n"
                 "read word && [ $word = cancel ] && echo '{\"event\":\"failed\",\"step\":0,"
                 "\"steps\":0,\"epoch\":0,\"epochs\":0,\"workers\":0,\"status\":\"INTERRUPTED\","
                 "\"error\":\"cancelled\",\"hint\":\"\"}'");
    CHECK_OK(job_launch(script, &folder, &spec, &process, &err));
    next(&process, &event);
    CHECK_INT(event.kind, JOB_NOTICE);
    assert_string_equal(event.message, "here");
    job_cancel(&process);
    next(&process, &event);
    CHECK_INT(event.kind, JOB_FAILED);
    CHECK_INT(event.error.status, STATUS_INTERRUPTED);
    job_close(&process);
    CHECK_INT(process.pid, -1);
    job_close(&process);
}

/* The session waits for no supervisor: one that is frozen hears the rest later. */
static void reports_go_down_the_lifeline_as_far_as_the_supervisor_takes_them(void **state)
{
    const struct slice line = SLICE("{\"event\":\"notice\",\"step\":0,\"steps\":0,\"epoch\":0,"
                                    "\"epochs\":0,\"workers\":0,\"message\":\"from the journal\"}");
    int taken = 0, heard = 0;
    struct job_process process;
    struct job_event event;
    struct error err;
    (void)state;

    write_script(
        "while read -r word line; do [ $word = report ] && echo \"$line\"; [ $word = looked ] &&"
        " echo '{\"event\":\"done\",\"step\":0,\"steps\":0,\"epoch\":0,\"epochs\":0,"
        "\"workers\":0}'; done");
    CHECK_OK(job_launch(script, &folder, &spec, &process, &err));
    CHECK_INT(kill(process.pid, SIGSTOP), 0);
    while (taken < 100000 && job_report(&process, line))
        taken++;
    CHECK(taken > 10 && taken < 100000);
    CHECK_INT(kill(process.pid, SIGCONT), 0);
    for (next(&process, &event); event.kind == JOB_NOTICE; next(&process, &event)) {
        assert_string_equal(event.message, "from the journal");
        if (++heard == taken)
            job_looked(&process);
    }
    CHECK_INT(event.kind, JOB_DONE);
    CHECK_INT(heard, taken);
    job_close(&process);
    CHECK(!job_report(&process, line));
}

static void a_supervisor_that_ends_without_a_word_is_a_failed_job(void **state)
{
    struct job_process process;
    struct job_event event;
    struct error err;
    enum status status;
    bool has_event;
    (void)state;

    write_script("exit 3");
    CHECK_OK(job_launch(script, &folder, &spec, &process, &err));
    do
        status = job_next_event(&process, WAIT_MS, &event, &has_event, &err);
    while (status == STATUS_OK);
    CHECK_INT(status, STATUS_FAILED);
    CHECK(strstr(err.message, "ended with code 3") && strstr(err.hint, "/log"));
    job_close(&process);
}

static void closing_the_lifeline_ends_a_supervisor_that_listens(void **state)
{
    struct job_process process;
    struct error err;
    pid_t pid;
    (void)state;

    write_script("cat > /dev/null");
    CHECK_OK(job_launch(script, &folder, &spec, &process, &err));
    pid = process.pid;
    job_close(&process);
    CHECK_INT(waitpid(pid, NULL, WNOHANG), -1); /* reaped */
}

static void signals_and_descriptors_of_the_database_are_not_inherited(void **state)
{
    struct job_process process;
    struct job_event event;
    struct error err;
    int leak = dup(0);
    (void)state;

    CHECK(leak >= 3);
    signal(SIGTERM, SIG_IGN);
    write_script("n=$(ls /proc/self/fd | wc -l)\n"
                 "ignored=$(grep SigIgn /proc/self/status | tr -d '\\t ')\n"
                 "echo \"{\\\"event\\\":\\\"notice\\\",\\\"step\\\":$n,\\\"steps\\\":0,"
                 "\\\"epoch\\\":0,\\\"epochs\\\":0,\\\"workers\\\":0,"
                 "\\\"message\\\":\\\"$ignored\\\"}\"");
    CHECK_OK(job_launch(script, &folder, &spec, &process, &err));
    signal(SIGTERM, SIG_DFL);
    next(&process, &event);
    CHECK(event.step <= 4); /* 0, 1, 2 and the one of ls itself */
    /* glibc leaves its own two signals, 32 and 33, ignored */
    CHECK_INT(strtoull(event.message + strlen("SigIgn:"), NULL, 16) & 0x7fffffff, 0);
    job_close(&process);
    close(leak);
}

static int open_descriptors(void)
{
    int count = 0;

    for (int descriptor = 0; descriptor < 256; descriptor++)
        count += fcntl(descriptor, F_GETFD) != -1;
    return count;
}

static void a_session_holds_two_descriptors_of_a_job_and_none_when_it_is_closed(void **state)
{
    const int before = open_descriptors();
    struct job_process process;
    struct error err;
    (void)state;

    write_script("cat > /dev/null");
    CHECK_OK(job_launch(script, &folder, &spec, &process, &err));
    CHECK_INT(open_descriptors(), before + 2); /* its ends of the lifeline and of the events */
    job_close(&process);
    CHECK_INT(open_descriptors(), before);
    CHECK(job_launch("/nonexistent/totrain", &folder, &spec, &process, &err) != STATUS_OK);
    CHECK_INT(open_descriptors(), before);
}

static void a_program_that_is_not_there_is_named(void **state)
{
    struct job_process process;
    struct error err;
    (void)state;

    CHECK_FAILS(job_launch("/nonexistent/totrain", &folder, &spec, &process, &err), STATUS_IO,
                "cannot start /nonexistent/totrain");
    CHECK(strstr(err.hint, "must lie beside totrain.so"));
}

int main(void)
{
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_event_reads_back_as_it_was_written),
        IN_FOLDER(a_spec_with_any_inverted_bit_is_refused),
        IN_FOLDER(a_spec_without_a_checksum_is_read_and_one_with_it_by_readers_that_know_none),
        IN_FOLDER(the_supervisor_gets_folder_spec_and_lifeline),
        IN_FOLDER(reports_go_down_the_lifeline_as_far_as_the_supervisor_takes_them),
        IN_FOLDER(a_supervisor_that_ends_without_a_word_is_a_failed_job),
        IN_FOLDER(closing_the_lifeline_ends_a_supervisor_that_listens),
        IN_FOLDER(signals_and_descriptors_of_the_database_are_not_inherited),
        IN_FOLDER(a_session_holds_two_descriptors_of_a_job_and_none_when_it_is_closed),
        IN_FOLDER(a_program_that_is_not_there_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
