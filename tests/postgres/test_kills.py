"""Processes are killed at any moment: no orphan, no half model, and the old model still predicts."""

import os
import random
import signal
import subprocess
import sys
import threading

import psycopg2

import harness
from harness import wait_for, wait_until_nothing_runs

# Two workers have processes of their own, and so has their master.
TRAIN_LONG = harness.TRAIN_LONG.replace("WITH ", "WITH job.max_workers = 2, job.min_workers = 2, ")
ROUNDS = int(os.environ.get("TOTRAIN_KILL_ROUNDS", "2"))
SEED = os.environ.get("TOTRAIN_KILL_SEED") or str(random.randrange(1 << 32))


def role_of(process):
    try:
        with open(f"/proc/{process}/cmdline", "rb") as file:
            words = file.read().split(b"\0")
    except (FileNotFoundError, ProcessLookupError):
        return ""
    return next((word.decode() for word in words[1:] if word in (b"supervise", b"master", b"worker")), "")


class Case(harness.Case):
    def setUp(self):
        super().setUp()
        self.execute(harness.TRAIN_IRIS.replace("train.epoch = 60", "train.epoch = 2"))
        self.wanted = self.digest()
        self.answers = self.predictions()

    def drop_database(self):
        self.server.execute(f'DROP DATABASE IF EXISTS "{self.database}" WITH (FORCE)')

    def predictions(self):
        return self.execute("SELECT totrain.predict('iris_model', iris) FROM iris")

    def train_in_background(self, text=TRAIN_LONG):
        """The thread's connection, whose statement ends somehow."""
        connection = self.server.connect(self.database)
        problems = []

        def train():
            try:
                connection.cursor().execute(text)
                problems.append(None)
            except psycopg2.Error as error:
                problems.append(error)
        thread = threading.Thread(target=train)
        thread.start()
        self.addCleanup(thread.join)
        self.wait_until_training()
        return connection, thread, problems

    def role(self, wanted):
        return wait_for(lambda: [p for p in self.job_processes() if role_of(p) == wanted], f"a {wanted}")[0]

    def check_settled(self):
        self.check_nothing_runs()
        self.assertEqual(self.digest(), self.wanted)
        self.assertEqual(self.predictions(), self.answers)
        self.assertEqual(self.tables(), {"iris", "iris_model"})

    def wait_until_accepting(self):
        def accepting():
            try:
                return self.execute("SELECT 1")
            except psycopg2.OperationalError:
                return None
        wait_for(accepting, "the server's recovery")

    def reach(self, moment):
        """A role that has started, or a step that was made."""
        if isinstance(moment, str):
            self.role(moment)
        else:
            wait_for(lambda: self.execute(f"SELECT 1 FROM totrain.jobs WHERE state = 'running' AND step >= {moment}"),
                     f"step {moment}")

    def at_random_moments(self, kill, recover=None):
        print(f"TOTRAIN_KILL_SEED={SEED}", file=sys.stderr, flush=True)
        choice = random.Random(self._testMethodName + SEED)
        for _ in range(ROUNDS):
            connection, thread, _ = self.train_in_background()
            moment = choice.choice(["supervise", "master", "worker", choice.randrange(10), choice.randrange(20000)])
            print(f"at {moment}", file=sys.stderr, flush=True)
            self.reach(moment)
            kill(connection)
            thread.join()
            if recover:
                recover()
            connection.close()
            self.check_settled()

    def starts(self):
        return self.server.log().count("reinitializing")

    def wait_until_started_anew(self, before):
        """The client sees the end of a process before the postmaster does, which still accepts."""
        wait_for(lambda: self.starts() > before, "the server's restart")
        self.wait_until_accepting()


class Watched(Case):
    """A job, as it is seen from outside."""

    @staticmethod
    def name_of(process):
        try:
            with open(f"/proc/{process}/comm", encoding="utf-8") as file:
                return file.read().strip()
        except (FileNotFoundError, ProcessLookupError):
            return ""

    def test_processes_have_names_and_the_session_a_wait_event(self):
        connection, thread, _ = self.train_in_background()
        for role, name in (("supervise", "totrain job"), ("master", "totrain master"), ("worker", "totrain worker")):
            process = self.role(role)
            harness.eventually(lambda process=process: self.name_of(process), name, role)
        self.eventually("SELECT DISTINCT wait_event_type FROM pg_stat_activity WHERE query LIKE '%TO TRAIN%' AND "
                        "pid <> pg_backend_pid() AND wait_event IS NOT NULL", [("Extension",)])
        connection.cancel()
        thread.join()
        self.check_settled()


