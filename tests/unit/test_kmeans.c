#include "tests/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kinds/kmeans/kmeans_kind.h"
#include "runtime/learners/learners.h"
#include "tests/unit/learn_rows.h"
#include "tests/unit/learner_group.h"

/* Groups that lie apart, the same ones every time. */
static struct dataset groups_of_rows(uint32_t rows, uint32_t width, uint32_t groups)
{
    struct dataset dataset = made_dataset((struct rows_shape){rows, 0, width, 0, 0, 0});

    show_rows(&dataset);
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t j = 0; j < width; j++)
            dataset.train.dense[(size_t)i * width + j] +=
                10 * (float)((i % groups + 1) * (j + 1) % 7);
    hide_rows(&dataset);
    return dataset;
}

static struct jobspec spec_of(const struct dataset *dataset, struct kmeans_params params)
{
    struct jobspec spec = made_spec(dataset);

    spec.family = SLICE("kmeans");
    spec.estimator = SLICE("KMeans");
    spec.task = TASK_CLUSTERING;
    spec.label = (struct slice){NULL, 0};
    spec.label_type = LABEL_NONE;
    spec.metrics[0] = SLICE("Inertia");
    spec.metrics[1] = SLICE("Silhouette");
    spec.metric_count = 2;
    memset(&spec.params, 0, sizeof spec.params);
    memcpy(spec.params.bytes, &params, sizeof params);
    return spec;
}

/* Each adds its lanes, all apply the totals. */
static void group_phase(struct group *group)
{
    const struct phase phase = *phase_of(group);
    struct learner *first = group->learners[0];
    int64_t *sums = calloc(phase.owned_count + 1, sizeof *sums), integers[2] = {0};
    struct learner_report report;
    uint64_t check = 0;
    struct error err;
    uint32_t done;

    CHECK(sums != NULL);
    for (uint32_t lane = 0; lane < first->lanes; lane++) {
        struct learner *worker = group->learners[(lane + phase.number) % group->count];

        CHECK_OK(learner_contribute(worker, lane, 1, integers, sums, NULL, &done, &err));
        CHECK_INT(done, 1);
    }
    for (uint32_t w = 0; w < group->count; w++) {
        struct learner *worker = group->learners[w];

        CHECK_OK(learner_apply(worker, &(struct phase_totals){integers, sums, NULL, NULL}, &report,
                               &err));
        CHECK(w == 0 || learner_check(worker) == check);
        check = learner_check(worker);
    }
    free(sums);
}

struct outcome {
    char digest[DIGEST_BYTES];
    double inertia, loss;
};

static struct outcome outcome_of(struct learner *learning)
{
    struct result_metric metrics[LEARNER_METRICS_MAX];
    struct outcome outcome;
    bool is_done = false;
    uint64_t rows;
    size_t count;
    struct error err;

    while (!is_done)
        CHECK_OK(learner_measure(learning, &is_done, &err));
    CHECK_OK(learner_result(learning, outcome.digest, &rows, metrics, &count, &err));
    CHECK_INT(count, 3);
    outcome.loss = metrics[0].train;
    outcome.inertia = metrics[1].train;
    CHECK(outcome.inertia == 0 /* all rows lie in one cluster */
              ? isnan(metrics[2].train)
              : metrics[2].train > 0 && metrics[2].train <= 1);
    return outcome;
}

static struct outcome run_group(const struct jobspec *spec, const struct dataset *dataset,
                                uint32_t workers)
{
    struct outcome outcome;
    struct group group;
    struct error err;

    group_open(&group, spec, dataset, workers);
    while (phase_of(&group)->kind != PHASE_DONE)
        group_phase(&group);
    for (uint32_t w = 0; w < workers; w++) {
        uint64_t position = 0;

        CHECK_OK(learner_verify(group.learners[w], LOOK_AT_ALL, NULL, &err));
        CHECK_OK(learner_verify_rows(group.learners[w], &position, UINT64_MAX, &err));
    }
    outcome = outcome_of(group.learners[workers - 1]);
    group_close(&group);
    return outcome;
}

