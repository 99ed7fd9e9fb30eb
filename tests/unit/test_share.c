#include "runtime/share/share.h"

#include <math.h>

#include "tests/check.h"

#define JOBS_MAX  8
#define NODES_MAX 4
#define LONG_AGO  3600

struct given {
    uint32_t least, most, has;
    int32_t band;
    uint32_t lanes;
    double fixed;
    int64_t millis; /* 0: 1000 */
    double seconds; /* until its end, with what it has; 0: not known */
};

#define JOB(the_least, the_most, has_now, ...)                                                     \
    {                                                                                              \
        .least = (the_least), .most = (the_most), .has = (has_now), __VA_ARGS__                    \
    }

struct vector {
    const char *name;
    struct given jobs[JOBS_MAX];
    int64_t nodes[NODES_MAX]; /* millis */
    uint32_t wanted[JOBS_MAX];
};

/* EDL's are the tests of PaddlePaddle EDL's autoscaler, by their names. */
static const struct vector vectors[] = {
    {"MoreCPU, AllDryRun", {JOB(1, 3, 1)}, {3000}, {3}},
    {"MoreCPU", {JOB(1, 3, 1)}, {4000}, {3}},
    {"NoMoreCPU", {JOB(1, 3, 1)}, {1000}, {1}},
    {"DownMoreThanExpected", {JOB(1, 3, 6)}, {6000}, {3}},
    {"ToMin", {JOB(1, 3, 3)}, {1000}, {1}},
    {"NotFull", {JOB(1, 3, 1)}, {2400}, {2}},
    {"DownNotFull", {JOB(1, 3, 3)}, {2400}, {2}},
    {"SortedJobs", {JOB(1, 2, 2), JOB(1, 20, 2), JOB(1, 10, 2)}, {7000}, {2, 3, 2}},
    {"a third job", {JOB(2, 10, 10), JOB(2, 10, 10), JOB(2, 10, 0)}, {20000}, {7, 7, 6}},
    {"a higher band", {JOB(1, 10, 10, .band = 0), JOB(1, 6, 0, .band = 1)}, {10000}, {4, 6}},
    {"no minimum of a lower band",
     {JOB(2, 4, 4, .band = 0), JOB(1, 9, 0, .band = 1)},
     {4000},
     {2, 2}},
    {"it ends soon", {JOB(1, 10, 9, .seconds = 10), JOB(1, 10, 1)}, {10000}, {9, 1}},
    {"a greater most", {JOB(1, 1000, 0), JOB(1, 20, 0), JOB(1, 20, 0)}, {30000}, {10, 10, 10}},
    {"a small most", {JOB(1, 4, 0), JOB(1, 40, 0)}, {20000}, {4, 16}},
    {"lanes",
     {JOB(1, 60, 0, .lanes = 64), JOB(1, 10, 0, .lanes = 8),
      JOB(1, 300, 0, .lanes = 256, .fixed = .02)},
     {300000},
     {32, 8, 64}},
    {"nodes", {JOB(1, 4, 0, .millis = 3000), JOB(1, 4, 0)}, {4000, 4000, 4000}, {2, 4}},
    {"minimums", {JOB(2, 4, 0), JOB(2, 4, 0), JOB(1, 4, 0)}, {3000}, {2, 0, 1}},
};

static struct share_job job_of(const struct given *given)
{
    struct share_job job = {.band = given->band,
                            .least = given->least,
                            .most = given->most,
                            .curve = {.lanes = given->lanes, .fixed = given->fixed},
                            .worker = {.millis = given->millis > 0 ? given->millis : 1000},
                            .has = given->has,
                            .is_running = given->has >= given->least,
                            .seconds_left = -1,
                            .seconds_since_move = LONG_AGO};

    if (given->seconds > 0)
        job.seconds_left = given->seconds * share_curve_speed(&job.curve, job.has);
    return job;
}

