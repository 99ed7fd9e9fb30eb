/*
 * Attention, norms over rows, products, choices and what else is no plain layer: by gradients
 * against differences, by rows alone against rows together, and by numbers from elsewhere.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph/graph_infer.h"
#include "tests/check.h"
#include "tests/unit/graph_trial.h"

static uint32_t flat(struct graph *graph, uint32_t node)
{
    return CALL(graph, "flatten", node_of(node));
}

/* The numbers 0, .1, ... of one row, in that shape. */
static uint32_t numbers_in(struct graph *graph, double a, double b)
{
    return CALL(graph, "reshape", node_of(made_call(graph, "numbers", NULL, 0)), LIST_OF(a, b));
}

/* The value of a node for that row; parameters are 1 but for biases. */
static const float *value_of(struct fixture *fixture, uint32_t node)
{
    const struct graph *graph = &fixture->graph;
    const struct graph_rows rows = {
        .features = fixture->features, .ids = trial_ids[0], .n = 1, .learns = true};

    finish(fixture, node);
    for (uint32_t i = 0; i < FEATURES; i++)
        fixture->features[i] = (float)i / 10;
    for (uint32_t p = 0; p < graph->parameter_count; p++)
        for (uint32_t i = 0; i < graph->parameters[p].rows * graph->parameters[p].width; i++)
            fixture->parameters[graph->parameters[p].first + i] = !graph->parameters[p].is_bias;
    graph_forward(&fixture->room, fixture->parameters, &rows);
    return fixture->room.memory + fixture->plan.places[node].value;
}

static void check_values(struct fixture *fixture, uint32_t node, const double *expected,
                         uint32_t count)
{
    const float *values = value_of(fixture, node);

    CHECK_INT(fixture->graph.nodes[node].size, count);
    for (uint32_t i = 0; i < count; i++)
        if (!(fabs((double)values[i] - expected[i]) < 1e-6))
            check_failed("number %u is %g, not %g", i, (double)values[i], expected[i]);
}
#define CHECK_VALUES(fixture, node, ...)                                                           \
    check_values(fixture, node, (const double[]){__VA_ARGS__},                                     \
                 sizeof((const double[]){__VA_ARGS__}) / sizeof(double))

/* ---- attention ---- */

static void attention(void **state)
{
    struct fixture *fixture = *state;
    struct graph *graph = &fixture->graph;
    const uint32_t query = table_of(graph, 3, 4), key = table_of(graph, 5, 4);
    const uint32_t value = table_of(graph, 5, 2), itself = table_of(graph, 3, 2);
    const uint32_t across = CALL(graph, "attention", node_of(query), node_of(key), node_of(value),
                                 named("heads", number_of(2)));
    const uint32_t before = CALL(graph, "attention", node_of(itself), node_of(itself),
                                 node_of(itself), named("causal", number_of(1)));

    check_operation(
        fixture, CALL(graph, "concat", node_of(flat(graph, across)), node_of(flat(graph, before))));
}

/*
 * By torch.nn.functional.scaled_dot_product_attention's formula:
 *
 *     x = [[(4 * i + j) / 10 for j in range(4)] for i in range(3)]
 *     for causal in (0, 1):
 *         out = [[0] * 4 for _ in x]
 *         for h in range(2):
 *             for i in range(3):
 *                 keys = range(i + 1 if causal else 3)
 *                 s = [sum(x[i][2*h+c] * x[j][2*h+c] for c in (0, 1)) / sqrt(2) for j in keys]
 *                 e = [exp(a - max(s)) for a in s]
 *                 for c in (0, 1): out[i][2*h+c] = sum(a * x[j][2*h+c] for a, j in zip(e, keys)) /
 * sum(e)
 */
