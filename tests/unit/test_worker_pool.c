#include "runtime/process/supervise/worker_pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/process/supervise/wanted.h"
#include "tests/check.h"

#define MOST 6

/* A launcher whose processes start at once and end when the test says so. */
struct launcher {
    struct worker_pool pool;
    enum place places[MOST];
    uint32_t starts, stops;
};

static void launch(struct launcher *launcher)
{
    struct worker_pool_step step;

    while ((step = worker_pool_next(&launcher->pool, launcher->places)).action !=
           WORKER_POOL_NOTHING) {
        bool starts = step.action == WORKER_POOL_START;

        CHECK(launcher->places[step.index] == (starts ? PLACE_EMPTY : PLACE_RUNNING));
        launcher->places[step.index] = starts ? PLACE_RUNNING : PLACE_LEAVING;
        launcher->starts += starts;
        launcher->stops += !starts;
    }
}

static void end_those_who_leave(struct launcher *launcher)
{
    for (int index = 0; index < MOST; index++)
        if (launcher->places[index] == PLACE_LEAVING)
            launcher->places[index] = PLACE_EMPTY;
    launch(launcher);
}

static void open_launcher(struct launcher *launcher, uint32_t least, uint32_t slots)
{
    memset(launcher, 0, sizeof *launcher);
    worker_pool_init(&launcher->pool, least, MOST, slots);
    launch(launcher);
}

static void workers_without_a_lane_are_stopped_and_not_started_again(void **state)
{
    struct launcher launcher;
    struct error err;
    (void)state;

    open_launcher(&launcher, 2, WORKER_POOL_UNLIMITED);
    CHECK_INT(launcher.starts, MOST);
    launcher.pool.lanes = 3;
    launch(&launcher);
    CHECK_INT(launcher.stops, MOST - 3);
    end_those_who_leave(&launcher);
    CHECK_INT(launcher.starts, MOST);
    CHECK_OK(worker_pool_want(&launcher.pool, MOST, &err));
    launch(&launcher);
    CHECK_INT(launcher.starts, MOST);
    launcher.pool.lanes = 1; /* the job does not begin with fewer than its least */
    launch(&launcher);
    CHECK_INT(launcher.stops, MOST - 2);
    CHECK_INT(worker_pool_useful(&launcher.pool), 2);
}

static void a_job_starts_with_the_slots_there_are_and_grows_into_new_ones(void **state)
{
    struct launcher launcher;
    (void)state;

    open_launcher(&launcher, 1, 2);
    CHECK_INT(launcher.starts, 2);
    launcher.pool.slots = 4;
    launch(&launcher);
    CHECK_INT(launcher.starts, 4);
    launcher.pool.slots = WORKER_POOL_UNLIMITED;
    launch(&launcher);
    CHECK_INT(launcher.starts, MOST);
    CHECK_INT(launcher.stops, 0);
}

static void fewer_wanted_stops_the_highest_and_their_slots_stay_used_until_they_end(void **state)
{
    struct launcher launcher;
    struct error err;
    (void)state;

    open_launcher(&launcher, 1, WORKER_POOL_UNLIMITED);
    CHECK_OK(worker_pool_want(&launcher.pool, 4, &err));
    launch(&launcher);
    CHECK_INT(launcher.stops, 2);
    CHECK(launcher.places[4] == PLACE_LEAVING && launcher.places[5] == PLACE_LEAVING);
    CHECK_INT(worker_pool_slots_used(&launcher.pool, launcher.places), MOST);
    end_those_who_leave(&launcher);
    CHECK_INT(worker_pool_slots_used(&launcher.pool, launcher.places), 4);
    CHECK_INT(launcher.starts, MOST);
}

static void a_slot_of_one_who_leaves_is_not_given_twice(void **state)
{
    struct launcher launcher;
    struct error err;
    (void)state;

    open_launcher(&launcher, 1, 3);
    CHECK_OK(worker_pool_want(&launcher.pool, 1, &err));
    launch(&launcher);
    CHECK_OK(worker_pool_want(&launcher.pool, 3, &err)); /* while two are leaving */
    launch(&launcher);
    CHECK_INT(launcher.starts, 3);
    end_those_who_leave(&launcher);
    CHECK_INT(launcher.starts, 5);
    CHECK_INT(worker_pool_slots_used(&launcher.pool, launcher.places), 3);
}

static void a_worker_that_died_is_started_again_and_a_closed_place_is_not(void **state)
{
    struct launcher launcher;
    (void)state;

    open_launcher(&launcher, 1, WORKER_POOL_UNLIMITED);
    launcher.places[2] = PLACE_EMPTY;
    launcher.places[3] = PLACE_CLOSED;
    launch(&launcher);
    CHECK_INT(launcher.starts, MOST + 1);
    CHECK(launcher.places[2] == PLACE_RUNNING && launcher.places[3] == PLACE_CLOSED);
}

