"""job.wait = false of a job on a cluster that the program sends: a supervisor of this machine follows it and publishes
its model; `totrain jobs`, `logs`, `wait` and `cancel` are about it as about any other.
"""

import json
import os
import pathlib
import signal
import subprocess
import threading
import unittest

import staged
from staged import harness

import test_cluster

WAIT = ("job.lanes", "job.wait = false, job.lanes")
TRAIN = staged.statement().replace(*WAIT)
SLOW = staged.statement(epochs=40, batch=2).replace(*WAIT)
PACE = "us=5000"  # a row, until it is hurried


class Case(test_cluster.Case):
    pace = None

    def setUp(self):
        super().setUp()
        self.cluster.pace = self.pace
        self.state = self.folder / "state"
        self.addCleanup(lambda: harness.wait_for(lambda: not self.supervisors(), "the end of all supervisors"))

    def totrain(self, *words, **more):
        variables = {**os.environ, **self.server.variables(self.database, "alice"), "TOTRAIN_STATE": str(self.state)}
        return subprocess.run([harness.BUILD / "totrain", *words], text=True, capture_output=True, check=False,
                              env={**variables, **more}, timeout=120, cwd=self.cluster.folder)

    def done(self, *words, **more):
        done = self.totrain(*words, **more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def submit(self, text=TRAIN, *words, **more):
        """Its id. The kubeconfig is named from where we stand, which is not where the supervisor stays."""
        shown = self.done("submit", f"dbname={self.database}", text, "--format=csv", "--namespace=training",
                          f"--kubeconfig={pathlib.Path(self.cluster.kubeconfig).name}", "--image=localhost/totrain:3",
                          "--database-secret=login", *words, **more)
        return dict(line.split(",")[::3] for line in shown.splitlines())["job"]

    def job(self, number):
        rows = json.loads(self.done("jobs", "--format=json"))
        return next(row for row in rows if str(row["id"]) == number)

    def wait_for_state(self, number, *states):
        return harness.wait_for(lambda: self.job(number)["state"] in states and self.job(number),
                                f"job {number} to be {states}, not {self.job(number)}")

    def run_one(self):
        """The id of a job that learns, and its Job's name."""
        before = set(self.cluster.started)
        number = self.submit(SLOW)
        self.cluster.wait_for(lambda: set(self.cluster.started) - before)
        self.wait_for_state(number, "running")
        return number, (set(self.cluster.started) - before).pop()

    def kill_supervisor(self, number):
        process, = self.supervisors(f"{number}\0")
        os.kill(process, signal.SIGKILL)
        return self.wait_for_state(number, "lost")

    def supervisors(self, number=""):
        return [int(entry.name) for entry in pathlib.Path("/proc").glob("[0-9]*")
                if f"\0supervise\0{self.state}/jobs/{number}".encode() in self.words(entry)]

    def words(self, entry):
        try:
            return (entry / "cmdline").read_bytes()
        except OSError:
            return b""

    def check_published(self, text):
        self.assertEqual(self.digest(), self.expected(text.replace("job.wait = false, ", "")))
        harness.wait_for(lambda: not self.tables_of_jobs(), "the tables to go")

    def check_gone(self, number, name):
        self.cluster.wait_for(lambda: name not in self.cluster.jobs())
        harness.wait_for(lambda: not self.tables_of_jobs(), "the tables to go")
        self.wait_for_state(number, "cancelled")


class Followed(Case):
    def test_the_model_comes_and_can_be_waited_for(self):
        number = self.submit()
        shown = self.done("wait", number)
        self.assertIn("Accuracy", shown)
        self.assertRegex(shown, r"version +\|.*\| 1")
        self.assertEqual(self.job(number)["state"], "done")
        self.check_published(TRAIN)
        self.assertIn("published", self.done("logs", number))
        self.assertEqual(self.totrain("cancel", number).returncode, 2)

    def test_a_statement_may_say_where(self):
        text = TRAIN.replace("job.lanes", "job.where = 'kubernetes', job.lanes")
        self.done(f"dbname={self.database}", "-c", text, "--kubeconfig", self.cluster.kubeconfig, "--namespace=training",
                  "--image=localhost/totrain:3", "--database-secret=login")
        number = str(json.loads(self.done("jobs", "--format=json"))[0]["id"])
        self.done("wait", number)
        self.check_published(TRAIN)

    def test_a_job_that_cannot_be_made_fails_and_leaves_nothing(self):
        self.cluster.api.admission = lambda plural, thing: (403, "Forbidden", "no") if plural == "jobs" else None
        self.addCleanup(setattr, self.cluster.api, "admission", lambda plural, thing: None)
        number = self.submit()
        self.assertIn("no", self.wait_for_state(number, "failed")["error"])
        self.assertEqual(self.totrain("wait", number).returncode, 1)
        harness.wait_for(lambda: not self.tables_of_jobs(), "the tables to go")

    def test_a_model_that_cannot_be_written_can_be_tried_again(self):
        self.cluster.is_paused = True
        number = self.submit()
        self.execute("CREATE VIEW iris_model AS SELECT 1 AS x", "alice")
        with self.cluster.api.lock:
            self.cluster.is_paused = False
            self.cluster.api.lock.notify_all()
        self.assertIn("could not be written", self.wait_for_state(number, "unpublished")["error"])
        self.assertNotEqual(self.tables_of_jobs(), set())
        self.assertEqual(self.totrain("wait", number).returncode, 1)
        self.execute("DROP VIEW iris_model", "alice")
        self.done("wait", number)
        self.check_published(TRAIN)

    def test_a_publisher_that_is_killed_after_its_transaction_has_published_once(self):
        number = self.submit(TOTRAIN_FAULT="role=publisher,point=delivered,attempt=0,action=kill")
        self.done("wait", number)
        self.check_published(TRAIN)
        self.assertEqual(self.execute("SELECT version FROM totrain.models WHERE relation = 'iris_model'::regclass"),
                         [(1,)])
        self.assertIn("the publisher was killed", self.done("logs", number))


class Scored(test_cluster.Scoring, Case):
    """PREDICT and EVALUATE, whose rows wait in the job's folder."""

    KEPT = test_cluster.Scoring.CLUSTER + ", job.wait = false"

    def send(self, text, **more):
        """Its id."""
        shown = self.done(f"dbname={self.database}", "-c", text, "--format=csv", "--namespace=training",
                          f"--kubeconfig={pathlib.Path(self.cluster.kubeconfig).name}", "--image=localhost/totrain:3",
                          "--database-secret=login", **more)
        return shown.splitlines()[1].split(",")[0]

    def check_written(self):
        self.check_psql(self.predict("here", self.LOCAL, self.DIRTY), user="alice")
        good = self.check_same("here", "there")
        self.assertEqual(self.check_same("here_bad_rows", "there_bad_rows"), 150 - good)
        harness.wait_for(lambda: not self.tables_of_jobs(), "the tables to go")
        harness.wait_for(lambda: not list(self.state.rglob("*.spool")), "the rows to go")

    def test_tables_and_metrics_come_and_can_be_waited_for(self):
        number = self.send(self.predict("there", self.KEPT, self.DIRTY))
        self.done("wait", number)
        self.assertEqual(self.job(number)["state"], "done")
        self.check_written()
        self.done("wait", self.send(self.evaluate(self.KEPT, "INTO there_metrics")))
        self.check_psql(self.evaluate(self.LOCAL, "INTO here_metrics"), user="alice")
        self.check_same("here_metrics", "there_metrics")

    def test_a_table_that_cannot_be_written_can_be_tried_again(self):
        self.cluster.is_paused = True
        number = self.send(self.predict("there", self.KEPT, self.DIRTY))
        self.execute("CREATE VIEW there AS SELECT 1 AS x", "alice")
        with self.cluster.api.lock:
            self.cluster.is_paused = False
            self.cluster.api.lock.notify_all()
        self.assertIn("the table could not be written", self.wait_for_state(number, "unpublished")["error"])
        self.execute("DROP VIEW there", "alice")
        self.done("wait", number)
        self.check_written()

    def test_a_publisher_that_is_killed_after_its_transaction_has_written_once(self):
        number = self.send(self.predict("there", self.KEPT, self.DIRTY),
                           TOTRAIN_FAULT="role=publisher,point=delivered,attempt=0,action=kill")
        self.done("wait", number)
        self.assertIn("the publisher was killed", self.done("logs", number))
        self.check_written()

    def test_one_that_is_cancelled_leaves_nothing(self):
        self.cluster.is_paused = True
        number = self.send(self.predict("there", self.KEPT, self.DIRTY))
        self.done("cancel", number)
        self.wait_for_state(number, "cancelled")
        harness.wait_for(lambda: not self.tables_of_jobs(), "the tables to go")
        harness.wait_for(lambda: not list(self.state.rglob("*.spool")), "the rows to go")
        self.assertNotIn("there", self.tables())

    def test_a_temporary_table_is_refused(self):
        done = self.totrain(f"dbname={self.database}", "-c", self.predict("pg_temp.there", self.KEPT), "--namespace=training",
                            "--kubeconfig", self.cluster.kubeconfig, "--image=localhost/totrain:3", "--database-secret=login")
        self.assertIn("as a temporary table", done.stderr)
        self.assertEqual(self.tables_of_jobs(), set())


class Lost(Case):
    pace = PACE

    def test_it_is_cancelled(self):
        number, name = self.run_one()
        self.done("cancel", number)
        self.check_gone(number, name)
        self.assertEqual(self.totrain("wait", number).returncode, 130)

    def test_whoever_waits_follows_one_that_nobody_follows(self):
        number, name = self.run_one()
        lost = self.kill_supervisor(number)
        self.assertIn("its pods on the cluster go on", lost["error"])
        self.assertIn(name, self.cluster.jobs())
        waiting = threading.Thread(target=self.done, args=("wait", number))
        waiting.start()
        self.wait_for_state(number, "running")
        harness.wait_for(lambda: self.cluster.hurry() or not waiting.is_alive(), "the job's end")
        self.assertEqual(self.job(number)["state"], "done")
        self.check_published(SLOW)
        self.assertEqual(self.cluster.started.count(name), 1)

    def test_one_that_nobody_follows_is_cancelled(self):
        number, name = self.run_one()
        self.kill_supervisor(number)
        self.done("cancel", number)
        self.check_gone(number, name)


if __name__ == "__main__":
    unittest.main(verbosity=2)
