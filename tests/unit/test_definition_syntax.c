#include "definition/syntax.h"
#include "tests/check.h"

/* Reads a text that is expected to fail: what, and where. */
static void check_refused(const char *text, const char *message, int line, int column)
{
    const struct slice slice = slice_of(text);
    struct line_column at;
    struct arena arena;
    struct step *steps;
    struct error err;
    enum status status;

    arena_init(&arena, ARENA_MAXIMUM);
    error_clear(&err);
    status = definition_read(slice, &arena, &steps, &err);
    arena_deinit(&arena);
    if (status == STATUS_OK)
        check_failed("\"%s\" was read", text);
    if (!strstr(err.message, message))
        check_failed("\"%s\": \"%s\", not \"%s\"", text, err.message, message);
    at = definition_place(slice, err.position);
    if (at.line != line || at.column != column)
        check_failed("\"%s\": \"%s\" at %d:%d, not %d:%d", text, err.message, at.line, at.column,
                     line, column);
}

static void check_hint(const char *text, const char *hint)
{
    struct arena arena;
    struct step *steps;
    struct error err;

    arena_init(&arena, ARENA_MAXIMUM);
    error_clear(&err);
    CHECK(definition_read(slice_of(text), &arena, &steps, &err) != STATUS_OK);
    arena_deinit(&arena);
    if (!strstr(err.hint, hint))
        check_failed("\"%s\": hint \"%s\", not \"%s\"", text, err.hint, hint);
}

/* a + b * c as (+ a (* b c)) */
static void print(const struct expression *expression, struct text *out)
{
    switch (expression->kind) {
    case EXPRESSION_NUMBER:
        text_printf(out, "%g", expression->number);
        return;
    case EXPRESSION_TEXT:
        text_printf(out, "'%.*s'", SLICE_FORMAT(expression->name));
        return;
    case EXPRESSION_NAME:
        text_printf(out, expression->is_quoted ? "\"%.*s\"" : "%.*s",
                    SLICE_FORMAT(expression->name));
        return;
    case EXPRESSION_NEGATE:
        text_append_string(out, "(- ");
        print(expression->left, out);
        break;
    case EXPRESSION_BINARY:
    case EXPRESSION_ELEMENT:
        text_printf(out, "(%s ",
                    expression->kind == EXPRESSION_ELEMENT ? "item"
                                                           : (char[]){expression->sign, '\0'});
        print(expression->left, out);
        text_append_char(out, ' ');
        print(expression->right, out);
        break;
    default:
        text_printf(
            out, "(%.*s",
            SLICE_FORMAT(expression->kind == EXPRESSION_LIST ? SLICE("list") : expression->name));
        for (const struct argument *item = expression->items; item; item = item->next) {
            text_printf(out, item->name.size > 0 ? " %.*s=" : " ", SLICE_FORMAT(item->name));
            print(item->value, out);
        }
    }
    text_append_char(out, ')');
}

static void check_value(const char *text, const char *expected)
{
    struct arena arena;
    struct step *steps;
    struct error err;
    struct text whole, out;

    arena_init(&arena, ARENA_MAXIMUM);
    text_init(&whole, TEXT_MAXIMUM);
    text_init(&out, TEXT_MAXIMUM);
    text_printf(&whole, "return %s", text);
    CHECK_OK(definition_read(text_slice(&whole), &arena, &steps, &err));
    CHECK_INT(steps->kind, STEP_RETURN);
    print(steps->value, &out);
    CHECK_SLICE(text_slice(&out), expected);
    text_deinit(&out);
    text_deinit(&whole);
    arena_deinit(&arena);
}

static void products_bind_more_than_sums(void **state)
{
    (void)state;
    check_value("a + b * c", "(+ a (* b c))");
    check_value("(a + b) * c", "(* (+ a b) c)");
    check_value("a - b - c", "(- (- a b) c)");
    check_value("- a * b", "(* (- a) b)");
    check_value("a / hidden[0]", "(/ a (item hidden 0))");
    check_value("-hidden[-1]", "(- (item hidden (- 1)))");
}

static void calls_take_arguments_by_place_and_by_name(void **state)
{
    (void)state;
    check_value("f()", "(f)");
    check_value("dense(h, units = 32, bias = 0)", "(dense h units=32 bias=0)");
    check_value("conv(x, [3, 3], 'it''s', \"a column\")",
                "(conv x (list 3 3) 'it's' \"a column\")");
    check_value("concat([a, b], [])", "(concat (list a b) (list))");
}

static void steps_end_with_a_semicolon_or_with_their_braces(void **state)
{
    const char *text = "a = 1;; -- a comment\n"
                       "function tower(x, n) { h = dense(x, n); return relu(h) }\n"
                       "for n in [1, 2] { for m in [3] { a = n } b = m; }\n"
                       "return a";
    struct arena arena;
    struct step *steps;
    struct error err;

    (void)state;
    arena_init(&arena, ARENA_MAXIMUM);
    CHECK_OK(definition_read(slice_of(text), &arena, &steps, &err));
    CHECK_INT(steps->kind, STEP_ASSIGN);
    CHECK_INT(steps->next->kind, STEP_FUNCTION);
    CHECK_SLICE(steps->next->name, "tower");
    CHECK_INT(steps->next->parameter_count, 2);
    CHECK_SLICE(steps->next->parameters[1].name, "n");
    CHECK_INT(steps->next->body->next->kind, STEP_RETURN);
    CHECK_INT(steps->next->next->kind, STEP_FOR);
    CHECK_INT(steps->next->next->body->kind, STEP_FOR);
    CHECK_INT(steps->next->next->body->next->kind, STEP_ASSIGN);
    CHECK_INT(steps->next->next->next->kind, STEP_RETURN);
    CHECK(!steps->next->next->next->next);
    arena_deinit(&arena);
}

