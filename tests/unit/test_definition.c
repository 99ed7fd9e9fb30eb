#include "definition/definition.h"
#include "definition/zoo.h"
#include "graph/graph_print.h"
#include "parser/parser.h"
#include "tests/check.h"

static const struct definition_column some_columns[] = {
    {.name = {"age", 3}},
    {.name = {"Income", 6}},
    {.name = {"user_id", 7}, .is_word = true},
    {.name = {"item_id", 7}, .is_word = true},
    {.name = {"s[0]", 4}, .source = {"s", 1}, .is_sequence = true},
    {.name = {"s[1]", 4}, .source = {"s", 1}, .is_sequence = true},
};
static const struct definition_columns all = {.columns = some_columns, .count = 6};
static const struct definition_columns numbers_alone = {.columns = some_columns, .count = 2};

static const struct definition_columns *check_columns = &all; /* those of check_refused */

static enum status read(const char *sql, struct arena *arena, struct definition *definition,
                        struct error *err)
{
    struct statement statement;

    error_clear(err);
    TRY(parse_statement(slice_of(sql), arena, &statement, err));
    CHECK_INT(statement.kind, STATEMENT_DEFINE_MODEL);
    return definition_of_statement(&statement, slice_of(sql), arena, definition, err);
}

/* The graph of a text, one call after the other: "numbers(); relu(numbers_1)". */
static void check_graph(const char *arguments, const char *text,
                        const struct definition_columns *columns, const char *expected)
{
    struct definition definition;
    struct arena arena;
    struct text sql, out;
    struct graph graph;
    struct error err;

    arena_init(&arena, ARENA_MAXIMUM);
    text_init(&sql, TEXT_MAXIMUM);
    text_init(&out, TEXT_MAXIMUM);
    text_printf(&sql, "DEFINE MODEL zoo/x (%s) AS $$%s$$", arguments, text);
    CHECK_OK(read(text_string(&sql), &arena, &definition, &err));
    CHECK_OK(definition_compile(&definition, NULL, columns, &arena, &graph, &err));
    for (uint32_t i = 0; i < graph.node_count; i++) {
        text_append_string(&out, i > 0 ? "; " : "");
        graph_node_print_call(&graph, &graph.nodes[i], &out);
    }
    CHECK_SLICE(text_slice(&out), expected);
    CHECK_INT(graph.outputs[0], graph.node_count - 1);
    text_deinit(&out);
    text_deinit(&sql);
    arena_deinit(&arena);
}

/* A text that makes no graph of these columns: the message, its place, and the hint. */
static void check_refused(const char *text, const char *message, int line, int column,
                          const char *hint)
{
    struct definition definition = {.text = slice_of(text)};
    struct line_column at;
    struct arena arena;
    struct graph graph;
    struct error err;
    enum status status;

    arena_init(&arena, ARENA_MAXIMUM);
    error_clear(&err);
    CHECK_OK(definition_read(definition.text, &arena, &definition.steps, &err));
    status = definition_compile(&definition, NULL, check_columns, &arena, &graph, &err);
    if (status == STATUS_OK || !strstr(err.message, message) || !strstr(err.hint, hint))
        check_failed("\"%s\": \"%s\" (%s), not \"%s\" (%s)", text,
                     status == STATUS_OK ? "" : err.message, err.hint, message, hint);
    at = definition_place(definition.text, err.position);
    if (at.line != line || at.column != column)
        check_failed("\"%s\": \"%s\" at %d:%d, not %d:%d", text, err.message, at.line, at.column,
                     line, column);
    arena_deinit(&arena);
}

static void a_text_becomes_calls_of_operations(void **state)
{
    (void)state;
    check_graph("", "return dense(numbers, outputs)", &all,
                "numbers(); dense(numbers_1, units = outputs)");
    check_graph("dim = 16", "u = embedding(user_id, dim); return dense(concat(u, age), units = 2)",
                &all,
                "column(name = 'user_id'); embedding(column_1, size = 16); "
                "column(name = 'age'); concat(embedding_1, column_2); "
                "dense(concat_1, units = 2)");
}

