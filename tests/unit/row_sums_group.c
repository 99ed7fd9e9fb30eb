#include "tests/unit/row_sums_group.h"

#include <stdlib.h>

#include "tests/check.h"

struct dataset mixed_dataset(struct rows_shape shape)
{
    static struct transform_input inputs[32];
    struct dataset dataset = made_dataset(shape);
    struct transform *transform = &dataset.transform;
    uint32_t count = 0;

    for (uint32_t column = 0; column < shape.dense; column += inputs[count++].dense_count)
        inputs[count] =
            (struct transform_input){.spec.type = INPUT_NUMERIC,
                                     .mean = 1.5,
                                     .scale = 2,
                                     .dense_offset = column,
                                     .dense_count = column == 1 && shape.dense > 2 ? 2 : 1};
    for (uint32_t id = 0; id < shape.ids; id++)
        inputs[count++] = (struct transform_input){
            .spec.type = INPUT_CATEGORY, .id_offset = id, .id_rows = id == 0 ? shape.id_rows : 0};
    transform->inputs = inputs;
    transform->input_count = count;
    return dataset;
}

double group_phase(struct group *group)
{
    const struct phase phase = *phase_of(group);
    struct learner *first = group->learners[0];
    int64_t *sums = calloc(phase.owned_count + 1, sizeof *sums), integers[1] = {0};
    struct learner_report report = {.train_loss = 0};
    uint64_t check = 0;
    struct error err;
    uint32_t done;

    CHECK(sums != NULL);
    CHECK(phase.integer_count <= sizeof integers / sizeof *integers);
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
    return report.train_loss;
}

void digest_of(struct learner *learning, char digest[DIGEST_BYTES])
{
    struct result_metric metrics[LEARNER_METRICS_MAX];
    bool is_done = false;
    uint64_t rows;
    size_t count;
    struct error err;

    while (!is_done)
        CHECK_OK(learner_measure(learning, &is_done, &err));
    CHECK_OK(learner_result(learning, digest, &rows, metrics, &count, &err));
}

double run_group(const struct jobspec *spec, const struct dataset *dataset, uint32_t workers,
                 char digest[DIGEST_BYTES])
{
    struct group group;
    struct error err;
    double loss = 0;

    group_open(&group, spec, dataset, workers);
    while (phase_of(&group)->kind != PHASE_DONE)
        loss = group_phase(&group);
    for (uint32_t w = 0; w < workers; w++)
        CHECK_OK(learner_verify(group.learners[w], LOOK_AT_ALL, NULL, &err));
    digest_of(group.learners[workers - 1], digest);
    group_close(&group);
    return loss;
}

/* The same digest with 1, 2, 3 and 8 workers. */
static void check_workers(struct jobspec spec, const struct dataset *dataset)
{
    static const uint32_t workers[] = {2, 3, 8};
    char one[DIGEST_BYTES], other[DIGEST_BYTES];

    spec.lanes = 9;
    run_group(&spec, dataset, 1, one);
    for (size_t i = 0; i < 3; i++) {
        run_group(&spec, dataset, workers[i], other);
        assert_string_equal(other, one);
    }
}

void any_number_of_workers_learns_the_same_bits(void **state)
{
    const struct row_sums_trials *trials = *state;

    for (size_t i = 0; i < 4 && trials->workers[i].shape.train > 0; i++) {
        struct dataset dataset = mixed_dataset(trials->workers[i].shape);

        check_workers(trials->spec_of(&dataset, trials->workers[i].setting), &dataset);
        made_dataset_close(&dataset);
    }
}

void threads_leave_no_trace(void **state)
{
    const struct row_sums_trials *trials = *state;
    struct dataset dataset = mixed_dataset(trials->threads.shape);
    struct jobspec spec = trials->spec_of(&dataset, trials->threads.setting);
    char alone[DIGEST_BYTES], other[DIGEST_BYTES];
    struct team *team = NULL;
    struct group group;
    struct error err;

    spec.lanes = 2;
    run_group(&spec, &dataset, 1, alone);
    group_open(&group, &spec, &dataset, 2);
    for (uint32_t phase = 0; phase_of(&group)->kind != PHASE_DONE; phase++) {
        struct team *next = team_new(1 + (phase + 2) % 4);

        for (uint32_t w = 0; w < 2; w++)
            CHECK_OK(learner_use_team(group.learners[w], next, &err));
        team_free(team);
        team = next;
        group_phase(&group);
    }
    digest_of(group.learners[1], other);
    group_close(&group);
    team_free(team);
    assert_string_equal(other, alone);
    made_dataset_close(&dataset);
}

/* Workers that are so many phases on, or at their end, take the state of one after `taken` phases,
 * and go on to this model. Returns true where it was at its end. */
static bool check_state(const struct jobspec *spec, const struct dataset *dataset, uint64_t taken,
                        uint64_t ahead, const char *wanted)
{
    char found[DIGEST_BYTES];
    struct group old, new;
    bool was_done;

    group_open(&old, spec, dataset, 1);
    group_open(&new, spec, dataset, 2);
    while (phase_of(&old)->number < taken)
        group_phase(&old);
    was_done = phase_of(&old)->kind == PHASE_DONE;
    while (phase_of(&new)->number < ahead && phase_of(&new)->kind != PHASE_DONE)
        group_phase(&new);
    for (uint32_t w = 0; w < 2; w++)
        give_state(old.learners[0], new.learners[w]);
    while (phase_of(&new)->kind != PHASE_DONE)
        group_phase(&new);
    digest_of(new.learners[1], found);
    assert_string_equal(found, wanted);
    learner_restart(new.learners[0]);
    CHECK_INT(phase_of(&new)->number, 0);
    group_close(&old);
    group_close(&new);
    return was_done;
}

void a_state_taken_at_any_phase_leads_to_the_same_bits(void **state)
{
    const struct row_sums_trials *trials = *state;
    struct dataset dataset = mixed_dataset(trials->states.shape);
    const struct jobspec spec = trials->spec_of(&dataset, trials->states.setting);
    char wanted[DIGEST_BYTES];
    uint64_t taken = 0;

    run_group(&spec, &dataset, 1, wanted);
    do
        check_state(&spec, &dataset, taken, 3, wanted);
    while (!check_state(&spec, &dataset, taken++, 0, wanted));
    made_dataset_close(&dataset);
}

void a_state_that_is_cut_or_of_another_job_is_refused(void **state)
{
    const struct row_sums_trials *trials = *state;
    struct dataset dataset = mixed_dataset(trials->cut.shape);
    const struct jobspec spec = trials->spec_of(&dataset, trials->cut.setting);
    const struct jobspec other = trials->spec_of(&dataset, trials->cut_other);
    struct group group, others;

    group_open(&group, &spec, &dataset, 2);
    group_open(&others, &other, &dataset, 1);
    for (uint32_t phase = 0; phase < trials->cut_phases; phase++)
        group_phase(&group);
    check_bad_states(group.learners[0], group.learners[1], others.learners[0]);
    group_close(&group);
    group_close(&others);
    made_dataset_close(&dataset);
}