static void an_empty_text_has_no_steps(void **state)
{
    struct arena arena;
    struct step *steps;
    struct error err;

    (void)state;
    arena_init(&arena, ARENA_MAXIMUM);
    CHECK_OK(definition_read(SLICE(" -- nothing"), &arena, &steps, &err));
    CHECK(!steps);
    arena_deinit(&arena);
}

static void errors_say_what_was_expected_and_where(void **state)
{
    (void)state;
    check_refused("a = ", "expected a value, found the end of the definition", 1, 5);
    check_refused("a = 1\nreturn a",
                  "expected \";\" or the end of the definition, found \"return\"", 2, 1);
    check_refused("for n in [1] a = 2", "expected \"{\", found \"a\"", 1, 14);
    check_refused("return dense(h 4)", "expected \",\" or \")\", found \"4\"", 1, 16);
    check_refused("\n\n  \xc3\xa4 = 3 %", "\"%\" has no meaning in a definition", 3, 9);
    check_refused("return dense(units = 3, h)", "an argument without a name", 1, 25);
    check_refused("return dense(units = 3, units = 4)", "a second \"units\"", 1, 25);
    check_refused("return [a = 1]", "an item of a list has no name", 1, 9);
    check_refused("function f(a, a) { return a }", "a second argument \"a\"", 1, 15);
    check_refused("a = 12abc", "\"12abc\" is not a number", 1, 5);
    check_refused("a = 'text", "this text has no end", 1, 5);
    check_refused("a = \"name", "this name has no end", 1, 5);
    check_refused("a /* open", "this comment has no end", 1, 3);
    check_refused("a = \"\"", "an empty name", 1, 5);
    check_refused("for = 3", "expected a name, found \"=\"", 1, 5);
    check_refused("a = b; }", "expected a step or the end of the definition, found \"}\"", 1, 8);
    check_refused("a = \xff", "byte 0xff is no text", 1, 5);
    check_refused("a = E'x'", "has no meaning", 1, 5);
    check_refused("a = a b", "expected", 1, 7);
}

static void hints_name_what_was_meant(void **state)
{
    (void)state;
    check_hint("retrun dense(h, 2)", "Did you mean return?");
    check_hint("funtion f(x) { return x }", "Did you mean function?");
    check_hint("a == 2", "Write =.");
    check_hint("a = 1 return a", "A step ends with a semicolon.");
    check_hint("in = 2", "in is a word of the language");
    check_hint("for n in [1]: a = 2", "A comment begins with --, and a block stands in braces.");
    check_hint("'a' = 2", "A name stands without quotes.");
}

static void repeat(struct text *out, const char *part, int count)
{
    for (int i = 0; i < count; i++)
        text_append_string(out, part);
}

static void check_limit(struct text *text, const char *message)
{
    struct arena arena;
    struct step *steps;
    struct error err;

    arena_init(&arena, ARENA_MAXIMUM);
    CHECK_FAILS(definition_read(text_slice(text), &arena, &steps, &err), STATUS_LIMIT, message);
    arena_deinit(&arena);
    text_clear(text);
}

static void everything_has_a_limit(void **state)
{
    struct text text;

    (void)state;
    text_init(&text, TEXT_MAXIMUM);
    text_append_string(&text, "return ");
    repeat(&text, "(", DEFINITION_DEPTH_MAX + 1);
    check_limit(&text, "nested deeper than 32");
    text_append_string(&text, "return a");
    repeat(&text, "+a", DEFINITION_TERMS_MAX + 1);
    check_limit(&text, "at most 200 values in each other");
    repeat(&text, "a=b;", DEFINITION_PARTS_MAX);
    check_limit(&text, "at most 8192 parts");
    repeat(&text, " ", (int)DEFINITION_BYTES_MAX + 1);
    check_limit(&text, "at most 65536 bytes");
    text_append_string(&text, "function f(a");
    for (int i = 0; i < DEFINITION_PARAMETERS_MAX; i++)
        text_printf(&text, ", a%d", i);
    text_append_string(&text, ") { }");
    check_limit(&text, "at most 32 arguments");
    text_deinit(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_bind_more_than_sums),
        cmocka_unit_test(calls_take_arguments_by_place_and_by_name),
        cmocka_unit_test(steps_end_with_a_semicolon_or_with_their_braces),
        cmocka_unit_test(an_empty_text_has_no_steps),
        cmocka_unit_test(errors_say_what_was_expected_and_where),
        cmocka_unit_test(hints_name_what_was_meant),
        cmocka_unit_test(everything_has_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
