/*
 * Each operation by the gradient that it gives against differences of what it computes; that the
 * values of a row do not depend on the rows beside it; and that memory is shared where it can be.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph/graph_infer.h"
#include "graph/graph_labels.h"
#include "tests/check.h"
#include "tests/unit/graph_trial.h"

/* ---- a trial of each operation, and what it is given ---- */

static void numbers_words_dense_embedding_concat(void **state)
{
    struct fixture *fixture = *state;
    struct graph *graph = &fixture->graph;
    const uint32_t words = made_call(graph, "words", NULL, 0);
    const uint32_t numbers = made_call(graph, "numbers", NULL, 0);
    const uint32_t both = CALL(graph, "dense", node_of(numbers), node_of(words), number_of(4));
    const uint32_t alone = CALL(graph, "dense", node_of(words), number_of(4));
    const uint32_t embedded = CALL(graph, "embedding", node_of(words), number_of(2));
    const uint32_t flat = CALL(graph, "flatten", node_of(embedded));
    const uint32_t again = CALL(graph, "embedding", node_of(CALL(graph, "column", text_of("tags"))),
                                number_of(3), named("combiner", text_of("sum")));

    /* Nothing depends on it: it is not computed, and gives nothing back. */
    (void)CALL(graph, "multiply", node_of(both), node_of(alone));
    check_operation(fixture, CALL(graph, "concat", node_of(both), node_of(alone), node_of(flat),
                                  node_of(again), node_of(both), node_of(numbers)));
    CHECK_INT(graph->table_width, 4 + 4 + 2 + 3);
}

static void concat_along_the_first_axis(void **state)
{
    struct fixture *fixture = *state;
    struct graph *graph = &fixture->graph;
    const uint32_t words = made_call(graph, "words", NULL, 0);
    const uint32_t a = CALL(graph, "embedding", node_of(words), number_of(2));
    const uint32_t b = CALL(graph, "embedding", node_of(words), number_of(2));

    check_operation(fixture,
                    CALL(graph, "concat", node_of(a), node_of(b), named("axis", number_of(0))));
}

static void check_arithmetic(struct fixture *fixture, const char *name)
{
    struct graph *graph = &fixture->graph;
    const uint32_t words = made_call(graph, "words", NULL, 0);
    const uint32_t a = CALL(graph, "embedding", node_of(words), number_of(4));
    const uint32_t b = CALL(graph, "sigmoid", node_of(array_of(graph, 4)));
    const uint32_t one = CALL(graph, "sigmoid", node_of(array_of(graph, 1)));
    const uint32_t of_ends = CALL(graph, name, node_of(a), node_of(b));
    const uint32_t of_one = CALL(graph, name, node_of(b), node_of(one));

    check_operation(fixture,
                    CALL(graph, "concat", node_of(CALL(graph, "flatten", node_of(of_ends))),
                         node_of(of_one), node_of(CALL(graph, name, node_of(one), node_of(b)))));
}

static void add_takes_ends(void **state)
{
    check_arithmetic(*state, "add");
}

static void subtract_takes_ends(void **state)
{
    check_arithmetic(*state, "subtract");
}

static void multiply_takes_ends(void **state)
{
    check_arithmetic(*state, "multiply");
}

static void divide_takes_ends(void **state)
{
    check_arithmetic(*state, "divide");
}

static void constant_stands_beside_values(void **state)
{
    struct fixture *fixture = *state;
    struct graph *graph = &fixture->graph;
    const uint32_t x = CALL(graph, "sigmoid", node_of(array_of(graph, 4)));
    const uint32_t two = CALL(graph, "constant", number_of(2.5));
    const uint32_t one = CALL(graph, "constant", number_of(1));

    check_operation(fixture, CALL(graph, "concat",
                                  node_of(CALL(graph, "multiply", node_of(x), node_of(two))),
                                  node_of(CALL(graph, "subtract", node_of(one), node_of(x))),
                                  node_of(CALL(graph, "divide", node_of(one), node_of(x)))));
}