static void any_number_of_workers_finds_the_same_centers(void **state)
{
    struct dataset dataset = groups_of_rows(700, 4, 5);
    const struct jobspec spec =
        spec_of(&dataset, (struct kmeans_params){.clusters = 5, .runs = 3, .iterations = 50});
    const struct outcome one = run_group(&spec, &dataset, 1);
    static const uint32_t workers[] = {2, 3, 8};
    (void)state;

    for (size_t i = 0; i < 3; i++) {
        const struct outcome other = run_group(&spec, &dataset, workers[i]);

        assert_string_equal(other.digest, one.digest);
        CHECK(other.inertia == one.inertia);
    }
    CHECK(fabs(one.loss - one.inertia / 700) < 1e-9 * one.loss);
    made_dataset_close(&dataset);
}

static void threads_leave_no_trace(void **state)
{
    struct dataset dataset = groups_of_rows(11000, 4, 5); /* more than the team gets at once */
    struct jobspec spec =
        spec_of(&dataset, (struct kmeans_params){.clusters = 5, .runs = 2, .iterations = 50});
    struct team *team = NULL;
    struct outcome alone, other;
    struct group group;
    struct error err;
    (void)state;

    spec.lanes = 2;
    alone = run_group(&spec, &dataset, 1);
    group_open(&group, &spec, &dataset, 2);
    for (uint32_t phase = 0; phase_of(&group)->kind != PHASE_DONE; phase++) {
        struct team *next = team_new(1 + phase % 4);

        for (uint32_t w = 0; w < 2; w++)
            CHECK_OK(learner_use_team(group.learners[w], next, &err));
        team_free(team);
        team = next;
        group_phase(&group);
    }
    other = outcome_of(group.learners[1]);
    group_close(&group);
    team_free(team);
    assert_string_equal(other.digest, alone.digest);
    CHECK(other.inertia == alone.inertia);
    made_dataset_close(&dataset);
}

/* A worker that was further on, or has learned nothing, goes on from any phase of another's. */
static void a_state_taken_at_any_phase_leads_to_the_same_centers(void **state)
{
    struct dataset dataset = groups_of_rows(120, 3, 4);
    const struct jobspec spec =
        spec_of(&dataset, (struct kmeans_params){.clusters = 4, .runs = 2, .iterations = 20});
    const struct outcome wanted = run_group(&spec, &dataset, 1);
    uint64_t phases = 0;
    (void)state;

    for (uint64_t taken = 0, is_last = false; !is_last; taken++) {
        struct group old, new;
        struct outcome outcome;

        group_open(&old, &spec, &dataset, 1);
        group_open(&new, &spec, &dataset, 2);
        while (phase_of(&old)->number < taken && phase_of(&old)->kind != PHASE_DONE)
            group_phase(&old);
        is_last = phase_of(&old)->kind == PHASE_DONE;
        for (int ahead = 0; ahead < 5; ahead++)
            group_phase(&new);
        for (uint32_t w = 0; w < 2; w++)
            give_state(old.learners[0], new.learners[w]);
        while (phase_of(&new)->kind != PHASE_DONE)
            group_phase(&new);
        outcome = outcome_of(new.learners[1]);
        assert_string_equal(outcome.digest, wanted.digest);
        learner_restart(new.learners[0]);
        CHECK_INT(phase_of(&new)->number, 0);
        new.count = 1;
        while (phase_of(&new)->kind != PHASE_DONE)
            group_phase(&new);
        outcome = outcome_of(new.learners[0]);
        assert_string_equal(outcome.digest, wanted.digest);
        new.count = 2;
        group_close(&old);
        group_close(&new);
        phases = taken;
    }
    CHECK(phases > 16); /* two runs of four pairs, and iterations */
    made_dataset_close(&dataset);
}

static void a_state_that_is_cut_or_of_another_job_is_refused(void **state)
{
    struct dataset dataset = groups_of_rows(60, 2, 3);
    const struct jobspec spec =
        spec_of(&dataset, (struct kmeans_params){.clusters = 3, .runs = 1, .iterations = 9});
    const struct jobspec other =
        spec_of(&dataset, (struct kmeans_params){.clusters = 3, .runs = 2, .iterations = 9});
    struct group group, others;
    (void)state;

    group_open(&group, &spec, &dataset, 2);
    group_open(&others, &other, &dataset, 1);
    for (int phase = 0; phase < 4; phase++)
        group_phase(&group);
    check_bad_states(group.learners[0], group.learners[1], others.learners[0]);
    group_close(&group);
    group_close(&others);
    made_dataset_close(&dataset);
}