static void loops_and_functions_are_unrolled(void **state)
{
    (void)state;
    check_graph("hidden = [8, 4]",
                "h = numbers; for n in hidden { h = relu(dense(h, n)) } return dense(h, 1)", &all,
                "numbers(); dense(numbers_1, units = 8); relu(dense_1); dense(relu_1, units = 4); "
                "relu(dense_2); dense(relu_2, units = 1)");
    check_graph("",
                "function layer(x, n) { return relu(dense(x, n)) }\n"
                "function two(x, n) { return layer(layer(x, n), n = n / 2) }\n"
                "return two(n = 8, x = numbers)",
                &all,
                "numbers(); dense(numbers_1, units = 8); relu(dense_1); "
                "dense(relu_1, units = 4); relu(dense_2)");
    check_graph("", "h = numbers; for i in range(2) { h = dense(h, i + 1) } return h", &all,
                "numbers(); dense(numbers_1, units = 1); dense(dense_1, units = 2)");
}

static void numbers_and_lists_are_computed(void **state)
{
    (void)state;
    check_graph("hidden = [8, 4]", "return dense(numbers, hidden[-1] * 2 - length(hidden))", &all,
                "numbers(); dense(numbers_1, units = 6)");
    check_graph("", "l = [1] + reverse([2, 3]); return dense(numbers, l[1])", &all,
                "numbers(); dense(numbers_1, units = 3)");
    check_graph("", "return -numbers + 1 - age * 2 + numbers / age", &all,
                "numbers(); constant(value = -1); multiply(numbers_1, constant_1); "
                "constant(value = 1); add(multiply_1, constant_2); column(name = 'age'); "
                "constant(value = 2); multiply(column_1, constant_3); subtract(add_1, multiply_2); "
                "divide(numbers_1, column_1); add(subtract_1, divide_1)");
    check_graph("", "return 1 - numbers", &all,
                "numbers(); constant(value = 1); subtract(constant_1, numbers_1)");
}

static void widths_and_parts_are_of_values(void **state)
{
    (void)state;
    check_graph("", "x = concat(age, numbers); return dense(numbers, width(x))", &all,
                "column(name = 'age'); numbers(); concat(column_1, numbers_1); "
                "dense(numbers_1, units = width(concat_1))");
    check_graph("", "l = split(numbers, 2); return l[0] * l[1]", &all,
                "numbers(); part(numbers_1, number = 0, parts = 2, axis = -1); "
                "part(numbers_1, number = 1, parts = 2, axis = -1); multiply(part_1, part_2)");
    check_graph("", "return concat(split(axis = 0, parts = 1, x = numbers))", &all,
                "numbers(); part(numbers_1, number = 0, parts = 1, axis = 0); concat(part_1)");
    check_refused("return dense(numbers, width(numbers) * 2)",
                  "the width of a value * a number has no meaning", 1, 38, "");
    check_refused("return dense(numbers, width(3))",
                  "width takes a value of the graph, not a number", 1, 29, "");
    check_refused("return split(numbers)", "split takes x, parts and perhaps an axis", 1, 8,
                  "split(x, 2)");
    check_refused("return split(numbers, 2, 0, 1)", "split takes x, parts and perhaps an axis", 1,
                  8, "split(x, 2)");
    check_refused("return split(numbers, 2.5)", "a whole number of parts from 1 to 64", 1, 8, "");
    check_refused("return dropout(numbers, width(numbers))", "rate of dropout is a number from 0",
                  1, 25, "");
}

static void calls_are_named_by_texts_and_pictures_have_shapes(void **state)
{
    (void)state;
    check_graph("cell = gru", "return apply(cell, reshape(numbers, [2, 1]), 3)", &all,
                "numbers(); reshape(numbers_1, shape = [2, 1]); gru(reshape_1, units = 3)");
    check_graph("c = 'age'", "return image(c, 1, 1) + image(income, 1, 1, 1)", &all,
                "column(name = 'age'); reshape(column_1, shape = [1, 1, 1]); "
                "column(name = 'Income'); reshape(column_2, shape = [1, 1, 1]); "
                "add(reshape_1, reshape_2)");
    check_graph("",
                "h = []; for s in number_sequences { h = h + [gru(s, 2)] } "
                "for x in numbers { h = h + [x] } return concat(h)",
                &all,
                "sequence(name = 's'); gru(sequence_1, units = 2); numbers(); "
                "concat(gru_1, numbers_1)");
    check_refused("return apply(3)", "the name of an operation as a text, not a number", 1, 14, "");
    check_refused("return apply()", "apply takes the name of an operation first", 1, 8, "");
    check_refused("return apply('relo', age)", "there is no operation \"relo\"", 1, 8, "relu");
    check_refused("return image(age, 8)", "image takes a column, a height, a width", 1, 8, "");
    check_refused("return image(age, 8, 'a')", "image takes numbers behind the column", 1, 22, "");
    check_refused("return image(ag, 8, 8)", "no input is called \"ag\"", 1, 14, "age");
}