class Kills(Case):
    def test_the_backend(self):
        """The postmaster ends all backends then, and starts anew."""
        starts = []

        def wait_until_started_anew():
            self.wait_until_started_anew(before + len(starts))
            starts.append(None)
        before = self.starts()
        self.at_random_moments(lambda connection: os.kill(connection.info.backend_pid, signal.SIGKILL),
                               wait_until_started_anew)

    def test_the_supervisor(self):
        self.at_random_moments(lambda _: os.kill(self.role("supervise"), signal.SIGKILL))

    def kill_and_cancel(self, role):
        """The job goes on with another; meanwhile the old model is there, and whole. Then it is cancelled."""
        def kill(connection):
            victim = self.role(role)
            os.kill(victim, signal.SIGKILL)
            wait_for(lambda: victim not in self.job_processes() and len(self.job_processes()) >= 4, f"another {role}")
            self.assertEqual(self.digest(), self.wanted)
            self.assertEqual(self.predictions(), self.answers)
            self.execute(f"SELECT pg_cancel_backend({connection.info.backend_pid})")
        self.at_random_moments(kill)

    def test_the_master(self):
        self.kill_and_cancel("master")

    def test_a_worker(self):
        self.kill_and_cancel("worker")

    def test_the_postmaster(self):
        def restart():
            self.server.stop(signal.SIGKILL)
            wait_until_nothing_runs(self.server.folder / "data")
            self.check_nothing_runs()
            self.server.start()
        self.at_random_moments(lambda _: os.kill(self.server.pid, signal.SIGKILL), restart)

    def test_an_immediate_shutdown(self):
        self.at_random_moments(lambda _: self.server.stop(signal.SIGQUIT), self.server.start)

    def test_a_fast_shutdown(self):
        self.at_random_moments(lambda _: self.server.stop(signal.SIGINT), self.server.start)

    def test_terminate_backend(self):
        self.at_random_moments(
            lambda connection: self.execute(f"SELECT pg_terminate_backend({connection.info.backend_pid})"))

    def test_cancel_backend(self):
        self.at_random_moments(
            lambda connection: self.execute(f"SELECT pg_cancel_backend({connection.info.backend_pid})"))

    def test_the_client(self):
        """The next progress message finds nobody there."""
        process = subprocess.Popen(["psql", "-X", "-c", TRAIN_LONG], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   env={**os.environ, **self.server.variables(self.database)})
        self.wait_until_training()
        process.kill()
        process.wait()
        self.check_settled()

    def submit(self):
        self.execute("SELECT totrain.submit($$" + TRAIN_LONG.replace("iris_model", "other") + "$$)")
        self.wait_until_training()
        return wait_for(lambda: self.execute("SELECT pid FROM pg_stat_activity WHERE backend_type LIKE '%totrain%' AND datname = current_database()"),
                        "the background worker")[0][0]

    def test_the_background_worker(self):
        worker, before = self.submit(), self.starts()
        os.kill(worker, signal.SIGKILL)
        self.check_nothing_runs()
        self.wait_until_started_anew(before)
        self.check_settled()

    def test_terminate_the_background_worker(self):
        self.execute(f"SELECT pg_terminate_backend({self.submit()})")
        self.check_settled()

    def test_an_immediate_shutdown_with_a_background_worker(self):
        self.submit()
        self.server.stop(signal.SIGQUIT)
        self.check_nothing_runs()
        self.server.start()
        self.check_settled()

    def test_the_supervisor_of_a_background_worker(self):
        self.submit()
        os.kill(self.role("supervise"), signal.SIGKILL)
        self.check_settled()

    def test_a_database_that_is_dropped(self):
        connection, thread, _ = self.train_in_background()
        self.server.execute(f'DROP DATABASE "{self.database}" WITH (FORCE)')
        thread.join()
        connection.close()
        self.check_nothing_runs()

    def test_a_transaction_that_is_rolled_back_leaves_no_model_and_no_job(self):
        connection = self.server.connect(self.database, autocommit=False)
        connection.cursor().execute("SELECT * FROM totrain.run($$" + harness.TRAIN_IRIS.replace("iris_model", "other") + "$$)")
        connection.rollback()
        connection.close()
        self.check_settled()
        self.assertEqual(self.execute("SELECT relation::text FROM totrain.models"), [("iris_model",)])


class Replaced(Case):
    """Training goes on without the one that was killed, to the same model."""

    pace = harness.SLOW

    def check_replaced(self, role):
        text = TRAIN_LONG.replace("1000000", "1500")
        _, thread, problems = self.train_in_background(text)
        self.finish(thread)
        whole = self.digest()
        self.execute("DROP TABLE iris_model")
        _, thread, more = self.train_in_background(text)
        os.kill(self.role(role), signal.SIGKILL)
        self.finish(thread)
        self.assertEqual(problems + more, [None, None])
        self.assertEqual(self.digest(), whole)
        self.check_nothing_runs()

    def test_a_worker_is_replaced(self):
        self.check_replaced("worker")

    def test_the_master_is_replaced(self):
        self.check_replaced("master")


if __name__ == "__main__":
    harness.main()