static void dropout_draws_by_row(void **state)
{
    struct fixture *fixture = *state;
    struct graph *graph = &fixture->graph;
    const uint32_t x = array_of(graph, 8);
    const uint32_t some =
        CALL(graph, "dropout", node_of(CALL(graph, "tanh", node_of(x))), number_of(0.4));
    const uint32_t others = CALL(graph, "dropout", node_of(x), number_of(0.4));

    check_operation(fixture, CALL(graph, "concat", node_of(some), node_of(others),
                                  node_of(CALL(graph, "dropout", node_of(x), number_of(0)))));
}

/* In place of what it takes, and beside another taker of it. */
static void activations(void **state)
{
    (void)state;
    for (size_t i = 0; activation_words[i]; i++) {
        void *opened;
        struct graph *graph;
        uint32_t x, alone;

        open_fixture(&opened);
        graph = &((struct fixture *)opened)->graph;
        x = array_of(graph, 6);
        alone = CALL(graph, activation_words[i], node_of(array_of(graph, 6)));
        check_operation(opened, CALL(graph, "concat", node_of(x), node_of(alone),
                                     node_of(CALL(graph, activation_words[i], node_of(x)))));
        close_fixture(&opened);
    }
}

static void convolutions(void **state)
{
    static const double strides[] = {1, 2};

    (void)state;
    for (int i = 0; i < 4; i++) {
        const char *padding = i % 2 ? "same" : "valid";
        void *opened;
        struct graph *graph;
        uint32_t line, picture, again;

        open_fixture(&opened);
        graph = &((struct fixture *)opened)->graph;
        line = CALL(graph, "conv1d", node_of(table_of(graph, 7, 2)), number_of(3), number_of(3),
                    number_of(strides[i / 2]), text_of(padding));
        picture = CALL(graph, "conv2d", node_of(shaped(graph, 5, 4, 2)), number_of(2),
                       LIST_OF(3, 2), number_of(strides[i / 2]), text_of(padding));
        again = CALL(graph, "conv2d", node_of(CALL(graph, "tanh", node_of(picture))), number_of(2),
                     number_of(2));
        check_operation(opened,
                        CALL(graph, "concat", node_of(CALL(graph, "flatten", node_of(line))),
                             node_of(CALL(graph, "flatten", node_of(again)))));
        close_fixture(&opened);
    }
}

/* 3 x 4 numbers 0, 1, ... by a window of ones, every second one: computed by hand. */
static void a_convolution_pads_as_keras_does(void **state)
{
    struct fixture *fixture = *state;
    struct graph *graph = &fixture->graph;
    const uint32_t x =
        CALL(graph, "reshape", node_of(made_call(graph, "numbers", NULL, 0)), LIST_OF(3, 4, 1));
    const uint32_t y = CALL(graph, "conv2d", node_of(x), number_of(1), number_of(3), number_of(2),
                            text_of("same"));
    const float *outputs;

    finish(fixture, y);
    for (int i = 0; i < 12; i++)
        fixture->features[i] = (float)i;
    for (uint32_t i = 0; i < graph->floats; i++)
        fixture->parameters[i] = 0;
    for (uint32_t i = 0; i < 9; i++)
        fixture->parameters[i] = 1;
    /* The dense layer behind it gives the first three of its numbers. */
    for (uint32_t i = 0; i < OUTPUTS; i++)
        fixture->parameters[graph->parameters[2].first + i * OUTPUTS + i] = 1;
    outputs = graph_forward(
        &fixture->room, fixture->parameters,
        &(struct graph_rows){.features = fixture->features, .ids = trial_ids[0], .n = 1});
    /* A row of zeros is before the rows and one behind; of columns one is behind alone. */
    CHECK(outputs[0] == 0 + 1 + 2 + 4 + 5 + 6);
    CHECK(outputs[1] == 2 + 3 + 6 + 7);
    CHECK(outputs[2] == 4 + 5 + 6 + 8 + 9 + 10);
}

