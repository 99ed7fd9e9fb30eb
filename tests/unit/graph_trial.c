#include "tests/unit/graph_trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "graph/graph_infer.h"
#include "tests/check.h"

#define TOLERANCE 2e-3

/* 12 numbers; plan and city are categories of 4 and 6 words, tags a text of up to 3 of 5. */
static const struct graph_column columns[] = {
    {.name = {"x", 1}, .dense = 0, .dense_count = FEATURES},
    {.name = {"plan", 4}, .ids = 0, .id_count = 1, .first_row = 0, .rows = 4},
    {.name = {"city", 4}, .ids = 1, .id_count = 1, .first_row = 4, .rows = 6},
    {.name = {"tags", 4},
     .ids = 2,
     .id_count = 3,
     .first_row = 10,
     .rows = 5,
     .is_text = true,
     .combiner = COMBINER_MEAN},
};
const struct graph_row trial_row = {columns, 4, FEATURES, IDS, 15, OUTPUTS, false};
const int32_t trial_ids[ROWS][IDS] = {
    {0, 4, 10, 12, -1}, {1, 5, 11, -1, -1}, {-1, 9, -1, -1, -1}, {3, -1, 10, 11, 14},
    {0, 6, 13, -1, -1}, {2, 7, 12, 14, -1}, {1, 4, 14, -1, -1},
};

int open_fixture(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);

    fixture->difference = DIFFERENCE;
    arena_init(&fixture->arena, 1 << 24);
    graph_begin(&fixture->graph, &fixture->arena);
    *state = fixture;
    return 0;
}

int close_fixture(void **state)
{
    struct fixture *fixture = *state;

    graph_room_close(&fixture->room);
    touched_rows_deinit(&fixture->touched);
    arena_deinit(&fixture->arena);
    free(fixture->parameters);
    free(fixture->transposed);
    free(fixture->gradient);
    free(fixture);
    return 0;
}

static float random_float(uint32_t what, uint32_t i)
{
    return (float)(2 * random_uniform(3, RANDOM_SIMULATION, what, i) - 1);
}

void finish(struct fixture *fixture, uint32_t value)
{
    struct graph *graph = &fixture->graph;
    const uint32_t flat = CALL(graph, "flatten", node_of(value));
    struct error err;

    made_end(graph, CALL(graph, "dense", node_of(flat), number_of(GRAPH_OUTPUTS)));
    CHECK_OK(graph_infer(graph, &trial_row, &err));
    CHECK_OK(graph_plan_make(graph, ROWS, true, &fixture->arena, &fixture->plan, &err));
    CHECK_OK(graph_room_open(&fixture->room, graph, &fixture->plan, &err));
    CHECK_OK(touched_rows_make(&fixture->touched, trial_row.id_rows, &err));
    fixture->parameters = calloc(graph->floats, sizeof(float));
    fixture->gradient = calloc(graph->floats, sizeof(float));
    fixture->transposed = calloc(graph->transposed + 1, sizeof(float));
    for (uint32_t i = 0; i < graph->floats; i++)
        fixture->parameters[i] = 0.5f * random_float(0, i);
    for (uint32_t i = 0; i < ROWS * FEATURES; i++)
        fixture->features[i] = random_float(1, i);
    for (uint32_t i = 0; i < ROWS * OUTPUTS; i++)
        fixture->weights[i] = random_float(2, i);
}

static struct graph_rows rows_of(const struct fixture *fixture, uint32_t first, uint32_t n)
{
    return (struct graph_rows){.features = fixture->features + (size_t)first * FEATURES,
                               .ids = trial_ids[first],
                               .n = n,
                               .learns = true,
                               .share = 1,
                               .seed = 1,
                               .step = 2,
                               .position = first};
}

/* The sum of the outputs, each with its weight. */
static double loss_of(const struct fixture *fixture)
{
    const struct graph_rows rows = rows_of(fixture, 0, ROWS);
    const float *outputs = graph_forward(&fixture->room, fixture->parameters, &rows);
    double loss = 0;

    for (uint32_t i = 0; i < ROWS * OUTPUTS; i++)
        loss += (double)outputs[i] * (double)fixture->weights[i];
    return loss;
}