static void the_vectors_come_out(void **state)
{
    (void)state;

    for (size_t v = 0; v < sizeof vectors / sizeof *vectors; v++) {
        const struct vector *vector = &vectors[v];
        struct share_size nodes[NODES_MAX];
        struct share_cluster cluster = {.nodes = nodes, .rule = SHARE_EVEN, .has_changed = true};
        struct share_part parts[JOBS_MAX];
        struct share_job jobs[JOBS_MAX];
        struct error err;
        size_t count = 0;

        for (; cluster.node_count < NODES_MAX && vector->nodes[cluster.node_count] > 0;
             cluster.node_count++)
            nodes[cluster.node_count] =
                (struct share_size){.millis = vector->nodes[cluster.node_count]};
        for (; count < JOBS_MAX && vector->jobs[count].most > 0; count++)
            jobs[count] = job_of(&vector->jobs[count]);
        CHECK_OK(share_jobs(&cluster, jobs, count, parts, &err));
        for (size_t i = 0; i < count; i++)
            if (parts[i].workers != vector->wanted[i])
                check_failed("%s: job %zu has %u workers, not %u", vector->name, i,
                             parts[i].workers, vector->wanted[i]);
    }
}

/* ----- a cluster of one node, by parts ----- */

struct table {
    struct share_size node;
    struct share_quota quota; /* counts where the cluster has one */
    struct share_cluster cluster;
    struct share_job jobs[JOBS_MAX];
    struct share_part parts[JOBS_MAX];
    size_t count;
};

static void open_table(struct table *table, int64_t processors, const struct given *jobs,
                       size_t count)
{
    memset(table, 0, sizeof *table);
    table->node.millis = 1000 * processors;
    table->cluster = (struct share_cluster){.nodes = &table->node,
                                            .node_count = 1,
                                            .quotas = &table->quota,
                                            .quota_count = 1,
                                            .rule = SHARE_EVEN,
                                            .has_changed = true};
    table->count = count;
    for (size_t i = 0; i < count; i++)
        table->jobs[i] = job_of(&jobs[i]);
}

static void check_workers(struct table *table, const uint32_t *wanted)
{
    struct error err;

    CHECK_OK(share_jobs(&table->cluster, table->jobs, table->count, table->parts, &err));
    for (size_t i = 0; i < table->count; i++)
        CHECK_INT(table->parts[i].workers, wanted[i]);
}

#define OPEN(table, processors, ...)                                                               \
    open_table(table, processors, (const struct given[]){__VA_ARGS__},                             \
               sizeof((const struct given[]){__VA_ARGS__}) / sizeof(struct given))
#define CHECK_WORKERS(table, ...) check_workers(table, (const uint32_t[]){__VA_ARGS__})

static void nobody_moves_twice_a_minute_unless_something_has_changed(void **state)
{
    struct table table;
    (void)state;

    OPEN(&table, 10, JOB(1, 10, 9), JOB(1, 10, 1));
    CHECK_WORKERS(&table, 5, 5);
    table.cluster.has_changed = false;
    CHECK_WORKERS(&table, 5, 5);
    table.jobs[0].seconds_since_move = 59;
    CHECK_WORKERS(&table, 9, 1);
    table.jobs[0].seconds_since_move = 60;
    table.jobs[1].seconds_since_move = 59;
    CHECK_WORKERS(&table, 9, 1);
    CHECK_INT(table.parts[1].reason, SHARE_RESTS);
}

static void who_holds_a_part_of_its_minimum_in_vain_gives_it_to_the_first_of_these(void **state)
{
    struct table table;
    (void)state;

    /* There is room, as far as is known, and the scheduler has no place for the fourth worker of
     * either. */
    OPEN(&table, 20, JOB(4, 6, 3), JOB(4, 6, 3), JOB(2, 2, 2));
    table.jobs[0].cap = table.jobs[1].cap = 3;
    CHECK_WORKERS(&table, 4, 0, 2);
    CHECK_INT(table.parts[1].reason, SHARE_NO_ROOM);
    table.jobs[1].band = 1;
    CHECK_WORKERS(&table, 0, 4, 2);
    table.jobs[0].cap = 0;
    CHECK_WORKERS(&table, 6, 4, 2);
    /* The first one has no room: it keeps nothing, and so takes nothing from the second. */
    OPEN(&table, 6, JOB(8, 8, 3), JOB(4, 6, 3));
    table.jobs[0].cap = table.jobs[1].cap = 3;
    CHECK_WORKERS(&table, 0, 4);
}

