#include <stdlib.h>

#include "parser/lexer.h"
#include "parser/parser.h"
#include "parser/splitter.h"
#include "parser/statement_json.h"
#include "tests/check.h"

/* One statement, and the arena that holds its tree. */
struct fixture {
    struct arena arena;
    struct statement statement;
    struct error err;
    struct text text;
};

static int set_up(void **state)
{
    static struct fixture fixture;

    arena_init(&fixture.arena, ARENA_MAXIMUM);
    text_init(&fixture.text, TEXT_MAXIMUM);
    *state = &fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;

    arena_deinit(&fixture->arena);
    text_deinit(&fixture->text);
    return 0;
}

static enum status parse(struct fixture *fixture, const char *sql)
{
    return parse_statement(slice_of(sql), &fixture->arena, &fixture->statement, &fixture->err);
}

static enum status parse_built(struct fixture *fixture)
{
    return parse_statement(text_slice(&fixture->text), &fixture->arena, &fixture->statement,
                           &fixture->err);
}

/* CHECK_OK with the fixture's error. */
#define CHECK_PARSES(fixture, sql)                                                                 \
    do {                                                                                           \
        struct error err;                                                                          \
        enum status parsed = parse(fixture, sql);                                                  \
        err = (fixture)->err;                                                                      \
        CHECK_OK(parsed);                                                                          \
    } while (0)

/* A statement with `count` copies of `item`, which may hold one %zu. */
static void build(struct fixture *fixture, const char *start, size_t count, const char *separator,
                  const char *item, const char *end)
{
    text_clear(&fixture->text);
    text_append_string(&fixture->text, start);
    for (size_t i = 0; i < count; i++) {
        const char *number = strchr(item, '#');
        text_append_string(&fixture->text, i ? separator : "");
        if (number)
            text_printf(&fixture->text, "%.*s%zu%s", (int)(number - item), item, i, number + 1);
        else
            text_append_string(&fixture->text, item);
    }
    text_append_string(&fixture->text, end);
}

static void a_training_says_all_that_was_written(void **state)
{
    struct fixture *f = *state;
    struct statement *statement = &f->statement;

    CHECK_PARSES(f, (";; SELECT * FROM t TO TRAIN xgboost.gbtree WITH eta = -0.5, train.epoch = 10 "
                     "COLUMN a, BUCKET(b, [1, 2]) FOR linear LABEL \"y\" USING s.old INTO new; ;"));
    CHECK_INT(statement->kind, STATEMENT_TRAIN);
    CHECK_SLICE(statement->select, "SELECT * FROM t");
    CHECK_INT(statement->select_position, 3);
    CHECK_INT(statement->verb_position, 22);
    CHECK_SLICE(statement->model.text, "xgboost.gbtree");
    CHECK_INT(statement->setting_count, 2);
    CHECK_SLICE(statement->settings[1].name.text, "train.epoch");
    CHECK(statement->settings[0].value.number == -0.5 && !statement->settings[0].value.is_integer);
    CHECK(statement->settings[1].value.is_integer && statement->settings[1].value.integer == 10);
    CHECK_INT(statement->column_clause_count, 1);
    CHECK_SLICE(statement->columns[0].part.text, "linear");
    CHECK_INT(statement->columns[0].count, 2);
    CHECK_INT(statement->columns[0].columns[1].kind, COLUMN_CALL);
    CHECK_INT(statement->columns[0].columns[1].items[1].kind, COLUMN_LIST);
    CHECK(statement->label.quoted && statement->other_label_count == 0);
    CHECK_SLICE(statement->label.text, "y");
    CHECK_SLICE(path_last(&statement->object).text, "old");
    CHECK_SLICE(path_last(&statement->into).text, "new");
    CHECK_INT(path_last(&statement->predict_into).position, -1);
}

static void the_tree_does_not_point_into_the_text(void **state)
{
    struct fixture *f = *state;

    text_append_string(&f->text, "SELECT 1 TO TRAIN M WITH a = 'b' COLUMN c LABEL d INTO e");
    assert_int_equal(parse_built(f), STATUS_OK);
    memset(f->text.data, '#', f->text.size);
    CHECK_SLICE(f->statement.select, "SELECT 1");
    CHECK_SLICE(f->statement.model.text, "M");
    CHECK_SLICE(f->statement.settings[0].name.text, "a");
    CHECK_SLICE(f->statement.settings[0].value.text, "b");
    CHECK_SLICE(f->statement.columns[0].columns[0].name.text, "c");
    CHECK_SLICE(f->statement.label.text, "d");
    CHECK_SLICE(f->statement.into.parts[0].text, "e");
}

