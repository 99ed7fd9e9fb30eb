"""A worker's machine loses its network while the server sends it rows: the model does not wait for it."""

import os
import subprocess
import threading

import psycopg2
from psycopg2 import errors

import proxy
import staged
from staged import harness

import test_cluster

# More rows than sockets hold: who sends them waits for the reader. Without shuffle, since a worker takes pieces of
# eight mebibytes at a time then, and not the blocks that its next steps need.
ROWS = """CREATE TABLE many AS SELECT i % 2 AS class, i * 1.5 AS a, i * 2.5 AS b, i * 3.5 AS c, i * 4.5 AS d, i * 5.5 AS e
          FROM generate_series(1, 300000) i; GRANT SELECT ON many TO alice, bob"""
TRAIN = ("SELECT * FROM many TO TRAIN LinearClassifier WITH train.epoch = 1, train.shuffle = false, "
         "train.batch_size = 10000, job.where = 'kubernetes', job.lanes = 8, job.max_workers = 2 LABEL class INTO iris_model;")
KEPT = TRAIN.replace("job.lanes", "job.wait = false, job.lanes")
HERE = TRAIN.replace("job.where = 'kubernetes', ", "")
PACE = "us=20"  # a row, until it is hurried
FIRST_PIECES = b"\0\0\0\x010\0\0\0\x018"  # the statement's parameters: from 0 to 8, of a mebibyte each


class Case(test_cluster.Case):
    @classmethod
    def prepare(cls, connection):
        super().prepare(connection)
        connection.cursor().execute(ROWS)

    def setUp(self):
        super().setUp()
        self.cluster.pace = PACE
        self.cable = proxy.Cable(self.server.port, FIRST_PIECES)
        self.cable.__enter__()
        self.addCleanup(self.cable.__exit__)
        self.cluster.logins = {1: self.write_login("cable", port=str(self.cable.port)).read_text().strip()}
        self.addCleanup(self.cluster.logins.clear)

    def end(self, ask):
        """The worker with the cut cable is dead, the other one trains the model; what was asked for."""
        answers = []
        thread = threading.Thread(target=lambda: answers.append(ask()))
        thread.start()
        harness.wait_for(self.cable.is_cut.is_set, "the cut")
        worker, = [role for role in self.cluster.roles if "--index 1" in " ".join(role.process.args)
                   and role.process.poll() is None]
        worker.process.kill()
        self.assertTrue(self.waiting())
        harness.wait_for(lambda: self.cluster.hurry() or not thread.is_alive(), "the end")
        thread.join()
        return answers[0]

    def waiting(self):
        """The waits of pods' backends whose rows nobody reads."""
        look = f"SELECT wait_event FROM pg_stat_activity WHERE usename = '{staged.POD}' AND state = 'active'"
        return harness.wait_for(lambda: [row for row in self.execute(look) if row[0] == "ClientWrite"], "a full socket")

    def check_published(self):
        self.assertTrue(self.waiting(), "it still reads")
        self.assertEqual(self.digest(), self.expected(HERE))
        self.assertEqual(len(self.tables_of_jobs()), 3)

    def check_dropped_later(self):
        """Once the reader is gone, and by nobody who waits."""
        self.cable.is_over.set()
        self.check_nothing_is_left()


