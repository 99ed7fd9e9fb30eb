"""PREDICT and EVALUATE by workers, while their processes are killed, stopped and asked to go.

The oracle is the table that the session makes by itself.
"""

import os
import pathlib
import random
import signal
import sqlite3
import subprocess
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "sqlite"))

import harness  # noqa: E402

ROWS = 4000
SLOW = 5000  # microseconds a row: 64 shards of some 300 ms, until it is hurried
PREDICT = ("SELECT * FROM t TO PREDICT shared.c WITH predict.extra_outputs = logits, predict.replace = true, {} USING m")


class Score(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)
        rows = random.Random(3)
        self.run_all("CREATE TABLE t (id INTEGER, x REAL, word TEXT, label INTEGER)")
        self.run_all("BEGIN")
        self.database.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", [
            (i, rows.uniform(-1, 1), rows.choice(["a", "b", None]), i % 3) for i in range(ROWS)])
        self.run_all("COMMIT")
        self.run_all("SELECT x, word, label FROM t LIMIT 300 TO TRAIN DNNClassifier WITH "
                     "model.hidden_units = [8], train.epoch = 2 LABEL label INTO m")
        self.run_all("SELECT * FROM t TO PREDICT alone.c WITH predict.extra_outputs = logits "
                     "USING m")
        self.expected = self.run_all("SELECT * FROM alone")
        self.before = len(self.jobs_started())
        self.failure = None
        self.addCleanup(os.environ.pop, "TOTRAIN_FAULT", None)
        self.addCleanup(self.end_what_is_left)

    def run_all(self, sql):
        return self.database.execute(sql).fetchall()

    def check_table(self):
        self.assertEqual(self.run_all("SELECT * FROM shared"), self.expected)

    def check_each_row_once(self, job=None, bad=0):
        job = job or self.run_all("SELECT max(id) FROM totrain_jobs")[0][0]
        settled = self.run_all(f"SELECT first, count FROM totrain_shards WHERE job = {job} AND "
                               "state IN ('done', 'bad') ORDER BY first")
        at = 0
        for first, count in settled:
            self.assertEqual(first, at)
            at += count
        self.assertEqual(at, ROWS)
        self.assertEqual(self.run_all(f"SELECT count(*) FROM totrain_shards WHERE job = {job} AND "
                                      "state = 'bad'")[0][0], bad)

    def with_fault(self, fault, sql):
        os.environ["TOTRAIN_FAULT"] = fault
        try:
            return self.run_all(sql)
        finally:
            del os.environ["TOTRAIN_FAULT"]

    def events(self, event):
        return self.run_all("SELECT * FROM totrain_events WHERE job = (SELECT max(id) FROM "
                            f"totrain_jobs) AND event = '{event}'")

    # --- a job that runs while something is done to it

    def begin(self, sql, pace=SLOW):
        """In a thread, on a connection of its own."""
        self.pace(pace)

        def run():
            database = self.connect(isolation_level=None, check_same_thread=False)
            try:
                self.result = database.execute(sql).fetchall()
            except sqlite3.Error as error:
                self.failure = error

        self.statement = threading.Thread(target=run)
        self.statement.start()
        harness.wait_for(lambda: self.shards("done") or not self.statement.is_alive(),
                         "a shard that is done")

    def end(self):
        """All that is done to the job has been done."""
        self.hurry(lambda: not self.statement.is_alive(), "the end of the statement")

    def shards(self, state):
        return self.run_all("SELECT first, count FROM totrain_shards WHERE job > "
                            f"{self.before} AND state = '{state}'")

    def processes(self, role):
        """Process ids, by index for workers."""
        found = {}
        for pid in harness.processes_of(self.state):
            try:
                words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")
            except (FileNotFoundError, ProcessLookupError):
                continue
            if len(words) > 1 and words[1] == role:
                index = int(words[words.index("--index") + 1]) if "--index" in words else 0
                found[index] = pid
        return found

    def kill(self, role, number, index=None):
        processes = self.processes(role)
        if index is None and processes:
            index = min(processes)
        if index in processes:
            try:
                os.kill(processes[index], number)
            except ProcessLookupError:
                pass
        return processes.get(index)

    # ---

    def test_a_role_that_dies_at_a_named_point_changes_nothing(self):
        for role, points in (("worker", ("shard_begin", "shard_scored")),
                             ("master", ("shard_before", "shard_after"))):
            for point in points:
                for step in ("", ",step=0"):
                    with self.subTest(role=role, point=point, step=step):
                        self.with_fault(f"role={role},index=0,attempt=0,point={point}{step}",
                                        PREDICT.format("job.max_workers = 2"))
                        self.check_table()
                        self.check_each_row_once()
        self.check_nothing_runs()

    def test_a_row_that_kills_goes_aside_and_no_other(self):
        made = self.with_fault("role=worker,point=row,step=1234", PREDICT.format(
            "predict.bad_rows = 'quarantine', job.max_workers = 3"))
        self.assertEqual([row[:2] for row in made],
                         [("shared", ROWS - 1), ("shared_bad_rows", 1)])
        self.assertEqual(self.run_all("SELECT id, totrain_reason FROM shared_bad_rows"),
                         [(1234, "each worker that scored it alone died")])
        self.expected = [row for row in self.expected if row[0] != 1234]
        self.check_table()
        self.check_each_row_once(bad=1)
        self.assertTrue(self.events("halved") and self.events("bad_row"))

    def test_a_row_that_kills_is_left_out_of_an_evaluation(self):
        self.with_fault("role=worker,point=row,step=1234", "SELECT * FROM t TO EVALUATE m WITH evaluate.bad_rows = "
                        "'quarantine', job.max_workers = 3 LABEL label INTO e")
        self.assertEqual(self.run_all("SELECT id, totrain_reason FROM e_bad_rows"),
                         [(1234, "each worker that scored it alone died")])
        self.assertEqual(self.run_all("SELECT * FROM e"),
                         self.run_all("SELECT * FROM t WHERE id <> 1234 TO EVALUATE m LABEL label"))
        self.check_each_row_once(bad=1)

    def test_a_row_that_kills_ends_a_job_that_may_have_none_and_is_named(self):
        self.run_all("CREATE TABLE shared AS SELECT 'old' AS word")
        for sql in (PREDICT.format("job.max_workers = 2"),
                    "SELECT * FROM t TO EVALUATE m WITH job.max_workers = 2 LABEL label"):
            with self.assertRaises(sqlite3.Error) as caught:
                self.with_fault("role=worker,point=row,step=77", sql)
            self.assertIn("row 78: each of 3 workers that scored it alone died",
                          str(caught.exception))
        self.assertEqual(self.run_all("SELECT word FROM shared"), [("old",)])
        self.check_nothing_runs()

    def test_workers_and_masters_killed_at_random_change_nothing(self):
        seed = random.randrange(1 << 30)
        luck = random.Random(seed)
        self.begin(PREDICT.format("job.max_workers = 3"))
        kills = 0
        while self.statement.is_alive() and kills < 12:
            role = "worker" if luck.random() < .7 else "master"
            done = len(self.shards("done"))
            if self.kill(role, signal.SIGKILL, luck.randrange(3) if role == "worker" else None):
                kills += 1
            harness.wait_for(lambda: len(self.shards("done")) > done or
                             not self.statement.is_alive(), f"a shard after a kill (seed {seed})")
        self.end()
        self.assertIsNone(self.failure, f"seed {seed}")
        self.assertGreater(kills, 3)
        self.check_table()
        self.check_each_row_once()
        self.check_nothing_runs()

    def test_a_worker_that_is_asked_to_go_hands_its_shards_back(self):
        # Slow enough that it is asked in the middle of a shard, long before the last one.
        self.begin(PREDICT.format("job.max_workers = 2"), pace=20000)
        self.kill("worker", signal.SIGTERM, 0)
        harness.wait_for(lambda: self.shards("returned"), "a shard that was handed back")
        self.end()
        self.assertIsNone(self.failure)
        self.assertFalse(self.shards("crashed"))
        self.check_table()
        self.check_each_row_once()

    def test_a_stopped_workers_shards_are_scored_by_another_and_its_own_result_is_refused(self):
        # The third has to come to the end of what nobody has, alone.
        self.begin(PREDICT.format("job.max_workers = 3"), pace=1000)
        stopped = [self.kill("worker", signal.SIGSTOP, index) for index in (0, 1)]
        self.addCleanup(self.end_what_is_left)
        harness.wait_for(lambda: self.events("backup") or not self.statement.is_alive(),
                         "a second worker on a slow shard")
        done = f"SELECT first FROM totrain_shards AS a WHERE job > {self.before} AND " \
               "state = 'leased' AND EXISTS (SELECT * FROM totrain_shards AS b WHERE " \
               "b.job = a.job AND b.first = a.first AND b.state = 'done')"
        harness.wait_for(lambda: self.run_all(done) or not self.statement.is_alive(),
                         "a shard that another has done")
        for pid in stopped:
            try:
                os.kill(pid, signal.SIGCONT)
            except ProcessLookupError:
                pass  # its shard was the job's last, which nobody waits for
        self.end()
        self.assertIsNone(self.failure)
        self.check_table()
        self.check_each_row_once()

    def test_a_worker_that_stays_stopped_is_replaced(self):
        self.begin(PREDICT.format("job.max_workers = 1"))
        first = self.kill("worker", signal.SIGSTOP, 0)
        self.end()
        self.assertIsNone(self.failure)
        self.assertNotIn(first, harness.processes_of(self.state))
        self.check_table()
        self.check_each_row_once()

    def test_a_job_of_which_only_its_folder_is_left_goes_on_over_tls(self):
        self.pace(SLOW)
        submitted = self.run_program(self.path, "--format=csv", "--progress=none", "-c",
                                     PREDICT.format("job.max_workers = 2, job.wait = false"))
        self.assertEqual(submitted.returncode, 0, submitted.stderr)
        job = submitted.stdout.splitlines()[1].split(",")[0]
        harness.wait_for(lambda: self.shards("done"), "a shard that is done")
        self.end_what_is_left()
        self.check_nothing_runs()
        folder = self.state / "jobs" / job
        subprocess.run([harness.PROGRAM, "supervise", folder, "--listen", "tcp:127.0.0.1:0",
                        "--detached"], check=True, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        harness.wait_for(lambda: self.processes("worker"), "a worker")
        self.kill("worker", signal.SIGKILL)
        self.hurry(lambda: self.run_all(f"SELECT 1 FROM totrain_jobs WHERE id = {job} AND state = 'done'"), "the end of the job")
        waited = self.run_program("wait", job)
        self.assertEqual(waited.returncode, 0, (folder / "log").read_text())
        self.assertIn("listens on tcp:127.0.0.1:", (folder / "log").read_text())
        self.check_table()
        self.check_each_row_once(job)

    def test_without_its_supervisor_nothing_is_left_and_the_table_stays_as_it_was(self):
        self.run_all("CREATE TABLE shared AS SELECT 'old' AS word")
        self.begin(PREDICT.format("job.max_workers = 2"))
        self.kill("supervise", signal.SIGKILL)
        self.end()
        self.assertIsNotNone(self.failure)
        self.check_nothing_runs()
        self.assertEqual(self.run_all("SELECT word FROM shared"), [("old",)])

    def test_without_its_client_nothing_is_left(self):
        self.pace(SLOW)
        client = subprocess.Popen([harness.PROGRAM, self.path, "-c",
                                   PREDICT.format("job.max_workers = 2")],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        harness.wait_for(lambda: self.shards("done"), "a shard that is done")
        client.kill()
        client.wait()
        self.check_nothing_runs()

    def test_the_number_of_workers_changes_while_it_runs(self):
        self.begin(PREDICT.format("job.max_workers = 3"), pace=20000)
        job = str(self.run_all("SELECT max(id) FROM totrain_jobs")[0][0])
        scaled = self.run_program("scale", job, "1")
        self.assertEqual(scaled.returncode, 0, scaled.stderr)
        harness.wait_for(lambda: len(self.processes("worker")) == 1, "one worker")
        self.run_program("scale", job, "3")
        harness.wait_for(lambda: len(self.processes("worker")) == 3, "three workers")
        self.end()
        self.assertIsNone(self.failure)
        self.assertFalse(self.shards("crashed"))
        self.check_table()
        self.check_each_row_once()


if __name__ == "__main__":
    harness.main()
