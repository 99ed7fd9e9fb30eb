#include "tests/check.h"

#include <math.h>
#include <stdlib.h>

#include "base/sums/hash.h"
#include "jobspec/job_attributes.h"
#include "jobspec/job_size.h"
#include "kinds/network/network_attributes.h"
#include "kinds/network/network_kind.h"
#include "kinds/network/network_model.h"
#include "runtime/data/dataset/dataset_summary.h"
#include "runtime/learn/descent/descent_guard.h"
#include "runtime/learn/descent/descent_state.h"
#include "runtime/learn/fixed_point.h"
#include "tests/unit/learn_rows.h"
#include "tests/unit/other_value.h"

#define STATE_BYTES_MAX ((size_t)64 << 20)

static struct descent *opened(const struct jobspec *spec, const struct dataset *dataset)
{
    struct descent *descent;
    struct error err;

    CHECK_OK(open_descent(spec, dataset, NULL, &descent, &err));
    return descent;
}

static struct text saved(struct descent *descent)
{
    struct text state;

    text_init(&state, STATE_BYTES_MAX);
    save_state(descent, &state);
    return state;
}

static void check_same_state(struct descent *a, struct descent *b)
{
    struct text x = saved(a), y = saved(b);

    CHECK_INT(x.size, y.size);
    assert_memory_equal(x.data, y.data, x.size);
    text_deinit(&x);
    text_deinit(&y);
}

static void check_state(struct descent *descent, const struct text *expected)
{
    struct text now = saved(descent);

    CHECK_INT(now.size, expected->size);
    assert_memory_equal(now.data, expected->data, now.size);
    text_deinit(&now);
}

/* The whole job, as run_job. */
static void learn(struct descent *descent, uint32_t workers, uint32_t mix)
{
    struct error err;

    CHECK_OK(run_job(descent, workers, mix, &err));
}

/* Returns how many metrics there are. */
static size_t exported(struct descent *descent, struct model *model,
                       struct result_metric metrics[LEARNER_METRICS_MAX])
{
    struct error err;
    size_t count;

    CHECK_OK(measure_and_export(descent, model, metrics, &count, &err));
    return count;
}

/* ---- lanes ---- */

static void contribute_lane(struct descent *descent, uint32_t lane, struct sums *sums)
{
    struct error err;
    uint32_t done;

    CHECK_OK(learner_contribute(&descent->learner, lane, 1, sums->integers, sums->fixed,
                                &sums->rows, &done, &err));
    CHECK_INT(done, 1);
}

static void lanes_give_the_same_sums_in_any_order_and_repeatedly(void **state)
{
    struct dataset dataset = made_dataset((struct rows_shape){100, 0, 5, 2, 12, 3});
    struct jobspec spec = made_spec(&dataset);
    struct descent *descent = opened(&spec, &dataset);
    const struct phase *phase = &descent->learner.phase;
    struct sums forward, backward;

    (void)state;
    learned_sums_init(&forward, phase);
    learned_sums_init(&backward, phase);
    for (uint32_t lane = 0; lane < 8; lane++)
        contribute_lane(descent, lane, &forward);
    contribute_lane(descent, 5, &backward);
    memset(backward.integers, 0, phase->integer_count * sizeof(int64_t));
    memset(backward.fixed, 0, phase->real_count * sizeof(int64_t));
    for (uint32_t lane = 8; lane-- > 0;)
        contribute_lane(descent, lane, &backward);
    assert_memory_equal(forward.integers, backward.integers,
                        phase->integer_count * sizeof(int64_t));
    assert_memory_equal(forward.fixed, backward.fixed, phase->real_count * sizeof(int64_t));
    learned_sums_deinit(&forward);
    learned_sums_deinit(&backward);
    learner_close(&descent->learner);
    made_dataset_close(&dataset);
}

static void a_job_learns_the_same_bits_with_any_workers(void **state)
{
    const struct rows_shape shapes[] = {
        {150, 40, 5, 2, 12, 3}, {150, 40, 5, 0, 0, 2}, {77, 13, 4, 1, 5, 0}};

    (void)state;
    for (size_t s = 0; s < 2 * sizeof shapes / sizeof *shapes; s++) {
        struct dataset dataset = made_dataset(shapes[s / 2]);
        struct jobspec spec = made_spec(&dataset);
        struct descent *one;

        network_params(&spec.params)->dropout = 0.2;
        network_params(&spec.params)->batch_norm = s % 2 == 1;
        network_params(&spec.params)->l1 = 1e-4;
        network_params(&spec.params)->l2 = 1e-3;
        one = opened(&spec, &dataset);
        learn(one, 1, 0);
        for (uint32_t workers = 2; workers <= 9; workers++) {
            struct descent *many = opened(&spec, &dataset);

            learn(many, workers, workers + 1);
            check_same_state(one, many);
            learner_close(&many->learner);
        }
        learner_close(&one->learner);
        made_dataset_close(&dataset);
    }
}

/* Sums of a phase in as few calls as the learner wants. */
static void contribute_all(struct descent *descent, struct sums *sums)
{
    const uint32_t lanes = descent->learner.lanes;

    struct error err;

    learned_sums_init(sums, &descent->learner.phase);
    for (uint32_t first = 0, done; first < lanes; first += done)
        CHECK_OK(learner_contribute(&descent->learner, first, lanes - first, sums->integers,
                                    sums->fixed, &sums->rows, &done, &err));
}

static void apply_sums(struct descent *descent, const struct sums *sums)
{
    const struct phase *phase = &descent->learner.phase;
    float *reals = calloc(phase->real_count + 1, sizeof *reals);
    struct learner_report report;
    struct error err;

    learner_resolve(&descent->learner, sums->fixed, 0, phase->real_count, reals);
    CHECK_OK(learner_apply(&descent->learner,
                           &(struct phase_totals){sums->integers, NULL, reals, &sums->rows},
                           &report, &err));
    free(reals);
}

static void a_team_gives_the_sums_of_one_thread(void **state)
{
    const struct rows_shape shapes[] = {
        {150, 40, 5, 2, 12, 3}, {150, 40, 5, 0, 0, 2}, {77, 13, 4, 1, 5, 0}};
    struct team *team = team_new(4);
    (void)state;

    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        struct dataset dataset = made_dataset(shapes[s]);
        struct jobspec spec = made_spec(&dataset);
        struct descent *alone, *together;
        struct error err;

        network_params(&spec.params)->hidden_units.items[0] =
            network_params(&spec.params)->hidden_units.items[1] = 64; /* or a team would not pay */
        network_params(&spec.params)->hidden_units.count = 2;
        alone = opened(&spec, &dataset);
        CHECK_OK(open_descent(&spec, &dataset, team, &together, &err));
        CHECK_INT(together->member_count, 4);
        while (alone->learner.phase.kind != PHASE_DONE) {
            const struct phase phase = alone->learner.phase;
            struct sums one, all;

            contribute_all(alone, &one);
            contribute_all(together, &all);
            assert_memory_equal(one.integers, all.integers,
                                phase.integer_count * sizeof *one.integers);
            assert_memory_equal(one.fixed, all.fixed, phase.real_count * sizeof *one.fixed);
            apply_sums(alone, &one);
            apply_sums(together, &all);
            learned_sums_deinit(&one);
            learned_sums_deinit(&all);
        }
        check_same_state(alone, together);
        learner_close(&alone->learner);
        learner_close(&together->learner);
        made_dataset_close(&dataset);
    }
    team_free(team);
}

/* Some rows a call, by threads or without: the same sums in the same order. */
static void the_result_depends_neither_on_the_team_nor_on_the_calls(void **state)
{
    struct dataset dataset = made_dataset((struct rows_shape){900, 500, 4, 2, 8, 3});
    struct jobspec spec = made_spec(&dataset);
    const struct slice names[] = {SLICE("LogLoss"), SLICE("F1")};
    struct result_metric first[LEARNER_METRICS_MAX];

    (void)state;
    memcpy(spec.metrics, names, sizeof names);
    spec.metric_count = 2;
    spec.epochs = 1;
    for (uint32_t threads = 1; threads <= 3; threads++) {
        struct team *team = team_new(threads);
        struct result_metric metrics[LEARNER_METRICS_MAX];
        struct descent *descent;
        struct model model;
        struct error err;
        uint32_t calls = 0;
        bool is_done = false;
        size_t count;

        CHECK_OK(open_descent(&spec, &dataset, team, &descent, &err));
        CHECK_FAILS(learner_measure(&descent->learner, &is_done, &err), STATUS_INVALID,
                    "not learned yet");
        learn(descent, 1, 0);
        CHECK_FAILS(export_descent(descent, &model, metrics, &count, &err), STATUS_INVALID,
                    "not measured yet");
        for (; !is_done; calls++)
            CHECK_OK(learner_measure(&descent->learner, &is_done, &err));
        CHECK(calls >= 8 / team_size(team));
        memset(metrics, 0, sizeof metrics);
        CHECK_OK(export_descent(descent, &model, metrics, &count, &err));
        CHECK_INT(count, 3);
        if (threads == 1)
            memcpy(first, metrics, sizeof first);
        for (size_t i = 0; i < count; i++)
            CHECK(metrics[i].train == first[i].train &&
                  metrics[i].validation == first[i].validation);
        learner_close(&descent->learner);
        team_free(team);
    }
    made_dataset_close(&dataset);
}

