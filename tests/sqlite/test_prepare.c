/*
 * A C program as thousands exist: linked to the shared SQLite, bound lazily,
 * and unaware of us. What its calls of sqlite3_prepare*() give and leave.
 */
#include <sqlite3.h>

#include "tests/check.h"
#include "tests/sqlite/keeps_sqlite3.h"

static const char *extension;

struct fixture {
    sqlite3 *db;
};

static int open_database(void **state)
{
    static struct fixture fixture;
    char *message = NULL;

    assert_int_equal(sqlite3_open(":memory:", &fixture.db), SQLITE_OK);
    sqlite3_db_config(fixture.db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 1, NULL);
    if (sqlite3_load_extension(fixture.db, extension, NULL, &message) != SQLITE_OK)
        check_failed("%s", message);
    *state = &fixture;
    return 0;
}

static int close_database(void **state)
{
    struct fixture *fixture = *state;

    return sqlite3_close(fixture->db) == SQLITE_OK ? 0 : -1;
}

/* Prepared, with these columns; then let go. */
static void check_columns(sqlite3_stmt *statement, int count, const char *first)
{
    assert_non_null(statement);
    assert_int_equal(sqlite3_column_count(statement), count);
    assert_string_equal(sqlite3_column_name(statement, 0), first);
    assert_int_equal(sqlite3_finalize(statement), SQLITE_OK);
}

static void all_three_functions_prepare_our_statements(void **state)
{
    sqlite3 *db = ((struct fixture *)*state)->db;
    sqlite3_stmt *statement;

    assert_int_equal(sqlite3_prepare(db, "SHOW JOBS", -1, &statement, NULL), SQLITE_OK);
    check_columns(statement, 7, "id");
    assert_int_equal(sqlite3_prepare_v2(db, "SHOW JOBS", -1, &statement, NULL), SQLITE_OK);
    check_columns(statement, 7, "id");
    assert_int_equal(
        sqlite3_prepare_v3(db, "SHOW JOBS", -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL),
        SQLITE_OK);
    check_columns(statement, 7, "id");
}

static void the_tail_is_after_the_semicolon(void **state)
{
    sqlite3 *db = ((struct fixture *)*state)->db;
    const char *text = " -- first\n SHOW JOBS ; SHOW MODELS; SELECT 1", *tail;
    sqlite3_stmt *statement;

    assert_int_equal(sqlite3_prepare_v2(db, text, -1, &statement, &tail), SQLITE_OK);
    check_columns(statement, 7, "id");
    assert_string_equal(tail, " SHOW MODELS; SELECT 1");
    assert_int_equal(sqlite3_prepare_v2(db, tail, -1, &statement, &tail), SQLITE_OK);
    check_columns(statement, 8, "name");
    assert_string_equal(tail, " SELECT 1");
    assert_int_equal(sqlite3_prepare_v2(db, tail, -1, &statement, &tail), SQLITE_OK);
    check_columns(statement, 1, "1");
    assert_string_equal(tail, "");
}

static void the_given_length_is_respected(void **state)
{
    sqlite3 *db = ((struct fixture *)*state)->db;
    const char text[] = {'S', 'H', 'O', 'W', ' ', 'J', 'O', 'B', 'S', ' ', 'x', 'y'};
    const char *tail;
    sqlite3_stmt *statement;

    assert_int_equal(sqlite3_prepare_v2(db, text, 9, &statement, &tail), SQLITE_OK);
    check_columns(statement, 7, "id");
    assert_ptr_equal(tail, text + 9);
    assert_int_equal(sqlite3_prepare_v2(db, text, sizeof text, &statement, &tail), SQLITE_ERROR);
    assert_null(statement);
}

static void our_errors_are_the_connections_message(void **state)
{
    sqlite3 *db = ((struct fixture *)*state)->db;
    sqlite3_stmt *statement = (sqlite3_stmt *)db;

    assert_int_equal(
        sqlite3_prepare_v2(db, "SELECT 1 AS x TO PREDICT USING nope", -1, &statement, NULL),
        SQLITE_ERROR);
    assert_null(statement);
    assert_int_equal(sqlite3_errcode(db), SQLITE_ERROR);
    CHECK(strstr(sqlite3_errmsg(db), "there is no model \"nope\"\nLINE 1: SELECT 1"));
}

static void what_is_not_ours_fails_as_before(void **state)
{
    sqlite3 *db = ((struct fixture *)*state)->db;
    sqlite3_stmt *statement;

    assert_int_equal(sqlite3_prepare_v2(db, "SELEC 1", -1, &statement, NULL), SQLITE_ERROR);
    assert_string_equal(sqlite3_errmsg(db), "near \"SELEC\": syntax error");
    assert_int_equal(sqlite3_prepare_v2(db, "", -1, &statement, NULL), SQLITE_OK);
    assert_null(statement);
}

static void a_connection_without_the_extension_is_untouched(void **state)
{
    sqlite3_stmt *statement;
    sqlite3 *plain;

    (void)state;
    assert_int_equal(sqlite3_open(":memory:", &plain), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(plain, "SHOW JOBS", -1, &statement, NULL), SQLITE_ERROR);
    assert_string_equal(sqlite3_errmsg(plain), "near \"SHOW\": syntax error");
    assert_int_equal(sqlite3_close(plain), SQLITE_OK);
}