static void a_string_in_a_columns_place_is_a_pattern_and_later_a_value(void **state)
{
    struct fixture *f = *state;
    const struct column *columns;

    CHECK_PARSES(f, ("SELECT 1 TO TRAIN M COLUMN 'x.*', DENSE('y.*', 3, ','), \"z.*\", "
                     "DENSE(\"v\", 3, \",\") INTO m"));
    columns = f->statement.columns[0].columns;
    CHECK_INT(columns[0].kind, COLUMN_PATTERN);
    CHECK_INT(columns[1].items[0].kind, COLUMN_PATTERN);
    CHECK_INT(columns[1].items[2].kind, COLUMN_VALUE);
    CHECK_SLICE(columns[1].items[2].value.text, ",");
    CHECK_INT(columns[2].kind, COLUMN_NAME);
    CHECK_SLICE(columns[2].pattern, "z.*");
    CHECK_INT(columns[3].items[0].kind, COLUMN_NAME);
    CHECK_INT(columns[3].items[2].kind, COLUMN_VALUE);
    CHECK_SLICE(columns[3].items[2].value.text, ",");
}

static void errors_point_at_the_offending_byte_of_the_whole_text(void **state)
{
    struct fixture *f = *state;
    struct error err;
    const char *sql = "SELECT 1;\nSELECT 2 TO TRAIN M LABLE x INTO m";
    struct piece piece = split_piece(slice_of(sql), 9);

    CHECK_FAILS(parse_piece(slice_of(sql), &piece, &f->arena, &f->statement, &err), STATUS_SYNTAX,
                "expected WITH, COLUMN, LABEL, USING or INTO, found \"LABLE\"");
    CHECK_INT(err.position, strstr(sql, "LABLE") - sql);
    assert_string_equal(err.hint, "Did you mean LABEL?");
}

static void an_attribute_is_given_once_whatever_its_case(void **state)
{
    struct fixture *f = *state;

    CHECK_INT(parse(f, "SELECT 1 TO TRAIN M WITH a.b = 1, c = 2, A.\"B\" = 3 INTO m"),
              STATUS_SYNTAX);
    assert_string_equal(f->err.message, "attribute \"A.B\" is given twice");
    CHECK_INT(f->err.position, 41);
}

static void an_attribute_may_be_called_group(void **state)
{
    struct fixture *f = *state;

    CHECK_INT(parse(f, "SELECT 1 TO TRAIN M WITH group = 'a', a.group = 'b' INTO m"), STATUS_OK);
    CHECK_SLICE(f->statement.settings[0].name.text, "group");
    CHECK_SLICE(f->statement.settings[1].name.text, "a.group");
}

static void ordinary_sql_passes_through(void **state)
{
    struct fixture *f = *state;

    CHECK_INT(parse(f, " CREATE TABLE t(a) ; ; -- SELECT 1"), STATUS_OK);
    CHECK_INT(f->statement.kind, STATEMENT_SQL);
    CHECK_SLICE(f->statement.select, "CREATE TABLE t(a)");
    CHECK_INT(parse(f, " ; -- nothing"), STATUS_SYNTAX);
    assert_string_equal(f->err.message, "there is no statement");
}

static void a_second_statement_is_refused_at_its_place(void **state)
{
    struct fixture *f = *state;

    CHECK_INT(parse(f, "SHOW MODELS; SELECT 1"), STATUS_SYNTAX);
    assert_string_equal(f->err.message, "a second statement begins here, where one is expected");
    CHECK_INT(f->err.position, 13);
    CHECK_INT(parse(f, ";SELECT 1;; garbage"), STATUS_SYNTAX);
    CHECK_INT(f->err.position, 12);
}

static void check_limit(struct fixture *f, const char *message)
{
    CHECK_INT(parse_built(f), STATUS_LIMIT);
    if (!strstr(f->err.message, message))
        check_failed("\"%s\" does not contain \"%s\"", f->err.message, message);
}