static void a_loss_is_what_the_steps_call_so(void **state)
{
    struct definition definition;
    struct arena arena;
    struct error err;

    (void)state;
    arena_init(&arena, ARENA_MAXIMUM);
    check_graph("", "y = dense(numbers, 1); loss = sum(y * y); return loss", &all,
                "numbers(); dense(numbers_1, units = 1); multiply(dense_1, dense_1); "
                "sum(multiply_1)");
    CHECK_OK(read("DEFINE MODEL zoo/x AS 'y = dense(numbers, 1); for n in [1, 2] { loss = y } "
                  "return y'",
                  &arena, &definition, &err));
    CHECK(definition_has_loss(&definition));
    CHECK_OK(read("DEFINE MODEL zoo/x AS 'return dense(numbers, 1)'", &arena, &definition, &err));
    CHECK(!definition_has_loss(&definition));
    arena_deinit(&arena);
    check_refused("y = age; loss = 3; return y", "the loss is a value of the graph, not a number",
                  1, 10, "");
    check_refused("y = age; for n in [] { loss = y } return y", "the loss got no value", 1, 43, "");
    check_refused("for loss in [1] { a = 1 } return age", "loss is the value that is minimised", 1,
                  1, "another name");
    check_refused("function f(x) { loss = x; return x } return f(age)",
                  "loss is the value that is minimised", 1, 17, "another name");
    check_refused("y = dense(age, outputs); loss = sum(y); return y",
                  "outputs are those that a label asks for", 1, 5, "dense(h, 2)");
}

static void inputs_that_are_missing_are_empty_lists(void **state)
{
    const char *text = "parts = [numbers];\n"
                       "for c in categories { parts = parts + [embedding(c, 2)] }\n"
                       "return concat(parts)";

    (void)state;
    check_graph("", text, &numbers_alone, "numbers(); concat(numbers_1)");
    check_graph("", text, &all,
                "numbers(); column(name = 'user_id'); column(name = 'item_id'); "
                "embedding(column_1, size = 2); embedding(column_2, size = 2); "
                "concat(numbers_1, embedding_1, embedding_2)");
    check_graph("", "return dense(numbers, words, 1)", &numbers_alone,
                "numbers(); dense(numbers_1, units = 1)");
}

static void names_of_columns_and_words_need_no_quotes(void **state)
{
    (void)state;
    check_graph("", "return embedding(column(USER_ID), 4, combiner = mean)", &all,
                "column(name = 'user_id'); embedding(column_1, size = 4, combiner = 'mean')");
    check_graph("who = 'user_id'", "return embedding(column(who), 4, 'sum')", &all,
                "column(name = 'user_id'); embedding(column_1, size = 4, combiner = 'sum')");
    check_graph("age = 3", "return dense(\"age\", age)", &all,
                "column(name = 'age'); dense(column_1, units = 3)");
    check_graph("", "return relu(income)", &all, "column(name = 'Income'); relu(column_1)");
    check_graph("", "return gru(sequence(S), 4)", &all,
                "sequence(name = 's'); gru(sequence_1, units = 4)");
}

static void errors_have_their_place_and_a_suggestion(void **state)
{
    (void)state;
    check_refused("return dens(numbers, 2)", "there is no operation \"dens\"", 1, 8,
                  "Did you mean dense?");
    check_refused("function tower(x) { return x }\nreturn towr(numbers)",
                  "there is no operation \"towr\"", 2, 8, "Did you mean tower?");
    check_refused("return dense(nmbers, 2)", "\"nmbers\" is no value, argument or input", 1, 14,
                  "Did you mean numbers?");
    check_refused("hidden = 3; return dense(age, hiden)", "\"hiden\" is no value", 1, 31,
                  "Did you mean hidden?");
    check_refused("return relu(usr_id)", "\"usr_id\" is no value", 1, 13, "Did you mean user_id?");
    check_refused("return relu(\"agee\")", "no input is called \"agee\"", 1, 13,
                  "Did you mean age?");
    check_refused("return relu(column(other))", "no input is called \"other\"", 1, 20,
                  "The inputs are ");
    check_refused("return relu(column(agee))", "no input is called \"agee\"", 1, 20,
                  "Did you mean age?");
    check_refused("return dense(numbers, unit = 2)", "dense has no argument \"unit\"", 1, 23,
                  "units");
    check_refused("return\n dense(numbers)", "dense needs units", 2, 2, "");
    check_refused("return dense(numbers, 0)", "units of dense is a whole number from 1", 1, 23, "");
    check_refused("return dense(numbers, 'a')", "units of dense is a whole number", 1, 23, "");
    check_refused("return relu()", "relu takes 1 value first", 1, 8, "");
    check_refused("return relu(3)", "relu takes 1 value first", 1, 8, "");
}

