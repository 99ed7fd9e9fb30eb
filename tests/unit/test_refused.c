/*
 * A text that the database refused has a hint where it was meant for ToTrain, and none where it
 * may be an ordinary mistake in SQL.
 */
#include "base/text.h"
#include "parser/refused.h"
#include "parser/table_place.h"
#include "tests/check.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

#define TRAIN_FORM    "SELECT * FROM table TO TRAIN LinearClassifier LABEL column INTO model;"
#define PREDICT_FORM  "SELECT * FROM table TO PREDICT USING model;"
#define EVALUATE_FORM "SELECT * FROM table TO EVALUATE model;"
#define ROWS_FIRST    "The query for the rows comes first: "
#define MAKES_TABLE   "The statement begins with SELECT and makes its table itself: "
#define NEW_TABLE     MAKES_TABLE "SELECT * FROM table TO PREDICT new_table.column USING model;"
#define SHELL                                                                                      \
    "Commands of a shell begin with a dot: .tables, .schema, .help; \\d and the like are those "   \
    "of "                                                                                          \
    "psql."
#define STAR                                                                                       \
    ": name the columns in the SELECT, or leave inputs out behind TO TRAIN: COLUMN * EXCEPT (a, "  \
    "b)."
#define SHOWS                                                                                      \
    "ToTrain shows models and jobs: SHOW MODELS, SHOW MODEL model, SHOW TRAIN model, SHOW "        \
    "VERSIONS model, SHOW TRIALS model, SHOW JOBS, SHOW ATTRIBUTES and SHOW DEFINITIONS."

struct refused {
    const char *sql, *hint; /* NULL: it has none */
};

/* Checks that the database's message stays, with the hint beside it. */
static void check_hint(struct slice sql, int position, const char *hint)
{
    struct error err;
    bool has_hint;

    fail_at(&err, STATUS_SYNTAX, position, "syntax error");
    has_hint = refused_hint(sql, position, &err);
    if (has_hint != (hint != NULL) || strcmp(err.hint, hint ? hint : "") != 0)
        check_failed("%.*s: the hint is \"%s\", not \"%s\"", (int)slice_prefix(sql, 200).size,
                     sql.data, err.hint, hint ? hint : "");
    assert_string_equal(err.message, "syntax error");
    CHECK_INT(err.position, position);
}

static void check_all(const struct refused *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        check_hint(slice_of(list[i].sql), -1, list[i].hint);
}

static void functions_of_other_tools_have_a_statement_here(void **state)
{
    static const struct refused list[] = {
        {"SELECT * FROM ML.CONFUSION_MATRIX(MODEL m)",
         "Write SELECT * FROM table TO EVALUATE model WITH report = 'confusion';"},
        {"SELECT * FROM ml /* x */ . roc_curve (MODEL m)",
         "Write SELECT * FROM table TO EVALUATE model WITH report = 'roc';"},
        {"SELECT madlib.svm_train('a')", "Write " TRAIN_FORM},
        {"SELECT madlib.svm_predict('a')", "Write SELECT * FROM table TO PREDICT USING model;"},
        {"SELECT madlib._train('a')", NULL},
        {"SELECT other.weights(1)", NULL},
        {"SELECT ml.weights", NULL},
        {"SELECT ml.something(1)", NULL},
        {"SELECT m!WEIGHTS(1)", "The model is a table: SELECT * FROM model WHERE part = 'weight';"},
        {"CREATE SNOWFLAKE.ML.CLASSIFICATION m(INPUT_DATA => 1)",
         "A model is made by training: " TRAIN_FORM},
        {"CREATE OR REPLACE SNOWFLAKE.ML.FORECAST m", "A model is made by training: " TRAIN_FORM},
        {"CREATE TABLE snowflake", NULL},
    };
    (void)state;

    check_all(list, sizeof list / sizeof *list);
}

