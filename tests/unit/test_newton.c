#include "tests/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "inputs/encoders.h"
#include "kinds/kinds.h"
#include "kinds/linear/linear_attributes.h"
#include "runtime/learn/sums/newton_solve.h"
#include "runtime/learners/learners.h"
#include "tests/unit/row_sums_group.h"

static struct jobspec spec_of(const struct dataset *dataset, double rounds)
{
    const struct linear_params params = {
        .rounds = (uint32_t)rounds, .eta = .5, .base_score = REAL_AUTOMATIC};
    struct jobspec spec = made_spec(dataset);

    spec.family = SLICE("linear");
    spec.estimator = SLICE("xgboost.gblinear");
    memset(&spec.params, 0, sizeof spec.params);
    memcpy(spec.params.bytes, &params, sizeof params);
    return spec;
}

static const struct row_sums_trials trials = {
    .spec_of = spec_of,
    .workers = {{{700, 0, 4, 0, 0, 0}, 4},
                {{700, 0, 3, 2, 9, 0}, 4},
                {{700, 60, 3, 2, 9, 2}, 4},
                {{700, 0, 4, 1, 5, 3}, 4}},
    .threads = {{2000, 0, 20, 2, 9, 3}, 5},
    .states = {{200, 0, 3, 1, 4, 3}, 5},
    .cut = {{60, 0, 2, 0, 0, 0}, 5},
    .cut_other = 6,
    .cut_phases = 4,
};

static void each_round_is_a_phase_after_the_first(void **state)
{
    struct dataset dataset = mixed_dataset(trials.states.shape);
    const struct jobspec spec = spec_of(&dataset, 5);
    struct group group;
    (void)state;

    group_open(&group, &spec, &dataset, 1);
    for (uint64_t taken = 0; taken <= 6; taken++) {
        while (phase_of(&group)->number < taken)
            group_phase(&group);
        CHECK((phase_of(&group)->kind == PHASE_DONE) == (taken == 6));
    }
    group_close(&group);
    made_dataset_close(&dataset);
}

static void a_bit_that_is_inverted_in_any_memory_is_found(void **state)
{
    static const char *const names[] = {"weights", "rows"};
    struct dataset dataset = mixed_dataset((struct rows_shape){60, 0, 2, 0, 0, 0});
    const struct jobspec spec = spec_of(&dataset, 5);
    (void)state;

    keep_rows(&dataset);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct group group;
        struct learner *learning;
        uint64_t position = 0;
        struct error err;
        uint8_t *memory;
        size_t size;

        group_open(&group, &spec, &dataset, 1);
        learning = group.learners[0];
        for (int phase = 0; phase < 2; phase++)
            group_phase(&group);
        CHECK(learner_memory(learning, "nothing", &size) == NULL);
        memory = learner_memory(learning, names[i], &size);
        CHECK(memory && size > 0);
        memory[size / 2] ^= 16;
        CHECK(learner_verify(learning, LOOK_AT_ALL, NULL, &err) == STATUS_CORRUPT ||
              learner_verify_rows(learning, &position, UINT64_MAX, &err) == STATUS_CORRUPT);
        group_close(&group);
    }
    made_dataset_close(&dataset);
}

/* The loss falls from round to round, and after many stays where it is. */
static void rounds_lead_to_the_least_loss(void **state)
{
    (void)state;

    for (size_t s = 0; s < 4; s++) {
        struct dataset dataset = mixed_dataset(trials.workers[s].shape);
        char digest[DIGEST_BYTES];
        double before = INFINITY;

        for (uint32_t rounds = 1; rounds <= 6; rounds++) {
            const struct jobspec spec = spec_of(&dataset, rounds);
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
    const struct jobspec spec = spec_of(&dataset, 5);
    int64_t integers[1] = {0}, sums[64] = {0};
    struct group group;
    struct error err;
    uint32_t done;
    (void)state;

    lose_rows_after(&dataset, 1);
    group_open(&group, &spec, &dataset, 1);
    for (uint32_t lane = 0; lane + 1 < group.learners[0]->lanes; lane++)
        (void)learner_contribute(group.learners[0], lane, 1, integers, sums, NULL, &done, &err);
    lose_rows_after(&dataset, 0);
    CHECK_FAILS(learner_contribute(group.learners[0], 0, 1, integers, sums, NULL, &done, &err),
                STATUS_IO, "");
    group_close(&group);
    made_dataset_close(&dataset);
}

static void what_does_not_fit_is_refused_with_the_numbers(void **state)
{
    struct dataset many = mixed_dataset((struct rows_shape){40, 0, 1, 1, 2100, 0});
    struct dataset dataset = mixed_dataset((struct rows_shape){40, 0, 2, 0, 0, 0});
    struct jobspec spec = spec_of(&many, 5);
    struct learner *learning;
    struct error err;
    (void)state;

    CHECK_FAILS(learning_open(&spec, &many, NULL, &learning, &err), STATUS_LIMIT,
                "of 2102 columns, 2100 of them words");
    CHECK(strstr(err.hint, "LinearClassifier"));
    spec = spec_of(&dataset, 5);
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
    struct transform_input input = {.spec.type = INPUT_NUMERIC, .scale = 1};
    const struct kind *kind = kind_find(SLICE("linear"));
    struct error err;
    (void)state;

    input.encoder = encoder_of(&input.spec);
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
        ROW_SUMS_TESTS(&trials),
        cmocka_unit_test(each_round_is_a_phase_after_the_first),
        cmocka_unit_test(a_bit_that_is_inverted_in_any_memory_is_found),
        cmocka_unit_test(rounds_lead_to_the_least_loss),
        cmocka_unit_test(a_weight_moves_to_the_least_of_loss_and_penalties),
        cmocka_unit_test(rows_that_cannot_be_read_fail_what_needs_them),
        cmocka_unit_test(a_stored_model_of_more_layers_is_refused),
        cmocka_unit_test(what_does_not_fit_is_refused_with_the_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
