/*
 * Calls, shapes, parameters and the JSON of graphs; what the operations compute is
 * test_graph_operations.c's.
 */
#include <stdlib.h>

#include "graph/graph_infer.h"
#include "graph/graph_json.h"
#include "graph/graph_shape.h"
#include "tests/check.h"
#include "tests/unit/made_graph.h"

struct fixture {
    struct arena arena;
    struct graph graph;
};

static int open_fixture(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);

    arena_init(&fixture->arena, 1 << 24);
    graph_begin(&fixture->graph, &fixture->arena);
    *state = fixture;
    return 0;
}

static int close_fixture(void **state)
{
    struct fixture *fixture = *state;

    arena_deinit(&fixture->arena);
    free(fixture);
    return 0;
}

#define CALL_FAILS(graph, name, text, ...)                                                         \
    CHECK_FAILS(                                                                                   \
        graph_call(graph, slice_of(name), (const struct graph_value[]){__VA_ARGS__},               \
                   sizeof((const struct graph_value[]){__VA_ARGS__}) / sizeof(struct graph_value), \
                   5, &(uint32_t){0}, &err),                                                       \
        STATUS_INVALID, text)

/* age, income; plan and city are categories of 4 and 10 words; tags a text of up to 3 of 6. */
static const struct graph_column columns[] = {
    {.name = {"age", 3}, .dense = 0, .dense_count = 2},
    {.name = {"income", 6}, .dense = 2, .dense_count = 1},
    {.name = {"plan", 4}, .ids = 0, .id_count = 1, .first_row = 0, .rows = 4},
    {.name = {"city", 4}, .ids = 1, .id_count = 1, .first_row = 4, .rows = 10},
    {.name = {"tags", 4}, .ids = 2, .id_count = 3, .first_row = 14, .rows = 6, .is_text = true},
};
static const struct graph_row rows = {columns, 5, 3, 5, 20, 2, false};

static const char *shape_of(const struct graph *graph, uint32_t node)
{
    static char buffer[GRAPH_SHAPE_BYTES];

    return graph_shape_text(&graph->nodes[node].shape, buffer);
}

/* Two towers over embeddings, and the numbers. */
static void make_towers(struct graph *graph)
{
    struct error err;
    const uint32_t plan = CALL(graph, "column", text_of("plan"));
    const uint32_t city = CALL(graph, "column", text_of("city"));
    const uint32_t u = CALL(graph, "embedding", node_of(plan), number_of(8));
    const uint32_t i = CALL(graph, "embedding", node_of(city), number_of(8));
    const uint32_t both = CALL(graph, "multiply", node_of(u), node_of(i));
    const uint32_t numbers = made_call(graph, "numbers", NULL, 0);
    const uint32_t all =
        CALL(graph, "concat", node_of(u), node_of(i), node_of(both), node_of(numbers));
    const uint32_t hidden = CALL(graph, "dense", node_of(all), number_of(16));
    const uint32_t active = CALL(graph, "relu", node_of(hidden));
    const uint32_t dropped = CALL(graph, "dropout", node_of(active), number_of(0.1));
    const uint32_t end =
        CALL(graph, "dense", node_of(dropped), named("units", number_of(GRAPH_OUTPUTS)));

    CHECK_OK(graph_end(graph, &end, 1, &err));
}

static void shapes_and_parameters_follow_from_the_columns(void **state)
{
    struct graph *graph = &((struct fixture *)*state)->graph;
    struct error err;

    make_towers(graph);
    CHECK_OK(graph_infer(graph, &rows, &err));
    assert_string_equal(shape_of(graph, 0), "(1 ids)");
    assert_string_equal(shape_of(graph, 2), "(8)");
    assert_string_equal(shape_of(graph, 6), "(27)");
    assert_string_equal(shape_of(graph, 10), "(2)");
    CHECK_INT(graph->parameter_count, 5);
    assert_string_equal(graph->parameters[0].name, "dense_1/weights");
    CHECK_INT(graph->parameters[0].rows, 27);
    CHECK_INT(graph->parameters[0].start.next, ACTIVATION_RELU);
    assert_string_equal(graph->parameters[3].name, "dense_2/bias");
    CHECK_INT(graph->parameters[3].start.rule, GRAPH_START_OUTPUTS);
    assert_string_equal(graph->parameters[4].name, "words/table");
    /* both embeddings have the same columns of the table: their words are other rows */
    CHECK_INT(graph->table_width, 8);
    CHECK_INT(graph->floats, 27 * 16 + 16 + 16 * 2 + 2 + 20 * 8);
}