static void limits_hold_and_the_largest_allowed_passes(void **state)
{
    struct fixture *f = *state;
    const char *with = "SELECT 1 TO TRAIN M WITH ", *list = "SELECT 1 TO TRAIN M WITH a = [";
    const char *column = "SELECT 1 TO TRAIN M COLUMN ", *into = " INTO m";

    build(f, with, STATEMENT_ATTRIBUTES_MAX, ",", "a# = 1", into);
    CHECK_INT(parse_built(f), STATUS_OK);
    build(f, with, STATEMENT_ATTRIBUTES_MAX + 1, ",", "a# = 1", into);
    check_limit(f, "at most 256 attributes");
    build(f, column, STATEMENT_COLUMNS_MAX, ",", "c", into);
    CHECK_INT(parse_built(f), STATUS_OK);
    CHECK_INT(f->statement.columns[0].count, STATEMENT_COLUMNS_MAX);
    build(f, column, STATEMENT_COLUMNS_MAX + 1, ",", "c", into);
    check_limit(f, "at most 4096 columns");
    build(f, list, STATEMENT_VALUES_MAX, ",", "#", "] INTO m");
    CHECK_INT(parse_built(f), STATUS_OK);
    CHECK_INT(f->statement.settings[0].value.items[65535].integer, 65535);
    build(f, list, STATEMENT_VALUES_MAX + 1, ",", "#", "] INTO m");
    check_limit(f, "at most 65536 list elements");
    build(f, "SELECT 1 TO TRAIN M ", STATEMENT_CLAUSES_MAX + 1, " ", "COLUMN a FOR p#", into);
    check_limit(f, "at most 16 COLUMN clauses");
    build(f, "SELECT 1 TO TRAIN M LABEL ", STATEMENT_LABELS_MAX + 1, ",", "l#", " INTO m");
    check_limit(f, "at most 32 columns");
    build(f, with, STATEMENT_NAME_PARTS_MAX + 1, ".", "a", " = 1 INTO m");
    check_limit(f, "at most 8 parts");
}

static void labels_are_listed_behind_the_first(void **state)
{
    struct fixture *f = *state;

    CHECK_PARSES(f, "SELECT 1 TO TRAIN zoo/m LABEL a, \"B\", 'c d' INTO m");
    CHECK_SLICE(f->statement.label.text, "a");
    CHECK_INT(f->statement.other_label_count, 2);
    CHECK_SLICE(f->statement.other_labels[0].text, "B");
    CHECK(f->statement.other_labels[0].quoted);
    CHECK_SLICE(f->statement.other_labels[1].text, "c d");
    CHECK(parse(f, "SELECT 1 TO TRAIN zoo/m LABEL a, INTO m") != STATUS_OK);
    CHECK(parse(f, "SELECT 1 TO EVALUATE m LABEL a, b") != STATUS_OK);
}

static void limits_of_run_and_optimize_hold(void **state)
{
    struct fixture *f = *state;

    build(f, "SELECT 1 TO RUN i CMD ", STATEMENT_ARGUMENTS_MAX + 1, ",", "'a'", "");
    check_limit(f, "at most 256 words");
    build(f, "SELECT 1 TO RUN i INTO ", STATEMENT_OUTPUTS_MAX + 1, ",", "t", "");
    check_limit(f, "at most 64 tables");
    build(f, "SELECT 1 TO MAXIMIZE x CONSTRAINT ", STATEMENT_CONSTRAINTS_MAX + 1, ",", "x > #",
          " WITH a = 1 INTO m");
    check_limit(f, "at most 256 constraints");
}

static void nesting_and_size_have_limits(void **state)
{
    struct fixture *f = *state;
    const char *list = "SELECT 1 TO TRAIN M WITH a = ";

    build(f, list, STATEMENT_DEPTH_MAX, "", "[", "1");
    for (int i = 0; i < STATEMENT_DEPTH_MAX; i++)
        text_append_char(&f->text, ']');
    text_append_string(&f->text, " INTO m");
    CHECK_INT(parse_built(f), STATUS_OK);
    build(f, list, STATEMENT_DEPTH_MAX + 1, "", "[", "");
    check_limit(f, "nested deeper than 32");
    build(f, "SELECT 1 TO TRAIN M COLUMN ", STATEMENT_DEPTH_MAX + 1, "", "f(", "");
    check_limit(f, "nested deeper than 32");
    build(f, "SELECT 1 TO MAXIMIZE ", STATEMENT_DEPTH_MAX + 1, "", "(", "");
    check_limit(f, "nested deeper than 32");
    build(f, "SELECT 1 TO TRAIN M WITH a = '", STATEMENT_BYTES_MAX, "", "x", "' INTO m");
    check_limit(f, "where at most 1048576 are read");
    build(f, "SELECT '", STATEMENT_BYTES_MAX, "", "x", "'");
    CHECK_INT(parse_built(f), STATUS_OK); /* the host's own may be longer */
}

static const char long_statement[] =
    "WITH q AS (SELECT 'a''b' FROM t) SELECT * FROM q TO TRAIN a/b:v1/C WITH a.b = [1, ['x', "
    "\"y\"], "
    "-2e3, multi:softmax], c=true COLUMN *, 'p', EMBEDDING(CATEGORY_ID(n, 16, COMMA), 8, mean), "
    "[e f] FOR x COLUMN `z` FOR y LABEL \"gr\xC3\xB6\xC3\x9F"
    "e\" USING a.b.c INTO s.m";

