/*
 * Graphs as descent learns them: the same bits with any number of workers, states that go on,
 * the cost that is planned, and scoring as in learning.
 */
#include <math.h>
#include <stdlib.h>

#include "inputs/encoders.h"
#include "kinds/graph/graph_model.h"
#include "kinds/network/network_attributes.h"
#include "tests/check.h"
#include "tests/unit/learn_rows.h"
#include "tests/unit/made_graph.h"

#define DENSE   5
#define IDS     2
#define ID_ROWS 12

struct fixture {
    struct dataset dataset;
    struct transform_input inputs[DENSE + IDS];
    struct arena arena;
    struct graph graph;
    struct jobspec spec;
};

/* Five numbers x, and two categories of six words each. */
static void name_inputs(struct fixture *fixture)
{
    for (uint32_t i = 0; i < DENSE + IDS; i++) {
        struct transform_input *input = &fixture->inputs[i];

        input->spec.name = i < DENSE ? SLICE("x") : i == DENSE ? SLICE("plan") : SLICE("city");
        input->spec.type = i < DENSE ? INPUT_NUMERIC : INPUT_CATEGORY;
        input->spec.rule = i < DENSE ? RULE_WORDS : RULE_HASH;
        input->hash_buckets = i < DENSE ? 0 : ID_ROWS / IDS - 1;
        input->encoder = encoder_of(&input->spec);
    }
    fixture->dataset.transform.inputs = fixture->inputs;
    fixture->dataset.transform.input_count = DENSE + IDS;
}

/* All that there is: sums of numbers and words, embeddings, dropout, numbers beside them. */
static void call_operations(struct graph *graph)
{
    const uint32_t numbers = made_call(graph, "numbers", NULL, 0);
    const uint32_t words = made_call(graph, "words", NULL, 0);
    const uint32_t plan = CALL(graph, "column", text_of("plan"));
    const uint32_t wide = CALL(graph, "dense", node_of(numbers), node_of(words), number_of(8));
    const uint32_t deep = CALL(graph, "embedding", node_of(plan), number_of(3));
    const uint32_t hidden =
        CALL(graph, "dropout", node_of(CALL(graph, "relu", node_of(wide))), number_of(0.2));
    const uint32_t all = CALL(graph, "concat", node_of(hidden), node_of(deep), node_of(numbers));
    const uint32_t top =
        CALL(graph, "gelu", node_of(CALL(graph, "dense", node_of(all), number_of(6))));

    made_end(graph, CALL(graph, "dense", node_of(top), number_of(GRAPH_OUTPUTS)));
}

/* A code of the numbers, and how far what it gives back is from them. */
static void call_code(struct graph *graph)
{
    struct error err;
    const uint32_t numbers = made_call(graph, "numbers", NULL, 0);
    const uint32_t plan =
        CALL(graph, "embedding", node_of(CALL(graph, "column", text_of("plan"))), number_of(2));
    const uint32_t code =
        CALL(graph, "dense", node_of(CALL(graph, "concat", node_of(numbers), node_of(plan))),
             number_of(3));
    const uint32_t given = CALL(graph, "dense", node_of(CALL(graph, "tanh", node_of(code))),
                                number_of(GRAPH_WIDTH_OF(numbers)));
    const uint32_t lost = CALL(graph, "subtract", node_of(numbers), node_of(given));
    const uint32_t loss =
        CALL(graph, "mean", node_of(CALL(graph, "multiply", node_of(lost), node_of(lost))));

    made_end(graph, code);
    CHECK_OK(graph_minimise(graph, loss, &err));
}

static void open_classes(struct fixture *fixture, uint32_t classes)
{
    *fixture = (struct fixture){
        .dataset = made_dataset((struct rows_shape){150, 40, DENSE, IDS, ID_ROWS, classes})};
    name_inputs(fixture);
    arena_init(&fixture->arena, 1 << 24);
    graph_begin(&fixture->graph, &fixture->arena);
    call_operations(&fixture->graph);
    fixture->spec = made_spec(&fixture->dataset);
    fixture->spec.estimator = SLICE("zoo/test");
    fixture->spec.family = SLICE("graph");
    fixture->spec.graph = &fixture->graph;
    network_params(&fixture->spec.params)->hidden_units.count = 0;
}

static void close_classes(struct fixture *fixture)
{
    fixture->dataset.transform.inputs = NULL;
    made_dataset_close(&fixture->dataset);
    arena_deinit(&fixture->arena);
}

static struct descent *opened(const struct fixture *fixture)
{
    struct descent *descent;
    struct error err;

    CHECK_OK(open_descent(&fixture->spec, &fixture->dataset, NULL, &descent, &err));
    return descent;
}

static void check_same_state(struct descent *a, struct descent *b)
{
    struct text x, y;

    text_init(&x, 1 << 24);
    text_init(&y, 1 << 24);
    save_state(a, &x);
    save_state(b, &y);
    CHECK_INT(x.size, y.size);
    assert_memory_equal(x.data, y.data, x.size);
    text_deinit(&x);
    text_deinit(&y);
}

static void a_graph_learns_the_same_bits_with_any_workers(void **state)
{
    (void)state;
    for (uint32_t classes = 0; classes <= 3; classes++) {
        struct fixture fixture;
        struct descent *one, *many;
        struct error err;

        if (classes == 1)
            continue;
        open_classes(&fixture, classes);
        one = opened(&fixture);
        CHECK_OK(run_job(one, 1, 0, &err));
        for (uint32_t workers = 2; workers <= 3; workers++) {
            many = opened(&fixture);
            CHECK_OK(run_job(many, workers, workers + 1, &err));
            check_same_state(one, many);
            learner_close(&many->learner);
        }
        learner_close(&one->learner);
        close_classes(&fixture);
    }
}

