"""The rows of statements in the FROM of a query: totrain_rows() as a function, and as tables with columns of their own."""

import json
import sqlite3
import threading

import harness

EVALUATE = "SELECT * FROM iris TO EVALUATE m"


class RowsTable(harness.Case):
    def setUp(self):
        super().setUp()
        self.make_iris()
        self.database = self.connect(isolation_level=None)
        self.train()

    def train(self, into="m", epochs=3):
        self.run_all(f"SELECT * FROM iris TO TRAIN LinearClassifier WITH train.epoch = {epochs} LABEL class INTO {into}")

    def fails(self, sql, *parts, database=None):
        with self.assertRaises(sqlite3.OperationalError) as caught:
            (database or self.database).execute(sql).fetchall()
        for part in parts:
            self.assertIn(part, str(caught.exception))

    def create(self, name, statement):
        quoted = statement.replace("'", "''")
        self.run_all(f"CREATE VIRTUAL TABLE temp.{name} USING totrain_rows('{quoted}')")

    # ----- the function -----

    def test_a_row_of_json_for_each_row(self):
        wanted = self.run_all(EVALUATE)
        found = self.run_all("SELECT row ->> 'Accuracy', row FROM totrain_rows(?)", EVALUATE)
        self.assertEqual([row[0] for row in found], [wanted[0][1]])
        self.assertEqual(json.loads(found[0][1])["loss"], wanted[0][0])
        self.assertEqual(self.run_all("SELECT json_type(json_array(row), '$[0]') FROM totrain_rows('SHOW MODELS')"),
                         [("object",)])

    def test_values_of_parameters_from_another_table(self):
        """Metrics by group: the SELECT has a value of the row that stands before it."""
        found = self.run_all("SELECT c.value, r.row ->> 'Accuracy' FROM json_each('[0, 1, 2]') c, "
                             "totrain_rows('SELECT * FROM iris WHERE class = ? TO EVALUATE m', c.value) r ORDER BY 1")
        wanted = [(i, self.run_all(f"SELECT * FROM iris WHERE class = {i} TO EVALUATE m")[0][1]) for i in range(3)]
        self.assertEqual(found, wanted)
        self.fails("SELECT * FROM totrain_rows('SELECT * FROM iris WHERE class = ? TO EVALUATE m', 1, 2)", "value")

    def test_it_runs_once_where_a_join_reads_it_often(self):
        calls = []
        self.database.create_function("seen", 1, lambda x: calls.append(x) or x)
        statement = "SELECT seen(sepal_length) AS sepal_length, sepal_width, petal_length, petal_width FROM iris LIMIT 5"
        rows = self.run_all("SELECT count(*) FROM json_each('[1, 2, 3, 4]') LEFT JOIN totrain_rows(?) ON 1",
                            f"{statement} TO PREDICT class USING m")
        self.assertEqual(rows, [(20,)])
        once = len(calls)
        self.run_all("SELECT count(*) FROM totrain_rows(?)", f"{statement} TO PREDICT class USING m")
        self.assertEqual(len(calls), 2 * once)

    def test_statements_that_change_something_are_refused(self):
        for statement, word in ((f"{EVALUATE} INTO t", "EVALUATE"), ("SELECT * FROM iris TO PREDICT t.class USING m", "PREDICT"),
                                ("SELECT * FROM iris TO TRAIN LinearClassifier LABEL class INTO m2", "TRAIN"),
                                ("ROLLBACK MODEL m TO 1", "ROLLBACK"), ("CANCEL JOB 1", "CANCEL")):
            self.fails(f"SELECT * FROM totrain_rows('{statement}')", "without INTO", "HINT:", word)
        self.fails("SELECT * FROM totrain_rows('SELECT 1')", "runs statements of ToTrain")
        self.fails("SELECT * FROM totrain_rows", "needs a statement in quotes", "HINT:")
        self.fails("SELECT * FROM totrain_rows(NULL)", "needs a statement in quotes")
        self.assertEqual(self.run_all("SELECT count(*) > 5 FROM totrain_rows('EXPLAIN SELECT * FROM iris TO TRAIN "
                                      "LinearClassifier LABEL class INTO m2')"), [(1,)])
        self.assertEqual(self.run_all("SELECT name FROM totrain_models"), [("m",)])

    def test_an_error_has_the_place_in_the_statement(self):
        self.fails("SELECT * FROM totrain_rows('SELECT * FROM iris TO EVALUATE nobody')", 'there is no model "nobody"',
                   "LINE 1: SELECT * FROM iris TO EVALUATE nobody\n", "^", "HINT:  SHOW MODELS")

    # ----- tables -----

    def test_a_table_has_the_columns_of_its_statement(self):
        self.train("m2", 9)
        self.create("judged", "SELECT * FROM iris TO EVALUATE m, m2")
        wanted = self.run_all("SELECT * FROM iris TO EVALUATE m, m2")
        names = [column[0] for column in self.database.execute("SELECT * FROM judged").description]
        self.assertEqual(names[:3], ["model", "loss", "Accuracy"])
        self.assertEqual(self.run_all("SELECT * FROM judged"), wanted)
        self.assertEqual(self.run_all("SELECT model, loss FROM judged WHERE loss < ? ORDER BY loss", wanted[0][1]),
                         [wanted[1][:2]])
        self.run_all("CREATE TABLE kept AS SELECT * FROM judged JOIN totrain_models ON name = model")
        self.assertEqual(self.run_all("SELECT kind FROM kept"), [("LinearClassifier",)] * 2)

    def test_a_table_is_read_anew_by_each_query(self):
        self.create("judged", EVALUATE)
        before = self.run_all("SELECT loss FROM judged")
        self.train(epochs=20)
        self.assertEqual(self.run_all("SELECT loss FROM judged"), [row[:1] for row in self.run_all(EVALUATE)])
        self.assertNotEqual(self.run_all("SELECT loss FROM judged"), before)

    def test_predictions_are_a_table_too(self):
        predict = "SELECT * FROM iris TO PREDICT guess WITH predict.extra_outputs = 'probability' USING m"
        self.create("guesses", predict)
        self.assertEqual(self.run_all("SELECT * FROM guesses"), self.run_all(predict))
        self.assertEqual(self.run_all("SELECT count(*) FROM guesses WHERE guess = class AND probability > 0.5"),
                         self.run_all("SELECT count(*) FROM totrain_rows(?) WHERE row ->> 'guess' = row ->> 'class' AND "
                                      "row ->> 'probability' > 0.5", predict))

    def test_a_table_outlives_its_columns_and_its_model(self):
        """It is connected again after a change of the schema by somebody else; it can be dropped whatever has happened."""
        self.create("judged", EVALUATE)
        self.run_all("SELECT sepal_length AS x, sepal_width AS y FROM iris TO TRAIN LinearRegressor LABEL y INTO m")
        self.fails("SELECT * FROM judged", 'no column "x"')
        self.run_all("ALTER TABLE iris RENAME COLUMN sepal_length TO x")
        self.run_all("ALTER TABLE iris RENAME COLUMN sepal_width TO y")
        self.fails("SELECT * FROM judged", "other columns", "create it again")
        other = self.connect(isolation_level=None)
        other.execute("DROP TABLE m")
        self.fails("SELECT * FROM judged", 'no model "m"')
        self.fails("SELECT \"Accuracy\" FROM judged", 'no model "m"')
        self.run_all("DROP TABLE judged")
        self.create("judged", "SHOW MODELS")
        self.assertEqual(self.run_all("SELECT * FROM judged"), [])

    def test_a_table_has_another_name(self):
        self.create("judged", EVALUATE)
        self.run_all("ALTER TABLE temp.judged RENAME TO watched")
        self.connect(isolation_level=None).execute("DROP TABLE m")
        self.fails("SELECT * FROM watched", 'no model "m"')
        self.run_all("DROP TABLE watched")
        self.create("judged", "SHOW MODELS")
        self.assertEqual(self.run_all("SELECT * FROM judged"), [])

    def test_a_table_that_a_rollback_brings_back_can_be_dropped(self):
        for change in ("DROP TABLE judged", "ALTER TABLE judged RENAME TO watched"):
            with self.subTest(change):
                self.train()
                self.create("judged", EVALUATE)
                for sql in ("BEGIN", change, "ROLLBACK", "DROP TABLE m"):
                    self.run_all(sql)
                self.fails("SELECT * FROM judged", 'no model "m"')
                self.run_all("DROP TABLE judged")

    def test_a_table_that_is_made_again_has_the_columns_of_today(self):
        self.create("judged", EVALUATE)
        self.run_all("DROP TABLE judged")
        self.run_all("SELECT sepal_length, class AS y FROM iris TO TRAIN LinearRegressor LABEL y INTO m")
        self.run_all("ALTER TABLE iris RENAME COLUMN class TO y")
        self.create("judged", EVALUATE)
        self.assertEqual(self.run_all("SELECT * FROM judged"), self.run_all(EVALUATE))

    def test_a_table_that_was_rolled_back_can_be_another_one(self):
        self.run_all("BEGIN")
        self.create("judged", EVALUATE)
        self.run_all("ROLLBACK")
        self.create("Judged", "SHOW MODELS")
        self.assertEqual(self.run_all("SELECT name FROM judged"), [("m",)])

    def test_only_statements_in_quotes_and_temporary_tables(self):
        for place in ("main.x", "x"):
            self.fails(f"CREATE VIRTUAL TABLE {place} USING totrain_rows('SHOW MODELS')", "temporary", "CREATE VIRTUAL TABLE temp.x")
        self.fails("CREATE VIRTUAL TABLE x USING totrain_rows", "temporary")
        for argument in ("SHOW MODELS", "", "'", '"SHOW MODELS"'):
            self.fails(f"CREATE VIRTUAL TABLE temp.x USING totrain_rows({argument})")
        for argument in ("'SHOW MODELS' 'x'", "'SHOW ' || 'MODELS'", "x'00'"):
            self.fails(f"CREATE VIRTUAL TABLE temp.x USING totrain_rows({argument})", "needs a statement in quotes")
        for values in ("'x'", "5", "5, 'x'"):
            self.fails(f"CREATE VIRTUAL TABLE temp.x USING totrain_rows('SHOW MODELS -- ', {values})", "no values", "HINT:")
        self.create("quoted", "SELECT *, 'it''s' AS word FROM iris LIMIT 1 TO PREDICT g USING m")
        self.assertEqual(self.run_all("SELECT word FROM quoted"), [("it's",)])
        self.fails("CREATE VIRTUAL TABLE temp.x USING totrain_rows(SHOW MODELS)", "needs a statement in quotes", "HINT:")
        self.fails(f"CREATE VIRTUAL TABLE temp.x USING totrain_rows('{EVALUATE} INTO t')", "without INTO")
        self.fails("CREATE VIRTUAL TABLE temp.x USING totrain_rows('SELECT *, 1 AS k, 2 AS k FROM iris TO PREDICT g USING m')",
                   'more than one column "k"')
        self.fails("CREATE VIRTUAL TABLE temp.x USING totrain_rows('SELECT * FROM iris TO EVALUATE nobody')", "LINE 1:", "^")

    def test_an_interrupt_ends_the_statement(self):
        endless = ("WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s) SELECT s.i * 0.1 AS sepal_length, 1 AS "
                   "sepal_width, 1 AS petal_length, 1 AS petal_width, seen(1) AS class FROM s TO ")
        for verb in ("EVALUATE m", "PREDICT guess USING m"):
            with self.subTest(verb):
                begun = threading.Event()
                database = self.connect(isolation_level=None, check_same_thread=False)
                database.create_function("seen", 1, lambda x, begun=begun: begun.set() or x)
                other = threading.Thread(target=lambda begun=begun, database=database: (
                    begun.wait(harness.DEADLINE), database.interrupt()))
                other.start()
                self.fails(f"SELECT count(*) FROM totrain_rows('{endless}{verb}')", "interrupt", database=database)
                other.join()
                self.assertEqual(database.execute("SELECT count(*) FROM totrain_rows('SHOW MODELS')").fetchall(), [(1,)])

    def test_another_session_trains_while_rows_are_read(self):
        """The rows are of one version of the model, whatever others do. Without a WAL a reader keeps others from writing."""
        self.run_all("PRAGMA journal_mode = WAL")
        rows = self.database.execute("SELECT row ->> 'class' FROM totrain_rows('SELECT * FROM iris TO PREDICT class USING m')")
        first = rows.fetchone()
        other = self.connect(isolation_level=None)
        other.execute("SELECT * FROM iris TO TRAIN LinearClassifier WITH train.epoch = 1 LABEL class INTO m")
        self.assertEqual(len([first, *rows.fetchall()]), 150)

    def test_a_statement_that_reads_itself_is_an_error(self):
        """Views of the session: the stack would end the process."""
        inner = "SELECT sepal_length, sepal_width, petal_length, petal_width FROM"
        end = "TO PREDICT class USING m"
        columns = ", ".join(f"row ->> '{name}' AS {name}" for name in ("sepal_length", "sepal_width", "petal_length", "petal_width"))
        self.run_all(f"CREATE TEMP VIEW looped AS SELECT {columns} FROM totrain_rows('{inner} looped {end}')")
        values = columns.replace("row ->>", "value ->>")
        self.run_all(f"CREATE TEMP VIEW called AS SELECT {values} FROM json_each(totrain('{inner} called {end}'))")
        for name in ("looped", "called"):
            with self.subTest(name):
                self.fails(f"SELECT * FROM {name}", "inside of one another", "read itself")
        self.assertEqual(self.run_all("SELECT row ->> 'name' FROM totrain_rows('SHOW MODELS')"), [("m",)])

    # ----- files from others -----

    def test_no_view_trigger_or_table_of_a_file_runs_a_statement(self):
        plain = sqlite3.connect(self.path, isolation_level=None)
        self.addCleanup(plain.close)
        plain.execute("CREATE TABLE made (x)")
        self.run_all("CREATE VIEW looks AS SELECT * FROM totrain_rows('SHOW MODELS')")
        self.run_all("CREATE TRIGGER acts AFTER INSERT ON made BEGIN "
                     "UPDATE made SET x = (SELECT count(*) FROM totrain_rows('SHOW MODELS')); END")
        plain.execute("PRAGMA writable_schema = ON")
        plain.execute("INSERT INTO sqlite_master VALUES ('table', 'hidden', 'hidden', 0, "
                      "'CREATE VIRTUAL TABLE hidden USING totrain_rows(''SHOW MODELS'')')")
        database = self.connect(isolation_level=None)
        self.fails("SELECT * FROM looks", "unsafe use", database=database)
        self.fails("INSERT INTO made VALUES (1)", "unsafe use", database=database)
        self.fails("SELECT * FROM hidden", "temporary", database=database)
        database.execute("CREATE TEMP VIEW own AS SELECT row ->> 'name' AS name FROM totrain_rows('SHOW MODELS')")
        self.assertEqual(database.execute("SELECT name FROM own").fetchall(), [("m",)])

    def test_the_authorizer_is_asked_about_what_the_statement_reads(self):
        self.database.set_authorizer(lambda action, name, *_: sqlite3.SQLITE_DENY if (action, name) == (
            sqlite3.SQLITE_READ, "iris") else sqlite3.SQLITE_OK)
        self.fails(f"SELECT * FROM totrain_rows('{EVALUATE}')", "prohibited")


if __name__ == "__main__":
    harness.main()
