#include "tests/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "kinds/kinds.h"
#include "kinds/linear/linear_attributes.h"
#include "runtime/learn/newton_solve.h"
#include "runtime/learners/learners.h"
#include "tests/unit/row_sums_group.h"

static struct jobspec spec_of(const struct dataset *dataset, struct linear_params params)
{
    struct jobspec spec = made_spec(dataset);

    spec.family = SLICE("linear");
    spec.estimator = SLICE("xgboost.gblinear");
    memset(&spec.params, 0, sizeof spec.params);
    memcpy(spec.params.bytes, &params, sizeof params);
    return spec;
}

static struct linear_params rounds_of(uint32_t rounds)
{
    return (struct linear_params){.rounds = rounds, .eta = .5, .base_score = REAL_AUTOMATIC};
}

static const struct rows_shape shapes[] = {
    {700, 0, 4, 0, 0, 0}, {700, 0, 3, 2, 9, 0}, {700, 60, 3, 2, 9, 2}, {700, 0, 4, 1, 5, 3}};

static void any_number_of_workers_learns_the_same_bits(void **state)
{
    static const uint32_t workers[] = {2, 3, 8};
    (void)state;

    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        struct dataset dataset = mixed_dataset(shapes[s]);
        struct jobspec spec = spec_of(&dataset, rounds_of(4));
        char one[DIGEST_BYTES], other[DIGEST_BYTES];

        spec.lanes = 9;
        run_group(&spec, &dataset, 1, one);
        for (size_t i = 0; i < 3; i++) {
            run_group(&spec, &dataset, workers[i], other);
            assert_string_equal(other, one);
        }
        made_dataset_close(&dataset);
    }
}

static void threads_leave_no_trace(void **state)
{
    struct dataset dataset = mixed_dataset((struct rows_shape){2000, 0, 20, 2, 9, 3});
    struct jobspec spec = spec_of(&dataset, rounds_of(5));
    char alone[DIGEST_BYTES], other[DIGEST_BYTES];
    struct team *team = NULL;
    struct group group;
    struct error err;
    (void)state;

    spec.lanes = 2;
    run_group(&spec, &dataset, 1, alone);
    group_open(&group, &spec, &dataset, 2);
    for (uint32_t phase = 0; phase_of(&group)->kind != PHASE_DONE; phase++) {
        struct team *next = team_new(1 + phase % 4);

        for (uint32_t w = 0; w < 2; w++)
            CHECK_OK(group.learners[w].use_team(group.learners[w].self, next, &err));
        team_free(team);
        team = next;
        group_phase(&group);
    }
    digest_of(&group.learners[1], other);
    group_close(&group);
    team_free(team);
    assert_string_equal(other, alone);
    made_dataset_close(&dataset);
}

/* A worker that was further on, or has learned nothing, goes on from any phase of another's. */
static void a_state_taken_at_any_phase_leads_to_the_same_bits(void **state)
{
    struct dataset dataset = mixed_dataset((struct rows_shape){200, 0, 3, 1, 4, 3});
    const struct jobspec spec = spec_of(&dataset, rounds_of(5));
    char wanted[DIGEST_BYTES], found[DIGEST_BYTES];
    (void)state;

    run_group(&spec, &dataset, 1, wanted);
    for (uint64_t taken = 0; taken <= 6; taken++) {
        struct group old, new;

        group_open(&old, &spec, &dataset, 1);
        group_open(&new, &spec, &dataset, 2);
        while (phase_of(&old)->number < taken)
            group_phase(&old);
        CHECK((phase_of(&old)->kind == PHASE_DONE) == (taken == 6));
        for (int ahead = 0; ahead < 3; ahead++)
            group_phase(&new);
        for (uint32_t w = 0; w < 2; w++)
            give_state(&old.learners[0], &new.learners[w]);
        while (phase_of(&new)->kind != PHASE_DONE)
            group_phase(&new);
        digest_of(&new.learners[1], found);
        assert_string_equal(found, wanted);
        new.learners[0].restart(new.learners[0].self);
        CHECK_INT(phase_of(&new)->number, 0);
        group_close(&old);
        group_close(&new);
    }
    made_dataset_close(&dataset);
}