static void functions_of_the_users_own_have_no_hint(void **state)
{
    const struct slice mistake = SLICE("SELECT ml.predict((1)) FROM t WHER x");
    const struct slice next = SLICE("SELECT 1 +; SELECT ml.predict(1)");
    const struct slice call = SLICE("SELECT * FROM t, ML.PREDICT(MODEL m)");
    const struct slice elsewhere = SLICE("SELEC ml.predict((1), 2), app.train() FRM t");
    const struct slice two = SLICE("SELECT other.f(1), ml.predict(2)");
    struct error err;
    (void)state;

    check_hint(mistake, 29, NULL);
    check_hint(mistake, 5, NULL);
    check_hint(elsewhere, 0, NULL);
    check_hint(elsewhere, 6, "Write SELECT * FROM table TO PREDICT USING model;");
    check_hint(elsewhere, 23, "Write SELECT * FROM table TO PREDICT USING model;");
    check_hint(elsewhere, 24, NULL);
    check_hint(elsewhere, 36, "Write " TRAIN_FORM);
    check_hint(elsewhere, 38, NULL);
    check_hint(mistake, 7, "Write SELECT * FROM table TO PREDICT USING model;");
    check_hint(next, 10, NULL);
    check_hint(next, -1, NULL);
    check_hint(call, 34, "Write SELECT * FROM table TO PREDICT USING model;");
    fail(&err, STATUS_DATABASE, "schema \"other\" does not exist");
    CHECK(!refused_missing_hint(two, &err));
    fail(&err, STATUS_DATABASE, "schema \"ml\" does not exist");
    CHECK(refused_missing_hint(two, &err));
    assert_string_equal(err.hint, "Write SELECT * FROM table TO PREDICT USING model;");
}

static void a_model_is_made_and_dropped_in_other_words(void **state)
{
    static const struct refused list[] = {
        {"CREATE MODEL m AS SELECT 1", "A model is made by training: " TRAIN_FORM},
        {"create or replace model m", "A model is made by training: " TRAIN_FORM},
        {"DROP MODEL m;", "A model is a table: DROP TABLE m;"},
        {"DROP /* the */ MODEL IF EXISTS m -- gone", "A model is a table: DROP TABLE m;"},
        {"DROP MODEL \"my m\"; SELECT 1", "A model is a table: DROP TABLE \"my m\";"},
        {"DROP MODEL main.m;", "A model is a table: DROP TABLE main.m;"},
        {"DROP MODEL IF EXISTS a.\"b c\".m", "A model is a table: DROP TABLE a.\"b c\".m;"},
        {"DROP MODEL main.", "A model is a table: DROP TABLE main;"},
        {"CREATE OR REPLACE MODEL IF NOT EXISTS m",
         "A model is made by training: SELECT * FROM table TO TRAIN LinearClassifier LABEL column "
         "INTO model;"},
        {"DROP MODEL", "A model is a table: DROP TABLE model;"},
        {"DROP MODEL 5", "A model is a table: DROP TABLE model;"},
        {"DELETE MODEL m", "A model is a table: DROP TABLE m;"},
        {"ALTER MODEL m RENAME TO n", "A model is a table: ALTER TABLE m RENAME TO new_name;"},
        {"RENAME MODEL m", "A model is a table: ALTER TABLE m RENAME TO new_name;"},
        {"DESCRIBE MODEL m", "SHOW MODEL m; describes a model, SHOW TRAIN its training."},
        {"DESC MODEL m", "SHOW MODEL m; describes a model, SHOW TRAIN its training."},
        {"EXPLAIN MODEL m", "SHOW MODEL m; describes a model, SELECT * FROM table TO EXPLAIN "
                            "m; what it looks at."},
        {"DESCRIBE t", "SHOW MODEL t; describes a model; the columns of a table are listed by "
                       "SELECT name, type FROM pragma_table_info('t')."},
        {"DESCRIBE", NULL},
        {"GRANT MODEL m", NULL},
        {"CREATE OR MODEL m", NULL},
        {"CREATE THE REPLACE MODEL m", NULL},
        {"CREATE OR REPLACE TABLE m", NULL},
        {"DROP TABEL model", NULL},
        {"\"DROP\" MODEL m", NULL},
    };

    (void)state;
    check_all(list, COUNT(list));
}