static void nodes_that_take_the_same_words_have_columns_of_their_own(void **state)
{
    struct graph *graph = &((struct fixture *)*state)->graph;
    struct error err;
    const uint32_t words = made_call(graph, "words", NULL, 0);
    const uint32_t numbers = made_call(graph, "numbers", NULL, 0);
    const uint32_t deep = CALL(graph, "embedding", node_of(words), number_of(4));
    const uint32_t wide = CALL(graph, "dense", node_of(numbers), node_of(words), number_of(2));

    (void)CALL(graph, "relu", node_of(deep)); /* nothing depends on it */
    CHECK_OK(graph_end(graph, &wide, 1, &err));
    CHECK_OK(graph_infer(graph, &rows, &err));
    CHECK_INT(graph->table_width, 2);
    CHECK(!graph->nodes[deep].is_used);

    CHECK_OK(graph_end(graph,
                       &(uint32_t){CALL(graph, "add", node_of(wide),
                                        node_of(CALL(graph, "dense",
                                                     node_of(CALL(graph, "concat", node_of(deep),
                                                                  named("axis", number_of(0)))),
                                                     number_of(2))))},
                       1, &err));
    CHECK_FAILS(graph_infer(graph, &rows, &err), STATUS_INVALID,
                "the returned value has the shape (3, 2), and the label asks for (2)");
    CHECK_INT(graph->table_width, 6);
    assert_string_equal(shape_of(graph, deep), "(3, 4)");
    CHECK_INT(err.position, 5);
}

/* The model returns as many numbers as there are; parameters that nothing is learned of are
 * refused. */
static void a_graph_may_have_a_loss_of_its_own(void **state)
{
    struct graph *graph = &((struct fixture *)*state)->graph;
    struct error err;
    const uint32_t x = made_call(graph, "numbers", NULL, 0);
    const uint32_t code = CALL(graph, "dense", node_of(x), number_of(2));
    const uint32_t given = CALL(graph, "dense", node_of(code), number_of(3));
    const uint32_t lost = CALL(graph, "subtract", node_of(x), node_of(given));
    const uint32_t mean = CALL(graph, "mean", node_of(CALL(graph, "exp", node_of(lost))));
    const uint32_t beside = CALL(graph, "dense", node_of(code), number_of(1));
    const uint32_t square = CALL(graph, "reshape", node_of(x), named("shape", LIST_OF(3, 1)));

    CHECK_OK(graph_end(graph, &code, 1, &err));
    CHECK_FAILS(graph_minimise(graph, 99, &err), STATUS_INVALID, "there is no node 99");
    CHECK_OK(graph_minimise(graph, mean, &err));
    CHECK_OK(graph_infer(graph, &rows, &err));
    CHECK_INT(graph->row.outputs, 2);
    CHECK(graph->nodes[given].is_minimised && !graph->nodes[beside].is_used);
    CHECK_INT(graph->parameters[1].start.rule, GRAPH_START_ZERO);

    CHECK_OK(graph_end(graph, &beside, 1, &err));
    CHECK_FAILS(graph_infer(graph, &rows, &err), STATUS_INVALID,
                "dense: its parameters are not learned");
    CHECK_OK(graph_end(graph, &square, 1, &err));
    CHECK_FAILS(graph_infer(graph, &rows, &err), STATUS_INVALID,
                "the returned value has the shape (3, 1), and is up to 128 numbers");
    CHECK_OK(graph_minimise(graph, lost, &err));
    CHECK_FAILS(graph_infer(graph, &rows, &err), STATUS_INVALID, "the loss has the shape (3)");
    assert_string_equal(err.hint, "mean(x) and sum(x) make one of x.");
    CHECK_OK(graph_minimise(graph, CALL(graph, "sum", node_of(x)), &err));
    CHECK_FAILS(graph_infer(graph, &rows, &err), STATUS_INVALID, "the loss has nothing to learn");
}