static void heads_are_those_of_pytorch(void **state)
{
    struct fixture *fixture = *state;
    struct graph *graph = &fixture->graph;
    const uint32_t x = numbers_in(graph, 3, 4);

    CHECK_VALUES(
        fixture,
        CALL(graph, "attention", node_of(x), node_of(x), node_of(x), named("heads", number_of(2))),
        0.4075415, 0.5075415, 0.6375872, 0.7375872, 0.4671593, 0.5671593, 0.6959055, 0.7959055,
        0.5235165, 0.6235165, 0.749738, 0.849738);
}

static void causal_heads_are_those_of_pytorch(void **state)
{
    struct fixture *fixture = *state;
    struct graph *graph = &fixture->graph;
    const uint32_t x = numbers_in(graph, 3, 4);

    CHECK_VALUES(fixture,
                 CALL(graph, "attention", node_of(x), node_of(x), node_of(x),
                      named("heads", number_of(2)), named("causal", number_of(1))),
                 0.0, 0.1, 0.2, 0.3, 0.2253193, 0.3253193, 0.4363608, 0.5363608, 0.5235165,
                 0.6235165, 0.749738, 0.849738);
}

/* ---- products, batch_norm ---- */

static void matmul(void **state)
{
    struct fixture *fixture = *state;
    struct graph *graph = &fixture->graph;
    const uint32_t a = table_of(graph, 3, 4), b = table_of(graph, 4, 2), c = table_of(graph, 5, 4);
    const uint32_t several = shaped(graph, 2, 3, 4), turned = shaped(graph, 2, 2, 4);

    check_operation(
        fixture,
        CALL(graph, "concat", node_of(flat(graph, CALL(graph, "matmul", node_of(a), node_of(b)))),
             node_of(flat(graph, CALL(graph, "matmul", node_of(a), node_of(c), number_of(1)))),
             node_of(flat(
                 graph, CALL(graph, "matmul", node_of(several), node_of(turned), number_of(1))))));
}

static void batch_norm_goes_over_rows_and_places(void **state)
{
    struct fixture *fixture = *state;
    struct graph *graph = &fixture->graph;
    const uint32_t x = shaped(graph, 2, 3, 2), y = array_of(graph, 3);

    finish(fixture,
           CALL(graph, "concat", node_of(flat(graph, CALL(graph, "batch_norm", node_of(x)))),
                node_of(CALL(graph, "batch_norm", node_of(y)))));
    check_gradient(fixture);
}

/* The running mean's gradient is what it is off the rows' own, of all of the step. */
static void batch_norm_moves_its_running_numbers(void **state)
{
    struct fixture *fixture = *state;
    struct graph *graph = &fixture->graph;
    const uint32_t x = made_call(graph, "numbers", NULL, 0);
    const struct graph_parameter *mean;
    double sum = 0;

    finish(fixture, CALL(graph, "batch_norm", node_of(x)));
    check_gradient(fixture);
    mean = &graph->parameters[2];
    CHECK(mean->is_statistic && graph->parameters[3].is_statistic);
    for (uint32_t i = 0; i < ROWS; i++)
        sum += (double)fixture->features[i * FEATURES] / ROWS;
    CHECK(fabs((double)fixture->parameters[mean->first] - sum -
               (double)fixture->gradient[mean->first]) < 1e-6);
}

/* ---- number by number ---- */

static void functions(void **state)
{
    struct fixture *fixture = *state;
    struct graph *graph = &fixture->graph;
    const uint32_t x = array_of(graph, 4), positive = CALL(graph, "sigmoid", node_of(x));

    check_operation(
        fixture, CALL(graph, "concat", node_of(CALL(graph, "exp", node_of(x))),
                      node_of(CALL(graph, "log", node_of(positive))),
                      node_of(CALL(graph, "sqrt", node_of(positive))),
                      node_of(CALL(graph, "clip", node_of(x), number_of(-1.2), number_of(0.7)))));
}

