#include "parser/parser.h"
#include "parser/splitter.h"
#include "tests/check.h"

static struct piece split(const char *sql)
{
    return split_piece(slice_of(sql), 0);
}

static enum piece_kind kind_of(const char *sql)
{
    return split(sql).kind;
}

static void a_select_with_a_bare_to_is_ours(void **state)
{
    (void)state;
    CHECK_INT(kind_of("SELECT * FROM t TO TRAIN M INTO m"), PIECE_OURS);
    CHECK_INT(kind_of("with x as (select 1) select * from x to predict using m"), PIECE_OURS);
    CHECK_INT(kind_of("EXPLAIN SELECT * FROM t TO TRAIN M INTO m"), PIECE_OURS);
    CHECK_INT(kind_of("explain WITH x AS (SELECT 1) SELECT * FROM x TO TRAIN M INTO m"),
              PIECE_OURS);
    CHECK_INT(kind_of("SELECT * FROM t TO TRIAN M"), PIECE_OURS);
    CHECK_INT(kind_of("SELECT * FROM t TO"), PIECE_OURS);
    CHECK_INT(kind_of("SELECT * FROM day TO TRAIN M INTO m"), PIECE_OURS);
    CHECK_INT(kind_of("TO TRAIN M INTO m"), PIECE_OURS);
}

static void a_to_that_is_not_a_word_of_the_statement_is_the_hosts(void **state)
{
    (void)state;
    CHECK_INT(kind_of("SELECT 'x TO TRAIN y'"), PIECE_SQL);
    CHECK_INT(kind_of("SELECT \"TO\", `TO`, [TO TRAIN] FROM t"), PIECE_SQL);
    CHECK_INT(kind_of("SELECT t.to, x.TO FROM t"), PIECE_SQL);
    CHECK_INT(kind_of("SELECT 1 -- TO TRAIN"), PIECE_SQL);
    CHECK_INT(kind_of("SELECT 1 /* TO TRAIN */"), PIECE_SQL);
    CHECK_INT(kind_of("SELECT (SELECT 1 TO TRAIN)"), PIECE_SQL);
    CHECK_INT(kind_of("SELECT $$ TO TRAIN $$, $tag$ TO $$ $tag$"), PIECE_SQL);
    CHECK_INT(kind_of("SELECT tomato, totrain_predict('m', a) FROM t"), PIECE_SQL);
}

static void the_hosts_own_uses_of_to_stay_the_hosts(void **state)
{
    (void)state;
    CHECK_INT(kind_of("SELECT 1 AS to FROM t"), PIECE_SQL);
    CHECK_INT(kind_of("SELECT * FROM t WHERE a SIMILAR TO 'b'"), PIECE_SQL);
    CHECK_INT(kind_of("SELECT INTERVAL '1' YEAR TO /* x */ MONTH"), PIECE_SQL);
    CHECK_INT(kind_of("COPY (SELECT 1) TO STDOUT"), PIECE_SQL);
    CHECK_INT(kind_of("ALTER TABLE t RENAME TO u"), PIECE_SQL);
    CHECK_INT(kind_of("ROLLBACK TO here"), PIECE_SQL);
    CHECK_INT(kind_of("ROLLBACK"), PIECE_SQL);
    CHECK_INT(kind_of("TO go"), PIECE_SQL);
}

static void commands_are_ours_only_with_both_words(void **state)
{
    (void)state;
    CHECK_INT(kind_of("SHOW TRAIN m"), PIECE_OURS);
    CHECK_INT(kind_of("/* x */ show -- y\n models"), PIECE_OURS);
    CHECK_INT(kind_of("SHOW VERSIONS m"), PIECE_OURS);
    CHECK_INT(kind_of("SHOW JOBS"), PIECE_OURS);
    CHECK_INT(kind_of("SHOW ATTRIBUTES"), PIECE_OURS);
    CHECK_INT(kind_of("SHOW MODEL m"), PIECE_OURS);
    CHECK_INT(kind_of("SHOW JOB 1"), PIECE_OURS);
    CHECK_INT(kind_of("CANCEL JOB 1"), PIECE_OURS);
    CHECK_INT(kind_of("ROLLBACK MODEL m TO 1"), PIECE_OURS);
    CHECK_INT(kind_of("EXPORT MODEL m TO 'f'"), PIECE_OURS);
    CHECK_INT(kind_of("EXPORT DEFINITION zoo/m TO 'f'"), PIECE_OURS);
    CHECK_INT(kind_of("IMPORT DEFINITION zoo/m FROM 'f'"), PIECE_OURS);
    CHECK_INT(kind_of("REPORT MODEL m TO 'f'"), PIECE_OURS);
    CHECK_INT(kind_of("FORECAST m"), PIECE_OURS);
    CHECK_INT(kind_of("forecast \"my model\" FOR 3"), PIECE_OURS);
    CHECK_INT(kind_of("SELECT forecast FROM t"), PIECE_SQL);
    CHECK_INT(kind_of("UPDATE forecast SET a = 1"), PIECE_SQL);
    CHECK_INT(kind_of("SHOW search_path"), PIECE_SQL);
    CHECK_INT(kind_of("SHOW \"models\""), PIECE_SQL);
    CHECK_INT(kind_of("EXPLAIN SELECT 1"), PIECE_SQL);
    CHECK_INT(kind_of("EXPLAIN QUERY PLAN SELECT 1"), PIECE_SQL);
}