/* The group changes, and with it the threads of a worker. */
static void a_team_that_changes_leaves_no_trace(void **state)
{
    struct dataset dataset = made_dataset((struct rows_shape){900, 100, 6, 2, 12, 3});
    struct jobspec spec = made_spec(&dataset);
    struct descent *whole, *changed;
    struct team *team = NULL;
    struct error err;

    (void)state;
    spec.batch_size = 300;
    network_params(&spec.params)->hidden_units.items[0] = 64;
    network_params(&spec.params)->hidden_units.count = 1;
    whole = opened(&spec, &dataset);
    changed = opened(&spec, &dataset);
    learn(whole, 1, 0);
    for (uint32_t phase = 0; changed->learner.phase.kind != PHASE_DONE; phase++) {
        struct team *next = team_new(1 + phase % 4);
        struct learner_report report;
        struct sums sums;

        CHECK_OK(learner_use_team(&changed->learner, next, &err));
        team_free(team);
        team = next;
        contribute_all(changed, &sums);
        learner_resolve(&changed->learner, sums.fixed, 0, changed->learner.phase.real_count,
                        sums.reals);
        CHECK_OK(learner_apply(&changed->learner,
                               &(struct phase_totals){sums.integers, NULL, sums.reals, &sums.rows},
                               &report, &err));
        learned_sums_deinit(&sums);
    }
    check_same_state(whole, changed);
    learner_close(&whole->learner);
    learner_close(&changed->learner);
    team_free(team);
    made_dataset_close(&dataset);
}

static enum status count_statistics(void *context, const struct model_row *row, struct error *err)
{
    uint32_t *count = context;
    (void)err;

    *count += slice_is(row->part, "statistics");
    return STATUS_OK;
}

static uint32_t statistics_published(const struct learner *learner)
{
    uint32_t count = 0;
    uint64_t next = 0;
    struct error err;
    bool is_at_end;

    CHECK_OK(
        learner_publish(learner, "", &next, SIZE_MAX, &is_at_end, count_statistics, &count, &err));
    return count;
}

/* The share of processors may change between two pieces of the model. */
static void a_change_of_the_team_leaves_what_was_measured(void **state)
{
    struct dataset dataset = made_dataset((struct rows_shape){100, 10, 5, 2, 12, 3});
    struct jobspec spec = made_spec(&dataset);
    struct descent *descent = opened(&spec, &dataset);
    struct team *team = team_new(2);
    struct error err;
    bool is_done = false;
    (void)state;

    learn(descent, 1, 0);
    while (!is_done)
        CHECK_OK(learner_measure(&descent->learner, &is_done, &err));
    CHECK(statistics_published(&descent->learner) > 0);
    CHECK_OK(learner_use_team(&descent->learner, team, &err));
    CHECK(statistics_published(&descent->learner) > 0);
    learner_close(&descent->learner);
    team_free(team);
    made_dataset_close(&dataset);
}

/* Each batch has the same run of positions, however many lanes share it. */
static void without_shuffle_the_number_of_lanes_changes_no_more_than_rounding(void **state)
{
    struct dataset dataset = made_dataset((struct rows_shape){100, 0, 5, 2, 12, 3});
    struct jobspec spec = made_spec(&dataset);
    struct descent *learners[2];
    struct model models[2];
    struct result_metric metrics[LEARNER_METRICS_MAX];

    (void)state;
    spec.shuffle = dataset.shuffle = false;
    network_params(&spec.params)->optimizer = OPTIMIZER_SGD;
    for (int i = 0; i < 2; i++) {
        spec.lanes = i ? 7 : 1;
        learners[i] = opened(&spec, &dataset);
        learn(learners[i], 1, 0);
        (void)exported(learners[i], &models[i], metrics);
    }
    for (uint32_t i = 0; i < (5 + 12) * 8; i++)
        CHECK(fabsf(network_of(&models[0])->layers[0].weights[i] -
                    network_of(&models[1])->layers[0].weights[i]) < 1e-5f);
    learner_close(&learners[0]->learner);
    learner_close(&learners[1]->learner);
    made_dataset_close(&dataset);
}

static void lanes_follow_from_batch_and_parameters(void **state)
{
    struct dataset dataset = made_dataset((struct rows_shape){3000, 0, 5, 0, 0, 2});
    struct jobspec spec = made_spec(&dataset);
    const struct {
        uint32_t asked, batch, hidden, lanes;
    } cases[] = {
        {0, 128, 16, 8},    {0, 8, 16, 1},   {0, 2048, 16, 64},   {0, 512, 9000, 8},
        {0, 1024, 8, 64},   {8, 128, 16, 8}, {100, 128, 16, 100}, {100, 10, 16, 10},
        {0, 100000, 8, 64}, {7, 1, 8, 1},
    };

    (void)state;
    network_params(&spec.params)->hidden_units.count = 1;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct descent *descent;

        spec.lanes = cases[i].asked;
        spec.batch_size = cases[i].batch;
        network_params(&spec.params)->hidden_units.items[0] = cases[i].hidden;
        descent = opened(&spec, &dataset);
        CHECK_INT(descent->learner.lanes, cases[i].lanes);
        learner_close(&descent->learner);
    }
    spec.lanes = 0;
    spec.lanes_max = 143;
    spec.batch_size = 3000;
    {
        struct descent *descent = opened(&spec, &dataset);
        CHECK_INT(descent->learner.lanes, 143);
        learner_close(&descent->learner);
    }
    made_dataset_close(&dataset);
}

/* ---- what is automatic ---- */

static void small_tables_of_classes_have_another_activation(void **state)
{
    struct network_params params = {.activation = NETWORK_ACTIVATION_AUTOMATIC};
    (void)state;

    CHECK_INT(network_activation(&params, TASK_CLASSIFICATION, 20000), ACTIVATION_GELU);
    CHECK_INT(network_activation(&params, TASK_CLASSIFICATION, 20001), ACTIVATION_RELU);
    CHECK_INT(network_activation(&params, TASK_REGRESSION, 20000), ACTIVATION_RELU);
    params.activation = NETWORK_ACTIVATION_TANH;
    CHECK_INT(network_activation(&params, TASK_CLASSIFICATION, 20000), ACTIVATION_TANH);
}

static void automatic_epochs_make_enough_steps(void **state)
{
    const struct kind_length steps = {.steps_least = 300}, many = {.steps_least = 1000};
    const struct kind_length epochs = {.steps_least = 500, .epochs = 40, .steps_most = 4000};

    (void)state;
    CHECK_INT(job_epochs(0, steps, 128, 112), 300); /* one step an epoch */
    CHECK_INT(job_epochs(0, steps, 128, 128), 300);
    CHECK_INT(job_epochs(0, steps, 128, 129), 150);
    CHECK_INT(job_epochs(0, many, 128, 800), 143); /* 7 steps an epoch */
    CHECK_INT(job_epochs(0, steps, 128, 30 * 128), 10);
    CHECK_INT(job_epochs(0, steps, 128, UINT64_MAX), 10);
    CHECK_INT(job_epochs(0, steps, 128, 0), 10);
    CHECK_INT(job_epochs(3, steps, 128, 112), 3);
    CHECK_INT(job_epochs(0, epochs, 128, 128), 500);
    CHECK_INT(job_epochs(0, epochs, 128, 20 * 128), 40);
    CHECK_INT(job_epochs(0, epochs, 128, 100 * 128), 40);
    CHECK_INT(job_epochs(0, epochs, 128, 200 * 128), 20);
    CHECK_INT(job_epochs(0, epochs, 128, 900 * 128), 10);
    CHECK_INT(job_epochs(3, epochs, 128, 128), 3);
}

static void a_learner_makes_numbers_of_what_is_automatic(void **state)
{
    struct dataset dataset = made_dataset((struct rows_shape){70, 0, 3, 0, 0, 2});
    struct jobspec spec = made_spec(&dataset);
    struct descent *descent;
    (void)state;

    spec.batch_size = 32;
    spec.epochs = 0;
    network_params(&spec.params)->l2 = REAL_AUTOMATIC;
    descent = opened(&spec, &dataset);
    CHECK_INT(descent->learner.epochs_total, 67);
    CHECK_INT(descent->learner.steps_total, 201);
    CHECK(descent->model.settings.l2 == 6.0 / 70);
    learner_close(&descent->learner);
    network_params(&spec.params)->hidden_units.count = 0;
    descent = opened(&spec, &dataset);
    CHECK_INT(descent->learner.epochs_total, 334);
    CHECK(descent->model.settings.l2 == 1.0 / 70);
    learner_close(&descent->learner);
    made_dataset_close(&dataset);
}

/* ---- phases ---- */

static void steps_epochs_and_evaluations_follow_the_plan(void **state)
{
    struct dataset dataset = made_dataset((struct rows_shape){70, 20, 3, 0, 0, 2});
    struct jobspec spec = made_spec(&dataset);
    struct descent *descent;
    struct learner_report report;
    struct error err;
    char trace[64];
    size_t length = 0;

    (void)state;
    spec.batch_size = 32;
    spec.epochs = 4;
    spec.max_steps = 7;
    descent = opened(&spec, &dataset);
    CHECK_INT(descent->learner.steps_total, 7);
    while (descent->learner.phase.kind != PHASE_DONE) {
        const struct phase phase = descent->learner.phase;

        CHECK_INT(phase.number, length);
        CHECK_OK(run_phase(descent, 2, 0, &report, &err));
        trace[length++] = phase.kind == PHASE_EVALUATION ? 'e' : (char)('0' + phase.epoch);
        CHECK(report.evaluated == (phase.kind == PHASE_EVALUATION));
        CHECK(report.step_applied == (phase.kind == PHASE_LEARN));
        if (phase.kind == PHASE_EVALUATION) {
            CHECK_INT(phase.rows, 20);
            CHECK_INT(phase.real_count, 0);
            CHECK(report.validation_loss > 0 && report.validation_score <= 1);
        } else {
            CHECK_INT(phase.rows, phase.step % 3 == 0 ? 24 : 23);
            CHECK_INT(report.rows_applied, phase.rows);
            CHECK_INT(phase.real_count, descent->model.parameter_count);
        }
    }
    trace[length] = 0;
    assert_string_equal(trace, "000e111e2e");
    CHECK_INT(descent->learner.phase.step, 7);
    learner_close(&descent->learner);
    made_dataset_close(&dataset);
}

