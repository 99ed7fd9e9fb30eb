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

    def test_parameters_are_refused_in_every_statement(self):
        database = self.connect(isolation_level=None)
        harness.load_csv(database, "iris", "leaves")
        for statement in ("TO TRAIN LinearClassifier LABEL class INTO m", "TO PREDICT p.class USING m",
                          "TO EVALUATE m INTO e"):
            with self.assertRaisesRegex(sqlite3.OperationalError, "the SELECT has parameters .*cannot be bound"):
                database.execute(f"SELECT * FROM leaves WHERE class < ? {statement}", (2,))
        self.assertEqual(self.jobs_started(), [])

    def test_a_cursor_runs_the_statement_and_gives_rows(self):
        cursor = self.database.execute(harness.TRAIN_IRIS)
        self.assertEqual([column[0] for column in cursor.description],
                         ["name", "train", "validation"])
        rows = dict((row[0], row[1]) for row in cursor)
        self.assertEqual(rows["rows"], 150)
        self.assertGreater(rows["Accuracy"], 0.9)
        self.assertFalse(self.database.in_transaction)

    def test_a_semicolon_and_white_space_may_follow(self):
        self.database.execute("  SHOW MODELS ;  \n").fetchall()

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

    def test_a_model_of_other_columns_is_not_fed_with_the_old_ones(self):
        evaluate = "SELECT * FROM iris TO EVALUATE m"
        self.train()
        self.assertEqual(len(self.database.execute(evaluate).fetchone()), 3)
        self.database.execute("SELECT * FROM iris TO TRAIN LinearRegressor WITH train.epoch = 1 "
                              "LABEL petal_width INTO m").fetchall()
        with self.assertRaisesRegex(sqlite3.OperationalError, "prepared"):
            self.database.execute(evaluate)

    def test_a_model_of_other_columns_of_the_same_number_is_noticed(self):
        predict = "SELECT * FROM iris TO PREDICT USING m"
        for columns, fails in (("sepal_length, petal_width", False),
                               ("sepal_length, petal_width", False),
                               ("petal_width, sepal_length", True)):
            self.database.execute(f"SELECT {columns}, class FROM iris TO TRAIN LinearClassifier WITH "
                                  "train.epoch = 1 LABEL class INTO m").fetchall()
            if fails:
                with self.assertRaisesRegex(sqlite3.OperationalError, "other columns"):
                    self.database.execute(predict).fetchall()
            else:
                self.assertEqual(len(self.database.execute(predict).fetchall()), 150)
        self.assertEqual(len(self.database.execute(predict + " ").fetchall()), 150)

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