static void functions_of_what_has_none(void **state)
{
    struct fixture *fixture = *state;
    struct graph *graph = &fixture->graph;
    const uint32_t x = made_call(graph, "numbers", NULL, 0);
    const uint32_t first = CALL(graph, "slice", node_of(x), number_of(0), number_of(2));
    const uint32_t below =
        CALL(graph, "subtract", node_of(CALL(graph, "constant", number_of(0))), node_of(first));

    CHECK_VALUES(fixture,
                 CALL(graph, "concat", node_of(CALL(graph, "log", node_of(below))),
                      node_of(CALL(graph, "sqrt", node_of(below))),
                      node_of(CALL(graph, "exp", node_of(below)))),
                 -69.07755278982137, -69.07755278982137, 0, 0, 1, 0.9048374180359595);
}

static void where_and_cosine(void **state)
{
    struct fixture *fixture = *state;
    struct graph *graph = &fixture->graph;
    const uint32_t a = table_of(graph, 2, 3), b = table_of(graph, 2, 3);
    const uint32_t one = CALL(graph, "constant", number_of(0.5));
    const uint32_t condition = numbers_in(graph, 3, 4);
    const uint32_t some =
        CALL(graph, "reshape",
             node_of(CALL(graph, "slice", node_of(condition), number_of(0), number_of(2))),
             LIST_OF(2, 3));

    check_operation(
        fixture,
        CALL(graph, "concat",
             node_of(flat(graph, CALL(graph, "where", node_of(some), node_of(a), node_of(b)))),
             node_of(flat(graph, CALL(graph, "where", node_of(some), node_of(one), node_of(b)))),
             node_of(CALL(graph, "cosine", node_of(a), node_of(b)))));
}

/* ---- along axes ---- */

static void maxima(void **state)
{
    struct fixture *fixture = *state;
    struct graph *graph = &fixture->graph;
    const uint32_t x = shaped(graph, 3, 4, 2);

    fixture->difference = 5e-4;
    check_operation(fixture,
                    CALL(graph, "concat", node_of(CALL(graph, "max", node_of(x))),
                         node_of(CALL(graph, "max", node_of(x), LIST_OF(0, 1))),
                         node_of(flat(graph, CALL(graph, "max", node_of(x), number_of(-1))))));
}

static void places_and_parts(void **state)
{
    struct fixture *fixture = *state;
    struct graph *graph = &fixture->graph;
    const uint32_t x = shaped(graph, 3, 4, 2);

    check_operation(fixture,
                    CALL(graph, "concat",
                         node_of(flat(graph, CALL(graph, "gather", node_of(x), LIST_OF(2, 0, 2),
                                                  named("axis", number_of(1))))),
                         node_of(flat(graph, CALL(graph, "gather", node_of(x), number_of(1)))),
                         node_of(flat(graph, CALL(graph, "part", node_of(x), number_of(1),
                                                  number_of(2), named("axis", number_of(1)))))));
}

static void a_part_is_the_one_of_its_number(void **state)
{
    struct fixture *fixture = *state;
    struct graph *graph = &fixture->graph;
    const uint32_t x = numbers_in(graph, 3, 4);

    CHECK_VALUES(
        fixture,
        CALL(graph, "concat",
             node_of(flat(graph, CALL(graph, "part", node_of(x), number_of(1), number_of(2)))),
             node_of(flat(graph, CALL(graph, "gather", node_of(x), LIST_OF(2, 0), number_of(0))))),
        .2, .3, .6, .7, 1, 1.1, .8, .9, 1, 1.1, 0, .1, .2, .3);
}

static void one_hot_and_dense_each(void **state)
{
    struct fixture *fixture = *state;
    struct graph *graph = &fixture->graph;
    const uint32_t words = made_call(graph, "words", NULL, 0);
    const uint32_t each = CALL(graph, "dense_each", node_of(array_of(graph, 3)), number_of(2));

    check_operation(fixture, CALL(graph, "concat", node_of(CALL(graph, "one_hot", node_of(words))),
                                  node_of(flat(graph, CALL(graph, "positions", node_of(each))))));
}

static void one_hot_has_a_place_for_each_word(void **state)
{
    struct fixture *fixture = *state;
    struct graph *graph = &fixture->graph;

    /* Row 0: plan 0 of 4, city 0 of 6, tags 0 and 2 of 5. */
    CHECK_VALUES(fixture, CALL(graph, "one_hot", node_of(made_call(graph, "words", NULL, 0))), 1, 0,
                 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0);
}