static void what_is_shown_and_cancelled_has_a_name(void **state)
{
    static const struct refused list[] = {
        {"SHOW MODLES", "Did you mean SHOW MODELS?"},
        {"show atributes;", "Did you mean SHOW ATTRIBUTES?"},
        {"FORCAST m;", "Did you mean FORECAST m?"},
        {"forecasts \"my model\" FOR 3", "Did you mean FORECAST \"my model\"?"},
        {"SHOW TABLES",
         SHOWS " Tables are listed by .tables in a shell, or SELECT name FROM sqlite_schema."},
        {"SHOW work_mem", SHOWS},
        {"SHOW", NULL},
        {"SHOW 'MODLES'", NULL},
        {"CANCEL 5", "CANCEL JOB number; ends a job. SHOW JOBS; lists them."},
        {"CANCEL JOBS 5", "CANCEL JOB number; ends a job. SHOW JOBS; lists them."},
        {"CANCEL", NULL},
        {"CANCEL all jobs", NULL},
        {"\"CANCEL\" 5", NULL},
        {"STOP 5", NULL},
    };

    (void)state;
    check_all(list, COUNT(list));
}

static void the_rows_come_before_the_verb(void **state)
{
    static const struct refused list[] = {
        {"TRAIN LinearClassifier ON iris LABEL class INTO m", ROWS_FIRST TRAIN_FORM},
        {"TRAIN LinearClassifier ON iris INTO m", ROWS_FIRST TRAIN_FORM},
        {"TRAIN LinearClassifier ON iris", ROWS_FIRST TRAIN_FORM},
        {"PREDICT iris USING m", ROWS_FIRST PREDICT_FORM},
        {"PREDICT m ON iris", ROWS_FIRST PREDICT_FORM},
        {"EVALUATE m", ROWS_FIRST EVALUATE_FORM},
        {"EVALUATE m WITH metrics = 'AUC'; SELECT 1", ROWS_FIRST EVALUATE_FORM},
        {"TO TRAIN LinearClassifier LABEL class INTO m", ROWS_FIRST TRAIN_FORM},
        {"TO PREDICT iris USING m;", ROWS_FIRST PREDICT_FORM},
        {"TO RUN a", NULL},
        {"TO TRAIN", NULL},
        {"TRAIN", NULL},
        {"TRAIN 5 INTO m", NULL},
        {"TRAIN the dog", NULL},
        {"\"TRAIN\" x INTO m", NULL},
        {"PREDICT iris USING", NULL},
        {"PREDICT iris USING (a)", NULL},
        {"PREDICT iris LABEL m", NULL},
        {"EVALUATE (a)", NULL},
        {"EVALUATE m n", NULL},
        {"RUN something INTO m", NULL},
        {"EXPLAIN nothing INTO m", NULL},
    };

    (void)state;
    check_all(list, COUNT(list));
}