static void every_row_counts_once_an_epoch(void **state)
{
    struct dataset dataset = made_dataset((struct rows_shape){53, 0, 3, 0, 0, 0});
    struct jobspec spec = made_spec(&dataset);
    struct descent *descent;
    struct learner_report report;
    struct error err;
    double expected = 0, sum = 0;

    (void)state;
    spec.batch_size = 8;
    spec.lanes = 3;
    spec.epochs = 1;
    network_params(&spec.params)->hidden_units.count = 0;
    network_params(&spec.params)->learning_rate = 0; /* so that all steps see z = 0 */
    network_params(&spec.params)->optimizer = OPTIMIZER_SGD;
    show_rows(&dataset);
    for (uint32_t row = 0; row < 53; row++)
        expected += (double)dataset.train.values[row] * (double)dataset.train.values[row];
    hide_rows(&dataset);
    descent = opened(&spec, &dataset);
    while (descent->learner.phase.kind != PHASE_DONE) {
        CHECK_OK(run_phase(descent, 2, 1, &report, &err));
        sum += report.train_loss * (double)report.rows_applied;
    }
    expected *= dataset.label_scale * dataset.label_scale;
    CHECK(fabs(sum - expected) < 1e-6 * expected);
    learner_close(&descent->learner);
    made_dataset_close(&dataset);
}

static void early_stopping_gives_the_best_model(void **state)
{
    struct dataset dataset = made_dataset((struct rows_shape){40, 60, 6, 0, 0, 0});
    struct jobspec spec = made_spec(&dataset);
    struct descent *descent;
    struct learner_report report;
    struct model model;
    struct result_metric metrics[LEARNER_METRICS_MAX];
    size_t count;
    struct error err;
    double best = INFINITY;
    uint32_t since_best = 0;

    (void)state;
    spec.epochs = 400;
    spec.early_stopping = 5;
    network_params(&spec.params)->learning_rate = 0.05;
    spec.metrics[0] = SLICE("rmse");
    spec.metric_count = 1;
    descent = opened(&spec, &dataset);
    while (descent->learner.phase.kind != PHASE_DONE) {
        CHECK(since_best < 5);
        CHECK_OK(run_phase(descent, 1, 0, &report, &err));
        if (!report.evaluated)
            continue;
        CHECK(report.improved == (report.validation_loss < best));
        CHECK(fabs(report.validation_score - sqrt(report.validation_loss)) < 1e-12);
        since_best = report.improved ? 0 : since_best + 1;
        best = fmin(best, report.validation_loss);
    }
    CHECK(descent->learner.phase.step < descent->learner.steps_total);
    CHECK_INT(since_best, 5);
    count = exported(descent, &model, metrics);
    CHECK_INT(count, 2);
    assert_string_equal(metrics[0].name, "loss");
    assert_string_equal(metrics[1].name, "RMSE");
    CHECK(fabs(metrics[0].validation - best) < 1e-4 * best);
    CHECK(fabs(metrics[1].validation - sqrt(best)) < 1e-4 * sqrt(best));
    learner_close(&descent->learner);
    made_dataset_close(&dataset);
}

/* Where patience ends on the plateau of the default schedule, a third as many steps follow whose
 * rate falls to zero; a state taken on the way leads to the same bits. */
static void an_early_stop_is_followed_by_the_cool_down(void **state)
{
    struct dataset dataset = made_dataset((struct rows_shape){40, 60, 6, 0, 0, 0});
    struct jobspec spec = made_spec(&dataset);
    struct descent *descent, *other;
    struct learner_report report;
    struct error err;
    double plateau = INFINITY;
    uint64_t from;

    (void)state;
    network_params(&spec.params)->schedule = SCHEDULE_TRAPEZOIDAL;
    spec.epochs = 400;
    spec.early_stopping = 5;
    network_params(&spec.params)->learning_rate = 0.05;
    descent = opened(&spec, &dataset);
    other = opened(&spec, &dataset);
    while (descent->progress.cool_from == 0) {
        CHECK_OK(run_phase(descent, 1, 0, &report, &err));
        CHECK(descent->learner.phase.kind != PHASE_DONE);
    }
    from = descent->progress.cool_from;
    plateau = descent->progress.best_loss;
    CHECK_INT(descent->progress.evaluations_since_best, 5);
    CHECK_INT(descent->learner.phase.step, from);
    CHECK_INT(descent->learner.steps_total, from + (from + 2) / 3);
    while (descent->learner.phase.kind != PHASE_DONE) {
        struct text bytes = saved(descent);

        CHECK_OK(load_state(other, text_slice(&bytes), &err));
        CHECK_INT(other->learner.steps_total, descent->learner.steps_total);
        CHECK_OK(run_phase(descent, 1, 0, &report, &err));
        CHECK_OK(run_phase(other, 3, 1, &report, &err));
        check_same_state(descent, other);
        text_deinit(&bytes);
    }
    CHECK_INT(descent->learner.phase.step, from + (from + 2) / 3);
    CHECK(descent->progress.best_loss <= plateau);
    descent->progress.cool_from = from + 1; /* within an epoch */
    {
        struct text bytes = saved(descent);

        CHECK_FAILS(load_state(other, text_slice(&bytes), &err), STATUS_CORRUPT, "does not exist");
        text_deinit(&bytes);
    }
    learner_close(&descent->learner);
    learner_close(&other->learner);
    made_dataset_close(&dataset);
}

/* ---- a model that learning goes on from ---- */

static void a_job_starts_from_the_weights_of_an_old_model(void **state)
{
    struct dataset dataset = made_dataset((struct rows_shape){60, 0, 4, 2, 12, 3});
    struct jobspec spec = made_spec(&dataset);
    struct network_params *params = network_params(&spec.params);
    struct result_metric metrics[LEARNER_METRICS_MAX];
    struct descent *old, *new;
    struct model model;
    struct error err;
    size_t bytes;
    (void)state;

    params->activation = NETWORK_ACTIVATION_TANH;
    old = opened(&spec, &dataset);
    bytes = old->model.parameter_count * sizeof(float);
    learn(old, 1, 0);
    exported(old, &model, metrics);
    dataset.old_model = &model;
    new = opened(&spec, &dataset);
    CHECK_INT(new->learner.phase.number, 0);
    assert_memory_equal(new->arrays.parameters, old->arrays.parameters, bytes);
    learn(new, 2, 1);
    CHECK(memcmp(new->arrays.parameters, old->arrays.parameters, bytes) != 0);
    learner_restart(&new->learner);
    assert_memory_equal(new->arrays.parameters, old->arrays.parameters, bytes);
    learner_close(&new->learner);

    params->activation = NETWORK_ACTIVATION_RELU;
    CHECK_FAILS(open_descent(&spec, &dataset, NULL, &new, &err), STATUS_CORRUPT,
                "the old model has other weights");
    params->activation = NETWORK_ACTIVATION_TANH;
    params->hidden_units.items[0]++;
    CHECK_FAILS(open_descent(&spec, &dataset, NULL, &new, &err), STATUS_CORRUPT,
                "the old model has other weights");
    params->hidden_units.items[0]--;
    model.link = LABEL_LINK_MARGIN;
    CHECK_FAILS(open_descent(&spec, &dataset, NULL, &new, &err), STATUS_CORRUPT,
                "the old model has other weights");
    learner_close(&old->learner);
    made_dataset_close(&dataset);
}

/* ---- the time ---- */

/* One of two workers was told: the totals say it to both. */
static void a_job_whose_time_is_over_ends_with_the_step(void **state)
{
    (void)state;
    for (uint32_t held_out = 0; held_out <= 10; held_out += 10) {
        struct dataset dataset = made_dataset((struct rows_shape){60, held_out, 4, 0, 0, 2});
        struct jobspec spec = made_spec(&dataset);
        struct descent *told, *other;
        struct text bytes;
        struct sums sums;
        struct error err;
        uint64_t planned;

        spec.max_seconds = 5;
        spec.epochs = 50;
        told = opened(&spec, &dataset);
        other = opened(&spec, &dataset);
        planned = told->learner.steps_total;
        learner_end_soon(&told->learner);
        contribute_all(told, &sums);
        apply_sums(told, &sums);
        apply_sums(other, &sums);
        learned_sums_deinit(&sums);
        check_same_state(told, other);
        CHECK(planned > 50 && other->learner.steps_total == 1);
        CHECK_INT(other->learner.phase.kind, held_out > 0 ? PHASE_EVALUATION : PHASE_DONE);
        bytes = saved(told);
        CHECK_OK(load_state(other, text_slice(&bytes), &err));
        CHECK_INT(other->learner.steps_total, 1);
        learn(other, 2, 0);
        CHECK_INT(other->learner.phase.step, 1);
        learner_restart(&other->learner);
        CHECK_INT(other->learner.steps_total, planned);
        CHECK_OK(load_state(other, text_slice(&bytes), &err));
        other->progress.stopped_at = planned + 1; /* beyond the plan */
        text_deinit(&bytes);
        bytes = saved(other);
        CHECK_FAILS(load_state(told, text_slice(&bytes), &err), STATUS_CORRUPT, "does not exist");
        text_deinit(&bytes);
        learner_close(&told->learner);
        learner_close(&other->learner);
        made_dataset_close(&dataset);
    }
}

