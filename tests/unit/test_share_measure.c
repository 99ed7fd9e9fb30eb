/* How many workers pay: what is measured when, and what follows from it. */
#include <math.h>

#include "runtime/share/share_measure.h"
#include "tests/check.h"

#define LANES     64
#define WINDOW_MS 1000
#define TICK_MS   100
#define NOTES     10
#define ROWS      2e5 /* a second, with one worker */

/* A job that makes progress each TICK_MS. */
struct job {
    struct share_measure measure;
    struct share_curve is;
    int64_t now_ms;
    uint32_t workers, half; /* half: that many work, the others stand by; 0: all work */
    double rows, slower; /* other things on the machine: everything takes so many times as long */
    double left, moves;
    bool wavers; /* it is slower whenever a size is measured again */
};

static struct job job_of(uint32_t least, uint32_t most, uint32_t workers, struct share_curve is)
{
    struct job job = {.is = is, .workers = workers, .slower = 1, .left = 1000};

    share_measure_open(&job.measure, is.lanes, least, most,
                       (struct share_window){WINDOW_MS, NOTES});
    return job;
}

static uint32_t working(const struct job *job)
{
    return job->half > 0 ? job->half : job->workers;
}

/* True: it was decided within so many seconds. */
static bool go_on(struct job *job, double seconds)
{
    const int64_t until = job->now_ms + (int64_t)(seconds * 1000);

    while (job->now_ms < until) {
        struct share_moment moment;
        enum share_move move;

        job->now_ms += TICK_MS;
        if (job->wavers)
            job->slower = job->measure.stage == SHARE_AGAIN ? 1.5 : 1;
        job->rows +=
            ROWS * TICK_MS / 1000 * share_curve_speed(&job->is, working(job)) / job->slower;
        moment = (struct share_moment){.now_ms = job->now_ms,
                                       .workers = working(job),
                                       .rows = (uint64_t)job->rows,
                                       .seconds_left = job->left,
                                       .move_seconds = job->moves};
        move = share_measure_note(&job->measure, &moment);
        if (move == SHARE_HALVE)
            job->half = job->measure.half;
        if (move == SHARE_RESTORE)
            job->half = 0;
        if (move == SHARE_FITTED)
            return true;
    }
    return false;
}

static void a_job_is_measured_at_its_size_at_half_of_it_and_again(void **state)
{
    struct job job = job_of(1, 16, 8, (struct share_curve){LANES, .05, .004});
    (void)state;

    CHECK(!go_on(&job, 1.2));
    CHECK_INT(job.half, 0);
    CHECK(!go_on(&job, .3)); /* a fourth of a window, and one */
    CHECK_INT(job.half, 4);
    CHECK(!go_on(&job, 1.5));
    CHECK_INT(job.half, 0);
    CHECK(go_on(&job, 1.5));
    CHECK_INT(job.measure.paces.count, 2);
    CHECK_INT(job.measure.paces.points[0].workers, 4);
    CHECK_INT(job.measure.paces.points[1].workers, 8);
    CHECK(fabs(share_curve_speed(&job.measure.curve, 8) / share_curve_speed(&job.is, 8) - 1) < .05);
    CHECK_INT(job.measure.useful, share_curve_largest(&job.is, 1, 16));
    CHECK(!go_on(&job, 60)); /* once is enough */
}

static void workers_that_make_a_job_slower_do_not_pay(void **state)
{
    struct job job = job_of(1, 4, 4, (struct share_curve){LANES, 0, 1.1});
    (void)state;

    CHECK(go_on(&job, 6));
    CHECK_INT(job.measure.useful, 1);
    CHECK_INT(share_measure_wanted(&job.measure, 4, 1000, 3), 1);
    job.workers = 1;
    CHECK(go_on(&job, 3)); /* nobody stands by for it */
    CHECK_INT(job.measure.useful, 1);
    CHECK(!go_on(&job, 60));
    /* The least that the user wants stays. */
    job = job_of(3, 4, 4, (struct share_curve){LANES, 0, 1.1});
    CHECK(go_on(&job, 6));
    CHECK_INT(job.measure.useful, 3);
}

