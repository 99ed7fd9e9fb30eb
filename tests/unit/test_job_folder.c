#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "runtime/launch/control.h"
#include "runtime/launch/job_folder.h"
#include "runtime/launch/job_lock.h"
#include "runtime/launch/job_process.h"
#include "runtime/launch/job_rows.h"
#include "tests/check.h"

static char state_folder[64];

static int make_state(void **state)
{
    (void)state;
    snprintf(state_folder, sizeof state_folder, "/tmp/totrain-test.XXXXXX");
    return mkdtemp(state_folder) ? 0 : -1;
}

static int remove_state(void **state)
{
    struct job_folder folder;
    int64_t *ids;
    size_t count;
    char jobs[80];
    (void)state;

    if (job_folder_list(state_folder, &ids, &count, NULL) != STATUS_OK)
        return -1;
    for (size_t i = 0; i < count; i++)
        if (job_folder_find(state_folder, ids[i], &folder, NULL) == STATUS_OK)
            job_folder_remove(&folder);
    free(ids);
    snprintf(jobs, sizeof jobs, "%s/jobs", state_folder);
    rmdir(jobs);
    return rmdir(state_folder);
}

static void touch(const struct job_folder *folder, const char *name)
{
    char path[PATH_MAX];
    struct error err;
    int fd;

    CHECK_OK(job_folder_file(folder, name, path, &err));
    fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    CHECK(fd >= 0);
    close(fd);
}

static bool exists(const struct job_folder *folder, const char *name)
{
    char path[PATH_MAX];
    struct error err;

    CHECK_OK(job_folder_file(folder, name, path, &err));
    return access(path, F_OK) == 0;
}

static void ids_are_above_all_that_exist_and_folders_private(void **state)
{
    struct job_folder first, second;
    struct stat status;
    struct error err;
    int64_t *ids;
    size_t count;
    char path[100];
    (void)state;

    CHECK_OK(job_folder_create(state_folder, &first, &err));
    CHECK_INT(first.id, 1);
    snprintf(path, sizeof path, "%s/jobs/41", state_folder);
    CHECK_INT(mkdir(path, 0700), 0);
    CHECK_OK(job_folder_create(state_folder, &second, &err));
    CHECK_INT(second.id, 42);
    CHECK_INT(stat(second.path, &status), 0);
    CHECK_INT(status.st_mode & 0777, 0700);
    CHECK_OK(job_folder_list(state_folder, &ids, &count, &err));
    CHECK_INT(count, 3);
    CHECK(ids[0] == 1 && ids[1] == 41 && ids[2] == 42);
    free(ids);
    CHECK_FAILS(job_folder_find(state_folder, 7, &first, &err), STATUS_NOT_FOUND,
                "there is no job 7");
    CHECK_FAILS(job_folder_find(state_folder, -1, &first, &err), STATUS_NOT_FOUND, "no job -1");
}

static void a_state_folder_that_cannot_be_made_is_named(void **state)
{
    struct job_folder folder;
    struct error err;
    (void)state;

    CHECK_FAILS(job_folder_create("/proc/nothing", &folder, &err), STATUS_IO, "/proc/nothing");
}