/* A notice says which steps the model was cut off from; a job that ended by itself has none. */
static void a_model_tells_the_steps_that_it_made(void **state)
{
    struct dataset dataset = made_dataset((struct rows_shape){60, 0, 4, 0, 0, 2});
    struct jobspec spec = made_spec(&dataset);
    struct result_metric metrics[LEARNER_METRICS_MAX];
    struct model model;
    (void)state;

    for (int is_told = 0; is_told < 2; is_told++) {
        struct descent *descent;
        int found = 0;

        spec.max_seconds = 5;
        descent = opened(&spec, &dataset);
        if (is_told)
            learner_end_soon(&descent->learner);
        learn(descent, 1, 0);
        exported(descent, &model, metrics);
        for (size_t i = 0; i < descent->learner.measuring.notices.count; i++)
            found += strstr(descent->learner.measuring.notices.items[i].text, "ended after 1 of") !=
                     NULL;
        CHECK_INT(found, is_told);
        learner_close(&descent->learner);
    }
    made_dataset_close(&dataset);
}

/* ---- overflow and what is not finite ---- */

static void a_step_that_overflows_is_asked_again(void **state)
{
    struct dataset dataset = made_dataset((struct rows_shape){64, 0, 3, 0, 0, 0});
    struct jobspec spec = made_spec(&dataset);
    struct descent *one, *many;
    struct learner_report report;
    struct error err;
    int repeated = 0;

    (void)state;
    show_rows(&dataset);
    for (uint32_t row = 0; row < 64; row++)
        dataset.train.values[row] *= 1e12f;
    hide_rows(&dataset);
    one = opened(&spec, &dataset);
    many = opened(&spec, &dataset);
    while (one->learner.phase.kind != PHASE_DONE) {
        const struct phase before = one->learner.phase;

        CHECK_OK(run_phase(one, 1, 0, &report, &err));
        CHECK_INT(one->learner.phase.number, before.number + 1);
        CHECK(report.repeated != report.step_applied);
        CHECK_INT(one->learner.phase.step, before.step + !report.repeated);
        repeated += report.repeated;
    }
    CHECK(repeated > 0 && repeated < 10);
    learn(many, 3, 1);
    check_same_state(one, many);
    learner_close(&one->learner);
    learner_close(&many->learner);
    made_dataset_close(&dataset);
}

static void a_diverging_job_fails_naming_step_and_rows(void **state)
{
    struct dataset dataset = made_dataset((struct rows_shape){64, 0, 3, 0, 0, 0});
    struct jobspec spec = made_spec(&dataset);
    struct descent *descent;
    struct error err;

    (void)state;
    network_params(&spec.params)->optimizer = OPTIMIZER_SGD;
    network_params(&spec.params)->learning_rate = 1e10;
    spec.epochs = 100;
    descent = opened(&spec, &dataset);
    CHECK_FAILS(run_job(descent, 2, 0, &err), STATUS_DIVERGED, "is not finite at step ");
    CHECK(strstr(err.message, "rows ") && strstr(err.message, " of epoch "));
    CHECK(strstr(err.hint, "learning_rate"));
    learner_close(&descent->learner);
    made_dataset_close(&dataset);
}

static void the_named_rows_are_those_of_the_step(void **state)
{
    struct dataset dataset = made_dataset((struct rows_shape){64, 0, 3, 0, 0, 0});
    struct jobspec spec = made_spec(&dataset);
    struct descent *descent;
    struct learner_report report;
    struct error err;

    (void)state;
    spec.shuffle = dataset.shuffle = false;
    spec.batch_size = 10;
    show_rows(&dataset);
    dataset.train.values[37] = NAN;
    hide_rows(&dataset);
    descent = opened(&spec, &dataset);
    for (int i = 0; i < 4; i++)
        CHECK_OK(run_phase(descent, 1, 0, &report, &err));
    CHECK_FAILS(run_phase(descent, 1, 0, &report, &err), STATUS_DIVERGED,
                "the loss is not finite at step 5 (rows 38 to 46 of epoch 1)");
    CHECK_INT(descent->learner.phase.step, 4);
    learner_close(&descent->learner);
    made_dataset_close(&dataset);
}

/* The last step of an epoch of ten thousand million rows. Each of its rows has the same loss, and
 * what is not in memory has another one. */
static void the_last_rows_of_a_huge_table_are_learned_from(void **state)
{
    enum { LANES = 64, BATCH = 6400 };
    struct dataset dataset = huge_dataset(10000000000 - 7);
    struct jobspec spec = made_spec(&dataset);
    struct descent *descent;
    struct sums sums;
    uint32_t done;
    struct error err;
    (void)state;

    network_params(&spec.params)->hidden_units.count = 0;
    spec.batch_size = BATCH;
    spec.lanes = LANES;
    descent = opened(&spec, &dataset);
    CHECK_INT(descent->learner.steps_total, 3 * 1562500);
    descent->learner.phase.step = 2 * 1562500 - 1;
    descent_describe_phase(descent, &descent->learner.phase);
    CHECK_INT(descent->learner.phase.epoch, 1);
    CHECK_INT(descent->learner.phase.rows, BATCH - 1);
    learned_sums_init(&sums, &descent->learner.phase);
    CHECK_OK(learner_contribute(&descent->learner, LANES - 1, 1, sums.integers, sums.fixed,
                                &sums.rows, &done, &err));
    CHECK_INT(descent->shares[LANES - 1].first + descent->shares[LANES - 1].count,
              descent->lane_rows[LANES - 1]);
    CHECK(descent->shares[LANES - 1].count >= BATCH / LANES - 1);
    CHECK_INT(sums.integers[SUM_LOSS_WHOLE],
              descent->shares[LANES - 1].count * HUGE_LABEL * HUGE_LABEL);
    learned_sums_deinit(&sums);
    learner_close(&descent->learner);
    huge_dataset_close(&dataset);
}

static void an_update_to_infinity_is_seen_at_the_end(void **state)
{
    struct dataset dataset = made_dataset((struct rows_shape){64, 0, 3, 0, 0, 0});
    struct jobspec spec = made_spec(&dataset);
    struct descent *descent;
    struct error err;

    (void)state;
    network_params(&spec.params)->optimizer = OPTIMIZER_SGD;
    network_params(&spec.params)->learning_rate = 1e60;
    spec.max_steps = 1;
    descent = opened(&spec, &dataset);
    CHECK_FAILS(run_job(descent, 1, 0, &err), STATUS_DIVERGED,
                "the model is not finite after step 1");
    learner_close(&descent->learner);
    made_dataset_close(&dataset);
}

/* ---- state ---- */

static void a_saved_state_goes_on_to_the_same_bits(void **state)
{
    (void)state;
    for (int optimizer = 0; optimizer_words[optimizer]; optimizer++) {
        struct dataset dataset = made_dataset((struct rows_shape){90, 30, 4, 2, 8, 3});
        struct jobspec spec = made_spec(&dataset);
        struct descent *whole;
        struct learner_report report;
        struct error err;

        network_params(&spec.params)->optimizer = (enum optimizer_kind)optimizer;
        spec.early_stopping = 2;
        network_params(&spec.params)->dropout = 0.1;
        network_params(&spec.params)->batch_norm = optimizer % 2 == 0;
        network_params(&spec.params)->schedule = SCHEDULE_COSINE;
        whole = opened(&spec, &dataset);
        learn(whole, 1, 0);
        for (uint64_t stop = 0; stop < whole->learner.phase.number; stop += 2) {
            struct descent *first = opened(&spec, &dataset), *second = opened(&spec, &dataset);
            struct text bytes;

            while (first->learner.phase.number < stop)
                CHECK_OK(run_phase(first, 2, 1, &report, &err));
            CHECK_OK(run_phase(second, 1, 0, &report, &err)); /* has a past of its own */
            bytes = saved(first);
            CHECK_OK(load_state(second, text_slice(&bytes), &err));
            assert_memory_equal(&first->learner.phase, &second->learner.phase,
                                sizeof(struct phase));
            learn(second, 3, 2);
            check_same_state(whole, second);
            text_deinit(&bytes);
            learner_close(&first->learner);
            learner_close(&second->learner);
        }
        learner_close(&whole->learner);
        made_dataset_close(&dataset);
    }
}

/* Every cut and every flipped bit of `bytes` is found, and the learner stays as it is. */
static void check_damage(struct descent *descent, struct text bytes)
{
    struct text before = saved(descent);
    struct error err;

    for (size_t size = 0; size < bytes.size; size++)
        CHECK_FAILS(load_state(descent, (struct slice){bytes.data, size}, &err), STATUS_CORRUPT,
                    "state");
    for (size_t i = 0; i < bytes.size; i++) {
        bytes.data[i] ^= 0x10;
        CHECK_FAILS(load_state(descent, text_slice(&bytes), &err), STATUS_CORRUPT, "state");
        bytes.data[i] ^= 0x10;
        check_state(descent, &before);
    }
    CHECK_OK(load_state(descent, text_slice(&bytes), &err));
    check_state(descent, &bytes);
    text_deinit(&before);
}