static void pools(void **state)
{
    struct fixture *fixture = *state;
    struct graph *graph = &fixture->graph;
    const uint32_t picture = shaped(graph, 5, 4, 2), line = table_of(graph, 7, 2);

    fixture->difference = 5e-4;
    check_operation(
        fixture,
        CALL(graph, "concat",
             node_of(CALL(graph, "flatten",
                          node_of(CALL(graph, "max_pool", node_of(picture), number_of(2))))),
             node_of(CALL(
                 graph, "flatten",
                 node_of(CALL(graph, "mean_pool", node_of(picture), LIST_OF(3, 2), number_of(1))))),
             node_of(
                 CALL(graph, "flatten",
                      node_of(CALL(graph, "max_pool", node_of(line), number_of(3), number_of(2))))),
             node_of(CALL(graph, "flatten",
                          node_of(CALL(graph, "mean_pool", node_of(line), number_of(2)))))));
}

static void norms(void **state)
{
    struct fixture *fixture = *state;
    struct graph *graph = &fixture->graph;
    const uint32_t x = table_of(graph, 3, 5);

    check_operation(
        fixture,
        CALL(graph, "concat",
             node_of(CALL(graph, "flatten", node_of(CALL(graph, "softmax", node_of(x))))),
             node_of(CALL(graph, "flatten", node_of(CALL(graph, "layer_norm", node_of(x))))),
             node_of(CALL(graph, "flatten", node_of(CALL(graph, "l2_normalise", node_of(x)))))));
}

static void sums_transposes_and_slices(void **state)
{
    struct fixture *fixture = *state;
    struct graph *graph = &fixture->graph;
    const uint32_t x = shaped(graph, 3, 4, 2);
    const uint32_t turned = CALL(graph, "transpose", node_of(x), LIST_OF(2, 0, 1));

    check_operation(
        fixture,
        CALL(
            graph, "concat", node_of(CALL(graph, "sum", node_of(x))),
            node_of(CALL(graph, "mean", node_of(x), LIST_OF(0, 1))),
            node_of(CALL(graph, "flatten", node_of(CALL(graph, "sum", node_of(x), number_of(-2))))),
            node_of(CALL(graph, "flatten",
                         node_of(CALL(graph, "multiply", node_of(turned), node_of(turned))))),
            node_of(CALL(graph, "flatten", node_of(CALL(graph, "transpose", node_of(x))))),
            node_of(CALL(graph, "flatten",
                         node_of(CALL(graph, "slice", node_of(x), number_of(1), number_of(3),
                                      number_of(1)))))));
    CHECK_INT(graph->nodes[turned].shape.sizes[0], 2);
    CHECK_INT(graph->nodes[turned].shape.sizes[2], 4);
}

/* ---- steps ---- */

static void check_recurrent(const char *name)
{
    void *opened;
    struct graph *graph;
    uint32_t first, second, one;

    open_fixture(&opened);
    graph = &((struct fixture *)opened)->graph;
    first = CALL(graph, name, node_of(table_of(graph, 4, 2)), number_of(3), number_of(1));
    second = CALL(graph, name, node_of(first), number_of(2));
    one = CALL(graph, name, node_of(table_of(graph, 3, 1)), number_of(1));
    check_operation(opened, CALL(graph, "concat", node_of(second), node_of(one),
                                 node_of(CALL(graph, "flatten", node_of(first)))));
    close_fixture(&opened);
}

static void recurrent_layers(void **state)
{
    (void)state;
    check_recurrent("rnn");
    check_recurrent("gru");
    check_recurrent("lstm");
}

/* Steps 2, 0 and 1 of a sequence of 3 are there, where the numbers behind tell it. */
static const struct graph_column steps[] = {
    {.name = {"s[0]", 4}, .source = {"s", 1}, .dense = 0, .dense_count = 2, .is_sequence = true},
    {.name = {"s[1]", 4}, .source = {"s", 1}, .dense = 2, .dense_count = 2, .is_sequence = true},
    {.name = {"s[2]", 4}, .source = {"s", 1}, .dense = 4, .dense_count = 1, .is_sequence = true},
    {.name = {"x", 1}, .dense = 5, .dense_count = 1},
};