/* A value that is there for its width alone is computed, and gives nothing back. */
static void a_size_may_be_the_width_of_a_value(void **state)
{
    struct fixture *fixture = *state;
    struct graph *graph = &fixture->graph;
    const uint32_t five = array_of(graph, 5), x = array_of(graph, 2);
    const uint32_t y = CALL(graph, "dense", node_of(x), number_of(GRAPH_WIDTH_OF(five)));

    check_operation(fixture, y);
    CHECK_INT(graph->nodes[y].size, 5);
}

/* ---- convolutions ---- */

static void dilated_and_grouped_convolutions(void **state)
{
    static const char *const paddings[] = {"valid", "same", "causal"};

    (void)state;
    for (int i = 0; i < 3; i++) {
        void *opened;
        struct graph *graph;
        uint32_t line, picture;

        open_fixture(&opened);
        graph = &((struct fixture *)opened)->graph;
        line = CALL(graph, "conv1d", node_of(table_of(graph, 7, 4)), number_of(4), number_of(3),
                    named("padding", text_of(paddings[i])), named("dilation", number_of(2)),
                    named("groups", number_of(2)));
        picture = CALL(graph, "conv2d", node_of(shaped(graph, 5, 4, 2)), number_of(2),
                       LIST_OF(3, 2), named("padding", text_of(i == 1 ? "same" : "valid")),
                       named("dilation", LIST_OF(2, 1)), named("groups", number_of(i < 2 ? 2 : 1)));
        check_operation(opened, CALL(graph, "concat", node_of(flat(graph, line)),
                                     node_of(flat(graph, picture))));
        close_fixture(&opened);
    }
}

/* Sums of steps t - 4, t - 2 and t, as far as there are, of (6, 2): each channel for itself. */
static void a_causal_convolution_looks_back(void **state)
{
    struct fixture *fixture = *state;
    struct graph *graph = &fixture->graph;
    const uint32_t x = numbers_in(graph, 6, 2);

    CHECK_VALUES(fixture,
                 CALL(graph, "conv1d", node_of(x), number_of(2), number_of(3),
                      named("padding", text_of("causal")), named("dilation", number_of(2)),
                      named("groups", number_of(2))),
                 0, .1, .2, .3, .4, .6, .8, 1, 1.2, 1.5, 1.8, 2.1);
}

/* ---- steps ---- */

static void recurrent_layers_go_both_ways(void **state)
{
    static const char *const names[] = {"rnn", "gru", "lstm"};

    (void)state;
    for (int i = 0; i < 3; i++) {
        void *opened;
        struct graph *graph;
        uint32_t both, back, last;

        open_fixture(&opened);
        graph = &((struct fixture *)opened)->graph;
        both = CALL(graph, names[i], node_of(table_of(graph, 4, 2)), number_of(2), number_of(1),
                    text_of("both"));
        back =
            CALL(graph, names[i], node_of(both), number_of(2), number_of(0), text_of("backward"));
        last =
            CALL(graph, names[i], node_of(both), number_of(2), named("direction", text_of("both")));
        check_operation(opened, CALL(graph, "concat", node_of(flat(graph, both)), node_of(back),
                                     node_of(last)));
        close_fixture(&opened);
    }
}

/* Steps of x that are there: the first is not, where the number behind it says so. */
static const struct graph_column steps[] = {
    {.name = {"s[0]", 4}, .source = {"s", 1}, .dense = 0, .dense_count = 2, .is_sequence = true},
    {.name = {"s[1]", 4}, .source = {"s", 1}, .dense = 2, .dense_count = 2, .is_sequence = true},
    {.name = {"s[2]", 4}, .source = {"s", 1}, .dense = 4, .dense_count = 1, .is_sequence = true},
};