static void a_damaged_state_is_refused_and_changes_nothing(void **state)
{
    struct dataset dataset = made_dataset((struct rows_shape){40, 10, 2, 0, 0, 2});
    struct jobspec spec = made_spec(&dataset);
    struct descent *descent, *newcomer;
    struct learner_report report;
    struct text bytes;
    struct error err;

    (void)state;
    network_params(&spec.params)->hidden_units.items[0] = 3;
    network_params(&spec.params)->hidden_units.count = 1;
    network_params(&spec.params)->batch_norm = true; /* has slots that no optimizer starts */
    spec.early_stopping = 1;
    descent = opened(&spec, &dataset);
    newcomer = opened(&spec, &dataset);
    CHECK_OK(run_phase(descent, 1, 0, &report, &err));
    bytes = saved(descent);
    check_damage(descent, bytes);
    check_damage(newcomer, bytes); /* which takes it in place of what it started with */
    text_deinit(&bytes);
    learner_close(&descent->learner);
    learner_close(&newcomer->learner);
    made_dataset_close(&dataset);
}

/* A giver that dies half-way must not take what this learner had with it. */
static void a_state_that_is_abandoned_half_way_leaves_the_own_one(void **state)
{
    struct dataset dataset = made_dataset((struct rows_shape){40, 10, 2, 0, 0, 2});
    struct jobspec spec = made_spec(&dataset);
    struct descent *ahead, *whole;
    struct learner_report report;
    struct error err;

    (void)state;
    spec.early_stopping = 3;
    network_params(&spec.params)->optimizer = OPTIMIZER_ADAGRAD; /* slots do not start from 0 */
    ahead = opened(&spec, &dataset);
    whole = opened(&spec, &dataset);
    for (int i = 0; i < 3; i++)
        CHECK_OK(run_phase(ahead, 1, 0, &report, &err));
    learn(whole, 1, 0);
    for (int phases = 0; phases < 2; phases++) {
        struct descent *behind = opened(&spec, &dataset);
        struct text head, before;
        char piece[64];

        for (int i = 0; i < phases; i++)
            CHECK_OK(run_phase(behind, 1, 0, &report, &err));
        before = saved(behind);
        text_init(&head, STATE_BYTES_MAX);
        CHECK_OK(learner_state_head(&ahead->learner, &head, &err));
        CHECK_OK(learner_take_begin(&behind->learner, text_slice(&head),
                                    learner_state_bytes(&ahead->learner), &err));
        for (uint64_t at = 0; at < sizeof piece * 3; at += sizeof piece) {
            learner_state_read(&ahead->learner, at, sizeof piece, piece);
            learner_take_piece(&behind->learner, at, (struct slice){piece, sizeof piece});
        }
        learner_take_abandon(&behind->learner);
        check_state(behind, &before);
        learn(behind, 1, 0);
        check_same_state(whole, behind);
        text_deinit(&head);
        text_deinit(&before);
        learner_close(&behind->learner);
    }
    learner_close(&ahead->learner);
    learner_close(&whole->learner);
    made_dataset_close(&dataset);
}

static void a_state_of_another_job_is_refused(void **state)
{
    struct dataset dataset = made_dataset((struct rows_shape){40, 10, 2, 0, 0, 2});
    struct jobspec spec = made_spec(&dataset), other = spec;
    struct descent *one = opened(&spec, &dataset), *two;
    struct text bytes = saved(one);
    struct error err;

    (void)state;
    other.seed = 6;
    two = opened(&other, &dataset);
    CHECK_FAILS(load_state(two, text_slice(&bytes), &err), STATUS_CORRUPT, "another job");
    learner_close(&two->learner);
    other = spec;
    other.lanes = 4;
    two = opened(&other, &dataset);
    CHECK_FAILS(load_state(two, text_slice(&bytes), &err), STATUS_CORRUPT, "another job");
    learner_close(&two->learner);
    dataset.train.hashes[3].low ^= 1;
    dataset_sum_hashes(&dataset, &dataset.train);
    two = opened(&spec, &dataset);
    CHECK_FAILS(load_state(two, text_slice(&bytes), &err), STATUS_CORRUPT, "another job");
    learner_close(&two->learner);
    text_deinit(&bytes);
    learner_close(&one->learner);
    made_dataset_close(&dataset);
}

/* ---- sizes ---- */

static void what_cannot_be_trained_is_refused_with_the_bytes(void **state)
{
    struct dataset dataset = made_dataset((struct rows_shape){40, 0, 2, 1, 8, 2});
    struct jobspec spec = made_spec(&dataset);
    struct descent *descent;
    struct error err;

    (void)state;
    dataset.transform.id_rows = 3000000; /* words, with 256 units 768 million parameters */
    network_params(&spec.params)->hidden_units.items[0] = 256;
    network_params(&spec.params)->hidden_units.count = 1;
    spec.lanes = 0;
    CHECK_FAILS(open_descent(&spec, &dataset, NULL, &descent, &err), STATUS_LIMIT,
                "768000000 of them for words, needs 24672");
    dataset.transform.id_rows = 600000;
    spec.lanes = 2;
    CHECK_FAILS(open_descent(&spec, &dataset, NULL, &descent, &err), STATUS_LIMIT,
                "the sums of 153601025 parameters are 1228808200 bytes, and workers exchange at "
                "most 1073741824");
    dataset.transform.id_rows = 3000;
    spec.memory = (uint64_t)16 << 20;
    CHECK_FAILS(open_descent(&spec, &dataset, NULL, &descent, &err), STATUS_LIMIT,
                "768000 of them for words, needs 2");
    CHECK(strstr(err.message, "at most 16777216"));
    CHECK(strstr(err.hint, "Raise job.memory. Use smaller model.hidden_units"));
    dataset.transform.id_rows = 8;
    CHECK_OK(open_descent(&spec, &dataset, NULL, &descent, &err));
    learner_close(&descent->learner);
    made_dataset_close(&dataset);
}

/* One function for the planner, which prints them, and the learner, which has them. */
/* The planner's cost of a model is that of its learner. */
static void the_cost_of_a_kind_is_that_of_its_learner(void **state)
{
    static const struct rows_shape shapes[] = {
        {20, 0, 3, 0, 0, 0}, {20, 0, 3, 2, 9, 2}, {20, 0, 0, 2, 9, 3}};
    /* 5 and 4 hidden units */
    static const double multiplications[] = {3 * 5 + 5 * 4 + 4, 5 * 5 + 5 * 4 + 4,
                                             2 * 5 + 5 * 4 + 4 * 3};
    (void)state;

    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct dataset dataset = made_dataset(shapes[i]);
        struct jobspec spec = made_spec(&dataset);
        struct descent *descent;

        network_params(&spec.params)->hidden_units = (struct counts){{5, 4}, 2};
        descent = opened(&spec, &dataset);
        CHECK(descent->cost.parameters == descent->model.parameter_count);
        CHECK(descent->cost.multiplications == multiplications[i]);
        CHECK_INT(descent->cost.slots, 2); /* Adam has two */
        learner_close(&descent->learner);
        made_dataset_close(&dataset);
    }
}

static void lanes_follow_the_batch_and_the_model(void **state)
{
    (void)state;
    CHECK_INT(job_lanes(0, 64, 128, 31999), 8);
    CHECK_INT(job_lanes(0, 64, 128, 32000), 2);
    CHECK_INT(job_lanes(0, 64, 128, 1000000), 1);
    CHECK_INT(job_lanes(0, 64, 10, 100), 1);
    CHECK_INT(job_lanes(0, 64, 4096, 100), 64);
    CHECK_INT(job_lanes(0, 100, 4096, 100), 100);
    CHECK_INT(job_lanes(3, 64, 128, 100), 3);
    CHECK_INT(job_lanes(300, 64, 128, 100), 128);
    CHECK_INT(job_lanes(0, 64, 1000000, JOB_SHARED_PARAMETERS_MAX), 64);
    CHECK_INT(job_lanes(0, 64, 1000000, JOB_SHARED_PARAMETERS_MAX + 1), 1);
}

/* ---- what comes out ---- */

static void there_is_no_model_before_the_end(void **state)
{
    struct dataset dataset = made_dataset((struct rows_shape){40, 0, 2, 0, 0, 2});
    struct jobspec spec = made_spec(&dataset);
    struct descent *descent = opened(&spec, &dataset);
    struct model model;
    struct result_metric metrics[LEARNER_METRICS_MAX];
    size_t count;
    struct error err;

    (void)state;
    CHECK_FAILS(measure_and_export(descent, &model, metrics, &count, &err), STATUS_INVALID,
                "not learned yet");
    learner_close(&descent->learner);
    made_dataset_close(&dataset);
}