static void places_that_masters_have_are_not_taken_from_the_nodes(void **state)
{
    struct table table;
    (void)state;

    OPEN(&table, 2, JOB(1, 4, 0), JOB(1, 4, 0));
    for (size_t i = 0; i < table.count; i++) {
        table.jobs[i].rest.millis = 500;
        table.jobs[i].rest_count = 1;
    }
    CHECK_WORKERS(&table, 1, 0);
    table.jobs[0].rest_placed = table.jobs[1].rest_placed = 1;
    CHECK_WORKERS(&table, 1, 1);
    table.quota.pods = 3; /* which counts them all the same */
    CHECK_WORKERS(&table, 2, 0);
}

static void what_nobody_lacks_is_kept(void **state)
{
    struct table table;
    (void)state;

    /* The even part is 6 and 4. */
    OPEN(&table, 10, JOB(1, 10, 8), JOB(1, 4, 2));
    CHECK_WORKERS(&table, 6, 4);
    OPEN(&table, 10, JOB(1, 10, 8), JOB(1, 2, 2));
    CHECK_WORKERS(&table, 8, 2);
    /* Few jobs rather than many give, the richest first. */
    OPEN(&table, 12, JOB(1, 12, 6), JOB(1, 12, 5), JOB(1, 2, 0));
    CHECK_WORKERS(&table, 5, 5, 2);
}

static void the_rest_goes_to_who_ends_first(void **state)
{
    struct table table;
    (void)state;

    OPEN(&table, 11, JOB(1, 10, 1, .seconds = 900), JOB(1, 10, 1, .seconds = 300), JOB(1, 10, 1));
    table.cluster.rule = SHARE_SOONEST;
    CHECK_WORKERS(&table, 1, 9, 1);
    /* Four of eight extras go evenly: 2, 1 and 1. */
    table.cluster.rule = SHARE_MIXED;
    CHECK_WORKERS(&table, 3, 6, 2);
    table.cluster.rule = SHARE_EVEN;
    CHECK_WORKERS(&table, 4, 4, 3);
}

static void masters_count_and_a_quota_of_pods_does_not_fill_with_them(void **state)
{
    struct table table;
    (void)state;

    /* Eight statements and a quota of eight pods: without the rule eight masters fill it. */
    OPEN(&table, 100, JOB(1, 4, 0), JOB(1, 4, 0), JOB(1, 4, 0), JOB(1, 4, 0), JOB(1, 4, 0),
         JOB(1, 4, 0), JOB(1, 4, 0), JOB(1, 4, 0));
    for (size_t i = 0; i < table.count; i++) {
        table.jobs[i].rest = (struct share_size){100, 1 << 28};
        table.jobs[i].rest_count = 1;
    }
    table.node.bytes = (int64_t)1 << 40;
    table.quota.pods = 8;
    CHECK_WORKERS(&table, 1, 1, 1, 1, 0, 0, 0, 0);
    CHECK_INT(table.parts[4].reason, SHARE_NO_ROOM);
    table.quota.pods = 9;
    CHECK_WORKERS(&table, 2, 1, 1, 1, 0, 0, 0, 0);
    table.quota.pods = 0;
    table.quota.size.bytes = 3 << 28;
    CHECK_WORKERS(&table, 4, 4, 4, 0, 0, 0, 0, 0);
    table.quota.size = (struct share_size){2200, 0};
    CHECK_WORKERS(&table, 1, 1, 0, 0, 0, 0, 0, 0);
}