static void what_has_no_meaning_is_refused(void **state)
{
    (void)state;
    check_refused("h = numbers;", "the definition returns nothing", 1, 13, "return dense(");
    check_refused("return 3", "a definition returns a value of the graph, not a number", 1, 8, "");
    check_refused("return [numbers] * 2", "a list * a number has no meaning", 1, 18, "");
    check_refused("return outputs + 1", "the number of outputs + a number has no meaning", 1, 16,
                  "");
    check_refused("return 1 / 0", "1 / 0 is no number", 1, 10, "");
    check_refused("for n in 3 { a = n } return age", "for goes over a list, not a number", 1, 10,
                  "");
    check_refused("for n in [1] { return age }", "return stands in no loop", 1, 16, "");
    check_refused("return age; a = 3", "a step behind return is never carried out", 1, 13, "");
    check_refused("numbers = 3; return age", "numbers is an input", 1, 1, "");
    check_refused("function relu(x) { return x } return age", "relu is an operation", 1, 1, "");
    check_refused("function f(x) { a = x } return f(age)", "function f returns nothing", 1, 1, "");
    check_refused("function f(x) { return f(x) } return f(age)", "there is no operation \"f\"", 1,
                  24, "");
    check_refused("function f(x) { return x } return f()", "f needs x", 1, 35, "");
    check_refused("function f(x) { return x } return f(age, 2)", "f takes 1 argument", 1, 42, "");
    check_refused("function f(x) { return x } return f(age, x = age)", "x of f is given twice", 1,
                  42, "");
    check_refused("function f(value) { return value } return f(vaule = age)",
                  "f has no argument \"vaule\"", 1, 45, "Did you mean value?");
    check_refused("a = 3; function f(x) { return a } return f(age)", "\"a\" is no value", 1, 31,
                  "");
    check_refused("a = [1]; return dense(age, a[1])", "a list of 1 item has no item 1", 1, 30, "");
    check_refused("a = [1]; return dense(age, a[0.5])", "has no item 0.5", 1, 30, "");
    check_refused("a = 1; return a[0]", "an item is taken of a list by its number", 1, 16, "");
    check_refused("return dense(age, [1, outputs])", "the number of outputs in a list of numbers",
                  1, 19, "");
    check_refused("return dense(age, length(3))", "length takes a list, not a number", 1, 26, "");
    check_refused("return dense(age, length())", "length takes one argument", 1, 19, "");
    check_refused("return dense(age, range(-1))", "range takes a whole number from 0 to 1024", 1,
                  25, "");
}

static void what_is_unrolled_has_limits(void **state)
{
    (void)state;
    check_refused("h = age; for i in range(1024) { h = relu(h) } return h",
                  "a graph has at most 1024 calls", 1, 37, "");
    check_refused("for i in range(1024) { for k in range(1024) { a = 1 } } return age",
                  "computes more than 100000 values", 1, 47, "");
    check_refused("l = [1]; for i in range(12) { l = l + l } return age",
                  "a list of more than 1024 items", 1, 37, "");
    check_refused("function f0(x) { return x }\n"
                  "function f1(x) { return f0(f0(f0(f0(x)))) }\n"
                  "function f2(x) { return f1(f1(f1(f1(x)))) }\n"
                  "function f3(x) { return f2(f2(f2(f2(x)))) }\n"
                  "function f4(x) { return f3(f3(f3(f3(x)))) }\n"
                  "function f5(x) { return f4(f4(f4(f4(x)))) }\n"
                  "function f6(x) { return f5(f5(f5(f5(x)))) }\n"
                  "function f7(x) { return f6(f6(f6(f6(x)))) }\n"
                  "function f8(x) { return f7(f7(f7(f7(x)))) }\n"
                  "return f8(1)",
                  "computes more than 100000 values", 2, 28, "");
    check_refused("return concat([age, age, age, age, age, age, age, age, age, age, age, age, age, "
                  "age, age, age, age, age, age, age, age, age, age, age, age, age, age, age, age, "
                  "age, age, age, age, age, age, age, age, age, age, age, age, age, age, age, age, "
                  "age, age, age, age, age, age, age, age, age, age, age, age, age, age, age, age, "
                  "age, age, age, age, age, age, age, age, age, age, age, age, age])",
                  "an operation takes at most 64 values", 1, 15, "");
}