static void the_model_scores_as_the_learner_evaluates(void **state)
{
    struct dataset dataset = made_dataset((struct rows_shape){200, 50, 5, 2, 12, 3});
    struct jobspec spec = made_spec(&dataset);
    struct descent *descent;
    struct learner_report report = {0};
    struct model model;
    struct result_metric metrics[LEARNER_METRICS_MAX];
    size_t count;
    struct error err;

    (void)state;
    spec.epochs = 30;
    spec.metrics[0] = SLICE("Accuracy");
    spec.metrics[1] = SLICE("log_loss");
    spec.metric_count = 2;
    descent = opened(&spec, &dataset);
    while (descent->learner.phase.kind != PHASE_DONE)
        CHECK_OK(run_phase(descent, 1, 0, &report, &err));
    CHECK(report.evaluated);
    count = exported(descent, &model, metrics);
    CHECK_INT(count, 3);
    CHECK(fabs(metrics[0].validation - report.validation_loss) < 1e-5);
    CHECK(fabs(metrics[1].validation - report.validation_score) < 1e-9);
    CHECK(metrics[1].train > 0.8);
    CHECK_INT(model.rows, 200);
    CHECK_INT(network_of(&model)->layer_count, 3);
    CHECK_INT(network_of(&model)->layers[0].rows, 5 + 12);
    learner_close(&descent->learner);
    spec.metrics[1] = SLICE("nonsense");
    spec.epochs = 1;
    descent = opened(&spec, &dataset);
    learn(descent, 1, 0);
    CHECK_FAILS(measure_and_export(descent, &model, metrics, &count, &err), STATUS_INVALID,
                "nonsense");
    learner_close(&descent->learner);
    made_dataset_close(&dataset);
}

static void a_linear_regression_finds_the_least_squares(void **state)
{
    struct dataset dataset = made_dataset((struct rows_shape){300, 0, 3, 0, 0, 0});
    const float w[3] = {0.5f, -1.25f, 2};
    struct jobspec spec = made_spec(&dataset);
    struct descent *descent;
    struct model model;
    struct result_metric metrics[LEARNER_METRICS_MAX];

    (void)state;
    network_params(&spec.params)->hidden_units.count = 0;
    spec.epochs = 200;
    network_params(&spec.params)->schedule = SCHEDULE_COSINE;
    show_rows(&dataset);
    for (uint32_t row = 0; row < 300; row++) {
        const float *x = dataset.train.dense + 3 * row;
        dataset.train.values[row] = w[0] * x[0] + w[1] * x[1] + w[2] * x[2] + 0.75f;
    }
    hide_rows(&dataset);
    descent = opened(&spec, &dataset);
    learn(descent, 1, 0);
    (void)exported(descent, &model, metrics);
    for (int j = 0; j < 3; j++)
        CHECK(fabsf(network_of(&model)->layers[0].weights[j] - w[j]) < 1e-4f);
    CHECK(fabsf(network_of(&model)->layers[0].bias[0] - 0.75f) < 1e-4f);
    CHECK(isnan(metrics[0].validation));
    learner_close(&descent->learner);
    made_dataset_close(&dataset);
}

static void class_weights_move_the_border(void **state)
{
    struct dataset dataset = made_dataset((struct rows_shape){100, 0, 1, 0, 0, 2});
    struct jobspec spec = made_spec(&dataset);
    struct descent *descent;
    struct model model;
    struct result_metric metrics[LEARNER_METRICS_MAX];

    (void)state;
    /* The input says nothing: the bias learns the weighted odds, 10 x 9 : 90 x 1. */
    show_rows(&dataset);
    for (uint32_t row = 0; row < 100; row++) {
        dataset.train.dense[row] = 0;
        dataset.train.classes[row] = row < 10;
    }
    hide_rows(&dataset);
    dataset.class_weights[1] = 9;
    network_params(&spec.params)->hidden_units.count = 0;
    spec.batch_size = 100;
    spec.epochs = 1000;
    descent = opened(&spec, &dataset);
    learn(descent, 1, 0);
    (void)exported(descent, &model, metrics);
    CHECK(fabsf(network_of(&model)->layers[0].bias[0]) < 1e-3f);
    learner_close(&descent->learner);
    made_dataset_close(&dataset);
}

/* ---- iris ---- */

#define IRIS_ROWS 150

static void read_iris(struct dataset *dataset)
{
    FILE *file = fopen(TOTRAIN_SOURCE_DIR "/examples/data/iris.csv", "r");
    char line[128];
    double x[4], sum[4] = {0}, squares[4] = {0};

    CHECK(file && fgets(line, sizeof line, file));
    for (uint32_t row = 0; row < IRIS_ROWS; row++) {
        CHECK(fgets(line, sizeof line, file));
        CHECK_INT(sscanf(line, "%lf,%lf,%lf,%lf,%d", &x[0], &x[1], &x[2], &x[3],
                         &dataset->train.classes[row]),
                  5);
        for (int j = 0; j < 4; j++) {
            dataset->train.dense[4 * row + (uint32_t)j] = (float)x[j];
            sum[j] += x[j] / IRIS_ROWS;
            squares[j] += x[j] * x[j] / IRIS_ROWS;
        }
    }
    fclose(file);
    for (uint32_t i = 0; i < 4 * IRIS_ROWS; i++)
        dataset->train.dense[i] = (float)(((double)dataset->train.dense[i] - sum[i % 4]) /
                                          sqrt(squares[i % 4] - sum[i % 4] * sum[i % 4]));
}

static void iris_is_learned_in_120_steps(void **state)
{
    struct dataset dataset = made_dataset((struct rows_shape){IRIS_ROWS, 0, 4, 0, 0, 3});
    struct jobspec spec = made_spec(&dataset);

    (void)state;
    show_rows(&dataset);
    read_iris(&dataset);
    hide_rows(&dataset);
    network_params(&spec.params)->hidden_units.items[0] =
        network_params(&spec.params)->hidden_units.items[1] = 16;
    spec.batch_size = 128;
    spec.epochs = 60;
    spec.metrics[0] = SLICE("Accuracy");
    spec.metric_count = 1;
    for (spec.seed = 0; spec.seed < 5; spec.seed++) {
        struct descent *descent;
        struct model model;
        struct result_metric metrics[LEARNER_METRICS_MAX];

        dataset.seed = spec.seed;
        descent = opened(&spec, &dataset);
        learn(descent, 2, 0);
        (void)exported(descent, &model, metrics);
        CHECK(metrics[1].train >= 0.95);
        learner_close(&descent->learner);
    }
    made_dataset_close(&dataset);
}

/* ---- each for itself: tensors, biases, equal losses ---- */

static void a_penalty_pulls_weights_and_leaves_biases(void **state)
{
    struct dataset dataset = made_dataset((struct rows_shape){40, 0, 3, 2, 8, 0});
    struct jobspec spec = made_spec(&dataset);
    struct descent *descent;
    struct learner_report report;
    struct sums sums;
    struct error err;

    (void)state;
    network_params(&spec.params)->optimizer = OPTIMIZER_SGD;
    network_params(&spec.params)->l1 = network_params(&spec.params)->l2 = 0.5;
    network_params(&spec.params)->learning_rate = 0.1;
    descent = opened(&spec, &dataset);
    for (uint32_t i = 0; i < descent->model.parameter_count; i++)
        descent->arrays.parameters[i] = 1;
    descent_guard_arrays(descent);
    learned_sums_init(&sums, &descent->learner.phase); /* all of the gradient is zero */
    CHECK_OK(learner_apply(&descent->learner,
                           &(struct phase_totals){sums.integers, NULL, sums.reals, &sums.rows},
                           &report, &err));
    for (uint32_t t = 0; t < descent->model.tensor_count; t++) {
        const struct tensor *tensor = &descent->model.tensors[t];

        for (uint32_t i = 0; i < tensor->count; i++)
            CHECK((descent->arrays.parameters[tensor->first + i] == 1) == tensor->is_bias);
    }
    learned_sums_deinit(&sums);
    learner_close(&descent->learner);
    made_dataset_close(&dataset);
}

static void each_tensor_has_a_scale_of_its_own(void **state)
{
    struct dataset dataset = made_dataset((struct rows_shape){40, 0, 3, 2, 8, 3});
    struct jobspec spec = made_spec(&dataset);
    struct descent *descent = opened(&spec, &dataset);
    const struct differentiable *network = &descent->model;
    struct sums same, own;

    (void)state;
    contribute_all(descent, &same);
    learner_resolve(&descent->learner, same.fixed, 0, network->parameter_count, same.reals);
    for (uint32_t t = 0; t < network->tensor_count; t++)
        descent->exponents[t] += 2 * (int32_t)t;
    contribute_all(descent, &own);
    for (uint32_t first = 0; first < network->parameter_count; first += 7) {
        const uint32_t left = network->parameter_count - first;

        learner_resolve(&descent->learner, own.fixed + first, first, left < 7 ? left : 7,
                        own.reals + first);
    }
    for (uint32_t i = 0; i < network->parameter_count; i++)
        CHECK(fabsf(own.reals[i] - same.reals[i]) <= 1e-6f);
    for (uint32_t t = 0; t < network->tensor_count; t++)
        CHECK(fixed_greatest(own.reals + network->tensors[t].first, network->tensors[t].count) > 0);
    learned_sums_deinit(&same);
    learned_sums_deinit(&own);
    learner_close(&descent->learner);
    made_dataset_close(&dataset);
}