static void cleaning_keeps_the_result_and_drops_rows_and_sockets(void **state)
{
    struct job_folder folder;
    char sockets[CONTROL_PATH_MAX], socket_path[CONTROL_PATH_MAX + 16];
    struct error err;
    int fd;
    (void)state;

    CHECK_OK(job_folder_create(state_folder, &folder, &err));
    touch(&folder, "job.db");
    touch(&folder, "log");
    touch(&folder, "train.spool");
    CHECK_OK(control_folder_create(folder.path, sockets, &err));
    snprintf(socket_path, sizeof socket_path, "%s/master", sockets);
    fd = open(socket_path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    close(fd);
    job_folder_clean(&folder);
    CHECK(exists(&folder, "job.db") && exists(&folder, "log"));
    CHECK(!exists(&folder, "train.spool") && !exists(&folder, "control"));
    CHECK(access(sockets, F_OK) != 0);
}

static void large_files_go_as_small_ones_do(void **state)
{
    struct job_folder folder;
    char name[32], path[PATH_MAX];
    struct error err;
    (void)state;

    CHECK_OK(job_folder_create(state_folder, &folder, &err));
    touch(&folder, "job.db");
    for (int i = 0; i < 40; i++) {
        snprintf(name, sizeof name, "train.%d.spool", i);
        touch(&folder, name);
        CHECK_OK(job_folder_file(&folder, name, path, &err));
        CHECK_INT(truncate(path, i % 4 == 3 ? 1 : 32 << 20), 0);
    }
    job_folder_drop_rows(&folder);
    for (int i = 0; i < 40; i++) {
        snprintf(name, sizeof name, "train.%d.spool", i);
        CHECK(!exists(&folder, name));
    }
    CHECK(exists(&folder, "job.db"));
}

static void snapshots_of_parameter_servers_go_with_the_rows(void **state)
{
    struct job_folder folder;
    char server[PATH_MAX];
    struct error err;
    (void)state;

    for (int whole = 0; whole < 2; whole++) {
        CHECK_OK(job_folder_create(state_folder, &folder, &err));
        touch(&folder, "job.db");
        CHECK_OK(job_folder_file(&folder, "server-11", server, &err));
        CHECK_INT(mkdir(server, 0700), 0);
        touch(&folder, "server-11/job.db");
        touch(&folder, "server-11/job.db-wal");
        if (whole)
            job_folder_remove(&folder);
        else
            job_folder_clean(&folder);
        CHECK(!exists(&folder, "server-11"));
        CHECK(exists(&folder, "job.db") == !whole);
    }
}

/* Closes the lock, as the kernel does when the session's process ends. */
static void die(struct job_folder *folder)
{
    close(folder->lock - 1);
}

static void the_rows_of_a_killed_session_go_and_those_of_a_living_one_stay(void **state)
{
    struct job_folder killed, living, next;
    struct error err;
    (void)state;

    CHECK_OK(job_folder_create(state_folder, &killed, &err));
    CHECK_OK(job_folder_create(state_folder, &living, &err));
    touch(&killed, "train.spool");
    touch(&killed, "job.db");
    touch(&living, "train.spool");
    die(&killed);
    CHECK_OK(job_folder_create(state_folder, &next, &err));
    job_folder_clean(&next);
    CHECK(!exists(&killed, "train.spool") && exists(&killed, "job.db"));
    CHECK(exists(&living, "train.spool"));
    job_folder_remove(&living);
}

static void a_control_link_to_a_foreign_folder_is_left_alone(void **state)
{
    struct job_folder folder;
    char foreign[] = "/tmp/foreign-test.XXXXXX", target[64], link[PATH_MAX];
    struct error err;
    (void)state;

    CHECK_OK(job_folder_create(state_folder, &folder, &err));
    assert_non_null(mkdtemp(foreign));
    snprintf(target, sizeof target, "%s/control", foreign);
    CHECK_OK(job_folder_file(&folder, "control", link, &err));
    CHECK_INT(symlink(target, link), 0);
    control_folder_remove(folder.path);
    CHECK(access(foreign, F_OK) == 0);
    CHECK_INT(control_connect(folder.path), -1);
    rmdir(foreign);
}

static void only_the_newest_finished_folders_are_kept(void **state)
{
    struct job_folder folder;
    struct error err;
    int64_t *ids;
    size_t count;
    (void)state;

    for (int i = 0; i < JOB_FOLDERS_KEPT + 3; i++) {
        if (i > 0)
            die(&folder);
        CHECK_OK(job_folder_create(state_folder, &folder, &err));
    }
    job_folder_clean(&folder);
    CHECK_OK(job_folder_list(state_folder, &ids, &count, &err));
    CHECK_INT(count, JOB_FOLDERS_KEPT);
    CHECK_INT(ids[count - 1], folder.id);
    free(ids);
}

static void cancelling_needs_a_job_that_runs(void **state)
{
    struct job_folder folder;
    struct error err;
    (void)state;

    CHECK_FAILS(job_cancel_by_id(state_folder, 9, &err), STATUS_NOT_FOUND, "there is no job 9");
    CHECK_OK(job_folder_create(state_folder, &folder, &err));
    CHECK_FAILS(job_cancel_by_id(state_folder, folder.id, &err), STATUS_INVALID,
                "has ended already");
}

static void a_running_job_is_seen_by_its_lock_and_has_one_supervisor(void **state)
{
    struct job_folder folder;
    struct error err;
    int lock, second;
    (void)state;

    CHECK_OK(job_folder_create(state_folder, &folder, &err));
    CHECK(!job_is_running(folder.path)); /* nothing to run yet */
    touch(&folder, "job.json");
    CHECK(!job_is_running(folder.path));
    CHECK_OK(job_lock(folder.path, &lock, &err));
    CHECK(job_is_running(folder.path));
    CHECK(job_is_running(folder.path)); /* asking takes nothing away */
    CHECK_FAILS(job_lock(folder.path, &second, &err), STATUS_INVALID, "is running already");
    job_unlock(lock);
    CHECK(!job_is_running(folder.path));
    CHECK_OK(job_lock(folder.path, &lock, &err));
    job_unlock(lock);
}

static void rows_of_a_detached_job_stay_until_it_has_ended(void **state)
{
    struct job_folder lost, other;
    struct error err;
    (void)state;

    CHECK_OK(job_folder_create(state_folder, &lost, &err));
    touch(&lost, "train.spool");
    CHECK_OK(job_keep(lost.path, &err));
    job_folder_leave(&lost);
    CHECK_OK(job_folder_create(state_folder, &other, &err));
    job_folder_clean(&other); /* sweeps */
    CHECK(job_is_kept(lost.path) && exists(&lost, "train.spool"));
    job_let_go(lost.path);
    job_folder_clean(&other);
    CHECK(!job_is_kept(lost.path) && !exists(&lost, "train.spool"));
}

/* Most of the folders are of jobs that ended long ago: each later job would look for files in all.
 */
static void a_folder_is_swept_once_until_its_job_runs_again(void **state)
{
    struct job_folder ended, scored, next;
    struct error err;
    int lock;
    (void)state;

    CHECK_OK(job_folder_create(state_folder, &ended, &err));
    CHECK_OK(job_folder_create(state_folder, &scored, &err));
    CHECK_OK(job_folder_create(state_folder, &next, &err));
    touch(&ended, "job.json");
    touch(&scored, "test.spool");
    CHECK_OK(job_keep_rows(scored.path, &err));
    die(&ended);
    die(&scored);
    job_folder_leave(&next);
    job_folder_clean(&next);
    CHECK(job_is_swept(ended.path) && !job_is_swept(scored.path));
    CHECK(exists(&scored, "test.spool"));
    job_release_rows(scored.path);
    touch(&ended, "train.spool");
    job_folder_clean(&next);
    CHECK(exists(&ended, "train.spool")); /* nobody looked */
    CHECK(!exists(&scored, "test.spool") && job_is_swept(scored.path));
    CHECK_OK(job_lock(ended.path, &lock, &err));
    CHECK(!job_is_swept(ended.path));
    job_unlock(lock);
    job_folder_clean(&next);
    CHECK(!exists(&ended, "train.spool") && job_is_swept(ended.path));
}

static int locked(const char *path)
{
    const int lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (lock < 0 || flock(lock, LOCK_EX | LOCK_NB) != 0)
        _exit(1);
    return lock;
}

/* Does the kernel list a process that waits ("1: -> FLOCK ... 08:01:INODE ...")? */
static bool is_waited_for(int lock)
{
    FILE *locks = fopen("/proc/locks", "re");
    char line[256], inode[32];
    struct stat found;
    bool is_found = false;

    if (!locks || fstat(lock, &found) != 0)
        _exit(1);
    snprintf(inode, sizeof inode, ":%llu ", (unsigned long long)found.st_ino);
    while (fgets(line, sizeof line, locks))
        is_found = is_found || (strstr(line, "->") && strstr(line, inode));
    fclose(locks);
    return is_found;
}

/* Has the folder for a moment, like a process that asks whether it is held, until another wants
 * it. */
static void look_at_it(const struct job_folder *folder, int ready)
{
    const pid_t parent = getppid();
    char jobs[80];
    int turn;

    snprintf(jobs, sizeof jobs, "%s/jobs", state_folder);
    turn = locked(jobs);
    locked(folder->path);
    if (write(ready, "x", 1) != 1)
        _exit(1);
    while (!is_waited_for(turn) && getppid() == parent)
        sched_yield();
    _exit(0);
}

static void who_only_looks_at_a_folder_takes_it_from_nobody(void **state)
{
    struct job_folder folder, adopted;
    int ready[2], how;
    struct error err;
    pid_t other;
    char byte;
    (void)state;

    CHECK_OK(job_folder_create(state_folder, &folder, &err));
    job_folder_leave(&folder);
    CHECK(pipe2(ready, O_CLOEXEC) == 0);
    other = fork();
    CHECK(other >= 0);
    if (other == 0)
        look_at_it(&folder, ready[1]);
    CHECK(read(ready[0], &byte, 1) == 1);
    CHECK_OK(job_folder_adopt(state_folder, folder.id, &adopted, &err));
    CHECK(waitpid(other, &how, 0) == other);
    CHECK_INT(how, 0);
    CHECK(job_folder_is_held(folder.path));
    job_folder_remove(&adopted);
    close(ready[0]);
    close(ready[1]);
}

static void linked_rows_stay_when_either_job_ends(void **state)
{
    struct job_folder own, other;
    char path[PATH_MAX];
    struct stat about;
    struct error err;
    (void)state;

    CHECK_OK(job_folder_create(state_folder, &own, &err));
    CHECK_OK(job_folder_create(state_folder, &other, &err));
    touch(&own, "train.spool");
    touch(&own, "train.1.spool");
    touch(&own, "model.rows");
    touch(&own, "job.json");
    CHECK_OK(job_rows_link(&own, &other, "model.rows", &err));
    CHECK(exists(&other, "train.spool") && exists(&other, "train.1.spool"));
    CHECK(exists(&other, "model.rows") && !exists(&other, "job.json"));
    CHECK_OK(job_folder_file(&other, "train.spool", path, &err));
    CHECK(stat(path, &about) == 0 && about.st_nlink == 2);
    CHECK_FAILS(job_rows_link(&own, &other, "model.rows", &err), STATUS_IO, "cannot link");
    job_folder_remove(&other);
    CHECK(exists(&own, "train.spool") && exists(&own, "model.rows"));
    CHECK_FAILS(job_rows_link(&other, &own, "model.rows", &err), STATUS_IO, "cannot open");
    job_folder_remove(&own);
}

int main(void)
{
#define IN_STATE(test) cmocka_unit_test_setup_teardown(test, make_state, remove_state)
    const struct CMUnitTest tests[] = {
        IN_STATE(ids_are_above_all_that_exist_and_folders_private),
        IN_STATE(a_state_folder_that_cannot_be_made_is_named),
        IN_STATE(cleaning_keeps_the_result_and_drops_rows_and_sockets),
        IN_STATE(large_files_go_as_small_ones_do),
        IN_STATE(snapshots_of_parameter_servers_go_with_the_rows),
        IN_STATE(the_rows_of_a_killed_session_go_and_those_of_a_living_one_stay),
        IN_STATE(a_control_link_to_a_foreign_folder_is_left_alone),
        IN_STATE(only_the_newest_finished_folders_are_kept),
        IN_STATE(cancelling_needs_a_job_that_runs),
        IN_STATE(a_running_job_is_seen_by_its_lock_and_has_one_supervisor),
        IN_STATE(rows_of_a_detached_job_stay_until_it_has_ended),
        IN_STATE(a_folder_is_swept_once_until_its_job_runs_again),
        IN_STATE(linked_rows_stay_when_either_job_ends),
        IN_STATE(who_only_looks_at_a_folder_takes_it_from_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