static void a_number_outside_the_range_changes_nothing(void **state)
{
    struct launcher launcher;
    struct error err;
    (void)state;

    open_launcher(&launcher, 2, WORKER_POOL_UNLIMITED);
    CHECK_FAILS(worker_pool_want(&launcher.pool, 7, &err), STATUS_INVALID,
                "the job has 2 to 6 workers, not 7");
    CHECK_FAILS(worker_pool_want(&launcher.pool, 1, &err), STATUS_INVALID,
                "the job has 2 to 6 workers, not 1");
    CHECK_INT(launcher.pool.version, 0);
    CHECK_INT(launcher.pool.wanted, MOST);
    CHECK_OK(worker_pool_want(&launcher.pool, 2, &err));
    CHECK_INT(launcher.pool.version, 1);
}

/* ----- the number that was asked for, in the job's folder (runtime/process/supervise/wanted.h)
 * ----- */

static void write_wanted(const char *folder, const char *text)
{
    char path[80];
    FILE *file;

    snprintf(path, sizeof path, "%s/wanted", folder);
    file = fopen(path, "we");
    CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void the_number_that_was_asked_for_comes_back_whole_or_not_at_all(void **state)
{
    static const char *const damaged[] = {"",       "7",       "7 24",   " 24\n",
                                          "0 24\n", "-7 24\n", "x 24\n", "7 2x\n"};
    struct worker_pool pool, read;
    char folder[] = "/tmp/totrain-test-XXXXXX", path[80];
    struct error err;
    (void)state;

    CHECK(mkdtemp(folder) != NULL);
    worker_pool_init(&pool, 1, 64, WORKER_POOL_UNLIMITED);
    read = pool;
    CHECK_OK(wanted_load(folder, &read, &err)); /* it was not asked for */
    CHECK(read.version == 0 && read.wanted == pool.wanted);
    pool.wanted = 24;
    pool.version = 7;
    CHECK_OK(wanted_store(folder, &pool, &err));
    CHECK_OK(wanted_load(folder, &read, &err));
    CHECK(read.version == 7 && read.wanted == 24);
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
        write_wanted(folder, damaged[i]);
        CHECK(wanted_load(folder, &read, &err) == STATUS_CORRUPT);
        CHECK(read.version == 7 && read.wanted == 24);
    }
    write_wanted(folder, "8 65\n");
    CHECK(wanted_load(folder, &read, &err) == STATUS_INVALID);
    CHECK(read.version == 7 && read.wanted == 24);
    snprintf(path, sizeof path, "%s/wanted", folder);
    CHECK(unlink(path) == 0 && rmdir(folder) == 0);
}

static void the_number_of_servers_that_was_asked_for_comes_back(void **state)
{
    struct wanted_servers wanted = {.servers = 2}, read = {.servers = 2};
    char folder[] = "/tmp/totrain-test-XXXXXX", path[80];
    struct error err;
    (void)state;

    CHECK(mkdtemp(folder) != NULL);
    CHECK_OK(wanted_servers_load(folder, &read, &err));
    CHECK(read.version == 0 && read.servers == 2);
    CHECK_FAILS(wanted_servers_want(&wanted, 0, &err), STATUS_INVALID,
                "a job has 1 to 64 parameter servers, not 0");
    CHECK_FAILS(wanted_servers_want(&wanted, 65, &err), STATUS_INVALID, "not 65");
    CHECK(wanted.version == 0 && wanted.servers == 2);
    CHECK_OK(wanted_servers_want(&wanted, 64, &err));
    CHECK_OK(wanted_servers_want(&wanted, 5, &err));
    CHECK_OK(wanted_servers_store(folder, &wanted, &err));
    CHECK_OK(wanted_servers_load(folder, &read, &err));
    CHECK(read.version == 2 && read.servers == 5);
    snprintf(path, sizeof path, "%s/wanted_servers", folder);
    CHECK(unlink(path) == 0 && rmdir(folder) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_job_starts_with_the_slots_there_are_and_grows_into_new_ones),
        cmocka_unit_test(workers_without_a_lane_are_stopped_and_not_started_again),
        cmocka_unit_test(fewer_wanted_stops_the_highest_and_their_slots_stay_used_until_they_end),
        cmocka_unit_test(a_slot_of_one_who_leaves_is_not_given_twice),
        cmocka_unit_test(a_worker_that_died_is_started_again_and_a_closed_place_is_not),
        cmocka_unit_test(a_number_outside_the_range_changes_nothing),
        cmocka_unit_test(the_number_that_was_asked_for_comes_back_whole_or_not_at_all),
        cmocka_unit_test(the_number_of_servers_that_was_asked_for_comes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