/* All rows a step, until nothing is left to learn: lanes cancel each other. */
static void a_converged_step_is_not_computed_twice(void **state)
{
    static const enum optimizer_kind optimizers[] = {OPTIMIZER_SGD, OPTIMIZER_MOMENTUM,
                                                     OPTIMIZER_ADAM};

    (void)state;
    for (int task = 0; task < 2; task++) {
        for (size_t i = 0; i < sizeof optimizers / sizeof *optimizers; i++) {
            struct dataset dataset =
                made_dataset((struct rows_shape){200, 0, 4, 0, 0, task ? 2 : 0});
            struct jobspec spec = made_spec(&dataset);
            struct descent *descent;

            network_params(&spec.params)->hidden_units.count = 0;
            network_params(&spec.params)->optimizer = optimizers[i];
            network_params(&spec.params)->learning_rate = 0.1;
            spec.batch_size = 200;
            spec.lanes = 8;
            spec.epochs = 5000;
            descent = opened(&spec, &dataset);
            learn(descent, 1, 0);
            CHECK_INT(descent->learner.phase.step, 5000);
            CHECK(descent->learner.phase.number - 5000 < 50); /* repeats */
            learner_close(&descent->learner);
            made_dataset_close(&dataset);
        }
    }
}

/* Through sixteen sigmoids the first layers' gradients are below 2^-31 of the last ones'. */
static void a_tensor_whose_gradients_start_tiny_learns(void **state)
{
    struct dataset dataset = made_dataset((struct rows_shape){64, 0, 4, 0, 0, 2});
    struct jobspec spec = made_spec(&dataset);
    struct descent *descent;
    struct text before, after;
    struct learner_report report;
    struct error err;
    const struct differentiable *network;

    (void)state;
    network_params(&spec.params)->hidden_units.count = 16;
    for (uint32_t l = 0; l < 16; l++)
        network_params(&spec.params)->hidden_units.items[l] = 4;
    network_params(&spec.params)->activation = NETWORK_ACTIVATION_SIGMOID;
    spec.epochs = 20;
    descent = opened(&spec, &dataset);
    network = &descent->model;
    before = saved(descent);
    for (int i = 0; i < 20; i++)
        CHECK_OK(run_phase(descent, 1, 0, &report, &err));
    after = saved(descent);
    for (uint32_t t = 0; t < network->tensor_count; t++) {
        const size_t body = before.size - learner_state_bytes(&descent->learner);
        const size_t at = body + network->tensors[t].first * sizeof(float);
        const size_t size = network->tensors[t].count * sizeof(float);

        CHECK(size == 0 || memcmp(before.data + at, after.data + at, size) != 0);
    }
    text_deinit(&before);
    text_deinit(&after);
    learner_close(&descent->learner);
    made_dataset_close(&dataset);
}

static void a_loss_that_stays_equal_is_no_improvement(void **state)
{
    struct dataset dataset = made_dataset((struct rows_shape){40, 20, 3, 0, 0, 2});
    struct jobspec spec = made_spec(&dataset);
    struct descent *descent;
    struct learner_report report;
    struct error err;
    uint32_t evaluations = 0;

    (void)state;
    network_params(&spec.params)->optimizer = OPTIMIZER_SGD;
    network_params(&spec.params)->learning_rate = 0;
    spec.epochs = 50;
    spec.early_stopping = 3;
    descent = opened(&spec, &dataset);
    while (descent->learner.phase.kind != PHASE_DONE) {
        CHECK_OK(run_phase(descent, 1, 0, &report, &err));
        if (!report.evaluated)
            continue;
        CHECK_INT(report.improved, evaluations == 0);
        evaluations++;
    }
    CHECK_INT(evaluations, 1 + 3);
    learner_close(&descent->learner);
    made_dataset_close(&dataset);
}

static void an_evaluation_that_is_not_finite_fails(void **state)
{
    struct dataset dataset = made_dataset((struct rows_shape){40, 20, 3, 0, 0, 0});
    struct jobspec spec = made_spec(&dataset);
    struct descent *descent;
    struct error err;

    (void)state;
    show_rows(&dataset);
    dataset.validation.values[7] = NAN;
    hide_rows(&dataset);
    descent = opened(&spec, &dataset);
    CHECK_FAILS(run_job(descent, 2, 0, &err), STATUS_DIVERGED, "the validation loss is not finite");
    learner_close(&descent->learner);
    made_dataset_close(&dataset);
}

/* ---- rows are there while they are needed ---- */

static void a_learner_holds_rows_of_the_phase_alone(void **state)
{
    struct dataset dataset = made_dataset((struct rows_shape){400, 100, 3, 2, 8, 3});
    struct jobspec spec = made_spec(&dataset);
    struct descent *descent = opened(&spec, &dataset);
    struct learner_report report;
    struct error err;
    bool is_done;

    (void)state;
    CHECK_INT(held_rows(&dataset, &dataset.train), 0);
    while (descent->learner.phase.kind != PHASE_DONE) {
        const bool learns = descent->learner.phase.kind == PHASE_LEARN;

        CHECK_OK(run_phase(descent, 3, 1, &report, &err));
        CHECK_INT(held_rows(&dataset, &dataset.train), learns ? 400 : 0); /* a bucket a lane */
        CHECK_INT(held_rows(&dataset, &dataset.validation), 0);
    }
    do
        CHECK_OK(learner_measure(&descent->learner, &is_done, &err));
    while (!is_done);
    CHECK_INT(held_rows(&dataset, &dataset.train), 0);
    CHECK_INT(held_rows(&dataset, &dataset.validation), 0);
    learner_restart(&descent->learner);
    CHECK_OK(run_phase(descent, 3, 1, &report, &err));
    CHECK_INT(held_rows(&dataset, &dataset.train), 400);
    learner_close(&descent->learner);
    CHECK_INT(held_rows(&dataset, &dataset.train), 0);
    made_dataset_close(&dataset);
}

/* Nothing is evaluated after the last step. */
static void a_model_is_measured_without_training_rows(void **state)
{
    struct dataset dataset = made_dataset((struct rows_shape){400, 0, 3, 2, 8, 3});
    struct jobspec spec = made_spec(&dataset);
    struct descent *descent = opened(&spec, &dataset);
    struct error err;
    bool is_done;

    (void)state;
    learn(descent, 1, 0);
    CHECK_INT(held_rows(&dataset, &dataset.train), 0); /* they went with the last step */
    do {
        CHECK_OK(learner_measure(&descent->learner, &is_done, &err));
        CHECK_INT(held_rows(&dataset, &dataset.train), 0);
    } while (!is_done);
    learner_close(&descent->learner);
    made_dataset_close(&dataset);
}

/* 48 KB each: 14 MB of them. */
static void rows_of_validation_are_measured_some_at_a_time(void **state)
{
    enum { ROWS = 300, DENSE = 12000 };
    struct dataset dataset = made_dataset((struct rows_shape){20, ROWS, DENSE, 0, 0, 2});
    struct jobspec spec = made_spec(&dataset);
    struct result_metric metrics[LEARNER_METRICS_MAX];
    uint32_t most = 0, held;
    struct descent *descent;
    struct model model;
    struct error err;
    bool is_done;

    (void)state;
    network_params(&spec.params)->hidden_units.count = 0;
    spec.epochs = 1;
    spec.metrics[0] = SLICE("Accuracy");
    spec.metric_count = 1;
    descent = opened(&spec, &dataset);
    learn(descent, 1, 0);
    do {
        CHECK_OK(learner_measure(&descent->learner, &is_done, &err));
        held = held_rows(&dataset, &dataset.validation);
        most = held > most ? held : most;
        CHECK_INT(held_rows(&dataset, &dataset.train), 0);
    } while (!is_done);
    CHECK(most > 0 && most < ROWS / 2);
    CHECK_INT(held, 0);
    (void)exported(descent, &model, metrics);
    CHECK(metrics[1].validation * ROWS == round(metrics[1].validation * ROWS)); /* on all */
    CHECK(isfinite(metrics[0].validation));
    learner_close(&descent->learner);
    made_dataset_close(&dataset);
}

/* Contributes all lanes, in calls with as many as the learner wants. */
static enum status contribute_some(struct descent *descent, struct error *err)
{
    struct sums sums;
    enum status status;
    uint32_t done;

    learned_sums_init(&sums, &descent->learner.phase);
    status = learner_contribute(&descent->learner, 0, descent->learner.lanes, sums.integers,
                                sums.fixed, &sums.rows, &done, err);
    learned_sums_deinit(&sums);
    return status;
}

static void rows_that_cannot_be_read_fail_what_needs_them(void **state)
{
    static const enum phase_kind kinds[] = {PHASE_LEARN, PHASE_EVALUATION, PHASE_DONE};
    (void)state;

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct dataset dataset = made_dataset((struct rows_shape){60, 20, 3, 0, 0, 2});
        struct jobspec spec = made_spec(&dataset);
        struct descent *descent = opened(&spec, &dataset);
        enum status status = STATUS_OK;
        struct learner_report report;
        bool is_done = false;
        struct error err;

        while (descent->learner.phase.kind != kinds[i])
            CHECK_OK(run_phase(descent, 2, 0, &report, &err));
        lose_rows_after(&dataset, kinds[i] == PHASE_EVALUATION); /* the first lane is there */
        while (kinds[i] == PHASE_DONE && status == STATUS_OK && !is_done)
            status = learner_measure(&descent->learner, &is_done, &err);
        if (kinds[i] != PHASE_DONE)
            status = contribute_some(descent, &err);
        CHECK_FAILS(status, STATUS_IO, "cannot be read");
        CHECK_INT(held_rows(&dataset, &dataset.validation), 0);
        learner_close(&descent->learner);
        made_dataset_close(&dataset);
    }
}

/* Sets number, kind and step of the phase in a saved state's head, at these offsets
 * (descent_state.c). */