static void each_quota_counts_its_own_jobs(void **state)
{
    struct share_quota quotas[] = {{.pods = 2}, {.size = {3000, 0}}};
    struct table table;
    (void)state;

    OPEN(&table, 20, JOB(1, 9, 0), JOB(1, 9, 0), JOB(1, 9, 0));
    table.cluster.quotas = quotas;
    table.cluster.quota_count = 2;
    table.jobs[1].quota = 1;
    table.jobs[2].quota = 2;
    CHECK_WORKERS(&table, 2, 3, 9);
}

static void small_jobs_pass_a_large_one_for_a_minute(void **state)
{
    struct table table;
    (void)state;

    OPEN(&table, 3, JOB(1, 1, 1), JOB(3, 3, 0), JOB(1, 1, 0));
    CHECK_WORKERS(&table, 1, 0, 1);
    table.jobs[1].seconds_waited = 61;
    CHECK_WORKERS(&table, 1, 0, 0);
    /* One that never fits holds nobody up. */
    table.jobs[1].least = table.jobs[1].most = 4;
    CHECK_WORKERS(&table, 1, 0, 1);
}

static void the_users_number_wins_and_a_cap_holds(void **state)
{
    struct table table;
    (void)state;

    OPEN(&table, 10, JOB(1, 10, 2), JOB(1, 10, 8));
    table.jobs[1].pinned = 7;
    CHECK_WORKERS(&table, 3, 7);
    CHECK_INT(table.parts[1].reason, SHARE_PINNED);
    table.jobs[1].pinned = 0;
    table.jobs[0].cap = 2;
    CHECK_WORKERS(&table, 2, 8);
    CHECK_INT(table.parts[0].reason, SHARE_CAPPED);
    CHECK_INT(table.parts[0].wanted, 10);
    CHECK_INT(table.parts[1].reason, SHARE_PART);
    table.quota.size.millis = 1000;
    CHECK_WORKERS(&table, 1, 0);
}

static void numbers_that_no_job_has_are_refused(void **state)
{
    struct table table;
    struct error err;
    (void)state;

    OPEN(&table, 3, JOB(1, 3, 0));
    table.jobs[0].least = 4;
    CHECK_FAILS(share_jobs(&table.cluster, table.jobs, 1, table.parts, &err), STATUS_INVALID,
                "job 0");
    OPEN(&table, 3, JOB(1, 3, 0));
    table.jobs[0].curve.fixed = NAN;
    CHECK_FAILS(share_jobs(&table.cluster, table.jobs, 1, table.parts, &err), STATUS_INVALID,
                "job 0");
    table.node.millis = -1;
    CHECK_FAILS(share_jobs(&table.cluster, table.jobs, 1, table.parts, &err), STATUS_INVALID,
                "node 0");
    CHECK_FAILS(share_jobs(&table.cluster, table.jobs, SHARE_JOBS_MAX + 1, table.parts, &err),
                STATUS_LIMIT, "jobs");
}

static void words_have_rules_and_reasons_words(void **state)
{
    enum share_rule rule = SHARE_MIXED;
    (void)state;

    CHECK(share_rule_of(SLICE("even"), &rule));
    CHECK_INT(rule, SHARE_EVEN);
    CHECK(share_rule_of(SLICE("soonest"), &rule));
    CHECK(!share_rule_of(SLICE("odd"), &rule));
    CHECK_INT(rule, SHARE_SOONEST);
    assert_string_equal(share_reason_text(SHARE_PART), "others have the rest");
}

/* ----- useful numbers ----- */