/* dense(value, 1), all of whose parameters are 1 but for the bias, of a sequence. */
static void infer_steps(struct fixture *fixture, uint32_t value)
{
    const struct graph_row of_steps = {steps, 3, 5, 0, 0, 1, false};
    struct graph *graph = &fixture->graph;
    struct error err;

    made_end(graph, CALL(graph, "dense", node_of(value), number_of(1)));
    CHECK_OK(graph_infer(graph, &of_steps, &err));
    CHECK_OK(graph_plan_make(graph, ROWS, false, &fixture->arena, &fixture->plan, &err));
    CHECK_OK(graph_room_open(&fixture->room, graph, &fixture->plan, &err));
    fixture->parameters = calloc(graph->floats, sizeof(float));
    for (uint32_t p = 0; p < graph->parameter_count; p++)
        for (uint32_t i = 0; i < graph->parameters[p].rows * graph->parameters[p].width; i++)
            fixture->parameters[graph->parameters[p].first + i] = !graph->parameters[p].is_bias;
}

static const float all_steps[] = {3, 0, -1, 0, 2}, two_steps[] = {9, 1, -1, 0, 2};

static void means_and_maxima_are_of_the_steps_that_are_there(void **state)
{
    struct fixture *fixture = *state;
    struct graph *graph = &fixture->graph;
    const uint32_t x = CALL(graph, "sequence", text_of("s"));

    infer_steps(fixture, CALL(graph, "concat", node_of(CALL(graph, "steps_mean", node_of(x))),
                              node_of(CALL(graph, "steps_max", node_of(x)))));
    CHECK(fabs(state_of(fixture, all_steps) - (4.0 / 3 + 3)) < 1e-6);
    CHECK(fabs(state_of(fixture, two_steps) - (0.5 + 2)) < 1e-6);
}

/* Keys that are not there count nothing: means of -1 and 2 by e^(x k). */
static void attention_sees_the_steps_that_are_there(void **state)
{
    struct fixture *fixture = *state;
    struct graph *graph = &fixture->graph;
    const uint32_t x = CALL(graph, "sequence", text_of("s"));
    const uint32_t y = CALL(graph, "attention", node_of(x), node_of(x), node_of(x));
    const double of_first = (-exp(1) + 2 * exp(-2)) / (exp(1) + exp(-2));
    const double of_second = (-exp(-2) + 2 * exp(4)) / (exp(-2) + exp(4));

    infer_steps(fixture, CALL(graph, "steps_mean", node_of(y)));
    CHECK(fabs(state_of(fixture, two_steps) - (of_first + of_second) / 2) < 1e-6);
}

/* rnn with weights 1: backward from the last step that is there. */
static void a_layer_goes_backward_over_the_steps_that_are_there(void **state)
{
    struct fixture *fixture = *state;
    struct graph *graph = &fixture->graph;
    const uint32_t x = CALL(graph, "sequence", text_of("s"));

    infer_steps(fixture, CALL(graph, "rnn", node_of(x), number_of(1),
                              named("direction", text_of("backward"))));
    CHECK(fabs(state_of(fixture, all_steps) - tanh(3 + tanh(-1 + tanh(2)))) < 1e-6);
    CHECK(fabs(state_of(fixture, two_steps) - tanh(-1 + tanh(2))) < 1e-6);
}

/* ---- shapes that do not go together ---- */