/* ----- definitions ----- */

static void check_statement(const char *sql, const char *message, int position)
{
    struct definition definition;
    struct arena arena;
    struct error err;

    arena_init(&arena, ARENA_MAXIMUM);
    if (read(sql, &arena, &definition, &err) == STATUS_OK)
        check_failed("\"%s\" was read", sql);
    if (!strstr(err.message, message) || err.position != position)
        check_failed("\"%s\": \"%s\" at %d, not \"%s\" at %d", sql, err.message, err.position,
                     message, position);
    arena_deinit(&arena);
}

static void a_statement_gives_name_arguments_and_text(void **state)
{
    const char *sql =
        "define or replace model Main.zoo/Tower (dim = 16, rate = 0.5, act = relu, "
        "hidden = [64, 32]) as 'return dense(embedding(column(''user_id''), dim), 1)'";
    struct definition definition, again;
    struct arena arena;
    struct error err;

    (void)state;
    arena_init(&arena, ARENA_MAXIMUM);
    CHECK_OK(read(sql, &arena, &definition, &err));
    CHECK_SLICE(definition.name.schema, "Main");
    CHECK_SLICE(definition.name.name, "zoo/tower");
    CHECK_INT(definition.argument_count, 4);
    CHECK_INT(definition.arguments[0].type, DEFINITION_NUMBER);
    CHECK_INT(definition.arguments[1].type, DEFINITION_NUMBER);
    CHECK_INT(definition.arguments[2].type, DEFINITION_TEXT);
    CHECK_INT(definition.arguments[3].type, DEFINITION_LIST);
    CHECK_SLICE(slice_of(definition_type_name(DEFINITION_LIST)), "list");
    CHECK_SLICE(definition.text, "return dense(embedding(column('user_id'), dim), 1)");
    CHECK_SLICE(definition.statement,
                "DEFINE MODEL zoo/tower (dim = 16, rate = 0.5, act = relu, hidden = [64, 32]) AS "
                "'return dense(embedding(column(''user_id''), dim), 1)'");
    CHECK_OK(definition_of_stored(definition.statement, SLICE("zoo/tower"), &arena, &again, &err));
    CHECK_SLICE(again.statement, definition.statement.data);
    CHECK_SLICE(slice_of(again.digest), definition.digest);
    CHECK_INT(strlen(again.digest), DEFINITION_DIGEST_DIGITS);
    arena_deinit(&arena);
}

static void errors_of_a_text_are_placed_in_the_statement(void **state)
{
    (void)state;
    check_statement("DEFINE MODEL zoo/x AS 'a = 1;\n return dens(a)'",
                    "line 2, column 9: there is no operation \"dens\"", 38);
    check_statement("DEFINE MODEL zoo/x AS 'a = ''b''; return dens(a)'",
                    "line 1, column 17: there is no operation \"dens\"", 41);
    check_statement("DEFINE MODEL zoo/x AS $x$a = 1; return dens(a)$x$",
                    "line 1, column 15: there is no operation \"dens\"", 39);
    check_statement("DEFINE MODEL zoo/x AS 'return'", "line 1, column 7: expected a value", 29);
}

static void names_and_defaults_are_checked(void **state)
{
    (void)state;
    check_statement("DEFINE MODEL tower AS 'return age'", "a definition is called zoo/name", 13);
    check_statement("DEFINE MODEL zoo/a-b AS 'return age'", "a definition is called zoo/name", 13);
    check_statement("DEFINE MODEL zoo/x (a.b = 2) AS 'return age'", "an argument is named by", 20);
    check_statement("DEFINE MODEL zoo/x (outputs = 2) AS 'return age'", "outputs is an input", 20);
    check_statement("DEFINE MODEL zoo/x (a = [[1]]) AS 'return age'",
                    "the default of a is no number, text or list", 24);
    check_statement("DEFINE MODEL zoo/"
                    "a123456789012345678901234567890123456789012345678901234567890 AS 'return age'",
                    "a definition's name has at most 60 bytes", 13);
}

