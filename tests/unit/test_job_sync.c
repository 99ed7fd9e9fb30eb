/*
 * A detached job is acknowledged when all of it is on the disk, and not before.
 *
 * fsync() is this program's own: it notes which file it was called for, and fails for one.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "extension/engine/jobs/job_run.h"
#include "runtime/launch/job_folder.h"
#include "runtime/launch/job_lock.h"
#include "runtime/launch/job_sync.h"
#include "tests/check.h"

#define SYNCED_MAX 64

static char synced[SYNCED_MAX][PATH_MAX];
static size_t synced_count;
static const char *broken; /* the end of a path; NULL: none */

static bool ends_with(const char *path, const char *end)
{
    const size_t size = strlen(path), length = strlen(end);

    return size >= length && strcmp(path + size - length, end) == 0;
}

int fsync(int file)
{
    char link[64];
    ssize_t size;

    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    size = readlink(link, synced[synced_count], PATH_MAX - 1);
    CHECK(size > 0 && synced_count + 1 < SYNCED_MAX);
    synced[synced_count][size] = '\0';
    if (broken && ends_with(synced[synced_count], broken)) {
        errno = EIO;
        return -1;
    }
    synced_count++;
    return 0;
}

/* When it was synced; SYNCED_MAX: never. */
static size_t when(const char *end)
{
    for (size_t i = 0; i < synced_count; i++)
        if (ends_with(synced[i], end))
            return i;
    return SYNCED_MAX;
}

static char state[64];
static struct job_folder folder;

static void write_file(const char *name)
{
    char path[PATH_MAX];
    struct error err;
    int file;

    CHECK_OK(job_folder_file(&folder, name, path, &err));
    file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    CHECK(file >= 0 && write(file, "x", 1) == 1);
    close(file);
}

static int make_folder(void **context)
{
    struct error err;

    (void)context;
    snprintf(state, sizeof state, "/tmp/totrain-test.XXXXXX");
    if (!mkdtemp(state) || job_folder_create(state, &folder, &err) != STATUS_OK)
        return -1;
    write_file("train.spool");
    write_file("train.1.spool");
    synced_count = 0;
    broken = NULL;
    return 0;
}

static int remove_folder(void **context)
{
    char path[PATH_MAX];

    (void)context;
    job_folder_remove(&folder);
    snprintf(path, sizeof path, "%s/jobs", state);
    rmdir(path);
    rmdir(state);
    return 0;
}

static void files_come_first_then_the_folders_from_inside(void **context)
{
    struct error err;
    (void)context;

    CHECK_OK(job_sync(folder.path, &err));
    CHECK(when("/train.spool") < when("/jobs/1") && when("/train.1.spool") < when("/jobs/1"));
    CHECK(when("/jobs/1") + 1 == when("/jobs"));
    CHECK(when("/jobs") + 1 == when(state));
    CHECK(when(state) + 1 == when("/tmp"));
}

static void what_does_not_reach_the_disk_is_named(void **context)
{
    static const char *const ends[] = {"/train.1.spool", "/jobs/1", "/jobs"};
    struct error err;
    (void)context;

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        synced_count = 0;
        broken = ends[i];
        CHECK_FAILS(job_sync(folder.path, &err), STATUS_IO, ends[i]);
    }
}

static bool is_submitted;

/* Takes the notice that the job goes on without the session. */
static void put_notice(void *self, const char *line)
{
    (void)self;
    (void)line;
    is_submitted = true;
}

static struct input_spec input = {.name = {"a", 1}, .type = INPUT_NUMERIC};
static const struct jobspec spec = {.statement = {"s", 1},
                                    .model_name = {"m", 1},
                                    .estimator = {"LinearClassifier", 16},
                                    .family = {"network", 7},
                                    .inputs = &input,
                                    .input_count = 1,
                                    .label = {"y", 1},
                                    .batch_size = 1,
                                    .epochs = 1,
                                    .min_workers = 1,
                                    .max_workers = 1,
                                    .lanes_max = JOBSPEC_LANES_DEFAULT_MAX};