static void open_code(struct fixture *fixture)
{
    open_classes(fixture, 0);
    graph_begin(&fixture->graph, &fixture->arena);
    call_code(&fixture->graph);
    fixture->spec.task = TASK_PROJECTION;
    fixture->spec.label = (struct slice){"", 0};
}

static void a_loss_of_its_own_is_learned_with_the_same_bits(void **state)
{
    struct fixture fixture;
    struct descent *one, *many;
    struct error err;

    (void)state;
    open_code(&fixture);
    one = opened(&fixture);
    many = opened(&fixture);
    CHECK_OK(run_job(one, 1, 0, &err));
    CHECK_OK(run_job(many, 3, 5, &err));
    check_same_state(one, many);
    learner_close(&many->learner);
    learner_close(&one->learner);
    close_classes(&fixture);
}

/* The mean of the rows' losses, which lie behind what is returned. */
static void a_loss_is_measured_as_the_learner_evaluates_it(void **state)
{
    struct fixture fixture;
    struct descent *descent;
    struct learner_report report = {0};
    struct model model;
    struct result_metric metrics[LEARNER_METRICS_MAX];
    double first = 0;
    size_t count;
    struct error err;

    (void)state;
    open_code(&fixture);
    fixture.spec.epochs = 40;
    fixture.spec.metrics[0] = SLICE("Loss");
    fixture.spec.metric_count = 1;
    descent = opened(&fixture);
    while (descent->learner.phase.kind != PHASE_DONE) {
        CHECK_OK(run_phase(descent, 1, 0, &report, &err));
        first = first > 0 ? first : report.train_loss;
    }
    CHECK(report.evaluated);
    CHECK_OK(measure_and_export(descent, &model, metrics, &count, &err));
    CHECK_INT(model.components, 3);
    CHECK_INT(model_outputs(&model), 4);
    CHECK(fabs(metrics[0].validation - report.validation_loss) < 1e-6);
    CHECK(fabs(metrics[1].validation - report.validation_loss) < 1e-6);
    CHECK(metrics[1].train < first / 2);
    learner_close(&descent->learner);
    close_classes(&fixture);
}

static void the_model_scores_as_the_learner_evaluates(void **state)
{
    struct fixture fixture;
    struct descent *descent;
    struct learner_report report = {0};
    struct model model;
    struct result_metric metrics[LEARNER_METRICS_MAX];
    size_t count;
    struct error err;

    (void)state;
    open_classes(&fixture, 3);
    fixture.spec.epochs = 40;
    fixture.spec.metrics[0] = SLICE("Accuracy");
    fixture.spec.metrics[1] = SLICE("log_loss");
    fixture.spec.metric_count = 2;
    descent = opened(&fixture);
    while (descent->learner.phase.kind != PHASE_DONE)
        CHECK_OK(run_phase(descent, 1, 0, &report, &err));
    CHECK(report.evaluated);
    CHECK_OK(measure_and_export(descent, &model, metrics, &count, &err));
    CHECK(fabs(metrics[0].validation - report.validation_loss) < 1e-6);
    CHECK(fabs(metrics[1].validation - report.validation_score) < 1e-9);
    CHECK(metrics[1].train > 0.85);
    CHECK_INT(graph_model_of(&model)->graph->floats, descent->model.parameter_count);
    learner_close(&descent->learner);
    close_classes(&fixture);
}

static void the_cost_is_that_of_the_graph(void **state)
{
    struct fixture fixture;
    struct descent *descent;

    (void)state;
    open_classes(&fixture, 3);
    descent = opened(&fixture);
    CHECK(descent->cost.parameters == descent->model.parameter_count);
    CHECK_INT(descent->model.parameter_count,
              DENSE * 8 + 8 + (8 + 3 + DENSE) * 6 + 6 + 6 * 3 + 3 + ID_ROWS * (8 + 3));
    CHECK(descent->cost.multiplications == (DENSE + IDS) * 8 + (8 + 3 + DENSE) * 6 + 6 * 3);
    learner_close(&descent->learner);
    close_classes(&fixture);
}

static void a_graph_that_does_not_fit_the_rows_is_refused(void **state)
{
    struct fixture fixture;
    struct descent *descent;
    struct error err;

    (void)state;
    open_classes(&fixture, 3);
    graph_begin(&fixture.graph, &fixture.arena);
    made_end(&fixture.graph,
             CALL(&fixture.graph, "dense", node_of(made_call(&fixture.graph, "numbers", NULL, 0)),
                  number_of(4)));
    CHECK_FAILS(open_descent(&fixture.spec, &fixture.dataset, NULL, &descent, &err), STATUS_INVALID,
                "has the shape (4), and the label asks for (3)");
    CHECK_INT(err.position, -1);
    close_classes(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_graph_learns_the_same_bits_with_any_workers),
        cmocka_unit_test(a_loss_of_its_own_is_learned_with_the_same_bits),
        cmocka_unit_test(a_loss_is_measured_as_the_learner_evaluates_it),
        cmocka_unit_test(the_model_scores_as_the_learner_evaluates),
        cmocka_unit_test(the_cost_is_that_of_the_graph),
        cmocka_unit_test(a_graph_that_does_not_fit_the_rows_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