static void a_size_grows_only_where_that_saves_more_than_a_start(void **state)
{
    struct job job = job_of(1, 16, 4, (struct share_curve){LANES, .02, 0});
    (void)state;

    CHECK_INT(share_measure_wanted(&job.measure, 4, 100, 1), 0);
    CHECK(go_on(&job, 6));
    CHECK_INT(job.measure.useful, 16);
    CHECK_INT(share_measure_wanted(&job.measure, 4, 100, 5), 16);
    CHECK_INT(share_measure_wanted(&job.measure, 4, -1, 5), 16);
    CHECK_INT(share_measure_wanted(&job.measure, 4, 5, 5), 4);
    CHECK_INT(share_measure_wanted(&job.measure, 3, 5, 5), 4); /* one that was lost is replaced */
    job.workers = 8;
    CHECK(go_on(&job, 6));
    CHECK_INT(share_measure_wanted(&job.measure, 4, 1, 5), 8);
}

static void a_job_that_is_short_or_fixed_is_left_alone(void **state)
{
    struct job job = job_of(1, 8, 8, (struct share_curve){LANES, .02, 0});
    (void)state;

    job.left = 20;
    CHECK(!go_on(&job, 60));
    CHECK_INT(job.half, 0);
    job.left = 40;
    job.moves = 2;
    CHECK(!go_on(&job, 60));
    job.left = -1;
    CHECK(!go_on(&job, 60));
    CHECK_INT(job.half, 0);
    job.left = 1000;
    CHECK(go_on(&job, 10));
    job = job_of(8, 8, 8, (struct share_curve){LANES, .02, 0});
    CHECK(!go_on(&job, 60));
}

/* The paces of a size before and after differ: something else has changed. */
static void what_wavers_is_measured_for_longer_and_then_not_at_all(void **state)
{
    struct job job = job_of(1, 8, 8, (struct share_curve){LANES, .02, 0});
    (void)state;

    CHECK(!go_on(&job, 3));
    job.slower = 1.5;
    CHECK(!go_on(&job, 2));
    CHECK_INT(job.measure.tries, 1);
    CHECK(go_on(&job, 20));
    CHECK_INT(job.measure.useful, 8);

    job = job_of(1, 8, 8, (struct share_curve){LANES, .02, 0});
    job.wavers = true;
    CHECK(!go_on(&job, 120));
    CHECK_INT(job.measure.paces.count, 0);
    CHECK_INT(job.measure.tries, SHARE_MEASURE_TRIES);
    CHECK_INT(job.half, 0);
}

/* On a busy machine paces may always differ, and that half is faster shows all the same. */
static void what_wavers_and_is_faster_with_half_is_decided(void **state)
{
    struct job job = job_of(1, 4, 4, (struct share_curve){LANES, 0, 1.1});
    (void)state;

    job.wavers = true;
    CHECK(go_on(&job, 6));
    CHECK_INT(job.measure.useful, 1);

    /* Here half is faster by less than the paces differ, which may be chance. */
    job = job_of(1, 4, 4, (struct share_curve){LANES, 0, .2});
    job.wavers = true;
    CHECK(!go_on(&job, 120));
    CHECK_INT(job.measure.paces.count, 0);
}

static void what_is_under_way_ends_with_a_change(void **state)
{
    struct job job = job_of(1, 8, 8, (struct share_curve){LANES, .02, 0});
    (void)state;

    CHECK(!go_on(&job, 2));
    CHECK_INT(job.measure.stage, SHARE_HALF);
    share_measure_stop(&job.measure);
    job.half = 0;
    job.workers = 7; /* one was lost */
    CHECK(!go_on(&job, 1));
    CHECK_INT(job.measure.stage, SHARE_FULL);
    job.workers = 8; /* without a word: the size that is measured is no more */
    CHECK(!go_on(&job, .1));
    CHECK_INT(job.measure.stage, SHARE_RESTS_NOW);
    CHECK(go_on(&job, 6));
    CHECK_INT(job.measure.paces.points[1].workers, 8);
}

/* A group of half that never meets is given up. */
static void a_half_that_does_not_come_is_not_waited_for(void **state)
{
    struct job job = job_of(1, 8, 8, (struct share_curve){LANES, .02, 0});
    struct share_moment moment = {.workers = 8, .seconds_left = 1000};
    (void)state;

    CHECK(!go_on(&job, 2));
    CHECK_INT(job.measure.stage, SHARE_HALF);
    moment.now_ms = job.now_ms + TICK_MS;
    CHECK_INT(share_measure_note(&job.measure, &moment), SHARE_STAY);
    moment.now_ms = job.now_ms + 30 * WINDOW_MS;
    CHECK_INT(share_measure_note(&job.measure, &moment), SHARE_RESTORE);
    CHECK_INT(share_measure_note(&job.measure, &moment), SHARE_STAY);
    CHECK_INT(job.measure.stage, SHARE_RESTS_NOW);
}