/* A value that is there for its width alone gives its inputs no gradient. */
static void what_is_not_minimised_takes_no_part_in_gradients(void **state)
{
    struct graph *graph = &((struct fixture *)*state)->graph;
    struct error err;
    const uint32_t x = made_call(graph, "numbers", NULL, 0);
    const uint32_t y = CALL(graph, "dense", node_of(x), number_of(5));
    const uint32_t wide = CALL(graph, "relu", node_of(y));
    const uint32_t end = CALL(graph, "dense", node_of(x), number_of(GRAPH_WIDTH_OF(wide)));

    CHECK_OK(
        graph_end(graph, &(uint32_t){CALL(graph, "dense", node_of(end), number_of(2))}, 1, &err));
    CHECK_OK(graph_infer(graph, &rows, &err));
    CHECK(graph->nodes[y].is_used && !graph->nodes[y].is_minimised);
    CHECK_INT(graph->nodes[x].takers, 1);
}

static void calls_that_cannot_be_are_refused_at_their_place(void **state)
{
    struct graph *graph = &((struct fixture *)*state)->graph;
    struct error err;
    const uint32_t x = made_call(graph, "numbers", NULL, 0);

    CALL_FAILS(graph, "densse", "there is no operation \"densse\"", node_of(x));
    assert_string_equal(err.hint, "Did you mean dense?");
    CHECK_INT(err.position, 5);
    CALL_FAILS(graph, "dense", "dense needs units", node_of(x));
    CALL_FAILS(graph, "dense", "units of dense is a whole number from 1 to 65536, not 0",
               node_of(x), number_of(0));
    CHECK_INT(err.position, 8);
    CALL_FAILS(graph, "dense", "not 1.5", node_of(x), number_of(1.5));
    CALL_FAILS(graph, "dense", "units of dense is given twice", node_of(x), number_of(1),
               named("units", number_of(2)));
    CALL_FAILS(graph, "dense", "dense has no argument \"unit\"", node_of(x),
               named("unit", number_of(2)));
    assert_string_equal(err.hint, "Its arguments are units and bias.");
    CALL_FAILS(graph, "dense", "here are more", node_of(x), number_of(1), number_of(1),
               number_of(1));
    CALL_FAILS(graph, "dense", "takes its values first", node_of(x), number_of(1), node_of(x));
    CALL_FAILS(graph, "dense", "without a name behind one with a name", node_of(x),
               named("units", number_of(1)), number_of(1));
    CALL_FAILS(graph, "dense", "units of dense is a whole number, not a text", node_of(x),
               named("units", text_of("many")));
    CALL_FAILS(graph, "relu", "relu takes 1 value first, here are 0", number_of(1));
    CALL_FAILS(graph, "relu", "relu takes at most 1 value", node_of(x), node_of(x));
    CALL_FAILS(graph, "relu", "there is no node 9", node_of(9));
    CALL_FAILS(graph, "numbers", "numbers takes no values", node_of(x));
    CALL_FAILS(graph, "column", "name of column is the name of a column in quotes, not a number",
               number_of(1));
    CALL_FAILS(graph, "embedding", "combiner of embedding is no \"max\"", node_of(x), number_of(1),
               named("combiner", text_of("max")));
    assert_string_equal(err.hint, "It is one of auto, sqrtn, sum and mean.");
    CHECK_FAILS(graph_end(graph, &(uint32_t){1}, 1, &err), STATUS_INVALID, "no node 1 to return");
    CHECK_FAILS(graph_end(graph, &(uint32_t){0}, 2, &err), STATUS_INVALID, "one value, not 2");
}