static void a_statement_runs_again_after_a_reset(void **state)
{
    sqlite3 *db = ((struct fixture *)*state)->db;
    sqlite3_stmt *statement;

    assert_int_equal(sqlite3_prepare_v2(db, "SHOW ATTRIBUTES", -1, &statement, NULL), SQLITE_OK);
    for (int run = 0; run < 3; run++) {
        assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
        assert_string_equal(sqlite3_column_text(statement, 0), "model.n_classes");
        assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
        assert_int_equal(sqlite3_reset(statement), SQLITE_OK);
    }
    assert_int_equal(sqlite3_finalize(statement), SQLITE_OK);
}

/* Parameters have numbers and names, and take new values after a reset, as in SQLite's own
 * statements. */
static void parameters_are_bound_as_to_any_statement(void **state)
{
    static const char setup[] =
        "CREATE TABLE t AS WITH RECURSIVE s(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM s "
        "WHERE i < 99) SELECT i AS x, i % 2 AS y FROM s";
    static const char train[] = "SELECT x, y FROM t WHERE x < ?2 AND :least <= x AND x<>? TO TRAIN "
                                "LinearClassifier WITH epochs = 1 LABEL y INTO m";
    sqlite3 *db = ((struct fixture *)*state)->db;
    sqlite3_stmt *statement;

    assert_int_equal(sqlite3_exec(db, setup, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, train, -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_bind_parameter_count(statement), 4);
    assert_null(sqlite3_bind_parameter_name(statement, 1));
    assert_string_equal(sqlite3_bind_parameter_name(statement, 2), "?2");
    assert_int_equal(sqlite3_bind_parameter_index(statement, ":least"), 3);
    for (int most = 50; most <= 70; most += 20) {
        int rows = 0;

        assert_int_equal(sqlite3_bind_int(statement, 2, most), SQLITE_OK);
        assert_int_equal(sqlite3_bind_double(statement, 3, 9.5), SQLITE_OK);
        assert_int_equal(sqlite3_bind_int(statement, 4, 11), SQLITE_OK);
        while (sqlite3_step(statement) == SQLITE_ROW)
            if (strcmp((const char *)sqlite3_column_text(statement, 0), "rows") == 0)
                rows = sqlite3_column_int(statement, 3);
        assert_int_equal(rows, most - 11);
        assert_int_equal(sqlite3_reset(statement), SQLITE_OK);
    }
    assert_int_equal(sqlite3_finalize(statement), SQLITE_OK);
}

static void views_cannot_reach_what_has_side_effects(void **state)
{
    sqlite3 *db = ((struct fixture *)*state)->db;

    assert_int_equal(
        sqlite3_exec(db, "CREATE VIEW v AS SELECT totrain('SHOW JOBS')", NULL, NULL, NULL),
        SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "SELECT * FROM v", NULL, NULL, NULL), SQLITE_ERROR);
    CHECK(strstr(sqlite3_errmsg(db), "unsafe use of totrain()"));
}

/* A statement of ours is in use for Python's module, so that it prepares the text again; and for
 * nobody else. Others' statements are what they are. */
static void pythons_module_uses_no_kept_statement_of_ours(void **state)
{
    sqlite3 *db = ((struct fixture *)*state)->db;
    sqlite3_stmt *statement;

    assert_int_equal(sqlite3_prepare_v2(db, "SHOW JOBS", -1, &statement, NULL), SQLITE_OK);
    assert_true(keeps_as_busy(statement));
    assert_int_equal(keeps_reset(statement), SQLITE_SCHEMA);
    assert_int_equal(sqlite3_stmt_busy(statement), 0);
    assert_int_equal(sqlite3_reset(statement), SQLITE_OK);
    assert_int_equal(sqlite3_finalize(statement), SQLITE_OK);

    assert_int_equal(sqlite3_prepare_v2(db, "SELECT 1", -1, &statement, NULL), SQLITE_OK);
    assert_false(keeps_as_busy(statement));
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    assert_true(keeps_as_busy(statement));
    assert_int_equal(keeps_reset(statement), SQLITE_OK);
    assert_false(keeps_as_busy(statement));
    assert_int_equal(sqlite3_finalize(statement), SQLITE_OK);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(all_three_functions_prepare_our_statements, open_database,
                                        close_database),
        cmocka_unit_test_setup_teardown(parameters_are_bound_as_to_any_statement, open_database,
                                        close_database),
        cmocka_unit_test_setup_teardown(the_tail_is_after_the_semicolon, open_database,
                                        close_database),
        cmocka_unit_test_setup_teardown(the_given_length_is_respected, open_database,
                                        close_database),
        cmocka_unit_test_setup_teardown(our_errors_are_the_connections_message, open_database,
                                        close_database),
        cmocka_unit_test_setup_teardown(what_is_not_ours_fails_as_before, open_database,
                                        close_database),
        cmocka_unit_test_setup_teardown(a_connection_without_the_extension_is_untouched,
                                        open_database, close_database),
        cmocka_unit_test_setup_teardown(a_statement_runs_again_after_a_reset, open_database,
                                        close_database),
        cmocka_unit_test_setup_teardown(pythons_module_uses_no_kept_statement_of_ours,
                                        open_database, close_database),
        cmocka_unit_test_setup_teardown(views_cannot_reach_what_has_side_effects, open_database,
                                        close_database),
    };

    assert_int_equal(argc, 2);
    extension = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