static void put_phase(struct text *state, uint64_t number, uint32_t kind, uint64_t step)
{
    char *head = state->data + sizeof(uint32_t);
    uint32_t size;
    uint64_t hash;

    memcpy(&size, state->data, sizeof size);
    memcpy(head + 20, &number, sizeof number);
    memcpy(head + 28, &kind, sizeof kind);
    memcpy(head + 32, &step, sizeof step);
    hash = bytes_hash(head, size - sizeof hash, 0);
    memcpy(head + size - sizeof hash, &hash, sizeof hash);
}

static void a_state_whose_phase_cannot_be_is_refused(void **state)
{
    static const struct {
        uint64_t number;
        uint32_t kind;
        uint64_t step;
        bool is_possible;
    } cases[] = {
        {0, PHASE_LEARN, 0, true},
        {1, PHASE_LEARN, 1, true},
        {2, PHASE_EVALUATION, 2, true},
        {9, PHASE_DONE, 6, true},
        {0, PHASE_LEARN, 1, false},
        {0, PHASE_EVALUATION, 0, false},
        {1, PHASE_EVALUATION, 1, false},
        {9, PHASE_LEARN, 6, false},
        {9, PHASE_LEARN, 7, false},
        {9, PHASE_DONE, 7, false},
        {0, PHASE_DONE, 0, false},
        {4, PHASE_DONE, 4, false},
        {9, PHASE_EVALUATION, 7, false},
        {0, PHASE_DONE + 1, 0, false},
        {UINT64_MAX, PHASE_LEARN, UINT64_MAX, false},
    };
    struct dataset dataset = made_dataset((struct rows_shape){40, 10, 2, 0, 0, 2});
    struct jobspec spec = made_spec(&dataset);
    struct descent *descent = opened(&spec, &dataset);
    struct text bytes = saved(descent);
    struct error err;

    (void)state;
    CHECK_INT(descent->learner.steps_total, 6); /* two steps an epoch, then an evaluation */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put_phase(&bytes, cases[i].number, cases[i].kind, cases[i].step);
        if (cases[i].is_possible)
            CHECK_OK(load_state(descent, text_slice(&bytes), &err));
        else
            CHECK_FAILS(load_state(descent, text_slice(&bytes), &err), STATUS_CORRUPT,
                        "its place in the job does not exist");
    }
    text_deinit(&bytes);
    learner_close(&descent->learner);
    made_dataset_close(&dataset);
}

static void a_state_of_another_version_is_refused(void **state)
{
    struct dataset dataset = made_dataset((struct rows_shape){40, 0, 2, 0, 0, 2});
    struct jobspec spec = made_spec(&dataset);
    struct descent *descent = opened(&spec, &dataset);
    struct text bytes = saved(descent);
    struct error err;
    (void)state;

    bytes.data[sizeof(uint32_t) + sizeof(uint64_t)]--; /* behind its size and the magic number */
    put_phase(&bytes, 0, PHASE_LEARN, 0);              /* and its hash */
    CHECK_FAILS(load_state(descent, text_slice(&bytes), &err), STATUS_CORRUPT,
                "another version of totrain wrote it");
    text_deinit(&bytes);
    learner_close(&descent->learner);
    made_dataset_close(&dataset);
}

/* The only settings that may be others when a state is taken. */
static bool changes_no_bits(const struct attribute *attribute)
{
    static const char *const names[] = {"train.log_every_n_iter",
                                        "job.min_workers",
                                        "job.max_workers",
                                        "job.threads",
                                        "job.memory",
                                        "job.ps_memory",
                                        "job.checkpoint_seconds",
                                        "train.save_checkpoints_steps"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], attribute->name) == 0)
            return true;
    return false;
}

/* The state of a job belongs to one with another value where the bits depend on it, and only
 * there. */
static void check_other_value(const struct attribute *attribute, bool is_of_kind,
                              const struct jobspec *spec, struct dataset *dataset,
                              const struct text *bytes)
{
    struct jobspec other = *spec;
    struct descent *descent;
    struct error err;

    set_other_value(attribute, is_of_kind ? (void *)other.params.bytes : &other);
    descent = opened(&other, dataset);
    if (changes_no_bits(attribute))
        CHECK_OK(load_state(descent, text_slice(bytes), &err));
    else
        CHECK_FAILS(load_state(descent, text_slice(bytes), &err), STATUS_CORRUPT, "another job");
    learner_close(&descent->learner);
}

static void every_setting_that_changes_the_bits_makes_it_another_job(void **state)
{
    const struct attribute_table *const tables[] = {&job_attributes, network_kind.attributes};
    struct dataset dataset = made_dataset((struct rows_shape){40, 10, 2, 0, 0, 2});
    struct jobspec spec = made_spec(&dataset);
    struct descent *descent = opened(&spec, &dataset);
    struct text bytes = saved(descent);
    (void)state;

    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
        for (size_t i = 0; i < tables[t]->count; i++) {
            const struct attribute *attribute = &tables[t]->rows[i];

            if (attribute->member)
                check_other_value(attribute, t > 0, &spec, &dataset, &bytes);
        }
    }
    text_deinit(&bytes);
    learner_close(&descent->learner);
    made_dataset_close(&dataset);
}

static void a_kind_that_nothing_learns_is_refused(void **state)
{
    struct dataset dataset = made_dataset((struct rows_shape){10, 0, 2, 0, 0, 2});
    struct jobspec spec = made_spec(&dataset);
    struct descent *descent;
    struct error err;
    (void)state;

    spec.family = SLICE("orchard");
    CHECK_FAILS(open_descent(&spec, &dataset, NULL, &descent, &err), STATUS_INVALID,
                "there is no learner for models of kind \"orchard\"");
    made_dataset_close(&dataset);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_give_the_same_sums_in_any_order_and_repeatedly),
        cmocka_unit_test(a_job_learns_the_same_bits_with_any_workers),
        cmocka_unit_test(a_team_gives_the_sums_of_one_thread),
        cmocka_unit_test(the_result_depends_neither_on_the_team_nor_on_the_calls),
        cmocka_unit_test(a_team_that_changes_leaves_no_trace),
        cmocka_unit_test(a_change_of_the_team_leaves_what_was_measured),
        cmocka_unit_test(without_shuffle_the_number_of_lanes_changes_no_more_than_rounding),
        cmocka_unit_test(lanes_follow_from_batch_and_parameters),
        cmocka_unit_test(small_tables_of_classes_have_another_activation),
        cmocka_unit_test(automatic_epochs_make_enough_steps),
        cmocka_unit_test(a_learner_makes_numbers_of_what_is_automatic),
        cmocka_unit_test(steps_epochs_and_evaluations_follow_the_plan),
        cmocka_unit_test(every_row_counts_once_an_epoch),
        cmocka_unit_test(early_stopping_gives_the_best_model),
        cmocka_unit_test(an_early_stop_is_followed_by_the_cool_down),
        cmocka_unit_test(a_job_starts_from_the_weights_of_an_old_model),
        cmocka_unit_test(a_job_whose_time_is_over_ends_with_the_step),
        cmocka_unit_test(a_model_tells_the_steps_that_it_made),
        cmocka_unit_test(a_step_that_overflows_is_asked_again),
        cmocka_unit_test(a_diverging_job_fails_naming_step_and_rows),
        cmocka_unit_test(the_named_rows_are_those_of_the_step),
        cmocka_unit_test(the_last_rows_of_a_huge_table_are_learned_from),
        cmocka_unit_test(an_update_to_infinity_is_seen_at_the_end),
        cmocka_unit_test(a_saved_state_goes_on_to_the_same_bits),
        cmocka_unit_test(a_damaged_state_is_refused_and_changes_nothing),
        cmocka_unit_test(a_state_that_is_abandoned_half_way_leaves_the_own_one),
        cmocka_unit_test(a_state_of_another_job_is_refused),
        cmocka_unit_test(what_cannot_be_trained_is_refused_with_the_bytes),
        cmocka_unit_test(the_cost_of_a_kind_is_that_of_its_learner),
        cmocka_unit_test(lanes_follow_the_batch_and_the_model),
        cmocka_unit_test(there_is_no_model_before_the_end),
        cmocka_unit_test(the_model_scores_as_the_learner_evaluates),
        cmocka_unit_test(a_linear_regression_finds_the_least_squares),
        cmocka_unit_test(class_weights_move_the_border),
        cmocka_unit_test(iris_is_learned_in_120_steps),
        cmocka_unit_test(a_penalty_pulls_weights_and_leaves_biases),
        cmocka_unit_test(each_tensor_has_a_scale_of_its_own),
        cmocka_unit_test(a_converged_step_is_not_computed_twice),
        cmocka_unit_test(a_tensor_whose_gradients_start_tiny_learns),
        cmocka_unit_test(a_loss_that_stays_equal_is_no_improvement),
        cmocka_unit_test(an_evaluation_that_is_not_finite_fails),
        cmocka_unit_test(a_learner_holds_rows_of_the_phase_alone),
        cmocka_unit_test(a_model_is_measured_without_training_rows),
        cmocka_unit_test(rows_of_validation_are_measured_some_at_a_time),
        cmocka_unit_test(rows_that_cannot_be_read_fail_what_needs_them),
        cmocka_unit_test(a_state_whose_phase_cannot_be_is_refused),
        cmocka_unit_test(a_state_of_another_version_is_refused),
        cmocka_unit_test(every_setting_that_changes_the_bits_makes_it_another_job),
        cmocka_unit_test(a_kind_that_nothing_learns_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
