"""job.where = 'kubernetes', job.wait = false: a background worker of the extension follows the job and publishes
its model, whatever ends meanwhile.
"""

import json
import os
import signal
import unittest

import psycopg2

import staged
from staged import harness

import test_cluster

TRAIN = test_cluster.TRAIN.replace("job.lanes", "job.wait = false, job.lanes")
# With PACE it lasts as long as what is done to it, on any machine.
SLOW = staged.statement(epochs=40, batch=2).replace("job.lanes", "job.where = 'kubernetes', job.wait = false, job.lanes")
PACE = "us=5000"  # a row, until it is hurried
ENDLESS = test_cluster.LONG.replace("job.lanes", "job.wait = false, job.lanes")


class Case(test_cluster.Case):
    pace = None  # pace of the workers

    def setUp(self):
        super().setUp()
        self.cluster.pace = self.pace

    def submit(self, text=TRAIN, user="alice", before=""):
        shown = self.check_psql(f"{before}{text}", "-At", user=user)
        return int(shown.splitlines()[-1].split("|")[3])

    def job(self, number, user="alice"):
        rows = self.execute(f"SELECT state, error FROM totrain.jobs WHERE id = {number}", user)
        return rows[0] if rows else None

    def wait_for_state(self, number, *states, user="alice"):
        return harness.wait_for(lambda: (self.job(number, user) or (None,))[0] in states and self.job(number, user),
                                f"job {number} to be {states}")

    def workers(self):
        return [pid for pid, in self.execute("SELECT pid FROM pg_stat_activity WHERE backend_type = 'totrain job'")]

    def name_of(self, before):
        self.cluster.wait_for(lambda: set(self.cluster.started) - before)
        return (set(self.cluster.started) - before).pop()

    def run_one(self, text=SLOW):
        """The number of a job that has begun, and its Job's name."""
        before = set(self.cluster.started)
        number = self.submit(text)
        name = self.name_of(before)
        self.wait_for_state(number, "running")
        return number, name

    def works(self, execute):
        try:
            execute("SELECT 1")
            return True
        except psycopg2.Error:
            return False

    def kill(self, process):
        """With kill -9, and so the sessions of all others."""
        session = self.connect().cursor()
        os.kill(process, signal.SIGKILL)
        harness.wait_for(lambda: not self.works(session.execute), "the end of all sessions")
        harness.wait_for(lambda: self.works(self.execute), "sessions")

    def check_published(self, number, text=SLOW):
        """All that is to be done to the job has been done."""
        def has_ended():
            self.cluster.hurry()
            return (self.job(number) or (None,))[0] in ("done", "failed", "cancelled")
        harness.wait_for(has_ended, "the job's end")
        self.assertEqual(self.wait_for_state(number, "done", "failed", "cancelled"), ("done", None))
        self.assertIn("iris_model", self.tables())
        self.assertEqual(self.digest(), self.expected(text.replace("job.where = 'kubernetes', job.wait = false, ", "")))
        self.check_nothing_is_left()