static void no_prefix_of_a_statement_is_a_crash(void **state)
{
    struct fixture *f = *state;

    CHECK_INT(parse(f, long_statement), STATUS_OK);
    for (size_t size = 0; size + 1 < sizeof long_statement; size++) {
        /* An exact copy on the heap: reading beyond it is caught. */
        char *copy = malloc(size + 1);
        memcpy(copy, long_statement, size);
        enum status status =
            parse_statement((struct slice){copy, size}, &f->arena, &f->statement, &f->err);
        CHECK(status == STATUS_OK || status == STATUS_SYNTAX);
        CHECK(status == STATUS_OK || (f->err.position >= 0 && f->err.position <= (int)size));
        free(copy);
    }
}

static void memory_that_runs_out_is_an_error_at_every_allocation(void **state)
{
    struct fixture *f = *state;
    struct arena arena;
    enum status status = STATUS_NO_MEMORY;

    for (size_t maximum = 0; status == STATUS_NO_MEMORY; maximum += 16) {
        arena_init(&arena, maximum);
        status = parse_statement(SLICE(long_statement), &arena, &f->statement, &f->err);
        arena_deinit(&arena);
        CHECK(maximum < ARENA_MAXIMUM);
    }
    CHECK_INT(status, STATUS_OK);
}

static void the_tree_prints_as_json(void **state)
{
    struct fixture *f = *state;

    CHECK_INT(parse(f, "SELECT 1 TO PREDICT p.c WITH a = 9007199254740993 USING m"), STATUS_OK);
    CHECK_INT(statement_print_json(&f->statement, &f->text, &f->err), STATUS_OK);
    assert_string_equal(
        text_string(&f->text),
        "{\"statement\":\"PREDICT\",\"span\":[0,57],\"select\":\"SELECT 1\",\"select_position\":0,"
        "\"verb_position\":12,\"target\":[{\"name\":\"p\",\"position\":20},{\"name\":\"c\","
        "\"position\":22}],\"with\":[{\"name\":\"a\",\"position\":29,\"value\":{\"kind\":"
        "\"number\","
        "\"span\":[33,49],\"value\":\"9007199254740993\"}}],\"using\":[{\"name\":\"m\","
        "\"position\":"
        "56}]}");
}

/* The grammar and the lexer say it each for itself. */
static void a_keyword_is_a_name_without_quotes_unless_it_is_reserved(void **state)
{
    struct fixture *fixture = *state;
    int names = 0, reserved = 0;

    for (int kind = 1; kind < 256; kind++) {
        const char *word = keyword_spelling(kind);

        if (!word)
            continue;
        for (int place = 0; place < 3; place++) {
            text_clear(&fixture->text);
            text_printf(&fixture->text, "SELECT 1 AS x TO TRAIN %s LABEL %s INTO %s",
                        place == 0 ? word : "M", place == 1 ? word : "y", place == 2 ? word : "m");
            CHECK_INT(parse_built(fixture), keyword_is_reserved(kind) ? STATUS_SYNTAX : STATUS_OK);
        }
        text_clear(&fixture->text);
        text_printf(&fixture->text, "SELECT 1 AS x TO TRAIN %s/%s:1/M LABEL y INTO m", word, word);
        CHECK_INT(parse_built(fixture), keyword_is_reserved(kind) ? STATUS_SYNTAX : STATUS_OK);
        *(keyword_is_reserved(kind) ? &reserved : &names) += 1;
    }
    CHECK(names > 20 && reserved > 5);
}