static void infer_sequence(struct fixture *fixture, const char *name)
{
    const struct graph_row of_steps = {steps, 4, 6, 0, 0, 1, false};
    struct graph *graph = &fixture->graph;
    const uint32_t sequence = CALL(graph, "sequence", text_of("s"));
    const uint32_t numbers = made_call(graph, "numbers", NULL, 0);
    struct error err;

    made_end(graph, CALL(graph, "dense",
                         node_of(CALL(graph, "concat",
                                      node_of(CALL(graph, name, node_of(sequence), number_of(1))),
                                      node_of(numbers))),
                         number_of(1)));
    CHECK_OK(graph_infer(graph, &of_steps, &err));
    CHECK_INT(graph->nodes[sequence].shape.sizes[0], 3);
    CHECK_INT(graph->nodes[numbers].size, 1);
    CHECK_OK(graph_plan_make(graph, ROWS, false, &fixture->arena, &fixture->plan, &err));
    CHECK_OK(graph_room_open(&fixture->room, graph, &fixture->plan, &err));
    fixture->parameters = calloc(graph->floats, sizeof(float));
    for (uint32_t i = 0; i < graph->floats; i++)
        fixture->parameters[i] = 0.1f * (float)(i + 1);
    fixture->parameters[graph->parameters[4].first] = 1;     /* the state, */
    fixture->parameters[graph->parameters[4].first + 1] = 0; /* and of x, */
    fixture->parameters[graph->parameters[5].first] = 0;     /* in the output */
}

/*
 * The formulas of torch.nn.RNN, GRU and LSTM with one unit, computed by
 *
 *     from math import exp, tanh
 *     s = lambda x: 1 / (1 + exp(-x))
 *     def rnn(xs):
 *         h = 0
 *         for x in xs: h = tanh(.1 * x + .2 + .3 * h + .4)
 *         return h
 *     def gru(xs):
 *         h = 0
 *         for x in xs:
 *             r = s(.1 * x + .4 + .7 * h + 1.0); z = s(.2 * x + .5 + .8 * h + 1.1)
 *             n = tanh(.3 * x + .6 + r * (.9 * h + 1.2)); h = (1 - z) * n + z * h
 *         return h
 *     def lstm(xs):
 *         h = c = 0
 *         for x in xs:
 *             i = s(.1 * x + .5 + .9 * h + 1.3); f = s(.2 * x + .6 + 1.0 * h + 1.4)
 *             o = s(.3 * x + .7 + 1.1 * h + 1.5); g = tanh(.4 * x + .8 + 1.2 * h + 1.6)
 *             c = f * c + i * g; h = o * tanh(c)
 *         return h
 *     for f in rnn, gru, lstm: print(f([.5, -1, 2]), f([-1, 2]), f([2]))
 */
static void a_sequence_has_the_steps_that_are_there(void **state)
{
    static const float all[] = {0.5f, 0, -1, 0, 2, 9}, two[] = {7, 1, -1, 0, 2, 9},
                       one[] = {7, 1, 7, 1, 2, 9};
    static const struct {
        const char *name;
        double states[3];
    } expected[] = {
        {"rnn", {0.751237606, 0.734594544, 0.664036770}},
        {"gru", {0.346202722, 0.253609833, 0.116302404}},
        {"lstm", {0.965638040, 0.906578765, 0.664919341}},
    };

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        void *opened;

        open_fixture(&opened);
        infer_sequence(opened, expected[i].name);
        CHECK(fabs(state_of(opened, all) - expected[i].states[0]) < 1e-6);
        CHECK(fabs(state_of(opened, two) - expected[i].states[1]) < 1e-6);
        CHECK(fabs(state_of(opened, one) - expected[i].states[2]) < 1e-6);
        close_fixture(&opened);
    }
}