static void infer_fails(struct graph *graph, uint32_t output, const char *message)
{
    struct error err;

    CHECK_OK(graph_end(graph, &output, 1, &err));
    CHECK_FAILS(graph_infer(graph, &rows, &err), STATUS_INVALID, message);
    CHECK_INT(err.position, 5);
}

static void shapes_that_do_not_go_together_are_refused_with_both(void **state)
{
    struct graph *graph = &((struct fixture *)*state)->graph;
    const uint32_t x = made_call(graph, "numbers", NULL, 0);
    const uint32_t words = made_call(graph, "words", NULL, 0);
    const uint32_t y = CALL(graph, "dense", node_of(x), number_of(4));
    const uint32_t rank2 = CALL(graph, "embedding", node_of(words), number_of(5));

    infer_fails(graph, CALL(graph, "add", node_of(x), node_of(y)),
                "add: the shapes (3) and (4) do not go together");
    infer_fails(graph, CALL(graph, "concat", node_of(x), node_of(rank2)),
                "concat: (3) and (3, 5) do not lie side by side along axis 0");
    infer_fails(graph, CALL(graph, "concat", node_of(x), named("axis", number_of(1))),
                "concat: (3) has no axis 1");
    infer_fails(graph, CALL(graph, "relu", node_of(words)),
                "relu: it takes numbers, and words are words");
    infer_fails(graph, CALL(graph, "embedding", node_of(x), number_of(4)),
                "embedding: it takes words, and numbers are numbers");
    infer_fails(graph, CALL(graph, "dense", node_of(x), node_of(y), number_of(4)),
                "dense: it takes one value of numbers, here are two");
    infer_fails(graph, CALL(graph, "dense", node_of(rank2), node_of(words), number_of(4)),
                "words go with an array of one axis, not with (3, 5)");
    infer_fails(graph, CALL(graph, "column", text_of("none")),
                "column: no input is called \"none\"");
    infer_fails(graph, x, "the returned value has nothing to learn");
    infer_fails(graph, y, "has the shape (4), and the label asks for (2)");
}

static void a_graph_reads_back_as_it_was_written(void **state)
{
    struct fixture *fixture = *state;
    struct graph read;
    struct text first, second;
    struct error err;
    cJSON *json = cJSON_CreateObject(), *again = cJSON_CreateObject();

    text_init(&first, 1 << 16);
    text_init(&second, 1 << 16);
    make_towers(&fixture->graph);
    graph_write(&fixture->graph, json);
    CHECK_OK(json_print(json, false, &first, &err));
    cJSON_Delete(json);
    CHECK_OK(json_parse(text_slice(&first), 1 << 16, &json, &err));
    CHECK_OK(graph_read(json, &fixture->arena, &read, &err));
    CHECK_OK(graph_infer(&read, &rows, &err));
    CHECK_INT(read.floats, 27 * 16 + 16 + 16 * 2 + 2 + 20 * 8);
    graph_write(&read, again);
    CHECK_OK(json_print(again, false, &second, &err));
    assert_string_equal(text_string(&first), text_string(&second));
    CHECK(strstr(text_string(&first), "\"units\":\"outputs\"") != NULL);
    text_deinit(&first);
    text_deinit(&second);
    cJSON_Delete(json);
    cJSON_Delete(again);
}

static void read_fails(struct fixture *fixture, const char *text, const char *message)
{
    struct graph graph;
    struct error err;
    cJSON *json;

    CHECK_OK(json_parse(slice_of(text), 1 << 20, &json, &err));
    CHECK_FAILS(graph_read(json, &fixture->arena, &graph, &err), STATUS_CORRUPT, message);
    cJSON_Delete(json);
}