static void a_piece_says_where_its_halves_are(void **state)
{
    const char *sql = " /* c */ SELECT a FROM t -- rows\n TO TRAIN M INTO m ; x";
    struct piece piece = split(sql);

    (void)state;
    CHECK_INT(piece.span.start, 9);
    CHECK_INT(piece.select_start, 9);
    CHECK_INT(piece.select_end, 24);
    CHECK_INT(piece.to_position, strstr(sql, "TO ") - sql);
    CHECK_INT(piece.span.end, strstr(sql, " ; x") - sql);
    CHECK_INT(piece.next, strstr(sql, " x") - sql);
    CHECK(piece.terminated && !piece.open);
    CHECK_INT(split("SELECT 1").select_start, -1);
    CHECK_INT(split("SELECT 1").to_position, -1);
}

static void semicolons_inside_quotes_do_not_end_a_piece(void **state)
{
    static const char *const whole[] = {
        "SELECT 'a;b', \"c;d\", `e;f`, [g;h]",
        "SELECT 1 /* ; */ + -- ;\n 2",
        "SELECT $$;$$, $x$ $$;$$ $x$",
        "SELECT E'it\\'s;', 'a''b;'",
        "SELECT a['x;'], ARRAY[[1,2],[3]] FROM t",
        "SELECT * FROM t TO TRAIN M WITH a = 'it\\'s;', b = \"\\\";\" INTO m",
        "CREATE TRIGGER x AFTER INSERT ON t BEGIN SELECT CASE 1 WHEN 1 THEN 2 END; SELECT 2; END",
        "CREATE TEMPORARY TRIGGER x AFTER INSERT ON t BEGIN DELETE FROM u; END",
        "EXPLAIN CREATE TRIGGER x AFTER INSERT ON t BEGIN DELETE FROM u; END",
        "CREATE OR REPLACE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1; SELECT 2; END",
        "CREATE RULE r AS ON INSERT TO t DO ALSO (DELETE FROM a; DELETE FROM b)",
    };

    (void)state;
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        struct piece piece = split(whole[i]);
        CHECK_INT(piece.span.end, strlen(whole[i]));
        CHECK(!piece.open && !piece.terminated);
    }
}

static void a_host_string_ends_at_its_quote_whatever_the_backslash(void **state)
{
    (void)state;
    CHECK_INT(split("SELECT 'C:\\'; SELECT 2").span.end, 12);
    CHECK_INT(
        split("CREATE TRIGGER p BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION f(); x").next, 70);
}

static void an_unclosed_parenthesis_does_not_swallow_the_next_statement(void **state)
{
    (void)state;
    CHECK_INT(split("SELECT (1; SELECT 2").span.end, 9);
    CHECK_INT(split("SELECT 1 TO TRAIN M WITH a = [1; SELECT 2").span.end, 31);
}

static void a_text_that_ends_inside_something_is_open(void **state)
{
    static const char *const open[] = {
        "SELECT 'a",
        "SELECT \"a",
        "SELECT `a",
        "SELECT [a",
        "SELECT (a",
        "SELECT 1 /* a",
        "/* a",
        "SELECT $$ a",
        "CREATE TRIGGER t AFTER INSERT ON u BEGIN SELECT 1;",
        "SELECT 1 TO TRAIN M WITH a = [1",
        "SELECT 1 TO TRAIN M COLUMN f(a",
        "SELECT 1 TO TRAIN M WITH a = 'it\\'",
    };

    (void)state;
    for (size_t i = 0; i < sizeof open / sizeof *open; i++) {
        CHECK(split(open[i]).open);
        CHECK_INT(split(open[i]).next, strlen(open[i]));
    }
    CHECK(!split("SELECT 1").open);
    CHECK(!split("SELECT 1 -- a").open);
    CHECK(!split("SELECT (1) ;").open);
}