class Kept(Case):
    def test_the_statement_returns_and_the_model_comes(self):
        number = self.submit()
        self.check_published(number, TRAIN)
        harness.wait_for(lambda: not self.workers(), "the worker's end")

    def test_done_means_that_the_model_is_there(self):
        number = self.submit()
        connection = self.connect("alice")
        cursor = connection.cursor()
        state = None
        while state != "done":
            cursor.execute(f"SELECT state FROM totrain.jobs WHERE id = {number}")
            state, = cursor.fetchone()
            self.assertIn(state, ("waiting", "running", "publishing", "done"))
        # A statement of its own: one that began before the commit may have looked for the name before.
        cursor.execute("SELECT to_regclass('iris_model') IS NOT NULL")
        self.assertEqual(cursor.fetchall(), [(True,)])

    def test_it_is_the_callers_with_his_role_and_his_settings(self):
        self.execute("CREATE SCHEMA work; GRANT CREATE, USAGE ON SCHEMA work TO bob; GRANT bob TO alice; "
                     "GRANT totrain_k8s TO bob")
        number = self.submit(before="SET ROLE bob; SET search_path = work, public; SET default_toast_compression = lz4; ")
        self.wait_for_state(number, "done", user="bob")
        self.assertEqual(self.execute("SELECT relowner::regrole::text, relnamespace::regnamespace::text FROM pg_class "
                                      "WHERE relname = 'iris_model'"), [("bob", "work")])

    def test_settings_that_only_superusers_see_are_not_written_for_others(self):
        """A superuser has set them and is somebody else by now, who may neither read them nor leave them in a file."""
        number = self.submit(user=harness.SUPERUSER, before="SET dynamic_library_path = '$libdir:/of-the-superuser'; "
                             "SET default_toast_compression = lz4; SET SESSION AUTHORIZATION alice; ")
        files = list(self.server.folder.rglob("caller.json"))
        written = "".join(file.read_text() for file in files)
        self.assertIn("default_toast_compression", written)
        self.assertNotIn("of-the-superuser", written)
        self.assertNotIn("dynamic_library_path", written)
        self.check_published(number, TRAIN)

    def test_it_is_cancelled_from_another_session(self):
        for statement in ("SELECT totrain.cancel({})", "CANCEL JOB {};"):
            with self.subTest(statement):
                number, name = self.run_one(ENDLESS)
                self.check_psql(statement.format(number), user="alice")
                self.cluster.wait_for(lambda: name not in self.cluster.jobs())  # pylint: disable=cell-var-from-loop
                self.assertEqual(self.wait_for_state(number, "cancelled")[0], "cancelled")
                self.check_nothing_is_left()

    def test_a_report_that_its_rows_are_staged_lets_go_of_nothing(self):
        """Its owner may write into the job's journal, and no lock is held here."""
        self.cluster.is_paused = True
        number = self.submit(ENDLESS)
        self.cluster.wait_for(self.cluster.ready)
        journal, = (name for name in self.tables_of_jobs() if name.startswith("result_"))
        sessions = self.workers()
        for entry, told in ((3, {"event": "staged"}), (4, {"event": "progress", "step": 7})):
            body = json.dumps({"step": 0, "steps": 9, "epoch": 0, "epochs": 1, "workers": 1, **told})
            self.execute(f"INSERT INTO totrain_jobs.{journal} (number, master, kind, body) VALUES ({entry}, 1, 'report', "
                         f"convert_to($${body}$$, 'UTF8'))", "alice")
        harness.wait_for(lambda: self.execute(f"SELECT 1 FROM totrain.jobs WHERE id = {number} AND step = 7", "alice"),
                         "what is reported behind it")
        self.assertEqual(self.workers(), sessions)
        self.check_psql(f"CANCEL JOB {number};", user="alice")
        self.wait_for_state(number, "cancelled")
        self.check_nothing_is_left()

    def test_a_job_that_cannot_be_made_fails_and_leaves_nothing(self):
        self.cluster.api.fault("create", status=403, reason="Forbidden", message="jobs is forbidden: User cannot create")
        number = self.submit()
        self.assertIn("cannot create", self.wait_for_state(number, "failed")[1])
        self.check_nothing_is_left()

    def test_a_model_that_cannot_be_written_stays_to_be_collected(self):
        self.cluster.is_paused = True
        number = self.submit()
        self.execute("CREATE TABLE iris_model(x int)", "alice")
        with self.cluster.api.lock:
            self.cluster.is_paused = False
            self.cluster.api.lock.notify_all()
        said = self.wait_for_state(number, "unpublished")[1]
        self.assertIn("the model could not be written", said)
        self.execute("DROP TABLE iris_model", "alice")
        self.execute(f"SELECT * FROM totrain.publish({number})", "alice")
        self.assertEqual(self.job(number)[0], "done")
        self.assertEqual(self.digest(), self.expected())
        self.check_nothing_is_left()

    def test_it_waits_in_sight(self):
        self.cluster.is_paused = True
        number = self.submit(ENDLESS)
        self.assertEqual(self.job(number)[0], "waiting")
        self.execute(f"SELECT totrain.cancel({number})", "alice")
        self.wait_for_state(number, "cancelled")
        self.assertFalse(self.cluster.ready())
        self.check_nothing_is_left()