static void go_back(const struct fixture *fixture)
{
    const struct graph_rows rows = rows_of(fixture, 0, ROWS);

    graph_transpose(&fixture->graph, fixture->parameters, fixture->transposed);
    (void)loss_of(fixture);
    memcpy(graph_delta(&fixture->room), fixture->weights, sizeof fixture->weights);
    graph_backward(&fixture->room, fixture->parameters, fixture->transposed, &rows,
                   fixture->gradient, (struct touched_rows *)(uintptr_t)&fixture->touched);
}

/* The gradient of a parameter: rows of the table lie where they were touched. */
static double gradient_of(const struct fixture *fixture, uint32_t i)
{
    const struct graph *graph = &fixture->graph;
    const struct graph_parameter *table =
        graph->table == GRAPH_NONE ? NULL : &graph->parameters[graph->table];
    uint32_t id, place;

    if (!table || i < table->first)
        return (double)fixture->gradient[i];
    id = (i - table->first) / table->width;
    if (!touched_rows_has(&fixture->touched, id))
        return 0;
    place = touched_rows_place(&fixture->touched, id);
    return (double)
        fixture->gradient[table->first + place * table->width + (i - table->first) % table->width];
}

/* A running number, whose gradient is none of the loss? */
static bool is_statistic(const struct graph *graph, uint32_t i)
{
    for (uint32_t p = 0; p < graph->parameter_count; p++) {
        const struct graph_parameter *parameter = &graph->parameters[p];

        if (parameter->is_statistic && i >= parameter->first &&
            i < parameter->first + parameter->rows * parameter->width)
            return true;
    }
    return false;
}

void check_gradient(struct fixture *fixture)
{
    go_back(fixture);
    for (uint32_t i = 0; i < fixture->graph.floats; i++) {
        const float before = fixture->parameters[i];
        const double gradient = gradient_of(fixture, i);
        double difference;

        if (is_statistic(&fixture->graph, i))
            continue;
        fixture->parameters[i] = before + (float)fixture->difference;
        difference = loss_of(fixture);
        fixture->parameters[i] = before - (float)fixture->difference;
        difference = (difference - loss_of(fixture)) / (2 * fixture->difference);
        fixture->parameters[i] = before;
        if (!(fabs(difference - gradient) <= TOLERANCE * (1 + fabs(difference))))
            check_failed("parameter %u: the gradient is %g, and differences say %g", i, gradient,
                         difference);
    }
}

void check_rows(const struct fixture *fixture)
{
    const struct graph_rows all = rows_of(fixture, 0, ROWS);
    float together[ROWS * OUTPUTS];

    memcpy(together, graph_forward(&fixture->room, fixture->parameters, &all), sizeof together);
    for (uint32_t i = 0; i < ROWS; i++) {
        const struct graph_rows one = rows_of(fixture, i, 1);
        const float *alone = graph_forward(&fixture->room, fixture->parameters, &one);

        assert_memory_equal(alone, together + (size_t)i * OUTPUTS, OUTPUTS * sizeof *alone);
    }
}

void check_operation(struct fixture *fixture, uint32_t value)
{
    finish(fixture, value);
    check_gradient(fixture);
    check_rows(fixture);
}

uint32_t array_of(struct graph *graph, uint32_t size)
{
    return CALL(graph, "dense", node_of(made_call(graph, "numbers", NULL, 0)), number_of(size));
}

uint32_t shaped(struct graph *graph, double a, double b, double c)
{
    const uint32_t flat = array_of(graph, (uint32_t)(a * b * c));

    return CALL(graph, "reshape", node_of(flat), LIST_OF(a, b, c));
}

uint32_t table_of(struct graph *graph, double a, double b)
{
    return CALL(graph, "reshape", node_of(array_of(graph, (uint32_t)(a * b))), LIST_OF(a, b));
}

double state_of(const struct fixture *fixture, const float *features)
{
    const struct graph_rows rows = {.features = features, .n = 1};

    return (double)*graph_forward(&fixture->room, fixture->parameters, &rows);
}
