#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "extension/engine/host/host.h"
#include "extension/engine/jobs/job_log.h"
#include "extension/engine/jobs/life.h"
#include "runtime/launch/job_folder.h"
#include "runtime/launch/job_lock.h"
#include "tests/check.h"

/* ----- of a statement ----- */

static const struct host_jobs server;

static void check_life(const struct host *host, const struct plan *plan, enum job_life_index index)
{
    assert_string_equal(job_life_of(host, plan)->name, job_lives[index].name);
}

static void a_statement_that_waits_is_attached_and_one_that_does_not_is_detached(void **context)
{
    const struct host host = {.self = NULL};
    struct plan plan = {.kind = STATEMENT_TRAIN, .wait = true};
    (void)context;

    check_life(&host, &plan, LIFE_ATTACHED);
    plan.wait = false;
    check_life(&host, &plan, LIFE_DETACHED);
    plan = (struct plan){.kind = STATEMENT_PREDICT, .scoring.wait = true};
    check_life(&host, &plan, LIFE_ATTACHED);
    plan.scoring.wait = false;
    check_life(&host, &plan, LIFE_DETACHED);
}

static void in_a_server_the_server_follows_what_does_not_wait(void **context)
{
    const struct host host = {.jobs = &server};
    struct plan plan = {.kind = STATEMENT_TRAIN, .wait = true};
    (void)context;

    check_life(&host, &plan, LIFE_ATTACHED);
    plan.wait = false;
    check_life(&host, &plan, LIFE_SERVED);
    plan = (struct plan){.kind = STATEMENT_EVALUATE, .scoring.wait = false};
    check_life(&host, &plan, LIFE_SERVED);
}

static void a_staged_statement_is_staged_wherever_it_is_to_run(void **context)
{
    const struct host_cluster cluster = {.keeps = KEEPS_ALL};
    const struct host host = {.catalog.limits.is_staged = true, .cluster = &cluster};
    struct plan plan = {.kind = STATEMENT_TRAIN, .wait = true};
    (void)context;

    check_life(&host, &plan, LIFE_STAGED);
    plan.cluster.is_wanted = true;
    plan.wait = false;
    check_life(&host, &plan, LIFE_STAGED);
}

static void who_keeps_a_job_on_a_cluster_is_the_hosts_and_the_statements(void **context)
{
    static const struct {
        enum cluster_keeps keeps;
        bool waits, reads_directly, in_server;
        enum job_life_index life;
    } cases[] = {
        {KEEPS_NONE, true, false, false, LIFE_ON_CLUSTER},
        {KEEPS_NONE, false, false, false, LIFE_ON_CLUSTER}, /* its pod owns the Job */
        {KEEPS_DETACHED, true, false, false, LIFE_ON_CLUSTER},
        {KEEPS_DETACHED, false, false, false, LIFE_KEPT_BY_PROGRAM},
        {KEEPS_DETACHED, false, false, true, LIFE_KEPT_BY_SERVER},
        {KEEPS_ALL, true, false, true, LIFE_KEPT_BY_SERVER},
        {KEEPS_ALL, true, true, true, LIFE_ON_CLUSTER}, /* the session holds the snapshot */
        {KEEPS_DETACHED, false, true, false, LIFE_ON_CLUSTER},
    };
    (void)context;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct host_cluster cluster = {.keeps = cases[i].keeps};
        const struct host host = {.cluster = &cluster, .jobs = cases[i].in_server ? &server : NULL};
        const struct plan plan = {
            .kind = STATEMENT_TRAIN,
            .wait = cases[i].waits,
            .cluster = {.is_wanted = true, .reads_directly = cases[i].reads_directly}};

        check_life(&host, &plan, cases[i].life);
    }
}

static void what_scores_on_a_cluster_is_kept_where_nobody_waits_for_it(void **context)
{
    static const enum statement_kind scoring[] = {STATEMENT_PREDICT, STATEMENT_EVALUATE};
    (void)context;

    for (size_t i = 0; i < sizeof scoring / sizeof *scoring; i++)
        for (int keeps = KEEPS_NONE; keeps <= KEEPS_ALL; keeps++) {
            const struct host_cluster cluster = {.keeps = (enum cluster_keeps)keeps};
            const struct host host = {.cluster = &cluster, .jobs = &server};
            struct plan plan = {
                .kind = scoring[i], .scoring.wait = true, .cluster.is_wanted = true};

            check_life(&host, &plan, LIFE_ON_CLUSTER); /* the rows are the session's */
            plan.scoring.wait = false;
            check_life(&host, &plan, keeps == KEEPS_NONE ? LIFE_ON_CLUSTER : LIFE_KEPT_BY_SERVER);
        }
}