static void a_state_that_is_cut_or_of_another_job_is_refused(void **state)
{
    struct dataset dataset = mixed_dataset((struct rows_shape){60, 0, 2, 0, 0, 0});
    const struct jobspec spec = spec_of(&dataset, rounds_of(5));
    const struct jobspec other = spec_of(&dataset, rounds_of(6));
    struct group group, others;
    (void)state;

    group_open(&group, &spec, &dataset, 2);
    group_open(&others, &other, &dataset, 1);
    for (int phase = 0; phase < 4; phase++)
        group_phase(&group);
    check_bad_states(&group.learners[0], &group.learners[1], &others.learners[0]);
    group_close(&group);
    group_close(&others);
    made_dataset_close(&dataset);
}

static void a_bit_that_is_inverted_in_any_memory_is_found(void **state)
{
    static const char *const names[] = {"weights", "rows"};
    struct dataset dataset = mixed_dataset((struct rows_shape){60, 0, 2, 0, 0, 0});
    const struct jobspec spec = spec_of(&dataset, rounds_of(5));
    (void)state;

    keep_rows(&dataset);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct group group;
        struct learning *learning = &group.learners[0];
        uint64_t position = 0;
        struct error err;
        uint8_t *memory;
        size_t size;

        group_open(&group, &spec, &dataset, 1);
        for (int phase = 0; phase < 2; phase++)
            group_phase(&group);
        CHECK(learning->memory(learning->self, "nothing", &size) == NULL);
        memory = learning->memory(learning->self, names[i], &size);
        CHECK(memory && size > 0);
        memory[size / 2] ^= 16;
        CHECK(learning->verify(learning->self, &err) == STATUS_CORRUPT ||
              learning->verify_rows(learning->self, &position, UINT64_MAX, &err) == STATUS_CORRUPT);
        group_close(&group);
    }
    made_dataset_close(&dataset);
}

/* The loss falls from round to round, and after many stays where it is. */
static void rounds_lead_to_the_least_loss(void **state)
{
    (void)state;

    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        struct dataset dataset = mixed_dataset(shapes[s]);
        char digest[DIGEST_BYTES];
        double before = INFINITY;

        for (uint32_t rounds = 1; rounds <= 6; rounds++) {
            const struct jobspec spec = spec_of(&dataset, rounds_of(rounds));
            const double loss = run_group(&spec, &dataset, 1, digest);

            CHECK(loss < before);
            before = loss;
        }
        made_dataset_close(&dataset);
    }
}

/* (w - 3)^2 / 2 and its sum with penalties: 3; with l2 = 1, 1.5; with l1 = 1, 2; with l1 = 4, 0. */
static void a_weight_moves_to_the_least_of_loss_and_penalties(void **state)
{
    static const struct {
        struct newton_penalties penalties;
        double wanted;
    } cases[] = {{{0, 0}, 3}, {{0, 1}, 1.5}, {{1, 0}, 2}, {{4, 0}, 0}};
    const struct newton_direction direction = {.columns = {1}, .amounts = {1}, .count = 1};
    const double products[] = {1, 0, 0, 1};
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int sign = -1; sign <= 1; sign += 2) {
            double gradient[] = {0, -3 * sign}, weights[] = {0, 0};

            newton_sweep(&direction, 1, 2, products, cases[i].penalties, 1, gradient, weights);
            newton_sweep(&direction, 1, 2, products, cases[i].penalties, 1, gradient, weights);
            CHECK(fabs(weights[1] - sign * cases[i].wanted) < 1e-12);
            CHECK(fabs(gradient[1] - (weights[1] - 3 * sign)) < 1e-12);
        }
    }
}

