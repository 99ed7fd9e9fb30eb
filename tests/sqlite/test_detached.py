"""job.wait = false: the job outlives its session, publishes by itself, and is followed from others."""

import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import unittest

import harness

DETACHED = ("SELECT * FROM iris TO TRAIN DNNClassifier WITH model.hidden_units = [16, 16], "
            "train.epoch = 60, train.batch_size = 32, job.wait = false LABEL class INTO iris_model;")
SEARCH = ("SELECT * FROM iris TO TRAIN DNNClassifier WITH {}, hidden_units = [8], train.epoch = 4, train.batch_size = 32 "
          "LABEL class INTO iris_model;")
# Checkpoints as often as they are made.
LONG = ("SELECT * FROM iris TO TRAIN DNNClassifier WITH model.hidden_units = [64, 64], "
        "train.epoch = {epochs}, train.batch_size = 1, job.checkpoint_seconds = 0.05, "
        "{more}job.wait = false LABEL class INTO iris_model;")


class Detached(harness.Case):
    def setUp(self):
        super().setUp()
        self.make_iris()
        self.addCleanup(self.end_what_is_left)

    def submit(self, statement=DETACHED, path=None):
        """In a session that ends at once; the id."""
        done = self.run_program(path or self.path, "--format=csv", "--progress=none", "-c", statement)
        self.assertEqual(done.returncode, 0, done.stderr)
        header, row = done.stdout.splitlines()
        self.assertEqual(header, "name,value,part,detail")
        self.assertRegex(row, r"^job,,,\d+$")
        return int(row.split(",")[3])

    def long_job(self, epochs=1000000, more=""):
        job = self.submit(LONG.format(epochs=epochs, more=more))
        self.wait_for_state(job, "running")
        return job

    def row(self, job):
        database = self.connect()
        rows = [row for row in database.execute("SHOW JOBS").fetchall() if row[0] == job]
        database.close()
        return rows[0] if rows else None

    def wait_for_state(self, job, state):
        harness.wait_for(lambda: (self.row(job) or [0, ""])[1] == state, f"state {state}")

    def store(self, job, query):
        store = sqlite3.connect(f"file:{self.state}/jobs/{job}/job.db?mode=ro", uri=True)
        rows = store.execute(query).fetchall()
        store.close()
        return rows

    def wait_for_checkpoint(self, job):
        harness.wait_for(lambda: self.store(job, "SELECT step FROM checkpoint"), "a checkpoint")

    def command_of(self, pid):
        try:
            return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
        except FileNotFoundError:
            return b""

    def kill_all(self, number=signal.SIGKILL):
        """Ends all processes as a reboot does; the supervisor first, so that it starts nobody again."""
        pids = harness.processes_of(self.state)
        for pid in sorted(pids, key=lambda pid: b"supervise" not in self.command_of(pid)):
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                pass
        self.check_nothing_runs()

    def attached_digest(self, statement):
        path = str(self.folder / "attached.db")
        self.make_iris(path)
        database = self.connect(path)
        database.execute(statement.replace("job.wait = false", "job.wait = true")).fetchall()
        digest = self.digest(database)
        database.close()
        return digest

    def check_published(self, job, statement=DETACHED):
        database = self.connect()
        self.assertEqual(self.digest(database), self.attached_digest(statement))
        self.assertEqual(self.row(job)[1], "done")
        self.check_nothing_runs()
        self.assertEqual([file.name for file in (self.state / "jobs" / str(job)).iterdir()
                          if file.suffix == ".spool" or file.name == "detached"], [])
        database.close()

    def test_the_id_comes_at_once_and_the_model_by_itself(self):
        job = self.submit()
        self.wait_for_state(job, "done")
        self.check_published(job)

    def test_wait_ends_with_the_rows_that_train_ends_with(self):
        job = self.submit()
        done = self.run_program("wait", job, "--format=csv", "--progress=json")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [line.split(",") for line in done.stdout.splitlines()]
        self.assertEqual([line[0] for line in lines],
                         ["name", "loss", "Accuracy", "LogLoss", "seconds", "rows", "job", "version"])
        facts = dict((line[0], line[3]) for line in lines)
        self.assertEqual((facts["job"], facts["version"], facts["rows"]), (str(job), "1", "150"))
        again = self.run_program("wait", job, "--format=csv", "--progress=none")
        self.assertEqual((again.returncode, again.stdout), (0, done.stdout))
        self.check_published(job)

    def test_it_survives_its_client_and_its_terminal(self):
        for send in (lambda client: client.kill(),
                     lambda client: os.killpg(client.pid, signal.SIGHUP),
                     lambda client: os.killpg(client.pid, signal.SIGINT)):
            with self.subTest(send=send):
                known = self.jobs_started()
                self.pace()
                client = subprocess.Popen(["sqlite3", self.path], stdin=subprocess.PIPE,
                                          stdout=subprocess.PIPE, text=True, start_new_session=True)
                client.stdin.write(f".load {harness.EXTENSION}\n"
                                   f"{LONG.format(epochs=300 // harness.SLOW, more='')}\n.print submitted\n")
                client.stdin.flush()
                while "submitted" not in client.stdout.readline():
                    pass
                send(client)
                client.communicate(timeout=harness.DEADLINE)
                job = int(next(iter(set(self.jobs_started()) - set(known))).name)
                self.assertIn(self.row(job)[1], ("waiting", "running"))
                self.hurry(lambda: self.row(job)[1] == "done", "the job's end")
                self.assertEqual(self.run_program("wait", job).returncode, 0)

    def test_uncommitted_rows_and_temporary_tables_are_what_it_learns_from(self):
        database = self.connect(isolation_level=None)
        database.execute("BEGIN")
        database.execute("CREATE TEMP TABLE few AS SELECT * FROM iris LIMIT 100")
        database.execute("DELETE FROM few WHERE rowid <= 10")
        rows = database.execute(DETACHED.replace("iris TO", "few TO")).fetchall()
        self.assertEqual(rows[0][0], "job")
        database.execute("COMMIT")
        self.assertEqual(self.run_program("wait", int(rows[0][3])).returncode, 0)
        self.assertEqual(self.connect().execute(
            "SELECT json_extract(data, '$.rows') FROM iris_model WHERE part = 'meta'").fetchall(),
            [(90,)])

    def test_an_attached_database_is_remembered_by_its_file(self):
        other = str(self.folder / "other.db")
        database = self.connect(isolation_level=None)
        database.execute("ATTACH ? AS other", (other,))
        (_, _, _, job), = database.execute(DETACHED.replace("INTO ", "INTO other.")).fetchall()
        database.close()
        self.assertEqual(self.run_program("wait", int(job)).returncode, 0)
        reader = sqlite3.connect(other)
        self.assertIn("iris_model", self.tables(reader))
        reader.close()
        reader = sqlite3.connect(self.path)
        self.assertNotIn("iris_model", self.tables(reader))
        reader.close()

    def test_a_target_that_ends_with_the_session_is_refused_with_its_place(self):
        memory = self.connect(":memory:")
        harness.load_csv(memory, "iris")
        for database, target in ((memory, "iris_model"), (self.connect(), "temp.iris_model")):
            with self.assertRaisesRegex(sqlite3.Error, "made in memory or as a temporary table") as caught:
                database.execute(DETACHED.replace("INTO iris_model", f"INTO {target}"))
            text = str(caught.exception)
            self.assertIn("HINT:", text)
            line, caret = text.splitlines()[1:3]
            self.assertTrue(line[caret.index("^"):].startswith("false"), text)
        self.assertEqual(self.jobs_started(), [])

    def test_searches_and_folds_which_a_session_follows_are_refused_with_their_place(self):
        database = self.connect(isolation_level=None)
        search = "tune.trials = 2, optimizer.learning_rate = [0.01, 0.1]"
        for attribute, settings, place in (("train.folds", "train.folds = 3", "train.folds"), ("tune.trials", search, "2, "),
                                           ("train.folds", f"train.folds = 3, {search}", "train.folds")):
            with self.subTest(settings):
                with self.assertRaisesRegex(sqlite3.Error,
                                            f"{attribute} does not go together with job.wait = false") as caught:
                    database.execute(SEARCH.format(settings + ", job.wait = false"))
                text = str(caught.exception)
                self.assertIn("HINT:  The session that types the statement follows the job of each fold and trial", text)
                line, caret = text.splitlines()[1:3]
                self.assertTrue(line[caret.index("^"):].startswith(place), text)
        self.assertEqual(self.jobs_started(), [])
        self.assertNotIn("iris_model", self.tables(database))
        database.close()

    def test_the_best_values_of_a_search_are_learned_without_its_session_to_the_same_bits(self):
        for folds, held_out in (("", "train.test_size = 0.2"), ("train.folds = 3, ", "train.test_size = 0")):
            with self.subTest(folds):
                database = self.connect(isolation_level=None)
                database.execute(SEARCH.format(
                    folds + "tune.trials = 3, optimizer.learning_rate = [0.1, 0.001, 0.03]")).fetchall()
                digest = self.digest(database)
                settings, = [row[5] for row in database.execute("SHOW TRIALS iris_model") if row[1] == "best"]
                database.execute("DROP TABLE iris_model")
                database.close()
                job = self.submit(SEARCH.format(f"{settings}, {held_out}, job.wait = false"))
                done = self.run_program("wait", job)
                self.assertEqual(done.returncode, 0, done.stderr)
                database = self.connect()
                self.assertEqual(self.digest(database), digest)
                database.close()

    def test_its_place_stands_in_its_store_alone(self):
        """Its supervisor publishes it. A note of the session that sent it (unpublished.json) would be a second word."""
        job = self.long_job()
        self.assertNotIn("unpublished.json", os.listdir(f"{self.state}/jobs/{job}"))
        self.run_program("cancel", job)
        self.assertEqual(self.run_program("wait", job).returncode, 130)

    def test_it_is_cancelled_from_another_session(self):
        for cancel in (lambda job: self.run_program("cancel", job),
                       lambda job: self.connect().execute(f"CANCEL JOB {job}").fetchall()):
            job = self.long_job()
            cancel(job)
            waited = self.run_program("wait", job)
            self.assertEqual(waited.returncode, 130, waited.stderr)
            self.assertEqual(self.row(job)[1], "cancelled")
            self.check_nothing_runs()
        self.assertNotIn("iris_model", self.tables(self.connect()))

    def test_logs_can_be_followed_to_the_end(self):
        job = self.submit(LONG.format(epochs=100, more=""))
        done = self.run_program("logs", "-f", job)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("published", done.stdout)
        self.assertEqual(self.row(job)[1], "done")
        self.assertEqual(self.run_program("logs", job).stdout, done.stdout)

    def test_ctrl_c_ends_the_waiting_and_not_the_job(self):
        job = self.long_job()
        waiting = subprocess.Popen([harness.PROGRAM, "wait", str(job), "--progress=json"], text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertIn('"event"', waiting.stderr.readline())
        waiting.send_signal(signal.SIGINT)
        _, err = waiting.communicate(timeout=harness.DEADLINE)
        self.assertEqual(waiting.returncode, 130, err)
        self.assertIn("goes on", err)
        self.assertEqual(self.row(job)[1], "running")

    def continue_after(self, number, more=""):
        statement = LONG.format(epochs=400 // harness.SLOW, more=more)
        self.pace()
        job = self.submit(statement)
        self.wait_for_state(job, "running")
        self.wait_for_checkpoint(job)
        self.kill_all(number)
        self.unpace()
        self.wait_for_state(job, "lost")
        row = self.row(job)
        self.assertRegex(row[6], r"gone, at step \d+; its last checkpoint is at step \d+, and \d+ rows")
        self.submit(DETACHED.replace("iris_model", "another"))  # sweeps what nobody wants
        done = self.run_program("wait", job, "--progress=json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("it is continued", done.stderr)
        self.wait_for_state(2, "done")
        self.check_published(job, statement)

    def test_after_a_reboot_waiting_continues_it_to_the_same_bits(self):
        self.continue_after(signal.SIGKILL)

    def test_after_a_shutdown_waiting_continues_it_to_the_same_bits(self):
        self.continue_after(signal.SIGTERM)

    def test_after_a_reboot_several_workers_continue_to_the_same_bits(self):
        self.continue_after(signal.SIGKILL, "job.max_workers = 2, ")

    def test_a_lost_job_can_be_given_up(self):
        job = self.long_job()
        self.kill_all()
        self.wait_for_state(job, "lost")
        self.assertEqual(self.connect().execute(f"CANCEL JOB {job}").fetchall(), [(job, "cancelled")])
        self.assertEqual(self.row(job)[1], "cancelled")
        self.assertEqual(list((self.state / "jobs" / str(job)).glob("*.spool")), [])
        self.assertEqual(self.run_program("wait", job).returncode, 130)

    def test_a_locked_database_is_waited_for(self):
        other = sqlite3.connect(self.path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")  # first: the job is short
        job = self.submit()
        self.wait_for_state(job, "publishing")
        harness.wait_for(lambda: "publishing into" in self.run_program("logs", job).stdout,
                         "the publisher")
        other.execute("CREATE TABLE meanwhile(x)")
        other.execute("COMMIT")
        other.close()
        self.assertEqual(self.run_program("wait", job).returncode, 0)
        self.check_published(job)

    def test_publishing_can_be_cancelled(self):
        other = sqlite3.connect(self.path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")  # first: the job is short
        job = self.submit()
        self.wait_for_state(job, "publishing")
        harness.wait_for(lambda: "publishing into" in self.run_program("logs", job).stdout,
                         "the publisher")
        self.assertEqual(self.run_program("cancel", job).returncode, 0)
        self.assertEqual(self.run_program("wait", job).returncode, 130)
        other.execute("COMMIT")
        self.assertNotIn("iris_model", self.tables(other))
        other.close()

    def test_a_killed_publisher_is_started_again_and_publishes_once(self):
        other = sqlite3.connect(self.path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")  # first: the job is short
        job = self.submit()
        self.wait_for_state(job, "publishing")

        def publishers():
            return [pid for pid in harness.processes_of(self.state)
                    if b"\0publish\0" in self.command_of(pid)]
        first = harness.wait_for(publishers, "the publisher")[0]
        os.kill(first, signal.SIGKILL)
        harness.wait_for(lambda: set(publishers()) - {first}, "the next publisher")
        other.execute("COMMIT")
        other.close()
        self.assertEqual(self.run_program("wait", job).returncode, 0)
        self.check_published(job)
        self.assertEqual(self.connect().execute("SHOW VERSIONS iris_model").fetchall()[0][0], 1)

    def test_a_database_that_is_gone_keeps_the_model_for_later(self):
        self.pace()
        job = self.submit(LONG.format(epochs=200 // harness.SLOW, more=""))
        moved = str(self.folder / "moved.db")
        shutil.move(self.path, moved)
        self.hurry(lambda: self.store(job, "SELECT state FROM job") == [("done",)], "the end of learning")
        waited = self.run_program("wait", job)
        self.assertEqual(waited.returncode, 1)
        self.assertIn("No such file", waited.stderr)
        self.assertIn(f"totrain publish {job} tries again", waited.stderr)
        self.assertFalse(os.path.exists(self.path))
        shutil.move(moved, self.path)
        self.assertEqual(self.row(job)[1], "unpublished")
        again = self.run_program("publish", job)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.check_published(job, LONG.format(epochs=200 // harness.SLOW, more=""))

    def test_a_table_of_its_name_that_appeared_meanwhile_stays(self):
        self.pace()
        job = self.long_job(epochs=200 // harness.SLOW)
        other = sqlite3.connect(self.path, isolation_level=None)
        other.execute("CREATE TABLE iris_model(mine)")
        self.hurry(lambda: self.row(job)[1] == "unpublished", "the job's end")
        waited = self.run_program("wait", job)
        self.assertEqual(waited.returncode, 1)
        self.assertIn("exists and is no model", waited.stderr)
        self.assertEqual(other.execute("SELECT * FROM iris_model").description[0][0], "mine")
        other.execute("DROP TABLE iris_model")
        other.close()
        self.assertEqual(self.run_program("wait", job).returncode, 0)
        self.check_published(job, LONG.format(epochs=200 // harness.SLOW, more=""))

    def test_a_model_is_replaced_and_its_version_kept(self):
        self.connect().execute(harness.TRAIN_IRIS).fetchall()
        job = self.submit()
        done = self.run_program("wait", job, "--format=csv")
        self.assertIn("version,,,2", done.stdout)
        self.assertEqual([row[0] for row in self.connect().execute("SHOW VERSIONS iris_model")], [2, 1])

    def test_an_attached_job_that_was_killed_is_not_continued(self):
        client = subprocess.Popen([harness.PROGRAM, self.path, "-c", harness.TRAIN_LONG],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.wait_for_state(1, "running")
        self.kill_all()
        client.wait(harness.DEADLINE)
        self.wait_for_state(1, "failed")
        self.assertEqual(self.run_program("wait", 1).returncode, 1)

    def test_jobs_are_tables_while_they_run_and_afterwards(self):
        epochs = 400 // harness.SLOW
        self.pace()
        job = self.long_job(epochs=epochs, more="job.max_workers = 2, train.test_size = 0.2, ")
        database = self.connect(isolation_level=None)
        database.row_factory = sqlite3.Row

        def row():
            return database.execute("SELECT * FROM totrain_jobs WHERE id = ?", (job,)).fetchone()
        harness.wait_for(lambda: row()["goodput"] is not None, "a measured goodput")
        self.assertEqual((row()["state"], row()["model"], row()["database"]),
                         ("running", "iris_model", os.path.realpath(self.path)))
        harness.wait_for(lambda: database.execute(
            'SELECT "index" FROM totrain_workers WHERE job = ? AND lanes > 0', (job,)).fetchall(),
            "workers with lanes")
        self.hurry(lambda: row()["state"] == "done", "the job's end")
        self.assertEqual(self.run_program("wait", job).returncode, 0)
        last = row()
        self.assertEqual((last["state"], last["step"], last["error"]), ("done", last["steps"], None))
        self.assertEqual((last["rows_done"], last["rows_redone"]), (120 * epochs, 0))
        self.assertTrue(0 < last["goodput"] <= 1, last["goodput"])
        self.assertGreater(last["slot_seconds"], 0)
        for table in ("totrain_workers", "totrain_events", "totrain_job_metrics"):
            own = database.execute(f"SELECT * FROM {table} WHERE job = {job}").fetchall()
            self.assertTrue(own, table)
            self.assertEqual(len(own), database.execute(f"SELECT count(*) FROM {table}").fetchone()[0])
            self.assertEqual(database.execute(f"SELECT * FROM {table} WHERE job = 'x'").fetchall(), [])
        self.assertEqual(database.execute("SELECT part FROM totrain_job_metrics WHERE job = ?"
                                          " GROUP BY part", (job,)).fetchall()[0]["part"], "train")
        database.close()

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "there is nothing to share")
    def test_show_jobs_says_what_others_leave_to_a_job(self):
        cores = len(os.sched_getaffinity(0))
        self.pace()
        first = self.long_job()
        self.assertIsNone(self.row(first)[6])
        second = self.submit(LONG.format(epochs=1000000, more="").replace("iris_model", "second_model"))
        for job, part in ((first, cores - cores // 2), (second, cores // 2)):
            said = f"has {part} of the {cores} processors that it can use: 1 other job runs here, too"
            harness.wait_for(lambda job=job, said=said: self.row(job)[6] == said, said)
        database = self.connect()
        database.execute(f"CANCEL JOB {second}").fetchall()
        database.close()
        harness.wait_for(lambda: self.row(first)[6] is None, "the first job to have the machine")

    def test_what_a_file_brings_cannot_read_the_jobs(self):
        database = self.connect(isolation_level=None)
        database.execute("CREATE VIEW spy AS SELECT * FROM totrain_jobs")
        with self.assertRaisesRegex(sqlite3.OperationalError, "unsafe use"):
            database.execute("SELECT * FROM spy").fetchall()
        database.close()

    def test_there_is_nothing_to_wait_for(self):
        done = self.run_program("wait", 77)
        self.assertEqual(done.returncode, 2)
        self.assertIn("there is no job 77", done.stderr)


harness.main()