class Restarted(Case):
    pace = PACE

    def test_a_worker_that_is_ended_is_replaced(self):
        for end in ("SELECT pg_terminate_backend({})", None):
            with self.subTest(end):
                number, _ = self.run_one()
                worker = harness.wait_for(self.workers, "a worker")[0]
                if end:
                    self.execute(end.format(worker))
                else:
                    self.kill(worker)
                self.check_published(number)
                self.execute("DROP TABLE iris_model, local_model", harness.SUPERUSER)

    def test_a_restart_of_the_server_goes_by(self):
        for number_of_signal in (signal.SIGINT, signal.SIGQUIT, signal.SIGKILL):
            with self.subTest(number_of_signal):
                number, name = self.run_one()
                self.server.stop(number_of_signal)
                self.assertIn(name, self.cluster.jobs())  # settled: who could delete it has ended
                self.server.start()
                self.check_published(number)
                self.execute("DROP TABLE iris_model, local_model", harness.SUPERUSER)

    def test_so_does_one_that_submit_runs(self):
        before = set(self.cluster.started)
        number = self.execute(f"SELECT totrain.submit($${SLOW.replace('job.wait = false, ', '')}$$)", "alice")[0][0]
        self.name_of(before)
        self.wait_for_state(number, "running")
        self.server.stop(signal.SIGQUIT)
        self.server.start()
        self.check_published(number)

    def test_it_is_cancelled_when_nobody_follows_it(self):
        number, name = self.run_one(ENDLESS)
        self.server.stop(signal.SIGQUIT)
        self.server.start()
        self.execute(f"SELECT totrain.cancel({number})", "alice")
        self.cluster.wait_for(lambda: name not in self.cluster.jobs())
        self.wait_for_state(number, "cancelled")
        self.check_nothing_is_left()

    def test_a_job_that_ended_and_was_deleted_meanwhile_is_published(self):
        self.cluster.is_silent = True
        number, name = self.run_one()
        self.check_published(number)
        self.assertNotIn(name, self.cluster.jobs())

    def test_a_role_that_may_no_longer_act_as_another_publishes_nothing_for_it(self):
        name = self.run_one_that_loses_its_role()
        self.server.stop(signal.SIGQUIT)
        self.server.start()
        self.check_that_it_failed(name)

    def test_it_is_ended_while_it_trains(self):
        self.check_that_it_failed(self.run_one_that_loses_its_role())

    def run_one_that_loses_its_role(self):
        self.execute("GRANT bob TO alice; GRANT totrain_k8s TO bob")
        before = set(self.cluster.started)
        number = self.submit(ENDLESS, before="SET ROLE bob; ")
        name = self.name_of(before)
        self.wait_for_state(number, "running", user="bob")
        self.execute("REVOKE bob FROM alice")
        return name

    def check_that_it_failed(self, name):
        said = harness.wait_for(lambda: self.execute("SELECT error FROM totrain.jobs WHERE state = 'failed'"), "an error")
        self.assertIn('may not act as role "bob"', said[0][0])
        self.cluster.wait_for(lambda: name not in self.cluster.jobs())
        self.assertNotIn("iris_model", self.tables())