static void a_stored_text_that_is_damaged_is_refused(void **state)
{
    static const char *const damaged[] = {"",
                                          "SELECT 1",
                                          "DEFINE MODEL",
                                          "DEFINE MODEL zoo/x AS 'return ('",
                                          "DEFINE MODEL other AS 'return age'",
                                          "DEFINE MODEL zoo/other AS 'return age'",
                                          "DEFINE MODEL zoo/x AS 'return age'; DROP TABLE t"};
    struct definition definition;
    struct arena arena;
    struct error err;

    (void)state;
    arena_init(&arena, ARENA_MAXIMUM);
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++)
        CHECK_FAILS(
            definition_of_stored(slice_of(damaged[i]), SLICE("zoo/x"), &arena, &definition, &err),
            STATUS_CORRUPT, "zoo/x is damaged");
    arena_deinit(&arena);
}

static void values_have_the_type_of_the_default(void **state)
{
    const struct value one = {.kind = VALUE_NUMBER, .number = 1, .is_integer = true};
    const struct value half = {.kind = VALUE_NUMBER, .number = 0.5};
    const struct value word = {.kind = VALUE_WORD, .text = {"relu", 4}};
    struct definition_argument argument = {.name = {"dim", 3}, .type = DEFINITION_NUMBER};
    struct error err;

    (void)state;
    CHECK_OK(definition_check_value(&argument, &one, &err));
    CHECK_OK(definition_check_value(&argument, &half, &err));
    CHECK_FAILS(definition_check_value(&argument, &word, &err), STATUS_INVALID,
                "model.dim is a number");
    argument.type = DEFINITION_TEXT;
    CHECK_OK(definition_check_value(&argument, &word, &err));
    argument.type = DEFINITION_LIST;
    CHECK_FAILS(definition_check_value(&argument, &one, &err), STATUS_INVALID,
                "model.dim is a list");
}

static void the_zoo_is_made_of_definitions(void **state)
{
    struct definition definition;
    struct arena arena;
    struct error err;

    (void)state;
    arena_init(&arena, ARENA_MAXIMUM);
    for (const struct zoo_definition *zoo = zoo_definitions; zoo->name; zoo++) {
        CHECK_OK(read(zoo->statement, &arena, &definition, &err));
        CHECK_SLICE(definition.name.name, zoo->name);
        CHECK(zoo_find(definition.name.name) == zoo);
    }
    CHECK(!zoo_find(SLICE("zoo/none")));
    CHECK(definition_is_name(SLICE("main.zoo/mlp")));
    CHECK(!definition_is_name(SLICE("LinearClassifier")));
    CHECK(!definition_is_name(SLICE("mazoo/x")));
    arena_deinit(&arena);
}

/* ---- several labels ---- */

static const struct slice two_labels[] = {{"clicked", 7}, {"Amount", 6}};
static const struct definition_columns labelled = {
    .columns = some_columns, .count = 6, .labels = two_labels, .label_count = 2};
static const struct definition_columns unlabelled = {
    .columns = some_columns, .count = 6, .has_no_label = true};

/* The calls before the heads, which all begin in the same way. */
#define TWO_HEADS                                                                                  \
    "numbers(); label(name = 'clicked'); dense(numbers_1, units = width(label_1)); "               \
    "label(name = 'Amount'); dense(numbers_1, units = width(label_2)); "

static void each_label_has_a_head(void **state)
{
    (void)state;
    check_graph("", "return [dense(numbers, outputs(clicked)), dense(numbers, outputs(amount))]",
                &labelled,
                TWO_HEADS "label_loss(dense_1, label_1); label_loss(dense_2, label_2); "
                          "add(label_loss_1, label_loss_2); concat(dense_1, dense_2)");
    check_graph("weights = [1, 0.5]",
                "losses = ['auto', 'huber']; heads = []; h = numbers; "
                "for l in labels { heads = heads + [dense(h, outputs(l))] } return heads",
                &labelled,
                "numbers(); label(name = 'clicked'); label(name = 'Amount'); "
                "dense(numbers_1, units = width(label_1)); "
                "dense(numbers_1, units = width(label_2)); "
                "label_loss(dense_1, label_1, loss = 'auto', weight = 1); "
                "label_loss(dense_2, label_2, loss = 'huber', weight = 0.5); "
                "add(label_loss_1, label_loss_2); concat(dense_1, dense_2)");
}