static void white_space_and_comments_are_an_empty_piece(void **state)
{
    struct piece piece = split(" -- x\n /* y */ ; SELECT 1");

    (void)state;
    CHECK_INT(piece.kind, PIECE_EMPTY);
    CHECK(piece.terminated);
    CHECK_INT(split_piece(SLICE(" ; SELECT 1"), 2).kind, PIECE_SQL);
    CHECK_INT(kind_of(""), PIECE_EMPTY);
    CHECK_INT(split_piece(SLICE("x"), 7).next, 1);
    CHECK_INT(split_piece(SLICE("x"), -7).span.end, 1);
}

/* A small generator of its own: the test must not change with the library's. */
static unsigned draw(unsigned *state, unsigned below)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) % below;
}

static size_t random_program(unsigned seed, char *out, size_t capacity)
{
    static const char *const bits[] = {
        "SELECT ", "TO ", "TRAIN ", "WITH ",  "'",      "\"",   "`",        "[",
        "]",       "(",   ")",      ";",      "--",     "\n",   "/*",       "*/",
        "$$",      "$a$", "\\",     "a",      "BEGIN ", "END",  "CREATE ",  "TRIGGER ",
        "RULE ",   "E'",  "SHOW ",  "MODELS", " ",      "1.5e", "\xC3\xA4", "\xFF"};
    size_t size = 0;

    for (unsigned i = draw(&seed, 30); i > 0; i--) {
        const char *bit = bits[draw(&seed, sizeof bits / sizeof *bits)];
        if (size + strlen(bit) >= capacity)
            break;
        memcpy(out + size, bit, strlen(bit));
        size += strlen(bit);
    }
    return size;
}

static void pieces_tile_any_text(void **state)
{
    char text[512];

    (void)state;
    for (unsigned seed = 0; seed < 20000; seed++) {
        struct slice program = {text, random_program(seed, text, sizeof text)};
        struct piece piece = {.next = 0};
        while ((size_t)piece.next < program.size) {
            int from = piece.next;
            piece = split_piece(program, from);
            CHECK(piece.next > from && (size_t)piece.next <= program.size);
            CHECK(piece.span.start >= from && piece.span.start <= piece.span.end);
            CHECK(piece.span.end <= piece.next);
            CHECK(!piece.terminated || program.data[piece.next - 1] == ';');
            CHECK(piece.terminated || (size_t)piece.next == program.size);
        }
    }
}

/* In a bracket name neither a quote nor a second bracket would have a meaning. */
static void a_subscript_follows_a_quoted_name_too(void **state)
{
    (void)state;
    CHECK_INT(kind_of("SELECT \"a\"[length(']')] FROM t TO TRAIN M INTO m"), PIECE_OURS);
    CHECK_INT(kind_of("SELECT a[length(']')], (b)[length(']')] FROM t TO TRAIN M INTO m"),
              PIECE_OURS);
    CHECK_INT(kind_of("SELECT \"a\" [it's TO TRAIN] FROM t"), PIECE_SQL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_select_with_a_bare_to_is_ours),
        cmocka_unit_test(a_to_that_is_not_a_word_of_the_statement_is_the_hosts),
        cmocka_unit_test(the_hosts_own_uses_of_to_stay_the_hosts),
        cmocka_unit_test(commands_are_ours_only_with_both_words),
        cmocka_unit_test(a_piece_says_where_its_halves_are),
        cmocka_unit_test(semicolons_inside_quotes_do_not_end_a_piece),
        cmocka_unit_test(a_host_string_ends_at_its_quote_whatever_the_backslash),
        cmocka_unit_test(an_unclosed_parenthesis_does_not_swallow_the_next_statement),
        cmocka_unit_test(a_text_that_ends_inside_something_is_open),
        cmocka_unit_test(white_space_and_comments_are_an_empty_piece),
        cmocka_unit_test(pieces_tile_any_text),
        cmocka_unit_test(a_subscript_follows_a_quoted_name_too),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