static void only_a_select_of_its_own_is_before_to(void **state)
{
    static const struct refused list[] = {
        {"EXPLAIN ANALYZE SELECT * FROM t TO TRAIN X LABEL y INTO m",
         "EXPLAIN alone shows the plan: EXPLAIN SELECT ... TO TRAIN ..."},
        {"PREPARE p AS SELECT * FROM t TO PREDICT USING m",
         "PREPARE takes no statement of ToTrain: it is run as it is."},
        {"DECLARE c CURSOR FOR SELECT * FROM t TO PREDICT USING m",
         "DECLARE takes no statement of ToTrain: it is run as it is."},
        {"CREATE VIEW v AS SELECT * FROM t TO PREDICT USING m",
         "A view calls the model as a function: SELECT *, totrain_predict('model', a, b) FROM "
         "table."},
        {"CREATE TABLE p AS SELECT * FROM t TO PREDICT USING m", NEW_TABLE},
        {"CREATE TABLE p AS (SELECT * FROM t TO PREDICT USING m)", NEW_TABLE},
        {"INSERT INTO p WITH a AS (SELECT 1) SELECT * FROM a TO PREDICT USING m", NEW_TABLE},
        {"(SELECT * FROM t) TO TRAIN X LABEL y INTO m",
         "The SELECT stands without parentheses: SELECT ... TO TRAIN ..."},
        {"VALUES (1), (2) TO TRAIN X INTO m",
         "Only a SELECT can be before TO: SELECT * FROM (VALUES ...) TO TRAIN ..."},
        {"SELECT count(*) FROM (SELECT * FROM t TO PREDICT USING m) AS p",
         "TO PREDICT is not for a query inside of another one. In FROM a function returns the rows "
         "of a statement: totrain_rows('SELECT ...'), in PostgreSQL totrain.rows."},
        {"CREATE TABLE p AS SELECT * FROM t TO EVALUATE m",
         MAKES_TABLE "SELECT * FROM table TO EVALUATE model INTO new_table;"},
        {"INSERT INTO p SELECT * FROM t TO EXPLAIN m",
         MAKES_TABLE "SELECT * FROM table TO EXPLAIN model INTO new_table;"},
        {"CREATE VIEW v AS SELECT * FROM t TO EVALUATE m",
         MAKES_TABLE "SELECT * FROM table TO EVALUATE model INTO new_table;"},
        {"CREATE TABLE p AS SELECT * FROM t TO TRAIN X LABEL y INTO m", MAKES_TABLE TRAIN_FORM},
        {"\\d t", SHELL},
        {"?", SHELL},
        {"help", SHELL},
        {"help me", NULL},
        {"SELECT ?", NULL},
        {"FROM t TO TRAIN X LABEL y INTO m", "Only a SELECT can be before TO: " TRAIN_FORM},
        {"TABLE t TO EVALUATE m", "Only a SELECT can be before TO: " EVALUATE_FORM},
        {"FROM t TO RUN m", "Only a SELECT can be before TO: " TRAIN_FORM},
        {"UPDATE t SET a = 1 TO TRAIN X", NULL},
        {"UPDATE t SET a = (b TO TRAIN c)", NULL},
        {"INSERT INTO p VALUES (1) TO TRAIN X", NULL},
        {"CREATE TABLE p (a) TO TRAIN X", NULL},
        {"CREATE TABLE p) TO TRAIN X", NULL},
        {"SELECT (a TO TRAIN b) FROM t", NULL},
    };

    (void)state;
    check_all(list, COUNT(list));
}

static void a_verb_without_to_is_known_by_its_clauses(void **state)
{
    static const struct refused list[] = {
        {"SELECT * FROM t TRAIN X LABEL y INTO m",
         "Write TO before TRAIN: SELECT ... TO TRAIN X ..."},
        {"WITH a AS (SELECT 1) SELECT * FROM a train X INTO m",
         "Write TO before train: SELECT ... TO train X ..."},
        {"EXPLAIN SELECT * FROM t PREDICT USING m",
         "Write TO before PREDICT: SELECT ... TO PREDICT USING ..."},
        {"SELECT * FROM (SELECT 1) EVALUATE \"m\"",
         "Write TO before EVALUATE: SELECT ... TO EVALUATE \"m\" ..."},
        {"SELECT * FROM ML.PREDICT(MODEL m, TABLE t)", "Write " PREDICT_FORM},
        {"SELECT * FROM ml.evaluate(MODEL m)", "Write " EVALUATE_FORM},
        {"CALL ml.train('t')", "Write " TRAIN_FORM},
        {"SELECT * FROM ml.explain(m", NULL},
        {"SELECT t.train FROM t WHER a", NULL},
        {"SELECT * FROM t TRAIN 5 INTO m", NULL},
        {"SELECT a, with FROM t TRAIN = 1", NULL},
        {"UPDATE t TRAIN X LABEL y INTO m", NULL},
        {"SELECT (a TRAIN X INTO m", NULL},
        {"SELECT * FROM t train", NULL},
        {"SELECT * FROM t TRAIN = 5 INTO m", NULL},
        {"SELECT * FROM train X INTO m", NULL},
        {"SELECT a, train b INTO m FROM t", NULL},
        {"SELECT * FROM t train JOIN u ON a INTO m", NULL},
        {"SELECT * FROM t predict JOIN u USING (a) WHER b", NULL},
        {"SELECT * FORM t", NULL},
        {"", NULL},
        {" -- nothing\n", NULL},
        {"SELECT * FROM t TO SOMEWHERE", NULL},
    };

    (void)state;
    check_all(list, COUNT(list));
}