static void refuse(void **state, const char *name, const struct graph_value *values, uint32_t count,
                   const char *message)
{
    struct fixture *fixture = *state;
    struct graph *graph = &fixture->graph;
    struct error err;
    const uint32_t made = made_call(graph, name, values, count);
    const uint32_t all = CALL(graph, "flatten", node_of(made));

    made_end(graph, CALL(graph, "dense", node_of(all), number_of(GRAPH_OUTPUTS)));
    CHECK_FAILS(graph_infer(graph, &trial_row, &err), STATUS_INVALID, message);
    CHECK_INT(err.position, MADE_PLACE);
}
#define REFUSE(name, message, ...)                                                                 \
    do {                                                                                           \
        void *opened;                                                                              \
        struct graph *graph;                                                                       \
        uint32_t a, b, flat_one;                                                                   \
                                                                                                   \
        open_fixture(&opened);                                                                     \
        graph = &((struct fixture *)opened)->graph;                                                \
        a = table_of(graph, 3, 4);                                                                 \
        b = table_of(graph, 2, 3);                                                                 \
        flat_one = array_of(graph, 4);                                                             \
        (void)(a + b + flat_one);                                                                  \
        refuse(&opened, name, (const struct graph_value[]){__VA_ARGS__},                           \
               sizeof((const struct graph_value[]){__VA_ARGS__}) / sizeof(struct graph_value),     \
               message);                                                                           \
        close_fixture(&opened);                                                                    \
    } while (0)

static void shapes_that_do_not_go_together_are_refused(void **state)
{
    (void)state;
    REFUSE("matmul", "matmul: no product of (3, 4) and (2, 3)", node_of(a), node_of(b));
    REFUSE("matmul", "matmul: no product of (3, 4) and (2, 3), transposed", node_of(a), node_of(b),
           number_of(1));
    REFUSE("attention", "(others, depth), not (3, 4), (2, 3) and (2, 3)", node_of(a), node_of(b),
           node_of(b));
    REFUSE("attention", "3 heads do not share the widths of (3, 4) and (3, 4) alike", node_of(a),
           node_of(a), node_of(a), number_of(3));
    REFUSE("cosine", "one shape, not (3, 4) and (2, 3)", node_of(a), node_of(b));
    REFUSE("where", "the shapes (3, 4) and (2, 3) do not go together", node_of(a), node_of(b),
           node_of(a));
    REFUSE("max", "(3, 4) has no axis 2", node_of(a), number_of(2));
    REFUSE("gather", "(3, 4) has no place 4 along axis 1", node_of(a), LIST_OF(0, 4));
    REFUSE("gather", "(3, 4) has no axis 2", node_of(a), number_of(0), number_of(2));
    REFUSE("part", "(3, 4) has no 3 alike parts along axis 1", node_of(a), number_of(0),
           number_of(3));
    REFUSE("part", "of 2 parts none is number 2", node_of(a), number_of(2), number_of(2));
    REFUSE("clip", "no number lies from 2 to 1", node_of(a), number_of(2), number_of(1));
    REFUSE("one_hot", "it takes words, and dense are numbers", node_of(flat_one));
    REFUSE("dense_each", "an array of one axis, not (3, 4)", node_of(a), number_of(2));
    REFUSE("steps_mean", "it takes (steps, width), not (4)", node_of(flat_one));
    REFUSE("conv1d", "3 groups do not share 4 channels and 3 filters alike", node_of(a),
           number_of(3), number_of(2), named("groups", number_of(3)));
    REFUSE("conv1d", "the window is larger than (3, 4)", node_of(a), number_of(3), number_of(2),
           named("dilation", number_of(3)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(attention),
        TEST(heads_are_those_of_pytorch),
        TEST(causal_heads_are_those_of_pytorch),
        TEST(matmul),
        TEST(batch_norm_goes_over_rows_and_places),
        TEST(batch_norm_moves_its_running_numbers),
        TEST(functions),
        TEST(functions_of_what_has_none),
        TEST(where_and_cosine),
        TEST(maxima),
        TEST(places_and_parts),
        TEST(a_part_is_the_one_of_its_number),
        TEST(one_hot_and_dense_each),
        TEST(one_hot_has_a_place_for_each_word),
        TEST(a_size_may_be_the_width_of_a_value),
        TEST(dilated_and_grouped_convolutions),
        TEST(a_causal_convolution_looks_back),
        TEST(recurrent_layers_go_both_ways),
        TEST(means_and_maxima_are_of_the_steps_that_are_there),
        TEST(attention_sees_the_steps_that_are_there),
        TEST(a_layer_goes_backward_over_the_steps_that_are_there),
        TEST(shapes_that_do_not_go_together_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
