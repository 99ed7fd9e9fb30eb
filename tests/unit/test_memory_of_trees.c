/* A worker that takes the state of another in the middle of a tree, with every allocation failing
 * in turn: in each phase its lanes' rows have to be led through the trees anew. */
#include <stdlib.h>

#include "runtime/learners/learners.h"
#include "tests/check.h"
#include "tests/unit/failing_memory.h"
#include "tests/unit/learner_group.h"
#include "tests/unit/trees_job.h"

#define ROUNDS 2

struct taking {
    struct made made;
    struct jobspec spec;
    struct group group; /* its state is taken */
};

/* The whole state of a learner. */
struct state {
    struct text head;
    char *body;
    uint64_t bytes;
};

static void state_deinit(struct state *state)
{
    text_deinit(&state->head);
    free(state->body);
}

static enum status state_of(struct learner *learning, struct state *state, struct error *err)
{
    text_init(&state->head, TEXT_MAXIMUM);
    state->bytes = learner_state_bytes(learning);
    state->body = malloc(state->bytes + 1);
    if (!state->body)
        return fail_no_memory(err);
    learner_state_read(learning, 0, state->bytes, state->body);
    return learner_state_head(learning, &state->head, err);
}

static struct slice body_of(const struct state *state)
{
    return (struct slice){state->body, state->bytes};
}

static enum status take_state(struct learner *from, struct learner *to, struct error *err)
{
    struct state state;
    enum status status = state_of(from, &state, err);

    if (status == STATUS_OK)
        status = learner_take_begin(to, text_slice(&state.head), state.bytes, err);
    if (status == STATUS_OK) {
        learner_take_piece(to, 0, body_of(&state));
        status = learner_take_end(to, err);
    }
    state_deinit(&state);
    return status;
}

static enum status tell_state(struct learner *learning, struct text *result, struct error *err)
{
    struct state state;
    const enum status status = state_of(learning, &state, err);

    if (status == STATUS_OK) {
        text_append(result, text_slice(&state.head));
        text_append(result, body_of(&state));
    }
    state_deinit(&state);
    return status;
}

/* All lanes of the phase, and their totals. */
static enum status compute_phase(struct learner *learning, int64_t *integers, int64_t *sums,
                                 struct error *err)
{
    const uint32_t lanes = learning->lanes;
    struct learner_report report;

    for (uint32_t lane = 0, done; lane < lanes; lane += done)
        TRY(learner_contribute(learning, lane, lanes - lane, integers, sums, NULL, &done, err));
    return learner_apply(learning, &(struct phase_totals){integers, sums, NULL, NULL}, &report,
                         err);
}

static enum status go_on(struct learner *learning, struct learner *from, struct text *result,
                         struct error *err)
{
    const struct phase *phase = &from->phase;
    int64_t *integers = calloc(phase->integer_count + 1, sizeof *integers);
    int64_t *sums = calloc(phase->owned_count + 1, sizeof *sums);
    enum status status = integers && sums ? STATUS_OK : fail_no_memory(err);

    if (status == STATUS_OK)
        status = take_state(from, learning, err);
    if (status == STATUS_OK)
        status = compute_phase(learning, integers, sums, err);
    if (status == STATUS_OK)
        status = learner_verify(learning, LOOK_AT_ALL, NULL, err);
    if (status == STATUS_OK)
        status = tell_state(learning, result, err);
    free(integers);
    free(sums);
    return status;
}

static enum status take_and_go_on(void *context, struct text *result, struct error *err)
{
    struct taking *taking = context;
    struct learner *learning;
    enum status status;

    TRY(learning_open(&taking->spec, &taking->made.dataset, NULL, &learning, err));
    status = go_on(learning, taking->group.learners[0], result, err);
    learner_close(learning);
    return status;
}

/* From one phase to the next. */
static void step(struct taking *taking)
{
    struct learner *learning = taking->group.learners[0];
    const struct phase phase = *phase_of(&taking->group);
    int64_t *integers = calloc(phase.integer_count + 1, sizeof *integers);
    int64_t *sums = calloc(phase.owned_count + 1, sizeof *sums);
    struct error err;

    CHECK(integers && sums);
    CHECK_OK(compute_phase(learning, integers, sums, &err));
    free(integers);
    free(sums);
}

static void check_all_phases(const char *what, uint32_t classes, struct trees_params params)
{
    struct taking taking;

    params.rounds = ROUNDS;
    made_init(&taking.made, 200, 20, classes);
    taking.spec = spec_of(&taking.made.dataset, params);
    group_open(&taking.group, &taking.spec, &taking.made.dataset, 1);
    for (; phase_of(&taking.group)->kind != PHASE_DONE; step(&taking))
        check_every_allocation_may_fail(what, take_and_go_on, &taking);
    group_close(&taking.group);
    made_deinit(&taking.made);
}

static void trees_go_on_elsewhere_or_memory_is_short(void **state)
{
    struct trees_params params = params_of_test();
    (void)state;

    check_all_phases("two classes", 2, params);
    params.objective = TREE_QUANTILE;
    params.quantile_alpha = (struct reals){{.8, .5}, 2};
    check_all_phases("two quantiles", 0, params);
    params = params_of_test();
    params.row_strategy = TREE_GOSS;
    params.eta = .9; /* the second round chooses rows */
    params.booster = TREE_DART;
    params.rate_drop = .4;
    check_all_phases("some rows, and trees that drop out", 2, params);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_go_on_elsewhere_or_memory_is_short),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