static void only_well_formed_utf8_is_read_and_the_first_wrong_byte_is_named(void **state)
{
    static const char *const good[] = {"\xc3\xa4",        "\xe0\xa0\x80",     "\xed\x9f\xbf",
                                       "\xef\xbf\xbf",    "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf",
                                       "\xe2\x82\xac\x7f"};
    static const struct {
        const char *bytes, *message;
    } bad[] = {
        {"\x80", "byte 0x80 is not UTF-8"},             /* begins in the middle */
        {"\xc1\xbf", "byte 0xc1 is not UTF-8"},         /* overlong in two bytes */
        {"\xc3z", "byte 0xc3 is not UTF-8"},            /* not continued */
        {"\xe0\x9f\xbf", "byte 0xe0 is not UTF-8"},     /* overlong in three bytes */
        {"\xed\xa0\x80", "byte 0xed is not UTF-8"},     /* a surrogate */
        {"\xe2\x82z", "byte 0xe2 is not UTF-8"},        /* cut */
        {"\xf0\x8f\xbf\xbf", "byte 0xf0 is not UTF-8"}, /* overlong in four bytes */
        {"\xf4\x90\x80\x80", "byte 0xf4 is not UTF-8"}, /* beyond U+10FFFF */
        {"\xf5\x80\x80\x80", "byte 0xf5 is not UTF-8"}, /* no first byte */
    };
    const char *front = "SELECT 1 TO TRAIN M LABEL \"";
    struct fixture *fixture = *state;

    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        text_clear(&fixture->text);
        text_printf(&fixture->text, "%s%s\" INTO m", front, good[i]);
        CHECK_INT(parse_built(fixture), STATUS_OK);
        CHECK_SLICE(fixture->statement.label.text, good[i]);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct error err;
        enum status status;

        text_clear(&fixture->text);
        text_printf(&fixture->text, "%s%s\" INTO m", front, bad[i].bytes);
        status = parse_built(fixture);
        err = fixture->err;
        CHECK_FAILS(status, STATUS_SYNTAX, bad[i].message);
        CHECK_INT(err.position, (int)strlen(front));
    }
    text_clear(&fixture->text);
    text_printf(&fixture->text, "SELECT 1 TO PREDICT USING m\xc3");
    CHECK_INT(parse_built(fixture), STATUS_SYNTAX);
}

static void a_number_may_have_an_exponent_with_its_sign(void **state)
{
    static const struct {
        const char *text;
        double value;
    } cases[] = {{"1e+5", 1e5}, {"1E-3", 1e-3}, {"2.5e3", 2500}, {".5E+1", 5}, {"-1e+2", -100}};
    struct fixture *f = *state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char sql[120];

        snprintf(sql, sizeof sql, "SELECT 1 TO TRAIN M WITH a = %s, b = 2 LABEL y INTO m",
                 cases[i].text);
        CHECK_PARSES(f, (sql));
        CHECK_INT(f->statement.setting_count, 2);
        CHECK(f->statement.settings[0].value.number == cases[i].value);
    }
    CHECK(parse(f, "SELECT 1 TO TRAIN M WITH a = 1e + 5 LABEL y INTO m") != STATUS_OK);
}

static void rows_alone_are_returned_without_a_target(void **state)
{
    static const struct {
        const char *text;
        bool writes_nothing;
    } cases[] = {
        {"SELECT 1 TO PREDICT USING m", true},
        {"SELECT 1 TO PREDICT guess USING m", true},
        {"SELECT 1 TO PREDICT t.guess USING m", false},
        {"SELECT 1 TO PREDICT guess USING m INTO t", false},
        {"SELECT 1 TO EVALUATE a, b", true},
        {"SELECT 1 TO EVALUATE a INTO t", false},
        {"SELECT 1 TO EXPLAIN m", true},
        {"SELECT 1 TO EXPLAIN m INTO t", false},
        {"FORECAST m", true},
        {"FORECAST m INTO t", false},
        {"SHOW MODELS", true},
        {"SHOW JOBS", true},
        {"SELECT 1 TO TRAIN X LABEL y INTO m", false},
        {"ROLLBACK MODEL m TO 1", false},
        {"EXPORT MODEL m TO 'f'", false},
        {"CANCEL JOB 1", false},
        {"SELECT 1", false},
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_PARSES(f, (cases[i].text));
        if (statement_writes_nothing(&f->statement) != cases[i].writes_nothing)
            check_failed("%s", cases[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_keyword_is_a_name_without_quotes_unless_it_is_reserved,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_training_says_all_that_was_written, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_tree_does_not_point_into_the_text, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_string_in_a_columns_place_is_a_pattern_and_later_a_value,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(errors_point_at_the_offending_byte_of_the_whole_text,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_attribute_may_be_called_group, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_attribute_is_given_once_whatever_its_case, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(
            only_well_formed_utf8_is_read_and_the_first_wrong_byte_is_named, set_up, tear_down),
        cmocka_unit_test_setup_teardown(ordinary_sql_passes_through, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_second_statement_is_refused_at_its_place, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(limits_hold_and_the_largest_allowed_passes, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(labels_are_listed_behind_the_first, set_up, tear_down),
        cmocka_unit_test_setup_teardown(limits_of_run_and_optimize_hold, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nesting_and_size_have_limits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_prefix_of_a_statement_is_a_crash, set_up, tear_down),
        cmocka_unit_test_setup_teardown(memory_that_runs_out_is_an_error_at_every_allocation,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_tree_prints_as_json, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_number_may_have_an_exponent_with_its_sign, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(rows_alone_are_returned_without_a_target, set_up,
                                        tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