/* An error before the verb is of another kind. */
static void the_place_of_the_error_counts(void **state)
{
    const char *sql = "SELECT * FORM t TRAIN X LABEL y INTO m";
    const char *hint = "Write TO before TRAIN: SELECT ... TO TRAIN X ...";
    const int verb = (int)(strstr(sql, "TRAIN") - sql);

    (void)state;
    check_hint(slice_of(sql), (int)(strstr(sql, "FORM") - sql), NULL);
    check_hint(slice_of(sql), verb - 1, NULL);
    check_hint(slice_of(sql), verb, hint);
    check_hint(slice_of(sql), verb + 6, hint);
    check_hint(slice_of(sql), -1, hint);
}

/* `count` times `item` between two texts. */
static void check_long(const char *start, int count, const char *item, const char *end,
                       const char *hint)
{
    struct text text;

    text_init(&text, TEXT_MAXIMUM);
    text_append_string(&text, start);
    for (int i = 0; i < count; i++)
        text_append_string(&text, item);
    text_append_string(&text, end);
    CHECK(!text.failed);
    check_hint(text_slice(&text), -1, hint);
    text_deinit(&text);
}

static void a_long_text_is_looked_into_so_far(void **state)
{
    const char *values = "Only a SELECT can be before TO: SELECT * FROM (VALUES ...) TO RUN ...";

    (void)state;
    check_long("VALUES (1)", 31, " train", " TO RUN x", values);
    check_long("VALUES (1)", 32, " train", " TO RUN x", NULL);
    check_long("VALUES (1)", 99000, " a", " TO RUN x", values);
    check_long("VALUES (1)", 100000, " a", " TO RUN x", NULL);
    check_long("SELECT * FROM t TRAIN X", 100000, " a", " LABEL y INTO m", NULL);
    check_long("CREATE TABLE p AS ", 63, "(", "SELECT 1 TO PREDICT USING m", NEW_TABLE);
    check_long("CREATE TABLE p AS ", 64, "(", "SELECT 1 TO PREDICT USING m", NULL);
}

static void show_of_a_parameter_has_a_hint_only_where_it_is_nearly_ours(void **state)
{
    static const struct refused list[] = {{"SHOW MODLES", "Did you mean SHOW MODELS?"},
                                          {"SHOW job;", "Did you mean SHOW JOBS?"},
                                          {"SHOW work_memory", NULL},
                                          {"SHOW \"modles\"", NULL},
                                          {"SET modles", NULL},
                                          {"", NULL}};
    struct error err;

    (void)state;
    for (size_t i = 0; i < COUNT(list); i++) {
        fail(&err, STATUS_SYNTAX, "unrecognized configuration parameter");
        CHECK_INT(refused_show_hint(slice_of(list[i].sql), &err), list[i].hint != NULL);
        assert_string_equal(err.hint, list[i].hint ? list[i].hint : "");
    }
}

