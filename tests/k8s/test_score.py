"""PREDICT and EVALUATE on a cluster: the rows and the metrics of a local job, to the bit, whoever dies."""

import os
import signal
import subprocess

import harness
import test_train as train
import watched
from harness import wait_for
from waiting import eventually

MODEL = ("SELECT * FROM points TO TRAIN DNNClassifier WITH model.hidden_units = [16, 16], train.epoch = 2 "
         "LABEL class INTO model;")
LOCAL = "job.max_workers = 2"
CLUSTER = "job.where = 'kubernetes', job.max_workers = 3, job.worker_cpu = 0.1, job.worker_memory = '128Mi'"
EVALUATE = "TO EVALUATE model WITH {where}, validation.metrics = 'Accuracy,LogLoss,AUC' LABEL class"
DIRTY = ("SELECT g, g % 3 AS class, CASE WHEN g % 500 = 7 THEN 'short' ELSE sin(g)::text END AS a, cos(g) AS b "
         "FROM generate_series(1, 3000) g")
LONG = "SELECT g, g % 3 AS class, sin(g) AS a, cos(g) AS b FROM generate_series(1, {rows}) g"
PREDICT = "{select} TO PREDICT {table}.class WITH predict.extra_outputs = ['probability', 'probabilities'], {more} USING model"


class Case(train.Case):
    def setUp(self):
        super().setUp()
        self.server.execute(f"ALTER SYSTEM SET totrain.images = '{train.PACED}'")
        self.server.reload()
        self.run_sql(MODEL)
        self.watched = watched.Watched(self.lab, self.space)
        self.addCleanup(self.watched.close)

    def run_sql(self, sql):
        done = self.psql(sql)
        self.assertEqual(done.returncode, 0, done.stderr + "\n" + self.explain())
        return done.stdout

    def check_same(self, here, there):
        rows = self.server.execute(f"SELECT count(*) FROM {here}")
        self.assertEqual(rows, self.server.execute(f"SELECT count(*) FROM {there}"))
        self.assertEqual(self.server.execute(f"(SELECT h::text FROM {here} h EXCEPT ALL SELECT t::text FROM {there} t) LIMIT 3"), [])
        return rows[0][0]

    def check_nothing_is_left(self):
        self.check_tables_go()
        self.assertEqual(self.server.execute("SELECT relname FROM pg_class WHERE relname ~ '^totrain_(kept|scores)'"), [])

    def begin(self, statement):
        """A session that waits for a job which has scored some shards."""
        session = subprocess.Popen(["psql", "-X", "-v", "ON_ERROR_STOP=1", "-c", statement], text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env={**os.environ, **self.server.variables("postgres", "alice")})
        self.addCleanup(session.kill)
        self.wait_for_steps(session, 2)
        return session

    def wait_for_steps(self, session, steps):
        def are_done():
            self.assertIsNone(session.poll(), session.poll() is not None and session.communicate())
            return self.server.execute(f"SELECT step FROM totrain.jobs WHERE state = 'running' AND step >= {steps}")
        wait_for(are_done, f"{steps} shards")

    def processes(self, role):
        return [(pod, pod.run()) for pod in self.watched.pods() if pod.labels.get("totrain.dev/role") == role and pod.run()]


class Scores(Case):
    def test_what_pods_score_is_what_a_local_job_scores(self):
        for name, where in (("here", LOCAL), ("there", CLUSTER)):
            watch = harness.Stopwatch()
            said = self.run_sql(PREDICT.format(select="SELECT * FROM points", table=name, more=where))
            self.report(f"{name}: 3,000 rows, from statement to table", watch.read())
            self.assertRegex(said, rf"{name} +\| +3000 ")
            self.run_sql(PREDICT.format(select=DIRTY, table=f"dirty_{name}", more=where +
                                        ", predict.bad_rows = 'quarantine'"))
            self.run_sql(f"SELECT * FROM points {EVALUATE.format(where=where)} INTO metrics_{name}")
        self.assertEqual(self.check_same("here", "there"), 3000)
        self.assertEqual(self.check_same("dirty_here", "dirty_there"), 2994)
        self.assertEqual(self.check_same("dirty_here_bad_rows", "dirty_there_bad_rows"), 6)
        self.check_same("metrics_here", "metrics_there")
        here, there = (self.run_sql(f"SELECT * FROM points {EVALUATE.format(where=where)}") for where in (LOCAL, CLUSTER))
        self.assertEqual(here, there)
        self.check_nothing_is_left()

    def test_a_row_that_cannot_be_scored_ends_the_statement(self):
        done = self.psql(PREDICT.format(select=DIRTY, table="never", more=CLUSTER))
        self.assertIn("row 7: column \"a\"", done.stderr)
        self.assertEqual(self.server.execute("SELECT to_regclass('never')"), [(None,)])
        self.check_nothing_is_left()