static void a_loss_reads_back_as_it_was_written(void **state)
{
    struct fixture *fixture = *state;
    struct graph *graph = &fixture->graph, read, copy;
    struct error err;
    struct text text;
    cJSON *json = cJSON_CreateObject();
    const uint32_t x = made_call(graph, "numbers", NULL, 0);
    const uint32_t y = CALL(graph, "dense", node_of(x), number_of(1));
    const uint32_t loss = CALL(graph, "multiply", node_of(y), node_of(y));

    CHECK_OK(graph_end(graph, &y, 1, &err));
    CHECK_OK(graph_copy(graph, &fixture->arena, &copy, &err));
    CHECK_OK(graph_minimise(graph, loss, &err));
    CHECK(!graph_equal(graph, &copy));
    graph_write(graph, json);
    text_init(&text, 1 << 16);
    CHECK_OK(json_print(json, false, &text, &err));
    cJSON_Delete(json);
    CHECK_OK(json_parse(text_slice(&text), 1 << 16, &json, &err));
    text_deinit(&text);
    CHECK_OK(graph_read(json, &fixture->arena, &read, &err));
    CHECK(graph_equal(graph, &read));
    CHECK_INT(read.loss, loss);
    CHECK_OK(graph_copy(&read, &fixture->arena, &copy, &err));
    CHECK(graph_equal(graph, &copy));
    cJSON_Delete(json);
}

static void json_that_is_no_graph_is_refused(void **state)
{
    struct fixture *fixture = *state;

    read_fails(fixture, "{}", "nodes");
    read_fails(fixture, "{\"nodes\":[],\"outputs\":[]}", "there is no output");
    read_fails(fixture, "{\"nodes\":[],\"outputs\":[0]}", "no node 0");
    read_fails(fixture, "{\"nodes\":[],\"outputs\":[-1]}", "the number of a node is invalid");
    read_fails(fixture, "{\"nodes\":[1],\"outputs\":[0]}", "a node is no object");
    read_fails(fixture, "{\"nodes\":[{\"operation\":\"x\"}],\"outputs\":[0]}",
               "no operation \"x\"");
    read_fails(fixture, "{\"nodes\":[{\"operation\":\"relu\",\"inputs\":[0]}],\"outputs\":[0]}",
               "there is no node 0");
    read_fails(fixture, "{\"nodes\":[{\"operation\":\"relu\",\"inputs\":[0.5]}],\"outputs\":[0]}",
               "the number of a node is invalid");
    read_fails(fixture, "{\"nodes\":[{\"operation\":\"numbers\",\"x\":{}}],\"outputs\":[0]}",
               "no number, list or text");
    read_fails(fixture, "{\"nodes\":[{\"operation\":\"numbers\",\"x\":[\"a\"]}],\"outputs\":[0]}",
               "a list has what is no number");
    read_fails(fixture, "{\"nodes\":[{\"operation\":\"numbers\",\"x\":1}],\"outputs\":[0]}",
               "numbers has no argument \"x\"");
    read_fails(fixture, "{\"nodes\":[{\"operation\":\"numbers\"}],\"outputs\":[0],\"minimised\":1}",
               "no node 1 to minimise");
    read_fails(fixture,
               "{\"nodes\":[{\"operation\":\"numbers\"}],\"outputs\":[0],\"minimised\":-1}",
               "minimised");
}

static void a_graph_has_a_limit_of_calls(void **state)
{
    struct graph *graph = &((struct fixture *)*state)->graph;
    struct error err;

    for (uint32_t i = 0; i < GRAPH_NODES_MAX; i++)
        made_call(graph, "numbers", NULL, 0);
    CHECK_FAILS(graph_call(graph, slice_of("numbers"), NULL, 0, 5, &(uint32_t){0}, &err),
                STATUS_LIMIT, "at most 1024 calls");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_fixture, close_fixture)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(shapes_and_parameters_follow_from_the_columns),
        TEST(nodes_that_take_the_same_words_have_columns_of_their_own),
        TEST(a_graph_may_have_a_loss_of_its_own),
        TEST(what_is_not_minimised_takes_no_part_in_gradients),
        TEST(a_loss_reads_back_as_it_was_written),
        TEST(calls_that_cannot_be_are_refused_at_their_place),
        TEST(shapes_that_do_not_go_together_are_refused_with_both),
        TEST(a_graph_reads_back_as_it_was_written),
        TEST(json_that_is_no_graph_is_refused),
        TEST(a_graph_has_a_limit_of_calls),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
