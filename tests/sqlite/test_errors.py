"""Errors: where, what, and what to do, as the stock shell shows them."""

import sqlite3

import harness


class Errors(harness.Case):
    def setUp(self):
        super().setUp()
        self.make_iris()
        self.database = self.connect()

    def check(self, sql, *parts):
        out, err = self.shell(sql)
        self.assertEqual(out, "")
        for part in parts:
            self.assertIn(part, err)
        return err

    def check_caret(self, sql, word):
        """The caret stands under the first letter of the word."""
        lines = self.check(sql).splitlines()
        at = next(i for i, line in enumerate(lines) if line.strip() == "^")
        self.assertEqual(lines[at - 1][lines[at].index("^"):][:len(word)], word)

    def test_a_missing_label_is_shown_with_its_place_and_a_suggestion(self):
        sql = ("SELECT * FROM iris TO TRAIN LinearClassifier LABEL klass INTO m;")
        self.check(sql, 'label column "klass" is not among the columns of the query', "LINE 1: ",
                   "HINT:  Did you mean class?")
        self.check_caret(sql, "klass")

    def test_the_line_is_that_of_the_statement(self):
        sql = ("SELECT 'Grüße';\nSELECT * FROM iris\nTO TRAIN LinearClassifier\n"
               "WITH train.epoc = 3 LABEL class INTO m;")
        out, err = self.shell(sql)
        self.assertIn("LINE 3: WITH train.epoc = 3", err)
        self.assertIn("train.epoch", err)

    def test_a_typing_error_of_ordinary_sql_is_sqlites_own(self):
        self.check("SELECT * FORM iris;", 'near "FORM": syntax error')

    def test_the_singular_after_show_is_answered_with_the_plural(self):
        for sql in ("SHOW VERSION m;", "SHOW JOB 1;", "SHOW ATTRIBUTE;"):
            self.check(sql, "expected TRAIN, MODELS, VERSIONS, TRIALS, JOBS, ATTRIBUTES, MODEL, DEFINITIONS or DEFINITION after SHOW",
                       f"HINT:  Did you mean {sql.split()[1].strip(';')}S?")

    def test_an_error_inside_the_select_is_sqlites_own_with_a_caret(self):
        sql = "SELECT sepal_lenght, class FROM iris TO TRAIN LinearClassifier LABEL class INTO m;"
        self.check(sql, "no such column: sepal_lenght")
        self.check_caret(sql, "sepal_lenght")

    def test_a_missing_model_suggests_the_nearest(self):
        self.shell("SELECT * FROM iris TO TRAIN LinearClassifier WITH train.epoch = 1 "
                   "LABEL class INTO iris_model;")
        for target in ("", "p.class "):
            self.check(f"SELECT * FROM iris TO PREDICT {target}USING iris_modle;",
                       'there is no model "iris_modle"', "Did you mean iris_model?")

    def test_a_table_that_is_no_model_is_refused_and_never_dropped(self):
        self.check("SELECT * FROM iris TO PREDICT USING iris;", 'table "iris" is no model')
        self.check("SELECT * FROM iris TO TRAIN LinearClassifier LABEL class INTO iris;",
                   'table "iris" exists and is no model')
        out, _ = self.shell("SELECT count(*) AS n FROM iris;")
        self.assertEqual(out, "n\n150\n")

    def test_what_a_statement_aims_at_is_shown_with_its_place(self):
        self.database.execute("SELECT * FROM iris TO TRAIN LinearClassifier LABEL class INTO m")
        for sql, message, word in (
                ("ROLLBACK MODEL m TO 7", 'no version "7"', "7"),
                ("CANCEL JOB 99", "there is no job 99", "99"),
                ("CANCEL JOB 1", "job 1 has ended already", "1"),
                ("SELECT * FROM iris TO TRAIN LinearClassifier LABEL class INTO main.iris",
                 'table "iris" exists and is no model', "iris"),
                ("SELECT * FROM iris TO EVALUATE m INTO m2", "exists and is no ordinary table", "m2")):
            with self.subTest(sql):
                self.database.execute("CREATE VIEW IF NOT EXISTS m2 AS SELECT 1")
                with self.assertRaisesRegex(sqlite3.OperationalError, message) as raised:
                    self.database.execute(sql).fetchall()
                line, caret = str(raised.exception).split("\n")[1:3]
                self.assertTrue(line[len(caret) - 1:].endswith(word), raised.exception)

    def test_a_function_runs_one_statement_and_says_where_another_begins(self):
        for sql in ("SELECT 1; SELECT 2", "SHOW MODELS; SHOW JOBS;", "SELECT 1; garbage"):
            with self.assertRaisesRegex(sqlite3.OperationalError, "a second statement begins here"):
                self.database.execute("SELECT totrain(?)", (sql,)).fetchall()
        for sql in ("SELECT 1;", ";; SELECT 1 ; ; -- the end", "SELECT 1"):
            self.assertEqual(self.database.execute("SELECT totrain(?)", (sql,)).fetchall(),
                             [('[{"1":1}]',)])

    def test_a_label_that_is_hardly_a_fraction_is_shown_as_one(self):
        self.database.execute("CREATE TABLE f AS SELECT *, 30.000000000000004 AS y FROM iris")
        with self.assertRaisesRegex(sqlite3.OperationalError, "has 30.000000000000004"):
            self.database.execute("SELECT * FROM f TO TRAIN LinearClassifier LABEL y INTO m")

    def test_what_is_not_built_yet_says_so(self):
        self.check("SELECT * FROM iris TO RUN a/b:v1 CMD 'x';", "not supported yet")

    def test_an_unknown_attached_database_is_named(self):
        self.check("SELECT * FROM iris TO TRAIN LinearClassifier LABEL class INTO other.m;",
                   "other", "attach")

    def test_the_program_has_no_values_for_parameters(self):
        done = self.run_program(self.path, "-c", "SELECT * FROM iris WHERE class < ?1 TO TRAIN "
                                "LinearClassifier LABEL class INTO m")
        self.assertIn("the SELECT has parameters (?1), which cannot be bound", done.stderr)
        self.assertIn("HINT:  Write the values into the statement.", done.stderr)

    def test_the_shell_binds_parameters_that_it_has(self):
        out, err = self.shell(".parameter set :c 2\nSELECT * FROM iris WHERE class < :c TO TRAIN LinearClassifier "
                              "WITH epochs = 1 LABEL class INTO m;")
        self.assertEqual(err, "")
        self.assertIn("rows|||100", out)

    def test_a_table_that_is_not_there_is_shown_with_its_place_and_a_suggestion(self):
        for table in ("irs", "main.irs", '"irs"', "[irs]"):
            sql = f"SELECT * FROM {table} TO TRAIN LinearClassifier LABEL class INTO m;"
            self.check(sql, "no such table: ", "HINT:  Did you mean iris?")
            self.check_caret(sql, table.split(".")[-1])

    def test_a_query_that_writes_is_refused(self):
        self.check("WITH x AS (SELECT 1) DELETE FROM iris RETURNING * TO TRAIN LinearClassifier "
                   "LABEL class INTO m;", "only reads")
        out, _ = self.shell("SELECT count(*) AS n FROM iris;")
        self.assertEqual(out, "n\n150\n")

    def test_data_that_cannot_train_is_refused_with_the_reason(self):
        self.check("SELECT * FROM iris WHERE 0 TO TRAIN LinearClassifier LABEL class INTO m;",
                   "rows")
        self.check("SELECT * FROM iris WHERE class = 1 TO TRAIN LinearClassifier LABEL class "
                   "INTO m;", "class")
        self.check("SELECT *, 1e999 AS big FROM iris TO TRAIN LinearClassifier LABEL class INTO m;",
                   "big")

    def test_a_wrong_value_is_named_with_its_row(self):
        # Beyond the sample of 1000 rows.
        self.check("WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 1500) "
                   "SELECT CASE i WHEN 1200 THEN 'abc' ELSE i END AS x, i % 2 AS y FROM r "
                   "TO TRAIN LinearClassifier LABEL y INTO m;", "row 1200", '"x"', "abc")

    def test_an_unknown_function_argument_says_what_is_expected(self):
        self.shell("SELECT * FROM iris TO TRAIN LinearClassifier WITH train.epoch = 1 "
                   "LABEL class INTO m;")
        self.check("SELECT totrain_predict('m', 1, 2);", "takes 4 values", "sepal_length")
        self.check("SELECT totrain_predict('nope', 1, 2);", 'there is no model "nope"')
        self.check("SELECT totrain_predict(3);", "name in quotes")
        self.check("SELECT totrain_config('nope');", "bare_statements")


harness.main()