class Deaths(Case):
    def test_workers_and_masters_that_die_change_nothing(self):
        select = LONG.format(rows=12000)
        self.run_sql(PREDICT.format(select=select, table="here", more=LOCAL))
        session = self.begin(PREDICT.format(select=select, table="there", more=CLUSTER))
        done = self.psql(f"SELECT * FROM totrain.collect({self.job_tables()[0][0].rpartition('_')[2]})")
        self.assertIn("the job scores rows of the session that has sent it", done.stderr)
        self.processes("worker")[0][1].send(signal.SIGKILL)
        self.wait_for_steps(session, 8)
        self.processes("master")[0][1].send(signal.SIGKILL)
        self.wait_for_steps(session, 12)
        victim = self.processes("worker")[-1][0]
        self.api.request("DELETE", f"{self.path}/pods/{victim.name}", {"gracePeriodSeconds": 0})
        self.run_sql("SELECT totrain.scale(max(id), 1) FROM totrain.jobs")
        wait_for(lambda: len(self.processes("worker")) <= 1, "two workers to leave")  # the last, too, where all is scored
        said, errors = session.communicate(timeout=train.DEADLINE)
        self.assertEqual(session.returncode, 0, errors + "\n" + self.explain())
        self.assertRegex(said, r"there +\| +12000 ")
        self.assertEqual(self.check_same("here", "there"), 12000)
        # settled: the statement has returned with all rows
        self.assertEqual(self.server.execute("SELECT sum(count) FROM totrain.shards WHERE job = (SELECT max(id) "
                                             "FROM totrain.jobs) AND state = 'done'"), [(12000,)])
        self.check_nothing_is_left()


class Kept(Case):
    def test_a_job_that_nobody_waits_for_outlives_a_restart_of_the_server(self):
        select = LONG.format(rows=6000)
        self.run_sql(PREDICT.format(select=select, table="here", more=LOCAL))
        self.run_sql(PREDICT.format(select=select, table="there", more=CLUSTER + ", job.wait = false"))
        wait_for(lambda: self.server.execute("SELECT 1 FROM totrain.jobs WHERE state = 'running' AND step > 2"), "some shards")
        self.server.stop()
        self.server.start()
        wait_for(lambda: self.server.execute("SELECT 1 FROM totrain.jobs WHERE id = (SELECT max(id) FROM totrain.jobs) "
                                             "AND state = 'done'"), "the table")
        self.assertEqual(self.check_same("here", "there"), 6000)
        self.check_nothing_is_left()

    def test_ctrl_c_leaves_nothing(self):
        session = self.begin(PREDICT.format(select=LONG.format(rows=60000), table="never", more=CLUSTER))
        session.send_signal(signal.SIGINT)
        _, said = session.communicate(timeout=60)
        self.assertIn("canceling statement due to user request", said)
        wait_for(lambda: not self.jobs() and not self.objects(), "the job to go")
        self.check_nothing_is_left()
        self.assertEqual(self.server.execute("SELECT to_regclass('never')"), [(None,)])
        eventually(lambda: self.server.execute("SELECT state FROM totrain.jobs ORDER BY id DESC LIMIT 1"), [("cancelled",)],
                   "the job's state")


if __name__ == "__main__":
    harness.main()