static void a_bit_that_is_inverted_in_any_memory_is_found(void **state)
{
    static const char *const names[] = {"weights", "best", "rows", "nearest"};
    struct dataset dataset = groups_of_rows(60, 2, 3);
    const struct jobspec spec =
        spec_of(&dataset, (struct kmeans_params){.clusters = 3, .runs = 2, .iterations = 9});
    (void)state;

    keep_rows(&dataset);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct group group;
        struct learner *learning;
        uint64_t position = 0;
        struct error err;
        uint8_t *memory;
        size_t size;
        bool is_found;

        group_open(&group, &spec, &dataset, 1);
        learning = group.learners[0];
        for (int phase = 0; phase < 2; phase++)
            group_phase(&group);
        memory = learner_memory(learning, names[i], &size);
        CHECK(memory && size > 0);
        memory[size / 2] ^= 16;
        is_found = learner_verify(learning, LOOK_AT_ALL, NULL, &err) == STATUS_CORRUPT ||
                   learner_verify_rows(learning, &position, UINT64_MAX, &err) == STATUS_CORRUPT;
        if (!is_found) { /* kept distances are looked at when they are read */
            int64_t integers[2] = {0}, sums[256] = {0};
            uint32_t done;

            for (uint32_t lane = 0; lane < learning->lanes; lane++)
                CHECK_OK(learner_contribute(learning, lane, 1, integers, sums, NULL, &done, &err));
            is_found = learner_verify(learning, LOOK_AT_USED, NULL, &err) == STATUS_CORRUPT;
        }
        CHECK(is_found);
        group_close(&group);
    }
    made_dataset_close(&dataset);
}
/* scikit-learn's KMeans(3, n_init=10) on the same numbers: 78.851. */
static void iris_falls_into_three(void **state)
{
    struct dataset dataset = made_dataset((struct rows_shape){150, 0, 4, 0, 0, 0});
    const struct jobspec spec =
        spec_of(&dataset, (struct kmeans_params){.clusters = 3, .runs = 10, .iterations = 300});
    FILE *file = fopen(IRIS, "r");
    char line[256];
    (void)state;

    CHECK(file != NULL && fgets(line, sizeof line, file) != NULL);
    show_rows(&dataset);
    for (uint32_t i = 0; i < 150; i++) {
        float *row = dataset.train.dense + (size_t)i * 4;

        CHECK(fgets(line, sizeof line, file) != NULL);
        CHECK_INT(sscanf(line, "%f,%f,%f,%f", &row[0], &row[1], &row[2], &row[3]), 4);
    }
    fclose(file);
    hide_rows(&dataset);
    CHECK(fabs(run_group(&spec, &dataset, 2).inertia - 78.851) < 0.79);
    made_dataset_close(&dataset);
}

static void what_does_not_fit_into_the_memory_of_a_worker_is_refused_with_the_bytes(void **state)
{
    struct dataset dataset = made_dataset((struct rows_shape){40, 0, 2, 0, 0, 0});
    struct jobspec spec =
        spec_of(&dataset, (struct kmeans_params){.clusters = 3, .runs = 2, .iterations = 10});
    struct learner *learning;
    struct error err;
    (void)state;

    spec.memory = 100;
    CHECK_FAILS(learning_open(&spec, &dataset, NULL, &learning, &err), STATUS_LIMIT,
                "to train on 40 rows, and a worker has at most 100");
    CHECK(strstr(err.hint, "Raise job.memory. Lower model.n_clusters"));
    spec.memory = 100000;
    CHECK_OK(learning_open(&spec, &dataset, NULL, &learning, &err));
    learner_close(learning);
    made_dataset_close(&dataset);
}

static void rows_that_are_all_the_same_have_centers_too(void **state)
{
    struct dataset dataset = made_dataset((struct rows_shape){40, 0, 2, 0, 0, 0});
    const struct jobspec spec =
        spec_of(&dataset, (struct kmeans_params){.clusters = 3, .runs = 2, .iterations = 10});
    (void)state;

    show_rows(&dataset);
    for (uint32_t i = 0; i < 80; i++)
        dataset.train.dense[i] = 1.5f;
    hide_rows(&dataset);
    CHECK(run_group(&spec, &dataset, 3).inertia == 0);
    made_dataset_close(&dataset);
}