/* By a program that is not there: that it cannot be started is what comes behind the disk. */
static enum status submit(struct error *err)
{
    const struct host host = {.session = {.program = "/nonexistent/totrain"}};
    const struct plan plan = {
        .kind = STATEMENT_TRAIN, .into_file = SLICE("/tmp/x.db"), .into_name = SLICE("m")};
    const struct sink sink = {.notice = put_notice};
    struct job job = {.host = &host,
                      .plan = &plan,
                      .life = &job_lives[LIFE_DETACHED],
                      .sink = &sink,
                      .folder = folder,
                      .spec = spec};

    error_clear(err);
    is_submitted = false;
    return job_leave(&job, err);
}

static void all_of_a_detached_job_is_on_the_disk_before_it_starts(void **context)
{
    static const char *const names[] = {"/job.json", "/job.db", "/detached", "/train.spool"};
    struct error err;
    (void)context;

    CHECK_FAILS(submit(&err), STATUS_IO, "/nonexistent/totrain");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        CHECK(when(names[i]) < when("/jobs"));
    CHECK(when("/jobs") < SYNCED_MAX);
}

static enum status take_over(void *self, const struct job_folder *taken, struct error *err)
{
    *(size_t *)self = synced_count;
    return fail(err, STATUS_UNSUPPORTED, "no server follows job %d", (int)taken->id);
}

/* Submits a job that scores: after the disk the server may refuse it. */
static enum status submit_to_server(size_t *taken_when, struct error *err)
{
    static const struct host_jobs jobs = {.keep = take_over};
    const struct host host = {.self = taken_when, .jobs = &jobs};
    const struct plan plan = {.kind = STATEMENT_EVALUATE};
    const struct sink sink = {.notice = put_notice};
    struct job job = {.host = &host,
                      .plan = &plan,
                      .life = &job_lives[LIFE_SERVED],
                      .sink = &sink,
                      .folder = folder,
                      .spec = spec};

    error_clear(err);
    is_submitted = false;
    return job_leave(&job, err);
}

static void so_is_all_of_one_that_a_server_follows(void **context)
{
    static const char *const names[] = {"/job.json", "/job.db", "/detached", "/rows-are-kept"};
    struct jobstore *store;
    struct job_row row;
    char books[PATH_MAX];
    size_t taken_when = 0;
    struct error err;
    (void)context;

    CHECK_FAILS(submit_to_server(&taken_when, &err), STATUS_UNSUPPORTED, "no server follows job 1");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        CHECK(when(names[i]) < when("/jobs"));
    CHECK(when("/jobs") < taken_when);
    CHECK(!is_submitted && !job_is_kept(folder.path) && job_keeps_rows(folder.path));
    CHECK_OK(job_folder_file(&folder, "job.db", books, &err));
    CHECK_OK(jobstore_open(books, true, &store, &err));
    CHECK_OK(jobstore_get_job(store, &row, &err));
    assert_int_equal(row.state, JOB_STATE_WAITING); /* it is listed before a process runs */
    jobstore_close(store);
}

static void what_is_not_on_the_disk_is_not_started(void **context)
{
    static const char *const names[] = {"/job.json", "/detached", "/train.spool", "/jobs"};
    char books[PATH_MAX];
    struct error err;
    (void)context;

    CHECK_OK(job_folder_file(&folder, "job.db", books, &err));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        synced_count = 0;
        broken = names[i];
        CHECK_FAILS(submit(&err), STATUS_IO, "to the disk");
        unlink(books);
        CHECK(!is_submitted && !job_is_kept(folder.path));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(files_come_first_then_the_folders_from_inside, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(what_does_not_reach_the_disk_is_named, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(all_of_a_detached_job_is_on_the_disk_before_it_starts,
                                        make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(so_is_all_of_one_that_a_server_follows, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(what_is_not_on_the_disk_is_not_started, make_folder,
                                        remove_folder),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