static void windows_begin_anew_when_lanes_move_or_rows_are_lost(void **state)
{
    struct job job = job_of(1, 8, 8, (struct share_curve){LANES, .02, 0});
    (void)state;

    CHECK(!go_on(&job, 1));
    share_measure_again(&job.measure);
    CHECK(!go_on(&job, 1));
    CHECK_INT(job.half, 0);
    job.rows = 0;
    CHECK(!go_on(&job, 1));
    CHECK_INT(job.half, 0);
    CHECK(!go_on(&job, .3));
    CHECK_INT(job.half, 4);
}

/* Earlier jobs had the paces of `was`, on a machine that was faster. */
static void remember(struct job *job, struct share_curve was)
{
    struct share_paces before = {.lanes = was.lanes};

    for (uint32_t workers = 1; workers <= 8; workers *= 2)
        share_paces_add(&before,
                        (struct share_point){workers, 1e-6 * share_curve_time(&was, workers)});
    share_measure_remember(&job->measure, &before);
}

static void a_size_that_earlier_jobs_measured_is_measured_alone(void **state)
{
    struct share_curve rises = {LANES, 0, 1.1};
    struct job job = job_of(1, 8, 1, rises);
    (void)state;

    remember(&job, rises);
    CHECK(go_on(&job, 3));
    CHECK_INT(job.measure.useful, 1);
    CHECK_INT(job.measure.paces.count, 1); /* its own alone */
    CHECK(!go_on(&job, 60));
    job = job_of(1, 8, 1, rises); /* nor is the size itself to be among them */
    share_measure_remember(
        &job.measure,
        &(struct share_paces){.lanes = LANES, .points = {{4, 7e-5}, {2, 3.2e-5}}, .count = 2});
    CHECK(go_on(&job, 3));
    CHECK_INT(job.measure.useful, 1);
    job = job_of(1, 8, 1, rises); /* without them it would grow to what usually pays */
    CHECK(go_on(&job, 3));
    CHECK_INT(job.measure.useful, 8);
    job = job_of(1, 8, 4, (struct share_curve){LANES, .02, 0});
    remember(&job, job.is);
    CHECK(go_on(&job, 2));
    CHECK_INT(job.measure.useful, 8);
    job = job_of(1, 16, 16, (struct share_curve){LANES, .02, 0}); /* no job had so many */
    remember(&job, job.is);
    CHECK(!go_on(&job, 1.5));
    CHECK_INT(job.half, 8);
}

static void paces_of_other_lanes_are_of_no_use(void **state)
{
    struct share_curve other = {LANES / 2, 0, 1.1};
    struct job job = job_of(1, 8, 4, (struct share_curve){LANES, .02, .001});
    (void)state;

    remember(&job, other);
    CHECK(!go_on(&job, 1.5));
    CHECK_INT(job.half, 2);
}