static void a_misspelt_keyword_of_the_select_is_named(void **state)
{
    static const struct {
        const char *select;
        int position;
        const char *hint, *expected; /* before and after */
    } list[] = {
        {"SELECT * FORM t", 9, "", "Did you mean FROM?"},
        {"SELECT * FROM t GRUOP BY a", 16, "", "Did you mean GROUP?"},
        {"SELECT * FROM t wehre", 16, "", "Did you mean WHERE?"},
        {"SELECT * FORM t", 9, "It is told.", "It is told."},
        {"SELECT * FORM t", -1, "", ""},
        {"SELECT * FORM t", 15, "", "The SELECT ends too early: something is missing after t."},
        {"SELECT * FROM ", 14, "", "The SELECT ends too early: something is missing after FROM."},
        {"SELECT * FROM -- t", 18, "",
         "The SELECT ends too early: something is missing after FROM."},
        {"SELECT * FROM", 13, "It is told.", "It is told."},
        {"SELECT * FORM t", 14, "", ""},
        {"SELECT * FROM", 9, "", ""},
        {"SELECT * elsewhere t", 9, "", ""},
        {"SELECT * ) t", 9, "", ""},
    };
    struct error err;

    (void)state;
    for (size_t i = 0; i < COUNT(list); i++) {
        fail_at(&err, STATUS_SYNTAX, list[i].position, "syntax error");
        error_hint(&err, "%s", list[i].hint);
        refused_select_hint(slice_of(list[i].select), &err);
        assert_string_equal(err.hint, list[i].expected);
    }
}

static void a_table_is_known_by_what_is_before_it(void **state)
{
    static const struct {
        const char *select, *at, *table;
    } list[] = {
        {"SELECT a FROM irs", "irs", "irs"},
        {"SELECT a FROM /* the */ irs WHERE b", "irs", "irs"},
        {"SELECT a from t join\n irs ON b", "irs", "irs"},
        {"SELECT a FROM t, irs", "irs", "irs"},
        {"SELECT a FROM main.irs", "irs", "irs"},
        {"SELECT irs FROM t", "irs", ""},
        {"SELECT a FROM t irs", "irs", ""},
        {"SELECT a FROM 'irs'", "'irs'", ""},
        {"SELECT a FROM irs", "rs", ""},
        {"SELECT a FROM irs", " irs", ""},
        {"SELECT a FROM", "", ""},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(list); i++) {
        const char *select = list[i].select;
        const int position =
            list[i].at[0] ? (int)(strstr(select, list[i].at) - select) : (int)strlen(select);

        CHECK_SLICE(table_named_at(slice_of(select), position), list[i].table);
    }
    CHECK_SLICE(table_named_at(SLICE(""), 0), "");
    CHECK_SLICE(table_named_at(SLICE("SELECT a FROM irs"), -1), "");
}

static void a_name_without_a_table_is_a_word_where_from_is_not(void **state)
{
    (void)state;
    CHECK(is_name_without_table(SLICE("SELECT a, b"), 7));
    CHECK(is_name_without_table(SLICE("SELECT \"a b\""), 7));
    CHECK(!is_name_without_table(SLICE("SELECT 1 / 'a'"), 11));
    CHECK(!is_name_without_table(SLICE("SELECT a from t"), 7));
    CHECK(is_name_without_table(SLICE("SELECT a -- from t"), 7));
    CHECK(!is_name_without_table(SLICE("SELECT a"), -1));
    CHECK(!is_name_without_table(SLICE("SELECT a"), 8));
    CHECK(names_no_table(SLICE("SELECT 'from', \"from\"")));
}

static void columns_are_named_where_a_star_leaves_some_out(void **state)
{
    static const struct refused list[] = {
        {"SELECT * EXCEPT (a) FROM t", "The database has no * EXCEPT" STAR},
        {"SELECT t.* EXCLUDE(a, b) FROM t", "The database has no * EXCLUDE" STAR},
        {"SELECT totrain_predict('m', *) FROM t", "SELECT totrain_call('m'); prints the call with "
                                                  "all inputs of m. SELECT * FROM t TO PREDICT "
                                                  "guess USING m finds the columns by name."},
        {"SELECT totrain_predict('m', a * b) FORM t", NULL},
        {"SELECT a FROM t EXCEPT (SELECT 1) FORM", NULL},
        {"SELECT * EXCEPT SELECT", NULL},
    };

    (void)state;
    check_all(list, COUNT(list));
}

