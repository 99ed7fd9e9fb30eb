"""Which tables TO PREDICT and EVALUATE replace: those that they made, and no others."""

import sqlite3
import subprocess

import harness

SLOW = 30000  # microseconds that a row takes: a shard is seen while it is scored


class Replacing(harness.Case):
    def setUp(self):
        super().setUp()
        self.make_iris()
        self.addCleanup(self.end_what_is_left)
        self.database = self.connect(isolation_level=None)
        self.run_all("SELECT * FROM iris TO TRAIN LinearClassifier WITH train.epoch = 2 "
                     "LABEL class INTO m")

    def refused(self, sql, expected, database=None):
        with self.assertRaises(sqlite3.OperationalError) as raised:
            (database or self.database).execute(sql).fetchall()
        self.assertIn(expected, str(raised.exception))
        return str(raised.exception)

    def make_customers(self):
        self.run_all("CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT)")
        self.run_all("INSERT INTO customers VALUES (1, 'Ann')")

    def check_customers(self):
        self.assertEqual(self.run_all("SELECT * FROM customers"), [(1, "Ann")])

    def test_a_table_of_the_users_stays_whoever_scores(self):
        self.make_customers()
        for attributes in ("", "WITH job.max_workers = 2", "WITH job.wait = false",
                           "WITH predict.bad_rows = 'quarantine'", "WITH predict.replace = false"):
            said = self.refused(f"SELECT * FROM iris TO PREDICT customers.class {attributes} USING m",
                                'table "customers" exists, and no PREDICT or FORECAST made it')
            self.assertIn("LINE 1: ", said)
            marked, line = said.split("\n")[2].index("^"), said.split("\n")[1]
            self.assertEqual(line[marked:marked + 9], "customers")
            self.assertIn("predict.replace = true", said)
            self.check_customers()
        for attributes in ("", "WITH job.max_workers = 2", "WITH job.wait = false"):
            self.refused(f"SELECT * FROM iris TO EVALUATE m {attributes} INTO customers",
                         'table "customers" exists, and no EVALUATE or EXPLAIN made it')
            self.check_customers()
        self.assertEqual(len(self.jobs_started()), 1)  # TRAIN's

    def test_explain_says_that_a_table_would_not_be_replaced(self):
        self.make_customers()
        self.refused("EXPLAIN SELECT * FROM iris TO PREDICT customers.class USING m",
                     'table "customers" exists')

    def test_the_true_classes_are_not_overwritten_by_guesses(self):
        before = self.run_all("SELECT * FROM iris")
        self.refused("SELECT * FROM iris TO PREDICT iris.class USING m", 'table "iris" exists')
        self.assertEqual(self.run_all("SELECT * FROM iris"), before)

    def test_with_permission_a_table_is_replaced_and_then_it_is_a_table_of_predictions(self):
        self.make_customers()
        self.run_all("SELECT * FROM iris TO PREDICT customers.class WITH predict.replace = true "
                     "USING m")
        for workers in ("", "WITH job.max_workers = 2"):
            self.run_all(f"SELECT * FROM iris TO PREDICT customers.class {workers} USING m")
            self.assertEqual(self.run_all("SELECT count(*) FROM customers"), [(150,)])

    def test_what_is_no_table_is_not_replaced_even_with_permission(self):
        self.run_all("CREATE VIEW v AS SELECT 1 AS x")
        self.run_all("CREATE INDEX i ON iris (class)")
        self.run_all("CREATE VIRTUAL TABLE f USING fts5(x)")
        for name in ("v", "i", "f"):
            for attributes in ("", "WITH predict.replace = true"):
                self.refused(f"SELECT * FROM iris TO PREDICT {name}.class {attributes} USING m",
                             f'"{name}" exists and is no ordinary table')
        self.refused("SELECT * FROM iris TO PREDICT m.class WITH predict.replace = true USING m",
                     'the target "m" is the model itself')
        self.run_all("CREATE TABLE other AS SELECT * FROM m")
        self.refused("SELECT * FROM iris TO PREDICT other.class WITH predict.replace = true USING m",
                     'table "other" is a model')

    def test_permission_needs_a_table(self):
        self.refused("SELECT * FROM iris TO PREDICT WITH predict.replace = true USING m",
                     "predict.replace has a use only where a table is written")
        self.refused("SELECT * FROM iris TO EVALUATE m WITH evaluate.replace = true",
                     "evaluate.replace has a use only where a table is written")

    def test_a_table_of_predictions_is_not_one_of_metrics(self):
        self.run_all("SELECT * FROM iris TO PREDICT p.class USING m")
        self.run_all("SELECT * FROM iris TO EVALUATE m INTO e")
        self.refused("SELECT * FROM iris TO EVALUATE m INTO p", "no EVALUATE or EXPLAIN made it")
        self.refused("SELECT * FROM iris TO PREDICT e.class USING m", "no PREDICT or FORECAST made it")
        for workers in ("", "WITH job.max_workers = 2"):
            self.run_all(f"SELECT * FROM iris TO EVALUATE m {workers} INTO e")
        self.run_all("SELECT * FROM iris TO EVALUATE m WITH evaluate.replace = true INTO p")
        self.assertEqual(self.run_all("SELECT count(*) FROM p"), [(1,)])

    def test_the_mark_goes_with_the_table(self):
        self.run_all("SELECT * FROM iris TO PREDICT p.class USING m")
        self.run_all("ALTER TABLE p RENAME TO renamed")
        self.run_all("ALTER TABLE renamed RENAME COLUMN petal_width TO width")
        self.run_all("VACUUM")
        self.run_all("SELECT * FROM iris TO PREDICT renamed.class USING m")
        dumped = self.connect(":memory:", isolation_level=None)
        dumped.executescript("\n".join(sqlite3.connect(self.path).iterdump()))
        dumped.execute("SELECT * FROM iris TO PREDICT renamed.class USING m").fetchall()

    def test_a_copy_and_a_table_with_a_column_more_are_the_users(self):
        self.run_all("SELECT * FROM iris TO PREDICT p.class USING m")
        self.run_all("CREATE TABLE copy AS SELECT * FROM p")
        self.refused("SELECT * FROM iris TO PREDICT copy.class USING m", 'table "copy" exists')
        self.run_all("ALTER TABLE p ADD COLUMN note TEXT")
        self.run_all("UPDATE p SET note = 'called' WHERE rowid = 7")
        self.refused("SELECT * FROM iris TO PREDICT p.class USING m", 'table "p" exists')
        self.assertEqual(self.run_all("SELECT count(*) FROM p WHERE note = 'called'"), [(1,)])

    def test_a_table_of_an_earlier_version_has_no_mark_and_is_asked_for(self):
        self.run_all('CREATE TABLE "p" ("sepal_length" REAL, "class" INTEGER)')
        said = self.refused("SELECT * FROM iris TO PREDICT p.class USING m", 'table "p" exists')
        self.assertIn("predict.replace = true", said)

    def create_while_it_is_scored(self, statement, name):
        """Somebody else makes a table while workers score; how the statement ends."""
        self.run_all("CREATE TABLE many AS SELECT iris.* FROM iris, (SELECT 1 UNION SELECT 2)")
        self.pace(SLOW)
        running = self.start(statement)
        shards = "SELECT 1 FROM totrain_shards WHERE state IN ('leased', 'done')"
        harness.wait_for(lambda: self.run_all(shards), "a shard that is scored")
        other = sqlite3.connect(self.path, isolation_level=None)
        other.execute(f"CREATE TABLE {name} (mine)")
        other.execute(f"INSERT INTO {name} VALUES (7)")
        other.close()
        self.hurry(lambda: running.poll() is not None, "the end of the statement")
        return running.returncode, running.communicate()[1]

    def start(self, statement):
        running = subprocess.Popen([harness.PROGRAM, self.path, "--progress=none", "-c", statement],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(running.kill)
        return running

    def test_a_table_that_came_while_workers_scored_stays(self):
        code, said = self.create_while_it_is_scored(
            "SELECT * FROM many TO PREDICT late.class WITH job.max_workers = 2 USING m", "late")
        self.assertNotEqual(code, 0)
        self.assertIn('table "late" exists, and no PREDICT or FORECAST made it', said)
        self.assertEqual(self.run_all("SELECT * FROM late"), [(7,)])

    def test_a_table_of_bad_rows_that_came_meanwhile_stays(self):
        code, said = self.create_while_it_is_scored(
            "SELECT * FROM many TO PREDICT late.class WITH job.max_workers = 2, "
            "predict.bad_rows = 'quarantine' USING m", "late_bad_rows")
        self.assertNotEqual(code, 0)
        self.assertIn('table "late_bad_rows" exists and holds no bad rows', said)
        self.assertEqual(self.run_all("SELECT * FROM late_bad_rows"), [(7,)])
        self.assertNotIn("late", self.tables(self.database))

    def test_a_table_that_came_while_a_detached_job_scored_stays(self):
        for statement, said in (
                ("TO PREDICT {}.class WITH job.wait = false{} USING m", "no PREDICT or FORECAST made it"),
                ("TO EVALUATE m WITH job.wait = false{1} INTO {0}", "no EVALUATE or EXPLAIN made it")):
            kind = "predict" if "PREDICT" in statement else "evaluate"
            self.pace(SLOW)
            ids = [self.run_all("SELECT * FROM iris " + statement.format(name, more))[0][0]
                   for name, more in ((f"{kind}_kept", ""),
                                      (f"{kind}_replaced", f", {kind}.replace = true"))]
            for name in ("kept", "replaced"):
                self.run_all(f"CREATE TABLE {kind}_{name} AS SELECT 7 AS mine")
            self.hurry(lambda: {row[1] for row in self.run_all("SHOW JOBS") if row[0] in ids} <=
                       {"done", "failed", "unpublished"}, "the end of both jobs")
            waited = [self.run_program("wait", job) for job in ids]
            self.assertEqual(waited[0].returncode, 1)
            self.assertIn(said, waited[0].stderr)
            self.assertEqual(waited[1].returncode, 0, waited[1].stderr)
            self.assertEqual(self.run_all(f"SELECT * FROM {kind}_kept"), [(7,)])
            self.assertNotEqual(self.run_all(f"SELECT * FROM {kind}_replaced"), [(7,)])


if __name__ == "__main__":
    harness.main()
