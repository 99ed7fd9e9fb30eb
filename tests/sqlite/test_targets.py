"""Where models and predictions go: attached, temporary and in-memory databases, odd names."""

import sqlite3

import harness

LINEAR = "TO TRAIN LinearClassifier WITH train.epoch = 2 LABEL class"


class Targets(harness.Case):
    def setUp(self):
        super().setUp()
        self.make_iris()
        self.database = self.connect(isolation_level=None)

    def train(self, into="m"):
        return self.run_all(f"SELECT * FROM iris {LINEAR} INTO {into}")

    def test_a_database_in_memory(self):
        self.database = self.connect(":memory:", isolation_level=None)
        harness.load_csv(self.database, "iris")
        self.train()
        self.run_all("SELECT * FROM iris TO PREDICT p.class USING m")
        self.assertEqual(self.run_all("SELECT count(*) FROM p"), [(150,)])

    def test_memory_and_file_give_the_same_model(self):
        memory = self.connect(":memory:", isolation_level=None)
        harness.load_csv(memory, "iris")
        memory.execute(f"SELECT * FROM iris {LINEAR} INTO m").fetchall()
        self.train()
        self.assertEqual(self.digest(memory, "m"), self.digest(self.database, "m"))

    def test_an_attached_database(self):
        self.run_all(f"ATTACH '{self.folder / 'other.db'}' AS other")
        self.train("other.m")
        self.assertEqual(self.tables(self.database), {"iris"})
        self.assertEqual([row[0] for row in self.run_all("SHOW MODELS")], ["other.m"])
        self.run_all("SELECT * FROM iris TO PREDICT other.p.class USING other.m")
        self.assertEqual(self.run_all("SELECT count(*) FROM other.p"), [(150,)])
        self.assertEqual(self.run_all("SELECT totrain_predict('other.m', 5, 3, 1, 0.5)"), [(0,)])
        self.train("other.m")
        self.assertEqual([row[0] for row in self.run_all("SHOW VERSIONS other.m")], [2, 1])

    def test_a_temporary_model_leaves_no_trace_in_the_file(self):
        self.train("temp.m")
        self.assertEqual(self.tables(self.database), {"iris"})
        self.assertEqual([row[0] for row in self.run_all("SHOW MODELS")], ["temp.m"])
        self.assertEqual(len(self.run_all("SELECT * FROM iris TO PREDICT USING m")), 150)

    def test_temporary_tables_and_views_are_trained_on(self):
        self.run_all("CREATE TEMP TABLE some AS SELECT * FROM iris WHERE class > 0")
        self.run_all("CREATE VIEW petals AS SELECT petal_length, petal_width, class FROM iris")
        self.run_all(f"SELECT * FROM some {LINEAR} INTO m")
        self.run_all(f"SELECT * FROM petals {LINEAR} INTO p")
        self.assertEqual([row[3] for row in self.run_all("SHOW MODELS")], [100, 150])

    def test_odd_names_of_models_columns_and_tables(self):
        self.run_all('CREATE TABLE "my ""table""" ("größe" REAL, "select" REAL, "a b" TEXT, '
                     '"it\'s" REAL, "Klasse ü" TEXT)')
        for i in range(40):
            self.database.execute('INSERT INTO "my ""table""" VALUES (?, ?, ?, ?, ?)',
                                  (i, -i, "word" + str(i % 3), i * i, "a" if i < 20 else "b ü"))
        for model in ('"my model"', '"TO"', '"a.b"', '"quo""te"', "größe", "\"it's\"", '"train"'):
            with self.subTest(model=model):
                self.run_all(f'SELECT * FROM "my ""table""" TO TRAIN LinearClassifier WITH '
                             f'train.epoch = 2 LABEL "Klasse ü" INTO {model}')
                rows = self.run_all(f'SELECT * FROM "my ""table""" TO PREDICT USING {model}')
                self.assertLessEqual({row[4] for row in rows}, {"a", "b ü"})
                self.run_all(f'SELECT * FROM "my ""table""" TO PREDICT "p q"."Klasse ü" '
                             f"USING {model}")
                self.assertEqual(self.run_all('SELECT * FROM "p q"'), rows)
                self.assertEqual(self.run_all(f"SHOW VERSIONS {model}")[0][0], 1)
        self.assertEqual(len(self.run_all("SHOW MODELS")), 7)

    def test_reserved_names_are_refused(self):
        for name in ("sqlite_m", "totrain_models", "totrain_versions"):
            with self.assertRaises(sqlite3.OperationalError):
                self.train(name)
        self.assertEqual(self.jobs_started(), [])

    def test_prediction_drops_and_recreates_its_table(self):
        self.train()
        self.run_all("CREATE TABLE p (old)")
        result = self.run_all("SELECT * FROM iris WHERE class = 1 TO PREDICT p.class "
                              "WITH predict.replace = true USING m")
        self.assertEqual(result[0][:2], ("p", 50))
        columns = self.run_all("SELECT name, type FROM pragma_table_info('p')")
        self.assertEqual(columns, [("sepal_length", "REAL"), ("sepal_width", "REAL"),
                                   ("petal_length", "REAL"), ("petal_width", "REAL"),
                                   ("class", "INTEGER")])

    def test_prediction_may_read_the_table_that_it_replaces(self):
        self.train()
        self.run_all("SELECT * FROM iris TO PREDICT p.class USING m")
        before = self.run_all("SELECT * FROM p")
        self.run_all("CREATE VIEW seen AS SELECT * FROM p")
        self.run_all("SELECT * FROM p TO PREDICT p.class USING m")
        self.assertEqual(self.run_all("SELECT * FROM p"), before)
        self.run_all("SELECT * FROM seen TO PREDICT p.class USING m")
        self.assertEqual(self.run_all("SELECT * FROM seen"), before)
        self.assertEqual(self.run_all("SELECT count(*) FROM sqlite_temp_master"), [(0,)])

    def test_prediction_that_fails_leaves_the_old_table(self):
        self.train()
        self.run_all("CREATE TABLE p (old); ")
        self.run_all("INSERT INTO p VALUES (7)")
        with self.assertRaises(sqlite3.OperationalError):
            self.run_all("SELECT sepal_length, sepal_width, petal_length, CASE rowid WHEN 120 THEN "
                         "'x' ELSE petal_width END AS petal_width FROM iris TO PREDICT p.class "
                         "WITH predict.replace = true USING m")
        self.assertEqual(self.run_all("SELECT * FROM p"), [(7,)])
        self.assertFalse(self.database.in_transaction)

    def test_a_model_or_a_view_is_never_overwritten_by_predictions(self):
        self.train()
        self.run_all("CREATE VIEW v AS SELECT 1 AS x")
        for target in ("m", "v"):
            with self.assertRaises(sqlite3.OperationalError):
                self.run_all(f"SELECT * FROM iris TO PREDICT {target}.class USING m")
        self.assertEqual(len(self.run_all("SHOW MODELS")), 1)

    def test_evaluation_into_a_table(self):
        self.train()
        shown = self.run_all("SELECT * FROM iris TO EVALUATE m")
        self.assertEqual(self.run_all("SELECT * FROM iris TO EVALUATE m INTO e")[0][:2], ("e", 1))
        self.assertEqual(self.run_all("SELECT * FROM e"), shown)


harness.main()