static void rows_that_cannot_be_read_fail_what_needs_them(void **state)
{
    struct dataset dataset = mixed_dataset((struct rows_shape){60, 0, 2, 0, 0, 0});
    const struct jobspec spec = spec_of(&dataset, rounds_of(5));
    int64_t integers[1] = {0}, sums[64] = {0};
    struct group group;
    struct error err;
    uint32_t done;
    (void)state;

    lose_rows_after(&dataset, 1);
    group_open(&group, &spec, &dataset, 1);
    for (uint32_t lane = 0; lane + 1 < group.learners[0].lanes(group.learners[0].self); lane++)
        (void)group.learners[0].contribute(group.learners[0].self, lane, 1, integers, sums, NULL,
                                           &done, &err);
    lose_rows_after(&dataset, 0);
    CHECK_FAILS(group.learners[0].contribute(group.learners[0].self, 0, 1, integers, sums, NULL,
                                             &done, &err),
                STATUS_IO, "");
    group_close(&group);
    made_dataset_close(&dataset);
}

static void what_does_not_fit_is_refused_with_the_numbers(void **state)
{
    struct dataset many = mixed_dataset((struct rows_shape){40, 0, 1, 1, 2100, 0});
    struct dataset dataset = mixed_dataset((struct rows_shape){40, 0, 2, 0, 0, 0});
    struct jobspec spec = spec_of(&many, rounds_of(5));
    struct learning learning;
    struct error err;
    (void)state;

    CHECK_FAILS(learning_open(&spec, &many, NULL, &learning, &err), STATUS_LIMIT,
                "of 2102 columns, 2100 of them words");
    CHECK(strstr(err.hint, "LinearClassifier"));
    spec = spec_of(&dataset, rounds_of(5));
    spec.memory = 100;
    CHECK_FAILS(learning_open(&spec, &dataset, NULL, &learning, &err), STATUS_LIMIT,
                "and a worker has at most 100");
    made_dataset_close(&many);
    made_dataset_close(&dataset);
}

static void a_stored_model_of_more_layers_is_refused(void **state)
{
    static const struct {
        const char *json;
        enum status wanted;
    } cases[] = {
        {"{\"activation\":\"identity\",\"layers\":[{\"rows\":1,\"width\":1}]}", STATUS_OK},
        {"{\"activation\":\"identity\",\"layers\":[{\"rows\":1,\"width\":2},"
         "{\"rows\":2,\"width\":1}]}",
         STATUS_CORRUPT},
    };
    struct transform_input input = {.type = INPUT_NUMERIC, .scale = 1};
    const struct kind *kind = kind_find(SLICE("linear"));
    struct error err;
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct model model = {.kind = kind,
                              .task = TASK_REGRESSION,
                              .transform = {.inputs = &input, .input_count = 1}};
        struct arena arena;
        cJSON *object;

        arena_init(&arena, 1 << 20);
        CHECK_OK(json_parse(slice_of(cases[i].json), 1 << 16, &object, &err));
        CHECK_INT(kind->read_content(object, &arena, &model, &err), cases[i].wanted);
        CHECK(cases[i].wanted == STATUS_OK || strstr(err.message, "a linear model of 2 layers"));
        cJSON_Delete(object);
        arena_deinit(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_workers_learns_the_same_bits),
        cmocka_unit_test(threads_leave_no_trace),
        cmocka_unit_test(a_state_taken_at_any_phase_leads_to_the_same_bits),
        cmocka_unit_test(a_state_that_is_cut_or_of_another_job_is_refused),
        cmocka_unit_test(a_bit_that_is_inverted_in_any_memory_is_found),
        cmocka_unit_test(rounds_lead_to_the_least_loss),
        cmocka_unit_test(a_weight_moves_to_the_least_of_loss_and_penalties),
        cmocka_unit_test(rows_that_cannot_be_read_fail_what_needs_them),
        cmocka_unit_test(a_stored_model_of_more_layers_is_refused),
        cmocka_unit_test(what_does_not_fit_is_refused_with_the_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
