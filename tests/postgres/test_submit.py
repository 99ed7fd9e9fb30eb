"""totrain.submit(): a statement in the background, once the transaction is committed."""

import signal

from psycopg2 import errors

import harness

SMALL = "SELECT * FROM iris TO TRAIN LinearClassifier WITH train.epoch = 2 LABEL class INTO m"


class Submit(harness.Case):
    settings = {}

    def submit(self, statement=SMALL, user=harness.SUPERUSER, before=""):
        return self.execute(f"{before} SELECT totrain.submit($t${statement}$t$)", user)[0][0]

    def state(self, job):
        return self.execute(f"SELECT state, error FROM totrain.jobs WHERE id = {job}")

    def wait_for_end(self, job):
        return harness.wait_for(lambda: [row for row in self.state(job) if row[0] in ("done", "failed", "cancelled")]
                                and not self.workers() and self.state(job)[0], f"the end of job {job}")

    def workers(self):
        return self.execute("SELECT pid, wait_event FROM pg_stat_activity WHERE backend_type = 'totrain job' "
                            "AND datname = current_database()")

    def test_a_model_is_there_after_the_commit(self):
        job = self.submit()
        self.assertEqual(self.wait_for_end(job), ("done", None))
        self.assertEqual(self.execute("SELECT count(*) FROM m WHERE part = 'meta'"), [(1,)])
        job = self.submit("SELECT * FROM iris TO PREDICT out.class USING m")
        self.assertEqual(self.wait_for_end(job), ("done", None))
        self.assertEqual(self.execute("SELECT count(*) FROM out"), [(150,)])

    def test_it_waits_for_the_commit_and_sees_what_was_committed(self):
        connection = self.connect(autocommit=False)
        cursor = connection.cursor()
        cursor.execute("CREATE TABLE late AS SELECT * FROM iris LIMIT 140")
        cursor.execute("SELECT totrain.submit($$SELECT * FROM late TO TRAIN LinearClassifier LABEL class INTO m$$)")
        job = cursor.fetchone()[0]
        cursor.execute("INSERT INTO late SELECT * FROM iris OFFSET 140")
        self.assertEqual(self.state(job), [("waiting", None)])
        harness.wait_for(lambda: self.workers() and self.workers()[0][1] == "transactionid", "a worker that waits")
        connection.commit()
        self.assertEqual(self.wait_for_end(job), ("done", None))
        self.assertEqual(self.execute("SELECT rows FROM totrain.models"), [(150,)])

    def test_what_is_rolled_back_was_never_submitted(self):
        connection = self.connect(autocommit=False)
        cursor = connection.cursor()
        cursor.execute("SAVEPOINT inner_one")
        cursor.execute(f"SELECT totrain.submit($${SMALL}$$)")
        cursor.execute("ROLLBACK TO inner_one")
        harness.wait_for(lambda: not self.workers(), "the worker's end")
        cursor.execute(f"SELECT totrain.submit($${SMALL}$$)")
        connection.rollback()
        harness.wait_for(lambda: not self.workers(), "the worker's end")
        self.assertEqual(self.execute("SELECT id FROM totrain.jobs"), [])
        self.assertEqual(self.tables(), {"iris"})

    def test_what_cannot_run_is_refused_at_once(self):
        with self.assertRaises(errors.UndefinedTable):
            self.submit(SMALL.replace("iris", "nix"))
        with self.assertRaises(errors.FeatureNotSupported):
            self.submit("SHOW MODELS")
        self.assertEqual(self.execute("SELECT id FROM totrain.jobs"), [])

    def test_a_job_that_fails_says_why(self):
        self.execute("CREATE FUNCTION late_error(class bigint) RETURNS bigint LANGUAGE plpgsql AS $$BEGIN "
                     "IF pg_backend_pid() IN (SELECT pid FROM pg_stat_activity WHERE backend_type = 'totrain job') "
                     "THEN RAISE 'not today'; END IF; RETURN class; END$$")
        job = self.submit("SELECT sepal_length, late_error(class) AS class FROM iris TO TRAIN LinearClassifier "
                          "LABEL class INTO m")
        self.assertEqual(self.wait_for_end(job), ("failed", "not today"))

    def test_it_runs_as_the_caller_with_his_settings(self):
        self.execute("CREATE ROLE worker NOLOGIN; CREATE ROLE person LOGIN IN ROLE worker; CREATE SCHEMA work "
                     "AUTHORIZATION worker; GRANT SELECT ON iris TO worker; GRANT totrain_user TO worker")
        job = self.submit(user="person", before="SET ROLE worker; SET search_path = work, public; SET totrain.seed = 5;")
        harness.wait_for(lambda: self.state(job) and self.state(job)[0][0] == "done" and not self.workers(), "the end")
        self.assertEqual(self.execute("SELECT relowner::regrole::text, relnamespace::regnamespace::text FROM pg_class "
                                      "WHERE relname = 'm'"), [("worker", "work")])
        self.assertEqual(self.execute("SELECT owner::text FROM totrain.jobs"), [("worker",)])

    def test_it_can_be_cancelled(self):
        job = self.submit(harness.TRAIN_LONG)
        harness.wait_for(lambda: self.state(job)[0][0] == "running", "a running job")
        self.assertEqual(self.execute(f"SELECT totrain.cancel({job})"), [("cancelled",)])
        self.assertEqual(self.wait_for_end(job)[0], "cancelled")
        self.check_nothing_runs()

    def test_its_job_ends_with_its_worker(self):
        job = self.submit(harness.TRAIN_LONG)
        harness.wait_for(lambda: self.state(job)[0][0] == "running", "a running job")
        self.execute(f"SELECT pg_terminate_backend({self.workers()[0][0]})")
        self.check_nothing_runs()
        self.assertEqual(self.tables(), {"iris"})

    def test_dropping_the_extension_ends_it(self):
        self.submit(harness.TRAIN_LONG)
        self.wait_until_training()
        self.execute("DROP EXTENSION totrain CASCADE")
        self.check_nothing_runs()
        harness.wait_for(lambda: not self.workers(), "the worker's end")

    def test_dropping_the_database_ends_it(self):
        self.submit(harness.TRAIN_LONG)
        self.wait_until_training()
        self.server.execute(f'DROP DATABASE "{self.database}" WITH (FORCE)')
        self.check_nothing_runs()
        self.server.execute(f'CREATE DATABASE "{self.database}"')

    def test_an_immediate_shutdown_ends_it(self):
        for number in (signal.SIGQUIT, signal.SIGKILL):
            self.submit(harness.TRAIN_LONG)
            self.wait_until_training()
            self.server.stop(number)
            self.check_nothing_runs()
            self.server.start()


if __name__ == "__main__":
    harness.main()