class Cut(Case):
    def test_a_session_that_waits_gets_its_model_and_the_server_gives_the_reader_up(self):
        """After 15 s, and then it drops the tables; nobody does anything: the cable stays as it is."""
        done = self.end(lambda: self.psql(TRAIN, "-v", "ON_ERROR_STOP=1", user="alice"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Accuracy", done.stdout)
        self.check_published()
        for setting in (b"tcp_user_timeout = 15000", b"tcp_keepalives_idle = 5", b"statement_timeout = 30000"):
            self.assertIn(b"SET " + setting, self.cable.client_said)
        self.assertIn(b"options\0-c tcp_user_timeout=15000 -c tcp_keepalives_idle=5", self.cable.client_said)
        self.check_nothing_is_left()
        self.assertFalse(self.cable.is_over.is_set())

    def test_a_job_that_nobody_waits_for_is_done(self):
        number = int(self.check_psql(KEPT, "-At", user="alice").splitlines()[-1].split("|")[3])
        state = f"SELECT state FROM totrain.jobs WHERE id = {number}"
        self.end(lambda: harness.wait_for(lambda: self.execute(state, "alice") == [("done",)], "done"))
        self.check_published()
        self.check_dropped_later()

    def test_the_program_gets_its_model(self):
        words = [harness.BUILD / "totrain", f"dbname={self.database}", "-c", TRAIN, "--kubeconfig",
                 self.cluster.kubeconfig, "--namespace=training", "--image=localhost/totrain:3", "--database-secret=login"]
        done = self.end(lambda: subprocess.run(
            words, text=True, capture_output=True, check=False, timeout=120,
            env={**os.environ, **self.server.variables(self.database, "alice"), "TOTRAIN_STATE": str(self.folder / "state")}))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check_published()
        self.check_dropped_later()

    def test_a_session_that_is_cancelled_has_its_prompt(self):
        def cancel():
            self.execute("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE usename = 'alice' AND "
                         "backend_type = 'client backend'")
        session = subprocess.Popen(["psql", "-X", "-v", "ON_ERROR_STOP=1", "-c", TRAIN], text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env={**os.environ, **self.server.variables(self.database, "alice")})
        harness.wait_for(self.cable.is_cut.is_set, "the cut")
        self.waiting()
        cancel()
        _, said = session.communicate(timeout=60)
        self.assertIn("canceling statement", said)
        self.assertEqual(len(self.tables_of_jobs()), 3)
        self.check_dropped_later()


class Read(staged.Case):
    """Tables that somebody reads as long as he likes."""

    def setUp(self):
        super().setUp()
        self.job = self.stage()
        self.reader = self.server.connect(self.database, staged.POD, autocommit=False)
        self.addCleanup(self.reader.close)

    def read(self):
        self.reader.cursor().execute(f"SELECT count(*) FROM totrain_jobs.input_{self.job}")

    def train(self):
        master = self.master(self.job)
        self.worker(self.job, 0, master.address())
        self.assertEqual(master.end(), 0, master.log.text())

    def wait_until_dropped(self):
        harness.wait_for(lambda: not self.tables_of_jobs(), "the tables to go")

    def test_a_pooler_that_takes_no_options_is_no_trouble(self):
        with proxy.Pooler(self.server.port) as pooler:
            self.login = self.write_login("pooled", port=str(pooler.port))
            self.train()
            self.assertGreaterEqual(pooler.refused, 2)  # the master, the worker
        self.collect(self.job)
        self.assertEqual(self.digest(), self.expected())

    def test_collect_publishes_once_and_does_not_wait(self):
        self.train()
        self.read()
        self.collect(self.job)
        self.assertEqual(self.digest(), self.expected())
        self.assertEqual(len(self.tables_of_jobs()), 3)
        with self.assertRaisesRegex(psycopg2.Error, "was published or given up before"):
            self.collect(self.job)
        self.reader.rollback()
        self.wait_until_dropped()

    def test_discard_does_not_wait(self):
        self.read()
        self.execute(f"SELECT totrain.discard({self.job})", "alice")
        self.assertEqual(len(self.tables_of_jobs()), 3)
        self.reader.rollback()
        self.wait_until_dropped()

    def test_a_superuser_discards_the_job_of_another_role(self):
        """The discard runs as that role: a trigger of its own does not run as the superuser."""
        self.execute("CREATE TABLE run_as (name text); GRANT INSERT ON run_as TO PUBLIC")
        self.addCleanup(self.execute, "DROP TABLE run_as")
        self.execute("CREATE SCHEMA alices AUTHORIZATION alice")
        self.execute("CREATE FUNCTION alices.note() RETURNS trigger LANGUAGE plpgsql AS "
                     "$$ BEGIN INSERT INTO public.run_as VALUES (current_user); RETURN NEW; END $$; "
                     f"CREATE TRIGGER note BEFORE INSERT ON totrain_jobs.input_{self.job} FOR EACH ROW EXECUTE FUNCTION alices.note()",
                     "alice")
        self.addCleanup(self.execute, "DROP SCHEMA alices CASCADE")
        self.read()
        self.execute(f"SELECT totrain.discard({self.job})")
        self.assertEqual(len(self.tables_of_jobs()), 3)
        self.assertEqual(self.execute("SELECT DISTINCT name FROM run_as"), [("alice",)])
        self.reader.rollback()
        self.wait_until_dropped()

    def test_a_discard_that_is_rolled_back_drops_nothing(self):
        self.read()
        connection = self.connect("alice", autocommit=False)
        connection.cursor().execute(f"SELECT totrain.discard({self.job})")
        connection.rollback()
        self.reader.rollback()
        look = "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'totrain tables'"
        harness.wait_for(lambda: self.execute(look) == [(1,)], "the worker")
        connection.cursor().execute(f"SELECT totrain.stage('{staged.statement()}')")  # which sweeps
        connection.rollback()
        self.train()
        self.collect(self.job)
        self.wait_until_dropped()

    def test_the_next_submission_drops_what_is_left(self):
        self.execute(f"INSERT INTO totrain_jobs.input_{self.job} VALUES ('over', 0, '')", "alice")
        self.read()
        self.assertEqual(self.execute("SELECT totrain.sweep_jobs()", "alice"), [(0,)])
        self.reader.rollback()
        self.assertEqual(self.execute("SELECT totrain.sweep_jobs()", "alice"), [(1,)])
        self.assertEqual(self.tables_of_jobs(), set())

    def test_the_login_of_pods_cannot_say_that_a_job_is_over(self):
        with self.assertRaises(errors.InsufficientPrivilege):
            self.reader.cursor().execute(f"INSERT INTO totrain_jobs.input_{self.job} VALUES ('over', 0, '')")


if __name__ == "__main__":
    harness.main()
