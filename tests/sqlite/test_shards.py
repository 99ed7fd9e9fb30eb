"""PREDICT and EVALUATE by workers (job.*): the same bits as in the session, whatever happens."""

import os
import pathlib
import random
import signal
import sqlite3
import subprocess
import threading

import harness

OUTPUTS = "predict.extra_outputs = 'probability,probabilities,logits,score'"
# Microseconds a row: such a job is met while it runs, and is not waited for.
SLOW = 5000


class Shards(harness.Case):
    def setUp(self):
        super().setUp()
        self.database = self.connect(isolation_level=None)
        self.run_all("CREATE TABLE t (id INTEGER, x REAL, word TEXT, raw, label TEXT)")
        rows = random.Random(7)
        self.run_all("BEGIN")
        self.database.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?)", [
            (i, None if i % 11 == 0 else rows.uniform(-3, 3), rows.choice(["a", "bb", "", None]),
             rows.choice([None, 7, -0.0, 2.5, "x\0y", b"\0\1", "7"]), "abc"[i % 3])
            for i in range(5000)])
        self.run_all("COMMIT")
        self.run_all("SELECT x, word, label FROM t LIMIT 500 TO TRAIN DNNClassifier WITH "
                     "model.hidden_units = [8], train.epoch = 3 LABEL label INTO m")
        self.addCleanup(self.end_what_is_left)

    def rows_of(self, table):
        """With types and places, to the last bit."""
        names = [row[1] for row in self.run_all(f"PRAGMA table_info({table})")]
        cells = ", ".join(f'typeof("{name}"), quote("{name}")' for name in names)
        return self.run_all(f"SELECT rowid, {cells} FROM {table} ORDER BY rowid")

    def fails(self, sql, *parts):
        with self.assertRaises(sqlite3.Error) as caught:
            self.run_all(sql)
        for part in parts:
            self.assertIn(part, str(caught.exception))

    def test_the_table_is_the_one_that_the_session_makes(self):
        for select in ("SELECT * FROM t", "SELECT x, word, id AS \"a b\", raw FROM t ORDER BY x, id",
                       "SELECT word, x FROM t WHERE id < 3 -- end"):
            self.run_all(f"{select}\nTO PREDICT alone.c WITH {OUTPUTS} USING m")
            made = self.run_all(f"{select}\nTO PREDICT shared.c WITH {OUTPUTS}, "
                                "job.max_workers = 3 USING m")
            self.assertEqual(made[0][:2], ("shared", len(self.rows_of("alone"))))
            self.assertEqual(self.rows_of("shared"), self.rows_of("alone"))
            self.assertEqual(*(self.run_all(f"SELECT name, type FROM pragma_table_info('{name}')")
                               for name in ("shared", "alone")))
        self.check_nothing_runs()

    def test_the_label_stays_beside_a_prediction_of_another_name(self):
        """And makes room for one of its own, whoever scores."""
        columns = {"c": ["id", "x", "word", "raw", "label", "c"],
                   "Label": ["id", "x", "word", "raw", "Label"]}
        for name, expected in columns.items():
            for table, attributes in (("alone", ""), ("shared", "WITH job.max_workers = 2"),
                                      ("later", "WITH job.wait = false")):
                made = self.run_all(f"SELECT * FROM t TO PREDICT {table}.{name} {attributes} USING m")
                if table == "later":
                    self.assertEqual(self.run_program("wait", made[0][0]).returncode, 0)
                self.assertEqual([row[1] for row in self.run_all(f"PRAGMA table_info({table})")],
                                 expected)
                self.assertEqual(self.rows_of(table), self.rows_of("alone"))
            if name == "c":
                self.assertEqual(self.run_all("SELECT id, label FROM alone"),
                                 self.run_all("SELECT id, label FROM t"))

    def test_a_regressor_and_a_table_without_rows_too(self):
        self.run_all("SELECT id, word, x FROM t WHERE x IS NOT NULL LIMIT 500 TO TRAIN "
                     "LinearRegressor WITH train.epoch = 2 LABEL x INTO r")
        for where in ("1", "0"):
            for name, more in (("alone", ""), ("shared", ", job.min_workers = 2")):
                self.run_all(f"SELECT * FROM t WHERE {where} TO PREDICT {name}.y WITH "
                             f"predict.extra_outputs = score{more} USING r")
            self.assertEqual(self.rows_of("shared"), self.rows_of("alone"))
        alone = self.run_all("SELECT * FROM t WHERE x IS NOT NULL TO EVALUATE r WITH "
                             "validation.metrics = 'MSE,MAE,R2,MAPE'")
        self.assertEqual(self.run_all("SELECT * FROM t WHERE x IS NOT NULL TO EVALUATE r WITH "
                                      "validation.metrics = 'MSE,MAE,R2,MAPE', "
                                      "job.max_workers = 3"), alone)

    def test_metrics_are_those_of_the_session_to_the_last_bit(self):
        metrics = "validation.metrics = 'Accuracy,LogLoss,Precision,Recall,F1'"
        self.run_all("UPDATE t SET label = 'd' WHERE id % 100 = 0")  # a class that is new to it
        alone = self.run_all(f"SELECT * FROM t TO EVALUATE m WITH {metrics}")
        for more in ("job.max_workers = 1", "job.max_workers = 4", "job.min_workers = 2"):
            self.assertEqual(
                self.run_all(f"SELECT * FROM t TO EVALUATE m WITH {metrics}, {more}"), alone)
        self.run_all(f"SELECT * FROM t TO EVALUATE m WITH {metrics}, job.max_workers = 2 INTO e")
        self.assertEqual(self.run_all("SELECT * FROM e"), alone)

    def test_bad_rows_go_aside_or_end_the_statement_with_their_number(self):
        self.run_all("UPDATE t SET x = 'many' WHERE id % 1000 = 7")
        quarantine = "predict.bad_rows = 'quarantine'"
        self.run_all(f"SELECT * FROM t TO PREDICT alone.c WITH {quarantine} USING m")
        names = [row[:2] for row in self.run_all(
            f"SELECT * FROM t TO PREDICT shared.c WITH {quarantine}, job.max_workers = 2 USING m")]
        self.assertEqual(names, [("shared", 4995), ("shared_bad_rows", 5)])
        self.assertEqual(self.rows_of("shared"), self.rows_of("alone"))
        self.assertEqual(self.rows_of("shared_bad_rows"), self.rows_of("alone_bad_rows"))
        before = self.rows_of("shared")
        self.fails("SELECT * FROM t WHERE id < 100 TO PREDICT shared.c WITH job.max_workers = 2 "
                   "USING m", "row 8: column \"x\" holds 'many', where a number was expected")
        self.assertEqual(self.rows_of("shared"), before)
        self.fails("SELECT * FROM t WHERE id < 100 TO EVALUATE m WITH job.max_workers = 2",
                   "row 8: column \"x\" holds 'many'")
        self.run_all("UPDATE t SET x = 1, label = nullif(label, CASE id WHEN 50 THEN label END) WHERE id IN (7, 50)")
        self.fails("SELECT * FROM t WHERE id < 100 TO EVALUATE m WITH job.max_workers = 2",
                   "row 51: label column \"label\" is NULL")
        self.check_nothing_runs()

    def test_a_select_that_fails_at_its_last_row_leaves_no_file_open(self):
        def open_files():
            return sorted(os.readlink(f"/proc/self/fd/{name}") for name in os.listdir("/proc/self/fd")
                          if os.path.exists(f"/proc/self/fd/{name}"))
        failing = "SELECT x, word, abs(CASE id WHEN 4999 THEN -9223372036854775808 ELSE id END) AS id, label FROM t "
        for statement in ("TO PREDICT told.c WITH job.max_workers = 2 USING m", "TO EVALUATE m WITH job.max_workers = 2",
                          "TO TRAIN LinearClassifier LABEL label INTO other"):
            with self.subTest(statement):
                self.fails(failing + statement, "integer overflow")
                before = open_files()
                self.fails(failing + statement, "integer overflow")
                self.assertEqual(open_files(), before)
        self.check_nothing_runs()

    def test_workers_come_by_themselves_where_they_pay_and_only_there(self):
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("one processor: the session scores everything")
        self.run_all("SELECT x, word, label FROM t LIMIT 50 TO TRAIN DNNClassifier WITH "
                     "model.hidden_units = [1024, 512], train.epoch = 1 LABEL label INTO large")
        self.run_all("CREATE TABLE many AS SELECT t.* FROM t, (SELECT 1 UNION ALL SELECT 2 UNION "
                     "ALL SELECT 3 UNION ALL SELECT 4)")
        for sql, expected in (
                ("many TO PREDICT p.c USING large", "workers: about 20000 rows, "),
                ("many TO PREDICT USING large", "the session: its rows are wanted one by one"),
                ("t TO PREDICT p.c USING large", "the session: a table of about 5000 rows is small"),
                ("many TO PREDICT p.c USING m", "the session: about 20000 rows of "),
                ("many WHERE 1 TO EVALUATE large", "the session: how many rows a SELECT has is known only of "),
                ("t TO EVALUATE m WITH job.max_workers = 2", "workers, as job.* says")):
            item, detail = self.run_all(f"EXPLAIN SELECT * FROM {sql}")[-1]
            self.assertEqual((item, detail[:len(expected)]), ("scored by", expected))
        for model, select, by_workers in (("large", "many", 1), ("large", "t", 0), ("m", "many", 0),
                                          ("large", "many WHERE 1", 0)):
            before = len(self.jobs_started())
            self.run_all(f"SELECT * FROM {select} TO PREDICT p{before}.c USING {model}")
            self.assertEqual(len(self.jobs_started()) - before, by_workers, (model, select))
        tables = sorted(name for name in self.tables(self.database) if name.startswith("p"))
        large = [name for name in tables if len(self.run_all(f"SELECT 1 FROM {name}")) == 20000]
        self.assertEqual(self.rows_of(large[0]), self.rows_of(large[-1]))
        os.environ["TOTRAIN_STATE"] = "/proc/nowhere"  # no job can be made
        self.run_all("SELECT * FROM many TO PREDICT again.c USING large")
        self.assertEqual(self.rows_of("again"), self.rows_of(large[0]))
        self.fails("SELECT * FROM many TO PREDICT again.c WITH job.max_workers = 2 USING large",
                   "/proc/nowhere")

    def test_it_is_part_of_the_users_transaction(self):
        self.run_all("CREATE TABLE p AS SELECT 'old' AS word")
        self.run_all("BEGIN")
        self.run_all("UPDATE t SET word = 'uncommitted'")
        self.run_all("SELECT * FROM t TO PREDICT p.c WITH job.max_workers = 2, "
                     "predict.replace = true USING m")
        self.assertEqual(self.run_all("SELECT DISTINCT word FROM p"), [("uncommitted",)])
        other = self.connect()
        self.assertEqual(other.execute("SELECT word FROM p").fetchall(), [("old",)])
        self.run_all("ROLLBACK")
        self.assertEqual(self.run_all("SELECT word FROM p"), [("old",)])

    def test_the_select_may_read_the_table_that_is_replaced(self):
        self.run_all("SELECT * FROM t TO PREDICT p.first USING m")
        self.run_all("SELECT * FROM p WHERE id < 100 TO PREDICT p.second WITH job.max_workers = 2 "
                     "USING m")
        self.assertEqual(self.run_all("SELECT count(*), sum(first = second) FROM p"), [(100, 100)])

    def test_targets_and_attributes_are_checked_before_anything_starts(self):
        before = len(self.jobs_started())
        self.fails("SELECT * FROM t TO PREDICT m.c WITH job.max_workers = 2 USING m",
                   "the target \"m\" is the model itself")
        self.fails("SELECT * FROM t TO PREDICT WITH job.max_workers = 2 USING m",
                   "job.max_workers has a use only where a table is written")
        self.fails("SELECT * FROM t TO EVALUATE m WITH job.wait = false",
                   "job.wait has a use only where a table is written")
        self.fails("SELECT * FROM t TO PREDICT p.c WITH job.min_workers = 3, job.max_workers = 2 "
                   "USING m", "job.max_workers is 2, below job.min_workers, which is 3")
        self.fails("SELECT * FROM t WHERE 0 TO EVALUATE m WITH job.max_workers = 2",
                   "the query returns no rows to evaluate")
        self.run_all("CREATE VIEW v AS SELECT 1")
        self.fails("SELECT * FROM t TO PREDICT v.c WITH job.max_workers = 2 USING m",
                   "\"v\" exists and is no ordinary table")
        self.assertEqual(len(self.jobs_started()), before)

    def test_ctrl_c_leaves_the_old_table_and_no_process(self):
        self.run_all("CREATE TABLE p AS SELECT 'old' AS word")
        jobs = len(self.jobs_started())
        self.pace(SLOW)
        shell = subprocess.Popen(["sqlite3", "-interactive", self.path], stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                 start_new_session=True)
        self.addCleanup(shell.kill)
        shell.stdin.write(f".load {harness.EXTENSION}\nSELECT * FROM t, (SELECT 1 UNION SELECT 2 "
                          "UNION SELECT 3) TO PREDICT p.c WITH job.max_workers = 2, "
                          "predict.replace = true USING m;\n")
        shell.stdin.flush()
        harness.wait_for(lambda: self.run_all("SELECT 1 FROM totrain_shards WHERE state = 'leased'"),
                         "a shard that is scored")
        os.killpg(shell.pid, signal.SIGINT)
        out, err = shell.communicate("SELECT 'still' || ' here';\n", timeout=harness.DEADLINE)
        self.assertIn("interrupted", err)
        self.assertIn("still here", out)
        self.check_nothing_runs()
        self.assertEqual(self.run_all("SELECT word FROM p"), [("old",)])
        self.assertEqual(len(self.jobs_started()), jobs + 1)

    def submit(self, sql):
        done = self.run_program(self.path, "--format=csv", "--progress=none", "-c", sql)
        self.assertEqual(done.returncode, 0, done.stderr)
        header, row = done.stdout.splitlines()
        self.assertEqual(header, "job,table")
        return row.split(",")

    def test_a_detached_job_writes_its_table_by_itself(self):
        self.run_all(f"SELECT * FROM t TO PREDICT alone.c WITH {OUTPUTS} USING m")
        job, table = self.submit(f"SELECT * FROM t TO PREDICT p.c WITH {OUTPUTS}, "
                                 "job.wait = false USING m")
        self.assertEqual(table, "p")
        done = self.run_program("wait", job, "--format=csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("rows,,,5000", done.stdout)
        self.assertEqual(self.rows_of("p"), self.rows_of("alone"))
        self.assertEqual(self.run_all(f"SELECT sum(count) FROM totrain_shards WHERE job = {job} "
                                      "AND state = 'done'"), [(5000,)])
        self.assertIn((int(job), "done"), [row[:2] for row in self.run_all("SHOW JOBS")])
        job, table = self.submit("SELECT * FROM t TO EVALUATE m WITH job.wait = false INTO e")
        self.assertEqual(self.run_program("wait", job).returncode, 0)
        self.assertEqual(self.run_all("SELECT * FROM e"),
                         self.run_all("SELECT * FROM t TO EVALUATE m"))

    def test_a_detached_job_is_cancelled_and_its_table_stays_as_it_was(self):
        self.run_all("CREATE TABLE p AS SELECT 'old' AS word")
        self.pace(SLOW)
        job, _ = self.submit("SELECT * FROM t, (SELECT 1 UNION SELECT 2 UNION SELECT 3) TO PREDICT "
                             "p.c WITH job.wait = false, predict.replace = true USING m")
        harness.wait_for(lambda: self.run_all("SELECT 1 FROM totrain_shards WHERE state = 'done'"),
                         "a shard that is done")
        self.assertEqual(self.run_program("cancel", job).returncode, 0)
        self.check_nothing_runs()
        self.assertIn((int(job), "cancelled"), [row[:2] for row in self.run_all("SHOW JOBS")])
        store = sqlite3.connect(f"file:{self.state}/jobs/{job}/job.db?mode=ro", uri=True)
        self.assertEqual(store.execute("SELECT count(result) FROM shards").fetchall(), [(0,)])
        store.close()
        self.assertEqual(self.run_all("SELECT word FROM p"), [("old",)])

    def publish_and_die(self, statement, target):
        """The publisher stops when all is in the database, is killed, and has a successor; what
        the user did meanwhile stays."""
        os.environ["TOTRAIN_FAULT"] = "role=publisher,point=delivered,attempt=0,action=stop"
        self.addCleanup(os.environ.pop, "TOTRAIN_FAULT", None)
        job, _ = self.submit(statement)
        del os.environ["TOTRAIN_FAULT"]

        def stopped():
            return [pid for pid in harness.processes_of(self.state) if harness.state_of(pid) == "T"]
        harness.wait_for(stopped, "the publisher at its point")
        made = self.rows_of(target)
        self.run_all(f"ALTER TABLE {target} ADD COLUMN mine")
        self.run_all(f"UPDATE {target} SET mine = 7")
        for pid in stopped():
            os.kill(pid, signal.SIGKILL)
        waited = self.run_program("wait", job, "--format=csv")
        self.assertEqual(waited.returncode, 0, waited.stderr)
        self.assertEqual(self.run_all(f"SELECT DISTINCT mine FROM {target}"), [(7,)])
        self.run_all(f"ALTER TABLE {target} DROP COLUMN mine")
        self.assertEqual(self.rows_of(target), made)
        return waited.stdout

    def test_a_session_that_is_killed_while_it_writes_the_table_has_failed(self):
        script = ("import sqlite3, sys\n"
                  "d = sqlite3.connect(sys.argv[1], timeout=1000); d.enable_load_extension(True)\n"
                  "d.load_extension(sys.argv[2])\n"
                  "d.execute(sys.argv[3])\n")
        predict = "SELECT * FROM t TO PREDICT shared.c WITH job.max_workers = 2 USING m"
        self.run_all("BEGIN IMMEDIATE")  # the session waits for it when all is scored
        session = subprocess.Popen(["/usr/bin/python3", "-c", script, self.path, harness.EXTENSION, predict])
        self.addCleanup(session.wait)
        self.addCleanup(session.kill)
        harness.wait_for(lambda: self.newest()[0] == "publishing", "a table that is written")
        session.kill()
        session.wait()
        self.check_nothing_runs()
        state, error = self.newest()
        self.assertEqual((state, error), ("failed", "its session ended before the table was written"))
        self.assertNotIn("shared", self.tables(self.database))
        self.run_all("ROLLBACK")
        self.run_all(predict)
        self.assertEqual(self.newest(), ("done", None))
        self.assertEqual(len(self.rows_of("shared")), 5000)

    def newest(self):
        """State and error of the newest job."""
        jobs = self.run_all("SELECT state, error FROM totrain_jobs ORDER BY id DESC LIMIT 1")
        return jobs[0] if jobs else (None, None)

    def test_a_table_that_cannot_be_written_is_a_failure_of_its_job(self):
        """The table's name is free when the job begins, and taken when it ends."""
        self.pace(SLOW)
        other = self.connect(isolation_level=None, check_same_thread=False)
        failure = []

        def predict():
            try:
                other.execute("SELECT * FROM t TO PREDICT late.c WITH job.max_workers = 2 USING m")
            except sqlite3.Error as error:
                failure.append(str(error))

        thread = threading.Thread(target=predict)
        thread.start()
        self.wait_until_training()
        self.run_all("CREATE VIEW late AS SELECT 1")
        self.hurry(lambda: not thread.is_alive(), "the end of the job")
        thread.join()
        state, error = self.newest()
        self.assertEqual((len(failure), state), (1, "failed"), error)
        self.assertTrue(error.startswith("the table could not be written: "), error)

    def test_a_table_that_was_refused_is_written_later(self):
        """Its rows stay until then, also when other jobs look at what has ended."""
        self.pace(SLOW)
        job, _ = self.submit("SELECT * FROM t TO PREDICT late.c WITH job.wait = false USING m")
        self.run_all("CREATE VIEW late AS SELECT 1")
        self.hurry(lambda: self.newest()[0] == "unpublished", "the end of the job")
        self.run_all("SELECT * FROM t LIMIT 9 TO PREDICT other.c WITH job.max_workers = 2 USING m")
        self.run_all("DROP VIEW late")
        waited = self.run_program("publish", job, "--format=csv")
        self.assertEqual((waited.returncode, "NULL" in waited.stderr), (0, False), waited.stderr)
        self.assertIn("rows,,,5000", waited.stdout)
        self.assertEqual(len(self.rows_of("late")), 5000)
        self.run_all("SELECT * FROM t LIMIT 9 TO PREDICT other.c WITH job.max_workers = 2 USING m")
        harness.wait_for(lambda: not list(pathlib.Path(self.state, "jobs", job).glob("*.spool")), "the rows to go")

    def test_a_publisher_that_was_killed_when_all_was_written_has_written_it(self):
        said = self.publish_and_die("SELECT * FROM t TO PREDICT p.c WITH job.wait = false, "
                                    "predict.bad_rows = 'quarantine' USING m", "p")
        self.assertIn("rows,,,5000", said)
        self.assertEqual(self.run_all("SELECT count(*) FROM p_bad_rows"), [(0,)])
        self.publish_and_die("SELECT * FROM t TO EVALUATE m WITH job.wait = false INTO e", "e")
        self.run_all("SELECT * FROM t TO PREDICT p.c WITH job.wait = false USING m")
        self.check_nothing_runs()  # another job writes over it, as ever
        self.assertEqual(self.run_all("SELECT count(*) FROM p"), [(5000,)])

    def test_a_detached_job_of_which_all_was_killed_goes_on_where_it_was(self):
        self.run_all("SELECT * FROM t TO PREDICT alone.c USING m")
        self.pace(SLOW)
        job, _ = self.submit("SELECT * FROM t TO PREDICT p.c WITH job.wait = false USING m")
        settled = f"SELECT first FROM totrain_shards WHERE job = {job} AND state = 'done'"
        harness.wait_for(lambda: self.run_all(settled), "a shard that is done")
        self.end_what_is_left()
        self.check_nothing_runs()
        done = self.run_all(f"SELECT lease FROM totrain_shards WHERE job = {job} "
                            "AND state = 'done'")
        lost = f"SELECT error FROM totrain_jobs WHERE id = {job} AND state = 'lost'"
        why, = harness.wait_for(lambda: self.run_all(lost), "a job that is lost")[0]
        self.assertRegex(why, r"its processes are gone; \d+ rows are scored, and none of them again")
        self.unpace()
        waited = self.run_program("wait", job)
        self.assertEqual(waited.returncode, 0, waited.stderr)
        self.assertEqual(self.rows_of("p"), self.rows_of("alone"))
        kept = self.run_all(f"SELECT lease FROM totrain_shards WHERE job = {job} "
                            "AND state = 'done'")
        self.assertLessEqual(set(done), set(kept))


if __name__ == "__main__":
    harness.main()