/* ---- labels ---- */

/* Two numbers; a label of three classes, and one that is a number with "was NULL" behind it. */
static const struct graph_column labelled[] = {
    {.name = {"x", 1}, .dense = 0, .dense_count = 2},
    {.name = {"kind", 4}, .id_count = 1, .rows = 4, .words = 3, .label = INPUT_LABEL_TEXT},
    {.name = {"sum", 3}, .dense = 2, .dense_count = 2, .label = INPUT_LABEL_NUMBER},
};
static const struct graph_row labelled_row = {labelled, 3, 4, 1, 4, 0, false};
/* The second row lacks its class, the third its number; the last has an unknown class. */
static const float labelled_features[] = {0.5f, -1,    2, 0, 0.25f, 1,    -1,   0,
                                          -1,   -0.5f, 7, 1, 2,     0.5f, 0.5f, 0};
static const int32_t labelled_ids[] = {2, -1, 0, 3};

/* A head for each label, each with its own layer, and the sum of their losses. */
static void infer_heads(struct graph *graph, const char *loss, double weight)
{
    const uint32_t x = made_call(graph, "numbers", NULL, 0);
    const uint32_t kind = CALL(graph, "label", text_of("kind")),
                   sum = CALL(graph, "label", text_of("sum"));
    const uint32_t three = CALL(graph, "dense", node_of(x), number_of(GRAPH_WIDTH_OF(kind))),
                   one = CALL(graph, "dense", node_of(x), number_of(GRAPH_WIDTH_OF(sum)));
    const uint32_t lost =
        CALL(graph, "add", node_of(CALL(graph, "label_loss", node_of(three), node_of(kind))),
             node_of(CALL(graph, "label_loss", node_of(one), node_of(sum),
                          named("loss", text_of(loss)), named("weight", number_of(weight)))));
    struct error err;

    made_end(graph, CALL(graph, "concat", node_of(three), node_of(one)));
    CHECK_OK(graph_minimise(graph, lost, &err));
    CHECK_OK(graph_infer(graph, &labelled_row, &err));
}

static void open_heads(struct fixture *fixture, const char *loss, double weight)
{
    struct graph *graph = &fixture->graph;
    struct error err;

    infer_heads(graph, loss, weight);
    CHECK_OK(graph_plan_make(graph, 4, true, &fixture->arena, &fixture->plan, &err));
    CHECK_OK(graph_room_open(&fixture->room, graph, &fixture->plan, &err));
    fixture->parameters = calloc(graph->floats, sizeof(float));
    fixture->gradient = calloc(graph->floats, sizeof(float));
    fixture->transposed = calloc(graph->transposed + 1, sizeof(float));
    for (uint32_t i = 0; i < graph->floats; i++)
        fixture->parameters[i] = (float)(i + 1) / 10;
}

static const struct graph_rows labelled_rows = {
    .features = labelled_features, .ids = labelled_ids, .n = 4, .learns = true, .share = 1};

static double sum_of_losses(const struct fixture *fixture)
{
    double sum = 0;

    graph_forward(&fixture->room, fixture->parameters, &labelled_rows);
    for (uint32_t i = 0; i < 4; i++)
        sum += (double)graph_losses(&fixture->room, &labelled_rows)[i];
    return sum;
}

/*
 * By hand, with weights of 0.1 to 1.2 in the order of the parameters:
 *
 *     W, b, v, c = [[.1, .2, .3], [.4, .5, .6]], [.7, .8, .9], [1, 1.1], 1.2
 *     for x, kind, sum in (((.5, -1), 2, 2), ((.25, 1), None, -1), ((-1, -.5), 0, None),
 *                          ((2, .5), None, .5)):
 *         z = [x[0] * W[0][j] + x[1] * W[1][j] + b[j] for j in range(3)]
 *         y = x[0] * v[0] + x[1] * v[1] + c
 *         lost = (log(sum(map(exp, z))) - z[kind] if kind is not None else 0) + \
 *                .5 * ((y - sum) ** 2 if sum is not None else 0)
 */