class Scored(test_cluster.Scoring, Case):
    """PREDICT and EVALUATE: the rows wait in the job's folder."""

    KEPT = test_cluster.Scoring.CLUSTER + ", job.wait = false"

    def submit(self, text=None, user="alice", before=""):
        return int(self.check_psql(before + text, "-At", user=user).splitlines()[-1].split("|")[0])

    def predict_there(self, rows="SELECT * FROM iris"):
        return self.submit(self.predict("there", self.KEPT, rows))

    def go_on(self):
        with self.cluster.api.lock:
            self.cluster.is_paused = False
            self.cluster.api.lock.notify_all()

    def check_done(self, *numbers):
        def have_ended():
            self.cluster.hurry()
            return all(self.job(number)[0] in ("done", "failed", "cancelled", "unpublished") for number in numbers)
        harness.wait_for(have_ended, "the jobs' ends")
        self.assertEqual({self.job(number) for number in numbers}, {("done", None)})

    def check_nothing_is_left(self):
        super().check_nothing_is_left()
        harness.wait_for(lambda: not list(self.server.folder.rglob("*.spool")), "the rows to go")

    def test_tables_and_metrics_come(self):
        for rows, table in (("SELECT * FROM iris", "here"), (self.DIRTY, "here_dirty")):
            self.check_psql(self.predict(table, self.LOCAL, rows), user="alice")
        self.check_psql(self.evaluate(self.LOCAL, "INTO here_metrics"), user="alice")
        numbers = [self.predict_there(), self.submit(self.predict("there_dirty", self.KEPT, self.DIRTY)),
                   self.submit(self.evaluate(self.KEPT, "INTO there_metrics"))]
        self.check_done(*numbers)
        self.assertEqual(self.check_same("here", "there"), 150)
        good = self.check_same("here_dirty", "there_dirty")
        self.assertEqual(self.check_same("here_dirty_bad_rows", "there_dirty_bad_rows"), 150 - good)
        self.check_same("here_metrics", "there_metrics")
        self.check_nothing_is_left()

    def test_the_table_is_the_callers_with_his_settings(self):
        self.execute("CREATE SCHEMA work; GRANT CREATE, USAGE ON SCHEMA work TO bob; GRANT bob TO alice; "
                     "GRANT totrain_k8s TO bob; GRANT SELECT ON iris, iris_model TO bob")
        number = self.submit(self.predict("there", self.KEPT), before="SET ROLE bob; SET search_path = work, public; ")
        self.wait_for_state(number, "done", user="bob")
        self.assertEqual(self.execute("SELECT relowner::regrole::text, relnamespace::regnamespace::text FROM pg_class "
                                      "WHERE relname = 'there'"), [("bob", "work")])

    def test_a_restart_of_the_server_goes_by(self):
        self.cluster.pace = PACE
        self.check_psql(self.predict("here", self.LOCAL), user="alice")
        for end in (signal.SIGINT, signal.SIGQUIT):
            with self.subTest(end):
                number = self.predict_there()
                self.wait_for_state(number, "running")
                self.server.stop(end)
                self.server.start()
                self.check_done(number)
                self.assertEqual(self.check_same("here", "there"), 150)
                self.check_nothing_is_left()
                self.execute("DROP TABLE there", "alice")

    def test_a_table_that_is_refused_is_written_later(self):
        self.check_psql(self.predict("here", self.LOCAL), user="alice")
        self.cluster.is_paused = True
        number = self.predict_there()
        self.execute("CREATE TABLE there(x int)", "alice")
        self.go_on()
        self.assertIn("the table could not be written", self.wait_for_state(number, "unpublished")[1])
        self.execute("DROP TABLE there", "alice")
        self.execute(f"BEGIN; SELECT * FROM totrain.publish({number}); ROLLBACK", "alice")
        self.assertIn("was rolled back", self.wait_for_state(number, "unpublished")[1])
        self.execute(f"SELECT * FROM totrain.publish({number})", "alice")
        self.check_done(number)
        self.assertEqual(self.check_same("here", "there"), 150)
        self.check_nothing_is_left()

    def test_a_temporary_table_is_refused(self):
        for text in (self.predict("pg_temp.there", self.KEPT), TRAIN.replace("INTO iris_model", "INTO pg_temp.m")):
            done = self.psql(text, "-v", "ON_ERROR_STOP=1", user="alice")
            self.assertIn("as a temporary table", done.stderr)
            self.check_nothing_is_left()

    def test_one_that_is_cancelled_leaves_nothing(self):
        self.cluster.is_paused = True
        number = self.predict_there()
        self.execute(f"SELECT totrain.cancel({number})", "alice")
        self.wait_for_state(number, "cancelled")
        self.assertNotIn("there", self.tables())
        self.check_nothing_is_left()

    def test_a_row_that_cannot_be_scored_fails_the_job(self):
        number = self.submit(self.predict("there", self.KEPT, self.DIRTY).replace("'quarantine'", "'error'"))
        self.assertIn('column "petal_width"', self.wait_for_state(number, "failed")[1])
        self.assertNotIn("there", self.tables())
        self.check_nothing_is_left()

    def test_a_type_of_another_role_is_refused(self):
        self.execute("GRANT CREATE ON SCHEMA public TO bob")
        self.execute("CREATE DOMAIN width AS float8", "bob")
        self.execute("GRANT USAGE ON TYPE width TO alice", "bob")
        done = self.psql(self.predict("there", self.KEPT, "SELECT *, 1::width AS w FROM iris"), "-v", "ON_ERROR_STOP=1",
                         user="alice")
        self.assertIn("type width of the SELECT belongs to another role", done.stderr)
        self.check_nothing_is_left()


class Preloaded(Case):
    """With the library in shared_preload_libraries nobody has to say a word for it."""

    more = {"shared_preload_libraries": "totrain"}
    pace = PACE

    def test_a_restart_of_the_server_goes_by(self):
        number, _ = self.run_one()
        self.server.stop(signal.SIGQUIT)
        self.server.start()
        harness.wait_for(lambda: self.cluster.hurry() or "iris_model" in self.tables(), "the model")
        self.check_published(number)


if __name__ == "__main__":
    unittest.main(verbosity=2)
