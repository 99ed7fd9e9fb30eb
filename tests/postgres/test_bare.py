"""Bare statements through the stock psql: SELECT ... TO TRAIN ... as it is typed."""

import signal
import subprocess
import os

import harness


class Bare(harness.Case):
    def test_a_model_is_trained_shown_and_measured(self):
        output = self.check_psql(harness.TRAIN_IRIS + "SHOW MODELS; SHOW MODEL iris_model; SHOW TRAIN iris_model;"
                                 "SELECT * FROM iris TO EVALUATE iris_model;"
                                 "EXPLAIN SELECT * FROM iris TO TRAIN LinearClassifier LABEL class INTO m;")
        lines = output.splitlines()
        self.assertTrue(lines[0].startswith("loss|0.1"), lines)
        self.assertIn("version|||1", lines)
        self.assertIn("rows|||150", lines)
        self.assertTrue(any(line.startswith("iris_model|DNNClassifier|class|150|Accuracy|0.9") for line in lines), lines)
        self.assertIn("input sepal_length|numeric: real in all 150 sampled rows", lines)

    def test_nothing_is_left_in_the_log(self):
        before = len(self.server.log())
        self.check_psql(harness.TRAIN_IRIS)
        self.assertNotIn("ERROR", self.server.log()[before:])

    def test_what_is_to_be_logged_is_logged(self):
        """An ordinary statement is not hidden by one of ours in the same string."""
        self.execute(f"ALTER DATABASE {self.database} SET log_statement = 'ddl'")
        before = len(self.server.log())
        train = "SELECT * FROM iris TO TRAIN LinearClassifier WITH train.epoch = 1 LABEL class INTO m"
        self.psql(None, "-c", f"SELECT 4 AS unlogged; CREATE TABLE logged (a int); {train}")
        lines = [line.split("statement: ", 1)[1] for line in self.server.log()[before:].splitlines() if "statement: " in line]
        self.assertEqual(lines, ["CREATE TABLE logged (a int)", train])

    def test_a_schema_of_the_extensions_name_is_not_the_extension(self):
        self.check_psql(harness.TRAIN_IRIS.replace("iris_model", "real_model"))
        self.execute("CREATE TABLE model AS SELECT * FROM real_model; DROP TABLE real_model; DROP EXTENSION totrain; CREATE ROLE squatter")
        self.addCleanup(self.server.execute, "DROP ROLE squatter")
        self.execute("""
            CREATE SCHEMA totrain AUTHORIZATION squatter; SET ROLE squatter;
            CREATE FUNCTION totrain.run(text) RETURNS integer LANGUAGE sql RETURN 1;
            CREATE TABLE totrain.models (relation oid, id text, version bigint, kind text, digest text, created_at text, rows bigint,
                                         statement text);
            CREATE TABLE totrain.versions (relation oid, version bigint);
            CREATE TABLE totrain.metrics (relation oid, version bigint, job bigint, epoch bigint, step bigint, metric text, part text,
                                          value double precision);
            CREATE FUNCTION totrain.call() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'called as %', current_user; END $$;
            CREATE TRIGGER call BEFORE INSERT ON totrain.models EXECUTE FUNCTION totrain.call()""")
        self.assertIn("CREATE EXTENSION totrain", self.psql(harness.TRAIN_IRIS).stderr)
        self.assertEqual(self.tables(), {"iris", "model"})
        program = subprocess.run([harness.BUILD / "totrain", "postgres://", "-c", harness.TRAIN_IRIS], text=True, capture_output=True,
                                 check=False, env={**os.environ, **self.server.variables(self.database)})
        self.assertIn("this database has no extension totrain", program.stderr)
        self.execute("""
            CREATE FUNCTION totrain.predict(text, record, bigint) RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN RAISE 'called as %', current_user; END $$;
            CREATE FUNCTION totrain.predict(text, record, text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE 'called as %', current_user; END $$""")
        for predict in ("TO PREDICT USING model", "TO PREDICT p.class USING model",
                        "TO PREDICT p.class WITH predict.bad_rows = 'quarantine' USING model"):
            program = subprocess.run([harness.BUILD / "totrain", "postgres://", "-c", f"SELECT * FROM iris {predict}"], text=True,
                                     capture_output=True, check=False, env={**os.environ, **self.server.variables(self.database)})
            self.assertIn("this database has no extension totrain", program.stderr)
        self.execute("DROP SCHEMA totrain CASCADE")

    def test_pieces_of_a_string_run_in_order_up_to_the_first_error(self):
        self.check_psql(harness.TRAIN_IRIS)
        done = self.psql(None, "-qAt", "-c", "SELECT 'grün'; SELECT * FROM iris TO EVALUATE iris_model; "
                         "CREATE TABLE kept (a int);\nSELECT nix FROM kept; CREATE TABLE never (a int);")
        self.assertEqual(done.stdout.splitlines()[0], "grün")
        self.assertEqual(len(done.stdout.splitlines()), 2)
        self.assertIn('column "nix" does not exist\nLINE 2: SELECT nix FROM kept;', done.stderr)
        self.assertEqual(self.tables(), {"iris", "iris_model", "kept"})

    def test_predictions_go_into_the_table_that_into_names(self):
        self.check_psql(harness.TRAIN_IRIS)
        self.check_psql("SELECT * FROM iris TO PREDICT p.guess USING iris_model; SELECT * FROM iris TO PREDICT guess USING "
                        "iris_model INTO q; SELECT * FROM iris TO PREDICT USING iris_model INTO public.r;")
        self.assertEqual(self.execute("SELECT count(*) FROM p"), [(150,)])
        self.assertEqual(self.execute("SELECT * FROM p EXCEPT SELECT * FROM q"), [])
        self.assertEqual(self.execute("SELECT guess AS class FROM q EXCEPT SELECT class FROM r"), [])

    def test_a_place_is_that_in_the_string(self):
        done = self.psql("SELECT 'ü' \\; SELECT 1 TO TRAIN LinearClassifier WITH train.epcoh = 1 INTO m;")
        error, line, caret, hint = done.stderr.splitlines()[:4]
        self.assertIn("train.epcoh", error)
        self.assertEqual(caret.index("^"), line.index("train.epco"))
        self.assertIn("train.epoch", hint)

    def test_in_a_transaction_block_a_hint_names_the_function(self):
        done = self.psql("BEGIN; SELECT * FROM iris TO EVALUATE m;")
        self.assertIn('ERROR:  syntax error at or near "TO"', done.stderr)
        self.assertIn("HINT:  In a transaction block", done.stderr)
        done = self.psql(None, "-c", "BEGIN; SELECT * FROM iris TO EVALUATE m; COMMIT;")
        self.assertIn("totrain.run", done.stderr)

    def test_it_can_be_turned_off(self):
        done = self.psql("SET totrain.bare_statements = off; SHOW MODELS; SELECT 1 TO EVALUATE m;")
        self.assertEqual([line for line in done.stderr.splitlines() if "ERROR" in line or "HINT" in line],
                         ['ERROR:  unrecognized configuration parameter "models"',
                          'ERROR:  syntax error at or near "TO"'])

    def test_without_the_extension_the_error_is_the_servers(self):
        self.execute("DROP EXTENSION totrain")
        done = self.psql("SELECT 1 TO EVALUATE m;")
        self.assertIn('ERROR:  syntax error at or near "TO"\nLINE 1: SELECT 1 TO EVALUATE m;', done.stderr)
        self.assertIn("CREATE EXTENSION totrain", done.stderr)

    def test_who_may_not_run_the_function_may_not_run_it_bare(self):
        name = f"plain_{os.getpid()}"
        self.execute(f"CREATE ROLE {name} LOGIN")
        self.addCleanup(self.execute, f"DROP ROLE {name}")
        done = self.psql("\\set VERBOSITY verbose\nSHOW MODELS;", user=name)
        self.assertIn("ERROR:  42501: permission denied", done.stderr)
        self.assertIn("totrain_user", done.stderr)

    def test_a_timeout_ends_the_statement_and_the_job(self):
        done = self.psql(f"SET statement_timeout = '1s'; {harness.TRAIN_LONG} SELECT 'next';", "-qAt")
        self.assertIn("ERROR:  canceling statement due to statement timeout", done.stderr)
        self.assertEqual(done.stdout, "next\n")
        self.check_nothing_runs()
        self.assertEqual(self.tables(), {"iris"})

    def test_an_interrupt_ends_the_statement_and_the_job(self):
        environment = {**os.environ, **self.server.variables(self.database)}
        with subprocess.Popen(["psql", "-XqAt", "-c", "SET totrain.progress_interval = 0", "-c", harness.TRAIN_LONG],
                              text=True, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as psql:
            line = psql.stderr.readline()
            self.assertIn("NOTICE:  epoch", line)
            psql.send_signal(signal.SIGINT)
            self.assertIn("ERROR:  canceling statement due to user request", psql.communicate()[1])
        self.check_nothing_runs()

    def test_a_job_that_learns_holds_no_table(self):
        environment = {**os.environ, **self.server.variables(self.database)}
        with subprocess.Popen(["psql", "-Xq", "-c", harness.TRAIN_LONG], text=True, env=environment,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as psql:
            self.assertIn("NOTICE:  epoch", psql.stderr.readline())
            self.execute("SET lock_timeout = '60s'; ALTER TABLE iris ADD COLUMN more int; TRUNCATE iris")
            self.assertEqual(self.execute("SELECT backend_xmin FROM pg_stat_activity WHERE query LIKE '%TO TRAIN%' "
                                          "AND pid <> pg_backend_pid()"), [(None,)])
            self.execute("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query LIKE '%TO TRAIN%' "
                         "AND pid <> pg_backend_pid()")
            psql.communicate()

    def test_a_terminated_backend_takes_its_job_along(self):
        environment = {**os.environ, **self.server.variables(self.database)}
        with subprocess.Popen(["psql", "-Xq", "-c", harness.TRAIN_LONG], text=True, env=environment,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as psql:
            self.wait_until_training()
            self.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                         "WHERE query LIKE '%TO TRAIN%' AND pid <> pg_backend_pid()")
            psql.communicate()
        self.check_nothing_runs()


if __name__ == "__main__":
    harness.main()