static void heads_lose_what_their_labels_say(void **state)
{
    static const double expected[] = {2.02944545, 6.30125000, 1.04944545, 5.28125000};
    struct fixture *fixture = *state;

    open_heads(fixture, "squared", 0.5);
    (void)sum_of_losses(fixture);
    for (uint32_t i = 0; i < 4; i++)
        CHECK(fabs((double)graph_losses(&fixture->room, &labelled_rows)[i] - expected[i]) < 1e-5);
}

static void slopes_of_heads_are_those_of_their_losses(void **state)
{
    static const char *const losses[] = {"auto", "squared", "absolute", "huber"};
    static const float ones[] = {1, 1, 1, 1};

    (void)state;
    for (size_t l = 0; l < 4; l++) {
        struct fixture *fixture;
        struct touched_rows none = {0};

        open_fixture((void **)&fixture);
        open_heads(fixture, losses[l], 2);
        (void)sum_of_losses(fixture);
        graph_transpose(&fixture->graph, fixture->parameters, fixture->transposed);
        memcpy(graph_delta(&fixture->room), ones, sizeof ones);
        graph_backward(&fixture->room, fixture->parameters, fixture->transposed, &labelled_rows,
                       fixture->gradient, &none);
        for (uint32_t i = 0; i < fixture->graph.floats; i++) {
            const float before = fixture->parameters[i];
            double slope;

            fixture->parameters[i] = before + 1e-3f;
            slope = sum_of_losses(fixture);
            fixture->parameters[i] = before - 1e-3f;
            slope = (slope - sum_of_losses(fixture)) / 2e-3;
            fixture->parameters[i] = before;
            if (fabs(slope - (double)fixture->gradient[i]) > 1e-2)
                check_failed("%s: slope %g of parameter %u, not %g", losses[l],
                             (double)fixture->gradient[i], i, slope);
        }
        close_fixture((void **)&fixture);
    }
}

static void heads_are_found_in_their_order(void **state)
{
    struct fixture *fixture = *state;
    struct graph_head heads[GRAPH_HEADS_MAX];
    struct graph_head one[GRAPH_HEADS_MAX];
    struct fixture *other;
    struct error err;
    uint32_t x, sum, y;

    infer_heads(&fixture->graph, "auto", 1);
    CHECK_INT(graph_heads(&fixture->graph, heads), 2);
    CHECK(heads[0].column == 1 && heads[0].first == 0 && heads[0].count == 3);
    CHECK(heads[1].column == 2 && heads[1].first == 3 && heads[1].count == 1);
    open_fixture((void **)&other);
    x = made_call(&other->graph, "numbers", NULL, 0);
    sum = CALL(&other->graph, "label", text_of("sum"));
    y = CALL(&other->graph, "dense", node_of(x), number_of(1));
    made_end(&other->graph, y);
    CHECK_OK(graph_minimise(&other->graph,
                            CALL(&other->graph, "label_loss", node_of(y), node_of(sum)), &err));
    CHECK_OK(graph_infer(&other->graph, &labelled_row, &err));
    CHECK_INT(graph_heads(&other->graph, one), 1);
    CHECK(one[0].column == 2 && one[0].count == 1);
    close_fixture((void **)&other);
}