static void paces_are_read_as_they_were_written(void **state)
{
    static const char *const wrong[] = {"",
                                        "64 lanes",
                                        "64 lanes; seconds of a row by workers: ",
                                        "64 lanes; seconds of a row by workers: 4",
                                        "64 lanes; seconds of a row by workers: 4 0",
                                        "64 lanes; seconds of a row by workers: 4 -1",
                                        "64 lanes; seconds of a row by workers: 4 inf",
                                        "64 lanes; seconds of a row by workers: 0 1",
                                        "64 lanes; seconds of a row by workers: 1025 1",
                                        "64 lanes; seconds of a row by workers: 4 1, 4 2",
                                        "x lanes; seconds of a row by workers: 4 1",
                                        "-1 lanes; seconds of a row by workers: 4 1",
                                        "64 lanes; seconds of a row by workers: 4 1, "};
    struct share_paces paces = {.lanes = 64}, again;
    char text[SHARE_PACES_BYTES_MAX + 1];
    (void)state;

    share_paces_add(&paces, (struct share_point){2, 3.17e-5});
    share_paces_add(&paces, (struct share_point){4, 7.02e-5});
    share_paces_add(&paces, (struct share_point){4, 1});
    share_paces_add(&paces, (struct share_point){8, (double)NAN});
    share_paces_add(&paces, (struct share_point){0, 1});
    share_paces_write(&paces, text);
    assert_string_equal(text, "64 lanes; seconds of a row by workers: 4 7.02e-05, 2 3.17e-05");
    CHECK(share_paces_read(slice_of(text), &again));
    CHECK_INT(again.lanes, 64);
    CHECK_INT(again.count, 2);
    CHECK(share_paces_of(&again, 2) == 3.17e-5 && share_paces_of(&again, 4) == 7.02e-5);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK(!share_paces_read(slice_of(wrong[i]), &again));
        CHECK_INT(again.count, 0);
    }
    for (uint32_t i = 0; i < 20; i++)
        share_paces_add(&paces, (struct share_point){1000 + i, 1.234e-100});
    CHECK_INT(paces.count, SHARE_PACES_MAX);
    share_paces_write(&paces, text); /* whole points alone, the newest ones */
    CHECK(share_paces_read(slice_of(text), &again));
    CHECK(again.count < SHARE_PACES_MAX && again.points[again.count - 1].workers == 1013);
    share_paces_add(&again, (struct share_point){7, 1e-5});
    CHECK_INT(again.points[again.count - 1].workers, 7);
    share_paces_write(&again, text); /* the next job's: the oldest one has no room */
    CHECK(share_paces_read(slice_of(text), &again));
    CHECK(share_paces_of(&again, 7) == 1e-5 && again.points[again.count - 1].workers == 7);
    CHECK(again.count < 14 && again.points[again.count - 2].workers == 1013);
    share_paces_reverse(&again);
    CHECK(again.points[0].workers == 7 && again.points[1].workers == 1013);
}

static void paces_tell_a_first_size_and_a_speed(void **state)
{
    struct share_paces paces = {.lanes = 64};
    (void)state;

    CHECK(share_paces_expected(&paces, 1) == 0);
    share_paces_add(&paces, (struct share_point){4, 7e-5});
    CHECK_INT(share_paces_first(&paces, 1, 8), 0); /* one number says nothing of others */
    CHECK(share_paces_expected(&paces, 4) == 7e-5);
    CHECK(share_paces_expected(&paces, 8) < 7e-5);
    share_paces_add(&paces, (struct share_point){2, 3.2e-5});
    CHECK_INT(share_paces_first(&paces, 1, 8), 1);
    CHECK_INT(share_paces_first(&paces, 3, 8), 3);
    CHECK(share_paces_expected(&paces, 8) > 7e-5);
    paces.lanes = 0;
    CHECK_INT(share_paces_first(&paces, 1, 8), 0);

    /* No curve has such points; the one of 4 workers was measured to be the slowest. */
    paces = (struct share_paces){.lanes = 8};
    share_paces_add(&paces, (struct share_point){1, 1.185e-06});
    share_paces_add(&paces, (struct share_point){4, .004913});
    share_paces_add(&paces, (struct share_point){2, .001528});
    CHECK_INT(share_paces_first(&paces, 1, 4), 1);
    CHECK_INT(share_paces_first(&paces, 2, 4), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_size_that_earlier_jobs_measured_is_measured_alone),
        cmocka_unit_test(paces_of_other_lanes_are_of_no_use),
        cmocka_unit_test(paces_are_read_as_they_were_written),
        cmocka_unit_test(paces_tell_a_first_size_and_a_speed),
        cmocka_unit_test(a_job_is_measured_at_its_size_at_half_of_it_and_again),
        cmocka_unit_test(workers_that_make_a_job_slower_do_not_pay),
        cmocka_unit_test(a_size_grows_only_where_that_saves_more_than_a_start),
        cmocka_unit_test(a_job_that_is_short_or_fixed_is_left_alone),
        cmocka_unit_test(what_wavers_is_measured_for_longer_and_then_not_at_all),
        cmocka_unit_test(what_wavers_and_is_faster_with_half_is_decided),
        cmocka_unit_test(what_is_under_way_ends_with_a_change),
        cmocka_unit_test(a_half_that_does_not_come_is_not_waited_for),
        cmocka_unit_test(windows_begin_anew_when_lanes_move_or_rows_are_lost),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