static void a_name_that_is_not_there_may_have_another_one_here(void **state)
{
    static const struct {
        const char *message, *hint;
    } list[] = {
        {"no such function: predict", "It is totrain_predict here: SELECT "
                                      "totrain_predict('model', a, b) FROM t."},
        {"no such function: predict_proba", "It is totrain_probability here: SELECT "
                                            "totrain_probability('model', a, b) FROM t."},
        {"function predict_proba(unknown, integer) does not exist",
         "It is totrain.probability here: SELECT totrain.probability('model', t) FROM t."},
        {"function predict(unknown, integer) does not exist",
         "It is totrain.predict here: SELECT totrain.predict('model', t) FROM t."},
        {"no such table: pgml.train", "A statement trains: " TRAIN_FORM},
        {"schema \"pgml\" does not exist", "A statement trains: " TRAIN_FORM},
        {"no such table: a.csv", "A file is no table: .import a.csv t makes one of it, in the "
                                 "sqlite3 shell .import --csv a.csv t."},
        {"no such table: read_csv",
         "A file is read into a table first: .import --csv a.csv t in the sqlite3 shell. In Python "
         "totrain.train takes DataFrames, and relations of DuckDB."},
        {"no such table: rows.parquet", "A file is no table: read it into one first. In Python "
                                        "totrain.train takes DataFrames."},
        {"no such table: train", ""},
        {"no such table: totrain.rows", "Names of ToTrain have no schema in SQLite: totrain_rows."},
        {"no such table: totrain.modles",
         "Names of ToTrain have no schema in SQLite: totrain_models."},
        {"no such table: totrain.customers", ""},
        {"no such table: totrain_modles", "Did you mean totrain_models?"},
        {"no such table: totrain_models",
         "The first training in this database makes it. " TRAIN_FORM},
        {"no such table: totrain_something_else", ""},
        {"no such table: totrain_evaluate",
         "In FROM a function returns the rows of a statement: SELECT row FROM totrain_rows('SELECT "
         "* FROM table TO EVALUATE model');"},
        {"no such table: main.predict", ""},
        {"no such function: nope", ""},
        {"no such function: totrain_train", "A statement trains: " TRAIN_FORM},
        {"no such function: totrain_proba", "Did you mean totrain_probability?"},
        {"no such function: totrain_perdict", "Did you mean totrain_predict?"},
        {"no such function: totrain_something_else", ""},
        {"no such column: predict", ""},
        {"no such column: M", "A model's name stands in single quotes: totrain_predict('M', ...)."},
        {"column \"m\" does not exist",
         "A model's name stands in single quotes: totrain_predict('m', ...)."},
    };
    const struct slice text = SLICE("SELECT predict, lower(x), totrain_predict(m, a) FROM t");
    struct error err;
    (void)state;

    for (size_t i = 0; i < COUNT(list); i++) {
        fail(&err, STATUS_DATABASE, "%s", list[i].message);
        CHECK(refused_missing_hint(text, &err) == (list[i].hint[0] != 0));
        assert_string_equal(err.hint, list[i].hint);
        assert_string_equal(err.message, list[i].message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_named_where_a_star_leaves_some_out),
        cmocka_unit_test(a_name_that_is_not_there_may_have_another_one_here),
        cmocka_unit_test(functions_of_other_tools_have_a_statement_here),
        cmocka_unit_test(functions_of_the_users_own_have_no_hint),
        cmocka_unit_test(a_model_is_made_and_dropped_in_other_words),
        cmocka_unit_test(what_is_shown_and_cancelled_has_a_name),
        cmocka_unit_test(the_rows_come_before_the_verb),
        cmocka_unit_test(only_a_select_of_its_own_is_before_to),
        cmocka_unit_test(a_verb_without_to_is_known_by_its_clauses),
        cmocka_unit_test(the_place_of_the_error_counts),
        cmocka_unit_test(a_long_text_is_looked_into_so_far),
        cmocka_unit_test(show_of_a_parameter_has_a_hint_only_where_it_is_nearly_ours),
        cmocka_unit_test(a_misspelt_keyword_of_the_select_is_named),
        cmocka_unit_test(a_table_is_known_by_what_is_before_it),
        cmocka_unit_test(a_name_without_a_table_is_a_word_where_from_is_not),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
