"""totrain.run() and totrain.rows(): statements as part of the caller's transaction."""

import os
import subprocess

import psycopg2
from psycopg2 import errors

import harness


class Functions(harness.Case):
    settings = {}  # nothing is preloaded

    def test_a_model_is_trained_and_measured(self):
        rows = self.execute(f"SELECT * FROM totrain.run($${harness.TRAIN_IRIS}$$)")
        found = harness.facts(rows)
        self.assertGreater(found["Accuracy"], 0.9)
        self.assertEqual((found["rows"], found["version"]), (150, 1))
        measured = self.execute("SELECT name, value FROM totrain.run('SELECT * FROM iris TO EVALUATE iris_model')")
        self.assertEqual(dict(measured)["Accuracy"], found["Accuracy"])
        self.assertNotIn("notice", dict(measured))

    def test_what_is_to_be_known_of_measures_is_a_row(self):
        self.execute(f"SELECT * FROM totrain.run($${harness.TRAIN_IRIS}$$)")
        evaluate = "SELECT sepal_length, sepal_width, petal_length, petal_width, 7 AS class FROM iris TO EVALUATE iris_model"
        unknown = "150 rows have a label that the model has not learned, and count as wrong"
        self.assertIn(("notice", None, None, unknown), self.execute(f"SELECT * FROM totrain.run('{evaluate}')"))
        rows = f"SELECT r->>'notice', r->>'AUC' FROM totrain.rows('{evaluate} WITH validation.metrics = AUC') r"
        self.assertEqual(self.execute(rows), [(unknown + "; AUC is NULL: all rows have the same class", None)])
        for more, notice in ((" WITH validation.metrics = AUC", unknown + "; AUC"), ("", unknown)):
            self.execute(f"SELECT * FROM totrain.run('{evaluate}{more} INTO measured')")
            self.assertIn(notice, self.execute("SELECT notice FROM measured")[0][0])
        self.execute("SELECT * FROM totrain.run('SELECT * FROM iris TO EVALUATE iris_model INTO measured')")
        self.assertEqual(self.execute("SELECT notice, pg_typeof(notice)::text FROM measured"), [("", "text")])

    def test_a_rollback_takes_the_model_back(self):
        connection = self.connect(autocommit=False)
        cursor = connection.cursor()
        cursor.execute("CREATE TABLE uncommitted AS SELECT * FROM iris")
        cursor.execute("SELECT count(*) FROM totrain.run('SELECT * FROM uncommitted TO TRAIN LinearClassifier "
                       "LABEL class INTO m')")
        cursor.execute("SELECT count(*) > 0 FROM m")
        self.assertEqual(cursor.fetchall(), [(True,)])
        connection.rollback()
        self.assertEqual(self.tables(), {"iris"})
        self.assertEqual(self.execute("SELECT * FROM totrain.models"), [])

    def test_rows_are_objects(self):
        self.execute(f"SELECT * FROM totrain.run($${harness.TRAIN_IRIS}$$)")
        models = self.execute("SELECT r->>'name', r->>'version' FROM totrain.rows('SHOW MODELS FULL') r")
        self.assertEqual(models, [("iris_model", "1")])

    def test_the_place_of_an_error_is_shown(self):
        done = self.psql("SELECT * FROM totrain.run('SELECT nope FROM iris TO TRAIN LinearClassifier "
                         "LABEL class INTO m');")
        self.assertIn('ERROR:  column "nope" does not exist\nLINE 1: SELECT nope FROM iris', done.stderr)
        with self.assertRaises(errors.UndefinedColumn):
            self.execute("SELECT * FROM totrain.rows('SELECT nope FROM iris TO TRAIN LinearClassifier LABEL class INTO m')")

    def test_rows_that_are_no_numbers_are_refused(self):
        with self.assertRaisesRegex(errors.FeatureNotSupported, "totrain.rows"):
            self.execute("SELECT * FROM totrain.run('SHOW MODELS')")

    def test_an_error_is_one_of_the_callers_transaction(self):
        connection = self.connect(autocommit=False)
        cursor = connection.cursor()
        cursor.execute("SAVEPOINT before")
        with self.assertRaises(psycopg2.Error):
            cursor.execute("SELECT * FROM totrain.run('SELECT * FROM iris TO TRAIN Nonsense LABEL class INTO m')")
        cursor.execute("ROLLBACK TO before")
        cursor.execute("SELECT count(*) FROM iris")
        self.assertEqual(cursor.fetchall(), [(150,)])

    def test_only_totrain_users_may_call_them(self):
        name = f"plain_{os.getpid()}"
        self.execute(f"CREATE ROLE {name} LOGIN")
        self.addCleanup(self.execute, f"DROP ROLE {name}")
        self.addCleanup(self.execute, f"DROP OWNED BY {name}")
        self.execute(f"GRANT SELECT ON iris TO {name}; GRANT CREATE ON SCHEMA public TO {name}")
        with self.assertRaises(errors.InsufficientPrivilege):
            self.execute("SELECT * FROM totrain.run('SHOW JOBS')", name)
        self.execute(f"GRANT totrain_user TO {name}")
        rows = self.execute(f"SELECT * FROM totrain.run($${harness.TRAIN_IRIS}$$)", name)
        self.assertEqual(harness.facts(rows)["version"], 1)
        self.assertEqual(self.execute("SELECT count(*) FROM totrain.models", name), [(1,)])

    def test_dropping_a_model_leaves_nothing(self):
        for _ in range(2):
            self.execute(f"SELECT * FROM totrain.run($${harness.TRAIN_IRIS}$$)")
        self.assertNotEqual(self.execute("SELECT * FROM totrain.versions"), [])
        self.execute("DROP TABLE iris_model")
        for table in ("models", "versions", "metrics"):
            self.assertEqual(self.execute(f"SELECT * FROM totrain.{table}"), [], table)

    def test_dropping_the_extension_leaves_nothing_but_roles(self):
        self.execute(f"SELECT * FROM totrain.run($${harness.TRAIN_IRIS}$$)")
        self.execute("DROP EXTENSION totrain")
        self.assertEqual(self.execute("SELECT count(*) FROM pg_namespace WHERE nspname = 'totrain'"), [(0,)])
        self.assertEqual(self.execute("SELECT count(*) FROM pg_event_trigger"), [(0,)])

    def test_a_function_that_says_it_may_run_in_parallel_may_not(self):
        self.execute("CREATE FUNCTION parallel() RETURNS bigint LANGUAGE sql PARALLEL SAFE AS "
                     f"$f$ SELECT count(*) FROM totrain.run($t${harness.TRAIN_IRIS}$t$) $f$")
        cursor = self.connect().cursor()
        cursor.execute(harness.IN_PARALLEL)
        with self.assertRaisesRegex(errors.InvalidTransactionState, "cannot execute a statement of ToTrain during a parallel operation"):
            cursor.execute("SELECT parallel() FROM iris LIMIT 1")
        self.check_nothing_runs()


class Library(harness.unittest.TestCase):
    def test_no_processor_library_is_linked(self):
        linked = subprocess.run(["ldd", harness.BUILD / "postgres" / "totrain.so"], text=True, check=True,
                                capture_output=True).stdout
        for name in ("blas", "libevent", "libssl", "libpq"):
            self.assertNotIn(name, linked)

    def test_only_what_the_server_asks_for_is_exported(self):
        names = subprocess.run(["nm", "-D", "--defined-only", "--format=just-symbols",
                                harness.BUILD / "postgres" / "totrain.so"],
                               text=True, check=True, capture_output=True).stdout.split()
        self.assertIn("Pg_magic_func", names)
        for name in names:
            self.assertRegex(name, r"^(_PG_init|Pg_magic_func|(pg_finfo_)?totrain_\w+)$")


if __name__ == "__main__":
    harness.main()