/* 48 KB each: a lane has more of them than are held at a time. */
static void lanes_are_read_range_by_range(void **state)
{
    enum { ROWS = 250 };
    struct dataset dataset = groups_of_rows(ROWS, 12000, 3);
    struct jobspec spec =
        spec_of(&dataset, (struct kmeans_params){.clusters = 3, .runs = 1, .iterations = 3});
    struct outcome one, two, kept;
    (void)state;

    spec.lanes = 2;
    one = run_group(&spec, &dataset, 1);
    two = run_group(&spec, &dataset, 2);
    CHECK_INT(held_rows(&dataset, &dataset.train), 0);
    keep_rows(&dataset);
    kept = run_group(&spec, &dataset, 1);
    CHECK(strcmp(one.digest, two.digest) == 0 && strcmp(one.digest, kept.digest) == 0);
    made_dataset_close(&dataset);
}

static void rows_that_cannot_be_read_fail_what_needs_them(void **state)
{
    struct dataset dataset = groups_of_rows(60, 2, 3);
    const struct jobspec spec =
        spec_of(&dataset, (struct kmeans_params){.clusters = 3, .runs = 1, .iterations = 9});
    int64_t integers[2] = {0}, sums[256] = {0};
    struct learner *learning;
    struct error err;
    uint32_t done;
    (void)state;

    lose_rows_after(&dataset, 0);
    CHECK_OK(learning_open(&spec, &dataset, NULL, &learning, &err)); /* which needs none */
    CHECK_FAILS(learner_contribute(learning, 0, 1, integers, sums, NULL, &done, &err), STATUS_IO,
                "cannot be read");
    learner_close(learning);
    CHECK_INT(held_rows(&dataset, &dataset.train), 0);
    made_dataset_close(&dataset);
}

static void more_clusters_than_rows_are_refused(void **state)
{
    struct dataset dataset = made_dataset((struct rows_shape){10, 0, 2, 0, 0, 0});
    const struct jobspec spec =
        spec_of(&dataset, (struct kmeans_params){.clusters = 11, .runs = 1, .iterations = 10});
    struct learner *learning;
    struct error err;
    (void)state;

    CHECK_FAILS(learning_open(&spec, &dataset, NULL, &learning, &err), STATUS_INVALID,
                "11 clusters of 10 rows");
    made_dataset_close(&dataset);
}

/* A worker keeps the distance of each row to a center. */
static void clusters_of_too_many_rows_are_refused_with_the_bytes(void **state)
{
    struct dataset dataset = {.train.rows = (uint64_t)1 << 33, .transform = {.dense_width = 2}};
    const struct jobspec spec =
        spec_of(&dataset, (struct kmeans_params){.clusters = 3, .runs = 1, .iterations = 10});
    struct learner *learning;
    struct error err;
    (void)state;

    CHECK_FAILS(learning_open(&spec, &dataset, NULL, &learning, &err), STATUS_LIMIT,
                "bytes to train on 8589934592 rows");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clusters_of_too_many_rows_are_refused_with_the_bytes),
        cmocka_unit_test(any_number_of_workers_finds_the_same_centers),
        cmocka_unit_test(threads_leave_no_trace),
        cmocka_unit_test(a_state_taken_at_any_phase_leads_to_the_same_centers),
        cmocka_unit_test(a_state_that_is_cut_or_of_another_job_is_refused),
        cmocka_unit_test(a_bit_that_is_inverted_in_any_memory_is_found),
        cmocka_unit_test(iris_falls_into_three),
        cmocka_unit_test(what_does_not_fit_into_the_memory_of_a_worker_is_refused_with_the_bytes),
        cmocka_unit_test(rows_that_are_all_the_same_have_centers_too),
        cmocka_unit_test(lanes_are_read_range_by_range),
        cmocka_unit_test(rows_that_cannot_be_read_fail_what_needs_them),
        cmocka_unit_test(more_clusters_than_rows_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