/* ----- of a folder ----- */

static char folder[] = "/tmp/test_job_life.XXXXXX";

static int make_folder(void **context)
{
    (void)context;
    snprintf(folder, sizeof folder, "/tmp/test_job_life.XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **context)
{
    struct job_folder left = {.id = 1};
    (void)context;

    snprintf(left.path, sizeof left.path, "%s", folder);
    job_folder_remove(&left);
    return 0;
}

static void check_folder(bool has_destination, enum job_life_index index)
{
    assert_string_equal(job_life_of_folder(folder, has_destination)->name, job_lives[index].name);
}

static void a_folder_tells_its_life(void **context)
{
    struct job_folder made = {.id = 1};
    struct error err;
    (void)context;

    check_folder(false, LIFE_ATTACHED);
    check_folder(true, LIFE_DETACHED);
    CHECK_OK(job_keep(folder, &err));
    check_folder(false, LIFE_SERVED);
    check_folder(true, LIFE_DETACHED);
    job_let_go(folder);
    snprintf(made.path, sizeof made.path, "%s", folder);
    CHECK_OK(job_folder_write(&made, "cluster.json", SLICE("{}"), &err));
    check_folder(false, LIFE_ON_CLUSTER);
    check_folder(true, LIFE_KEPT_BY_PROGRAM);
    CHECK_OK(job_keep(folder, &err));
    check_folder(false, LIFE_KEPT_BY_SERVER);
    check_folder(true, LIFE_KEPT_BY_PROGRAM);
}

/* ----- the log ----- */

static void check_log(uint64_t from, size_t most, const char *lines, uint64_t next)
{
    const struct job_log_part part = {.job = 1, .from = from, .most = most};
    struct text text;
    struct error err;
    uint64_t found = 0;

    text_init(&text, 1024);
    CHECK_OK(job_log_read(folder, &part, &text, &found, &err));
    assert_string_equal(text_string(&text), lines);
    CHECK_INT(found, next);
    text_deinit(&text);
}

static void a_log_is_read_by_whole_lines(void **context)
{
    const struct job_log_part part = {.job = 1, .most = 10};
    char path[PATH_MAX];
    struct job_folder made;
    struct text text;
    struct error err;
    uint64_t next;
    int lock;
    (void)context;

    text_init(&text, 1024);
    CHECK_FAILS(job_log_read(folder, &part, &text, &next, &err), STATUS_NOT_FOUND, "job 1");
    CHECK_OK(job_folder_create(folder, &made, &err));
    CHECK_FAILS(job_log_read(folder, &part, &text, &next, &err), STATUS_NOT_FOUND,
                "job 1 has no log: none of its processes ran");
    CHECK_OK(job_folder_write(&made, "job.json", SLICE("{}"), &err));
    CHECK_OK(job_folder_write(&made, "log", SLICE("one\ntwo\nth"), &err));
    CHECK_OK(job_lock(made.path, &lock, &err));
    check_log(0, 100, "one\ntwo\n", 8);
    check_log(8, 100, "", 8); /* its process may go on with the line */
    job_unlock(lock);
    check_log(8, 100, "th", 10);
    check_log(10, 100, "", 10);
    check_log(UINT64_MAX / 4, 100, "", UINT64_MAX / 4);
    check_log(0, 6, "one\n", 4);
    check_log(4, 3, "two", 7); /* a line longer than the part */
    check_log(7, 3, "\n", 8);
    CHECK_OK(job_folder_write(&made, "cluster.json", SLICE("{}"), &err));
    CHECK_OK(job_folder_file(&made, "log", path, &err));
    assert_int_equal(unlink(path), 0);
    CHECK_FAILS(job_log_read(folder, &part, &text, &next, &err), STATUS_NOT_FOUND,
                "job 1 has no log here: its processes run on a cluster");
    job_folder_remove(&made);
    text_deinit(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_statement_that_waits_is_attached_and_one_that_does_not_is_detached),
        cmocka_unit_test(in_a_server_the_server_follows_what_does_not_wait),
        cmocka_unit_test(a_staged_statement_is_staged_wherever_it_is_to_run),
        cmocka_unit_test(who_keeps_a_job_on_a_cluster_is_the_hosts_and_the_statements),
        cmocka_unit_test(what_scores_on_a_cluster_is_kept_where_nobody_waits_for_it),
        cmocka_unit_test_setup_teardown(a_folder_tells_its_life, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_log_is_read_by_whole_lines, make_folder, remove_folder),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
