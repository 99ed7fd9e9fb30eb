"""The bare statement in Debian's python3, through its own sqlite3 module."""

import sqlite3

import harness


class Python(harness.Case):
    def setUp(self):
        super().setUp()
        self.make_iris()
        self.database = self.connect()

    def train(self, model="m", where="1"):
        return self.database.execute(
            f"SELECT * FROM iris WHERE {where} TO TRAIN LinearClassifier WITH train.epoch = 2 "
            f"LABEL class INTO {model}").fetchall()

    def test_parameters_of_the_select_are_bound_in_every_statement(self):
        train = "TO TRAIN LinearClassifier WITH train.epoch = 2 LABEL class INTO"
        self.database.execute(f"SELECT * FROM iris WHERE class < 2 AND petal_width < 1.7 {train} m").fetchall()
        forms = ((f"SELECT * FROM iris WHERE class < ? AND petal_width < ? {train} a", (2, 1.7)),
                 (f"SELECT * FROM iris WHERE petal_width < ?2 AND class<?1 {train} b", (2, 1.7)),
                 (f"SELECT * FROM iris WHERE class < :c AND petal_width < @w AND class < :c {train} c",
                  {"c": 2, "w": 1.7}),
                 (f"SELECT * FROM iris WHERE class < $c AND 'a ? :b' <> ? AND petal_width < 1.7 "
                  f"/* ? */ {train} d", (2, "it's")))
        for statement, values in forms:
            with self.subTest(statement):
                rows = harness.facts(self.database.execute(statement, values))
                self.assertEqual(rows["rows"], 98)
                self.assertEqual(self.digest(self.database, statement[-1]), self.digest(self.database, "m"))
        rows = "SELECT * FROM iris WHERE class < ? ORDER BY 1, 2, 3, 4 LIMIT ?"
        predicted = self.database.execute(f"{rows} TO PREDICT USING m", (2, 7)).fetchall()
        self.assertEqual(len(predicted), 7)
        self.database.execute(f"{rows} TO PREDICT p.class USING m", (2, 7)).fetchall()
        self.assertEqual(self.database.execute("SELECT * FROM p").fetchall(), predicted)
        whole = self.database.execute("SELECT * FROM iris WHERE class < 2 TO EVALUATE m").fetchall()
        for target in ("", "INTO e"):
            self.database.execute(f"SELECT * FROM iris WHERE class < ? TO EVALUATE m {target}", (2,)).fetchall()
        self.assertEqual(self.database.execute("SELECT * FROM iris WHERE class < ? TO EVALUATE m", (2,)).fetchall(),
                         whole)
        plan = dict(self.database.execute(f"EXPLAIN SELECT * FROM iris WHERE class < ? {train} m", (1,)).fetchall())
        self.assertIn("50 sampled rows", plan["label class"])

    def test_every_kind_of_value_is_bound_to_the_last_bit(self):
        values = (0, -1, 2**63 - 1, -2**63, 0.1, -0.1, 1 / 3, 5e-324, 1.7976931348623157e308, 2.0, -0.0,
                  123456789.12345679, float("inf"), "it's", "größe\n-- x", "", b"\x00\xff", b"", None)
        self.train()
        asked = ", ".join(f"? AS v{i}" for i in range(len(values)))
        row = self.database.execute(f"SELECT iris.*, {asked} FROM iris LIMIT 1 TO PREDICT p.class USING m", values)
        row.fetchall()
        names = ", ".join(f"v{i}" for i in range(len(values)))
        kept = self.database.execute(f"SELECT {names} FROM p").fetchone()
        self.assertEqual([(type(value), repr(value)) for value in kept],
                         [(type(value), repr(value)) for value in values])

    def test_what_cannot_be_bound_is_said(self):
        self.train()
        for statement, values, error in (
                ("SELECT * FROM iris WHERE class < ? TO EVALUATE m", (), "number of bindings|uses 1"),
                ("SELECT * FROM iris WHERE nope < ? TO EVALUATE m INTO e", (1,), "no such column: nope"),
                ("SELECT * FROM iris WHERE class <> ? TO EVALUATE m INTO e", ("a\0b",), "parameter 1 holds a NUL byte"),
                ("SELECT * FROM iris TO TRAIN LinearClassifier WITH epochs = ? LABEL class INTO m", (1,),
                 "Parameters are bound in the SELECT alone"),
                (f"SELECT * FROM iris WHERE class IN ({', '.join('?' * 500)}) TO EVALUATE m INTO e", [1] * 500,
                 "the SELECT has 500 parameters, where at most")):
            with self.subTest(statement[:60]):
                with self.assertRaisesRegex(sqlite3.Error, error):
                    self.database.execute(statement, values).fetchall()

    def test_the_function_takes_the_values_behind_the_statement(self):
        self.train()
        run = "SELECT totrain('SELECT * FROM iris WHERE class < ? TO EVALUATE m', ?)"
        whole = self.database.execute("SELECT totrain('SELECT * FROM iris WHERE class < 2 TO EVALUATE m')").fetchall()
        self.assertEqual(self.database.execute(run, (2,)).fetchall(), whole)
        with self.assertRaisesRegex(sqlite3.OperationalError, "has 1 parameter, and 0 values are given"):
            self.database.execute("SELECT totrain('SELECT * FROM iris WHERE class < ? TO EVALUATE m')").fetchall()

    def test_a_detached_job_reads_the_rows_of_its_values(self):
        self.database.execute("SELECT * FROM iris WHERE class < ? TO TRAIN LinearClassifier WITH epochs = 2, "
                              "wait = false LABEL class INTO m", (2,)).fetchall()
        harness.wait_for(lambda: "m" in self.tables(self.database), "the model")
        self.train("whole", "class < 2")
        self.assertEqual(self.digest(self.database, "m"), self.digest(self.database, "whole"))
        self.check_nothing_runs()

    def test_a_cursor_runs_the_statement_and_gives_rows(self):
        cursor = self.database.execute(harness.TRAIN_IRIS)
        self.assertEqual([column[0] for column in cursor.description],
                         ["name", "value", "part", "detail"])
        rows = harness.facts(cursor)
        self.assertEqual(rows["rows"], 150)
        self.assertGreater(rows["Accuracy"], 0.9)
        self.assertFalse(self.database.in_transaction)

    def test_a_semicolon_and_white_space_may_follow(self):
        self.assertEqual(self.database.execute("  SHOW MODELS ;  \n").fetchall(), [])
        shown = self.database.execute("SHOW ATTRIBUTES").fetchall()
        self.assertGreater(len(shown), 1)
        self.assertEqual(self.database.execute("  SHOW ATTRIBUTES ;  \n").fetchall(), shown)

    def test_two_statements_in_one_execute_are_refused_by_python(self):
        with self.assertRaisesRegex((sqlite3.Warning, sqlite3.ProgrammingError),
                                    "one statement at a time"):
            self.database.execute("SHOW MODELS; SHOW JOBS;")

    def test_executescript_runs_both_kinds(self):
        self.database.executescript(
            "CREATE TABLE t(x); SELECT * FROM iris TO TRAIN LinearClassifier WITH train.epoch = 1 "
            "LABEL class INTO m; INSERT INTO t VALUES (1);")
        self.assertEqual(self.database.execute("SELECT x FROM t").fetchall(), [(1,)])
        self.assertEqual(len(self.database.execute("SHOW MODELS").fetchall()), 1)

    def test_an_error_carries_the_caret_and_the_hint(self):
        with self.assertRaises(sqlite3.OperationalError) as raised:
            self.database.execute("SELECT * FROM iris TO TRAIN LinearClassifier LABEL klass INTO m")
        self.assertIn("LINE 1: ", str(raised.exception))
        self.assertIn("HINT:  Did you mean class?", str(raised.exception))

    def test_a_statement_that_failed_works_once_its_reason_is_gone(self):
        # Python keeps prepared statements by their text.
        predict = "SELECT * FROM iris LIMIT 3 TO PREDICT USING m"
        with self.assertRaisesRegex(sqlite3.OperationalError, "there is no model"):
            self.database.execute(predict)
        self.train()
        self.assertEqual(len(self.database.execute(predict).fetchall()), 3)

    def test_the_same_statement_runs_again_and_sees_the_new_model(self):
        predict = "SELECT totrain_predict('m', 5.0, 3.0, 1.0, 0.5)"
        self.train(where="class < 2")
        first = self.database.execute("SHOW VERSIONS m").fetchall()
        self.train(where="class > 0")
        second = self.database.execute("SHOW VERSIONS m").fetchall()
        self.assertEqual([row[0] for row in first], [1])
        self.assertEqual([row[0] for row in second], [2, 1])
        self.assertEqual(self.database.execute(predict).fetchone()[0], 1)

    def test_the_same_text_works_after_a_retraining_with_other_columns(self):
        """The module keeps prepared statements by their text."""
        def columns(statement):
            return [column[0] for column in self.database.execute(statement).description]

        statements = ("SELECT * FROM iris TO EVALUATE m", "SHOW TRAIN m", "SELECT * FROM iris TO PREDICT USING m")
        self.train()
        of_classes = [columns(statement) for statement in statements]
        self.assertEqual(of_classes[0][:2], ["loss", "Accuracy"])
        self.database.execute("SELECT petal_width, sepal_length FROM iris TO TRAIN LinearRegressor WITH train.epoch = 1 "
                              "LABEL petal_width INTO m").fetchall()
        of_numbers = [columns(statement) for statement in statements]
        self.assertEqual(of_numbers[0][:2], ["loss", "RMSE"])
        for old, new in zip(of_classes, of_numbers):
            self.assertNotEqual(old, new)
        self.assertEqual(len(self.database.execute(statements[-1]).fetchall()), 150)

    def prepared(self, statement):
        """The statement as the module keeps it for a program that prepares it."""
        return self.database.execute("SELECT totrain_sql(?)", (statement,)).fetchone()[0]

    def test_a_model_of_other_columns_is_not_fed_with_the_old_ones(self):
        self.train()
        evaluate = self.prepared("SELECT * FROM iris TO EVALUATE m")
        self.assertEqual(len(self.database.execute(evaluate).fetchone()), 4)
        self.database.execute("SELECT * FROM iris TO TRAIN LinearRegressor WITH train.epoch = 1 "
                              "LABEL petal_width INTO m").fetchall()
        with self.assertRaisesRegex(sqlite3.OperationalError, "prepared"):
            self.database.execute(evaluate)

    def test_a_model_of_other_columns_of_the_same_number_is_noticed(self):
        predict = None
        for columns, fails in (("sepal_length, petal_width", False),
                               ("sepal_length, petal_width", False),
                               ("petal_width, sepal_length", True)):
            self.database.execute(f"SELECT {columns}, class FROM iris TO TRAIN LinearClassifier WITH "
                                  "train.epoch = 1 LABEL class INTO m").fetchall()
            predict = predict or self.prepared("SELECT * FROM iris TO PREDICT USING m")
            if fails:
                with self.assertRaisesRegex(sqlite3.OperationalError, "other columns"):
                    self.database.execute(predict).fetchall()
            else:
                self.assertEqual(len(self.database.execute(predict).fetchall()), 150)
        self.assertEqual(len(self.database.execute("SELECT * FROM iris TO PREDICT USING m").fetchall()), 150)

    def test_a_half_read_result_is_let_go(self):
        for _ in range(3):
            cursor = self.database.execute("SHOW ATTRIBUTES")
            cursor.fetchone()
            cursor.close()
        self.assertEqual(self.train()[0][0], "loss")

    def test_other_connections_of_the_process_are_left_alone(self):
        plain = sqlite3.connect(self.path)
        self.addCleanup(plain.close)
        with self.assertRaisesRegex(sqlite3.OperationalError, "syntax error"):
            plain.execute("SHOW MODELS")

    def test_connections_come_and_go(self):
        for _ in range(20):
            database = self.connect()
            self.assertEqual(database.execute("SHOW MODELS").fetchall(), [])
            database.close()

    def test_ordinary_errors_stay_as_they_are(self):
        with self.assertRaisesRegex(sqlite3.OperationalError, 'near "SELEC": syntax error'):
            self.database.execute("SELEC 1")
        with self.assertRaisesRegex(sqlite3.OperationalError, "no such table: nope"):
            self.database.execute("SELECT * FROM nope")

    def test_bytes_after_the_text_are_not_looked_at(self):
        # sqlite3_prepare_v2 gets a length; Python's includes the terminator.
        text = "SHOW MODELS" + "/* " + "x" * 10000 + " */"
        self.assertEqual(self.database.execute(text).fetchall(), [])


harness.main()