static void useful_numbers_are_the_stairs(void **state)
{
    const struct share_curve twelve = {.lanes = 12}, sixty_four = {.lanes = 64}, unknown = {0};
    (void)state;

    CHECK_INT(share_curve_next(&twelve, 1, 100), 2);
    CHECK_INT(share_curve_next(&twelve, 4, 100), 6);
    CHECK_INT(share_curve_next(&twelve, 5, 100), 6);
    CHECK_INT(share_curve_next(&twelve, 12, 100), 0);
    CHECK_INT(share_curve_previous(&twelve, 6, 1), 4);
    CHECK_INT(share_curve_previous(&twelve, 6, 5), 5);
    CHECK_INT(share_curve_previous(&twelve, 1, 1), 1);
    CHECK_INT(share_curve_largest(&sixty_four, 1, 60), 32);
    CHECK_INT(share_curve_largest(&sixty_four, 1, 100), 64);
    CHECK_INT(share_curve_largest(&sixty_four, 40, 60), 40);
    CHECK_INT(share_curve_down(&twelve, 5, 1, 12), 4);
    CHECK_INT(share_curve_next(&unknown, 7, 8), 8);
    CHECK_INT(share_curve_next(&unknown, 8, 8), 0);
    CHECK_INT(share_curve_previous(&unknown, 8, 1), 7);
}

static void a_fit_finds_the_curve_that_made_the_points(void **state)
{
    const struct share_curve truth = {.lanes = 64, .fixed = .05, .per_worker = .002};
    struct share_curve fit = share_curve_fit(64, NULL, 0);
    struct share_point points[] = {{1, 0}, {4, 0}, {16, 0}, {32, 0}, {0, 3}, {5, NAN}};
    (void)state;

    CHECK(fabs(fit.fixed - .02) < .004 && fabs(fit.per_worker - .0013) < .0002);
    for (size_t i = 0; i < 4; i++)
        points[i].seconds = 7 * share_curve_time(&truth, points[i].workers);
    fit = share_curve_fit(64, points, 6);
    CHECK(fabs(fit.fixed - truth.fixed) < .006);
    CHECK(fabs(fit.per_worker - truth.per_worker) < .0003);
    for (uint32_t n = 1; n <= 64; n++)
        CHECK(fabs(share_curve_speed(&fit, n) / share_curve_speed(&truth, n) - 1) < .03);
}

static void a_job_that_more_workers_make_slower_has_few_useful_numbers(void **state)
{
    const struct share_point points[] = {{1, 1}, {2, .72}, {4, .61}};
    const struct share_curve fit = share_curve_fit(8, points, 3);
    (void)state;

    CHECK(share_curve_largest(&fit, 1, 8) <= 4);
}

/* Times of a network of 48-24 with batches of 512, whose exchange takes longer than its sums. */
static void a_curve_may_rise(void **state)
{
    const struct share_point points[] = {{4, 70.2}, {2, 31.7}};
    const struct share_curve fit = share_curve_fit(64, points, 2);
    (void)state;

    CHECK(share_curve_speed(&fit, 2) < 1 &&
          share_curve_speed(&fit, 4) < share_curve_speed(&fit, 2));
    CHECK(fabs(31.7 / share_curve_time(&fit, 2) * share_curve_time(&fit, 1) - 19.8) < 2);
    CHECK_INT(share_curve_largest(&fit, 1, 64), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_vectors_come_out),
        cmocka_unit_test(nobody_moves_twice_a_minute_unless_something_has_changed),
        cmocka_unit_test(who_holds_a_part_of_its_minimum_in_vain_gives_it_to_the_first_of_these),
        cmocka_unit_test(places_that_masters_have_are_not_taken_from_the_nodes),
        cmocka_unit_test(what_nobody_lacks_is_kept),
        cmocka_unit_test(the_rest_goes_to_who_ends_first),
        cmocka_unit_test(masters_count_and_a_quota_of_pods_does_not_fill_with_them),
        cmocka_unit_test(each_quota_counts_its_own_jobs),
        cmocka_unit_test(small_jobs_pass_a_large_one_for_a_minute),
        cmocka_unit_test(the_users_number_wins_and_a_cap_holds),
        cmocka_unit_test(numbers_that_no_job_has_are_refused),
        cmocka_unit_test(words_have_rules_and_reasons_words),
        cmocka_unit_test(useful_numbers_are_the_stairs),
        cmocka_unit_test(a_fit_finds_the_curve_that_made_the_points),
        cmocka_unit_test(a_job_that_more_workers_make_slower_has_few_useful_numbers),
        cmocka_unit_test(a_curve_may_rise),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