static void one_label_is_a_list_of_one(void **state)
{
    (void)state;
    check_graph("", "h = []; for l in labels { h = h + [dense(numbers, outputs(l))] } return h",
                &all, "numbers(); dense(numbers_1, units = outputs)");
    check_graph("", "return dense(numbers, length(labels) + 1)", &unlabelled,
                "numbers(); dense(numbers_1, units = 1)");
}

static void a_loss_that_is_said_is_minimised(void **state)
{
    (void)state;
    check_graph("",
                "a = dense(numbers, outputs(clicked)); b = dense(numbers, outputs(amount)); "
                "loss = label_loss(a, label(clicked)) * 2 + label_loss(b, label(amount)); "
                "return [a, b]",
                &labelled,
                "numbers(); label(name = 'clicked'); dense(numbers_1, units = width(label_1)); "
                "label(name = 'Amount'); dense(numbers_1, units = width(label_2)); "
                "label(name = 'clicked'); label_loss(dense_1, label_3); constant(value = 2); "
                "multiply(label_loss_1, constant_1); label(name = 'Amount'); "
                "label_loss(dense_2, label_4); add(multiply_1, label_loss_2); "
                "concat(dense_1, dense_2)");
}

static void heads_that_fit_no_labels_are_refused(void **state)
{
    (void)state;
    check_columns = &labelled;
    check_refused("return dense(numbers, 2)",
                  "the definition returns 1 value, and the statement has 2 labels", 1, 8,
                  "It returns a list");
    check_refused("return [dense(numbers, 2), 3]",
                  "a definition returns values of the graph, not a number", 1, 8, "");
    check_refused("return []", "the definition returns 0 values", 1, 8, "");
    check_refused("weights = [1]; return [dense(numbers, 2), dense(numbers, 1)]",
                  "weights are a list of 2 items here, one for each label", 1, 23, "");
    check_refused("weights = 3; return [dense(numbers, 2), dense(numbers, 1)]",
                  "weights are a list of 2 items", 1, 21, "");
    check_refused("losses = [1, 2]; return [dense(numbers, 2), dense(numbers, 1)]",
                  "losses holds a number, where a text is expected", 1, 25, "");
    check_refused("return dense(numbers, outputs(numbers))",
                  "outputs takes a label, not another value", 1, 31, "LABEL names several");
    check_refused("return dense(numbers, outputs(3))", "outputs takes a label, not a number", 1, 31,
                  "");
    check_refused("return dense(numbers, outputs())", "outputs takes one label", 1, 23, "");
    check_refused("return dense(numbers, outputs(l = clicked))", "outputs takes one label", 1, 23,
                  "");
    check_columns = &all;
    check_refused("return [dense(numbers, 2), dense(numbers, 1)]",
                  "the definition returns 2 values, and the statement has 1 label", 1, 8, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_label_has_a_head),
        cmocka_unit_test(one_label_is_a_list_of_one),
        cmocka_unit_test(a_loss_that_is_said_is_minimised),
        cmocka_unit_test(heads_that_fit_no_labels_are_refused),
        cmocka_unit_test(a_text_becomes_calls_of_operations),
        cmocka_unit_test(loops_and_functions_are_unrolled),
        cmocka_unit_test(numbers_and_lists_are_computed),
        cmocka_unit_test(widths_and_parts_are_of_values),
        cmocka_unit_test(a_loss_is_what_the_steps_call_so),
        cmocka_unit_test(calls_are_named_by_texts_and_pictures_have_shapes),
        cmocka_unit_test(inputs_that_are_missing_are_empty_lists),
        cmocka_unit_test(names_of_columns_and_words_need_no_quotes),
        cmocka_unit_test(errors_have_their_place_and_a_suggestion),
        cmocka_unit_test(what_has_no_meaning_is_refused),
        cmocka_unit_test(what_is_unrolled_has_limits),
        cmocka_unit_test(a_statement_gives_name_arguments_and_text),
        cmocka_unit_test(errors_of_a_text_are_placed_in_the_statement),
        cmocka_unit_test(names_and_defaults_are_checked),
        cmocka_unit_test(a_stored_text_that_is_damaged_is_refused),
        cmocka_unit_test(values_have_the_type_of_the_default),
        cmocka_unit_test(the_zoo_is_made_of_definitions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