/* A graph of two calls behind the numbers and the labels, which is refused. */
static void check_label_refused(const char *name, const struct graph_value *values, uint32_t count,
                                const char *message)
{
    struct fixture *fixture;
    struct error err;
    uint32_t made;

    open_fixture((void **)&fixture);
    made_call(&fixture->graph, "numbers", NULL, 0);
    CALL(&fixture->graph, "label", text_of("kind"));
    CALL(&fixture->graph, "label", text_of("sum"));
    CALL(&fixture->graph, "dense", node_of(0), number_of(2));
    made = made_call(&fixture->graph, name, values, count);
    made_end(&fixture->graph, made);
    CHECK_OK(graph_minimise(&fixture->graph, CALL(&fixture->graph, "sum", node_of(made)), &err));
    CHECK_FAILS(graph_infer(&fixture->graph, &labelled_row, &err), STATUS_INVALID, message);
    close_fixture((void **)&fixture);
}
#define CHECK_LABEL_REFUSED(message, name, ...)                                                    \
    check_label_refused(                                                                           \
        name, (const struct graph_value[]){__VA_ARGS__},                                           \
        sizeof((const struct graph_value[]){__VA_ARGS__}) / sizeof(struct graph_value), message)

static void labels_are_for_their_losses_alone(void **state)
{
    (void)state;
    CHECK_LABEL_REFUSED("it takes a label, which label_loss alone does", "dense", node_of(1),
                        number_of(2));
    CHECK_LABEL_REFUSED("it takes a label, which label_loss alone does", "label_loss", node_of(2),
                        node_of(2));
    CHECK_LABEL_REFUSED("its second value is numbers, and is to be a label", "label_loss",
                        node_of(3), node_of(0));
    CHECK_LABEL_REFUSED("its value has the shape (2), and the label asks for (3)", "label_loss",
                        node_of(3), node_of(1));
    CHECK_LABEL_REFUSED("no label is called \"x\"", "label", text_of("x"));
    CHECK_LABEL_REFUSED("no input is called \"kind\"", "column", text_of("kind"));
}

/* ---- memory ---- */

static void values_that_are_not_needed_together_share_their_place(void **state)
{
    struct fixture *fixture = *state;
    struct graph *graph = &fixture->graph;
    struct graph_plan scoring;
    struct error err;
    uint32_t x = array_of(graph, 64);

    for (int i = 0; i < 20; i++)
        x = CALL(graph, "relu", node_of(CALL(graph, "dense", node_of(x), number_of(64))));
    finish(fixture, x);
    CHECK_OK(graph_plan_make(graph, ROWS, false, &fixture->arena, &scoring, &err));
    CHECK(scoring.floats <= 2 * 64 * ROWS + 2 * 16);
    CHECK(fixture->plan.floats <= 22 * 64 * ROWS + 4 * 64 * ROWS);
    CHECK(scoring.places[0].takes_features);
}

static void a_graph_that_takes_too_much_memory_is_refused(void **state)
{
    struct fixture *fixture = *state;
    struct graph *graph = &fixture->graph;
    struct graph_plan plan;
    struct error err;
    uint32_t x = array_of(graph, 65536);

    for (int i = 0; i < 4; i++)
        x = CALL(graph, "concat", node_of(x), node_of(x));
    made_end(graph, CALL(graph, "dense", node_of(x), number_of(3)));
    CHECK_OK(graph_infer(graph, &trial_row, &err));
    CHECK_FAILS(graph_plan_make(graph, 4096, true, &fixture->arena, &plan, &err), STATUS_LIMIT,
                "the values of 4096 rows");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(numbers_words_dense_embedding_concat),
        TEST(concat_along_the_first_axis),
        TEST(add_takes_ends),
        TEST(subtract_takes_ends),
        TEST(multiply_takes_ends),
        TEST(divide_takes_ends),
        TEST(constant_stands_beside_values),
        TEST(dropout_draws_by_row),
        TEST(activations),
        TEST(convolutions),
        TEST(a_convolution_pads_as_keras_does),
        TEST(pools),
        TEST(norms),
        TEST(sums_transposes_and_slices),
        TEST(recurrent_layers),
        TEST(a_sequence_has_the_steps_that_are_there),
        TEST(heads_lose_what_their_labels_say),
        TEST(slopes_of_heads_are_those_of_their_losses),
        TEST(heads_are_found_in_their_order),
        TEST(labels_are_for_their_losses_alone),
        TEST(values_that_are_not_needed_together_share_their_place),
        TEST(a_graph_that_takes_too_much_memory_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
