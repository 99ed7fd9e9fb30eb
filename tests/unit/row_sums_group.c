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
            (struct transform_input){.type = INPUT_NUMERIC,
                                     .mean = 1.5,
                                     .scale = 2,
                                     .dense_offset = column,
                                     .dense_count = column == 1 && shape.dense > 2 ? 2 : 1};
    for (uint32_t id = 0; id < shape.ids; id++)
        inputs[count++] = (struct transform_input){
            .type = INPUT_CATEGORY, .id_offset = id, .id_rows = id == 0 ? shape.id_rows : 0};
    transform->inputs = inputs;
    transform->input_count = count;
    return dataset;
}

double group_phase(struct group *group)
{
    const struct phase phase = *phase_of(group);
    const struct learning *first = &group->learners[0];
    int64_t *sums = calloc(phase.owned_count + 1, sizeof *sums), integers[1] = {0};
    struct learner_report report = {.train_loss = 0};
    uint64_t check = 0;
    struct error err;
    uint32_t done;

    CHECK(sums != NULL);
    CHECK_INT(phase.integer_count, 1);
    for (uint32_t lane = 0; lane < first->lanes(first->self); lane++) {
        const struct learning *worker = &group->learners[(lane + phase.number) % group->count];

        CHECK_OK(worker->contribute(worker->self, lane, 1, integers, sums, NULL, &done, &err));
        CHECK_INT(done, 1);
    }
    for (uint32_t w = 0; w < group->count; w++) {
        const struct learning *worker = &group->learners[w];

        CHECK_OK(worker->apply(worker->self, &(struct phase_totals){integers, sums, NULL, NULL},
                               &report, &err));
        CHECK(w == 0 || worker->check(worker->self) == check);
        check = worker->check(worker->self);
    }
    free(sums);
    return report.train_loss;
}

void digest_of(const struct learning *learning, char digest[DIGEST_BYTES])
{
    struct result_metric metrics[LEARNER_METRICS_MAX];
    bool is_done = false;
    uint64_t rows;
    size_t count;
    struct error err;

    while (!is_done)
        CHECK_OK(learning->measure(learning->self, &is_done, &err));
    CHECK_OK(learning->result(learning->self, digest, &rows, metrics, &count, &err));
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
        CHECK_OK(group.learners[w].verify(group.learners[w].self, &err));
    digest_of(&group.learners[workers - 1], digest);
    group_close(&group);
    return loss;
}

void check_workers(struct jobspec spec, const struct dataset *dataset)
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

void check_threads(struct jobspec spec, const struct dataset *dataset)
{
    char alone[DIGEST_BYTES], other[DIGEST_BYTES];
    struct team *team = team_new(3);
    struct group group;
    struct error err;

    spec.lanes = 2;
    run_group(&spec, dataset, 1, alone);
    group_open(&group, &spec, dataset, 2);
    for (uint32_t w = 0; w < 2; w++)
        CHECK_OK(group.learners[w].use_team(group.learners[w].self, team, &err));
    while (phase_of(&group)->kind != PHASE_DONE)
        group_phase(&group);
    digest_of(&group.learners[1], other);
    group_close(&group);
    team_free(team);
    assert_string_equal(other, alone);
}

/* A worker that has learned nothing goes on from any phase of another's. */
void check_states(const struct jobspec *spec, const struct dataset *dataset)
{
    char wanted[DIGEST_BYTES], found[DIGEST_BYTES];
    bool was_done = false;

    run_group(spec, dataset, 1, wanted);
    for (uint64_t taken = 0; !was_done; taken++) {
        struct group old, new;

        group_open(&old, spec, dataset, 1);
        group_open(&new, spec, dataset, 2);
        while (phase_of(&old)->number < taken)
            group_phase(&old);
        was_done = phase_of(&old)->kind == PHASE_DONE;
        for (uint32_t w = 0; w < 2; w++)
            give_state(&old.learners[0], &new.learners[w]);
        while (phase_of(&new)->kind != PHASE_DONE)
            group_phase(&new);
        digest_of(&new.learners[1], found);
        assert_string_equal(found, wanted);
        group_close(&old);
        group_close(&new);
    }
}
